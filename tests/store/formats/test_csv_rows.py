"""Tables: read as spreadsheets write them, harmless as spreadsheets open them."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.formats import csv_rows
from store.formats.csv_rows import guarded, listed, paired, read, rows, unguarded, unlisted, unpaired
from store.model import Confidence, EntryKind, TaskState
from store.pieces import TaskPiece
from tests.store.formats.readings import entries, of, texts, troubles

CELL = st.text(st.sampled_from("ab ,;\"'=\n[]{}记+-@\t｜"), max_size=8)
ITEM = CELL.filter(bool)


@given(st.lists(st.lists(CELL, min_size=2, max_size=4), max_size=5), st.sampled_from(",;\t"))
def test_rows_are_what_was_written(table: list[list[str]], delimiter: str) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(table)
    text = out.getvalue()
    found = list(rows(text, delimiter))
    assert [row.cells for row in found] == [row for row in table if any(cell.strip() for cell in row)]
    assert [row.line for row in found] == sorted(row.line for row in found)


@given(CELL)
def test_no_cell_of_ours_is_a_formula_and_each_comes_back(cell: str) -> None:
    assert not guarded(cell).startswith(csv_rows.FORMULA)
    assert unguarded(guarded(cell), is_ours=True) == cell


def test_a_guard_of_others_is_taken_off_where_a_formula_follows() -> None:
    assert unguarded("'=1", is_ours=False) == "=1"
    assert unguarded("'tis", is_ours=False) == "'tis"


@given(st.lists(ITEM, max_size=4))
def test_lists_in_a_cell_come_back(items: list[str]) -> None:
    assert unlisted(listed(items)) == tuple(items)


@given(st.lists(st.tuples(ITEM, CELL), max_size=4))
def test_pairs_in_a_cell_come_back(pairs: list[tuple[str, str]]) -> None:
    assert unpaired(paired(pairs)) == tuple(pairs)


@pytest.mark.parametrize("cell", ['["\\ud800"]', '["a\\u0000"]', "[1, 2]", "[" * 5000, '[["a"]]'])
def test_a_cell_that_only_looks_like_a_list_is_text(cell: str) -> None:
    assert all(isinstance(one, str) and "\0" not in one for one in unlisted(cell))
    "".join(unlisted(cell)).encode()
    unpaired(cell)


def test_a_table_of_others_is_read_by_the_names_of_its_columns() -> None:
    text = "Date;Content;Tags;Why;Importance;Where\n2024/5/27;用 SQLite;db, 存储;一个文件;700;home\n;'=1+1;;;;\n"
    found = of({"t.csv": text})
    assert (found.format, found.troubles) == ("csv", [])
    first, second = entries(found)
    assert (first.line, first.day, first.draft.text, first.draft.tags) == (2, "2024-05-27", "用 SQLite", ("db", "存储"))
    assert (first.draft.why, first.draft.importance, first.draft.about) == ("一个文件", 700, (("Where", "home"),))
    assert second.draft.text == "=1+1"


@pytest.mark.parametrize("delimiter", list(",;\t|，"))
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_chinese_headers_in_every_delimiter_and_encoding(delimiter: str, encoding: str) -> None:
    table = [["编号", "日期", "类型", "内容", "置信度"], ["D-2024-05-27-03", "2024年5月27日", "偏好", "绿茶", "高"]]
    found = of({"表.csv": "\r\n".join(delimiter.join(row) for row in table).encode(encoding)})
    (one,) = entries(found)
    assert (one.label, one.day, one.draft.kind) == ("D-2024-05-27-03", "2024-05-27", EntryKind.PREFERENCE)
    assert one.draft.confidence is Confidence.HIGH


def test_a_column_may_be_named_after_a_kind() -> None:
    found = of({"t.csv": "decision,because\nuse SQLite,one file\n"})
    assert [(one.draft.kind, one.draft.why) for one in entries(found)] == [(EntryKind.DECISION, "one file")]
    assert texts(of({"t.csv": "note\nsomething\n"}).pieces) == ["something"]


def test_a_moment_is_kept_where_its_zone_is_known() -> None:
    found = of({"t.csv": "text,created_at\na,2024-05-27T10:00:00+08:00\nb,2024-05-27 10:00\n"})
    assert [(one.at_ms, one.day) for one in entries(found)] == [(1716775200000, ""), (None, "2024-05-27")]


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "2200-01-01", "9999-12-31T23:59:59Z", "9999年12月31日"])
def test_a_day_in_no_year_of_ours_is_named_and_left_out(day: str) -> None:
    found = of(
        {"t.csv": f"text,day,state,done\na,{day},,\nb,2024-05-27,done,{day[:10]}\nc,2199-12-31,,\nd,1900-01-01,,\n"}
    )
    assert [one.line for one in found.pieces] == [4, 5]
    assert troubles(found) == [("t.csv", 2, "trouble-day"), ("t.csv", 3, "trouble-day")]


def test_what_holds_for_good_may_say_so_as_spreadsheets_do() -> None:
    assert entries(of({"t.csv": "text,until\na,9999-12-31\n"}))[0].draft.until == "9999-12-31"


def test_what_is_longer_than_any_refid_is_none() -> None:
    longest, longer = "D" * 80, "记" * 27
    found = of({"t.csv": f"refid,text,replaces\n{longest},a,\n{longer},b,{longer}; {longest}\n"})
    assert [(one.label, one.replaces) for one in entries(found)] == [(longest, ()), ("", (longest,))]


def test_boards_are_read_as_tasks() -> None:
    found = of(
        {"b.csv": "状态,任务ID,任务,说明,下一步,Blocked by,Resume step\n中断,T-240527-01,写周报,,改,等数据,打开\n"}
    )
    assert found.pieces == [
        TaskPiece("b.csv", 2, "写周报", TaskState.BLOCKED, "T-240527-01", "", "改", "等数据", "打开")
    ]  # fmt: skip


def test_what_is_broken_is_named_by_line_and_everything_beside_it_is_taken() -> None:
    text = "\n".join(
        [
            "text,day,importance,confidence",
            '"one\nline",2024-05-27,,',
            "two,27.05.2024,,",
            "three,,1001,",
            "four,,,sure",
            ",2024-05-27,,",
            "five,,,,extra",
            "six,,,,",
            '"never closed,,,',
            'seven,,"",',
            '"eight",,,',
        ]
    )
    found = of({"t.csv": text})
    assert texts(found.pieces) == ["one\nline", "six", "seven", "eight"]
    assert troubles(found) == [
        ("t.csv", 4, "trouble-day"),
        ("t.csv", 5, "trouble-importance"),
        ("t.csv", 6, "trouble-confidence"),
        ("t.csv", 7, "trouble-no-words"),
        ("t.csv", 8, "trouble-cells"),
        ("t.csv", 10, "trouble-quote"),
    ]


def test_a_quote_without_an_end_swallows_its_own_line_only() -> None:
    found = of({"t.csv": 'text\none\n"two\nthree\nfour\n'})
    assert texts(found.pieces) == ["one", "three", "four"]
    assert troubles(found) == [("t.csv", 3, "trouble-quote")]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "", "\n\n", '"', "day\n2024-05-27\n"])
def test_a_table_without_a_column_of_words_is_named_as_a_whole(text: str) -> None:
    assert troubles(of({"t.csv": text})) == [("t.csv", 1, "trouble-columns")]


def test_a_first_line_may_say_the_delimiter() -> None:
    pieces: Any = read("t.csv", "sep=;\ntext;day\na,b;2024-05-27\n")[0]
    assert [(one.line, one.draft.text) for one in pieces] == [(3, "a,b")]


@pytest.mark.parametrize(
    "text",
    [
        "text\n" + '"a""b\n' * 100_000,
        "text\n" + ",\n" * 200_000,
        "text\n" + '"' * 300_001,
        'text\n"a' + '\n""' * 100_000,
    ],
    ids=["open", "empty", "quotes", "pairs"],
)
def test_no_table_takes_long(text: str) -> None:
    read("t.csv", text)
