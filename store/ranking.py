"""Which texts answer a question best: words and, with an embedder, meaning; in a chat also who speaks after whom.

Facts and messages are ranked apart. A fact stands for itself. A message lives from those around it: a question hands
its score to the answer behind it, a conversation lifts its messages, a named speaker and a wanted time or name count.
The numbers are one configuration for everything, found on some chats and tested on others; none hangs on a digit.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from sqlite3 import Connection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from store.cues import ASKS, ENDS_ASKING, NAME, TIME
from store.index import quoted, session_of
from store.sql import marks
from store.text import is_single, is_unspaced
from store.vectors import ENTRIES, TURNS, Matrices, Meaning

JUDGED_MAX = 30
"""Texts that the gate looks at."""
LEXICAL_MAX = 200
NEAREST_MAX = 100
"""Candidates: so many by words and so many by meaning."""
FACTS_MAX = 60
"""Without vectors and without context nothing below comes up again, so fewer are enough."""
BM25_COLUMN_WEIGHT = 6.0
"""FTS5 multiplies a term's count by it before saturation: presence counts, repetition hardly."""
_BM25_PEAK = 2.2
"""k1 + 1 of FTS5's bm25: what a term that saturates scores for each nat of its idf."""
COVERAGE_RANKS_BELOW = 50
SIDE_BY_SIDE = 0.03
"""More than use may add: the spare key goes before the spare car key, however often that was asked for."""
"""In a home with fewer texts FTS5's own idf says nothing, so the share of the question found in each ranks."""
COMMON_ABOVE = 1000
COMMON_SHARE = 0.01
"""In a larger home, a single character that more than this share of all texts hold ranks nothing and costs most."""
_Z_SCALE = 6.0
ALIKE_MIN = 8
"""Fewer texts of one script have no mean of their own."""

FACT_WEIGHT: Final = {"e5": 0.5, "use": 0.25, "url": 0.25}
TURN_WEIGHT: Final = {"e5": 0.25, "use": 0.15, "url": 0.15}
"""What one unit of meaning counts beside the share of the words, by kind of embedder."""

BESIDE_MAX = 100
"""So many of the candidates bring up those around them that are none."""
_BESIDE: Final = {-1: 0.15, 1: 0.20, -2: 0.20, 2: 0.15}
_ANSWERS = 0.60
_SESSION = 0.80
_NAMED = 0.40
_ENDS_ASKING = -0.08
_TIME = 0.30
_NAME = 0.20
_WHEN_SAID = 0.60


