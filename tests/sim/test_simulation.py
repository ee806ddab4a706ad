"""Several devices over a transport that lies; one seed is one story. At rest all hold the same, and nothing is lost.

Here are a few short ones; `python -m tests.sim 100` plays so many long ones, with a bar, and `--first 17` begins there.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from store import cards
from store.fold import BAN
from store.view import View
from sync.membership import pinned
from sync.roster import Roster
from tests.sim.carriers import Carrier, LyingFolder, LyingHub
from tests.sim.world import Story, rows
from tests.sync.world import Device

QUICK_OPERATIONS = 30


async def play(seed: int, folder: Path, operations: int | None = None) -> None:
    chance = Random(seed)
    carrier: Carrier = LyingFolder(folder / "between", chance) if seed % 2 else LyingHub(chance)
    story = Story(seed, folder, carrier, chance)
    story.operations = operations or story.operations
    try:
        await story.begin()
        await story.run()
        await check(story, await story.come_to_rest())
    except BaseException as error:
        error.add_note(f"replay: python -m tests.sim 1 --first {seed}")
        raise
    finally:
        await story.close()


async def check(story: Story, devices: list[Device]) -> None:
    keys = [await device.keys_folded() for device in devices]
    assert all(one == keys[0] for one in keys)
    shown = [await rows(device) for device in devices]
    assert all(one == shown[0] for one in shown)
    for device in devices:
        await everything_said_is_there(device, story)
        await device.memory.rebuild()
        assert (await device.keys_folded(), await rows(device)) == (keys[0], shown[0])
    labelled: dict[str, str] = {}
    for label, record, _ in shown[0]["labels"]:
        if record not in story.brought:
            assert labelled.setdefault(label, record) == record, "one label, two records"
    carried = story.carrier.bytes_carried()
    for text in story.said.values():
        assert text.split()[-1].encode() not in carried
    await the_removed_open_nothing_sealed_later(story)


async def everything_said_is_there(device: Device, story: Story) -> None:
    """Current, an earlier version, forgotten, held for a person, or erased at somebody's word."""
    meta = await device.memory.read(lambda view: view.registers("meta"))
    banned = {name.removeprefix(BAN) for name in meta if name.startswith(BAN)}

    def look(view: View) -> None:
        for record, text in story.said.items():
            entry, task = view.entry(record), view.task(record)
            if record in banned:
                assert entry is None and task is None
            elif entry is not None:
                assert entry.draft.text == text
                assert entry.current or entry.hidden or entry.held or view.successors(record)
            elif task is not None:
                assert task.title == text
            elif (card := cards.card(view, record)) is not None:
                assert card.word == text
            elif (event := cards.review(view, record)) is not None:
                assert event.card == cards.card_id(text) and cards.is_undone(view, record) is (event.rating == 1)
            else:
                assert record in story.gone, text

    await device.memory.read(look)


async def the_removed_open_nothing_sealed_later(story: Story) -> None:
    roster = await pinned(story.places[0].device.memory)
    assert isinstance(roster, Roster)
    for place in story.places:
        member = roster.members[place.device.keys.device_id]
        assert place.removed == (member.left_at is not None)
        if member.left_at is None:
            continue
        known = {name for name in place.device.store.secrets if name.startswith(roster.scope.hex())}
        for epoch in roster.epochs.values():
            if epoch.height >= member.left_at:
                assert f"{roster.scope.hex()}/{epoch.number:08d}" not in known


@pytest.mark.parametrize("seed", range(2))
async def test_devices_agree_at_rest(seed: int, tmp_path: Path) -> None:
    await play(seed, tmp_path, QUICK_OPERATIONS)
