"""A chat platform as a place where something can be said unasked: by the device that speaks there, while it is heard."""

from __future__ import annotations

from datetime import datetime

from bot.event import Delivery
from bot.message import ChatKind
from bot.places import Ring
from bot.ports import Listening, Platform
from bot.saying import Saying, name_of
from bot.service import Service
from bot.speaker import Speaker
from scheduler.slots import LATE
from store.home import Home
from store.model import NOBODY


class PlatformOutlet:
    def __init__(self, platform: Platform, service: Service, speaker: Speaker, home: Home) -> None:
        self._platform = platform
        self._service = service
        self._speaker = speaker
        self._home = home

    async def speaks_since(self) -> datetime | None:
        if self._platform.listening is not Listening.OPEN:
            return None
        return await self._speaker.since(f"{self._platform.name}:{self._platform.bot}")

    async def ring(self, ring: Ring) -> bool:
        place = ring.place
        presser = place.account if place.chat.kind is ChatKind.PRIVATE else NOBODY  # what they do checks by itself
        saying = Saying(name_of(place.chat), Delivery(ring.reply, topic=place.topic, unasked=True), presser)
        taking = self._home.slots.leaving(ring.slots, ring.late, LATE)
        return await self._service.push(saying, bot=self._platform.bot, taking=taking)

    def waiting(self) -> int:
        return self._service.unasked_waiting(self._platform.name)
