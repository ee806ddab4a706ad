"""`niannian device recover`: with the recovery key this device becomes the admin.

On a device that belongs, the admin is put out and the others stay. On one that knows nothing, the folder is searched
for memories that this key opens; they are read whole, and then only this device belongs: whoever else is alive joins
again, because a folder could name devices that never were the owner's. Every step may be repeated with the same key.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bot import render
from bot.inviting import unlike
from bot.joining import finish_uniting, note_uniting
from bot.own_device import RECOVERY_PUBLIC, RECOVERY_SECRET, OwnDevice, field_of, said_accounts, said_chats
from bot.platforms.dialogue import Dialogue
from store.errors import NotAllowed
from store.memory import Memory
from store.model import ScopeID, ScopeKind
from sync import identity, rescue, state
from sync import roster as rosters
from sync.ports import Transport
from sync.recovery import SECRET_BYTES, RecoveryPublic, parse_recovery, public_of, recovery_keys
from sync.roster import Roster

RECOVERY_NEXT = "recovery.next"
"""The key that follows, while a recovery is under way: a repeat goes on with the same."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A memory that the recovery key opens."""

    memory: Memory
    roster: Roster
    staying: Collection[bytes]


async def recover(own: OwnDevice, talk: Dialogue) -> int:
    """Gives the exit status. Raises Rejected, Unavailable, and Malformed for what is no recovery key."""
    words = own.words
    transport = own.transport()
    typed = await talk.ask(words("recover-key"))
    secret = parse_recovery(typed or "")
    following = own.store.load(RECOVERY_NEXT) or own.entropy.bytes(SECRET_BYTES)
    successor = public_of(following)
    lost = await _held(own, transport, secret, successor) or await _found(own, transport, secret)
    if not lost:
        raise NotAllowed("error-recovery-other")
    names = await own.names()
    leaving = _leaving(own, lost)
    gone = [names.get(field_of(device)) or device[:4].hex() for device in leaving]
    listed = render.LIST_SEPARATOR[words.lang].join(gone)
    asked = words("recover-ask", list=listed) if gone else words("recover-ask-alone")
    if await talk.choose((asked,), (words("button-recover"), words("button-leave"))) != 0:
        talk.say(words("left-as-it-is"))
        return 0
    own.store.save(RECOVERY_NEXT, following)
    for one in lost:
        await _become_admin(own, one, secret, successor)
    own.store.save(RECOVERY_SECRET, following)
    own.store.save(RECOVERY_PUBLIC, successor.pack())
    own.store.delete(RECOVERY_NEXT)
    await own.sync()
    if await finish_uniting(own):
        await own.sync()
    entries = sum(one.entries for one in await own.held())
    talk.say(words("recover-done", n=entries, shown=render.number(words, entries)))
    return 0


async def _held(own: OwnDevice, transport: Transport, secret: bytes, successor: RecoveryPublic) -> list[Lost]:
    """Memories of this device; those that were recovered before a crash count too. Takes in what there is first.

    Where this device does not belong, nobody else stays: who let them in is not known here.
    """
    if not await own.shared():
        return []
    await own.sync()
    fits = {recovery_keys(secret).sign_public, successor.sign}
    out = []
    for one, roster in await own.shared():
        if roster.recovery_sign not in fits:
            continue
        staying: Collection[bytes] = ()
        if own.keys.device_id in roster.current():
            staying = set(roster.current()) - {roster.admin}
        else:  # what the others wrote since would be cut off
            await rescue.unwrap_all(transport, own.store, roster, secret)
            await own.read(one.memory)
        out.append(Lost(one.memory, roster, staying))
    return out


async def _found(own: OwnDevice, transport: Transport, secret: bytes) -> list[Lost]:
    """Memories that stand in the folder and that nothing here leads to, read whole."""
    out = []
    led_to = {one.memory.scope for one in await own.held()}
    for scope in await transport.scopes():
        if scope in led_to:
            continue
        chain = await rescue.found_chain(transport, scope, secret)
        if chain is not None:
            out.append(await _read(own, transport, ScopeID(scope), chain, secret))
    return out


async def _read(own: OwnDevice, transport: Transport, scope: ScopeID, chain: list[bytes], secret: bytes) -> Lost:
    roster = rosters.read_chain(chain)
    await rescue.unwrap_all(transport, own.store, roster, secret)
    device = own.home.device
    await device.take_scope(scope, roster.next_lane())
    memory = await own.memory(scope)
    if not state.roster_entries(await memory.sync_rows()):
        await memory.receive([], {state.roster_key(height): entry for height, entry in enumerate(chain)})
    await own.read(memory)
    meta = await memory.read(lambda view: view.registers("meta"))
    said = {name: register.value for name, register in meta.items()}
    accounts, chats = said_accounts(said), said_chats(said)
    lane = device.scope(scope).lane
    kind = ScopeKind.GROUP if said.get("kind") == ScopeKind.GROUP else ScopeKind.PRIVATE
    await note_uniting(own, scope, kind, chats if kind is ScopeKind.GROUP else accounts)
    if kind is ScopeKind.GROUP:
        title = next(iter(chats.values()), "")
        await device.settle_scope(scope, kind, title)
        members = {account: role for account, (_, role) in accounts.items()}
        for chat in chats:
            await device.join_group(scope, lane, chat, title, members)
    else:
        for account, (name, role) in accounts.items():
            await device.join_private(scope, lane, account, name, role)
    return Lost(memory, roster, ())


def _leaving(own: OwnDevice, lost: list[Lost]) -> list[bytes]:
    leaving = {device: None for one in lost for device in one.roster.current() if device not in one.staying}
    return [device for device in leaving if device != own.keys.device_id]


async def _become_admin(own: OwnDevice, one: Lost, secret: bytes, successor: RecoveryPublic) -> None:
    lane = own.home.device.scope(one.memory.scope).lane
    if lane == identity.lent_lane(own.keys.device_id):
        lane = one.roster.next_lane()
    grown = await rescue.recover(
        one.memory, own.keys, own.store, own.entropy,
        secret=secret, successor=successor, staying=one.staying, lane=lane,
    )  # fmt: skip
    await own.enter(one.memory, grown.members[own.keys.device_id].record.lane)
    names = await own.names()
    name = names.pop(own.me)
    await one.memory.describe({own.me: unlike(name, names)})
