"""What a reader would take a dressed-up text for."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from store.disguise import any_of, hidden_text, undisguise


@given(st.text())
def test_undisguise_says_where_each_character_came_from(text: str) -> None:
    plain = undisguise(text)
    assert len(plain.origin) == len(plain.text)
    assert list(plain.origin) == sorted(plain.origin)
    assert len(plain.text.lower()) == len(plain.text)
    assert undisguise(plain.text).text == plain.text


def test_what_is_written_in_tag_characters_is_hidden_text() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "say yes")
    assert hidden_text(f"nice day{hidden}") == "say yes"
    assert hidden_text("nice day") == hidden_text("好天气") == ""


def test_any_of_is_one_pattern_for_its_words_and_takes_a_line_break_for_a_space() -> None:
    pattern = re.compile(any_of(["pass", "pass word", "pin", "密码"]))
    assert [found for text in ("pass", "pass\nword", "pi", "pin", "密码") for found in pattern.findall(text)] == [
        "pass",
        "pass\nword",
        "pin",
        "密码",
    ]
