"""/keep chat 90 days: what was said on this device and never kept goes, by night, once it is older than that."""

from __future__ import annotations

from datetime import date, timedelta

from bot import render, retention
from bot.commands import devices
from bot.habits import habits
from bot.intents import KeepChat
from bot.message import Reply, Shape
from bot.retention import DAYS_MAX, DAYS_MIN
from bot.tidying import coming_night
from bot.turn import Turn
from store.errors import NotAllowed
from store.model import Role
from store.retention import talk_before
from store.view import View


def keep(turn: Turn, intent: KeepChat) -> Reply:
    if intent.days is None:
        return _show(turn)
    if not _decides(turn):
        raise NotAllowed("error-admin-only")
    if intent.days == 0:
        retention.keep_all(turn.writer)
        return turn.say(turn.words("chat-all"))
    if not DAYS_MIN <= intent.days <= DAYS_MAX:
        return turn.say(turn.words("chat-days-range", least=DAYS_MIN, most=turn.number(DAYS_MAX)))
    number = retention.keep(turn.writer, intent.days, turn.today)
    return _told(turn, turn.words("chat-days", n=intent.days), number)


def press(turn: Turn, what: str) -> Reply:
    if what != "all" or not _decides(turn):
        return turn.toast("toast-gone")
    retention.keep_all(turn.writer)
    return turn.say(turn.words("chat-all"), shape=Shape.EDIT)


def _show(turn: Turn) -> Reply:
    found = retention.kept(turn.writer)
    if found is None:
        return turn.say(turn.words("chat-is-all"))
    if _decides(turn):
        number = retention.keep(turn.writer, found.days, turn.today)  # said again, it is told again
    else:
        before = turn.today + timedelta(days=1) - timedelta(days=found.days)
        number = talk_before(turn.writer, before.isoformat())
    return _told(turn, turn.words("chat-is-days", n=found.days), number)


def _decides(turn: Turn) -> bool:
    """In a group only an admin: what others hear of it is not told to whoever could stop it."""
    return turn.private or turn.role is not Role.MEMBER


def _told(turn: Turn, first: str, number: int) -> Reply:
    """What goes first, and until when it can be stopped."""
    # One that begins tomorrow names what goes the night after.
    waits = waits_for_digest(turn.writer, turn.device_id[:8].hex(), turn.today + timedelta(days=2))
    none = "chat-none-yet" if waits else "chat-none-yet-quiet"
    going = turn.words("chat-going", n=number, shown=turn.number(number)) if number else turn.words(none)
    return turn.say(first, going, buttons=(turn.button("button-chat-all", "chat-kept all"),))


def waits_for_digest(view: View, here: str, night: date) -> bool:
    """Whether a digest of this device (16 hex digits) names what goes in `night`: one that is on and did not rest.

    What is said by another device names nothing of this one's chat.
    """
    digest = habits(view).digest
    if not digest.on or digest.where is None or digest.since >= night:
        return False
    shared = devices.in_use(view)
    if not shared or digest.where.device == here:
        return not shared or here in shared
    return here in shared and digest.where.device not in shared and here == min(shared)


def line(turn: Turn) -> str:
    """For the digest: what goes tonight, said before it goes; "" for nothing."""
    coming = int(coming_night(turn.now, turn.zone).timestamp() * 1000)
    number, before = retention.name(turn.writer, turn.today, coming)
    if not number:
        return ""
    day = render.day(turn.words, before, turn.today)
    return turn.words("digest-chat", n=number, shown=turn.number(number), day=day)
