"""Two or three installations of one owner and a folder between them, in one process under a fake clock."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot import inviting, joining, syncing
from bot.app import App
from bot.config import load
from bot.inviting import Share
from bot.own_device import OwnDevice
from bot.platforms.dialogue import Dialogue
from bot.words import words
from tests.fakes import FakeClock, FakeEntropy
from tests.waits import until

CODE = re.compile(r"\w{6}-\w{6}-\w{6}")
EVERYTHING = Share()
KEY = re.compile(r"(?:\w{4}-){6}\w{4}")


class Talk(Dialogue):
    """A pipe with these lines typed into it; what was said is kept."""

    def __init__(self, *typed: str, yes: bool = False) -> None:
        self.heard = io.BytesIO()
        source = io.BytesIO("".join(f"{line}\n" for line in typed).encode())
        super().__init__(prompt="", yes=yes, source=source, out=self.heard, person=False)

    @property
    def said(self) -> str:
        return self.heard.getvalue().decode()


class Household:
    def __init__(self, root: Path, lang: str = "en") -> None:
        self.root = root
        self.shared = root / "shared"
        self.clock = FakeClock()
        self.lang = lang
        self.ticks = 0.0
        self._apps: list[App] = []
        self._starts = 0

    async def device(self, name: str, *, folder: bool = True) -> OwnDevice:
        env = {"NIANNIAN_PERSON_NAME": "Lin", "NIANNIAN_PERSON_ZONE": "Asia/Shanghai", "NIANNIAN_DEVICE_NAME": name}
        self._starts += 1
        app = await App.start(
            self.root / name, load(self.root / "none.toml", env), self.clock, FakeEntropy(f"{name}-{self._starts}")
        )
        self._apps.append(app)
        own = OwnDevice(
            app, words(self.lang), name=name, zone="Asia/Shanghai", clock=self.clock,
            entropy=FakeEntropy(f"{name}-{self._starts}/own"),
        )  # fmt: skip
        if folder:
            await syncing.set_folder(own, Talk(), self.shared)
        return own

    async def pause(self, seconds: float) -> None:
        """Others go on; the fake monotonic clock moves."""
        self.ticks += seconds
        await asyncio.sleep(0.001)

    def monotonic(self) -> float:
        return self.ticks

    async def pair(
        self, home: OwnDevice, newcomer: OwnDevice, answers: Sequence[str] = ("1",), share: Share = EVERYTHING
    ) -> tuple[Talk, Talk]:
        """Both sides to their end. Raises what either raises."""
        asked, joined = Talk(*answers), Talk()
        inviter = asyncio.create_task(inviting.pair(home, asked, share, pause=self.pause, monotonic=self.monotonic))
        await until(lambda: CODE.search(asked.said) or inviter.done())
        if (code := CODE.search(asked.said)) is None:
            await inviter
            raise AssertionError("no code was shown")
        joiner = asyncio.create_task(
            joining.join(newcomer, joined, code[0], pause=self.pause, monotonic=self.monotonic)
        )
        done, going_on = await asyncio.wait((inviter, joiner), return_when=asyncio.FIRST_EXCEPTION)
        for task in going_on:
            task.cancel()
        await asyncio.gather(*going_on, return_exceptions=True)
        for task in done:
            task.result()
        return asked, joined

    async def say(self, own: OwnDevice, text: str, *, as_name: str | None = None, group: str | None = None) -> str:
        (app,) = [app for app in self._apps if app.home is own.home]
        session = await app.session(as_name, group)
        return "\n".join(reply.text for reply in await session.say(text))

    async def stop(self, own: OwnDevice) -> None:
        for app in [app for app in self._apps if app.home is own.home]:
            await app.close()
            self._apps.remove(app)

    async def close(self) -> None:
        for app in self._apps:
            await app.close()


@asynccontextmanager
async def household(root: Path) -> AsyncIterator[Household]:
    home = Household(root)
    try:
        yield home
    finally:
        await home.close()
