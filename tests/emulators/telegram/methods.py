"""Methods that write, change, react and answer. The order of the checks is that of the real server where known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.emulators.telegram import checks
from tests.emulators.telegram.calls import Call, Desk
from tests.emulators.telegram.refusals import bad, refusal, upgraded
from tests.emulators.telegram.world import Chat, Message, World

JSON = dict[str, Any]


def target(desk: Desk, call: Call) -> Chat:
    """The chat of a call, which the bot may look at. Raises Refusal."""
    world = desk.world
    name = call.text("chat_id")
    if not name:
        raise bad("chat_id is empty")
    if name.startswith("@"):
        found = [chat for chat in world.chats.values() if chat.username == name[1:] and not chat.private]
        if not found:
            raise refusal("chat-not-found")
        return found[0]
    number = call.number("chat_id")
    chat = world.chats.get(number)
    if chat is None:
        user = world.users.get(number)
        if user is None:
            raise refusal("chat-not-found")
        raise refusal("bot-to-bot" if user.is_bot else "never-wrote")
    if chat.migrated_to is not None:
        raise upgraded(chat.migrated_to.id)
    return chat


def open_target(desk: Desk, call: Call) -> Chat:
    """The chat of a call, which the bot may write in. Raises Refusal."""
    chat = target(desk, call)
    status = chat.members.get(desk.world.bot.id, "left")
    if chat.private:
        user = desk.world.users[chat.id]
        if user.is_bot:
            raise refusal("bot-to-bot")
        if user.deactivated:
            raise refusal("deactivated")
        if status == "kicked":
            raise refusal("blocked")
    elif status in ("left", "kicked"):
        word = "kicked" if status == "kicked" else "not-member"
        raise refusal(word if chat.type == "group" else f"{word}-supergroup")
    elif status == "restricted":
        raise refusal("no-rights")
    return chat


def _thread(chat: Chat, call: Call) -> int | None:
    """The General topic has number 1 and is reached by naming none."""
    number = call.whole("message_thread_id")
    if number is not None and number not in chat.topics:
        raise refusal("thread-not-found")
    return number


def _answered(desk: Desk, chat: Chat, call: Call) -> Message | None:
    reply = call.structure("reply_parameters") or {}
    number = reply.get("message_id", call.whole("reply_to_message_id"))
    if number is None:
        return None
    found = chat.messages.get(int(number))
    if found is not None and not found.deleted:
        return found
    if reply.get("allow_sending_without_reply") or call.flag("allow_sending_without_reply"):
        return None
    raise refusal("reply-not-found")


def _plain(call: Call) -> None:
    if call.text("parse_mode"):
        raise bad("unsupported parse_mode: the emulator takes entities only")


def _post(desk: Desk, chat: Chat, call: Call, **fields: Any) -> JSON:
    thread = _thread(chat, call)
    answered = _answered(desk, chat, call)
    if thread is not None and answered is None:
        answered = chat.topics[thread]
    markup = checks.check_markup(call.structure("reply_markup"))
    with desk.world.change():
        message = desk.world.post(
            chat, desk.world.bot, by_bot=True, markup=markup, reply_to=answered, thread_id=thread, **fields
        )
        return message.wire()


def send_message(desk: Desk, call: Call) -> JSON:
    chat = open_target(desk, call)
    _plain(call)
    text, entities = checks.outgoing_text(call.text("text"), call.records("entities"))
    if not text:
        raise refusal("empty")
    return _post(desk, chat, call, text=text, entities=entities)


def send_document(desk: Desk, call: Call) -> JSON:
    chat = open_target(desk, call)
    _plain(call)
    caption, entities = checks.outgoing_text(
        call.text("caption"), call.records("caption_entities"), units_max=checks.CAPTION_UNITS_MAX
    )
    given = call.text("document")
    attached = call.files.get(given.removeprefix("attach://") if given else "document")
    if attached is None:
        known = desk.world.files.get(given)
        if known is None:
            raise refusal("file")
        attached = known
    if not attached[1]:
        raise refusal("file-empty")
    with desk.world.change():
        document = desk.world.keep_file(*attached)
    return _post(desk, chat, call, text=caption, entities=entities, caption=True, extra={"document": document})


PNG = b"\x89PNG\r\n\x1a\n"
SIDES_MAX = 10_000
RATIO_MAX = 20
"""Of the longer side to the shorter one, and the sum of both above, as the real server has them for photos."""


def send_photo(desk: Desk, call: Call) -> JSON:
    """A PNG that comes with the call; other kinds and known files are not emulated."""
    chat = open_target(desk, call)
    _plain(call)
    caption, entities = checks.outgoing_text(
        call.text("caption"), call.records("caption_entities"), units_max=checks.CAPTION_UNITS_MAX
    )
    given = call.text("photo")
    attached = call.files.get(given.removeprefix("attach://") if given else "photo")
    if attached is None:
        raise refusal("file")
    content = attached[1]
    if not content:
        raise refusal("file-empty")
    width, height = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if not content.startswith(PNG) or not width or not height:
        raise bad("IMAGE_PROCESS_FAILED")
    if width + height > SIDES_MAX or max(width, height) > RATIO_MAX * min(width, height):
        raise bad("PHOTO_INVALID_DIMENSIONS")
    with desk.world.change():
        kept = desk.world.keep_file(*attached)
    photo = {name: kept[name] for name in ("file_id", "file_unique_id", "file_size")}
    sizes = [photo | {"width": width, "height": height}]
    return _post(desk, chat, call, text=caption, entities=entities, caption=True, extra={"photo": sizes})


def _own(chat: Chat, call: Call) -> Message:
    message = chat.messages.get(call.number("message_id"))
    if message is None or message.deleted:
        raise refusal("edit-not-found")
    if not message.by_bot:
        raise refusal("not-editable")
    return message


def edit_text(desk: Desk, call: Call) -> JSON:
    chat = open_target(desk, call)
    _plain(call)
    message = _own(chat, call)
    text, entities = checks.outgoing_text(call.text("text"), call.records("entities"))
    if not text:
        raise refusal("empty")
    if message.caption:
        raise bad("there is no text in the message to edit")
    markup = checks.check_markup(call.structure("reply_markup"))
    return _change(desk.world, message, text, entities, markup)


def edit_markup(desk: Desk, call: Call) -> JSON:
    chat = open_target(desk, call)
    message = _own(chat, call)
    markup = checks.check_markup(call.structure("reply_markup"))
    return _change(desk.world, message, message.text, message.entities, markup)


def _change(world: World, message: Message, text: str, entities: list[JSON], markup: JSON | None) -> JSON:
    if (message.text, message.entities, message.markup) == (text, entities, markup):
        raise refusal("not-modified")
    with world.change():
        if message.text != text:
            message.versions.append(message.text)
        message.text, message.entities, message.markup = text, entities, markup
        message.edited_at = world.clock.now()
        return message.wire()


def delete_message(desk: Desk, call: Call) -> bool:
    """Own messages; those of others in private, or with admin rights."""
    chat = open_target(desk, call)
    message = chat.messages.get(call.number("message_id"))
    if message is None or message.deleted:
        raise refusal("delete-not-found")
    if not (message.by_bot or chat.private or desk.world.is_admin(chat, desk.world.bot.id)):
        raise refusal("not-deletable")
    with desk.world.change():
        message.deleted = True
    return True


def set_reaction(desk: Desk, call: Call) -> bool:
    """A bot has one reaction to a message."""
    chat = open_target(desk, call)
    message = chat.messages.get(call.number("message_id"))
    if message is None or message.deleted:
        raise refusal("react-not-found")
    wanted = call.records("reaction")
    emoji = [str(one.get("emoji")) for one in wanted if isinstance(one, dict) and one.get("type") == "emoji"]
    if len(emoji) != len(wanted) or len(emoji) > 1 or not set(emoji) <= checks.REACTIONS:
        raise refusal("reaction")
    with desk.world.change():
        message.reactions = emoji
    return True


def answer_press(desk: Desk, call: Call) -> bool:
    toast = call.text("text")
    if checks.units(toast) > 200:
        raise bad("MESSAGE_TOO_LONG")
    with desk.world.change():
        now = desk.world.clock.now()
        desk.presses.answer(call.text("callback_query_id"), toast, call.flag("show_alert"), now)
    return True


def chat_action(desk: Desk, call: Call) -> bool:
    chat = open_target(desk, call)
    _thread(chat, call)
    if call.text("action") not in ("typing", "upload_document", "upload_photo"):
        raise bad("wrong parameter action in request")
    return True


METHODS: dict[str, Callable[[Desk, Call], Any]] = {
    "sendMessage": send_message,
    "sendDocument": send_document,
    "sendPhoto": send_photo,
    "editMessageText": edit_text,
    "editMessageReplyMarkup": edit_markup,
    "deleteMessage": delete_message,
    "setMessageReaction": set_reaction,
    "answerCallbackQuery": answer_press,
    "sendChatAction": chat_action,
}
