"""A person's cards on one learning day: what is due, what an answer does, what was answered already.

Here the cards of a memory meet what the schedule makes of their reviews. What was worked out is kept beside them and
dropped by whatever happens to a card, so a deck of thousands is replayed once and not before every tap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta

from bot.habits import Habits, is_time
from scheduler import learning, review
from scheduler.learning import LearningDay, Queue, Standing
from scheduler.review import Engine, Remembered
from store import cards
from store.model import AccountID, Card, CardState, EntryID, Review, ReviewKind
from store.view import View
from store.writer import Writer

ENGINE, DAY_STARTS = "fsrs", "day_starts"
"""Registers of `settings`."""
CLOCK_AHEAD_MS = 24 * 60 * 60 * 1000
"""An answer of a clock that goes wrong by more does not count before its time: it would put the card off for years."""
_FEW = 200
"""So many cards are read one by one, more in one go."""


class Deck:
    """Of one moment; what is answered through it is in it. `view` may be a writer: then what was worked out is kept.

    Raises NotInstalled where FSRS is missing, KeyError for an unknown zone.
    """

    def __init__(self, view: View, now: datetime, zone: str, habits: Habits) -> None:
        self._view = view
        self._habits = habits
        self._zone = zone
        self._now_ms = int(now.timestamp() * 1000)
        starts = view.setting(DAY_STARTS)
        self.starts: str = starts if is_time(starts) else learning.DAY_STARTS
        """When a learning day begins, by the clock on the wall."""
        self.today: LearningDay = learning.learning_day(now, zone, self.starts)
        register = view.register("settings", ENGINE)
        found = Engine.from_json(register.value) if register else None
        self.engine = found or Engine()
        self.engine_is_foreign = found is None and register is not None and register.value is not None
        """Another version has set how cards are reckoned: this one goes by the usual way, and leaves that alone."""
        self._known: dict[str, Remembered] = {}
        self._all: list[Card] | None = None

    @property
    def slot(self) -> str:
        """Today, as reviews name it."""
        return self.today.day.isoformat()

    # days

    def day_of(self, at_ms: int) -> date:
        """The learning day that a moment is in."""
        return learning.learning_day(datetime.fromtimestamp(at_ms / 1000, UTC), self._zone, self.starts).day

    def next_day(self, due_ms: int) -> date:
        """The learning day on which a card comes again that is not asked today any more."""
        return self.today.day + timedelta(days=1) if due_ms < self.today.end_ms else self.day_of(due_ms)

    def due_day(self, card: str) -> date:
        """The one on which a learned card is due, or was: never the one of its last answer."""
        now = self.remembered(card)
        return max(self.day_of(now.due_ms), self.day_of(now.last_ms) + timedelta(days=1))

    # reading

    def cards(self) -> list[Card]:
        """Every card but removed ones, in the order in which new ones are asked."""
        if self._all is None:
            self._all = cards.cards(self._view)
            self._work_out(one.id for one in self._all)
        return self._all

    def remembered(self, card: str) -> Remembered:
        if card not in self._known:
            self._work_out([card])
        return self._known[card]

    def standings(self) -> list[Standing]:
        return [Standing(one, self.remembered(one.id)) for one in self.cards()]

    def queue(self, *, cap: int | None = None, new_a_day: int | None = None) -> Queue:
        """What is left today. `cap`, `new_a_day`: others for this once."""
        return learning.queue(
            self.standings(),
            self.today,
            self._now_ms,
            cap=self._habits.cap if cap is None else cap,
            new_a_day=self._habits.new_a_day if new_a_day is None else new_a_day,
        )

    def stubborn(self) -> list[Card]:
        """Cards in use that are forgotten again and again: they are not asked until a person has said what to do."""
        return [one for one in self.cards() if one.state is CardState.ACTIVE and self.remembered(one.id).is_stubborn]

    def attempt(self, card: str, slot: str | None = None) -> int:
        """The number that the next question about a card has on a day; its buttons carry it."""
        return cards.attempt(self._view, card, slot or self.slot)

    def was_left_open(self, card: str, slot: str, attempt: int) -> bool:
        """Whether a question of an earlier day has no answer, and nothing was answered about its card since."""
        return attempt == self.attempt(card, slot) and not any(
            one.slot > slot for one in cards.events(self._view, card) if self.has_come(one)
        )

    def has_come(self, one: Review) -> bool:
        """Not true of what a clock that was far ahead has said: it counts when its time has come."""
        return one.at_ms <= self._now_ms + CLOCK_AHEAD_MS

    def answered(self, card: str, slot: str, attempt: int) -> Review | None:
        """The answer that a button's question has got already, also one that was taken back."""
        return cards.review(self._view, cards.answer_id(card, slot, attempt))

    def after(self, card: str, rating: int) -> Remembered:
        """How the card would stand if this were the answer now."""
        return review.after(self.remembered(card), rating, self._now_ms, self.engine)

    def chance(self, card: str) -> float:
        """To remember it now, 0–1."""
        return review.recall_chance(self.remembered(card), self._now_ms, self.engine)

    # writing

    def grade(
        self, writer: Writer, card: str, rating: int, *, slot: str, attempt: int, by: AccountID, took_ms: int = 0
    ) -> Review | None:
        """Keeps the answer to a question, whenever it comes; None when that question has one already."""
        one = Review(
            cards.answer_id(card, slot, attempt), EntryID(card), rating, self._now_ms, zone=self._zone, took_ms=took_ms,
            device=writer.device, slot=slot, by=by,
        )  # fmt: skip
        return one if self._happened(cards.grade(writer, one), [card]) else None

    def undo(self, writer: Writer, event: str, *, by: AccountID) -> Review | None:
        """Takes an event back and gives it; None when there is none, or it has been taken back."""
        found = cards.review(writer, event)
        if found is None or not cards.undo_review(writer, event, by=by, at_ms=self._now_ms, zone=self._zone):
            return None
        self._happened(True, [found.card])
        return found

    def reset(self, writer: Writer, wanted: Iterable[str], *, by: AccountID) -> list[Review]:
        """These cards are learned from the beginning; what was answered before stays in the log."""
        made = [
            Review(
                cards.reset_id(card, self.slot, self.attempt(card)), EntryID(card), 0, self._now_ms, zone=self._zone,
                device=writer.device, slot=self.slot, kind=ReviewKind.RESET, by=by,
            )
            for card in dict.fromkeys(wanted)
        ]  # fmt: skip
        self._happened(cards.keep_reviews(writer, made) > 0, [one.card for one in made])
        return made

    def _happened(self, is_new: bool, touched: Iterable[str]) -> bool:
        for card in touched:
            self._known.pop(card, None)
        return is_new

    # working out

    def _work_out(self, wanted: Iterable[str]) -> None:
        left = [card for card in wanted if card not in self._known]
        kept = cards.remembered(self._view, self.engine.name, left if len(left) <= _FEW else None)
        ahead = {one.card for one in cards.all_reviews(self._view, from_ms=self._now_ms + CLOCK_AHEAD_MS + 1)}
        kept = {card: value for card, value in kept.items() if card not in ahead}  # worked out by that clock
        self._known |= {card: review.unpacked(kept[card]) for card in left if card in kept}
        left = [card for card in left if card not in kept]
        new: dict[str, str] = {}
        for card, found in self._reviews(left).items():
            counted = [one for one in found if self.has_come(one)]
            self._known[card] = review.replay(counted, self.engine)
            if len(counted) == len(found):  # else it is another one when its time has come
                new[card] = review.packed(self._known[card])
        if new and isinstance(self._view, Writer):
            cards.keep_remembered(self._view, self.engine.name, new)

    def _reviews(self, wanted: list[str]) -> Mapping[str, list[Review]]:
        if len(wanted) <= _FEW:
            return {card: cards.reviews(self._view, card) for card in wanted}
        found: dict[str, list[Review]] = defaultdict(list, {card: [] for card in wanted})
        for one in cards.all_reviews(self._view):
            if one.card in found:
                found[one.card].append(one)
        return found
