"""The running service with time in the test's hands: whatever it waits for is over when the test says so."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.app import App
from bot.config import load
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.limits import Limits
from bot.running import Running
from bot.words import words
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock, FakeEntropy
from tests.service.world import Telegram
from tests.waits import WAIT_S

STEP_S = 0.002
"""So long others may run before the next nap is over."""


class Naps:
    """Monotonic time that stands still until a test lets it pass, and everybody who waits for it."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._numbers = itertools.count()
        self._asleep: list[tuple[float, int, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        over = asyncio.get_running_loop().create_future()
        heapq.heappush(self._asleep, (self._now + seconds, next(self._numbers), over))
        await over

    def go_by(self, seconds: float) -> None:
        end = self._now + seconds
        while self._asleep and self._asleep[0][0] <= end:
            self._now, _, over = heapq.heappop(self._asleep)
            if not over.done():
                over.set_result(None)
        self._now = end

    async def until(self, what: Callable[[], Any], *, longest_s: float = 1e9) -> Any:
        """Nap after nap goes by until it holds; gives what it gave. Time does not jump by `longest_s` or more."""
        async with asyncio.timeout(WAIT_S):
            while not (found := what()):
                await asyncio.sleep(STEP_S)
                if self._asleep and (seconds := self._asleep[0][0] - self._now) < longest_s:
                    self.go_by(seconds)
        return found


class Timed(Telegram):
    """`Telegram` whose waits are `naps`."""

    def __init__(self, home: Path, clock: FakeClock, server: TelegramServer, *, lang: str = "en") -> None:
        super().__init__(home, clock, server, lang=lang)
        self.naps = Naps()

    async def start(self) -> None:
        self.seed += 1
        entropy = FakeEntropy(f"{self.home.name} {self.seed}")
        env = {
            "NIANNIAN_PERSON_NAME": "Lin",
            "NIANNIAN_PERSON_ZONE": "Asia/Shanghai",
            "NIANNIAN_PERSON_LANG": self.lang,
        }
        self.app = await App.start(self.home, load(self.home / "niannian.toml", env), self.clock, entropy, host="home")
        limits = Limits(
            chat_per_s=1000, chat_burst=1000, group_per_min=60_000, group_burst=1000, all_per_s=1000, all_burst=1000
        )
        sleep = self.naps.sleep
        self.platform = TelegramPlatform(
            self.server.token, self.server.base_url, self.clock, entropy, limits,
            poll_s=5, sleep=sleep, monotonic=self.naps.monotonic,
        )  # fmt: skip
        self.running = Running(
            self.app, [self.platform], words(self.lang),
            clock=self.clock, entropy=entropy, tell=self.told.append, sleep=sleep,
        )  # fmt: skip
        await self.running.start()

    async def weather(self) -> None:
        """Until everything that was said has been fetched, handled and answered, however long that takes."""
        service = self.running.service

        def quiet() -> bool:
            return not (self.server.pending or len(service.lanes) or len(service._sender.lanes) or service._aside)

        await self.naps.until(quiet)
