"""Long polling: what comes is handed on, and given up at the server only when whoever got it has it on disk."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol

import telegram

from bot.event import ChatChange, Event, Press, pack, unpack
from bot.platforms.telegram.client import JSON, Client, OtherListener, calling
from bot.platforms.telegram.people import Me
from bot.platforms.telegram.updates import events
from bot.ports import BadToken, Listening, NotDelivered, Receive, StandBy, TryLater
from store.ports import Clock, Entropy

log = logging.getLogger(__name__)

BACKOFF_S, BACKOFF_MAX_S = 1.0, 30.0
YOUNG_S = 60.0
"""So long after the start another listener is rather the right one."""
CONFLICTS_YOUNG, CONFLICTS = 2, 5
KEY_BYTES_MAX = 200
BATCH_SPAN = 10_000
"""The updates of one answer are at most a hundred, and counted in order."""
CONFLICT_WAIT_S = (1.0, 3.0)

Sleep = Callable[[float], Awaitable[object]]
Monotonic = Callable[[], float]


class Backoff:
    """1 s, 2 s, 4 s … 30 s, until something works again."""

    def __init__(self) -> None:
        self._next = BACKOFF_S

    def after(self, failure: NotDelivered) -> float:
        if isinstance(failure, TryLater):
            return failure.seconds
        seconds, self._next = self._next, min(BACKOFF_MAX_S, self._next * 2)
        return seconds

    def over(self) -> None:
        self._next = BACKOFF_S


class Line(Protocol):
    """How it goes, kept where everybody may look."""

    listening: Listening
    last_event_at: datetime | None
    passed_over: int
    """Updates that were nothing to us: what people say to each other, other kinds."""
    unreadable: int


class Polling:
    def __init__(
        self,
        line: Line,
        client: Client,
        clock: Clock,
        entropy: Entropy,
        *,
        poll_s: int,
        sleep: Sleep,
        monotonic: Monotonic,
    ) -> None:
        self._line = line
        self._client = client
        self._clock = clock
        self._entropy = entropy
        self._poll_s = poll_s
        self._sleep = sleep
        self._monotonic = monotonic
        self._offset: int | None = None

    async def run(self, me: Me, receive: Receive) -> None:
        """For ever. Raises BadToken and StandBy."""
        began = self._monotonic()
        conflicts = 0
        backoff = Backoff()
        while True:
            try:
                raw = await calling(lambda: self._client.updates_after(self._offset, self._patience()))
            except OtherListener:
                conflicts += 1
                most = CONFLICTS_YOUNG if self._monotonic() - began < YOUNG_S else CONFLICTS
                if conflicts >= most:
                    self._line.listening = Listening.STANDBY_CONFLICT
                    raise StandBy from None
                await self._sleep(self._conflict_wait())
                continue
            except BadToken:
                self._line.listening = Listening.REFUSED
                raise
            except NotDelivered as failure:
                self._line.listening = Listening.OFFLINE
                await self._sleep(backoff.after(failure))
                continue
            conflicts = 0
            backoff.over()
            self._line.listening = Listening.OPEN
            await self._hand_on(raw, me, receive)

    def _patience(self) -> int:
        """A line that is not known to be open answers at once, or half a minute would pass before it is."""
        return self._poll_s if self._line.listening is Listening.OPEN else 0

    async def _hand_on(self, raw: list[JSON], me: Me, receive: Receive) -> None:
        found: list[Event] = []
        for update in raw:
            found += self._read(update, me)
        if found:
            await receive(found)
            self._line.last_event_at = self._clock.now()
        numbers = _plausible([update["update_id"] for update in raw if type(update.get("update_id")) is int])
        if numbers:
            self._offset = max(numbers) + 1
        elif raw:
            await self._sleep(BACKOFF_MAX_S)  # they would come again at once

    def _read(self, update: JSON, me: Me) -> tuple[Event, ...]:
        try:
            parsed = telegram.Update.de_json(update, None)
            found = events(parsed, me, self._clock.now())
            for event in found:
                _check(event)
        except Exception as error:  # whatever a server may send: it costs that one update
            self._line.unreadable += 1
            log.warning("an update could not be read", extra={"reason": type(error).__name__})
            return ()
        self._line.passed_over += not found
        return found

    def _conflict_wait(self) -> float:
        """Drawn, so that two listeners do not stay in step."""
        least, most = CONFLICT_WAIT_S
        return least + (most - least) * int.from_bytes(self._entropy.bytes(2)) / 0xFFFF


def _plausible(numbers: list[int]) -> list[int]:
    """Without those far from the others: one wild number would give up, unseen, all that is still to come."""
    middle = sorted(numbers)[len(numbers) // 2] if numbers else 0
    return [number for number in numbers if abs(number - middle) <= BATCH_SPAN]


def _check(event: Event) -> None:
    """Raises for an event that could not be kept: the library parses a message without a date, and ids of any type."""
    if unpack(pack(event)) != event or len(event.key.encode()) > KEY_BYTES_MAX:
        raise ValueError("an event that does not come back")
    int(event.chat.id)
    match event:
        case ChatChange():
            int(event.other or 0)
        case Press():
            int(event.message), int(event.topic or 0)
            if not isinstance(event.token, str) or not isinstance(event.answer, str):
                raise ValueError("a press without words")
            event.token.encode(), event.answer.encode()
        case _:
            int(event.message), int(event.topic or 0)
