"""Migrations: a checked copy first, one transaction each, and after any failure the old schema and every row."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store.errors import DatabaseCorrupt, DiskFull, MigrationFailed, NewerSchema, StoreFault
from store.opening import log_of, open_file, open_marker
from store.schema import DEVICE_MIGRATIONS, MEMORY_MIGRATIONS, Migration
from store.sql import DEFAULT_FACTORY, ConnectionFactory, transaction
from store.upgrade import back_up
from tests.faults.raising import FULL, Failing, Plan, factory_of
from tests.waits import end_of

ROWS = 500
FIRST = Migration(1, "first", ("CREATE TABLE changes(number INTEGER)", "CREATE TABLE extra(word TEXT)"))


def doubled(conn: sqlite3.Connection) -> None:
    conn.execute("UPDATE changes SET number = number * 2")


SECOND = Migration(
    2,
    "synthetic: doubles, renames, indexes",
    (
        "ALTER TABLE extra RENAME TO words",
        doubled,
        "CREATE INDEX by_number ON changes(number)",
        "INSERT INTO words SELECT hex(randomblob(200)) FROM changes",
    ),
)
THIRD = Migration(3, "one more", ("CREATE TABLE later(x)",))


def go(path: Path, *migrations: Migration, factory: ConnectionFactory = DEFAULT_FACTORY) -> sqlite3.Connection:
    return open_file(path, migrations, backups=path.parent / "backups", factory=factory).connection


def shut(conn: sqlite3.Connection, path: Path) -> None:
    conn.close()
    if not log_of(path).exists():
        open_marker(path).unlink(missing_ok=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of the first schema, with rows."""
    folder = tmp_path / "scope"
    folder.mkdir()
    made = folder / "memory.db"
    conn = go(made, FIRST)
    transaction(conn, lambda inner: inner.executemany("INSERT INTO changes VALUES (?)", [(n,) for n in range(ROWS)]))
    shut(conn, made)
    return made


def copy_of(path: Path, number: int = 2) -> Path:
    return path.parent / "backups" / f"scope-memory-before-{number}.db"


