"""The only loop of sync: brings in, judges, stores, seals, sends. One scope at a time.

Order of everything: one store transaction, then the transport. What comes in is committed together with its
place in the chain; what goes out is committed before it is published and published again as these very bytes.
The engine holds no truth: throw it away between any two steps and the next pass goes on from the rows.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from store.foreign import Foreign
from store.memory import FeedItem, Memory
from store.ports import Clock, Entropy
from sync import roster as rosters
from sync import state
from sync.envelope import (
    Header,
    Kind,
    Payload,
    check_signature,
    encode_payload,
    envelope_hash,
    parse_header,
    seal,
)
from sync.errors import Untrusted
from sync.keys import DeviceKeys, commitment, key_id, sender_key, unwrap_secret
from sync.ports import KeyStore, Transport
from sync.session import Accept, Drop, ForkSeen, Later, Session

log = logging.getLogger(__name__)

BATCH_CHANGES_MAX = 50
BATCH_BYTES_MAX = 200 * 1024
RECEIVE_CHANGES_MAX = 500
FEED_MAX = 500
CANDIDATES_MAX = 256
WRAPS_MAX = 64
"""Tried for one epoch."""
FETCHES_MAX = 10_000
"""Of one stream in one pass: a transport that never ends does not hold us."""
_AUTHOR = re.compile(r"[0-9a-f]{32}")


@dataclass(slots=True)
class Report:
    """What one pass did."""

    accepted: int = 0
    """Envelopes of others that counted."""
    changes: int = 0
    """Changes of others that were new."""
    sent: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    waiting: Counter[str] = field(default_factory=Counter)
    forked: list[bytes] = field(default_factory=list)
    roster_fork: bool = False
    elsewhere: bool = False
    """Our own stream holds envelopes we never wrote: these keys are in use somewhere else."""


class Engine:
    """Sync of the scopes of one device over one transport. `memory` is given per call: the engine opens nothing."""

    def __init__(
        self, keys: DeviceKeys, store: KeyStore, transport: Transport, *, clock: Clock, entropy: Entropy
    ) -> None:
        self._keys = keys
        self._me = keys.device_id
        self._store = store
        self._transport = transport
        self._clock = clock
        self._entropy = entropy

    async def sync(self, memory: Memory) -> Report:
        """One pass over one scope: in, then out. Raises TransportDown and what the store raises."""
        report = Report()
        rows: state.Rows = await memory.sync_rows()
        if not state.roster_entries(rows):
            return report
        scope = bytes.fromhex(memory.scope)
        rows = await self._take_roster(memory, rows, report)
        session = self._session(scope, rows)
        await self._learn_secrets(memory.scope, session)
        news = await self._bring_in(memory, session, report)
        if not report.roster_fork and self._me in session.roster.current():
            await self._send(memory, session, report, news=news)
        report.dropped.update(session.dropped)
        return report

    # in

    async def _take_roster(self, memory: Memory, rows: state.Rows, report: Report) -> state.Rows:
        """Follows the roster as far as one right chain leads; a fork of equal right stops sync of this scope."""
        pinned = state.roster_entries(rows)
        offered: dict[bytes, list[bytes]] = {}
        for name in await self._transport.names(memory.scope, "roster/"):
            entry = await self._transport.get(memory.scope, name)
            if entry is not None and entry not in pinned:
                try:
                    offered.setdefault(rosters.previous_hash(entry), []).append(entry)
                except Untrusted as error:
                    report.dropped[error.code] += 1
        for height, entry in enumerate(pinned):  # what the transport lost is offered again
            await self._transport.put(memory.scope, roster_name(height, entry), entry)
        chain = list(pinned)
        candidates = _candidates(pinned, offered, report.dropped)
        for candidate in candidates:
            if rosters.choose(chain, candidate) is rosters.Choice.TAKE:
                chain = candidate
        # Only now: what forked from our old chain may have been settled by a recovery that came with it.
        report.roster_fork = any(rosters.choose(chain, one) is rosters.Choice.FORK for one in candidates)
        if chain != pinned:
            new: dict[str, bytes | None] = {state.roster_key(height): entry for height, entry in enumerate(chain)}
            # A recovery may have forked off below our head.
            new |= {state.roster_key(height): None for height in range(len(chain), len(pinned))}
            await memory.receive([], new)
            rows = await memory.sync_rows()
        return rows

    def _session(self, scope: bytes, rows: state.Rows) -> Session:
        roster = rosters.read_chain(state.roster_entries(rows))
        secrets: dict[bytes, tuple[int, bytes]] = {}
        for epoch in roster.epochs.values():
            secret = self._secret(roster, epoch.number)
            if secret is not None:
                secrets[key_id(scope, epoch.number, secret)] = (epoch.number, secret)
        return Session(self._me, roster, secrets, state.chains(rows), state.forked(rows))

    def _secret(self, roster: rosters.Roster, epoch: int) -> bytes | None:
        """Only the one the roster committed to: after a recovery an older one may stand under its number."""
        secret = self._store.load(secret_name(roster.scope, epoch))
        fits = secret is not None and commitment(roster.scope, epoch, secret) == roster.epochs[epoch].commit
        return secret if fits else None

    async def _learn_secrets(self, scope: str, session: Session) -> None:
        """Secrets of epochs that were wrapped to us since."""
        known = {epoch for epoch, _ in session.secrets.values()}
        for epoch in session.roster.epochs.values():
            if epoch.number in known:
                continue
            # More than one when a recovery used the number again, or when a stranger left junk beside the right one.
            names = await self._transport.names(scope, f"wraps/{epoch.number:08d}-")
            for name in [one for one in names if one.endswith(f"-{self._me.hex()}.wrap")][:WRAPS_MAX]:
                wrapped = await self._transport.get(scope, name)
                if wrapped is None:
                    continue
                try:
                    secret = unwrap_secret(
                        wrapped,
                        self._keys,
                        scope=session.roster.scope,
                        epoch=epoch.number,
                        roster_hash=epoch.commit,
                    )
                except Untrusted as error:
                    session.dropped[error.code] += 1
                    continue
                if session.learn_secret(epoch.number, secret):
                    self._store.save(secret_name(session.roster.scope, epoch.number), secret)
                    break

    async def _bring_in(self, memory: Memory, session: Session, report: Report) -> bool:
        """Reads every author's stream. True when something came that others should hear we hold."""
        news = False
        rows = await memory.sync_rows()
        for author in await self._transport.authors(memory.scope):
            if not _AUTHOR.fullmatch(author) or author == self._me.hex():
                continue
            device = bytes.fromhex(author)
            cursor = rows.get(state.cursor_key(device), b"").decode()
            waits = False
            for _ in range(FETCHES_MAX):
                fetched = await self._transport.fetch(memory.scope, author, cursor)
                if not fetched.envelopes:
                    break
                split = set(session.forked)
                accepted, later = self._judge(session, device, fetched.envelopes, report)
                news = news or any(one.header.kind is not Kind.HEARTBEAT for one in accepted)
                await self._store_accepted(memory, session, accepted, report)
                if session.forked != split:
                    await memory.receive([], {state.FORKED: state.encode_forked(session.forked)})
                if fetched.cursor == cursor:
                    break
                cursor = fetched.cursor
                # Reading goes on behind what waits, since what fills its gap may stand there; its place is kept.
                waits = waits or later
                if not waits:
                    await memory.receive([], {state.cursor_key(device): cursor.encode()})
            chain = session.chains.get(device)
            if chain is not None and chain.beyond:
                # What is missing may stand where we have read: a stream that was put back and grew again looks alike.
                await memory.receive([], {state.cursor_key(device): b""})
        return news

    def _judge(
        self, session: Session, author: bytes, envelopes: Sequence[bytes], report: Report
    ) -> tuple[list[Accept], bool]:
        accepted: list[Accept] = []
        later = False
        for envelope in envelopes:
            if not _may_be_of(envelope, author):
                session.dropped["envelope-stream"] += 1  # put there by others, so that its author's stream would wait
                continue
            for action in session.receive(envelope):
                match action:
                    case Accept():
                        accepted.append(action)
                    case Later(reason):
                        report.waiting[reason] += 1
                        later = True
                    case ForkSeen(device, _):
                        report.forked.append(device)
                    case Drop():
                        pass
        return accepted, later

    async def _store_accepted(
        self, memory: Memory, session: Session, accepted: Sequence[Accept], report: Report
    ) -> None:
        """Changes and the chain that covers them, in one transaction each few hundred changes."""
        says = state.peers(await memory.sync_rows()) if accepted else {}
        at = 0
        while at < len(accepted):
            group: list[Accept] = []
            size = 0
            while at < len(accepted) and (not group or size < RECEIVE_CHANGES_MAX):
                group.append(accepted[at])
                size += sum(len(chunks) for _, chunks in accepted[at].payload.changes)
                at += 1
            foreign = [
                Foreign(name, chunk, one.header.device)
                for one in group
                for name, chunks in one.payload.changes
                for chunk in chunks
            ]
            new: dict[str, bytes | None] = {}
            for one in group:
                device = one.header.device
                new[state.chain_key(device)] = state.encode_chain(one.chain)
                if device not in says or says[device].seq < one.header.seq:
                    says[device] = state.PeerSays(dict(one.payload.seen), one.payload.clock_ms, one.header.seq)
                    new[state.seen_key(device)] = state.encode_peer(says[device])
            refused = await memory.receive(foreign, new)
            report.accepted += len(group)
            report.changes += len(foreign) - sum(refused.values())
            session.dropped.update(refused)

    # out

    async def _send(self, memory: Memory, session: Session, report: Report, *, news: bool) -> None:
        rows = await memory.sync_rows()
        own = state.decode_own(rows)
        published = await self._read_back(memory, session, rows, own, report)
        if report.elsewhere:
            return
        secret = self._secret(session.roster, session.roster.epoch.number)
        if secret is None:
            report.waiting["epoch-secret"] += 1  # the roster came before the wrap; the next pass seals
        while secret is not None:
            items = await memory.changes_after(own.sealed_pos, FEED_MAX)
            if not items:
                break
            for batch, last_pos in _batches(items):
                if batch:
                    own = await self._seal(memory, session, secret, own, batch, last_pos)
                    news = False
                else:
                    own = state.Own(own.seq, own.hash, last_pos)
                    await memory.receive([], {state.OWN: state.encode_own(own)})
        if news and secret is not None:
            own = await self._seal(memory, session, secret, own, [], own.sealed_pos)
        waiting = state.outgoing(await memory.sync_rows(), published)
        if waiting:
            await self._transport.publish(memory.scope, self._me.hex(), [envelope for _, envelope in waiting])
            await memory.receive([], {state.PUBLISHED: str(waiting[-1][0]).encode()})
            report.sent += len(waiting)

    async def _read_back(
        self, memory: Memory, session: Session, rows: state.Rows, own: state.Own, report: Report
    ) -> int:
        """The number up to which the transport holds our stream. What it lost is published again.

        What others put there in our name, unsigned, says nothing.
        """
        cursor = ""
        held: set[int] = set()
        for _ in range(FETCHES_MAX):
            fetched = await self._transport.fetch(memory.scope, self._me.hex(), cursor)
            for envelope in fetched.envelopes:
                try:
                    header = parse_header(envelope)
                    ours = rows.get(state.out_key(header.seq))
                    if envelope != ours:
                        check_signature(envelope, self._keys.sign_public)
                except Untrusted as error:
                    session.dropped[error.code] += 1
                    continue
                if (header.scope, header.device) != (session.roster.scope, self._me):
                    session.dropped["envelope-stream"] += 1
                    continue
                if header.seq > own.seq or (ours is not None and ours != envelope):
                    report.elsewhere = True
                held.add(header.seq)
            if not fetched.envelopes or fetched.cursor == cursor:
                break
            cursor = fetched.cursor
        first = 0
        while first + 1 in held:
            first += 1
        return first

    async def _seal(
        self,
        memory: Memory,
        session: Session,
        secret: bytes,
        own: state.Own,
        batch: Sequence[FeedItem],
        last_pos: int,
    ) -> state.Own:
        roster = session.roster
        epoch = roster.epoch
        changes: dict[str, list[bytes]] = {}
        for item in batch:
            changes.setdefault(item.doc, []).append(item.change.data)
        payload = Payload(
            changes=tuple((name, tuple(chunks)) for name, chunks in changes.items()),
            seen=tuple(sorted((one, chain.seen()) for one, chain in session.chains.items() if one in roster.current())),
            clock_ms=int(self._clock.now().timestamp() * 1000),
            generation=roster.generation,
        )
        header = Header(
            kind=Kind.UPDATE if batch else Kind.HEARTBEAT,
            scope=roster.scope,
            epoch=epoch.number,
            key_id=key_id(roster.scope, epoch.number, secret),
            device=self._me,
            seq=own.seq + 1,
            previous=own.hash,
            roster_head=roster.head[:16],
            nonce=self._entropy.bytes(12),
        )
        envelope = seal(
            header,
            encode_payload(payload),
            sender_key=sender_key(roster.scope, epoch.number, secret, self._me),
            sign_seed=self._keys.sign_seed,
        )
        new = state.Own(header.seq, envelope_hash(envelope), last_pos)
        await memory.receive([], {state.OWN: state.encode_own(new), state.out_key(new.seq): envelope})
        return new


