"""The cards themselves: all of them, one of them, and what a person decides about one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot import render
from bot.commands import words_shown
from bot.commands.words_deck import deal_if_installed, standing
from bot.intents import Vocab, VocabDo
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from store import cards
from store.changes import Json
from store.model import Card, CardState

PAGE = 10
MEANING_CHARACTERS_MAX = 500
_ENGLISH = re.compile(r"[A-Za-z][A-Za-z'’\-]+(?: [A-Za-z'’\-]+){0,3}")
_STATES = {
    VocabDo.KNOWN: CardState.KNOWN,
    VocabDo.SUSPEND: CardState.SUSPENDED,
    VocabDo.BACK: CardState.ACTIVE,
    VocabDo.REMOVE: CardState.REMOVED,
}


def listed(turn: Turn, start: int = 0, *, shape: Shape = Shape.MESSAGE) -> Reply:
    """Ten cards from `start` on, in the order in which new ones are asked."""
    total = cards.count(turn.writer)
    if not total:
        return turn.say(turn.words("learn-no-cards"))
    start = min(start, (total - 1) // PAGE * PAGE)
    shown = cards.cards(turn.writer, limit=start + PAGE)[start:]
    dealt = deal_if_installed(turn)
    rows = [Line(f"{card.word} · {standing(turn, dealt, card)}") for card in shown]
    rest = total - start - len(shown)
    more = (turn.button("button-more", f"card list {start + PAGE}", n=rest),) if rest > 0 else ()
    return turn.say(turn.words("cards-title", n=total), tuple(rows), buttons=more, shape=shape)


def one(turn: Turn, intent: Vocab) -> Reply:
    if not intent.word.strip():
        turn.writer.ask(turn.chat, turn.account, {"ask": "card-which", "do": intent.do.value, "lang": turn.words.lang})
        return turn.say(turn.words("ask-card-which"), buttons=(turn.button("button-never-mind", "close"),))
    card = find(turn, intent.word)
    if card is None and intent.do is VocabDo.KNOWN and cards.is_word(intent.word):
        return _known_already(turn, intent.word)
    if card is None:
        shown = render.quoted(render.short(intent.word, 60))
        buttons = (add_button(turn, intent.word),) if cards.is_word(intent.word) else ()
        return turn.say(turn.words("card-none", word=shown), buttons=buttons)
    if intent.do is VocabDo.EDIT:
        return give_meaning(turn, card, intent.text) if intent.text else ask_meaning(turn, card)
    if intent.do is VocabDo.CARD:
        return show(turn, card)
    if intent.do is VocabDo.REMOVE:
        remove, keep = turn.button("button-remove", f"card remove {card.id}"), turn.button("button-keep", "close")
        return turn.say(turn.words("ask-card-remove", word=card.word), buttons=(remove, keep))
    if intent.do is VocabDo.BACK and card.state is CardState.ACTIVE:
        return turn.say(card.word, state_line(turn, card))
    return set_state(turn, card, _STATES[intent.do])


def under_a_count(turn: Turn, term: str) -> tuple[str, tuple[Button, ...]]:
    """How the counted word stands as a card, or a button that makes it one; neither in a group, or for no English word."""
    if not turn.private:
        return "", ()
    card = find(turn, term)
    if card is not None:
        return state_line(turn, card), ()
    return "", (add_button(turn, term),) if _ENGLISH.fullmatch(term) else ()


def add_button(turn: Turn, word: str) -> Button:
    """[Add card]"""
    return turn.button("button-add-card", f"{turn.offer(do='card-words', words=[word])} 0")


def find(turn: Turn, word: str) -> Card | None:
    """The card of a word, or of the head word it is a form of; a removed one is none."""
    found = cards.card_of(turn.writer, word)
    if found is None or found.state is CardState.REMOVED:
        definition = words_shown.look_up(turn, word)
        found = cards.card_of(turn.writer, definition.word) if definition else None
    return found if found is not None and found.state is not CardState.REMOVED else None


def show(turn: Turn, card: Card) -> Reply:
    """All there is to say of one card."""
    definition = words_shown.look_up(turn, card.word)
    return turn.say(
        words_shown.head(card, definition),
        *words_shown.senses(turn, card, definition),
        words_shown.gap_line(turn, words_shown.sentence(turn, card, definition)),
        words_shown.met(turn, card.word),
        state_line(turn, card),
        buttons=(
            turn.button("button-change-meaning", f"card meaning {card.id}"),
            *([turn.button("button-known", f"card known {card.id}")] if card.state is CardState.ACTIVE else []),
        ),
    )


def state_line(turn: Turn, card: Card) -> str:
    """单词卡：下次 5月30日（周四）"""
    return turn.words("card-state", state=standing(turn, deal_if_installed(turn), card))


# what is decided


def set_state(turn: Turn, card: Card, state: CardState, *, shape: Shape = Shape.MESSAGE) -> Reply:
    said = turn.words(f"card-is-{state.value}", word=card.word)
    if card.state is state:
        return turn.say(said, shape=shape)
    before = cards.set_card(turn.writer, card.id, by=turn.account, state=state)
    return turn.say(said, buttons=(undo_button(turn, card, before),), shape=shape)


def _known_already(turn: Turn, word: str) -> Reply:
    """A card that is never asked, so that no plan brings the word."""
    card, _ = cards.add_card(turn.writer, word, by=turn.account, at_ms=turn.now_ms)
    cards.set_card(turn.writer, card.id, by=turn.account, state=CardState.KNOWN)
    undo = undo_button(turn, card, {"card_state": CardState.REMOVED.value})
    return turn.say(turn.words("card-is-known", word=card.word), buttons=(undo,))


def undo_button(turn: Turn, card: Card, before: Mapping[str, Json]) -> Button:
    return turn.undo_button("", "card", [(card.id, name, value) for name, value in before.items()])


def ask_meaning(turn: Turn, card: Card) -> Reply:
    turn.writer.ask(turn.chat, turn.account, {"ask": "card-meaning", "id": card.id, "lang": turn.words.lang})
    leave = turn.button("button-leave", "close")
    return turn.say(turn.words("ask-meaning", word=card.word), buttons=(leave,))


def give_meaning(turn: Turn, card: Card, text: str) -> Reply:
    meaning = "\n".join(line.strip() for line in text.strip().split("\n") if line.strip())[:MEANING_CHARACTERS_MAX]
    before = cards.set_card(turn.writer, card.id, by=turn.account, meaning=meaning)
    changed = cards.card(turn.writer, card.id)
    assert changed is not None
    definition = words_shown.look_up(turn, card.word)
    lines = [words_shown.head(changed, definition), *words_shown.senses(turn, changed, definition)]
    return turn.say(*lines, buttons=(undo_button(turn, card, before),))


def taken_back(turn: Turn, records: list[str]) -> Reply:
    """What is said when undo has set registers of cards again."""
    found = [card for record in dict.fromkeys(records) if (card := cards.card(turn.writer, record)) is not None]
    gone = [card for card in found if card.state is CardState.REMOVED]
    if gone:
        return turn.pressed("cards-gone", n=len(gone), words=turn.listed(card.word for card in gone))
    return turn.pressed("cards-as-before", words=turn.listed(card.word for card in found))
