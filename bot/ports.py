"""What the service needs from a chat platform, and how a delivery can fail.

A platform knows nothing of memory: it turns what came into events, and deliveries into messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.event import Delivery, Event
from bot.message import Reply
from store.model import AccountID, Role

Receive = Callable[[Sequence[Event]], Awaitable[None]]
"""Keeps events; returns when they are on disk, so that the platform may forget them."""


Going = Callable[[], Awaitable[None]]


class Listening(StrEnum):
    """How a platform's line stands."""

    STARTING = "starting"
    OPEN = "open"
    OFFLINE = "offline"
    """The platform does not answer; it is tried again."""
    STANDBY = "standby"
    """Another device of the owner speaks for this bot."""
    STANDBY_CONFLICT = "conflict"
    """Another program listens with the same token."""
    REFUSED = "refused"
    """The token is not accepted any more."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What somebody is in a group now, as the platform says."""

    role: Role
    name: str


class Platform(Protocol):
    """One bot on one chat platform."""

    name: str
    bot: str
    """The bot's id there, known after `start`."""
    title: str
    """What people see: @name."""
    listening: Listening
    last_event_at: datetime | None

    async def start(self) -> None:
        """Learns who the bot is. Raises BadToken; waits for a platform that cannot be reached."""
        ...

    async def listen(self, receive: Receive) -> None:
        """Gives every event to `receive`, for ever. Raises BadToken and StandBy."""
        ...

    def link(self, code: str) -> str:
        """An address that opens a chat with the bot and says `/start <code>`; "" where there is none."""
        ...

    def parts(self, reply: Reply) -> list[Reply]:
        """`reply` as messages that the platform takes, the buttons under the last."""
        ...

    async def send(self, chat: str, delivery: Delivery, going: Going) -> str:
        """The id of the message it became, "" when none. Raises NotDelivered.

        `going` is awaited when it is its turn, before the first call whose end could stay unknown.
        """
        ...

    async def standing(self, chat: str, account: AccountID) -> Standing | None:
        """None for one who is not in the chat. Raises NotDelivered when the platform cannot be asked."""
        ...

    async def close(self) -> None: ...


class BadToken(Exception):
    """The platform does not accept the bot's token."""


class StandBy(Exception):
    """Another program listens with the same token."""


class NotDelivered(Exception):
    """A delivery did not go as wished; the subclass says what is known."""


class TryLater(NotDelivered):
    """Too much for the platform: this chat rests for `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class NoConnection(NotDelivered):
    """It certainly did not arrive, and can be tried again."""


class OutcomeUnknown(NotDelivered):
    """It may have arrived."""


class Unreachable(NotDelivered):
    """Nothing can be delivered there until they write again: blocked, sent away, gone."""


class Undeliverable(NotDelivered):
    """The platform will never take this one."""


class ChatMoved(NotDelivered):
    """The chat goes on under the id `new`."""

    def __init__(self, new: str) -> None:
        super().__init__(new)
        self.new = new
