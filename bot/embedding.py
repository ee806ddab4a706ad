"""Meaning beside words: gives every text its vector in the background, and every question when it comes.

Nothing waits for it. Where there is no embedder, or none in time, a question is answered by its words, in its usual
time, and the answer says so.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from store.errors import Damaged, Unavailable
from store.home import Home
from store.memory import Memory
from store.model import ScopeID
from store.ports import Embedder
from store.vectors import TABLES, Meaning, Reach

log = logging.getLogger(__name__)

TEXTS_AT_ONCE = 32
LOOK_EVERY_S: Final = 30.0
AWAKE_WAIT_S: Final = 3.0
"""How long a command that ends with its answer waits for the embedder that started with it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`meant`: whether a meaning was asked for; None came of it where words must do."""

    meant: bool = False
    meaning: Meaning | None = None


class Embedding:
    """Holds the embedder of a home. `embedder`: None where meaning is switched off."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self._reach: dict[tuple[ScopeID, str], tuple[str, str, Reach]] = {}
        self.said = asyncio.Event()
        """Set when something may have been stored that has no vector yet."""

    async def asked(self, words: str) -> Asked:
        """What a question in these words means. Never raises, and waits no longer than an answer may."""
        if self.embedder is None or not words.strip():
            return Asked()
        vector = await self.embedder.embed_query(words)
        if vector is None:
            return Asked(True)
        # Zeros stand for words without a meaning: then words are all that was asked for.
        meant = bool(vector.any())
        return Asked(meant, Meaning(self.embedder.kind, self.embedder.name, vector) if meant else None)

    async def awake(self, wait_s: float = AWAKE_WAIT_S) -> None:
        """Starts the embedder, and waits until it is ready, or has failed, or for so long."""
        if self.embedder is None:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self.embedder.embed_passages(("hello",)), wait_s)

    async def fill(self, home: Home) -> None:
        """Gives what is stored its vectors, newest first, until cancelled. Goes on where an earlier run stopped."""
        if self.embedder is None:
            return
        await self.embedder.embed_passages(())  # starts it: the first question should not find it asleep
        while True:
            self.said.clear()
            if not await self.fill_some(home):
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.said.wait(), LOOK_EVERY_S)

    async def fill_some(self, home: Home) -> bool:
        """One step in each memory that is open; whether there may be more to do now."""
        if self.embedder is None:
            return False
        return any([await self._some(memory, self.embedder) for memory in home.opened()])

    async def _some(self, memory: Memory, embedder: Embedder) -> bool:
        """One step in one memory; whether there may be more to do."""
        try:
            steps = [await self._step(memory, embedder, table) for table in TABLES]
        except (Unavailable, Damaged) as error:  # nothing can be stored now; it is tried again later
            log.warning("could not keep vectors", extra={"scope": memory.scope, "reason": error.code})
            return False
        return any(steps)

    async def _step(self, memory: Memory, embedder: Embedder, table: str) -> bool:
        model, epoch = embedder.name, await memory.vectors_epoch()
        known = self._reach.get((memory.scope, table))
        reach = known[2] if known and known[:2] == (model, epoch) else None
        wanted, reach_now = await memory.missing_vectors(table, model, reach, TEXTS_AT_ONCE)
        if wanted:
            vectors = await embedder.embed_passages([one.text for one in wanted])
            if vectors is None:
                return False
            if embedder.name != model:  # it was not ready before, or became another one
                return True
            await memory.keep_vectors(model, wanted, vectors)
        self._reach[memory.scope, table] = (model, epoch, reach_now)
        return bool(wanted) or reach_now.low > 0

    async def close(self) -> None:
        if self.embedder is not None:
            await self.embedder.close()
