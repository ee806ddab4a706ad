"""Layer 2: no change that passes both layers makes the engine panic or spoils what it saves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest
from automerge.core import Document as Automerge
from hypothesis import given
from hypothesis import strategies as st

from store import document as door
from store.admission import GENESIS_LAST_OP, Admission
from store.changes import Key, record_key
from store.chunk import COUNTER_MAX, ParsedChange, encode_change, parse_change
from store.document import Change, Document, change_hash, genesis
from store.errors import Malformed
from store.ids import ulid
from tests.chunks import body_of, deflated, sealed
from tests.store.effort import COSTLY
from tests.store.engine_child import fate, fates_apart

NAME = "facts/2024-05.1~1"
GENESIS = genesis(NAME)
A, B, C = (bytes([number] * 16) for number in (1, 2, 3))


def entry(number: int) -> Key:
    return record_key(ulid(1716775200000 + number, bytes(10)), {"text": f"entry {number}"})


def change(deps: Sequence[ParsedChange | Change], actor: bytes, seq: int, start_op: int, *numbers: int) -> ParsedChange:
    keys = [entry(number) for number in numbers or (seq * 1000 + start_op,)]
    return parse_change(encode_change(sorted(dep.hash for dep in deps), actor, seq, start_op, keys))


FIRST = change([GENESIS], A, 1, 6, 1, 2, 3)
"""Operations 6 to 8."""


def begun(*admitted: ParsedChange) -> Admission:
    admission = Admission(GENESIS.hash)
    for one in admitted:
        assert admission.admit(one)
    return admission


def survives(log: Sequence[ParsedChange], foreign: Sequence[ParsedChange]) -> str:
    """In this process: only for what must do no harm."""
    return fate(NAME, [one.data for one in log], [one.data for one in foreign])


def hurts(*foreign: ParsedChange, log: Sequence[ParsedChange] = (FIRST,)) -> bool:
    (what,) = fates_apart(NAME, [([one.data for one in log], [one.data for one in foreign])])
    return what != ""


# honest changes


def devices(moves: Sequence[tuple[int, int, bool]]) -> list[ParsedChange]:
    """What three devices write: each move is (device, how many keys, first merge with all)."""
    logs: list[list[Change]] = [[], [], []]
    documents = [Document(NAME, actor) for actor in (A, B, C)]
    out: list[Change] = []
    for number, (device, count, merge) in enumerate(moves):
        if merge:
            missing = [one for one in out if one not in logs[device]]
            if missing:
                door._apply(documents[device]._inner, [one.data for one in missing])
            logs[device] = list(out)
        made = documents[device].commit([entry(number * 100 + step) for step in range(count)])
        logs[device].append(made)
        out.append(made)
    return [parse_change(one.data) for one in out]


MOVES = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.booleans()), min_size=1, max_size=14)


@COSTLY
@given(MOVES, st.data())
def test_honest_changes_are_admitted_in_any_order(moves: list[tuple[int, int, bool]], data: st.DataObject) -> None:
    """What came too early is offered again when something was admitted; in the end nothing is left out."""
    waiting = data.draw(st.permutations(devices(moves)))
    admission, admitted = Admission(GENESIS.hash), []
    while waiting:
        taken = [one for one in waiting if admission.admit(one)]
        assert taken, "a false refusal"
        admitted += taken
        waiting = [one for one in waiting if one not in taken]
    assert survives([], admitted) == ""


def test_a_change_is_admitted_once() -> None:
    assert not begun(FIRST).admit(FIRST)


def test_a_change_waits_for_its_deps() -> None:
    second, third = change([FIRST], B, 1, 9), change([FIRST, change([FIRST], B, 1, 9)], C, 1, 10)
    admission = begun(FIRST)
    assert not admission.admit(third)
    assert admission.admit(second)
    assert admission.admit(third)


def test_an_actor_may_go_on_after_hearing_much_from_others() -> None:
    others = [FIRST]
    for number in range(5):
        others.append(change([others[-1]], B, number + 1, others[-1].last_op + 1, number + 50))
    again = change([others[-1]], A, 2, others[-1].last_op + 1)
    assert begun(*others).admit(again)


def test_genesis_ends_where_the_maps_are_made() -> None:
    document = Automerge(actor_id=A)
    door._apply(document, [GENESIS.data])
    (first,) = document.get_changes([])
    assert int(first.max_op) == GENESIS_LAST_OP


# attacks, each measured first


@pytest.mark.parametrize("start_op", [5, 6, 8, 10, 2000, COUNTER_MAX - 1])
def test_a_first_operation_that_does_not_follow_the_deps_is_left_out(start_op: int) -> None:
    assert not begun(FIRST).admit(change([FIRST], B, 1, start_op))
    assert begun(FIRST).admit(change([FIRST], B, 1, 9))


def test_the_first_operation_that_bricks_a_document_for_everyone_is_no_change_at_all() -> None:
    """After it, at most two writes later, every write to the document panicked on every peer."""
    brick = encode_change([FIRST.hash], B, 1, 2**32 - 2, [entry(1)])
    with pytest.raises(Malformed, match="malformed-counter"):
        parse_change(brick)
    bad = ParsedChange(change_hash(brick), brick, (FIRST.hash,), B, 1, 2**32 - 2, (entry(1),))
    assert hurts(bad)
    assert not begun(FIRST).admit(bad)


def test_a_change_without_deps_is_left_out() -> None:
    with pytest.raises(Malformed, match="malformed-deps"):
        parse_change(encode_change([], B, 1, 6, [entry(1)]))
    rootless = ParsedChange(bytes(32), b"", (), B, 1, 1, (entry(1),))
    assert not begun().admit(rootless)


def test_a_second_change_in_an_actor_s_place_is_left_out() -> None:
    """The engine raises on it, and the rest of that batch is lost."""
    double = change([FIRST], A, 1, 9)
    assert hurts(double)
    assert not begun(FIRST).admit(double)


def test_a_gap_in_an_actor_s_numbers_is_left_out() -> None:
    """The engine panics on it."""
    ahead = change([FIRST], B, 5, 9)
    assert hurts(ahead)
    assert not begun(FIRST).admit(ahead)


def test_an_actor_that_forgets_its_own_last_change_is_left_out() -> None:
    """Deps, first operation and number are right, yet one operation number is given twice: found by this suite.

    The engine applies it and can never load what it saves.
    """
    fork = change([GENESIS], A, 2, 6, 70)
    assert hurts(fork)
    assert not begun(FIRST).admit(fork)
    aside = change([GENESIS], B, 1, 6, 71)
    longer = change([aside], B, 2, 7, 72)
    skips = change([longer], A, 2, 8, 73)
    assert not begun(FIRST, aside, longer).admit(skips)
    assert begun(FIRST, aside, longer).admit(change([longer, FIRST], A, 2, 9, 73))


def test_a_change_of_another_generation_is_left_out() -> None:
    """Rooted in a genesis that all generations shared, it brought a forgotten text back."""
    older = genesis("facts/2024-05.1~0")
    resurrected = change([older], B, 1, 6)
    assert not begun(FIRST).admit(resurrected)
    assert survives([FIRST], [resurrected]) == "dropped without a word"


# mutants

BASE = devices(
    [(0, 2, False), (0, 1, False), (1, 3, False), (2, 1, True), (1, 1, True), (0, 2, False), (2, 2, True), (0, 1, True)]
)


def byte_mutant(chance: random.Random) -> bytes:
    """A real chunk with one to three wounds and a checksum that is right again."""
    body = bytearray(body_of(chance.choice(BASE).data))
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(body))
        match chance.randrange(5):
            case 0:
                body[at] ^= 1 << chance.randrange(8)
            case 1:
                body[at] = chance.choice([0, 1, 2, 5, 6, 7, 0x7E, 0x7F, 0x80, 0xFF])
            case 2:
                del body[at : at + chance.randint(1, 4)]
            case 3:
                body[at:at] = chance.randbytes(chance.randint(1, 4))
            case _:
                other = body_of(chance.choice(BASE).data)
                start = chance.randrange(len(other))
                body[at : at + 8] = other[start : start + 8]
        body = body or bytearray(b"\0")
    whole = sealed(bytes(body))
    return deflated(whole) if chance.random() < 0.1 else whole


def forged(chance: random.Random, known: Sequence[ParsedChange]) -> bytes:
    """A change in the one spelling, whose numbers are right or nearly right: what an insider would send."""
    pool: list[ParsedChange | Change] = [*known, GENESIS]
    deps = chance.sample(pool, min(len(pool), chance.choice([1, 1, 1, 2, 2, 3])))
    last = max(dep.last_op if isinstance(dep, ParsedChange) else GENESIS_LAST_OP for dep in deps)
    actor = chance.choice([A, B, C, bytes([4] * 16), bytes([5] * 16)])
    seq = 1 + max((one.seq for one in known if one.actor == actor), default=0)
    if chance.random() < 0.2:
        seq = max(1, seq + chance.choice([-2, -1, 1, 2, 1000]))
    start_op = last + 1
    if chance.random() < 0.2:
        start_op = max(1, start_op + chance.choice([-3, -2, -1, 1, 2, 2**20, COUNTER_MAX - last - 2]))
    keys = [entry(chance.randrange(50)) for _ in range(chance.randint(1, 4))]
    return encode_change(sorted({dep.hash for dep in deps}), actor, seq, start_op, keys)


def story(seed: int, length: int, met: Counter[str]) -> list[ParsedChange]:
    """The admitted ones of `length` mutants."""
    chance = random.Random(seed)
    admission, known, admitted = begun(*BASE), list(BASE), []
    for _ in range(length):
        raw = forged(chance, known) if chance.random() < 0.5 else byte_mutant(chance)
        try:
            one = parse_change(raw)
        except Malformed as error:
            met[error.code] += 1
            continue
        if admission.admit(one):
            met["admitted"] += 1
            known.append(one)
            admitted.append(one)
        else:
            met["left out"] += 1
    return admitted


def sweep(mutants: int) -> Counter[str]:
    met: Counter[str] = Counter()
    for seed in range(mutants // 20):
        admitted = story(seed, 20, met)
        assert survives(BASE, admitted) == "", f"seed {seed}"
    assert sum(met.values()) == mutants
    return met


def test_no_mutant_that_passes_hurts_the_engine() -> None:
    met = sweep(3_000)
    assert met["admitted"] > 300
    assert met["left out"] > 100
    assert len(met) > 15, "the mutants reach most checks"


@pytest.mark.slow
def test_no_mutant_of_a_hundred_thousand_that_passes_hurts_the_engine() -> None:
    sweep(100_000)


def unchecked(seeds: range) -> Iterator[ParsedChange]:
    for seed in seeds:
        with suppress(Malformed):
            yield parse_change(forged(random.Random(seed), BASE))


def test_the_same_forgeries_do_hurt_without_layer_two() -> None:
    """Otherwise the sweep above would prove nothing."""
    log = [one.data for one in BASE]
    fates = fates_apart(NAME, [(log, [one.data]) for one in unchecked(range(150))])
    assert sum(what != "" for what in fates) > 10
    assert any("Panic" in what for what in fates)
