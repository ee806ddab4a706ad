"""A shared folder as transport: Syncthing, iCloud, Dropbox or a USB stick moves the files, we only add to them.

    <folder>/niannian/<scope>/<author>/<n>.seg     append-only segments, one writer per directory
    <folder>/niannian/<scope>/<name>               files written once: temporary name, fsync, rename

A frame is u32 length, the first 4 bytes of the body's SHA-256, the body. A reader stops at the first frame that
is not whole and looks again later; when a later segment exists, a torn tail is passed over. Conflict copies and
placeholders have other names and are never read. The files of other authors are never touched; one that cannot be
read now is passed over, so that it stops no other.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident

from sync.claim import claim
from sync.errors import TransportDown
from sync.ports import FILE_BYTES_MAX, Fetched

SEGMENT_BYTES_MAX = 256 * 1024
FETCH_BYTES_MAX = 4 * 1024 * 1024
FRAME_BYTES_MAX = 1024 * 1024
NAMES_MAX = 20_000
_HEAD = 8
_SEGMENT = re.compile(r"([0-9]{8})\.seg")
_COPY = re.compile(r".*[0-9]{8}.*\.seg.*", re.DOTALL)
"""A segment, or what a sync tool made of one: in our own directory all of them are ours."""
_AUTHOR = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"(?!.*[./][.])[a-z0-9][a-z0-9./-]{0,120}(?<![.]tmp)")


class Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._root = folder / "niannian"

    async def publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        await asyncio.to_thread(self._publish, scope, author, envelopes)

    async def fetch(self, scope: str, author: str, cursor: str) -> Fetched:
        return await asyncio.to_thread(self._fetch, scope, author, cursor)

    async def replace(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        await asyncio.to_thread(self._replace, scope, author, envelopes)

    async def authors(self, scope: str) -> Sequence[str]:
        return await asyncio.to_thread(self._authors, scope)

    async def scopes(self) -> Sequence[str]:
        return await asyncio.to_thread(self._scopes)

    async def put(self, scope: str, name: str, data: bytes) -> None:
        await asyncio.to_thread(self._put, scope, name, data)

    async def get(self, scope: str, name: str, size_max: int = FILE_BYTES_MAX) -> bytes | None:
        return await asyncio.to_thread(self._get, scope, name, size_max)

    async def names(self, scope: str, prefix: str) -> Sequence[str]:
        return await asyncio.to_thread(self._names, scope, prefix)

    async def discard(self, scope: str, *, prefix: str) -> None:
        await asyncio.to_thread(self._discard, scope, prefix)

    # streams

    def _publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        with self._reachable():
            directory = self._root / scope / author
            directory.mkdir(parents=True, exist_ok=True)
            number, size = self._writable(directory)
            _write(directory, number, size, envelopes)

    def _replace(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        """New segments get numbers above all that stand there, so a name never comes back with other bytes."""
        with self._reachable():
            directory = self._root / scope / author
            before = [path for path in _files(directory) if _COPY.fullmatch(path.name)]
            if envelopes:
                directory.mkdir(parents=True, exist_ok=True)
                _write(directory, max(_segments(directory), default=0) + 1, 0, envelopes)
            for path in before:
                path.unlink(missing_ok=True)
            if before and envelopes:
                _sync_directory(directory)
            elif not envelopes:
                _remove_empty(directory)

    def _writable(self, directory: Path) -> tuple[int, int]:
        """The segment to add to and its size: a new one when the last has a torn tail or is full."""
        numbers = _segments(directory)
        if not numbers:
            return 1, 0
        data = (directory / f"{numbers[-1]:08d}.seg").read_bytes()
        _, end = _frames(data, 0)
        if end < len(data) or len(data) >= SEGMENT_BYTES_MAX:
            return numbers[-1] + 1, 0
        return numbers[-1], len(data)

    def _fetch(self, scope: str, author: str, cursor: str) -> Fetched:
        """The cursor names how far each segment was read: a sync tool may bring a later one first.

        Beside each place stands a mark of what was read up to it. When a segment is not what it was, or gone, all is
        read anew.
        """
        with self._reachable():
            directory = self._root / scope / author
            read = _read_on(directory, _places(cursor))
            envelopes, places = read or _read_on(directory, {}) or ([], {})
            said = (f"{number}:{offset}:{mark}" for number, (offset, mark) in sorted(places.items()))
            return Fetched(envelopes, ",".join(said), reset=read is None)

    def _authors(self, scope: str) -> list[str]:
        with self._reachable():
            if not (self._root / scope).is_dir():
                return []
            return sorted(p.name for p in (self._root / scope).iterdir() if _AUTHOR.fullmatch(p.name) and p.is_dir())

    def _scopes(self) -> list[str]:
        with self._reachable():
            if not self._root.is_dir():
                return []
            found = sorted(p.name for p in self._root.iterdir() if _AUTHOR.fullmatch(p.name) and p.is_dir())
            return found[:NAMES_MAX]

    # files

    def _put(self, scope: str, name: str, data: bytes) -> None:
        path = self._path(scope, name)
        with self._reachable():
            if path.exists():
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f"{path.name}.{os.getpid()}-{get_ident()}.tmp")
            draft.write_bytes(b"")
            try:
                _append(draft, data)
            except OSError:
                draft.unlink(missing_ok=True)
                raise
            with suppress(FileExistsError):  # another was quicker
                claim(draft, path)
            _sync_directory(path.parent)

    def _get(self, scope: str, name: str, size_max: int) -> bytes | None:
        path = self._path(scope, name)
        with self._reachable():
            try:
                if not path.is_file() or path.stat().st_size > size_max:
                    return None  # a pipe would keep us waiting for ever
                return path.read_bytes()
            except FileNotFoundError:  # just now
                return None

    def _names(self, scope: str, prefix: str) -> list[str]:
        with self._reachable():
            top = self._root / scope
            directory = top / prefix.rpartition("/")[0]
            if not directory.is_dir():
                return []
            found = (str(p.relative_to(top)) for p in directory.iterdir() if p.is_file())
            return sorted(name for name in found if name.startswith(prefix) and _NAME.fullmatch(name))[:NAMES_MAX]

    def _discard(self, scope: str, prefix: str) -> None:
        with self._reachable():
            names = self._names(scope, prefix)
            for name in names:
                (self._root / scope / name).unlink(missing_ok=True)
            if names:
                _remove_empty((self._root / scope / names[0]).parent)

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        """A folder that is not there is never made: a stick that is not plugged in is not an empty one."""
        try:
            if not self._folder.is_dir():
                raise NotADirectoryError(errno.ENOENT, "No such folder")
            yield
        except OSError as error:
            raise TransportDown(reason=error.strerror or type(error).__name__) from error

    def _path(self, scope: str, name: str) -> Path:
        assert _NAME.fullmatch(name), "names are made by us, or given by `names`"
        return self._root / scope / name


def _files(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.is_file()] if directory.is_dir() else []


def _segments(directory: Path) -> list[int]:
    return sorted(int(found[1]) for path in _files(directory) if (found := _SEGMENT.fullmatch(path.name)))


def _remove_empty(directory: Path) -> None:
    with suppress(OSError):  # it is not, or another program has put something there
        directory.rmdir()


Places = dict[int, tuple[int, str]]
"""Segment → how far it was read, and the mark of what was read."""


def _read_on(directory: Path, places: Places) -> tuple[list[bytes], Places] | None:
    """What stands behind `places`, and the places behind that; None when what stood before them has changed."""
    sizes = {number: _size(directory / f"{number:08d}.seg") for number in _segments(directory)}
    if not places.keys() <= sizes.keys():
        return None
    places = dict(places)
    envelopes: list[bytes] = []
    size = 0
    for number, length in sizes.items():
        start, mark = places.get(number, (0, _mark(b"")))
        if start == length or size >= FETCH_BYTES_MAX:
            continue
        data = _read(directory / f"{number:08d}.seg")
        if data is None:
            continue
        if _mark(data[:start]) != mark:
            return None
        found, end = _frames(data, start)
        if end:
            places[number] = end, _mark(data[:end])
        envelopes += found
        size += sum(map(len, found))
    return envelopes, places


def _places(cursor: str) -> Places:
    parts = (part.split(":") for part in cursor.split(",") if part)
    return {int(number): (int(offset), mark) for number, offset, mark in parts}


def _mark(read: bytes) -> str:
    return hashlib.sha256(read).hexdigest()[:8]


def _size(path: Path) -> int:
    """-1 for one that a sync tool has just taken away: it is read as far as it can be, which is not at all."""
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _read(path: Path) -> bytes | None:
    """At most twice a segment's size: no honest author writes more. None when it cannot be read now."""
    try:
        with path.open("rb") as file:
            return file.read(2 * SEGMENT_BYTES_MAX + FRAME_BYTES_MAX)
    except OSError:
        return None


