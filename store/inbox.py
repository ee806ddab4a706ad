"""What chat platforms brought, kept before the platform is told that it arrived.

An event is kept once: its key is unique, and so is that of a new message, whichever way it came. Rows stay
seven days as proof that they were handled; what stood in them goes when they are. Nothing here is interpreted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from store.ports import Clock
from store.together import Together

KEPT_MS = 7 * 24 * 60 * 60 * 1000
PARKED_MS = 30 * 24 * 60 * 60 * 1000
EARLY_MS = 10 * 60 * 1000
"""How long a changed message waits for the message it changes."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event. `event` names it for ever; `message` names a new message ("" for any other event)."""

    adapter: str
    bot: str
    event: str
    message: str
    lane: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """A row that is still to be handled. `tries`: how often that failed."""

    pos: int
    arrival: Arrival
    tries: int


class Inbox:
    def __init__(self, together: Together, clock: Clock) -> None:
        self._together = together
        self._clock = clock
        self._early: set[str] = set()
        """The messages that a change waits for: looked at for every message that comes, so it is kept at hand."""

    async def receive(self, arrivals: Sequence[Arrival]) -> list[Kept]:
        """Keeps what is new, and gives it, in order; committed when it returns."""
        now_ms = self._now_ms()

        def write(conn: sqlite3.Connection) -> list[Kept]:
            kept = []
            for one in arrivals:
                row = conn.execute(
                    "INSERT OR IGNORE INTO inbox(adapter, bot, event, message, lane, payload, at_ms)"
                    " VALUES(?, ?, ?, ?, ?, ?, ?) RETURNING pos",
                    (one.adapter, one.bot, one.event, one.message or None, one.lane, one.payload, now_ms),
                ).fetchone()
                if row is not None:
                    kept.append(Kept(row[0], one, 0))
            return kept

        return await self._together.write(write)

    async def waiting(self) -> list[Kept]:
        """Everything that is to be handled, oldest first. To be asked once, at the start."""

        def read(conn: sqlite3.Connection) -> list[Kept]:
            early = conn.execute("SELECT reason FROM inbox WHERE state <> 'done' AND state = 'early'")
            self._early = {row[0] for row in early}
            rows = conn.execute(
                "SELECT pos, adapter, bot, event, coalesce(message, ''), lane, payload, tries FROM inbox"
                " WHERE state <> 'done' AND state = 'waiting' ORDER BY pos"
            )
            return [Kept(pos, Arrival(*rest), tries) for pos, *rest, tries in rows]

        return await self._together.read(read)

    async def failed(self, pos: int, tries: int) -> None:
        await self._together.write(
            lambda conn: conn.execute("UPDATE inbox SET tries = ? WHERE pos = ?", (tries, pos)).rowcount
        )

    async def set_early(self, pos: int, message: str) -> None:
        """A changed message whose first form has not come: it waits under the key `message` of that one."""
        await self._together.write(
            lambda conn: (
                conn.execute("UPDATE inbox SET state = 'early', reason = ? WHERE pos = ?", (message, pos)).rowcount
            )
        )
        self._early.add(message)

    async def take_early(self, adapter: str, bot: str, message: str) -> bytes | None:
        """The newest form that was kept for `message`; it is done with."""

        def write(conn: sqlite3.Connection) -> bytes | None:
            found = conn.execute(
                "SELECT payload FROM inbox WHERE state <> 'done' AND state = 'early' AND adapter = ? AND bot = ?"
                " AND reason = ? ORDER BY pos DESC LIMIT 1",
                (adapter, bot, message),
            ).fetchone()
            if found is None:
                return None
            conn.execute(
                "UPDATE inbox SET state = 'done', payload = x'', reason = '' WHERE state <> 'done' AND state = 'early'"
                " AND adapter = ? AND bot = ? AND reason = ?",
                (adapter, bot, message),
            )
            return bytes(found[0])

        if message not in self._early:
            return None
        taken = await self._together.write(write)
        self._early.discard(message)
        return taken

    async def came_before(self, pos: int, adapter: str, bot: str, message: str) -> bool:
        """Whether the new message of this key came before the row at `pos`."""
        return await self._together.read(
            lambda conn: (
                conn.execute(
                    "SELECT 1 FROM inbox WHERE adapter = ? AND bot = ? AND message = ? AND pos < ?",
                    (adapter, bot, message, pos),
                ).fetchone()
                is not None
            )
        )

    async def park(self, pos: int, reason: str) -> None:
        """It will not be tried again; what stood in it stays, so that it can be looked into."""
        await self._together.write(
            lambda conn: (
                conn.execute("UPDATE inbox SET state = 'parked', reason = ? WHERE pos = ?", (reason, pos)).rowcount
            )
        )

    async def tidy(self) -> None:
        """Forgets what was handled seven days or parked thirty days ago, and changes that waited in vain."""
        now_ms = self._now_ms()

        def write(conn: sqlite3.Connection) -> None:
            conn.execute("DELETE FROM inbox WHERE state = 'done' AND at_ms < ?", (now_ms - KEPT_MS,))
            conn.execute("DELETE FROM inbox WHERE state = 'parked' AND at_ms < ?", (now_ms - PARKED_MS,))
            conn.execute(
                "UPDATE inbox SET state = 'done', payload = x'', reason = '' WHERE state = 'early' AND at_ms < ?",
                (now_ms - EARLY_MS,),
            )

        await self._together.write(write)

    def _now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)


def done(conn: sqlite3.Connection, positions: Sequence[int]) -> None:
    """Handled: what stood in these rows goes, their keys stay. For the transaction that keeps the answer."""
    conn.executemany(
        "UPDATE inbox SET state = 'done', payload = x'', reason = '' WHERE pos = ? AND state = 'waiting'",
        [(pos,) for pos in positions],
    )


def drop_parked(conn: sqlite3.Connection) -> None:
    """Empties what may hold words that were just erased for good."""
    conn.execute("UPDATE inbox SET payload = x'' WHERE state = 'parked'")
