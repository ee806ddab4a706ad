"""Words that name a day or a range of days, Chinese and English, read against a given today.

A table of rules, tried only where one of their first characters stands and only as far as a bounded pattern
reaches, so the cost is linear. A word that can be something else (may, march, sun, 三月天, 5月前, 一周三次) is
left alone: a wrong date hides the right answer, a missed one only leaves it unfiltered.

Clock times are not read. 早上 or "evening" behind a day stays outside its span; 今晚 or "last night" is one word.
Weeks begin on Monday. `prefer_past` is for questions: 周五 is then the Friday that has been.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from store.model import ENTRY_CHARACTERS_MAX, DateSpan

SPANS_MAX = 32

_RECENT_HOLIDAY_DAYS = 31
"""Longer ago, who writes 国庆 or Christmas means the next one."""

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


@dataclass(frozen=True, slots=True)
class _Days:
    """What a rule has read. `weekday` marks a bare weekday, which may only explain a date beside it."""

    first: date
    last: date
    relative: bool = True
    weekday: bool = False


@dataclass(frozen=True, slots=True)
class _Now:
    """What a rule needs beside its match; `text` is as typed, for the capital of May."""

    today: date
    prefer_past: bool
    text: str

    @property
    def monday(self) -> date:
        return self.today - timedelta(days=self.today.weekday())


_Reader = Callable[[re.Match[str], _Now], _Days | None]


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
    now = _Now(today, prefer_past, text)
    found: list[tuple[int, int, _Days]] = []
    at = 0
    while len(found) < SPANS_MAX and (start := _START.search(same, at)):
        at = start.start() + 1
        for rule in _RULES_BY_START.get(start.group(), ()):
            match = rule.pattern.match(same, start.start())
            days = _read(rule.read, match, now) if match else None
            if match and days:
                at = match.end()
                if closed := _closed(days, match, now):
                    found.append((match.start(), match.end(), closed))
                break
    return [
        FoundDate(text[start:end], days.first, days.last, start, end, days.relative)
        for start, end, days in _with_weekdays_joined(found, same)
    ]


def _read(read: _Reader, match: re.Match[str], now: _Now) -> _Days | None:
    try:
        return read(match, now)
    except (ValueError, OverflowError):  # 31 June; 900 years before the year 1
        return None


_SINCE = re.compile(r"since (?:the )?\Z")
_BEFORE = re.compile(r"before (?:the )?\Z")
_AND_ON = re.compile(r"以来|至今|到现在")
_AND_BACK = re.compile(r"[之以]?前(?![天面端后])")


def _closed(days: _Days, match: re.Match[str], now: _Now) -> _Days | None:
    """In a question "since Monday" reaches to today, and "before Monday" has no first day to filter by."""
    if not now.prefer_past:
        return days
    same, ahead = match.string, _ahead(match)
    if _AND_BACK.match(same, match.end()) or _BEFORE.search(ahead):
        return None
    if _AND_ON.match(same, match.end()) or _SINCE.search(ahead):
        return _Days(days.first, max(days.last, now.today), days.relative)
    return days


_BESIDE = re.compile(r"[ ,(]{0,2}\Z")


def _with_weekdays_joined(found: list[tuple[int, int, _Days]], same: str) -> list[tuple[int, int, _Days]]:
    """5月22日（周三）, Wed 22 May, 周三 5月22日, 明天周二: one date, when the weekday is that day's."""
    joined: list[tuple[int, int, _Days]] = []
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

# ---------------------------------------------------------------- numbers and calendars

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = {w: i for i, w in enumerate(_WORDS)} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}


def _number(text: str) -> int:
    """12, 十二, 二十, twelve."""
    if text.isascii():
        return int(text) if text.isdigit() else _NUMBERS[text]
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS[tens or "一"] if ten else 0) * 10 + (_DIGITS[ones] if ones else 0)


