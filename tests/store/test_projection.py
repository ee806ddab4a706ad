"""The rows are the fold's picture, however the keys came: in batches, over documents, twice, with gaps."""

from __future__ import annotations

from sqlite3 import Connection

import pytest
from hypothesis import given

from store.changes import Json, Key, canonical, label_key, record_key, register_key
from store.fold import CARD_KIND, TASK_KIND, Folded, fold
from store.ids import stamp
from store.projection import ENTRY_COLUMNS, _indexed, project, rebuild_tables, registers_of
from tests.store.effort import COSTLY, SWEEP
from tests.store.keysets import DEVICES, IDS, arrivals
from tests.store.memories import empty_database
from tests.store.snapshot import snapshot_of

A, B, C, *_ = IDS


def assert_rows_are(conn: Connection, folded: Folded) -> None:
    """Records, versions, labels, registers and what is current: as the fold says."""
    tasks = {one for one, record in folded.records.items() if record.value["kind"] == TASK_KIND}
    rows = {
        row[0]: row[1:] for row in conn.execute("SELECT id, label, text, versions, hidden, held, current FROM entries")
    }
    cards = {one for one, record in folded.records.items() if record.value["kind"] == CARD_KIND}
    assert rows.keys() == folded.records.keys() - tasks - cards
    for record, (label, text, versions, hidden, held, current) in rows.items():
        want = folded.records[record]
        assert (label, text, versions) == (want.label, want.value["text"], want.versions)
        register = folded.registers.get((record, "hidden"))
        assert bool(hidden) is (register is not None and register.value is True)
        assert bool(held) is (record in folded.held)
        assert bool(current) is not (hidden or held or record in folded.superseded)
    assert {row[0] for row in conn.execute("SELECT id FROM tasks")} == tasks
    for record in tasks:
        row = conn.execute("SELECT label, title, state FROM tasks WHERE id = ?", (record,)).fetchone()
        title, state = (folded.registers.get((record, field)) for field in ("title", "state"))
        wanted = (title.value if title else "", state.value if state else "ready")
        assert row == (folded.records[record].label, *wanted)
    assert {row[0] for row in conn.execute("SELECT id FROM cards")} == cards
    for record in cards:
        row = conn.execute(
            "SELECT word, added_ms, state, meaning, tags, place FROM cards WHERE id = ?", (record,)
        ).fetchone()
        said = {field: register.value for (one, field), register in folded.registers.items() if one == record}
        added, order, state, meaning = (said.get(name) for name in ("added", "order", "card_state", "meaning"))
        assert row == (
            folded.records[record].value["word"],
            added if added in (5, 9) else None,
            state if state in ("known", "removed") else "active",
            meaning if isinstance(meaning, str) else "",
            canonical([tag for tag in said.get("card_tags", []) if tag != 1]),  # type: ignore[union-attr]
            7 if order == 7 else 0,
        )
    for event in folded.reviews.values():
        row = conn.execute("SELECT * FROM reviews WHERE id = ?", (event.id,)).fetchone()
        assert row == (
            event.id, event.card, event.kind.value, event.rating, event.at_ms, event.zone, event.took_ms, event.device,
            event.slot, event.undoes, event.by,
        )  # fmt: skip
    assert conn.execute("SELECT count(*) FROM reviews").fetchone()[0] == len(folded.reviews)
    labels: dict[str, set[str]] = {}
    for label, record in conn.execute("SELECT label, record FROM labels"):
        labels.setdefault(label, set()).add(record)
    assert {label: tuple(sorted(ids)) for label, ids in labels.items()} == folded.labels
    for (record, field), register in folded.registers.items():
        assert registers_of(conn, record, field) == {field: register}
    assert conn.execute("SELECT count(*) FROM registers").fetchone()[0] == len(folded.registers)


@COSTLY
@given(arrivals())
def test_batches_over_documents_give_the_folds_picture(arrival: tuple[list[Key], list[tuple[str, list[Key]]]]) -> None:
    items, batches = arrival
    conn = empty_database()
    for doc, batch in batches:
        project(conn, doc, batch)
    assert_rows_are(conn, fold(items))
    at_once = empty_database()
    project(at_once, "facts/2024-05.1", items)
    ours, theirs = snapshot_of(conn), snapshot_of(at_once)
    for table in ("registers", "labels", "edges", "tasks", "cards", "reviews", "entries", "words", "plain",
                  "words rows", "plain rows"):  # fmt: skip
        assert ours[table] == theirs[table], table


