"""Filling in the background, and what a question is told of it: nothing waits, nothing breaks, nothing is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pytest

from bot import embedding as module
from bot.embedding import Asked, Embedding
from store.errors import DatabaseCorrupt, DiskFull, NiannianError, ReadOnly
from store.home import Home
from store.memory import Memory
from store.model import ScopeID
from store.ports import EmbedderPhase, EmbedderState, EmbedderTrouble
from tests.fakes import FakeEmbedder
from tests.store.memories import Box, remember
from tests.waits import until

T = TypeVar("T")


@asynccontextmanager
async def home_of(*memories: Memory) -> AsyncIterator[Home]:
    """As much of a home as filling looks at."""
    yield SimpleNamespace(opened=lambda: list(memories))  # type: ignore[misc]


async def progress(memory: Memory, embedder: FakeEmbedder) -> tuple[int, int]:
    return await memory.read(lambda view: view.vectors_progress(embedder.name))


async def test_fills_until_all_is_done_and_again_when_something_was_said(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory, home_of(memory) as home:
        await memory.turn(lambda writer: [remember(writer, f"text {n}") for n in range(70)])
        embedder = FakeEmbedder()
        embedding = Embedding(embedder)
        task = asyncio.create_task(embedding.fill(home))
        await until(lambda: len(embedder.passages) == 70)
        assert embedder.passages[0] == "text 69\n"
        await memory.turn(lambda writer: remember(writer, "one more"))
        embedding.said.set()
        async with asyncio.timeout(5):
            while await progress(memory, embedder) != (71, 71):
                await asyncio.sleep(0)
        assert len(embedder.passages) == 71
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


async def test_looks_by_itself_for_what_came_from_other_devices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_EVERY_S", 0.01)
    async with Box(tmp_path).opened() as memory, home_of(memory) as home:
        embedder = FakeEmbedder()
        task = asyncio.create_task(Embedding(embedder).fill(home))
        await asyncio.sleep(0)
        await memory.turn(lambda writer: remember(writer, "from afar"))
        await until(lambda: embedder.passages)
        task.cancel()
        await asyncio.wait([task])


async def test_cut_off_anywhere_a_later_run_goes_on(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory, home_of(memory) as home:
        await memory.turn(lambda writer: [remember(writer, f"text {n}") for n in range(100)])
        for steps in range(1, 12):
            embedder = FakeEmbedder()
            task = asyncio.create_task(Embedding(embedder).fill(home))
            for _ in range(7 * steps):
                await asyncio.sleep(0.0005)
            task.cancel()
            await asyncio.wait([task])
    async with box.opened() as memory, home_of(memory) as home:
        embedding = Embedding(embedder)
        while await embedding.fill_some(home):
            pass
        assert await progress(memory, embedder) == (100, 100)
        assert await memory.read(lambda view: view.conn.execute("SELECT count(*) FROM entry_vectors").fetchone()) == (
            100,
        )


class Nameless(FakeEmbedder):
    """One whose name is known only once it is ready."""

    def __init__(self) -> None:
        super().__init__()
        self.known, self.name = self.name, ""

    async def embed_passages(self, texts: Any) -> Any:
        self.name = self.known
        return await super().embed_passages(texts)


async def test_nothing_is_kept_under_no_name(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory, home_of(memory) as home:
        await memory.turn(lambda writer: remember(writer, "text"))
        embedder = Nameless()
        embedding = Embedding(embedder)
        while await embedding.fill_some(home):
            pass
        names = await memory.read(lambda view: view.conn.execute("SELECT model FROM entry_vectors").fetchall())
        assert names == [(embedder.known,)]


class Changing(FakeEmbedder):
    """Becomes another model while passages are with it."""

    async def embed_passages(self, texts: Any) -> Any:
        rows = await super().embed_passages(texts)
        if self.dims == 64:
            self.become(dims=32, name="fake 2 32")
        return rows


async def test_a_model_that_changes_under_way_keeps_nothing_of_the_other(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory, home_of(memory) as home:
        await memory.turn(lambda writer: remember(writer, "text"))
        embedding = Embedding(Changing())
        while await embedding.fill_some(home):
            pass
        found = await memory.read(
            lambda view: view.conn.execute("SELECT model, length(vector) FROM entry_vectors").fetchall()
        )
        assert found == [("fake 2 32", 128)]


class Refusing(Memory):
    """Cannot keep vectors while there is a `fault`; counts how often it was asked."""

    fault: NiannianError | None = None
    asked = 0

    async def keep_vectors(self, *args: Any) -> None:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        await super().keep_vectors(*args)


@pytest.mark.parametrize("fault", [DiskFull(), ReadOnly(path="x"), DatabaseCorrupt(path="x")])
async def test_what_cannot_be_stored_stops_nothing_and_is_tried_again(tmp_path: Path, fault: NiannianError) -> None:
    async with Box(tmp_path / "other").opened() as other:
        memory = await Box(tmp_path).open(kind=Refusing)
        assert isinstance(memory, Refusing)
        memory.scope = ScopeID("6d" * 16)
        memory.fault = fault
        async with home_of(memory, other) as home:
            for one in (memory, other):
                await one.turn(lambda writer: remember(writer, "text"))
            embedder = FakeEmbedder()
            embedding = Embedding(embedder)
            task = asyncio.create_task(embedding.fill(home))
            await until(lambda: memory.asked and len(embedder.passages) >= 2)
            asked = await embedding.asked("text")
            assert asked.meaning is not None
            assert await progress(memory, embedder) == (0, 1)
            assert await progress(other, embedder) == (1, 1)
            memory.fault, before = None, memory.asked
            embedding.said.set()
            await until(lambda: memory.asked > before)
            task.cancel()
            await asyncio.wait([task])
            assert await progress(memory, embedder) == (1, 1)
        await memory.close()


async def test_off_is_not_asked_over_and_over(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory, home_of(memory) as home:
        await memory.turn(lambda writer: remember(writer, "text"))
        embedder = FakeEmbedder()
        embedder.die()
        embedding = Embedding(embedder)
        assert not await embedding.fill_some(home)
        embedder.recover()
        assert await embedding.fill_some(home)


async def test_a_question_gets_its_meaning_or_why_there_is_none() -> None:
    embedder = FakeEmbedder()
    embedding = Embedding(embedder)
    asked = await embedding.asked("what is tea")
    assert asked.meant and asked.meaning is not None
    assert (asked.meaning.kind, asked.meaning.model) == ("e5", embedder.name)
    assert float(np.linalg.norm(asked.meaning.vector)) == pytest.approx(1)
    release = embedder.slow_down()
    assert await embedding.asked("what") == Asked(True)
    release.set()
    embedder.die(EmbedderTrouble.MISSING)
    assert await embedding.asked("what") == Asked(True)
    embedder.state = EmbedderState(EmbedderPhase.STARTING)
    assert await embedding.asked("what") == Asked(True)


async def test_words_without_a_meaning_ask_for_none() -> None:
    embedder = FakeEmbedder()
    assert await Embedding(embedder).asked("?!") == Asked()
    embedder.queries.clear()
    assert await Embedding(embedder).asked(" \n") == Asked()
    assert embedder.queries == []


async def test_switched_off_there_is_nothing_of_it(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory, home_of(memory) as home:
        embedding = Embedding(None)
        assert await embedding.asked("what is tea") == Asked()
        assert embedding.embedder is None
        async with asyncio.timeout(5):
            await embedding.fill(home)
            await embedding.awake()
            await embedding.close()


async def test_awake_waits_for_readiness_and_no_longer_than_it_may() -> None:
    embedder = FakeEmbedder()
    embedding = Embedding(embedder)
    release = embedder.slow_down()
    waiting = asyncio.create_task(embedding.awake(60))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    release.set()
    await waiting
    embedder.slow_down()
    async with asyncio.timeout(5):
        await embedding.awake(0.01)


async def test_awake_does_not_wait_for_what_has_failed() -> None:
    embedder = FakeEmbedder()
    embedder.die(EmbedderTrouble.MISSING)
    async with asyncio.timeout(5):
        await Embedding(embedder).awake(60)
