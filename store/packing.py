"""What stands in a backup: a tar whose first file, `manifest.json`, says everything about the others.

It is read strictly. A header is right only if it is, byte for byte, the one that we would write for that name and
size; so there are no links, no other names, no second spelling. No file is longer than its manifest says.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from store.age import Sink, Stream
from store.errors import BackupRefused, OverLimit

FORMAT = 1
MANIFEST = "manifest.json"
MANIFEST_BYTES_MAX = 16 * 1024 * 1024
FILES_MAX = 65_536
FILE_BYTES_MAX = 8 * 1024**3 - 1
"""What eleven octal digits hold."""
PIECE_BYTES = 256 * 1024

DEVICE = "device.db"
SETTINGS = "niannian.toml"
_SCOPE = re.compile(r"scopes/([0-9a-f]{32})/memory\.db")
_HASH = re.compile(r"[0-9a-f]{64}")
_DEVICE_ID = re.compile(r"[0-9a-f]{32}")
_INSTANCE = re.compile(r"[0-9a-f]{0,32}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_BLOCK = 512
_END = bytes(2 * _BLOCK)


@dataclass(frozen=True, slots=True)
class Part:
    """One file. `schema` and `entries` are 0 where it has none."""

    name: str
    size: int
    sha256: str
    schema: int = 0
    entries: int = 0

    @property
    def scope(self) -> str:
        """The memory's id, "" for what is no memory."""
        found = _SCOPE.fullmatch(self.name)
        return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class Manifest:
    made_at: str
    """ISO, UTC, whole seconds."""
    device: str
    """Id of the device that made it; its keys are not here."""
    instance: str
    groups: int
    parts: tuple[Part, ...]
    format: int = FORMAT

    @property
    def entries(self) -> int:
        return sum(part.entries for part in self.parts)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(part.size for part in self.parts)


def encode(manifest: Manifest) -> bytes:
    said = _said(manifest) | {"parts": [_said(part) for part in manifest.parts]}
    return json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _said(one: Manifest | Part) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}


def decode(data: bytes) -> Manifest:
    """Raises BackupRefused for a newer format, and for anything that `encode` does not write."""
    try:
        said = json.loads(data)
        version = said["format"]
        if type(version) is int and version > FORMAT:
            raise BackupRefused("error-backup-newer", found=version, known=FORMAT)
        parts = tuple(Part(**part) for part in said.pop("parts"))
        manifest = Manifest(**said, parts=parts)
        ones: list[Manifest | Part] = [manifest, *parts]
        sound = all(map(_types_right, ones)) and _is_sound(manifest) and encode(manifest) == data
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BackupRefused("error-backup-damaged") from error
    if not sound:
        raise BackupRefused("error-backup-damaged")
    return manifest


def _types_right(one: Manifest | Part) -> bool:
    wanted = {"str": str, "int": int, "tuple[Part, ...]": tuple}
    return all(type(getattr(one, field.name)) is wanted[str(field.type)] for field in fields(one))


def _is_sound(manifest: Manifest) -> bool:
    names = [part.name for part in manifest.parts]
    return (
        manifest.format == FORMAT
        and _MOMENT.fullmatch(manifest.made_at) is not None
        and _DEVICE_ID.fullmatch(manifest.device) is not None
        and _INSTANCE.fullmatch(manifest.instance) is not None
        and len(names) <= FILES_MAX
        and len(set(names)) == len(names)
        and names[:1] == [DEVICE]
        and manifest.groups >= 0
        and all(name in (DEVICE, SETTINGS) or _SCOPE.fullmatch(name) for name in names)
        and all(
            0 <= part.size <= FILE_BYTES_MAX and _HASH.fullmatch(part.sha256) and part.schema >= 0 and part.entries >= 0
            for part in manifest.parts
        )
    )


def write(out: Sink, manifest: Manifest, pieces: Callable[[Part], Iterator[bytes]]) -> None:
    """`pieces`: the bytes of a file, whose size the manifest gives. Raises OverLimit for what no backup holds."""
    data = encode(manifest)
    too_long = [part for part in manifest.parts if part.size > FILE_BYTES_MAX]
    if too_long or len(data) > MANIFEST_BYTES_MAX or len(manifest.parts) > FILES_MAX:
        path = too_long[0].name if too_long else MANIFEST
        raise OverLimit("error-backup-too-large", path=path, most=FILE_BYTES_MAX // 1024**3 + 1)
    out.write(_header(MANIFEST, len(data)) + data + bytes(-len(data) % _BLOCK))
    for part in manifest.parts:
        out.write(_header(part.name, part.size))
        for piece in pieces(part):
            out.write(piece)
        out.write(bytes(-part.size % _BLOCK))
    out.write(_END)


def read_manifest(source: Stream) -> Manifest:
    """The first file. Raises BackupRefused."""
    block = source.read(_BLOCK)
    if not re.fullmatch(rb"[0-7]{11}\0", block[124:136]):
        raise BackupRefused("error-backup-contents")
    size = int(block[124:135], 8)
    if size > MANIFEST_BYTES_MAX or block != _header(MANIFEST, size):
        raise BackupRefused("error-backup-contents")
    data = source.read(size)
    _padding(source, size)
    return decode(data)


def read_parts(source: Stream, manifest: Manifest, sink: Callable[[Part], Sink | None]) -> None:
    """All that follows the manifest, to the very end. `sink`: where a file goes, None for nowhere.

    Raises BackupRefused where anything differs from what the manifest says.
    """
    for part in manifest.parts:
        if source.read(_BLOCK) != _header(part.name, part.size):
            raise BackupRefused("error-backup-damaged")
        out = sink(part)
        digest = hashlib.sha256()
        left = part.size
        while left:
            piece = source.read(min(left, PIECE_BYTES))
            if not piece:
                raise BackupRefused("error-backup-damaged")
            digest.update(piece)
            if out is not None:
                out.write(piece)
            left -= len(piece)
        _padding(source, part.size)
        if digest.hexdigest() != part.sha256:
            raise BackupRefused("error-backup-damaged")
    if source.read(len(_END) + 1) != _END:
        raise BackupRefused("error-backup-damaged")


def _padding(source: Stream, size: int) -> None:
    wanted = bytes(-size % _BLOCK)
    if source.read(len(wanted)) != wanted:
        raise BackupRefused("error-backup-damaged")


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info.tobuf(tarfile.USTAR_FORMAT)
