"""One message and all done to answer it: what every command is given, and what it notes down.

A command is a synchronous function of a `Turn`; it runs inside the scope's transaction. It returns the
reply, and leaves in `notes` what layer 3 keeps of the turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from bot import render
from bot.message import Button, Inbound, Line, Reply, Shape
from bot.words import Words
from store.model import AccountID, Entry, EntryKind, Role, ScopeKind, Source
from store.writer import Writer


@dataclass(slots=True)
class Notes:
    """What is kept of this turn. `kind`: command, question, nothing (a question without an answer), talk."""

    kind: str = "command"
    cited: list[str] = field(default_factory=list)
    entry: str | None = None
    topic: str = ""
    stored: bool = False


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
    """What accounts of this scope are called."""
    device: str
    platform: str
    steps: int = 0
    notes: Notes = field(default_factory=Notes)

    @property
    def account(self) -> AccountID:
        return self.inbound.account

    @property
    def chat(self) -> str:
        return f"{self.inbound.chat.platform}:{self.inbound.chat.id}"

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

    # words that many commands share

    def memory_name(self) -> str:
        """私聊记忆 / Team's memory."""
        return self.words("memory-private") if self.private else self.words("memory-group", title=self.title)

    def place(self) -> str:
        """私聊 / private chat, where an entry was said."""
        return self.words("place-private") if self.private else self.words("memory-group", title=self.title)

    def who(self, account: AccountID) -> str:
        """你 / You in a private chat; in a group always the name, so that the answer is the same for all."""
        if self.private and (account == self.account or account not in self.names):
            return self.words("you")
        return self.name(account)

    def name(self, account: AccountID) -> str:
        return self.names.get(account) or account.partition(":")[2] or self.words("someone")

    def when(self, entry: Entry) -> datetime:
        return render.local(entry.at_ms, self.zone)

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
