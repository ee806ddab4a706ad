"""The inbox: an event is kept once, is handled once, and leaves nothing behind but its key."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from store.device import Device
from store.inbox import Arrival, Inbox, done, drop_parked
from store.outbox import Departure, Outbox
from store.together import Together
from tests.fakes import FakeClock, FakeEntropy

ONE = Arrival("telegram", "7", "telegram:5:1", "telegram:5:1", "telegram:5", b"the words")


@dataclass(slots=True)
class Post:
    inbox: Inbox
    outbox: Outbox
    together: Together
    clock: FakeClock

    async def rows(self) -> list[tuple[str, str, bytes, str]]:
        def read(conn: sqlite3.Connection) -> list[tuple[str, str, bytes, str]]:
            return conn.execute("SELECT event, state, payload, reason FROM inbox ORDER BY pos").fetchall()

        return await self.together.read(read)

    async def end(self, *positions: int) -> None:
        await self.together.write(lambda conn: done(conn, positions))


@asynccontextmanager
async def post(home: Path) -> AsyncIterator[Post]:
    device = await Device.open(home, device_id=bytes(range(16)), entropy=FakeEntropy())
    together, clock = Together(device.database), FakeClock()
    try:
        yield Post(Inbox(together, clock), Outbox(together, clock), together, clock)
    finally:
        await device.close()


def numbered(number: int, *, edit: bool = False) -> Arrival:
    key = f"telegram:5:{number}" + ("/edit/1" if edit else "")
    return replace(ONE, event=key, message="" if edit else key, payload=f"form {number} {edit}".encode())


async def test_what_came_is_there_after_a_restart_in_its_order(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        kept = await box.inbox.receive([numbered(number) for number in (3, 1, 2)])
        assert [one.arrival.event for one in kept] == ["telegram:5:3", "telegram:5:1", "telegram:5:2"]
    async with post(tmp_path) as box:
        assert await box.inbox.waiting() == kept


async def test_an_event_is_kept_once_within_a_batch_and_for_seven_days(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        (kept,) = await box.inbox.receive([ONE, ONE])
        assert await box.inbox.receive([ONE]) == []
        await box.end(kept.pos)
        box.clock.advance(timedelta(days=7))
        await box.inbox.tidy()
        assert await box.inbox.receive([ONE]) == []
        box.clock.advance(timedelta(milliseconds=1))
        await box.inbox.tidy()
        assert await box.rows() == []


async def test_a_new_message_is_kept_once_whichever_way_it_comes(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        await box.inbox.receive([ONE])
        assert await box.inbox.receive([replace(ONE, event="another update")]) == []
        assert len(await box.inbox.receive([replace(ONE, bot="8")])) == 1
        assert len(await box.inbox.receive([replace(ONE, adapter="feishu")])) == 1
        assert len(await box.inbox.receive([numbered(1, edit=True), replace(ONE, event="a press", message="")])) == 2


async def test_what_is_handled_leaves_its_key_and_nothing_it_said(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        first, second = await box.inbox.receive([numbered(1), numbered(2)])
        await box.outbox.put([Departure("telegram", "7", "telegram:5", "", b"hello")], handled=[first.pos])
        assert await box.inbox.waiting() == [second]
        assert (await box.rows())[0] == ("telegram:5:1", "done", b"", "")


async def test_tries_are_counted_and_what_is_parked_waits_no_more(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        (kept,) = await box.inbox.receive([ONE])
        await box.inbox.failed(kept.pos, 2)
        assert [one.tries for one in await box.inbox.waiting()] == [2]
        await box.inbox.park(kept.pos, "ValueError")
        assert await box.inbox.waiting() == []
        await box.end(kept.pos)  # the end of a lane comes too late for it
        (row,) = await box.rows()
        assert (row[1], row[2], row[3]) == ("parked", ONE.payload, "ValueError")
        await box.together.write(drop_parked)
        (row,) = await box.rows()
        assert (row[1], row[2], row[3]) == ("parked", b"", "ValueError")


async def test_a_change_that_comes_before_its_message_waits_for_it(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        (early,) = await box.inbox.receive([numbered(1, edit=True)])
        assert not await box.inbox.came_before(early.pos, "telegram", "7", "telegram:5:1")
        await box.inbox.set_early(early.pos, "telegram:5:1")
        assert await box.inbox.waiting() == []
        assert await box.inbox.receive([numbered(1, edit=True)]) == []
        (newer,) = await box.inbox.receive([replace(numbered(1, edit=True), event="later", payload=b"newer")])
        await box.inbox.set_early(newer.pos, "telegram:5:1")
        (first,) = await box.inbox.receive([numbered(1)])
        assert not await box.inbox.came_before(early.pos, "telegram", "7", "telegram:5:1")
        assert await box.inbox.came_before(first.pos + 1, "telegram", "7", "telegram:5:1")
        assert await box.inbox.take_early("telegram", "7", "telegram:5:2") is None
        assert await box.inbox.take_early("telegram", "7", "telegram:5:1") == b"newer"
        assert await box.inbox.take_early("telegram", "7", "telegram:5:1") is None
        assert {row[1:] for row in await box.rows() if row[0] != "telegram:5:1"} == {("done", b"", "")}


async def test_a_change_that_waits_in_vain_is_let_go_after_ten_minutes(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        (early,) = await box.inbox.receive([numbered(1, edit=True)])
        await box.inbox.set_early(early.pos, "telegram:5:1")
        box.clock.advance(timedelta(minutes=10))
        await box.inbox.tidy()
        assert [row[1] for row in await box.rows()] == ["early"]
        box.clock.advance(timedelta(milliseconds=1))
        await box.inbox.tidy()
        assert await box.rows() == [("telegram:5:1/edit/1", "done", b"", "")]


async def test_tidying_leaves_what_is_not_handled(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        waiting, stuck = await box.inbox.receive([numbered(1), numbered(2)])
        await box.inbox.park(stuck.pos, "ValueError")
        box.clock.advance(timedelta(days=30))
        await box.inbox.tidy()
        assert await box.inbox.waiting() == [waiting]
        assert [row[1] for row in await box.rows()] == ["waiting", "parked"]
        box.clock.advance(timedelta(milliseconds=1))
        await box.inbox.tidy()
        assert [row[1] for row in await box.rows()] == ["waiting"]


async def test_a_change_waits_across_a_restart(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        (early,) = await box.inbox.receive([numbered(1, edit=True)])
        await box.inbox.set_early(early.pos, "telegram:5:1")
    async with post(tmp_path) as box:
        assert await box.inbox.waiting() == []
        assert await box.inbox.take_early("telegram", "7", "telegram:5:1") == early.arrival.payload
