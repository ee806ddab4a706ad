"""`niannian device …`: the owner's devices.

What stands behind a command is imported when it is called: a chat starts without all of it.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.command import HELP, HomeOption

if TYPE_CHECKING:
    from bot.errand import Act
    from bot.own_device import OwnDevice
    from bot.platforms.dialogue import Dialogue

device_cli = typer.Typer(help=HELP("cli-device"), rich_markup_mode=None, no_args_is_help=True)

YesOption = Annotated[bool, typer.Option("--yes", help=HELP("cli-yes"))]
ShareOption = Annotated[list[str] | None, typer.Option("--share", help=HELP("cli-share"))]
WithoutOption = Annotated[list[str] | None, typer.Option("--without", help=HELP("cli-without"))]


@device_cli.command("pair", help=HELP("cli-pair"))
def pair(
    context: typer.Context,
    home: HomeOption = None,
    yes: YesOption = False,
    share: ShareOption = None,
    without: WithoutOption = None,
) -> None:
    from bot import errand, inviting, showing

    chosen = inviting.Share(share or (), without or ())

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        status = await inviting.pair(own, talk, chosen, pause=asyncio.sleep, monotonic=time.monotonic)
        await showing.show_recovery(own, talk)
        return status

    errand.do(context, home, act, yes=yes)


@device_cli.command("join", help=HELP("cli-join"))
def join(context: typer.Context, code: str, home: HomeOption = None, yes: YesOption = False) -> None:
    from bot import errand, joining

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        return await joining.join(own, talk, code, pause=asyncio.sleep, monotonic=time.monotonic)

    async def anew(own: OwnDevice) -> bool:
        return await joining.was_removed(own, code)

    errand.do(context, home, act, yes=yes, anew=anew)


@device_cli.command("list", help=HELP("cli-devices"))
def show(context: typer.Context, home: HomeOption = None, yes: YesOption = False) -> None:
    from bot import devices

    _do(context, home, devices.show_devices, yes=yes)


@device_cli.command("remove", help=HELP("cli-remove"))
def remove(context: typer.Context, name: str, home: HomeOption = None, yes: YesOption = False) -> None:
    from bot import devices

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        return await devices.remove(own, talk, name)

    _do(context, home, act, yes=yes)


@device_cli.command("retire", help=HELP("cli-retire"))
def retire(context: typer.Context, home: HomeOption = None, yes: YesOption = False) -> None:
    from bot import devices

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        return await devices.retire(own, talk, pause=asyncio.sleep, monotonic=time.monotonic)

    _do(context, home, act, yes=yes)


@device_cli.command("recover", help=HELP("cli-recover"))
def recover(context: typer.Context, home: HomeOption = None, yes: YesOption = False) -> None:
    from bot import errand, recovering, showing

    async def act(own: OwnDevice, talk: Dialogue) -> int:
        status = await recovering.recover(own, talk)
        await showing.show_recovery(own, talk)
        return status

    errand.do(context, home, act, yes=yes)


@device_cli.command("adopt", help=HELP("cli-adopt"))
def adopt(context: typer.Context, home: HomeOption = None, yes: YesOption = False) -> None:
    from bot import adopting

    _do(context, home, adopting.adopt, yes=yes)


def _do(context: typer.Context, home: Path | None, act: Act, *, yes: bool) -> None:
    """A recovery key that nobody has typed back comes again after whatever was asked for."""
    from bot import errand, showing

    async def reminded(own: OwnDevice, talk: Dialogue) -> int:
        status = await act(own, talk)
        await showing.remind_recovery(own, talk)
        return status

    errand.do(context, home, reminded, yes=yes)
