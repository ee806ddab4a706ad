"""The command line: which commands there are, and those of the conversation itself."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.app import SHARED
from bot.command import (
    EXIT_CONFIG,
    EXIT_FAULT,
    HELP,
    HomeOption,
    config_of,
    home_of,
    parent_home,
    run,
    start,
    told_of,
)
from bot.config import Secret, find, nearest
from bot.device_cli import device_cli
from bot.dictionary_cli import dictionary_cli
from bot.intents import Ask, Aspect, Parsed, Remember
from bot.message import Reply
from bot.phrases.grammar import parse
from bot.phrases.lasting import remember_of
from bot.platforms import terminal
from bot.router import only_reads, words_asked
from bot.sync_cli import erase, folder, sync
from bot.words import LANGUAGES, language_of, words
from bot.words_cli import words_cli
from store.surroundings import synchronised_by

cli = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    help=HELP("cli-app"),
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config_cli = typer.Typer(help=HELP("cli-config"), rich_markup_mode=None)
cli.add_typer(config_cli, name="config")
cli.add_typer(device_cli, name="device")
cli.add_typer(dictionary_cli, name="dictionary")
cli.add_typer(words_cli, name="words")
cli.command(help=HELP("cli-folder"))(folder)
cli.command(help=HELP("cli-sync"))(sync)
cli.command(help=HELP("cli-erase"))(erase)

AsOption = Annotated[str | None, typer.Option("--as", help=HELP("cli-as"))]
GroupOption = Annotated[str | None, typer.Option("--group", help=HELP("cli-group"))]


@cli.callback(invoke_without_command=True)
def root(context: typer.Context, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None) -> None:
    context.obj = home
    if context.invoked_subcommand is None:
        _chat(home_of(home), as_name, group)


@cli.command(help=HELP("cli-chat"))
def chat(context: typer.Context, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None) -> None:
    _chat(home_of(home or context.obj), as_name, group)


@cli.command(help=HELP("cli-ask"))
def ask(
    context: typer.Context, text: str, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None
) -> None:
    (reply,) = _one_shot(home_of(home or context.obj), text, as_name, group, as_question)
    raise typer.Exit(EXIT_FAULT if reply.failed else 0)


@cli.command(help=HELP("cli-remember"))
def remember(
    context: typer.Context, text: str, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None
) -> None:
    if text == "-":
        text = sys.stdin.buffer.read(terminal.LINE_BYTES_MAX).decode("utf-8", "surrogateescape").strip("\n")
    (reply,) = _one_shot(home_of(home or context.obj), text, as_name, group, as_statement)
    raise typer.Exit(0 if reply.stored else EXIT_FAULT)


@cli.command("run", help=HELP("cli-run"))
def run_service(context: typer.Context, home: HomeOption = None) -> None:
    from bot import service_cli  # a talk in the terminal starts without it

    service_cli.service(home_of(home or context.obj))


@cli.command(help=HELP("cli-takeover"))
def takeover(context: typer.Context, home: HomeOption = None) -> None:
    from bot import service_cli

    service_cli.takeover(home_of(home or context.obj))


@cli.command("mcp", help=HELP("cli-mcp"))
def mcp_server(
    context: typer.Context,
    home: HomeOption = None,
    as_name: AsOption = None,
    group: GroupOption = None,
    write: Annotated[bool, typer.Option("--write", help=HELP("cli-mcp-write"))] = False,
    hermes_names: Annotated[bool, typer.Option("--hermes-names", help=HELP("cli-mcp-hermes"))] = False,
    port: Annotated[int | None, typer.Argument(min=0, max=65535, help=HELP("cli-mcp-port"))] = None,
    http: Annotated[bool, typer.Option("--http", help=HELP("cli-mcp-http"))] = False,
    token_file: Annotated[Path | None, typer.Option("--token-file", help=HELP("cli-mcp-token"))] = None,
) -> None:
    from bot import mcp_cli  # a talk in the terminal starts without it
    from bot.door import DoorScope

    mcp_cli.serve(
        home_of(home or context.obj),
        scope=DoorScope(as_name, group),
        write=write,
        hermes_names=hermes_names,
        http=http,
        port=port,
        token_file=token_file,
    )


@cli.command("import", help=HELP("cli-import"))
def import_files(
    context: typer.Context,
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", help=HELP("cli-import-path"))] = None,
    home: HomeOption = None,
    as_name: AsOption = None,
    group: GroupOption = None,
    dry: Annotated[bool, typer.Option("--dry-run", help=HELP("cli-dry-run"))] = False,
    undo: Annotated[bool, typer.Option("--undo", help=HELP("cli-import-undo"))] = False,
    taken: Annotated[Literal["skip", "rename", "replace"], typer.Option("--taken", help=HELP("cli-taken"))] = "rename",
    yes: Annotated[bool, typer.Option("--yes", help=HELP("cli-import-yes"))] = False,
) -> None:
    from bot import exchange_cli  # a talk in the terminal starts without it
    from bot.door import DoorScope

    scope = DoorScope(as_name, group)
    exchange_cli.import_files(
        home_of(home or context.obj), path, scope, dry=dry, undo=undo, taken=taken, yes=yes
    )  # fmt: skip


@cli.command("export", help=HELP("cli-export"))
def export_files(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="DIR", help=HELP("cli-export-path"))],
    home: HomeOption = None,
    as_name: AsOption = None,
    group: GroupOption = None,
    kind: Annotated[str | None, typer.Option("--format", help=HELP("cli-export-format"))] = None,
    watch: Annotated[bool, typer.Option("--watch", help=HELP("cli-watch"))] = False,
) -> None:
    from bot import exchange_cli
    from bot.door import DoorScope

    exchange_cli.export_files(
        home_of(home or context.obj), path, DoorScope(as_name, group), kind=kind, watch=watch
    )  # fmt: skip


@cli.command("tidy", help=HELP("cli-tidy"))
def tidy(
    context: typer.Context,
    home: HomeOption = None,
    as_name: AsOption = None,
    group: GroupOption = None,
    dry: Annotated[bool, typer.Option("--dry-run", help=HELP("cli-tidy-dry"))] = False,
) -> None:
    from bot import tidy_cli
    from bot.door import DoorScope

    tidy_cli.tidy(home_of(home or context.obj), DoorScope(as_name, group), dry=dry)


@cli.command("backup", help=HELP("cli-backup"))
def make_backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help=HELP("cli-backup-file"))],
    home: HomeOption = None,
    force: Annotated[bool, typer.Option("--force", help=HELP("cli-backup-force"))] = False,
) -> None:
    from bot import backup_cli

    backup_cli.backup(home_of(home or context.obj), file, force=force)


@cli.command("restore", help=HELP("cli-restore"))
def restore_backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help=HELP("cli-restore-file"))],
    home: HomeOption = None,
    force: Annotated[bool, typer.Option("--force", help=HELP("cli-restore-force"))] = False,
    alone: Annotated[bool, typer.Option("--alone", help=HELP("cli-restore-alone"))] = False,
) -> None:
    from bot import backup_cli

    backup_cli.restore(home_of(home or context.obj), file, force=force, alone=alone)


@cli.command(help=HELP("cli-doctor"))
def doctor(
    context: typer.Context,
    home: HomeOption = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help=HELP("cli-rebuild"))] = False,
    live: Annotated[bool, typer.Option("--live", help=HELP("cli-live"))] = False,
    as_json: Annotated[bool, typer.Option("--json", help=HELP("cli-json"))] = False,
) -> None:
    from bot import checkup, service_cli  # only this command needs them

    path = home_of(home or context.obj)
    config = config_of(path)
    told = told_of(config)
    ask = service_cli.live(config, told) if live else None
    raise typer.Exit(run(lambda: checkup.run(path, told, rebuild=rebuild, as_json=as_json, live=ask), told))


@config_cli.command("check")
def config_check(context: typer.Context, home: HomeOption = None) -> None:
    config = config_of(home_of(home or parent_home(context)))
    told = told_of(config)
    if config.warnings:
        raise typer.Exit(EXIT_CONFIG)
    typer.echo(told("config-ok"))


@config_cli.command("explain")
def config_explain(context: typer.Context, key: str, home: HomeOption = None) -> None:
    config = config_of(home_of(home or parent_home(context)))
    told = told_of(config)
    setting = find(key)
    if setting is None:
        typer.echo(told("error-no-such-setting", name=key, nearest=nearest(key) or "-"), err=True)
        raise typer.Exit(EXIT_CONFIG)
    section, _, name = setting.name.partition(".")
    value = getattr(getattr(config, section), name)
    source = told(f"config-source-{config.sources[setting.name].value}")
    shown = "***" if isinstance(value, Secret) else value or "-"
    typer.echo(told("config-explain", name=setting.name, value=shown, source=source, env=setting.env))
    if section == "person":
        typer.echo(told("config-explain-person"))


def _chat(home: Path, as_name: str | None, group: str | None) -> None:
    config = config_of(home)
    told = told_of(config)

    async def work() -> int:
        from bot import door_socket  # one-shot commands start without it

        door: door_socket.DoorServer | None = None
        app = await start(home, config)
        try:
            if shared := (home / SHARED).exists():
                from bot import carrying, errand  # a home that shares nothing starts without them

                if await carrying.begin(errand.device_of(app, told)):
                    await app.close()
                    app = await start(home, config)
            for refusal in app.home.refusals():
                typer.echo(told(refusal.code, **refusal.facts), err=True)
            if kind := synchronised_by(home):
                text = told("doctor-sync-folder", kind=kind)
                typer.echo(told("doctor-line", level=told("doctor-check"), text=text), err=True)
            session = await app.session(as_name, group)
            app.start_timer()
            if shared:
                app.attend(carrying.go_on(errand.device_of(app, told)))
            door = await door_socket.serve(app)
            if not terminal.is_person():
                app.gateway.asks_zone = False
                sound = await terminal.pipe(session, sys.stdin.buffer, sys.stdout.buffer)
            else:
                if as_name is None and group is None and (hello := await app.gateway.greet(session.inbound())):
                    session.show(hello)
                    print(terminal.screen(hello) + "\n", flush=True)
                elif wishes := await app.gateway.wishes(session.inbound()):
                    session.show(wishes)
                    print(terminal.screen(wishes) + "\n", flush=True)
                app.ringing.sit_down(
                    session.speaker.chat, lambda reply: terminal.show_above(session, reply, sys.stdout)
                )
                await app.ringing.tick()
                app.attend(app.start_alarm(time.monotonic))
                await terminal.talk(session, told("prompt"), sys.stdout)
                sound = True
            if shared:
                await carrying.finish(errand.device_of(app, told))
            return 0 if sound else EXIT_FAULT
        finally:
            if door is not None:
                await door.close()
            await app.close()

    raise typer.Exit(run(work, told))


def _one_shot(
    home: Path, text: str, as_name: str | None, group: str | None, read: Callable[[str, bool], Parsed]
) -> list[Reply]:
    config = config_of(home)
    told = told_of(config)
    replies: list[Reply] = []

    async def work() -> int:
        app = await start(home, config)
        try:
            session = await app.reading(read).session(as_name, group)
            app.gateway.asks_zone = False
            if words_asked(read(text, False).intent):
                await app.embedding.awake()
            replies.extend(await session.say(text))
        finally:
            await app.close()
        return 0

    status = run(work, told)
    if status or not replies:
        raise typer.Exit(status or EXIT_FAULT)
    block = "\n".join((terminal.block(replies[0], buttons=False), *left(replies[0])))
    sys.stdout.buffer.write((block + "\n").encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    return replies


def left(reply: Reply) -> Iterator[str]:
    """How many more there are, in words: a one-shot answer has no button to press."""
    for button in reply.buttons:
        n = int("".join(filter(str.isdecimal, button.label)) or 0)
        for spoken in map(words, LANGUAGES):
            if button.label == spoken("button-more", n=n):
                yield spoken("cli-more", n=n)


def as_question(text: str, is_reply: bool) -> Parsed:
    """`niannian ask`: changes nothing in memory; what is no question of ours is looked up as words."""
    parsed = parse(text, is_reply=is_reply)
    if not only_reads(parsed.intent):
        return Parsed(Ask(text, " ".join(text.split())[:60], Aspect.PLAIN), language_of(text, "en"))
    return parsed


def as_statement(text: str, is_reply: bool) -> Parsed:
    """`niannian remember`: all of it is what to keep, with or without the command word."""
    parsed = parse(text, is_reply=is_reply)
    if isinstance(parsed.intent, Remember):
        return parsed
    return Parsed(remember_of(text), language_of(text, "en")) if text.strip() else parsed


def main() -> None:
    cli()
