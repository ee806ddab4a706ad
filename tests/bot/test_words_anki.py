"""Anki at the other end: what it exports we take in, what we write it takes in, with the progress, and twice is once.

Anki is under the AGPL and no part of niannian: it is here for tests alone, and where it is not installed they are left out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.words_exchange import take_out
from store import cards
from store.cards import card_id
from store.model import CardState, Review
from store.writer import Writer
from tests.bot.test_words_exchange import DAY_MS, NOW_MS, Desk, desk_in, learned
from tests.store.memories import LIN

pytest.importorskip("anki", reason="Anki is not installed; it is needed for tests only")

from anki.collection import (  # type: ignore[import-not-found,unused-ignore]
    Collection,
    ExportAnkiPackageOptions,
    ImportAnkiPackageOptions,
    ImportAnkiPackageRequest,
)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = await desk_in(tmp_path, "one")
    yield made
    await made.memory.close()


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Any]:
    with closing(Collection(str(tmp_path / "anki.anki2"))) as collection:
        yield collection


def into(anki: Any, path: Path) -> tuple[int, int, int]:
    """(new, updated, already there) as Anki counts notes."""
    options = ImportAnkiPackageOptions(with_scheduling=True, merge_notetypes=True)
    log = anki.import_anki_package(ImportAnkiPackageRequest(package_path=str(path), options=options)).log
    assert not (
        log.conflicting or log.first_field_match or log.missing_notetype or log.missing_deck or log.empty_first_field
    )
    return len(log.new), len(log.updated), len(log.duplicate)


def out_of(anki: Any, path: Path, *, legacy: bool) -> Path:
    options = ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, with_media=True, legacy=legacy)
    anki.export_anki_package(out_path=str(path), options=options, limit=None)
    return path


def cards_of(anki: Any) -> dict[str, Any]:
    found = {}
    for number in anki.find_cards(""):
        card = anki.get_card(number)
        found[card.note()["Word"] if "Word" in card.note().keys() else card.note().fields[0]] = card  # noqa: SIM118
    return found


def log_of(anki: Any, card: Any) -> list[tuple[int, int]]:
    rows = anki.db.all("SELECT id, ease FROM revlog WHERE cid = ? ORDER BY id", card.id)
    return [(number, ease) for number, ease in rows]


# out


async def test_anki_takes_our_words_in_with_all_progress_and_the_second_time_nothing(desk: Desk, anki: Any) -> None:
    await learned(desk)
    path = await desk.take_out("out.apkg")
    assert into(anki, path) == (7, 0, 0)
    found = cards_of(anki)
    assert list(found) == ["paradigm", "serendipity", "abandon", "set", "known", "benefit", "lead"]
    for word, card in found.items():
        at = await desk.remembered(word)
        assert [(one.at_ms, one.rating) for one in await desk.reviews(word)] == log_of(anki, card), word
        assert (card.reps, card.lapses) == (at.reps, at.lapses), word
        if at.reps:
            assert card.memory_state.stability == pytest.approx(at.stability, rel=1e-3)
            assert card.memory_state.difficulty == pytest.approx(at.difficulty, rel=1e-2)
    assert {word: (card.type, card.queue) for word, card in found.items()} == {
        "paradigm": (2, 2),
        "serendipity": (3, 1),
        "abandon": (1, 1),
        "set": (0, 0),
        "known": (0, -1),
        "benefit": (0, 0),
        "lead": (0, 0),
    }
    assert {anki.decks.name(card.did) for card in found.values()} == {"念念"}
    assert into(anki, path) == (0, 0, 7)
    assert len(cards_of(anki)) == 7


async def test_what_is_due_there_is_due_on_our_day(desk: Desk, anki: Any) -> None:
    """Anki counts days from its own first one: what stands in the package is moved by as many as lie between."""
    await learned(desk)
    into(anki, await desk.take_out("out.apkg"))
    card = cards_of(anki)["paradigm"]
    at = await desk.remembered("paradigm")
    assert card.ivl == round((at.due_ms - at.last_ms) / DAY_MS)
    due_ms = (anki.crt + card.due * 86_400) * 1000
    assert abs(due_ms - at.due_ms) <= DAY_MS


async def test_markup_and_lines_come_through(desk: Desk, anki: Any) -> None:
    await learned(desk)
    into(anki, await desk.take_out("out.apkg"))
    note = cards_of(anki)["set"].note()
    assert note["Meaning"] == "放 &amp; &lt;置&gt;<br>集合"
    assert note["Example"] == "Set<br>it."
    assert note.tags == ["my_list", "x"]


async def test_a_later_package_brings_what_is_new_and_leaves_cards_that_are_there(desk: Desk, anki: Any) -> None:
    """Anki's own rule: progress comes with new cards only. What was answered since is added where it starts empty."""
    await learned(desk)
    into(anki, await desk.take_out("one.apkg"))
    before = log_of(anki, cards_of(anki)["paradigm"])

    def more(writer: Writer) -> None:
        one = Review(
            cards.answer_id(card_id("paradigm"), "2024-05-27", 1), card_id("paradigm"), 3, NOW_MS - 1_000, by=LIN,
            device=writer.device, slot="2024-05-27",
        )  # fmt: skip
        cards.grade(writer, one)
        cards.add_card(writer, "more", by=LIN, at_ms=NOW_MS)

    await desk.memory.turn(more)
    assert into(anki, await desk.take_out("two.apkg")) == (1, 0, 7)
    assert log_of(anki, cards_of(anki)["paradigm"]) == before


