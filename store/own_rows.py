"""What this copy of a scope keeps for itself: talks, open questions, what can be undone, and sync's opaque rows.

None of it goes to other devices, and nothing of it is made from the log: `doctor --rebuild` never touches it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

from store.changes import Json
from store.model import AccountID, EntryID, RefID
from store.vectors import Matrices, progress

LISTED_MAX = 1000
PENDING_MS = 10 * 60 * 1000
UNDO_MS = 10 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Turn:
    """One message and the reply to it, as kept in layer 3."""

    id: int
    session: int
    chat: str
    account: AccountID
    at_ms: int
    day: str
    kind: str
    text: str
    reply: str
    cited: tuple[RefID, ...]
    entry: EntryID | None
    topic: str


@dataclass(frozen=True, slots=True)
class Undoable:
    """A write that can be taken back: the registers to set again."""

    id: str
    chat: str
    account: AccountID
    label: RefID
    verb: str
    steps: tuple[tuple[str, str, Json], ...]
    at_ms: int
    done: bool


@dataclass(frozen=True, slots=True)
class Session:
    id: int
    chat: str
    started_ms: int
    ended_ms: int | None
    checkpoint: EntryID | None


class OwnRows:
    def __init__(self, conn: Connection, matrices: Matrices | None = None) -> None:
        self.conn = conn
        self.matrices = matrices or Matrices()
        """The vectors of this memory, as far as they have been read."""

    def last_turn(self, chat: str) -> Turn | None:
        found = self.turns("chat = ?", (chat,), limit=1)
        return found[0] if found else None

    def turns(self, where: str, values: Sequence[Any] = (), *, limit: int = LISTED_MAX) -> list[Turn]:
        """Turns for a condition on the columns of `turns`, newest first."""
        sql = (
            "SELECT id, session, chat, account, at_ms, day, kind, text, reply, cited, entry, topic"
            f" FROM turns WHERE {where} ORDER BY id DESC LIMIT ?"
        )
        return [_turn(row) for row in self.conn.execute(sql, (*values, limit))]

    def newest_of_each_session(self, limit: int) -> list[Turn]:
        """What was said last in each of the newest conversations."""
        where = "id IN (SELECT max(id) FROM turns GROUP BY session ORDER BY 1 DESC LIMIT ?)"
        return self.turns(where, (limit,), limit=limit)

    def session(self, chat: str) -> Session | None:
        """The open session of a chat."""
        return next(iter(self._sessions("chat = ? AND ended_ms IS NULL", (chat,))), None)

    def open_sessions(self) -> list[Session]:
        return list(self._sessions("ended_ms IS NULL", ()))

    def newest_turn(self) -> int:
        """A number that is another one whenever anything was said here since."""
        return int(self.conn.execute("SELECT coalesce(max(id), 0) FROM turns").fetchone()[0])

    def last_checkpoint(self, chat: str) -> Session | None:
        return next(iter(self._sessions("chat = ? AND checkpoint IS NOT NULL", (chat,))), None)

    def _sessions(self, where: str, values: Sequence[Any]) -> Iterable[Session]:
        sql = f"SELECT id, chat, started_ms, ended_ms, checkpoint FROM sessions WHERE {where} ORDER BY id DESC"
        return (Session(*row) for row in self.conn.execute(sql, values))

    def pending(self, chat: str, account: AccountID, now_ms: int) -> dict[str, Any] | None:
        """The question that this person has not answered yet, if it is younger than 10 minutes."""
        row = self.conn.execute(
            "SELECT question FROM pending WHERE chat = ? AND account = ? AND at_ms > ?",
            (chat, account, now_ms - PENDING_MS),
        ).fetchone()
        question: dict[str, Any] | None = json.loads(row[0]) if row else None
        return question

    def offer(self, offer: str) -> tuple[AccountID, dict[str, Any]] | None:
        """Whom something was offered to, and what."""
        row = self.conn.execute("SELECT account, body FROM offers WHERE id = ?", (offer,)).fetchone()
        return (AccountID(row[0]), json.loads(row[1])) if row else None

    def undoable(self, undo: str) -> Undoable | None:
        return next(iter(self._undos("id = ?", (undo,))), None)

    def last_undoable(self, chat: str, account: AccountID) -> Undoable | None:
        return next(iter(self._undos("chat = ? AND account = ? AND done = 0", (chat, account))), None)

    def undoables(self, chat: str, account: AccountID, shown: RefID) -> list[Undoable]:
        """The writes on this RefID that can still be taken back, newest first."""
        return list(self._undos("chat = ? AND account = ? AND done = 0 AND label = ?", (chat, account, shown)))

    def handled(self, inbound_key: str) -> str | None:
        """The reply that a message with this key already got."""
        row = self.conn.execute("SELECT reply FROM handled WHERE inbound_key = ?", (inbound_key,)).fetchone()
        return row[0] if row else None

    def note(self, name: str) -> dict[str, Any] | None:
        """What this copy noted about its own doing (never synced)."""
        text = self.local(f"note/{name}")
        found: dict[str, Any] | None = json.loads(text) if text else None
        return found

    def notes(self, prefix: str) -> list[str]:
        """The names of the notes that begin so."""
        begins = f"note/{prefix}"
        rows = self.conn.execute(
            "SELECT substr(key, 6) FROM copy WHERE key >= ? AND key < ? ORDER BY key", (begins, f"{begins}\U0010ffff")
        )
        return [row[0] for row in rows]

    def _undos(self, where: str, values: Sequence[Any]) -> Iterable[Undoable]:
        sql = f"SELECT id, chat, account, label, verb, steps, at_ms, done FROM undo WHERE {where} ORDER BY number DESC"
        return (_undoable(row) for row in self.conn.execute(sql, values))

    def sync_rows(self, prefix: str = "", *, after: str = "") -> dict[str, bytes]:
        """The opaque rows that sync keeps of this scope: those whose names begin so, from behind `after` on.

        Without a prefix all but those that begin with `~`: they are many and large, and read only when asked for.
        """
        last = f"{prefix}\U0010ffff" if prefix else "~"
        rows = self.conn.execute(
            "SELECT key, value FROM sync_state WHERE key >= ? AND key < ? AND key > ?", (prefix, last, after)
        )
        return dict(rows.fetchall())

    def own_changes_after(self, pos: int) -> int:
        """How many changes this device has made behind position `pos` of the log."""
        return int(
            self.conn.execute("SELECT count(*) FROM changes WHERE origin = 'own' AND pos > ?", (pos,)).fetchone()[0]
        )

    def vectors_progress(self, model: str) -> tuple[int, int]:
        """As `vectors.progress`."""
        return progress(self.conn, model)

    def local(self, key: str, default: str = "") -> str:
        """A fact about this very copy of the scope."""
        row = self.conn.execute("SELECT value FROM copy WHERE key = ?", (key,)).fetchone()
        return row[0] if row else default


def _turn(row: Sequence[Any]) -> Turn:
    number, session, chat, account, at_ms, day, kind, text, reply, cited, entry, topic = row
    return Turn(
        number, session, chat, account, at_ms, day, kind, text, reply, tuple(json.loads(cited)), entry, topic or ""
    )


def _undoable(row: Sequence[Any]) -> Undoable:
    undo, chat, account, label, verb, steps, at_ms, done = row
    return Undoable(undo, chat, account, label, verb, tuple(tuple(one) for one in json.loads(steps)), at_ms, bool(done))