def _year(text: str, now: _Now) -> int:
    if text in _YEAR_WORDS:
        return now.today.year + _YEAR_WORDS[text]
    return int("".join(str(_DIGITS.get(c, c)) for c in text.removesuffix("年")))


def _days_after(now: _Now, count: int) -> date:
    return now.today + timedelta(days=count)


def _one(day: date, *, relative: bool = True) -> _Days:
    return _Days(day, day, relative)


def _week(now: _Now, offset: int) -> _Days:
    first = now.monday + timedelta(weeks=offset)
    return _Days(first, first + timedelta(days=6))


def _weekend(now: _Now, offset: int) -> _Days:
    saturday = now.monday + timedelta(weeks=offset, days=5)
    return _Days(saturday, saturday + timedelta(days=1))


def _month(year: int, month: int, *, relative: bool) -> _Days:
    """`month` may run over: 0 is December of the year before."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    following = date(year + month // 12, month % 12 + 1, 1)
    return _Days(date(year, month, 1), following - timedelta(days=1), relative)


def _season(year: int, season: int) -> _Days:
    """Spring is 0 and begins in March; winter belongs to the year it begins in."""
    first = _month(year, 3 + 3 * season, relative=True).first
    return _Days(first, _month(first.year, first.month + 2, relative=True).last)


def _without_year(now: _Now, read: Callable[[int], _Days], recent_days: int = 183) -> _Days | None:
    """In a question the last one begun. At writing time the nearest, which is never longer ago than `recent_days`."""
    candidates: list[_Days] = []
    for year in range(now.today.year - 8, now.today.year + 9):  # 29 February may be eight years away
        try:
            candidates.append(read(year))
        except (ValueError, OverflowError):
            continue
    if now.prefer_past:
        return max((d for d in candidates if d.first <= now.today), key=lambda d: d.first, default=None)
    earliest = _days_after(now, -recent_days)
    return min((d for d in candidates if d.last >= earliest), key=lambda d: _distance(d, now.today), default=None)


def _distance(days: _Days, today: date) -> int:
    return max((days.first - today).days, (today - days.last).days, 0)


def _ago(now: _Now, count: int, unit: str) -> _Days:
    """As exact as its unit: days give a day, weeks a week, months a month, years a year. Negative is ahead."""
    match unit:
        case "day":
            return _one(_days_after(now, -count))
        case "week":
            return _week(now, -count)
        case "month":
            return _month(now.today.year, now.today.month - count, relative=True)
        case _:
            return _Days(date(now.today.year - count, 1, 1), date(now.today.year - count, 12, 31))


def _bare_weekday(now: _Now, weekday: int) -> _Days:
    ahead = (weekday - now.today.weekday()) % 7
    day = _days_after(now, ahead - 7 if now.prefer_past and ahead else ahead)
    return _Days(day, day, weekday=True)


# ---------------------------------------------------------------- Chinese

_CN = "零〇一二两三四五六七八九十"
_CN_12 = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_CN_31 = r"(?:[12]\d|3[01]|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_COUNT = r"(?:\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"

_YEAR_WORDS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_YEAR_ZH = (
    r"(?P<year>大前年|(?<![以之提目])前年|去年|今年|明年|(?<![以之然最])后年"
    r"|(?<![\d.])[12]\d\d\d年(?![代级])|(?:一九|二[〇零])[〇零一二三四五六七八九]{2}年)"
)
_SEASONS_ZH = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
# 以上, 早上, 线下 end in a step that is none.
_STEP = r"(?P<step>上上|下下|(?<![以早晚路网线马桌])上|(?<![以线楼如])下|本|这)"
_UNITS_ZH = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_DAY_WORDS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "昨儿": -1,
    "今天": 0, "今日": 0, "今早": 0, "今晨": 0, "今晚": 0, "今夜": 0, "今儿": 0,
    "明天": 1, "明日": 1, "明早": 1, "明晨": 1, "明晚": 1, "明儿": 1, "后天": 2, "大后天": 3,
    "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1,
}  # fmt: skip

_WEEK = r"(?:周|星期|礼拜)"
_WEEKDAYS = {c: i for i, c in enumerate("一二三四五六")} | {"日": 6, "天": 6}
# 周三次, 周一直, 周日常: the numeral belongs to what follows; 周三天气 is Wednesday's weather.
_WEEKDAY = (
    r"(?P<weekday>[一二三四五六](?![个次篇条遍回趟顿倍成百千万十])(?!天(?!气))(?<!一(?=[直起样共定般些切句]))"
    r"|日(?![常志程])|(?<!周)天)"
)

_PARTS_OF_MONTH = {"初": (1, 10), "上旬": (1, 10), "中旬": (11, 20), "下旬": (21, 0), "底": (21, 0), "末": (21, 0)}
_MONTH_ZH = rf"(?P<month>{_CN_12})月(?!天)"
_PART_OR_DAY = (
    rf"(?:(?P<day>{_CN_31})(?:[日号](?!线)|(?<=\d)(?![\d.:点时年个万千百亿%条次元块天]))"
    r"|月?份?(?P<part>上旬|中旬|下旬|初|底|末)|份)?+"
    r"(?(day)|(?![之以]?前))"
)

# Fixed days only; 国庆, 五一 and 十一 as the days off that people mean by them.
_HOLIDAYS_ZH = {
    "元旦": ((1, 1), (1, 1)), "情人节": ((2, 14), (2, 14)), "妇女节": ((3, 8), (3, 8)), "植树节": ((3, 12), (3, 12)),
    "愚人节": ((4, 1), (4, 1)), "劳动节": ((5, 1), (5, 1)), "五一": ((5, 1), (5, 5)), "青年节": ((5, 4), (5, 4)),
    "儿童节": ((6, 1), (6, 1)), "六一": ((6, 1), (6, 1)), "建党节": ((7, 1), (7, 1)), "建军节": ((8, 1), (8, 1)),
    "教师节": ((9, 10), (9, 10)), "国庆": ((10, 1), (10, 7)), "十一": ((10, 1), (10, 7)),
    "万圣节": ((10, 31), (10, 31)), "双十一": ((11, 11), (11, 11)), "双11": ((11, 11), (11, 11)),
    "光棍节": ((11, 11), (11, 11)), "双十二": ((12, 12), (12, 12)), "平安夜": ((12, 24), (12, 24)),
    "圣诞": ((12, 25), (12, 25)), "跨年夜": ((12, 31), (12, 31)),
}  # fmt: skip
_NAMES_ZH = "(?P<holiday>" + "|".join(sorted(_HOLIDAYS_ZH, key=len, reverse=True)) + ")(?:节|假期|长假)?"
# Alone, 十一 is eleven and 五一 a street.
_ALONE_ZH = (
    r"(?P<holiday>"
    + "|".join(
        name + (r"(?=节|劳动节|假期|长假|放假|期间|那天)" if name in ("五一", "六一", "十一") else "")
        for name in sorted(_HOLIDAYS_ZH, key=len, reverse=True)
    )
    + r")(?:劳动节|儿童节|节|假期|长假)?(?!快乐|老人|树|帽|歌)"
)


def _month_and_day(year: int, month: int, day: str | None, part: str | None, *, relative: bool) -> _Days:
    if day:
        return _one(date(year, month, _number(day)), relative=relative)
    days = _month(year, month, relative=relative)
    if not part:
        return days
    first, last = _PARTS_OF_MONTH[part]
    return _Days(days.first.replace(day=first), days.first.replace(day=last) if last else days.last, relative)


def _read_year_zh(match: re.Match[str], now: _Now) -> _Days:
    year, relative = _year(match["year"], now), match["year"] in _YEAR_WORDS
    if match["season"]:
        return _season(year, _SEASONS_ZH[match["season"]])
    if match["holiday"]:
        return _holiday(year, _HOLIDAYS_ZH[match["holiday"]])
    if match["month"]:
        return _month_and_day(year, _number(match["month"]), match["day"], match["part"], relative=relative)
    return _Days(date(year, 1, 1), date(year, 12, 31), relative)


def _read_short_year_zh(match: re.Match[str], now: _Now) -> _Days:
    year = 2000 + int(match["year"])
    return _month_and_day(year, _number(match["month"]), match["day"], match["part"], relative=False)


def _read_month_zh(match: re.Match[str], now: _Now) -> _Days | None:
    month = _number(match["month"])
    return _without_year(now, lambda y: _month_and_day(y, month, match["day"], match["part"], relative=False))


def _read_step_month_zh(match: re.Match[str], now: _Now) -> _Days:
    first = _month(now.today.year, now.today.month + _STEPS[match["step"]], relative=True).first
    return _month_and_day(first.year, first.month, match["day"], match["part"], relative=True)


def _read_step_week_zh(match: re.Match[str], now: _Now) -> _Days:
    offset = _STEPS[match["step"]]
    if match["end"]:
        return _weekend(now, offset)
    week = _week(now, offset)
    return _one(week.first + timedelta(days=_WEEKDAYS[match["weekday"]])) if match["weekday"] else week


def _read_weekday_zh(match: re.Match[str], now: _Now) -> _Days:
    return _bare_weekday(now, _WEEKDAYS[match["weekday"]])


def _read_bare_weekend(_: re.Match[str], now: _Now) -> _Days:
    return _weekend(now, -1 if now.prefer_past and now.today.weekday() < 5 else 0)


def _read_count_zh(match: re.Match[str], now: _Now) -> _Days:
    count = _number(match["count"])
    return _ago(now, count if match["way"] == "前" else -count, _UNITS_ZH[match["unit"]])


def _read_half_zh(match: re.Match[str], now: _Now) -> _Days:
    sign = 1 if match["way"] == "前" else -1
    return _ago(now, 6 * sign, "month") if match["unit"] == "年" else _ago(now, 2 * sign, "week")


def _days_back(first: int, last: int) -> _Reader:
    return lambda _, now: _Days(_days_after(now, -first), _days_after(now, -last))


def _read_day_word(match: re.Match[str], now: _Now) -> _Days:
    return _one(_days_after(now, _DAY_WORDS[match["word"]]))


def _read_holiday_zh(match: re.Match[str], now: _Now) -> _Days | None:
    return _without_year(now, lambda year: _holiday(year, _HOLIDAYS_ZH[match["holiday"]]), _RECENT_HOLIDAY_DAYS)


def _holiday(year: int, days: tuple[tuple[int, int], tuple[int, int]]) -> _Days:
    return _Days(date(year, *days[0]), date(year, *days[1]))


# ---------------------------------------------------------------- digits

_SLASH_CUE = re.compile(r"(?:\b(?:on|by|since|until|till|due|before|after):? |[在于] ?|(?:截止|日期):? ?)\Z")


def _read_numeric(match: re.Match[str], now: _Now) -> _Days:
    return _month_and_day(int(match["year"]), int(match["month"]), match["day"], None, relative=False)


def _read_slash(match: re.Match[str], now: _Now) -> _Days | None:
    """5/22; but 1/2 is a half unless something before it says date."""
    month, day = int(match["month"]), int(match["day"])
    if day <= 12 and not _SLASH_CUE.search(_ahead(match)):
        return None
    return _without_year(now, lambda year: _one(date(year, month, day), relative=False))


def _ahead(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 12) : match.start()]


# ---------------------------------------------------------------- English


def _names(*lines: str) -> dict[str, int]:
    return {name: i for i, line in enumerate(lines) for name in line.split()}


def _one_of(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_END = r"(?![a-z0-9_]|[.@][a-z0-9])"
_YEAR_EN = r"(?P<year>(?:19|20)\d\d)(?!\d|[.:/-]\d)"
_WEEKDAYS_EN = _names(
    "monday mon", "tuesday tues tue", "wednesday weds wed", "thursday thurs thur thu", "friday fri", "saturday sat",
    "sunday sun",
)  # fmt: skip
_WHOLE_WEEKDAY = "(?P<weekday>" + "|".join(name for name in _WEEKDAYS_EN if name.endswith("day")) + ")"
_MONTHS_EN = _names(
    "", "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
_MONTH_EN = rf"(?P<month>{_one_of(_MONTHS_EN)})(?![a-z])(?:\.(?= \d))?"
_DATE_AHEAD = rf",? (?:\d\d?(?:st|nd|rd|th)? )?(?:{_one_of(_MONTHS_EN)}){_END}"
_SEASONS_EN = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_STEPS_EN = {"last": -1, "this past": -1, "this": 0, "next": 1}
_STEP_EN = rf"(?P<step>{_one_of(_STEPS_EN)}) "
_HOLIDAYS_EN = {
    "new years eve": (12, 31), "new years day": (1, 1), "valentines day": (2, 14), "halloween": (10, 31),
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
}  # fmt: skip
_MONTH_CUE = re.compile(r"\b(?:in|during|since|until|till|by|of|early|late|mid)[ -]\Z")
_SURE_CUE = re.compile(r"\b(?:in|during|since)[ -]\Z")
_YEAR_CUE = re.compile(r"\b(?:in|during|since) \Z")
_NO_DAY = re.compile(r"\b(?:every|each|good|black) \Z")


def _is_a_name(match: re.Match[str], now: _Now, group: str) -> bool:
    """Whether it can only be the name: "May" and "Fri" are, "may", "march" and "wed" are verbs first."""
    return match[group] not in ("may", "march", "mar") or now.text[match.start(group)].isupper()


def _read_step_unit_en(match: re.Match[str], now: _Now) -> _Days | None:
    step, unit = _STEPS_EN[match["step"]], match["unit"]
    if unit == "weekend":
        return _weekend(now, step)
    if unit == "night":
        return _one(_days_after(now, -1)) if step == -1 else None
    if unit in ("morning", "afternoon", "evening"):
        return _one(now.today) if step == 0 else None
    return _ago(now, -step, unit)


def _read_step_weekday_en(match: re.Match[str], now: _Now) -> _Days:
    """ "Last Wednesday" is the one before today; "this" and "next" go by the calendar week."""
    weekday, step = _WEEKDAYS_EN[match["weekday"]], _STEPS_EN[match["step"]]
    if step == -1:
        return _one(_days_after(now, -((now.today.weekday() - weekday - 1) % 7 + 1)))
    return _one(now.monday + timedelta(weeks=step, days=weekday))


def _by_step(now: _Now, step: str, read: Callable[[int], _Days]) -> _Days:
    """The last one that is over, this year's, or the next to begin after it."""
    year = now.today.year
    if _STEPS_EN[step] == -1:
        return next(days for y in (year, year - 1, year - 2) if (days := read(y)).last < now.today)
    return read(year + _STEPS_EN[step])


