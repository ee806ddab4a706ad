"""How much of a question a text covers, and whether that is enough to claim an answer. No model.

A term weighs its idf (in nats), a single Chinese character a third of it. The coverage of a text is the weight of the
terms it holds as a share of the whole question. With vectors, words and meaning must point at the *same* text: each
alone counts little. The constants were measured on homes from one entry to thousands, with questions about things that
were never said in them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from store.index import quoted
from store.ranking import Counts, Ranked, idf
from store.text import fold, is_unspaced, tokens
from store.vectors import Meaning

RARE_MAX = 1500
"""A term in at most this many texts is read whole; a commoner one is looked up for each judged text."""
IDF_ENTRIES_MIN = 1000
"""FTS5 floors the idf of a small home to nothing; ours counts as if it held at least this many texts."""
GATE_ENTRIES_MAX = 120
"""Past this the bar grows no more."""
_BASE, _GROWTH = 0.74, 0.67
"""The bar by words alone: base + growth · ln(1 + n)."""
COMPLETE = 0.95
"""A text that covers so much of the question lacks nothing of it."""
NEAR_MIN = -0.45
"""Nothing less near in meaning is shown as the closest for that alone: usual of unrelated texts is what is usual of the
nearest among many. Of 32 questions that share no word with their note, half of them in the other language, e5 brings up
28 so and USE 26; of 12 about nothing that was said, 3 and none bring up something."""
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")


@dataclass(frozen=True, slots=True)
class _Scale:
    """What cosines of one embedder mean: the usual one of unrelated texts and its spread, by script."""

    usual: float
    spread: float

    def of(self, cosine: float) -> float:
        return (cosine - self.usual) / self.spread


@dataclass(frozen=True, slots=True)
class _Bar:
    """agreement · F − alone · coverage − near · C + mass · M ≥ base + growth · ln(1 + n)."""

    share: float
    """λ: how much of C counts in F beside coverage."""
    agreement: float
    alone: float
    near: float
    mass: float
    base: float
    growth: float
    against: float
    """Below this C, meaning speaks against a text that covers the question in full."""


_SCALES: Final = {
    # (Chinese question, Chinese text)
    "e5": {
        (False, False): _Scale(0.80, 0.06),
        (True, True): _Scale(0.88, 0.03),
        # Unrelated texts of two scripts lie .086 and .009 further apart than those of the question's own.
        (True, False): _Scale(0.794, 0.03),
        (False, True): _Scale(0.791, 0.06),
    },
    "use": {
        (False, False): _Scale(0.33, 0.20),
        (True, True): _Scale(0.42, 0.18),
        (True, False): _Scale(0.42, 0.18),
        (False, True): _Scale(0.33, 0.20),
    },
}
_BARS: Final = {
    "e5": _Bar(0.5, 6.77, 3.94, 1.84, 0.058, 0.20, 0.80, -0.25),
    "use": _Bar(0.25, 8.74, 4.82, 1.49, 0.057, 0.35, 0.69, 0.0),
}
"""Only for embedders that were measured; another one ranks, and words alone decide what may be claimed. The bar of e5
was set on five chats and tested on five others, with vectors of the words alone, without who said them."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A question's terms with their weights, and the judged texts (by row) that hold each."""

    weights: Mapping[str, float]
    found: Mapping[str, Collection[int]]
    mass: float
    """Of the whole question, in nats."""
    total: int
    """Texts in the home."""

    def coverage(self, row: int) -> float:
        return self._share({term for term, there in self.found.items() if row in there})

    def coverage_of(self, text: str) -> float:
        """The same for words outside the index: a task, a profile field."""
        there = {_stem(token) for token in tokens(fold(text))}
        return self._share({term for term in self.weights if _stem(term) in there})

    def _share(self, present: set[str]) -> float:
        return sum(self.weights[term] for term in present) / self.mass if self.mass else 0.0

    def said(self, coverage: float) -> float:
        """By words alone: coverage and the mass it stands for."""
        return 3.56 * coverage + 0.075 * coverage * self.mass

    def enough(self, coverage: float) -> bool:
        return self.said(coverage) >= _BASE + _GROWTH * self.size

    @property
    def size(self) -> float:
        return math.log(1 + min(max(self.total, 1), GATE_ENTRIES_MAX))


