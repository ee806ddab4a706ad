"""What is done by night for every memory that has a digest to tell of it, or keeps its chat for a time only: the tidy, due at three of the person's day.

A night that was slept through is made up for within two days; whether it was done stands in its slot.
"""

from __future__ import annotations

import logging
from datetime import date, datetime

from bot import retention, tidying
from bot.commands.chat_kept import waits_for_digest
from bot.habits import DIGEST, habits
from bot.retention import Digests
from bot.tidying import AT, WINDOW
from scheduler import slots
from store.errors import Damaged, NotAllowed, Unavailable
from store.grants import UpkeepClaim, grant
from store.home import Home
from store.memory import Memory
from store.model import AccountID, ScopeID, Slot, SlotState

log = logging.getLogger(__name__)

TIDY = "tidy"
MARK = "03:00"
BROKEN = "broken"


BACKUP = "backup"
"""The kind of the slots of nightly backups, which are the owner's (`bot/keeping.py`)."""


async def note_backup(home: Home, owner: AccountID, night: date, reason: str) -> None:
    """What became of a night's backup; `reason`: why there is none, "" when there is."""
    account = home.device.account(owner)
    assert account is not None, "a home has an owner"
    state = SlotState.SKIPPED if reason else SlotState.SENT
    await home.slots.keep([(Slot(account.scope, BACKUP, night.isoformat()), MARK)], state, reason)


class Nights:
    def __init__(self, home: Home) -> None:
        self._home = home
        self._settled: dict[ScopeID, Slot] = {}

    def may_be_due(self, scope: ScopeID, zone: str, now: datetime) -> bool:
        """Whether `tick` would look, and perhaps work for a while."""
        night, _ = slots.daily(AT, zone, now, WINDOW)
        return night is not None and self._settled.get(scope) != Slot(scope, TIDY, night.isoformat())

    async def tick(self, scope: ScopeID, zone: str, now: datetime) -> tuple[datetime, ...]:
        night, next_at = slots.daily(AT, zone, now, WINDOW)
        coming = () if next_at is None else (next_at,)
        if night is None:
            return coming
        slot = Slot(scope, TIDY, night.isoformat())
        if self._settled.get(scope) == slot:
            return coming
        rows = await self._home.slots.of_person(scope, TIDY)
        if not any(row.slot == slot and row.state is SlotState.SENT for row in rows):
            await self._tidy(slot, scope, zone, now)
        self._settled[scope] = slot
        return coming

    async def _tidy(self, slot: Slot, scope: ScopeID, zone: str, now: datetime) -> None:
        """One memory that cannot be tidied costs the others nothing; the next night tries again.

        A digest meets the same in the morning, says so, and is what is reported: one fault is one error.
        """
        reported = False
        try:
            memory = await self._home.memory(grant(UpkeepClaim(scope), self._home.device), passing=True)
            reported = await memory.read(lambda view: habits(view).digest.on)
            digests = await self._digests(memory, scope, date.fromisoformat(slot.day))
            await tidying.tidy(memory, now, zone, digests=digests)
        except (Unavailable, Damaged, NotAllowed) as error:
            log.warning("could not tidy a memory", extra={"scope": scope, "reason": error.code})
            await self._home.slots.keep([(slot, MARK)], SlotState.SKIPPED, error.code)
        except Exception as error:
            level = logging.WARNING if reported else logging.ERROR
            log.log(level, "tidying broke", extra={"scope": scope, "reason": type(error).__name__})
            await self._home.slots.keep([(slot, MARK)], SlotState.SKIPPED, BROKEN)
        else:
            await self._home.slots.keep([(slot, MARK)], SlotState.SENT)

    async def _digests(self, memory: Memory, scope: ScopeID, night: date) -> Digests:
        """The days on which a digest was sent, where one has to name what goes of the chat."""
        here = self._home.device_id[:8].hex()
        waits = await memory.read(lambda view: retention.kept(view) and waits_for_digest(view, here, night))
        if not waits:
            return None
        rows = await self._home.slots.of_person(scope, DIGEST)
        return {date.fromisoformat(row.slot.day) for row in rows if row.state is SlotState.SENT}
