"""Sync over a hub in this process: sealing, opening and applying, a new device, a long catch-up, bytes on the wire.

Beside each the same changes through plain Automerge, without encryption, checks or rows: the price of the rest shows.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from automerge.core import Document as Automerge
from automerge.core import Message, SyncState
from report import Progress, Table, met, ms, quick

from store.clock import SystemClock, SystemEntropy
from store.document import genesis
from store.grants import PrivateClaim, grant
from store.home import Home
from store.memory import FeedItem, Memory
from store.model import AccountID, Draft, Origin, Role, ScopeID, Source
from store.writer import Writer
from sync import keys as device_keys
from sync import membership, state
from sync.engine import Engine
from sync.keystore import MemoryKeyStore
from sync.recovery import public_of
from sync.transports.hub import Hub

OWNER = AccountID("terminal:owner")


class Device:
    def __init__(
        self, home: Home, memory: Memory, keys: device_keys.DeviceKeys, store: MemoryKeyStore, hub: Hub
    ) -> None:
        self.home, self.memory, self.keys, self.store = home, memory, keys, store
        self.engine = Engine(keys, store, hub, clock=SystemClock(), entropy=SystemEntropy())

    async def close(self) -> None:
        await self.home.close()


async def found(device: Device) -> None:
    recovery = public_of(SystemEntropy().bytes(16))
    await membership.found(
        device.memory,
        device.keys,
        device.store,
        SystemEntropy(),
        recovery_sign=recovery.sign,
        recovery_wrap=recovery.wrap,
    )


async def open_device(folder: Path, hub: Hub, admin: Device | None = None, *, alone: bool = False) -> Device:
    made: list[device_keys.DeviceKeys] = []

    def load(path: Path) -> bytes:
        made.append(device_keys.make(path, SystemEntropy()))
        return made[-1].device_id

    home = await Home.open(folder, load_device_id=load, clock=SystemClock(), entropy=SystemEntropy())
    (keys,), store = made, MemoryKeyStore()
    if admin is None:
        await home.let_in(OWNER, "Lin", Role.OWNER)
        memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
        device = Device(home, memory, keys, store, hub)
        if not alone:
            await found(device)
        return device
    grown = await membership.admit(
        admin.memory, admin.keys, admin.store, clock=SystemClock(), entropy=SystemEntropy(),
        sign_public=keys.sign_public, wrap_public=keys.wrap_public,
    )  # fmt: skip
    lane = grown.members[keys.device_id].record.lane
    shared = await membership.share(admin.memory, admin.store, kind="private", title="", aliases=[OWNER], lane=lane)
    await home.device.join_private(ScopeID(shared.scope.hex()), lane, OWNER, "Lin", Role.OWNER)
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    await membership.accept(memory, keys, store, shared, inviter=admin.keys.device_id)
    return Device(home, memory, keys, store, hub)


async def remember(memory: Memory, count: int, a_turn: int, first: int = 0) -> None:
    """`count` entries, `a_turn` in one transaction and one change."""
    progress = Progress(f"{count:,} entries", count)
    for start in range(first, first + count, a_turn):

        def run(writer: Writer, start: int = start) -> None:
            for number in range(start, min(start + a_turn, first + count)):
                writer.remember(
                    Draft(text=f"第 {number} 条：周{number % 7} 的会改到 {number % 24} 点，因为 {number * 7919 % 10007} 号房满了"),
                    at_ms=writer.now_ms, zone="Asia/Shanghai", author=OWNER,
                    source=Source("terminal", "private", str(number)), origin=Origin.SAID, lang="zh",
                )  # fmt: skip

        await memory.turn(run)
        progress.at(start - first)
    progress.done()


def plain_automerge(feed: Sequence[FeedItem]) -> float:
    """Seconds in which bare Automerge takes the same changes, one message a change."""
    documents: dict[str, Automerge] = {}
    start = time.perf_counter()
    for item in feed:
        if item.doc not in documents:
            documents[item.doc] = Automerge()
            _apply(documents[item.doc], genesis(item.doc).data)
        _apply(documents[item.doc], item.change.data)
    return time.perf_counter() - start


def _apply(document: Automerge, chunk: bytes) -> None:
    length, number = b"", len(chunk)
    while True:
        length += bytes([number & 127 | (128 if number > 127 else 0)])
        number >>= 7
        if not number:
            break
    document.receive_sync_message(SyncState(), Message.decode(b"\x42\0\0\0\x01" + length + chunk))


async def catch_up(table: Table, folder: Path, name: str, entries: int, a_turn: int, target_s: float | None) -> None:
    hub = Hub()
    home = await open_device(folder / f"home-{name}", hub)
    phone = await open_device(folder / f"phone-{name}", hub, home)
    for _ in range(3):
        await home.engine.sync(home.memory)
        await phone.engine.sync(phone.memory)
    before = (await home.memory.changes_after(0, 10**9))[-1].pos
    await remember(home.memory, entries, a_turn)
    feed = [one for one in await home.memory.changes_after(before, 10**9) if one.origin == "own"]
    start = time.perf_counter()
    sent = (await home.engine.sync(home.memory)).sent
    sealed_s = time.perf_counter() - start
    start = time.perf_counter()
    report = await phone.engine.sync(phone.memory)
    took_s = time.perf_counter() - start
    assert report.changes >= len(feed), report
    plain_s = plain_automerge(feed)
    held = "" if target_s is None else met(took_s <= target_s)
    table.row(
        name, f"{sent:,}", f"{sealed_s:.2f}", f"{took_s:.2f}", f"{len(feed) / took_s:,.0f}", f"{plain_s:.2f}", held
    )
    start = time.perf_counter()
    tablet = await open_device(folder / f"tablet-{name}", hub, home)
    await tablet.engine.sync(tablet.memory)
    new_s = time.perf_counter() - start
    table.row(
        "  a third device then", "", "", f"{new_s:.2f}", f"{len(feed) / new_s:,.0f}", f"{plain_s:.2f}", met(new_s <= 5)
    )
    await tablet.close()
    for one in (home, phone):
        await one.close()


async def first_pairing(table: Table, folder: Path, entries: int) -> None:
    """A home that was used alone meets its second device."""
    hub = Hub()
    home = await open_device(folder / "home-first", hub, alone=True)
    await remember(home.memory, entries, 1)
    start = time.perf_counter()
    await found(home)
    sent = (await home.engine.sync(home.memory)).sent
    sealed_s = time.perf_counter() - start
    start = time.perf_counter()
    phone = await open_device(folder / "phone-first", hub, home)
    report = await phone.engine.sync(phone.memory)
    took_s = time.perf_counter() - start
    shown = await phone.memory.read(lambda view: view.conn.execute("SELECT count(*) FROM entries").fetchone()[0])
    assert shown == entries, shown
    table.row(
        f"new device, {entries:,} entries", f"{sent:,}", f"{sealed_s:.2f}", f"{took_s:.2f}",
        f"{report.changes / took_s:,.0f}", "", met(took_s <= 5),
    )  # fmt: skip
    for one in (home, phone):
        await one.close()


async def envelopes(folder: Path, count: int) -> None:
    """One envelope a change: sealing alone, and opening, checking, projecting and storing."""
    hub = Hub()
    home = await open_device(folder / "home-single", hub)
    phone = await open_device(folder / "phone-single", hub, home)
    sealed_s = 0.0
    progress = Progress(f"{count:,} envelopes", count)
    for number in range(count):
        await remember_one(home.memory, number)
        start = time.perf_counter()
        await home.engine.sync(home.memory)
        sealed_s += time.perf_counter() - start
        progress.at(number)
    progress.done()
    feed = [one for one in await home.memory.changes_after(0, 10**9) if one.origin == "own"]
    start = time.perf_counter()
    report = await phone.engine.sync(phone.memory)
    took_s = time.perf_counter() - start
    plain_s = plain_automerge(feed)
    table = Table(
        "one change an envelope",
        "envelopes",
        "a pass with one, ms",
        "open + check + apply /s",
        "Automerge alone /s",
        "target met",
    )
    table.row(
        f"{report.accepted:,}", ms(1000 * sealed_s / count), f"{report.accepted / took_s:,.0f}",
        f"{len(feed) / plain_s:,.0f}", met(report.accepted / took_s >= 2000),
    )  # fmt: skip
    table.show()
    for one in (home, phone):
        await one.close()


async def remember_one(memory: Memory, number: int) -> None:
    def run(writer: Writer) -> None:
        writer.remember(
            Draft(text=f"第 {number} 条：周会改到 {number % 24} 点"), at_ms=writer.now_ms, zone="Asia/Shanghai",
            author=OWNER, source=Source("terminal", "private", str(number)), origin=Origin.SAID, lang="zh",
        )  # fmt: skip

    await memory.turn(run)


async def bytes_on_the_wire(folder: Path) -> None:
    hub = Hub()
    home = await open_device(folder / "home-bytes", hub)
    await home.engine.sync(home.memory)
    before = state.decode_own(await home.memory.sync_rows())
    for number in range(50):
        await remember_one(home.memory, number)
    await home.engine.sync(home.memory)
    feed = [one for one in await home.memory.changes_after(before.sealed_pos, 10**9) if one.origin == "own"]
    wire = sum(len(one) for one in hub.streams[home.memory.scope, home.keys.device_id.hex()][before.seq :])
    own = sum(len(one.change.data) for one in feed)
    table = Table("a batch of 50 changes", "Automerge's bytes", "on the wire", "×", "target met")
    table.row(f"{own:,}", f"{wire:,}", f"{wire / own:.2f}", met(wire / own <= 1.3))
    table.show()
    await home.close()


async def main(entries: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        await bytes_on_the_wire(folder)
        await envelopes(folder, min(entries, 2000))
        table = Table(
            "catching up",
            "what",
            "envelopes",
            "seal + send s",
            "receive s",
            "changes /s",
            "Automerge alone s",
            "target met",
        )
        await first_pairing(table, folder, entries)
        await catch_up(table, folder, f"{entries:,} changes", entries, 1, 10.0)
        await catch_up(table, folder, f"{entries:,} entries, 50 a change", entries, 50, None)
        table.show()
        print("  targets: ≥ 2,000 envelopes/s · 10,000 offline changes ≤ 10 s · new device ≤ 5 s")


if __name__ == "__main__":
    asyncio.run(main(1000 if quick(__doc__) else 10_000))
