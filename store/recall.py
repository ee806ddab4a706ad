"""Recall in stages, without a model: what memory knows, how sure it is, and how it looked.

Today, yesterday, the board, the profile and the rules first (L1); all entries next (L2); raw turns (L3) only
when asked for. One query ranks all of it; the gate then decides whether the best of L1 or of L2 may be
*claimed*. What a newcomer would get wrong: a date in a question is when something was said *or* what it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import StrEnum
from sqlite3 import Connection

from store.dates import FoundDate, find_dates
from store.fold import closure
from store.gate import Weighed, is_common, is_unspaced, quoted, weigh
from store.index import BM25_COLUMN_WEIGHT
from store.model import DateSpan, Entry, EntryKind, Task
from store.own_rows import Turn
from store.query import parse_query, to_fts
from store.text import fold, gate_terms, terms
from store.view import View

JUDGED_MAX = 30
"""Entries that the gate looks at, best bm25 first."""
SHOWN_MAX = 10
LISTED_MAX = 50
LISTED_WITHOUT_WORDS = 3
RIVALS_MAX = 10
TURNS_MAX = 10
COVERAGE_RANKS_BELOW = 50
"""In a home with fewer entries FTS5's own idf says nothing, so coverage ranks; elsewhere bm25 does."""
COMMON_ABOVE_ENTRIES = 1000
COMMON_SHARE = 0.01
"""In a larger home, a single character that more than this share of all entries hold ranks nothing and costs most."""
_BARRED = "hidden = 1 OR held = 1 OR kind = 'checkpoint'"
"""Entries that never answer. The same words make the index that finds them (`schema.py`)."""
ALONGSIDE = 0.75
"""A further entry is shown when it covers at least this share of what the best one covers."""


class Outcome(StrEnum):
    ANSWER = "answer"
    CLOSEST = "closest"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Question:
    """`words`: what is looked for. `exact`: our own query syntax counts. `kind`, `authors`: only such entries."""

    words: str
    today: date
    exact: bool = False
    kind: EntryKind | None = None
    authors: tuple[str, ...] = ()
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
    """The time the question named, as read; None when what was found was not said in it but is about it."""
    total: int = 0
    """Entries in the whole memory."""
    trail: tuple[Step, ...] = field(default=())


def recall(view: View, question: Question) -> Answer:
    """The answer from layers 1 and 2."""
    total = view.count()
    if question.exact:
        query = parse_query(question.words)
        if query.is_exact:
            return _exact(view, to_fts(query), total)
        return _ranked(view, question, question.words, (), total)
    past = find_dates(question.words, question.today, prefer_past=True)
    words = _without(question.words, past)
    spans = [one.to_span() for one in past]
    answer = _ranked(view, question, words, spans, total)
    if spans and answer.outcome is not Outcome.ANSWER:
        # "What is on Friday?" means the Friday to come, and only what an entry is about can lie there.
        ahead = [one.to_span() for one in find_dates(question.words, question.today, prefer_past=False)]
        if ahead != spans:
            later = _ranked(view, question, words, ahead, total)
            answer = later if later.outcome is Outcome.ANSWER else answer
    if spans and answer.outcome is Outcome.NOTHING and gate_terms(words):
        # People misremember dates: look again without, and then never claim.
        again = _ranked(view, question, words, (), total)
        if again.outcome is not Outcome.NOTHING:
            return replace(again, outcome=Outcome.CLOSEST, disagree=False, span=spans[0])
    return replace(answer, span=_span_of(answer.entries, spans))


def recall_held(view: View, words: str, today: date) -> tuple[Entry, ...]:
    """What would have answered these words, were it not held: a person is asked about it first. Newest first."""
    held = {row[0] for row in view.conn.execute("SELECT seq FROM entries WHERE held = 1")}
    words = _without(words, find_dates(words, today, prefer_past=True))
    wanted = gate_terms(words)
    if not held or not wanted:
        return ()
    judged = _judged(view.conn, terms(words), held.__contains__)
    weighed = weigh(view.conn, wanted, judged, _folded(view.conn, judged, wanted), view.count())
    passing = [seq for seq in judged if weighed.enough(weighed.coverage(seq))]
    found = view.entries(f"seq IN ({_marks(passing)})", passing)
    return tuple(sorted(found, key=_age, reverse=True))


