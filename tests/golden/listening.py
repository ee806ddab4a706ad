"""`niannian run` on an emulated Telegram, in a device's process: what `child.py` drives there instead of terminals.

Nobody is asked anything here: what people write arrives by polling, and a request only says that it should be waited
for. Lin's account, Noor and Wei are known from the first start on, and the group Team is switched on.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.app import OWNER, App
from bot.config import load
from bot.platforms.telegram.edge import TelegramPlatform
from bot.platforms.telegram.limits import Limits
from bot.running import Running
from bot.words import words
from store.home import Home
from store.lemmas import family
from store.model import AccountID, Role
from tests.fakes import FakeClock, FakeEntropy
from tests.golden.platforms import ON_TELEGRAM, TEAM_ON_TELEGRAM

LIMITS = Limits(
    chat_per_s=1000, chat_burst=1000, group_per_min=60_000, group_burst=1000, all_per_s=1000, all_burst=1000
)  # fmt: skip
POLL_S = 30


def warm() -> None:
    """In a parent that will be forked: what a first start, a first call and a first counted word would load."""
    TelegramPlatform("1:none", "http://127.0.0.1", FakeClock(), FakeEntropy())
    importlib.import_module("anyio._backends._asyncio")
    importlib.import_module("httpcore._backends.anyio")
    family("word")


class Pauses:
    """Waits as `asyncio.sleep` does; `end` ends every wait that is on."""

    def __init__(self) -> None:
        self._ended = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()

    def end(self) -> None:
        self._ended.set()
        self._ended = asyncio.Event()


class Listening:
    """The running service, with the requests that `child.py` hands on."""

    def __init__(self, app: App, running: Running, clock: FakeClock, pauses: Pauses) -> None:
        self.clock = clock
        self._app = app
        self._running = running
        self._pauses = pauses

    @classmethod
    async def start(cls, request: dict[str, Any]) -> Listening:
        clock, entropy = FakeClock(datetime.fromisoformat(request["now"])), FakeEntropy(request["seed"])
        environment: dict[str, str] = request["environment"]
        home = Path(request["home"])
        config = load(home / "niannian.toml", environment)
        assert config.telegram.token is not None
        app = await App.start(home, config, clock, entropy)
        await _meet(app.home)
        pauses = Pauses()
        platform = TelegramPlatform(
            config.telegram.token.reveal(), config.telegram.base_url, clock, entropy, LIMITS,
            poll_s=POLL_S, sleep=pauses,
        )  # fmt: skip
        running = Running(
            app, [platform], words(environment["NIANNIAN_PERSON_LANG"]), clock=clock, entropy=entropy,
            tell=lambda line: None, sleep=pauses,
        )  # fmt: skip
        await running.start()
        return cls(app, running, clock, pauses)

    async def do(self, request: dict[str, Any]) -> Iterable[Any]:
        match request["do"]:
            case "settled":
                await self._running.service.settled()
            case "run_due":
                await self._app.run_due()
                await self._app.ringing.tick()
            case "end_pauses":
                self._pauses.end()
            case "fault":
                from tests.golden.child import disk_fault, open_databases

                await disk_fault(request["name"], open_databases())
            case "close":
                await self._running.close()
                await self._app.close()
            case unknown:
                raise AssertionError(f"no such request: {unknown}")
        return ()


async def _meet(home: Home) -> None:
    """As if the owner's code had been sent, two codes let in, and [Start] been pressed; tests/service does all that."""
    lin, noor, wei = (AccountID(f"telegram:{ON_TELEGRAM[name]}") for name in ("lin", "noor", "wei"))
    if home.device.account(lin) is not None:
        return
    await home.link(lin, "Lin", OWNER)
    await home.let_in(noor, "Noor", Role.MEMBER)
    await home.let_in(wei, "Wei", Role.MEMBER)
    for account, name, role in ((lin, "Lin", Role.ADMIN), (noor, "Noor", Role.MEMBER), (wei, "Wei", Role.MEMBER)):
        await home.join_group(f"telegram:{TEAM_ON_TELEGRAM}", "Team", account, name, role)
