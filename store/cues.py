"""What a message in a chat gives away without being understood: does it ask, name a time, name somebody?

And the same of a question: does it want a time, or a name? Measured on chats that the rules were not made on, these
few signs move the right message up as far as vectors do. Computed once, when a message is indexed.
"""

from __future__ import annotations

import re

ASKS = 1
"""A question mark stands anywhere in it."""
ENDS_ASKING = 2
"""Its last mark is one."""
TIME = 4
"""It has a word for a time."""
NAME = 8
"""It has a name, told by its capital inside a sentence; Latin script only."""


_QUESTION_MARK = re.compile("[?？]")
_ENDS_ASKING = re.compile(r"[?？][\s\"'”’」』）)\]]*\Z")
_TIME_EN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|days?|weeks?|weekends?|months?|years?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thurs?|fri|sat|sun"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|morning|evening|recently|soon|just|first|until|birthday|anniversary|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_TIME_ZH = re.compile(
    r"[0-9〇零一二三四五六七八九十两]+[年月日号点]|[今昨前明后]天|[上下这][个]?[周月]|(?:周|星期|礼拜)[一二三四五六日天末]"
    r"|[去今明]年|最近|刚才|早上|晚上|上午|下午|期间|时期|世纪"
)
_NAME = re.compile(r"(?:[a-z,;:] |[\"“‘「『])[A-Z][A-Za-z]{2,}")


def cues_of(text: str) -> int:
    """The signs in a stored message, as bits."""
    found = 0
    if _QUESTION_MARK.search(text):
        found |= ASKS
        if _ENDS_ASKING.search(text):
            found |= ENDS_ASKING
    if _TIME_EN.search(text) or _TIME_ZH.search(text):
        found |= TIME
    if _NAME.search(text):
        found |= NAME
    return found


_WANTS_TIME = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:date|day|month|year|time)\b"
    r"|什么时候|何时|哪一?[年月天日]|几[月号点]|什么时间|多久|日期",
    re.IGNORECASE,
)
_WANTS_NAME = re.compile(
    r"\bwho\b|\bwhere\b|\bwhich\b|\bnames?\b"
    r"|\bwhat (?:city|country|state|place|book|movie|game|band|song)\b"
    r"|哪[里儿]|谁|哪[个位座部国]|什么地方",
    re.IGNORECASE,
)


def wanted_by(question: str) -> int:
    """What an answer to this question would show: TIME, NAME or nothing; a time goes before a name."""
    if _WANTS_TIME.search(question):
        return TIME
    return NAME if _WANTS_NAME.search(question) else 0
