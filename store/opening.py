"""Opening one SQLite file: look first, touch later, and read what cannot be written.

| found                                    | opened                                                        |
| ---------------------------------------- | ------------------------------------------------------------- |
| nothing, or an empty file                | made                                                          |
| a sound file                             | for writing, after its migrations                             |
| no header, cut short, a newer schema     | not at all: the look is read-only, so every byte stays        |
| `-open` without `-wal` (taken away)      | for reading: what the log held is missing, writing would hide it |
| `-wal` without `-open` (not ours)        | for reading, past that log: SQLite would replay it into the file |
| `-open` that names another state         | the same: the file was exchanged for an older or a newer one  |
| a full disk, a folder that only reads    | for reading; each later write tries to open it for writing    |

`-open` stands beside the database whenever its write-ahead log may hold something. In it is the number of the state
that the log continues: `application_id` in the file's head, which becomes another whenever a log has been folded in.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from store.errors import DatabaseCorrupt, DiskFull, NewerSchema, NiannianError, ReadOnly, StoreBusy, StoreFault
from store.schema import Migration
from store.sql import DEFAULT_FACTORY, ConnectionFactory, kind_of, settle, translated
from store.upgrade import schema_version, upgrade

BUSY_TIMEOUT_MS = 5000
_STATE_AT = 68
"""Where the file's head has `application_id` (https://sqlite.org/fileformat2.html#application_id)."""
_READ_SETTINGS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -512",
    "PRAGMA trusted_schema = OFF",
)
_WRITE_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
)


@dataclass(frozen=True, slots=True)
class Opened:
    connection: sqlite3.Connection
    refusal: NiannianError | None
    """Why it can only be read; None when it can be written."""


def open_file(path: Path, migrations: Sequence[Migration], *, backups: Path, factory: ConnectionFactory) -> Opened:
    """Opens or creates `path`; brings it to the newest schema if it can be written.

    Raises NewerSchema, MigrationFailed, DatabaseCorrupt, ReadOnly, DiskFull, StoreFault; no file is changed then.
    """
    newest = migrations[-1].number
    with translated(path):
        missing = log_trouble(path)
        version = _look(path, factory, past_log=missing is not None)
        if version > newest:
            raise NewerSchema(found=version, known=newest, path=str(path))
        refusal = missing
        if refusal is None:
            try:
                return Opened(_writable(path, migrations, backups, factory), None)
            except (DiskFull, ReadOnly, StoreFault) as error:
                refusal = error
        if version != newest:
            raise refusal
        return Opened(readable(path, factory, past_log=missing is not None), refusal)


def open_marker(path: Path) -> Path:
    """Stands beside a database from its first write until it is closed."""
    return path.with_name(path.name + "-open")


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def log_size(path: Path) -> int:
    """Bytes in the write-ahead log; 0 when there is none."""
    try:
        return log_of(path).stat().st_size
    except FileNotFoundError:
        return 0


