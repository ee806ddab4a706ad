"""How the daily words fare: a week after they moved the answers are counted, and who does not answer is left in peace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from bot.commands import daily
from bot.habits import WORDS, change, habits
from bot.intents import MoveDaily, Remember
from bot.message import Reply, Shape
from bot.turn import Turn
from store import cards
from store.model import Draft, EntryKind, ReviewKind

UNANSWERED_MAX = 4
"""So many pushes that nobody answers, then only one line a week."""
GENTLE_EVERY = timedelta(days=7)


def check(turn: Turn) -> Reply | None:
    """A week after a new time: on how many days the words were answered then, and in the week before."""
    found = habits(turn.writer).check
    if found is None or turn.today < found.day:
        return None
    week = timedelta(days=daily.CHECK_DAYS)
    moved = found.day - week
    answered = answered_days(turn, moved - week)
    after = [day for day in answered if moved <= day < found.day]
    facts = {"now": found.now, "was": found.was, "ref": found.ref}
    text = turn.words("words-check", n=daily.CHECK_DAYS, answered=len(after), before=len(answered) - len([d for d in answered if d >= moved]), **facts)  # fmt: skip
    turn.cite(found.ref)
    return turn.say(text, buttons=(
        turn.button("button-check-good", "daily good"), turn.button("button-check-back", "daily back", time=found.was),
    ))  # fmt: skip


def checked(turn: Turn, choice: str) -> Reply:
    """[It's good] [Back to 20:00]"""
    found = habits(turn.writer).check
    if found is None or turn.today < found.day:
        return turn.toast("toast-done-already")
    if choice == "good":
        change(turn.writer, turn.account, words_check=None)
        return turn.say(turn.words("words-check-kept", time=found.now), shape=Shape.EDIT)
    text = turn.words("words-moved", was=found.now, time=found.was)
    back = MoveDaily(
        WORDS, datetime.fromisoformat(f"{found.day}T{found.was}").time(), Remember(Draft(text, kind=EntryKind.DECISION))
    )
    reply = daily.move(turn, back)
    change(turn.writer, turn.account, words_check=None)  # whoever went back need not be asked again
    return reply


def is_left_in_peace(turn: Turn, sent: Sequence[date]) -> bool:
    """Whether the last pushes (`sent`: their days) went unanswered, so that today's stays away."""
    silent = _unanswered(turn, sent)
    return len(silent) >= UNANSWERED_MAX and turn.today - max(silent) < GENTLE_EVERY


def gentle(turn: Turn, sent: Sequence[date]) -> Reply | None:
    """The one line a week in place of the words that nobody answers; None while they are answered."""
    if len(_unanswered(turn, sent)) < UNANSWERED_MAX:
        return None
    buttons = (turn.button("button-start-words", "today"), turn.button("button-rest", "daily pause"))
    return turn.say(turn.words("words-gentle"), buttons=buttons)


def _unanswered(turn: Turn, sent: Sequence[date]) -> list[date]:
    """Of the days up to today: a clock that was ahead may have noted others."""
    sent = [day for day in sent if day <= turn.today]
    if not sent:
        return []
    answered = [day for day in answered_days(turn, min(sent)) if day <= turn.today]
    last = max(answered, default=date.min)
    return [day for day in sent if day > last]


def answered_days(turn: Turn, first: date) -> list[date]:
    """The days of learning since `first` on which something was answered, in order."""
    start = datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(days=1)
    since = cards.all_reviews(turn.writer, from_ms=int(start.timestamp() * 1000))
    days = {date.fromisoformat(one.slot) for one in since if one.kind is ReviewKind.ANSWER and one.slot}
    return sorted(day for day in days if day >= first)
