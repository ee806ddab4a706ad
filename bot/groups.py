"""Groups: off until one of their admins presses [Start], known by whichever id they have, left when they are left.

A member is whoever the platform says is in the chat; nobody else is ever answered out of a group's memory.
"""

from __future__ import annotations

import logging
from collections import Counter
from datetime import datetime, timedelta

from bot.event import Change, ChatChange, Delivery, Press
from bot.message import Button, Inbound, Reply, Shape
from bot.ports import ChatMoved, NotDelivered, Platform, Standing
from bot.saying import Answer, Saying, answer, name_of, plain, pressed
from bot.words import Words, words
from store.device import ChatState
from store.grants import GroupClaim, grant
from store.home import Home
from store.model import AccountID, Role
from store.ports import Clock

log = logging.getLogger(__name__)

START, AWAY, OFF = "group-start", "group-away", "group-off"
GROUPS_ASKED_MAX = 50
"""When a group that nobody told of speaks to us; more would be a flood of questions."""
SEEN_MAX = 10_000
FRESH = timedelta(minutes=10)
"""How long it counts that somebody was seen in a group."""


class Groups:
    def __init__(self, home: Home, *, clock: Clock, lang: str) -> None:
        self._home = home
        self._clock = clock
        self._lang = lang
        self._seen: dict[tuple[str, AccountID], datetime] = {}
        self._greeted: dict[str, datetime] = {}
        self._looked: dict[str, datetime] = {}
        self._left: Counter[tuple[str, AccountID]] = Counter()

    def is_on(self, chat: str) -> bool:
        return self._home.device.is_on(chat)

    async def is_member(self, platform: Platform, chat: str, account: AccountID, *, now: bool = False) -> bool:
        """Whether `account` is in the switched-on group `chat`: asked of the platform, at most every ten minutes.

        `now`: asked now, since what follows may take an admin. Raises NotDelivered when the platform cannot be asked.
        """
        device = self._home.device
        seen = self._seen.get((chat, account))
        known = device.group_scope(chat, account)
        if known is not None and not now and seen is not None and self._clock.now() - seen < FRESH:
            return True
        left = self._left[chat, account]
        standing = await platform.standing(chat.partition(":")[2], account)
        if standing is None or self._left[chat, account] != left:  # or they went while it was asked
            await self._leave(chat, account)
            return False
        if not self.is_on(chat):  # switched off while it was asked
            return False
        self._note_seen(chat, account)
        known = device.group_scope(chat, account)
        if known is None:
            title = device.scope(device.chats()[chat]).title
            await self._home.join_group(chat, title, account, standing.name or title, standing.role)
        elif known.role is not standing.role:
            await device.set_role(chat, account, standing.role)
        return True

    def _note_seen(self, chat: str, account: AccountID) -> None:
        now = self._clock.now()
        if len(self._seen) > SEEN_MAX:
            self._seen = {who: at for who, at in self._seen.items() if now - at < FRESH}
        self._seen[chat, account] = now

    async def has_moved_here(self, platform: Platform, inbound: Inbound | Press) -> bool:
        """Whether this chat, unknown so far, is a group of ours that got a new id while nobody told us.

        Groups are asked about one by one, those of its title first; where one went, only the platform says.
        """
        here = name_of(inbound.chat)
        looked = self._looked.get(here)
        if self._home.device.chat_state(here) is not None or (looked and self._clock.now() - looked < FRESH):
            return self.is_on(here)
        if len(self._looked) > SEEN_MAX:
            self._looked.clear()
        self._looked[here] = self._clock.now()
        groups = sorted(self._home.device.groups(platform.name), key=lambda one: one[1].title != inbound.chat.title)
        for chat, _ in groups[:GROUPS_ASKED_MAX]:
            try:
                await platform.standing(chat.partition(":")[2], inbound.account)
            except ChatMoved as moved:
                await self.moved(chat, f"{platform.name}:{moved.new}")
                if self.is_on(here):
                    return True
            except NotDelivered:
                continue
        return False

    async def unknown(self, inbound: Inbound) -> Answer | None:
        """A message for us in a group that was never switched on, or was switched off."""
        state = self._home.device.chat_state(name_of(inbound.chat))
        chosen = words(inbound.lang or self._lang)
        if state is None or inbound.text.strip().startswith("/start"):
            return answer(inbound, self._hello(chosen, "group-hello-again", inbound.name)).anyone()
        return None

    async def changed(self, change: ChatChange) -> Answer | None:
        chat = name_of(change.chat)
        match change.change:
            case Change.ADDED:
                if self._home.device.chat_state(chat) is ChatState.GONE:
                    await self._home.switch_group(chat, ChatState.OFF)
                greeted = self._greeted.get(chat)
                if self.is_on(chat) or (greeted is not None and self._clock.now() - greeted < FRESH):
                    return None  # a platform may tell of it in two ways
                self._greeted[chat] = self._clock.now()
                hello = self._hello(words(change.lang or self._lang), "group-hello", change.name)
                return Answer((Saying(chat, Delivery(hello)),))
            case Change.GONE:
                self._greeted.pop(chat, None)
                if self._home.device.chat_state(chat) is ChatState.ON:
                    await self._home.switch_group(chat, ChatState.GONE)
            case Change.MOVED:
                await self.moved(chat, f"{change.chat.platform}:{change.other}")
            case Change.LEFT:
                await self._leave(chat, change.account)
            case Change.ADMIN | Change.MEMBER:
                role = Role.ADMIN if change.change is Change.ADMIN else Role.MEMBER
                await self._home.device.set_role(chat, change.account, role)
            case Change.TITLED:
                await self._home.retitle_group(chat, change.chat.title)
            case Change.JOINED | Change.BLOCKED | Change.UNBLOCKED:
                pass
        return None

    async def moved(self, old: str, new: str) -> None:
        """However it was learned, and however often."""
        if await self._home.move_group(old, new):
            log.info("a group goes on under another id")
        await self._home.outbox.moved(old, new)
        await self._home.requests.moved(old, new)

    async def pressed(self, platform: Platform, press: Press, action: str) -> Answer | None:
        """[Start], [No thanks], [Turn off]; None for any other button."""
        if action not in (START, AWAY, OFF):
            return None
        chat = name_of(press.chat)
        chosen = words(press.lang or self._lang)
        standing = await platform.standing(press.chat.id, press.account)
        if standing is None or standing.role is not Role.ADMIN:
            return pressed(press, plain(chosen, "toast-admin-only", shape=Shape.TOAST))
        if self._home.device.account(press.account) is None:
            return pressed(press, plain(chosen, "toast-first-private", shape=Shape.TOAST))
        if action == AWAY:
            gone = pressed(press, plain(chosen, "group-away", shape=Shape.EDIT))
            return gone.leaving()
        if action == OFF:
            await self._home.switch_group(chat, ChatState.OFF)
            return pressed(press, plain(chosen, "group-off", name=press.name, shape=Shape.EDIT))
        return await self._start(platform, press, standing, chosen)

    async def _start(self, platform: Platform, press: Press, standing: Standing, chosen: Words) -> Answer:
        chat = name_of(press.chat)
        if self.is_on(chat) or await self.has_moved_here(platform, press):
            return pressed(press, plain(chosen, "toast-done-already", shape=Shape.TOAST))
        await self._home.switch_group(chat, ChatState.ON)
        await self._home.join_group(chat, press.chat.title, press.account, press.name, standing.role)
        await self._home.device.set_role(chat, press.account, standing.role)
        self._note_seen(chat, press.account)
        memory = await self._home.memory(grant(GroupClaim(chat, press.account), self._home.device))
        chosen = words(await memory.read(lambda view: view.setting("lang")) or chosen.lang)
        return pressed(press, plain(chosen, "group-started", name=press.name, shape=Shape.EDIT))

    def _hello(self, chosen: Words, message_id: str, name: str) -> Reply:
        start, away = Button(chosen("button-start-group"), START), Button(chosen("button-no-thanks"), AWAY)
        return plain(chosen, message_id, start, away, name=name)

    async def _leave(self, chat: str, account: AccountID) -> None:
        self._seen.pop((chat, account), None)
        self._left[chat, account] += 1
        now_ms = int(self._clock.now().timestamp() * 1000)
        await self._home.device.leave_group(chat, account, now_ms)
