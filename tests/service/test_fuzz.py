"""Malformed updates cost themselves and nothing else: no exception gets out, and no other chat hears of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from random import Random
from typing import cast

import pytest

from bot.event import Event, pack, unpack
from bot.message import Inbound
from bot.platforms.telegram.client import Client
from bot.platforms.telegram.people import Me
from bot.platforms.telegram.polling import Polling
from bot.ports import BadToken, Listening
from tests.fakes import FakeClock, FakeEntropy
from tests.service.mutated import JSON, mutated, real_updates
from tests.service.world import Telegram, telegram
from tests.waits import until

pytestmark = pytest.mark.net

BATCH = 100


@pytest.fixture(scope="module")
def real() -> list[JSON]:
    return real_updates()


def broken(real: Sequence[JSON], seed: int, count: int) -> Iterator[JSON]:
    dice = Random(seed)
    for number in range(count):
        yield mutated({**dice.choice(real), "update_id": 710_000_000 + number}, dice)


class Line:
    listening = Listening.STARTING
    last_event_at: datetime | None = None
    passed_over = 0
    unreadable = 0


class Batches:
    """A server that has these, then takes the token away."""

    def __init__(self, updates: Iterator[JSON]) -> None:
        self._updates = updates
        self.given = 0

    async def updates_after(self, offset: int | None, timeout_s: int) -> list[JSON]:
        batch = list(islice(self._updates, BATCH))
        if not batch:
            raise BadToken
        self.given += len(batch)
        return batch


class Kept:
    """Every event can be written down and read again."""

    def __init__(self) -> None:
        self.count = 0

    async def __call__(self, events: Sequence[Event]) -> None:
        self.count += len(events)
        for event in events:
            assert unpack(pack(event)) == event
            event.key.encode()
            event.chat.id.encode()
            event.account.encode()
            if isinstance(event, Inbound):
                event.text.encode()


async def read(updates: Iterator[JSON]) -> tuple[Line, int, int]:
    line, server, kept = Line(), Batches(updates), Kept()
    polling = Polling(
        line, cast(Client, server), FakeClock(), FakeEntropy(), poll_s=5, sleep=asyncio.sleep, monotonic=lambda: 0.0
    )
    with pytest.raises(BadToken):
        await polling.run(Me(100000001, "keepbot", "Keep"), kept)
    return line, server.given, kept.count


async def test_every_kind_of_update_is_there_and_readable(real: list[JSON]) -> None:
    kinds = {kind for update in real for kind in update} - {"update_id"}
    assert kinds == {"message", "edited_message", "callback_query", "my_chat_member", "chat_member"}
    line, given, kept = await read(iter(real))
    assert line.unreadable == 0
    assert given == len(real)
    assert kept > len(real) / 2


async def test_500_malformed_updates_are_read_or_left(real: list[JSON]) -> None:
    line, given, kept = await read(broken(real, 1, 500))
    assert given == 500
    assert line.unreadable > 50
    assert kept > 50


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(10))
async def test_50_000_malformed_updates_are_read_or_left(real: list[JSON], seed: int) -> None:
    _, given, _ = await read(broken(real, 1000 + seed, 5000))
    assert given == 5000


# the whole service


async def feed(world: Telegram, updates: Iterator[JSON], log: pytest.LogCaptureFixture) -> None:
    """Until they are done with, or something broke."""
    while batch := list(islice(updates, BATCH)):
        with world.server.world.change():
            for update in batch:
                world.server.raw_update({kind: body for kind, body in update.items() if kind != "update_id"})
        await until(lambda: not world.server.pending or log.records)
        assert shown(log) == []
        async with asyncio.timeout(120):
            await world.running.service.settled()


async def fuzz(home: Path, updates: Iterator[JSON], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    async with telegram(home) as world:
        world.server.wire.check_requests = False  # a chat that a broken update made up is no chat of anybody's
        await world.let_in(world.noor)
        await world.team()
        await world.says(world.noor, "remember the canary is KIWI-7")
        await feed(world, updates, caplog)
        await world.says(world.lin, "remember the last of all")
        receipts = [message.text for message in world.server.sent(world.lin) if "“the last of all”" in message.text]
        assert [text.startswith("Saved") for text in receipts] == [True]
        assert "KIWI-7" in (await world.says(world.noor, "what is the canary?")).text
        told = [event for event in world.server.events if "KIWI" in str(event.params)]
        assert {event.params["chat_id"] for event in told} == {5002}
        assert world.platform.listening is Listening.OPEN
    assert shown(caplog) == []


def shown(log: pytest.LogCaptureFixture) -> list[str]:
    return [f"{record.getMessage()}: {record.exc_info and record.exc_info[1]!r}" for record in log.records]


def of_others(updates: Iterator[JSON]) -> Iterator[JSON]:
    """Without those that Noor is the author of: she may do as she likes with her own canary."""
    return (update for update in updates if "5002" not in str(update))


async def test_malformed_updates_stop_nobody(
    real: list[JSON], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await fuzz(tmp_path / "home", of_others(broken(real, 2, 300)), caplog)


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_5_000_malformed_updates_stop_nobody(
    real: list[JSON], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await fuzz(tmp_path / "home", of_others(broken(real, 3, 5000)), caplog)


async def test_a_text_that_is_hard_to_read_is_answered_in_time(tmp_path: Path) -> None:
    """B22: texts made to slow a reader down; a chat behind them is answered all the same."""
    hard = (
        "remember " + "((((((((((" * 400,
        "/find " + "a" * 4000 + "!",
        "remember " + "下周三上午九点半" * 400,
        "remind me " + "every other day at 9 " * 190,
        "“" * 4000,
        "@keepbot " * 450,
        "remember " + "password is " * 300,
        " " * 4000 + "x",
    )
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        with world.server.world.change():
            for text in hard:
                world.lin.writes(text)
            world.noor.writes("remember the boat is blue")
        await world.server.until(
            lambda: any(message.text.startswith("Saved") for message in world.server.sent(world.noor)), 20
        )
        async with asyncio.timeout(60):
            await world.running.service.settled()
        assert len(world.server.sent(world.lin)) > len(hard)


async def test_one_wild_number_gives_up_nothing_that_is_still_to_come(real: list[JSON]) -> None:
    asked: list[int | None] = []

    class Server(Batches):
        async def updates_after(self, offset: int | None, timeout_s: int) -> list[JSON]:
            asked.append(offset)
            return await super().updates_after(offset, timeout_s)

    batch = [{**update, "update_id": 700 + place} for place, update in enumerate(real[:5])]
    batch[2]["update_id"] = 10**18
    polling = Polling(
        Line(), cast(Client, Server(iter(batch))), FakeClock(), FakeEntropy(), poll_s=5, sleep=asyncio.sleep,
        monotonic=lambda: 0.0,
    )  # fmt: skip
    with pytest.raises(BadToken):
        await polling.run(Me(100000001, "keepbot", "Keep"), Kept())
    assert asked[-1] == 705
