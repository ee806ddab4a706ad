"""kill -9 at every step of a backup and of a restore: the old home or the new one, whole, and nothing in the open.

A failing point prints one line that does it again.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bot import checkup
from bot.words import words
from store import backup
from store.errors import HomeRefused
from store.home import MAKING, RESTORING
from sync import keys
from tests.fakes import FakeClock, FakeEntropy
from tests.faults.copies import copy_home
from tests.faults.forks import Forks
from tests.faults.restore_child import PASSPHRASE
from tests.faults.talk import running
from tests.store.homes import tree

OLD, BOTH = "the heron is grey", "the car is on B2"


@pytest.fixture(scope="module")
def children() -> Iterator[Forks]:
    server = Forks("tests.faults.restore_child")
    yield server
    server.close()


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a home and a backup of an earlier state of it."""
    folder = tmp_path_factory.mktemp("ready")
    asyncio.run(said(folder / "home", f"remember {BOTH}"))
    backup.make(
        folder / "home", folder / "a.age", PASSPHRASE,
        settings=b'[person]\nname = "Lin"\n', now=FakeClock().now(), entropy=FakeEntropy("ready"), log_n=4,
    )  # fmt: skip
    asyncio.run(said(folder / "home", f"remember {OLD}"))
    return folder


async def said(home: Path, *texts: str) -> str:
    async with running(home, FakeClock(), start=sum("".join(texts).encode())) as (_, session):
        return "\n".join([reply.text for text in texts for reply in await session.say(text)])


def place(ready: Path, folder: Path, *, empty: bool = False) -> tuple[Path, Path]:
    folder.mkdir()
    if not empty:
        copy_home(ready / "home", folder / "home")
    shutil.copy2(ready / "a.age", folder / "a.age")
    return folder / "home", folder / "a.age"


def count(children: Forks, what: str, home: Path, file: Path) -> int:
    ended = children.run([what, str(home), str(file)])
    assert ended.status == 0, ended
    return int(ended.errors.split()[-1])


def killed(children: Forks, what: str, home: Path, file: Path, at: int) -> None:
    ended = children.run([what, str(home), str(file), "--at", str(at)])
    assert ended.status == -signal.SIGKILL, ended


