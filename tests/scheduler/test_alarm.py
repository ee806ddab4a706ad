"""The alarm clock: that it wakes whoever knows, at the next instant and in between, and knows nothing itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from scheduler.alarm import _BEAT, _NEXT, HEARTBEAT_S, Alarm
from tests.fakes import FakeClock

NOW = datetime(2100, 5, 4, 7, 0, tzinfo=UTC)  # ahead of every machine's clock: no job of the tests runs by itself


class Rung:
    def __init__(self) -> None:
        self.times = 0
        self.next_at: datetime | None = None
        self.broken = False
        self.within = 0

    async def __call__(self) -> datetime | None:
        self.within += 1
        assert self.within == 1, "two ticks at once"
        await asyncio.sleep(0)
        self.times += 1
        self.within -= 1
        if self.broken:
            raise ValueError("pay the rent")
        return self.next_at


class Bench:
    def __init__(self) -> None:
        self.rung = Rung()
        self.clock = FakeClock(NOW)
        self.monotonic = 100.0
        self.alarm = Alarm(self.rung, self.clock, lambda: self.monotonic)

    def jobs(self) -> dict[str, datetime]:
        return {job.id: job.next_run_time for job in self.alarm._scheduler.get_jobs()}

    async def quiet(self) -> None:
        while self.alarm._loose:
            await asyncio.wait(set(self.alarm._loose))

    def go_by(self, clock_s: float, really_s: float) -> None:
        self.clock.advance(timedelta(seconds=clock_s))
        self.monotonic += really_s


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    made.alarm.start()
    yield made
    await made.alarm.close()


async def test_it_looks_at_once_and_again_at_the_next_instant(bench: Bench) -> None:
    await bench.quiet()
    assert bench.rung.times == 1
    assert _NEXT not in bench.jobs()
    bench.rung.next_at = NOW + timedelta(hours=2)
    bench.alarm.wake()
    await bench.quiet()
    assert bench.jobs()[_NEXT] == NOW + timedelta(hours=2)
    assert _BEAT in bench.jobs()
    bench.rung.next_at = NOW + timedelta(hours=1)
    bench.alarm.wake()
    await bench.quiet()
    assert bench.jobs()[_NEXT] == NOW + timedelta(hours=1), "one job, the newest instant"


async def test_the_heartbeat_misses_nothing_for_being_late(bench: Bench) -> None:
    job = bench.alarm._scheduler.get_job(_BEAT)
    assert job.trigger.interval == timedelta(seconds=HEARTBEAT_S)
    assert (job.misfire_grace_time, job.coalesce, job.max_instances) == (None, True, 1)
    await bench.quiet()


async def test_looks_come_one_after_the_other_and_one_that_waits_serves_all(bench: Bench) -> None:
    await bench.quiet()
    for _ in range(5):
        bench.alarm.wake()
    await asyncio.gather(bench.alarm.ring(), bench.alarm.ring(), bench.quiet())
    assert bench.rung.times == 4


async def test_a_tick_that_breaks_says_so_without_words_and_the_next_one_comes(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    await bench.quiet()
    bench.rung.broken = True
    await bench.alarm.ring()
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == ["a tick broke"]
    assert "pay the rent" not in caplog.text
    bench.rung.broken = False
    await bench.alarm.ring()
    assert bench.rung.times == 3


@pytest.mark.parametrize(("clock_s", "really_s", "jumped"), [(45, 45, None), (50, 45, None), (51, 45, 6), (3 * 86400, 1, 259199), (-3600, 45, -3645)])  # fmt: skip
async def test_a_clock_that_jumps_is_noticed_and_everything_is_looked_at_anew(
    bench: Bench, caplog: pytest.LogCaptureFixture, clock_s: float, really_s: float, jumped: int | None
) -> None:
    await bench.quiet()
    bench.go_by(clock_s, really_s)
    await bench.alarm.ring()
    told = [vars(record)["seconds"] for record in caplog.records if record.getMessage() == "the clock jumped"]
    assert told == ([] if jumped is None else [jumped])
    assert bench.rung.times == 2


async def test_an_instant_that_has_come_rings_by_itself() -> None:
    """With the machine's own clock: the job in the past runs at once, however late it is."""
    rung = Rung()
    alarm = Alarm(rung, FakeClock(), lambda: 0.0)
    alarm.start()
    rung.next_at = datetime(2024, 5, 4, tzinfo=UTC)
    async with asyncio.timeout(10):
        while rung.times < 3:
            await asyncio.sleep(0.001)
    rung.next_at = None
    await alarm.close()


async def test_closed_it_says_nothing_more(bench: Bench) -> None:
    await bench.quiet()
    await bench.alarm.close()
    assert not bench.alarm._scheduler.running
    await bench.alarm.ring()
    assert bench.rung.times == 2
