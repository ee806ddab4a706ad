"""A child process for the kill sweep of the service: the running program on an emulated Telegram in another process.

`python -m tests.faults.service_child HOME URL --at N --how kill-before [--only COMMIT]` ends itself by SIGKILL at the
n-th statement, counted from when its home is open. It listens until its standard input ends, then until nothing is
left to handle or to send, and says on standard error how many statements there were.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import sys
from pathlib import Path

from bot.app import App
from bot.config import load
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.limits import Limits
from bot.running import Running
from bot.words import words
from store.clock import SystemEntropy
from tests.emulators.telegram.server import TOKEN
from tests.fakes import FakeClock
from tests.faults.child import serve
from tests.faults.raising import Failing, Plan, factory_of


async def listen(home: Path, url: str, plan: Plan) -> None:
    at, clock, entropy = plan.at, FakeClock(), SystemEntropy()
    plan.at = 0
    app = await App.start(home, load(home / "niannian.toml", {}), clock, entropy, factory=factory_of(plan), login="Lin")
    plan.begin(at, plan.failing, only=plan.only)
    limits = Limits(
        chat_per_s=1000, chat_burst=1000, group_per_min=60_000, group_burst=1000, all_per_s=1000, all_burst=1000
    )
    platform = TelegramPlatform(TOKEN, url, clock, entropy, limits, poll_s=5)
    running = Running(app, [platform], words("en"), clock=clock, entropy=entropy, tell=lambda line: None)
    await running.start()
    await _ended(sys.stdin.fileno())
    await running.service.settled()
    await running.close()
    await app.close()


async def _ended(descriptor: int) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, ended.set)
    await ended.wait()
    loop.remove_reader(descriptor)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("url")
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--how", type=Failing, default=Failing.KILL_BEFORE)
    parser.add_argument("--only", default="")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING)
    plan = Plan(given.at, given.how, only=given.only)
    asyncio.run(listen(given.home, given.url, plan))
    print(plan.counted, file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(socket.socket(fileno=int(sys.argv[2])), main)
    else:
        main(sys.argv[1:])
