"""Words that name a day or a range of days, Chinese and English, read against a given today.

The rules stand in `dates_zh`, `dates_digits`, `dates_en`, `dates_months` and `dates_periods`; what they count with in
`days`; what joins two dates to a range in `dates_ranges`. A rule is tried only where one of its first characters stands
and only as far as a bounded pattern reaches, so the cost is linear. A word that can be something else (may, march, sun,
三月天, 5月前, 一周三次) is left alone: a wrong date hides the right answer, a missed one only leaves it unfiltered.

Clock times are not read. 早上 or "evening" behind a day stays outside its span; 今晚 or "last night" is one word.
Weeks begin on Monday. `prefer_past` is for questions: 周五 is then the Friday that has been.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from store import dates_digits, dates_en, dates_months, dates_periods, dates_zh
from store.dates_ranges import Found, joined, read_days
from store.dates_words import END, MONTHS, NUMERALS
from store.days import Now, Reader, one_of
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


_RECURS = re.compile(
    r"(?:(?:on|at) )?(?:the )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|mornings?|evenings?)"
    r"|(?:周|星期|礼拜)[一二三四五六日天末]"
)


def recurs(found: FoundDate) -> bool:
    """Whether the words may as well mean every such day: 周五, on Friday, the weekend."""
    return _RECURS.fullmatch(found.words.translate(_SAME_LENGTH)) is not None


def find_dates(text: str, today: date, prefer_past: bool) -> list[FoundDate]:
    """The dates named in the first `ENTRY_CHARACTERS_MAX` characters, in order, apart, at most `SPANS_MAX`."""
    same = text[:ENTRY_CHARACTERS_MAX].translate(_SAME_LENGTH)
    now = Now(today, prefer_past, text)
    found: list[Found] = []
    for at in _places(same, found):
        for pattern, read in _rules_at(same[at]):
            match = pattern.match(same, at)
            days = read_days(read, match, now) if match else None
            if match and days:
                found.append(Found(at, match.end(), days, match, read))
                break
    return [
        FoundDate(text[one.start : one.end], one.days.first, one.days.last, one.start, one.end, one.days.relative)
        for one in joined(found, same, now)
    ]


def no_such_day(text: str) -> str:
    """The first words that name a day which no calendar has, as 30 February; "" when there are none."""
    same = text[:ENTRY_CHARACTERS_MAX].translate(_SAME_LENGTH)
    for found in _WHOLE_DAY.finditer(same):
        words = text[found.start() : found.end()].rstrip()
        year, month, day = ("".join(found[f"{part}{form}"] or "" for form in range(1, 5)) for part in ("y", "m", "d"))
        if month in ("may", "march", "mar") and month in words:  # verbs, without a capital
            continue
        number = int(month) if month.isdecimal() else MONTHS[month]
        try:
            date(int(year or _LEAP_YEAR), number, int(day))
        except ValueError:
            return words
    return ""


_LEAP_YEAR = 2024
_MONTH_NAMES = one_of(MONTHS)
_YEAR = r"(?:19|20)\d\d"
_WHOLE_DAY = re.compile(
    rf"(?<![a-z0-9_./-])(?:(?P<y1>{_YEAR})(?P<mark>[-/])(?P<m1>\d\d?)(?P=mark)(?P<d1>\d\d?)(?![\d/_]|-[\da-z]|\.[\da-z])"
    rf"|(?:(?P<y2>{_YEAR}) ?年 ?)?(?P<m2>\d\d?) ?月 ?(?P<d2>\d\d?) ?[日号](?![线楼门])"
    rf"|(?P<d3>[0-3]?\d)(?:st|nd|rd|th)?(?: of)? (?P<m3>{_MONTH_NAMES})(?:,? (?P<y3>{_YEAR}))?{END}"
    rf"|(?P<m4>{_MONTH_NAMES})\.? (?P<d4>[0-3]?\d)(?:st|nd|rd|th)?(?:,? (?P<y4>{_YEAR}))?(?![\da-z%_]|[.:/]\d))"
)


def undated(part: str, text: str, today: date) -> str:
    """A part of a question without the dates at its ends: of "boiler between 1 and 3" the boiler is left."""
    at = text.find(part)
    first, last = at, at + len(part)
    for one in find_dates(text, today, prefer_past=True) if at >= 0 else ():
        if one.start <= first < one.end:
            first = one.end
        elif one.start < last <= one.end:
            last = one.start
    if (first, last) == (at, at + len(part)):
        return part
    return _LOOSE_END.sub("", text[first:last]).strip(" ,，、的") if first < last else ""


_LOOSE_END = re.compile(r"(?:(?:\A| )(?:from|in|on|over|during|within|for|of|at|by|的|在) ?)\Z", re.IGNORECASE)


def _places(same: str, found: Sequence[Found]) -> Iterator[int]:
    """Where a date may begin: behind what has been found, and there behind a hyphen too, as in Mon-Fri."""
    at = 0
    while len(found) < SPANS_MAX:
        known = len(found)
        if found and at == found[-1].end and _HYPHEN.match(same, at):
            yield at + 1
        elif start := _START.search(same, at):
            yield start.start()
            at = start.start()
        else:
            return
        at = found[-1].end if len(found) > known else at + 1


_HYPHEN = re.compile(r"-[a-z]")


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
_RULES = (*dates_periods.RULES, *dates_zh.RULES, *dates_digits.RULES, *dates_en.RULES, *dates_months.RULES)


@cache
def _rules_at(start: str) -> Sequence[tuple[re.Pattern[str], Reader]]:
    """Those that begin with this character, compiled when it is first met: there are few such characters."""
    return [(rule.pattern, rule.read) for rule in _RULES if start in rule.starts]


_START = re.compile(
    rf"(?<![a-z0-9_@#./'-])[a-z]|(?<!\d)\d|(?<![{NUMERALS}])[{NUMERALS}]"
    "|[" + "".join(sorted({c for rule in _RULES for c in rule.starts if not c.isascii()} - {*NUMERALS})) + "]"
)