def _read_step_season_en(match: re.Match[str], now: _Now) -> _Days:
    return _by_step(now, match["step"], lambda year: _season(year, _SEASONS_EN[match["season"]]))


def _read_step_month_en(match: re.Match[str], now: _Now) -> _Days | None:
    if not _is_a_name(match, now, "month"):
        return None
    return _by_step(now, match["step"], lambda year: _month(year, _MONTHS_EN[match["month"]], relative=True))


def _read_season_of_year_en(match: re.Match[str], now: _Now) -> _Days:
    days = _season(int(match["year"]), _SEASONS_EN[match["season"]])
    return _Days(days.first, days.last, relative=False)


def _read_before_last(match: re.Match[str], now: _Now) -> _Days:
    return _weekend(now, -2) if match["unit"] == "weekend" else _ago(now, 2, match["unit"])


def _read_beyond(match: re.Match[str], now: _Now) -> _Days | None:
    """The day before yesterday, the day after tomorrow."""
    days = {"before yesterday": -2, "after tomorrow": 2}
    return _one(_days_after(now, days[match["which"]]))


def _read_weekday_en(match: re.Match[str], now: _Now) -> _Days | None:
    if _NO_DAY.search(_ahead(match)):
        return None
    weekday = _WEEKDAYS_EN[match["weekday"]]
    if match["step"]:
        return _one(now.monday + timedelta(weeks=_STEPS_EN[match["step"]], days=weekday))
    return _bare_weekday(now, weekday)


