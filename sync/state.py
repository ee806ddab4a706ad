"""What sync keeps of one scope in the scope's own database, as opaque rows; encoded and decoded here. Pure.

    roster/<height>   one roster entry, pinned
    chain/<device>    what we hold of an author
    cursor/<device>   how far its stream was read
    seen/<device>     what that device last said it holds, and when
    own               our own chain: number, hash, position in the log that is sealed
    out/<seq>         an envelope of ours: committed before it is published, published again as these very bytes
    published         the last of them that the transport took
    forked            authors whose chain split

Secrets are not here: they stand in the key store, apart from what a backup holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import cbor2

from sync.envelope import Seen
from sync.session import Chain

Rows = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Own:
    seq: int = 0
    hash: bytes = bytes(32)
    sealed_pos: int = 0
    """Changes of the log up to here are in an envelope."""


@dataclass(frozen=True, slots=True)
class PeerSays:
    """The newest word of a device: what it holds of each author, and its clock then."""

    seen: Mapping[bytes, Seen]
    clock_ms: int
    seq: int


def roster_key(height: int) -> str:
    return f"roster/{height:08d}"


def chain_key(device: bytes) -> str:
    return f"chain/{device.hex()}"


def cursor_key(device: bytes) -> str:
    return f"cursor/{device.hex()}"


def seen_key(device: bytes) -> str:
    return f"seen/{device.hex()}"


def out_key(seq: int) -> str:
    return f"out/{seq:012d}"


OWN = "own"
PUBLISHED = "published"
FORKED = "forked"


def roster_entries(rows: Rows) -> list[bytes]:
    return [rows[name] for name in sorted(rows) if name.startswith("roster/")]


def outgoing(rows: Rows, after: int) -> list[tuple[int, bytes]]:
    """Our envelopes behind number `after`, in order."""
    found = ((int(name[4:]), rows[name]) for name in sorted(rows) if name.startswith("out/"))
    return [(seq, envelope) for seq, envelope in found if seq > after]


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
    return cbor2.dumps([own.seq, own.hash, own.sealed_pos])


def decode_own(rows: Rows) -> Own:
    return Own(*cbor2.loads(rows[OWN])) if OWN in rows else Own()


def encode_peer(says: PeerSays) -> bytes:
    seen = {device: [one.seq, one.hash, [list(pair) for pair in one.beyond]] for device, one in says.seen.items()}
    return cbor2.dumps([seen, says.clock_ms, says.seq], canonical=True)


def _decode_peer(data: bytes) -> PeerSays:
    seen, clock_ms, seq = cbor2.loads(data)
    read = {device: Seen(n, head, tuple((a, b) for a, b in pairs)) for device, (n, head, pairs) in seen.items()}
    return PeerSays(read, clock_ms, seq)


def published(rows: Rows) -> int:
    return int(rows[PUBLISHED]) if PUBLISHED in rows else 0


def encode_forked(devices: Iterable[bytes]) -> bytes:
    return cbor2.dumps(sorted(devices))


def forked(rows: Rows) -> frozenset[bytes]:
    return frozenset(cbor2.loads(rows[FORKED])) if FORKED in rows else frozenset()
