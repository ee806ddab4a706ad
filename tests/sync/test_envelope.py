"""The sealed envelope: nothing is read before the signature holds, and each refusal has a name."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from sync import cbor
from sync.envelope import (
    CHANGES_MAX,
    DEVICES_MAX,
    DOCUMENTS_MAX,
    ENVELOPE_BYTES_MAX,
    HEADER_BYTES,
    NO_PREVIOUS,
    PADDED_BYTES_MIN,
    RANGES_MAX,
    SEQ_MAX,
    SIGNATURE_BYTES,
    TAG_BYTES,
    Header,
    Kind,
    Payload,
    Seen,
    check_signature,
    decode_payload,
    encode_payload,
    envelope_hash,
    open_sealed,
    pad,
    padded_size,
    parse_header,
    seal,
    unpad,
)
from sync.errors import Forged, Malformed, Unsupported, Untrusted
from sync.keys import DeviceKeys, key_id, sender_key
from tests.store.effort import COSTLY, QUICK

KEYS = DeviceKeys(bytes(range(32)), bytes(range(32, 64)))
SCOPE = bytes.fromhex("00112233445566778899aabbccddeeff")
SECRET = b"\x42" * 32
SENDER = sender_key(SCOPE, 7, SECRET, KEYS.device_id)
HEADER = Header(
    kind=Kind.UPDATE,
    scope=SCOPE,
    epoch=7,
    key_id=key_id(SCOPE, 7, SECRET),
    device=KEYS.device_id,
    seq=1,
    previous=NO_PREVIOUS,
    roster_head=bytes(range(16)),
    nonce=bytes(range(12)),
)
PAYLOAD = Payload((("facts/2024-05.1~1", (b"\x85\x6f\x4a\x83",)),), (), 1716800000000)
ENVELOPE = seal(HEADER, encode_payload(PAYLOAD), sender_key=SENDER, sign_seed=KEYS.sign_seed)
PUBLIC = Ed25519PrivateKey.from_private_bytes(KEYS.sign_seed).public_key().public_bytes_raw()


def opened(envelope: bytes, key: bytes = SENDER) -> tuple[Header, Payload]:
    """All checks in the order a receiver makes them."""
    header = parse_header(envelope)
    check_signature(envelope, PUBLIC)
    return header, decode_payload(open_sealed(envelope, key))


def refusal(family: type[Untrusted], envelope: bytes, key: bytes = SENDER) -> str:
    with pytest.raises(family) as raised:
        opened(envelope, key)
    return raised.value.code


# seal and open

HEADERS = st.builds(
    Header,
    kind=st.sampled_from(Kind),
    scope=st.binary(min_size=16, max_size=16),
    epoch=st.integers(1, 2**32 - 1),
    key_id=st.binary(min_size=8, max_size=8),
    device=st.binary(min_size=16, max_size=16),
    seq=st.integers(2, SEQ_MAX - 1),
    previous=st.binary(min_size=32, max_size=32).filter(any),
    roster_head=st.binary(min_size=16, max_size=16),
    nonce=st.binary(min_size=12, max_size=12),
)


@COSTLY
@given(HEADERS, st.binary(max_size=2000))
def test_open_undoes_seal(header: Header, payload: bytes) -> None:
    envelope = seal(header, payload, sender_key=SENDER, sign_seed=KEYS.sign_seed)
    assert parse_header(envelope) == header
    check_signature(envelope, PUBLIC)
    assert open_sealed(envelope, SENDER) == payload
    assert len(envelope) == HEADER_BYTES + padded_size(4 + len(payload)) + TAG_BYTES + SIGNATURE_BYTES


def test_the_first_envelope_is_opened() -> None:
    assert opened(ENVELOPE) == (HEADER, PAYLOAD)
    assert len(envelope_hash(ENVELOPE)) == 32


def test_sealing_is_the_same_bytes_again() -> None:
    assert seal(HEADER, encode_payload(PAYLOAD), sender_key=SENDER, sign_seed=KEYS.sign_seed) == ENVELOPE


def test_a_flipped_bit_anywhere_is_noticed() -> None:
    for at in range(len(ENVELOPE)):
        wrong = bytearray(ENVELOPE)
        wrong[at] ^= 1 << at % 8
        refusal(Untrusted, bytes(wrong))


def test_a_cut_or_longer_envelope_is_refused() -> None:
    shortest = HEADER_BYTES + TAG_BYTES + SIGNATURE_BYTES
    for length in (0, 1, HEADER_BYTES, shortest - 1):
        assert refusal(Malformed, ENVELOPE[:length]) == "envelope-length"
    for wrong in (ENVELOPE[:shortest], ENVELOPE[:-1], ENVELOPE + b"x"):
        assert refusal(Malformed, wrong) == "envelope-size"
    assert refusal(Malformed, ENVELOPE + bytes(ENVELOPE_BYTES_MAX - len(ENVELOPE))) == "envelope-size"
    assert refusal(Malformed, ENVELOPE + bytes(ENVELOPE_BYTES_MAX - len(ENVELOPE) + 1)) == "envelope-length"


def patched(offset: int, layout: str, value: object) -> bytes:
    wrong = bytearray(ENVELOPE)
    struct.pack_into(layout, wrong, offset, value)
    return bytes(wrong)


@pytest.mark.parametrize(
    ("offset", "layout", "value", "family", "code"),
    [
        (0, ">2s", b"ms", Malformed, "envelope-magic"),
        (2, "B", 0, Unsupported, "envelope-version"),
        (2, "B", 2, Unsupported, "envelope-version"),
        (3, "B", 0, Unsupported, "envelope-kind"),
        (3, "B", 4, Unsupported, "envelope-kind"),
        (4, ">H", 1, Unsupported, "envelope-flags"),
        (22, ">I", 0, Malformed, "envelope-number"),
        (50, ">Q", 0, Malformed, "envelope-number"),
        (50, ">Q", SEQ_MAX, Malformed, "envelope-number"),
        (50, ">Q", 2, Malformed, "envelope-previous"),
        (58, ">32s", b"\1" * 32, Malformed, "envelope-previous"),
        (118, ">I", 0, Malformed, "envelope-size"),
        (118, ">I", 2**32 - 1, Malformed, "envelope-size"),
        (6, ">16s", bytes(16), Forged, "envelope-signature"),
        (106, ">12s", bytes(12), Forged, "envelope-signature"),
    ],
)
def test_a_wrong_header_is_refused_by_name(
    offset: int, layout: str, value: object, family: type[Untrusted], code: str
) -> None:
    assert refusal(family, patched(offset, layout, value)) == code


def test_the_last_number_counts() -> None:
    header = replace(HEADER, seq=SEQ_MAX - 1, previous=b"\1" * 32)
    assert parse_header(seal(header, b"", sender_key=SENDER, sign_seed=KEYS.sign_seed)) == header


def test_another_signer_and_a_key_that_is_none_are_refused() -> None:
    forged = seal(HEADER, encode_payload(PAYLOAD), sender_key=SENDER, sign_seed=bytes(32))
    assert refusal(Forged, forged) == "envelope-signature"
    for key in (b"", bytes(31), b"\xff" * 32):
        with pytest.raises(Forged, match="envelope-signature"):
            check_signature(ENVELOPE, key)


def test_another_key_and_a_moved_header_do_not_open_it() -> None:
    assert refusal(Forged, ENVELOPE, bytes(32)) == "envelope-seal"
    for changed in (
        replace(HEADER, scope=bytes(16)),
        replace(HEADER, epoch=8),
        replace(HEADER, device=bytes(16)),
        replace(HEADER, seq=2, previous=b"\1" * 32),
        replace(HEADER, roster_head=bytes(16)),
    ):
        other = seal(changed, encode_payload(PAYLOAD), sender_key=SENDER, sign_seed=KEYS.sign_seed)
        spliced = other[:HEADER_BYTES] + ENVELOPE[HEADER_BYTES:]
        with pytest.raises(Forged, match="envelope-seal"):
            open_sealed(spliced, SENDER)


def test_what_is_larger_or_longer_than_its_field_is_a_bug_of_ours() -> None:
    with pytest.raises(AssertionError):
        seal(HEADER, bytes(ENVELOPE_BYTES_MAX), sender_key=SENDER, sign_seed=KEYS.sign_seed)
    with pytest.raises(AssertionError):
        seal(replace(HEADER, scope=bytes(15)), b"", sender_key=SENDER, sign_seed=KEYS.sign_seed)


# padding


@QUICK
@given(st.binary(max_size=5000))
def test_unpad_undoes_pad(payload: bytes) -> None:
    assert unpad(pad(payload)) == payload


@QUICK
@given(st.integers(0, ENVELOPE_BYTES_MAX))
def test_padding_hides_the_length_and_costs_little(length: int) -> None:
    size = padded_size(length)
    assert size >= max(length, PADDED_BYTES_MIN)
    assert size <= max(PADDED_BYTES_MIN, length * 1.12)
    assert padded_size(size) == size
    assert padded_size(length + 1) >= size


@pytest.mark.parametrize(
    ("length", "size"), [(0, 256), (256, 256), (257, 272), (272, 272), (1000, 1024), (1025, 1088), (100_000, 100_352)]
)
def test_padded_sizes_are_those_of_the_paper(length: int, size: int) -> None:
    assert padded_size(length) == size


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (b"", "payload-length"),
        (b"\0\0\0", "payload-length"),
        (b"\0\0\1\0" + bytes(252), "payload-length"),
        (b"\xff" * 256, "payload-length"),
        (bytes(4), "payload-padding"),
        (bytes(255), "payload-padding"),
        (bytes(257), "payload-padding"),
        (bytes(272), "payload-padding"),
        (bytes(255) + b"\1", "payload-padding"),
        (b"\0\0\0\1x\1" + bytes(250), "payload-padding"),
    ],
)
def test_other_padding_is_refused(wrong: bytes, code: str) -> None:
    with pytest.raises(Malformed) as raised:
        unpad(wrong)
    assert raised.value.code == code


# payload

NUMBERS = st.integers(0, SEQ_MAX - 1)


@st.composite
def seens(draw: st.DrawFn) -> Seen:
    at = seq = draw(st.integers(0, 1000))
    ranges = []
    for _ in range(draw(st.integers(0, RANGES_MAX))):
        first = at + draw(st.integers(2, 50))
        at = first + draw(st.integers(0, 50))
        ranges.append((first, at))
    return Seen(seq, draw(st.binary(min_size=8, max_size=8)), tuple(ranges))


PAYLOADS = st.builds(
    Payload,
    changes=st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), st.lists(st.binary(max_size=9), max_size=3).map(tuple)),
        max_size=3,
    ).map(tuple),
    seen=st.dictionaries(st.binary(min_size=16, max_size=16), seens(), max_size=4).map(
        lambda seen: tuple(sorted(seen.items()))
    ),
    clock_ms=NUMBERS,
    skip_to=NUMBERS,
    generation=st.integers(1, SEQ_MAX - 1),
)  # fmt: skip


@COSTLY
@given(PAYLOADS)
def test_decode_undoes_encode(payload: Payload) -> None:
    data = encode_payload(payload)
    assert decode_payload(data) == payload
    assert encode_payload(decode_payload(data)) == data


def test_seen_is_spelled_in_the_order_of_the_devices() -> None:
    one, two = (b"\1" * 16, Seen(1, bytes(8))), (b"\2" * 16, Seen(2, bytes(8)))
    assert encode_payload(replace(PAYLOAD, seen=(two, one))) == encode_payload(replace(PAYLOAD, seen=(one, two)))
    assert decode_payload(encode_payload(replace(PAYLOAD, seen=(two, one)))).seen == (one, two)


D = b"\1" * 16
H = bytes(8)


def body(**fields: Any) -> bytes:
    whole = {"_1": [], "_2": {}, "_3": 0, "_5": 1, **fields}
    return cbor.encode({int(name[1:]): value for name, value in whole.items() if value is not ...})


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (b"", "payload-cbor"),
        (body() + b"\0", "payload-cbor"),
        (body(_3=-1), "payload-cbor"),
        (body(_3=1.0), "payload-cbor"),
        (body(_3=True), "payload-cbor"),
        (body(_3=None), "payload-cbor"),
        (bytes.fromhex("a4050101800203 0300a0".replace(" ", "")), "payload-cbor"),
        (bytes.fromhex("a4050101800 2a00300".replace(" ", "")), "payload-spelling"),
        (bytes.fromhex("a401800 2a003180005 01".replace(" ", "")), "payload-spelling"),
        (cbor.encode([]), "payload-fields"),
        (cbor.encode({}), "payload-fields"),
        *((body(**{name: ...}), "payload-fields") for name in ("_1", "_2", "_3", "_5")),
        (body(_6=0), "payload-fields"),
        (body(_0=0), "payload-fields"),
        (body(_4=0), "payload-number"),
        (body(_4=SEQ_MAX), "payload-number"),
        (body(_4=b""), "payload-number"),
        (body(_3=SEQ_MAX), "payload-number"),
        (body(_5=0), "payload-number"),
        (body(_5="1"), "payload-number"),
        (body(_1=0), "payload-shape"),
        (body(_1={}), "payload-shape"),
        (body(_1=[0]), "payload-shape"),
        (body(_1=["ab"]), "payload-shape"),
        (body(_1=[{"a": 1, "b": 2}]), "payload-shape"),
        (body(_1=[["a"]]), "payload-shape"),
        (body(_1=[["a", [], 1]]), "payload-shape"),
        (body(_1=[["a", {}]]), "payload-shape"),
        (body(_1=[["a", b"x"]]), "payload-shape"),
        (body(_1=[[1, []]]), "payload-text"),
        (body(_1=[[b"a", []]]), "payload-text"),
        (body(_1=[["a" * 81, []]]), "payload-text"),
        (body(_1=[["a", ["x"]]]), "payload-bytes"),
        (body(_1=[["a", []]] * (DOCUMENTS_MAX + 1)), "payload-count"),
        (body(_1=[["a", [b""] * (CHANGES_MAX + 1)]]), "payload-count"),
        (body(_2=[]), "payload-shape"),
        (body(_2={number.to_bytes(16, "big"): [0, H] for number in range(DEVICES_MAX + 1)}), "payload-count"),
        (body(_2={b"\1" * 15: [1, H]}), "payload-bytes"),
        (body(_2={1: [1, H]}), "payload-bytes"),
        (body(_2={D: 1}), "payload-shape"),
        (body(_2={D: {1: 1, H: 2}}), "payload-shape"),
        (body(_2={D: []}), "payload-shape"),
        (body(_2={D: [1]}), "payload-shape"),
        (body(_2={D: [1, b"7 bytes"]}), "payload-bytes"),
        (body(_2={D: [b"", H]}), "payload-number"),
        (body(_2={D: [1, H, 3]}), "payload-shape"),
        (body(_2={D: [1, H, b"\3\4"]}), "payload-shape"),
        (body(_2={D: [1, H, [3]]}), "payload-shape"),
        (body(_2={D: [1, H, [3, SEQ_MAX]]}), "payload-number"),
        (body(_2={D: [1, H, [4, 3]]}), "payload-seen"),
        (body(_2={D: [1, H, [2, 3]]}), "payload-seen"),
        (body(_2={D: [1, H, [3, 4], [5, 6]]}), "payload-seen"),
        (body(_2={D: [1, H, [5, 6], [3, 3]]}), "payload-seen"),
        (body(_2={D: [1, H, *([n, n] for n in range(3, 3 + 2 * RANGES_MAX + 2, 2))]}), "payload-seen"),
    ],
)
def test_another_payload_is_refused_by_name(wrong: bytes, code: str) -> None:
    with pytest.raises(Malformed) as raised:
        decode_payload(wrong)
    assert raised.value.code == code


def test_payload_limits_are_reached() -> None:
    decode_payload(body(_1=[["字" * 80, []]] * DOCUMENTS_MAX))
    decode_payload(body(_1=[["a", [b""] * CHANGES_MAX]]))
    decode_payload(body(_2={number.to_bytes(16, "big"): [0, H] for number in range(DEVICES_MAX)}))
    decode_payload(body(_2={D: [1, H, *([n, n] for n in range(3, 3 + 2 * RANGES_MAX, 2))]}, _4=SEQ_MAX - 1))


@QUICK
@given(st.binary(max_size=60))
def test_any_bytes_are_refused_by_name_and_nothing_else(data: bytes) -> None:
    for wrong in (data, body() + data, body(_2={D: [1, H]})[:-1] + data):
        try:
            payload = decode_payload(wrong)
        except Malformed:
            continue
        assert encode_payload(payload) == wrong


@COSTLY
@given(st.binary(max_size=600))
def test_any_envelope_is_refused_by_name_and_nothing_else(data: bytes) -> None:
    for wrong in (data, ENVELOPE[:HEADER_BYTES] + data):
        refusal(Untrusted, wrong)
