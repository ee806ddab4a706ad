"""What people do on several devices apart from one another: nothing typed disappears, and no label is given twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from itertools import permutations
from pathlib import Path

import pytest

from bot.phrases.fields import draft_of
from store.model import Draft, Origin, Source
from store.writer import Writer
from sync.transports.hub import Hub
from tests.fakes import FakeClock
from tests.sync.world import OWNER, Device, found, make_device, settle


def remembering(*drafts: Draft) -> Callable[[Writer], None]:
    def run(writer: Writer) -> None:
        for draft in drafts:
            writer.remember(
                draft, at_ms=writer.now_ms, zone="UTC", author=OWNER, source=Source("terminal", "private", draft.text),
                origin=Origin.SAID, lang="en",
            )  # fmt: skip

    return run


@pytest.fixture
async def devices(tmp_path: Path) -> AsyncIterator[tuple[Device, Device, Device]]:
    hub, clock = Hub(), FakeClock()
    home = await make_device(tmp_path, "home", hub, clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    tablet = await make_device(tmp_path, "tablet", hub, clock, home)
    await settle(home, phone, tablet)
    yield home, phone, tablet
    for device in (home, phone, tablet):
        await device.close()


@pytest.mark.parametrize(
    "order",
    [pytest.param(order, marks=pytest.mark.slow if order[0] else ()) for order in permutations(range(3))],
)
async def test_settling_a_conflict_on_two_devices_at_once_loses_neither_version(
    devices: tuple[Device, Device, Device], order: tuple[int, ...]
) -> None:
    """Case B59. The third device only looked: that is no edit."""
    home, phone, tablet = devices
    first = await home.remember("会在三点")
    await settle(*devices)
    mine = await home.remember("会在三点半", supersedes=(first.id,))
    theirs = await phone.remember("会在两点", supersedes=(first.id,))
    assert await tablet.texts() == ["会在三点"]
    for place in order * 2:
        await devices[place].sync()
    await settle(*devices)
    assert await home.texts() == await phone.texts() == await tablet.texts() == ["会在三点半", "会在两点"]
    assert await tablet.memory.read(lambda view: view.own_changes_after(0)) == 1, "its lane, and nothing since"
    await home.memory.turn(lambda writer: writer.set(mine.id, "settles", [theirs.id], by=OWNER))
    await phone.memory.turn(lambda writer: writer.set(theirs.id, "settles", [mine.id], by=OWNER))
    for place in order * 2:
        await devices[place].sync()
    await settle(*devices)
    # Each was chosen once: both are current again, to be settled anew, and every word is still there.
    for device in devices:
        assert await device.texts() == ["会在三点半", "会在两点"]
        chain = await device.memory.read(lambda view: view.chain(mine.id))
        assert sorted(entry.draft.text for entry in chain) == sorted(["会在三点", "会在三点半", "会在两点"])
    await tablet.memory.turn(lambda writer: writer.set(mine.id, "settles", [theirs.id], by=OWNER))
    await tablet.memory.turn(lambda writer: writer.set(theirs.id, "settles", [], by=OWNER))
    await settle(*devices)
    for device in devices:
        assert await device.texts() == ["会在三点半"]
        earlier = await device.memory.read(lambda view: view.earlier(mine.id))
        assert {entry.draft.text for entry in earlier} == {"会在三点", "会在两点"}


async def test_composed_and_decomposed_tags_of_two_devices_are_one(devices: tuple[Device, Device, Device]) -> None:
    """Case B64: macOS and Linux spell café apart; bodies stay as they were typed."""
    home, phone, _ = devices

    for device, typed in ((home, "Ångström wrote #caf\u00e9"), (phone, "A\u030angstro\u0308m wrote again #cafe\u0301")):
        await device.memory.turn(remembering(draft_of(typed)))
    await settle(*devices)
    for device in devices:
        found_tags = await device.memory.read(
            lambda view: {tag for entry in view.entries("current = 1") for tag in entry.draft.tags}
        )
        assert found_tags == {"caf\u00e9"}
        entries = await device.memory.read(lambda view: view.with_words("ångström"))
        assert {entry.draft.text for entry in entries} == {"Ångström wrote", "A\u030angstro\u0308m wrote again"}


@pytest.mark.slow
async def test_a_thousand_entries_each_on_one_day_and_no_label_twice(devices: tuple[Device, Device, Device]) -> None:
    home, phone, _ = devices

    for device in (home, phone):
        await device.memory.turn(remembering(*(Draft(text=f"{device.name} {number}") for number in range(1000))))
    await settle(*devices)
    labels = await home.memory.read(
        lambda view: view.conn.execute("SELECT count(DISTINCT label), count(*) FROM entries").fetchone()
    )
    assert labels == (2000, 2000)
    assert await home.keys_folded() == await phone.keys_folded() == await devices[2].keys_folded()
