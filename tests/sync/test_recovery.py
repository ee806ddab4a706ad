"""The recovery key: how it is written, and what it stands for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import NotAllowed
from sync import membership, rescue
from sync import roster as rosters
from sync.errors import Malformed
from sync.keys import DeviceKeys
from sync.keystore import MemoryKeyStore
from sync.names import roster_name, secret_name
from sync.recovery import format_recovery, parse_public, parse_recovery, public_of, recovery_keys, recovery_recipient
from sync.transports.hub import Hub
from tests.fakes import FakeClock, FakeEntropy
from tests.sync.world import make_device, settle

SECRETS = st.binary(min_size=16, max_size=16)


@given(SECRETS)
def test_a_key_is_read_back_however_it_is_typed(secret: bytes) -> None:
    shown = format_recovery(secret)
    assert len(shown) == 34 and [len(group) for group in shown.split("-")] == [4] * 7
    typed = shown.lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert parse_recovery(shown) == parse_recovery(typed) == parse_recovery(typed.replace("l", "I")) == secret


@pytest.mark.parametrize("text", ["", "0" * 27, "0" * 29, "U" * 28, "-" * 28, "０" * 28, "\0" * 28, "Z" * 28])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_recovery(text)
    assert caught.value.code == "error-recovery-key"


def test_a_slip_of_the_pen_is_nearly_always_noticed() -> None:
    shown = format_recovery(bytes(range(16))).replace("-", "")
    missed = 0
    for at in range(28):
        for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ":
            if other != shown[at]:
                try:
                    parse_recovery(shown[:at] + other + shown[at + 1 :])
                    missed += 1
                except Malformed:
                    pass
    assert missed <= 6


@given(SECRETS)
def test_the_public_halves_tell_nothing_and_are_the_same_each_time(secret: bytes) -> None:
    keys, public = recovery_keys(secret), public_of(secret)
    assert (public.sign, public.wrap) == (keys.sign_public, keys.wrap_public)
    assert parse_public(public.pack()) == public
    assert keys.sign_seed != keys.wrap_key and secret not in public.pack()
    assert len(recovery_recipient(public.wrap)) == 16 and recovery_recipient(public.wrap) != keys.device_id


def test_the_derivation_is_pinned() -> None:
    """A key that stands on paper must open what it was made for, whatever version reads it."""
    secret = bytes(range(16))
    public = public_of(secret)
    assert format_recovery(secret) == "000G-40R4-0M30-E209-185G-R38E-1WSE"
    assert (public.sign.hex()[:16], public.wrap.hex()[:16]) == ("4bd2040d191ae868", "bf20e1ffbbff024c")
    assert recovery_recipient(public.wrap).hex() == "d80b5332a27f5c1c2e7afe90c8010812"


@pytest.mark.parametrize("data", [b"", bytes(63), bytes(65)])
def test_what_is_no_pair_of_halves_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        parse_public(data)


# what a recovery finds in the transport

SECRET, NEXT = bytes(range(16)), bytes(range(16, 32))
HOME, THIEF = DeviceKeys(b"\x11" * 32, b"\x12" * 32), DeviceKeys(b"\x31" * 32, b"\x32" * 32)
SCOPE = "00" * 15 + "01"


def founded(keys: DeviceKeys = HOME, secret: bytes = SECRET) -> bytes:
    public = public_of(secret)
    record = rosters.DeviceRecord(keys.sign_public, keys.wrap_public, "")
    return rosters.found(
        bytes.fromhex(SCOPE), record, sign_seed=keys.sign_seed, recovery_sign=public.sign, recovery_wrap=public.wrap,
        commit=bytes(32),
    )  # fmt: skip


def added(entry: bytes, lane: str, keys: DeviceKeys) -> bytes:
    return rosters.add(
        rosters.begin(entry), rosters.DeviceRecord(keys.sign_public, keys.wrap_public, lane), sign_seed=HOME.sign_seed
    )


async def offered(*entries: tuple[int, bytes]) -> Hub:
    hub = Hub()
    for height, entry in entries:
        await hub.put(SCOPE, roster_name(height, entry), entry)
    return hub


async def test_the_chain_is_the_longest_that_the_key_belongs_to() -> None:
    """Foundings by others, junk and half chains in the folder change nothing; two of equal right are not chosen between."""
    first = founded()
    second, other = added(first, "b", THIEF), added(first, "c", DeviceKeys(b"\x41" * 32, b"\x42" * 32))
    junk = await offered((0, first), (1, second), (0, founded(THIEF, NEXT)), (3, b"junk"), (7, second[:-1]))
    assert await rescue.found_chain(junk, SCOPE, SECRET) == [first, second]
    assert await rescue.found_chain(junk, SCOPE, bytes(16)) is None
    forked = await offered((0, first), (1, second), (1, other))
    with pytest.raises(NotAllowed, match="error-recovery-fork"):
        await rescue.found_chain(forked, SCOPE, SECRET)


async def test_every_epoch_is_wrapped_to_the_recovery_key_and_after_a_recovery_to_the_next(tmp_path: Path) -> None:
    clock, hub = FakeClock(), Hub()
    home = await make_device(tmp_path, "home", hub, clock)
    public, successor = public_of(SECRET), public_of(NEXT)
    await membership.found(
        home.memory, home.keys, home.store, FakeEntropy("epoch"), recovery_sign=public.sign, recovery_wrap=public.wrap
    )
    phone = await make_device(tmp_path, "phone", hub, clock, home)
    await settle(home, phone)
    for secret in (SECRET, NEXT):
        chain = await rescue.found_chain(hub, home.memory.scope, secret)
        assert chain is not None
        found, roster = MemoryKeyStore(), rosters.read_chain(chain)
        assert await rescue.unwrap_all(hub, found, roster, secret) == []
        assert found.secrets.keys() == {secret_name(roster.scope, epoch) for epoch in roster.epochs}
        if secret == SECRET:
            await rescue.recover(
                phone.memory, phone.keys, phone.store, FakeEntropy("next"), secret=SECRET, successor=successor,
                staying={home.keys.device_id},
            )  # fmt: skip
            await settle(phone, home)
    assert await rescue.found_chain(hub, home.memory.scope, SECRET) is None, "it is used up"
    await home.close()
    await phone.close()
