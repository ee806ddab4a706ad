"""Buttons that were sent, and codes that were given to people: what this installation remembers to check a press by.

A button's token says nothing; its row says who may press it, in which chat, and what it does there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from store.model import AccountID
from store.ports import Clock, Entropy
from store.together import Together

KEPT_MS = 30 * 24 * 60 * 60 * 1000
TOKEN_BYTES = 16
UNKEPT_MAX = 1000


@dataclass(frozen=True, slots=True)
class SentButton:
    """`account`: who may press it, "" for whom its action allows. `about`: the chat whose memory it acts on."""

    account: AccountID
    chat: str
    action: str
    about: str


@dataclass(frozen=True, slots=True)
class Request:
    """A code that somebody was given. `kind` is the asker's business."""

    code: str
    kind: str
    account: AccountID
    name: str
    chat: str
    until_ms: int


class Requests:
    def __init__(self, together: Together, clock: Clock, entropy: Entropy) -> None:
        self._together = together
        self._clock = clock
        self._entropy = entropy
        self._unkept: dict[str, SentButton] = {}

    def tokens(self, number: int) -> list[str]:
        """32 characters each, which say nothing."""
        return [self._entropy.bytes(TOKEN_BYTES).hex() for _ in range(number)]

    def keeping(self, buttons: Mapping[str, SentButton]) -> Callable[[sqlite3.Connection], None]:
        """Keeps buttons under their tokens: for the transaction that keeps the message they hang under."""
        now_ms = self._now_ms()
        rows = [(token, one.account, one.chat, one.action, one.about, now_ms) for token, one in buttons.items()]

        def write(conn: sqlite3.Connection) -> None:
            conn.executemany("INSERT INTO buttons VALUES(?, ?, ?, ?, ?, ?)", rows)

        return write

    def keep_loosely(self, buttons: Mapping[str, SentButton]) -> None:
        """Where nothing can be written they work until the program ends, or a thousand others have come."""
        self._unkept.update(buttons)
        for old in [*self._unkept][:-UNKEPT_MAX]:
            del self._unkept[old]

    async def button(self, token: str) -> SentButton | None:
        def read(conn: sqlite3.Connection) -> SentButton | None:
            row = conn.execute("SELECT account, chat, action, about FROM buttons WHERE token = ?", (token,)).fetchone()
            return SentButton(*row) if row else None

        return self._unkept.get(token) or await self._together.read(read)

    async def moved(self, old: str, new: str) -> None:
        """The buttons of the chat `old` can be pressed in `new`."""

        def write(conn: sqlite3.Connection) -> None:
            conn.execute("UPDATE buttons SET chat = ? WHERE chat = ?", (new, old))
            conn.execute("UPDATE buttons SET about = ? WHERE about = ?", (new, old))

        await self._together.write(write)

    async def open(self, request: Request, *, most: int) -> Request | None:
        """Keeps it, or gives the one that this account has already; None when `most` of its kind are open."""
        now_ms = self._now_ms()

        def write(conn: sqlite3.Connection) -> Request | None:
            conn.execute("DELETE FROM requests WHERE until_ms <= ?", (now_ms,))
            row = conn.execute(
                "SELECT * FROM requests WHERE kind = ? AND account = ?", (request.kind, request.account)
            ).fetchone()
            if row is not None:
                return Request(*row)
            (number,) = conn.execute("SELECT count(*) FROM requests WHERE kind = ?", (request.kind,)).fetchone()
            if number >= most:
                return None
            conn.execute(
                "INSERT INTO requests VALUES(?, ?, ?, ?, ?, ?)",
                (request.code, request.kind, request.account, request.name, request.chat, request.until_ms),
            )
            return request

        return await self._together.write(write)

    async def find(self, code: str) -> Request | None:
        """The open request with this code."""
        now_ms = self._now_ms()

        def read(conn: sqlite3.Connection) -> Request | None:
            row = conn.execute("SELECT * FROM requests WHERE code = ? AND until_ms > ?", (code, now_ms)).fetchone()
            return Request(*row) if row else None

        return await self._together.read(read)

    async def take(self, code: str, kind: str) -> Request | None:
        """The open request, which is closed by this very call: of two who ask at once, one gets it."""
        now_ms = self._now_ms()

        def write(conn: sqlite3.Connection) -> Request | None:
            row = conn.execute(
                "DELETE FROM requests WHERE code = ? AND kind = ? AND until_ms > ? RETURNING *", (code, kind, now_ms)
            ).fetchone()
            return Request(*row) if row else None

        return await self._together.write(write)

    async def close(self, code: str) -> None:
        await self._together.write(lambda conn: conn.execute("DELETE FROM requests WHERE code = ?", (code,)).rowcount)

    async def tidy(self) -> None:
        now_ms = self._now_ms()

        def write(conn: sqlite3.Connection) -> None:
            conn.execute("DELETE FROM requests WHERE until_ms <= ?", (now_ms,))
            conn.execute("DELETE FROM buttons WHERE at_ms < ?", (now_ms - KEPT_MS,))

        await self._together.write(write)

    def _now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)
