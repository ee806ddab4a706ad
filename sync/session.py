"""Receiving for one scope: which bytes from elsewhere count. A machine without I/O.

One bad sender never stops the others: what is wrong is dropped with a reason, what cannot be judged yet waits
at its sender's place. Later envelopes count at once; a gap is checked when it fills.

    envelope ─► ours or a stranger's scope?          drop
             ─► author known to the roster?          no: Later (the roster may be behind)
             ─► signature                            no: drop
             ─► place in the author's chain          taken: drop · other hash at a known place: ForkSeen, drop
             ─► counts for this author (removal cut) no: drop
             ─► epoch's secret known?                no: Later
             ─► seal, payload                        no: drop
             ─► Accept
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sync.envelope import (
    Header,
    Kind,
    Payload,
    Seen,
    check_signature,
    decode_payload,
    envelope_hash,
    open_sealed,
    parse_header,
)
from sync.errors import Untrusted
from sync.keys import commitment, key_id, sender_key
from sync.roster import Member, Roster

BEYOND_MAX = 1000
"""Envelopes remembered past a sender's first gap; more wait at their place."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What we hold of one author: everything up to `seq`; `hash` of that envelope; and islands behind a gap."""

    seq: int = 0
    hash: bytes = bytes(32)
    beyond: Mapping[int, tuple[bytes, bytes]] = field(default_factory=dict)
    """seq → (previous, own hash)."""

    def seen(self) -> Seen:
        ranges: list[tuple[int, int]] = []
        for seq in sorted(self.beyond):
            if ranges and ranges[-1][1] == seq - 1:
                ranges[-1] = (ranges[-1][0], seq)
            else:
                ranges.append((seq, seq))
        return Seen(self.seq, self.hash[:8], tuple(ranges[:16]))

    @property
    def last(self) -> int:
        """The greatest number held, islands included."""
        return max([self.seq, *self.beyond])

    def holds(self, seq: int) -> bool:
        return seq <= self.seq or seq in self.beyond


@dataclass(frozen=True, slots=True)
class Accept:
    """Its changes and its place in the chain belong into one transaction."""

    header: Header
    payload: Payload
    chain: Chain
    envelope: bytes


@dataclass(frozen=True, slots=True)
class Drop:
    reason: str


@dataclass(frozen=True, slots=True)
class Later:
    """Not to be judged yet: read this sender again from here when something new is known."""

    reason: str


@dataclass(frozen=True, slots=True)
class ForkSeen:
    """This author published two different envelopes for one place; its newer ones count no more until people have looked."""

    device: bytes
    seq: int


Action = Accept | Drop | Later | ForkSeen


