"""People and places in a test's hands: what they do changes the world at once, and the bot hears of it if it would.

A step that could not happen (a stranger writing in a group, a press on a button that is not there) is an
AssertionError: the test is wrong, not the bot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.emulators.telegram import hearing
from tests.emulators.telegram.checks import found_entities
from tests.emulators.telegram.presses import Presses
from tests.emulators.telegram.world import (
    ANONYMOUS_ADMIN,
    CHANNEL_SENDER,
    LINKED_CHANNEL,
    Chat,
    Message,
    User,
    World,
)

JSON = dict[str, Any]

PRESENT = ("member", "administrator", "creator", "restricted")


@dataclass(frozen=True, slots=True)
class HiddenName:
    """Somebody who does not let forwards point at them."""

    name: str


class Person:
    """Whoever is not the bot; another bot too (`user.is_bot`)."""

    def __init__(self, world: World, presses: Presses, user: User) -> None:
        self._world = world
        self._presses = presses
        self.user = user

    @property
    def id(self) -> int:
        return self.user.id

    @property
    def chat(self) -> Chat:
        """The private chat with the bot, opened by asking for it."""
        with self._world.lock:
            return self._world.private_chat(self.user)

    # Writing

    def writes(
        self,
        text: str,
        to: Place | None = None,
        *,
        reply_to: Message | None = None,
        topic: Message | int | None = None,
        forward_from: str | Person | HiddenName | Channel | None = None,
        media_group: str | None = None,
        entities: list[JSON] | None = None,
        anonymous: bool = False,
        as_channel: Channel | None = None,
        **extra: Any,
    ) -> Message:
        """To the bot when `to` is None. `forward_from` a string is the title of a channel.

        With `media_group` it is one photo of an album with `text` below it. `extra` goes on the wire as it is.
        `entities` replaces the commands and mentions that are found by themselves.
        """
        with self._world.change():
            chat = self._chat(to)
            sender, extra = self._face(chat, anonymous, as_channel, dict(extra))
            if forward_from is not None:
                extra |= {"forward_origin": self._origin(forward_from)}
            if media_group is not None:
                extra |= {"media_group_id": media_group, "photo": _photo(self._world)}
            caption = bool(extra.keys() & {"photo", "document", "voice", "video"})
            thread, parent = _thread(chat, topic, reply_to)
            marks = found_entities(text) if entities is None else entities
            fields = {"text": text, "entities": marks, "extra": extra, "caption": caption}
            message = self._world.post(chat, sender, reply_to=parent, thread_id=thread, **fields)
            hearing.tell_message(self._world, message)
        return message

    def sends_file(self, name: str, content: bytes, caption: str = "", to: Place | None = None) -> Message:
        with self._world.lock:
            document = self._world.keep_file(name, content)
        return self.writes(caption, to, document=document)

    def edits(self, message: Message, text: str, *, entities: list[JSON] | None = None) -> Message:
        """The same text again is told too: the real server also tells edits that change nothing one can see."""
        with self._world.change():
            assert not message.by_bot and not message.deleted, "people edit their own messages only"
            message.versions.append(message.text)
            message.text = text
            message.entities = found_entities(text) if entities is None else entities
            message.edited_at = self._world.clock.now()
            hearing.tell_message(self._world, message)
        return message

    def deletes(self, message: Message) -> None:
        """A bot is never told."""
        with self._world.change():
            message.deleted = True

    def reacts(self, message: Message, *emoji: str) -> None:
        with self._world.change():
            hearing.tell_reaction(self._world, message, self.user, [], list(emoji))

    # Pressing

    def presses(self, message: Message, label: str) -> str:
        """The id of the press; `TelegramServer.toast` says what came back."""
        assert not message.deleted, "the message is gone"
        return self.presses_data(message, message.data_of(label))

    def presses_data(self, message: Message, data: str) -> str:
        """Also what no button says: an old button, or a made-up one."""
        with self._world.change():
            query = self._presses.new(self.user, message, data, self._world.clock.now())
            hearing.tell_press(self._world, query, self.user, message, data)
        return query

    # Coming and going

    def blocks(self) -> None:
        with self._world.change():
            hearing.tell_bot_status(self._world, self.chat, self.user, "kicked")

    def unblocks(self) -> None:
        with self._world.change():
            hearing.tell_bot_status(self._world, self.chat, self.user, "member")

    def deactivates(self) -> None:
        with self._world.change():
            self.user.deactivated = True

    def joins(self, group: Group, *, by: Person | None = None) -> None:
        with self._world.change():
            inviter = by or self
            hearing.tell_member_status(self._world, group.chat, inviter.user, self.user, "member")
            inviter._service(group, new_chat_members=[self.user.wire()])

    def leaves(self, group: Group) -> None:
        with self._world.change():
            self._service(group, left_chat_member=self.user.wire())
            hearing.tell_member_status(self._world, group.chat, self.user, self.user, "left")

    def removes(self, who: Person, group: Group) -> None:
        with self._world.change():
            self._service(group, left_chat_member=who.user.wire())
            hearing.tell_member_status(self._world, group.chat, self.user, who.user, "kicked")

    def promotes(self, who: Person | None, group: Group) -> None:
        """None: the bot."""
        self._ranks(who, group, "administrator")

    def demotes(self, who: Person | None, group: Group) -> None:
        self._ranks(who, group, "member")

    def adds_bot(self, group: Group) -> None:
        with self._world.change():
            hearing.tell_bot_status(self._world, group.chat, self.user, "member")
            self._service(group, new_chat_members=[self._world.bot.wire()])

    def kicks_bot(self, group: Group) -> None:
        with self._world.change():
            self._service(group, left_chat_member=self._world.bot.wire())
            hearing.tell_bot_status(self._world, group.chat, self.user, "kicked")

    def _ranks(self, who: Person | None, group: Group, status: str) -> None:
        with self._world.change():
            if who is None:
                hearing.tell_bot_status(self._world, group.chat, self.user, status)
            else:
                hearing.tell_member_status(self._world, group.chat, self.user, who.user, status)

    def _service(self, group: Group, **extra: Any) -> None:
        message = self._world.post(group.chat, self.user, extra=extra)
        hearing.tell_message(self._world, message)

    # What a message needs

    def _chat(self, to: Place | None) -> Chat:
        if to is None:
            assert self.chat.members[self._world.bot.id] != "kicked", f"{self.user.first_name} blocked the bot"
            return self.chat
        chat = to.chat
        assert self.user.is_bot or chat.members.get(self.id) in PRESENT, (
            f"{self.user.first_name} is not in {chat.title}"
        )
        return chat

    def _face(self, chat: Chat, anonymous: bool, channel: Channel | None, extra: JSON) -> tuple[User, JSON]:
        if anonymous:
            assert self._world.is_admin(chat, self.id), "only an admin is anonymous"
            return self._world.users[ANONYMOUS_ADMIN], extra | {"sender_chat": chat.wire()}
        if channel is not None:
            return self._world.users[CHANNEL_SENDER], extra | {"sender_chat": channel.chat.wire()}
        return self.user, extra

    def _origin(self, source: str | Person | HiddenName | Channel) -> JSON:
        origin: JSON = {"date": self._world.seconds() - 3600}
        match source:
            case Person():
                return origin | {"type": "user", "sender_user": source.user.wire()}
            case HiddenName():
                return origin | {"type": "hidden_user", "sender_user_name": source.name}
            case Channel():
                return origin | {"type": "channel", "chat": source.chat.wire(), "message_id": 1}
        number = -1_000_000_900_000 - sum(source.encode())
        return origin | {"type": "channel", "chat": Chat(number, "channel", source).wire(), "message_id": 1}


class Group:
    """A group by its handle; after a migration the handle leads to the new chat."""

    def __init__(self, world: World, chat: Chat) -> None:
        self._world = world
        self._chat = chat

    @property
    def chat(self) -> Chat:
        return self._chat.migrated_to or self._chat

    @property
    def id(self) -> int:
        return self.chat.id

    def topic(self, name: str, by: Person) -> Message:
        """A new topic; the message that opens it stands for it."""
        with self._world.change():
            assert self.chat.is_forum
            extra = {"forum_topic_created": {"name": name, "icon_color": 7322096}}
            message = self._world.post(self.chat, by.user, extra=extra)
            message.thread_id = message.message_id
            self.chat.topics[message.message_id] = message
            hearing.tell_message(self._world, message)
        return message

    def closes_topic(self, topic: Message) -> None:
        """Deleted for good: a send there finds no thread."""
        with self._world.change():
            del self.chat.topics[topic.message_id]


class Channel:
    def __init__(self, world: World, chat: Chat) -> None:
        self._world = world
        self.chat = chat

    @property
    def id(self) -> int:
        return self.chat.id

    def posts(self, text: str) -> Message:
        """Also forwarded into the linked group by Telegram itself; that copy is returned, or the post if none."""
        with self._world.change():
            marks = found_entities(text)
            post = self._world.post(self.chat, None, text=text, entities=marks, extra={"sender_chat": self.chat.wire()})
            hearing.tell_message(self._world, post)
            if self.chat.linked is None:
                return post
            origin = {
                "type": "channel",
                "date": int(post.at.timestamp()),
                "chat": self.chat.wire(),
                "message_id": post.message_id,
            }
            extra = {"sender_chat": self.chat.wire(), "is_automatic_forward": True, "forward_origin": origin}
            telegram = self._world.users[LINKED_CHANNEL]
            copy = self._world.post(self.chat.linked, telegram, text=text, entities=marks, extra=extra)
            hearing.tell_message(self._world, copy)
        return copy


Place = Group | Channel


def _thread(chat: Chat, topic: Message | int | None, reply_to: Message | None) -> tuple[int | None, Message | None]:
    """In a topic, a message that answers nothing answers the one that opened the topic."""
    if topic is None:
        return None, reply_to
    number = topic if isinstance(topic, int) else topic.message_id
    return number, reply_to or chat.topics[number]


def _photo(world: World) -> list[JSON]:
    file = world.keep_file("photo.jpg", b"\xff\xd8\xff")
    del file["file_name"]
    return [file | {"width": 90, "height": 90}]