@pytest.mark.slow
@SWEEP
@given(arrivals())
def test_batches_over_documents_give_the_folds_picture_in_a_long_sweep(
    arrival: tuple[list[Key], list[tuple[str, list[Key]]]],
) -> None:
    test_batches_over_documents_give_the_folds_picture.hypothesis.inner_test(arrival)  # type: ignore[attr-defined]


@COSTLY
@given(arrivals())
def test_every_prefix_is_the_fold_of_what_came_so_far(
    arrival: tuple[list[Key], list[tuple[str, list[Key]]]],
) -> None:
    _, batches = arrival
    conn = empty_database()
    seen: list[Key] = []
    for doc, batch in batches:
        seen += batch
        project(conn, doc, batch)
        assert_rows_are(conn, fold(seen))


@pytest.mark.slow
@SWEEP
@given(arrivals())
def test_every_prefix_is_the_fold_of_what_came_so_far_in_a_long_sweep(
    arrival: tuple[list[Key], list[tuple[str, list[Key]]]],
) -> None:
    test_every_prefix_is_the_fold_of_what_came_so_far.hypothesis.inner_test(arrival)  # type: ignore[attr-defined]


def entry(record: str, text: str, **more: Json) -> Key:
    value: dict[str, Json] = {"kind": "fact", "text": text, "at": 1, **more}
    return record_key(record, value)


def write(record: str, field: str, value: Json, at: int = 1) -> Key:
    return register_key(record, field, value, stamp=stamp(at, DEVICES[0]), by="", at_ms=at, over=())


def test_documents_count_each_key_once() -> None:
    conn = empty_database()
    project(conn, "a", [entry(A, "one"), entry(A, "one")])
    project(conn, "a", [entry(A, "one"), entry(B, "two")])
    project(conn, "b", [entry(B, "two")])
    assert conn.execute("SELECT * FROM documents").fetchall() == [("a", 2)]


def test_rebuilding_leaves_the_tables_empty_and_in_place() -> None:
    conn, fresh = empty_database(), empty_database()
    project(conn, "a", [entry(A, "one"), write(A, "pinned", True), write("meta", "kind", "private")])
    rebuild_tables(conn)
    assert snapshot_of(conn) == snapshot_of(fresh)


def test_a_register_of_the_wrong_type_counts_as_never_set() -> None:
    conn = empty_database()
    project(conn, "a", [entry(A, "one"), write(A, "importance", "high"), write(A, "hidden", 1), write(A, "tags+", 7)])
    row = conn.execute("SELECT importance, hidden, more_tags, current FROM entries").fetchone()
    assert row == (None, 0, "[]", 1)


def test_a_text_of_the_wrong_type_counts_as_empty() -> None:
    conn = empty_database()
    project(conn, "a", [record_key(A, {"kind": "fact", "text": 5, "at": 1})])
    assert conn.execute("SELECT text FROM entries").fetchone() == ("",)


def test_checkpoints_are_rows_but_in_no_index() -> None:
    conn = empty_database()
    project(conn, "a", [entry(A, "one", kind="checkpoint")])
    assert snapshot_of(conn)["words"] == []
    assert conn.execute("SELECT count(*) FROM entries").fetchone() == (1,)


def test_a_second_version_of_another_kind_takes_the_firsts_place_everywhere() -> None:
    """Shown is the lowest lane's: as keys arrive a record may turn from entry to task to checkpoint and back."""
    note, task = entry(A, "note", supersedes=[B]), entry(A, "x", kind=TASK_KIND)
    checkpoint = entry(A, "page", kind="checkpoint")
    arriving = [
        [entry(B, "below")],
        [checkpoint, label_key("D-2024-05-27-d01", checkpoint)],
        [note, label_key("D-2024-05-27-c01", note)],
        [task, label_key("T-240527-b01", task)],
        [label_key("AUTO-20240527-01", checkpoint)],
    ]
    for upto in range(1, len(arriving) + 1):
        conn, at_once = empty_database(), empty_database()
        for items in arriving[:upto]:
            project(conn, "a", items)
        project(at_once, "a", [key for items in arriving[:upto] for key in items])
        assert snapshot_of(conn) == snapshot_of(at_once)
        assert_rows_are(conn, fold(key for items in arriving[:upto] for key in items))


def test_a_checkpoint_may_turn_into_a_task() -> None:
    checkpoint, task = entry(A, "page", kind="checkpoint"), entry(A, "x", kind=TASK_KIND)
    conn, at_once = empty_database(), empty_database()
    project(conn, "a", [checkpoint, label_key("AUTO-20240527-b01", checkpoint)])
    project(conn, "a", [task, label_key("T-240527-01", task)])
    project(
        at_once, "a", [task, label_key("T-240527-01", task), checkpoint, label_key("AUTO-20240527-b01", checkpoint)]
    )
    assert snapshot_of(conn) == snapshot_of(at_once)
    assert snapshot_of(conn)["entries"] == []


