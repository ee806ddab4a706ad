"""Erasing for good on several devices: one founds the scope anew, the others follow, and nothing else is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store.errors import DiskFull
from store.memory import Memory
from store.model import Entry
from store.writer import Writer
from sync import incoming, membership, sealing, state
from sync.envelope import parse_header
from sync.erasing import found_anew, last_night_ms
from sync.standing import standing
from sync.transports.hub import Hub
from tests.fakes import FakeClock, FakeEntropy
from tests.sync.world import OWNER, Device, found, make_device, settle

DAY = timedelta(days=1)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
async def devices(tmp_path: Path, hub: Hub, clock: FakeClock) -> AsyncIterator[tuple[Device, Device, Device]]:
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    tablet = await make_device(tmp_path, "tablet", hub, clock, home)
    await settle(home, phone, tablet)
    yield home, phone, tablet
    for device in (home, phone, tablet):
        await device.close()


async def forget(device: Device, *entries: Entry) -> None:
    def hide(writer: Writer) -> None:
        for entry in entries:
            writer.set(entry.id, "hidden", True, by=OWNER)

    await device.memory.turn(hide)


async def erase(device: Device, clock: FakeClock, *, now: bool = False) -> int:
    return await found_anew(
        device.memory, device.keys, device.store, clock=clock, entropy=FakeEntropy(device.name + str(clock.now())),
        now=now,
    )  # fmt: skip


async def agree(*devices: Device) -> list[str]:
    """What all of them show; they hold the same keys, and a rebuild changes nothing."""
    keys = [await device.keys_folded() for device in devices]
    assert all(one == keys[0] for one in keys)
    texts = [await device.texts() for device in devices]
    for device in devices:
        await device.memory.rebuild()
        assert (await device.keys_folded(), await device.texts()) == (keys[0], texts[0])
    assert all(one == texts[0] for one in texts)
    return texts[0]


def every_byte(memory: Memory) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(memory.database.path.parent.iterdir()))


async def inflated(memory: Memory) -> str:
    """Every change of the log and every opaque row, as text."""
    rows = await memory.read(lambda view: view.conn.execute("SELECT bytes FROM changes").fetchall())
    return "".join(bytes(data).decode("latin-1") for (data,) in rows)


async def test_erased_on_the_admin_is_erased_everywhere(
    devices: tuple[Device, ...], hub: Hub, clock: FakeClock
) -> None:
    home, phone, _ = devices
    secret = await home.remember("SWORDFISH is the word")
    await phone.remember("二")
    await settle(*devices)
    await forget(phone, secret)
    await settle(*devices)
    assert await erase(home, clock) == 0  # a day has not passed
    clock.advance(DAY * 2)
    assert await erase(home, clock) == 1
    await settle(*devices)
    assert await agree(*devices) == ["二"]
    for device in devices:
        assert b"SWORDFISH" not in every_byte(device.memory)
        assert await device.memory.generation() == 2
        assert "SWORDFISH" not in await inflated(device.memory)
    # What carries it has only what stands.
    roster = await membership.pinned(home.memory)
    assert roster is not None and roster.generation == 2 and roster.epoch.number == 2
    for (_, author), stream in hub.streams.items():
        rows = await next(d for d in devices if d.keys.device_id.hex() == author).memory.sync_rows(state.OUT)
        assert stream == [envelope for _, envelope in state.outgoing(rows)]


async def test_only_the_admin_founds_anew_and_once_a_night(devices: tuple[Device, ...], clock: FakeClock) -> None:
    home, phone, _ = devices
    first, second = await home.remember("一"), await home.remember("二")
    await forget(home, first)
    await settle(*devices)
    clock.advance(DAY * 2)
    assert await erase(phone, clock) == 0
    assert await erase(home, clock) == 1
    await forget(home, second)
    assert await erase(home, clock) == 0
    assert await erase(home, clock, now=True) == 1
    await settle(*devices)
    assert await agree(*devices) == []


async def test_a_device_that_slept_sets_again_what_only_it_had(devices: tuple[Device, ...], clock: FakeClock) -> None:
    home, phone, tablet = devices
    old = await home.remember("旧")
    await settle(*devices)
    await forget(home, old)
    await settle(home, tablet)
    await phone.remember("手机上说的")  # offline, still in the old generation
    clock.advance(DAY * 60)
    assert await erase(home, clock) == 1
    await settle(home, tablet)
    await tablet.remember("新的一代")
    await settle(*devices)
    assert await agree(*devices) == sorted(["手机上说的", "新的一代"])


async def test_late_envelopes_of_the_old_generation_count_and_bring_nothing_back(
    devices: tuple[Device, ...], clock: FakeClock
) -> None:
    """The tablet publishes in the old generation what the others read only after the re-founding."""
    home, phone, tablet = devices
    old = await home.remember("旧")
    await settle(*devices)
    await tablet.remember("平板上说的")
    await tablet.memory.turn(lambda writer: writer.set(old.id, "importance", 7, by=OWNER))
    await tablet.sync()
    await forget(home, old)
    clock.advance(DAY * 2)
    assert await erase(home, clock) == 1
    await settle(home, phone)
    assert await agree(home, phone) == ["平板上说的"]
    await settle(*devices)
    assert await agree(*devices) == ["平板上说的"]


async def test_two_refoundings_while_one_sleeps(devices: tuple[Device, ...], clock: FakeClock) -> None:
    home, phone, tablet = devices
    entries = [await home.remember(text) for text in "甲乙丙"]
    await settle(*devices)
    for entry in entries[:2]:
        await forget(home, entry)
        clock.advance(DAY * 2)
        assert await erase(home, clock) == 1
        await settle(home, phone)
    await tablet.remember("丁")
    await settle(*devices)
    assert await agree(*devices) == sorted("丙丁")
    assert await tablet.memory.generation() == 3


async def test_a_device_that_joins_afterwards_begins_with_the_baseline(
    devices: tuple[Device, ...], hub: Hub, tmp_path: Path, clock: FakeClock
) -> None:
    home = devices[0]
    old = await home.remember("旧")
    await devices[1].remember("二")
    await settle(*devices)
    await forget(home, old)
    clock.advance(DAY * 2)
    await erase(home, clock)
    await settle(*devices)
    watch = await make_device(tmp_path, "watch", hub, clock, home)
    await settle(*devices, watch)
    assert await agree(*devices, watch) == ["二"]
    await watch.close()


async def test_a_correction_of_what_was_forgotten_waits_for_a_person(
    devices: tuple[Device, ...], clock: FakeClock
) -> None:
    """Case B61: asleep for sixty days, with a correction of an entry that is erased by then."""
    home, phone, tablet = devices
    old = await home.remember("会在三点")
    await settle(*devices)
    await phone.remember("会在四点", supersedes=(old.id,))
    await forget(home, old)
    clock.advance(DAY * 60)
    await erase(home, clock)
    await settle(*devices)
    assert await agree(*devices) == []
    (held,) = await phone.memory.read(lambda view: view.entries("held = 1"))
    assert held.draft.text == "会在四点"
    await tablet.memory.turn(lambda writer: writer.set(held.id, "restored", True, by=OWNER))
    await settle(*devices)
    assert await agree(*devices) == ["会在四点"]


async def test_who_has_confirmed_is_known_by_the_generation_it_names(
    devices: tuple[Device, ...], clock: FakeClock
) -> None:
    home, phone, tablet = devices
    await forget(home, await home.remember("旧"))
    await settle(*devices)
    clock.advance(DAY * 2)
    await erase(home, clock)
    await settle(home, phone)

    async def confirmed() -> set[bytes]:
        told = await home.memory.read(lambda view: standing(view, home.keys.device_id))
        assert told is not None
        return {one.device for one in told.members if one.generation >= told.generation}

    assert await confirmed() == {phone.keys.device_id}
    await settle(*devices)
    assert await confirmed() == {phone.keys.device_id, tablet.keys.device_id}


async def test_a_long_ban_list_waits_for_a_person(devices: tuple[Device, ...], clock: FakeClock) -> None:
    """Case B60: nothing that is still shown here goes in bulk without a question."""
    home, phone, tablet = devices
    entries = [await home.remember(f"第 {number} 条") for number in range(10)]
    await settle(*devices)
    await forget(home, *entries[:6])
    await erase(home, clock, now=True)
    await home.sync()
    report = await phone.sync()
    assert report.waiting["baseline-brake"] == 1
    assert state.brake(await phone.memory.sync_rows()) == (6, 10)
    assert len(await phone.texts()) == 10
    await phone.remember("还能写")
    for device in (phone, tablet):
        await device.memory.receive([], {state.ALLOWED: state.encode_number(2)})
    await settle(*devices)
    assert len(await agree(*devices)) == 5


@pytest.mark.parametrize(
    ("erased", "shown", "waits"),
    [
        (4, 4, False),
        (5, 24, True),
        (5, 25, False),
        (50, 250, False),
        (50, 249, True),
        (50, 9999, False),
        (51, 9999, True),
    ],
)
def test_where_the_brake_begins(erased: int, shown: int, waits: bool) -> None:
    assert incoming._brakes(erased, shown) is waits


async def test_what_is_hidden_here_already_does_not_brake(devices: tuple[Device, ...], clock: FakeClock) -> None:
    home, phone, _ = devices
    entries = [await home.remember(f"第 {number} 条") for number in range(10)]
    await forget(home, *entries[:6])
    await settle(*devices)
    await erase(home, clock, now=True)
    await home.sync()
    assert (await phone.sync()).rebased


# the baseline on its way


async def test_parts_of_a_baseline_are_kept_until_all_are_here(
    devices: tuple[Device, ...], hub: Hub, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then the device stays in its own generation, and what others say in the new one waits."""
    home, phone, tablet = devices
    for month in (1, 2):
        await home.remember(f"留下的 {month}")
        clock.advance(DAY * 31)
    await forget(home, await home.remember("旧"))
    await settle(*devices)
    monkeypatch.setattr(sealing, "BATCH_CHANGES_MAX", 1)
    assert await erase(home, clock, now=True) == 1
    await settle(home, tablet)
    await tablet.remember("新的一代")
    await settle(home, tablet)
    stream = hub.streams[home.memory.scope, home.keys.device_id.hex()]
    whole = list(stream)
    assert len([one for one in whole if parse_header(one).kind == 2]) > 2
    del stream[1:]
    report = await phone.sync()
    assert report.waiting["baseline-parts"] and report.waiting["envelope-generation"] and not report.rebased
    await phone.remember("还在旧的一代")
    assert (await phone.sync()).sent
    assert await phone.memory.generation() == 1 and len(await phone.texts()) == 3
    stream[:] = whole[1:]  # the first part is lost again; it was kept
    report = await phone.sync()
    assert report.rebased and not report.waiting, "what arrived in this pass is not said to be waited for"
    await settle(*devices)
    assert await agree(*devices) == sorted(["留下的 1", "留下的 2", "新的一代", "还在旧的一代"])


