"""Look first, touch later: what opening does with files that are not as they should be. Every byte is kept."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.db import Database
from store.errors import DatabaseCorrupt, DiskFull, NewerSchema, ReadOnly, StoreFault
from store.opening import (
    Opened,
    _new_state,
    adds_nothing,
    exchanged,
    foreign_wal,
    log_of,
    log_size,
    lost_wal,
    mark,
    open_file,
    open_marker,
)
from store.schema import Migration
from store.sql import DEFAULT_FACTORY, ConnectionFactory, transaction
from tests.faults.raising import Failing, Plan, factory_of

ONE = (Migration(1, "numbers", ("CREATE TABLE numbers(number INTEGER)", "CREATE INDEX by_number ON numbers(number)")),)
TWO = (*ONE, Migration(2, "more", ("CREATE TABLE more(number INTEGER)",)))


def go(path: Path, migrations: tuple[Migration, ...] = ONE, factory: ConnectionFactory = DEFAULT_FACTORY) -> Opened:
    return open_file(path, migrations, backups=path.parent / "backups", factory=factory)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed database with some pages."""
    made = tmp_path / "a.db"
    with closing(go(made).connection) as conn:
        transaction(
            conn, lambda inner: inner.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in range(2000)])
        )
    open_marker(made).unlink()  # what `Database.close` does
    assert not log_of(made).exists()
    return made


def unclosed(path: Path, number: int = 7) -> None:
    """Leaves the files as a killed process does: a row that is only in the log, and the marker."""
    log = log_of(path)
    with closing(go(path).connection) as conn:
        conn.execute("INSERT INTO numbers VALUES (?)", (10000 + number,))
        kept = log.read_bytes()
        main = path.read_bytes()
    path.write_bytes(main)
    log.write_bytes(kept)
    mark(path)
    path.with_name(path.name + "-shm").unlink(missing_ok=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file() and not p.name.endswith("-shm")}


def count(opened: Opened) -> int:
    with closing(opened.connection) as conn:
        number: int = conn.execute("SELECT count(*) FROM numbers").fetchone()[0]
        return number


def test_a_new_file_is_made(tmp_path: Path) -> None:
    opened = go(tmp_path / "new.db")
    assert opened.refusal is None
    assert count(opened) == 0


def test_an_empty_file_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()
    assert count(go(tmp_path / "a.db")) == 0


def test_what_a_killed_process_left_in_the_log_is_read(path: Path) -> None:
    unclosed(path)
    opened = go(path)
    assert opened.refusal is None
    assert count(opened) == 2001


def test_a_log_that_was_taken_away_is_missed(path: Path) -> None:
    unclosed(path)
    log_of(path).unlink()
    assert lost_wal(path)
    before = contents(path.parent)
    opened = go(path)
    assert opened.refusal is not None and opened.refusal.code == "error-log-missing"
    with pytest.raises(sqlite3.OperationalError):
        opened.connection.execute("INSERT INTO numbers VALUES (1)")
    assert count(opened) == 2000
    assert contents(path.parent) == before


def test_a_log_from_another_time_is_not_played_into_the_file(path: Path) -> None:
    """B50, B52. SQLite itself would put the old pages over the newer ones."""
    unclosed(path)
    old = log_of(path).read_bytes()
    with closing(go(path).connection) as conn:
        conn.executemany("INSERT INTO numbers VALUES (?)", [(number,) for number in range(50)])
    open_marker(path).unlink()
    log_of(path).write_bytes(old)
    assert foreign_wal(path)
    before = contents(path.parent)
    opened = go(path)
    assert opened.refusal is not None and opened.refusal.code == "error-log-foreign"
    assert count(opened) == 2051
    assert contents(path.parent) == before


def test_an_empty_log_is_nothing(path: Path) -> None:
    log_of(path).touch()
    opened = go(path)
    assert opened.refusal is None
    assert count(opened) == 2000


@pytest.mark.parametrize("logged", [False, True])
def test_a_newer_schema_is_named_and_left_alone(path: Path, logged: bool) -> None:
    with closing(go(path, TWO).connection) as conn:
        conn.execute("PRAGMA user_version = 3")
    open_marker(path).unlink(missing_ok=True)
    if logged:
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            conn.execute("INSERT INTO numbers VALUES (1)")
            log, main = log_of(path).read_bytes(), path.read_bytes()
        path.write_bytes(main)
        log_of(path).write_bytes(log)
        mark(path)
    before = contents(path.parent)
    with pytest.raises(NewerSchema) as refused:
        go(path)
    assert refused.value.facts == {"found": 3, "known": 1, "path": str(path)}
    assert contents(path.parent) == before


