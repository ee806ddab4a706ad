"""The loop of sync when things break: a crash between any two calls, junk from everywhere, keys in use elsewhere, a full folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sync import membership, state
from sync import roster as rosters
from sync.engine import Engine
from sync.envelope import NO_PREVIOUS, Header, Kind, Payload, encode_payload, envelope_hash, parse_header, seal
from sync.errors import TransportDown
from sync.keys import DeviceKeys, commitment, key_id, sender_key, wrap_secret
from sync.names import roster_name, secret_name, wrap_name
from sync.transports.folder import Folder
from sync.transports.hub import FETCH_MAX, Hub
from tests.fakes import FakeClock, FakeEntropy
from tests.sync.fuse import Crash, Fuse, Fused
from tests.sync.world import RECOVERY, Device, admit, found, make_device, settle

STRANGER = DeviceKeys(b"\x41" * 32, b"\x42" * 32)


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
async def pair(tmp_path: Path, hub: Hub) -> AsyncIterator[tuple[Device, Device]]:
    clock = FakeClock()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    await settle(home, phone)
    yield home, phone
    await home.close()
    await phone.close()


def engine_of(device: Device, transport: Any) -> Engine:
    """A new one: the engine keeps nothing."""
    return Engine(device.keys, device.store, transport, clock=FakeClock(), entropy=device.home._entropy)


def wrap_of(admin: Device, device: Device) -> str:
    """Where the secret of epoch 2 stands for `device`."""
    scope = scope_of(admin)
    secret = admin.store.load(secret_name(scope, 2))
    assert secret is not None
    return wrap_name(2, key_id(scope, 2, secret), device.keys.device_id)


def scope_of(device: Device) -> bytes:
    return bytes.fromhex(device.memory.scope)


# crashes


class RecordingHub(Hub):
    """Remembers every envelope it was ever given, under its author and number."""

    def __init__(self) -> None:
        super().__init__()
        self.given: dict[tuple[str, int], set[bytes]] = defaultdict(set)

    async def publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        for envelope in envelopes:
            self.given[author, parse_header(envelope).seq].add(envelope)
        await super().publish(scope, author, envelopes)


@pytest.mark.parametrize("late", [False, True], ids=["before the call", "after the call"])
async def test_after_a_crash_between_any_two_calls_it_goes_on(tmp_path: Path, late: bool) -> None:
    hub = RecordingHub()
    clock = FakeClock()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    await settle(home, phone)
    said: list[str] = []
    whole: set[str] = set()
    at = 0
    while len(whole) < 2:  # until neither pass is cut off any more
        at += 1
        for device in (home, phone):
            said.append(f"{device.name} {at}")
            await device.remember(said[-1])
            fuse = Fuse(at, late=late)
            try:
                await engine_of(device, Fused(hub, fuse)).sync(Fused(device.memory, fuse))  # type: ignore[arg-type]
                whole.add(device.name)
            except Crash:
                pass
        if at % 4 == 0:
            await settle(home, phone)
    assert at > 12
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == sorted(said)
    assert await home.keys_folded() == await phone.keys_folded()
    assert all(len(one) == 1 for one in hub.given.values()), "two envelopes under one number"
    for device, other in ((home, phone), (phone, home)):
        rows = await device.memory.sync_rows()
        numbers = sorted(seq for author, seq in hub.given if author == device.keys.device_id.hex())
        assert numbers == list(range(1, state.decode_own(rows).seq + 1))
        chain = state.chains(await other.memory.sync_rows())[device.keys.device_id]
        assert (chain.seq, chain.hash, dict(chain.beyond)) == (len(numbers), state.decode_own(rows).hash, {})
    for device in (home, phone):
        await device.close()


async def test_what_a_crash_kept_from_the_transport_is_published_byte_for_byte(
    pair: tuple[Device, Device], hub: Hub
) -> None:
    home, phone = pair
    await home.remember("一")

    class Down(Hub):
        async def publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
            raise TransportDown(reason="gone")

    down = Down()
    down.streams, down.files = hub.streams, hub.files
    with pytest.raises(TransportDown):
        await engine_of(home, down).sync(home.memory)
    rows = await home.memory.sync_rows(state.OUT)
    sealed = [envelope for _, envelope in state.outgoing(rows)]
    await settle(home, phone)
    assert hub.streams[home.memory.scope, home.keys.device_id.hex()][: len(sealed)] == sealed
    assert await phone.texts() == ["一"]


# junk


def stranger_record() -> rosters.DeviceRecord:
    return rosters.DeviceRecord(STRANGER.sign_public, STRANGER.wrap_public, "x")


async def sealed_by(
    device: Device, keys: DeviceKeys, seq: int, previous: bytes, payload: Payload, kind: Kind = Kind.HEARTBEAT
) -> bytes:
    """An envelope as `device` would seal it, signed by `keys` under their name."""
    scope = scope_of(device)
    secret = device.store.load(secret_name(scope, 1))
    roster = await membership.pinned(device.memory)
    assert secret is not None and roster is not None
    head = roster.head[:16]
    header = Header(kind, scope, 1, key_id(scope, 1, secret), keys.device_id, seq, previous, head, bytes(12))
    return seal(
        header,
        encode_payload(payload),
        sender_key=sender_key(scope, 1, secret, keys.device_id),
        sign_seed=keys.sign_seed,
    )


EMPTY = Payload((), (), 1)


async def test_junk_in_the_roster_is_dropped_and_counted(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    known = await membership.pinned(home.memory)
    assert known is not None
    forged = rosters.add(known, stranger_record(), sign_seed=STRANGER.sign_seed)
    junk = [b"", b"\xff" * 100, bytes(70_000), forged, forged[:-1], b"\x9f" * 300]
    for number, entry in enumerate(junk):
        hub.files[home.memory.scope, f"roster/{number:08d}-junk.entry"] = entry
    await home.remember("一")
    await home.sync()
    report = await phone.sync()
    assert await phone.texts() == ["一"]
    assert not report.roster_fork
    assert report.dropped["roster-length"] == 2
    assert report.dropped["roster-signature"] == 1
    assert sum(report.dropped.values()) >= len(junk)
    assert await membership.pinned(phone.memory) == known


async def test_a_false_entry_does_not_keep_the_good_one_before_it_away(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    grown = await admit(home, STRANGER)
    false = rosters.remove(grown, phone.keys.device_id, cut=0, commit=bytes(32), sign_seed=STRANGER.sign_seed)
    hub.files[home.memory.scope, roster_name(grown.height + 1, false)] = false
    await home.sync()
    report = await phone.sync()
    assert report.dropped["roster-signature"] == 1
    assert await membership.pinned(phone.memory) == grown


async def test_junk_in_streams_is_dropped_and_the_others_go_on(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    await home.remember("一")
    await home.sync()
    stream = hub.streams[home.memory.scope, home.keys.device_id.hex()]
    good = stream[-1]
    unknown = await sealed_by(home, STRANGER, 1, NO_PREVIOUS, EMPTY)
    stream[-1:] = [b"", b"junk", unknown, good[:-1] + bytes([good[-1] ^ 1]), good, good]
    hub.streams[home.memory.scope, STRANGER.device_id.hex()] = [unknown, b"junk"]
    hub.streams[home.memory.scope, "../../etc"] = [b"junk"]
    hub.streams[home.memory.scope, "zz" * 16] = [b"junk"]
    report = await phone.sync()
    assert await phone.texts() == ["一"]
    assert report.dropped == {
        "envelope-length": 3, "envelope-stream": 1, "envelope-signature": 1, "envelope-known": 1,
    }  # fmt: skip
    assert report.waiting == {"envelope-author": 1}
    await home.remember("二")
    await settle(home, phone)
    assert await phone.texts() == ["一", "二"]


async def test_a_stranger_cannot_make_a_stream_wait_with_envelopes_of_nobody(
    pair: tuple[Device, Device], hub: Hub
) -> None:
    home, phone = pair
    unknown = await sealed_by(home, STRANGER, 1, NO_PREVIOUS, EMPTY)
    hub.streams[home.memory.scope, home.keys.device_id.hex()] += [unknown] * (FETCH_MAX + 1)
    await home.remember("一")
    await home.sync()
    await phone.sync()
    cursor = (await phone.memory.sync_rows())[state.cursor_key(home.keys.device_id)]
    assert await phone.texts() == ["一"]
    assert int(cursor.partition(b":")[0]) > FETCH_MAX + 1


async def test_what_fills_a_gap_is_found_behind_more_than_can_be_held(
    pair: tuple[Device, Device], hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lost one is offered again at the end of the stream, behind what waits for it."""
    monkeypatch.setattr("sync.session.BEYOND_MAX", 20)
    monkeypatch.setattr("sync.transports.hub.FETCH_MAX", 10)
    home, phone = pair
    one = state.decode_own(await home.memory.sync_rows())
    row: list[bytes] = []
    previous = one.hash
    for seq in range(one.seq + 1, one.seq + 60):
        row.append(await sealed_by(home, home.keys, seq, previous, EMPTY))
        previous = envelope_hash(row[-1])
    hub.streams[home.memory.scope, home.keys.device_id.hex()] += [*row[1:], row[0]]
    reports = [await phone.sync() for _ in range(2)]
    chain = state.chains(await phone.memory.sync_rows())[home.keys.device_id]
    assert (chain.seq, dict(chain.beyond)) == (one.seq + len(row), {})
    assert sum(report.accepted for report in reports) == len(row)
    assert reports[0].waiting["envelope-gap"] > 0 and not reports[1].waiting


