"""A child process for the kill sweep over import and export: it ends itself by SIGKILL at the n-th step.

`python -m tests.faults.exchange_child import|undo|export|words-import|words-undo HOME PATH [--at N] [--files N]`. `--at` counts statements of the
databases, `--files` what Python's audit events tell of files below PATH. Ending in peace it says how many there were.
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
from store.clock import SystemEntropy
from tests.fakes import FakeClock
from tests.faults.child import serve
from tests.faults.raising import Failing, Plan, factory_of
from tests.faults.restore_child import Steps


async def act(what: str, home: Path, path: Path, plan: Plan) -> None:
    app = await App.start(
        home, load(home / "niannian.toml", {}), FakeClock(), SystemEntropy(), factory=factory_of(plan), login="Lin"
    )
    try:
        door = LocalDoor(app)
        arguments = {"path": str(path), "taken": "rename", "dry": False, "ask": False, "format": "tree"}
        await door.call({"undo": "import-undo"}.get(what, what), DoorScope(), arguments, f"cli/child/{what}")
    finally:
        await app.close()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("import", "undo", "export", "words-import", "words-undo"))
    parser.add_argument("home", type=Path)
    parser.add_argument("path", type=Path)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--files", type=int, default=0)
    given = parser.parse_args(arguments)
    plan = Plan(given.at, Failing.KILL_BEFORE)
    steps = Steps(given.path.parent, given.files)
    asyncio.run(act(given.what, given.home, given.path, plan))
    print(plan.counted, steps.counted, file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(socket.socket(fileno=int(sys.argv[2])), main)
    else:
        main(sys.argv[1:])
