"""A typed answer: the word in any form, one slip, or something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.words_typed import Rating, is_try, judged, one_slip

FORMS = ("paradigm", "paradigms")


@pytest.mark.parametrize(
    "typed", ["paradigm", "Paradigm.", " paradigms ", "ｐａｒａｄｉｇｍ", "“paradigm”", "paradigm?"]
)
def test_any_form_and_any_spelling_of_the_word_is_right(typed: str) -> None:
    assert judged(typed, "paradigm", FORMS) is Rating.KNEW


@pytest.mark.parametrize("typed", ["paradgm", "paradiggm", "paradigmm", "paradigme", "pardaigm", "xaradigm"])
def test_one_slip_is_hard(typed: str) -> None:
    assert judged(typed, "paradigm", FORMS) is Rating.HARD


@pytest.mark.parametrize("typed", ["pardgm", "model", "para", "", "范式"])
def test_anything_else_is_forgotten(typed: str) -> None:
    assert judged(typed, "paradigm", FORMS) is Rating.FORGOT


def test_in_a_short_word_one_letter_makes_another_word() -> None:
    assert judged("bat", "cat", ()) is Rating.FORGOT
    assert judged("cart", "cat", ()) is Rating.FORGOT
    assert judged("bark", "barn", ()) is Rating.HARD


def test_a_phrase_is_a_word_too() -> None:
    assert judged("give  up", "give up", ()) is Rating.KNEW
    assert judged("give in", "give up", ()) is Rating.FORGOT


@pytest.mark.parametrize(
    ("text", "word", "tries"),
    [
        ("paradigm", "paradigm", True),
        ("paradigm shift", "paradigm", False),
        ("model", "paradigm", True),
        ("self-made", "paradigm", True),
        ("thanks", "paradigm", False),
        ("ok cool", "paradigm", False),
        ("buy milk", "paradigm", False),
        ("buy milk", "give up", False),
        ("give in", "give up", True),
        ("forsake", "give up", True),
        ("yes", "paradigm", False),
        ("hello", "paradigm", False),
        ("好的", "模范", False),
        ("https://x.y", "paradigm", False),
        ("x.y", "paradigm", False),
        ("123", "paradigm", False),
        ("B2", "paradigm", False),
        ("今天下午三点开会", "模范", False),
        ("give up", "give up", True),
        ("the car is on B2 now", "paradigm", False),
        ("记得买牛奶", "paradigm", False),
        ("不知道", "paradigm", True),
        ("I don’t know", "go", True),
        ("范式", "模范", True),
        ("x" * 61, "paradigm", False),
        ("one\ntwo", "give up", False),
        (" ", "paradigm", False),
    ],
)
def test_a_try_is_no_longer_than_what_is_asked_for(text: str, word: str, tries: bool) -> None:
    assert is_try(text, word) is tries


letters = st.text("abc", min_size=1, max_size=7)


@given(letters, letters)
def test_one_slip_is_what_one_edit_makes(a: str, b: str) -> None:
    edits = {a[:at] + a[at + 1 :] for at in range(len(a))}
    edits |= {a[:at] + c + a[at:] for at in range(len(a) + 1) for c in "abc"}
    edits |= {a[:at] + c + a[at + 1 :] for at in range(len(a)) for c in "abc"}
    edits |= {a[:at] + a[at + 1] + a[at] + a[at + 2 :] for at in range(len(a) - 1)}
    assert one_slip(a, b) == (b in edits - {a})
    assert one_slip(a, b) == one_slip(b, a)
