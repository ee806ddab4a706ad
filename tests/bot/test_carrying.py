"""What is carried while a talk is on, and at its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot import carrying
from bot.own_device import OwnDevice
from tests.bot.household import Household, household

Pair = tuple[Household, OwnDevice, OwnDevice]


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    async with household(tmp_path) as world:
        home, phone = await world.device("home"), await world.device("phone")
        await world.pair(home, phone)
        yield world, home, phone


async def test_the_last_words_of_a_talk_go_out_at_its_end(pair: Pair) -> None:
    world, home, phone = pair
    await world.say(home, "remember the key is under the mat")
    await carrying.finish(home)
    await phone.sync()
    assert "under the mat" in await world.say(phone, "where is the key?")


async def test_the_end_of_a_talk_needs_no_folder(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    world, home, phone = pair
    world.shared.rename(world.root / "away")
    await carrying.finish(home)
    (world.root / "away").rename(world.shared)

    async def never() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(carrying, "LAST_S", 0.0)
    monkeypatch.setattr(home, "sync", never)
    await carrying.finish(home)
    await phone.home.device.keep_note("folder", "")
    monkeypatch.setattr(phone, "sync", never)
    await carrying.finish(phone)


async def test_passes_go_on_and_are_rarer_while_the_folder_is_away(pair: Pair) -> None:
    world, home, phone = pair
    waits: list[float] = []
    await world.say(home, "remember the key is under the mat")

    async def pause(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            world.shared.rename(world.root / "away")
        if len(waits) == 5:
            (world.root / "away").rename(world.shared)
        if len(waits) > 6:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await carrying.go_on(home, pause)
    assert waits == [2.0, 2.0, 4.0, 8.0, 16.0, 2.0, 2.0]
    await phone.sync()
    assert "under the mat" in await world.say(phone, "where is the key?")
