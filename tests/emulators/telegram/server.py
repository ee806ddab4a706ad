"""The server a test holds: its address, people and places, what is there now, what goes wrong.

It runs in a thread with a loop of its own, so it also serves a bot that lives in the test's loop. In a coroutine use
`until`, not `wait`, which would stop that bot too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from aiohttp import web

from tests.emulators.telegram import hearing
from tests.emulators.telegram.calls import Desk, Event, Profile
from tests.emulators.telegram.faults import KINDS, Fault
from tests.emulators.telegram.people import Channel, Group, Person, Place
from tests.emulators.telegram.presses import Press, Presses
from tests.emulators.telegram.running import Running
from tests.emulators.telegram.wire import Wire
from tests.emulators.telegram.world import SUPERGROUP, Chat, Clock, Message, User, World

BOT_ID = 100000001
TOKEN = f"{BOT_ID}:TEST-ONLY-not-a-token"


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class TelegramServer:
    """`with TelegramServer(clock) as server:`; leaving it checks that nobody complained about a call of the bot."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        username: str = "keepbot",
        name: str = "Keep",
        check_requests: bool = True,
        check_answers: bool = False,
    ) -> None:
        self.token = TOKEN
        self.world = World(clock or SystemClock(), User(BOT_ID, name, username, is_bot=True))
        self.presses = Presses()
        self.profile = Profile()
        desk = Desk(self.world, self.presses, self.profile)
        self.wire = Wire(desk, TOKEN, check_requests=check_requests, check_answers=check_answers)
        self._groups = 0
        self._running: Running | None = None
        if check_requests or check_answers:
            # Takes seconds; at the first call of a bot it would look like a server that does not answer.
            from tests.emulators.telegram import oracle
        if check_answers:
            self.world.updates.judge = lambda update: self.complaints.extend(oracle.update_complaints(update))

    # Running

    def start(self, port: int = 0, *, extend: Callable[[web.Application], None] = lambda application: None) -> None:
        """`extend` adds routes of another program's."""
        application = self.wire.application()
        extend(application)
        self._running = Running(application, port, self.wire.close)
        self.world.watchers.append(self._wake)

    def stop(self) -> None:
        if self._running is not None:
            self.world.watchers.remove(self._wake)
            self._running.stop()
            self._running = None

    def __enter__(self) -> TelegramServer:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        if kind is None:
            assert self.complaints == [], "\n".join(self.complaints)

    def _wake(self) -> None:
        assert self._running is not None
        self._running.call(self.wire.wake)

    @property
    def port(self) -> int:
        assert self._running is not None, "not started"
        return self._running.port

    @property
    def base_url(self) -> str:
        """For python-telegram-bot: `base_url + "/bot"`, files at `base_url + "/file/bot"`."""
        return f"http://127.0.0.1:{self.port}"

    # People and places

    def person(
        self, number: int, name: str, *, username: str | None = None, lang: str | None = None, bot: bool = False
    ) -> Person:
        with self.world.change():
            user = self.world.users[number] = User(number, name, username, lang, is_bot=bot)
        return Person(self.world, self.presses, user)

    def group(
        self,
        title: str,
        *,
        admin: Person,
        members: Sequence[Person] = (),
        supergroup: bool = False,
        forum: bool = False,
        bot: bool = True,
        number: int | None = None,
    ) -> Group:
        """`admin` made it and adds the bot, unless `bot` is false."""
        with self.world.change():
            self._groups += 1
            kind = "supergroup" if supergroup or forum else "group"
            id_ = number or -(4000 + self._groups) + (SUPERGROUP if kind == "supergroup" else 0)
            chat = self.world.chats[id_] = Chat(id_, kind, title, is_forum=forum)
            chat.members = {admin.id: "creator"} | {member.id: "member" for member in members}
            group = Group(self.world, chat)
            if bot:
                admin.adds_bot(group)
        return group

    def channel(self, title: str, *, username: str | None = None, linked: Group | None = None) -> Channel:
        """The bot is not in it: it hears of it only through the `linked` group."""
        with self.world.change():
            self._groups += 1
            id_ = SUPERGROUP - 900_000 - self._groups
            chat = self.world.chats[id_] = Chat(id_, "channel", title, username)
            chat.linked = linked.chat if linked is not None else None
        return Channel(self.world, chat)

    def migrate(self, group: Group, order: str = "both", *, twice: bool = False) -> Group:
        """The group becomes a supergroup. "both" is "old-first"; "silent" tells the bot nothing.

        `twice`: the first of the two messages comes again under another update number.
        """
        assert order in ("both", "old-first", "new-first", "silent"), order
        with self.world.change():
            old = group.chat
            new = Chat(SUPERGROUP + old.id, "supergroup", old.title, members=dict(old.members))
            self.world.chats[new.id] = new
            owner = next(id_ for id_, status in old.members.items() if status == "creator")
            told = [
                self.world.post(old, self.world.users[owner], extra={"migrate_to_chat_id": new.id}),
                self.world.post(new, self.world.users[owner], extra={"migrate_from_chat_id": old.id}),
            ]
            old.migrated_to = new
            if order == "new-first":
                told.reverse()
            if twice:
                told.insert(1, told[0])
            for message in told if order != "silent" else ():
                hearing.tell_message(self.world, message)
        return Group(self.world, new)

    # What is there

    @property
    def events(self) -> list[Event]:
        """Every call of the bot but `getUpdates`, oldest first."""
        return self.wire.events

    @property
    def complaints(self) -> list[str]:
        return self.wire.complaints

    def chat(self, place: Place | Person | Chat | int) -> list[Message]:
        """All messages there, oldest first, as they stand now; deleted ones say so."""
        with self.world.lock:
            return list(self._chat(place).messages.values())

    def sent(self, place: Place | Person | Chat | int) -> list[Message]:
        """Those of the bot."""
        return [message for message in self.chat(place) if message.by_bot]

    def toast(self, press: str) -> str | None:
        """The words of the last answer to a press ("" for none); None while there is no answer."""
        answers = self.press(press).answers
        return answers[-1][0] if answers else None

    def press(self, press: str) -> Press:
        return self.presses.all[press]

    def counts(self) -> dict[int, dict[str, int]]:
        """Of each chat, how many messages people wrote there, and the bot."""
        return self.world.counts()

    @property
    def pending(self) -> int:
        """Updates that the bot has not acknowledged."""
        with self.world.lock:
            return self.world.updates.pending

    @property
    def polled(self) -> int:
        """How often the bot asked for updates."""
        return self.wire.polled

    @property
    def polling(self) -> bool:
        """Whether a poll is waiting now."""
        return self.wire.poll is not None

    def _chat(self, place: Place | Person | Chat | int) -> Chat:
        if isinstance(place, int):
            return self.world.chats[place]
        return place if isinstance(place, Chat) else place.chat

    def wait(self, condition: Callable[[], Any], seconds: float = 5) -> Any:
        """The first true value of `condition`, asked after every change."""
        with self.world.lock:
            found = self.world.changed.wait_for(condition, seconds)
            assert found, f"not so within {seconds} s; last calls: {self.events[-3:]}"
            return found

    async def until(self, condition: Callable[[], Any], seconds: float = 5) -> Any:
        """`wait` for a test whose loop the bot shares."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

        self.world.watchers.append(wake)
        try:
            async with asyncio.timeout(seconds):
                while not (found := condition()):
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            raise AssertionError(f"not so within {seconds} s; last calls: {self.events[-3:]}") from None
        finally:
            self.world.watchers.remove(wake)
        return found

    # What goes wrong

    def fail(
        self,
        method: str,
        kind: str | int,
        times: int = 1,
        *,
        chat: Place | Person | int | None = None,
        retry_after: int = 3,
        seconds: float = 1.0,
        new_id: int = 0,
    ) -> None:
        """The next `times` calls of `method` ("*": of any) end so: a name of `refusals.py`, 429, or on the way:

        "lost" (done, then cut off), "late" (done, answered after `seconds`), "drop" (not done, cut off), "html".
        """
        chat_id = self._chat(chat).id if chat is not None else None
        name = KINDS.get(str(kind), str(kind))
        with self.world.change():
            self.wire.faults.plan(Fault(method, name, times, chat_id, retry_after, seconds, new_id))

    def heal(self) -> None:
        """Forgets the planned failures; answers that are late come now."""
        with self.world.change():
            self.wire.faults.clear()
            self.wire.healed += 1

    def offline(self) -> None:
        """Connections are cut off; updates wait."""
        with self.world.change():
            self.wire.connected = False

    def online(self) -> None:
        with self.world.change():
            self.wire.connected = True

    def limits(self, *, real: bool) -> None:
        self.wire.limits.real = real

    def revoke(self) -> None:
        """The token is good for nothing any more: 401 everywhere."""
        self.wire.token = "revoked"

    def privacy(self, *, on: bool, mentions_heard: bool = True) -> None:
        """Whether a bare mention gets through when it is on: sources disagree, so try both."""
        self.world.privacy, self.world.mentions_heard = on, mentions_heard

    def redeliver(self) -> int:
        """The updates acknowledged last come once more; how many."""
        with self.world.change():
            return self.world.updates.redeliver()

    def raw_update(self, update: dict[str, Any]) -> None:
        with self.world.change():
            self.world.updates.add_raw(update)
