"""What was changed on two devices before either heard of the other: both values are shown, a person says which holds.

One of them stands meanwhile, the same on every device; nothing is lost by that.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot import render
from bot.commands import devices
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from store.changes import Json
from store.fold import Register
from store.model import Draft, Entry, Task, TaskState
from store.versions import Said, said, variants

FIELDS = ("title", "state", "blocked_by", "resume_step")
"""Fields of a task that people set."""
CHANGES_MAX = 8


def is_apart(turn: Turn, record: str, field: str) -> bool:
    register = turn.writer.register(record, field)
    return register is not None and bool(_others(register))


def apart(turn: Turn, task: Task) -> list[str]:
    """The fields of a task that two devices set to different values."""
    registers = turn.writer.registers(task.id)
    return [field for field in FIELDS if field in registers and _others(registers[field])]


def _others(register: Register) -> list[Json]:
    """Two devices may well have said the same; and what was taken away is no value to choose."""
    return [value for value in register.others if value not in (register.value, "")]


def task_lines(turn: Turn, task: Task) -> list[Line]:
    """For each such field the value that does not stand, and the device it was set on."""
    lines = []
    for field in apart(turn, task):
        for one in said(turn.writer.conn, task.id, field):
            if _is_unused(task, one):
                name = turn.words(f"task-field-{field.replace('_', '-')}")
                device = devices.device_named(turn, one.device)
                text = turn.words("task-apart", field=name, value=_value(turn, field, one.value), device=device)
                lines.append(Line(text, stored=True))
    return lines


def task_buttons(turn: Turn, task: Task) -> tuple[Button, ...]:
    """[Keep this] [Use the other], where there is something to choose."""
    if not apart(turn, task):
        return ()
    offer = turn.offer(do="apart", id=task.id)
    return (turn.button("button-keep-this", f"{offer} this"), turn.button("button-use-other", f"{offer} other"))


def settle(turn: Turn, record: str, choice: str) -> Reply:
    task = turn.writer.task(record)
    fields = apart(turn, task) if task and not task.hidden else []
    if task is None or not fields:
        return turn.toast("toast-gone")
    steps: list[tuple[str, str, Json]] = []
    for field in fields:
        register = turn.writer.register(record, field)
        assert register is not None
        value = register.value if choice == "this" else _others(register)[0]
        steps.append((record, field, turn.writer.set(record, field, value, by=turn.account)))
    now = turn.writer.task(record)
    assert now is not None
    turn.cite(now.label)
    undo = turn.undo_button(now.label, "task", steps)
    title = render.stored_lines(turn.words, now.title, lines_max=2)[0]
    return turn.say(turn.task_state(now), title, buttons=(undo,), shape=Shape.EDIT)


def changes(turn: Turn, task: Task) -> list[Line]:
    """What was set when and on which device, newest first; nothing for a task that is as it was added.

    A value that is not used is in it, however old.
    """
    found = [one for field in FIELDS for one in said(turn.writer.conn, task.id, field)]
    if all(len([one for one in found if one.field == field]) < 2 for field in FIELDS):
        return []
    found = [one for one in found if one.value != ""]
    found.sort(key=lambda one: (-one.at_ms, FIELDS.index(one.field)))
    unused = [one for one in found[CHANGES_MAX:] if _is_unused(task, one)]
    shown = [*found[: CHANGES_MAX - len(unused)], *unused]
    return [Line(_change(turn, task, one), stored=True) for one in shown]


def _is_unused(task: Task, one: Said) -> bool:
    """Nobody has replaced it, and another value stands."""
    return one.stands and one.value not in (getattr(task, one.field), "")


def _change(turn: Turn, task: Task, one: Said) -> str:
    """今天 10:00 · home · 标题：“…”"""
    when = render.full_moment(turn.words, render.local(one.at_ms, turn.zone), turn.today)
    field = turn.words(f"task-field-{one.field.replace('_', '-')}")
    value = turn.words("profile-line", name=field, value=_value(turn, one.field, one.value))
    parts = [when, devices.device_named(turn, one.device), value]
    if _is_unused(task, one):
        parts.append(turn.words("state-apart"))
    return " · ".join(parts)


def _value(turn: Turn, field: str, value: Json) -> str:
    if field == "state" and value in [*TaskState]:
        return turn.words(f"state-{value}")
    return render.quoted(render.short(str(value), 80))


def _says(draft: Draft) -> tuple[str, ...]:
    return draft.text, draft.why, draft.impact, draft.next, draft.verify


def versions(turn: Turn, entries: Sequence[Entry]) -> list[Line]:
    """The words that are kept beside those shown, of entries that have two versions."""
    lines = []
    for entry in entries:
        if entry.versions > 1:
            other = [one for one in variants(turn.writer.conn, entry.id) if _says(one.draft) != _says(entry.draft)]
            lines += [
                Line(
                    turn.words(
                        "other-version", text=render.quoted(render.short(one.draft.text, 120)),
                        ref=one.label or entry.label, device=devices.device_of(turn, one.label or entry.label),
                    ),
                    stored=True,
                )
                for one in other
            ]  # fmt: skip
    return lines
