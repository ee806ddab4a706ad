"""What stands for an entry now, and what disagrees with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from store.archive import is_cold
from store.fold import closure
from store.model import Entry
from store.sql import marks
from store.view import View, age

RIVALS_MAX = 10
OPEN_MAX = 50


def current(view: View, seqs: Sequence[int]) -> tuple[Entry, ...]:
    """The entries, each superseded one given as what replaces it now; none twice, and equal words once."""
    some = list(seqs)
    places = dict(view.conn.execute(f"SELECT id, seq FROM entries WHERE seq IN ({marks(some)})", some).fetchall())
    found = view.entries(f"seq IN ({marks(some)})", some)
    found.sort(key=lambda entry: some.index(places[entry.id]))
    out: dict[str, Entry] = {}
    for entry in found:
        for one in [entry] if entry.current else _replacing(view, entry):
            out.setdefault(one.same or one.id, one)
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
    current = [e for e in found if e and e.current and not e.hidden]
    return sorted(current, key=age, reverse=True)


def rivals_of(view: View, shown: Sequence[Entry], today: date) -> tuple[Entry, ...]:
    """Current entries that say different things of one subject, or both replace one entry; newest first.

    What is cold on this day contradicts nobody.
    """
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
    left = [e for e in rivals.values() if not (is_cold(e, today) or e.id in kept or first.id in _kept(view, e.id))]
    if not left:
        return ()
    return tuple(sorted([first, *left], key=age, reverse=True))


def open_rivals(view: View, today: date) -> list[tuple[Entry, ...]]:
    """Everything in this memory that disagrees, as `rivals_of` gives it: the newest first, none twice."""
    apart = (
        "SELECT subject FROM entries WHERE subject <> '' AND current = 1 AND hidden = 0 AND kind <> 'checkpoint'"
        " GROUP BY subject HAVING count(DISTINCT rest) > 1 ORDER BY max(at_ms) DESC LIMIT ?"
    )
    found: dict[frozenset[str], tuple[Entry, ...]] = {}
    starts = [
        next((one for one in view.same_subject(subject) if not (one.held or is_cold(one, today))), None)
        for (subject,) in view.conn.execute(apart, (OPEN_MAX,)).fetchall()
    ]
    forked = "SELECT predecessor FROM edges GROUP BY predecessor HAVING count(*) > 1 ORDER BY predecessor DESC LIMIT ?"
    for (predecessor,) in view.conn.execute(forked, (OPEN_MAX,)).fetchall():
        above = [e for one in view.successors(predecessor) if (e := view.entry(one)) and e.current and not e.hidden]
        starts += [max(above, key=age, default=None)]
    for start in starts:
        rivals = rivals_of(view, [start], today) if start else ()
        if rivals:
            found.setdefault(frozenset(one.id for one in rivals), rivals)
    return sorted(found.values(), key=lambda some: age(some[0]), reverse=True)


def _by_id(entries: Iterable[Entry]) -> dict[str, Entry]:
    return {entry.id: entry for entry in entries}


def _kept(view: View, record: str) -> list[str]:
    register = view.register(record, "kept")
    return [str(one) for one in register.value] if register and isinstance(register.value, list) else []
