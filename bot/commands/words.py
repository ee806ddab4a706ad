"""Words to learn, as a person meets them: from what was asked for, or pressed, to what answers it.

Read next: `words_live` (the card), `words_add`, `words_vocab`, `words_stats`. They belong to one person: in a group
there is only the way to the private chat.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any, assert_never

from bot.commands import words_add, words_aside, words_cards, words_later, words_live, words_stats, words_vocab
from bot.commands.words_deck import deal
from bot.commands.words_typed import Rating
from bot.intents import AddWords, LearningStats, Today, Vocab, VocabDo
from bot.message import Reply, Shape
from bot.turn import Turn
from bot.words import words
from store import cards
from store.model import Card, CardState

push = words_live.push
"""What `bot/dailies.py` says once a day; None when there is nothing to learn."""


def answer(turn: Turn, intent: Today | AddWords | Vocab | LearningStats) -> Reply:
    if not turn.private:
        return turn.say(turn.words("words-private"), buttons=(turn.button("button-open-private", "private"),))
    match intent:
        case Today():
            return words_live.today(turn)
        case AddWords():
            return words_add.add(turn, intent)
        case Vocab():
            return words_vocab.vocab(turn, intent)
        case LearningStats():
            return words_stats.stats(turn)
        case _:
            assert_never(intent)


def press(turn: Turn, what: str, rest: str) -> Reply:
    """A button under a card or a list of them. Anybody may send anything, so what none of ours says is stale."""
    shape = _BUTTONS.get(what)
    if not turn.private or shape is None or shape.fullmatch(rest) is None:
        return turn.toast("toast-gone")
    return _pressed(turn, what, rest.split())


_CARD, _DAY, _NUMBER = "[0-9A-Z]{26}", "[0-9]{8}", "[0-9]{1,5}"
_BUTTONS = {
    what: re.compile(shape)
    for what, shape in {
        "show": f"{_CARD} {_DAY} {_NUMBER}",
        "grade": f"{_CARD} {_DAY} {_NUMBER} [1-4]",
        "known": f"{_CARD}(?: {_DAY} {_NUMBER})?",
        **dict.fromkeys(("undo", "anew", "meaning", "remove"), _CARD),
        **dict.fromkeys(("start", "fewer", "later"), _DAY),
        **dict.fromkeys(("today", "stats", "on", "off"), ""),
        "list": _NUMBER,
    }.items()
}
"""What stands behind each of our buttons."""


def _pressed(turn: Turn, what: str, rest: list[str]) -> Reply:
    match what, rest:
        case "show", [card, day, attempt]:
            return words_live.show(turn, card, day, int(attempt))
        case "grade", [card, day, attempt, rating]:
            return words_live.grade(turn, card, day, int(attempt), Rating(int(rating)))
        case "undo", [event]:
            return words_aside.undo(turn, event)
        case "anew", [card]:
            return words_aside.anew(turn, card)
        case "known", [card, day, attempt]:
            return words_aside.known(turn, card, day, int(attempt))
        case "known", [card]:
            return _known(turn, _card(turn, card))
        case "meaning", [card]:
            return _meaning(turn, _card(turn, card))
        case "remove", [card]:
            found = _card(turn, card)
            return (
                words_cards.set_state(turn, found, CardState.REMOVED, shape=Shape.EDIT)
                if found
                else turn.toast("toast-gone")
            )
        case "start", _:
            return words_live.start(turn)
        case "fewer", [day]:
            return words_aside.fewer(turn, day)
        case "later", _:
            return words_later.later(turn, deal(turn))
        case "today", _:
            return words_live.today(turn)
        case "stats", _:
            return words_stats.stats(turn)
        case "on", _:
            return words_vocab.switch_on(turn)
        case "off", _:
            return words_vocab.switch_off(turn)
        case "list", [start]:
            return words_cards.listed(turn, int(start), shape=Shape.EDIT)
        case _:
            raise AssertionError(f"no such button: {what}")


def _card(turn: Turn, record: str) -> Card | None:
    found = cards.card(turn.writer, record)
    return found if found is not None and found.state is not CardState.REMOVED else None


def _meaning(turn: Turn, card: Card | None) -> Reply:
    return words_cards.ask_meaning(turn, card) if card is not None else turn.toast("toast-gone")


def _known(turn: Turn, card: Card | None) -> Reply:
    """[Known] under a card that somebody looked at: it is asked no more."""
    if card is None:
        return turn.toast("toast-gone")
    if card.state is CardState.KNOWN:
        return turn.toast("toast-done-already")
    return words_cards.set_state(turn, card, CardState.KNOWN, shape=Shape.EDIT)


def offered(turn: Turn, body: dict[str, Any], choice: str) -> Reply:
    """A word that a button offered to make a card of."""
    return words_add.chosen(turn, str(body["words"][int(choice)]))


def late_answer(turn: Turn, text: str) -> Reply | None:
    """What is typed long after a card asked for it, if it is that very word."""
    return words_live.typed_late(turn, text) if turn.private else None


def is_right(turn: Turn, question: dict[str, Any]) -> bool:
    """Whether what was just said is the very word that a card asks for."""
    return question["ask"] == "card" and words_live.is_right(turn, question, turn.inbound.text)


def answered(turn: Turn, question: dict[str, Any], text: str) -> Reply | None:
    """The next words after a question of ours; None when they are no answer to it.

    They are a word to learn, not a choice of language: the answer comes in that of the question.
    """
    turn = replace(turn, words=words(question["lang"]))
    match question["ask"]:
        case "card":
            return words_live.typed(turn, question, text)
        case "card-add":
            return words_add.answered(turn, text, partial(words_add.add_all, turn))
        case "card-which":
            do = VocabDo(question["do"])
            return words_add.answered(
                turn, text, lambda some: words_cards.one(turn, Vocab(do, some[0].word, text=some[0].meaning))
            )
        case _:
            card = _card(turn, question["id"])
            return words_cards.give_meaning(turn, card, text) if card is not None else None
