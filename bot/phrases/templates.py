"""What stays the same in requests that a person makes again and again: the request with its days, times, numbers, names
and quoted words taken out. Pure.

    待办：5月13日交第 20 周周报, 待办：5月20日交第 21 周周报  →  待办：{date}交第 {number} 周周报
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date

from bot.phrases.scan import HAN
from store.dates import find_dates
from store.text import flat

SLOTS = ("date", "time", "number", "name", "words", "ref")
CHARACTERS_MAX = 200
WORDS_MIN, HAN_MIN = 3, 5
"""So much must be left beside the slots: two words that everybody uses are no habit."""
_SLOT = re.compile(r"\{(" + "|".join(SLOTS) + r")\}")
_REF = re.compile(r"\b(?:[DTdt]-\d[0-9a-z-]{4,20}|AUTO-\d[0-9a-z-]{6,20})\b")
_QUOTED = re.compile(r"“[^”\n]{1,80}”|「[^」\n]{1,80}」|\"[^\"\n]{1,80}\"")
_TIME = re.compile(
    r"\d{1,2}[:：]\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]m\b|(?:早上|上午|中午|下午|晚上)?[0-9一二三四五六七八九十两]{1,3}点(?:半|[0-9一二三四五六七八九十]{1,3}分?|一刻|三刻)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?|第[一二三四五六七八九十百]+")
_CAPITAL = re.compile(r"(?<=[a-z,;:] )[A-Z][A-Za-z]{1,30}(?: [A-Z][A-Za-z]{1,30})?")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")


def template_of(text: str, today: date, names: Collection[str] = ()) -> str:
    """The request with its slots, "" for what is too long, too short without them, or holds braces of its own."""
    line = " ".join(text.split())
    if not line or len(line) > CHARACTERS_MAX or "{" in line or "}" in line:
        return ""
    line = _REF.sub("{ref}", _QUOTED.sub("{words}", line))
    for found in reversed(find_dates(line, today, prefer_past=False)):
        line = line[: found.start] + "{date}" + line[found.end :]
    line = _sub(_TIME, "{time}", line)
    line = _sub(_NUMBER, "{number}", line)
    for name in sorted(names, key=len, reverse=True):
        if len(name) > 1:
            line = _sub(
                re.compile(rf"(?<!\w){re.escape(name)}(?!\w)" if name.isascii() else re.escape(name)), "{name}", line
            )
    line = _sub(_CAPITAL, "{name}", line)
    line = re.sub(r"(\{\w+\})(?:[ 的]?\1)+", r"\1", line)
    rest = _SLOT.sub(" ", line)
    return line if len(HAN.findall(rest)) >= HAN_MIN or len(_WORD.findall(rest)) >= WORDS_MIN else ""


def _sub(pattern: re.Pattern[str], slot: str, line: str) -> str:
    """Never inside a slot that is there already."""
    parts = re.split(r"(\{\w+\})", line)
    return "".join(part if _SLOT.fullmatch(part) else pattern.sub(slot, part) for part in parts)


def same(template: str) -> str:
    """Equal for templates that differ in case, width or spaces only."""
    return flat(template)


def has_slots(template: str) -> bool:
    return _SLOT.search(template) is not None


def with_slots(template: str, shown: dict[str, str]) -> str:
    """The template as a person reads it."""
    return _SLOT.sub(lambda found: shown[found[1]], template)


def slug_of(template: str, otherwise: str) -> str:
    """A name for a folder: the first plain words, else `otherwise`."""
    words = _WORD.findall(_SLOT.sub(" ", template).lower())
    return "-".join(re.sub(r"[^a-z0-9]+", "", word) for word in words[:4])[:40].strip("-") or otherwise
