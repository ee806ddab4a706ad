"""A message in, an answer out, free of any platform.

A `Reply` is lines and buttons. A line knows whether it shows stored words, so that an edge
may indent or quote it; it never changes the words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from store.model import AccountID


class ChatKind(StrEnum):
    PRIVATE = "private"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Chat:
    """Where a message was written."""

    platform: str
    id: str
    kind: ChatKind
    title: str = ""


@dataclass(frozen=True, slots=True)
class Quoted:
    """The message that this one replies to."""

    message: str
    author: str
    text: str
    ours: bool = False
    """The bot said it: no source of anything."""


@dataclass(frozen=True, slots=True)
class Inbound:
    """One authenticated event of a chat. `key` names it for ever: a repeat has the same key."""

    key: str
    chat: Chat
    account: AccountID
    name: str
    text: str
    at: datetime
    """Aware UTC, the platform's message date."""
    addressed: bool = True
    press: str | None = None
    """The pressed button's action; `text` is then empty."""
    reply_to: Quoted | None = None
    damaged: bool = False
    """True when bytes that were no UTF-8 (or lone surrogates) were replaced by U+FFFD."""
    masked: bool = False
    """True when a secret was taken out of `text` or `reply_to` already; what is left is the mask."""
    message: str = ""
    """The platform's id of this message in its chat, "" where it has none."""
    topic: str = ""
    """The forum topic it stands in, "" for none."""
    edits: str = ""
    """The key of the message that this one is the new form of; "" for a new message."""
    forwarded: str = ""
    """Whose words these are, as shown, when they were forwarded."""
    lang: str = ""
    """What the person's app speaks (`zh` or `en`), "" when it does not say."""


@dataclass(frozen=True, slots=True)
class Line:
    words: str
    stored: bool = False
    """True when this line shows words out of memory."""


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    action: str
    """Opaque to edges: `<verb>` or `<verb> <argument>`; at most 64 bytes."""


class Shape(StrEnum):
    MESSAGE = "message"
    EDIT = "edit"
    """The message whose button was pressed becomes this."""
    TOAST = "toast"
    """A short notice only the presser sees."""
    REACTION = "reaction"
    """A thumb under the message in a group; an edge without reactions shows the words."""


WEEKS = 53
"""Of a picture of days: a year, whatever weekday it ends on."""


@dataclass(frozen=True, slots=True)
class Picture:
    """How much there was on each day, up to `last` (ISO). An edge draws it when it sends it, or says it with the words
    alone; what is kept are these numbers, so that a second sending shows the same."""

    last: str
    counts: tuple[int, ...]
    lang: str


@dataclass(frozen=True, slots=True)
class Reply:
    lines: tuple[Line, ...]
    buttons: tuple[Button, ...] = field(default=())
    shape: Shape = Shape.MESSAGE
    failed: bool = False
    """True for a fault (disk, damage): a pipe then ends with a non-zero status."""
    stored: bool = False
    """True when an entry or task was stored by this very turn."""
    picture: Picture | None = None
    """Stands beside the words, which say it too."""

    @property
    def text(self) -> str:
        return "\n".join(line.words for line in self.lines)


def pack_reply(reply: Reply) -> str:
    """A reply as JSON, for `handled`."""
    body = {
        "lines": [[line.words, line.stored] for line in reply.lines],
        "buttons": [[button.label, button.action] for button in reply.buttons],
        "shape": reply.shape.value,
        "stored": reply.stored,
    }
    if reply.picture is not None:
        body["picture"] = [reply.picture.last, list(reply.picture.counts), reply.picture.lang]
    return json.dumps(body, ensure_ascii=False)


def unpack_reply(text: str) -> Reply:
    body = json.loads(text)
    last, counts, lang = body.get("picture") or ("", (), "")
    return Reply(
        lines=tuple(Line(words, stored) for words, stored in body["lines"]),
        buttons=tuple(Button(label, action) for label, action in body["buttons"]),
        shape=Shape(body["shape"]),
        stored=body["stored"],
        picture=Picture(last, tuple(counts), lang) if last else None,
    )
