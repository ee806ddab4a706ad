"""Recall at 10,000 entries, in Chinese and English, beside a bare FTS5 query on the same index."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from sqlite3 import Connection

import world
from report import Progress, Table, met, ms, p50, percentile, quick

from store.recall import Answer, Question, recall
from store.text import terms
from store.view import View

ENTRIES = 10_000
P50_MAX_MS = 5


def bare(conn: Connection, words: str) -> None:
    """The least any search here can do: the same terms, the twenty best by bm25, joined to their rows."""
    match = " OR ".join(f'"{term}"' for term in terms(words))
    conn.execute(
        "SELECT e.id, e.text FROM (SELECT rowid, bm25(words) AS score FROM words WHERE words MATCH ?"
        " ORDER BY score LIMIT 20) s JOIN entries e ON e.seq = s.rowid",
        (match,),
    ).fetchall()


async def main(rounds: int) -> None:
    table = Table(
        f"recall at {ENTRIES:,} entries", "language", "bare FTS5 p50 / p95", "recall p50 / p95", "× bare", "outcomes", "target met"
    )  # fmt: skip
    today = datetime.now().date()
    async with world.scratch() as folder:
        for lang in ("zh", "en"):
            home = await world.copy_of_home(folder, lang, ENTRIES)
            async with world.running(home) as app:
                memory = await world.memory_of(app)
                plain, ours = [], []
                outcomes: dict[str, int] = {}

                def both(view: View, words: str, plain: list[float] = plain, ours: list[float] = ours) -> Answer:
                    start = time.perf_counter()
                    bare(view.conn, words)
                    middle = time.perf_counter()
                    answer = recall(view, Question(words, today))
                    plain.append((middle - start) * 1000)
                    ours.append((time.perf_counter() - middle) * 1000)
                    return answer

                progress = Progress(f"recall {lang}", rounds)
                for done, words in enumerate(world.questions(lang, rounds)):
                    progress.at(done)
                    answer = await memory.read(lambda view, words=words: both(view, words))
                    outcomes[answer.outcome.value] = outcomes.get(answer.outcome.value, 0) + 1
                progress.done()
            table.row(
                lang,
                f"{ms(p50(plain))} / {ms(percentile(plain, 0.95))}",
                f"{ms(p50(ours))} / {ms(percentile(ours, 0.95))}",
                f"{p50(ours) / p50(plain):.2f}",
                ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())),
                met(p50(ours) <= P50_MAX_MS),
            )
    table.show()
    print("  target: p50 ≤ 5 ms (and ≤ 2 × a bare query, DESIGN §10)")


if __name__ == "__main__":
    asyncio.run(main(100 if quick(__doc__) else 500))
