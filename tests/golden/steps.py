"""What a conversation is made of, as values: `script.py` reads them, `runner.py` plays them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Literal as OneOf

LANGUAGES = ("zh", "en")
PLATFORMS = ("terminal", "telegram", "feishu")

# Text with holes


class Hole(StrEnum):
    ANY = "…"
    NUMBER = "n"
    CODE = "code"
    SIX = "six"


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Stands for something only the run knows; `name` remembers what it was, "" does not."""

    hole: Hole
    name: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What an earlier placeholder of this name was."""

    name: str


@dataclass(frozen=True, slots=True)
class Text:
    """Words and holes in order; line breaks are real ones."""

    parts: tuple[str | Placeholder | Known, ...]


# Steps


@dataclass(frozen=True, slots=True)
class Moment:
    """A local time of 2024."""

    month: int
    day: int
    hour: int
    minute: int


class Hearing(StrEnum):
    DEFAULT = "default"
    ADDRESSED = "addressed"
    OVERHEARD = "overheard"


@dataclass(frozen=True, slots=True)
class Say:
    person: str
    text: Text
    group: str | None = None
    hearing: Hearing = Hearing.DEFAULT
    reply: bool = False
    edit: bool = False
    forward_from: str | None = None
    at: Moment | None = None


@dataclass(frozen=True, slots=True)
class Press:
    label: str
    person: str = "lin"


@dataclass(frozen=True, slots=True)
class Run:
    """`$ niannian …`: the words after the program's name."""

    arguments: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Exit:
    status: int


class Kind(StrEnum):
    EXACT = "<"
    EDIT = "<edit"
    TOAST = "<toast"
    TO = "<to"
    GROUP = "<group"
    REACT = "<react"
    NONE = "<none"
    SAME = "<="


@dataclass(frozen=True, slots=True)
class Expect:
    """`to` is the person or group of TO and GROUP; `text` the reaction of REACT."""

    kind: Kind
    text: Text = Text(())
    buttons: tuple[str, ...] = ()
    to: str = ""


@dataclass(frozen=True, slots=True)
class Contains:
    pieces: tuple[Text, ...]
    buttons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotContains:
    pieces: tuple[str, ...]
    since: OneOf["action", "conversation"]


@dataclass(frozen=True, slots=True)
class LLM:
    """The model's next answer; None: it never answers."""

    answer: str | None


@dataclass(frozen=True, slots=True)
class At:
    moment: Moment


@dataclass(frozen=True, slots=True)
class Wait:
    span: timedelta


@dataclass(frozen=True, slots=True)
class Restart:
    pass


@dataclass(frozen=True, slots=True)
class Kill:
    pass


@dataclass(frozen=True, slots=True)
class On:
    device: str


@dataclass(frozen=True, slots=True)
class Sync:
    pass


@dataclass(frozen=True, slots=True)
class Relay:
    on: bool


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    argument: str = ""


Act = Say | Press | Run | LLM | At | Wait | Restart | Kill | Relay | Fault
Expectation = Exit | Expect | Contains | NotContains
AnyStep = Act | Expectation | On | Sync


@dataclass(frozen=True, slots=True)
class Step:
    line: int
    zh: AnyStep | None
    en: AnyStep | None


@dataclass(frozen=True, slots=True)
class Conversation:
    number: int
    name: str
    title: str
    platforms: tuple[str, ...]
    steps: tuple[Step, ...]

    def said(self, lang: str) -> Iterator[tuple[int, AnyStep]]:
        """The steps of one language, each with its line."""
        assert lang in LANGUAGES
        for step in self.steps:
            what = step.zh if lang == "zh" else step.en
            if what is not None:
                yield step.line, what