def mark(path: Path, state: int | None = None) -> None:
    """Comes before anything is written into the log. Raises what `translated` makes of a failure.

    `state`: the number in the file's head; a marker that is there already keeps what it says.
    """
    with translated(path):
        descriptor = os.open(open_marker(path), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if state is not None and not os.fstat(descriptor).st_size:
                os.write(descriptor, f"{state}\n".encode())
        finally:
            os.close(descriptor)


def state_of(conn: sqlite3.Connection) -> int:
    state: int = conn.execute("PRAGMA application_id").fetchone()[0]
    return state


def lost_wal(path: Path) -> bool:
    """A database that was not closed always has its write-ahead log beside it, unless somebody took it away."""
    return open_marker(path).exists() and _holds_something(path) and not log_of(path).exists()


def foreign_wal(path: Path) -> bool:
    """A log with something in it whose database was closed is left over from another time or place."""
    return _holds_something(path) and not open_marker(path).exists() and log_size(path) > 0


def exchanged(path: Path) -> bool:
    """A log with something in it continues another state than the file's.

    Not for a process that has the file open with SQLite: closing any descriptor of a file drops its locks.
    """
    if not _holds_something(path) or not log_size(path):
        return False
    with path.open("rb") as file:
        head = file.read(_STATE_AT + 4)
    try:  # in this order: whoever changes the head has written its new number beside the old one before
        known = [int(line) for line in open_marker(path).read_text("ascii").split()]
    except (OSError, ValueError):
        return False  # of an older program, or torn
    return bool(known) and int.from_bytes(head[_STATE_AT:], "big", signed=True) not in known


def close_file(conn: sqlite3.Connection, path: Path) -> None:
    """Closes a connection that `open_file` opened for writing. What fails is no loss: the next start reads the log."""
    with suppress(NiannianError, sqlite3.Error, OSError):
        fold_log_in(conn, path)
    with suppress(sqlite3.Error):
        conn.close()
    if not log_of(path).exists():  # SQLite's own closing did what ours could not
        with suppress(OSError):
            open_marker(path).unlink(missing_ok=True)


def fold_log_in(conn: sqlite3.Connection, path: Path) -> None:
    """Empties the log into the file, which gets a new number, and takes the marker away: the last thing before closing.

    In this order a kill in between never looks like a log that was taken away, or like a file that was exchanged.
    """
    if open_marker(path).exists():
        with suppress(sqlite3.Error, OSError):  # a full disk: the old number goes on
            _new_state(conn, path)
    empty_log(conn)
    open_marker(path).unlink(missing_ok=True)


def _new_state(conn: sqlite3.Connection, path: Path) -> None:
    settle(conn)
    state = conn.execute("SELECT abs(random() % 2147483647)").fetchone()[0]
    with open_marker(path).open("a", encoding="ascii") as file:
        file.write(f"{state}\n")
    conn.execute(f"PRAGMA application_id = {state}")


def empty_log(conn: sqlite3.Connection) -> None:
    """Raises StoreBusy while another process reads the log."""
    settle(conn)
    busy: int = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise StoreBusy


def _holds_something(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def log_trouble(path: Path, *, open_here: bool = False) -> NiannianError | None:
    """Why the log must not be played into the file. `open_here`: this process may have the file open."""
    if lost_wal(path):
        return DatabaseCorrupt("error-log-missing", path=str(path))
    foreign = foreign_wal(path) or (not open_here and exchanged(path))
    return DatabaseCorrupt("error-log-foreign", path=str(path)) if foreign else None


def _look(path: Path, factory: ConnectionFactory, *, past_log: bool) -> int:
    """The schema's version, read without changing a byte; 0 when there is nothing yet.

    Reads the schema too, so that a file without a sound head is refused here.
    """
    if not _holds_something(path) or path.with_name(path.name + "-journal").exists():
        return 0  # a journal: killed while it was being made
    try:
        with closing(readable(path, factory, past_log=past_log)) as conn:
            conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
            page_bytes: int = conn.execute("PRAGMA page_size").fetchone()[0]
            if path.stat().st_size % page_bytes and not log_size(path):
                raise DatabaseCorrupt(path=str(path))  # SQLite would take the missing end of a page for zeros
            return schema_version(conn)
    except sqlite3.Error as error:
        raise (kind_of(error) or DatabaseCorrupt)(path=str(path)) from error


def readable(path: Path, factory: ConnectionFactory = DEFAULT_FACTORY, *, past_log: bool = False) -> sqlite3.Connection:
    """Read-only. With nothing in the log (or none of ours) the file alone is the whole truth: no side file is made."""
    how = "immutable=1" if past_log or not log_size(path) else "mode=ro"
    conn = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False, factory=factory
    )
    try:
        _set(conn, _READ_SETTINGS)
    except BaseException:
        conn.close()
        raise
    return conn


def _writable(
    path: Path, migrations: Sequence[Migration], backups: Path, factory: ConnectionFactory
) -> sqlite3.Connection:
    with translated(path):
        # Ours alone from its first byte, side files too; and SQLite would open what it cannot write without a word.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        conn = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=factory)
        try:
            _set(conn, _READ_SETTINGS + _WRITE_SETTINGS)
            upgrade(conn, path, migrations, backups=backups, before_writing=lambda: mark(path, state_of(conn)))
        except BaseException:
            close_file(conn, path)
            raise
        return conn


def _set(conn: sqlite3.Connection, settings: Sequence[str]) -> None:
    for setting in settings:
        conn.execute(setting).fetchall()
