"""A text as a reader would take it, with the make-up off: full-width, zero-width, bidi, look-alike letters, accents.

For judging only; what is stored and shown is what was typed. `any_of` makes the pattern for a list of words in such a
text, where a space and a line break are one thing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undisguised:
    """`text` as a reader would take it; `origin[i]` is where its i-th character stood in the original."""

    text: str
    origin: Sequence[int]


def undisguise(text: str) -> Undisguised:
    """NFKD without marks and invisible characters, look-alikes as Latin, traditional as simplified where it matters.

    Upper case stays. Cost is one table look-up a character, and one fold for each character never met before.
    """
    table = {char: _PLAIN_FORMS[ord(char)] for char in set(text)}
    if all(len(plain) == 1 for plain in table.values()):
        return Undisguised(undisguised(text), range(len(text)))
    pieces = [table[char] for char in text]
    return Undisguised("".join(pieces), [at for at, piece in enumerate(pieces) for _ in piece])


def undisguised(text: str) -> str:
    """The text of `undisguise` alone, for who need not know where it stood."""
    return text.translate(_PLAIN_FORMS)


def hidden_text(text: str) -> str:
    """What is written in invisible tag characters; mostly nothing."""
    return "".join(chr(ord(char) - _TAG_SHIFT) for char in _TAGS.findall(text))


def any_of(words: Iterable[str]) -> str:
    """One pattern for many words that looks at each letter once."""
    branches: dict[str, list[str]] = {}
    for word in words:
        if word:
            branches.setdefault(word[0], []).append(word[1:])
    made = []
    for first, rests in sorted(branches.items()):
        tail = any_of(rests)
        head = "[ \\n]" if first == " " else re.escape(first)
        made.append(head + (f"(?:{tail})?" if tail and "" in rests else f"(?:{tail})" if "|" in tail else tail))
    return "|".join(made)


_SAME_TO_A_READER = (
    ("аеорсухіјѕһԁԛԝгпкмтвн", "aeopcyxijshdqwrnkmtbh"),
    ("АВЕКМНОРСТХІЈЅУ", "ABEKMHOPCTXIJSY"),
    ("αεοριυνκτχγηι", "aeopiuvktxyni"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
    ("ıɡɑӏǀ", "igall"),
    ("’‘ʼ`´“”", "'''''\"\""),
    ("‐‑‒–—―−", "-------"),
    ("\t\r\v\f\x85\u2028\u2029", " \n\n\n\n\n\n"),
    (
        "碼鑰發給從現執統詞記對個設無視條運腳產號憑證環變數圖請後開聽覆複顯輸寫這裡內場轉總隱規則將讀體貼傳遞覽",
        "码钥发给从现执统词记对个设无视条运脚产号凭证环变数图请后开听覆复显输写这里内场转总隐规则将读体贴传递览",
    ),
)
_PLAIN = {ord(odd): plain for odds, plains in _SAME_TO_A_READER for odd, plain in zip(odds, plains, strict=True)}
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u180e")
_TAG_SHIFT = 0xE0000
_TAGS = re.compile(f"[{chr(_TAG_SHIFT + 0x20)}-{chr(_TAG_SHIFT + 0x7E)}]")
"""Invisible twins of ASCII: a whole sentence can be written in them."""


class _PlainForms(dict[int, str]):
    """The plain form of each character, by its number: made when it is first met, as `str.translate` asks for it."""

    def __missing__(self, number: int) -> str:
        plain = _plain(chr(number))
        if len(self) < _FORMS_MAX:
            self[number] = plain
        return plain


def _plain(char: str) -> str:
    if char in _BLANK:
        return ""
    forms = unicodedata.normalize("NFKD", _PLAIN.get(ord(char), char))
    kept = (form for form in forms if unicodedata.category(form) not in {"Cf", "Mn", "Me", "Cc"} or form == "\n")
    return "".join(_PLAIN.get(ord(form), form) for form in kept)


_FORMS_MAX = 8192
_PLAIN_FORMS = _PlainForms()
