"""What Telegram tells, as events: messages for the bot, presses, changes of chats. No input or output here.

A newcomer's traps: an edit comes for changes that nobody sees; bots, channels and Telegram's own accounts write
messages too; the message that opened a topic looks like what every message in it answers.
"""

from __future__ import annotations

from datetime import datetime

import telegram

from bot.event import Event, Press
from bot.message import Chat, ChatKind, Inbound, Quoted
from bot.platforms.telegram import changes
from bot.platforms.telegram.addressing import heard
from bot.platforms.telegram.people import Me, author, chat_of, name, person, shown
from bot.platforms.telegram.utf16 import whole
from bot.secret_scan import mask

_UNREAD = (
    "photo document voice audio video video_note animation contact location venue poll story paid_media checklist"
).split()
"""What a person may send without a word and expect to be kept: it gets an answer, though it cannot be read."""


def events(update: telegram.Update, me: Me, now: datetime) -> tuple[Event, ...]:
    """Mostly one or none; several only when several people came in at once. `now` is when a press was told of."""
    if update.message is not None:
        told = changes.of_service(update.update_id, update.message, me)
        return _message(update.message, me) if told is None else told
    if update.edited_message is not None:
        return _message(update.edited_message, me, edited=True)
    if update.callback_query is not None:
        return _press(update.callback_query, me, now)
    if update.my_chat_member is not None:
        return changes.of_me(update.update_id, update.my_chat_member, me)
    if update.chat_member is not None:
        return changes.of_member(update.update_id, update.chat_member, me)
    return ()


def message_key(me: Me, chat: int | str, message: int) -> str:
    """The name of a message for ever, and of the entry made from it."""
    return f"telegram:{me.id}:{chat}:{message}"


def _message(message: telegram.Message, me: Me, *, edited: bool = False) -> tuple[Inbound, ...]:
    chat, who = chat_of(message.chat), author(message)
    if chat is None or who is None or message.is_automatic_forward:
        return ()
    raw = message.text or message.caption or ""
    text = whole(raw)
    if not text.strip() and (edited or chat.kind is ChatKind.GROUP or not _is_unread(message)):
        return ()
    answered = _answered(message)
    replied = answered is not None and answered.from_user is not None and answered.from_user.id == me.id
    told = heard(text, message.entities or message.caption_entities, me, replied=replied)
    if chat.kind is ChatKind.GROUP and not told.addressed:
        return ()
    quoted, quote_damaged, quote_masked = _quoted(answered, message.quote, me)
    words = mask(told.text)
    key = original = message_key(me, chat.id, message.message_id)
    at = message.date
    if edited:
        at = message.edit_date or at
        key = f"{original}:{int(at.timestamp())}"
    inbound = Inbound(
        key=key,
        chat=chat,
        account=who.account,
        name=who.name,
        text=words,
        at=at,
        reply_to=quoted,
        damaged=text != raw or quote_damaged,
        masked=words != told.text or quote_masked,
        message=str(message.message_id),
        topic=_topic(message),
        edits=original if edited else "",
        forwarded=_forwarded(message.forward_origin),
        lang=who.lang,
    )
    return (inbound,)


def _is_unread(message: telegram.Message) -> bool:
    """Of an album only the part with the words counts."""
    return message.media_group_id is None and any(getattr(message, kind, None) for kind in _UNREAD)


def _answered(message: telegram.Message) -> telegram.Message | None:
    """The message that this one answers; in a topic, answering its first message is answering nothing."""
    answered = message.reply_to_message
    if answered is None or answered.forum_topic_created is not None:
        return None
    if message.is_topic_message and answered.message_id == message.message_thread_id:
        return None
    return answered


def _quoted(
    answered: telegram.Message | None, part: telegram.TextQuote | None, me: Me
) -> tuple[Quoted | None, bool, bool]:
    """What is answered (only `part` of it, where that was chosen), and whether something was mended, and masked."""
    raw = (answered.text or answered.caption or "") if answered is not None else ""
    if part is not None and part.is_manual:
        raw = part.text
    if answered is None or not raw.strip():
        return None, False, False
    text = whole(raw)
    words = mask(text)
    key = message_key(me, answered.chat.id, answered.message_id)
    ours = answered.from_user is not None and answered.from_user.id == me.id
    return Quoted(key, _name_of(answered), words, ours), text != raw, words != text


def _name_of(message: telegram.Message) -> str:
    if message.sender_chat is not None:
        return shown(message.sender_chat.title or "") or str(message.sender_chat.id)
    return name(message.from_user) if message.from_user is not None else ""


def _topic(message: telegram.Message) -> str:
    """A thread of answers in a supergroup has a number as well, and is no topic."""
    return str(message.message_thread_id) if message.is_topic_message and message.message_thread_id else ""


def _forwarded(origin: telegram.MessageOrigin | None) -> str:
    """Whose words they are, as shown; "" when they are the writer's own."""
    match origin:
        case None:
            return ""
        case telegram.MessageOriginUser():
            return name(origin.sender_user)
        case telegram.MessageOriginHiddenUser():
            return shown(origin.sender_user_name) or "?"
        case telegram.MessageOriginChat():
            return _signed(origin.sender_chat, origin.author_signature)
        case telegram.MessageOriginChannel():
            return _signed(origin.chat, origin.author_signature)
    return "?"


def _signed(chat: telegram.Chat, signature: str | None) -> str:
    title = shown(chat.title or "") or str(chat.id)
    signed = shown(signature or "")
    return f"{title} · {signed}" if signed else title


def _press(query: telegram.CallbackQuery, me: Me, now: datetime) -> tuple[Press, ...]:
    """The button's message may be too old to be shown; its chat and number are told all the same."""
    who = person(query.from_user)
    chat: Chat | None = chat_of(query.message.chat) if query.message is not None else None
    if who is None or chat is None or query.message is None or not query.data:
        return ()
    press = Press(
        key=f"telegram:{me.id}:press:{query.id}",
        chat=chat,
        account=who.account,
        name=who.name,
        at=now,
        token=query.data,
        answer=query.id,
        message=str(query.message.message_id),
        topic=_topic(query.message) if isinstance(query.message, telegram.Message) else "",
        lang=who.lang,
    )
    return (press,)
