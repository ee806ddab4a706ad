"""What a line of our exact format may say: the values of records and of their registers, judged one by one. Pure.

A device is let in and its word is taken; a file may come from anybody, and whoever makes one can give every digest its
right spelling. So what a file says is held to what the program itself would have written, word by word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from store.archive import IMPORTANCE_MAX
from store.changes import LABEL_BYTES_MAX, Json, Key, parse_register_key
from store.fold import CARD_KIND, TASK_KIND, fold_register
from store.formats import exact_learning, moments
from store.formats.values import (
    Judge,
    is_any_day,
    is_day,
    is_flag,
    is_line,
    is_moment,
    is_pair,
    is_path,
    is_record,
    is_span,
    is_text,
    is_text_or_none,
    is_zone,
    list_of,
)
from store.model import (
    ENTRY_CHARACTERS_MAX,
    PROFILE_NAME_BYTES_MAX,
    PROFILE_VALUE_CHARACTERS_MAX,
    TRACKED_BYTES_MAX,
    Confidence,
    EntryKind,
    Origin,
    TaskState,
)
from store.occurrences import TRACK, tracked_field

LANGUAGES = ("zh", "en")


def _is_source(value: Json) -> bool:
    return isinstance(value, dict) and all(name in _SOURCE and _SOURCE[name](one) for name, one in value.items())


_SOURCE: dict[str, Judge] = {
    **dict.fromkeys(("platform", "chat", "message", "quoted"), is_line),
    "path": is_path,
}


# records


def is_id(record: str) -> bool:
    return is_record(record)


def is_label(label: str) -> bool:
    return 0 < len(label.encode("utf-8", "replace")) <= LABEL_BYTES_MAX and label.isprintable()


def is_value(record: str, value: Json) -> bool:
    """The immutable part of an entry, a task or a card."""
    if isinstance(value, dict) and value.get("kind") == CARD_KIND:
        return exact_learning.is_card(record, value)
    if not isinstance(value, dict) or not all(name in _VALUE and _VALUE[name](one) for name, one in value.items()):
        return False
    if not value.keys() >= {"at", "day", "kind"} or _length(value) > ENTRY_CHARACTERS_MAX:
        return False
    words = value.get("text", "")
    return value["kind"] == TASK_KIND or ("origin" in value and isinstance(words, str) and bool(words.strip()))


def _length(value: dict[str, Json]) -> int:
    waiting = [value[name] for name in _WORDS if name in value]
    length = 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            length += len(one)
        elif isinstance(one, list):
            waiting += one
    return length


_WORDS = ("text", "why", "impact", "next", "verify", "about", "tags", "aliases")
_VALUE: dict[str, Judge] = {
    **dict.fromkeys(("text", "why", "impact", "next", "verify"), is_text),
    **dict.fromkeys(("tags", "aliases"), list_of(is_text)),
    "about": list_of(is_pair),
    "at": is_moment,
    "author": is_line,
    "confidence": lambda value: value in ("", *Confidence),
    "dates": list_of(is_span),
    "day": is_day,
    "kind": lambda value: value in (*EntryKind, TASK_KIND),
    "lang": lambda value: value in LANGUAGES,
    "origin": lambda value: value in tuple(Origin),
    "source": _is_source,
    "supersedes": list_of(is_record),
    "zone": is_zone,
}


# registers


def is_register(key: Key) -> bool:
    """A writing of one field of a record, of a profile or of settings, as the program makes them."""
    name = parse_register_key(key.key)
    said = json.loads(key.value)
    if not (is_line(said["by"]) and is_moment(said["at"]) and name.stamp_ms < moments.END_MS):
        return False
    match name.record:
        case "profile":
            return is_profile(name.field, said["v"])
        case "settings":
            return _is_setting(name.field, said["v"])
    return name.field in _FIELDS and _FIELDS[name.field](said["v"])


def is_profile(name: str, value: Json) -> bool:
    """Whether a profile can hold this: as the command for it takes it, "" and None being nothing."""
    return (
        0 < len(name.encode()) <= PROFILE_NAME_BYTES_MAX
        and "/" not in name
        and name.isprintable()
        and (value is None or (isinstance(value, str) and len(value) <= PROFILE_VALUE_CHARACTERS_MAX))
    )


def _is_setting(name: str, value: Json) -> bool:
    if name in ("lang", "zone"):
        return value in LANGUAGES if name == "lang" else is_zone(value)
    if name in exact_learning.SETTINGS:
        return exact_learning.SETTINGS[name](value)
    fits = len(name.encode()) <= len(TRACK) + TRACKED_BYTES_MAX and name.isprintable()
    return (
        name.startswith(TRACK)
        and name != TRACK
        and fits
        and (value in ("", None) or (is_line(value) and tracked_field(value) == name))
    )


_IDS = list_of(is_record)
_FIELDS: dict[str, Judge] = {
    **dict.fromkeys(("hidden", "restored", "pinned", "cleared"), is_flag),
    **dict.fromkeys(("settles", "kept", "sources"), _IDS),
    "asked": lambda value: is_text_or_none(value) or _IDS(value),
    "kind": lambda value: value in ("", None, *EntryKind),
    "tidy": lambda value: value in ("", None, "agreed", "left"),
    "importance": lambda value: value is None or (type(value) is int and 0 <= value <= IMPORTANCE_MAX),
    "tags+": list_of(is_text),
    "until": lambda value: value in ("", None) or is_any_day(value),
    **dict.fromkeys(("note", "next", "blocked_by", "resume_step", "due", "every"), is_text_or_none),
    "done_at": lambda value: value is None or is_moment(value),
    "state": lambda value: value in tuple(TaskState),
    "title": lambda value: is_text(value) and bool(value.strip()),
    **exact_learning.FIELDS,
}


def is_whole(keys: Iterable[Key]) -> bool:
    """Of all the keys of one record: registers are of something, nothing is hidden, a task has its title, and a card
    was added.

    A hidden record is in no file of ours; one that came in hidden would be seen by nobody.
    """
    fields: dict[str, list[Key]] = {}
    kinds: set[str] = set()
    for key in keys:
        if key.map == "r":
            fields.setdefault(parse_register_key(key.key).field, []).append(key)
        elif key.map == "e":
            kinds.add(json.loads(key.value)["kind"])
    if fields and not kinds:
        return False
    if (TASK_KIND in kinds and "title" not in fields) or (CARD_KIND in kinds and "added" not in fields):
        return False
    return "hidden" not in fields or fold_register(fields["hidden"]).value is not True
