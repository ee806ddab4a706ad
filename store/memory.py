"""One scope's memory: what others open, ask and write.

Every message is one `turn`: a synchronous function gets a `Writer`, reads what it needs, says what is to
be kept, and all of it is on disk when `turn` returns. If anything in it fails, the documents in memory
*and their actor id* are thrown away: otherwise every later save would depend on a change nobody has.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import TypeVar

from store import erase, index, unite, vectors
from store.changes import Json, Key, parse_register_key
from store.chunk import parse_change
from store.db import Database
from store.document import Change
from store.documents import Documents, generation_of
from store.errors import NiannianError, ReadOnly
from store.fold import BAN
from store.foreign import Foreign, hidden_in, read_baseline, take
from store.grants import ScopeGrant
from store.model import NOBODY, ScopeKind
from store.own_rows import UNDO_MS
from store.ports import Clock, Entropy
from store.projection import is_banned, project, rebuild_tables
from store.schema import MEMORY_MIGRATIONS, STALE, is_stale
from store.sql import DEFAULT_FACTORY, ConnectionFactory
from store.vectors import Matrices, Reach, Vector, Wanted
from store.view import View
from store.writer import Writer

T = TypeVar("T")

DATABASE = "memory.db"


@dataclass(frozen=True, slots=True)
class FeedItem:
    """One change of the log, as others read it."""

    pos: int
    doc: str
    """With its generation: `<doc>~<generation>`."""
    change: Change
    origin: str


class Memory:
    """Opened only with a `ScopeGrant`; holds exactly one scope. Safe for many tasks of one event loop."""

    def __init__(
        self, grant: ScopeGrant, database: Database, *, device_id: bytes, clock: Clock, entropy: Entropy
    ) -> None:
        assert isinstance(grant, ScopeGrant)
        self.scope = grant.scope
        self.kind = grant.kind
        self.database = database
        self._device = device_id
        self._clock = clock
        self._entropy = entropy
        self._documents = Documents(device_id, entropy)
        self._matrices = Matrices()
        self.syncing = asyncio.Lock()
        """Held by whoever reads the opaque rows of sync to write others by them."""
        self._looked_ms = 0
        self._next_due_ms = 0
        """When erasing was last looked for in vain, and when the next is due."""

    @classmethod
    async def open(
        cls,
        grant: ScopeGrant,
        folder: Path,
        *,
        backups: Path,
        device_id: bytes,
        clock: Clock,
        entropy: Entropy,
        factory: ConnectionFactory = DEFAULT_FACTORY,
    ) -> Memory:
        """Opens `folder`/memory.db. `device_id`: 16 bytes. Raises Unavailable or Damaged."""
        database = await Database.open(folder / DATABASE, MEMORY_MIGRATIONS, backups=backups, factory=factory)
        memory = cls(grant, database, device_id=device_id, clock=clock, entropy=entropy)
        try:
            await memory._rebuild_if_stale()
        except BaseException:
            await database.close()
            raise
        return memory

    async def turn(self, fn: Callable[[Writer], T]) -> T:
        """Runs `fn` in one transaction. What it raises undoes everything it wrote."""
        return await self._write(lambda conn: self._with_writer(conn, fn))

    async def turn_if_it_writes(self, fn: Callable[[Writer], T]) -> T:
        """As `turn`, for what mostly writes nothing: it is tried where nothing can be written, and a turn only if it must.

        `fn` may run twice. A turn costs flushes of the disk even when nothing has changed: the file is marked before it.
        """

        def dry(conn: sqlite3.Connection) -> T:
            conn.execute("PRAGMA query_only = ON")
            try:
                return self._with_writer(conn, fn)
            except BaseException:
                self._documents.forget()
                raise
            finally:
                conn.execute("PRAGMA query_only = OFF")

        try:
            return await self.database.read(dry)
        except ReadOnly:
            return await self.turn(fn)

    async def look(self, fn: Callable[[Writer], T], refusal: NiannianError) -> T:
        """Runs `fn` when nothing can be stored: its effects raise `refusal`, its notes are skipped."""
        return await self.database.read(lambda conn: fn(self._writer(conn, refusal)))

    async def read(self, fn: Callable[[View], T]) -> T:
        return await self.database.read(lambda conn: fn(View(conn, self._matrices)))

    async def changes_after(self, pos: int, limit: int) -> list[FeedItem]:
        """The log after `pos`, in order, at most `limit`: the feed for other devices."""

        return await self.database.read(lambda conn: _feed(conn, pos, limit))

    async def receive(self, foreign: Sequence[Foreign], state: Mapping[str, bytes | None]) -> Counter[str]:
        """Foreign changes and opaque rows of sync (None deletes one) in one transaction.

        Gives how many changes were refused, by the code of the check. The changes' senders must be proved already.
        """

        def run(writer: Writer) -> Counter[str]:
            generation = generation_of(writer.conn)
            taken = take(writer.conn, foreign, generation)
            for doc in taken.documents:
                self._documents.grown(writer.conn, doc, taken.parsed)
            writer.carry(taken.carried)
            writer.carry_apart(dict.fromkeys(taken.orphans))
            writer.note_hidden(taken.hidden)
            _keep_rows(writer.conn, state)
            return taken.refused

        return await self.turn(run)

    async def carry_beyond(self, cuts: Mapping[str, int], state: Mapping[str, bytes | None]) -> None:
        """Sets again under this device's name what it took of authors (hex) behind a number of their envelopes."""

        def run(writer: Writer) -> None:
            for author, cut in cuts.items():
                where = "author = ? AND number > ? ORDER BY pos"
                rows = writer.conn.execute(f"SELECT bytes FROM changes WHERE {where}", (author, cut)).fetchall()
                writer.carry_apart(dict.fromkeys(key for (data,) in rows for key in parse_change(data).keys))
            _keep_rows(writer.conn, state)

        await self.turn(run)

    async def renew(self, lane: str, state: Mapping[str, bytes | None]) -> None:
        """This copy belongs to a new device from now on: what the old one said is no more its own to send."""

        def run(conn: sqlite3.Connection) -> None:
            self._documents.forget()
            conn.execute("INSERT OR REPLACE INTO copy VALUES('lane', ?)", (lane,))
            conn.execute("UPDATE changes SET origin = 'was' WHERE origin = 'own'")
            _keep_rows(conn, state)

        await self._write(run)

    async def enter(self, lane: str) -> None:
        """This device counts its labels in `lane` from now on, as the scope's roster has given it."""

        def run(writer: Writer) -> None:
            writer.conn.execute("INSERT OR REPLACE INTO copy VALUES('lane', ?)", (lane,))
            writer.set("meta", f"lane/{self._device[:8].hex()}", lane, by=NOBODY)

        await self.turn(run)

    async def carry_lost(self, state: Mapping[str, bytes | None]) -> None:
        """Sets again under this device's name what only the device that it was before has said."""

        def run(writer: Writer) -> None:
            if writer.conn.execute("SELECT 1 FROM changes WHERE origin = 'was'").fetchone() is None:
                _keep_rows(writer.conn, state)
                return
            keys: dict[bool, dict[Key, None]] = {True: {}, False: {}}
            for was, data in writer.conn.execute("SELECT origin = 'was', bytes FROM changes ORDER BY pos").fetchall():
                keys[bool(was)] |= dict.fromkeys(parse_change(data).keys)
            lost = (key for key in keys[True] if key not in keys[False])
            writer.carry_apart(key for key in lost if not is_banned(writer.conn, key.record))
            writer.conn.execute("UPDATE changes SET origin = 'peer' WHERE origin = 'was'")
            _keep_rows(writer.conn, state)

        await self.turn(run)

    async def unite(self, other: Memory, *, again: bool = False) -> None:
        """Takes over all that `other` holds, under the same record keys; bans of either count. Repeats do nothing.

        Settings and the people of `other` stay behind; its talks come along, for this copy to search. `again`: takes
        over what was said in `other` since it was united.
        """
        keys = await other.read(lambda view: unite.keys_of(view.conn))
        talks = await other.read(lambda view: unite.talks_of(view.conn))

        def run(writer: Writer) -> None:
            if again:
                late = list(unite.missing(writer.conn, keys))
                writer.carry(late)
                writer.note_hidden(hidden_in(late))
            elif writer.note(f"united/{other.scope}") is None:
                writer.carry(unite.missing(writer.conn, keys))
                writer.note_hidden(hidden_in(keys))
                unite.keep_talks(writer.conn, talks)
                writer.keep_note(f"united/{other.scope}", "{}")

        await self.turn(run)

    async def erase_like(self, other: Memory) -> int:
        """Erases for good what was erased in `other`, into which this memory was united."""
        bans = await other.read(lambda view: [row[0] for row in view.conn.execute(unite.BANNED)])

        def run(conn: sqlite3.Connection) -> None:
            here = [(record,) for record in bans if erase.is_here(conn, record)]
            conn.executemany("INSERT OR REPLACE INTO erasing VALUES(?, 0)", here)

        await self._write(run)
        self._looked_ms = 0
        return await self.erase_due()

    async def take_bans(self, bans: Sequence[Key], elsewhere: Sequence[Key] = ()) -> None:
        """What was erased for good in a later state of this memory is so here, too. `bans`: as `unite.bans_of` gives them.

        `elsewhere`: those of other memories, which count for what is here and are not kept otherwise. Where several
        devices share the scope, all of it is out of sight at once, and the bytes go when it is founded anew.
        """

        def is_here(conn: sqlite3.Connection, ban: Key) -> bool:
            field = parse_register_key(ban.key).field
            return field.startswith(BAN) and erase.is_here(conn, field.removeprefix(BAN))

        def run(writer: Writer) -> list[Key]:
            conn = writer.conn
            wanted = [*bans, *(ban for ban in elsewhere if is_here(conn, ban))]
            here = [parse_register_key(ban.key).field.removeprefix(BAN) for ban in wanted if is_here(conn, ban)]
            conn.executemany("INSERT OR REPLACE INTO erasing VALUES(?, 0)", [(record,) for record in here])
            if _is_shared(conn):
                erase.forget_banned(conn, here)
            return wanted

        wanted = await self.turn(run)
        self._looked_ms = 0
        await self.erase_due()
        await self.turn(lambda writer: writer.carry(list(unite.missing(writer.conn, wanted))))

    async def missing_vectors(
        self, table: str, model: str, reach: Reach | None, limit: int
    ) -> tuple[list[Wanted], Reach]:
        """As `vectors.missing`."""
        return await self.database.read(lambda conn: vectors.missing(conn, table, model, reach, limit))

    async def keep_vectors(self, model: str, wanted: Sequence[Wanted], rows: Vector) -> None:
        """As `vectors.keep`."""
        await self.database.write(lambda conn: vectors.keep(conn, model, wanted, rows))

    async def vectors_epoch(self) -> str:
        """As `vectors.epoch`."""
        return await self.database.read(vectors.epoch)

    async def generation(self) -> int:
        """How often this scope was founded anew by erasing; from 1."""
        return await self.database.read(generation_of)

    async def sync_rows(self, prefix: str = "", *, after: str = "") -> dict[str, bytes]:
        """As `View.sync_rows`."""
        return await self.read(lambda view: view.sync_rows(prefix, after=after))

    async def found(self, *, lane: str, kind: ScopeKind, settings: Mapping[str, str]) -> None:
        """Fills a scope that was just made: what it is, this device's lane, its first settings. Repeats do nothing.

        With a lane another device has founded it: what it is and how it is set will come from there.
        """

        def first(writer: Writer) -> None:
            writer.conn.execute("INSERT OR IGNORE INTO copy VALUES('lane', ?)", (lane,))
            writer.conn.execute("INSERT OR IGNORE INTO copy VALUES('generation', '1')")
            own = {f"lane/{self._device[:8].hex()}": lane} | ({} if lane else {"kind": kind.value})
            for name, value in own.items():
                if writer.register("meta", name) is None:
                    writer.set("meta", name, value, by=NOBODY)
            for name, value in ({} if lane else settings).items():
                if writer.register("settings", name) is None:
                    writer.set("settings", name, value, by=NOBODY)

        await self.turn(first)

    async def describe(self, meta: Mapping[str, Json]) -> None:
        """Makes the registers of `meta` say this; writes only where they say something else."""

        def differs(view: View) -> dict[str, Json]:
            known = view.registers("meta")
            return {name: value for name, value in meta.items() if name not in known or known[name].value != value}

        new = await self.read(differs)
        if new:
            await self.turn(lambda writer: [writer.set("meta", name, value, by=NOBODY) for name, value in new.items()])

    async def erase_due(self, *, now: bool = False) -> int:
        """Erases for good what is due; gives how many records. Also finishes an erasing that was cut off.

        `now`: whatever is hidden, though it could still be undone. A scope that sync keeps rows of is founded anew by one of its devices for all (`found_anew`).
        """
        now_ms = self._now_ms() + (UNDO_MS if now else 0)
        if not now and self._looked_ms <= now_ms < self._looked_ms + UNDO_MS and now_ms < self._next_due_ms:
            return 0  # what is hidden later is due later still: no look is needed before every message

        def look(conn: sqlite3.Connection) -> tuple[bool, int | None]:
            alone = not _is_shared(conn)
            waiting = _compact_due(conn) or (alone and bool(erase.due(conn, now_ms)))
            return waiting, erase.next_due_ms(conn) if alone else None

        self._looked_ms = 0
        waiting, next_ms = await self.database.read(look)
        if not waiting:
            self._looked_ms, self._next_due_ms = now_ms, next_ms or now_ms + UNDO_MS
            return 0
        erased = await self._write(lambda conn: self._erase_alone(conn, now_ms))
        await self.compact()
        return erased

    async def found_anew(
        self,
        generation: int,
        *,
        hidden_before_ms: int | None,
        rows: Callable[[Sequence[FeedItem]], Mapping[str, bytes | None]],
        always: bool = False,
    ) -> int | None:
        """Founds the scope anew as `generation`, without what was hidden before that moment (None: with everything).

        `rows`: from the new log, what sync keeps with it, in the same transaction. Gives how many records were
        erased; None: with nothing due, and not `always`, nothing was done. The bytes leave the disk with `compact`.
        """

        def run(conn: sqlite3.Connection) -> int | None:
            records = [] if hidden_before_ms is None else erase.due(conn, hidden_before_ms + UNDO_MS)
            if not records and not always:
                return None
            self._erase(conn, records, generation)
            _keep_rows(conn, rows(_feed(conn, 0, -1)))
            return len(records)

        return await self._write(run)

    def _erase_alone(self, conn: sqlite3.Connection, now_ms: int) -> int:
        records = [] if _is_shared(conn) else erase.due(conn, now_ms)
        if records:
            self._erase(conn, records, generation_of(conn) + 1)
        return len(records)

    def _erase(self, conn: sqlite3.Connection, records: Sequence[str], generation: int) -> None:
        self._begin_generation(conn, generation)
        erase.erase(
            conn,
            records,
            now_ms=self._now_ms(),
            device=self._device[:8].hex(),
            found=lambda doc, groups: self._documents.found(f"{doc}~{generation}", groups),
        )

    async def take_baseline(
        self, generation: int, foreign: Sequence[Foreign], state: Mapping[str, bytes | None]
    ) -> None:
        """Another device has founded the scope anew as `generation`: its changes ∪ what is here − what it banned.

        What they lack is set again under this device's name. The bytes leave the disk with `compact`. Raises
        Malformed when a change is unsound; then nothing is changed.
        """
        baseline = read_baseline(foreign, generation)

        def run(writer: Writer) -> None:
            self._begin_generation(writer.conn, generation)
            writer.carry(erase.accept(writer.conn, baseline))
            parsed = {change.hash: change for _, change, _ in baseline.changes}
            for doc in {doc for doc, _, _ in baseline.changes}:
                self._documents.grown(writer.conn, doc, parsed)
            _keep_rows(writer.conn, state)

        await self.turn(run)

    async def would_erase(self, foreign: Sequence[Foreign], generation: int) -> tuple[int, int]:
        """How many records that are still shown here a baseline would erase, and of how many. Raises Malformed."""
        bans = read_baseline(foreign, generation).bans()

        def count(view: View) -> tuple[int, int]:
            shown = {
                row[0]
                for table in ("entries", "tasks")
                for row in view.conn.execute(f"SELECT id FROM {table} WHERE hidden = 0")
            }
            return len(shown & bans), len(shown)

        return await self.read(count)

    def _begin_generation(self, conn: sqlite3.Connection, generation: int) -> None:
        conn.execute("INSERT OR REPLACE INTO copy VALUES('generation', ?)", (str(generation),))
        self._documents.forget()

    async def finish_erasing(self) -> None:
        """Lets the bytes of what was erased leave the disk, where that was cut off. Raises what the database raises."""
        if await self.database.read(_compact_due):
            await self.compact()

    async def compact(self) -> None:
        """Lets the bytes of what was erased leave the disk."""
        await self.database.compact()
        await self._write(lambda conn: conn.execute("DELETE FROM copy WHERE key = ?", (erase.COMPACT_MARK,)))
        await self.database.compact()

    async def next_erasing_ms(self) -> int | None:
        return await self.database.read(erase.next_due_ms)

    async def rebuild(self) -> None:
        """Drops every projection and makes it anew from the log. Raises DocumentCorrupt; then nothing is changed."""

        def run(conn: sqlite3.Connection) -> None:
            self._documents.forget()
            rebuild_tables(conn)
            for (doc,) in conn.execute("SELECT doc FROM changes GROUP BY doc ORDER BY min(pos)").fetchall():
                project(conn, doc, self._documents.load(conn, doc).keys())
                for (data,) in conn.execute("SELECT bytes FROM changes WHERE doc = ? AND admitted = 0", (doc,)):
                    project(conn, doc, parse_change(data).keys)
            index.turns_anew(conn, index.talks(conn))
            conn.execute("DELETE FROM copy WHERE key = ?", (STALE,))

        await self._write(run)

    async def _rebuild_if_stale(self) -> None:
        """After an upgrade. Where nothing can be written the old tables do not fit this program: then why not is raised."""
        if await self.database.read(is_stale):
            await self.rebuild()

    async def rest(self) -> None:
        """Closes its file and lets go of what it holds, until it is next used. Where something waits to be erased it stays."""
        if not await self.read(lambda view: _compact_due(view.conn) or erase.next_due_ms(view.conn) is not None):
            await self.database.rest(self._let_go)

    async def close(self) -> None:
        await self.database.close()

    def _let_go(self) -> None:
        self._documents.forget()
        self._matrices = Matrices()

    # all below runs on the database's thread

    async def _write(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        def guarded(conn: sqlite3.Connection) -> T:
            try:
                return fn(conn)
            except BaseException:
                self._documents.forget()
                raise

        return await self.database.write(guarded)

    def _with_writer(self, conn: sqlite3.Connection, fn: Callable[[Writer], T]) -> T:
        self._documents.forget_what_was_not_logged(conn)
        writer = self._writer(conn, None)
        result = fn(writer)
        writer.flush()
        return result

    def _writer(self, conn: sqlite3.Connection, refusal: NiannianError | None) -> Writer:
        return Writer(
            conn,
            now_ms=self._now_ms(),
            device=self._device[:8].hex(),
            entropy=self._entropy,
            commit=self._documents.commit,
            refusal=refusal,
            matrices=self._matrices,
        )

    def _now_ms(self) -> int:
        return int(self._clock.now().astimezone(UTC).timestamp() * 1000)


def _feed(conn: sqlite3.Connection, pos: int, limit: int) -> list[FeedItem]:
    generation = generation_of(conn)
    rows = conn.execute(
        "SELECT pos, doc, hash, bytes, origin FROM changes WHERE pos > ? ORDER BY pos LIMIT ?", (pos, limit)
    )
    return [FeedItem(p, f"{doc}~{generation}", Change(h, data), origin) for p, doc, h, data, origin in rows]


def _keep_rows(conn: sqlite3.Connection, state: Mapping[str, bytes | None]) -> None:
    """Opaque rows of sync; None deletes one."""
    kept = [row for row in state.items() if row[1] is not None]
    conn.executemany("INSERT OR REPLACE INTO sync_state VALUES(?, ?)", kept)
    conn.executemany("DELETE FROM sync_state WHERE key = ?", [(key,) for key, value in state.items() if value is None])


def _is_shared(conn: sqlite3.Connection) -> bool:
    return conn.execute("SELECT 1 FROM sync_state LIMIT 1").fetchone() is not None


def _compact_due(conn: sqlite3.Connection) -> bool:
    return conn.execute("SELECT 1 FROM copy WHERE key = ?", (erase.COMPACT_MARK,)).fetchone() is not None
