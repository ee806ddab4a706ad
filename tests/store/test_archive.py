"""Importance, what goes cold, and the words that are said again: by rule, and alike on every device."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from sqlite3 import Connection

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from store.archive import (
    AGAIN_MAX,
    COLD_AFTER_DAYS,
    COLD_IMPORTANCE_MAX,
    PINNED_MIN,
    cold_condition,
    day_of,
    importance_of,
    is_cold,
)
from store.changes import Json, Key, record_key, register_key
from store.ids import stamp, ulid
from store.model import EntryKind
from store.projection import project
from store.view import View
from tests.store.memories import empty_database

TODAY = date(2024, 5, 27)
RECORD = ulid(1_716_000_000_000, b"a" * 10)
DAYS = st.dates(TODAY - timedelta(days=800), TODAY + timedelta(days=30))


def entry(record: str = RECORD, text: str = "the car is on B2", **fields: Json) -> Key:
    return record_key(record, {"at": 1, "day": "2024-05-27", "kind": "fact", "origin": "said", "text": text, **fields})


def write(field: str, value: Json, record: str = RECORD) -> Key:
    return register_key(record, field, value, stamp=stamp(1, "0" * 16), by="", at_ms=1, over=())


def with_keys(*keys: Key) -> Connection:
    conn = empty_database()
    project(conn, "facts/2024-05.1", keys)
    return conn


def cold_here(conn: Connection, today: date = TODAY) -> tuple[bool, bool]:
    """By the condition and by the function."""
    condition, values = cold_condition(today)
    (found,) = conn.execute(f"SELECT {condition} FROM entries", values).fetchall()
    (entry,) = View(conn).entries("1")
    assert found[0] in (0, 1), "never NULL"
    return bool(found[0]), is_cold(entry, today)


@given(
    kind=st.sampled_from(EntryKind),
    day=DAYS,
    until=st.none() | DAYS.map(date.isoformat) | st.sampled_from(["", "20240501", "soon", 7, None, ["2024-05-01"]]),
    importance=st.none() | st.sampled_from([0, COLD_IMPORTANCE_MAX, COLD_IMPORTANCE_MAX + 1, 1000, 10**6, True, "low"]),
    pinned=st.booleans(),
)
@example(kind=EntryKind.FACT, day=date(2020, 1, 1), until="2024-05-28", importance=None, pinned=False)
def test_rows_and_values_go_cold_alike(kind: EntryKind, day: date, until: Json, importance: Json, pinned: bool) -> None:
    conn = with_keys(
        entry(kind=kind.value, day=day.isoformat()),
        write("until", until),
        write("importance", importance),
        write("pinned", pinned),
    )
    by_condition, by_function = cold_here(conn)
    assert by_condition is by_function
    if pinned:
        assert not by_function


@pytest.mark.parametrize(("until", "cold"), [("2024-05-26", True), ("2024-05-27", False), ("", False)])
def test_the_last_day_still_counts(until: str, cold: bool) -> None:
    assert cold_here(with_keys(entry(), write("until", until))) == (cold, cold)


@pytest.mark.parametrize("days", [COLD_AFTER_DAYS, COLD_AFTER_DAYS + 1])
@pytest.mark.parametrize("importance", [COLD_IMPORTANCE_MAX, COLD_IMPORTANCE_MAX + 1])
def test_only_what_was_called_unimportant_goes_cold_by_age(days: int, importance: int) -> None:
    day = (TODAY - timedelta(days=days)).isoformat()
    cold = days > COLD_AFTER_DAYS and importance <= COLD_IMPORTANCE_MAX
    assert cold_here(with_keys(entry(day=day), write("importance", importance))) == (cold, cold)


def test_age_alone_hides_nothing_and_no_decision_rule_or_preference_ever_ages() -> None:
    assert cold_here(with_keys(entry(day="1990-01-01"))) == (False, False)
    for kind in ("decision", "rule", "preference"):
        assert cold_here(with_keys(entry(day="1990-01-01", kind=kind), write("importance", 0))) == (False, False)


def test_the_first_year_of_the_calendar_is_no_fault() -> None:
    assert cold_here(with_keys(entry(day="0001-01-01"), write("importance", 0)), date.min) == (False, False)


def test_what_is_cold_is_found_by_its_index() -> None:
    condition, values = cold_condition(TODAY)
    plan = (
        with_keys(entry()).execute(f"EXPLAIN QUERY PLAN SELECT seq FROM entries WHERE {condition}", values).fetchall()
    )
    assert "entries_that_may_cool" in plan[0][3]


@pytest.mark.parametrize("value", [None, 7, True, ["2024-05-27"], "", "soon", "20240527", "2024-W22-1", "2024-02-30"])
def test_what_is_no_day_never_ends(value: Json) -> None:
    assert day_of(value) == ""
    (entry_,) = View(with_keys(entry(), write("until", value))).entries("1")
    assert entry_.until == ""


def test_importance_by_rule() -> None:
    def weight(kind: str, *keys: Key, times: int = 1) -> int:
        (found,) = View(with_keys(entry(kind=kind), *keys)).entries("1")
        return importance_of(found, times)

    assert [weight(kind.value) for kind in (EntryKind.DECISION, EntryKind.RULE)] == [700, 700]
    assert [weight(kind) for kind in ("preference", "fact", "quote", "note")] == [600, 500, 400, 400]
    assert (weight("fact", times=3), weight("decision", times=99)) == (600, AGAIN_MAX)
    assert weight("quote", write("pinned", True)) == PINNED_MIN
    assert weight("decision", write("importance", 200), times=99) == 200, "what a person has said goes before the rule"
    assert weight("fact", write("importance", 5000)) == 1000
    assert weight("fact", write("importance", 950), write("pinned", True)) == 950
    assert {kind for kind in EntryKind if weight(kind.value)} == {*EntryKind}


def test_the_same_words_are_repeats_however_they_are_spelt() -> None:
    said = ["Push at noon.", "push  at NOON", "“push at noon”", "ｐｕｓｈ at noon！", "push at noon, please", "推送"]
    records = [ulid(1_716_000_000_000 + n, bytes([n]) * 10) for n in range(len(said))]
    conn = with_keys(*(entry(r, text, at=n) for n, (r, text) in enumerate(zip(records, said, strict=True))))
    view = View(conn)
    first = view.entry(records[0])
    assert first is not None
    assert [one.id for one in view.repeats(first)] == records[3::-1]
    project(conn, "facts/2024-05.1", [write("hidden", True, records[1])])
    assert [one.id for one in view.repeats(first)] == [records[3], records[2], records[0]]
    assert view.repeats(replace(first, same="none")) == []


def test_signs_that_make_another_word_are_no_punctuation() -> None:
    records = [ulid(1_716_000_000_000 + n, bytes([n]) * 10) for n in range(4)]
    texts = ["we use C", "we use C++", "we use C#", "!!!"]
    view = View(with_keys(*(entry(r, text) for r, text in zip(records, texts, strict=True))))
    assert len({one.same for one in view.entries("1")}) == 4
