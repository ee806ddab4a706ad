"""Memories as an older program left them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from store.schema import MEMORY_PROJECTION_TABLES, TURN_INDEX_TABLES

FIRST_PROJECTION = (
    "CREATE TABLE keys(map TEXT NOT NULL, key TEXT NOT NULL, doc TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(map, key)) WITHOUT ROWID",
    "CREATE TABLE documents(doc TEXT PRIMARY KEY, keys INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE registers(record TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, by_account TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL, heads TEXT NOT NULL, others TEXT NOT NULL, PRIMARY KEY(record, field)) WITHOUT ROWID",
    "CREATE TABLE labels(label TEXT NOT NULL, record TEXT NOT NULL, digest TEXT NOT NULL,"
    " PRIMARY KEY(label, record, digest)) WITHOUT ROWID",
    "CREATE INDEX labels_by_record ON labels(record)",
    "CREATE TABLE edges(successor TEXT NOT NULL, predecessor TEXT NOT NULL,"
    " PRIMARY KEY(successor, predecessor)) WITHOUT ROWID",
    "CREATE INDEX edges_by_predecessor ON edges(predecessor)",
    "CREATE TABLE entries(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, label TEXT NOT NULL, kind TEXT NOT NULL,"
    " text TEXT NOT NULL, why TEXT NOT NULL, impact TEXT NOT NULL, next TEXT NOT NULL, verify TEXT NOT NULL,"
    " about TEXT NOT NULL, confidence TEXT NOT NULL, tags TEXT NOT NULL, aliases TEXT NOT NULL,"
    " at_ms INTEGER NOT NULL, zone TEXT NOT NULL, day TEXT NOT NULL, author TEXT NOT NULL, source TEXT NOT NULL,"
    " origin TEXT NOT NULL, lang TEXT NOT NULL, supersedes TEXT NOT NULL, dates TEXT NOT NULL,"
    " hidden INTEGER NOT NULL, pinned INTEGER NOT NULL, importance INTEGER NOT NULL, cleared INTEGER NOT NULL,"
    " tainted INTEGER NOT NULL, held INTEGER NOT NULL, current INTEGER NOT NULL, versions INTEGER NOT NULL,"
    " more_tags TEXT NOT NULL, subject TEXT NOT NULL, rest TEXT NOT NULL)",
    "CREATE INDEX entries_by_day ON entries(day)",
    "CREATE INDEX entries_by_time ON entries(at_ms)",
    "CREATE INDEX entries_by_subject ON entries(subject) WHERE subject <> ''",
    "CREATE INDEX entries_out_of_sight ON entries(seq) WHERE hidden = 1 OR held = 1 OR kind = 'checkpoint'",
    "CREATE INDEX entries_by_dates ON entries(dates) WHERE dates <> '[]'",
    "CREATE TABLE tasks(id TEXT PRIMARY KEY, label TEXT NOT NULL, at_ms INTEGER NOT NULL, day TEXT NOT NULL,"
    " author TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, blocked_by TEXT NOT NULL,"
    " resume_step TEXT NOT NULL, next TEXT NOT NULL, note TEXT NOT NULL, due TEXT NOT NULL, done_at_ms INTEGER,"
    " hidden INTEGER NOT NULL, changed_at_ms INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE words USING fts5(body, content='', tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE plain USING fts5(body, content='', tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE word_counts USING fts5vocab('words', 'row')",
    "CREATE VIRTUAL TABLE turn_words USING fts5(body, content='', tokenize='porter unicode61 remove_diacritics 2')",
)
"""What schema 1 made from the log and from the turns. The tables of truth are those of today."""

_KEPT = {
    "keys": "map, key, doc, value",
    "documents": "doc, keys",
    "registers": "record, field, value, by_account, at_ms, heads, others",
    "labels": "label, record, digest",
    "edges": "successor, predecessor",
    "tasks": "id, label, at_ms, day, author, title, state, blocked_by, resume_step, next, note, due, done_at_ms, hidden,"
    " changed_at_ms",
}
_ENTRY = (
    "seq, id, label, kind, text, why, impact, next, verify, about, confidence, tags, aliases, at_ms, zone, day, author,"
    " source, origin, lang, supersedes, dates, hidden, pinned, {}, cleared, tainted, held, current, versions, more_tags,"
    " subject, rest"
)


def made_older(path: Path) -> None:
    """Turns a closed memory.db of today into what the program before wrote: schema 1, with rows in every table."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("BEGIN")
        kept = {table: conn.execute(f"SELECT {columns} FROM {table}").fetchall() for table, columns in _KEPT.items()}
        entries = conn.execute(f"SELECT {_ENTRY.format('coalesce(importance, 500)')} FROM entries").fetchall()
        talks = conn.execute("SELECT id, text FROM turns WHERE kind = 'talk'").fetchall()
        for table in (*MEMORY_PROJECTION_TABLES, *TURN_INDEX_TABLES, "entry_vectors", "turn_vectors", "uses"):
            conn.execute(f"DROP TABLE {table}")
        for statement in FIRST_PROJECTION:
            conn.execute(statement)
        for table, rows in kept.items():
            conn.executemany(f"INSERT INTO {table}({_KEPT[table]}) VALUES({_marks(_KEPT[table])})", rows)
        columns = _ENTRY.format("importance")
        conn.executemany(f"INSERT INTO entries({columns}) VALUES({_marks(columns)})", entries)
        for table in ("words", "plain"):
            conn.executemany(f"INSERT INTO {table}(rowid, body) VALUES(?, ?)", [(row[0], row[4]) for row in entries])
        conn.executemany("INSERT INTO turn_words(rowid, body) VALUES(?, ?)", talks)
        conn.execute("DELETE FROM copy WHERE key IN ('vectors', 'stale')")
        conn.execute("PRAGMA user_version = 1")
        conn.execute("COMMIT")


def _marks(columns: str) -> str:
    return ", ".join("?" * len(columns.split(",")))
