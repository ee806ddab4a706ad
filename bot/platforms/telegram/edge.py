"""One bot on Telegram, as `bot.ports.Platform` wants it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import telegram

from bot.event import Delivery
from bot.message import Reply
from bot.platforms.telegram import menu, people, splitting
from bot.platforms.telegram.client import Client, Refused, calling
from bot.platforms.telegram.limits import Limits
from bot.platforms.telegram.people import Me
from bot.platforms.telegram.polling import Backoff, Monotonic, Polling, Sleep
from bot.platforms.telegram.sending import Sending
from bot.ports import BadToken, Going, Listening, NoConnection, NotDelivered, OutcomeUnknown, Receive, Standing
from store.model import AccountID, Role
from store.ports import Clock, Entropy

log = logging.getLogger(__name__)

T = TypeVar("T")


async def _at_once() -> None:
    """For a delivery of which nobody keeps count."""


@dataclass(frozen=True, slots=True)
class LiveReport:
    """What the server says of the bot, for whoever looks for a fault."""

    name: str
    username: str
    hears_all: bool
    """Privacy mode is off: in groups it is told of every message."""
    webhook: bool
    """Somebody else is told of the updates, and polling is refused."""
    chats: tuple[tuple[str, str], ...]
    """Of each chat asked for: its id and what the bot is there, "" where it cannot be asked."""


class TelegramPlatform:
    """Several tasks may send while one listens."""

    name = "telegram"

    def __init__(
        self,
        token: str,
        base_url: str,
        clock: Clock,
        entropy: Entropy,
        limits: Limits | None = None,
        *,
        poll_s: int = 30,
        sleep: Sleep = asyncio.sleep,
        monotonic: Monotonic = time.monotonic,
        describe: menu.Describe = menu.describe,
    ) -> None:
        self._client = Client(token.strip(), base_url)
        self._sleep = sleep
        self._describe = describe
        self._me = Me(0, "", "")
        self.bot = self.title = ""
        self.listening = Listening.STARTING
        self.last_event_at: datetime | None = None
        self.passed_over = self.unreadable = 0
        self._polling = Polling(self, self._client, clock, entropy, poll_s=poll_s, sleep=sleep, monotonic=monotonic)
        self._sending = Sending(self._client, Limits() if limits is None else limits, sleep=sleep, monotonic=monotonic)

    @property
    def plain_sent(self) -> int:
        return self._sending.plain_sent

    async def start(self) -> None:
        found = await self._reached(self._client.get_me)
        self._me = Me(found.id, found.username or "", found.first_name)
        self.bot, self.title = str(found.id), f"@{self._me.username}"
        webhook = await self._reached(self._client.get_webhook_info)
        if webhook.url:
            log.warning("a webhook was taken away: updates are polled here")
            await self._reached(self._client.delete_webhook)  # what waits there is kept
        try:
            await calling(lambda: menu.show(self._client, self._describe))
        except NotDelivered as failure:  # a menu is a convenience
            log.warning("the menus could not be sent", extra={"reason": type(failure).__name__})

    async def listen(self, receive: Receive) -> None:
        await self._polling.run(self._me, receive)

    def link(self, code: str) -> str:
        return f"https://t.me/{self._me.username}?start={code}" if self._me.username else ""

    def parts(self, reply: Reply) -> list[Reply]:
        return splitting.parts(reply)

    async def send(self, chat: str, delivery: Delivery, going: Going = _at_once) -> str:
        return await self._sending.send(chat, delivery, self._me.username, going)

    async def standing(self, chat: str, account: AccountID) -> Standing | None:
        number = _number(account)
        if number is None:
            return None
        if str(number) == chat:  # an admin behind the group's name: nobody knows which one, so no admin
            return Standing(Role.MEMBER, "")
        try:
            found = await _asked(lambda: self._client.get_chat_member(int(chat), number))
        except Refused as no:
            if any(stranger in no.why for stranger in _STRANGERS):
                return None
            raise
        present = found.is_member if isinstance(found, telegram.ChatMemberRestricted) else found.status in _ROLES
        return Standing(_ROLES.get(found.status, Role.MEMBER), people.name(found.user)) if present else None

    async def report(self, chats: Sequence[str] = ()) -> LiveReport:
        """Needs no start. Raises BadToken, and NotDelivered when the server cannot be asked."""
        me = await _asked(self._client.get_me)
        webhook = await _asked(self._client.get_webhook_info)
        found = [(chat, await self._status(chat, me.id)) for chat in chats]
        return LiveReport(
            name=people.name(me),
            username=me.username or "",
            hears_all=bool(me.can_read_all_group_messages),
            webhook=bool(webhook.url),
            chats=tuple(found),
        )

    async def close(self) -> None:
        await self._client.close_connections()

    async def _status(self, chat: str, number: int) -> str:
        try:
            return (await _asked(lambda: self._client.get_chat_member(int(chat), number))).status
        except NoConnection:
            raise
        except NotDelivered:
            return ""

    async def _reached(self, call: Callable[[], Awaitable[T]]) -> T:
        """Waits for the server as long as it takes. Raises BadToken."""
        backoff = Backoff()
        while True:
            try:
                return await calling(call)
            except BadToken:
                self.listening = Listening.REFUSED
                raise
            except NotDelivered as failure:
                self.listening = Listening.OFFLINE
                await self._sleep(backoff.after(failure))


_STRANGERS = ("user not found", "participant_id_invalid", "user_id_invalid", "user_not_participant", "member not found")
"""Whom the server has never seen in that chat."""
_ROLES = {"creator": Role.ADMIN, "administrator": Role.ADMIN, "member": Role.MEMBER}


async def _asked(call: Callable[[], Awaitable[T]]) -> T:
    """For a question: no answer is no connection."""
    try:
        return await calling(call)
    except OutcomeUnknown:
        pass
    raise NoConnection


def _number(account_id: AccountID) -> int | None:
    """None for an account of another platform, and for what is no account here."""
    platform, _, number = account_id.partition(":")
    try:
        found = int(number)
    except ValueError:
        return None
    return found if platform == "telegram" and people.account(found) == account_id else None
