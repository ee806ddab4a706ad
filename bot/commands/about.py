"""Help, who and where one is, what is kept, language, zone, profile, rules: everything about the talk itself."""

from __future__ import annotations

from bot import render
from bot.intents import Profile, Simple
from bot.message import Button, Line, Reply
from bot.turn import Turn
from bot.words import LANGUAGES, words
from bot.zones import zone_named
from store.errors import BadCommand, NotAllowed
from store.model import Role
from store.text import nfc

PROFILE_FIELDS_MAX = 100
FIELD_CHARACTERS_MAX = 40
VALUE_CHARACTERS_MAX = 500


def simple(turn: Turn, intent: Simple) -> Reply:
    """The commands without a grammar of their own."""
    match intent.name:
        case "help" | "start":
            return turn.say(turn.words("help" if turn.private else "help-group"))
        case "whoami" | "id":
            return who_am_i(turn)
        case "status":
            return status(turn)
        case "privacy":
            return turn.say(
                turn.words("privacy-private" if turn.private else "privacy-group", memory=turn.memory_name())
            )
        case "lang":
            return language(turn, intent.argument)
        case "tz":
            return zone(turn, intent.argument)
        case "settings":
            return settings(turn)
        case "export":
            return export(turn)
        case "stop" | "retry":
            return turn.say(turn.words("nothing-running"))
        case _:
            return turn.say(turn.words("not-yet", command=intent.name), buttons=(turn.button("button-help", "help"),))


def who_am_i(turn: Turn) -> Reply:
    role = turn.words(f"role-{turn.role.value}")
    return turn.say(
        turn.words(
            "whoami", name=turn.name(turn.account), role=role, account=str(turn.account), memory=turn.memory_name()
        )
    )


def status(turn: Turn) -> Reply:
    view = turn.writer
    total = view.count()
    board = view.tasks(done=False)
    return turn.say(
        turn.words(
            "status-memory",
            memory=turn.memory_name(),
            n=total,
            shown=render.number(turn.words, total),
            tasks=len(board),
        ),
        turn.words("status-device", device=turn.device, zone=turn.zone),
        turn.words("status-model"),
    )


def language(turn: Turn, argument: str) -> Reply:
    _admin_only(turn)
    wanted = {"zh": "zh", "中文": "zh", "chinese": "zh", "en": "en", "english": "en", "英文": "en"}.get(
        argument.strip().casefold()
    )
    if wanted is None:
        buttons = tuple(Button(words(lang)("language-name"), f"lang {lang}") for lang in LANGUAGES)
        return turn.say(turn.words("ask-language"), buttons=buttons)
    turn.writer.set("settings", "lang", wanted, by=turn.account)
    return turn.say(words(wanted)("language-set"))


def zone(turn: Turn, argument: str) -> Reply:
    _admin_only(turn)
    if not argument.strip():
        turn.writer.ask(turn.chat, turn.account, {"ask": "zone"})
        return turn.say(turn.words("ask-zone", zone=turn.zone), buttons=(turn.button("button-leave", "close"),))
    found = zone_named(argument)
    if found is None:
        raise BadCommand("error-zone", zone=render.short(argument, 40))
    turn.writer.set("settings", "zone", found, by=turn.account)
    turn.writer.close_question(turn.chat, turn.account)
    return turn.say(turn.words("zone-set", zone=found))


def settings(turn: Turn) -> Reply:
    lang = turn.writer.setting("lang") or turn.words.lang
    return turn.say(
        turn.words("settings", memory=turn.memory_name(), zone=turn.zone, language=words(lang)("language-name")),
        buttons=(turn.button("button-change-zone", "tz"), turn.button("button-change-language", "lang")),
    )


def export(turn: Turn) -> Reply:
    """Files are written on the machine, by its owner; a group never gets them."""
    if not turn.private:
        return turn.say(turn.words("export-group"), buttons=(turn.button("button-open-private", "private"),))
    return turn.say(turn.words("not-yet", command="export"), buttons=(turn.button("button-help", "help"),))


def _admin_only(turn: Turn) -> None:
    if not turn.private and turn.role is Role.MEMBER:
        raise NotAllowed("error-admin-only")


# profile and rules


def profile(turn: Turn, intent: Profile) -> Reply:
    if intent.field:
        return _set_profile(turn, nfc(intent.field).strip(), intent.value.strip())
    found = {name: r for name, r in turn.writer.registers("profile").items() if r.value}
    if not found:
        return turn.say(turn.words("profile-empty"))
    lines = [
        Line(turn.words("profile-line", name=name, value=render.quoted(str(register.value))), stored=True)
        for name, register in found.items()
    ]
    return turn.say(turn.words("profile-title", n=len(lines)), tuple(lines))


def _set_profile(turn: Turn, name: str, value: str) -> Reply:
    if len(name) > FIELD_CHARACTERS_MAX or "/" in name or len(value) > VALUE_CHARACTERS_MAX:
        raise BadCommand("error-profile", name=FIELD_CHARACTERS_MAX, value=VALUE_CHARACTERS_MAX)
    known = turn.writer.registers("profile")
    if name not in known and len(known) >= PROFILE_FIELDS_MAX:
        raise BadCommand("error-profile-full", n=PROFILE_FIELDS_MAX)
    before = turn.writer.set("profile", name, value, by=turn.account)
    undo = turn.writer.undoable_write(
        chat=turn.chat, account=turn.account, shown="", verb="profile",  # type: ignore[arg-type]
        steps=[("profile", name, before if before is not None else "")],
    )  # fmt: skip
    button = turn.button("button-undo", f"undo {undo}")
    if not value:
        return turn.say(turn.words("profile-removed", name=name), buttons=(button,))
    return turn.say(turn.words("profile-set", name=name, value=render.quoted(value)), buttons=(button,))


def rules(turn: Turn) -> Reply:
    found = turn.writer.entries("kind = 'rule' AND hidden = 0 AND current = 1", limit=20)
    if not found:
        return turn.say(turn.words("rules-empty"))
    lines: list[Line | str | tuple[Line, ...]] = [turn.words("rules-title", n=len(found))]
    for entry in found:
        lines.append(Line(f"{entry.label} {render.quoted(render.short(entry.draft.text, 80))}", stored=True))
        turn.cite(entry.label)
    return turn.say(*lines)
