"""Picking up what is to be imported, from a folder, a single file or a zip, within limits that hold before reading.

A newcomer's trap: what breaks a limit is refused altogether (`Rejected`), before anything is read or written; what is
merely odd (a link, a socket, a file that changes under our eyes) is named as trouble and left out.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from store.errors import NotFound, Rejected
from store.pieces import File, Trouble

BYTES_MAX = 64 * 1024 * 1024
"""Of all that is read, after inflating."""
FILES_MAX = 20_000
"""Files of any kind outside the folders that are passed over."""
RATIO_MAX = 100
RATIO_FREE_BYTES = 64 * 1024
"""A file that inflates to no more than this may be of any ratio: it can be one letter over and over."""
DIRECTORY_BYTES_MAX = 4 * 1024 * 1024
"""Of a zip's list of contents, which is read whole."""
DEPTH_MAX = 64

READ = frozenset({".md", ".markdown", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".ndjson"})
_PASSED_OVER = frozenset({"node_modules", "__MACOSX", "__pycache__"})
_ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
_ZIP_MAGIC = b"PK\x03\x04"
_ZIP_END = b"PK\x05\x06"
_ZIP_END_BYTES = 22
_ZIP_COMMENT_MAX = 65_535
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Collection:
    """What was picked up, sorted by path."""

    files: Sequence[File]
    troubles: Sequence[Trouble] = ()
    ignored: Sequence[str] = ()


def collect(path: Path) -> Collection:
    """Raises NotFound where there is nothing, Rejected for what breaks a limit."""
    try:
        found = path.stat()  # a link that a person names is followed: it is their word
    except FileNotFoundError as error:
        raise NotFound("error-import-missing", path=_shown(path.name or str(path))) from error
    except (OSError, ValueError) as error:
        raise Rejected("error-import-unreadable", path=_shown(path.name or str(path))) from error
    if stat.S_ISDIR(found.st_mode):
        return _folder(path)
    if not stat.S_ISREG(found.st_mode):
        raise Rejected("error-import-special", path=_shown(path.name or str(path)))
    try:
        with path.open("rb") as file:
            if file.read(len(_ZIP_MAGIC)) in (_ZIP_MAGIC, _ZIP_END) or path.suffix.lower() == ".zip":
                file.seek(0)
                return _zip(file, found.st_size)
    except OSError as error:
        raise Rejected("error-import-unreadable", path=_shown(path.name or str(path))) from error
    if path.name.lower().endswith(_ARCHIVES):
        raise Rejected("error-import-archive", path=_shown(path.name or str(path)))
    return _read([_Found(path.name, Path(os.path.realpath(path)), found)], [], [])


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    path: Path
    stat: os.stat_result


# folders


def _folder(root: Path) -> Collection:
    wanted: list[_Found] = []
    troubles: list[Trouble] = []
    ignored: list[str] = []
    count = 0
    waiting = [(root, "", 0)]
    while waiting:
        folder, prefix, depth = waiting.pop()
        try:
            with os.scandir(folder) as listed:
                items = list(_first(listed, FILES_MAX + 1))
        except OSError:
            troubles.append(Trouble(_shown(prefix.rstrip("/")) or ".", 0, "trouble-unreadable"))
            continue
        for item in items:
            name = prefix + item.name
            if item.name.startswith(".") or item.name in _PASSED_OVER:
                continue
            try:
                mode = item.stat(follow_symlinks=False)
            except OSError:
                troubles.append(Trouble(_shown(name), 0, "trouble-unreadable"))
                continue
            if stat.S_ISDIR(mode.st_mode):
                if depth >= DEPTH_MAX:
                    raise Rejected("error-import-deep", path=_shown(name), most=DEPTH_MAX)
                waiting.append((folder / item.name, name + "/", depth + 1))
                continue
            count += 1
            if count > FILES_MAX:
                raise Rejected("error-import-many", most=FILES_MAX)
            if _shown(name) != name:
                troubles.append(Trouble(_shown(name), 0, "trouble-name"))
            elif item.is_symlink():
                troubles.append(Trouble(name, 0, "trouble-link"))
            elif not stat.S_ISREG(mode.st_mode):
                troubles.append(Trouble(name, 0, "trouble-special"))
            elif _suffix(name) in READ:
                wanted.append(_Found(name, folder / item.name, mode))
            else:
                ignored.append(name)
    return _read(wanted, troubles, ignored)


def _first(listed: Iterator[os.DirEntry[str]], most: int) -> Iterator[os.DirEntry[str]]:
    for number, item in enumerate(listed):
        if number >= 5 * most:  # folders and hidden files count nowhere, but no list is without end
            raise Rejected("error-import-many", most=FILES_MAX)
        yield item


def _suffix(name: str) -> str:
    last = name.rpartition("/")[2]
    head, dot, end = last.rpartition(".")
    return f".{end.lower()}" if dot and head else ""


def _shown(name: str) -> str:
    """A name of bytes that are no text, or with control characters, as something that can be shown."""
    text = name.encode("utf-8", "replace").decode()
    return re.sub(r"[\x00-\x1f\x7f]", "\ufffd", text)


