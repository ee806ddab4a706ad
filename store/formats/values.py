"""What any part of an exact line may hold: texts, days, moments, ids, one judge for each. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TypeGuard
from zoneinfo import available_timezones

from store.changes import Json
from store.formats import moments
from store.ids import ULID_PATTERN, ulid_time_ms
from store.model import ENTRY_CHARACTERS_MAX, EntryID

LINE_CHARACTERS_MAX = 1_000
"""Of a name, an account, the id of a message."""
PATH_CHARACTERS_MAX = 200
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

Judge = Callable[[Json], bool]


def is_clean(value: Json) -> bool:
    """No NUL in any text of it."""
    waiting: list[Json] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if "\0" in one:
                return False
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
    return True


def is_text(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= ENTRY_CHARACTERS_MAX


def is_line(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= LINE_CHARACTERS_MAX and not _BREAKS.search(value)


def is_path(value: Json) -> bool:
    return isinstance(value, str) and len(value) <= PATH_CHARACTERS_MAX and value.isprintable()


def is_moment(value: Json) -> bool:
    return type(value) is int and 0 <= value < moments.END_MS


def is_day(value: Json) -> bool:
    return isinstance(value, str) and moments.is_day(value)


def is_any_day(value: Json) -> bool:
    return isinstance(value, str) and len(value) == 10 and moments.any_day(value) == value


def is_zone(value: Json) -> bool:
    return isinstance(value, str) and value in zones()


@cache
def zones() -> frozenset[str]:
    return frozenset(available_timezones())


def is_record(value: Json) -> TypeGuard[str]:
    return (
        isinstance(value, str)
        and ULID_PATTERN.fullmatch(value) is not None
        and ulid_time_ms(EntryID(value)) < moments.END_MS
    )


def list_of(judge: Judge) -> Judge:
    return lambda value: isinstance(value, list) and all(map(judge, value))


def is_pair(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_text, value))


def is_span(value: Json) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and is_text(value[0])
        and is_any_day(value[1])
        and is_any_day(value[2])
    )


def is_flag(value: Json) -> bool:
    return value is None or isinstance(value, bool)


def is_text_or_none(value: Json) -> bool:
    return value is None or is_text(value)
