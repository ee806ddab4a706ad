"""The console script on a pseudo-terminal: what a person would read there, as replies.

`Screen` is the little of a terminal that prompt_toolkit and rich use, wide and tall enough that nothing wraps or
scrolls away. Queries (cursor position, device attributes) get a harmless answer; colour and the like are dropped.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

from wcwidth import wcwidth

from tests.golden.device import ROOT, Shown

ROWS = 200
COLUMNS = 1000
SETTLE_TIMEOUT_S = 20.0
QUIET_AT_PROMPT_S = 0.15
QUIET_S = 2.0
"""Without a prompt in sight, silence this long means that it waits."""

PROMPT = re.compile(r"(?:\S{1,24} )?[>›❯»]")
_BUTTON_ROW = re.compile(r"1 \S.*")
_BUTTON = re.compile(r"(\d) (.+?)(?=  \d |$)")
_ESCAPE = re.compile(
    r"\x1b\[(?P<args>[0-9;?<>=!]*)[ ]?(?P<final>[@-~])"  # CSI
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS and its kin
    r"|\x1b[()*+][A-Za-z0-9]|\x1b[=>78cDEHMNOZ]"
)


class Screen:
    """Rows of cells, a cursor, and the bytes to answer with."""

    def __init__(self) -> None:
        self.row = 0
        self.column = 0
        self.replies = b""
        self._rows: list[list[str]] = [[]]
        self._rest = ""

    def feed(self, text: str) -> None:
        text = self._rest + text
        self._rest = ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
            elif match := _ESCAPE.match(text, at):
                if match["final"]:
                    self._control(match["args"], match["final"])
                at = match.end()
            elif len(text) - at < 64:  # the rest of the sequence is still on its way
                self._rest = text[at:]
                return
            else:
                at += 1

    def lines(self, start: int = 0, end: int | None = None) -> list[str]:
        return ["".join(row).rstrip(" ") for row in self._rows[start:end]]

    def _put(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._move(self.row + 1)
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character >= " " and character != "\x7f":
            width = wcwidth(character)
            row = self._rows[self.row]
            if width <= 0:
                if self.column and self.column <= len(row):
                    row[self.column - 1] += character
                return
            row.extend(" " * (self.column + width - len(row)))
            row[self.column : self.column + width] = [character, *[""] * (width - 1)]
            self.column += width

    def _move(self, row: int) -> None:
        self.row = max(0, row)
        while len(self._rows) <= self.row:
            self._rows.append([])

    def _control(self, args: str, final: str) -> None:
        numbers = [int(number) if number.isdigit() else 0 for number in args.split(";")]
        first = numbers[0]
        row = self._rows[self.row]
        match final:
            case "A":
                self._move(self.row - max(1, first))
            case "B" | "E":
                self._move(self.row + max(1, first))
            case "C":
                self.column += max(1, first)
            case "D":
                self.column = max(0, self.column - max(1, first))
            case "G":
                self.column = max(1, first) - 1
            case "H" | "f":
                self._move(max(1, first) - 1)
                self.column = max(1, numbers[1] if len(numbers) > 1 else 1) - 1
            case "J" if first == 0:
                del row[self.column :]
                del self._rows[self.row + 1 :]
            case "J":
                self._rows = [[] for _ in self._rows]
            case "K" if first == 0:
                del row[self.column :]
            case "K":
                row[:] = []
            case "n" if args == "6":
                self.replies += f"\x1b[{min(self.row + 1, ROWS)};{self.column + 1}R".encode()
            case "c" if args in ("", "0"):
                self.replies += b"\x1b[?1;2c"
            case _:
                pass


class PtyProcess:
    """`niannian …` as a child on a pseudo-terminal of its own."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: dict[str, str],
        program: Sequence[str] = (sys.executable, "-m", "bot"),
    ) -> None:
        self._screen = Screen()
        self._mark = 0
        self._typed = ""
        self._buttons: tuple[tuple[str, str], ...] = ()
        self._ended = False
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NIANNIAN_")}
        try:
            self._process = subprocess.Popen(
                [*program, *arguments],
                cwd=folder,
                env={
                    **kept,
                    "PYTHONPATH": str(ROOT),
                    "PYTHONIOENCODING": "utf-8",
                    "LC_ALL": "C.UTF-8",
                    "TERM": "xterm",
                    "TZ": "Asia/Shanghai",
                    **environment,
                },
                stdin=slave,
                stdout=slave,
                stderr=slave,
                start_new_session=True,
            )
        finally:
            os.close(slave)

    def type(self, text: str) -> list[Shown]:
        """Types a line and Enter; returns what came of it."""
        self._mark = self._screen.row
        self._typed = text
        os.write(self._master, text.encode() + b"\r")
        return self.settle()

    def number_of(self, label: str) -> int | None:
        """The place of `label` in the newest row of buttons."""
        labels = [shown for shown, _action in self._buttons]
        return labels.index(label) + 1 if label in labels else None

    def settle(self) -> list[Shown]:
        """Reads until it waits for someone or ends; returns the replies since the last time."""
        deadline = time.monotonic() + SETTLE_TIMEOUT_S
        while not self._ended and time.monotonic() < deadline:
            at_prompt = self._at_prompt()
            if not self._read(QUIET_AT_PROMPT_S if at_prompt else QUIET_S) and (at_prompt or self._new_lines()):
                break
        replies = as_replies(self._new_lines())
        # What comes next goes on in this row while nothing stands in it.
        fresh = self._at_prompt() or not self._screen.lines(self._screen.row)[0]
        self._mark = self._screen.row if fresh else self._screen.row + 1
        self._typed = ""
        for reply in replies:
            self._buttons = reply.buttons or self._buttons
        return replies

    def status(self, *, wait_s: float) -> int | None:
        deadline = time.monotonic() + wait_s
        while not self._ended and time.monotonic() < deadline:
            self._read(0.1)
        try:
            return self._process.wait(timeout=max(0.0, wait_s))
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """Hangs up, as a closed window does; what does not end then is ended."""
        if self._process.poll() is None:
            self._process.terminate()
            deadline = time.monotonic() + 10
            while self._process.poll() is None and time.monotonic() < deadline:
                self._read(0.05)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def _at_prompt(self) -> bool:
        line = self._screen.lines(self._screen.row, self._screen.row + 1)[0]
        fresh = self._screen.row > self._mark or not self._typed
        return fresh and PROMPT.fullmatch(line) is not None

    def _new_lines(self) -> list[str]:
        """Rows since the mark, without the line that was typed and the waiting prompt."""
        end = self._screen.row if self._at_prompt() else None
        lines = self._screen.lines(self._mark, end)
        if self._typed and lines and lines[0].endswith(self._typed):
            lines = lines[1:]
        return lines if any(lines) else []

    def _read(self, wait_s: float) -> bool:
        """False when nothing came within `wait_s`, or ever will."""
        if self._ended or not select.select([self._master], [], [], wait_s)[0]:
            return False
        try:
            raw = os.read(self._master, 1 << 16)
        except OSError:  # Linux says EIO when the last process let go of the terminal
            raw = b""
        if not raw:
            self._ended = True
            return False
        self._screen.feed(self._decoded(raw))
        if self._screen.replies:
            os.write(self._master, self._screen.replies)
            self._screen.replies = b""
        return True

    _half = b""

    def _decoded(self, raw: bytes) -> str:
        """Text of whole characters; a half one waits for its other half."""
        raw = self._half + raw
        for cut in range(min(4, len(raw) + 1)):
            whole = raw[: len(raw) - cut]
            try:
                text = whole.decode()
            except UnicodeDecodeError:
                continue
            self._half = raw[len(raw) - cut :]
            return text
        self._half = b""
        return raw.decode("utf-8", "replace")


def as_replies(lines: Sequence[str]) -> list[Shown]:
    """Blocks of lines between empty ones, turned back: buttons, stored words, toasts (VOICE §1, “rendering”)."""
    replies: list[Shown] = []
    block: list[str] = []
    for line in [*lines, ""]:
        if line:
            block.append(line)
        elif block:
            replies.append(_as_reply(block))
            block = []
    return replies


def _as_reply(lines: list[str]) -> Shown:
    buttons: tuple[tuple[str, str], ...] = ()
    if len(lines) > 1 and _BUTTON_ROW.fullmatch(lines[-1]):
        row = _BUTTON.findall(lines[-1])
        if [number for number, _label in row] == [str(at) for at in range(1, len(row) + 1)]:
            buttons = tuple((label, number) for number, label in row)
            lines = lines[:-1]
    if lines[0].startswith("· "):
        return Shown("\n".join([lines[0][2:], *lines[1:]]), buttons, "toast")
    return Shown("\n".join(line.removeprefix("  ") for line in lines), buttons, "any")
