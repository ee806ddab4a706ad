"""A home that an older program left, as a person meets it: it simply goes on; where it cannot, it says why."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from bot import checkup
from bot.app import App
from bot.command import sentence
from bot.config import load
from bot.words import words
from store.errors import ReadOnly
from tests.fakes import FakeClock, FakeEmbedder, FakeEntropy
from tests.flow.world import World
from tests.store.older import made_older

SAID = (
    "remember the launch is on Friday",
    "no, the launch is on Monday",
    "记住小宝对鸡蛋过敏",
    "todo water the plants",
)
ASKED = ("when is the launch?", "小宝对什么过敏？", "/todos", "/memory", "what did I say today?")


@pytest.fixture
async def home(tmp_path: Path) -> tuple[Path, list[str]]:
    """With what it answered when it was left."""
    async with World(tmp_path / "home") as world:
        for name, group in (("Lin", None), ("Noor", None), ("Lin", "Team")):
            person = await world.person(name, group)
            for text in SAID:
                await person.say(f"{text}" if group is None else f"{text} ({group})")
        lin = await world.person()
        answers = [await lin.say(text) for text in ASKED]
    memories = list((tmp_path / "home" / "scopes").glob("*/memory.db"))
    assert len(memories) == 3
    for path in memories:
        made_older(path)
    return tmp_path / "home", answers


async def test_it_goes_on_as_if_nothing_had_been(home: tuple[Path, list[str]]) -> None:
    path, answers = home
    async with World(path) as world:
        lin = await world.person()
        assert [await lin.say(text) for text in ASKED] == answers
        assert "Monday (Team)" in await (await world.person("Lin", "Team")).say("when is the launch?")


async def test_its_texts_get_their_vectors(home: tuple[Path, list[str]]) -> None:
    async with World(home[0], embedder=FakeEmbedder()) as world:
        lin = await world.person()
        await world.filled()
        assert "Meaning: e5, 3 of 3 texts" in await lin.say("/status")


async def test_what_can_only_be_read_is_told_in_a_sentence(home: tuple[Path, list[str]]) -> None:
    class Denied(sqlite3.Connection):
        """Takes writes to nothing but device.db."""

        def execute(self, sql: str, *args: Any) -> Any:
            row = super().execute("PRAGMA database_list").fetchone()
            if sql.startswith("PRAGMA journal_mode") and row[2].endswith("memory.db"):
                error = sqlite3.OperationalError("attempt to write a readonly database")
                error.sqlite_errorcode = sqlite3.SQLITE_READONLY
                raise error
            return super().execute(sql, *args)

    before = {path: path.read_bytes() for path in home[0].glob("scopes/*/memory.db")}
    config = load(home[0] / "niannian.toml", {})
    app = await App.start(home[0], config, FakeClock(), FakeEntropy("denied"), factory=Denied)
    try:
        with pytest.raises(ReadOnly) as refused:
            await app.session()
    finally:
        await app.close()
    for lang in ("en", "zh"):
        told = sentence(refused.value, words(lang))
        assert "memory.db" in told
        assert "error-" not in told
    assert {path: path.read_bytes() for path in before} == before


async def _doctor(home: Path, *, rebuild: bool) -> tuple[int, str]:
    out = io.BytesIO()
    status = await checkup.run(
        home, words("en"), rebuild=rebuild, as_json=False, out=out, mounts="/dev/sda1 / ext4 rw 0 0\n"
    )
    return status, out.getvalue().decode()


async def test_doctor_knows_an_older_home_and_mends_it(home: tuple[Path, list[str]]) -> None:
    path, answers = home
    status, said = await _doctor(path, rebuild=False)
    assert status == checkup.STATUS_TO_MEND
    assert said.count("is still version 1, the next start brings it to 3") == 3
    status, said = await _doctor(path, rebuild=True)
    assert "still version 1" not in said
    assert "9 entries" in said
    async with World(path) as world:
        lin = await world.person()
        assert [await lin.say(text) for text in ASKED] == answers
    assert (await _doctor(path, rebuild=False))[0] == checkup.STATUS_SOUND
