"""The graph of the Model Context Protocol's reference memory server: lines of entities and relations. Pure.

Each observation is a fact about its entity; the entity's name goes along as a tag, since most observations do not say
of whom they speak.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from store.formats import json_values, markdown
from store.formats.json_values import Found, is_text, shown
from store.model import Draft, EntryKind
from store.pieces import EntryPiece, Trouble

LISTS = ("entities", "relations")


def read(path: str, text: str) -> tuple[list[EntryPiece], list[Trouble]]:
    """JSON lines as the server keeps them, or the one object that its `read_graph` gives."""
    pieces: list[EntryPiece] = []
    troubles: list[Trouble] = []
    for found in _found(text):
        made = None if found.value is None else list(_pieces(path, found.line, found.value, found.list_name))
        right = [piece for piece in made or () if is_text(piece.draft.text)]
        if made is None or len(right) < len(made):
            troubles.append(Trouble(path, found.line, "trouble-json"))
        pieces += [part for piece in right for part in markdown.fitted(piece)]
    return pieces, troubles


def is_graph(value: dict[str, Any]) -> bool:
    return value.get("type") in ("entity", "relation") or any(isinstance(value.get(name), list) for name in LISTS)


def _found(text: str) -> Iterable[Found]:
    first = next(json_values.lines(text), None)
    if first is not None and first.value is not None and not any(name in first.value for name in LISTS):
        return json_values.lines(text)
    if first is None or (text.lstrip().startswith("{") and first.value is None and '"type"' in text.split("\n", 1)[0]):
        return json_values.lines(text)
    return json_values.items(text, LISTS)


def _pieces(path: str, line: int, value: dict[str, Any], list_name: str) -> Iterator[EntryPiece]:
    kind = value.get("type") or {"entities": "entity", "relations": "relation"}.get(list_name, "")
    if kind == "entity":
        yield from _entity(path, line, value)
    elif kind == "relation":
        yield _relation(path, line, value)
    else:
        yield EntryPiece(path, line, Draft(""))


def _entity(path: str, line: int, value: dict[str, Any]) -> Iterator[EntryPiece]:
    name = shown(value.get("name"))
    observations = value.get("observations", [])
    if not name or not isinstance(observations, list):
        yield EntryPiece(path, line, Draft(""))
        return
    about = markdown.about(("entity", name), ("type", shown(value.get("entityType"))))
    tags = (name[: markdown.WORD_CHARACTERS_MAX],)
    for observation in observations:
        words = observation.strip() if is_text(observation) else ""
        yield EntryPiece(path, line, Draft(words, EntryKind.FACT, about=about, tags=tags))
    if not observations:
        yield EntryPiece(path, line, Draft(name, EntryKind.NOTE, about=about, tags=tags))


def _relation(path: str, line: int, value: dict[str, Any]) -> EntryPiece:
    one, other, how = (shown(value.get(name)) for name in ("from", "to", "relationType"))
    words = f"{one} {how} {other}" if one and other and how else ""
    tags = tuple(dict.fromkeys(name[: markdown.WORD_CHARACTERS_MAX] for name in (one, other)))
    about = markdown.about(("from", one), ("relation", how), ("to", other))
    return EntryPiece(path, line, Draft(words, EntryKind.FACT, about=about, tags=tags))