# in


def fill(anki: Any) -> None:
    """Two ways to ask a word, one of them answered; one suspended, one with a picture and a sound."""
    model = anki.models.by_name("Basic (and reversed card)")
    for front, back, tags in (
        ("paradigm", "范式<br>典范", ["cet6"]),
        ("<b>set</b>[sound:set.mp3]", "放", []),
        ("wither", "<img src='w.jpg'>枯萎", ["hard"]),
    ):
        note = anki.new_note(model)
        note["Front"], note["Back"], note.tags = front, back, tags
        anki.add_note(note, 1)
    number = anki.find_cards("paradigm card:1")[0]
    rows = [(NOW_MS - days * DAY_MS, number, -1, ease, 3, 1, 2500, 4000, kind) for days, ease, kind in LOG]
    anki.db.executemany("INSERT INTO revlog VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    anki.sched.suspend_cards(anki.find_cards("wither"))


LOG = ((40, 3, 0), (37, 3, 1), (30, 2, 1), (10, 1, 1), (9, 3, 2))


@pytest.mark.parametrize("legacy", [False, True])
async def test_what_anki_exports_is_taken_in_and_the_second_time_nothing(
    desk: Desk, anki: Any, tmp_path: Path, legacy: bool
) -> None:
    fill(anki)
    path = out_of(anki, tmp_path / "deck.apkg", legacy=legacy)
    seen = await desk.bring_in(path, dry=True)
    assert (seen["new"], seen["answers"], seen["trouble_count"]) == (3, 5, 0)
    assert await desk.bring_in(path) == seen
    found = await desk.cards()
    assert {word: (card.meaning, card.tags, card.state) for word, card in found.items()} == {
        "paradigm": ("范式\n典范", ("cet6",), CardState.ACTIVE),
        "set": ("放", (), CardState.ACTIVE),
        "wither": ("枯萎", ("hard",), CardState.SUSPENDED),
    }
    answers = [(one.at_ms, one.rating) for one in await desk.reviews("paradigm")]
    assert answers == [(NOW_MS - days * DAY_MS, ease) for days, ease, _ in LOG]
    again = await desk.bring_in(path)
    assert (again["new"], again["filled"], again["answers"], again["known"]) == (0, 0, 0, 3)


async def test_there_and_back_there_is_nothing_new_on_either_side(desk: Desk, anki: Any, tmp_path: Path) -> None:
    await learned(desk)
    ours = await desk.take_out("out.apkg")
    into(anki, ours)
    for legacy in (False, True):
        report = await desk.bring_in(out_of(anki, tmp_path / f"back{legacy}.apkg", legacy=legacy))
        assert (report["new"], report["filled"], report["answers"], report["known"]) == (0, 0, 0, 7)
    again = tmp_path / "one" / "again.apkg"
    await take_out(desk._place(), {"path": str(again)}, "test/again")
    assert into(anki, again)[0] == 0
