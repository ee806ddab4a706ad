"""Tasks: adding, moving, blocking with what it waits for and where to go on, finishing."""

from __future__ import annotations

from datetime import datetime

from bot import render
from bot.commands import apart, receipts, unasked
from bot.commands.remember import record_of
from bot.hints import is_vague
from bot.intents import AddTask, MoveTask, TaskMove
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from store.changes import Json
from store.errors import NotFound, OverLimit
from store.ids import parse_label
from store.model import ENTRY_CHARACTERS_MAX, Task, TaskState
from store.text import fold

CHOICES_MAX = 3


def add(turn: Turn, intent: AddTask) -> Reply:
    task = turn.writer.add_task(
        intent.title,
        at_ms=turn.at_ms,
        zone=turn.zone,
        author=turn.account,
        source=turn.source,
        record=record_of(turn),
    )
    turn.notes.stored = True
    turn.notes.entry = task.id
    turn.cite(task.label)
    hint = turn.words("hint-task") if is_vague(task.title) else ""
    buttons = (
        turn.button("button-start", f"move {task.id} doing"),
        turn.undo_button(task.label, "save", [(task.id, "hidden", True)]),
        turn.button("button-edit", f"edit {task.id}"),
    )
    return turn.say(
        turn.words("receipt-added", what=turn.task_state(task), memory=turn.memory_name()),
        _title(turn, task), hint, buttons=buttons,
    )  # fmt: skip


def _title(turn: Turn, task: Task) -> tuple[Line, ...]:
    return render.stored_lines(turn.words, task.title, lines_max=receipts.LINES_MAX)[0]


def retitle(turn: Turn, task: Task, title: str) -> Reply:
    _check_length(turn, title)
    before = turn.writer.set(task.id, "title", title, by=turn.account)
    undo = turn.undo_button(task.label, "task", [(task.id, "title", before)])
    turn.cite(task.label)
    now = turn.writer.task(task.id)
    assert now is not None
    earlier = turn.words("earlier-words", text=render.quoted(render.short(str(before or ""), 120)))
    return turn.say(turn.words("task-retitled", ref=task.label), _title(turn, now), earlier, buttons=(undo,))


def move(turn: Turn, intent: MoveTask) -> Reply:
    found = find(turn, intent.what)
    if len(found) == 1:
        return move_task(turn, found[0], intent.to, because=intent.because, resume=intent.resume)
    shown = found[:CHOICES_MAX]
    turn.cite(*(task.label for task in shown))
    offer = turn.offer(
        do="move", to=intent.to.value, because=intent.because, resume=intent.resume, choices=[t.id for t in shown]
    )
    buttons = tuple(
        turn.button("button-choice", f"{offer} {number}", number=number + 1) for number in range(len(shown))
    )
    return turn.say(turn.words("ask-which-task"), *(turn.task_line(task) for task in shown), buttons=buttons)


def move_task(
    turn: Turn, task: Task, to: TaskMove, *, because: str = "", resume: str = "", shape: Shape = Shape.MESSAGE
) -> Reply:
    turn.cite(task.label)
    if to is TaskMove.BLOCKED:
        if not (because and resume):
            return ask_blocked(turn, task, because=because)
        return block(turn, task, because, resume, shape=shape)
    if task.state.value == to.value and not apart.is_apart(turn, task.id, "state"):
        state = turn.words(f"state-{to.value}")
        return turn.say(turn.words("task-is-there", ref=task.label, state=state), _title(turn, task))
    changes: dict[str, Json] = {"state": to.value}
    if to is TaskMove.DONE:
        changes["done_at"] = turn.now_ms
    elif task.state is TaskState.BLOCKED:
        changes |= {"blocked_by": "", "resume_step": ""}
    undo = _change(turn, task, changes)
    now = turn.writer.task(task.id)
    assert now is not None
    if to is TaskMove.DONE:
        at = render.local(turn.now_ms, turn.zone)
        when = render.full_moment(turn.words, at, turn.today)
        return turn.say(
            turn.words("receipt-done", ref=task.label, when=when, month=f"{at:%Y-%m}"), buttons=(undo,), shape=shape
        )
    return turn.say(turn.task_state(now), _title(turn, now), buttons=(*_next(turn, now), undo), shape=shape)


