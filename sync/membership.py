"""Who belongs to a scope: founding its roster, letting a device in, taking one out. Acts of an admin device.

Each act is one store transaction (the roster entry, pinned) after the secret it needs is in the key store, and then
the transport, which the engine repeats if it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import cbor2

from store.errors import NotAllowed
from store.memory import Memory
from store.ports import Clock, Entropy
from sync import roster as rosters
from sync import state
from sync.erasing import found_anew
from sync.errors import Malformed
from sync.following import cuts
from sync.keys import SECRET_BYTES, DeviceKeys, commitment
from sync.names import secret_name
from sync.ports import KeyStore
from sync.roster import DeviceRecord, Roster

T = TypeVar("T")

WELCOME_SCOPES_MAX = 4096


@dataclass(frozen=True, slots=True)
class SharedScope:
    """What a newcomer is told of one scope, sealed to it."""

    scope: bytes
    kind: str
    title: str
    aliases: tuple[str, ...]
    """Accounts (private) or chats (group) that lead to it."""
    lane: str
    entries: tuple[bytes, ...]
    """The roster, up to the newcomer's own entry."""
    secrets: tuple[tuple[int, bytes], ...]


async def pinned(memory: Memory) -> Roster | None:
    """The scope's roster; None while it has never been shared."""
    entries = state.roster_entries(await memory.sync_rows())
    return rosters.read_chain(entries) if entries else None


async def found(
    memory: Memory, keys: DeviceKeys, store: KeyStore, entropy: Entropy, *, recovery_sign: bytes, recovery_wrap: bytes
) -> Roster:
    """Founds the roster of a scope that has none, this device its admin. Repeats give the one that is there.

    Its log is founded anew with it: a roster begins at generation 1, however often this device has erased by itself,
    and whoever joins reads a few large changes, not every small one.
    """
    known = await pinned(memory)
    if known is not None:
        return known
    scope = bytes.fromhex(memory.scope)
    secret = store.load(secret_name(scope, 1)) or entropy.bytes(SECRET_BYTES)
    store.save(secret_name(scope, 1), secret)
    entry = rosters.found(
        scope,
        DeviceRecord(keys.sign_public, keys.wrap_public, ""),
        sign_seed=keys.sign_seed,
        recovery_sign=recovery_sign,
        recovery_wrap=recovery_wrap,
        commit=commitment(scope, 1, secret),
    )
    await memory.found_anew(1, hidden_before_ms=None, rows=lambda _: {state.roster_key(0): entry}, always=True)
    await memory.compact()
    return rosters.begin(entry)


async def admit(
    memory: Memory,
    keys: DeviceKeys,
    store: KeyStore,
    *,
    clock: Clock,
    entropy: Entropy,
    sign_public: bytes,
    wrap_public: bytes,
) -> Roster:
    """Lets a device in, under the next free lane. A device that belongs already changes nothing.

    When somebody left since the scope was founded, it is founded anew first: a newcomer reads the others' streams, and
    nobody offers that one again.
    """
    known = await pinned(memory)
    assert known is not None, "a scope is founded before it is shared"
    if any(member.left_at is not None and member.left_at > known.founded_at for member in known.members.values()):
        await found_anew(memory, keys, store, clock=clock, entropy=entropy, always=True)
    async with memory.syncing:
        known = rosters.read_chain(state.roster_entries(await memory.sync_rows()))
        if await memory.generation() < known.generation:
            raise NotAllowed("error-admit-behind")
        record = DeviceRecord(sign_public, wrap_public, known.next_lane())
        if record.device in known.current():
            return known
        entry = rosters.add(known, record, sign_seed=keys.sign_seed)
        grown = rosters.extend(known, entry)
        await memory.receive([], {state.roster_key(grown.height): entry})
        return grown


