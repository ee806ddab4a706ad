"""A memory in the formats of others: exact lines, a table, the two short files of a Hermes agent.

Hidden, held and erased records are in none of them. What a home knows of its people and devices stays at home, and so
does where and when something is said unasked: an exact line says what one that is read may say.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from store.archive import importance_of
from store.changes import Key
from store.dates import local_day
from store.formats import csv_rows, hermes, jsonl
from store.formats import exact as exact_format
from store.model import Entry, EntryID, EntryKind, RefID, Task
from store.view import View

HERMES_MEMORY_CHARACTERS_MAX = 2200
HERMES_USER_CHARACTERS_MAX = 1375
_VISIBLE = "hidden = 0 AND held = 0"
_HERMES_MEMORY = (EntryKind.DECISION, EntryKind.FACT, EntryKind.RULE)


# exact


def exact(view: View) -> Iterator[str]:
    """The lines of the exact format, each without its newline: records in the order of their ids, then the named ones."""
    conn = view.conn
    unseen = {row[0] for row in conn.execute("SELECT record FROM registers WHERE field = 'hidden' AND value = 'true'")}
    unseen |= {row[0] for row in conn.execute("SELECT id FROM entries WHERE held = 1")}
    unseen |= {row[0] for row in conn.execute("SELECT id FROM cards WHERE added_ms IS NULL")}
    ids = conn.execute("SELECT DISTINCT substr(key, 1, 26) FROM keys WHERE map IN ('e', 'v') ORDER BY 1").fetchall()
    for (record,) in ids:
        if record not in unseen:
            yield from jsonl.lines_of(record, _keys_of(view, record))
    for record in jsonl.NAMED:
        yield from jsonl.lines_of(record, _keys_of(view, record))


def _keys_of(view: View, record: str) -> list[Key]:
    between = "SELECT map, key, value FROM keys WHERE map = ? AND key > ? AND key < ?"
    ranges = [("r", f"{record}/", f"{record}0")]
    if record not in jsonl.NAMED:
        ranges += [(name, f"{record}.", f"{record}/") for name in ("e", "v")]
    found = [Key(*row) for one in ranges for row in view.conn.execute(between, one)]
    labels = view.conn.execute("SELECT label, digest FROM labels WHERE record = ?", (record,))
    found = [key for key in found if key.map != "r" or exact_format.is_register(key)]
    return found + [Key("l", f"{label}/{record}.{digest}", "") for label, digest in labels]


# table


def table(view: View, *, zone: str) -> bytes:
    """One row an entry, oldest first, then one row a task. `zone`: in which a task was done on a day."""
    entries = _oldest_first(view.entries(_VISIBLE, limit=-1))
    labels = {entry.id: entry.label for entry in entries}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(csv_rows.COLUMNS)
    for entry in entries:
        writer.writerow(_row(_entry_cells(entry, labels)))
    for task in (*view.tasks(done=False, limit=-1), *reversed(view.tasks(done=True, limit=-1))):
        writer.writerow(_row(_task_cells(task, zone)))
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def _row(cells: Mapping[str, str]) -> list[str]:
    return [csv_rows.guarded(cells.get(column, "")) for column in csv_rows.COLUMNS]


def _entry_cells(entry: Entry, labels: Mapping[EntryID, RefID]) -> dict[str, str]:
    draft = entry.draft
    replaced = [labels[one] for one in entry.supersedes if one in labels]
    return {
        "RefID": entry.label,
        "kind": draft.kind.value,
        "day": entry.day,
        "text": draft.text,
        "why": draft.why,
        "impact": draft.impact,
        "next": draft.next,
        "verify": draft.verify,
        "about": csv_rows.paired(draft.about),
        "tags": csv_rows.listed([*draft.tags, *(tag for tag in entry.more_tags if tag not in draft.tags)]),
        "aliases": csv_rows.listed(draft.aliases),
        "confidence": draft.confidence.value if draft.confidence else "",
        "importance": "" if draft.importance is None else str(draft.importance),
        "until": draft.until,
        "pinned": "yes" if entry.pinned else "",
        "replaces": csv_rows.listed(replaced),
    }


def _task_cells(task: Task, zone: str) -> dict[str, str]:
    return {
        "RefID": task.label,
        "kind": csv_rows.TASK,
        "day": task.day,
        "text": task.title,
        "state": task.state.value,
        "note": task.note,
        "next": task.next,
        "blocked_by": task.blocked_by,
        "resume_step": task.resume_step,
        "due": task.due,
        "done": "" if task.done_at_ms is None else local_day(task.done_at_ms, zone).isoformat(),
    }


def _oldest_first(entries: Collection[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.at_ms, len(entry.label), entry.label, entry.id))


# Hermes


@dataclass(frozen=True, slots=True)
class Hermes:
    """The two files, and the RefIDs of what is not in them, oldest first."""

    memory: str
    user: str
    left_out: Sequence[RefID]


def hermes_files(view: View) -> Hermes:
    """What weighs most, within the limits of the agent; written oldest first, as it would have been by the agent.

    Both files go into every prompt of that agent. So nothing stands in them that was forwarded or reads like an order.
    """
    entries = _oldest_first(view.entries(f"{_VISIBLE} AND current = 1", limit=-1))
    told = [entry for entry in entries if not entry.tainted or entry.cleared]
    memory = _fitting([e for e in told if e.draft.kind in _HERMES_MEMORY], HERMES_MEMORY_CHARACTERS_MAX)
    user = _fitting([e for e in told if e.draft.kind is EntryKind.PREFERENCE], HERMES_USER_CHARACTERS_MAX)
    kept = {entry.id for entry in (*memory, *user)}
    words = {entry.draft.text.strip() for entry in (*memory, *user)}
    return Hermes(
        _joined(memory),
        _joined(user),
        [entry.label for entry in entries if entry.id not in kept and entry.draft.text.strip() not in words],
    )


def _fitting(entries: Sequence[Entry], most: int) -> list[Entry]:
    chosen: dict[str, Entry] = {}
    room = most + len(hermes.BETWEEN)
    for entry in sorted(entries, key=lambda e: (importance_of(e), e.at_ms, e.label), reverse=True):
        words = entry.draft.text.strip()
        cost = len(words) + len(hermes.BETWEEN)
        holds_mark = any(line.strip() == hermes.MARK for line in words.split("\n"))
        if words and cost <= room and words not in chosen and not holds_mark:
            chosen[words] = entry
            room -= cost
    return _oldest_first(chosen.values())


def _joined(entries: Sequence[Entry]) -> str:
    return hermes.BETWEEN.join(entry.draft.text.strip() for entry in entries)
