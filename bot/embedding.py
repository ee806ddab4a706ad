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
from store.ports import Embedder, EmbedderPhase
from store.vectors import TABLES, Meaning, Reach

log = logging.getLogger(__name__)

TEXTS_AT_ONCE = 32
LOOK_EVERY_S: Final = 30.0
AWAKE_WAIT_S: Final = 3.0
"""How long a command that ends with its answer waits for the embedder that started with it."""
MOSTLY = 0.95
"""From this share on, what still lacks a vector is not worth a word."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How meaning stands in one memory, for what is said about it. `trouble`: the code of why there is none."""

    kind: str
    done: int = 0
    total: int = 0
    trouble: str = ""
    starting: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """`meant`: whether a meaning was asked for; None came of it where words must do.

    `standing`: None where no embedder is wanted.
    """

    meant: bool = False
    meaning: Meaning | None = None
    standing: Standing | None = None


class Embedding:
    """Holds the embedder of a home. `embedder`: None where meaning is switched off."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._reach: dict[tuple[ScopeID, str], tuple[str, str, Reach]] = {}
        self.said = asyncio.Event()
        """Set when something may have been stored that has no vector yet."""

    async def asked(self, memory: Memory, words: str) -> Asked:
        """What a question in these words means. Never raises, and waits no longer than an answer may."""
        if self._embedder is None:
            return Asked()
        if not words.strip():
            return Asked(standing=await self.standing(memory))
        vector = await self._embedder.embed_query(words)
        standing = await self.standing(memory)
        if vector is None:
            return Asked(True, None, standing)
        # Zeros stand for words without a meaning: then words are all that was asked for.
        meant = bool(vector.any())
        return Asked(meant, Meaning(self._embedder.kind, self._embedder.name, vector) if meant else None, standing)

    async def standing(self, memory: Memory) -> Standing | None:
        """None where meaning is switched off."""
        if self._embedder is None:
            return None
        state = self._embedder.state
        try:
            done, total = await memory.vectors_progress(self._embedder.name)
        except (Unavailable, Damaged):  # the answer itself will say what is wrong
            done, total = 0, 0
        trouble = (state.trouble or "") if state.phase is EmbedderPhase.OFF else ""
        return Standing(self._embedder.kind, done, total, str(trouble), state.phase is EmbedderPhase.STARTING)

    async def awake(self, wait_s: float = AWAKE_WAIT_S) -> None:
        """Starts the embedder, and waits until it is ready, or has failed, or for so long."""
        if self._embedder is None:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._embedder.embed_passages(("hello",)), wait_s)

    async def fill(self, home: Home) -> None:
        """Gives what is stored its vectors, newest first, until cancelled. Goes on where an earlier run stopped."""
        if self._embedder is None:
            return
        await self._embedder.embed_passages(())  # starts it: the first question should not find it asleep
        while True:
            self.said.clear()
            if not await self.fill_some(home):
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.said.wait(), LOOK_EVERY_S)

    async def fill_some(self, home: Home) -> bool:
        """One step in each memory that is open; whether there may be more to do now."""
        if self._embedder is None:
            return False
        return any([await self._some(memory, self._embedder) for memory in home.opened()])

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
        if self._embedder is not None:
            await self._embedder.close()
