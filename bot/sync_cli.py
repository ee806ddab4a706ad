"""`niannian folder`, `sync` and `erase`: where the devices meet, carrying what is new, erasing on all of them.

What stands behind a command is imported when it is called: a chat starts without all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.command import HELP, HomeOption
from bot.words import Words

if TYPE_CHECKING:
    from bot.own_device import OwnDevice
    from bot.platforms.dialogue import Dialogue

LONG_CHANGES = 500
"""A pass that carries more than this shows that it moves."""


def folder(
    context: typer.Context,
    directory: Annotated[Path | None, typer.Argument(metavar="[DIR]", help=HELP("cli-folder-dir"))] = None,
    home: HomeOption = None,
    off: Annotated[bool, typer.Option("--off", help=HELP("cli-folder-off"))] = False,
) -> None:
    from bot import errand, syncing

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        if off:
            return await syncing.forget_folder(own, talk)
        if directory is None:
            return await syncing.show_folder(own, talk)
        return await syncing.set_folder(own, talk, directory)

    errand.do(context, home, act)


def sync(
    context: typer.Context,
    home: HomeOption = None,
    once: Annotated[bool, typer.Option("--once", help=HELP("cli-once"))] = False,
) -> None:
    from bot import errand, syncing

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        with Watch(own.words, shown=talk.is_person) as watch:
            if once:
                return await syncing.sync_once(own, talk, watch.moved)
            return await syncing.sync_on(own, talk, pause=asyncio.sleep, progress=watch.moved)

    errand.do(context, home, act)


def erase(
    context: typer.Context,
    home: HomeOption = None,
    now: Annotated[bool, typer.Option("--now", help=HELP("cli-now"))] = False,
    yes: Annotated[bool, typer.Option("--yes", help=HELP("cli-yes"))] = False,
) -> None:
    from bot import erasing, errand

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        return await erasing.show_erasing(own, talk, now=now)

    errand.do(context, home, act, yes=yes)


class Watch:
    """A bar while a catch-up takes long; nothing in a pipe, and nothing for a few changes."""

    def __init__(self, words: Words, *, shown: bool) -> None:
        self._words = words
        self._shown = shown
        self._bar: object = None
        self._end: Callable[[], object] = bool

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def moved(self, received: int, sent: int) -> None:
        if not self._shown or received + sent < LONG_CHANGES:
            return
        from rich.progress import BarColumn, Progress, TextColumn  # heavy, and most passes are short

        if not isinstance(self._bar, Progress):
            self._bar = Progress(
                BarColumn(pulse_style="bar.complete"), TextColumn("{task.description}"), transient=True
            )
            self._end = self._bar.stop
            self._bar.add_task("", total=None)
            self._bar.start()
        said = self._words("sync-catching-up", received=received, sent=sent)
        self._bar.update(self._bar.task_ids[0], description=said)
