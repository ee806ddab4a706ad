"""When a sentence wants to be heard of again: 明天早上9点, 20分钟后, tomorrow at 9, in half an hour. Pure.

`store.dates` reads the day, this file the time of day beside it. What stands apart from the time is part of the words
themselves: in “at 9 send the Friday report” Friday is no day to wait for. A bare 5 is the next 5 o'clock at which
people are awake; two digits before a colon, am, 早上 and the like say which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from bot.phrases.scan import Meter
from scheduler.recurring import Rule, first_wall
from store.dates import find_dates, no_such_day, recurs
from store.dates_words import NUMERALS, number_zh

CHARACTERS_MAX = 400
"""Further in, a time is part of a story."""
AWAKE = range(7, 23)
"""The hours that a bare 5 may mean."""
MINUTES_MAX = 60 * 24 * 366


@dataclass(frozen=True, slots=True)
class At:
    """On this wall clock. `rest`: the sentence without what names the time."""

    wall: datetime
    rest: str


@dataclass(frozen=True, slots=True)
class In:
    """So many minutes from now."""

    minutes: int
    rest: str


@dataclass(frozen=True, slots=True)
class NoTime:
    """No time of day is named; perhaps a day is."""

    day: date | None = None


@dataclass(frozen=True, slots=True)
class Impossible:
    """`words` name a time or a day that no clock or calendar has."""

    words: str


@dataclass(frozen=True, slots=True)
class Past:
    wall: datetime


@dataclass(frozen=True, slots=True)
class Again:
    """Not once, but whenever `rule` holds; `wall`: the first time."""

    rule: Rule
    wall: datetime
    rest: str


@dataclass(frozen=True, slots=True)
class Recurring:
    """Again and again, but by no rule that is known, or at no time of day."""


When = At | Again | In | NoTime | Impossible | Past | Recurring


def read_when(text: str, now: datetime, day: date | None = None, held: tuple[Rule, time] | None = None) -> When:
    """`now`: the wall clock where the person is, without a zone. `day`: the one meant where the words name none.

    `held`: a rule and its time of day, which stays a rule where the words name another time of day and nothing else.
    """
    same = Meter().fold(text[:CHARACTERS_MAX])
    span = next(iter(_SPAN_ZH.finditer(same)), None) or next(iter(_SPAN_EN.finditer(same)), None)
    if every := _every(same):
        return _again(text, same, every, now)
    if span is not None and (minutes := _minutes(span)):
        return In(minutes, _without(text, [(span.start(), span.end())]))
    if words := no_such_day(text[:CHARACTERS_MAX]):
        return Impossible(words)
    days = [_Day(one.start, one.end, one.first, one.last, one.words, weekly=recurs(one)) for one in find_dates(text[:CHARACTERS_MAX], now.date(), prefer_past=False)]  # fmt: skip
    clocks = list(_clocks(_masked(same, days)))
    if not clocks:
        return NoTime(_only(days))
    clock, chosen, spans = _together(same, clocks, days)
    if chosen is not None and chosen.first != chosen.last:
        return NoTime()
    clock = clock.in_the(_part_in(chosen.words) if chosen else "")
    if clock.minute is None:
        return Impossible(text[clock.start : clock.end].strip())
    if held is not None and chosen is None and day is None:
        return Again(held[0], _first(held[0], _same_half(clock, held[1]), now), _without(text, spans))
    wanted = chosen.first if chosen else day
    found = _moment(clock, wanted, now, weekly=chosen is not None and chosen.weekly)
    return At(found, _without(text, spans)) if found > now else Past(found)


def clock_in(text: str) -> tuple[time, str] | None:
    """The one time of day that `text` names, on any day, and the words around it; None for none, several, or no such time."""
    same = Meter().fold(text[:CHARACTERS_MAX])
    clocks = list(_clocks(same))
    if len(clocks) != 1 or clocks[0].minute is None:
        return None
    minutes = clocks[0].minutes()
    awake = next((one for one in minutes if one // 60 in AWAKE), minutes[0]) % (24 * 60)
    return time(awake // 60, awake % 60), same[: clocks[0].start] + " " + same[clocks[0].end :]


def names_when(text: str, now: datetime) -> bool:
    """Whether `text` answers “when?”: a time or a day, or that nobody knows yet, with small words and nothing else."""
    same = Meter().fold(text[:CHARACTERS_MAX])
    if len(text) > _ANSWER_MAX:
        return False
    impossible = no_such_day(text)
    for one in find_dates(text, now.date(), prefer_past=False):
        same = _blank(same, one.start, one.end)
    for found in (*_EVERY.finditer(same), *_SPAN_ZH.finditer(same), *_SPAN_EN.finditer(same)):
        same = _blank(same, *found.span())
    for clock in list(_clocks(same)):
        same = _blank(same, clock.start, clock.end)
    if impossible:
        same = same.replace(Meter().fold(impossible), " ")
    return not _SMALL.sub("", same)


@dataclass(frozen=True, slots=True)
class _Day:
    start: int
    end: int
    first: date
    last: date
    words: str
    weekly: bool


@dataclass(frozen=True, slots=True)
class _Clock:
    """`hours`: what it may mean, in minutes behind midnight; None for a time that does not exist."""

    start: int
    end: int
    hour: int
    minute: int | None
    part: str = ""
    exact: bool = False

    def in_the(self, part: str) -> _Clock:
        """The same where the day's own word says which part of it is meant: 今晚, tonight."""
        if self.part or not part or self.exact:
            return self
        return _checked(_Clock(self.start, self.end, self.hour, self.minute, part))

    def minutes(self) -> list[int]:
        """Behind the midnight that the day begins with, earliest first; more than a day's is the next morning."""
        assert self.minute is not None
        hour = self.hour
        match self.part:
            case "am":
                hours = [hour % 12 if hour == 12 else hour]
            case "pm":
                hours = [hour if hour >= 12 else hour + 12]
            case "noon":
                hours = [hour if hour >= 10 else hour + 12]
            case "night":
                hours = [24 if hour in (0, 12) else hour + 24 if hour < 5 else hour if hour > 12 else hour + 12]
            case _ if self.exact or hour > 12 or hour == 0:
                hours = [hour]
            case _:
                hours = [12] if hour == 12 else [hour, hour + 12]
        return [one * 60 + self.minute for one in hours]


