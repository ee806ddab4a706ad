"""Erasing for good: the scope is founded anew from its folded keys, without the banned ids.

Deleting in Automerge erases nothing, so every document is rebuilt under the next generation and one
transaction replaces the log and takes the rows and index terms of the banned ids out; the rows of all
others stay. What quotes an erased entry in this copy's own tables (turns, handled replies, open questions,
offers, undo steps) goes in the same transaction. Then `compact` lets the bytes leave the disk; a mark in
`copy` makes a start after a crash do that again.

Of several devices one founds anew (`erase`), and the others take its baseline (`accept`).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from sqlite3 import Connection

from store import index
from store.candidates import quoting, words_of
from store.changes import Json, Key, batches, register_key
from store.document import Change
from store.foreign import Baseline, log_baseline
from store.ids import parse_label, stamp
from store.model import NOBODY, TALK
from store.projection import project, remove_records
from store.view import View, ban_of_message

COMPACT_MARK = "compact"
REPLY_ERASED = ""
"""What `handled` keeps of a reply that quoted something erased."""

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
    bridges = _bridges(conn, banned, now_ms=now_ms, device=device)
    documents: dict[str, list[Key]] = defaultdict(list)
    for map_name, key, doc, value in conn.execute("SELECT map, key, doc, value FROM keys ORDER BY doc, map, key"):
        item = Key(map_name, key, value)
        if item.record not in banned:
            documents[doc].append(item)
    remove_records(conn, banned)
    for doc, item in (*(("meta", ban) for ban in bans), *bridges):
        documents[doc].append(item)
        project(conn, doc, [item])
    conn.execute("DELETE FROM changes")
    for doc, items in documents.items():
        # What belongs to one record stands together: whoever reads it makes each row once.
        items.sort(key=lambda item: (item.record, item.map, item.key))
        for change in found(doc, list(batches(items))):
            conn.execute(
                "INSERT INTO changes(doc, hash, bytes, origin) VALUES(?, ?, ?, 'own')", (doc, change.hash, change.data)
            )
    _finish(conn, banned)


def accept(conn: Connection, baseline: Baseline) -> list[Key]:
    """Another device has founded the scope anew: the log becomes its baseline, and what it banned goes.

    Gives the keys that are here and not in it; they have lost their place, and the caller sets them again. The
    caller holds a transaction and has raised the generation.
    """
    banned = baseline.bans()
    _purge_copies(conn, sorted(record for record in banned if is_here(conn, record)))
    conn.execute("DELETE FROM changes")
    log_baseline(conn, baseline)
    there = {(key.map, key.key) for key in baseline.content()}
    every = [Key(*row) for row in conn.execute("SELECT map, key, value FROM keys")]
    missing = [key for key in every if (key.map, key.key) not in there]
    conn.executemany("DELETE FROM keys WHERE map = ? AND key = ?", [(key.map, key.key) for key in missing])
    conn.execute("DELETE FROM documents")
    conn.execute("INSERT INTO documents SELECT doc, count(*) FROM keys GROUP BY doc")
    _finish(conn, banned)
    return missing


def forget_banned(conn: Connection, records: Sequence[str]) -> None:
    """Takes out of this copy's own tables what tells of `records`, which another memory has erased."""
    _purge_copies(conn, sorted(record for record in records if is_here(conn, record)))


def _finish(conn: Connection, banned: set[str]) -> None:
    index.optimize(conn)
    for table in ("erasing", "uses"):
        conn.executemany(f"DELETE FROM {table} WHERE record = ?", [(record,) for record in banned])
    conn.execute("INSERT OR REPLACE INTO copy VALUES(?, '1')", (COMPACT_MARK,))


def is_here(conn: Connection, record: str) -> bool:
    found = conn.execute("SELECT 1 FROM entries WHERE id = ? UNION SELECT 1 FROM tasks WHERE id = ?", (record, record))
    return found.fetchone() is not None


