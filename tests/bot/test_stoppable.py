"""Long work that is cancelled has ended when the canceller goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from bot.stoppable import in_thread
from tests.waits import WAIT_S


async def test_it_gives_what_the_work_gives() -> None:
    assert await in_thread(lambda stopped: (stopped(), threading.current_thread() is threading.main_thread())) == (
        False, False,
    )  # fmt: skip
    with pytest.raises(LookupError):
        await in_thread(lambda stopped: {}["missing"])


async def test_whoever_cancels_waits_until_nothing_of_it_goes_on() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(stopped: Callable[[], bool]) -> None:
        begun.set()
        while not stopped():
            pass
        ended.set()
        raise LookupError

    task = asyncio.create_task(in_thread(work))
    assert await asyncio.to_thread(begun.wait, WAIT_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
