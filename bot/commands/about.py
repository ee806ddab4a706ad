"""Help, who and where one is, what is kept, language and zone: everything about the talk itself."""

from __future__ import annotations

from dataclasses import replace

from bot import render
from bot.commands import daily, devices, diary, restore, unasked, wished
from bot.commands.looking import trouble
from bot.intents import Simple
from bot.message import Button, Reply
from bot.phrases.words import LANGUAGE_NAMES
from bot.turn import Turn
from bot.words import LANGUAGES, words
from bot.zones import zone_named
from store.errors import NotAllowed
from store.model import Role
from store.ports import EmbedderPhase

TERMINAL = "terminal"
"""The one place where nobody else sees what is said; a group there is for trying things and is never off."""


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
            return privacy(turn)
        case "lang":
            return language(turn, intent.argument)
        case "tz":
            return zone(turn, intent.argument)
        case "settings":
            return settings(turn)
        case "export":
            return export(turn)
        case "diary":
            return diary.show(turn, intent.argument.strip())
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
    held, look = restore.waiting(turn)
    wishes, look_at_wishes = wished.waiting(turn)
    return turn.say(
        turn.words(
            "status-memory",
            memory=turn.memory_name(),
            n=total,
            shown=turn.number(total),
            tasks=len(board),
        ),
        turn.words("status-device", device=turn.device, zone=turn.zone),
        *devices.status(turn),
        meaning(turn),
        turn.words("status-model"),
        *unasked.status(turn),
        held,
        wishes,
        buttons=(*look, *look_at_wishes),
    )


def meaning(turn: Turn) -> str:
    """How far meaning has come in this memory; "" where it is not wanted."""
    embedder = turn.embedder
    if embedder is None:
        return ""
    if embedder.state.phase is not EmbedderPhase.READY:
        return turn.words("status-meaning-off", reason=trouble(turn, embedder))
    done, total = map(turn.number, turn.writer.vectors_progress(embedder.name))
    return turn.words("status-meaning", kind=embedder.kind, done=done, total=total)


def privacy(turn: Turn) -> Reply:
    """Where what is said here is kept, and when what is forgotten leaves the files."""
    number = devices.count(turn)
    if number > 1:
        name = "privacy-private-devices" if turn.private else "privacy-group-devices"
        text = turn.words(name, memory=turn.memory_name(), n=number)
    else:
        text = turn.words("privacy-private" if turn.private else "privacy-group", memory=turn.memory_name())
    seen = turn.words("privacy-platform") if turn.platform != TERMINAL else ""
    stops = not turn.private and turn.platform != TERMINAL
    return turn.say(text, seen, buttons=(turn.button("button-turn-off", "group-off"),) if stops else ())


def language(turn: Turn, argument: str) -> Reply:
    _admin_only(turn)
    wanted = LANGUAGE_NAMES.get(argument.strip().casefold())
    if wanted is None:
        buttons = tuple(Button(words(lang)("language-name"), f"lang {lang}") for lang in LANGUAGES)
        return turn.say(turn.words("ask-language"), buttons=buttons)
    turn.writer.set("settings", "lang", wanted, by=turn.account)
    return turn.say(words(wanted)("language-set"))


def zone(turn: Turn, argument: str, *, again: bool = False) -> Reply:
    """`again`: the second answer to one question; a third is not waited for, or a person would never get out."""
    _admin_only(turn)
    if not argument.strip():
        turn.writer.ask(turn.chat, turn.account, {"ask": "zone"})
        return turn.say(turn.words("ask-zone", zone=turn.zone), buttons=(turn.button("button-leave", "close"),))
    found = zone_named(argument)
    if found is None:
        if not again:
            turn.writer.ask(turn.chat, turn.account, {"ask": "zone", "again": True})
        return turn.say(
            turn.words("zone-unknown", zone=render.quoted(render.short(argument, 40))),
            buttons=(turn.button("button-change", "tz"),),
        )
    turn.writer.set("settings", "zone", found, by=turn.account)
    return turn.say(turn.words("zone-set", zone=found))


def zone_right(turn: Turn) -> Reply:
    _admin_only(turn)
    turn.writer.set("settings", "zone", turn.zone, by=turn.account)
    return turn.say(turn.words("zone-right", zone=turn.zone))


def greeting(turn: Turn) -> Reply:
    """The first words on a new home, with the one question about the clock."""
    other = "en" if turn.words.lang == "zh" else "zh"
    return turn.say(
        turn.words("greeting"),
        turn.words("greeting-zone", zone=turn.zone),
        buttons=(
            turn.button("button-right", "zone-right"),
            turn.button("button-change", "tz"),
            Button(words(other)("language-name"), f"greet {other}"),
        ),
    )


def greet_in(turn: Turn, lang: str) -> Reply:
    """The other language was pressed under the greeting: it is said again in that one."""
    _admin_only(turn)
    turn.writer.set("settings", "lang", lang, by=turn.account)
    return greeting(replace(turn, words=words(lang)))


def settings(turn: Turn) -> Reply:
    lang = turn.writer.setting("lang") or turn.words.lang
    return turn.say(
        turn.words("settings", memory=turn.memory_name(), zone=turn.zone, language=words(lang)("language-name")),
        *daily.lines(turn),
        buttons=(turn.button("button-change-zone", "tz"), turn.button("button-change-language", "lang")),
    )


def export(turn: Turn) -> Reply:
    """Files are written on the machine, by its owner; a group never gets them."""
    if not turn.private:
        return turn.say(turn.words("export-group"), buttons=(turn.button("button-open-private", "private"),))
    return turn.say(turn.words("export-private", n=turn.writer.count()), buttons=(turn.button("button-help", "help"),))


def _admin_only(turn: Turn) -> None:
    if not turn.private and turn.role is Role.MEMBER:
        raise NotAllowed("error-admin-only")
