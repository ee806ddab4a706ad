"""`niannian backup FILE` and `niannian restore FILE`.

The passphrase is that of the settings; a person at a terminal types it instead, where none is set or where it does not fit.
"""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

import typer

from bot import render, restoring
from bot.app import settle
from bot.command import EXIT_CONFIG, EXIT_FAULT, config_of, run, sentence, system_zone, told_of
from bot.config import Config, without_secrets
from bot.errors import ConfigError
from bot.keeping import PASSPHRASE_CHARACTERS_MIN
from bot.platforms import terminal
from bot.stoppable import in_thread
from bot.words import Words
from store import backup as backups
from store.clock import SystemClock, SystemEntropy
from store.errors import BackupRefused, HomeInUse, NiannianError, Rejected
from store.home import HomeLock
from store.unpacking import look as look_into

TRIES_MAX = 3


def backup(home: Path, file: Path, *, force: bool) -> None:
    config = config_of(home)
    told = told_of(config)

    async def look() -> int:
        await settle(home)
        backups.check_source(home)
        backups.check_outside(home, file)
        backups.check_target(file, overwrite=force)
        return 0

    _first(look, told)
    passphrase = _asked(lambda: _new_passphrase(config, told), told)

    async def work() -> int:
        settings, now = without_secrets(home / "niannian.toml"), SystemClock().now()
        made = await in_thread(
            lambda stopped: backups.make(
                home, file, passphrase,
                settings=settings, now=now, entropy=SystemEntropy(), overwrite=force, stopped=stopped,
            )
        )  # fmt: skip
        entries, groups = made.manifest.entries, made.manifest.groups
        typer.echo(
            told(
                "backup-done", path=str(file), entries=entries, shown=render.number(told, entries), groups=groups,
                size=megabytes(made.size),
            )
        )  # fmt: skip
        return 0

    raise typer.Exit(run(lambda: _to_its_end(work), told))


def _first(look: Callable[[], Awaitable[int]], told: Words) -> None:
    """What can be refused before anybody is asked for anything."""
    if status := run(look, told):
        raise typer.Exit(status)


def _asked(ask: Callable[[], str], told: Words) -> str:
    """Outside of the loop, in which Ctrl-C would wait for the end of the line."""
    try:
        return ask()
    except NiannianError as error:
        typer.echo(sentence(error, told), err=True)
        raise typer.Exit(EXIT_CONFIG if isinstance(error, ConfigError) else EXIT_FAULT) from error


async def _to_its_end(work: Callable[[], Awaitable[int]]) -> int:
    """A script that ends us half-way must not read in the status that there is a backup."""
    try:
        return await work()
    except asyncio.CancelledError:
        return EXIT_FAULT


def restore(home: Path, file: Path, *, force: bool, alone: bool) -> None:
    config = config_of(home)
    told = told_of(config)
    there = home.exists()

    async def make_room() -> None:
        """A server for agents makes way; raises HomeInUse for anything else that holds the home."""
        try:
            (await HomeLock.acquire(home)).release()
        except HomeInUse:
            from bot import door_socket  # in peace nobody is asked

            if not await door_socket.ask_to_leave(home):
                raise

    async def look() -> int:
        if there:
            await make_room()
        return 0

    _first(look, told)
    passphrase = _asked(lambda: _fitting_passphrase(config, told, file), told)

    async def work() -> int:
        if there:
            await make_room()  # it may have come back while the passphrase was typed
        restored = await restoring.restore(
            home,
            file,
            passphrase,
            settings=without_secrets(home / "niannian.toml"),
            force=force,
            alone=alone,
            clock=SystemClock(),
        )
        for line in _said(restored, config, told, alone=alone):
            typer.echo(line)
        return 0

    raise typer.Exit(run(lambda: _to_its_end(work), told))


def _said(restored: restoring.Restored, config: Config, told: Words, *, alone: bool) -> list[str]:
    manifest = restored.manifest
    zone = config.person.zone or system_zone()
    made_at = render.local(_milliseconds(manifest.made_at), zone)
    day = render.full_moment(told, made_at, SystemClock().now().astimezone(made_at.tzinfo).date())
    shown = render.number(told, manifest.entries)
    lines = [told("restore-done", day=day, entries=manifest.entries, shown=shown, groups=manifest.groups)]
    if restored.erased:
        lines.append(told("restore-erased"))
    if restored.kept is not None:
        how = "restore-kept" if restored.kept.suffix == ".age" else "restore-kept-damaged"
        lines.append(told(how, path=str(restored.kept)))
    if restored.shared:
        lines.append(told("restore-alone") if alone else told("restore-shared"))
    if restored.speaks:
        lines.append(told("restore-speaks"))
    return lines


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} KB"


def _milliseconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000)


def _new_passphrase(config: Config, told: Words) -> str:
    """Typed twice where the settings have none. Raises Rejected."""
    if (given := config.backup.secret()) is not None:
        return _long_enough(given.reveal())
    typed = _long_enough(_typed(told("backup-ask")))
    if _typed(told("backup-ask-again")) != typed:
        raise Rejected("error-backup-passphrase-unlike")
    return typed


def _fitting_passphrase(config: Config, told: Words, file: Path) -> str:
    """One that opens `file`. Raises Rejected, and BackupRefused for any other reason than the passphrase."""
    given = config.backup.secret()
    passphrase = given.reveal() if given is not None else _typed(told("restore-ask"))
    for _ in range(TRIES_MAX):
        try:
            look_into(file, passphrase)
        except BackupRefused as error:
            if error.code != "error-backup-passphrase" or not terminal.is_person():
                raise
            typer.echo(told(error.code, **error.facts), err=True)
            passphrase = _typed(told("restore-ask"))
        else:
            break
    return passphrase


def _typed(prompt: str) -> str:
    if not terminal.is_person():
        raise Rejected("error-backup-no-passphrase")
    try:
        return getpass.getpass(prompt + " ")
    except (EOFError, KeyboardInterrupt) as error:
        raise Rejected("error-backup-no-passphrase") from error


def _long_enough(passphrase: str) -> str:
    if len(passphrase) < PASSPHRASE_CHARACTERS_MIN:
        raise Rejected("error-backup-passphrase-short", least=PASSPHRASE_CHARACTERS_MIN)
    return passphrase
