"""Layer 3: what was said in the chat and never kept. Questions, commands and our own replies are not in it.

What a forgotten entry says is gone from here at once, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from store.candidates import folded_together, marks, without
from store.cues import wanted_by
from store.dates import FoundDate, find_dates
from store.gate import Judge, weigh
from store.own_rows import Turn
from store.ranking import Ranked, Talk, rank_turns
from store.text import fold, gate_terms, is_unspaced, named_in, terms
from store.trail import CANDIDATES_MAX, Candidate, Outcome, Step
from store.vectors import Meaning
from store.view import View

JUDGED_MAX = 30
TURNS_MAX = 10


@dataclass(frozen=True, slots=True)
class Heard:
    """`turns`: best first. With ANSWER the first `claimed` of them may be claimed."""

    outcome: Outcome
    turns: tuple[Turn, ...]
    claimed: int
    step: Step


def search_chat(
    view: View, words: str, today: date, *, meaning: Meaning | None = None, limit: int = TURNS_MAX
) -> Heard:
    """The messages that answer `words` best."""
    dates = find_dates(words, today, prefer_past=True)
    total = view.count_talk()
    ranked = _ranked(view, words, dates, total, meaning)
    wanted = gate_terms(without(words, dates))
    judged = ranked.order[: max(JUDGED_MAX, limit)]
    turns = _turns(view, judged)
    texts = folded_together([(row, turn.text) for row, turn in turns.items()])
    unspaced = any(is_unspaced(term) for term, _ in wanted)
    weighed = weigh(view.conn, "turn_words", wanted, judged, texts if unspaced else {}, total)
    judge = Judge(weighed, judged, ranked, meaning)
    passing = [row for row in judged if judge.enough(row)]
    close = [row for row in judged if row not in passing and (judge.is_close(row) or (dates and not wanted))]
    shown = tuple(turns[row] for row in [*passing, *close][:limit])
    outcome = Outcome.ANSWER if passing else Outcome.CLOSEST if shown else Outcome.NOTHING
    candidates = tuple(
        Candidate(str(turns[row].id), ranked.scores[row], judge.coverage[row], judge.near(row))
        for row in judged[:CANDIDATES_MAX]
    )
    step = Step("L3", total, len(shown), bool(passing), judge.best_coverage, judge.best_said, judge.needed, candidates)
    return Heard(outcome, shown, min(len(passing), limit), step)


def rank_chat(view: View, words: str, today: date, *, meaning: Meaning | None, limit: int) -> list[Turn]:
    """The messages in the order of ranking alone, best first."""
    dates = find_dates(words, today, prefer_past=True)
    ranked = _ranked(view, words, dates, view.count_talk(), meaning)
    rows = ranked.order[:limit]
    turns = _turns(view, rows)
    return [turns[row] for row in rows]


def _ranked(view: View, words: str, dates: Sequence[FoundDate], total: int, meaning: Meaning | None) -> Ranked:
    names = {account: name for account, name in view.people().items() if named_in(words, name)}
    talk = Talk(
        wanted=terms(words, names.values()),
        cue=wanted_by(words),
        named=names.keys(),
        days=[(one.first.isoformat(), one.last.isoformat()) for one in dates],
    )
    return rank_turns(view.conn, talk, total, _may_answer(view), meaning, view.matrices)


def _may_answer(view: View) -> Callable[[int], bool]:
    """Whether a message may be shown: not where the words of something forgotten stand in it."""
    gone = [fold(text) for (text,) in view.conn.execute("SELECT text FROM entries WHERE hidden = 1") if text]
    if not gone:
        return lambda place: True

    @cache
    def may(place: int) -> bool:
        row = view.conn.execute(
            "SELECT t.text FROM turn_places p JOIN turns t ON t.id = p.turn WHERE p.place = ?", (place,)
        ).fetchone()
        folded = fold(row[0]) if row else ""
        return not any(text in folded for text in gone)

    return may


def _turns(view: View, places: Sequence[int]) -> dict[int, Turn]:
    if not places:
        return {}
    at = dict(
        view.conn.execute(f"SELECT turn, place FROM turn_places WHERE place IN ({marks(places)})", places).fetchall()
    )
    found = {at[turn.id]: turn for turn in view.turns(f"id IN ({marks(at)})", list(at))}
    return {place: found[place] for place in places}
