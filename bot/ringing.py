"""What is said unasked, when its time has come: reminders, each once, to the place where they were asked for.

    tick: what has changed is looked at anew → what is due and was not begun → one message a place → slot and delivery

The tasks are the truth of what is wanted, the slots of what was said; in between there is only a look-up that any tick
can make again. `tick` is idempotent: the alarm calls it when something is due, every 45 seconds, and after a message
that set a time. A memory that breaks stops no other.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.commands import devices, reminders
from bot.commands.reminders import Waiting
from bot.gateway import Gateway
from bot.message import Chat, ChatKind, Inbound, Reply
from bot.turn import Turn
from scheduler import slots
from scheduler.slots import LATE, Appointment, Known
from store.device import ChatState
from store.errors import Damaged, NotAllowed, Unavailable
from store.grants import UpkeepClaim, grant
from store.home import Home
from store.model import AccountID, ScopeID, ScopeKind, Slot, SlotState
from store.ports import Clock
from store.slots import Marked
from store.view import View

log = logging.getLogger(__name__)

TERMINAL = "terminal"
TAKEOVER = "takeover"
HANDOVER = timedelta(minutes=10)
"""So long after a takeover the device that spoke before may still have said something."""
OPENING = timedelta(minutes=2)
"""So long after a start a platform may still be about to open; it is looked at every few seconds."""
SOON = timedelta(seconds=3)
TOLD_FOR = timedelta(days=30)
"""What was missed longer ago than this is not even told any more."""


@dataclass(frozen=True, slots=True)
class Ring:
    """One message for one place, and the slots that it takes."""

    place: Inbound
    reply: Reply
    slots: tuple[Marked, ...]
    late: tuple[Marked, ...]


class Outlet(Protocol):
    """A platform that can be spoken to unasked."""

    async def speaks_since(self) -> datetime | None:
        """When this device took over there; None when it does not speak now, or nobody can be reached."""
        ...

    async def ring(self, ring: Ring) -> bool:
        """Takes the slots and queues the message, both or neither."""
        ...


Show = Callable[[Reply], None]


@dataclass(slots=True)
class _Looked:
    """What a memory wanted when it was last looked at."""

    change: int
    zone: str
    waiting: list[Waiting] = field(default_factory=list)


class Ringing:
    """`zone`: what holds where a memory has set none."""

    def __init__(self, home: Home, gateway: Gateway, *, clock: Clock, zone: str) -> None:
        self._home = home
        self._gateway = gateway
        self._clock = clock
        self._zone = zone
        self.outlets: dict[str, Outlet] = {}
        """By platform."""
        self._seats: dict[str, list[Show]] = defaultdict(list)
        self._looked: dict[ScopeID, _Looked] = {}
        self._settled: set[str] = set()
        """Kinds of which nothing is to be done any more."""
        self._begun_at: datetime | None = None
        self._shut = False
        """In this look, something could not be said because its platform was not open."""
        self._at_work = asyncio.Lock()

    def sit_down(self, chat: Chat, show: Show) -> None:
        """Somebody is at a terminal: what is due in `chat` is shown there from now on."""
        self._seats[f"{chat.platform}:{chat.id}"].append(show)

    async def tick(self) -> datetime | None:
        """Says what is due. Gives the next instant at which something will be. Raises nothing but a bug."""
        async with self._at_work:
            try:
                first = self._begun_at is None
                if first:
                    await self._home.slots.begin()
                await self._look(everything=first)
                self._begun_at = self._begun_at or self._clock.now()
            except (Unavailable, Damaged) as error:
                log.warning("could not look what is due", extra={"reason": error.code})
                return None
            self._shut = False
            next_at = await self._ring_all()
            now = self._clock.now()
            if self._shut and timedelta(0) <= now - self._begun_at < OPENING:
                return min(next_at or now + SOON, now + SOON)
            return next_at

    # what is wanted

    async def _look(self, *, everything: bool) -> None:
        """At whatever may have changed."""
        touched = self._home.take_touched()
        if everything:
            touched |= {scope.scope for scope in self._home.device.scopes() if scope.made}
        known = {scope.scope for scope in self._home.device.scopes()}
        for scope in touched & known:
            try:
                memory = await self._home.memory(grant(UpkeepClaim(scope), self._home.device))
                before = self._looked.get(scope)
                looked = await memory.read(lambda view, before=before: self._see(view, before))  # type: ignore[misc]
                self._looked[scope] = looked
            except (Unavailable, Damaged, NotAllowed) as error:
                log.warning("could not look what is due in a memory", extra={"scope": scope, "reason": error.code})
        for gone in self._looked.keys() - known:
            del self._looked[gone]

    def _see(self, view: View, before: _Looked | None) -> _Looked:
        change = view.newest_change()
        if before is not None and before.change == change:
            return before
        zone = view.setting("zone") or self._zone
        here = self._home.device_id
        found = [one for one in reminders.waiting(view, zone) if not _is_elsewhere(view, one, here)]
        return _Looked(change, zone, found)

    # what is due

    async def _ring_all(self) -> datetime | None:
        now = self._clock.now()
        coming: list[datetime] = []
        for scope, looked in list(self._looked.items()):
            coming += [one.at for one in looked.waiting if one.at > now]
            if not any(one.at <= now and self._kind(scope, looked, one) not in self._settled for one in looked.waiting):
                continue
            try:
                await self._ring(scope, looked, now)
            except (Unavailable, Damaged, NotAllowed) as error:
                log.warning("could not ring", extra={"scope": scope, "reason": error.code})
            except Exception as error:  # a fault in one memory: it costs the others nothing
                log.error("ringing broke", extra={"scope": scope, "reason": type(error).__name__})
        return min(coming, default=None)

    def _kind(self, scope: ScopeID, looked: _Looked, one: Waiting) -> str:
        return self._appointment(scope, looked, one).slot.kind

    def _appointment(self, scope: ScopeID, looked: _Looked, one: Waiting) -> Appointment:
        return slots.reminder(scope, one.task.id, one.at, looked.zone, one.task.due)

    async def _ring(self, scope: ScopeID, looked: _Looked, now: datetime) -> None:
        wanted = {self._appointment(scope, looked, one): one for one in looked.waiting if one.at <= now}
        known = await self._known(wanted)
        due = slots.due(wanted, known, now)
        self._settled |= {one.slot.kind for one in wanted if _is_settled(known.get(one.slot))}
        await self._forget([one for one in due.past if now - one.at > TOLD_FOR])
        past = [one for one in due.past if now - one.at <= TOLD_FOR]
        places = dict.fromkeys(wanted[one].place for one in (*due.ring, *past))
        for place in places:
            rung, late = ([one for one in some if wanted[one].place == place] for some in (due.ring, past))
            await self._ring_at(scope, [(one, wanted[one]) for one in rung], [(one, wanted[one]) for one in late])

    async def _known(self, wanted: dict[Appointment, Waiting]) -> dict[Slot, Known]:
        """What became of these before: in whichever memory the task was then, and by whichever zone it was read."""
        kept = await self._home.slots.of_kinds({slots.kinds_of(one.task.id) for one in wanted.values()})
        begun = {(one.slot.kind.split("/")[1], one.mark) for one in kept if one.state in _BEGUN}
        known = {}
        for one, waiting in wanted.items():
            same = [other for other in kept if other.slot.kind == one.slot.kind]
            if (waiting.task.id, one.mark) in begun:
                known[one.slot] = Known(SlotState.SENT)
            elif same:
                known[one.slot] = Known(same[0].state, same[0].reason)
        return known

    async def _forget(self, late: Sequence[Appointment]) -> None:
        if late:
            await self._home.slots.keep(_marked(late), SlotState.SKIPPED, LATE)

    # one place

    async def _ring_at(
        self, scope: ScopeID, rung: list[tuple[Appointment, Waiting]], late: list[tuple[Appointment, Waiting]]
    ) -> None:
        first = (*rung, *late)[0][1]
        inbound = self._inbound(scope, first)
        if inbound is None:
            return
        if inbound.chat.platform == TERMINAL:
            shows = self._seats.get(f"{TERMINAL}:{inbound.chat.id}")
            if not shows:
                await self._home.slots.keep(_marked([one for one, _ in rung]), SlotState.DUE)
                return
        else:
            outlet = self.outlets.get(inbound.chat.platform)
            since = await outlet.speaks_since() if outlet is not None else None
            self._shut = self._shut or (outlet is not None and since is None)
            if since is None or self._home.device.note(f"paused/{first.chat}"):
                return
            handed_over = [one for one, waiting in (*rung, *late) if _before(waiting, since)]
            if handed_over:
                await self._home.slots.keep(_marked(handed_over), SlotState.SKIPPED, TAKEOVER)
                rung, late = ([pair for pair in some if not _before(pair[1], since)] for some in (rung, late))
            if not rung and not late:
                return
        ring = await self._compose(scope, inbound, rung, late)
        if ring is None:
            return
        if inbound.chat.platform == TERMINAL:
            await self._home.slots.keep(ring.late, SlotState.SKIPPED, LATE)
            await self._home.slots.keep(ring.slots, SlotState.SENDING)
            for show in self._seats[f"{TERMINAL}:{inbound.chat.id}"]:
                show(ring.reply)
            await self._home.slots.keep(ring.slots, SlotState.SENT)
        else:
            await self.outlets[inbound.chat.platform].ring(ring)

    async def _compose(
        self,
        scope: ScopeID,
        inbound: Inbound,
        rung: list[tuple[Appointment, Waiting]],
        late: list[tuple[Appointment, Waiting]],
    ) -> Ring | None:
        now_due, too_late = [one for _, one in rung], [one for _, one in late]
        about = " ".join(one.task.title for one in (*now_due, *too_late))

        async def say(fn: Callable[[Turn, Sequence[Waiting], Sequence[Waiting]], Reply | None]) -> Reply | None:
            return await self._gateway.unasked(inbound, scope, lambda turn: fn(turn, now_due, too_late), about=about)

        try:
            reply = await say(reminders.ring)
        except (Unavailable, Damaged, NotAllowed):
            raise
        except Exception as error:
            log.error("a reminder could not be put into words", extra={"scope": scope, "reason": type(error).__name__})
            reply = await say(reminders.ring_plain)
        if reply is None:
            return None
        return Ring(inbound, reply, _marked([one for one, _ in rung]), _marked([one for one, _ in late]))

    def _inbound(self, scope: ScopeID, one: Waiting) -> Inbound | None:
        """Where it is to be said; None where that place does not lead to this memory (any more), or is switched off."""
        device = self._home.device
        platform, _, number = one.chat.partition(":")
        known = device.scope(scope)
        if known.kind is ScopeKind.PRIVATE:
            account = AccountID(number if platform == TERMINAL else one.chat)
            found = device.account(account)
            if found is None or found.scope != scope:
                return None
            chat, name = Chat(platform, number, ChatKind.PRIVATE), found.name
        else:
            now = self._group_now(scope, one.chat)
            members = device.members(scope)
            if now is None or not members:
                return None
            account = one.by if one.by in members else next(iter(members))
            chat, name = Chat(platform, now.partition(":")[2], ChatKind.GROUP, known.title), ""
        return Inbound("", chat, account, name, "", self._clock.now(), topic=one.topic)

    def _group_now(self, scope: ScopeID, chat: str) -> str | None:
        """What the chat is called now, where it is switched on."""
        device = self._home.device
        names = [name for name, led in device.chats().items() if led == scope]
        if chat not in names:
            return None
        if device.chat_state(chat) is ChatState.MOVED:
            return next((name for name in names if device.chat_state(name) is ChatState.ON), None)
        return chat if device.is_on(chat) else None


_BEGUN = (SlotState.SENDING, SlotState.SENT, SlotState.UNCERTAIN)


def _before(one: Waiting, since: datetime) -> bool:
    """Whether the device that spoke before may have said it."""
    return one.asked_ms < since.timestamp() * 1000 and one.at <= since + HANDOVER


def _is_settled(known: Known | None) -> bool:
    return known is not None and known.state in (SlotState.SENT, SlotState.UNCERTAIN)


def _marked(some: Sequence[Appointment]) -> tuple[Marked, ...]:
    return tuple((one.slot, one.mark) for one in some)


def _is_elsewhere(view: View, one: Waiting, here: bytes) -> bool:
    """Asked at the terminal of another device that is still in use: it rings there."""
    if not one.chat.startswith(f"{TERMINAL}:") or one.device == here[:8].hex():
        return False
    return one.device in devices.in_use(view)
