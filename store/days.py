"""Days and calendars: what a rule for dates knows, how it counts, and what a rule is.

Nothing here reads words. Weeks begin on Monday. A year that is not said is the last one in a question and the nearest
one when writing. Weeks ago give a week, months ago a month: a span is as exact as its unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

RECENT_HOLIDAY_DAYS = 31
"""Longer ago, who writes 国庆 or Christmas means the next one."""


@dataclass(frozen=True, slots=True)
class Days:
    """What a rule has read. `weekday` marks a bare weekday, which may only explain a date beside it."""

    first: date
    last: date
    relative: bool = True
    weekday: bool = False


@dataclass(frozen=True, slots=True)
class Now:
    """What a rule needs beside its match; `text` is as typed, for the capital of May."""

    today: date
    prefer_past: bool
    text: str

    @property
    def monday(self) -> date:
        return self.today - timedelta(days=self.today.weekday())


Reader = Callable[[re.Match[str], Now], Days | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """Tried where one of the characters `starts` stands; `words` is its pattern, compiled when asked for."""

    starts: str
    words: str
    read: Reader

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.words)


def one_of(names: Iterable[str]) -> str:
    """The longest first, so that no name hides a longer one."""
    return "|".join(sorted(names, key=len, reverse=True))


def ahead_of(match: re.Match[str]) -> str:
    """The few characters before it, for a word that makes it a date or none."""
    return match.string[max(0, match.start() - 12) : match.start()]


def days_after(now: Now, count: int) -> date:
    return now.today + timedelta(days=count)


def one_day(day: date, *, relative: bool = True) -> Days:
    return Days(day, day, relative)


def week(now: Now, offset: int) -> Days:
    first = now.monday + timedelta(weeks=offset)
    return Days(first, first + timedelta(days=6))


def weekend(now: Now, offset: int) -> Days:
    saturday = now.monday + timedelta(weeks=offset, days=5)
    return Days(saturday, saturday + timedelta(days=1))


def month_of(year: int, month: int, *, relative: bool) -> Days:
    """`month` may run over: 0 is December of the year before."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    following = date(year + month // 12, month % 12 + 1, 1)
    return Days(date(year, month, 1), following - timedelta(days=1), relative)


def season_of(year: int, season: int) -> Days:
    """Spring is 0 and begins in March; winter belongs to the year it begins in."""
    first = month_of(year, 3 + 3 * season, relative=True).first
    return Days(first, month_of(first.year, first.month + 2, relative=True).last)


def without_year(now: Now, read: Callable[[int], Days], recent_days: int = 183) -> Days | None:
    """In a question the last one begun. At writing time the nearest, which is never longer ago than `recent_days`."""
    candidates: list[Days] = []
    for year in range(now.today.year - 8, now.today.year + 9):  # 29 February may be eight years away
        try:
            candidates.append(read(year))
        except (ValueError, OverflowError):
            continue
    if now.prefer_past:
        return max((d for d in candidates if d.first <= now.today), key=lambda d: d.first, default=None)
    earliest = days_after(now, -recent_days)
    return min((d for d in candidates if d.last >= earliest), key=lambda d: _distance(d, now.today), default=None)


def _distance(days: Days, today: date) -> int:
    return max((days.first - today).days, (today - days.last).days, 0)


def ago(now: Now, count: int, unit: str) -> Days:
    """As exact as its unit: days give a day, weeks a week, months a month, years a year. Negative is ahead."""
    match unit:
        case "day":
            return one_day(days_after(now, -count))
        case "week":
            return week(now, -count)
        case "month":
            return month_of(now.today.year, now.today.month - count, relative=True)
        case _:
            return Days(date(now.today.year - count, 1, 1), date(now.today.year - count, 12, 31))


def bare_weekday(now: Now, weekday: int) -> Days:
    ahead = (weekday - now.today.weekday()) % 7
    day = days_after(now, ahead - 7 if now.prefer_past and ahead else ahead)
    return Days(day, day, weekday=True)


def days_back(first: int, last: int) -> Reader:
    return lambda _, now: Days(days_after(now, -first), days_after(now, -last))
