"""A child process for the kill sweep: the real program, with the statement seam when it is asked for.

`python -m tests.faults.child HOME --at N --how kill-before [--only COMMIT] [--ahead MINUTES]` talks in a pipe like
`niannian chat` and ends itself by SIGKILL at the n-th statement, counted from the opening of the home.
Ending in peace it says on standard error how many statements there were. `--bot` is the program itself, by its
command line. `python -m tests.faults.child --serve FD` is the warmed-up interpreter that all others are forks of.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import socket
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from bot.app import App
from bot.cli import cli
from bot.config import load
from bot.platforms import terminal
from store.clock import SystemEntropy
from tests.fakes import FakeClock
from tests.faults.raising import Failing, Plan, factory_of
from tests.warm import warm


async def talk(home: Path, plan: Plan, ahead: timedelta) -> None:
    clock = FakeClock()
    clock.advance(ahead)
    app = await App.start(
        home, load(home / "niannian.toml", {}), clock, SystemEntropy(), factory=factory_of(plan), login="Lin"
    )
    try:
        await terminal.pipe(await app.session(), sys.stdin.buffer, sys.stdout.buffer)
    finally:
        await app.close()


def main(arguments: list[str]) -> None:
    if arguments[0] == "--bot":
        cli(arguments[1:], prog_name="niannian")
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--how", type=Failing, default=Failing.KILL_BEFORE)
    parser.add_argument("--only", default="")
    parser.add_argument("--ahead", type=int, default=0)
    given = parser.parse_args(arguments)
    plan = Plan(given.at, given.how, only=given.only)
    asyncio.run(talk(given.home, plan, timedelta(minutes=given.ahead)))
    print(plan.counted, file=sys.stderr)


def serve(line: socket.socket, run: Callable[[list[str]], None] = main) -> None:
    """For each request with three descriptors: a fork, and its id; for each id: its end, and its status."""
    warm()
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(line, 65536, 3)
        if not message:
            return
        request = json.loads(message)
        if isinstance(request, int):
            answer = os.waitstatus_to_exitcode(os.waitpid(request, 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                line.close()
                for target, descriptor in enumerate(descriptors):
                    os.dup2(descriptor, target)
                    os.close(descriptor)
                run(request)
                return
            for descriptor in descriptors:
                os.close(descriptor)
        line.sendall(json.dumps(answer).encode())


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(socket.socket(fileno=int(sys.argv[2])))
    else:
        main(sys.argv[1:])
