"""Each device has its own copy of the folder, and a sync tool carries files between them the way such tools do.

It brings files in any order, sometimes half of one first, makes conflict copies and placeholders of them, and takes
away late what was withdrawn. The tool is played by `carry`, from one seed.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.model import Entry
from sync.erasing import found_anew
from sync.transports.folder import Folder
from tests.fakes import FakeClock
from tests.sync.world import OWNER, Device, found, make_device

pytestmark = pytest.mark.slow

ROUNDS = 25
COPIES = ("{stem} 2{suffix}", "{stem} (conflicted copy){suffix}", "{stem}.sync-conflict-20240527-020000-ABCDEFG{suffix}",
          ".{stem}{suffix}.icloud", ".syncthing.{stem}{suffix}.tmp")  # fmt: skip


def made_by_us(root: Path) -> dict[Path, bytes]:
    """What a device wrote; copies that the tool made have other names."""
    named = (
        path for path in sorted(root.rglob("*")) if path.is_file() and path.name[0].isalnum() and " " not in path.name
    )
    return {path.relative_to(root): path.read_bytes() for path in named if ".sync-conflict-" not in path.name}


class Tool:
    """Carries from one folder to another what it saw change there; it never gives back what it was given."""

    def __init__(self, seed: int, ours: Path, theirs: Path) -> None:
        self.chance = random.Random(seed)
        self.ours, self.theirs = ours, theirs
        self.had: dict[Path, bytes] = {}

    def carry(self, *, all_of_it: bool) -> None:
        there = made_by_us(self.ours)
        changed = [path for path in there if there[path] != self.had.get(path) and self._is_theirs_not(path)]
        gone = [path for path in self.had if path not in there]
        for path in self.chance.sample(changed, len(changed)):
            if all_of_it or self.chance.random() < 0.5:
                self._bring(path, there[path], whole=all_of_it or self.chance.random() < 0.6)
        for path in gone:
            if all_of_it or self.chance.random() < 0.3:
                (self.theirs / path).unlink(missing_ok=True)
                del self.had[path]

    def _is_theirs_not(self, path: Path) -> bool:
        other = self.theirs / path
        return path in self.had or not other.exists()

    def _bring(self, path: Path, data: bytes, *, whole: bool) -> None:
        target = self.theirs / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if self.chance.random() < 0.3:
            name = self.chance.choice(COPIES).format(stem=path.stem, suffix=path.suffix)
            (target.parent / name).write_bytes(target.read_bytes() if target.exists() else data)
        # Only segments grow; another file is brought under a name of the tool's own until it is whole.
        if path.suffix != ".seg" and not whole:
            return
        self.had[path] = data if whole else data[: self.chance.randrange(len(data))]
        target.write_bytes(self.had[path])


class TwoCopies:
    """Two devices, each with a folder of its own, and the tool between the folders, both ways."""

    def __init__(self, seed: int, roots: list[Path], devices: list[Device]) -> None:
        self.chance = random.Random(seed)
        self.devices = devices
        self.tools = [Tool(seed, *roots), Tool(seed + 1000, *reversed(roots))]
        self.said: list[Entry] = []

    async def live(self, rounds: int) -> None:
        for _ in range(rounds):
            one = self.chance.choice(self.devices)
            self.said.append(await one.remember(f"第 {len(self.said)} 条，{one.name}"))
            if self.chance.random() < 0.7:
                await self.chance.choice(self.devices).sync()
            self.chance.choice(self.tools).carry(all_of_it=False)

    async def rest(self) -> None:
        for _ in range(6):
            for device in self.devices:
                await device.sync()
            for tool in self.tools:
                tool.carry(all_of_it=True)


@pytest.fixture
async def home_and_phone(tmp_path: Path) -> AsyncIterator[tuple[list[Path], list[Device]]]:
    roots = [tmp_path / "a", tmp_path / "b"]
    for root in roots:
        root.mkdir()
    clock = FakeClock()
    home = await make_device(tmp_path, "home", Folder(roots[0]), clock)
    await found(home)
    phone = await make_device(tmp_path, "phone", Folder(roots[1]), clock, home)
    yield roots, [home, phone]
    for device in (home, phone):
        await device.close()


@pytest.mark.parametrize("seed", range(3))
async def test_two_copies_of_a_folder_that_a_tool_keeps_alike_end_in_one_memory(
    seed: int, home_and_phone: tuple[list[Path], list[Device]]
) -> None:
    roots, devices = home_and_phone
    both = TwoCopies(seed, roots, devices)
    await both.live(ROUNDS)
    await both.rest()
    assert await devices[0].keys_folded() == await devices[1].keys_folded()
    assert len(await devices[0].texts()) == ROUNDS


STAYS = pytest.mark.xfail(reason="the newcomer's first segment may stay in its own copy of the folder, sealed")
"""Found when the tool began to see files in the order of their names; nobody lacks or sees anything because of it."""


@pytest.mark.parametrize("seed", [pytest.param(0, marks=STAYS), 1, 2, 3])
async def test_what_was_erased_leaves_both_copies_of_the_folder(
    seed: int, home_and_phone: tuple[list[Path], list[Device]]
) -> None:
    """Streams are replaced while the tool carries them: nothing is lost, and no old segment or copy of one stays."""
    roots, devices = home_and_phone
    home, _ = devices
    both = TwoCopies(seed, roots, devices)
    await both.live(ROUNDS)
    await both.rest()
    before = {path for root in roots for path in root.rglob("*.seg*")}
    gone = both.said[seed]
    await home.memory.turn(lambda writer: writer.set(gone.id, "hidden", True, by=OWNER))
    erased = await found_anew(
        home.memory, home.keys, home.store, clock=FakeClock(), entropy=home.home._entropy, now=True
    )
    assert erased == 1
    await both.live(ROUNDS)
    await both.rest()
    assert await home.keys_folded() == await devices[1].keys_folded()
    assert len(await home.texts()) == 2 * ROUNDS - 1
    for root, device in zip(roots, devices, strict=True):
        own = {path for path in before if path.is_relative_to(root) and path.parent.name == device.keys.device_id.hex()}
        assert own and not [path for path in own if path.exists()]
