"""A database file as it stands, its write-ahead log folded in, read as bytes and touched by nobody.

SQLite itself cannot promise that: even a read-only connection takes locks, and makes or changes the `-shm`
and `-wal` beside the file. So the two files are read here, in an order that gives one state even while
another process writes, and the pages of the log are laid over those of the file
(https://sqlite.org/fileformat2.html#the_write_ahead_log).

Not for a process that has the same file open with SQLite: closing any descriptor of a file drops all POSIX
locks that the process holds on it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from store.errors import OverLimit, StoreBusy

SNAPSHOT_BYTES_MAX = 1 << 30
TRIES_MAX = 20

_WAL_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_WAL_MAGIC = 0x377F0682
_WAL_VERSION = 3007000
_FORMAT_AT = 18
"""Two bytes of the file's header, write and read version: 2 with a write-ahead log, 1 without."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    image: bytes
    """For `sqlite3.Connection.deserialize`; marked as without a write-ahead log. Empty when the file is."""
    wal_mode: bool


def take(path: Path, *, past_log: bool = False) -> Snapshot:
    """`past_log`: the file alone, without a log that is not its own.

    Raises OSError, StoreBusy when writers leave no quiet moment, OverLimit past `SNAPSHOT_BYTES_MAX`.

    The file is read first and the log after it. While the log was not begun anew in between, every page that
    a checkpoint may have written meanwhile is also in the log, and newer.
    """
    log = path.with_name(path.name + "-wal")
    for _ in range(TRIES_MAX):
        header, before = (b"" if past_log else _head(log)), _mark(path)
        if path.stat().st_size + _size(log) > SNAPSHOT_BYTES_MAX:
            raise OverLimit(path=str(path), most=SNAPSHOT_BYTES_MAX)
        base = path.read_bytes()
        frames = b"" if past_log else _bytes(log)
        if frames[:_WAL_HEADER_BYTES] == header and (header or _mark(path) == before):
            image = bytearray(_folded_in(base, frames))
            wal_mode = image[_FORMAT_AT : _FORMAT_AT + 2] == b"\2\2"
            if wal_mode:
                image[_FORMAT_AT : _FORMAT_AT + 2] = b"\1\1"
            return Snapshot(bytes(image), wal_mode)
    raise StoreBusy


def _mark(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_WAL_HEADER_BYTES)
    except FileNotFoundError:
        return b""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _folded_in(base: bytes, wal: bytes) -> bytes:
    """`base` with every committed, unbroken frame of `wal` in its place: what SQLite's own recovery would see."""
    if len(wal) < _WAL_HEADER_BYTES:
        return base
    magic, version, page_bytes, _, salt_1, salt_2, *sums_wanted = struct.unpack(">8I", wal[:_WAL_HEADER_BYTES])
    order = ">" if magic & 1 else "<"
    sums = _checksum(order, wal[:24], (0, 0))
    sound = magic & ~1 == _WAL_MAGIC and version == _WAL_VERSION and 512 <= page_bytes <= 65536
    if not sound or sums != tuple(sums_wanted):
        return base
    waiting: dict[int, int] = {}
    committed: dict[int, int] = {}
    pages = 0
    for at in range(
        _WAL_HEADER_BYTES, len(wal) - _FRAME_HEADER_BYTES - page_bytes + 1, _FRAME_HEADER_BYTES + page_bytes
    ):
        body = at + _FRAME_HEADER_BYTES
        number, pages_after, one, two, *frame_sums = struct.unpack(">6I", wal[at:body])
        sums = _checksum(order, wal[at : at + 8], sums)
        sums = _checksum(order, wal[body : body + page_bytes], sums)
        if number == 0 or (one, two) != (salt_1, salt_2) or sums != tuple(frame_sums):
            break
        waiting[number] = body
        if pages_after:
            committed |= waiting
            waiting = {}
            pages = pages_after
    if not committed:
        return base
    image = bytearray(base[: pages * page_bytes].ljust(pages * page_bytes, b"\0"))
    for number, body in committed.items():
        if number <= pages:
            image[(number - 1) * page_bytes : number * page_bytes] = wal[body : body + page_bytes]
    return bytes(image)


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """The log's running checksum: two sums, each over every other 32-bit word and the other sum."""
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        one = (one + even + two) & 0xFFFFFFFF
        two = (two + odd + one) & 0xFFFFFFFF
    return one, two
