"""Reminders on two devices of one owner: told where it was asked for, and no more once the other one has done it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from bot.message import Reply
from bot.ringing import Ringing
from tests.flow.pair import Pair


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    async with Pair(tmp_path, "en") as made:
        yield made


class Ear:
    """Somebody at the terminal of that device."""

    def __init__(self, pair: Pair, name: str) -> None:
        self.person = pair.on(name)
        self._heard: list[Reply] = []
        gateway = self.person.session._handle.__self__  # type: ignore[attr-defined]
        self._ringing = Ringing(pair.device(name).home, gateway, clock=pair.clock, zone="Asia/Shanghai")
        self._ringing.sit_down(self.person.session.speaker.chat, self._heard.append)

    async def hears(self) -> list[str]:
        self._heard.clear()
        await self._ringing.tick()
        return [reply.text for reply in self._heard]


async def test_it_is_told_at_the_terminal_where_it_was_asked_for(pair: Pair) -> None:
    home, phone = Ear(pair, "home"), Ear(pair, "phone")
    await home.person.say("/tz Shanghai")
    await home.person.say("remind me at 17:00 to eat")
    await pair.sync()
    assert "eat · today 17:00" in await phone.person.say("/tasks")
    pair.clock.set(datetime.fromisoformat("2024-05-27T17:00+08:00"))
    assert await phone.hears() == []
    (told,) = await home.hears()
    assert told.startswith("eat\nYou asked today for 17:00. T-240527-")


async def test_what_was_done_or_moved_on_the_other_device_is_not_told(pair: Pair) -> None:
    home, phone = Ear(pair, "home"), Ear(pair, "phone")
    await home.person.say("/tz Shanghai")
    for what in ("eat", "drink", "sleep"):
        await home.person.say(f"remind me at 17:00 to {what}")
    assert await home.hears() == []
    await pair.sync()
    await phone.person.say("done T-240527-01")
    await phone.person.press_action(f"when {await task(pair, 'drink')}")
    assert "reminder: today 18:00" in await phone.person.say("at 18:00")
    await pair.sync()
    pair.clock.set(datetime.fromisoformat("2024-05-27T17:00+08:00"))
    (told,) = await home.hears()
    assert told.startswith("sleep\n")
    pair.clock.set(datetime.fromisoformat("2024-05-27T18:00+08:00"))
    assert await home.hears() == [], "who changes the time says where, too"
    (told,) = await phone.hears()
    assert told.startswith("drink\n")


async def task(pair: Pair, title: str) -> str:
    tasks = await pair.device("home").memory.read(lambda view: view.tasks(done=False))
    return next(one.id for one in tasks if one.title == title)


async def test_once_the_terminal_that_was_asked_is_out_of_use_exactly_one_device_tells_it(pair: Pair) -> None:
    home, phone = Ear(pair, "home"), Ear(pair, "phone")
    await home.person.say("/tz Shanghai")
    await home.person.say("remind me at 17:00 to eat")
    eat = await task(pair, "eat")
    await pair.set_on("home", eat, "ring", ["terminal:terminal:owner", "", "00ff" * 4])  # a device that is gone
    await pair.sync()
    pair.clock.set(datetime.fromisoformat("2024-05-27T17:00+08:00"))
    assert len([*await home.hears(), *await phone.hears()]) == 1
    assert [*await home.hears(), *await phone.hears()] == []


async def test_a_removed_device_tells_nothing_any_more(pair: Pair) -> None:
    home, phone = Ear(pair, "home"), Ear(pair, "phone")
    await phone.person.say("/tz Shanghai")
    await phone.person.say("remind me at 17:00 to eat")
    await phone.person.say("/digest 18:00")
    await pair.sync()
    await pair.remove("phone")
    await pair.sync()
    pair.clock.set(datetime.fromisoformat("2024-05-27T18:00+08:00"))
    assert await phone.hears() == []
    told = await home.hears()
    assert [text.split("\n")[0] for text in told] == ["eat", "Good morning, Mon 27 May."]
