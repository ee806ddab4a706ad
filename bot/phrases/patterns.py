"""Commands that are no word in front: a RefID first, "how often have I met …", a time and then 提醒我."""

from __future__ import annotations

import re

from bot.intents import Correct, Decisions, History, Intent, MoveTask, Pin, Remind, TaskMove, Why
from bot.phrases import daily, keeping, tasks, vocab
from bot.phrases.counting import counting
from bot.phrases.fields import draft_of
from bot.phrases.reminding import reminding
from bot.phrases.scan import HEAD_CHARACTERS, Meter, ref_at, stands
from bot.phrases.tail import Tail

_AROUND = " 。.!！?？~～…,，、;；:：\"“”'"
_VERBS: dict[str, TaskMove] = {
    word: move
    for move, words in {
        TaskMove.DONE: "完成了|完成|做完了|搞定了|搞定|好了|is done|done",
        TaskMove.DOING: "开始做了|开始做|在做|开始|doing|start|started",
        TaskMove.READY: "就绪|ready",
        TaskMove.BLOCKED: "中断了|中断|卡住了|blocked",
    }.items()
    for word in words.split("|")
}
_REF_TAIL = re.compile(r"(?: ?的)?(出处|旧版|历史|history|source)[?？。.]*\Z")
_REF_CHANGE = re.compile(r"(?:这条|那条|这个)?\s{0,2}(?:改成|改为|更正为|更正|应该是|should be\b|to\b)")
_REMIND_MID = re.compile(r"提醒(?:一下)?(?:我们|我|大家)|\bremind (?:me|us)\b(?: to\b)?")
_REMIND_TIME = re.compile(
    r"\d|[今明后]天|[早晚]上|点|周|星期|月|号|小时|分钟|每天|tomorrow|tonight|day\b|noon|week|every|hour|minute"
)
_REMIND_NOT = re.compile(r"[没别不谁]|为什么|\b(?:you|did|didn't|don't|not|never|who|can|could)\b|[。!！?？;；\n]")


def pattern(body: str, folded: str, meter: Meter) -> Intent | None:
    """Commands that are not simply a word in front."""
    meter.steps += len(folded)
    ref = ref_at(folded)
    if ref is None and folded.startswith("把"):
        ref = ref_at(folded, 2 if folded[1:2] == " " else 1)
    if ref is not None:
        return _about_ref(body, folded, *ref, meter)
    if len(body) > HEAD_CHARACTERS:
        return None
    if folded.startswith("关于") and folded.rstrip("?？。 ").endswith("的决定"):
        return Decisions(body[2 : folded.rindex("的决定")].strip())
    return (
        counting(body, folded)
        or daily.moving(body, folded, meter)
        or keeping.keeping(folded)
        or vocab.saying(body, folded)
        or reminding(body, folded)
        or _remind_later(body, folded)
    )


def _about_ref(body: str, folded: str, ref: str, end: int, meter: Meter) -> Intent | None:
    start = meter.after_joint(body, end)
    rest, said = body[start:], meter.fold(body[start:])
    tail = _REF_TAIL.match(folded, end) or _REF_TAIL.match(said)
    if tail is not None:
        return Why(ref) if tail[1] in {"出处", "source"} else History(ref)
    change = _REF_CHANGE.match(said)
    if change is not None:
        text = rest[meter.after_joint(rest, change.end()) :]
        return None if rest.endswith(("?", "？", "吗")) else Correct(draft_of(text, meter, text_may_be_empty=True), ref)
    for word in sorted(_VERBS, key=len, reverse=True):
        if stands(word, said, 0):
            more = rest[meter.after_joint(rest, len(word)) :]
            if _VERBS[word] is TaskMove.BLOCKED:
                return tasks.mover(TaskMove.BLOCKED, words_need_colon=False)(
                    Tail(f"{ref} {more}", " ", meter.fold(f"{ref} {more}"), meter)
                )
            return MoveTask(_VERBS[word], ref) if not more.strip(_AROUND) and not rest.endswith(("?", "？")) else None
    if said.strip(_AROUND) in {"置顶", "取消置顶"}:
        return Pin(ref, said.strip(_AROUND) == "置顶")
    return None


def _remind_later(body: str, folded: str) -> Intent | None:
    """明天早上 9 点提醒我交房租: the time comes first."""
    found = _REMIND_MID.search(folded)
    if found is None or found.start() < 2 or body.endswith(("?", "？")):
        return None
    before = folded[: found.start()]
    if not _REMIND_TIME.search(before) or _REMIND_NOT.search(before):
        return None
    after = body[found.end() :].strip(" ，,：:")
    return Remind(
        body[: found.start()].rstrip(" ，,")
        + (" " if body[found.start() - 1].isspace() and after.isascii() else "")
        + after
    )
