"""A command that asks back: what it says in blocks, what it asks with buttons or as a line to type.

At a terminal a question waits at a prompt; in a pipe the next line answers it. No answer (end of input, Ctrl-C) is
the last button, which is the safe one, and no line. `--yes` is the first button, without asking.
"""

from __future__ import annotations

import sys
from typing import BinaryIO

from bot.message import Button, Line, Reply
from bot.platforms import terminal

TRIES_MAX = 5
"""Of a question whose answer is none of its buttons."""


class Dialogue:
    """`person`: a terminal at both ends; None looks."""

    def __init__(
        self,
        *,
        prompt: str,
        yes: bool = False,
        source: BinaryIO | None = None,
        out: BinaryIO | None = None,
        person: bool | None = None,
    ) -> None:
        self.yes = yes
        self.is_person = terminal.is_person() if person is None else person
        self._prompt = prompt
        self._lines = terminal.Lines(source or sys.stdin.buffer)
        self._out = out or sys.stdout.buffer
        self._first = True

    def say(self, *lines: str) -> None:
        self._show(Reply(tuple(Line(line) for text in lines for line in text.split("\n"))))

    def picture(self, text: str) -> None:
        """Drawn only where a person looks: a pipe has no use for it."""
        if self.is_person:
            self._write(text + "\n\n")

    async def choose(self, lines: tuple[str, ...], buttons: tuple[str, ...]) -> int:
        """The place of the button that was pressed, from 0."""
        shown = tuple(Button(label, str(place)) for place, label in enumerate(buttons))
        self._show(Reply(tuple(Line(line) for text in lines for line in text.split("\n")), shown))
        if self.yes:
            return 0
        for _ in range(TRIES_MAX):
            typed = await self._line()
            if typed is None:
                break
            for place, label in enumerate(buttons):
                if typed.strip().casefold() in (label.casefold(), str(place + 1)):
                    return place
            if self.is_person:  # in a pipe nobody reads it
                self._show(Reply((), shown))
        return len(buttons) - 1

    async def ask(self, *lines: str) -> str | None:
        """The line that was typed; None for no answer."""
        self.say(*lines)
        return await self._line()

    async def _line(self) -> str | None:
        if not self.is_person:
            raw = await self._lines.next()
            return None if raw is None else raw.decode("utf-8", "replace")
        return await terminal.line(self._prompt)

    def _show(self, reply: Reply) -> None:
        if self.is_person:
            self._write(terminal.screen(reply) + "\n\n")
        else:
            self._write(("" if self._first else "\n") + terminal.block(reply) + "\n")
        self._first = False

    def _write(self, text: str) -> None:
        self._out.write(text.encode("utf-8", "replace"))
        self._out.flush()
