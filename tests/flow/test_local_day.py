"""B44: the day, its labels and "today" are the person's, never UTC's or the host's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.flow.world import World


@pytest.mark.parametrize(
    ("zone", "moment", "offset", "day", "short", "yesterday"),
    [
        ("America/Montevideo", "2024-05-26T22:06", "-03:00", "2024-05-26", "Sun 26 May", "Sat 25 May"),
        ("Asia/Shanghai", "2024-05-28T00:27", "+08:00", "2024-05-28", "Tue 28 May", "Mon 27 May"),
    ],
)
async def test_labels_and_relative_days_follow_the_zone(
    new_world: Callable[..., World], zone: str, moment: str, offset: str, day: str, short: str, yesterday: str
) -> None:
    async with new_world(zone=zone) as world:
        world.at(moment, offset)
        lin = await world.person()
        saved = await lin.say("remember the boiler was checked today")
        assert f"Saved · D-{day}-01" in saved
        assert f"today = {short}" in saved
        assert f"T-{day[2:].replace('-', '')}-01" in await lin.say("todo: call the plumber tomorrow")
        assert f"today {moment[-5:]}" in await lin.say(f"/why D-{day}-01")
        assert f"today = {short}. You said:" in await lin.say("what did I say today about the boiler?")
        assert f"yesterday = {yesterday}" in await lin.say("remember the fuse blew yesterday")
        assert f"AUTO-{day.replace('-', '')}-01" in await lin.say("/new")
        world.later(hours=3)
        before_midnight = zone == "America/Montevideo"
        word = "yesterday" if before_midnight else "today"
        assert f"{word} {moment[-5:]}" in await lin.say(f"/why D-{day}-01")


async def test_a_changed_zone_moves_the_day_but_not_what_is_stored(world: World) -> None:
    lin = await world.person()
    world.at("2024-05-28T01:00")
    assert "D-2024-05-28-01" in await lin.say("remember tea")
    await lin.say("/tz America/Montevideo")
    assert "D-2024-05-27-01" in await lin.say("remember coffee"), "there it is still the 27th"
    assert "today 14:00" in await lin.say("/why D-2024-05-28-01"), "the same moment, told in the new zone"
    await lin.say("/tz Shanghai")
    assert "D-2024-05-28-02" in await lin.say("remember water")


async def test_a_group_follows_its_own_zone(world: World) -> None:
    lin, team = await world.person(), await world.person("Lin", "Team")
    world.at("2024-05-28T01:00")
    await lin.say("/tz Berlin")
    assert "D-2024-05-27-01" in await lin.say("remember tea")
    assert "D-2024-05-28-01" in await team.say("remember tea")


async def test_the_archive_month_is_the_persons(world: World) -> None:
    lin = await world.person()
    world.at("2024-06-01T00:30")
    await lin.say("todo: pay the rent")
    assert "archived in 2024-06" in await lin.say("done T-240601-01")