def _without(text: str, dates: Sequence[FoundDate]) -> str:
    for one in reversed(dates):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text


def _span_of(entries: Sequence[Entry], spans: Sequence[DateSpan]) -> DateSpan | None:
    """The named time in which all of the entries were said."""
    if not entries:
        return spans[0] if spans else None
    return next((one for one in spans if all(one.first <= entry.day <= one.last for entry in entries)), None)


def _exact(view: View, match: str, total: int) -> Answer:
    rows = view.conn.execute(
        "SELECT e.id FROM plain JOIN entries e ON e.seq = plain.rowid"
        " WHERE plain MATCH ? AND e.hidden = 0 AND e.held = 0 ORDER BY e.current DESC, e.at_ms DESC, e.seq DESC LIMIT ?",
        (match, LISTED_MAX),
    ).fetchall()
    found = tuple(e for (record,) in rows if (e := view.entry(record)))
    step = Step("L2", total, len(found), bool(found), 100 if found else 0)
    return Answer(Outcome.ANSWER if found else Outcome.NOTHING, found, total=total, trail=(step,))


def _ranked(view: View, question: Question, words: str, spans: Sequence[DateSpan], total: int) -> Answer:
    wanted = gate_terms(words)
    if not wanted or question.listing:
        return _listed(view, question, spans, total)
    judged = _judged(view.conn, _telling(view.conn, terms(words), total), _allowed(view.conn, question, spans))
    weighed = weigh(view.conn, wanted, judged, _folded(view.conn, judged, wanted), total)
    scored = [(weighed.coverage(seq), seq) for seq in judged]
    if total < COVERAGE_RANKS_BELOW:
        scored.sort(key=lambda item: -item[0])  # stable: equals stay in bm25's order
    tasks, facts = _beside(view, question, weighed)
    best = max((coverage for coverage, _ in scored), default=0.0)
    passing = [(coverage, seq) for coverage, seq in scored if weighed.enough(coverage)]
    trail = _trail(view.conn, question.today, [seq for _, seq in passing], bool(tasks or facts), best, total)
    if passing or tasks or facts:
        shown = _current(view, [seq for coverage, seq in passing if coverage >= ALONGSIDE * best])
        rivals = _rivals(view, shown)
        return Answer(Outcome.ANSWER, rivals or shown, tasks, facts, bool(rivals), None, total, trail)
    closest = _current(view, [seq for coverage, seq in scored if coverage > 0])
    return Answer(Outcome.CLOSEST if closest else Outcome.NOTHING, closest, total=total, trail=trail)


def _listed(view: View, question: Question, spans: Sequence[DateSpan], total: int) -> Answer:
    """Nothing but a kind, date or person was named: the newest such entries."""
    where, values = _condition(question, spans)
    listed: tuple[Entry, ...] = ()
    if question.listing or values:
        found = view.entries(f"{where} AND current = 1", values, limit=LISTED_WITHOUT_WORDS)
        listed = tuple(found)
    outcome = Outcome.ANSWER if listed else Outcome.NOTHING
    return Answer(outcome, listed, total=total, trail=(Step("L2", total, len(listed), bool(listed), 0),))


def _condition(question: Question, spans: Sequence[DateSpan]) -> tuple[str, list[str]]:
    """Which entries may answer, as a condition on `entries`, and its values."""
    parts = ["hidden = 0", "held = 0", "kind <> 'checkpoint'"]
    values: list[str] = []
    if question.kind:
        parts.append("kind = ?")
        values.append(question.kind.value)
    if question.authors:
        parts.append(f"author IN ({_marks(question.authors)})")
        values += question.authors
    if spans:
        about = (
            "seq IN (SELECT e.seq FROM entries e, json_each(e.dates) d WHERE e.dates <> '[]'"
            " AND json_extract(d.value, '$[1]') <= ? AND json_extract(d.value, '$[2]') >= ?)"
        )
        parts.append("(" + " OR ".join([f"day BETWEEN ? AND ? OR {about}"] * len(spans)) + ")")
        for one in spans:
            values += [one.first, one.last, one.last, one.first]
    return " AND ".join(parts), values


