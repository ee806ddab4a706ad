"""Changes of other devices on their way into the log: what is refused and why, and that nothing a member sends stops us."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.changes import Key, label_key, record_key, register_key
from store.chunk import encode_change, parse_change
from store.document import genesis
from store.errors import Malformed
from store.foreign import Admissions, Foreign, take
from store.ids import stamp, ulid
from store.memory import Memory
from store.model import TaskState
from store.view import View
from tests.store.effort import COSTLY
from tests.store.memories import Box, empty_database

PEER = b"\x77" * 16
ACTOR = PEER[:8] + bytes(8)
AT = 1_716_775_200_000
RECORD = ulid(AT, bytes(10))
DOC = "facts/2024-05.1"
NAME = f"{DOC}~1"
PLAIN: dict[str, Any] = {
    "at": AT, "author": "terminal:lin", "day": "2024-05-27", "kind": "fact", "lang": "zh", "origin": "said",
    "source": {"chat": "c", "platform": "terminal"}, "text": "车停在 B2", "zone": "UTC",
}  # fmt: skip
TASK: dict[str, Any] = {**PLAIN, "kind": "task"}


def chunk(*keys: Key, name: str = NAME, actor: bytes = ACTOR, seq: int = 1, start_op: int = 6) -> bytes:
    return encode_change([genesis(name).hash], actor, seq, start_op, keys)


def entry(record: str = RECORD, **fields: Any) -> Key:
    value = {**PLAIN, **fields}
    return record_key(record, {name: item for name, item in value.items() if item is not ...})


def register(field: str, value: Any, record: str = RECORD, at_ms: int = AT) -> Key:
    return register_key(record, field, value, stamp=stamp(AT, PEER[:8].hex()), by="terminal:lin", at_ms=at_ms, over=())


def foreign(*keys: Key, name: str = NAME) -> Foreign:
    return Foreign(name, chunk(*keys, name=name), PEER)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    async with Box(tmp_path).opened() as opened:
        yield opened


async def received(memory: Memory, *changes: Foreign) -> dict[str, int]:
    return dict(await memory.receive(changes, {}))


async def texts(memory: Memory) -> list[str]:
    return await memory.read(lambda view: [one.draft.text for one in view.entries("1")])


async def test_a_change_of_a_peer_is_shown(memory: Memory) -> None:
    main = entry()
    assert await received(memory, foreign(main, label_key("D-2024-05-27-b01", main))) == {}
    assert await texts(memory) == ["车停在 B2"]
    assert (await memory.read(lambda view: view.labelled("D-2024-05-27-b01"))) == [RECORD]


async def test_the_same_change_again_is_nothing_new(memory: Memory) -> None:
    one = foreign(entry())
    assert await received(memory, one, one) == {}
    assert await received(memory, one) == {}
    assert len([item for item in await memory.changes_after(0, 100) if item.origin == "peer"]) == 1


async def test_changes_of_peers_are_not_sent_on_as_ours(memory: Memory) -> None:
    await received(memory, foreign(entry()))
    (item,) = [item for item in await memory.changes_after(0, 100) if item.origin != "own"]
    assert (item.origin, item.doc) == ("peer", NAME)


async def test_what_is_behind_a_gap_counts_at_once(memory: Memory) -> None:
    """Its dependency is not here; Automerge waits, people do not."""
    lonely = encode_change([b"\x05" * 32], ACTOR, 9, 50, [entry()])
    assert await received(memory, Foreign(NAME, lonely, PEER)) == {}
    assert await texts(memory) == ["车停在 B2"]
    marks = await memory.read(
        lambda view: view.conn.execute("SELECT admitted FROM changes WHERE origin = 'peer'").fetchall()
    )
    assert marks == [(0,)]
    await memory.rebuild()
    assert await texts(memory) == ["车停在 B2"]


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (Foreign(NAME, chunk(entry(), actor=b"\x78" * 16), PEER), "change-author"),
        (foreign(entry(), name=f"{DOC}~2"), "change-generation"),
        *(
            (foreign(entry(), name=name), "change-document")
            for name in (
                "", "facts", DOC, f"{DOC}~", f"{DOC}~0", f"{DOC}~01", f"{DOC}~-1", f"{DOC}~x", f"{DOC}~１", f"{DOC}~2147483648",
                "facts/2024-13.1~1", "facts/2024-05.0~1", "facts/2024-05.1234567~1", "facts/２０２４-05.1~1",
                "facts/2024-05.1٣~1", "secret/2024-05.1~1", "cards.0~1", "meta ~1", "meta~1\n",
            )
        ),
    ],
)  # fmt: skip
async def test_what_is_refused_has_a_name_and_stops_nothing(memory: Memory, one: Foreign, code: str) -> None:
    assert await received(memory, one, foreign(entry(text="danach"))) == {code: 1}
    assert await texts(memory) == ["danach"]


@pytest.mark.parametrize("data", [b"", b"junk", chunk(entry())[:-1], bytes(300_000)])
async def test_bytes_that_are_no_change_are_counted(memory: Memory, data: bytes) -> None:
    refused = await received(memory, Foreign(NAME, data, PEER), foreign(entry()))
    assert sum(refused.values()) == 1
    assert await texts(memory) == ["车停在 B2"]


HUGE = 10**30
FIELDS: list[dict[str, Any]] = [
    {"at": HUGE}, {"at": -1}, {"at": [1]}, {"at": True}, {"at": ...}, {"day": "2024-13-01"}, {"day": 5}, {"day": ...},
    {"day": "20240527"}, {"kind": []}, {"kind": ...}, {"origin": ...},
    {"confidence": 1}, {"tags": [1]}, {"tags": "a"}, {"tags": {"a": 1}}, {"aliases": [[]]},
    {"about": [["a"]]}, {"about": 5}, {"about": ["ab"]}, {"dates": [["a", "b", "c"]]}, {"dates": [[]]}, {"dates": {}},
    {"source": []}, {"source": {"chat": 1}}, {"supersedes": [5]}, {"supersedes": "x"}, {"text": 5}, {"text": None},
    {"why": []}, {"zone": 1}, {"author": {}}, {"lang": 0},
]  # fmt: skip


@pytest.mark.parametrize("fields", FIELDS, ids=[json.dumps(one, default=lambda _: "absent")[:40] for one in FIELDS])
async def test_an_entry_of_another_shape_is_refused_whole(memory: Memory, fields: dict[str, Any]) -> None:
    """One member's crafted change would otherwise stop every device that stores or shows it."""
    assert await received(memory, foreign(entry(**fields)), foreign(entry(ulid(AT, b"\1" * 10)))) == {"change-shape": 1}
    assert await texts(memory) == ["车停在 B2"]