def _read(wanted: list[_Found], troubles: list[Trouble], ignored: list[str]) -> Collection:
    if sum(found.stat.st_size for found in wanted) > BYTES_MAX:
        raise Rejected("error-import-large", most=BYTES_MAX >> 20)
    files: list[File] = []
    for found in wanted:
        try:
            data = _bytes(found)
        except OSError:
            troubles.append(Trouble(found.name, 0, "trouble-unreadable"))
            continue
        if data is None:
            troubles.append(Trouble(found.name, 0, "trouble-changed"))
        elif data.startswith(_ZIP_MAGIC):
            troubles.append(Trouble(found.name, 0, "trouble-encoding"))
        else:
            files.append(File(found.name, data))
    return _sorted(files, troubles, ignored)


def _bytes(found: _Found) -> bytes | None:
    """None when the file is not, or no longer, what was found in its folder."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(found.path, flags)
    with open(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode) or _mark(before) != _mark(found.stat):
            return None
        data = file.read(found.stat.st_size + 1)
        after = os.fstat(descriptor)
    return data if len(data) == found.stat.st_size and _mark(after) == _mark(before) else None


def _mark(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _sorted(files: list[File], troubles: list[Trouble], ignored: list[str]) -> Collection:
    return Collection(
        sorted(files, key=lambda file: file.path),
        sorted(troubles, key=lambda trouble: (trouble.path, trouble.line)),
        sorted(ignored),
    )


# zips


def _zip(file: BinaryIO, size: int) -> Collection:
    """Every name and every size is judged before the first byte is inflated."""
    if size > BYTES_MAX:
        raise Rejected("error-import-large", most=BYTES_MAX >> 20)
    _check_directory(file, size)
    try:
        with zipfile.ZipFile(file) as archive:
            return _unpacked(archive)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError, zlib.error) as error:
        raise Rejected("error-import-zip") from error


def _check_directory(file: BinaryIO, size: int) -> None:
    """A list of contents that is longer than any of ours would be is not even read."""
    file.seek(max(0, size - _ZIP_END_BYTES - _ZIP_COMMENT_MAX))
    tail = file.read()
    at = tail.rfind(_ZIP_END)
    if at < 0 or len(tail) < at + _ZIP_END_BYTES:
        raise Rejected("error-import-zip")
    entries = int.from_bytes(tail[at + 10 : at + 12], "little")
    directory_bytes = int.from_bytes(tail[at + 12 : at + 16], "little")
    if entries > FILES_MAX or directory_bytes > DIRECTORY_BYTES_MAX:  # zip64 says the greatest number here
        raise Rejected("error-import-many", most=FILES_MAX)
    file.seek(0)


def _unpacked(archive: zipfile.ZipFile) -> Collection:
    wanted: list[tuple[str, zipfile.ZipInfo]] = []
    ignored: list[str] = []
    names: set[str] = set()
    infos = [info for info in archive.infolist() if not info.is_dir()]
    for info in archive.infolist():
        name = _entry_name(info)
        _check_name(info, name)
        if info.is_dir():
            continue
        if name in names:
            raise Rejected("error-import-twice", path=_shown(name))
        names.add(name)
        _check_entry(info, name)
        parts = name.split("/")
        if any(part.startswith(".") or part in _PASSED_OVER for part in parts):
            continue
        if _suffix(name) in READ:
            wanted.append((name, info))
        else:
            ignored.append(name)
    if len(infos) > FILES_MAX:
        raise Rejected("error-import-many", most=FILES_MAX)
    if sum(info.file_size for info in infos) > BYTES_MAX:
        raise Rejected("error-import-large", most=BYTES_MAX >> 20)
    return _sorted([File(name, _inflated(archive, info, name)) for name, info in wanted], [], ignored)


def _entry_name(info: zipfile.ZipInfo) -> str:
    """The name as it was meant: without the mark of UTF-8 it may be GB18030, which many packers write."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    raw = info.filename.encode("cp437", "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return info.filename


def _check_name(info: zipfile.ZipInfo, name: str) -> None:
    for spelled in (name, info.filename, info.orig_filename):
        climbs = ".." in spelled.split("/") or spelled.startswith("/") or re.match(r"[A-Za-z]:", spelled)
        if climbs or not spelled or re.search(r"[\\\x00-\x1f\x7f]", spelled) or len(spelled) > 1024:
            raise Rejected("error-import-name", path=_shown(spelled))
    if name.count("/") > DEPTH_MAX:
        raise Rejected("error-import-deep", path=name, most=DEPTH_MAX)


def _check_entry(info: zipfile.ZipInfo, name: str) -> None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise Rejected("error-import-special", path=name)
    if info.flag_bits & _ENCRYPTED:
        raise Rejected("error-import-locked", path=name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others inflate without a bound
        raise Rejected("error-import-zip")
    if name.lower().endswith(_ARCHIVES):
        raise Rejected("error-import-archive", path=name)
    if info.file_size > max(RATIO_FREE_BYTES, RATIO_MAX * info.compress_size):
        raise Rejected("error-import-ratio", path=name, most=RATIO_MAX)


def _inflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> bytes:
    """The bytes, which must be as many as the zip says."""
    parts: list[bytes] = []
    size = 0
    with archive.open(info) as file:
        while part := file.read(_CHUNK_BYTES):
            size += len(part)
            if size > info.file_size:
                raise Rejected("error-import-zip")
            parts.append(part)
    if size != info.file_size:
        raise Rejected("error-import-zip")
    data = b"".join(parts)
    if data.startswith(_ZIP_MAGIC):
        raise Rejected("error-import-archive", path=name)
    return data
