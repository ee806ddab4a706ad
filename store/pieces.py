"""What is read from other people's files before any of it is stored: values only, and what could not be read.

Every format has one reader in `store.formats`; each turns files into these, in the order in which they stand there.
`path` is where a piece stood, with `/` and relative to what was imported; `line` counts from 1, 0 for the whole file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from store.changes import Key
from store.model import Draft, TaskState


@dataclass(frozen=True, slots=True)
class File:
    """One file as it came, within the limits of `store.formats.files`."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Trouble:
    """A part that cannot be read: it is named and left out, whatever stands beside it is taken.

    `code`: a message of the locales, `trouble-…`, with `facts`.
    """

    path: str
    line: int
    code: str
    facts: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntryPiece:
    """Something to remember."""

    path: str
    line: int
    draft: Draft
    label: str = ""
    """The RefID that the file gives it, as it stands there; "" for none."""
    day: str = ""
    """ISO date; "" where the file says nothing."""
    at_ms: int | None = None
    """The moment in ms UTC, where the file knows it."""
    replaces: tuple[str, ...] = ()
    """RefIDs, in this file or in memory, that it takes the place of."""
    pinned: bool = False
    only_words: bool = False
    """A line of a list: the file says nothing of the other fields."""


@dataclass(frozen=True, slots=True)
class TaskPiece:
    """A row of a board. A field that the file does not have is None, one that is empty there is ""."""

    path: str
    line: int
    title: str
    state: TaskState | None = None
    label: str = ""
    note: str | None = None
    next: str | None = None
    blocked_by: str | None = None
    resume_step: str | None = None
    due: str | None = None
    day: str = ""
    done_day: str = ""
    every: str | None = None
    """When it comes again, as its register has it."""


@dataclass(frozen=True, slots=True)
class ProfilePiece:
    """A named field of what a person says about themselves."""

    path: str
    line: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class TermPiece:
    """A word to keep in view."""

    path: str
    line: int
    term: str


@dataclass(frozen=True, slots=True)
class TalkPiece:
    """One line of a raw chat archive (layer 3)."""

    path: str
    line: int
    text: str
    day: str
    time: str = ""
    """`HH:MM`; "" where the file does not say."""
    who: str = ""


@dataclass(frozen=True, slots=True)
class RecordPiece:
    """A record of our exact format, with all that was said of it: its keys, as they stand in the documents."""

    path: str
    line: int
    record: str
    keys: tuple[Key, ...]


Piece = EntryPiece | TaskPiece | ProfilePiece | TermPiece | TalkPiece | RecordPiece


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was found."""

    format: str
    """`tree`, `openclaw`, `hermes`, `basic-memory`, `mcp-graph`, `mem0`, `csv`, `jsonl`."""
    pieces: Sequence[Piece]
    troubles: Sequence[Trouble]
    ignored: Sequence[str] = ()
    """Paths that hold nothing to import (pictures, indexes, settings of other programs)."""
    wrote: Mapping[str, str] = field(default_factory=dict)
    """Path → the scope of the memory that wrote this file, as its last comment says."""
    copies: frozenset[str] = frozenset()
    """Files of ours under another name than they were written with: they say nothing of what was taken out."""
    written: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What it wrote into each file: (path, RefID or other name) → digest. What differs now was changed by hand."""
