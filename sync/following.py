"""Following a scope's roster, and the secrets of its epochs.

A roster is followed as far as one right chain leads; a fork of equal right stops sync of this scope, never local
work. Secrets come wrapped; what the transport lost of the roster is offered again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from store.memory import Memory
from sync import roster as rosters
from sync import state
from sync.errors import Malformed, Untrusted
from sync.keys import commitment, key_id, unwrap_secret
from sync.names import ROSTER, WRAPS, roster_name, secret_name
from sync.ports import KeyStore, Transport
from sync.roster import Roster
from sync.work import Report, Work

CANDIDATES_MAX = 256
WRAPS_MAX = 64
"""Tried for one epoch."""
WRAP_FILE_BYTES_MAX = 4096
"""Far more than a wrap has: what is a little too long is still seen to be none."""


async def take_roster(
    memory: Memory, transport: Transport, me: bytes, rows: state.Rows, report: Report
) -> tuple[state.Rows, set[bytes]]:
    """The rows with the newest roster pinned, and the heads of every entry seen."""
    pinned = state.roster_entries(rows)
    ours = {roster_name(height, entry): entry for height, entry in enumerate(pinned)}
    offered: dict[bytes, list[bytes]] = {}
    for name in await transport.names(memory.scope, ROSTER):
        entry = await transport.get(memory.scope, name, rosters.ENTRY_BYTES_MAX)
        if entry in pinned:
            continue
        try:
            offered.setdefault(rosters.previous_hash(entry or b""), []).append(entry or b"")
        except Untrusted as error:
            report.dropped[error.code] += 1
        if name in ours:  # torn on its way; a name that exists would keep what it has
            await transport.discard(memory.scope, prefix=name)
    for name, entry in ours.items():  # what the transport lost is offered again
        await transport.put(memory.scope, name, entry)
    chain = list(pinned)
    candidates = _candidates(pinned, offered, report.dropped)
    for candidate in candidates:
        if rosters.choose(chain, candidate) is rosters.Choice.TAKE:
            chain = candidate
    # Only now: what forked from our old chain may have been settled by a recovery that came with it.
    report.roster_fork = any(rosters.choose(chain, one) is rosters.Choice.FORK for one in candidates)
    if chain != pinned:
        new: state.NewRows = {state.roster_key(height): entry for height, entry in enumerate(chain)}
        # A recovery may have forked off below our head.
        new |= {state.roster_key(height): None for height in range(len(chain), len(pinned))}
        before, after = rosters.read_chain(pinned), rosters.read_chain(chain)
        if chain[: len(pinned)] != pinned:
            # What we sealed in an epoch of the branch that lost opens to nobody: all of ours is sealed again.
            new[state.OWN] = state.encode_own(replace(state.decode_own(rows), sealed_pos=0))
        await memory.carry_beyond(cuts(before, after, me, rows), new)
        rows = await memory.sync_rows()
    entries = [*pinned, *chain, *(entry for found in offered.values() for entry in found)]
    return rows, {rosters.entry_hash(entry)[:16] for entry in entries}


def cuts(before: Roster, after: Roster, me: bytes, rows: state.Rows) -> dict[str, int]:
    """Who has left, and behind which of its envelopes what we took of it goes on under our own name.

    Not only behind the cut: nobody offers its stream again, so also what some member has not said it holds.
    """
    others = set(after.current()) - {me}
    if me not in after.current():
        return {}
    says = state.peers(rows)
    left = set(before.current()) - set(after.current())

    def held_by_all(device: bytes) -> int:
        seen = [says[one].seen.get(device) if one in says else None for one in others]
        return min((one.seq if one else 0 for one in seen), default=1 << 48)

    return {
        device.hex(): min(after.members[device].cut or 0, held_by_all(device))
        for device in left
        if device in after.members
    }


def _candidates(
    pinned: Sequence[bytes], offered: Mapping[bytes, Sequence[bytes]], dropped: Counter[str]
) -> list[list[bytes]]:
    """Right chains that leave `pinned` somewhere and go on with offered entries, as far as each can be followed.

    A false entry is left out where it stands and spoils nothing behind or beside it. Bounded.
    """
    out: list[list[bytes]] = []
    roster = rosters.begin(pinned[0])
    waiting: list[tuple[list[bytes], Roster]] = [([pinned[0]], roster)]
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


def known_secret(store: KeyStore, roster: Roster, epoch: int) -> bytes | None:
    """Only the one the roster committed to: after a recovery an older one may stand under its number."""
    secret = store.load(secret_name(roster.scope, epoch))
    fits = secret is not None and commitment(roster.scope, epoch, secret) == roster.epochs[epoch].commit
    return secret if fits else None


def known_secrets(store: KeyStore, roster: Roster) -> dict[bytes, tuple[int, bytes]]:
    """key id → (epoch, secret)."""
    out: dict[bytes, tuple[int, bytes]] = {}
    for epoch in roster.epochs:
        secret = known_secret(store, roster, epoch)
        if secret is not None:
            out[key_id(roster.scope, epoch, secret)] = (epoch, secret)
    return out


async def learn_secrets(work: Work) -> None:
    """Secrets of epochs that were wrapped to us since."""
    session, roster = work.session, work.session.roster
    known = {epoch for epoch, _ in session.secrets.values()}
    for epoch in roster.epochs.values():
        if epoch.number in known:
            continue
        # More than one when a recovery used the number again, or when a stranger left junk beside the right one.
        names = await work.transport.names(work.scope, f"{WRAPS}{epoch.number:08d}-")
        for name in [one for one in names if one.endswith(f"-{work.me.hex()}.wrap")][:WRAPS_MAX]:
            wrapped = await work.transport.get(work.scope, name, WRAP_FILE_BYTES_MAX)
            if wrapped is None:
                continue
            try:
                secret = unwrap_secret(
                    wrapped, work.keys, scope=roster.scope, epoch=epoch.number, roster_hash=epoch.commit
                )
            except Malformed as error:  # torn on its way: who knows the secret wraps it again once the name is free
                session.dropped[error.code] += 1
                await work.transport.discard(work.scope, prefix=name)
                continue
            except Untrusted as error:
                session.dropped[error.code] += 1
                continue
            if session.learn_secret(epoch.number, secret):
                work.store.save(secret_name(roster.scope, epoch.number), secret)
                break
