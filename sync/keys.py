"""This device's long-lived keys: made at the first start, kept in a 0600 file, never exported.

File `keys/device.key`: `NNK1`, then the Ed25519 seed and the X25519 private key, 32 bytes each.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from store.errors import KeyMissing
from store.ports import Entropy
from sync.claim import Link, claim
from sync.errors import Forged, Malformed

_MAGIC = b"NNK1"
FILE = Path("keys") / "device.key"


@dataclass(frozen=True, slots=True)
class DeviceKeys:
    """`sign_seed` and `wrap_key`: 32 private bytes each. They hide themselves in `repr`."""

    sign_seed: bytes
    wrap_key: bytes

    def __repr__(self) -> str:
        return f"DeviceKeys({self.device_id.hex()})"

    @property
    def device_id(self) -> bytes:
        """16 bytes: the start of SHA-256("memsync/1 device\\0" || Ed25519 public || X25519 public)."""
        return hashlib.sha256(b"memsync/1 device\0" + self.sign_public + self.wrap_public).digest()[:16]

    @property
    def sign_public(self) -> bytes:
        key = Ed25519PrivateKey.from_private_bytes(self.sign_seed).public_key()
        return key.public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def wrap_public(self) -> bytes:
        key = X25519PrivateKey.from_private_bytes(self.wrap_key).public_key()
        return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def load(home: Path, file: Path = FILE) -> DeviceKeys:
    """Raises KeyMissing when the file is absent or not ours."""
    path = home / file
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise KeyMissing("error-key-file-missing", path=str(path)) from error
    if len(data) != 68 or not data.startswith(_MAGIC):
        raise KeyMissing("error-key-file-damaged", path=str(path))
    return DeviceKeys(data[4:36], data[36:68])


def make(home: Path, entropy: Entropy, link: Link = os.link, file: Path = FILE) -> DeviceKeys:
    """New keys, on disk before they are used. A file that is there is never overwritten."""
    path = home / file
    path.parent.mkdir(mode=0o700, exist_ok=True)
    keys = DeviceKeys(entropy.bytes(32), entropy.bytes(32))
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, _MAGIC + keys.sign_seed + keys.wrap_key)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    claim(draft, path, link)
    _sync_folder(path.parent)
    return keys


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# epoch secrets: who may read a scope from a moment on

SECRET_BYTES = 32
WRAP_BYTES = 32 + SECRET_BYTES + 16
"""The encapsulated X25519 key, then the sealed secret with its tag."""
_HPKE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


def key_id(scope: bytes, epoch: int, secret: bytes) -> bytes:
    """8 bytes that name the secret in the open header."""
    return hashlib.sha256(b"memsync/1 keyid\0" + scope + epoch.to_bytes(4, "big") + secret).digest()[:8]


def commitment(scope: bytes, epoch: int, secret: bytes) -> bytes:
    """32 bytes in the roster: an admin cannot hand different secrets to different devices unseen."""
    return hashlib.sha256(b"memsync/1 commit\0" + scope + epoch.to_bytes(4, "big") + secret).digest()


def sender_key(scope: bytes, epoch: int, secret: bytes, device: bytes) -> bytes:
    """The 32-byte AES key of one author in one epoch: two devices can never meet on (key, nonce)."""
    info = b"memsync/1 enc\0" + epoch.to_bytes(4, "big") + device
    return HKDF(algorithm=SHA256(), length=32, salt=scope, info=info).derive(secret)


def wrap_secret(secret: bytes, *, to: bytes, scope: bytes, epoch: int, recipient: bytes, roster_hash: bytes) -> bytes:
    """The epoch's secret sealed to one device's X25519 public key `to`. Raises Malformed as `seal_for` does."""
    return seal_for(to, secret, _wrap_info(scope, epoch, recipient, roster_hash))


def unwrap_secret(
    wrapped: bytes, keys: DeviceKeys, *, scope: bytes, epoch: int, roster_hash: bytes, recipient: bytes | None = None
) -> bytes:
    """`recipient`: the device's id unless said otherwise.

    Raises Malformed, and Forged when it was not wrapped for this recipient, scope, epoch and roster entry.
    """
    if len(wrapped) != WRAP_BYTES:
        raise Malformed("wrap-length")
    return open_for(keys, wrapped, _wrap_info(scope, epoch, recipient or keys.device_id, roster_hash))


def _wrap_info(scope: bytes, epoch: int, recipient: bytes, roster_hash: bytes) -> bytes:
    """HPKE here takes no associated data, so everything that binds the wrap goes into `info`."""
    return b"memsync/1 wrap\0" + scope + epoch.to_bytes(4, "big") + recipient + roster_hash


def seal_for(wrap_public: bytes, text: bytes, info: bytes) -> bytes:
    """`text` that only the holder of the X25519 key behind `wrap_public` can read (HPKE base mode, RFC 9180).

    Raises Malformed for a public key of small order: nothing can be sealed to it, and whoever paired with one
    must not keep the secret from the others.
    """
    try:
        return bytes(_HPKE.encrypt(text, X25519PublicKey.from_public_bytes(wrap_public), info))
    except ValueError as error:
        raise Malformed("wrap-public") from error


def open_for(keys: DeviceKeys, sealed: bytes, info: bytes) -> bytes:
    """Raises Forged when it was not sealed to us, or for something else."""
    try:
        return bytes(_HPKE.decrypt(sealed, X25519PrivateKey.from_private_bytes(keys.wrap_key), info))
    except (InvalidTag, ValueError) as error:
        raise Forged("wrap-seal") from error