def _checked(clock: _Clock) -> _Clock:
    """With `minute` None where no clock shows that."""
    hour, minute = clock.hour, clock.minute
    fits = {"am": hour <= 12, "pm": 0 < hour < 24, "noon": hour in (10, 11, 12, 13, 14, 1, 2), "night": hour < 24}
    sound = minute is not None and minute < 60 and (hour < 24 or (hour, minute) == (24, 0)) and fits.get(clock.part, True)  # fmt: skip
    return clock if sound else _Clock(clock.start, clock.end, hour, None, clock.part)


def _moment(clock: _Clock, day: date | None, now: datetime, *, weekly: bool) -> datetime:
    """The wall time that is meant: the next at which people are awake; of a weekday that has been, the next one."""
    midnight = datetime.combine(day or now.date(), datetime.min.time())
    found = [midnight + timedelta(minutes=one) for one in clock.minutes()]
    if day is None:
        found += [one + timedelta(days=1) for one in found]
        found = [one for one in found if one > now]
    bare = len(clock.minutes()) > 1
    if weekly and next((one for one in found if one.hour in AWAKE or not bare), found[0]) <= now:
        found = [one + timedelta(days=7) for one in found]
    coming = [one for one in found if one > now] or found[-1:]
    return next((one for one in coming if one.hour in AWAKE or not bare), coming[0])


# which clock and which day belong together

_BETWEEN = re.compile(r"[\s,，、的]*(?:(?:at|on|in the|in|by|this|the)\b|于|在|t)?[\s,，的]*")
_AT_AN_END = re.compile(r"[\s,，。.!！、;；]*(?:(?:to|on|at|by)\b[\s]*)?\Z")


def _together(same: str, clocks: list[_Clock], days: list[_Day]) -> tuple[_Clock, _Day | None, list[tuple[int, int]]]:
    """The first clock that stands beside a day, else the first clock and a day at either end of the sentence.

    With them the pieces of the sentence that they are.
    """
    for clock in clocks:
        for one in days:
            first, second = sorted(((clock.start, clock.end), (one.start, one.end)))
            if first[1] <= second[0] and _BETWEEN.fullmatch(same, first[1], second[0]):
                return clock, one, [(first[0], second[1])]
    clock = clocks[0]
    at_an_end = [one for one in days if _AT_AN_END.fullmatch(same, 0, one.start) or _AT_AN_END.fullmatch(same, one.end)]
    if not at_an_end:
        return clock, None, [(clock.start, clock.end)]
    return clock, at_an_end[0], [(clock.start, clock.end), (at_an_end[0].start, at_an_end[0].end)]


