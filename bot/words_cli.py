"""`niannian words import FILE` and `niannian words export FILE`: words to learn, in and out.

Beside a running niannian both work through it, as `niannian import` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.command import EXIT_CONFIG, EXIT_FAULT, HELP, HomeOption, home_of, parent_home

if TYPE_CHECKING:
    from bot.exchange_cli import Command
    from bot.words import Words

words_cli = typer.Typer(help=HELP("cli-words"), rich_markup_mode=None, no_args_is_help=True)

AsOption = Annotated[str | None, typer.Option("--as", help=HELP("cli-as"))]


@words_cli.command("import", help=HELP("cli-words-import"))
def bring_in(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help=HELP("cli-words-import-file"))] = None,
    home: HomeOption = None,
    as_name: AsOption = None,
    dry: Annotated[bool, typer.Option("--dry-run", help=HELP("cli-dry-run"))] = False,
    undo: Annotated[bool, typer.Option("--undo", help=HELP("cli-words-undo"))] = False,
) -> None:
    command = _command(context, home, as_name)
    if undo == (file is not None):
        typer.echo(command.told("words-import-what"), err=True)
        raise typer.Exit(EXIT_CONFIG)
    if file is None:
        command.run(lambda: _undo(command))
    else:
        name, where = file.name, str(file.absolute())
        command.run(lambda: _import(command, name, where, dry=dry))


@words_cli.command("export", help=HELP("cli-words-export"))
def take_out(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help=HELP("cli-words-export-file"))],
    home: HomeOption = None,
    as_name: AsOption = None,
) -> None:
    command = _command(context, home, as_name)
    where = str(file.absolute())
    command.run(lambda: _export(command, str(file), where))


def _command(context: typer.Context, home: Path | None, as_name: str | None) -> Command:
    from bot.door import DoorScope  # a chat starts without all of this
    from bot.exchange_cli import Command

    return Command(home_of(home or parent_home(context)), DoorScope(as_name, None))


async def _import(command: Command, name: str, where: str, *, dry: bool) -> int:
    from bot.exchange import progress
    from bot.exchange_cli import EXIT_PARTLY, bar

    told, talk = command.told, command.talk
    with bar(told, shown=talk.is_person) as moved:
        progress.set(moved)
        report = await command.ask("words-import", {"path": where, "dry": dry})
    what = " · ".join([told(code, n=n) for code, n in _named(report, dry=dry) if n] or [told("words-count-new", n=0)])
    lines = [told("import-preview", path=name, what=what) if dry else told("words-imported", what=what)]
    lines += _troubles(told, report)
    if report["bare"]:
        lines.append(told("words-bare" if report["has_dictionary"] else "words-bare-no-dictionary", n=report["bare"]))
    if dry:
        lines.append(told("import-nothing-written"))
    if report["stopped"]:
        lines.append(told("words-stopped"))
    elif not dry and (report["new"] or report["filled"] or report["answers"]):
        lines.append(told("words-undo-hint"))
    talk.say("\n".join(lines))
    if report["stopped"]:
        return EXIT_FAULT
    return EXIT_PARTLY if report["trouble_count"] and not dry else 0


async def _undo(command: Command) -> int:
    told, report = command.told, await command.ask("words-undo", {})
    if not report["found"]:
        command.talk.say(told("words-nothing-to-undo"))
        return EXIT_FAULT
    named = (
        ("words-undone-removed", report["removed"]), ("words-undone-answers", report["answers"]),
        ("words-undone-restored", report["restored"]),
    )  # fmt: skip
    what = [told(code, n=n) for code, n in named if n]
    lines = [told("words-undone", what=" · ".join(what)) if what else told("words-undone-plain")]
    if report["kept"]:
        lines.append(told("words-undo-kept", n=report["kept"]))
    command.talk.say("\n".join(lines))
    return 0


def _named(report: dict[str, Any], *, dry: bool) -> list[tuple[str, int]]:
    """What is told of, in its order: what would come in or has, and what is left as it was."""
    is_known = report["has_dictionary"]
    return [
        ("words-count-new" if dry else "words-done-new", report["new"]),
        ("words-count-known", report["known"]),
        ("words-count-filled", report["filled"]),
        ("words-count-removed", report["removed"]),
        ("words-count-answers" if dry else "words-done-answers", report["answers"]),
        ("words-count-unknown", report["unknown"] if is_known else 0),
        ("import-count-masked" if dry else "import-done-masked", report["masked"]),
        ("words-count-wrong", report["trouble_count"]),
    ]


def _troubles(told: Words, report: dict[str, Any]) -> Iterator[str]:
    for one in report["troubles"]:
        what = told(one["code"], **one["facts"])
        is_note = str(one["path"]).lower().endswith((".apkg", ".colpkg"))
        yield told("words-trouble-note" if is_note else "import-trouble", path=one["path"], line=one["line"], what=what)
    if (more := report["trouble_count"] - len(report["troubles"])) > 0:
        yield told("import-more", n=more)


async def _export(command: Command, shown: str, where: str) -> int:
    report = await command.ask("words-export", {"path": where})
    code = "words-exported-answers" if report["answers"] else "words-exported"
    command.talk.say(command.told(code, path=shown, n=report["words"], answers=report["answers"]))
    return 0
