"""B63: the folder of a home is copied or put back from a copy. What starts there is a new device before it writes."""

from __future__ import annotations

import shutil
from pathlib import Path

from sync import keys
from tests.fakes import FakeClock
from tests.faults.talk import SAVED, Told, check_home, running


async def say(home: Path, clock: FakeClock, start: int, told: Told, *said: str) -> list[str]:
    """What was answered to each; receipts are kept in `told`."""
    answers: list[str] = []
    async with running(home, clock, start=start) as (_, session):
        for text in said:
            replies = await session.say(text)
            told.hear(text, replies)
            answers += [reply.text for reply in replies]
    return answers


async def test_a_copied_home_becomes_a_new_device_before_its_first_write(tmp_path: Path) -> None:
    clock = FakeClock()
    original, copy = tmp_path / "home", tmp_path / "copy"
    at_first, here, there = Told(), Told(), Told()
    await say(original, clock, 0, at_first, "remember the car is on B2", "remember the bike is in the cellar")
    shutil.copytree(original, copy)
    before = keys.load(original)
    await say(original, clock, 1, here, "remember tea is green")
    answers = await say(copy, clock, 2, there, "remember tea is white", "where is the car", "what is tea")
    assert keys.load(original) == before, "the original goes on as it was"
    assert keys.load(copy).device_id != before.device_id
    (label,) = SAVED.findall(answers[0])
    lane = f"x{keys.load(copy).device_id.hex()[:3]}"
    assert label.split("-")[-1].startswith(lane), "in a lane that no other device has"
    assert "B2" in answers[1] and "white" in answers[2] and "green" not in answers[2]
    assert not here.saved.keys() & there.saved.keys(), "no label twice"
    check_home(original, Told({**at_first.saved, **here.saved}))


async def test_a_copied_home_becomes_a_new_device_once(tmp_path: Path) -> None:
    clock = FakeClock()
    original, copy = tmp_path / "home", tmp_path / "copy"
    await say(original, clock, 0, Told(), "remember the car is on B2")
    shutil.copytree(original, copy)
    await say(copy, clock, 1, Told(), "where is the car")
    made = keys.load(copy)
    await say(copy, clock, 2, Told(), "where is the car")
    assert keys.load(copy) == made


async def test_a_moved_home_stays_the_device_it_was(tmp_path: Path) -> None:
    clock = FakeClock()
    told = Told()
    await say(tmp_path / "home", clock, 0, told, "remember the car is on B2")
    before = keys.load(tmp_path / "home")
    (tmp_path / "home").rename(tmp_path / "moved")
    await say(tmp_path / "moved", clock, 1, told, "remember the bike is in the cellar")
    assert keys.load(tmp_path / "moved") == before
    check_home(tmp_path / "moved", told)
