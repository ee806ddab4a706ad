"""The only loop of sync: brings in, judges, stores, seals, sends. One scope at a time.

Order of everything: one store transaction, then the transport. What comes in is committed together with its
place in the chain; what goes out is committed before it is published and published again as these very bytes.
The engine holds no truth: throw it away between any two steps and the next pass goes on from the rows.
"""

from __future__ import annotations

from store.memory import Memory
from store.ports import Clock, Entropy
from sync import roster as rosters
from sync import state
from sync.following import known_secrets, learn_secrets, take_roster
from sync.incoming import bring_in, take_baseline
from sync.keys import DeviceKeys
from sync.outgoing import clear_streams, read_back, send
from sync.ports import KeyStore, Transport
from sync.rescue import publish_wraps
from sync.session import Session
from sync.work import Progress, Report, Work


def silent(_received: int, _sent: int) -> None:
    """Nobody watches."""


class Engine:
    """Sync of the scopes of one device over one transport. `memory` is given per call: the engine opens nothing."""

    def __init__(
        self, keys: DeviceKeys, store: KeyStore, transport: Transport, *, clock: Clock, entropy: Entropy
    ) -> None:
        self._keys = keys
        self._store = store
        self._transport = transport
        self._clock = clock
        self._entropy = entropy

    async def sync(self, memory: Memory, progress: Progress = silent) -> Report:
        """One pass over one scope: in, then out. Raises TransportDown and what the store raises."""
        async with memory.syncing:
            return await self._pass(memory, progress)

    async def _pass(self, memory: Memory, progress: Progress) -> Report:
        report = Report()
        rows: state.Rows = await memory.sync_rows()
        if not state.roster_entries(rows):
            return report
        rows, heads = await take_roster(memory, self._transport, self._keys.device_id, rows, report)
        work = await self._work(memory, rows, report, heads, progress)
        if work is None:
            return report  # removed, or a copy that nobody has let in
        await learn_secrets(work)
        report.rebased = await take_baseline(work)  # a part of it, or a person's word, came since
        news = await bring_in(work)
        await memory.finish_erasing()  # whatever we seal says that it is done
        if not report.roster_fork:
            if state.LOST in rows:
                await memory.carry_lost({state.LOST: None})
            await publish_wraps(memory, self._store, self._transport)
            await send(work, news=news or report.rebased)
            await clear_streams(work)
        report.dropped.update(work.session.dropped)
        return report

    async def read(self, memory: Memory) -> Report:
        """One pass in, for a device that does not belong and holds the secrets all the same: a recovery begins so."""
        report = Report()
        rows = await memory.sync_rows()
        work = await self._made(memory, rows, rosters.read_chain(state.roster_entries(rows)), report, set(), silent)
        report.rebased = await take_baseline(work)
        await bring_in(work)
        report.dropped.update(work.session.dropped)
        return report

    async def is_used_elsewhere(self, memory: Memory) -> bool:
        """Whether our own stream holds what we never wrote: this home was put back. Raises TransportDown."""
        rows = await memory.sync_rows()
        if not state.roster_entries(rows):
            return False
        work = await self._work(memory, rows, Report(), set(), silent)
        if work is not None:
            await read_back(work)
        return work is not None and work.report.elsewhere

    async def _work(
        self, memory: Memory, rows: state.Rows, report: Report, heads: set[bytes], progress: Progress
    ) -> Work | None:
        """None when this device does not belong."""
        roster = rosters.read_chain(state.roster_entries(rows))
        if self._keys.device_id not in roster.current():
            return None
        return await self._made(memory, rows, roster, report, heads, progress)

    async def _made(
        self,
        memory: Memory,
        rows: state.Rows,
        roster: rosters.Roster,
        report: Report,
        heads: set[bytes],
        progress: Progress,
    ) -> Work:
        me = self._keys.device_id
        generation = await memory.generation()
        secrets = known_secrets(self._store, roster)
        session = Session(me, roster, secrets, state.chains(rows), state.forked(rows), generation)
        return Work(
            memory, session, generation, self._keys, self._store, self._transport, self._clock, self._entropy,
            report, progress, heads,
        )  # fmt: skip
