"""Long work in a thread of its own that can be given up: whoever cancels waits until nothing of it goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[Callable[[], bool]], T]) -> T:
    """What `work` gives. It is given a question, whether to stop, and asks it now and then."""
    stopped = threading.Event()
    task = asyncio.ensure_future(asyncio.to_thread(work, stopped.is_set))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stopped.set()
        await asyncio.wait((task,))
        if not task.cancelled():
            task.exception()  # looked at; what it raised because it was stopped is nobody's
        raise
