"""Rows as values: labels as typed, chains, boards, lists with a bound."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.model import EntryKind
from store.own_rows import LISTED_MAX
from store.writer import Writer
from tests.store.memories import CHAT, HERE, LIN, empty_database, forget, remember, writing

NOW_MS = 1716775200000


@pytest.fixture
def writer() -> Iterator[Writer]:
    conn = empty_database()
    with writing(conn, now_ms=NOW_MS) as made:
        yield made
    conn.close()


def later(writer: Writer, by_ms: int = 1000) -> None:
    writer.now_ms += by_ms


def texts(writer: Writer, where: str = "1", limit: int = LISTED_MAX) -> list[str]:
    return [one.draft.text for one in writer.entries(where, limit=limit)]


def test_what_is_not_there_is_none_or_empty(writer: Writer) -> None:
    assert writer.entry("x") is None and writer.task("x") is None and writer.register("x", "y") is None
    assert writer.registers("x") == {} and writer.chain("x") == [] and writer.earlier("x") == []
    assert writer.rest_of("x") == ("", "") and writer.count() == 0
    assert writer.setting("zone") == "" and writer.setting("zone", "UTC") == "UTC"
    assert writer.handled("x") is None and writer.local("x", "d") == "d"


def test_newest_come_first_hidden_ones_too_and_no_more_than_asked(writer: Writer) -> None:
    for number in range(3):
        entry = remember(writer, f"n{number}")
        later(writer)
    forget(writer, entry.id)
    assert texts(writer) == ["n2", "n1", "n0"]
    assert texts(writer, "hidden = 0") == ["n1", "n0"]
    assert texts(writer, limit=2) == ["n2", "n1"]


def test_a_list_ends_at_its_bound(writer: Writer) -> None:
    for _ in range(2):
        writer.add_task("t", at_ms=NOW_MS, zone="UTC", author=LIN, source=HERE)
    columns = ", ".join(row[1] for row in writer.conn.execute("PRAGMA table_info(tasks)") if row[1] != "id")
    writer.conn.execute(
        f"INSERT INTO tasks(id, {columns}) WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        f" SELECT 'x' || i, {columns} FROM n, (SELECT * FROM tasks LIMIT 1)",
        (LISTED_MAX,),
    )
    assert len(writer.tasks(done=False)) == LISTED_MAX


def test_labels_are_found_as_people_type_them(writer: Writer) -> None:
    entry = remember(writer, "tea")
    for typed in ("D-2024-05-27-01", "d-2024-5-27-1", "Ｄ－２０２４－０５－２７－０１"):
        assert writer.labelled(typed) == [entry.id]
        assert not writer.erased(typed)
    for typed in ("", "tea", "D-2024-05-27-02", "%"):
        assert writer.labelled(typed) == []
        assert not writer.erased(typed)


def test_a_label_with_two_targets_gives_both(writer: Writer) -> None:
    one, other = remember(writer, "tea"), remember(writer, "coffee")
    writer.conn.execute(
        "INSERT INTO labels SELECT ?, record, digest FROM labels WHERE record = ?", (one.label, other.id)
    )
    assert sorted(writer.labelled(one.label)) == sorted([one.id, other.id])


def test_a_chain_is_every_version_oldest_first(writer: Writer) -> None:
    first = remember(writer, "one")
    later(writer)
    second = remember(writer, "two", supersedes=[first.id])
    later(writer)
    third = remember(writer, "three", supersedes=[second.id])
    remember(writer, "apart")
    for record in (first, second, third):
        assert [one.draft.text for one in writer.chain(record.id)] == ["one", "two", "three"]
    assert [one.draft.text for one in writer.earlier(third.id)] == ["two", "one"]
    assert writer.earlier(first.id) == []
    assert (writer.successors(first.id), writer.predecessors(third.id)) == ([second.id], [second.id])
    forget(writer, second.id)
    assert [one.draft.text for one in writer.chain(first.id)] == ["one", "three"]
    assert [one.draft.text for one in writer.earlier(third.id)] == ["one"]


def test_two_that_replace_each_other_end_a_walk(writer: Writer) -> None:
    one, other = remember(writer, "one"), remember(writer, "two")
    writer.set(one.id, "settles", [other.id], by=LIN)
    writer.set(other.id, "settles", [one.id], by=LIN)
    assert len(writer.chain(one.id)) == 2
    assert [entry.id for entry in writer.earlier(one.id)] == [other.id]
    assert len(texts(writer, "current = 1")) == 2


def test_entries_with_one_subject_are_found(writer: Writer) -> None:
    first = remember(writer, "密码是 1234")
    remember(writer, "密码是 5678", supersedes=[first.id])
    remember(writer, "端口是 8080")
    subject, rest = writer.rest_of(first.id)
    assert (subject, rest.strip()) == ("密码", "1234")
    assert [one.draft.text for one in writer.same_subject(subject)] == ["密码是 5678"]
    assert writer.same_subject("") == []


def test_checkpoints_and_hidden_entries_are_not_counted(writer: Writer) -> None:
    first = remember(writer, "one")
    remember(writer, "two", supersedes=[first.id])
    remember(writer, "page", kind=EntryKind.CHECKPOINT)
    forget(writer, remember(writer, "gone").id)
    assert writer.count() == 2


def test_the_board_is_in_the_order_of_adding_and_the_done_newest_first(writer: Writer) -> None:
    made = []
    for number in range(4):
        made.append(writer.add_task(f"t{number}", at_ms=writer.now_ms, zone="UTC", author=LIN, source=HERE))
        later(writer)
    for task in (made[0], made[2]):
        writer.set(task.id, "state", "done", by=LIN)
        writer.set(task.id, "done_at", writer.now_ms, by=LIN)
        later(writer)
    forget(writer, made[3].id)
    assert [task.title for task in writer.tasks(done=False)] == ["t1"]
    assert [task.title for task in writer.tasks(done=True)] == ["t2", "t0"]


def test_a_setting_that_is_no_text_counts_as_unset(writer: Writer) -> None:
    writer.set("settings", "zone", 8, by=LIN)
    assert writer.setting("zone", "UTC") == "UTC"
    writer.set("settings", "zone", "Asia/Shanghai", by=LIN)
    assert writer.setting("zone", "UTC") == "Asia/Shanghai"


def test_registers_do_not_leak_into_fields_that_begin_alike(writer: Writer) -> None:
    writer.set("profile", "drink", "tea", by=LIN)
    writer.set("profile", "drink/evening", "milk", by=LIN)
    assert {name: one.value for name, one in writer.registers("profile").items()} == {
        "drink": "tea",
        "drink/evening": "milk",
    }


def test_people_are_called_what_meta_says(writer: Writer) -> None:
    writer.set("meta", "account/terminal:lin", {"name": "Lin", "role": "owner"}, by=LIN)
    writer.set("meta", "kind", "private", by=LIN)
    assert writer.people() == {LIN: "Lin"}


def test_devices_are_called_what_meta_says_by_their_lane(writer: Writer) -> None:
    assert writer.device_names() == {}
    for field, value in {"lane/00": "", "device/00": "home", "lane/11": "b", "device/22": "not in yet"}.items():
        writer.set("meta", field, value, by=LIN)
    assert writer.device_names() == {"": "home", "b": ""}
    writer.set("meta", "device/11", "phone", by=LIN)
    assert writer.device_names() == {"": "home", "b": "phone"}


def test_words_are_found_in_a_row_and_only_where_they_may_be_seen(writer: Writer) -> None:
    remember(writer, "the port is 8080")
    forget(writer, remember(writer, "the port is 9090").id)
    remember(writer, "is the port open")
    assert [one.draft.text for one in writer.with_words("port is")] == ["the port is 8080"]
    assert writer.with_words("") == []
    assert writer.with_words('"port" OR is') == []
    assert writer.count_where("hidden = 1") == 1


def test_a_chat_sees_its_own_turns_newest_first(writer: Writer) -> None:
    for chat, text in ((CHAT, "one"), (CHAT, "two"), ("terminal:team", "three")):
        writer.keep_turn(chat=chat, account=LIN, at_ms=NOW_MS, zone="UTC", kind="talk", text=text, reply="")
    assert [turn.text for turn in writer.turns("chat = ?", (CHAT,))] == ["two", "one"]
    assert [turn.text for turn in writer.turns("1", limit=1)] == ["three"]
