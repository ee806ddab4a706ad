"""Stand-ins for the world that several tests share: a clock that jumps, randomness that repeats,
an embedder that counts words.

Fakes, not mocks: each obeys the contract of its port in `store/ports.py`.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from store.ports import EmbedderPhase, EmbedderState, EmbedderTrouble


class FakeClock:
    """Stands still until a test moves it."""

    def __init__(self, now: datetime = datetime(2024, 5, 27, 2, 0, tzinfo=UTC)) -> None:
        self._now = _aware(now)

    def now(self) -> datetime:
        return self._now

    def set(self, now: datetime) -> None:
        self._now = _aware(now)

    def advance(self, by: timedelta) -> None:
        self._now += by


class FakeEntropy:
    """Never the same bytes twice within one seed; the same bytes again for the same seed."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed.encode()
        self._drawn = 0
        self._lock = Lock()

    def bytes(self, count: int) -> bytes:
        with self._lock:
            self._drawn += 1
            drawn = self._drawn.to_bytes(8, "big")
        return hashlib.shake_256(drawn + self._seed).digest(count)


class FakeEmbedder:
    """Texts that share words, or Chinese characters, are near each other; nothing else is meant by nearness here."""

    kind = "e5"

    def __init__(self, *, dims: int = 64, name: str | None = None) -> None:
        self.become(dims=dims, name=name)
        self.state = EmbedderState(EmbedderPhase.READY)
        self.queries: list[str] = []
        self.passages: list[str] = []
        self._slow: asyncio.Event | None = None

    def become(self, *, dims: int, name: str | None = None) -> None:
        """Another model from now on."""
        self.dims, self.name = dims, name or f"fake 1 {dims}"

    def die(self, trouble: EmbedderTrouble = EmbedderTrouble.BROKEN) -> None:
        self.state = EmbedderState(EmbedderPhase.OFF, trouble)

    def recover(self) -> None:
        self.state = EmbedderState(EmbedderPhase.READY)

    def slow_down(self) -> asyncio.Event:
        """Until the event is set, a query gets no answer in its time, and passages wait."""
        self._slow = asyncio.Event()
        return self._slow

    async def embed_query(self, text: str) -> NDArray[np.float32] | None:
        self.queries.append(text)
        if self.state.phase is not EmbedderPhase.READY or (self._slow and not self._slow.is_set()):
            return None
        return self._vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        if self._slow:
            await self._slow.wait()
        if self.state.phase is not EmbedderPhase.READY:
            return None
        self.passages += texts
        rows = [self._vector(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dims), dtype=np.float32)

    async def close(self) -> None:
        self.state = EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.CLOSED)

    def _vector(self, text: str) -> NDArray[np.float32]:
        counts = np.zeros(self.dims, dtype=np.float32)
        for word in re.findall(r"[a-z0-9]+|[^\W\x00-\x7f]", text.lower()):
            drawn = hashlib.blake2b(f"{self.name} {word}".encode("utf-8", "replace"), digest_size=8).digest()
            counts[int.from_bytes(drawn[1:], "big") % self.dims] += 1.0 if drawn[0] % 2 else -1.0
        length = float(np.linalg.norm(counts))
        return counts / np.float32(length) if length else counts


def _aware(moment: datetime) -> datetime:
    assert moment.tzinfo is not None, "a clock gives aware moments"
    return moment.astimezone(UTC)
