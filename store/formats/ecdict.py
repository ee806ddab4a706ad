"""ECDICT's rows → definitions: which words are worth having, and their columns put into our spelling. Pure.

ECDICT has 770,000 rows, most of them names, terms and phrases. Kept are the words that an exam asks for and the most
used 30,000 of either of its two counts; rows of their inflections become forms of theirs.

Its pronunciations come from several hands: stress as `'` or `,` or `.`, length as `:`, Cyrillic look-alikes, sounds in
the older notation of Jones. All are respelled in the one that learner's dictionaries use today. What holds a sign that
is no sound is left out: no pronunciation is better than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from store.dictionary import Definition

COLUMNS = ("word", "phonetic", "definition", "translation", "tag", "bnc", "frq", "exchange")
"""Those that are read, whatever others there are."""
TAGS = ("cet4", "cet6", "ky", "toefl", "ielts", "gre")
RANK_MAX = 30_000
ZH_MAX, EN_MAX = 8, 4

# Values are the lines of `exchange`: past, participle, -ing, third person, comparative, superlative, plural.
_INFLECTIONS = frozenset("pdi3rts")
_LEMMA = "0"


@dataclass(frozen=True, slots=True)
class Row:
    word: str
    phonetic: str = ""
    definition: str = ""
    translation: str = ""
    tag: str = ""
    bnc: int = 0
    frq: int = 0
    exchange: str = ""


def row_of(cells: Mapping[str, object]) -> Row:
    """From a row of any table with these columns; a cell that is missing or of another kind is empty."""

    def text(name: str) -> str:
        cell = cells.get(name)
        if not isinstance(cell, str):
            return ""
        return cell.replace("\\r", "").replace("\\n", "\n") if "\\" in cell else cell

    def number(name: str) -> int:
        cell = str(cells.get(name) or "").strip()
        return int(cell) if cell.isdecimal() and cell.isascii() and len(cell) < 9 else 0

    return Row(
        text("word").strip(), text("phonetic"), text("definition"), text("translation"), text("tag"), number("bnc"),
        number("frq"), text("exchange"),
    )  # fmt: skip


def definitions(rows: Iterable[Row]) -> Iterator[Definition]:
    """The words worth having, then for each of them the forms that stand in rows of their own."""
    kept: set[str] = set()
    inflected: list[tuple[str, str]] = []
    for row in rows:
        exchange = _exchange(row.exchange)
        lemma = next((value for kind, value in exchange if kind == _LEMMA), "")
        if lemma and lemma.casefold() != row.word.casefold():
            inflected.append((lemma, row.word))
        if _is_wanted(row):
            kept.add(row.word.casefold())
            yield _definition(row, tuple(value for kind, value in exchange if kind in _INFLECTIONS))
    for lemma, form in inflected:
        if lemma.casefold() in kept:
            yield Definition(lemma, forms=(form,))


def _is_wanted(row: Row) -> bool:
    is_used = any(0 < rank <= RANK_MAX for rank in (row.bnc, row.frq))
    return bool(row.word and (row.tag.strip() or is_used) and (row.translation.strip() or row.definition.strip()))


def _definition(row: Row, forms: tuple[str, ...]) -> Definition:
    zh, pos_zh = _senses(row.translation, _zh_sense, ZH_MAX)
    en, pos_en = _senses(row.definition, _en_sense, EN_MAX)
    return Definition(
        row.word,
        ipa(row.phonetic),
        pos_zh or pos_en,
        zh,
        en,
        tuple(tag for tag in TAGS if tag in row.tag.split()),
        tuple(form for form in dict.fromkeys(forms) if form and form != row.word),
        row.frq or row.bnc,
    )


def _exchange(text: str) -> list[tuple[str, str]]:
    pairs = (one.partition(":") for one in text.split("/"))
    return [(kind.strip(), value.strip()) for kind, colon, value in pairs if colon]


# senses

_POS = {
    "n": "n.", "a": "adj.", "adj": "adj.", "s": "adj.", "ad": "adv.", "adv": "adv.", "r": "adv.", "v": "v.", "vt": "vt.",
    "vi": "vi.", "vbl": "v.", "prep": "prep.", "pron": "pron.", "conj": "conj.", "num": "num.", "art": "art.",
    "int": "int.", "interj": "int.", "aux": "aux.", "abbr": "abbr.", "pl": "pl.", "pref": "pref.", "suf": "suf.",
}  # fmt: skip
_VERBS = ("vt.", "vi.", "v.")
_ZH_LINE = re.compile(r"\s*([a-z]{1,6})\.\s*(.*)")
_EN_LINE = re.compile(r"\s*(?:([a-z]{1,6})\.|([nvsar]))\s+(.*)")
_FIELD = re.compile(r"\s*\[[^\]]{1,20}\]")
"""[计], [医]: what the word means to specialists."""


def _zh_sense(line: str) -> tuple[str, str]:
    found = _ZH_LINE.fullmatch(line)
    pos = _POS.get(found[1], "") if found else ""
    return pos, re.sub(r"[,;] ", "；", found[2] if found and pos else line.strip()).replace("...", "……")


def _en_sense(line: str) -> tuple[str, str]:
    found = _EN_LINE.fullmatch(line)
    pos = _POS.get(found[1] or found[2], "") if found else ""
    return pos, re.sub(r"`([^`']*)'", "\u201c\\1\u201d", found[3] if found and pos else line.strip())


def _senses(text: str, read: Callable[[str], tuple[str, str]], most: int) -> tuple[tuple[str, ...], str]:
    """(the senses, what parts of speech they are): where that is one, no sense repeats it."""
    lines = [line for line in text.split("\n") if line.strip()]
    lines.sort(key=lambda line: _FIELD.match(line) is not None)
    found = [one for line in lines if (one := read(line))[1]][:most]
    said = list(dict.fromkeys("v." if pos in _VERBS else pos for pos, _ in found if pos))
    is_plain = len({pos for pos, _ in found}) == 1
    return tuple(words if is_plain or not pos else f"{pos} {words}" for pos, words in found), " ".join(said)


# pronunciation

_SIGNS = str.maketrans({
    "ә": "ə", "є": "e", "ε": "e", "ɛ": "e", "'": "ˈ", "\u2018": "ˈ", "\u2019": "ˈ", ",": "ˌ", ".": "ˌ", ":": "ː",
    "：": "ː", "g": "ɡ", "^": "ɡ", "（": "(", "）": ")", "[": None, "]": None, "/": None,
})  # fmt: skip
_READINGS = re.compile(r"\s*;\s*|[.,]\s+|\s*,(?=[-'ˈ])")
_AMERICAN = re.compile(r"\(\?@\)")
_JONES = (
    (re.compile(r"\\+ː"), "ɜː"),
    (re.compile("əː"), "ɜː"),
    (re.compile("ɒː"), "ɔː"),
    (re.compile("ɒi"), "ɔi"),
    (re.compile("ou"), "əu"),
    (re.compile(r"i(?![ː]|[^\w(]*$)"), "ɪ"),
    (re.compile("u(?!ː)"), "ʊ"),
    (re.compile(r"(?<=[aeɔ])i"), "ɪ"),
)
_SOUNDS = re.compile(r"[abdefhijklmnprstuvwxyzæŋɑɒɔəɚɜɝɡɪʃʊʌʒðθoˈˌː()\- ]+")


def ipa(phonetic: str) -> str:
    """Respelled, without slashes, two readings with a comma between; "" for what is no pronunciation."""
    text = _AMERICAN.sub("", phonetic.replace("\u00a0", " ")).strip().rstrip(" ;,.")
    readings = [_respelled(one) for one in _READINGS.split(text) if one.strip(" -")]
    return ", ".join(dict.fromkeys(readings)) if readings and all(map(_SOUNDS.fullmatch, readings)) else ""


def _respelled(reading: str) -> str:
    text = reading.strip().translate(_SIGNS)
    for pattern, sound in _JONES:
        text = pattern.sub(sound, text)
    return text