async def test_a_gap_is_looked_for_where_it_was_read_already(pair: tuple[Device, Device], hub: Hub) -> None:
    """A transport that was put back and grew again may give a place that has passed what is missing."""
    home, phone = pair
    name = home.memory.scope, home.keys.device_id.hex()
    for text in "一二三":
        await home.remember(text)
        await home.sync()
    whole = list(hub.streams[name])
    hub.streams[name] = [*whole[:-2], whole[-1]]
    await phone.sync()
    hub.streams[name] = whole
    end = (await hub.fetch(*name, "")).cursor
    await phone.memory.receive([], {state.cursor_key(home.keys.device_id): end.encode()})
    assert await phone.texts() == ["一", "三"]
    await phone.sync()
    await phone.sync()
    assert await phone.texts() == ["一", "三", "二"]


async def test_an_author_that_split_stays_split_for_the_next_pass(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    await home.remember("一")
    await settle(home, phone)
    own = state.decode_own(await home.memory.sync_rows())
    twice = [await sealed_by(home, home.keys, own.seq + 1, own.hash, Payload((), (), ms)) for ms in (1, 2)]
    after = await sealed_by(home, home.keys, own.seq + 2, envelope_hash(twice[0]), EMPTY)
    stream = hub.streams[home.memory.scope, home.keys.device_id.hex()]
    stream += twice
    assert (await phone.sync()).forked == [home.keys.device_id]
    stream.append(after)
    report = await engine_of(phone, hub).sync(phone.memory)
    assert report.dropped == {"envelope-forked": 1}


async def test_an_older_word_that_comes_late_does_not_replace_a_newer_one(
    pair: tuple[Device, Device], hub: Hub
) -> None:
    home, phone = pair
    for text in "一二三":
        await home.remember(text)
        await home.sync()
    hub.streams[home.memory.scope, home.keys.device_id.hex()].reverse()
    await phone.sync()
    rows = await phone.memory.sync_rows()
    assert state.peers(rows)[home.keys.device_id].seq == state.chains(rows)[home.keys.device_id].seq


# keys in use elsewhere


async def test_our_own_stream_ahead_of_us_stops_all_sealing(pair: tuple[Device, Device], hub: Hub) -> None:
    """What a restored backup meets: it must become a new device."""
    home, phone = pair
    before = await home.memory.sync_rows()
    await home.remember("一")
    await settle(home, phone)
    after = await home.memory.sync_rows()
    back: dict[str, bytes | None] = {name: before.get(name) for name in after}
    await home.memory.receive([], back)
    await home.remember("二")
    stream = list(hub.streams[home.memory.scope, home.keys.device_id.hex()])
    report = await home.sync()
    assert report.elsewhere and not report.sent
    assert hub.streams[home.memory.scope, home.keys.device_id.hex()] == stream
    assert state.decode_own(await home.memory.sync_rows()) == state.decode_own(before)
    assert await home.texts() == ["一", "二"]


async def test_another_envelope_under_one_of_our_numbers_stops_all_sealing(
    pair: tuple[Device, Device], hub: Hub
) -> None:
    home, _ = pair
    own = state.decode_own(await home.memory.sync_rows())
    other = await sealed_by(home, home.keys, own.seq, b"\1" * 32 if own.seq > 1 else NO_PREVIOUS, EMPTY)
    hub.streams[home.memory.scope, home.keys.device_id.hex()].append(other)
    assert (await home.sync()).elsewhere


async def test_what_others_put_in_our_name_stops_nothing(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    own = state.decode_own(await home.memory.sync_rows())
    ahead = await sealed_by(home, home.keys, own.seq + 7, b"\1" * 32, EMPTY)
    forged = ahead[:-1] + bytes([ahead[-1] ^ 1])
    hub.streams[home.memory.scope, home.keys.device_id.hex()] += [
        forged,
        b"junk",
        await sealed_by(home, STRANGER, 1, NO_PREVIOUS, EMPTY),
    ]
    await home.remember("一")
    report = await home.sync()
    assert not report.elsewhere and report.sent == 1
    await phone.sync()
    assert await phone.texts() == ["一"]


# rosters that move


async def test_a_recovered_chain_that_is_shorter_than_ours_replaces_it(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    known = await membership.pinned(phone.memory)
    assert known is not None
    for byte in (0x71, 0x72):  # what a thief of the admin's keys let in
        keys = DeviceKeys(bytes([byte]) * 32, bytes([byte + 8]) * 32)
        await admit(home, keys)
    await home.sync()
    await phone.sync()
    recovered = rosters.recover(
        known, [member.record for member in known.current().values()], admin=phone.keys.device_id,
        recovery_sign=STRANGER.sign_public, recovery_wrap=STRANGER.wrap_public, cuts={},
        commit=commitment(known.scope, 2, b"\x07" * 32), recovery_seed=RECOVERY.sign_seed,
    )  # fmt: skip
    await hub.put(phone.memory.scope, roster_name(known.height + 1, recovered), recovered)
    report = await phone.sync()
    assert not report.roster_fork
    now = await membership.pinned(phone.memory)
    assert now is not None and now.head == rosters.entry_hash(recovered)
    assert (await phone.sync()).waiting == {"epoch-secret": 1}


async def test_a_fork_of_the_roster_stops_sending_and_is_reported(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    known = await membership.pinned(home.memory)
    assert known is not None
    other = rosters.add(known, stranger_record(), sign_seed=home.keys.sign_seed)
    await hub.put(home.memory.scope, roster_name(known.height + 1, other), other)
    await phone.sync()
    keys = DeviceKeys(b"\x71" * 32, b"\x72" * 32)
    await admit(home, keys)
    await home.remember("一")
    report = await home.sync()
    assert report.roster_fork and not report.sent
    assert await home.texts() == ["一"]


async def test_a_roster_that_comes_before_its_wrap_waits_and_loses_nothing(
    pair: tuple[Device, Device], hub: Hub, tmp_path: Path
) -> None:
    home, phone = pair
    tablet = await make_device(tmp_path, "tablet", hub, FakeClock(), home)
    await settle(home, phone, tablet)
    await membership.remove(home.memory, home.keys, home.store, FakeEntropy("x"), tablet.keys.device_id)
    await home.remember("一")
    await phone.remember("二")
    await home.sync()
    late = hub.files.pop((home.memory.scope, wrap_of(home, phone)))
    report = await phone.sync()
    assert report.waiting == {"envelope-key": 1, "epoch-secret": 1} and not report.sent
    hub.files[home.memory.scope, wrap_of(home, phone)] = late
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == ["一", "二"]
    await tablet.close()


async def test_a_torn_file_of_the_roster_is_put_right_by_who_has_it(
    pair: tuple[Device, Device], hub: Hub, tmp_path: Path
) -> None:
    """Its name is taken, so putting it once more would change nothing, and the others would wait for ever."""
    home, phone = pair
    tablet = await make_device(tmp_path, "tablet", hub, FakeClock(), home)
    await home.sync()
    (name,) = [name for scope, name in hub.files if scope == home.memory.scope and name.startswith("roster/00000002-")]
    hub.files[home.memory.scope, name] = b""
    await tablet.remember("一")
    await settle(tablet, phone, home, phone)
    assert await phone.texts() == ["一"]
    await tablet.close()


async def test_a_torn_wrap_is_made_anew(pair: tuple[Device, Device], hub: Hub, tmp_path: Path) -> None:
    home, phone = pair
    tablet = await make_device(tmp_path, "tablet", hub, FakeClock(), home)
    await settle(home, phone, tablet)
    await membership.remove(home.memory, home.keys, home.store, FakeEntropy("x"), tablet.keys.device_id)
    await home.remember("一")
    await home.sync()
    wrap = home.memory.scope, wrap_of(home, phone)
    hub.files[wrap] = hub.files[wrap][:40]
    await settle(phone, home, phone)
    assert await phone.texts() == ["一"]
    await tablet.close()


async def test_a_secret_that_the_roster_does_not_name_is_not_used(
    pair: tuple[Device, Device], hub: Hub, tmp_path: Path
) -> None:
    home, phone = pair
    tablet = await make_device(tmp_path, "tablet", hub, FakeClock(), home)
    await settle(home, phone, tablet)
    name = secret_name(scope_of(phone), 2)
    phone.store.save(name, b"\x66" * 32)
    shrunk = await membership.remove(home.memory, home.keys, home.store, FakeEntropy("x"), tablet.keys.device_id)
    await home.sync()
    right = wrap_of(home, phone)
    good = hub.files[home.memory.scope, right]
    for bad in (b"", bytes(80), wrap_secret(
        b"\x66" * 32, to=phone.keys.wrap_public, scope=shrunk.scope, epoch=2, recipient=phone.keys.device_id,
        roster_hash=shrunk.epoch.commit,
    )):  # fmt: skip
        hub.files[home.memory.scope, right] = bad
        report = await phone.sync()
        assert sum(report.dropped.values()) == 1
        assert report.waiting["epoch-secret"] == 1
    hub.files[home.memory.scope, right] = good
    hub.files[home.memory.scope, wrap_name(2, bytes(8), phone.keys.device_id)] = b"junk that sorts before it"
    await home.remember("一")
    await settle(home, phone)
    assert phone.store.load(name) == home.store.load(name)
    assert await phone.texts() == ["一"]
    await tablet.close()


# a full folder


class FillingFolder(Folder):
    full = False

    def _publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        if self.full:
            directory = self._root / scope / author
            directory.mkdir(parents=True, exist_ok=True)
            with (directory / "00000001.seg").open("ab") as file:
                file.write(b"\0\0\1\0half")
            raise TransportDown(reason="No space left on device")
        super()._publish(scope, author, envelopes)


async def test_a_full_folder_stops_nothing_local_and_is_made_up_for(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    folder = FillingFolder(tmp_path / "shared")
    clock = FakeClock()
    home = await make_device(tmp_path, "home", folder, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", folder, clock, home)
    await settle(home, phone)
    folder.full = True
    await home.remember("一")
    for _ in range(2):
        with pytest.raises(TransportDown):
            await home.sync()
    await home.remember("二")
    folder.full = False
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == ["一", "二"]
    await home.close()
    await phone.close()


async def test_what_vanishes_while_a_gap_is_open_is_published_again(pair: tuple[Device, Device], hub: Hub) -> None:
    """Found by the simulation: what had been read back once was taken to stand there for ever."""
    home, _ = pair
    for text in "一二三":
        await home.remember(text)
        await home.sync()
    await home.sync()
    stream = hub.streams[home.memory.scope, home.keys.device_id.hex()]
    everything = set(stream)
    del stream[-2]
    await home.sync()
    stream.remove(min(everything, key=lambda one: parse_header(one).seq))
    await home.sync()
    await home.sync()
    assert set(stream) == everything


async def test_an_older_envelope_that_comes_again_ends_no_waiting_for_the_roster(
    pair: tuple[Device, Device], hub: Hub
) -> None:
    home, phone = pair
    await home.remember("一")
    await settle(home, phone)
    stream = hub.streams[home.memory.scope, home.keys.device_id.hex()]
    old = stream[0]
    grown = await admit(home, STRANGER)
    await home.remember("二")
    await home.sync()
    name = roster_name(grown.height, state.roster_entries(await home.memory.sync_rows())[-1])
    entry = hub.files.pop((home.memory.scope, name))
    await phone.remember("等着")
    assert (await phone.sync()).waiting["roster-ahead"] == 1
    stream.append(old)
    report = await phone.sync()
    assert report.waiting["roster-ahead"] == 1 and not report.sent
    hub.files[home.memory.scope, name] = entry
    assert (await phone.sync()).sent == 1


async def test_what_was_sealed_on_a_branch_that_lost_is_sealed_again(tmp_path: Path, hub: Hub) -> None:
    """A thief with the admin's keys led the phone astray; the recovery key settles it."""
    clock = FakeClock()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    tablet = await make_device(tmp_path, "tablet", hub, clock, home)
    await settle(home, phone, tablet)
    known = await membership.pinned(home.memory)
    assert known is not None
    scope, stolen, new = known.scope, b"\x99" * 32, b"\x77" * 32
    theirs = rosters.remove(
        known, tablet.keys.device_id, cut=0, commit=commitment(scope, 2, stolen), sign_seed=home.keys.sign_seed
    )
    void = rosters.extend(known, theirs)
    await hub.put(home.memory.scope, roster_name(void.height, theirs), theirs)
    wrapped = wrap_secret(
        stolen, to=phone.keys.wrap_public, scope=scope, epoch=2, recipient=phone.keys.device_id,
        roster_hash=void.epoch.commit,
    )  # fmt: skip
    await hub.put(home.memory.scope, wrap_name(2, key_id(scope, 2, stolen), phone.keys.device_id), wrapped)
    await phone.sync()
    await phone.remember("auf dem falschen Ast")
    assert (await phone.sync()).sent
    following = DeviceKeys(b"\x55" * 32, b"\x56" * 32)
    entry = rosters.recover(
        known, [member.record for member in known.current().values()], admin=tablet.keys.device_id,
        recovery_sign=following.sign_public, recovery_wrap=following.wrap_public, cuts={},
        commit=commitment(scope, 2, new), recovery_seed=RECOVERY.sign_seed,
    )  # fmt: skip
    for device in (home, phone, tablet):
        device.store.save(secret_name(scope, 2), new)
    await hub.put(home.memory.scope, roster_name(known.height + 1, entry), entry)
    await settle(home, phone, tablet)
    assert await home.texts() == await tablet.texts() == ["auf dem falschen Ast"]
    for device in (home, phone, tablet):
        await device.close()
