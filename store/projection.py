"""From keys to rows: the one road for local writes, peers' changes and rebuilding.

`project` takes keys that are new to a document, keeps them in the table `keys`, and makes the rows of
the records they touch anew from all their keys. So a row never leads the document, and the order in
which keys come does not matter. "Drop, rebuild, equal" is a test and `niannian doctor --rebuild`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from sqlite3 import Connection

from store import index, vectors
from store.archive import day_of
from store.changes import Json, Key, canonical, parse_label_key, parse_record_key, parse_register_key
from store.fold import (
    BAN,
    CARD_KIND,
    TASK_KIND,
    Record,
    Register,
    closure,
    edges,
    fold_record,
    fold_register,
    fold_review,
    is_held,
    is_number,
    own_words,
)
from store.model import CardState, EntryKind, Origin, TaskState
from store.schema import MEMORY_PROJECTION, MEMORY_PROJECTION_TABLES
from store.taint import is_instruction
from store.text import alike, subject

SUBJECT_CHARACTERS_MIN = 2
"""我, 他 and the like are about too much to disagree."""
UNINDEXED = frozenset({EntryKind.CHECKPOINT.value})
_MAY_SETTLE = frozenset({EntryKind.FACT.value, EntryKind.DECISION.value})
_SETTLED = frozenset({EntryKind.PREFERENCE.value, EntryKind.RULE.value})
"""What the register `kind` may make of them: long-term, which is all that it says."""

ENTRY_COLUMNS = (
    "id", "label", "kind", "text", "why", "impact", "next", "verify", "about", "confidence", "tags", "aliases",
    "at_ms", "zone", "day", "author", "source", "origin", "lang", "supersedes", "dates", "hidden", "pinned",
    "importance", "cleared", "tainted", "held", "current", "versions", "more_tags", "subject", "rest",
    "until", "same",
)  # fmt: skip
_INDEXED_COLUMNS = ("seq", "text", "why", "next", "verify", "tags", "aliases", "more_tags", "kind")
"""What says whether, where and under which words an entry is indexed."""
_INDEXED = ", ".join(_INDEXED_COLUMNS)
_INSERT_ENTRY = (
    f"INSERT INTO entries({', '.join(ENTRY_COLUMNS)}) VALUES({', '.join('?' * len(ENTRY_COLUMNS))})"
    " ON CONFLICT(id) DO NOTHING"
)
_UPDATE_ENTRY = f"UPDATE entries SET {', '.join(f'{name} = ?' for name in ENTRY_COLUMNS)} WHERE id = ?"
TASK_COLUMNS = (
    "id", "label", "at_ms", "day", "author", "title", "state", "blocked_by", "resume_step", "next", "note", "due",
    "done_at_ms", "hidden", "changed_at_ms",
)  # fmt: skip
CARD_COLUMNS = ("id", "word", "added_ms", "state", "meaning", "ipa", "pos", "example", "tags", "place")
REVIEW_COLUMNS = (
    "id", "card", "kind", "rating", "at_ms", "zone", "took_ms", "device", "slot", "undoes", "by_account",
)  # fmt: skip


def project(conn: Connection, doc: str, items: Iterable[Key]) -> None:
    """Takes `items` of the document `doc` (without generation) into the rows. Repeats change nothing."""
    records: dict[str, None] = {}
    fields: dict[tuple[str, str], None] = {}
    reviews: dict[str, None] = {}
    bans: list[str] = []
    banned: dict[str, bool] = {}
    added = 0
    for item in items:
        record = item.record
        if record not in banned:
            banned[record] = is_banned(conn, record)
        if banned[record]:
            continue
        cursor = conn.execute(
            "INSERT OR IGNORE INTO keys(map, key, doc, value) VALUES(?, ?, ?, ?)", (item.map, item.key, doc, item.value)
        )
        if cursor.rowcount == 0:
            continue
        added += 1
        if item.map == "l":
            conn.execute("INSERT OR IGNORE INTO labels VALUES(?, ?, ?)", parse_label_key(item.key))
        elif item.map == "r":
            name = parse_register_key(item.key)
            fields[name.record, name.field] = None
            if name.record == "meta" and name.field.startswith(BAN):
                bans.append(name.field.removeprefix(BAN))
        if item.map == "v":
            reviews[record] = None
        else:
            records[record] = None
    if added:
        conn.execute(
            "INSERT INTO documents VALUES(?, ?) ON CONFLICT(doc) DO UPDATE SET keys = keys + excluded.keys",
            (doc, added),
        )
    for record, field in fields:
        _project_register(conn, record, field)
    for record in records:
        if record not in ("meta", "settings", "profile"):
            _project_record(conn, record)
    for review in reviews:
        _project_review(conn, review)
    if bans:
        remove_records(conn, bans)


def is_banned(conn: Connection, record: str) -> bool:
    """Whether `record` was erased for good: its keys count no more, whoever brings them."""
    row = conn.execute("SELECT 1 FROM registers WHERE record = 'meta' AND field = ?", (f"{BAN}{record}",)).fetchone()
    return row is not None


def rebuild_tables(conn: Connection) -> None:
    """Drops every projection table and makes it anew, empty."""
    for table in MEMORY_PROJECTION_TABLES:
        conn.execute(f"DROP TABLE {table}")
    for statement in MEMORY_PROJECTION:
        conn.execute(statement)
    vectors.clear(conn, vectors.ENTRIES)


def _project_register(conn: Connection, record: str, field: str) -> None:
    prefix = f"{record}/{field}/"
    rows = conn.execute(
        "SELECT key, value FROM keys WHERE map = 'r' AND key > ? AND key < ?", (prefix, prefix[:-1] + "0")
    )
    folded = fold_register(Key("r", key, value) for key, value in rows if parse_register_key(key).field == field)
    conn.execute(
        "INSERT OR REPLACE INTO registers VALUES(?, ?, ?, ?, ?, ?, ?)",
        (
            record,
            field,
            canonical(folded.value),
            folded.by,
            folded.at_ms,
            canonical(list(folded.heads)),
            canonical(list(folded.others)),
        ),
    )


def registers_of(conn: Connection, record: str, field: str | None = None) -> dict[str, Register]:
    """The folded registers of one record: all, or the one named."""
    rows = conn.execute(
        "SELECT field, value, by_account, at_ms, heads, others FROM registers WHERE record = ?"
        + ("" if field is None else " AND field = ?"),
        (record,) if field is None else (record, field),
    )
    return {
        field: Register(json.loads(value), by, at_ms, tuple(json.loads(heads)), tuple(json.loads(others)))
        for field, value, by, at_ms, heads, others in rows
    }


def _project_record(conn: Connection, record: str) -> None:
    rows = conn.execute(
        "SELECT key, value FROM keys WHERE map = 'e' AND key > ? AND key < ?", (f"{record}.", f"{record}/")
    )
    variants = {parse_record_key(key)[1]: value for key, value in rows}
    if not variants:
        return  # its registers or label came first; the record's own key will bring us here again
    labels = conn.execute("SELECT label, digest FROM labels WHERE record = ?", (record,)).fetchall()
    folded = fold_record(record, variants, labels)
    if folded is None:
        return
    registers = registers_of(conn, record)
    kind = folded.value.get("kind")
    if folded.versions > 1:  # the other one may be of another kind: what it left goes
        if kind in (TASK_KIND, CARD_KIND):
            _remove_entry(conn, record)
        for table in {"tasks", "cards"} - {f"{kind}s"}:
            conn.execute(f"DELETE FROM {table} WHERE id = ?", (record,))
    match kind:
        case "task":
            _project_task(conn, folded, registers)
        case "card":
            _project_card(conn, folded, registers)
        case _:
            _project_entry(conn, folded, registers)


def remove_records(conn: Connection, records: Iterable[str]) -> None:
    """Takes every key, row and index term of `records` out, as if their keys had never come.

    What others say of them (a `supersedes` that names them) stays, as it does when everything is made anew.
    """
    touched: set[str] = set()
    gone = set(records)
    for record in gone:
        touched |= _closure(conn, record, down=True) | _closure(conn, record, down=False)
        _remove_entry(conn, record)
        _remove_review(conn, record)
        for table in ("tasks", "cards"):
            conn.execute(f"DELETE FROM {table} WHERE id = ?", (record,))
        conn.execute("DELETE FROM card_memory WHERE card = ?", (record,))
        conn.execute("DELETE FROM registers WHERE record = ?", (record,))
        own = [("e", f"{record}.", f"{record}/"), ("r", f"{record}/", f"{record}0"), ("v", f"{record}.", f"{record}/")]
        labels = conn.execute("SELECT label, digest FROM labels WHERE record = ?", (record,)).fetchall()
        own += [("l", key, key) for key in (f"{label}/{record}.{digest}" for label, digest in labels)]
        for map_name, first, last in own:
            where = "map = ? AND key >= ? AND key <= ?"
            rows = conn.execute(f"SELECT doc, count(*) FROM keys WHERE {where} GROUP BY doc", (map_name, first, last))
            counts = [(count, doc) for doc, count in rows]
            conn.executemany("UPDATE documents SET keys = keys - ? WHERE doc = ?", counts)
            conn.execute(f"DELETE FROM keys WHERE {where}", (map_name, first, last))
        conn.execute("DELETE FROM labels WHERE record = ?", (record,))
    conn.execute("DELETE FROM documents WHERE keys = 0")
    _refresh(conn, touched - gone)


def _remove_entry(conn: Connection, record: str) -> None:
    row = conn.execute(f"SELECT {_INDEXED} FROM entries WHERE id = ?", (record,)).fetchone()
    if row is None:
        return
    old = dict(zip(_INDEXED_COLUMNS, row, strict=True))
    if old["kind"] not in UNINDEXED:
        index.remove(conn, old["seq"], _indexed(old))
    vectors.remove(conn, vectors.ENTRIES, int(old["seq"]))
    conn.execute("DELETE FROM entries WHERE id = ?", (record,))
    _set_edges(conn, record, _edges_of(conn, record), frozenset())


def _project_entry(conn: Connection, record: Record, registers: dict[str, Register]) -> None:
    value = record.value
    text = _text(value, "text")
    parts = subject(text)
    if parts and len(parts[0]) < SUBJECT_CHARACTERS_MIN:
        parts = None
    hidden = _register(registers, "hidden", False)
    more_tags = _register(registers, "tags+", [])
    importance = _register(registers, "importance", None)
    row = {
        "id": record.id,
        "label": record.label,
        "kind": _kind(value, registers),
        "text": text,
        "why": _text(value, "why"),
        "impact": _text(value, "impact"),
        "next": _text(value, "next"),
        "verify": _text(value, "verify"),
        "about": _list(value.get("about", [])),
        "confidence": _text(value, "confidence"),
        "tags": _list(value.get("tags", [])),
        "aliases": _list(value.get("aliases", [])),
        "at_ms": value.get("at", 0),
        "zone": _text(value, "zone"),
        "day": _text(value, "day"),
        "author": _text(value, "author"),
        "source": canonical(value.get("source", {})),
        "origin": _text(value, "origin"),
        "lang": _text(value, "lang"),
        "supersedes": _list(value.get("supersedes", [])),
        "dates": _list(value.get("dates", [])),
        "hidden": int(hidden is True),
        "pinned": int(_register(registers, "pinned", False) is True),
        "importance": importance if type(importance) is int else None,
        "cleared": int(_register(registers, "cleared", False) is True),
        "tainted": int(is_instruction(text) or value.get("origin") == Origin.FORWARDED),
        "held": 0,
        "current": int(hidden is not True),
        "versions": record.versions,
        "more_tags": _list(more_tags),
        "subject": parts[0] if parts else "",
        "rest": parts[1] if parts else "",
        "until": day_of(_register(registers, "until", "")),
        "same": alike(text),
    }
    cursor = conn.execute(_INSERT_ENTRY, _values(row))
    if cursor.rowcount:
        assert cursor.lastrowid is not None
        if row["kind"] not in UNINDEXED:
            index.add(conn, cursor.lastrowid, _indexed(row))
        before: frozenset[tuple[str, str]] = frozenset()
    else:
        _update_entry(conn, row)
        before = _edges_of(conn, record.id)
    _set_edges(conn, record.id, before, edges(record, _register(registers, "settles", None)))


def _update_entry(conn: Connection, row: dict[str, Json]) -> None:
    old_row = conn.execute(f"SELECT {_INDEXED} FROM entries WHERE id = ?", (row["id"],)).fetchone()
    old = dict(zip(_INDEXED_COLUMNS, old_row, strict=True))
    conn.execute(_UPDATE_ENTRY, (*_values(row), row["id"]))
    if any(old[name] != row[name] for name in ("kind", "text", "why")):
        vectors.remove(conn, vectors.ENTRIES, int(old["seq"]))
    if any(old[name] != row[name] for name in _INDEXED_COLUMNS[1:]):
        if old["kind"] not in UNINDEXED:
            index.remove(conn, old["seq"], _indexed(old))
        if row["kind"] not in UNINDEXED:
            index.add(conn, old["seq"], _indexed(row))


def _values(row: dict[str, Json]) -> tuple[Json, ...]:
    return tuple(row[name] for name in ENTRY_COLUMNS)


def _indexed(row: dict[str, Json]) -> str:
    lists = (str(row[name]) for name in ("tags", "aliases", "more_tags"))
    flat = [item for one in lists if one != "[]" for item in json.loads(one)]
    return index.indexed_text([str(row["text"]), str(row["why"]), str(row["next"]), str(row["verify"]), *flat])


def _edges_of(conn: Connection, record: str) -> frozenset[tuple[str, str]]:
    rows = conn.execute("SELECT predecessor FROM edges WHERE successor = ?", (record,))
    return frozenset((record, row[0]) for row in rows)


def _set_edges(
    conn: Connection, record: str, before: frozenset[tuple[str, str]], stated: frozenset[tuple[str, str]]
) -> None:
    if before != stated:
        conn.executemany("DELETE FROM edges WHERE successor = ? AND predecessor = ?", before - stated)
        conn.executemany("INSERT INTO edges VALUES(?, ?)", stated - before)
    around = before | stated
    # Most entries replace nothing and nothing replaces them: such a row is right as it was written.
    if around or conn.execute("SELECT 1 FROM edges WHERE predecessor = ?", (record,)).fetchone():
        _refresh(conn, {record} | {predecessor for _, predecessor in around})


def _refresh(conn: Connection, changed: set[str]) -> None:
    """Whether entries are held and current, for all that `changed` ones can reach.

    What is hidden, banned or restored decides over those above it, and those, held or not, over all below them.
    """
    reached = set(changed)
    for one in changed:
        reached |= _closure(conn, one, down=False)
    _update(conn, "held", {one: _is_held(conn, one) for one in reached})
    for one in list(reached):
        reached |= _closure(conn, one, down=True)
    _update(conn, "current", {one: _is_current(conn, one) for one in reached})


def _update(conn: Connection, column: str, values: dict[str, bool]) -> None:
    rows = [(value, one, value) for one, value in values.items()]
    conn.executemany(f"UPDATE entries SET {column} = ? WHERE id = ? AND {column} <> ?", rows)


def _is_held(conn: Connection, record: str) -> bool:
    row = conn.execute("SELECT 1 FROM entries WHERE id = ? AND hidden = 0 AND supersedes <> '[]'", (record,)).fetchone()
    if row is None:
        return False  # by far the most

    def below(one: str) -> Iterable[str]:
        row = conn.execute("SELECT supersedes FROM entries WHERE id = ?", (one,)).fetchone()
        return own_words(one, json.loads(row[0])) if row else ()

    def gone(one: str) -> bool:
        hidden = conn.execute("SELECT 1 FROM entries WHERE id = ? AND hidden = 1", (one,)).fetchone()
        return hidden is not None or is_banned(conn, one)

    def restored(one: str) -> bool:
        return _register(registers_of(conn, one, "restored"), "restored", False) is True

    return is_held(record, below=below, gone=gone, restored=restored)


def _is_current(conn: Connection, record: str) -> bool:
    hidden = conn.execute("SELECT hidden OR held FROM entries WHERE id = ?", (record,)).fetchone()
    if hidden is None or hidden[0]:
        return False
    above = _closure(conn, record, down=False)
    if not above:
        return True
    rivals = above - _closure(conn, record, down=True) - {record}
    return not any(
        conn.execute("SELECT 1 FROM entries WHERE id = ? AND hidden = 0 AND held = 0", (one,)).fetchone()
        for one in rivals
    )


def _closure(conn: Connection, record: str, *, down: bool) -> set[str]:
    """Ids below (replaced by) or above (replacing) `record`, directly or through others."""
    sql = (
        "SELECT predecessor FROM edges WHERE successor = ?"
        if down
        else "SELECT successor FROM edges WHERE predecessor = ?"
    )
    steps = _Steps(conn, sql)
    return closure(steps, record)


class _Steps(dict[str, set[str]]):
    """Edges read as they are walked."""

    def __init__(self, conn: Connection, sql: str) -> None:
        super().__init__()
        self._conn = conn
        self._sql = sql

    def get(self, record: str, default: object = None) -> set[str]:
        return {row[0] for row in self._conn.execute(self._sql, (record,))}


def _project_task(conn: Connection, record: Record, registers: dict[str, Register]) -> None:
    value = record.value
    state = _register(registers, "state", TaskState.READY.value)
    row: dict[str, Json] = {
        "id": record.id,
        "label": record.label,
        "at_ms": value.get("at", 0),
        "day": _text(value, "day"),
        "author": _text(value, "author"),
        "title": _register(registers, "title", ""),
        "state": state if state in set(TaskState) else TaskState.READY.value,
        "blocked_by": _register(registers, "blocked_by", ""),
        "resume_step": _register(registers, "resume_step", ""),
        "next": _register(registers, "next", ""),
        "note": _register(registers, "note", ""),
        "due": _register(registers, "due", ""),
        "done_at_ms": _register(registers, "done_at", None),
        "hidden": int(_register(registers, "hidden", False) is True),
        "changed_at_ms": max((r.at_ms for r in registers.values()), default=0),
    }
    marks = ", ".join("?" * len(TASK_COLUMNS))
    conn.execute(f"INSERT OR REPLACE INTO tasks VALUES({marks})", tuple(row[name] for name in TASK_COLUMNS))


def _project_card(conn: Connection, record: Record, registers: dict[str, Register]) -> None:
    state = _register(registers, "card_state", CardState.ACTIVE.value)
    added, place = (_register(registers, name, None) for name in ("added", "order"))
    tags = _register(registers, "card_tags", [])
    row: dict[str, Json] = {
        "id": record.id,
        "word": _text(record.value, "word"),
        "added_ms": added if is_number(added) else None,
        "state": state if state in set(CardState) else CardState.ACTIVE.value,
        "meaning": _register(registers, "meaning", ""),
        "ipa": _register(registers, "ipa", ""),
        "pos": _register(registers, "pos", ""),
        "example": _register(registers, "example", ""),
        "tags": _list([one for one in tags if isinstance(one, str)] if isinstance(tags, list) else []),
        "place": place if is_number(place) else 0,
    }
    marks = ", ".join("?" * len(CARD_COLUMNS))
    conn.execute(f"INSERT OR REPLACE INTO cards VALUES({marks})", tuple(row[name] for name in CARD_COLUMNS))


def _project_review(conn: Connection, record: str) -> None:
    rows = conn.execute(
        "SELECT key, value FROM keys WHERE map = 'v' AND key > ? AND key < ?", (f"{record}.", f"{record}/")
    )
    review = fold_review(record, {parse_record_key(key)[1]: value for key, value in rows})
    _remove_review(conn, record)
    if review is None:
        return
    conn.execute(
        f"INSERT INTO reviews VALUES({', '.join('?' * len(REVIEW_COLUMNS))})",
        (
            review.id, review.card, review.kind.value, review.rating, review.at_ms, review.zone, review.took_ms,
            review.device, review.slot, review.undoes, review.by,
        ),
    )  # fmt: skip
    conn.execute("DELETE FROM card_memory WHERE card = ?", (review.card,))


def _remove_review(conn: Connection, record: str) -> None:
    """With what was worked out of it: the variant before may have named another card."""
    row = conn.execute("SELECT card FROM reviews WHERE id = ?", (record,)).fetchone()
    if row is not None:
        conn.execute("DELETE FROM card_memory WHERE card = ?", row)
        conn.execute("DELETE FROM reviews WHERE id = ?", (record,))


def _kind(value: dict[str, Json], registers: dict[str, Register]) -> str:
    """As it was said; of a fact or a decision, what a person has agreed that it is."""
    said, agreed = _text(value, "kind"), _register(registers, "kind", "")
    return str(agreed) if said in _MAY_SETTLE and agreed in _SETTLED else said


def _text(value: dict[str, Json], name: str) -> str:
    found = value.get(name, "")
    return found if isinstance(found, str) else ""


def _list(found: Json) -> str:
    """As canonical JSON. Most lists are empty, and nothing is spelled sooner than that."""
    return "[]" if found == [] else canonical(found)


def _register(registers: dict[str, Register], name: str, default: Json) -> Json:
    register = registers.get(name)
    if register is None or (default is not None and type(register.value) is not type(default)):
        return default
    return register.value
