"""Other ways to ask for a reminder: “can you remind me …”, “set a reminder for 9”, “wake me up at 7”, 每天8点叫我起床. Pure.

A newcomer's trap: they ask for one only where a time stands there, or where “to …” says what to do. Without it
“can you remind me what we decided” is a question, and 妈妈叫我吃饭 is told.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time

from bot.intents import Remind
from bot.phrases.times import Again, At, In, NoTime, Recurring, read_when

_WHOM = r"(?:me|us|everyone)"
_POLITE_EN = re.compile(
    r"(?:(?:please|kindly|niannian|hey)[, ]+){0,2}(?:(?:can|could|would|will) you|(?:i'd like|i would like|i want|i need) you to)"
    r"(?: (?:please|kindly|just|maybe))?,? (?=remind|wake|set|add|create|make)"
)
_END_EN = re.compile(r"[,\s]*(?:\b(?:please|pls|thanks|thank you)\b)?[\s?？!.]*\Z")
_POLITE_ZH = re.compile(
    r"(?:(?:念念|请问|请|麻烦|你)[，, ]*){0,3}(?:能不能|可不可以|可以不可以|能否|可否|可以|能)(?:请|麻烦)?(?:你)?(?:帮忙|帮我|给我)?[，, ]*(?=\S)"
    r"|(?:念念[，, ]*)?(?:请|麻烦)你?(?:帮忙|帮我)?[，, ]*(?=\S)"
)
_END_ZH = re.compile(r"[，,\s]*(?:(?:好|可以|行)(?:吗|么|嘛|不)|好不好|行不行|吗|么|嘛)?[\s?？。.!！~～]*\Z")
_TAG_ZH = re.compile(r"[，,\s]*(?:(?:好|可以|行)(?:吗|么|嘛|不)|好不好|行不行)[\s?？。.!！~～]*\Z")
_ASKS = re.compile(r"什么|为啥|怎么|哪|谁|多少|几[点号时]|是不是|有没有")
_ASKS_FIRST = re.compile(
    r"(?:at |by |of |about |on |in )?(?:what|when|where|who|whom|which|how|why|if|whether|that|of|about)\b"
)

_REMIND = re.compile(rf"remind {_WHOM}\b,? ?")
_REMIND_ZH = re.compile(r"提醒(?:一下)?(?:我们|我|大家)(?:一下)?[，,：:\s]*")
_SET = re.compile(
    rf"(?:please )?(?:set|create|add|make|schedule)(?: up)?(?: {_WHOM})? (?:(?:a|an|another|the) )?(?:(?P<often>daily|weekly|monthly) )?"
    rf"(?P<what>reminder|alarm)(?: clock)?(?: for {_WHOM})?\b[,: ]*"
)
_SET_ZH = re.compile(
    r"(?:请|麻烦)?(?:你)?(?:帮我|给我|替我|我要|我想)?(?:设置|设定|设|定|加|建|订)一?[个下](?P<when>[^，,。;；\n]{0,24}?)的?(?P<what>提醒|闹钟|闹铃)[，,：:\s]*"
)
_WAKE = re.compile(rf"(?:please )?wake {_WHOM}(?: up)?\b,? ?(?:please)?")
_CALL_ZH = re.compile(r"(?:请|麻烦|记得)?(?:你)?叫(?:醒(?:我们|我)|我们|我)(?:一下|一声)?")
_WAS_CALLED = re.compile(r"了|过[吗没]?|的[是人时]|[?？吗]|不|没")
_PART_OF_DAY = re.compile(r"[早晚夜晨午]|\d ?[ap]\.?m\b|morning|noon|evening|night")
_BARE_EN = re.compile(r"\b(?:at|by) (?:0?[4-9]|1[01])(?::[0-5]\d)?(?![\d:])")
_BARE_ZH = re.compile(r"(?<![\d:十])(?:0?[4-9]|1[01]|[四五六七八九]|十一?)(?:点|[:：](?=\d))")
"""Who is to be woken at a bare 7 sleeps until the morning."""
_SOME_MIDNIGHT = datetime.combine(date(2001, 1, 1), time())
"""Only whether a time is named is asked of it."""
_FOR = re.compile(r"(?:for|on) (?=\d{1,2}(?:[\s,.]|\Z)(?! ?(?:min|hour|day|week|month|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))")  # fmt: skip


def reminding(body: str, folded: str) -> Remind | None:
    """The reminder that a whole message asks for."""
    return _english(body, folded) or _chinese(body, folded)


def _english(body: str, folded: str) -> Remind | None:
    head = _POLITE_EN.match(folded)
    start = head.end() if head else 0
    end = _end(_END_EN, folded) if head else len(folded)
    body, folded = body[:end], folded[:end]
    if head is not None and (found := _REMIND.match(folded, start)):
        rest = body[found.end() :]
        asks = _ASKS_FIRST.match(folded, found.end())
        return Remind(_bare_to(rest)) if not asks and (folded.startswith("to ", found.end()) or _timed(rest)) else None
    if found := _SET.match(folded, start):
        at = _FOR.match(folded, found.end())
        rest = f"at {body[at.end() :]}" if at else body[found.end() :].removeprefix("for ")
        title = "alarm" if found["what"] == "alarm" else ""
        rest = " ".join(filter(None, (title, found["often"], rest)))
        return Remind(_bare_to(rest)) if folded.startswith("to ", found.end()) or _timed(rest) else None
    found = _WAKE.search(folded, start)
    if found is None or (found.start() > start and not _only_time(body[start : found.start()])):
        return None
    rest = f"{body[start : found.start()]} {body[found.end() :]}".strip()
    rest = rest if _PART_OF_DAY.search(rest.lower()) else _BARE_EN.sub(r"\g<0>am", rest)
    return Remind(f"wake up {rest}") if _timed(rest) and not _ASKS_FIRST.match(rest.lower()) else None


def _chinese(body: str, folded: str) -> Remind | None:
    head, tag = _POLITE_ZH.match(folded), _TAG_ZH.search(folded)
    start = head.end() if head else 0
    end = _end(_END_ZH, folded) if head or tag else len(folded)
    body, folded = body[:end], folded[:end]
    if (found := _SET_ZH.match(folded, start)) and _timed(
        when := body[slice(*found.span("when"))] + body[found.end() :]
    ):
        return Remind(f"闹钟 {when}" if found["what"] != "提醒" else when)
    if (head or tag) and (found := _REMIND_ZH.search(folded, start)):
        before = body[start : found.start()].rstrip("，, ")
        rest = before + body[found.end() :]
        here = found.start() == start or _only_time(before)
        return Remind(rest) if here and _timed(rest) and not _ASKS.search(folded[found.end() :]) else None
    found = _CALL_ZH.search(folded, start)
    if found is None or not _only_time(body[start : found.start()].rstrip("，, ")):
        return None
    if _WAS_CALLED.search(folded, found.end()):
        return None
    behind = body[found.end() :].strip("，,。!！~～吧 ")
    woken = "起床" if "醒" in found[0] else ""
    when = body[start : found.start()].rstrip("，, ")
    if (woken or "起床" in behind) and not _PART_OF_DAY.search(when):
        when = _BARE_ZH.sub(r"早上\g<0>", when, count=1)
    return Remind(f"{when} {woken}{behind or ('' if woken else found[0])}")


def _end(pattern: re.Pattern[str], folded: str) -> int:
    found = pattern.search(folded)
    return found.start() if found else len(folded)


def _bare_to(rest: str) -> str:
    """“remind me to call”: what stands behind “to”."""
    return rest.removeprefix("to ").strip()


def _timed(text: str) -> bool:
    return not isinstance(read_when(text, _SOME_MIDNIGHT), NoTime)


def _only_time(text: str) -> bool:
    """明早7点, every day at 7, and nothing else."""
    found = read_when(text, _SOME_MIDNIGHT)
    return isinstance(found, Recurring) or (isinstance(found, At | In | Again) and not found.rest)
