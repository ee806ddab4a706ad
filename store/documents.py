"""A scope's documents in memory, and the actor that writes in them.

Both are a cache of the log. After anything went wrong they are thrown away *together*: with the same actor every later
save would depend on a change that nobody has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sqlite3 import Connection

from store.changes import Key
from store.chunk import ParsedChange
from store.document import Change, Document
from store.foreign import Admissions
from store.ports import Entropy

DOCUMENTS_MAX = 16


class Documents:
    """Not safe for two threads at once: it lives on the database's."""

    def __init__(self, device_id: bytes, entropy: Entropy) -> None:
        self._device = device_id
        self._entropy = entropy
        self._documents: dict[str, Document] = {}
        self._admissions = Admissions()
        self._actor = self._new_actor()
        self._newest: tuple[str, bytes] | None = None

    def commit(self, conn: Connection, doc: str, items: Sequence[Key]) -> Change:
        """Sets `items` in the document `doc` (without generation). Raises what `Document.commit` raises."""
        document = self._documents.pop(doc, None) or self.load(conn, doc)
        self._documents[doc] = document  # youngest last
        while len(self._documents) > DOCUMENTS_MAX:
            del self._documents[next(iter(self._documents))]
        change = document.commit(items)
        self._admissions.drop(doc)
        self._newest = doc, change.hash
        return change

    def load(self, conn: Connection, doc: str) -> Document:
        rows = conn.execute("SELECT hash, bytes FROM changes WHERE doc = ? AND admitted = 1 ORDER BY pos", (doc,))
        return Document(f"{doc}~{generation_of(conn)}", self._actor, [Change(h, data) for h, data in rows])

    def found(self, name: str, groups: Sequence[Sequence[Key]]) -> list[Change]:
        """A fresh document `name` (with its generation), one change for each group of keys."""
        document = Document(name, self._actor)
        return [document.commit(group) for group in groups]

    def grown(self, conn: Connection, doc: str, parsed: Mapping[bytes, ParsedChange]) -> None:
        """The log of `doc` has grown by foreign changes: `parsed`, by their hashes."""
        self._documents.pop(doc, None)
        self._admissions.settle(conn, doc, generation_of(conn), parsed)

    def forget(self) -> None:
        self._documents.clear()
        self._admissions.clear()
        self._actor = self._new_actor()
        self._newest = None

    def forget_what_was_not_logged(self, conn: Connection) -> None:
        """The commit itself may have failed, with nobody left to hear of it."""
        if self._newest is None:
            return
        if conn.execute("SELECT 1 FROM changes WHERE doc = ? AND hash = ?", self._newest).fetchone() is None:
            self.forget()

    def _new_actor(self) -> bytes:
        """8 bytes of the device's id and 8 random ones: never the same actor twice, not even after a crash."""
        return self._device[:8] + self._entropy.bytes(8)


def generation_of(conn: Connection) -> int:
    """How often the scope was founded anew by erasing; from 1."""
    row = conn.execute("SELECT value FROM copy WHERE key = 'generation'").fetchone()
    return int(row[0]) if row else 1
