"""Who writes, and where: accounts, names and chats out of what Telegram tells.

A newcomer's trap: a username can be given up and taken by a stranger, so nobody is known by it. An account is a
number, and a number only when it came as one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import telegram

from bot.message import Chat, ChatKind
from store.model import AccountID

ANONYMOUS_ADMIN, CHANNEL_SENDER, LINKED_CHANNEL = 1087968824, 136817688, 777000
"""Accounts of Telegram's own: whoever stands behind them is not told."""
NAME_CHARACTERS_MAX = 160

KINDS = {"private": ChatKind.PRIVATE, "group": ChatKind.GROUP, "supergroup": ChatKind.GROUP}
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+")
"""Controls, and marks that turn the direction or cannot be seen. Joiners stay: emoji and some scripts need them."""
_BLANK = "\u115f\u1160\u2800\u3164\uffa0\u034f"
"""Letters by their class that look like nothing."""


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself."""

    id: int
    username: str
    first_name: str


@dataclass(frozen=True, slots=True)
class Author:
    account: AccountID
    name: str
    lang: str = ""


def account(number: int) -> AccountID:
    return AccountID(f"telegram:{number}")


def chat_of(chat: telegram.Chat) -> Chat | None:
    """None for a channel, and for what is no chat."""
    kind = KINDS.get(chat.type)
    if kind is None or type(chat.id) is not int:
        return None
    return Chat("telegram", str(chat.id), kind, shown(chat.title or ""))


def person(user: telegram.User | None) -> Author | None:
    """None for bots and for Telegram's own accounts."""
    if user is None or user.is_bot or type(user.id) is not int:
        return None
    if user.id in (ANONYMOUS_ADMIN, CHANNEL_SENDER, LINKED_CHANNEL):
        return None
    return Author(account(user.id), name(user), lang(user))


def author(message: telegram.Message) -> Author | None:
    """Whose words a message brings. An admin who hides behind the group is the group itself, and no person."""
    face = message.sender_chat
    if face is None:
        return person(message.from_user)
    hidden = message.from_user is not None and message.from_user.id == ANONYMOUS_ADMIN
    if hidden and face.id == message.chat.id and type(face.id) is int:
        return Author(account(face.id), shown(face.title or "") or str(face.id))
    return None


def name(user: telegram.User) -> str:
    """First and last name as shown; the number when there is nothing to see."""
    return shown(f"{user.first_name} {user.last_name or ''}") or str(user.id)


def shown(text: str) -> str:
    """A name on one line, without marks that hide or turn it; "" when nothing of it can be seen."""
    clean = " ".join(_UNSHOWN.sub(" ", text).split())[:NAME_CHARACTERS_MAX]
    seen = (c for c in clean if c not in _BLANK and unicodedata.category(c)[0] not in "CZM")
    return clean if any(seen) else ""


def lang(user: telegram.User | None) -> str:
    code = (user.language_code or "").casefold() if user is not None else ""
    if not code:
        return ""
    return "zh" if re.match(r"zh(?![a-z])", code) else "en"
