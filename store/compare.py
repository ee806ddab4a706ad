"""Drop, rebuild, equal: a memory's log projected anew, compared with the tables that stand in its file.

Nothing is written: `conn` is a connection in memory with a copy of the file attached under the name
`found`; the tables made anew are its own. `Memory.rebuild` does the same inside the file.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from sqlite3 import Connection, DatabaseError

from store import index
from store.changes import Key, check_key
from store.chunk import parse_change
from store.document import Change, Document, change_hash
from store.errors import NiannianError
from store.projection import CARD_COLUMNS, ENTRY_COLUMNS, REVIEW_COLUMNS, TASK_COLUMNS, project
from store.schema import MEMORY_MIGRATIONS
from store.sql import transaction
from store.view import View

_ACTOR = b"\xff" * 16
"""Nothing is ever committed under it."""

_TABLES = {
    "keys": "map, key, doc, value",
    "documents": "doc, keys",
    "registers": "record, field, value, by_account, at_ms, heads, others",
    "labels": "label, record, digest",
    "edges": "successor, predecessor",
    "entries": ", ".join(ENTRY_COLUMNS),  # but not `seq`, which is the order of arrival
    "tasks": ", ".join(TASK_COLUMNS),
    "cards": ", ".join(CARD_COLUMNS),
    "reviews": ", ".join(REVIEW_COLUMNS),
    "turn_places": "turn, account, cues",  # but not the place: what was erased between two leaves a gap
}
_INDEXES = {
    "words": ("entries", "seq, id"),
    "plain": ("entries", "seq, id"),
    "turn_words": ("turn_places", "place, turn"),
}
"""full-text table → the table its rows are about, and there: the number of such a row, and what it stands for."""


@dataclass(frozen=True, slots=True)
class Compared:
    entries: int
    """Visible ones, as a person counts them."""
    unequal: tuple[str, ...]
    """Tables that a rebuild would change."""
    unlogged: int
    """Sound keys that stand in the rows but not in the log: a rebuild would lose what they say."""


def read_log(conn: Connection) -> tuple[dict[str, list[Key]], list[str]]:
    """(document → its keys, documents whose changes do not hold together) of the attached log."""
    row = conn.execute("SELECT value FROM found.copy WHERE key = 'generation'").fetchone()
    generation = row[0] if row else "1"
    logged: dict[str, list[Change]] = defaultdict(list)
    # A row changed by hand may hold any type.
    apart: dict[str, list[bytes]] = defaultdict(list)
    for doc, name, data, admitted in conn.execute(
        "SELECT doc, CAST(hash AS BLOB), CAST(bytes AS BLOB), admitted FROM found.changes ORDER BY pos"
    ):
        if admitted:
            logged[doc].append(Change(name, data))
        else:
            apart[doc].append(data)
    sound: dict[str, list[Key]] = {}
    broken: list[str] = []
    for doc, changes in logged.items():
        try:
            if any(change_hash(change.data) != change.hash for change in changes):
                raise NiannianError
            keys = list(Document(f"{doc}~{generation}", _ACTOR, changes).keys())
            keys += [key for data in apart[doc] for key in parse_change(data).keys]
            for key in keys:
                check_key(key)
        except NiannianError:
            broken.append(doc)
        else:
            sound[doc] = keys
    return sound, broken


def compare(conn: Connection, documents: dict[str, list[Key]]) -> Compared:
    """Projects `documents` into the connection's own tables and holds them against the attached ones."""
    transaction(conn, lambda inner: _make(inner, documents))
    unequal = [table for table, columns in _TABLES.items() if _differ(conn, table, columns)]
    unequal += [table for table, (owner, names) in _INDEXES.items() if _index_differs(conn, table, owner, names)]
    return Compared(View(conn).count(), tuple(unequal), _unlogged(conn))


def _make(conn: Connection, documents: dict[str, list[Key]]) -> None:
    for migration in MEMORY_MIGRATIONS:
        for step in migration.steps:
            conn.execute(step) if isinstance(step, str) else step(conn)
    for doc, items in documents.items():
        project(conn, doc, items)
    index.turns_anew(conn, index.talks(conn, "found"))


def _differ(conn: Connection, table: str, columns: str) -> bool:
    made, found = (f"SELECT {columns} FROM {schema}.{table}" for schema in ("main", "found"))
    (more,) = conn.execute(f"SELECT EXISTS({made} EXCEPT {found}) OR EXISTS({found} EXCEPT {made})").fetchone()
    return bool(more)


def _index_differs(conn: Connection, table: str, owner: str, names: str) -> bool:
    """A full-text table that cannot be read through differs too: a rebuild mends that."""
    made = _terms(conn, "main", table, f"SELECT {names} FROM main.{owner}")
    try:
        return made != _terms(conn, "found", table, f"SELECT {names} FROM found.{owner}")
    except DatabaseError:
        return True


def _terms(conn: Connection, schema: str, table: str, names: str) -> dict[object, int]:
    """What stands in a full-text table of each thing: a sum over its row and its (term, place), whatever their order."""
    sums: dict[int, int] = defaultdict(int)
    conn.execute(f"CREATE VIRTUAL TABLE temp.terms USING fts5vocab({schema}, {table}, instance)")
    text_factory, conn.text_factory = conn.text_factory, bytes  # millions of terms: none is worth decoding
    try:
        for (row,) in conn.execute(f"SELECT rowid FROM {schema}.{table}"):
            sums[row] += 1
        for term, row, place in conn.execute("SELECT term, doc, offset FROM temp.terms"):
            sums[row] += hash((term, place))
        named: dict[int, object] = dict(conn.execute(names).fetchall())
    finally:
        conn.text_factory = text_factory
        conn.execute("DROP TABLE temp.terms")
    return {named.get(row, ("no row", row)): total for row, total in sums.items()}


def _unlogged(conn: Connection) -> int:
    columns = "map, key, value"
    rows = conn.execute(f"SELECT {columns} FROM found.keys EXCEPT SELECT {columns} FROM main.keys")
    return sum(_is_sound(Key(*row)) for row in rows)


def _is_sound(key: Key) -> bool:
    try:
        check_key(key)
    except (NiannianError, AttributeError, TypeError):  # a row changed by hand may hold anything
        return False
    return True
