"""What a person wants to hear unasked, and when: registers of `settings`, so that every device knows.

Nothing is said of its own accord until somebody switched it on; where it is said is where that was done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from scheduler.learning import CAP, NEW_A_DAY
from store.changes import Json
from store.view import View
from store.writer import Writer

WORDS, DIGEST = "words", "digest"
"""What comes once a day; also the kinds of its slots."""
WORDS_AT, DIGEST_AT = "13:00", "08:00"
QUIET = ("22:30", "08:00")
FOR_EVER = "9999-12-31"
"""The day on which a rest ends that is to last until somebody says otherwise."""
NEW_MOST, CAP_MOST = 100, 500
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


@dataclass(frozen=True, slots=True)
class Where:
    """A place as a register keeps it. `chat`: `<platform>:<id>`; `device`: 16 hex digits of the one that was asked."""

    chat: str
    topic: str
    device: str

    def packed(self) -> list[str]:
        return [self.chat, self.topic, self.device]


@dataclass(frozen=True, slots=True)
class Daily:
    """Something that comes once a day, at `at` by the person's clock. `since`: not before this day."""

    on: bool
    at: time
    where: Where | None
    since: date


@dataclass(frozen=True, slots=True)
class Check:
    """The answers are counted on `day`, since the words moved from `was` to `now`. `ref`: the decision's RefID."""

    day: date
    was: str
    now: str
    ref: str


@dataclass(frozen=True, slots=True)
class Habits:
    """`new_a_day`, `cap`: how many new words and how many due cards a day asks; `grades`: 2 or 4 buttons; `typed`: the
    answer is typed; `plan`: the list of the dictionary that new words come from, "" for none; `later`: when today's
    words were put off to, as a wall time; `check`: when a new time of theirs
    is looked back on; `quiet`: nothing that is late is said from the first time to the second."""

    words: Daily
    digest: Daily
    new_a_day: int
    cap: int
    grades: int
    typed: bool
    plan: str
    later: str
    check: Check | None
    quiet: tuple[time, time]

    def daily(self, kind: str) -> Daily:
        return self.words if kind == WORDS else self.digest

    def is_quiet(self, at: time) -> bool:
        first, last = self.quiet
        return first <= at < last if first <= last else at >= first or at < last

    def quiet_ends_today(self, at: time) -> bool:
        """Of the quiet hours that `at` lies in: whether they are over before midnight."""
        return at < self.quiet[1]


def habits(view: View) -> Habits:
    quiet = _value(view, "quiet")
    is_span = isinstance(quiet, list) and len(quiet) == 2 and all(map(is_time, quiet))
    first, last = map(str, quiet) if is_span and isinstance(quiet, list) else QUIET
    typed = _value(view, "words_typed")
    return Habits(
        words=_daily(view, WORDS, WORDS_AT),
        digest=_daily(view, DIGEST, DIGEST_AT),
        new_a_day=_number(view, "words_new", NEW_A_DAY, NEW_MOST),
        cap=_number(view, "words_cap", CAP, CAP_MOST),
        grades=4 if _value(view, "words_grades") == 4 else 2,
        typed=typed is True,
        plan=view.setting("words_plan"),
        later=view.setting("words_later"),
        check=_check(_value(view, "words_check")),
        quiet=(time.fromisoformat(first), time.fromisoformat(last)),
    )


def change(writer: Writer, by: Any, **values: Json) -> list[tuple[str, str, Json]]:
    """Sets registers of `settings`; gives what taking it back would set."""
    return [("settings", name, writer.set("settings", name, value, by=by)) for name, value in values.items()]


def is_time(value: object) -> bool:
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def _daily(view: View, kind: str, at: str) -> Daily:
    wanted, since = view.setting(f"{kind}_at"), view.setting(f"{kind}_since")
    return Daily(
        on=_value(view, f"{kind}_on") is True,
        at=time.fromisoformat(wanted if is_time(wanted) else at),
        where=where_in(_value(view, f"{kind}_place")),
        since=date.fromisoformat(since) if _is_day(since) else date.min,
    )


def where_in(value: Json) -> Where | None:
    """A place out of a register; None for anything else."""
    if not isinstance(value, list) or len(value) != 3 or not all(isinstance(one, str) for one in value):
        return None
    chat, topic, device = map(str, value)
    return Where(chat, topic, device)


def _check(value: Json) -> Check | None:
    if not isinstance(value, list) or len(value) != 4 or not all(isinstance(one, str) for one in value):
        return None
    day, was, now, ref = map(str, value)
    return Check(date.fromisoformat(day), was, now, ref) if _is_day(day) and is_time(was) and is_time(now) else None


def _number(view: View, name: str, usual: int, most: int) -> int:
    value = _value(view, name)
    return value if type(value) is int and 0 <= value <= most else usual


def _value(view: View, name: str) -> Json:
    register = view.register("settings", name)
    return register.value if register is not None else None


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False
