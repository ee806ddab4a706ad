"""A memory that an older program wrote, opened by this one: everything is there, and a cut in between costs nothing."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store.chat import search_chat
from store.errors import NiannianError, ReadOnly
from store.examine import Level, examine_memory
from store.index import session_of
from store.memory import Memory
from store.recall import Question, recall
from store.schema import MEMORY_MIGRATIONS, is_stale
from store.trail import Outcome
from store.view import View
from store.writer import Writer
from tests.faults.raising import FULL, Failing, Plan, factory_of
from tests.store.memories import LIN, SCOPE, Box, forget, look_inside, remember
from tests.store.older import made_older
from tests.waits import end_of

OTHER = "terminal:other"
TODAY = date(2024, 5, 27)


def fill(writer: Writer) -> None:
    def say(text: str, chat: str = str(LIN), kind: str = "talk") -> None:
        writer.keep_turn(chat=chat, account=LIN, at_ms=writer.now_ms, zone="UTC", kind=kind, text=text, reply="ok")

    first = remember(writer, "the launch is on Friday", tags=("work",))
    remember(writer, "the launch is on Monday", supersedes=(first.id,))
    remember(writer, "小宝对鸡蛋过敏")
    gone = remember(writer, "the zanzibar code is 4711")
    forget(writer, gone.id)
    writer.set(first.id, "pinned", True, by=LIN)
    say("we could go to the lighthouse")
    say("灯塔周末开门吗？", OTHER)
    say("yes, it opens on Saturdays", OTHER)
    say("and take a picnic")
    say("/status", kind="command")
    say("the zanzibar code is 4711, by the way")


async def older(folder: Path) -> Box:
    """Closed. With two devices' changes: what another one said comes in by sync."""
    other = Box(folder / "other", seed="other")
    async with other.opened() as memory:
        await memory.turn(lambda writer: remember(writer, "the heron nests by the canal"))
        theirs = await memory.changes_after(0, 100)
    box = Box(folder / "home")
    async with box.opened() as memory:
        await memory.turn(fill)

        def take(conn: sqlite3.Connection) -> None:
            for item in theirs:
                conn.execute(
                    "INSERT OR IGNORE INTO changes(doc, hash, bytes, origin) VALUES(?, ?, ?, 'peer')",
                    (item.doc.partition("~")[0], item.change.hash, item.change.data),
                )

        await memory.database.write(take)
        await memory.rebuild()
    made_older(box.path)
    return box


def copy_of(box: Box) -> Path:
    return box.root / "backups" / f"{SCOPE}-memory-before-{MEMORY_MIGRATIONS[-1].number}.db"


def version(path: Path) -> int:
    found: int = look_inside(path, lambda conn: conn.execute("PRAGMA user_version").fetchone())[0]
    return found


def truth(path: Path) -> list[Any]:
    def rows(conn: sqlite3.Connection) -> list[Any]:
        tables = ("changes", "turns", "sessions", "undo", "erasing", "ref_counter")
        return [conn.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables]

    found: list[Any] = look_inside(path, rows)
    return found


async def assert_answers(memory: Memory) -> None:
    def look(view: View) -> None:
        for words, found in (
            ("when is the launch?", "the launch is on Monday"),
            ("小宝对什么过敏？", "小宝对鸡蛋过敏"),
            ("where does the heron nest?", "the heron nests by the canal"),
        ):
            answer = recall(view, Question(words, TODAY))
            assert answer.outcome is Outcome.ANSWER and answer.entries[0].draft.text == found, words
        assert recall(view, Question("what is the zanzibar code?", TODAY)).entries == ()
        assert not any("zanzibar" in turn.text for turn in search_chat(view, "the zanzibar code", TODAY).turns)
        assert search_chat(view, "lighthouse", TODAY).turns[0].text == "we could go to the lighthouse"
        places = view.conn.execute(
            "SELECT place, turn, session FROM turn_places JOIN turns ON id = turn ORDER BY place"
        ).fetchall()
        assert [turn for _, turn, _ in places] == [1, 4, 6, 2, 3]
        assert all(session_of(place) == session for place, _, session in places)
        assert view.conn.execute("SELECT count(*) FROM uses").fetchone() == (0,)
        assert view.entries("pinned = 1")[0].draft.text == "the launch is on Friday"

    await memory.read(look)


async def test_everything_answers_and_the_copy_stays_until_the_next_clean_start(tmp_path: Path) -> None:
    box = await older(tmp_path)
    before = truth(box.path)
    assert version(box.path) == 1
    async with box.opened() as memory:
        await assert_answers(memory)
        assert copy_of(box).exists()
    assert truth(box.path) == before
    assert version(copy_of(box)) == 1
    assert truth(copy_of(box)) == before
    async with box.opened() as memory:
        await assert_answers(memory)
    assert not copy_of(box).exists()
    assert [finding.code for finding in examine_memory(box.path, SCOPE).findings] == []