def _frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + hashlib.sha256(body).digest()[:4] + body


def _frames(data: bytes, start: int) -> tuple[list[bytes], int]:
    """The whole frames from `start` on, and where the first that is not whole begins."""
    out: list[bytes] = []
    at = start
    while at + _HEAD <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        body = data[at + _HEAD : at + _HEAD + length]
        if length > FRAME_BYTES_MAX or len(body) < length or hashlib.sha256(body).digest()[:4] != data[at + 4 : at + 8]:
            break
        out.append(body)
        at += _HEAD + length
    return out, at


def _fitting(envelopes: Sequence[bytes], room: int, *, at_least: int) -> int:
    """How many of `envelopes` go into `room` bytes."""
    size = count = 0
    for envelope in envelopes:
        size += len(envelope) + _HEAD
        if count >= at_least and size > room:
            break
        count += 1
    return count


def _write(directory: Path, number: int, size: int, envelopes: Sequence[bytes]) -> None:
    """Adds from the segment `number` on, which holds `size` bytes."""
    while envelopes:
        taken = _fitting(envelopes, SEGMENT_BYTES_MAX - size, at_least=0 if size else 1)
        if taken:
            _append(directory / f"{number:08d}.seg", b"".join(map(_frame, envelopes[:taken])))
        envelopes = envelopes[taken:]
        number, size = number + 1, 0
    _sync_directory(directory)


def _append(path: Path, data: bytes) -> None:
    """All of it or nothing: on a full disk each attempt would leave a torn tail, and the next a new segment."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        before = os.fstat(descriptor).st_size
        try:
            at = 0
            while at < len(data):
                at += os.write(descriptor, data[at:])
            os.fsync(descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
