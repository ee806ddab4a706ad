"""Files that are damaged, out of date, taken away or write-protected: said plainly, kept, and read where that goes."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from store.opening import log_of, open_marker
from tests.fakes import FakeClock
from tests.faults.copies import copy_home
from tests.faults.forks import Ended, Forks
from tests.faults.talk import NOT_SAVED, Told, check_home, memory_files, running

FIRST = "remember the door code word is heron"
ASK = "what is the door code word"


@pytest.fixture(scope="module")
def talked(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("talked") / "home"
    ended = program(forks, home, FIRST, *(f"remember that fact {number} is so" for number in range(30)))
    assert ended.status == 0, ended
    return home


@pytest.fixture
def home(talked: Path, tmp_path: Path) -> Path:
    copy_home(talked, tmp_path / "home")
    return tmp_path / "home"


def program(forks: Forks, home: Path, *lines: str) -> Ended:
    return forks.run(["--bot", "--home", str(home)], lines)


def contents(home: Path) -> dict[str, bytes]:
    """Every file but the lock, SQLite's shared memory and empty logs, which hold nothing of anybody's."""
    paths = [path for path in home.rglob("*") if path.is_file() and path.name != "lock" and path.suffix != ".db-shm"]
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in paths
        if path.stat().st_size or not path.name.endswith("-wal")
    }


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x40
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4096])


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize("which", ["memory.db", "device.db"])
@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (lambda path: flip(path, 3), "The database is damaged"),
        (lambda path: flip(path, 100), "The database is damaged"),
        (cut, "The database is damaged"),
        (lambda path: path.write_bytes(b"my notes\n" * 900), "The database is damaged"),
        (newer, "written by a newer version (99; this program knows "),
    ],
    ids=["magic", "first page", "cut by a page", "no database", "newer schema"],
)
def test_it_refuses_to_start_and_keeps_every_byte(
    forks: Forks, home: Path, which: str, harm: Callable[[Path], None], sentence: str
) -> None:
    (path,) = home.rglob(which)
    harm(path)
    before = contents(home)
    ended = program(forks, home, FIRST)
    assert ended.status == 1, ended
    assert sentence in ended.errors and str(path) in ended.errors, ended
    assert ended.out == ""
    assert contents(home) == before


def test_a_home_without_its_database_is_a_matter_of_configuration(forks: Forks, home: Path) -> None:
    (home / "device.db").unlink()
    before = contents(home)
    ended = program(forks, home, FIRST)
    assert ended.status == 78, ended
    assert contents(home) == before


def test_the_folder_of_a_memory_that_is_gone_is_not_made_anew(forks: Forks, home: Path) -> None:
    shutil.rmtree(home / "scopes")
    before = contents(home)
    ended = program(forks, home, FIRST)
    assert ended.status == 1, ended
    assert "folder of one memory is gone" in ended.out + ended.errors
    assert contents(home) == before


def killed(forks: Forks, home: Path) -> Path:
    """Leaves the home as a power cut does, with one entry only in the log."""
    ended = forks.run([str(home), "--at", "2", "--how", "kill-after", "--only", "COMMIT"], [FIRST + " twice", "board"])
    assert ended.status == -9, ended
    (path,) = memory_files(home)
    assert log_of(path).stat().st_size > 0 and open_marker(path).exists()
    return path


def test_a_log_that_was_taken_away_is_said_and_what_is_left_is_answered(forks: Forks, home: Path) -> None:
    path = killed(forks, home)
    log_of(path).rename(home / "elsewhere")
    before = contents(home)
    for _ in range(2):
        ended = program(forks, home, ASK, "remember a thing too many")
        assert ended.status == 1, ended
        assert "heron" in ended.out and NOT_SAVED.search(ended.out) and "Saved" not in ended.out
        assert "memory.db-wal is gone" in ended.errors
        assert contents(home) == before
    (home / "elsewhere").rename(log_of(path))
    ended = program(forks, home, ASK, "remember a thing that fits")
    assert ended.status == 0 and "Saved" in ended.out, ended
    check_home(home, Told())


def test_a_log_from_another_time_is_said_and_not_played_in(forks: Forks, home: Path) -> None:
    path = killed(forks, home)
    old = log_of(path).read_bytes()
    assert program(forks, home, "remember something newer than that log").status == 0
    log_of(path).write_bytes(old)
    before = contents(home)
    ended = program(forks, home, "what is newer than that log", "remember a thing too many")
    assert ended.status == 1, ended
    assert "something newer" in ended.out and NOT_SAVED.search(ended.out)
    assert "comes from another time" in ended.errors
    assert contents(home) == before
    log_of(path).unlink()
    assert program(forks, home, "remember a thing that fits").status == 0
    check_home(home, Told())


async def test_a_page_that_breaks_while_it_runs_ends_the_writing_only(home: Path) -> None:
    """B51: no further acknowledged write goes into a broken file."""
    (path,) = memory_files(home)
    with closing(sqlite3.connect(path)) as conn:
        page = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'labels_by_record'").fetchone()[0]
    async with running(home, FakeClock(), start=5) as (app, session):
        (memory,) = app.home.opened()
        with path.open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 200)
        await memory.database.read(lambda conn: conn.execute("PRAGMA shrink_memory").fetchall())
        for number in range(3):
            (reply,) = await session.say(f"remember the broken thing {number}")
            assert reply.failed and NOT_SAVED.search(reply.text), reply.text
            assert "read-only" in reply.text or "damaged" in reply.text
        assert memory.database.damaged
        (reply,) = await session.say("/why D-2024-05-27-01")
        answered, rows = await asyncio.gather(
            session.say(ASK), memory.database.read(lambda conn: conn.execute("SELECT count(*) FROM changes").fetchone())
        )
        assert rows[0] > 30
        assert "heron" in answered[0].text, answered[0].text


@pytest.mark.slow
def test_a_byte_that_flips_anywhere_is_never_a_traceback_and_never_a_false_receipt(forks: Forks, home: Path) -> None:
    (path,) = memory_files(home)
    sound = path.read_bytes()
    for seed in range(200):
        dice = random.Random(seed)
        data = bytearray(sound)
        at = dice.randrange(len(data) // 4096) * 4096 + (
            dice.randrange(12) if dice.random() < 0.5 else dice.randrange(4096)
        )
        data[at] ^= 1 << dice.randrange(8)
        path.write_bytes(data)
        ended = program(forks, home, ASK, "remember a new thing about ducks", "/why D-2024-05-27-01", "board")
        if re.search(r"no such (column|table): ", ended.errors):
            continue  # a letter of the schema's own text: SQLite reads it as another name, not as damage
        assert ended.status in (0, 1) and "Traceback" not in ended.errors, (seed, ended.errors)
        if "Saved" in ended.out:
            again = program(forks, home, "what about ducks")
            assert "Traceback" not in again.errors, seed
        for extra in (log_of(path), open_marker(path)):
            extra.unlink(missing_ok=True)


# what can only be read


@contextmanager
def write_protected(home: Path) -> Iterator[None]:
    """Root may write where permissions say no; the immutable flag holds for root too."""
    paths = [home, *home.rglob("*")]
    done = subprocess.run(["chattr", "+i", *reversed(paths)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no immutable flag on this file system")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", *paths], check=True)


@pytest.fixture
def on_disk(talked: Path, tmp_path: Path) -> Path:
    if shutil.which("chattr") is None:
        pytest.skip("no chattr")
    copy_home(talked, tmp_path / "home")
    return tmp_path / "home"


def test_a_home_that_can_only_be_read_answers_and_says_that_it_does_not_save(forks: Forks, on_disk: Path) -> None:
    before = contents(on_disk)
    with write_protected(on_disk):
        ended = program(forks, on_disk, ASK, "remember a thing too many", "/why D-2024-05-27-01")
    assert ended.status == 1, ended
    assert "heron" in ended.out
    assert "Not saved: the data folder can only be read" in ended.out and "Saved" not in ended.out
    assert "can only be read" in ended.errors
    assert contents(on_disk) == before
    assert program(forks, on_disk, "remember a thing that fits").status == 0


def test_a_memory_file_that_can_only_be_read_is_written_again_without_a_restart(on_disk: Path) -> None:
    async def talk() -> None:
        (path,) = memory_files(on_disk)
        with write_protected(path.parent):
            subprocess.run(["chattr", "-i", str(path.parent)], check=True)
            async with running(on_disk, FakeClock(), start=6) as (_, session):
                (reply,) = await session.say("remember a thing that waits")
                assert reply.failed and "can only be read" in reply.text
                (answer,) = await session.say(ASK)
                assert "heron" in answer.text
                subprocess.run(["chattr", "-i", str(path)], check=True)
                (again,) = await session.press_action("retry")
                assert again.stored, again.text

    asyncio.run(talk())
    check_home(on_disk, Told())


def test_an_empty_folder_that_can_only_be_read_is_refused(forks: Forks, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with write_protected(tmp_path / "empty"):
        ended = program(forks, tmp_path / "empty", FIRST)
    assert ended.status == 1 and "cannot be written" in ended.errors, ended
    assert contents(tmp_path / "empty") == {}


def test_a_home_in_use_says_by_whom(forks: Forks, home: Path) -> None:
    async def talk() -> Ended:
        async with running(home, FakeClock(), start=7):
            return await asyncio.to_thread(program, forks, home, FIRST)

    ended = asyncio.run(talk())
    assert ended.status == 75 and ended.errors.count("\n") <= 2 and "Traceback" not in ended.errors


def test_a_home_in_a_synchronised_folder_is_warned_of_and_works(forks: Forks, tmp_path: Path) -> None:
    """B54: the warning goes beside the answers, not among them."""
    (tmp_path / "shared" / ".stfolder").mkdir(parents=True)
    ended = program(forks, tmp_path / "shared" / "home", FIRST)
    assert ended.status == 0 and "Syncthing" in ended.errors and "Syncthing" not in ended.out
    assert "Saved" in ended.out
