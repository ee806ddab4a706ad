"""Group commit: what is written at the same time is one transaction, which all of them share for better or worse."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from store.db import Database
from store.errors import StoreFault
from store.schema import Migration
from store.together import Together
from tests.faults.raising import Failing, Plan, factory_of

MIGRATIONS = (Migration(1, "numbers", ("CREATE TABLE numbers(number INTEGER PRIMARY KEY)",)),)


@asynccontextmanager
async def together(folder: Path) -> AsyncIterator[tuple[Together, Plan]]:
    """With the plan of its commits: `counted` says how many there were."""
    plan = Plan()
    database = await Database.open(folder / "a.db", MIGRATIONS, backups=folder / "backups", factory=factory_of(plan))
    plan.begin(0, only="COMMIT")
    try:
        yield Together(database), plan
    finally:
        plan.begin(0)
        await database.close()


def insert(number: int) -> Callable[[sqlite3.Connection], int]:
    def write(conn: sqlite3.Connection) -> int:
        conn.execute("INSERT INTO numbers VALUES(?)", (number,))
        return number

    return write


def held(conn: sqlite3.Connection) -> list[int]:
    return [number for (number,) in conn.execute("SELECT number FROM numbers ORDER BY number")]


async def test_writes_that_come_during_a_commit_share_the_next(tmp_path: Path) -> None:
    async with together(tmp_path) as (writes, plan):
        assert await asyncio.gather(*(writes.write(insert(number)) for number in range(100))) == list(range(100))
        assert plan.counted <= 2
        assert await writes.read(held) == list(range(100))
        await writes.write(insert(100))
        assert await writes.read(held) == list(range(101))


async def test_they_are_written_in_the_order_they_came(tmp_path: Path) -> None:
    seen: list[int] = []

    def note(number: int) -> Callable[[sqlite3.Connection], None]:
        return lambda conn: seen.append(number)

    async with together(tmp_path) as (writes, _):
        await asyncio.gather(*(writes.write(note(number)) for number in range(50)))
    assert seen == list(range(50))


@pytest.mark.parametrize("failing", [Failing.BEFORE, Failing.TWICE])
async def test_a_commit_that_fails_fails_all_that_share_it_and_none_after(tmp_path: Path, failing: Failing) -> None:
    async with together(tmp_path) as (writes, plan):
        plan.begin(1, failing, only="COMMIT")
        ended = await asyncio.gather(*(writes.write(insert(number)) for number in range(10)), return_exceptions=True)
        failed = [isinstance(one, StoreFault) for one in ended]
        assert any(failed)
        kept = [number for number, bad in enumerate(failed) if not bad]
        assert await writes.read(held) == kept
        await asyncio.gather(*(writes.write(insert(number)) for number in range(10, 20)))
        assert await writes.read(held) == [*kept, *range(10, 20)]


async def test_a_caller_that_leaves_takes_nothing_of_it_back(tmp_path: Path) -> None:
    async with together(tmp_path) as (writes, plan):
        leaving = asyncio.ensure_future(writes.write(insert(1)))
        staying = asyncio.ensure_future(writes.write(insert(2)))
        await asyncio.sleep(0)
        leaving.cancel()
        assert await staying == 2
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert await writes.read(held) == [1, 2]
        plan.begin(1, only="COMMIT")
        leaving = asyncio.ensure_future(writes.write(insert(3)))
        await asyncio.sleep(0)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert await writes.write(insert(4)) == 4  # and nobody was warned of an error that nobody heard
        assert await writes.read(held) == [1, 2, 4]
