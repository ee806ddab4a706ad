"""A reply as messages of at most 4,096 UTF-16 units: cut between lines, else after a sentence, else at a space, else
between what people see as single characters. Nothing is lost or added, only blank messages are left out, and a picture,
under which so many words would not fit.
"""

from __future__ import annotations

import re
from dataclasses import replace

from wcwidth import iter_graphemes

from bot.message import Line, Reply, Shape
from bot.platforms.telegram.entities import is_blank
from bot.platforms.telegram.utf16 import units, whole

UNITS_MAX = 4096
_ROOM_MIN = 4
"""With less than this part of a message left, a line too long for any begins in the next one."""
_CLOSING = r"[\"')\u201d\u2019\u300d\u300f\uff09]"
_SENTENCE_END = re.compile(rf"(?:[\u3002\uff01\uff1f!?\u2026\uff1b\n]{_CLOSING}?(?!{_CLOSING})|\.{_CLOSING}?(?=\s))")
"""A quotation or a bracket ends with its sentence, not behind it; a point ends one only before a space."""


def parts(reply: Reply, most: int = UNITS_MAX) -> list[Reply]:
    """`reply` as messages of at most `most` units, the buttons under the last; the shape is that of the first."""
    if reply.shape in (Shape.TOAST, Shape.REACTION):
        return [reply]
    messages = [lines for lines in _packed(reply.lines, most) if not is_blank("\n".join(line.words for line in lines))]
    if len(messages) < 2:
        return [replace(reply, lines=tuple(messages[0]))] if messages else []
    found = [replace(reply, lines=tuple(lines), buttons=(), shape=Shape.MESSAGE, picture=None) for lines in messages]
    found[0] = replace(found[0], shape=reply.shape)
    found[-1] = replace(found[-1], buttons=reply.buttons)
    return found


def _packed(lines: tuple[Line, ...], most: int) -> list[list[Line]]:
    messages: list[list[Line]] = [[]]
    used = -1  # the first line of a message has no line break before it
    for line in lines:
        rest = whole(line.words)  # two halves of one sign are never apart
        while True:
            room = most - used - 1
            length = units(rest)
            if length <= room:
                messages[-1].append(replace(line, words=rest))
                used += length + 1
                break
            if messages[-1] and (length <= most or room < most // _ROOM_MIN):
                messages.append([])
                used = -1
                continue
            head = _head(rest, room) or ("" if messages[-1] else _by_characters(rest, room))
            if head:
                messages[-1].append(replace(line, words=head))
                rest = rest[len(head) :]
            messages.append([])
            used = -1
    return messages


def _head(text: str, room: int) -> str:
    """As much of `text` as fits, up to the last good place in its second half; "" when not even one character does."""
    sentences = {found.end() for found in _SENTENCE_END.finditer(text, 0, room + 2)}
    size = at = sentence = space = 0
    # A character is a unit at least, so what this slice cuts in two does not fit anyway.
    for cluster in iter_graphemes(text[: room + 1]):
        size += units(cluster)
        if size > room:
            break
        at += len(cluster)
        if at in sentences:
            sentence = at
        elif cluster.isspace():
            space = at
    return text[: next((found for found in (sentence, space) if found > at // 2), at)]


def _by_characters(text: str, room: int) -> str:
    """One visible character longer than a message: a letter under thousands of marks."""
    size = 0
    for index, character in enumerate(text):
        size += units(character)
        if size > room:
            return text[:index]
    return text
