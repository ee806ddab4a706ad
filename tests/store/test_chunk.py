"""Layer 1: every change of ours is read back byte for byte, every other spelling is refused by name."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from automerge.core import ROOT, Message, ObjType, ScalarType, SyncState
from automerge.core import Document as Automerge
from hypothesis import given
from hypothesis import strategies as st

from store.changes import (
    CHANGE_BYTES_MAX,
    KEY_BYTES_MAX,
    MAPS,
    OPS_MAX,
    VALUE_BYTES_MAX,
    Key,
    canonical,
    label_key,
    record_key,
    register_key,
)
from store.chunk import (
    CHUNK_BYTES_MAX,
    COUNTER_MAX,
    DEPS_MAX,
    GENESIS_ACTOR,
    _Reader,
    _sleb,
    encode_change,
    parse_change,
)
from store.chunk import uleb as our_uleb
from store.document import Document, genesis
from store.errors import Malformed
from store.ids import digest, ulid
from tests.chunks import ACTOR, Chunk, body_of, columns, deflated, run, sealed, sleb, uleb
from tests.store.effort import COSTLY, QUICK, SWEEP
from tests.store.keysets import keysets

NAME = "facts/2024-05.1~1"
DEP = bytes([1] * 32)
ID = ulid(1716775200000, bytes(10))
ONE = record_key(ID, {"text": "记住 hello"})
TWO = label_key("D-2024-05-27-01", ONE)
GOOD = columns(ONE, TWO)


def entry(number: int, text: str = "entry") -> Key:
    return record_key(ulid(1716775200000 + number, bytes(10)), {"n": number, "text": text})


def refusal(chunk: bytes) -> str:
    with pytest.raises(Malformed) as raised:
        parse_change(chunk)
    return raised.value.code


def chunk(**parts: object) -> bytes:
    return Chunk(**{"columns": GOOD, **parts}).build()  # type: ignore[arg-type]


def with_column(name: int, data: bytes) -> bytes:
    return chunk(columns={column: body for column, body in sorted({**GOOD, name: data}.items()) if body})


# what is accepted


def test_a_chunk_built_by_hand_is_read() -> None:
    change = parse_change(chunk())
    assert change.keys == (ONE, TWO)
    assert (change.deps, change.actor, change.seq, change.start_op, change.last_op) == ((DEP,), ACTOR, 1, 6, 7)
    assert change.data == chunk() == encode_change([DEP], ACTOR, 1, 6, [ONE, TWO])


def commits(*batches: list[Key]) -> list[bytes]:
    """Raw chunks; the engine's own deflated form of each is read on the way."""
    document = Document(NAME, ACTOR)
    out = [document.commit(batch).data for batch in batches]
    for change in document._inner.get_changes([])[1:]:
        assert parse_change(bytes(change.bytes)).data == bytes(change.raw_bytes)
    return out


def both_spellings(data: bytes) -> None:
    change = parse_change(data)
    assert change.data == data
    assert parse_change(deflated(data)) == change
    assert encode_change(change.deps, change.actor, change.seq, change.start_op, change.keys) == data


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
FIELD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1, max_size=8)


@st.composite
def any_keys(draw: st.DrawFn) -> list[Key]:
    """Keys and values with letters of every plane, equal neighbours, short and long, in any order."""
    made: list[Key] = []
    for _ in range(draw(st.integers(1, 12))):
        record = ulid(draw(st.integers(0, 3)), bytes(10))
        value = {"t": draw(TEXT) * draw(st.sampled_from([1, 1, 1, 40]))}
        main = record_key(record, value)
        name = draw(TEXT.map(lambda text: text.replace("/", "")).filter(bool))[:20]
        made.append(
            draw(
                st.sampled_from(
                    [
                        main,
                        label_key(name, main),
                        register_key(record, draw(FIELD), value["t"], stamp=STAMP, by="我", at_ms=1, over=()),
                        Key("v", main.key, main.value),
                    ]
                )
            )
        )
    return list(dict.fromkeys(made))


STAMP = "001716775200000-0001020304050607"


@COSTLY
@given(any_keys())
def test_what_the_engine_writes_is_read_and_written_again_byte_for_byte(items: list[Key]) -> None:
    (data,) = commits(items)
    both_spellings(data)
    assert list(parse_change(data).keys) == items


