"""What is said unasked, when its time has come: it looks at what memories want, and has each thing said once.

    tick: what has changed is looked at anew → what is due and was not begun → one message a place → slot and delivery

The memories are the truth of what is wanted, the slots of what was said; in between there is only a look-up that any
tick can make again. `tick` is idempotent: the alarm calls it when something is due, every 45 seconds, and after a
message that set a time. A memory that breaks stops no other.

Thousands may be due at one minute. No more is put into words than can leave soon; the others stand in line, and a tick
that leaves some in line wants to be called again at once, so that what was set meanwhile is not behind all of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from bot import retention
from bot.checkpointing import Checkpointing, Talk, talks_in
from bot.commands import reminders
from bot.commands.reminders import Waiting
from bot.dailies import SAYS, Dailies, Say, Wanted, wanted
from bot.gateway import Gateway
from bot.message import Chat
from bot.nights import Nights
from bot.places import ROOM, Places, Show, Silence, is_elsewhere
from bot.reminding import Reminding
from scheduler import slots
from store.errors import Damaged, NotAllowed, Unavailable
from store.grants import UpkeepClaim, grant
from store.home import Home
from store.model import ScopeID
from store.ports import Clock
from store.view import View

log = logging.getLogger(__name__)

OPENING = timedelta(minutes=2)
"""So long after a start a platform may still be about to open; it is looked at every few seconds."""
SOON = timedelta(seconds=3)
IN_LINE = timedelta(seconds=1)
"""When those in line are looked at again, where there is no room."""
LOOKS_MAX = 100
"""So many memories a tick looks at before it says what is due."""
NIGHTS_MAX = 50
"""So many memories a tick tidies; the others have their night, and what comes after it, in the next."""
SERVED_MAX = ROOM
"""So many are told in one tick what they have not set a moment for."""
AT_ONCE = 3
"""So many of them side by side: most of it is waiting for the disk."""
TURNED_AWAY_MAX = 10
"""So many in line whose own platform is full are passed over where another has room."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """What a memory wanted when it was last looked at. Another one is made when anything has changed."""

    change: int
    zone: str
    waiting: list[Waiting]
    daily: Wanted
    said: int
    talks: list[Talk]
    keeps: bool
    """Whether its chat is kept for a time only."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """Nothing is to be done for what was `looked` at before `until`, as long as the clock is not behind `since`."""

    looked: _Looked
    since: datetime
    until: datetime
    next_at: datetime | None

    def holds(self, looked: _Looked, now: datetime) -> bool:
        return self.looked is looked and self.since <= now < self.until


class Ringing:
    """`zone`: what holds where a memory has set none."""

    def __init__(
        self, home: Home, gateway: Gateway, *, clock: Clock, zone: str, says: Mapping[str, Say] = SAYS
    ) -> None:
        self._home = home
        self._clock = clock
        self._zone = zone
        self.places = Places(home, clock)
        self._reminding = Reminding(home, gateway, self.places, clock=clock)
        self._dailies = Dailies(home, gateway, self.places, clock=clock, says=says)
        self._checkpointing = Checkpointing(home, gateway, self.places)
        self._nights = Nights(home)
        self._looked: dict[ScopeID, _Looked] = {}
        self._writes: dict[ScopeID, int] = {}
        """How often each memory had been changed when it was last looked at."""
        self._unseen: set[ScopeID] = set()
        """Those that could not be looked at the last time."""
        self._rests: dict[ScopeID, _Rest] = {}
        self._line: dict[ScopeID, None] = {}
        """Those for whom there was no room, in order."""
        self._nights_left = 0
        self._begun_at: datetime | None = None
        self._at_work = asyncio.Lock()

    def sit_down(self, chat: Chat, show: Show) -> None:
        """Somebody is at a terminal: what is due in `chat` is shown there from now on."""
        self.places.sit_down(chat, show)

    async def tick(self) -> datetime | None:
        """Says what is due. Gives the next instant at which something will be. Raises nothing but a bug."""
        async with self._at_work:
            try:
                if self._begun_at is None:
                    await self._home.slots.begin()
                more = await self._look()
                self._begun_at = self._begun_at or self._clock.now()
            except (Unavailable, Damaged) as error:
                log.warning("could not look what is due", extra={"reason": error.code})
                return None
            coming, shut = await self._all_due()
            now = self._clock.now()
            if more:
                coming.append(now)
            if self._line:
                coming.append(now if self.places.has_room() else now + IN_LINE)
            if shut and timedelta(0) <= now - self._begun_at < OPENING:
                coming.append(now + SOON)
            return min(coming, default=None)

    async def _look(self) -> bool:
        """At what has changed since it was looked at. Whether there is more of it than one tick looks at."""
        known = {scope.scope: None for scope in self._home.device.scopes() if scope.made}
        writes = self._home.writes()
        changed = [scope for scope in known if self._writes.get(scope, -1) != writes.get(scope, 0)]
        changed.sort(key=lambda scope: scope in self._unseen)  # what cannot be looked at stands in nobody's way
        more = any(scope not in self._unseen for scope in changed[LOOKS_MAX:])
        for scope in changed[:LOOKS_MAX]:
            try:
                memory = await self._home.memory(grant(UpkeepClaim(scope), self._home.device), passing=True)
                number, before = memory.database.writes, self._looked.get(scope)
                looked = await memory.read(lambda view, before=before: self._see(view, before))  # type: ignore[misc]
                self._looked[scope], self._writes[scope] = looked, number
                self._unseen.discard(scope)
            except (Unavailable, Damaged, NotAllowed) as error:
                self._unseen.add(scope)
                log.warning("could not look what is due in a memory", extra={"scope": scope, "reason": error.code})
        for of_each in (self._looked, self._writes, self._rests, self._line):
            for gone in of_each.keys() - known.keys():
                del of_each[gone]
        return more

    def _see(self, view: View, before: _Looked | None) -> _Looked:
        change, said = view.newest_change(), view.newest_turn()
        keeps = retention.kept(view) is not None
        if before is not None and before.change == change:
            return before if before.said == said else replace(before, said=said, talks=talks_in(view), keeps=keeps)
        zone, here = view.setting("zone") or self._zone, self._home.device_id
        waiting = [one for one in reminders.waiting(view, zone) if not is_elsewhere(view, one.where, here)]
        return _Looked(change, zone, waiting, wanted(view, here), said, talks_in(view), keeps)

    async def _all_due(self) -> tuple[list[datetime], bool]:
        """The instants to come, and whether something waits for a platform to open."""
        now = self._clock.now()
        coming: list[datetime] = []
        shut = False
        self._nights_left = NIGHTS_MAX
        self.places.left = SERVED_MAX
        await self._serve_line(now)
        for scope, looked in list(self._looked.items()):
            rest = self._rests.get(scope)
            if rest is None or not rest.holds(looked, now):
                self.places.line_waits = bool(self._line)  # nobody passes those in line
                silences = await self._one(scope, looked, now)
                shut = shut or Silence.SHUT in silences
                rest = self._rests.get(scope)
                await asyncio.sleep(0)  # answers come between any two of thousands
            if rest is not None and rest.next_at is not None:
                coming.append(rest.next_at)
        return coming, shut

    async def _serve_line(self, now: datetime) -> None:
        """The first in line, while there is room; not all of them, though room is made all the time."""
        turned_away = 0
        self.places.line_waits = False
        first = list(islice(self._line, SERVED_MAX))
        for some in (first[start : start + AT_ONCE] for start in range(0, len(first), AT_ONCE)):
            if turned_away >= TURNED_AWAY_MAX or not self.places.has_room():
                break
            for scope in some:
                del self._line[scope]
            await asyncio.gather(*(self._one(scope, self._looked[scope], now) for scope in some))
            turned_away += sum(scope in self._line for scope in some)

    async def _one(self, scope: ScopeID, looked: _Looked, now: datetime) -> frozenset[Silence]:
        """Says what is due in a memory, and notes until when nothing will be. Why something could not be said."""
        coming: list[datetime] = []
        silences: frozenset[Silence] = frozenset()
        until = now
        try:
            reminded = await self._reminding.tick(scope, looked.waiting, looked.zone, now)
            coming += reminded.coming
            silences = reminded.silences
            coming += await self._checkpointing.tick(scope, looked.talks, now)
            if looked.daily.habits.digest.on or looked.keeps:  # the night comes before what tells of it
                if self._nights.may_be_due(scope, looked.zone, now):
                    if self._nights_left <= 0:
                        self._rests[scope] = _Rest(looked, now, now, now)
                        return silences
                    self._nights_left -= 1
                coming += await self._nights.tick(scope, looked.zone, now)
            daily = await self._dailies.tick(scope, looked.daily, looked.zone, now)
            coming += daily.coming
            silences |= daily.silences
            if silences == {Silence.CROWDED}:
                self._line.setdefault(scope)
            if silences == {Silence.CROWDED} or (daily.settled and reminded.settled):
                until = min([slots.next_day(looked.zone, now), *coming])
        except (Unavailable, Damaged, NotAllowed) as error:
            log.warning("could not ring", extra={"scope": scope, "reason": error.code})
        except Exception as error:  # a fault in one memory: it costs the others nothing
            log.error("ringing broke", extra={"scope": scope, "reason": type(error).__name__})
        self._rests[scope] = _Rest(looked, now, until, min(coming, default=None))
        return silences
