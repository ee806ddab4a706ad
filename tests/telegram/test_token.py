"""B20: the part of the token behind the colon is in nothing that the program says, whatever goes wrong."""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot.event import Delivery
from bot.message import Line, Reply
from bot.platforms.telegram.client import Client
from bot.platforms.telegram.edge import TelegramPlatform
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock, FakeEntropy
from tests.telegram.test_edge import PATIENCE_S, Heard, Slept, described, listening, say

SECRET = "TEST-ONLY-not-a-token"


@contextmanager
def everything_logged() -> Iterator[io.StringIO]:
    """What a person gets who asks every logger for all it has."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    levels = {name: logging.getLogger(name).level for name in root.manager.loggerDict}
    for name in levels:
        logging.getLogger(name).setLevel(logging.DEBUG)
    closed = [logging.getLogger(name) for name in levels if not logging.getLogger(name).propagate]
    for logger in closed:
        logger.addHandler(handler)
    try:
        yield out
    finally:
        for logger in (root, *closed):
            logger.removeHandler(handler)
        root.setLevel(before)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


@pytest.mark.net
async def test_b20_nothing_that_is_said_holds_the_token(caplog: pytest.LogCaptureFixture) -> None:
    clock, time = FakeClock(), Slept()
    seen: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: seen.append(_shown(context.get("exception")) + repr(context)))
    Client(f"1:{SECRET}", "http://127.0.0.1:9")  # from now on its loggers are closed, and opened by force below
    with TelegramServer(clock) as server, everything_logged() as out:
        assert server.token.endswith(SECRET)
        edge = TelegramPlatform(
            server.token,
            server.base_url,
            clock,
            FakeEntropy(),
            poll_s=1,
            sleep=time.sleep,
            monotonic=time.monotonic,
            describe=described,
        )
        lin = server.person(5001, "Lin")
        assert lin.chat
        await edge.start()
        for kind in ("entities", "no-rights", "chat-not-found", "blocked", "502", "lost", "drop", "html", "401", "429"):
            server.fail("sendMessage", kind)
            try:
                await edge.send("5001", say("hello"))
            except Exception as error:
                seen.append(_shown(error))
            server.heal()
        server.raw_update({"message": {"chat": 5}})
        lin.writes("hello")
        heard = Heard()
        async with listening(edge, heard) as task:
            await server.until(lambda: heard.texts == ["hello"], PATIENCE_S)
            seen.append(repr(task))
        unhandled = asyncio.create_task(edge.send("5001", Delivery(Reply((Line("x"),)), to="not a number")))
        await asyncio.wait([unhandled])
        del unhandled, task
        gc.collect()
        server.stop()
        try:
            await edge.send("5001", say("hello"))
        except Exception as error:
            seen.append(_shown(error))
        server.start()
        seen += [repr(edge), repr(vars(edge)), str(edge)]
        await edge.close()
    assert len(seen) >= 12
    assert any("never retrieved" in one for one in seen), "the unhandled one was seen"
    assert [one for one in (*seen, out.getvalue(), caplog.text) if SECRET in one] == []


def _shown(error: object) -> str:
    if not isinstance(error, BaseException):
        return repr(error)
    found = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
    while error is not None:
        found += repr(error) + repr(vars(error))
        error = error.__cause__ or error.__context__
    return found


@pytest.mark.net
async def test_b20_a_proxy_that_refuses_says_no_token_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    time, clock = Slept(), FakeClock()
    with everything_logged() as out:
        edge = TelegramPlatform(f"1:{SECRET}", "http://telegram.invalid", clock, FakeEntropy(), sleep=time.sleep)
        with pytest.raises(Exception) as found:  # noqa: PT011  whichever it is, its text is what counts
            await edge.report()
        await edge.close()
    assert SECRET not in _shown(found.value) + out.getvalue()


def test_a_client_shows_nothing_of_itself() -> None:
    client = Client(f"1:{SECRET}", "http://127.0.0.1:9")
    assert SECRET not in repr(client) + str(client) + f"{client!s}"
