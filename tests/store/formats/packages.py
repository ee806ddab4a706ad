"""Anki packages made by hand, old and new, with whatever is to be wrong about them."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import zstandard

DAY_MS = 86_400_000
FIRST_MS = 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class Note:
    fields: tuple[str, ...]
    tags: str = ""
    log: tuple[tuple[int, int, int, int], ...] = ()
    """(moment, ease, type, factor)"""
    cards: int = 1
    queue: int = 0
    model: int = 1


def collection(notes: Sequence[Note], names: Sequence[str] = ("Front", "Back"), *, is_new: bool) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.create_collation("unicase", lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))
        fields = [{"name": name, "ord": place} for place, name in enumerate(names)]
        if is_new:
            conn.execute(
                "CREATE TABLE fields(ntid INTEGER, ord INTEGER, name TEXT NOT NULL COLLATE unicase, config BLOB,"
                " PRIMARY KEY(ntid, ord)) WITHOUT ROWID"
            )
            conn.execute("CREATE UNIQUE INDEX idx_fields_name_ntid ON fields(name, ntid)")
            conn.executemany("INSERT INTO fields VALUES(1, ?, ?, x'')", [(one["ord"], one["name"]) for one in fields])
        else:
            conn.execute("CREATE TABLE col(id INTEGER PRIMARY KEY, models TEXT NOT NULL)")
            conn.execute("INSERT INTO col VALUES(1, ?)", (json.dumps({"1": {"id": 1, "flds": fields[::-1]}}),))
        conn.execute("CREATE TABLE notes(id INTEGER PRIMARY KEY, mid INTEGER, tags TEXT, flds TEXT)")
        conn.execute("CREATE TABLE cards(id INTEGER PRIMARY KEY, nid INTEGER, ord INTEGER, queue INTEGER)")
        conn.execute(
            "CREATE TABLE revlog(id INTEGER PRIMARY KEY, cid INTEGER, ease INTEGER, type INTEGER, factor INTEGER,"
            " time INTEGER)"
        )
        for at, note in enumerate(notes, start=1):
            flds = "\x1f".join(note.fields)
            conn.execute("INSERT INTO notes VALUES(?, ?, ?, ?)", (at, note.model, note.tags, flds))
            for card in range(note.cards):
                conn.execute("INSERT INTO cards VALUES(?, ?, ?, ?)", (at * 10 + card, at, card, note.queue))
            last = at * 10 + note.cards - 1
            conn.executemany(
                "INSERT INTO revlog VALUES(?, ?, ?, ?, ?, 1500)", [(when, last, *rest) for when, *rest in note.log]
            )
        return conn.serialize()


DUMMY = collection([Note(("Please update to the latest Anki version, then import the .colpkg/.apkg file again.", ""))], is_new=False)  # fmt: skip


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def package(path: Path, notes: Sequence[Note], names: Sequence[str] = ("Front", "Back"), *, kind: str = "new") -> Path:
    """`kind`: new, with the dummy beside it; legacy, with the dummy too; oldest, with nothing else."""
    data = collection(notes, names, is_new=kind == "new")
    files = {"media": b"{}"}
    match kind:
        case "new":
            files |= {"collection.anki2": DUMMY, "collection.anki21b": zstandard.compress(data), "meta": b"\x08\x03"}
        case "legacy":
            files |= {"collection.anki2": DUMMY, "collection.anki21": data}
        case _:
            files["collection.anki2"] = data
    path.write_bytes(packed(files))
    return path