def _masked(same: str, days: list[_Day]) -> str:
    """What names a day names no time: of 周三三点 the first 三 is gone."""
    for one in days:
        same = same[: one.start] + "\0" * (one.end - one.start) + same[one.end :]
    return same


def _only(days: list[_Day]) -> date | None:
    return days[0].first if len(days) == 1 and days[0].first == days[0].last else None


_PARTS = {
    "凌晨": "am", "清晨": "am", "早晨": "am", "早上": "am", "一早": "am", "上午": "am", "中午": "noon",
    "午后": "pm", "下午": "pm", "傍晚": "pm", "晚上": "night", "夜里": "night", "半夜": "night", "深夜": "night",
    "in the morning": "am", "this morning": "am", "morning": "am", "in the afternoon": "pm", "this afternoon": "pm",
    "afternoon": "pm", "in the evening": "night", "this evening": "night", "evening": "night", "at night": "night",
    "tonight": "night", "night": "night",
}  # fmt: skip


def _part_in(words: str) -> str:
    """今晚, 明早, this evening: the part of the day in the word for the day itself."""
    if words[-1:] in ("晚", "夜"):
        return "night"
    if words[-1:] in ("早", "晨"):
        return "am"
    return next((part for name, part in _PARTS.items() if words.lower().endswith(name)), "")


# what an answer may hold beside a time

_ANSWER_MAX = 80
_SMALL_EN = (
    "at|on|by|in|the|to|for|from|until|till|through|a|an|of|and|or|please|pls|ok|okay|yes|well|then|instead|rather|make|it|it's|change"
    "|move|set|let's|let|say|about|around|maybe|perhaps|i|i'm|i'd|i'll|think|guess|better|hmm|um|soon|later|earlier|whenever|whatever|anytime|any|early|late|quite|sometime"
    "|some|time|another|not|sure|don't|know|yet|idk|no|idea|now|this|next|that|day|days|week|month|thanks|actually|how|what|would|be|good"
    "|fine|best|again|every|each|only|once|just|works|sharp|o'clock|am|pm|morning|afternoon|evening|night|noon|except|but|first|other"
)
_SMALL_ZH = (
    "改到|改成|改为|换到|换成|调到|挪到|推到|推迟|提前|那就|那|就|到|至|在|吧|请|好的|好|嗯|的|时候|左右|还是|要不|可以|行|我想|我看|大概|差不多"
    "|呢|啊|呀|哦|晚点|早点|晚些|早些|等会儿?|一会儿?|待会儿?|再说|以后|过|点钟|点|分|之前|之后|前|后|不知道|没想好|随便|看情况|和|与|每|隔|直到|为止|除了|除外"
    "|早上|上午|中午|下午|晚上|早|晚|今|明|周|号|日|天|半|整"
)
_SMALL = re.compile(rf"\b(?:{_SMALL_EN})(?![a-z'])|\d{{1,2}}(?:st|nd|rd|th)?\b|{_SMALL_ZH}|[\W_]")


# times of day

