"""A burst of messages for a service that is killed in the middle, and what must hold when it is quiet again.

One emulated server serves every killed home in turn: each is a copy of the same ready home, and each burst says
things with a number of its own.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from store.examine import Level, examine_memory
from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.emulators.telegram.world import Message
from tests.fakes import FakeClock
from tests.faults.forks import Ended, Forks
from tests.faults.talk import memory_files
from tests.service.world import Telegram, labels

QUESTION = "The line dropped while I was sending a reply"
TO_FORGET = "the old locker code is newt"


@dataclass(slots=True)
class Town:
    """The server with its people, and a home that knows them."""

    server: TelegramServer
    lin: Person
    noor: Person
    team: Group
    home: Path
    forget: tuple[Message, str]
    """A message of the bot with its question whether to forget, and what the button under it says to the bot."""


async def found(home: Path, server: TelegramServer) -> Town:
    world = Telegram(home, FakeClock(), server)
    await world.start()
    try:
        await world.meet_owner()
        await world.let_in(world.noor)
        team = await world.team()
        await world.says(world.lin, f"remember {TO_FORGET}")
        asked = await world.says(world.lin, "/forget newt")
        return Town(server, world.lin, world.noor, team, home, (asked, asked.data_of("Forget")))
    finally:
        await world.stop()


@dataclass(slots=True)
class Burst:
    """What was said under `name`: texts that must be kept once, and words of which at most one message may speak."""

    town: Town
    name: str
    kept: list[str] = field(default_factory=list)
    receipts: list[tuple[Person | Group, str]] = field(default_factory=list)
    before: dict[int, int] = field(default_factory=dict)

    def places(self) -> tuple[Person | Group, ...]:
        return self.town.lin, self.town.noor, self.town.team

    def say(self) -> None:
        """Ten messages, one of them changed, and a press."""
        town, name = self.town, self.name
        for place in self.places():
            self.before[place.chat.id] = len(town.server.sent(place))
        with town.server.world.change():
            self._remembers(town.lin, f"the key of {name} is heron")
            town.lin.writes(f"todo water the {name} plants")
            self.receipts.append((town.lin, f"“water the {name} plants”"))
            changed = town.lin.writes(f"remember tea of {name} is green")
            self._remembers(town.noor, f"the boat of {name} is blue")
            town.lin.presses_data(*town.forget)
            self._remembers(town.noor, f"the plan of {name} is B", town.team)
            town.lin.edits(changed, f"remember tea of {name} is white")
            town.noor.writes(f"what is the boat of {name}?")
            self._remembers(town.lin, f"the door of {name} is red")
            self._remembers(town.lin, f"the roof of {name} is flat", town.team)
            self._remembers(town.noor, f"the lamp of {name} is off")
            self._remembers(town.lin, f"the last thing of {name}")

    def say_more(self) -> None:
        """Each chat hears from somebody again."""
        with self.town.server.world.change():
            self._remembers(self.town.lin, f"after {self.name} here")
            self._remembers(self.town.noor, f"after {self.name} there")
            self._remembers(self.town.noor, f"after {self.name} in the team", self.town.team)

    def _remembers(self, who: Person, text: str, group: Group | None = None) -> None:
        who.writes(f"/remember {text}" if group is not None else f"remember {text}", group)
        self.kept.append(text)
        self.receipts.append((group or who, f"“{text}”"))

    # what must hold

    def sent(self, place: Person | Group) -> list[Message]:
        return self.town.server.sent(place)[self.before[place.chat.id] :]

    def times(self, place: Person | Group, words: str) -> int:
        return sum(
            message.text.startswith(("Saved", "Added")) and words in message.text for message in self.sent(place)
        )

    def questions(self) -> list[tuple[Person, Message]]:
        """Who is to say whether something arrived, and where they are asked: in a group, whoever wrote next."""
        return [
            (self._asked(message), message)
            for place in self.places()
            for message in self.sent(place)
            if QUESTION in message.text and "Send again" in labels(message)
        ]

    def _asked(self, question: Message) -> Person:
        answered = question.reply_to.sender if question.reply_to is not None else question.chat
        assert answered is not None
        return self.town.lin if answered.id == self.town.lin.id else self.town.noor

    def check_replies(self) -> None:
        """Nobody got a receipt twice; whoever lacks one is asked about it."""
        for place in self.places():
            there = [words for where, words in self.receipts if where is place]
            counted = Counter({words: self.times(place, words) for words in there})
            assert max(counted.values()) <= 1, f"twice: {counted}"
            missing = [words for words in there if not counted[words]]
            asked = sum(1 for _, message in self.questions() if message.chat.id == place.chat.id)
            assert len(missing) <= asked, f"no receipt and no question: {missing}"
        answers = [m for m in self.sent(self.town.noor) if m.text.startswith("You said")]
        assert len(answers) <= 1

    def check_home(self, home: Path) -> None:
        """The home is closed, and nothing waits in it."""
        rows: list[tuple[str, int, int]] = []
        for path in memory_files(home):
            wrong = [finding for finding in examine_memory(path, "scope").findings if finding.level is not Level.OK]
            assert wrong == [], f"doctor says of {path}: {wrong}"
            with closing(sqlite3.connect(path)) as conn:
                rows += conn.execute("SELECT text, hidden, current FROM entries WHERE kind <> 'checkpoint'").fetchall()
                tasks = conn.execute("SELECT title FROM tasks WHERE title LIKE ?", (f"%{self.name} plants",)).fetchall()
                assert len(tasks) <= 1, tasks
                rows += [(title, 0, 1) for (title,) in tasks]
        counted = Counter(text for text, *_ in rows)
        for text in (*self.kept, f"water the {self.name} plants", f"tea of {self.name} is white"):
            assert counted[text] == 1, f"{text!r} is there {counted[text]} times"
        shown = {text for text, hidden, current in rows if current and not hidden}
        assert f"tea of {self.name} is white" in shown
        assert f"tea of {self.name} is green" not in shown
        assert TO_FORGET not in shown
        with closing(sqlite3.connect(home / "device.db")) as conn:
            states = dict(conn.execute("SELECT state, count(*) FROM inbox GROUP BY state").fetchall())
            assert set(states) == {"done"}, states
            left = {state for (state,) in conn.execute("SELECT state FROM outbox")}
            assert left <= {"sent", "uncertain"}, left


def until_quiet(
    forks: Forks, town: Town, home: Path, *options: str, at_once: Callable[[int], None] | None = None
) -> Ended:
    """The service on `home` until the server has nothing more for it, or until it is killed.

    `at_once` is given the id of the process while it runs.
    """
    reading, writing = os.pipe()
    open_ends = [writing]

    def look() -> None:
        if not town.server.pending and open_ends:
            os.close(open_ends.pop())

    errors_path = home.parent / f"{home.name}.errors"
    with errors_path.open("wb") as errors:
        process = forks.start([str(home), town.server.base_url, *options], reading, errors.fileno(), errors.fileno())
    os.close(reading)
    town.server.world.watchers.append(look)
    try:
        look()
        if at_once is not None:
            at_once(process)
        status = forks.wait(process)
    finally:
        town.server.world.watchers.remove(look)
        with suppress(IndexError):
            os.close(open_ends.pop())
    return Ended(status, "", errors_path.read_text("utf-8"))


def recover(forks: Forks, burst: Burst, home: Path) -> int:
    """Started again until it is quiet and everybody has everything. How many questions there were."""
    town = burst.town
    burst.say_more()
    ended = until_quiet(forks, town, home)
    assert ended.status == 0, ended
    burst.check_replies()
    asked = burst.questions()
    if asked:
        for who, message in asked:
            who.presses(message, "Send again")
        ended = until_quiet(forks, town, home)
        assert ended.status == 0, ended
    for place, words in burst.receipts:
        assert burst.times(place, words) >= 1, f"never said: {words}"
    burst.check_home(home)
    return len(asked)


def was_killed(ended: Ended) -> bool:
    assert ended.status in (0, -signal.SIGKILL), ended
    return ended.status != 0
