"""When a device is gone: the recovery key makes another one the admin, or finds everything from the folder alone.

What makes that possible is laid down while all is well: every epoch's secret is wrapped to the recovery key too
(`publish_wraps`, which any member may repeat, and which after a recovery wraps the old epochs to the new key).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

from store.errors import NotAllowed
from store.memory import Memory
from store.ports import Entropy
from sync import roster as rosters
from sync import state
from sync.errors import Malformed, Untrusted
from sync.following import WRAP_FILE_BYTES_MAX, WRAPS_MAX, cuts, known_secrets
from sync.keys import SECRET_BYTES, DeviceKeys, commitment, unwrap_secret, wrap_secret
from sync.names import ROSTER, WRAPS, secret_name, wrap_name
from sync.ports import KeyStore, Transport
from sync.recovery import RecoveryPublic, recovery_keys, recovery_recipient
from sync.roster import DeviceRecord, Roster

CHAINS_MAX = 64


async def publish_wraps(memory: Memory, store: KeyStore, transport: Transport) -> int:
    """Wraps what this device knows of every epoch to whom it is meant for, where the transport has no such wrap.

    That is the recovery key, and the members that were there when the epoch began: a later one got it with its
    welcome. Gives how many were put out. Raises TransportDown.
    """
    entries = state.roster_entries(await memory.sync_rows())
    if not entries:
        return 0
    roster = rosters.read_chain(entries)
    there = set(await transport.names(memory.scope, WRAPS))
    put = 0
    for key, (number, secret) in known_secrets(store, roster).items():
        epoch = roster.epochs[number]
        to = {recovery_recipient(roster.recovery_wrap): roster.recovery_wrap}
        for device, member in roster.current().items():
            if member.since <= epoch.height and epoch.height > 0:
                to[device] = member.record.wrap_public
        for recipient, wrap_public in to.items():
            name = wrap_name(number, key, recipient)
            if name in there:
                continue
            with suppress(Malformed):  # a key that nothing can be sealed to shuts out its own device only
                wrapped = wrap_secret(
                    secret,
                    to=wrap_public,
                    scope=roster.scope,
                    epoch=number,
                    recipient=recipient,
                    roster_hash=epoch.commit,
                )
                await transport.put(memory.scope, name, wrapped)
                put += 1
    return put


async def recover(
    memory: Memory,
    keys: DeviceKeys,
    store: KeyStore,
    entropy: Entropy,
    *,
    secret: bytes,
    successor: RecoveryPublic,
    staying: Collection[bytes],
    lane: str | None = None,
) -> Roster:
    """This device becomes the admin, by the recovery key `secret`, which is used up; `successor` follows it.

    `staying`: the other devices that go on belonging. `lane`: of a device that is new in this scope. A repeat with the same `successor` changes nothing.
    The wraps are put out afterwards, by `publish_wraps`. Raises NotAllowed for the key of another home.
    """
    async with memory.syncing:
        rows = await memory.sync_rows()
        known = rosters.read_chain(state.roster_entries(rows))
        if known.recovery_sign == successor.sign:
            return known
        if known.recovery_sign != recovery_keys(secret).sign_public:
            raise NotAllowed("error-recovery-other")
        mine = known.members.get(keys.device_id)
        letter = mine.record.lane if mine else lane if lane is not None else known.next_lane()
        records = [DeviceRecord(keys.sign_public, keys.wrap_public, letter)]
        records += [m.record for device, m in known.current().items() if device in staying and device != keys.device_id]
        chains = state.chains(rows)
        epoch = known.epoch.number + 1
        fresh = entropy.bytes(SECRET_BYTES)
        store.save(secret_name(known.scope, epoch), fresh)
        entry = rosters.recover(
            known,
            records,
            admin=keys.device_id,
            recovery_sign=successor.sign,
            recovery_wrap=successor.wrap,
            cuts={device: chain.last for device, chain in chains.items()},
            commit=commitment(known.scope, epoch, fresh),
            recovery_seed=recovery_keys(secret).sign_seed,
        )
        grown = rosters.extend(known, entry)
        await memory.carry_beyond(cuts(known, grown, keys.device_id, rows), {state.roster_key(grown.height): entry})
        return grown


async def adopt(memory: Memory, old: DeviceKeys, keys: DeviceKeys, store: KeyStore, entropy: Entropy) -> Roster:
    """This device takes the place of the admin it was copied from, whose keys it still has. A repeat changes nothing.

    What is known here of the old device's envelopes counts. Raises NotAllowed when it is not, or no more, the admin.
    """
    async with memory.syncing:
        rows = await memory.sync_rows()
        known = rosters.read_chain(state.roster_entries(rows))
        if keys.device_id in known.current():
            return known
        if known.admin != old.device_id:
            raise NotAllowed("error-adopt-member")
        chain = state.chains(rows).get(old.device_id)
        epoch = known.epoch.number + 1
        fresh = entropy.bytes(SECRET_BYTES)
        store.save(secret_name(known.scope, epoch), fresh)
        entry = rosters.adopt(
            known,
            DeviceRecord(keys.sign_public, keys.wrap_public, known.next_lane()),
            cut=chain.last if chain else 0,
            commit=commitment(known.scope, epoch, fresh),
            sign_seed=old.sign_seed,
        )
        grown = rosters.extend(known, entry)
        await memory.receive([], {state.roster_key(grown.height): entry})
        return grown


async def found_chain(transport: Transport, scope: str, secret: bytes) -> list[bytes] | None:
    """The scope's roster as the transport has it; None when there is none that this recovery key belongs to.

    Raises NotAllowed when two chains lead on side by side: nothing here could say which is the true one.
    """
    entries = {}
    for name in (await transport.names(scope, ROSTER))[: rosters.HEIGHT_MAX]:
        entry = await transport.get(scope, name, rosters.ENTRY_BYTES_MAX)
        if entry is not None:
            entries[rosters.entry_hash(entry)] = entry
    ours = recovery_keys(secret).sign_public
    found: list[bytes] | None = None
    for chain in _chains(scope, list(entries.values())):
        if rosters.read_chain(chain).recovery_sign != ours:
            continue
        if found is not None and rosters.choose(found, chain) is rosters.Choice.FORK:
            raise NotAllowed("error-recovery-fork")
        if found is None or rosters.choose(found, chain) is rosters.Choice.TAKE:
            found = chain
    return found


async def unwrap_all(transport: Transport, store: KeyStore, roster: Roster, secret: bytes) -> list[int]:
    """Keeps every epoch's secret that is wrapped to the recovery key; gives the epochs that nothing opens."""
    keys = recovery_keys(secret)
    mine = recovery_recipient(keys.wrap_public)
    missing = []
    for epoch in roster.epochs.values():
        names = await transport.names(roster.scope.hex(), f"{WRAPS}{epoch.number:08d}-")
        for name in [one for one in names if one.endswith(f"-{mine.hex()}.wrap")][:WRAPS_MAX]:
            wrapped = await transport.get(roster.scope.hex(), name, WRAP_FILE_BYTES_MAX)
            if wrapped is None:
                continue
            with suppress(Untrusted):
                found = unwrap_secret(
                    wrapped, keys, scope=roster.scope, epoch=epoch.number, roster_hash=epoch.commit, recipient=mine
                )
                if commitment(roster.scope, epoch.number, found) == epoch.commit:
                    store.save(secret_name(roster.scope, epoch.number), found)
                    break
        else:
            missing.append(epoch.number)
    return missing


def _chains(scope: str, entries: Sequence[bytes]) -> list[list[bytes]]:
    """Right chains from a founding on, each as far as it can be followed. Bounded."""
    after: dict[bytes, list[bytes]] = {}
    for entry in entries:
        with suppress(Untrusted):
            after.setdefault(rosters.previous_hash(entry), []).append(entry)
    out: list[list[bytes]] = []
    waiting: list[tuple[list[bytes], Roster]] = []
    for entry in after.get(rosters.NO_PREVIOUS, ()):
        with suppress(Untrusted):
            first = rosters.begin(entry)
            if first.scope.hex() == scope:
                waiting.append(([entry], first))
    while waiting and len(out) < CHAINS_MAX:
        chain, there = waiting.pop()
        grown = []
        for entry in after.get(there.head, ()):
            with suppress(Untrusted):
                grown.append(([*chain, entry], rosters.extend(there, entry)))
        waiting += grown
        if not grown:
            out.append(chain)
    return out
