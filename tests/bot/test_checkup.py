"""`niannian doctor` as people and programs read it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from bot import checkup
from bot.words import LANGUAGES, words
from store.errors import HomeInUse, HomeRefused
from store.home import HomeLock
from store.opening import open_marker
from sync import keys
from tests.house.files import ROOT, sources
from tests.store.homes import NO_MOUNTS, WORDS, Place, tree


@pytest.fixture
async def place(tmp_path: Path) -> Place:
    return await Place.filled(tmp_path / "home")


async def lines(
    place: Place, lang: str = "en", *, rebuild: bool = False, mounts: str = NO_MOUNTS
) -> tuple[int, list[str]]:
    out = io.BytesIO()
    status = await checkup.run(place.path, words(lang), rebuild=rebuild, as_json=False, out=out, mounts=mounts)
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
