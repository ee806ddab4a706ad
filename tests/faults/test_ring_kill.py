"""kill -9 between every two steps of a ring on Telegram: at most one message, and one unless nobody can know.

What was on its way in the moment of the kill may have arrived; it is never sent again by itself.
A failing point prints its number and its way.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.emulators.telegram.people import Person
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock
from tests.faults.copies import copy_home
from tests.faults.forks import Ended, Forks
from tests.faults.raising import Failing
from tests.faults.service_talk import was_killed
from tests.faults.stride import points
from tests.service.world import Telegram

pytestmark = pytest.mark.net

DUE = "2024-05-27T17:00:00+08:00"
LATER = "2024-05-27T17:01:00+08:00"


@dataclass(frozen=True, slots=True)
class Ready:
    """A home with something to say at one moment, and the server that knows its bot. `slots`: what it takes; `head`: of the message."""

    server: TelegramServer
    lin: Person
    home: Path
    slots: int
    head: str


SAID = {
    "reminders": (["remind me at 17:00 to eat", "remind me at 17:00 to drink"], 2, "2 reminders:\neat · 17:00 · "),
    "digest": (["/digest 17:00"], 1, "Good morning, "),
}


@pytest.fixture(scope="module")
def ring_forks() -> Iterator[Forks]:
    server = Forks("tests.faults.ring_child")
    yield server
    server.close()


@pytest.fixture(scope="module", params=["reminders", pytest.param("digest", marks=pytest.mark.slow)])
def ready(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    home = tmp_path_factory.mktemp("ready") / "home"
    with TelegramServer(FakeClock()) as server:
        yield asyncio.run(_found(home, server, *SAID[request.param]))


async def _found(home: Path, server: TelegramServer, said: Sequence[str], slots: int, head: str) -> Ready:
    world = Telegram(home, FakeClock(), server)
    await world.start()
    try:
        await world.meet_owner()
        for one in said:
            await world.says(world.lin, one)
        return Ready(server, world.lin, home, slots, head)
    finally:
        await world.stop()


def run(forks: Forks, ready: Ready, home: Path, now: str, *options: str) -> Ended:
    return forks.run([str(home), ready.server.base_url, now, *options])


def one_kill(forks: Forks, ready: Ready, home: Path, at: int, how: Failing, only: str = "") -> bool:
    copy_home(ready.home, home)
    before = len(ready.server.sent(ready.lin))
    try:
        ended = run(forks, ready, home, DUE, "--at", str(at), "--how", how, "--only", only)
        killed = was_killed(ended)
        for now in (DUE, LATER):
            again = run(forks, ready, home, now)
            assert again.status == 0, again
        texts = [message.text for message in ready.server.sent(ready.lin)[before:]]
        assert all(text.startswith(ready.head) for text in texts), texts
        states = states_of(home)
        assert len(states) == ready.slots and len(set(states)) == 1, states
        assert len(texts) <= 1, f"{len(texts)} messages"
        if not texts:
            assert set(states) == {("uncertain", "uncertain")}, states
        else:
            assert set(states) <= {("sent", "sent"), ("uncertain", "uncertain")}, states
    except BaseException as broken:
        broken.add_note(f"again: one_kill(forks, ready, home, {at}, {how!r}, {only!r})")
        raise
    shutil.rmtree(home)
    return killed


def states_of(home: Path) -> list[tuple[str, str]]:
    """Of each slot, and of the delivery that it is."""
    with closing(sqlite3.connect(home / "device.db")) as conn:
        rows = conn.execute("SELECT slots.state, outbox.state FROM slots JOIN outbox ON outbox.pos = slots.outbox")
        return [(str(slot), str(delivery)) for slot, delivery in rows]


def total_of(forks: Forks, ready: Ready, folder: Path, only: str = "") -> int:
    home = folder / f"count{only}"
    copy_home(ready.home, home)
    ended = run(forks, ready, home, DUE, "--only", only)
    assert ended.status == 0, ended
    assert states_of(home) == [("sent", "sent")] * ready.slots
    shutil.rmtree(home)
    return int(ended.errors.split()[-1])


def sweep(forks: Forks, ready: Ready, folder: Path, at: Sequence[int], how: Failing, only: str = "") -> int:
    return sum(one_kill(forks, ready, folder / f"{how}-{point}", point, how, only) for point in at)


@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
def test_killed_at_every_second_commit_of_a_ring(ring_forks: Forks, ready: Ready, tmp_path: Path, how: Failing) -> None:
    total = total_of(ring_forks, ready, tmp_path, "COMMIT")
    assert total >= 4
    wanted = range(1 if how is Failing.KILL_BEFORE else 2, total + 1, 2)
    assert sweep(ring_forks, ready, tmp_path, wanted, how, "COMMIT") >= len(wanted) - 1


EVERY = 8
"""Of some three hundred statements; all of them with NIANNIAN_SWEEPS=all."""


@pytest.mark.slow
@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
def test_killed_at_every_statement_of_a_ring(ring_forks: Forks, ready: Ready, tmp_path: Path, how: Failing) -> None:
    some = points(total_of(ring_forks, ready, tmp_path), how, EVERY)
    assert sweep(ring_forks, ready, tmp_path, some, how) > len(some) // 2
