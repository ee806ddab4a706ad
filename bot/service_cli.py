"""`niannian run` and `niannian takeover`."""

from __future__ import annotations

import logging
import resource
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from bot.app import OWNER, SHARED
from bot.command import EXIT_CONFIG, config_of, run, sentence, start, told_of
from bot.config import Config, without_secrets
from bot.door_socket import DoorServer, serve
from bot.errors import ConfigError
from bot.health import Health
from bot.ports import BadToken
from bot.running import Running
from bot.speaker import Speaker
from bot.words import Words
from store.clock import SystemClock, SystemEntropy
from store.doctor import Report
from store.examine import Finding

if TYPE_CHECKING:
    from bot.app import App
    from bot.keeping import Keeping
    from bot.platforms.telegram.edge import TelegramPlatform

FILES = 65_536
"""Open memories hold three files each."""


def service(path: Path) -> None:
    config = config_of(path)
    told = told_of(config)
    platforms = _platforms(config, told)
    _allow_files()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")

    async def work() -> int:
        app = await start(path, config)
        running = Running(
            app, platforms, told, clock=SystemClock(), entropy=SystemEntropy(), tell=lambda line: typer.echo(line)
        )
        health = running.health()
        door: DoorServer | None = None
        try:
            if shared := (path / SHARED).exists():
                from bot import carrying, errand  # a home that shares nothing starts without them

                own = errand.device_of(app, told)
                await carrying.begin(own)
            for refusal in app.home.refusals():
                typer.echo(told(refusal.code, **refusal.facts), err=True)
            said = await _serve_health(health, int(config.health.port), told)
            await running.start()
            app.start_timer()
            await app.start_alarm(time.monotonic)
            if (keeping := _keeping(path, config, app, told)) is not None:
                app.attend(keeping.go_on())
                typer.echo(told("run-backup-folder", path=str(keeping.folder)))
            if shared:
                app.attend(carrying.go_on(own))
            door = await serve(app)
            await running.introduce()
            if said:
                typer.echo(said)
            await running.ended()
        except BadToken:
            typer.echo(told("error-token"), err=True)
            return EXIT_CONFIG
        finally:
            if door is not None:
                await door.close()
            await running.close()
            await health.close()
            await app.close()
        return 0

    raise typer.Exit(run(work, told))


def _keeping(home: Path, config: Config, app: App, told: Words) -> Keeping | None:
    """Nightly backups, where there is a passphrase."""
    try:
        passphrase = config.backup.secret()
    except ConfigError as error:  # of another machine, as after a restore
        typer.echo(sentence(error, told), err=True)
        return None
    if passphrase is None:
        return None
    from bot.keeping import PASSPHRASE_CHARACTERS_MIN, Keeping, folder_of  # most homes run without
    from bot.nights import note_backup

    if len(passphrase.reveal()) < PASSPHRASE_CHARACTERS_MIN:
        typer.echo(told("error-backup-passphrase-short", least=PASSPHRASE_CHARACTERS_MIN), err=True)
        return None
    return Keeping(
        home,
        folder_of(home, config.backup.folder),
        passphrase.reveal(),
        fingerprint=app.home.device_id.hex()[:8],
        zone=app.zone,
        settings=lambda: without_secrets(home / "niannian.toml"),
        noted=lambda night, reason: note_backup(app.home, OWNER, night, reason),
        clock=SystemClock(),
        entropy=SystemEntropy(),
    )


def takeover(path: Path) -> None:
    config = config_of(path)
    told = told_of(config)

    async def work() -> int:
        app = await start(path, config)
        try:
            await Speaker(app.home, OWNER).take_over()
            if (path / SHARED).exists():
                from bot import carrying, errand

                await carrying.finish(errand.device_of(app, told))
            typer.echo(told("takeover-done", device=app.device_name))
        finally:
            await app.close()
        return 0

    raise typer.Exit(run(work, told))


def live(config: Config, told: Words) -> Callable[[Report], Awaitable[list[Finding]]]:
    """What `niannian doctor --live` asks. Exits with 78 when no platform is set up, or when a package is missing."""
    platforms = _platforms(config, told)

    async def ask(report: Report) -> list[Finding]:
        from bot import live  # it needs the package of the platform

        now_ms = int(SystemClock().now().timestamp() * 1000)
        found = []
        for platform in platforms:
            try:
                found += await live.ask(platform, report, now_ms)
            finally:
                await platform.close()
        return found

    return ask


def _platforms(config: Config, told: Words) -> list[TelegramPlatform]:
    """Those that the settings name. Exits with 78 when there is none, or when a package is missing."""
    if config.telegram.token is None:
        typer.echo(told("error-no-platform"), err=True)
        raise typer.Exit(EXIT_CONFIG)
    try:
        from bot.platforms.telegram.edge import TelegramPlatform
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("telegram", "httpx"):
            raise
        typer.echo(told("error-no-extra", name="Telegram", extra="telegram"), err=True)
        raise typer.Exit(EXIT_CONFIG) from None
    token, base_url = config.telegram.token.reveal(), config.telegram.base_url
    try:
        return [TelegramPlatform(token, base_url, SystemClock(), SystemEntropy())]
    except BadToken:  # it cannot be one
        typer.echo(told("error-token"), err=True)
        raise typer.Exit(EXIT_CONFIG) from None


async def _serve_health(health: Health, port: int, told: Words) -> str:
    if not port:
        return ""
    try:
        await health.start(port)
    except OSError:
        typer.echo(told("run-health-taken", port=str(port)), err=True)
        return ""
    return told("run-health", port=str(health.port))


def _allow_files() -> None:
    """As many open files as the system lets us have, up to what could be of use."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
