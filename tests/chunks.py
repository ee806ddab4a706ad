"""Change chunks put together by hand, right or wrong in one place, for tests and for `tools/make_vectors.py`."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from store.changes import MAPS, Key

GENESIS_ACTOR = bytes(16)
ACTOR = bytes(range(16))
SAMPLE = "记住 hello 😀"
WIDE_A = "\uff21"
"""Before U+10000 in UTF-8, behind it in UTF-16."""


def uleb(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def sleb(number: int) -> bytes:
    out = bytearray()
    while not -64 <= number < 64:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number & 127])


def run(count: int, *values: bytes) -> bytes:
    """One run of a run-length column: `count` times the one value, or -count values as they stand."""
    return sleb(count) + b"".join(values)


def columns(*items: Key) -> dict[int, bytes]:
    """The columns for one key or several, in literal runs: what Automerge writes when neighbours differ."""
    count = len(items)
    text = [item.key.encode() for item in items]
    value = [item.value.encode() for item in items]
    every = count if count > 1 else -1

    def literal(parts: Sequence[bytes]) -> bytes:
        assert all(a != b for a, b in pairwise(parts)), "neighbours differ"
        return run(-count, *parts)

    return {
        0x01: run(every, b"\1"),
        0x02: literal([uleb(2 + MAPS.index(item.map)) for item in items]),
        0x15: literal([uleb(len(one)) + one for one in text]),
        0x34: uleb(count),
        0x42: run(every, b"\1"),
        0x56: literal([uleb(len(one) << 4 | 6) for one in value]),
        0x57: b"".join(value),
        0x70: run(every, b"\0"),
    }


@dataclass
class Chunk:
    """Every part may be replaced; lengths and checksum follow unless they are given."""

    columns: Mapping[int, bytes] | Sequence[tuple[int, bytes]]
    deps: Sequence[bytes] = (bytes([1] * 32),)
    deps_count: bytes | None = None
    actor: bytes = ACTOR
    seq: bytes = b"\1"
    start_op: bytes = b"\6"
    time_and_message: bytes = b"\0\0"
    actors: bytes = field(default=b"\1\x10" + GENESIS_ACTOR)
    column_count: bytes | None = None
    behind: bytes = b""
    body_length: bytes | None = None

    def body(self) -> bytes:
        listed = list(self.columns.items()) if isinstance(self.columns, Mapping) else list(self.columns)
        return b"".join(
            (
                uleb(len(self.deps)) if self.deps_count is None else self.deps_count, *self.deps,
                uleb(len(self.actor)), self.actor, self.seq, self.start_op, self.time_and_message, self.actors,
                uleb(len(listed)) if self.column_count is None else self.column_count,
                *(uleb(name) + uleb(len(data)) for name, data in listed), *(data for _, data in listed),
                self.behind,
            )
        )  # fmt: skip

    def build(self) -> bytes:
        return sealed(self.body(), self.body_length)


def sealed(body: bytes, length: bytes | None = None, kind: int = 1) -> bytes:
    """Magic, checksum, type and length around `body`."""
    tail = bytes([kind]) + (uleb(len(body)) if length is None else length) + body
    return b"\x85\x6f\x4a\x83" + hashlib.sha256(tail).digest()[:4] + tail


def body_of(chunk: bytes) -> bytes:
    at = 9
    while chunk[at] > 127:
        at += 1
    return chunk[at + 1 :]


def deflated(chunk: bytes, packed: bytes | None = None) -> bytes:
    """The deflated spelling of a chunk; the checksum is that of the plain one."""
    if packed is None:
        squeeze = zlib.compressobj(wbits=-15)
        packed = squeeze.compress(body_of(chunk)) + squeeze.flush()
    return chunk[:8] + b"\2" + uleb(len(packed)) + packed
