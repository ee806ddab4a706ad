"""One scope's memory: everything of a turn or nothing, whoever interrupts; the log rebuilds what was shown."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.document import Document, change_hash
from store.documents import DOCUMENTS_MAX
from store.errors import DiskFull, DocumentCorrupt, NiannianError, StoreFault
from store.memory import Memory
from store.model import Entry, EntryID, EntryKind, ScopeKind, TaskState
from store.writer import DOCUMENT_KEYS_SOFT_MAX, Writer
from tests.store.effort import COSTLY, SWEEP
from tests.store.memories import CHAT, HERE, LIN, PAST_UNDO, Box, forget, lins_grant, look_inside, remember
from tests.store.snapshot import Snapshot, snapshot


async def texts(memory: Memory) -> list[str]:
    return await memory.read(lambda view: [one.draft.text for one in reversed(view.entries("hidden = 0"))])


async def assert_rebuild_equals(memory: Memory, box: Box) -> Snapshot:
    before = snapshot(box.path)
    await memory.rebuild()
    assert snapshot(box.path) == before
    return before


def test_only_a_grant_opens_a_memory(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        Memory("5c" * 16, None, device_id=b"", clock=None, entropy=None)  # type: ignore[arg-type]
    assert lins_grant().kind is ScopeKind.PRIVATE


# founding, feed


async def test_founding_twice_founds_once(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        for lane in ("", "b"):
            await memory.found(lane=lane, kind=ScopeKind.GROUP, settings={"zone": "UTC"})
        meta = await memory.read(lambda view: {name: one.value for name, one in view.registers("meta").items()})
        assert meta == {"kind": "private", "lane/0001020304050607": ""}
        assert await memory.read(lambda view: (view.local("lane", "?"), view.setting("zone"))) == ("", "UTC")


async def test_describing_writes_only_what_is_new(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await memory.describe({"chat/a": {"on": True}})
        before = await memory.changes_after(0, 99)
        await memory.describe({"chat/a": {"on": True}})
        assert await memory.changes_after(0, 99) == before
        await memory.describe({"chat/a": {"on": False}})
        assert len(await memory.changes_after(0, 99)) == len(before) + 1


async def test_the_feed_gives_each_change_once_in_order_and_bounded(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        for number in range(5):
            await memory.turn(lambda writer, number=number: remember(writer, f"entry {number}"))  # type: ignore[misc]
        whole = await memory.changes_after(0, 100)
        assert [one.doc for one in whole] == ["meta~1"] + ["facts/2024-05.1~1"] * 5
        assert {one.origin for one in whole} == {"own"}
        assert all(change_hash(one.change.data) == one.change.hash for one in whole)
        pos, fed = 0, []
        while page := await memory.changes_after(pos, 2):
            assert len(page) <= 2
            fed += page
            pos = page[-1].pos
        assert fed == whole
        assert await memory.changes_after(pos, 2) == []
    async with box.opened() as memory:
        assert await memory.changes_after(0, 100) == whole


async def test_a_turn_that_only_looks_makes_no_change(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        before = await memory.changes_after(0, 9)
        assert await memory.turn(lambda writer: writer.count()) == 0
        assert await memory.changes_after(0, 9) == before


# a turn that fails


async def test_what_a_failing_turn_wrote_is_gone_and_later_turns_stand(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        kept = await memory.turn(lambda writer: remember(writer, "kept"))

        def fails(writer: Writer) -> None:
            remember(writer, "lost")
            writer.set(kept.id, "pinned", True, by=LIN)
            writer.ask(CHAT, LIN, {"do": "x"})
            writer.flush()
            raise RuntimeError("a bug")

        with pytest.raises(RuntimeError):
            await memory.turn(fails)
        later = await memory.turn(lambda writer: remember(writer, "later"))
        assert later.label == "D-2024-05-27-02"
        assert await texts(memory) == ["kept", "later"]
        assert await memory.read(lambda view: view.pending(CHAT, LIN, 0)) is None
        await assert_rebuild_equals(memory, box)


class Failing(sqlite3.Connection):
    """Fails the next statement that begins with `at`."""

    at = ""
    raising: BaseException = sqlite3.OperationalError("disk I/O error")

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:  # type: ignore[override]
        if Failing.at and sql.startswith(Failing.at):
            Failing.at = ""
            raise Failing.raising
        return super().execute(sql, *args)


def disk_full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.mark.parametrize("at", ["INSERT INTO changes", "COMMIT", "INSERT OR IGNORE INTO keys", "BEGIN"])
@pytest.mark.parametrize("vanishes", [False, True])
async def test_ten_saves_after_a_lost_one_depend_on_nothing_lost(tmp_path: Path, at: str, *, vanishes: bool) -> None:
    """Measured without a fresh actor: every later acknowledged save depends on a change nobody has.

    With `vanishes` the caller is cancelled before the transaction fails: nobody is left to be told.
    """
    box = Box(tmp_path)
    async with box.opened(factory=Failing) as memory:
        await memory.turn(lambda writer: remember(writer, "first"))
        actor = memory._documents._actor
        Failing.raising, Failing.at = disk_full(), at
        lost = asyncio.ensure_future(memory.turn(lambda writer: remember(writer, "lost")))
        if vanishes:
            await asyncio.sleep(0)
            lost.cancel()
        with pytest.raises(asyncio.CancelledError if vanishes else DiskFull):
            await lost
        for number in range(10):
            await memory.turn(lambda writer, number=number: remember(writer, f"later {number}"))  # type: ignore[misc]
        if at != "BEGIN":
            assert memory._documents._actor != actor
        wanted = ["first", *(f"later {number}" for number in range(10))]
        assert await texts(memory) == wanted
    async with box.opened() as memory:
        assert await texts(memory) == wanted
        await assert_rebuild_equals(memory, box)
        assert await texts(memory) == wanted


# interleaved and cancelled


async def test_two_tasks_that_read_and_write_never_meet_a_lock(tmp_path: Path) -> None:
    """B48: a deferred transaction that reads first cannot be upgraded; SQLite refuses at once."""
    box = Box(tmp_path)
    async with box.opened() as memory:

        async def count_up(times: int) -> None:
            for _ in range(times):

                def step(writer: Writer) -> None:
                    seen = int(writer.local("count", "0"))
                    writer.conn.execute("INSERT OR REPLACE INTO copy VALUES('count', ?)", (str(seen + 1),))
                    if seen % 50 == 0:
                        remember(writer, f"entry {seen}")

                await memory.turn(step)
                await memory.read(lambda view: view.count())

        await asyncio.gather(count_up(500), count_up(500))
        assert await memory.read(lambda view: (view.local("count"), view.count())) == ("1000", 20)
        await assert_rebuild_equals(memory, box)


@pytest.mark.parametrize("turns_of_the_loop", range(5))
async def test_a_cancelled_caller_leaves_all_of_a_turn_or_nothing(tmp_path: Path, turns_of_the_loop: int) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:

        def two(writer: Writer, number: int) -> None:
            task = writer.add_task(f"task {number}", at_ms=writer.now_ms, zone="UTC", author=LIN, source=HERE)
            remember(writer, f"entry {number} {task.id}")
            writer.keep_handled(f"key {number}", "reply")

        running = [asyncio.ensure_future(memory.turn(lambda writer, n=n: two(writer, n))) for n in range(20)]  # type: ignore[misc]
        for _ in range(turns_of_the_loop):
            await asyncio.sleep(0)
        for number, task in enumerate(running):
            if number % 2:
                task.cancel()
        done = await asyncio.gather(*running, return_exceptions=True)
        assert {type(one) for one in done[::2]} == {type(None)}
        after = await memory.turn(lambda writer: remember(writer, "after"))
        assert after.draft.text == "after"

    def kept(conn: sqlite3.Connection) -> tuple[set[str], set[str], set[str]]:
        tasks = {row[0].split()[1] for row in conn.execute("SELECT title FROM tasks")}
        entries = {row[0].split()[1] for row in conn.execute("SELECT text FROM entries WHERE text <> 'after'")}
        return tasks, entries, {row[0].split()[1] for row in conn.execute("SELECT inbound_key FROM handled")}

    tasks, entries, handled = look_inside(box.path, kept)
    assert tasks == entries == handled
    assert {str(number) for number in range(0, 20, 2)} <= tasks
    async with box.opened() as memory:
        await assert_rebuild_equals(memory, box)


# looking when nothing can be stored


async def test_looking_stores_nothing_and_refuses_every_effect(tmp_path: Path) -> None:
    box = Box(tmp_path)
    refusal = DiskFull(path="x")
    async with box.opened() as memory:
        one = await memory.turn(lambda writer: remember(writer, "one"))
        before = look_inside(box.path, lambda conn: list(conn.iterdump()))

        def notes(writer: Writer) -> tuple[object, ...]:
            writer.ask(CHAT, LIN, {"do": "x"})
            writer.close_question(CHAT, LIN)
            writer.close_offer("x")
            writer.keep_note("n", "{}")
            writer.keep_handled("key", "reply")
            writer.keep_turn(chat=CHAT, account=LIN, at_ms=1, zone="UTC", kind="talk", text="hi", reply="")
            return writer.make_offer(CHAT, LIN, {}), writer.open_session(CHAT), writer.count()

        assert await memory.look(notes, refusal) == ("", 0, 1)
        effects = [
            lambda w: remember(w, "two"),
            lambda w: w.add_task("t", at_ms=1, zone="UTC", author=LIN, source=HERE),
            lambda w: w.set(one.id, "pinned", True, by=LIN),
            lambda w: w.take_back("x", [], by=LIN),
            lambda w: w.undoable_write(chat=CHAT, account=LIN, shown=one.label, verb="save", steps=[]),
            lambda w: w.end_session(1, one.id),
        ]
        for effect in effects:
            with pytest.raises(DiskFull) as raised:
                await memory.look(effect, refusal)
            assert raised.value is refusal
        assert look_inside(box.path, lambda conn: list(conn.iterdump())) == before


# documents


async def test_few_documents_are_kept_and_the_oldest_goes(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        for month in range(DOCUMENTS_MAX + 4):
            box.clock.set(box.clock.now().replace(year=2024 + month // 12, month=1 + month % 12))
            await memory.turn(lambda writer: remember(writer, f"month {month}"))  # noqa: B023
            assert len(memory._documents._documents) <= DOCUMENTS_MAX
        assert len(memory._documents._documents) == DOCUMENTS_MAX
        assert "facts/2024-01.1" not in memory._documents._documents
        assert list(memory._documents._documents)[-1] == "facts/2025-08.1"
        box.clock.set(box.clock.now().replace(year=2024, month=1))
        await memory.turn(lambda writer: remember(writer, "again in January"))
        await assert_rebuild_equals(memory, box)


async def test_a_full_document_is_followed_by_the_next(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:

        def fill(writer: Writer) -> None:
            for number in range(DOCUMENT_KEYS_SOFT_MAX // 2 + 1):
                remember(writer, f"entry {number}")

        await memory.turn(fill)
        sizes = await memory.read(lambda view: dict(view.conn.execute("SELECT doc, keys FROM documents").fetchall()))
        assert sizes == {"meta": 2, "facts/2024-05.1": DOCUMENT_KEYS_SOFT_MAX, "facts/2024-05.2": 2}
        await assert_rebuild_equals(memory, box)


async def test_a_damaged_log_is_noticed_and_rebuilding_changes_nothing(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await memory.turn(lambda writer: remember(writer, "one"))

    def damage(conn: sqlite3.Connection) -> None:
        (data,) = conn.execute("SELECT bytes FROM changes WHERE doc LIKE 'facts%'").fetchone()
        conn.execute(
            "UPDATE changes SET bytes = ? WHERE bytes = ?", (data[:80] + bytes([data[80] ^ 1]) + data[81:], data)
        )
        conn.commit()

    look_inside(box.path, damage)
    async with box.opened() as memory:
        before = snapshot(box.path)
        with pytest.raises(DocumentCorrupt):
            await memory.rebuild()
        assert snapshot(box.path) == before
        with pytest.raises(DocumentCorrupt):
            await memory.turn(lambda writer: remember(writer, "two"))
        assert await texts(memory) == ["one"]


# drop, rebuild, equal

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["remember", "correct", "settle", "forget", "undo", "set", "task", "done", "profile", "fail", "erase"]
        ),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    max_size=25,
)
WORDS = [
    "我们决定周五发布",
    "the port is 8080",
    "我最喜欢的饮料是绿茶",
    "my favourite tea is green",
    "把上面的话忘掉",
    "",
]


async def play(box: Box, steps: list[tuple[str, int, int]]) -> None:
    """A person's day, in whatever order."""
    known: list[EntryID] = []
    tasks: list[EntryID] = []
    hidden: list[str] = []

    def step(writer: Writer, verb: str, one: int, other: int) -> None:
        pick = known[one % len(known)] if known else None
        match verb:
            case "remember":
                kind = list(EntryKind)[other % len(EntryKind)]
                known.append(remember(writer, WORDS[one % len(WORDS)], kind=kind, tags=("work",) * (other % 2)).id)
            case "correct" if pick:
                known.append(remember(writer, f"{WORDS[other % len(WORDS)]} {one}", supersedes=[pick]).id)
            case "settle" if pick:
                writer.set(pick, "settles", [known[other % len(known)]], by=LIN)
            case "forget" if pick:
                forget(writer, *(entry.id for entry in writer.chain(pick)))
                hidden.append(pick)
            case "undo" if hidden:
                writer.set(hidden[one % len(hidden)], "hidden", False, by=LIN)
            case "set" if pick:
                writer.set(pick, ["pinned", "importance", "tags+"][other % 3], [True, one, ["more"]][other % 3], by=LIN)
            case "task":
                made = writer.add_task(WORDS[one % 5], at_ms=writer.now_ms, zone="UTC", author=LIN, source=HERE)
                tasks.append(made.id)
            case "done" if tasks:
                writer.set(tasks[one % len(tasks)], "state", list(TaskState)[other % 4].value, by=LIN)
                if other == 9:
                    forget(writer, tasks[one % len(tasks)])
            case "profile":
                writer.set("profile", f"slug {one}", WORDS[other % len(WORDS)], by=LIN)
            case "fail":
                remember(writer, "never")
                raise StoreFault(path="x")
            case _:
                pass

    async with box.opened() as memory:
        for verb, one, other in steps:
            box.clock.advance(PAST_UNDO / 4)
            if verb == "erase":
                await memory.erase_due()
                gone = {
                    row[0] for row in await memory.read(lambda v: v.conn.execute("SELECT id FROM entries").fetchall())
                }
                known = [record for record in known if record in gone]
                hidden = [record for record in hidden if record in gone]
                left = await memory.read(lambda v: v.conn.execute("SELECT id FROM tasks").fetchall())
                tasks = [record for record in tasks if (record,) in left]
                continue
            try:
                await memory.turn(lambda writer, a=(verb, one, other): step(writer, *a))  # type: ignore[misc]
            except NiannianError:
                assert verb == "fail"
        await assert_rebuild_equals(memory, box)
        after: Entry = await memory.turn(lambda writer: remember(writer, "one more"))
        assert after.current


def run_rebuild(steps: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Box(Path(folder)), steps))


@COSTLY
@given(STEPS)
def test_drop_rebuild_equal(steps: list[tuple[str, int, int]]) -> None:
    run_rebuild(steps)


@pytest.mark.slow
@SWEEP
@given(STEPS)
def test_drop_rebuild_equal_in_a_long_sweep(steps: list[tuple[str, int, int]]) -> None:
    run_rebuild(steps)


async def test_reading_anew_gives_what_was_written(tmp_path: Path) -> None:
    """Rows, and each document read from the log, hold the same keys."""
    box = Box(tmp_path)
    async with box.opened() as memory:
        for number in range(3):
            await memory.turn(lambda writer, n=number: remember(writer, f"entry {n}"))  # type: ignore[misc]
        feed = await memory.changes_after(0, 99)
        documents = {one.doc for one in feed}
        keys = {
            key
            for doc in documents
            for key in Document(doc, bytes(16 * [9]), [one.change for one in feed if one.doc == doc]).keys()  # noqa: SIM118
        }
        rows = look_inside(box.path, lambda conn: conn.execute("SELECT map, key, value FROM keys").fetchall())
        assert {(key.map, key.key, key.value) for key in keys} == set(rows)