async def test_a_baseline_past_its_bound_is_none(
    devices: tuple[Device, ...], clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, phone, _ = devices
    await forget(home, await home.remember("旧"))
    await settle(*devices)
    await erase(home, clock, now=True)
    await home.sync()
    rows = await home.memory.sync_rows(state.OUT)
    assert rows
    changes = await home.memory.changes_after(0, 1000)
    size = sum(len(item.change.data) for item in changes)
    monkeypatch.setattr(incoming, "BASELINE_BYTES_MAX", size - 1)
    report = await phone.sync()
    assert report.dropped["baseline-size"] and not report.rebased
    monkeypatch.setattr(incoming, "BASELINE_BYTES_MAX", size)
    assert (await phone.sync()).rebased


async def test_files_are_vacuumed_before_the_envelope_that_confirms(
    devices: tuple[Device, ...], hub: Hub, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, phone, _ = devices
    await forget(home, await home.remember("SWORDFISH"))
    await settle(*devices)
    await erase(home, clock, now=True)
    await home.sync()
    replaced = hub.replace

    async def looking(scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        assert b"SWORDFISH" not in every_byte(phone.memory)
        await replaced(scope, author, envelopes)

    monkeypatch.setattr(hub, "replace", looking)
    assert (await phone.sync()).sent == 1


async def test_what_was_withdrawn_and_stands_there_again_is_taken_out_again(
    devices: tuple[Device, ...], hub: Hub, clock: FakeClock
) -> None:
    """A folder that was put back to an older state brings old ciphertext with it."""
    home, phone, _ = devices
    await phone.remember("二")
    await forget(home, await home.remember("旧"))
    await settle(*devices)
    name = home.memory.scope, phone.keys.device_id.hex()
    before = list(hub.streams[name])
    await erase(home, clock, now=True)
    await settle(*devices)
    after = list(hub.streams[name])
    assert before and not set(before) & set(after)
    hub.streams[name] = before + after
    await phone.sync()
    await phone.sync()
    assert hub.streams[name] == after
    # And it must not be taken for a sign that the keys are in use elsewhere.
    hub.streams[name] = list(before)
    assert not (await phone.sync()).elsewhere
    await settle(*devices)
    assert set(hub.streams[name]) >= set(after) and not set(before) & set(hub.streams[name])


async def test_few_records_never_wait(devices: tuple[Device, ...], clock: FakeClock) -> None:
    home = devices[0]
    await forget(home, *[await home.remember(text) for text in "甲乙丙丁"])
    await erase(home, clock, now=True)
    await settle(*devices)
    assert await agree(*devices) == []


async def test_what_a_removed_device_published_goes_with_the_next_baseline(
    devices: tuple[Device, ...], hub: Hub, clock: FakeClock
) -> None:
    home, phone, tablet = devices
    old = await phone.remember("手机上说的旧话")
    await phone.remember("手机上说的")
    await settle(*devices)
    await membership.remove(home.memory, home.keys, home.store, FakeEntropy("x"), phone.keys.device_id)
    await settle(home, tablet)
    stream = (home.memory.scope, phone.keys.device_id.hex())
    assert hub.streams[stream]
    await forget(home, old)
    await erase(home, clock, now=True)
    await settle(home, tablet)
    assert stream not in hub.streams
    assert await agree(home, tablet) == ["手机上说的"]


async def test_alone_again_the_undo_window_is_enough(devices: tuple[Device, ...], hub: Hub, clock: FakeClock) -> None:
    home, phone, tablet = devices
    for device in (phone, tablet):
        await membership.remove(home.memory, home.keys, home.store, FakeEntropy(device.name), device.keys.device_id)
    await forget(home, await home.remember("旧"))
    assert await home.memory.erase_due() == 0
    clock.advance(timedelta(minutes=11))
    assert await home.memory.erase_due() == 0  # sync does it
    assert await erase(home, clock) == 1
    assert (await home.texts(), await home.memory.generation()) == ([], 2)


@pytest.mark.parametrize(
    ("moment", "zone", "night"),
    [
        ("2024-05-27T02:00:00+00:00", "Asia/Shanghai", "2024-05-26T19:00:00+00:00"),
        ("2024-05-26T18:59:00+00:00", "Asia/Shanghai", "2024-05-25T19:00:00+00:00"),
        ("2024-05-27T02:00:00+00:00", "", "2024-05-26T03:00:00+00:00"),
        ("2024-05-27T03:00:00+00:00", "no/zone", "2024-05-27T03:00:00+00:00"),
    ],
)
def test_the_last_night(moment: str, zone: str, night: str) -> None:
    assert last_night_ms(datetime.fromisoformat(moment), zone) == datetime.fromisoformat(night).timestamp() * 1000


async def test_founding_anew_beside_a_pass_gives_no_number_twice(devices: tuple[Device, ...], clock: FakeClock) -> None:
    """A timer may do the one while the other waits for a slow folder."""
    home = devices[0]
    for number in range(5):
        await forget(home, await home.remember(f"第 {number} 条"))
        await home.remember(f"另 {number} 条")
        await asyncio.gather(home.sync(), erase(home, clock, now=True), home.sync())
    await settle(*devices)
    assert len(await agree(*devices)) == 5


async def test_nothing_is_confirmed_before_the_bytes_have_left_the_disk(
    devices: tuple[Device, ...], clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, phone, _ = devices
    await forget(home, await home.remember("SWORDFISH"))
    await settle(*devices)
    await erase(home, clock, now=True)
    await home.sync()

    async def no_room() -> None:
        raise DiskFull(path="")

    with monkeypatch.context() as patched:
        patched.setattr(phone.memory.database, "compact", no_room)
        for _ in range(2):
            with pytest.raises(DiskFull):
                await phone.sync()
    await home.sync()
    told = await home.memory.read(lambda view: standing(view, home.keys.device_id))
    assert told is not None
    assert {one.generation for one in told.members if one.device == phone.keys.device_id} == {1}
    await settle(*devices)
    assert b"SWORDFISH" not in every_byte(phone.memory)
    assert await agree(*devices) == []


async def test_a_baseline_closes_the_gap_of_an_author_that_is_gone(
    devices: tuple[Device, ...], hub: Hub, clock: FakeClock
) -> None:
    home, phone, tablet = devices
    for text in "甲乙丙":
        await tablet.remember(text)
        await tablet.sync()
        await home.sync()
    del hub.streams[home.memory.scope, tablet.keys.device_id.hex()][-2]  # and the tablet never comes back
    await phone.sync()
    gap = state.chains(await phone.memory.sync_rows())[tablet.keys.device_id]
    assert gap.beyond
    await forget(home, await home.remember("旧"))
    await erase(home, clock, now=True)
    await settle(home, phone)
    closed = state.chains(await phone.memory.sync_rows())[tablet.keys.device_id]
    assert (closed.seq, dict(closed.beyond)) == (max(gap.beyond), {})
    assert await agree(home, phone) == sorted("甲乙丙")


async def test_it_is_the_night_after_a_day_not_the_hour(devices: tuple[Device, ...], clock: FakeClock) -> None:
    home = devices[0]
    await forget(home, await home.remember("旧"))
    clock.set(datetime(2024, 5, 27, 4, 0, tzinfo=UTC))
    await forget(home, await home.remember("später"))
    clock.set(datetime(2024, 5, 28, 2, 59, tzinfo=UTC))  # a day later, and no night since
    assert await erase(home, clock) == 0
    clock.set(datetime(2024, 5, 28, 9, 0, tzinfo=UTC))  # at three it had been a day for the first one only
    assert await erase(home, clock) == 1
    clock.set(datetime(2024, 5, 29, 2, 59, tzinfo=UTC))
    assert await erase(home, clock) == 0
    clock.set(datetime(2024, 5, 29, 3, 0, tzinfo=UTC))
    assert await erase(home, clock) == 1
