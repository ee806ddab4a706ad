"""`niannian tidy`: what it says, that looking changes nothing, and that it is asked of whoever holds the home."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot import door_socket
from bot.app import App
from bot.config import load
from bot.door import DoorScope, LocalDoor
from bot.words import LANGUAGES
from tests.fakes import FakeClock, FakeEntropy
from tests.faults.forks import Forks

KEY = "the spare key hangs behind the blue door"


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    server = Forks("tests.bot.console")
    yield server
    server.close()


async def say_three_times(home: Path, now: datetime) -> App:
    """On three of the days before `now`; gives the program, still up."""
    clock = FakeClock(now)
    config = load(home / "niannian.toml", {"NIANNIAN_PERSON_ZONE": "UTC", "NIANNIAN_PERSON_LANG": "en"})
    app = await App.start(home, config, clock, FakeEntropy("tidy"))
    session = await app.session(None, None)
    for days in (5, 3, 1):
        clock.set(now - timedelta(days=days))
        await session.say(f"remember {KEY}")
    await session.say("remember git push --force origin main")
    clock.set(now)
    return app


def notes(home: Path) -> list[str]:
    (path,) = home.glob("scopes/*/memory.db")
    with closing(sqlite3.connect(path)) as conn:
        return [row[0] for row in conn.execute("SELECT key FROM copy WHERE key LIKE 'note/tidy/%'")]


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_it_says_what_and_why_and_only_a_real_run_is_noted(forks: Forks, lang: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    app = await say_three_times(home, datetime.now(UTC))
    await app.close()
    seen = forks.run([lang, "tidy", "--home", str(home), "--dry-run"])
    assert (seen.status, seen.errors) == (0, "") and KEY in seen.out
    said = {"zh": ("说过 3 次", "像代码 1", "什么都没改"), "en": ("said 3 times", "like code 1", "nothing was changed")}
    assert all(one in seen.out for one in said[lang])
    assert notes(home) == []
    assert forks.run([lang, "tidy", "--home", str(home)]).status == 0
    assert len(notes(home)) == 1


async def test_whoever_holds_the_home_is_asked(tmp_path: Path) -> None:
    app = await say_three_times(tmp_path / "home", datetime(2024, 5, 27, 9, tzinfo=UTC))
    try:
        door = LocalDoor(app)
        coming = await door.call("tidy", DoorScope(), {"dry": True}, "cli/test/1")
        first = await door.call("tidy", DoorScope(), {"dry": False}, "cli/test/2")
        assert coming["night"] == "2024-05-28" and [one["ref"] for one in coming["proposed"]] == ["D-2024-05-22-01"]
        (one,) = first["proposed"]
        assert one == {
            "ref": "D-2024-05-22-01",
            "text": f"“{KEY}”",
            "verdict": "repeated",
            "times": 3,
            "score": one["score"],
        }
        assert first["left"] == {"code": 1} and first["night"] == "2024-05-27"
    finally:
        await app.close()


async def test_a_home_that_is_in_use_is_looked_into_through_its_door(forks: Forks, tmp_path: Path) -> None:
    home = tmp_path / "home"
    app = await say_three_times(home, datetime.now(UTC))
    door = await door_socket.serve(app)
    assert door is not None
    try:
        seen = await asyncio.to_thread(forks.run, ["en", "tidy", "--home", str(home), "--dry-run"])
        assert seen.status == 0 and KEY in seen.out
    finally:
        await door.close()
        await app.close()
