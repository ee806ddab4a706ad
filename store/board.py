"""The task board as a Markdown table, both ways.

    | 状态 | 任务ID | 任务 | 说明 | 下一步 | Blocked by | Resume step |
    |---|---|---|---|---|---|---|
    | 就绪 | T-240527-01 | write the restore drill | - | - | - | - |

Headers are read in English too and in any order; a board may lack any column but that of the task. Finished tasks
stand in `TASKS_ARCHIVE/<month>.md`, one line each: `- 2024-05-28 · T-240527-01 · write the restore drill`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from store.blocks import COMMENT, Loose, squeezed
from store.changes import Json, canonical
from store.ids import digest, label_parts, parse_label
from store.model import Task, TaskState
from store.pieces import EntryPiece, TaskPiece, Trouble

_COLUMNS = {
    "状态": "state", "state": "state", "status": "state",
    "任务id": "label", "task id": "label", "id": "label", "编号": "label",
    "任务": "title", "task": "title", "title": "title",
    "说明": "note", "note": "note", "notes": "note", "description": "note",
    "下一步": "next", "next": "next", "next step": "next",
    "blocked by": "blocked_by", "卡在": "blocked_by",
    "resume step": "resume_step", "恢复步骤": "resume_step",
    "due": "due", "到期": "due",
    "done": "done_day", "完成": "done_day", "completed": "done_day", "completion date": "done_day", "完成日期": "done_day",
}  # fmt: skip
_STATES = {
    "在做": TaskState.DOING, "进行中": TaskState.DOING, "doing": TaskState.DOING, "running": TaskState.DOING, "in progress": TaskState.DOING,
    "就绪": TaskState.READY, "ready": TaskState.READY, "todo": TaskState.READY, "待办": TaskState.READY, "triage": TaskState.READY,
    "中断": TaskState.BLOCKED, "卡住": TaskState.BLOCKED, "blocked": TaskState.BLOCKED, "interrupted": TaskState.BLOCKED,
    "完成": TaskState.DONE, "done": TaskState.DONE, "已完成": TaskState.DONE, "归档": TaskState.DONE, "archived": TaskState.DONE,
}  # fmt: skip
HEADERS = {
    "zh": ("状态", "任务ID", "任务", "说明", "下一步", "Blocked by", "Resume step"),
    "en": ("State", "Task ID", "Task", "Note", "Next", "Blocked by", "Resume step"),
}
STATES = {
    "zh": {TaskState.DOING: "在做", TaskState.READY: "就绪", TaskState.BLOCKED: "中断"},
    "en": {TaskState.DOING: "doing", TaskState.READY: "ready", TaskState.BLOCKED: "blocked"},
}
CELLS = ("title", "state", "note", "next", "blocked_by", "resume_step", "due", "done_day")
NOTHING = "-"
EVERY = "every"
"""The register that says when the time of a task comes again: `weekly 0,2`, `monthly 5`."""
_DUE = re.compile(r"(?:^|; )due ([0-9][0-9T:+ -]{3,30})(?:, (every [^;]{1,60}))?$")
_RULE = re.compile(r"weekly [0-6](?:,[0-6]){0,6}|monthly (?:[1-9]|[12]\d|3[01])")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAILY, _WORKDAYS = "weekly 0,1,2,3,4,5,6", "weekly 0,1,2,3,4"
_MONTHLY = re.compile(r"every month on day ([1-9]|[12][0-9]|3[01])")
_DONE_LINE = re.compile(r"[-*+] +(\[[xX]\] +)?(.+)")
_OPEN_LINE = re.compile(r"[-*+] +\[ \] +(.+)")
_GUARDED = re.compile(r"\\(.)|<br ?/?>")
_PARTS = re.compile(r" +[·|] +")


# out


def row(task: Task, lang: str, every: str = "") -> str:
    again = f", {_every_told(every)}" if every else ""
    note = "; ".join(part for part in (task.note, f"due {task.due}{again}" if task.due else "") if part)
    cells = (STATES[lang][task.state], task.label, task.title, note, task.next, task.blocked_by, task.resume_step)
    return "| " + " | ".join(map(_cell, cells)) + " |"


def rule_in(value: object) -> str:
    """A rule as its register has it, "" for what is none."""
    return value if isinstance(value, str) and _RULE.fullmatch(value) else ""


def _every_told(every: str) -> str:
    """every day, every weekday, every Mon Thu, every month on day 5."""
    kind, _, days = every.partition(" ")
    if kind == "monthly":
        return f"every month on day {days}"
    if every in (_DAILY, _WORKDAYS):
        return "every day" if every == _DAILY else "every weekday"
    return f"every {' '.join(_WEEKDAYS[int(day)] for day in days.split(','))}"


def _every_read(told: str) -> str | None:
    """None for what is no such words."""
    if told in ("every day", "every weekday"):
        return _DAILY if told == "every day" else _WORKDAYS
    if month := _MONTHLY.fullmatch(told):
        return f"monthly {month[1]}"
    days = told.removeprefix("every ").replace(",", " ").split()
    if not days or any(day not in _WEEKDAYS for day in days):
        return None
    return f"weekly {','.join(map(str, sorted({_WEEKDAYS.index(day) for day in days})))}"


def head(lang: str) -> str:
    return f"| {' | '.join(HEADERS[lang])} |\n|{'---|' * len(HEADERS[lang])}"


def done_line(task: Task, day: str) -> str:
    return f"- {day} · {task.label} · {_flat(task.title)}"


def _cell(text: str) -> str:
    if not text:
        return NOTHING
    if text == NOTHING:
        return "\\-"
    return _flat(text).replace("|", "\\|")


def _flat(text: str) -> str:
    return (
        text.replace("\\", "\\\\")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace("<br", "\\<br")
        .replace("\n", "<br>")
    )


def digest_of(piece: TaskPiece) -> str:
    """16 characters that are equal for rows that say the same."""
    value: dict[str, Json] = {
        name: squeezed(said) if isinstance(said, str) else said
        for name, said in ((name, getattr(piece, name)) for name in _cells_in(piece))
    }
    return digest(canonical(value))


def cells_of(piece: TaskPiece) -> str:
    """A digest for each cell, in a fixed order: of a row that was changed by hand, which cells were."""
    return "+".join(
        digest(canonical([name, squeezed(value) if isinstance(value, str) else value]))
        for name, value in ((name, getattr(piece, name)) for name in _cells_in(piece))
    )


def _cells_in(piece: TaskPiece) -> tuple[str, ...]:
    """A rule counts where there is one: rows without say what they said before there were any."""
    return (*CELLS, EVERY) if piece.every else CELLS


# in


def read_board(
    path: str, text: str, *, known: Collection[str] = (), loose: Loose | None = None
) -> tuple[list[TaskPiece | EntryPiece], list[Trouble]]:
    """The tasks of one file, in order: rows of its tables, and lines such as `- [ ] …` or `- …`.

    `known`: labels of our own that have no form of ours. `loose`: reads what is no task; without it that is passed over.
    """
    pieces: list[TaskPiece | EntryPiece] = []
    troubles: list[Trouble] = []
    columns: Sequence[str] = ()
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        if inside or line.startswith(COMMENT):
            inside = "-->" not in line
        elif line.lstrip().startswith("|"):
            cells = _cells(line)
            named = [_COLUMNS.get(cell.strip().lower(), "") for cell in cells]
            if "title" in named and _is_head(named):
                columns = named
            elif _is_rule(cells):
                pass
            elif columns:
                made = _row(path, number, columns, cells)
                if isinstance(made, Trouble):
                    troubles.append(made)
                elif made is not None:
                    pieces.append(made)
            else:
                troubles.append(Trouble(path, number, "trouble-columns"))
        elif found := _OPEN_LINE.fullmatch(line.rstrip()):
            pieces.append(_line(path, number, found[1], TaskState.READY, known))
        elif found := _DONE_LINE.fullmatch(line.rstrip()):
            state = TaskState.DONE if found[1] else TaskState.READY
            pieces.append(_line(path, number, found[2], state, known))
        elif loose is not None and line.strip() and not line.startswith("# "):
            pieces += loose(path, number, line.strip(), "")
    return pieces, troubles


def read_archive(
    path: str, text: str, *, known: Collection[str] = (), loose: Loose | None = None
) -> tuple[list[TaskPiece | EntryPiece], list[Trouble]]:
    """The finished tasks of one month's file."""
    pieces, troubles = read_board(path, text, known=known, loose=loose)
    return [_finished(piece) if isinstance(piece, TaskPiece) else piece for piece in pieces], troubles


