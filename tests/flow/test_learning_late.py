"""Buttons under old cards: each question has one answer, and what was learned since is not undone by a late tap."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store import cards
from store.model import CardState
from tests.flow.learning import first, learned, memory_of, push, reviews
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


async def state_of(world: World, word: str) -> CardState:
    memory = await memory_of(world)
    card = await memory.read(lambda view: cards.card_of(view, word))
    assert card is not None
    return card.state


async def yesterdays(world: World, lin: Person, *some: str) -> dict[str, str]:
    """A card that was turned over and not answered; a day later: what its buttons say."""
    world.at("2024-05-26T13:00")
    await lin.say("/add " + ", ".join(some))
    await lin.say("/today")
    await lin.press("Show answer")
    buttons = {label: lin.action(label) for label in lin.labels}
    world.at("2024-05-27T13:00")
    return buttons


# answers


@pytest.mark.parametrize("rating", ["Forgot", "Knew it"])
async def test_yesterdays_button_counts_once_however_often_it_is_tapped(world: World, lin: Person, rating: str) -> None:
    old = await yesterdays(world, lin, "paradigm", "wither")
    for _ in range(3):
        await lin.press_action(old[rating])
        world.later(seconds=5)
    assert [one.slot for one in await reviews(world)] == ["2024-05-27"]


async def test_yesterdays_button_is_no_answer_when_the_card_was_answered_since(world: World, lin: Person) -> None:
    old = await yesterdays(world, lin, "paradigm")
    await lin.say("/today")
    await lin.press("Show answer")
    await lin.press("Forgot")
    world.later(seconds=5)
    assert first(await lin.press_action(old["Knew it"])) == "paradigm /ˈpærədaɪm/ n.", (
        "it is asked once more, as today's"
    )
    assert [one.rating for one in await reviews(world)] == [1]
    await lin.press_action(old["Show answer"] if "Show answer" in old else old["Knew it"])
    assert [one.rating for one in await reviews(world)] == [1]


async def test_what_was_undone_today_is_not_answered_by_yesterdays_button(world: World, lin: Person) -> None:
    old = await yesterdays(world, lin, "paradigm")
    await lin.press_action(old["Forgot"])
    await lin.press("Undo")
    await lin.press_action(old["Forgot"])
    assert await reviews(world) == []


async def test_a_word_asked_for_yesterday_and_typed_today_counts_once(world: World, lin: Person) -> None:
    await lin.say("/vocab type on")
    world.at("2024-05-26T13:00")
    await lin.say("/add paradigm")
    await lin.say("/today")
    world.at("2024-05-27T13:00")
    for _ in range(3):
        await lin.say("paradigm")
        world.later(minutes=11)
    assert [one.slot for one in await reviews(world)] == ["2024-05-27"]


# [Learn anew]


async def stubborn(world: World, lin: Person) -> str:
    """A word that was forgotten again and again; gives what [Learn anew] says."""
    await learned(world, lin, "paradigm", at="2024-01-01T13:00")
    world.later(days=1)
    await lin.say("/today")
    await lin.press("Show answer")
    await lin.press("Knew it")
    for _ in range(60):
        world.later(days=1)
        await lin.say("/today")
        if "Show answer" not in lin.labels:
            continue
        await lin.press("Show answer")
        if "keeps slipping" in await lin.press("Forgot"):
            return lin.action("Learn anew")
        world.later(minutes=1)
        await lin.press("Show answer")
        await lin.press("Knew it")
    raise AssertionError("it was not stubborn after two months")


async def test_a_word_that_slips_is_learned_anew_and_that_can_be_taken_back(world: World, lin: Person) -> None:
    anew = await stubborn(world, lin)
    before = await reviews(world)
    assert await lin.press_action(anew) == ("paradigm: learned anew, asked as a new word.\nparadigm /ˈpærədaɪm/ n.")
    assert lin.labels == ["Show answer", "Later", "Undo"]
    assert first(await lin.press("Undo")) == "Good, paradigm: as before."
    assert await reviews(world) == before
    assert "stubborn: paradigm" in await lin.say("/stats")
    await lin.press_action(anew)
    assert "as before" in await lin.say("undo"), "typed, it takes back the same thing first"
    assert await reviews(world) == before


async def test_a_late_tap_on_learn_anew_does_not_throw_away_what_was_learned_since(world: World, lin: Person) -> None:
    anew = await stubborn(world, lin)
    await lin.press_action(anew)
    await lin.press("Show answer")
    await lin.press("Knew it")
    learned_since = await reviews(world)
    world.later(days=30)
    assert await lin.press_action(anew) == "Already done"
    assert await reviews(world) == learned_since


# [Undo] and [Known]


@pytest.mark.parametrize(("minutes", "left"), [(10, 0), (11, 1)])
async def test_undo_under_an_answer_holds_for_ten_minutes_as_everywhere(
    world: World, lin: Person, minutes: int, left: int
) -> None:
    await lin.say("/add paradigm, wither")
    await lin.say("/today")
    await lin.press("Show answer")
    await lin.press("Knew it")
    undo = lin.action("Undo")
    world.later(minutes=minutes)
    said = await lin.press_action(undo)
    assert (said == "Past 10 minutes, too late to undo") is bool(left)
    assert len(await reviews(world)) == left


async def test_yesterdays_known_does_not_put_away_what_was_learned_since(world: World, lin: Person) -> None:
    old = await yesterdays(world, lin, "paradigm", "wither")
    await lin.press_action(old["Knew it"])
    await lin.press_action(old["Known"])
    assert await state_of(world, "paradigm") is CardState.ACTIVE


async def test_known_of_an_open_question_holds_a_day_later(world: World, lin: Person) -> None:
    old = await yesterdays(world, lin, "paradigm", "wither")
    assert (await lin.press_action(old["Known"])).startswith("paradigm: known")
    assert await state_of(world, "paradigm") is CardState.KNOWN


async def test_known_under_a_card_that_was_asked_for_puts_it_away_at_any_time(world: World, lin: Person) -> None:
    await learned(world, lin, "paradigm", at="2024-05-20T13:00")
    await lin.say("/add wither")
    await lin.say("/vocab show paradigm")
    known = lin.action("Known")
    world.later(days=3)
    assert await lin.press_action(known) == "paradigm: known, and asked no more."
    assert lin.labels == ["Undo"]
    assert await lin.press("Undo") == "Good, paradigm: as before."


async def test_known_taken_back_shows_the_card_again(world: World, lin: Person) -> None:
    await lin.say("/add paradigm, wither")
    await lin.say("/today")
    await lin.press("Show answer")
    await lin.press("Known")
    assert first(await lin.press("Undo")) == "paradigm /ˈpærədaɪm/ n."
    assert lin.labels == ["Forgot", "Knew it", "Known"]
    await lin.press("Knew it")
    assert [one.rating for one in await reviews(world)] == [3]


async def test_known_on_a_word_of_a_plan_brings_the_next_one(world: World, lin: Person) -> None:
    await lin.say("/vocab plan cet6 3/day")
    await push(world, lin)
    for _ in range(3):
        await lin.press("Show answer")
        await lin.press("Known")
        assert "Show answer" in lin.labels, "none of the three was learned"


async def test_known_on_the_last_word_ends_the_day_warmly(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    await lin.say("/today")
    await lin.press("Show answer")
    assert await lin.press("Known") == "paradigm: known, and asked no more.\nNo words are waiting now."
    assert (lin.labels[0], lin.labels[-1]) == ("Today's words", "Undo")


# clocks


async def test_an_answer_of_a_clock_that_was_years_ahead_does_not_count_before_its_time(
    world: World, lin: Person
) -> None:
    await lin.say("/add paradigm, wither")
    world.at("2030-05-27T10:00")
    await lin.say("/today")
    await lin.press("Show answer")
    await lin.press("Knew it")
    world.at("2024-05-27T10:05")
    await world.restart()
    lin = await world.person()
    assert first(await lin.say("/today")) == "Mon 27 May · 2 new"
    await lin.press("Show answer")
    knew = lin.action("Knew it")
    once = await lin.press("Knew it")
    assert await lin.press_action(knew) == once, "a second tap is the same once more"
    await lin.press("Undo")
    await lin.press("Knew it")
    await lin.press("Show answer")
    assert "you knew all 2" in await lin.press("Knew it")
