"""Before the first card and behind the last: a backlog, fewer today, later today, and a few warm words at the end."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from bot import render
from bot.commands import words_add
from bot.commands.words_deck import FEWER, Deal, next_named, tally
from bot.habits import change
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from scheduler.review import Phase
from scheduler.slots import due_of, moment_of
from store import cards
from store.model import CardState

LATER = timedelta(hours=2)
FEWER_MIN = 5
_WEEK_DAYS = 6
"""So far ahead a weekday says which day is meant."""


def backlog(turn: Turn, dealt: Deal) -> Reply | None:
    """38 waiting, 30 today, back to normal by Wednesday; None where the day takes them all."""
    queue = dealt.queue
    if queue.waiting <= len(queue.due):
        return None
    parts = [turn.words("words-waiting", n=queue.waiting, cap=len(queue.due))]
    if queue.normal_by is not None:
        parts.append(turn.words("words-normal-by", day=_weekday(turn, queue.normal_by)))
    rest = turn.words("comma").join(parts)
    start = turn.button("button-start-cards", f"card start {dealt.key}")
    fewer = turn.button("button-fewer", f"card fewer {dealt.key}")
    return turn.say(header(turn, rest), buttons=(start, fewer))


def header(turn: Turn, rest: str) -> str:
    """5月27日（周一）· … / Mon 27 May · …"""
    return turn.words("words-header", day=render.day(turn.words, turn.today, turn.today), rest=rest)


def _weekday(turn: Turn, day: date) -> str:
    if (day - turn.today).days > _WEEK_DAYS:
        return render.day(turn.words, day, turn.today)
    return turn.words(f"weekday-{day.weekday()}")


def fewer(turn: Turn, dealt: Deal) -> tuple[int, Button]:
    """Half of what today has room for, at least five; gives the new cap, and what takes it back."""
    cap = max(FEWER_MIN, len(dealt.queue.due) // 2) + dealt.queue.done_today
    before = turn.writer.set("settings", FEWER, f"{dealt.slot}/{cap}", by=turn.account)
    return cap, turn.undo_button("", "fewer", [("settings", FEWER, before or "")])


def later(turn: Turn, dealt: Deal) -> Reply:
    """[Later]: once more today, two hours from now; a second wish of one day, or one at night, is till tomorrow.

    Before today's words have come by themselves, they will: nothing needs to be put off.
    """
    now = turn.now.astimezone(ZoneInfo(turn.zone))
    at = now + LATER
    turn.writer.close_question(turn.chat, turn.account)
    start = (turn.button("button-words-of-today", f"card start {dealt.key}"),)
    if _put_off_before(turn, dealt) and (time := _still_to_come(turn, dealt)):  # a second tap
        return turn.pressed("words-later", time=time, buttons=start)
    daily = dealt.habits.words
    if daily.on and daily.since <= turn.today and now.time().replace(tzinfo=None) < daily.at:
        return turn.pressed("words-later", time=f"{daily.at:%H:%M}", buttons=start)
    if not dealt.habits.words.on or _put_off_before(turn, dealt) or at.date() != now.date() or _quiet(dealt, at):
        return turn.pressed("words-later-no-more", buttons=start)
    change(turn.writer, turn.account, words_later=due_of(at, turn.zone))
    turn.notes.timed = True
    return turn.pressed("words-later", time=f"{at:%H:%M}", buttons=start)


def _put_off_before(turn: Turn, dealt: Deal) -> bool:
    return dealt.habits.later[:10] == turn.today.isoformat()


def _still_to_come(turn: Turn, dealt: Deal) -> str:
    """When what was put off comes today; "" when it has come."""
    at = moment_of(dealt.habits.later, turn.zone)
    return f"{at.astimezone(ZoneInfo(turn.zone)):%H:%M}" if at is not None and at > turn.now else ""


def _quiet(dealt: Deal, at: datetime) -> bool:
    return dealt.habits.is_quiet(at.time().replace(tzinfo=None))


def all_seen(turn: Turn, dealt: Deal, above: list[Line | str | tuple[Line, ...]], undo: Button, *, shape: Shape) -> Reply:  # fmt: skip
    """The last card of today was answered, or put away."""
    today = [
        one
        for one in cards.all_reviews(turn.writer, from_ms=dealt.deck.today.first_ms)
        if one.kind in cards.TRIES and dealt.deck.today.holds(one.at_ms)
    ]
    forgot = sum(one.rating == 1 for one in today)
    knew = len(today) - forgot
    if forgot:
        seen = turn.words("words-all-seen", knew=knew, forgot=forgot)
    else:
        seen = turn.words("words-all-known", n=knew) if knew else turn.words("words-none-now")
    lines = (*above, _sentence(turn, seen, _tomorrow(turn, dealt)))
    return turn.say(*lines, buttons=at_the_end(turn, dealt, undo), shape=shape)


def at_the_end(turn: Turn, dealt: Deal, undo: Button) -> tuple[Button, ...]:
    """What takes something back stands last: a number that was the next card's until now does no harm."""
    start = turn.button("button-words-of-today", f"card start {dealt.key}")
    return start, turn.button("button-stats", "card stats"), undo


def _tomorrow(turn: Turn, dealt: Deal) -> str:
    on = dealt.habits.words.on and dealt.habits.words.since <= turn.today + timedelta(days=1)
    return turn.words("words-tomorrow", time=f"{dealt.habits.words.at:%H:%M}") if on else ""


def _sentence(turn: Turn, *some: str) -> str:
    return ("" if turn.words.lang == "zh" else " ").join(filter(None, some))


def nothing(turn: Turn, dealt: Deal, *above: str, shape: Shape = Shape.MESSAGE) -> Reply:
    """Nothing to ask now: when the next card is due, or how to begin."""
    if not tally(turn).cards:
        return turn.say(*above, turn.words("learn-no-cards"), words_add.no_dictionary(turn), shape=shape)
    coming = [
        one.remembered.due_ms
        for one in dealt.deck.standings()
        if one.card.state is CardState.ACTIVE and one.remembered.phase is not Phase.NEW
    ]
    told = turn.words("words-none-now")
    if coming:
        day = next_named(turn, dealt, min(coming))
        told = _sentence(turn, told, turn.words("words-next-due", day=day))
    plan = "" if dealt.habits.plan else turn.words("words-no-plan-yet")
    return turn.say(*above, told, plan, shape=shape)
