"""The command line. Exit codes: 75 the home is in use, 78 configuration or home, 1 a fault or something to mend."""

from __future__ import annotations

import asyncio
import getpass
import locale
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from bot.app import App
from bot.config import Config, Secret, find, load, nearest
from bot.errors import ConfigError
from bot.intents import Ask, Aspect, Parsed, Remember
from bot.message import Reply
from bot.phrases.fields import draft_of
from bot.phrases.grammar import parse
from bot.platforms import terminal
from bot.router import only_reads
from bot.words import LANGUAGES, Words, language_of, words
from store.clock import SystemClock, SystemEntropy
from store.errors import HomeInUse, HomeRefused, KeyMissing, NiannianError
from store.surroundings import synchronised_by

EXIT_FAULT = 1
EXIT_IN_USE = 75
EXIT_CONFIG = 78


def _system_lang() -> str:
    """The language of the person's environment: `zh` or `en`."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    named = named or (locale.getlocale()[0] or "")
    return "zh" if named.lower().startswith(("zh", "chinese")) else "en"


def _help_lang() -> str:
    """Help is written before any configuration is read."""
    named = os.environ.get("NIANNIAN_PERSON_LANG", "")
    return named if named in LANGUAGES else _system_lang()


_HELP = words(_help_lang())

cli = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    help=_HELP("cli-app"),
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config_cli = typer.Typer(help=_HELP("cli-config"), rich_markup_mode=None)
cli.add_typer(config_cli, name="config")

HomeOption = Annotated[Path | None, typer.Option("--home", help=_HELP("cli-home"), envvar="NIANNIAN_HOME")]
AsOption = Annotated[str | None, typer.Option("--as", help=_HELP("cli-as"))]
GroupOption = Annotated[str | None, typer.Option("--group", help=_HELP("cli-group"))]


@cli.callback(invoke_without_command=True)
def root(context: typer.Context, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None) -> None:
    context.obj = home
    if context.invoked_subcommand is None:
        _chat(_home(home), as_name, group)


@cli.command(help=_HELP("cli-chat"))
def chat(context: typer.Context, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None) -> None:
    _chat(_home(home or context.obj), as_name, group)


@cli.command(help=_HELP("cli-ask"))
def ask(
    context: typer.Context, text: str, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None
) -> None:
    (reply,) = _one_shot(_home(home or context.obj), text, as_name, group, as_question)
    raise typer.Exit(EXIT_FAULT if reply.failed else 0)


@cli.command(help=_HELP("cli-remember"))
def remember(
    context: typer.Context, text: str, home: HomeOption = None, as_name: AsOption = None, group: GroupOption = None
) -> None:
    if text == "-":
        text = sys.stdin.buffer.read(terminal.LINE_BYTES_MAX).decode("utf-8", "surrogateescape").strip("\n")
    (reply,) = _one_shot(_home(home or context.obj), text, as_name, group, as_statement)
    raise typer.Exit(0 if reply.stored else EXIT_FAULT)


@cli.command(help=_HELP("cli-doctor"))
def doctor(
    context: typer.Context,
    home: HomeOption = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help=_HELP("cli-rebuild"))] = False,
    as_json: Annotated[bool, typer.Option("--json", help=_HELP("cli-json"))] = False,
) -> None:
    from bot import checkup  # only this command needs it

    path = _home(home or context.obj)
    config = _config(path)
    told = words(config.person.lang or _system_lang())
    raise typer.Exit(_run(lambda: checkup.run(path, told, rebuild=rebuild, as_json=as_json), told))


@config_cli.command("check")
def config_check(context: typer.Context, home: HomeOption = None) -> None:
    config = _config(_home(home or _parent_home(context)))
    told = words(config.person.lang or _system_lang())
    if config.warnings:
        raise typer.Exit(EXIT_CONFIG)
    typer.echo(told("config-ok"))


@config_cli.command("explain")
def config_explain(context: typer.Context, key: str, home: HomeOption = None) -> None:
    config = _config(_home(home or _parent_home(context)))
    told = words(config.person.lang or _system_lang())
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


def _parent_home(context: typer.Context) -> Path | None:
    home: Path | None = context.find_root().obj
    return home


def _home(given: Path | None) -> Path:
    return (given or Path(platformdirs.user_data_dir("niannian", appauthor=False))).expanduser()


def _config(home: Path) -> Config:
    """The settings, with their warnings on standard error. Exits with 78 when they cannot be used."""
    try:
        config = load(home / "niannian.toml", os.environ)
    except ConfigError as error:
        typer.echo(words(_system_lang())(error.code, **error.facts), err=True)
        raise typer.Exit(EXIT_CONFIG) from error
    for warning in config.warnings:
        typer.echo(words(config.person.lang or _system_lang())(warning.code, **warning.facts), err=True)
    return config


async def _start(home: Path, config: Config) -> App:
    return await App.start(
        home, config, SystemClock(), SystemEntropy(),
        zone=_system_zone(), lang=_system_lang(), login=_login(), host=socket.gethostname() or "home",
    )  # fmt: skip


def _chat(home: Path, as_name: str | None, group: str | None) -> None:
    config = _config(home)
    told = words(config.person.lang or _system_lang())

    async def run() -> int:
        app = await _start(home, config)
        try:
            for refusal in app.home.refusals():
                typer.echo(told(refusal.code, **refusal.facts), err=True)
            if kind := synchronised_by(home):
                text = told("doctor-sync-folder", kind=kind)
                typer.echo(told("doctor-line", level=told("doctor-check"), text=text), err=True)
            session = await app.session(as_name, group)
            app.start_timer()
            if not terminal.is_person():
                sound = await terminal.pipe(session, sys.stdin.buffer, sys.stdout.buffer)
                return 0 if sound else EXIT_FAULT
            if as_name is None and group is None and (hello := await app.gateway.greet(session.inbound())):
                session.show(hello)
                print(terminal.screen(hello) + "\n", flush=True)
            await terminal.talk(session, told("prompt"), sys.stdout)
            return 0
        finally:
            await app.close()

    raise typer.Exit(_run(run, told))


def _one_shot(
    home: Path, text: str, as_name: str | None, group: str | None, read: Callable[[str, bool], Parsed]
) -> list[Reply]:
    config = _config(home)
    told = words(config.person.lang or _system_lang())
    replies: list[Reply] = []

    async def run() -> int:
        app = await _start(home, config)
        try:
            session = await app.reading(read).session(as_name, group)
            replies.extend(await session.say(text))
        finally:
            await app.close()
        return 0

    status = _run(run, told)
    if status or not replies:
        raise typer.Exit(status or EXIT_FAULT)
    sys.stdout.buffer.write((terminal.block(replies[0], buttons=False) + "\n").encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    return replies


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
    return Parsed(Remember(draft_of(text)), language_of(text, "en")) if text.strip() else parsed


def _run(work: Callable[[], Awaitable[int]], told: Words) -> int:
    """Runs to the end, or to the first Ctrl-C or SIGTERM, and turns what went wrong into one sentence and a status."""
    logging.getLogger().addHandler(logging.NullHandler())

    async def whole() -> int:
        task = asyncio.ensure_future(work())
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            return 0

    try:
        return asyncio.run(whole())
    except BrokenPipeError:  # whoever read our answers has left; all that was said before is stored
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAULT
    except NiannianError as error:
        typer.echo(told(error.code, **error.facts), err=True)
        if isinstance(error, HomeInUse):
            return EXIT_IN_USE
        return EXIT_CONFIG if isinstance(error, HomeRefused | KeyMissing | ConfigError) else EXIT_FAULT


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"


def _system_zone() -> str:
    """The machine's IANA zone: TZ, else where /etc/localtime points, else UTC."""
    from bot.zones import zone_named

    named = os.environ.get("TZ", "").lstrip(":")
    if found := zone_named(named) if named else None:
        return found
    try:
        _, _, name = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")
    except OSError:
        name = ""
    return zone_named(name) or "UTC"


def main() -> None:
    cli()
