"""What a change may contain: keys, their digests and their limits. Pure.

A record is a key. A change only sets string values under new keys in one of four maps; every key
carries the digest of its value, so a key has one value for ever (`docs/decisions/0002`).

    e   <id>.<h>                            canonical JSON of the immutable part of a record
    l   <label>/<id>.<h of the e value>     empty
    r   <id>/<field>/<stamp>-<device>.<h>   {"at", "by", "over", "v"}
    v   <event id>.<h>                      JSON of a review event
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from store.errors import Malformed
from store.ids import DEVICE_CHARACTERS, DIGEST_CHARACTERS, STAMP_DIGITS, ULID_PATTERN, digest

MAPS = ("e", "l", "r", "v")
KEY_BYTES_MAX = 128
LABEL_BYTES_MAX = 80
VALUE_BYTES_MAX = 64 * 1024
OPS_MAX = 2000
CHANGE_BYTES_MAX = 256 * 1024
JSON_DEPTH_MAX = 16
"""Lists and objects inside one another; ours need four. A bound of our own, since each runtime breaks at another."""
COMMIT_RECORDS_MAX = 200
COMMIT_BYTES_MAX = 200 * 1024

Json = str | int | bool | None | Sequence["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True, order=True)
class Key:
    map: str
    key: str
    value: str

    @property
    def record(self) -> str:
        """The record this key belongs to: an id, or `profile`, `settings`, `meta`."""
        match self.map:
            case "r":
                return self.key.partition("/")[0]
            case "l":
                return self.key.rpartition("/")[2].partition(".")[0]
            case _:
                return self.key.partition(".")[0]


def canonical(value: Json) -> str:
    """The one spelling of a JSON value: keys by UTF-8 bytes, no spaces, integers only, no ASCII escaping.

    Python sorts by code point, which is the order of the UTF-8 bytes.
    """
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def record_key(record: str, value: Json) -> Key:
    text = canonical(value)
    return Key("e", f"{record}.{digest(text)}", text)


def label_key(label: str, record: Key) -> Key:
    return Key("l", f"{label}/{record.key}", "")


def register_key(record: str, field: str, value: Json, *, stamp: str, by: str, at_ms: int, over: Iterable[str]) -> Key:
    text = canonical({"at": at_ms, "by": by, "over": sorted(over), "v": value})
    return Key("r", f"{record}/{field}/{stamp}.{digest(text)}", text)


@dataclass(frozen=True, slots=True)
class RegisterName:
    record: str
    field: str
    stamp_ms: int
    device: str
    digest: str


_H = f"[a-z2-7]{{{DIGEST_CHARACTERS}}}"
_RECORD = re.compile(rf"({ULID_PATTERN.pattern})\.({_H})")
_LABEL = re.compile(rf"([^/]+)/({ULID_PATTERN.pattern})\.({_H})")
_REGISTER = re.compile(
    rf"({ULID_PATTERN.pattern}|profile|settings|meta)/(.+)/([0-9]{{{STAMP_DIGITS}}})-([0-9a-f]{{{DEVICE_CHARACTERS}}})\.({_H})"
)


def parse_record_key(key: str) -> tuple[str, str]:
    """(id, digest). Raises Malformed."""
    record, h = _groups(_RECORD, key)
    return record, h


def parse_label_key(key: str) -> tuple[str, str, str]:
    """(label, id, digest of the e value). Raises Malformed."""
    label, record, h = _groups(_LABEL, key)
    return label, record, h


def parse_register_key(key: str) -> RegisterName:
    """Raises Malformed."""
    record, field, stamp_ms, device, h = _groups(_REGISTER, key)
    return RegisterName(record, field, int(stamp_ms), device, h)


def _groups(pattern: re.Pattern[str], key: str) -> tuple[str, ...]:
    found = pattern.fullmatch(key)
    if found is None:
        raise Malformed("malformed-key")
    return found.groups()


def check_key(item: Key) -> None:
    """Raises Malformed unless `item` is one that any device would accept."""
    if item.map not in MAPS:
        raise Malformed("malformed-map")
    if _size(item.key) > KEY_BYTES_MAX:
        raise Malformed("malformed-key-length")
    if _size(item.value) > VALUE_BYTES_MAX:
        raise Malformed("malformed-value-length")
    match item.map:
        case "l":
            label, _, _ = parse_label_key(item.key)
            if len(label.encode()) > LABEL_BYTES_MAX or item.value:
                raise Malformed("malformed-label")
            return
        case "r":
            h = parse_register_key(item.key).digest
            _check_register_value(item.value)
        case _:
            h = parse_record_key(item.key)[1]
            _check_object(item.value)
    if h != digest(item.value):
        raise Malformed("malformed-digest")


def _size(text: str) -> int:
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:  # half of a surrogate pair has no bytes
        raise Malformed("malformed-text") from error


def _check_object(value: str) -> dict[str, Json]:
    try:
        loaded = _STRICT.decode(value)
        spelled = canonical(loaded)
    except (ValueError, RecursionError) as error:
        raise Malformed("malformed-json") from error
    # Where fewer brackets stand than may be nested, none need be followed.
    is_shallow = value.count("{") + value.count("[") <= JSON_DEPTH_MAX or _is_shallow(loaded, JSON_DEPTH_MAX)
    if not isinstance(loaded, dict) or spelled != value or not is_shallow:
        raise Malformed("malformed-json")
    return loaded


def _no_fraction(number: str) -> NoReturn:
    raise ValueError(number)


_STRICT = json.JSONDecoder(parse_float=_no_fraction, parse_constant=_no_fraction)
"""Integers only."""


def _check_register_value(value: str) -> None:
    loaded = _check_object(value)
    over = loaded.get("over")
    right = (
        set(loaded) == {"at", "by", "over", "v"}
        and type(loaded["at"]) is int
        and isinstance(loaded["by"], str)
        and isinstance(over, list)
        and all(isinstance(h, str) and re.fullmatch(_H, h) for h in over)
        and all(a < b for a, b in pairwise(over))
    )
    if not right:
        raise Malformed("malformed-register")


def _is_shallow(value: Json, depth: int) -> bool:
    """At most `depth` lists and objects inside one another."""
    if isinstance(value, dict):
        return depth > 0 and all(_is_shallow(v, depth - 1) for v in value.values())
    if isinstance(value, list):
        return depth > 0 and all(_is_shallow(v, depth - 1) for v in value)
    return True


def check_change(items: Sequence[Key]) -> None:
    """Raises Malformed unless one change may carry `items`."""
    if not items or len(items) > OPS_MAX:
        raise Malformed("malformed-op-count")
    if sum(_size(i.key) + _size(i.value) for i in items) > CHANGE_BYTES_MAX:
        raise Malformed("malformed-change-length")
    if len({(i.map, i.key) for i in items}) < len(items):
        raise Malformed("malformed-repeated-key")
    for item in items:
        check_key(item)


def batches(items: Iterable[Key]) -> Iterable[list[Key]]:
    """`items` in commits of at most 200 records and 200 KB, in order."""
    batch: list[Key] = []
    size = 0
    for item in items:
        cost = len(item.key.encode()) + len(item.value.encode())
        if batch and (len(batch) >= COMMIT_RECORDS_MAX or size + cost > COMMIT_BYTES_MAX):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += cost
    if batch:
        yield batch
