"""`niannian doctor` as people and programs read it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot import checkup
from bot.words import LANGUAGES, words
from store import backup
from store.errors import HomeInUse, HomeRefused
from store.home import HomeLock
from store.opening import open_marker
from sync import keys
from tests.fakes import FakeClock
from tests.house.files import ROOT, sources
from tests.store.homes import NO_MOUNTS, WORDS, Place, tree


@pytest.fixture
async def place(tmp_path: Path) -> Place:
    return await Place.filled(tmp_path / "home")


async def lines(
    place: Place, lang: str = "en", *, rebuild: bool = False, mounts: str = NO_MOUNTS, clock: FakeClock | None = None
) -> tuple[int, list[str]]:
    out = io.BytesIO()
    status = await checkup.run(
        place.path, words(lang), rebuild=rebuild, as_json=False, out=out, mounts=mounts, clock=clock
    )
    text = out.getvalue().decode("utf-8")
    assert text.endswith("\n")
    return status, text.splitlines()


async def as_json(place: Place, *, rebuild: bool = False, mounts: str = NO_MOUNTS) -> tuple[int, dict[str, Any]]:
    out = io.BytesIO()
    status = await checkup.run(place.path, words("en"), rebuild=rebuild, as_json=True, out=out, mounts=mounts)
    return status, json.loads(out.getvalue())


async def test_a_sound_home_in_both_languages(place: Place) -> None:
    before = tree(place.path)
    status, zh = await lines(place, "zh")
    assert (status, zh[0], zh[-1]) == (0, "好：没有别的念念在用这个目录", "好：数据库完整，索引一致：3 条")
    status, en = await lines(place, "en")
    assert (status, en[-1]) == (0, "ok: database intact, index agrees: 3 entries")
    assert all(line.startswith("好：") for line in zh)
    assert all(line.startswith("ok: ") for line in en)
    assert tree(place.path) == before


async def test_a_rebuild_in_both_languages(place: Place) -> None:
    assert (await lines(place, "zh", rebuild=True))[1][-1] == "好：重建后一致：3 条"
    assert (await lines(place, "en", rebuild=True)) == (
        0,
        [
            "ok: no other niannian is using this folder",
            *(line for line in (await lines(place))[1] if "SQLite" in line or "fingerprint" in line),
            "ok: rebuilt, equal: 3 entries",
        ],
    )


async def test_what_is_to_mend_is_one_line_each_and_status_1(place: Place) -> None:
    place.spoil(place.memory_db, "UPDATE entries SET text = 'other'")
    (place.path.parent / ".dropbox").touch()
    status, zh = await lines(place, "zh")
    assert status == 1
    assert "注意：数据目录在 Dropbox 里，请挪出来" in zh
    assert f"注意：{place.scope}：和改动记录对不上（entries）。运行 niannian doctor --rebuild" in zh
    assert not any("数据库完整" in line for line in zh)
    status, en = await lines(place, "en")
    assert status == 1
    assert "check: the data folder is inside Dropbox, please move it out" in en
    assert f"check: {place.scope}: differs from the change log (entries). Run niannian doctor --rebuild" in en
    (place.path.parent / ".dropbox").unlink()
    assert (await lines(place, rebuild=True))[0] == 0
    assert (await lines(place))[0] == 0


async def test_broken_is_said_as_broken(place: Place) -> None:
    status, zh = await lines(place, "zh", mounts="server / nfs rw 0 0\n")
    assert status == 1
    assert any(line.startswith("坏了：数据目录在网络磁盘（nfs）上") for line in zh)
    open_marker(place.memory_db).touch()
    status, en = await lines(place, "en")
    assert status == 1
    assert any(line.startswith("broken: ") and "memory.db-wal is gone" in line for line in en)


async def test_json_says_the_same(place: Place) -> None:
    status, body = await as_json(place)
    assert (status, body["ok"]) == (0, True)
    assert body["findings"][-1] == {
        "level": "ok",
        "code": "doctor-intact",
        "facts": {"n": 3},
        "text": "database intact, index agrees: 3 entries",
    }
    place.spoil(place.memory_db, "UPDATE entries SET text = 'other'")
    status, body = await as_json(place)
    assert (status, body["ok"]) == (1, False)
    (found,) = [finding for finding in body["findings"] if finding["level"] == "check"]
    assert found["code"] == "doctor-unequal"
    assert found["facts"] == {"scope": place.scope, "found": "entries"}
    status, body = await as_json(place, rebuild=True)
    assert (status, body["ok"], body["findings"][-1]["code"]) == (0, True, "doctor-rebuilt")


async def test_no_home_and_a_held_lock_are_raised_and_in_json_written_too(place: Place, tmp_path: Path) -> None:
    for where, error, code, rebuild in (
        (tmp_path / "nowhere", HomeRefused, "doctor-no-home", False),
        (tmp_path / "nowhere", HomeRefused, "doctor-no-home", True),
        (place.path, HomeInUse, "error-home-in-use", True),
    ):
        lock = await HomeLock.acquire(place.path)
        out = io.BytesIO()
        try:
            with pytest.raises(error):
                await checkup.run(where, words("zh"), rebuild=rebuild, as_json=False, out=out, mounts=NO_MOUNTS)
            assert out.getvalue() == b""
            with pytest.raises(error):
                await checkup.run(where, words("zh"), rebuild=rebuild, as_json=True, out=out, mounts=NO_MOUNTS)
        finally:
            lock.release()
        body = json.loads(out.getvalue())
        assert (body["ok"], [finding["code"] for finding in body["findings"]]) == (False, [code])
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("spoil", ["missing", "damaged"])
async def test_keys_that_cannot_be_read_are_a_finding_and_nothing_is_rebuilt(place: Place, spoil: str) -> None:
    path = place.path / keys.FILE
    path.unlink() if spoil == "missing" else path.write_bytes(b"x")
    place.spoil(place.memory_db, "UPDATE entries SET text = 'other'")
    before = tree(place.path / "scopes")
    for rebuild in (False, True):
        status, body = await as_json(place, rebuild=rebuild)
        codes = {finding["code"] for finding in body["findings"]}
        assert status == 1
        assert {f"error-key-file-{spoil}", "doctor-unequal"} <= codes
    assert tree(place.path / "scopes") == before


async def test_no_word_of_a_person_is_in_what_is_written(place: Place) -> None:
    for statement in (
        "UPDATE entries SET text = text || '!'",
        "UPDATE turns SET session = 9",
        "UPDATE tasks SET day = title",
    ):
        place.spoil(place.memory_db, statement)
    place.spoil(place.device_db, "UPDATE accounts SET scope = ''")
    for lang in LANGUAGES:
        text = "\n".join((await lines(place, lang))[1])
        assert not any(said in text for said in (*WORDS, "zanzibar", "canal", "plants", "Lin", "Team", "owner"))


def codes() -> Iterable[str]:
    for path in sources("store", "bot"):
        if path.stem in {"doctor", "examine", "checkup", "live"}:
            yield from re.findall(r'"((?:doctor|error)-[a-z-]+)"', path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_finding_has_its_sentence_and_none_is_left_over(lang: str) -> None:
    used = set(codes()) | {"doctor-ok", "doctor-check", "doctor-broken", "doctor-line"}
    assert [code for code in used if not words(lang).has(code)] == []
    text = (ROOT / "bot" / "locales" / f"{lang}.ftl").read_text(encoding="utf-8")
    assert set(re.findall(r"^(doctor-[a-z-]+) =", text, flags=re.MULTILINE)) == {c for c in used if c[:6] == "doctor"}


@pytest.mark.parametrize(
    ("days", "lang", "line"),
    [
        (0, "en", "ok: last backup today"),
        (0, "zh", "好：今天备份过"),
        (1, "en", "ok: last backup 1 day ago"),
        (6, "zh", "好：最近一次备份是 6 天前"),
        (9, "en", "check: last backup 9 days ago, run niannian backup FILE"),
        (9, "zh", "注意：最近一次备份是 9 天前，运行 niannian backup FILE"),
    ],
)
async def test_how_old_the_last_backup_is(place: Place, days: int, lang: str, line: str) -> None:
    clock = FakeClock()
    made_at = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    backup.keep_note(place.path, backup.Note(made_at=made_at, path="a.age"))
    clock.advance(timedelta(days=days, hours=23))
    status, said = await lines(place, lang, clock=clock)
    assert line in said
    assert status == (1 if days >= checkup.BACKUP_DAYS else 0)


async def test_a_home_that_was_never_backed_up_is_told_so_after_a_week(place: Place) -> None:
    made = datetime.fromtimestamp((place.path / keys.FILE).stat().st_mtime, UTC)
    clock = FakeClock(made)
    for days, told in ((0, []), (6, []), (7, ["check: never backed up in 7 days, run niannian backup FILE"])):
        clock.set(made + timedelta(days=days))
        _, said = await lines(place, clock=clock)
        assert [line for line in said if "back" in line] == told


@pytest.mark.parametrize(
    ("code", "said_so"),
    [
        ("error-disk-full", "did not work, the disk is full"),
        ("error-database-corrupt", "was not made, a database is damaged"),
        ("error-backup-place", "did not work, its folder isn't there"),
        ("error-store-busy", "did not work (error-store-busy)"),
    ],
)
async def test_a_nightly_backup_that_did_not_work_is_said_until_one_does(place: Place, code: str, said_so: str) -> None:
    clock = FakeClock()
    note = backup.Note("2024-05-26T19:00:00Z", "a.age", "2024-05-27T01:00:00Z", code)
    backup.keep_note(place.path, note)
    status, said = await lines(place, clock=clock)
    assert status == 1
    assert f"check: the nightly backup of 2024-05-27 {said_so}; earlier ones are kept" in said
    assert "ok: last backup today" in said


async def test_the_fingerprint_of_the_keys_is_there_to_compare(place: Place) -> None:
    _, said = await lines(place)
    assert f"ok: keys of this device: fingerprint {keys.load(place.path).device_id.hex()[:8]}" in said
