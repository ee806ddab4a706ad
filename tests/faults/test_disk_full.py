"""B55: a full disk is said in those words, answers go on, and with room it goes on without a restart."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.message import Reply
from bot.platforms.terminal import TerminalSession
from tests.fakes import FakeClock
from tests.faults.forks import ENVIRONMENT, ROOT
from tests.faults.talk import Told, check_home, check_reply, running

THINGS_MAX = 400
LONG = "and so on, " * 100


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False
    ).returncode:
        pytest.skip("nothing may be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


async def until_refused(session: TerminalSession, told: Told) -> Reply:
    for number in range(THINGS_MAX):
        said = f"remember that thing {number} is kept {LONG}"
        (reply,) = await session.say(said)
        check_reply(said, reply)
        told.hear(said, [reply])
        if reply.failed:
            return reply
    raise AssertionError("it never got full")


async def test_a_small_disk_gets_full_and_is_freed(small_disk: Path) -> None:
    told = Told()
    filler = small_disk / "filler"
    filler.write_bytes(bytes(250_000))
    async with running(small_disk / "home", FakeClock(), start=0) as (_, session):
        refused = await until_refused(session, told)
        assert refused.text.startswith("Not saved: the disk is full")
        (answer,) = await session.say("what is thing 0")
        assert not answer.failed and "thing 0" in answer.text
        (again,) = await session.press_action("retry")
        assert again.failed
        filler.unlink()
        (kept,) = await session.press_action("retry")
        assert kept.stored, kept.text
    check_home(small_disk / "home", told)


async def test_a_start_on_a_full_disk_answers(small_disk: Path) -> None:
    home = small_disk / "home"
    async with running(home, FakeClock(), start=0) as (_, session):
        await session.say("remember tea is green")
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space"):
        filler.write_bytes(bytes(2_000_000))
    async with running(home, FakeClock(), start=1) as (_, session):
        (answer,) = await session.say("what is tea")
        assert "green" in answer.text and not answer.failed
        (nothing,) = await session.say("what is coffee")
        assert not nothing.failed
        assert all(len(one.action.split()) > 1 for one in nothing.buttons), "no button without what it offers"
        (refused,) = await session.say("remember milk is white")
        assert refused.failed and refused.text.startswith("Not saved"), refused.text
        filler.unlink()
        (kept,) = await session.press_action("retry")
        assert kept.stored, kept.text
    check_home(home, Told())


def test_a_limit_on_the_size_of_files_is_said_and_lifted(tmp_path: Path) -> None:
    """RLIMIT_FSIZE: the first write past the limit fails as on a file system that holds no larger file.

    In a fresh process. A fork of this one would have whatever lock another thread of it held at that moment, for ever.
    """
    run = f"import asyncio, pathlib, {__name__} as test; asyncio.run(test.limited(pathlib.Path({str(tmp_path)!r})))"
    done = subprocess.run(
        [sys.executable, "-c", run], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    check_home(tmp_path / "home", Told())


async def limited(folder: Path) -> None:
    home = folder / "home"
    told = Told()
    async with running(home, FakeClock(), start=0) as (_, session):
        await session.say("remember tea is green")
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, hard))
        refused = await until_refused(session, told)
        assert refused.text.startswith("Not saved")
        (answer,) = await session.say("what is tea")
        assert "green" in answer.text
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        (kept,) = await session.press_action("retry")
        assert kept.stored
    check_home(home, told)
