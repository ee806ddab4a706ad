"""Erasing for good: the scope is founded anew from its folded keys, without the banned ids.

Deleting in Automerge erases nothing, so every document is rebuilt under the next generation and one
transaction replaces log, rows and index. What quotes an erased entry in this copy's own tables (turns,
handled replies, open questions, offers, undo steps) goes in the same transaction. Then `compact` lets
the bytes leave the disk; a mark in `copy` makes a start after a crash do that again.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from sqlite3 import Connection

from store import index
from store.changes import Key, batches, register_key
from store.document import Change
from store.ids import stamp
from store.projection import project, rebuild_tables
from store.text import fold
from store.view import View

COMPACT_MARK = "compact"

Founder = Callable[[str, Sequence[Sequence[Key]]], Sequence[Change]]
"""(document without generation, batches of keys) → one change per batch, on a fresh document of the next generation."""


def due(conn: Connection, now_ms: int) -> list[str]:
    """Records whose undo window has passed."""
    return [row[0] for row in conn.execute("SELECT record FROM erasing WHERE due_ms <= ?", (now_ms,))]


def next_due_ms(conn: Connection) -> int | None:
    found: int | None = conn.execute("SELECT min(due_ms) FROM erasing").fetchone()[0]
    return found


def erase(conn: Connection, records: Sequence[str], *, now_ms: int, device: str, found: Founder) -> None:
    """Founds the scope anew without `records`. The caller holds a transaction and has raised the generation."""
    banned = set(records)
    _purge_copies(conn, sorted(banned))
    bans = _bans(conn, sorted(banned), now_ms=now_ms, device=device)
    documents: dict[str, list[Key]] = defaultdict(list)
    for map_name, key, doc, value in conn.execute("SELECT map, key, doc, value FROM keys ORDER BY doc, map, key"):
        item = Key(map_name, key, value)
        if item.record not in banned:
            documents[doc].append(item)
    documents["meta"].extend(bans)
    conn.execute("DELETE FROM changes")
    rebuild_tables(conn)
    for doc, items in documents.items():
        groups = list(batches(items))
        for change in found(doc, groups):
            conn.execute(
                "INSERT INTO changes(doc, hash, bytes, origin) VALUES(?, ?, ?, 'own')", (doc, change.hash, change.data)
            )
        project(conn, doc, items)
    index.optimize(conn)
    conn.executemany("DELETE FROM erasing WHERE record = ?", [(record,) for record in banned])
    conn.execute("INSERT OR REPLACE INTO copy VALUES(?, '1')", (COMPACT_MARK,))


def _bans(conn: Connection, records: Sequence[str], *, now_ms: int, device: str) -> list[Key]:
    """Registers that keep the erased away: their ids, the messages they came from, their labels."""
    view = View(conn)
    wanted: dict[str, bool] = {}
    for record in records:
        wanted[f"ban/{record}"] = True
        entry = view.entry(record)
        if entry is not None and entry.source.message:
            message = f"{entry.source.platform}\0{entry.source.chat}\0{entry.source.message}"
            wanted[f"ban-source/{hashlib.sha256(message.encode()).hexdigest()}"] = True
        for (label,) in conn.execute("SELECT DISTINCT label FROM labels WHERE record = ?", (record,)):
            wanted[f"erased/{label}"] = True
    return [
        register_key("meta", field, value, stamp=stamp(now_ms, device), by="", at_ms=now_ms, over=())
        for field, value in wanted.items()
        if view.register("meta", field) is None
    ]


def _purge_copies(conn: Connection, records: Sequence[str]) -> None:
    """Rows of this copy that cite a record, are its source, or contain its words."""
    labels: set[str] = set()
    words: set[str] = set()
    for record in records:
        labels |= {row[0] for row in conn.execute("SELECT label FROM labels WHERE record = ?", (record,))}
        for row in conn.execute("SELECT text, why, impact, next, verify FROM entries WHERE id = ?", (record,)):
            words |= {fold(part) for part in row if part.strip()}
        for (title,) in conn.execute("SELECT title FROM tasks WHERE id = ?", (record,)):
            words |= {fold(title)} if title.strip() else set()
    needles = labels | set(records)

    def tells(*texts: str | None) -> bool:
        whole = "\n".join(text for text in texts if text)
        folded = fold(whole)
        return any(needle in whole for needle in needles) or any(word in folded for word in words)

    for number, text, reply, cited, entry, topic, kind in conn.execute(
        "SELECT id, text, reply, cited, entry, topic, kind FROM turns"
    ).fetchall():
        if tells(text, reply, cited, entry, topic):
            if kind == "talk":
                index.remove_turn(conn, number, text)
            conn.execute("DELETE FROM turns WHERE id = ?", (number,))
    for table, key, columns in (
        ("handled", "inbound_key", "reply"),
        ("pending", "chat || char(0) || account", "question"),
        ("offers", "id", "body"),
        ("undo", "id", "label || char(10) || steps"),
    ):
        for name, text in conn.execute(f"SELECT {key}, {columns} FROM {table}").fetchall():
            if tells(_plain_json(text)):
                conn.execute(f"DELETE FROM {table} WHERE {key} = ?", (name,))


def _plain_json(text: str) -> str:
    """JSON escapes undone, so that a needle is found however it was spelled."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False) + "\n" + text
    except ValueError:
        return text
