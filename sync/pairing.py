"""Pairing by a short code and six digits: two machines without I/O that exchange four sealed notes.

The code (80 random bits) is typed by hand and keeps strangers out; the digits, compared by a person, keep out whoever
came by the code. The newcomer commits to its keys before it sees the other's, so nobody can search for keys that
give the same digits (docs/spec/memsync.md, pairing).

    note  from       says
    1     newcomer   SHA-256 of its third note
    2     inviter    keys, 32 random bytes, name
    3     newcomer   keys, 32 random bytes, name
    4     inviter    the welcome, sealed to the newcomer's key and signed

    Inviter: WAITING ─1─► COMMITTED ─3─► COMPARING ─Allowed─► DONE        any fault, refusal, second note 1 ─► FAILED
    Joiner:  COMMITTED ─2─► COMPARING ─4─► DONE
"""

from __future__ import annotations

import hashlib
from base64 import b32decode, b32encode
from dataclasses import dataclass
from enum import StrEnum

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from sync import cbor, crockford
from sync.errors import Forged, Malformed
from sync.keys import DeviceKeys, open_for, seal_for

CODE_BYTES = 10
NAME_CHARACTERS_MAX = 40
_QR = "NN1:"


# the code


def format_code(secret: bytes) -> str:
    """16 Crockford characters and 2 to check the typing, in groups: `K7QP…-…`."""
    assert len(secret) == CODE_BYTES
    text = crockford.spell(int.from_bytes(secret, "big"), 16) + _check_characters(secret)
    return crockford.grouped(text, 6)


def parse_code(text: str) -> bytes:
    """The secret of a typed code; case, spaces, dashes and O/I/L are forgiven. Raises Malformed."""
    clean = crockford.clean(text, 18)
    if clean is None:
        raise Malformed("error-join-code")
    secret = crockford.read(clean[:16]).to_bytes(CODE_BYTES, "big")
    if _check_characters(secret) != clean[16:]:
        raise Malformed("error-join-code")
    return secret


def format_picture(secret: bytes, sign_public: bytes) -> str:
    """What the QR says: the code, and the inviter's key, so that a newcomer that reads it knows whom to expect."""
    return f"{_QR}{format_code(secret)}:{b32encode(sign_public).decode().rstrip('=')}"


def parse_picture(text: str) -> tuple[bytes, bytes | None]:
    """The secret, and the inviter's key when the text came from a QR. Raises Malformed."""
    if not text.startswith(_QR):
        return parse_code(text), None
    code, _, key = text.removeprefix(_QR).partition(":")
    try:
        sign_public = b32decode(key + "=" * (-len(key) % 8))
    except ValueError as error:
        raise Malformed("error-join-code") from error
    if len(sign_public) != 32:
        raise Malformed("error-join-code")
    return parse_code(code), sign_public


def _check_characters(secret: bytes) -> str:
    return crockford.spell(int.from_bytes(hashlib.sha256(b"memsync/1 code\0" + secret).digest()[:2], "big"), 2)


def meeting_place(secret: bytes) -> str:
    """The name under which both look for the notes."""
    return hashlib.sha256(b"memsync/1 pair tag\0" + secret).hexdigest()[:32]


# events and actions


@dataclass(frozen=True, slots=True)
class Note:
    """Note `number` was read at the meeting place."""

    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Allowed:
    """The person compared the digits and said yes; `welcome` is what the newcomer is to get."""

    welcome: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """The person said no, or the time is over."""


@dataclass(frozen=True, slots=True)
class Write:
    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Compare:
    """Show these digits and whose they are."""

    digits: str
    peer: Peer


@dataclass(frozen=True, slots=True)
class Welcomed:
    welcome: bytes
    peer: Peer


@dataclass(frozen=True, slots=True)
class Failed:
    reason: str


@dataclass(frozen=True, slots=True)
class Peer:
    sign_public: bytes
    wrap_public: bytes
    name: str


Event = Note | Allowed | Refused
Action = Write | Compare | Welcomed | Failed


class State(StrEnum):
    WAITING = "waiting"
    COMMITTED = "committed"
    COMPARING = "comparing"
    DONE = "done"
    FAILED = "failed"


class Inviter:
    """The device that is trusted already. `random`: 32 + 12 fresh bytes."""

    def __init__(self, secret: bytes, keys: DeviceKeys, name: str, random: bytes) -> None:
        self.state = State.WAITING
        self._seal = _Seal(secret)
        self._keys = keys
        self._mine = _introduction(keys, name, random[:32])
        self._nonce = random[32:44]
        self._commitment = b""
        self._peer: Peer | None = None

    def receive(self, event: Event) -> list[Action]:
        match event, self.state:
            case _, State.DONE | State.FAILED:
                return []
            case Refused(), _:
                return self._fail("pairing-refused")
            case Note(1, data), State.WAITING:
                return self._committed(self._seal.open(data, 1))
            case Note(1, data), _:
                return [] if self._seal.open(data, 1) == self._commitment else self._fail("pairing-two-devices")
            case Note(3, data), State.COMMITTED:
                return self._introduced(self._seal.open(data, 3))
            case Allowed(welcome), State.COMPARING:
                return self._allowed(welcome)
            case _:
                return []

    def _committed(self, text: bytes | None) -> list[Action]:
        if text is None:
            return self._fail("pairing-code")
        self._commitment = text
        self.state = State.COMMITTED
        return [Write(2, self._seal.close(self._mine, 2, self._nonce))]

    def _introduced(self, text: bytes | None) -> list[Action]:
        if text is None:
            return self._fail("pairing-code")
        if hashlib.sha256(text).digest() != self._commitment:
            return self._fail("pairing-commitment")
        try:
            self._peer = _peer(text)
        except Malformed as error:
            return self._fail(error.code)
        self.state = State.COMPARING
        return [Compare(_digits(self._commitment, self._mine, text), self._peer)]

    def _allowed(self, welcome: bytes) -> list[Action]:
        assert self._peer is not None
        try:
            sealed = seal_for(self._peer.wrap_public, welcome, b"memsync/1 welcome\0" + self._commitment)
        except Malformed as error:  # a key that nothing can be sealed to
            return self._fail(error.code)
        self.state = State.DONE
        signature = Ed25519PrivateKey.from_private_bytes(self._keys.sign_seed).sign(_welcome_text(sealed))
        return [Write(4, sealed + signature)]

    def _fail(self, reason: str) -> list[Action]:
        self.state = State.FAILED
        return [Failed(reason)]


