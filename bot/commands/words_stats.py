"""/stats: how learning goes, in a few lines and, where pictures show, as a map of the year.

It counts what was done, never what was not: a day of rest breaks no row, and no goal is held against anybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from bot.commands.words_deck import Deal, day_of, deal, forecast, tally
from bot.message import WEEKS, Picture, Reply
from bot.turn import Turn
from store import cards
from store.model import Review

WEEK, MONTH = 7, 30
STUBBORN_MAX = 5
RECALL_MIN = 10
"""Fewer answers than this make no rate."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Streak:
    """Days of learning in a row up to today; `rests`: single days off between them."""

    days: int
    rests: int


def stats(turn: Turn) -> Reply:
    tries = [one for one in cards.all_reviews(turn.writer) if one.kind in cards.TRIES]
    total = tally(turn)
    states = " · ".join(turn.words(f"card-count-{name}", n=n) for name, n in total.by_state.items() if n)
    in_all = turn.words("learn-cards", n=total.cards, states=states) if total.cards else turn.words("learn-no-cards")
    start = (turn.button("button-words-of-today", "card today"),) if total.cards else ()
    if not tries:
        return turn.say(turn.words("stats-none"), in_all, buttons=start)
    dealt = deal(turn)
    days = [day_of(dealt, one) for one in tries]
    coming = forecast(dealt, WEEK)
    can_be_due = total.by_state["due"] or total.by_state["later"]
    reply = turn.say(
        _answered(turn, days, dealt.day),
        _recalled(turn, tries, days, dealt.day),
        _learned(turn, set(days), dealt.day),
        in_all,
        turn.words("stats-forecast", days=turn.listed(map(str, coming))) if can_be_due else "",
        _stubborn(turn, dealt),
        buttons=start,
    )
    return replace(reply, picture=year(days, dealt.day, turn.words.lang))


def year(days: Iterable[date], today: date, lang: str) -> Picture:
    """How many answers there were on each day of the last year; days to come, by a clock that was ahead, are left out."""
    each = Counter(days)
    span = 7 * (WEEKS - 1) + today.weekday() + 1
    return Picture(today.isoformat(), tuple(each[today - n * _DAY] for n in reversed(range(span))), lang)


def streak(days: set[date], today: date) -> Streak:
    """Today is not over, so nothing on it ends no row; neither does one day off between two days of learning."""
    at = today if today in days else today - _DAY
    learned = rests = 0
    while True:
        if at in days:
            learned += 1
        elif learned and at - _DAY in days:
            rests += 1
        else:
            return Streak(learned, rests)
        at -= _DAY


def recalled(tries: Sequence[Review], days: Sequence[date], since: date) -> tuple[int, int]:
    """(remembered, asked) of cards that had been learned on an earlier day, the first answer of each day."""
    last: dict[str, date] = {}
    asked = knew = 0
    for one, day in zip(tries, days, strict=True):
        before = last.get(one.card)
        last[one.card] = day
        if before is not None and before < day and day >= since:
            asked += 1
            knew += one.rating > 1
    return knew, asked


def _since(days: Iterable[date], today: date, span: int) -> int:
    return sum(today - span * _DAY < day <= today for day in days)


def _answered(turn: Turn, days: Sequence[date], today: date) -> str:
    week, month = _since(days, today, WEEK), _since(days, today, MONTH)
    if week:
        return turn.words("stats-answers", week=week, month=month)
    return turn.words("stats-answers-month", n=month) if month else ""


def _recalled(turn: Turn, tries: Sequence[Review], days: Sequence[date], today: date) -> str:
    knew, asked = recalled(tries, days, today - (MONTH - 1) * _DAY)
    if asked < RECALL_MIN:
        return ""
    return turn.words("stats-recall", percent=round(100 * knew / asked), n=asked, knew=knew)


def _learned(turn: Turn, days: set[date], today: date) -> str:
    month = sum(today - MONTH * _DAY < day <= today for day in days)
    if not month:
        return ""
    row = streak(days, today)
    parts = [
        turn.words("stats-days", n=month),
        turn.words("stats-streak", n=row.days) if row.days > 1 else "",
        turn.words("stats-rests", n=row.rests) if row.days > 1 and row.rests else "",
    ]
    return turn.words("comma").join(filter(None, parts)) + turn.words("full-stop")


def _stubborn(turn: Turn, dealt: Deal) -> str:
    found = dealt.deck.stubborn()
    if not found:
        return ""
    more = ["…"] * (len(found) > STUBBORN_MAX)
    return turn.words("stats-stubborn", words=turn.listed([card.word for card in found[:STUBBORN_MAX]] + more))
