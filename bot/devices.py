"""`niannian device list`, `remove NAME` and `retire`: which devices there are, and how one stops being one of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC

from bot import render
from bot.own_device import Held, OwnDevice, field_of
from bot.platforms.dialogue import Dialogue
from store.errors import NotAllowed, NotFound, Rejected
from sync import membership
from sync.meeting import Monotonic, Pause
from sync.names import secret_name
from sync.roster import Roster

RETIRED = "retired/"
RETIRE_S = 60.0
PASS_EVERY_S = 0.5


@dataclass(slots=True)
class Known:
    """One device over all the scopes it is in."""

    device: bytes
    name: str
    here: bool
    admin: bool = False
    belongs: bool = False
    retired: bool = False
    lanes: set[str] = field(default_factory=set)
    heard_ms: int | None = None
    behind: int = 0
    shared: int = 0


async def known_devices(own: OwnDevice) -> list[Known]:
    """This device first, those that left last."""
    names = await own.names()
    found: dict[bytes, Known] = {}

    def known(device: bytes) -> Known:
        name = names.get(field_of(device)) or device[:4].hex()
        return found.setdefault(device, Known(device, name, device == own.keys.device_id))

    known(own.keys.device_id)
    for one, roster in await own.shared():
        standing = await own.standing(one.memory)
        assert standing is not None, "it has a roster"
        meta = await one.memory.read(lambda view: view.registers("meta"))
        for member in (*standing.members, *standing.left):
            it = known(member.device)
            it.retired = it.retired or f"{RETIRED}{member.device[:8].hex()}" in meta
            it.lanes.add(member.lane)
            it.heard_ms = max(filter(None, (it.heard_ms, member.heard_ms)), default=None)
            if member.device in roster.current():
                it.belongs, it.shared = True, it.shared + 1
                it.behind += member.behind
                it.admin = it.admin or member.device == roster.admin
    return sorted(found.values(), key=lambda it: (not it.here, not it.belongs, it.name))


async def show_devices(own: OwnDevice, talk: Dialogue) -> int:
    """Gives the exit status."""
    words = own.words
    devices = await known_devices(own)
    talk.say(*(_line(own, it, told=devices[0].belongs) for it in devices))
    if len(devices) == 1:
        talk.say(words("devices-alone"))
    elif not devices[0].belongs:
        talk.say(words("device-here-removed" if devices[0].lanes else "not-let-in"))
    return 0


def _line(own: OwnDevice, it: Known, *, told: bool) -> str:
    """`told`: this device belongs, so that the others' words still reach it."""
    words = own.words
    parts = [it.name + (words("device-here") if it.here else "")]
    if it.lanes - {""}:
        parts.append(words("device-lane", lane=render.LIST_SEPARATOR[words.lang].join(sorted(it.lanes - {""}))))
    if not it.belongs and it.lanes:
        parts.append(words("device-retired" if it.retired else "device-removed"))
        return " · ".join(parts)
    if it.admin:
        parts.append(words("device-admin"))
    if not it.here:
        if it.heard_ms is None:
            parts.append(words("device-unheard"))
        else:
            today = own.clock.now().astimezone(UTC)
            now = render.local(int(today.timestamp() * 1000), own.zone)
            when = render.full_moment(words, render.local(it.heard_ms, own.zone), now.date())
            parts.append(words("device-heard", when=when))
        if told:
            shown = render.number(words, it.behind)
            parts.append(words("device-behind", n=it.behind, shown=shown) if it.behind else words("device-level"))
    return " · ".join(parts)


# removing


