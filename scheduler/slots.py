"""When something is due: from a wall time on a local day to an instant, and from a moment to what is due now. Pure.

A slot is one thing said to one person on one local day. What is due is read from the wanted times and a given now,
never by counting on from the last run: a clock that jumped, or a machine that slept, changes nothing about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from store.model import Slot, SlotState

REMINDER = "reminder"
REMINDER_WINDOW = timedelta(hours=24)
"""A reminder that could not ring is still rung so much later, with how late it is."""
LATE = "late"
"""The reason of a slot that was skipped because its window had passed."""
TAKEOVER = "takeover"
"""The reason of one that the device that spoke before may have said."""
_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)
_DUE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?:[+-]\d\d:\d\d)?")


@dataclass(frozen=True, slots=True)
class Appointment:
    """A slot with its instant. `mark`: what was wanted, as it was written down."""

    slot: Slot
    at: datetime
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What has become of a slot so far."""

    state: SlotState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Due:
    ring: tuple[Appointment, ...]
    """Now, or a little late."""
    past: tuple[Appointment, ...]
    """Their window has passed, and nothing was noted about them yet."""
    next_at: datetime | None
    """The first instant still to come."""


@lru_cache(maxsize=4096)  # thousands want the same times
def instant(day: date, at: time, zone: str) -> datetime | None:
    """The first moment at which a clock in `zone` shows `at` on `day`, in UTC.

    A time that exists twice: the first. One that is skipped: the end of the gap, or, when that is another day, the
    last second before it. None for a date that a zone has left out. Raises KeyError for an unknown zone.
    """
    try:
        where = ZoneInfo(zone)
    except (ValueError, OSError) as error:
        raise KeyError(zone) from error
    wall = datetime.combine(day, at)
    behind = wall.replace(tzinfo=where, fold=0).astimezone(UTC)
    if behind.astimezone(where).replace(tzinfo=None) == wall:
        return behind
    ahead = wall.replace(tzinfo=where, fold=1).astimezone(UTC)  # in a gap, fold 1 is the earlier of the two
    change = _change(ahead, behind, where)
    if change.astimezone(where).date() == day:
        return change
    last = change - _SECOND
    return last if last.astimezone(where).date() == day else None


def _change(before: datetime, after: datetime, where: ZoneInfo) -> datetime:
    """The moment between the two at which the zone's offset becomes that of `after`."""
    offset = after.astimezone(where).utcoffset()
    low, high = 0, int((after - before).total_seconds())
    while low < high:
        middle = (low + high) // 2
        if (before + middle * _SECOND).astimezone(where).utcoffset() == offset:
            high = middle
        else:
            low = middle + 1
    return before + low * _SECOND


BEGUN = (SlotState.SENDING, SlotState.SENT, SlotState.UNCERTAIN)
"""What was said, or may have been."""


def is_over(state: SlotState, reason: str) -> bool:
    """What was begun is never said again; what was skipped neither, but for what only a clock ahead made too late."""
    return state in BEGUN or (state is SlotState.SKIPPED and reason != LATE)


def due(
    wanted: Iterable[Appointment], known: Mapping[Slot, Known], now: datetime, window: timedelta = REMINDER_WINDOW
) -> Due:
    """What of `wanted` is due. What was begun is never due again; what was only too late is, when the clock goes back."""
    ring: list[Appointment] = []
    past: list[Appointment] = []
    ahead: list[datetime] = []
    for one in wanted:
        state = known.get(one.slot)
        if state is not None and is_over(state.state, state.reason):
            continue
        if one.at > now:
            ahead.append(one.at)
        elif now - one.at <= window:
            ring.append(one)
        elif state is None or state.state is SlotState.DUE:
            past.append(one)
    return Due(tuple(sorted(ring, key=_order)), tuple(sorted(past, key=_order)), min(ahead, default=None))


def _order(one: Appointment) -> datetime:
    """Those of one instant stay in the order in which they were given."""
    return one.at


def next_day(zone: str, now: datetime) -> datetime:
    """When the local day ends, or a little before."""
    local = now.astimezone(ZoneInfo(zone))
    begins = instant(local.date() + _DAY, time.min, zone)
    return begins if begins is not None and begins > now else now + _SECOND


def daily(at: time, zone: str, now: datetime, window: timedelta) -> tuple[date | None, datetime | None]:
    """Of something wanted every day at `at`: the day whose slot is due now, and the next instant.

    Only the newest can be due: after three days asleep it is today's, or yesterday's where today's is still to come.
    """
    today = now.astimezone(ZoneInfo(zone)).date()
    moments = [(day, instant(day, at, zone)) for day in (today + number * _DAY for number in range(-1, 4))]
    begun = [(day, one) for day, one in moments if one is not None and one <= now and now - one <= window]
    coming = [one for _, one in moments if one is not None and one > now]
    return (begun[-1][0] if begun else None), min(coming, default=None)


# a reminder's time, as its task keeps it


def moment_of(due: str, zone: str) -> datetime | None:
    """`2024-05-28T09:00` where the person is; with an offset behind it, that very moment. None for anything else."""
    if not _DUE.fullmatch(due):
        return None
    try:
        wall = datetime.fromisoformat(due)
        return wall.astimezone(UTC) if wall.tzinfo else instant(wall.date(), wall.time(), zone)
    except (ValueError, OverflowError, KeyError):
        return None


def due_of(at: datetime, zone: str) -> str:
    """The other way round: to the next full minute, as a wall time; with its offset where that would mean another."""
    local = at.astimezone(ZoneInfo(zone))
    if local.second or local.microsecond:
        local = (at + timedelta(minutes=1)).astimezone(ZoneInfo(zone)).replace(second=0, microsecond=0)
    wall = local.strftime("%Y-%m-%dT%H:%M")
    if instant(local.date(), local.time().replace(fold=0), zone) == local.astimezone(UTC):
        return wall
    return local.isoformat(timespec="minutes")


def reminder(person: str, task: str, at: datetime, zone: str, mark: str = "") -> Appointment:
    """The slot of a task's reminder: one a due time, so that a snooze is another."""
    kind = f"{REMINDER}/{task}/{int(at.timestamp() * 1000)}"
    return Appointment(Slot(person, kind, at.astimezone(ZoneInfo(zone)).date().isoformat()), at, mark)


def kinds_of(task: str) -> str:
    """How the kinds of every reminder of a task begin."""
    return f"{REMINDER}/{task}/"
