"""The part of CBOR we speak: one spelling, nothing built from a stranger's bytes before they were looked at."""

from __future__ import annotations

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.cbor import DEPTH_MAX, _end, decode, encode
from sync.errors import Malformed
from tests.store.effort import COSTLY, QUICK


def refusal(data: bytes) -> str:
    with pytest.raises(Malformed) as raised:
        decode(data, "x")
    return raised.value.code


VALUES = st.recursive(
    st.integers(0, 2**64 - 1) | st.binary(max_size=30) | st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.integers(0, 23) | st.binary(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max((depth(one) for one in value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 1


@COSTLY
@given(VALUES.filter(lambda value: depth(value) <= DEPTH_MAX))
def test_decode_undoes_encode(value: object) -> None:
    assert decode(encode(value), "x") == value


@QUICK
@given(st.binary(max_size=40))
def test_what_is_read_is_written_again_byte_for_byte(data: bytes) -> None:
    try:
        value = decode(data, "x")
    except Malformed:
        return
    assert encode(value) == data


@pytest.mark.parametrize(
    "wrong",
    [
        "", "1c", "1f", "18", "1900", "1a000000", "1b00000000000000", "41", "4201", "5f4101ff", "61", "61ff", "6261",
        "81", "8201", "9f01ff", "a1", "a101", "a20101", "bf0101ff", "9b7fffffffffffffff", "bb7fffffffffffffff",
        "5b7fffffffffffffff", "5a7fffffff", "20", "3863", "c001", "c249010000000000000000", "d81c80", "d81d00",
        "f4", "f5", "f6", "f7", "f93c00", "fb3ff0000000000000", "ff", "0000", "80" * 2, "a1f401",
    ],
)  # fmt: skip
def test_what_is_cut_off_or_none_of_ours_is_refused(wrong: str) -> None:
    assert refusal(bytes.fromhex(wrong)) == "x-cbor"


@pytest.mark.parametrize(
    "other", ["1800", "1817", "190018", "1a00000100", "1b00000000ffffffff", "5801ff", "780161", "9800",
              "b800", "a202010101", "a201010101"],
)  # fmt: skip
def test_another_spelling_is_refused(other: str) -> None:
    assert refusal(bytes.fromhex(other)) == "x-spelling"


def test_nesting_ends_at_its_bound() -> None:
    assert decode(b"\x81" * (DEPTH_MAX - 1) + b"\0", "x")
    for deep in (DEPTH_MAX, 1000, 100_000):
        assert refusal(b"\x81" * deep + b"\0") == "x-cbor"


def test_the_scan_ends_where_the_item_ends() -> None:
    for value in (0, 23, 24, 255, 256, 65536, 2**32, b"", b"x" * 300, "字", [1, [2]], {1: {b"x": [3]}}):
        data = cbor2.dumps(value, canonical=True)
        assert _end(data + b"tail", 0, DEPTH_MAX) == len(data)
