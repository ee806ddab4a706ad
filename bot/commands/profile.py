"""What a person says about themselves: named fields of their own memory, never of a group's."""

from __future__ import annotations

from bot import render
from bot.intents import Profile
from bot.message import Button, Line, Reply
from bot.turn import Turn
from store.errors import BadCommand
from store.model import PROFILE_FIELDS_MAX, PROFILE_NAME_BYTES_MAX, PROFILE_VALUE_CHARACTERS_MAX
from store.text import nfc

NAME_CHARACTERS_MAX = 20


def profile(turn: Turn, intent: Profile) -> Reply:
    if not turn.private:
        return turn.say(turn.words("profile-group"), buttons=(turn.button("button-open-private", "private"),))
    if intent.field:
        return _set(turn, " ".join(nfc(intent.field).split()), intent.value.strip())
    found = _fields(turn)
    if not found:
        turn.notes.empty = True
        return turn.say(turn.words("profile-empty"))
    lines = tuple(Line(_line(turn, name, value) + _beside(turn, name), stored=True) for name, value in found.items())
    return turn.say(turn.words("profile-title", n=len(lines)), lines)


def _fields(turn: Turn) -> dict[str, str]:
    return {name: str(one.value) for name, one in turn.writer.registers("profile").items() if one.value}


def _line(turn: Turn, name: str, value: str) -> str:
    return turn.words("profile-line", name=name, value=render.quoted(render.short(value, PROFILE_VALUE_CHARACTERS_MAX)))


def _beside(turn: Turn, name: str) -> str:
    """What another device said of the same at the same time."""
    register = turn.writer.register("profile", name)
    others = [str(value) for value in register.others if value and value != register.value] if register else []
    if not others:
        return ""
    return turn.words("profile-apart", value=turn.listed(render.quoted(render.short(one, 60)) for one in others))


def _set(turn: Turn, name: str, value: str) -> Reply:
    bad = len(name.encode()) > PROFILE_NAME_BYTES_MAX or "/" in name or not name.isprintable()
    if bad or len(value) > PROFILE_VALUE_CHARACTERS_MAX:
        raise BadCommand("error-profile", name=NAME_CHARACTERS_MAX, value=PROFILE_VALUE_CHARACTERS_MAX)
    known = _fields(turn)
    if not value and name not in known:
        return turn.say(turn.words("profile-unknown", name=name))
    if value and name not in known and len(known) >= PROFILE_FIELDS_MAX:
        raise BadCommand("error-profile-full", n=PROFILE_FIELDS_MAX)
    turn.writer.set("profile", name, value, by=turn.account)
    button: Button = turn.undo_button("", "profile", [("profile", name, known.get(name, ""))])
    if not value:
        return turn.say(turn.words("profile-removed", name=name), buttons=(button,))
    return turn.say(turn.words("profile-set", name=name, value=render.quoted(value)), buttons=(button,))
