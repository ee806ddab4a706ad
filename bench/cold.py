"""A process that opens a home of 10,000 entries cold: how long until it is open and until it answers, and how big it gets.

Every round is a fresh child; the time to start Python is not in it (see start.py).
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import world
from report import Progress, Table, met, ms, p50, percentile, quick

ENTRIES = 10_000
OPEN_MAX_MS = 50
RSS_MAX_MB = 150


async def child(home: Path) -> dict[str, float]:
    """Opens the owner's scope, asks, remembers; milliseconds, and megabytes at the end."""
    from store.recall import Question, recall

    async with world.running(home, erase=False) as app:
        start = time.perf_counter()
        memory = await world.memory_of(app)
        opened = time.perf_counter()
        words = Question("where is the spare key?", datetime.now().date())
        await memory.read(lambda view: recall(view, words))
        answered = time.perf_counter()
        session = await app.session()
        (reply,) = await session.say("remember the ladder is at Marta's flat")
        assert reply.stored
        wrote = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "open": (opened - start) * 1e3,
        "answer": (answered - opened) * 1e3,
        "write": (wrote - answered) * 1e3,
        "rss": peak,
    }


async def main(rounds: int) -> None:
    found: dict[str, list[float]] = {"open": [], "answer": [], "write": [], "rss": []}
    async with world.scratch() as folder:
        home = await world.copy_of_home(folder, "both", ENTRIES)
        progress = Progress("cold starts", rounds)
        for number in range(rounds):
            progress.at(number)
            command = [sys.executable, __file__, "--child", str(home)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for name, value in json.loads(done.stdout).items():
                found[name].append(value)
        progress.done()
    table = Table(f"cold scope of {ENTRIES:,} entries", "what", "p50", "p95", "target", "met")
    table.row(
        "open",
        ms(p50(found["open"])),
        ms(percentile(found["open"], 0.95)),
        "≤ 50 ms",
        met(p50(found["open"]) <= OPEN_MAX_MS),
    )
    table.row("first answer after it", ms(p50(found["answer"])), ms(percentile(found["answer"], 0.95)), "–", "–")
    table.row("first receipt after it", ms(p50(found["write"])), ms(percentile(found["write"], 0.95)), "–", "–")
    rss = p50(found["rss"])
    table.row("peak memory (RSS)", f"{rss:.0f} MB", f"{max(found['rss']):.0f} MB", "≤ 150 MB", met(rss <= RSS_MAX_MB))
    table.show()


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--child":
        print(json.dumps(asyncio.run(child(Path(sys.argv[2])))))
    else:
        asyncio.run(main(5 if quick(__doc__) else 15))
