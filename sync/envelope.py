"""The sealed envelope of `memsync/1`: a fixed header in the open, everything else encrypted, all of it signed. Pure.

Nothing is parsed before the signature holds: the header is fixed binary, CBOR lives inside the seal only.
The 122 header bytes are the associated data of AES-256-GCM; the signature covers header and ciphertext.
Byte tables, key schedule and vectors: docs/spec/memsync.md.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sync import cbor
from sync.errors import Forged, Malformed, Unsupported

HEADER_BYTES = 122
SIGNATURE_BYTES = 64
TAG_BYTES = 16
ENVELOPE_BYTES_MAX = 900 * 1024
PADDED_BYTES_MIN = 256
VERSION = 1
NO_PREVIOUS = bytes(32)
SEQ_MAX = 1 << 48

_MAGIC = b"MS"
_HEADER = struct.Struct(">2sBBH16sI8s16sQ32s16s12sI")
_SIGNED = b"memsync/1 envelope\0"
assert _HEADER.size == HEADER_BYTES


class Kind(IntEnum):
    UPDATE = 1
    BASELINE = 2
    HEARTBEAT = 3


@dataclass(frozen=True, slots=True)
class Header:
    kind: Kind
    scope: bytes
    """16 bytes."""
    epoch: int
    key_id: bytes
    """8 bytes: names the epoch's secret without telling it."""
    device: bytes
    """16 bytes: the author."""
    seq: int
    """From 1, one more per envelope of this author in this scope."""
    previous: bytes
    """32 bytes: SHA-256 of the author's previous whole envelope here; zeros for the first."""
    roster_head: bytes
    """16 bytes: the newest roster entry the author knew."""
    nonce: bytes
    """12 random bytes."""


def envelope_hash(envelope: bytes) -> bytes:
    """32 bytes: what the author's next envelope names as its previous one."""
    return hashlib.sha256(envelope).digest()


def seal(header: Header, payload: bytes, *, sender_key: bytes, sign_seed: bytes) -> bytes:
    """One envelope. `sender_key`: the author's 32-byte key of this epoch; `sign_seed`: its Ed25519 seed."""
    padded = pad(payload)
    head = _pack(header, len(padded) + TAG_BYTES)
    sealed = AESGCM(sender_key).encrypt(header.nonce, padded, head)
    body = head + sealed
    assert len(body) + SIGNATURE_BYTES <= ENVELOPE_BYTES_MAX, "the caller splits what is larger"
    signature = Ed25519PrivateKey.from_private_bytes(sign_seed).sign(_SIGNED + hashlib.sha256(body).digest())
    return body + signature


def parse_header(envelope: bytes) -> Header:
    """The open part, with every length checked. Raises Malformed and Unsupported."""
    if not HEADER_BYTES + TAG_BYTES + SIGNATURE_BYTES <= len(envelope) <= ENVELOPE_BYTES_MAX:
        raise Malformed("envelope-length")
    magic, version, kind, flags, scope, epoch, key_id, device, seq, previous, head, nonce, size = _HEADER.unpack_from(
        envelope
    )
    if magic != _MAGIC:
        raise Malformed("envelope-magic")
    if version != VERSION:
        raise Unsupported("envelope-version")
    if kind not in Kind.__members__.values():
        raise Unsupported("envelope-kind")
    if flags != 0:
        raise Unsupported("envelope-flags")
    if size != len(envelope) - HEADER_BYTES - SIGNATURE_BYTES:
        raise Malformed("envelope-size")
    if not 1 <= seq < SEQ_MAX or epoch < 1:
        raise Malformed("envelope-number")
    if (seq == 1) != (previous == NO_PREVIOUS):
        raise Malformed("envelope-previous")
    return Header(Kind(kind), scope, epoch, key_id, device, seq, previous, head, nonce)


def check_signature(envelope: bytes, sign_public: bytes) -> None:
    """Raises Forged unless the device with this Ed25519 key wrote every byte of it."""
    body, signature = envelope[:-SIGNATURE_BYTES], envelope[-SIGNATURE_BYTES:]
    try:
        key = Ed25519PublicKey.from_public_bytes(sign_public)
        key.verify(signature, _SIGNED + hashlib.sha256(body).digest())
    except (InvalidSignature, ValueError) as error:
        raise Forged("envelope-signature") from error


def open_sealed(envelope: bytes, sender_key: bytes) -> bytes:
    """The payload inside. Raises Forged when the seal does not fit, Malformed when the padding is not ours."""
    head = envelope[:HEADER_BYTES]
    nonce = _HEADER.unpack_from(envelope)[11]
    try:
        padded = AESGCM(sender_key).decrypt(nonce, envelope[HEADER_BYTES:-SIGNATURE_BYTES], head)
    except InvalidTag as error:
        raise Forged("envelope-seal") from error
    return unpad(padded)


def _pack(header: Header, size: int) -> bytes:
    lengths = [len(part) for part in (
        header.scope, header.key_id, header.device, header.previous, header.roster_head, header.nonce,
    )]  # fmt: skip
    assert lengths == [16, 8, 16, 32, 16, 12], "struct would cut or fill what does not fit"
    return _HEADER.pack(
        _MAGIC, VERSION, header.kind, 0, header.scope, header.epoch, header.key_id, header.device, header.seq,
        header.previous, header.roster_head, header.nonce, size,
    )  # fmt: skip


