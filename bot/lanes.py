"""First in, first out within a lane, side by side between lanes, and only so many at once.

A lane that waits holds up nobody else. An item leaves its lane when the handler says that it is done with.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)

SEEN_MAX = 100
"""Of what waits in a lane, this much is shown to its handler."""
Handle = Callable[[str, Sequence[T]], Awaitable[int]]
"""(lane, what waits in it, oldest first) → how many of those are done with; with 0 they are offered again."""


class Lanes(Generic[T]):
    """`most`: lanes at work at the same time."""

    def __init__(self, handle: Handle[T], *, most: int) -> None:
        self._handle = handle
        self._room = asyncio.Semaphore(most)
        self._waiting: dict[str, deque[T]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._moved = asyncio.Event()

    def put(self, lane: str, item: T) -> None:
        self._empty.clear()
        queue = self._waiting.get(lane)
        if queue is not None:
            queue.append(item)
            return
        self._waiting[lane] = deque([item])
        task = asyncio.ensure_future(self._run(lane))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    async def below(self, most: int) -> None:
        """Returns when fewer than `most` items wait."""
        while len(self) >= most:
            self._moved.clear()
            await self._moved.wait()

    async def empty(self) -> None:
        """Returns when nothing waits."""
        await self._empty.wait()

    async def close(self) -> None:
        """What waits is left; what is at work is cancelled."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, lane: str) -> None:
        queue = self._waiting[lane]
        try:
            while queue:
                async with self._room:
                    done = await self._handle(lane, list(islice(queue, SEEN_MAX)))
                for _ in range(done):
                    queue.popleft()
                self._moved.set()
        finally:
            del self._waiting[lane]
            self._moved.set()
            if not self._waiting:
                self._empty.set()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a lane broke", exc_info=task.exception())
