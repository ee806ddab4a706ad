"""MCP over standard input and output: one message a line; a line that is too long is answered, not read whole."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from threading import BoundedSemaphore, Thread
from typing import Any, BinaryIO

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import ErrorData, JSONRPCError

from bot.platforms.mcp.server import REQUEST_BYTES_MAX
from bot.words import Words

LINES_WAITING_MAX = 64
EDGE_BYTES = 4096
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


async def serve_stdio(server: Server[Any], words: Words, source: BinaryIO | None = None) -> None:
    """Until the client closes our standard input."""
    lines = Lines(source or sys.stdin.buffer)
    async with stdio_server(stdin=lines) as (received, sent):  # type: ignore[arg-type]

        async def refuse(call: int | str | None) -> None:
            error = ErrorData(
                code=types.INVALID_REQUEST, message=words("error-request-long", most=REQUEST_BYTES_MAX // 1024)
            )
            await sent.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=call, error=error)))

        lines.refuse = refuse
        await server.run(received, sent, server.create_initialization_options())


class Lines:
    """The lines of a pipe, read by a thread of its own that keeps no process alive."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.refuse: Any = None
        """Answers the call with this id (None: unknown), of a line that was too long."""

    async def __aiter__(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes | tuple[bytes, bytes] | None] = asyncio.Queue()
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
        try:
            line = self._source.readline(REQUEST_BYTES_MAX + 1)
            if not line:
                return None
            if len(line) <= REQUEST_BYTES_MAX or line.endswith(b"\n"):
                return line if len(line) <= REQUEST_BYTES_MAX else (line[:EDGE_BYTES], line[-EDGE_BYTES:])
            first, last = line[:EDGE_BYTES], line[-EDGE_BYTES:]
            while line and not line.endswith(b"\n"):
                line = self._source.readline(REQUEST_BYTES_MAX)
                last = (last + line)[-EDGE_BYTES:]
            return first, last
        except (OSError, ValueError):
            return None


def _id_in(first: bytes, last: bytes) -> int | str | None:
    """The id of a call that is not read whole: it stands at one of its edges."""
    found = _ID.search(first) or _ID.search(last)
    if found is None:
        return None
    shown = found[1].decode("utf-8", "replace")
    return shown[1:-1] if shown.startswith('"') else int(shown)
