"""A home: one process at a time, nothing begun anew in silence, every cut-off beginning taken up again."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import home as house
from store.device import DATABASE
from store.errors import Damaged, DatabaseCorrupt, DiskFull, HomeInUse, HomeRefused, KeyMissing, NotAllowed, ReadOnly
from store.grants import GroupClaim, PrivateClaim, ScopeGrant, grant
from store.home import Home, HomeLock, check_home
from store.memory import Memory
from store.model import AccountID, Role, ScopeID, ScopeKind
from tests.fakes import FakeClock, FakeEntropy
from tests.store.memories import PAST_UNDO, forget, remember

KEYS = bytes(range(16))
LIN, WANG = AccountID("terminal:lin"), AccountID("terminal:wang")
HOLDER = """
import fcntl, os, sys
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(lock, fcntl.LOCK_EX)
os.write(lock, sys.argv[2].format(pid=os.getpid()).encode())
print(os.getpid(), flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def opened(
    path: Path, *, seed: str = "", clock: FakeClock | None = None, keys: bytes = KEYS
) -> AsyncIterator[Home]:
    home = await Home.open(
        path, load_device_id=lambda _: keys, clock=clock or FakeClock(), entropy=FakeEntropy(seed), seed={"zone": "UTC"}
    )
    try:
        yield home
    finally:
        await home.close()


def lins(home: Home) -> ScopeGrant:
    return grant(PrivateClaim(LIN), home.device)


@contextmanager
def held_by_another_process(home: Path, text: str) -> Iterator[int]:
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-c", HOLDER, str(home / "lock"), text]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait()


# one process


async def test_a_second_process_is_refused_with_the_firsts_name(tmp_path: Path) -> None:
    with held_by_another_process(tmp_path, "{pid} study\n") as pid:
        with pytest.raises(HomeInUse) as raised:
            await HomeLock.acquire(tmp_path, wait_s=0)
        assert raised.value.facts == {"pid": str(pid), "host": "study"}
    (await HomeLock.acquire(tmp_path, wait_s=0)).release()


async def test_a_holder_that_left_no_name_is_still_a_holder(tmp_path: Path) -> None:
    with held_by_another_process(tmp_path, ""):
        with pytest.raises(HomeInUse) as raised:
            await HomeLock.acquire(tmp_path, wait_s=0)
        assert raised.value.facts == {"pid": "?", "host": "?"}


async def test_a_start_waits_a_moment_for_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await HomeLock.acquire(tmp_path, wait_s=0)
    waits: list[float] = []

    async def leaves(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            first.release()

    monkeypatch.setattr(house.asyncio, "sleep", leaves)
    second = await HomeLock.acquire(tmp_path)
    assert len(waits) == 3
    with pytest.raises(HomeInUse):
        await HomeLock.acquire(tmp_path)
    assert sum(waits[3:]) == pytest.approx(house.LOCK_WAIT_S, abs=0.06)
    second.release()
    second.release()


async def test_the_lock_names_its_holder_and_forgets_it(tmp_path: Path) -> None:
    async with opened(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()} {socket.gethostname()}\n"
        with pytest.raises(HomeInUse):
            await HomeLock.acquire(tmp_path, wait_s=0)
    assert (tmp_path / "lock").read_text() == ""


async def test_a_full_disk_does_not_keep_anybody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(house.os, "pwrite", full)
    lock = await HomeLock.acquire(tmp_path, wait_s=0)
    with pytest.raises(HomeInUse):
        await HomeLock.acquire(tmp_path, wait_s=0)
    lock.release()


async def test_a_home_that_is_a_file_or_cannot_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(HomeRefused):
            await HomeLock.acquire(path, wait_s=0)

    def read_only(*_: Any) -> int:
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(house.os, "open", read_only)
    with pytest.raises(ReadOnly):
        await HomeLock.acquire(tmp_path / "home", wait_s=0)


# nothing anew in silence


@pytest.mark.parametrize("part", ["niannian.toml", "scopes"])
async def test_parts_of_a_home_without_its_database_are_refused(tmp_path: Path, part: str) -> None:
    """B73: an update changed where the home is; beginning anew there would abandon the real one."""
    (tmp_path / part).mkdir()
    with pytest.raises(HomeRefused) as raised:
        check_home(tmp_path)
    assert raised.value.facts == {"path": str(tmp_path), "found": part}
    with pytest.raises(HomeRefused):
        async with opened(tmp_path):
            pass
    assert sorted(one.name for one in tmp_path.iterdir()) == [part]


async def test_a_database_that_went_missing_is_refused_and_nothing_is_touched(tmp_path: Path) -> None:
    async with opened(tmp_path) as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
    (tmp_path / DATABASE).unlink()
    before = sorted(str(one) for one in tmp_path.rglob("*"))
    with pytest.raises(HomeRefused):
        async with opened(tmp_path):
            pass
    assert sorted(str(one) for one in tmp_path.rglob("*")) == before


async def test_an_empty_folder_and_a_whole_home_are_welcome(tmp_path: Path) -> None:
    check_home(tmp_path)
    check_home(tmp_path / "not there yet")
    async with opened(tmp_path / "home") as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
    check_home(tmp_path / "home")


async def test_other_keys_are_refused_and_the_lock_is_let_go(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    with pytest.raises(KeyMissing):
        async with opened(tmp_path, keys=bytes(16)):
            pass
    async with opened(tmp_path):
        pass


async def test_a_scope_whose_folder_is_gone_is_said_so_and_not_made_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
        scope = lins(home).scope
    shutil.rmtree(tmp_path / "scopes" / scope)
    async with opened(tmp_path) as home:
        with pytest.raises(Damaged) as raised:
            await home.memory(lins(home))
        assert raised.value.code == "error-scope-missing"
        assert await home.erase_due() == 0
    assert not (tmp_path / "scopes" / scope).exists()


# beginnings that were cut off


async def test_a_crash_between_reserving_and_filling_a_scope_is_taken_up_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as home:
        await home.device.let_in(LIN, "Lin", Role.OWNER)
        scope = lins(home).scope
        assert not home.device.scope(scope).made
    async with opened(tmp_path, seed="later") as home:
        memory = await home.memory(lins(home))
        assert memory.scope == scope
        assert home.device.scope(scope).made
        assert await memory.read(lambda view: view.registers("meta")["kind"].value) == "private"
        assert await memory.read(lambda view: view.setting("zone")) == "UTC"


async def test_a_crash_while_filling_a_scope_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def crash(*_: Any, **__: Any) -> None:
        raise RuntimeError("the power went")

    async with opened(tmp_path) as home:
        await home.device.let_in(LIN, "Lin", Role.OWNER)
        for method in (Memory, "found"), (type(home.device), "mark_made"):
            with monkeypatch.context() as patched:
                patched.setattr(*method, crash)
                with pytest.raises(RuntimeError):
                    await home.memory(lins(home))
            assert home.opened() == []
    async with opened(tmp_path, seed="later") as home:
        memory = await home.memory(lins(home))
        assert home.device.scope(memory.scope).made
        assert len(await memory.changes_after(0, 100)) == 1


# memories


async def test_one_scope_is_opened_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
        memory = await home.memory(lins(home))
        assert await home.memory(lins(home)) is memory
        assert home.opened() == [memory]


async def test_the_scopes_meta_says_whose_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
        await home.join_group("terminal:team", "Team", LIN, "Lin", Role.ADMIN)
        await home.join_group("terminal:team", "Team", WANG, "Wang", Role.MEMBER)
        await home.join_group("terminal:team", "Team", LIN, "Lin", Role.MEMBER)
        team = await home.memory(grant(GroupClaim("terminal:team", WANG), home.device))
        meta = await team.read(lambda view: {name: one.value for name, one in view.registers("meta").items()})
        assert meta["account/terminal:lin"] == {"name": "Lin", "role": "admin"}
        assert meta["account/terminal:wang"] == {"name": "Wang", "role": "member"}
        assert (meta["kind"], team.kind) == ("group", ScopeKind.GROUP)
        before = await team.changes_after(0, 100)
        await home.join_group("terminal:team", "Team", WANG, "Wang", Role.MEMBER)
        assert await team.changes_after(0, 100) == before


async def test_a_word_of_one_scope_is_in_no_file_of_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
        await home.let_in(WANG, "Wang", Role.MEMBER)
        mine = await home.memory(lins(home))
        theirs = await home.memory(grant(PrivateClaim(WANG), home.device))
        await mine.turn(lambda writer: remember(writer, "the canary is turmalin"))
        assert await theirs.read(lambda view: view.count()) == 0
    holding = {one for one in tmp_path.rglob("*") if one.is_file() and b"turmalin" in one.read_bytes()}
    assert holding == {tmp_path / "scopes" / mine.scope / "memory.db"}


async def test_due_erasures_run_in_every_scope_that_is_there(tmp_path: Path) -> None:
    clock = FakeClock()
    async with opened(tmp_path, clock=clock) as home:
        for account in (LIN, WANG):
            await home.let_in(account, account, Role.MEMBER)
            memory = await home.memory(grant(PrivateClaim(account), home.device))
            record = (await memory.turn(lambda writer: remember(writer, "to go"))).id
            await memory.turn(lambda writer, record=record: forget(writer, record))  # type: ignore[misc]
        await home.device.let_in(AccountID("terminal:reserved"), "R", Role.MEMBER)
        assert await home.erase_due() == 0
        clock.advance(PAST_UNDO)
    async with opened(tmp_path, seed="later", clock=clock) as home:
        assert await home.erase_due(opened_only=True) == 0
        await home.memory(lins(home))
        assert await home.erase_due(opened_only=True) == 1
        assert await home.erase_due() == 1
        assert await home.erase_due() == 0


async def test_a_damaged_scope_is_not_erased_from(tmp_path: Path) -> None:
    clock = FakeClock()
    async with opened(tmp_path, clock=clock) as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
        memory = await home.memory(lins(home))
        record = (await memory.turn(lambda writer: remember(writer, "to go"))).id
        await memory.turn(lambda writer: forget(writer, record))
        clock.advance(timedelta(hours=1))
        memory.database.refusal = DatabaseCorrupt(path="flipped")
        assert await home.erase_due() == 0
        with pytest.raises(DatabaseCorrupt):
            await memory.turn(lambda writer: None)


async def test_a_scope_that_cannot_be_erased_from_now_keeps_what_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(_: Memory) -> int:
        raise DiskFull(path="x")

    clock = FakeClock()
    async with opened(tmp_path, clock=clock) as home:
        await home.let_in(LIN, "Lin", Role.OWNER)
        memory = await home.memory(lins(home))
        record = (await memory.turn(lambda writer: remember(writer, "to go"))).id
        await memory.turn(lambda writer: forget(writer, record))
        clock.advance(PAST_UNDO)
        with monkeypatch.context() as patched:
            patched.setattr(Memory, "erase_due", full)
            assert await home.erase_due() == 0
        assert home.refusals() == []
        assert await home.erase_due() == 1


async def test_nobody_unknown_gets_a_memory(tmp_path: Path) -> None:
    async with opened(tmp_path) as home:
        with pytest.raises(NotAllowed):
            lins(home)
        assert home.opened() == []
        assert not (tmp_path / "scopes").exists()
        assert ScopeID("") not in {one.scope for one in home.device.scopes()}


async def test_an_emptied_database_is_refused_and_not_filled_anew(tmp_path: Path) -> None:
    """B73: starting over in silence is how people lose years of notes."""
    (tmp_path / "scopes").mkdir()
    (tmp_path / "device.db").touch()
    with pytest.raises(HomeRefused):
        check_home(tmp_path)
    assert (tmp_path / "device.db").stat().st_size == 0
