"""Forgetting: hidden at once, then gone from every byte; everything else stays as it was, and nothing is learned again."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import index
from store.changes import label_key, record_key, register_key
from store.db import Database
from store.document import Document
from store.erase import due, erase, next_due_ms
from store.errors import DiskFull, NotFound
from store.ids import message_ulid, stamp
from store.memory import Memory
from store.model import TALK, Entry, RefID, Source
from store.own_rows import UNDO_MS
from store.projection import project
from store.text import expand
from store.view import View
from store.writer import Writer
from tests.store.effort import COSTLY
from tests.store.keysets import DEVICES, IDS
from tests.store.memories import CHAT, DEVICE, HERE, LIN, PAST_UNDO, Box, empty_database, forget, look_inside, remember
from tests.store.snapshot import snapshot, snapshot_of

A, B, *_ = IDS
SECRET = ("turmalin", "孔雀石", "becauseopal", "蓝宝石标签", "hyacinth", "rubyimpact", "jadenext", "onyxverify")


def everywhere(box: Box) -> bytes:
    """Every byte of every file of the home."""
    return b"\0".join(one.read_bytes() for one in sorted(box.root.rglob("*")) if one.is_file())


def traces(box: Box) -> list[str]:
    """Which secret words are in a file, in the log or among the indexed terms.

    An index shortens a term by what it shares with its neighbour, so files are searched for the ends of words.
    """
    raw = everywhere(box)

    def inside(conn: sqlite3.Connection) -> tuple[bytes, list[str]]:
        log = b"\0".join(row[0] for row in conn.execute("SELECT bytes FROM changes"))
        terms: list[str] = []
        for table in ("words", "plain", "turn_words"):
            conn.execute(f"CREATE VIRTUAL TABLE temp.{table}_seen USING fts5vocab('main', '{table}', 'row')")
            terms += [row[0] for row in conn.execute(f"SELECT term FROM temp.{table}_seen")]
        return log, terms

    log, terms = look_inside(box.path, inside)
    found = {word for word in SECRET if ending(word) in raw or ending(word) in log}
    return sorted(found | {word for word in SECRET for term in terms if term in expand(word).split()})


def ending(word: str) -> bytes:
    return word[3:].encode() if word.isascii() else word[1:].encode()


async def documents_of(memory: Memory) -> list[str]:
    feed = await memory.changes_after(0, 10_000)
    names = sorted({one.doc for one in feed})
    return [
        key.key + key.value
        for name in names
        for key in Document(name, bytes(16 * [9]), [one.change for one in feed if one.doc == name]).keys()  # noqa: SIM118
    ]


def tell_the_secret(writer: Writer, source: Source = HERE) -> Entry:
    return remember(
        writer,
        "the stone is turmalin, 孔雀石",
        source=source,
        why="becauseopal",
        impact="rubyimpact",
        next="jadenext",
        verify="onyxverify",
        tags=("蓝宝石标签",),
        aliases=("hyacinth",),
        about=(("stone", "turmalin"),),
    )


async def test_forgotten_is_hidden_at_once_and_can_be_undone_for_ten_minutes(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        entry = await memory.turn(tell_the_secret)
        await memory.turn(lambda writer: forget(writer, entry.id))
        hidden = await memory.read(lambda view: view.entry(entry.id))
        assert hidden is not None and hidden.hidden and not hidden.current
        assert await memory.next_erasing_ms() == int(box.clock.now().timestamp() * 1000) + UNDO_MS
        box.clock.advance(timedelta(milliseconds=UNDO_MS - 1))
        assert await memory.erase_due() == 0
        await memory.turn(lambda writer: writer.set(entry.id, "hidden", False, by=LIN))
        assert await memory.next_erasing_ms() is None
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 0
        assert await memory.read(lambda view: view.count()) == 1


async def test_erased_words_are_in_no_byte_of_any_file(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        entry = await memory.turn(tell_the_secret)

        def more(writer: Writer) -> None:
            remember(writer, "something else")
            writer.set(entry.id, "tags+", ["hyacinth"], by=LIN)
            writer.keep_turn(
                chat=CHAT, account=LIN, at_ms=1, zone="UTC", kind=TALK,
                text="did I say the stone is turmalin, 孔雀石?", reply="yes",
            )  # fmt: skip
            forget(writer, entry.id)

        await memory.turn(more)
        assert traces(box) == sorted(SECRET)
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 1
        assert traces(box) == []
        assert not [text for text in await documents_of(memory) if any(word in text for word in SECRET)]
        assert (box.folder / "memory.db-wal").stat().st_size == 0
        assert await memory.read(lambda view: view.entry(entry.id)) is None
        assert await memory.read(lambda view: (view.labelled(entry.label), view.erased(entry.label))) == ([], True)
        before = snapshot(box.path)
        await memory.rebuild()
        assert snapshot(box.path) == before
        assert traces(box) == []
    assert traces(box) == []
    async with box.opened() as memory:
        assert await memory.erase_due() == 0
        assert await memory.read(lambda view: [one.draft.text for one in view.entries("1")]) == ["something else"]


async def test_a_forgotten_task_goes_the_same_way(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        source = replace(HERE, message="9")

        def add(writer: Writer) -> str:
            made = writer.add_task("polish the turmalin", at_ms=writer.now_ms, zone="UTC", author=LIN, source=source)
            writer.set(made.id, "title", "polish the 孔雀石", by=LIN)
            writer.set(made.id, "note", "hyacinth", by=LIN)
            return made.id

        task = await memory.turn(add)
        await memory.turn(lambda writer: forget(writer, task))
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 1
        assert traces(box) == []
        assert await memory.read(lambda view: view.erased("T-240527-01")) is True
        with pytest.raises(NotFound):
            await memory.turn(lambda w: w.add_task("again", at_ms=w.now_ms, zone="UTC", author=LIN, source=source))


# the rest stays


async def test_everything_else_stays_as_it_was(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:

        def others(writer: Writer) -> None:
            first = remember(writer, "the port is 8080", tags=("work",))
            second = remember(writer, "the port is 9090", supersedes=[first.id])
            writer.set(second.id, "pinned", True, by=LIN)
            writer.add_task("buy tea", at_ms=writer.now_ms, zone="UTC", author=LIN, source=HERE)
            writer.set("profile", "drink", "绿茶", by=LIN)
            writer.set("settings", "lang", "zh", by=LIN)

        await memory.turn(others)
        before = snapshot(box.path)
        entry = await memory.turn(tell_the_secret)
        await memory.turn(lambda writer: forget(writer, entry.id))
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 1
        after = snapshot(box.path)
        for name in ("entries", "tasks", "edges", "labels", "words", "plain", "words rows", "plain rows"):
            assert after[name] == before[name], name
        for name in ("keys", "registers"):
            assert set(before[name]) < set(after[name]), name
        new = {row[1] for row in set(after["registers"]) - set(before["registers"])}
        assert new == {f"ban/{entry.id}", f"erased/{entry.label}"}
        fresh = await memory.turn(lambda writer: remember(writer, "next"))
        assert fresh.label == "D-2024-05-27-04"  # an erased label is never given again
        assert {one.doc for one in await memory.changes_after(0, 99)} == {
            "facts/2024-05.1~2", "tasks/2024-05.1~2", "meta~2", "profile~2",
        }  # fmt: skip


ROWS = {
    "cites its label": ("see D-2024-05-27-01", True),
    "cites its label in another word": ("(D-2024-05-27-01)", True),
    "cites a longer label": ("see D-2024-05-27-011", False),
    "cites another label": ("see D-2024-05-27-02", False),
    "contains its words": ("you said THE STONE IS  turmalin, 孔雀石!", True),
    "contains its words on two lines": ("the stone is\nturmalin, 孔雀石", True),
    "contains its reason": ('he said "becauseopal"', True),
    "is about something else": ("the stone is granite", False),
    "is empty": ("", False),
}


@pytest.mark.parametrize(("text", "gone"), ROWS.values(), ids=ROWS)
async def test_what_quotes_it_goes_and_the_rest_stays(tmp_path: Path, text: str, *, gone: bool) -> None:
    """Turns, handled replies, open questions, offers and undo steps of this copy."""
    box = Box(tmp_path)
    async with box.opened() as memory:
        entry = await memory.turn(tell_the_secret)

        def quote(writer: Writer) -> None:
            quoted: dict[str, Any] = {"lines": [["words", text]], "n": 1, "none": None}
            session = writer.open_session(CHAT)
            assert session
            for kind in (TALK, "command"):
                writer.keep_turn(chat=CHAT, account=LIN, at_ms=1, zone="UTC", kind=kind, text=text, reply="ok")
                writer.keep_turn(chat=CHAT, account=LIN, at_ms=1, zone="UTC", kind=kind, text="other", reply=text)
            writer.keep_turn(chat=CHAT, account=LIN, at_ms=1, zone="UTC", kind=TALK, text="?", reply="", topic=text)
            writer.keep_handled("key", json.dumps(quoted, ensure_ascii=True))
            writer.keep_handled("plain", text)
            writer.ask(CHAT, LIN, quoted)
            writer.make_offer(CHAT, LIN, quoted)
            writer.undoable_write(
                chat=CHAT, account=LIN, shown=RefID("T-240527-01"), verb="edit",
                steps=[("x", "title", text)],
            )  # fmt: skip
            forget(writer, entry.id)

        await memory.turn(quote)
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 1
        replies = look_inside(box.path, lambda conn: [row[0] for row in conn.execute("SELECT reply FROM handled")])
        assert len(replies) == 2, "the keys stay: a repeat must not take effect again"
        assert (replies == ["", ""]) is gone
        for table, whole in {"turns": 5, "pending": 1, "offers": 1, "undo": 1}.items():
            left = look_inside(box.path, lambda conn, t=table: conn.execute(f"SELECT count(*) FROM {t}").fetchone()[0])
            assert left == (0 if gone else whole), table
        assert look_inside(box.path, lambda conn: conn.execute("SELECT count(*) FROM sessions").fetchone()[0]) == 1


async def test_rows_that_hold_only_its_id_go_too(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        entry = await memory.turn(tell_the_secret)

        def cite(writer: Writer) -> None:
            common: dict[str, Any] = {"chat": CHAT, "account": LIN, "at_ms": 1, "zone": "UTC", "kind": TALK}
            writer.keep_turn(**common, text="a", reply="b", entry=entry.id)
            writer.keep_turn(**common, text="a", reply="b", cited=[entry.label])
            writer.keep_turn(**common, text="kept", reply="b", cited=["D-2024-05-27-02"], entry=IDS[0])
            writer.make_offer(CHAT, LIN, {"do": "forget", "id": entry.id})
            writer.make_offer(CHAT, LIN, {"do": "forget", "id": IDS[0]})
            writer.undoable_write(chat=CHAT, account=LIN, shown=entry.label, verb="save", steps=[])
            forget(writer, entry.id)

        await memory.turn(cite)
        box.clock.advance(PAST_UNDO)
        await memory.erase_due()
        assert await memory.read(lambda view: [one.text for one in view.turns("1")]) == ["kept"]
        assert look_inside(box.path, lambda conn: conn.execute("SELECT count(*) FROM offers").fetchone()[0]) == 1
        assert look_inside(box.path, lambda conn: conn.execute("SELECT count(*) FROM undo").fetchone()[0]) == 0


# cut off


async def test_an_erasing_that_was_cut_off_is_finished_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = Box(tmp_path)

    async def no_room(_: Database) -> None:
        raise DiskFull(path="x")

    async with box.opened() as memory:
        entry = await memory.turn(tell_the_secret)
        await memory.turn(lambda writer: forget(writer, entry.id))
        box.clock.advance(PAST_UNDO)
        with monkeypatch.context() as patched:
            patched.setattr(Database, "compact", no_room)
            with pytest.raises(DiskFull):
                await memory.erase_due()
        assert await memory.read(lambda view: view.entry(entry.id)) is None
    async with box.opened() as memory:
        assert await memory.read(lambda view: view.local("compact")) == "1"
        assert await memory.erase_due() == 0
        assert traces(box) == []
        assert await memory.read(lambda view: view.local("compact", "done")) == "done"
        assert await memory.erase_due() == 0


async def test_an_erasing_that_fails_half_way_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = Box(tmp_path)

    def breaks(_: sqlite3.Connection) -> None:
        raise RuntimeError("the power went")

    async with box.opened() as memory:
        entry = await memory.turn(tell_the_secret)
        await memory.turn(lambda writer: forget(writer, entry.id))
        before = look_inside(box.path, lambda conn: list(conn.iterdump()))
        box.clock.advance(PAST_UNDO)
        with monkeypatch.context() as patched:
            patched.setattr(index, "optimize", breaks)
            with pytest.raises(RuntimeError):
                await memory.erase_due()
        assert look_inside(box.path, lambda conn: list(conn.iterdump())) == before
        await memory.turn(lambda writer: remember(writer, "goes on"))
        assert await memory.erase_due() == 1
        assert traces(box) == []


# not learned again


@pytest.mark.parametrize("same_id", [True, False])
async def test_an_erased_message_is_not_learned_again(tmp_path: Path, *, same_id: bool) -> None:
    """A platform may deliver it again, an import may bring it back under another id."""
    box = Box(tmp_path)
    source = Source("telegram", "telegram:-100", "4711")
    record = message_ulid(1716775200000, "telegram", "telegram:-100", "4711", "0")
    async with box.opened() as memory:
        entry = await memory.turn(lambda writer: remember(writer, "turmalin", source=source, record=record))
        again = await memory.turn(lambda writer: remember(writer, "turmalin", source=source, record=record))
        assert again == entry
        await memory.turn(lambda writer: forget(writer, entry.id))
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 1
        for _ in range(2):
            with pytest.raises(NotFound) as raised:
                await memory.turn(
                    lambda w: remember(
                        w, "turmalin", source=source if not same_id else HERE, record=record if same_id else None
                    )
                )
            assert (raised.value.code, raised.value.facts) == ("error-erased", {"ref": entry.label})
            await memory.rebuild()
        assert traces(box) == []
        other = await memory.turn(lambda w: remember(w, "said anew", source=replace(source, message="4712")))
        assert other.current
        await memory.turn(lambda writer: forget(writer, other.id))
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 1
        bans = await memory.read(lambda view: [name for name in view.registers("meta") if name.startswith("ban")])
        assert len(bans) == 4


async def test_a_message_without_a_key_bans_no_other_message(tmp_path: Path) -> None:
    """The terminal's lines have no key: one forgotten line must not silence the rest."""
    box = Box(tmp_path)
    async with box.opened() as memory:
        entry = await memory.turn(tell_the_secret)
        await memory.turn(lambda writer: forget(writer, entry.id))
        box.clock.advance(PAST_UNDO)
        await memory.erase_due()
        assert (await memory.turn(lambda writer: remember(writer, "another"))).current


