"""The two sides of a card, and the buttons under its back."""

from __future__ import annotations

from bot.commands import words_add, words_shown
from bot.commands.words_deck import Deal
from bot.commands.words_typed import Rating
from bot.message import Button, Line
from bot.turn import Turn
from scheduler.review import Phase
from store.model import Card

NAMES: dict[int, str] = {Rating.FORGOT: "again", Rating.HARD: "hard", Rating.KNEW: "good", Rating.EASY: "easy"}
_Lines = tuple[Line | str | tuple[Line, ...], ...]
_DAYS_A_MONTH = 30


def front(turn: Turn, card: Card, *, typed: bool) -> _Lines:
    """The word and where it was met, without it; or its meaning, when the word itself is asked for."""
    definition = words_shown.look_up(turn, card.word)
    sentence = words_shown.sentence(turn, card, definition)
    if not typed:
        return words_shown.head(card, definition), words_shown.gap_line(turn, sentence)
    shown = words_shown.gap_line(turn, sentence, first_letter=True) or words_shown.hint(turn, card)
    return turn.words("card-type"), *words_shown.senses(turn, card, definition), shown


def back(turn: Turn, card: Card) -> _Lines:
    definition = words_shown.look_up(turn, card.word)
    senses = words_shown.senses(turn, card, definition)
    none = [] if senses else [turn.words("card-no-sense"), words_add.no_dictionary(turn)]
    return words_shown.head(card, definition), *senses, *none, words_shown.met(turn, card.word)


def forms(turn: Turn, card: Card) -> tuple[str, ...]:
    return words_shown.forms_of(card, words_shown.look_up(turn, card.word))


def grades(turn: Turn, dealt: Deal, card: Card) -> tuple[Button, ...]:
    """[Forgot] [Knew it], a new word's [Known] behind them, so that a number means the same on every card; or four with what each would lead to."""
    question = dealt.question(card)
    if dealt.habits.grades == 4:
        return tuple(
            turn.button(f"button-grade-{NAMES[rating]}", f"card grade {question} {rating}", span=_span(turn, dealt, card, rating))
            for rating in Rating
        )  # fmt: skip
    known = turn.button("button-known", f"card known {question}")
    return (
        turn.button("button-forgot", f"card grade {question} {Rating.FORGOT}"),
        turn.button("button-knew", f"card grade {question} {Rating.KNEW}"),
        *([known] if dealt.deck.remembered(card.id).phase is Phase.NEW else []),
    )


def _span(turn: Turn, dealt: Deal, card: Card, rating: Rating) -> str:
    """1 d, 2 mo: short enough for a button."""
    if rating is Rating.FORGOT:
        return ""
    due_ms = dealt.deck.after(card.id, rating).due_ms
    days = (dealt.deck.next_day(due_ms) - dealt.day).days
    if days < 2 * _DAYS_A_MONTH:
        return turn.words("span-days", n=days)
    return turn.words("span-months", n=round(days / _DAYS_A_MONTH))
