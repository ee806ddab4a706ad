"""English days by month and year: 22 May 2024, 1–3 May, in May, March to May, in 2021.

"may" and "march" are verbs, "in 2048 bits" is no year. Such a word needs a capital or a word before it that says date;
else it is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from store.dates_words import END, MONTH_STARTS, MONTHS, YEAR, is_a_name, month, year_said
from store.days import Days, Now, Rule, ahead_of, month_of, one_of, without_year, year_of

_MONTH_CUE = re.compile(r"\b(?:in|during|since|until|till|before|after|by|of|early|late|mid)[ -]\Z")
_SURE_CUE = re.compile(r"\b(?:in|during|since|from|between)[ -]\Z")
_YEAR_CUE = re.compile(r"\b(?:in|during|since|before|after) \Z")
# "From March" says where something is from, "from March to last week" when.
_FROM = re.compile(r"\b(?:from|between|since) \Z")
_IN = re.compile(r"\b(?:in|during) \Z")
_TO_DATE = re.compile(
    rf" onwards?\b| (?:to|until|till|through|and) (?:the )?(?:\d(?!\d{{3}})|last|this|next|now|today|yesterday|tomorrow|(?:{one_of(MONTHS)}){END})"
)
_UNITS_AHEAD = r"(?! (?:people|euros?|dollars?|yuan|usd|eur|words|bits|bytes|steps|calories|kcal|m|km|kg|g|ml|w)\b)"


def _read_date(match: re.Match[str], now: Now) -> Days | None:
    """8 May, 8–10 May; "8 and 10 May" is a range behind "between"."""
    number_of_month, year = MONTHS[match["month"]], year_said(match, now)
    if not (year or match["ordinal"] or is_a_name(match, now)):
        return None
    if match["both"] and not (_BETWEEN.search(ahead_of(match)) or now.prefer_past or _follow(match)):
        return None

    def read(in_year: int) -> Days:
        first = date(in_year, number_of_month, int(match["day"]))
        last = first.replace(day=int(match["until"] or match["day"]))
        if last < first:
            raise ValueError(match[0])
        return Days(first, last, relative=bool(match["year_step"]), ends=bool(match["until"]))

    return read(year) if year else without_year(now, read)


def _follow(match: re.Match[str]) -> bool:
    """8 and 9 May; with a day between them they are no range, but a question may ask for more than it needs."""
    return int(match["until"]) == int(match["day"]) + 1


def _read_month(match: re.Match[str], now: Now) -> Days | None:
    ahead, year = ahead_of(match), year_said(match, now)
    from_to = _FROM.search(ahead) and _TO_DATE.match(match.string, match.end())
    sure = bool(_SURE_CUE.search(ahead)) or is_a_name(match, now)
    if not (match["year"] or (sure and (year or from_to or _MONTH_CUE.search(ahead)))):
        return None
    read = _months_to(MONTHS[match["month"]], relative=bool(match["year_step"]))
    return read(year) if year else without_year(now, read)


def _months_to(first: int, last: int = 0, *, relative: bool = False) -> Callable[[int], Days]:
    """From one month to another, perhaps over New Year: the year is the last one's."""

    def read(year: int) -> Days:
        end = month_of(year, last or first, relative=relative)
        start = month_of(year - (first > (last or first)), first, relative=relative)
        return Days(start.first, end.last, relative, ends=bool(last))

    return read


def _read_months(match: re.Match[str], now: Now) -> Days | None:
    """March to May, Jan–Mar 2024, in March and April."""
    ahead, year = ahead_of(match), year_said(match, now)
    cue = _FROM.search(ahead) or _IN.search(ahead)
    if match["both"] and not cue:
        return None
    if not cue and not (is_a_name(match, now, "month") and is_a_name(match, now, "until")):
        return None
    read = _months_to(MONTHS[match["month"]], MONTHS[match["until"]], relative=bool(match["year_step"]))
    return read(year) if year else without_year(now, read)


def _read_year(match: re.Match[str], now: Now) -> Days | None:
    year, ahead = int(match["year"]), ahead_of(match)
    from_to = _FROM.search(ahead) and _TO_DATE.match(match.string, match.end())
    if year > now.today.year + 10 or not (from_to or _YEAR_CUE.search(ahead)):
        return None
    return year_of(year, relative=False)


def _read_years(match: re.Match[str], now: Now) -> Days | None:
    first, last, ahead = int(match["year"]), int(match["until"]), ahead_of(match)
    if not first < last <= now.today.year + 10 or not (_FROM.search(ahead) or _IN.search(ahead)):
        return None
    return Days(date(first, 1, 1), date(last, 12, 31), relative=False, ends=True)


_DIGIT_STARTS = "0123456789"
_NO_NAME = r"(?<![a-z0-9_./-])"
_BETWEEN = re.compile(r"\bbetween (?:the )?\Z")
_TO = r"(?: (?:to|through|thru|till|until) (?:the )?|(?P<both> and (?:the )?)| ?[-~–—] ?)"
_NO_END = "(?P<both>(?!))?(?P<until>(?!))?"
# May 1 to 3 June is for two dates to be joined; May 1 to 3 pm is none.
_UNTIL = rf"{_TO}(?P<until>\d\d?)(?:st|nd|rd|th)?(?! ?(?:of )?(?:{one_of(MONTHS)}){END}| ?[ap]\.?m)"
_DAY = r"(?P<day>\d\d?)(?P<ordinal>st|nd|rd|th)?"

RULES = (
    Rule(MONTH_STARTS, rf"{month()}{_TO}{month('until')}(?! ?\d\d?(?!\d))(?:,?(?: of)? {YEAR})?{END}", _read_months),
    *(
        Rule(MONTH_STARTS, rf"{month()} {_DAY}{until}(?:,?(?: of)? {YEAR})?(?![\da-z%_]|[.:/]\d)", _read_date)
        for until in (_UNTIL, _NO_END)
    ),
    *(
        Rule(
            _DIGIT_STARTS,
            rf"(?<![\d.:/-]){_DAY}{until}(?: of)? {month()}(?:,?(?: of)? {YEAR})?{END}",
            _read_date,
        )
        for until in (rf"{_TO}(?P<until>\d\d?)(?:st|nd|rd|th)?", _NO_END)
    ),
    Rule(MONTH_STARTS, rf"{month()}(?:,?(?: of)? {YEAR})?{END}", _read_month),
    Rule(
        _DIGIT_STARTS,
        rf"{_NO_NAME}(?P<year>(?:19|20)\d\d){_TO}(?P<until>(?:19|20)\d\d)(?![\da-z_%/年月-]|[.:]\d){_UNITS_AHEAD}",
        _read_years,
    ),
    Rule(_DIGIT_STARTS, rf"{_NO_NAME}(?P<year>(?:19|20)\d\d)(?!\d|[.:/-]\d|[a-z_%年月]){_UNITS_AHEAD}", _read_year),
)
