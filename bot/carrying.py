"""Carrying while the program is up: what is new goes to the other devices, and theirs comes here, by itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot import devices
from bot.joining import finish_uniting
from bot.own_device import FOLDER, OwnDevice
from store.errors import Damaged, Rejected, Unavailable

log = logging.getLogger(__name__)

PASS_EVERY_S = 2.0
"""Nothing is appended to a folder more often: sync tools take up every single change."""
WAIT_S_MAX = 60.0
"""After failures the next try waits longer, up to this."""

LAST_S = 5.0
"""The end of a talk waits no longer than this for its last words to go out."""

Pause = Callable[[float], Awaitable[None]]


async def begin(own: OwnDevice) -> bool:
    """Before the first message: whether our own stream says that this home was put back, and must become a new device."""
    if not own.home.device.note(FOLDER):
        return False
    try:
        return await own.is_used_elsewhere()
    except (Rejected, Unavailable) as error:  # the folder is not here now
        log.info("could not look at our own stream", extra={"reason": error.code})
        return False


async def go_on(own: OwnDevice, pause: Pause = asyncio.sleep) -> None:
    """Passes until it is cancelled. What fails is tried again, less and less often; local work never waits for it."""
    wait_s = PASS_EVERY_S
    while True:
        await pause(wait_s)
        try:
            if own.home.device.note(FOLDER):
                await own.sync()
                await finish_uniting(own)
                if await devices.take_out_retired(own):
                    await own.sync()
            wait_s = PASS_EVERY_S
        except (Rejected, Unavailable, Damaged) as error:
            wait_s = min(2 * wait_s, WAIT_S_MAX)
            log.warning("could not sync", extra={"reason": error.code})


async def finish(own: OwnDevice) -> None:
    """One pass at the end of a talk: what was said in its last moments would wait for the next one."""
    if not own.home.device.note(FOLDER):
        return
    try:
        async with asyncio.timeout(LAST_S):
            await own.sync()
    except TimeoutError:
        log.info("could not sync at the end", extra={"reason": "time"})
    except (Rejected, Unavailable, Damaged) as error:
        log.info("could not sync at the end", extra={"reason": error.code})
