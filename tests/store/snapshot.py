"""All that is derived, in one comparable value: what "drop, rebuild, equal" means.

Row numbers of `entries` are the one thing that may differ, so the index is read with each
row's entry id in their place.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from store.projection import ENTRY_COLUMNS

Snapshot = dict[str, list[tuple[object, ...]]]


def snapshot(path: Path) -> Snapshot:
    with closing(sqlite3.connect(path)) as conn:
        return snapshot_of(conn)


def snapshot_of(conn: sqlite3.Connection) -> Snapshot:
    tables = ("keys", "documents", "registers", "labels", "edges", "tasks", "cards", "reviews")
    found = {name: sorted(conn.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in tables}
    found["entries"] = sorted(conn.execute(f"SELECT {', '.join(ENTRY_COLUMNS)} FROM entries").fetchall(), key=repr)
    for name in ("words", "plain"):
        conn.execute(f"CREATE VIRTUAL TABLE temp.{name}_seen USING fts5vocab('main', '{name}', 'instance')")
        rows = conn.execute(
            f"SELECT e.id, v.term, v.offset FROM temp.{name}_seen v LEFT JOIN entries e ON e.seq = v.doc"
        ).fetchall()
        conn.execute(f"DROP TABLE temp.{name}_seen")
        found[name] = sorted(rows, key=repr)
        sizes = conn.execute(f"SELECT e.id FROM main.{name} f LEFT JOIN entries e ON e.seq = f.rowid").fetchall()
        found[f"{name} rows"] = sorted(sizes, key=repr)
    return found
