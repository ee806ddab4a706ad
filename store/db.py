"""SQLite's only door: `read(fn)` and `write(fn)`, each one hop to the connection's thread.

`write` runs one synchronous function between BEGIN IMMEDIATE and COMMIT, under one lock and shielded
from cancellation, so no second task can slip a statement in or be rolled back with somebody else's.
Vendor errors are translated here and nowhere else. The first sign of damage makes the database
read-only until the next start; no file is ever deleted or recreated.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import aiosqlite

from store.errors import (
    DatabaseCorrupt,
    DiskFull,
    MigrationFailed,
    NewerSchema,
    NiannianError,
    ReadOnly,
    StoreBusy,
    StoreFault,
)
from store.schema import Migration

T = TypeVar("T")
ConnectionFactory = type[sqlite3.Connection]
DEFAULT_FACTORY: ConnectionFactory = sqlite3.Connection

BUSY_TIMEOUT_MS = 5000
_SETTINGS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -512",
    "PRAGMA trusted_schema = OFF",
)


class Database:
    """One SQLite file. Safe for any number of tasks of one event loop."""

    def __init__(self, path: Path, connection: aiosqlite.Connection, *, opened_marker: Path) -> None:
        self.path = path
        self.damaged = False
        self._connection = connection
        self._lock = asyncio.Lock()
        self._running: set[asyncio.Task[object]] = set()
        self._marker = opened_marker
        self._marked = False

    @classmethod
    async def open(
        cls,
        path: Path,
        migrations: Sequence[Migration],
        *,
        backups: Path,
        factory: ConnectionFactory = sqlite3.Connection,
    ) -> Database:
        """Opens or creates `path` and brings it to the newest schema, after a verified copy into `backups`.

        Raises NewerSchema, MigrationFailed, DatabaseCorrupt, ReadOnly, DiskFull, StoreFault. On any of
        them the files stay as they are.
        """
        marker = path.with_name(path.name + "-open")
        lost_wal = _lost_wal(path, marker)
        connection = aiosqlite.connect(path, isolation_level=None, check_same_thread=False, factory=factory)
        with translated(path):
            opened = await _start(connection)
        database = cls(path, opened, opened_marker=marker)
        try:
            await database._hop(lambda conn: _prepare(conn, path, migrations, backups))
            if lost_wal:
                database.damaged = True
        except BaseException:
            await opened.close()
            raise
        return database

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """`fn` sees one state of the database; it must not write."""
        async with self._lock:
            return await self._hop(lambda conn: _unchanged(conn, fn))

    async def write(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Everything `fn` wrote is on disk when this returns, and nothing of it when it raises.

        A cancelled caller does not cancel the transaction. Raises Unavailable or Damaged; what `fn`
        itself raises goes through unchanged.
        """
        if self.damaged:
            raise DatabaseCorrupt(path=str(self.path))
        task: asyncio.Task[T] = asyncio.ensure_future(self._write(fn))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def _write(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        async with self._lock:
            if not self._marked:
                self._marked = True
                with suppress(OSError):
                    self._marker.touch(mode=0o600)
            return await self._hop(lambda conn: transaction(conn, fn))

    async def compact(self) -> None:
        """VACUUM, then empties the write-ahead log: erased bytes leave the disk."""
        async with self._lock:
            await self._hop(_compact)

    async def close(self) -> None:
        """Waits for running writes, folds the write-ahead log in and closes. May be called twice."""
        while self._running:
            await asyncio.wait(self._running)
        async with self._lock:
            if self._connection._running:
                await self._connection.close()
                if not self.damaged:
                    with suppress(OSError):
                        self._marker.unlink(missing_ok=True)

    async def _hop(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Runs `fn` whole on the connection's thread (aiosqlite is pinned for this private call)."""
        try:
            with translated(self.path):
                result: T = await self._connection._execute(fn, self._connection._conn)  # type: ignore[no-untyped-call]
                return result
        except DatabaseCorrupt:
            self.damaged = True
            raise


def _lost_wal(path: Path, marker: Path) -> bool:
    """A database that was not closed always has its write-ahead log beside it, unless somebody took it away."""
    return marker.exists() and path.exists() and not path.with_name(path.name + "-wal").exists()


async def _start(connection: aiosqlite.Connection) -> aiosqlite.Connection:
    connection._thread.daemon = True  # a connection nobody closed must not keep the process alive
    return await connection


def _unchanged(conn: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
    before = conn.total_changes
    result = fn(conn)
    assert conn.total_changes == before and not conn.in_transaction, "a read wrote"
    return result


def transaction(conn: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
    conn.execute("BEGIN IMMEDIATE")
    try:
        result = fn(conn)
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            with suppress(sqlite3.Error):
                conn.execute("ROLLBACK")
        raise
    return result


def _compact(conn: sqlite3.Connection) -> None:
    conn.execute("VACUUM")
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _prepare(conn: sqlite3.Connection, path: Path, migrations: Sequence[Migration], backups: Path) -> None:
    for setting in _SETTINGS:
        conn.execute(setting).fetchall()
    version: int = conn.execute("PRAGMA user_version").fetchone()[0]
    newest = migrations[-1].number
    if version > newest:
        raise NewerSchema(found=version, known=newest, path=str(path))
    copy = backups / f"{path.parent.name}-{path.stem}-before-{newest}.db"
    if version == newest:
        copy.unlink(missing_ok=True)  # the migration has proved itself: this is a clean later start
        return
    if version > 0:
        back_up(conn, copy)
    for migration in migrations:
        if migration.number > version:
            migrate(conn, migration, copy)


def migrate(conn: sqlite3.Connection, migration: Migration, copy: Path) -> None:
    """One migration in one transaction, its number included. Raises MigrationFailed; nothing is changed then."""

    def steps(inner: sqlite3.Connection) -> None:
        for step in migration.steps:
            if isinstance(step, str):
                inner.execute(step)
            else:
                step(inner)
        inner.execute(f"PRAGMA user_version = {migration.number}")

    try:
        transaction(conn, steps)
    except (sqlite3.Error, NiannianError) as error:
        if isinstance(error, sqlite3.Error) and _primary(error) in _KINDS:
            raise  # a full disk is no fault of the migration
        raise MigrationFailed(number=migration.number, copy=str(copy)) from error


def back_up(conn: sqlite3.Connection, copy: Path) -> None:
    """A checked copy of the whole database at `copy`. Raises MigrationFailed when the copy does not check out."""
    copy.parent.mkdir(mode=0o700, exist_ok=True)
    copy.unlink(missing_ok=True)
    target = sqlite3.connect(copy)
    try:
        conn.backup(target)
        intact = target.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        tables = [row[0] for row in target.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        same = all(_count(conn, name) == _count(target, name) for name in tables if name == "changes")
    finally:
        target.close()
    copy.chmod(0o600)
    if not (intact and same):
        raise MigrationFailed(number=0, copy=str(copy))


def _count(conn: sqlite3.Connection, table: str) -> int:
    count: int = conn.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    return count


_KINDS: dict[int, type[NiannianError]] = {
    sqlite3.SQLITE_FULL: DiskFull,
    sqlite3.SQLITE_READONLY: ReadOnly,
    sqlite3.SQLITE_PERM: ReadOnly,
    sqlite3.SQLITE_CANTOPEN: ReadOnly,
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_IOERR: StoreFault,
    sqlite3.SQLITE_CORRUPT: DatabaseCorrupt,
    sqlite3.SQLITE_NOTADB: DatabaseCorrupt,
}


def _primary(error: sqlite3.Error) -> int:
    """The primary result code (https://sqlite.org/rescode.html): the low byte of the extended one."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as ours. A programming error (bad SQL) stays what it is: a bug."""
    try:
        yield
    except sqlite3.Error as error:
        kind = _KINDS.get(_primary(error))
        if kind is None:
            raise
        raise kind(path=str(path)) from error
