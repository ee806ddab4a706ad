"""What is set about words, and what is shown of them: asked once before it goes, named exactly, never raw."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store import cards
from tests.flow.learning import OWNER, first, learned, memory_of
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


# what a device that is not ours may have written


async def test_fields_of_another_device_are_one_short_line_each(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    memory = await memory_of(world)
    ipa, pos = "a\n" * 500, "n.\u202e" + "x" * 900
    await memory.turn(lambda writer: cards.set_card(writer, cards.card_id("paradigm"), by=OWNER, ipa=ipa, pos=pos))
    head = first(await lin.say("/vocab show paradigm"))
    assert head.startswith("paradigm /a a ") and len(head) < 200 and "\u202e" not in lin.last.text
    assert len((await lin.say("/today")).split("\n")) < 4


@pytest.mark.parametrize("plan", ["cet6\u202e", "a\nb", "x" * 41])
async def test_a_plan_that_is_no_name_is_not_shown(world: World, lin: Person, plan: str) -> None:
    memory = await memory_of(world)
    await memory.turn(lambda writer: writer.set("settings", "words_plan", plan, by=OWNER))
    for said in ("/vocab", "/vocab plan"):
        assert plan not in await lin.say(said) and "plan: …" in lin.last.text


async def test_a_list_ends_where_the_cards_end(world: World, lin: Person) -> None:
    await lin.say("/add " + ", ".join(one.word for one in tiny_dictionary.WORDS[:12]))
    for start in (10, 20, 99999):
        assert len((await lin.press_action(f"card list {start}")).split("\n")) == 3
        assert lin.labels == []


# sums


async def test_sums_leave_out_what_is_nothing(world: World, lin: Person) -> None:
    await learned(world, lin, "paradigm", at="2024-05-20T13:00")
    await lin.say("/vocab known paradigm")
    world.at("2024-09-01T13:00")
    assert await lin.say("/stats") == "1 card: 1 known"
    world.at("2024-05-29T13:00")
    assert (await lin.say("/stats")).split("\n") == [
        "1 answer in 30 days.",
        "Learned on 1 day of the last 30.",
        "1 card: 1 known",
    ]


# what is decided


async def test_removing_asks_once(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    assert await lin.say("/vocab remove paradigm") == "Remove the card of paradigm? Its answers are kept."
    assert lin.labels == ["Remove", "Keep"]
    remove = lin.action("Remove")
    await lin.press("Keep")
    assert (await lin.say("/vocab list")).startswith("1 card:")
    assert await lin.press_action(remove) == "paradigm: no card any more."
    assert await lin.press("Undo") == "Good, paradigm: as before."
    await lin.press_action(remove)
    assert await lin.press_action(remove) == "That is no longer there"


async def test_what_is_asked_already_is_not_brought_back(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    assert await lin.say("/vocab back paradigm") == "paradigm\ncard: new"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("/vocab grades 3", "Not saved: there are 2 or 4 buttons."),
        ("/vocab cap 12345", "Not saved: that number has to be 1 to 500."),
        ("/vocab cap 99999999999999999999", "Not saved: that number has to be 1 to 500."),
        ("/vocab new -3", "Not saved: that number has to be 0 to 100."),
        ("/vocab grades -2", "Not saved: there are 2 or 4 buttons."),
    ],
)
async def test_a_number_that_does_not_fit_is_told_what_does(world: World, lin: Person, said: str, answer: str) -> None:
    assert await lin.say(said) == answer


async def test_without_a_word_it_is_asked_which_one(world: World, lin: Person) -> None:
    await lin.say("/add paradigm, wither")
    assert await lin.say("/vocab known") == "Which word is it?"
    assert await lin.say("paradigm") == "paradigm: known, and asked no more."
    await lin.say("/vocab remove")
    assert await lin.say("wither") == "Remove the card of wither? Its answers are kept."
    await lin.say("/vocab edit")
    assert "dry up" in await lin.say("paradigm = dry up")
    await lin.say("/vocab edit")
    assert await lin.say("paradigm") == "What does paradigm mean? A few words will do."
    assert "a model" in await lin.say("a model")
    await lin.say("/vocab known")
    assert await lin.say("never mind") == "Fine, left as it is."
    await lin.say("/vocab known")
    await lin.say("I went to the market today")
    assert lin.labels == ["Save it", "Look it up", "Never mind"]
