"""What was said often enough to be worth keeping for good. Pure, and the same on every device that holds the same entries.

    sayings → groups (near duplicates are one, shown by the oldest) → a verdict each, with its reason

A group is proposed when somebody said that it is for good, when the same words were said three times on two days, or
when its score is high enough. What a newcomer would get wrong: a signal that is not there is left out and the others
weigh more; counted as nothing, or as a middle, it would put a ceiling or a floor under every score.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

REPEATS_MIN, DAYS_MIN = 3, 2
"""So often, on so many days, must the same words be said to be proposed for that alone."""
SCORE_MIN, SCORED_REPEATS_MIN = 0.65, 2
ALIKE_MIN = 0.8
"""Of the three-character pieces of two sayings, so many are shared by near duplicates."""
_DAYS_FULL, _SPAN_FULL, _THINGS_FULL = 3, 7, 3
_WEIGHTS = {"use": 0.30, "activation": 0.24, "recurrence": 0.15, "importance": 0.25, "richness": 0.06}
_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
_THING = re.compile(r"\d+(?:[.:,]\d+)*|(?<=[a-z,;:] )[A-Z][A-Za-z]{2,}|[A-Z]{2,}|#\w+|[A-Za-z]+(?=[\u3400-\u9fff])")


@dataclass(frozen=True, slots=True)
class Saying:
    """One entry as it is weighed. `words`: folded, on one line; `same`: equal for equal words."""

    id: str
    text: str
    words: str
    same: str
    day: date
    at_ms: int
    for_good: bool = False
    """Its own words say that it holds from now on, or the person called it important."""
    importance: int | None = None
    """0–1000 where a person has set it."""
    negations: int = 0
    """How many words say *not*."""


class Verdict(StrEnum):
    FOR_GOOD = "for-good"
    REPEATED = "repeated"
    SCORED = "scored"
    NEARLY = "nearly"
    LEFT = "left"


PROPOSED = (Verdict.FOR_GOOD, Verdict.REPEATED, Verdict.SCORED)


@dataclass(frozen=True, slots=True)
class Group:
    """Sayings of the same thing, oldest first."""

    sayings: tuple[Saying, ...]

    @property
    def first(self) -> Saying:
        return self.sayings[0]

    @property
    def last(self) -> Saying:
        return self.sayings[-1]

    @property
    def times(self) -> int:
        return len(self.sayings)

    @property
    def days(self) -> int:
        return len({one.day for one in self.sayings})


@dataclass(frozen=True, slots=True)
class Judged:
    group: Group
    verdict: Verdict
    score: float


def judge(sayings: Iterable[Saying], night: date) -> tuple[Judged, ...]:
    """Every group with its verdict, the oldest first. `night`: the local day on which the night ends."""
    return tuple(_judged(group, night) for group in groups(sayings))


def groups(sayings: Iterable[Saying]) -> tuple[Group, ...]:
    """Near duplicates as one group each, whatever order they come in."""
    ordered = sorted(sayings, key=_age)
    by_words: dict[str, list[Saying]] = {}
    for one in ordered:
        by_words.setdefault(one.same, []).append(one)
    known: dict[str, int] = {}
    shapes = [_Shape.of(some[0], known) for some in by_words.values()]
    near = _Near(shapes)
    found: dict[int, list[Saying]] = {}
    for place, some in enumerate(by_words.values()):
        other = near.first_like(place, found)
        found.setdefault(place if other is None else other, []).extend(some)
    return tuple(Group(tuple(sorted(some, key=_age))) for some in found.values())


def _age(one: Saying) -> tuple[int, str]:
    return one.at_ms, one.id


@dataclass(frozen=True, slots=True)
class _Shape:
    """The three-character pieces of a saying, as bits of one number: what two share is counted at once."""

    pieces: frozenset[str]
    bits: int
    numbers: tuple[str, ...]
    negations: int

    @classmethod
    def of(cls, one: Saying, known: dict[str, int]) -> _Shape:
        """`known`: the bit of each piece; grows."""
        words = one.words
        pieces = frozenset(words[at : at + 3] for at in range(max(len(words) - 2, 1)))
        bits = 0
        for piece in pieces:
            bits |= 1 << known.setdefault(piece, len(known))
        return cls(pieces, bits, tuple(sorted(_NUMBER.findall(words))), one.negations)

    def is_like(self, other: _Shape) -> bool:
        """Room 302 and room 303, or what is and what is not, are never near, however many letters they share."""
        whole = len(self.pieces) + len(other.pieces)
        shared = (self.bits & other.bits).bit_count()
        if shared < ALIKE_MIN * (whole - shared):
            return False
        return self.numbers == other.numbers and self.negations == other.negations


class _Near:
    """Finds near duplicates without comparing each with each.

    Where two share four fifths of their pieces, they share one of the few that are rarest in either; so only those that
    do are compared.
    """

    def __init__(self, shapes: Sequence[_Shape]) -> None:
        self._shapes = shapes
        often = Counter(piece for shape in shapes for piece in shape.pieces)
        self._rare = [_rarest(shape, often) for shape in shapes]
        self._by_piece: dict[str, list[int]] = defaultdict(list)

    def first_like(self, place: int, among: Container[int]) -> int | None:
        """The first of those asked about before, and of `among`, that is like this one."""
        rare, shape = self._rare[place], self._shapes[place]
        candidates = sorted({other for piece in rare for other in self._by_piece[piece]})
        for piece in rare:
            self._by_piece[piece].append(place)
        return next((one for one in candidates if one in among and shape.is_like(self._shapes[one])), None)


def _rarest(shape: _Shape, often: Mapping[str, int]) -> list[str]:
    ordered = sorted(shape.pieces, key=lambda piece: (often[piece], piece))
    return ordered[: len(ordered) - math.ceil(ALIKE_MIN * len(ordered)) + 1]


def _judged(group: Group, night: date) -> Judged:
    score = score_of(group, night)
    if any(one.for_good for one in group.sayings):
        return Judged(group, Verdict.FOR_GOOD, score)
    enough_days = group.days >= DAYS_MIN
    if group.times >= REPEATS_MIN and enough_days:
        return Judged(group, Verdict.REPEATED, score)
    if group.times >= SCORED_REPEATS_MIN and enough_days and score >= SCORE_MIN:
        return Judged(group, Verdict.SCORED, score)
    return Judged(group, Verdict.NEARLY if group.times >= SCORED_REPEATS_MIN else Verdict.LEFT, score)


def score_of(group: Group, night: date) -> float:
    """0–1 out of the signals that are there."""
    ages = [max((night - one.day).days, 1) for one in group.sayings]
    activation = math.log(sum(age**-0.5 for age in ages))
    signals = {
        "use": min(group.days / _DAYS_FULL, 1.0),
        "activation": 1 / (1 + math.exp(-activation)),
        "recurrence": min((group.last.day - group.first.day).days / _SPAN_FULL, 1.0),
    }
    weighed = [one.importance for one in group.sayings if one.importance is not None]
    if weighed:
        signals["importance"] = min(max(weighed), 1000) / 1000
    things = _things(group.sayings)
    if things:
        signals["richness"] = min(things / _THINGS_FULL, 1.0)
    whole = sum(_WEIGHTS[name] for name in signals)
    return sum(_WEIGHTS[name] * value for name, value in signals.items()) / whole


def _things(sayings: Sequence[Saying]) -> int:
    """Numbers, names and tags in the words: what says something about something."""
    return len(set(_THING.findall(sayings[0].text)))
