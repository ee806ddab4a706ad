"""The sentence around a gap: which text fits, and that the gap is never cut away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.words_sentence import GAP, Sentence, example_sentence, fits


@pytest.mark.parametrize(
    ("text", "is_fit"),
    [
        ("the paradigm shift", False),
        ("the paradigm shift Kuhn described", True),
        ("a new paradigm came", True),
        ("又读到 two rival paradigms", True),
        ("读到 two paradigms", False),
        ("库恩说的 paradigm 到底是什么意思", True),
        (" ".join(["word"] * 25), True),
        (" ".join(["word"] * 26), False),
        ("well-known half-true don't know", True),
    ],
)
def test_a_sentence_has_four_words_to_twenty_five(text: str, is_fit: bool) -> None:
    assert fits(text) is is_fit


@pytest.mark.parametrize(
    ("example", "shown"),
    [
        ("A paradigm.", "A ______."),
        ("Two Paradigms, one paradigm. More.", "Two ______, one ______."),
        ("No word here. Here is a paradigm", "Here is a ______"),
        ("subparadigm and paradigmatic", None),
        ("paradigm范式", "______范式"),
        ("", None),
    ],
)
def test_every_form_is_left_out_as_a_whole_word(example: str, shown: str | None) -> None:
    found = example_sentence(example, "paradigm", ("paradigm", "paradigms"))
    assert (found.with_gap() if found else None) == shown


def test_a_phrase_may_be_broken_by_spaces() -> None:
    found = example_sentence("Never give  up now.", "give up", ())
    assert found is not None and found.with_gap() == "Never ______ now."
    assert found.with_gap(first_letter=True) == "Never g______ now."


@given(st.lists(st.text("abcdef,", min_size=1, max_size=12), max_size=40), st.integers(0, 40), st.integers(30, 200))
def test_a_long_sentence_is_cut_at_its_ends_and_never_in_the_gap(words: list[str], at: int, most: int) -> None:
    words.insert(at, "paradigm")
    text = " ".join(words)
    start = sum(len(word) + 1 for word in words[: min(at, len(words) - 1)])
    shown = Sentence(text, ((start, start + 8),)).around_gap(most)
    assert GAP in shown
    assert len(shown) <= most + len("……")
    assert shown.strip("…").strip() in text.replace("paradigm", GAP)
