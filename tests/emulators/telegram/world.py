"""What there is: users, chats, who is in them, and every message ever written.

One lock guards all of it; people (a test's thread) and the server (a thread of its own) both change it. Whoever
changes something does so inside `World.change()`, which wakes everyone who waits.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from tests.emulators.telegram.updates import Updates

JSON = dict[str, Any]

ANONYMOUS_ADMIN, CHANNEL_SENDER, LINKED_CHANNEL = 1087968824, 136817688, 777000
SUPERGROUP = -1_000_000_000_000
"""A supergroup or channel has this minus a number for its id."""


class Clock(Protocol):
    def now(self) -> datetime: ...


@dataclass(slots=True)
class User:
    id: int
    first_name: str
    username: str | None = None
    language_code: str | None = None
    is_bot: bool = False
    last_name: str | None = None
    deactivated: bool = False

    def wire(self) -> JSON:
        body = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name, "last_name": self.last_name}
        return _filled(body | {"username": self.username, "language_code": self.language_code})


@dataclass(slots=True, eq=False)
class Message:
    """As everybody sees it now; `versions` are the texts it had before."""

    chat: Chat
    message_id: int
    sender: User | None
    at: datetime
    text: str = ""
    entities: list[JSON] = field(default_factory=list)
    markup: JSON | None = None
    caption: bool = False
    extra: JSON = field(default_factory=dict)
    reply_to: Message | None = None
    thread_id: int | None = None
    by_bot: bool = False
    edited_at: datetime | None = None
    deleted: bool = False
    reactions: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)

    @property
    def edited(self) -> bool:
        return self.edited_at is not None

    @property
    def buttons(self) -> list[list[tuple[str, str]]]:
        """Rows of (label, data); a link has its address for data."""
        rows = (self.markup or {}).get("inline_keyboard", [])
        return [[(b["text"], b.get("callback_data", b.get("url", ""))) for b in row] for row in rows]

    def data_of(self, label: str) -> str:
        """Raises AssertionError when no button has this label."""
        found = [data for row in self.buttons for text, data in row if text == label]
        assert found, f"no button {label!r} under {self.text!r}: {self.buttons}"
        return found[0]

    def wire(self, *, inner: bool = False) -> JSON:
        """`inner` for the message that another one answers: its own answer-to is left out, as on the real wire."""
        body: JSON = {"message_id": self.message_id, "date": _seconds(self.at), "chat": self.chat.wire()}
        if self.sender is not None:
            body["from"] = self.sender.wire()
        if self.text or self.entities:
            words = ("caption", "caption_entities") if self.caption else ("text", "entities")
            body |= {words[0]: self.text, words[1]: self.entities or None}
        if self.thread_id is not None:
            body |= {"message_thread_id": self.thread_id, "is_topic_message": True}
        body |= {"edit_date": _seconds(self.edited_at), "reply_markup": self.markup, **self.extra}
        if self.reply_to is not None and not inner and not self.reply_to.deleted:
            body["reply_to_message"] = self.reply_to.wire(inner=True)
        return _filled(body)


@dataclass(slots=True, eq=False)
class Chat:
    """`members` holds a status for everyone who ever was there; in a private chat, the bot's own status only."""

    id: int
    type: str
    title: str
    username: str | None = None
    is_forum: bool = False
    members: dict[int, str] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    topics: dict[int, Message] = field(default_factory=dict)
    migrated_to: Chat | None = None
    linked: Chat | None = None
    deleted: bool = False

    @property
    def private(self) -> bool:
        return self.type == "private"

    @property
    def group(self) -> bool:
        return self.type in ("group", "supergroup")

    def wire(self) -> JSON:
        name = "first_name" if self.private else "title"
        body = {"id": self.id, "type": self.type, name: self.title, "username": self.username}
        return _filled(body | {"is_forum": self.is_forum or None})


class World:
    """Everything is looked up by id; nothing here decides what a bot may do."""

    def __init__(self, clock: Clock, bot: User) -> None:
        self.clock = clock
        self.bot = bot
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.watchers: list[Callable[[], None]] = []
        self.users: dict[int, User] = {bot.id: bot}
        self.chats: dict[int, Chat] = {}
        self.files: dict[str, tuple[str, bytes]] = {}
        self.updates = Updates(lambda: self.clock.now().timestamp())
        self.privacy = True
        self.mentions_heard = True
        self.bots_heard = True
        self._numbers: dict[int, Iterator[int]] = {}
        for id_, name, username in (
            (ANONYMOUS_ADMIN, "Group", "GroupAnonymousBot"),
            (CHANNEL_SENDER, "Channel", "Channel_Bot"),
            (LINKED_CHANNEL, "Telegram", None),
        ):
            self.users[id_] = User(id_, name, username, is_bot=id_ != LINKED_CHANNEL)

    @contextmanager
    def change(self) -> Iterator[None]:
        with self.lock:
            yield
            self.changed.notify_all()
            watchers = list(self.watchers)
        for watcher in watchers:
            watcher()

    def seconds(self) -> int:
        return int(self.clock.now().timestamp())

    def number(self, chat: Chat) -> int:
        """The next message number: one row for all private chats and basic groups, one for each other chat."""
        key = chat.id if chat.type in ("supergroup", "channel") else 0
        return next(self._numbers.setdefault(key, itertools.count(1 if key else 101)))

    def post(self, chat: Chat, sender: User | None, **fields: Any) -> Message:
        """Stores a message; telling the bot of it is the caller's."""
        message = Message(chat, self.number(chat), sender, self.clock.now(), **fields)
        chat.messages[message.message_id] = message
        return message

    def private_chat(self, user: User) -> Chat:
        """Open for the bot from now on."""
        chat = self.chats.get(user.id)
        if chat is None:
            chat = self.chats[user.id] = Chat(user.id, "private", user.first_name, user.username)
            chat.members[self.bot.id] = "member"
        return chat

    def is_admin(self, chat: Chat, user_id: int) -> bool:
        return chat.members.get(user_id) in ("administrator", "creator")

    def keep_file(self, name: str, content: bytes) -> JSON:
        """A file as messages carry it."""
        unique = f"AgAD{len(self.files) + 1:08d}"
        file_id = f"BQACAgUAAxkBAAEmulator{unique}"
        self.files[file_id] = (name, content)
        return {"file_id": file_id, "file_unique_id": unique, "file_name": name, "file_size": len(content)}

    def counts(self) -> dict[int, dict[str, int]]:
        """Of each chat: how many messages people wrote there, and the bot; deleted ones count."""
        with self.lock:
            found = {}
            for chat in self.chats.values():
                ours = sum(message.by_bot for message in chat.messages.values())
                found[chat.id] = {"people": len(chat.messages) - ours, "bot": ours}
            return found


def _seconds(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp())


def _filled(body: JSON) -> JSON:
    return {name: value for name, value in body.items() if value is not None}


def member_wire(user: User, status: str) -> JSON:
    """A ChatMember with the fields that its status asks for."""
    body: JSON = {"user": user.wire(), "status": status}
    if status == "creator":
        return body | {"is_anonymous": False}
    if status == "kicked":
        return body | {"until_date": 0}
    if status == "administrator":
        rights = (
            "manage_chat delete_messages manage_video_chats restrict_members promote_members change_info invite_users "
            "post_stories edit_stories delete_stories send_welcome_messages"
        )
        return (
            body | {"can_be_edited": False, "is_anonymous": False} | {f"can_{right}": True for right in rights.split()}
        )
    return body