_N = rf"(?:\d{{1,2}}|[{NUMERALS}]{{1,3}})"
_PART_ZH = r"(?P<part>凌晨|清晨|早晨|早上|一早|上午|中午|午后|下午|傍晚|晚上|夜里|半夜|深夜)"
_CLOCK_ZH = re.compile(
    rf"(?:{_PART_ZH}[的 ]?|(?<![\d.:第{NUMERALS}]))(?P<hour>{_N}) ?(?:点钟|点(?!儿|击|评|心|赞|名|单|餐|菜|头|火|滴)|时(?![间候代刻期区差]))"
    rf"(?: ?(?:(?P<half>半)|(?P<quarter>[一三])刻|整|过?(?P<minute>\d{{1,2}}|[{NUMERALS}]{{1,3}})分?(?![\d{NUMERALS}钟个])))?"
)
_CLOCK_DIGITS = re.compile(
    rf"(?<![\d:.])(?<!\d[-/])(?:{_PART_ZH}[的 ]?)?(?:(?:at|by|@) ?)?(?P<hour>\d{{1,2}})[:：](?P<minute>\d{{2}})(?![\d:])"
    r"(?: ?(?P<half_day>[ap])\.?m\b\.?)?(?: (?P<in>in the (?:morning|afternoon|evening)|at night))?"
)
_HOUR_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_HOUR_EN = rf"(?:\d{{1,2}}|{'|'.join(_HOUR_WORDS)})"
_BEFORE_EN = r"(?:(?P<before>(?:in the |this )?(?:morning|afternoon|evening)|tonight) )?"
_CLOCK_EN = re.compile(
    rf"\b{_BEFORE_EN}(?:at|by|@) ?(?:about |around )?(?:(?P<minutes>half|quarter|a quarter|\d{{1,2}})(?: minutes)? (?P<way>past|to|after) )?"
    rf"(?P<hour>{_HOUR_EN})(?![\d%:/-]|\.\d| ?(?:percent|per cent|eur|usd|euros?|dollars?|kg|km|%))"
    r"(?: ?(?P<half_day>[ap])\.?m\b\.?| o'?clock)?(?: (?P<in>in the (?:morning|afternoon|evening)|at night))?"
)
_CLOCK_AM = re.compile(r"(?<![\d:.])(?P<hour>\d{1,2}) ?(?P<half_day>[ap])\.?m\b\.?")
_CLOCK_OCLOCK = re.compile(
    rf"\b(?P<hour>{_HOUR_EN}) ?o'?clock(?: (?P<in>in the (?:morning|afternoon|evening)|at night))?"
)
_HALF_PAST = re.compile(rf"\b(?P<minutes>half|quarter|a quarter) (?P<way>past|to) (?P<hour>{_HOUR_EN})\b")
_WORDS = re.compile(
    r"(?P<noon>(?:at |by )?\b(?:noon|midday)\b|(?<![今明])(?:中午|正午))|(?P<midnight>(?:at |by )?\bmidnight\b|午夜)"
)
_PATTERNS = (_CLOCK_ZH, _CLOCK_DIGITS, _CLOCK_EN, _HALF_PAST, _CLOCK_OCLOCK, _CLOCK_AM, _WORDS)


def _clocks(same: str) -> Iterator[_Clock]:
    """Every time of day, in order, apart."""
    found = sorted(
        (_clock(match) for pattern in _PATTERNS for match in pattern.finditer(same)),
        key=lambda one: (one.start, -one.end),
    )
    end = 0
    for one in found:
        if one.start >= end:
            yield one
            end = one.end


def _clock(match: re.Match[str]) -> _Clock:
    said = match.groupdict()
    start, end = match.span()
    if said.get("noon"):
        return _Clock(start, end, 12, 0, exact=True)
    if said.get("midnight"):
        return _Clock(start, end, 24, 0, exact=True)
    hour, minute = _number(said["hour"]), _minute(said)
    if said.get("way") == "to" and minute is not None:
        hour, minute = (hour - 1 if hour > 1 else 12), 60 - minute if minute else None
    part = _PARTS.get(said.get("part") or said.get("before") or said.get("in") or "", "")
    part = {"a": "am", "p": "pm"}.get(said.get("half_day") or "", part)
    written_out = match.re is _CLOCK_DIGITS and len(said["hour"]) == 2  # 09:00 and 11:00, but not 9:00
    exact = said["hour"].startswith("0") or written_out or (not part and hour > 12)
    return _checked(_Clock(start, end, hour, minute, part, exact and not part))


def _minute(said: dict[str, str | None]) -> int | None:
    if said.get("half"):
        return 30
    if said.get("quarter"):
        return 45 if said["quarter"] == "三" else 15
    if words := said.get("minutes"):
        return {"half": 30, "quarter": 15, "a quarter": 15}.get(words) or int(words)
    return _number(said["minute"]) if said.get("minute") else 0


def _number(text: str | None) -> int:
    assert text is not None
    if text in _HOUR_WORDS:
        return _HOUR_WORDS.index(text) + 1
    if text.isdecimal():
        return int(text)
    digits = text.lstrip("零〇")
    try:
        return number_zh(digits) if digits else 0
    except KeyError:
        return 99  # no number, so no time either


