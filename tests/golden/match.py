"""Is what was sent what the script says? Pure: values in, one sentence of complaint or None out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from tests.golden.steps import Contains, Expect, Hole, Kind, Known, Placeholder, Text


class SentAs(StrEnum):
    MESSAGE = "message"
    EDIT = "edit"
    TOAST = "toast"
    REACTION = "reaction"
    ANY = "any"
    """A pseudo-terminal shows an edit as a new line: message or edit."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One thing that left the process. `chat` is `private <person>`, `group <name>` or `process` (output of a `$`)."""

    chat: str
    text: str
    buttons: tuple[str, ...] = ()
    shape: SentAs = SentAs.MESSAGE
    failed: bool = False

    def shown(self) -> str:
        row = "".join(f" [{label}]" for label in self.buttons)
        return f"({self.shape}, {self.chat}) {self.text}{row}"


@dataclass(slots=True)
class Memory:
    """What placeholders turned out to be, for one conversation."""

    names: dict[str, str] = field(default_factory=dict)

    def fill(self, text: Text) -> str:
        """`text` with what is known put in; it must hold no open placeholder."""
        filled: list[str] = []
        for part in text.parts:
            assert not isinstance(part, Placeholder), "an open placeholder cannot be written"
            filled.append(self.names[part.name] if isinstance(part, Known) else part)
        return "".join(filled)


_HOLES = {
    Hole.ANY: r"[^\n]+",
    Hole.NUMBER: r"\d+(?:,\d{3})*",
    Hole.CODE: r"[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*",
    Hole.SIX: r"\d{6}",
}

_SHAPES = {
    Kind.EXACT: SentAs.MESSAGE,
    Kind.TO: SentAs.MESSAGE,
    Kind.GROUP: SentAs.MESSAGE,
    Kind.EDIT: SentAs.EDIT,
    Kind.TOAST: SentAs.TOAST,
    Kind.REACT: SentAs.REACTION,
}


def whole(expect: Expect, sent: Sent, memory: Memory, *, chat: str) -> str | None:
    """A complaint, or None when `sent` is `expect` whole and exact; then `memory` has learnt its names.

    `chat` is where an answer belongs when the script does not say otherwise.
    """
    wanted_chat = {Kind.TO: f"private {expect.to}", Kind.GROUP: f"group {expect.to}"}.get(expect.kind, chat)
    if sent.chat != wanted_chat:
        return f"it went to {sent.chat}, not to {wanted_chat}"
    shape = _SHAPES[expect.kind]
    if sent.shape is not shape and not (sent.shape is SentAs.ANY and shape in (SentAs.MESSAGE, SentAs.EDIT)):
        return f"it is a {sent.shape}, not a {shape}"
    found = _pattern(expect.text, memory).fullmatch(sent.text)
    if found is None:
        return _first_difference(expect.text, sent.text, memory)
    if sent.buttons != expect.buttons:
        return f"the buttons are {_row(sent.buttons)}, not {_row(expect.buttons)}"
    _learn(found, memory)
    return None


def contains(contains: Contains, sent: Sent, memory: Memory) -> str | None:
    """A complaint, or None when `sent` has each piece and each button."""
    for piece in contains.pieces:
        found = _pattern(piece, memory).search(sent.text)
        if found is None:
            return f"it lacks “{describe(piece)}”"
        _learn(found, memory)
    for label in contains.buttons:
        if label not in sent.buttons:
            return f"it lacks the button [{label}]; it has {_row(sent.buttons)}"
    return None


def describe(text: Text) -> str:
    """The text as the script writes it."""
    written: list[str] = []
    for part in text.parts:
        match part:
            case str():
                written.append(part)
            case Known(name):
                written.append(f"{{{name}}}")
            case Placeholder(hole, name):
                written.append(f"{{{hole.value}={name}}}" if name else f"{{{hole.value}}}")
    return "".join(written)


def _pattern(text: Text, memory: Memory) -> re.Pattern[str]:
    """`{six}` keeps one value for the whole conversation, so it is known after its first time."""
    written: list[str] = []
    here: set[str] = set()
    for part in text.parts:
        if isinstance(part, str):
            written.append(re.escape(part))
            continue
        name = part.name or ("six" if isinstance(part, Placeholder) and part.hole is Hole.SIX else "")
        again = isinstance(part, Known) or name == "six"
        if again and name in memory.names:
            written.append(re.escape(memory.names[name]))
        elif name in here:
            written.append(f"(?P={name})")
        else:
            assert isinstance(part, Placeholder), f"{{{name}}} is not known"
            written.append(f"(?P<{name}>{_HOLES[part.hole]})" if name else _HOLES[part.hole])
            here.update({name} - {""})
    return re.compile("".join(written))


def _learn(found: re.Match[str], memory: Memory) -> None:
    memory.names.update({name: value for name, value in found.groupdict().items() if value is not None})


def _first_difference(text: Text, sent: str, memory: Memory) -> str:
    if any(not isinstance(part, str) for part in text.parts):
        return "the words differ"
    wanted = memory.fill(text)
    at = next((place for place, (a, b) in enumerate(zip(wanted, sent, strict=False)) if a != b), None)
    if at is None:
        at = min(len(wanted), len(sent))
    return f"the words differ at {at}: wanted {wanted[at : at + 20]!r}, got {sent[at : at + 20]!r}"


def _row(buttons: tuple[str, ...]) -> str:
    return " ".join(f"[{label}]" for label in buttons) or "none"
