"""Updates as the server writes them, and what they are to us."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import telegram

from bot.event import ChatChange, Event, Press
from bot.message import Inbound
from bot.platforms.telegram.people import Me
from bot.platforms.telegram.updates import events

JSON = dict[str, Any]

ME = Me(100000001, "keepbot", "Keep")
NOW = datetime(2024, 5, 27, 2, 0, tzinfo=UTC)
DATE = int(NOW.timestamp())

LIN: JSON = {
    "id": 5001,
    "is_bot": False,
    "first_name": "Lin",
    "last_name": "Q",
    "username": "lin_q",
    "language_code": "zh-hans",
}
NOOR: JSON = {"id": 5002, "is_bot": False, "first_name": "Noor", "language_code": "en"}
BOT: JSON = {"id": ME.id, "is_bot": True, "first_name": "Keep", "username": "keepbot"}
OTHER_BOT: JSON = {"id": 600, "is_bot": True, "first_name": "Chatty", "username": "chatty_bot"}
PRIVATE: JSON = {"id": 5001, "type": "private", "first_name": "Lin"}
TEAM: JSON = {"id": -4001, "type": "group", "title": "Team"}
SUPER: JSON = {"id": -1000000004001, "type": "supergroup", "title": "Team"}
CHANNEL: JSON = {"id": -1000000900001, "type": "channel", "title": "Rust Weekly"}


def entity(kind: str, text: str, part: str, **more: Any) -> JSON:
    at = text.index(part)
    before = len(text[:at].encode("utf-16-le")) // 2
    return {"type": kind, "offset": before, "length": len(part.encode("utf-16-le")) // 2, **more}


def message(text: str | None = None, *, chat: JSON = PRIVATE, by: JSON | None = LIN, **more: Any) -> JSON:
    body: JSON = {"message_id": 7, "date": DATE, "chat": chat, **more}
    if text is not None:
        body["text"] = text
    if by is not None:
        body["from"] = by
    return body


def all_of(**update: JSON) -> tuple[Event, ...]:
    return events(parsed(**update), ME, NOW)


def parsed(**update: JSON) -> telegram.Update:
    return telegram.Update.de_json({"update_id": 900, **update}, None)


def inbound(text: str | None = None, **more: Any) -> Inbound | None:
    """What a message that is told becomes."""
    return only_inbound(message=message(text, **more))


def only_inbound(**update: JSON) -> Inbound | None:
    found = all_of(**update)
    if not found:
        return None
    (one,) = found
    assert isinstance(one, Inbound)
    return one


def press(**update: JSON) -> Press | None:
    found = all_of(**update)
    if not found:
        return None
    (one,) = found
    assert isinstance(one, Press)
    return one


def change(**update: JSON) -> ChatChange | None:
    found = all_of(**update)
    if not found:
        return None
    (one,) = found
    assert isinstance(one, ChatChange)
    return one
