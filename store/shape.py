"""The shape that rows and views are made of, judged key by key. Pure.

A well-formed change may still hold a list where a number is due, and would then stop every device that reads it.
Such a change is refused. A word that is not known (a kind, an origin, a state) is no such thing: a newer version may
have brought it, so it is kept, and the fold passes it over (`docs/decisions/0005`). Fields that are not named here
may hold anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import TypeGuard

from store.changes import Json, Key, parse_register_key
from store.fold import TASK_KIND, is_number
from store.ids import ulid

RECORD_MS_END = 253_402_300_800_000
"""The year 10000: no month stands behind it."""
_RECORD_END = ulid(RECORD_MS_END, bytes(10))
_NAMED = ("meta", "settings", "profile")


def has_our_shape(key: Key) -> bool:
    """`key` is well formed (`store.changes.check_key`)."""
    record = key.record
    if record >= _RECORD_END and record not in _NAMED:  # ULIDs are ordered as their moments are
        return False
    if key.map == "e":
        return _is_record(json.loads(key.value))
    if key.map == "r":
        value = json.loads(key.value)
        return is_number(value["at"]) and _is_field(parse_register_key(key.key).field, value["v"])
    return True


def _is_record(value: dict[str, Json]) -> bool:
    return (
        value.keys() >= _NEEDED
        and all(_RECORD[name](item) for name, item in value.items() if name in _RECORD)
        and (value["kind"] == TASK_KIND or isinstance(value.get("origin"), str))
    )


def _is_field(name: str, value: Json) -> bool:
    """False for what a column cannot hold. A value of another type is merely passed over, and None is none."""
    match name, value:
        case "importance", int():
            return isinstance(value, bool) or is_number(value)
        case "done_at", _:
            return value is None or is_number(value)
        case "tags+", list():
            return _is_texts(value)
    return True


def _is_texts(value: Json, count: int | None = None) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) for one in value) and count in (None, len(value))


def _is_day(value: Json) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_about(value: Json) -> bool:
    return isinstance(value, list) and all(_is_texts(pair, 2) for pair in value)


def _are_dates(value: Json) -> bool:
    return isinstance(value, list) and all(
        _is_texts(span, 3) and _is_day(span[1]) and _is_day(span[2]) for span in value
    )


def _is_source(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name, ""), str) for name in _SOURCE)


_SOURCE = ("platform", "chat", "message", "path", "quoted")
_TEXTS = ("kind", "text", "why", "impact", "next", "verify", "zone", "author", "lang", "confidence")
_TEXT_LISTS = ("tags", "aliases", "supersedes")
_RECORD: dict[str, Callable[[Json], bool]] = {
    **dict.fromkeys(_TEXTS, _is_text),
    **dict.fromkeys(_TEXT_LISTS, _is_texts),
    "about": _is_about,
    "dates": _are_dates,
    "source": _is_source,
    "at": is_number,
    "day": _is_day,
}
"""What the fields of a record must be, where they are there."""
_NEEDED = frozenset({"at", "day", "kind"})
