"""Layer 3: what was said in the chat and never kept. Questions, commands and our own replies are not in it.

What a forgotten entry says is gone from here at once, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from store.candidates import folded_together, forgotten, quoting, without
from store.cues import wanted_by
from store.dates import FoundDate, find_dates
from store.gate import Judge, weigh
from store.model import AccountID
from store.own_rows import Turn
from store.ranking import Counts, Ranked, Talk, rank_turns
from store.sql import marks
from store.text import gate_terms, is_bare, is_unspaced, named_in, needed_in, terms
from store.trail import CANDIDATES_MAX, Candidate, Outcome, Step
from store.vectors import Meaning
from store.view import View

TURNS_MAX = 10
SPAN_MAX = timedelta(days=62)
"""A longer time says too little about a message to lift it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """`turns`: best first, with what ranking brings up around them, since an answer may share no word with the question
    before it. `passing`: those of which each by itself may be claimed (ANSWER) or is close (CLOSEST)."""

    outcome: Outcome
    turns: tuple[Turn, ...]
    passing: tuple[Turn, ...]
    step: Step


def search_chat(
    view: View,
    words: str,
    today: date,
    *,
    authors: Sequence[str] = (),
    meaning: Meaning | None = None,
    limit: int = TURNS_MAX,
) -> Heard:
    """The messages that answer `words` best. `authors`: only what they said, where there are any."""
    dates = find_dates(words, today, prefer_past=True)
    total = view.count_talk()
    names = _named(view, words)
    counts = Counts(view.conn, "turn_words")
    ranked = _ranked(view, counts, words, dates, names, total, meaning, authors)
    asked = without(words, dates)
    wanted, needed = gate_terms(asked, names.values()), needed_in(asked, names.values())
    judged = ranked.judged
    said = _said(view, judged)
    unspaced = any(is_unspaced(term) for term, _ in wanted)
    texts = folded_together([(row, said[row][0]) for row in judged]) if needed or unspaced else {}
    weighed = weigh(counts, wanted, judged, texts, total)
    judge = Judge(weighed, judged, ranked, meaning, needed, texts, is_bare=is_bare(asked))
    enough = [row for row in judged if judge.enough(row) and _is_of(*said[row], dates)]
    close = judged if dates and not wanted else [row for row in judged if judge.is_close(row)]
    claims, passing = bool(enough), (enough or close)[:limit]
    shown = ranked.order[:limit] if passing else []
    turns = _turns(view, list({*shown, *passing, *ranked.order[:CANDIDATES_MAX]}))
    outcome = Outcome.ANSWER if claims else Outcome.CLOSEST if shown else Outcome.NOTHING
    candidates = tuple(
        Candidate(str(turns[row].id), ranked.scores[row], judge.coverage[row], judge.near(row))
        for row in ranked.order[:CANDIDATES_MAX]
    )
    step = Step("L3", total, len(shown), claims, judge.best_coverage, judge.best_said, judge.needed, candidates)
    return Heard(outcome, tuple(turns[row] for row in shown), tuple(turns[row] for row in passing), step)


def rank_chat(view: View, words: str, today: date, *, meaning: Meaning | None, limit: int) -> list[Turn]:
    """The messages in the order of ranking alone, best first."""
    dates = find_dates(words, today, prefer_past=True)
    counts = Counts(view.conn, "turn_words")
    ranked = _ranked(view, counts, words, dates, _named(view, words), view.count_talk(), meaning)
    rows = ranked.order[:limit]
    turns = _turns(view, rows)
    return [turns[row] for row in rows]


def _said(view: View, places: Sequence[int]) -> dict[int, tuple[str, str]]:
    """place → (text, day)."""
    rows = view.conn.execute(
        "SELECT p.place, t.text, t.day FROM turn_places p JOIN turns t ON t.id = p.turn"
        f" WHERE p.place IN ({marks(places)})",
        places,
    )
    return {place: (text, day) for place, text, day in rows}


def _is_of(text: str, day: str, dates: Sequence[FoundDate]) -> bool:
    """Whether a message was said in the time that was named, or names it too; a claim needs that."""
    said = date.fromisoformat(day)
    return not dates or any(one.first <= said <= one.last or one.words in text for one in dates)


def _named(view: View, words: str) -> dict[AccountID, str]:
    """The people of this memory whose names stand in the question. In a chat a name is mostly called, not told of."""
    return {account: name for account, name in view.people().items() if named_in(words, name)}


def _ranked(
    view: View,
    counts: Counts,
    words: str,
    dates: Sequence[FoundDate],
    names: Mapping[AccountID, str],
    total: int,
    meaning: Meaning | None,
    authors: Sequence[str] = (),
) -> Ranked:
    talk = Talk(
        wanted=terms(words, names.values()),
        cue=wanted_by(words),
        named=names.keys(),
        days=[(one.first.isoformat(), one.last.isoformat()) for one in dates if one.last - one.first < SPAN_MAX],
    )
    return rank_turns(counts, talk, total, _may_answer(view, authors), meaning, view.matrices)


def _may_answer(view: View, authors: Sequence[str]) -> Callable[[int], bool]:
    """Whether a message may be shown: not where the words of something forgotten stand in it."""
    gone = forgotten(view.conn)
    if not gone and not authors:
        return lambda place: True
    quotes = quoting(gone)
    by = f"SELECT place FROM turn_places WHERE account IN ({marks(authors)})"
    theirs = {row[0] for row in view.conn.execute(by, authors)} if authors else None

    @cache
    def may(place: int) -> bool:
        if theirs is not None and place not in theirs:
            return False
        return not gone or not any(quotes(text) for text, _ in _said(view, [place]).values())

    return may


def _turns(view: View, places: Sequence[int]) -> dict[int, Turn]:
    if not places:
        return {}
    at = dict(
        view.conn.execute(f"SELECT turn, place FROM turn_places WHERE place IN ({marks(places)})", places).fetchall()
    )
    found = {at[turn.id]: turn for turn in view.turns(f"id IN ({marks(at)})", list(at))}
    return {place: found[place] for place in places}
