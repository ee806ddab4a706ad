"""What a line of our exact format may say: the values of records and of their registers, judged one by one. Pure.

A device is let in and its word is taken; a file may come from anybody, and whoever makes one can give every digest its
right spelling. So what a file says is held to what the program itself would have written, word by word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeGuard
from zoneinfo import available_timezones

from store.archive import IMPORTANCE_MAX
from store.changes import LABEL_BYTES_MAX, Json, Key, canonical, parse_register_key
from store.fold import CARD_KIND, TASK_KIND, card_value, fold_register, fold_review, is_number
from store.formats import moments
from store.ids import DEVICE_CHARACTERS, ULID_PATTERN, card_id, is_word, named_ulid, ulid_time_ms
from store.model import (
    CARD_TEXT_CHARACTERS_MAX,
    ENTRY_CHARACTERS_MAX,
    PROFILE_NAME_BYTES_MAX,
    PROFILE_VALUE_CHARACTERS_MAX,
    TRACKED_BYTES_MAX,
    CardState,
    Confidence,
    EntryID,
    EntryKind,
    Origin,
    ReviewKind,
    TaskState,
)
from store.occurrences import TRACK, tracked_field

LINE_CHARACTERS_MAX = 1_000
"""Of a name, an account, the id of a message."""
PATH_CHARACTERS_MAX = 200
LANGUAGES = ("zh", "en")
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

Judge = Callable[[Json], bool]


# what any part may hold


def is_clean(value: Json) -> bool:
    """No NUL in any text of it."""
    waiting: list[Json] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "\0" in one:
                return False
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
    return True


def _is_text(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= ENTRY_CHARACTERS_MAX


def _is_line(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= LINE_CHARACTERS_MAX and not _BREAKS.search(value)


def _is_path(value: Json) -> bool:
    return isinstance(value, str) and len(value) <= PATH_CHARACTERS_MAX and value.isprintable()


def _is_moment(value: Json) -> bool:
    return type(value) is int and 0 <= value < moments.END_MS


def _is_day(value: Json) -> bool:
    return isinstance(value, str) and moments.is_day(value)


def _is_any_day(value: Json) -> bool:
    return isinstance(value, str) and len(value) == 10 and moments.any_day(value) == value


def _is_zone(value: Json) -> bool:
    return isinstance(value, str) and value in _zones()


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _is_record(value: Json) -> TypeGuard[str]:
    return (
        isinstance(value, str)
        and ULID_PATTERN.fullmatch(value) is not None
        and ulid_time_ms(EntryID(value)) < moments.END_MS
    )


def _list_of(judge: Judge) -> Judge:
    return lambda value: isinstance(value, list) and all(map(judge, value))


def _is_pair(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))


def _is_span(value: Json) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and _is_text(value[0])
        and _is_any_day(value[1])
        and _is_any_day(value[2])
    )


def _is_source(value: Json) -> bool:
    return isinstance(value, dict) and all(name in _SOURCE and _SOURCE[name](one) for name, one in value.items())


_SOURCE: dict[str, Judge] = {
    **dict.fromkeys(("platform", "chat", "message", "quoted"), _is_line),
    "path": _is_path,
}


# records


def is_id(record: str) -> bool:
    return _is_record(record)


def is_label(label: str) -> bool:
    return 0 < len(label.encode("utf-8", "replace")) <= LABEL_BYTES_MAX and label.isprintable()


def is_value(record: str, value: Json) -> bool:
    """The immutable part of an entry, a task or a card."""
    if isinstance(value, dict) and value.get("kind") == CARD_KIND:
        word = value.get("word")
        return isinstance(word, str) and is_word(word) and card_id(word) == record and value == card_value(word)
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
    **dict.fromkeys(("text", "why", "impact", "next", "verify"), _is_text),
    **dict.fromkeys(("tags", "aliases"), _list_of(_is_text)),
    "about": _list_of(_is_pair),
    "at": _is_moment,
    "author": _is_line,
    "confidence": lambda value: value in ("", *Confidence),
    "dates": _list_of(_is_span),
    "day": _is_day,
    "kind": lambda value: value in (*EntryKind, TASK_KIND),
    "lang": lambda value: value in LANGUAGES,
    "origin": lambda value: value in tuple(Origin),
    "source": _is_source,
    "supersedes": _list_of(_is_record),
    "zone": _is_zone,
}


def is_review(record: str, value: Json) -> bool:
    """One event about a card, under the id that it must have where that can be told."""
    if not isinstance(value, dict) or not value.keys() <= _EVENT or not _is_record(value.get("card")):
        return False
    event = fold_review(record, {"": canonical(value)})
    if event is None or not _is_moment(event.at_ms) or not _is_line(event.by):
        return False
    if event.kind is ReviewKind.UNDO and not (
        _is_record(event.undoes) and record == named_ulid(ulid_time_ms(EntryID(event.undoes)), "undo", event.undoes)
    ):
        return False
    number = ulid_time_ms(EntryID(record))
    if event.kind is ReviewKind.IMPORT and record != named_ulid(number, "anki", str(number), event.card):
        return False
    return (
        event.zone in ("", *_zones())
        and re.fullmatch(rf"(?:[0-9a-f]{{{DEVICE_CHARACTERS}}})?", event.device) is not None
    )


_EVENT = {"at", "by", "card", "device", "kind", "rating", "slot", "took", "undoes", "zone"}


# registers


def is_register(key: Key) -> bool:
    """A writing of one field of a record, of a profile or of settings, as the program makes them."""
    name = parse_register_key(key.key)
    said = json.loads(key.value)
    if not (_is_line(said["by"]) and _is_moment(said["at"]) and name.stamp_ms < moments.END_MS):
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
        return value in LANGUAGES if name == "lang" else _is_zone(value)
    fits = len(name.encode()) <= len(TRACK) + TRACKED_BYTES_MAX and name.isprintable()
    return (
        name.startswith(TRACK)
        and name != TRACK
        and fits
        and (value in ("", None) or (_is_line(value) and tracked_field(value) == name))
    )


def _is_flag(value: Json) -> bool:
    return value is None or isinstance(value, bool)


def _is_text_or_none(value: Json) -> bool:
    return value is None or _is_text(value)


def _is_field_of_card(value: Json) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= CARD_TEXT_CHARACTERS_MAX)


_IDS = _list_of(_is_record)
_FIELDS: dict[str, Judge] = {
    **dict.fromkeys(("hidden", "restored", "pinned", "cleared"), _is_flag),
    **dict.fromkeys(("settles", "kept"), _IDS),
    "importance": lambda value: value is None or (type(value) is int and 0 <= value <= IMPORTANCE_MAX),
    "tags+": _list_of(_is_text),
    "until": lambda value: value in ("", None) or _is_any_day(value),
    **dict.fromkeys(("note", "next", "blocked_by", "resume_step", "due"), _is_text_or_none),
    "done_at": lambda value: value is None or _is_moment(value),
    "state": lambda value: value in tuple(TaskState),
    "title": lambda value: _is_text(value) and bool(value.strip()),
    "added": _is_moment,
    "card_state": lambda value: value in tuple(CardState),
    **dict.fromkeys(("meaning", "ipa", "pos", "example"), _is_field_of_card),
    "card_tags": lambda value: _list_of(_is_line)(value) and _is_field_of_card("".join(map(str, value))),  # type: ignore[arg-type]
    "order": lambda value: is_number(value),
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
