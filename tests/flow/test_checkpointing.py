"""Checkpoints of a long conversation: by how much was said, in a pause, and only where something changed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.flow.world import Person, World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as made:
        yield made


async def talk(world: World, person: Person, minutes: int, every: float = 1.0) -> None:
    """Somebody speaks for so long, and looks of the alarm come in between."""
    for number in range(int(minutes / every)):
        await person.say(f"remember thing number {number} of {minutes}")
        await world.app.ringing.tick()
        world.later(minutes=every)


async def checkpoints(person: Person) -> int:
    said = await person.say("/checkpoints")
    return said.count("AUTO-")


async def test_half_an_hour_of_talk_and_a_pause_make_one(world: World) -> None:
    lin = await world.person()
    await talk(world, lin, 31)
    await world.app.ringing.tick()
    assert await checkpoints(lin) == 0
    world.later(minutes=1.5)
    await world.app.ringing.tick()
    world.later(minutes=3)
    await world.app.ringing.tick()
    assert await checkpoints(lin) == 1
    for _ in range(20):
        world.later(minutes=7)
        await world.app.ringing.tick()
    assert await checkpoints(lin) == 1


async def test_forty_messages_make_one_but_none_within_25_minutes(world: World) -> None:
    lin = await world.person()
    await talk(world, lin, 10, every=0.2)
    world.later(minutes=3)
    await world.app.ringing.tick()
    assert await checkpoints(lin) == 0
    world.later(minutes=15)
    await world.app.ringing.tick()
    assert await checkpoints(lin) == 1


async def test_talk_without_a_pause_makes_one_all_the_same(world: World) -> None:
    lin = await world.person()
    await talk(world, lin, 50)
    assert await checkpoints(lin) == 1


async def test_a_few_words_over_a_long_day_make_none(world: World) -> None:
    lin = await world.person()
    await talk(world, lin, 300, every=30)
    assert await checkpoints(lin) == 0


async def test_where_nothing_changed_none_is_made(world: World) -> None:
    lin = await world.person()
    await talk(world, lin, 31)
    world.later(minutes=3)
    await world.app.ringing.tick()
    for _ in range(45):
        await lin.say("/status")
        world.later(minutes=1)
        await world.app.ringing.tick()
    world.later(minutes=3)
    await world.app.ringing.tick()
    assert await checkpoints(lin) == 1
    await lin.say("remember the well is deep")
    world.later(minutes=3)
    await world.app.ringing.tick()
    assert await checkpoints(lin) == 2


async def test_it_is_found_again_and_a_new_conversation_begins_after_it(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the well is deep")
    await talk(world, lin, 31)
    world.later(minutes=3)
    await world.app.ringing.tick()
    assert "AUTO-20240527-01" in await lin.say("where were we?")
    assert "AUTO-20240527-02" in await lin.say("/new")


async def test_in_a_group_it_is_made_for_the_group_alone(world: World) -> None:
    lin, team = await world.person(), await world.person("Lin", "Team")
    await talk(world, team, 31)
    world.later(minutes=3)
    await world.app.ringing.tick()
    assert await checkpoints(team) == 1
    assert await checkpoints(lin) == 0
