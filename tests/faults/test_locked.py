"""B47: readers, a writer and a second process that looks, all at once: nobody is told that anything is locked."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from store.examine import Level, examine_memory
from tests.fakes import FakeClock
from tests.faults.talk import check_reply, memory_files, running

PER_S = 50


@pytest.mark.parametrize("seconds", [1, pytest.param(60, marks=pytest.mark.slow)])
async def test_nobody_is_told_that_the_database_is_locked(tmp_path: Path, seconds: int) -> None:
    clock = FakeClock()
    async with running(tmp_path / "home", clock, start=0) as (app, session):
        await session.say("remember tea is green")
        readers = [await app.session() for _ in range(2)]
        (path,) = memory_files(tmp_path / "home")
        over = asyncio.Event()
        answered = 0

        async def read(one: int) -> None:
            nonlocal answered
            while not over.is_set():
                for reply in await readers[one].say("what did we decide about tea"):
                    assert not reply.failed, reply.text
                    answered += 1
                await asyncio.sleep(0)

        async def write() -> None:
            for number in range(seconds * PER_S):
                said = f"remember thing {number} of many"
                (reply,) = await session.say(said)
                check_reply(said, reply)
                assert reply.stored, reply.text
                clock.advance(timedelta(seconds=1 / PER_S))
            over.set()

        other = await asyncio.create_subprocess_exec(
            sys.executable, "-c", LOOK, str(path), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        try:
            async with asyncio.timeout(seconds * 20 + 60), asyncio.TaskGroup() as group:
                group.create_task(read(0))
                group.create_task(read(1))
                group.create_task(write())
            assert other.returncode is None, (await other.communicate())[0]
        finally:
            # Not a plea: a parent that ignores SIGTERM, as a runner of jobs may, gives that to all below it.
            if other.returncode is None:
                other.kill()
            await other.communicate()
        assert answered > 0
    assert all(finding.level is Level.OK for finding in examine_memory(path, "scope").findings)
    count = sqlite3.connect(path).execute("SELECT count(*) FROM entries").fetchone()[0]
    assert count == 1 + seconds * PER_S


LOOK = """
import sqlite3, sys
while True:
    conn = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=5)
    assert conn.execute("SELECT count(*) FROM changes").fetchone()[0] > 0
    conn.execute("PRAGMA quick_check").fetchall()
    conn.close()
"""
