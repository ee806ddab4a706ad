"""The terminal as a platform: one line in, one reply block out; a prompt for people, plain text for pipes.

Nothing here stores anything: what was typed lives in the memory of this process only. The newest reply that
had buttons can be pressed by a label or its place.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any, BinaryIO, TextIO, TypeVar

from bot import heat_map
from bot.message import Button, Chat, Inbound, Reply, Shape
from store.model import AccountID
from store.ports import Clock

T = TypeVar("T")

LINE_BYTES_MAX = 1024 * 1024
CHUNK_BYTES = 64 * 1024
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
        self._meant: tuple[Button, ...] | None = None
        """What a line that was begun before the newest buttons came may press."""

    async def say(self, text: str, *, damaged: bool = False) -> list[Reply]:
        """What one line gets. A label or number of the newest reply's buttons presses it."""
        pressed = self._named(text, self._buttons if self._meant is None else self._meant)
        self._meant = None
        if pressed is not None:
            return await self.press_action(pressed.action)
        clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # a lone half is one sign
        return await self._send(self._inbound(clean, None, damaged or clean != text))

    async def press(self, number: int) -> list[Reply]:
        """Presses the button at this place, counted from 1. Raises IndexError when there is none."""
        if not 1 <= number <= len(self._buttons):
            raise IndexError(number)
        return await self.press_action(self._buttons[number - 1].action)

    async def press_action(self, action: str) -> list[Reply]:
        return await self._send(self._inbound("", action, False))

    def show(self, reply: Reply, *, while_typing: bool = False) -> None:
        """Makes the buttons of a reply that was not asked for here the newest ones, but for the line being typed."""
        if while_typing and self._meant is None:
            self._meant = self._buttons
        self._buttons = reply.buttons or self._buttons

    def inbound(self) -> Inbound:
        """An event of this person that says nothing."""
        return self._inbound("", None, False)

    async def _send(self, inbound: Inbound) -> list[Reply]:
        reply = await self._handle(inbound)
        if reply is None:
            return []
        if reply.buttons or reply.shape is Shape.EDIT:  # an edit without buttons has taken the pressed ones away
            self._buttons = reply.buttons
        return [reply]

    def _named(self, text: str, buttons: tuple[Button, ...]) -> Button | None:
        wanted = text.strip()
        for place, button in enumerate(buttons, 1):
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
    """A reply for a person at a terminal: stored words indented, buttons numbered, toasts marked, a picture in signs."""
    if reply.shape is Shape.TOAST:
        return "· " + _plain(reply.text)
    lines = [("  " if line.stored else "") + _plain(line.words) for line in reply.lines]
    if reply.picture is not None:
        lines.append(heat_map.text(reply.picture))
    if reply.buttons:
        lines.append("  ".join(f"{place} {button.label}" for place, button in enumerate(reply.buttons, 1)))
    return "\n".join(lines)


def _plain(words: str) -> str:
    """Stored text may hold escape sequences and bidi marks, which would drive the terminal or turn the line around."""
    return words.translate(_HARMLESS)


_HARMLESS: dict[int, str | None] = {
    **{code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], None),
    **dict.fromkeys((0x2028, 0x2029), " "),
}
"""Control characters become visible signs (C1 ones have none); marks that override direction are not shown."""


async def talk(session: TerminalSession, prompt: str, out: TextIO) -> None:
    """A person at a real terminal, until Ctrl-D."""
    from prompt_toolkit import PromptSession  # heavy, and a pipe has no use for it
    from prompt_toolkit.history import InMemoryHistory

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


def show_above(session: TerminalSession, reply: Reply, out: TextIO) -> None:
    """Prints what nobody asked for above the prompt; a line that is being typed stays as it is."""
    from prompt_toolkit.application import get_app, run_in_terminal

    session.show(reply, while_typing=bool(get_app().current_buffer.text))
    run_in_terminal(partial(print, screen(reply) + "\n", file=out, flush=True))


async def line(prompt: str) -> str | None:
    """One line typed by a person; None for Ctrl-D and Ctrl-C."""
    from prompt_toolkit import PromptSession

    line_editor: PromptSession[str] = PromptSession()
    try:
        return await line_editor.prompt_async(prompt)
    except (EOFError, KeyboardInterrupt):
        return None


async def pipe(session: TerminalSession, source: BinaryIO, out: BinaryIO) -> bool:
    """Lines from a pipe, one reply block each, flushed before the next is read. False when a fault was met."""
    lines = Lines(source)
    show = _writing(out)
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
            shown = (("" if first else "\n") + block(reply) + "\n").encode("utf-8", "replace")
            await _blocking(partial(show, shown))
            first = False
            sound = sound and not reply.failed
    return sound


class Lines:
    """Lines out of chunks that are read one at a time."""

    def __init__(self, source: BinaryIO) -> None:
        self._read = _reading(source)
        self._held = b""

    async def next(self) -> bytes | None:
        """The next line without its end, cut at 1 MiB; None at the end of input."""
        line = b""
        while b"\n" not in self._held:
            if len(line) < LINE_BYTES_MAX:
                line += self._held
            self._held = await _blocking(self._read)
            if not self._held:
                return line[:LINE_BYTES_MAX].rstrip(b"\r\n") if line else None
        rest, _, self._held = self._held.partition(b"\n")
        return (line + rest)[:LINE_BYTES_MAX].rstrip(b"\r\n")


def _reading(source: BinaryIO) -> Callable[[], bytes]:
    """Gives the next chunk, b"" at the end. Goes past Python's own buffer when there is a descriptor.

    A thread caught inside that buffer holds its lock, and the interpreter aborts instead of ending.
    """
    try:
        descriptor = source.fileno()
    except OSError:
        return partial(source.read, CHUNK_BYTES)

    def read() -> bytes:
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except OSError:  # the terminal at the other end is gone
            return b""

    return read


def _writing(out: BinaryIO) -> Callable[[bytes], object]:
    """Puts all of it out before it returns; past Python's own buffer, for the same reason."""
    try:
        descriptor = out.fileno()
    except OSError:
        return out.write

    def write(shown: bytes) -> None:
        left = memoryview(shown)
        while left:
            left = left[os.write(descriptor, left) :]

    return write


async def _blocking(work: Callable[[], T]) -> T:
    """Runs what may wait for ever on a thread that keeps no process alive. Raises what `work` raises."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            done = partial(_settle, waiting, work(), None)
        except Exception as error:  # carried over to whoever waits
            done = partial(_settle, waiting, None, error)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(done)

    Thread(target=run, daemon=True, name="pipe").start()
    return await waiting


def _settle(waiting: asyncio.Future[Any], result: object, error: Exception | None) -> None:
    if waiting.done():
        return
    if error is not None:
        waiting.set_exception(error)
    else:
        waiting.set_result(result)


def is_person(source: TextIO | None = None) -> bool:
    """Whether a person types here: both ends are terminals."""
    return (source or sys.stdin).isatty() and sys.stdout.isatty()
