"""The task board and its archive, a page at a time."""

from __future__ import annotations

from datetime import datetime

from bot import render
from bot.commands import apart
from bot.commands.paging import turning
from bot.intents import Archive
from bot.message import Button, Reply, Shape
from bot.turn import Turn
from store.model import Task, TaskState

ROWS_MAX = 20
FIELD_MAX = 40
_ORDER = (TaskState.DOING, TaskState.READY, TaskState.BLOCKED)


def board(turn: Turn, *, page: int = 0, shape: Shape = Shape.MESSAGE) -> Reply:
    tasks = sorted(turn.writer.tasks(done=False), key=lambda t: _ORDER.index(t.state))
    if not tasks:
        return _empty(turn)
    page, shown = _page(tasks, page)
    lines: list[str] = []
    for task in shown:
        turn.cite(task.label)
        lines.append(turn.task_line(task))
        if task.state is TaskState.BLOCKED:
            by, resume = render.short(task.blocked_by, FIELD_MAX), render.short(task.resume_step, FIELD_MAX)
            lines.append(turn.words("board-blocked", by=by, resume=resume))
        if apart.apart(turn, task):
            lines.append(turn.words("board-apart", ref=task.label))
    head = turn.words("board", **counts(tasks))
    return turn.say(head, *lines, buttons=turning(page, _pages(tasks), "board"), shape=shape)


def counts(tasks: list[Task]) -> dict[str, int]:
    return {state.value: sum(task.state is state for task in tasks) for state in _ORDER}


def _page(tasks: list[Task], page: int) -> tuple[int, list[Task]]:
    """The nearest page there is, and its rows."""
    page = min(max(page, 0), _pages(tasks) - 1)
    return page, tasks[page * ROWS_MAX : (page + 1) * ROWS_MAX]


def _pages(tasks: list[Task]) -> int:
    return -(-len(tasks) // ROWS_MAX)


def _empty(turn: Turn) -> Reply:
    turn.notes.empty = True
    months = _months(turn)
    add_one = turn.button("button-add-one", "ask-task")
    if not months:
        return turn.say(turn.words("board-empty"), buttons=(add_one,))
    month, tasks = next(iter(months.items()))
    text = turn.words("board-empty-archive", month=month, n=len(tasks))
    return turn.say(text, buttons=(turn.button("button-archive", f"archive {month}"), add_one))


def _months(turn: Turn) -> dict[str, list[Task]]:
    """Finished tasks by the month they were finished in, newest first."""
    months: dict[str, list[Task]] = {}
    for task in turn.writer.tasks(done=True):
        months.setdefault(f"{_finished(turn, task):%Y-%m}", []).append(task)
    return months


def _finished(turn: Turn, task: Task) -> datetime:
    return render.local(task.done_at_ms or task.at_ms, turn.zone)


def archive(turn: Turn, intent: Archive, *, page: int = 0, shape: Shape = Shape.MESSAGE) -> Reply:
    months = _months(turn)
    if not months:
        return turn.say(turn.words("archive-empty"))
    month = intent.month or next(iter(months))
    if month not in months:
        others = [turn.button("button-archive-month", f"archive {other}", month=other) for other in months]
        return turn.say(turn.words("archive-none", month=month), buttons=tuple(others[:3]))
    page, shown = _page(months[month], page)
    turn.cite(*(task.label for task in shown))
    lines = [
        f"{render.day(turn.words, _finished(turn, task).date(), turn.today)} {task.label} {render.short(task.title, 60)}"
        for task in shown
    ]
    title = turn.words("archive-title", month=month, n=len(months[month]))
    buttons = turning(page, _pages(months[month]), f"archive {month}") or _other_months(turn, list(months), month)
    return turn.say(title, *lines, buttons=buttons, shape=shape)


def _other_months(turn: Turn, months: list[str], month: str) -> tuple[Button, ...]:
    """The months beside this one, older first."""
    at = months.index(month)
    beside = [months[at + 1]] if at + 1 < len(months) else []
    beside += [months[at - 1]] if at else []
    return tuple(turn.button("button-archive-month", f"archive {other}", month=other) for other in beside)


def ask_for_task(turn: Turn) -> Reply:
    turn.writer.ask(turn.chat, turn.account, {"ask": "task"})
    return turn.say(turn.words("ask-task"), buttons=(turn.button("button-skip", "close"),))
