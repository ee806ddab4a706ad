"""Several devices over a transport that lies; one seed is one story. At rest all hold the same, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim.world import Story, rows
from tests.sync.world import Device, settle


async def play(seed: int, folder: Path) -> None:
    story = Story(seed, folder)
    try:
        await story.begin()
        await story.run()
        story.hub.lies = False
        await settle(*story.devices)
        await check(story)
    except BaseException as error:
        error.add_note(f"replay: pytest tests/sim -m 'sim or not sim' -k 'seed-{seed}-'")
        raise
    finally:
        await story.close()


async def check(story: Story) -> None:
    keys = [await device.keys_folded() for device in story.devices]
    assert all(one == keys[0] for one in keys)
    shown = [await rows(device) for device in story.devices]
    assert all(one == shown[0] for one in shown)
    for device in story.devices:
        await everything_said_is_there(device, story)
        await device.memory.rebuild()
        assert (await device.keys_folded(), await rows(device)) == (keys[0], shown[0])
    labelled: dict[str, str] = {}
    for label, record, _ in shown[0]["labels"]:
        assert labelled.setdefault(label, record) == record, "one label, two records"
    carried = b"".join(story.hub.carried)
    for text in (*story.said.values(), *story.titles.values()):
        assert text.split()[-1].encode() not in carried


async def everything_said_is_there(device: Device, story: Story) -> None:
    for record, text in story.said.items():
        entry = await device.memory.read(lambda view, record=record: view.entry(record))
        assert entry is not None and entry.draft.text == text
        if not (entry.current or entry.hidden):
            assert await device.memory.read(lambda view, record=record: view.successors(record))
    for record, title in story.titles.items():
        task = await device.memory.read(lambda view, record=record: view.task(record))
        assert task is not None and task.title == title


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"seed-{seed}-") for seed in range(3)])
async def test_devices_agree_at_rest(seed: int, tmp_path: Path) -> None:
    await play(seed, tmp_path)


@pytest.mark.sim
@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"seed-{seed}-") for seed in range(3, 103)])
async def test_devices_agree_at_rest_a_hundred_times(seed: int, tmp_path: Path) -> None:
    await play(seed, tmp_path)
