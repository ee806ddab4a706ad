"""Opening one SQLite file: look first, touch later, and read what cannot be written.

| found                                    | opened                                                        |
| ---------------------------------------- | ------------------------------------------------------------- |
| nothing, or an empty file                | made                                                          |
| a sound file                             | for writing, after its migrations                             |
| no header, cut short, a newer schema     | not at all: the look is read-only, so every byte stays        |
| `-open` without `-wal` (taken away)      | for reading: what the log held is missing, writing would hide it |
| `-wal` without `-open` (not ours)        | for reading, past that log: SQLite would replay it into the file |
| `-open` that names another state         | the same: the file was exchanged for an older or a newer one  |
| the last two, and every page of that log stands in the file; or the last without `-wal` | for writing: nothing is missing |
| a full disk, a folder that only reads    | for reading; each later write tries to open it for writing    |

`-open` stands beside the database whenever its write-ahead log may hold something. In it is the number of the state
that the log continues: `application_id` in the file's head, which becomes another whenever a log has been folded in.
"""

from __future__ import annotations

import os
import sqlite3
import struct
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
_LOG_HEAD, _FRAME_HEAD = 32, 24
_LOG_BYTES_MAX = 64 * 1024 * 1024
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

    `state`: the number in the file's head; a marker that is there already keeps what else it says.
    """
    with translated(path):
        marker = open_marker(path)
        if not marker.exists():
            os.close(os.open(marker, os.O_WRONLY | os.O_CREAT, 0o600))
            _sync(marker)
            _sync(path.parent)  # after a power cut too it must be there as soon as the log is
        if state is not None and state not in (_states(path) or []):
            _add_state(path, state)


def _add_state(path: Path, state: int) -> None:
    """On disk when this returns: SQLite sees to it that the file's new head is, and may do so at any time from now on."""
    with open_marker(path).open("rb+") as file:
        there = file.read()
        torn = there != b"" and not there.endswith(b"\n")
        file.write(b"\n" * torn + f"{state}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def _states(path: Path) -> list[int] | None:
    """What the marker names; None when it names nothing: it is of an older program, or torn, or not there."""
    try:
        text = open_marker(path).read_text("ascii")
        return [int(line) for line in text.splitlines()] if text.endswith("\n") else None
    except (OSError, ValueError):
        return None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def state_of(conn: sqlite3.Connection) -> int:
    state: int = conn.execute("PRAGMA application_id").fetchone()[0]
    return state


def lost_wal(path: Path, *, open_here: bool = False) -> bool:
    """A database that was not closed always has its write-ahead log beside it, unless somebody took it away.

    One that continued another state than the file's is none that the file lacks. `open_here`: as for `log_trouble`.
    """
    if not open_marker(path).exists() or not _holds_something(path) or log_of(path).exists():
        return False
    return open_here or not _names_another(path)


def foreign_wal(path: Path, *, open_here: bool = False) -> bool:
    """A log with something in it whose database was closed is left over from another time or place."""
    if not _holds_something(path) or open_marker(path).exists() or log_size(path) == 0:
        return False
    return open_here or not adds_nothing(path)


def exchanged(path: Path) -> bool:
    """A log with something in it continues another state than the file's.

    Not for a process that has the file open with SQLite: closing any descriptor of a file drops its locks.
    """
    return _holds_something(path) and log_size(path) > 0 and _names_another(path) and not adds_nothing(path)


def _names_another(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_STATE_AT + 4)
    # In this order: whoever changes the head has written its new number beside the old one before.
    known = _states(path) or []
    return known != [] and int.from_bytes(head[_STATE_AT:], "big", signed=True) not in known


def adds_nothing(path: Path) -> bool:
    """Every page of the log stands in the file already, as when the power went before an emptied log was on disk; or
    the log holds nothing that SQLite would play (https://sqlite.org/fileformat2.html#the_write_ahead_log).

    Not for a process that has the file open with SQLite.
    """
    with log_of(path).open("rb") as log, path.open("rb") as file:
        if os.fstat(log.fileno()).st_size > _LOG_BYTES_MAX:
            return False  # nobody waits that long
        head = log.read(_LOG_HEAD)
        magic, version, page_bytes = struct.unpack(">III", head[:12].ljust(12, b"\0"))
        order = {0x377F0682: "<", 0x377F0683: ">"}.get(magic)
        if order is None or len(head) < _LOG_HEAD or (sums := _sums(head[:24], order)) != _sums_at(head, 24):
            return True
        if version != 3007000 or not 512 <= page_bytes <= 65536:
            return False
        pages: dict[int, bytes] = {}  # as of the last commit
        since: dict[int, bytes] = {}
        while len(frame := log.read(_FRAME_HEAD + page_bytes)) == _FRAME_HEAD + page_bytes:
            number, committed = struct.unpack(">II", frame[:8])
            sums = _sums(frame[:8], order, sums)
            sums = _sums(frame[_FRAME_HEAD:], order, sums)
            if frame[8:16] != head[16:24] or sums != _sums_at(frame, 16):
                break
            since[number] = frame[_FRAME_HEAD:]
            if committed:
                pages |= since
                since = {}
        for number, page in pages.items():
            file.seek((number - 1) * page_bytes)
            if file.read(page_bytes) != page:
                return False
        return True


def _sums(data: bytes, order: str, so_far: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    one, two = so_far
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for word in words:
        one = (one + word + two) & 0xFFFFFFFF
        two = (two + next(words) + one) & 0xFFFFFFFF
    return one, two


def _sums_at(data: bytes, at: int) -> tuple[int, int]:
    one, two = struct.unpack(">II", data[at : at + 8])
    return one, two


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
    if open_marker(path).exists():
        open_marker(path).unlink(missing_ok=True)
        _sync(path.parent)  # the log, which SQLite takes away next, must not be gone before


def _new_state(conn: sqlite3.Connection, path: Path) -> None:
    settle(conn)
    state = conn.execute("SELECT abs(random() % 2147483647)").fetchone()[0]
    _add_state(path, state)
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
    if lost_wal(path, open_here=open_here):
        return DatabaseCorrupt("error-log-missing", path=str(path))
    foreign = foreign_wal(path, open_here=open_here) or (not open_here and exchanged(path))
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
    how = "mode=ro&immutable=1" if past_log or not log_size(path) else "mode=ro"
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
