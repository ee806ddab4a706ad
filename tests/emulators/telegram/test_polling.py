"""Fetching updates: each stays until a higher number is asked for, and one poll at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
import telegram
from telegram.error import Conflict, InvalidToken, NetworkError

from tests.emulators.telegram.conftest import heard
from tests.emulators.telegram.people import Person
from tests.emulators.telegram.server import TelegramServer

pytestmark = pytest.mark.net


async def test_an_update_comes_until_it_is_acknowledged(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    for text in ("one", "two", "three"):
        lin.writes(text)
    first = await bot.get_updates(timeout=0, limit=2)
    assert len(first) == 2
    assert await bot.get_updates(timeout=0, limit=2) == first
    assert server.pending == 3
    (left,) = await bot.get_updates(offset=first[-1].update_id + 1, timeout=0)
    assert left.message is not None
    assert left.message.text == "three"
    assert server.pending == 1
    (newest,) = await bot.get_updates(offset=-1, timeout=0)
    assert newest.update_id == left.update_id


async def test_a_poll_ends_when_something_happens(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await server.until(lambda: server.polling)
    lin.writes("hello")
    async with asyncio.timeout(5):
        (update,) = await poll
    assert update.message is not None


async def test_the_older_poll_is_ended_by_the_newer(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    older = asyncio.create_task(bot.get_updates(timeout=30))
    await server.until(lambda: server.polling)
    async with asyncio.timeout(5):
        assert await _raw(server, "getUpdates", timeout=0) == {"ok": True, "result": []}
        with pytest.raises(Conflict, match="terminated by other getUpdates"):
            await older


async def test_a_poll_of_somebody_gone_is_over(server: TelegramServer, lin: Person) -> None:
    """And what happened meanwhile is still there for the next."""
    poll = asyncio.create_task(_raw(server, "getUpdates", timeout=30))
    await server.until(lambda: server.polling)
    poll.cancel()
    await server.until(lambda: not server.polling)
    lin.writes("hello")
    assert len((await _raw(server, "getUpdates"))["result"]) == 1
    assert (server.polled, server.pending) == (2, 1)


async def test_no_polling_beside_a_webhook(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    lin.writes("hello")
    await bot.set_webhook("https://example.org/hook")
    assert (await bot.get_webhook_info()).pending_update_count == 1
    with pytest.raises(Conflict, match="webhook is active"):
        await bot.get_updates(timeout=0)
    await bot.delete_webhook()
    await heard(bot)
    waiting = asyncio.create_task(bot.get_updates(timeout=30))
    await server.until(lambda: server.polling)
    await bot.set_webhook("https://example.org/hook")
    async with asyncio.timeout(5):
        with pytest.raises(Conflict, match="webhook is active"):
            await waiting
    await bot.delete_webhook()
    lin.writes("hello again")
    assert len(await bot.get_updates(timeout=0)) == 1
    await bot.delete_webhook(drop_pending_updates=True)
    assert await bot.get_updates(timeout=0) == ()


async def test_kinds_not_asked_for_are_not_kept(bot: telegram.Bot, lin: Person) -> None:
    await heard(bot, kinds=["message"])
    said = lin.writes("one")
    lin.edits(said, "two")
    assert len(await heard(bot, kinds=[])) == 1
    lin.edits(said, "three")
    (update,) = await heard(bot)
    assert update.edited_message is not None


async def test_what_was_acknowledged_last_can_come_again(
    server: TelegramServer, bot: telegram.Bot, lin: Person
) -> None:
    lin.writes("one")
    (first,) = await heard(bot)
    assert server.redeliver() == 1
    (again,) = await bot.get_updates(offset=first.update_id + 1, timeout=0)
    assert again.update_id == first.update_id
    assert await bot.get_updates(offset=first.update_id + 1, timeout=0) == ()


async def test_offline_updates_wait(server: TelegramServer, bot: telegram.Bot, lin: Person) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await server.until(lambda: server.polling)
    server.offline()
    async with asyncio.timeout(5):
        with pytest.raises(NetworkError):
            await poll
    lin.writes("while you were away")
    with pytest.raises(NetworkError):
        await bot.get_updates(timeout=0)
    server.online()
    assert len(await bot.get_updates(timeout=0)) == 1


async def test_a_malformed_update_is_given_out_as_it_is(server: TelegramServer) -> None:
    server.raw_update({"update_id": "seven", "message": None})
    server.raw_update({"message": {"text": 7, "caption": "\ud83d"}})
    first, second = (await _raw(server, "getUpdates"))["result"]
    assert first == {"update_id": "seven", "message": None}
    assert second["message"]["caption"] == "\ud83d"
    assert (await _raw(server, "getUpdates", offset=second["update_id"] + 1))["result"] == []


async def test_a_wrong_token_is_refused_everywhere(server: TelegramServer, bot: telegram.Bot) -> None:
    async with aiohttp.ClientSession() as session:
        for method in ("getMe", "getUpdates", "sendMessage", "nothing"):
            async with session.post(f"{server.base_url}/bot1:wrong/{method}") as answer:
                assert answer.status == 401
    server.revoke()
    with pytest.raises(InvalidToken):
        await bot.get_me()


async def _raw(server: TelegramServer, method: str, **values: object) -> Any:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.base_url}/bot{server.token}/{method}", json=values) as answer,
    ):
        return await answer.json()
