"""Reminders that have come due: each rings once, in one message with the others of its place."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from bot.commands import reminders
from bot.commands.reminders import Waiting
from bot.dailies import Ticked
from bot.gateway import Gateway
from bot.message import Inbound, Reply
from bot.places import ROOM_WISHED, Heard, Places, Ring, Silence
from bot.turn import Turn
from scheduler import slots
from scheduler.slots import LATE, TAKEOVER, Appointment, Known
from store.errors import Damaged, NotAllowed, Unavailable
from store.home import Home
from store.model import ScopeID, Slot, SlotState
from store.ports import Clock
from store.slots import Marked

log = logging.getLogger(__name__)

HANDOVER = timedelta(minutes=10)
"""So long after a takeover the device that spoke before may still have said something."""
TOLD_FOR = timedelta(days=30)
"""What was missed longer ago than this is not even told any more."""


class Reminding:
    def __init__(self, home: Home, gateway: Gateway, places: Places, *, clock: Clock) -> None:
        self._home = home
        self._gateway = gateway
        self._places = places
        self._clock = clock
        self._settled: set[str] = set()
        """Kinds of which nothing is to be done any more."""

    async def tick(self, scope: ScopeID, waiting: Sequence[Waiting], zone: str, now: datetime) -> Ticked:
        some = [each for one in waiting for each in one.expanded(zone, now)]
        coming = tuple(one.at for one in some if one.at > now)
        begun = {slots.reminder(scope, one.task.id, one.at, zone, one.mark): one for one in some if one.at <= now}
        if all(one.slot.kind in self._settled for one in begun):
            return Ticked(coming)
        return Ticked(coming, await self._ring(scope, begun, now), settled=False)

    async def _ring(self, scope: ScopeID, wanted: dict[Appointment, Waiting], now: datetime) -> frozenset[Silence]:
        """Why some of it could not be said."""
        known = await self._known(wanted)
        due = slots.due(wanted, known, now)
        self._settled |= {one.slot.kind for one in wanted if _is_settled(known.get(one.slot))}
        await self._forget([one for one in due.past if now - one.at > TOLD_FOR])
        past = [one for one in due.past if now - one.at <= TOLD_FOR]
        places = dict.fromkeys(wanted[one].where for one in (*due.ring, *past))
        silences = set()
        for place in places:
            rung, late = ([one for one in some if wanted[one].where == place] for some in (due.ring, past))
            silence = await self._ring_at(
                scope, [(one, wanted[one]) for one in rung], [(one, wanted[one]) for one in late]
            )
            silences |= {silence} if silence is not None else set()
        return frozenset(silences)

    async def _known(self, wanted: dict[Appointment, Waiting]) -> dict[Slot, Known]:
        """What became of these before: in whichever memory the task was then, and by whichever zone it was read."""
        kept = await self._home.slots.of_kinds({slots.kinds_of(one.task.id) for one in wanted.values()})
        begun = {(one.slot.kind.split("/")[1], one.mark) for one in kept if one.state in slots.BEGUN}
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
    ) -> Silence | None:
        first = (*rung, *late)[0][1]
        heard = await self._places.hearing(scope, first.where, first.by, room=ROOM_WISHED)
        if not isinstance(heard, Heard):
            if heard is Silence.NOBODY:
                await self._home.slots.keep(_marked([one for one, _ in rung]), SlotState.DUE)
            return heard
        handed_over = [one for one, waiting in (*rung, *late) if _before(waiting, heard.since)]
        if handed_over:
            await self._home.slots.keep(_marked(handed_over), SlotState.SKIPPED, TAKEOVER)
            rung, late = ([pair for pair in some if not _before(pair[1], heard.since)] for some in (rung, late))
        if rung or late:
            ring = await self._compose(scope, heard.place, rung, late)
            if ring is not None:
                await self._places.say(ring)
        return None

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


def _before(one: Waiting, since: datetime) -> bool:
    """Whether the device that spoke before may have said it."""
    return one.asked_ms < since.timestamp() * 1000 and one.at <= since + HANDOVER


def _is_settled(known: Known | None) -> bool:
    return known is not None and known.state in (SlotState.SENT, SlotState.UNCERTAIN)


def _marked(some: Sequence[Appointment]) -> tuple[Marked, ...]:
    return tuple((one.slot, one.mark) for one in some)
