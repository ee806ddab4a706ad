"""The English words for days: last Wednesday, three days ago, last summer, Christmas.

Many are also something else: "sun" shines, "wed" is a verb. Such a word needs a capital or a date behind it; else it is
left alone. Days that are named by their month stand in `dates_months`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from store.dates_words import (
    END,
    MONTHS,
    NUMBERS,
    YEAR,
    is_a_name,
    month,
    names,
    year_said,
)
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

_WEEKDAYS = names(
    "monday mon", "tuesday tues tue", "wednesday weds wed", "thursday thurs thur thu", "friday fri", "saturday sat",
    "sunday sun",
)  # fmt: skip
_WHOLE_WEEKDAY = "(?P<weekday>" + "|".join(name for name in _WEEKDAYS if name.endswith("day")) + ")"
_MONTH = month()
_DATE_AHEAD = rf",? (?:\d\d?(?:st|nd|rd|th)? )?(?:{one_of(MONTHS)}){END}"
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_STEPS = {"last": -1, "this past": -1, "this": 0, "next": 1}
_STEP = rf"(?P<step>{one_of(_STEPS)}) "
_TO_WEEKDAY = re.compile(rf"(?: (?:to|through|and) | ?[-–] ?)(?:{one_of(_WEEKDAYS)}){END}")
_FROM_WEEKDAY = re.compile(rf"\b(?:{one_of(_WEEKDAYS)})(?: (?:to|through|and) | ?[-–] ?)\Z")
_HOLIDAYS = {
    "new years eve": (12, 31), "new years day": (1, 1), "valentines day": (2, 14), "halloween": (10, 31),
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
}  # fmt: skip
_NO_DAY = re.compile(
    r"\b(?:good|black|(?:every|each)(?: [a-z]{3,9}(?: to| through| and| or|,|-)?)?) \Z|\bevery [a-z]{3,9}-\Z|days (?:to|and) \Z"
)
_DAY_WORDS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_COUNTS = NUMBERS | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}


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
    step = _STEPS[match["step"]]
    if step == -1 and now.most:  # from last Monday to last Friday
        return bare_weekday(now, _WEEKDAYS[match["weekday"]])
    if step == -1:
        return one_day(_weekday_before(now, match["weekday"]))
    return one_day(now.monday + timedelta(weeks=step, days=_WEEKDAYS[match["weekday"]]))


def _weekday_before(now: Now, name: str) -> date:
    return days_after(now, -((now.today.weekday() - _WEEKDAYS[name] - 1) % 7 + 1))


def _by_step(now: Now, step: str, read: Callable[[int], Days]) -> Days:
    """The last one that is over, this year's, or the next to begin after it."""
    year = now.today.year
    if _STEPS[step] == -1:
        return next(days for y in (year, year - 1, year - 2) if (days := read(y)).last < now.today)
    return read(year + _STEPS[step])


def _read_step_season(match: re.Match[str], now: Now) -> Days:
    return _by_step(now, match["step"], lambda year: season_of(year, _SEASONS[match["season"]]))


def _read_step_month(match: re.Match[str], now: Now) -> Days | None:
    if not is_a_name(match, now):
        return None
    return _by_step(now, match["step"], lambda year: month_of(year, MONTHS[match["month"]], relative=True))


def _read_season_of_year(match: re.Match[str], now: Now) -> Days:
    year = year_said(match, now)
    assert year is not None
    days = season_of(year, _SEASONS[match["season"]])
    return Days(days.first, days.last, relative=bool(match["year_step"]))


def _read_before_last(match: re.Match[str], now: Now) -> Days:
    if match["weekday"]:
        return one_day(_weekday_before(now, match["weekday"]) - timedelta(weeks=1))
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


def _read_sat_or_sun(match: re.Match[str], now: Now) -> Days | None:
    """Beside a date or another weekday: Sat 1 June, Fri-Sun."""
    beside = _TO_WEEKDAY.match(match.string, match.end()) or _FROM_WEEKDAY.search(ahead_of(match))
    return _read_short_weekday(match, now) if match["dated"] is not None or beside else None