def _read_short_weekday_en(match: re.Match[str], now: _Now) -> _Days | None:
    if not now.text[match.start()].isupper() or _NO_DAY.search(_ahead(match)):
        return None
    return _bare_weekday(now, _WEEKDAYS_EN[match["weekday"]])


def _read_count_en(match: re.Match[str], now: _Now) -> _Days:
    count = _number(match["count"])
    return _ago(now, count if match["way"] == "ago" else -count, match["unit"])


def _read_date_en(match: re.Match[str], now: _Now) -> _Days | None:
    month, day = _MONTHS_EN[match["month"]], int(match["day"])
    if match["year"]:
        return _one(date(int(match["year"]), month, day), relative=False)
    if not match["ordinal"] and not _is_a_name(match, now, "month"):
        return None
    return _without_year(now, lambda year: _one(date(year, month, day), relative=False))


def _read_month_en(match: re.Match[str], now: _Now) -> _Days | None:
    month, ahead = _MONTHS_EN[match["month"]], _ahead(match)
    if match["year"]:
        return _month(int(match["year"]), month, relative=False)
    if not _MONTH_CUE.search(ahead) or not (_is_a_name(match, now, "month") or _SURE_CUE.search(ahead)):
        return None
    return _without_year(now, lambda year: _month(year, month, relative=False))


