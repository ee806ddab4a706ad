"""Is what somebody typed the word that was asked for? Pure.

Any inflection counts as the word: who writes “paradigms” knows “paradigm”. One slip is forgiven, and said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

from bot.phrases.vocab import gives_up
from bot.phrases.words import courtesy_in
from store.text import fold

_ENDS = re.compile(r"\A\W+|\W+\Z")
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:['\-][^\W\d_]+)*")
_HAN_MORE_MAX = 2
TRY_CHARACTERS_MAX = 60
SLIP_LETTERS_MIN = 4
"""In a shorter word one letter is not a slip but another word."""


class Rating(IntEnum):
    """As a review keeps it."""

    FORGOT = 1
    HARD = 2
    KNEW = 3
    EASY = 4


def is_try(text: str, word: str) -> bool:
    """Whether what is not the word looks like an answer, and not like something else that somebody wanted to say.

    One word of letters is one, but for what is said out of courtesy; several are if one of them was asked for.
    """
    bare, wanted = _bare(text), _bare(word)
    if gives_up(bare):
        return True
    if len(bare) > TRY_CHARACTERS_MAX or courtesy_in(text):
        return False
    if _HAN.search(bare):
        return bool(_HAN.search(wanted)) and len(bare) <= len(wanted) + _HAN_MORE_MAX
    if _WORD.fullmatch(bare):
        return True
    return len(bare.split()) <= len(wanted.split()) and not set(bare.split()).isdisjoint(wanted.split())


def judged(text: str, word: str, forms: Iterable[str]) -> Rating:
    typed = _bare(text)
    wanted = {_bare(form) for form in (word, *forms)}
    if typed in wanted:
        return Rating.KNEW
    near = any(len(one) >= SLIP_LETTERS_MIN and one_slip(typed, one) for one in wanted)
    return Rating.HARD if near else Rating.FORGOT


def _bare(text: str) -> str:
    return " ".join(_ENDS.sub("", fold(text).replace("\u2019", "'")).split())


def one_slip(a: str, b: str) -> bool:
    """One letter too many, missing, another one, or two neighbours swapped."""
    if a == b:
        return False
    if abs(len(a) - len(b)) > 1:
        return False
    at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) == len(b):
        swapped = a[at : at + 2] == b[at : at + 2][::-1] and len(a[at : at + 2]) == 2
        return a[at + 1 :] == b[at + 1 :] or (swapped and a[at + 2 :] == b[at + 2 :])
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    return longer[at + 1 :] == shorter[at:]