# spans

_COUNT = rf"(?:\d{{1,4}}(?:\.\d)?|[{NUMERALS}]{{1,4}})"
_SPAN_ZH = re.compile(
    rf"(?<![\d.{NUMERALS}])(?P<over>再?过 ?)?"
    rf"(?:(?P<hours>半|{_COUNT}) ?个?(?P<half>半)?(?:小时|钟头)(?P<half_more>半)? ?(?:零|又)?)?"
    rf"(?:(?P<quarters>[一二两三123]) ?刻钟|(?P<minutes>{_COUNT}|几) ?分钟?)?"
    r"(?P<behind> ?[之以]?后(?!天)|(?(over)(?!\d)|(?!)))"
)
_COUNT_EN = rf"(?:\d{{1,4}}(?:\.\d)?|an?|{'|'.join(_HOUR_WORDS)}|fifteen|twenty|thirty|forty-five|forty|fifty|a couple of|a few)"
_UNIT_EN = r"(?:minutes?|mins?|m|hours?|hrs?|hr|h)"
_SPAN_EN = re.compile(
    rf"\bin (?:about )?(?:(?P<part>half an|a quarter of an|three quarters of an) hour|(?P<count>{_COUNT_EN}) ?(?P<unit>{_UNIT_EN})\b"
    rf"(?P<and_half> and a half)?(?:,? (?:and )?(?P<more>{_COUNT_EN}) ?(?:minutes?|mins?|m)\b)?)"
    rf"|\b(?P<count_late>{_COUNT_EN}) (?P<unit_late>minutes?|mins?|hours?|hrs?) from now\b"
)
_WORD_COUNTS = {
    "a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "fifty": 50,
    "a couple of": 2, "a few": 5, "几": 5,
}  # fmt: skip
_PARTS_OF_HOUR = {"half an": 30, "a quarter of an": 15, "three quarters of an": 45}


def _minutes(match: re.Match[str]) -> int:
    """0 where it says nothing that can be waited for."""
    said = match.groupdict()
    total: float
    if "quarters" in said:
        hours = 0.5 if said["hours"] == "半" else _count(said["hours"])
        total = (hours + (0.5 if said["half"] or said["half_more"] else 0)) * 60
        total += 15 * _count(said["quarters"]) + _count(said["minutes"])
    elif said["part"]:
        total = _PARTS_OF_HOUR[said["part"]]
    else:
        unit = said["unit"] or said["unit_late"]
        total = _count(said["count"] or said["count_late"]) + (0.5 if said["and_half"] else 0)
        total = total * (60 if unit.startswith("h") else 1) + _count(said["more"])
    return int(total) if 1 <= total <= MINUTES_MAX else 0


def _count(text: str | None) -> float:
    if not text:
        return 0
    if text in _WORD_COUNTS:
        return _WORD_COUNTS[text]
    return float(text) if text[0].isdecimal() else _number(text)


# again and again

