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
from bot.commands.words_deck import Deal, day_named, deal, iso, next_day
from bot.commands.words_faces import NAMES
from bot.commands.words_typed import Rating
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from bot.words import words
from scheduler.learning import Queue
from store import cards
from store.model import Card, CardState, RefID, Review, ReviewKind

ASKED = "card-asked"
"""A note of this copy: the question that was asked for a typed answer last."""
_Lines = Sequence[Line | str | tuple[Line, ...]]


# what is said


def push(turn: Turn) -> Reply | None:
    """Today's words, said unasked; None when there is nothing to learn today."""
    dealt = words_plan.topped_up(turn)
    if not dealt.cards:
        return None
    return words_later.backlog(turn, dealt) or _front(turn, dealt, [header(turn, dealt.queue)])


def today(turn: Turn, *, shape: Shape = Shape.MESSAGE) -> Reply:
    """/today: the live card here and now, whether or not daily words are on."""
    dealt = words_plan.topped_up(turn)
    if not dealt.cards:
        return words_later.nothing(turn, dealt, shape=shape)
    return _front(turn, dealt, [header(turn, dealt.queue)], shape=shape)


def header(turn: Turn, queue: Queue) -> str:
    """5月27日（周一）· 到期 1 · 新词 1"""
    parts = (
        turn.words("words-due", n=len(queue.due)) if queue.due else "",
        turn.words("words-new", n=len(queue.new)) if queue.new else "",
    )
    return words_later.header(turn, " · ".join(filter(None, parts)))


def _front(turn: Turn, dealt: Deal, above: _Lines, *, undo: str = "", shape: Shape = Shape.MESSAGE) -> Reply:
    """The next card, question side up."""
    card = dealt.cards[0]
    question = dealt.question(card)
    buttons = [
        turn.button("button-show-answer", f"card show {question}"),
        turn.button("button-later", f"card later {dealt.key}"),
    ]
    if undo:
        buttons = [*buttons, turn.button("button-undo", f"card undo {undo}")]
    if dealt.habits.typed:
        body = {"ask": "card", "card": card.id, "day": dealt.key, "attempt": dealt.deck.attempt(card.id)}
        body["lang"] = turn.words.lang
        turn.writer.ask(turn.chat, turn.account, body)
        turn.writer.keep_note(ASKED, json.dumps({**body, "chat": turn.chat, "by": turn.account}))
    face = words_faces.front(turn, card, typed=dealt.habits.typed)
    return turn.say(*above, *face, buttons=tuple(buttons), shape=shape)


def _back(turn: Turn, dealt: Deal, card: Card) -> Reply:
    """The same card with its answer, and the grades."""
    return turn.say(
        *words_faces.back(turn, card), buttons=words_faces.grades(turn, dealt, card), shape=Shape.EDIT
    )  # fmt: skip


# what is pressed


def show(turn: Turn, card: str, day: str, attempt: int) -> Reply:
    dealt = deal(turn)
    found = _open(dealt, card, day, attempt)
    if found is None:
        return _now(turn, dealt)
    turn.writer.close_question(turn.chat, turn.account)
    return _back(turn, dealt, found)


def grade(turn: Turn, card: str, day: str, attempt: int, rating: int) -> Reply:
    dealt = deal(turn)
    found = _open(dealt, card, day, attempt)
    if found is None:
        slot = iso(day)
        given = dealt.deck.answered(card, slot, attempt) if slot else None
        if given is not None and _is_newest(turn, given):  # a second tap: the same once more
            return _graded(turn, dealt, given)
        return _now(turn, dealt)
    return _graded(turn, *_keep(turn, dealt, found, rating))


def typed(turn: Turn, question: dict[str, Any], text: str) -> Reply | None:
    """The words after a front that asks for the word itself; None for what is no try at it."""
    dealt = deal(turn)
    found = _open(dealt, question["card"], question["day"], question["attempt"])
    if found is None or not words_typed.is_try(text, found.word):
        return None
    rating = words_typed.judged(text, found.word, words_faces.forms(turn, found))
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


def undo(turn: Turn, event: str) -> Reply:
    """The newest answer of its card is taken back, and asked once more."""
    given = cards.review(turn.writer, event)
    if given is None or given.kind is not ReviewKind.ANSWER:
        return turn.toast("toast-gone")
    for one in turn.writer.undoables(turn.chat, turn.account, RefID("")):
        if one.verb == "grade" and one.steps[0][1] == given.id:
            turn.writer.take_back(one.id, (), by=turn.account)
    dealt = deal(turn)
    if not _is_newest_of_card(turn, given):
        return _now(turn, dealt)
    dealt.deck.undo(turn.writer, given.id, by=turn.account)
    turn.writer.close_question(turn.chat, turn.account)
    dealt = dealt.again()
    card = dealt.open_card(given.card)
    return _back(turn, dealt, card) if card is not None else _now(turn, dealt)


