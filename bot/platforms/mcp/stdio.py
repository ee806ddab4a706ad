"""MCP over standard input and output: one message a line; a line that is too long is answered, not read whole."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
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


async def serve_stdio(server: Server[Any], words: Words, descriptor: int = 0) -> None:
    """Until the client closes our standard input."""
    lines = Lines(descriptor)
    serving = asyncio.create_task(_serve(server, words, lines))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        lines.end()  # cut off in the middle, the protocol's own tasks break over each other
        await asyncio.wait({serving}, timeout=END_WAIT_S)
        serving.cancel()
        raise


async def _serve(server: Server[Any], words: Words, lines: Lines) -> None:
    async with stdio_server(stdin=lines) as (received, sent):  # type: ignore[arg-type]

        async def refuse(call: int | str | None) -> None:
            error = ErrorData(
                code=types.INVALID_REQUEST, message=words("error-request-long", most=REQUEST_BYTES_MAX // 1024)
            )
            await sent.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=call, error=error)))

        lines.refuse = refuse
        await server.run(received, sent, server.create_initialization_options())


class Lines:
    """The lines of a pipe, read by a thread of its own that keeps no process alive.

    It goes past Python's own buffer: a thread caught inside that holds its lock, and the interpreter aborts at the end.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = b""
        self.refuse: Callable[[int | str | None], Awaitable[None]]
        """Answers the call with this id (None: unknown), of a line that was too long."""
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
                await self.refuse(_id_in(*line))
            elif line.strip():
                yield line.decode("utf-8", "replace")

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


def _id_in(first: bytes, last: bytes) -> int | str | None:
    """The id of a call that is not read whole: it stands at one of its edges."""
    found = _ID.search(first) or _ID.search(last)
    if found is None:
        return None
    shown = found[1].decode("utf-8", "replace")
    return shown[1:-1] if shown.startswith('"') else int(shown)
