"""The part of CBOR that `memsync/1` speaks, and its one spelling (RFC 8949 §4.2.1). Pure.

Unsigned numbers, bytes, text, arrays and maps of definite length, nothing else: no tag, no negative number,
no float, no true, false or null. A decoder builds whatever a stranger's bytes ask for, so a scan that builds
nothing looks at them first.
"""

from __future__ import annotations

from typing import Any

import cbor2

from sync.errors import Malformed

DEPTH_MAX = 6
"""Arrays and maps inside one another, the innermost item included; ours need five."""

_NUMBER, _BYTES, _TEXT, _ARRAY, _MAP = 0, 2, 3, 4, 5
"""Major types."""


def encode(value: object) -> bytes:
    return cbor2.dumps(value, canonical=True)


def decode(data: bytes, what: str) -> Any:
    """The one item in `data`. Raises Malformed: `<what>-cbor`, or `<what>-spelling` for another spelling of it."""
    if _end(data, 0, DEPTH_MAX) != len(data):
        raise Malformed(f"{what}-cbor")
    try:
        value = cbor2.loads(data)
    except (ValueError, cbor2.CBORError) as error:
        raise Malformed(f"{what}-cbor") from error
    if encode(value) != data:
        raise Malformed(f"{what}-spelling")
    return value


def _end(data: bytes, at: int, depth: int) -> int:
    """Where the item that begins at `at` ends; past the end of `data` when it is none of ours or is cut off."""
    wrong = len(data) + 1
    if depth == 0 or at >= len(data):
        return wrong
    major, short = data[at] >> 5, data[at] & 31
    at += 1
    size = 0 if short < 24 else 1 << (short - 24)
    if size > 8:
        return wrong
    number = int.from_bytes(data[at : at + size], "big") if size else short
    at += size
    if major == _NUMBER:
        return at
    if major in (_BYTES, _TEXT):
        return at + number
    if major not in (_ARRAY, _MAP):
        return wrong
    # Every turn takes a byte or ends, so a count of 2**62 costs no more than the bytes that are there.
    for _ in range(number if major == _ARRAY else 2 * number):
        at = _end(data, at, depth - 1)
        if at > len(data):
            return wrong
    return at