def holding(folder: Path, words: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


async def is_whole(home: Path) -> bool:
    """Whether it is the new home. The old or the new one starts, and no other copy of its words is left anywhere."""
    heard = await said(home, "where is the car", "what colour is the heron")
    assert BOTH in heard
    assert not (home / RESTORING).exists() and not (home / MAKING).exists()
    for one in (OLD, BOTH):
        assert all(path.parent.parent == home / "scopes" for path in holding(home.parent, one)), one
    new = OLD not in heard
    if new:
        (kept,) = (home / "backups").glob("before-restore-*.age")
        assert backup.verify(kept, PASSPHRASE).entries == 2
        assert (home / "keys" / "device.key.was").exists()
    return new


async def sweep_restore(children: Forks, ready: Path, folder: Path, points: Sequence[int]) -> list[bool]:
    became = []
    for at in points:
        home, file = place(ready, folder / str(at))
        try:
            killed(children, "restore", home, file, at)
            became.append(await is_whole(home))
        except BaseException as broken:
            broken.add_note(f"again: python -m tests.faults.restore_child restore HOME FILE --at {at}")
            raise
        shutil.rmtree(folder / str(at))
    return became


def spread(total: int, wanted: int) -> list[int]:
    return sorted({1 + index * (total - 1) // max(1, wanted - 1) for index in range(wanted)})


async def test_a_restore_killed_at_some_steps_leaves_the_old_home_or_the_new(
    children: Forks, ready: Path, tmp_path: Path
) -> None:
    total = count(children, "restore", *place(ready, tmp_path / "count"))
    became = await sweep_restore(children, ready, tmp_path, spread(total, 10))
    assert became == sorted(became), "once it is the new one, it stays so"
    assert became[0] is False and became[-1] is True


@pytest.mark.slow
async def test_a_restore_killed_at_every_step_leaves_the_old_home_or_the_new(
    children: Forks, ready: Path, tmp_path: Path
) -> None:
    total = count(children, "restore", *place(ready, tmp_path / "count"))
    became = await sweep_restore(children, ready, tmp_path, range(1, total + 1))
    assert became == sorted(became)
    assert became.count(True) > 10 and became.count(False) > 30


@pytest.mark.slow
async def test_finishing_a_restore_that_was_cut_off_may_be_cut_off_too(
    children: Forks, ready: Path, tmp_path: Path
) -> None:
    home, file = place(ready, tmp_path / "count")
    total = count(children, "restore", home, file)
    committed = total - 1
    while True:  # back to the last point where all of the renames are still to be done
        home, file = place(ready, tmp_path / f"at-{committed}")
        killed(children, "restore", home, file, committed)
        if (home / RESTORING / "ready").exists() and len(list(home.glob("restoring/new/*"))) == 4:
            break
        committed -= 1
    shutil.copytree(home, tmp_path / "whole" / "home", copy_function=shutil.copy2)
    steps = count(children, "start", home, file)
    assert await is_whole(home)
    for at in range(1, steps + 1):
        home = tmp_path / "again" / "home"
        home.parent.mkdir()
        shutil.copytree(tmp_path / "whole" / "home", home)
        killed(children, "start", home, file, at)
        assert await is_whole(home), at
        shutil.rmtree(home.parent)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
async def test_a_restore_on_an_empty_machine_may_be_done_again(
    children: Forks, ready: Path, tmp_path: Path, every: int
) -> None:
    total = count(children, "restore", *place(ready, tmp_path / "count", empty=True))
    for at in range(2, total + 1, every):
        home, file = place(ready, tmp_path / str(at), empty=True)
        killed(children, "restore", home, file, at)
        assert children.run(["restore", str(home), str(file)]).status == 0, at
        assert BOTH in await said(home, "where is the car")
        assert not (home / RESTORING).exists()
        shutil.rmtree(home.parent)


async def sweep_backup(children: Forks, ready: Path, folder: Path, points: Sequence[int]) -> None:
    for at in points:
        home, file = place(ready, folder / str(at))
        before = file.read_bytes()
        killed(children, "backup", home, file, at)
        if file.read_bytes() != before:
            assert backup.verify(file, PASSPHRASE).entries == 2
        device = keys.load(home)
        heard = await said(home, "where is the car", "what colour is the heron")
        assert BOTH in heard and OLD in heard and keys.load(home) == device
        assert not (home / MAKING).exists()
        assert all(path.parent.parent == home / "scopes" for path in holding(home.parent, OLD)), at
        assert children.run(["backup", str(home), str(file)]).status == 0
        assert backup.verify(file, PASSPHRASE).entries == 2
        assert sorted(path.name for path in home.parent.iterdir()) == ["a.age", "home"]
        shutil.rmtree(folder / str(at))


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
async def test_a_backup_killed_at_a_step_costs_nothing_and_leaves_nothing_in_the_open(
    children: Forks, ready: Path, tmp_path: Path, every: int
) -> None:
    total = count(children, "backup", *place(ready, tmp_path / "count"))
    await sweep_backup(children, ready, tmp_path, range(1, total + 1, every))


async def test_a_doctor_in_the_middle_of_a_restore_says_so_and_touches_nothing(
    children: Forks, ready: Path, tmp_path: Path
) -> None:
    home, file = place(ready, tmp_path / "a")
    total = count(children, "restore", *place(ready, tmp_path / "count"))
    for at in range(total, 0, -1):
        shutil.rmtree(home.parent)
        home, file = place(ready, tmp_path / "a")
        killed(children, "restore", home, file, at)
        if not (home / "device.db").exists():
            break
    before = tree(home)
    with pytest.raises(HomeRefused) as raised:
        await checkup.run(home, words("en"), rebuild=False, as_json=False, out=io.BytesIO(), mounts="")
    assert raised.value.code == "error-restoring"
    assert tree(home) == before
    assert await is_whole(home)
