"""Days and calendars: what a rule for dates knows, how it counts, and what a rule is.

Nothing here reads words. Weeks begin on Monday. A year that is not said is the last one in a question and the nearest
one when writing. Weeks ago give a week, months ago a month: a span is as exact as its unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

RECENT_HOLIDAY_DAYS = 31
"""Longer ago, who writes 国庆 or Christmas means the next one."""
FEW = {"day": 7, "week": 4, "month": 4, "year": 4}
"""How many 几天 or "a few days" are at most: too wide a range shows more, too narrow a one hides the answer."""


@dataclass(frozen=True, slots=True)
class Days:
    """What a rule has read. `weekday` marks a bare weekday, which may only explain a date beside it; `ends` what names
    the two ends of a range."""

    first: date
    last: date
    relative: bool = True
    weekday: bool = False
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Now:
    """What a rule needs beside its match; `text` is as typed, for the capital of May.

    `least` or `most` is the other end of a range: 周五 is then the first Friday from there on, or the last up to there.
    """

    today: date
    prefer_past: bool
    text: str
    least: date | None = None
    most: date | None = None

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
    return match.string[max(0, match.start() - _AHEAD_CHARACTERS) : match.start()]


_AHEAD_CHARACTERS = 24


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


def quarter_of(year: int, quarter: int, *, relative: bool) -> Days:
    """`quarter` may run over, as a month may."""
    first = month_of(year, 3 * quarter - 2, relative=relative).first
    return Days(first, month_of(first.year, first.month + 2, relative=relative).last, relative)


def half_of(year: int, half: int, *, relative: bool) -> Days:
    return Days(date(year, 6 * half - 5, 1), month_of(year, 6 * half, relative=relative).last, relative)


def year_of(year: int, *, relative: bool) -> Days:
    return Days(date(year, 1, 1), date(year, 12, 31), relative)


def season_of(year: int, season: int) -> Days:
    """Spring is 0 and begins in March; winter belongs to the year it begins in."""
    first = month_of(year, 3 + 3 * season, relative=True).first
    return Days(first, month_of(first.year, first.month + 2, relative=True).last)


def without_year(now: Now, read: Callable[[int], Days], recent_days: int = 183) -> Days | None:
    """In a question the last one begun. At writing time the nearest, which is never longer ago than `recent_days`."""
    candidates: list[Days] = []
    middle = (now.least or now.most or now.today).year
    for year in range(middle - 8, middle + 9):  # 29 February may be eight years away
        try:
            candidates.append(read(year))
        except (ValueError, OverflowError):
            continue
    if now.least:
        return min((d for d in candidates if d.first >= now.least), key=lambda d: d.first, default=None)
    if now.most:
        return max((d for d in candidates if d.last <= now.most), key=lambda d: d.first, default=None)
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
        case "quarter":
            return quarter_of(now.today.year, (now.today.month + 2) // 3 - count, relative=True)
        case _:
            return year_of(now.today.year - count, relative=True)


def lately(now: Now, count: int, unit: str) -> Days:
    """The last 7 days: up to today, the day a week ago with it. Negative: the next ones, from today on."""
    match unit:
        case "day" | "week":
            other = days_after(now, -count * (7 if unit == "week" else 1))
        case _:
            month = month_of(now.today.year, now.today.month - count * (12 if unit == "year" else 1), relative=True)
            other = month.first.replace(day=min(now.today.day, month.last.day))
    return Days(min(other, now.today), max(other, now.today))


def bare_weekday(now: Now, weekday: int) -> Days:
    if now.least:
        day = now.least + timedelta(days=(weekday - now.least.weekday()) % 7)
    elif now.most:
        day = now.most - timedelta(days=(now.most.weekday() - weekday) % 7)
    else:
        ahead = (weekday - now.today.weekday()) % 7
        day = days_after(now, ahead - 7 if now.prefer_past and ahead else ahead)
    return Days(day, day, weekday=True)


def begun(days: Days, now: Now) -> Days:
    """Two weekdays in a question: of Monday to Wednesday, asked on a Monday, those of last week have been."""
    if not now.prefer_past or days.first < now.today or days.last == now.today:
        return days
    back = timedelta(weeks=1)
    return replace(days, first=days.first - back, last=days.last - back)


def bare_weekend(now: Now) -> Days:
    """The one that has begun, in a question; else this week's."""
    if now.least:
        now = Now(now.least, prefer_past=False, text=now.text)
    return weekend(now, -1 if now.prefer_past and now.today.weekday() < 5 else 0)


def days_back(first: int, last: int) -> Reader:
    return lambda _, now: Days(days_after(now, -first), days_after(now, -last))
