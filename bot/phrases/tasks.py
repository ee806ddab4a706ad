"""Task words: todo, done, blocked, remind … → an intent, or nothing when they were only talk.

A newcomer's trap: `/done write the drill` and 完成：写恢复演练 name a task by its words,
"done deal" does not, so plain English words need a RefID or a colon.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.intents import AddTask, Archive, Empty, Intent, MoveTask, Remind, TaskMove
from bot.phrases.questions import question_in
from bot.phrases.scan import Meter
from bot.phrases.tail import PHRASE_CHARACTERS_MAX, Rule, Tail

SENTENCE_CHARACTERS_MAX = 4000


def add_task(tail: Tail) -> Intent | None:
    if tail.meter.blank(tail.text):
        return Empty("todo")
    return AddTask(tail.text) if tail.free else None


def add_task_with_colon(tail: Tail) -> Intent | None:
    return add_task(tail) if tail.colon and tail.text else None


def archive(tail: Tail) -> Intent | None:
    month = _MONTH.match(tail.folded)
    if month is not None:
        return Archive(f"{month[1]}-{int(month[2]):02d}") if 1 <= int(month[2]) <= 12 else Archive()
    return Archive() if tail.slash else None


_MONTH = re.compile(r"(\d{4}) ?[-/.年] ?(\d{1,2})月?\Z")


def mover(to: TaskMove, *, words_need_colon: bool) -> Rule:
    """A rule for 完成 / done and its like: a RefID, or words of a title when clearly set off."""

    def move(tail: Tail) -> Intent | None:
        ref, rest = tail.ref
        if not tail.text:
            return Empty(to.value) if tail.slash else None
        set_off = tail.colon if words_need_colon else tail.free
        if not ref and (
            not set_off or tail.asks or len(tail.text) > SENTENCE_CHARACTERS_MAX or tail.folded.startswith("了")
        ):
            return MoveTask(to, tail.text[:PHRASE_CHARACTERS_MAX]) if tail.slash else None
        if to is TaskMove.BLOCKED:
            return _blocked(ref, rest if ref else tail.text, tail.meter)
        if ref:
            return MoveTask(to, ref)
        return MoveTask(to, tail.text) if len(tail.text) <= PHRASE_CHARACTERS_MAX or tail.slash else None

    return move


_BLOCK_MARK = re.compile(
    r"(?:(?<=[\s,，.。;；])|\A)(?:(?P<by>(?:卡在|因为|因為)[ ]?[:：]?|(?:blocked by|because of|because|by)(?![\w-])[ ]?[:：]?)"
    r"|(?P<resume>(?:恢复步骤|恢復步驟|恢复|恢復|resume step|resume|下一步)[ ]?[:：]))",
    re.IGNORECASE,
)


def _blocked(ref: str, text: str, meter: Meter) -> Intent:
    if len(text) > SENTENCE_CHARACTERS_MAX:
        return MoveTask(TaskMove.BLOCKED, ref or text)
    spans: dict[str, tuple[int, int]] = {}
    at = 0
    while (mark := meter.search(_BLOCK_MARK, text, at)) is not None:
        at = mark.end()
        spans.setdefault(mark.lastgroup or "", mark.span())
    cuts = sorted(spans.values())
    values = dict.fromkeys(("by", "resume"), "")
    for key, (_, end) in spans.items():
        stop = next((start for start, _ in cuts if start >= end), len(text))
        values[key] = text[end:stop].strip(" \t\n\u3000,，;；、:：")
    head = text[: cuts[0][0]] if cuts else text
    head = head.strip(" \t\n\u3000,，;；、:：—")
    because = values["by"] or (head if ref else "")
    return MoveTask(TaskMove.BLOCKED, ref or head, because, values["resume"])


def remind(tail: Tail) -> Intent | None:
    if tail.meter.blank(tail.text):
        return Empty("remind")
    if not tail.slash and not tail.asks and _REMIND_THEN.match(tail.folded):
        return Remind(tail.text)
    if not tail.slash and (_REMIND_ASKS.match(tail.folded) or tail.asks):
        asked = question_in(f"{tail.text}?", tail.meter)
        return replace(asked, question=tail.text) if asked is not None else None
    if not tail.slash and tail.folded.startswith("了") and not tail.joint:
        return None
    return Remind(tail.text[_remind_whom(tail) :] or tail.text)


def _remind_whom(tail: Tail) -> int:
    """/remind me to call: the words after the slash word may still say whom."""
    whom = _REMIND_WHOM.match(tail.folded) if tail.slash else None
    return whom.end() if whom else 0


_REMIND_WHOM = re.compile(r"(?:me|us|everyone)(?: to)? |我们?(?=[^们])|大家")


_REMIND_THEN = re.compile(
    r"when (?:i|we)(?:'m|'re| am| are|(?: next)? (?:get|come|arrive|leave|reach|see|finish|wake|meet|go)\b)"
)
""" "when I get home" says when to remind, "when we met" is what is asked."""
_REMIND_ASKS = re.compile(r"(?:what|when|where|who|which|how|why)\b|一下我们|我们之前")
