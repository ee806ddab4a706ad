"""The forms of a word, with the dictionary and without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from store import lemmas
from store.lemmas import FORMS_MAX, family


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("paradigm", {"paradigms"}),
        ("paradigms", {"paradigm"}),
        ("ran", {"run", "running", "runs"}),
        ("went", {"go", "goes", "going", "gone"}),
        ("gone", {"go", "went"}),
        ("mice", {"mouse"}),
        ("budgets", {"budget", "budgeted", "budgeting"}),
        ("blockchain", {"blockchains"}),
        ("llms", {"llm"}),
    ],
)
def test_any_form_leads_to_its_family(word: str, others: set[str]) -> None:
    found = family(word)
    assert found[0] == word
    assert others <= set(found)
    assert len(found) == len(set(found)) <= FORMS_MAX


@pytest.mark.parametrize("word", ["预算", "blue moon", "gpt-4", "c++", "iphone15", "c", "", "naïve", "😀"])
def test_what_is_no_single_english_word_stands_alone(word: str) -> None:
    assert family(word) == (word,)


@pytest.mark.parametrize("word", ["be", "do", "have"])
def test_no_form_is_a_word_of_its_own_that_a_dialect_lent(word: str) -> None:
    """The dictionary has `ai` for "ain't" and `m` for "I'm"; AI and m are other things."""
    assert not {"ai", "m", "s", "d"} & set(family(word))


def test_without_the_dictionary_a_word_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    lemmas._dictionary.cache_clear()
    monkeypatch.setitem(sys.modules, "simplemma.strategies.dictionaries.dictionary_factory", None)
    try:
        assert family("paradigms") == ("paradigms",)
    finally:
        lemmas._dictionary.cache_clear()


def test_the_dictionary_is_not_loaded_at_the_start() -> None:
    run = "import bot.app, bot.cli, store.lemmas, sys; assert not [m for m in sys.modules if 'simplemma' in m]"
    subprocess.run([sys.executable, "-c", run], check=True, timeout=60)
