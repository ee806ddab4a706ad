"""Tables as CSV: our own, and any other whose first row names columns that we know. Pure.

A newcomer's trap: spreadsheets run what begins with `=`. So our own tables carry a `'` before such cells, before cells
that begin with `'` themselves too, and it is taken off again; from tables of others only where a formula would follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store.changes import LABEL_BYTES_MAX
from store.formats import markdown, moments
from store.model import Confidence, Draft, EntryKind, TaskState
from store.pieces import EntryPiece, Piece, TaskPiece, Trouble

COLUMNS = (
    "RefID", "kind", "day", "text", "why", "impact", "next", "verify", "about", "tags", "aliases", "confidence",
    "importance", "until", "pinned", "replaces", "state", "note", "blocked_by", "resume_step", "due", "done",
)  # fmt: skip
TASK = "task"
FORMULA = tuple("=+-@\t\r＝＋－＠")
GUARD = "'"
_DELIMITERS = ",;\t|，"
_SEPARATORS = re.compile(r"[,;，；、\n]")
_DAY = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?")
_IMPORTANCE_MAX = 1000

_NAMES = {
    name: column
    for column, names in {
        "refid": "refid ref 编号 引用号 任务id taskid",
        "kind": "kind type category 类型 类别 种类",
        "day": "day date createdat created at time timestamp 日期 时间 创建时间",
        "text": "text content memory value entry 内容 文本 正文 记忆 条目",
        "decision": "decision 决定 决策",
        "fact": "fact 事实",
        "preference": "preference 偏好",
        "quote": "quote 摘录",
        "title": "title task 任务 标题",
        "why": "why because reason 因为 原因 理由",
        "impact": "impact 影响",
        "next": "next nextstep 下一步",
        "verify": "verify 验证",
        "about": "about scope 关于 作用域",
        "tags": "tags tag labels 标签",
        "aliases": "aliases alias alsocalled 又叫 别名",
        "confidence": "confidence 置信度 把握",
        "importance": "importance 重要度",
        "until": "until 有效期",
        "pinned": "pinned pin 置顶",
        "replaces": "replaces supersedes 取代",
        "state": "state status 状态",
        "note": "note notes description 说明 备注 笔记",
        "blockedby": "blockedby 卡在",
        "resumestep": "resumestep 恢复步骤",
        "due": "due deadline 截止 到期",
        "done": "done doneday completed 完成 完成日期",
    }.items()
    for name in names.split()
}
_TEXTS = ("text", "decision", "fact", "preference", "quote", "title")
_KINDS = {
    **{kind.value: kind for kind in EntryKind},
    "决定": EntryKind.DECISION, "决策": EntryKind.DECISION, "事实": EntryKind.FACT, "偏好": EntryKind.PREFERENCE,
    "摘录": EntryKind.QUOTE, "规则": EntryKind.RULE, "检查点": EntryKind.CHECKPOINT, "笔记": EntryKind.NOTE,
}  # fmt: skip
_TASKS = (TASK, "任务")
_STATES = {
    "doing": TaskState.DOING, "running": TaskState.DOING, "inprogress": TaskState.DOING, "在做": TaskState.DOING,
    "进行中": TaskState.DOING, "ready": TaskState.READY, "todo": TaskState.READY, "open": TaskState.READY,
    "就绪": TaskState.READY, "待办": TaskState.READY, "blocked": TaskState.BLOCKED, "interrupted": TaskState.BLOCKED,
    "中断": TaskState.BLOCKED, "卡住": TaskState.BLOCKED, "done": TaskState.DONE, "completed": TaskState.DONE,
    "完成": TaskState.DONE, "已完成": TaskState.DONE, "归档": TaskState.DONE,
}  # fmt: skip
_CONFIDENCES = {
    **{one.value: one for one in Confidence},
    "高": Confidence.HIGH, "中": Confidence.MEDIUM, "低": Confidence.LOW,
}  # fmt: skip
_YES = ("yes", "true", "1", "x", "是")


# cells


def guarded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return GUARD + cell if cell.startswith((*FORMULA, GUARD)) else cell


def unguarded(cell: str, *, is_ours: bool) -> str:
    if cell.startswith(GUARD) and (is_ours or cell[1:].startswith(FORMULA)):
        return cell[1:]
    return cell


def listed(items: Sequence[str]) -> str:
    """Texts in one cell: with commas, or as JSON where one of them holds what separates."""
    plain = all(one and one == one.strip() and not _SEPARATORS.search(one) for one in items)
    if plain and not (items and items[0].startswith("[")):
        return ", ".join(items)
    return json.dumps(list(items), ensure_ascii=False)


def unlisted(cell: str) -> tuple[str, ...]:
    found = [one for one in _json_list(cell) or () if isinstance(one, str)]
    if found or cell == "[]":
        return tuple(found)
    return tuple(one.strip() for one in _SEPARATORS.split(cell) if one.strip())


def paired(pairs: Sequence[tuple[str, str]]) -> str:
    plain = all(
        key and key == key.strip() and "=" not in key and value == value.strip() and not re.search(r"[;；\n]", key + value)
        for key, value in pairs
    )  # fmt: skip
    if plain and not (pairs and pairs[0][0].startswith("[")):
        return "; ".join(f"{key}={value}" for key, value in pairs)
    return json.dumps([list(pair) for pair in pairs], ensure_ascii=False)


def unpaired(cell: str) -> tuple[tuple[str, str], ...]:
    found = [tuple(one) for one in _json_list(cell) or () if isinstance(one, list) and len(one) == 2]
    pairs = [(key, value) for key, value in found if isinstance(key, str) and isinstance(value, str)]
    if pairs:
        return tuple(pairs)
    said = (one.partition("=") for one in re.split(r"[;；\n]", cell) if one.strip())
    return tuple((key.strip(), value.strip()) if equals else ("about", key.strip()) for key, equals, value in said)


def _json_list(cell: str) -> list[Any] | None:
    if not cell.startswith("["):
        return None
    try:
        found = json.loads(cell)
        spelled = json.dumps(found, ensure_ascii=False).encode()  # no halves of characters
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and b"\\u0000" not in spelled else None


# rows


@dataclass(frozen=True, slots=True)
class Row:
    """`cells` is None where a quote is never closed."""

    line: int
    cells: Sequence[str] | None


def rows(text: str, delimiter: str) -> Iterator[Row]:
    """Every row that is not empty. Behind a quote without an end it goes on with the next line.

    No line is looked at more than twice, since whatever opens a quote closes the one before.
    """
    at, line = 0, 1
    stop = re.compile(f"[{re.escape(delimiter)}\n]")
    while at < len(text):
        line_begins = line
        end_of_line = text.find("\n", at)
        end_of_line = len(text) if end_of_line < 0 else end_of_line
        cells: list[str] = []
        is_closed = True
        while True:
            cell = ""
            if text.startswith('"', at):
                quoted = _quoted(text, at + 1)
                # A quote that is over lines later, in the middle of words, is the next one's beginning.
                if quoted is None or (
                    "\n" in quoted[0] and text[quoted[1] : quoted[1] + 1] not in ("", "\n", delimiter)
                ):
                    is_closed = False
                    break
                cell, at = quoted
                line += cell.count("\n")
            found = stop.search(text, at)
            end = found.start() if found else len(text)
            cells.append(cell + text[at:end])
            at = end + 1
            if found is None or found[0] == "\n":
                line += 1
                break
        if not is_closed:
            yield Row(line_begins, None)
            at, line = end_of_line + 1, line_begins + 1
        elif any(cell.strip() for cell in cells):
            yield Row(line_begins, cells)


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    """(the cell, where it is over); None when its quote is never closed."""
    found: list[str] = []
    while True:
        end = text.find('"', at)
        if end < 0:
            return None
        found.append(text[at:end])
        if not text.startswith('"', end + 1):
            return "".join(found), end + 1
        found.append('"')
        at = end + 2


# tables


def read(path: str, text: str) -> tuple[list[Piece], list[Trouble]]:
    table = _table(text)
    if table is None:
        return [], [Trouble(path, 1, "trouble-columns")]
    pieces: list[Piece] = []
    troubles: list[Trouble] = []
    for row in table.rows:
        try:
            if row.cells is None:
                raise _Unreadable("trouble-quote")
            made = _piece(path, row.line, table, row.cells)
        except _Unreadable as error:
            troubles.append(Trouble(path, row.line, error.code, error.facts))
            continue
        pieces += markdown.fitted(made) if isinstance(made, EntryPiece) else [made]
    return pieces, troubles


class _Unreadable(Exception):
    def __init__(self, code: str, **facts: str | int) -> None:
        self.code = code
        self.facts = facts


@dataclass(frozen=True, slots=True)
class _Table:
    header: Sequence[str]
    columns: Sequence[str]
    """What each column is; "" for one that is not known."""
    is_ours: bool
    rows: Iterable[Row]


def _table(text: str) -> _Table | None:
    first = text.split("\n", 1)[0]
    given = re.fullmatch(r"sep=([,;\t|])\s*", first)
    if given:
        text = "\n" + text.split("\n", 1)[1] if "\n" in text else ""
    best: tuple[int, Sequence[str], str] = (0, (), ",")
    for delimiter in given[1] if given else _DELIMITERS:
        head = next(rows(text[:20_000], delimiter), None)
        if head is not None and head.cells is not None:
            known = sum(_column(cell) != "" for cell in head.cells)
            if known > best[0]:
                best = (known, head.cells, delimiter)
    _, header, delimiter = best
    columns = [_column(cell) for cell in header]
    if not any(name in columns for name in _TEXTS) and "note" in columns:
        columns[columns.index("note")] = "text"
    if not any(name in columns for name in _TEXTS):
        return None
    found = rows(text, delimiter)
    next(found)
    return _Table(header, columns, tuple(header) == COLUMNS, found)


def _column(cell: str) -> str:
    return _NAMES.get(re.sub(r"[\s_-]+", "", cell).lower().lstrip("\ufeff"), "") if len(cell) <= 40 else ""


def _piece(path: str, line: int, table: _Table, cells: Sequence[str]) -> EntryPiece | TaskPiece:
    if len(cells) > len(table.columns) and any(cell.strip() for cell in cells[len(table.columns) :]):
        raise _Unreadable("trouble-cells", n=len(cells), most=len(table.columns))
    named: dict[str, str] = {}
    others: list[tuple[str, str]] = []
    for header, column, raw in zip(table.header, table.columns, cells, strict=False):
        cell = unguarded(raw, is_ours=table.is_ours)
        if not column or column in named:
            others.append((header.strip() or "about", cell.strip()))
        else:
            named[column] = cell
    if not table.is_ours:
        named = {column: cell.strip() for column, cell in named.items()}
    words, kind = _words(named)
    said = named.get("kind", "").strip().lower()
    if said in _TASKS or (not said and "state" in table.columns and kind is None):
        return _task(path, line, table, named, words)
    return _entry(path, line, named, others, words, kind or EntryKind.FACT)


def _words(named: Mapping[str, str]) -> tuple[str, EntryKind | None]:
    for column in _TEXTS:
        if named.get(column, "").strip():
            return named[column], _KINDS.get(column)
    raise _Unreadable("trouble-no-words")


def _entry(
    path: str, line: int, named: Mapping[str, str], others: list[tuple[str, str]], words: str, kind: EntryKind
) -> EntryPiece:
    said = named.get("kind", "").strip()
    if said and said.lower() not in _KINDS:
        others.append(("kind", said))
    if "title" in named and named["title"] != words:
        others.insert(0, ("title", named["title"]))
    if named.get("state", "").strip():
        others.append(("state", named["state"]))
    importance = named.get("importance", "").strip()
    if importance and not (importance.isdecimal() and int(importance[:6]) <= _IMPORTANCE_MAX):
        raise _Unreadable("trouble-importance", value=importance[:40])
    at_ms, day = _when(named.get("day", ""))
    draft = Draft(
        words,
        _KINDS.get(said.lower(), kind),
        why=named.get("why", ""),
        impact=named.get("impact", ""),
        next=named.get("next", ""),
        verify=named.get("verify", ""),
        about=(*unpaired(named.get("about", "")), *markdown.about(*others)),
        confidence=_confidence(named.get("confidence", "").strip()),
        tags=unlisted(named.get("tags", "")),
        aliases=unlisted(named.get("aliases", "")),
        until=_any_day(named.get("until", "")),
        importance=int(importance) if importance else None,
    )
    return EntryPiece(
        path,
        line,
        draft,
        label=_label(named.get("refid", "")),
        day=day,
        at_ms=at_ms,
        replaces=tuple(one for one in unlisted(named.get("replaces", "")) if _label(one)),
        pinned=named.get("pinned", "").strip().lower() in _YES,
    )


def _label(cell: str) -> str:
    """A RefID; what is longer than any is none."""
    words = cell.strip()
    return words if len(words.encode()) <= LABEL_BYTES_MAX else ""


def _confidence(said: str) -> Confidence | None:
    if said and said.lower() not in _CONFIDENCES:
        raise _Unreadable("trouble-confidence", value=said[:40])
    return _CONFIDENCES.get(said.lower())


def _task(path: str, line: int, table: _Table, named: Mapping[str, str], words: str) -> TaskPiece:
    said = named.get("state", "").strip()
    state = _STATES.get(re.sub(r"[\s_-]+", "", said).lower())
    if said and state is None:
        raise _Unreadable("trouble-state", value=said[:40])

    def cell(column: str) -> str | None:
        return named.get(column, "") if column in table.columns else None

    due = cell("due")
    return TaskPiece(
        path,
        line,
        words.strip(),
        state=state,
        label=_label(named.get("refid", "")),
        note=cell("note"),
        next=cell("next"),
        blocked_by=cell("blockedby"),
        resume_step=cell("resumestep"),
        due=due,
        day=_day(named.get("day", "")),
        done_day=_day(named.get("done", "")),
    )


def _when(cell: str) -> tuple[int | None, str]:
    """(moment, "") where the cell knows it, else (None, day)."""
    try:
        return moments.moment(cell.strip()) or (None, _day(cell))
    except moments.FarAway as error:
        raise _Unreadable("trouble-day", value=str(error)) from error


def _day(cell: str) -> str:
    day = _any_day(cell)
    if day and not moments.is_day(day):
        raise _Unreadable("trouble-day", value=day)
    return day


def _any_day(cell: str) -> str:
    """Of any year: how long something holds may be said as 9999-12-31."""
    words = cell.strip()
    if not words:
        return ""
    found = _DAY.match(words[:40])
    day = moments.any_day(f"{found[1]}-{int(found[2]):02d}-{int(found[3]):02d}") if found else ""
    if not day:
        raise _Unreadable("trouble-day", value=words[:40])
    return day