_DAY_NAME = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAY_EN = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_OF_DAY = r"(?:morning|afternoon|evening|night)"
_TO_EN = r" ?(?:to|through|thru|until|till|-|–) ?"
_DAY_NAMES = rf"{_DAY_EN}(?:(?:,? and |, ?| ?& ?|/|{_TO_EN}){_DAY_EN}\b)*"
_PLURALS = rf"(?:{_DAY_NAME}(?:s| {_OF_DAY}s)(?:,? and |, | & ))*{_DAY_NAME}(?:s| {_OF_DAY}s)"
_NTH = r"\d{1,2}(?:st|nd|rd|th)"
_SOME = rf"other|second|third|fourth|fifth|first|last|{_NTH}|two|three|four|five|six|few|couple of|alternate|single|working|business|odd|even"
_UNIT_OF_RULE = (
    rf"(?:days?|weeks?|weekdays?|weekends?|months?|quarters?|years?|hours?|minutes?|fortnight|{_OF_DAY}s?|{_DAY_EN}s?)"
)
_COUNT_ZH = rf"(?:[{NUMERALS}几]|\d{{1,2}})"
_EVERY = re.compile(
    rf"每(?:半个?(?:天|月|年|小时|钟头)|隔?{_COUNT_ZH}个?(?:天|日|周|星期|礼拜|月|季度?|年|小时|钟头|分钟)"
    r"|个?(?:周|星期|礼拜)(?:末|[一二三四五六日天](?:[、,，和到至]?(?:周|星期|礼拜)?[一二三四五六日天](?![天点时半刻]))*)?|一?天|日|个?月(?:的?[0-9一二三四五六七八九十]{1,3}[号日])?|年|个?季度?"
    r"|个?工作日|个?(?:早[上晨]?|晚上?|上午|下午|中午|傍晚|夜里|清晨|凌晨)|隔|逢|(?:个|半|\d+)?小时|\d+分钟)"
    r"|天天|隔[天日周]|隔一?[天日周个]|[单双]周|每?一(?:天|日|周|个?星期|个?月)[两二三四五\d]次|工作日"
    rf"|\bevery (?:(?:(?:{_SOME}) ){{1,2}}{_UNIT_OF_RULE}|so often|now and then"
    rf"|{_DAY_NAMES}|day|{_OF_DAY}|week|weekday|weekend|month(?: on the {_NTH})?|quarter|year|hour|half hour|minute|fortnight|\d+)\b"
    rf"|\bon the {_NTH} of (?:every|each) month\b|\bmonthly on the {_NTH}\b"
    rf"|\b(?:each (?:(?:(?:{_SOME}) ){{1,2}}{_UNIT_OF_RULE}|day|{_OF_DAY}|week|month|year|{_DAY_NAMES})"
    r"|(?:daily|weekly|monthly|fortnightly|bi-?weekly|quarterly|yearly|annually|hourly)(?= at\b|\s*\Z)"
    r"|(?:once|twice|(?:two|three|four|\d) times) (?:a|per|every|each) (?:day|week|month|year)|on alternate days"
    rf"|(?:on )?(?:weekdays|weekends|week(?:day|end) {_OF_DAY}s)|on the weekends|(?:on )?{_PLURALS})\b"
)
_BARE_PLURALS = re.compile(rf"weekdays|weekends|week(?:day|end) {_OF_DAY}s|{_PLURALS}")
"""At the end of a sentence they may be what it is about: to plan our weekends."""
_WEEK_ZH = "一二三四五六日"
_SPAN_OF_WEEK = re.compile(rf"([{_WEEK_ZH}])[到至](?:周|星期|礼拜)?([{_WEEK_ZH}])")
_WEEK_EN = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SPAN_OF_WEEK_EN = re.compile(rf"\b({_DAY_EN}){_TO_EN}({_DAY_EN})\b")
_DAILY = re.compile(
    r"每一?天|每日|天天|每个?(?:早[上晨]?|晚上?|上午|下午|中午|傍晚|夜里|清晨|凌晨)"
    rf"|every (?:single )?(?:day|{_OF_DAY})|each (?:single )?(?:day|{_OF_DAY})|daily"
)
_MONTHLY = re.compile(rf"月的?(?P<zh>\d{{1,2}}|[{NUMERALS}]{{1,3}})[号日]|the (?P<en>\d{{1,2}})(?:st|nd|rd|th)")
_NO_RULE = re.compile(
    rf"隔|逢|[单双]周|次\Z|每{_COUNT_ZH}|\b(?:(?!single\b|working\b|business\b)(?:{_SOME})|once|twice|times)\b(?! of (?:every|each) month)(?!\Z)"
)
"""Every other Monday, 每两周周一: a day of the week in it is not the whole of it."""


def _rule(words: str) -> Rule | None:
    """每天, 每周一三, every Monday to Friday, on the 5th of every month; None for what is no such rule."""
    if _DAILY.fullmatch(words):
        return Rule(frozenset(range(7)))
    month = _MONTHLY.search(words)
    if month is not None and "month" in words + "month" * ("月" in words):
        day = _number(month["zh"] or month["en"])
        return Rule(month_day=day) if 1 <= day <= 31 else None
    if _NO_RULE.search(words):
        return None
    if re.search(r"工作日|weekday|(?:working|business) day", words):
        return Rule(frozenset(range(5)))
    if "末" in words or "weekend" in words:
        return Rule(frozenset((5, 6)))
    named = words.replace("天", "日")
    days = {_WEEK_ZH.index(c) for c in named if c in _WEEK_ZH}
    for span in _SPAN_OF_WEEK.finditer(named):
        days |= _from_to(_WEEK_ZH.index(span[1]), _WEEK_ZH.index(span[2]))
    days |= {_WEEK_EN.index(one[0][:3]) for one in re.finditer(rf"\b{_DAY_EN}s?\b", words)}
    for span in _SPAN_OF_WEEK_EN.finditer(words):
        days |= _from_to(_WEEK_EN.index(span[1][:3]), _WEEK_EN.index(span[2][:3]))
    return Rule(frozenset(days)) if days else None


