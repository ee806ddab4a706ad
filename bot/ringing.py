"""What is said unasked, when its time has come: it looks at what memories want, and has each thing said once.

    tick: what has changed is looked at anew → what is due and was not begun → one message a place → slot and delivery

The memories are the truth of what is wanted, the slots of what was said; in between there is only a look-up that any
tick can make again. `tick` is idempotent: the alarm calls it when something is due, every 45 seconds, and after a
message that set a time. A memory that breaks stops no other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot import retention
from bot.checkpointing import Checkpointing, Talk, talks_in
from bot.commands import reminders
from bot.commands.reminders import Waiting
from bot.dailies import SAYS, Dailies, Say, Wanted, wanted
from bot.gateway import Gateway
from bot.message import Chat
from bot.nights import Nights
from bot.places import Places, Show, is_elsewhere
from bot.reminding import Reminding
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


@dataclass(frozen=True, slots=True)
class _Looked:
    """What a memory wanted when it was last looked at."""

    change: int
    zone: str
    waiting: list[Waiting]
    daily: Wanted
    said: int
    talks: list[Talk]
    keeps: bool
    """Whether its chat is kept for a time only."""


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
        self._begun_at: datetime | None = None
        self._at_work = asyncio.Lock()

    def sit_down(self, chat: Chat, show: Show) -> None:
        """Somebody is at a terminal: what is due in `chat` is shown there from now on."""
        self.places.sit_down(chat, show)

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
            coming, shut = await self._all_due()
            now = self._clock.now()
            if shut and timedelta(0) <= now - self._begun_at < OPENING:
                coming.append(now + SOON)
            return min(coming, default=None)

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
        for scope, looked in list(self._looked.items()):
            try:
                if looked.daily.habits.digest.on or looked.keeps:  # the night comes before what tells of it
                    coming += await self._nights.tick(scope, looked.zone, now)
                coming += await self._checkpointing.tick(scope, looked.talks, now)
                for due in (
                    await self._dailies.tick(scope, looked.daily, looked.zone, now),
                    await self._reminding.tick(scope, looked.waiting, looked.zone, now),
                ):
                    coming += due.coming
                    shut = shut or due.shut
            except (Unavailable, Damaged, NotAllowed) as error:
                log.warning("could not ring", extra={"scope": scope, "reason": error.code})
            except Exception as error:  # a fault in one memory: it costs the others nothing
                log.error("ringing broke", extra={"scope": scope, "reason": type(error).__name__})
        return coming, shut
