"""Many are due at one minute: no more is put into words than can leave, nobody is left out, and nothing is looked at twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bot import nights, ringing
from bot.commands.reminders import RING
from bot.habits import change
from bot.message import Line, Reply
from bot.places import ROOM, Ring
from bot.ringing import IN_LINE, Ringing
from bot.turn import Turn
from store import home as homes
from store.grants import PrivateClaim, grant
from store.memory import Memory
from store.model import AccountID, Role, SlotState, Source
from store.writer import Writer
from tests.flow.world import World

NINE = datetime(2024, 5, 28, 1, 0, tzinfo=UTC)
PEOPLE = [AccountID(f"telegram:{number}") for number in range(1, 5)]


class Outlet:
    """A platform that takes what it is given; `on_way` of it has not left."""

    def __init__(self, world: World) -> None:
        self._home = world.app.home
        self.on_way = 0
        self.rung: list[str] = []

    async def speaks_since(self) -> datetime | None:
        return datetime(1970, 1, 1, tzinfo=UTC)

    async def ring(self, ring: Ring) -> bool:
        await self._home.slots.keep(ring.slots, SlotState.SENT)
        self.on_way += 1
        self.rung.append(f"{ring.place.chat.id} {ring.reply.text.splitlines()[0]}")
        return True

    def waiting(self) -> int:
        return self.on_way


def say(turn: Turn, sent: Sequence[date]) -> Reply | str:
    return Reply((Line("good morning"),))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as made:
        for person in PEOPLE:
            await made.app.home.let_in(person, "somebody", Role.MEMBER)
            where: list[object] = [person, "", made.app.home.device_id[:8].hex()]
            memory = await memory_of(made, person)
            await memory.turn(
                lambda writer, where=where, person=person: change(  # type: ignore[misc]
                    writer, person, digest_on=True, digest_at="09:00", digest_place=where
                )
            )
        yield made


async def memory_of(world: World, person: AccountID) -> Memory:
    return await world.app.home.memory(grant(PrivateClaim(person), world.app.home.device))


def ringing_of(world: World) -> tuple[Ringing, Outlet]:
    app = world.app
    made = Ringing(app.home, app.gateway, clock=world.clock, zone="Asia/Shanghai", says={"digest": say})
    made.places.outlets["telegram"] = outlet = Outlet(world)
    return made, outlet


async def test_those_for_whom_there_is_no_room_stand_in_line_and_each_is_told_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ringing, "AT_ONCE", 1)
    made, outlet = ringing_of(world)
    world.clock.set(NINE)
    outlet.on_way = ROOM - 1
    assert await made.tick() == NINE + IN_LINE
    assert len(outlet.rung) == 1
    assert await made.tick() == NINE + IN_LINE
    assert len(outlet.rung) == 1, "nothing has left"
    outlet.on_way = ROOM - 2
    await made.tick()
    assert len(outlet.rung) == 3
    outlet.on_way = 0
    for _ in range(3):
        assert await made.tick() != NINE + IN_LINE
    assert sorted(outlet.rung) == [f"{number} good morning" for number in (1, 2, 3, 4)]


async def test_no_tick_says_all_though_room_is_made_all_the_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ringing, "SERVED_MAX", 3)
    made, outlet = ringing_of(world)
    world.clock.set(NINE)
    assert await made.tick() == NINE, "the others are next"
    assert len(outlet.rung) == 3
    await made.tick()
    assert sorted(outlet.rung) == [f"{number} good morning" for number in (1, 2, 3, 4)]


async def test_who_comes_later_stands_behind_those_in_line(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ringing, "SERVED_MAX", 1)
    memory = await memory_of(world, PEOPLE[0])
    await memory.turn(lambda writer: change(writer, PEOPLE[0], digest_at="09:01"))
    made, outlet = ringing_of(world)
    world.clock.set(NINE)
    outlet.on_way = ROOM
    await made.tick()
    world.clock.set(NINE + timedelta(minutes=1))
    for _ in range(3):
        outlet.on_way = 0
        await made.tick()
    assert sorted(outlet.rung) == [f"{number} good morning" for number in (2, 3, 4)]


async def test_a_reminder_does_not_wait_for_those_in_line(world: World) -> None:
    memory = await memory_of(world, PEOPLE[3])
    made, outlet = ringing_of(world)
    world.clock.set(NINE)
    outlet.on_way = ROOM
    await made.tick()
    phone = PEOPLE[3]
    await memory.turn(lambda writer: _remind(writer, phone))
    world.clock.set(NINE + timedelta(seconds=60))
    await made.tick()
    assert outlet.rung == ["4 eat"]


def _remind(writer: Writer, person: AccountID) -> None:
    source = Source("telegram", person.partition(":")[2], "")
    task = writer.add_task("eat", at_ms=0, zone="Asia/Shanghai", author=person, source=source)
    writer.set(task.id, "due", "2024-05-28T09:01", by=person)
    writer.set(task.id, RING, [person, "", ""], by=person)


async def test_a_tick_with_nothing_due_opens_no_memory(world: World) -> None:
    made, outlet = ringing_of(world)
    world.clock.set(NINE)
    for _ in range(3):
        await made.tick()
    assert len(outlet.rung) == len(PEOPLE)
    memories = [await memory_of(world, person) for person in PEOPLE]
    for memory in memories:
        await memory.rest()
    world.clock.set(NINE + timedelta(hours=1))
    await made.tick()
    assert all(memory.database.resting for memory in memories)
    await memories[0].turn(lambda writer: change(writer, PEOPLE[0], digest_at="11:00"))
    await memories[0].rest()
    assert await made.tick() == NINE + timedelta(hours=2), "what was changed is looked at, open or not"


async def test_many_memories_are_looked_at_and_tidied_some_at_a_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ringing, "LOOKS_MAX", 2)
    monkeypatch.setattr(ringing, "NIGHTS_MAX", 1)
    made, _ = ringing_of(world)
    night = datetime(2024, 5, 27, 19, 30, tzinfo=UTC)
    world.clock.set(night)
    ticks = 1
    while await made.tick() == night:
        ticks += 1
        assert ticks < 20
    assert ticks >= len(PEOPLE)
    for person in PEOPLE:
        account = world.app.home.device.account(person)
        assert account is not None
        (row,) = await world.app.home.slots.of_person(account.scope, nights.TIDY)
        assert row.state is SlotState.SENT


async def test_who_is_talked_to_stays_open_while_thousands_pass(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes, "OPEN_MAX", 3)
    talking = await memory_of(world, PEOPLE[0])
    made, outlet = ringing_of(world)
    world.clock.set(NINE)
    await made.tick()
    assert len(outlet.rung) == len(PEOPLE)
    assert not talking.database.resting
    assert len(world.app.home.opened()) <= 3
