"""Writes `tests/vectors/*.json`: what any implementation of `memsync/1` must do, byte for byte.

    python tools/make_vectors.py        writes the files
    python tools/make_vectors.py DIR    writes them elsewhere; a test compares

One file a topic, one failure a case: `expect` is "ok" or the code of the check that must refuse it. Nothing here
draws from a clock or from chance. `genesis.json` and `js_changes.json` are made elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey  # noqa: E402
from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402

from store.admission import Admission  # noqa: E402
from store.changes import (  # noqa: E402
    Key,
    canonical,
    check_key,
    label_key,
    record_key,
    register_key,
)
from store.chunk import COUNTER_MAX, DEPS_MAX, ParsedChange, encode_change, parse_change  # noqa: E402
from store.document import genesis  # noqa: E402
from store.errors import Untrusted  # noqa: E402
from store.fold import Folded, fold  # noqa: E402
from store.ids import card_id, digest, ulid  # noqa: E402
from store.shape import has_our_shape  # noqa: E402
from sync import cbor, envelope, keys, pairing, recovery, roster  # noqa: E402
from sync.envelope import Header, Kind, Payload, Seen  # noqa: E402
from sync.incoming import digest_of_baseline  # noqa: E402
from sync.keys import DeviceKeys  # noqa: E402
from sync.roster import DeviceRecord  # noqa: E402
from tests.chunks import ACTOR, SAMPLE, WIDE_A, Chunk, body_of, columns, deflated, run, sealed, uleb  # noqa: E402

Case = dict[str, Any]
SCOPE = bytes.fromhex("00112233445566778899aabbccddeeff")
SECRET = b"\x42" * 32
ME = DeviceKeys(bytes(range(32)), bytes(range(32, 64)))


def public(seed: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def wrap_public(key: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw()


def refused(name: str, expect: str, run: Callable[[], object], **given: Any) -> Case:
    """A case that must be refused by exactly this check; wrong vectors are never written."""
    met = "nothing"
    try:
        run()
    except Untrusted as error:
        met = error.code
    assert met == expect, f"{name}: {met} instead of {expect}"
    return {"name": name, "does": given.pop("does"), **given, "expect": expect}


def right(name: str, does: str, **given: Any) -> Case:
    return {"name": name, "does": does, **given, "expect": "ok"}


# devices and keys


def device_cases() -> Iterator[Case]:
    for name, own in (("agreed on", ME), ("another", DeviceKeys(b"\1" * 32, b"\2" * 32))):
        yield right(
            name,
            "device-id",
            sign_seed=own.sign_seed.hex(),
            wrap_key=own.wrap_key.hex(),
            sign_public=public(own.sign_seed).hex(),
            wrap_public=wrap_public(own.wrap_key).hex(),
            device=own.device_id.hex(),
        )
    places = [(SCOPE, 7, SECRET), (SCOPE, 8, SECRET), (bytes(16), 1, bytes(range(32))), (SCOPE, 2**32 - 1, SECRET)]
    for scope, epoch, secret in places:
        yield right(
            f"epoch {epoch}",
            "key-schedule",
            scope=scope.hex(),
            epoch=epoch,
            secret=secret.hex(),
            device=ME.device_id.hex(),
            key_id=keys.key_id(scope, epoch, secret).hex(),
            commit=keys.commitment(scope, epoch, secret).hex(),
            sender_key=keys.sender_key(scope, epoch, secret, ME.device_id).hex(),
        )


# wraps: HPKE written out, since a vector needs the ephemeral key and the library draws its own


def _extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, "sha256")


def _expand(suite: bytes, prk: bytes, label: bytes, info: bytes, length: int) -> bytes:
    info = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(prk, info + b"\1", "sha256")[:length]


def hpke_seal(to: bytes, info: bytes, text: bytes, ephemeral: bytes) -> bytes:
    """RFC 9180 base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, no associated data."""
    own = X25519PrivateKey.from_private_bytes(ephemeral)
    enc = own.public_key().public_bytes_raw()
    kem, suite = b"KEM\0\x20", b"HPKE\0\x20\0\1\0\2"
    eae = _extract(kem, b"", b"eae_prk", own.exchange(X25519PublicKey.from_public_bytes(to)))
    shared = _expand(kem, eae, b"shared_secret", enc + to, 32)
    context = b"\0" + _extract(suite, b"", b"psk_id_hash", b"") + _extract(suite, b"", b"info_hash", info)
    secret = _extract(suite, shared, b"secret", b"")
    key, nonce = _expand(suite, secret, b"key", context, 32), _expand(suite, secret, b"base_nonce", context, 12)
    return enc + AESGCM(key).encrypt(nonce, text, None)


def wrap_cases() -> Iterator[Case]:
    head = hashlib.sha256(b"roster").digest()
    to = wrap_public(ME.wrap_key)
    info = b"memsync/1 wrap\0" + SCOPE + (7).to_bytes(4, "big") + ME.device_id + head
    whole = hpke_seal(to, info, SECRET, b"\x33" * 32)
    place: Case = {
        "does": "unwrap",
        "sign_seed": ME.sign_seed.hex(),
        "wrap_key": ME.wrap_key.hex(),
        "scope": SCOPE.hex(),
        "epoch": 7,
        "roster_hash": head.hex(),
    }

    def opened(given: Case) -> bytes:
        own = DeviceKeys(bytes.fromhex(given["sign_seed"]), bytes.fromhex(given["wrap_key"]))
        return keys.unwrap_secret(
            bytes.fromhex(given["wrapped"]),
            own,
            scope=bytes.fromhex(given["scope"]),
            epoch=given["epoch"],
            roster_hash=bytes.fromhex(given["roster_hash"]),
            recipient=bytes.fromhex(given["recipient"]) if "recipient" in given else None,
        )

    assert opened({**place, "wrapped": whole.hex()}) == SECRET
    yield {"name": "opens", **place, "wrapped": whole.hex(), "secret": SECRET.hex(), "expect": "ok"}
    to_recovery = recovery.recovery_recipient(to)
    info_there = info.replace(ME.device_id, to_recovery)
    there = {**place, "recipient": to_recovery.hex(), "wrapped": hpke_seal(to, info_there, SECRET, b"\x33" * 32).hex()}
    assert opened(there) == SECRET
    yield {"name": "opens with the recovery key", **there, "secret": SECRET.hex(), "expect": "ok"}
    wrong: list[tuple[str, str, Case]] = [
        ("the recovery key's, taken for a device's", "wrap-seal", {"wrapped": there["wrapped"]}),
        ("a device's, taken for the recovery key's", "wrap-seal", {"recipient": to_recovery.hex()}),
        ("another scope", "wrap-seal", {"scope": bytes(16).hex()}),
        ("another epoch", "wrap-seal", {"epoch": 8}),
        ("another roster entry", "wrap-seal", {"roster_hash": bytes(32).hex()}),
        ("another device with the same wrap key", "wrap-seal", {"sign_seed": b"\1".hex() * 32}),
        ("another wrap key", "wrap-seal", {"wrap_key": b"\2".hex() * 32}),
        ("a flipped bit in the sealed secret", "wrap-seal", {"wrapped": (whole[:-1] + bytes([whole[-1] ^ 1])).hex()}),
        ("a flipped bit in the key", "wrap-seal", {"wrapped": (bytes([whole[0] ^ 1]) + whole[1:]).hex()}),
        ("a key of small order", "wrap-seal", {"wrapped": (bytes(32) + whole[32:]).hex()}),
        ("one byte short", "wrap-length", {"wrapped": whole[:-1].hex()}),
        ("one byte long", "wrap-length", {"wrapped": whole.hex() + "00"}),
        ("empty", "wrap-length", {"wrapped": ""}),
        ("a short secret", "wrap-length", {"wrapped": hpke_seal(to, info, SECRET[:16], b"\x33" * 32).hex()}),
    ]
    for name, code, changed in wrong:
        given = {**place, "wrapped": whole.hex(), **changed}
        yield refused(name, code, lambda given=given: opened(given), **given)  # type: ignore[misc]


# what people type and compare


def recovery_cases() -> Iterator[Case]:
    secrets = [bytes(16), bytes(range(16)), b"\xff" * 16]
    for secret in secrets:
        public, written = recovery.public_of(secret), recovery.format_recovery(secret)
        for name, text in (
            ("as written", written),
            ("as typed", f" {written.lower().replace('-', ' ')}".replace("0", "o")),
        ):
            yield right(
                f"{name} {secret.hex()[:4]}",
                "recovery-key",
                text=text,
                secret=secret.hex(),
                written=written,
                sign_public=public.sign.hex(),
                wrap_public=public.wrap.hex(),
                recipient=recovery.recovery_recipient(public.wrap).hex(),
            )
    written = recovery.format_recovery(secrets[1])
    for name, text in (
        ("nothing", ""),
        ("one character short", written[:-1]),
        ("one character long", written + "0"),
        ("a letter that is none of them", "U" + written[1:]),
        ("two characters the other way round", written[:2] + written[3] + written[2] + written[4:]),
        ("another check", written[:-1] + "F"),
        ("bits behind the last", written.replace("R38E-1WSE", "R38F-1WSE")),
    ):
        yield refused(
            name,
            "error-recovery-key",
            lambda text=text: recovery.parse_recovery(text),
            does="recovery-key",
            text=text,  # type: ignore[misc]
        )


def pairing_cases() -> Iterator[Case]:
    secret = bytes(range(10))
    written = pairing.format_code(secret)
    for name, code in (("as written", written), ("as typed", written.lower().replace("-", " ").replace("1", "l"))):
        place = pairing.meeting_place(secret)
        yield right(name, "pair-code", code=code, secret=secret.hex(), written=written, place=place)
    for name, code in (
        ("nothing", ""),
        ("one character short", written[:-1]),
        ("a letter that is none of them", "U" + written[1:]),
        ("another character", "1" + written[1:]),
        ("two characters the other way round", written[:2] + written[3] + written[2] + written[4:]),
        ("a recovery key", recovery.format_recovery(bytes(16))),
    ):
        yield refused(name, "error-join-code", lambda code=code: pairing.parse_code(code), does="pair-code", code=code)  # type: ignore[misc]
    seal_ = pairing._Seal(secret)
    note = seal_.close(b"text", 2, bytes(12))
    yield right("note 2", "pair-note", secret=secret.hex(), number=2, note=note.hex(), text=b"text".hex())
    others: list[tuple[str, bytes, int, bytes]] = [
        ("in another place", secret, 3, note),
        ("under another code", bytes(10), 2, note),
        ("with a flipped bit", secret, 2, note[:-1] + bytes([note[-1] ^ 1])),
        ("with another nonce", secret, 2, b"\1" + note[1:]),
        ("cut off", secret, 2, note[:27]),
        ("empty", secret, 2, b""),
    ]
    for name, code_, number, data in others:
        assert pairing._Seal(code_).open(data, number) is None
        given: Case = {"does": "pair-note", "secret": code_.hex(), "number": number, "note": data.hex()}
        yield {"name": name, **given, "expect": "pairing-code"}
    public_, other = DeviceKeys(b"\1" * 32, b"\2" * 32), ME
    texts = [
        pairing._introduction(one, name, bytes([7]) * 32) for one, name in ((other, "büro 😀"), (public_, "phone"))
    ]
    for text, one, name in zip(texts, (other, public_), ("büro 😀", "phone"), strict=True):
        peer = {"sign_public": one.sign_public.hex(), "wrap_public": one.wrap_public.hex(), "name": name}
        yield right(f"introduced as {name}", "pair-introduction", text=text.hex(), peer=peer)
    blob = b"\1" * 32
    for name, code, value in (
        ("an array of three", "pairing-note", [blob, blob, "x"]),
        ("an array of five", "pairing-note", [blob, blob, blob, "x", 1]),
        ("a short key", "pairing-note", [blob[1:], blob, blob, "x"]),
        ("random as text", "pairing-note", [blob, blob, "x" * 32, "x"]),
        ("no name", "pairing-note", [blob, blob, blob, ""]),
        ("a name of 41 characters", "pairing-note", [blob, blob, blob, "x" * 41]),
        ("a name as bytes", "pairing-note", [blob, blob, blob, b"x"]),
        ("a number", "pairing-note", 4),
        ("null", "pairing-note-cbor", None),
    ):
        text = cbor.encode(value)
        yield refused(name, code, lambda text=text: pairing._peer(text), does="pair-introduction", text=text.hex())  # type: ignore[misc]
    commitment = hashlib.sha256(texts[1]).digest()
    for name, first in (("digits", commitment), ("digits of another commitment", bytes(32))):
        found = pairing._digits(first, texts[0], texts[1])
        given = {"commitment": first.hex(), "inviter": texts[0].hex(), "joiner": texts[1].hex()}
        yield right(name, "pair-digits", **given, digits=found)


# padding and payload


def padding_cases() -> Iterator[Case]:
    for length in (0, 1, 251, 252, 253, 268, 269, 1000, 1021, 4092, 4093, 65_532, 100_000):
        yield right(f"{length} bytes", "padded-size", length=length, size=envelope.padded_size(4 + length))
    for payload in (b"", b"x", bytes(range(256))):
        yield right(f"{len(payload)} bytes back", "unpad", padded=envelope.pad(payload).hex(), payload=payload.hex())
    for name, code, padded in (
        ("empty", "payload-length", b""),
        ("three bytes", "payload-length", bytes(3)),
        ("length past the end", "payload-length", b"\0\0\0\xfd" + bytes(252)),
        ("length of 4 GB", "payload-length", b"\xff" * 256),
        ("shorter than the smallest", "payload-padding", bytes(255)),
        ("one byte more", "payload-padding", bytes(257)),
        ("the next size", "payload-padding", bytes(272)),
        ("last byte not zero", "payload-padding", bytes(255) + b"\1"),
        ("byte behind the payload not zero", "payload-padding", b"\0\0\0\1x\1" + bytes(250)),
    ):
        yield refused(name, code, lambda padded=padded: envelope.unpad(padded), does="unpad", padded=padded.hex())  # type: ignore[misc]


DEVICE = b"\1" * 16
SHORT = bytes(range(8))
PAYLOAD = Payload((("facts/2024-05.1~1", (b"\x85\x6f\x4a\x83",)),), (), 1716800000000)
FULL = Payload(
    (("facts/2024-05.1~2", (b"one", b"two")), ("meta~2", ())),
    ((DEVICE, Seen(3, SHORT, ((5, 5), (7, 9)))), (b"\2" * 16, Seen(0, bytes(8)))),
    0,
    skip_to=12,
    generation=2,
)


def shown_payload(payload: Payload) -> Case:
    return {
        "changes": [[name, [chunk.hex() for chunk in chunks]] for name, chunks in payload.changes],
        "seen": [[device.hex(), s.seq, s.hash.hex(), [list(pair) for pair in s.beyond]] for device, s in payload.seen],
        "clock_ms": payload.clock_ms,
        "skip_to": payload.skip_to,
        "generation": payload.generation,
    }


def body(**fields: Any) -> bytes:
    whole = {"f1": [], "f2": {}, "f3": 0, "f5": 1, **fields}
    return cbor.encode({int(name[1:]): value for name, value in whole.items() if value is not ...})


def payload_cases() -> Iterator[Case]:
    for name, payload in (("one change", PAYLOAD), ("everything", FULL), ("heartbeat", Payload((), (), 1))):
        yield right(name, "payload", data=envelope.encode_payload(payload).hex(), payload=shown_payload(payload))
    for name, code, data in (
        ("empty", "payload-cbor", b""),
        ("something behind it", "payload-cbor", body() + b"\0"),
        ("cut off", "payload-cbor", body()[:-1]),
        ("negative clock", "payload-cbor", body(f3=-1)),
        ("float clock", "payload-cbor", body(f3=1.0)),
        ("true for a number", "payload-cbor", body(f5=True)),
        ("null", "payload-cbor", body(f2=None)),
        ("a tag", "payload-cbor", bytes.fromhex("a40180") + bytes.fromhex("02a003c1000501")),
        ("indefinite array", "payload-cbor", bytes.fromhex("a4019fff02a003000501")),
        ("array of 2**62", "payload-cbor", bytes.fromhex("a4019b400000000000000002a003000501")),
        ("too deep", "payload-cbor", body(f1=[[[[[[]]]]]])),
        ("text that is no UTF-8", "payload-cbor", body(f1=[["aa", []]]).replace(b"aa", b"\xc3\x28")),
        ("number in two bytes", "payload-spelling", bytes.fromhex("a4018002a00318000501")),
        ("keys out of order", "payload-spelling", bytes.fromhex("a402a0018003000501")),
        ("a key twice", "payload-spelling", bytes.fromhex("a5018002a0030003000501")),
        ("an array", "payload-fields", cbor.encode([])),
        ("no changes", "payload-fields", body(f1=...)),
        ("no generation", "payload-fields", body(f5=...)),
        ("an unknown field", "payload-fields", body(f6=0)),
        ("changes as a map", "payload-shape", body(f1={})),
        ("a document without chunks", "payload-shape", body(f1=[["meta~1"]])),
        ("a document as bytes", "payload-text", body(f1=[[b"meta~1", []]])),
        ("a document of 81 characters", "payload-text", body(f1=[["x" * 81, []]])),
        ("a chunk as text", "payload-bytes", body(f1=[["meta~1", ["x"]]])),
        ("257 documents", "payload-count", body(f1=[["x", []]] * 257)),
        ("2,001 chunks", "payload-count", body(f1=[["x", [b""] * 2001]])),
        ("65 devices seen", "payload-count", body(f2={n.to_bytes(16, "big"): [0, SHORT] for n in range(65)})),
        ("a device of 15 bytes", "payload-bytes", body(f2={DEVICE[1:]: [1, SHORT]})),
        ("a hash of 7 bytes", "payload-bytes", body(f2={DEVICE: [1, SHORT[1:]]})),
        ("seen as a map", "payload-shape", body(f2={DEVICE: {1: 1, 2: SHORT}})),
        ("seen without a hash", "payload-shape", body(f2={DEVICE: [1]})),
        ("a range as bytes", "payload-shape", body(f2={DEVICE: [1, SHORT, b"\3\4"]})),
        ("a range that touches", "payload-seen", body(f2={DEVICE: [1, SHORT, [2, 3]]})),
        ("a range backwards", "payload-seen", body(f2={DEVICE: [1, SHORT, [4, 3]]})),
        ("ranges out of order", "payload-seen", body(f2={DEVICE: [1, SHORT, [6, 7], [3, 4]]})),
        ("17 ranges", "payload-seen", body(f2={DEVICE: [1, SHORT, *([n, n] for n in range(3, 37, 2))]})),
        ("clock of 2**48", "payload-number", body(f3=1 << 48)),
        ("generation 0", "payload-number", body(f5=0)),
        ("skip to 0", "payload-number", body(f4=0)),
    ):
        yield refused(name, code, lambda data=data: envelope.decode_payload(data), does="payload", data=data.hex())  # type: ignore[misc]


# envelopes

HEADER = Header(
    kind=Kind.UPDATE,
    scope=SCOPE,
    epoch=7,
    key_id=keys.key_id(SCOPE, 7, SECRET),
    device=ME.device_id,
    seq=1,
    previous=bytes(32),
    roster_head=hashlib.sha256(b"roster").digest()[:16],
    nonce=bytes(range(12)),
)
SENDER = keys.sender_key(SCOPE, 7, SECRET, ME.device_id)


def shown_header(header: Header) -> Case:
    return {
        name: value.hex() if isinstance(value, bytes) else int(value)
        for name in Header.__slots__
        for value in [getattr(header, name)]
    }


def opened(data: bytes, sign_public: bytes, sender: bytes) -> tuple[Header, Payload]:
    header = envelope.parse_header(data)
    envelope.check_signature(data, sign_public)
    return header, envelope.decode_payload(envelope.open_sealed(data, sender))


def seal(header: Header, text: bytes, sender: bytes = SENDER, seed: bytes = ME.sign_seed) -> bytes:
    return envelope.seal(header, text, sender_key=sender, sign_seed=seed)


def resigned(data: bytes) -> bytes:
    text = data[:-64]
    key = Ed25519PrivateKey.from_private_bytes(ME.sign_seed)
    return text + key.sign(b"memsync/1 envelope\0" + hashlib.sha256(text).digest())


def envelope_cases() -> Iterator[Case]:
    first = seal(HEADER, envelope.encode_payload(PAYLOAD))
    second = replace(HEADER, seq=2, previous=envelope.envelope_hash(first), nonce=b"\x0c" * 12, kind=Kind.HEARTBEAT)
    third = replace(HEADER, seq=3, previous=b"\5" * 32, epoch=8, key_id=keys.key_id(SCOPE, 8, SECRET))
    base: Case = {"sign_public": public(ME.sign_seed).hex(), "sender_key": SENDER.hex()}
    for name, header, payload, sender in (
        ("first", HEADER, PAYLOAD, SENDER),
        ("second", second, Payload((), (), 1716800000001), SENDER),
        ("next epoch", third, FULL, keys.sender_key(SCOPE, 8, SECRET, ME.device_id)),
        ("baseline", replace(third, kind=Kind.BASELINE), FULL, keys.sender_key(SCOPE, 8, SECRET, ME.device_id)),
    ):
        whole = seal(header, envelope.encode_payload(payload), sender)
        yield right(
            name, "envelope", **{**base, "sender_key": sender.hex()}, sign_seed=ME.sign_seed.hex(),
            envelope=whole.hex(), hash=envelope.envelope_hash(whole).hex(), header=shown_header(header),
            payload=shown_payload(payload),
        )  # fmt: skip

    def put(offset: int, layout: str, value: object) -> bytes:
        changed = bytearray(first)
        struct.pack_into(layout, changed, offset, value)
        return bytes(changed)

    unpadded = bytes(255) + b"\1"
    head = first[:118] + struct.pack(">I", len(unpadded) + 16)
    ill = head + AESGCM(SENDER).encrypt(HEADER.nonce, unpadded, head) + bytes(64)
    for name, code, data in (
        ("empty", "envelope-length", b""),
        ("only a header", "envelope-length", first[:122]),
        ("past the bound", "envelope-length", None),
        ("another magic", "envelope-magic", put(0, ">2s", b"ms")),
        ("version 0", "envelope-version", put(2, "B", 0)),
        ("version 2", "envelope-version", put(2, "B", 2)),
        ("kind 0", "envelope-kind", put(3, "B", 0)),
        ("kind 4", "envelope-kind", put(3, "B", 4)),
        ("a flag", "envelope-flags", put(4, ">H", 1)),
        ("one byte short", "envelope-size", first[:-1]),
        ("one byte long", "envelope-size", first + b"\0"),
        ("size 0", "envelope-size", put(118, ">I", 0)),
        ("epoch 0", "envelope-number", put(22, ">I", 0)),
        ("number 0", "envelope-number", put(50, ">Q", 0)),
        ("number 2**48", "envelope-number", put(50, ">Q", 1 << 48)),
        ("first with a predecessor", "envelope-previous", put(58, ">32s", b"\1" * 32)),
        ("second without one", "envelope-previous", put(50, ">Q", 2)),
        ("another scope", "envelope-signature", put(6, ">16s", bytes(16))),
        ("another nonce", "envelope-signature", put(106, ">12s", bytes(12))),
        ("a flipped bit in the sealed part", "envelope-signature", put(130, "B", first[130] ^ 1)),
        ("a flipped bit in the signature", "envelope-signature", first[:-1] + bytes([first[-1] ^ 1])),
        ("another signer", "envelope-signature", seal(HEADER, b"", seed=bytes(32))),
        ("scope changed and signed again", "envelope-seal", resigned(put(6, ">16s", bytes(16)))),
        ("number changed and signed again", "envelope-seal", resigned(replaced_number(first))),
        ("sealed bytes changed and signed again", "envelope-seal", resigned(put(130, "B", first[130] ^ 1))),
        ("sealed with another device's key", "envelope-seal",
         seal(HEADER, envelope.encode_payload(PAYLOAD), keys.sender_key(SCOPE, 7, SECRET, bytes(16)))),
        ("padding that is not zero", "payload-padding", resigned(ill)),
        ("a payload that is none", "payload-cbor", seal(HEADER, b"\xff")),
        ("an unknown field inside", "payload-fields", seal(HEADER, body(f9=0))),
    ):  # fmt: skip
        given = {"size": 900 * 1024 + 1} if data is None else {"envelope": data.hex()}
        whole = bytes(900 * 1024 + 1) if data is None else data
        check = lambda whole=whole: opened(whole, public(ME.sign_seed), SENDER)  # noqa: E731
        yield refused(name, code, check, does="envelope", **base, **given)


def replaced_number(data: bytes) -> bytes:
    changed = bytearray(data)
    struct.pack_into(">Q32s", changed, 50, 2, b"\1" * 32)
    return bytes(changed)


# rosters


def own_keys(number: int) -> DeviceKeys:
    return DeviceKeys(bytes([number] * 32), bytes([number + 100] * 32))


def record(number: int, lane: str) -> DeviceRecord:
    return DeviceRecord(public(own_keys(number).sign_seed), wrap_public(own_keys(number).wrap_key), lane)


A, B, C, D = (record(number, lane) for number, lane in ((1, ""), (2, "b"), (3, "c"), (4, "d")))
SEED = own_keys(1).sign_seed
RECOVERY, NEXT_RECOVERY = b"\x0e" * 32, b"\x0f" * 32
COMMIT, WRAP = b"\x0c" * 32, b"\x0d" * 32
FOUND = roster.found(SCOPE, A, sign_seed=SEED, recovery_sign=public(RECOVERY), recovery_wrap=WRAP, commit=COMMIT)


def grow(chain: Sequence[bytes], write: Callable[..., bytes], *args: Any, **named: Any) -> list[bytes]:
    return [*chain, write(roster.read_chain(chain), *args, **named)]


def recovered(chain: Sequence[bytes], *devices: DeviceRecord) -> list[bytes]:
    return grow(
        chain, roster.recover, devices, admin=devices[0].device, recovery_sign=public(NEXT_RECOVERY),
        recovery_wrap=WRAP, cuts={A.device: 3}, commit=COMMIT, recovery_seed=RECOVERY,
    )  # fmt: skip


def signed_entry(fields: object, seed: bytes = SEED) -> bytes:
    text = fields if isinstance(fields, bytes) else cbor.encode(fields)
    key = Ed25519PrivateKey.from_private_bytes(seed)
    return text + key.sign(b"memsync/1 roster\0" + hashlib.sha256(text).digest())


def shown_roster(state: roster.Roster) -> Case:
    return {
        "height": state.height,
        "head": state.head.hex(),
        "admin": state.admin.hex(),
        "members": [
            [device.hex(), member.record.lane, member.since, member.left_at, member.cut]
            for device, member in sorted(state.members.items())
        ],
        "epochs": [[e.number, e.commit.hex(), e.height] for _, e in sorted(state.epochs.items())],
        "generation": state.generation,
        "recovery_sign": state.recovery_sign.hex(),
        "baseline": state.baseline.hex(),
        "frontier": [[device.hex(), seq, head.hex()] for device, (seq, head) in sorted(state.frontier.items())],
        "recovered_at": state.recovered_at,
    }


def roster_cases() -> Iterator[Case]:
    two = grow([FOUND], roster.add, B, sign_seed=SEED)
    removed = grow(two, roster.remove, B.device, cut=5, commit=COMMIT, sign_seed=SEED)
    frontier = {A.device: (4, b"\1" * 32), B.device: (2, b"\2" * 32)}
    erased = grow(two, roster.erase, commit=COMMIT, baseline=b"\7" * 32, frontier=frontier, sign_seed=SEED)
    adopted = grow(two, roster.adopt, C, cut=9, commit=COMMIT, sign_seed=SEED)
    saved = recovered(removed, D, B)
    on = grow(saved, roster.add, C, sign_seed=own_keys(4).sign_seed)
    for name, chain in (
        ("founded", [FOUND]), ("added", two), ("removed", removed), ("erased", erased), ("adopted", adopted),
        ("recovered", saved), ("added by the new admin", on),
    ):  # fmt: skip
        yield right(name, "roster", entries=[e.hex() for e in chain], roster=shown_roster(roster.read_chain(chain)))

    state = roster.read_chain(two)

    def by_hand(body: Any, kind: int = 2, *, signer: Any = None, seed: bytes = SEED, **changed: Any) -> list[bytes]:
        fields = {
            0: 1, 1: SCOPE, 2: 2, 3: state.head, 4: kind, 5: body, 6: state.admin if signer is None else signer,
            **{int(name[1:]): value for name, value in changed.items()},
        }  # fmt: skip
        return [*two, signed_entry(fields, seed)]

    def listed(one: DeviceRecord, lane: str | None = None) -> list[object]:
        return [one.sign_public, one.wrap_public, one.lane if lane is None else lane]

    add_c = {1: listed(C)}
    recovery: Case = {
        1: [listed(A), listed(B)], 2: A.device, 3: public(NEXT_RECOVERY), 4: WRAP, 5: 2, 6: COMMIT, 7: {},
    }  # fmt: skip

    def recovering(**changed: Any) -> list[bytes]:
        fields = {**recovery, **{int(name[1:]): value for name, value in changed.items()}}
        return by_hand(fields, 6, signer=b"", seed=RECOVERY)

    thin = {0: 1, 1: SCOPE, 2: 2, 3: state.head, 4: 2, 5: add_c}
    flipped = bytearray(removed[2])
    flipped[-64 - 25] ^= 1  # in the commitment
    other = roster.found(bytes(16), A, sign_seed=SEED, recovery_sign=bytes(32), recovery_wrap=WRAP, commit=COMMIT)
    for name, code, chain in (
        ("no entry", "roster-empty", []),
        ("begins in the middle", "roster-first", two[1:]),
        ("an entry twice", "roster-place", [*two, two[1]]),
        ("an entry left out", "roster-place", [FOUND, removed[2]]),
        ("of another scope", "roster-scope", [other, two[1]]),
        ("a flipped bit", "roster-signature", [*two, bytes(flipped)]),
        ("signed by a member", "roster-signature", by_hand(add_c, seed=own_keys(2).sign_seed)),
        ("a member in its own name", "roster-signer", by_hand(add_c, signer=B.device, seed=own_keys(2).sign_seed)),
        ("the old admin after an adoption", "roster-signer",
         [*adopted, signed_entry({0: 1, 1: SCOPE, 2: 3, 3: roster.entry_hash(adopted[2]), 4: 2, 5: {1: listed(D)},
                                  6: A.device})]),
        ("a recovery signed by the admin", "roster-signature", by_hand(recovery, 6, signer=b"")),
        ("a recovery in the admin's name", "roster-signer", by_hand(recovery, 6)),
        ("an addition by the recovery key", "roster-signer", by_hand(add_c, signer=b"", seed=RECOVERY)),
        ("a used recovery key", "roster-signature",
         [*saved, signed_entry({0: 1, 1: SCOPE, 2: 4, 3: roster.entry_hash(saved[3]), 4: 6,
                                5: {**recovery, 5: 4}, 6: b""}, RECOVERY)]),
        ("too short", "roster-length", [b"x" * 64]),
        ("no CBOR", "roster-cbor", [*two, signed_entry(b"\xff")]),
        ("a float for the kind", "roster-cbor", by_hand(add_c, 2, _4=2.0)),
        ("another spelling", "roster-spelling", [*two, signed_entry(b"\x18\x00")]),
        ("a field missing", "roster-fields", [*two, signed_entry(thin)]),
        ("a field more", "roster-fields", by_hand(add_c, _7=0)),
        ("version 2", "roster-version", by_hand(add_c, _0=2)),
        ("kind 7", "roster-kind", by_hand(add_c, 7)),
        ("a second founding", "roster-kind", by_hand({1: listed(A), 2: public(RECOVERY), 3: WRAP, 4: COMMIT}, 1)),
        ("height 10,001", "roster-height", by_hand(add_c, _2=10_001)),
        ("scope of 15 bytes", "roster-bytes", by_hand(add_c, _1=SCOPE[1:])),
        ("a body field more", "roster-body", by_hand({**add_c, 2: 0})),
        ("a body that is an array", "roster-body", by_hand([])),
        ("a device without a lane", "roster-record", by_hand({1: listed(C)[:2]})),
        ("a lane in capitals", "roster-lane", by_hand({1: listed(C, "C")})),
        ("a lane of five letters", "roster-lane", by_hand({1: listed(C, "abcde")})),
        ("a lane in use", "roster-lane", by_hand({1: listed(C, "b")})),
        ("a lane of one that left", "roster-lane",
         [*removed, signed_entry({0: 1, 1: SCOPE, 2: 3, 3: roster.entry_hash(removed[2]), 4: 2,
                                  5: {1: listed(C, "b")}, 6: A.device})]),
        ("a device added twice", "roster-device", by_hand({1: listed(B, "c")})),
        ("a stranger removed", "roster-remove", by_hand({1: C.device, 2: 0, 3: 2, 4: COMMIT}, 3)),
        ("the admin removed", "roster-remove", by_hand({1: A.device, 2: 0, 3: 2, 4: COMMIT}, 3)),
        ("an epoch skipped", "roster-epoch", by_hand({1: B.device, 2: 0, 3: 3, 4: COMMIT}, 3)),
        ("a cut of 2**48", "roster-number", by_hand({1: B.device, 2: 1 << 48, 3: 2, 4: COMMIT}, 3)),
        ("a generation skipped", "roster-generation", by_hand({1: 3, 2: 2, 3: COMMIT, 4: bytes(32), 5: {}}, 4)),
        ("a recovery without its admin", "roster-admin", recovering(_2=C.device)),
        ("a recovery that keeps its key", "roster-recovery", recovering(_3=public(RECOVERY))),
        ("a recovery with a device twice", "roster-device", recovering(_1=[listed(A), listed(B), listed(B)])),
        ("a recovery that moves a lane", "roster-lane", recovering(_1=[listed(A), listed(B, "z")])),
        ("a recovery with one lane for two", "roster-lane",
         recovering(_1=[listed(A), listed(B), listed(C, "e"), listed(D, "e")])),
        ("a recovery without a cut", "roster-cuts", recovering(_1=[listed(A)])),
        ("a recovery with a cut too many", "roster-cuts", recovering(_7={B.device: 1})),
    ):  # fmt: skip
        entries = [entry.hex() for entry in chain]
        yield refused(name, code, lambda chain=chain: roster.read_chain(chain), does="roster", entries=entries)  # type: ignore[misc]

    stolen = grow(two, roster.remove, B.device, cut=0, commit=COMMIT, sign_seed=SEED)
    living = grow(two, roster.add, C, sign_seed=SEED)
    code_again = recovered(two, C, B)
    for name, pinned, shown in (
        ("the same", two, two),
        ("a longer one", two, removed),
        ("a shorter one", removed, two),
        ("two of equal right", stolen, living),
        ("a recovery at the fork", stolen, recovered(two, D, B)),
        ("a recovery behind the fork", stolen, recovered(living, D, B)),
        ("ours recovered", recovered(living, D, B), stolen),
        ("two recoveries", recovered(two, D, B), code_again),
        ("an old code after a recovery", on, recovered(two, C, B)),
        ("another founding", [FOUND], [roster.found(
            SCOPE, B, sign_seed=own_keys(2).sign_seed, recovery_sign=bytes(32), recovery_wrap=WRAP, commit=COMMIT)]),
    ):  # fmt: skip
        choice = roster.choose(pinned, shown).name.lower()
        yield right(name, "choose", pinned=[e.hex() for e in pinned], other=[e.hex() for e in shown], choice=choice)


# changes

ID = ulid(1716775200000, bytes(10))
STAMP = "001716775200000-0001020304050607"
ENTRY = record_key(ID, {"kind": "fact", "text": SAMPLE})
LABEL = label_key("D-2024-05-27-01", ENTRY)
REGISTER = register_key(ID, "hidden", True, stamp=STAMP, by="terminal:lin", at_ms=1, over=["a" * 16])
REVIEW = Key("v", f"{ID}.{digest('{}')}", "{}")
GENESIS = genesis("facts/2024-05.1~1")


def shown_keys(items: Sequence[Key]) -> list[list[str]]:
    return [[item.map, item.key, item.value] for item in items]


def shown_change(change: ParsedChange) -> Case:
    return {
        "hash": change.hash.hex(),
        "deps": [dep.hex() for dep in change.deps],
        "actor": change.actor.hex(),
        "seq": change.seq,
        "start_op": change.start_op,
        "keys": shown_keys(change.keys),
    }


def chunk_cases() -> Iterator[Case]:
    good = columns(ENTRY, LABEL)
    deps = [GENESIS.hash]

    def chunk(**parts: Any) -> bytes:
        return Chunk(**{"columns": good, "deps": deps, **parts}).build()

    def column(name: int, data: bytes) -> bytes:
        return chunk(columns={n: one for n, one in sorted({**good, name: data}.items()) if one})

    labels = [label_key(f"D-{number}", ENTRY) for number in range(300)]
    many = encode_change(deps, ACTOR, 1, 6, labels)
    for name, data in (
        ("two keys", chunk()),
        ("all four maps", encode_change(deps, ACTOR, 1, 6, [ENTRY, LABEL, REGISTER, REVIEW])),
        ("many keys", many),
        ("deflated", deflated(many)),
        ("two deps", encode_change(sorted([bytes([7] * 32), *deps]), ACTOR, 2, 900, [ENTRY])),
        ("greatest numbers", encode_change(deps, ACTOR, COUNTER_MAX - 1, COUNTER_MAX - 1, [REVIEW])),
    ):
        yield right(name, "chunk", chunk=data.hex(), change=shown_change(parse_change(data)))

    text = ENTRY.value.encode()
    overlong = uleb(len(body_of(chunk())))
    for name, code, data in (
        ("empty", "malformed-magic", b""),
        ("another magic", "malformed-magic", b"\x85\x6f\x4a\x84" + chunk()[4:]),
        ("a wrong checksum", "malformed-checksum", chunk()[:4] + bytes(4) + chunk()[8:]),
        ("a document", "malformed-chunk-type", sealed(body_of(chunk()), kind=0)),
        ("a length too long", "malformed-chunk-length", sealed(body_of(chunk()), uleb(len(body_of(chunk())) + 1))),
        ("an overlong length", "malformed-spelling", chunk(body_length=overlong[:-1] + bytes([overlong[-1] | 128, 0]))),
        ("deflate that is none", "malformed-deflate", deflated(chunk(), b"\xff\xff\xff")),
        ("deflate cut off", "malformed-deflate", deflated(many, deflated(many)[11:-2])),
        ("an inflate bomb", "malformed-deflate", deflated(sealed(bytes(2_000_000)))),
        ("no deps", "malformed-deps", chunk(deps=[])),
        ("257 deps", "malformed-deps", chunk(deps=[n.to_bytes(32, "big") for n in range(DEPS_MAX + 1)])),
        ("deps out of order", "malformed-deps", chunk(deps=[b"\2" * 32, b"\1" * 32])),
        ("an actor of 15 bytes", "malformed-actor", chunk(actor=ACTOR[1:])),
        ("the actor of genesis", "malformed-actor", chunk(actor=bytes(16))),
        ("sequence 0", "malformed-counter", chunk(seq=b"\0")),
        ("first operation 2**32 - 2", "malformed-counter", chunk(start_op=uleb(2**32 - 2))),
        ("an overlong sequence", "malformed-spelling", chunk(seq=b"\x81\0")),
        ("a time", "malformed-time", chunk(time_and_message=b"\1\0")),
        ("a message", "malformed-time", chunk(time_and_message=b"\0\2hi")),
        ("a third actor", "malformed-actors", chunk(actors=b"\2\x10" + bytes(16) + b"\x10" + b"\x09" * 16)),
        ("objects of another actor", "malformed-actors", chunk(actors=b"\1\x10" + b"\x09" * 16)),
        ("a ninth column", "malformed-columns", chunk(column_count=b"\x09")),
        ("an unknown column", "malformed-columns", chunk(columns=[*list(good.items())[:7], (0x71, b"\2\0")])),
        ("columns out of order", "malformed-columns", chunk(columns=[*reversed(good.items())])),
        ("bytes behind the columns", "malformed-extra-bytes", chunk(behind=b"x")),
        ("no keys", "malformed-op-count", chunk(columns=[])),
        ("a run of 3,000,000", "malformed-run", column(0x15, b"\xc0\x8d\xb7\x01\1k")),
        ("a run of none", "malformed-run", column(0x02, run(0, b"\2"))),
        ("a key of 129 bytes", "malformed-key-length", column(0x15, run(-1, uleb(129) + b"k" * 129))),
        ("a key that is no UTF-8", "malformed-utf8", column(0x15, run(-2, b"\2\xc3\x28", b"\1k"))),
        ("the root", "malformed-object", column(0x02, run(-2, b"\1", b"\3"))),
        ("a fifth map", "malformed-object", column(0x02, run(-2, b"\6", b"\3"))),
        ("fewer objects than keys", "malformed-op-count", column(0x02, run(-1, b"\2"))),
        ("an integer", "malformed-value-type", column(0x56, run(-2, uleb(len(text) << 4 | 4), b"\6"))),
        ("a counter", "malformed-value-type", column(0x56, run(-2, uleb(len(text) << 4 | 8), b"\6"))),
        ("a value past the end", "malformed-value", column(0x56, run(-2, uleb(len(text) + 1 << 4 | 6), b"\6"))),
        ("bytes behind the values", "malformed-spelling", column(0x57, text + b"x")),
        ("another value under the key", "malformed-digest", column(0x57, text.replace(b"hello", b"hallo"))),
        ("an action that makes a map", "malformed-spelling", column(0x42, run(2, b"\0"))),
        ("a deletion", "malformed-spelling", column(0x42, run(2, b"\3"))),
        ("an increment", "malformed-spelling", column(0x42, run(2, b"\5"))),
        ("an insertion", "malformed-spelling", column(0x34, b"\0\2")),
        ("a predecessor", "malformed-spelling", column(0x70, run(2, b"\1"))),
        ("a run spelled out", "malformed-spelling", column(0x01, run(-2, b"\1", b"\1"))),
        ("one key twice", "malformed-repeated-key", chunk(columns=columns(ENTRY, LABEL, ENTRY))),
        ("a label with a value", "malformed-label", chunk(columns=columns(replace(LABEL, value="x"), ENTRY))),
        ("genesis", "malformed-deps", GENESIS.data),
    ):
        yield refused(name, code, lambda data=data: parse_change(data), does="chunk", chunk=data.hex())  # type: ignore[misc]


def admission_cases() -> Iterator[Case]:
    b, c = bytes([2] * 16), bytes([3] * 16)

    def change(deps: Sequence[bytes], actor: bytes, seq: int, start_op: int, *numbers: int) -> ParsedChange:
        items = [record_key(ulid(n, bytes(10)), {"n": n}) for n in numbers]
        return parse_change(encode_change(sorted(deps), actor, seq, start_op, items))

    first = change([GENESIS.hash], ACTOR, 1, 6, 1, 2, 3)
    second = change([first.hash], b, 1, 9, 4)
    third = change([first.hash, second.hash], c, 1, 10, 5)
    aside = change([GENESIS.hash], b, 1, 6, 6)
    older = genesis("facts/2024-05.1~2")
    for name, changes in (
        ("in order", [first, second, third]),
        ("too early", [third, second, first, second, third]),
        ("twice", [first, first]),
        ("first operation too low", [first, change([first.hash], b, 1, 8, 7)]),
        ("first operation too high", [first, change([first.hash], b, 1, 10, 7)]),
        ("first operation near the end of numbers", [first, change([first.hash], b, 1, COUNTER_MAX - 1, 7)]),
        ("a place that is taken", [first, change([first.hash], ACTOR, 1, 9, 7)]),
        ("a number skipped", [first, change([first.hash], ACTOR, 3, 9, 7)]),
        ("an actor that begins at two", [first, change([first.hash], b, 2, 9, 7)]),
        ("its own last change forgotten", [first, change([GENESIS.hash], ACTOR, 2, 6, 7)]),
        ("its own last change beside it", [first, aside, change([aside.hash], ACTOR, 2, 7, 7)]),
        ("its own last change far below", [first, second, third, change([third.hash], ACTOR, 2, 11, 7)]),
        ("of another generation", [first, change([older.hash], b, 1, 6, 7)]),
    ):
        admission = Admission(GENESIS.hash)
        admitted = [admission.admit(one) for one in changes]
        yield right(
            name, "admission", document="facts/2024-05.1~1", genesis=GENESIS.data.hex(),
            changes=[one.data.hex() for one in changes], admitted=admitted,
        )  # fmt: skip


# keys and JSON


def key_cases() -> Iterator[Case]:
    for text in ("", "hello", SAMPLE, "😀", "\x7f\u2028"):
        yield right(f"of {text!a}", "digest", text=text, digest=digest(text))
    values: list[Any] = [
        {"b": 1, "a": [True, False, None]},
        {WIDE_A: 1, "\U00010000": 2, "a": 3},
        {"text": 'quote " back \\ slash / tab \t line \n return \r feed \f bell \b one \x01 del \x7f'},
        {"n": [0, -1, 9007199254740991, -9007199254740991]},
        {"": {}},
    ]
    for number, value in enumerate(values):
        yield right(f"value {number}", "canonical", value=value, text=canonical(value))
    for item in (ENTRY, LABEL, REGISTER, REVIEW):
        check_key(item)
        yield right(f"map {item.map}", "key", key=[item.map, item.key, item.value])
    field = register_key("meta", "erased/D-2024-05-27-01", True, stamp=STAMP, by="", at_ms=1, over=())
    yield right("a field with a slash", "key", key=[field.map, field.key, field.value])

    def written(value: str, map_name: str = "e") -> Key:
        return Key(map_name, f"{ID}.{digest(value)}", value)

    def register(value: str, **parts: str) -> Key:
        at = {"record": str(ID), "field": "hidden", "stamp": STAMP, **parts}
        return Key("r", f"{at['record']}/{at['field']}/{at['stamp']}.{digest(value)}", value)

    shape = canonical({"at": 1, "by": "", "over": [], "v": 1})
    for name, code, item in (
        ("a fifth map", "malformed-map", replace(ENTRY, map="x")),
        ("no digest", "malformed-key", replace(ENTRY, key=str(ID))),
        ("an id in small letters", "malformed-key", replace(ENTRY, key=ENTRY.key.lower())),
        ("an id past the greatest", "malformed-key", replace(ENTRY, key="8" + ENTRY.key[1:])),
        ("a line end behind the key", "malformed-key", replace(ENTRY, key=ENTRY.key + "\n")),
        ("a label with a slash", "malformed-key", replace(LABEL, key="a/" + LABEL.key)),
        ("an empty label", "malformed-key", replace(LABEL, key="/" + ENTRY.key)),
        ("a register of nothing", "malformed-key", register(shape, record="other")),
        ("a stamp of 14 digits", "malformed-key", register(shape, stamp=STAMP[1:])),
        ("a device of 15 digits", "malformed-key", register(shape, stamp=STAMP[:-1])),
        ("a key of 129 bytes", "malformed-key-length", register(shape, field="f" * (129 - 6 - len(REGISTER.key) + 12))),
        ("a label of 81 bytes", "malformed-label", label_key("L" * 81, ENTRY)),
        ("a label with a value", "malformed-label", replace(LABEL, value="x")),
        ("a value of 65,537 bytes", "malformed-value-length", written('{"t":"' + "x" * 65_529 + '"}')),
        ("half of a surrogate pair", "malformed-text", replace(ENTRY, value='{"t":"\ud800"}')),
        ("another value", "malformed-digest", replace(ENTRY, value='{"text":"other"}')),
        ("another review", "malformed-digest", replace(REVIEW, value='{"a":1}')),
        ("another register value", "malformed-digest", replace(REGISTER, value=REGISTER.value.replace("true", "false"))),
        *((f"JSON {text[:20]!a}", "malformed-json", written(text)) for text in (
            "", "null", "[]", '{"a":1}\n', '{"a": 1}', '{"b":1,"a":2}', '{"a":1,"a":1}', '{"a":1.0}', '{"a":1e2}',
            '{"a":-0}', '{"a":01}', '{"a":NaN}', '{"a":"\\u8bb0"}', '{"a":"\\/"}', '{"a":"\\u001F"}', '{"a":"\x01"}',
            '{"\U00010000":1,"' + WIDE_A + '":1}', '{"a":' + "[" * 16 + "]" * 16 + "}",
        )),
        ("a register without over", "malformed-register", register('{"at":1,"by":"","v":1}')),
        ("a register with more", "malformed-register", register(shape[:-1] + ',"w":1}')),
        ("a register at a text", "malformed-register", register(shape.replace('"at":1', '"at":"1"'))),
        ("a register at true", "malformed-register", register(shape.replace('"at":1', '"at":true'))),
        ("a register by a number", "malformed-register", register(shape.replace('"by":""', '"by":1'))),
        ("over out of order", "malformed-register",
         register(shape.replace("[]", f'["{"b" * 16}","{"a" * 16}"]'))),
        ("over the same twice", "malformed-register",
         register(shape.replace("[]", f'["{"a" * 16}","{"a" * 16}"]'))),
        ("over something else", "malformed-register", register(shape.replace("[]", '["short"]'))),
    ):  # fmt: skip
        given = [item.map, item.key, item.value]
        yield refused(name, code, lambda item=item: check_key(item), does="key", key=given)  # type: ignore[misc]


# the shape of values


def shape_cases() -> Iterator[Case]:
    at = 1_716_775_200_000
    plain: dict[str, Any] = {
        "at": at, "day": "2024-05-27", "kind": "fact", "origin": "said", "text": "t", "author": "terminal:lin",
        "lang": "zh", "zone": "UTC", "source": {"platform": "terminal", "chat": "c"},
    }  # fmt: skip
    last, late = (ulid(ms, bytes(10)) for ms in (253_402_300_799_999, 253_402_300_800_000))

    def entry(record: str = ulid(at, bytes(10)), **fields: Any) -> Key:
        value = {**plain, **fields}
        return record_key(record, {name: item for name, item in value.items() if item is not ...})

    def write(field: str, value: Any, record: str = ulid(at, bytes(10)), at_ms: int = at) -> Key:
        return register_key(record, field, value, stamp=STAMP, by="", at_ms=at_ms, over=())

    full = entry(
        why="w", impact="i", next="n", verify="v", confidence="high", tags=["a"], aliases=[], supersedes=["x"],
        about=[["who", "lin"]], dates=[["morgen", "2024-05-28", "2024-05-28"]],
    )  # fmt: skip
    for name, item in (
        ("only what must be there", entry(text=..., author=..., lang=..., zone=..., source=...)),
        ("everything", full),
        ("a task needs no origin", entry(kind="task", origin=...)),
        ("a kind that is not known", entry(kind="a kind of next year")),
        ("an origin that is not known", entry(origin="dreamt")),
        ("a confidence that is not known", entry(confidence="total")),
        ("a field that is not known", entry(mood={"a": [1]})),
        ("something more in the source", entry(source={"page": 5})),
        ("the last moment", entry(last)),
        ("the leap day", entry(day="2024-02-29")),
        ("the greatest number", entry(at=(1 << 48) - 1)),
        ("a label", label_key("D-2024-05-27-01", entry())),
        ("a review event", record_key(last, {"grade": [3]})),
        ("an importance", write("importance", 0)),
        ("an importance of another type is passed over", write("importance", "high")),
        ("true is no number", write("importance", True)),
        ("done", write("done_at", at)),
        ("not done any more", write("done_at", None)),
        ("a state that is not known", write("state", "delegated")),
        ("tags", write("tags+", ["a"])),
        ("tags of another type are passed over", write("tags+", 5)),
        ("hidden by another word", write("hidden", "yes")),
        ("a field of the profile", write("name", {"a": None}, "profile")),
    ):
        item = replace(item, map="v") if name == "a review event" else item
        assert has_our_shape(item), name
        yield right(name, "shape", key=[item.map, item.key, item.value])
    wrong: list[tuple[str, Key]] = [
        ("an entry past the last month", entry(late)),
        ("a register of one", write("pinned", True, late)),
        ("a label of one", label_key("D-2024-05-27-01", entry(late))),
        ("a register at 2**48", write("pinned", True, at_ms=1 << 48)),
        ("a register before the beginning", write("pinned", True, at_ms=-1)),
        ("a register at 10**30", write("pinned", True, at_ms=10**30)),
        ("an importance of 10**30", write("importance", 10**30)),
        ("an importance below zero", write("importance", -1)),
        ("done at a list", write("done_at", [1])),
        ("done at true", write("done_at", True)),
        ("done at a text", write("done_at", "2024-05-27")),
        ("tags with a number", write("tags+", ["a", 1])),
    ]
    fields: list[tuple[str, Any]] = [
        ("at", ...), ("at", 1 << 48), ("at", -1), ("at", [1]), ("at", True), ("at", "1"), ("day", ...), ("day", 5),
        ("day", "2024-13-01"), ("day", "2023-02-29"), ("day", "20240527"), ("day", "2024-5-27"), ("day", "0000-01-01"),
        ("day", "2024-W22-1"), ("kind", ...), ("kind", []), ("origin", ...), ("origin", 1), ("confidence", 1),
        ("text", None), ("text", 5), ("why", []), ("zone", 1), ("author", {}), ("lang", 0), ("tags", "a"), ("tags", [1]),
        ("tags", {"a": 1}), ("aliases", [[]]), ("supersedes", "x"), ("supersedes", [None]), ("about", 5), ("about", ["ab"]),
        ("about", [["a"]]), ("about", [["a", "b", "c"]]), ("dates", {}), ("dates", [[]]),
        ("dates", [["a", "2024-05-27", "x"]]), ("dates", [["a", "2024-05-27", "2024-06-31"]]), ("source", []), ("source", None),
        ("source", {"chat": 1}), ("source", {"quoted": None}),
    ]  # fmt: skip
    for field, value in fields:
        said = "none" if value is ... else json.dumps(value)
        wrong.append((f"{field}: {said}", entry(**{field: value})))
    for name, item in wrong:
        assert not has_our_shape(item), name
        given: Case = {"does": "shape", "key": [item.map, item.key, item.value]}
        yield {"name": name, **given, "expect": "change-shape"}


# baselines


def baseline_cases() -> Iterator[Case]:
    first, second = (genesis(name) for name in ("facts/2024-05.1~2", "meta~2"))
    changes = [
        parse_change(encode_change([first.hash], ACTOR, 1, 6, [ENTRY])),
        parse_change(encode_change([second.hash], ACTOR, 1, 6, [REGISTER])),
        parse_change(encode_change([second.hash], ACTOR, 2, 7, [LABEL])),
    ]
    one, two, three = (change.data for change in changes)
    digest_of_all = digest_of_baseline([change.hash for change in changes]).hex()
    for name, parts in (
        ("in one envelope", [(("facts/2024-05.1~2", (one,)), ("meta~2", (two, three)))]),
        ("in two", [(("facts/2024-05.1~2", (one,)), ("meta~2", (two,))), (("meta~2", (three,)),)]),
        ("deflated: the hash is the same", [(("facts/2024-05.1~2", (deflated(one),)), ("meta~2", (two, three)))]),
    ):
        payloads = [envelope.encode_payload(Payload(part, (), 0, generation=2)).hex() for part in parts]
        yield right(name, "baseline", payloads=payloads, digest=digest_of_all)
    yield right("nothing", "baseline", payloads=[], digest=digest_of_baseline([]).hex())


# the fold


def shown_fold(folded: Folded) -> Case:
    return {
        "records": [
            [r.id, r.value, r.digest, r.label, r.versions] for r in sorted(folded.records.values(), key=lambda r: r.id)
        ],
        "labels": [[label, list(ids)] for label, ids in sorted(folded.labels.items())],
        "registers": [
            [record, name, r.value, r.by, r.at_ms, list(r.heads), list(r.others)]
            for (record, name), r in sorted(folded.registers.items())
        ],
        "superseded": sorted(folded.superseded),
        "held": sorted(folded.held),
        "reviews": [
            [r.id, r.card, r.kind.value, r.rating, r.at_ms, r.device, r.slot, r.undoes]
            for r in sorted(folded.reviews.values(), key=lambda r: r.id)
        ],
    }


def fold_cases() -> Iterator[Case]:
    a, b, c = (ulid(1716775200000 + number, bytes([number] * 10)) for number in range(3))

    def entry(record: Any, text: str, *supersedes: str, kind: str = "fact") -> Key:
        more: Any = {"supersedes": list(supersedes)} if supersedes else {}
        return record_key(record, {"kind": kind, "text": text, **more})

    def write(value: Any, *over: Key, at: int = 1, device: str = "aa", field: str = "pinned", record: Any = a) -> Key:
        replaced = [key.key.rpartition(".")[2] for key in over]
        return register_key(
            record, field, value, stamp=f"{at:015d}-{device * 8}", by="terminal:lin", at_ms=at, over=replaced
        )

    def card(word: Any, record: Any) -> Key:
        return record_key(record, {"at": 0, "day": "1970-01-01", "kind": "card", "origin": "said", "word": word})

    def event(record: Any = b, **said: Any) -> Key:
        value = {"at": 5, "card": word, "device": "aa" * 8, "kind": "answer", "rating": 3, "slot": "2024-05-27", **said}
        key = record_key(record, {name: item for name, item in value.items() if item is not ...})
        return replace(key, map="v")

    word, accented = card_id("paradigm"), card_id("na\u00efve")
    one, other = entry(a, "one"), entry(a, "other")
    early, late = write(1, at=1), write(2, at=9, device="bb")
    settled = write(3, early, late, at=2)
    round_one = write(1, at=1, field="x")
    shown, hidden = write(False, at=9, field="hidden"), write(True, at=1, field="hidden", device="bb")
    chain = [entry(a, "1"), entry(b, "2", a), entry(c, "3", b)]
    ban = write("", field=f"ban/{a}", record="meta")
    for name, items in (
        ("nothing", []),
        ("one entry and its label", [one, label_key("D-2024-05-27-01", one)]),
        ("two versions, no label: the smallest digest", [one, other]),
        ("two versions: the lowest lane", [one, other, label_key("D-2024-05-27-b01", one),
                                           label_key("D-2024-05-27-01", other)]),
        ("lanes by length first", [one, other, label_key("D-2024-05-27-aa01", one), label_key("D-2024-05-27-c01", other)]),
        ("a label of a version that never came", [one, label_key("D-2024-05-27-01", other),
                                                  label_key("D-2024-05-27-b01", one)]),
        ("a label with two targets", [one, entry(b, "b"), label_key("D-2024-05-27-01", one),
                                      label_key("D-2024-05-27-01", entry(b, "b"))]),
        ("the greatest stamp is shown, both are heads", [early, late]),
        ("the later word over both", [early, late, settled]),
        ("one that was replaced is no head, whatever its clock", [late, write(5, late, at=3)]),
        ("one that it replaces never came", [settled]),
        ("equal stamps: the greater device", [write("x", at=1, device="aa"), write("y", at=1, device="bb")]),
        ("the same said twice is one head", [write(1, at=1), write(1, at=1, device="bb")]),
        ("hidden when any head says so", [shown, hidden]),
        ("shown again over the hiding", [hidden, write(False, hidden, at=2, field="hidden")]),
        ("other fields have other heads", [early, round_one]),
        ("a correction", [entry(a, "old"), entry(b, "new", a)]),
        ("a chain of corrections, the last one hidden", [entry(a, "1"), entry(b, "2", a), entry(c, "3", b),
                                                         write(True, field="hidden", record=c)]),
        ("each replaces the other", [entry(a, "1", b), entry(b, "2", a)]),
        ("settled later", [entry(a, "1"), entry(b, "2"), write([a], field="settles", record=b)]),
        ("a task replaces nothing", [entry(a, "1"), entry(b, "2", a, kind="task")]),
        ("banned: nothing of it is left", [one, label_key("D-2024-05-27-01", one), early, ban]),
        ("a label keeps the target that is not banned", [one, entry(b, "b"), label_key("D-2024-05-27-01", one),
                                                         label_key("D-2024-05-27-01", entry(b, "b")), ban]),
        ("held: it continues what was hidden", [*chain[:2], hidden]),
        ("held: so does what continues that", [*chain, hidden]),
        ("held: it continues what was banned", [*chain[1:], ban]),
        ("held: meanwhile what stood before goes on standing", [*chain, write(True, field="hidden", record=b)]),
        ("restored, with all that continues it", [*chain, hidden, write(True, field="restored", record=b)]),
        ("restored further up", [*chain, hidden, write(True, field="restored", record=c)]),
        ("restored by another word than true", [*chain, hidden, write("yes", field="restored", record=b)]),
        ("hidden itself: not held", [*chain[:2], hidden, write(True, field="hidden", record=b)]),
        ("settled over what is hidden: not held", [entry(a, "1"), entry(b, "2"), hidden,
                                                   write([a], field="settles", record=b)]),
        ("each replaces the other, one is hidden", [entry(a, "1", b), entry(b, "2", a), hidden]),
        ("it continues a hidden task: not held", [entry(a, "1", kind="task"), entry(b, "2", a), hidden]),
        ("an unknown kind is kept and not shown", [entry(a, "1", kind="habit"), write(True)]),
        ("an unknown kind replaces nothing and holds nothing", [entry(a, "1"), entry(b, "2", a, kind="habit"),
                                                                entry(c, "3", b), write(True, field="hidden", record=b)]),
        ("a version in known words is shown", [entry(a, "1", kind="habit"), entry(a, "1"),
                                               label_key("D-2024-05-27-01", entry(a, "1", kind="habit")),
                                               label_key("D-2024-05-27-b01", entry(a, "1"))]),
        ("an unknown origin", [record_key(a, {"kind": "fact", "text": "1", "origin": "dreamt"})]),
        ("an unknown confidence", [record_key(a, {"kind": "fact", "text": "1", "confidence": "total"})]),
        ("a register without its record", [write(True, record="profile", field="name")]),
        ("a card", [card("paradigm", word), write("active", record=word, field="card_state")]),
        ("a card in another spelling", [card("Paradigm", word), card("  paradigm", word)]),
        ("a card whose letters are put together", [card("nai\u0308ve", accented)]),
        ("a card with a curly apostrophe", [card("O\u2019clock", card_id("o'clock"))]),
        ("a card under another id", [card("paradigm", a)]),
        ("a card without a word", [card("", word), card(5, card_id("5"))]),
        ("something else under the id of a card", [card("paradigm", word), entry(word, "mine"), entry(word, "1", kind="task")]),
        ("something else under an id that a card could have", [entry(word, "mine")]),
        ("a card replaces nothing", [entry(a, "1"), record_key(word, {**json.loads(card("paradigm", word).value),
                                                                      "supersedes": [a]})]),
        ("a banned card: what happened to it is kept", [card("paradigm", word), event(),
                                                        write("", field=f"ban/{word}", record="meta")]),
        ("a banned event", [event(), write("", field=f"ban/{b}", record="meta")]),
        ("an answer", [event()]),
        ("two answers to one question: the earlier", [event(at=9, rating=1), event(at=4, rating=4)]),
        ("two of one moment: the smaller digest", [event(rating=1), event(rating=4)]),
        ("an earlier one that is not understood", [event(), event(at=1, rating=5)]),
        ("an import, a beginning anew and an undoing", [event(a, kind="import", slot=...), event(kind="reset", rating=...),
                                                        event(c, kind="undo", rating=..., undoes=str(a))]),
        ("an answer needs no slot, no device", [event(slot="", device=...)]),
        *((f"not understood: {field} {json.dumps(value)}", [event(**{field: value})]) for field, value in (
            ("kind", "bury"), ("kind", 5), ("rating", 0), ("rating", 5), ("rating", "3"), ("rating", True), ("at", -1),
            ("at", 1 << 48), ("card", "paradigm"), ("card", None), ("slot", "2024-02-30"), ("slot", 5), ("device", []),
            ("took", -1), ("zone", 1), ("by", {}), ("undoes", str(a)), ("kind", "undo"),
        )),
    ):  # fmt: skip
        yield right(name, "fold", keys=shown_keys(items), rows=shown_fold(fold(items)))


FILES: dict[str, tuple[str, Callable[[], Iterator[Case]]]] = {
    "device": ("Device ids and the key schedule.", device_cases),
    "wrap": ("An epoch's secret sealed to one device (HPKE).", wrap_cases),
    "recovery": ("The recovery key: how it is written, and what it stands for.", recovery_cases),
    "pairing": ("The code, the notes, the digits.", pairing_cases),
    "padding": ("Sizes and padding inside the seal.", padding_cases),
    "payload": ("The CBOR inside an envelope.", payload_cases),
    "envelope": ("Whole envelopes: header, signature, seal, payload, in this order.", envelope_cases),
    "roster": ("Chains of roster entries, and which of two is followed.", roster_cases),
    "chunk": ("Changes, layer 1: one chunk by itself.", chunk_cases),
    "admission": ("Changes, layer 2: which of a row of changes the engine gets.", admission_cases),
    "keys": ("Digests, canonical JSON and keys.", key_cases),
    "baseline": ("What an erase entry names.", baseline_cases),
    "shape": ("Which values rows are made of.", shape_cases),
    "fold": ("From keys to rows.", fold_cases),
}


def write_all(folder: Path) -> int:
    count = 0
    for name, (what, cases) in FILES.items():
        made = list(cases())
        names = [(case["does"], case["name"], case["expect"]) for case in made]
        assert len(set(names)) == len(names), f"{name}: a name twice"
        count += len(made)
        lines = ",\n".join("  " + json.dumps(case, ensure_ascii=True) for case in made)
        text = f'{{\n "what": {json.dumps(what)},\n "cases": [\n{lines}\n ]\n}}\n'
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return count


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests" / "vectors"
    print(f"{write_all(target)} cases")
