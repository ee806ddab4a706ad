"""Sending: our own stream is read back, what is new is sealed and committed, and then published.

What the transport lost is published again as the very bytes that were committed: sealing again would split our own
chain. What erasing withdrew is replaced there by what stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from store.memory import FeedItem
from sync import state
from sync.envelope import Kind, check_signature, parse_header
from sync.errors import Untrusted
from sync.following import known_secret
from sync.incoming import FETCHES_MAX
from sync.sealing import Sealer, batches
from sync.work import Work

FEED_MAX = 500


async def send(work: Work, *, news: bool) -> None:
    """`news`: others should hear what we hold by now, even if we say nothing else."""
    there = await read_back(work)
    if work.report.elsewhere:
        return
    if work.report.waiting["roster-ahead"] == 0:
        await _seal_what_is_new(work, news=news)
    rows = await work.memory.sync_rows()
    held = 0 if state.REPLACE in rows else state.number(rows, state.HELD)
    out = state.outgoing(await work.memory.sync_rows(state.OUT, after=state.out_key(held)))
    if state.REPLACE in rows:
        standing = [envelope for _, envelope in out]
        await work.transport.replace(work.scope, work.me.hex(), standing)
        await work.memory.receive([], {state.REPLACE: None, state.HELD: None, state.OWN_CURSOR: None})
        work.report.sent += len(standing)
        return
    waiting = [envelope for seq, envelope in out if seq not in there]
    if waiting:
        await work.transport.publish(work.scope, work.me.hex(), waiting)
        work.report.sent += len(waiting)


async def clear_streams(work: Work) -> None:
    """The admin takes away the streams of those who left before the newest baseline: it holds what they had said."""
    roster = work.session.roster
    if roster.admin != work.me:
        return
    left = {device for device, member in roster.members.items() if member.left_at is not None}
    covered = {device for device in left if (roster.members[device].left_at or 0) < roster.founded_at}
    for author in await work.transport.authors(work.scope) if covered else ():
        if author in {device.hex() for device in covered}:
            await work.transport.replace(work.scope, author, [])


async def read_back(work: Work) -> set[int]:
    """Notes up to which number the transport holds our stream without a gap; gives what it holds behind that.

    What others put there in our name, unsigned, says nothing.
    """
    rows = await work.memory.sync_rows()
    own = state.decode_own(rows)
    cursor = rows.get(state.OWN_CURSOR, b"").decode()
    # What was read before counts only as long as the cursor proves that it still stands there.
    held = max(state.number(rows, state.HELD), own.first - 1) if cursor else own.first - 1
    there: set[int] = set()
    withdrawn = False
    for _ in range(FETCHES_MAX):
        fetched = await work.transport.fetch(work.scope, work.me.hex(), cursor)
        if fetched.reset:
            held, there = own.first - 1, set()
        for envelope in fetched.envelopes:
            seq = await _number_of_ours(work, own, envelope)
            withdrawn = withdrawn or 0 < seq < own.first
            there.add(seq)
        while held + 1 in there:
            held += 1
        if not fetched.envelopes or fetched.cursor == cursor:
            break
        cursor = fetched.cursor
    there = {seq for seq in there if seq > held}
    # With a gap all of it is read again next time: what fills it may stand where we have read.
    new: state.NewRows = {
        state.HELD: state.encode_number(held),
        state.OWN_CURSOR: b"" if there else cursor.encode(),
        **({state.REPLACE: b"1"} if withdrawn else {}),
    }
    if any(rows.get(name) != value for name, value in new.items()):
        await work.memory.receive([], new)
    return there


async def _number_of_ours(work: Work, own: state.Own, envelope: bytes) -> int:
    """The number of an envelope in our stream; 0 for what is none of ours."""
    session = work.session
    try:
        header = parse_header(envelope)
        name = state.out_key(header.seq)
        out = (await work.memory.sync_rows(name)).get(name)
        ours = state.envelope_of(out) if out is not None else None
        if envelope != ours:
            check_signature(envelope, work.keys.sign_public)
    except Untrusted as error:
        session.dropped[error.code] += 1
        return 0
    if (header.scope, header.device) != (session.roster.scope, work.me):
        session.dropped["envelope-stream"] += 1
        return 0
    if header.seq > own.seq or (ours != envelope and header.seq >= own.first):
        work.report.elsewhere = True
    return header.seq


async def _seal_what_is_new(work: Work, *, news: bool) -> None:
    roster = work.session.roster
    secret = known_secret(work.store, roster, roster.epoch.number)
    if secret is None:
        work.report.waiting["epoch-secret"] += 1  # the roster came before the wrap; the next pass seals
        return
    memory = work.memory
    own = state.decode_own(await memory.sync_rows())
    sealer = Sealer(work.keys, roster, secret, work.generation, work.session.chains, work.now_ms())
    # After a withdrawal the first envelope says so, even if there is nothing else to say.
    news = news or (own.first > 1 and own.seq < own.first)
    while items := await memory.changes_after(own.sealed_pos, FEED_MAX):
        for batch, last_pos in batches(items):
            if batch:
                own = await _commit(work, sealer, own, Kind.UPDATE, batch, last_pos)
                work.report.sent_changes += len(batch)
                work.told()
                news = False
            else:
                own = replace(own, sealed_pos=last_pos)
                await memory.receive([], {state.OWN: state.encode_own(own)})
    if news:
        await _commit(work, sealer, own, Kind.HEARTBEAT, [], own.sealed_pos)


async def _commit(
    work: Work, sealer: Sealer, own: state.Own, kind: Kind, batch: Sequence[FeedItem], last_pos: int
) -> state.Own:
    new, envelope = sealer.seal(own, kind, batch, last_pos, work.entropy.bytes(12))
    rows: state.NewRows = {
        state.OWN: state.encode_own(new),
        state.out_key(new.seq): state.encode_out(envelope, last_pos),
    }
    await work.memory.receive([], rows)
    return new
