"""Recall in stages, without a model: what memory knows, how sure it is, and how it looked.

Today, yesterday, the board, the profile and the rules first (L1); all entries next (L2); raw turns (L3) only
when asked for. One query ranks all of it; the gate then decides whether the best of L1 or of L2 may be
*claimed*. Its constants were measured on homes from one entry to thousands (see `docs/benchmarks.md`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from sqlite3 import Connection

from store.dates import find_dates
from store.fold import closure
from store.model import DateSpan, Entry, EntryKind, Task
from store.query import parse_query, to_fts
from store.text import expand, gate_terms, terms
from store.view import Turn, View

CANDIDATES_MAX = 200
JUDGED_MAX = 30
SHOWN_MAX = 50
RARE_MAX = 500
"""A term in at most this many entries is read whole; a commoner one is looked up per candidate."""
LISTED_WITHOUT_WORDS = 3
IDF_ENTRIES_MIN = 1000
"""FTS5 floors the idf of a small home to nothing; ours counts as if it held at least this many entries."""
GATE_ENTRIES_MAX = 120
ALONGSIDE = 0.75
"""A further entry is shown when it covers at least this share of what the best one covers."""


class Outcome(StrEnum):
    ANSWER = "answer"
    CLOSEST = "closest"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Question:
    """`words`: what is looked for. `exact`: our own query syntax counts. `kind`, `author`: only such entries."""

    words: str
    today: date
    exact: bool = False
    kind: EntryKind | None = None
    author: str | None = None
    listing: bool = False
    """True when the words name nothing but a kind, date or author: the newest such entries are the answer."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the trail: where it looked and what that gave."""

    layer: str
    looked_at: int
    found: int
    enough: bool
    coverage: int
    """Best share of the question's weight found in one entry, per cent."""


