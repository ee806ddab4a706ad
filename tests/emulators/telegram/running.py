"""A web application in a thread with a loop of its own, on a free port of loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future

from aiohttp import web

STARTED_S = 10
STOPPED_S = 0.1
"""Requests that still run get this long."""


class Running:
    """Started when it is made. `last_words` runs in the loop before the requests that wait are ended."""

    def __init__(self, application: web.Application, port: int, last_words: Callable[[], None]) -> None:
        ready: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(_serve(application, port, ready, last_words)), daemon=True
        )
        self._thread.start()
        self.port, self._loop, self._stop = ready.result(STARTED_S)

    def call(self, function: Callable[[], None]) -> None:
        """In the server's loop, soon; from any thread."""
        self._loop.call_soon_threadsafe(function)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STARTED_S)
        assert not self._thread.is_alive()


async def _serve(
    application: web.Application,
    port: int,
    ready: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]],
    last_words: Callable[[], None],
) -> None:
    stop = asyncio.Event()
    # A request whose sender is gone is cancelled: a poll of a killed bot does not stand there as if it were alive.
    runner = web.AppRunner(
        application, access_log=None, handle_signals=False, handler_cancellation=True, shutdown_timeout=STOPPED_S
    )
    try:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
    except Exception as wrong:
        ready.set_exception(wrong)
        raise
    try:
        ready.set_result((runner.addresses[0][1], asyncio.get_running_loop(), stop))
        await stop.wait()
    finally:
        last_words()
        await runner.cleanup()
