"""JSON read piece by piece, so that each piece has its line and one that is broken costs no more than it must. Pure."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

DEPTH_MAX = 32
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Found:
    """A value and the line it begins on, or a place where nothing can be read (`value` is None)."""

    line: int
    value: dict[str, Any] | None
    list_name: str = ""


def lines(text: str) -> Iterator[Found]:
    """One object a line; empty lines are none."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield Found(number, _object(line))


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def items(text: str, names: Collection[str]) -> Iterator[Found]:
    """The objects of a list, or of the lists called `names` in an object; up to the first place that is broken."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def line_of(at: int) -> int:
        return bisect_right(starts, at)

    at = _skip(text, 0)
    try:
        if text.startswith("[", at):
            yield from _list(text, at, "", line_of)
        elif text.startswith("{", at):
            yield from _lists(text, at, names, line_of)
        else:
            yield Found(line_of(at), None)
    except _Broken as error:
        yield Found(line_of(min(error.at, len(text))), None)


class _Broken(Exception):
    def __init__(self, at: int) -> None:
        self.at = at


def _lists(text: str, at: int, names: Collection[str], line_of: Any) -> Iterator[Found]:
    at = _skip(text, at + 1)
    while not text.startswith("}", at):
        key, at = _value(text, at)
        at = _skip(text, at)
        if not isinstance(key, str) or not text.startswith(":", at):
            raise _Broken(at)
        at = _skip(text, at + 1)
        if key in names and text.startswith("[", at):
            at = yield from _list(text, at, key, line_of)
        else:
            _, at = _value(text, at)
        at = _after(text, at, "}")


def _list(text: str, at: int, name: str, line_of: Any) -> Any:
    at = _skip(text, at + 1)
    while not text.startswith("]", at):
        begins = at
        value, at = _value(text, at)
        yield Found(line_of(begins), value if isinstance(value, dict) else None, name)
        at = _after(text, at, "]")
    return at + 1


def _after(text: str, at: int, close: str) -> int:
    """Behind a comma, or at what closes."""
    at = _skip(text, at)
    if text.startswith(",", at):
        return _skip(text, at + 1)
    if not text.startswith(close, at):
        raise _Broken(at)
    return at


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _Broken(error.pos) from error
    except (ValueError, RecursionError, StopIteration) as error:
        raise _Broken(at) from error


def is_text(value: object) -> TypeGuard[str]:
    """A text with something in it. JSON can spell a NUL and halves of characters, which no text of ours holds."""
    return (
        isinstance(value, str)
        and bool(value.strip())
        and "\0" not in value
        and (value.isascii() or value.encode("utf-8", "replace").decode() == value)
    )


def shown(value: object) -> str:
    """A simple value as text; "" for what is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value) if abs(value) < 1e15 else ""
    return value.strip() if is_text(value) else ""