REGISTERS: list[tuple[str, Any]] = [
    ("importance", HUGE), ("importance", -1), ("done_at", [1]), ("done_at", HUGE), ("done_at", "x"), ("done_at", True),
    ("tags+", [1]), ("tags+", ["a", None]),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), REGISTERS)
async def test_a_register_of_another_shape_is_refused(memory: Memory, field: str, value: Any) -> None:
    main = record_key(RECORD, TASK) if field in ("done_at", "state") else entry()
    assert await received(memory, foreign(register(field, value)), foreign(main)) == {"change-shape": 1}
    await memory.read(lambda view: (view.entries("1"), view.tasks(done=False)))


@pytest.mark.parametrize("at_ms", [HUGE, 1 << 48, -1])
async def test_a_moment_out_of_range_is_refused(memory: Memory, at_ms: int) -> None:
    assert await received(memory, foreign(register("pinned", True, at_ms=at_ms))) == {"change-shape": 1}


async def test_an_id_past_the_last_month_is_refused(memory: Memory) -> None:
    late, last = (ulid(ms, bytes(10)) for ms in (253_402_300_800_000, 253_402_300_799_999))
    assert await received(
        memory, foreign(entry(late)), foreign(register("pinned", True, late)), foreign(entry(last))
    ) == {"change-shape": 2}
    await memory.turn(lambda writer: writer.set(last, "pinned", True, by=writer.entry(last).author))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "field", ["importance", "done_at", "state", "tags+", "settles", "hidden", "pinned", "cleared", "title", "until"]
)
async def test_a_register_that_was_undone_holds_nothing_and_is_taken(memory: Memory, field: str) -> None:
    assert await received(memory, foreign(register(field, None)), foreign(entry())) == {}
    assert await texts(memory) == ["车停在 B2"]


@pytest.mark.parametrize("word", [{"kind": "habit"}, {"origin": "dreamt"}, {"confidence": "total"}, {"origin": ""}])
async def test_a_word_of_a_newer_version_is_kept_and_not_shown(memory: Memory, word: dict[str, str]) -> None:
    """Refused, it would be lost for good: what was received is not asked for again after an update."""
    main = entry(**word)
    assert await received(memory, foreign(main, label_key("D-2024-05-27-b01", main), register("pinned", True))) == {}
    assert await texts(memory) == []
    assert [item.change.data for item in await memory.changes_after(0, 100) if item.origin == "peer"]
    assert await memory.read(lambda view: view.labelled("D-2024-05-27-b01")) == [RECORD]
    assert await memory.read(lambda view: view.entry(RECORD)) is None
    await memory.rebuild()
    assert await texts(memory) == []
    known = entry(text="what this version reads of it")
    assert await received(memory, foreign(known)) == {}
    assert await texts(memory) == ["what this version reads of it"]


