"""The outbox: what was on its way when the program ended is asked about, never sent again by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from store.device import Device
from store.inbox import Arrival, Inbox
from store.outbox import Departure, Outbox, drop_undelivered
from store.together import Together
from tests.fakes import FakeClock, FakeEntropy
from tests.faults.raising import Plan, factory_of

HERE, THERE = "telegram:5", "telegram:6"


def to(chat: str, words: str = "hello", answers: str = "") -> Departure:
    return Departure("telegram", "7", chat, answers, words.encode())


@dataclass(slots=True)
class Post:
    outbox: Outbox
    inbox: Inbox
    together: Together
    clock: FakeClock
    plan: Plan

    async def rows(self) -> list[tuple[int, str, bytes, str]]:
        def read(conn: sqlite3.Connection) -> list[tuple[int, str, bytes, str]]:
            return conn.execute("SELECT pos, state, payload, reason FROM outbox ORDER BY pos").fetchall()

        return await self.together.read(read)

    async def states(self) -> list[str]:
        return [state for _, state, _, _ in await self.rows()]


@asynccontextmanager
async def post(home: Path) -> AsyncIterator[Post]:
    plan = Plan()
    device = await Device.open(home, device_id=bytes(range(16)), entropy=FakeEntropy(), factory=factory_of(plan))
    together, clock = Together(device.database), FakeClock()
    try:
        yield Post(Outbox(together, clock), Inbox(together, clock), together, clock, plan)
    finally:
        await device.close()


async def test_what_was_queued_is_still_to_leave_after_a_restart(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        queued = await box.outbox.put([to(HERE, "one"), to(THERE, "two"), to(HERE, "three")])
        assert [one.departure.payload for one in queued] == [b"one", b"two", b"three"]
    async with post(tmp_path) as box:
        assert await box.outbox.begin() == queued


async def test_an_answer_and_the_end_of_its_message_are_one_transaction(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        (kept,) = await box.inbox.receive([Arrival("telegram", "7", "e", "e", HERE, b"question")])
        box.plan.begin(0, only="COMMIT")
        await box.outbox.put([to(HERE, answers="e")], handled=[kept.pos])
        assert box.plan.counted == 1
        assert await box.inbox.waiting() == []
        await box.outbox.put([], handled=[kept.pos])
        assert await box.states() == ["queued"]


async def test_what_was_on_its_way_is_uncertain_after_a_restart(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        first, second, third, fourth = await box.outbox.put([to(HERE, word) for word in "abcd"])
        await box.outbox.sending(first.pos)
        await box.outbox.sending(second.pos)
        await box.outbox.sent(second.pos, "41")
        await box.outbox.sending(third.pos)
        await box.outbox.queued(third.pos)
    async with post(tmp_path) as box:
        assert await box.outbox.begin() == [third, fourth]
        assert await box.states() == ["uncertain", "sent", "queued", "queued"]
        assert await box.outbox.begin() == [third, fourth]


async def test_what_left_keeps_no_words_and_is_found_by_what_it_answered(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        first, second, bad = await box.outbox.put([to(HERE, answers="m"), to(HERE, answers="m"), to(HERE)])
        await box.outbox.sent(first.pos, "41")
        assert await box.outbox.message_of("m") == "41"
        await box.outbox.sent(second.pos, "42")
        await box.outbox.failed(bad.pos, "blocked")
        assert await box.outbox.message_of("m") == "42"
        assert await box.outbox.message_of("") == ""
        assert await box.outbox.message_of("other") == ""
        assert [row[1:] for row in await box.rows()] == [
            ("sent", b"", ""),
            ("sent", b"", ""),
            ("failed", b"", "blocked"),
        ]


async def test_each_uncertain_one_is_asked_about_once_in_its_own_chat(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        here, there = await box.outbox.put([to(HERE), to(THERE)])
        for one in (here, there):
            await box.outbox.uncertain(one.pos, one.departure.chat)
        assert await box.outbox.ask_about(HERE) == [here]
        assert await box.outbox.ask_about(HERE) == []
        assert await box.outbox.ask_about(THERE) == [there]


async def test_it_is_sent_again_once_and_only_at_the_word_of_its_own_chat(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        (one,) = await box.outbox.put([to(HERE)])
        await box.outbox.uncertain(one.pos, HERE)
        assert await box.outbox.again(one.pos, chat=THERE) == []
        await box.outbox.arrived(one.pos, chat=THERE)
        assert await box.states() == ["uncertain"]
        assert await box.outbox.again(one.pos, chat=HERE) == [one]
        assert await box.outbox.again(one.pos, chat=HERE) == []
        assert await box.states() == ["queued"]
        await box.outbox.uncertain(one.pos, HERE)
        assert await box.outbox.ask_about(HERE) == [one]
        await box.outbox.arrived(one.pos, chat=HERE)
        assert await box.outbox.again(one.pos, chat=HERE) == []
        assert [row[1:] for row in await box.rows()] == [("sent", b"", "")]


async def test_what_waits_for_a_chat_that_moved_is_for_its_new_name(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        queued, uncertain, gone = await box.outbox.put([to(HERE), to(HERE), to(HERE)])
        await box.outbox.uncertain(uncertain.pos, HERE)
        await box.outbox.sent(gone.pos)
        await box.outbox.moved(HERE, THERE)
        assert [one.departure.chat for one in await box.outbox.begin()] == [THERE]
        assert [one.pos for one in await box.outbox.ask_about(THERE)] == [uncertain.pos]
        assert queued.pos != uncertain.pos


async def test_after_seven_days_only_what_is_still_to_leave_is_kept(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        queued, sent, failed, uncertain = await box.outbox.put([to(HERE) for _ in range(4)])
        await box.outbox.sent(sent.pos)
        await box.outbox.failed(failed.pos, "blocked")
        await box.outbox.uncertain(uncertain.pos, HERE)
        box.clock.advance(timedelta(days=7))
        await box.outbox.tidy()
        assert len(await box.rows()) == 4
        box.clock.advance(timedelta(milliseconds=1))
        await box.outbox.tidy()
        assert [row[0] for row in await box.rows()] == [queued.pos]


async def test_erased_words_are_in_no_row_that_waits_for_nobody(tmp_path: Path) -> None:
    async with post(tmp_path) as box:
        queued, uncertain = await box.outbox.put([to(HERE, "secret"), to(HERE, "secret")])
        await box.outbox.uncertain(uncertain.pos, HERE)
        await box.together.write(drop_undelivered)
        assert [row[2] for row in await box.rows()] == [b"secret", b""]
        assert queued.pos < uncertain.pos
