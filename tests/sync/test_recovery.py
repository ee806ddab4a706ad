"""The recovery key: how it is written, and what it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.errors import Malformed
from sync.recovery import format_recovery, parse_public, parse_recovery, public_of, recovery_keys, recovery_recipient

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
