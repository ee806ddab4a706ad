"""A delivery becomes calls: a press is answered, a message sent, changed or reacted to, a chat left.

Where the server says no to how a thing was wished, it goes out in a plainer way: without its looks or its picture,
without the topic that is gone, as a new message when the old one cannot be changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from telegram import InlineKeyboardMarkup, LinkPreviewOptions, Message, MessageEntity, ReplyParameters

from bot import heat_map
from bot.event import Delivery
from bot.message import Picture, Reply, Shape
from bot.platforms.telegram.client import POOL, Client, Refused, calling
from bot.platforms.telegram.entities import plain, render
from bot.platforms.telegram.keyboard import keyboard
from bot.platforms.telegram.limits import Limits
from bot.platforms.telegram.utf16 import units
from bot.ports import Going, NotDelivered, OutcomeUnknown, TryLater, Unreachable

log = logging.getLogger(__name__)

T = TypeVar("T")

THUMB = "\U0001f44d"
TOAST_MAX = 200
ALERT_FROM = 60
"""A longer toast is a box that stays until it is closed: the short notice would be gone before it is read."""
CAPTION_UNITS_MAX = 1024
"""Longer words stand alone, without the picture."""
GENERAL = "1"
"""The topic that is written to by naming none."""
LEAVE_WAITS_S = (1.0, 5.0, 20.0)
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

Sleep = Callable[[float], Awaitable[object]]
Monotonic = Callable[[], float]


class Sending:
    """Several tasks may send at once; the order within a chat is the caller's."""

    def __init__(self, client: Client, limits: Limits, *, sleep: Sleep, monotonic: Monotonic) -> None:
        self.plain_sent = 0
        """Messages that the server took only without entities."""
        self._client = client
        self._limits = limits
        self._room = asyncio.Semaphore(POOL)
        self._sleep = sleep
        self._monotonic = monotonic

    async def send(self, chat: str, delivery: Delivery, username: str, going: Going) -> str:
        """The number of the message it became, "" for none. Raises NotDelivered and BadToken."""
        try:
            number = await self._send(chat, delivery, username, going)
        except TryLater as later:
            self._limits.rest(chat, self._monotonic() + later.seconds)
            raise
        if delivery.leave:
            await self._leave(chat)
        return number

    async def _send(self, chat: str, delivery: Delivery, username: str, going: Going) -> str:
        shape = delivery.reply.shape
        if delivery.press:
            async with self._room:
                answered = await self._answer(delivery)
            if shape is Shape.TOAST and answered:
                return ""
        if shape is Shape.TOAST:  # nobody sees it where the press is too old, but in a private chat it can be said
            if chat.startswith("-"):
                return ""
            delivery = replace(delivery, to="")
        text, entities = _rendered(delivery.reply)
        if not text:
            return ""
        if delivery.unasked and (seconds := self._limits.turn(self._monotonic())) > 0:
            await self._sleep(seconds)
        while (seconds := self._limits.wait(chat, self._monotonic(), unasked=delivery.unasked)) > 0:
            await self._sleep(seconds)
        buttons = keyboard(delivery.reply.buttons, username)
        photo = await _drawn(delivery.reply.picture) if units(text) <= CAPTION_UNITS_MAX else b""
        async with self._room:
            await going()
            if shape is Shape.EDIT and delivery.to and await self._edit(chat, delivery.to, text, entities, buttons):
                return delivery.to
            if shape is Shape.REACTION and delivery.to and await self._react(chat, delivery.to):
                return ""
            to = "" if shape is Shape.EDIT else delivery.to
            return await self._message(chat, text, entities, buttons, to, delivery.topic, photo)

    async def _answer(self, delivery: Delivery) -> bool:
        """Whether it reached the presser. It costs nothing of what a chat bears, so it waits for nothing."""
        words = _toast(delivery.reply) if delivery.reply.shape is Shape.TOAST else ""
        alert = True if len(words) > ALERT_FROM else None
        try:
            await calling(
                lambda: self._client.answer_callback_query(delivery.press, text=words or None, show_alert=alert)
            )
        except Refused:
            return False
        except OutcomeUnknown:
            if words:
                raise
            # Whether the button stopped turning says nothing of the message that follows.
        return True

    async def _edit(
        self, chat: str, number: str, text: str, entities: list[MessageEntity], buttons: InlineKeyboardMarkup | None
    ) -> bool:
        """False when that message can be changed no more."""

        def change(looks: list[MessageEntity]) -> Awaitable[Message | bool]:
            return self._client.edit_message_text(
                text,
                chat_id=int(chat),
                message_id=int(number),
                entities=looks or None,
                reply_markup=buttons,
                link_preview_options=_NO_PREVIEW,
            )

        try:
            await self._looking(lambda looks: calling(lambda: change(looks)), entities)
        except Refused as no:
            if "not modified" in no.why:
                return True
            if _is_gone(no.why):
                return False
            raise
        return True

    async def _react(self, chat: str, number: str) -> bool:
        try:
            await calling(lambda: self._client.set_message_reaction(int(chat), int(number), THUMB))
        except Refused:
            return False
        return True

    async def _message(
        self,
        chat: str,
        text: str,
        entities: list[MessageEntity],
        buttons: InlineKeyboardMarkup | None,
        to: str,
        topic: str,
        photo: bytes = b"",
    ) -> str:
        answered = ReplyParameters(int(to), allow_sending_without_reply=True) if to else None

        def send(looks: list[MessageEntity], thread: int | None) -> Awaitable[Message]:
            if photo:
                return self._client.send_photo(
                    int(chat),
                    photo,
                    caption=text,
                    caption_entities=looks or None,
                    reply_markup=buttons,
                    message_thread_id=thread,
                    reply_parameters=answered,
                )
            return self._client.send_message(
                int(chat),
                text,
                entities=looks or None,
                reply_markup=buttons,
                link_preview_options=_NO_PREVIEW,
                message_thread_id=thread,
                reply_parameters=answered,
            )

        async def somewhere(looks: list[MessageEntity]) -> Message:
            thread = int(topic) if topic not in ("", GENERAL) else None
            try:
                return await calling(lambda: send(looks, thread))
            except Refused as no:
                if thread is None or "thread not found" not in no.why:
                    raise
            return await calling(lambda: send(looks, None))

        try:
            return str((await self._looking(somewhere, entities)).message_id)
        except Refused as no:  # it certainly did not arrive
            if not photo:
                raise
            log.warning("a picture was refused", extra={"reason": str(no)})
        return await self._message(chat, text, entities, buttons, to, topic)

    async def _looking(self, send: Callable[[list[MessageEntity]], Awaitable[T]], entities: list[MessageEntity]) -> T:
        """With its looks, or without them when the server takes offence: the words matter more."""
        try:
            return await send(entities)
        except Refused as no:
            if not entities or "entit" not in no.why:
                raise
        sent = await send([])
        self.plain_sent += 1
        return sent

    async def _leave(self, chat: str) -> None:
        """Raises nothing: the message before it has arrived, and is not to be sent again."""
        for wait in LEAVE_WAITS_S:
            try:
                await calling(lambda: self._client.leave_chat(int(chat)))
                return
            except (Refused, Unreachable):  # out already
                return
            except NotDelivered:
                await self._sleep(wait)
        log.warning("a chat could not be left")


def _rendered(reply: Reply) -> tuple[str, list[MessageEntity]]:
    """With its looks; what they cannot be found for goes out as it is."""
    try:
        return render(reply)
    except Exception:
        log.exception("a reply has no looks")
        return plain(reply.text).strip(), []


async def _drawn(picture: Picture | None) -> bytes:
    """A PNG; nothing where there is none, or it cannot be drawn: the words say it too."""
    if picture is None:
        return b""
    try:
        return await asyncio.to_thread(heat_map.draw, picture)
    except Exception as error:
        log.warning("a picture could not be drawn", extra={"reason": type(error).__name__})
        return b""


def _toast(reply: Reply) -> str:
    return plain(reply.text).strip()[:TOAST_MAX]


def _is_gone(why: str) -> bool:
    return any(
        words in why
        for words in (
            "to edit not found",
            "can't be edited",
            "message_id_invalid",
            "message not found",
            "no text in the message to edit",  # its words stand under a picture
        )
    )