def assert_old(path: Path) -> None:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as conn:
        assert conn.execute("PRAGMA user_version").fetchone()[0] == 1
        assert conn.execute("SELECT sum(number), count(*) FROM changes").fetchone() == (ROWS * (ROWS - 1) // 2, ROWS)
        assert conn.execute("SELECT count(*) FROM extra").fetchone()[0] == 0


def assert_new(path: Path) -> None:
    conn = go(path, FIRST, SECOND)
    assert conn.execute("PRAGMA user_version").fetchone()[0] == 2
    assert conn.execute("SELECT sum(number), count(*) FROM changes").fetchone() == (ROWS * (ROWS - 1), ROWS)
    assert conn.execute("SELECT count(*) FROM words").fetchone()[0] == ROWS
    assert conn.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    shut(conn, path)


def test_the_copy_is_made_first_and_goes_at_the_next_clean_start(path: Path) -> None:
    shut(go(path, FIRST, SECOND), path)
    with closing(sqlite3.connect(copy_of(path))) as copy:
        assert copy.execute("PRAGMA user_version").fetchone()[0] == 1
        assert copy.execute("SELECT count(*) FROM changes").fetchone()[0] == ROWS
    assert copy_of(path).stat().st_mode & 0o077 == 0
    assert_new(path)
    assert not copy_of(path).exists()


def steps_of(path: Path) -> int:
    plan = Plan()
    work = path.parent / "counting.db"
    work.write_bytes(path.read_bytes())
    shut(go(work, FIRST, SECOND, factory=factory_of(plan)), work)
    return plan.counted


def test_a_failure_at_any_statement_leaves_the_old_schema_and_the_next_start_does_it(path: Path) -> None:
    total = steps_of(path)
    assert total > 20
    for failing in (Failing.BEFORE, Failing.TWICE):
        for at in range(1, total + 1):
            work = path.parent / f"{failing}-{at}.db"
            work.write_bytes(path.read_bytes())
            try:
                conn = go(work, FIRST, SECOND, factory=factory_of(Plan(at, failing, FULL)))
            except DiskFull:
                assert_old(work)
            else:
                shut(conn, work)
            assert_new(work)


def test_a_kill_at_any_statement_leaves_one_schema_or_the_other_and_every_row(path: Path) -> None:
    """B53. The next start finishes what was cut off."""
    total = steps_of(path)
    for how in (Failing.KILL_BEFORE, Failing.KILL_AFTER):
        for at in range(1, total + 1):
            work = path.parent / f"{how}-{at}.db"
            work.write_bytes(path.read_bytes())
            child = os.fork()
            if child == 0:
                try:
                    go(work, FIRST, SECOND, factory=factory_of(Plan(at, how)))
                finally:
                    os._exit(0)
            assert end_of(child) == -signal.SIGKILL
            assert_new(work)


def raising(error: Exception) -> Callable[[sqlite3.Connection], None]:
    def step(conn: sqlite3.Connection) -> None:
        conn.execute("DELETE FROM changes")
        raise error

    return step


@pytest.mark.parametrize(
    "error",
    [KeyError("old row"), ValueError("bad"), sqlite3.IntegrityError("unique"), sqlite3.OperationalError("syntax")],
)
def test_a_migration_that_breaks_names_itself_and_the_copy(path: Path, error: Exception) -> None:
    broken = Migration(2, "broken", ("ALTER TABLE extra RENAME TO words", raising(error)))
    with pytest.raises(MigrationFailed) as failed:
        go(path, FIRST, broken)
    assert failed.value.facts == {"number": 2, "copy": str(copy_of(path))}
    assert copy_of(path).exists()
    assert_old(path)
    assert_new(path)


def test_an_error_of_ours_in_a_migration_is_told_as_it_is(path: Path) -> None:
    with pytest.raises(DatabaseCorrupt):
        go(path, FIRST, Migration(2, "broken", (raising(DatabaseCorrupt()),)))
    assert_old(path)


def test_the_migration_before_the_one_that_broke_stays(path: Path) -> None:
    broken = Migration(3, "broken", ("no such statement",))
    with pytest.raises(MigrationFailed) as failed:
        go(path, FIRST, SECOND, broken)
    assert failed.value.facts["number"] == 3
    assert copy_of(path, 3).exists()
    assert_new(path)
    shut(go(path, FIRST, SECOND, THIRD), path)


def test_a_first_migration_that_breaks_has_no_copy_to_name(tmp_path: Path) -> None:
    with pytest.raises(MigrationFailed) as failed:
        go(tmp_path / "new.db", Migration(1, "broken", ("nonsense",)))
    assert failed.value.facts == {"number": 1, "copy": "-"}
    shut(go(tmp_path / "new.db", FIRST), tmp_path / "new.db")


def test_a_full_disk_costs_no_older_good_copy(path: Path) -> None:
    copy_of(path).parent.mkdir()
    copy_of(path).write_bytes(b"an older good copy")
    before = copy_of(path).read_bytes()

    class NoRoom(sqlite3.Connection):
        def backup(self, target: sqlite3.Connection, **options: object) -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    with pytest.raises(DiskFull):
        go(path, FIRST, SECOND, factory=NoRoom)
    assert copy_of(path).read_bytes() == before
    assert [p.name for p in copy_of(path).parent.iterdir()] == [copy_of(path).name]
    assert_old(path)


def test_a_copy_that_does_not_check_out_stops_the_upgrade(path: Path) -> None:
    class Losing(sqlite3.Connection):
        def backup(self, target: sqlite3.Connection, **options: object) -> None:
            super().backup(target)
            target.execute("DELETE FROM changes WHERE number = 3")
            target.commit()

    with pytest.raises(MigrationFailed) as failed:
        go(path, FIRST, SECOND, factory=Losing)
    assert failed.value.facts["number"] == 2
    assert not copy_of(path).exists()
    assert_old(path)


def test_a_damaged_database_is_not_upgraded(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 * 2 : 4096 * 2 + 50] = b"\xff" * 50
    path.write_bytes(data)
    with pytest.raises((MigrationFailed, DatabaseCorrupt)):
        go(path, FIRST, SECOND)
    assert bytes(data) == path.read_bytes()


def test_a_folder_that_cannot_take_the_copy_stops_the_upgrade(path: Path) -> None:
    copy_of(path).parent.write_bytes(b"a file where the folder should be")
    with pytest.raises(StoreFault):
        go(path, FIRST, SECOND)
    assert_old(path)


def test_an_older_program_names_both_versions(path: Path) -> None:
    shut(go(path, FIRST, SECOND), path)
    with pytest.raises(NewerSchema) as refused:
        go(path, FIRST)
    assert (refused.value.facts["found"], refused.value.facts["known"]) == (2, 1)


def test_back_up_writes_beside_and_moves(path: Path, tmp_path: Path) -> None:
    with closing(go(path, FIRST)) as conn:
        back_up(conn, tmp_path / "copies" / "one.db", 2)
        back_up(conn, tmp_path / "copies" / "one.db", 2)
    assert [p.name for p in (tmp_path / "copies").iterdir()] == ["one.db"]


@pytest.mark.parametrize("migrations", [MEMORY_MIGRATIONS, DEVICE_MIGRATIONS])
def test_migrations_are_numbered_without_a_gap(migrations: tuple[Migration, ...]) -> None:
    assert [migration.number for migration in migrations] == list(range(1, len(migrations) + 1))
    assert all(migration.name for migration in migrations)
