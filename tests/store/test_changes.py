"""What a change may contain: every refusal by name, the one spelling of JSON, the bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.changes import (
    CHANGE_BYTES_MAX,
    COMMIT_BYTES_MAX,
    COMMIT_RECORDS_MAX,
    JSON_DEPTH_MAX,
    KEY_BYTES_MAX,
    LABEL_BYTES_MAX,
    OPS_MAX,
    VALUE_BYTES_MAX,
    Key,
    batches,
    canonical,
    check_change,
    check_key,
    label_key,
    parse_label_key,
    parse_record_key,
    parse_register_key,
    record_key,
    register_key,
)
from store.errors import Malformed
from store.ids import digest, ulid
from tests.store.effort import QUICK

ID = ulid(1716775200000, bytes(10))
STAMP = "001716775200000-0001020304050607"
RECORD = record_key(ID, {"text": "hello"})
LABEL = label_key("D-2024-05-27-01", RECORD)
REGISTER = register_key(ID, "hidden", True, stamp=STAMP, by="terminal:lin", at_ms=1, over=())
REVIEW = Key("v", f"{ID}.{digest('{}')}", "{}")


def written(value: str, *, map_name: str = "e") -> Key:
    """A key whose digest is right, whatever the value."""
    return Key(map_name, f"{ID}.{digest(value)}", value)


def register(value: object, *, field: str = "hidden", stamp: str = STAMP, record: str = ID) -> Key:
    text = value if isinstance(value, str) else canonical(value)  # type: ignore[arg-type]
    return Key("r", f"{record}/{field}/{stamp}.{digest(text)}", text)


def refused(item: Key) -> str:
    with pytest.raises(Malformed) as raised:
        check_key(item)
    return raised.value.code


@pytest.mark.parametrize("item", [RECORD, LABEL, REGISTER, REVIEW], ids="elrv")
def test_each_map_takes_its_own_keys(item: Key) -> None:
    check_key(item)


def test_keys_tell_their_parts() -> None:
    assert parse_record_key(RECORD.key) == (ID, digest(RECORD.value))
    assert parse_label_key(LABEL.key) == ("D-2024-05-27-01", ID, digest(RECORD.value))
    name = parse_register_key(REGISTER.key)
    assert (name.record, name.field, name.stamp_ms, name.device, name.digest) == (
        ID, "hidden", 1716775200000, "0001020304050607", digest(REGISTER.value),
    )  # fmt: skip
    assert {item.record for item in (RECORD, LABEL, REGISTER, REVIEW)} == {ID}


def test_a_register_field_may_hold_slashes() -> None:
    item = register_key("meta", "erased/D-2024-05-27-01", True, stamp=STAMP, by="", at_ms=1, over=())
    check_key(item)
    assert item.record == "meta"
    assert parse_register_key(item.key).field == "erased/D-2024-05-27-01"


@pytest.mark.parametrize("map_name", ["", "x", "E", "ee"])
def test_a_fifth_map_is_refused(map_name: str) -> None:
    assert refused(Key(map_name, RECORD.key, RECORD.value)) == "malformed-map"


@pytest.mark.parametrize(
    "item",
    [
        Key("e", ID, RECORD.value),
        Key("e", f"{ID}.", RECORD.value),
        Key("e", f"{ID.lower()}.{digest(RECORD.value)}", RECORD.value),
        Key("e", f"8{ID[1:]}.{digest(RECORD.value)}", RECORD.value),
        Key("e", f"{RECORD.key}\n", RECORD.value),
        Key("e", f"{ID}.{digest(RECORD.value).upper()}", RECORD.value),
        Key("l", f"/{RECORD.key}", ""),
        Key("l", RECORD.key, ""),
        Key("l", f"a/b/{RECORD.key}", ""),
        Key("r", RECORD.key, REGISTER.value),
        Key("r", REGISTER.key.replace("/hidden/", "//"), REGISTER.value),
        Key("r", REGISTER.key.replace(ID, "other"), REGISTER.value),
        Key("r", REGISTER.key.replace("-0001", "-001"), REGISTER.value),
        Key("r", REGISTER.key.replace("/00171", "/0171"), REGISTER.value),
        Key("v", "review.x", "{}"),
    ],
)  # fmt: skip
def test_a_key_of_another_shape_is_refused(item: Key) -> None:
    assert refused(item) == "malformed-key"


def test_a_key_ends_at_its_bound() -> None:
    room = KEY_BYTES_MAX - len(register("{}").key) + len("hidden")
    value = {"at": 1, "by": "", "over": [], "v": 1}
    check_key(register(value, field="f" * room))
    assert refused(register(value, field="f" * (room + 1))) == "malformed-key-length"
    assert refused(register(value, field="字" * (room // 3 + 1))) == "malformed-key-length"


def test_a_label_ends_at_its_bound() -> None:
    check_key(label_key("L" * LABEL_BYTES_MAX, RECORD))
    assert refused(label_key("L" * (LABEL_BYTES_MAX + 1), RECORD)) == "malformed-label"


def test_a_label_has_no_value() -> None:
    assert refused(Key("l", LABEL.key, "x")) == "malformed-label"


def test_a_value_ends_at_its_bound() -> None:
    room = VALUE_BYTES_MAX - len(canonical({"text": ""}))
    check_key(record_key(ID, {"text": "x" * room}))
    assert refused(record_key(ID, {"text": "x" * (room + 1)})) == "malformed-value-length"
    assert refused(record_key(ID, {"text": "字" * (room // 3 + 1)})) == "malformed-value-length"


@pytest.mark.parametrize("item", [RECORD, REGISTER, REVIEW], ids="erv")
def test_a_value_that_was_changed_no_longer_fits_its_key(item: Key) -> None:
    """Measured with plain keys: any member turned "pay 100" into "pay 900" unseen."""
    longer = {**json.loads(item.value), "at": 900, "by": "x", "over": [], "v": 900}
    assert refused(Key(item.map, item.key, canonical(longer))) == "malformed-digest"


@pytest.mark.parametrize(
    "value",
    [
        "", "null", "1", '"text"', "[]", "{", '{"a":1}\n', '{"a": 1}', '{"b":1,"a":2}', '{"a":1,"a":1}', "{'a':1}",
        '{"a":1.0}', '{"a":1e2}', '{"a":[{"b":0.5}]}', '{"a":-0}', '{"a":NaN}', '{"a":Infinity}', '{"a":1e999}',
        '{"a":"\\u8bb0"}', '{"a":"\\ud800"}', '{"a":"\\/"}', '{"a":01}', '{"a":' + "9" * 5000 + "}",
        '{"\\uff21":1,"a":1}',
    ],
)  # fmt: skip
def test_another_spelling_of_json_is_refused(value: str) -> None:
    assert refused(written(value)) == "malformed-json"
    assert refused(written(value, map_name="v")) == "malformed-json"
    assert refused(register(value)) == "malformed-json"


def nested(depth: int) -> str:
    return '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


def test_nesting_ends_at_its_bound() -> None:
    """Each runtime breaks at another depth; ours must not be what decides."""
    check_key(written(nested(JSON_DEPTH_MAX)))
    for depth in (JSON_DEPTH_MAX + 1, 400, 700, 20_000):
        assert refused(written(nested(depth))) == "malformed-json"
    assert refused(written('{"a":' * 400 + "1" + "}" * 400)) == "malformed-json"


def test_half_a_surrogate_pair_is_refused() -> None:
    assert refused(Key("e", RECORD.key, '{"a":"\ud800"}')) == "malformed-text"
    assert refused(Key("l", f"\ud800/{RECORD.key}", "")) == "malformed-text"


@pytest.mark.parametrize(
    "change",
    [
        {"v": ...}, {"at": ...}, {"by": ...}, {"over": ...}, {"more": 1}, {"at": "1"}, {"at": True}, {"at": None},
        {"by": 5}, {"by": None}, {"over": None}, {"over": "x"}, {"over": [1]}, {"over": ["short"]},
        {"over": ["A" * 16]}, {"over": ["b" * 16, "a" * 16]}, {"over": ["a" * 16, "a" * 16]},
    ],
)  # fmt: skip
def test_a_register_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    whole = {"at": 1, "by": "terminal:lin", "over": ["a" * 16, "b" * 16], "v": None, **change}
    value = {name: item for name, item in whole.items() if item is not ...}
    assert refused(register(value)) == "malformed-register"


def test_a_register_may_hold_any_json() -> None:
    for value in (None, True, 0, "", [], {}, ["a" * 16, {"b": [1]}]):
        check_key(register({"at": -1, "by": "", "over": ["a" * 16, "b" * 16], "v": value}))


# JSON

NUMBERS = st.integers(-(10**30), 10**30)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@QUICK
@given(VALUES)
def test_canonical_json_is_read_back_as_itself(value: Any) -> None:
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@QUICK
@given(st.dictionaries(TEXTS, st.integers(0, 9), min_size=2, max_size=8))
def test_keys_are_sorted_by_their_bytes(value: dict[str, Any]) -> None:
    spelled = list(json.loads(canonical(value)))
    assert spelled == sorted(value, key=str.encode)


def test_an_astral_letter_comes_after_the_whole_basic_plane() -> None:
    """JavaScript sorts by UTF-16 units and would put 😀 before ｡."""
    assert canonical({"😀": 1, "｡": 2}) == '{"｡":2,"😀":1}'
    assert (
        canonical({"文": "é\n\x7f\u2028", "a": [1, -2, None, True]}) == '{"a":[1,-2,null,true],"文":"é\\n\x7f\u2028"}'
    )


def test_what_is_no_number_is_never_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"a": float("nan")})  # type: ignore[dict-item]


@QUICK
@given(VALUES)
def test_every_object_becomes_a_key_that_is_accepted(value: Any) -> None:
    check_key(record_key(ID, {"a": value}))
    check_key(register_key(ID, "f", value, stamp=STAMP, by="b", at_ms=1, over={"b" * 16, "a" * 16}))


# changes


def many(count: int, size: int = 0) -> list[Key]:
    return [record_key(ulid(number, bytes(10)), {"t": "x" * size}) for number in range(count)]


def refused_change(items: list[Key]) -> str:
    with pytest.raises(Malformed) as raised:
        check_change(items)
    return raised.value.code


def test_a_change_has_a_first_and_a_last_operation() -> None:
    assert refused_change([]) == "malformed-op-count"
    check_change(many(OPS_MAX))
    assert refused_change(many(OPS_MAX + 1)) == "malformed-op-count"


def test_a_change_ends_at_its_size() -> None:
    whole = many(4, size=60_000)
    left = CHANGE_BYTES_MAX - sum(len(item.key) + len(item.value) for item in whole)
    over = len(RECORD.key) + len(canonical({"t": ""}))
    check_change([*whole, record_key(ID, {"t": "x" * (left - over)})])
    assert refused_change([*whole, record_key(ID, {"t": "x" * (left - over + 1)})]) == "malformed-change-length"


def test_a_change_sets_a_key_once() -> None:
    assert refused_change([RECORD, LABEL, RECORD]) == "malformed-repeated-key"
    assert refused_change([RECORD, Key("e", RECORD.key, "{}")]) == "malformed-repeated-key"


def test_one_bad_key_spoils_a_change() -> None:
    assert refused_change([RECORD, Key("e", RECORD.key[:-1] + "2", RECORD.value)]) == "malformed-digest"


# batches


def sizes(items: list[Key]) -> list[int]:
    return [len(batch) for batch in batches(items)]


def test_batches_end_at_their_number_of_records() -> None:
    assert sizes([]) == []
    assert sizes(many(COMMIT_RECORDS_MAX)) == [COMMIT_RECORDS_MAX]
    assert sizes(many(COMMIT_RECORDS_MAX + 1)) == [COMMIT_RECORDS_MAX, 1]


def test_batches_end_at_their_size() -> None:
    first = record_key(ID, {"t": "x"})
    rest = COMMIT_BYTES_MAX - len(first.key) - len(first.value)
    over = len(first.key) + len(canonical({"t": ""}))
    fitting = record_key(ulid(5, bytes(10)), {"t": "x" * (rest - over)})
    longer = record_key(ulid(5, bytes(10)), {"t": "x" * (rest - over + 1)})
    assert sizes([first, fitting]) == [2]
    assert sizes([first, longer]) == [1, 1]


@QUICK
@given(st.lists(st.integers(0, 60_000), max_size=12))
def test_batches_keep_every_key_in_order_and_are_changes(lengths: list[int]) -> None:
    items = [record_key(ulid(number, bytes(10)), {"t": "x" * size}) for number, size in enumerate(lengths)]
    made = list(batches(items))
    assert [item for batch in made for item in batch] == items
    for batch in made:
        check_change(batch)
