"""The alarm clock: it wakes whoever knows what is due, and knows nothing itself. The only door to APScheduler.

    one `date` job at the next instant ─┐
    a heartbeat of 45 seconds          ─┼→ tick → the next instant
    `wake`: something was set just now ─┘

A timer sleeps on a clock that stops while the machine does, and a memory store forgets; both are why nothing is ever
read out of the scheduler. What a lost or a doubled ring of the alarm costs is a look at rows that say what was done.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_MAX_INSTANCES, EVENT_JOB_MISSED, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from store.ports import Clock

log = logging.getLogger(__name__)

HEARTBEAT_S = 45
JUMP = timedelta(seconds=5)
"""So much may the clock and the time that has gone by differ."""
_NEXT, _BEAT = "next", "heartbeat"

Tick = Callable[[], Awaitable[datetime | None]]


class Alarm:
    """`tick` says what is due and gives the next instant; it is never called twice at once. `monotonic`: in seconds."""

    def __init__(self, tick: Tick, clock: Clock, monotonic: Callable[[], float]) -> None:
        self._tick = tick
        self._clock = clock
        self._monotonic = monotonic
        self._at_work = asyncio.Lock()
        self._seen: tuple[datetime, float] | None = None
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._loose: set[asyncio.Task[None]] = set()
        self._wanted = False
        self._closed = False

    def start(self) -> None:
        """The first tick comes at once."""
        self._scheduler.add_listener(_note, EVENT_JOB_MISSED | EVENT_JOB_ERROR | EVENT_JOB_MAX_INSTANCES)
        self._scheduler.add_job(
            self._woken,
            "interval",
            seconds=HEARTBEAT_S,
            id=_BEAT,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )
        self._scheduler.start()
        self.wake()

    def wake(self) -> None:
        """Looks again soon; from the event loop. A look that has not begun serves everybody who wants one."""
        if self._wanted or self._closed:
            return
        self._wanted = True
        task = asyncio.ensure_future(self.ring())
        self._loose.add(task)
        task.add_done_callback(self._loose.discard)

    async def ring(self) -> None:
        """One tick, and the alarm set to what it gave. A tick that breaks is noted, and the next one comes all the same."""
        async with self._at_work:
            self._wanted = False
            self._note_jump()
            try:
                next_at = await self._tick()
            except Exception as error:
                log.error("a tick broke", extra={"reason": type(error).__name__})
                return
            if next_at is not None and not self._closed:
                self._scheduler.add_job(
                    self._woken, "date", run_date=next_at, id=_NEXT, replace_existing=True, misfire_grace_time=None
                )

    async def _woken(self) -> None:
        """What the scheduler runs: over at once, for a job that is still running would be left out."""
        self.wake()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._scheduler.shutdown(wait=False)
            await asyncio.sleep(0)  # it ends in the loop's next round
        for task in self._loose:
            task.cancel()
        await asyncio.gather(*self._loose, return_exceptions=True)

    def _note_jump(self) -> None:
        """A machine that slept, or a clock that was set: everything is looked at anew by any tick, so it is only told."""
        now = (self._clock.now(), self._monotonic())
        if self._seen is not None:
            jump = now[0] - self._seen[0] - timedelta(seconds=now[1] - self._seen[1])
            if abs(jump) > JUMP:
                log.warning("the clock jumped", extra={"seconds": int(jump.total_seconds())})
        self._seen = now


def _note(event: Any) -> None:
    reason = type(event.exception).__name__ if isinstance(event, JobExecutionEvent) and event.exception else ""
    log.warning("the alarm was late or broke", extra={"job": event.job_id, "reason": reason})
