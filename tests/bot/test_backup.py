"""Backup and restore as a person does them: what comes back, what stays away, what is kept, what is refused."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot import adopting, devices, recovering, restoring, showing, syncing
from bot.app import OWNER, App
from bot.config import load, without_secrets
from bot.own_device import OwnDevice
from bot.speaker import Speaker
from bot.stoppable import in_thread
from store import backup
from store.dictionary import DATABASE as DICTIONARY
from store.errors import (
    BackupRefused,
    HomeInUse,
    HomeRefused,
    KeyMissing,
    Rejected,
)
from store.examine import Finding, Level, examine_memory
from store.home import MAKING, RESTORED, RESTORING, HomeLock
from sync import identity, keys
from tests.bot.household import KEY, Household, Talk, household
from tests.fakes import FakeClock, FakeEntropy
from tests.faults.talk import running
from tests.house.files import ROOT
from tests.store import tiny_dictionary
from tests.store.homes import tree
from tests.store.older import made_older

PASSPHRASE = "four quiet herons"
SECRET = "zebrafinch"


async def say(home: Path, clock: FakeClock, *said: str, start: int = 0) -> list[str]:
    async with running(home, clock, start=start) as (_, session):
        return ["\n".join(reply.text for reply in await session.say(text)) for text in said]


async def erase(home: Path, clock: FakeClock, words: str) -> None:
    async with running(home, clock, start=7) as (app, session):
        for text in (f"forget {words}", "Forget"):
            (reply,) = await session.say(text)
        assert "Forgotten" in reply.text
        clock.advance(timedelta(minutes=11))
        await app.run_due()


def back_up(home: Path, file: Path, clock: FakeClock) -> backup.Made:
    settings = without_secrets(home / "niannian.toml")
    return backup.make(
        home, file, PASSPHRASE, settings=settings, now=clock.now(), entropy=FakeEntropy(), overwrite=True, log_n=4
    )


async def restore(home: Path, file: Path, clock: FakeClock, *, force: bool = False, **more: Any) -> restoring.Restored:
    wanted: dict[str, Any] = {
        "settings": without_secrets(home / "niannian.toml"),
        "entropy": FakeEntropy("restore"),
        "log_n": 4,
    }
    return await restoring.restore(home, file, PASSPHRASE, force=force, clock=clock, **(wanted | more))


def holding(folder: Path, words: str) -> list[str]:
    found = [path for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]
    return [str(path.relative_to(folder)) for path in found]


@pytest.fixture
async def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def home(tmp_path: Path, clock: FakeClock) -> Path:
    await say(tmp_path / "home", clock, "remember the car is on B2", f"remember the plan is {SECRET}")
    return tmp_path / "home"


# on an empty or missing home


@pytest.mark.parametrize("made", [False, True])
async def test_an_empty_machine_has_everything_again_as_a_new_device(
    home: Path, clock: FakeClock, tmp_path: Path, made: bool
) -> None:
    back_up(home, tmp_path / "a.age", clock)
    there = tmp_path / "there"
    if made:
        there.mkdir()
    restored = await restore(there, tmp_path / "a.age", clock)
    assert (restored.manifest.entries, restored.kept, restored.shared, restored.erased) == (2, None, False, False)
    car, bike = await say(there, clock, "where is the car", "remember the bike is in the cellar", start=1)
    assert "B2" in car
    device = keys.load(there).device_id
    assert device != keys.load(home).device_id
    assert f"D-2024-05-27-x{device.hex()[:3]}01" in bike, "in a lane that no other device has"
    assert {path.name for path in there.iterdir()} == {"lock", "device.db", "scopes", "keys", "backups"}
    assert {path.name for path in (there / "backups").iterdir()} == {"last.json"}
    assert not any(path.stat().st_mode & 0o077 for path in there.rglob("*") if path.name != "lock")


async def test_a_second_restore_of_one_backup_is_another_device(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    back_up(home, tmp_path / "a.age", clock)
    for name in ("one", "two"):
        await restore(tmp_path / name, tmp_path / "a.age", clock, entropy=FakeEntropy(name))
    assert keys.load(tmp_path / "one").device_id != keys.load(tmp_path / "two").device_id


async def test_settings_come_along_without_secrets(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    (home / "niannian.toml").write_text(
        '# mine\n[telegram]\ntoken = "123456:very-secret"\ntokn = "very-secret too"\nbase_url = "http://me:very-secret@x"\n'
        '[person]\nname = "Lin “x” \\\\ y"\nzone = "Asia/Shanghai"\n[health]\nport = 0\n[backup]\npassphrase = "very-secret"\n'
    )
    back_up(home, tmp_path / "a.age", clock)
    await restore(tmp_path / "there", tmp_path / "a.age", clock)
    assert holding(tmp_path / "there", "very-secret") == []
    config = load(tmp_path / "there" / "niannian.toml", {})
    assert (config.person.name, config.person.zone, config.health.port) == ("Lin “x” \\ y", "Asia/Shanghai", "0")
    assert config.warnings == () and config.telegram.token is None


# beside a talk


OVER_AND_OVER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from store import backup
from store.clock import SystemEntropy
home, file = Path(sys.argv[1]), Path(sys.argv[2])
print("begun", flush=True)
while not file.with_name("enough").exists():
    made = backup.make(home, file, "four quiet herons", settings=None, now=datetime.now(UTC), entropy=SystemEntropy(),
                       overwrite=True, log_n=4)
    print(made.manifest.entries, flush=True)
"""


