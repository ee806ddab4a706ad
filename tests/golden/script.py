"""Reads the script format `golden/1` (VOICE §3.1) into values; strict, every error names its line.

A line is steps divided by ` ▸ `; inside a step ` ‖ ` divides Chinese from English. Both languages are read at once:
a `Step` holds what it is in each, and None where that language has no such step.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Literal as OneOf

from tests.golden.steps import (
    LANGUAGES,
    LLM,
    PLATFORMS,
    AnyStep,
    At,
    Contains,
    Conversation,
    Exit,
    Expect,
    Fault,
    Hearing,
    Hole,
    Kill,
    Kind,
    Known,
    Moment,
    NotContains,
    On,
    Placeholder,
    Press,
    Relay,
    Restart,
    Run,
    Say,
    Step,
    Sync,
    Text,
    Wait,
)

SCRIPT = Path(__file__).with_name("conversations.golden")

_LIMITS = {"terminal": ("terminal",), "telegram": ("telegram",), "chat": ("telegram", "feishu")}


class BadScript(ValueError):
    """The script breaks its own grammar."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line


# Reading

_HEADING = re.compile(r"== (\d\d) ([a-z0-9]+(?:-[a-z0-9]+)*) · (.+?)(?: \(([a-z]+)\))?")
_SAY = re.compile(r"@([a-z]+)(?: \(([^()]*)\))?:(?: |$)(.*)", re.DOTALL)
_PRESS = re.compile(r"(?:@([a-z]+) )?press \[([^\[\]]+)\]")
_MOMENT = re.compile(r"(\d\d)-(\d\d) (\d\d):(\d\d)")
_BUTTONS = re.compile(r"(?: \[[^\[\]]+\])+$")
_BUTTON = re.compile(r"\[([^\[\]]+)\]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_REPEAT = re.compile(r"(.)\*(\d+)")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LINE_BREAK = re.compile(" ⏎ |⏎")


def read(path: Path = SCRIPT) -> tuple[Conversation, ...]:
    return parse(path.read_text(encoding="utf-8"))


def parse(script: str) -> tuple[Conversation, ...]:
    """Every conversation of `script`, in order. Raises BadScript."""
    found: list[Conversation] = []
    reader: _Reader | None = None
    for number, line in enumerate(script.split("\n"), start=1):
        if not line.strip():
            continue
        if line.startswith("=="):
            if reader is not None:
                found.append(reader.close())
            reader = _Reader(number, line)
            if any(earlier.number == reader.number or earlier.name == reader.name for earlier in found):
                raise BadScript(number, f"conversation {reader.number:02} or its name is there already")
        elif reader is None:
            raise BadScript(number, "a step before the first ==")
        else:
            reader.add(number, line)
    if reader is not None:
        found.append(reader.close())
    return tuple(found)


class _Reader:
    """One conversation while it is read; knows which names have been remembered so far, by language."""

    def __init__(self, line: int, heading: str) -> None:
        match = _HEADING.fullmatch(heading)
        if match is None:
            raise BadScript(line, "a heading is == NN name · title, with (terminal), (telegram) or (chat) at the end")
        limit = match[4]
        if limit is not None and limit not in _LIMITS:
            raise BadScript(line, f"({limit}) is no place to run")
        self.line, self.number, self.name, self.title = line, int(match[1]), match[2], match[3]
        self._platforms = _LIMITS[limit] if limit else PLATFORMS
        self._steps: list[Step] = []
        self._names: dict[str, set[str]] = {lang: set() for lang in LANGUAGES}

    def add(self, line: int, words: str) -> None:
        for piece in words.split(" ▸ "):
            if not piece.strip():
                raise BadScript(line, "an empty step")
            zh, en = _sides(line, piece.strip(" "))
            step = Step(line, self._step(line, zh, "zh"), self._step(line, en, "en"))
            if step.zh is None and step.en is None:
                raise BadScript(line, "a step of no language")
            self._order(step)
            self._steps.append(step)

    def close(self) -> Conversation:
        if not self._steps:
            raise BadScript(self.line, f"conversation {self.number:02} has no steps")
        return Conversation(self.number, self.name, self.title, self._platforms, tuple(self._steps))

    def _order(self, step: Step) -> None:
        for lang in LANGUAGES:
            new = step.zh if lang == "zh" else step.en
            said = [old.zh if lang == "zh" else old.en for old in self._steps]
            if isinstance(new, Exit) and not any(isinstance(old, Run) for old in said):
                raise BadScript(step.line, "exit without a $ before it")
            if isinstance(new, Expect) and new.kind is Kind.SAME and not any(_is_whole(old) for old in said):
                raise BadScript(step.line, "<= without a < before it")
            if isinstance(new, Press) and not said:
                raise BadScript(step.line, "a press before anything could have a button")

    def _step(self, line: int, words: str | None, lang: str) -> AnyStep | None:
        if words is None:
            return None
        names = self._names[lang]
        step = _parse_step(line, words, names)
        names.update(_remembered(step))
        return step


def _is_whole(step: AnyStep | None) -> bool:
    return isinstance(step, Expect) and step.kind not in (Kind.NONE, Kind.REACT)


def _remembered(step: AnyStep) -> Iterator[str]:
    texts: tuple[Text, ...] = ()
    if isinstance(step, Expect):
        texts = (step.text,)
    elif isinstance(step, Contains):
        texts = step.pieces
    for text in texts:
        yield from (part.name for part in text.parts if isinstance(part, Placeholder) and part.name)


def _sides(line: int, piece: str) -> tuple[str | None, str | None]:
    """The step as written for each language, the shared beginning given to both; None where a side is empty."""
    sides = re.split(" ‖ | ‖$|^‖ ", piece)
    if len(sides) == 1:
        return piece, piece
    if len(sides) > 2:
        raise BadScript(line, "more than one ‖ in a step")
    zh, en = sides
    head = _shared_beginning(zh)
    if head is None:  # such a step is written out on both sides
        return zh or None, en or None
    words = zh[len(head) :]
    return (zh if words.strip() else None), (head + en if en.strip() else None)


def _shared_beginning(zh: str) -> str | None:
    """`@lin: `, `<edit `, `~ ` … which hold for both sides; None for steps that have no words of a language."""
    if _PRESS.match(zh):
        return None
    match = re.match(r"@[a-z]+(?: \([^()]*\))?:(?: |$)|<(?:edit|toast|to [a-z]+|group \w+)? |~ |!!? |llm: ", zh)
    return match[0] if match else None


def _parse_step(line: int, words: str, names: set[str]) -> AnyStep:
    for begins, reader in _READERS:
        if words.startswith(begins):
            return reader(line, words, names)
    raise BadScript(line, f"not a step: {words[:40]}")


def _at_sign(line: int, words: str, names: set[str]) -> AnyStep:
    return _press(line, words, names) if _PRESS.fullmatch(words) else _say(line, words, names)


def _press(line: int, words: str, _names: set[str]) -> Press:
    match = _PRESS.fullmatch(words)
    if match is None:
        raise BadScript(line, "a press is press [Label] or @name press [Label]")
    return Press(match[2], match[1] or "lin")


def _say(line: int, words: str, names: set[str]) -> Say:
    match = _SAY.fullmatch(words)
    if match is None:
        raise BadScript(line, "a message is @name: text or @name (…): text")
    if not match[3]:
        raise BadScript(line, "a message without text")
    text = _text(line, match[3], names)
    if any(isinstance(part, Placeholder) for part in text.parts):
        raise BadScript(line, "a message has no open placeholder")
    group: str | None = None
    hearing = Hearing.DEFAULT
    reply = edit = False
    forward: str | None = None
    at: Moment | None = None
    options = match[2].split(", ") if match[2] is not None else []
    for option in options:
        if option == "private":
            group = None
        elif option.startswith("group ") and re.fullmatch(r"\w+", option[6:]):
            group = option[6:]
        elif option in ("addressed", "overheard"):
            hearing = Hearing(option)
        elif option == "reply":
            reply = True
        elif option == "edit":
            edit = True
        elif option.startswith("forward from ") and option[13:].strip():
            forward = option[13:]
        elif _MOMENT.fullmatch(option):
            at = _moment(line, option)
        else:
            raise BadScript(line, f"({option}) says nothing about a message")
    if len(set(options)) != len(options) or (hearing is not Hearing.DEFAULT and group is None):
        raise BadScript(line, f"({match[2]}) does not fit together")
    return Say(match[1], text, group, hearing, reply, edit, forward, at)


def _run(line: int, words: str, names: set[str]) -> Run:
    try:
        arguments = shlex.split(words[2:])
    except ValueError as error:
        raise BadScript(line, f"the command line does not end: {error}") from error
    if not arguments or arguments[0] != "niannian":
        raise BadScript(line, "only niannian is run")
    return Run(tuple(_text(line, argument, names) for argument in arguments[1:]))


def _exit(line: int, words: str, _names: set[str]) -> Exit:
    if not re.fullmatch(r"exit \d{1,3}", words):
        raise BadScript(line, "exit wants a status")
    return Exit(int(words[5:]))


def _expect(line: int, words: str, names: set[str]) -> Expect:
    if words in ("<none", "<="):
        return Expect(Kind(words))
    if words.startswith("<react "):
        return Expect(Kind.REACT, Text((words[7:],)))
    match = re.match(r"(<edit|<toast|<to ([a-z]+)|<group (\w+)|<) (?=\S)", words)
    if match is None:
        raise BadScript(line, f"not an expectation: {words[:20]}")
    rest = words[match.end() :]
    row = _BUTTONS.search(rest)
    buttons = tuple(_BUTTON.findall(row[0])) if row else ()
    text = _text(line, rest[: row.start()] if row else rest, names)
    return Expect(Kind(match[1].split(" ")[0]), text, buttons, match[2] or match[3] or "")


def _contains(line: int, words: str, names: set[str]) -> Contains:
    items = _items(line, words[2:])
    buttons = tuple(match[1] for item in items if (match := _BUTTON.fullmatch(item)))
    return Contains(tuple(_text(line, item, names) for item in items if not _BUTTON.fullmatch(item)), buttons)


def _not_contains(line: int, words: str, _names: set[str]) -> NotContains:
    since: OneOf["action", "conversation"] = "conversation" if words.startswith("!! ") else "action"
    return NotContains(_items(line, words.split(" ", 1)[1]), since)


def _items(line: int, words: str) -> tuple[str, ...]:
    items = tuple(item.strip(" ") for item in words.split(" & "))
    if not all(items):
        raise BadScript(line, "an empty item between &")
    return items


def _llm(_line: int, words: str, _names: set[str]) -> LLM:
    answer = words.removeprefix("llm: ")
    return LLM(None if answer == "(down)" else answer)


def _at(line: int, words: str, _names: set[str]) -> At:
    return At(_moment(line, words[3:]))


def _moment(line: int, words: str) -> Moment:
    match = _MOMENT.fullmatch(words)
    if match is None:
        raise BadScript(line, "a moment is MM-DD HH:MM")
    month, day, hour, minute = (int(part) for part in match.groups())
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour <= 23 and minute <= 59):
        raise BadScript(line, f"{words} is no moment")
    return Moment(month, day, hour, minute)