Allowed = Callable[[int], bool]
"""Whether the text of this row may answer."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a text is to a question in meaning. `han`: whether the text is Chinese."""

    cosine: float
    han: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of one index, best first."""

    order: Sequence[int]
    alone: Sequence[int]
    """The same without what others around them give."""
    scores: Mapping[int, float]
    near: Mapping[int, Nearness]
    """Of those the gate looks at that have a vector."""
    nearest: Mapping[bool, float]
    """Whether Chinese → the greatest cosine of such texts in the whole home; empty without vectors."""

    @property
    def judged(self) -> list[int]:
        """What the gate looks at: the best, and those that are best by themselves."""
        return list(dict.fromkeys([*self.order[:JUDGED_MAX], *self.alone[:JUDGED_MAX]]))


def rank_facts(
    counts: Counts,
    wanted: Sequence[str],
    total: int,
    allowed: Allowed,
    meaning: Meaning | None,
    matrices: Matrices,
) -> Ranked:
    """Entries by `seq`. `counts`: of the index `words`. `wanted`: the terms of the question. `total`: entries in the home."""
    near = _Near(counts.conn, ENTRIES, meaning, matrices)
    if total < COVERAGE_RANKS_BELOW:
        lexical = _share(counts, wanted, total, allowed)
        for row in _side_by_side(counts, wanted):
            if row in lexical:
                lexical[row] += SIDE_BY_SIDE
    elif near.greatest is None:
        # Plain bm25 is better where long questions ask for facts of one line, and nothing is added to it here.
        lexical = _bm25(counts, wanted, total, allowed, weights=(1.0,), normal=False, most=FACTS_MAX)
    else:
        lexical = _bm25(counts, wanted, total, allowed, weights=(BM25_COLUMN_WEIGHT,), normal=True)
    weight = FACT_WEIGHT[meaning.kind] if meaning else 0.0
    rows = dict.fromkeys([*lexical, *near.best(NEAREST_MAX, allowed)])
    scores = {row: lexical.get(row, 0.0) + weight * near.z(row) for row in rows}
    return _ranked(scores, scores, near)


@dataclass(frozen=True, slots=True)
class Talk:
    """What a question about a chat asks for. `named`: accounts it names; `days`: (first, last) it speaks of."""

    wanted: Sequence[str]
    cue: int
    named: Collection[str]
    days: Sequence[tuple[str, str]]


def rank_turns(
    counts: Counts, talk: Talk, total: int, allowed: Allowed, meaning: Meaning | None, matrices: Matrices
) -> Ranked:
    """Messages by their place in the chat. `counts`: of the index `turn_words`. `total`: messages that are indexed."""
    conn = counts.conn
    near = _Near(conn, TURNS, meaning, matrices)
    if total < COVERAGE_RANKS_BELOW:
        lexical = _share(counts, talk.wanted, total, allowed)
    else:
        weights = (BM25_COLUMN_WEIGHT, BM25_COLUMN_WEIGHT)
        lexical = _bm25(counts, talk.wanted, total, allowed, weights=weights, normal=True)
    weight = TURN_WEIGHT[meaning.kind] if meaning else 0.0
    said_then = _said(conn, talk.days)
    rows = dict.fromkeys([*lexical, *near.best(NEAREST_MAX, allowed), *filter(allowed, said_then)])
    alone = {row: lexical.get(row, 0.0) + weight * near.z(row) for row in rows}
    return _ranked(_in_context(conn, alone, talk, said_then, allowed), alone, near)


def _in_context(
    conn: Connection, alone: Mapping[int, float], talk: Talk, said_then: Collection[int], allowed: Allowed
) -> dict[int, float]:
    """The scores of the candidates and of those beside the best, with what those around them give."""
    if not alone:
        return {}
    best = sorted(alone, key=lambda row: -alone[row])[:BESIDE_MAX]
    places = sorted({*alone, *(row + step for row in best for step in _BESIDE)})
    signs = _signs(conn, places)
    rows = [row for row in places if row in signs and (row in alone or allowed(row))]
    at = np.array(rows, np.int64)
    own = np.array([alone.get(row, 0.0) for row in rows])
    cues = np.array([signs[row][1] for row in rows], np.int64)
    sessions = _session_scores(alone)
    scores = own + _SESSION * np.array([sessions.get(session_of(row), 0.0) for row in rows])
    for step, share in _BESIDE.items():
        beside = np.minimum(np.searchsorted(at, at + step), len(at) - 1)
        there = at[beside] == at + step
        other = np.where(there, own[beside], 0.0)
        scores += share * other
        if step == -1:
            scores += _ANSWERS * other * ((cues[beside] & ASKS) > 0)
    scores += _NAMED * np.array([signs[row][0] in talk.named for row in rows])
    scores += _ENDS_ASKING * ((cues & ENDS_ASKING) > 0)
    scores += {TIME: _TIME, NAME: _NAME}.get(talk.cue, 0.0) * ((cues & talk.cue) > 0)
    scores += _WHEN_SAID * np.array([row in said_then for row in rows])
    return dict(zip(rows, scores.tolist(), strict=True))


def _ranked(scores: Mapping[int, float], alone: Mapping[int, float], near: _Near) -> Ranked:
    order = sorted(scores, key=lambda row: (-scores[row], -row))  # of equals the newer first
    by_itself = order if alone is scores else sorted(alone, key=lambda row: (-alone[row], -row))
    return Ranked(order, by_itself, scores, near.near([*order[:JUDGED_MAX], *by_itself[:JUDGED_MAX]]), near.nearest())


def _session_scores(alone: Mapping[int, float]) -> dict[int, float]:
    """The mean of the two best messages of each; one alone counts half."""
    best: dict[int, list[float]] = defaultdict(list)
    for row, score in alone.items():
        best[session_of(row)].append(score)
    return {session: sum(sorted(scores)[-2:]) / 2 for session, scores in best.items()}


def _signs(conn: Connection, places: Sequence[int]) -> dict[int, tuple[str, int]]:
    rows = conn.execute(f"SELECT place, account, cues FROM turn_places WHERE place IN ({marks(places)})", places)
    return {place: (account, cues) for place, account, cues in rows}


def _said(conn: Connection, days: Sequence[tuple[str, str]]) -> frozenset[int]:
    """The newest messages said on these days."""
    found: set[int] = set()
    for first, last in days:
        found.update(
            row[0]
            for row in conn.execute(
                "SELECT p.place FROM turns t JOIN turn_places p ON p.turn = t.id"
                " WHERE t.day BETWEEN ? AND ? ORDER BY t.id DESC LIMIT ?",
                (first, last, LEXICAL_MAX),
            )
        )
    return frozenset(found)


# ---------------------------------------------------------------- words


def idf(count: int, total: int) -> float:
    """Of a term in `count` of `total` texts, in nats; never below nothing."""
    return math.log(1 + (max(total, count) - count + 0.5) / (count + 0.5))


class Counts:
    """In how many texts of an index a term stands; each is counted once a question."""

    def __init__(self, conn: Connection, table: str) -> None:
        self.conn = conn
        self.table = table
        self._known: dict[str, int] = {}

    def of(self, term: str) -> int:
        if term not in self._known:
            sql = f"SELECT count(*) FROM {self.table} WHERE {self.table} MATCH ?"
            self._known[term] = self.conn.execute(sql, (quoted(term),)).fetchone()[0]
        return self._known[term]


def _share(counts: Counts, wanted: Sequence[str], total: int, allowed: Allowed) -> dict[int, float]:
    """Row → the share of the question's idf that stands in it."""
    there = {}
    for term in wanted:
        sql = f"SELECT rowid FROM {counts.table} WHERE {counts.table} MATCH ?"
        there[term] = [row for (row,) in counts.conn.execute(sql, (quoted(term),))]
    weights = {term: idf(len(rows), total) for term, rows in there.items()}
    mass = sum(weights.values())
    scores: dict[int, float] = defaultdict(float)
    for term, rows in there.items():
        for row in rows:
            scores[row] += weights[term] / mass
    return {row: score for row, score in scores.items() if allowed(row)}


