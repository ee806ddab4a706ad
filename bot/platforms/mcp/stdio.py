"""MCP over standard input and output: one message a line; a line that is too long is answered, not read whole."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import ErrorData, JSONRPCError

from bot.platforms.mcp.server import REQUEST_BYTES_MAX
from bot.words import Words

LINES_WAITING_MAX = 64
EDGE_BYTES = 4096
CHUNK_BYTES = 64 * 1024
END_WAIT_S = 5.0
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


async def serve_stdio(server: Server[Any], words: Words) -> None:
    """Until the client closes our standard input, or its end of our standard output."""
    lines = Lines(0)
    with _stdout() as out:
        answers = Answers(out, lines.end)
        serving = asyncio.create_task(_serve(server, words, lines, answers))
        ended = asyncio.create_task(lines.ended.wait())
        try:
            await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            lines.end()  # cut off in the middle, the protocol's own tasks break over each other
            await asyncio.wait({serving}, timeout=END_WAIT_S)
            answers.give_up()
            await asyncio.wait({serving}, timeout=END_WAIT_S)
            for task in (serving, ended):
                task.cancel()
            await asyncio.gather(serving, ended, return_exceptions=True)
    if not serving.cancelled():
        serving.result()


@contextmanager
def _stdout() -> Iterator[int]:
    """Our own descriptor of the pipe; what anybody else prints goes to the errors."""
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        yield own  # never closed: the thread that writes may be caught in it
    finally:
        os.dup2(own, 1)


async def _serve(server: Server[Any], words: Words, lines: Lines, answers: Answers) -> None:
    async with stdio_server(stdin=lines, stdout=answers) as (received, sent):  # type: ignore[arg-type]

        async def refuse(call: int | str | None, code: int) -> None:
            said = "error-errand" if code == types.PARSE_ERROR else "error-request-long"
            error = ErrorData(code=code, message=words(said, most=REQUEST_BYTES_MAX // 1024))
            await sent.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=call, error=error)))

        lines.refuse = refuse
        await server.run(received, sent, server.create_initialization_options())


class Answers:
    """The lines for a pipe, written by a thread of its own that keeps no process alive: the client may read no more."""

    def __init__(self, descriptor: int, gone: Callable[[], None]) -> None:
        """`gone`: what to do when the client has closed the pipe."""
        self._descriptor = descriptor
        self._gone = gone
        self._given_up = False
        self._written = asyncio.Event()
        self._texts: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._run, args=[asyncio.get_running_loop()], daemon=True, name="mcp-stdout").start()

    async def write(self, text: str) -> None:
        if not self._given_up:
            self._written.clear()
            self._texts.put(text.encode("utf-8", "replace"))
            await self._written.wait()

    async def flush(self) -> None:
        pass

    def give_up(self) -> None:
        self._given_up = True
        self._written.set()

    def _broke(self) -> None:
        self.give_up()
        self._gone()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile
            try:
                while True:
                    left = self._texts.get()
                    while left:
                        left = left[os.write(self._descriptor, left) :]
                    loop.call_soon_threadsafe(self._written.set)
            except OSError:
                loop.call_soon_threadsafe(self._broke)


class Lines:
    """The lines of a pipe, read by a thread of its own that keeps no process alive.

    It goes past Python's own buffer: a thread caught inside that holds its lock, and the interpreter aborts at the end.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = b""
        self.ended = asyncio.Event()
        self.refuse: Callable[[int | str | None, int], Awaitable[None]]
        """Answers the call with this id (None: unknown) with an error of this code."""
        self._lines: asyncio.Queue[bytes | tuple[bytes, bytes] | None] = asyncio.Queue()

    def end(self) -> None:
        """As if the client had closed the pipe."""
        self._lines.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[str]:
        loop, lines = asyncio.get_running_loop(), self._lines
        room = BoundedSemaphore(LINES_WAITING_MAX)

        def run() -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                line: bytes | tuple[bytes, bytes] | None = b""
                while line is not None:
                    room.acquire()
                    line = self._next()
                    loop.call_soon_threadsafe(lines.put_nowait, line)

        Thread(target=run, daemon=True, name="mcp-stdin").start()
        while (line := await lines.get()) is not None:
            room.release()
            if isinstance(line, tuple):
                await self.refuse(_id_in(*line), types.INVALID_REQUEST)
            elif line.strip():
                text = line.decode("utf-8", "replace")
                if _is_message(text):
                    yield text
                else:  # the protocol would pass it over, and the client wait for ever
                    await self.refuse(_id_in(line[:EDGE_BYTES], line[-EDGE_BYTES:]), types.PARSE_ERROR)
        self.ended.set()

    def _next(self) -> bytes | tuple[bytes, bytes] | None:
        """A line, or the two edges of one that was too long; None at the end."""
        parts: list[bytes] = []
        size = 0
        first = last = b""
        while True:
            part, newline, rest = self._held.partition(b"\n")
            self._held = rest
            size += len(part)
            if size > REQUEST_BYTES_MAX:
                first, last = (first or b"".join([*parts, part])[:EDGE_BYTES]), (last + part)[-EDGE_BYTES:]
                parts.clear()
            else:
                parts.append(part)
                last = (last + part)[-EDGE_BYTES:]
            if newline:
                return b"".join(parts) if size <= REQUEST_BYTES_MAX else (first, last)
            try:
                self._held = os.read(self._descriptor, CHUNK_BYTES)
            except OSError:
                return None
            if not self._held:
                return None


def _is_message(text: str) -> bool:
    try:
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        return False
    return True


def _id_in(first: bytes, last: bytes) -> int | str | None:
    """The id of a call that is not read whole: it stands at one of its edges."""
    found = _ID.search(first) or _ID.search(last)
    if found is None:
        return None
    shown = found[1].decode("utf-8", "replace")
    return shown[1:-1] if shown.startswith('"') else int(shown)
