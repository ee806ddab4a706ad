"""What was typed behind /add, as words with their meanings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.phrases.word_list import MEANING_CHARACTERS_MAX, Wanted, pieces


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("paradigm", [Wanted("paradigm")]),
        ("paradigm, wither、subtle；tedious;grasp\nframe", [Wanted(w) for w in "paradigm wither subtle tedious grasp frame".split()]),
        ("give up", [Wanted("give up")]),
        ("paradigm = 范式", [Wanted("paradigm", "范式")]),
        ("paradigm = 范式；典范, wither", [Wanted("paradigm", "范式；典范"), Wanted("wither")]),
        ("paradigm = 范式，典范\nwither = 枯萎", [Wanted("paradigm", "范式，典范"), Wanted("wither", "枯萎")]),
        ("paradigm: a model", [Wanted("paradigm", "a model")]),
        ("paradigm：范式", [Wanted("paradigm", "范式")]),
        ("paradigm - a model", [Wanted("paradigm", "a model")]),
        ("well-known", [Wanted("well-known")]),
        ("give up 放弃", [Wanted("give up", "放弃")]),
        ("范式", [Wanted("范式")]),
        ("范式 = paradigm", [Wanted("范式", "paradigm")]),
        (" “paradigm”. ", [Wanted("paradigm")]),
        ("", []),
        (",,;\n", []),
        ("paradigm\n范式", [Wanted("paradigm"), Wanted("范式")]),
        ("C++ 语言", [Wanted("C++", "语言")]),
        ("C#语言", [Wanted("C#", "语言")]),
        ("C++: a language", [Wanted("C++", "a language")]),
        ("范式 paradigm", [Wanted("paradigm", "范式")]),
        ("放弃 give up, 枯萎 wither", [Wanted("give up", "放弃"), Wanted("wither", "枯萎")]),
        ("卡拉OK", [Wanted("卡拉OK")]),
        ("time 12:30", [Wanted("time 12:30")]),
        ("noon = 12:00", [Wanted("noon", "12:00")]),
        ("see https://a.b/c", [Wanted("see")]),
        ("paradigm = https://a.b/c", [Wanted("paradigm", "https://a.b/c")]),
        ("https://a.b/c", []),
    ],
)  # fmt: skip
def test_words_and_meanings(typed: str, wanted: list[Wanted]) -> None:
    assert list(pieces(typed)) == wanted


def test_a_meaning_has_an_end() -> None:
    (one,) = pieces("paradigm = " + "范" * 2000)
    assert len(one.meaning) == MEANING_CHARACTERS_MAX


@given(st.text(max_size=200))
def test_any_text_is_read_and_no_word_holds_a_line_break(text: str) -> None:
    for one in pieces(text):
        assert "\n" not in one.word and len(one.word) <= len(text)
