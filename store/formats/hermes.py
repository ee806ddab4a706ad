"""The memory of a Hermes agent: `memories/MEMORY.md`, `memories/USER.md` and, of newer ones, `ARCHIVE.jsonl`. Pure.

Entries are told apart by lines of nothing but `§`; within the limits of the agent they are written back by
`store.exports`.
"""

from __future__ import annotations

from collections.abc import Iterator

from store.formats import json_values, markdown
from store.formats.json_values import is_text
from store.model import Draft, EntryKind
from store.pieces import EntryPiece, Trouble

MARK = "§"
BETWEEN = f"\n{MARK}\n"
MEMORY = "MEMORY.md"
USER = "USER.md"
ARCHIVE = "ARCHIVE.jsonl"
_FRAME = "═"
"""Around the head that the agent shows above its memory; no part of the file, but people copy it along."""


def read(path: str, text: str) -> tuple[list[EntryPiece], list[Trouble]]:
    name = path.rpartition("/")[2]
    if name == ARCHIVE:
        return _archive(path, text)
    kind = EntryKind.PREFERENCE if name == USER else EntryKind.FACT
    pieces = [
        piece for line, words in entries(text) for piece in markdown.fitted(EntryPiece(path, line, Draft(words, kind)))
    ]
    return pieces, []


def entries(text: str) -> Iterator[tuple[int, str]]:
    """(line, words) of each."""
    lines = text.split("\n")
    start = _behind_head(lines)
    for number in range(start, len(lines) + 1):
        if number == len(lines) or lines[number].strip() == MARK:
            words = "\n".join(lines[start:number])
            stripped = words.strip()
            if stripped:
                blank = words[: len(words) - len(words.lstrip())].count("\n")
                yield start + blank + 1, stripped
            start = number + 1


def _behind_head(lines: list[str]) -> int:
    framed = [number for number, line in enumerate(lines[:8]) if line.strip() and not line.strip().strip(_FRAME)]
    if len(framed) == 2 and framed[1] - framed[0] == 2 and not any(line.strip() for line in lines[: framed[0]]):
        return framed[1] + 1
    return 0


def _archive(path: str, text: str) -> tuple[list[EntryPiece], list[Trouble]]:
    """What had no room any more, each line with its `entry` and its `target`."""
    pieces: list[EntryPiece] = []
    troubles: list[Trouble] = []
    for found in json_values.lines(text):
        value = found.value or {}
        words = value.get("entry")
        if not is_text(words):
            troubles.append(Trouble(path, found.line, "trouble-json"))
            continue
        kind = EntryKind.PREFERENCE if value.get("target") == "user" else EntryKind.FACT
        made = EntryPiece(path, found.line, Draft(words.strip(), kind, about=(("archived", "hermes"),)))
        pieces += markdown.fitted(made)
    return pieces, troubles
