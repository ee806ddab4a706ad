"""How an answer was found, in numbers and ids: which layers were searched, what came up, and why it was enough or not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

CANDIDATES_MAX = 3


class Outcome(StrEnum):
    ANSWER = "answer"
    CLOSEST = "closest"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the best texts of a layer. `record`: id of an entry or number of a turn."""

    record: str
    score: float
    coverage: float
    """Share of the question's weight that stands in it, 0 to 1."""
    near: float | None
    """How near it is in meaning: 0 is usual of unrelated texts, 1 one spread above; None without vectors."""


@dataclass(frozen=True, slots=True)
class Step:
    """One layer. `said` against `needed`: what the gate saw and where its bar lay; equal or above is enough."""

    layer: str
    looked_at: int
    found: int
    enough: bool
    coverage: float
    """Best share of the question's weight found in one text, 0 to 1."""
    said: float = 0.0
    needed: float = 0.0
    candidates: tuple[Candidate, ...] = ()
