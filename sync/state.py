"""What sync keeps of one scope in the scope's own database, as opaque rows; encoded and decoded here. Pure.

    roster/<height>     one roster entry, pinned
    chain/<device>      what we hold of an author
    cursor/<device>     how far its stream was read
    seen/<device>       what that device last said, and when we heard it
    ahead/<device>      number of the envelope in which it named a roster entry that we do not have, and that head
    baseline/<seq>      a part of a baseline that is not complete yet
    brake               how many records a complete baseline would erase that are still shown here, and of how many
    allowed             the generation whose baseline a person let in all the same
    own                 our own chain: number, hash, position in the log that is sealed, the first number that stands
    ~out/<seq>          the log's position it reaches, and an envelope of ours: committed before it is published,
                        published again as these very bytes
    held                the last of them that was read back from the transport without a gap; and `own-cursor`
    replace             our stream must be replaced by the envelopes that stand: the earlier ones were withdrawn
    forked              authors whose chain split
    lost                what this device said under other keys has still to be set again
    founded             when this device last founded the scope anew

Secrets are not here: they stand in the key store, apart from what a backup holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import cbor2

from sync.envelope import Payload, Seen, decode_payload
from sync.session import Chain

Rows = Mapping[str, bytes]
NewRows = dict[str, bytes | None]


@dataclass(frozen=True, slots=True)
class Own:
    seq: int = 0
    hash: bytes = bytes(32)
    sealed_pos: int = 0
    """Changes of the log up to here are in an envelope."""
    first: int = 1
    """The first number that stands: erasing withdrew those before it."""


@dataclass(frozen=True, slots=True)
class PeerSays:
    """The newest word of a device: what it holds of each author, its clock, its generation."""

    seen: Mapping[bytes, Seen]
    clock_ms: int
    seq: int
    generation: int
    heard_ms: int
    """By our own clock."""


ROSTER = "roster/"
OWN = "own"
HELD = "held"
OWN_CURSOR = "own-cursor"
REPLACE = "replace"
FORKED = "forked"
LOST = "lost"
BRAKE = "brake"
ALLOWED = "allowed"
FOUNDED = "founded"
OUT = "~out/"
_BASELINE = "baseline/"
_AHEAD = "ahead/"


def roster_key(height: int) -> str:
    return f"{ROSTER}{height:08d}"


def chain_key(device: bytes) -> str:
    return f"chain/{device.hex()}"


def cursor_key(device: bytes) -> str:
    return f"cursor/{device.hex()}"


def seen_key(device: bytes) -> str:
    return f"seen/{device.hex()}"


def ahead_key(device: bytes) -> str:
    return f"{_AHEAD}{device.hex()}"


def baseline_key(seq: int) -> str:
    return f"{_BASELINE}{seq:015d}"


def out_key(seq: int) -> str:
    return f"{OUT}{seq:015d}"


def roster_entries(rows: Rows) -> list[bytes]:
    return [rows[name] for name in sorted(rows) if name.startswith(ROSTER)]


def encode_out(envelope: bytes, pos: int) -> bytes:
    return pos.to_bytes(8, "big") + envelope


def envelope_of(out: bytes) -> bytes:
    return out[8:]


def position_of(out: bytes | None) -> int:
    """How far our log had been sealed with an envelope; 0 for one that was withdrawn."""
    return int.from_bytes(out[:8], "big") if out is not None else 0


def outgoing(rows: Rows) -> list[tuple[int, bytes]]:
    """Our envelopes among `rows`, in order."""
    return [(int(name[len(OUT) :]), envelope_of(rows[name])) for name in sorted(rows) if name.startswith(OUT)]


def withdrawn(rows: Rows) -> NewRows:
    """Every envelope of ours among `rows`, taken out; our stream is to be replaced by what comes after them."""
    new: NewRows = {name: None for name in rows if name.startswith(OUT)}
    return new | {REPLACE: b"1", HELD: None, OWN_CURSOR: None}


def baseline(rows: Rows) -> dict[int, Payload]:
    """The parts of a baseline that are here, by their numbers."""
    return {
        int(name[len(_BASELINE) :]): decode_payload(rows[name]) for name in sorted(rows) if name.startswith(_BASELINE)
    }


def baseline_done(rows: Rows) -> NewRows:
    return {name: None for name in rows if name.startswith(_BASELINE) or name in (BRAKE, ALLOWED)}


def encode_ahead(seq: int, head: bytes) -> bytes:
    return seq.to_bytes(8, "big") + head


def ahead(rows: Rows) -> dict[bytes, tuple[int, bytes]]:
    return {
        bytes.fromhex(name[len(_AHEAD) :]): (int.from_bytes(value[:8], "big"), value[8:])
        for name, value in rows.items()
        if name.startswith(_AHEAD)
    }


def chains(rows: Rows) -> dict[bytes, Chain]:
    return {bytes.fromhex(name[6:]): decode_chain(value) for name, value in rows.items() if name.startswith("chain/")}


def peers(rows: Rows) -> dict[bytes, PeerSays]:
    return {bytes.fromhex(name[5:]): _decode_peer(value) for name, value in rows.items() if name.startswith("seen/")}


def encode_chain(chain: Chain) -> bytes:
    return cbor2.dumps(
        [chain.seq, chain.hash, {seq: list(links) for seq, links in chain.beyond.items()}], canonical=True
    )


def decode_chain(data: bytes) -> Chain:
    seq, head, beyond = cbor2.loads(data)
    return Chain(seq, head, {number: (previous, digest) for number, (previous, digest) in beyond.items()})


def encode_own(own: Own) -> bytes:
    return cbor2.dumps([own.seq, own.hash, own.sealed_pos, own.first])


def decode_own(rows: Rows) -> Own:
    return Own(*cbor2.loads(rows[OWN])) if OWN in rows else Own()


def encode_peer(says: PeerSays) -> bytes:
    seen = {device: [one.seq, one.hash, [list(pair) for pair in one.beyond]] for device, one in says.seen.items()}
    return cbor2.dumps([seen, says.clock_ms, says.seq, says.generation, says.heard_ms], canonical=True)


def _decode_peer(data: bytes) -> PeerSays:
    seen, *numbers = cbor2.loads(data)
    read = {device: Seen(n, head, tuple((a, b) for a, b in pairs)) for device, (n, head, pairs) in seen.items()}
    return PeerSays(read, *numbers)


def renewed(rows: Rows, was: bytes) -> NewRows:
    """What becomes of the rows of a device that goes on under new keys: it was told all that it knows, and said nothing.

    `was`: the device so far, whose stream it holds as far as it wrote it.
    """
    gone = (OWN, HELD, OWN_CURSOR, REPLACE, FOUNDED)
    new: NewRows = {name: None for name in rows if name in gone or name.startswith(OUT)}
    own = decode_own(rows)
    if own.seq:
        new[chain_key(was)] = encode_chain(Chain(own.seq, own.hash))
    return new | ({LOST: b"1"} if rows else {})


def encode_number(number: int) -> bytes:
    return str(number).encode()


def number(rows: Rows, name: str) -> int:
    """0 where nothing is kept."""
    return int(rows[name]) if name in rows else 0


def encode_brake(erased: int, shown: int) -> bytes:
    return cbor2.dumps([erased, shown])


def brake(rows: Rows) -> tuple[int, int] | None:
    if BRAKE not in rows:
        return None
    erased, shown = cbor2.loads(rows[BRAKE])
    return erased, shown


def encode_forked(devices: Iterable[bytes]) -> bytes:
    return cbor2.dumps(sorted(devices))


def forked(rows: Rows) -> frozenset[bytes]:
    return frozenset(cbor2.loads(rows[FORKED])) if FORKED in rows else frozenset()
