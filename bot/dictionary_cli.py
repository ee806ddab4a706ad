"""`niannian dictionary`: what there is to look words up in; `add` and `remove` it.

The dictionary is a file of its own beside the memories, so nothing here opens a memory, and a chat may go on meanwhile.
What stands behind a command is imported when it is called.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
MUCH_LARGER = 2
"""Who puts fewer than half as many words in the place of a dictionary may have meant an import of words."""
KEPT = "dictionary.before.db"
"""The one that was replaced last."""
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
    yes: Annotated[bool, typer.Option("--yes", help=HELP("cli-yes"))] = False,
) -> None:
    path = home_of(home or context.obj or parent_home(context))
    told = told_of(config_of(path))

    async def work() -> int:
        from bot.platforms.dialogue import Dialogue
        from bot.stoppable import in_thread

        talk = Dialogue(prompt=told("prompt"), yes=yes)
        before = _before(path)
        try:
            with _bar(told, shown=talk.is_person) as moved:
                read = await in_thread(lambda stopped: _read(file, moved, stopped))
            if before is not None and before.words > MUCH_LARGER * len(read.words) > 0 and not yes:
                lines = (*_troubles(told, read.troubles), _smaller(told, before, len(read.words)))
                if await talk.choose(lines, (told("button-replace"), told("button-replace-not"))) != 0:
                    talk.say(told("dictionary-left"))
                    return EXIT_FAULT
            about = await in_thread(lambda stopped: _put(path, read))
        except asyncio.CancelledError:  # a script must not read in the status that it is there
            return EXIT_FAULT
        lines = (told("dictionary-added"), *_about(told, about), *_troubles(told, read.troubles))
        talk.say(*lines, *_replaced(told, path, before, about))
        return EXIT_PARTLY if read.troubles else 0

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


@dataclass(frozen=True, slots=True)
class _Read:
    words: Mapping[str, Definition]
    source: str
    notice: str
    troubles: list[Trouble]


def _read(file: Path, moved: Callable[[int], None], stopped: Callable[[], bool]) -> _Read:
    """Raises what reading raises, and Stopped."""
    from store import dictionary_file, dictionary_sources

    def watched(definitions: Iterator[Definition]) -> Iterator[Definition]:
        for one in definitions:
            if stopped():
                raise Stopped
            yield one

    with dictionary_sources.opened(file) as source:
        found = dictionary_file.gathered(watched(iter(source.definitions)), moved)
        return _Read(found, source.name, source.notice, source.troubles)


def _put(home: Path, read: _Read) -> About:
    """In the place of the dictionary, which is kept beside it. Raises what writing raises."""
    from store import dictionary_file
    from store.dictionary import DATABASE, Dictionary

    old, kept, draft = home / DATABASE, home / KEPT, home / f".{KEPT}.part"
    draft.unlink(missing_ok=True)
    with suppress(OSError):  # none is there, or the disk knows no second name: then it is only replaced
        os.link(old, draft)
    try:
        dictionary_file.put(home, read.words.values(), source=read.source, notice=read.notice)
        with Dictionary.read(old) as made:
            about = made.about()
        if draft.exists() and draft.read_bytes() != old.read_bytes():
            os.replace(draft, kept)
    finally:
        draft.unlink(missing_ok=True)
    return about


def _before(home: Path) -> About | None:
    """The dictionary that is there, if it can be read."""
    from store.dictionary import DATABASE, Dictionary
    from store.errors import NiannianError

    try:
        with Dictionary.read(home / DATABASE) as found:
            return found.about()
    except (FileNotFoundError, NiannianError):
        return None


def _smaller(told: Words, before: About, n: int) -> str:
    from bot import render

    return told("dictionary-smaller", n=render.number(told, n), old=render.number(told, before.words))


def _replaced(told: Words, home: Path, before: About | None, about: About) -> Iterator[str]:
    from bot import render

    if before is not None and (home / KEPT).exists() and before != about:
        old = render.number(told, before.words)
        yield told("dictionary-replaced", n=old, source=before.source, path=str(home / KEPT))


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
