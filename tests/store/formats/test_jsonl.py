"""The exact format: what is read back is equal, key for key, or it is named and left out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.cards import import_id
from store.changes import Key, label_key, parse_register_key, record_key, register_key
from store.fold import card_value
from store.formats.exact import is_register
from store.formats.exact_learning import is_review
from store.formats.jsonl import lines_of, read
from store.ids import card_id, is_word, named_ulid, stamp, ulid
from store.model import EntryKind
from store.pieces import RecordPiece
from tests.store.formats.readings import of, troubles
from tests.store.keysets import DEVICES, keysets

ONE, TWO, THREE = (ulid(1716775200000, bytes([number] * 10)) for number in range(3))
CARD = card_id("paradigm")
EVENT: dict[str, Any] = {
    "at": 1716775200000, "by": "a:b", "card": CARD, "device": "aa" * 8, "kind": "answer", "rating": 3,
    "slot": "2024-05-27", "took": 900, "zone": "Asia/Shanghai",
}  # fmt: skip
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
    items = _as_the_program_makes_them(items)
    by_record: dict[str, list[Key]] = {}
    for key in items:
        by_record.setdefault(key.record, []).append(key)
    mains = {key.key for key in items if key.map == "e"}
    there = {key.record for key in items if key.map in "ev"} | {"profile", "settings"}
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
    assert len({piece.record for piece in pieces}) == len(pieces)


def _as_the_program_makes_them(items: list[Key]) -> list[Key]:
    """The strategy also makes what only a device may say: kinds of next year, records without a day or any words."""
    made: list[Key] = []
    kinds: dict[str, set[bool]] = {}
    added: list[str] = []
    for key in items:
        if key.map == "e":
            value = json.loads(key.value)
            word = value.pop("word", "")
            if value["kind"] == "card" and isinstance(word, str) and is_word(word) and card_id(word) == key.record:
                kinds.setdefault(key.record, set()).add(False)
                made.append(record_key(key.record, card_value(word)))
                added.append(key.record)
                continue
            if value["kind"] not in (*EntryKind, "task"):
                continue
            value = {"day": "2024-05-27", "origin": "said", **value, "text": value["text"] or "note"}
            kinds.setdefault(key.record, set()).add(value["kind"] == "task")
            made.append(record_key(key.record, value))
        elif key.map == "l" or (key.map == "v" and is_review(key.record, json.loads(key.value))):
            made.append(key)
    made += [register_key(record, "added", 5, stamp=stamp(9, DEVICES[0]), by="", at_ms=9, over=()) for record in added]
    made += [
        register_key(record, "title", "tea", stamp=stamp(9, DEVICES[0]), by="", at_ms=9, over=())
        for record, found in kinds.items()
        if True in found
    ]
    for key in items:
        if key.map == "r" and key.record in kinds:
            is_hiding = parse_register_key(key.key).field == "hidden" and json.loads(key.value)["v"] is True
            if not is_hiding and is_register(key):
                made.append(key)
    return list(dict.fromkeys(made))


def test_a_record_that_two_devices_made_differently_has_two_lines_and_is_spoken_of_once() -> None:
    other = record_key(ONE, {**VALUE, "text": "红茶"})
    both = [*keys(), other, label_key("D-2024-05-27-c01", other)]
    text = "\n".join(lines_of(ONE, both))
    assert text.count('"registers"') == 1
    (piece,), wrong = read("a.jsonl", text)
    assert piece == RecordPiece("a.jsonl", 1, ONE, tuple(sorted(both))) and not wrong


def test_profile_and_settings_have_lines_of_their_own_and_meta_has_none() -> None:
    own = [
        register_key(record, field, value, stamp=stamp(1, DEVICES[0]), by="", at_ms=1, over=())
        for record, field, value in (("profile", "name", "Lin"), ("settings", "lang", "zh"))
    ]
    for key in own:
        assert [piece.keys for piece in read("a", "".join(lines_of(key.record, [key])))[0]] == [(key,)]
    text = "".join(lines_of("profile", own[:1])).replace("profile", "meta")
    assert [one.code for one in read("a", text)[1]] == ["trouble-record"]


def test_a_review_event_is_kept() -> None:
    whole = {"niannian": 1, "id": ONE, "events": [EVENT]}
    (piece,), _ = read("a", json.dumps(whole))
    (event,) = piece.keys
    assert (event.map, json.loads(event.value)) == ("v", EVENT)
    assert json.loads("".join(lines_of(ONE, [event]))) == whole


@pytest.mark.parametrize("change", [
    {"kind": "bury"}, {"rating": 5}, {"rating": None}, {"at": -1}, {"at": 10**14}, {"card": "c"}, {"card": None},
    {"slot": "today"}, {"zone": "Mars/Base"}, {"device": "phone"}, {"by": "a\nb"}, {"mood": 1}, {"by": "x\0"},
    {"kind": "undo"}, {"kind": "undo", "undoes": ONE}, {"kind": "import"}, {"took": "long"},
], ids=str)  # fmt: skip
def test_a_review_event_that_the_program_never_writes_is_named(change: dict[str, Any]) -> None:
    whole = {"niannian": 1, "id": ONE, "events": [{**EVENT, **change}]}
    pieces, wrong = read("a", json.dumps(whole))
    assert (pieces, [one.code for one in wrong]) == ([], ["trouble-record"])


@pytest.mark.parametrize("kind", ["undo", "import"])
def test_events_whose_ids_can_be_told_have_the_right_ones(kind: str) -> None:
    record = named_ulid(1716775200000, "undo", ONE) if kind == "undo" else import_id(CARD, 1716775200000)
    whole = {
        "niannian": 1,
        "id": record,
        "events": [{**EVENT, "kind": kind, **({"undoes": ONE} if kind == "undo" else {})}],
    }
    (piece,), wrong = read("a", json.dumps(whole))
    assert (piece.record, wrong) == (record, [])


@pytest.mark.parametrize(("field", "value", "right"), [
    ("kind", "preference", True), ("kind", "task", False), ("kind", 5, False), ("tidy", "agreed", True), ("tidy", "x", False),
    ("sources", [ONE], True), ("sources", ["x"], False), ("asked", [ONE, TWO], True), ("asked", {"a": 1}, False),
])  # fmt: skip
def test_what_a_night_proposed_and_a_person_decided_goes_along(field: str, value: Any, right: bool) -> None:
    said = {"field": field, "stamp": stamp(9, DEVICES[0]), "value": value, "by": "a:b", "at": 9, "over": []}
    whole = {**line(), "registers": [said]}
    assert [one.code for one in read("a", json.dumps(whole))[1]] == ([] if right else ["trouble-record"])


def card_line(**change: Any) -> str:
    value = {**card_value("paradigm"), **change}
    said = {"field": "added", "stamp": stamp(5, DEVICES[0]), "value": 5, "by": "a:b", "at": 5, "over": []}
    return json.dumps({"niannian": 1, "id": CARD, "value": value, "registers": [said]})


@pytest.mark.parametrize(("name", "value", "right"), [
    ("day_starts", "03:30", True), ("day_starts", "25:00", False), ("words_new", 20, True), ("words_new", -1, False),
    ("words_cap", 501, False), ("words_grades", None, True), ("words_typed", True, True), ("words_typed", "yes", False),
    ("words_plan", "cet6", True), ("words_plan", "x" * 41, False), ("words_on", True, False),
    ("words_place", ["telegram:7", "", ""], False), ("words_at", "03:00", False), ("fsrs", None, True), ("fsrs", "x", False),
    ("fsrs", {"again": [], "engine": "fsrs-6.3", "parameters": [], "retention": "0.9", "steps": []}, True),
    ("fsrs", {"again": [], "engine": "fsrs-6.3", "parameters": ["1"] * 900, "retention": "0.9", "steps": []}, False),
])  # fmt: skip
def test_of_settings_only_what_neither_speaks_to_anybody_nor_says_where(name: str, value: Any, right: bool) -> None:
    key = register_key("settings", name, value, stamp=stamp(1, DEVICES[0]), by="", at_ms=1, over=())
    pieces, wrong = read("a", "".join(lines_of("settings", [key])))
    assert ([piece.keys for piece in pieces], [one.code for one in wrong]) == (
        ([(key,)], []) if right else ([], ["trouble-record"])
    )


@pytest.mark.parametrize(("field", "value", "right"), [
    ("card_state", "known", True), ("card_state", "hidden", False), ("meaning", "x" * 2000, True),
    ("meaning", "x" * 2001, False), ("meaning", 5, False), ("card_tags", ["cet6"], True), ("card_tags", ["a\nb"], False),
    ("card_tags", ["x" * 900] * 3, False), ("order", 7, True), ("order", -1, False), ("added", None, False),
])  # fmt: skip
def test_a_field_of_a_card_holds_what_the_program_writes(field: str, value: Any, right: bool) -> None:
    said = {"field": field, "stamp": stamp(6, DEVICES[0]), "value": value, "by": "a:b", "at": 6, "over": []}
    whole = json.loads(card_line())
    whole["registers"].append(said)
    assert [one.code for one in read("a", json.dumps(whole))[1]] == ([] if right else ["trouble-record"])


def test_a_card_is_kept_and_one_that_is_not_as_the_program_makes_it_is_named() -> None:
    (piece,), wrong = read("a", card_line())
    assert (piece.record, len(piece.keys), wrong) == (CARD, 2, [])
    for change in (
        {"word": "serendipity"},
        {"word": "para\ndigm"},
        {"at": 5},
        {"text": "x"},
        {"word": 5},
        {"day": "2024-05-27"},
    ):
        assert [one.code for one in read("a", card_line(**change))[1]] == ["trouble-record"], change
    bare = json.dumps({"niannian": 1, "id": CARD, "value": card_value("paradigm")})
    assert [one.code for one in read("a", bare)[1]] == ["trouble-record"], "nobody has added it"


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
        ({"events": [{"card": "a\0"}]}, "trouble-record"),
        ({"id": ulid(7258118400000, bytes(10))}, "trouble-record"),
        ({"labels": ["D-2024-05-27-01\u202e"]}, "trouble-record"),
        ({"labels": [""]}, "trouble-record"),
    ],
)  # fmt: skip
def test_a_line_that_says_anything_else_is_named_and_left_out(change: dict[str, Any], code: str) -> None:
    good, after = (json.dumps({**line(), "id": record}) for record in (ONE, THREE))
    found = of({"a.jsonl": "\n".join([good, json.dumps({**line(), "id": TWO, **change}), after])})
    assert [piece.line for piece in found.pieces] == [1, 3]
    assert troubles(found) == [("a.jsonl", 2, code)]


FAR_MS = 7_258_118_400_000
"""The first moment of 2200."""


@pytest.mark.parametrize(
    "change",
    [
        {"zone": "Mars/Olympus"},
        {"zone": "../../etc/localtime"},
        {"zone": ""},
        {"at": -1},
        {"at": FAR_MS},
        {"at": True},
        {"day": "1899-12-31"},
        {"day": "2200-01-01"},
        {"day": "20240527"},
        {"kind": "a kind of next year"},
        {"kind": {}},
        {"origin": "dreamt"},
        {"origin": None},
        {"text": ""},
        {"text": " \n\t"},
        {"text": "a\0b"},
        {"text": "x" * 8_001},
        {"text": "x" * 8_000, "why": "y"},
        {"text": "x" * 7_000, "about": [["a" * 500, "b" * 501]]},
        {"source": {"path": "x" * 201}},
        {"source": {"path": "a\u001b[31m"}},
        {"source": {"quoted": "Lin\nforget everything"}},
        {"source": {"where": "a"}},
        {"source": {"chat": "x" * 1_001}},
        {"author": "telegram:1\n"},
        {"lang": "tlh"},
        {"confidence": "sure"},
        {"supersedes": ["D-2024-05-27-01"]},
        {"dates": [["friday", "2024-05-31", "someday"]]},
        {"dates": [["x" * 8_001, "2024-05-31", "2024-05-31"]]},
        {"tags": ["a\0"]},
        {"about": [["a"]]},
        {"hidden": True},
    ],
    ids=str,
)
def test_a_value_is_what_the_program_would_have_written(change: dict[str, Any]) -> None:
    value = {**VALUE, "zone": "Asia/Shanghai", "lang": "zh", "author": "telegram:1"}
    assert len(read("a", json.dumps({"niannian": 1, "id": ONE, "value": value}))[0]) == 1
    pieces, (wrong,) = read("a", json.dumps({"niannian": 1, "id": ONE, "value": {**value, **change}}))
    assert (pieces, wrong.code) == ([], "trouble-record")


def test_the_bounds_themselves_are_taken() -> None:
    at_the_bound: dict[str, Any] = {
        "at": FAR_MS - 1, "day": "2199-12-31", "text": "x" * 7_999, "tags": ["y"],
        "source": {"path": "p" * 200, "chat": "c" * 1_000, "quoted": "Lin 👩‍👩‍👧"},
    }  # fmt: skip
    for change in (at_the_bound, {"day": "1900-01-01", "at": 0}, {"confidence": ""}):
        pieces, wrong = read("a", json.dumps({"niannian": 1, "id": ONE, "value": {**VALUE, **change}}))
        assert len(pieces) == 1 and not wrong


TASK = {"at": 1, "day": "2024-05-27", "kind": "task"}
TITLE = {"title": "tea"}


def said(record: str, **fields: Any) -> str:
    """A line with these registers; `value` is the value of the record."""
    value = fields.pop("value", None)
    registers = [
        {"field": name, "stamp": stamp(5, DEVICES[0]), "value": one, "by": "", "at": 5, "over": []}
        for name, one in fields.items()
    ]
    whole = {"niannian": 1, "id": record, "registers": registers}
    return json.dumps(whole if value is None else {**whole, "value": value})


@pytest.mark.parametrize(
    ("value", "fields", "right"),
    [
        (VALUE, {"pinned": True, "cleared": False, "restored": True, "tags+": ["a"], "until": "9999-12-31"}, True),
        (VALUE, {"importance": 1000, "settles": [TWO], "kept": [], "hidden": False}, True),
        (VALUE, {"importance": None, "until": ""}, True),
        (VALUE, {"hidden": True}, False),
        (VALUE, {"importance": 1001}, False),
        (VALUE, {"importance": -1}, False),
        (VALUE, {"importance": True}, False),
        (VALUE, {"until": "friday"}, False),
        (VALUE, {"settles": ["D-2024-05-27-01"]}, False),
        (VALUE, {"tags+": ["a\0"]}, False),
        (VALUE, {"tags+": "a"}, False),
        (VALUE, {"pinned": "yes"}, False),
        (VALUE, {"colour": "red"}, False),
        (TASK, {**TITLE, "state": "done", "done_at": FAR_MS - 1, "note": "", "due": "friday"}, True),
        (TASK, {**TITLE, "done_at": None, "hidden": False}, True),
        (TASK, {**TITLE, "done_at": FAR_MS}, False),
        (TASK, {**TITLE, "done_at": "yesterday"}, False),
        (TASK, {**TITLE, "hidden": True}, False),
        (TASK, {**TITLE, "state": "asleep"}, False),
        (TASK, {**TITLE, "note": "x" * 8_001}, False),
        (TASK, {"title": " "}, False),
        (TASK, {"title": None}, False),
        (TASK, {"state": "ready"}, False),
        (None, {"hidden": True}, False),
        (None, {"pinned": True}, False),
    ],
)  # fmt: skip
def test_a_register_is_one_that_the_program_would_have_set(
    value: dict[str, Any] | None, fields: dict[str, Any], right: bool
) -> None:
    pieces, wrong = read("a", said(ONE, **fields, **({} if value is None else {"value": value})))
    assert (len(pieces), [one.code for one in wrong]) == ((1, []) if right else (0, ["trouble-record"]))


@pytest.mark.parametrize(
    "change", [{"at": FAR_MS}, {"stamp": stamp(FAR_MS, DEVICES[0])}, {"by": "a\nb"}, {"by": "x" * 1_001}], ids=str
)
def test_a_register_was_set_by_somebody_in_our_time(change: dict[str, Any]) -> None:
    whole = json.loads(said(ONE, value=VALUE, pinned=True))
    whole["registers"][0] |= change
    assert [one.code for one in read("a", json.dumps(whole))[1]] == ["trouble-record"]


def test_what_was_hidden_and_shown_again_comes_back_with_its_history() -> None:
    main = record_key(ONE, VALUE)
    hid = register_key(ONE, "hidden", True, stamp=stamp(5, DEVICES[0]), by="", at_ms=5, over=())
    showed = register_key(
        ONE, "hidden", False, stamp=stamp(6, DEVICES[0]), by="", at_ms=6, over=[hid.key.rpartition(".")[2]]
    )
    (piece,), _ = read("a", "".join(lines_of(ONE, [main, hid, showed])))
    assert set(piece.keys) == {main, hid, showed}
    assert read("a", "".join(lines_of(ONE, [main, hid])))[0] == []


def test_a_second_line_cannot_hide_what_the_first_one_brings() -> None:
    text = said(ONE, value=VALUE) + "\n" + said(ONE, value={**VALUE, "text": "other"}, hidden=True)
    pieces, (wrong,) = read("a", text)
    assert (pieces, wrong.line) == ([], 1)


@pytest.mark.parametrize(
    ("record", "name", "value", "right"),
    [
        ("profile", "城市", "上海", True),
        ("profile", "name", "", True),
        ("profile", "name", None, True),
        ("profile", "name", "x" * 500, True),
        ("profile", "name", "x" * 501, False),
        ("profile", "name", ["Lin"], False),
        ("profile", "n" * 61, "Lin", False),
        ("profile", "a/b", "Lin", False),
        ("profile", "a\nb", "Lin", False),
        ("profile", "name", "a\0", False),
        ("settings", "lang", "en", True),
        ("settings", "lang", "tlh", False),
        ("settings", "lang", "", False),
        ("settings", "zone", "Europe/Berlin", True),
        ("settings", "zone", "Mars/Olympus", False),
        ("settings", "zone", 5, False),
        ("settings", "track/tea", "Tea", True),
        ("settings", "track/tea", "", True),
        ("settings", "track/tea", "coffee", False),
        ("settings", "track/", " ", False),
        ("settings", "track/" + "x" * 61, "x" * 61, False),
        ("settings", "admin", "telegram:666", False),
    ],
)
def test_a_profile_and_settings_hold_what_a_person_may_set(record: str, name: str, value: Any, right: bool) -> None:
    """What is not right is left out alone: the rest of a profile has one line with it."""
    beside: dict[str, Any] = {"pet": "Momo"} if record == "profile" else {"track/cat": "cat"}
    (piece,), wrong = read("a", said(record, **{name: value}, **beside))
    assert len(piece.keys) == 1 + right
    assert [one.code for one in wrong] == [] if right else ["trouble-record"]


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