def start(turn: Turn) -> Reply:
    """[Start]"""
    return _now(turn, deal(turn))


def fewer(turn: Turn) -> Reply:
    """[Fewer today]"""
    n = words_later.fewer(turn, deal(turn))
    return _now(turn, deal(turn), turn.words("words-fewer", n=n))


def known(turn: Turn, card: Card) -> Reply:
    """[Known]: a new word that is none is asked no more, and the next card comes."""
    before = cards.set_card(turn.writer, card.id, by=turn.account, state=CardState.KNOWN)
    undo = turn.undo_button("", "card", [(card.id, name, value) for name, value in before.items()])
    dealt, said = deal(turn), turn.words("card-is-known", word=card.word)
    if not dealt.cards:
        return turn.say(said, buttons=(undo,), shape=Shape.EDIT)
    front = _front(turn, dealt, [said], shape=Shape.EDIT)
    return replace(front, buttons=(*front.buttons, undo))


def anew(turn: Turn, record: str) -> Reply:
    """[Learn anew] under a stubborn word."""
    card = cards.card(turn.writer, record)
    if card is None or card.state is not CardState.ACTIVE:
        return turn.toast("toast-gone")
    dealt = deal(turn)
    dealt.deck.reset(turn.writer, [card.id], by=turn.account)
    return _now(turn, dealt.again(), turn.words("card-anew", word=card.word))


# how it goes on


def _open(dealt: Deal, record: str, day: str, attempt: int) -> Card | None:
    """The card of a question that is still open: today's by its number, an older one as long as its card waits."""
    card = dealt.open_card(record)
    if card is None:
        return None
    return card if day < dealt.key or (day == dealt.key and attempt == dealt.deck.attempt(record)) else None


def _keep(turn: Turn, dealt: Deal, card: Card, rating: int) -> tuple[Deal, Review]:
    attempt = dealt.deck.attempt(card.id)
    given = dealt.deck.grade(turn.writer, card.id, rating, slot=dealt.slot, attempt=attempt, by=turn.account)
    assert given is not None, "the question was open"
    turn.writer.undoable_write(
        chat=turn.chat, account=turn.account, shown=RefID(""), verb="grade", steps=[("review", given.id, None)]
    )
    turn.writer.close_question(turn.chat, turn.account)
    return dealt.again(), given


def _graded(
    turn: Turn, dealt: Deal, given: Review, *above: Line | str | tuple[Line, ...], shape: Shape = Shape.EDIT
) -> Reply:
    """What the answer led to, and the next card."""
    card = cards.card(turn.writer, given.card)
    assert card is not None
    remembered = dealt.deck.remembered(card.id)
    when = day_named(turn, next_day(dealt, turn.zone, remembered.due_ms))
    result = turn.words(f"card-{NAMES.get(given.rating, NAMES[Rating.KNEW])}", word=card.word, when=when)
    left = len(dealt.cards)
    togo = turn.words("cards-to-go", n=left) if left else ""
    lines = [*above, " · ".join(filter(None, (result, togo)))]
    if remembered.is_stubborn and given.rating == Rating.FORGOT:
        lines = [*above, turn.words("card-stubborn", word=card.word)]
        anew = turn.button("button-learn-anew", f"card anew {card.id}")
        return _stubborn(turn, dealt, lines, anew, given, shape)
    if not left:
        return words_later.all_seen(turn, dealt, lines, given, shape=shape)
    return _front(turn, dealt, lines, undo=given.id, shape=shape)


def _stubborn(
    turn: Turn, dealt: Deal, lines: _Lines, anew: Button, given: Review, shape: Shape
) -> Reply:  # fmt: skip
    """A word that keeps slipping rests, and that is said; the next card waits behind a button."""
    undo = turn.button("button-undo", f"card undo {given.id}")
    go_on = (turn.button("button-go-on", f"card start {dealt.key}"),) if dealt.cards else ()
    return turn.say(*lines, buttons=(*go_on, anew, undo), shape=shape)


def _now(turn: Turn, dealt: Deal, *above: str) -> Reply:
    """How things stand: the next card, or that all were seen."""
    if dealt.cards:
        return _front(turn, dealt, above, shape=Shape.EDIT)
    return words_later.nothing(turn, dealt, *above, shape=Shape.EDIT)


def _is_newest(turn: Turn, given: Review) -> bool:
    """Whether nothing was answered since."""
    newest = cards.all_reviews(turn.writer, from_ms=given.at_ms)
    return bool(newest) and newest[-1].id == given.id


def _is_newest_of_card(turn: Turn, given: Review) -> bool:
    """Whether it counts, and nothing of its card came after."""
    found = cards.reviews(turn.writer, given.card)
    return bool(found) and found[-1].id == given.id
