"""One device speaks for a bot; the others stand by until it is their turn."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot import running
from bot.app import OWNER
from bot.ports import Listening
from bot.speaker import Speaker
from store.grants import PrivateClaim, grant
from tests.service.world import Telegram, telegram

pytestmark = pytest.mark.net
BOT = "telegram:100000001"


async def name_speaker(world: Telegram, device: str) -> None:
    """As it would come from another device of the owner."""
    memory = await world.app.home.memory(grant(PrivateClaim(OWNER), world.app.home.device))
    await memory.describe({f"speaker/{BOT}": device})


async def until(world: Telegram, state: Listening) -> None:
    async with asyncio.timeout(10):
        while world.platform.listening is not state:
            await asyncio.sleep(0.001)


async def test_who_listens_first_is_the_speaker(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        speaker = Speaker(world.app.home, OWNER)
        assert await speaker.is_me(BOT)
        await name_speaker(world, "ff" * 16)
        assert not await speaker.is_me(BOT)
        assert await speaker.take_over() == [BOT]
        assert await speaker.is_me(BOT)


async def test_a_device_that_is_not_named_stands_by_and_listens_when_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LOOK_EVERY_S", 0.01)
    async with telegram(tmp_path / "home") as world:
        await name_speaker(world, "ff" * 16)
        await until(world, Listening.STANDBY)
        assert any("Another device speaks for @keepbot" in line for line in world.told)
        world.lin.writes("remember the car is on B2")
        before = len(world.server.sent(world.lin))
        await name_speaker(world, world.app.home.device_id.hex())
        await world.settle()
        assert world.newest(world.lin).text.startswith("Saved")
        assert len(world.server.sent(world.lin)) == before + 1
        (line,) = world.running._lines()
        assert line.ready
