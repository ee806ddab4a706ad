"""Memories that mem0 exports, in both shapes, with the moment where it is known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from store.formats.mem0 import read
from tests.store.formats.readings import entries, of, texts, troubles

ITEMS: list[dict[str, Any]] = [
    {
        "id": "m-1", "memory": "Likes 绿茶", "user_id": "lin", "hash": "x", "score": None,
        "created_at": "2024-05-27T10:00:00-07:00", "categories": ["food_preference"], "metadata": {"type": "taste", "n": 3, "deep": {}},
    },
    {"id": "m-2", "memory": "Works at TechCorp", "created_at": "2024-05-28", "updated_at": None, "categories": None},
]  # fmt: skip


@pytest.mark.parametrize(
    "shape", [ITEMS, {"results": ITEMS}, {"count": 2, "memories": ITEMS, "next": None}], ids=["list", "results", "memories"]
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 2])
def test_every_shape_is_read(shape: Any, indent: int | None) -> None:
    found = of({"export.json": json.dumps(shape, indent=indent, ensure_ascii=False)})
    assert found.format == "mem0"
    first, second = entries(found)
    assert (first.draft.text, first.draft.kind.value, first.draft.tags) == (
        "Likes 绿茶",
        "preference",
        ("food_preference",),
    )
    assert first.draft.about == (("id", "m-1"), ("user_id", "lin"), ("type", "taste"), ("n", "3"))
    assert (first.at_ms, first.day) == (1716829200000, "")
    assert (second.at_ms, second.day) == (None, "2024-05-28")


def test_lines_are_where_each_one_begins() -> None:
    text = '[\n {"memory": "a"},\n {\n  "memory": "b"}\n]'
    assert [one.line for one in read("e.json", text)[0]] == [2, 3]


def test_what_is_broken_is_named_and_what_stands_before_is_taken() -> None:
    found = of({"e.json": '{"results": [\n{"memory":"a"},\n{"id":"x"},\n7,\n{"memory":"b"},\n{"memory": oh}\n]}'})
    assert texts(found.pieces) == ["a", "b"]
    assert troubles(found) == [("e.json", n, "trouble-json") for n in (3, 4, 6)]


@pytest.mark.parametrize("moment", ["1969-01-01T00:00:00Z", "2199-12-31T23:59:59", "soon", 5])
def test_moments_that_no_clock_of_ours_shows_are_none(moment: Any) -> None:
    assert entries(of({"e.json": json.dumps([{"memory": "a", "created_at": moment}])}))[0].at_ms is None


@pytest.mark.parametrize(
    "moment",
    [
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59-12:00",
        "2199-12-31T23:59:59-12:00",
        "0001-01-01T00:00:00+12:00",
        "0001-01-01",
        "2200-01-01 or so",
    ],
)
def test_a_moment_in_no_year_of_ours_is_named_and_left_out(moment: str) -> None:
    found = of({"e.json": json.dumps([{"memory": "a", "created_at": moment}]) + "\n"})
    assert (found.pieces, troubles(found)) == ([], [("e.json", 1, "trouble-day")])
