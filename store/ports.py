"""What the store needs from the world: the time and randomness. Nobody else reads either."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """May be called from any thread; time may jump either way between two calls."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...


class Entropy(Protocol):
    """May be called from any thread."""

    def bytes(self, count: int) -> bytes:
        """`count` unpredictable bytes, never the same twice."""
        ...