@pytest.mark.parametrize("at", [0, 5, 16, 18, 19, 21, 22, 23, 44, 47, 100])
def test_a_flipped_bit_in_the_head_is_refused_or_harmless(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x80
    path.write_bytes(data)
    before = contents(path.parent)
    try:
        opened = go(path)
    except (DatabaseCorrupt, ReadOnly):
        assert contents(path.parent) == before
    else:
        assert count(opened) == 2000


@pytest.mark.parametrize("cut", [1, 100, 4096, 8192])
def test_a_file_cut_short_is_refused(path: Path, cut: int) -> None:
    path.write_bytes(path.read_bytes()[:-cut])
    before = contents(path.parent)
    with pytest.raises(DatabaseCorrupt):
        go(path)
    assert contents(path.parent) == before


def test_something_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"these are my notes, and no database\n" * 200)
    before = contents(path.parent)
    with pytest.raises(DatabaseCorrupt):
        go(path)
    assert contents(path.parent) == before


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_CANTOPEN, ReadOnly),
        (sqlite3.SQLITE_READONLY, ReadOnly),
        (sqlite3.SQLITE_FULL, DiskFull),
        (sqlite3.SQLITE_IOERR_SHMSIZE, StoreFault),
    ],
)
def test_what_cannot_be_written_is_read(path: Path, code: int, kind: type[Exception]) -> None:
    opened = go(path, ONE, factory_of(Plan(1, Failing.BEFORE, (code, "no"), only="PRAGMA journal_mode")))
    assert isinstance(opened.refusal, kind)
    assert count(opened) == 2000


def test_what_cannot_be_written_and_is_too_old_is_refused(path: Path) -> None:
    before = contents(path.parent)
    with pytest.raises(ReadOnly):
        go(path, TWO, factory_of(Plan(1, Failing.BEFORE, (sqlite3.SQLITE_CANTOPEN, "no"), only="PRAGMA journal_mode")))
    assert contents(path.parent) == before


def test_an_old_schema_without_its_log_is_refused(path: Path) -> None:
    mark(path)
    with pytest.raises(DatabaseCorrupt) as refused:
        go(path, TWO)
    assert refused.value.code == "error-log-missing"


def test_a_start_that_was_killed_while_the_file_was_made_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("CREATE TABLE half(x)")
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("PRAGMA user_version = 9")
        conn.execute("PRAGMA cache_spill = 1")
        journal = path.with_name("a.db-journal")
        journal.write_bytes(journal.read_bytes() if journal.exists() else b"\0" * 512)
        conn.execute("ROLLBACK")
    journal.touch()
    assert count(go(path)) == 0


def test_the_log_of_a_file_that_is_not_there_has_no_size(tmp_path: Path) -> None:
    assert log_size(tmp_path / "none.db") == 0
    assert not lost_wal(tmp_path / "none.db")
    assert not foreign_wal(tmp_path / "none.db")


# the file and its log belong together


async def killed_while_writing(folder: Path, number: int) -> dict[str, bytes]:
    """All files of a database at a moment when `number` stands in its log only; the database goes on and is closed."""
    database = await Database.open(folder / "a.db", ONE, backups=folder)
    try:
        await database.write(lambda conn: conn.execute("INSERT INTO numbers VALUES (?)", (number,)).rowcount)
        return {name: data for name, data in contents(folder).items() if not name.endswith("-shm")}
    finally:
        await database.close()


def put(folder: Path, *states: dict[str, bytes]) -> Path:
    """A folder with these files, the later ones in the place of the earlier."""
    folder.mkdir()
    for state in states:
        for name, data in state.items():
            (folder / Path(name).name).write_bytes(data)
    return folder / "a.db"


