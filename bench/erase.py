"""Forgetting for good: founding a scope of 10,000 entries anew without one of them; and rebuilding all its rows."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

import world
from report import Progress, Table, ms, p50, quick

from bot.app import OWNER
from store.writer import Writer

ENTRIES = 10_000
LATER = timedelta(minutes=11)


class Ahead:
    """A clock that can be put forward: the undo window passes at once."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


async def main(rounds: int) -> None:
    hidden: list[float] = []
    erased: list[float] = []
    rebuilt: list[float] = []
    clock = Ahead()
    async with world.scratch() as folder:
        home = await world.copy_of_home(folder, "both", ENTRIES)
        async with world.running(home, clock=clock) as app:
            memory = await world.memory_of(app)
            progress = Progress("forgetting and rebuilding", rounds)
            for number in range(rounds):
                progress.at(number)

                def hide(writer: Writer) -> None:
                    (entry,) = writer.entries("hidden = 0", limit=1)
                    writer.set(entry.id, "hidden", True, by=OWNER)

                start = time.perf_counter()
                await memory.turn(hide)
                middle = time.perf_counter()
                clock.ahead += LATER
                before = time.perf_counter()
                assert await memory.erase_due() == 1
                after = time.perf_counter()
                await memory.rebuild()
                end = time.perf_counter()
                hidden.append((middle - start) * 1e3)
                erased.append((after - before) * 1e3)
                rebuilt.append((end - after) * 1e3)
            progress.done()
    table = Table(f"forgetting in a scope of {ENTRIES:,} entries", "what", "p50", "worst")
    for name, took in (
        ("hide (at once, in the reply)", hidden),
        ("found anew without it, optimize, VACUUM twice, WAL truncated", erased),
        ("drop and rebuild every row from the log", rebuilt),
    ):
        table.row(name, ms(p50(took)), ms(max(took)))
    table.show()


if __name__ == "__main__":
    asyncio.run(main(2 if quick(__doc__) else 5))
