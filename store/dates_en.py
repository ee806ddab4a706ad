"""The English words for days: last Wednesday, in May, three days ago, 22 May 2024.

Most of them are also something else: "may" and "march" are verbs, "sun" shines, "in 2048 bits" is no year. Such a word
needs a capital or a word before it that says date; else it is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from store.days import (
    RECENT_HOLIDAY_DAYS,
    Days,
    Now,
    Rule,
    ago,
    ahead_of,
    bare_weekday,
    days_after,
    days_back,
    month_of,
    one_day,
    one_of,
    season_of,
    weekend,
    without_year,
)


def _names(*lines: str) -> dict[str, int]:
    return {name: i for i, line in enumerate(lines) for name in line.split()}


_END = r"(?![a-z0-9_]|[.@][a-z0-9])"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d|[.:/-]\d)"
_WEEKDAYS = _names(
    "monday mon", "tuesday tues tue", "wednesday weds wed", "thursday thurs thur thu", "friday fri", "saturday sat",
    "sunday sun",
)  # fmt: skip
_WHOLE_WEEKDAY = "(?P<weekday>" + "|".join(name for name in _WEEKDAYS if name.endswith("day")) + ")"
_MONTHS = _names(
    "", "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
_MONTH = rf"(?P<month>{one_of(_MONTHS)})(?![a-z])(?:\.(?= \d))?"
_DATE_AHEAD = rf",? (?:\d\d?(?:st|nd|rd|th)? )?(?:{one_of(_MONTHS)}){_END}"
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_STEPS = {"last": -1, "this past": -1, "this": 0, "next": 1}
_STEP = rf"(?P<step>{one_of(_STEPS)}) "
_HOLIDAYS = {
    "new years eve": (12, 31), "new years day": (1, 1), "valentines day": (2, 14), "halloween": (10, 31),
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
}  # fmt: skip
_MONTH_CUE = re.compile(r"\b(?:in|during|since|until|till|by|of|early|late|mid)[ -]\Z")
_SURE_CUE = re.compile(r"\b(?:in|during|since)[ -]\Z")
_YEAR_CUE = re.compile(r"\b(?:in|during|since) \Z")
_NO_DAY = re.compile(r"\b(?:every|each|good|black) \Z")
_DAY_WORDS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = {w: i for i, w in enumerate(_WORDS)} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS[text]


def _is_a_name(match: re.Match[str], now: Now, group: str) -> bool:
    """Whether it can only be the name: "May" and "Fri" are, "may", "march" and "wed" are verbs first."""
    return match[group] not in ("may", "march", "mar") or now.text[match.start(group)].isupper()


def _read_step_unit(match: re.Match[str], now: Now) -> Days | None:
    step, unit = _STEPS[match["step"]], match["unit"]
    if unit == "weekend":
        return weekend(now, step)
    if unit == "night":
        return one_day(days_after(now, -1)) if step == -1 else None
    if unit in ("morning", "afternoon", "evening"):
        return one_day(now.today) if step == 0 else None
    return ago(now, -step, unit)


def _read_step_weekday(match: re.Match[str], now: Now) -> Days:
    """ "Last Wednesday" is the one before today; "this" and "next" go by the calendar week."""
    weekday, step = _WEEKDAYS[match["weekday"]], _STEPS[match["step"]]
    if step == -1:
        return one_day(days_after(now, -((now.today.weekday() - weekday - 1) % 7 + 1)))
    return one_day(now.monday + timedelta(weeks=step, days=weekday))


def _by_step(now: Now, step: str, read: Callable[[int], Days]) -> Days:
    """The last one that is over, this year's, or the next to begin after it."""
    year = now.today.year
    if _STEPS[step] == -1:
        return next(days for y in (year, year - 1, year - 2) if (days := read(y)).last < now.today)
    return read(year + _STEPS[step])


def _read_step_season(match: re.Match[str], now: Now) -> Days:
    return _by_step(now, match["step"], lambda year: season_of(year, _SEASONS[match["season"]]))


def _read_step_month(match: re.Match[str], now: Now) -> Days | None:
    if not _is_a_name(match, now, "month"):
        return None
    return _by_step(now, match["step"], lambda year: month_of(year, _MONTHS[match["month"]], relative=True))


def _read_season_of_year(match: re.Match[str], now: Now) -> Days:
    days = season_of(int(match["year"]), _SEASONS[match["season"]])
    return Days(days.first, days.last, relative=False)


def _read_before_last(match: re.Match[str], now: Now) -> Days:
    return weekend(now, -2) if match["unit"] == "weekend" else ago(now, 2, match["unit"])


def _read_beyond(match: re.Match[str], now: Now) -> Days | None:
    """The day before yesterday, the day after tomorrow."""
    days = {"before yesterday": -2, "after tomorrow": 2}
    return one_day(days_after(now, days[match["which"]]))


def _read_weekday(match: re.Match[str], now: Now) -> Days | None:
    if _NO_DAY.search(ahead_of(match)):
        return None
    weekday = _WEEKDAYS[match["weekday"]]
    if match["step"]:
        return one_day(now.monday + timedelta(weeks=_STEPS[match["step"]], days=weekday))
    return bare_weekday(now, weekday)


def _read_short_weekday(match: re.Match[str], now: Now) -> Days | None:
    if not now.text[match.start()].isupper() or _NO_DAY.search(ahead_of(match)):
        return None
    return bare_weekday(now, _WEEKDAYS[match["weekday"]])


