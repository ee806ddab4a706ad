"""One state of each database, copied beside whoever is writing to it, and looked over.

SQLite's own copying, out of one read transaction a file: it sees one state from its first page to its last, and holds
up nobody who writes.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from store import device
from store.age import Stream
from store.errors import DatabaseCorrupt, NewerSchema, Unavailable
from store.examine import damage
from store.opening import BUSY_TIMEOUT_MS, log_trouble
from store.packing import PIECE_BYTES, Part
from store.schema import DEVICE_MIGRATIONS, MEMORY_MIGRATIONS
from store.sql import translated
from store.view import View

PAGES_AT_ONCE = 1024
STEPS_AT_ONCE = 100_000
_LOOKS = 5
_ALONE = "mode=ro&immutable=1"


def copy_database(
    path: Path, copy: Path, stopped: Callable[[], bool] = lambda: False, *, open_here: bool = False
) -> None:
    """One state of the database at `path`, whoever is writing to it meanwhile. Raises Damaged, Unavailable."""
    trouble = log_trouble(path, open_here=open_here)
    for _ in range(_LOOKS):  # a program that is just closing takes the log and its marker away, one after the other
        if trouble is None:
            break
        trouble = log_trouble(path, open_here=open_here)
    if trouble is not None:
        raise trouble
    write(copy, b"")
    with translated(path), closing(_reading(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on it sees one state
        target.execute("PRAGMA journal_mode = OFF").fetchall()
        target.execute("PRAGMA synchronous = OFF")
        source.backup(target, pages=PAGES_AT_ONCE, progress=lambda *_: go_on(stopped))
        source.execute("ROLLBACK")


def _reading(path: Path) -> sqlite3.Connection:
    """Read-only; in a folder that only reads, where SQLite can keep no log, the file alone is the whole truth."""
    for how in ("mode=ro", _ALONE):
        conn = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None)
        try:
            conn.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}").fetchall()
            conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return conn
        except sqlite3.OperationalError as error:
            conn.close()
            if how == _ALONE or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN:
                raise
    raise AssertionError


def installation_of(path: Path) -> tuple[str, str, int, set[str]]:
    """(device, instance, number of groups, scopes that were made) of a copy."""
    with attached(path) as conn:
        facts = dict(conn.execute("SELECT key, value FROM found.installation WHERE key IN ('device', 'instance')"))
        rows = conn.execute("SELECT scope, kind FROM found.scopes WHERE made = 1 AND length(scope) = 32").fetchall()
        groups = sum(kind == "group" for _, kind in rows)
        return facts.get("device", ""), facts.get("instance", ""), groups, {scope for scope, _ in rows}


def part_of(folder: Path, name: str, stopped: Callable[[], bool] = lambda: False) -> Part:
    """Looks a database over. Raises DatabaseCorrupt for one that is not whole, NewerSchema."""
    path = folder / name
    newest = (DEVICE_MIGRATIONS if name == device.DATABASE else MEMORY_MIGRATIONS)[-1].number
    with attached(path) as conn:
        conn.set_progress_handler(stopped, STEPS_AT_ONCE)
        try:
            wrong = damage(conn)
        except sqlite3.OperationalError:
            go_on(stopped)
            raise
        if wrong:
            raise DatabaseCorrupt(path=name)
        schema: int = conn.execute("PRAGMA found.user_version").fetchone()[0]
        if schema > newest:
            raise NewerSchema(found=schema, known=newest, path=name)
        entries = 0 if name == device.DATABASE else _count(conn)
    return replace(file_part(folder, name), schema=schema, entries=entries)


@contextmanager
def attached(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection with the file, of which nobody else knows, as `found`. Nothing is written."""
    with translated(path), closing(sqlite3.connect(":memory:", isolation_level=None, uri=True)) as conn:
        conn.execute("PRAGMA trusted_schema = OFF")
        conn.execute("ATTACH ? AS found", (f"{path.absolute().as_uri()}?{_ALONE}",))
        yield conn


def _count(conn: sqlite3.Connection) -> int:
    """Entries as a person counts them; a memory that waits for its upgrade may not say."""
    try:
        return View(conn).count()
    except sqlite3.OperationalError:
        return 0


def file_part(folder: Path, name: str) -> Part:
    digest = hashlib.sha256()
    size = 0
    for piece in pieces(folder / name):
        digest.update(piece)
        size += len(piece)
    return Part(name, size, digest.hexdigest())


def pieces(path: Path, stopped: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            go_on(stopped)
            yield piece


def write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)


# giving up


class Stoppable:
    def __init__(self, source: Stream, stopped: Callable[[], bool]) -> None:
        self._source, self._stopped = source, stopped

    def read(self, size: int, /) -> bytes:
        go_on(self._stopped)
        return self._source.read(size)


def go_on(stopped: Callable[[], bool]) -> None:
    if stopped():
        raise Unavailable("error-backup-stopped")
