"""From changes of the log to an envelope of our own, the next in our chain. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.memory import FeedItem
from sync.envelope import Header, Kind, Payload, Seen, encode_payload, envelope_hash, seal
from sync.keys import DeviceKeys, key_id, sender_key
from sync.roster import Roster
from sync.session import Chain
from sync.state import Own

BATCH_CHANGES_MAX = 50
BATCH_BYTES_MAX = 200 * 1024


@dataclass(frozen=True, slots=True)
class Sealer:
    """`roster`: as of this envelope; `secret`: of its newest epoch."""

    keys: DeviceKeys
    roster: Roster
    secret: bytes
    generation: int
    chains: Mapping[bytes, Chain]
    clock_ms: int

    def seal(self, own: Own, kind: Kind, batch: Sequence[FeedItem], sealed_pos: int, nonce: bytes) -> tuple[Own, bytes]:
        """The envelope behind `own`, and our chain with it. `sealed_pos`: how far the log is sealed then."""
        scope, epoch, me = self.roster.scope, self.roster.epoch.number, self.keys.device_id
        header = Header(
            kind=kind,
            scope=scope,
            epoch=epoch,
            key_id=key_id(scope, epoch, self.secret),
            device=me,
            seq=own.seq + 1,
            previous=own.hash,
            roster_head=self.roster.head[:16],
            nonce=nonce,
        )
        changes: dict[str, list[bytes]] = {}
        for item in batch:
            changes.setdefault(item.doc, []).append(item.change.data)
        payload = Payload(
            changes=tuple((name, tuple(chunks)) for name, chunks in changes.items()),
            seen=self._seen(),
            clock_ms=self.clock_ms,
            skip_to=header.seq if header.seq == own.first > 1 else 0,
            generation=self.generation,
        )
        envelope = seal(
            header,
            encode_payload(payload),
            sender_key=sender_key(scope, epoch, self.secret, me),
            sign_seed=self.keys.sign_seed,
        )
        return Own(header.seq, envelope_hash(envelope), sealed_pos, own.first), envelope

    def _seen(self) -> tuple[tuple[bytes, Seen], ...]:
        members = self.roster.current()
        return tuple(sorted((one, chain.seen()) for one, chain in self.chains.items() if one in members))


def batches(items: Sequence[FeedItem]) -> list[tuple[list[FeedItem], int]]:
    """Own changes in envelopes of at most 50 changes and 200 KB, each with the position it reaches.

    Changes of peers in the log are passed over: their authors send them. A last empty batch carries the position on.
    """
    out: list[tuple[list[FeedItem], int]] = []
    batch: list[FeedItem] = []
    size = 0
    for item in items:
        if item.origin == "own":
            if batch and (len(batch) >= BATCH_CHANGES_MAX or size + len(item.change.data) > BATCH_BYTES_MAX):
                out.append((batch, batch[-1].pos))
                batch, size = [], 0
            batch.append(item)
            size += len(item.change.data)
    if batch:
        out.append((batch, batch[-1].pos))
    if not out or out[-1][1] != items[-1].pos:
        out.append(([], items[-1].pos))
    return out
