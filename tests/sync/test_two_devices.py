"""Two real devices and a hub: what one says the other shows, whatever the order, and nobody in between reads it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from sync import membership
from sync.transports.folder import Folder
from sync.transports.hub import Hub
from tests.fakes import FakeClock
from tests.sync.world import OWNER, Device, found, make_device, settle


@pytest.fixture
async def hub() -> Hub:
    return Hub()


@pytest.fixture
async def pair(tmp_path: Path, hub: Hub) -> AsyncIterator[tuple[Device, Device]]:
    clock = FakeClock()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    yield home, phone
    await home.close()
    await phone.close()


async def test_what_one_remembers_the_other_shows(pair: tuple[Device, Device]) -> None:
    home, phone = pair
    entry = await home.remember("车停在 B2")
    await settle(home, phone)
    assert await phone.texts() == ["车停在 B2"]
    shown = await phone.memory.read(lambda view: view.entry(entry.id))
    assert shown is not None and shown.label == entry.label


async def test_both_write_while_apart_and_nothing_is_lost(pair: tuple[Device, Device]) -> None:
    home, phone = pair
    first = await home.remember("周会在 15:00 开始")
    await settle(home, phone)
    mine = await home.remember("周会在 15:30 开始", supersedes=(first.id,))
    yours = await phone.remember("周会在 14:00 开始", supersedes=(first.id,))
    assert (mine.label, yours.label) == ("D-2024-05-27-02", "D-2024-05-27-b01")
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == ["周会在 14:00 开始", "周会在 15:30 开始"]
    assert await home.keys_folded() == await phone.keys_folded()


async def test_writes_go_on_after_receiving_and_a_rebuild_is_equal(pair: tuple[Device, Device]) -> None:
    home, phone = pair
    for number in range(30):
        await (home if number % 2 else phone).remember(f"第 {number} 条")
        if number % 7 == 0:
            await settle(home, phone)
    await settle(home, phone)
    before = await home.keys_folded()
    assert before == await phone.keys_folded()
    for device in pair:
        await device.memory.rebuild()
        assert await device.keys_folded() == before
    assert len(await home.texts()) == 30


async def test_nothing_carried_holds_a_word(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    await home.remember("暗号是 KIWI-7")
    await settle(home, phone)
    carried = b"".join([*(e for stream in hub.streams.values() for e in stream), *hub.files.values()])
    assert carried and b"KIWI" not in carried and "暗号".encode() not in carried


async def test_a_wiped_hub_is_offered_everything_again(pair: tuple[Device, Device], hub: Hub, tmp_path: Path) -> None:
    home, phone = pair
    await home.remember("一")
    await settle(home, phone)
    hub.streams.clear()
    hub.files.clear()
    await phone.remember("二")
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == ["一", "二"]
    late = await make_device(tmp_path, "late", hub, FakeClock(), home)
    await settle(home, phone, late)
    assert await late.texts() == ["一", "二"]
    await late.close()


async def test_a_removed_device_reads_nothing_new(pair: tuple[Device, Device], hub: Hub) -> None:
    home, phone = pair
    await phone.remember("手机上说的")
    await settle(home, phone)
    await membership.remove(home.memory, home.keys, home.store, home.home._entropy, phone.keys.device_id)
    await home.remember("新门禁是 5 号门")
    await home.sync()
    await phone.sync()
    assert await phone.texts() == ["手机上说的"]
    await phone.remember("移除以后写的")
    await phone.sync()
    await home.sync()
    assert await home.texts() == ["手机上说的", "新门禁是 5 号门"]


async def test_a_device_that_slept_sixty_days_catches_up(pair: tuple[Device, Device]) -> None:
    home, phone = pair
    await home.remember("旧的")
    await settle(home, phone)
    await phone.remember("睡前写的")
    home.home._clock.advance(timedelta(days=60))  # type: ignore[attr-defined]
    for number in range(120):
        await home.remember(f"第 {number} 条")
        await home.sync()
    await settle(home, phone)
    assert len(await phone.texts()) == len(await home.texts()) == 122


async def test_two_devices_over_a_folder(tmp_path: Path) -> None:
    clock = FakeClock()
    (tmp_path / "shared").mkdir()
    folder = Folder(tmp_path / "shared")
    home = await make_device(tmp_path, "home", folder, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", folder, clock, home)
    await home.remember("车停在 B2")
    await phone.remember("牙医周二")
    await settle(home, phone)
    assert await home.texts() == await phone.texts() == ["牙医周二", "车停在 B2"]
    for path in (tmp_path / "shared").rglob("*"):
        if path.is_file():
            assert "车停".encode() not in path.read_bytes()
    await home.close()
    await phone.close()


async def test_what_was_erased_before_anybody_joined_hinders_nobody(tmp_path: Path) -> None:
    """A memory that was founded anew alone is further than the first generation, with which every roster begins."""
    clock, hub = FakeClock(), Hub()
    home = await make_device(tmp_path, "home", hub, clock)
    old = await home.remember("旧")
    await home.remember("新")
    await home.memory.turn(lambda writer: writer.set(old.id, "hidden", True, by=OWNER))
    clock.advance(timedelta(minutes=11))
    assert await home.memory.erase_due() == 1
    assert await home.memory.generation() == 2
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    await settle(home, phone)
    assert await phone.texts() == await home.texts() == ["新"]
    assert await phone.memory.generation() == await home.memory.generation() == 1
    await home.memory.rebuild()
    assert await home.keys_folded() == await phone.keys_folded()
    await home.remember("und weiter")
    await settle(home, phone)
    assert await phone.texts() == sorted(["新", "und weiter"])
    for device in (home, phone):
        await device.close()
