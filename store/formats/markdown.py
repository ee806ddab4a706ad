"""Markdown cut into parts: headings, entries of lists, and whatever stands between them, to the letter. Pure.

Nothing is lost: every line that is not blank and no heading is in some part, in its order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from store.formats.moments import iso_day
from store.model import ENTRY_CHARACTERS_MAX
from store.pieces import EntryPiece

TEXT_CHARACTERS_MAX = ENTRY_CHARACTERS_MAX - 1_000
"""Of one entry, which leaves room for what it is about and its tags."""
WORD_CHARACTERS_MAX = 200
"""Of a title, a section, a tag."""
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_BULLET = re.compile(r"( {0,3})[-*+][ \t]+(\S.*)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*-->[ \t]*")
_MARKER = "<!-- openclaw-memory-promotion:"
"""Stands above the line it speaks of, where other comments stand behind it."""
_ENDS = ("\n\n", "\n", "\u3002", " ")
_DAY_IN_NAME = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})(?:[-_. ]([^/]*))?\.[A-Za-z]+$")


@dataclass(frozen=True, slots=True)
class Part:
    """`line` from 1. Of an item of a list `text` is without its dash; of anything else it is what stands there."""

    line: int
    text: str
    is_item: bool
    sections: tuple[str, ...] = ()
    """The headings it stands under, outermost first."""
    marker: str = ""
    """The comment above it that is about it."""


def parts(text: str) -> Iterator[Part]:
    """Items of lists with all that is nested in them, and the paragraphs between, heading by heading."""
    lines = text.split("\n")
    headings: dict[int, str] = {}
    marker = ""
    loose: list[int] = []
    number = 0
    last_close = max((at for at, line in enumerate(lines) if "-->" in line), default=0)

    def sections() -> tuple[str, ...]:
        return tuple(headings[level] for level in sorted(headings))

    def flush() -> Iterator[Part]:
        if loose:
            yield Part(loose[0] + 1, "\n".join(lines[loose[0] : loose[-1] + 1]), False, sections())
            loose.clear()

    while number < len(lines):
        line = lines[number]
        if found := _FENCE.match(line):
            end = _fence_end(lines, number, found[1])
            loose.extend((number, end))
            number = end + 1
            continue
        if line.startswith("<!--") and "-->" not in line and number < last_close:
            end = next(at for at in range(number, len(lines)) if "-->" in lines[at])
            loose.extend((number, end))
            number = end + 1
            continue
        if heading := _HEADING.fullmatch(line):
            yield from flush()
            level = len(heading[1])
            headings = {at: words for at, words in headings.items() if at < level}
            headings[level] = _title(heading[2])
        elif not _RULE.fullmatch(line) and (item := _BULLET.fullmatch(line)):
            yield from flush()
            end = _item_end(lines, number, len(item[1]))
            yield Part(number + 1, "\n".join([item[2], *lines[number + 1 : end]]).rstrip(), True, sections(), marker)
            marker = ""
            number = end
            continue
        elif line.startswith(_MARKER) and _COMMENT.fullmatch(line) and _is_item(lines, number + 1):
            yield from flush()
            marker = line.rstrip()
        elif line.strip():
            loose.append(number)
        number += 1
    yield from flush()


def _is_item(lines: Sequence[str], number: int) -> bool:
    return number < len(lines) and not _RULE.fullmatch(lines[number]) and bool(_BULLET.fullmatch(lines[number]))


def _item_end(lines: Sequence[str], start: int, indent: int) -> int:
    """The line behind an item: what is further in, what follows at once as its words or its comment is its own."""
    number = start + 1
    kept = number
    while number < len(lines):
        line = lines[number]
        inside = len(line) - len(line.lstrip(" \t")) > indent and bool(line.strip())
        at_once = number == kept and bool(line.strip()) and not line.startswith((_MARKER, "#", ">", "|", "```", "~~~"))
        starts = _BULLET.fullmatch(line) or _RULE.fullmatch(line) or _HEADING.fullmatch(line)
        if inside or (at_once and not starts):
            if found := _FENCE.match(line.lstrip(" \t")):
                number = _fence_end(lines, number, found[1])
            kept = number + 1
        elif line.strip():
            break
        number += 1
    return kept


def _fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """The line that closes a fence, or the last line of all."""
    for number in range(start + 1, len(lines)):
        if lines[number].strip().startswith(fence) and not lines[number].strip().strip(fence[0]):
            return number
    return len(lines) - 1


def _title(words: str) -> str:
    """The words of a heading, without the `#` that may close it."""
    words = words.strip()
    bare = words.rstrip("#")
    return (bare.rstrip() if bare != bare.rstrip() or not bare else words)[:WORD_CHARACTERS_MAX]


def chapters(text: str) -> Iterator[tuple[int, str]]:
    """(line, words): the text cut before each heading of the first two levels, to the letter but for blank edges."""
    lines = text.split("\n")
    start = number = 0
    while number <= len(lines):
        last = number == len(lines)
        heading = None if last else _HEADING.fullmatch(lines[number])
        if last or (heading is not None and len(heading[1]) <= 2 and number > start):
            while start < number and not lines[start].strip():
                start += 1
            words = "\n".join(lines[start:number]).rstrip()
            if words:
                yield start + 1, words
            start = number
        found = None if last else _FENCE.match(lines[number])
        number = _fence_end(lines, number, found[1]) + 1 if found else number + 1


def cut(text: str, most: int = TEXT_CHARACTERS_MAX) -> Iterator[tuple[int, str]]:
    """(lines before it, words): `text` in parts that fit into an entry, cut at the end of a paragraph, line or word."""
    start = line = 0
    while len(text) - start > most:
        ends = (text.rfind(mark, start + most // 2, start + most) + len(mark) for mark in _ENDS)
        end = next((found for found in ends if found > start + most // 2), start + most)
        if text[start:end].strip():
            yield line, text[start:end].rstrip("\n")
        line += text.count("\n", start, end)
        start = end
    if text[start:].strip():
        yield line, text[start:]


def fitted(piece: EntryPiece) -> Iterator[EntryPiece]:
    """`piece`, or as many as its text needs."""
    if len(piece.draft.text) <= TEXT_CHARACTERS_MAX:
        yield piece
        return
    first = True
    for before, words in cut(piece.draft.text):
        part = replace(piece, line=piece.line + before, draft=replace(piece.draft, text=words))
        yield part if first else replace(part, label="", replaces=())
        first = False


def day_in_name(path: str) -> tuple[str, str]:
    """(ISO day, slug) of `memory/2024-05-27-standup.md`; "" where there is none."""
    found = _DAY_IN_NAME.search(path)
    day = iso_day(found[1]) if found else ""
    return (day, (found[2] or "") if found and day else "")


def is_heading(line: str) -> bool:
    return _HEADING.fullmatch(line) is not None


def about(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """What an entry is about: pairs that say something, each of a bearable length."""
    return tuple((key[:WORD_CHARACTERS_MAX], value[:WORD_CHARACTERS_MAX]) for key, value in pairs if value.strip())
