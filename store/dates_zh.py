"""The Chinese words for days: 上周三, 去年夏天, 三天前, 5月22号, 2023年国庆.

A word that can be something else (三月天, 5月前, 一周三次, 周三次) is left alone. The look-arounds are what people
write around such words all day; each has a sentence in the tests.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from store.dates_words import (
    COUNT_ZH,
    NUMERALS,
    UNIT_ZH,
    UNITS_ZH,
    YEAR_WORDS_ZH,
    YEAR_ZH,
    YEAR_ZH_STARTS,
    number_zh,
    year_zh,
)
from store.days import (
    RECENT_HOLIDAY_DAYS,
    Days,
    Now,
    Rule,
    ago,
    bare_weekday,
    bare_weekend,
    begun,
    days_after,
    days_back,
    month_of,
    one_day,
    season_of,
    week,
    weekend,
    without_year,
    year_of,
)

_CN_12 = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_CN_31 = r"(?:[12]\d|3[01]|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_TO = r"(?:[到至]|[-~–—]{1,2})"

_SEASONS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
# 以上, 早上, 线下 end in a step that is none.
_STEP = r"(?P<step>上上|下下|(?<![以早晚路网线马桌])上|(?<![以线楼如])下|本|这)"
_DAY_WORDS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "昨儿": -1,
    "今天": 0, "今日": 0, "今早": 0, "今晨": 0, "今晚": 0, "今夜": 0, "今儿": 0,
    "明天": 1, "明日": 1, "明早": 1, "明晨": 1, "明晚": 1, "明儿": 1, "后天": 2, "大后天": 3,
}  # fmt: skip

_WEEK = r"(?:周|星期|礼拜)"
_WEEKDAYS = {c: i for i, c in enumerate("一二三四五六")} | {"日": 6, "天": 6}
# 周三次, 周一直, 周日常: the numeral belongs to what follows; 周三天气 is Wednesday's weather.
_WEEKDAY = (
    r"(?P<weekday>[一二三四五六](?![个次篇条遍回趟顿倍成百千万十])(?!天(?!气))(?<!一(?=[直起样共定般些切句]))"
    r"|日(?![常志程])|(?<!周)天)"
)

_TO_WEEKDAY = r"(?:[到至](?P<until>[二三四五六日])(?![点时个次号月十百千万]))?"
_NOT_EVERY = rf"(?<![每逢各隔单双半个几第{NUMERALS}])" + "".join(
    rf"(?<![每逢]{week_word}[一二三四五六][到至和与跟、])" for week_word in ("周", "星期", "礼拜")
)

_PARTS_OF_MONTH = {"初": (1, 10), "上旬": (1, 10), "中旬": (11, 20), "下旬": (21, 0), "底": (21, 0), "末": (21, 0)}
# 3到5月 and 5月1日到3日 say the month once for both ends.
_MONTH = rf"(?:(?P<since>{_CN_12})(?: ?月份?)? ?{_TO} ?)?(?P<month>{_CN_12}) ?月(?!天)"
_PART_OR_DAY = (
    rf"(?: ?(?P<day>{_CN_31})(?: ?[日号](?!线)|(?:(?<=月\d)|(?<=月\d\d))(?! ?[\d.:点时年个万千百亿%条次元块天]))"
    rf"(?:(?: ?{_TO} ?|[和与](?={_CN_31}[日号](?:之间|期间)))(?P<until>{_CN_31}) ?[日号](?![线楼门机馆院]))?"
    r"|月?份?(?P<part>上旬|中旬|下旬|初|底|末)|份?)?+"
    r"(?(day)|(?!前))"
)

# Fixed days only; 国庆, 五一 and 十一 as the days off that people mean by them.
_HOLIDAYS = {
    "元旦": ((1, 1), (1, 1)), "情人节": ((2, 14), (2, 14)), "妇女节": ((3, 8), (3, 8)), "植树节": ((3, 12), (3, 12)),
    "愚人节": ((4, 1), (4, 1)), "劳动节": ((5, 1), (5, 1)), "五一": ((5, 1), (5, 5)), "青年节": ((5, 4), (5, 4)),
    "儿童节": ((6, 1), (6, 1)), "六一": ((6, 1), (6, 1)), "建党节": ((7, 1), (7, 1)), "建军节": ((8, 1), (8, 1)),
    "教师节": ((9, 10), (9, 10)), "国庆": ((10, 1), (10, 7)), "十一": ((10, 1), (10, 7)),
    "万圣节": ((10, 31), (10, 31)), "双十一": ((11, 11), (11, 11)), "双11": ((11, 11), (11, 11)),
    "光棍节": ((11, 11), (11, 11)), "双十二": ((12, 12), (12, 12)), "平安夜": ((12, 24), (12, 24)),
    "圣诞": ((12, 25), (12, 25)), "跨年夜": ((12, 31), (12, 31)),
}  # fmt: skip
_NAMES = "(?P<holiday>" + "|".join(sorted(_HOLIDAYS, key=len, reverse=True)) + ")(?:节|假期|长假)?"
# Alone, 十一 is eleven and 五一 a street.
_ALONE = (
    r"(?P<holiday>"
    + "|".join(
        name + (r"(?=节|劳动节|假期|长假|放假|期间|那天)" if name in ("五一", "六一", "十一") else "")
        for name in sorted(_HOLIDAYS, key=len, reverse=True)
    )
    + r")(?:劳动节|儿童节|节|假期|长假)?(?!快乐|老人|树|帽|歌)"
)


def _in_year(match: re.Match[str], year: int, *, relative: bool) -> Days:
    """What `_MONTH` and `_PART_OR_DAY` have matched, in this year."""
    month = number_zh(match["month"])
    days = _in_month(match, month_of(year, month, relative=relative))
    if not match["since"]:
        return days
    if match["day"] or match["part"]:
        raise ValueError(match[0])
    since = number_zh(match["since"])
    return Days(month_of(year - (since > month), since, relative=relative).first, days.last, relative, ends=True)


def _in_month(match: re.Match[str], days: Days) -> Days:
    if match["day"]:
        first = days.first.replace(day=number_zh(match["day"]))
        if not match["until"]:
            return one_day(first, relative=days.relative)
        last = first.replace(day=number_zh(match["until"]))
        return Days(first, last, days.relative, ends=True) if first < last else one_day(first, relative=days.relative)
    if not match["part"]:
        return days
    start, end = _PARTS_OF_MONTH[match["part"]]
    return Days(days.first.replace(day=start), days.first.replace(day=end) if end else days.last, days.relative)


def _read_year(match: re.Match[str], now: Now) -> Days:
    year, relative = year_zh(match["year"], now), match["year"] in YEAR_WORDS_ZH
    if match["season"]:
        return season_of(year, _SEASONS[match["season"]])
    if match["holiday"]:
        return _holiday(year, _HOLIDAYS[match["holiday"]])
    if match["month"]:
        return _in_year(match, year, relative=relative)
    return year_of(year, relative=relative)


def _read_years(match: re.Match[str], now: Now) -> Days | None:
    """2021到2023年."""
    since, until = number_zh(match["since"]), number_zh(match["until"])
    return Days(date(since, 1, 1), date(until, 12, 31), relative=False, ends=True) if since < until else None


def _read_short_year(match: re.Match[str], now: Now) -> Days:
    return _in_year(match, 2000 + int(match["year"]), relative=False)


def _read_month(match: re.Match[str], now: Now) -> Days | None:
    return without_year(now, lambda year: _in_year(match, year, relative=False))


def _read_step_month(match: re.Match[str], now: Now) -> Days:
    return _in_month(match, ago(now, -_STEPS[match["step"]], "month"))


def _read_step_quarter(match: re.Match[str], now: Now) -> Days:
    return ago(now, -_STEPS[match["step"]], "quarter")


def _read_step_week(match: re.Match[str], now: Now) -> Days:
    offset = _STEPS[match["step"]]
    if match["end"]:
        return weekend(now, offset)
    days = week(now, offset)
    if not match["weekday"]:
        return days
    return _to_weekday(match, one_day(days.first + timedelta(days=_WEEKDAYS[match["weekday"]])))


def _read_weekday(match: re.Match[str], now: Now) -> Days:
    days = _to_weekday(match, bare_weekday(now, _WEEKDAYS[match["weekday"]]))
    return begun(days, now) if days.ends else days


def _to_weekday(match: re.Match[str], days: Days) -> Days:
    """周一到五 says 周 once for both ends."""
    if not match["until"]:
        return days
    more = (_WEEKDAYS[match["until"]] - days.first.weekday()) % 7
    return Days(days.first, days.first + timedelta(days=more), ends=True)


def _read_weekend(_: re.Match[str], now: Now) -> Days:
    return bare_weekend(now)


def _read_count(match: re.Match[str], now: Now) -> Days | None:
    """三天前; 两三天前 and 2-3天前 are days between the two."""
    if match["more"] and len(match["count"]) > 1 and not match["count"].isdecimal():
        return None
    sign, unit = 1 if match["way"] == "前" else -1, UNITS_ZH[match["unit"]]
    days = ago(now, sign * number_zh(match["count"]), unit)
    if not match["more"]:
        return days
    more = ago(now, sign * number_zh(match["more"].lstrip("-~–—到至")), unit)
    return Days(min(days.first, more.first), max(days.last, more.last))


def _read_half(match: re.Match[str], now: Now) -> Days:
    sign = 1 if match["way"] == "前" else -1
    return ago(now, 6 * sign, "month") if match["unit"] == "年" else ago(now, 2 * sign, "week")


def _read_day_word(match: re.Match[str], now: Now) -> Days:
    return one_day(days_after(now, _DAY_WORDS[match["word"]]))


def _read_holiday(match: re.Match[str], now: Now) -> Days | None:
    return without_year(now, lambda year: _holiday(year, _HOLIDAYS[match["holiday"]]), RECENT_HOLIDAY_DAYS)


def _holiday(year: int, days: tuple[tuple[int, int], tuple[int, int]]) -> Days:
    return Days(date(year, *days[0]), date(year, *days[1]))


_DIGIT_STARTS = "0123456789"
_NUMBER_STARTS = _DIGIT_STARTS + "一二两三四五六七八九十"
_NOT_COUNTED = rf"(?<![\d.{NUMERALS}第月])"
_BACK_OR_AHEAD = r"[之以]?(?P<way>前(?![端面言台后提景天])|后(?![端台面悔续勤天期方]))"

RULES = (
    Rule("12", rf"(?<![\d.:/-])(?P<since>(?:19|20)\d\d){_TO}(?P<until>(?:19|20)\d\d)年(?![代级])", _read_years),
    Rule(
        YEAR_ZH_STARTS,
        rf"{YEAR_ZH}(?: ?的? ?(?:{_MONTH}{_PART_OR_DAY}"
        rf"|(?P<season>[春夏秋冬])(?![节至奥威令分])[天季]?|{_NAMES}))?+(?(month)|(?! ?的? ?{_CN_12} ?月))(?!前(?!天))",
        _read_year,
    ),
    Rule(_DIGIT_STARTS, rf"(?<![\d.])(?P<year>\d\d) ?年 ?{_MONTH}{_PART_OR_DAY}", _read_short_year),
    Rule(
        _NUMBER_STARTS,
        rf"(?<![\d.{NUMERALS}第个每])(?<![\d第个每] )(?<!\d年)(?<!\d年 )(?<!\d 年 )(?<!每年)(?<!每年的)(?<![农阴]历){_MONTH}{_PART_OR_DAY}",
        _read_month,
    ),
    Rule("上下这本", rf"{_STEP}(?:一?个)?月(?![饼球亮刊]){_PART_OR_DAY}", _read_step_month),
    Rule("上下这本", rf"{_STEP}(?:一?个|一)?季度", _read_step_quarter),
    Rule(
        "上下这本",
        rf"{_STEP}(?:一?个|一)?{_WEEK}(?:(?P<end>末)(?!考)|{_WEEKDAY}{_TO_WEEKDAY})?(?![期围边年刊])",
        _read_step_week,
    ),
    Rule("周星礼", rf"{_NOT_EVERY}{_WEEK}{_WEEKDAY}{_TO_WEEKDAY}", _read_weekday),
    Rule("周", rf"(?<![每逢各隔单双个几第{NUMERALS}])周末(?!考)", _read_weekend),
    Rule(
        "大前昨今明后",
        r"(?P<word>大前天|大后天|(?<![以之提目])前天|昨[天日晚夜儿]|今[天日早晨晚夜儿](?!头条)|明[天日早晨晚儿](?!方舟)"
        r"|(?<![以之然最])后天)",
        _read_day_word,
    ),
    Rule(
        _NUMBER_STARTS,
        rf"{_NOT_COUNTED}(?P<count>{COUNT_ZH})(?P<more>[二三四五六七八九]|{_TO}\d{{1,2}})?"
        rf" ?个?{UNIT_ZH}{_BACK_OR_AHEAD}",
        _read_count,
    ),
    Rule("半", rf"(?<![个年天])半个?(?P<unit>(?<=个)月|(?<=半)年){_BACK_OR_AHEAD}", _read_half),
    Rule("几", r"(?<!十)几天[之以]?前(?![端面天])", days_back(7, 2)),
    Rule("前", r"(?<![以之提目节庆日号])前[几些](?:天|日子?)", days_back(7, 2)),
    Rule("前", r"(?<![以之提目节庆日号])前两天", days_back(2, 1)),
    Rule("".join({name[0] for name in _HOLIDAYS}), rf"(?<![{NUMERALS}\d]){_ALONE}", _read_holiday),
)
