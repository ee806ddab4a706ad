"""What was said unasked, one row a slot: due → sending → sent | uncertain | skipped(reason).

For a chat platform the row and its delivery are one transaction, and from then on the slot is what its delivery is
(a trigger in `schema.py`): there is no moment at which one knows more than the other. Where nothing is queued (a
terminal), `sending` is committed before the words are shown. Kinds and marks mean nothing here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from store.model import Slot, SlotState
from store.ports import Clock
from store.together import Together

KEPT_MS = 400 * 24 * 60 * 60 * 1000
"""Longer than anything is spoken of that was missed."""
KEPT_ROWS = 2_000
"""So many of each person are kept however old they look: a clock that is years ahead must not forget what was sent."""

Marked = tuple[Slot, str]
"""A slot with its mark."""


@dataclass(frozen=True, slots=True)
class KeptSlot:
    """`mark`: what was wanted, as it was written down then."""

    slot: Slot
    mark: str
    state: SlotState
    reason: str


class Slots:
    def __init__(self, together: Together, clock: Clock) -> None:
        self._together = together
        self._clock = clock

    async def begin(self) -> None:
        """At a start: what was being shown when the program ended may have been seen."""
        await self._together.write(
            lambda conn: (
                conn.execute(
                    "UPDATE slots SET state = 'uncertain' WHERE state = 'sending' AND"
                    " (outbox IS NULL OR NOT EXISTS (SELECT 1 FROM outbox WHERE pos = slots.outbox))"
                ).rowcount
            )
        )

    async def of_kinds(self, prefixes: Iterable[str]) -> list[KeptSlot]:
        """The slots whose kind begins with one of `prefixes`, which end in `/`."""
        wanted = list(prefixes)

        def read(conn: sqlite3.Connection) -> list[KeptSlot]:
            found: list[KeptSlot] = []
            for prefix in wanted:
                assert prefix.endswith("/")
                rows = conn.execute(
                    "SELECT person, kind, day, mark, state, reason FROM slots WHERE kind >= ? AND kind < ?",
                    (prefix, prefix[:-1] + "0"),  # the sign behind /
                )
                found += (
                    KeptSlot(Slot(person, kind, day), mark, SlotState(state), reason)
                    for person, kind, day, mark, state, reason in rows
                )
            return found

        return await self._together.read(read)

    async def of_person(self, person: str, kind: str) -> list[KeptSlot]:
        """The slots of exactly this kind, by day."""
        rows = await self._together.read(
            lambda conn: conn.execute(
                "SELECT day, mark, state, reason FROM slots WHERE person = ? AND kind = ? ORDER BY day", (person, kind)
            ).fetchall()
        )
        return [KeptSlot(Slot(person, kind, day), mark, SlotState(state), reason) for day, mark, state, reason in rows]

    async def of_delivery(self, pos: int) -> list[KeptSlot]:
        """What a row of the outbox says unasked; none for an answer."""
        rows = await self._together.read(
            lambda conn: conn.execute(
                "SELECT person, kind, day, mark, state, reason FROM slots WHERE outbox = ? ORDER BY kind, day", (pos,)
            ).fetchall()
        )
        return [
            KeptSlot(Slot(person, kind, day), mark, SlotState(state), reason)
            for person, kind, day, mark, state, reason in rows
        ]

    async def lately(self, person: str, most: int = 400) -> list[KeptSlot]:
        """Everything of one person, newest day first."""
        rows = await self._together.read(
            lambda conn: conn.execute(
                "SELECT kind, day, mark, state, reason FROM slots WHERE person = ? ORDER BY day DESC, at_ms DESC LIMIT ?",
                (person, most),
            ).fetchall()
        )
        return [
            KeptSlot(Slot(person, kind, day), mark, SlotState(state), reason) for kind, day, mark, state, reason in rows
        ]

    def leaving(
        self, slots: Sequence[Marked], skipped: Sequence[Marked] = (), reason: str = ""
    ) -> Callable[[sqlite3.Connection], None]:
        """For `Outbox.put(…, also=…)`: the newest delivery is what says `slots`, and tells that others were skipped."""
        now_ms = self._now_ms()

        def write(conn: sqlite3.Connection) -> None:
            (pos,) = conn.execute("SELECT max(pos) FROM outbox").fetchone()
            _keep(conn, slots, SlotState.SENDING, "", pos, now_ms)
            _keep(conn, skipped, SlotState.SKIPPED, reason, None, now_ms)

        return write

    async def keep(self, slots: Sequence[Marked], state: SlotState, reason: str = "") -> None:
        """Of what goes through no outbox, or does not go at all. What has been sent stays so."""
        now_ms = self._now_ms()
        await self._together.write(lambda conn: _keep(conn, slots, state, reason, None, now_ms))

    async def tidy(self) -> None:
        before = self._now_ms() - KEPT_MS
        await self._together.write(
            lambda conn: (
                conn.execute(
                    "DELETE FROM slots WHERE (person, kind, day) IN (SELECT person, kind, day FROM"
                    " (SELECT person, kind, day, at_ms, row_number() OVER (PARTITION BY person ORDER BY at_ms DESC) AS place"
                    " FROM slots) WHERE place > ? AND at_ms < ?)",
                    (KEPT_ROWS, before),
                ).rowcount
            )
        )

    def _now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)


def _keep(
    conn: sqlite3.Connection,
    slots: Sequence[Marked],
    state: SlotState,
    reason: str,
    pos: int | None,
    now_ms: int,
) -> None:
    conn.executemany(
        "INSERT INTO slots(person, kind, day, mark, state, reason, outbox, at_ms) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason, outbox = excluded.outbox,"
        " at_ms = excluded.at_ms WHERE state NOT IN ('sent', 'uncertain')",
        [(one.person, one.kind, one.day, mark, state.value, reason, pos, now_ms) for one, mark in slots],
    )