@dataclass(frozen=True, slots=True)
class Answer:
    outcome: Outcome
    entries: tuple[Entry, ...] = ()
    """Best first; when `disagree`, exactly the rivals, newest first."""
    tasks: tuple[Task, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Profile fields: (name, value)."""
    disagree: bool = False
    span: DateSpan | None = None
    """The time the question named, as read."""
    total: int = 0
    """Entries in the whole memory."""
    trail: tuple[Step, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A question's terms with their weight (idf × script weight, in nats) and where they occur."""

    weights: dict[str, float]
    sum_idf: float
    found: dict[str, frozenset[int]]
    """term → sequence numbers, among the candidates."""

    def coverage(self, seq: int) -> float:
        total = sum(self.weights.values())
        return sum(w for term, w in self.weights.items() if seq in self.found[term]) / total if total else 0.0


def recall(view: View, question: Question) -> Answer:
    """The answer from layers 1 and 2."""
    total = view.count()
    spans = find_dates(question.words, question.today, prefer_past=True) if not question.exact else []
    span = spans[0] if spans else None
    words = question.words
    for one in reversed(spans[:1]):
        words = f"{words[: one.start]} {words[one.end :]}"
    named = DateSpan(span.words, span.first.isoformat(), span.last.isoformat()) if span else None
    if question.exact:
        query = parse_query(words)
        if query.is_exact:
            return _exact(view, to_fts(query), total)
    answer = _ranked(view, question, words, named, total)
    if named and answer.outcome is Outcome.NOTHING and gate_terms(words):
        # People misremember dates: look again without, and then never claim.
        again = _ranked(view, question, words, None, total)
        if again.outcome is not Outcome.NOTHING:
            return Answer(Outcome.CLOSEST, again.entries, again.tasks, again.facts, False, named, total, again.trail)
    return answer


def _exact(view: View, match: str, total: int) -> Answer:
    rows = view.conn.execute(
        "SELECT e.id FROM plain JOIN entries e ON e.seq = plain.rowid"
        " WHERE plain MATCH ? AND e.hidden = 0 ORDER BY e.current DESC, e.at_ms DESC LIMIT ?",
        (match, SHOWN_MAX),
    ).fetchall()
    found = tuple(e for (record,) in rows if (e := view.entry(record)))
    step = Step("L2", total, len(found), bool(found), 100 if found else 0)
    return Answer(Outcome.ANSWER if found else Outcome.NOTHING, found, total=total, trail=(step,))


def _ranked(view: View, question: Question, words: str, span: DateSpan | None, total: int) -> Answer:
    wanted = gate_terms(words)
    allowed = _filter(question, span)
    if not wanted or question.listing:
        if not (question.listing or span or question.kind or question.author):
            return Answer(Outcome.NOTHING, span=span, total=total, trail=(Step("L2", total, 0, False, 0),))
        listed = _newest(view, allowed)
        outcome = Outcome.ANSWER if listed else Outcome.NOTHING
        return Answer(outcome, listed, span=span, total=total, trail=(Step("L2", total, len(listed), bool(listed), 0),))
    candidates = _candidates(view.conn, words, allowed, total)
    weighed = _weigh(view.conn, wanted, candidates, total)
    scored = [(weighed.coverage(seq), place, seq) for place, seq in enumerate(candidates)]
    # In a small home FTS5's own idf says nothing, so coverage ranks; elsewhere bm25 does.
    if total < 50:
        scored.sort(key=lambda item: (-item[0], item[1]))
    tasks = tuple(t for t in view.tasks(done=False) if _shares(weighed, t.title, total))
    facts = tuple(
        (name, str(register.value))
        for name, register in view.registers("profile").items()
        if register.value and _shares(weighed, f"{name} {register.value}", total)
    )
    best = max((coverage for coverage, _, _ in scored), default=0.0)
    passing = [(coverage, seq) for coverage, _, seq in scored if _enough(coverage, weighed, total)]
    fresh = _fresh(view.conn, [seq for _, seq in passing], question.today)
    trail = [
        Step("L1", _fresh_count(view.conn, question.today), len(fresh), bool(fresh or tasks or facts), _percent(best))
    ]
    if not fresh:
        trail.append(Step("L2", total, len(passing), bool(passing), _percent(best)))
    if passing or tasks or facts:
        floor = ALONGSIDE * max((coverage for coverage, _ in passing), default=0.0)
        shown = _current(view, [seq for coverage, seq in passing if coverage >= floor])
        rivals = _rivals(view, shown)
        return Answer(Outcome.ANSWER, rivals or shown, tasks, facts, bool(rivals), span, total, tuple(trail))
    closest = _current(view, [seq for coverage, _, seq in scored if coverage > 0])
    outcome = Outcome.CLOSEST if closest else Outcome.NOTHING
    return Answer(outcome, closest, span=span, total=total, trail=tuple(trail))


def _filter(question: Question, span: DateSpan | None) -> tuple[str, list[str]]:
    """Conditions on `entries e`, and their values."""
    parts = ["e.hidden = 0", "e.kind <> 'checkpoint'"]
    values: list[str] = []
    if question.kind:
        parts.append("e.kind = ?")
        values.append(question.kind.value)
    if question.author:
        parts.append("e.author = ?")
        values.append(question.author)
    if span:
        parts.append("e.day BETWEEN ? AND ?")
        values += [span.first, span.last]
    return " AND ".join(parts), values


def _newest(view: View, allowed: tuple[str, list[str]]) -> tuple[Entry, ...]:
    where, values = allowed
    return tuple(view.entries(f"{where.replace('e.', '')} AND current = 1", values, limit=LISTED_WITHOUT_WORDS))


def _candidates(conn: Connection, words: str, allowed: tuple[str, list[str]], total: int) -> list[int]:
    """Sequence numbers of at most 200 entries that share a term with `words`, best bm25 first."""
    match = " OR ".join(_quoted(term) for term in terms(words))
    where, values = allowed
    rows = conn.execute(
        "SELECT s.rowid FROM (SELECT rowid, bm25(words) AS score FROM words WHERE words MATCH ?) s"
        f" JOIN entries e ON e.seq = s.rowid WHERE {where} ORDER BY s.score, e.at_ms DESC LIMIT ?",
        (match, *values, CANDIDATES_MAX),
    )
    return [row[0] for row in rows]


def _weigh(conn: Connection, wanted: Sequence[tuple[str, float]], candidates: Sequence[int], total: int) -> _Weighed:
    """idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)), N taken as at least 1,000."""
    judged = candidates[:JUDGED_MAX]
    entries = max(total, IDF_ENTRIES_MIN)
    weights: dict[str, float] = {}
    found: dict[str, frozenset[int]] = {}
    for term, script in wanted:
        match = _quoted(term)
        count: int = conn.execute("SELECT count(*) FROM words WHERE words MATCH ?", (match,)).fetchone()[0]
        weights[term] = script * math.log(1 + (entries - count + 0.5) / (count + 0.5))
        if count <= RARE_MAX:
            rows = conn.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,))
            found[term] = frozenset(row[0] for row in rows)
        else:
            one = "SELECT rowid FROM words WHERE words MATCH ? AND rowid = ?"
            found[term] = frozenset(seq for seq in judged if conn.execute(one, (match, seq)).fetchone())
    return _Weighed(weights, sum(weights.values()), found)


