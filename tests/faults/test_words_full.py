"""B55 for words: on a full disk a card is still shown, an answer that cannot be kept says so, and counts when it is tried again."""

from __future__ import annotations

from pathlib import Path

from store import cards
from tests.flow.learning import memory_of, reviews
from tests.flow.world import World
from tests.golden.child import app_fault
from tests.store import tiny_dictionary


async def test_a_full_disk_shows_cards_and_keeps_no_answer_that_it_does_not_say(tmp_path: Path) -> None:
    async with World(tmp_path / "home") as world:
        tiny_dictionary.put(world.home)
        lin = await world.person()
        await lin.say("/add paradigm")
        await lin.say("/vocab plan cet6 5/day")
        await lin.say("/vocab new 1")
        await lin.say("/today")
        await lin.press("Show answer")
        knew = lin.action("Knew it")
        await lin.say("/vocab new 5")
        await app_fault("disk-full")
        assert "paradigm" in await lin.say("/today")
        assert "a typical example" in await lin.press("Show answer")
        assert "1 card: 1 new" in await lin.say("/vocab")
        assert "No word has been answered yet" in await lin.say("/stats")
        said = await lin.press_action(knew)
        assert said.startswith("Not saved: the disk is full.")
        assert await reviews(world) == []
        assert (await lin.say("/add wither")).startswith("Not saved: the disk is full.")
        assert (await lin.say("/vocab on")).startswith("Not saved: the disk is full.")
        await app_fault("disk-ok")
        assert "paradigm: knew it" in await lin.press_action(knew)
        memory = await memory_of(world)
        assert [card.word for card in await memory.read(cards.cards)] == ["paradigm"]
