"""Daily words on Telegram: one live message, taps that come twice, late, from others or from a second message."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest

from bot import heat_map
from bot.app import OWNER
from bot.message import Picture
from store import cards
from store.grants import PrivateClaim, grant
from store.model import Review
from tests.emulators.telegram.world import Message
from tests.service.world import Telegram, labels, telegram
from tests.store import tiny_dictionary

pytestmark = pytest.mark.net


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Telegram]:
    async with telegram(tmp_path / "home") as made:
        tiny_dictionary.put(made.home)
        made.clock.set(at("05-27T10:00"))
        yield made


def at(moment: str) -> datetime:
    return datetime.fromisoformat(f"2024-{moment}+08:00")


async def pushed(world: Telegram, moment: str) -> Message:
    world.clock.set(at(moment))
    await world.app.ringing.tick()
    await world.settle()
    return world.newest(world.lin)


async def reviews(world: Telegram) -> list[Review]:
    memory = await world.app.home.memory(grant(PrivateClaim(OWNER), world.app.home.device))
    return await memory.read(cards.all_reviews)


async def words_on(world: Telegram, *some: str) -> None:
    await world.says(world.lin, f"/add {', '.join(some)}")
    await world.says(world.lin, "/vocab on")


async def test_one_message_a_day_becomes_every_card_and_says_when_it_is_done(world: Telegram) -> None:
    await words_on(world, "paradigm", "wither")
    before = len(world.server.sent(world.lin))
    message = await pushed(world, "05-27T13:00")
    assert message.text.startswith("Mon 27 May · 2 new\nparadigm")
    for _ in range(2):
        await world.presses(world.lin, "Show answer")
        await world.presses(world.lin, "Knew it")
    assert len(world.server.sent(world.lin)) == before + 1
    assert (
        message.text
        == "wither: knew it, next tomorrow\nThat's today's words, and you knew all 2. See you tomorrow at 13:00."
    )
    assert (await pushed(world, "05-27T13:30")) is message


async def test_two_taps_at_once_are_one_answer_and_both_stop_turning(world: Telegram) -> None:
    await words_on(world, "paradigm", "wither")
    message = await pushed(world, "05-27T13:00")
    await world.presses(world.lin, "Show answer")
    data = message.data_of("Knew it")
    taps = [world.lin.presses_data(message, data) for _ in range(3)]
    await world.settle()
    assert [one.rating for one in await reviews(world)] == [3]
    assert message.text.startswith("paradigm: knew it, next tomorrow · 1 to go\nwither")
    assert all(world.server.press(tap).answers for tap in taps)
    assert labels(message) == ["Show answer", "Later", "Undo"]


async def test_two_messages_with_one_card_are_one_question(world: Telegram) -> None:
    await words_on(world, "paradigm", "wither")
    first = await pushed(world, "05-27T13:00")
    second = await world.says(world.lin, "/today")
    await world.presses(world.lin, "Show answer")
    await world.presses(world.lin, "Knew it")
    assert second.text.startswith("paradigm: knew it")
    world.lin.presses(first, "Show answer")
    await world.settle()
    assert first.text.startswith("wither"), "the first message goes on where the second is"
    assert len(await reviews(world)) == 1


async def test_a_tap_after_a_restart_and_a_day_later_still_counts_once(world: Telegram) -> None:
    await words_on(world, "paradigm")
    old = await pushed(world, "05-27T13:00")
    await world.stop()
    world.clock.set(at("05-28T12:00"))
    await world.start()
    new = await pushed(world, "05-28T13:00")
    assert new is not old
    world.lin.presses(old, "Show answer")
    await world.settle()
    world.lin.presses(old, "Knew it")
    await world.settle()
    world.lin.presses(new, "Show answer")
    await world.settle()
    assert [(one.rating, one.slot) for one in await reviews(world)] == [(3, "2024-05-28")]
    assert "No words are waiting now." in new.text


async def test_nobody_else_answers_for_lin(world: Telegram) -> None:
    await words_on(world, "paradigm")
    message = await pushed(world, "05-27T13:00")
    await world.let_in(world.noor)
    world.noor.presses_data(message, message.data_of("Show answer"))
    await world.settle()
    assert message.text.startswith("Mon 27 May")
    assert await reviews(world) == []


async def test_stats_come_with_the_map_of_the_year_and_their_buttons_work(world: Telegram) -> None:
    await words_on(world, "paradigm")
    await pushed(world, "05-27T13:00")
    await world.presses(world.lin, "Show answer")
    await world.presses(world.lin, "Knew it")
    message = await world.says(world.lin, "/stats")
    assert message.caption and message.text.startswith("1 answer in 7 days")
    content = world.server.world.files[message.extra["photo"][0]["file_id"]][1]
    assert content == heat_map.draw(Picture("2024-05-27", (*[0] * 364, 1), "en"))
    await world.presses(world.lin, "Today's words")
    assert "No words are waiting" in world.newest(world.lin).text


async def test_in_a_group_words_are_one_line_and_a_way_out(world: Telegram) -> None:
    await words_on(world, "paradigm")
    group = await world.team()
    message = await world.says(world.lin, "/today@keepbot", group)
    assert message.text == "Words are learned in a private chat."
    assert message.buttons == [[("Open private", "https://t.me/keepbot")]]