def _read_count(match: re.Match[str], now: Now) -> Days:
    """Three days ago; "two or three days ago" are the days between."""
    sign = 1 if match["way"] == "ago" else -1
    days, more = (
        ago(now, sign * (_COUNTS[count] if count in _COUNTS else int(count)), match["unit"])
        for count in (match["count"], match["more"] or match["count"])
    )
    return Days(min(days.first, more.first), max(days.last, more.last))


def _read_holiday(match: re.Match[str], now: Now) -> Days | None:
    month_and_day, year = _HOLIDAYS[match["holiday"].replace("'", "")], year_said(match, now)
    if year:
        return one_day(date(year, *month_and_day), relative=bool(match["year_step"]))
    if match["step"]:
        return _by_step(now, match["step"], lambda year: one_day(date(year, *month_and_day)))
    return without_year(now, lambda year: one_day(date(year, *month_and_day)), RECENT_HOLIDAY_DAYS)


def _read_day_word(match: re.Match[str], now: Now) -> Days:
    return one_day(days_after(now, _DAY_WORDS[match["word"]]))


def _read_half(match: re.Match[str], now: Now) -> Days:
    return ago(now, 6, "month") if match["unit"] == "year" else ago(now, 2, "week")


_DIGIT_STARTS = "0123456789"

RULES = (
    Rule("td", rf"(?:the )?day (?P<which>before yesterday|after tomorrow){END}", _read_beyond),
    Rule("yt", rf"(?P<word>yesterday|today|tonight|tomorrow){END}", _read_day_word),
    Rule(
        "ltn",
        rf"{_STEP}(?P<unit>weekend|week|month|quarter|year|night|morning|afternoon|evening){END}(?! of )",
        _read_step_unit,
    ),
    Rule("ltn", rf"{_STEP}{_WHOLE_WEEKDAY}{END}(?!{_DATE_AHEAD})", _read_step_weekday),
    Rule("ln", rf"(?P<step>last|next) (?P<weekday>{one_of(_WEEKDAYS)}){END}(?!{_DATE_AHEAD})", _read_step_weekday),
    Rule("ltn", rf"{_STEP}(?P<season>{one_of(_SEASONS)}){END}", _read_step_season),
    Rule("ltn", rf"{_STEP}{_MONTH}{END}", _read_step_month),
    Rule("safw", rf"(?P<season>{one_of(_SEASONS)})(?:,?(?: of)?|,) {YEAR}{END}", _read_season_of_year),
    Rule(
        "twmyfs",
        rf"(?:the )?(?:(?P<unit>weekend|week|month|quarter|year)|{_WHOLE_WEEKDAY}) before last{END}",
        _read_before_last,
    ),
    Rule("mtwfs", rf"{_WHOLE_WEEKDAY}(?:,?(?: of)? (?P<step>last|this|next) week)?{END}", _read_weekday),
    Rule("mtwf", rf"(?P<weekday>mon|tues|tue|weds|wed|thurs|thur|thu|fri){END}", _read_short_weekday),
    Rule("s", rf"(?P<weekday>sat|sun)(?P<dated>(?={_DATE_AHEAD}))?{END}", _read_sat_or_sun),
    Rule(
        _DIGIT_STARTS + "acotfsen",
        rf"(?<![\d.:/-])(?<!half )(?P<count>\d{{1,3}}|{one_of(_COUNTS)})"
        rf"(?:(?: or | to | ?[-–] ?)(?P<more>\d{{1,3}}|{one_of(NUMBERS)}))? (?P<unit>day|week|month|year)s?"
        rf" (?P<way>ago|from now){END}",
        _read_count,
    ),
    Rule("h", rf"half a (?P<unit>year|month) ago{END}", _read_half),
    Rule("asf", rf"(?:a few|few|some|several) days ago{END}", days_back(7, 2)),
    Rule(
        "ltnvhcb",
        rf"(?:(?P<step>last|this|next) )?(?P<holiday>new year'?s (?:eve|day)|valentine'?s day|halloween"
        rf"|christmas(?: eve| day)?|boxing day)(?:,?(?: of)? {YEAR})?{END}",
        _read_holiday,
    ),
)
