"""A change chunk of Automerge's binary format, read and written by hand: only the shapes we allow. Pure.

Layer 1 of what a foreign change must pass. A chunk is read under strict limits, its operations are turned
into keys, and the whole chunk is written again from what was read: unless that gives the very same bytes,
it is refused. So every change has one spelling, and nothing we did not understand can hide in it.

Format: https://automerge.org/automerge-binary-format-spec. A chunk is magic, checksum, type, length, body;
the body is deps, author, seq, start_op, time, message, other actors, column list, column data.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TypeVar

from store.changes import CHANGE_BYTES_MAX, KEY_BYTES_MAX, MAPS, OPS_MAX, Key, check_change
from store.errors import Malformed

T = TypeVar("T")

ACTOR_BYTES = 16
GENESIS_ACTOR = bytes(ACTOR_BYTES)
HASH_BYTES = 32
DEPS_MAX = 256
CHUNK_BYTES_MAX = CHANGE_BYTES_MAX + 32 * 1024
"""Room for 256 KB of keys and values, and for 256 deps and the columns of 2,000 operations around them."""
COUNTER_MAX = 1 << 31
"""Sequence and operation numbers stay below this, so that no sum of ours or of the engine's overflows."""

_MAGIC = b"\x85\x6f\x4a\x83"
_CHANGE, _DEFLATED = 1, 2
_FIRST_MAP = 2
"""Genesis sets `doc` as operation 1 and makes the four maps as operations 2 to 5."""

# Column ids of operations: object actor and counter, key string, insert, action, value length and bytes, predecessors.
_OBJECT_ACTOR, _OBJECT_COUNTER, _KEY, _INSERT, _ACTION, _VALUE_META, _VALUE, _PREDECESSORS = (
    0x01, 0x02, 0x15, 0x34, 0x42, 0x56, 0x57, 0x70,
)  # fmt: skip
_COLUMNS = frozenset((_OBJECT_ACTOR, _OBJECT_COUNTER, _KEY, _INSERT, _ACTION, _VALUE_META, _VALUE, _PREDECESSORS))
_SET = 1
_STRING = 6


@dataclass(frozen=True, slots=True)
class ParsedChange:
    hash: bytes
    data: bytes
    """The chunk, inflated."""
    deps: tuple[bytes, ...]
    actor: bytes
    seq: int
    start_op: int
    keys: tuple[Key, ...]

    @property
    def last_op(self) -> int:
        return self.start_op + len(self.keys) - 1


def parse_change(chunk: bytes) -> ParsedChange:
    """What `chunk` sets. Raises Malformed, naming the check that refused it."""
    data = _inflated(chunk)
    reader = _Reader(data, 9)
    length = reader.uleb("length")
    if reader.left() != length:
        raise Malformed("malformed-chunk-length")
    deps = _deps(reader)
    actor = reader.take(reader.uleb("actor"), "actor")
    seq, start_op = reader.uleb("seq"), reader.uleb("start-op")
    if len(actor) != ACTOR_BYTES or actor == GENESIS_ACTOR:
        raise Malformed("malformed-actor")
    if not 1 <= seq < COUNTER_MAX or not 1 <= start_op < COUNTER_MAX:
        raise Malformed("malformed-counter")
    if reader.take(2, "time") != b"\0\0":
        raise Malformed("malformed-time")  # time and message say when and what: both stay empty
    if reader.uleb("actors") != 1 or reader.take(1 + ACTOR_BYTES, "actors") != bytes([ACTOR_BYTES]) + GENESIS_ACTOR:
        raise Malformed("malformed-actors")
    keys = _operations(reader)
    if encode_change(deps, actor, seq, start_op, keys) != data:
        raise Malformed("malformed-spelling")
    return ParsedChange(hashlib.sha256(data[8:]).digest(), data, deps, actor, seq, start_op, keys)


