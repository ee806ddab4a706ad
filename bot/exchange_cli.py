"""`niannian import` and `niannian export`: what they ask for, show and answer.

Beside a running niannian both work through it. What would change or forget something is shown before it is done, and
asked about; in a pipe `--yes` answers, or the next line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from bot.command import EXIT_CONFIG, config_of, run, start_here, told_of
from bot.door import DoorScope
from bot.entrance import Entrance
from bot.exchange import FORMATS, progress
from bot.platforms.dialogue import Dialogue
from bot.words import Words
from store.clock import SystemEntropy
from store.errors import HomeInUse

EXIT_PARTLY = 2
WATCH_EVERY_S = 2.0
LONG = 500
"""An import of fewer pieces is over before a bar says anything."""
_SUFFIXES = {".jsonl": "jsonl", ".csv": "csv"}

Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


class Command:
    """One run of a command: the home, wherever it is held, and somebody to talk to."""

    def __init__(self, home: Path, scope: DoorScope, *, yes: bool = False) -> None:
        config = config_of(home)
        self.told = told_of(config)
        self.talk = Dialogue(prompt=self.told("prompt"), yes=yes)
        self._home = home
        self._scope = scope
        self._key = f"cli/{SystemEntropy().bytes(8).hex()}"
        self._number = 0
        self._entrance = Entrance(home, lambda: start_here(home, config))

    async def ask(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        return await self._entrance.call(name, self._scope, arguments, f"{self._key}/{self._number}")

    def run(self, work: Callable[[], Awaitable[int]]) -> None:
        async def whole() -> int:
            try:
                return await work()
            finally:
                await self._entrance.close()

        raise typer.Exit(run(whole, self.told))


# in


def import_files(
    home: Path, path: Path | None, scope: DoorScope, *, dry: bool, undo: bool, taken: str, yes: bool
) -> None:
    command = Command(home, scope, yes=yes)
    if undo == (path is not None):
        typer.echo(command.told("import-what"), err=True)
        raise typer.Exit(EXIT_CONFIG)
    if path is None:
        command.run(lambda: _undo(command))
    else:
        named = path.absolute()
        command.run(lambda: _import(command, named, taken, dry=dry))


async def _undo(command: Command) -> int:
    told, report = command.told, await command.ask("import-undo", {})
    if not report["found"]:
        command.talk.say(told("import-nothing-to-undo"))
        return 1
    lines = [told("import-undone", n=report["hidden"]) if report["hidden"] else told("import-undone-plain")]
    if report["restored"]:
        lines.append(told("import-undo-restored", n=report["restored"]))
    if report["gone"]:
        lines.append(told("import-undo-gone", n=report["gone"]))
    if report["kept"]:
        lines.append(told("import-undo-kept", n=report["kept"]))
    command.talk.say("\n".join(lines))
    return 0


async def _import(command: Command, path: Path, taken: str, *, dry: bool) -> int:
    told, talk = command.told, command.talk
    arguments = {"path": str(path), "taken": taken, "dry": dry, "ask": True}
    name = path.name or str(path)
    with bar(told, shown=talk.is_person) as moved:
        progress.set(moved)
        report = await command.ask("import", arguments)
    what = _counts(told, report)
    if dry:
        first = told("import-preview", path=name, what=what)
        talk.say("\n".join([first, *_changes(told, report), *_troubles(told, report), told("import-nothing-written")]))
        return 0
    if report["asks"]:
        while report["asks"]:
            first = told("import-preview", path=name, what=_counts(told, report))
            shown = "\n".join([first, *_changes(told, report), *_troubles(told, report)])
            if await talk.choose((shown,), (told("button-import"), told("button-import-not"))) != 0:
                talk.say(told("import-nothing-done"))
                return 0
            report = await command.ask("import", arguments | {"agreed": report["shown"]})
    elif not report["new"]:
        talk.say("\n".join([told("import-nothing-new", path=name, what=what), *_troubles(told, report)]))
        return EXIT_PARTLY if report["trouble_count"] else 0
    lines = [_done(told, report), *_timed(told, report), *_troubles(told, report), told("import-undo-hint")]
    talk.say("\n".join(lines))
    return EXIT_PARTLY if report["trouble_count"] else 0


def _counts(told: Words, report: dict[str, Any]) -> str:
    """新 11 条 · 已有 1 条 · 读不懂 1 个文件"""
    named = (
        ("new", "new"), ("same", "same"), ("changed", "changed_count"), ("removed", "removed_count"),
        ("forgotten", "forgotten"), ("taken", "taken"), ("renamed", "renamed"), ("masked", "masked"),
        ("files-wrong", "files_wrong"), ("parts-wrong", "parts_wrong"),
    )  # fmt: skip
    found = [told(f"import-count-{name}", n=report[key]) for name, key in named if report[key]]
    return " · ".join(found or [told("import-count-new", n=0)])


def _done(told: Words, report: dict[str, Any]) -> str:
    named = (
        ("new", report["new"]), ("changed", report["changed_count"]), ("removed", report["removed_count"]),
        ("skipped", report["same"] + report["forgotten"] + report["taken"]), ("renamed", report["renamed"]),
        ("masked", report["masked"]), ("files-left", report["files_wrong"]), ("parts-left", report["parts_wrong"]),
    )  # fmt: skip
    found = [told(f"import-done-{name}", n=n) for name, n in named if n]
    return " · ".join(found + ([", ".join(report["refs"])] if report.get("refs") else []))


def _timed(told: Words, report: dict[str, Any]) -> Iterator[str]:
    """Where it would be told is for a person to say: in the chat where they set it."""
    if n := report.get("timed"):
        yield told("import-timed", n=n)


def _changes(told: Words, report: dict[str, Any]) -> Iterator[str]:
    for one in report["changed"]:
        yield told("import-changed", ref=one["ref"], before=one["before"], after=one["after"])
    for one in report["removed"]:
        yield told("import-removed", ref=one["ref"] or "-", words=one["words"], path=one["path"])
    if (
        more := report["changed_count"] + report["removed_count"] - len(report["changed"]) - len(report["removed"])
    ) > 0:
        yield told("import-more", n=more)


def _troubles(told: Words, report: dict[str, Any]) -> Iterator[str]:
    for one in report["troubles"]:
        what = told(one["code"], **one["facts"])
        if one["line"]:
            yield told("import-trouble", path=one["path"], line=one["line"], what=what)
        else:
            yield told("import-trouble-file", path=one["path"], what=what)
    if (more := report["trouble_count"] - len(report["troubles"])) > 0:
        yield told("import-more", n=more)


@contextmanager
def bar(told: Words, *, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar for whoever waits at a terminal; where another process does the work, it only moves."""
    if not shown:
        yield lambda done, total: None
        return
    from rich.progress import Progress  # heavy, and most imports are short

    with Progress(transient=True) as bar:
        task = bar.add_task(told("import-progress"), total=None)

        def moved(done: int, total: int) -> None:
            if total >= LONG and (done % 50 == 0 or done == total):
                bar.update(task, completed=done, total=total)

        yield moved


