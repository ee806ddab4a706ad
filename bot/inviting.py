"""`niannian device pair`: lets another device in, and stays until what is here has arrived there.

Order: the code, the digits, what will be shared, a person's yes; then the rosters, the names, the welcome; then
syncing. The recovery key is made here and shown by whoever called, after the last reply.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bot.own_device import Held, OwnDevice, field_of
from bot.platforms.dialogue import Dialogue
from bot.qr import drawn
from bot.render import LIST_SEPARATOR, number
from store.errors import NotAllowed, NotFound
from sync import meeting, membership
from sync.errors import TransportDown
from sync.meeting import LIMIT_S, Invitation, Monotonic, PairingFailed, Pause
from sync.pairing import CODE_BYTES, NAME_CHARACTERS_MAX, Compare, Inviter, format_code, format_picture, meeting_place
from sync.ports import Transport
from sync.roster import DeviceRecord

MEETING = "meeting"
"""The note that names a place with notes of ours that nobody has taken away yet."""
DELIVER_S = 60.0
PASS_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class Share:
    """Which memories to share: all, unless some are named. Names as shown: a group's, a person's."""

    only: Collection[str] = ()
    without: Collection[str] = ()


async def pair(own: OwnDevice, talk: Dialogue, share: Share, *, pause: Pause, monotonic: Monotonic) -> int:
    """Gives the exit status. Raises Rejected, Unavailable."""
    words = own.words
    transport = own.transport()
    chosen = choose(await own.held(), share)
    await refuse_unless_admin(own, chosen)
    await tidy(own, transport)
    secret = own.entropy.bytes(CODE_BYTES)
    place = meeting_place(secret)
    machine = Inviter(secret, own.keys, own.name[:NAME_CHARACTERS_MAX], own.entropy.bytes(44))
    invitation = Invitation(machine, transport, place, pause=pause, monotonic=monotonic)
    await own.home.device.keep_note(MEETING, place)
    talk.say(words("pair-code", code=format_code(secret)), words("pair-valid", minutes=int(LIMIT_S // 60)))
    talk.picture(drawn(format_picture(secret, own.keys.sign_public)))
    try:
        compared = await invitation.newcomer()
        await refuse_known(own, chosen, compared)
        name = await free_name(own, compared)
        asked = words("pair-ask", name=name, digits=compared.digits), words("pair-share", list=listed(own, chosen))
        if await talk.choose(asked, (words("button-allow"), words("button-refuse"))) != 0:
            await tidy(own, transport)
            talk.say(words("pair-refused", name=name))
            return 0
        await invitation.confirm()
    except BaseException:
        with suppress(TransportDown):  # the note stays, and the next command tidies up
            await tidy(own, transport)
        raise
    await invitation.welcome(await let_in(own, chosen, compared, name))
    entries = sum(one.entries for one in chosen)
    shown = number(words, entries)
    if await _delivered(own, invitation, chosen, compared, pause, monotonic):
        await tidy(own, transport)
        talk.say(words("pair-joined", name=name, n=entries, shown=shown))
    else:
        talk.say(words("pair-joined-later", name=name, n=entries, shown=shown))
    return 0


def choose(held: Sequence[Held], share: Share) -> list[Held]:
    """Raises NotFound for a name that is no memory's. The owner's own memory is always among them."""
    for name in (*share.only, *share.without):
        if not any(_is_called(one, name) for one in held):
            raise NotFound("error-no-such-memory", name=name)
    return [
        one
        for one in held
        if one.mine
        or (
            (not share.only or any(_is_called(one, name) for name in share.only))
            and not any(_is_called(one, name) for name in share.without)
        )
    ]


def _is_called(one: Held, name: str) -> bool:
    return not one.mine and one.title.casefold() == name.strip().casefold()


def listed(own: OwnDevice, chosen: Sequence[Held]) -> str:
    words = own.words
    return LIST_SEPARATOR[words.lang].join(
        words("pair-memory", memory=one.named(words), n=one.entries, shown=number(words, one.entries)) for one in chosen
    )


async def refuse_unless_admin(own: OwnDevice, chosen: Sequence[Held]) -> None:
    """Raises NotAllowed where another device is the one that lets in and takes out."""
    names = await own.names()
    for one in chosen:
        roster = await membership.pinned(one.memory)
        if roster is not None and roster.admin != own.keys.device_id:
            admin = names.get(field_of(roster.admin)) or own.words("another-device")
            raise NotAllowed("error-not-admin", name=admin)


async def refuse_known(own: OwnDevice, chosen: Sequence[Held], compared: Compare) -> None:
    """Raises PairingFailed for this device itself, and for one that was removed: its keys are never let in again."""
    device = device_of(compared)
    if device == own.keys.device_id:
        raise PairingFailed("pairing-self")
    for one in chosen:
        roster = await membership.pinned(one.memory)
        if roster is not None and device in roster.members and device not in roster.current():
            raise PairingFailed("pairing-removed")


async def free_name(own: OwnDevice, compared: Compare) -> str:
    """What the newcomer is called here: the name it has, or else its own, with a number when that is taken."""
    names = await own.names()
    known = names.pop(field_of(device_of(compared)), "")
    wanted = known or compared.peer.name.strip() or own.words("another-device")
    return unlike(wanted, names)


def unlike(wanted: str, names: Mapping[str, str]) -> str:
    taken = {name.casefold() for name in names.values()}
    at, name = 2, wanted
    while name.casefold() in taken:
        name = f"{wanted}-{at}"
        at += 1
    return name


async def let_in(own: OwnDevice, chosen: Sequence[Held], compared: Compare, name: str) -> bytes:
    """Rosters first, names next; gives the welcome. A repeat changes nothing."""
    public = own.recovery_public()
    shared = []
    for one in chosen:
        memory = one.memory
        await membership.found(
            memory, own.keys, own.store, own.entropy, recovery_sign=public.sign, recovery_wrap=public.wrap
        )
        grown = await membership.admit(
            memory, own.keys, own.store, clock=own.clock, entropy=own.entropy,
            sign_public=compared.peer.sign_public, wrap_public=compared.peer.wrap_public,
        )  # fmt: skip
        known = await own.names()
        await memory.describe({own.me: known[own.me], field_of(device_of(compared)): name})
        lane = grown.current()[device_of(compared)].record.lane
        shared.append(
            await membership.share(
                memory, own.store, kind=one.kind.value, title=one.title, aliases=one.aliases, lane=lane
            )
        )
    return membership.encode_welcome(shared)


async def _delivered(
    own: OwnDevice, invitation: Invitation, chosen: Sequence[Held], compared: Compare, pause: Pause,
    monotonic: Monotonic,
) -> bool:  # fmt: skip
    """Syncs until the newcomer has said that it holds everything; False when that takes longer than a while.

    One that belonged before may hold everything already, and has still to read its welcome.
    """
    device, ends = device_of(compared), monotonic() + DELIVER_S
    taken = False
    while True:
        with suppress(TransportDown):
            await own.sync()
            taken = taken or await invitation.is_taken()
        behind = [await _behind(own, one, device) for one in chosen]
        if taken and not any(behind):
            return True
        if monotonic() >= ends:
            return False
        await pause(PASS_EVERY_S)


async def _behind(own: OwnDevice, one: Held, device: bytes) -> bool:
    standing = await own.standing(one.memory)
    assert standing is not None, "it was founded just now"
    return any(member.heard_ms is None or member.behind for member in standing.members if member.device == device)


async def tidy(own: OwnDevice, transport: Transport) -> None:
    """Takes away the notes of a meeting that is over."""
    place = own.home.device.note(MEETING)
    if place:
        await meeting.clear(transport, place)
        await own.home.device.keep_note(MEETING, "")


def device_of(compared: Compare) -> bytes:
    return DeviceRecord(compared.peer.sign_public, compared.peer.wrap_public, "").device
