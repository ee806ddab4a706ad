"""kill -9 between every two steps of receive, store and reply: everything is kept once and nobody is told twice.

What left in the moment of the kill may or may not have arrived: that is asked, and sent again at the person's word.
A failing point prints its number and its way; a failing moment prints its seed.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock
from tests.faults.copies import copy_home
from tests.faults.forks import Forks
from tests.faults.raising import Failing
from tests.faults.service_talk import Burst, Town, found, recover, until_quiet, was_killed
from tests.faults.stride import points

pytestmark = pytest.mark.net


@pytest.fixture(scope="module")
def service_forks() -> Iterator[Forks]:
    server = Forks("tests.faults.service_child")
    yield server
    server.close()


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    home = tmp_path_factory.mktemp("ready") / "home"
    with TelegramServer(FakeClock()) as server:
        yield asyncio.run(found(home, server))


def total_of(forks: Forks, town: Town, folder: Path, only: str = "") -> int:
    """How many points there are in a run without a kill, which must satisfy every check too."""
    home = folder / "count"
    copy_home(town.home, home)
    burst = Burst(town, f"count{only}")
    burst.say()
    ended = until_quiet(forks, town, home, "--only", only)
    assert ended.status == 0, ended
    total = int(ended.errors.split()[-1])
    assert recover(forks, burst, home) == 0
    return total


def one_kill(forks: Forks, town: Town, home: Path, at: int, how: Failing, only: str = "") -> bool:
    """Whether it came to a kill: how writes meet in one transaction, and so their number, differs from run to run."""
    copy_home(town.home, home)
    burst = Burst(town, f"{how}{only}{at}")
    try:
        burst.say()
        killed = was_killed(until_quiet(forks, town, home, "--at", str(at), "--how", how, "--only", only))
        recover(forks, burst, home)
    except BaseException as broken:
        broken.add_note(f"again: one_kill(forks, town, home, {at}, {how!r}, {only!r})")
        raise
    shutil.rmtree(home)
    return killed


def sweep(forks: Forks, town: Town, folder: Path, at: Sequence[int], how: Failing, only: str = "") -> int:
    """How many kills there were."""
    return sum(one_kill(forks, town, folder / f"{how}-{point}", point, how, only) for point in at)


@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
def test_killed_at_some_commits(service_forks: Forks, town: Town, tmp_path: Path, how: Failing) -> None:
    total = total_of(service_forks, town, tmp_path, "COMMIT")
    assert total > 10
    assert sweep(service_forks, town, tmp_path, (2, total // 2), how, "COMMIT") >= 1


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
def test_killed_at_every_commit(service_forks: Forks, town: Town, tmp_path: Path, how: Failing) -> None:
    total = total_of(service_forks, town, tmp_path, "COMMIT")
    assert sweep(service_forks, town, tmp_path, range(1, total + 1), how, "COMMIT") > total // 2


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
def test_killed_at_every_statement(service_forks: Forks, town: Town, tmp_path: Path, how: Failing) -> None:
    total = total_of(service_forks, town, tmp_path)
    wanted = points(total, how, 11)
    assert sweep(service_forks, town, tmp_path, wanted, how) > len(wanted) // 2


# at any moment, from outside


def one_moment(forks: Forks, town: Town, home: Path, seed: int) -> bool:
    copy_home(town.home, home)
    dice = random.Random(seed)
    burst = Burst(town, f"moment{seed}")
    before = len(town.server.events)
    calls, delay_s = dice.randrange(0, 14), dice.random() ** 3 * 0.05

    def kill(process: int) -> None:
        """After so many calls of the bot, in the midst of what follows."""
        town.server.wait(lambda: len(town.server.events) >= before + calls, 60)
        _spin(delay_s)
        forks.kill(process)

    try:
        burst.say()
        killed = was_killed(until_quiet(forks, town, home, at_once=kill))
        recover(forks, burst, home)
    except BaseException as broken:
        broken.add_note(f"again: one_moment(forks, town, home, {seed})")
        raise
    shutil.rmtree(home)
    return killed


def _spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_killed_at_some_moments(service_forks: Forks, town: Town, tmp_path: Path) -> None:
    for seed in range(2):
        one_moment(service_forks, town, tmp_path / str(seed), seed)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_at_a_hundred_moments(service_forks: Forks, town: Town, tmp_path: Path) -> None:
    killed = sum(one_moment(service_forks, town, tmp_path / str(seed), seed) for seed in range(100, 200))
    assert killed > 50
