"""Is this a question, how is it meant, and what is it about.

The topic is shown to the person ("no entry yet on “spare key”"), so it is always one slice of
what they typed: the ends are peeled off, the middle is never rewritten. A sentence that merely
contains 谁 or "when" is no question; it is left to the offers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.intents import Ask, Aspect
from bot.phrases import chinese, english
from bot.phrases.scan import CLAUSE_BREAK, HAN, SEEN, Meter

QUESTION_CHARACTERS_MAX = 300
"""Longer messages are letters, not questions to a memory."""
TOPIC_CHARACTERS_MAX = 60

_BEFORE_THE_END = re.compile(r"([^?？\n]{2,60}[?？])\s{0,3}[^\s,，;；:：.。!！?？\n][^,，;；:：.。!！?？\n]{0,11}\Z")
"""A question, then a word or two: 钥匙在哪？谢谢."""
_ENDS = re.compile(r"[?？][\s?？!！。.~～…”\"'’）)]*\Z")

_EITHER = re.compile(r"还是| or ")


def _begins_with_one(folded: str, asks: Callable[[str], bool]) -> bool:
    begun = _BEFORE_THE_END.match(folded)
    return begun is not None and (_EITHER.search(begun[1]) is not None or asks(begun[1][:-1]))


def question_in(text: str, meter: Meter) -> Ask | None:
    """`text` when it asks something, else nothing."""
    if len(text) > QUESTION_CHARACTERS_MAX:
        return None
    folded = meter.fold(text, QUESTION_CHARACTERS_MAX)
    marked = folded.startswith("¿") or _ENDS.search(folded[-8:]) is not None
    is_chinese = HAN.search(folded) is not None and not english.OPENS.match(folded)
    tongue = chinese if is_chinese else english
    if marked:
        asked = SEEN.search(CLAUSE_BREAK.sub("", folded)) is not None
    else:
        asked = tongue.asks(folded) or _begins_with_one(folded, tongue.asks)
    if not asked:
        return None
    aspect = _aspect(folded)
    first, last = tongue.topic(folded)
    topic = text[first:last].strip()
    return Ask(question=text, topic=topic if len(topic) <= TOPIC_CHARACTERS_MAX else "", aspect=aspect)


_EVER = re.compile(r"(?:有没有|是不是|是否)[聊说谈提讲讨]|(?:聊|谈|提|说|讨论|讲)过(?:吗|么|没|[^\n]{0,12}(?:吗|没有?)[?？]?\Z)|\bever\b"
                   r"|\b(?:did|have) we (?:talk|talked|discuss|discussed|mention|mentioned|chat|chatted)\b")  # fmt: skip
_DECIDED = re.compile(
    r"决定|怎么定|定没定|定下|说好|(?<![一确固设规预稳肯约特制锁鉴])定(?:了|过|的)|\bdecid|\bdecision|\bagreed?\b"
)
_PREFERENCE = re.compile(
    r"偏好|喜好|我(?:最|不)?(?:喜欢|讨厌)[^\n]{0,4}(?:什么|哪|啥)|\bpreferences?\b|\bwhat do i (?:like|prefer|hate|dislike)\b"
)

_OF_ME = re.compile(
    r"我(?!们)(?:[^\s,，。;；?？我你他她]{0,6}?)(?:喜欢|讨厌|偏好|喜好|说|提|讲|聊|告诉|决定)"
    r"|\b(?:did|do|have|had) i (?:ever |already |last )?(?:like|prefer|hate|dislike|say|said|tell|told|mention|mentioned|decide|decided|note|noted)\b"
    r"|\bmy preferences?\b"
)


def is_of_me(question: str) -> bool:
    """Whether it asks for what the asker has said or likes, and not for what anybody has."""
    return _OF_ME.search(question.casefold()) is not None


def _aspect(folded: str) -> Aspect:
    if _PREFERENCE.search(folded):
        return Aspect.PREFERENCE
    if _EVER.search(folded):
        return Aspect.EVER
    return Aspect.DECIDED if _DECIDED.search(folded) else Aspect.PLAIN
