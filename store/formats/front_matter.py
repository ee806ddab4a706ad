"""The header of YAML that many notes begin with, between two lines of `---`.

A newcomer's trap: only the shape of YAML is read. Every scalar stays the text that was typed (`no` is no False, `1:30`
no ninety), and names that stand for other parts (`&a`, `*a`), tags and deep nesting are refused before they can grow.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from store.model import Draft, EntryKind
from store.pieces import EntryPiece, Trouble

if TYPE_CHECKING:
    import yaml

CHARACTERS_MAX = 16_000
DEPTH_MAX = 8
VALUES_MAX = 2_000

Value = str | Sequence["Value"] | Mapping[str, "Value"]

_FENCE = "---"
_ENDS = (_FENCE, "...")
_KEY = re.compile(r"(?:[\w.-][\w .-]{0,80}|\"[^\"\n]{1,80}\"|'[^'\n]{1,80}')[ \t]*:(?:[ \t]|$)")
_OPEN_QUOTE = re.compile(r"[ \t]*(?:- +)?(?:[^\s:#\"'][^:\n]{0,80}: +)?([\"'])")


@dataclass(frozen=True, slots=True)
class Header:
    """`body`: the text with an empty line for each line of the header, so that lines keep their numbers."""

    values: Mapping[str, Value] = field(default_factory=dict)
    lines: Mapping[str, str] = field(default_factory=dict)
    """Each value as it stands in the file, from its name on."""
    starts: Mapping[str, int] = field(default_factory=dict)
    """The line, from 1, that each name stands on."""
    body: str = ""
    trouble: Trouble | None = None
    """Why the header, and with it the file, cannot be read."""


def split(path: str, text: str) -> Header:
    """The header of a file, which may have none."""
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        return Header(body=text)
    begins = next((line for line in lines[1:] if line.strip()), "")
    if not _KEY.match(begins) and begins.rstrip() not in _ENDS:
        return Header(body=text)  # a line across the page
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() in _ENDS), None)
    if end is None:
        return Header(trouble=Trouble(path, 1, "trouble-header-end"))
    inside = lines[1:end]
    body = "\n".join([""] * (end + 1) + lines[end + 1 :])
    if sum(map(len, inside)) > CHARACTERS_MAX:
        return Header(trouble=Trouble(path, 1, "trouble-header-long"))
    if not any(line.strip() for line in inside):
        return Header(body=body)
    try:
        values, at = _mapping(inside)
    except _Unreadable as error:
        return Header(trouble=Trouble(path, error.line + 2, error.code))
    starts = sorted(at.values())
    ends = dict(zip(starts, [*starts[1:], len(inside)], strict=True))
    own = {name: "\n".join(inside[start : ends[start]]).rstrip() for name, start in at.items()}
    return Header(values, own, {name: start + 2 for name, start in at.items()}, body)


def rest(path: str, header: Header, known: Collection[str] = ()) -> Iterator[EntryPiece]:
    """What a header says beyond the fields that are understood, as it stands there."""
    names = [name for name in header.lines if name not in known]
    words = "\n".join(header.lines[name] for name in names)
    if words.strip():
        yield EntryPiece(path, header.starts[names[0]], Draft(words, EntryKind.NOTE))


class _Unreadable(Exception):
    def __init__(self, line: int, code: str) -> None:
        self.line = line
        self.code = code


def _mapping(lines: Sequence[str]) -> tuple[dict[str, Value], dict[str, int]]:
    """(values, the line each name stands on, from 0)."""
    import yaml  # here, since most starts of the program read no file

    def refuse(mark: yaml.Mark, code: str) -> _Unreadable:
        return _Unreadable(min(mark.line, len(lines) - 1), code)

    top: dict[str, Value] = {}
    at: dict[str, int] = {}
    open_parts: list[tuple[list[Value] | dict[str, Value], list[str]]] = []
    """Each with the name that waits for its value."""
    count = 0

    def put(value: Value, mark: yaml.Mark) -> None:
        if not open_parts:
            if value is not top:
                raise refuse(mark, "trouble-header")
            return
        part, waiting = open_parts[-1]
        if isinstance(part, list):
            part.append(value)
        elif waiting:
            part.setdefault(waiting.pop(), value)
        elif isinstance(value, str):
            waiting.append(value)
            if part is top:
                at.setdefault(value, mark.line)
        else:
            raise refuse(mark, "trouble-header")

    try:
        for event in yaml.parse("\n".join(lines), Loader=yaml.SafeLoader):
            count += 1
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                raise refuse(event.start_mark, "trouble-alias")
            if getattr(event, "tag", None) is not None:
                raise refuse(event.start_mark, "trouble-header")
            if len(open_parts) > DEPTH_MAX or count > VALUES_MAX:
                raise refuse(event.start_mark, "trouble-header-long")
            if isinstance(event, yaml.ScalarEvent):
                put(event.value, event.start_mark)
            elif isinstance(event, yaml.MappingStartEvent):
                made: dict[str, Value] = top if not open_parts else {}
                put(made, event.start_mark)
                open_parts.append((made, []))
            elif isinstance(event, yaml.SequenceStartEvent):
                items: list[Value] = []
                put(items, event.start_mark)
                open_parts.append((items, []))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                open_parts.pop()
    except yaml.MarkedYAMLError as error:
        raise _why(lines, error.context or "", _line(error, len(lines))) from error
    except yaml.YAMLError as error:  # a character that YAML does not take
        raise _Unreadable(0, "trouble-header") from error
    return top, at


def _line(error: yaml.MarkedYAMLError, count: int) -> int:
    """A quote without an end is a matter of where it began, anything else of where it was noticed."""
    quoted = "quoted scalar" in (error.context or "")
    mark = (error.context_mark if quoted else None) or error.problem_mark or error.context_mark
    return min(int(mark.line), count - 1) if mark is not None else 0


def _why(lines: Sequence[str], context: str, line: int) -> _Unreadable:
    if "alias" in context or "anchor" in context:
        return _Unreadable(line, "trouble-alias")
    for number, text in enumerate(lines[: line + 1]):
        found = _OPEN_QUOTE.match(text)
        if found is not None and found[1] not in text[found.end() :]:
            return _Unreadable(number, "trouble-quote")
    return _Unreadable(line, "trouble-quote" if "quoted scalar" in context else "trouble-header")


def text_in(value: Value | None) -> str:
    """A value as one text; "" for what is none."""
    return value.strip() if isinstance(value, str) else ""


def texts_in(value: Value | None) -> tuple[str, ...]:
    """A list, or a text that lists with commas."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, Sequence):
        return ()
    found = (one.strip().removeprefix("#") for one in value if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in found if one))