def padded_size(length: int) -> int:
    """Padmé (Nikitin et al., PETS 2019): at most 12 % more, and only O(log log n) bits of the length show."""
    if length <= PADDED_BYTES_MIN:
        return PADDED_BYTES_MIN
    exponent = length.bit_length() - 1
    last = exponent - exponent.bit_length()
    mask = (1 << last) - 1
    return (length + mask) & ~mask


def pad(payload: bytes) -> bytes:
    framed = len(payload).to_bytes(4, "big") + payload
    return framed + bytes(padded_size(len(framed)) - len(framed))


def unpad(padded: bytes) -> bytes:
    """Raises Malformed unless `padded` is exactly what `pad` makes."""
    length = int.from_bytes(padded[:4], "big")
    if len(padded) < 4 or length > len(padded) - 4:
        raise Malformed("payload-length")
    payload = padded[4 : 4 + length]
    if len(padded) != padded_size(4 + length) or any(padded[4 + length :]):
        raise Malformed("payload-padding")
    return payload


# what is inside


@dataclass(frozen=True, slots=True)
class Seen:
    """What the author holds of one device: everything up to `seq`, whose envelope has this hash (first 8 bytes)."""

    seq: int
    hash: bytes
    beyond: tuple[tuple[int, int], ...] = ()
    """At most 16 ranges (first, last) past the first gap."""


@dataclass(frozen=True, slots=True)
class Payload:
    changes: tuple[tuple[str, tuple[bytes, ...]], ...]
    """(document with generation, change chunks), in the order of the author's log."""
    seen: tuple[tuple[bytes, Seen], ...]
    clock_ms: int
    skip_to: int = 0
    """The author withdraws its own envelopes before this number; 0: none."""
    generation: int = 1


RANGES_MAX = 16
DOCUMENTS_MAX = 256
CHANGES_MAX = 2000
DEVICES_MAX = 64
_CHANGES, _SEEN, _CLOCK, _SKIP, _GENERATION = 1, 2, 3, 4, 5


def encode_payload(payload: Payload) -> bytes:
    """Canonical CBOR (RFC 8949 §4.2.1): integer keys, definite lengths, no tags, no floats."""
    body: dict[int, object] = {
        _CHANGES: [[name, list(chunks)] for name, chunks in payload.changes],
        _SEEN: {device: [seen.seq, seen.hash, *(list(pair) for pair in seen.beyond)] for device, seen in payload.seen},
        _CLOCK: payload.clock_ms,
        _GENERATION: payload.generation,
    }
    if payload.skip_to:
        body[_SKIP] = payload.skip_to
    return cbor.encode(body)


def decode_payload(data: bytes) -> Payload:
    """Raises Malformed for anything that `encode_payload` would not write."""
    body = cbor.decode(data, "payload")
    try:
        return _payload(body)
    except (ValueError, TypeError) as error:  # an array longer or shorter than ours
        raise Malformed("payload-shape") from error


def _payload(body: object) -> Payload:
    required = {_CHANGES, _SEEN, _CLOCK, _GENERATION}
    if not isinstance(body, dict) or not required <= set(body) <= {*required, _SKIP}:
        raise Malformed("payload-fields")
    documents = map(_list, _list(body[_CHANGES]))
    changes = tuple((_text(name), tuple(map(_bytes, _list(chunks)))) for name, chunks in documents)
    if len(changes) > DOCUMENTS_MAX or sum(len(chunks) for _, chunks in changes) > CHANGES_MAX:
        raise Malformed("payload-count")
    if not isinstance(body[_SEEN], dict):
        raise Malformed("payload-shape")
    seen = tuple((_bytes(device, 16), _seen(*_list(one))) for device, one in body[_SEEN].items())
    if len(seen) > DEVICES_MAX:
        raise Malformed("payload-count")
    return Payload(
        changes, seen, _number(body[_CLOCK]), _number(body[_SKIP], least=1) if _SKIP in body else 0,
        _number(body[_GENERATION], least=1),
    )  # fmt: skip


def _seen(seq: object, short: object, *ranges: object) -> Seen:
    pairs = tuple((_number(first), _number(last)) for first, last in map(_list, ranges))
    last_before = _number(seq)
    for first, last in pairs:
        if first <= last_before + 1 or last < first:
            raise Malformed("payload-seen")  # ranges that touch are one range
        last_before = last
    if len(pairs) > RANGES_MAX:
        raise Malformed("payload-seen")
    return Seen(_number(seq), _bytes(short, 8), pairs)


def _number(value: object, least: int = 0) -> int:
    if type(value) is not int or not least <= value < SEQ_MAX:
        raise Malformed("payload-number")
    return value


def _bytes(value: object, length: int | None = None) -> bytes:
    if not isinstance(value, bytes) or (length is not None and len(value) != length):
        raise Malformed("payload-bytes")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed("payload-shape")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 80:
        raise Malformed("payload-text")
    return value
