"""One story of several devices over a transport that lies; all chance comes from one seeded source."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from store import cards
from store.grants import PrivateClaim, grant
from store.home import Home
from store.model import Draft, Entry, Origin, Review, Role, ScopeID, Source
from store.renewal import renew
from store.view import View
from store.writer import Writer
from sync import identity, keys, membership, state
from sync.engine import Engine
from sync.erasing import found_anew
from sync.errors import TransportDown
from tests.fakes import FakeClock, FakeEntropy
from tests.sim.carriers import Carrier, Wire
from tests.sync.fuse import Crash, Fuse, Fused
from tests.sync.world import OWNER, Device, admit, found, make_device

HERE = Source("terminal", "private", "")
OPERATIONS = 200
"""Of each device."""
SKEW = timedelta(days=900)
ROWS = {
    "entries": "SELECT * FROM entries ORDER BY id",
    "tasks": "SELECT * FROM tasks ORDER BY id",
    "cards": "SELECT * FROM cards ORDER BY id",
    "reviews": "SELECT * FROM reviews ORDER BY id",
    "registers": "SELECT * FROM registers ORDER BY record, field",
    "labels": "SELECT * FROM labels ORDER BY label, record, digest",
}


@dataclass(slots=True)
class Place:
    """One device of the story, its way to the others, and a copy of its home made at some time."""

    device: Device
    wire: Wire
    clock: FakeClock
    backup: Path | None = None
    removed: bool = False


@dataclass(slots=True)
class Story:
    seed: int
    folder: Path
    carrier: Carrier
    chance: Random
    operations: int = OPERATIONS
    places: list[Place] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    """Every record ever remembered, task or entry → its text."""
    gone: set[str] = field(default_factory=set)
    """What was only on a device that was put back to an earlier state, or was removed before it told anyone."""
    brought: set[str] = field(default_factory=set)
    """What homes that were in use brought along, under labels that others may have given too."""
    made: int = 0

    async def begin(self) -> None:
        await self._join("home")
        await found(self.places[0].device)
        await self._join("phone")

    async def run(self) -> None:
        """So many operations on each device, in one order, with the carrier's moods between them."""
        count = self.chance.randint(3, 5)
        turns = [number for number in range(count) for _ in range(self.operations)]
        self.chance.shuffle(turns)
        events = dict(zip(self.chance.sample(range(len(turns)), 12), self._events(count), strict=False))
        for number, turn in enumerate(turns):
            event = events.get(number)
            if event is not None:
                await event()
            place = self.places[turn % len(self.places)]
            await self._operate(place)
            self.carrier.mood()
            if self.chance.random() < 0.1:
                place.wire.cut = not place.wire.cut
            if self.chance.random() < 0.3:
                await self.sync(place)

    def _events(self, count: int) -> list[Callable[[], Any]]:
        joins = [self._join_used if n % 2 else self._join_new for n in range(count - 2)]
        return [*joins, self._back_up, self._back_up, self._put_back, self._erase, self._erase, self._remove]

    # devices come and go

    async def _join_new(self) -> None:
        await self._join(f"device{len(self.places)}")

    async def _join(self, name: str) -> None:
        wire = self.carrier.wire()
        clock = FakeClock(datetime(2024, 5, 27, 2, 0, tzinfo=UTC) + self.chance.uniform(-1, 1) * SKEW)
        admin = self.places[0].device if self.places else None
        self.places.append(Place(await make_device(self.folder, name, wire, clock, admin), wire, clock))

    async def _join_used(self) -> None:
        """A home that was in use joins: what it held goes on in the memory it comes to."""
        name = f"used{len(self.places)}"
        clock = FakeClock(datetime(2024, 5, 27, 2, 0, tzinfo=UTC) + self.chance.uniform(-1, 1) * SKEW)
        wire = self.carrier.wire()
        device = await make_device(self.folder, name, wire, clock)
        place = Place(device, wire, clock)
        before = set(self.said)
        for _ in range(5):
            await self._operate(place)
        self.brought |= set(self.said) - before
        alone = device.memory
        await self._let_in(device)
        device.memory = await device.home.memory(grant(PrivateClaim(OWNER), device.home.device))
        await device.memory.unite(alone)
        self.places.append(place)

    async def _let_in(self, device: Device) -> None:
        admin = self.places[0].device
        grown = await admit(admin, device.keys)
        lane = grown.members[device.keys.device_id].record.lane
        shared = await membership.share(admin.memory, admin.store, kind="private", title="", aliases=[OWNER], lane=lane)
        await device.home.device.join_private(ScopeID(shared.scope.hex()), lane, OWNER, "Lin", Role.OWNER)
        memory = await device.home.memory(grant(PrivateClaim(OWNER), device.home.device))
        await membership.accept(memory, device.keys, device.store, shared, inviter=admin.keys.device_id)

    async def _back_up(self) -> None:
        place = self._other()
        if place is not None:
            await place.device.close()
            place.backup = self.folder / f"backup{self.made}"
            self.made += 1
            shutil.copytree(place.device.home.path, place.backup)
            await self._open(place)

    async def _put_back(self) -> None:
        """The device is put back to an earlier state of its home, and becomes a new one before it writes."""
        place = next((one for one in self.places if one.backup is not None and not one.removed), None)
        if place is None:
            return
        await self._lost_with(place)
        await place.device.close()
        path = place.device.home.path
        shutil.rmtree(path)
        assert place.backup is not None
        shutil.copytree(place.backup, path)
        self.made += 1
        was, coming = identity.next_keys(path, FakeEntropy(f"{self.seed}/{self.made}"))
        await renew(
            path, was=was.device_id, device_id=coming.device_id, lane=identity.lent_lane(coming.device_id),
            rows=lambda rows: state.renewed(rows, was.device_id), clock=place.clock,
            entropy=FakeEntropy(f"{self.seed}/{self.made}/renew"),
        )  # fmt: skip
        identity.settle(path, "machine")
        await self._open(place)
        await self._operate(place)
        await self._let_in(place.device)
        await self._take_out(was.device_id)

    async def _open(self, place: Place) -> None:
        self.made += 1
        old, entropy = place.device, FakeEntropy(f"{self.seed}/open/{self.made}")
        path = old.home.path
        home = await Home.open(
            path, load_device_id=lambda p: keys.load(p).device_id, clock=place.clock, entropy=entropy
        )
        memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
        own = keys.load(path)
        engine = Engine(own, old.store, place.wire, clock=place.clock, entropy=entropy)
        place.device = Device(old.name, home, memory, own, old.store, engine)

    async def _remove(self) -> None:
        place = self._other()
        if place is None or len(self.places) < 3:
            return
        await self._take_out(place.device.keys.device_id)
        place.removed = True
        await self._lost_with(place)

    async def _take_out(self, device: bytes) -> None:
        admin = self.places[0].device
        self.made += 1
        entropy = FakeEntropy(f"{self.seed}/remove/{self.made}")
        await membership.remove(admin.memory, admin.keys, admin.store, entropy, device)

    async def _lost_with(self, place: Place) -> None:
        """What no other device holds may be lost with this one."""
        held: set[str] = set()
        for other in self.places:
            if other is not place and not other.removed:
                held |= await other.device.memory.read(_records)
        self.gone |= set(self.said) - held

    async def _erase(self) -> None:
        admin = self.places[0]
        await found_anew(
            admin.device.memory, admin.device.keys, admin.device.store, clock=admin.clock,
            entropy=FakeEntropy(f"{self.seed}/erase/{self.made}"), now=self.chance.random() < 0.5,
        )  # fmt: skip
        self.made += 1

    def _other(self) -> Place | None:
        """Any member but the admin."""
        others = [one for one in self.places[1:] if not one.removed]
        return self.chance.choice(others) if others else None

    # what people do

    async def _operate(self, place: Place) -> None:
        device = place.device
        place.clock.advance(timedelta(minutes=self.chance.randint(0, 600)))
        number = len(self.said)
        text = f"第 {number} 句 {self._word(number)}"
        shown = await device.memory.read(lambda view: view.entries("current = 1"))
        kind = self.chance.random()
        one = self.chance.choice(shown) if shown else None
        if one is None or kind < 0.45:
            await self._remember(place, text)
        elif kind < 0.6:
            await self._remember(place, text, one)
        elif kind < 0.72:
            await self._set(device, one.id, "hidden", True)
        elif kind < 0.75:
            await self._restore(device)
        elif kind < 0.8:
            await self._set(device, one.id, "importance", self.chance.randint(0, 1000))
        elif kind < 0.85:
            await self._set(device, "settings", "lang", self.chance.choice(["zh", "en"]))
        elif kind < 0.9:
            await self._set(device, "profile", "name", text)
        elif kind < 0.95:
            await self._learn(place, number)
        else:
            task = await device.memory.turn(
                lambda w: w.add_task(text, at_ms=w.now_ms, zone="UTC", author=OWNER, source=HERE)
            )
            self._noted(place, task.id, text)

    async def _remember(self, place: Place, text: str, before: Entry | None = None) -> None:
        def run(writer: Writer) -> Entry:
            return writer.remember(
                Draft(text=text), at_ms=writer.now_ms, zone="UTC", author=OWNER, source=HERE, origin=Origin.SAID,
                lang="zh", supersedes=(before.id,) if before else (),
            )  # fmt: skip

        self._noted(place, (await place.device.memory.turn(run)).id, text)

    async def _learn(self, place: Place, number: int) -> None:
        """A word is added, or one that is there is answered, or an answer is taken back."""
        known = await place.device.memory.read(cards.cards)
        if not known or self.chance.random() < 0.4:
            word = self._word(number)
            await place.device.memory.turn(lambda w: cards.add_card(w, word, by=OWNER, at_ms=w.now_ms))
            self._noted(place, cards.card_id(word), word)
            return
        card = self.chance.choice(known)
        rating, event = self.chance.randint(1, 4), cards.answer_id(card.id, "2024-05-27", number)

        def answer(writer: Writer) -> None:
            cards.grade(writer, Review(event, card.id, rating, writer.now_ms, slot="2024-05-27", by=OWNER))
            if rating == 1:
                cards.undo_review(writer, event, by=OWNER, at_ms=writer.now_ms, zone="UTC")

        await place.device.memory.turn(answer)
        self._noted(place, event, card.word)

    def _noted(self, place: Place, record: str, text: str) -> None:
        self.said[record] = text
        if place.removed:
            self.gone.add(record)

    async def _restore(self, device: Device) -> None:
        """Somebody looks at a correction of what was forgotten meanwhile, and keeps it."""
        for entry in (await device.memory.read(lambda view: view.entries("held = 1")))[:1]:
            await self._set(device, entry.id, "restored", True)

    async def _set(self, device: Device, record: str, name: str, value: Any) -> None:
        await device.memory.turn(lambda writer: writer.set(record, name, value, by=OWNER))

    def _word(self, number: int) -> str:
        """Nothing that sealed bytes would hold by chance."""
        return hashlib.sha256(f"{self.seed}/{number}".encode()).hexdigest()[:16]

    # and their devices

    async def sync(self, place: Place) -> None:
        """One pass; at times it is cut off by a crash, as with the power."""
        device = place.device
        engine, memory = device.engine, device.memory
        if self.chance.random() < 0.3:
            fuse = Fuse(self.chance.randint(1, 60), late=self.chance.random() < 0.5)
            engine = Engine(
                device.keys, device.store, Fused(place.wire, fuse), clock=place.clock, entropy=device.home._entropy
            )
            memory = Fused(device.memory, fuse)  # type: ignore[assignment]
        try:
            report = await engine.sync(memory)
            assert not (report.elsewhere or report.roster_fork or report.forked), report
        except (TransportDown, Crash):
            pass

    async def come_to_rest(self) -> list[Device]:
        """The members, once nobody has anything to say any more. Whoever is asked lets a baseline in."""
        self.carrier.lies = False
        devices = [place.device for place in self.places]
        for _ in range(60):
            reports = [await device.sync() for device in devices]
            asked = [
                device for device, report in zip(devices, reports, strict=True) if report.waiting["baseline-brake"]
            ]
            for device in asked:
                roster = await membership.pinned(device.memory)
                assert roster is not None
                await device.memory.receive([], {state.ALLOWED: state.encode_number(roster.generation)})
            if not asked and not any(report.sent or report.accepted or report.rebased for report in reports):
                return [place.device for place in self.places if not place.removed]
        raise AssertionError("never at rest")

    async def close(self) -> None:
        for place in self.places:
            await place.device.close()


def _records(view: View) -> set[str]:
    tables = " UNION ".join(f"SELECT id FROM {table}" for table in ("entries", "tasks", "cards", "reviews"))
    return {row[0] for row in view.conn.execute(tables)} | {
        row[0].removeprefix("ban/")
        for row in view.conn.execute("SELECT field FROM registers WHERE record = 'meta' AND field GLOB 'ban/*'")
    }


async def rows(device: Device) -> dict[str, list[tuple[Any, ...]]]:
    """What is shown, without the numbers under which this copy keeps it."""

    def read(view: View) -> dict[str, list[tuple[Any, ...]]]:
        out = {}
        for table, query in ROWS.items():
            cursor = view.conn.execute(query)
            names = [column[0] for column in cursor.description]
            out[table] = [tuple(v for n, v in zip(names, row, strict=True) if n != "seq") for row in cursor]
        return out

    return await device.memory.read(read)