# out


def export_files(home: Path, path: Path, scope: DoorScope, *, kind: str | None, watch: bool) -> None:
    command = Command(home, scope)
    chosen = kind or _SUFFIXES.get(path.suffix.lower(), "tree")
    if chosen not in FORMATS or (watch and chosen != "tree"):
        typer.echo(command.told("export-formats", formats=", ".join(FORMATS)), err=True)
        raise typer.Exit(EXIT_CONFIG)
    if path.absolute().is_relative_to(home.absolute()):
        typer.echo(command.told("export-in-home"), err=True)
        raise typer.Exit(EXIT_CONFIG)
    where = str(path.absolute())
    command.run(lambda: _watch(command, path, where) if watch else _export(command, path, where, chosen))


async def _export(command: Command, path: Path, where: str, kind: str) -> int:
    told = command.told
    report = await command.ask("export", {"path": where, "format": kind})
    lines = [told(f"export-done-{kind}", n=report["entries"], path=str(path), files=report["written"])]
    if report["more"]:
        lines.append(told("export-left-out", n=report["more"]))
    if report["left"]:
        lines.append(told("export-left", files=", ".join(report["left"][:5])))
    command.talk.say("\n".join(lines))
    return 0


async def _watch(command: Command, path: Path, where: str) -> int:
    """Until it is stopped. A change counts when the folder has been still for one look."""
    told, talk = command.told, command.talk
    state, settled, taken_at = "", _fingerprint(path), object()
    first = True
    while True:
        before = _fingerprint(path)
        touched = before == settled and before != taken_at
        settled = before
        try:
            report = await command.ask("export-watch", {"path": where, "state": state, "touched": touched or first})
        except HomeInUse:  # another command has the home for a while
            await asyncio.sleep(WATCH_EVERY_S)
            continue
        state = report["state"]
        if not report["idle"]:
            taken_at = settled = _fingerprint(path)
            _tell_watch(told, talk, report, path, first=first)
        first = False
        await asyncio.sleep(WATCH_EVERY_S)


def _tell_watch(told: Words, talk: Dialogue, report: dict[str, Any], path: Path, *, first: bool) -> None:
    lines = [told("export-watching", path=str(path))] if first else []
    if report["new"] or report["changed_count"] or report["removed_count"]:
        lines += [_done(told, report | {"same": 0, "forgotten": 0, "taken": 0}), *_changes(told, report)]
        lines += _timed(told, report)
    if report["held_back"]:
        lines.append(told("export-held-back", n=report["held_back"], path=str(path)))
    lines += _troubles(told, report)
    if report["left"]:
        lines.append(told("export-left", files=", ".join(report["left"][:5])))
    if lines:
        talk.say("\n".join(lines))


def _fingerprint(path: Path) -> object:
    """Changes when a file of the tree does."""
    from store.folder import stamps

    return stamps(path)