@COSTLY
@given(any_keys(), st.lists(st.binary(min_size=32, max_size=32), unique=True, min_size=1, max_size=4), st.data())
def test_parse_undoes_encode(items: list[Key], deps: list[bytes], data: st.DataObject) -> None:
    actor = data.draw(st.binary(min_size=16, max_size=16).filter(any))
    seq, start_op = (data.draw(st.integers(1, COUNTER_MAX - 1)) for _ in range(2))
    written = encode_change(sorted(deps), actor, seq, start_op, items)
    change = parse_change(written)
    assert (change.deps, change.actor, change.seq, change.start_op) == (tuple(sorted(deps)), actor, seq, start_op)
    assert list(change.keys) == items


@COSTLY
@given(st.lists(keysets(), min_size=1, max_size=3), st.data())
def test_every_change_of_three_devices_that_merge_is_read(sets: list[list[Key]], data: st.DataObject) -> None:
    log: list = []
    for number, items in enumerate(sets):
        document = Document(NAME, bytes([number + 1] * 16), data.draw(st.permutations(log)))
        there = set(document.keys())
        while items:
            size = data.draw(st.integers(1, len(items)))
            batch = [item for item in items[:size] if item not in there]
            items = items[size:]
            if batch:
                log.append(document.commit(batch))
    for change in log:
        both_spellings(change.data)
        assert parse_change(change.data).hash == change.hash


@pytest.mark.slow
@SWEEP
@given(any_keys())
def test_what_the_engine_writes_is_read_in_a_long_sweep(items: list[Key]) -> None:
    (data,) = commits(items)
    both_spellings(data)


