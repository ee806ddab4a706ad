"""The age v1 file format with a passphrase (https://age-encryption.org/v1), written and read as a stream.

    age-encryption.org/v1
    -> scrypt <salt> <log2 of the work>
    <the file key, sealed under the passphrase>
    --- <HMAC of all above>
    <16 bytes><chunks of 64 KiB, each sealed under its number; the last one is marked as the last>

Nothing that is read has been tampered with, but only the end of a stream tells that nothing is missing: whoever acts
on what was read before that acts too early.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Protocol

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from store.errors import BackupRefused
from store.ports import Entropy

LOG_N = 16
"""scrypt takes 128 · 8 · 2^16 bytes = 64 MiB and a quarter of a second: a machine with 256 MB opens its own backups
beside a running niannian. 2^18, as the `age` tool writes, would need all of that machine."""
LOG_N_MAX = 20
"""1 GiB. A file may not ask for more."""
CHUNK_BYTES = 64 * 1024

_VERSION = b"age-encryption.org/v1\n"
_LINE_BYTES_MAX = 200
_TAG_BYTES = 16
_STANZA = re.compile(rb"-> scrypt ([A-Za-z0-9+/]{22}) ([1-9][0-9]?)\n")
_BODY = re.compile(rb"([A-Za-z0-9+/]{43})\n")
_MAC = re.compile(rb"--- ([A-Za-z0-9+/]{43})\n")


class Sink(Protocol):
    def write(self, data: bytes, /) -> int: ...


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Sealer:
    """What is written comes out sealed. Only `close` makes it a whole file; it leaves `out` open."""

    def __init__(self, out: Sink, passphrase: str, entropy: Entropy, *, log_n: int = LOG_N) -> None:
        file_key, salt, nonce = entropy.bytes(16), entropy.bytes(16), entropy.bytes(16)
        sealed = ChaCha20Poly1305(_wrap_key(passphrase, salt, log_n)).encrypt(bytes(12), file_key, None)
        head = _VERSION + b"-> scrypt %b %d\n%b\n---" % (_to_text(salt), log_n, _to_text(sealed))
        out.write(head + b" " + _to_text(_header_mac(file_key, head).finalize()) + b"\n" + nonce)
        self._out = out
        self._cipher = ChaCha20Poly1305(_derived(file_key, b"payload", nonce))
        self._waiting = bytearray()
        self._number = 0

    def write(self, data: bytes, /) -> int:
        self._waiting += data
        while len(self._waiting) > CHUNK_BYTES:  # a full chunk may turn out to be the last
            self._seal(bytes(self._waiting[:CHUNK_BYTES]), last=False)
            del self._waiting[:CHUNK_BYTES]
        return len(data)

    def close(self) -> None:
        self._seal(bytes(self._waiting), last=True)

    def _seal(self, chunk: bytes, *, last: bool) -> None:
        self._out.write(self._cipher.encrypt(_chunk_nonce(self._number, last=last), chunk, None))
        self._number += 1


class Opener:
    """Reads what `Sealer`, or any other age, has written under a passphrase.

    Raises BackupRefused: at once for what is no such file or another passphrase, in `read` for what is spoilt or cut off.
    """

    def __init__(self, source: Stream, passphrase: str) -> None:
        self._source = source
        file_key = _file_key(source, passphrase)
        nonce = _exactly(source, 16)
        self._cipher = ChaCha20Poly1305(_derived(file_key, b"payload", nonce))
        self._ahead = _up_to(source, CHUNK_BYTES + _TAG_BYTES)
        self._ready = b""
        self._number = 0
        self._ended = False

    def read(self, size: int, /) -> bytes:
        """Exactly `size` bytes, fewer only at the end."""
        out = bytearray()
        while len(out) < size:
            if not self._ready:
                if self._ended:
                    break
                self._ready = self._next()
            taken = self._ready[: size - len(out)]
            self._ready = self._ready[len(taken) :]
            out += taken
        return bytes(out)

    def _next(self) -> bytes:
        sealed, self._ahead = self._ahead, b""
        if len(sealed) == CHUNK_BYTES + _TAG_BYTES:
            self._ahead = _up_to(self._source, CHUNK_BYTES + _TAG_BYTES)
        last = not self._ahead
        try:
            chunk = self._cipher.decrypt(_chunk_nonce(self._number, last=last), sealed, None)
        except (InvalidTag, ValueError) as error:
            raise BackupRefused("error-backup-damaged") from error
        if last and not chunk and self._number:
            raise BackupRefused("error-backup-damaged")
        self._number += 1
        self._ended = last
        return chunk


def _file_key(source: Stream, passphrase: str) -> bytes:
    version = _line(source)
    if version != _VERSION:
        raise BackupRefused("error-backup-foreign")
    head, sealed_line, end = _line(source), _line(source), _line(source)
    stanza, body, mac = _STANZA.fullmatch(head), _BODY.fullmatch(sealed_line), _MAC.fullmatch(end)
    if not stanza:
        raise BackupRefused("error-backup-foreign")
    if not body or not mac:
        raise BackupRefused("error-backup-damaged")
    log_n = int(stanza[2])
    if log_n > LOG_N_MAX:
        raise BackupRefused("error-backup-work", work=log_n, most=LOG_N_MAX)
    try:
        wrap_key = _wrap_key(passphrase, _from_text(stanza[1]), log_n)
    except MemoryError as error:
        raise BackupRefused("error-backup-work", work=log_n, most=LOG_N_MAX) from error
    try:
        file_key = ChaCha20Poly1305(wrap_key).decrypt(bytes(12), _from_text(body[1]), None)
    except InvalidTag as error:
        raise BackupRefused("error-backup-passphrase") from error
    try:
        _header_mac(file_key, version + head + sealed_line + b"---").verify(_from_text(mac[1]))
    except InvalidSignature as error:
        raise BackupRefused("error-backup-damaged") from error
    return file_key


def _wrap_key(passphrase: str, salt: bytes, log_n: int) -> bytes:
    scrypt = Scrypt(salt=b"age-encryption.org/v1/scrypt" + salt, length=32, n=1 << log_n, r=8, p=1)
    return scrypt.derive(passphrase.encode("utf-8", "surrogateescape"))


def _derived(file_key: bytes, purpose: bytes, salt: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=purpose).derive(file_key)


def _header_mac(file_key: bytes, head: bytes) -> HMAC:
    mac = HMAC(_derived(file_key, b"header", b""), SHA256())
    mac.update(head)
    return mac


def _chunk_nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _line(source: Stream) -> bytes:
    """One line with its end; what is too long or ends too early fits no pattern."""
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < _LINE_BYTES_MAX:
        byte = source.read(1)
        if not byte:
            break
        line += byte
    return bytes(line)


def _exactly(source: Stream, size: int) -> bytes:
    found = _up_to(source, size)
    if len(found) < size:
        raise BackupRefused("error-backup-damaged")
    return found


def _up_to(source: Stream, size: int) -> bytes:
    """`size` bytes, fewer only at the end: a stream may give less than it was asked for."""
    found = bytearray()
    while len(found) < size:
        piece = source.read(size - len(found))
        if not piece:
            break
        found += piece
    return bytes(found)


def _to_text(data: bytes) -> bytes:
    return base64.b64encode(data).rstrip(b"=")


def _from_text(text: bytes) -> bytes:
    """Raises BackupRefused for any spelling but the one `_to_text` gives."""
    try:
        data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise BackupRefused("error-backup-damaged") from error
    if _to_text(data) != text:
        raise BackupRefused("error-backup-damaged")
    return data
