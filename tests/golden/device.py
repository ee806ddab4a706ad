"""This side of a device's process: asks it things over a socket, one JSON line each, and ends it.

A `ForkServer` is one warmed-up interpreter; each device is a fork of it (a cold start costs half a second, a fork
some milliseconds). Only processes that were started here are ever ended, by their id.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ANSWER_TIMEOUT_S = 30


class DeviceBroke(AssertionError):
    """The application raised, or its process ended by itself."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A reply as it came out: its words, and (label, action) of each button."""

    text: str
    buttons: tuple[tuple[str, str], ...] = ()
    shape: str = "message"
    failed: bool = False


class ForkServer:
    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.golden.child", str(theirs.fileno())],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()

    def fork(self) -> socket.socket:
        """A line to a new process, which ends when the line does."""
        ours, theirs = socket.socketpair()
        socket.send_fds(self._socket, [b"fork"], [theirs.fileno()])
        theirs.close()
        ours.settimeout(ANSWER_TIMEOUT_S)
        return ours

    def close(self) -> None:
        self._socket.close()
        self._process.wait(timeout=10)


class Device:
    """One installation: a home that stays, and a process that comes and goes."""

    def __init__(
        self, name: str, home: Path, logs: Path, server: ForkServer, *, app: str, environment: dict[str, str]
    ) -> None:
        self.name = name
        self.home = home
        self.environment = environment
        self._app = app
        self._logs = logs
        self._server = server
        self._line: socket.socket | None = None
        self._lines: Any = None
        self._pid = 0
        self._starts = 0

    @property
    def running(self) -> bool:
        return self._line is not None

    def start(self, now: datetime) -> list[Shown]:
        """Nothing happens when it runs already."""
        if self._line is not None:
            return []
        self._starts += 1
        self._logs.mkdir(exist_ok=True)
        self._line = self._server.fork()
        self._lines = self._line.makefile("r", encoding="utf-8", newline="\n")
        return self._ask(
            now,
            "start",
            app=self._app,
            home=str(self.home),
            log=str(self._logs / f"{self.name}-{self._starts}.log"),
            seed=f"{self.name}-{self._starts}",
            environment=self.environment,
        )

    def open(self, now: datetime, person: str, group: str | None) -> None:
        self.start(now)
        self._ask(now, "open", person=person, group=group)

    def say(self, now: datetime, person: str, group: str | None, text: str) -> list[Shown]:
        self.start(now)
        return self._ask(now, "say", person=person, group=group, text=text)

    def press(self, now: datetime, person: str, group: str | None, number: int) -> list[Shown]:
        self.start(now)
        return self._ask(now, "press", person=person, group=group, number=number)

    def press_action(self, now: datetime, person: str, group: str | None, action: str) -> list[Shown]:
        self.start(now)
        return self._ask(now, "press_action", person=person, group=group, action=action)

    def run_due(self, now: datetime) -> list[Shown]:
        self.start(now)
        return self._ask(now, "run_due")

    def settled(self, now: datetime) -> None:
        """Of one that listens: sets its clock, and returns when nothing waits to be handled or to leave."""
        self._ask(now, "settled")

    def end_pauses(self, now: datetime) -> None:
        """Of one that listens: whatever it waits for before it tries again, it tries now."""
        self._ask(now, "end_pauses")

    def sync(self, now: datetime) -> None:
        """One pass over the folder."""
        self.start(now)
        self._ask(now, "sync")

    def command(self, now: datetime, what: str, **facts: str) -> str:
        """`folder`, `invite`, `join` or `invited`: what that command about devices says with `--yes`."""
        self.start(now)
        (said,) = self._ask(now, what, **facts)
        return said.text

    def fault(self, now: datetime, name: str) -> None:
        self.start(now)
        self._ask(now, "fault", name=name)

    def stop(self) -> None:
        """A clean end, waited for."""
        if self._line is not None:
            self._ask(None, "close")
            self._hang_up()

    def kill(self) -> None:
        if self._line is not None:
            os.kill(self._pid, signal.SIGKILL)
            self._hang_up()

    def log(self) -> str:
        paths = sorted(self._logs.glob(f"{self.name}-*.log"))
        return "\n".join(path.read_text(encoding="utf-8") for path in paths)

    def _hang_up(self) -> None:
        assert self._line is not None
        while self._lines.readline():  # until the process has let go of the line
            pass
        self._lines.close()
        self._line.close()
        self._line = self._lines = None

    def _ask(self, now: datetime | None, what: str, **facts: object) -> list[Shown]:
        assert self._line is not None
        request = {"do": what, "now": now.isoformat() if now else None, **facts}
        self._line.sendall(json.dumps(request).encode() + b"\n")
        try:
            line = self._lines.readline()
        except TimeoutError:
            raise DeviceBroke(
                f"{self.name} did not answer {what} within {ANSWER_TIMEOUT_S} s{self._errors()}"
            ) from None
        if not line:
            raise DeviceBroke(f"{self.name} ended by itself during {what}{self._errors()}")
        answer = json.loads(line)
        self._pid = answer["pid"]
        if answer.get("broke"):
            raise DeviceBroke(f"{self.name} raised during {what}:\n{answer['broke']}")
        return [
            Shown(
                reply["text"],
                tuple((button["label"], button["action"]) for button in reply["buttons"]),
                reply["shape"],
                reply["failed"],
            )
            for reply in answer["replies"]
        ]

    def _errors(self) -> str:
        return "".join("\n" + path.read_text(encoding="utf-8") for path in sorted(self._logs.glob("*.stderr")))
