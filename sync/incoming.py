"""Bringing in: every author's stream is read, judged, and stored together with its place in the chain."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from store.chunk import parse_change
from store.foreign import Foreign
from sync import state
from sync.envelope import Kind, Payload, encode_payload, parse_header
from sync.errors import Malformed, Untrusted
from sync.session import Accept, Chain, Drop, ForkSeen, Later, joined
from sync.work import Work

RECEIVE_CHANGES_MAX = 500
FETCHES_MAX = 10_000
"""Of one stream in one pass: a transport that never ends does not hold us."""
BASELINE_BYTES_MAX = 64 * 1024 * 1024
BRAKE_RECORDS = 50
BRAKE_SHARE = 0.2
BRAKE_RECORDS_MIN = 5
"""So many that are still shown here may always be erased by others: in a small home one is a large share."""
_AUTHOR = re.compile(r"[0-9a-f]{32}")


async def bring_in(work: Work) -> bool:
    """Reads every author's stream. True when something came that others should hear we hold."""
    news = False
    authors = [one for one in await work.transport.authors(work.scope) if _AUTHOR.fullmatch(one)]
    admin = work.session.roster.admin.hex()
    for author in sorted(authors, key=lambda one: (one != admin, one)):  # a baseline lets the others count
        if author != work.me.hex():
            news = await _read_stream(work, author) or news
    await _note_ahead(work)
    return news


async def _read_stream(work: Work, author: str) -> bool:
    device = bytes.fromhex(author)
    session, memory = work.session, work.memory
    rows = await memory.sync_rows()
    kept = cursor = rows.get(state.cursor_key(device), b"").decode()
    news = waits = False
    for _ in range(FETCHES_MAX):
        fetched = await work.transport.fetch(work.scope, author, cursor)
        if not fetched.envelopes:
            break
        split = set(session.forked)
        accepted, later = _judge(work, device, fetched.envelopes)
        news = news or any(one.header.kind is not Kind.HEARTBEAT for one in accepted)
        await _store(work, accepted)
        if session.forked != split:
            await memory.receive([], {state.FORKED: state.encode_forked(session.forked)})
        if any(one.header.kind is Kind.BASELINE for one in accepted) and await take_baseline(work):
            # What waited for it stands behind it in this stream, or in others, which are read after this one.
            cursor, waits = kept, False
            continue
        if fetched.cursor == cursor:
            break
        cursor = fetched.cursor
        # Reading goes on behind what waits, since what fills its gap may stand there; its place is kept.
        waits = waits or later
        if not waits:
            kept = cursor
            await memory.receive([], {state.cursor_key(device): cursor.encode()})
    chain = session.chains.get(device)
    if chain is not None and chain.beyond:
        # What is missing may stand where we have read: a stream that was put back and grew again looks alike.
        await memory.receive([], {state.cursor_key(device): b""})
    return news


def _judge(work: Work, author: bytes, envelopes: Sequence[bytes]) -> tuple[list[Accept], bool]:
    session, report = work.session, work.report
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


def _may_be_of(envelope: bytes, author: bytes) -> bool:
    """False for an envelope that says it is another's; one that cannot be read is judged, and counted, elsewhere."""
    try:
        return parse_header(envelope).device == author
    except Untrusted:
        return True


async def _store(work: Work, accepted: Sequence[Accept]) -> None:
    """Changes and the chain that covers them, in one transaction each few hundred changes."""
    says = state.peers(await work.memory.sync_rows()) if accepted else {}
    at = 0
    while at < len(accepted):
        group: list[Accept] = []
        size = 0
        while at < len(accepted) and (not group or size < RECEIVE_CHANGES_MAX):
            group.append(accepted[at])
            size += sum(len(chunks) for _, chunks in accepted[at].payload.changes)
            at += 1
        foreign: list[Foreign] = []
        new: state.NewRows = {}
        for one in group:
            device, seq = one.header.device, one.header.seq
            if one.payload.generation > work.generation:  # only a baseline is let through
                new[state.baseline_key(seq)] = encode_payload(one.payload)
            else:
                orphaned = work.session.roster.members[device].left_at is not None
                foreign += _changes(one.payload, device, seq, orphaned=orphaned)
            new[state.chain_key(device)] = state.encode_chain(one.chain)
            if device not in says or says[device].seq < seq:
                says[device] = state.PeerSays(
                    dict(one.payload.seen), one.payload.clock_ms, seq, one.payload.generation, work.now_ms()
                )
                new[state.seen_key(device)] = state.encode_peer(says[device])
        refused = await work.memory.receive(foreign, new)
        work.report.accepted += len(group)
        work.report.changes += len(foreign) - sum(refused.values())
        work.session.dropped.update(refused)
        work.told()