def _wait(line: int, words: str, _names: set[str]) -> Wait:
    match = re.fullmatch(r"wait ([1-9]\d*)([smhd])", words)
    if match is None:
        raise BadScript(line, "wait wants a span as 31m")
    seconds = {"s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]
    return Wait(timedelta(seconds=int(match[1]) * seconds))


def _bare(line: int, words: str, _names: set[str]) -> AnyStep:
    bare: dict[str, AnyStep] = {"restart": Restart(), "kill": Kill(), "sync": Sync()}
    if words not in bare:
        raise BadScript(line, f"not a step: {words[:40]}")
    return bare[words]


def _on(line: int, words: str, _names: set[str]) -> On:
    if not re.fullmatch(r"on [a-z]+", words):
        raise BadScript(line, "on wants a device")
    return On(words[3:])


def _relay(line: int, words: str, _names: set[str]) -> Relay:
    if words not in ("relay on", "relay off"):
        raise BadScript(line, "relay is on or off")
    return Relay(words == "relay on")


def _fault(line: int, words: str, _names: set[str]) -> Fault:
    name, _, argument = words.removeprefix("fault ").partition(" ")
    if not re.fullmatch(r"[a-z]+(?:-[a-z]+)*", name):
        raise BadScript(line, "fault wants a name")
    return Fault(name, argument)


_READERS: tuple[tuple[str, Callable[[int, str, set[str]], AnyStep]], ...] = (
    ("@", _at_sign),
    ("press ", _press),
    ("$ ", _run),
    ("exit", _exit),
    ("<", _expect),
    ("~ ", _contains),
    ("!! ", _not_contains),
    ("! ", _not_contains),
    ("llm: ", _llm),
    ("at ", _at),
    ("wait", _wait),
    ("restart", _bare),
    ("kill", _bare),
    ("sync", _bare),
    ("on ", _on),
    ("relay", _relay),
    ("fault ", _fault),
)


def _text(line: int, words: str, names: set[str]) -> Text:
    words = _LINE_BREAK.sub("\n", words)
    parts: list[str | Placeholder | Known] = []
    written = ""
    end = 0
    for match in _BRACES.finditer(words):
        written += words[end : match.start()]
        end = match.end()
        if repeat := _REPEAT.fullmatch(match[1]):
            written += repeat[1] * int(repeat[2])
            continue
        part = _placeholder(line, match[1], names)
        parts += [written, part] if written else [part]
        written = ""
    written += words[end:]
    if written:
        parts.append(written)
    return Text(tuple(parts))


def _placeholder(line: int, inside: str, names: set[str]) -> Placeholder | Known:
    kind, _, name = inside.partition("=")
    if "=" in inside and not _NAME.fullmatch(name):
        raise BadScript(line, f"{{{inside}}} has no proper name")
    if kind in {hole.value for hole in Hole}:
        return Placeholder(Hole(kind), name)
    if not name and inside in names:
        return Known(inside)
    raise BadScript(line, f"{{{inside}}} is neither a placeholder nor remembered")