def _enough(coverage: float, weighed: _Weighed, total: int) -> bool:
    """The gate for words alone: coverage and the mass it stands for, against a bar that grows with the home."""
    mass = coverage * weighed.sum_idf
    return 3.56 * coverage + 0.075 * mass >= 0.74 + 0.67 * math.log(1 + min(max(total, 1), GATE_ENTRIES_MAX))


def _shares(weighed: _Weighed, text: str, total: int) -> bool:
    """Whether words outside the index (a task, a profile field) pass the same gate."""
    there = set(expand(text).split())
    whole = sum(weighed.weights.values())
    share = sum(w for term, w in weighed.weights.items() if term in there) / whole if whole else 0.0
    return _enough(share, weighed, total)


def _fresh(conn: Connection, seqs: Sequence[int], today: date) -> list[int]:
    yesterday = (today - timedelta(days=1)).isoformat()
    one = "SELECT 1 FROM entries WHERE seq = ? AND (day >= ? OR pinned = 1 OR kind = 'rule')"
    return [seq for seq in seqs if conn.execute(one, (seq, yesterday)).fetchone()]


def _fresh_count(conn: Connection, today: date) -> int:
    sql = "SELECT count(*) FROM entries WHERE hidden = 0 AND kind <> 'checkpoint' AND day >= ?"
    count: int = conn.execute(sql, ((today - timedelta(days=1)).isoformat(),)).fetchone()[0]
    return count


def _current(view: View, seqs: Sequence[int]) -> tuple[Entry, ...]:
    """The entries, each superseded one given as what replaces it now; no id twice."""
    out: dict[str, Entry] = {}
    for seq in seqs[:SHOWN_MAX]:
        (record,) = view.conn.execute("SELECT id FROM entries WHERE seq = ?", (seq,)).fetchone()
        entry = view.entry(record)
        assert entry is not None
        for one in [entry] if entry.current else _replacing(view, entry):
            out.setdefault(one.id, one)
    return tuple(out.values())


def _replacing(view: View, entry: Entry) -> list[Entry]:
    above: dict[str, set[str]] = {}
    waiting: list[str] = [entry.id]
    while waiting:
        one = waiting.pop()
        if one not in above:
            above[one] = set(view.successors(one))
            waiting.extend(above[one])
    found = (view.entry(one) for one in closure(above, entry.id))
    return [e for e in found if e and e.current and not e.hidden]


def _rivals(view: View, shown: Sequence[Entry]) -> tuple[Entry, ...]:
    """Current entries that say different things of one subject, or both replace one entry; newest first."""
    if not shown:
        return ()
    first = shown[0]
    subject, rest = view.rest_of(first.id)
    rivals = {e.id: e for e in view.same_subject(subject) if view.rest_of(e.id)[1] != rest}
    for predecessor in view.predecessors(first.id):
        rivals |= {e.id: e for s in view.successors(predecessor) if (e := view.entry(s)) and e.current and not e.hidden}
    rivals.pop(first.id, None)
    kept = set(_kept(view, first.id))
    left = [e for e in rivals.values() if e.id not in kept and first.id not in _kept(view, e.id)]
    if not left:
        return ()
    return tuple(sorted([first, *left], key=lambda e: (e.at_ms, e.id), reverse=True))


def _kept(view: View, record: str) -> list[str]:
    register = view.register(record, "kept")
    return [str(one) for one in register.value] if register and isinstance(register.value, list) else []


def search_turns(view: View, words: str, limit: int = 10) -> list[Turn]:
    """Layer 3: raw messages that share terms with `words`, best first. Questions, commands and replies are not in it."""
    wanted = terms(words)
    if not wanted:
        return []
    match = " OR ".join(_quoted(term) for term in wanted)
    rows = view.conn.execute(
        "SELECT rowid FROM turn_words WHERE turn_words MATCH ? ORDER BY bm25(turn_words), rowid DESC LIMIT ?",
        (match, limit),
    )
    found = [view.turns("id = ?", (row[0],), limit=1) for row in rows]
    return [turn for one in found for turn in one]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _percent(share: float) -> int:
    return round(100 * share)
