"""What a chat platform brings besides messages, what leaves to it, and both as bytes for inbox and outbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.message import Chat, ChatKind, Inbound, Quoted, Reply, pack_reply, unpack_reply
from store.model import NOBODY, AccountID


@dataclass(frozen=True, slots=True)
class Press:
    """A pressed button. `answer`: what the platform wants answered; `message`: the one the button hangs under."""

    key: str
    chat: Chat
    account: AccountID
    name: str
    at: datetime
    token: str
    answer: str
    message: str
    topic: str = ""
    lang: str = ""


class Change(StrEnum):
    """What happened to a chat. `account` of a `ChatChange` is whom it happened to, or who did it."""

    ADDED = "added"
    """The bot was asked in, by `account`."""
    GONE = "gone"
    """The bot was sent away, or the chat is no more."""
    BLOCKED = "blocked"
    UNBLOCKED = "unblocked"
    MOVED = "moved"
    """The group goes on under the id `other`."""
    JOINED = "joined"
    LEFT = "left"
    ADMIN = "admin"
    MEMBER = "member"
    TITLED = "titled"
    """The group is called `chat.title` now."""


@dataclass(frozen=True, slots=True)
class ChatChange:
    key: str
    chat: Chat
    change: Change
    at: datetime
    account: AccountID = NOBODY
    name: str = ""
    other: str = ""
    lang: str = ""


Event = Inbound | Press | ChatChange


def pack(event: Event) -> bytes:
    body = {"is": type(event).__name__, **asdict(event), "at": event.at.isoformat()}
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpack(payload: bytes) -> Event:
    body: dict[str, Any] = json.loads(payload.decode("utf-8", "surrogatepass"))
    make: Callable[..., Event] = _CLASSES[body.pop("is")]
    chat = body["chat"]
    body["chat"] = Chat(chat["platform"], chat["id"], ChatKind(chat["kind"]), chat["title"])
    body["at"] = datetime.fromisoformat(body["at"])
    if body.get("reply_to"):
        body["reply_to"] = Quoted(**body["reply_to"])
    if "change" in body:
        body["change"] = Change(body["change"])
    return make(**body)


_CLASSES: dict[str, Callable[..., Event]] = {"Inbound": Inbound, "Press": Press, "ChatChange": ChatChange}


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing that leaves: a message, the new form of one, a notice, a reaction, or going away.

    The actions of `reply`'s buttons are tokens by now. `to` is the message that it answers, changes or reacts to;
    `press` the pressed button that waits for an answer; `leave` says that the bot leaves the chat afterwards; `unasked`,
    that nobody waits for it.
    """

    reply: Reply
    to: str = ""
    press: str = ""
    topic: str = ""
    leave: bool = False
    unasked: bool = False


def pack_delivery(delivery: Delivery) -> bytes:
    body = {**asdict(delivery), "reply": pack_reply(delivery.reply)}
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpack_delivery(payload: bytes) -> Delivery:
    body = json.loads(payload.decode("utf-8", "surrogatepass"))
    return Delivery(**{**body, "reply": unpack_reply(body["reply"])})
