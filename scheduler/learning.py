"""Which cards a learning day asks, and in which order. Pure.

A day of learning changes at four in the morning: who answers at half past midnight is not done yet. A card is due on
the whole day it is due on, early or late in it. After days away nothing is moved: most at risk comes first, up to the
day's cap, and the rest waits for tomorrow, since FSRS reckons with the time that has really gone by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduler.review import FORGOT, Phase, Remembered
from scheduler.slots import instant
from store.model import Card, CardState

DAY_STARTS = "04:00"
CAP, NEW_A_DAY = 30, 10
BACKLOG_TIMES = 2
"""On a day that began with more than so many times the cap, no new word is begun."""
FORECAST_DAYS_MAX = 366
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class LearningDay:
    """From the first instant to the one behind the last."""

    day: date
    first_ms: int
    end_ms: int

    def holds(self, at_ms: int) -> bool:
        return self.first_ms <= at_ms < self.end_ms


@dataclass(frozen=True, slots=True)
class Standing:
    """A card and what its reviews have made of it."""

    card: Card
    remembered: Remembered


@dataclass(frozen=True, slots=True)
class Queue:
    """What is left to ask today, `due` first. Of `due`, those that were forgotten today come last, once more."""

    due: tuple[Card, ...]
    new: tuple[Card, ...]
    waiting: int
    """Due cards that were not asked yet, those beyond the cap too."""
    cap: int
    done_today: int
    """Cards that were answered today, each once."""
    normal_by: date | None
    """The first day that begins without a backlog; None when today leaves none."""

    @property
    def cards(self) -> tuple[Card, ...]:
        return (*self.due, *self.new)


def learning_day(now: datetime, zone: str, starts: str = DAY_STARTS) -> LearningDay:
    """The learning day that `now` is in. Raises KeyError for an unknown zone."""
    at = time.fromisoformat(starts)
    now_ms = int(now.timestamp() * 1000)
    day = now.astimezone(ZoneInfo(zone)).date()
    while _first_ms(day, at, zone) > now_ms:  # twice where a zone has left the day before out
        day -= timedelta(days=1)
    return LearningDay(day, _first_ms(day, at, zone), _first_ms(day + timedelta(days=1), at, zone))


def _first_ms(day: date, at: time, zone: str) -> int:
    """A day that a zone has left out begins when the next one does."""
    found = instant(day, at, zone)
    return int(found.timestamp() * 1000) if found else _first_ms(day + timedelta(days=1), at, zone)


def queue(
    standings: Iterable[Standing], today: LearningDay, now_ms: int, *, cap: int = CAP, new_a_day: int = NEW_A_DAY
) -> Queue:
    """`standings`: every card, new ones in the order in which they are to be asked.

    `cap`: how many due cards a day asks; new words come on top of them, since they are what a plan has promised.
    """
    every = list(standings)
    done = [one for one in every if today.holds(one.remembered.last_ms) and one.remembered.phase is not Phase.NEW]
    asked = [one for one in every if one.card.state is CardState.ACTIVE]
    new = [one.card for one in asked if one.remembered.phase is Phase.NEW]
    old = [one for one in asked if one.remembered.phase is not Phase.NEW]
    begun = sum(today.holds(one.remembered.first_ms) for one in done)
    again = sorted(
        (one for one in old if today.holds(one.remembered.last_ms) and _comes_back(one)),
        key=lambda one: (one.remembered.last_ms, one.card.id),
    )
    rest = [one for one in old if not today.holds(one.remembered.last_ms) and not one.remembered.is_stubborn]
    due = sorted((one for one in rest if one.remembered.due_ms < today.end_ms), key=lambda one: _order(one, now_ms))
    room = max(0, cap - len(done))
    shown = due[:room]
    were_waiting = len(due) + len(done) - begun
    quota = 0 if cap == 0 or were_waiting > BACKLOG_TIMES * cap else max(0, new_a_day - begun)
    later = [one for one in rest if one.remembered.due_ms >= today.end_ms]
    return Queue(
        due=tuple(one.card for one in (*shown, *again)),
        new=tuple(new[:quota]),
        waiting=len(due),
        cap=cap,
        done_today=len(done),
        normal_by=_normal_by(today, len(due) - len(shown), later, cap),
    )


def overdueness(remembered: Remembered, now_ms: int) -> float:
    """Days gone by, in stabilities: 1 is a chance of 90 % to remember, and the greater, the more is at risk."""
    return max(0, now_ms - remembered.last_ms) / _DAY_MS / max(remembered.stability, 1e-9)


def _order(one: Standing, now_ms: int) -> tuple[float, str]:
    return -overdueness(one.remembered, now_ms), one.card.id


def _comes_back(one: Standing) -> bool:
    return one.remembered.last_rating == FORGOT and not one.remembered.is_stubborn


def _normal_by(today: LearningDay, left: int, later: Sequence[Standing], cap: int) -> date | None:
    if left == 0 or cap == 0:
        return None
    coming = Counter((one.remembered.due_ms - today.end_ms) // _DAY_MS + 1 for one in later)
    for days in range(1, FORECAST_DAYS_MAX):
        if left == 0:
            return today.day + timedelta(days=days)
        left = max(0, left + coming[days] - cap)
    return None