# chains


async def test_the_newest_version_forgotten_alone_revives_the_one_before(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        first = await memory.turn(lambda writer: remember(writer, "one"))
        second = await memory.turn(lambda writer: remember(writer, "two", supersedes=[first.id]))
        await memory.turn(lambda writer: forget(writer, second.id))
        box.clock.advance(PAST_UNDO)
        await memory.erase_due()
        assert await memory.read(lambda view: [(e.draft.text, e.current) for e in view.entries("1")]) == [("one", True)]


async def test_a_middle_version_forgotten_alone_revives_nothing(tmp_path: Path) -> None:
    """The successor takes over what the erased one replaced, as a register `settles`."""
    box = Box(tmp_path)
    async with box.opened() as memory:

        def chain(writer: Writer) -> list[Entry]:
            first = remember(writer, "one")
            second = remember(writer, "two", supersedes=[first.id])
            third = remember(writer, "three", supersedes=[second.id])
            return [first, second, third, remember(writer, "four", supersedes=[third.id])]

        first, second, third, fourth = await memory.turn(chain)
        await memory.turn(lambda writer: writer.set(fourth.id, "settles", [IDS[0]], by=LIN))
        await memory.turn(lambda writer: writer.set(fourth.id, "restored", True, by=LIN))
        await memory.turn(lambda writer: forget(writer, second.id, third.id))
        box.clock.advance(PAST_UNDO)
        assert await memory.erase_due() == 2
        for _ in range(2):
            found = await memory.read(lambda view: {e.draft.text: e.current for e in view.entries("1")})
            assert found == {"one": False, "four": True}
            assert await memory.read(lambda view: view.earlier(fourth.id)[0].id) == first.id
            register = await memory.read(lambda view: view.register(fourth.id, "settles"))
            assert register is not None and register.value == sorted([first.id, IDS[0]])
            await memory.rebuild()


def seeded(*statements: Any) -> sqlite3.Connection:
    conn = empty_database()
    project(conn, "facts/2024-05.1", list(statements))
    return conn


def found_in_memory(doc: str, groups: Any) -> Any:
    document = Document(f"{doc}~2", DEVICE)
    return [document.commit(group) for group in groups]


EDGES = st.sets(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), max_size=9)


