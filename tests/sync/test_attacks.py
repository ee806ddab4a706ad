"""What a member with a program of its own, a thief of keys, or a wrong clock may try, and what becomes of it.

Each was run against the first draft of the protocol and did harm there.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.changes import Key, label_key, record_key
from store.chunk import COUNTER_MAX, encode_change
from store.document import genesis
from store.grants import PrivateClaim, grant
from store.home import Home
from sync import membership, state
from sync import roster as rosters
from sync.engine import Engine
from sync.envelope import NO_PREVIOUS, Header, Kind, Payload, encode_payload, envelope_hash, seal
from sync.keys import DeviceKeys, commitment, key_id, load, sender_key
from sync.names import roster_name, secret_name
from sync.transports.hub import Hub
from tests.fakes import FakeClock, FakeEntropy
from tests.sync.world import OWNER, RECOVERY, Device, admit, found, make_device, settle

MONTH = "facts/2024-05.1~1"
AT = 1_716_775_200_000
FIELDS = {
    "at": AT, "author": "terminal:owner", "day": "2024-05-27", "kind": "fact", "lang": "zh", "origin": "said",
    "source": {"chat": "private", "platform": "terminal"}, "zone": "UTC",
}  # fmt: skip
NEXT_RECOVERY = DeviceKeys(b"\x03" * 32, b"\x04" * 32)
EPOCH_TWO = b"\x07" * 32


class Member:
    """A current member whose envelopes are right; what it puts into them is its own affair."""

    def __init__(self, device: Device, hub: Hub) -> None:
        self.device = device
        self.hub = hub
        self.place: tuple[int, bytes] | None = None

    @property
    def actor(self) -> bytes:
        return self.device.keys.device_id[:8] + bytes(8)

    async def publish(self, *chunks: bytes, doc: str = MONTH) -> None:
        keys, memory = self.device.keys, self.device.memory
        scope = bytes.fromhex(memory.scope)
        secret = self.device.store.load(secret_name(scope, 1))
        roster = await membership.pinned(memory)
        assert secret is not None and roster is not None
        if self.place is None:
            own = state.decode_own(await memory.sync_rows())
            self.place = own.seq, own.hash
        seq, previous = self.place
        header = Header(
            Kind.UPDATE, scope, 1, key_id(scope, 1, secret), keys.device_id, seq + 1, previous if seq else NO_PREVIOUS,
            roster.head[:16], seq.to_bytes(12, "big"),
        )  # fmt: skip
        envelope = seal(
            header,
            encode_payload(Payload(((doc, chunks),), (), AT)),
            sender_key=sender_key(scope, 1, secret, keys.device_id),
            sign_seed=keys.sign_seed,
        )
        self.place = seq + 1, envelope_hash(envelope)
        await self.hub.publish(memory.scope, keys.device_id.hex(), [envelope])


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
async def honest(tmp_path: Path, hub: Hub) -> AsyncIterator[tuple[Device, Device]]:
    clock = FakeClock()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    await settle(home, phone)
    yield home, phone
    await home.close()
    await phone.close()


@pytest.fixture
async def member(tmp_path: Path, hub: Hub, honest: tuple[Device, Device]) -> AsyncIterator[Member]:
    tablet = await make_device(tmp_path, "tablet", hub, FakeClock(), honest[0])
    await settle(*honest, tablet)
    yield Member(tablet, hub)
    await tablet.close()


def entry(text: str, number: int = 0) -> Key:
    return record_key(f"01HYVWD98{number:017d}", {**FIELDS, "text": text})


async def go_on(devices: tuple[Device, Device], *, expect: list[str]) -> None:
    """Writes on both, merges, rebuilds: all that a document which cannot be written to or loaded would stop."""
    for number in range(3):
        for device in devices:
            await device.remember(f"{device.name} {number}")
        await settle(*devices)
    said = sorted([*expect, *(f"{device.name} {number}" for device in devices for number in range(3))])
    for device in devices:
        await device.memory.rebuild()
        assert await device.texts() == said
    assert await devices[0].keys_folded() == await devices[1].keys_folded()


# changes


@pytest.mark.parametrize(
    ("seq", "start_op", "counts"),
    [(1, 2**32 - 2, False), (1, COUNTER_MAX, False), (1, COUNTER_MAX - 1, True), (9, 6, True), (1, 7, True)],
)
async def test_bricking_a_document_with_the_last_operation_number(
    honest: tuple[Device, Device], member: Member, seq: int, start_op: int, counts: bool
) -> None:
    """Applied, it made every later write to the document panic, on every device and after every reload."""
    brick = encode_change([genesis(MONTH).hash], member.actor, seq, start_op, [entry("brick")])
    await member.publish(brick)
    for device in honest:
        dropped = (await device.sync()).dropped
        assert dropped["malformed-counter"] == (not counts)
    await go_on(honest, expect=["brick"] if counts else [])


async def test_overwriting_what_another_said(honest: tuple[Device, Device], member: Member) -> None:
    """Once, "pay 100" became "pay 900" for everyone, and a RefID led elsewhere. No key can have two values."""
    home = honest[0]
    said = await home.remember("pay 100")
    await settle(*honest)
    (key,) = [key for map_name, key, _ in await home.keys_folded() if map_name == "e" and key.startswith(said.id)]
    other = entry("pay 900")
    forged = Key("e", key, other.value)
    await member.publish(
        encode_change([genesis(MONTH).hash], member.actor, 1, 6, [forged]),
        encode_change([genesis(MONTH).hash], member.actor, 2, 7, [other, label_key(said.label, other)]),
    )
    for device in honest:
        assert (await device.sync()).dropped["malformed-digest"] == 1
        assert await device.texts() == ["pay 100", "pay 900"]
        assert sorted(await device.memory.read(lambda view: view.labelled(said.label))) == sorted(
            [said.id, other.record]
        ), "a label with two targets asks"
    await go_on(honest, expect=["pay 100", "pay 900"])


async def test_speaking_in_another_s_name(honest: tuple[Device, Device], member: Member) -> None:
    home, _ = honest
    in_name = encode_change([genesis(MONTH).hash], home.keys.device_id[:8] + bytes(8), 1, 6, [entry("not mine")])
    await member.publish(in_name)
    for device in honest:
        assert (await device.sync()).dropped["change-author"] == 1
    await go_on(honest, expect=[])


async def test_one_bad_change_in_an_envelope_takes_no_other_with_it(
    honest: tuple[Device, Device], member: Member
) -> None:
    good = [encode_change([genesis(MONTH).hash], member.actor, n, 5 + n, [entry(f"good {n}", n)]) for n in (1, 2)]
    await member.publish(good[0], b"junk", good[0][:-1], bytes(300_000), good[1])
    for device in honest:
        dropped = (await device.sync()).dropped
        assert sum(count for code, count in dropped.items() if code.startswith("malformed-")) == 3
    await go_on(honest, expect=["good 1", "good 2"])


async def test_a_change_that_was_refused_hides_nothing_that_stands_on_it(
    honest: tuple[Device, Device], member: Member
) -> None:
    """By causal order alone, all later work of an honest device was invisible: 2,901 of 3,790 keys."""
    missing = b"\x55" * 32
    await member.publish(encode_change([missing], member.actor, 2, 70, [entry("stands on what never came")]))
    await settle(*honest)
    await go_on(honest, expect=["stands on what never came"])


# clocks


async def test_hiding_against_a_clock_that_runs_years_ahead(tmp_path: Path, hub: Hub) -> None:
    """The phone's "show it again" of 2044 beat every later forget of a device whose clock was right."""
    home = await make_device(tmp_path, "home", hub, FakeClock())
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, FakeClock(datetime(2044, 1, 1, tzinfo=UTC)), home)
    said = await home.remember("the code is KIWI-7")
    await settle(home, phone)

    async def hide(device: Device, value: bool) -> None:
        await device.memory.turn(lambda writer: writer.set(said.id, "hidden", value, by=OWNER))

    await hide(phone, True)
    await hide(phone, False)
    await hide(home, True)
    await settle(home, phone)
    for device in (home, phone):
        assert await device.texts() == []
    for value in (False, True):
        await hide(home, value)
        await settle(home, phone)
        for device in (home, phone):
            assert await device.texts() == ([] if value else ["the code is KIWI-7"])
    await home.close()
    await phone.close()