def encode_change(deps: Sequence[bytes], actor: bytes, seq: int, start_op: int, keys: Sequence[Key]) -> bytes:
    """The one spelling of the change that sets `keys`, byte for byte what Automerge writes."""
    count = len(keys)
    values = [key.value.encode() for key in keys]
    columns = {
        _OBJECT_ACTOR: _run(count, b"\x01"),
        _OBJECT_COUNTER: _rle([uleb(_FIRST_MAP + MAPS.index(key.map)) for key in keys]),
        _KEY: _rle([uleb(len(text)) + text for text in (key.key.encode() for key in keys)]),
        _INSERT: uleb(count),
        _ACTION: _run(count, uleb(_SET)),
        _VALUE_META: _rle([uleb(len(value) << 4 | _STRING) for value in values]),
        _VALUE: b"".join(values),
        _PREDECESSORS: _run(count, b"\0"),
    }
    kept = {column: body for column, body in columns.items() if body}
    body = b"".join(
        (
            uleb(len(deps)), *deps, uleb(len(actor)), actor, uleb(seq), uleb(start_op), b"\0\0",
            uleb(1), uleb(ACTOR_BYTES), GENESIS_ACTOR,
            uleb(len(kept)), *(uleb(column) + uleb(len(data)) for column, data in kept.items()), *kept.values(),
        )
    )  # fmt: skip
    tail = bytes([_CHANGE]) + uleb(len(body)) + body
    return _MAGIC + hashlib.sha256(tail).digest()[:4] + tail


def _inflated(chunk: bytes) -> bytes:
    """The chunk with its body inflated; type, size and checksum are right afterwards."""
    if len(chunk) > CHUNK_BYTES_MAX:
        raise Malformed("malformed-change-length")
    if chunk[:4] != _MAGIC or len(chunk) < 10:
        raise Malformed("malformed-magic")
    if chunk[8] == _DEFLATED:
        reader = _Reader(chunk, 9)
        length = reader.uleb("length")
        if reader.left() != length:
            raise Malformed("malformed-chunk-length")
        inflater = zlib.decompressobj(-15)
        try:
            body = inflater.decompress(reader.take(length, "body"), CHUNK_BYTES_MAX)
        except zlib.error as error:
            raise Malformed("malformed-deflate") from error
        if not inflater.eof or inflater.unused_data:
            raise Malformed("malformed-deflate")  # too long, cut off, or followed by something
        chunk = chunk[:8] + bytes([_CHANGE]) + uleb(len(body)) + body
    if chunk[8] != _CHANGE:
        raise Malformed("malformed-chunk-type")
    if hashlib.sha256(chunk[8:]).digest()[:4] != chunk[4:8]:
        raise Malformed("malformed-checksum")
    return chunk


def _deps(reader: _Reader) -> tuple[bytes, ...]:
    count = reader.uleb("deps")
    if not 1 <= count <= DEPS_MAX:
        raise Malformed("malformed-deps")
    deps = tuple(reader.take(HASH_BYTES, "deps") for _ in range(count))
    if any(a >= b for a, b in pairwise(deps)):
        raise Malformed("malformed-deps")
    return deps


def _operations(reader: _Reader) -> tuple[Key, ...]:
    listed = [(reader.uleb("columns"), reader.uleb("columns")) for _ in range(reader.count(8, "columns"))]
    ids = [column for column, _ in listed]
    if ids != sorted(set(ids)) or not _COLUMNS.issuperset(ids):
        raise Malformed("malformed-columns")
    columns = {column: reader.take(size, "columns") for column, size in listed}
    if reader.left():
        raise Malformed("malformed-extra-bytes")
    keys = [_text(raw) for raw in _unrle(columns.get(_KEY, b""), _key)]
    objects = _unrle(columns.get(_OBJECT_COUNTER, b""), lambda r: r.uleb("object"))
    metas = _unrle(columns.get(_VALUE_META, b""), lambda r: r.uleb("value"))
    if not 1 <= len(keys) == len(objects) == len(metas):
        raise Malformed("malformed-op-count")
    values = _Reader(columns.get(_VALUE, b""), 0)
    out: list[Key] = []
    for key, number, meta in zip(keys, objects, metas, strict=True):
        if not _FIRST_MAP <= number < _FIRST_MAP + len(MAPS):
            raise Malformed("malformed-object")
        if meta & 15 != _STRING:
            raise Malformed("malformed-value-type")
        out.append(Key(MAPS[number - _FIRST_MAP], key, _text(values.take(meta >> 4, "value"))))
    check_change(out)
    return tuple(out)