async def remove(own: OwnDevice, talk: Dialogue, name: str) -> int:
    """Gives the exit status. Raises Rejected and Unavailable; repeating goes on where it was cut off."""
    words = own.words
    gone = called(await known_devices(own), name)
    if gone.here:
        raise Rejected("error-remove-here")
    if not gone.belongs:
        raise Rejected("error-device-removed", name=gone.name)
    held = [(one, roster) for one, roster in await own.shared() if gone.device in roster.current()]
    await _refuse_unless_admin(own, held)
    own.transport()  # asked only where the others can be told
    asked = (words("remove-ask", name=gone.name),)
    if await talk.choose(asked, (words("button-remove"), words("button-keep"))) != 0:
        talk.say(words("remove-kept", name=gone.name))
        return 0
    await own.sync()  # what it said until now still counts
    for one, _ in held:
        await membership.remove(one.memory, own.keys, own.store, own.entropy, gone.device)
    await own.sync()
    left = [it.name for it in await known_devices(own) if it.belongs]
    names = render.LIST_SEPARATOR[words.lang].join(left)
    talk.say(words("remove-done", name=gone.name, n=len(left), list=names))
    return 0


def called(devices: Iterable[Known], name: str) -> Known:
    """Raises NotFound. A device that belongs goes before one of the same name that left."""
    wanted = name.strip().casefold()
    found = [it for it in devices if wanted in (it.name.casefold(), it.device[:4].hex())]
    if not found:
        raise NotFound("error-no-such-device", name=name.strip())
    return min(found, key=lambda it: not it.belongs)


async def _refuse_unless_admin(own: OwnDevice, held: Iterable[tuple[Held, Roster]]) -> None:
    names = await own.names()
    for _, roster in held:
        if roster.admin != own.keys.device_id:
            name = names.get(field_of(roster.admin)) or own.words("another-device")
            raise NotAllowed("error-not-admin", name=name)


# retiring


async def retire(own: OwnDevice, talk: Dialogue, *, pause: Pause, monotonic: Monotonic) -> int:
    """This device hands over what it has and stops. Gives the exit status; 1 while something is not handed over."""
    words = own.words
    held = [(one, roster) for one, roster in await own.shared() if own.keys.device_id in roster.current()]
    if not held:
        raise Rejected("error-retire-alone")
    if any(roster.admin == own.keys.device_id for _, roster in held):
        raise NotAllowed("error-retire-admin")
    own.transport()
    if await talk.choose((words("retire-ask", name=own.name),), (words("button-retire"), words("button-keep"))) != 0:
        talk.say(words("retire-kept"))
        return 0
    for one, _ in held:
        await one.memory.describe({f"{RETIRED}{own.keys.device_id[:8].hex()}": True})
    ends = monotonic() + RETIRE_S
    while left := await _undelivered(own, held):
        if monotonic() >= ends:
            talk.say(words("retire-waits", n=left, shown=render.number(words, left)))
            return 1
        await pause(PASS_EVERY_S)
    for _, roster in held:
        for epoch in roster.epochs:
            own.store.delete(secret_name(roster.scope, epoch))
    await own.home.device.keep_note("folder", "")
    talk.say(words("retire-done", name=own.name))
    return 0


async def _undelivered(own: OwnDevice, held: Iterable[tuple[Held, Roster]]) -> int:
    """Changes of this device that the admin does not hold, after one more pass.

    An admin that has taken this device off its list has heard its last word: `retired` itself.
    """
    await own.sync()
    left = 0
    for one, roster in held:
        standing = await own.standing(one.memory)
        assert standing is not None
        if standing.belongs:
            left += sum(member.behind for member in standing.members if member.device == roster.admin)
    return left


async def take_out_retired(own: OwnDevice) -> list[str]:
    """On an admin: removes the devices that said goodbye and whose last word is here. Gives their names."""
    names = await own.names()
    out: dict[str, None] = {}
    for one, roster in await own.shared():
        if roster.admin != own.keys.device_id:
            continue
        meta = await one.memory.read(lambda view: view.registers("meta"))
        for device in roster.current():
            said = meta.get(f"{RETIRED}{device[:8].hex()}")
            if said is not None and said.value is True and device != own.keys.device_id:
                await membership.remove(one.memory, own.keys, own.store, own.entropy, device)
                out[names.get(field_of(device)) or device[:4].hex()] = None
    return list(out)
