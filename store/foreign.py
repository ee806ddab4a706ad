"""Taking foreign changes into the log, inside one transaction.

Every well-formed change counts, whatever its order or gaps: its keys are projected at once (layer 1). Whether
Automerge ever gets it is decided by its place among the others (layer 2) and kept as a mark on its row.

What rows and views are made of must also have the shape that we write: a list where a number is due would stop
every device that reads it. That is judged key by key, so that the order in which keys come still does not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from store.admission import Admission
from store.changes import Key
from store.chunk import ParsedChange, parse_change
from store.document import genesis
from store.errors import Malformed
from store.projection import is_banned, project
from store.shape import has_our_shape

_DOCUMENT = re.compile(
    r"(?:meta|profile|cards\.[1-9][0-9]{0,5}|(?:facts|tasks|reviews)/[0-9]{4}-(?:0[1-9]|1[0-2])\.[1-9][0-9]{0,5})"
)
_GENERATION_MAX = 1 << 31


@dataclass(frozen=True, slots=True)
class Foreign:
    """One change of another device. `doc`: with its generation, `<doc>~<generation>`."""

    doc: str
    chunk: bytes
    device: bytes
    """16 bytes: who sent it, already proved."""


@dataclass(slots=True)
class Taken:
    """What became of a batch."""

    refused: Counter[str]
    documents: set[str]
    """Documents (without generation) whose log has grown."""
    carried: list[Key]
    """Keys of an older generation that are not here: the caller sets them again under its own name."""
    new: int = 0


class Admissions:
    """The admitted changes of the documents touched so far; rebuilt from the log after anything went wrong."""

    def __init__(self) -> None:
        self._known: dict[str, Admission] = {}

    def clear(self) -> None:
        self._known.clear()

    def drop(self, doc: str) -> None:
        self._known.pop(doc, None)

    def settle(self, conn: Connection, doc: str, generation: int) -> None:
        """Marks every change of `doc` that Automerge may have by now."""
        admission = self._known.get(doc)
        where = "doc = ?" if admission is None else "doc = ? AND admitted = 0"
        admission = self._known.setdefault(doc, admission or Admission(genesis(f"{doc}~{generation}").hash))
        rows = conn.execute(f"SELECT pos, admitted, bytes FROM changes WHERE {where} ORDER BY pos", (doc,))
        waiting = [(pos, marked, parse_change(data)) for pos, marked, data in rows]
        while True:
            fits = {pos: marked for pos, marked, change in waiting if admission.admit(change)}
            if not fits:
                return
            new = [(pos,) for pos, marked in fits.items() if not marked]
            conn.executemany("UPDATE changes SET admitted = 1 WHERE pos = ?", new)
            waiting = [one for one in waiting if one[0] not in fits]


def take(conn: Connection, foreign: Sequence[Foreign], generation: int) -> Taken:
    """Logs and projects what is sound and new; counts the rest by the code of the check that refused it."""
    taken = Taken(Counter(), set(), [])
    for one in foreign:
        try:
            doc, number = _document(one.doc)
            change = parse_change(one.chunk)
            if change.actor[:8] != one.device[:8]:
                raise Malformed("change-author")
            if number > generation:
                raise Malformed("change-generation")
            if not all(map(has_our_shape, change.keys)):
                raise Malformed("change-shape")
        except Malformed as error:
            taken.refused[error.code] += 1
            continue
        if number < generation:
            new = (key for key in change.keys if not (is_banned(conn, key.record) or _known(conn, key)))
            taken.carried += [key for key in new if key not in taken.carried]
            continue
        if _log(conn, doc, change):
            project(conn, doc, change.keys)
            taken.documents.add(doc)
            taken.new += 1
    return taken


def _document(name: str) -> tuple[str, int]:
    doc, _, number = name.rpartition("~")
    if not _DOCUMENT.fullmatch(doc) or not number.isascii() or not number.isdigit() or number.startswith("0"):
        raise Malformed("change-document")
    if int(number) >= _GENERATION_MAX:
        raise Malformed("change-document")
    return doc, int(number)


def _log(conn: Connection, doc: str, change: ParsedChange) -> bool:
    """False for a change that is there already."""
    cursor = conn.execute(
        "INSERT OR IGNORE INTO changes(doc, hash, bytes, origin, admitted) VALUES(?, ?, ?, 'peer', 0)",
        (doc, change.hash, change.data),
    )
    return cursor.rowcount == 1


def _known(conn: Connection, key: Key) -> bool:
    return conn.execute("SELECT 1 FROM keys WHERE map = ? AND key = ?", (key.map, key.key)).fetchone() is not None
