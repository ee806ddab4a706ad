"""Stand-ins for the world that several tests share: a clock that jumps, randomness that repeats.

Fakes, not mocks: each obeys the contract of its port in `store/ports.py`.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from threading import Lock


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


def _aware(moment: datetime) -> datetime:
    assert moment.tzinfo is not None, "a clock gives aware moments"
    return moment.astimezone(UTC)
