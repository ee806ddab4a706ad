"""The service in a process of its own for the load: `python bench/load_bot.py HOME URL`.

It is `niannian run` without the command line, at a pace that no real Telegram bears: what is measured is ours.
Prints a line when it listens, and ends with its standard input.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

import world

from bot.app import App
from bot.config import load
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.limits import Limits
from bot.running import Running
from bot.words import words
from store.clock import SystemClock, SystemEntropy
from tests.emulators.telegram.server import TOKEN

MANY = 100_000


async def main(home: Path, url: str) -> None:
    clock, entropy = SystemClock(), SystemEntropy()
    app = await App.start(home, load(home / "niannian.toml", {}), clock, entropy, zone=world.ZONE, lang="en")
    limits = Limits(
        chat_per_s=MANY, chat_burst=MANY, group_per_min=MANY * 60, group_burst=MANY, all_per_s=MANY, all_burst=MANY
    )
    platform = TelegramPlatform(TOKEN, url, clock, entropy, limits)
    running = Running(app, [platform], words("en"), clock=clock, entropy=entropy, tell=lambda line: None)
    await running.start()
    app.start_timer()
    print("listening", flush=True)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()
    await running.service.settled()
    await running.close()
    await app.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