def _allowed(conn: Connection, question: Question, spans: Sequence[DateSpan]) -> Callable[[int], bool]:
    """Whether an entry may answer. Without a filter it is quicker to know the few that may not."""
    if not (question.kind or question.authors or spans):
        barred = {row[0] for row in conn.execute(f"SELECT seq FROM entries WHERE {_BARRED}")}
        return lambda seq: seq not in barred
    where, values = _condition(question, spans)
    chosen = {row[0] for row in conn.execute(f"SELECT seq FROM entries WHERE {where}", values)}
    return chosen.__contains__


def _judged(conn: Connection, wanted: Iterable[str], allowed: Callable[[int], bool]) -> list[int]:
    """The sequence numbers of entries that share a term, best bm25 first, the newer of equals first."""
    match = " OR ".join(quoted(term) for term in wanted)
    rows = conn.execute(
        "SELECT rowid FROM (SELECT rowid, bm25(words) AS score FROM words WHERE words MATCH ?)"
        " ORDER BY score, rowid DESC",
        (match,),
    )
    return _first(JUDGED_MAX, (seq for (seq,) in rows if allowed(seq)))


def _first(most: int, found: Iterator[int]) -> list[int]:
    return [seq for _, seq in zip(range(most), found, strict=False)]


def _telling(conn: Connection, wanted: Sequence[str], total: int) -> Sequence[str]:
    """The terms without the commoner single characters, as long as something is left."""
    if total < COMMON_ABOVE_ENTRIES:
        return wanted
    most = int(COMMON_SHARE * total)
    return [
        term for term in wanted if not (len(term) == 1 and is_unspaced(term) and is_common(conn, term, most))
    ] or wanted


def _folded(conn: Connection, seqs: Sequence[int], wanted: Sequence[tuple[str, float]]) -> dict[int, str]:
    """What the index holds of these entries, folded, if any of the terms is looked for in text."""
    if not seqs or not any(is_unspaced(term) for term, _ in wanted):
        return {}
    columns = "seq, text, why, next, verify, tags, aliases, more_tags"
    rows = conn.execute(f"SELECT {columns} FROM entries WHERE seq IN ({_marks(seqs)})", seqs).fetchall()
    # Folded in one go, which costs a tenth; the mark keeps entries and fields apart.
    whole = "\x1e".join("\n".join(row[1:]).replace("\x1e", "\n") for row in rows)
    return dict(zip((row[0] for row in rows), fold(whole).split("\x1e"), strict=True))


def _beside(view: View, question: Question, weighed: Weighed) -> tuple[tuple[Task, ...], tuple[tuple[str, str], ...]]:
    """Open tasks and profile fields that pass the same gate; a question for a kind or a person asks for neither."""
    if question.kind or question.authors:
        return (), ()
    tasks = tuple(task for task in view.tasks(done=False) if weighed.enough(weighed.coverage_of(task.title)))
    facts = tuple(
        (name, str(register.value))
        for name, register in view.registers("profile").items()
        if register.value and weighed.enough(weighed.coverage_of(f"{name} {register.value}"))
    )
    return tasks, facts


def _trail(
    conn: Connection, today: date, passing: Sequence[int], beside: bool, best: float, total: int
) -> tuple[Step, ...]:
    """L1 is what was said since yesterday, what is pinned and the rules; L2 is everything."""
    yesterday = (today - timedelta(days=1)).isoformat()
    fresh: int = conn.execute(
        f"SELECT count(*) FROM entries WHERE seq IN ({_marks(passing)}) AND (day >= ? OR pinned = 1 OR kind = 'rule')",
        (*passing, yesterday),
    ).fetchone()[0]
    looked_at: int = conn.execute(
        "SELECT count(*) FROM entries WHERE day >= ? AND hidden = 0 AND kind <> 'checkpoint'", (yesterday,)
    ).fetchone()[0]
    percent = round(100 * best)
    first = Step("L1", looked_at, fresh, bool(fresh) or beside, percent)
    return (first,) if fresh else (first, Step("L2", total, len(passing), bool(passing), percent))


