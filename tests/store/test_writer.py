"""What a command says becomes keys, rows and log; registers name what they replace; labels are never given twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from sqlite3 import Connection
from typing import Any

import pytest

from store.changes import VALUE_BYTES_MAX, register_key
from store.errors import OverLimit
from store.ids import message_ulid, stamp, ulid_time_ms
from store.model import (
    ENTRY_CHARACTERS_MAX,
    TALK,
    AccountID,
    Confidence,
    DateSpan,
    Draft,
    EntryKind,
    Origin,
    RefID,
    Source,
    TaskState,
)
from store.own_rows import UNDO_MS
from store.own_writer import HANDLED_MS, OFFER_MS
from store.projection import project
from store.writer import Writer
from tests.store.memories import CHAT, DEVICE, HERE, LIN, empty_database, forget, remember, writing

NOW_MS = 1716775200000
WANG = AccountID("terminal:wang")


@pytest.fixture
def conn() -> Iterator[Connection]:
    conn = empty_database()
    yield conn
    conn.close()


@pytest.fixture
def writer(conn: Connection) -> Iterator[Writer]:
    with writing(conn, now_ms=NOW_MS) as made:
        yield made


def documents(conn: Connection) -> list[str]:
    return [row[0] for row in conn.execute("SELECT doc FROM changes ORDER BY pos")]


# entries


def test_everything_of_a_draft_is_kept(writer: Writer) -> None:
    draft = Draft(
        "我们昨天决定周五发布 ",
        EntryKind.DECISION,
        why="the client asked",
        impact="all of us",
        next="write notes",
        verify="release page",
        about=(("project", "念念"),),
        confidence=Confidence.HIGH,
        tags=("release", "café"),
        aliases=("launch",),
    )
    entry = writer.remember(
        draft,
        at_ms=NOW_MS,
        zone="Asia/Shanghai",
        author=LIN,
        source=Source("terminal", CHAT, "7", path="notes.md", quoted="Wang"),
        origin=Origin.IMPORTED,
        lang="zh",
        supersedes=["x"],
    )
    assert entry.draft == draft
    assert (entry.label, entry.day, entry.zone, entry.lang) == ("D-2024-05-27-01", "2024-05-27", "Asia/Shanghai", "zh")
    assert (entry.author, entry.origin, entry.supersedes) == (LIN, Origin.IMPORTED, ("x",))
    assert entry.source == Source("terminal", CHAT, "7", path="notes.md", quoted="Wang")
    assert entry.dates[0] == DateSpan("昨天", "2024-05-26", "2024-05-26")
    assert (entry.current, entry.hidden, entry.versions) == (True, False, 1)
    assert writer.entry(entry.id) == entry
    assert ulid_time_ms(entry.id) == NOW_MS


def test_a_bare_draft_keeps_no_empty_field(writer: Writer, conn: Connection) -> None:
    remember(writer, "tea")
    (value,) = conn.execute("SELECT value FROM keys WHERE map = 'e'").fetchone()
    assert value == (
        '{"at":1716775200000,"author":"terminal:lin","day":"2024-05-27","kind":"fact","lang":"en","origin":"said",'
        '"source":{"chat":"terminal:lin","platform":"terminal"},"text":"tea","zone":"UTC"}'
    )


def test_the_day_is_the_one_where_it_was_said(writer: Writer) -> None:
    late = {"at_ms": NOW_MS + 15 * 3_600_000, "author": LIN, "source": HERE, "origin": Origin.SAID, "lang": "en"}
    assert writer.remember(Draft("here"), zone="UTC", **late).day == "2024-05-27"  # type: ignore[arg-type]
    there = writer.remember(Draft("there"), zone="Asia/Shanghai", **late)  # type: ignore[arg-type]
    assert (there.day, there.label) == ("2024-05-28", "D-2024-05-28-01")


def test_a_text_ends_at_its_bound_counted_over_all_fields(writer: Writer) -> None:
    remember(writer, "x" * ENTRY_CHARACTERS_MAX)
    half = ENTRY_CHARACTERS_MAX // 2
    remember(writer, "x" * half, why="y" * half)
    for fields in (
        {"why": "y" * (half + 1)},
        {"tags": ("t" * half, "u")},
        {"aliases": ("a" * (half + 1),)},
        {"about": (("a" * half, "b"),)},
    ):
        with pytest.raises(OverLimit) as raised:
            remember(writer, "x" * half, **fields)  # type: ignore[arg-type]
        assert raised.value.facts == {"length": ENTRY_CHARACTERS_MAX + 1, "most": ENTRY_CHARACTERS_MAX}
    assert writer.count() == 2


@pytest.mark.parametrize("text", ["今天" * 4000, "😀" * 8000, "\0" * 8000, '"' * 8000, "\x1f" * 8000])
def test_the_longest_entry_fits_a_value(writer: Writer, conn: Connection, text: str) -> None:
    remember(writer, text)
    writer.flush()
    (size,) = conn.execute("SELECT max(length(CAST(value AS BLOB))) FROM keys").fetchone()
    assert size <= VALUE_BYTES_MAX


def test_the_same_message_is_stored_once(writer: Writer, conn: Connection) -> None:
    record = message_ulid(NOW_MS, "telegram", "telegram:5", "1", "0")
    first = remember(writer, "tea", record=record)
    assert remember(writer, "something else", record=record) == first
    task = message_ulid(NOW_MS, "telegram", "telegram:5", "2", "0")
    made = writer.add_task("buy", at_ms=NOW_MS, zone="UTC", author=LIN, source=HERE, record=task)
    assert writer.add_task("other", at_ms=NOW_MS, zone="UTC", author=LIN, source=HERE, record=task) == made
    writer.flush()
    assert conn.execute("SELECT count(*) FROM labels").fetchone() == (2,)


def test_labels_count_by_series_and_day_and_lane(writer: Writer, conn: Connection) -> None:
    assert [remember(writer, f"n{number}").label for number in range(2)] == ["D-2024-05-27-01", "D-2024-05-27-02"]
    assert remember(writer, "page", kind=EntryKind.CHECKPOINT).label == "AUTO-20240527-01"
    made = writer.add_task("buy", at_ms=NOW_MS, zone="UTC", author=LIN, source=HERE)
    assert made.label == "T-240527-01"
    conn.execute("INSERT INTO copy VALUES('lane', 'b')")
    assert remember(writer, "other device").label == "D-2024-05-27-b01"
    conn.execute("INSERT INTO ref_counter VALUES('D', '2024-05-28', 'b', 99)")
    with writing(conn, now_ms=NOW_MS + 86_400_000, seed="2") as tomorrow:
        assert remember(tomorrow, "hundredth").label == "D-2024-05-28-b100"


# tasks


def test_a_task_begins_ready_with_its_title(writer: Writer) -> None:
    task = writer.add_task("买茶", at_ms=NOW_MS, zone="UTC", author=LIN, source=HERE)
    assert (task.title, task.state, task.author, task.day, task.done_at_ms) == (
        "买茶",
        TaskState.READY,
        LIN,
        "2024-05-27",
        None,
    )
    writer.set(task.id, "state", "done", by=WANG)
    writer.set(task.id, "done_at", NOW_MS, by=WANG)
    done = writer.task(task.id)
    assert done is not None
    assert (done.state, done.done_at_ms, done.changed_at_ms) == (TaskState.DONE, NOW_MS, NOW_MS)
    assert writer.entry(task.id) is None


def test_a_title_ends_at_its_bound(writer: Writer) -> None:
    common: dict[str, Any] = {"at_ms": NOW_MS, "zone": "UTC", "author": LIN, "source": HERE}
    writer.add_task("x" * ENTRY_CHARACTERS_MAX, **common)
    with pytest.raises(OverLimit):
        writer.add_task("x" * (ENTRY_CHARACTERS_MAX + 1), **common)


# registers


def test_a_register_names_what_it_replaces(writer: Writer) -> None:
    assert writer.set("profile", "drink", "tea", by=LIN) is None
    assert writer.set("profile", "drink", "coffee", by=WANG) == "tea"
    register = writer.register("profile", "drink")
    assert register is not None
    assert (register.value, register.by, register.at_ms, len(register.heads)) == ("coffee", WANG, NOW_MS, 1)


def test_an_equal_value_makes_no_change(writer: Writer, conn: Connection) -> None:
    writer.set("profile", "drink", "tea", by=LIN)
    writer.flush()
    assert writer.set("profile", "drink", "tea", by=WANG) == "tea"
    writer.flush()
    assert documents(conn) == ["profile"]


def test_saying_the_shown_value_again_settles_a_conflict(writer: Writer, conn: Connection) -> None:
    for value, device in (("tea", "aa" * 8), ("coffee", "bb" * 8)):
        key = register_key("profile", "drink", value, stamp=stamp(1, device), by=LIN, at_ms=1, over=())
        project(conn, "profile", [key])
    register = writer.register("profile", "drink")
    assert register is not None and register.value == "coffee" and register.others == ("tea",)
    assert writer.set("profile", "drink", "coffee", by=LIN) == "coffee"
    settled = writer.register("profile", "drink")
    assert settled is not None and (len(settled.heads), settled.others) == (1, ())


def test_a_value_may_swing_back_within_one_millisecond(writer: Writer) -> None:
    for value in (True, False, True, False):
        writer.set("profile", "x", value, by=LIN)
    writer.flush()
    register = writer.register("profile", "x")
    assert register is not None and register.value is False


def test_the_same_word_from_two_devices_can_be_replaced(writer: Writer, conn: Connection) -> None:
    """Their keys share a digest; naming it twice in `over` would make a change nobody accepts."""
    for device in ("aa" * 8, "bb" * 8):
        project(conn, "meta", [register_key("meta", "kind", "x", stamp=stamp(1, device), by="", at_ms=1, over=())])
    assert writer.set("meta", "kind", "x", by=LIN) == "x"
    writer.set("meta", "kind", "y", by=LIN)
    writer.flush()
    assert documents(conn) == ["meta"]


def test_each_record_goes_to_the_document_of_its_family_and_month(writer: Writer, conn: Connection) -> None:
    entry = remember(writer, "tea")
    task = writer.add_task("buy", at_ms=NOW_MS - 40 * 86_400_000, zone="UTC", author=LIN, source=HERE)
    writer.flush()
    assert documents(conn) == ["facts/2024-05.1", "tasks/2024-04.1"]
    for record in (entry.id, task.id, "meta", "settings", "profile"):
        writer.set(record, "x", 1, by=LIN)
    writer.flush()
    assert documents(conn)[2:] == ["facts/2024-05.1", "tasks/2024-04.1", "meta", "profile"]


# forgetting and taking back


def test_hiding_sets_the_hour_of_erasing_and_showing_takes_it_away(writer: Writer, conn: Connection) -> None:
    entry = remember(writer, "tea")
    forget(writer, entry.id)
    assert conn.execute("SELECT * FROM erasing").fetchall() == [(entry.id, NOW_MS + UNDO_MS)]
    undo = writer.undoable_write(
        chat=CHAT, account=LIN, shown=entry.label, verb="forget", steps=[(entry.id, "hidden", False)]
    )
    kept = writer.undoable(undo)
    assert kept is not None and not kept.done and kept.steps == ((entry.id, "hidden", False),)
    assert writer.last_undoable(CHAT, LIN) == kept
    assert writer.undoables(CHAT, LIN, entry.label) == [kept]
    writer.take_back(undo, kept.steps, by=LIN)
    assert writer.undoable(undo) == replace(kept, done=True)
    assert writer.last_undoable(CHAT, LIN) is None
    assert writer.undoables(CHAT, LIN, entry.label) == []
    assert conn.execute("SELECT * FROM erasing").fetchall() == []
    again = writer.entry(entry.id)
    assert again is not None and again.current


def test_undo_is_by_person_and_chat(writer: Writer) -> None:
    writer.undoable_write(chat=CHAT, account=LIN, shown=RefID("D-2024-05-27-01"), verb="save", steps=[])
    assert writer.last_undoable(CHAT, WANG) is None
    assert writer.last_undoable("terminal:team", LIN) is None
    assert writer.undoables(CHAT, LIN, RefID("D-2024-05-27-02")) == []
    assert writer.undoable("nothing") is None


# this copy's own rows


def test_one_question_waits_per_person_and_chat(writer: Writer) -> None:
    writer.ask(CHAT, LIN, {"do": "tz"})
    writer.ask(CHAT, LIN, {"do": "编辑"})
    assert writer.pending(CHAT, LIN, NOW_MS + UNDO_MS - 1) == {"do": "编辑"}
    assert writer.pending(CHAT, LIN, NOW_MS + UNDO_MS) is None
    assert writer.pending(CHAT, WANG, NOW_MS) is None
    writer.close_question(CHAT, LIN)
    assert writer.pending(CHAT, LIN, NOW_MS) is None


def test_a_pressed_offer_says_so_without_its_words(writer: Writer) -> None:
    offer = writer.make_offer(CHAT, LIN, {"text": "words"})
    assert writer.offer(offer) == (LIN, {"text": "words"})
    writer.close_offer(offer)
    assert writer.offer(offer) == (LIN, {})
    assert writer.offer("nothing") is None


@pytest.mark.parametrize(("later", "left"), [(OFFER_MS, 2), (OFFER_MS + 1, 1)])
def test_old_offers_go_when_a_new_one_is_made(conn: Connection, later: int, left: int) -> None:
    for seed, now in enumerate((NOW_MS, NOW_MS + later)):
        with writing(conn, now_ms=now, seed=str(seed)) as writer:
            writer.make_offer(CHAT, LIN, {})
    assert conn.execute("SELECT count(*) FROM offers").fetchone() == (left,)


@pytest.mark.parametrize(("later", "left"), [(HANDLED_MS, True), (HANDLED_MS + 1, False)])
def test_replies_are_kept_for_a_month(conn: Connection, later: int, *, left: bool) -> None:
    for key, now in (("one", NOW_MS), ("two", NOW_MS + later)):
        with writing(conn, now_ms=now) as writer:
            writer.keep_handled(key, "reply")
            assert writer.handled(key) == "reply"
    assert (writer.handled("one") is not None) is left


def test_a_session_runs_until_it_is_ended(writer: Writer) -> None:
    first = writer.open_session(CHAT)
    assert writer.open_session(CHAT) == first
    assert writer.last_checkpoint(CHAT) is None
    page = remember(writer, "page", kind=EntryKind.CHECKPOINT)
    writer.end_session(first, page.id)
    ended = writer.last_checkpoint(CHAT)
    assert ended is not None and (ended.id, ended.ended_ms, ended.checkpoint) == (first, NOW_MS, page.id)
    assert writer.session(CHAT) is None
    assert writer.open_session(CHAT) != first
    assert writer.open_session("terminal:team") not in (first, 0)


def test_only_talk_can_be_found_again(writer: Writer, conn: Connection) -> None:
    for kind in (TALK, "command"):
        writer.keep_turn(
            chat=CHAT, account=LIN, at_ms=NOW_MS, zone="UTC", kind=kind, text=f"{kind} about tea", reply="ok",
            cited=["D-2024-05-27-01"], entry="x", topic="tea",
        )  # fmt: skip
    found = conn.execute(
        "SELECT p.turn FROM turn_words w JOIN turn_places p ON p.place = w.rowid WHERE turn_words MATCH 'tea'"
    ).fetchall()
    assert [writer.turns("id = ?", row)[0].kind for row in found] == [TALK]
    last = writer.last_turn(CHAT)
    assert last is not None
    assert (last.kind, last.cited, last.entry, last.topic, last.day) == (
        "command", ("D-2024-05-27-01",), "x", "tea", "2024-05-27",
    )  # fmt: skip
    assert writer.last_turn("terminal:team") is None


def test_a_note_about_our_own_doing_is_replaced(writer: Writer) -> None:
    assert writer.note("trail") is None
    writer.keep_note("trail", '{"n":1}')
    writer.keep_note("trail", '{"n":2}')
    assert writer.note("trail") == {"n": 2}


# the road to the log


def test_flushing_makes_one_change_a_document_and_then_rests(writer: Writer, conn: Connection) -> None:
    remember(writer, "one")
    remember(writer, "two")
    writer.set("profile", "drink", "tea", by=LIN)
    writer.flush()
    writer.flush()
    assert documents(conn) == ["facts/2024-05.1", "profile"]
    assert {row[0] for row in conn.execute("SELECT origin FROM changes")} == {"own"}


def test_a_long_import_becomes_several_changes(writer: Writer, conn: Connection) -> None:
    for number in range(150):
        remember(writer, f"entry {number}")
    writer.flush()
    assert documents(conn) == ["facts/2024-05.1"] * 2


def test_ids_made_in_one_millisecond_differ(writer: Writer) -> None:
    assert len({writer.new_id(NOW_MS) for _ in range(100)}) == 100
    assert len(DEVICE) == 16
