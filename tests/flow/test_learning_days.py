"""Later, fewer, and the hours of a learning day: what is said is what will be."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.flow.learning import OWNER, first, learned, memory_of, push, reviews
from tests.flow.world import Person, World
from tests.store import tiny_dictionary


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as made:
        tiny_dictionary.put(made.home)
        yield made


@pytest.fixture
async def lin(world: World) -> Person:
    return await world.person()


async def backlog(world: World, lin: Person) -> None:
    """24 cards are waiting and 15 are asked."""
    some = [one.word for one in tiny_dictionary.WORDS[:24]]
    await lin.say("/vocab new 40")
    await learned(world, lin, *some, at="2024-05-20T13:00")
    await lin.say("/vocab cap 15")
    world.at("2024-05-27T13:00")
    await push(world, lin)


async def test_fewer_today_is_fewer_once_and_can_be_taken_back(world: World, lin: Person) -> None:
    await backlog(world, lin)
    fewer = lin.action("Fewer today")
    assert first(await lin.press("Fewer today")) == "Good, 7 today."
    assert lin.labels == ["Show answer", "Later", "Undo"]
    undo = lin.action("Undo")
    assert "Good" not in await lin.press_action(fewer)
    memory = await memory_of(world)
    assert await memory.read(lambda view: view.setting("words_fewer")) == "2024-05-27/7"
    assert (await lin.press_action(undo)).startswith("Mon 27 May · 24 waiting, 15 today")
    assert lin.labels == ["Start", "Fewer today"]
    assert first(await lin.press("Fewer today")) == "Good, 7 today."


async def test_fewer_today_of_another_day_changes_nothing(world: World, lin: Person) -> None:
    await backlog(world, lin)
    fewer = lin.action("Fewer today")
    world.later(days=1)
    await lin.press_action(fewer)
    memory = await memory_of(world)
    assert await memory.read(lambda view: view.setting("words_fewer")) == ""


async def test_later_twice_says_the_same_time(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    await lin.say("/vocab on")
    world.at("2024-05-28T13:00")
    await push(world, lin)
    later = lin.action("Later")
    assert await lin.press_action(later) == "Good, back at 15:00."
    world.later(minutes=20)
    assert await lin.press_action(later) == "Good, back at 15:00."
    memory = await memory_of(world)
    assert await memory.read(lambda view: view.setting("words_later")) == "2024-05-28T15:00"


# hours after midnight


async def test_before_the_day_starts_what_comes_next_is_said_by_its_hour(world: World, lin: Person) -> None:
    await lin.say("/add paradigm, wither")
    world.at("2024-05-28T02:00")
    await lin.say("/today")
    await lin.press("Show answer")
    assert first(await lin.press("Knew it")) == "paradigm: knew it, next today after 04:00 · 1 to go"
    await lin.press("Show answer")
    await lin.press("Knew it")
    assert "The next card is due today after 04:00." in await lin.say("/today")
    assert "paradigm · next today after 04:00" in await lin.say("/vocab list")
    world.at("2024-05-28T04:00")
    assert "2 due" in await lin.say("/today")


async def test_a_day_that_starts_at_another_hour_is_that_day_everywhere(world: World, lin: Person) -> None:
    memory = await memory_of(world)
    await lin.say("/add paradigm")
    await memory.turn(lambda writer: writer.set("settings", "day_starts", "06:00", by=OWNER))
    world.at("2024-05-28T05:00")
    await lin.say("/today")
    await lin.press("Show answer")
    assert first(await lin.press("Knew it")) == "paradigm: knew it, next today after 06:00"
    assert [one.slot for one in await reviews(world)] == ["2024-05-27"]
    assert "due over 7 days: 0, 1," in await lin.say("/stats")
