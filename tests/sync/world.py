"""Devices of one owner, in memory: real stores and engines, a hub between them, one fake clock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from store.grants import PrivateClaim, grant
from store.home import Home
from store.memory import Memory
from store.model import AccountID, Draft, Entry, Origin, Role, ScopeID, Source
from sync import keys as device_keys
from sync import membership
from sync.engine import Engine
from sync.keystore import MemoryKeyStore
from sync.ports import Transport
from sync.roster import Roster
from sync.work import Report
from tests.fakes import FakeClock, FakeEntropy

OWNER = AccountID("terminal:owner")
RECOVERY = device_keys.DeviceKeys(b"\x01" * 32, b"\x02" * 32)


@dataclass(slots=True)
class Device:
    """One installation. `memory` is the owner's private scope."""

    name: str
    home: Home
    memory: Memory
    keys: device_keys.DeviceKeys
    store: MemoryKeyStore
    engine: Engine

    async def sync(self) -> Report:
        return await self.engine.sync(self.memory)

    async def remember(self, text: str, *, supersedes: tuple[str, ...] = ()) -> Entry:
        return await self.memory.turn(
            lambda writer: writer.remember(
                Draft(text=text), at_ms=writer.now_ms, zone="Asia/Shanghai", author=OWNER,
                source=Source("terminal", "private", ""), origin=Origin.SAID, lang="zh", supersedes=supersedes,
            )
        )  # fmt: skip

    async def texts(self) -> list[str]:
        """Current words, sorted."""
        entries = await self.memory.read(lambda view: view.entries("current = 1"))
        return sorted(entry.draft.text for entry in entries)

    async def keys_folded(self) -> set[tuple[str, str, str]]:
        """Every key this device shows, whatever document it stands in."""
        return await self.memory.read(
            lambda view: set(view.conn.execute("SELECT map, key, value FROM keys").fetchall())
        )

    async def close(self) -> None:
        await self.home.close()


async def make_device(
    folder: Path, name: str, transport: Transport, clock: FakeClock, admin: Device | None = None
) -> Device:
    """A device with its own home. With `admin`, it joins that one's private memory: what pairing does, without the talk."""
    entropy = FakeEntropy(name)
    made: list[device_keys.DeviceKeys] = []

    def load(path: Path) -> bytes:
        made.append(device_keys.make(path, entropy))
        return made[-1].device_id

    home = await Home.open(folder / name, load_device_id=load, clock=clock, entropy=entropy)
    (keys,) = made
    store = MemoryKeyStore()
    if admin is None:
        await home.let_in(OWNER, "Lin", Role.OWNER)
    else:
        grown = await admit(admin, keys)
        lane = grown.members[keys.device_id].record.lane
        shared = await membership.share(admin.memory, admin.store, kind="private", title="", aliases=[OWNER], lane=lane)
        await home.device.join_private(ScopeID(shared.scope.hex()), lane, OWNER, "Lin", Role.OWNER)
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    if admin is not None:
        await membership.accept(memory, keys, store, shared, inviter=admin.keys.device_id)
    return Device(name, home, memory, keys, store, Engine(keys, store, transport, clock=clock, entropy=entropy))


async def admit(admin: Device, keys: device_keys.DeviceKeys) -> Roster:
    return await membership.admit(
        admin.memory, admin.keys, admin.store, clock=admin.home._clock, entropy=admin.home._entropy,
        sign_public=keys.sign_public, wrap_public=keys.wrap_public,
    )  # fmt: skip


async def found(device: Device) -> None:
    await membership.found(
        device.memory, device.keys, device.store, FakeEntropy(device.name + "/epoch"),
        recovery_sign=RECOVERY.sign_public, recovery_wrap=RECOVERY.wrap_public,
    )  # fmt: skip


async def settle(*devices: Device) -> None:
    """Sync rounds until nobody has anything to send."""
    for _ in range(20):
        reports = [await device.sync() for device in devices]
        if not any(report.sent or report.accepted for report in reports):
            return
    raise AssertionError("never at rest")


__all__ = ["OWNER", "RECOVERY", "Device", "admit", "found", "make_device", "settle"]
