"""What of all that happens in chats reaches the bot, and in which words."""

from __future__ import annotations

import re
from typing import Any

from tests.emulators.telegram.world import Chat, Message, User, World, member_wire

JSON = dict[str, Any]

SERVICE = {
    "new_chat_members",
    "left_chat_member",
    "new_chat_title",
    "group_chat_created",
    "migrate_to_chat_id",
    "migrate_from_chat_id",
    "forum_topic_created",
    "pinned_message",
}


def hears(world: World, message: Message) -> bool:
    """Privacy mode: in groups a bot without rights gets what is meant for it, and service messages.

    Commands without a name reach every bot there. Sources disagree on a bare mention; `World.mentions_heard` says.
    """
    chat, sender = message.chat, message.sender
    if message.by_bot or chat.members.get(world.bot.id) not in ("member", "administrator", "creator"):
        return False
    if chat.private:
        return True
    if sender is not None and sender.is_bot and "sender_chat" not in message.extra and not world.bots_heard:
        return False
    if not world.privacy or world.is_admin(chat, world.bot.id) or message.extra.keys() & SERVICE:
        return True
    return _meant_for_bot(world, message)


def _meant_for_bot(world: World, message: Message) -> bool:
    if message.reply_to is not None and message.reply_to.by_bot:
        return True
    name = f"@{world.bot.username}".casefold()
    for entity in message.entities:
        words = _cut(message.text, entity).casefold()
        if entity["type"] == "bot_command" and ("@" not in words or words.endswith(name)):
            return True
        if entity["type"] == "mention" and words == name and world.mentions_heard:
            return True
    return False


def _cut(text: str, entity: JSON) -> str:
    raw = text.encode("utf-16-le", "surrogatepass")[entity["offset"] * 2 : (entity["offset"] + entity["length"]) * 2]
    return raw.decode("utf-16-le", "surrogatepass")


def tell_message(world: World, message: Message) -> None:
    kind = "channel_post" if message.chat.type == "channel" else "message"
    if hears(world, message):
        world.updates.add(f"edited_{kind}" if message.edited else kind, message.wire())


def tell_bot_status(world: World, chat: Chat, by: User, status: str) -> None:
    """The bot itself was added, promoted, blocked, thrown out: it always learns that."""
    before = chat.members.get(world.bot.id, "left")
    chat.members[world.bot.id] = status
    world.updates.add("my_chat_member", _change(world, chat, by, world.bot, before, status))


def tell_member_status(world: World, chat: Chat, by: User, who: User, status: str) -> None:
    """Somebody else: only an admin bot learns it, and only when it asks for `chat_member`."""
    before = chat.members.get(who.id, "left")
    chat.members[who.id] = status
    if world.is_admin(chat, world.bot.id):
        world.updates.add("chat_member", _change(world, chat, by, who, before, status))


def _change(world: World, chat: Chat, by: User, who: User, before: str, after: str) -> JSON:
    return {
        "chat": chat.wire(),
        "from": by.wire(),
        "date": world.seconds(),
        "old_chat_member": member_wire(who, before),
        "new_chat_member": member_wire(who, after),
    }


def tell_reaction(world: World, message: Message, by: User, before: list[str], after: list[str]) -> None:
    chat = message.chat
    if not chat.private and not world.is_admin(chat, world.bot.id):
        return
    body = {"chat": chat.wire(), "message_id": message.message_id, "user": by.wire(), "date": world.seconds()}
    body |= {"old_reaction": _reactions(before), "new_reaction": _reactions(after)}
    world.updates.add("message_reaction", body)


def _reactions(emoji: list[str]) -> list[JSON]:
    return [{"type": "emoji", "emoji": one} for one in emoji]


def tell_press(world: World, query_id: str, by: User, message: Message, data: str) -> None:
    place: JSON = message.wire()
    if message.deleted:
        place = {"chat": message.chat.wire(), "message_id": message.message_id, "date": 0}
    body = {"id": query_id, "from": by.wire(), "message": place, "data": data}
    world.updates.add("callback_query", body | {"chat_instance": str(-(message.chat.id * 7919))})


COMMAND_NAME = re.compile(r"[a-z0-9_]{1,32}", re.ASCII)
"""What a command of a menu may be called."""