def test_a_change_far_up_a_chain_reaches_its_end() -> None:
    conn = empty_database()
    arriving = [entry(A, "one"), entry(B, "two", supersedes=[A]), entry(C, "three", supersedes=[B])]
    arriving += [write(C, "restored", True)]
    arriving += [write(B, "hidden", True), write(C, "hidden", True), write(C, "hidden", False, at=2)]
    for upto, key in enumerate(arriving, start=1):
        project(conn, "a", [key])
        assert_rows_are(conn, fold(arriving[:upto]))
    shown = register_key(C, "hidden", False, stamp=stamp(3, DEVICES[0]), by="", at_ms=3, over=[
        key.key.rpartition(".")[2] for key in arriving[5:]
    ])  # fmt: skip
    assert conn.execute("SELECT id FROM entries WHERE current = 1").fetchall() == [(A,)]
    project(conn, "a", [shown])
    assert_rows_are(conn, fold([*arriving, shown]))
    assert conn.execute("SELECT id FROM entries WHERE current = 1").fetchall() == [(C,)]


def test_what_is_held_follows_what_becomes_of_those_below_it() -> None:
    """Forgotten, brought back, banned, restored, one key at a time, with the chain above it already there."""
    conn = empty_database()
    chain = [entry(A, "one"), entry(B, "two", supersedes=[A]), entry(C, "three", supersedes=[B])]
    hides = write(A, "hidden", True)
    name = hides.key.rpartition(".")[2]
    shows = register_key(A, "hidden", False, stamp=stamp(2, DEVICES[0]), by="", at_ms=2, over=[name])
    steps = [
        (hides, {B, C}),
        (shows, set()),
        (write("meta", f"ban/{A}", ""), {B, C}),
        (write(B, "restored", True), set()),
    ]
    for key in chain:
        project(conn, "a", [key])
    for upto, (key, held) in enumerate(steps, start=1):
        project(conn, "meta", [key])
        assert {row[0] for row in conn.execute("SELECT id FROM entries WHERE held = 1")} == held
        assert_rows_are(conn, fold([*chain, *(one for one, _ in steps[:upto])]))


def test_words_that_are_no_longer_shown_leave_the_index() -> None:
    first, second = entry(A, "coffee is black"), entry(A, "tea is green")
    keys = [first, write(A, "tags+", ["work"]), second, label_key("D-2024-05-27-01", second)]
    conn, at_once = empty_database(), empty_database()
    for key in keys:
        project(conn, "a", [key])
    project(at_once, "a", keys)
    assert snapshot_of(conn) == snapshot_of(at_once)
    assert conn.execute("SELECT count(*) FROM plain WHERE plain MATCH 'coffee'").fetchone() == (0,)


def test_a_pronoun_is_no_subject() -> None:
    conn = empty_database()
    project(conn, "a", [entry(A, "我是林"), entry(B, "密码是 1234")])
    assert conn.execute("SELECT subject FROM entries ORDER BY id").fetchall() == [("",), ("密码",)]


def test_the_text_of_a_row_is_the_text_it_was_indexed_by() -> None:
    conn = empty_database()
    project(conn, "a", [entry(A, "one", why="two", tags=["three"], aliases=["four"]), write(A, "tags+", ["five"])])
    row = conn.execute(f"SELECT {', '.join(ENTRY_COLUMNS)} FROM entries").fetchone()
    assert _indexed(dict(zip(ENTRY_COLUMNS, row, strict=True))) == "one\ntwo\nthree\nfour\nfive"


@pytest.mark.parametrize(
    ("said", "agreed", "shown"),
    [
        ("fact", "preference", "preference"),
        ("decision", "rule", "rule"),
        ("fact", "", "fact"),
        ("fact", "checkpoint", "fact"),
        ("fact", "habit", "fact"),
        ("fact", ["rule"], "fact"),
        ("fact", None, "fact"),
        ("quote", "preference", "quote"),
        ("checkpoint", "rule", "checkpoint"),
    ],
)
def test_what_a_person_agreed_to_makes_a_fact_or_a_decision_long_term_and_nothing_else(
    said: str, agreed: Json, shown: str
) -> None:
    for first in (0, 1):
        conn = empty_database()
        keys = [entry(A, "tea at five", kind=said), write(A, "kind", agreed)]
        project(conn, "facts/2024-05.1", keys[first:] + keys[:first])
        assert conn.execute("SELECT kind FROM entries").fetchone() == (shown,)
        conn.close()
