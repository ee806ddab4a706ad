"""A child process that holds a home and serves its door, until its standard input ends or it ends itself.

`python -m tests.faults.door_child HOME --at N --how kill-before [--only COMMIT]` ends itself by SIGKILL at the n-th
statement, counted from when its home is open and one call was made. It says `ready` when others may ask.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from pathlib import Path

from bot.app import App
from bot.config import load
from bot.door import DoorScope, LocalDoor
from bot.door_socket import DoorServer
from store.clock import SystemEntropy
from tests.fakes import FakeClock
from tests.faults.child import serve
from tests.faults.raising import Failing, Plan, factory_of
from tests.faults.service_child import _ended


async def hold(home: Path, plan: Plan) -> None:
    at, plan.at = plan.at, 0
    app = await App.start(
        home, load(home / "niannian.toml", {}), FakeClock(), SystemEntropy(), factory=factory_of(plan), login="Lin"
    )
    door = LocalDoor(app)
    await door.call("tasks_list", DoorScope(), {}, "mcp/holder/1")
    server = DoorServer(home, door)
    await server.start()
    plan.begin(at, plan.failing, only=plan.only)
    print("ready", flush=True)
    await _ended(sys.stdin.fileno())
    await server.close()
    await app.close()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--how", type=Failing, default=Failing.KILL_BEFORE)
    parser.add_argument("--only", default="")
    given = parser.parse_args(arguments)
    plan = Plan(given.at, given.how, only=given.only)
    asyncio.run(hold(given.home, plan))
    print(plan.counted, file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(socket.socket(fileno=int(sys.argv[2])), main)
    else:
        main(sys.argv[1:])
