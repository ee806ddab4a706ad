"""New words out of a plan: the words of an examination, in the dictionary's order, as many as a day takes.

The id of a card is made of its word, and its place is its place in the plan, so two devices that have not met put the
same cards in the same order.
"""

from __future__ import annotations

from bot.commands import words_deck, words_shown
from bot.habits import habits
from bot.turn import Turn
from store import cards
from store.errors import Damaged
from store.model import CardState

EVERY = tuple(CardState)


def top_up(turn: Turn) -> int:
    """Adds words of the plan until as many are new as a day takes. Gives how many it added."""
    now = habits(turn.writer)
    missing = now.new_a_day - words_deck.tally(turn).by_state["new"] if now.plan else 0
    if missing <= 0:
        return 0
    added = 0
    for place, word in _coming(turn, now.plan):
        if added >= missing:
            break
        cards.add_card(turn.writer, word, by=turn.account, at_ms=turn.now_ms, tags=(now.plan,), order=place)
        added += 1
    return added


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
