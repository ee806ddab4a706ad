"""Whether a text reads like an order to a bot or agent. It is a mark, never a filter: such text is kept and shown.

Two steps. `undisguise` takes the make-up off. Then one pass finds *cues*, words that belong to a class such as DROP or
ORDER (`taint_words`), and a *rule* is a short sequence of classes, each at most so many characters after the one
before: DROP … EARLIER … ORDER is "ignore (any words) previous (any words) instructions". A rule only remembers where
each of its steps was last seen, so the cost is linear in the text.

What a newcomer would get wrong: a single word is never enough. "ignore the failing test", "send the invoice to Noor"
and 以后每个周五提交周报 are what people write all day.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cache

from store.disguise import any_of, hidden_text, undisguised
from store.taint_words import CUES, SHAPES

CHARACTERS_MAX = 16_000
"""Twice what an entry may hold; what stands behind it is not looked at."""


def is_instruction(text: str) -> bool:
    """True when `text`, or what is hidden in its invisible tag characters, reads like an order to an agent."""
    text = text[:CHARACTERS_MAX]
    hidden = hidden_text(text)
    return _breaks_a_rule(_readable(text)) or (hidden != "" and _breaks_a_rule(_readable(hidden)))


@dataclass(frozen=True, slots=True)
class _Rule:
    """These classes in this order, each at most `gap` characters after the one before and in one sentence."""

    steps: tuple[str, ...]
    gap: int = 60
    across: bool = False
    """May run over the end of a sentence."""


def _rule(steps: str, gap: int = 60, *, across: bool = False) -> _Rule:
    return _Rule(tuple(steps.split()), gap, across)


_RULES = (
    _rule("DROP EARLIER ORDER"),
    _rule("DROP EARLIER RULE", 40),
    _rule("DROP ALL ORDER", 40),
    _rule("DROP ORDER EARLIER", 24),
    _rule("DROP EVERYTHING", 24),
    _rule("DROP OWN_ORDER", 24),
    _rule("EARLIER ORDER DROP", 12),
    _rule("SEND EVERY ANSWER", 24),
    _rule("SEND ANSWER SINK", 40),
    _rule("EVERY ANSWER SEND", 24),
    _rule("ANSWER SEND SINK", 40),
    _rule("REVEAL INNER", 32),
    _rule("INNER REVEAL", 10),
    _rule("INNER TO_ME", 16),
    _rule("KEYS TO_ME", 10),
    _rule("TO_ME KEYS", 10),
    _rule("SETTINGS TO_ME", 6),
    _rule("REVEAL SETTINGS SINK", 40),
    _rule("DISCLOSE KEYS", 8),
    _rule("REVEAL KEYS SINK", 40),
    _rule("KEYS SEND SINK", 40),
    _rule("BE_NOW"),
    _rule("YOU_NOW ROLE", 40),
    _rule("BE ROLE", 24),
    _rule("FROM_NOW ALWAYS ACT", 24),
    _rule("FROM_NOW YOU MUST ACT", 16),
    _rule("FROM_NOW MUST ACT_FOR_ME", 24),
    _rule("FROM_NOW YOU MUST REVEAL", 12),
    _rule("FROM_NOW ACT ALWAYS", 12),
    _rule("EXEC THIS_COMMAND", 16),
    _rule("FETCH PIPE", 300, across=True),
    _rule("DECODE BLOB OBEY", 160, across=True),
    _rule("BLOB DECODE OBEY", 160, across=True),
    _rule("DECODE OBEY BLOB", 80, across=True),
    _rule("OBEY DECODE BLOB", 80, across=True),
    _rule("COMMENT AGENT REVEAL", 100, across=True),
    _rule("COMMENT AGENT DROP", 100, across=True),
    _rule("COMMENT AGENT EXEC", 100, across=True),
    _rule("COMMENT AGENT ALWAYS", 100, across=True),
    _rule("COMMENT AGENT WIPE", 100, across=True),
    _rule("COMMENT REVEAL EVERY", 60),
    _rule("COMMENT YOU ALWAYS", 60),
    _rule("READING AGENT ALWAYS", 60, across=True),
    _rule("AGENT READING ALWAYS", 60, across=True),
    _rule("READING AGENT REVEAL", 60, across=True),
    _rule("AGENT READING REVEAL", 60, across=True),
    _rule("SPEAKS_AS YOU", 60, across=True),
    _rule("SPEAKS_AS DROP", 60, across=True),
    _rule("SPEAKS_AS REVEAL", 60, across=True),
    _rule("SPEAKS_AS ALWAYS", 60, across=True),
    _rule("SPEAKS_AS EXEC", 60, across=True),
    _rule("WIPE EVERY MEMORIES", 16),
    _rule("WIPE INNER", 12),
    _rule("FOLLOW INSTEAD ORDER", 12),
    _rule("QUIET REVEAL", 60, across=True),
    _rule("REVEAL QUIET", 80, across=True),
    _rule("QUIET EXEC", 60, across=True),
    _rule("WRECK"),
    _rule("MARKER"),
)

_RULES_BY_START: dict[str, list[_Rule]] = {}
for _one in _RULES:
    _RULES_BY_START.setdefault(_one.steps[0], []).append(_one)

_STOP = re.compile(r"[.!?;](?=\s)|[。！？；]|\n\n")
_NEGATED = re.compile(
    r"(?:(?<!why )\bnot|\bnever|\bno|\bwithout|\bcannot|n't|不|别|勿|没|未)"
    r" ?(?:to |ever |just |要|能|会|再|去|得|可|许|准|应|该|必){0,2}\Z|[如若]果?已[^。\n]{0,8}\Z"
)
_NEGATABLE = frozenset({"DROP", "SEND", "REVEAL", "DISCLOSE", "EXEC", "WIPE", "YOU_NOW", "BE"})

_SPACED_HAN = re.compile(r"[ *_·~|/-]{1,3}(?<=[\u4e00-\u9fff].)(?=[\u4e00-\u9fff])")
_SPELT = re.compile(r"[ .*_-](?<=[a-z].)(?<![a-z0-9][a-z].)[a-z](?![a-z0-9])(?:[ .*_-][a-z](?![a-z0-9])){2,40}")


def _readable(text: str) -> str:
    flat = undisguised(text).lower()
    flat = _SPELT.sub(lambda found: found[0][1::2], flat)
    flat = re.sub(" {2,}", " ", flat)
    return "\n" + (flat if flat.isascii() else _SPACED_HAN.sub("", flat))


# Built when the first text is judged: the start of the program need not wait for them.


@cache
def _classes() -> dict[str, tuple[str, ...]]:
    """Each word with its classes."""
    classes: dict[str, tuple[str, ...]] = {}
    for name, phrases in CUES.items():
        for phrase in phrases.split("|"):
            stem, plural, _ = phrase.partition("(s)")
            for word in {stem, stem + "s"} if plural else {stem}:
                if name not in classes.get(word, ()):
                    classes[word] = (*classes.get(word, ()), name)
    return classes


@cache
def _english() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_of(word for word in _classes() if word.isascii())})(?![a-z0-9_])")


@cache
def _chinese() -> re.Pattern[str]:
    return re.compile(any_of(word for word in _classes() if not word.isascii()))


def _patterns(text: str) -> tuple[re.Pattern[str], ...]:
    return (_english(),) if text.isascii() else (_english(), _chinese())


@cache
def _shape_patterns() -> list[tuple[str, re.Pattern[str], re.Pattern[str]]]:
    return [(name, re.compile("|".join(map(re.escape, signs))), re.compile(shape)) for name, signs, shape in SHAPES]


def _shapes(text: str) -> list[tuple[str, re.Pattern[str]]]:
    """The shapes worth looking for: a sign of them is there."""
    return [(name, shape) for name, sign, shape in _shape_patterns() if sign.search(text)]


_Cue = tuple[int, int, tuple[str, ...]]


def _classes_in(text: str) -> set[str]:
    """Which classes occur at all: most notes hold no complete rule, and need no closer look."""
    classes = _classes()
    words = {word for pattern in _patterns(text) for word in pattern.findall(text)}
    here = {kind for word in words for kind in classes[word.replace("\n", " ")]}
    return here.union(name for name, shape in _shapes(text) if shape.search(text))


def _cues(text: str, wanted: Container[str]) -> list[_Cue]:
    """(start, end, classes) of each cue with a wanted class, in the order they stand."""
    useful = {
        word: kept for word, kinds in _classes().items() if (kept := tuple(kind for kind in kinds if kind in wanted))
    }
    cues: list[_Cue] = []
    for pattern in _patterns(text):
        cues += [
            (*found.span(), kinds)
            for found in pattern.finditer(text)
            if (kinds := useful.get(found[0].replace("\n", " ")))
        ]
    for name, shape in _shapes(text):
        if name in wanted:
            cues += [(*found.span(), (name,)) for found in shape.finditer(text)]
    cues.sort()
    return cues


def _stands(text: str, rule: _Rule, first: tuple[int, int], end: int) -> bool:
    """A complete sequence counts only inside one sentence and when its first word isn't negated."""
    if not rule.across and _STOP.search(text, first[1], end):
        return False
    return not (rule.steps[0] in _NEGATABLE and _NEGATED.search(text, max(0, first[0] - 12), first[0]))


def _breaks_a_rule(text: str) -> bool:
    here = _classes_in(text)
    steps: dict[str, list[tuple[_Rule, int, list[tuple[int, int, int]]]]] = {}
    for rule in (rule for kind in here for rule in _RULES_BY_START.get(kind, ()) if here.issuperset(rule.steps)):
        # For each step: where the latest run up to it began (start, end of its first word), and where it ends.
        seen = [(0, 0, -1000)] * len(rule.steps)
        for step in range(len(rule.steps) - 1, -1, -1):  # Later steps first: one word never fills two.
            steps.setdefault(rule.steps[step], []).append((rule, step, seen))
    if not steps:
        return False
    for start, end, kinds in _cues(text, steps):
        for kind in kinds:
            for rule, step, seen in steps.get(kind, ()):
                began = (start, end)
                if step:
                    head, tail, since = seen[step - 1]
                    if not 0 <= start - since <= rule.gap:
                        continue
                    began = (head, tail)
                if step + 1 < len(rule.steps):
                    seen[step] = (*began, end)
                elif _stands(text, rule, began, start):
                    return True
    return False
