"""The exact format: what is read back is equal, key for key, or it is named and left out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.changes import Key, label_key, record_key, register_key
from store.formats.jsonl import lines_of, read
from store.ids import stamp, ulid
from store.pieces import RecordPiece
from tests.store.formats.readings import of, troubles
from tests.store.keysets import DEVICES, keysets

ONE = ulid(1716775200000, bytes(10))
VALUE: dict[str, Any] = {"at": 1, "day": "2024-05-27", "kind": "fact", "origin": "said", "text": '绿茶 " \\ \n 😀'}


def keys() -> list[Key]:
    main = record_key(ONE, VALUE)
    first = register_key(ONE, "pinned", True, stamp=stamp(5, DEVICES[0]), by="a:b", at_ms=5, over=())
    over = first.key.rpartition(".")[2]
    second = register_key(ONE, "pinned", None, stamp=stamp(6, DEVICES[1]), by="", at_ms=6, over=[over])
    return [main, label_key("D-2024-05-27-01", main), label_key("D-2024-05-27-b01", main), first, second]


def line() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads("".join(lines_of(ONE, keys())))
    return loaded


def test_a_record_is_one_line_that_says_everything() -> None:
    found = line()
    assert list(found) == ["niannian", "id", "labels", "value", "registers"]
    assert found["labels"] == ["D-2024-05-27-01", "D-2024-05-27-b01"]
    assert found["value"] == VALUE
    assert found["registers"][0] == {
        "field": "pinned", "stamp": stamp(5, DEVICES[0]), "value": True, "by": "a:b", "at": 5, "over": [],
    }  # fmt: skip


def test_it_is_read_back_equal() -> None:
    (piece,), wrong = read("a.jsonl", "".join(lines_of(ONE, keys())))
    assert (piece, wrong) == (RecordPiece("a.jsonl", 1, ONE, tuple(sorted(keys()))), [])


@given(keysets())
def test_any_set_of_keys_comes_back_but_for_what_belongs_to_no_record(items: list[Key]) -> None:
    """Left behind: `meta`, labels and registers of records that are not here, labels of versions that are not."""
    items = [_with_day(key) for key in items]
    by_record: dict[str, list[Key]] = {}
    for key in items:
        by_record.setdefault(key.record, []).append(key)
    by_record.pop("meta", None)
    mains = {key.key for key in items if key.map == "e"}
    there = {key.record for key in items if key.map == "e"} | {"profile", "settings"}
    text = "\n".join(part for record, own in by_record.items() for part in lines_of(record, own))
    pieces, wrong = read("a.jsonl", text)
    assert not wrong
    expected = {
        key
        for own in by_record.values()
        for key in own
        if key.record in there and (key.map != "l" or key.key.partition("/")[2] in mains)
    }
    assert {key for piece in pieces for key in piece.keys} == expected


def _with_day(key: Key) -> Key:
    """The keys of the strategy are of records without a day, which no device takes from another."""
    if key.map == "e":
        return record_key(key.record, {"day": "2024-05-27", "origin": "said", **json.loads(key.value)})
    if key.map == "l":
        return key
    return key


def test_a_record_that_two_devices_made_differently_has_two_lines_and_is_spoken_of_once() -> None:
    other = record_key(ONE, {**VALUE, "text": "红茶"})
    both = [*keys(), other, label_key("D-2024-05-27-c01", other)]
    text = "\n".join(lines_of(ONE, both))
    assert text.count('"registers"') == 1
    pieces, wrong = read("a.jsonl", text)
    assert [piece.line for piece in pieces] == [1, 2] and not wrong
    assert sorted(key for piece in pieces for key in piece.keys) == sorted(both)


def test_profile_and_settings_have_lines_of_their_own_and_meta_has_none() -> None:
    own = [
        register_key(record, "name", "Lin", stamp=stamp(1, DEVICES[0]), by="", at_ms=1, over=())
        for record in ("profile", "settings")
    ]
    for key in own:
        assert [piece.keys for piece in read("a", "".join(lines_of(key.record, [key])))[0]] == [(key,)]
    text = "".join(lines_of("profile", own[:1])).replace("profile", "meta")
    assert [one.code for one in read("a", text)[1]] == ["trouble-record"]


def test_a_review_event_is_kept() -> None:
    event = Key("v", "x", "")
    whole = {"niannian": 1, "id": ONE, "events": [{"card": "c", "grade": 3}]}
    (piece,), _ = read("a", json.dumps(whole))
    (event,) = piece.keys
    assert (event.map, json.loads(event.value)) == ("v", {"card": "c", "grade": 3})
    assert json.loads("".join(lines_of(ONE, [event]))) == whole


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"niannian": 2}, "trouble-newer"),
        ({"niannian": True}, "trouble-record"),
        ({"niannian": "1"}, "trouble-record"),
        ({"id": "meta"}, "trouble-record"),
        ({"id": ONE.lower()}, "trouble-record"),
        ({"id": 5}, "trouble-record"),
        ({"value": [1]}, "trouble-record"),
        ({"value": {**VALUE, "at": 1.5}}, "trouble-record"),
        ({"value": {**VALUE, "day": "2024-02-31"}}, "trouble-record"),
        ({"value": {**VALUE, "text": "\ud800"}}, "trouble-record"),
        ({"value": {**VALUE, "text": "x" * 70_000}}, "trouble-record"),
        ({"value": None}, "trouble-record"),
        ({"labels": ["a/b"]}, "trouble-record"),
        ({"labels": [5]}, "trouble-record"),
        ({"labels": 5}, "trouble-record"),
        ({"labels": ["x" * 81]}, "trouble-record"),
        ({"registers": [{}]}, "trouble-record"),
        ({"registers": [5]}, "trouble-record"),
        ({"registers": [{**line()["registers"][0], "stamp": "1-2"}]}, "trouble-record"),
        ({"registers": [{**line()["registers"][0], "over": ["a"]}]}, "trouble-record"),
        ({"registers": [{**line()["registers"][0], "over": 5}]}, "trouble-record"),
        ({"registers": [{**line()["registers"][0], "at": -1}]}, "trouble-record"),
        ({"registers": [{**line()["registers"][0], "field": "x" * 200}]}, "trouble-record"),
        ({"events": [float("inf")]}, "trouble-record"),
        ({"events": "ab"}, "trouble-record"),
    ],
)  # fmt: skip
def test_a_line_that_says_anything_else_is_named_and_left_out(change: dict[str, Any], code: str) -> None:
    good = "".join(lines_of(ONE, keys())) + "\n"
    found = of({"a.jsonl": good + json.dumps({**line(), **change}) + "\n" + good})
    assert [piece.line for piece in found.pieces] == [1, 3]
    assert troubles(found) == [("a.jsonl", 2, code)]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1]",
        "null",
        "[" * 50_000,
        f'{{"niannian":1,"id":"{ONE}","value":' + '{"a":' * 5000 + "1" + "}" * 5001,
        "9" * 5000,
    ],
)
def test_what_is_no_object_is_named(text: str) -> None:
    good = "".join(lines_of(ONE, keys())) + "\n"
    found = of({"a.jsonl": good + text + "\n"})
    assert [(line, code.removesuffix("json").removesuffix("record")) for _, line, code in troubles(found)] == [
        (2, "trouble-")
    ]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["niannian", "id", "value", "labels", "registers", "events", "field", "stamp"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_json_breaks_the_reader(value: Any) -> None:
    read("a", json.dumps(value))
    if isinstance(value, dict):
        read("a", json.dumps({"niannian": 1, "id": ONE, **value}))
