"""How fast we may write, so that Telegram need not say no: a bucket for each chat and one for all.

What nobody waits for goes at a pace of its own, below what all may have, so that answers find room at any time.

Time is a monotonic number of seconds that the caller gives. Edits count as messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

CHATS_MAX = 1000
"""Past this many, chats whose buckets are full again are dropped: a full bucket is a new one."""


@dataclass(slots=True)
class _Bucket:
    per_s: float
    burst: float
    full: float
    at: float = 0.0
    rests_until: float = 0.0

    def wait(self, now: float) -> float:
        self.full = min(self.burst, self.full + max(0.0, now - self.at) * self.per_s)
        self.at = now
        missing = 0.0 if self.full >= 1 - 1e-9 else (1 - self.full) / self.per_s
        return max(missing, self.rests_until - now, 0.0)


class Limits:
    """Not for several threads. The defaults are what Telegram is known to bear."""

    def __init__(
        self,
        *,
        chat_per_s: float = 1.0,
        chat_burst: int = 20,
        group_per_min: float = 20.0,
        group_burst: int = 20,
        all_per_s: float = 30.0,
        all_burst: int = 30,
        unasked_per_s: int = 26,
    ) -> None:
        self._private = (chat_per_s, float(chat_burst))
        self._group = (group_per_min / 60, float(group_burst))
        self._all = _Bucket(all_per_s, float(all_burst), float(all_burst))
        self._chats: dict[str, _Bucket] = {}
        self._apart_s = 1 / unasked_per_s
        self._next_unasked = 0.0
        self._unasked: deque[float] = deque(maxlen=unasked_per_s)
        """When the last of them went, so many as may in one second."""

    def turn(self, now: float) -> float:
        """Seconds until something that nobody waits for may try: each call is given a moment of its own."""
        at = max(now, self._next_unasked)
        self._next_unasked = at + self._apart_s
        return at - now

    def wait(self, chat: str, now: float, *, unasked: bool = False) -> float:
        """Seconds until a message may go there; 0 means that it goes now, and is counted.

        `unasked`: nobody waits for it. Those whose moment was missed do not make up for it all at once: the server counts any second.
        """
        if len(self._chats) >= CHATS_MAX and chat not in self._chats:
            for old in list(self._idle(now)):
                del self._chats[old]
        bucket = self._bucket(chat)
        seconds = max(bucket.wait(now), self._all.wait(now))
        if unasked and len(self._unasked) == self._unasked.maxlen:
            seconds = max(seconds, self._unasked[0] + 1.0 - now)
        if seconds == 0:
            if unasked:
                self._unasked.append(now)
            bucket.full -= 1
            self._all.full -= 1
        return seconds

    def rest(self, chat: str, until: float) -> None:
        """Nothing goes there until then; the others go on."""
        bucket = self._bucket(chat)
        bucket.rests_until = max(bucket.rests_until, until)

    @property
    def chats(self) -> int:
        """How many have a bucket."""
        return len(self._chats)

    def _bucket(self, chat: str) -> _Bucket:
        bucket = self._chats.get(chat)
        if bucket is None:
            per_s, burst = self._group if chat.startswith("-") else self._private
            bucket = self._chats[chat] = _Bucket(per_s, burst, burst)
        return bucket

    def _idle(self, now: float) -> Iterator[str]:
        for chat, bucket in self._chats.items():
            if bucket.wait(now) == 0 and bucket.full >= bucket.burst:
                yield chat
