"""Is what somebody typed the word that was asked for? Pure.

Any inflection counts as the word: who writes “paradigms” knows “paradigm”. One slip is forgiven, and said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

from bot.phrases.vocab import gives_up
from store.text import fold

_ENDS = re.compile(r"\A\W+|\W+\Z")
_HAN = re.compile(r"[\u3400-\u9fff]")
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
    """Whether a message looks like an answer, and not like something else that somebody wanted to say."""
    bare = _bare(text)
    if gives_up(bare):
        return True
    if _HAN.search(bare) and not _HAN.search(word):
        return False
    is_short = len(bare) <= TRY_CHARACTERS_MAX and len(bare.split()) <= len(word.split()) + 1
    return bool(bare) and is_short and "\n" not in text.strip()


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
