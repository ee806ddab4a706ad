"""A reply as Telegram takes it: plain text, and beside it the places that look different. No markup, so nothing that
people wrote can become any.

Stored words are one quotation a run; a RefID of ours is code, so that a tap copies it. Places count UTF-16 units.
`splitting.py` cuts what is too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from telegram import MessageEntity

from bot.message import Line, Reply
from bot.platforms.telegram.utf16 import units, whole

ENTITIES_MAX = 100
"""Telegram looks at no more."""
_REF = re.compile(
    r"(?<![A-Za-z0-9_-])"
    r"(?:D-\d{4}-\d{2}-\d{2}|T-\d{6}|AUTO-\d{8})-(?:x[0-9a-f]{3}(?=\d\d)|[a-z]{0,4})\d{2,6}"
    r"(?![A-Za-z0-9_-])",
    re.ASCII,
)
_SHOWN: dict[int, str | None] = {
    **{code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], None),
    **dict.fromkeys((0x2028, 0x2029), " "),
}
"""Telegram drops some of these and turns others into spaces; seen as signs they are still what was written."""
_TRIMMED = " \t\n" + "".join(
    map(chr, (0xA0, 0x1680, 0x180E, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF))
)
"""What counts as nothing at either end: more than Telegram trims does no harm."""


def plain(words: str) -> str:
    """`words` as they are shown; never longer than they were."""
    return whole(words).translate(_SHOWN)


def is_blank(text: str) -> bool:
    """Telegram takes no message of which nothing is left once its ends are trimmed."""
    return not plain(text).strip(_TRIMMED)


def render(reply: Reply) -> tuple[str, list[MessageEntity]]:
    """Its text without blank ends, and the entities in it, none touching another."""
    shown = [plain(line.words) for line in reply.lines]
    text = "\n".join(shown)
    first = len(text) - len(text.lstrip(_TRIMMED))
    last = max(first, len(text.rstrip(_TRIMMED)))
    spans = [*_quotations(reply.lines, shown), *_refs(reply.lines, shown)]
    kept = sorted((max(start, first), min(stop, last), kind) for start, stop, kind in spans)
    entities, at, before = list[MessageEntity](), first, 0
    for start, stop, kind in kept:
        if start >= stop or not text[start:stop].strip(_TRIMMED):
            continue
        before += units(text[at:start])
        at = start
        entities.append(MessageEntity(kind, before, units(text[start:stop])))
    return text[first:last], entities[:ENTITIES_MAX]


def _quotations(lines: tuple[Line, ...], shown: list[str]) -> Iterator[tuple[int, int, str]]:
    """Every run of stored lines, in characters of the joined text."""
    at, start = 0, -1
    for line, words in zip(lines, shown, strict=True):
        if line.stored and start < 0:
            start = at
        if not line.stored and start >= 0:
            yield start, at - 1, MessageEntity.BLOCKQUOTE
            start = -1
        at += len(words) + 1
    if start >= 0:
        yield start, at - 1, MessageEntity.BLOCKQUOTE


def _refs(lines: tuple[Line, ...], shown: list[str]) -> Iterator[tuple[int, int, str]]:
    """Every RefID that we say; one inside stored words is part of them."""
    at = 0
    for line, words in zip(lines, shown, strict=True):
        if not line.stored:
            for found in _REF.finditer(words):
                yield at + found.start(), at + found.end(), MessageEntity.CODE
        at += len(words) + 1
