"""What was said unasked and what was not, with the reason: /why words, /why digest, and under a task its reminders."""

from __future__ import annotations

from datetime import date

from bot import render
from bot.habits import DIGEST, FOR_EVER, WORDS, Daily, habits
from bot.message import Reply
from bot.turn import Turn
from scheduler.slots import LATE, TAKEOVER, kinds_of
from store.model import SlotState, Task
from store.slots import KeptSlot

BY_NIGHT = ("tidy", "backup")
SHOWN_MAX = 7
_REASONS = {
    LATE: "slot-late",
    TAKEOVER: "slot-takeover",
    "nothing": "slot-nothing",
    "quiet": "slot-quiet",
    "unanswered": "slot-unanswered",
    "undelivered": "slot-undelivered",
    "error-backup-place": "slot-backup-place",
    "error-disk-full": "slot-disk-full",
}


def explain(turn: Turn, kind: str) -> Reply:
    """The last days, newest first, and when it comes next."""
    rows = _rows(turn, kind)[:SHOWN_MAX]
    lines = [
        f"{render.day(turn.words, date.fromisoformat(row.slot.day), turn.today)} {row.mark} · {_state(turn, row)}"
        for row in rows
    ]
    by_night = kind in BY_NIGHT
    now = turn.words(f"{kind}-nightly") if by_night else _next(turn, habits(turn.writer).daily(kind), kind)
    none = turn.words("slot-none-night" if by_night else "slot-none-yet") if not lines else ""
    return turn.say(turn.words("slots-title", what=turn.words(f"daily-what-{kind}")), *lines, none, now)


def _rows(turn: Turn, kind: str) -> list[KeptSlot]:
    """Newest first, up to today: a clock that was ahead may have noted others."""
    return [row for row in turn.said if row.slot.kind == kind and row.slot.day <= turn.today.isoformat()]


def _next(turn: Turn, daily: Daily, kind: str) -> str:
    if not daily.on:
        return turn.words(f"{kind}-are-off")
    if daily.since.isoformat() == FOR_EVER:
        return turn.words("slot-rests")
    if daily.since > turn.today:
        return turn.words("slot-from", day=render.day(turn.words, daily.since, turn.today), time=f"{daily.at:%H:%M}")
    return turn.words("slot-daily", time=f"{daily.at:%H:%M}")


def of_task(turn: Turn, task: Task) -> tuple[str, ...]:
    """Reminders of it that did not simply ring."""
    rows = [row for row in turn.said if row.slot.kind.startswith(kinds_of(task.id))]
    return tuple(
        turn.words("slot-reminder", when=turn.moment(int(row.slot.kind.rpartition("/")[2])), state=_state(turn, row))
        for row in rows[:SHOWN_MAX]
        if row.state is not SlotState.SENT
    )


def status(turn: Turn) -> tuple[str, ...]:
    """For each that is on: what became of the last one, and how many days went without."""
    now = habits(turn.writer)
    lines = []
    for kind in (WORDS, DIGEST):
        rows = _rows(turn, kind)
        if not now.daily(kind).on or not rows:
            continue
        missed = sum(row.state is SlotState.SKIPPED and row.reason in (LATE, "undelivered") for row in rows)
        day = render.day(turn.words, date.fromisoformat(rows[0].slot.day), turn.today)
        line = turn.words(
            "slot-last", what=turn.words(f"daily-what-{kind}"), day=day, time=rows[0].mark, state=_state(turn, rows[0])
        )
        lines.append(line + (turn.words("slot-missed", n=missed) if missed else ""))
    return tuple(lines)


def _state(turn: Turn, row: KeptSlot) -> str:
    match row.state:
        case SlotState.SENT:
            return turn.words("slot-done" if row.slot.kind in BY_NIGHT else "slot-sent")
        case SlotState.SENDING | SlotState.UNCERTAIN:
            return turn.words("slot-uncertain")
        case SlotState.DUE:
            return turn.words("slot-due")
        case SlotState.SKIPPED:
            return turn.words("slot-skipped", reason=turn.words(_REASONS.get(row.reason, "slot-other")))