def show(turn: Turn, task: Task) -> Reply:
    """All of one task, with what can be done next."""
    turn.cite(task.label)
    words = turn.words
    at = render.full_moment(words, render.local(task.at_ms, turn.zone), turn.today)
    at_due = turn.due(task)
    done = render.local(task.done_at_ms, turn.zone) if task.done_at_ms and task.state is TaskState.DONE else None
    silent = at_due is not None and not done and turn.writer.register(task.id, "ring") is None
    change = (turn.button("button-change-time", f"when {task.id}"),) if silent else ()
    return turn.say(
        turn.task_state(task),
        _title(turn, task),
        tuple(apart.task_lines(turn, task)),
        *(_blocked_lines(turn, task.blocked_by, task.resume_step) if task.state is TaskState.BLOCKED else ()),
        _due_line(turn, task, at_due) if at_due is not None and not done else "",
        words("reminder-silent") if silent else "",
        *unasked.of_task(turn, task),
        words("task-added", who=turn.who(task.author), when=at, place=turn.place()),
        words("task-done-at", when=render.full_moment(words, done, turn.today), month=f"{done:%Y-%m}") if done else "",
        buttons=(
            *change,
            *_whole_title(turn, task),
            *(apart.task_buttons(turn, task) or (() if done else _next(turn, task))),
        )[:3],
    )


def _due_line(turn: Turn, task: Task, at: datetime) -> str:
    rule = turn.rule(task)
    if rule is None:
        return turn.words("reminder-at", when=turn.moment_near(at))
    shown, time = render.rule(turn.words, rule), render.local_time(at, turn.zone)
    return turn.words("reminder-every", rule=shown, time=time, first=turn.moment_near(at))


def history(turn: Turn, task: Task) -> Reply:
    """What was changed of it, where anything was."""
    changes = apart.changes(turn, task)
    if not changes:
        return show(turn, task)
    turn.cite(task.label)
    title = turn.words("task-changes", ref=task.label)
    return turn.say(title, _title(turn, task), tuple(changes), buttons=apart.task_buttons(turn, task))


def _whole_title(turn: Turn, task: Task) -> tuple[Button, ...]:
    folded = render.fold_quote(turn.words, task.title, lines_max=receipts.LINES_MAX) != task.title
    return (receipts.full_button(turn, task.id),) if folded else ()


def _blocked_lines(turn: Turn, because: str, resume: str) -> tuple[str, str]:
    return (
        turn.words("task-blocked-by", text=render.short(because, 120)),
        turn.words("task-resume-step", text=render.short(resume, 120)),
    )


def _next(turn: Turn, task: Task) -> tuple[Button, ...]:
    if task.state is TaskState.DOING:
        return (
            turn.button("button-done", f"move {task.id} done"),
            turn.button("button-blocked", f"move {task.id} blocked"),
        )
    return (turn.button("button-start", f"move {task.id} doing"),)


def ask_blocked(turn: Turn, task: Task, *, because: str = "") -> Reply:
    """Blocked asks before it stores: what it waits for, then the first step after that."""
    _check_length(turn, because)
    field = "resume_step" if because else "blocked_by"
    turn.cite(task.label)
    turn.writer.ask(turn.chat, turn.account, {"ask": "blocked", "id": task.id, "field": field, "because": because})
    text = turn.words(f"ask-{field.replace('_', '-')}", title=render.quoted(render.short(task.title, 60)))
    return turn.say(text, buttons=(turn.button("button-not-blocked", "close"),))


def block(turn: Turn, task: Task, because: str, resume: str, *, shape: Shape = Shape.MESSAGE) -> Reply:
    _check_length(turn, because, resume)
    turn.cite(task.label)
    undo = _change(turn, task, {"state": TaskState.BLOCKED.value, "blocked_by": because, "resume_step": resume})
    now = turn.writer.task(task.id)
    assert now is not None
    return turn.say(
        turn.task_state(now), _title(turn, now), *_blocked_lines(turn, because, resume),
        buttons=(turn.button("button-resume", f"move {task.id} doing"), undo), shape=shape,
    )  # fmt: skip


def _check_length(turn: Turn, *texts: str) -> None:
    """A longer text would burst the value of a register."""
    length = sum(map(len, texts))
    if length > ENTRY_CHARACTERS_MAX:
        most = turn.number(ENTRY_CHARACTERS_MAX)
        raise OverLimit("error-entry-too-long", length=turn.number(length), most=most)


def _change(turn: Turn, task: Task, changes: dict[str, Json]) -> Button:
    steps = [
        (task.id, field, turn.writer.set(task.id, field, value, by=turn.account)) for field, value in changes.items()
    ]
    return turn.undo_button(task.label, "task", steps)


def task_of(turn: Turn, ref: str) -> Task | None:
    """The visible task that a typed RefID or our own id names; None for anything else."""
    found = (turn.writer.task(record) for record in (ref, *turn.writer.labelled(ref)))
    return next((task for task in found if task and not task.hidden), None)


def find(turn: Turn, what: str) -> list[Task]:
    """By RefID, else by words of the title. Raises NotFound."""
    label, task = parse_label(what), task_of(turn, what)
    if label is not None or task is not None:
        found = [task] if task else []
    else:
        wanted = fold(what).strip()
        found = [t for t in turn.writer.tasks(done=False) if wanted and wanted in fold(t.title)]
        found = [t for t in found if fold(t.title).strip() == wanted] or found
    if not found:
        raise NotFound("error-no-such-task", what=str(label or render.quoted(render.short(what, 40))))
    return found
