"""What each filter reads, in both languages, and what it refuses."""

from __future__ import annotations

from datetime import date

import pytest

from store.filters import FILTER_NAMES, Asked, Filter, FilterName, Unread, UnreadReason, read_filter
from store.model import AccountID, EntryKind

NOOR, LIN = AccountID("terminal:noor"), AccountID("terminal:lin")
NAMELESS, TWIN = AccountID("telegram:5001"), AccountID("telegram:5002")
ASKED = Asked(date(2024, 5, 27), LIN, {NOOR: "Noor Ali", LIN: "Lin", NAMELESS: "", TWIN: "noor  ali"})


@pytest.mark.parametrize("name", FilterName)
def test_every_filter_has_a_chinese_name_and_an_english_one(name: FilterName) -> None:
    written = [word for word, one in FILTER_NAMES.items() if one is name]
    assert name.value in written
    assert any(not word.isascii() for word in written)


@pytest.mark.parametrize("value", ["travel", "Travel", "#travel", "ｔｒａｖｅｌ", "  travel "])
def test_a_tag_is_compared_folded_and_needs_no_sign(value: str) -> None:
    assert read_filter("TAG", value, ASKED) == Filter(FilterName.TAG, ("travel",))


def test_composed_and_decomposed_are_one_tag_and_an_emoji_is_one_too() -> None:
    """Case B64."""
    assert read_filter("tag", "cafe\u0301", ASKED) == read_filter("tag", "caf\u00e9", ASKED)
    assert read_filter("标签", "臺灣", ASKED) == read_filter("tag", "台湾", ASKED)
    assert read_filter("tag", "🔥", ASKED) == Filter(FilterName.TAG, ("🔥",))


@pytest.mark.parametrize(
    ("value", "kind"),
    [("decision", "decision"), ("决定", "decision"), ("決定", "decision"), ("决策", "decision"), ("Facts", "fact"),
     ("偏好", "preference"), ("引用", "quote"), ("摘录", "quote"), ("規則", "rule"), ("笔记", "note")],
)  # fmt: skip
def test_kinds_in_both_languages(value: str, kind: str) -> None:
    assert read_filter("kind", value, ASKED) == Filter(FilterName.KIND, (EntryKind(kind).value,))


@pytest.mark.parametrize("value", ["banana", "checkpoint", "检查点", "decisionist"])
def test_what_is_no_kind(value: str) -> None:
    assert read_filter("类型", value, ASKED) == Unread(f"类型:{value}", UnreadReason.KIND)


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2024-05-01", "2024-05-01", "2024-05-01"),
        ("2024/5/1", "2024-05-01", "2024-05-01"),
        ("2024年5月1日", "2024-05-01", "2024-05-01"),
        ("上周三", "2024-05-22", "2024-05-22"),
        ("last Wednesday", "2024-05-22", "2024-05-22"),
        ("last week", "2024-05-20", "2024-05-26"),
        ("2024-05", "2024-05-01", "2024-05-31"),
        ("May", "2024-05-01", "2024-05-31"),
        ("2023", "2023-01-01", "2023-12-31"),
        ("去年", "2023-01-01", "2023-12-31"),
        ("昨天", "2024-05-26", "2024-05-26"),
    ],
)
def test_a_day_in_any_form_and_what_before_and_after_make_of_it(value: str, first: str, last: str) -> None:
    assert read_filter("on", value, ASKED) == Filter(FilterName.ON, (f"{first}/{last}",))
    assert read_filter("before", value, ASKED) == Filter(FilterName.BEFORE, (first,))
    assert read_filter("之后", value, ASKED) == Filter(FilterName.AFTER, (last,))


@pytest.mark.parametrize("value", ["blah", "2024-13-01", "31 June", "hall 2024-05-01", "in", "9" * 5000])
def test_what_names_no_day_or_more_than_a_day(value: str) -> None:
    read = read_filter("before", value, ASKED)
    assert isinstance(read, Unread)
    assert read.reason is UnreadReason.DATE


@pytest.mark.parametrize(
    ("value", "accounts"),
    [
        ("me", (LIN,)), ("我", (LIN,)), ("本人", (LIN,)), ("lin", (LIN,)), ("ＬＩＮ", (LIN,)),
        ("Noor Ali", (TWIN, NOOR)), ("5001", (NAMELESS,)),
    ],
)  # fmt: skip
def test_by_takes_the_name_that_is_shown(value: str, accounts: tuple[str, ...]) -> None:
    assert read_filter("by", value, ASKED) == Filter(FilterName.BY, accounts)


@pytest.mark.parametrize("value", ["Noor", "terminal:noor", "nobody"])
def test_a_person_nobody_knows(value: str) -> None:
    assert read_filter("作者", value, ASKED) == Unread(f"作者:{value}", UnreadReason.PERSON)


@pytest.mark.parametrize("value", ["", " ", "*", "-"])
def test_a_filter_without_a_value(value: str) -> None:
    assert read_filter("about", value, ASKED) == Unread(f"about:{value}", UnreadReason.VALUE)
