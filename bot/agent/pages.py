"""The pages an agent reads first: who the person is, the board, today. Written anew at every look, for one memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from bot.agent import shown
from bot.agent.fields import choice
from bot.agent.tool import Result, Scene, Tool

SHOWN_MAX = 50
_SHOWN = "hidden = 0 AND held = 0 AND current = 1"


@dataclass(frozen=True, slots=True)
class Page:
    """`about`: the locale id of its description."""

    name: str
    title: str
    about: str
    lines: Callable[[Scene], list[str]]

    @property
    def address(self) -> str:
        return f"niannian://{self.name}"


def _user(scene: Scene) -> list[str]:
    lines = []
    for name, register in scene.view.registers("profile").items() if scene.private else ():
        said = f"{name}: {register.value}"
        if register.value and not shown.reads_like_an_order(said):
            lines += shown.fenced(said)
    kept = scene.view.entries(f"{_SHOWN} AND kind IN ('rule', 'preference')", limit=SHOWN_MAX)
    return lines + [line for one in kept for line in shown.entry_lines(scene, one)]


def _tasks(scene: Scene) -> list[str]:
    return [line for one in scene.view.tasks(done=False)[:SHOWN_MAX] for line in shown.task_lines(scene, one)]


def _today(scene: Scene) -> list[str]:
    """Of today and yesterday, and the newest checkpoint: what a new conversation goes on from."""
    yesterday = (scene.today - timedelta(days=1)).isoformat()
    kept = scene.view.entries(f"{_SHOWN} AND kind <> 'checkpoint' AND day >= ?", (yesterday,), limit=SHOWN_MAX)
    last = scene.view.entries(f"{_SHOWN} AND kind = 'checkpoint'", limit=1)
    return [line for one in (*last, *kept) for line in shown.entry_lines(scene, one)]


def _memory(scene: Scene) -> list[str]:
    """What is pinned, then the newest."""
    kept = scene.view.entries(f"{_SHOWN} AND kind <> 'checkpoint' AND pinned = 1", limit=SHOWN_MAX)
    newest = f"seq IN (SELECT seq FROM entries WHERE {_SHOWN} AND kind <> 'checkpoint' ORDER BY at_ms DESC LIMIT ?)"
    kept += [one for one in scene.view.entries(newest, (SHOWN_MAX,), limit=SHOWN_MAX) if not one.pinned]
    return [line for one in kept[:SHOWN_MAX] for line in shown.entry_lines(scene, one)]


PAGES: Mapping[str, Page] = {
    page.name: page
    for page in (
        Page("user", "USER", "page-user", _user),
        Page("tasks", "TASKS", "page-tasks", _tasks),
        Page("today", "today", "page-today", _today),
    )
}


_DAY = re.compile(r"memory/(\d{4}-\d{2}-\d{2})\.md")
_FILES: Mapping[str, Callable[[Scene], list[str]]] = {"USER.md": _user, "TASKS.md": _tasks, "MEMORY.md": _memory}


def file_at(scene: Scene, path: str) -> str:
    """What stands under this name in the tree that `niannian export` writes, as an agent may see it; "" where nothing does.

    Its lines are not those of the exported file: what reads like an order is left out, and words stand behind a fence.
    """
    name, _, _ = path.partition("#")
    day = _DAY.fullmatch(name)
    if day:
        kept = scene.view.entries("hidden = 0 AND held = 0 AND kind <> 'checkpoint' AND day = ?", (day[1],))
        lines = [line for one in reversed(kept) for line in shown.entry_lines(scene, one)]
    else:
        lines = _FILES[name](scene) if name in _FILES else []
    return _whole(scene, name, lines) if lines else ""


def _whole(scene: Scene, title: str, lines: list[str]) -> str:
    return "\n".join([f"# {title}", *([scene.words("agent-data"), *lines] if lines else [])])


def read_page(scene: Scene, given: dict[str, str]) -> Result:
    page = PAGES[given["name"]]
    text = _whole(scene, page.title, page.lines(scene))
    return Result({"text": text}, text)


PAGE = Tool(
    "page",
    "page-today",
    (choice("name", "page-today", tuple(PAGES), required=True),),
    shown.object_of(("text",), text={"type": "string"}),
    read_page,
)
"""No tool that is listed: how a page is asked for."""
