"""`niannian mcp`: the memory for agents, over standard input and output, or over HTTP on this machine."""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Any

import typer

from bot.app import SHARED, App
from bot.command import EXIT_CONFIG, config_of, run, start_here, told_of
from bot.config import Config
from bot.door import DoorScope
from bot.entrance import Entrance
from bot.words import Words
from store.clock import SystemEntropy

TOKEN_FILE = "mcp-token"
TOKEN_BYTES = 32
TOKEN_CHARACTERS_MIN = 16
TOKEN_FILE_BYTES_MAX = 4096


def serve(
    home: Path,
    *,
    scope: DoorScope,
    write: bool,
    hermes_names: bool,
    http: bool,
    port: int | None,
    token_file: Path | None,
) -> None:
    config = config_of(home)
    told = told_of(config)
    try:
        from bot.platforms.mcp.server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        typer.echo(told("error-no-extra", name="MCP", extra="mcp"), err=True)
        raise typer.Exit(EXIT_CONFIG) from None
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    client = f"mcp/{SystemEntropy().bytes(8).hex()}"
    numbers = count(1)
    entrance = Entrance(home, lambda: _start(home, config, told))

    async def ask(name: str, arguments: Any) -> dict[str, Any]:
        return await entrance.call(name, scope, arguments, f"{client}/{next(numbers)}")

    async def work() -> int:
        try:
            await entrance.open()
            await ask("tasks_list", {"limit": 1})  # whoever may not ask here is told at once
            server = make_server(ask, told, version=_version(), write=write, hermes_names=hermes_names)
            if not http:
                from bot.platforms.mcp.stdio import serve_stdio

                await serve_stdio(server, told)
                return 0
            from bot.platforms.mcp.http import HOST, PATH, bound, serve_http

            token, where = _token(home, config, token_file, told)
            wanted = int(config.mcp.port) if port is None else port
            try:
                line = bound(wanted)
            except OSError:
                typer.echo(told("mcp-port-taken", port=str(wanted)), err=True)
                return EXIT_CONFIG
            typer.echo(
                told("mcp-listening", address=f"http://{HOST}:{line.getsockname()[1]}{PATH}", path=where), err=True
            )
            await serve_http(server, line, token, told)
            return 0
        finally:
            await entrance.close()

    raise typer.Exit(run(work, told))


def _version() -> str:
    try:
        return version("niannian")
    except PackageNotFoundError:  # run from its folder, not installed
        return ""


async def _start(home: Path, config: Config, told: Words) -> App:
    """Opens the home as a talk in the terminal does: what falls due is erased, what is shared is carried."""
    app = await start_here(home, config)
    try:
        if shared := (home / SHARED).exists():
            from bot import carrying, errand  # a home that shares nothing starts without them

            if await carrying.begin(errand.device_of(app, told)):
                await app.close()
                app = await start_here(home, config)
        for refusal in app.home.refusals():
            typer.echo(told(refusal.code, **refusal.facts), err=True)
        app.start_timer()
        if shared:
            app.attend(carrying.go_on(errand.device_of(app, told)))
    except BaseException:
        await app.close()
        raise
    return app


def _token(home: Path, config: Config, file: Path | None, told: Words) -> tuple[str, str]:
    """The token and where it stands; made once. Exits with 78 for one that others could read, or guess."""
    if file is None and config.mcp.token is not None:
        return _long_enough(config.mcp.token.reveal(), "mcp.token", told), "mcp.token"
    path = file or home / TOKEN_FILE
    try:
        if not path.exists():
            _make_token(path)
        with path.open("rb") as held:
            if stat.S_IMODE(os.fstat(held.fileno()).st_mode) & 0o077:
                typer.echo(told("mcp-token-open", path=str(path)), err=True)
                raise typer.Exit(EXIT_CONFIG)
            token = held.read(TOKEN_FILE_BYTES_MAX).decode("ascii", "replace").strip()
    except OSError:
        typer.echo(told("error-config-file", path=str(path)), err=True)
        raise typer.Exit(EXIT_CONFIG) from None
    return _long_enough(token, str(path), told), str(path)


def _make_token(path: Path) -> None:
    """Written aside, then named: an end in the middle leaves no half of one, and of two that begin one stays."""
    aside, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with open(aside, "w", encoding="ascii") as out:
            out.write(SystemEntropy().bytes(TOKEN_BYTES).hex() + "\n")
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)


def _long_enough(token: str, where: str, told: Words) -> str:
    if len(token) < TOKEN_CHARACTERS_MIN or not token.isascii() or not token.isprintable() or " " in token:
        typer.echo(told("mcp-token-short", path=where, least=TOKEN_CHARACTERS_MIN), err=True)
        raise typer.Exit(EXIT_CONFIG)
    return token