def _key(reader: _Reader) -> bytes:
    """Bounded here: a run of one long key would cost its length two thousand times."""
    length = reader.uleb("key")
    if length > KEY_BYTES_MAX:
        raise Malformed("malformed-key-length")
    return reader.take(length, "key")


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Malformed("malformed-utf8") from error


class _Reader:
    """Bytes read from the left; every step is checked against what is left."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int, what: str) -> bytes:
        start, end = self._at, self._at + count
        if end > len(self._data):
            raise Malformed(f"malformed-{what}")
        self._at = end
        return self._data[start:end]

    def uleb(self, what: str) -> int:
        """Unsigned LEB128 of at most 8 bytes. Overlong spellings are caught when the chunk is written again."""
        data, at = self._data, self._at
        if at < len(data) and data[at] < 128:  # nearly every number is one byte
            self._at = at + 1
            return data[at]
        return self._leb(what)[0]

    def sleb(self, what: str) -> int:
        data, at = self._data, self._at
        if at < len(data) and data[at] < 128:
            self._at = at + 1
            return data[at] - 128 if data[at] & 64 else data[at]
        number, bits = self._leb(what)
        return number - (1 << bits) if number >> bits - 1 else number

    def _leb(self, what: str) -> tuple[int, int]:
        """The number, unsigned, and of how many bits it is made."""
        data, start = self._data, self._at
        number = bits = 0
        for at in range(start, min(start + 8, len(data))):
            byte = data[at]
            number |= (byte & 127) << bits
            bits += 7
            if byte < 128:
                self._at = at + 1
                return number, bits
        raise Malformed(f"malformed-{what}")

    def count(self, most: int, what: str) -> int:
        count = self.uleb(what)
        if count > most:
            raise Malformed(f"malformed-{what}")
        return count


def _unrle(column: bytes, one: Callable[[_Reader], T]) -> list[T]:
    """The values of a run-length column. Runs are counted before they are expanded; nulls are refused."""
    reader = _Reader(column, 0)
    out: list[T] = []
    while reader.left():
        run = reader.sleb("run")
        if run == 0 or len(out) + abs(run) > OPS_MAX:
            raise Malformed("malformed-run")
        if run > 0:
            out += [one(reader)] * run
        else:
            out += [one(reader) for _ in range(-run)]
    return out


def _rle(values: Sequence[bytes]) -> bytes:
    """Runs of two or more as (count, value); what stands between them as (-count, values)."""
    out = bytearray()
    alone: list[bytes] = []
    for value, run in groupby(values):
        count = len(list(run))
        if count > 1:
            out += _alone(alone) + _run(count, value)
            alone = []
        else:
            alone.append(value)
    return bytes(out + _alone(alone))


def _run(count: int, value: bytes) -> bytes:
    return _sleb(count) + value if count > 1 else _alone([value] * count)


def _alone(values: Sequence[bytes]) -> bytes:
    return _sleb(-len(values)) + b"".join(values) if values else b""


def uleb(number: int) -> bytes:
    """Unsigned LEB128."""
    if number < 128:
        return bytes((number,))
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _sleb(number: int) -> bytes:
    if -64 <= number < 64:
        return bytes((number & 127,))
    out = bytearray()
    while True:
        byte = number & 127
        number >>= 7
        if (number == 0 and not byte & 64) or (number == -1 and byte & 64):
            out.append(byte)
            return bytes(out)
        out.append(byte | 128)
