"""One backup a night, made up for when it was missed, kept for 7 days, 4 weeks and 6 months."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.keeping import DAYS, MONTHS, WEEKS, Keeping, folder_of, kept, name_of, newest, night_of, nights_in
from store import backup
from store.home import MAKING
from sync import keys
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock, FakeEntropy
from tests.house.files import ROOT
from tests.store.homes import Place
from tests.waits import until

PASSPHRASE = "four quiet herons"
MINE = "0123abcd"
NIGHTS = st.sets(st.dates(date(2023, 1, 1), date(2025, 12, 31)), max_size=60)


@pytest.fixture
async def place(tmp_path: Path) -> Place:
    return await Place.filled(tmp_path / "home")


def keeping(place: Place, clock: FakeClock, folder: Path | None = None, **more: Any) -> Keeping:
    wanted: dict[str, Any] = {"fingerprint": MINE, "settings": lambda: None, "sleep": asyncio.sleep, "log_n": 4} | more
    return Keeping(
        place.path, folder or folder_of(place.path, None), PASSPHRASE,
        zone="Asia/Shanghai", clock=clock, entropy=FakeEntropy(), **wanted,
    )  # fmt: skip


def shanghai(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Asia/Shanghai")).astimezone(UTC)


# which are kept


@given(NIGHTS)
def test_the_newest_is_always_kept_and_there_are_never_many(nights: set[date]) -> None:
    left = kept(nights)
    assert left <= nights
    assert not nights or max(nights) in left
    assert len(left) <= DAYS + WEEKS + MONTHS


@given(NIGHTS)
def test_of_each_of_the_last_days_weeks_and_months_the_newest_is_kept(nights: set[date]) -> None:
    left = kept(nights)
    assert set(sorted(nights)[-DAYS:]) <= left
    for most, span in (
        (WEEKS, lambda night: night.isocalendar()[:2]),
        (MONTHS, lambda night: (night.year, night.month)),
    ):
        spans = sorted({span(night) for night in nights})[-most:]
        assert {max(night for night in nights if span(night) == one) for one in spans} <= left


@given(NIGHTS)
def test_keeping_twice_is_keeping_once(nights: set[date]) -> None:
    assert kept(kept(nights)) == kept(nights)


@given(NIGHTS, st.dates(date(2023, 1, 1), date(2026, 12, 31)))
def test_what_was_removed_would_never_have_been_wanted_again(nights: set[date], later: date) -> None:
    """Whatever night comes next, rotating every night leaves what rotating once would leave."""
    if nights and later > max(nights):
        assert kept(kept(nights) | {later}) == kept(nights | {later})


def test_a_year_of_nights() -> None:
    nights: set[date] = set()
    for number in range(365):
        nights = kept(nights | {date(2024, 1, 1) + timedelta(days=number)})
    assert sorted(map(str, nights)) == [
        "2024-07-31", "2024-08-31", "2024-09-30", "2024-10-31", "2024-11-30", "2024-12-15", "2024-12-22",
        "2024-12-24", "2024-12-25", "2024-12-26", "2024-12-27", "2024-12-28", "2024-12-29", "2024-12-30",
    ]  # fmt: skip


# when it is due


@pytest.mark.parametrize(
    ("now", "night"),
    [
        ("2024-05-27T03:00", "2024-05-27"),
        ("2024-05-27T02:59", "2024-05-26"),
        ("2024-05-27T23:59", "2024-05-27"),
        ("2024-05-28T00:00", "2024-05-27"),
    ],
)
def test_a_night_belongs_to_the_day_it_ends_in(now: str, night: str) -> None:
    assert night_of(datetime.fromisoformat(now)) == date.fromisoformat(night)


async def test_one_a_day_from_three_in_the_morning_on(place: Place) -> None:
    clock = FakeClock(shanghai("2024-05-27T02:00"))
    nightly = keeping(place, clock)
    made = []
    for _ in range(48):
        path = await nightly.once()
        made += [(str(clock.now().astimezone(ZoneInfo("Asia/Shanghai")))[:16], path.name)] if path else []
        clock.advance(timedelta(hours=1))
    assert made == [
        ("2024-05-27 02:00", f"niannian-{MINE}-2024-05-26.age"),  # there was none yet
        ("2024-05-27 03:00", f"niannian-{MINE}-2024-05-27.age"),
        ("2024-05-28 03:00", f"niannian-{MINE}-2024-05-28.age"),
    ]
    for _, name in made:
        assert backup.verify(place.path / "backups" / "nightly" / name, PASSPHRASE).entries == 3


async def test_missed_nights_are_made_up_for_by_one(place: Place) -> None:
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    assert await keeping(place, clock).once() is not None
    clock.set(shanghai("2024-06-01T09:30"))
    late = keeping(place, clock)
    assert (path := await late.once()) is not None and path.name == name_of(MINE, date(2024, 6, 1))
    assert await late.once() is None


async def test_rotation_comes_after_the_new_one_and_takes_only_what_was_named_here(
    place: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    old = [folder / name_of(MINE, date(2024, 5, 1) + timedelta(days=number)) for number in range(26)]
    foreign = [
        folder / name_of("ffffffff", date(2020, 1, 1)), folder / "niannian-2020-01-01.age", folder / "my own.age",
        folder / f"niannian-{MINE}-2020-01-01.age.txt", folder / f"niannian-{MINE}-2020-02-31.age",
    ]  # fmt: skip
    for path in (*old, *foreign):
        path.write_bytes(b"older")
    (folder / name_of(MINE, date(2020, 1, 2))).mkdir()
    (folder / name_of(MINE, date(2020, 1, 3))).symlink_to(foreign[2])
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    assert await keeping(place, clock, folder).once() is not None
    assert all(path.exists() for path in foreign)
    assert (folder / name_of(MINE, date(2020, 1, 2))).exists() and (folder / name_of(MINE, date(2020, 1, 3))).exists()
    wanted = kept({date(2024, 5, 1) + timedelta(days=number) for number in range(27)})
    assert nights_in(folder, MINE).keys() == wanted


async def test_a_clock_that_was_wrong_costs_no_backup(place: Place) -> None:
    """Nights to come count for nothing: what was just made stays, and is not made again."""
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    nightly = keeping(place, clock)
    nightly.folder.mkdir(parents=True)
    for number in range(400):
        (nightly.folder / name_of(MINE, date(2031, 1, 1) + timedelta(days=number))).touch()
    for _ in range(9):
        made = await nightly.once()
        assert made is not None and made.exists()
        assert await nightly.once() is None
        clock.advance(timedelta(days=1))
    assert len([night for night in nights_in(nightly.folder, MINE) if night.year == 2024]) == DAYS


async def test_what_a_former_device_made_ages_out_in_our_own_folder_only(place: Place, tmp_path: Path) -> None:
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    for folder in (folder_of(place.path, None), tmp_path / "shared"):
        folder.mkdir(parents=True)
        for night in (date(2023, 11, 1), date(2024, 5, 1)):
            (folder / name_of("ffffffff", night)).touch()
        await keeping(place, clock, folder).once()
    own, shared = folder_of(place.path, None), tmp_path / "shared"
    assert {*nights_in(own, "ffffffff")} == {date(2024, 5, 1)}
    assert {*nights_in(shared, "ffffffff")} == {date(2023, 11, 1), date(2024, 5, 1)}


async def test_drafts_of_a_killed_backup_are_removed(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    ours = [
        folder / f".{name_of(MINE, date(2024, 5, 1))}.part",
        place.path / "backups" / ".before-restore-20240501T000000Z-0000.age.part",
    ]
    others = folder / f".{name_of('ffffffff', date(2024, 5, 1))}.part"
    ours[1].parent.mkdir(exist_ok=True)
    for path in (*ours, others):
        path.touch()
    nightly = keeping(place, FakeClock(shanghai("2024-05-27T04:00")), folder)
    with backup._alone(place.path):
        ours[1].touch()
        assert await nightly.once() is None
        assert all(path.exists() for path in ours), "somebody is writing them"
    await keeping(place, FakeClock(shanghai("2024-05-27T04:00")), folder).once()
    assert [path.exists() for path in (*ours, others)] == [False, False, True]


async def test_a_damaged_home_takes_no_good_backups_place_and_is_said(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """B51."""
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    nightly = keeping(place, clock)
    for _ in range(9):
        await nightly.once()
        clock.advance(timedelta(days=1))
    before = nights_in(nightly.folder, MINE)
    with place.memory_db.open("r+b") as file:
        file.seek(8 * 4096)
        file.write(b"\xff" * 20_000)
    with caplog.at_level(logging.WARNING):
        assert await nightly.once() is None
    assert nights_in(nightly.folder, MINE) == before
    note = backup.read_note(place.path)
    assert (note.failed, note.failed_at[:10]) == ("error-database-corrupt", "2024-06-04")
    assert [record.message for record in caplog.records] == ["could not make the nightly backup"]


async def test_after_a_failure_it_is_tried_again_in_an_hour(place: Place, tmp_path: Path) -> None:
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    folder = tmp_path / "stick" / "backups"  # the stick is not plugged in
    nightly = keeping(place, clock, folder)
    assert await nightly.once() is None
    assert not folder.parent.exists()
    assert backup.read_note(place.path).failed == "error-backup-place"
    folder.parent.mkdir()
    clock.advance(timedelta(minutes=59))
    assert await nightly.once() is None
    clock.advance(timedelta(minutes=1))
    assert await nightly.once() is not None
    assert backup.read_note(place.path).failed == ""


async def test_it_goes_on_until_it_is_cancelled(place: Place) -> None:
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    slept = 0

    async def sleep(seconds: float) -> None:
        nonlocal slept
        slept += 1
        clock.advance(timedelta(hours=8))
        if slept == 7:
            await asyncio.Event().wait()
        await asyncio.sleep(0)

    nightly = keeping(place, clock, sleep=sleep)
    running = asyncio.create_task(nightly.go_on())
    async with asyncio.timeout(60):
        while slept < 7:
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(nights_in(nightly.folder, MINE)) == 3


async def test_the_newest_backup_is_found_wherever_it_is(place: Place, tmp_path: Path) -> None:
    assert newest(place.path, None) is None
    clock = FakeClock(shanghai("2024-05-27T04:00"))
    nightly = await keeping(place, clock, fingerprint=keys.load(place.path).device_id.hex()[:8]).once()
    assert nightly is not None and newest(place.path, None) == nightly
    made = backup.make(
        place.path, tmp_path / "a.age", PASSPHRASE, settings=None, now=clock.now(), entropy=FakeEntropy(), log_n=4
    )
    assert newest(place.path, None) == made.path
    made.path.unlink()
    assert newest(place.path, None) == nightly
    (nightly.parent / name_of("ffffffff", date(2024, 6, 1))).touch()
    assert newest(place.path, None) == nightly, "of another home"
    (place.path / keys.FILE).rename(place.path / f"{keys.FILE}.was")
    assert newest(place.path, None) == nightly, "of a device that this home was"
    (place.path / f"{keys.FILE}.was").unlink()
    assert newest(place.path, None) is None


@pytest.mark.slow
async def test_the_service_makes_them_while_it_runs(place: Place, tmp_path: Path) -> None:
    """The real program on an emulated Telegram; SIGTERM ends it in peace while it keeps watch."""
    kept_env = {name: value for name, value in os.environ.items() if not name.startswith("NIANNIAN_")}
    folder = tmp_path / "nights"
    with TelegramServer() as server:
        env = kept_env | {
            "NIANNIAN_TELEGRAM_TOKEN": server.token, "NIANNIAN_TELEGRAM_BASE_URL": server.base_url,
            "NIANNIAN_BACKUP_PASSPHRASE": PASSPHRASE, "NIANNIAN_BACKUP_FOLDER": str(folder),
            "NIANNIAN_HEALTH_PORT": "0", "NIANNIAN_PERSON_LANG": "en",
        }  # fmt: skip
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "run", "--home", str(place.path),
            cwd=ROOT, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            await until(lambda: list(folder.glob("niannian-*.age")) or program.returncode is not None)
        finally:
            if program.returncode is None:
                program.terminate()
            out, errors = await program.communicate()
    assert program.returncode == 0, errors
    assert f"Nightly backups: {folder}\n" in out.decode()
    (made,) = folder.iterdir()
    assert made.name.startswith(f"niannian-{keys.load(place.path).device_id.hex()[:8]}-")
    assert backup.verify(made, PASSPHRASE).entries == 3
    assert not (place.path / MAKING).exists()