def test_many_keys_and_long_values_are_read() -> None:
    longest = VALUE_BYTES_MAX - len(canonical({"n": 0, "text": ""}))
    room = CHANGE_BYTES_MAX - 4 * VALUE_BYTES_MAX - 4 * len(ONE.key)
    assert room < 0, "four of the longest and their keys are one too many"
    for batch in (
        [entry(number) for number in range(1500)],
        [label_key(f"D-{number}", ONE) for number in range(OPS_MAX)],
        [entry(number, "字" * (longest // 3 - 1)) for number in range(3)],
    ):
        (data,) = commits(batch)
        both_spellings(data)


def test_the_biggest_change_our_own_rules_let_through_is_read_by_others() -> None:
    """Found: 256 KB of keys and values make a chunk of more than 256 KB, which every peer refused."""
    short = {"n": 0, "text": ""}
    each = VALUE_BYTES_MAX - len(canonical(short))
    full = [entry(number, "x" * each) for number in range(3)]
    left = CHANGE_BYTES_MAX - sum(len(item.key) + len(item.value) for item in full)
    full.append(entry(3, "x" * (left - len(entry(3, "").key) - len(entry(3, "").value))))
    assert sum(len(item.key) + len(item.value) for item in full) == CHANGE_BYTES_MAX
    (data,) = commits(full)
    assert CHANGE_BYTES_MAX < len(data) < CHUNK_BYTES_MAX
    both_spellings(data)
    value = "x" * 65
    many = [Key("l", f"{number:04d}{value[:75]}/{ONE.key}"[-KEY_BYTES_MAX:], "") for number in range(OPS_MAX)]
    both_spellings(commits(many)[0])


def test_the_first_and_the_last_number_and_the_most_deps_are_read() -> None:
    deps = [number.to_bytes(32, "big") for number in range(DEPS_MAX)]
    for seq, start_op in ((1, 1), (COUNTER_MAX - 1, COUNTER_MAX - 1)):
        both_spellings(encode_change(deps, ACTOR, seq, start_op, [ONE]))


# what is refused, by name


def overlong(number: int) -> bytes:
    short = uleb(number)
    return short[:-1] + bytes([short[-1] | 128, 0])


BAD_DEFLATE = deflated(chunk(), b"\xff\xff\xff")
CUT_DEFLATE = deflated(chunk(), deflated(chunk())[10:-1])
LONG_DEFLATE = deflated(chunk(), deflated(chunk())[10:] + b"x")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (b"", "malformed-magic"),
        (b"\x85\x6f\x4a\x83" + bytes(5), "malformed-magic"),
        (b"\x85\x6f\x4a\x82" + chunk()[4:], "malformed-magic"),
        (chunk()[:-1], "malformed-checksum"),
        (chunk() + b"x", "malformed-checksum"),
        (chunk()[:4] + bytes(4) + chunk()[8:], "malformed-checksum"),
        (sealed(body_of(chunk()), kind=0), "malformed-chunk-type"),
        (sealed(body_of(chunk()), kind=3), "malformed-chunk-type"),
        (sealed(body_of(chunk()), length=uleb(len(body_of(chunk())) + 1)), "malformed-chunk-length"),
        (sealed(body_of(chunk()), length=uleb(len(body_of(chunk())) - 1)), "malformed-chunk-length"),
        (sealed(b"\xff" * 9, length=b""), "malformed-length"),
        (sealed(b"\xff", length=b""), "malformed-length"),
        (deflated(chunk()) + b"x", "malformed-chunk-length"),
        (deflated(chunk())[:-1], "malformed-chunk-length"),
        (BAD_DEFLATE, "malformed-deflate"),
        (CUT_DEFLATE, "malformed-deflate"),
        (LONG_DEFLATE, "malformed-deflate"),
        (deflated(chunk(seq=b"\2"))[:8] + deflated(chunk())[8:], "malformed-checksum"),
        (chunk(deps=[]), "malformed-deps"),
        (chunk(deps=[number.to_bytes(32, "big") for number in range(DEPS_MAX + 1)]), "malformed-deps"),
        (chunk(deps=[DEP, DEP]), "malformed-deps"),
        (chunk(deps=[DEP, bytes(32)]), "malformed-deps"),
        (sealed(b"\2" + DEP), "malformed-deps"),
        (sealed(b""), "malformed-deps"),
        (chunk(actor=bytes(15)), "malformed-actor"),
        (chunk(actor=bytes([1] * 17)), "malformed-actor"),
        (chunk(actor=GENESIS_ACTOR), "malformed-actor"),
        (sealed(b"\1" + DEP + b"\x10" + ACTOR[:4]), "malformed-actor"),
        (sealed(b"\1" + DEP + b"\x10" + ACTOR), "malformed-seq"),
        (sealed(b"\1" + DEP + b"\x10" + ACTOR + b"\1"), "malformed-start-op"),
        (chunk(seq=b"\xff" * 8 + b"\1"), "malformed-seq"),
        (chunk(seq=b"\0"), "malformed-counter"),
        (chunk(seq=uleb(COUNTER_MAX)), "malformed-counter"),
        (chunk(start_op=b"\0"), "malformed-counter"),
        (chunk(start_op=uleb(COUNTER_MAX)), "malformed-counter"),
        (chunk(start_op=uleb(2**32 - 2)), "malformed-counter"),
        (chunk(time_and_message=b"\1\0"), "malformed-time"),
        (chunk(time_and_message=b"\0\2hi"), "malformed-time"),
        (chunk(actors=b"\0"), "malformed-actors"),
        (chunk(actors=b"\2\x10" + GENESIS_ACTOR + b"\x10" + bytes([9] * 16)), "malformed-actors"),
        (chunk(actors=b"\1\x10" + bytes([9] * 16)), "malformed-actors"),
        (chunk(column_count=b"\x09"), "malformed-columns"),
        (chunk(columns=[*reversed(GOOD.items())]), "malformed-columns"),
        (chunk(columns=[(0x01, GOOD[0x01]), *GOOD.items()][:8]), "malformed-columns"),
        (chunk(columns={**{k: v for k, v in GOOD.items() if k < 0x70}, 0x71: b"\0"}), "malformed-columns"),
        (chunk(columns=[*list(GOOD.items())[:7], (0x70 | 8, b"\2\0")]), "malformed-columns"),
        (chunk()[:9], "malformed-magic"),
        (chunk(behind=b"x"), "malformed-extra-bytes"),
        (sealed(body_of(chunk())[:-1]), "malformed-columns"),
        (with_column(0x15, run(-1, uleb(KEY_BYTES_MAX + 1) + b"k" * (KEY_BYTES_MAX + 1))), "malformed-key-length"),
        (with_column(0x15, run(-1, b"\5abc")), "malformed-key"),
        (with_column(0x15, run(-1, b"\1k")), "malformed-op-count"),
        (with_column(0x15, run(-2, b"\2\xc3\x28", b"\1a")), "malformed-utf8"),
        (with_column(0x15, run(-2, b"\0", b"\1a")), "malformed-key"),
        (with_column(0x15, b""), "malformed-op-count"),
        (chunk(columns=[]), "malformed-op-count"),
        (with_column(0x15, b"\x80\x80\x80\x80\x80\x80\x80\x80\x01"), "malformed-run"),
        (with_column(0x02, b"\x7f\x80"), "malformed-object"),
        (with_column(0x02, run(0, b"\2\2")), "malformed-run"),
        (with_column(0x02, run(-2, b"\1", b"\3")), "malformed-object"),
        (with_column(0x02, run(-2, b"\6", b"\3")), "malformed-object"),
        (with_column(0x02, run(3, b"\2")), "malformed-op-count"),
        (with_column(0x56, run(-1, b"\6")), "malformed-op-count"),
        (with_column(0x56, run(-2, b"\xff" * 9, b"\6")), "malformed-value"),
        (with_column(0x56, run(-2, uleb(1000 << 4 | 6), b"\6")), "malformed-value"),
        *((with_column(0x56, run(-2, uleb(len(ONE.value.encode()) << 4 | kind), b"\6")), "malformed-value-type")
          for kind in (0, 1, 2, 3, 4, 5, 7, 8, 9, 10)),
        (with_column(0x57, b"\xff" * len(ONE.value.encode())), "malformed-utf8"),
        (with_column(0x57, ONE.value.encode().replace(b"hello", b"hallo")), "malformed-digest"),
        (with_column(0x57, ONE.value.encode() + b"x"), "malformed-spelling"),
        (with_column(0x34, b""), "malformed-spelling"),
        (with_column(0x34, b"\1\1"), "malformed-spelling"),
        (with_column(0x34, b"\0\2"), "malformed-spelling"),
        (with_column(0x01, b""), "malformed-spelling"),
        (with_column(0x01, run(-2, b"\1", b"\1")), "malformed-spelling"),
        (with_column(0x01, run(2, b"\0")), "malformed-spelling"),
        (with_column(0x42, run(2, b"\0")), "malformed-spelling"),
        (with_column(0x42, run(2, b"\3")), "malformed-spelling"),
        (with_column(0x42, run(2, b"\5")), "malformed-spelling"),
        (with_column(0x70, run(2, b"\1")), "malformed-spelling"),
        (with_column(0x70, b""), "malformed-spelling"),
        (chunk(seq=b"\x81\0"), "malformed-spelling"),
        (chunk(body_length=overlong(len(body_of(chunk())))), "malformed-spelling"),
        (chunk(columns=columns(ONE, TWO, ONE)), "malformed-repeated-key"),
        (chunk(columns=columns(Key("e", ONE.key, "{}"), TWO)), "malformed-digest"),
        (chunk(columns=columns(Key("l", TWO.key, "x"), ONE)), "malformed-label"),
    ],
)  # fmt: skip
def test_a_wrong_chunk_is_refused_by_name(wrong: bytes, code: str) -> None:
    assert refusal(wrong) == code


def test_a_chunk_ends_at_its_bound() -> None:
    assert refusal(b"\x85\x6f\x4a\x83" + bytes(CHUNK_BYTES_MAX - 4)) == "malformed-chunk-type"
    assert refusal(b"\x85\x6f\x4a\x83" + bytes(CHUNK_BYTES_MAX - 3)) == "malformed-change-length"


def test_operations_end_at_their_bound() -> None:
    labels = [label_key(f"D-{number}", ONE) for number in range(OPS_MAX + 1)]
    assert len(parse_change(encode_change([DEP], ACTOR, 1, 6, labels[:-1])).keys) == OPS_MAX
    assert refusal(encode_change([DEP], ACTOR, 1, 6, labels)) == "malformed-run"


def engine_with_genesis() -> tuple[Automerge, dict[str, bytes]]:
    engine = Automerge(actor_id=ACTOR)
    first = genesis(NAME)
    message = b"\x42" + bytes(3) + b"\1" + uleb(len(first.data)) + first.data
    engine.receive_sync_message(SyncState(), Message.decode(message))
    return engine, {name: engine.get(ROOT, name)[1] for name in MAPS}  # type: ignore[index, misc]


def foreign(*writes: Callable[..., None]) -> bytes:
    """The last of the changes the engine itself writes when somebody does what we never do."""
    engine, maps = engine_with_genesis()
    for write in writes:
        before = engine.get_heads()
        with engine.transaction() as transaction:
            write(transaction, maps)
    (change,) = engine.get_changes(before)
    return bytes(change.raw_bytes)


def put(text: str) -> Callable[..., None]:
    return lambda transaction, maps: transaction.put(maps["e"], ONE.key, ScalarType.Str, text)


def test_an_overwrite_and_a_deletion_are_refused() -> None:
    """Measured with plain keys: "pay 100" became "pay 900" for everyone."""
    assert refusal(foreign(put(ONE.value), put("other"))) == "malformed-columns"
    assert refusal(foreign(put("other"), put(ONE.value))) == "malformed-columns"
    delete = refusal(foreign(put(ONE.value), lambda transaction, maps: transaction.delete(maps["e"], ONE.key)))
    assert delete == "malformed-columns"


def test_only_strings_under_keys_of_the_four_maps_are_taken() -> None:
    def values(kind: ScalarType, value: object) -> Callable[..., None]:
        return lambda transaction, maps: transaction.put(maps["e"], ONE.key, kind, value)

    for kind, value in (
        (ScalarType.Int, 1), (ScalarType.Uint, 1), (ScalarType.Boolean, True), (ScalarType.F64, 1.5),
        (ScalarType.Bytes, b"x"), (ScalarType.Null, None),
    ):  # fmt: skip
        assert refusal(foreign(values(kind, value))) == "malformed-value-type"
    nested = refusal(foreign(lambda transaction, maps: transaction.put_object(maps["e"], ONE.key, ObjType.Map)))
    assert nested == "malformed-value-type"
    root = refusal(foreign(lambda transaction, _: transaction.put(ROOT, "doc", ScalarType.Str, "other~1")))
    assert root == "malformed-columns"
    fifth = refusal(foreign(lambda transaction, _: transaction.put_object(ROOT, "x", ObjType.Map)))
    assert fifth == "malformed-actors"

    def inside(transaction: object, maps: dict[str, bytes]) -> None:
        made = transaction.put_object(maps["e"], ONE.key, ObjType.List)  # type: ignore[attr-defined]
        transaction.insert(made, 0, ScalarType.Str, "x")  # type: ignore[attr-defined]

    assert refusal(foreign(inside)) in {"malformed-columns", "malformed-object"}


def test_genesis_is_no_change_of_anyone() -> None:
    assert refusal(genesis(NAME).data) == "malformed-deps"


# bombs


def peak_bytes(chunk: bytes) -> int:
    """The most memory that refusing `chunk` took."""
    tracemalloc.start()
    try:
        with pytest.raises(Malformed):
            parse_change(chunk)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_run_length_bomb_costs_nothing() -> None:
    """Measured in the engine: 30,000 operations claimed by 64 bytes took 9.5 s, 3,000,000 had no end."""
    for count in (OPS_MAX + 1, 30_000, 3_000_000, 2**50):
        for column in (0x02, 0x15, 0x56):
            bomb = with_column(column, sleb(count) + (b"\1k" if column == 0x15 else b"\2"))
            assert refusal(bomb) == "malformed-run"
            assert peak_bytes(bomb) < 100_000


def test_a_long_key_that_is_repeated_costs_nothing() -> None:
    """Found: 300 bytes on the wire, one key of 250 KB two thousand times, 500 MB."""
    text = b"k" * 250_000
    bomb = with_column(0x15, run(OPS_MAX, uleb(len(text)) + text))
    assert len(deflated(bomb)) < 1000
    assert refusal(deflated(bomb)) == "malformed-key-length"
    assert peak_bytes(deflated(bomb)) < 6 * CHUNK_BYTES_MAX


def test_an_inflate_bomb_costs_no_more_than_its_bound() -> None:
    """522 KB that inflate to 512 MB cost the engine 7.3 s and 2 GB."""
    bomb = deflated(sealed(bytes(10_000_000)))
    assert len(bomb) < 100_000
    assert refusal(bomb) == "malformed-deflate"
    assert peak_bytes(bomb) < 3 * CHUNK_BYTES_MAX


# numbers


@pytest.mark.parametrize("number", [0, 1, 63, 64, 127, 128, 300, 2**20, 2**48])
def test_numbers_are_read_as_they_are_written(number: int) -> None:
    assert our_uleb(number) == uleb(number)
    assert _sleb(number) == sleb(number)
    assert _sleb(-number) == sleb(-number)
    assert _Reader(our_uleb(number), 0).uleb("x") == number
    assert _Reader(_sleb(number), 0).sleb("x") == number
    assert _Reader(_sleb(-number), 0).sleb("x") == -number


@QUICK
@given(st.binary(max_size=300))
def test_any_bytes_are_refused_by_name_and_nothing_else(data: bytes) -> None:
    for wrong in (data, sealed(data), sealed(body_of(chunk())[:40] + data)):
        assert refusal(wrong).startswith("malformed-")


def test_the_digest_decides_what_a_value_may_be() -> None:
    """Whoever changes a value must change the key; whoever changes the key makes another record."""
    text = canonical({"text": "pay 900"})
    assert refusal(chunk(columns=columns(Key("e", f"{ID}.{digest('{}')}", text), TWO))) == "malformed-digest"
