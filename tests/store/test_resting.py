"""Of many memories only some have their files open; the others are opened again by whoever uses them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from store import home as homes
from store.errors import Damaged, Unavailable
from store.grants import PrivateClaim, grant
from store.home import Home
from store.memory import Memory
from store.model import AccountID, Role
from store.opening import log_of, open_marker
from store.writer import Writer
from tests.fakes import FakeClock, FakeEntropy
from tests.store.memories import Box, forget, remember


async def say(memory: Memory, text: str) -> str:
    return str((await memory.turn(lambda writer: remember(writer, text))).label)


async def texts(memory: Memory) -> set[str]:
    return {entry.draft.text for entry in await memory.read(lambda view: view.entries("hidden = 0"))}


async def test_what_rests_is_closed_and_opens_by_itself(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        first = await say(memory, "the car is on B2")
        await memory.rest()
        assert memory.database.resting
        assert not log_of(memory.database.path).exists()
        assert not open_marker(memory.database.path).exists()
        assert await texts(memory) == {"the car is on B2"}
        assert not memory.database.resting
        await memory.rest()
        assert await say(memory, "the key is under the mat") == first[:-1] + "2"
        await memory.rest()
        await memory.rest()
    async with Box(tmp_path).opened() as memory:
        assert len(await texts(memory)) == 2


async def test_whoever_writes_meanwhile_is_served(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:

        async def rest() -> None:
            for _ in range(20):
                await memory.rest()

        await asyncio.gather(rest(), *(say(memory, f"thing {number}") for number in range(30)), rest())
        assert len(await texts(memory)) == 30


async def test_what_waits_to_be_erased_keeps_its_memory_open(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        gone = await memory.turn(lambda writer: remember(writer, "the zanzibar code"))
        await memory.turn(lambda writer: forget(writer, gone.id))
        await memory.rest()
        assert not memory.database.resting
        box.clock.advance(timedelta(days=1))
        await memory.erase_due()
        await memory.rest()
        assert memory.database.resting


async def test_a_file_that_was_exchanged_meanwhile_is_found_out_and_another_try_is_made(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await say(memory, "the car is on B2")
        await memory.rest()
        shutil.move(box.path, tmp_path / "away")
        box.path.write_bytes(b"no database at all" * 1000)
        with pytest.raises((Unavailable, Damaged)):
            await texts(memory)
        shutil.move(tmp_path / "away", box.path)
        assert await texts(memory) == {"the car is on B2"}


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    opened = await Home.open(
        tmp_path / "home", load_device_id=lambda path: bytes(16), clock=FakeClock(), entropy=FakeEntropy("home")
    )
    yield opened
    await opened.close()


async def test_a_home_keeps_so_many_open_and_answers_for_all(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes, "OPEN_MAX", 3)
    people = [AccountID(f"terminal:as/{number}") for number in range(8)]
    for number, person in enumerate(people):
        await home.let_in(person, f"person {number}", Role.MEMBER)
        await say(await home.memory(grant(PrivateClaim(person), home.device)), f"thing of {number}")
        assert len(home.opened()) <= 3
    for number, person in reversed(list(enumerate(people))):
        memory = await home.memory(grant(PrivateClaim(person), home.device))
        assert await texts(memory) == {f"thing of {number}"}
        await asyncio.gather(*(say(memory, f"more {one}") for one in range(2)))
        assert len(home.opened()) <= 3
        assert home.opened()[-1] is memory
    assert home.writes().keys() == {scope.scope for scope in home.device.scopes()}
    before = home.writes()
    await texts(await home.memory(grant(PrivateClaim(people[0]), home.device)))
    assert home.writes() == before
    changed = await home.memory(grant(PrivateClaim(people[1]), home.device))
    await say(changed, "one more")
    await changed.rest()
    assert {scope for scope, number in home.writes().items() if number != before[scope]} == {changed.scope}


async def test_whoever_is_opened_in_passing_closes_first(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes, "OPEN_MAX", 3)
    people = [AccountID(f"terminal:as/{number}") for number in range(8)]
    for person in people:
        await home.let_in(person, "somebody", Role.MEMBER)
    talking = [await home.memory(grant(PrivateClaim(person), home.device)) for person in people[:2]]
    for memory in talking:
        await texts(memory)
    for person in people[2:]:
        passed = await home.memory(grant(PrivateClaim(person), home.device), passing=True)
        await texts(passed)
    assert home.opened() == [*talking, passed]


async def test_what_refuses_to_close_is_in_nobodys_way(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes, "OPEN_MAX", 2)
    people = [AccountID(f"terminal:as/{number}") for number in range(6)]
    for number, person in enumerate(people):
        await home.let_in(person, "somebody", Role.MEMBER)
        memory = await home.memory(grant(PrivateClaim(person), home.device))
        if number < 2:
            gone = await memory.turn(lambda writer: remember(writer, "the zanzibar code"))
            await memory.turn(lambda writer, gone=gone: forget(writer, gone.id))  # type: ignore[misc]
    assert len(home.opened()) == 3, "two wait to erase, and one is wanted"


async def test_what_writes_nothing_leaves_the_file_alone_and_what_does_is_written_once(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await say(memory, "the car is on B2")
        await memory.rest()
        runs = 0

        def look(writer: Writer) -> int:
            return writer.count()

        def write(writer: Writer) -> None:
            nonlocal runs
            runs += 1
            remember(writer, "the keys are in the drawer")

        writes = memory.database.writes
        assert await memory.turn_if_it_writes(look) == await memory.turn(look) == 1
        assert memory.database.writes == writes
        await memory.rest()
        assert await memory.turn_if_it_writes(look) == 1
        assert not open_marker(memory.database.path).exists()
        await memory.turn_if_it_writes(write)
        assert runs == 2
        assert await texts(memory) == {"the car is on B2", "the keys are in the drawer"}
        await say(memory, "one more")
        assert len(await texts(memory)) == 3
