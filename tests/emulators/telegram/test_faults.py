"""Planned failures and flood limits, as the library of the bot shows them."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
import telegram
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock

pytestmark = pytest.mark.net


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (429, RetryAfter),
        ("blocked", Forbidden),
        ("kicked", Forbidden),
        ("deactivated", Forbidden),
        ("chat-not-found", BadRequest),
        ("thread-not-found", BadRequest),
        ("entities", BadRequest),
        ("upgraded", ChatMigrated),
        (401, InvalidToken),
        (409, Conflict),
        (500, NetworkError),
        (502, NetworkError),
        ("html", NetworkError),
    ],
)
async def test_a_planned_failure_comes_once_and_stores_nothing(
    server: TelegramServer, bot: telegram.Bot, lin: Person, kind: str | int, error: type[TelegramError]
) -> None:
    lin.writes("hello")
    server.fail("sendMessage", kind, new_id=-100123)
    with pytest.raises(error):
        await bot.send_message(lin.id, "hi")
    assert server.sent(lin) == []
    await bot.send_message(lin.id, "hi")
    assert len(server.sent(lin)) == 1


async def test_a_failure_keeps_to_its_chat_its_method_and_its_number(
    server: TelegramServer, bot: telegram.Bot, lin: Person, team: Group
) -> None:
    lin.writes("hello")
    server.fail("sendMessage", 429, 2, chat=lin, retry_after=7)
    await bot.send_message(team.id, "hi")
    await bot.send_chat_action(lin.id, "typing")
    for _ in range(2):
        with pytest.raises(RetryAfter) as caught:
            await bot.send_message(lin.id, "hi")
    assert caught.value.retry_after == timedelta(seconds=7)
    await bot.send_message(lin.id, "hi")
    server.fail("*", 502, 100)
    with pytest.raises(NetworkError):
        await bot.get_me()
    server.heal()
    await bot.get_me()
    with pytest.raises(KeyError):
        server.fail("sendMessage", "moonlight")


@pytest.mark.parametrize(("kind", "stored"), [("lost", 1), ("drop", 0)])
async def test_cut_off_before_or_after(
    server: TelegramServer, bot: telegram.Bot, lin: Person, kind: str, stored: int
) -> None:
    """The bot cannot tell these two apart."""
    lin.writes("hello")
    server.fail("sendMessage", kind)
    with pytest.raises(NetworkError):
        await bot.send_message(lin.id, "hi")
    assert len(server.sent(lin)) == stored


async def test_an_answer_that_is_late(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    lin.writes("hello")
    server.fail("sendMessage", "late", seconds=60)
    sending = asyncio.create_task(bot.send_message(lin.id, "hi"))
    await server.until(lambda: server.sent(lin))
    assert not sending.done()
    server.heal()
    async with asyncio.timeout(5):
        await sending


async def test_the_limits_of_the_real_server(
    server: TelegramServer, bot: telegram.Bot, lin: Person, team: Group, clock: FakeClock
) -> None:
    lin.writes("hello")
    server.limits(real=True)
    for number in range(3):
        await bot.send_message(lin.id, f"{number}")
    with pytest.raises(RetryAfter):
        await bot.send_message(lin.id, "too fast")
    await bot.send_chat_action(lin.id, "typing")
    for number in range(20):
        await bot.send_message(team.id, f"{number}")
    with pytest.raises(RetryAfter) as caught:
        await bot.send_message(team.id, "too many")
    assert caught.value.retry_after == timedelta(seconds=60)
    clock.advance(timedelta(seconds=3))
    await bot.send_message(lin.id, "in time")
    with pytest.raises(RetryAfter):
        await bot.send_message(team.id, "still too many")
    clock.advance(timedelta(seconds=57))
    await bot.send_message(team.id, "in time")
    assert server.counts()[team.id]["bot"] == 21


async def test_thirty_a_second_in_all(server: TelegramServer, bot: telegram.Bot) -> None:
    server.limits(real=True)
    people = [server.person(6000 + number, "Somebody") for number in range(31)]
    for person in people[:30]:
        assert person.chat.private
        await bot.send_message(person.id, "hi")
    assert people[30].chat.private
    with pytest.raises(RetryAfter):
        await bot.send_message(people[30].id, "hi")
