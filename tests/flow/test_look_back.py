"""How the daily words fare: counted a week after they moved, and left in peace where nobody answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.dailies import SAYS
from tests.flow.test_dailies import Ear, ear, rows
from tests.flow.world import World

pytest.importorskip("fsrs", reason="the extra learn is not installed")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as made:
        yield made


async def begin(world: World) -> Ear:
    lin = await ear(world, dict(SAYS))
    await lin.person.say("/vocab on")
    await lin.person.say("/add alpha = a, beta = b, gamma = c, delta = d, epsilon = e, zeta = z")
    return lin


async def day(world: World, lin: Ear, number: int, at: str = "13:00") -> list[str]:
    world.at(f"2024-{'05' if number <= 31 else '06'}-{number if number <= 31 else number - 31:02}T{at}")
    return [text.split("\n")[0] for text in await lin.hears()]


async def answer(lin: Ear) -> None:
    await lin.person.say("/today")
    await lin.person.press("Show answer")
    await lin.person.press("Knew it")


async def test_a_week_after_they_moved_the_answered_days_are_counted_once(world: World) -> None:
    lin = await begin(world)
    await lin.person.say("/vocab new 1")
    await day(world, lin, 27)
    await answer(lin)
    await day(world, lin, 28)
    await lin.person.say("/time 20:00")
    for number in range(29, 34):
        await day(world, lin, number, "20:00")
        if number != 30:
            await answer(lin)
    await day(world, lin, 34, "20:00")
    world.at("2024-06-04T20:00")
    told = [text for text in await lin.hears() if text.startswith("Daily words moved")]
    assert told == [
        "Daily words moved to 20:00 a week ago: you answered on 4 of 7 days (the week at 13:00: 1). Is this a good time? D-2024-05-28-01"
    ]
    world.at("2024-06-05T20:00")
    assert not [text for text in await lin.hears() if text.startswith("Daily words moved")]


async def test_back_to_the_time_before_is_a_decision_too(world: World) -> None:
    lin = await begin(world)
    await lin.person.say("/time 20:00")
    world.at("2024-06-03T20:00")
    lin.sit()
    await lin.hears()
    check = next(reply for reply in lin._heard if reply.text.startswith("Daily words moved"))
    assert [button.label for button in check.buttons] == ["It's good", "Back to 13:00"]
    lin.person.last = check
    reply = await lin.person.press("Back to 13:00")
    assert reply.startswith("Saved · D-2024-06-03-01")
    assert "daily words: 13:00" in await lin.person.say("/settings")
    lin.person.last = check
    assert await lin.person.press("It's good") == "Already done"
    world.at("2024-06-10T20:00")
    assert not [text for text in await lin.hears() if text.startswith("Daily words moved")], "whoever went back knows"


async def test_what_nobody_answers_rests_and_says_one_line_a_week(world: World) -> None:
    lin = await begin(world)
    said = [await day(world, lin, number) for number in range(27, 50)]
    assert [bool(one) for one in said[:4]] == [True] * 4
    silent = said[4:10]
    assert silent == [[]] * 6
    gentle = [one for one in said[4:] if one]
    assert gentle == [["Your words are resting until you like. One card is a fine start."]] * 2
    states = {reason for _, _, reason in await rows(world)}
    assert states == {"", "unanswered"}
    await answer(lin)
    assert [bool(await day(world, lin, number)) for number in (50, 51)] == [True, True]
