"""Who belongs, seen from real devices: wraps for all, a welcome that is checked, a removal that loses nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from store.chunk import parse_change
from sync import membership, state
from sync import roster as rosters
from sync.engine import Engine
from sync.envelope import NO_PREVIOUS, Header, Kind, Payload, Seen, encode_payload, parse_header, seal
from sync.erasing import found_anew
from sync.errors import Malformed
from sync.keys import DeviceKeys, key_id, sender_key, unwrap_secret
from sync.membership import SharedScope
from sync.names import roster_name, secret_name, wrap_name
from sync.recovery import recovery_recipient
from sync.standing import standing
from sync.transports.hub import Hub
from tests.fakes import FakeClock, FakeEntropy
from tests.sync.world import OWNER, RECOVERY, Device, admit, found, make_device, settle

NEWCOMER = DeviceKeys(b"\x41" * 32, b"\x42" * 32)


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
async def devices(tmp_path: Path, hub: Hub) -> AsyncIterator[tuple[Device, Device, Device]]:
    """The admin, a phone and a tablet."""
    clock = FakeClock()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    tablet = await make_device(tmp_path, "tablet", hub, clock, home)
    await settle(home, phone, tablet)
    yield home, phone, tablet
    for device in (home, phone, tablet):
        await device.close()


def scope_of(device: Device) -> bytes:
    return bytes.fromhex(device.memory.scope)


async def remove(admin: Device, device: Device, hub: Hub) -> rosters.Roster:
    return await membership.remove(admin.memory, admin.keys, admin.store, FakeEntropy("x"), device.keys.device_id)


async def pinned(device: Device) -> rosters.Roster:
    roster = await membership.pinned(device.memory)
    assert roster is not None
    return roster


# wraps


async def test_every_member_and_the_recovery_key_get_a_wrap_of_a_new_epoch(
    devices: tuple[Device, Device, Device], hub: Hub
) -> None:
    """And get it again, from whoever knows the secret, when the transport has lost it."""
    home, phone, tablet = devices
    roster = await remove(home, tablet, hub)
    await settle(home, phone)
    secret = home.store.load(secret_name(scope_of(home), 2))
    assert secret is not None
    recipient = recovery_recipient(RECOVERY.wrap_public)
    place = {"scope": roster.scope, "epoch": 2, "roster_hash": roster.epoch.commit}
    for lost in (False, True):
        if lost:
            for name in await hub.names(home.memory.scope, "wraps/"):
                del hub.files[home.memory.scope, name]
            await phone.sync()
        key = key_id(roster.scope, 2, secret)
        for_recovery = hub.files[home.memory.scope, wrap_name(2, key, recipient)]
        for_home = hub.files.get((home.memory.scope, wrap_name(2, key, home.keys.device_id)))
        for_phone = hub.files[home.memory.scope, wrap_name(2, key, phone.keys.device_id)]
        assert unwrap_secret(for_recovery, RECOVERY, recipient=recipient, **place) == secret
        assert unwrap_secret(for_phone, phone.keys, **place) == secret
        assert for_home is None or unwrap_secret(for_home, home.keys, **place) == secret
        names = await hub.names(home.memory.scope, "wraps/00000002-")
        assert not [name for name in names if tablet.keys.device_id.hex() in name]


# a welcome


async def shared_with(home: Device, keys: DeviceKeys) -> SharedScope:
    grown = await admit(home, keys)
    lane = grown.members[keys.device_id].record.lane
    return await membership.share(home.memory, home.store, kind="private", title="", aliases=[OWNER], lane=lane)


async def test_a_newcomer_checks_what_it_is_told(devices: tuple[Device, Device, Device]) -> None:
    home, phone, _ = devices
    shared = await shared_with(home, NEWCOMER)
    assert membership.check(NEWCOMER, shared, inviter=home.keys.device_id).head == (await pinned(home)).head
    wrong: list[tuple[SharedScope, bytes, str]] = [
        (shared, phone.keys.device_id, "welcome-admin"),
        (replace(shared, lane="z"), home.keys.device_id, "welcome-roster"),
        (replace(shared, scope=bytes(16)), home.keys.device_id, "welcome-roster"),
        (replace(shared, entries=shared.entries[:-1]), home.keys.device_id, "welcome-roster"),
        (replace(shared, secrets=((1, bytes(32)),)), home.keys.device_id, "welcome-secret"),
        (replace(shared, secrets=((9, bytes(32)),)), home.keys.device_id, "welcome-secret"),
        (replace(shared, entries=()), home.keys.device_id, "roster-empty"),
    ]
    for told, inviter, code in wrong:
        with pytest.raises(Malformed) as raised:
            membership.check(NEWCOMER, told, inviter=inviter)
        assert raised.value.code == code


async def test_what_a_newcomer_was_told_is_pinned(
    devices: tuple[Device, Device, Device], hub: Hub, tmp_path: Path
) -> None:
    """An older roster, or another one of equal right, does not take its place afterwards."""
    home, _, _ = devices
    known = await pinned(home)
    late = await make_device(tmp_path, "late", hub, FakeClock(), home)
    other = rosters.add(
        known, rosters.DeviceRecord(NEWCOMER.sign_public, NEWCOMER.wrap_public, "q"), sign_seed=home.keys.sign_seed
    )
    for name in await hub.names(home.memory.scope, "roster/"):
        del hub.files[home.memory.scope, name]
    await hub.put(home.memory.scope, roster_name(known.height + 1, other), other)
    assert (await late.sync()).roster_fork
    assert late.keys.device_id in (await pinned(late)).current()
    await late.close()


# removal


async def test_what_was_accepted_beyond_a_cut_goes_on_under_our_own_name(
    devices: tuple[Device, Device, Device], hub: Hub
) -> None:
    """The admin had not heard it, another had: dropped beyond the cut it would vanish from what a person has seen."""
    home, phone, tablet = devices
    await tablet.remember("only the phone has heard this")
    await tablet.sync()
    await phone.sync()
    assert await phone.texts() == ["only the phone has heard this"]
    roster = await remove(home, tablet, hub)
    await home.sync()
    await tablet.remember("after the removal")
    secret = tablet.store.load(secret_name(scope_of(tablet), 1))
    assert secret is not None and roster.members[tablet.keys.device_id].cut is not None
    await settle(home, phone)
    await tablet.sync()
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == ["only the phone has heard this"]


async def test_what_a_dead_device_said_and_one_other_heard_outlives_an_erasing(
    devices: tuple[Device, Device, Device], hub: Hub
) -> None:
    """With only its author setting it again, it was lost in 147 of 3,000 stories: that author never comes back."""
    home, phone, tablet = devices
    await tablet.remember("the tablet's last words")
    await tablet.sync()
    await phone.sync()
    hub.streams.pop((home.memory.scope, tablet.keys.device_id.hex()))
    gone = await home.remember("to be erased")
    await home.memory.turn(lambda writer: writer.set(gone.id, "hidden", True, by=OWNER))
    clock, entropy = FakeClock(), FakeEntropy("erase")
    assert await found_anew(home.memory, home.keys, home.store, clock=clock, entropy=entropy, now=True) == 1
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == ["the tablet's last words"]
    assert await home.keys_folded() == await phone.keys_folded()


async def test_what_still_comes_of_who_left_is_carried_at_once(
    devices: tuple[Device, Device, Device], hub: Hub, tmp_path: Path
) -> None:
    """Up to the cut it counts, and nobody offers that stream again: whoever reads it last must not keep it alone."""
    home, phone, tablet = devices
    watch = await make_device(tmp_path, "watch", hub, FakeClock(), home)
    await settle(*devices, watch)
    await tablet.remember("the tablet's last words")
    await tablet.sync()
    await home.sync()
    name = home.memory.scope, tablet.keys.device_id.hex()
    stream = hub.streams.pop(name)
    home_stream = home.memory.scope, home.keys.device_id.hex()
    before = list(hub.streams[home_stream])
    await remove(home, tablet, hub)
    await home.sync()
    hub.streams[home_stream] = before  # the admin's own carry is lost on the way
    await phone.sync()
    assert await phone.texts() == []
    hub.streams[name] = stream
    await phone.sync()
    del hub.streams[name]
    await watch.sync()
    assert await phone.texts() == await watch.texts() == ["the tablet's last words"]
    await watch.close()


async def documents_of(device: Device) -> dict[str, list[tuple[str, str]]]:
    """(map, key) of every change in the log, by document."""
    out: dict[str, list[tuple[str, str]]] = {}
    for item in await device.memory.changes_after(0, 1000):
        out.setdefault(item.doc, []).extend((key.map, key.key) for key in parse_change(item.change.data).keys)
    return out


async def test_what_is_carried_goes_into_documents_that_hold_none_of_it(
    devices: tuple[Device, Device, Device], hub: Hub
) -> None:
    """A document takes a key once: set again beside itself it would be an overwrite, which everybody refuses."""
    home, phone, tablet = devices
    await tablet.remember("only the phone has heard this")
    await tablet.memory.turn(lambda writer: writer.set("profile", "name", "Lin", by=OWNER))
    await tablet.sync()
    await phone.sync()
    before = await phone.keys_folded()
    await remove(home, tablet, hub)
    await settle(home, phone)
    assert await home.keys_folded() == await phone.keys_folded() == before
    for device in (home, phone):
        for doc, keys in (await documents_of(device)).items():
            assert len(set(keys)) == len(keys), doc
        await device.memory.rebuild()
        assert await device.keys_folded() == before
    everything = [key for keys in (await documents_of(phone)).values() for key in keys]
    assert len(set(everything)) < len(everything), "it stands in two documents, and means the same"


async def test_a_scope_that_somebody_left_is_founded_anew_before_anybody_is_let_in(
    devices: tuple[Device, Device, Device], hub: Hub, tmp_path: Path
) -> None:
    home, phone, tablet = devices
    await tablet.remember("all have heard this, and nobody carries it")
    await settle(*devices)
    await admit(home, NEWCOMER)
    assert (await pinned(home)).generation == 1, "nobody has left"
    await remove(home, tablet, hub)
    await settle(home, phone)
    del hub.streams[home.memory.scope, tablet.keys.device_id.hex()]
    watch = await make_device(tmp_path, "watch", hub, FakeClock(), home)
    await settle(home, phone, watch)
    assert (await pinned(home)).generation == 2
    assert await watch.texts() == await phone.texts() == ["all have heard this, and nobody carries it"]
    grown = await admit(home, DeviceKeys(b"\x43" * 32, b"\x44" * 32))
    assert grown.generation == 2, "nobody has left since"
    await watch.close()


async def test_a_device_that_does_not_belong_follows_the_roster_and_does_nothing_else(
    devices: tuple[Device, Device, Device], hub: Hub
) -> None:
    home, phone, tablet = devices
    await settle(*devices)
    await remove(home, tablet, hub)
    await home.remember("after the removal")
    await settle(home, phone)
    await tablet.remember("kept to itself")
    streams = {name: list(stream) for name, stream in hub.streams.items()}
    hub.files.pop((home.memory.scope, roster_name(0, state.roster_entries(await home.memory.sync_rows())[0])))
    report = await tablet.sync()
    assert not (report.sent or report.accepted or report.dropped or report.waiting)
    assert hub.streams == streams
    assert await tablet.texts() == ["kept to itself"]
    assert (await pinned(tablet)).head == (await pinned(home)).head
    assert len(await hub.names(home.memory.scope, "roster/")) == (await pinned(home)).height + 1


# what others say


async def test_seen_that_lies_makes_nobody_drop_the_last_copy(devices: tuple[Device, Device, Device], hub: Hub) -> None:
    home, phone, tablet = devices
    await home.remember("the last copy")
    await home.sync()
    scope = home.memory.scope
    own = state.decode_own(await tablet.memory.sync_rows())
    secret = tablet.store.load(secret_name(scope_of(tablet), 1))
    assert secret is not None
    holds = {home.keys.device_id: Seen(10**9, b"\x01" * 8), phone.keys.device_id: Seen(10**9, b"\x02" * 8)}
    header = Header(
        Kind.HEARTBEAT, scope_of(home), 1, key_id(scope_of(home), 1, secret), tablet.keys.device_id, own.seq + 1,
        own.hash if own.seq else NO_PREVIOUS, (await pinned(home)).head[:16], bytes(12),
    )  # fmt: skip
    lie = seal(
        header,
        encode_payload(Payload((), tuple(sorted(holds.items())), 1)),
        sender_key=sender_key(scope_of(home), 1, secret, tablet.keys.device_id),
        sign_seed=tablet.keys.sign_seed,
    )
    await hub.publish(scope, tablet.keys.device_id.hex(), [lie])
    await home.sync()
    before = list(hub.streams[scope, home.keys.device_id.hex()])
    hub.streams.pop((scope, home.keys.device_id.hex()))
    await home.sync()
    assert hub.streams[scope, home.keys.device_id.hex()][: len(before)] == before
    await phone.sync()
    assert await phone.texts() == ["the last copy"]


async def test_delivered_is_what_every_current_member_has_seen(
    devices: tuple[Device, Device, Device], hub: Hub
) -> None:
    home, phone, tablet = devices

    async def waiting() -> int:
        found = await home.memory.read(lambda view: standing(view, home.keys.device_id))
        assert found is not None
        return found.waiting

    await home.remember("one")
    await home.sync()
    assert await waiting() == 1, "the transport has it, which says nothing"
    await settle(home, phone)
    assert await waiting() == 1, "the tablet sleeps"
    await remove(home, tablet, hub)
    assert await waiting() == 0
    await home.remember("two")
    assert await waiting() == 1
    await settle(home, phone)
    assert await waiting() == 0


async def test_nothing_is_sealed_while_a_newer_roster_is_known_of(
    devices: tuple[Device, Device, Device], hub: Hub
) -> None:
    """A relay that keeps a removal back would have us go on writing to whom was removed."""
    home, phone, _ = devices
    scope = home.memory.scope
    await admit(home, NEWCOMER)
    await home.remember("named by a head that is not here")
    await home.sync()
    grown = await pinned(home)
    name = next(one for one in await hub.names(scope, "roster/") if f"/{grown.height:08d}-" in one)
    kept_back = hub.files.pop((scope, name))
    await phone.remember("waits")
    for _ in range(2):
        report = await phone.sync()
        assert report.waiting["roster-ahead"] and not report.sent
    assert await phone.texts() == ["named by a head that is not here", "waits"]
    hub.files[scope, name] = kept_back
    assert (await phone.sync()).sent
    await settle(home, phone)
    assert await home.texts() == await phone.texts()


async def test_a_device_that_was_put_back_repeats_no_nonce(devices: tuple[Device, Device, Device]) -> None:
    """Counted nonces would come again under the same number and key, and that is fatal for GCM."""
    home, *_ = devices
    own = (await home.memory.sync_rows())[state.OWN]
    sealed: list[bytes] = []
    for text in ("one", "two"):
        await home.memory.receive([], {state.OWN: own})
        await home.remember(text)
        elsewhere = Hub()
        engine = Engine(home.keys, home.store, elsewhere, clock=FakeClock(), entropy=home.home._entropy)
        await engine.sync(home.memory)
        number = state.decode_own({state.OWN: own}).seq + 1
        stream = elsewhere.streams[home.memory.scope, home.keys.device_id.hex()]
        sealed += [one for one in stream if parse_header(one).seq == number]
    first, second = map(parse_header, sealed)
    assert (first.seq, first.key_id) == (second.seq, second.key_id) and sealed[0] != sealed[1]
    assert first.nonce != second.nonce
