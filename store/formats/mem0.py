"""Memories as mem0 exports them: a JSON list, or an object with that list under `results`. Pure."""

from __future__ import annotations

from typing import Any

from store.formats import json_values, markdown, moments
from store.formats.json_values import is_text, shown
from store.model import Draft, EntryKind
from store.pieces import EntryPiece, Trouble

LISTS = ("results", "memories")
_WORDS = ("memory", "text", "data", "content")
_WHOSE = ("user_id", "agent_id", "app_id", "run_id")
_TAGS_MAX = 20


def read(path: str, text: str) -> tuple[list[EntryPiece], list[Trouble]]:
    pieces: list[EntryPiece] = []
    troubles: list[Trouble] = []
    for found in json_values.items(text, LISTS):
        try:
            made = None if found.value is None else _piece(path, found.line, found.value)
        except moments.FarAway as error:
            troubles.append(Trouble(path, found.line, "trouble-day", {"value": str(error)}))
            continue
        if made is None:
            troubles.append(Trouble(path, found.line, "trouble-json"))
        else:
            pieces += markdown.fitted(made)
    return pieces, troubles


def is_memory(value: dict[str, Any]) -> bool:
    return isinstance(value.get("memory"), str) or (
        any(isinstance(value.get(name), str) for name in _WORDS)
        and any(name in value for name in (*_WHOSE, "categories", "metadata", "created_at"))
    )


def _piece(path: str, line: int, value: dict[str, Any]) -> EntryPiece | None:
    words = next((found for name in _WORDS if is_text(found := value.get(name))), None)
    if words is None:
        return None
    metadata = value.get("metadata")
    named = metadata.items() if isinstance(metadata, dict) else ()
    pairs = [(name, shown(value.get(name))) for name in ("id", *_WHOSE)]
    pairs += [(key, shown(one)) for key, one in list(named)[:_TAGS_MAX] if is_text(key)]
    tags = _texts(value.get("categories"))
    at_ms, day = _when(value.get("created_at"))
    kind = EntryKind.PREFERENCE if any("preference" in tag.lower() for tag in tags) else EntryKind.FACT
    draft = Draft(words.strip(), kind, about=markdown.about(*pairs), tags=tags)
    return EntryPiece(path, line, draft, day=day, at_ms=at_ms)


def _texts(value: object) -> tuple[str, ...]:
    found = value if isinstance(value, list) else [value]
    cut = (shown(one)[: markdown.WORD_CHARACTERS_MAX] for one in found[:_TAGS_MAX])
    return tuple(dict.fromkeys(one for one in cut if one))


def _when(value: object) -> tuple[int | None, str]:
    """(moment, "") or (None, day) or, where nothing that can be read is said, neither. Raises FarAway."""
    if not is_text(value):
        return None, ""
    return moments.moment(value.strip()) or (None, moments.near_day(value.strip()))
