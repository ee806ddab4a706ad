"""`niannian run`: the platforms that are configured, each listened to by one device at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from bot.acquaintance import Acquaintance
from bot.app import OWNER, App
from bot.elsewhere import Elsewhere
from bot.groups import Groups
from bot.health import Health, Line
from bot.outlet import PlatformOutlet
from bot.ports import BadToken, Listening, Platform, StandBy
from bot.reception import Reception
from bot.sender import Sender
from bot.service import Service
from bot.speaker import Speaker
from bot.words import Words
from store.errors import Damaged, Unavailable
from store.ports import Clock, Entropy

log = logging.getLogger(__name__)

LOOK_EVERY_S = 30.0
"""A device that stands by looks this often whether it is its turn."""
TRY_AGAIN_S = 600.0
"""After another program was found listening with the same token."""
PATIENCE_S = 5.0
"""A platform that has not answered by then is said to be out of reach; it is waited for all the same."""
TIDY_EVERY_S = 3600.0
READY = (Listening.OPEN, Listening.STANDBY)

Tell = Callable[[str], None]


class Running:
    """The service on the platforms given. `tell`: shows a line to whoever started the program."""

    def __init__(
        self,
        app: App,
        platforms: Sequence[Platform],
        words: Words,
        *,
        clock: Clock,
        entropy: Entropy,
        tell: Tell,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._app = app
        self._platforms = {platform.name: platform for platform in platforms}
        self._words = words
        self._clock = clock
        self._tell = tell
        self._sleep = sleep
        home, lang = app.home, words.lang
        self.acquaintance = Acquaintance(home, clock=clock, entropy=entropy, lang=lang, owner=OWNER)
        groups = Groups(home, clock=clock, lang=lang)
        elsewhere = Elsewhere(home, app.gateway, groups, lang=lang)
        reception = Reception(
            home, app.gateway, acquaintance=self.acquaintance, groups=groups, elsewhere=elsewhere,
            platforms=self._platforms, lang=lang,
        )  # fmt: skip
        sender = Sender(home.outbox, self._platforms, paused=self._paused, moved=groups.moved, sleep=sleep)
        self.service = Service(home, reception, sender, self._platforms, clock=clock, lang=lang)
        self._speaker = Speaker(home, OWNER)
        for name, platform in self._platforms.items():
            app.ringing.places.outlets[name] = PlatformOutlet(platform, self.service, self._speaker, home)
        self._tasks: list[asyncio.Task[None]] = []
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._begun = False

    async def start(self) -> None:
        """Learns who the bots are, goes on with what was left, and listens. Raises BadToken."""
        for platform in self._platforms.values():
            await self._reach(platform)
        for platform in self._platforms.values():
            self._attend(self._listen(platform))
        self._attend(self._tidy())

    async def introduce(self) -> None:
        """Says who listens, and how the owner is made known there."""
        for platform in self._platforms.values():
            self._tell(self._words("run-listening", platform=platform.name, bot=platform.title))
            if not self.acquaintance.has_owner(platform.name):
                code = await self.acquaintance.owner_code(platform.name)
                self._tell(self._words("run-owner-code", bot=platform.title, code=code, link=platform.link(code)))

    async def ended(self) -> None:
        """Returns never, or raises BadToken when no platform is left."""
        await self._ended

    async def close(self) -> None:
        self._app.ringing.places.outlets.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._ended.done():
            self._ended.exception()  # looked at, whether or not anybody waited for it
        await self.service.close()
        for platform in self._platforms.values():
            await platform.close()

    async def _reach(self, platform: Platform) -> None:
        starting = asyncio.ensure_future(platform.start())
        try:
            await asyncio.wait({starting}, timeout=PATIENCE_S)
            if not starting.done():
                self._tell(self._words("run-offline", platform=platform.name))
            await starting
        finally:
            starting.cancel()

    def health(self) -> Health:
        return Health(self._lines)

    def _lines(self) -> list[Line]:
        now = self._clock.now()
        return [
            Line(
                one.name, one.listening.value, one.listening in READY,
                None if one.last_event_at is None else int((now - one.last_event_at).total_seconds()),
            )
            for one in self._platforms.values()
        ]  # fmt: skip

    async def _listen(self, platform: Platform) -> None:
        while True:
            if not await self._is_speaker(platform):
                if platform.listening is not Listening.STANDBY:
                    self._tell(self._words("run-standby", bot=platform.title))
                platform.listening = Listening.STANDBY
                await self._sleep(LOOK_EVERY_S)
                continue
            try:
                if not self._begun:
                    self._begun = True
                    await self.service.begin()
                await self._while_speaker(platform)
            except StandBy:
                platform.listening = Listening.STANDBY_CONFLICT
                self._tell(self._words("run-conflict", bot=platform.title))
                await self._sleep(TRY_AGAIN_S)
            except Exception as error:
                if not isinstance(error, BadToken):  # a fault of ours must not leave the bot deaf
                    log.exception("listening broke")
                    platform.listening = Listening.OFFLINE
                    await self._sleep(LOOK_EVERY_S)
                    continue
                platform.listening = Listening.REFUSED
                self._tell(self._words("run-refused", bot=platform.title))
                if all(one.listening is Listening.REFUSED for one in self._platforms.values()):
                    self._ended.set_exception(error)
                return

    async def _while_speaker(self, platform: Platform) -> None:
        """Listens until another device is named. Raises what `Platform.listen` raises."""
        listening = asyncio.ensure_future(platform.listen(lambda events: self.service.receive(platform, events)))
        try:
            while True:
                looking = asyncio.ensure_future(self._sleep(LOOK_EVERY_S))
                await asyncio.wait({listening, looking}, return_when=asyncio.FIRST_COMPLETED)
                looking.cancel()
                if listening.done():
                    listening.result()
                    return
                if not await self._is_speaker(platform):
                    return
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await listening

    async def _is_speaker(self, platform: Platform) -> bool:
        try:
            return await self._speaker.is_me(f"{platform.name}:{platform.bot}")
        except (Unavailable, Damaged) as error:  # who speaks cannot be written down now; nobody else was named
            log.warning("could not look who speaks", extra={"reason": error.code})
            return True

    async def _paused(self, chat: str, reason: str) -> None:
        try:
            await self._app.home.device.keep_note(f"paused/{chat}", reason or "unreachable")
        except (Unavailable, Damaged) as error:
            log.warning("could not note that a chat is paused", extra={"reason": error.code})

    async def _tidy(self) -> None:
        home = self._app.home
        while True:
            try:
                await home.inbox.tidy()
                await home.outbox.tidy()
                await home.requests.tidy()
                await home.slots.tidy()
            except (Unavailable, Damaged) as error:
                log.warning("could not tidy up", extra={"reason": error.code})
            await self._sleep(TIDY_EVERY_S)

    def _attend(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        task.add_done_callback(_broke)
        self._tasks.append(task)


def _broke(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("a part of the service broke", exc_info=task.exception())
