"""The terminal as a platform: one line in, one reply block out; a prompt for people, plain text for pipes.

Nothing here stores anything: what was typed lives in the memory of this process only. The newest reply that
had buttons can be pressed by a label or its place.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import BinaryIO, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.history import InMemoryHistory

from bot.message import Button, Chat, Inbound, Reply, Shape
from store.model import AccountID
from store.ports import Clock

LINE_BYTES_MAX = 1024 * 1024
Handle = Callable[[Inbound], Awaitable[Reply | None]]


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who talks in this terminal, and where."""

    account: AccountID
    name: str
    chat: Chat


class TerminalSession:
    """One person at one terminal. `handle` is the gateway."""

    def __init__(self, speaker: Speaker, handle: Handle, clock: Clock) -> None:
        self.speaker = speaker
        self._handle = handle
        self._clock = clock
        self._buttons: tuple[Button, ...] = ()

    async def say(self, text: str, *, damaged: bool = False) -> list[Reply]:
        """What one line gets. A label or number of the newest reply's buttons presses it."""
        pressed = self._named(text)
        if pressed is not None:
            return await self.press_action(pressed.action)
        clean = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return await self._send(self._inbound(clean, None, damaged or clean != text))

    async def press(self, number: int) -> list[Reply]:
        """Presses the button at this place, counted from 1. Raises IndexError when there is none."""
        if not 1 <= number <= len(self._buttons):
            raise IndexError(number)
        return await self.press_action(self._buttons[number - 1].action)

    async def press_action(self, action: str) -> list[Reply]:
        return await self._send(self._inbound("", action, False))

    def show(self, reply: Reply) -> None:
        """Makes the buttons of a reply that was not asked for here (the greeting) the newest ones."""
        self._buttons = reply.buttons or self._buttons

    def inbound(self) -> Inbound:
        """An event of this person that says nothing."""
        return self._inbound("", None, False)

    async def _send(self, inbound: Inbound) -> list[Reply]:
        reply = await self._handle(inbound)
        if reply is None:
            return []
        self._buttons = reply.buttons or self._buttons
        return [reply]

    def _named(self, text: str) -> Button | None:
        wanted = text.strip()
        for place, button in enumerate(self._buttons, 1):
            if wanted.casefold() in (button.label.casefold(), str(place)):
                return button
        return None

    def _inbound(self, text: str, press: str | None, damaged: bool) -> Inbound:
        return Inbound(
            key="",  # a terminal cannot deliver twice
            chat=self.speaker.chat,
            account=self.speaker.account,
            name=self.speaker.name,
            text=text,
            at=self._clock.now(),
            press=press,
            damaged=damaged,
        )


def block(reply: Reply, *, buttons: bool = True) -> str:
    """A reply for a pipe: its words, then the labels in brackets; no colour, no control codes."""
    lines = [_plain(line.words) for line in reply.lines]
    if buttons and reply.buttons:
        lines.append(" ".join(f"[{button.label}]" for button in reply.buttons))
    return "\n".join(lines)


def screen(reply: Reply) -> str:
    """A reply for a person at a terminal: stored words indented, buttons numbered, toasts marked."""
    if reply.shape is Shape.TOAST:
        return "· " + _plain(reply.text)
    lines = [("  " if line.stored else "") + _plain(line.words) for line in reply.lines]
    if reply.buttons:
        lines.append("  ".join(f"{place} {button.label}" for place, button in enumerate(reply.buttons, 1)))
    return "\n".join(lines)


def _plain(words: str) -> str:
    """Control characters (an escape sequence in stored text would drive the terminal) become visible signs."""
    return "".join(
        chr(0x2400 + ord(c)) if ord(c) < 32 and c not in "\t\n" else c for c in words.replace("\x7f", "\u2421")
    )


async def talk(session: TerminalSession, prompt: str, out: TextIO) -> None:
    """A person at a real terminal, until Ctrl-D."""
    line_editor: PromptSession[str] = PromptSession(history=InMemoryHistory(), multiline=False)
    while True:
        try:
            text = await line_editor.prompt_async(prompt)
            while text.endswith("\\"):
                text = text[:-1] + "\n" + await line_editor.prompt_async("  ")
        except (EOFError, KeyboardInterrupt):
            return
        if text.strip():
            for reply in await session.say(text):
                print(screen(reply) + "\n", file=out, flush=True)


async def pipe(session: TerminalSession, source: BinaryIO, out: BinaryIO) -> bool:
    """Lines from a pipe, one reply block each, flushed before the next is read. False when a fault was met."""
    lines = _Lines(source)
    sound = True
    first = True
    while (raw := await lines.next()) is not None:
        while raw.endswith(b"\\") and (more := await lines.next()) is not None:
            raw = raw[:-1] + b"\n" + more
        text = raw.decode("utf-8", "replace")
        if not text.strip():
            continue
        damaged = "\ufffd" in text and b"\xef\xbf\xbd" not in raw
        for reply in await session.say(text, damaged=damaged):
            out.write((("" if first else "\n") + block(reply) + "\n").encode("utf-8", "replace"))
            out.flush()
            first = False
            sound = sound and not reply.failed
    return sound


class _Lines:
    """Reads one line at a time on a thread that never keeps the process alive."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()

    async def next(self) -> bytes | None:
        """The next line without its end, cut at 1 MiB; None at the end of input."""
        waiting: asyncio.Future[bytes | None] = self._loop.create_future()

        def read() -> None:
            line = self._source.readline(LINE_BYTES_MAX)
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = self._source.readline(LINE_BYTES_MAX)
            result = line.rstrip(b"\r\n") if line else None
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(_set, waiting, result)

        Thread(target=read, daemon=True, name="stdin").start()
        return await waiting


def _set(waiting: asyncio.Future[bytes | None], line: bytes | None) -> None:
    if not waiting.done():
        waiting.set_result(line)


def is_person(source: TextIO | None = None) -> bool:
    """Whether a person types here: both ends are terminals."""
    return (source or sys.stdin).isatty() and sys.stdout.isatty()
