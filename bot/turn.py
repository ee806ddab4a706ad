"""One message and all done to answer it: what every command is given, and what it notes down.

A command is a synchronous function of a `Turn`; it runs inside the scope's transaction. It returns the
reply, and leaves in `notes` what layer 3 keeps of the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot import render
from bot.habits import Where
from bot.message import Button, Inbound, Line, Reply, Shape
from bot.words import Words
from scheduler.recurring import Rule, around, rule_of
from scheduler.slots import moment_of
from store.changes import Json
from store.dictionary import Dictionary
from store.model import AccountID, Entry, EntryKind, RefID, Role, ScopeKind, Source, Task
from store.ports import Embedder
from store.slots import KeptSlot
from store.vectors import Meaning
from store.writer import Writer

LISTED_MAX = 10
EVERY = "every"
"""A register of a task: when its reminder comes again (`scheduler.recurring`), "" for once; `due` is its first time."""


@dataclass(slots=True)
class Notes:
    """What is kept of this turn. `kind`: command, question, nothing (a question without an answer), talk."""

    kind: str = "command"
    cited: list[str] = field(default_factory=list)
    entry: str | None = None
    topic: str = ""
    stored: bool = False
    empty: bool = False
    """True when the answer is that there is nothing."""
    timed: bool = False
    """True when something got a time at which it is to be said."""


@dataclass(frozen=True, slots=True)
class Turn:
    writer: Writer
    inbound: Inbound
    words: Words
    role: Role
    kind: ScopeKind
    title: str
    """The group's name; "" in a private chat."""
    zone: str
    now: datetime
    names: Mapping[AccountID, str]
    """What the accounts of this scope are called; people of other scopes are not in it."""
    device: str
    device_id: bytes
    platform: str
    meant: bool = False
    """Whether the meaning of the words was asked for."""
    meaning: Meaning | None = None
    """Of the question, where there is an embedder and it was quick enough."""
    dictionary: Callable[[], Dictionary | None] = lambda: None
    """Opens the dictionary of this home; whoever asks closes it."""
    embedder: Embedder | None = None
    """For what is said about it; None where meaning is switched off."""
    asks_zone: bool = True
    """Whether somebody is there who can be asked which clock they live by."""
    said: Sequence[KeptSlot] = ()
    """What was said unasked lately, newest first; only for what asks about it."""
    notes: Notes = field(default_factory=Notes)

    @property
    def account(self) -> AccountID:
        return self.inbound.account

    @property
    def chat(self) -> str:
        """The conversation: a forum topic is one of its own."""
        inbound = self.inbound
        return f"{inbound.chat.platform}:{inbound.chat.id}" + (f"/{inbound.topic}" if inbound.topic else "")

    @property
    def at_ms(self) -> int:
        return int(self.inbound.at.timestamp() * 1000)

    @property
    def now_ms(self) -> int:
        return self.writer.now_ms

    @property
    def today(self) -> date:
        return render.local(self.now_ms, self.zone).date()

    @property
    def private(self) -> bool:
        return self.kind is ScopeKind.PRIVATE

    @property
    def source(self) -> Source:
        return Source(self.inbound.chat.platform, self.inbound.chat.id, self.inbound.key)

    @property
    def where(self) -> Where:
        """This conversation, as a register keeps it."""
        chat = self.inbound.chat
        return Where(f"{chat.platform}:{chat.id}", self.inbound.topic, self.device_id[:8].hex())

    def in_zone(self, zone: str) -> Turn:
        """The same, where another clock is known by now."""
        return replace(self, zone=zone)

    # words that many commands share

    def memory_name(self) -> str:
        """私聊记忆 / Team's memory."""
        return self.words("memory-private") if self.private else self.words("memory-group", title=self.title)

    def place(self) -> str:
        """私聊 / private chat, where an entry was said."""
        return self.words("place-private") if self.private else self.words("memory-group", title=self.title)

    def who(self, account: AccountID, *, inside: bool = False) -> str:
        """你 / You in a private chat; in a group always the name, so that the answer is the same for all.

        `inside`: the sentence has begun already.
        """
        if self.private:
            return self.words("you-inside" if inside else "you")
        return self.name(account)

    def name(self, account: AccountID) -> str:
        return self.names.get(account) or account.partition(":")[2] or self.words("someone")

    def task_line(self, task: Task) -> str:
        """就绪 T-240527-01 交报销, as the board shows it; with its time where it has one."""
        line = f"{self.words(f'state-{task.state.value}')} {task.label} {render.short(task.title, 80)}"
        at = self.due(task)
        if at is None:
            return line
        rule = self.rule(task)
        when = f"{render.rule(self.words, rule)} {render.local_time(at, self.zone)}" if rule else self.moment_near(at)
        return f"{line} · {when}"

    def rule(self, task: Task) -> Rule | None:
        """When its reminder comes again; None for one that comes once."""
        every = self.writer.register(task.id, EVERY)
        return rule_of(every.value) if every is not None and isinstance(every.value, str) else None

    def due(self, task: Task) -> datetime | None:
        """Its time; of what comes again the next one."""
        at = moment_of(task.due, self.zone) if task.due else None
        rule = self.rule(task) if at is not None else None
        if at is None or rule is None:
            return at
        first = at.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)
        return around(rule, first, self.zone, self.now)[1] or at

    def task_state(self, task: Task) -> str:
        return f"{task.label} · {self.words(f'state-{task.state.value}')}"

    def moment(self, at_ms: int) -> str:
        """10:00, with the day where that is not today."""
        at = render.local(at_ms, self.zone)
        return f"{at:%H:%M}" if at.date() == self.today else render.full_moment(self.words, at, self.today)

    def moment_near(self, at: datetime) -> str:
        """今天 10:00, 5月31日（周五）10:00"""
        return render.full_moment(self.words, at.astimezone(ZoneInfo(self.zone)), self.today)

    def when(self, entry: Entry) -> datetime:
        return render.local(entry.at_ms, self.zone)

    def listed(self, items: Iterable[str]) -> str:
        """a、b / a, b; ten at most."""
        shown = list(items)
        shown = shown if len(shown) <= LISTED_MAX else [*shown[:LISTED_MAX], "…"]
        return render.LIST_SEPARATOR[self.words.lang].join(shown)

    def moment_of(self, entry: Entry) -> str:
        """When it was said, as precisely as is known: what came from a file that names a day only stands at noon."""
        at = self.when(entry)
        if entry.source.platform == "import" and (at.hour, at.minute) == (12, 0):
            return render.moment(self.words, at, self.today)[0].removesuffix(f" {at:%H:%M}")
        return render.full_moment(self.words, at, self.today)

    def number(self, value: int) -> str:
        return render.number(self.words, value)

    def offer(self, **body: Any) -> str:
        """Keeps what a button of this reply would do; gives the first words of its action."""
        return f"offer {self.writer.make_offer(self.chat, self.account, body)}"

    def undo_button(self, shown: str, verb: str, steps: Sequence[tuple[str, str, Json]]) -> Button:
        """[Undo] for a write that was just made: the registers to set again."""
        undo = self.writer.undoable_write(
            chat=self.chat, account=self.account, shown=RefID(shown), verb=verb, steps=steps
        )
        return self.button("button-undo", f"undo {undo}")

    def pressed(self, message_id: str, /, *lines: str, buttons: tuple[Button, ...] = (), **facts: str | int) -> Reply:
        """The pressed message becomes this."""
        return self.say(self.words(message_id, **facts), *lines, buttons=buttons, shape=Shape.EDIT)

    def cite(self, *labels: str) -> None:
        self.notes.cited.extend(labels)

    def button(self, message_id: str, action: str, /, **facts: str | int) -> Button:
        return Button(self.words(message_id, **facts), action)

    def say(
        self, *lines: Line | str | tuple[Line, ...], buttons: tuple[Button, ...] = (), shape: Shape = Shape.MESSAGE
    ) -> Reply:
        flat: list[Line] = []
        for line in lines:
            if isinstance(line, tuple):
                flat += line
            elif isinstance(line, Line):
                flat.append(line)
            elif line:
                flat += [Line(one) for one in line.split("\n")]
        return Reply(tuple(flat), buttons, shape, stored=self.notes.stored)

    def toast(self, message_id: str, /, **facts: str | int) -> Reply:
        return Reply((Line(self.words(message_id, **facts)),), shape=Shape.TOAST)


def kind_name(turn: Turn, kind: EntryKind) -> str:
    return turn.words(f"kind-{kind.value}")
