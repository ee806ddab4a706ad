"""Reminders that come again: each time once, one message after a long sleep, and an end when their person says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.app import OWNER
from store.grants import PrivateClaim, grant
from store.writer import Writer
from tests.flow.test_reminders import Seat, seat
from tests.flow.world import World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as made:
        yield made


async def through(world: World, lin: Seat, first: str, days: int, every_minutes: int = 60) -> list[str]:
    """The days and times at which something rang."""
    rung = []
    moment = datetime.fromisoformat(first + "+08:00")
    for step in range(days * 24 * 60 // every_minutes):
        now = moment + timedelta(minutes=step * every_minutes)
        world.clock.set(now)
        rung += [f"{now:%d %H:%M}" for _ in await lin.rung()]
    return rung


async def test_every_day_it_rings_once(world: World) -> None:
    lin = await seat(world)
    assert await lin.person.say("remind me every day at 9 to take the pills") == (
        "Added · T-240527-01 · ready · private memory\n“take the pills”\n"
        "reminder: every day at 09:00, next tomorrow 09:00 (Tue 28 May)"
    )
    assert lin.person.labels == ["Undo", "Change time"]
    assert await through(world, lin, "2024-05-27T11:00", 3) == ["28 09:00", "29 09:00", "30 09:00"]
    world.at("2024-05-31T09:00")
    assert await lin.rung() == ["take the pills\nyour reminder every day at 09:00 · T-240527-01"]
    assert lin.person.labels == ["No more of these", "Board"]
    assert "every day 09:00" in await lin.person.say("/tasks")


async def test_it_ends_at_its_persons_word(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me every day at 9 to take the pills")
    world.at("2024-05-28T09:00")
    await lin.rung()
    assert (await lin.person.press("No more of these")).startswith("Done · T-240527-01")
    assert await through(world, lin, "2024-05-28T10:00", 2) == []


async def test_on_days_of_the_week_and_restarted_every_six_hours(world: World) -> None:
    """B42: a weekly one in a program that is restarted often comes every week."""
    lin = await seat(world)
    await lin.person.say("remind me every Wednesday at 9 to put the bins out")
    rung = []
    for step in range(4 * 14):
        world.clock.set(datetime.fromisoformat("2024-05-27T12:00+08:00") + timedelta(hours=6 * step))
        await world.restart()
        lin = await seat(world)
        rung += [f"{world.clock.now():%d}" for _ in await lin.rung()]
    assert rung == ["29", "05"]


async def test_after_a_week_asleep_there_is_one_message(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me every day at 9 to take the pills")
    world.at("2024-06-05T10:30")
    assert await lin.rung() == ["take the pills\nyour reminder every day at 09:00 · 1 h 30 min late · T-240527-01"]
    assert await lin.rung() == []
    world.at("2024-06-06T09:00")
    assert len(await lin.rung()) == 1


async def test_another_time_and_once_only(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me every day at 9 to take the pills")
    await lin.person.press("Change time")
    assert "every weekday at 10:00" in await lin.person.say("every weekday at 10")
    await lin.person.press("Undo")
    assert "every day at 09:00" in await lin.person.say("/why T-240527-01")
    await lin.person.say("remind me every day at 20:00 to read")
    await lin.person.press("Change time")
    assert "reminder: today 21:00" in await lin.person.say("today at 21:00")
    assert await through(world, lin, "2024-05-27T19:00", 2) == ["27 21:00", "28 09:00", "29 09:00"]


@pytest.mark.parametrize(
    ("at", "said", "new"), [("8", "9:30", "09:30"), ("20:00", "9:30", "21:30"), ("8", "at 9pm", "21:00")]
)
async def test_another_time_alone_leaves_it_coming_again(world: World, at: str, said: str, new: str) -> None:
    lin = await seat(world)
    await lin.person.say(f"remind me every day at {at} to take the pills")
    await lin.person.press("Change time")
    assert f"reminder: every day at {new}" in await lin.person.say(said)
    rung = await through(world, lin, "2024-05-27T12:00", 2, every_minutes=30)
    assert [one.split()[1] for one in rung] == [new, new]


async def test_a_day_that_is_named_makes_it_come_once_and_says_so(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me every day at 8 to take the pills")
    change = lin.person.action("Change time")
    for said in ("tomorrow at 9", "in 20 minutes"):
        await lin.person.press_action(change)
        assert (await lin.person.say(said)).endswith("\nIt comes just this once now, no longer every day.")
        await lin.person.press("Undo")
        assert "every day at 08:00" in await lin.person.say("/why T-240527-01")


async def test_an_old_button_ends_no_rule_that_was_set_since(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me at 11:00 to stretch")
    change = lin.person.action("Change time")
    world.at("2024-05-27T11:00")
    await lin.rung()
    later = lin.person.action("In 1 hour")
    await lin.person.press_action(change)
    await lin.person.say("every day at 8")
    await lin.person.press_action(later)
    assert "every day at 08:00" in await lin.person.say("/why T-240527-01")


async def test_one_of_several_is_not_ended_by_a_button_that_names_none(world: World) -> None:
    """The button would end the one that rings now, and the line above may be of another."""
    lin = await seat(world)
    await lin.person.say("remind me every day at 10:00 to call")
    await lin.person.say("remind me tomorrow at 9 to pay the rent")
    world.at("2024-06-02T10:00")
    (told,) = await lin.rung()
    assert told.startswith("2 reminders:")
    assert lin.person.labels == ["Board"]


@pytest.mark.parametrize(
    "said", ["remind me every other day at 9 to run", "remind me every morning to run", "remind me every hour to drink"]
)
async def test_a_rule_that_is_not_known_says_how_to_say_it(world: World, said: str) -> None:
    lin = await seat(world)
    assert (await lin.person.say(said)).startswith("Not saved: say on which days and at what time")


async def test_the_clock_of_another_zone_counts_from_then_on(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me every day at 9 to take the pills")
    world.at("2024-05-28T09:00")
    assert len(await lin.rung()) == 1
    await lin.person.say("/tz Berlin")
    world.at("2024-05-28T09:00", "+02:00")
    assert await lin.rung() == []
    world.at("2024-05-29T09:00", "+02:00")
    assert len(await lin.rung()) == 1


async def test_the_digest_names_it_on_its_day_and_never_as_late(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me every day at 9 to take the pills")
    await lin.person.say("/digest on")
    world.at("2024-06-05T08:00")
    (digest,) = [text for text in await lin.rung() if text.startswith("Good morning")]
    assert "take the pills · every day 09:00" in digest
    assert "late" not in digest and "overdue" not in digest


async def test_one_that_came_from_a_file_is_told_where_its_time_is_set(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("todo: take the pills")
    memory = await world.app.home.memory(grant(PrivateClaim(OWNER), world.app.home.device))

    def from_a_file(writer: Writer) -> None:
        (task,) = writer.tasks(done=False)
        writer.set(task.id, "due", "2024-05-28T08:00", by=OWNER)
        writer.set(task.id, "every", "weekly 0,1,2,3,4,5,6", by=OWNER)

    await memory.turn(from_a_file)
    shown = await lin.person.say("/why T-240527-01")
    assert "every day at 08:00" in shown and "is not told yet" in shown
    await lin.person.press("Change time")
    assert "reminder: every day at 08:30" in await lin.person.say("8:30")
    assert "is not told yet" not in await lin.person.say("/why T-240527-01")
    world.at("2024-05-28T08:30")
    assert len(await lin.rung()) == 1