def _read_count(match: re.Match[str], now: Now) -> Days:
    count = _number(match["count"])
    return ago(now, count if match["way"] == "ago" else -count, match["unit"])


def _read_date(match: re.Match[str], now: Now) -> Days | None:
    month, day = _MONTHS[match["month"]], int(match["day"])
    if match["year"]:
        return one_day(date(int(match["year"]), month, day), relative=False)
    if not match["ordinal"] and not _is_a_name(match, now, "month"):
        return None
    return without_year(now, lambda year: one_day(date(year, month, day), relative=False))


def _read_month(match: re.Match[str], now: Now) -> Days | None:
    month, ahead = _MONTHS[match["month"]], ahead_of(match)
    if match["year"]:
        return month_of(int(match["year"]), month, relative=False)
    if not _MONTH_CUE.search(ahead) or not (_is_a_name(match, now, "month") or _SURE_CUE.search(ahead)):
        return None
    return without_year(now, lambda year: month_of(year, month, relative=False))


def _read_year(match: re.Match[str], now: Now) -> Days | None:
    year = int(match["year"])
    if year > now.today.year + 10 or not _YEAR_CUE.search(ahead_of(match)):
        return None
    return Days(date(year, 1, 1), date(year, 12, 31), relative=False)


def _read_holiday(match: re.Match[str], now: Now) -> Days | None:
    month, day = _HOLIDAYS[match["holiday"].replace("'", "")]
    if match["year"]:
        return one_day(date(int(match["year"]), month, day), relative=False)
    if match["step"]:
        return _by_step(now, match["step"], lambda year: one_day(date(year, month, day)))
    return without_year(now, lambda year: one_day(date(year, month, day)), RECENT_HOLIDAY_DAYS)


def _read_day_word(match: re.Match[str], now: Now) -> Days:
    return one_day(days_after(now, _DAY_WORDS[match["word"]]))


def _read_half_a_year(_: re.Match[str], now: Now) -> Days:
    return ago(now, 6, "month")


_DIGIT_STARTS = "0123456789"
_MONTH_STARTS = "jfmasond"
_NO_NAME = r"(?<![a-z0-9_./-])"

RULES = (
    Rule("td", rf"(?:the )?day (?P<which>before yesterday|after tomorrow){_END}", _read_beyond),
    Rule("yt", rf"(?P<word>yesterday|today|tonight|tomorrow){_END}", _read_day_word),
    Rule(
        "ltn",
        rf"{_STEP}(?P<unit>weekend|week|month|year|night|morning|afternoon|evening){_END}(?! of )",
        _read_step_unit,
    ),
    Rule("ltn", rf"{_STEP}{_WHOLE_WEEKDAY}{_END}(?!{_DATE_AHEAD})", _read_step_weekday),
    Rule("ln", rf"(?P<step>last|next) (?P<weekday>{one_of(_WEEKDAYS)}){_END}(?!{_DATE_AHEAD})", _read_step_weekday),
    Rule("ltn", rf"{_STEP}(?P<season>{one_of(_SEASONS)}){_END}", _read_step_season),
    Rule("ltn", rf"{_STEP}{_MONTH}{_END}", _read_step_month),
    Rule("safw", rf"(?P<season>{one_of(_SEASONS)})(?: of)? {_YEAR}{_END}", _read_season_of_year),
    Rule("twmy", rf"(?:the )?(?P<unit>weekend|week|month|year) before last{_END}", _read_before_last),
    Rule("mtwfs", rf"{_WHOLE_WEEKDAY}(?: (?P<step>last|this|next) week)?{_END}", _read_weekday),
    Rule("mtwf", rf"(?P<weekday>mon|tues|tue|weds|wed|thurs|thur|thu|fri){_END}", _read_short_weekday),
    Rule(
        "s",
        rf"(?P<weekday>sat|sun)(?={_DATE_AHEAD})",
        _read_short_weekday,
    ),
    Rule(
        _DIGIT_STARTS + "acotfsen",
        rf"(?<![\d.:/-])(?P<count>\d{{1,3}}|{one_of(_NUMBERS)}) (?P<unit>day|week|month|year)s?"
        rf" (?P<way>ago|from now){_END}",
        _read_count,
    ),
    Rule("h", rf"half a year ago{_END}", _read_half_a_year),
    Rule("a", rf"a few days ago{_END}", days_back(7, 2)),
    Rule(
        _MONTH_STARTS,
        rf"{_MONTH} (?P<day>\d\d?)(?P<ordinal>st|nd|rd|th)?(?:,? {_YEAR})?(?![\da-z%_]|[.:/]\d)",
        _read_date,
    ),
    Rule(
        _DIGIT_STARTS,
        rf"(?<![\d.:/-])(?P<day>\d\d?)(?P<ordinal>st|nd|rd|th)?(?: of)? {_MONTH}(?:,? {_YEAR})?{_END}",
        _read_date,
    ),
    Rule(_MONTH_STARTS, rf"{_MONTH}(?:,?(?: of)? {_YEAR})?{_END}", _read_month),
    Rule(_DIGIT_STARTS, rf"{_NO_NAME}{_YEAR}(?![a-z_%年月])", _read_year),
    Rule(
        "ltnvhcb",
        rf"(?:(?P<step>last|this|next) )?(?P<holiday>new year'?s (?:eve|day)|valentine'?s day|halloween"
        rf"|christmas(?: eve| day)?|boxing day)(?: {_YEAR})?{_END}",
        _read_holiday,
    ),
)