def _is_head(named: Sequence[str]) -> bool:
    """Whether a row names columns: most of its cells do."""
    return sum(bool(name) for name in named) * 2 > len(named)


def _finished(piece: TaskPiece) -> TaskPiece:
    return replace(piece, state=TaskState.DONE)


def _line(path: str, number: int, words: str, state: TaskState, known: Collection[str]) -> TaskPiece:
    """`2024-05-28 · T-240527-01 · words`, in any order, with any of them."""
    label = day = ""
    said: list[str] = []
    for part in _PARTS.split(words):
        clean = part.strip()
        if not label and (clean in known or label_parts(clean) is not None):
            label = clean if clean in known else parse_label(clean) or clean
        elif not day and _day(clean):
            day = clean
        else:
            said.append(part)
    title = _plain(" · ".join(said)) or label
    return TaskPiece(path, number, title, state, label, done_day=day)


def _row(path: str, number: int, columns: Sequence[str], cells: Sequence[str]) -> TaskPiece | Trouble | None:
    if len(cells) > len(columns):
        return Trouble(path, number, "trouble-cells", {"n": len(cells), "most": len(columns)})
    found = {name: _plain(cell) for name, cell in zip(columns, cells, strict=False) if name}
    title = found.pop("title", "")
    said = found.pop("state", "")
    label = found.pop("label", "")
    if not title:
        return None if not (said or label) else Trouble(path, number, "trouble-no-words")
    state = _STATES.get(said.lower()) if said else None
    if said and state is None:
        return Trouble(path, number, "trouble-state", {"value": said[:40]})
    if "note" in found and (due := _DUE.search(found["note"])):
        every = _every_read(due[2]) if due[2] else ""
        if every is None:
            return Trouble(path, number, "trouble-every", {"value": due[2][:40]})
        found |= {"due": due[1].strip(), EVERY: every, "note": found["note"][: due.start()]}
    elif "note" in found:
        found.setdefault("due", "")
        found[EVERY] = ""
    done_day = found.pop("done_day", "")
    return TaskPiece(
        path, number, title, state, parse_label(label) or label, done_day=_day(done_day),
        note=found.get("note"), next=found.get("next"), blocked_by=found.get("blocked_by"),
        resume_step=found.get("resume_step"), due=found.get("due"), every=found.get(EVERY),
    )  # fmt: skip


def _cells(line: str) -> list[str]:
    """What stands between the bars that no backslash guards."""
    cells = [""]
    guarded = False
    for char in line.strip():
        if char == "|" and not guarded:
            cells.append("")
        else:
            cells[-1] += char
        guarded = char == "\\" and not guarded
    return [cell.strip() for cell in cells[1 : None if cells[-1].strip() else -1]]


def _is_rule(cells: Sequence[str]) -> bool:
    return all(re.fullmatch(r":?-{2,}:?", cell) for cell in cells)


def _plain(cell: str) -> str:
    if cell == NOTHING:
        return ""
    return _GUARDED.sub(lambda found: found[1] or "\n", cell)


def _day(text: str) -> str:
    try:
        return text if len(text) == len("2024-05-27") and date.fromisoformat(text) else ""
    except ValueError:
        return ""
