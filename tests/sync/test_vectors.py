"""`tests/vectors/*.json`: each case does what it says, or is refused by exactly the check it names."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store.admission import Admission
from store.changes import Key, canonical, check_key
from store.chunk import encode_change, parse_change
from store.document import Change, Document, change_hash
from store.errors import Malformed, Untrusted
from store.fold import fold
from store.ids import digest
from store.shape import has_our_shape
from sync import envelope, keys, pairing, recovery, roster
from sync.envelope import Header, Kind, Payload, Seen
from sync.incoming import digest_of_baseline
from sync.keys import DeviceKeys
from sync.roster import DeviceRecord
from tests.house.files import ROOT

VECTORS = ROOT / "tests" / "vectors"
Case = dict[str, Any]
MADE = [
    "admission", "baseline", "chunk", "device", "envelope", "fold", "keys", "padding", "pairing", "payload", "recovery",
    "roster", "shape", "wrap",
]  # fmt: skip
CASES = [(name, case) for name in MADE for case in json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]]
b = bytes.fromhex


def device_id(case: Case) -> None:
    own = DeviceKeys(b(case["sign_seed"]), b(case["wrap_key"]))
    record = DeviceRecord(b(case["sign_public"]), b(case["wrap_public"]), "")
    assert own.device_id == record.device == b(case["device"])


def key_schedule(case: Case) -> None:
    at = b(case["scope"]), case["epoch"], b(case["secret"])
    assert keys.key_id(*at) == b(case["key_id"])
    assert keys.commitment(*at) == b(case["commit"])
    assert keys.sender_key(*at, b(case["device"])) == b(case["sender_key"])


def unwrap(case: Case) -> None:
    own = DeviceKeys(b(case["sign_seed"]), b(case["wrap_key"]))
    place = {"scope": b(case["scope"]), "epoch": case["epoch"], "roster_hash": b(case["roster_hash"])}
    recipient = b(case["recipient"]) if "recipient" in case else None
    assert keys.unwrap_secret(b(case["wrapped"]), own, recipient=recipient, **place) == b(case["secret"])


def padded_size(case: Case) -> None:
    assert envelope.padded_size(4 + case["length"]) == len(envelope.pad(bytes(case["length"]))) == case["size"]


def unpad(case: Case) -> None:
    assert envelope.unpad(b(case["padded"])) == b(case["payload"])
    assert envelope.pad(b(case["payload"])) == b(case["padded"])


def shown(payload: Payload) -> Case:
    return {
        "changes": [[name, [chunk.hex() for chunk in chunks]] for name, chunks in payload.changes],
        "seen": [[device.hex(), s.seq, s.hash.hex(), [list(pair) for pair in s.beyond]] for device, s in payload.seen],
        "clock_ms": payload.clock_ms,
        "skip_to": payload.skip_to,
        "generation": payload.generation,
    }


def built(given: Case) -> Payload:
    changes = tuple((name, tuple(map(b, chunks))) for name, chunks in given["changes"])
    seen = tuple((b(d), Seen(n, b(h), tuple((x, y) for x, y in pairs))) for d, n, h, pairs in given["seen"])
    return Payload(changes, seen, given["clock_ms"], given["skip_to"], given["generation"])


def payload(case: Case) -> None:
    assert shown(envelope.decode_payload(b(case["data"]))) == case["payload"]
    assert envelope.encode_payload(built(case["payload"])) == b(case["data"])


def whole_envelope(case: Case) -> None:
    data = b(case["envelope"]) if "envelope" in case else bytes(case["size"])
    header = envelope.parse_header(data)
    envelope.check_signature(data, b(case["sign_public"]))
    opened = envelope.decode_payload(envelope.open_sealed(data, b(case["sender_key"])))
    assert shown(opened) == case["payload"]
    parts = {name: b(value) if isinstance(value, str) else value for name, value in case["header"].items()}
    assert header == Header(**{**parts, "kind": Kind(parts["kind"])})
    assert envelope.envelope_hash(data) == b(case["hash"])
    again = envelope.encode_payload(opened)
    assert envelope.seal(header, again, sender_key=b(case["sender_key"]), sign_seed=b(case["sign_seed"])) == data


def chain(case: Case) -> None:
    state = roster.read_chain([b(entry) for entry in case["entries"]])
    given = case["roster"]
    assert (state.height, state.admin.hex(), state.head.hex()) == (given["height"], given["admin"], given["head"])
    members = [[d.hex(), m.record.lane, m.since, m.left_at, m.cut] for d, m in sorted(state.members.items())]
    assert members == given["members"]
    assert [[e.number, e.commit.hex(), e.height] for _, e in sorted(state.epochs.items())] == given["epochs"]
    assert state.generation == given["generation"]
    assert state.recovery_sign.hex() == given["recovery_sign"]
    assert state.baseline.hex() == given["baseline"]
    assert [[d.hex(), n, h.hex()] for d, (n, h) in sorted(state.frontier.items())] == given["frontier"]
    assert state.recovered_at == given["recovered_at"]


def choose(case: Case) -> None:
    pinned, other = ([b(entry) for entry in case[side]] for side in ("pinned", "other"))
    assert roster.choose(pinned, other).name.lower() == case["choice"]


def chunk(case: Case) -> None:
    change = parse_change(b(case["chunk"]))
    given = case["change"]
    assert change.hash == change_hash(change.data) == b(given["hash"])
    assert ([dep.hex() for dep in change.deps], change.actor.hex()) == (given["deps"], given["actor"])
    assert (change.seq, change.start_op) == (given["seq"], given["start_op"])
    assert [[key.map, key.key, key.value] for key in change.keys] == given["keys"]
    assert encode_change(change.deps, change.actor, change.seq, change.start_op, change.keys) == change.data


def admission(case: Case) -> None:
    admitting = Admission(change_hash(b(case["genesis"])))
    changes = [parse_change(b(one)) for one in case["changes"]]
    admitted = [admitting.admit(one) for one in changes]
    assert admitted == case["admitted"]
    log = [Change(one.hash, one.data) for one, taken in zip(changes, admitted, strict=True) if taken]
    Document(case["document"], bytes([9] * 16), log)


def baseline(case: Case) -> None:
    payloads = [envelope.decode_payload(b(one)) for one in case["payloads"]]
    chunks = [chunk for payload in payloads for _, found in payload.changes for chunk in found]
    assert digest_of_baseline([parse_change(one).hash for one in chunks]) == b(case["digest"])


def pair_code(case: Case) -> None:
    secret = pairing.parse_code(case["code"])
    assert secret == b(case["secret"])
    assert pairing.format_code(secret) == case["written"]
    assert pairing.meeting_place(secret) == case["place"]


def pair_note(case: Case) -> None:
    text = pairing._Seal(b(case["secret"])).open(b(case["note"]), case["number"])
    if text is None:
        raise Malformed("pairing-code")
    assert text == b(case["text"])


def pair_introduction(case: Case) -> None:
    peer = pairing._peer(b(case["text"]))
    assert (peer.sign_public, peer.wrap_public) == (b(case["peer"]["sign_public"]), b(case["peer"]["wrap_public"]))
    assert peer.name == case["peer"]["name"]


def pair_digits(case: Case) -> None:
    assert pairing._digits(b(case["commitment"]), b(case["inviter"]), b(case["joiner"])) == case["digits"]


def recovery_key(case: Case) -> None:
    secret = recovery.parse_recovery(case["text"])
    public = recovery.public_of(secret)
    assert secret == b(case["secret"])
    assert (public.sign, public.wrap) == (b(case["sign_public"]), b(case["wrap_public"]))
    assert recovery.recovery_recipient(public.wrap) == b(case["recipient"])
    assert recovery.format_recovery(secret) == case["written"]


def text_digest(case: Case) -> None:
    assert digest(case["text"]) == case["digest"]


def one_spelling(case: Case) -> None:
    assert canonical(case["value"]) == case["text"]
    assert json.loads(case["text"]) == case["value"]


def key(case: Case) -> None:
    check_key(Key(*case["key"]))


def shape(case: Case) -> None:
    key(case)
    if not has_our_shape(Key(*case["key"])):
        raise Malformed("change-shape")


def rows(case: Case) -> None:
    folded = fold(Key(*one) for one in case["keys"])
    given = case["rows"]
    assert given == {
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
    assert fold(Key(*one) for one in reversed(case["keys"] * 2)) == folded


DOES: dict[str, Callable[[Case], None]] = {
    "device-id": device_id,
    "key-schedule": key_schedule,
    "unwrap": unwrap,
    "padded-size": padded_size,
    "unpad": unpad,
    "payload": payload,
    "envelope": whole_envelope,
    "roster": chain,
    "choose": choose,
    "chunk": chunk,
    "admission": admission,
    "baseline": baseline,
    "pair-code": pair_code,
    "pair-note": pair_note,
    "pair-introduction": pair_introduction,
    "pair-digits": pair_digits,
    "recovery-key": recovery_key,
    "digest": text_digest,
    "canonical": one_spelling,
    "key": key,
    "shape": shape,
    "fold": rows,
}


@pytest.mark.parametrize(
    "case", [case for _, case in CASES], ids=[f"{file}-{case['does']}-{n}" for n, (file, case) in enumerate(CASES)]
)
def test_a_vector_does_what_it_says(case: Case) -> None:
    if case["expect"] == "ok":
        DOES[case["does"]](case)
    else:
        with pytest.raises(Untrusted) as raised:
            DOES[case["does"]](case)
        assert raised.value.code == case["expect"], case["name"]


def test_there_are_enough_of_them_and_most_are_wrong() -> None:
    wrong = [case for _, case in CASES if case["expect"] != "ok"]
    assert len(CASES) >= 100
    assert len(wrong) * 2 > len(CASES)
    files = {path.stem for path in VECTORS.glob("*.json")}
    assert files == {*MADE, "genesis", "js_changes"}


def test_every_code_that_refuses_has_a_vector() -> None:
    """Found in the sources, so that a new check without a vector is noticed."""
    covered = Counter(case["expect"] for _, case in CASES)
    missing = []
    for source in (
        "sync/envelope.py",
        "sync/roster.py",
        "sync/roster_entry.py",
        "sync/pairing.py",
        "sync/recovery.py",
        "store/chunk.py",
        "store/changes.py",
    ):
        text = (ROOT / source).read_text("utf-8")
        codes = {
            part.split('"')[1] for part in text.split("raise ")[1:] if part.split("(")[0] in FAMILIES and '"' in part
        }
        missing += [code for code in codes if "{" not in code and code not in covered]
    assert sorted(set(missing)) == NO_VECTOR


FAMILIES = {"Malformed", "Forged", "Unsupported", "Replayed", "Revoked"}
NO_VECTOR = ["malformed-change-length", "recovery-public", "roster-devices"]
"""256 KB of bytes, and 65 devices: too big for a file. Halves of a key in a key store are no wire. Tested by hand."""


@pytest.fixture(scope="module")
def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_vectors", ROOT / "tools" / "make_vectors.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_making_them_again_gives_the_same_files(maker: Any, tmp_path: Path) -> None:
    maker.write_all(tmp_path)
    for name in MADE:
        assert (tmp_path / f"{name}.json").read_bytes() == (VECTORS / f"{name}.json").read_bytes(), name


def test_a_vector_that_is_not_refused_is_never_written(maker: Any) -> None:
    def other() -> None:
        raise Malformed("other")

    for run in (other, lambda: None):
        with pytest.raises(AssertionError):
            maker.refused("x", "expected", run, does="x")


JS = json.loads((VECTORS / "js_changes.json").read_text("utf-8"))["changes"]


def test_changes_made_by_the_javascript_engine_are_read() -> None:
    logs: dict[str, list[Change]] = {}
    for one in JS:
        change = parse_change(b(one["chunk"]))
        assert [[key.map, key.key, key.value] for key in change.keys] == one["keys"]
        assert change.hash.hex() == one["hash"]
        logs.setdefault(one["document"], []).append(Change(change.hash, change.data))
    assert len(JS) >= 100
    for name, log in logs.items():
        there = {(key.map, key.key, key.value) for key in Document(name, bytes([9] * 16), log).keys()}  # noqa: SIM118
        assert there == {tuple(key) for one in JS if one["document"] == name for key in one["keys"]}


def test_changes_made_by_the_javascript_engine_are_admitted() -> None:
    genesis = {one["name"]: one for one in json.loads((VECTORS / "genesis.json").read_text("utf-8"))["genesis"]}
    admitting = {name: Admission(b(one["hash"])) for name, one in genesis.items()}
    assert all(admitting[one["document"]].admit(parse_change(b(one["chunk"]))) for one in JS)
