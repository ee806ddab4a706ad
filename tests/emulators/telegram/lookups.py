"""Methods that ask, and those by which the bot says what it is: chats, members, files, menus, descriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.emulators.telegram import hearing
from tests.emulators.telegram.calls import Call, Desk
from tests.emulators.telegram.methods import open_target, target
from tests.emulators.telegram.refusals import bad, refusal
from tests.emulators.telegram.world import member_wire

JSON = dict[str, Any]

COMMANDS_MAX = 100


def get_me(desk: Desk, call: Call) -> JSON:
    facts = {
        "can_join_groups": True,
        "can_read_all_group_messages": not desk.world.privacy,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }
    return desk.world.bot.wire() | facts


# Chats


def get_chat(desk: Desk, call: Call) -> JSON:
    chat = target(desk, call)
    if not chat.private:
        open_target(desk, call)
    gifts = {f"{kind}_gifts": False for kind in ("unlimited", "limited", "unique")}
    gifts |= {"premium_subscription": False, "gifts_from_channels": False}
    return chat.wire() | {"accent_color_id": 2, "max_reaction_count": 11, "accepted_gift_types": gifts}


def get_member(desk: Desk, call: Call) -> JSON:
    chat = open_target(desk, call)
    user = desk.world.users.get(call.number("user_id"))
    if user is None:
        raise bad("PARTICIPANT_ID_INVALID")
    status = "member" if chat.private else chat.members.get(user.id, "left")
    return member_wire(user, status)


def get_admins(desk: Desk, call: Call) -> list[JSON]:
    """Other bots are left out."""
    chat = open_target(desk, call)
    if chat.private:
        raise bad("there are no administrators in the private chat")
    users = desk.world.users
    found = [(users[id_], status) for id_, status in chat.members.items() if desk.world.is_admin(chat, id_)]
    return [member_wire(user, status) for user, status in found if not user.is_bot or user is desk.world.bot]


def leave_chat(desk: Desk, call: Call) -> bool:
    chat = open_target(desk, call)
    if chat.private:
        raise bad("chat member status can't be changed in private chats")
    with desk.world.change():
        hearing.tell_bot_status(desk.world, chat, desk.world.bot, "left")
    return True


# Files


def get_file(desk: Desk, call: Call) -> JSON:
    file_id = call.text("file_id")
    found = desk.world.files.get(file_id)
    if found is None:
        raise refusal("file")
    body: JSON = {"file_id": file_id, "file_unique_id": file_id.rpartition("Emulator")[2]}
    return body | {"file_size": len(found[1]), "file_path": f"documents/{file_id}"}


# Menus and words


def _menu(call: Call) -> tuple[str, str]:
    scope = call.structure("scope") or {"type": "default"}
    parts = [str(scope[name]) for name in ("type", "chat_id", "user_id") if name in scope]
    return ":".join(parts), call.text("language_code")


def set_commands(desk: Desk, call: Call) -> bool:
    commands = call.records("commands")
    if len(commands) > COMMANDS_MAX:
        raise bad("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not hearing.COMMAND_NAME.fullmatch(command.get("command", "").removeprefix("/")):
            raise bad("BOT_COMMAND_INVALID")
        if not 1 <= len(command.get("description", "").strip()) <= 256:
            raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
    with desk.world.change():
        desk.profile.menus[_menu(call)] = commands
    return True


def get_commands(desk: Desk, call: Call) -> list[JSON]:
    return desk.profile.menus.get(_menu(call), [])


def delete_commands(desk: Desk, call: Call) -> bool:
    with desk.world.change():
        desk.profile.menus.pop(_menu(call), None)
    return True


def _sets(field: str, units_max: int) -> Callable[[Desk, Call], bool]:
    def method(desk: Desk, call: Call) -> bool:
        words = call.text(field)
        if len(words) > units_max:
            raise bad(f"bot {field} is too long")
        with desk.world.change():
            desk.profile.words[field, call.text("language_code")] = words
        return True

    return method


def _gets(field: str) -> Callable[[Desk, Call], JSON]:
    def method(desk: Desk, call: Call) -> JSON:
        known = desk.profile.words
        return {field: known.get((field, call.text("language_code"))) or known.get((field, ""), "")}

    return method


def set_menu_button(desk: Desk, call: Call) -> bool:
    with desk.world.change():
        desk.profile.buttons[call.whole("chat_id")] = call.structure("menu_button") or {"type": "default"}
    return True


def get_menu_button(desk: Desk, call: Call) -> JSON:
    return desk.profile.buttons.get(call.whole("chat_id"), {"type": "commands"})


# Webhook: it is remembered and gets in the way of polling; nothing is ever delivered to it.


def set_webhook(desk: Desk, call: Call) -> bool:
    with desk.world.change():
        desk.world.updates.webhook = call.text("url")
        if call.flag("drop_pending_updates"):
            desk.world.updates.clear()
    return True


def delete_webhook(desk: Desk, call: Call) -> bool:
    call.values["url"] = ""
    return set_webhook(desk, call)


def webhook_info(desk: Desk, call: Call) -> JSON:
    updates = desk.world.updates
    return {"url": updates.webhook, "has_custom_certificate": False, "pending_update_count": updates.pending}


METHODS: dict[str, Callable[[Desk, Call], Any]] = {
    "getMe": get_me,
    "getChat": get_chat,
    "getChatMember": get_member,
    "getChatAdministrators": get_admins,
    "leaveChat": leave_chat,
    "getFile": get_file,
    "setMyCommands": set_commands,
    "getMyCommands": get_commands,
    "deleteMyCommands": delete_commands,
    "setMyName": _sets("name", 64),
    "getMyName": _gets("name"),
    "setMyDescription": _sets("description", 512),
    "getMyDescription": _gets("description"),
    "setMyShortDescription": _sets("short_description", 120),
    "getMyShortDescription": _gets("short_description"),
    "setChatMenuButton": set_menu_button,
    "getChatMenuButton": get_menu_button,
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": webhook_info,
}