class Judge:
    """Says of each judged text whether it may be claimed. `rows`: the judged.

    `must_hold`: what must stand in a text (`store.text.needed_in`), `texts`: the judged ones, folded. `is_bare`: whether
    nothing but words to be looked for was asked (`store.text.is_bare`).
    """

    def __init__(
        self,
        weighed: Weighed,
        rows: Sequence[int],
        ranked: Ranked,
        meaning: Meaning | None,
        must_hold: Sequence[re.Pattern[str]],
        texts: Mapping[int, str],
        *,
        is_bare: bool,
    ) -> None:
        self._weighed = weighed
        self._is_bare = is_bare
        self._lacking = {row for row in rows if not all(one.search(texts[row]) for one in must_hold)}
        self.coverage = {row: weighed.coverage(row) for row in rows}
        self.best_coverage = max(self.coverage.values(), default=0.0)
        self._near: dict[int, float] = {}
        self._bar: _Bar | None = None
        self._nearest = -math.inf
        if meaning is not None and ranked.nearest and meaning.kind in _BARS:
            self._bar = _BARS[meaning.kind]
            scales, asked = _SCALES[meaning.kind], any(map(is_unspaced, weighed.weights))
            self._nearest = max(scales[asked, han].of(cosine) for han, cosine in ranked.nearest.items())
            near = ((row, ranked.near[row]) for row in rows if row in ranked.near)
            self._near = {row: scales[asked, one.han].of(one.cosine) for row, one in near}
        self.best_said = max(map(self.said, rows), default=0.0)

    @property
    def needed(self) -> float:
        """The bar, which grows with the home."""
        base, growth = (self._bar.base, self._bar.growth) if self._bar else (_BASE, _GROWTH)
        return base + growth * self._weighed.size

    def strength(self, row: int) -> float:
        """F: coverage, and with vectors how far meaning agrees."""
        near = self.near(row)
        if self._bar is None or near is None:
            return self.coverage[row]
        return self.coverage[row] + self._bar.share * near

    def said(self, row: int) -> float:
        """What is held against the bar."""
        bar = self._bar
        if bar is None or row not in self._near:
            return self._weighed.said(self.coverage[row])
        return (
            bar.agreement * self.strength(row)
            - bar.alone * self.best_coverage
            - bar.near * self._nearest
            + bar.mass * self.best_coverage * self._weighed.mass
        )

    def enough(self, row: int) -> bool:
        if row in self._lacking:
            return False
        by_words = self._weighed.enough(self.coverage[row])
        if self._bar is None or row not in self._near:
            return by_words
        # Where all that was asked for stands in a text, meaning must only not speak against it; of a bare word it
        # says too little even for that.
        complete = self.coverage[row] >= COMPLETE and by_words
        spoken_against = not self._is_bare and self._near[row] < self._bar.against
        return self.said(row) >= self.needed or (complete and not spoken_against)

    def near(self, row: int) -> float | None:
        """C: how near in meaning, in spreads above what is usual."""
        return self._near.get(row)

    def is_close(self, row: int) -> bool:
        """Whether it may be shown as the closest there is: a term stands in it, or its meaning is near."""
        return self.coverage[row] > 0 or self._near.get(row, -math.inf) > NEAR_MIN


def weigh(
    counts: Counts,
    wanted: Sequence[tuple[str, float]],
    judged: Sequence[int],
    folded: Mapping[int, str],
    total: int,
    beside: Mapping[int, str] | None = None,
) -> Weighed:
    """`counts`: of the index. `wanted`: terms with the weight of their script. `folded`: the indexed text of the judged;
    `beside`: what belongs to some of them and is not indexed (who said it)."""
    entries = max(total, IDF_ENTRIES_MIN)
    weights: dict[str, float] = {}
    found: dict[str, Collection[int]] = {}
    for term, script in wanted:
        if is_unspaced(term):  # a run of Chinese gives every character and pair, so what stands in the text is a token
            count = counts.of(term)
            found[term] = {row for row, text in folded.items() if term in text}
        else:
            count, rows = _spaced(counts, term, judged)
            found[term] = {*rows, *(row for row, words in (beside or {}).items() if term in tokens(words))}
        weights[term] = script * idf(count, entries)
    return Weighed(weights, found, sum(weights.values()), total)


def _spaced(counts: Counts, term: str, judged: Sequence[int]) -> tuple[int, Collection[int]]:
    """Only the index knows the stems of words."""
    count = counts.of(term)
    conn, table, match = counts.conn, counts.table, quoted(term)
    if count <= RARE_MAX:
        return count, set(
            chain.from_iterable(conn.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (match,)))
        )
    one = f"SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid = ?"
    return count, {row for row in judged if conn.execute(one, (match, row)).fetchone()}


def _stem(token: str) -> str:
    """A crude stand-in for the index's stemmer, good enough for the few words of a task or a profile."""
    ending = next((end for end in _ENDINGS if token.endswith(end) and len(token) > len(end) + 2), "")
    return token.removesuffix(ending)
