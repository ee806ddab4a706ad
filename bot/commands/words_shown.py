"""How a card is put into words: its head, its senses, where it was met, how it stands. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bot import render
from bot.commands.words_deck import day_named
from bot.commands.words_sentence import GAP, Sentence, example_sentence, own_sentence
from bot.message import Line
from bot.turn import Turn
from store.dictionary import Definition, Dictionary
from store.errors import Damaged
from store.lemmas import family
from store.model import Card
from store.occurrences import occurrences
from store.text import fold

SENSES_MAX = 3
GAP_LINE_CHARACTERS_MAX = {lang: most - 10 for lang, most in render.QUOTE_CHARACTERS_MAX.items()}
"""So much of a sentence that it is not folded, which could take the gap away."""
SENSE_CHARACTERS_MAX = 120
FIELD_CHARACTERS_MAX = 60


@contextmanager
def dictionary(turn: Turn) -> Iterator[Dictionary | None]:
    """The one of this home, for a moment; None where there is none."""
    found = turn.dictionary()
    try:
        yield found
    finally:
        if found is not None:
            found.close()


def look_up(turn: Turn, word: str) -> Definition | None:
    """What the dictionary says of a word, or of the head word it is a form of."""
    with dictionary(turn) as found:
        try:
            return None if found is None else defined(found, word)
        except Damaged:  # a page of it: the card itself is whole
            return None


def defined(found: Dictionary, word: str) -> Definition | None:
    there = found.look(word)
    if there is None and (heads := found.lemmas(word)):
        there = found.look(heads[0])
    return there


def forms_of(card: Card, definition: Definition | None) -> tuple[str, ...]:
    """The word and its inflections, as the dictionary and the rules know them."""
    same = definition is not None and fold(definition.word) == fold(card.word)
    listed = definition.forms if definition is not None and same else ()
    return tuple(dict.fromkeys((card.word, *listed, *family(fold(card.word).strip()))))


def head(card: Card, definition: Definition | None) -> str:
    """paradigm /ˈpærədaɪm/ n."""
    ipa = one_line(card.ipa or (definition.ipa if definition else ""))
    pos = one_line(card.pos or (definition.pos if definition else ""))
    return " ".join(part for part in (card.word, f"/{ipa.strip('/[]')}/" if ipa else "", pos) if part)


def one_line(text: str) -> str:
    """A short field as it may be shown, whoever wrote it."""
    return render.short("".join(c for c in " ".join(text.split()) if c.isprintable()), FIELD_CHARACTERS_MAX)


def senses(turn: Turn, card: Card, definition: Definition | None) -> list[str]:
    """The person's own meaning, else the dictionary's in the language of the reply; at most three lines."""
    if card.meaning.strip():
        found = [line for line in card.meaning.split("\n") if line.strip()]
    elif definition is None:
        return []
    else:
        chinese = turn.words.lang == "zh"
        found = list((definition.zh or definition.en) if chinese else (definition.en or definition.zh))
    return [render.short("".join(filter(str.isprintable, sense)), SENSE_CHARACTERS_MAX) for sense in found[:SENSES_MAX]]


def sentence(turn: Turn, card: Card, definition: Definition | None) -> Sentence | None:
    forms = forms_of(card, definition)
    return own_sentence(turn.writer, card.word, forms) or example_sentence(card.example, card.word, forms)


def gap_line(turn: Turn, found: Sentence | None, *, first_letter: bool = False) -> tuple[Line, ...]:
    """“the ______ shift Kuhn described”——你，5月3日（周五）"""
    if found is None:
        return ()
    by = ""
    if found.entry is not None:
        who = turn.who(found.entry.author, inside=True)
        by = turn.words("card-said-by", who=who, day=_day(turn, found.entry.at_ms))
    shown = found.around_gap(GAP_LINE_CHARACTERS_MAX[turn.words.lang], first_letter=first_letter)
    return render.stored_lines(turn.words, " ".join(shown.split()), by)[0]


def hint(turn: Turn, card: Card) -> str:
    """p______ · 8 letters, where no sentence shows the gap."""
    letters = len(card.word.replace(" ", ""))
    return turn.words("card-first-letter", shown=f"{card.word[:1]}{GAP}", n=letters)


def met(turn: Turn, word: str) -> str:
    """见过 2 次，最近 5月12日（周日）; "" for a word that was never met."""
    found = occurrences(turn.writer, word)
    if not found.places:
        return ""
    return turn.words("card-met", n=found.times, last=_day(turn, found.places[0].at_ms))


def _day(turn: Turn, at_ms: int) -> str:
    return day_named(turn, render.local(at_ms, turn.zone).date())