# rosters


def record(keys: DeviceKeys, lane: str) -> rosters.DeviceRecord:
    return rosters.DeviceRecord(keys.sign_public, keys.wrap_public, lane)


async def pinned(device: Device) -> rosters.Roster:
    roster = await membership.pinned(device.memory)
    assert roster is not None
    return roster


async def test_adopting_twice_stops_sync_until_a_recovery_and_nothing_local(
    honest: tuple[Device, Device], hub: Hub
) -> None:
    """The admin's old key signs for its home's copy and for a thief's: two chains of equal right.

    Entries go on being read meanwhile, since a recovery ends it.
    """
    home, phone = honest
    scope = home.memory.scope
    known = await pinned(home)
    copies = [DeviceKeys(bytes([byte]) * 32, bytes([byte + 1]) * 32) for byte in (0x71, 0x81)]
    for number, keys in enumerate(copies):
        commit = commitment(known.scope, 2, bytes([number]) * 32)
        moved = rosters.adopt(
            known, record(keys, f"x{chr(97 + number)}"), cut=99, commit=commit, sign_seed=home.keys.sign_seed
        )
        await hub.put(scope, roster_name(known.height + 1, moved), moved)
        if number == 0:
            await phone.sync()  # it has followed the first
    await phone.remember("on the phone")
    for _ in range(2):
        report = await phone.sync()
        assert report.roster_fork and not report.sent
    assert await phone.texts() == ["on the phone"]
    recovered = rosters.recover(
        known, [member.record for member in known.current().values()], admin=phone.keys.device_id,
        recovery_sign=NEXT_RECOVERY.sign_public, recovery_wrap=NEXT_RECOVERY.wrap_public, cuts={},
        commit=commitment(known.scope, 2, EPOCH_TWO), recovery_seed=RECOVERY.sign_seed,
    )  # fmt: skip
    for device in honest:
        device.store.save(secret_name(known.scope, 2), EPOCH_TWO)
    await hub.put(scope, roster_name(known.height + 1, recovered), recovered)
    report = await phone.sync()
    assert not report.roster_fork and report.sent
    await settle(*honest)
    assert (await pinned(phone)).head == (await pinned(home)).head == rosters.entry_hash(recovered)
    await go_on(honest, expect=["on the phone"])


