"""Days written in digits alone: 2024-05-27, 2024/5/27, 2024-05, 5/27, 5/20-5/24."""

from __future__ import annotations

import re
from datetime import date

from store.days import Days, Now, Rule, ahead_of, month_of, one_day, without_year

_SLASH_CUE = re.compile(r"(?:\b(?:on|by|since|until|till|due|before|after):? |[在于] ?|(?:截止|日期):? ?)\Z")


def _read_day(match: re.Match[str], now: Now) -> Days:
    return one_day(date(int(match["year"]), int(match["month"]), int(match["day"])), relative=False)


def _read_month(match: re.Match[str], now: Now) -> Days:
    return month_of(int(match["year"]), int(match["month"]), relative=False)


def _read_slash(match: re.Match[str], now: Now) -> Days | None:
    """5/22; but 1/2 is a half unless something before it says date."""
    month, day = int(match["month"]), int(match["day"])
    if day <= 12 and not _SLASH_CUE.search(ahead_of(match)):
        return None
    return without_year(now, lambda year: one_day(date(year, month, day), relative=False))


def _read_slashes(match: re.Match[str], now: Now) -> Days | None:
    """5/20-5/24."""
    month, day, last_month, last_day = (int(match[name]) for name in ("month", "day", "last_month", "last_day"))
    if max(day, last_day) <= 12 and not _SLASH_CUE.search(ahead_of(match)):
        return None

    def read(year: int) -> Days:
        first, last = date(year, month, day), date(year + (last_month < month), last_month, last_day)
        if last < first:
            raise ValueError(match[0])
        return Days(first, last, relative=False, ends=True)

    return without_year(now, read)


_DIGIT_STARTS = "0123456789"
_NO_NAME = r"(?<![a-z0-9_./-])"
_MONTH = r"(?P<month>1[0-2]|0?[1-9])"
_DAY_31 = r"(?P<day>3[01]|[12]\d|0?[1-9])"

RULES = (
    Rule(
        _DIGIT_STARTS,
        rf"{_NO_NAME}(?P<year>(?:19|20)\d\d)(?P<mark>[-/]){_MONTH}(?P=mark){_DAY_31}"
        r"(?![\d/_]|-[\da-z]|\.[\da-z])",
        _read_day,
    ),
    Rule(
        _DIGIT_STARTS,
        rf"{_NO_NAME}(?P<year>(?:19|20)\d\d)-(?P<month>1[0-2]|0[1-9])(?![\da-z/_-]|\.\d)",
        _read_month,
    ),
    Rule(
        _DIGIT_STARTS,
        rf"{_NO_NAME}{_MONTH}/{_DAY_31} ?[-~–] ?(?P<last_month>1[0-2]|0?[1-9])/(?P<last_day>3[01]|[12]\d|0?[1-9])"
        r"(?![\da-z/_%-]|\.\d)",
        _read_slashes,
    ),
    Rule(_DIGIT_STARTS, rf"{_NO_NAME}{_MONTH}/{_DAY_31}(?![\da-z/_%-]|\.\d)", _read_slash),
)
