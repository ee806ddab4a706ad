"""Words from a file in a memory: what is new, what is filled in, what stays out; twice is once; all or nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store import cards, word_import
from store.cards import answer_id, card_id, import_id
from store.errors import OverLimit
from store.formats.word_lists import Answer, WordPiece
from store.memory import Memory
from store.model import Card, CardState, Review, ReviewKind
from store.view import View
from store.word_import import Plan
from store.writer import Writer
from tests.store.memories import LIN, Box

NOW = 1_716_775_200_000
DAY_MS = 86_400_000


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Box(tmp_path).open()
    yield opened
    await opened.close()


def piece(word: str, **said: Any) -> WordPiece:
    return WordPiece("list.csv", 1, word, **said)


async def taken(memory: Memory, *pieces: WordPiece, shown: Any = lambda one: one) -> Plan:
    def run(writer: Writer) -> Plan:
        made = word_import.plan(writer, word_import.merged(pieces), now_ms=NOW, shown=shown)
        word_import.apply(writer, made, by=LIN, at_ms=NOW)
        cards.keep_reviews(writer, made.answers)
        return made

    return await memory.turn(run)


async def all_cards(memory: Memory) -> list[Card]:
    return await memory.read(lambda view: cards.cards(view, states=list(CardState)))


async def reviews(memory: Memory, word: str) -> list[Review]:
    return await memory.read(lambda view: cards.reviews(view, card_id(word)))


async def keys(memory: Memory) -> int:
    def count(view: View) -> int:
        found: int = view.conn.execute("SELECT count(*) FROM keys").fetchone()[0]
        return found

    return await memory.read(count)


ALL = piece(
    "paradigm", meaning="范式", ipa="x", pos="n.", example="A shift.", tags=("cet6", "mine"),
    answers=(Answer(NOW - DAY_MS, 3, 900), Answer(NOW - 2 * DAY_MS, 1)),
)  # fmt: skip


async def test_a_new_word_comes_with_all_that_is_said_of_it(memory: Memory) -> None:
    made = await taken(memory, ALL)
    assert (len(made.new), len(made.answers)) == (1, 2)
    (card,) = await all_cards(memory)
    assert (card.word, card.meaning, card.ipa, card.pos, card.example, card.tags) == (
        "paradigm", "范式", "x", "n.", "A shift.", ("cet6", "mine"),
    )  # fmt: skip
    found = await reviews(memory, "paradigm")
    assert [(one.at_ms, one.rating, one.kind, one.took_ms) for one in found] == [
        (NOW - 2 * DAY_MS, 1, ReviewKind.IMPORT, 0),
        (NOW - DAY_MS, 3, ReviewKind.IMPORT, 900),
    ]


async def test_a_second_time_changes_nothing(memory: Memory) -> None:
    await taken(memory, ALL)
    before = await keys(memory)
    made = await taken(memory, ALL, replace(ALL, word="PARADIGM"))
    assert (made.new, made.filled, made.answers, made.known) == ([], [], [], 1)
    assert await keys(memory) == before


async def test_words_are_learned_in_the_order_of_the_file(memory: Memory) -> None:
    words = [f"w{n}" for n in range(60)]
    await taken(memory, *map(piece, words))
    assert [card.word for card in await all_cards(memory)] == words
    assert [card.added_ms for card in await all_cards(memory)] == [*range(NOW, NOW + 60)]


async def test_of_a_word_that_comes_twice_the_first_counts_and_the_other_fills_in(memory: Memory) -> None:
    one, other = Answer(NOW - 5, 3), Answer(NOW - 900, 2)
    await taken(
        memory,
        piece("set", meaning="放", answers=(one,)),
        piece("Set", meaning="集合", ipa="y", answers=(one, other)),
    )
    (card,) = await all_cards(memory)
    assert (card.word, card.meaning, card.ipa) == ("set", "放", "y")
    assert len(await reviews(memory, "set")) == 2


async def test_a_card_that_is_there_keeps_what_it_says_and_gets_what_it_lacks(memory: Memory) -> None:
    await taken(memory, piece("set", meaning="我的"))
    made = await taken(memory, piece("set", meaning="别的", ipa="z", state="known"))
    assert (len(made.filled), len(made.new)) == (1, 0)
    (card,) = await all_cards(memory)
    assert (card.meaning, card.ipa, card.state) == ("我的", "z", CardState.ACTIVE)


async def test_what_is_nobodys_own_note_fills_nothing_in(memory: Memory) -> None:
    await taken(memory, piece("set"))
    made = await taken(memory, piece("set", meaning="词典的"), shown=lambda one: replace(one, meaning=""))
    assert not (made.new or made.filled or made.answers)


async def test_a_word_that_was_taken_out_or_erased_stays_out(memory: Memory) -> None:
    await taken(memory, piece("gone"), piece("erased"))

    def take_out(writer: Writer) -> None:
        cards.set_card(writer, card_id("gone"), by=LIN, state=CardState.REMOVED)
        writer.set("meta", f"ban/{card_id('never')}", True, by=LIN)

    await memory.turn(take_out)
    made = await taken(memory, piece("gone", meaning="x", answers=(Answer(NOW - 5, 3),)), piece("never"), piece("new"))
    assert (made.removed, len(made.new), len(made.answers)) == (2, 1, 0)
    states = {card.word: card.state for card in await all_cards(memory)}
    assert states == {"gone": CardState.REMOVED, "erased": CardState.ACTIVE, "new": CardState.ACTIVE}


@pytest.mark.parametrize(
    ("said", "state"),
    [("known", CardState.KNOWN), ("suspended", CardState.SUSPENDED), ("active", CardState.ACTIVE),
     ("removed", CardState.ACTIVE), ("odd", CardState.ACTIVE)],
)  # fmt: skip
async def test_a_new_word_may_be_known_or_suspended(memory: Memory, said: str, state: CardState) -> None:
    await taken(memory, piece("set", state=said))
    assert [card.state for card in await all_cards(memory)] == [state]


@pytest.mark.parametrize(
    ("said", "added_ms"),
    [("2024-05-01", 1_714_521_600_000), ("2999-01-01", NOW), ("1970-01-01", NOW), ("soon", NOW), ("", NOW)],
)
async def test_the_day_it_was_added_is_kept_unless_it_makes_no_sense(memory: Memory, said: str, added_ms: int) -> None:
    await taken(memory, piece("set", added=said))
    assert [card.added_ms for card in await all_cards(memory)] == [added_ms]


async def test_an_answer_that_was_given_here_is_known_again(memory: Memory) -> None:
    await taken(memory, piece("set"))
    given = Review(
        answer_id(card_id("set"), "2024-05-20", 1), card_id("set"), 3, NOW - DAY_MS, slot="2024-05-20", by=LIN
    )
    await memory.turn(lambda writer: cards.grade(writer, given))
    same = (Answer(NOW - DAY_MS, 3), Answer(NOW - DAY_MS + 3, 3))
    other = Answer(NOW - DAY_MS + 3, 1)
    made = await taken(memory, piece("set", answers=(*same, other)))
    assert [one.id for one in made.answers] == [import_id(card_id("set"), other.number)]


async def test_an_answer_that_was_taken_back_does_not_come_back(memory: Memory) -> None:
    await taken(memory, ALL)
    event = import_id(card_id("paradigm"), NOW - DAY_MS)
    await memory.turn(lambda writer: cards.undo_review(writer, event, by=LIN, at_ms=NOW, zone="UTC"))
    made = await taken(memory, ALL)
    assert not (made.new or made.filled or made.answers)
    assert len(await reviews(memory, "paradigm")) == 1


@pytest.mark.parametrize("number", [0, 5, 946_684_799_999, NOW + 2 * DAY_MS, 1 << 60])
async def test_an_answer_of_no_believable_time_is_left_out(memory: Memory, number: int) -> None:
    made = await taken(memory, piece("set", answers=(Answer(number, 3),)))
    assert made.answers == []


async def test_two_devices_that_took_in_the_same_file_have_the_same_answers(tmp_path: Path) -> None:
    found = []
    for name, device in (("a", bytes(range(16))), ("b", bytes(range(16, 32)))):
        opened = await Box(tmp_path / name, device=device).open()
        await taken(opened, ALL)
        found.append(
            await opened.read(lambda view: view.conn.execute("SELECT key FROM keys WHERE map = 'v'").fetchall())
        )
        await opened.close()
    assert found[0] == found[1] != []


def test_more_than_fit_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_import, "WORDS_MAX", 2)
    with pytest.raises(OverLimit):
        word_import.check([piece("a"), piece("b"), piece("c")])
    word_import.check([piece("a"), piece("b"), piece("A")])  # two words