def _read_year_en(match: re.Match[str], now: _Now) -> _Days | None:
    year = int(match["year"])
    if year > now.today.year + 10 or not _YEAR_CUE.search(_ahead(match)):
        return None
    return _Days(date(year, 1, 1), date(year, 12, 31), relative=False)


def _read_holiday_en(match: re.Match[str], now: _Now) -> _Days | None:
    month, day = _HOLIDAYS_EN[match["holiday"].replace("'", "")]
    if match["year"]:
        return _one(date(int(match["year"]), month, day), relative=False)
    if match["step"]:
        return _by_step(now, match["step"], lambda year: _one(date(year, month, day)))
    return _without_year(now, lambda year: _one(date(year, month, day)), _RECENT_HOLIDAY_DAYS)


# ---------------------------------------------------------------- the table


@dataclass(frozen=True, slots=True)
class _Rule:
    starts: str
    pattern: re.Pattern[str]
    read: _Reader


def _rule(starts: str, pattern: str, read: _Reader) -> _Rule:
    return _Rule(starts, re.compile(pattern), read)


_DIGIT_STARTS = "0123456789"
_NUMBER_STARTS = _DIGIT_STARTS + "一二两三四五六七八九十"
_MONTH_STARTS = "jfmasond"
_NO_NAME = r"(?<![a-z0-9_./-])"
_DAY_31 = r"(?P<day>3[01]|[12]\d|0?[1-9])"
_NOT_COUNTED = rf"(?<![\d.{_CN}第月])"
_BACK_OR_AHEAD = r"[之以]?(?P<way>前(?![端面言台后提景天])|后(?![端台面悔续勤天期方]))"

