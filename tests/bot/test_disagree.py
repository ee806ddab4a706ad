"""The labels under two entries that disagree: short, and told apart."""

from __future__ import annotations

import pytest

from bot.commands.disagree import telling
from store.text import as_typed


@pytest.mark.parametrize(
    ("texts", "most", "told"),
    [
        (["15:30 开始", "14:00 开始"], 5, ["15:30", "14:00"]),
        (["15:30开始", "14:00开始"], 5, ["15:30", "14:00"]),
        (["下周三 15:30", "下周三 14:00"], 5, ["15:30", "14:00"]),
        (["6月13日", "6月3日"], 5, ["6月13日", "6月3日"]),
        (["main", "stable"], 12, ["main", "stable"]),
        (["the blue room upstairs", "the blue room"], 12, ["room upstairs", "room"]),
        (["aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa"], 5, ["aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa"]),
        (["", "14:00 开始了没有"], 5, ["", "14:00 开始了没有"]),
    ],
)
def test_what_two_texts_share_is_left_out_only_where_it_does_not_fit(
    texts: list[str], most: int, told: list[str]
) -> None:
    assert telling(texts, most) == told


@pytest.mark.parametrize(
    ("text", "rest", "typed"),
    [
        ("The code is Eagle5.", "eagle5", "Eagle5"),
        ("部署用 Podman", "podman", "Podman"),
        ("部署用： Ｐodman。", "podman", "Ｐodman"),
        ("a text that was changed", "eagle5", "eagle5"),
    ],
)
def test_a_label_says_it_as_it_was_typed(text: str, rest: str, typed: str) -> None:
    assert as_typed(text, rest) == typed
