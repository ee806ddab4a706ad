"""What goes wrong on purpose: planned failures of single calls, and the flood limits of the real server."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from datetime import datetime

from tests.emulators.telegram.refusals import Refusal, refusal, too_many, upgraded

ON_THE_WAY = {"lost", "late", "drop", "html"}
"""Not said by the server: done but never answered; done and answered late; never done; a proxy's page instead."""
KINDS = {"403": "blocked", "400": "chat-not-found"}

PRIVATE_BURST, PRIVATE_PER_S = 3, 1.0
GROUP_MAX, GROUP_SPAN_S = 20, 60.0
OVERALL_MAX, OVERALL_SPAN_S = 30, 1.0


@dataclass(slots=True)
class Fault:
    method: str
    kind: str
    times: int
    chat: int | None
    retry_after: int
    seconds: float
    new_id: int

    def refusal(self) -> Refusal:
        if self.kind == "429":
            return too_many(self.retry_after)
        if self.kind == "upgraded":
            return upgraded(self.new_id)
        return refusal(self.kind)


class Faults:
    """Planned failures are used up in the order of planning."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []

    def plan(self, fault: Fault) -> None:
        """Raises KeyError for a kind that does not exist."""
        if fault.kind not in ON_THE_WAY:
            fault.refusal()
        self._planned.append(fault)

    def take(self, method: str, chat: object) -> Fault | None:
        for fault in self._planned:
            if fault.method not in ("*", method) or fault.chat not in (None, chat):
                continue
            fault.times -= 1
            if fault.times <= 0:
                self._planned.remove(fault)
            return fault
        return None

    def clear(self) -> None:
        self._planned.clear()


class _Window:
    """At most `count` in any `span_s`."""

    def __init__(self, count: int, span_s: float) -> None:
        self._count, self._span_s = count, span_s
        self._sent: deque[float] = deque()

    def wait_s(self, now: float) -> float:
        while self._sent and now - self._sent[0] >= self._span_s:
            self._sent.popleft()
        return self._sent[0] + self._span_s - now if len(self._sent) >= self._count else 0.0

    def take(self, now: float) -> None:
        self._sent.append(now)


class Limits:
    """One message a second in a private chat after a small burst, 20 a minute in a group, 30 a second in all.

    Sends and edits count; a call that is refused does not.
    """

    COUNTED = ("send", "editMessage", "copy", "forward")

    def __init__(self) -> None:
        self.real = False
        self._overall = _Window(OVERALL_MAX, OVERALL_SPAN_S)
        self._groups: dict[int, _Window] = {}
        self._private: dict[int, _Window] = {}

    def check(self, method: str, chat: int | None, now: datetime) -> None:
        """Raises Refusal with the seconds to wait."""
        if not self.real or chat is None or not method.startswith(self.COUNTED) or method == "sendChatAction":
            return
        at = now.timestamp()
        if chat < 0:
            own = self._groups.setdefault(chat, _Window(GROUP_MAX, GROUP_SPAN_S))
        else:
            own = self._private.setdefault(chat, _Window(PRIVATE_BURST, PRIVATE_BURST / PRIVATE_PER_S))
        wait_s = max(own.wait_s(at), self._overall.wait_s(at))
        if wait_s > 0:
            raise too_many(max(1, math.ceil(wait_s)))
        own.take(at)
        self._overall.take(at)
