"""Words that somebody wants to learn, as they were typed: one or several, each perhaps with its meaning.

A newcomer's trap: a comma parts words, but “paradigm = 范式，典范” is one word with its meaning. So a piece without any
Latin letter goes on with the meaning before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MEANING_CHARACTERS_MAX = 500
_SEPARATOR = re.compile(r"\s*[,，、;；\n]+\s*")
_LATIN = re.compile(r"[A-Za-z]")
_WITH_MEANING = re.compile(r"(?P<word>[^=＝:：]+?)\s*(?:[=＝:：]|\s[–—-]\s)\s*(?P<meaning>\S.*)", re.DOTALL)
_CHINESE_BEHIND = re.compile(r"(?P<word>[A-Za-z][A-Za-z'’ \-]*?)\s*(?P<meaning>[(（]?[\u3400-\u9fff].*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wanted:
    word: str
    meaning: str = ""


def pieces(text: str) -> Iterator[Wanted]:
    """Each word with the meaning that stands beside it."""
    waiting: Wanted | None = None
    parted = ""
    for part, separator in _parts(text):
        if waiting is not None and waiting.meaning and not _LATIN.search(part) and "\n" not in parted:
            waiting = Wanted(waiting.word, (waiting.meaning + parted.strip() + part)[:MEANING_CHARACTERS_MAX])
        else:
            if waiting is not None:
                yield waiting
            waiting = _piece(part)
        parted = separator
    if waiting is not None:
        yield waiting


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """(part, what parts it from the next)"""
    at = 0
    for mark in _SEPARATOR.finditer(text):
        if part := text[at : mark.start()].strip():
            yield part, mark[0]
        at = mark.end()
    if part := text[at:].strip():
        yield part, ""


def _piece(part: str) -> Wanted:
    found = _WITH_MEANING.fullmatch(part) or _CHINESE_BEHIND.fullmatch(part)
    if found is None:
        return Wanted(bare_word(part))
    return Wanted(bare_word(found["word"]), found["meaning"].strip()[:MEANING_CHARACTERS_MAX])


def bare_word(word: str) -> str:
    return " ".join(word.strip(" \t.!?。！？“”\"'‘’「」").split())
