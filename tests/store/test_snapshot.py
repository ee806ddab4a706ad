"""A file and its log read as bytes give what SQLite itself would read, and nothing changes."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store import snapshot
from store.errors import OverLimit
from store.snapshot import take
from tests.store.homes import tree

PAGE_BYTES = (512, 4096, 65536)


def rows(image: bytes) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.deserialize(image)
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return conn.execute("SELECT * FROM t ORDER BY id").fetchall()


def written(path: Path, copy: Path, *, page_bytes: int, seed: int) -> list[list[tuple[int, str]]]:
    """Writes and shrinks at random, copying file and log aside after each commit; gives the rows of each moment."""
    draw = random.Random(seed)
    states = []
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(f"PRAGMA page_size = {page_bytes}")
        conn.execute("PRAGMA journal_mode = WAL")
        conn.execute("PRAGMA synchronous = OFF")
        conn.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)")
        for step in range(12):
            conn.execute("BEGIN")
            for _ in range(draw.randrange(1, 8)):
                conn.execute("INSERT INTO t(body) VALUES(?)", ("x" * draw.randrange(1, 3000),))
            if draw.random() < 0.4:
                conn.execute("DELETE FROM t WHERE id % ? = 0", (draw.randrange(2, 5),))
            conn.execute("COMMIT")
            match draw.randrange(5):
                case 0:
                    conn.execute("VACUUM")
                case 1:
                    conn.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                case 2:
                    conn.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
                case 3:
                    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            states.append(conn.execute("SELECT * FROM t ORDER BY id").fetchall())
            folder = copy / str(step)
            folder.mkdir(parents=True)
            shutil.copy(path, folder / "a.db")
            shutil.copy(f"{path}-wal", folder / "a.db-wal")
    return states


@pytest.mark.parametrize("page_bytes", PAGE_BYTES)
@pytest.mark.parametrize("seed", range(4))
def test_at_every_moment_it_is_what_sqlite_reads(tmp_path: Path, page_bytes: int, seed: int) -> None:
    states = written(tmp_path / "a.db", tmp_path / "copies", page_bytes=page_bytes, seed=seed)
    for step, state in enumerate(states):
        folder = tmp_path / "copies" / str(step)
        before = tree(folder)
        taken = take(folder / "a.db")
        assert taken.wal_mode
        assert rows(taken.image) == state
        assert tree(folder) == before


@pytest.mark.parametrize("seed", range(4))
def test_a_log_cut_anywhere_gives_what_sqlite_recovers(tmp_path: Path, seed: int) -> None:
    written(tmp_path / "a.db", tmp_path / "copies", page_bytes=512, seed=seed)
    draw = random.Random(seed)
    for step in range(12):
        folder = tmp_path / "copies" / str(step)
        log = folder / "a.db-wal"
        data = bytearray(log.read_bytes())
        if not data:
            continue
        if step % 2:
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        log.write_bytes(data[: draw.randrange(len(data) + 1)] if step % 3 else data)
        taken = take(folder / "a.db")
        with closing(sqlite3.connect(folder / "a.db")) as conn:
            assert rows(taken.image) == conn.execute("SELECT * FROM t ORDER BY id").fetchall()


def test_a_file_past_the_bound_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(bytes(100))
    monkeypatch.setattr(snapshot, "SNAPSHOT_BYTES_MAX", 100)
    assert len(take(path).image) == 100
    path.write_bytes(bytes(101))
    with pytest.raises(OverLimit):
        take(path)


def test_a_log_that_is_not_its_own_can_be_left_out(tmp_path: Path) -> None:
    states = written(tmp_path / "a.db", tmp_path / "copies", page_bytes=4096, seed=7)
    folder = tmp_path / "copies" / "3"
    log = folder / "a.db-wal"
    with_log = take(folder / "a.db").image
    assert rows(with_log) == states[3]
    past = take(folder / "a.db", past_log=True).image
    log.unlink()
    assert past == take(folder / "a.db").image
