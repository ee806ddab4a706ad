"""Case B3: whatever is asked of one scope, by whatever way, only what was said there comes back."""

from __future__ import annotations

import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from store.chat import rank_chat, search_chat
from store.context import context
from store.memory import Memory
from store.model import TALK, Entry
from store.occurrences import occurrences
from store.own_rows import Turn
from store.recall import Question, rank, recall
from store.search import search
from store.vectors import TABLES, Meaning
from store.view import View
from store.writer import Writer
from tests.fakes import FakeEmbedder
from tests.store.memories import LIN, Box, remember
from tests.store.test_context import PLENTY, Plain

TODAY = date(2024, 5, 27)
WORDS = ("violin", "harbour", "walnut", "提琴", "海港", "核桃")
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@dataclass(slots=True)
class Said:
    """What one scope was told. Few words: what is said next door is often the better match, or the very same."""

    entries: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)


SCOPE = st.builds(Said, st.lists(TEXT, max_size=4), st.lists(TEXT, max_size=4))


def fill(writer: Writer, said: Said, chat: str) -> set[str]:
    for text in said.turns:
        writer.keep_turn(chat=chat, account=LIN, at_ms=writer.now_ms, zone="UTC", kind=TALK, text=text, reply="")
    return {remember(writer, text).id for text in said.entries}


async def give_vectors(memory: Memory, embedder: FakeEmbedder) -> None:
    for table in TABLES:
        wanted, _ = await memory.missing_vectors(table, embedder.name, None, 100)
        if wanted:
            rows = await embedder.embed_passages([one.text for one in wanted])
            assert rows is not None
            await memory.keep_vectors(embedder.name, wanted, rows)


def everything_found(view: View, asked: str, meaning: Meaning | None) -> tuple[list[Entry], list[Turn]]:
    """By every way there is to find something."""
    entries: list[Entry] = []
    turns: list[Turn] = []
    for literal in (False, True):
        question = Question(asked, TODAY, literal=literal, chat=True, meaning=meaning)
        answer, given_on = recall(view, question), context(view, question, PLENTY, Plain())
        entries += [*answer.entries, *given_on.entries, *rank(view, question, 100)]
        turns += [*given_on.turns, *((*answer.heard.turns, *answer.heard.passing) if answer.heard else ())]
    entries += recall(view, Question("", TODAY, listing=True)).entries  # the newest
    entries += search(view, asked, TODAY, asker=LIN, limit=100).entries
    entries += [*view.with_words(asked), *view.entries("1"), *view.cold(TODAY)]
    entries += [one for entry in tuple(entries) for one in (*view.repeats(entry), *view.chain(entry.id))]
    turns += search_chat(view, asked, TODAY, meaning=meaning).turns
    turns += rank_chat(view, asked, TODAY, meaning=meaning, limit=100)
    return entries, turns


def check_counts(view: View, said: Said, asked: str, model: str) -> None:
    assert view.count() == len(said.entries)
    assert view.count_talk() == len(said.turns)
    assert view.vectors_progress(model) == (len(said.entries) + len(said.turns),) * 2
    for word in {*asked.split(), WORDS[0]}:
        found = occurrences(view, word)
        assert found.entries == sum(word in text.split() for text in said.entries), word
        told = [text for text in said.turns if text != word]  # the bare word only looks for it
        assert found.chats == sum(word in text.split() for text in told), word
        assert search(view, word, TODAY, asker=LIN).total == found.entries, word


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scopes=st.lists(SCOPE, min_size=2, max_size=3), asked=TEXT)
@example(scopes=[Said(["violin walnut"], ["harbour"]), Said(["violin"], ["violin"])], asked="violin")
@example(scopes=[Said(), Said(["海港 核桃"], ["海港 核桃"])], asked="海港 核桃")
async def test_what_is_found_was_said_in_the_scope_that_was_asked(scopes: list[Said], asked: str) -> None:
    embedder = FakeEmbedder(dims=16)
    async with AsyncExitStack() as open_ones:
        folder = Path(open_ones.enter_context(tempfile.TemporaryDirectory()))
        boxes = [Box(folder / str(place), seed=str(place)) for place in range(len(scopes))]
        memories = [await open_ones.enter_async_context(box.opened()) for box in boxes]
        own: list[set[str]] = []
        for place, (memory, said) in enumerate(zip(memories, scopes, strict=True)):
            own.append(await memory.turn(lambda writer, said=said, place=place: fill(writer, said, f"chat:{place}")))  # type: ignore[misc]
            await give_vectors(memory, embedder)
        assert len(set().union(*own)) == sum(map(len, own)), "an id says which scope it is of"
        vector = await embedder.embed_query(asked)
        assert vector is not None
        for meaning in (None, Meaning("e5", embedder.name, vector)):
            for place, (memory, said) in enumerate(zip(memories, scopes, strict=True)):
                entries, turns = await memory.read(lambda view, m=meaning: everything_found(view, asked, m))  # type: ignore[misc]
                assert {entry.id for entry in entries} == own[place], "all of them: the newest are among the ways"
                assert {turn.chat for turn in turns} <= {f"chat:{place}"}
                assert len({turn.id for turn in turns}) <= len(said.turns)
                await memory.read(lambda view, said=said: check_counts(view, said, asked, embedder.name))  # type: ignore[misc]
