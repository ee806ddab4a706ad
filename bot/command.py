"""What every command of the shell shares: the data folder, the settings, one run to its end, and the exit codes.

Exit codes: 75 the home is in use, 78 configuration or home, 1 a fault or something to mend.
"""

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
from bot.config import Config, load
from bot.errors import ConfigError
from bot.words import LANGUAGES, Words, words
from store.clock import SystemClock, SystemEntropy
from store.errors import (
    DatabaseCorrupt,
    HomeInUse,
    HomeRefused,
    KeyMissing,
    MigrationFailed,
    NewerSchema,
    NiannianError,
)

EXIT_FAULT = 1
EXIT_IN_USE = 75
EXIT_CONFIG = 78

MAKE_WAY_TRIES = 5
"""Several programs may serve agents, and another can be quicker than we are."""


def system_lang() -> str:
    """The language of the person's environment: `zh` or `en`."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    named = named or (locale.getlocale()[0] or "")
    return "zh" if named.lower().startswith(("zh", "chinese")) else "en"


def _help_lang() -> str:
    """Help is written before any configuration is read."""
    named = os.environ.get("NIANNIAN_PERSON_LANG", "")
    return named if named in LANGUAGES else system_lang()


HELP = words(_help_lang())

HomeOption = Annotated[Path | None, typer.Option("--home", help=HELP("cli-home"), envvar="NIANNIAN_HOME")]


def parent_home(context: typer.Context) -> Path | None:
    """What stood before the subcommand."""
    home: Path | None = context.find_root().obj
    return home


def home_of(given: Path | None) -> Path:
    return (given or Path(platformdirs.user_data_dir("niannian", appauthor=False))).expanduser()


def config_of(home: Path) -> Config:
    """The settings, with their warnings on standard error. Exits with 78 when they cannot be used."""
    try:
        config = load(home / "niannian.toml", os.environ)
    except ConfigError as error:
        typer.echo(words(system_lang())(error.code, **error.facts), err=True)
        raise typer.Exit(EXIT_CONFIG) from error
    for warning in config.warnings:
        typer.echo(told_of(config)(warning.code, **warning.facts), err=True)
    return config


def told_of(config: Config) -> Words:
    return words(config.person.lang or system_lang())


async def start(home: Path, config: Config, renewed: str = "home-renewed") -> App:
    """`renewed`: what is said when this home has just become a new device.

    A program that holds the home only to serve agents makes way for what a person started.
    """
    for _ in range(MAKE_WAY_TRIES):
        try:
            return await start_here(home, config, renewed)
        except HomeInUse:
            from bot import door_socket  # in peace nobody is asked

            if not await door_socket.ask_to_leave(home):
                raise
    return await start_here(home, config, renewed)


async def start_here(home: Path, config: Config, renewed: str = "home-renewed") -> App:
    """The same, but nobody is asked to make way."""
    try:
        app = await App.start(
            home, config, SystemClock(), SystemEntropy(),
            zone=system_zone(), lang=system_lang(), login=_login(), host=host_name(),
        )  # fmt: skip
    except (DatabaseCorrupt, MigrationFailed, NewerSchema) as error:
        from bot import keeping  # a sound home starts without it

        if (backup := keeping.newest(home, config.backup.folder)) is not None:
            error.add_note(told_of(config)("restore-hint", path=str(backup)))
        raise
    if app.renewed:
        typer.echo(told_of(config)(renewed), err=True)
    return app


def host_name() -> str:
    return socket.gethostname() or "home"


def run(work: Callable[[], Awaitable[int]], told: Words) -> int:
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
        for line in (sentence(error, told), *getattr(error, "__notes__", ())):
            typer.echo(line, err=True)
        if isinstance(error, HomeInUse):
            return EXIT_IN_USE
        return EXIT_CONFIG if isinstance(error, HomeRefused | KeyMissing | ConfigError) else EXIT_FAULT


def sentence(error: NiannianError, told: Words) -> str:
    """What went wrong; what is known by a code only (bytes that break a rule) in the sentence of its family."""
    return told(error.code, **error.facts) if told.has(error.code) else told("error", reason=error.code)


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"


def system_zone() -> str:
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
