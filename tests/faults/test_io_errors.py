"""An I/O error at every statement of a conversation: told plainly, and nothing acknowledged is lost.

A failing point names the one call that does it again.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.faults.copies import copy_home
from tests.faults.raising import FULL, IO_WRITE, Failing, Plan, factory_of
from tests.faults.stride import points
from tests.faults.talk import SCRIPT, Told, check_home, check_reply, running

QUICK_STEP = 89
MORE = 10


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has been talked to once and closed."""
    home = tmp_path_factory.mktemp("begun") / "home"

    async def begin() -> None:
        async with running(home, FakeClock(), start=0) as (_, session):
            for line in SCRIPT:
                await session.say(line.format(n="old"))

    asyncio.run(begin())
    return home


async def converse(home: Path, plan: Plan, told: Told) -> None:
    """The script with the plan in force, then ten more writes without it, in the same process."""
    clock = FakeClock()
    at, failing, error, only = plan.at, plan.failing, plan.error, plan.only
    plan.begin(0)
    async with running(home, clock, start=1, factory=factory_of(plan)) as (_, session):
        plan.begin(at, failing, error, only)
        for line in SCRIPT:
            said = line.format(n="new")
            replies = await session.say(said)
            for reply in replies:
                check_reply(said, reply)
            told.hear(said, replies)
        plan.at = 0
        for number in range(MORE):
            said = f"remember that fact {number} is kept"
            (reply,) = await session.say(said)
            assert reply.stored, f"after the fault: {reply.text}"
            told.hear(said, [reply])
        assert sum("is kept" in words for words in told.saved.values()) == MORE


async def one_case(begun: Path, folder: Path, plan: Plan) -> None:
    home = folder / "home"
    copy_home(begun, home)
    told = Told()
    await converse(home, plan, told)
    check_home(home, told)
    async with running(home, FakeClock(), start=2) as (_, session):  # a reload: asked again, it is all there
        for label in told.saved:
            (reply,) = await session.say(f"/why {label}")
            assert label in reply.text
    check_home(home, told)
    shutil.rmtree(home)


async def statements(begun: Path, folder: Path, only: str = "") -> list[str]:
    plan = Plan(only=only)
    await one_case(begun, folder, plan)
    return list(plan.seen)


async def sweep(
    begun: Path, folder: Path, points: Iterable[int], failing: Failing, error: tuple[int, str], only: str = ""
) -> int:
    done = 0
    for at in points:
        try:
            await one_case(begun, folder / f"{failing}-{at}", Plan(at, failing, error, only=only))
        except BaseException as broken:
            broken.add_note(f"again: one_case(begun, folder, Plan({at}, {failing!r}, {error!r}, only={only!r}))")
            raise
        done += 1
    return done


async def test_some_statements_fail_in_turn(begun: Path, tmp_path: Path) -> None:
    total = len(await statements(begun, tmp_path / "count"))
    assert total > 300
    done = await sweep(begun, tmp_path, range(1, total + 1, QUICK_STEP), Failing.BEFORE, IO_WRITE)
    assert done >= 6


@pytest.mark.parametrize("failing", [Failing.AFTER])
async def test_some_commits_fail_in_turn(begun: Path, tmp_path: Path, failing: Failing) -> None:
    total = len(await statements(begun, tmp_path / "count", "COMMIT"))
    await sweep(begun, tmp_path, range(1, total + 1, 7), failing, FULL, "COMMIT")


@pytest.mark.slow
@pytest.mark.parametrize("failing", [Failing.BEFORE, Failing.AFTER, Failing.TWICE])
async def test_every_statement_fails_in_turn(begun: Path, tmp_path: Path, failing: Failing) -> None:
    total = len(await statements(begun, tmp_path / "count"))
    assert await sweep(begun, tmp_path, points(total, failing, 3), failing, IO_WRITE) >= total // 3


@pytest.mark.slow
@pytest.mark.parametrize("failing", [Failing.BEFORE, Failing.AFTER, Failing.TWICE])
async def test_every_commit_fails_in_turn(begun: Path, tmp_path: Path, failing: Failing) -> None:
    total = len(await statements(begun, tmp_path / "count", "COMMIT"))
    assert await sweep(begun, tmp_path, points(total, failing, 2), failing, FULL, "COMMIT") >= total // 2 - 1
