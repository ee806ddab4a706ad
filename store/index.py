"""The full-text tables: what is indexed, and how a row comes in and goes out.

Both tables are contentless, so a row leaves by handing back the very text it came in with; that text
is made from the row itself, never kept twice. `words` ranks, `plain` serves exact syntax and counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from sqlite3 import Connection

from store import vectors
from store.cues import cues_of
from store.dates_words import MONTHS
from store.model import TALK
from store.text import bodies, expand

_MONTHS = {number: name for name, number in reversed(MONTHS.items())}
"""The full name of each, which stands before its short ones."""


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


def quoted(term: str) -> str:
    """A token, or several in a row, as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


def optimize(conn: Connection) -> None:
    """Merges all segments: only then are the terms of removed rows gone from the pages."""
    for table in ("words", "plain", "turn_words"):
        conn.execute(f"INSERT INTO {table}({table}) VALUES('optimize')")


PLACES_IN_SESSION_BITS = 32
"""A place is session · 2³² + its number in the session, so that neighbours in talk are neighbours as numbers."""


def session_of(place: int) -> int:
    return place >> PLACES_IN_SESSION_BITS


def add_turn(conn: Connection, turn: int, *, session: int, account: str, day: str, text: str) -> None:
    """Puts a message at the end of its session."""
    first, last = session << PLACES_IN_SESSION_BITS, (session + 1) << PLACES_IN_SESSION_BITS
    row = conn.execute("SELECT max(place) FROM turn_places WHERE place >= ? AND place < ?", (first, last)).fetchone()
    place = first if row[0] is None else row[0] + 1
    conn.execute("INSERT INTO turn_words(rowid, body, day) VALUES(?, ?, ?)", (place, expand(text), _spoken(day)))
    conn.execute("INSERT INTO turn_places VALUES(?, ?, ?, ?)", (place, turn, account, cues_of(text)))


def remove_turn(conn: Connection, turn: int, *, day: str, text: str) -> None:
    """`day`, `text` must be what `add_turn` was given."""
    place = conn.execute("SELECT place FROM turn_places WHERE turn = ?", (turn,)).fetchone()[0]
    row = (place, expand(text), _spoken(day))
    conn.execute("INSERT INTO turn_words(turn_words, rowid, body, day) VALUES('delete', ?, ?, ?)", row)
    conn.execute("DELETE FROM turn_places WHERE turn = ?", (turn,))
    vectors.remove(conn, vectors.TURNS, place)


def turns_anew(conn: Connection, turns: Iterable[tuple[int, int, str, str, str]]) -> None:
    """Makes the index of the chat anew from (id, session, account, day, text)."""
    conn.execute("INSERT INTO turn_words(turn_words) VALUES('delete-all')")
    conn.execute("DELETE FROM turn_places")
    vectors.clear(conn, vectors.TURNS)
    for turn, session, account, day, text in turns:
        add_turn(conn, turn, session=session, account=account, day=day, text=text)


def talks(conn: Connection, schema: str = "main") -> list[tuple[int, int, str, str, str]]:
    """What is indexed of the chat: (id, session, account, day, text), in the order it was said."""
    columns = "id, session, account, day, text"
    return conn.execute(f"SELECT {columns} FROM {schema}.turns WHERE kind = ? ORDER BY id", (TALK,)).fetchall()


def _spoken(day: str) -> str:
    """2023-05-07 as English chats say it: `7 may 2023`. Only a question with a date meets it."""
    said = date.fromisoformat(day)
    return f"{said.day} {_MONTHS[said.month]} {said.year}"
