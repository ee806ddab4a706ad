"""A transport that lies and one story of several devices over it; all chance comes from one seeded source."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from store.model import Draft, Entry, Origin, Source
from sync.engine import Engine
from sync.errors import TransportDown
from sync.ports import Fetched
from sync.transports.hub import Hub
from tests.fakes import FakeClock
from tests.sync.fuse import Crash, Fuse, Fused
from tests.sync.world import OWNER, Device, found, make_device

HERE = Source("terminal", "private", "")
OPERATIONS = 40
SKEW = timedelta(days=900)
ROWS = {
    "entries": "SELECT * FROM entries ORDER BY id",
    "tasks": "SELECT * FROM tasks ORDER BY id",
    "registers": "SELECT * FROM registers ORDER BY record, field",
    "labels": "SELECT * FROM labels ORDER BY label, record, digest",
}


class LyingHub(Hub):
    """Loses, repeats and reorders what it is given; forgets everything when told to. Honest while `lies` is off."""

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self.chance = chance
        self.lies = True
        self.carried: list[bytes] = []
        """Everything it was ever given: what a relay could have kept."""

    def lie(self, likely: float) -> bool:
        return self.lies and self.chance.random() < likely

    async def publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        self.carried += envelopes
        kept = [one for one in envelopes if not self.lie(0.15)]
        if kept and self.lie(0.2):
            kept.append(self.chance.choice(kept))
        if self.lie(0.2):
            self.chance.shuffle(kept)
        await super().publish(scope, author, kept)

    async def put(self, scope: str, name: str, data: bytes) -> None:
        self.carried.append(data)
        if not self.lie(0.1):
            await super().put(scope, name, data)

    def wipe(self) -> None:
        self.streams.clear()
        self.files.clear()

    def roll_back(self) -> None:
        for stream in self.streams.values():
            del stream[self.chance.randint(0, len(stream)) :]


class Wire:
    """One device's way to the hub: slow, and cut off at times."""

    def __init__(self, hub: LyingHub) -> None:
        self.hub = hub
        self.cut = False

    def __getattr__(self, name: str) -> Any:
        if (self.cut and self.hub.lies) or self.hub.lie(0.01):
            raise TransportDown(reason="cut off")
        return getattr(self.hub, name)

    async def fetch(self, scope: str, author: str, cursor: str) -> Fetched:
        fetched: Fetched = await self.__getattr__("fetch")(scope, author, cursor)
        if self.hub.lie(0.3):
            return Fetched([], cursor)
        return fetched


@dataclass(slots=True)
class Story:
    seed: int
    folder: Path
    chance: Random = field(init=False)
    hub: LyingHub = field(init=False)
    devices: list[Device] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    """Every record ever remembered → its text."""
    titles: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        self.hub = LyingHub(self.chance)

    async def begin(self) -> None:
        await self.join("home")
        await found(self.devices[0])
        await self.join("phone")

    async def join(self, name: str) -> None:
        wire = Wire(self.hub)
        clock = FakeClock(datetime(2024, 5, 27, 2, 0, tzinfo=UTC) + self.chance.uniform(-1, 1) * SKEW)
        admin = self.devices[0] if self.devices else None
        self.devices.append(await make_device(self.folder, name, wire, clock, admin))
        self.wires.append(wire)

    async def run(self) -> None:
        """Forty operations on each device, in one order, with the hub's moods between them."""
        turns = [0, 1, 2] * OPERATIONS
        self.chance.shuffle(turns)
        for number, turn in enumerate(turns):
            if number == len(turns) // 4:
                await self.join("tablet")
            place = min(turn, len(self.devices) - 1)
            await self.operate(self.devices[place])
            if self.chance.random() < 0.02:
                self.hub.wipe()
            if self.chance.random() < 0.03:
                self.hub.roll_back()
            if self.chance.random() < 0.1:
                self.wires[place].cut = not self.wires[place].cut
            if self.chance.random() < 0.4:
                await self.sync(place)

    async def operate(self, device: Device) -> None:
        clock = device.home._clock
        assert isinstance(clock, FakeClock)
        clock.advance(timedelta(minutes=self.chance.randint(0, 600)))
        number = len(self.said) + len(self.titles)
        text = f"第 {number} 句 {self._word(number)}"
        shown = await device.memory.read(lambda view: view.entries("current = 1"))
        kind = self.chance.random()
        one = self.chance.choice(shown) if shown else None
        if one is None or kind < 0.5:
            await self._remember(device, text)
        elif kind < 0.65:
            await self._remember(device, text, one)
        elif kind < 0.75:
            await self._set(device, one.id, "hidden", True)
        elif kind < 0.8:
            await self._set(device, one.id, "importance", self.chance.randint(0, 1000))
        elif kind < 0.9:
            await self._set(device, "settings", "lang", self.chance.choice(["zh", "en"]))
        else:
            task = await device.memory.turn(
                lambda w: w.add_task(text, at_ms=w.now_ms, zone="UTC", author=OWNER, source=HERE)
            )
            self.titles[task.id] = text

    async def _remember(self, device: Device, text: str, before: Entry | None = None) -> None:
        entry = await device.memory.turn(
            lambda writer: writer.remember(
                Draft(text=text), at_ms=writer.now_ms, zone="UTC", author=OWNER, source=HERE, origin=Origin.SAID,
                lang="zh", supersedes=(before.id,) if before else (),
            )
        )  # fmt: skip
        self.said[entry.id] = text

    async def _set(self, device: Device, record: str, name: str, value: Any) -> None:
        await device.memory.turn(lambda writer: writer.set(record, name, value, by=OWNER))

    def _word(self, number: int) -> str:
        """Nothing that sealed bytes would hold by chance."""
        return hashlib.sha256(f"{self.seed}/{number}".encode()).hexdigest()[:16]

    async def sync(self, place: int) -> None:
        """One pass; at times it is cut off by a crash, as with the power."""
        device, wire = self.devices[place], self.wires[place]
        engine, memory = device.engine, device.memory
        if self.chance.random() < 0.3:
            fuse = Fuse(self.chance.randint(1, 40), late=self.chance.random() < 0.5)
            engine = Engine(
                device.keys, device.store, Fused(wire, fuse), clock=device.home._clock, entropy=device.home._entropy
            )  # type: ignore[arg-type]
            memory = Fused(device.memory, fuse)  # type: ignore[assignment]
        try:
            report = await engine.sync(memory)
            assert not (report.elsewhere or report.roster_fork or report.forked), report
        except (TransportDown, Crash):
            pass

    async def close(self) -> None:
        for device in self.devices:
            await device.close()


async def rows(device: Device) -> dict[str, list[tuple[Any, ...]]]:
    """What is shown, without the numbers under which this copy keeps it."""

    def read(view: Any) -> dict[str, list[tuple[Any, ...]]]:
        out = {}
        for table, query in ROWS.items():
            cursor = view.conn.execute(query)
            names = [column[0] for column in cursor.description]
            out[table] = [tuple(v for n, v in zip(names, row, strict=True) if n != "seq") for row in cursor]
        return out

    return await device.memory.read(read)
