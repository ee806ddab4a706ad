"""From the outbox to the platforms: in order within a chat, side by side between chats.

`sending` is on disk before the call, so that a crash in the middle leaves a question and never a second message.
What certainly did not arrive is tried again; what may have arrived is not, unless it can be done twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from bot.event import Delivery, unpack_delivery
from bot.lanes import Lanes
from bot.message import Shape
from bot.ports import (
    BadToken,
    ChatMoved,
    NoConnection,
    NotDelivered,
    OutcomeUnknown,
    Platform,
    TryLater,
    Undeliverable,
    Unreachable,
)
from store.errors import Damaged, Unavailable
from store.outbox import Outbox, Queued

log = logging.getLogger(__name__)

BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
REPEATABLE = (Shape.EDIT, Shape.TOAST, Shape.REACTION)
"""What is the same when it is done twice."""
TRIES_MAX = 5
"""Of what can be done twice and whose end stays unknown."""

Paused = Callable[[str, str], Awaitable[None]]
Moved = Callable[[str, str], Awaitable[None]]


class Sender:
    """`paused(chat, reason)`: nothing can be delivered there. `moved(old, new)`: the chat has a new id."""

    def __init__(
        self,
        outbox: Outbox,
        platforms: Mapping[str, Platform],
        *,
        paused: Paused,
        moved: Moved,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._outbox = outbox
        self._platforms = platforms
        self._paused = paused
        self._moved = moved
        self._sleep = sleep
        self._failures: dict[str, int] = {}
        self._new_names: dict[str, str] = {}
        self._unasked: set[int] = set()
        self.unasked: Counter[str] = Counter()
        """Of what nobody waits for: how much is still to leave, by platform."""
        self.lanes: Lanes[Queued] = Lanes(self._send, most=10_000)

    async def begin(self) -> None:
        """Goes on with what a run before this one left."""
        for row in await self._outbox.begin():
            platform = self._platforms.get(row.departure.adapter)
            if platform is not None and platform.bot == row.departure.bot:  # another bot's are none of ours
                self.put([row])

    def put(self, queued: Sequence[Queued], *, unasked: bool = False) -> None:
        for one in queued:
            if unasked:
                self._unasked.add(one.pos)
                self.unasked[one.departure.adapter] += 1
            self.lanes.put(one.departure.chat, one)

    async def close(self) -> None:
        await self.lanes.close()

    async def _send(self, lane: str, waiting: Sequence[Queued]) -> int:
        done = await self._try(lane, waiting[0])
        if done and waiting[0].pos in self._unasked:
            self._unasked.discard(waiting[0].pos)
            self.unasked[waiting[0].departure.adapter] -= 1
        return done

    async def _try(self, lane: str, row: Queued) -> int:
        try:
            return await self._deliver(lane, row)
        except (Unavailable, Damaged) as fault:  # what is to be noted down cannot be; the row is where it was
            log.warning("could not go on with a delivery", extra={"reason": fault.code})
            return await self._again(lane)
        except Exception as error:  # a fault of ours: it costs this one delivery, not those behind it
            log.exception("a delivery could not be made")
            return await self._give_up(row, Undeliverable(type(error).__name__))

    async def _deliver(self, lane: str, row: Queued) -> int:
        delivery = unpack_delivery(row.departure.payload)
        chat = self._new_names.get(lane, lane)
        if chat != lane:  # numbers of messages are those of the old chat
            shape = Shape.MESSAGE if delivery.reply.shape is Shape.EDIT else delivery.reply.shape
            delivery = replace(delivery, to="", reply=replace(delivery.reply, shape=shape))
        try:
            platform = self._platforms[row.departure.adapter]
            message = await platform.send(
                chat.partition(":")[2], delivery, lambda: self._set(self._outbox.sending, row.pos)
            )
        except NotDelivered as error:
            return await self._failed(lane, row, delivery, error)
        except BadToken:
            await self._set(self._outbox.queued, row.pos)
            await self._sleep(BACKOFF_S[-1])
            return 0
        self._failures.pop(lane, None)
        await self._set(lambda pos: self._outbox.sent(pos, message), row.pos)
        return 1

    async def _failed(self, lane: str, row: Queued, delivery: Delivery, error: NotDelivered) -> int:
        """What becomes of the row; 1 when it is done with, 0 when it is to be tried again."""
        match error:
            case TryLater(seconds=seconds):
                await self._set(self._outbox.queued, row.pos)
                await self._sleep(seconds)
                return 0
            case ChatMoved(new=new):
                await self._set(self._outbox.queued, row.pos)
                renamed = f"{row.departure.adapter}:{new}"
                if self._new_names.get(lane) == renamed:
                    return await self._give_up(row, error)
                await self._moved(lane, renamed)
                self._new_names[lane] = renamed
                return 0
            case NoConnection():
                await self._set(self._outbox.queued, row.pos)
                return await self._again(lane)
            case OutcomeUnknown() if delivery.reply.shape in REPEATABLE and self._failures.get(lane, 0) < TRIES_MAX:
                await self._set(self._outbox.queued, row.pos)
                return await self._again(lane)
            case OutcomeUnknown():
                log.warning("nobody knows whether a delivery arrived")
                self._failures.pop(lane, None)
                await self._set(lambda pos: self._outbox.uncertain(pos, self._new_names.get(lane, lane)), row.pos)
                return 1
            case Unreachable():
                await self._paused(self._new_names.get(lane, lane), str(error))
                return await self._give_up(row, error)
            case Undeliverable():
                log.error("a delivery was refused for good", extra={"reason": str(error)})
                return await self._give_up(row, error)
            case _:
                raise error

    async def _again(self, lane: str) -> int:
        failures = self._failures.get(lane, 0)
        self._failures[lane] = failures + 1
        await self._sleep(BACKOFF_S[min(failures, len(BACKOFF_S) - 1)])
        return 0

    async def _give_up(self, row: Queued, error: NotDelivered) -> int:
        self._failures.pop(row.departure.chat, None)
        await self._set(lambda pos: self._outbox.failed(pos, str(error)), row.pos)
        return 1

    async def _set(self, change: Callable[[int], Awaitable[None]], pos: int) -> None:
        """A row that could not be kept (a full disk) has no place, and is sent all the same."""
        if not pos:
            return
        try:
            await change(pos)
        except (Unavailable, Damaged) as fault:
            log.warning("could not note how a delivery stands", extra={"reason": fault.code})
