"""The recovery key: 16 random bytes that a person keeps on paper, and the two key pairs they stand for. Pure.

    R          16 bytes, written as 26 Crockford characters and 2 to check the typing, in groups of four
    sign seed  HKDF-SHA256(R, salt "memsync/1 recovery", info "sign")     Ed25519: signs a `recover` entry
    wrap key   HKDF-SHA256(R, salt "memsync/1 recovery", info "wrap")     X25519: every epoch's secret is wrapped to it
    recipient  SHA-256("memsync/1 recovery\\0" || X25519 public)[0:16]     its place in the names of wraps

One key serves all scopes of a home; a recovery uses it up and brings a new one. A device that holds only the public
halves can found scopes and wrap to them; R itself is needed nowhere but in a recovery.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sync import crockford
from sync.errors import Malformed
from sync.keys import DeviceKeys

SECRET_BYTES = 16
_CHARACTERS = 26


@dataclass(frozen=True, slots=True)
class RecoveryPublic:
    """The halves that may lie about: what a roster names."""

    sign: bytes
    wrap: bytes

    def pack(self) -> bytes:
        return self.sign + self.wrap


def parse_public(data: bytes) -> RecoveryPublic:
    """Raises Malformed."""
    if len(data) != 64:
        raise Malformed("recovery-public")
    return RecoveryPublic(data[:32], data[32:])


def recovery_keys(secret: bytes) -> DeviceKeys:
    """The two pairs. Their `device_id` means nothing: a recovery key is no device."""
    assert len(secret) == SECRET_BYTES
    return DeviceKeys(_derive(secret, b"sign"), _derive(secret, b"wrap"))


def public_of(secret: bytes) -> RecoveryPublic:
    keys = recovery_keys(secret)
    return RecoveryPublic(keys.sign_public, keys.wrap_public)


def recovery_recipient(wrap_public: bytes) -> bytes:
    """16 bytes that stand where a device's id stands in a wrap and in its name."""
    return hashlib.sha256(b"memsync/1 recovery\0" + wrap_public).digest()[:16]


def format_recovery(secret: bytes) -> str:
    """`XXXX-XXXX-…`, seven groups of four."""
    assert len(secret) == SECRET_BYTES
    text = crockford.spell(int.from_bytes(secret, "big") << 2, _CHARACTERS) + _check_characters(secret)
    return crockford.grouped(text, 4)


def parse_recovery(text: str) -> bytes:
    """Case, spaces, dashes and O/I/L are forgiven. Raises Malformed for a slip of the pen."""
    clean = crockford.clean(text, _CHARACTERS + 2)
    number = crockford.read(clean[:_CHARACTERS]) if clean else 1
    if clean is None or number & 3:
        raise Malformed("error-recovery-key")
    secret = (number >> 2).to_bytes(SECRET_BYTES, "big")
    if _check_characters(secret) != clean[_CHARACTERS:]:
        raise Malformed("error-recovery-key")
    return secret


def _derive(secret: bytes, what: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=b"memsync/1 recovery", info=what).derive(secret)


def _check_characters(secret: bytes) -> str:
    return crockford.spell(
        int.from_bytes(hashlib.sha256(b"memsync/1 recovery check\0" + secret).digest()[:2], "big"), 2
    )
