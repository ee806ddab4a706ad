"""Group commit: writes that come while another is being committed share the next transaction.

A commit costs a flush of the disk, whoever asks for it; under a burst many small writes pay for one.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from store.db import Database

T = TypeVar("T")


class Together:
    """Safe for any number of tasks of one event loop. What is given to `write` must not raise by itself."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[Callable[[sqlite3.Connection], Any], asyncio.Future[Any]]] = []
        self._at_work: asyncio.Task[None] | None = None

    async def write(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Committed when this returns. Raises Unavailable or Damaged, for every write of the same transaction."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((fn, done))
        if self._at_work is None or self._at_work.done():
            self._at_work = asyncio.ensure_future(self._work())
        return await asyncio.shield(done)

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """`fn` sees everything that was written before; it must not write."""
        return await self._database.read(fn)

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            functions = [fn for fn, _ in batch]
            try:
                results = await self._database.write(lambda conn, functions=functions: [fn(conn) for fn in functions])  # type: ignore[misc]
            except BaseException as error:
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                        done.exception()  # a caller that has left needs no warning
                if not isinstance(error, Exception):
                    raise
                continue
            for (_, done), result in zip(batch, results, strict=True):
                if not done.done():
                    done.set_result(result)
