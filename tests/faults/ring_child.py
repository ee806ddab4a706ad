"""A child process for the kill sweep of a ring: the service at the moment when a reminder is due, on an emulated Telegram.

`python -m tests.faults.ring_child HOME URL NOW --at N --how kill-before [--only COMMIT]` rings what is due at NOW and
ends when it has left; at the n-th statement it ends itself by SIGKILL. On standard error: how many statements there were.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import sys
from datetime import datetime
from pathlib import Path

from bot.app import App
from bot.config import load
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.limits import Limits
from bot.ports import Listening
from bot.running import Running
from bot.words import words
from store.clock import SystemEntropy
from tests.emulators.telegram.server import TOKEN
from tests.fakes import FakeClock
from tests.faults.child import serve
from tests.faults.raising import Failing, Plan, factory_of
from tests.waits import WAIT_S


async def ring(home: Path, url: str, now: datetime, plan: Plan) -> None:
    at, clock, entropy = plan.at, FakeClock(now), SystemEntropy()
    plan.at = 0
    app = await App.start(home, load(home / "niannian.toml", {}), clock, entropy, factory=factory_of(plan), login="Lin")
    plan.begin(at, plan.failing, only=plan.only)
    limits = Limits(
        chat_per_s=1000, chat_burst=1000, group_per_min=60_000, group_burst=1000, all_per_s=1000, all_burst=1000
    )
    platform = TelegramPlatform(TOKEN, url, clock, entropy, limits, poll_s=5)
    running = Running(app, [platform], words("en"), clock=clock, entropy=entropy, tell=lambda line: None)
    await running.start()
    async with asyncio.timeout(WAIT_S):
        while platform.listening is not Listening.OPEN:
            await asyncio.sleep(0.001)
        for _ in range(2):
            await app.ringing.tick()
            await running.service.settled()
    await running.close()
    await app.close()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("url")
    parser.add_argument("now", type=datetime.fromisoformat)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--how", type=Failing, default=Failing.KILL_BEFORE)
    parser.add_argument("--only", default="")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING)
    plan = Plan(given.at, given.how, only=given.only)
    asyncio.run(ring(given.home, given.url, given.now, plan))
    print(plan.counted, file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(socket.socket(fileno=int(sys.argv[2])), main)
    else:
        main(sys.argv[1:])