async def states(folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Two of them, with two rows and with four, of which the last is in the log only."""
    folder.mkdir()
    found = [await killed_while_writing(folder, number) for number in range(4)]
    return found[1], found[3]


def only(state: dict[str, bytes], *ends: str) -> dict[str, bytes]:
    return {name: data for name, data in state.items() if name.endswith(ends)}


async def test_what_was_killed_is_whole_again(tmp_path: Path) -> None:
    for number, state in zip((2, 4), await states(tmp_path / "home"), strict=True):
        opened = go(put(tmp_path / f"{number}", state))
        assert opened.refusal is None and count(opened) == number


@pytest.mark.parametrize("older", [True, False])
async def test_a_file_of_another_time_beside_a_log_is_not_mixed_with_it(tmp_path: Path, older: bool) -> None:
    """B52: somebody put an old database back, and left what lay beside it."""
    first, second = await states(tmp_path / "home")
    one, other = (second, first) if older else (first, second)
    path = put(tmp_path / "mixed", one, only(other, ".db"))
    assert exchanged(path)
    before = contents(path.parent)
    opened = go(path)
    assert opened.refusal is not None and opened.refusal.code == "error-log-foreign"
    with pytest.raises(sqlite3.OperationalError):
        opened.connection.execute("INSERT INTO numbers VALUES (1)")
    assert count(opened) == (1 if older else 3), "the file is read without that log"
    assert contents(path.parent) == before
    (path.with_name("a.db-wal")).unlink()
    assert go(path).refusal is None, "without the log it is a whole database"
    await killed_while_writing(path.parent, 9)


@pytest.mark.parametrize("marked", [True, False])
async def test_a_log_that_stands_in_the_file_is_no_foreign_one(tmp_path: Path, marked: bool) -> None:
    """The power went soon after closing: the file is on disk as it was left, the log and the marker are as before."""
    state, _ = await states(tmp_path / "home")
    path = put(tmp_path / "a", state)
    log, marker = log_of(path).read_bytes(), open_marker(path).read_bytes()
    with closing(go(path).connection) as conn:
        _new_state(conn, path)
        conn.execute("PRAGMA wal_checkpoint(PASSIVE)")
        log = log_of(path).read_bytes()
        main = path.read_bytes()
    path.write_bytes(main)
    log_of(path).write_bytes(log)
    open_marker(path).write_bytes(marker)
    if not marked:
        open_marker(path).unlink()
    opened = go(path)
    assert opened.refusal is None and count(opened) == 2
    left = await killed_while_writing(path.parent, 8)
    opened = go(put(tmp_path / "killed again", left))
    assert opened.refusal is None and count(opened) == 3


async def test_of_a_log_only_what_was_committed_counts(tmp_path: Path) -> None:
    """Frames that SQLite would not play change nothing; those that it would play do, down to one byte of one page."""
    state, _ = await states(tmp_path / "home")
    path = put(tmp_path / "a", state)
    assert not adds_nothing(path)
    log = log_of(path).read_bytes()
    for broken in (b"x" * 5000, log[:31], log[:40], log[:32] + b"\xff" + log[33:]):
        log_of(path).write_bytes(broken)
        assert adds_nothing(path)
    log_of(path).write_bytes(log)
    with closing(go(path).connection) as conn:
        conn.execute("PRAGMA wal_checkpoint(PASSIVE)")
        main = path.read_bytes()
        assert adds_nothing(path)
    path.write_bytes(main[:-1] + bytes([main[-1] ^ 1]))
    log_of(path).write_bytes(log)
    assert not adds_nothing(path)


async def test_a_number_is_on_disk_before_the_file_can_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, _ = await states(tmp_path / "home")
    path = put(tmp_path / "a", state)
    synced: list[int] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    conn = go(path).connection
    _new_state(conn, path)
    assert synced == [open_marker(path).stat().st_ino]
    conn.close()
    synced.clear()
    open_marker(path).unlink()
    mark(path, 7)
    marker = open_marker(path).stat().st_ino
    assert synced == [marker, path.parent.stat().st_ino, marker]
    mark(path, 7)
    mark(path, 8)
    assert open_marker(path).read_text() == "7\n8\n"
    open_marker(path).write_text("7\n8")
    mark(path, 9)
    assert open_marker(path).read_text() == "7\n8\n9\n"


async def test_the_marker_of_an_older_program_says_nothing_and_is_believed(tmp_path: Path) -> None:
    _, state = await states(tmp_path / "home")
    path = put(tmp_path / "a", state)
    for text in ("", "torn", "12\nx\n"):
        open_marker(path).write_text(text)
        assert not exchanged(path)


async def test_a_log_that_was_emptied_mixes_nothing(tmp_path: Path) -> None:
    first, second = await states(tmp_path / "home")
    path = put(tmp_path / "a", second, only(first, ".db"))
    log_of(path).write_bytes(b"")
    assert not exchanged(path)
    assert go(path).refusal is None


async def test_a_new_number_is_there_before_the_file_gets_it(tmp_path: Path) -> None:
    """Killed between the two, or in the middle of folding the log in, the pair still fits."""
    state, _ = await states(tmp_path / "home")
    path = put(tmp_path / "a", state)
    conn = go(path).connection
    _new_state(conn, path)
    assert not exchanged(path), "in the log only"
    conn.execute("PRAGMA wal_checkpoint(PASSIVE)")
    assert log_size(path) > 0 and not exchanged(path), "in the file, and the log still there"
    conn.close()