class Session:
    """`roster`, `secrets` (key id → (epoch, secret)) and `chains` are what the store kept."""

    def __init__(
        self,
        me: bytes,
        roster: Roster,
        secrets: Mapping[bytes, tuple[int, bytes]],
        chains: Mapping[bytes, Chain],
        forked: frozenset[bytes] = frozenset(),
        generation: int = 1,
    ) -> None:
        self.me = me
        self.roster = roster
        self.secrets = dict(secrets)
        self.chains = dict(chains)
        self.forked = set(forked)
        self.generation = generation
        """Of our own log: what is of a later one waits until its baseline is here."""
        self.heads: dict[bytes, tuple[int, bytes]] = {}
        """Author → the number of its newest envelope whose signature held, and the roster entry it named (16 bytes)."""
        self.dropped: Counter[str] = Counter()

    def learn_roster(self, roster: Roster) -> None:
        assert roster.scope == self.roster.scope
        self.roster = roster

    def learn_secret(self, epoch: int, secret: bytes) -> bool:
        """Whether it is the one the roster committed to; only such a secret is kept."""
        known = self.roster.epochs.get(epoch)
        if known is None or commitment(self.roster.scope, epoch, secret) != known.commit:
            self.dropped["secret-commit"] += 1
            return False
        self.secrets[key_id(self.roster.scope, epoch, secret)] = (epoch, secret)
        return True

    def receive(self, envelope: bytes) -> list[Action]:
        """What to do about one envelope. Never raises."""
        try:
            actions = self._judge(envelope)
        except Untrusted as error:
            actions = [Drop(error.code)]
        for action in actions:
            match action:
                case Accept(header, _, chain, _):
                    self.chains[header.device] = chain
                case Drop(reason):
                    self.dropped[reason] += 1
                case ForkSeen(device, _):
                    self.forked.add(device)
                case Later():
                    pass
        return actions

    def _judge(self, envelope: bytes) -> list[Action]:
        header = parse_header(envelope)
        if header.scope != self.roster.scope:
            return [Drop("envelope-scope")]
        if header.device == self.me:
            return [Drop("envelope-own")]
        member = self.roster.members.get(header.device)
        if member is None:
            return [Later("envelope-author")]
        check_signature(envelope, member.record.sign_public)
        self.heads[header.device] = max(self.heads.get(header.device, (0, b"")), (header.seq, header.roster_head))
        if header.device in self.forked:
            return [Drop("envelope-forked")]
        digest = envelope_hash(envelope)
        chain = self.chains.get(header.device, Chain())
        taken = self._taken(chain, header, digest)
        if taken is not None:
            return taken
        if not self._counts(member, header):
            return [Drop("envelope-removed")]
        if header.seq > chain.seq + 1 and len(chain.beyond) >= BEYOND_MAX:
            return [Later("envelope-gap")]
        known = self.secrets.get(header.key_id)
        if known is None or known[0] != header.epoch:
            return [Later("envelope-key")]
        payload = decode_payload(open_sealed(envelope, sender_key(header.scope, header.epoch, known[1], header.device)))
        if payload.generation > self.generation and header.kind is not Kind.BASELINE:
            return [Later("envelope-generation")]
        return self._placed(chain, header, payload, digest, envelope)

    def _taken(self, chain: Chain, header: Header, digest: bytes) -> list[Action] | None:
        if header.seq == chain.seq:
            return [Drop("envelope-known")] if digest == chain.hash else self._fork(header)
        if header.seq < chain.seq:
            return [Drop("envelope-known")]
        if header.seq in chain.beyond:
            same = chain.beyond[header.seq][1] == digest
            return [Drop("envelope-known")] if same else self._fork(header)
        return None

    def _fork(self, header: Header) -> list[Action]:
        return [ForkSeen(header.device, header.seq), Drop("envelope-fork")]

    def _counts(self, member: Member, header: Header) -> bool:
        """What a removed device wrote after the cut, or in an epoch after its removal, is nobody's."""
        if member.left_at is None:
            return True
        assert member.cut is not None
        last = max((e.number for e in self.roster.epochs.values() if e.height < member.left_at), default=1)
        return header.seq <= member.cut and header.epoch <= last

    def _placed(self, chain: Chain, header: Header, payload: Payload, digest: bytes, envelope: bytes) -> list[Action]:
        if payload.skip_to > header.seq:
            return [Drop("payload-skip")]
        if header.kind is Kind.BASELINE and header.device != self.roster.founder:
            # The admin's own may be ahead of its roster entry.
            return [Later("baseline-roster") if header.device == self.roster.admin else Drop("baseline-author")]
        if payload.skip_to == header.seq and header.seq > chain.seq + 1:
            # Its author took back everything before: nothing is missing in front of it.
            chain = Chain(header.seq - 1, header.previous, chain.beyond)
        if header.seq == chain.seq + 1:
            if chain.seq and header.previous != chain.hash:
                return self._fork(header)
            filled = joined(replace(chain, seq=header.seq, hash=digest))
            if filled is None:
                return self._fork(header)
            chain = filled
        else:
            chain = replace(chain, beyond={**chain.beyond, header.seq: (header.previous, digest)})
        return [Accept(header, payload, chain, envelope)]


def joined(chain: Chain) -> Chain | None:
    """The chain with the islands that now join on; None when one names another predecessor."""
    beyond = {seq: links for seq, links in chain.beyond.items() if seq > chain.seq}
    seq, head = chain.seq, chain.hash
    while seq + 1 in beyond:
        previous, digest = beyond.pop(seq + 1)
        if previous != head:
            return None
        seq, head = seq + 1, digest
    return Chain(seq, head, beyond)
