"""Bytes → text: UTF-8, UTF-16 and GB18030 told apart, strictly, or nothing. Pure.

Statistics of letters are not needed: UTF-8 proves itself, UTF-16 has zero bytes wherever a letter or a line's end is
ASCII, and what is left is GB18030 if its characters are ones that people write.
"""

from __future__ import annotations

import codecs

from store.pieces import File, Trouble

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_CHARACTERS = 20_000
_WIDE_ZEROS_MIN = 0.05
"""Of the bytes of a UTF-16 that is by chance UTF-8 as well, which is one of letters."""
_LIKELY_MIN = 0.45
"""Latin-1 read as GB18030 gives characters of its extension only, 0.4 each."""


def text_of(file: File) -> tuple[str, Trouble | None]:
    """The text with line ends of one kind, or "" and why it cannot be read."""
    text = decode(file.data)
    if text is None:
        return "", Trouble(file.path, 0, "trouble-encoding")
    if "\0" in text:
        return "", Trouble(file.path, text.count("\n", 0, text.index("\0")) + 1, "trouble-nul")
    return text.replace("\r\n", "\n"), None


def decode(data: bytes) -> str | None:
    """The text, or None when these bytes are in none of the encodings."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding)
    as_utf8 = _strict(data, "utf-8")
    if 0 not in data:
        return as_utf8 if as_utf8 is not None else _likeliest(data, ("gb18030", "utf-16-le", "utf-16-be"))
    if as_utf8 is not None and data.count(0) < _WIDE_ZEROS_MIN * len(data):
        return as_utf8  # with a stray zero in it
    wide = _likeliest(data, ("utf-16-le", "utf-16-be"))
    if wide is not None:
        return wide
    return as_utf8 if as_utf8 is not None else _likeliest(data, ("gb18030",))


def _likeliest(data: bytes, encodings: tuple[str, ...]) -> str | None:
    found = [text for encoding in encodings if (text := _strict(data, encoding)) is not None]
    best = max(found, key=_likelihood, default=None)
    return best if best is not None and _likelihood(best) >= _LIKELY_MIN else None


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _likelihood(text: str) -> float:
    """How likely people wrote these characters, 1 for sure; ASCII is no evidence where it stands among others."""
    others = [c for c in text[:_SAMPLE_CHARACTERS] if not (" " <= c <= "~" or c in "\t\n\r\0")]
    return sum(map(_weight, others)) / len(others) if others else 1.0


def _weight(character: str) -> float:
    code = ord(character)
    if code < 0xA0:
        return -5
    if 0x4E00 <= code <= 0x9FFF:
        try:
            lead = character.encode("gb2312")[0]
        except UnicodeEncodeError:
            return 0.4
        return 1 if lead < 0xD8 else 0.6  # the 3,755 most written, then the rest
    if 0x2010 <= code <= 0x203B or 0x3000 <= code <= 0x303F or 0xFF00 <= code <= 0xFFEF:
        return 1
    if 0x3040 <= code <= 0x30FF or 0xAC00 <= code <= 0xD7A3 or code < 0x0250 or 0x0370 <= code <= 0x052F:
        return 0.5
    if 0x1F300 <= code <= 0x1FAFF or 0x2190 <= code <= 0x27BF:
        return 0.5
    return -2 if 0xE000 <= code <= 0xF8FF or code >= 0xE0000 else 0
