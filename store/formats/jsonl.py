"""Our exact format: one record a line, with everything that was ever said of it. Pure.

    {"niannian":1,"id":"01HY…","labels":["D-2024-05-27-01"],"value":{…},"registers":[{…}],"events":[{…}]}

`value` is the immutable part. A register is one writing of one field: `field`, `stamp` (time and device), `value`, `by`,
`at`, and `over`, the digests of the writings it replaces. Keys and digests are made anew from these, so what is read
back is equal to what was written or it is nothing. A record that two devices made differently has two lines.
`profile` and `settings` have no value; what a home knows of its devices and people (`meta`) is never written or read.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from store.changes import (
    Json,
    Key,
    canonical,
    check_key,
    label_key,
    parse_label_key,
    parse_record_key,
    parse_register_key,
    record_key,
    register_key,
)
from store.errors import Malformed
from store.formats import exact, json_values
from store.formats.exact_learning import is_review
from store.formats.values import is_clean
from store.ids import STAMP_DIGITS, digest
from store.pieces import RecordPiece, Trouble
from store.shape import has_our_shape

VERSION = 1
MARK = "niannian"
NAMED = ("profile", "settings")
KEYS_MAX = 20_000
"""Of one record."""


# out


def lines_of(record: str, keys: Sequence[Key]) -> Iterator[str]:
    """The lines of one record, without a newline; none when nothing of it can be shown."""
    values: dict[str, str] = {}
    labels: dict[str, list[Json]] = defaultdict(list)
    registers: list[Json] = []
    events: list[Json] = []
    for key in sorted(keys):
        match key.map:
            case "e":
                values[parse_record_key(key.key)[1]] = key.value
            case "l":
                label, _, of = parse_label_key(key.key)
                labels[of].append(label)
            case "r":
                registers.append(_register(key))
            case _:
                events.append(json.loads(key.value))
    said: dict[str, Json] = {"registers": registers, "events": events}
    for of, value in values.items():
        yield _line(record, {"labels": labels[of], "value": json.loads(value), **said})
        said = {}  # what is said of the record is said once
    if not values and (events or (registers and record in NAMED)):
        yield _line(record, said)


def _line(record: str, parts: dict[str, Json]) -> str:
    whole: dict[str, Json] = {MARK: VERSION, "id": record, **{name: part for name, part in parts.items() if part}}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def _register(key: Key) -> Json:
    name = parse_register_key(key.key)
    value = json.loads(key.value)
    return {
        "field": name.field,
        "stamp": f"{name.stamp_ms:0{STAMP_DIGITS}d}-{name.device}",
        "value": value["v"],
        "by": value["by"],
        "at": value["at"],
        "over": value["over"],
    }


# in


@dataclass(slots=True)
class _Lines:
    """What the lines of one record say of it together. `line`: the first of them."""

    line: int
    keys: set[Key] = field(default_factory=set)


def read(path: str, text: str) -> tuple[list[RecordPiece], list[Trouble]]:
    """A record is one piece, however many lines it has."""
    found: dict[str, _Lines] = {}
    troubles: list[Trouble] = []
    for one in json_values.lines(text):
        try:
            if one.value is None:
                raise _Unreadable("trouble-json")
            record, keys, left_out = _record(one.value)
        except _Unreadable as error:
            troubles.append(Trouble(path, one.line, error.code))
            continue
        if left_out:
            troubles.append(Trouble(path, one.line, "trouble-record"))
        if keys:
            found.setdefault(record, _Lines(one.line)).keys.update(keys)
    pieces: list[RecordPiece] = []
    for record, lines in found.items():
        if len(lines.keys) <= KEYS_MAX and (record in NAMED or exact.is_whole(lines.keys)):
            pieces.append(RecordPiece(path, lines.line, record, tuple(sorted(lines.keys))))
        else:
            troubles.append(Trouble(path, lines.line, "trouble-record"))
    return pieces, sorted(troubles, key=lambda trouble: trouble.line)


def is_ours(value: dict[str, Any]) -> bool:
    return MARK in value and "id" in value


class _Unreadable(Exception):
    def __init__(self, code: str) -> None:
        self.code = code


def _record(value: dict[str, Any]) -> tuple[str, set[Key], bool]:
    """(record, its keys, whether a part of a profile or of settings is left out)."""
    if type(value.get(MARK)) is int and value[MARK] > VERSION:
        raise _Unreadable("trouble-newer")
    record = value.get("id")
    if not isinstance(record, str) or type(value.get(MARK)) is not int:
        raise _Unreadable("trouble-record")
    if record not in NAMED and not exact.is_id(record):
        raise _Unreadable("trouble-record")
    try:
        made = set(_keys(record, value))
        right = {key for key in made if _is_right(key)}
    except (Malformed, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _Unreadable("trouble-record") from error
    if not made or len(made) > KEYS_MAX or (record not in NAMED and right != made):
        raise _Unreadable("trouble-record")
    return record, right, right != made


def _is_right(key: Key) -> bool:
    try:
        check_key(key)
    except Malformed:
        return False
    if not has_our_shape(key):
        return False
    match key.map:
        case "l":
            return exact.is_label(parse_label_key(key.key)[0])
        case "e":
            value = json.loads(key.value)
            return is_clean(value) and exact.is_value(key.record, value)
        case "r":
            return is_clean(json.loads(key.value)) and exact.is_register(key)
        case _:
            value = json.loads(key.value)
            return key.record not in NAMED and is_clean(value) and is_review(key.record, value)


def _keys(record: str, value: dict[str, Any]) -> Iterable[Key]:
    """Raises what the parts of a stranger's line make Python raise."""
    if "value" in value:
        if record in NAMED or not isinstance(value["value"], dict):
            raise Malformed
        main = record_key(record, value["value"])
        yield main
        yield from (label_key(_text(label), main) for label in value.get("labels", ()))
    elif "labels" in value:
        raise Malformed
    for said in value.get("registers", ()):
        yield register_key(
            record,
            _text(said["field"]),
            said["value"],
            stamp=_text(said["stamp"]),
            by=_text(said["by"]),
            at_ms=said["at"],
            over=[_text(one) for one in said["over"]],
        )
    for event in value.get("events", ()):
        spelled = canonical(event)
        yield Key("v", f"{record}.{digest(spelled)}", spelled)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Malformed
    return value
