"""How days, times, numbers and stored words look in each language (VOICE: part 1). Pure."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.message import Line
from bot.words import Words
from scheduler.recurring import Rule

QUOTE_CHARACTERS_MAX = {"zh": 120, "en": 240}
QUOTE_LINES_MAX = 6
LIST_SEPARATOR = {"zh": "、", "en": ", "}
SENTENCE_ENDS = "\n。！？.!?；; "
"""Where a long text may be cut in two, in no order."""
_SENTENCE_END = re.compile(r"[。！？；.!?;](?=\s|$|[^\w\s])|[。！？；]")
_LATIN_END = re.compile(r"[A-Za-z0-9]$")
_LATIN_START = re.compile(r"^[A-Za-z0-9]")
_WEEKDAYS = {"zh": "一二三四五六日", "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def local(at_ms: int, zone: str) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(ZoneInfo(zone))


def local_time(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%H:%M}"


def day(words: Words, one: date, today: date, *, weekday: bool = True) -> str:
    """5月22日（周三） / Wed 22 May; with the year when it is not this one."""
    if words.lang == "zh":
        shown = f"{one.month}月{one.day}日" if one.year == today.year else f"{one.year}年{one.month}月{one.day}日"
        return f"{shown}（周{_WEEKDAYS['zh'][one.weekday()]}）" if weekday else shown
    shown = f"{one.day} {_MONTHS[one.month - 1]}" + ("" if one.year == today.year else f" {one.year}")
    return f"{_WEEKDAYS['en'][one.weekday()]} {shown}"


def day_inside(words: Words, one: date, today: date) -> str:
    """The same within brackets of its own: 5月28日 周二 / Tue 28 May."""
    shown = day(words, one, today)
    return shown.replace("（", " ").removesuffix("）")


def span(words: Words, length: timedelta) -> str:
    """1 小时 10 分 / 1 h 10 min; days where there are any."""
    minutes = int(length.total_seconds()) // 60
    days, hours = divmod(minutes // 60, 24)
    parts = [(days, "span-days"), (hours, "span-hours"), (minutes % 60, "span-minutes")]
    return " ".join(words(name, n=n) for n, name in parts if n) or words("span-minutes", n=0)


def rule(words: Words, one: Rule) -> str:
    """每天, 每周一、四, 每月 5 号 / every day, every Mon, Thu, on day 5 of every month."""
    if one.month_day:
        return words("rule-monthly", day=one.month_day)
    if len(one.weekdays) == 7:
        return words("rule-daily")
    if one.weekdays == frozenset(range(5)):
        return words("rule-workdays")
    days = LIST_SEPARATOR[words.lang].join(_WEEKDAYS[words.lang][day] for day in sorted(one.weekdays))
    return words("rule-weekly", days=days)


def month(words: Words, one: date) -> str:
    """2024年5月 / May 2024."""
    return f"{one.year}年{one.month}月" if words.lang == "zh" else f"{_MONTHS[one.month - 1]} {one.year}"


def near_day(words: Words, one: date, today: date) -> str | None:
    """今天, 昨天, 明天 / today, yesterday, tomorrow; None for any other day."""
    names = {0: "day-today", -1: "day-yesterday", 1: "day-tomorrow"}
    name = names.get((one - today).days)
    return words(name) if name else None


def moment(words: Words, at: datetime, today: date) -> tuple[str, bool]:
    """A day with its time when it is near, the day alone otherwise; and whether the time is in it."""
    near = near_day(words, at.date(), today)
    return (f"{near} {at:%H:%M}", True) if near else (day(words, at.date(), today), False)


def full_moment(words: Words, at: datetime, today: date) -> str:
    """今天 10:00 / 5月22日（周三）14:10 / Wed 22 May 14:10."""
    near = near_day(words, at.date(), today)
    if near:
        return f"{near} {at:%H:%M}"
    return spaced(words, day(words, at.date(), today), f"{at:%H:%M}")


def spaced(words: Words, *parts: str) -> str:
    """The parts of one sentence joined: English with spaces, Chinese with one only beside letters and digits."""
    kept = [part for part in parts if part]
    if words.lang == "en":
        return " ".join(kept)
    out = ""
    for part in kept:
        touches = out and (_LATIN_END.search(out) or _LATIN_START.search(part)) and not out.endswith(("）", "：", "，"))
        out += (" " if touches else "") + part
    return out


def number(words: Words, value: int) -> str:
    return str(value) if words.lang == "zh" else f"{value:,}"


def quoted(text: str) -> str:
    return f"“{text}”"


def stored_lines(
    words: Words, text: str, after: str = "", *, lines_max: int = QUOTE_LINES_MAX
) -> tuple[tuple[Line, ...], bool]:
    """Stored words as lines in quotation marks, folded when long; and whether they were folded."""
    shown = fold_quote(words, text, lines_max=lines_max)
    return tuple(Line(line, stored=True) for line in f"{quoted(shown)}{after}".split("\n")), shown != text


def fold_quote(words: Words, text: str, *, lines_max: int = QUOTE_LINES_MAX) -> str:
    """At most so many lines and characters, ended by “…” where something was left out."""
    most = QUOTE_CHARACTERS_MAX[words.lang]
    head = "\n".join(text.split("\n", lines_max)[:lines_max])
    if len(head) > most:
        head = _cut(head, most)
    return text if head == text else head.rstrip() + "…"


def _cut(text: str, most: int) -> str:
    """At the last sentence end within `most` characters, else at the last space, else there; never inside a cluster."""
    head = text[:most]
    ends = [found.end() for found in _SENTENCE_END.finditer(head)]
    if ends and ends[-1] >= most // 2:
        return head[: ends[-1]]
    space = head.rfind(" ")
    cut = space if space >= most // 2 else most
    while cut > 1 and _joins(text, cut):
        cut -= 1
    return text[:cut].rstrip()


def _joins(text: str, at: int) -> bool:
    """Whether cutting before `at` would split what is seen as one character (marks, joiners, skin tones)."""
    if at >= len(text):
        return False
    here, before = text[at], text[at - 1]
    return (
        here in "\u200d\ufe0f\u20e3"
        or before == "\u200d"
        or "\u0300" <= here <= "\u036f"
        or "\U0001f3fb" <= here <= "\U0001f3ff"
    )


def short(text: str, most: int) -> str:
    """One line for a list: at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
