"""An Anki package is a zip; this gets the one collection out of it that counts, as bytes, within limits.

A newcomer's trap: a package of today holds its notes in `collection.anki21b`, and beside it a `collection.anki2` whose
only note says “please update”. So the newest kind that is there is the one to read, and no other.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from store.errors import NotFound, Rejected

KINDS = ("collection.anki21b", "collection.anki21", "collection.anki2")
"""In the order in which they are looked for."""
COLLECTION_BYTES_MAX = 256 << 20
"""After inflating, with its review log: a hundred thousand notes have a tenth of it."""
PACKAGE_BYTES_MAX = 4 << 30
"""Pictures and sounds are in it, too; they are not read."""
DIRECTORY_BYTES_MAX = 64 << 20
_END = b"PK\x05\x06"
_END_BYTES = 22
_COMMENT_MAX = 65_535
_ENCRYPTED = 0x1
_CHUNK_BYTES = 256 << 10
_WINDOW_BYTES_MAX = 1 << 27


class NotInstalled(Rejected):
    """The extra `learn` is missing: what a package of today is packed with cannot be read without."""

    code = "error-no-extra"


def collection(path: Path) -> bytes:
    """Raises NotFound, and Rejected for what is no package, is damaged or breaks a limit."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("error-import-missing", path=path.name) from error
    except OSError as error:
        raise Rejected("error-import-unreadable", path=path.name) from error
    if not stat.S_ISREG(found.st_mode):
        raise Rejected("error-import-special", path=path.name)
    if found.st_size > PACKAGE_BYTES_MAX:
        raise Rejected("error-import-large", most=PACKAGE_BYTES_MAX >> 20)
    try:
        with path.open("rb") as file:
            _check_end(path, file, found.st_size)
            with zipfile.ZipFile(file) as archive:
                return _inflated(path, archive)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, zlib.error) as error:
        raise _damaged(path) from error
    except OSError as error:
        raise Rejected("error-import-unreadable", path=path.name) from error


def _damaged(path: Path) -> Rejected:
    return Rejected("error-words-package", path=path.name)


def _check_end(path: Path, file: BinaryIO, size: int) -> None:
    """The list of contents is read whole, so its size is looked at first."""
    file.seek(max(0, size - _END_BYTES - _COMMENT_MAX))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        raise _damaged(path)
    if int.from_bytes(tail[at + 12 : at + 16], "little") > DIRECTORY_BYTES_MAX:
        raise Rejected("error-import-large", most=PACKAGE_BYTES_MAX >> 20)
    file.seek(0)


def _inflated(path: Path, archive: zipfile.ZipFile) -> bytes:
    infos = archive.infolist()
    for kind in KINDS:
        named = [info for info in infos if info.filename == kind]
        if len(named) > 1:
            raise Rejected("error-import-twice", path=kind)
        if named:
            break
    else:
        raise Rejected("error-words-no-collection", path=path.name)
    (info,) = named
    if info.flag_bits & _ENCRYPTED:
        raise Rejected("error-import-locked", path=kind)
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        raise Rejected("error-import-special", path=kind)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others inflate without a bound
        raise _damaged(path)
    with archive.open(info) as file:
        pieces = _unpacked(path, file) if kind.endswith("b") else _read(file)
        return _bounded(pieces)


def _read(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(_CHUNK_BYTES):
        yield piece


def _unpacked(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError as error:
        raise NotInstalled(name="Anki", extra="learn") from error
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES_MAX)
    try:
        with unpacker.stream_reader(file, read_across_frames=False) as stream:
            while piece := stream.read(_CHUNK_BYTES):
                yield piece
    except zstandard.ZstdError as error:
        raise _damaged(path) from error


def _bounded(pieces: Iterator[bytes]) -> bytes:
    """Whatever the zip says of its size."""
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > COLLECTION_BYTES_MAX:
            raise Rejected("error-import-large", most=COLLECTION_BYTES_MAX >> 20)
    return bytes(data)
