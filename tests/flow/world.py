"""A whole niannian in one process, under a clock that jumps: what people say goes in, what they would see comes out.

`Person` speaks at a terminal session. `Phone` speaks through the gateway as a chat platform would, with a key for
each message, so that the same message can come twice.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from bot.app import App
from bot.config import load
from bot.message import Chat, ChatKind, Inbound, Quoted, Reply
from bot.platforms.terminal import TerminalSession
from store.model import AccountID, Role
from store.ports import Embedder
from tests.fakes import FakeClock, FakeEntropy


class World:
    """One home. `at` moves the clock; `restart` closes the program and opens it on the same folder.

    With `embedder` meaning is switched on; `filled` gives everything its vector.
    """

    def __init__(
        self, home: Path, *, lang: str = "en", zone: str = "Asia/Shanghai", embedder: Embedder | None = None
    ) -> None:
        self.home = home
        self.lang = lang
        self.zone = zone
        self.embedder = embedder
        self.clock = FakeClock()
        self.app: App
        self._starts = 0

    async def start(self) -> World:
        self._starts += 1
        environment = {"NIANNIAN_PERSON_NAME": "Lin", "NIANNIAN_PERSON_ZONE": self.zone,
                       "NIANNIAN_PERSON_LANG": self.lang, "NIANNIAN_DEVICE_NAME": "home"}  # fmt: skip
        config = load(self.home / "niannian.toml", environment)
        self.app = await App.start(
            self.home, config, self.clock, FakeEntropy(f"start {self._starts}"), embedder=self.embedder
        )
        return self

    async def restart(self) -> None:
        await self.app.close()
        await self.start()

    async def __aenter__(self) -> World:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.app.close()

    async def filled(self) -> World:
        while await self.app.embedding.fill_some(self.app.home):
            pass
        return self

    def at(self, moment: str, zone: str = "+08:00") -> None:
        self.clock.set(datetime.fromisoformat(moment + zone))

    def later(self, **span: float) -> None:
        self.clock.advance(timedelta(**span))

    async def person(self, name: str = "Lin", group: str | None = None) -> Person:
        return Person(await self.app.session(None if name == "Lin" else name, group))

    async def phone(self, number: str, name: str, group: str | None = None) -> Phone:
        """Somebody on Telegram who has been let in; with `group`, a member of that group."""
        account = AccountID(f"telegram:{number}")
        await self.app.home.let_in(account, name, Role.MEMBER)
        chat = Chat("telegram", number, ChatKind.PRIVATE)
        if group is not None:
            chat = Chat("telegram", f"-{group}", ChatKind.GROUP, group)
            await self.app.home.join_group(f"telegram:-{group}", group, account, name, Role.MEMBER)
        return Phone(self, account, name, chat)


class Person:
    """Says one thing and gets one reply."""

    def __init__(self, session: TerminalSession) -> None:
        self.session = session
        self.last: Reply

    async def say(self, text: str) -> str:
        return self._one(await self.session.say(text))

    async def press(self, label: str) -> str:
        """Presses a button of the last reply by its label."""
        action = next(button.action for button in self.last.buttons if button.label == label)
        return await self.press_action(action)

    async def press_action(self, action: str) -> str:
        return self._one(await self.session.press_action(action))

    def action(self, label: str) -> str:
        return next(button.action for button in self.last.buttons if button.label == label)

    @property
    def labels(self) -> list[str]:
        return [button.label for button in self.last.buttons]

    def _one(self, replies: list[Reply]) -> str:
        (self.last,) = replies
        return self.last.text


class Phone:
    def __init__(self, world: World, account: AccountID, name: str, chat: Chat) -> None:
        self._world = world
        self._account = account
        self._name = name
        self._chat = chat

    def message(self, key: str, text: str = "", *, press: str | None = None, reply_to: Quoted | None = None) -> Inbound:
        now = self._world.clock.now()
        return Inbound(key, self._chat, self._account, self._name, text, now, press=press, reply_to=reply_to)

    async def send(self, inbound: Inbound) -> Reply:
        reply = await self._world.app.handle(inbound)
        assert reply is not None
        return reply

    async def say(self, key: str, text: str) -> Reply:
        return await self.send(self.message(key, text))

    async def press(self, key: str, reply: Reply, label: str) -> Reply:
        action = next(button.action for button in reply.buttons if button.label == label)
        return await self.send(self.message(key, press=action))

    def once_more(self, inbound: Inbound) -> Inbound:
        """The same message again, as a platform redelivers it: later, with the same key and date."""
        return replace(inbound)
