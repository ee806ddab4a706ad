"""What an embedder made of each text: the rows that keep it, and the matrix that is searched.

Vectors are a projection: they may be dropped and are made again, in the background, by whoever holds an embedder.
Only those of the embedder in use count; those of another one wait until they are replaced. What a newcomer would get
wrong: the matrix is filled from the rows and never beside them, so what was rolled back is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from store.model import TALK
from store.ports import PASSAGE_CHARACTERS_MAX
from store.text import has_han

ENTRIES: Final = "entry_vectors"
TURNS: Final = "turn_vectors"
TABLES: Final = (ENTRIES, TURNS)
HELD_MAX = 200_000
"""The newest so many of a table are held in memory: 384 dimensions take 1.5 KB each."""
_EPOCH = "vectors"
"""In `copy`: another word whenever rows are taken away, which the matrix cannot see otherwise. Never one that was there
before: a number that counts would come again after a transaction that was rolled back."""

Vector = NDArray[np.float32]
_TEXTS = {
    ENTRIES: "SELECT seq, seq, text || char(10) || why FROM entries WHERE kind <> 'checkpoint'",
    TURNS: f"SELECT turn, place, t.text FROM turn_places p JOIN turns t ON t.id = p.turn WHERE t.kind = '{TALK}'",
}
"""(its age, its row, the text)."""
_AGE = {ENTRIES: "seq", TURNS: "turn"}
"""What grows with every text. A place does not: the chat that was silent for longest may speak next."""
_ROW = {ENTRIES: "seq", TURNS: "place"}
_OWNER = {ENTRIES: "entries", TURNS: "turn_places"}
_WINDOW = 500


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question as its embedder sees it. `kind`: e5, use, url; `model`: what its vectors are kept under."""

    kind: str
    model: str
    vector: Vector
    """Of length 1."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text that has no vector yet, and the row it belongs to."""

    table: str
    row: int
    text: str


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a search for missing vectors has come in one table: what is as old as this, or in between, has one.

    Worth nothing once the epoch is another one.
    """

    low: int
    high: int


def missing(conn: Connection, table: str, model: str, reach: Reach | None, limit: int) -> tuple[list[Wanted], Reach]:
    """Texts without a vector of `model`, what is new first, then from the newest back; and how far it has looked.

    It looks at a few hundred rows a call, so that no call is long. Nothing new and `low` at 0: all is done.
    """
    age = _AGE[table]
    if reach is None:
        (top,) = conn.execute(f"SELECT max({age}) FROM {_OWNER[table]}").fetchone()
        reach = Reach((top or 0) + 1, top or 0)
    rows = conn.execute(f"{_TEXTS[table]} AND {age} > ? ORDER BY {age} LIMIT ?", (reach.high, _WINDOW)).fetchall()
    upwards = bool(rows)
    if not rows:
        below = f"{_TEXTS[table]} AND {age} < ? ORDER BY {age} DESC LIMIT ?"
        rows = conn.execute(below, (reach.low, _WINDOW)).fetchall()
        if not rows:
            return [], Reach(0, reach.high)
    found: list[Wanted] = []
    for at, row, text in rows:
        known = conn.execute(f"SELECT 1 FROM {table} WHERE model = ? AND row = ?", (model, row)).fetchone()
        if known is None:
            found.append(Wanted(table, row, text[:PASSAGE_CHARACTERS_MAX]))
        reach = Reach(reach.low, at) if upwards else Reach(at, reach.high)
        if len(found) == limit:
            break
    return found, reach


def keep(conn: Connection, model: str, wanted: Sequence[Wanted], vectors: Vector) -> None:
    """`vectors`: (len(wanted), dimensions). A text that has gone in the meantime keeps none."""
    for one, vector in zip(wanted, vectors, strict=True):
        if _text(conn, one) != one.text:  # it has gone, and its number may mean another one by now
            continue
        conn.execute(f"DELETE FROM {one.table} WHERE row = ? AND model <> ?", (one.row, model))
        conn.execute(
            f"INSERT OR IGNORE INTO {one.table}(row, model, han, vector) VALUES(?, ?, ?, ?)",
            (one.row, model, has_han(one.text), vector.astype("<f4").tobytes()),
        )


def _text(conn: Connection, wanted: Wanted) -> str:
    column = _ROW[wanted.table]
    row = conn.execute(f"{_TEXTS[wanted.table]} AND {column} = ?", (wanted.row,)).fetchone()
    return str(row[2])[:PASSAGE_CHARACTERS_MAX] if row else ""


def remove(conn: Connection, table: str, row: int) -> None:
    """The text of this row has gone or says something else. Its number may soon be another text's, vector or not."""
    conn.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
    _turn_epoch(conn)


def clear(conn: Connection, table: str) -> None:
    conn.execute(f"DELETE FROM {table}")
    _turn_epoch(conn)


