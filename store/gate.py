"""How much of a question an entry covers, and whether that is enough to claim an answer. No model, no vectors.

A term weighs its idf (in nats), a single Chinese character a third of it. The coverage of an entry is the weight of
the terms it holds as a share of the whole question. The constants were measured on homes from one entry to thousands.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from sqlite3 import Connection

from store.text import fold, tokens

RARE_MAX = 2000
"""A term in at most this many entries is read whole; a commoner one is looked up for each judged entry."""
IDF_ENTRIES_MIN = 1000
"""FTS5 floors the idf of a small home to nothing; ours counts as if it held at least this many entries."""
GATE_ENTRIES_MAX = 120
"""Past this the bar grows no more."""
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A question's terms with their weights, and the judged entries (sequence numbers) that hold each."""

    weights: Mapping[str, float]
    found: Mapping[str, Collection[int]]
    mass: float
    """Of the whole question, in nats."""
    total: int
    """Entries in the home."""

    def coverage(self, seq: int) -> float:
        return self._share({term for term, there in self.found.items() if seq in there})

    def coverage_of(self, text: str) -> float:
        """The same for words outside the index: a task, a profile field."""
        there = {_stem(token) for token in tokens(fold(text))}
        return self._share({term for term in self.weights if _stem(term) in there})

    def _share(self, present: set[str]) -> float:
        return sum(self.weights[term] for term in present) / self.mass if self.mass else 0.0

    def enough(self, coverage: float) -> bool:
        """Coverage and the mass it stands for, against a bar that grows with the home."""
        counted = min(max(self.total, 1), GATE_ENTRIES_MAX)
        return 3.56 * coverage + 0.075 * coverage * self.mass >= 0.74 + 0.67 * math.log(1 + counted)


def weigh(
    conn: Connection, wanted: Sequence[tuple[str, float]], judged: Sequence[int], folded: Mapping[int, str], total: int
) -> Weighed:
    """`wanted`: terms with the weight of their script. `folded`: the indexed text of the judged. `total`: entries in the home."""
    entries = max(total, IDF_ENTRIES_MIN)
    weights: dict[str, float] = {}
    found: dict[str, Collection[int]] = {}
    for term, script in wanted:
        count, found[term] = _unspaced(conn, term, folded) if is_unspaced(term) else _spaced(conn, term, judged)
        weights[term] = script * _idf(count, entries)
    return Weighed(weights, found, sum(weights.values()), total)


def _unspaced(conn: Connection, term: str, folded: Mapping[int, str]) -> tuple[int, Collection[int]]:
    """A run of Chinese gives every character and pair, so what stands in the text is a token of it."""
    count = conn.execute("SELECT count(*) FROM words WHERE words MATCH ?", (quoted(term),)).fetchone()[0]
    return count, {seq for seq, text in folded.items() if term in text}


def _spaced(conn: Connection, term: str, judged: Sequence[int]) -> tuple[int, Collection[int]]:
    """Only the index knows the stems of words."""
    match = quoted(term)
    some = "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?"
    rows = set(chain.from_iterable(conn.execute(some, (match, RARE_MAX + 1))))
    if len(rows) <= RARE_MAX:
        return len(rows), rows
    count = conn.execute("SELECT count(*) FROM words WHERE words MATCH ?", (match,)).fetchone()[0]
    one = "SELECT rowid FROM words WHERE words MATCH ? AND rowid = ?"
    return count, {seq for seq in judged if conn.execute(one, (match, seq)).fetchone()}


def is_common(conn: Connection, term: str, most: int) -> bool:
    """Whether more than `most` entries hold the term."""
    some = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
    return bool(conn.execute(some, (quoted(term), most + 1)).fetchone()[0] > most)


def quoted(term: str) -> str:
    """A token as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


def is_unspaced(term: str) -> bool:
    """Chinese and its neighbours, which the index holds as characters and pairs; no stemmer touches them."""
    return term >= "\u2e80"


def _idf(count: int, entries: int) -> float:
    return math.log(1 + (entries - count + 0.5) / (count + 0.5))


def _stem(token: str) -> str:
    """A crude stand-in for the index's stemmer, good enough for the few words of a task or a profile."""
    ending = next((end for end in _ENDINGS if token.endswith(end) and len(token) > len(end) + 2), "")
    return token.removesuffix(ending)
