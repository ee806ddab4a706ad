"""The receiving machine: for each thing that can arrive, what is to be done about it. docs/spec/memsync.md §9."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync import roster as rosters
from sync.envelope import (
    NO_PREVIOUS,
    SIGNATURE_BYTES,
    Header,
    Kind,
    Payload,
    Seen,
    encode_payload,
    envelope_hash,
    seal,
)
from sync.keys import DeviceKeys, commitment, key_id, sender_key
from sync.roster import DeviceRecord, Roster
from sync.session import BEYOND_MAX, Accept, Action, Chain, Drop, ForkSeen, Later, Session
from tests.store.effort import COSTLY

SCOPE = bytes.fromhex("00112233445566778899aabbccddeeff")
HOME = DeviceKeys(b"\x11" * 32, b"\x12" * 32)
PHONE = DeviceKeys(b"\x21" * 32, b"\x22" * 32)
TABLET = DeviceKeys(b"\x31" * 32, b"\x32" * 32)
STRANGER = DeviceKeys(b"\x41" * 32, b"\x42" * 32)
RECOVERY = DeviceKeys(b"\x51" * 32, b"\x52" * 32)
SECRETS = {epoch: bytes([0xE0 + epoch]) * 32 for epoch in (1, 2)}
ME = TABLET.device_id


def record(keys: DeviceKeys, lane: str) -> DeviceRecord:
    return DeviceRecord(keys.sign_public, keys.wrap_public, lane)


def three_members() -> Roster:
    roster = rosters.begin(
        rosters.found(
            SCOPE, record(HOME, ""), sign_seed=HOME.sign_seed, recovery_sign=RECOVERY.sign_public,
            recovery_wrap=RECOVERY.wrap_public, commit=commitment(SCOPE, 1, SECRETS[1]),
        )
    )  # fmt: skip
    for keys, lane in ((PHONE, "b"), (TABLET, "c")):
        roster = rosters.extend(roster, rosters.add(roster, record(keys, lane), sign_seed=HOME.sign_seed))
    return roster


ROSTER = three_members()


def without_phone(cut: int) -> Roster:
    commit = commitment(SCOPE, 2, SECRETS[2])
    entry = rosters.remove(ROSTER, PHONE.device_id, cut=cut, commit=commit, sign_seed=HOME.sign_seed)
    return rosters.extend(ROSTER, entry)


def session(roster: Roster = ROSTER, secrets: tuple[int, ...] = (1, 2), chain: Chain | None = None) -> Session:
    known = {key_id(SCOPE, epoch, SECRETS[epoch]): (epoch, SECRETS[epoch]) for epoch in secrets}
    return Session(ME, roster, known, {PHONE.device_id: chain} if chain else {})


def envelope(
    seq: int = 1,
    previous: bytes = NO_PREVIOUS,
    *,
    keys: DeviceKeys = PHONE,
    kind: Kind = Kind.UPDATE,
    epoch: int = 1,
    scope: bytes = SCOPE,
    text: str = "",
    skip_to: int = 0,
    payload: bytes | None = None,
) -> bytes:
    secret = SECRETS[epoch]
    header = Header(
        kind, scope, epoch, key_id(scope, epoch, secret), keys.device_id, seq, previous, ROSTER.head[:16], bytes(12)
    )
    said = Payload(((text, ()),) if text else (), (), 1_716_800_000_000, skip_to)
    sealed_with = sender_key(scope, epoch, secret, keys.device_id)
    return seal(
        header, encode_payload(said) if payload is None else payload, sender_key=sealed_with, sign_seed=keys.sign_seed
    )


def row(count: int, *, keys: DeviceKeys = PHONE, after: bytes = b"") -> list[bytes]:
    """Envelopes 1…count of one author, each naming the one before."""
    out: list[bytes] = []
    for seq in range(1, count + 1):
        out.append(envelope(seq, envelope_hash(out[-1]) if out else NO_PREVIOUS, keys=keys))
    return out


ONE, TWO, THREE, FOUR, FIVE = row(5)
OTHER_ONE = envelope(1, text="meta~1")
OTHER_TWO = envelope(2, envelope_hash(ONE), text="meta~1")
OTHER_THREE = envelope(3, envelope_hash(TWO), text="meta~1")
ON_ANOTHER = envelope(3, b"\x99" * 32)
"""Names a second envelope that nobody has seen."""


def short(actions: list[Action]) -> list[str]:
    """accept 1, drop <reason>, later <reason>, fork <seq>."""
    out: list[str] = []
    for action in actions:
        match action:
            case Accept(header, _, _, _):
                out.append(f"accept {header.seq}")
            case Drop(reason):
                out.append(f"drop {reason}")
            case Later(reason):
                out.append(f"later {reason}")
            case ForkSeen(device, seq):
                assert device == PHONE.device_id
                out.append(f"fork {seq}")
    return out


def told(machine: Session, *envelopes: bytes) -> list[str]:
    return [line for one in envelopes for line in short(machine.receive(one))]


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


FORK = "drop envelope-fork"
KNOWN = "drop envelope-known"
TABLE: list[tuple[str, list[bytes], list[str]]] = [
    ("in order", [ONE, TWO, THREE], ["accept 1", "accept 2", "accept 3"]),
    ("the newest again", [ONE, TWO, TWO], ["accept 1", "accept 2", KNOWN]),
    ("an older one again", [ONE, TWO, ONE], ["accept 1", "accept 2", KNOWN]),
    ("an island again", [ONE, THREE, THREE], ["accept 1", "accept 3", KNOWN]),
    ("a gap counts at once and fills", [ONE, THREE, TWO, FOUR], ["accept 1", "accept 3", "accept 2", "accept 4"]),
    ("backwards", [THREE, TWO, ONE, FOUR], ["accept 3", "accept 2", "accept 1", "accept 4"]),
    ("two for the newest place", [ONE, OTHER_ONE], ["accept 1", "fork 1", FORK]),
    ("two for one island", [ONE, THREE, OTHER_THREE], ["accept 1", "accept 3", "fork 3", FORK]),
    ("another predecessor", [ONE, OTHER_TWO, THREE], ["accept 1", "accept 2", "fork 3", FORK]),
    ("what fills contradicts the island", [ONE, ON_ANOTHER, TWO], ["accept 1", "accept 3", "fork 2", FORK]),
    ("an island is no help to its forger", [ONE, THREE, OTHER_TWO], ["accept 1", "accept 3", "fork 2", FORK]),
    ("after a fork its author waits for people", [ONE, OTHER_ONE, TWO], ["accept 1", "fork 1", FORK, "drop envelope-forked"]),
    ("our own", [envelope(keys=TABLET)], ["drop envelope-own"]),
    ("another scope", [envelope(scope=bytes(16))], ["drop envelope-scope"]),
    ("an author not in the roster", [envelope(keys=STRANGER)], ["later envelope-author"]),
    ("a broken signature", [flipped(ONE, len(ONE) - 1)], ["drop envelope-signature"]),
    ("one bit of the sealed part", [flipped(ONE, 130)], ["drop envelope-signature"]),
    ("not an envelope", [b"", b"MS", bytes(300)], ["drop envelope-length"] * 2 + ["drop envelope-magic"]),
    ("a payload that is none", [envelope(payload=b"\xff")], ["drop payload-cbor"]),
    ("skip past itself", [envelope(skip_to=2)], ["drop payload-skip"]),
    ("skip to itself", [envelope(4, b"\x77" * 32, skip_to=4)], ["accept 4"]),
    ("a baseline of another than the admin", [envelope(kind=Kind.BASELINE)], ["drop baseline-author"]),
    ("a baseline whose roster entry is not here", [envelope(kind=Kind.BASELINE, keys=HOME)], ["later baseline-roster"]),
    ("a heartbeat", [envelope(kind=Kind.HEARTBEAT)], ["accept 1"]),
]  # fmt: skip


@pytest.mark.parametrize(("arriving", "expected"), [case[1:] for case in TABLE], ids=[case[0] for case in TABLE])
def test_what_arrives_and_what_is_done(arriving: list[bytes], expected: list[str]) -> None:
    machine = session()
    assert told(machine, *arriving) == expected
    assert machine.dropped == Counter(line.removeprefix("drop ") for line in expected if line.startswith("drop "))


def test_what_lies_behind_a_gap_counts_at_once_and_is_checked_when_it_fills() -> None:
    """A mismatch raises the alarm and takes nothing back."""
    honest, split = session(), session()
    assert told(honest, ONE, FOUR, THREE, TWO) == ["accept 1", "accept 4", "accept 3", "accept 2"]
    assert honest.chains[PHONE.device_id] == Chain(4, envelope_hash(FOUR), {})
    assert told(split, ONE, THREE, OTHER_TWO) == ["accept 1", "accept 3", "fork 2", FORK]
    assert split.chains[PHONE.device_id].holds(3), "what was taken stays"


def test_only_its_author_withdraws_envelopes() -> None:
    machine = session()
    told(machine, ONE, FOUR)
    assert told(machine, envelope(9, b"\x77" * 32, keys=HOME, skip_to=9)) == ["accept 9"]
    assert machine.chains[PHONE.device_id].seq == 1
    assert machine.chains[HOME.device_id].seq == 9


def test_the_roster_head_that_an_author_names_is_noted_once_its_signature_holds() -> None:
    """Whatever else becomes of the envelope: it may wait for the very entry it names."""
    machine = session()
    told(machine, flipped(ONE, len(ONE) - 1), envelope(keys=STRANGER))
    assert machine.heads == {}
    assert told(machine, ONE) == ["accept 1"]
    assert machine.heads == {PHONE.device_id: (1, ROSTER.head[:16])}
    later = session(without_phone(9), secrets=(1,))
    assert told(later, envelope(keys=HOME, epoch=2)) == ["later envelope-key"]
    assert set(later.heads) == {HOME.device_id}


def test_a_baseline_counts_from_the_roster_s_founder_only() -> None:
    entry = rosters.erase(
        ROSTER, commit=commitment(SCOPE, 2, SECRETS[2]), baseline=bytes(32), frontier={}, sign_seed=HOME.sign_seed
    )
    machine = session(rosters.extend(ROSTER, entry))
    assert told(machine, envelope(kind=Kind.BASELINE)) == ["drop baseline-author"]
    assert told(machine, envelope(kind=Kind.BASELINE, keys=HOME)) == ["accept 1"]
    early = session()
    assert told(early, envelope(kind=Kind.BASELINE, keys=HOME)) == ["later baseline-roster"]


def test_what_is_of_a_later_generation_waits_for_its_baseline() -> None:
    ahead = encode_payload(Payload((), (), 1, generation=2))
    machine = session()
    assert told(machine, envelope(payload=ahead)) == ["later envelope-generation"]
    machine.generation = 2
    assert told(machine, envelope(payload=ahead)) == ["accept 1"]


def test_a_dropped_envelope_does_not_take_its_place() -> None:
    machine = session()
    assert told(machine, envelope(skip_to=2), ONE) == ["drop payload-skip", "accept 1"]


def test_one_bad_author_does_not_stop_another() -> None:
    machine = session()
    told(machine, ONE, OTHER_ONE)
    assert told(machine, envelope(keys=HOME)) == ["accept 1"]


def test_an_author_that_was_unknown_counts_once_the_roster_names_it() -> None:
    machine = session()
    waiting = envelope(keys=STRANGER)
    assert told(machine, waiting) == ["later envelope-author"]
    entry = rosters.add(ROSTER, record(STRANGER, "d"), sign_seed=HOME.sign_seed)
    machine.learn_roster(rosters.extend(ROSTER, entry))
    assert told(machine, waiting) == ["accept 1"]
    assert not machine.dropped


def test_an_epoch_whose_secret_is_unknown_waits_for_it() -> None:
    machine = session(without_phone(9), secrets=(1,))
    waiting = envelope(keys=HOME, epoch=2)
    assert told(machine, waiting) == ["later envelope-key"]
    assert not machine.learn_secret(2, SECRETS[1])
    assert not machine.learn_secret(3, SECRETS[2])
    assert machine.dropped["secret-commit"] == 2
    assert told(machine, waiting) == ["later envelope-key"]
    assert machine.learn_secret(2, SECRETS[2])
    assert told(machine, waiting) == ["accept 1"]


def test_a_key_of_another_epoch_number_waits() -> None:
    machine = session()
    machine.secrets = {key_id(SCOPE, 1, SECRETS[1]): (2, SECRETS[1])}
    assert told(machine, ONE) == ["later envelope-key"]


def test_of_a_removed_device_counts_what_stands_before_the_cut() -> None:
    machine = session(without_phone(2))
    assert told(machine, ONE, TWO, THREE) == ["accept 1", "accept 2", "drop envelope-removed"]


def test_of_a_removed_device_nothing_counts_in_the_next_epoch() -> None:
    machine = session(without_phone(9))
    late = envelope(2, envelope_hash(ONE), epoch=2)
    assert told(machine, ONE, late, TWO) == ["accept 1", "drop envelope-removed", "accept 2"]


def test_with_a_cut_of_nothing_nothing_counts() -> None:
    assert told(session(without_phone(0)), ONE) == ["drop envelope-removed"]


def test_the_fork_of_a_chain_from_the_store_is_remembered() -> None:
    known = {key_id(SCOPE, 1, SECRETS[1]): (1, SECRETS[1])}
    machine = Session(ME, ROSTER, known, {}, frozenset({PHONE.device_id}))
    assert told(machine, ONE) == ["drop envelope-forked"]


def test_behind_a_gap_as_many_are_held_as_the_bound_says() -> None:
    def full(count: int) -> Session:
        beyond = dict.fromkeys(range(10, 10 + count), (b"\x01" * 32, b"\x02" * 32))
        return session(chain=Chain(1, envelope_hash(ONE), beyond))

    far = envelope(5000, b"\x55" * 32)
    assert told(full(BEYOND_MAX - 1), far) == ["accept 5000"]
    assert told(full(BEYOND_MAX), far) == ["later envelope-gap"]
    assert told(full(BEYOND_MAX), TWO, THREE) == ["accept 2", "accept 3"]


def test_skip_goes_on_behind_what_was_withdrawn() -> None:
    machine = session()
    skipping = envelope(4, envelope_hash(THREE), skip_to=4)
    five = envelope(5, envelope_hash(skipping))
    assert told(machine, ONE, five, skipping, TWO) == ["accept 1", "accept 5", "accept 4", KNOWN]
    assert machine.chains[PHONE.device_id] == Chain(5, envelope_hash(five), {})


def test_what_is_accepted_carries_its_place_and_its_bytes() -> None:
    machine = session()
    machine.receive(ONE)
    (accepted,) = machine.receive(THREE)
    assert isinstance(accepted, Accept)
    assert accepted.envelope == THREE
    assert accepted.chain == Chain(1, envelope_hash(ONE), {3: (envelope_hash(TWO), envelope_hash(THREE))})
    assert accepted.chain == machine.chains[PHONE.device_id]


def test_seen_says_where_a_chain_ends_and_what_is_beyond() -> None:
    links = (bytes(32), bytes(32))
    chain = Chain(2, b"\x07" * 32, dict.fromkeys((9, 4, 5, 6), links))
    assert chain.seen() == Seen(2, b"\x07" * 8, ((4, 6), (9, 9)))
    assert [chain.holds(number) for number in (1, 2, 3, 4, 7, 9)] == [True, True, False, True, False, True]
    many = Chain(0, bytes(32), {2 * number: links for number in range(1, 30)})
    assert len(many.seen().beyond) == 16


ROW = row(9)


@COSTLY
@given(st.lists(st.integers(0, 8), max_size=40).map(lambda some: [*some, *range(9)]).flatmap(st.permutations))
def test_any_order_with_any_repetition_ends_in_one_chain(order: list[int]) -> None:
    machine = session()
    actions = [action for place in order for action in machine.receive(ROW[place])]
    accepted = [action.header.seq for action in actions if isinstance(action, Accept)]
    assert sorted(accepted) == list(range(1, 10))
    assert len(actions) == len(order)
    assert machine.chains[PHONE.device_id] == Chain(9, envelope_hash(ROW[8]), {})
    assert set(machine.dropped) <= {"envelope-known"}


HONEST = row(6, keys=HOME)


@st.composite
def of_a_member_gone_wild(draw: st.DrawFn) -> bytes:
    """Signed and sealed rightly; number, predecessor, kind, epoch, skip and generation as it likes."""
    seq = draw(st.integers(1, 12) | st.sampled_from([5000, 2**48 - 1]))
    previous = NO_PREVIOUS if seq == 1 else draw(st.sampled_from([b"\x01" * 32, *map(envelope_hash, ROW)]))
    said = Payload(
        (), draw(st.sampled_from([(), ((HOME.device_id, Seen(10**9, b"\x01" * 8)),)])), 0,
        draw(st.integers(0, 14)), draw(st.sampled_from([1, 2, 2**48 - 1])),
    )  # fmt: skip
    return envelope(
        seq,
        previous,
        kind=draw(st.sampled_from(list(Kind))),
        epoch=draw(st.sampled_from([1, 2])),
        payload=encode_payload(said),
    )


@COSTLY
@given(st.lists(of_a_member_gone_wild(), max_size=12), st.data())
def test_nothing_a_member_signs_keeps_another_s_from_counting(wild: list[bytes], data: st.DataObject) -> None:
    machine = session()
    order = data.draw(st.permutations([*wild, *HONEST, *wild[:3]]))
    actions = [action for one in order for action in machine.receive(one)]
    honest = [a.header.seq for a in actions if isinstance(a, Accept) and a.header.device == HOME.device_id]
    assert sorted(honest) == [1, 2, 3, 4, 5, 6]
    assert machine.chains[HOME.device_id] == Chain(6, envelope_hash(HONEST[5]), {})
    assert HOME.device_id not in machine.forked


@COSTLY
@given(st.binary(max_size=400), st.integers(0, len(ONE) - 1), st.integers(1, 255))
def test_no_bytes_make_it_raise(junk: bytes, at: int, change: int) -> None:
    mutant = ONE[:at] + bytes([ONE[at] ^ change]) + ONE[at + 1 :]
    machine = session()
    for data in (junk, mutant, ONE[:at], ONE[:-SIGNATURE_BYTES] + junk):
        assert not any(isinstance(action, Accept) for action in machine.receive(data))
    assert told(machine, ONE) == ["accept 1"]


def test_a_signed_header_with_a_seal_that_does_not_fit_is_dropped() -> None:
    header = Header(
        Kind.UPDATE, SCOPE, 1, key_id(SCOPE, 1, SECRETS[1]), PHONE.device_id, 1, NO_PREVIOUS, bytes(16), bytes(12)
    )
    bad = seal(header, encode_payload(Payload((), (), 1)), sender_key=b"\1" * 32, sign_seed=PHONE.sign_seed)
    assert told(session(), bad) == ["drop envelope-seal"]
