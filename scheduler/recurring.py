"""What comes again: every day, on some days of the week, on a day of the month; from a rule to its instants. Pure.

Only two of them are ever looked at, the newest that is over and the next one: a clock years ahead costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduler.slots import instant

_DAY = timedelta(days=1)
_RULE = re.compile(r"weekly ([0-6](?:,[0-6]){0,6})|monthly ([1-9]|[12]\d|3[01])")
_LOOK = 62
"""Days within which any rule has a day."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`weekdays`: 0 is Monday; or `month_day`, 1 to 31, which is the month's last day where it is shorter."""

    weekdays: frozenset[int] = frozenset()
    month_day: int = 0

    def holds(self, day: date) -> bool:
        if self.month_day:
            last = (day + _DAY).month != day.month
            return day.day == self.month_day or (last and day.day < self.month_day)
        return day.weekday() in self.weekdays

    def spelled(self) -> str:
        """As a register keeps it."""
        if self.month_day:
            return f"monthly {self.month_day}"
        return f"weekly {','.join(map(str, sorted(self.weekdays)))}"


def rule_of(spelled: str) -> Rule | None:
    """`weekly 0,2`, `monthly 5`; None for anything else."""
    found = _RULE.fullmatch(spelled)
    if found is None:
        return None
    if found[2]:
        return Rule(month_day=int(found[2]))
    return Rule(frozenset(map(int, found[1].split(","))))


def first_wall(rule: Rule, at: time, now: datetime) -> datetime:
    """The first wall time behind `now`, which is one, too, at which the rule holds."""
    days = (now.date() + number * _DAY for number in range(_LOOK))
    return next(wall for day in days if rule.holds(day) and (wall := datetime.combine(day, at)) > now)


def around(rule: Rule, first: datetime, zone: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """The newest instant up to `now` and the next one, none of them before `first`, a wall time without a zone."""
    today = now.astimezone(ZoneInfo(zone)).date()
    behind = (today - number * _DAY for number in range(_LOOK))
    ahead = (max(today, first.date()) + number * _DAY for number in range(_LOOK))
    newest = (at for day in behind if (at := _at(rule, first, day, zone)) is not None and at <= now)
    coming = (at for day in ahead if (at := _at(rule, first, day, zone)) is not None and at > now)
    return next(newest, None), next(coming, None)


def _at(rule: Rule, first: datetime, day: date, zone: str) -> datetime | None:
    return instant(day, first.time(), zone) if day >= first.date() and rule.holds(day) else None
