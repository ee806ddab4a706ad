"""Cards and reviews go along: out and in as exact lines, into another memory, through a new foundation and a backup."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import backup, exports, importing, unpacking
from store.cards import (
    LISTED,
    add_card,
    all_reviews,
    answer_id,
    card,
    card_id,
    cards,
    events,
    grade,
    import_id,
    keep_reviews,
    reviews,
    set_card,
    undo_review,
)
from store.changes import record_key
from store.examine import examine_memory
from store.fold import card_value
from store.foreign import Foreign
from store.formats import detect
from store.formats.files import File
from store.grants import PrivateClaim, grant
from store.import_plan import plan
from store.importing import Hand, apply
from store.memory import Memory
from store.model import Card, CardState, EntryID, Review, ReviewKind, ScopeKind
from store.view import View
from store.writer import Writer
from tests.fakes import FakeEntropy
from tests.store.homes import OWNER, Place
from tests.store.memories import HERE, LIN, PAST_UNDO, Box, forget, hear, look_inside, remember
from tests.store.snapshot import snapshot

DAY = "2024-05-27"
WORD, OTHER = card_id("paradigm"), card_id("serendipity")
PHONE = bytes(range(16, 32))


def answer(writer: Writer, rating: int, n: int, word: str = WORD, *, at_ms: int | None = None) -> bool:
    return grade(writer, Review(
        answer_id(word, DAY, n), EntryID(word), rating, at_ms or writer.now_ms, zone="Asia/Shanghai", took_ms=700, slot=DAY, by=LIN,
    ))  # fmt: skip


def learn(writer: Writer) -> None:
    """Two words, one of them answered, taken back, answered again; one with the log of another program; one removed."""
    for word, fields in (
        ("paradigm", {"meaning": "范式", "tags": ("cet6",), "order": 3}),
        ("serendipity", {}),
        ("gone", {}),
    ):
        add_card(writer, word, by=LIN, at_ms=writer.now_ms, **fields)  # type: ignore[arg-type]
    set_card(writer, card_id("gone"), by=LIN, state=CardState.REMOVED)
    answer(writer, 1, 1)
    undo_review(writer, answer_id(WORD, DAY, 1), by=LIN, at_ms=writer.now_ms, zone="UTC")
    answer(writer, 3, 2)
    log = [writer.now_ms - days * 86_400_000 for days in (90, 40)]
    keep_reviews(
        writer, [Review(import_id(OTHER, at), EntryID(OTHER), 4, at, kind=ReviewKind.IMPORT, by=LIN) for at in log]
    )
    writer.set(
        "settings",
        "fsrs",
        {"again": [600], "engine": "fsrs-6.3", "parameters": ["0.2"], "retention": "0.9", "steps": []},
        by=LIN,
    )
    writer.set("settings", "words_place", ["telegram:7", "", "aa" * 8], by=LIN)
    remember(writer, "tea")


def learned(view: View) -> tuple[list[Card], list[Review], list[Review]]:
    every = cards(view, states=[*LISTED, CardState.REMOVED])
    return every, all_reviews(view), [one for found in every for one in events(view, found.id)]


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path / "home")


@pytest.fixture
async def memory(box: Box) -> AsyncIterator[Memory]:
    async with box.opened() as opened:
        await opened.turn(learn)
        yield opened


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[Memory]:
    async with Box(tmp_path / "empty", seed="empty", device=PHONE).opened() as opened:
        yield opened


# exact lines


async def written_out(memory: Memory) -> bytes:
    return "\n".join(await memory.read(lambda view: list(exports.exact(view)))).encode()


async def imported(memory: Memory, data: bytes) -> Any:
    reading = detect.read([File("m.jsonl", data)])
    assert reading.troubles == []

    def run(writer: Writer) -> Any:
        made = plan(writer, reading, scope=memory.scope)
        hand = Hand(LIN, "UTC", writer.new_id(writer.now_ms), lambda text: "en")
        return made, apply(writer, made, hand)

    return await memory.turn(run)


async def test_exact_lines_bring_back_every_card_and_every_event(memory: Memory, empty: Memory) -> None:
    data = await written_out(memory)
    await imported(empty, data)
    assert await empty.read(learned) == await memory.read(learned)
    docs = await empty.read(lambda view: dict(view.conn.execute("SELECT doc, keys FROM documents").fetchall()))
    assert {"cards.1", "reviews/2024-05.1", "reviews/2024-02.1", "reviews/2024-04.1"} <= docs.keys()
    register = await empty.read(lambda view: view.register("settings", "fsrs"))
    assert register is not None and isinstance(register.value, dict)
    lines = [json.loads(line) for line in data.splitlines()]
    assert len([line for line in lines if "events" in line]) == 5
    made, _ = await imported(empty, data)
    assert (made.new, made.same) == ([], len(lines)), "a second time there is nothing new"


async def test_where_words_are_said_stays_at_home(memory: Memory, empty: Memory) -> None:
    data = await written_out(memory)
    assert b"telegram:7" not in data and b"words_place" not in data
    await imported(empty, data)
    assert await empty.read(lambda view: view.register("settings", "words_place")) is None


async def test_a_reminder_of_a_task_does_not_keep_the_task_out(memory: Memory, empty: Memory) -> None:
    def remind(writer: Writer) -> None:
        task = writer.add_task("tea", at_ms=writer.now_ms, zone="UTC", author=LIN, source=HERE)
        writer.set(task.id, "due", "2024-06-01T09:00", by=LIN)
        writer.set(task.id, "ring", ["telegram:7", "", "aa" * 8], by=LIN)

    await memory.turn(remind)
    await imported(empty, await written_out(memory))
    (task,) = await empty.read(lambda view: view.tasks(done=False))
    assert (task.title, task.due) == ("tea", "2024-06-01T09:00")
    assert await empty.read(lambda view: view.register(task.id, "ring")) is None


async def test_a_card_that_nobody_has_added_is_in_no_file(empty: Memory) -> None:
    await empty.turn(lambda writer: writer.set(WORD, "meaning", "范式", by=LIN))
    await empty.turn(lambda writer: writer.keep([record_key(WORD, card_value("paradigm"))]))
    assert WORD.encode() not in await written_out(empty)


async def taken_back(memory: Memory) -> Any:
    def run(writer: Writer) -> Any:
        found = importing.last_run(writer)
        assert found is not None
        return importing.undo(writer, found, LIN)

    return await memory.turn(run)


async def test_taking_an_import_back_takes_its_cards_and_events_out_of_use(memory: Memory, tmp_path: Path) -> None:
    data = await written_out(memory)
    box = Box(tmp_path / "third", seed="third", device=PHONE)
    async with box.opened() as other:
        await imported(other, data)
        box.clock.advance(timedelta(minutes=1))
        back = await taken_back(other)
        assert back.kept == 0
        assert await other.read(cards) == [] and await other.read(all_reviews) == []
        assert await other.read(lambda view: len(events(view, WORD))) > 0, "an event is never deleted"
        await other.rebuild()
        assert await other.read(cards) == []


async def test_a_card_that_was_answered_since_stays_with_its_events(memory: Memory, tmp_path: Path) -> None:
    data = await written_out(memory)
    box = Box(tmp_path / "third", seed="third", device=PHONE)
    async with box.opened() as other:
        await imported(other, data)
        box.clock.advance(timedelta(minutes=1))
        await other.turn(lambda writer: answer(writer, 3, 7))
        back = await taken_back(other)
        assert back.kept >= 2
        assert [one.word for one in await other.read(cards)] == ["paradigm"]
        assert [one.rating for one in await other.read(lambda view: reviews(view, WORD))] == [3, 3]


# carried, founded anew, rebuilt


async def test_uniting_two_memories_unites_their_cards(memory: Memory, empty: Memory) -> None:
    await empty.turn(
        lambda writer: (add_card(writer, "Paradigm", by=LIN, at_ms=5, pos="n."), answer(writer, 4, 1, OTHER))
    )
    await empty.unite(memory)
    every, counted, _ = await empty.read(learned)
    assert {one.word.lower() for one in every} == {"paradigm", "serendipity", "gone"}
    found = await empty.read(lambda view: card(view, WORD))
    assert found is not None and (found.meaning, found.pos) == ("范式", "n.")
    assert len(counted) == 4
    assert {item.origin for item in await empty.changes_after(0, -1)} == {"own"}, "so it will be sent"
    before = await empty.read(learned)
    await empty.unite(memory)
    assert await empty.read(learned) == before


async def test_erasing_something_founds_cards_and_reviews_anew_as_they_were(box: Box, memory: Memory) -> None:
    before = await memory.read(learned)
    gone = await memory.turn(lambda writer: remember(writer, "the zanzibar code is 4711"))
    await memory.turn(lambda writer: forget(writer, gone.id))
    box.clock.advance(PAST_UNDO)
    assert await memory.erase_due() == 1
    assert await memory.generation() == 2 and await memory.read(learned) == before
    shown = snapshot(box.path)
    await memory.rebuild()
    assert snapshot(box.path) == shown and await memory.read(learned) == before
    await memory.turn(lambda writer: answer(writer, 4, 3))
    assert len(await memory.read(lambda view: reviews(view, WORD))) == 2


async def test_another_devices_new_foundation_keeps_what_only_this_one_has_said(
    box: Box, memory: Memory, empty: Memory
) -> None:
    await hear(empty, memory, box.device)
    await empty.turn(lambda writer: (add_card(writer, "late", by=LIN, at_ms=5), answer(writer, 2, 9)))
    baseline: list[Foreign] = []

    def rows(feed: Any) -> dict[str, bytes | None]:
        baseline.extend(Foreign(item.doc, item.change.data, box.device) for item in feed)
        return {"synced": b"1"}

    await memory.found_anew(2, hidden_before_ms=None, rows=rows, always=True)
    await empty.take_baseline(2, baseline, {"synced": b"1"})
    await hear(memory, empty, PHONE)
    first, second = await memory.read(learned), await empty.read(learned)
    assert first == second and {one.word for one in first[0]} == {"paradigm", "serendipity", "gone", "late"}
    assert sorted(one.rating for one in first[1]) == [2, 3, 4, 4]


async def test_a_device_that_goes_on_as_a_new_one_carries_its_reviews(memory: Memory) -> None:
    before = await memory.read(learned)
    await memory.renew("b", {})
    await memory.carry_lost({})
    assert await memory.read(learned) == before
    await memory.rebuild()
    assert await memory.read(learned) == before


async def test_doctor_rebuilds_and_a_backup_holds_them(tmp_path: Path) -> None:
    place = await Place.filled(tmp_path / "home")
    home = await place.open()
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    await memory.turn(learn)
    before = await memory.read(learned)
    await home.close()
    assert (await place.rebuild()).intact
    now = place.clock.now()
    backup.make(place.path, tmp_path / "b.age", "correct horse", settings=b"", now=now, entropy=FakeEntropy(), log_n=4)
    (tmp_path / "other").mkdir()
    unpacking.unpack(tmp_path / "b.age", "correct horse", tmp_path / "other")
    there = unpacking.new_home(tmp_path / "other") / "scopes" / place.scope
    assert examine_memory(there / "memory.db", place.scope).findings == []
    copy = Box(tmp_path / "third")
    (there / "memory.db").rename(copy.path)
    async with copy.opened() as again:
        assert again.kind is ScopeKind.PRIVATE and await again.read(learned) == before


async def test_a_memory_of_the_program_before_is_brought_up(box: Box) -> None:
    """Schema 2 knew no cards: its tables are made anew from the log, which may hold them from another device."""
    async with box.opened() as memory:
        await memory.turn(learn)
        before, shown = await memory.read(learned), snapshot(box.path)
    with closing(sqlite3.connect(box.path, isolation_level=None)) as conn:
        for table in ("cards", "reviews", "card_memory"):
            conn.execute(f"DROP TABLE {table}")
        conn.execute("PRAGMA user_version = 2")
    async with box.opened() as memory:
        assert await memory.read(learned) == before and snapshot(box.path) == shown
    assert look_inside(box.path, lambda conn: conn.execute("PRAGMA user_version").fetchone()) == (3,)
