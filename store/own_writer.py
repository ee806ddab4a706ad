"""What is noted about a turn, in this copy's own rows: questions, offers, sessions, what was said and answered.

Unlike what a person wants kept, a note can be done without: when nothing can be stored it is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from sqlite3 import Connection
from typing import Any

from store import index
from store.dates import local_day
from store.errors import NiannianError
from store.ids import ulid
from store.model import TALK, AccountID, EntryID
from store.ports import Entropy
from store.vectors import Matrices
from store.view import View

OFFER_MS = 24 * 60 * 60 * 1000
HANDLED_MS = 30 * 24 * 60 * 60 * 1000


class OwnWriter(View):
    """`refusal`: why nothing can be stored now."""

    def __init__(
        self,
        conn: Connection,
        *,
        now_ms: int,
        entropy: Entropy,
        refusal: NiannianError | None,
        matrices: Matrices | None = None,
    ) -> None:
        super().__init__(conn, matrices)
        self.now_ms = now_ms
        self._entropy = entropy
        self._refusal = refusal

    def ask(self, chat: str, account: AccountID, question: dict[str, Any]) -> None:
        """Keeps the one question that waits for this person's next words."""
        if self._refusal is None:
            row = (chat, account, json.dumps(question, ensure_ascii=False), self.now_ms)
            self.conn.execute("INSERT OR REPLACE INTO pending VALUES(?, ?, ?, ?)", row)

    def close_question(self, chat: str, account: AccountID) -> None:
        if self._refusal is None:
            self.conn.execute("DELETE FROM pending WHERE chat = ? AND account = ?", (chat, account))

    def make_offer(self, chat: str, account: AccountID, body: dict[str, Any]) -> str:
        """Keeps what a button would do; gives the id the button carries, "" when nothing can be stored."""
        if self._refusal is not None:
            return ""
        offer = self.new_id(self.now_ms)
        self.conn.execute("DELETE FROM offers WHERE at_ms < ?", (self.now_ms - OFFER_MS,))
        row = (offer, chat, account, json.dumps(body, ensure_ascii=False), self.now_ms)
        self.conn.execute("INSERT INTO offers VALUES(?, ?, ?, ?, ?)", row)
        return offer

    def close_offer(self, offer: str) -> None:
        """The button was pressed: its words go, the row stays to say so."""
        if self._refusal is None:
            self.conn.execute("UPDATE offers SET body = '{}' WHERE id = ?", (offer,))

    def open_session(self, chat: str) -> int:
        """The id of the chat's open session, begun now if there is none."""
        there = self.session(chat)
        if there is not None or self._refusal is not None:
            return there.id if there else 0
        cursor = self.conn.execute("INSERT INTO sessions(chat, started_ms) VALUES(?, ?)", (chat, self.now_ms))
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def end_session(self, session: int, checkpoint: EntryID) -> None:
        self._effect()
        self.conn.execute(
            "UPDATE sessions SET ended_ms = ?, checkpoint = ? WHERE id = ?", (self.now_ms, checkpoint, session)
        )

    def keep_checkpoint(self, session: int, checkpoint: EntryID) -> None:
        """The newest summary of a conversation that goes on."""
        self._effect()
        self.conn.execute("UPDATE sessions SET checkpoint = ? WHERE id = ?", (checkpoint, session))

    def keep_turn(
        self,
        *,
        chat: str,
        account: AccountID,
        at_ms: int,
        zone: str,
        kind: str,
        text: str,
        reply: str,
        cited: Sequence[str] = (),
        entry: str | None = None,
        topic: str = "",
    ) -> None:
        """Layer 3. Only a turn of kind `talk` may be found again: no question, no command, nothing of ours."""
        if self._refusal is not None:
            return
        session, day = self.open_session(chat), local_day(at_ms, zone).isoformat()
        cursor = self.conn.execute(
            "INSERT INTO turns(session, chat, account, at_ms, day, kind, text, reply, cited, entry, topic)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                session,
                chat,
                account,
                at_ms,
                day,
                kind,
                text,
                reply,
                json.dumps(list(cited)),
                entry,
                topic or None,
            ),
        )
        if kind == TALK:
            assert cursor.lastrowid is not None
            index.add_turn(self.conn, cursor.lastrowid, session=session, account=account, day=day, text=text)

    def note_source(self, text: str, entry: str) -> None:
        """The newest talk of these words is where `entry` came from: it is not counted beside the entry."""
        if self._refusal is None:
            self.conn.execute(
                "UPDATE turns SET entry = ? WHERE id = (SELECT max(id) FROM turns"
                " WHERE kind = ? AND entry IS NULL AND trim(text, ?) = ?)",
                (entry, TALK, " \n\t\r", text.strip()),
            )

    def keep_note(self, name: str, body: str) -> None:
        """Notes about our own doing hold numbers and ids, never words."""
        if self._refusal is None:
            self.conn.execute("INSERT OR REPLACE INTO copy VALUES(?, ?)", (f"note/{name}", body))

    def drop_note(self, name: str) -> None:
        if self._refusal is None:
            self.conn.execute("DELETE FROM copy WHERE key = ?", (f"note/{name}",))

    def note_use(self, record: str) -> None:
        """An entry was shown as an answer. Only this copy knows, and only ranking asks."""
        if self._refusal is None:
            self.conn.execute(
                "INSERT INTO uses VALUES(?, 1, ?) ON CONFLICT(record)"
                " DO UPDATE SET times = times + 1, last_ms = excluded.last_ms",
                (record, self.now_ms),
            )

    def keep_remembered(self, engine: str, values: Mapping[str, str]) -> None:
        """As `store.cards.keep_remembered`."""
        if self._refusal is None:
            self.conn.execute("DELETE FROM card_memory WHERE engine <> ?", (engine,))
            rows = [(card, engine, value) for card, value in values.items()]
            self.conn.executemany("INSERT OR REPLACE INTO card_memory VALUES(?, ?, ?)", rows)

    def keep_handled(self, inbound_key: str, reply: str) -> None:
        if self._refusal is None:
            self.conn.execute("DELETE FROM handled WHERE at_ms < ?", (self.now_ms - HANDLED_MS,))
            self.conn.execute("INSERT INTO handled VALUES(?, ?, ?)", (inbound_key, reply, self.now_ms))

    def new_id(self, at_ms: int) -> EntryID:
        return ulid(at_ms, self._entropy.bytes(10))

    def _effect(self) -> None:
        if self._refusal is not None:
            raise self._refusal