async def test_the_trail_of_an_older_program_is_not_read(tmp_path: Path) -> None:
    box = await older(tmp_path)
    with closing(sqlite3.connect(box.path)) as conn, conn:
        conn.execute(
            """INSERT INTO copy VALUES('note/trail/terminal:lin', '{"outcome":"answer","steps":[["L1",1,1,true,100]]}')"""
        )
    async with box.opened() as memory:
        assert await memory.read(lambda view: view.note("trail/terminal:lin")) is None


async def test_hidden_ones_come_back_by_undo_and_are_erased_when_due(tmp_path: Path) -> None:
    box = await older(tmp_path)
    async with box.opened() as memory:
        hidden = await memory.read(lambda view: view.entries("hidden = 1"))
        assert [entry.draft.text for entry in hidden] == ["the zanzibar code is 4711"]
        await memory.erase_due(now=True)
    copy_of(box).unlink()
    assert not any(b"zanzibar" in path.read_bytes() for path in box.root.rglob("*") if path.is_file())


async def test_the_copy_outlives_a_start_that_did_not_come_to_its_end(tmp_path: Path) -> None:
    """The tables are new and the rows are not made yet: this is no clean start."""
    box = await older(tmp_path)

    class Cut(Memory):
        async def rebuild(self) -> None:
            raise InterruptedError

    for _ in range(2):
        with pytest.raises(InterruptedError):
            await box.open(kind=Cut)
        assert look_inside(box.path, is_stale)
        assert copy_of(box).exists()
    codes = [finding.code for finding in examine_memory(box.path, SCOPE).findings]
    assert codes == ["doctor-unequal"]
    async with box.opened() as memory:
        await assert_answers(memory)
        assert copy_of(box).exists()


async def test_what_can_only_be_read_is_refused_with_its_reason_and_stays_as_it_is(tmp_path: Path) -> None:
    box = await older(tmp_path)
    before = box.path.read_bytes()

    class Denied(sqlite3.Connection):
        def execute(self, sql: str, *args: Any) -> Any:
            if sql.startswith("PRAGMA journal_mode"):
                error = sqlite3.OperationalError("attempt to write a readonly database")
                error.sqlite_errorcode = sqlite3.SQLITE_READONLY
                raise error
            return super().execute(sql, *args)

    with pytest.raises(ReadOnly):
        await box.open(factory=Denied)
    assert box.path.read_bytes() == before
    async with box.opened() as memory:
        await assert_answers(memory)


async def counted(box: Box, folder: Path) -> int:
    plan = Plan()
    await open_and_close(work_on(box, folder / "count"), plan)
    return plan.counted


async def open_and_close(box: Box, plan: Plan) -> None:
    await (await box.open(factory=factory_of(plan))).close()


def work_on(box: Box, folder: Path) -> Box:
    again = Box(folder)
    shutil.copy(box.path, again.path)
    return again


@pytest.mark.slow
@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
async def test_a_kill_anywhere_in_the_upgrade_loses_nothing(tmp_path: Path, how: Failing) -> None:
    """B53, with the projections made anew behind it."""
    box = await older(tmp_path)
    before = truth(box.path)
    total = await counted(box, tmp_path)
    assert total > 100
    for at in range(1 + (how is Failing.KILL_AFTER), total + 1, 7):
        again = work_on(box, tmp_path / f"{how}-{at}")
        child = os.fork()
        if child == 0:
            try:
                await_alone(lambda again=again, at=at: open_and_close(again, Plan(at, how)))
            finally:
                os._exit(0)
        assert end_of(child) == -signal.SIGKILL, at
        async with again.opened() as memory:
            await assert_answers(memory)
        assert truth(again.path) == before, at
        shutil.rmtree(again.root)


def await_alone(work: Callable[[], Any]) -> None:
    """In a fork: the loop that was running is another process's."""
    import asyncio

    asyncio._set_running_loop(None)
    asyncio.set_event_loop(None)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(work())


@pytest.mark.slow
async def test_a_full_disk_anywhere_in_the_upgrade_loses_nothing(tmp_path: Path) -> None:
    box = await older(tmp_path)
    before = truth(box.path)
    total = await counted(box, tmp_path)
    for at in range(1, total + 1, 11):
        again = work_on(box, tmp_path / f"full-{at}")
        with suppress(NiannianError):  # anything else is a traceback
            await open_and_close(again, Plan(at, Failing.TWICE, FULL))
        async with again.opened() as memory:
            await assert_answers(memory)
        assert truth(again.path) == before, at
        shutil.rmtree(again.root)


async def test_the_older_tables_stand_as_the_older_program_made_them(tmp_path: Path) -> None:
    """Guards the fixture: no column of today may be in it."""
    box = await older(tmp_path)
    with closing(sqlite3.connect(box.path)) as conn:
        columns = {row[1] for row in conn.execute("PRAGMA table_info(entries)")}
        tables = {row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not columns & {"until", "same"}
    assert not tables & {"uses", "turn_places", "entry_vectors", "turn_vectors"}
    (finding,) = examine_memory(box.path, SCOPE).findings
    assert (finding.code, finding.level) == ("doctor-schema-older", Level.CHECK)