def _turn_epoch(conn: Connection) -> None:
    conn.execute("INSERT OR REPLACE INTO copy VALUES(?, hex(randomblob(8)))", (_EPOCH,))


def epoch(conn: Connection) -> str:
    row = conn.execute("SELECT value FROM copy WHERE key = ?", (_EPOCH,)).fetchone()
    return row[0] if row else ""


def progress(conn: Connection, model: str) -> tuple[int, int]:
    """(texts that have a vector of `model`, texts that should)."""

    def count(what: str, *values: str) -> int:
        found: int = conn.execute(f"SELECT count(*) FROM {what}", values).fetchone()[0]
        return found

    done = sum(count(f"{table} WHERE model = ?", model) for table in TABLES)
    # The first words of the condition are those of a small index (`schema.py`).
    checkpoints = count("entries WHERE (hidden = 1 OR held = 1 OR kind = 'checkpoint') AND kind = 'checkpoint'")
    return done, count("entries") - checkpoints + count("turn_places")


@dataclass(frozen=True, slots=True)
class Cosines:
    """Of one question. The first three are parallel; `at`: row → its place in them."""

    rows: NDArray[np.int64]
    values: Vector
    han: NDArray[np.bool_]
    at: Mapping[int, int]


class Matrix:
    """The vectors of one table and model, in memory, as far as they were last read."""

    def __init__(self, table: str, model: str) -> None:
        self._table = table
        self._model = model
        self._epoch: str | None = None
        self._number = 0
        self._low = 0
        self._count = 0
        self._at: dict[int, int] = {}
        self._rows: NDArray[np.int64] = np.empty(0, np.int64)
        self._han: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._data: Vector = np.empty((0, 0), np.float32)

    def cosines(self, conn: Connection, vector: Vector) -> Cosines:
        """With every text that has a vector."""
        self._read(conn, len(vector))
        return Cosines(
            self._rows[: self._count], self._data[: self._count] @ vector, self._han[: self._count], self._at
        )

    def _read(self, conn: Connection, dimensions: int) -> None:
        now = epoch(conn)
        if now != self._epoch or self._data.shape[1] != dimensions:
            self._epoch = now
            self._forget(conn, dimensions)
        self._read_on(conn, dimensions)
        if self._count > HELD_MAX + HELD_MAX // 4:
            self._forget(conn, dimensions)
            self._read_on(conn, dimensions)

    def _forget(self, conn: Connection, dimensions: int) -> None:
        self._number, self._count, self._at = 0, 0, {}
        self._rows, self._han = np.empty(0, np.int64), np.empty(0, np.bool_)
        self._data = np.empty((0, dimensions), np.float32)
        oldest = f"SELECT row FROM {self._table} WHERE model = ? ORDER BY row DESC LIMIT 1 OFFSET ?"
        row = conn.execute(oldest, (self._model, HELD_MAX - 1)).fetchone()
        self._low = row[0] if row else 0

    def _read_on(self, conn: Connection, dimensions: int) -> None:
        # A row of another length was made by something else under this name: it is left out, never an error.
        found = conn.execute(
            f"SELECT number, row, han, vector FROM {self._table}"
            " WHERE number > ? AND model = ? AND row >= ? AND length(vector) = ? ORDER BY number",
            (self._number, self._model, self._low, 4 * dimensions),
        ).fetchall()
        if found:
            numbers, rows, han, vectors = zip(*found, strict=True)
            data = np.frombuffer(b"".join(vectors), "<f4").reshape(len(rows), dimensions)
            # Zeros stand for a text that cannot be embedded: as if it had no vector.
            some = np.flatnonzero(data.any(axis=1))
            self._append(np.array(rows)[some], np.array(han)[some], data[some])
            self._number = numbers[-1]

    def _append(self, rows: NDArray[np.int64], han: NDArray[np.int64], data: Vector) -> None:
        count = self._count + len(rows)
        if count > len(self._rows):
            room = max(count, 2 * len(self._rows)) - self._count
            self._rows = np.concatenate([self._rows[: self._count], np.empty(room, np.int64)])
            self._han = np.concatenate([self._han[: self._count], np.empty(room, np.bool_)])
            self._data = np.concatenate([self._data[: self._count], np.empty((room, data.shape[1]), np.float32)])
        new = slice(self._count, count)
        self._at.update(zip(rows.tolist(), range(self._count, count), strict=True))
        self._rows[new], self._han[new], self._data[new] = rows, han, data
        self._count = count


class Matrices:
    """Of one open memory; used on its database's thread only."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, Matrix]] = {}

    def of(self, table: str, model: str) -> Matrix:
        """One a table: the matrix of a model that is no longer in use goes."""
        held = self._held.get(table)
        if held is None or held[0] != model:
            held = (model, Matrix(table, model))
            self._held[table] = held
        return held[1]
