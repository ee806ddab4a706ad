"""What lies between the devices of a story: a hub or a folder that loses, repeats, reorders, forgets and goes back."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Protocol

from sync.errors import TransportDown
from sync.ports import Fetched, Transport
from sync.transports.folder import Folder
from sync.transports.hub import Hub


class Carrier(Protocol):
    lies: bool
    """Honest while this is off."""

    def wire(self) -> Wire: ...

    def mood(self) -> None:
        """Whatever befalls it between two operations."""

    def bytes_carried(self) -> bytes:
        """Everything that was ever given to it."""
        ...


class Wire:
    """One device's way to the carrier: slow, and cut off at times. A `Transport`."""

    def __init__(self, carrier: LyingHub | LyingFolder, transport: Transport) -> None:
        self.carrier = carrier
        self.transport = transport
        self.cut = False

    def __getattr__(self, name: str) -> Any:
        if self.carrier.lies and (self.cut or self.carrier.chance.random() < 0.01):
            raise TransportDown(reason="cut off")
        return getattr(self.transport, name)

    async def fetch(self, scope: str, author: str, cursor: str) -> Fetched:
        fetched: Fetched = await self.__getattr__("fetch")(scope, author, cursor)
        if self.carrier.lies and self.carrier.chance.random() < 0.3:
            return Fetched([], cursor)
        return fetched


class LyingHub(Hub):
    def __init__(self, chance: Random) -> None:
        super().__init__()
        self.chance = chance
        self.lies = True
        self.carried: list[bytes] = []

    def wire(self) -> Wire:
        return Wire(self, self)

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

    async def replace(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        self.carried += envelopes
        await super().replace(scope, author, [one for one in envelopes if not self.lie(0.05)])

    async def put(self, scope: str, name: str, data: bytes) -> None:
        self.carried.append(data)
        if not self.lie(0.1):
            await super().put(scope, name, data)

    def mood(self) -> None:
        if self.lie(0.005):
            self.streams.clear()
            self.files.clear()
        if self.lie(0.01):
            for stream in self.streams.values():
                del stream[self.chance.randint(0, len(stream)) :]

    def bytes_carried(self) -> bytes:
        return b"".join(self.carried)


class LyingFolder:
    """A folder that a sync tool keeps: files come late, torn or twice, under other names, and are put back."""

    def __init__(self, path: Path, chance: Random) -> None:
        self.path = path
        self.chance = chance
        self.lies = True
        self.kept: list[bytes] = []
        path.mkdir()

    def wire(self) -> Wire:
        return Wire(self, Folder(self.path))

    def mood(self) -> None:
        if not self.lies or self.chance.random() > 0.05:
            return
        files = sorted(path for path in self.path.rglob("*") if path.is_file())
        kind = self.chance.random()
        if not files:
            return
        one = self.chance.choice(files)
        self.kept.append(one.read_bytes())
        if kind < 0.1:
            self.kept += [file.read_bytes() for file in files]
            shutil.rmtree(self.path / "niannian")
        elif kind < 0.4 and one.suffix == ".seg":
            with one.open("r+b") as file:
                file.truncate(self.chance.randint(0, one.stat().st_size))
        elif kind < 0.6:
            one.unlink()
        elif kind < 0.8:
            shutil.copyfile(one, one.with_name(f"{one.stem}.sync-conflict-20240527-{one.suffix}"))
        elif one.suffix == ".seg":
            with one.open("ab") as tail:
                tail.write(self.chance.randbytes(20))

    def bytes_carried(self) -> bytes:
        return b"".join([*self.kept, *(path.read_bytes() for path in self.path.rglob("*") if path.is_file())])
