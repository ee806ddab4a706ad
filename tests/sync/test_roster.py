"""The roster: who belongs, in one chain that only the admin, and above it the recovery key, can lengthen."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from sync import cbor
from sync.errors import Forged, Malformed, Replayed, Revoked, Unsupported, Untrusted
from sync.keys import DeviceKeys
from sync.roster import (
    DEVICES_MAX,
    ENTRY_BYTES_MAX,
    HEIGHT_MAX,
    NO_PREVIOUS,
    RECOVERY,
    Choice,
    DeviceRecord,
    Kind,
    Roster,
    add,
    adopt,
    begin,
    choose,
    entry_hash,
    erase,
    extend,
    found,
    previous_hash,
    read_chain,
    recover,
    remove,
)
from sync.roster_entry import pack_record, sign_entry
from tests.store.effort import COSTLY

SCOPE = bytes.fromhex("00112233445566778899aabbccddeeff")
COMMIT = b"\x0c" * 32
RECOVERY_SEED = b"\x0e" * 32
NEXT_RECOVERY_SEED = b"\x0f" * 32
WRAP = b"\x0d" * 32


def keys(number: int) -> DeviceKeys:
    return DeviceKeys(bytes([number] * 32), bytes([number + 100] * 32))


def public(seed: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def record(number: int, lane: str) -> DeviceRecord:
    own = keys(number)
    wrap = X25519PrivateKey.from_private_bytes(own.wrap_key).public_key().public_bytes_raw()
    return DeviceRecord(public(own.sign_seed), wrap, lane)


A, B, C, D = (record(number, lane) for number, lane in ((1, ""), (2, "b"), (3, "c"), (4, "d")))
SEED = keys(1).sign_seed
FOUND = found(
    SCOPE, A, sign_seed=SEED, recovery_sign=public(RECOVERY_SEED), recovery_wrap=WRAP, commit=COMMIT
)  # fmt: skip


class Chain:
    """A chain that grows by naming what happens next."""

    def __init__(self, entries: Sequence[bytes] = (FOUND,)) -> None:
        self.entries = list(entries)

    @property
    def roster(self) -> Roster:
        return read_chain(self.entries)

    def then(self, write: Callable[..., bytes], *args: Any, **named: Any) -> Chain:
        return Chain([*self.entries, write(self.roster, *args, **named)])

    def add(self, newcomer: DeviceRecord, seed: bytes = SEED) -> Chain:
        return self.then(add, newcomer, sign_seed=seed)

    def remove(self, gone: DeviceRecord, cut: int = 5, seed: bytes = SEED) -> Chain:
        return self.then(remove, gone.device, cut=cut, commit=COMMIT, sign_seed=seed)

    def erase(self, seed: bytes = SEED, **frontier: Any) -> Chain:
        return self.then(
            erase, commit=COMMIT, baseline=b"\7" * 32, frontier=frontier.get("frontier", {}), sign_seed=seed
        )

    def adopt(self, successor: DeviceRecord, seed: bytes = SEED) -> Chain:
        return self.then(adopt, successor, cut=9, commit=COMMIT, sign_seed=seed)

    def recover(self, *devices: DeviceRecord, seed: bytes = RECOVERY_SEED, **changed: Any) -> Chain:
        named = {
            "admin": devices[0].device, "recovery_sign": public(NEXT_RECOVERY_SEED), "recovery_wrap": WRAP,
            "cuts": {}, "commit": COMMIT, "recovery_seed": seed, **changed,
        }  # fmt: skip
        return self.then(recover, devices, **named)


def refusal(family: type[Untrusted], run: Callable[[], object]) -> str:
    with pytest.raises(Untrusted) as raised:
        run()
    assert type(raised.value) is family
    return raised.value.code


# what each entry does


def test_the_first_entry_founds_a_roster() -> None:
    roster = begin(FOUND)
    assert (roster.scope, roster.height, roster.head, roster.admin) == (SCOPE, 0, entry_hash(FOUND), A.device)
    assert (roster.generation, roster.epoch.number, roster.epoch.commit) == (1, 1, COMMIT)
    assert list(roster.current()) == [A.device]
    assert (roster.recovery_sign, roster.recovery_wrap, roster.recovered_at) == (public(RECOVERY_SEED), WRAP, -1)
    assert (roster.baseline, roster.frontier) == (b"", {})
    assert A.device == keys(1).device_id


def test_a_device_is_added_with_its_lane() -> None:
    roster = Chain().add(B).add(C).roster
    assert [member.record for member in roster.current().values()] == [A, B, C]
    assert [member.since for member in roster.members.values()] == [0, 1, 2]
    assert roster.epoch.number == 1
    assert roster.next_lane() == "d"


def test_a_device_leaves_and_the_epoch_turns() -> None:
    roster = Chain().add(B).remove(B, cut=17).roster
    gone = roster.members[B.device]
    assert (gone.left_at, gone.cut) == (2, 17)
    assert list(roster.current()) == [A.device]
    assert (roster.epoch.number, roster.epoch.height) == (2, 2)


def test_an_erase_founds_the_next_generation() -> None:
    frontier = {A.device: (4, b"\1" * 32), B.device: (0, bytes(32))}
    roster = Chain().add(B).erase(frontier=frontier).roster
    assert (roster.generation, roster.epoch.number, roster.baseline) == (2, 2, b"\7" * 32)
    assert roster.frontier == frontier


def test_an_admin_s_home_moves_to_new_keys() -> None:
    chain = Chain().add(B).adopt(C)
    roster = chain.roster
    assert roster.admin == C.device
    assert (roster.members[A.device].left_at, roster.members[A.device].cut) == (2, 9)
    assert set(roster.current()) == {B.device, C.device}


def test_after_an_adoption_the_old_key_is_nobody_s() -> None:
    chain = Chain().add(B).adopt(C)
    old = replace(chain.roster, admin=A.device)
    stolen = add(old, D, sign_seed=SEED)
    assert refusal(Revoked, lambda: extend(chain.roster, stolen)) == "roster-signer"
    assert chain.add(D, seed=keys(3).sign_seed).roster.height == 3
    assert refusal(Malformed, lambda: chain.adopt(A, seed=keys(3).sign_seed).roster) == "roster-device"


def test_adopting_twice_is_a_fork_that_people_see() -> None:
    chain = Chain().add(B)
    assert choose(chain.adopt(C).entries, chain.adopt(D).entries) is Choice.FORK


def test_a_recovery_says_everything_anew() -> None:
    chain = Chain().add(B).add(C).remove(C)
    recovered = chain.recover(D, B, cuts={A.device: 3})
    roster = recovered.roster
    assert (roster.admin, set(roster.current())) == (D.device, {B.device, D.device})
    assert (roster.members[A.device].left_at, roster.members[A.device].cut) == (4, 3)
    assert (roster.members[B.device].since, roster.members[D.device].since) == (1, 4)
    assert (roster.members[C.device].left_at, roster.members[C.device].cut) == (3, 5), "gone before, gone still"
    assert (roster.recovery_sign, roster.recovered_at) == (public(NEXT_RECOVERY_SEED), 4)
    assert roster.epoch.number == 3


def test_a_recovery_brings_back_whom_a_thief_removed() -> None:
    roster = Chain().add(B).remove(B).recover(A, B).roster
    assert (roster.members[B.device].left_at, roster.members[B.device].cut) == (None, None)
    assert roster.members[B.device].since == 3


def test_what_a_recovery_does_not_say_of_a_leaving_device_does_not_count() -> None:
    roster = Chain().add(B).recover(A, cuts={A.device: 7}).roster
    assert (roster.members[B.device].left_at, roster.members[B.device].cut) == (2, 0)


def test_a_used_recovery_key_is_used_up() -> None:
    chain = Chain().recover(A)
    assert refusal(Forged, lambda: chain.recover(A, B, recovery_sign=public(b"\1" * 32)).roster) == "roster-signature"
    again = chain.recover(A, B, seed=NEXT_RECOVERY_SEED, recovery_sign=public(b"\1" * 32))
    assert again.roster.recovered_at == 2


def test_lanes_are_never_used_again() -> None:
    chain = Chain().add(B).remove(B)
    assert chain.roster.next_lane() == "c"
    assert refusal(Malformed, lambda: chain.add(record(5, "b")).roster) == "roster-lane"
    assert refusal(Malformed, lambda: chain.add(record(5, "")).roster) == "roster-lane"
    assert refusal(Malformed, lambda: chain.adopt(record(5, "b")).roster) == "roster-lane"
    assert refusal(Malformed, lambda: chain.recover(A, record(5, "b")).roster) == "roster-lane"
    assert refusal(Malformed, lambda: chain.recover(A, record(5, "e"), record(6, "e")).roster) == "roster-lane"
    assert refusal(Malformed, lambda: chain.recover(A, record(2, "e")).roster) == "roster-lane", "its own stays its own"
    assert refusal(Malformed, lambda: chain.recover(record(1, "e")).roster) == "roster-lane"


def test_a_device_cannot_be_added_twice() -> None:
    chain = Chain().add(B)
    assert refusal(Malformed, lambda: chain.add(replace(B, lane="c")).roster) == "roster-device"
    assert refusal(Malformed, lambda: chain.remove(B).add(replace(B, lane="c")).roster) == "roster-device"
    assert refusal(Malformed, lambda: chain.add(replace(A, lane="c")).roster) == "roster-device"
    assert refusal(Malformed, lambda: chain.recover(A, B, B).roster) == "roster-device"


def test_nobody_is_removed_who_is_not_there() -> None:
    chain = Chain().add(B)
    assert refusal(Malformed, lambda: chain.remove(C).roster) == "roster-remove"
    assert refusal(Malformed, lambda: chain.remove(A).roster) == "roster-remove", "an admin cannot remove itself"
    assert refusal(Malformed, lambda: chain.remove(B).remove(B).roster) == "roster-remove"


def test_the_number_of_devices_ends_at_its_bound() -> None:
    chain = Chain()
    roster = chain.roster
    for number in range(DEVICES_MAX - 1):
        roster = extend(roster, add(roster, record(number + 2, roster.next_lane()), sign_seed=SEED))
    assert len(roster.current()) == DEVICES_MAX
    one_more = add(roster, record(99, roster.next_lane()), sign_seed=SEED)
    assert refusal(Malformed, lambda: extend(roster, one_more)) == "roster-devices"


# replays and forgeries


def test_an_entry_is_taken_once_and_in_its_place() -> None:
    chain = Chain().add(B).remove(B)
    for entry in chain.entries[1:]:
        assert refusal(Replayed, lambda entry=entry: extend(chain.roster, entry)) == "roster-place"
    assert refusal(Replayed, lambda: extend(begin(FOUND), chain.entries[2])) == "roster-place"
    sibling = Chain().add(C).entries[1]
    assert refusal(Replayed, lambda: extend(Chain().add(B).roster, sibling)) == "roster-place"
    assert refusal(Malformed, lambda: begin(chain.entries[1])) == "roster-first"
    assert refusal(Malformed, lambda: read_chain([])) == "roster-empty"
    assert refusal(Replayed, lambda: extend(chain.roster, FOUND)) == "roster-place"


def test_an_entry_tells_what_it_follows() -> None:
    assert previous_hash(Chain().add(B).entries[1]) == entry_hash(FOUND)
    assert previous_hash(FOUND) == NO_PREVIOUS


def test_an_entry_of_another_scope_is_refused() -> None:
    other = found(bytes(16), A, sign_seed=SEED, recovery_sign=bytes(32), recovery_wrap=WRAP, commit=COMMIT)
    entry = add(begin(other), B, sign_seed=SEED)
    assert refusal(Malformed, lambda: extend(begin(FOUND), entry)) == "roster-scope"


def test_only_the_admin_and_the_recovery_key_write() -> None:
    chain = Chain().add(B)
    by_b = add(replace(chain.roster, admin=B.device), C, sign_seed=keys(2).sign_seed)
    assert refusal(Revoked, lambda: extend(chain.roster, by_b)) == "roster-signer"
    in_its_name = add(chain.roster, C, sign_seed=keys(2).sign_seed)
    assert refusal(Forged, lambda: extend(chain.roster, in_its_name)) == "roster-signature"
    assert refusal(Forged, lambda: chain.recover(B, seed=SEED).roster) == "roster-signature"
    named = entry(chain.roster, Kind.RECOVER, good_recover(), signer=A.device)
    assert refusal(Forged, lambda: extend(chain.roster, named)) == "roster-signer"
    by_recovery = entry(chain.roster, Kind.ADD, {1: pack_record(C)}, signer=RECOVERY, seed=RECOVERY_SEED)
    assert refusal(Revoked, lambda: extend(chain.roster, by_recovery)) == "roster-signer"
    stranger = sign_entry(SCOPE, 0, NO_PREVIOUS, Kind.FOUND, good_found(), B.device, SEED)
    assert refusal(Forged, lambda: begin(stranger)) == "roster-signer"
    unsigned = sign_entry(SCOPE, 0, NO_PREVIOUS, Kind.FOUND, good_found(), A.device, RECOVERY_SEED)
    assert refusal(Forged, lambda: begin(unsigned)) == "roster-signature"


def test_a_key_that_is_none_signs_nothing() -> None:
    broken = DeviceRecord(b"\xff" * 32, A.wrap_public, "")
    entry = sign_entry(SCOPE, 0, NO_PREVIOUS, Kind.FOUND, {**good_found(), 1: pack_record(broken)}, broken.device, SEED)
    assert refusal(Forged, lambda: begin(entry)) == "roster-signature"


def test_a_flipped_bit_anywhere_is_noticed() -> None:
    whole = Chain().add(B).entries[1]
    for at in range(len(whole)):
        wrong = bytearray(whole)
        wrong[at] ^= 1 << at % 8
        refusal_of_any(lambda wrong=wrong: extend(begin(FOUND), bytes(wrong)))  # type: ignore[misc]
    for length in range(len(whole)):
        refusal_of_any(lambda length=length: extend(begin(FOUND), whole[:length]))  # type: ignore[misc]


def refusal_of_any(run: Callable[[], object]) -> str:
    with pytest.raises(Untrusted) as raised:
        run()
    return raised.value.code


# entries put together by hand


def entry(roster: Roster, kind: int, body: Any, *, signer: Any = None, seed: bytes = SEED, **changed: Any) -> bytes:
    fields = {
        0: 1, 1: roster.scope, 2: roster.height + 1, 3: roster.head, 4: int(kind), 5: body,
        6: roster.admin if signer is None else signer, **{int(name[1:]): value for name, value in changed.items()},
    }  # fmt: skip
    return signed(cbor.encode({name: value for name, value in fields.items() if value is not ...}), seed)


def signed(text: bytes, seed: bytes = SEED) -> bytes:
    digest = hashlib.sha256(text).digest()
    return text + Ed25519PrivateKey.from_private_bytes(seed).sign(b"memsync/1 roster\0" + digest)


def good_found() -> dict[int, Any]:
    return {1: pack_record(A), 2: public(RECOVERY_SEED), 3: WRAP, 4: COMMIT}


def good_recover() -> dict[int, Any]:
    return {
        1: [pack_record(A), pack_record(B)], 2: A.device, 3: public(NEXT_RECOVERY_SEED), 4: WRAP,
        5: 2, 6: COMMIT, 7: {},
    }  # fmt: skip


GOOD: dict[Kind, Callable[[], dict[int, Any]]] = {
    Kind.ADD: lambda: {1: pack_record(C)},
    Kind.REMOVE: lambda: {1: B.device, 2: 5, 3: 2, 4: COMMIT},
    Kind.ERASE: lambda: {1: 2, 2: 2, 3: COMMIT, 4: bytes(32), 5: {A.device: [1, bytes(32)]}},
    Kind.REPLACE: lambda: {1: pack_record(C), 2: 5, 3: 2, 4: COMMIT},
    Kind.RECOVER: good_recover,
}
BASE = Chain().add(B)


def written(kind: Kind, body: Any) -> bytes:
    if kind is Kind.RECOVER:
        return entry(BASE.roster, kind, body, signer=RECOVERY, seed=RECOVERY_SEED)
    return entry(BASE.roster, kind, body)


@pytest.mark.parametrize("kind", GOOD)
def test_the_bodies_below_are_right_before_they_are_spoilt(kind: Kind) -> None:
    assert extend(BASE.roster, written(kind, GOOD[kind]())).height == 2


@pytest.mark.parametrize("kind", GOOD)
def test_a_body_with_a_field_too_few_or_too_many_is_refused(kind: Kind) -> None:
    good = GOOD[kind]()
    for wrong in (
        *({name: value for name, value in good.items() if name != left} for left in good),
        {**good, len(good) + 1: 0}, {**good, 0: 0}, [], 0, b"", list(good.values()),
    ):  # fmt: skip
        assert refusal(Malformed, lambda wrong=wrong: extend(BASE.roster, written(kind, wrong))) == "roster-body"


@pytest.mark.parametrize(
    ("kind", "field", "value", "code"),
    [
        (Kind.ADD, 1, 0, "roster-record"),
        (Kind.ADD, 1, [C.sign_public, C.wrap_public], "roster-record"),
        (Kind.ADD, 1, [C.sign_public, C.wrap_public, b"c"], "roster-record"),
        (Kind.ADD, 1, [C.sign_public, C.wrap_public, "c", 0], "roster-record"),
        (Kind.ADD, 1, [C.sign_public[1:], C.wrap_public, "c"], "roster-bytes"),
        (Kind.ADD, 1, [C.sign_public, "x" * 32, "c"], "roster-bytes"),
        *((Kind.ADD, 1, [C.sign_public, C.wrap_public, lane], "roster-lane")
          for lane in ("C", "c1", "abcde", "c\n", "ä", "ｃ", " ", "-")),
        (Kind.REMOVE, 1, B.device[1:], "roster-bytes"),
        (Kind.REMOVE, 1, 0, "roster-bytes"),
        (Kind.REMOVE, 2, 1 << 48, "roster-number"),
        (Kind.REMOVE, 2, b"", "roster-number"),
        (Kind.REMOVE, 3, 1, "roster-epoch"),
        (Kind.REMOVE, 3, 3, "roster-epoch"),
        (Kind.REMOVE, 3, "2", "roster-epoch"),
        (Kind.REMOVE, 4, bytes(31), "roster-bytes"),
        (Kind.ERASE, 1, 1, "roster-generation"),
        (Kind.ERASE, 1, 3, "roster-generation"),
        (Kind.ERASE, 1, "2", "roster-number"),
        (Kind.ERASE, 2, 1, "roster-epoch"),
        (Kind.ERASE, 3, 0, "roster-bytes"),
        (Kind.ERASE, 4, b"", "roster-bytes"),
        (Kind.ERASE, 5, [], "roster-body"),
        (Kind.ERASE, 5, {A.device: 1}, "roster-body"),
        (Kind.ERASE, 5, {A.device: [1]}, "roster-body"),
        (Kind.ERASE, 5, {A.device: [1, bytes(32), 0]}, "roster-body"),
        (Kind.ERASE, 5, {A.device: {1: 1, 2: bytes(32)}}, "roster-body"),
        (Kind.ERASE, 5, {A.device: [1, bytes(8)]}, "roster-bytes"),
        (Kind.ERASE, 5, {b"x": [1, bytes(32)]}, "roster-bytes"),
        (Kind.ERASE, 5, {A.device: [b"", bytes(32)]}, "roster-number"),
        (Kind.REPLACE, 1, [], "roster-record"),
        (Kind.REPLACE, 2, "5", "roster-number"),
        (Kind.REPLACE, 3, 1, "roster-epoch"),
        (Kind.REPLACE, 4, 0, "roster-bytes"),
        (Kind.RECOVER, 1, {}, "roster-body"),
        (Kind.RECOVER, 1, [], "roster-admin"),
        (Kind.RECOVER, 1, [0], "roster-record"),
        (Kind.RECOVER, 2, C.device, "roster-admin"),
        (Kind.RECOVER, 2, b"", "roster-bytes"),
        (Kind.RECOVER, 3, public(RECOVERY_SEED), "roster-recovery"),
        (Kind.RECOVER, 3, 0, "roster-bytes"),
        (Kind.RECOVER, 4, bytes(33), "roster-bytes"),
        (Kind.RECOVER, 5, 1, "roster-epoch"),
        (Kind.RECOVER, 6, "", "roster-bytes"),
        (Kind.RECOVER, 7, [], "roster-body"),
        (Kind.RECOVER, 7, {A.device: 1}, "roster-cuts"),
        (Kind.RECOVER, 7, {C.device: 1}, "roster-cuts"),
        (Kind.RECOVER, 7, {b"x": 1}, "roster-bytes"),
        (Kind.RECOVER, 7, {A.device: b""}, "roster-number"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_refused_by_name(kind: Kind, field: int, value: Any, code: str) -> None:
    wrong = written(kind, {**GOOD[kind](), field: value})
    assert refusal(Malformed, lambda: extend(BASE.roster, wrong)) == code


def test_a_recovery_names_a_cut_for_each_that_leaves() -> None:
    wrong = written(Kind.RECOVER, {**good_recover(), 1: [pack_record(A)]})
    assert refusal(Malformed, lambda: extend(BASE.roster, wrong)) == "roster-cuts"


@pytest.mark.parametrize(
    ("changed", "family", "code"),
    [
        ({"_0": 0}, Unsupported, "roster-version"),
        ({"_0": 2}, Unsupported, "roster-version"),
        ({"_0": "1"}, Unsupported, "roster-version"),
        ({"_4": 0}, Unsupported, "roster-kind"),
        ({"_4": 7}, Unsupported, "roster-kind"),
        ({"_4": b""}, Unsupported, "roster-kind"),
        ({"_1": bytes(15)}, Malformed, "roster-bytes"),
        ({"_1": 0}, Malformed, "roster-bytes"),
        ({"_2": HEIGHT_MAX + 1}, Malformed, "roster-height"),
        ({"_2": b""}, Malformed, "roster-number"),
        ({"_2": 3}, Replayed, "roster-place"),
        ({"_2": HEIGHT_MAX}, Replayed, "roster-place"),
        ({"_3": bytes(31)}, Malformed, "roster-bytes"),
        ({"_3": bytes(32)}, Replayed, "roster-place"),
        ({"_6": bytes(15)}, Malformed, "roster-bytes"),
        ({"_6": 0}, Malformed, "roster-bytes"),
        ({"_6": bytes(16)}, Revoked, "roster-signer"),
        ({"_7": 0}, Malformed, "roster-fields"),
        ({"_6": ...}, Malformed, "roster-fields"),
        ({"_0": True}, Malformed, "roster-cbor"),
        ({"_4": 2.0}, Malformed, "roster-cbor"),
        ({"_2": -1}, Malformed, "roster-cbor"),
    ],
)
def test_a_wrong_frame_is_refused_by_name(changed: dict[str, Any], family: type[Untrusted], code: str) -> None:
    assert (
        refusal(family, lambda: extend(BASE.roster, entry(BASE.roster, Kind.ADD, GOOD[Kind.ADD](), **changed))) == code
    )


def test_a_frame_that_is_none_is_refused_by_name() -> None:
    for text, code in (
        (b"\x80", "roster-fields"), (b"\0", "roster-fields"), (b"\x18\x00", "roster-spelling"), (b"\xf6", "roster-cbor"),
        (b"\x87\x00\x01\x02\x03\x04\x05\x06", "roster-fields"), (b"\0\0", "roster-cbor"),
    ):  # fmt: skip
        assert refusal(Malformed, lambda text=text: begin(signed(text))) == code  # type: ignore[misc]
    assert refusal(Malformed, lambda: begin(b"")) == "roster-length"
    assert refusal(Malformed, lambda: begin(bytes(64))) == "roster-length"
    assert refusal(Malformed, lambda: begin(bytes(ENTRY_BYTES_MAX + 1))) == "roster-length"
    assert refusal(Malformed, lambda: begin(bytes(ENTRY_BYTES_MAX))) == "roster-cbor"


def test_the_first_entry_is_checked_like_every_other() -> None:
    for changed, code in (
        ({1: 0}, "roster-record"), ({2: b""}, "roster-bytes"), ({3: 0}, "roster-bytes"), ({4: bytes(31)}, "roster-bytes"),
        ({5: 0}, "roster-body"),
    ):  # fmt: skip
        wrong = sign_entry(SCOPE, 0, NO_PREVIOUS, Kind.FOUND, {**good_found(), **changed}, A.device, SEED)
        assert refusal(Malformed, lambda wrong=wrong: begin(wrong)) == code  # type: ignore[misc]
    for height, previous in ((1, NO_PREVIOUS), (0, b"\1" * 32)):
        moved = sign_entry(SCOPE, height, previous, Kind.FOUND, good_found(), A.device, SEED)
        assert refusal(Malformed, lambda moved=moved: begin(moved)) == "roster-first"  # type: ignore[misc]
    second = entry(begin(FOUND), Kind.FOUND, good_found())
    assert refusal(Malformed, lambda: extend(begin(FOUND), second)) == "roster-kind"


# choosing between chains


def test_a_longer_chain_is_taken_and_a_shorter_one_is_not() -> None:
    short, long = Chain().add(B), Chain().add(B).add(C).remove(B)
    assert choose(short.entries, long.entries) is Choice.TAKE
    assert choose(long.entries, short.entries) is Choice.KEEP
    assert choose(long.entries, long.entries) is Choice.KEEP


def test_two_chains_of_equal_right_are_a_fork() -> None:
    one, two = Chain().add(B), Chain().add(C).add(D)
    assert choose(one.entries, two.entries) is Choice.FORK
    assert choose(two.entries, one.entries) is Choice.FORK


def test_another_founding_is_a_fork_whatever_it_holds() -> None:
    other = found(
        SCOPE, B, sign_seed=keys(2).sign_seed, recovery_sign=public(RECOVERY_SEED), recovery_wrap=WRAP, commit=COMMIT
    )
    usurper = Chain([other]).recover(B)
    assert choose(Chain().entries, usurper.entries) is Choice.FORK
    assert choose(usurper.entries, Chain().entries) is Choice.FORK


def test_an_old_recovery_code_cannot_undo_a_newer_recovery() -> None:
    """The thief found the first code after its use."""
    honest = Chain().add(B).recover(A, B).add(C)
    thief = Chain().add(B).recover(D)
    earlier = Chain().recover(D)
    for other in (thief, earlier):
        assert choose(honest.entries, other.entries) is Choice.FORK


def test_a_recovery_is_taken_that_knew_more_of_the_living_admin() -> None:
    """The thief shows us its own branch; whoever recovers has seen entries of the real admin since."""
    base = Chain().add(B)
    thief = base.remove(B).add(record(66, "t"))
    recovered = base.add(C).recover(D, B, C)
    assert choose(thief.entries, recovered.entries) is Choice.TAKE
    assert choose(recovered.entries, thief.entries) is Choice.KEEP


THIEF = record(66, "t")


@st.composite
def stories(draw: st.DrawFn) -> tuple[list[list[bytes]], list[bytes]]:
    """(every chain anybody may show, the one that must win): a living admin, a thief with its key, one recovery."""
    base = Chain().add(B)
    if draw(st.booleans()):
        base = base.add(C)
    honest, thief = [base], [base]
    for _ in range(draw(st.integers(0, 2))):
        lane = honest[-1].roster.next_lane()
        honest.append(honest[-1].add(record(20 + len(honest), lane)))
    moves: list[Callable[[Chain], Chain]] = [
        lambda chain: chain.erase(),
        lambda chain: chain.add(record(60 + len(chain.entries), "t" + "abcdef"[len(chain.entries) - 2])),
        lambda chain: chain.remove(B) if B.device in chain.roster.current() else chain.erase(),
    ]
    for _ in range(draw(st.integers(0, 3))):
        thief.append(draw(st.sampled_from(moves))(thief[-1]))
    if draw(st.booleans()) and thief[-1].roster.admin == A.device:
        thief.append(thief[-1].adopt(THIEF))
    start = draw(st.sampled_from([*honest, *thief]))
    lane = "zz"
    winner = [start.recover(record(90, lane), B)]
    for number in range(draw(st.integers(0, 2))):
        winner.append(winner[-1].add(record(91 + number, lane + "ab"[number]), seed=keys(90).sign_seed))
    shown = [chain.entries for chain in (*honest, *thief, *winner)]
    return shown, winner[-1].entries


@COSTLY
@given(stories(), st.data())
def test_recovery_wins_in_every_order_of_arrival(
    story: tuple[list[list[bytes]], list[bytes]], data: st.DataObject
) -> None:
    """It beats a living admin, a thief with the admin's key, and one that adopted."""
    shown, winner = story
    pinned: Sequence[bytes] = [FOUND]
    for other in data.draw(st.permutations(shown)):
        if choose(pinned, other) is Choice.TAKE:
            assert read_chain(other)
            pinned = other
    assert list(pinned) == winner


@COSTLY
@given(st.data())
def test_any_order_of_an_undisputed_chain_ends_in_the_same_one(data: st.DataObject) -> None:
    whole = Chain().add(B).add(C).remove(B).erase().adopt(D)
    pinned: Sequence[bytes] = [FOUND]
    prefixes = [whole.entries[: length + 1] for length in range(len(whole.entries))]
    for other in data.draw(st.permutations(prefixes)):
        choice = choose(pinned, other)
        assert choice is not Choice.FORK
        pinned = other if choice is Choice.TAKE else pinned
    assert list(pinned) == whole.entries


def test_choice_is_even_handed() -> None:
    """What one side keeps, the other takes; a fork is one for both."""
    base = Chain().add(B)
    chains = [
        base, base.add(C), base.remove(B), base.recover(D), base.recover(D).add(C, seed=keys(4).sign_seed),
        base.add(C).recover(D), base.adopt(C), Chain().recover(A),
    ]  # fmt: skip
    flipped = {Choice.KEEP: Choice.TAKE, Choice.TAKE: Choice.KEEP, Choice.FORK: Choice.FORK}
    for one, two in itertools.permutations(chains, 2):
        assert choose(one.entries, two.entries) is flipped[choose(two.entries, one.entries)]
