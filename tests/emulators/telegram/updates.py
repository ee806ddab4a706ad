"""What waits for the bot, and who may fetch it.

An update is kept until a call asks for a higher number. A kind that was not asked for is dropped when it happens,
not when it is fetched, as on the real server: what waits already still comes.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

JSON = dict[str, Any]

FIRST = 700_000_001
NOT_UNASKED = {"chat_member", "message_reaction", "message_reaction_count"}
"""These come only when they are named."""
LIMIT_MAX = 100


@dataclass(slots=True)
class Passage:
    """When an update was made, first given out, and acknowledged; seconds since the epoch, on the world's clock."""

    made: float
    fetched: float | None = None
    acknowledged: float | None = None


class Updates:
    """Guarded by the lock of the world it belongs to."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._numbers = itertools.count(FIRST)
        self._waiting: list[JSON] = []
        self._last_acknowledged: list[JSON] = []
        self._again: list[JSON] = []
        self._allowed: set[str] | None = None
        self.webhook: str = ""
        self.made: list[JSON] = []
        self.passages: dict[int, Passage] = {}
        self.judge: Callable[[JSON], None] = lambda update: None

    def add(self, kind: str, body: JSON) -> None:
        wanted = kind in self._allowed if self._allowed is not None else kind not in NOT_UNASKED
        if wanted:
            update = {"update_id": next(self._numbers), kind: body}
            self.judge(update)
            self.add_raw(update)

    def add_raw(self, update: JSON) -> None:
        """Whatever it looks like; a number is given if it has none."""
        if "update_id" not in update:
            update = {"update_id": next(self._numbers), **update}
        self._waiting.append(update)
        self.made.append(update)
        self.passages[_number(update)] = Passage(self._now())

    def allow(self, kinds: list[str] | None) -> None:
        """None keeps what was asked for last; an empty list is everything but `NOT_UNASKED`."""
        if kinds is not None:
            self._allowed = set(kinds) or None

    @property
    def pending(self) -> int:
        return len(self._waiting)

    def fetch(self, offset: int, limit: int) -> list[JSON]:
        limit = max(1, min(limit or LIMIT_MAX, LIMIT_MAX))
        if offset < 0:
            self._waiting = self._waiting[offset:]
        elif offset > 0:
            gone = [update for update in self._waiting if _number(update) < offset]
            if gone:
                self._last_acknowledged = gone
                for update in gone:
                    self.passages[_number(update)].acknowledged = self._now()
                self._waiting = [update for update in self._waiting if _number(update) >= offset]
        if self._again:
            again, self._again = self._again, []
            return again[:limit]
        found = self._waiting[:limit]
        for update in found:
            passage = self.passages[_number(update)]
            passage.fetched = passage.fetched or self._now()
        return found

    def clear(self) -> None:
        self._waiting.clear()

    def redeliver(self) -> int:
        """What was acknowledged last comes once more, whatever number the next call asks for. How many that are."""
        self._again = list(self._last_acknowledged)
        return len(self._again)


def _number(update: JSON) -> int:
    """A malformed update may have none; it goes with the next call that acknowledges anything."""
    number = update["update_id"]
    return number if isinstance(number, int) else 0


class Poll:
    """One call that waits for updates; a newer one ends it."""

    def __init__(self) -> None:
        self.woken = asyncio.Event()
        self.superseded = False

    def supersede(self) -> None:
        self.superseded = True
        self.woken.set()