async def test_a_task_in_a_state_of_a_newer_version_stays_on_the_list(memory: Memory) -> None:
    main = record_key(RECORD, TASK)
    assert await received(memory, foreign(main, register("title", "buy tea"), register("state", "delegated"))) == {}
    assert [(one.title, one.state) for one in await memory.read(lambda view: view.tasks(done=False))] == [
        ("buy tea", TaskState.READY)
    ]


async def test_fields_that_are_not_known_yet_are_kept(memory: Memory) -> None:
    odd = [
        entry(mood={"a": [1]}),
        register("mood", [HUGE, {"a": None}]),
        register("hidden", "yes"),
        register("pinned", 5),
    ]
    assert await received(memory, foreign(*odd), foreign(register("theme", {"x": 1}, "settings"), name="meta~1")) == {}
    assert await texts(memory) == ["车停在 B2"]


def test_keys_of_an_older_generation_are_carried_once() -> None:
    conn = empty_database()
    kept, banned = entry(), entry(ulid(AT, b"\1" * 10))
    ban = register(f"ban/{banned.record}", True, "meta")
    take(conn, [foreign(ban, name="meta~2")], 2)
    old = [foreign(kept, banned), foreign(kept, register("pinned", True))]
    taken = take(conn, old, 2)
    assert taken.carried == [kept, register("pinned", True)]
    assert (taken.documents, dict(taken.refused)) == (set(), {})
    take(conn, [foreign(kept, name=f"{DOC}~2")], 2)
    assert take(conn, [foreign(kept)], 2).carried == []


def test_a_change_rooted_in_an_older_genesis_brings_nothing_erased_back() -> None:
    """Sent again as of the next generation it resurrected the forgotten text, in the document and on the screen."""
    conn = empty_database()
    kept, banned = entry(), entry(ulid(AT, b"\1" * 10))
    take(conn, [foreign(register(f"ban/{banned.record}", True, "meta"), name="meta~2")], 2)
    old = chunk(kept, banned)
    assert take(conn, [Foreign(f"{DOC}~2", old, PEER)], 2).refused == {}
    admissions = Admissions()
    admissions.settle(conn, DOC, 2)
    assert conn.execute("SELECT admitted FROM changes WHERE doc = ?", (DOC,)).fetchall() == [(0,)]
    assert [one.id for one in View(conn).entries("1")] == [RECORD], "what was not erased counts, as behind any gap"
    assert conn.execute("SELECT count(*) FROM keys WHERE key LIKE ?", (f"{banned.record}%",)).fetchone() == (0,)


def test_a_change_waits_until_all_before_it_are_here() -> None:
    conn = empty_database()
    first = encode_change([genesis(NAME).hash], ACTOR, 1, 6, [entry()])
    second = encode_change([parse_change(first).hash], ACTOR, 2, 7, [entry(ulid(AT, b"\1" * 10))])
    admissions = Admissions()
    for data, marks in ((second, [0]), (first, [1, 1])):
        take(conn, [Foreign(NAME, data, PEER)], 1)
        admissions.settle(conn, DOC, 1)
        assert [row[0] for row in conn.execute("SELECT admitted FROM changes ORDER BY pos")] == marks
    admissions.drop(DOC)
    admissions.settle(conn, DOC, 1)
    assert conn.execute("SELECT count(*) FROM changes WHERE admitted = 1").fetchone() == (2,)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@COSTLY
@given(
    st.dictionaries(st.sampled_from([*PLAIN, "tags", "about", "dates", "confidence", "supersedes"]), JSON, max_size=3),
    JSON,
)
def test_whatever_a_member_sends_can_be_stored_and_shown(fields: dict[str, Any], value: Any) -> None:
    conn = empty_database()
    for keys in ([entry(**fields)], [record_key(RECORD, {**TASK, **fields})], [register("importance", value)],
                 [register("state", value)], [register("tags+", value)], [register("done_at", value)], [register("title", value)]):  # fmt: skip
        with suppress(Malformed):  # no key at all
            take(conn, [foreign(*keys)], 1)
    view = View(conn)
    for record in view.entries("1"):
        assert record.id == RECORD
    view.tasks(done=False), view.tasks(done=True), view.registers(RECORD)