async def test_a_recovery_beats_a_living_admin_that_goes_on_meanwhile(honest: tuple[Device, Device], hub: Hub) -> None:
    """The thief of the admin's keys is as quick as he likes: whoever sees the recovery follows it."""
    home, phone = honest
    scope = home.memory.scope
    known = await pinned(home)
    recovered = rosters.recover(
        known, [record(phone.keys, known.members[phone.keys.device_id].record.lane)], admin=phone.keys.device_id,
        recovery_sign=NEXT_RECOVERY.sign_public, recovery_wrap=NEXT_RECOVERY.wrap_public, cuts={home.keys.device_id: 99},
        commit=commitment(known.scope, 2, EPOCH_TWO), recovery_seed=RECOVERY.sign_seed,
    )  # fmt: skip
    for byte in (0x71, 0x81, 0x91):
        keys = DeviceKeys(bytes([byte]) * 32, bytes([byte + 1]) * 32)
        await admit(home, keys)
        await home.sync()
        await phone.sync()
    phone.store.save(secret_name(known.scope, 2), EPOCH_TWO)
    await hub.put(scope, roster_name(known.height + 1, recovered), recovered)
    for device in (phone, home, phone):
        assert not (await device.sync()).roster_fork
    for device in honest:
        assert (await pinned(device)).admin == phone.keys.device_id
    await home.remember("the old admin's, after the recovery")
    await phone.remember("the phone's")
    for device in (home, phone, home):
        await device.sync()
    assert await phone.texts() == ["the phone's"]


# one identity twice


async def test_two_homes_with_one_identity_lose_nothing_and_only_one_goes_on(
    tmp_path: Path, hub: Hub, honest: tuple[Device, Device]
) -> None:
    """B63: the folder of a home is copied to a second machine; both are started and written to."""
    home, phone = honest
    await phone.home.close()
    shutil.copytree(tmp_path / "phone", tmp_path / "copy")
    twins: list[Device] = []
    for name in ("phone", "copy"):
        clock, entropy = FakeClock(), FakeEntropy(name)
        opened = await Home.open(
            tmp_path / name, load_device_id=lambda path: load(path).device_id, clock=clock, entropy=entropy
        )
        memory = await opened.memory(grant(PrivateClaim(OWNER), opened.device))
        engine = Engine(phone.keys, phone.store, hub, clock=clock, entropy=entropy)
        twins.append(Device(name, opened, memory, phone.keys, phone.store, engine))
    original, copy = twins
    await original.remember("said on the original")
    await copy.remember("said on the copy")
    await settle(home, original)
    stream = list(hub.streams[home.memory.scope, phone.keys.device_id.hex()])
    report = await copy.sync()
    assert report.elsewhere and not report.sent
    assert hub.streams[home.memory.scope, phone.keys.device_id.hex()] == stream
    assert "said on the copy" in await copy.texts()
    await go_on((home, original), expect=["said on the original"])
    for twin in twins:
        await twin.close()
