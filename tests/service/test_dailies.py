"""What comes once a day, on Telegram: from the speaker only, once a day, and to a person rather than to an empty seat."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot import running
from bot.app import OWNER
from bot.ports import Listening
from bot.speaker import Speaker
from tests.fakes import FakeClock
from tests.service.test_reminders import clock, name_speaker, rung, states, until
from tests.service.world import START, telegram

pytestmark = pytest.mark.net

MORNING = "Good morning, Tue 28 May."


async def test_it_leaves_once_a_day_whatever_restarts(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home", FakeClock(START)) as world:
        await world.says(world.lin, "/digest 09:00")
        assert await rung(world, "05-28T08:59") == []
        (one,) = await rung(world, "05-28T09:00")
        assert one.startswith(MORNING)
        for _ in range(2):
            await world.stop()
            await world.start()
            await until(world, Listening.OPEN)
            assert await rung(world, "05-28T09:01") == []
        assert len(await rung(world, "05-29T09:00")) == 1
        assert set(await states(world)) == {("sent", "")}


async def test_who_blocked_the_bot_gets_it_when_they_are_back_and_the_others_in_time(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        for person in (world.lin, world.noor):
            await world.says(person, "/digest 09:00")
        world.noor.blocks()
        await world.settle()
        assert len(await rung(world, "05-28T09:00")) == 1
        world.noor.unblocks()
        await world.settle()
        await world.says(world.noor, "/status")
        (late,) = await rung(world, "05-28T09:30", world.noor)
        assert late.startswith(MORNING)
        assert len(await rung(world, "05-29T09:00", world.noor)) == 1


async def test_the_day_of_a_takeover_belongs_to_the_device_that_spoke_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LOOK_EVERY_S", 0.01)
    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "/digest 09:00")
        await name_speaker(world, "ff" * 16)
        await until(world, Listening.STANDBY)
        world.clock.set(clock("05-28T08:00"))
        await Speaker(world.app.home, OWNER).take_over()
        await until(world, Listening.OPEN)
        assert await rung(world, "05-28T09:00") == []
        assert ("skipped", "takeover") in await states(world)
        assert len(await rung(world, "05-29T09:00")) == 1


async def test_what_was_asked_for_at_a_terminal_where_nobody_sits_reaches_its_owner_on_telegram(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        terminal = await world.app.session()
        await terminal.say("remind me at 17:00 to eat")
        await terminal.say("/digest 09:00")
        assert await rung(world, "05-27T17:00") == ["eat\nYou asked today for 17:00. T-240527-01"]
        shown: list[str] = []
        world.app.ringing.sit_down(terminal.speaker.chat, lambda reply: shown.append(reply.text))
        assert await rung(world, "05-28T09:00") == []
        assert [text.startswith(MORNING) for text in shown] == [True]


async def test_a_digest_that_may_not_have_arrived_is_asked_about_and_never_sent_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "/digest 13:00")
        world.server.fail("sendMessage", "drop")
        assert await rung(world, "05-27T13:00") == []
        assert await rung(world, "05-27T13:30") == []
        before = len(world.server.sent(world.lin))

        async def broken(*_: object) -> list[object]:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            patch.setattr(world.running.service._reception, "ask_about", broken)
            await world.says(world.lin, "board")
        assert [one.text for one in world.server.sent(world.lin)[before:]] == ["The board is clear."], "answered once"
