"""The other forms of an English word: paradigm and paradigms, go and went.

They widen a question; nothing that is stored knows of them. The dictionary comes with the extra `learn` and takes
a good half second to load, so it waits for the first word that is asked for. Without it a word has no other forms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

FORMS_MAX = 40
"""More than any word but the odd dialect's has."""

_MISSED = {
    "gone": "go", "broke": "break", "won": "win", "felt": "feel", "shook": "shake", "dug": "dig", "swore": "swear",
    "drunk": "drink",
}  # fmt: skip
"""Participles that the dictionary keeps apart from their verbs."""
_SHORT = 2
"""Of so few letters the dictionary has pieces of contractions and dialect: ai, gon and m for be and go."""


def family(word: str) -> tuple[str, ...]:
    """`word`, which is folded, then the other forms of its lemma in the order of the alphabet.

    Anything but one run of English letters stands alone. Of a word that no dictionary has (a name, a new coinage)
    only the plural is known.
    """
    known = _dictionary() if word.isascii() and word.isalpha() and len(word) > 1 else None
    if known is None:
        return (word,)
    listed = known.lemma(word)
    if listed is None:
        return (word, _plural(word))
    others = {listed, *known.forms.get(listed, ())} - {word}
    return (word, *sorted(others)[: FORMS_MAX - 1])


def lemma(word: str) -> str | None:
    """The form that a printed dictionary lists it under, as far as is known. `word` is folded."""
    known = _dictionary() if word.isascii() and word.isalpha() and len(word) > 1 else None
    return known.lemma(word) if known is not None else None


def _plural(word: str) -> str:
    """The plural, or of what looks like one its singular."""
    stem = word.removesuffix("s")
    return stem if stem != word and not stem.endswith(("s", "u", "i")) else f"{word}s"


@dataclass(frozen=True, slots=True)
class _Dictionary:
    listed: Mapping[str, str]
    """Each form with its lemma, as the dictionary has it."""
    forms: Mapping[str, list[str]]
    """Each lemma with its other forms."""

    def lemma(self, word: str) -> str | None:
        return _MISSED.get(word) or self.listed.get(word)


@cache
def _dictionary() -> _Dictionary | None:
    try:
        from simplemma.strategies.dictionaries.dictionary_factory import DEFAULT_DICTIONARY_FACTORY
    except ImportError:
        return None
    listed = DEFAULT_DICTIONARY_FACTORY.get_dictionary("en")
    forms: dict[str, list[str]] = defaultdict(list)
    for form in listed:
        lemma = listed[form]
        if form != lemma and len(form) > _SHORT and form.isascii() and form.isalpha() and form.islower():
            forms[lemma].append(form)
    for form, lemma in _MISSED.items():
        forms[lemma].append(form)
    return _Dictionary(listed, forms)
