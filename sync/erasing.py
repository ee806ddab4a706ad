"""Erasing for good on a scope with a roster: its admin founds it anew for all devices.

What was hidden long enough goes; a baseline with all the rest is published under a new epoch, and our earlier
envelopes are withdrawn. Every other device takes the baseline, sets again what it lacked, withdraws its own, and says
so with its next envelope. So reports say "confirmed by", never "proved".
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from store.memory import FeedItem, Memory
from store.own_rows import UNDO_MS
from store.ports import Clock, Entropy
from sync import roster as rosters
from sync import state
from sync.envelope import Kind
from sync.incoming import digest_of_baseline
from sync.keys import SECRET_BYTES, DeviceKeys, commitment
from sync.names import secret_name
from sync.ports import KeyStore
from sync.sealing import Sealer, batches

WAIT = timedelta(hours=24)
"""How long hidden entries stay on several devices, by the admin's own clock since it committed the hiding."""
NIGHT_HOUR = 3


async def found_anew(
    memory: Memory,
    keys: DeviceKeys,
    store: KeyStore,
    *,
    clock: Clock,
    entropy: Entropy,
    now: bool = False,
    always: bool = False,
) -> int:
    """Erases for good what is due, if this device is the admin; gives how many records. Publishing is the next pass's.

    On several devices at most once a night; `now`: at once, whatever was hidden; `always`: at once, though nothing
    may be due. A device that has not followed the last re-founding yet does nothing.
    """
    async with memory.syncing:
        return await _found_anew(memory, keys, store, clock=clock, entropy=entropy, now=now, always=always)


async def _found_anew(
    memory: Memory, keys: DeviceKeys, store: KeyStore, *, clock: Clock, entropy: Entropy, now: bool, always: bool
) -> int:
    rows = await memory.sync_rows()
    entries = state.roster_entries(rows)
    if not entries:
        return 0
    roster = rosters.read_chain(entries)
    if roster.admin != keys.device_id or await memory.generation() < roster.generation:
        return 0
    moment = clock.now()
    now_ms = int(moment.timestamp() * 1000)
    alone = len(roster.current()) == 1
    hidden_before_ms = now_ms if now else now_ms - UNDO_MS
    if not (now or alone):
        night_ms = last_night_ms(moment, await memory.read(lambda view: view.setting("zone")))
        if state.number(rows, state.FOUNDED) >= night_ms and not always:
            return 0
        hidden_before_ms = night_ms - int(WAIT.total_seconds() * 1000)
    epoch = roster.epoch.number + 1
    secret = entropy.bytes(SECRET_BYTES)
    own, chains = state.decode_own(rows), state.chains(rows)
    out = await memory.sync_rows(state.OUT)

    def new_rows(feed: Sequence[FeedItem]) -> state.NewRows:
        store.save(secret_name(roster.scope, epoch), secret)  # before anything says that it is in force
        entry = rosters.erase(
            roster,
            commit=commitment(roster.scope, epoch, secret),
            baseline=digest_of_baseline([item.change.hash for item in feed]),
            frontier={device: (chain.seq, chain.hash) for device, chain in chains.items() if chain.seq}
            | {keys.device_id: (own.seq, own.hash)},
            sign_seed=keys.sign_seed,
        )
        grown = rosters.extend(roster, entry)
        sealer = Sealer(keys, grown, secret, grown.generation, chains, now_ms)
        new = state.withdrawn(out)
        last = state.Own(own.seq, own.hash, own.sealed_pos, own.seq + 1)
        for batch, last_pos in batches(feed):
            last, envelope = sealer.seal(last, Kind.BASELINE, batch, last_pos, entropy.bytes(12))
            new[state.out_key(last.seq)] = state.encode_out(envelope, last_pos)
        return new | {
            state.roster_key(grown.height): entry,
            state.OWN: state.encode_own(last),
            state.FOUNDED: state.encode_number(now_ms),
        }

    erased = await memory.found_anew(
        roster.generation + 1, hidden_before_ms=hidden_before_ms, rows=new_rows, always=always
    )
    if erased is None:
        return 0
    await memory.compact()
    return erased


def last_night_ms(moment: datetime, zone: str) -> int:
    """When it was last three in the morning in `zone` (UTC when that is no zone)."""
    try:
        there = moment.astimezone(ZoneInfo(zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        there = moment.astimezone(UTC)
    night = there.replace(hour=NIGHT_HOUR, minute=0, second=0, microsecond=0)
    return int((night if night <= there else night - timedelta(days=1)).timestamp() * 1000)
