"""`niannian device join CODE`: this device becomes one of the owner's, and what it held is united with what they hold.

Nothing here leads anywhere before the whole welcome was checked. What can go wrong afterwards (no room, a crash) is
put right by joining again with a new code.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from bot.app import OWNER
from bot.own_device import OwnDevice, field_of
from bot.platforms.dialogue import Dialogue
from bot.render import number
from store.errors import KeyMissing, Rejected
from store.grants import GroupClaim, PrivateClaim, grant
from store.memory import Memory
from store.model import AccountID, Role, ScopeID, ScopeKind
from sync import identity, membership
from sync import keys as device_keys
from sync.errors import Malformed, TransportDown, Untrusted
from sync.meeting import Arrival, Monotonic, PairingFailed, Pause
from sync.membership import SharedScope
from sync.pairing import NAME_CHARACTERS_MAX, Joiner, meeting_place, parse_picture
from sync.roster import DeviceRecord

ALIASES_MAX = 1000
SILENT_S = 15.0
"""After so long without an answer it is said where this device looks."""
UNITING = "uniting"
"""The note of what is still to be united: `<old scope>:<new scope>`, by commas."""


async def join(own: OwnDevice, talk: Dialogue, code: str, *, pause: Pause, monotonic: Monotonic) -> int:
    """Gives the exit status. Raises Rejected, Unavailable, and Malformed for what is no code."""
    words = own.words
    transport = own.transport()
    secret, expected = parse_picture(code)
    await _refuse_shared(own)
    machine = Joiner(secret, own.keys, own.name[:NAME_CHARACTERS_MAX], own.entropy.bytes(56))
    began, told = monotonic(), False

    async def patient(seconds: float) -> None:
        """A person who sees nothing for long does not know that the other device looks elsewhere, or not at all."""
        nonlocal told
        if not told and monotonic() - began >= SILENT_S:
            told = True
            talk.say(words("join-waits", path=str(own.folder())))
        await pause(seconds)

    arrival = Arrival(machine, transport, meeting_place(secret), pause=patient, monotonic=monotonic, expected=expected)
    try:
        compared = await arrival.inviter()
        told = True  # from here on a person at the other device is awaited
        talk.say(words("join-compare", digits=compared.digits, name=compared.peer.name))
        welcomed = await arrival.welcome()
    finally:
        with suppress(TransportDown):
            await arrival.leave()
    inviter = DeviceRecord(welcomed.peer.sign_public, welcomed.peer.wrap_public, "").device
    try:
        shared = membership.decode_welcome(welcomed.welcome)
        if not shared:
            raise Malformed("welcome-shape")
        for one in shared:
            _check(own, one, inviter)
    except Untrusted as error:
        raise PairingFailed("pairing-welcome") from error
    for one in shared:
        await note_uniting(own, ScopeID(one.scope.hex()), ScopeKind(one.kind), one.aliases)
    for one in shared:
        await _take(own, one, inviter)
    await own.sync()
    if await finish_uniting(own):
        await own.sync()
    held = [one for one in await own.held() if any(one.memory.scope == s.scope.hex() for s in shared)]
    entries = sum(one.entries for one in held)
    lines = [words("join-done", name=compared.peer.name, n=entries, shown=number(words, entries))]
    if was := await _listed_before(own, inviter):
        lines.append(words("join-was", was=was, name=compared.peer.name))
    talk.say(*lines)
    return 0


async def _listed_before(own: OwnDevice, inviter: bytes) -> str:
    """The name of the device that this home was before, when it is on the list beside the one it is now; or ""."""
    try:
        was = device_keys.load(own.home.path, identity.WAS).device_id
    except KeyMissing:
        return ""
    if was == inviter or not any(was in roster.current() for _, roster in await own.shared()):
        return ""
    return (await own.names()).get(field_of(was)) or was[:4].hex()


async def was_removed(own: OwnDevice, code: str) -> bool:
    """Whether some memory has put this device out: its keys are never let in again, a new device may be.

    A device that slept learns of it here. Raises what `join` raises before it begins: nothing changes for a typing error.
    """
    own.transport()
    parse_picture(code)
    with suppress(TransportDown):
        await own.sync()
    standings = [await own.standing(one.memory) for one, _ in await own.shared()]
    return any(standing is not None and standing.removed for standing in standings)


async def _refuse_shared(own: OwnDevice) -> None:
    """Raises Rejected when this device has let in others already: two families of devices are not made one."""
    for _, roster in await own.shared():
        if roster.admin == own.keys.device_id and len(roster.current()) > 1:
            raise Rejected("error-join-admin")


def _check(own: OwnDevice, shared: SharedScope, inviter: bytes) -> None:
    """Raises Malformed."""
    membership.check(own.keys, shared, inviter=inviter)
    if shared.kind not in set(ScopeKind) or not 1 <= len(shared.aliases) <= ALIASES_MAX:
        raise Malformed("welcome-shape")


async def _take(own: OwnDevice, shared: SharedScope, inviter: bytes) -> None:
    """From now on the accounts or the chats of this scope lead to it here as well."""
    device, scope = own.home.device, ScopeID(shared.scope.hex())
    for alias in shared.aliases:
        if shared.kind == ScopeKind.PRIVATE:
            account = AccountID(alias)
            known = device.account(account)
            role = Role.OWNER if account == OWNER else Role.MEMBER
            await device.join_private(scope, shared.lane, account, known.name if known else shared.title, role)
        else:
            await device.join_group(scope, shared.lane, alias, shared.title, {OWNER: Role.ADMIN})
    await membership.accept(await _opened(own, shared), own.keys, own.store, shared, inviter=inviter)


async def _opened(own: OwnDevice, shared: SharedScope) -> Memory:
    alias = shared.aliases[0]
    claim = PrivateClaim(AccountID(alias)) if shared.kind == ScopeKind.PRIVATE else GroupClaim(alias, OWNER)
    return await own.home.memory(grant(claim, own.home.device))


async def note_uniting(own: OwnDevice, scope: ScopeID, kind: ScopeKind, aliases: Collection[str]) -> None:
    """Which memories will go on in `scope`: noted before anything leads there, for a crash hides them otherwise.

    `aliases`: accounts of a private one, chats of a group, and a private one is never united with a group.
    """
    pairs = _uniting(own)
    for old in await own.held():
        if old.kind is kind and set(old.aliases) & set(aliases) and old.memory.scope != scope:
            pairs.append((old.memory.scope, scope))
    await own.home.device.keep_note(UNITING, ",".join(f"{old}:{new}" for old, new in dict.fromkeys(pairs)))


def _uniting(own: OwnDevice) -> list[tuple[ScopeID, ScopeID]]:
    pairs = (pair.partition(":") for pair in own.home.device.note(UNITING).split(",") if pair)
    return [(ScopeID(old), ScopeID(new)) for old, _, new in pairs]


async def finish_uniting(own: OwnDevice) -> bool:
    """What this device held under the same accounts and chats goes on in the memories that took their place."""
    pairs = _uniting(own)
    for old, new in pairs:
        await (await own.memory(new)).unite(await own.memory(old))
        await own.home.retire(old, new)
    await own.home.device.keep_note(UNITING, "")
    return bool(pairs)
