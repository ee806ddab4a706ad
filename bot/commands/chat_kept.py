"""/keep chat 90 days: what was said on this device and never kept goes, by night, once it is older than that."""

from __future__ import annotations

from datetime import timedelta

from bot import render, retention
from bot.habits import habits
from bot.intents import KeepChat
from bot.message import Reply, Shape
from bot.retention import DAYS_MAX, DAYS_MIN
from bot.turn import Turn
from store.errors import NotAllowed
from store.model import Role
from store.retention import talk_before


def keep(turn: Turn, intent: KeepChat) -> Reply:
    if intent.days is None:
        return _show(turn)
    if not turn.private and turn.role is Role.MEMBER:
        raise NotAllowed("error-admin-only")
    if intent.days == 0:
        retention.keep_all(turn.writer)
        return turn.say(turn.words("chat-all"))
    if not DAYS_MIN <= intent.days <= DAYS_MAX:
        return turn.say(turn.words("chat-days-range", least=DAYS_MIN, most=turn.number(DAYS_MAX)))
    number = retention.keep(turn.writer, intent.days, turn.today)
    return _told(turn, turn.words("chat-days", n=intent.days), number)


def press(turn: Turn, what: str) -> Reply:
    if what != "all" or (not turn.private and turn.role is Role.MEMBER):
        return turn.toast("toast-gone")
    retention.keep_all(turn.writer)
    return turn.say(turn.words("chat-all"), shape=Shape.EDIT)


def _show(turn: Turn) -> Reply:
    found = retention.kept(turn.writer)
    if found is None:
        return turn.say(turn.words("chat-is-all"))
    before = turn.today + timedelta(days=1) - timedelta(days=found.days)
    return _told(turn, turn.words("chat-is-days", n=found.days), talk_before(turn.writer, before.isoformat()))


def _told(turn: Turn, first: str, number: int) -> Reply:
    """What goes first, and until when it can be stopped."""
    none = "chat-none-yet" if habits(turn.writer).digest.on else "chat-none-yet-quiet"
    going = turn.words("chat-going", n=number, shown=turn.number(number)) if number else turn.words(none)
    return turn.say(first, going, buttons=(turn.button("button-chat-all", "chat-kept all"),))


def line(turn: Turn) -> str:
    """For the digest: what goes tonight, said before it goes; "" for nothing."""
    number, before = retention.tell(turn.writer, turn.today)
    if not number:
        return ""
    day = render.day(turn.words, before, turn.today)
    return turn.words("digest-chat", n=number, shown=turn.number(number), day=day)