@COSTLY
@given(EDGES, st.sets(st.sampled_from(IDS), min_size=1, max_size=3))
def test_erasing_keeps_what_was_replaced_through_it_replaced(edges: set[tuple[str, str]], gone: set[str]) -> None:
    """Whatever the chains: what survives and has a surviving visible successor above it stays superseded."""
    keys = [
        record_key(one, {"kind": "fact", "text": f"t{number}", "supersedes": sorted(b for a, b in edges if a == one)})
        for number, one in enumerate(IDS)
    ]
    hides = [
        register_key(one, "hidden", True, stamp=stamp(1, DEVICES[0]), by="", at_ms=1, over=()) for one in sorted(gone)
    ]
    conn = seeded(*keys, *hides)
    before = dict(conn.execute("SELECT id, current FROM entries").fetchall())
    erase(conn, sorted(gone), now_ms=5, device=DEVICES[0], found=found_in_memory)
    after = dict(conn.execute("SELECT id, current FROM entries").fetchall())
    assert after.keys() == set(IDS) - gone
    assert after == {one: before[one] for one in after}


def test_two_versions_of_one_record_ban_both_messages_and_labels() -> None:
    def said(message: str, **more: Any) -> Any:
        source = {"platform": "telegram", "chat": "telegram:1", "message": message}
        return record_key(A, {"kind": "fact", "text": message, "source": source, **more})

    one, other = said("1"), said("2")
    odd = record_key(A, {"kind": "fact", "text": "3", "source": "somewhere"})
    opaque = "imported label " + "x" * 60
    conn = seeded(one, other, odd, *(label_key(name, one) for name in ("D-2024-05-27-01", "T-240527-b02", opaque)))
    erase(conn, [A], now_ms=5, device=DEVICES[0], found=found_in_memory)
    view = View(conn)
    assert view.erased("D-2024-05-27-01") and view.erased("T-240527-b02")
    for message in ("1", "2"):
        assert view.banned(B, Source("telegram", "telegram:1", message)) == "D-2024-05-27-01"
    assert view.banned(A, HERE) == "D-2024-05-27-01"
    assert view.banned(B, HERE) is None
    assert len([name for name in view.registers("meta") if name.startswith("ban-source/")]) == 2


def test_erasing_what_is_not_there_bans_it_all_the_same() -> None:
    """A device may learn of a forget before it learns of the entry."""
    conn = seeded(record_key(B, {"kind": "fact", "text": "kept"}))
    before = snapshot_of(conn)
    erase(conn, [A], now_ms=5, device=DEVICES[0], found=found_in_memory)
    assert View(conn).banned(A, HERE) == ""
    assert snapshot_of(conn)["entries"] == before["entries"]


def test_what_is_due_is_what_the_window_has_closed_on() -> None:
    conn = empty_database()
    assert next_due_ms(conn) is None
    conn.executemany("INSERT INTO erasing VALUES(?, ?)", [(A, 10), (B, 11)])
    assert (due(conn, 9), due(conn, 10), sorted(due(conn, 11)), next_due_ms(conn)) == ([], [A], [A, B], 10)
