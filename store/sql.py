"""One transaction on one SQLite connection, the vendor's errors as ours, and the marks that stand for values."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager, suppress
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from pathlib import Path
from traceback import walk_tb
from typing import TypeVar

from store.errors import DatabaseCorrupt, DiskFull, NiannianError, ReadOnly, StoreBusy, StoreFault

T = TypeVar("T")
ConnectionFactory = type[sqlite3.Connection]
DEFAULT_FACTORY: ConnectionFactory = sqlite3.Connection


def transaction(conn: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
    """Runs `fn` between BEGIN IMMEDIATE and COMMIT; when anything raises, nothing of it stays."""
    settle(conn)
    conn.execute("BEGIN IMMEDIATE")
    try:
        result = fn(conn)
        conn.execute("COMMIT")
    except BaseException as error:
        end_statements(error)
        if conn.in_transaction:
            with suppress(sqlite3.Error):  # the first error is the one to tell; `settle` tries again
                conn.execute("ROLLBACK")
        raise
    return result


def end_statements(error: BaseException) -> None:
    """Lets go of the half-read cursors in the frames that `error` came through.

    As long as somebody holds the error they would live on, and no later transaction could be committed past them.
    An error that is raised a second time has also come through coroutines, which are only waiting: clearing would end them.
    """
    for frame, _ in walk_tb(error.__traceback__):
        if not frame.f_code.co_flags & (CO_COROUTINE | CO_GENERATOR | CO_ASYNC_GENERATOR):
            with suppress(RuntimeError):  # it still runs
                frame.clear()


def settle(conn: sqlite3.Connection) -> None:
    """Ends a transaction whose own rollback failed: nobody may read or commit what it left behind."""
    if conn.in_transaction:
        conn.execute("ROLLBACK")


_KINDS: dict[int, type[NiannianError]] = {
    sqlite3.SQLITE_FULL: DiskFull,
    sqlite3.SQLITE_READONLY: ReadOnly,
    sqlite3.SQLITE_PERM: ReadOnly,
    sqlite3.SQLITE_CANTOPEN: ReadOnly,
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_PROTOCOL: StoreBusy,
    sqlite3.SQLITE_IOERR: StoreFault,
    sqlite3.SQLITE_CORRUPT: DatabaseCorrupt,
    sqlite3.SQLITE_NOTADB: DatabaseCorrupt,
}
_DAMAGE_WITHOUT_CODE = ("vtable constructor failed", "Could not decode to UTF-8", "invalid fts5 file format")
"""How the full-text index and the binding say that what they read makes no sense."""
_FILE_KINDS: dict[int, type[NiannianError]] = {
    errno.ENOSPC: DiskFull,
    errno.EDQUOT: DiskFull,
    errno.EFBIG: DiskFull,
    errno.EROFS: ReadOnly,
    errno.EACCES: ReadOnly,
    errno.EPERM: ReadOnly,
}


def kind_of(error: sqlite3.Error) -> type[NiannianError] | None:
    """None for a programming error. The primary result code is the low byte (https://sqlite.org/rescode.html)."""
    kind = _KINDS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if kind is None and str(error).startswith(_DAMAGE_WITHOUT_CODE):
        return DatabaseCorrupt
    return kind


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's and the file system's errors as ours. A programming error (bad SQL) stays what it is: a bug."""
    try:
        yield
    except sqlite3.Error as error:
        kind = kind_of(error)
        if kind is None:
            raise
        raise kind(path=str(path)) from error
    except OSError as error:
        raise _FILE_KINDS.get(error.errno or 0, StoreFault)(path=str(path)) from error


def marks(values: Sized) -> str:
    """A question mark for each, to stand between the brackets of IN."""
    return ", ".join("?" * len(values))
