"""The task board: adding, moving, blocking with what it waits for and where to go on, finishing."""

from __future__ import annotations

from bot import render
from bot.commands.ask import task_line
from bot.commands.remember import record_of
from bot.hints import is_vague
from bot.intents import AddTask, Archive, MoveTask, TaskMove
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from store.changes import Json
from store.errors import NotFound
from store.ids import parse_label
from store.model import Task, TaskState
from store.text import fold

BOARD_ROWS_MAX = 20
_ORDER = (TaskState.DOING, TaskState.READY, TaskState.BLOCKED)


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
    state = turn.words(f"state-{task.state.value}")
    hint = turn.words("hint-task") if is_vague(task.title) else ""
    buttons = (
        turn.button("button-start", f"move {task.id} doing"),
        _undo(turn, task, [(task.id, "hidden", True)], verb="save"),
        turn.button("button-edit", f"edit {task.id}"),
    )
    return turn.say(
        turn.words("receipt-added", ref=task.label, state=state, memory=turn.memory_name()),
        _title(turn, task), hint, buttons=buttons,
    )  # fmt: skip


def _title(turn: Turn, task: Task) -> tuple[Line, ...]:
    return render.stored_lines(turn.words, task.title)[0]


def retitle(turn: Turn, task: Task, title: str) -> Reply:
    before = turn.writer.set(task.id, "title", title, by=turn.account)
    undo = _undo(turn, task, [(task.id, "title", before)])
    turn.cite(task.label)
    now = turn.writer.task(task.id)
    assert now is not None
    earlier = turn.words("earlier-words", text=render.quoted(render.short(str(before or ""), 120)))
    return turn.say(turn.words("task-retitled", ref=task.label), _title(turn, now), earlier, buttons=(undo,))


def move(turn: Turn, intent: MoveTask) -> Reply:
    found = find(turn, intent.what)
    if len(found) > 1:
        lines = [task_line(turn, task) for task in found[:3]]
        turn.cite(*(task.label for task in found[:3]))
        offer = turn.writer.make_offer(
            turn.chat, turn.account, {"do": "move", "to": intent.to.value, "choices": [task.id for task in found[:3]]}
        )
        buttons = tuple(
            turn.button("button-choice", f"offer {offer} {number}", number=number + 1) for number in range(len(lines))
        )
        return turn.say(turn.words("ask-which-task"), *lines, buttons=buttons)
    return move_task(turn, found[0], intent.to, because=intent.because, resume=intent.resume)


def move_task(
    turn: Turn, task: Task, to: TaskMove, *, because: str = "", resume: str = "", shape: Shape = Shape.MESSAGE
) -> Reply:
    turn.cite(task.label)
    if to is TaskMove.BLOCKED:
        if not because:
            return _ask_blocked(turn, task, "blocked_by")
        if not resume:
            return _ask_blocked(turn, task, "resume_step", because=because)
        return block(turn, task, because, resume, shape=shape)
    if task.state.value == to.value:
        return turn.say(
            turn.words("task-is-there", ref=task.label, state=turn.words(f"state-{to.value}")), _title(turn, task)
        )
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
    return turn.say(_state_line(turn, now), _title(turn, now), buttons=(*_next(turn, now), undo), shape=shape)


def _next(turn: Turn, task: Task) -> tuple[Button, ...]:
    if task.state is TaskState.DOING:
        return (
            turn.button("button-done", f"move {task.id} done"),
            turn.button("button-blocked", f"move {task.id} blocked"),
        )
    return (turn.button("button-start", f"move {task.id} doing"),)


def _state_line(turn: Turn, task: Task) -> str:
    return f"{task.label} · {turn.words(f'state-{task.state.value}')}"


def _ask_blocked(turn: Turn, task: Task, field: str, *, because: str = "") -> Reply:
    """Blocked asks before it stores: what it waits for, then the first step after that."""
    turn.writer.ask(turn.chat, turn.account, {"ask": "blocked", "id": task.id, "field": field, "because": because})
    text = turn.words(f"ask-{field.replace('_', '-')}", title=render.quoted(render.short(task.title, 60)))
    return turn.say(text, buttons=(turn.button("button-not-blocked", "close"),))


def blocked_answer(turn: Turn, task: Task, field: str, because: str, text: str) -> Reply:
    if field == "blocked_by":
        turn.cite(task.label)
        return _ask_blocked(turn, task, "resume_step", because=text)
    return block(turn, task, because, text)


