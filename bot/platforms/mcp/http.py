"""MCP over streamable HTTP, for this machine only: bound to 127.0.0.1, and a token is asked for.

A web page of another site can make a browser send requests here, and a name of its own can be made to lead to
127.0.0.1. So before anything is read: the Host must be ours, an Origin (only browsers send one) must be ours too, and
the token must be right. Then the size is looked at, then the request.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from collections.abc import Iterator, Mapping
from typing import Any, Final

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.platforms.mcp.server import REQUEST_BYTES_MAX
from bot.words import Words

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"
REQUESTS_MAX = 64
"""At once, of those who know the token."""
SESSIONS_MAX = 64
IDLE_S = 600.0
"""A session that asks nothing for so long is over; its client begins another."""
HEAD_WAIT_S = 5.0
"""Who connects has so long to send a whole head: nobody is known before."""
END_WAIT_S = 5.0


class Guard:
    """Lets through what comes from this machine's own programs and knows the token."""

    def __init__(self, app: ASGIApp, token: str, port: int, words: Words) -> None:
        self._app = app
        self._token = token.encode()
        self._names = frozenset(f"{name}:{port}" for name in (HOST, "localhost", "[::1]"))
        self._words = words
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = self._refusal(Headers(scope=scope))
            if refusal is None and scope["path"] != PATH:
                refusal = self._say("error-no-such-page", 404, name=scope["path"][:80])
            if refusal is None and self._busy >= REQUESTS_MAX:
                refusal = self._say("http-busy", 503)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
            self._busy += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._busy -= 1
        else:  # a web socket: there is none here
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._names:
            return self._say("http-host", 421)
        if any(origin.lower().partition("://")[2] not in self._names for origin in origins):
            return self._say("http-origin", 403)
        given = headers.getlist("authorization")
        kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if kind.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
            return self._say("http-token", 401, {"WWW-Authenticate": "Bearer"})
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > REQUEST_BYTES_MAX:
            return self._say("error-request-long", 413, most=REQUEST_BYTES_MAX // 1024)
        return None

    def _say(
        self, message_id: str, status: int, headers: Mapping[str, str] | None = None, **facts: int | str
    ) -> PlainTextResponse:
        # What is left of the body is not waited for.
        return PlainTextResponse(
            self._words(message_id, **facts), status, headers={"Connection": "close", **(headers or {})}
        )


class Impatient(H11Protocol):
    """Hangs up on who begins a request and does not come to the end of its head."""

    head_wait_s = HEAD_WAIT_S
    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        heard = self.cycle is not None and not self.cycle.response_complete
        if heard and self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None
        elif not heard and self._giving_up is None:
            self._giving_up = self.loop.call_later(self.head_wait_s, self._give_up)

    def _give_up(self) -> None:
        self._giving_up = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()


class _Quiet(uvicorn.Server):
    """Signals are for whoever started the program."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bound(port: int) -> socket.socket:
    """A socket on 127.0.0.1 and on nothing else; 0 takes a free port. Raises OSError when it is taken."""
    # With the protocol named, what is accepted sends at once; else every answer waits 40 ms for an acknowledgement.
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        line.bind((HOST, port))
        line.listen()
    except BaseException:
        line.close()
        raise
    return line


async def serve_http(
    server: Server[Any], line: socket.socket, token: str, words: Words, *, protocol: type[Impatient] = Impatient
) -> None:
    """Until cancelled."""
    sessions = StreamableHTTPSessionManager(
        server, json_response=True, max_request_body_size=REQUEST_BYTES_MAX, max_sessions=SESSIONS_MAX,
        session_idle_timeout=IDLE_S,
    )  # fmt: skip
    guard = Guard(StreamableHTTPASGIApp(sessions), token, line.getsockname()[1], words)
    config = uvicorn.Config(
        guard, http=protocol, log_config=None, access_log=False, server_header=False, lifespan="off",
        proxy_headers=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    http = _Quiet(config)
    try:
        async with sessions.run():
            serving = asyncio.create_task(http.serve(sockets=[line]))
            try:
                await asyncio.shield(serving)
            finally:
                http.should_exit = True  # cut off in the middle, it would leave its connections open
                await asyncio.wait({serving}, timeout=END_WAIT_S)
                serving.cancel()
    finally:
        line.close()
