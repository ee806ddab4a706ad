"""The live card: one message a day that becomes the next card with every answer.

    front ─[Show answer]→ back ─[Forgot] [Knew it]→ result + next front … → a few warm words

A button names its card, the learning day and the number of the question, never what is on the screen. So a second tap,
a tap on yesterday's message and the same tap on another device are one answer: what has been answered shows how things
stand now, and what is still open is answered as today's question.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot import render
from bot.commands import words_faces, words_later, words_plan, words_typed
from bot.commands.words_deck import Deal, deal, iso, next_named
from bot.commands.words_faces import NAMES
from bot.commands.words_typed import Rating
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from bot.words import words
from scheduler.learning import Queue
from store import cards
from store.model import Card, RefID, Review

ASKED = "card-asked"
"""A note of this copy: the question that was asked for a typed answer last."""
_Lines = Sequence[Line | str | tuple[Line, ...]]


# what is said


def push(turn: Turn) -> Reply | None:
    """Today's words, said unasked; None when there is nothing to learn today."""
    dealt = words_plan.topped_up(turn)
    if not dealt.cards:
        return None
    return words_later.backlog(turn, dealt) or front(turn, dealt, [header(turn, dealt.queue)])


def today(turn: Turn, *, shape: Shape = Shape.MESSAGE) -> Reply:
    """/today: the live card here and now, whether or not daily words are on."""
    dealt = words_plan.topped_up(turn)
    if not dealt.cards:
        return words_later.nothing(turn, dealt, shape=shape)
    return front(turn, dealt, [header(turn, dealt.queue)], shape=shape)


def header(turn: Turn, queue: Queue) -> str:
    """5月27日（周一）· 到期 1 · 新词 1"""
    parts = (
        turn.words("words-due", n=len(queue.due)) if queue.due else "",
        turn.words("words-new", n=len(queue.new)) if queue.new else "",
    )
    return words_later.header(turn, " · ".join(filter(None, parts)))


def front(turn: Turn, dealt: Deal, above: _Lines, *, undo: Button | None = None, shape: Shape = Shape.MESSAGE) -> Reply:
    """The next card, question side up."""
    card = dealt.cards[0]
    question = dealt.question(card)
    buttons = [
        turn.button("button-show-answer", f"card show {question}"),
        turn.button("button-later", f"card later {dealt.key}"),
    ]
    if undo is not None:
        buttons = [*buttons, undo]
    if dealt.habits.typed:
        body = {"ask": "card", "card": card.id, "day": dealt.key, "attempt": dealt.deck.attempt(card.id)}
        body["lang"] = turn.words.lang
        turn.writer.ask(turn.chat, turn.account, body)
        turn.writer.keep_note(ASKED, json.dumps({**body, "chat": turn.chat, "by": turn.account}))
    face = words_faces.front(turn, card, typed=dealt.habits.typed)
    return turn.say(*above, *face, buttons=tuple(buttons), shape=shape)


def back(turn: Turn, dealt: Deal, card: Card) -> Reply:
    """The same card with its answer, and the grades."""
    return turn.say(
        *words_faces.back(turn, card), buttons=words_faces.grades(turn, dealt, card), shape=Shape.EDIT
    )  # fmt: skip


# what is pressed


def show(turn: Turn, card: str, day: str, attempt: int) -> Reply:
    dealt = deal(turn)
    found = still_open(dealt, card, day, attempt)
    if found is None:
        return as_it_is(turn, dealt)
    turn.writer.close_question(turn.chat, turn.account)
    return back(turn, dealt, found)


def grade(turn: Turn, card: str, day: str, attempt: int, rating: int) -> Reply:
    dealt = deal(turn)
    found = still_open(dealt, card, day, attempt)
    if found is None:
        slot = iso(day)
        given = dealt.deck.answered(card, slot, attempt) if slot else None
        if given is not None and _is_newest(turn, dealt, given):  # a second tap: the same once more
            return _graded(turn, dealt, given)
        return as_it_is(turn, dealt)
    return _graded(turn, *_keep(turn, dealt, found, rating))


def typed(turn: Turn, question: dict[str, Any], text: str) -> Reply | None:
    """The words after a front that asks for the word itself; None for what is no try at it."""
    dealt = deal(turn)
    found = still_open(dealt, question["card"], question["day"], question["attempt"])
    if found is None:
        return None
    rating = words_typed.judged(text, found.word, words_faces.forms(turn, found))
    if rating is Rating.FORGOT and not words_typed.is_try(text, found.word):
        return None
    note = ""
    if rating is not Rating.KNEW:
        name = "card-typed-near" if rating is Rating.HARD else "card-typed-not"
        note = turn.words(name, typed=render.quoted(render.short(text, words_typed.TRY_CHARACTERS_MAX)))
    after, given = _keep(turn, dealt, found, rating)
    answer = words_faces.back(turn, found) if rating is Rating.FORGOT else ()
    return _graded(turn, after, given, note, *answer, shape=Shape.MESSAGE)


