"""A server that both libraries judge, a clock that stands still, and a bot made with each library.

aiogram takes seconds to import: only the process that runs these tests pays, not everyone who collects them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest
import telegram
from telegram.request import HTTPXRequest

from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock

if TYPE_CHECKING:
    import aiogram


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(clock: FakeClock) -> Iterator[TelegramServer]:
    with TelegramServer(clock, check_answers=True) as server:
        yield server


@pytest.fixture
async def bot(server: TelegramServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[telegram.Bot]:
    """Spans of time as `timedelta`: without the variable, python-telegram-bot warns at every 429."""
    monkeypatch.setenv("PTB_TIMEDELTA", "true")
    request = HTTPXRequest(connection_pool_size=4, read_timeout=5, httpx_kwargs={"verify": False})
    made = telegram.Bot(
        server.token,
        base_url=f"{server.base_url}/bot",
        base_file_url=f"{server.base_url}/file/bot",
        request=request,
        get_updates_request=HTTPXRequest(read_timeout=5, httpx_kwargs={"verify": False}),
    )
    async with made:
        yield made


@pytest.fixture
async def other(server: TelegramServer) -> AsyncIterator[aiogram.Bot]:
    import aiogram
    from aiogram.client.session.aiohttp import AiohttpSession
    from aiogram.client.telegram import TelegramAPIServer

    session = AiohttpSession(api=TelegramAPIServer.from_base(server.base_url))
    async with aiogram.Bot(server.token, session=session) as made:
        yield made


@pytest.fixture
def lin(server: TelegramServer) -> Person:
    return server.person(5001, "Lin", username="lin_q", lang="zh-hans")


@pytest.fixture
def noor(server: TelegramServer) -> Person:
    return server.person(5002, "Noor", username="noor", lang="en")


@pytest.fixture
def team(server: TelegramServer, lin: Person, noor: Person) -> Group:
    return server.group("Team", admin=lin, members=[noor])


async def heard(bot: telegram.Bot, *, kinds: list[str] | None = None) -> list[telegram.Update]:
    """What waits, acknowledged; `kinds` as `allowed_updates` for what happens from now on."""
    found = list(await bot.get_updates(timeout=0, allowed_updates=kinds))
    if found:
        await bot.get_updates(offset=found[-1].update_id + 1, timeout=0)
    return found
