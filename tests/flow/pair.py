"""Two devices of one owner that talk: real homes and engines of `tests/sync/world.py` with a gateway before each."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from bot.embedding import Embedding
from bot.gateway import Gateway
from bot.message import Chat, ChatKind
from bot.platforms.terminal import Speaker, TerminalSession
from store.changes import Json
from store.model import Draft, EntryID, Origin, Source
from store.writer import Writer
from sync import membership
from sync.transports.hub import Hub
from tests.fakes import FakeClock, FakeEntropy
from tests.flow.world import Person
from tests.sync.world import OWNER, Device, found, make_device, settle


class Pair:
    """`home` founded the memory, `phone` joined it. `on` each of them the owner speaks; `sync` carries until quiet."""

    def __init__(self, folder: Path, lang: str) -> None:
        self.clock = FakeClock()
        self._folder = folder
        self._lang = lang
        self._hub = Hub()
        self._devices: dict[str, Device] = {}

    async def __aenter__(self) -> Pair:
        home = await make_device(self._folder, "home", self._hub, self.clock)
        await found(home)
        phone = await make_device(self._folder, "phone", self._hub, self.clock, home)
        self._devices = {"home": home, "phone": phone}
        for name, device in self._devices.items():
            await device.memory.describe({f"device/{device.keys.device_id[:8].hex()}": name})
        await self.sync()
        return self

    async def __aexit__(self, *_: object) -> None:
        for device in self._devices.values():
            await device.close()

    def device(self, name: str) -> Device:
        return self._devices[name]

    def on(self, name: str) -> Person:
        """A terminal of the owner on that device."""
        gateway = Gateway(
            self._devices[name].home,
            clock=self.clock,
            zone="Asia/Shanghai",
            lang=self._lang,
            device_name=name,
            embedding=Embedding(None),
        )
        chat = Chat("terminal", OWNER, ChatKind.PRIVATE)
        return Person(TerminalSession(Speaker(OWNER, "Lin", chat), gateway.handle, self.clock))

    async def sync(self) -> None:
        await settle(*self._devices.values())

    async def sync_only(self, name: str) -> None:
        await self._devices[name].sync()

    async def set_on(self, name: str, record: str, field: str, value: Json) -> None:
        """Sets one register on that device."""

        def run(writer: Writer) -> None:
            writer.set(record, field, value, by=OWNER)

        await self._devices[name].memory.turn(run)

    async def remember_as(self, name: str, record: EntryID, text: str) -> None:
        """Keeps this under a given id, as when one chat message was read on two devices."""

        def run(writer: Writer) -> None:
            writer.remember(
                Draft(text=text), at_ms=writer.now_ms, zone="Asia/Shanghai", author=OWNER,
                source=Source("telegram", "1", "m1"), origin=Origin.SAID, lang="en", record=record,
            )  # fmt: skip

        await self._devices[name].memory.turn(run)

    async def count_like_home(self, name: str) -> None:
        """From now on that device gives the numbers that home gives, as a home of its own did before it was united."""

        def run(writer: Writer) -> None:
            writer.conn.execute("UPDATE copy SET value = '' WHERE key = 'lane'")

        await self._devices[name].memory.turn(run)

    async def remove(self, name: str) -> None:
        """Home takes that device out."""
        home = self._devices["home"]
        gone = self._devices[name].keys.device_id
        await membership.remove(home.memory, home.keys, home.store, FakeEntropy("rotated"), gone)

    def later(self, **span: float) -> None:
        self.clock.advance(timedelta(**span))


__all__ = ["OWNER", "Pair"]