def _current(view: View, seqs: Sequence[int]) -> tuple[Entry, ...]:
    """The entries, each superseded one given as what replaces it now; no id twice."""
    some = seqs[:SHOWN_MAX]
    places = dict(view.conn.execute(f"SELECT id, seq FROM entries WHERE seq IN ({_marks(some)})", some).fetchall())
    found = view.entries(f"seq IN ({_marks(some)})", some)
    found.sort(key=lambda entry: some.index(places[entry.id]))
    out: dict[str, Entry] = {}
    for entry in found:
        for one in [entry] if entry.current else _replacing(view, entry):
            out.setdefault(one.id, one)
    return tuple(out.values())


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _replacing(view: View, entry: Entry) -> list[Entry]:
    above: dict[str, set[str]] = {}
    waiting: list[str] = [entry.id]
    while waiting:
        one = waiting.pop()
        if one not in above:
            above[one] = set(view.successors(one))
            waiting.extend(above[one])
    found = (view.entry(one) for one in closure(above, entry.id))
    current = [e for e in found if e and e.current and not e.hidden]
    return sorted(current, key=_age, reverse=True)


def _rivals(view: View, shown: Sequence[Entry]) -> tuple[Entry, ...]:
    """Current entries that say different things of one subject, or both replace one entry; newest first."""
    if not shown:
        return ()
    first = shown[0]
    subject, rest = view.rest_of(first.id)
    rivals: dict[str, Entry] = {}
    if subject:
        # `subject <> ''` lets SQLite use the index, which leaves the empty ones out.
        same = "subject <> '' AND subject = ? AND rest <> ? AND current = 1 AND hidden = 0 AND kind <> 'checkpoint'"
        rivals = _by_id(view.entries(same, (subject, rest), limit=RIVALS_MAX))
    for predecessor in view.predecessors(first.id):
        rivals |= _by_id(e for s in view.successors(predecessor) if (e := view.entry(s)) and e.current and not e.hidden)
    rivals.pop(first.id, None)
    kept = set(_kept(view, first.id))
    left = [e for e in rivals.values() if e.id not in kept and first.id not in _kept(view, e.id)]
    if not left:
        return ()
    return tuple(sorted([first, *left], key=_age, reverse=True))


def _age(entry: Entry) -> tuple[int, int, str]:
    """Within one millisecond the label tells, since ids are random there."""
    return entry.at_ms, len(entry.label), entry.label


def _by_id(entries: Iterable[Entry]) -> dict[str, Entry]:
    return {entry.id: entry for entry in entries}


def _kept(view: View, record: str) -> list[str]:
    register = view.register(record, "kept")
    return [str(one) for one in register.value] if register and isinstance(register.value, list) else []


def search_turns(view: View, words: str, limit: int = TURNS_MAX) -> list[Turn]:
    """Layer 3: raw messages that share terms with `words`, best first. Questions, commands and replies are not in it.

    What a forgotten entry says is gone from here at once, too.
    """
    wanted = terms(words)
    if not wanted:
        return []
    gone = [fold(row[0]) for row in view.conn.execute("SELECT text FROM entries WHERE hidden = 1")]
    rows = view.conn.execute(
        "SELECT rowid FROM (SELECT rowid, bm25(turn_words, ?) AS score FROM turn_words WHERE turn_words MATCH ?)"
        " ORDER BY score, rowid DESC",
        (BM25_COLUMN_WEIGHT, " OR ".join(quoted(term) for term in wanted)),
    )
    out: list[Turn] = []
    for (number,) in rows:
        for turn in view.turns("id = ? AND kind = 'talk'", (number,), limit=1):
            folded = fold(turn.text)
            if not any(text and text in folded for text in gone):
                out.append(turn)
        if len(out) >= limit:
            break
    return out
