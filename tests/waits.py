"""Waits that end: what does not come in time is a failure, not a run that hangs."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import Callable
from typing import Any

WAIT_S = 60.0
"""A busy machine is no failure."""


async def until(what: Callable[[], Any], within_s: float = WAIT_S) -> Any:
    """Lets others run until it holds, and gives what it gave; every store call is a hop to another thread."""
    async with asyncio.timeout(within_s):
        while not (found := what()):
            await asyncio.sleep(0.001)
    return found


def end_of(child: int, within_s: float = WAIT_S) -> int:
    """The status of a fork of ours, negative for a signal. One that hangs is killed and fails the test."""
    handle = os.pidfd_open(child)
    try:
        ended = bool(select.select([handle], [], [], within_s)[0])
    finally:
        os.close(handle)
    if not ended:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended, f"it did not end within {within_s} s"
    return status
