"""What was said unasked: one row a slot, and what its delivery is the slot is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store import slots
from store.db import Database
from store.model import Slot, SlotState
from store.outbox import Departure, Outbox, Queued
from store.schema import DEVICE_MIGRATIONS
from store.slots import KEPT_MS, Slots
from store.together import Together
from tests.fakes import FakeClock

ONE = Slot("p", "reminder/A/1", "2024-05-27")
TWO = Slot("p", "reminder/B/1", "2024-05-27")
DEPARTURE = Departure("telegram", "1", "telegram:5", "", b"{}")


class Rows:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = FakeClock(datetime(2024, 5, 27, 2, tzinfo=UTC))
        together = Together(database)
        self.outbox = Outbox(together, self.clock)
        self.slots = Slots(together, self.clock)

    async def leave(self, *slots: Slot, skipped: tuple[Slot, ...] = ()) -> Queued:
        taking = self.slots.leaving([(one, "mark") for one in slots], [(one, "") for one in skipped], "late")
        *_, last = await self.outbox.put([DEPARTURE, DEPARTURE], also=taking)
        return last

    async def state(self, slot: Slot) -> tuple[SlotState, str] | None:
        found = await self.slots.of_kinds([slot.kind.rpartition("/")[0] + "/"])
        return next(((one.state, one.reason) for one in found if one.slot == slot), None)


@pytest.fixture
async def rows(tmp_path: Path) -> AsyncIterator[Rows]:
    database = await Database.open(tmp_path / "device.db", DEVICE_MIGRATIONS, backups=tmp_path / "backups")
    yield Rows(database)
    await database.close()


async def test_a_slot_is_what_its_delivery_is(rows: Rows) -> None:
    row = await rows.leave(ONE, TWO)
    assert await rows.state(ONE) == await rows.state(TWO) == (SlotState.SENDING, "")
    await rows.outbox.sending(row.pos)
    assert await rows.state(ONE) == (SlotState.SENDING, "")
    await rows.outbox.queued(row.pos)
    assert await rows.state(ONE) == (SlotState.SENDING, "")
    await rows.outbox.uncertain(row.pos, "telegram:5")
    assert await rows.state(ONE) == await rows.state(TWO) == (SlotState.UNCERTAIN, "")
    await rows.outbox.again(row.pos, chat="telegram:5")
    assert await rows.state(ONE) == (SlotState.SENDING, "")
    await rows.outbox.sent(row.pos, "7")
    assert await rows.state(ONE) == await rows.state(TWO) == (SlotState.SENT, "")


async def test_what_the_platform_never_takes_is_skipped(rows: Rows) -> None:
    row = await rows.leave(ONE)
    await rows.outbox.failed(row.pos, "blocked by the user")
    assert await rows.state(ONE) == (SlotState.SKIPPED, "undelivered")


async def test_another_delivery_changes_no_slot(rows: Rows) -> None:
    row = await rows.leave(ONE)
    await rows.outbox.sent(row.pos - 1)
    assert await rows.state(ONE) == (SlotState.SENDING, "")


async def test_what_was_left_in_the_middle_is_uncertain_after_a_start(rows: Rows) -> None:
    row = await rows.leave(ONE)
    await rows.outbox.sending(row.pos)
    await rows.slots.keep([(TWO, "")], SlotState.SENDING)
    await rows.outbox.begin()
    await rows.slots.begin()
    assert await rows.state(ONE) == await rows.state(TWO) == (SlotState.UNCERTAIN, "")


async def test_what_still_waits_to_leave_stays_so_after_a_start(rows: Rows) -> None:
    await rows.leave(ONE)
    assert len(await rows.outbox.begin()) == 2
    await rows.slots.begin()
    assert await rows.state(ONE) == (SlotState.SENDING, "")


async def test_what_was_sent_stays_so(rows: Rows) -> None:
    await rows.slots.keep([(ONE, "")], SlotState.SENT)
    for state in (SlotState.DUE, SlotState.SENDING, SlotState.SKIPPED):
        await rows.slots.keep([(ONE, "")], state, "late")
        assert await rows.state(ONE) == (SlotState.SENT, "")


async def test_what_waits_or_was_too_late_may_still_be_said(rows: Rows) -> None:
    await rows.slots.keep([(ONE, "")], SlotState.DUE)
    await rows.leave(ONE, skipped=(TWO,))
    assert await rows.state(ONE) == (SlotState.SENDING, "")
    assert await rows.state(TWO) == (SlotState.SKIPPED, "late")
    row = await rows.leave(TWO)
    await rows.outbox.sent(row.pos)
    assert await rows.state(TWO) == (SlotState.SENT, "")


async def test_kinds_are_found_by_their_beginning_alone(rows: Rows) -> None:
    near = [Slot("p", kind, "2024-05-27") for kind in ("reminder/A0/1", "reminder/A", "reminder/A./1", "words")]
    await rows.slots.keep([(one, "m") for one in (ONE, *near)], SlotState.SENT)
    assert [one.slot for one in await rows.slots.of_kinds(["reminder/A/"])] == [ONE]


async def test_they_are_kept_for_longer_than_anything_is_told(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number as well, so that a clock that is years ahead forgets nothing of what was sent."""
    await rows.slots.keep([(ONE, "")], SlotState.SENT)
    rows.clock.advance(timedelta(milliseconds=KEPT_MS + 1))
    await rows.slots.keep([(TWO, "")], SlotState.SENT)
    await rows.slots.tidy()
    assert await rows.state(ONE) is not None
    monkeypatch.setattr(slots, "KEPT_ROWS", 1)
    rows.clock.advance(timedelta(milliseconds=-1))
    await rows.slots.tidy()
    assert await rows.state(ONE) is not None
    rows.clock.advance(timedelta(milliseconds=1))
    await rows.slots.tidy()
    assert await rows.state(ONE) is None
    assert await rows.state(TWO) is not None
