"""One command about devices from start to end: opens the home, does the one thing, closes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import typer

from bot.app import App
from bot.command import config_of, home_of, parent_home, run, start, told_of
from bot.own_device import OwnDevice
from bot.platforms.dialogue import Dialogue
from bot.words import Words
from store.clock import SystemClock, SystemEntropy
from sync import identity

Act = Callable[[OwnDevice, Dialogue], Awaitable[int]]


def do(
    context: typer.Context,
    home: Path | None,
    act: Act,
    *,
    yes: bool = False,
    anew: Callable[[OwnDevice], Awaitable[bool]] | None = None,
) -> None:
    """Ends the process with the status that `act` gives. `home`: as given behind the subcommand.

    `anew`: says whether this home must first become a new device, since its keys are never let in again.
    """
    path = home_of(home or parent_home(context))
    config = config_of(path)
    told = told_of(config)

    async def work() -> int:
        app = await start(path, config)
        try:
            if anew is not None and await anew(device_of(app, told)):
                identity.flag_elsewhere(path)
                await app.close()
                app = await start(path, config, renewed="join-anew")
            return await act(device_of(app, told), Dialogue(prompt=told("prompt"), yes=yes))
        finally:
            await app.close()

    raise typer.Exit(run(work, told))


def device_of(app: App, words: Words) -> OwnDevice:
    return OwnDevice(app, words, name=app.device_name, zone=app.zone, clock=SystemClock(), entropy=SystemEntropy())
