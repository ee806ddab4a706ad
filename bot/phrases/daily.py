"""When what comes by itself is to come: 每日单词改到 13:00，因为…, move my daily words to 13:00 because …. Pure."""

from __future__ import annotations

import re
from datetime import date, time, timedelta

from bot.intents import Intent, MoveDaily
from bot.phrases.lasting import remember_of
from bot.phrases.scan import Meter
from bot.phrases.times import clock_in
from store.dates import find_dates
from store.dates_words import NUMERALS, number_zh

_ZH = re.compile(
    r"(?:以后|从今天起|从明天起)?(?:请|把|帮我把)?(?:我的)?(?:(?P<words>每日单词|每天的单词|单词推送|背单词)|(?P<digest>早报))的?(?:推送)?(?:时间)?"
    r"(?:从[^,，。;；]{1,12}?)?(?:改到|改成|改为|挪到|移到|换到|调到|提前到|推迟到)(?:每天)?(?P<at>[^,，。;；\n]{1,16})"
)
_EN = re.compile(
    r"(?:please |can you |could you )?(?:move|change|shift|switch|set|put) (?:my |the |our )?"
    r"(?:(?P<words>(?:daily )?words(?: push)?|word push|vocab(?:ulary)?)|(?P<digest>(?:morning )?digest))(?: time)?"
    r"(?: from [^,.;]{1,16}?)? to (?P<at>[^,.;\n]{1,24})"
)
_BECAUSE = re.compile(r"\bbecause\b.*", re.DOTALL)
_BARE = re.compile(r"([01]?\d|2[0-3])(?:[:：.点时h]([0-5]\d)?分?)?")
_BARE_NUMBER = re.compile(r"\d{1,2}")
_SPAN = re.compile(rf"(?:for )?(\d{{1,3}}|[{NUMERALS}]{{1,3}}) ?(天|日|周|个?星期|个?月|d|days?|w|weeks?|months?)\b")
_UNTIL = re.compile(r"(?:until|till|to|到|直到) ?")
_SMALL = re.compile(
    r"(?:[\s,，。.!！~～]|每天|每日|改到|改成|改为|就|在|到|吧|好了|就好|左右|为止|再|恢复|来|请"
    r"|\b(?:at|to|on|by|until|till|every|each|day|daily|please|the|make|it|o'?clock|sharp|then|ok|okay)\b)*"
)
"""What may stand around a time or a day that is the answer to a question."""
PAUSE_DAYS_MAX = 366
ON = ("on", "开", "开启", "打开")
OFF = ("off", "none", "关", "关闭", "关掉")
_BETWEEN = ("-", "–", "—", "~", "～", "到", "至", " to ", " ")
_KINDS = {
    **dict.fromkeys(("words", "word", "daily words", "vocab", "单词", "每日单词", "今日单词"), "words"),
    **dict.fromkeys(("digest", "morning digest", "早报"), "digest"),
    **dict.fromkeys(("tidy", "the tidy", "nightly tidy", "夜间整理", "整理"), "tidy"),
    **dict.fromkeys(("backup", "the backup", "backups", "备份"), "backup"),
}


def kind_in(text: str) -> str:
    """`words`, `digest`, `tidy` or `backup`, where these words name it; else ""."""
    return _KINDS.get(" ".join(text.casefold().split()).strip("?？。."), "")


def two_clocks(text: str) -> tuple[time, time] | None:
    """22:30-08:00, 晚上10点半到8点, from 11pm to 7am."""
    for mark in _BETWEEN:
        parts = [part.strip() for part in text.removeprefix("from ").split(mark)]
        if len(parts) == 2 and all(parts):
            first, last = map(clock_of, parts)
            return (first, last) if first is not None and last is not None else None
    return None


def moving(body: str, folded: str, meter: Meter) -> Intent | None:
    """A sentence that moves the daily words or the digest; it is kept as the decision that it is."""
    if len(folded) != len(body) or body.endswith(("?", "？", "吗")):
        return None
    found = _ZH.match(folded) or _EN.match(folded)
    if found is None:
        return None
    said = _BECAUSE.sub("", found["at"])
    at = clock_of(said)
    if at is None or _BARE_NUMBER.fullmatch(said.strip()):  # “set words to 10” may mean ten of them
        return None
    return MoveDaily("words" if found["words"] else "digest", at, remember_of(body, meter))


def clock_of(text: str) -> time | None:
    """The one time of day that `text` names: 13:00, 下午1点, 1pm, and a bare 8 for eight in the morning."""
    bare = _BARE.fullmatch(text.strip())
    if bare is not None:
        return time(int(bare[1]), int(bare[2] or 0))
    found = clock_in(text)
    return found[0] if found is not None and _SMALL.fullmatch(found[1]) else None


def resume_day(text: str, today: date) -> date | None:
    """The day on which something comes back: 10d, 两周, until Friday, 到 6月6日. None when it names none to come."""
    same = text.strip().lower()
    span = _SPAN.fullmatch(same)
    if span is not None:
        days = _number(span[1]) * next((number for unit, number in _DAYS.items() if span[2].startswith(unit)), 1)
        return today + timedelta(days=days) if 0 < days <= PAUSE_DAYS_MAX else None
    if head := _UNTIL.match(same):
        same = same[head.end() :]
    found = find_dates(same, today, prefer_past=False)
    if not found or not _SMALL.fullmatch(same[: found[0].start] + " " + same[found[0].end :]):
        return None
    if not today < found[0].first <= today + timedelta(days=PAUSE_DAYS_MAX):
        return None
    return found[0].first


_DAYS = {"周": 7, "星期": 7, "个星期": 7, "w": 7, "月": 30, "个月": 30, "m": 30}


def _number(text: str) -> int:
    try:
        return int(text) if text.isdecimal() else number_zh(text)
    except KeyError:
        return 0
