"""Days and moments as files spell them, within the years that a memory can hold. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

FIRST_DAY = "1900-01-01"
LAST_DAY = "2199-12-31"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
END_MS = (datetime(2200, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
"""Moments are before it."""


class FarAway(ValueError):
    """A day of the calendar that is none of anybody's: mostly what a program writes where it knows of no day."""


def is_day(words: str) -> bool:
    """Whether `words` are an ISO day that a memory can hold, in its one spelling."""
    return FIRST_DAY <= words <= LAST_DAY and any_day(words) == words


def any_day(words: str) -> str:
    """The day of any year that `words` begin with, if they are an ISO date or moment; "" otherwise."""
    try:
        return date.fromisoformat(words[:10]).isoformat() if len(words) >= 10 and words[4] == "-" else ""
    except ValueError:
        return ""


def iso_day(words: str) -> str:
    """The same, "" also for a day that no memory holds."""
    day = any_day(words)
    return day if is_day(day) else ""


def near_day(words: str) -> str:
    """The same. Raises FarAway for a day that no memory holds."""
    day = any_day(words)
    if day and not is_day(day):
        raise FarAway(day)
    return day


def moment(words: str) -> tuple[int | None, str] | None:
    """(ms UTC, "") of what says its zone, (None, day) of what only says what a clock somewhere showed, None of others.

    What was before 1970 has a day only, since moments count from there. Raises FarAway.
    """
    try:
        found = datetime.fromisoformat(words)
    except ValueError:
        return None
    day = near_day(found.date().isoformat())
    if found.tzinfo is None:
        return None, day
    at_ms = (found - _EPOCH) // timedelta(milliseconds=1)
    if at_ms >= END_MS:
        raise FarAway(day)
    return (at_ms, "") if at_ms >= 0 else (None, day)
