"""Ids that sort by time, digests, and the labels people quote."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.ids import (
    ULID_PATTERN,
    Series,
    digest,
    label,
    label_parts,
    lane_after,
    lane_order,
    message_ulid,
    parse_label,
    stamp,
    ulid,
    ulid_time_ms,
)
from tests.store.effort import QUICK

TIMES = st.integers(0, (1 << 48) - 1)
RANDOM = st.binary(min_size=10, max_size=10)
LANES = st.sampled_from(["", "b", "c", "z", "aa", "x0a1", "x001", "x123", "xfff"])
DAYS = st.dates(date(2000, 1, 1), date(2099, 12, 31))


def test_the_specifications_own_example() -> None:
    """`01ARYZ6S41…` is the spec's ULID for 1469918176385 ms."""
    assert ulid(1469918176385, bytes.fromhex("d6764c61efb99302bd5b")) == "01ARYZ6S41TSV4RRFFQ69G5FAV"
    assert ulid_time_ms(ulid(1469918176385, bytes(10))) == 1469918176385


def test_the_smallest_and_the_greatest_ulid() -> None:
    assert ulid(0, bytes(10)) == "0" * 26
    assert ulid((1 << 48) - 1, b"\xff" * 10) == "7" + "Z" * 25


@QUICK
@given(TIMES, RANDOM, TIMES, RANDOM)
def test_ulids_sort_as_time_then_randomness(first_ms: int, first: bytes, second_ms: int, second: bytes) -> None:
    one, other = ulid(first_ms, first), ulid(second_ms, second)
    assert (one < other) == ((first_ms, first) < (second_ms, second))
    assert ULID_PATTERN.fullmatch(one)
    assert ulid_time_ms(one) == first_ms


def test_one_message_has_one_id_for_ever() -> None:
    """Pinned: a retry after an upgrade must find the entry that the first try made."""
    assert message_ulid(1716775200000, "telegram", "telegram:5001", "77", "0") == "01HYVWD980A035V5GZWTH7XQ2G"
    assert message_ulid(1716775200000, "a", "bc") != message_ulid(1716775200000, "ab", "c")


def test_digests_are_eighty_bits_of_sha_256() -> None:
    assert digest("") == "4oymiquy7qobjgx3"
    assert digest("记住") == "xghrlor2lely5h2x"


def test_stamps_sort_as_text() -> None:
    assert stamp(7, "00" * 8) == "000000000000007-0000000000000000"
    assert stamp(999, "ff" * 8) < stamp(1000, "00" * 8)


@pytest.mark.parametrize(
    ("series", "lane", "number", "shown"),
    [
        (Series.ENTRY, "", 1, "D-2024-05-27-01"),
        (Series.ENTRY, "b", 1, "D-2024-05-27-b01"),
        (Series.ENTRY, "", 100, "D-2024-05-27-100"),
        (Series.TASK, "", 9, "T-240527-09"),
        (Series.TASK, "aa", 12, "T-240527-aa12"),
        (Series.CHECKPOINT, "", 3, "AUTO-20240527-03"),
        (Series.CHECKPOINT, "x0f3", 3, "AUTO-20240527-x0f303"),
    ],
)
def test_the_three_series_and_their_lanes(series: str, lane: str, number: int, shown: str) -> None:
    assert label(series, date(2024, 5, 27), lane, number) == shown
    assert parse_label(shown) == shown


@QUICK
@given(st.sampled_from(["D", "T", "AUTO"]), DAYS, LANES, st.integers(1, 9999))
def test_every_label_is_read_back_as_itself(series: str, day: date, lane: str, number: int) -> None:
    shown = label(series, day, lane, number)
    assert parse_label(shown) == shown
    parts = label_parts(shown)
    assert parts is not None
    assert (parts.series, parts.lane, parts.number) == (series, lane, number)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("d-2024-05-27-01", "D-2024-05-27-01"),
        ("D-2024-5-27-1", "D-2024-05-27-01"),
        ("Ｄ－２０２４－０５－２７－０１", "D-2024-05-27-01"),
        (" D-2024-05-27-0001 ", "D-2024-05-27-01"),
        ("D-2024-05-27-B1", "D-2024-05-27-b01"),
        ("t-240527-1", "T-240527-01"),
        ("auto-20240527-1", "AUTO-20240527-01"),
        ("T-240527-X0011", "T-240527-x11"),
        ("T-240527-X00101", "T-240527-x00101"),
    ],
)
def test_case_width_and_missing_zeros_are_forgiven(typed: str, meant: str) -> None:
    assert parse_label(typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "", "D", "D-2024-05-27", "D-2024-05-27-", "D-24-05-27-01", "X-2024-05-27-01", "T-2024-05-27-01",
        "D-2024-05-27-01 and more", "D-2024-05-27-01-02", "D-2024-05-27-abcde01", "D-2024-05-27-1234567",
        "AUTO-240527-01", "T-٢٤٠٥٢٧-01", "D-2024-05-27-٠١", "D-2024-05-27-é01", "D-2024-05-27-01" + "0" * 30,
        "D-2024-05-27-01\0",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_label_is_none(typed: str) -> None:
    assert parse_label(typed) is None


@QUICK
@given(st.text(max_size=60))
def test_any_text_is_a_label_or_none(text: str) -> None:
    found = parse_label(text)
    assert found is None or parse_label(found) == found


def test_lanes_are_ordered_as_they_were_given_out() -> None:
    assert sorted(["aa", "c", "", "z", "b", "x0f3"], key=lane_order) == ["", "b", "c", "z", "aa", "x0f3"]


def test_lanes_follow_one_another_like_columns_of_a_sheet() -> None:
    given_out: list[str] = []
    while len(given_out) < 60:
        given_out.append(lane_after(given_out))
    assert given_out[:3] == ["", "b", "c"]
    assert given_out[24:28] == ["y", "z", "aa", "ab"]
    assert given_out == sorted(given_out, key=lane_order)
    assert len(set(given_out)) == 60
