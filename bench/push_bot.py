"""The service in a process of its own for the pushes: `python bench/push_bot.py HOME URL`.

It is `niannian run` without the command line, at its real pace. Prints a line of JSON when it listens and after every
tick; a line on its standard input asks for a tick, and its end for the end.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

from push_home import ZONE

from bot.app import App
from bot.config import load
from bot.platforms.telegram.edge import TelegramPlatform
from bot.running import Running
from bot.words import words
from store.clock import SystemClock, SystemEntropy
from tests.emulators.telegram.server import TOKEN


def tell(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


def timed(tick: Callable[[], Awaitable[datetime | None]]) -> Callable[[], Awaitable[datetime | None]]:
    async def run() -> datetime | None:
        start, worked = time.monotonic(), time.process_time()
        next_at = await tick()
        took, work = time.monotonic() - start, time.process_time() - worked
        tell(tick=took, cpu=work, next=None if next_at is None else next_at.timestamp())
        return next_at

    return run


async def main(home: Path, url: str) -> None:
    start = time.monotonic()
    clock, entropy = SystemClock(), SystemEntropy()
    app = await App.start(home, load(home / "niannian.toml", {}), clock, entropy, zone=ZONE, lang="en")
    opened = time.monotonic() - start
    platform = TelegramPlatform(TOKEN, url, clock, entropy)
    running = Running(app, [platform], words("en"), clock=clock, entropy=entropy, tell=lambda line: None)
    await running.start()
    app.start_timer()
    app.ringing.tick = timed(app.ringing.tick)  # type: ignore[method-assign]
    tell(opened=opened, listening=time.monotonic() - start)
    await app.start_alarm(time.monotonic)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), lambda: _line(app, ended))
    await ended.wait()
    await running.service.settled()
    await running.close()
    await app.close()


def _line(app: App, ended: asyncio.Event) -> None:
    if os.read(sys.stdin.fileno(), 100):
        app.gateway.timed()
    else:
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        ended.set()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
