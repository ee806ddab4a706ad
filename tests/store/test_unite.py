"""`join` on a home that was in use: what it held goes on in the memory that takes its place, and the erased stays away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from store.grants import PrivateClaim, grant
from store.home import RETIRED_S, Home
from store.memory import Memory
from store.model import TALK, AccountID, Draft, Entry, Origin, Role, ScopeID, Source
from store.writer import Writer
from tests.fakes import FakeClock, FakeEntropy

LIN = AccountID("terminal:owner")
NEW = ScopeID("ab" * 16)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def home(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Home]:
    opened = await Home.open(
        tmp_path / "home", load_device_id=lambda path: b"\x0f" * 16, clock=clock, entropy=FakeEntropy("unite")
    )
    await opened.let_in(LIN, "Lin", Role.OWNER)
    yield opened
    await opened.close()


async def memory_of(home: Home) -> Memory:
    return await home.memory(grant(PrivateClaim(LIN), home.device))


async def remember(memory: Memory, text: str, message: str = "", supersedes: tuple[str, ...] = ()) -> Entry:
    def run(writer: Writer) -> Entry:
        return writer.remember(
            Draft(text=text), at_ms=writer.now_ms, zone="Asia/Shanghai", author=LIN,
            source=Source("terminal", "private", message), origin=Origin.SAID, lang="zh", supersedes=supersedes,
        )  # fmt: skip

    return await memory.turn(run)


async def texts(memory: Memory) -> list[str]:
    return sorted(entry.draft.text for entry in await memory.read(lambda view: view.entries("current = 1")))


async def joined(home: Home) -> tuple[Memory, Memory]:
    """(the memory it had, the memory that takes its place), with nothing united yet."""
    old = await memory_of(home)
    await home.device.join_private(NEW, "b", LIN, "Lin", Role.OWNER)
    return old, await memory_of(home)


async def test_records_go_over_under_the_same_ids_and_labels(home: Home) -> None:
    old = await memory_of(home)
    first = await remember(old, "会在三点")
    second = await remember(old, "会在四点", supersedes=(first.id,))
    task = await old.turn(
        lambda w: w.add_task("交报销", at_ms=w.now_ms, zone="UTC", author=LIN, source=Source("terminal", "private", ""))
    )
    await old.turn(lambda w: w.set(task.id, "state", "doing", by=LIN))
    await old.turn(lambda w: w.set("profile", "job", "园丁", by=LIN))
    await old.turn(lambda w: w.set("settings", "zone", "Europe/Berlin", by=LIN))
    old, new = await joined(home)
    await new.unite(old)
    assert await texts(new) == ["会在四点"]
    there = await new.read(lambda view: view.entry(second.id))
    assert there is not None and there.label == second.label
    moved = await new.read(lambda view: view.task(task.id))
    assert moved is not None and (moved.title, moved.state, moved.label) == ("交报销", "doing", task.label)
    profile = await new.read(lambda view: view.register("profile", "job"))
    assert profile is not None and profile.value == "园丁"
    assert await new.read(lambda view: view.setting("zone")) == ""
    # It is all its own, so that it will be sent.
    assert {one.origin for one in await new.changes_after(0, 1000)} == {"own"}
    before = await new.changes_after(0, 1000)
    await new.unite(old)
    assert await new.changes_after(0, 1000) == before


async def test_one_label_for_two_leads_to_both(home: Home) -> None:
    old = await memory_of(home)
    mine = await remember(old, "我的")
    old, new = await joined(home)
    await new.enter("")
    other = await remember(new, "另一台的")
    assert other.label == mine.label
    await new.unite(old)
    assert sorted(await new.read(lambda view: view.labelled(mine.label))) == sorted([mine.id, other.id])


async def test_what_was_erased_in_either_stays_away(home: Home, clock: FakeClock) -> None:
    old = await memory_of(home)
    gone = await remember(old, "要忘的", "m1")
    kept = await remember(old, "留下的")
    await old.turn(lambda w: w.set(gone.id, "hidden", True, by=LIN))
    clock.advance(timedelta(minutes=11))
    assert await home.erase_due() == 1
    old, new = await joined(home)
    await new.unite(old)
    assert await texts(new) == ["留下的"]
    assert await new.read(lambda view: view.banned(gone.id, gone.source)) == gone.label
    assert await new.read(lambda view: view.erased(gone.label))
    # And what the new memory erases afterwards goes from the old folder too.
    await home.retire(ScopeID(old.scope), NEW)
    await new.turn(lambda w: w.set(kept.id, "hidden", True, by=LIN))
    clock.advance(timedelta(minutes=11))
    await home.erase_due()
    assert await texts(new) == await texts(old) == []
    for memory in (old, new):
        for path in memory.database.path.parent.iterdir():
            assert "留下的".encode() not in path.read_bytes(), path


async def test_what_was_hidden_there_is_due_here(home: Home) -> None:
    old = await memory_of(home)
    gone = await remember(old, "要忘的")
    await old.turn(lambda w: w.set(gone.id, "hidden", True, by=LIN))
    old, new = await joined(home)
    await new.unite(old)
    assert await new.next_erasing_ms() is not None


async def test_talks_come_along_and_are_over(home: Home) -> None:
    old = await memory_of(home)
    await old.turn(
        lambda w: w.keep_turn(
            chat="private", account=LIN, at_ms=w.now_ms, zone="UTC", kind=TALK, text="昨天聊到了天文馆", reply="好",
            cited=[], entry="", topic="",
        )
    )  # fmt: skip
    old, new = await joined(home)
    await new.unite(old)
    (turn,) = await new.read(lambda view: view.turns("chat = ?", ("private",)))
    assert turn.text == "昨天聊到了天文馆"
    found = await new.read(
        lambda v: v.conn.execute("SELECT count(*) FROM turn_words WHERE body MATCH '天文'").fetchone()
    )
    assert found == (1,)
    assert await new.read(lambda view: view.session("private")) is None


async def test_the_old_folder_stays_for_thirty_days(home: Home, clock: FakeClock) -> None:
    old = await memory_of(home)
    await remember(old, "一")
    folder = old.database.path.parent
    old, new = await joined(home)
    await new.unite(old)
    await home.retire(ScopeID(old.scope), NEW)
    clock.advance(timedelta(seconds=RETIRED_S - 1))
    await home.erase_due()
    assert folder.exists()
    clock.advance(timedelta(seconds=1))
    await home.erase_due()
    assert not folder.exists()
    assert [scope.scope for scope in home.device.scopes()] == [NEW]
    assert await texts(new) == ["一"]
