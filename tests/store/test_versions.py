"""What stands beside and before what is shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.changes import label_key, record_key
from store.model import EntryID, RefID
from store.projection import project
from store.versions import SAID_MAX, said, variants
from store.writer import Writer
from tests.store.memories import LIN, empty_database, remember, writing


@pytest.fixture
def writer() -> Iterator[Writer]:
    conn = empty_database()
    with writing(conn, now_ms=1716775200000) as made:
        yield made
    conn.close()


def test_an_entry_as_it_was_kept_has_one_variant(writer: Writer) -> None:
    entry = remember(writer, "the car is on B2")
    (only,) = variants(writer.conn, entry.id)
    assert (only.label, only.draft.text) == (entry.label, "the car is on B2")


def test_variants_come_with_the_labels_they_were_kept_as(writer: Writer) -> None:
    entry = remember(writer, "the car is on B2")
    late = record_key(entry.id, {"text": "the car is on B3", "kind": "fact", "why": "rain"})
    bare = record_key(entry.id, {"kind": "fact"})
    project(writer.conn, "facts/2024-05.1", [late, bare, label_key(RefID("D-2024-05-27-b01"), late)])
    found = variants(writer.conn, entry.id)
    assert [(one.label, one.draft.text, one.draft.why) for one in found] == [
        ("", "", ""), (entry.label, "the car is on B2", ""), ("D-2024-05-27-b01", "the car is on B3", "rain"),
    ]  # fmt: skip


def test_nothing_is_beside_what_is_not_there(writer: Writer) -> None:
    assert variants(writer.conn, EntryID("0" * 26)) == [] and said(writer.conn, "x", "title") == []


def test_what_was_said_of_a_field_comes_newest_first_and_what_stands_is_marked(writer: Writer) -> None:
    for value in ("a", "b"):
        writer.set("profile", "job", value, by=LIN)
        writer.now_ms += 1
    writer.set("profile", "job/side", "c", by=LIN)
    found = said(writer.conn, "profile", "job")
    assert [(one.value, one.stands, one.by) for one in found] == [("b", True, LIN), ("a", False, LIN)]


def test_only_the_newest_are_read(writer: Writer) -> None:
    for number in range(SAID_MAX + 1):
        writer.set("profile", "job", str(number), by=LIN)
        writer.now_ms += 1
    found = said(writer.conn, "profile", "job")
    assert len(found) == SAID_MAX and found[0].value == str(SAID_MAX)
