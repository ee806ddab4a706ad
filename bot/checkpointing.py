"""Checkpoints of a long conversation, made in a pause by how much was said and not by the clock on the wall.

Half an hour of talk, or forty messages, and the next pause of two minutes makes one; talk without any pause makes one
after three quarters of an hour. Time in which nobody speaks does not count, a machine's sleep neither.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from bot.commands import talks
from bot.gateway import Gateway
from bot.habits import Where
from bot.message import Reply
from bot.places import TERMINAL, Places
from bot.turn import Turn
from store.home import Home
from store.model import AccountID, ScopeID, Slot, SlotState
from store.own_rows import Turn as Said
from store.view import View

log = logging.getLogger(__name__)

ACTIVE = timedelta(minutes=30)
ACTIVE_MOST = timedelta(minutes=45)
MESSAGES = 40
PAUSE = timedelta(minutes=2)
GAP = timedelta(minutes=5)
"""Between two messages that are further apart, nobody was talking."""
APART = timedelta(minutes=25)
"""No two checkpoints of a conversation are closer together, and so no shorter talk makes one."""
LOOKED_AT = 500
KIND = "checkpoint"


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation since its last checkpoint. `chat`: with the topic behind it."""

    session: int
    chat: str
    account: AccountID
    first: datetime
    last: datetime
    messages: int
    active: timedelta

    def is_due(self, now: datetime) -> bool:
        if now - self.first < APART:
            return False
        if self.active >= ACTIVE_MOST:
            return True
        return now - self.last >= PAUSE and (self.active >= ACTIVE or self.messages >= MESSAGES)

    def due_at(self, now: datetime) -> datetime | None:
        """When it is due if nothing more is said; None for what is not long enough, or due already."""
        if self.active < ACTIVE and self.messages < MESSAGES:
            return None
        at = max(self.last + PAUSE, self.first + APART)
        return at if at > now else None


def talks_in(view: View) -> list[Talk]:
    """The open conversations in which anything was said since their last checkpoint."""
    found = []
    for session in view.open_sessions():
        checkpoint = view.entry(session.checkpoint) if session.checkpoint else None
        since = checkpoint.at_ms if checkpoint is not None else 0
        turns = view.turns("session = ? AND at_ms > ?", (session.id, since), limit=LOOKED_AT)
        if turns:
            found.append(_talk(session.id, session.chat, turns[::-1]))
    return found


def _talk(session: int, chat: str, turns: Sequence[Said]) -> Talk:
    moments = [datetime.fromtimestamp(one.at_ms / 1000, UTC) for one in turns]
    gaps = (after - before for before, after in pairwise(moments))
    active = sum((gap for gap in gaps if timedelta(0) < gap <= GAP), timedelta(0))
    return Talk(session, chat, AccountID(turns[-1].account), moments[0], moments[-1], len(turns), active)


class Checkpointing:
    def __init__(self, home: Home, gateway: Gateway, places: Places) -> None:
        self._home = home
        self._gateway = gateway
        self._places = places
        self._looked_at: set[tuple[ScopeID, Talk]] = set()

    async def tick(self, scope: ScopeID, found: Iterable[Talk], now: datetime) -> tuple[datetime, ...]:
        coming = []
        for talk in found:
            if talk.is_due(now):
                await self._make(scope, talk, now)
            elif (at := talk.due_at(now)) is not None:
                coming.append(at)
        return tuple(coming)

    async def _make(self, scope: ScopeID, talk: Talk, now: datetime) -> None:
        """Where nothing has changed none is made, and it is looked at again once more was said."""
        if (scope, talk) in self._looked_at:
            return
        self._looked_at = {one for one in self._looked_at if one[0] != scope or one[1].session != talk.session}
        self._looked_at.add((scope, talk))
        chat, _, topic = (talk.chat, "", "") if talk.chat.startswith(TERMINAL) else talk.chat.partition("/")
        place = self._places.inbound(scope, Where(chat, topic, ""), talk.account)
        if place is None:
            return
        made = False

        def make(turn: Turn) -> Reply | None:
            nonlocal made
            made = talks.checkpoint(turn, talk.session)
            return None

        await self._gateway.unasked(place, scope, make, about="")
        if made:
            kind = f"{KIND}/{talk.session}/{int(talk.first.timestamp() * 1000)}"
            await self._home.slots.keep([(Slot(scope, kind, talk.first.date().isoformat()), "")], SlotState.SENT)
