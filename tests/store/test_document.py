"""Automerge's only door: a constant beginning, checked commits, and a log that is checked when it is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from automerge.core import Document as Automerge
from automerge.core import Message, SyncState
from hypothesis import given

from store import document as door
from store.changes import MAPS, Key, label_key, record_key
from store.chunk import uleb
from store.document import Change, Document, change_hash, genesis
from store.errors import DocumentCorrupt, Malformed
from store.ids import ulid
from tests.store.effort import COSTLY
from tests.store.keysets import keysets

NAME = "facts/2024-05.1~1"
ACTOR = bytes(range(16))
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "genesis.json").read_text(encoding="utf-8"))
HELLO = record_key(ulid(1716775200000, bytes(10)), {"text": "记住 hello"})


def entry(number: int) -> Key:
    return record_key(ulid(1716775200000 + number, bytes(10)), {"text": f"entry {number}"})


def test_no_bytes_are_ever_loaded_as_a_document() -> None:
    """A file is trusted whole by the engine: changes come in one by one, each judged. This is the only door to it."""
    source = Path(door.__file__).read_text("utf-8")
    for way_in in (".load(", "load_incremental", "apply_changes", "from_bytes"):
        assert way_in not in source, way_in


@pytest.mark.parametrize("vector", VECTORS["genesis"], ids=lambda vector: vector["name"])
def test_every_device_founds_a_document_with_the_same_bytes(vector: dict[str, str]) -> None:
    made = genesis(vector["name"])
    assert made.data.hex() == vector["bytes"]
    assert made.hash.hex() == vector["hash"]
    assert change_hash(made.data) == made.hash


def test_the_genesis_that_was_agreed_on_is_the_one_we_make() -> None:
    assert genesis(NAME).hash.hex() == "c058ac956919b94d3b7a06b523deb9d7a0d0fbda90c943264427362cb6b61cac"


def test_a_change_carries_its_own_hash() -> None:
    change = Document(NAME, ACTOR).commit([HELLO])
    assert change_hash(change.data) == change.hash
    assert hashlib.sha256(change.data).digest() != change.hash


def test_the_crafted_sync_message_is_the_one_that_is_pinned() -> None:
    """0x42, no heads, no need, no have, then the changes, each with its length: what `apply_changes` would take."""
    vector = VECTORS["sync_message"]
    changes = [bytes.fromhex(one) for one in vector["changes"]]
    seen: list[bytes] = []

    class Ear:
        def receive_sync_message(self, state: SyncState, message: Message) -> None:
            seen.append(bytes(message.encode()))

    door._apply(Ear(), changes)  # type: ignore[arg-type]
    assert [one.hex() for one in seen] == [vector["bytes"]]
    plain = Automerge(actor_id=ACTOR)
    plain.receive_sync_message(SyncState(), Message.decode(bytes.fromhex(vector["bytes"])))
    assert [bytes(head).hex() for head in plain.get_heads()] == vector["heads"]


@pytest.mark.parametrize(
    ("number", "bytes_"), [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (65536, "808004")]
)
def test_lengths_are_unsigned_leb128(number: int, bytes_: str) -> None:
    assert uleb(number).hex() == bytes_


def test_what_was_committed_is_there() -> None:
    document = Document(NAME, ACTOR)
    keys = [HELLO, label_key("D-2024-05-27-01", HELLO)]
    document.commit(keys)
    assert sorted(document.keys()) == sorted(keys)


@COSTLY
@given(keysets())
def test_a_document_read_from_its_log_is_the_same(items: list[Key]) -> None:
    document = Document(NAME, ACTOR)
    log = [document.commit(items[at : at + 3]) for at in range(0, len(items), 3)]
    again = Document(NAME, bytes(reversed(ACTOR)), log)
    assert sorted(again.keys()) == sorted(document.keys()) == sorted(items)
    backwards = Document(NAME, ACTOR, list(reversed(log)))
    assert sorted(backwards.keys()) == sorted(items)


def test_a_document_goes_on_under_another_actor() -> None:
    document = Document(NAME, ACTOR)
    log = [document.commit([entry(0)])]
    second = Document(NAME, bytes(16 * [7]), log)
    log.append(second.commit([entry(1)]))
    assert sorted(Document(NAME, ACTOR, log).keys()) == sorted([entry(0), entry(1)])


def test_a_key_that_is_there_is_refused_and_the_document_stays_usable() -> None:
    document = Document(NAME, ACTOR)
    log = [document.commit([HELLO])]
    with pytest.raises(Malformed, match="malformed-repeated-key"):
        document.commit([entry(0), HELLO])
    log.append(document.commit([entry(0)]))
    assert sorted(Document(NAME, ACTOR, log).keys()) == sorted([HELLO, entry(0)])


def test_what_no_device_would_accept_is_never_committed() -> None:
    document = Document(NAME, ACTOR)
    for wrong in ([], [HELLO, HELLO], [Key("e", HELLO.key, "{}")], [Key("x", HELLO.key, HELLO.value)]):
        with pytest.raises(Malformed):
            document.commit(wrong)
    assert list(document.keys()) == []


def a_log() -> list[Change]:
    document = Document(NAME, ACTOR)
    return [document.commit([entry(number)]) for number in range(3)]


def corrupt(changes: Sequence[Change], name: str = NAME) -> None:
    with pytest.raises(DocumentCorrupt) as raised:
        Document(name, ACTOR, changes)
    assert raised.value.facts == {"document": name}


def test_a_flipped_byte_anywhere_in_the_log_is_noticed() -> None:
    """The engine takes such a change, drops it without a word and goes on: heads are what gives it away."""
    log = a_log()
    for at in range(len(log[1].data)):
        data = bytearray(log[1].data)
        data[at] ^= 1
        corrupt([log[0], Change(log[1].hash, bytes(data)), log[2]])


def test_a_change_lost_from_the_middle_of_the_log_is_noticed() -> None:
    first, _, last = a_log()
    corrupt([first, last])
    corrupt([last])


def test_a_wrong_hash_an_empty_change_and_a_cut_one_are_noticed() -> None:
    first, second, _ = a_log()
    corrupt([Change(second.hash, first.data)])
    corrupt([Change(first.hash, b"")])
    corrupt([first, Change(second.hash, second.data[:-1])])


def test_the_log_of_another_document_is_noticed() -> None:
    corrupt(a_log(), name="facts/2024-06.1~1")
    corrupt(a_log(), name="facts/2024-05.1~2")


def test_a_stop_of_the_process_is_not_taken_for_damage() -> None:
    class Stops(Change):
        def __getattribute__(self, name: str) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Document(NAME, ACTOR, [Stops(b"", b"")])


def test_a_panic_of_the_engine_is_damage() -> None:
    """A Rust panic is no Exception; nothing but a stop of the process may pass as it is."""

    class Panic(BaseException):
        pass

    class Panics(Change):
        def __getattribute__(self, name: str) -> bytes:
            raise Panic

    corrupt([Panics(b"", b"")])


def test_a_document_without_its_maps_is_noticed() -> None:
    with pytest.raises(DocumentCorrupt):
        door._map_id(Automerge(actor_id=ACTOR), MAPS[0])


@pytest.mark.slow
def test_ten_thousand_random_documents_survive_their_log() -> None:
    """B65: save and load round trips differed on rare documents."""
    for seed in range(10_000):
        document = Document(NAME, ACTOR)
        log, items = [], []
        for step in range(1 + seed % 4):
            batch = [
                record_key(
                    ulid(seed * 100 + step * 10 + number, seed.to_bytes(10, "big")),
                    {"text": chr(0x4E00 + seed % 5000) * (seed % 37), "n": number},
                )
                for number in range(1 + (seed >> 2) % 5)
            ]
            log.append(document.commit(batch))
            items += batch
        assert sorted(Document(NAME, ACTOR, log).keys()) == sorted(items), seed
