"""What a card's reviews make of it: how well it is remembered, and when it is due. Pure; the only door to FSRS.

Nothing here is ever stored in a document: the same reviews give the same answer on every device, whatever the order in
which they came, so reviews merge and states need not. That holds for one engine only, so its parameters are written out
here and not taken from the library, whose defaults have changed between versions; and without its random spread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from store.changes import Json, canonical
from store.errors import Rejected
from store.ids import digest
from store.model import EntryID, Review, ReviewKind

if TYPE_CHECKING:
    from fsrs import Card as FsrsCard
    from fsrs import Rating, Scheduler, State

LABEL = "fsrs-6.3"
"""Devices with one label agree; one that finds another in the settings keeps its hands off them."""
PARAMETERS = (
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
    0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
)  # fmt: skip
FORGOT, HARD, KNEW, EASY = 1, 2, 3, 4
LAPSES_MAX = 6
LAPSES_LATELY_MAX, LATELY = 4, 10
"""So many lapses, or so many within the last ten answers, and a card is stubborn: asking on would only annoy."""
STEPS_MAX = 10
STEP_S_MAX = 30 * 24 * 60 * 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_LATEST_MS = 253_402_300_800_000 // 2
"""Year 5985. What is due is at most a hundred years later, and no calendar ends in between."""


class NotInstalled(Rejected):
    """The extra `learn` is missing."""

    code = "error-no-extra"


class Phase(StrEnum):
    NEW = "new"
    LEARNING = "learning"
    REVIEW = "review"
    RELEARNING = "relearning"


@dataclass(frozen=True, slots=True)
class Engine:
    """`retention`: the chance to remember at which a card is due; the steps: until it is learned, or learned again."""

    parameters: tuple[float, ...] = PARAMETERS
    retention: float = 0.9
    steps_s: tuple[int, ...] = (60, 600)
    steps_again_s: tuple[int, ...] = (600,)

    def to_json(self) -> dict[str, Json]:
        """For the register `settings/fsrs`. No document holds fractions, so they are texts."""
        return {
            "again": list(self.steps_again_s),
            "engine": LABEL,
            "parameters": [repr(one) for one in self.parameters],
            "retention": repr(self.retention),
            "steps": list(self.steps_s),
        }

    @classmethod
    def from_json(cls, value: Json) -> Engine | None:
        """None for what is no engine of this version: then the usual one counts, and the register is left as it is."""
        if not isinstance(value, dict) or value.get("engine") != LABEL:
            return None
        try:
            engine = cls(
                tuple(float(one) for one in _texts(value.get("parameters"))),
                float(*_texts([value.get("retention")])),
                _steps(value.get("steps")),
                _steps(value.get("again")),
            )
            _scheduler(engine)
        except (ValueError, TypeError):
            return None
        return engine if 0.5 <= engine.retention < 1 else None

    @property
    def name(self) -> str:
        """Another one for other parameters, and for another way to replay."""
        return digest(canonical({"replay": 1, **self.to_json()}))


@dataclass(frozen=True, slots=True)
class Remembered:
    """How a card stands. Of a new one nothing but `phase` means anything."""

    phase: Phase = Phase.NEW
    due_ms: int = 0
    stability: float = 0.0
    """Days after which the chance to remember is 90 %."""
    difficulty: float = 0.0
    """1–10."""
    reps: int = 0
    """Answers; what came before it was learned from the beginning counts, too."""
    lapses: int = 0
    """How often it was forgotten after it had been learned, since it was last begun."""
    first_ms: int = 0
    last_ms: int = 0
    last_rating: int = 0
    step: int = -1
    """Of the steps of learning; -1 behind them."""
    lately: tuple[bool, ...] = ()
    """Of the last ten answers, oldest first: was it a lapse?"""

    @property
    def is_stubborn(self) -> bool:
        return self.lapses >= LAPSES_MAX or sum(self.lately) >= LAPSES_LATELY_MAX


def replay(reviews: Iterable[Review], engine: Engine) -> Remembered:
    """What counts of one card (`store.cards.reviews`), in any order. Raises NotInstalled."""
    return _along(Remembered(), sorted(reviews, key=_place), _scheduler(engine))


def _place(review: Review) -> tuple[int, str, str]:
    return review.at_ms, review.device, review.id


def after(remembered: Remembered, rating: int, at_ms: int, engine: Engine) -> Remembered:
    """How the card would stand with one answer more."""
    return _along(remembered, [Review(EntryID(""), EntryID(""), rating, at_ms)], _scheduler(engine))


def recall_chance(remembered: Remembered, now_ms: int, engine: Engine) -> float:
    """0–1; of a card that was never answered 0."""
    if remembered.phase is Phase.NEW:
        return 0.0
    return float(_scheduler(engine).get_card_retrievability(_card(remembered), _moment(now_ms)))


def is_stubborn(reviews: Iterable[Review], engine: Engine | None = None) -> bool:
    return replay(reviews, engine or Engine()).is_stubborn


def _along(before: Remembered, reviews: Sequence[Review], scheduler: Scheduler) -> Remembered:
    """FSRS's own card is carried along and read at the end: a memory may hold fifty thousand reviews."""
    ratings, learned = _words()
    card, grade = _card(before), scheduler.review_card
    reps, lapses, first_ms, lately = before.reps, before.lapses, before.first_ms, list(before.lately)
    is_new, last = before.phase is Phase.NEW, None
    for review in reviews:
        if review.kind is ReviewKind.RESET:
            card, lapses, first_ms, lately, is_new, last = _card(Remembered()), 0, 0, [], True, None
        elif review.rating:
            rating, at_ms = review.rating, review.at_ms
            lapsed = rating == FORGOT and card.state is learned
            card, _ = grade(card, ratings[rating], _moment(at_ms))
            lately.append(lapsed)
            reps, lapses, last = reps + 1, lapses + lapsed, review
            if is_new:
                first_ms, is_new = at_ms, False
    if last is None:
        return Remembered(reps=reps) if is_new else before
    assert card.stability is not None and card.difficulty is not None
    return Remembered(
        phase=_PHASES[int(card.state)],
        due_ms=(card.due - _EPOCH) // _MS,
        stability=card.stability,
        difficulty=card.difficulty,
        reps=reps,
        lapses=lapses,
        first_ms=first_ms,
        last_ms=last.at_ms,
        last_rating=last.rating,
        step=-1 if card.step is None else card.step,
        lately=tuple(lately[-LATELY:]),
    )


