"""An OpenClaw workspace, and any other folder of Markdown without a form of its own. Pure.

    MEMORY.md, memory/2024-05-27.md, memory/2024-05-27-standup.md    items of lists are facts, the rest notes
    USER.md                                                          the same, preferences and fields of the profile
    AGENTS.md, SOUL.md, IDENTITY.md, TOOLS.md, HEARTBEAT.md          notes: what another agent was told is no rule here
    DREAMS.md, memory/dreaming/…, any other file                     notes

Days, order and headings (`section`) are kept; comments stay in the text to the letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from store.formats import front_matter, markdown, moments
from store.model import Draft, EntryKind
from store.pieces import EntryPiece, ProfilePiece, Trouble
from store.tree import field_in

MEMORIES = ("MEMORY.md", "memory.md")
USER = "USER.md"
TOLD = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "BOOT.md")
DREAMS = "DREAMS.md"
DREAMING = "memory/dreaming/"
_DAYS = ("date", "day", "created")
_KNOWN = ("title", "tags")


def read(path: str, text: str, *, name: str = "") -> tuple[list[EntryPiece | ProfilePiece], list[Trouble]]:
    """One file. `name`: its path inside the workspace, where that is not what was imported."""
    name = name or path
    header = front_matter.split(path, text)
    if header.trouble is not None:
        return [], [header.trouble]
    day, slug = markdown.day_in_name(name)
    days = {key: found for key in _DAYS if (found := _day(header, key))}
    day = day or next(iter(days.values()), "")
    tags = front_matter.texts_in(header.values.get("tags"))
    title = front_matter.text_in(header.values.get("title"))
    common = (("title", title), ("topic", slug))
    parts = [*front_matter.rest(path, header, (*_KNOWN, *days)), *_body(path, name, header.body, common)]
    pieces = (piece for one in parts for piece in markdown.fitted(one))
    told = [_told(piece, day, tags) for piece in pieces]
    return [_field(piece) or piece for piece in told] if name == USER else [*told], []


def _told(piece: EntryPiece, day: str, tags: tuple[str, ...]) -> EntryPiece:
    """With what the file says of all of its pieces. Copies are half of all the work, and most files say nothing."""
    draft = replace(piece.draft, tags=tags) if tags else piece.draft
    return replace(piece, day=day, draft=draft) if day or tags else piece


def _field(piece: EntryPiece) -> ProfilePiece | None:
    """`- **Name:** Lin` is what a person is, not what they like."""
    found = field_in(piece.draft.text) if piece.draft.kind is EntryKind.PREFERENCE else None
    return ProfilePiece(piece.path, piece.line, *found) if found else None


def loose(path: str, line: int, words: str, day: str) -> Sequence[EntryPiece]:
    """What stands in a file of ours and is no block: read as if it stood in a workspace."""
    found = _items(path, words, EntryKind.FACT, ())
    pieces = (piece for one in found for piece in markdown.fitted(one))
    return [replace(piece, line=piece.line + line - 1, day=day) for piece in pieces]


def _day(header: front_matter.Header, key: str) -> str:
    return moments.iso_day(front_matter.text_in(header.values.get(key)))


def _body(path: str, name: str, body: str, common: tuple[tuple[str, str], ...]) -> Iterator[EntryPiece]:
    is_day = bool(markdown.day_in_name(name)[0]) and not name.startswith(DREAMING)
    if name == USER:
        yield from _items(path, body, EntryKind.PREFERENCE, common)
    elif name in MEMORIES or (is_day and name != DREAMS):
        yield from _items(path, body, EntryKind.FACT, common)
    else:
        for line, words in markdown.chapters(body):
            yield EntryPiece(path, line, Draft(words, EntryKind.NOTE, about=markdown.about(*common)))


def _items(path: str, text: str, kind: EntryKind, common: tuple[tuple[str, str], ...]) -> Iterator[EntryPiece]:
    for part in markdown.parts(text):
        about = markdown.about(*common, ("section", section(part.sections)), ("marker", part.marker))
        yield EntryPiece(path, part.line, Draft(part.text, kind if part.is_item else EntryKind.NOTE, about=about))


def section(headings: Sequence[str]) -> str:
    """The headings of an entry as one; the title of the file only where there is no other, a day never."""
    named = [one for one in headings if one and moments.iso_day(one) != one]
    return " / ".join(named[1:] or named)
