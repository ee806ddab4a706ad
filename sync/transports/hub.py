"""A transport in memory, for tests and simulation: several devices of one process meet here."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from sync.ports import FILE_BYTES_MAX, Fetched

FETCH_MAX = 500


class Hub:
    def __init__(self) -> None:
        self.streams: dict[tuple[str, str], list[bytes]] = defaultdict(list)
        self.files: dict[tuple[str, str], bytes] = {}

    async def publish(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        self.streams[scope, author].extend(envelopes)

    async def fetch(self, scope: str, author: str, cursor: str) -> Fetched:
        stream = self.streams.get((scope, author), [])
        read, _, last = cursor.partition(":")
        start = int(read or 0)
        reset = start > len(stream) or _mark(stream[:start]) != last
        if reset:
            start = 0
        chosen = stream[start : start + FETCH_MAX]
        end = start + len(chosen)
        return Fetched(chosen, f"{end}:{_mark(stream[:end])}" if end else "", reset)

    async def replace(self, scope: str, author: str, envelopes: Sequence[bytes]) -> None:
        if envelopes:
            self.streams[scope, author] = list(envelopes)
        else:
            self.streams.pop((scope, author), None)

    async def scopes(self) -> Sequence[str]:
        return sorted({scope for scope, _ in (*self.streams, *self.files)})

    async def authors(self, scope: str) -> Sequence[str]:
        return sorted(author for one, author in self.streams if one == scope)

    async def put(self, scope: str, name: str, data: bytes) -> None:
        self.files.setdefault((scope, name), data)

    async def get(self, scope: str, name: str, size_max: int = FILE_BYTES_MAX) -> bytes | None:
        data = self.files.get((scope, name))
        return data if data is not None and len(data) <= size_max else None

    async def names(self, scope: str, prefix: str) -> Sequence[str]:
        folder = prefix.rpartition("/")[0]
        found = (name for one, name in self.files if one == scope and name.rpartition("/")[0] == folder)
        return sorted(name for name in found if name.startswith(prefix))

    async def discard(self, scope: str, *, prefix: str) -> None:
        for name in await self.names(scope, prefix):
            del self.files[scope, name]


def _mark(read: Sequence[bytes]) -> str:
    """Tells a stream that was replaced from one that went on: all of it counts, since it may end alike."""
    return hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in read)).hexdigest()[:8] if read else ""
