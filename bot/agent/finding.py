"""Which record a tool means: by the RefID, or our own id. What is another memory's is simply not there."""

from __future__ import annotations

from bot.agent import shown
from bot.agent.tool import Scene
from store.errors import BadCommand, NotFound
from store.ids import parse_label
from store.model import Entry, EntryKind, Task


def found_by(scene: Scene, ref: str) -> tuple[list[Task], list[Entry]]:
    """The visible tasks and entries that this leads to."""
    view = scene.view
    records = dict.fromkeys((ref, *view.labelled(ref)))
    tasks = [task for record in records if (task := view.task(record)) and not task.hidden]
    entries = [entry for record in records if (entry := view.entry(record)) and not (entry.hidden or entry.held)]
    return tasks, entries


def entry_of(scene: Scene, ref: str) -> Entry:
    """The one entry, as it stands now. Raises NotFound; BadCommand where the RefID leads to several."""
    tasks, entries = found_by(scene, ref)
    if tasks and not entries:
        raise BadCommand("error-agent-is-task", ref=tasks[0].label)
    if not entries:
        raise NotFound("error-no-such-ref", ref=shown_ref(ref))
    if len(entries) > 1:
        raise BadCommand("error-agent-several", refs=", ".join(one.id for one in entries))
    if entries[0].draft.kind is EntryKind.CHECKPOINT:
        raise BadCommand("error-checkpoint-fixed")
    later = [] if entries[0].current else [one for one in scene.view.chain(entries[0].id) if one.current]
    return later[-1] if len(later) == 1 else entries[0]


def task_of(scene: Scene, ref: str) -> Task:
    tasks, _ = found_by(scene, ref)
    if not tasks:
        raise NotFound("error-no-such-task", what=shown_ref(ref))
    if len(tasks) > 1:
        raise BadCommand("error-agent-several", refs=", ".join(one.id for one in tasks))
    return tasks[0]


def shown_ref(ref: str) -> str:
    return parse_label(ref) or shown.quoted(ref)
