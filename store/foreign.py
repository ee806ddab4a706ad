"""Taking foreign changes into the log, inside one transaction.

Every well-formed change counts, whatever its order or gaps: its keys are projected at once (layer 1). Whether
Automerge ever gets it is decided by its place among the others (layer 2) and kept as a mark on its row.

What rows and views are made of must also have the shape that we write: a list where a number is due would stop
every device that reads it. That is judged key by key, so that the order in which keys come still does not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from types import MappingProxyType

from store.admission import Admission
from store.changes import Key, parse_register_key
from store.chunk import ParsedChange, parse_change
from store.document import genesis
from store.errors import Malformed
from store.fold import BAN
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
    number: int = 0
    """Which of its envelopes brought it."""
    orphaned: bool = False
    """Its sender has left and offers it to nobody again: whoever takes it goes on with it under its own name."""


@dataclass(slots=True)
class Taken:
    """What became of a batch."""

    refused: Counter[str]
    documents: set[str]
    """Documents (without generation) whose log has grown."""
    parsed: dict[bytes, ParsedChange]
    """What it has grown by, by its hash."""
    carried: list[Key]
    """Keys of an older generation that are not here: the caller sets them again under its own name."""
    orphans: list[Key]
    """Keys of this generation that were new and that nobody offers again: set again in the same way."""
    hidden: set[str]
    """Records about whose `hidden` something new was said."""


class Admissions:
    """The admitted changes of the documents touched so far; rebuilt from the log after anything went wrong."""

    def __init__(self) -> None:
        self._known: dict[str, Admission] = {}

    def clear(self) -> None:
        self._known.clear()

    def drop(self, doc: str) -> None:
        self._known.pop(doc, None)

    def settle(
        self, conn: Connection, doc: str, generation: int, parsed: Mapping[bytes, ParsedChange] = MappingProxyType({})
    ) -> None:
        """Marks every change of `doc` that Automerge may have by now. `parsed`: what was just read, by its hash."""
        admission = self._known.get(doc)
        where = "doc = ?" if admission is None else "doc = ? AND admitted = 0"
        admission = self._known.setdefault(doc, admission or Admission(genesis(f"{doc}~{generation}").hash))
        rows = conn.execute(f"SELECT pos, admitted, hash, bytes FROM changes WHERE {where} ORDER BY pos", (doc,))
        waiting = [(pos, marked, parsed.get(h) or parse_change(data)) for pos, marked, h, data in rows]
        while True:
            fits = {pos: marked for pos, marked, change in waiting if admission.admit(change)}
            if not fits:
                return
            new = [(pos,) for pos, marked in fits.items() if not marked]
            conn.executemany("UPDATE changes SET admitted = 1 WHERE pos = ?", new)
            waiting = [one for one in waiting if one[0] not in fits]


def take(conn: Connection, foreign: Sequence[Foreign], generation: int) -> Taken:
    """Logs and projects what is sound and new; counts the rest by the code of the check that refused it."""
    taken = Taken(Counter(), set(), {}, [], [], set())
    for one in foreign:
        try:
            doc, number, change = _judged(one)
            if number > generation:
                raise Malformed("change-generation")
        except Malformed as error:
            taken.refused[error.code] += 1
            continue
        if number < generation:
            new = [key for key in change.keys if not (is_banned(conn, key.record) or _known(conn, key))]
            taken.carried += [key for key in new if key not in taken.carried]
            taken.hidden |= hidden_in(new)
        elif _log(conn, doc, change, one):
            project(conn, doc, change.keys)
            taken.documents.add(doc)
            taken.parsed[change.hash] = change
            taken.orphans += change.keys if one.orphaned else ()
            taken.hidden |= hidden_in(change.keys)
    return taken


@dataclass(frozen=True, slots=True)
class Baseline:
    """The changes of a baseline, all sound."""

    changes: Sequence[tuple[str, ParsedChange, Foreign]]
    """(document without generation, change, where it came from)."""

    def content(self) -> Iterator[Key]:
        for _, change, _ in self.changes:
            yield from change.keys

    def bans(self) -> set[str]:
        """The records it says were erased for good."""
        fields = (
            parse_register_key(key.key).field for key in self.content() if key.map == "r" and key.record == "meta"
        )
        return {field.removeprefix(BAN) for field in fields if field.startswith(BAN)}


def read_baseline(foreign: Sequence[Foreign], generation: int) -> Baseline:
    """Raises Malformed unless every change is sound and of `generation`."""
    changes = []
    for one in foreign:
        doc, number, change = _judged(one)
        if number != generation:
            raise Malformed("change-generation")
        changes.append((doc, change, one))
    return Baseline(changes)


def log_baseline(conn: Connection, baseline: Baseline) -> None:
    """Into an empty log, and into the rows. A key that is here already stands from now on where the baseline has it."""
    for doc, change, came in baseline.changes:
        if _log(conn, doc, change, came):
            project(conn, doc, change.keys)
            moved = [(doc, key.map, key.key, doc) for key in change.keys]
            conn.executemany("UPDATE keys SET doc = ? WHERE map = ? AND key = ? AND doc <> ?", moved)


def _judged(one: Foreign) -> tuple[str, int, ParsedChange]:
    """(document without generation, generation, change). Raises Malformed."""
    doc, number = _document(one.doc)
    change = parse_change(one.chunk)
    if change.actor[:8] != one.device[:8]:
        raise Malformed("change-author")
    if not all(map(has_our_shape, change.keys)):
        raise Malformed("change-shape")
    return doc, number, change


def hidden_in(keys: Iterable[Key]) -> set[str]:
    """The records about whose `hidden` these keys say something."""
    return {key.record for key in keys if key.map == "r" and parse_register_key(key.key).field == "hidden"}


def _document(name: str) -> tuple[str, int]:
    doc, _, number = name.rpartition("~")
    if not _DOCUMENT.fullmatch(doc) or not number.isascii() or not number.isdigit() or number.startswith("0"):
        raise Malformed("change-document")
    if int(number) >= _GENERATION_MAX:
        raise Malformed("change-document")
    return doc, int(number)


def _log(conn: Connection, doc: str, change: ParsedChange, came: Foreign) -> bool:
    """False for a change that is there already."""
    cursor = conn.execute(
        "INSERT OR IGNORE INTO changes(doc, hash, bytes, origin, admitted, author, number)"
        " VALUES(?, ?, ?, 'peer', 0, ?, ?)",
        (doc, change.hash, change.data, came.device.hex(), came.number),
    )
    return cursor.rowcount == 1


def _known(conn: Connection, key: Key) -> bool:
    return conn.execute("SELECT 1 FROM keys WHERE map = ? AND key = ?", (key.map, key.key)).fetchone() is not None
