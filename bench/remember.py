"""remember → receipt on the terminal's road (a line in, the reply out, one transaction), beside a bare FULL commit.

Both take turns in one run, because a disk's mood changes: compare the ratio, not the milliseconds.
"""

from __future__ import annotations

import asyncio
import time

import world
from report import Progress, Table, met, ms, p50, percentile, quick

P99_MAX_MS = 50


async def main(rounds: int) -> None:
    table = Table(
        "remember → receipt", "entries", "language", "bare p50", "remember p50", "× bare", "− bare", "p99", "target met"
    )
    async with world.scratch() as folder, world.bare_database(folder) as bare:
        for entries in (100, 10_000):
            home = await world.copy_of_home(folder, "both", entries)
            async with world.running(home) as app:
                session = await app.session()
                for lang, command in (("zh", "记住："), ("en", "remember ")):
                    statements = world.texts(lang, rounds, seed=3)
                    plain, ours = [], []
                    progress = Progress(f"remember {lang} at {entries}", rounds)
                    for done, text in enumerate(statements):
                        progress.at(done)
                        start = time.perf_counter()
                        await bare(text)
                        middle = time.perf_counter()
                        (reply,) = await session.say(command + text)
                        end = time.perf_counter()
                        assert reply.stored, reply.text
                        plain.append((middle - start) * 1000)
                        ours.append((end - middle) * 1000)
                    progress.done()
                    base, mine, worst = p50(plain), p50(ours), percentile(ours, 0.99)
                    holds = mine <= max(2 * base, base + 1) and worst <= P99_MAX_MS
                    table.row(
                        f"{entries:,}", lang, ms(base), ms(mine), f"{mine / base:.2f}", ms(mine - base), ms(worst), met(holds)
                    )  # fmt: skip
    table.show()
    print("  target: p50 ≤ 2 × bare, or bare + 1 ms; p99 ≤ 50 ms")


if __name__ == "__main__":
    asyncio.run(main(100 if quick(__doc__) else 600))
