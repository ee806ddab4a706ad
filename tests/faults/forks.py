"""Processes that cost milliseconds: forks of one warmed-up interpreter (see `child.py`), each with its own pipes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "LANG": "en_US.UTF-8", "TZ": "UTC", "NIANNIAN_PERSON_LANG": "en"}
WAIT_S = 60


@dataclass(frozen=True, slots=True)
class Ended:
    status: int
    """Negative: the signal that ended it."""
    out: str
    errors: str


class Forks:
    """`child`: the module whose `main` each fork runs."""

    def __init__(self, child: str = "tests.faults.child") -> None:
        self._line, theirs = socket.socketpair()
        self._line.settimeout(WAIT_S)
        self._server = subprocess.Popen(
            [sys.executable, "-m", child, "--serve", str(theirs.fileno())],
            cwd=ROOT, env=ENVIRONMENT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
        )  # fmt: skip
        theirs.close()

    def start(self, arguments: Sequence[str], *descriptors: int) -> int:
        """The id of a new process with these as standard input, output and error."""
        socket.send_fds(self._line, [json.dumps(list(arguments)).encode()], descriptors)
        return int(self._line.recv(100))

    def wait(self, process: int) -> int:
        """Its status. One that does not end is killed, which frees the server too."""
        self._line.sendall(json.dumps(process).encode())
        try:
            return int(self._line.recv(100))
        except TimeoutError:
            self.kill(process)
            self._line.recv(100)
            raise AssertionError(f"it did not end within {WAIT_S} s") from None

    def run(self, arguments: Sequence[str], lines: Sequence[str] = ()) -> Ended:
        """To its end or its death, with these lines on standard input."""
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            said.write("".join(line + "\n" for line in lines).encode())
            said.seek(0)
            process = self.start(arguments, said.fileno(), out.fileno(), errors.fileno())
            status = self.wait(process)
            return Ended(status, _all_of(out), _all_of(errors))

    def kill(self, process: int) -> None:
        os.kill(process, signal.SIGKILL)

    def close(self) -> None:
        self._line.close()
        self._server.wait(WAIT_S)


def _all_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
