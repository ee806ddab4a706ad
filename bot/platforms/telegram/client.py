"""The Bot API through python-telegram-bot, without anything in which the bot's token could get out.

The token is part of every address that is called, so addresses are in no log, and no exception of a vendor leaves
`calling`: whoever catches one of ours finds neither a cause nor a context.

What a newcomer would get wrong: `BadRequest` is a `NetworkError` there, so a no for ever looks like a bad line.
"""

from __future__ import annotations

import json
import logging
import re
import ssl
from collections.abc import Awaitable, Callable
from functools import cache
from http import HTTPStatus
from typing import Any, TypeVar

import httpx
import telegram
from telegram import error
from telegram.request import HTTPXRequest

from bot.ports import (
    BadToken,
    ChatMoved,
    NoConnection,
    NotDelivered,
    OutcomeUnknown,
    TryLater,
    Undeliverable,
    Unreachable,
)

T = TypeVar("T")
JSON = dict[str, Any]

POOL = 8
"""More calls at once are slower than eight (measured)."""
POLLS = 2
"""The poll that waits, and the one before it, which may not be closed yet."""
CALL_S, CONNECT_S = 20.0, 10.0
POLL_EXTRA_S = 10.0
"""A long poll may be answered this much after its time."""
RETRY_AFTER_S = 5.0
LISTENED_TO = ("message", "edited_message", "callback_query", "my_chat_member", "chat_member")
_TOKEN = re.compile(r"\d{1,20}:[A-Za-z0-9_-]{1,100}", re.ASCII)
_TALKATIVE = ("httpx", "httpcore", "telegram")
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)
_NOBODY_THERE = ("chat not found", "peer_id_invalid", "group chat was deleted", "chat was deactivated")
_REASONS = (
    "blocked",
    "deactivated",
    "kicked",
    "not a member",
    "can't initiate",
    "not found",
    "not enough rights",
    "no rights",
    "too long",
    "text is empty",
    "entit",
    "button",
)


class Refused(Undeliverable):
    """The server said no. `why` is its own words in lower case, for matching: they may hold words of people."""

    def __init__(self, why: str) -> None:
        super().__init__(_reason(why))
        self.why = why


def _reason(words: str) -> str:
    """The part of a server's sentence that we know, so that nothing else of it is ever shown or kept."""
    return next((known for known in _REASONS if known in words), "refused")


class OtherListener(NotDelivered):
    """Somebody else polls with our token; no call but a poll hears of it."""


class Client(telegram.Bot):
    """`base_url` is the server's root. Raises BadToken for what cannot be a token."""

    def __init__(self, token: str, base_url: str) -> None:
        if _TOKEN.fullmatch(token) is None:
            raise BadToken
        keep_addresses_unlogged()
        root = base_url.rstrip("/")
        self._calls, self._polls = _connections(POOL), _connections(POLLS)
        super().__init__(
            token,
            base_url=f"{root}/bot",
            base_file_url=f"{root}/file/bot",
            request=self._calls,
            get_updates_request=self._polls,
        )

    def __repr__(self) -> str:
        return "Client()"

    async def updates_after(self, offset: int | None, timeout_s: int) -> list[JSON]:
        """Raw updates, so that one that cannot be read stops none of the others. `offset` gives up what is before."""
        # Bot.get_updates reads all of them or none, and its public way to raw answers takes the pool of the sends.
        found: object = await self._post(
            "getUpdates",
            {"timeout": timeout_s, "offset": offset, "allowed_updates": LISTENED_TO},
            read_timeout=timeout_s + POLL_EXTRA_S,
        )
        return [update for update in found if isinstance(update, dict)] if isinstance(found, list) else []

    async def close_connections(self) -> None:
        await self._calls.shutdown()
        await self._polls.shutdown()


class _TooMuch(error.TelegramError):
    """A 429. The library's own exception warns of its plans each time it is made."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too much")
        self.seconds = seconds


class _Connections(HTTPXRequest):
    async def do_request(self, *args: Any, **named: Any) -> tuple[int, bytes]:
        code, payload = await super().do_request(*args, **named)
        if code == HTTPStatus.TOO_MANY_REQUESTS:
            raise _TooMuch(_retry_after(payload))
        return code, payload


def _retry_after(payload: bytes) -> float:
    """At least a second: a server that names none, or none that makes sense, is not asked again at once."""
    try:
        return max(1.0, float(json.loads(payload)["parameters"]["retry_after"]))
    except (ValueError, KeyError, TypeError):
        return RETRY_AFTER_S


def _connections(most: int) -> HTTPXRequest:
    return _Connections(
        connection_pool_size=most,
        read_timeout=CALL_S,
        write_timeout=CALL_S,
        connect_timeout=CONNECT_S,
        pool_timeout=CALL_S,
        httpx_kwargs={"verify": _trusted()},
    )


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates take a tenth of a second to read: once is enough."""
    return httpx.create_ssl_context()


async def calling(call: Callable[[], Awaitable[T]]) -> T:
    """What `call` gives. Raises BadToken or a NotDelivered."""
    try:
        return await call()
    except error.TelegramError as found:
        ours = translated(found)
    raise ours  # outside, so that the vendor's exception is no context of it


def translated(found: error.TelegramError) -> NotDelivered | BadToken:
    match found:
        case _TooMuch():
            return TryLater(found.seconds)
        case error.ChatMigrated():
            return ChatMoved(str(found.new_chat_id))
        case error.Forbidden():
            return Unreachable(_reason(found.message.casefold()))
        case error.InvalidToken():
            return BadToken()
        case error.Conflict():
            return OtherListener()
        case error.BadRequest():
            words = found.message.casefold()
            return Unreachable("not found") if any(gone in words for gone in _NOBODY_THERE) else Refused(words)
        case error.NetworkError() if isinstance(found.__cause__, _NOT_SENT):
            return NoConnection()
    return OutcomeUnknown()  # a broken line, a server in trouble, an answer that is none


def keep_addresses_unlogged() -> None:
    """These write addresses, headers and whole messages; whoever asks for every log there is gets none of theirs."""
    for name in _TALKATIVE:
        above = logging.getLogger(name)
        above.setLevel(logging.CRITICAL + 1)  # for those below it that do not exist yet
        above.propagate = False
        for known in (name, *logging.root.manager.loggerDict):
            if known == name or known.startswith(f"{name}."):
                logging.getLogger(known).disabled = True