def _changes(payload: Payload, device: bytes, seq: int, *, orphaned: bool = False) -> list[Foreign]:
    return [Foreign(name, chunk, device, seq, orphaned) for name, chunks in payload.changes for chunk in chunks]


def digest_of_baseline(hashes: Sequence[bytes]) -> bytes:
    """What an `erase` entry names: SHA-256 over the hashes of the baseline's changes, in its order."""
    return hashlib.sha256(b"".join(hashes)).digest()


async def take_baseline(work: Work) -> bool:
    """Follows the newest re-founding when its baseline is complete; True when that was done just now."""
    roster = work.session.roster
    rows = await work.memory.sync_rows()
    if roster.generation <= work.generation:
        return False
    parts = {seq: part for seq, part in state.baseline(rows).items() if part.generation == roster.generation}
    foreign = [one for seq in sorted(parts) for one in _changes(parts[seq], roster.founder, seq)]
    if sum(len(one.chunk) for one in foreign) > BASELINE_BYTES_MAX:
        work.session.dropped["baseline-size"] += 1
        return False
    try:
        if digest_of_baseline([parse_change(one.chunk).hash for one in foreign]) != roster.baseline:
            work.report.waiting["baseline-parts"] += 1
            return False
        erased, shown = await work.memory.would_erase(foreign, roster.generation)
        if _brakes(erased, shown) and state.number(rows, state.ALLOWED) != roster.generation:
            work.report.waiting["baseline-brake"] += 1
            await work.memory.receive([], {state.BRAKE: state.encode_brake(erased, shown)})
            return False
        own, out = state.decode_own(rows), await work.memory.sync_rows(state.OUT)
        new = state.baseline_done(rows) | state.withdrawn(out)
        new[state.OWN] = state.encode_own(state.Own(own.seq, own.hash, own.sealed_pos, own.seq + 1))
        new |= _covered(work)
        await work.memory.take_baseline(roster.generation, foreign, new)
    except Malformed as error:
        work.session.dropped[error.code] += 1
        return False
    await work.memory.compact()
    work.generation = work.session.generation = roster.generation
    work.report.rebased = True
    work.report.changes += len(foreign)
    for reason in ("baseline-parts", "envelope-generation"):  # of what waits for it still, the next look tells
        work.report.waiting.pop(reason, None)
    work.told()
    return True


def _covered(work: Work) -> state.NewRows:
    """What the baseline holds of each author is here now: gaps that nobody fills any more are closed by it."""
    session = work.session
    new: state.NewRows = {}
    for author, (seq, digest) in session.roster.frontier.items():
        chain = session.chains.get(author, Chain())
        if author != work.me and chain.seq < seq:
            session.chains[author] = joined(Chain(seq, digest, chain.beyond)) or Chain(seq, digest)
            new[state.chain_key(author)] = state.encode_chain(session.chains[author])
    return new


def _brakes(erased: int, shown: int) -> bool:
    return erased > BRAKE_RECORDS or (erased >= BRAKE_RECORDS_MIN and erased > BRAKE_SHARE * shown)


async def _note_ahead(work: Work) -> None:
    """Who names a roster entry that we have not: until it is here we seal nothing, though the transport forgets."""
    rows = await work.memory.sync_rows()
    before = state.ahead(rows)
    heads = work.session.heads
    # An older envelope that comes again takes nothing back.
    named = {one: max(before.get(one, (0, b"")), heads.get(one, (0, b""))) for one in before.keys() | heads.keys()}
    current = work.session.roster.current()
    now = {one: it for one, it in named.items() if one in current and it[1] not in work.known_heads}
    if now != before:
        new: state.NewRows = {state.ahead_key(one): None for one in before if one not in now}
        await work.memory.receive([], new | {state.ahead_key(one): state.encode_ahead(*it) for one, it in now.items()})
    work.report.waiting.update({"roster-ahead": len(now)} if now else {})
