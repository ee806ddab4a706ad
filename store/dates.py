"""Words that name a day or a range of days, Chinese and English, read against a given today.

The rules stand in `dates_zh`, `dates_digits` and `dates_en`; what they count with in `days`. A rule is tried only where
one of its first characters stands and only as far as a bounded pattern reaches, so the cost is linear. A word that can be something else (may, march, sun, 三月天, 5月前, 一周三次) is
left alone: a wrong date hides the right answer, a missed one only leaves it unfiltered.

Clock times are not read. 早上 or "evening" behind a day stays outside its span; 今晚 or "last night" is one word.
Weeks begin on Monday. `prefer_past` is for questions: 周五 is then the Friday that has been.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from store import dates_digits, dates_en, dates_zh
from store.dates_zh import NUMERALS
from store.days import Days, Now, Reader, ahead_of
from store.model import ENTRY_CHARACTERS_MAX, DateSpan

SPANS_MAX = 32

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """`words` = text[start:end]; both days inclusive; `relative` when the words alone don't say which day."""

    words: str
    first: date
    last: date
    start: int
    end: int
    relative: bool

    def to_span(self) -> DateSpan:
        return DateSpan(self.words, self.first.isoformat(), self.last.isoformat())


def local_day(at_ms: int, zone: str) -> date:
    """The calendar day of a moment where the person is; KeyError for an unknown zone."""
    try:
        where = ZoneInfo(zone)
    except (ValueError, OSError) as error:
        raise KeyError(zone) from error
    return (_EPOCH + timedelta(milliseconds=at_ms)).astimezone(where).date()


def find_dates(text: str, today: date, prefer_past: bool) -> list[FoundDate]:
    """The dates named in the first `ENTRY_CHARACTERS_MAX` characters, in order, apart, at most `SPANS_MAX`."""
    same = text[:ENTRY_CHARACTERS_MAX].translate(_SAME_LENGTH)
    now = Now(today, prefer_past, text)
    found: list[tuple[int, int, Days]] = []
    at = 0
    while len(found) < SPANS_MAX and (start := _START.search(same, at)):
        at = start.start() + 1
        for pattern, read in _rules_at(start.group()):
            match = pattern.match(same, start.start())
            days = _read(read, match, now) if match else None
            if match and days:
                at = match.end()
                if closed := _closed(days, match, now):
                    found.append((match.start(), match.end(), closed))
                break
    return [
        FoundDate(text[start:end], days.first, days.last, start, end, days.relative)
        for start, end, days in _with_weekdays_joined(found, same)
    ]


def _read(read: Reader, match: re.Match[str], now: Now) -> Days | None:
    try:
        return read(match, now)
    except (ValueError, OverflowError):  # 31 June; 900 years before the year 1
        return None


_SINCE = re.compile(r"since (?:the )?\Z")
_BEFORE = re.compile(r"before (?:the )?\Z")
_AND_ON = re.compile(r"以来|至今|到现在")
_AND_BACK = re.compile(r"[之以]?前(?![天面端后])")


def _closed(days: Days, match: re.Match[str], now: Now) -> Days | None:
    """In a question "since Monday" reaches to today, and "before Monday" has no first day to filter by."""
    if not now.prefer_past:
        return days
    same, ahead = match.string, ahead_of(match)
    if _AND_BACK.match(same, match.end()) or _BEFORE.search(ahead):
        return None
    if _AND_ON.match(same, match.end()) or _SINCE.search(ahead):
        return Days(days.first, max(days.last, now.today), days.relative)
    return days


_BESIDE = re.compile(r"[ ,(]{0,2}\Z")


def _with_weekdays_joined(found: list[tuple[int, int, Days]], same: str) -> list[tuple[int, int, Days]]:
    """5月22日（周三）, Wed 22 May, 周三 5月22日, 明天周二: one date, when the weekday is that day's."""
    joined: list[tuple[int, int, Days]] = []
    for start, end, days in found:
        if joined:
            before_start, before_end, before = joined[-1]
            gap = same[before_end:start]
            day, weekday = (before, days) if days.weekday else (days, before)
            if (
                weekday.weekday
                and not day.weekday
                and day.first == day.last
                and day.first.weekday() == weekday.first.weekday()
                and _BESIDE.match(gap)
            ):
                closed = "(" in gap and same[end : end + 1] == ")"
                joined[-1] = (before_start, end + closed, day)
                continue
        joined.append((start, end, days))
    return joined


# One character for one character, so that places in the copy are places in the text: full width to half, capitals
# to small, the traditional characters of our own words to simplified.
_SAME_LENGTH = (
    {0xFF01 + i: 0x21 + i for i in range(94)}
    | {0x3000: 0x20, 0xA0: 0x20, 0x2019: 0x27}
    | {ord(c): ord(c.lower()) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    | {0xFF21 + i: 0x61 + i for i in range(26)}
    | str.maketrans(
        "週禮後兩個這號聖誕國慶節勞動兒婦師雙幾愛長過貳參", "周礼后两个这号圣诞国庆节劳动儿妇师双几爱长过二三"
    )
)

# Tried in this order where one of the first characters stands; the first that reads a date wins.
_RULES = (*dates_zh.RULES, *dates_digits.RULES, *dates_en.RULES)


@cache
def _rules_at(start: str) -> Sequence[tuple[re.Pattern[str], Reader]]:
    """Those that begin with this character, compiled when it is first met: there are few such characters."""
    return [(rule.pattern, rule.read) for rule in _RULES if start in rule.starts]


_START = re.compile(
    rf"(?<![a-z0-9_@#./'-])[a-z]|(?<!\d)\d|(?<![{NUMERALS}])[{NUMERALS}]"
    "|[" + "".join(sorted({c for rule in _RULES for c in rule.starts if not c.isascii()} - {*NUMERALS})) + "]"
)