@pytest.mark.parametrize("here", [False, True])
async def test_a_talk_goes_on_while_backups_are_made(clock: FakeClock, tmp_path: Path, here: bool) -> None:
    """B47: made by another process, or by the one that talks; nobody hears of a lock, and each holds what was said."""
    home, file = tmp_path / "home", tmp_path / "a.age"
    async with running(home, clock, start=0) as (app, session):
        await session.say("remember the car is on B2")
        other = None
        counts: list[int] = []
        enough = asyncio.Event()

        async def keep() -> None:
            while not enough.is_set():
                made = await in_thread(
                    lambda stopped: backup.make(
                        home, file, PASSPHRASE, settings=None, now=clock.now(), entropy=FakeEntropy(), overwrite=True,
                        stopped=stopped, log_n=4, open_here=True,
                    )
                )  # fmt: skip
                counts.append(made.manifest.entries)

        if here:
            keeping = asyncio.create_task(keep())
        else:
            other = await asyncio.create_subprocess_exec(
                sys.executable, "-c", OVER_AND_OVER, str(home), str(file), cwd=ROOT, stdout=asyncio.subprocess.PIPE
            )
            assert other.stdout is not None and await other.stdout.readline() == b"begun\n"
        said = 0
        while said < 60 or (here and len(counts) < 3):
            said += 1
            (reply,) = await session.say(f"remember thing number {said}")
            assert reply.stored and not reply.failed, reply.text
            clock.advance(timedelta(seconds=1))
            await asyncio.sleep(0)
        enough.set()
        (tmp_path / "enough").touch()
        if other is not None:
            out, _ = await other.communicate()
            counts = [int(line) for line in out.split()]
            assert other.returncode == 0
        else:
            await keeping
        assert not app.home.refusals()
    assert counts == sorted(counts) and counts and counts[-1] <= said + 1
    assert backup.verify(file, PASSPHRASE).entries == counts[-1]
    await restore(tmp_path / "there", file, clock)
    assert "B2" in (await say(tmp_path / "there", clock, "where is the car", start=1))[0]
    assert [finding for finding in await soundness(home) if finding.level is not Level.OK] == []


async def soundness(home: Path) -> list[Finding]:
    return [one for path in home.glob("scopes/*/memory.db") for one in examine_memory(path, "scope").findings]


# on a home that is there


