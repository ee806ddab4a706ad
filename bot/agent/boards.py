"""The task board for an agent: seen, added to, moved, finished. A blocked task says what it waits for and where to go on."""

from __future__ import annotations

from typing import Any

from bot.agent import shown
from bot.agent.fields import choice, text, whole
from bot.agent.finding import task_of
from bot.agent.tool import Result, Scene, Tool, refuse_secrets
from bot.agent.writing import REF
from store.changes import Json
from store.errors import BadCommand
from store.model import Task, TaskState
from store.text import fold

LISTED_MAX = 100
FIELD_CHARACTERS_MAX = 2000
_ORDER = (TaskState.DOING, TaskState.READY, TaskState.BLOCKED)


def tasks_list(scene: Scene, given: dict[str, Any]) -> Result:
    state = TaskState(given["state"]) if "state" in given else None
    if state is TaskState.DONE:
        found = scene.view.tasks(done=True)
    else:
        found = sorted(scene.view.tasks(done=False), key=lambda one: _ORDER.index(one.state))
        found = [one for one in found if state in (None, one.state)]
    rows = found[: given.get("limit", LISTED_MAX)]
    data = {"total": len(found), "tasks": [shown.task(scene, one) for one in rows]}
    lines = [line for one in rows for line in shown.task_lines(scene, one)]
    return Result(data, shown.page(scene, scene.words("agent-listed", n=len(rows), total=len(found)), lines))


def tasks_add(scene: Scene, given: dict[str, Any]) -> Result:
    """What stands on the board in the same words is not added twice."""
    wanted = fold(given["title"]).strip()
    there = next((one for one in scene.view.tasks(done=False) if fold(one.title).strip() == wanted), None)
    if there is not None:
        return _result(scene, there, "agent-kept-already", already=True)
    task = scene.writer.add_task(
        given["title"], at_ms=scene.now_ms, zone=scene.zone, author=scene.account, source=scene.source
    )
    if "next" in given:
        scene.writer.set(task.id, "next", given["next"], by=scene.account)
    return _result(scene, _again(scene, task), "agent-added")


def tasks_update(scene: Scene, given: dict[str, Any]) -> Result:
    task = task_of(scene, given["ref"])
    state = TaskState(given.get("state", task.state.value))
    changes: dict[str, Json] = {name: given[name] for name in ("title", "next") if given.get(name)}
    if state is TaskState.BLOCKED:
        texts = {name: given.get(name) or getattr(task, name) for name in ("blocked_by", "resume_step")}
        if not all(texts.values()):
            raise BadCommand("error-agent-blocked")
        changes |= texts
    elif given.get("blocked_by") or given.get("resume_step"):
        raise BadCommand("error-agent-not-blocked")
    if state is not task.state:
        changes |= _moved(scene, task, state)
    if not changes:
        raise BadCommand("error-argument-missing", name="state")
    after = {name: changes.get(name) or getattr(task, name) for name in ("title", "blocked_by", "resume_step", "next")}
    refuse_secrets([" ".join(map(str, after.values()))])
    return _changed(scene, task, changes, "agent-task-changed")


def tasks_done(scene: Scene, given: dict[str, Any]) -> Result:
    task = task_of(scene, given["ref"])
    if task.state is TaskState.DONE:
        return _result(scene, task, "agent-kept-already", already=True)
    return _changed(scene, task, _moved(scene, task, TaskState.DONE), "agent-task-done")


def _moved(scene: Scene, task: Task, state: TaskState) -> dict[str, Json]:
    changes: dict[str, Json] = {"state": state.value}
    if state is TaskState.DONE:
        changes["done_at"] = scene.now_ms
    elif state is not TaskState.BLOCKED and task.state is TaskState.BLOCKED:
        changes |= {"blocked_by": "", "resume_step": ""}
    return changes


def _changed(scene: Scene, task: Task, changes: dict[str, Json], said: str) -> Result:
    for name, value in changes.items():
        scene.writer.set(task.id, name, value, by=scene.account)
    return _result(scene, _again(scene, task), said)


def _again(scene: Scene, task: Task) -> Task:
    now = scene.view.task(task.id)
    assert now is not None
    return now


def _result(scene: Scene, task: Task, said: str, *, already: bool = False) -> Result:
    """Holds no words of the task: a result is kept to be given again."""
    data: dict[str, Any] = {"ref": task.label, "state": task.state.value, "memory": scene.memory_name()}
    text_of = scene.words(
        said, ref=task.label, memory=scene.memory_name(), state=scene.words(f"state-{task.state.value}")
    )
    return Result(data | ({"already": True} if already else {}), text_of)


_STRING = {"type": "string"}
_TASK = shown.object_of(ref=_STRING, state=_STRING, memory=_STRING, already={"type": "boolean"})

READING = (
    Tool(
        "tasks_list",
        "tool-tasks-list",
        (choice("state", "arg-state", [*TaskState]), whole("limit", "arg-limit", 1, LISTED_MAX)),
        shown.object_of(("total", "tasks"), total={"type": "integer"}, tasks=shown.list_of(shown.TASK)),
        tasks_list,
    ),
)
WRITING = (
    Tool(
        "tasks_add",
        "tool-tasks-add",
        (
            text("title", "arg-title", required=True, most=FIELD_CHARACTERS_MAX),
            text("next", "arg-next", most=FIELD_CHARACTERS_MAX),
        ),
        _TASK,
        tasks_add,
        writes=True,
    ),
    Tool(
        "tasks_update",
        "tool-tasks-update",
        (
            REF,
            choice("state", "arg-state", [*TaskState]),
            text("title", "arg-title", most=FIELD_CHARACTERS_MAX),
            text("blocked_by", "arg-blocked-by", most=FIELD_CHARACTERS_MAX),
            text("resume_step", "arg-resume-step", most=FIELD_CHARACTERS_MAX),
            text("next", "arg-next", most=FIELD_CHARACTERS_MAX),
        ),
        _TASK,
        tasks_update,
        writes=True,
        destructive=True,
    ),
    Tool("tasks_done", "tool-tasks-done", (REF,), _TASK, tasks_done, writes=True),
)