async def remove(memory: Memory, keys: DeviceKeys, store: KeyStore, entropy: Entropy, device: bytes) -> Roster:
    """Takes a device out and changes the key: what is sealed from now on it cannot open. The next pass tells the others.

    What this device had accepted of it counts; the rest does not. Raises Malformed for one that does not belong.
    """
    async with memory.syncing:
        rows = await memory.sync_rows()
        known = rosters.read_chain(state.roster_entries(rows))
        if device not in known.current() or device == known.admin:
            raise Malformed("roster-remove")
        chain = state.chains(rows).get(device)
        epoch = known.epoch.number + 1
        secret = entropy.bytes(SECRET_BYTES)
        store.save(secret_name(known.scope, epoch), secret)
        entry = rosters.remove(
            known,
            device,
            cut=chain.last if chain else 0,
            commit=commitment(known.scope, epoch, secret),
            sign_seed=keys.sign_seed,
        )
        shrunk = rosters.extend(known, entry)
        new: state.NewRows = {state.roster_key(shrunk.height): entry}
        await memory.carry_beyond(cuts(known, shrunk, keys.device_id, rows), new)
        return shrunk


async def share(
    memory: Memory, store: KeyStore, *, kind: str, title: str, aliases: Sequence[str], lane: str
) -> SharedScope:
    """What a newcomer gets of this scope: the whole roster and every epoch's secret."""
    entries = state.roster_entries(await memory.sync_rows())
    roster = rosters.read_chain(entries)
    secrets = [(epoch, store.load(secret_name(roster.scope, epoch))) for epoch in sorted(roster.epochs)]
    return SharedScope(
        roster.scope,
        kind,
        title,
        tuple(aliases),
        lane,
        tuple(entries),
        tuple((epoch, secret) for epoch, secret in secrets if secret is not None),
    )


def check(keys: DeviceKeys, shared: SharedScope, *, inviter: bytes) -> Roster:
    """The roster that a newcomer was told of by `inviter`, the device it was paired with.

    Raises Malformed when the newcomer is not in it, the inviter is not its admin, or a secret is not what it names.
    """
    roster = rosters.read_chain(shared.entries)
    if roster.admin != inviter:
        raise Malformed("welcome-admin")
    me = roster.current().get(keys.device_id)
    if roster.scope != shared.scope or me is None or me.record.lane != shared.lane:
        raise Malformed("welcome-roster")
    for epoch, secret in shared.secrets:
        known = roster.epochs.get(epoch)
        if known is None or commitment(roster.scope, epoch, secret) != known.commit:
            raise Malformed("welcome-secret")
    return roster


async def accept(memory: Memory, keys: DeviceKeys, store: KeyStore, shared: SharedScope, *, inviter: bytes) -> Roster:
    """The newcomer's side: pins the roster. Raises what `check` raises."""
    roster = check(keys, shared, inviter=inviter)
    if roster.scope.hex() != memory.scope:
        raise Malformed("welcome-roster")
    for epoch, secret in shared.secrets:
        store.save(secret_name(roster.scope, epoch), secret)
    rows: state.NewRows = dict.fromkeys(await memory.sync_rows(state.ROSTER))
    rows |= {state.roster_key(height): entry for height, entry in enumerate(shared.entries)}
    rows[state.LOST] = b"1"
    if await memory.generation() > roster.generation:
        # A copy that was used alone has been founded anew more often than the scope it comes back to.
        await memory.take_baseline(roster.generation, [], rows)
        await memory.compact()
    else:
        await memory.receive([], rows)
    await memory.enter(shared.lane)
    return roster


def _is(value: object, kind: type[T]) -> T:
    if type(value) is not kind:
        raise Malformed("welcome-shape")
    return value


def encode_welcome(scopes: Sequence[SharedScope]) -> bytes:
    return cbor2.dumps(
        [
            [s.scope, s.kind, s.title, list(s.aliases), s.lane, list(s.entries), [list(one) for one in s.secrets]]
            for s in scopes
        ],
        canonical=True,
    )


def decode_welcome(data: bytes) -> list[SharedScope]:
    """Raises Malformed."""
    try:
        listed = cbor2.loads(data)
        if not isinstance(listed, list) or len(listed) > WELCOME_SCOPES_MAX:
            raise Malformed("welcome-shape")
        return [
            SharedScope(
                _is(scope, bytes), _is(kind, str), _is(title, str), tuple(_is(one, str) for one in aliases),
                _is(lane, str), tuple(_is(one, bytes) for one in entries),
                tuple((_is(epoch, int), _is(secret, bytes)) for epoch, secret in secrets),
            )
            for scope, kind, title, aliases, lane, entries, secrets in listed
        ]  # fmt: skip
    except (ValueError, TypeError, cbor2.CBORError) as error:
        raise Malformed("welcome-shape") from error