async def test_what_was_there_is_kept_under_the_same_passphrase(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    back_up(home, tmp_path / "a.age", clock)
    await say(home, clock, "/forget D-2024-05-27-01", "Forget", "remember the heron is grey", start=1)
    was = keys.load(home)
    restored = await restore(home, tmp_path / "a.age", clock)
    assert restored.kept is not None and restored.kept.parent == home / "backups"
    assert keys.load(home, identity.WAS) == was, "for niannian device adopt"
    car, heron = await say(home, clock, "where is the car", "what colour is the heron", start=2)
    assert "B2" in car and "grey" not in heron
    await restore(tmp_path / "before", restored.kept, clock)
    (heron,) = await say(tmp_path / "before", clock, "what colour is the heron", start=3)
    assert "grey" in heron
    assert not (home / RESTORING).exists() and not holding(home, "heron is grey"), "nowhere in the open"


async def test_settings_that_are_there_stay(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    (home / "niannian.toml").write_text('[person]\nname = "then"\n')
    back_up(home, tmp_path / "a.age", clock)
    (home / "niannian.toml").write_text('[person]\nname = "now"\n[telegram]\ntoken = "123:abc"\n')
    await restore(home, tmp_path / "a.age", clock)
    assert 'token = "123:abc"' in (home / "niannian.toml").read_text()


async def test_a_home_in_use_is_left_alone(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    back_up(home, tmp_path / "a.age", clock)
    lock = await HomeLock.acquire(home)
    before = tree(home)
    try:
        with pytest.raises(HomeInUse):
            await restore(home, tmp_path / "a.age", clock)
    finally:
        assert tree(home) == before
        lock.release()


async def test_a_smaller_backup_is_refused_and_names_both_numbers(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    back_up(home, tmp_path / "a.age", clock)
    await say(home, clock, "remember one more", start=1)
    before = {path: kind for path, (kind, *_) in tree(home).items()}
    with pytest.raises(Rejected) as raised:
        await restore(home, tmp_path / "a.age", clock)
    assert (raised.value.code, raised.value.facts) == ("error-restore-smaller", {"backup": 2, "home": 3})
    after = {path: kind for path, (kind, *_) in tree(home).items()}
    assert after.pop(str(home / "lock")) and before.pop(str(home / "lock")) and after == before
    restored = await restore(home, tmp_path / "a.age", clock, force=True)
    assert restored.kept is not None and backup.verify(restored.kept, PASSPHRASE).entries == 3


def cut(data: bytes) -> bytes:
    return data[:-1]


def flipped(data: bytes) -> bytes:
    return data[:-300] + bytes([data[-300] ^ 1]) + data[-299:]


@pytest.mark.parametrize("spoil", [cut, flipped, lambda data: b"words", lambda data: b""])
async def test_a_file_that_is_not_right_changes_nothing(
    home: Path, clock: FakeClock, tmp_path: Path, spoil: Any
) -> None:
    made = back_up(home, tmp_path / "a.age", clock)
    made.path.write_bytes(spoil(made.path.read_bytes()))
    for place in (home, tmp_path / "none"):
        before = files_of(place)
        with pytest.raises(BackupRefused) as raised:
            await restore(place, made.path, clock)
        assert raised.value.facts["path"] == str(made.path)
        assert files_of(place) == before


def files_of(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file() and path.name != "lock"}


async def test_a_mistyped_passphrase_leaves_no_folder_behind(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    back_up(home, tmp_path / "a.age", clock)
    with pytest.raises(BackupRefused) as raised:
        await restoring.restore(
            tmp_path / "none", tmp_path / "a.age", "another", settings=None, force=False, clock=clock
        )
    assert raised.value.code == "error-backup-passphrase"
    assert not (tmp_path / "none").exists()


async def test_a_damaged_home_is_replaced_and_its_files_are_kept_as_they_are(
    home: Path, clock: FakeClock, tmp_path: Path
) -> None:
    back_up(home, tmp_path / "a.age", clock)
    (path,) = home.glob("scopes/*/memory.db")
    path.write_bytes(path.read_bytes()[: 9 * 4096] + b"\xff" * 4096 * 4)
    broken = path.read_bytes()
    restored = await restore(home, tmp_path / "a.age", clock)
    assert restored.kept is not None and (restored.kept / path.relative_to(home)).read_bytes() == broken
    assert "B2" in (await say(home, clock, "where is the car", start=1))[0]


async def test_one_file_is_enough_beside_whatever_is_left_of_the_old_home(
    home: Path, clock: FakeClock, tmp_path: Path
) -> None:
    """B52: a log of another time, a memory that is gone, a database alone."""
    back_up(home, tmp_path / "a.age", clock)
    (path,) = home.glob("scopes/*/memory.db")
    (home / "device.db-wal").write_bytes(b"x" * 5000)
    path.unlink()
    await restore(home, tmp_path / "a.age", clock)
    assert "B2" in (await say(home, clock, "where is the car", start=1))[0]
    assert not (home / "device.db-wal").exists()


async def test_a_home_whose_keys_are_lost_goes_on_as_a_new_device(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    for path in (home / "keys").iterdir():
        path.unlink()
    with pytest.raises(KeyMissing):
        await say(home, clock, "where is the car")
    back_up(home, tmp_path / "a.age", clock)
    await restore(home, tmp_path / "a.age", clock)
    assert "B2" in (await say(home, clock, "where is the car", start=1))[0]


async def test_keys_on_a_disk_of_their_own_stay_there(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    """As a container keeps them: what is mounted cannot be renamed."""
    back_up(home, tmp_path / "a.age", clock)
    (home / "keys").rename(tmp_path / "volume")
    (home / "keys").symlink_to(tmp_path / "volume")
    was = keys.load(home)
    await restore(home, tmp_path / "a.age", clock)
    assert (home / "keys").is_symlink()
    assert keys.load(home, identity.WAS) == was and keys.load(home) != was
    assert sorted(path.name for path in (tmp_path / "volume").iterdir()) == ["device.key", "device.key.was"]
    assert "B2" in (await say(home, clock, "where is the car", start=1))[0]


async def test_a_restore_that_is_given_up_leaves_the_home_as_it_was(
    home: Path, clock: FakeClock, tmp_path: Path
) -> None:
    back_up(home, tmp_path / "a.age", clock)
    before = files_of(home)
    ended = 0
    for waits in range(0, 60, 3):
        entropy = FakeEntropy(f"try {waits}")  # the names of what is kept are drawn
        task = asyncio.create_task(restore(home, tmp_path / "a.age", clock, entropy=entropy))
        for _ in range(waits):
            await asyncio.sleep(0.002)
        ready = (home / RESTORED).exists() or task.done()
        task.cancel()
        try:
            await task
            break
        except asyncio.CancelledError:
            if ready or (home / RESTORED).exists():
                break
        ended += 1
        assert not (home / RESTORING).exists() and not (home / MAKING).exists()
        after = {path: data for path, data in files_of(home).items() if "/backups/" not in path}
        assert after == {path: data for path, data in before.items() if "/backups/" not in path}
    assert ended
    assert "B2" in (await say(home, clock, "where is the car", start=1))[0]


async def test_whoever_spoke_for_a_bot_is_not_spoken_for_by_itself(
    home: Path, clock: FakeClock, tmp_path: Path
) -> None:
    async with running(home, clock, start=1) as (app, _):
        assert await Speaker(app.home, OWNER).is_me("telegram:7")
    back_up(home, tmp_path / "a.age", clock)
    assert (await restore(tmp_path / "there", tmp_path / "a.age", clock)).speaks
    async with running(tmp_path / "there", clock, start=2) as (app, _):
        assert not await Speaker(app.home, OWNER).is_me("telegram:7")


@pytest.mark.parametrize("upgraded", [False, True])
async def test_a_backup_of_an_older_program_is_brought_up(
    home: Path, clock: FakeClock, tmp_path: Path, upgraded: bool
) -> None:
    """And one of a home that was not opened since the program was exchanged."""
    shutil.copytree(home, tmp_path / "older")
    (path,) = (tmp_path / "older").glob("scopes/*/memory.db")
    made_older(path)
    made = back_up(tmp_path / "older", tmp_path / "a.age", clock)
    assert made.manifest.entries == 2
    there = home if upgraded else tmp_path / "there"
    await restore(there, tmp_path / "a.age", clock)
    assert "B2" in (await say(there, clock, "where is the car", start=1))[0]
    assert not list(there.rglob("*-before-*.db")), "no copy in the open stays behind"


# what was erased


async def test_what_was_erased_for_good_does_not_come_back(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    await say(home, clock, "what is the plan", start=1)
    back_up(home, tmp_path / "a.age", clock)
    await erase(home, clock, SECRET)
    restored = await restore(home, tmp_path / "a.age", clock)
    assert restored.erased
    assert holding(home, SECRET) == []
    why, _ = await say(home, clock, "/why D-2024-05-27-02", "remember a new plan", start=2)
    assert SECRET not in why and "has been erased" in why
    again = await restore(tmp_path / "elsewhere", tmp_path / "a.age", clock)
    assert not again.erased and holding(tmp_path / "elsewhere", SECRET) != [], "that is how it can be had back"


async def test_what_was_forgotten_by_mistake_and_not_yet_erased_comes_back(
    home: Path, clock: FakeClock, tmp_path: Path
) -> None:
    back_up(home, tmp_path / "a.age", clock)
    await say(home, clock, "/forget D-2024-05-27-01", "Forget", start=1)
    await restore(home, tmp_path / "a.age", clock)
    assert "B2" in (await say(home, clock, "where is the car", start=2))[0]


async def test_what_was_erased_stays_away_after_a_second_restore(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    """The bans of the first are those of the second; also what was never in the backup stays banned."""
    back_up(home, tmp_path / "a.age", clock)
    await say(home, clock, "remember the late word is kingfisher", start=1)
    back_up(home, tmp_path / "b.age", clock)
    await erase(home, clock, "kingfisher")
    await restore(home, tmp_path / "a.age", clock)
    restored = await restore(home, tmp_path / "b.age", clock, entropy=FakeEntropy("second"))
    assert restored.erased and holding(home, "kingfisher") == []


# with other devices


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Household]:
    async with household(tmp_path / "world") as made:
        yield made


@pytest.fixture
async def pair(world: Household) -> tuple[OwnDevice, OwnDevice]:
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the car is on B2")
    await world.pair(home, phone)
    return home, phone


@pytest.mark.slow
async def test_a_lost_phone_is_restored_elsewhere_and_joins_again(
    world: Household, pair: tuple[OwnDevice, OwnDevice], tmp_path: Path
) -> None:
    home, phone = pair
    await world.stop(phone)
    phone = await world.device("phone")
    await world.say(phone, "remember only the phone heard of the kingfisher")
    back_up(world.root / "phone", tmp_path / "a.age", world.clock)
    await world.stop(phone)
    restored = await restore(world.root / "fresh", tmp_path / "a.age", world.clock)
    assert restored.shared
    fresh = await world.device("fresh")
    assert "B2" in await world.say(fresh, "where is the car?")
    await world.pair(home, fresh)
    await fresh.sync()
    await home.sync()
    assert "only the phone" in await world.say(home, "who heard of the kingfisher?")
    labels = await world.say(home, "what do you remember?")
    assert labels.count("kingfisher") <= 1, "nothing is there twice"


@pytest.mark.slow
async def test_an_admin_that_is_restored_over_itself_adopts(
    world: Household, pair: tuple[OwnDevice, OwnDevice], tmp_path: Path
) -> None:
    home, phone = pair
    back_up(world.root / "home", tmp_path / "a.age", world.clock)
    await world.say(home, "remember the heron is grey")
    await home.sync()
    await phone.sync()
    await world.stop(home)
    restored = await restore(world.root / "home", tmp_path / "a.age", world.clock, force=True)
    assert restored.shared
    home = await world.device("home")
    await world.say(home, "remember the bike is in the cellar")
    assert await adopting.adopt(home, Talk("1")) == 0
    for _ in range(2):
        await phone.sync()
        await home.sync()
    assert "cellar" in await world.say(phone, "where is the bike?")
    assert "grey" in await world.say(home, "what colour is the heron?"), "the peers are newer, and win"
    belonging = [it for it in await devices.known_devices(phone) if it.belongs]
    assert [it.admin for it in belonging] == [False, True]


@pytest.mark.slow
async def test_an_admin_that_is_gone_is_restored_elsewhere_with_the_recovery_key(
    world: Household, pair: tuple[OwnDevice, OwnDevice], tmp_path: Path
) -> None:
    home, phone = pair
    talk = Talk()
    await showing.show_recovery(home, talk)
    key = KEY.search(talk.said)
    assert key is not None
    back_up(world.root / "home", tmp_path / "a.age", world.clock)
    await home.sync()
    await world.stop(home)
    await world.stop(phone)
    await restore(world.root / "fresh", tmp_path / "a.age", world.clock)
    fresh = await world.device("fresh")
    assert await recovering.recover(fresh, Talk(key[0], "1")) == 0
    assert "B2" in await world.say(fresh, "where is the car?")
    assert [it.admin for it in await devices.known_devices(fresh) if it.belongs] == [True]


@pytest.mark.slow
async def test_where_nothing_else_is_left_what_was_shared_goes_on_and_is_shared_anew(
    world: Household, pair: tuple[OwnDevice, OwnDevice], tmp_path: Path
) -> None:
    home, phone = pair
    await world.say(phone, "remember the heron is grey")
    for own in (phone, home):
        await own.sync()
    back_up(world.root / "home", tmp_path / "a.age", world.clock)
    with pytest.raises(Rejected, match="error-restore-alone"):
        await restore(world.root / "home", tmp_path / "a.age", world.clock, alone=True)
    await world.stop(home)
    await world.stop(phone)
    restored = await restore(world.root / "fresh", tmp_path / "a.age", world.clock, alone=True)
    assert restored.shared
    fresh = await world.device("fresh", folder=False)
    assert "grey" in await world.say(fresh, "what colour is the heron?")
    with pytest.raises(Rejected, match="error-no-folder"):
        fresh.folder()
    await world.say(fresh, "remember the bike is in the cellar")
    world.shared = world.root / "shared anew"
    await syncing.set_folder(fresh, Talk(), world.shared)
    again = await world.device("again")
    await world.pair(fresh, again)
    for asked, wanted in (
        ("where is the car?", "B2"),
        ("what colour is the heron?", "grey"),
        ("where is the bike?", "cellar"),
    ):
        assert wanted in await world.say(again, asked)
    await world.say(again, "remember the boat is at sea")
    for own in (again, fresh):
        await own.sync()
    assert "at sea" in await world.say(fresh, "where is the boat?")
    assert [it.admin for it in await devices.known_devices(fresh) if it.belongs] == [True, False]
    (held,) = await fresh.held()
    (heron,) = await held.memory.read(lambda view: view.entries("text GLOB '*heron*'"))
    await held.memory.turn(lambda writer: writer.set(heron.id, "hidden", True, by=OWNER))
    assert await fresh.erase_now() == 1


@pytest.mark.slow
async def test_what_all_devices_have_erased_does_not_come_back_with_one(
    world: Household, pair: tuple[OwnDevice, OwnDevice], tmp_path: Path
) -> None:
    home, phone = pair
    await world.say(home, f"remember the plan is {SECRET}")
    for number in range(9):  # of a few entries, one that is erased would wait for a person
        await world.say(home, f"remember thing number {number}")
    for own in (home, phone, home):
        await own.sync()
    back_up(world.root / "phone", tmp_path / "a.age", world.clock)
    (held,) = await home.held()
    (secret,) = await held.memory.read(lambda view: view.entries(f"text GLOB '*{SECRET}*'"))
    await held.memory.turn(lambda writer: writer.set(secret.id, "hidden", True, by=OWNER))
    assert await home.erase_now() == 1
    for own in (home, phone, home, phone):
        await own.sync()
    await world.stop(phone)
    assert holding(world.root / "phone", SECRET) == []
    restored = await restore(world.root / "phone", tmp_path / "a.age", world.clock, force=True)
    assert restored.erased
    phone = await world.device("phone")
    assert SECRET not in await world.say(phone, "what is the plan?")
    await world.pair(home, phone)
    for own in (phone, home, phone):
        await own.sync()
    assert SECRET not in await world.say(home, "what is the plan?")
    await world.stop(phone)
    assert holding(world.root / "phone" / "scopes", SECRET) == [], "with the others' baseline its bytes are gone"


# keys


async def test_a_home_without_its_keys_is_refused_untouched(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    """B74."""
    known = keys.load(home).device_id.hex()[:8]
    (home / "keys").rename(tmp_path / "keys")
    before = tree(home)
    with pytest.raises(KeyMissing) as raised:
        await start(home, clock)
    assert (raised.value.code, raised.value.facts["fingerprint"]) == ("error-keys-gone", known)
    assert tree(home) == before


@pytest.mark.parametrize("marked", [False, True])
async def test_a_home_with_other_keys_is_refused_untouched(
    home: Path, clock: FakeClock, tmp_path: Path, marked: bool
) -> None:
    """B74: both fingerprints are named."""
    await say(tmp_path / "other", clock, "remember nothing of this", start=1)
    known, found = (keys.load(one).device_id.hex()[:8] for one in (home, tmp_path / "other"))
    (home / "keys").rename(tmp_path / "keys")
    (tmp_path / "other" / "keys").rename(home / "keys")
    if not marked:
        (home / identity.HERE).unlink()
    before = tree(home)
    with pytest.raises(KeyMissing) as raised:
        await start(home, clock)
    assert raised.value.facts == {"fingerprint": known, "found": found}
    assert tree(home) == before


async def start(home: Path, clock: FakeClock) -> None:
    app = await App.start(home, load(home / "niannian.toml", {}), clock, FakeEntropy("x"), login="Lin")
    await app.close()


@pytest.mark.parametrize("left", ["backups", "keys/scopes"])
async def test_a_folder_where_a_home_was_is_not_begun_anew(clock: FakeClock, tmp_path: Path, left: str) -> None:
    """B73."""
    (tmp_path / left).mkdir(parents=True)
    with pytest.raises(HomeRefused) as raised:
        await start(tmp_path, clock)
    assert raised.value.facts["found"] == left
    assert not (tmp_path / "device.db").exists()


# the commands


def command(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *words], cwd=ROOT, env=_environment(**env), capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip


def _environment(**env: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NIANNIAN_")}
    return kept | {"NIANNIAN_PERSON_LANG": "en", "TZ": "UTC"} | env


@pytest.mark.slow
def test_from_one_machine_to_another(tmp_path: Path) -> None:
    home, there, file = (str(tmp_path / name) for name in ("home", "there", "a.age"))
    opens = {"NIANNIAN_BACKUP_PASSPHRASE": PASSPHRASE}
    assert command("remember", "the car is on B2", "--home", home).returncode == 0
    without = command("backup", file, "--home", home)
    assert (without.returncode, without.stderr) == (
        1,
        "There is no passphrase. Type one, or set NIANNIAN_BACKUP_PASSPHRASE or NIANNIAN_BACKUP_PASSPHRASE_FILE.\n",
    )
    made = command("backup", file, "--home", home, **opens)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(f"Backed up and opened again to check: {file}\n1 entry, 0 groups, ")
    assert command("backup", file, "--home", home, **opens).returncode == 1
    assert command("backup", file, "--force", "--home", home, **opens).returncode == 0
    (tmp_path / "passphrase").write_text(PASSPHRASE + "\n")
    restored = command("restore", file, "--home", there, NIANNIAN_BACKUP_PASSPHRASE_FILE=str(tmp_path / "passphrase"))
    assert restored.returncode == 0, restored.stderr
    assert restored.stdout.startswith("Restored as of today ")
    assert "on B2" in command("ask", "where is the car", "--home", there).stdout
    looked = command("doctor", "--home", there)
    assert (
        "ok: last backup today\n" in looked.stdout and "ok: database intact, index agrees: 1 entry\n" in looked.stdout
    )
    fingerprint = keys.load(Path(there)).device_id.hex()[:8]
    assert f"ok: keys of this device: fingerprint {fingerprint}\n" in looked.stdout
    wrong = command("restore", file, "--home", there, NIANNIAN_BACKUP_PASSPHRASE="something else")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == f"That is not the passphrase of {file}. Nothing was changed.\n"
    short = command("backup", str(tmp_path / "b.age"), "--home", home, NIANNIAN_BACKUP_PASSPHRASE="short")
    assert "at least 8 characters" in short.stderr
    missing = command("restore", str(tmp_path / "none.age"), "--home", there, **opens)
    assert (missing.returncode, missing.stderr) == (1, f"There is no file {tmp_path / 'none.age'}.\n")


async def test_a_home_in_use_is_status_75(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    back_up(home, tmp_path / "a.age", clock)
    lock = await HomeLock.acquire(home)
    try:
        done = await asyncio.to_thread(
            command, "restore", str(tmp_path / "a.age"), "--home", str(home), NIANNIAN_BACKUP_PASSPHRASE=PASSPHRASE
        )
    finally:
        lock.release()
    assert done.returncode == 75


def no_database(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize("spoil", [no_database, newer])
async def test_where_a_database_cannot_be_used_the_newest_backup_is_named(
    home: Path, clock: FakeClock, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """B50, B53."""
    back_up(home, tmp_path / "a.age", clock)
    spoil(home / "device.db")
    done = await asyncio.to_thread(command, "ask", "where is the car", "--home", str(home))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"The newest backup: niannian restore {tmp_path / 'a.age'}"


def typed(answers: Sequence[str], *words: str) -> str:
    """What stands on the screen of a person who types these, each after a question."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, "-m", "bot", *words], _environment(TERM="dumb"))
    shown = b""
    left = list(answers)
    asked = 0
    while True:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, shown
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            piece = b""
        if not piece:
            break
        shown += piece
        if left and shown.count(b": ") > asked and shown.endswith(b": "):
            asked = shown.count(b": ")
            os.write(terminal, left.pop(0).encode() + b"\n")
    os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode()


@pytest.mark.slow
async def test_a_person_types_the_passphrase_twice_and_never_sees_it(
    home: Path, clock: FakeClock, tmp_path: Path
) -> None:
    file = str(tmp_path / "a.age")
    stopped = await asyncio.to_thread(typed, ["\x03"], "backup", file, "--home", str(home))
    assert "There is no passphrase" in stopped and "Traceback" not in stopped
    unlike = await asyncio.to_thread(typed, [PASSPHRASE, "five quiet herons"], "backup", file, "--home", str(home))
    assert "The two are not the same" in unlike and not (tmp_path / "a.age").exists()
    shown = await asyncio.to_thread(typed, [PASSPHRASE, PASSPHRASE], "backup", file, "--home", str(home))
    assert "Backed up" in shown and PASSPHRASE not in shown
    shown = await asyncio.to_thread(typed, ["mistyped", PASSPHRASE], "restore", file, "--home", str(tmp_path / "there"))
    assert "not the passphrase" in shown and "Restored as of" in shown


async def test_a_dictionary_is_in_no_backup_and_stays_where_it_is(home: Path, clock: FakeClock, tmp_path: Path) -> None:
    """Anybody can add the same file again; it would only make every backup larger."""
    file = tmp_path / "backup.age"
    tiny_dictionary.put(home)
    before = (home / DICTIONARY).read_bytes()
    made = back_up(home, file, clock)
    assert DICTIONARY not in {part.name for part in made.manifest.parts}
    await restore(home, file, clock)
    assert (home / DICTIONARY).read_bytes() == before
    await restore(tmp_path / "other", file, clock)
    assert not (tmp_path / "other" / DICTIONARY).exists()
