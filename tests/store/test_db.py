"""The one door: one hop, one lock, shielded; a failure leaves nothing behind, damage ends the writing."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from store.db import Database
from store.errors import DatabaseCorrupt, DiskFull, ReadOnly, StoreBusy, StoreFault
from store.opening import log_of, log_size, open_marker
from store.schema import Migration
from store.sql import DEFAULT_FACTORY, ConnectionFactory
from tests.faults.raising import CORRUPT, FULL, Failing, Plan, factory_of

NUMBERS = (Migration(1, "numbers", ("CREATE TABLE numbers(number INTEGER UNIQUE)",)),)


def insert(number: int) -> Callable[[sqlite3.Connection], int]:
    def into(conn: sqlite3.Connection) -> int:
        conn.execute("INSERT INTO numbers VALUES (?)", (number,))
        return number

    return into


def held(conn: sqlite3.Connection) -> list[int]:
    return [row[0] for row in conn.execute("SELECT number FROM numbers ORDER BY number")]


@asynccontextmanager
async def opened(folder: Path, factory: ConnectionFactory = DEFAULT_FACTORY) -> AsyncIterator[Database]:
    database = await Database.open(folder / "a.db", NUMBERS, backups=folder / "backups", factory=factory)
    try:
        yield database
    finally:
        await database.close()


async def test_what_was_written_is_there_after_a_new_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        assert await database.write(insert(1)) == 1
        assert open_marker(database.path).exists()
    assert not open_marker(tmp_path / "a.db").exists()
    assert not log_of(tmp_path / "a.db").exists()
    async with opened(tmp_path) as database:
        assert await database.read(held) == [1]
        assert not open_marker(database.path).exists(), "reading leaves no mark"


async def test_the_settings_are_those_that_survive_a_power_cut(tmp_path: Path) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1, "trusted_schema": 0}
    async with opened(tmp_path) as database:
        for name, value in wanted.items():
            assert await database.read(lambda conn, n=name: conn.execute(f"PRAGMA {n}").fetchone()[0]) == value


async def test_a_file_is_its_owners_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        await database.write(insert(1))
        for path in tmp_path.glob("a.db*"):
            assert path.stat().st_mode & 0o077 == 0, path


async def test_what_fn_raises_undoes_what_it_wrote(tmp_path: Path) -> None:
    def half(conn: sqlite3.Connection) -> None:
        insert(1)(conn)
        raise LookupError

    async with opened(tmp_path) as database:
        with pytest.raises(LookupError):
            await database.write(half)
        assert await database.read(held) == []
        assert await database.write(insert(1)) == 1


async def test_bad_sql_is_a_bug_and_stays_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        with pytest.raises(sqlite3.OperationalError):
            await database.read(lambda conn: conn.execute("SELECT nothing FROM nowhere"))
        with pytest.raises(sqlite3.IntegrityError):
            await database.write(lambda conn: [insert(1)(conn), insert(1)(conn)])
        assert await database.read(held) == []


async def test_a_read_that_writes_is_a_bug(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        with pytest.raises(AssertionError):
            await database.read(insert(1))


async def test_two_tasks_never_share_a_transaction(tmp_path: Path) -> None:
    """B48: read, then write, a thousand times from two tasks; no task is told that anything is locked."""

    def one_more(conn: sqlite3.Connection) -> int:
        number = conn.execute("SELECT ifnull(max(number), 0) + 1 FROM numbers").fetchone()[0]
        assert conn.in_transaction
        return insert(number)(conn)

    async def many(database: Database) -> None:
        for _ in range(100):
            await database.write(one_more)

    async with opened(tmp_path) as database:
        await asyncio.gather(many(database), many(database), database.read(held))
        assert await database.read(held) == list(range(1, 201))


async def test_a_cancelled_caller_does_not_cut_the_transaction(tmp_path: Path) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(conn: sqlite3.Connection) -> None:
        insert(1)(conn)
        inside.set()
        assert go_on.wait(10)
        insert(2)(conn)

    async with opened(tmp_path) as database:
        task = asyncio.ensure_future(database.write(slow))
        await asyncio.to_thread(inside.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        await database.write(insert(3))
        assert await database.read(held) == [1, 2, 3]


async def test_closing_waits_for_a_write_whose_caller_left(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        task = asyncio.ensure_future(database.write(insert(1)))
        await asyncio.sleep(0)
        task.cancel()
        await database.close()
        await database.close()
    async with opened(tmp_path) as database:
        assert await database.read(held) == [1]


async def test_a_failure_nobody_waits_for_any_more_is_not_reported_as_lost(tmp_path: Path) -> None:
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    async with opened(tmp_path) as database:
        task = asyncio.ensure_future(database.write(lambda conn: conn.execute("nonsense")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    del task
    await asyncio.sleep(0)
    assert complaints == []


@pytest.mark.parametrize("failing", [Failing.BEFORE, Failing.TWICE])
@pytest.mark.parametrize("statement", ["BEGIN", "INSERT", "COMMIT"])
async def test_a_statement_that_fails_leaves_nothing_and_the_next_write_goes_on(
    tmp_path: Path, statement: str, failing: Failing
) -> None:
    plan = Plan()
    async with opened(tmp_path, factory_of(plan)) as database:
        plan.begin(1, failing, only=statement)
        with pytest.raises(StoreFault):
            await database.write(insert(1))
        plan.at = 0
        assert await database.read(held) == []
        assert await database.write(insert(2)) == 2
    async with opened(tmp_path) as database:
        assert await database.read(held) == [2]


async def test_while_a_rollback_cannot_be_done_nobody_reads_what_it_left(tmp_path: Path) -> None:
    plan = Plan()
    async with opened(tmp_path, factory_of(plan)) as database:
        plan.begin(1, only="COMMIT")
        plan.rollback_fails = True
        with pytest.raises(StoreFault):
            await database.write(insert(1))
        plan.rollback_fails = True
        with pytest.raises(StoreFault):
            await database.read(held)
        assert await database.read(held) == []


async def test_a_full_disk_is_said_reads_go_on_and_room_resumes_without_a_restart(tmp_path: Path) -> None:
    def fill(conn: sqlite3.Connection) -> None:
        conn.execute("CREATE TABLE IF NOT EXISTS filler(x BLOB)")
        conn.execute("INSERT INTO filler VALUES (zeroblob(100000))")

    async with opened(tmp_path) as database:
        await database.write(insert(1))
        await database.read(lambda conn: conn.execute("PRAGMA max_page_count = 20").fetchall())
        for _ in range(3):
            with pytest.raises(DiskFull):
                await database.write(fill)
            assert await database.read(held) == [1]
        await database.read(lambda conn: conn.execute("PRAGMA max_page_count = 100000").fetchall())
        await database.write(fill)
        assert database.refusal is None


async def test_no_room_for_the_marker_is_a_full_disk(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    async with opened(tmp_path) as database:
        open_marker(database.path).mkdir()  # nothing can be written there
        with pytest.raises(StoreFault):
            await database.write(insert(1))
        open_marker(database.path).rmdir()
        await database.write(insert(2))
        assert await database.read(held) == [2]


@pytest.mark.parametrize("statement", ["SELECT", "INSERT", "COMMIT"])
async def test_the_first_sign_of_damage_ends_the_writing_but_not_the_reading(tmp_path: Path, statement: str) -> None:
    plan = Plan()
    async with opened(tmp_path, factory_of(plan)) as database:
        await database.write(insert(1))
        plan.begin(1, error=CORRUPT, only=statement)
        with pytest.raises(DatabaseCorrupt):
            await (database.read(held) if statement == "SELECT" else database.write(insert(2)))
        plan.at = 0
        assert database.damaged
        with pytest.raises(DatabaseCorrupt) as refused:
            await database.write(insert(3))
        assert refused.value.facts == {"path": str(database.path)}
        with pytest.raises(DatabaseCorrupt):
            await database.compact()
        assert await database.read(held) == [1]
    async with opened(tmp_path) as database:
        assert await database.read(held) == [1]


async def test_compacting_is_not_done_while_somebody_reads_the_log(tmp_path: Path) -> None:
    """Otherwise erased words would stay in the log although the erasing was noted as finished."""
    async with opened(tmp_path) as database:
        await database.write(insert(1))
        await database.read(lambda conn: conn.execute("PRAGMA busy_timeout = 0").fetchall())
        other = sqlite3.connect(f"file:{database.path}?mode=ro", uri=True, isolation_level=None)
        other.execute("BEGIN")
        assert held(other) == [1]
        await database.write(insert(2))
        with pytest.raises(StoreBusy):
            await database.compact()
        other.execute("COMMIT")
        other.close()
        await database.compact()
        assert log_size(database.path) == 0


async def test_a_reader_elsewhere_does_not_spoil_the_closing(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        await database.write(insert(1))
        await database.read(lambda conn: conn.execute("PRAGMA busy_timeout = 0").fetchall())
        other = sqlite3.connect(f"file:{database.path}?mode=ro", uri=True, isolation_level=None)
        other.execute("BEGIN")
        assert held(other) == [1]
        await database.write(insert(2))
    other.close()
    async with opened(tmp_path) as database:
        assert database.refusal is None
        assert await database.read(held) == [1, 2]


async def test_closing_when_the_disk_refuses_loses_nothing(tmp_path: Path) -> None:
    plan = Plan()
    async with opened(tmp_path, factory_of(plan)) as database:
        await database.write(insert(1))
        plan.begin(1, error=FULL, only="PRAGMA wal_checkpoint")
    async with opened(tmp_path) as database:
        assert database.refusal is None
        assert await database.read(held) == [1]


async def test_no_thread_outlives_its_database(tmp_path: Path) -> None:
    before = threading.active_count()
    async with opened(tmp_path) as database:
        await database.write(insert(1))
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all" * 100)
    with pytest.raises(DatabaseCorrupt):
        await Database.open(broken, NUMBERS, backups=tmp_path)
    opening = asyncio.ensure_future(Database.open(tmp_path / "a.db", NUMBERS, backups=tmp_path))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    for thread in threading.enumerate():
        if "_connection_worker" in thread.name:
            thread.join(5)
    assert threading.active_count() <= before  # one of an earlier test may have ended meanwhile


async def test_a_read_only_database_is_opened_for_writing_as_soon_as_it_can_be(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        await database.write(insert(1))
    plan = Plan(failing=Failing.BEFORE, error=(sqlite3.SQLITE_CANTOPEN, "unable to open database file"))
    plan.only, plan.at = "PRAGMA journal_mode", 1
    async with opened(tmp_path, factory_of(plan)) as database:
        assert isinstance(database.refusal, ReadOnly)
        assert await database.read(held) == [1]
        plan.begin(1, error=plan.error, only="PRAGMA journal_mode")
        with pytest.raises(ReadOnly):
            await database.write(insert(2))
        assert await database.read(held) == [1]
        plan.begin(0)
        assert await database.write(insert(2)) == 2
        assert database.refusal is None
        assert await database.read(held) == [1, 2]


async def test_an_error_that_somebody_holds_keeps_no_statement_open(tmp_path: Path) -> None:
    """A half-read `RETURNING` in its frames would make every later COMMIT fail."""

    def half_read(conn: sqlite3.Connection) -> None:
        cursor = conn.execute("INSERT INTO numbers VALUES (1), (2), (3) RETURNING number")
        assert cursor.fetchone() == (1,)
        raise LookupError

    async with opened(tmp_path) as database:
        with pytest.raises(LookupError) as held_error:
            await database.write(half_read)
        with pytest.raises(LookupError) as held_read:
            await database.read(lambda conn: _raise_over(conn.execute("SELECT 1 UNION SELECT 2")))
        assert await database.write(insert(1)) == 1
        assert held_error.value is not None and held_read.value is not None


def _raise_over(cursor: sqlite3.Cursor) -> None:
    assert cursor.fetchone() == (1,)
    raise LookupError


@pytest.mark.parametrize(
    "words", ["vtable constructor failed: words", "invalid fts5 file format (found 0, expected 4) - run 'rebuild'"]
)
async def test_what_the_full_text_index_says_of_damage_is_damage(tmp_path: Path, words: str) -> None:
    def broken(conn: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError(words)

    async with opened(tmp_path) as database:
        with pytest.raises(DatabaseCorrupt):
            await database.read(broken)
        assert database.damaged


async def test_an_error_raised_a_second_time_ends_no_coroutine_it_came_through(tmp_path: Path) -> None:
    def again(error: Exception) -> None:
        raise error

    async with opened(tmp_path) as database:
        try:
            await database.write(lambda conn: again(LookupError()))
        except LookupError as error:
            with pytest.raises(LookupError):
                await database.read(lambda conn, error=error: again(error))
        assert await database.write(insert(1)) == 1
