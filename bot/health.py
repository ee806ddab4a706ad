"""`/livez` and `/readyz` on loopback, for whatever restarts the program: two pages, no names, no content."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass

REQUEST_BYTES_MAX = 8192
READ_S = 5.0


@dataclass(frozen=True, slots=True)
class Line:
    """One platform's line: how it stands, and how long ago anything came in (None: nothing yet)."""

    name: str
    state: str
    ready: bool
    last_event_s: int | None


Look = Callable[[], list[Line]]


class Health:
    """Serves until closed. `look` is asked at each request."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self, port: int) -> None:
        """Raises OSError when the port is taken."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=REQUEST_BYTES_MAX)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_S):
                head = await reader.readuntil(b"\r\n\r\n")
            writer.write(self._answer(head.split(b"\r\n", 1)[0].decode("latin-1")))
            await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            pass  # nobody who asks about health sends such a thing
        finally:
            writer.close()

    def _answer(self, request: str) -> bytes:
        method, _, rest = request.partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method not in ("GET", "HEAD") or path not in ("/livez", "/readyz"):
            return _page(404, {"error": "not found"}, method)
        if path == "/livez":
            return _page(200, {"live": True}, method)
        lines = self._look()
        ready = all(line.ready for line in lines)
        platforms = {line.name: {"state": line.state, "last_event_s": line.last_event_s} for line in lines}
        return _page(200 if ready else 503, {"ready": ready, "platforms": platforms}, method)


def _page(status: int, body: dict[str, object], method: str) -> bytes:
    text = json.dumps(body).encode() + b"\n"
    reason = {200: "OK", 404: "Not Found", 503: "Service Unavailable"}[status]
    head = (
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if method == "HEAD" else text)
