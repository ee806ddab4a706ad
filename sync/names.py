"""Under which names things stand: files of a scope in the transport, secrets in the key store. Pure."""

from __future__ import annotations

from sync.roster import entry_hash

ROSTER = "roster/"
WRAPS = "wraps/"


def roster_name(height: int, entry: bytes) -> str:
    return f"{ROSTER}{height:08d}-{entry_hash(entry)[:4].hex()}.entry"


def wrap_name(epoch: int, key: bytes, device: bytes) -> str:
    """`key`: the key id, since a recovery may use an epoch's number again and a file is never replaced."""
    return f"{WRAPS}{epoch:08d}-{key.hex()}-{device.hex()}.wrap"


def secret_name(scope: bytes, epoch: int) -> str:
    return f"{scope.hex()}/{epoch:08d}"
