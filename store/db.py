"""SQLite's only door: `read(fn)` and `write(fn)`, each one hop to the connection's thread.

`write` runs one synchronous function between BEGIN IMMEDIATE and COMMIT, under one lock and shielded
from cancellation, so no second task can slip a statement in or be rolled back with somebody else's.
The first sign of damage makes the database read-only until the next start; no file is ever deleted or
recreated. What can be read but not written (a full disk, a read-only folder) is read; each write tries anew.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import aiosqlite

from store.errors import Damaged, DatabaseCorrupt, NiannianError
from store.opening import Opened, close_file, empty_log, mark, open_file, state_of
from store.schema import Migration
from store.sql import DEFAULT_FACTORY, ConnectionFactory, end_statements, settle, transaction, translated

T = TypeVar("T")


class Database:
    """One SQLite file. Safe for any number of tasks of one event loop."""

    def __init__(self, path: Path, open_again: Callable[[], Opened]) -> None:
        self.path = path
        self.refusal: NiannianError | None = None
        """Why nothing can be written now; None when it can."""
        self._open_again = open_again
        self._connection: aiosqlite.Connection
        self._lock = asyncio.Lock()
        self._running: set[asyncio.Task[object]] = set()
        self._marked = False
        self.resting = False
        """The file is closed until somebody reads or writes."""
        self.woken: Callable[[], None] = lambda: None
        """Called when it has been opened again."""
        self.writes = 0
        """How often something was changed since this was made."""

    @classmethod
    async def open(
        cls,
        path: Path,
        migrations: Sequence[Migration],
        *,
        backups: Path,
        factory: ConnectionFactory = DEFAULT_FACTORY,
    ) -> Database:
        """Opens or creates `path` and brings it to the newest schema, after a verified copy into `backups`.

        Raises NewerSchema, MigrationFailed, DatabaseCorrupt, ReadOnly, DiskFull, StoreFault. On any of
        them the files stay as they are.
        """
        database = cls(path, lambda: open_file(path, migrations, backups=backups, factory=factory))
        database._connection, database.refusal = await database._connect()
        return database

    @property
    def damaged(self) -> bool:
        return isinstance(self.refusal, Damaged)

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """`fn` sees one state of the database; it must not write."""
        async with self._lock:
            await self._need_open()
            return await self._hop(lambda conn: _unchanged(conn, fn))

    async def write(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Everything `fn` wrote is on disk when this returns, and nothing of it when it raises.

        A cancelled caller does not cancel the transaction. Raises Unavailable or Damaged; what `fn`
        itself raises goes through unchanged.
        """
        task: asyncio.Task[T] = asyncio.ensure_future(self._write(fn))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def _write(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        async with self._lock:
            await self._need_open()
            await self._need_marked()
            return await self._hop(lambda conn: self._counted(conn, fn))

    def _counted(self, conn: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
        before = conn.total_changes
        try:
            return transaction(conn, fn)
        finally:
            self.writes += conn.total_changes != before

    async def compact(self) -> None:
        """VACUUM, then empties the write-ahead log: erased bytes leave the disk.

        Raises StoreBusy while another process reads the log; nothing is lost then, but the bytes are still there.
        """
        async with self._lock:
            await self._need_open()
            await self._need_marked()
            await self._hop(_compact)

    async def rest(self, before: Callable[[], object]) -> None:
        """Closes the file until it is next used; `before` runs when nothing does. One that is refused stays as it is."""
        async with self._lock:
            if self.refusal is None and self._connection._running:
                before()
                self.resting = True
                await to_its_end(self._shut())

    async def close(self) -> None:
        """Waits for running writes, folds the write-ahead log in and closes. May be called twice.

        Whatever fails here is no loss: what was acknowledged is in the log, and the next start reads it. Who is
        cancelled here is so when it is done: a connection that is only dropped leaves its marker behind.
        """
        await to_its_end(self._close())

    async def _close(self) -> None:
        while self._running:
            await asyncio.wait(self._running)
        async with self._lock:
            self.resting = False
            await self._shut()

    async def _shut(self) -> None:
        if self._connection._running:
            if self.refusal is None or self._marked:
                await self._hop(lambda conn: close_file(conn, self.path))
            with suppress(sqlite3.Error):
                await self._connection.close()

    async def _need_open(self) -> None:
        """Opens what rested. Raises what `open` raises; it rests on then."""
        if self.resting:
            self._connection, self.refusal = await self._connect()
            self._marked = self.resting = False
            self.woken()

    async def _need_marked(self) -> None:
        """Comes before anything is written into the log."""
        await self._need_writable()
        if not self._marked:
            mark(self.path, await self._hop(state_of))
            self._marked = True

    async def _need_writable(self) -> None:
        """Opens anew what could only be read so far. Raises why it cannot be written."""
        if self.refusal is None:
            return
        if not isinstance(self.refusal, Damaged):
            connection, refusal = await self._connect()
            if refusal is None:
                self._connection, connection = connection, self._connection
            self.refusal = refusal
            await connection.close()
        if self.refusal is not None:
            raise type(self.refusal)(self.refusal.code, **self.refusal.facts)

    async def _connect(self) -> tuple[aiosqlite.Connection, NiannianError | None]:
        """All of the opening is one call on the new connection's own thread, which has ended if this raises.

        Who is cancelled meanwhile is so when that is done: what was opened for writing is closed as such.
        """
        outcome: list[Opened | BaseException] = []

        def connector() -> sqlite3.Connection:
            try:
                outcome.append(self._open_again())
            except BaseException as error:  # aiosqlite would leave its thread behind; it is handed over below
                outcome.append(error)
            return outcome[0].connection if isinstance(outcome[0], Opened) else sqlite3.connect(":memory:")

        connection = aiosqlite.Connection(connector, iter_chunk_size=1)
        connection._thread.daemon = True  # a connection nobody closed must not keep the process alive

        async def give_up() -> None:
            if isinstance(outcome[0], Opened) and outcome[0].refusal is None:
                opened = outcome[0].connection
                await connection._execute(lambda: close_file(opened, self.path))  # type: ignore[no-untyped-call]
            await connection.close()

        try:
            await to_its_end(_connected(connection))
        except asyncio.CancelledError:
            await to_its_end(give_up())
            raise
        if isinstance(outcome[0], Opened):
            return connection, outcome[0].refusal
        await to_its_end(give_up())
        raise outcome[0]

    async def _hop(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Runs `fn` whole on the connection's thread (aiosqlite is pinned for this private call)."""
        try:
            with translated(self.path):
                result: T = await self._connection._execute(fn, self._connection._conn)  # type: ignore[no-untyped-call]
                return result
        except DatabaseCorrupt as error:
            self.refusal = self.refusal or DatabaseCorrupt(error.code, **error.facts)
            raise

    def _ended(self, task: asyncio.Task[T]) -> None:
        self._running.discard(task)
        with suppress(asyncio.CancelledError):
            task.exception()  # its caller may be gone; asyncio need not report it as lost


async def to_its_end(work: Coroutine[object, object, T]) -> T:
    """Who waits here and is cancelled meanwhile is so when `work` is done."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # its waiter is gone; asyncio need not report it as lost
        raise cancelled
    return task.result()


async def _connected(connection: aiosqlite.Connection) -> None:
    await connection


def _unchanged(conn: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
    settle(conn)
    before = conn.total_changes
    try:
        result = fn(conn)
    except BaseException as error:
        end_statements(error)
        raise
    assert conn.total_changes == before and not conn.in_transaction, "a read wrote"
    return result


def _compact(conn: sqlite3.Connection) -> None:
    settle(conn)
    conn.execute("VACUUM")
    empty_log(conn)
