"""The whole program on an emulated Telegram: people write at one end, and what reaches their chats is looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from bot.app import App
from bot.config import load
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.limits import Limits
from bot.ports import Listening
from bot.running import Running
from bot.words import words
from store.ports import Entropy
from tests.emulators.telegram.people import Group, Person, Place
from tests.emulators.telegram.server import TelegramServer
from tests.emulators.telegram.world import Message
from tests.fakes import FakeClock, FakeEntropy

START = datetime(2024, 5, 27, 2, 0, tzinfo=UTC)
SECONDS = 10.0


class Telegram:
    """One bot on one emulated server. `lin` is the owner, by the code that `niannian run` shows."""

    def __init__(
        self, home: Path, clock: FakeClock, server: TelegramServer, *, lang: str = "en", seed: int = 1
    ) -> None:
        self.home = home
        self.clock = clock
        self.server = server
        self.lang = lang
        self.seed = seed
        self.told: list[str] = []
        self.app: App
        self.platform: TelegramPlatform
        self.running: Running
        self.lin = server.person(5001, "Lin", lang="zh-hans" if lang == "zh" else "en")
        self.noor = server.person(5002, "Noor", lang="zh-hans" if lang == "zh" else "en")
        self.wei = server.person(5003, "Wei", lang="zh-hans" if lang == "zh" else "en")

    async def start(self) -> None:
        self.seed += 1
        entropy: Entropy = FakeEntropy(f"start {self.seed}")
        env = {
            "NIANNIAN_PERSON_NAME": "Lin",
            "NIANNIAN_PERSON_ZONE": "Asia/Shanghai",
            "NIANNIAN_PERSON_LANG": self.lang,
        }
        self.app = await App.start(self.home, load(self.home / "niannian.toml", env), self.clock, entropy, host="home")
        limits = Limits(
            chat_per_s=1000, chat_burst=1000, group_per_min=60_000, group_burst=1000, all_per_s=1000, all_burst=1000
        )
        self.platform = TelegramPlatform(
            self.server.token, self.server.base_url, self.clock, entropy, limits, poll_s=5,
        )  # fmt: skip
        self.running = Running(
            self.app, [self.platform], words(self.lang), clock=self.clock, entropy=entropy, tell=self.told.append
        )
        await self.running.start()
        async with asyncio.timeout(SECONDS):
            while self.platform.listening is Listening.STARTING:
                await asyncio.sleep(0)

    async def stop(self) -> None:
        await self.running.close()
        await self.app.close()

    async def settle(self) -> None:
        """Everything that was said has been fetched, handled and answered."""
        async with asyncio.timeout(SECONDS):
            while True:
                await self.server.until(lambda: not self.server.pending, SECONDS)
                await self.running.service.settled()
                if not self.server.pending:
                    return

    async def meet_owner(self) -> None:
        code = await self.running.acquaintance.owner_code("telegram")
        self.lin.writes(f"/start {code}")
        await self.settle()

    async def let_in(self, person: Person) -> None:
        answer = await self.says(person, "hello")
        code = next(word for word in answer.text.split() if len(word) == 8 and word.isupper())
        await self.says(self.lin, f"/pair {code}")
        await self.presses(self.lin, "放行" if self.lang == "zh" else "Let in")

    async def team(self, title: str = "Team") -> Group:
        """A group that Lin switched on, with Noor and Wei in it."""
        group = self.server.group(title, admin=self.lin, members=[self.noor, self.wei])
        self.lin.adds_bot(group)
        await self.settle()
        await self.presses(self.lin, "开始" if self.lang == "zh" else "Start", group)
        return group

    async def says(self, person: Person, text: str, to: Group | None = None, **how: object) -> Message:
        """The newest message of the bot where `person` wrote it."""
        person.writes(text, to, **how)  # type: ignore[arg-type]
        await self.settle()
        return self.newest(to or person)

    async def presses(self, person: Person, label: str, place: Place | Person | None = None) -> str:
        """On the newest message there that has `label`; gives the toast, "" for none."""
        found = [message for message in self.server.sent(place or person) if label in labels(message)]
        assert found, f"no message with [{label}]: {[m.text for m in self.server.sent(place or person)]}"
        message = found[-1]
        press = person.presses(message, label)
        await self.settle()
        return self.server.toast(press) or ""

    def newest(self, place: Place | Person) -> Message:
        return self.server.sent(place)[-1]


def labels(message: Message) -> list[str]:
    return [label for row in message.buttons for label, _ in row]


@asynccontextmanager
async def telegram(
    home: Path, clock: FakeClock | None = None, *, lang: str = "en", owner: bool = True
) -> AsyncIterator[Telegram]:
    clock = clock or FakeClock(START)
    with TelegramServer(clock) as server:
        world = Telegram(home, clock, server, lang=lang)
        await world.start()
        try:
            if owner:
                await world.meet_owner()
            yield world
        finally:
            await world.stop()