def _from_to(first: int, last: int) -> set[int]:
    """Of a week, across its end, too: Saturday to Monday."""
    return {(first + number) % 7 for number in range((last - first) % 7 + 1)}


def _again(text: str, same: str, every: tuple[int, int], now: datetime) -> Again | Recurring | Impossible:
    """The clock that stands nearest to the words that say how often."""
    rule = _rule(same[slice(*every)])
    clocks = list(_clocks(_blank(same, *every)))
    if rule is None or not clocks:
        return Recurring()
    clock = min(clocks, key=lambda one: max(one.start - every[1], every[0] - one.end))
    clock = clock.in_the(_part_in(same[slice(*every)]))
    if clock.minute is None:
        return Impossible(text[clock.start : clock.end].strip())
    minutes = clock.minutes()
    wall = _first(rule, next((one for one in minutes if one // 60 in AWAKE), minutes[0]), now)
    first, second = sorted((every, (clock.start, clock.end)))
    joined = first[1] <= second[0] and _BETWEEN.fullmatch(same, first[1], second[0])
    spans = [(first[0], second[1])] if joined else [first, second]
    return Recurring() if _says_more(text, same, spans, now) else Again(rule, wall, _without(text, spans))


# a rule of which only a part is known is none

_WHEN_EN = rf"(?:(?:at|by|on|in|the|again|every|each|about|around) )*(?:\d|(?:{'|'.join(_HOUR_WORDS)})\b|noon\b|midday\b|midnight\b|{_OF_DAY}s?\b|{_DAY_EN}s?\b|weekends?\b|weekdays?\b|tomorrow\b|today\b|tonight\b|every\b|each\b)"
_WHEN_ZH = rf"(?:\d|[{NUMERALS}]{{1,3}}(?=[点号日时天周:]|刻|个月)|早|晚|上午|下午|中午|傍晚|夜|凌晨|清晨|半夜|周|星期|礼拜|每|今|明天|后天|月)"
_GOES_ON = re.compile(
    rf"[\s,，]*(?:(?:,? ?(?:and|or|&|as well as|then)|-|–) ?{_WHEN_EN}|(?:to|through|thru) (?:{_WHEN_EN})|(?:和|与|跟|及|以及|还有|、|或|或者|到|至)\s*{_WHEN_ZH}"
    rf"|[,，、]\s*(?:\d{{1,2}}(?= (?:to|and)\b|[,，、点:]| ?[ap]m\b|\s*\Z)|{_DAY_EN}s?\b)|早晚|早中晚|早、|各一次)"
)
"""Behind the rule or its time stands one more: and 20, 和20点, and Friday, and every …"""
_CAME_FROM = re.compile(
    rf"(?:\d|[ap]m|noon|midnight|{_OF_DAY}s?|\b{_DAY_EN}s?|\b(?:{'|'.join(_HOUR_WORDS)})|weekdays?|weekends?|tomorrow|today|tonight|[{NUMERALS}点号日天早晚末]|[上下中]午|早上|晚上)"
    rf"\s*(?:,? ?\b(?:and|or|to|through)|&|[,，、和与跟及到至或]|以及|还有|或者)\s*(?:(?:at|by|on|the|at about) )*\Z"
)
"""The same, in front of it."""
_ENDS_OR_NOT = re.compile(
    rf"\b(?:until|till?\b(?! roll)|up to|no longer than|for (?:the )?(?:(?:next|coming|only|about) )*(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{{1,3}})? ?(?:days?|weeks?|months?|years?)\b"
    rf"|(?:starting|beginning|from) (?:on |in |at |the )*(?:next |this )?(?:{_DAY_EN}\b|tomorrow|today|week|month|now on|\d{{1,2}} [a-z]{{3}}|[a-z]{{3,9}} \d)"
    rf"|(?:except(?:ing)?|excluding|but not|apart from|other than|unless|not)(?: (?:for|on|in|at|during|when|the|every|each|public|bank|school))* (?:{_DAY_EN}s?\b|weekends?|weekdays?|holidays?|vacations?|days?\b|weeks?|months?|today|tomorrow|i'm|i am|we're|we are|it|jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec))"
    rf"|直到|为止|截止|[到至](?:下个?|这个?|本)?(?:周|星期|礼拜|月|\d{{1,2}}[月号日]|明|后天|年底|月底)|除了?(?=周|星期|礼拜|节|假|工作日|每|{_COUNT_ZH}|月|今|明|后)|除外|不包括|(?:周|星期|礼拜|日|号|假|末)(?:[一二三四五六日天末])?(?:以外|之外|不用|不要|休息|例外)"
    rf"|连续|持续{_COUNT_ZH}|为期|[从自](?:下个?|这个?|本)?(?:周|星期|礼拜|月|\d{{1,2}}[月号日]|今|明|后天)[^,，。]{{0,6}}(?:起|开始)|(?:今天|明天|后天|周[一二三四五六日])(?:起|开始)"
)
"""It has an end, a beginning or days on which it does not hold."""


def _says_more(text: str, same: str, spans: list[tuple[int, int]], now: datetime) -> bool:
    """Whether what stands beside the rule and its time belongs to them: then they alone would be something else."""
    rest = same
    for span in spans:
        rest = _blank(rest, *span)
    if _ENDS_OR_NOT.search(rest):
        return True
    if any(_GOES_ON.match(same, end) or _CAME_FROM.search(same, 0, start) for start, end in spans):
        return True
    more = [found.span() for found in _EVERY.finditer(rest)]
    more += [(one.start, one.end) for one in find_dates(rest, now.date(), prefer_past=False)]
    return any(_beside(same, one, span) for one in more for span in spans)


def _beside(same: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, second = sorted((one, other))
    return first[1] <= second[0] and _BETWEEN.fullmatch(same, first[1], second[0]) is not None


def _first(rule: Rule, minutes: int, now: datetime) -> datetime:
    return first_wall(rule, time(minutes // 60 % 24, minutes % 60), now)


def _same_half(clock: _Clock, old: time) -> int:
    """In minutes; a bare 9:30 instead of 8:00 is one of the morning, instead of 20:00 one of the evening."""
    minutes = clock.minutes()
    return next((one for one in minutes if (one // 60 % 24 >= 12) == (old.hour >= 12)), minutes[0])


def _every(same: str) -> tuple[int, int] | None:
    """Where it says to be told again and again: 每天9点, “at 9 every day”; the weekly report has a time of its own."""
    for found in _EVERY.finditer(same):
        start, end = found.span()
        at_the_end = _AT_AN_END.fullmatch(same, end) and not _BARE_PLURALS.fullmatch(found[0])
        if _AT_AN_END.fullmatch(same, 0, start) or at_the_end:
            return start, end
        clocks = list(_clocks(_blank(same, start, end)))
        if any(_BETWEEN.fullmatch(same, end, one.start) for one in clocks if one.start >= end):
            return start, end
        before = [(one.end, _GOES_ON.match(same, one.end, start)) for one in clocks if one.end <= start]
        if any(_BETWEEN.fullmatch(same, more.end() if more else at, start) for at, more in before):
            return start, end
    return None


def _blank(same: str, start: int, end: int) -> str:
    return same[:start] + " " * (end - start) + same[end:]


# what is left

_LEAD = re.compile(r"(?:to|that|about to|要)(?=\s)\s*|要(?=\S)")
_EDGE = " \t\n\u3000,，、;；:：。"
_LOOSE = re.compile(r"(?:^|(?<=\s))(?:on|at|by|in the|from)\s*\Z", re.IGNORECASE)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` without these pieces and the small words that tied them to it."""
    out, at = "", 0
    for start, end in sorted(spans):
        out = _LOOSE.sub("", out + text[at:start])
        at = end
        if out.endswith(tuple(_EDGE)) and text[at : at + 1] in (" ", ""):
            out = out.rstrip(" ")
            out += " " if text[at : at + 1] and out else ""
            at += 1
    rest = (out + text[at:]).strip(_EDGE)
    lead = _LEAD.match(rest)
    return (rest[lead.end() :] if lead else rest).strip(_EDGE)
