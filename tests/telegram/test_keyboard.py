"""Buttons."""

from __future__ import annotations

import pytest

from bot.message import Button
from bot.platforms.telegram.keyboard import DATA_BYTES_MAX, keyboard


def test_buttons_are_one_row_of_tokens() -> None:
    made = keyboard([Button("撤销", "t1"), Button("改", "t2"), Button("c", "t3"), Button("d", "t4")], "keepbot")
    assert made is not None
    assert [[(b.text, b.callback_data) for b in row] for row in made.inline_keyboard] == [
        [("撤销", "t1"), ("改", "t2"), ("c", "t3"), ("d", "t4")]
    ]


def test_a_fifth_begins_a_row() -> None:
    made = keyboard([Button(str(n), str(n)) for n in range(5)], "keepbot")
    assert made is not None
    assert [len(row) for row in made.inline_keyboard] == [4, 1]


def test_no_buttons_are_no_keyboard() -> None:
    assert keyboard([], "keepbot") is None


def test_private_opens_the_chat_with_the_bot() -> None:
    made = keyboard([Button("Open", "private")], "keepbot")
    assert made is not None
    ((button,),) = made.inline_keyboard
    assert (button.url, button.callback_data) == ("https://t.me/keepbot", None)


def test_a_token_is_at_most_sixty_four_bytes() -> None:
    assert keyboard([Button("x", "字" * 21 + "a")], "keepbot") is not None
    for action in ("x" * (DATA_BYTES_MAX + 1), "字" * 22, ""):
        with pytest.raises(AssertionError):
            keyboard([Button("x", action)], "keepbot")
