"""The disk that `fault disk-full` fills is full in the way that SQLite says it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from store.db import Database
from store.errors import DiskFull
from store.schema import Migration
from tests.golden.child import disk_fault


def insert(number: int) -> Callable[[sqlite3.Connection], None]:
    def into(conn: sqlite3.Connection) -> None:
        conn.execute("INSERT INTO numbers VALUES (?)", (number,))

    return into


async def test_a_full_disk_refuses_every_write_until_there_is_room(tmp_path: Path) -> None:
    made = Migration(
        1, "numbers", ("CREATE TABLE numbers(number INTEGER)", "CREATE VIRTUAL TABLE words USING fts5(body)")
    )
    database = await Database.open(tmp_path / "memory.db", [made], backups=tmp_path / "backups")
    try:
        await database.write(insert(1))
        await disk_fault("disk-full", [database])
        for _ in range(2):
            with pytest.raises(DiskFull):
                await database.write(insert(2))
        await disk_fault("disk-ok", [database])
        await database.write(insert(3))
        held = await database.read(lambda conn: conn.execute("SELECT number FROM numbers").fetchall())
        assert held == [(1,), (3,)]
    finally:
        await database.close()
