"""Words in and out through the errands, with Anki itself at the other end where it is installed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bot.deck import Deck
from bot.exchange import Place, progress
from bot.habits import habits
from bot.words_exchange import LINES_MAX, bring_in, take_back, take_out
from scheduler.review import Phase, Remembered
from store import cards, dictionary_file
from store.cards import answer_id, card_id
from store.dictionary import Definition, Dictionary
from store.errors import DiskFull, NotFound, OverLimit, Rejected
from store.formats import word_lists
from store.formats.word_lists import TAGS_MAX
from store.memory import Memory
from store.model import CARD_TEXT_CHARACTERS_MAX, Card, CardState, Draft, EntryKind, Origin, Review
from store.sql import DEFAULT_FACTORY, ConnectionFactory
from store.view import View
from store.word_import import ANSWERS_AT_ONCE, WORDS_AT_ONCE
from store.writer import Writer
from tests.fakes import FakeClock
from tests.faults.raising import FULL, factory_of
from tests.faults.raising import Plan as Faults
from tests.store import tiny_dictionary
from tests.store.formats.packages import Note, package
from tests.store.memories import HERE, LIN, Box

ZONE = "Asia/Shanghai"
NOW = datetime(2024, 5, 27, 2, 0, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
DAY_MS = 86_400_000


@dataclass(slots=True)
class Desk:
    memory: Memory
    home: Path
    clock: FakeClock
    lang: str = "zh"
    calls: int = 0

    def _place(self) -> Place:
        return Place(self.memory, LIN, ZONE, self.lang, NOW_MS, lambda: Dictionary.open(self.home))

    async def bring_in(self, path: Path, *, dry: bool = False, key: str = "") -> dict[str, Any]:
        self.calls += 1
        return await bring_in(self._place(), {"path": str(path), "dry": dry}, key or f"test/{self.calls}")

    async def take_back(self, *, key: str = "") -> dict[str, Any]:
        self.calls += 1
        return await take_back(self._place(), {}, key or f"test/{self.calls}")

    async def take_out(self, name: str) -> Path:
        self.calls += 1
        path = self.home / name
        await take_out(self._place(), {"path": str(path)}, f"test/{self.calls}")
        return path

    def file(self, name: str, text: str | bytes) -> Path:
        path = self.home / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    async def cards(self) -> dict[str, Card]:
        found = await self.memory.read(lambda view: cards.cards(view))
        return {card.word: card for card in found}

    async def remembered(self, word: str) -> Remembered:
        def look(view: View) -> Remembered:
            return Deck(view, NOW, ZONE, habits(view)).remembered(card_id(word))

        return await self.memory.read(look)

    async def reviews(self, word: str) -> list[Review]:
        return await self.memory.read(lambda view: cards.reviews(view, card_id(word)))


async def desk_in(folder: Path, name: str, *, factory: ConnectionFactory = DEFAULT_FACTORY) -> Desk:
    box = Box(folder / name, seed=name)
    return Desk(await box.open(factory=factory), box.root, box.clock)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = await desk_in(tmp_path, "one")
    yield made
    await made.memory.close()


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Desk]:
    made = await desk_in(tmp_path, "two")
    yield made
    await made.memory.close()


async def learned(desk: Desk) -> None:
    """Seven words: one known for long, one that was forgotten, one begun, one that needs no learning, the others new."""

    def write(writer: Writer) -> None:
        words = ("paradigm", "serendipity", "abandon", "set", "known", "benefit", "lead")
        for place, word in enumerate(words):
            cards.add_card(writer, word, by=LIN, at_ms=NOW_MS - 60 * DAY_MS + place)
        cards.set_card(
            writer, card_id("set"), by=LIN, meaning="放 & <置>\n集合", tags=("my list", "x"), example="Set\nit."
        )
        cards.set_card(writer, card_id("known"), by=LIN, state=CardState.KNOWN)
        log = {
            "paradigm": ((50, 3), (47, 3), (40, 4), (20, 2)),
            "serendipity": ((30, 1), (29, 3), (25, 3), (15, 1)),
            "abandon": ((0, 1),),
        }
        for word, answers in log.items():
            for days, rating in answers:
                at = NOW - timedelta(days=days, minutes=5)
                slot = at.date().isoformat()
                cards.grade(
                    writer,
                    Review(
                        answer_id(card_id(word), slot, 1),
                        card_id(word),
                        rating,
                        int(at.timestamp() * 1000),
                        zone=ZONE,
                        took_ms=1200,
                        device=writer.device,
                        slot=slot,
                        by=LIN,
                    ),
                )
        writer.remember(
            Draft("the strange paradigm shift Kuhn described in his book", EntryKind.FACT),
            at_ms=NOW_MS - DAY_MS,
            zone=ZONE,
            author=LIN,
            source=HERE,
            origin=Origin.SAID,
            lang="en",
        )

    await desk.memory.turn(write)  # fmt: skip


# in


async def test_a_preview_writes_nothing_and_says_what_the_import_then_does(desk: Desk) -> None:
    tiny_dictionary.put(desk.home)
    path = desk.file("list.csv", "word,meaning\nparadigms,\nzzq,\nmine,我的\n,x\n")
    seen = await desk.bring_in(path, dry=True)
    assert await desk.cards() == {}
    done = await desk.bring_in(path)
    assert seen == done
    assert (done["new"], done["unknown"], done["bare"], done["trouble_count"], done["has_dictionary"]) == (
        3,
        2,
        1,
        1,
        True,
    )
    assert list(await desk.cards()) == ["paradigms", "zzq", "mine"]
    again = await desk.bring_in(path)
    assert (again["new"], again["known"], again["filled"], again["answers"]) == (0, 3, 0, 0)


async def test_the_same_key_imports_once(desk: Desk) -> None:
    path = desk.file("list.txt", "set\n")
    first = await desk.bring_in(path, key="cli/x/1")
    path.write_text("other\n")
    assert await desk.bring_in(path, key="cli/x/1") == first
    assert list(await desk.cards()) == ["set"]


# beside a chat, and cut off


@contextmanager
def told_of(moved: Callable[[int, int], None]) -> Iterator[None]:
    token = progress.set(moved)
    try:
        yield
    finally:
        progress.reset(token)


def many(desk: Desk) -> Path:
    """Three parts of words, one of them with answers for three parts."""
    log = tuple((NOW_MS - (n + 2) * DAY_MS, 3, 0, 2500) for n in range(2 * ANSWERS_AT_ONCE + 1))
    notes = [Note((f"word{n:x}q", f"词{n}"), log=log if n == 70 else ()) for n in range(2 * WORDS_AT_ONCE + 10)]
    return package(desk.home / "many.apkg", notes)


async def test_no_part_of_an_import_keeps_a_chat_waiting_for_long(desk: Desk) -> None:
    """Whoever reads meanwhile comes in between any two parts."""
    seen = [(0, 0)]
    work = asyncio.create_task(desk.bring_in(many(desk)))
    while not work.done():
        seen.append(await desk.memory.read(lambda view: (cards.count(view), len(cards.all_reviews(view)))))
    await work
    words, answers = ({here[at] - before[at] for before, here in pairwise(seen)} for at in (0, 1))
    assert max(words) == WORDS_AT_ONCE and max(answers) == ANSWERS_AT_ONCE


class Cut(Exception):
    """Stands for a power cut: what was committed is there."""


@pytest.mark.parametrize("parts", [1, 2])
async def test_an_import_that_was_cut_off_goes_on(desk: Desk, other: Desk, parts: int) -> None:
    path = many(desk)

    def moved(done: int, total: int) -> None:
        if done == parts * WORDS_AT_ONCE:
            raise Cut

    with told_of(moved), pytest.raises(Cut):
        await desk.bring_in(path, key="cli/x/1")
    seen = await desk.bring_in(path, dry=True)
    assert (seen["known"], seen["new"]) == (parts * WORDS_AT_ONCE, (2 - parts) * WORDS_AT_ONCE + 10)
    again = await desk.bring_in(path, key="cli/x/1")
    assert again == await other.bring_in(path), "one call is one import, and tells of all of it"
    ours, theirs = await desk.cards(), await other.cards()
    assert list(ours) == list(theirs)
    assert [card.meaning for card in ours.values()] == [card.meaning for card in theirs.values()]
    assert await desk.reviews("word46q") == await other.reviews("word46q") != []
    assert await desk.bring_in(path, key="cli/x/1") == again


async def test_a_disk_that_fills_up_half_way_is_told_with_what_is_there(tmp_path: Path) -> None:
    disk = Faults()
    desk = await desk_in(tmp_path, "one", factory=factory_of(disk))
    path = many(desk)
    with told_of(lambda done, total: disk.begin(1, error=FULL, only="INSERT")):
        report = await desk.bring_in(path)
    assert (report["new"], report["known"]) == (WORDS_AT_ONCE, 0)
    assert report["stopped"]
    disk.begin(0)
    report = await desk.bring_in(path)
    assert (report["new"], report["known"], report["stopped"]) == (WORDS_AT_ONCE + 10, WORDS_AT_ONCE, False)
    with told_of(lambda done, total: disk.begin(1, error=FULL, only="INSERT INTO handled")):
        assert (await desk.bring_in(desk.file("more.txt", "set\n")))["stopped"]
    disk.begin(1, error=FULL, only="INSERT")
    with pytest.raises(DiskFull):
        await desk.bring_in(desk.file("more.txt", "lead\n"))
    disk.begin(0)
    await desk.memory.close()


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
async def test_a_table_in_any_encoding(desk: Desk, encoding: str) -> None:
    await desk.bring_in(desk.file("list.csv", "单词,释义\nparadigm,范式；典范\n".encode(encoding)))
    assert (await desk.cards())["paradigm"].meaning == "范式；典范"


async def test_secrets_are_masked_before_anything_is_stored(desk: Desk) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    report = await desk.bring_in(desk.file("list.csv", f"word,meaning\nset,my token is {token}\n{token[:39]},x\n"))
    assert report["masked"] == 1
    assert [one["code"] for one in report["troubles"]] == ["trouble-secret"]
    (card,) = (await desk.cards()).values()
    assert token not in card.meaning and "••••••" in card.meaning


@pytest.mark.parametrize("column", ["meaning", "ipa", "pos", "example", "tags"])
async def test_no_column_brings_a_secret_in(desk: Desk, column: str) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    report = await desk.bring_in(desk.file("list.csv", f"word,{column}\nset,{token}\n"))
    assert report["masked"] == 1
    (card,) = (await desk.cards()).values()
    assert token[:12] not in str(card)


async def test_fields_as_long_as_they_may_be_stop_nothing(desk: Desk) -> None:
    secret = "my PIN is 4831"
    rows = [f"a,{'x' * (CARD_TEXT_CHARACTERS_MAX - len(secret) - 1)} {secret}", f"b,{'词' * CARD_TEXT_CHARACTERS_MAX}"]
    await desk.bring_in(desk.file("list.csv", "\n".join(["word,meaning", *rows])))
    found = await desk.cards()
    assert "4831" not in found["a"].meaning and len(found["a"].meaning) == CARD_TEXT_CHARACTERS_MAX
    tags = " ".join(f"{'t' * 90}{n}" for n in range(50))
    await desk.bring_in(package(desk.home / "a.apkg", [Note(("c", "x"), tags=f"{'t' * 3000} {tags}")]))
    assert len((await desk.cards())["c"].tags) == TAGS_MAX


async def test_masks_that_make_the_tags_too_long_stop_no_import(desk: Desk) -> None:
    """What is refused is refused before anything is written."""
    tags = [f"{n:02}{'t' * 86}-pin:4831" for n in range(TAGS_MAX)]
    cell = "t" * (CARD_TEXT_CHARACTERS_MAX - len(",".join(tags))) + ",".join(tags)
    report = await desk.bring_in(desk.file("list.csv", f'word,tags\na,"{cell}"\n'))
    assert (report["new"], report["trouble_count"]) == (1, 0)
    assert sum(map(len, (await desk.cards())["a"].tags)) <= CARD_TEXT_CHARACTERS_MAX


async def test_long_senses_of_a_dictionary_come_back_as_nothing_new(desk: Desk) -> None:
    senses = tuple(f"{n}{'长' * 900}" for n in range(9))
    dictionary_file.put(desk.home, [Definition("set", zh=senses)], source="", notice="")
    await desk.bring_in(desk.file("list.txt", "set\n"))
    for kind in ("apkg", "csv", "md"):
        report = await desk.bring_in(await desk.take_out(f"out.{kind}"))
        assert (report["known"], report["filled"], report["trouble_count"]) == (1, 0, 0), kind


async def test_what_cannot_be_read_is_refused_and_nothing_is_there(desk: Desk) -> None:
    for name, data, code in (
        ("a.csv", b"\x89PNG\r\n\x1a\n\xff\xff\xfe", "error-words-text"),
        ("a.apkg", b"nonsense", "error-words-package"),
        ("renamed.csv", b"PK\x05\x06" + bytes(18), "error-words-no-collection"),
    ):
        with pytest.raises(Rejected) as raised:
            await desk.bring_in(desk.file(name, data))
        assert raised.value.code == code
    with pytest.raises(NotFound):
        await desk.bring_in(desk.home / "none.csv")
    with pytest.raises(Rejected):
        await desk.bring_in(desk.home)
    assert await desk.cards() == {}


async def test_a_hundred_thousand_rows_are_refused_at_once(desk: Desk) -> None:
    path = desk.file("list.csv", "word,meaning\n" + "".join(f"word{n:x}q,词\n" for n in range(100_000)))
    with pytest.raises(OverLimit) as raised:
        await desk.bring_in(path)
    assert raised.value.facts["n"] == 100_000
    assert await desk.cards() == {}


async def test_more_lines_than_any_list_has_are_not_even_looked_at(desk: Desk) -> None:
    with pytest.raises(OverLimit):
        await desk.bring_in(desk.file("list.txt", b"1\n" * (LINES_MAX + 1)))


async def test_a_package_brings_its_progress(desk: Desk) -> None:
    log = tuple((NOW_MS - days * DAY_MS, 3, 0, 2500) for days in (30, 27, 20))
    path = package(desk.home / "deck.apkg", [Note(("paradigm", "范式"), log=log), Note(("set", "放"))])
    report = await desk.bring_in(path)
    assert (report["new"], report["answers"]) == (2, 3)
    at = await desk.remembered("paradigm")
    assert (at.phase, at.reps) == (Phase.REVIEW, 3)
    assert at.due_ms > NOW_MS
    assert (await desk.bring_in(path))["answers"] == 0


# taken back


async def test_an_import_is_taken_back_as_a_whole(desk: Desk) -> None:
    await learned(desk)
    before, log = await desk.cards(), await desk.reviews("paradigm")
    report = await desk.bring_in(many(desk))
    old = ((NOW_MS - 9 * DAY_MS, 2, 0, 0),)
    notes = [Note(("paradigm", "范式"), log=old), Note(("new one", "新"))]
    more = await desk.bring_in(package(desk.home / "more.apkg", notes))
    assert (more["filled"], more["answers"], more["new"]) == (1, 1, 1)
    done = await desk.take_back()
    assert done == {"found": True, "removed": 1, "answers": 1, "restored": 1, "kept": 0}
    assert (await desk.cards())["paradigm"] == before["paradigm"]
    assert await desk.reviews("paradigm") == log
    done = await desk.take_back()
    assert (done["removed"], done["answers"]) == (report["new"], report["answers"])
    assert await desk.cards() == before
    assert not (await desk.take_back())["found"]


async def test_what_was_taken_back_comes_in_again_as_the_file_has_it(desk: Desk) -> None:
    log = ((NOW_MS - 9 * DAY_MS, 2, 0, 0),)
    for meaning in ("错", "对", "好"):
        path = package(desk.home / f"{meaning}.apkg", [Note(("set", meaning), log=log), Note(("lead", meaning))])
        report = await desk.bring_in(path)
        assert (report["new"], report["removed"], report["answers"]) == (2, 0, 1)
        assert {word: card.meaning for word, card in (await desk.cards()).items()} == {"set": meaning, "lead": meaning}
        assert len(await desk.reviews("set")) == 1
        assert (await desk.bring_in(path))["answers"] == 0
        await desk.take_back()
        assert await desk.cards() == {} and await desk.reviews("set") == []


async def test_a_word_that_a_person_took_out_since_stays_out(desk: Desk) -> None:
    path = desk.file("list.txt", "set\nlead\n")
    await desk.bring_in(path)
    await desk.take_back()
    await desk.bring_in(path)
    desk.clock.advance(timedelta(minutes=1))
    await desk.memory.turn(lambda writer: cards.set_card(writer, card_id("set"), by=LIN, state=CardState.REMOVED))
    assert ((await desk.bring_in(path))["removed"]) == 1


async def test_what_somebody_has_worked_on_since_is_left_as_it_is(desk: Desk) -> None:
    notes = [
        Note((word, "x"), log=((NOW_MS - days * DAY_MS, 2, 0, 0),))
        for days, word in enumerate(("answered", "edited", "untouched"), start=5)
    ]
    await desk.bring_in(package(desk.home / "a.apkg", notes))
    desk.clock.advance(timedelta(minutes=1))

    def work(writer: Writer) -> None:
        cards.set_card(writer, card_id("edited"), by=LIN, meaning="mine")
        at_ms, card = writer.now_ms, card_id("answered")
        cards.grade(writer, Review(answer_id(card, "2024-05-27", 1), card, 3, at_ms, slot="2024-05-27", by=LIN))

    await desk.memory.turn(work)
    done = await desk.take_back()
    assert (done["removed"], done["kept"], done["answers"]) == (1, 2, 2)
    assert list(await desk.cards()) == ["answered", "edited"]
    assert len(await desk.reviews("answered")) == 2


async def test_taking_back_that_was_cut_off_goes_on_and_the_same_key_does_it_once(tmp_path: Path) -> None:
    disk = Faults()
    desk = await desk_in(tmp_path, "one", factory=factory_of(disk))
    await desk.bring_in(desk.file("first.txt", "set\n"))
    await desk.bring_in(many(desk))
    disk.begin(2, error=FULL, only="COMMIT")
    with pytest.raises(DiskFull):
        await desk.take_back(key="cli/x/2")
    disk.begin(0)
    done = await desk.take_back(key="cli/x/2")
    assert list(await desk.cards()) == ["set"]
    assert await desk.take_back(key="cli/x/2") == done
    assert list(await desk.cards()) == ["set"]
    await desk.memory.close()


# out


@pytest.mark.parametrize("kind", ["apkg", "csv", "md", "txt"])
@pytest.mark.parametrize("with_dictionary", [True, False])
async def test_what_we_write_changes_nothing_when_it_comes_back(desk: Desk, kind: str, with_dictionary: bool) -> None:
    await learned(desk)
    if with_dictionary:
        tiny_dictionary.put(desk.home)
    before = await desk.cards()
    report = await desk.bring_in(await desk.take_out(f"out.{kind}"))
    assert (report["new"], report["filled"], report["answers"], report["trouble_count"]) == (0, 0, 0, 0)
    assert report["known"] == 7
    assert await desk.cards() == before


@pytest.mark.parametrize("kind", ["apkg", "csv"])
async def test_another_memory_gets_the_words_as_they_were(desk: Desk, other: Desk, kind: str) -> None:
    await learned(desk)
    await other.bring_in(await desk.take_out(f"out.{kind}"))
    ours, theirs = await desk.cards(), await other.cards()
    assert list(theirs) == list(ours)
    for word, card in ours.items():
        there = theirs[word]
        assert (there.meaning, there.state) == (card.meaning, card.state)
        assert there.example == (card.example or ("" if word != "paradigm" else there.example))
    tags = ("my_list", "x") if kind == "apkg" else ("my list", "x")
    assert theirs["set"].tags == tags
    assert "Kuhn" in theirs["paradigm"].example
    for word in ours if kind == "apkg" else ():
        assert await other.remembered(word) == await desk.remembered(word)


async def test_a_list_to_read_and_a_list_of_words(desk: Desk, other: Desk) -> None:
    tiny_dictionary.put(desk.home)
    await learned(desk)
    text = (await desk.take_out("out.md")).read_text("utf-8")
    assert text.splitlines()[:2] == [
        "- **paradigm** /ˈpærədaɪm/ n. — 范式；典范",
        "  > the strange paradigm shift Kuhn described in his book",
    ]
    assert (await desk.take_out("out.txt")).read_text("utf-8").split() == [
        "paradigm", "serendipity", "abandon", "set", "known", "benefit", "lead",
    ]  # fmt: skip
    await other.bring_in(desk.home / "out.md")
    assert (await other.cards())["paradigm"].meaning == "范式；典范"


async def test_a_table_says_when_a_word_is_due_and_runs_no_formula(desk: Desk) -> None:
    await learned(desk)
    await desk.memory.turn(lambda writer: cards.add_card(writer, "=sum", by=LIN, at_ms=NOW_MS, meaning="=1+1"))
    text = (await desk.take_out("out.csv")).read_text("utf-8-sig")
    assert text.splitlines()[0] == ",".join(word_lists.COLUMNS)
    pieces, _ = word_lists.read("out.csv", text)
    assert "'=1+1" in text
    assert pieces[-1].meaning == "=1+1"
    due = datetime.fromtimestamp((await desk.remembered("paradigm")).due_ms / 1000, UTC) + timedelta(hours=8)
    assert f",{due:%Y-%m-%d},4" in text.splitlines()[1]


async def test_removed_words_and_answers_that_were_taken_back_stay_here(desk: Desk, other: Desk) -> None:
    await learned(desk)
    last = (await desk.reviews("paradigm"))[-1]

    def change(writer: Writer) -> None:
        cards.set_card(writer, card_id("set"), by=LIN, state=CardState.REMOVED)
        cards.undo_review(writer, last.id, by=LIN, at_ms=NOW_MS, zone=ZONE)

    await desk.memory.turn(change)
    await other.bring_in(await desk.take_out("out.apkg"))
    assert "set" not in await other.cards()
    assert [one.at_ms for one in await other.reviews("paradigm")] == [
        one.at_ms for one in (await desk.reviews("paradigm"))
    ]


async def test_a_word_that_was_begun_anew_is_new_there_too(desk: Desk, other: Desk) -> None:
    await learned(desk)

    def again(writer: Writer) -> None:
        Deck(writer, NOW, ZONE, habits(writer)).reset(writer, [card_id("paradigm")], by=LIN)

    await desk.memory.turn(again)
    await other.bring_in(await desk.take_out("out.apkg"))
    assert (await other.remembered("paradigm")).phase is Phase.NEW
    assert (await other.remembered("serendipity")).phase is Phase.RELEARNING


async def test_nothing_that_is_there_is_replaced_and_the_ending_says_how(desk: Desk) -> None:
    await desk.bring_in(desk.file("list.txt", "set\n"))
    with pytest.raises(Rejected):
        await desk.take_out("list.txt")
    with pytest.raises(Rejected) as raised:
        await desk.take_out("list.pdf")
    assert raised.value.code == "error-words-format"


async def test_a_broken_dictionary_stops_no_export(desk: Desk) -> None:
    await learned(desk)
    dictionary_file.put(desk.home, tiny_dictionary.WORDS, source="", notice="")
    path = desk.home / "dictionary.db"
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 16384)
    assert "paradigm" in (await desk.take_out("out.md")).read_text("utf-8")
