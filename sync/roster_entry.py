"""One roster entry as bytes: its form, its one spelling, its signature. What it means is in `roster`. Pure.

entry = CBOR map ‖ Ed25519 signature
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from sync import cbor
from sync.errors import Forged, Malformed, Unsupported

ENTRY_BYTES_MAX = 64 * 1024
HEIGHT_MAX = 10_000
NO_PREVIOUS = bytes(32)
RECOVERY = b""
"""The signer of a `recover` entry."""

_VERSION = 1
_SIGNED = b"memsync/1 roster\0"
_SIGNATURE_BYTES = 64
_LANE = re.compile(r"[a-z]{0,4}")


class Kind(IntEnum):
    FOUND = 1
    ADD = 2
    REMOVE = 3
    ERASE = 4
    REPLACE = 5
    RECOVER = 6


_FIELDS = {Kind.FOUND: 4, Kind.ADD: 1, Kind.REMOVE: 4, Kind.ERASE: 5, Kind.REPLACE: 4, Kind.RECOVER: 7}
"""How many fields the body of each kind has, numbered from 1; no more and no fewer are read."""


@dataclass(frozen=True, slots=True)
class DeviceRecord:
    sign_public: bytes
    wrap_public: bytes
    lane: str

    @property
    def device(self) -> bytes:
        """16 bytes, as in `sync/keys.py`."""
        return hashlib.sha256(b"memsync/1 device\0" + self.sign_public + self.wrap_public).digest()[:16]


def entry_hash(entry: bytes) -> bytes:
    return hashlib.sha256(entry).digest()


def previous_hash(entry: bytes) -> bytes:
    """The hash of the entry that `entry` follows. Raises Malformed and Unsupported."""
    return read_entry(entry)[3]


def sign_entry(
    scope: bytes, height: int, previous: bytes, kind: Kind, body: dict[int, Any], signer: bytes, seed: bytes
) -> bytes:
    text = cbor.encode({0: _VERSION, 1: scope, 2: height, 3: previous, 4: int(kind), 5: body, 6: signer})
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(_SIGNED + hashlib.sha256(text).digest())
    return text + signature


def pack_record(record: DeviceRecord) -> list[object]:
    return [record.sign_public, record.wrap_public, record.lane]


def read_entry(entry: bytes) -> tuple[bytes, bytes, int, bytes, Kind, Mapping[int, Any], bytes]:
    if not _SIGNATURE_BYTES < len(entry) <= ENTRY_BYTES_MAX:
        raise Malformed("roster-length")
    text = entry[:-_SIGNATURE_BYTES]
    fields = cbor.decode(text, "roster")
    if not isinstance(fields, dict) or set(fields) != set(range(7)):
        raise Malformed("roster-fields")
    version, scope, height, previous, kind, body, signer = (fields[n] for n in range(7))
    if version != _VERSION:
        raise Unsupported("roster-version")
    if kind not in Kind.__members__.values():
        raise Unsupported("roster-kind")
    if not isinstance(body, dict) or set(body) != set(range(1, _FIELDS[Kind(kind)] + 1)):
        raise Malformed("roster-body")
    if as_number(height) > HEIGHT_MAX:
        raise Malformed("roster-height")
    if signer != RECOVERY:
        as_bytes(signer, 16)
    return text, as_bytes(scope, 16), height, as_bytes(previous, 32), Kind(kind), body, signer


def check_signature(text: bytes, entry: bytes, sign_public: bytes) -> None:
    try:
        key = Ed25519PublicKey.from_public_bytes(sign_public)
        key.verify(entry[-_SIGNATURE_BYTES:], _SIGNED + hashlib.sha256(text).digest())
    except (InvalidSignature, ValueError) as error:
        raise Forged("roster-signature") from error


def as_record(value: object) -> DeviceRecord:
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], str):
        raise Malformed("roster-record")
    lane = value[2]
    if not _LANE.fullmatch(lane):
        raise Malformed("roster-lane")
    return DeviceRecord(as_bytes(value[0], 32), as_bytes(value[1], 32), lane)


def as_list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed("roster-body")
    return value


def as_map(value: object) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise Malformed("roster-body")
    return value


def as_bytes(value: object, length: int) -> bytes:
    if not isinstance(value, bytes) or len(value) != length:
        raise Malformed("roster-bytes")
    return value


def as_number(value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 48:
        raise Malformed("roster-number")
    return value