def block(turn: Turn, task: Task, because: str, resume: str, *, shape: Shape = Shape.MESSAGE) -> Reply:
    turn.cite(task.label)
    undo = _change(turn, task, {"state": TaskState.BLOCKED.value, "blocked_by": because, "resume_step": resume})
    now = turn.writer.task(task.id)
    assert now is not None
    return turn.say(
        _state_line(turn, now), _title(turn, now),
        turn.words("task-blocked-by", text=because), turn.words("task-resume-step", text=resume),
        buttons=(turn.button("button-resume", f"move {task.id} doing"), undo), shape=shape,
    )  # fmt: skip


def _change(turn: Turn, task: Task, changes: dict[str, Json]) -> Button:
    steps: list[tuple[str, str, Json]] = [
        (task.id, field, turn.writer.set(task.id, field, value, by=turn.account)) for field, value in changes.items()
    ]
    return _undo(turn, task, steps)


def _undo(turn: Turn, task: Task, steps: list[tuple[str, str, Json]], verb: str = "task") -> Button:
    undo = turn.writer.undoable_write(chat=turn.chat, account=turn.account, shown=task.label, verb=verb, steps=steps)
    return turn.button("button-undo", f"undo {undo}")


def find(turn: Turn, what: str) -> list[Task]:
    """By RefID, else by words of the title. Raises NotFound."""
    label = parse_label(what)
    if label is not None:
        found = [t for record in turn.writer.labelled(what) if (t := turn.writer.task(record)) and not t.hidden]
    else:
        board = turn.writer.tasks(done=False)
        wanted = fold(what).strip()
        found = [t for t in board if wanted and wanted in fold(t.title)]
        exact = [t for t in found if fold(t.title).strip() == wanted]
        found = exact or found
        if not what.strip() and len(board) == 1:
            found = board
    if not found:
        raise NotFound("error-no-such-task", what=str(label or render.quoted(render.short(what, 40))))
    return found


def board(turn: Turn, *, page: int = 0, shape: Shape = Shape.MESSAGE) -> Reply:
    words = turn.words
    tasks = sorted(turn.writer.tasks(done=False), key=lambda t: _ORDER.index(t.state))
    if not tasks:
        return _empty_board(turn)
    head = words("board", **counts(tasks))
    pages = -(-len(tasks) // BOARD_ROWS_MAX)
    page = min(max(page, 0), pages - 1)
    lines: list[str] = []
    for task in tasks[page * BOARD_ROWS_MAX : (page + 1) * BOARD_ROWS_MAX]:
        lines.append(task_line(turn, task))
        turn.cite(task.label)
        if task.state is TaskState.BLOCKED:
            lines.append(
                words("board-blocked", by=render.short(task.blocked_by, 40), resume=render.short(task.resume_step, 40))
            )
    buttons: tuple[Button, ...] = ()
    if pages > 1:
        buttons = (
            Button("◀", f"board {page - 1 if page else pages - 1}"),
            Button(f"{page + 1}/{pages}", f"board {page}"),
            Button("▶", f"board {(page + 1) % pages}"),
        )
    return turn.say(head, *lines, buttons=buttons, shape=shape)


def counts(tasks: list[Task]) -> dict[str, int]:
    return {state.value: sum(task.state is state for task in tasks) for state in _ORDER}


def _empty_board(turn: Turn) -> Reply:
    done = turn.writer.tasks(done=True)
    add_one = turn.button("button-add-one", "ask-task")
    if not done:
        return turn.say(turn.words("board-empty"), buttons=(add_one,))
    month = _month(turn, done[0])
    in_month = sum(_month(turn, task) == month for task in done)
    text = turn.words("board-empty-archive", month=month, n=in_month)
    return turn.say(text, buttons=(turn.button("button-archive", f"archive {month}"), add_one))


def _month(turn: Turn, task: Task) -> str:
    return f"{render.local(task.done_at_ms or task.at_ms, turn.zone):%Y-%m}"


def archive(turn: Turn, intent: Archive) -> Reply:
    done = turn.writer.tasks(done=True)
    if not done:
        return turn.say(turn.words("archive-empty"))
    month = intent.month or _month(turn, done[0])
    rows = [task for task in done if _month(turn, task) == month]
    turn.cite(*(task.label for task in rows[:BOARD_ROWS_MAX]))
    lines = [
        f"{render.day(turn.words, render.local(t.done_at_ms or t.at_ms, turn.zone).date(), turn.today)} {t.label}"
        f" {render.short(t.title, 60)}"
        for t in rows[:BOARD_ROWS_MAX]
    ]
    return turn.say(turn.words("archive-title", month=month, n=len(rows)), *lines)


def ask_for_task(turn: Turn) -> Reply:
    turn.writer.ask(turn.chat, turn.account, {"ask": "task"})
    return turn.say(turn.words("ask-task"), buttons=(turn.button("button-skip", "close"),))
