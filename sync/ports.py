"""What sync needs from the world: something that carries bytes, and a place for keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

FILE_BYTES_MAX = 64 * 1024 * 1024
"""Of any file written once under a name."""


@dataclass(frozen=True, slots=True)
class Fetched:
    envelopes: Sequence[bytes]
    cursor: str
    """Where to go on; opaque, "" is the beginning."""
    reset: bool = False
    """True when what was carried has gone back (wiped, replaced): this fetch began anew."""


class Transport(Protocol):
    """Carries opaque bytes; may lose, repeat, reorder, delay and lie, and is never trusted.

    Two kinds: streams of envelopes, one per (scope, author), only added to by their author; and files written
    once under a name (roster entries, wraps, pairing). Every call may raise `TransportDown`; nothing is half
    done then that a repeat would not put right. Not to be called by two tasks at once.
    """

    async def publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        """Adds to the author's own stream, in order; on stable storage when it returns."""
        ...

    async def fetch(self, scope: str, author: str, cursor: str) -> Fetched:
        """What stands behind `cursor` in one stream, in order, as far as it can be read now; bounded."""
        ...

    async def replace(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        """From now on the author's own stream is `envelopes` and nothing that stood before; none: there is no stream.

        The new ones are on stable storage before the old ones go. Stopped in between, both are there, which harms
        nothing, and a repeat puts it right. A reader goes on from whatever cursor it has.
        """
        ...

    async def scopes(self) -> Sequence[str]:
        """Of which scopes there is anything, sorted: for a device that knows none, with a recovery key in its hands."""
        ...

    async def authors(self, scope: str) -> Sequence[str]:
        """Whose streams there are."""
        ...

    async def put(self, scope: str, name: str, data: bytes) -> None:
        """Writes a file once; a name that exists keeps what it has."""
        ...

    async def get(self, scope: str, name: str, size_max: int = FILE_BYTES_MAX) -> bytes | None:
        """None also for a file of more than `size_max` bytes: no honest one is larger."""
        ...

    async def names(self, scope: str, prefix: str) -> Sequence[str]:
        """Names of files that begin so, sorted. Of one folder only: `prefix` up to its last slash is where they stand."""
        ...

    async def discard(self, scope: str, *, prefix: str) -> None:
        """Removes the files that `names` gives for `prefix`: one's own, or what cannot be what its name says."""
        ...


class KeyStore(Protocol):
    """Small secrets by name, each written whole or not at all, readable by their owner only."""

    def load(self, name: str) -> bytes | None: ...

    def save(self, name: str, data: bytes) -> None: ...

    def delete(self, name: str) -> None: ...
