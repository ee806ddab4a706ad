"""Cancelled (Ctrl-C, a signal, a caller that is gone) at every point where opening waits: the next start is like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.config import load
from store.db import Database
from store.grants import PrivateClaim, grant
from store.model import AccountID
from tests.fakes import FakeClock, FakeEntropy
from tests.store.test_db import NUMBERS, held, insert

POINTS_MAX = 500
OWNER = AccountID("terminal:owner")


class Cut:
    """Runs `work` and cancels whoever runs it where it waits for the `at`th time, and `again` times more behind that."""

    def __init__(self, work: Coroutine[Any, Any, object], at: int, again: int = 0) -> None:
        self._steps = work.__await__()
        self._at = range(at, at + again + 1)
        self.waits = 0

    def __await__(self) -> Generator[Any, Any, bool]:
        """Whether it came to its end before."""
        task = asyncio.current_task()
        assert task is not None
        error: BaseException | None = None
        while True:
            try:
                awaited = self._steps.send(None) if error is None else self._steps.throw(error)
            except StopIteration:
                return self.waits < self._at.start
            self.waits += 1
            if self.waits in self._at:
                task.cancel()
            try:
                error = None
                yield awaited
            except BaseException as raised:
                error = raised


async def cut(work: Coroutine[Any, Any, object], at: int, again: int) -> bool:
    async def run() -> bool:
        return await Cut(work, at, again)

    try:
        return await asyncio.ensure_future(run())
    except asyncio.CancelledError:
        return False


async def start(home: Path, seed: str = "first") -> App:
    return await App.start(home, load(home / "niannian.toml", {}), FakeClock(), FakeEntropy(seed), login="Lin")


async def started_and_closed(home: Path) -> None:
    await (await start(home)).close()


async def new_group(home: Path, title: str) -> None:
    app = await start(home, title)
    try:
        await (await app.session(group=title)).say("the bakery opens at seven")
    finally:
        await app.close()


def markers(home: Path) -> list[Path]:
    return [*home.rglob("*-open")]


async def check(home: Path, number: int = 1) -> None:
    """A start like any other, at which everything can be written; `number` of them have kept something."""
    assert markers(home) == []
    app = await start(home, f"check {number}")
    try:
        assert app.home.refusals() == []
        session = await app.session()
        await session.say(f"remember: the key number {number} is under the mat")
        assert app.home.refusals() == []
        memory = await app.home.memory(grant(PrivateClaim(OWNER), app.home.device))
        assert await memory.read(lambda view: view.count()) == number
    finally:
        await app.close()


@pytest.mark.parametrize("again", [0, 1, 5])
async def test_a_database_that_is_being_made(tmp_path: Path, again: int) -> None:
    async def made_and_used(folder: Path) -> None:
        database = await Database.open(folder / "a.db", NUMBERS, backups=folder)
        try:
            await database.write(insert(1))
            await database.compact()
        finally:
            await database.close()

    for at in range(1, POINTS_MAX):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        whole = await cut(made_and_used(folder), at, again)
        assert markers(folder) == [], at
        database = await Database.open(folder / "a.db", NUMBERS, backups=folder)
        assert database.refusal is None
        assert await database.read(held) in ([[1]] if whole else [[], [1]])
        await database.close()
        if whole:
            return
    raise AssertionError("it never came to its end")


@pytest.mark.parametrize("again", [0, 1])
async def test_a_first_start(tmp_path: Path, again: int) -> None:
    for at in range(1, POINTS_MAX):
        home = tmp_path / f"{at}"
        whole = await cut(started_and_closed(home), at, again)
        await check(home)
        if whole:
            return
    raise AssertionError("it never came to its end")


async def test_a_start_with_a_new_memory(tmp_path: Path) -> None:
    for at in range(1, POINTS_MAX):
        home = tmp_path / f"{at}"
        await check(home)
        whole = await cut(new_group(home, "Team"), at, 0)
        await check(home, 2)
        if whole:
            return
    raise AssertionError("it never came to its end")
