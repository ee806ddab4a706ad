"""Words that are added by hand: nothing that was typed is dropped, and nothing becomes a card that is no word."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store import cards
from tests.flow.learning import first, memory_of, reviews
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


async def meanings(world: World) -> dict[str, str]:
    memory = await memory_of(world)
    return {card.word: card.meaning for card in await memory.read(cards.cards)}


# a meaning for a word that is there


async def test_a_meaning_typed_for_a_word_that_is_there_is_its_meaning(world: World, lin: Person) -> None:
    await lin.say("/add paradigm = a model")
    said = await lin.say("/add paradigm = a way to see things")
    assert said.split("\n") == ["paradigm is a card already.", "paradigm /ˈpærədaɪm/ n.", "a way to see things"]
    assert await meanings(world) == {"paradigm": "a way to see things"}
    assert await lin.press("Undo") == "Good, paradigm: as before."
    assert await meanings(world) == {"paradigm": "a model"}
    await lin.say("/add paradigm")
    assert await meanings(world) == {"paradigm": "a model"}, "no meaning typed, none taken away"


async def test_a_meaning_typed_for_a_removed_word_is_its_meaning(world: World, lin: Person) -> None:
    await lin.say("/add paradigm = a model")
    await lin.say("/vocab remove paradigm")
    await lin.press("Remove")
    assert "a third" in await lin.say("/add paradigm = a third")
    assert await meanings(world) == {"paradigm": "a third"}
    assert "no card" in await lin.press("Undo")
    assert await meanings(world) == {}
    await lin.say("/add paradigm")
    assert await meanings(world) == {"paradigm": "a model"}


async def test_in_a_list_a_new_meaning_is_set_and_said(world: World, lin: Person) -> None:
    await lin.say("/add wither = fade, zyzzyva = a beetle")
    said = await lin.say("/add paradigm, wither = dry up, zyzzyva")
    assert said.split("\n") == [
        "1 word is a card now: paradigm",
        "2 already there: wither, zyzzyva",
        "with another meaning now: wither",
    ]
    assert await meanings(world) == {"wither": "dry up", "zyzzyva": "a beetle", "paradigm": ""}
    await lin.press("Undo")
    assert await meanings(world) == {"wither": "fade", "zyzzyva": "a beetle"}


async def test_of_two_meanings_in_one_message_the_later_one_counts(world: World, lin: Person) -> None:
    await lin.say("/add wither, paradigm = one, paradigm = two")
    assert (await meanings(world))["paradigm"] == "two"
    await lin.press("Undo")
    assert await meanings(world) == {}


# much at once


async def test_what_is_long_is_taken_whole_or_not_at_all(world: World, lin: Person) -> None:
    def typed(count: int, length: int) -> str:
        each = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)} = {'long ' * (length // 5)}end" for n in range(count)]
        return "/add " + "\n".join(each)

    await lin.say(typed(45, 60))
    found = await meanings(world)
    assert len(found) == 45 and all(meaning.endswith(" end") for meaning in found.values())
    await lin.say("undo")
    said = await lin.say(typed(45, 400))
    assert said == (
        "Not saved: at most 8,000 characters at once. For more, put them in a file and run niannian words import FILE"
    )
    assert await meanings(world) == {}


async def test_words_are_asked_in_the_order_in_which_they_were_typed(world: World, lin: Person) -> None:
    some = ["wither", "paradigm", "abandon", "serendipity", "benefit", "subtle"]
    await lin.say("/add " + ", ".join(some))
    assert list(await meanings(world)) == some


# which word?


@pytest.mark.parametrize(
    "said",
    [
        "I went to the market today",
        "今天下午三点和老板开会，讨论迁移窗口",
        "see https://example.org/page",
        "thanks",
        "好的",
    ],
)
async def test_what_is_no_word_is_no_answer_to_which_word(world: World, lin: Person, said: str) -> None:
    await lin.say("/add")
    await lin.say(said)
    assert await meanings(world) == {}
    assert "Which word" not in lin.last.text


@pytest.mark.parametrize("said", ["算了", "取消", "不用了", "Cancel.", "nothing", "no"])
async def test_nobody_has_to_say_a_word(world: World, lin: Person, said: str) -> None:
    await lin.say("/add")
    assert await lin.say(said) == "Fine, never mind."
    assert await meanings(world) == {}
    await lin.say("wither")
    assert await meanings(world) == {}, "nothing is asked any more"


@pytest.mark.parametrize(
    ("said", "made"),
    [
        ("give up", ["give up"]),
        ("wither, paradigm\nabandon", ["abandon", "paradigm", "wither"]),
        ("zyzzyva = a beetle that nobody has seen in all these years", ["zyzzyva"]),
        ("锲而不舍", ["锲而不舍"]),
    ],
)
async def test_what_is_a_word_is_a_card(world: World, lin: Person, said: str, made: list[str]) -> None:
    await lin.say("/add")
    assert "card" in first(await lin.say(said))
    assert sorted(await meanings(world)) == made


# typed answers


@pytest.mark.parametrize(
    "said", ["thanks", "ok cool", "buy milk", "yes", "hello", "https://x.y", "123", "paradigm shifts happen"]
)
async def test_talk_is_no_answer_to_a_card(world: World, lin: Person, said: str) -> None:
    await lin.say("/vocab type on")
    await lin.say("/add paradigm")
    await lin.say("/today")
    await lin.say(said)
    assert await reviews(world) == []
    assert "knew it" in await lin.say("paradigm")


async def test_a_word_of_courtesy_can_be_the_very_word(world: World, lin: Person) -> None:
    await lin.say("/vocab type on")
    await lin.say("/add thanks = what is said for a gift")
    await lin.say("/today")
    assert "knew it" in await lin.say("Thanks")
