"""Groups: off until one of their admins presses [Start], known by whichever id they have, left when they are left.

A member is whoever the platform says is in the chat; nobody else is ever answered out of a group's memory.
"""

from __future__ import annotations

import logging
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
FRESH = timedelta(minutes=10)
"""How long it counts that somebody was seen in a group."""


class Groups:
    def __init__(self, home: Home, *, clock: Clock, lang: str) -> None:
        self._home = home
        self._clock = clock
        self._lang = lang
        self._seen: dict[tuple[str, AccountID], datetime] = {}
        self._greeted: dict[str, datetime] = {}

    def is_on(self, chat: str) -> bool:
        return self._home.device.is_on(chat)

    async def enter(self, platform: Platform, inbound: Inbound | Press) -> None:
        """Whoever writes or presses in a switched-on group is one of it."""
        chat = name_of(inbound.chat)
        self._seen[chat, inbound.account] = self._clock.now()
        if self._home.device.group_scope(chat, inbound.account) is not None:
            return
        role = Role.MEMBER
        try:
            standing = await platform.standing(inbound.chat.id, inbound.account)
            role = standing.role if standing else role
        except NotDelivered:
            log.warning("could not ask for somebody's role in a group")
        await self._home.join_group(chat, inbound.chat.title, inbound.account, inbound.name, role)

    async def is_member(self, platform: Platform, chat: str, account: AccountID) -> bool:
        """Made sure of within ten minutes. Raises NotDelivered when the platform cannot be asked."""
        seen = self._seen.get((chat, account))
        if seen is not None and self._clock.now() - seen < FRESH:
            return self._home.device.group_scope(chat, account) is not None
        standing = await platform.standing(chat.partition(":")[2], account)
        if standing is None:
            await self._leave(chat, account)
            return False
        self._seen[chat, account] = self._clock.now()
        if self._home.device.group_scope(chat, account) is None:
            title = self._home.device.scope(self._home.device.chats()[chat]).title
            await self._home.join_group(chat, title, account, standing.name, standing.role)
        return True

    async def has_moved_here(self, platform: Platform, inbound: Inbound) -> bool:
        """Whether this chat, unknown so far, is a group of ours that got a new id while nobody told us.

        Groups of the same title are asked about; where one went, only the platform says.
        """
        here = name_of(inbound.chat)
        for chat, scope in self._home.device.groups(platform.name):
            if scope.title == inbound.chat.title and self._home.device.chat_state(here) is None:
                try:
                    await platform.standing(chat.partition(":")[2], inbound.account)
                except ChatMoved as moved:
                    await self.moved(chat, f"{platform.name}:{moved.new}")
                except NotDelivered:
                    continue
        return self.is_on(here)

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
                await self._home.switch_group(chat, ChatState.GONE)
            case Change.MOVED:
                await self.moved(chat, f"{change.chat.platform}:{change.other}")
            case Change.LEFT:
                await self._leave(chat, change.account)
            case Change.ADMIN | Change.MEMBER:
                role = Role.ADMIN if change.change is Change.ADMIN else Role.MEMBER
                await self._home.device.set_role(chat, change.account, role)
            case Change.TITLED:
                await self._home.device.retitle(chat, change.chat.title)
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
        return await self._start(press, standing, chosen)

    async def _start(self, press: Press, standing: Standing, chosen: Words) -> Answer:
        chat = name_of(press.chat)
        if self.is_on(chat):
            return pressed(press, plain(chosen, "toast-done-already", shape=Shape.TOAST))
        await self._home.join_group(chat, press.chat.title, press.account, press.name, standing.role)
        self._seen[chat, press.account] = self._clock.now()
        memory = await self._home.memory(grant(GroupClaim(chat, press.account), self._home.device))
        chosen = words(await memory.read(lambda view: view.setting("lang")) or chosen.lang)
        return pressed(press, plain(chosen, "group-started", name=press.name, shape=Shape.EDIT))

    def _hello(self, chosen: Words, message_id: str, name: str) -> Reply:
        start, away = Button(chosen("button-start-group"), START), Button(chosen("button-no-thanks"), AWAY)
        return plain(chosen, message_id, start, away, name=name)

    async def _leave(self, chat: str, account: AccountID) -> None:
        self._seen.pop((chat, account), None)
        now_ms = int(self._clock.now().timestamp() * 1000)
        await self._home.device.leave_group(chat, account, now_ms)
