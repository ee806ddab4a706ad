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
_COLON = r"(?:(?<!\d)[:：](?!//)|[:：](?![\d/]))"
"""One that is part of no time of day and no address."""
_WITH_MEANING = re.compile(
    rf"(?P<word>(?:(?!{_COLON})[^=＝])+?)\s*(?:[=＝]|{_COLON}|\s[–—-]\s)\s*(?P<meaning>\S.*)", re.DOTALL
)
_CHINESE_BEFORE = re.compile(r"(?P<meaning>[\u3400-\u9fff]+)\s+(?P<word>[A-Za-z][A-Za-z'’ \-]*(?:\+\+|#)?)")
URL = re.compile(r"(?:https?://|www\.)[^\s<>，。；、]+", re.IGNORECASE)
_CHINESE_BEHIND = re.compile(
    r"(?P<word>[A-Za-z][A-Za-z'’ \-]*?(?:\+\+|#)?)\s*(?P<meaning>[(（]?[\u3400-\u9fff].*)", re.DOTALL
)


_QUOTED = re.compile(r"[“\"'‘「].+[”\"'’」]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORDS_MAX = 4
_HAN_MAX = 4
"""Idioms have four; more is a sentence unless something says that it is none."""
_HAN_EXPLAINED_MAX = 8
_SAID_HAN = re.compile(r"[我你您他她它这那哪请别]|[今昨明]天|.*[了吗呢吧啊呀]\Z|.*的.*的")
FUNCTION_WORDS = frozenset(
    "a an the to for of in on at by into onto about from with than as and or but if so yet not no yes that this these those"
    " it its i you he she we they me him her us them my your his our their is are was were be been am do does did has have"
    " had will would can could should may might must what which who whom whose when where why how there here now then too"
    " also just very any some each every all both either neither please".split()
)
_PARTICLES = frozenset(
    "up out off on in down away back over through along around by into with about after for to apart forward across aside"
    " ahead together of against at upon".split()
)


def looks_like_words(text: str, *, called: bool = False, few: bool = False) -> bool:
    """Whether each piece may be a word to learn; a sentence that only begins like a command is none.

    `called`: a colon stood before, so that a phrase is meant as one. `few`: what stands before may begin something else
    (“add word wrap mode”), so several words in a row must be a verb and its particles.
    """
    found = [piece for piece in re.split(r"[,，、;；\n]+", text) if piece.strip()]
    return bool(found) and all(_may_be_word(piece.strip(), called=called, few=few) for piece in found)


def _may_be_word(piece: str, *, called: bool, few: bool) -> bool:
    explained = _WITH_MEANING.fullmatch(piece) or _CHINESE_BEHIND.fullmatch(piece)
    word = (explained["word"] if explained else piece).strip(" .。!！")
    if _QUOTED.fullmatch(word):
        return len(word.split()) <= _LATIN_WORDS_MAX + 1
    if _HAN.search(word):
        most = _HAN_EXPLAINED_MAX if explained else _HAN_MAX
        return len(word) <= most and _SAID_HAN.match(word) is None
    words = [one.strip("“”\"'’,.!").lower() for one in word.split()]
    if len(words) == 1:
        return called or words[0] not in FUNCTION_WORDS
    if not words or len(words) > _LATIN_WORDS_MAX or words[0] in FUNCTION_WORDS:
        return False
    return called or explained is not None or not few or _PARTICLES.issuperset(words[1:])


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
            if waiting is not None and waiting.word:
                yield waiting
            waiting = _piece(part)
        parted = separator
    if waiting is not None and waiting.word:
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
    found = _WITH_MEANING.fullmatch(part) or _CHINESE_BEHIND.fullmatch(part) or _CHINESE_BEFORE.fullmatch(part)
    if found is None:
        return Wanted(bare_word(URL.sub(" ", part)))
    return Wanted(bare_word(found["word"]), found["meaning"].strip()[:MEANING_CHARACTERS_MAX])


def bare_word(word: str) -> str:
    return " ".join(word.strip(" \t.!?。！？“”\"'‘’「」").split())
