"""A child process for the kill sweep over backup and restore: it ends itself by SIGKILL before the n-th step on files.

`python -m tests.faults.restore_child WHAT HOME FILE [--at N]`. A step is whatever Python's audit events tell of opening,
making, renaming and removing below the folder that holds `HOME`. Ending in peace it says on standard error how many
there were.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

from bot import restoring
from bot.app import App
from bot.config import load
from store import backup
from tests.fakes import FakeClock, FakeEntropy
from tests.faults.child import serve

PASSPHRASE = "four quiet herons"
STEPS = frozenset(
    {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "sqlite3.connect"}
)


class Steps:
    """Counts what happens below `root`, from its making on."""

    def __init__(self, root: Path, at: int) -> None:
        self.counted = 0
        self._root = os.fsencode(root)
        self._at = at
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in STEPS and any(self._is_below(one) for one in arguments):
            self.counted += 1
            if self.counted == self._at:
                os.kill(os.getpid(), signal.SIGKILL)

    def _is_below(self, path: object) -> bool:
        return isinstance(path, str | bytes | os.PathLike) and self._root in os.fsencode(path)


async def act(what: str, home: Path, file: Path) -> None:
    clock = FakeClock()
    if what == "backup":
        backup.make(
            home, file, PASSPHRASE,
            settings=None, now=clock.now(), entropy=FakeEntropy("backup"), overwrite=True, log_n=4,
        )  # fmt: skip
    elif what == "restore":
        await restoring.restore(
            home, file, PASSPHRASE,
            settings=None, force=True, clock=clock, entropy=FakeEntropy("restore"), log_n=4,
        )  # fmt: skip
    else:
        app = await App.start(home, load(home / "niannian.toml", {}), clock, FakeEntropy("start"), login="Lin")
        await app.close()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("backup", "restore", "start"))
    parser.add_argument("home", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--at", type=int, default=0)
    given = parser.parse_args(arguments)
    steps = Steps(given.home.parent, given.at)
    asyncio.run(act(given.what, given.home, given.file))
    print(steps.counted, file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(socket.socket(fileno=int(sys.argv[2])), main)
    else:
        main(sys.argv[1:])
