"""Where a word stands: what is counted, what is not, and that nothing is left out however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from store.model import EntryKind
from store.occurrences import ROWS_AT_ONCE, occurrences
from store.own_rows import LISTED_MAX
from store.writer import Writer
from tests.store.memories import CHAT, LIN, empty_database, forget, remember, writing

NOW = 1_716_775_200_000


@pytest.fixture
def writer() -> Iterator[Writer]:
    conn = empty_database()
    with writing(conn, now_ms=NOW) as writer:
        yield writer
    conn.close()


def say(writer: Writer, text: str, *, kind: str = "talk", entry: str | None = None) -> None:
    writer.keep_turn(
        chat=CHAT, account=LIN, at_ms=NOW, zone="UTC", kind=kind, text=text, reply="walrus reply", entry=entry
    )


def test_nothing_is_left_out_of_a_long_memory(writer: Writer) -> None:
    many = LISTED_MAX + ROWS_AT_ONCE + 7
    for number in range(many):
        say(writer, f"walrus {number}")
    remember(writer, "one walrus")
    found = occurrences(writer, "walrus")
    assert (found.times, found.entries, found.chats) == (many + 1, 1, many)


def test_forms_are_told_apart_the_asked_one_first(writer: Writer) -> None:
    remember(writer, "he ran, she ran, we run")
    remember(writer, "running")
    assert list(occurrences(writer, "Run").forms.items()) == [("run", 1), ("ran", 2), ("running", 1)]
    assert list(occurrences(writer, "runs").forms) == ["runs", "ran", "run", "running"]


def test_places_come_newest_first(writer: Writer) -> None:
    for at_ms in (3, 1, 2):
        writer.conn.execute("UPDATE entries SET at_ms = ? WHERE id = ?", (at_ms, remember(writer, "tea").id))
    assert [place.at_ms for place in occurrences(writer, "tea").places] == [3, 2, 1]


def test_only_what_people_said_counts(writer: Writer) -> None:
    kept = remember(writer, "the walrus")
    remember(writer, "a walrus 😀 checkpoint", kind=EntryKind.CHECKPOINT)
    forget(writer, remember(writer, "gone walrus").id)
    say(writer, "the walrus again")
    say(writer, "the walrus, kept", entry=kept.id)
    say(writer, "where is the walrus?", kind="question")
    say(writer, "and the gone walrus said")
    found = occurrences(writer, "walrus")
    assert (found.entries, found.chats, found.times) == (1, 1, 2)
    assert not occurrences(writer, "😀").places, "the index has no signs, so every row is looked at"


def test_of_some_days_only_those_count(writer: Writer) -> None:
    remember(writer, "tea")
    say(writer, "tea again")
    day = date(2024, 5, 27)
    assert occurrences(writer, "tea", (day, day)).times == 2
    assert occurrences(writer, "tea", (date.min, day - timedelta(1))).times == 0
    assert occurrences(writer, "tea", (day + timedelta(1), date.max)).times == 0


def test_held_entries_do_not_count(writer: Writer) -> None:
    entry = remember(writer, "the walrus")
    writer.conn.execute("UPDATE entries SET held = 1 WHERE id = ?", (entry.id,))
    assert not occurrences(writer, "walrus").places


def test_reasons_count_and_a_phrase_does_not_reach_from_one_field_into_the_next(writer: Writer) -> None:
    remember(writer, "a blue", why="moon and blue moon", tags=("walrus",), aliases=("walrus",))
    assert occurrences(writer, "blue moon").times == 1
    assert occurrences(writer, "walrus").times == 0


@pytest.mark.parametrize(
    ("text", "term", "times"),
    [
        ("預算和预算", "预算", 2),
        ("下雪", "雪", 1),
        ("哈哈哈哈", "哈哈", 2),
        ("Ｃ＋＋ and C", "c++", 1),
        ("Ｃ＋＋ and C", "C", 1),
        ("a 😀 day 😀", "😀", 2),
        ("GPT-4, GPT-40", "gpt-4", 1),
        ("用paradigm吗", "paradigm", 1),
        ("anything", "!", 0),
        ("anything", '" OR a:b*', 0),
        ("anything", " ", 0),
    ],
)
def test_terms_of_every_kind(writer: Writer, text: str, term: str, times: int) -> None:
    remember(writer, text)
    say(writer, text)
    assert occurrences(writer, term).times == 2 * times


def test_the_talk_that_was_kept_is_a_source_from_then_on(writer: Writer) -> None:
    say(writer, "the walrus sings")
    say(writer, " the walrus sings\n")
    writer.note_source("the walrus sings", remember(writer, "the walrus sings").id)
    found = occurrences(writer, "walrus")
    assert (found.entries, found.chats) == (1, 1)
