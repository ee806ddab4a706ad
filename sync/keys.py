"""This device's long-lived keys: made at the first start, kept in a 0600 file, never exported.

File `keys/device.key`: `NNK1`, then the Ed25519 seed and the X25519 private key, 32 bytes each.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from store.errors import KeyMissing
from store.ports import Entropy

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
        sign = Ed25519PrivateKey.from_private_bytes(self.sign_seed).public_key()
        wrap = X25519PrivateKey.from_private_bytes(self.wrap_key).public_key()
        public = sign.public_bytes(Encoding.Raw, PublicFormat.Raw) + wrap.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return hashlib.sha256(b"memsync/1 device\0" + public).digest()[:16]


def load(home: Path) -> DeviceKeys:
    """Raises KeyMissing when the file is absent or not ours."""
    path = home / FILE
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise KeyMissing("error-key-file-missing", path=str(path)) from error
    if len(data) != 68 or not data.startswith(_MAGIC):
        raise KeyMissing("error-key-file-damaged", path=str(path))
    return DeviceKeys(data[4:36], data[36:68])


def make(home: Path, entropy: Entropy) -> DeviceKeys:
    """New keys, on disk before they are used. A file that is there is never overwritten."""
    path = home / FILE
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
    os.link(draft, path)
    draft.unlink()
    _sync_folder(path.parent)
    return keys


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
