"""The cards of a turn on their learning day: what is dealt, how a card stands, and sums over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot import render
from bot.deck import ENGINE, Deck
from bot.habits import Habits, habits
from bot.turn import Turn
from scheduler.learning import LearningDay, Queue
from scheduler.review import Engine, NotInstalled, Phase, Remembered, replay
from store import cards
from store.model import Card, CardState, Review

FEWER = "words_fewer"
"""A register of `settings`: `<learning day>/<cap>`, fewer cards on that one day."""
_STATES = ("due", "new", "later", "known", "suspended")


@dataclass(frozen=True, slots=True)
class Deal:
    """`queue`: what is left to ask; `fewer`: the cap of a day on which somebody wants fewer, 0 for any other."""

    deck: Deck
    queue: Queue
    habits: Habits
    fewer: int

    @property
    def cards(self) -> tuple[Card, ...]:
        """What is left to ask, in order: what is due, new words, and at the end what was forgotten today."""
        again = tuple(card for card in self.queue.due if self.deck.today.holds(self.deck.remembered(card.id).last_ms))
        due = tuple(card for card in self.queue.due if card not in again)
        return (*due, *self.queue.new, *again)

    @property
    def day(self) -> date:
        return self.deck.today.day

    @property
    def slot(self) -> str:
        return self.deck.slot

    @property
    def key(self) -> str:
        """The day as buttons carry it."""
        return self.day.strftime("%Y%m%d")

    def question(self, card: Card) -> str:
        """What a button says of the question that is asked now."""
        return f"{card.id} {self.key} {self.deck.attempt(card.id)}"

    def again(self) -> Deal:
        """The same after something has happened to a card."""
        return Deal(self.deck, _queue(self.deck, self.fewer), self.habits, self.fewer)

    def open_card(self, record: str) -> Card | None:
        """A card that is asked today, also one for which the day has no room."""
        asked = next((card for card in self.cards if card.id == record), None)
        if asked is not None:
            return asked
        card = next((one for one in self.deck.cards() if one.id == record), None)
        return card if card is not None and self._waits(card) else None

    def _waits(self, card: Card) -> bool:
        now = self.deck.remembered(card.id)
        if card.state is not CardState.ACTIVE or now.is_stubborn:
            return False
        return now.phase is Phase.NEW or (
            now.due_ms < self.deck.today.end_ms and not self.deck.today.holds(now.last_ms)
        )


def deal(turn: Turn) -> Deal:
    """Raises NotInstalled without the extra `learn`."""
    now = habits(turn.writer)
    deck = Deck(turn.writer, turn.now, turn.zone, now)
    fewer = _fewer(turn, deck)
    return Deal(deck, _queue(deck, fewer), now, fewer)


def must_be_installed() -> None:
    """Raises NotInstalled, also where there is no card to reckon yet."""
    replay((), Engine())


def deal_if_installed(turn: Turn) -> Deal | None:
    """For what can be said without the schedule, too."""
    try:
        return deal(turn)
    except NotInstalled:
        return None


def _queue(deck: Deck, fewer: int) -> Queue:
    return deck.queue(cap=fewer, new_a_day=0) if fewer else deck.queue()


def _fewer(turn: Turn, deck: Deck) -> int:
    day, _, cap = turn.writer.setting(FEWER).partition("/")
    return int(cap) if day == deck.slot and cap.isascii() and cap.isdecimal() else 0


def iso(key: str) -> str:
    """20240527 → 2024-05-27; "" for what is no day."""
    shown = f"{key[:4]}-{key[4:6]}-{key[6:]}"
    try:
        return date.fromisoformat(shown).isoformat()
    except ValueError:
        return ""


def next_named(turn: Turn, dealt: Deal, due_ms: int) -> str:
    """When a card comes again: 明天 / Thu 30 May, and at night, before the day has changed, today after 04:00."""
    day = dealt.deck.next_day(due_ms)
    if day == turn.today:
        return turn.words("day-when-it-starts", time=dealt.deck.starts)
    return day_named(turn, day)


def day_named(turn: Turn, day: date) -> str:
    """明天 / 5月30日（周四）"""
    return render.near_day(turn.words, day, turn.today) or render.day(turn.words, day, turn.today)


# how cards stand


def standing(turn: Turn, dealt: Deal | None, card: Card) -> str:
    """到期 / 新词 / 已会 / 老忘, with the day on which it comes next."""
    if card.state in (CardState.KNOWN, CardState.SUSPENDED):
        return turn.words(f"card-is-{card.state.value}-state")
    now = dealt.deck.remembered(card.id) if dealt is not None else None
    if dealt is None or now is None or now.phase is Phase.NEW:
        return turn.words("card-is-new") if now is not None else turn.words("card-is-there")
    if now.is_stubborn:
        return turn.words("card-is-stubborn")
    if _is_due(now, dealt.deck.today):
        return turn.words("card-is-due")
    return turn.words("card-is-next", day=next_named(turn, dealt, now.due_ms))


def _is_due(now: Remembered, today: LearningDay) -> bool:
    answered = today.holds(now.last_ms)
    return (now.due_ms < today.end_ms and not answered) or (answered and now.last_rating == 1)


@dataclass(frozen=True, slots=True)
class Tally:
    cards: int
    by_state: dict[str, int]


def tally(turn: Turn) -> Tally:
    """How many cards there are, and how many of each sort."""
    dealt = deal_if_installed(turn)
    every = dealt.deck.cards() if dealt is not None else cards.cards(turn.writer)
    found = Counter(_sort(dealt, card) for card in every)
    return Tally(len(every), {name: found[name] for name in _STATES})


def _sort(dealt: Deal | None, card: Card) -> str:
    if card.state is not CardState.ACTIVE:
        return card.state.value
    now = dealt.deck.remembered(card.id) if dealt is not None else Remembered()
    if now.phase is Phase.NEW:
        return "new"
    return "due" if dealt is not None and not now.is_stubborn and _is_due(now, dealt.deck.today) else "later"


def forecast(dealt: Deal, days: int) -> Sequence[int]:
    """How many cards are due on each of so many days from today on; what is due by now counts today."""
    each = Counter[int]()
    for one in dealt.deck.standings():
        now = one.remembered
        if one.card.state is not CardState.ACTIVE or now.phase is Phase.NEW or now.is_stubborn:
            continue
        due = _is_due(now, dealt.deck.today)
        each[0 if due else (dealt.deck.next_day(now.due_ms) - dealt.day).days] += 1
    return [each[number] for number in range(days)]


def day_of(dealt: Deal, given: Review) -> date:
    """The learning day on which an answer was given."""
    return date.fromisoformat(given.slot) if given.slot else dealt.deck.day_of(given.at_ms)


def reschedule(turn: Turn) -> tuple[int, int]:
    """Writes down by what all cards are worked out, so that every device does it alike; (cards, answers) counted.

    Nothing is set that could differ from the log: when a card is due is always worked out of its answers.
    """
    dealt = deal(turn)
    if not dealt.deck.engine_is_foreign:
        turn.writer.set("settings", ENGINE, dealt.deck.engine.to_json(), by=turn.account)
    answers = sum(one.kind in cards.TRIES for one in cards.all_reviews(turn.writer))
    return len(dealt.deck.cards()), answers
