"""The full-text tables: a row leaves them as it came, and nothing of it stays behind."""

from __future__ import annotations

from sqlite3 import Connection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import index
from tests.store.effort import COSTLY
from tests.store.memories import empty_database

TEXTS = st.sampled_from(["记住 the port 8080", "café", "我最喜欢的饮料是绿茶", "", "C++ and C#", "ＡＰＩ", "a\0b"])


def rows(conn: object) -> list[list[object]]:
    found = []
    for table in ("words", "plain", "turn_words"):
        conn.execute(f"CREATE VIRTUAL TABLE temp.seen USING fts5vocab('main', '{table}', 'instance')")  # type: ignore[attr-defined]
        found.append(sorted(conn.execute("SELECT * FROM temp.seen").fetchall()))  # type: ignore[attr-defined]
        conn.execute("DROP TABLE temp.seen")  # type: ignore[attr-defined]
    return found


def test_only_fields_with_words_are_indexed() -> None:
    assert index.indexed_text(["a", "", "b"]) == "a\nb"
    assert index.indexed_text([]) == ""


DAY = "2024-05-27"


def add_turn(conn: Connection, turn: int, text: str) -> None:
    index.add_turn(conn, turn, session=1, account="terminal:lin", day=DAY, text=text)


@COSTLY
@given(st.lists(TEXTS, max_size=5), st.lists(TEXTS, max_size=5))
def test_what_is_removed_leaves_no_term(kept: list[str], removed: list[str]) -> None:
    conn, other = empty_database(), empty_database()
    for number, text in enumerate(kept):
        for one in (conn, other):
            index.add(one, number, text)
            add_turn(one, number, text)
    for number, text in enumerate(removed, start=100):
        index.add(conn, number, text)
        add_turn(conn, number, text)
    for number, text in enumerate(removed, start=100):
        index.remove(conn, number, text)
        index.remove_turn(conn, number, day=DAY, text=text)
    index.optimize(conn)
    assert rows(conn) == rows(other)


def test_clearing_leaves_entries_nothing_and_turns_everything() -> None:
    conn = empty_database()
    index.add(conn, 1, "hello")
    add_turn(conn, 1, "hello")
    index.clear(conn)
    words, plain, turns = rows(conn)
    assert (words, plain) == ([], [])
    assert "hello" in {row[0] for row in turns}


@pytest.mark.parametrize(
    ("question", "table", "found"),
    [("ports", "words", True), ("ports", "plain", False), ("port", "plain", True), ("nothing", "words", False)],
)
def test_one_table_stems_and_the_other_is_exact(question: str, table: str, found: bool) -> None:
    conn = empty_database()
    index.add(conn, 1, "the port is 8080")
    assert bool(conn.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (question,)).fetchall()) is found
