"""`niannian dictionary`: what there is to look words up in; `add` and `remove` it.

The dictionary is a file of its own beside the memories, so nothing here opens a memory, and a chat may go on meanwhile.
What stands behind a command is imported when it is called.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.command import EXIT_FAULT, HELP, HomeOption, config_of, home_of, parent_home, run, told_of

if TYPE_CHECKING:
    from bot.words import Words
    from store.dictionary import About, Definition
    from store.pieces import Trouble

dictionary_cli = typer.Typer(help=HELP("cli-dictionary"), rich_markup_mode=None, invoke_without_command=True)

EXIT_PARTLY = 2
SHOWN_MAX = 5
_EXAMS = ("cet4", "cet6", "ky", "toefl", "ielts", "gre")


class Stopped(Exception):
    """Whoever waited has gone."""


@dictionary_cli.callback()
def show(context: typer.Context, home: HomeOption = None) -> None:
    if context.invoked_subcommand is not None:
        context.obj = home or context.obj
        return
    path = home_of(home or parent_home(context))
    told = told_of(config_of(path))

    async def work() -> int:
        from store.dictionary import DATABASE, Dictionary

        try:
            with Dictionary.read(path / DATABASE) as found:
                about = found.about()
        except FileNotFoundError:
            typer.echo(told("dictionary-none"))
            return 0
        typer.echo("\n".join([*_about(told, about), "", about.notice.strip() or told("dictionary-no-notice")]))
        return 0

    raise typer.Exit(run(work, told))


@dictionary_cli.command("add", help=HELP("cli-dictionary-add"))
def add(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help=HELP("cli-dictionary-file"))],
    home: HomeOption = None,
) -> None:
    path = home_of(home or context.obj or parent_home(context))
    told = told_of(config_of(path))

    async def work() -> int:
        from bot.platforms import terminal
        from bot.stoppable import in_thread

        try:
            with _bar(told, shown=terminal.is_person()) as moved:
                about, troubles = await in_thread(lambda stopped: _taken_in(path, file, moved, stopped))
        except asyncio.CancelledError:  # a script must not read in the status that it is there
            return EXIT_FAULT
        typer.echo("\n".join([told("dictionary-added"), *_about(told, about), *_troubles(told, troubles)]))
        return EXIT_PARTLY if troubles else 0

    raise typer.Exit(run(work, told))


@dictionary_cli.command("remove", help=HELP("cli-dictionary-remove"))
def remove(context: typer.Context, home: HomeOption = None) -> None:
    path = home_of(home or context.obj or parent_home(context))
    told = told_of(config_of(path))

    async def work() -> int:
        from store import dictionary_file

        if dictionary_file.take_away(path):
            typer.echo(told("dictionary-removed"))
            return 0
        typer.echo(told("dictionary-none"))
        return EXIT_FAULT

    raise typer.Exit(run(work, told))


def _taken_in(
    home: Path, file: Path, moved: Callable[[int], None], stopped: Callable[[], bool]
) -> tuple[About, list[Trouble]]:
    """Puts the words of `file` in the place of the dictionary. Raises what reading and writing raise, and Stopped."""
    from store import dictionary_file, dictionary_sources
    from store.dictionary import DATABASE, Dictionary

    def watched(definitions: Iterator[Definition]) -> Iterator[Definition]:
        for one in definitions:
            if stopped():
                raise Stopped
            yield one

    with dictionary_sources.opened(file) as source:
        dictionary_file.put(
            home, watched(iter(source.definitions)), source=source.name, notice=source.notice, moved=moved
        )  # fmt: skip
    with Dictionary.read(home / DATABASE) as made:
        return made.about(), source.troubles


def _about(told: Words, about: About) -> Iterator[str]:
    from bot import render

    size = f"{about.size_bytes / 1_000_000:.1f}"
    yield told("dictionary-is", n=about.words, shown=render.number(told, about.words), source=about.source, size=size)
    tags = {tag: n for tag, n in about.tags if tag in _EXAMS}
    if tags:
        shown = " · ".join(
            told("dictionary-tag", name=told(f"exam-{tag}"), n=render.number(told, tags[tag]))
            for tag in _EXAMS
            if tag in tags
        )
        yield told("dictionary-tags", tags=shown)


def _troubles(told: Words, troubles: list[Trouble]) -> Iterator[str]:
    for one in troubles[:SHOWN_MAX]:
        what = told(one.code, **one.facts)
        yield told("import-trouble", path=one.path, line=one.line, what=what)
    if len(troubles) > SHOWN_MAX:
        yield told("import-more", n=len(troubles) - SHOWN_MAX)


@contextmanager
def _bar(told: Words, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """How many words so far: nobody knows how many there will be."""
    if not shown:
        yield lambda n: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn

    with Progress(SpinnerColumn(), TextColumn("{task.description}"), transient=True) as bar:
        task = bar.add_task(told("dictionary-progress", n=0), total=None)
        yield lambda n: bar.update(task, description=told("dictionary-progress", n=n))
