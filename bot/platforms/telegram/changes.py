"""What happens to chats and to those in them: told by service messages, or by changes of membership, or by both.

Both may tell of one thing; whoever acts on a `ChatChange` finds it done the second time.
"""

from __future__ import annotations

from datetime import datetime

import telegram

from bot.event import Change, ChatChange
from bot.message import Chat, ChatKind
from bot.platforms.telegram.people import Me, author, chat_of, lang, person, shown
from store.model import NOBODY, AccountID

_IN = ("creator", "administrator", "member")
_ADMINS = ("creator", "administrator")


def of_service(update_id: int, message: telegram.Message, me: Me) -> tuple[ChatChange, ...] | None:
    """None when it is a message like any other."""
    chat = chat_of(message.chat)
    if chat is None:
        return ()
    key, at = _key(update_id, me), message.date
    if message.migrate_to_chat_id:
        return (ChatChange(key, chat, Change.MOVED, at, other=str(message.migrate_to_chat_id)),)
    if message.migrate_from_chat_id:
        old = Chat("telegram", str(message.migrate_from_chat_id), ChatKind.GROUP, chat.title)
        return (ChatChange(key, old, Change.MOVED, at, other=chat.id),)
    if message.new_chat_title:
        titled = Chat(chat.platform, chat.id, chat.kind, shown(message.new_chat_title))
        return (_by(message, key, titled, Change.TITLED),)
    if message.left_chat_member is not None:
        if message.left_chat_member.id == me.id:
            return (_by(message, key, chat, Change.GONE),)
        return _member(key, chat, Change.LEFT, at, message.left_chat_member)
    if message.new_chat_members:
        return _arrivals(key, chat, message, me)
    if message.group_chat_created or message.supergroup_chat_created:
        return (_by(message, key, chat, Change.ADDED),)
    return None


def of_me(update_id: int, told: telegram.ChatMemberUpdated, me: Me) -> tuple[ChatChange, ...]:
    """The bot's own standing. A promotion changes nothing: what counts is asked when it is needed."""
    chat = chat_of(told.chat)
    if chat is None:
        return ()
    was, now = _present(told.old_chat_member), _present(told.new_chat_member)
    if chat.kind is ChatKind.PRIVATE:
        change = Change.UNBLOCKED if now else Change.BLOCKED
    elif was == now:
        return ()
    else:
        change = Change.ADDED if now else Change.GONE
    who, name = _who(told.from_user)
    return (ChatChange(_key(update_id, me), chat, change, told.date, who, name, lang=lang(told.from_user)),)


def of_member(update_id: int, told: telegram.ChatMemberUpdated, me: Me) -> tuple[ChatChange, ...]:
    """Somebody else's standing; told to bots that are admins."""
    chat = chat_of(told.chat)
    if chat is None or chat.kind is ChatKind.PRIVATE:
        return ()
    change = _change(told.old_chat_member, told.new_chat_member)
    if change is None:
        return ()
    return _member(_key(update_id, me), chat, change, told.date, told.new_chat_member.user)


def _change(old: telegram.ChatMember, new: telegram.ChatMember) -> Change | None:
    if not _present(new):
        return Change.LEFT
    if new.status in _ADMINS:
        return None if old.status in _ADMINS else Change.ADMIN
    if not _present(old):
        return Change.JOINED
    return Change.MEMBER if old.status in _ADMINS else None


def _present(member: telegram.ChatMember) -> bool:
    if isinstance(member, telegram.ChatMemberRestricted):
        return member.is_member
    return member.status in _IN


def _arrivals(key: str, chat: Chat, message: telegram.Message, me: Me) -> tuple[ChatChange, ...]:
    found: list[ChatChange] = []
    for user in message.new_chat_members:
        own = key if len(message.new_chat_members) == 1 else f"{key}:{user.id}"
        if user.id == me.id:
            found.append(_by(message, own, chat, Change.ADDED))
        else:
            found += _member(own, chat, Change.JOINED, message.date, user)
    return tuple(found)


def _member(key: str, chat: Chat, change: Change, at: datetime, user: telegram.User) -> tuple[ChatChange, ...]:
    """Nothing for a bot: none is ever a member here."""
    found = person(user)
    if found is None:
        return ()
    return (ChatChange(key, chat, change, at, found.account, found.name, lang=found.lang),)


def _by(message: telegram.Message, key: str, chat: Chat, change: Change) -> ChatChange:
    """A change of the chat as a whole, and who made it; nobody when a bot did."""
    found = author(message)
    if found is None:
        return ChatChange(key, chat, change, message.date)
    return ChatChange(key, chat, change, message.date, found.account, found.name, lang=found.lang)


def _who(user: telegram.User) -> tuple[AccountID, str]:
    found = person(user)
    return (found.account, found.name) if found is not None else (NOBODY, "")


def _key(update_id: int, me: Me) -> str:
    return f"telegram:{me.id}:change:{update_id}"