_PHASES = {1: Phase.LEARNING, 2: Phase.REVIEW, 3: Phase.RELEARNING}
_STATES = {phase: number for number, phase in _PHASES.items()}


def _card(remembered: Remembered) -> FsrsCard:
    from fsrs import Card, State

    if remembered.phase is Phase.NEW:
        return Card(card_id=1)  # without an id of ours it waits a millisecond to make one
    return Card(
        card_id=1,
        state=State(_STATES[remembered.phase]),
        step=None if remembered.step < 0 else remembered.step,
        stability=remembered.stability,
        difficulty=remembered.difficulty,
        due=_moment(remembered.due_ms),
        last_review=_moment(remembered.last_ms),
    )


@lru_cache(maxsize=8)
def _scheduler(engine: Engine) -> Scheduler:
    """Raises ValueError for parameters out of bounds."""
    try:
        from fsrs import Scheduler
    except ImportError as error:
        raise NotInstalled(name="FSRS", extra="learn") from error
    return Scheduler(
        engine.parameters,
        engine.retention,
        [timedelta(seconds=one) for one in engine.steps_s],
        [timedelta(seconds=one) for one in engine.steps_again_s],
        enable_fuzzing=False,
    )


@lru_cache(maxsize=1)
def _words() -> tuple[dict[int, Rating], State]:
    from fsrs import Rating, State

    return {rating.value: rating for rating in Rating}, State.Review


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp((at_ms if at_ms < _LATEST_MS else _LATEST_MS) / 1000, UTC)


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError
    return value


def _steps(value: Any) -> tuple[int, ...]:
    fits = isinstance(value, list) and len(value) <= STEPS_MAX
    if not fits or not all(type(one) is int and 0 < one <= STEP_S_MAX for one in value):
        raise ValueError
    return tuple(value)


# as text, for a cache


def packed(now: Remembered) -> str:
    lately = "".join("x" if one else "." for one in now.lately)
    return (
        f"{now.phase.value} {now.due_ms} {now.stability!r} {now.difficulty!r} {now.reps} {now.lapses} {now.first_ms}"
        f" {now.last_ms} {now.last_rating} {now.step} {lately}"
    )


def unpacked(text: str) -> Remembered:
    phase, due, stability, difficulty, reps, lapses, first, last, rating, step, lately = text.split(" ")
    return Remembered(
        _BY_NAME[phase], int(due), float(stability), float(difficulty), int(reps), int(lapses), int(first), int(last),
        int(rating), int(step), tuple([one == "x" for one in lately]),
    )  # fmt: skip


_BY_NAME = {phase.value: phase for phase in Phase}
