"""Numbers, years and months as they are written, in both languages: what several files of rules read."""

from __future__ import annotations

import re

from store.days import Now, one_of

NUMERALS = "零〇一二两三四五六七八九十"
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
COUNT_ZH = r"(?:\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
UNITS_ZH = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
UNIT_ZH = r"(?P<unit>(?<=个)月|天|日|周|星期|礼拜|年)"

YEAR_WORDS_ZH = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
YEAR_ZH = (
    r"(?P<year>大前年|(?<![以之提目])前年|去年|今年|明年|(?<![以之然最])后年"
    r"|(?<![\d.])[12]\d\d\d ?年(?![代级])|(?:一九|二[〇零])[〇零一二三四五六七八九]{2}年)"
)
YEAR_ZH_STARTS = "大前去今明后12一二"


def number_zh(text: str) -> int:
    """12, 十二, 二十."""
    if text.isdecimal():  # `\d` also reads the digits of other scripts.
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS[tens or "一"] if ten else 0) * 10 + (_DIGITS[ones] if ones else 0)


def year_zh(text: str, now: Now) -> int:
    if text in YEAR_WORDS_ZH:
        return now.today.year + YEAR_WORDS_ZH[text]
    return int("".join(str(_DIGITS.get(c, c)) for c in text.removesuffix("年").rstrip()))


def names(*lines: str) -> dict[str, int]:
    """Several names of one thing a line, the lines numbered from 0."""
    return {name: i for i, line in enumerate(lines) for name in line.split()}


END = r"(?![a-z0-9_]|[.@][a-z0-9])"
"""Behind an English word: no longer word, no name of a file or a host."""
MONTHS = names(
    "", "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
MONTH_STARTS = "jfmasond"
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
NUMBERS = {word: i for i, word in enumerate(_WORDS)}
YEAR_STEPS = {"last": -1, "this": 0, "next": 1}
YEAR = r"(?:(?P<year>(?:19|20)\d\d)(?!\d|[.:/-]\d)|(?P<year_step>last|this|next) year(?!s))"


def month(group: str = "month") -> str:
    return rf"(?P<{group}>{one_of(MONTHS)})(?![a-z])(?:\.(?= \d))?"


def number(text: str) -> int:
    return int(text) if text.isdecimal() else NUMBERS[text]


def year_said(match: re.Match[str], now: Now) -> int | None:
    """The year of `YEAR`, when the match has one."""
    if match["year_step"]:
        return now.today.year + YEAR_STEPS[match["year_step"]]
    return int(match["year"]) if match["year"] else None


def is_a_name(match: re.Match[str], now: Now, group: str = "month") -> bool:
    """Whether it can only be the name: "May" and "Fri" are, "may", "march" and "wed" are verbs first."""
    return match[group] not in ("may", "march", "mar") or now.text[match.start(group)].isupper()