class Joiner:
    """The newcomer. `random`: 32 + 12 + 12 fresh bytes."""

    def __init__(self, secret: bytes, keys: DeviceKeys, name: str, random: bytes) -> None:
        self.state = State.COMMITTED
        self._seal = _Seal(secret)
        self._keys = keys
        self._mine = _introduction(keys, name, random[:32])
        self._commitment = hashlib.sha256(self._mine).digest()
        self._nonces = random[32:44], random[44:56]
        self._peer: Peer | None = None

    def begin(self) -> list[Action]:
        return [Write(1, self._seal.close(self._commitment, 1, self._nonces[0]))]

    def receive(self, event: Event) -> list[Action]:
        match event, self.state:
            case _, State.DONE | State.FAILED:
                return []
            case Refused(), _:
                self.state = State.FAILED
                return [Failed("pairing-refused")]
            case Note(2, data), State.COMMITTED:
                return self._introduced(data)
            case Note(4, data), State.COMPARING:
                return self._welcomed(data)
            case _:
                return []

    def _introduced(self, data: bytes) -> list[Action]:
        text = self._seal.open(data, 2)
        if text is None:
            self.state = State.FAILED
            return [Failed("pairing-code")]
        try:
            self._peer = _peer(text)
        except Malformed as error:
            self.state = State.FAILED
            return [Failed(error.code)]
        self.state = State.COMPARING
        return [
            Write(3, self._seal.close(self._mine, 3, self._nonces[1])),
            Compare(_digits(self._commitment, text, self._mine), self._peer),
        ]

    def _welcomed(self, data: bytes) -> list[Action]:
        assert self._peer is not None
        sealed, signature = data[:-64], data[-64:]
        try:
            Ed25519PublicKey.from_public_bytes(self._peer.sign_public).verify(signature, _welcome_text(sealed))
            welcome = open_for(self._keys, sealed, b"memsync/1 welcome\0" + self._commitment)
        except (InvalidSignature, ValueError, Forged):
            self.state = State.FAILED
            return [Failed("pairing-welcome")]
        self.state = State.DONE
        return [Welcomed(welcome, self._peer)]


def _welcome_text(sealed: bytes) -> bytes:
    return b"memsync/1 welcome\0" + hashlib.sha256(sealed).digest()


def _introduction(keys: DeviceKeys, name: str, random: bytes) -> bytes:
    return cbor.encode([keys.sign_public, keys.wrap_public, random, name[:NAME_CHARACTERS_MAX]])


def _peer(text: bytes) -> Peer:
    """Raises Malformed."""
    try:
        sign, wrap, random, name = cbor.decode(text, "pairing-note")
    except (ValueError, TypeError) as error:  # no array of four
        raise Malformed("pairing-note") from error
    lengths = [len(one) if isinstance(one, bytes) else -1 for one in (sign, wrap, random)]
    if lengths != [32, 32, 32] or not isinstance(name, str) or not 1 <= len(name) <= NAME_CHARACTERS_MAX:
        raise Malformed("pairing-note")
    return Peer(sign, wrap, "".join(c for c in name if c.isprintable()))


def _digits(commitment: bytes, inviter: bytes, joiner: bytes) -> str:
    """Six digits over everything both have said."""
    transcript = b"".join(len(part).to_bytes(4, "big") + part for part in (commitment, inviter, joiner))
    number = int.from_bytes(hashlib.sha256(b"memsync/1 digits\0" + transcript).digest()[:8], "big") % 1_000_000
    return f"{number:06d}"


class _Seal:
    """AES-256-GCM under the code's key; scrypt makes guessing the code dear."""

    def __init__(self, secret: bytes) -> None:
        stretched = Scrypt(salt=b"memsync/1 pair", length=32, n=1 << 15, r=8, p=1).derive(secret)
        key = HKDF(algorithm=SHA256(), length=32, salt=b"memsync/1 pair", info=b"notes").derive(stretched)
        self._cipher = AESGCM(key)

    def close(self, text: bytes, number: int, nonce: bytes) -> bytes:
        return nonce + self._cipher.encrypt(nonce, text, bytes([number]))

    def open(self, data: bytes, number: int) -> bytes | None:
        try:
            return self._cipher.decrypt(data[:12], data[12:], bytes([number]))
        except (InvalidTag, ValueError):
            return None
