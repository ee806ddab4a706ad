"""The nightly tidy of a memory: what it finds, what it notes, and that it changes nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bot.tidying import NIGHTS_KEPT, PROPOSED_MAX, TidyReport, diary, look, nights, tidy
from store.memory import Memory
from store.model import AccountID, Draft, EntryKind, Origin, Source
from store.recall import Question, recall
from store.writer import Writer
from tests.store.memories import DEVICE, Box, hear

ZONE = "Asia/Shanghai"
NIGHT = datetime(2024, 5, 26, 19, 0, tzinfo=UTC)
"""03:00 of 27 May in Shanghai."""
LIN = AccountID("terminal:lin")
THINGS = ("spare key", "bicycle pump", "old camera", "sewing box", "travel plug", "spare fuse", "paint tin", "tool box",
          "garden hose", "door stop", "fire blanket")  # fmt: skip


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with Box(tmp_path / "here").opened() as memory:
        yield memory


def keep(writer: Writer, text: str, day: int, *, origin: Origin = Origin.SAID, hour: int = 1) -> str:
    at_ms = int(datetime(2024, 5, day, hour, tzinfo=UTC).timestamp() * 1000)
    return writer.remember(
        Draft(text, EntryKind.FACT), at_ms=at_ms, zone=ZONE, author=LIN, source=Source("terminal", "lin", ""),
        origin=origin, lang="en",
    ).id  # fmt: skip


async def say(memory: Memory, text: str, *days: int, origin: Origin = Origin.SAID) -> None:
    await memory.turn(lambda writer: [keep(writer, text, day, origin=origin) for day in days])


KEY = "the spare key hangs behind the blue door"


def proposed(report: TidyReport) -> list[str]:
    return [one.first.draft.text for one in report.proposed]


async def test_a_night_proposes_and_notes_and_changes_nothing(memory: Memory) -> None:
    await say(memory, KEY, 21, 23, 26)
    before = await memory.read(lambda view: view.newest_change())
    report = await tidy(memory, NIGHT, ZONE)
    assert proposed(report) == [KEY] and [one.day for one in report.proposed[0].entries] == [
        "2024-05-21",
        "2024-05-23",
        "2024-05-26",
    ]
    assert await memory.read(lambda view: view.newest_change()) == before
    assert await memory.read(nights) == [date(2024, 5, 27)]


async def test_a_dry_run_notes_nothing(memory: Memory) -> None:
    await say(memory, KEY, 21, 23, 26)
    assert proposed(await tidy(memory, NIGHT, ZONE, dry_run=True)) == [KEY]
    assert await memory.read(nights) == []


async def test_twice_is_once(memory: Memory) -> None:
    await say(memory, KEY, 21, 23, 26)
    first = await tidy(memory, NIGHT, ZONE)
    note = await memory.read(lambda view: view.note("tidy/2024-05-27"))
    assert await tidy(memory, NIGHT, ZONE) == first
    assert await memory.read(lambda view: view.note("tidy/2024-05-27")) == note


async def test_the_day_that_has_begun_is_not_looked_at(memory: Memory) -> None:
    """Whether the night runs at three or is made up for at noon, it finds the same."""
    await say(memory, KEY, 21, 23)
    await memory.turn(lambda writer: keep(writer, KEY, 26, hour=17))
    await memory.turn(lambda writer: keep(writer, "git push --force origin main", 26, hour=17))
    report = await tidy(memory, NIGHT, ZONE)
    assert proposed(report) == [] and report.left == {}
    assert (await tidy(memory, NIGHT.replace(hour=3, day=27), ZONE)).night == date(2024, 5, 27)


async def test_two_devices_that_hold_the_same_propose_the_same(memory: Memory, tmp_path: Path) -> None:
    await say(memory, KEY, 21, 23, 26)
    await say(memory, "we ship on Tuesdays and never on a Friday", 20, 22, 25)
    other_device = bytes(range(16, 32))
    async with Box(tmp_path / "there", seed="there", device=other_device).opened() as other:
        await hear(other, memory, DEVICE)
        here, there = await tidy(memory, NIGHT, ZONE), await tidy(other, NIGHT, ZONE)
        assert [one.first.id for one in here.proposed] == [one.first.id for one in there.proposed]
        assert here.left == there.left and len(here.proposed) == 2


async def test_at_most_eight_a_night_the_oldest_first(memory: Memory) -> None:
    for number, thing in enumerate(THINGS):
        await say(memory, f"the {thing} is kept in drawer number {number}", 14 + number % 3, 18, 20)
    report = await tidy(memory, NIGHT, ZONE)
    assert len(report.proposed) == PROPOSED_MAX and report.waiting == len(THINGS) - PROPOSED_MAX
    ages = [one.first.at_ms for one in report.proposed]
    assert ages == sorted(ages)


async def test_what_was_said_long_ago_is_counted_but_must_be_said_again(memory: Memory) -> None:
    await say(memory, KEY, 1, 2)
    assert proposed(await tidy(memory, NIGHT, ZONE)) == []
    await say(memory, KEY, 26)
    report = await tidy(memory, NIGHT, ZONE)
    assert proposed(report) == [KEY] and len(report.proposed[0].entries) == 3


@pytest.mark.parametrize("origin", [Origin.FORWARDED, Origin.IMPORTED, Origin.AGENT])
async def test_what_no_person_said_makes_nothing_more_often_said(memory: Memory, origin: Origin) -> None:
    await say(memory, KEY, 21, 23)
    await say(memory, KEY, 24, 25, 26, origin=origin)
    report = await tidy(memory, NIGHT, ZONE)
    assert proposed(report) == [] and report.left["origin"] == 3


async def test_answers_and_thanks_never_become_entries(memory: Memory) -> None:
    """Fifty answers out of memory, kept as talk, and what people say to them."""

    def talk(writer: Writer) -> None:
        keep(writer, KEY, 20)
        for number in range(50):
            writer.keep_turn(
                chat="terminal:lin", account=LIN, at_ms=int(NIGHT.timestamp() * 1000) - 86_400_000 - number, zone=ZONE,
                kind="talk", text=("ok", "thanks", "好的")[number % 3], reply=f"You said: “{KEY}”",
            )  # fmt: skip

    await memory.turn(talk)
    report = await tidy(memory, NIGHT, ZONE)
    assert proposed(report) == [] and await memory.read(lambda view: view.count()) == 1


async def test_the_diary_is_ids_and_numbers_and_nothing_reads_it(memory: Memory) -> None:
    await say(memory, KEY, 21, 23, 26)
    await say(memory, "the old camera lies in the third drawer", 25, 26)
    await say(memory, "git push --force origin main", 26)
    await tidy(memory, NIGHT, ZONE)
    rows = await memory.read(
        lambda view: view.conn.execute("SELECT value FROM copy WHERE key LIKE 'note/tidy/%'").fetchall()
    )
    assert len(rows) == 1 and not any(word in rows[0][0] for word in ("spare", "camera", "push"))
    noted = await memory.read(lambda view: diary(view, date(2024, 5, 27)))
    assert len(noted.proposed) == len(noted.nearly) == 1 and noted.left == {"code": 1}
    again = await memory.read(lambda view: look(view, date(2024, 5, 28)))
    assert proposed(again) == [KEY]
    answer = await memory.read(lambda view: recall(view, Question("tidy diary proposed nearly", date(2024, 5, 27))))
    assert answer.entries == ()


async def test_only_so_many_nights_are_kept(memory: Memory) -> None:
    for day in range(1, NIGHTS_KEPT + 6):
        when = datetime(2024, 6, 1, 19, 0, tzinfo=UTC).timestamp() + day * 86_400
        await tidy(memory, datetime.fromtimestamp(when, UTC), ZONE)
    kept = await memory.read(nights)
    assert len(kept) == NIGHTS_KEPT and kept[0] == date(2024, 7, 7)
