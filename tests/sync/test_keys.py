"""The device's own keys stay on the device; an epoch's secret opens only where it was meant to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from store.errors import KeyMissing
from sync.errors import Forged, Malformed, Untrusted
from sync.keys import (
    FILE,
    SECRET_BYTES,
    WRAP_BYTES,
    DeviceKeys,
    commitment,
    key_id,
    load,
    make,
    open_for,
    seal_for,
    sender_key,
    unwrap_secret,
    wrap_secret,
)
from tests.fakes import FakeEntropy
from tests.store.effort import COSTLY

KEYS = DeviceKeys(bytes(range(32)), bytes(range(32, 64)))
OTHER = DeviceKeys(b"\1" * 32, b"\2" * 32)
SCOPE = bytes.fromhex("00112233445566778899aabbccddeeff")
SECRET = b"\x42" * 32
HEAD = bytes(range(32))


# the file


def test_keys_are_made_once_and_read_again(tmp_path: Path) -> None:
    made = make(tmp_path, FakeEntropy())
    assert load(tmp_path) == made
    assert (tmp_path / FILE).read_bytes() == b"NNK1" + made.sign_seed + made.wrap_key
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["device.key"]


def test_only_their_owner_reads_them(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make(tmp_path, FakeEntropy())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_keys_that_are_there_are_never_overwritten(tmp_path: Path) -> None:
    made = make(tmp_path, FakeEntropy())
    with pytest.raises(FileExistsError):
        make(tmp_path, FakeEntropy("other"))
    assert load(tmp_path) == made
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["device.key"], "no second secret is left behind"


def no_links(draft: Path, path: Path) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_a_file_system_without_links_holds_keys_too_and_none_are_overwritten(tmp_path: Path) -> None:
    made = make(tmp_path, FakeEntropy(), no_links)
    assert load(tmp_path) == made
    with pytest.raises(FileExistsError):
        make(tmp_path, FakeEntropy("other"), no_links)
    assert load(tmp_path) == made
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["device.key"]


def test_another_failure_to_link_is_not_worked_round(tmp_path: Path) -> None:
    def full(draft: Path, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        make(tmp_path, FakeEntropy(), full)
    assert list((tmp_path / "keys").iterdir()) == []


def test_a_draft_left_by_a_crash_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "device.new").write_bytes(b"half")
    made = make(tmp_path, FakeEntropy())
    assert load(tmp_path) == made


def test_missing_keys_are_named(tmp_path: Path) -> None:
    with pytest.raises(KeyMissing) as raised:
        load(tmp_path)
    assert (raised.value.code, raised.value.facts) == ("error-key-file-missing", {"path": str(tmp_path / FILE)})


@pytest.mark.parametrize("data", [b"", b"NNK1", b"NNK1" + bytes(63), b"NNK1" + bytes(65), b"NNK2" + bytes(64)])
def test_damaged_keys_are_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(KeyMissing) as raised:
        load(tmp_path)
    assert raised.value.code == "error-key-file-damaged"


def test_keys_hide_themselves() -> None:
    for shown in (repr(KEYS), str(KEYS), f"{KEYS}"):
        assert shown == "DeviceKeys(0e0d1744f80715f4611915ca2078b300)"


def test_a_device_is_named_by_both_its_public_keys() -> None:
    assert KEYS.device_id.hex() == "0e0d1744f80715f4611915ca2078b300"
    assert len({keys.device_id for keys in (KEYS, OTHER, DeviceKeys(KEYS.sign_seed, OTHER.wrap_key))}) == 3


# the key schedule


def test_the_anchors_that_were_agreed_on() -> None:
    assert key_id(SCOPE, 7, SECRET).hex() == "19cc8c5ef2dedad5"
    expected = "75a69e75f8d9af2153abe04ff3938f416d00981b608ecba2d06cfa93fe12e6fe"
    assert sender_key(SCOPE, 7, SECRET, KEYS.device_id).hex() == expected
    assert len(commitment(SCOPE, 7, SECRET)) == 32


def test_every_part_of_the_schedule_matters() -> None:
    for derive in (key_id, commitment):
        assert len({derive(*at) for at in ((SCOPE, 7, SECRET), (bytes(16), 7, SECRET), (SCOPE, 8, SECRET), (SCOPE, 7, bytes(32)))}) == 4  # fmt: skip
    places = [
        (SCOPE, 7, SECRET, KEYS.device_id), (bytes(16), 7, SECRET, KEYS.device_id), (SCOPE, 8, SECRET, KEYS.device_id),
        (SCOPE, 7, bytes(32), KEYS.device_id), (SCOPE, 7, SECRET, OTHER.device_id),
    ]  # fmt: skip
    assert len({sender_key(*place) for place in places}) == 5


# wraps


def wrap_public(keys: DeviceKeys) -> bytes:
    return X25519PrivateKey.from_private_bytes(keys.wrap_key).public_key().public_bytes_raw()


def wrapped(**changed: Any) -> bytes:
    place = {"to": wrap_public(KEYS), "scope": SCOPE, "epoch": 7, "recipient": KEYS.device_id, "roster_hash": HEAD}
    return wrap_secret(SECRET, **{**place, **changed})


def unwrapped(data: bytes, keys: DeviceKeys = KEYS, **changed: Any) -> bytes:
    return unwrap_secret(data, keys, **{"scope": SCOPE, "epoch": 7, "roster_hash": HEAD, **changed})


@COSTLY
@given(st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES), st.integers(1, 2**32 - 1))
def test_unwrap_undoes_wrap(secret: bytes, epoch: int) -> None:
    data = wrap_secret(
        secret, to=wrap_public(KEYS), scope=SCOPE, epoch=epoch, recipient=KEYS.device_id, roster_hash=HEAD
    )
    assert len(data) == WRAP_BYTES
    assert unwrapped(data, epoch=epoch) == secret


def test_two_wraps_of_one_secret_differ() -> None:
    assert wrapped() != wrapped()


@pytest.mark.parametrize(
    "changed",
    [
        {"scope": bytes(16)},
        {"epoch": 8},
        {"roster_hash": bytes(32)},
        {"recipient": OTHER.device_id},
        {"to": wrap_public(OTHER)},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_wrap_opens_only_where_it_was_meant_to(changed: dict[str, Any]) -> None:
    with pytest.raises(Forged, match="wrap-seal"):
        unwrapped(wrapped(**changed))


def test_another_device_cannot_open_it() -> None:
    with pytest.raises(Forged, match="wrap-seal"):
        unwrapped(wrapped(), OTHER)


def test_a_flipped_bit_anywhere_in_a_wrap_is_noticed() -> None:
    whole = wrapped()
    for at in range(WRAP_BYTES):
        wrong = bytearray(whole)
        wrong[at] ^= 1
        with pytest.raises(Forged, match="wrap-seal"):
            unwrapped(bytes(wrong))


def test_a_wrap_of_small_order_is_refused() -> None:
    for point in (bytes(32), b"\1" + bytes(31)):
        with pytest.raises(Forged, match="wrap-seal"):
            unwrapped(point + bytes(48))


@pytest.mark.parametrize("length", [0, 1, 32, 79, 81, 10_000])
def test_a_wrap_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(Malformed, match="wrap-length"):
        unwrapped(bytes(length))


def test_a_secret_of_another_length_does_not_come_out() -> None:
    with pytest.raises(Malformed, match="wrap-length"):
        unwrapped(
            wrap_secret(
                b"short", to=wrap_public(KEYS), scope=SCOPE, epoch=7, recipient=KEYS.device_id, roster_hash=HEAD
            )
        )


@pytest.mark.parametrize("public", [bytes(32), b"\1" + bytes(31), b"", bytes(31)])
def test_nothing_is_sealed_to_a_key_of_small_order(public: bytes) -> None:
    """Found: one paired device with such a key made every later rotation fail with an error nobody catches."""
    with pytest.raises(Untrusted, match="wrap-public"):
        wrapped(to=public)


def test_a_text_is_sealed_for_one_device_and_one_purpose() -> None:
    sealed = seal_for(wrap_public(KEYS), b"welcome", b"here")
    assert open_for(KEYS, sealed, b"here") == b"welcome"
    for keys, info in ((OTHER, b"here"), (KEYS, b"there")):
        with pytest.raises(Forged, match="wrap-seal"):
            open_for(keys, sealed, info)
    for wrong in (b"", sealed[:31], sealed[:-1], sealed + b"x"):
        with pytest.raises(Forged, match="wrap-seal"):
            open_for(KEYS, wrong, b"here")
