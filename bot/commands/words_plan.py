"""New words out of a plan: the words of an examination, in the dictionary's order, as many as a day takes.

The id of a card is made of its word, and its place is its place in the plan, so two devices that have not met put the
same cards in the same order.
"""

from __future__ import annotations

from bot.commands import words_shown
from bot.commands.words_deck import Deal, deal
from bot.turn import Turn
from scheduler.review import Phase
from store import cards
from store.errors import Damaged, Unavailable
from store.model import CardState

EVERY = tuple(CardState)


def topped_up(turn: Turn) -> Deal:
    """What is dealt today, with words of the plan added until as many are new as a day takes."""
    dealt = deal(turn)
    if not dealt.habits.plan:
        return dealt
    new = sum(
        one.card.state is CardState.ACTIVE and one.remembered.phase is Phase.NEW for one in dealt.deck.standings()
    )
    return deal(turn) if _add(turn, dealt.habits.plan, dealt.habits.new_a_day - new) else dealt


def _add(turn: Turn, plan: str, missing: int) -> int:
    """How many were added; none where nothing can be stored now: what is there can be learned all the same."""
    if missing <= 0:
        return 0
    some = _coming(turn, plan)[:missing]
    try:
        for place, word in some:
            cards.add_card(turn.writer, word, by=turn.account, at_ms=turn.now_ms, tags=(plan,), order=place)
    except (Unavailable, Damaged):
        return 0
    return len(some)


def left(turn: Turn, plan: str) -> int:
    """How many words of the plan are no cards yet."""
    return len(_coming(turn, plan))


def _coming(turn: Turn, plan: str) -> list[tuple[int, str]]:
    """(place, word) of what was never a card; what somebody removed does not come back by itself."""
    with words_shown.dictionary(turn) as found:
        try:
            words = found.words_of(plan) if found is not None else ()
        except Damaged:
            return []
    had = {card.id for card in cards.cards(turn.writer, states=EVERY)}
    return [(place, word) for place, word in enumerate(words, 1) if cards.card_id(word) not in had]
