"""The slash commands: one rule a word, and the word of ours that a mistyped one looks like."""

from __future__ import annotations

import re

from bot.intents import Intent, NewSession, Rules, TaskMove
from bot.phrases import commands as on
from bot.phrases import keeping, tasks, vocab
from bot.phrases.scan import Meter
from bot.phrases.tail import Rule, Tail
from bot.phrases.words import ALONE, SLASH_NAMES

WORD = re.compile(r"[/／]([A-Za-z0-9_\-]{1,32}|[^\W\d_]{1,32})(?:@([A-Za-z0-9_]{1,64}))?(?=[\s:：,，。!！?？]|\Z)")
"""`/word` or `/word@bot`, in Latin letters or in Chinese ones (/记住)."""


def _new(tail: Tail) -> Intent:
    return NewSession(tail.text)


def _rules(tail: Tail) -> Intent:
    return on.rule(tail) or Rules()


def _keep(tail: Tail) -> Intent | None:
    """/keep chat 90 days; /keep and anything else keeps that."""
    return keeping.behind_keep(tail.folded) or on.remember(tail)


def _fixed(phrase: str) -> Rule:
    intent = ALONE[phrase]
    return lambda tail: intent


RULES: dict[str, Rule] = {name: on.simple({"id": "whoami"}.get(name, name)) for name in SLASH_NAMES}
RULES.update(
    remember=on.remember, keep=_keep, recall=on.search, search=on.search, find=on.search, decisions=on.decisions, memory=_fixed("memory"),
    why=on.why, history=on.history, correct=on.correct, forget=on.forget, undo=on.undo, pin=on.pin, unpin=on.unpin, count=on.count, track=on.track,
    tasks=_fixed("tasks"), board=_fixed("board"), todo=tasks.add_task, remind=tasks.remind, archive=tasks.archive, new=_new, reset=_new,
    checkpoints=_fixed("checkpoints"), profile=on.profile, rules=_rules, rule=_rules, trail=_fixed("trail"),
    today=vocab.today, vocab=vocab.vocab, add=vocab.add, stats=_fixed("stats"),
    **{to.value: tasks.mover(to, words_need_colon=False) for to in TaskMove},
)  # fmt: skip


def nearest(typed: str, meter: Meter) -> str:
    """Our command that looks most like `typed`, or nothing when none is near."""
    best, least = "", 2 if len(typed) <= 4 else 3
    for name in SLASH_NAMES:
        if abs(len(name) - len(typed)) < least:
            distance = _edits(typed, name, meter)
            if distance < least:
                best, least = name, distance
    return best


def _edits(a: str, b: str, meter: Meter) -> int:
    """Insertions, deletions, changes and swaps of neighbours that turn `a` into `b`; both are short."""
    meter.steps += len(a) * len(b)
    rows = [list(range(len(b) + 1))]
    for i, left in enumerate(a, 1):
        above, row = rows[-1], [i]
        for j, right in enumerate(b, 1):
            cost = min(above[j] + 1, row[-1] + 1, above[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