# Tried in this order where one of the first characters stands; the first that reads a date wins.
_RULES = (
    _rule(
        "大前去今明后12一二",
        rf"{_YEAR_ZH}(?:的?(?:{_MONTH_ZH}{_PART_OR_DAY}"
        rf"|(?P<season>[春夏秋冬])(?![节至奥威令分])[天季]?|{_NAMES_ZH}))?+(?(month)|(?!的?{_CN_12}月))(?![之以]?前(?!天))",
        _read_year_zh,
    ),
    _rule(_DIGIT_STARTS, rf"(?<![\d.])(?P<year>\d\d)年{_MONTH_ZH}{_PART_OR_DAY}", _read_short_year_zh),
    _rule(
        _NUMBER_STARTS,
        rf"(?<![\d.{_CN}第个每])(?<!\d年)(?<!每年)(?<!每年的)(?<![农阴]历){_MONTH_ZH}{_PART_OR_DAY}",
        _read_month_zh,
    ),
    _rule("上下这本", rf"{_STEP}(?:一?个)?月(?![饼球亮刊]){_PART_OR_DAY}", _read_step_month_zh),
    _rule(
        "上下这本",
        rf"{_STEP}(?:一?个|一)?{_WEEK}(?:(?P<end>末)(?!考)|{_WEEKDAY})?(?![期围边年刊])",
        _read_step_week_zh,
    ),
    _rule("周星礼", rf"(?<![每逢各隔单双半个几第{_CN}]){_WEEK}{_WEEKDAY}", _read_weekday_zh),
    _rule("周", rf"(?<![每逢各隔单双个几第{_CN}])周末(?!考)", _read_bare_weekend),
    _rule(
        "大前昨今明后",
        r"(?P<word>大前天|大后天|(?<![以之提目])前天|昨[天日晚夜儿]|今[天日早晨晚夜儿](?!头条)|明[天日早晨晚儿](?!方舟)"
        r"|(?<![以之然最])后天)",
        _read_day_word,
    ),
    _rule(
        _NUMBER_STARTS,
        rf"{_NOT_COUNTED}(?P<count>{_COUNT})个?(?P<unit>(?<=个)月|天|日|周|星期|礼拜|年){_BACK_OR_AHEAD}",
        _read_count_zh,
    ),
    _rule("半", rf"(?<![个年天])半个?(?P<unit>(?<=个)月|(?<=半)年){_BACK_OR_AHEAD}", _read_half_zh),
    _rule("几", r"(?<!十)几天[之以]?前(?![端面天])", _days_back(7, 2)),
    _rule("前", r"(?<![以之提目])前[几些](?:天|日子?)", _days_back(7, 2)),
    _rule("前", r"(?<![以之提目])前两天", _days_back(2, 1)),
    _rule("".join({name[0] for name in _HOLIDAYS_ZH}), rf"(?<![{_CN}\d]){_ALONE_ZH}", _read_holiday_zh),
    _rule(
        _DIGIT_STARTS,
        rf"{_NO_NAME}(?P<year>(?:19|20)\d\d)(?P<mark>[-/])(?P<month>1[0-2]|0?[1-9])(?P=mark){_DAY_31}"
        r"(?![\d/_]|-[\da-z]|\.[\da-z])",
        _read_numeric,
    ),
    _rule(
        _DIGIT_STARTS,
        rf"{_NO_NAME}(?P<year>(?:19|20)\d\d)-(?P<month>1[0-2]|0[1-9])(?P<day>(?!))?(?![\da-z/_-]|\.\d)",
        _read_numeric,
    ),
    _rule(_DIGIT_STARTS, rf"{_NO_NAME}(?P<month>1[0-2]|0?[1-9])/{_DAY_31}(?![\da-z/_%-]|\.\d)", _read_slash),
    _rule("td", rf"(?:the )?day (?P<which>before yesterday|after tomorrow){_END}", _read_beyond),
    _rule("yt", rf"(?P<word>yesterday|today|tonight|tomorrow){_END}", _read_day_word),
    _rule(
        "ltn",
        rf"{_STEP_EN}(?P<unit>weekend|week|month|year|night|morning|afternoon|evening){_END}(?! of )",
        _read_step_unit_en,
    ),
    _rule("ltn", rf"{_STEP_EN}{_WHOLE_WEEKDAY}{_END}(?!{_DATE_AHEAD})", _read_step_weekday_en),
    _rule(
        "ln", rf"(?P<step>last|next) (?P<weekday>{_one_of(_WEEKDAYS_EN)}){_END}(?!{_DATE_AHEAD})", _read_step_weekday_en
    ),
    _rule("ltn", rf"{_STEP_EN}(?P<season>{_one_of(_SEASONS_EN)}){_END}", _read_step_season_en),
    _rule("ltn", rf"{_STEP_EN}{_MONTH_EN}{_END}", _read_step_month_en),
    _rule("safw", rf"(?P<season>{_one_of(_SEASONS_EN)})(?: of)? {_YEAR_EN}{_END}", _read_season_of_year_en),
    _rule("twmy", rf"(?:the )?(?P<unit>weekend|week|month|year) before last{_END}", _read_before_last),
    _rule("mtwfs", rf"{_WHOLE_WEEKDAY}(?: (?P<step>last|this|next) week)?{_END}", _read_weekday_en),
    _rule("mtwf", rf"(?P<weekday>mon|tues|tue|weds|wed|thurs|thur|thu|fri){_END}", _read_short_weekday_en),
    _rule(
        "s",
        rf"(?P<weekday>sat|sun)(?={_DATE_AHEAD})",
        _read_short_weekday_en,
    ),
    _rule(
        _DIGIT_STARTS + "acotfsen",
        rf"(?<![\d.:/-])(?P<count>\d{{1,3}}|{_one_of(_NUMBERS)}) (?P<unit>day|week|month|year)s?"
        rf" (?P<way>ago|from now){_END}",
        _read_count_en,
    ),
    _rule("h", rf"half a year ago{_END}", lambda _, now: _ago(now, 6, "month")),
    _rule("a", rf"a few days ago{_END}", _days_back(7, 2)),
    _rule(
        _MONTH_STARTS,
        rf"{_MONTH_EN} (?P<day>\d\d?)(?P<ordinal>st|nd|rd|th)?(?:,? {_YEAR_EN})?(?![\da-z%_]|[.:/]\d)",
        _read_date_en,
    ),
    _rule(
        _DIGIT_STARTS,
        rf"(?<![\d.:/-])(?P<day>\d\d?)(?P<ordinal>st|nd|rd|th)?(?: of)? {_MONTH_EN}(?:,? {_YEAR_EN})?{_END}",
        _read_date_en,
    ),
    _rule(_MONTH_STARTS, rf"{_MONTH_EN}(?:,?(?: of)? {_YEAR_EN})?{_END}", _read_month_en),
    _rule(_DIGIT_STARTS, rf"{_NO_NAME}{_YEAR_EN}(?![a-z_%年月])", _read_year_en),
    _rule(
        "ltnvhcb",
        rf"(?:(?P<step>last|this|next) )?(?P<holiday>new year'?s (?:eve|day)|valentine'?s day|halloween"
        rf"|christmas(?: eve| day)?|boxing day)(?: {_YEAR_EN})?{_END}",
        _read_holiday_en,
    ),
)
_RULES_BY_START: dict[str, Sequence[_Rule]] = {
    start: [rule for rule in _RULES if start in rule.starts] for start in sorted({c for r in _RULES for c in r.starts})
}
_START = re.compile(
    rf"(?<![a-z0-9_@#./'-])[a-z]|(?<!\d)\d|(?<![{_CN}])[{_CN}]"
    "|[" + "".join(c for c in _RULES_BY_START if not c.isascii() and c not in _CN) + "]"
)
