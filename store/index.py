"""The full-text tables: what is indexed, and how a row comes in and goes out.

Both tables are contentless, so a row leaves by handing back the very text it came in with; that text
is made from the row itself, never kept twice. `words` ranks, `plain` serves exact syntax and counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from sqlite3 import Connection

from store.text import bodies, expand

BM25_COLUMN_WEIGHT = 6.0
"""FTS5 multiplies a term's count by it before saturation: presence counts, repetition hardly."""


def indexed_text(parts: Iterable[str]) -> str:
    """The fields of one entry that are searched, as one text."""
    return "\n".join(part for part in parts if part)


def add(conn: Connection, seq: int, text: str) -> None:
    ranked, exact = bodies(text)
    conn.execute("INSERT INTO words(rowid, body) VALUES(?, ?)", (seq, ranked))
    conn.execute("INSERT INTO plain(rowid, body) VALUES(?, ?)", (seq, exact))


def remove(conn: Connection, seq: int, text: str) -> None:
    """`text` must be what `add` was given."""
    ranked, exact = bodies(text)
    conn.execute("INSERT INTO words(words, rowid, body) VALUES('delete', ?, ?)", (seq, ranked))
    conn.execute("INSERT INTO plain(plain, rowid, body) VALUES('delete', ?, ?)", (seq, exact))


def clear(conn: Connection) -> None:
    for table in ("words", "plain"):
        conn.execute(f"INSERT INTO {table}({table}) VALUES('delete-all')")


def optimize(conn: Connection) -> None:
    """Merges all segments: only then are the terms of removed rows gone from the pages."""
    for table in ("words", "plain", "turn_words"):
        conn.execute(f"INSERT INTO {table}({table}) VALUES('optimize')")


def add_turn(conn: Connection, turn: int, text: str) -> None:
    conn.execute("INSERT INTO turn_words(rowid, body) VALUES(?, ?)", (turn, expand(text)))


def remove_turn(conn: Connection, turn: int, text: str) -> None:
    conn.execute("INSERT INTO turn_words(turn_words, rowid, body) VALUES('delete', ?, ?)", (turn, expand(text)))
