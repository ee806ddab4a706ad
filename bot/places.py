"""Where something can be said unasked: to whom sits at a terminal, or through a chat platform while it is heard.

A place that nobody is at says so, and why; nothing is taken for said there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from bot.commands import devices
from bot.habits import Where
from bot.message import Chat, ChatKind, Inbound, Reply
from scheduler.slots import LATE
from store.device import ChatState
from store.home import Home
from store.model import AccountID, ScopeID, ScopeKind, SlotState
from store.ports import Clock
from store.slots import Marked
from store.view import View

TERMINAL = "terminal"
_EVER = datetime(1970, 1, 1, tzinfo=UTC)
ROOM = 60
"""So many may be on their way to a platform before more is put into words: two seconds of what one bears."""
ROOM_WISHED = 4 * ROOM
"""The same for what a person has set for a moment of their own."""


@dataclass(frozen=True, slots=True)
class Ring:
    """One message for one place, and the slots that it takes. `late`: those that it tells are too late."""

    place: Inbound
    reply: Reply
    slots: tuple[Marked, ...]
    late: tuple[Marked, ...] = ()


class Outlet(Protocol):
    """A platform that can be spoken to unasked."""

    async def speaks_since(self) -> datetime | None:
        """When this device took over there; None when it does not speak now, or nobody can be reached."""
        ...

    async def ring(self, ring: Ring) -> bool:
        """Takes the slots and queues the message, both or neither."""
        ...

    def waiting(self) -> int:
        """How many that were rung are still to leave."""
        ...


class Silence(StrEnum):
    """Why nothing can be said there now."""

    NO_PLACE = "no-place"
    """It does not lead to this memory (any more), or is switched off."""
    NOBODY = "nobody"
    """Nobody sits at that terminal."""
    SHUT = "shut"
    """The platform is not heard yet, or another device speaks there."""
    PAUSED = "paused"
    """That chat took nothing when it was last written to."""
    UNKNOWN = "unknown"
    """A platform that this device does not serve."""
    CROWDED = "crowded"
    """So much is on its way there that more is made when that has left."""
    QUIET = "quiet"
    """It would be late, in quiet hours."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Somebody there hears what is said. `since`: from when on this device speaks there; long ago where it always did."""

    place: Inbound
    since: datetime


Show = Callable[[Reply], None]


class Places:
    def __init__(self, home: Home, clock: Clock) -> None:
        self._home = home
        self._clock = clock
        self.outlets: dict[str, Outlet] = {}
        """By platform."""
        self.line_waits = False
        """Others were told that there is no room, and come first."""
        self.left = ROOM
        """How many more are said before whoever asks has looked again what is due."""
        self._seats: dict[str, list[Show]] = defaultdict(list)

    def sit_down(self, chat: Chat, show: Show) -> None:
        """Somebody is at a terminal: what is due in `chat` is shown there from now on."""
        self._seats[f"{chat.platform}:{chat.id}"].append(show)

    def has_room(self) -> bool:
        """Whether any platform takes more."""
        return any(outlet.waiting() < ROOM for outlet in self.outlets.values())

    def is_crowded(self, platform: str, room: int = ROOM) -> bool:
        outlet = self.outlets.get(platform)
        if outlet is None:
            return False
        return outlet.waiting() >= room or (room <= ROOM and (self.line_waits or self.left <= 0))

    async def hearing(self, scope: ScopeID, where: Where, by: AccountID, *, room: int = ROOM) -> Heard | Silence:
        """Who hears what memory `scope` has to say at `where`. `by`: who asked for it; `room`: how many may be on their way.

        Where nobody sits at the terminal, the same person's chat on a platform for which this device speaks will do.
        """
        inbound = self.inbound(scope, where, by)
        if inbound is None:
            return Silence.NO_PLACE
        if inbound.chat.platform != TERMINAL:
            return await self._on_platform(inbound, room)
        if self._seats.get(f"{TERMINAL}:{inbound.chat.id}"):
            return Heard(inbound, _EVER)
        return await self._elsewhere(scope, room)

    async def say(self, ring: Ring) -> bool:
        """Takes the slots and says it, once; False when it could not be kept. Of a terminal, `sending` is on disk before."""
        chat = ring.place.chat
        if chat.platform != TERMINAL:
            self.left -= 1
            return await self.outlets[chat.platform].ring(ring)
        await self._home.slots.keep(ring.late, SlotState.SKIPPED, LATE)
        await self._home.slots.keep(ring.slots, SlotState.SENDING)
        for show in self._seats[f"{TERMINAL}:{chat.id}"]:
            show(ring.reply)
        await self._home.slots.keep(ring.slots, SlotState.SENT)
        return True

    async def _on_platform(self, inbound: Inbound, room: int) -> Heard | Silence:
        chat = inbound.chat
        outlet = self.outlets.get(chat.platform)
        if outlet is None:
            return Silence.UNKNOWN
        if self.is_crowded(chat.platform, room):
            return Silence.CROWDED
        since = await outlet.speaks_since()
        if since is None:
            return Silence.SHUT
        if self._home.device.note(f"paused/{chat.platform}:{chat.id}"):
            return Silence.PAUSED
        return Heard(inbound, since)

    async def _elsewhere(self, scope: ScopeID, room: int) -> Heard | Silence:
        if self._home.device.scope(scope).kind is not ScopeKind.PRIVATE:
            return Silence.NOBODY
        silence = Silence.NOBODY
        for known in self._home.device.accounts_of(scope):
            platform, _, number = known.account.partition(":")
            if platform not in self.outlets:
                continue
            chat = Chat(platform, number, ChatKind.PRIVATE)
            heard = await self._on_platform(Inbound("", chat, known.account, known.name, "", self._clock.now()), room)
            if isinstance(heard, Heard):
                return heard
            if heard in (Silence.SHUT, Silence.CROWDED):
                silence = heard
        return silence

    def inbound(self, scope: ScopeID, where: Where, by: AccountID) -> Inbound | None:
        """An event there that says nothing; None where that chat does not lead to this memory (any more), or is off."""
        device = self._home.device
        platform, _, number = where.chat.partition(":")
        known = device.scope(scope)
        if known.kind is ScopeKind.PRIVATE:
            account = AccountID(number if platform == TERMINAL else where.chat)
            found = device.account(account)
            if found is None or found.scope != scope:
                return None
            chat, name = Chat(platform, number, ChatKind.PRIVATE), found.name
        else:
            now = self._group_now(scope, where.chat)
            members = device.members(scope)
            if now is None or not members:
                return None
            account = by if by in members else next(iter(members))
            chat, name = Chat(platform, now.partition(":")[2], ChatKind.GROUP, known.title), ""
        return Inbound("", chat, account, name, "", self._clock.now(), topic=where.topic)

    def _group_now(self, scope: ScopeID, chat: str) -> str | None:
        """What the chat is called now, where it is switched on."""
        device = self._home.device
        names = [name for name, led in device.chats().items() if led == scope]
        if chat not in names:
            return None
        if device.chat_state(chat) is ChatState.MOVED:
            return next((name for name in names if device.chat_state(name) is ChatState.ON), None)
        return chat if device.is_on(chat) else None


def is_elsewhere(view: View, where: Where, here: bytes) -> bool:
    """Whether another device says it: at a terminal the one that was asked, or, where that is out of use, one heir.

    A device that was taken out says nothing any more.
    """
    if devices.is_removed(view, here):
        return True
    mine = here[:8].hex()
    if not where.chat.startswith(f"{TERMINAL}:") or where.device == mine:
        return False
    others = devices.in_use(view) - {mine}
    return where.device in others or min({mine, *others}) != mine