def _side_by_side(counts: Counts, wanted: Sequence[str]) -> Iterator[int]:
    """The rows in which two words stand next to each other as they do in the question. Chinese has its pairs for that."""
    for one, then in pairwise(wanted):
        if not (is_unspaced(one) or is_unspaced(then)):
            sql = f"SELECT rowid FROM {counts.table} WHERE {counts.table} MATCH ?"
            yield from (row for (row,) in counts.conn.execute(sql, (quoted(f"{one} {then}"),)))


def _bm25(
    counts: Counts,
    wanted: Sequence[str],
    total: int,
    allowed: Allowed,
    *,
    weights: Sequence[float],
    normal: bool,
    most: int = LEXICAL_MAX,
) -> dict[int, float]:
    """The best by bm25, best first, of equals the newer first. `normal`: as a share of what the question could score."""
    kept = _telling(counts, wanted, total)
    if not kept:
        return {}
    match = " OR ".join(quoted(term) for term in kept)
    table, columns = counts.table, ", ".join("?" * len(weights))
    ranked = (
        f"SELECT rowid, -bm25({table}, {columns}) AS score FROM {table} WHERE {table} MATCH ?"
        " ORDER BY score DESC, rowid DESC LIMIT ?"
    )
    best: dict[int, float] = {}
    for limit in (2 * most, -1):  # rarely so many may not answer that all have to be looked at
        rows = counts.conn.execute(ranked, (*weights, match, limit)).fetchall()
        best = dict(islice(((row, score) for row, score in rows if allowed(row)), most))
        if len(best) == most or len(rows) < 2 * most:
            break
    if not normal:
        return best
    peak = _BM25_PEAK * sum(idf(counts.of(term), total) for term in kept)
    return {row: score / peak for row, score in best.items()}


def _telling(counts: Counts, wanted: Sequence[str], total: int) -> Sequence[str]:
    """The terms without the commoner single characters, as long as something is left."""
    if total < COMMON_ABOVE:
        return wanted
    most = int(COMMON_SHARE * total)
    return [term for term in wanted if not (is_single(term) and counts.of(term) > most)] or wanted


# ---------------------------------------------------------------- meaning


class _Near:
    """The cosines of one question with everything that has a vector."""

    def __init__(self, conn: Connection, table: str, meaning: Meaning | None, matrices: Matrices) -> None:
        self.greatest: float | None = None
        self._at: Mapping[int, int] = {}
        if meaning is None:
            return
        cosines = matrices.of(table, meaning.model).cosines(conn, meaning.vector)
        self._rows, self._cosines, self._han, self._at = cosines.rows, cosines.values, cosines.han, cosines.at
        if not self._at:
            return
        self.greatest = float(self._cosines.max())
        self._z = np.zeros_like(self._cosines)
        # Texts of one script lie closer to a question in it than those of another: each is measured among its like.
        chinese, latin = self._han, ~self._han
        groups = (chinese, latin) if min(chinese.sum(), latin.sum()) >= ALIKE_MIN else (slice(None),)
        for group in groups:
            some = self._cosines[group]
            deviation = float(some.std())
            self._z[group] = (some - some.mean()) / (_Z_SCALE * deviation) if deviation else 0.0

    def best(self, most: int, allowed: Allowed) -> list[int]:
        if self.greatest is None:
            return []
        some = min(len(self._rows), 10 * most)
        found = self._first(np.argpartition(-self._z, some - 1)[:some], most, allowed)
        if len(found) < most and some < len(self._rows):
            found = self._first(np.arange(len(self._rows)), most, allowed)  # most may not answer: look at all
        return found

    def _first(self, places: NDArray[np.intp], most: int, allowed: Allowed) -> list[int]:
        ordered = places[np.argsort(-self._z[places], kind="stable")]
        found = (int(self._rows[place]) for place in ordered)
        return list(islice(filter(allowed, found), most))

    def z(self, row: int) -> float:
        """How far above its like, in sixths of a deviation; nothing for what has no vector yet."""
        at = self._at.get(row)
        return 0.0 if at is None else float(self._z[at])

    def near(self, rows: Sequence[int]) -> dict[int, Nearness]:
        """Of those rows that have a vector."""
        places = ((row, self._at[row]) for row in rows if row in self._at)
        return {row: Nearness(float(self._cosines[at]), bool(self._han[at])) for row, at in places}

    def nearest(self) -> dict[bool, float]:
        """Whether Chinese → the greatest cosine of such texts in the whole home."""
        kinds = ((True, self._han), (False, ~self._han)) if self._at else ()
        return {han: float(self._cosines[some].max()) for han, some in kinds if some.any()}
