"""Notes of basic-memory: a header, observations `- [category] words #tag (context)`, relations `- kind [[Note]]`. Pure.

A note whose header cannot be read is left out whole: what the rest of it speaks of would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from store.formats import front_matter, markdown, moments
from store.model import Draft, EntryKind
from store.pieces import EntryPiece, Trouble

_OBSERVATION = re.compile(r"\[([^\[\]\n]{1,60})\][ \t]+(\S.*)", re.DOTALL)
_RELATION = re.compile(r"([^\[\]\n]{0,100})\[\[([^\[\]\n]{1,300})\]\][ \t]*(\([^\n]*\))?[ \t]*")
_TAG = re.compile(r"(?:^|(?<=\s))#([^\s#,;()\[\]]{1,100})")
_KINDS = {
    "decision": EntryKind.DECISION,
    "decided": EntryKind.DECISION,
    "preference": EntryKind.PREFERENCE,
    "quote": EntryKind.QUOTE,
}
_DAYS = ("date", "day", "created", "created_at")
_KNOWN = ("title", "type", "permalink", "tags")


def read(path: str, text: str) -> tuple[list[EntryPiece], list[Trouble]]:
    header = front_matter.split(path, text)
    if header.trouble is not None:
        return [], [header.trouble]
    values = {name: front_matter.text_in(header.values.get(name)) for name in (*_KNOWN, *_DAYS)}
    title = values["title"] or path.rpartition("/")[2].rpartition(".")[0]
    days = {name: found for name in _DAYS if (found := moments.iso_day(values[name]))}
    day = next(iter(days.values()), "")
    about = markdown.about(
        ("title", title),
        ("permalink", values["permalink"]),
        ("type", values["type"] if values["type"] != "note" else ""),
    )
    tags = front_matter.texts_in(header.values.get("tags"))
    pieces = [
        piece
        for one in sorted(_pieces(path, header, title, (*_KNOWN, *days)), key=lambda piece: piece.line)
        for piece in markdown.fitted(one)
    ]
    return [_told(piece, day, about, tags) for piece in pieces], []


def is_note(text: str) -> bool:
    """It begins with a header that says so, or has an observation."""
    if text.startswith("---\n") and re.search(r"^(?:permalink|title|type):", text[: front_matter.CHARACTERS_MAX], re.M):
        return True
    return any(part.is_item and _observation(part.text) for part in markdown.parts(text))


def _pieces(path: str, header: front_matter.Header, title: str, known: Collection[str]) -> Iterator[EntryPiece]:
    yield from front_matter.rest(path, header, known)
    lines = header.body.split("\n")
    for part in markdown.parts(header.body):
        made = _item(path, part, title) if part.is_item else None
        if made is not None:
            yield made
            taken = slice(part.line - 1, part.line + part.text.count("\n"))
            lines[taken] = [""] * (part.text.count("\n") + 1)
    for line, words in markdown.chapters("\n".join(lines)):
        if any(one.strip() and not markdown.is_heading(one) for one in words.split("\n")):
            yield EntryPiece(path, line, Draft(words, EntryKind.NOTE))


def _item(path: str, part: markdown.Part, title: str) -> EntryPiece | None:
    if found := _observation(part.text):
        category, words = found
        kind = _KINDS.get(category.lower(), EntryKind.FACT)
        about = markdown.about(("category", category), ("section", _section(part)))
        return EntryPiece(path, part.line, Draft(words, kind, about=about, tags=tuple(_TAG.findall(words))))
    if found_relation := _RELATION.fullmatch(part.text):
        how = found_relation[1].strip()
        about = markdown.about(("relation", how), ("to", found_relation[2].strip()))
        return EntryPiece(path, part.line, Draft(f"{title} {part.text.strip()}", EntryKind.NOTE, about=about))
    return None


def _observation(text: str) -> tuple[str, str] | None:
    found = _OBSERVATION.fullmatch(text)
    if found is None or (len(found[1].strip()) < 2 and not found[1].strip().isalnum()) or found[1].lower() == "x":
        return None  # a box to tick
    return found[1].strip(), found[2].rstrip()


def _section(part: markdown.Part) -> str:
    named = [one for one in part.sections[1:] if one.lower() not in ("observations", "relations")]
    return " / ".join(named)


def _told(piece: EntryPiece, day: str, about: tuple[tuple[str, str], ...], tags: tuple[str, ...]) -> EntryPiece:
    draft = piece.draft
    every = tuple(dict.fromkeys((*draft.tags, *tags)))
    made = Draft(draft.text, draft.kind, about=(*about, *draft.about), tags=every)
    return EntryPiece(piece.path, piece.line, made, day=day)