def _bans(conn: Connection, records: Sequence[str], *, now_ms: int, device: str) -> list[Key]:
    """Registers that keep the erased away: their ids and the messages they came from (each with its label), their labels."""
    view = View(conn)
    wanted: dict[str, str | bool] = {}
    for record in records:
        labels = [row[0] for row in conn.execute("SELECT DISTINCT label FROM labels WHERE record = ?", (record,))]
        shown = min(labels, default="")
        wanted[f"ban/{record}"] = shown
        for _, value in _variants(conn, record):
            source = value.get("source")
            if isinstance(source, dict) and source.get("message"):
                parts = (str(source.get(name, "")) for name in ("platform", "chat", "message"))
                wanted[ban_of_message(*parts)] = shown
        wanted |= {f"erased/{one}": True for one in labels if parse_label(one) == one}
    return [
        register_key("meta", field, value, stamp=stamp(now_ms, device), by=NOBODY, at_ms=now_ms, over=())
        for field, value in wanted.items()
        if view.register("meta", field) is None
    ]


def _variants(conn: Connection, record: str) -> list[tuple[str, dict[str, Json]]]:
    """(document, value) of every version of a record."""
    rows = conn.execute(
        "SELECT doc, value FROM keys WHERE map = 'e' AND key > ? AND key < ?", (f"{record}.", f"{record}/")
    )
    return [(doc, json.loads(value)) for doc, value in rows]


def _bridges(conn: Connection, banned: set[str], *, now_ms: int, device: str) -> list[tuple[str, Key]]:
    """(document, `settles`) for each entry that replaced an earlier one only by way of a banned one.

    Otherwise forgetting the middle version would bring the oldest one back as current.
    """
    view = View(conn)
    above = {successor for record in banned for successor in view.successors(record)} - banned
    found = []
    for successor in sorted(above):
        before = view.register(successor, "settles")
        settled = set(before.value) if before and isinstance(before.value, list) else set()
        wanted = settled | _below_banned(view, successor, banned)
        if wanted != settled:
            key = register_key(
                successor,
                "settles",
                sorted(wanted),
                stamp=stamp(now_ms, device),
                by=NOBODY,
                at_ms=now_ms,
                over=before.heads if before else (),
            )
            found.append((_variants(conn, successor)[0][0], key))
    return found


def _below_banned(view: View, start: str, banned: set[str]) -> set[str]:
    """What `start` replaces through banned records and nothing else."""
    seen = {start}
    kept: set[str] = set()
    waiting = [record for record in view.predecessors(start) if record in banned]
    while waiting:
        record = waiting.pop()
        seen.add(record)
        below = set(view.predecessors(record)) - seen
        kept |= below - banned
        waiting.extend(below & banned)
    return kept


def _purge_copies(conn: Connection, records: Sequence[str]) -> None:
    """Rows of this copy that cite a record, are its source, or contain its words."""
    names = set(records)
    for record in records:
        names |= {row[0] for row in conn.execute("SELECT label FROM labels WHERE record = ?", (record,))}
    quotes = quoting(words_of(conn, "id IN (SELECT value FROM json_each(?))", [json.dumps(records)]))
    cites = re.compile(rf"(?:{'|'.join(re.escape(name) for name in sorted(names))})(?![0-9A-Za-z])")

    def tells(*texts: str | None) -> bool:
        whole = "\n".join(text for text in texts if text)
        return cites.search(whole) is not None or quotes(whole)

    for number, text, reply, cited, entry, topic, kind, day in conn.execute(
        "SELECT id, text, reply, cited, entry, topic, kind, day FROM turns"
    ).fetchall():
        if tells(text, reply, cited, entry, topic):
            if kind == TALK:
                index.remove_turn(conn, number, day=day, text=text)
            conn.execute("DELETE FROM turns WHERE id = ?", (number,))
    for name, reply in conn.execute("SELECT inbound_key, reply FROM handled").fetchall():
        if tells(_words_of(reply)):  # the key stays: a repeat must not take effect again
            conn.execute("UPDATE handled SET reply = ? WHERE inbound_key = ?", (REPLY_ERASED, name))
    for table, key, columns in (
        ("pending", "chat || char(0) || account", "question"),
        ("offers", "id", "body"),
        ("undo", "id", "label, steps"),
    ):
        for name, *texts in conn.execute(f"SELECT {key}, {columns} FROM {table}").fetchall():
            if tells(*(_words_of(text) for text in texts)):
                conn.execute(f"DELETE FROM {table} WHERE {key} = ?", (name,))


def _words_of(text: str) -> str:
    """The strings in a piece of JSON, so that a needle is found however it was spelled; other text as it is."""
    try:
        loaded = json.loads(text)
    except ValueError:
        return text
    return "\n".join(_strings(loaded))


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    else:
        yield str(value)
