"""What is to leave to chat platforms: one row a delivery, queued → sending → sent | uncertain | failed.

`sending` is committed before the call. A row found so at a start left in the middle of one: nobody knows whether
it arrived, so it is uncertain and never sent again by itself. What stood in a row goes when it has left.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from store import inbox
from store.ports import Clock
from store.together import Together

KEPT_MS = 7 * 24 * 60 * 60 * 1000
ASKED = "asked"
"""The reason of an uncertain row about which the person has been asked."""


Also = Callable[[sqlite3.Connection], None]


@dataclass(frozen=True, slots=True)
class Departure:
    """One delivery to `chat` (`<adapter>:<id>`). `answers`: the key of the message it answers, "" for none."""

    adapter: str
    bot: str
    chat: str
    answers: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Queued:
    pos: int
    departure: Departure
    at_ms: int


class Outbox:
    def __init__(self, together: Together, clock: Clock) -> None:
        self._together = together
        self._clock = clock
        self._to_ask: set[str] = set()

    async def put(
        self, departures: Sequence[Departure], *, handled: Sequence[int] = (), also: Also | None = None
    ) -> list[Queued]:
        """Keeps what is to leave, in the same transaction as the end of the inbox rows that it answers, and `also`."""
        now_ms = self._now_ms()

        def write(conn: sqlite3.Connection) -> list[Queued]:
            queued = []
            for one in departures:
                (pos,) = conn.execute(
                    "INSERT INTO outbox(adapter, bot, chat, answers, payload, at_ms) VALUES(?, ?, ?, ?, ?, ?)"
                    " RETURNING pos",
                    (one.adapter, one.bot, one.chat, one.answers, one.payload, now_ms),
                ).fetchone()
                queued.append(Queued(pos, one, now_ms))
            inbox.done(conn, handled)
            if also is not None:
                also(conn)
            return queued

        return await self._together.write(write)

    async def begin(self) -> list[Queued]:
        """At a start: what is to leave, oldest first. What was on its way is uncertain from now on."""

        def write(conn: sqlite3.Connection) -> list[Queued]:
            conn.execute("UPDATE outbox SET state = 'uncertain' WHERE state = 'sending'")
            to_ask.update(
                row[0] for row in conn.execute("SELECT chat FROM outbox WHERE state = 'uncertain' AND reason = ''")
            )
            return _rows(conn, "state = 'queued'")

        to_ask: set[str] = set()
        queued = await self._together.write(write)
        self._to_ask |= to_ask
        return queued

    async def sending(self, pos: int) -> None:
        await self._set(pos, "sending")

    async def queued(self, pos: int) -> None:
        """It certainly did not arrive, and is tried again."""
        await self._set(pos, "queued")

    async def sent(self, pos: int, message: str = "") -> None:
        """`message`: the platform's id of what it became."""
        await self._together.write(
            lambda conn: (
                conn.execute(
                    "UPDATE outbox SET state = 'sent', payload = x'', message = ? WHERE pos = ?", (message, pos)
                ).rowcount
            )
        )

    async def uncertain(self, pos: int, chat: str) -> None:
        await self._set(pos, "uncertain")
        self._to_ask.add(chat)

    async def failed(self, pos: int, reason: str) -> None:
        await self._together.write(
            lambda conn: (
                conn.execute(
                    "UPDATE outbox SET state = 'failed', payload = x'', reason = ? WHERE pos = ?", (reason, pos)
                ).rowcount
            )
        )

    async def moved(self, old: str, new: str) -> None:
        """What waits for the chat `old` is for `new` from now on."""
        await self._together.write(
            lambda conn: (
                conn.execute(
                    "UPDATE outbox SET chat = ? WHERE chat = ? AND state IN ('queued', 'uncertain')", (new, old)
                ).rowcount
            )
        )

    async def message_of(self, answers: str) -> str:
        """The newest message that answered the one with this key; "" for none."""

        def read(conn: sqlite3.Connection) -> str:
            row = conn.execute(
                "SELECT message FROM outbox WHERE answers <> '' AND answers = ? AND message <> '' ORDER BY pos DESC",
                (answers,),
            ).fetchone()
            return str(row[0]) if row else ""

        return await self._together.read(read)

    async def ask_about(self, chat: str) -> list[Queued]:
        """What may not have arrived in `chat` and was not asked about yet; it counts as asked from now on."""

        def write(conn: sqlite3.Connection) -> list[Queued]:
            rows = _rows(conn, "state = 'uncertain' AND reason = '' AND chat = ?", (chat,))
            conn.executemany("UPDATE outbox SET reason = ? WHERE pos = ?", [(ASKED, row.pos) for row in rows])
            return rows

        if chat not in self._to_ask:
            return []
        rows = await self._together.write(write)
        self._to_ask.discard(chat)
        return rows

    async def again(self, pos: int, *, chat: str) -> list[Queued]:
        """An uncertain row of `chat` is queued once more, at the person's word; none when it is no longer uncertain."""

        def write(conn: sqlite3.Connection) -> list[Queued]:
            rows = _rows(conn, "state = 'uncertain' AND pos = ? AND chat = ?", (pos, chat))
            conn.executemany(
                "UPDATE outbox SET state = 'queued', reason = '' WHERE pos = ?", [(row.pos,) for row in rows]
            )
            return rows

        return await self._together.write(write)

    async def arrived(self, pos: int, *, chat: str) -> None:
        """The person says that it did arrive."""
        await self._together.write(
            lambda conn: (
                conn.execute(
                    "UPDATE outbox SET state = 'sent', payload = x'', reason = '' WHERE pos = ? AND chat = ?"
                    " AND state = 'uncertain'",
                    (pos, chat),
                ).rowcount
            )
        )

    async def tidy(self) -> None:
        """Forgets what left seven days ago; what nobody has asked about by then goes too."""
        before = self._now_ms() - KEPT_MS
        await self._together.write(
            lambda conn: (
                conn.execute(
                    "DELETE FROM outbox WHERE state IN ('sent', 'failed', 'uncertain') AND at_ms < ?", (before,)
                ).rowcount
            )
        )

    async def _set(self, pos: int, state: str) -> None:
        await self._together.write(
            lambda conn: conn.execute("UPDATE outbox SET state = ? WHERE pos = ?", (state, pos)).rowcount
        )

    def _now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)


def together(*some: Also) -> Also:
    """One after the other, in the same transaction."""

    def also(conn: sqlite3.Connection) -> None:
        for one in some:
            one(conn)

    return also


def drop_undelivered(conn: sqlite3.Connection) -> None:
    """Ends what may hold words that were just erased for good: rows that nobody will send again by themselves."""
    conn.execute("UPDATE outbox SET state = 'failed', payload = x'', reason = 'erased' WHERE state = 'uncertain'")


def _rows(conn: sqlite3.Connection, where: str, values: Sequence[object] = ()) -> list[Queued]:
    rows = conn.execute(
        f"SELECT pos, adapter, bot, chat, answers, payload, at_ms FROM outbox WHERE {where} ORDER BY pos", tuple(values)
    )
    return [Queued(pos, Departure(*rest), at_ms) for pos, *rest, at_ms in rows]
