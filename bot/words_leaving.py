"""All words of a memory as a file of another program: a package for Anki, a table, a list to read, a list of words."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot import render
from bot.commands.words_sentence import own_sentence
from bot.deck import CLOCK_AHEAD_MS, Deck
from bot.habits import habits
from bot.words import words
from scheduler import learning, review
from scheduler.learning import LearningDay
from scheduler.review import Engine, NotInstalled, Phase, Remembered
from store import cards
from store.dictionary import Definition
from store.formats import apkg_out, csv_rows
from store.formats.apkg_out import Learned, Logged, Standing
from store.formats.word_lists import COLUMNS
from store.lemmas import family
from store.model import CARD_TEXT_CHARACTERS_MAX, Card, ReviewKind
from store.text import fold
from store.view import View

FORMATS = (".apkg", ".csv", ".md", ".txt")
NEW_LINE, SENSES_APART = "\n", "; "
DAY_MS = 24 * 60 * 60 * 1000
_KINDS = {Phase.NEW: 0, Phase.LEARNING: 0, Phase.REVIEW: 1, Phase.RELEARNING: 2}
_STANDINGS = {Phase.LEARNING: 1, Phase.REVIEW: 2, Phase.RELEARNING: 3}

Define = Callable[[str], Definition | None]


@dataclass(frozen=True, slots=True)
class Left:
    data: bytes
    words: int
    answers: int


def written(view: View, kind: str, *, zone: str, lang: str, now_ms: int, define: Define) -> Left:
    """Everything but removed words. Raises NotInstalled for a package where FSRS is missing."""
    every = cards.cards(view)
    answers = 0
    if kind == ".txt":
        data = "".join(f"{card.word}\n" for card in every).encode()
    elif kind == ".apkg":
        learned, first_day_s, retention = _learned(view, every, zone=zone, lang=lang, now_ms=now_ms, define=define)
        answers = sum(bool(entry.rating) for one in learned for entry in one.log)
        data = apkg_out.write(
            learned, deck=words(lang)("words-deck"), first_day_s=first_day_s, now_ms=now_ms, retention=retention
        )  # fmt: skip
    elif kind == ".csv":
        data = _table(view, every, zone=zone, lang=lang, now_ms=now_ms, define=define)
    else:
        data = "".join(_entry(*_shown(view, card, lang, define), card) for card in every).encode()
    return Left(data, len(every), answers)


def _shown(view: View, card: Card, lang: str, define: Define) -> tuple[str, str, str, str]:
    """(meaning, ipa, pos, example): the card's own, else what the dictionary and the person's entries have."""
    said = define(card.word)
    meaning = card.meaning
    if not meaning and said is not None:
        meaning = NEW_LINE.join((said.zh or said.en) if lang == "zh" else (said.en or said.zh))
    example = card.example
    if not example:
        forms = (card.word, *(said.forms if said is not None else ()), *family(fold(card.word).strip()))
        found = own_sentence(view, card.word, tuple(dict.fromkeys(forms)))
        example = found.text if found is not None else ""
    return (
        meaning[:CARD_TEXT_CHARACTERS_MAX],
        card.ipa or (said.ipa if said else ""),
        card.pos or (said.pos if said else ""),
        example,
    )


# to read


def _entry(meaning: str, ipa: str, pos: str, example: str, card: Card) -> str:
    head = " ".join(part for part in (f"**{card.word}**", f"/{ipa}/" if ipa else "", pos) if part)
    senses = SENSES_APART.join(meaning.split(NEW_LINE))[:CARD_TEXT_CHARACTERS_MAX]
    lines = [f"- {head} — {senses}" if senses else f"- {head}"]
    if example:
        lines.append(f"  > {' '.join(example.split())}")
    return "\n".join(lines) + "\n"


# as a table


def _table(view: View, every: Sequence[Card], *, zone: str, lang: str, now_ms: int, define: Define) -> bytes:
    deck = Deck(view, _moment(now_ms), zone, habits(view))
    stands = _stands(deck)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for card in every:
        meaning, ipa, pos, example = _shown(view, card, lang, define)
        at = stands(card)
        due = deck.due_day(card.id).isoformat() if at is not None and at.phase is not Phase.NEW else ""
        row = (
            card.word, ipa, pos, meaning, example, csv_rows.listed(card.tags), card.state.value,
            render.local(card.added_ms, zone).date().isoformat(), due, str(at.reps) if at is not None else "",
        )  # fmt: skip
        table.writerow([csv_rows.guarded(cell) for cell in row])
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _stands(deck: Deck) -> Callable[[Card], Remembered | None]:
    """How a card stands; None for all of them where FSRS is missing: the words can still be taken out."""
    try:
        deck.cards()
    except NotInstalled:
        return lambda card: None
    return lambda card: deck.remembered(card.id)


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


# for Anki


def _learned(
    view: View, every: Sequence[Card], *, zone: str, lang: str, now_ms: int, define: Define
) -> tuple[list[Learned], int, float]:
    """(the cards, when the first day begins, the wished chance to remember)"""
    deck = Deck(view, _moment(now_ms), zone, habits(view))
    logs = {card.id: _log(view, card, deck.engine, now_ms) for card in every}
    first_ms = min([now_ms, *(card.added_ms for card in every), *(log[0].at_ms for log, _ in logs.values() if log)])
    first = learning.learning_day(_moment(max(0, first_ms)), zone)
    made: list[Learned] = []
    for card in every:
        log, at = logs[card.id]
        standing = _standing(at, first, zone) if at.phase is not Phase.NEW else None
        made.append(Learned(card, *_shown(view, card, lang, define), standing, log))
    return made, first.first_ms // 1000, deck.engine.retention


def _log(view: View, card: Card, engine: Engine, now_ms: int) -> tuple[list[Logged], Remembered]:
    log: list[Logged] = []
    at = Remembered()
    before = 0
    for one in cards.reviews(view, card.id):
        if one.at_ms > now_ms + CLOCK_AHEAD_MS:
            continue
        if one.kind is ReviewKind.RESET:
            log.append(Logged(one.at_ms, 0, 0, 0, 0, 0))
            at, before = Remembered(reps=at.reps), 0
            continue
        kind, at = _KINDS[at.phase], review.after(at, one.rating, one.at_ms, engine)
        interval = _interval(at)
        log.append(Logged(one.at_ms, one.rating, one.took_ms, kind, interval, before))
        before = interval
    return log, at


def _interval(at: Remembered) -> int:
    """Days; while it is learned seconds, below nothing."""
    length_ms = max(0, at.due_ms - at.last_ms)
    return max(1, round(length_ms / DAY_MS)) if at.phase is Phase.REVIEW else -(length_ms // 1000)


def _standing(at: Remembered, first: LearningDay, zone: str) -> Standing:
    days = max(1, round((at.due_ms - at.last_ms) / DAY_MS))
    due = at.due_ms // 1000
    if at.phase is Phase.REVIEW:
        due = (learning.learning_day(_moment(at.due_ms), zone).day - first.day).days
    return Standing(
        _STANDINGS[at.phase], due, days if at.phase is not Phase.LEARNING else 0, at.reps, at.lapses, at.stability,
        at.difficulty, at.last_ms // 1000,
    )  # fmt: skip