def _may_be_of(envelope: bytes, author: bytes) -> bool:
    """False for an envelope that says it is another's; one that cannot be read is judged, and counted, elsewhere."""
    try:
        return parse_header(envelope).device == author
    except Untrusted:
        return True


def _batches(items: Sequence[FeedItem]) -> list[tuple[list[FeedItem], int]]:
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


def _candidates(
    pinned: Sequence[bytes], offered: Mapping[bytes, Sequence[bytes]], dropped: Counter[str]
) -> list[list[bytes]]:
    """Right chains that leave `pinned` somewhere and go on with offered entries, as far as each can be followed.

    A false entry is left out where it stands and spoils nothing behind or beside it. Bounded.
    """
    out: list[list[bytes]] = []
    roster = rosters.begin(pinned[0])
    waiting: list[tuple[list[bytes], rosters.Roster]] = [([pinned[0]], roster)]
    for entry in pinned[1:]:
        roster = rosters.extend(roster, entry)
        waiting.append(([*waiting[-1][0], entry], roster))
    while waiting and len(out) < CANDIDATES_MAX:
        chain, state_there = waiting.pop()
        for entry in offered.get(state_there.head, ()):
            try:
                grown = rosters.extend(state_there, entry)
            except Untrusted as error:
                dropped[error.code] += 1
                continue
            out.append([*chain, entry])
            waiting.append((out[-1], grown))
    return out


def roster_name(height: int, entry: bytes) -> str:
    return f"roster/{height:08d}-{rosters.entry_hash(entry)[:4].hex()}.entry"


def wrap_name(epoch: int, key: bytes, device: bytes) -> str:
    """`key`: the key id, since a recovery may use an epoch's number again and a file is never replaced."""
    return f"wraps/{epoch:08d}-{key.hex()}-{device.hex()}.wrap"


def secret_name(scope: bytes, epoch: int) -> str:
    return f"{scope.hex()}/{epoch:08d}"
