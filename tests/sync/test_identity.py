"""Case B63: two homes with one identity. A copy, or a home that was put back, becomes a new device before it writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from store.errors import Damaged, NiannianError
from store.grants import PrivateClaim, grant
from store.home import Home
from store.renewal import renew
from sync import identity, keys, membership, state
from sync.engine import Engine
from sync.keystore import MemoryKeyStore
from sync.transports.hub import Hub
from tests.fakes import FakeClock, FakeEntropy
from tests.sync.world import OWNER, Device, admit, found, make_device, settle

MACHINE = "m1"


def marked(home: Path, machine: str = MACHINE) -> Path:
    keys.make(home, FakeEntropy(home.name))
    identity.mark(home, machine)
    return home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return marked(tmp_path / "home")


def test_a_home_in_its_place_is_no_copy(home: Path) -> None:
    assert not identity.must_renew(home, MACHINE)


def test_a_copied_home_is_one(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "copy")
    assert identity.must_renew(tmp_path / "copy", MACHINE)


def test_a_copy_at_the_same_path_of_another_machine_is_one(home: Path, tmp_path: Path) -> None:
    home.rename(tmp_path / "other")  # kept, or the copy might be given the very same inode
    shutil.copytree(tmp_path / "other", home)
    assert identity.must_renew(home, "m2")


def test_a_moved_home_is_none(home: Path, tmp_path: Path) -> None:
    home.rename(tmp_path / "moved")
    assert not identity.must_renew(tmp_path / "moved", MACHINE)
    identity.mark(tmp_path / "moved", MACHINE)
    assert not identity.must_renew(tmp_path / "moved", MACHINE)


def test_a_new_machine_id_alone_makes_none(home: Path) -> None:
    """A container gets one at every start."""
    assert not identity.must_renew(home, "m2")


def test_a_home_put_back_in_its_place_is_found_out_by_its_stream(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "backup")
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "backup", home)
    assert not identity.must_renew(home, MACHINE)
    identity.flag_elsewhere(home)
    assert identity.must_renew(home, MACHINE)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"inode": 1}', b"\xff"])
def test_a_torn_mark_is_written_anew(home: Path, text: bytes) -> None:
    (home / identity.HERE).write_bytes(text)
    assert not identity.must_renew(home, MACHINE)
    identity.mark(home, MACHINE)
    assert identity.HERE.name in {path.name for path in (home / "keys").iterdir()}
    assert not identity.must_renew(home, MACHINE)


def test_cut_off_between_the_last_two_steps_it_goes_on(home: Path) -> None:
    was, coming = identity.next_keys(home, FakeEntropy("new"))
    assert identity.next_keys(home, FakeEntropy("newer")) == (was, coming)
    (home / keys.FILE).rename(home / identity.WAS)
    assert identity.must_renew(home, MACHINE)
    assert identity.next_keys(home, FakeEntropy("newest")) == (was, coming)
    identity.settle(home, MACHINE)
    assert not identity.must_renew(home, MACHINE)
    assert (keys.load(home), keys.load(home, identity.WAS)) == (coming, was)


async def reopened(path: Path, name: str, hub: Hub, clock: FakeClock, store: MemoryKeyStore) -> Device:
    entropy = FakeEntropy(name)
    home = await Home.open(path, load_device_id=lambda p: keys.load(p).device_id, clock=clock, entropy=entropy)
    memory = await home.memory(grant(PrivateClaim(OWNER), home.device))
    own = keys.load(path)
    return Device(name, home, memory, own, store, Engine(own, store, hub, clock=clock, entropy=entropy))


async def become_new(path: Path, clock: FakeClock, crash_after: int | None = None) -> None:
    """As at a start. `crash_after`: how many scopes are renewed before the power goes."""
    was, coming = identity.next_keys(path, FakeEntropy(path.name + "/next"))
    seen = 0

    def rows(kept: state.Rows) -> state.NewRows:
        nonlocal seen
        seen += 1
        if crash_after is not None and seen > crash_after:
            raise Damaged("error-scope-missing", scope="", path="")
        return state.renewed(kept, was.device_id)

    await renew(
        path, was=was.device_id, device_id=coming.device_id, lane=identity.lent_lane(coming.device_id), rows=rows,
        clock=clock, entropy=FakeEntropy(path.name),
    )  # fmt: skip
    identity.settle(path, MACHINE)


async def let_in(copy: Device, admin: Device) -> None:
    grown = await admit(admin, copy.keys)
    lane = grown.members[copy.keys.device_id].record.lane
    shared = await membership.share(admin.memory, admin.store, kind="private", title="", aliases=[OWNER], lane=lane)
    await copy.home.device.join_private(copy.memory.scope, lane, OWNER, "Lin", copy.home.device.accounts()[0].role)
    await membership.accept(copy.memory, copy.keys, copy.store, shared, inviter=admin.keys.device_id)


@pytest.mark.parametrize("crash_after", [None, 0])
async def test_two_copies_write_and_nothing_of_either_is_lost(tmp_path: Path, crash_after: int | None) -> None:
    clock, hub = FakeClock(), Hub()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    await home.remember("都有")
    await settle(home, phone)
    await phone.remember("还没送出")
    path = phone.home.path
    await phone.close()
    shutil.copytree(path, tmp_path / "copy")
    if crash_after is not None:
        with pytest.raises(NiannianError):
            await become_new(tmp_path / "copy", clock, crash_after)
    await become_new(tmp_path / "copy", clock)
    store = MemoryKeyStore()
    store.secrets = dict(phone.store.secrets)
    phone = await reopened(path, "phone-again", hub, clock, phone.store)
    copy = await reopened(tmp_path / "copy", "copy", hub, clock, store)
    first = await phone.remember("原件说的")
    second = await copy.remember("副本说的")
    assert first.label == "D-2024-05-27-b02"
    assert second.label == f"D-2024-05-27-x{copy.keys.device_id.hex()[:3]}01"
    # Its sync is off until it is let in.
    assert not (await copy.sync()).sent and not (await phone.sync()).elsewhere
    await settle(home, phone)
    await let_in(copy, home)
    await settle(home, phone, copy)
    assert (
        await copy.texts()
        == await home.texts()
        == await phone.texts()
        == sorted(["都有", "还没送出", "原件说的", "副本说的"])
    )
    assert (await copy.remember("再说")).label == "D-2024-05-27-c01"
    folded = [await device.keys_folded() for device in (home, phone)]
    assert folded[0] == folded[1]
    for device in (home, phone, copy):
        await device.close()


async def test_what_was_put_back_says_again_what_it_lost_and_what_it_wrote_since(tmp_path: Path) -> None:
    """The backup is older than what its device published. What only it has since is set again under a new name."""
    clock, hub = FakeClock(), Hub()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    await settle(home, phone)
    path = phone.home.path
    await phone.close()
    shutil.copytree(path, tmp_path / "backup")
    phone = await reopened(path, "phone-again", hub, clock, phone.store)
    await phone.remember("在备份之后")
    await settle(home, phone)
    await phone.close()
    shutil.rmtree(path)
    shutil.copytree(tmp_path / "backup", path)
    phone = await reopened(path, "phone-back", hub, clock, phone.store)
    assert (await phone.sync()).elsewhere
    await phone.remember("放回以后写的")
    await phone.close()
    identity.flag_elsewhere(path)
    await become_new(path, clock)
    phone = await reopened(path, "phone-new", hub, clock, phone.store)
    await let_in(phone, home)
    await settle(home, phone)
    assert await phone.texts() == await home.texts() == sorted(["在备份之后", "放回以后写的"])
    for device in (home, phone):
        await device.close()