def typed_late(turn: Turn, text: str) -> Reply | None:
    """The word that was asked for, typed when nothing waits for an answer any more; None for anything else."""
    asked = turn.writer.note(ASKED)
    if asked is None or (asked["chat"], asked["by"]) != (turn.chat, turn.account):
        return None
    card = cards.card(turn.writer, asked["card"])
    if card is None or words_typed.judged(text, card.word, words_faces.forms(turn, card)) is Rating.FORGOT:
        return None
    return typed(replace(turn, words=words(asked["lang"])), asked, text)


def is_right(turn: Turn, question: dict[str, Any], text: str) -> bool:
    card = cards.card(turn.writer, question["card"])
    return card is not None and words_typed.judged(text, card.word, words_faces.forms(turn, card)) is Rating.KNEW


def start(turn: Turn) -> Reply:
    """[Start]"""
    return as_it_is(turn, deal(turn))


# how it goes on


def still_open(dealt: Deal, record: str, day: str, attempt: int) -> Card | None:
    """The card of a question that is still open: today's by its number, an older one if nothing was answered since."""
    card = dealt.open_card(record)
    if card is None:
        return None
    if day == dealt.key:
        return card if attempt == dealt.deck.attempt(record) else None
    slot = iso(day) if day < dealt.key else ""
    return card if slot and dealt.deck.was_left_open(record, slot, attempt) else None


def _keep(turn: Turn, dealt: Deal, card: Card, rating: int) -> tuple[Deal, Review]:
    attempt = dealt.deck.attempt(card.id)
    given = dealt.deck.grade(turn.writer, card.id, rating, slot=dealt.slot, attempt=attempt, by=turn.account)
    assert given is not None, "the question was open"
    can_be_undone(turn, given)
    turn.writer.close_question(turn.chat, turn.account)
    return dealt.again(), given


def can_be_undone(turn: Turn, event: Review) -> None:
    """By what is typed, too."""
    turn.writer.undoable_write(
        chat=turn.chat, account=turn.account, shown=RefID(""), verb="grade", steps=[("review", event.id, None)]
    )


def undo_button(turn: Turn, event: Review) -> Button:
    return turn.button("button-undo", f"card undo {event.id}")


def _graded(
    turn: Turn, dealt: Deal, given: Review, *above: Line | str | tuple[Line, ...], shape: Shape = Shape.EDIT
) -> Reply:
    """What the answer led to, and the next card."""
    card = cards.card(turn.writer, given.card)
    assert card is not None
    remembered = dealt.deck.remembered(card.id)
    when = next_named(turn, dealt, remembered.due_ms)
    result = turn.words(f"card-{NAMES.get(given.rating, NAMES[Rating.KNEW])}", word=card.word, when=when)
    left = len(dealt.cards)
    togo = turn.words("cards-to-go", n=left) if left else ""
    lines = [*above, " · ".join(filter(None, (result, togo)))]
    if remembered.is_stubborn and given.rating == Rating.FORGOT:
        lines = [*above, turn.words("card-stubborn", word=card.word)]
        anew = turn.button("button-learn-anew", f"card anew {card.id}")
        return _stubborn(turn, dealt, lines, anew, given, shape)
    if not left:
        return words_later.all_seen(turn, dealt, lines, undo_button(turn, given), shape=shape)
    return front(turn, dealt, lines, undo=undo_button(turn, given), shape=shape)


def _stubborn(
    turn: Turn, dealt: Deal, lines: _Lines, anew: Button, given: Review, shape: Shape
) -> Reply:  # fmt: skip
    """A word that keeps slipping rests, and that is said; the next card waits behind a button."""
    name = "button-go-on" if dealt.cards else "button-words-of-today"
    go_on = turn.button(name, f"card start {dealt.key}")
    return turn.say(*lines, buttons=(go_on, anew, undo_button(turn, given)), shape=shape)


def as_it_is(turn: Turn, dealt: Deal, *above: str, undo: Button | None = None) -> Reply:
    """How things stand: the next card, or that all were seen."""
    if dealt.cards:
        return front(turn, dealt, above, undo=undo, shape=Shape.EDIT)
    reply = words_later.nothing(turn, dealt, *above, shape=Shape.EDIT)
    return replace(reply, buttons=words_later.at_the_end(turn, dealt, undo)) if undo else reply


def _is_newest(turn: Turn, dealt: Deal, given: Review) -> bool:
    """Whether nothing was answered since."""
    return _is_last(dealt, cards.all_reviews(turn.writer, from_ms=given.at_ms), given)


def is_newest_of_card(turn: Turn, dealt: Deal, given: Review) -> bool:
    """Whether it counts, and nothing of its card came after."""
    return _is_last(dealt, cards.reviews(turn.writer, given.card), given)


def _is_last(dealt: Deal, some: Sequence[Review], given: Review) -> bool:
    """But for what a clock that was far ahead has said."""
    come = [one for one in some if dealt.deck.has_come(one)]
    return bool(come) and come[-1].id == given.id
