"""Recall over 10,000, 100,000 and a million entries, and as many messages, beside a bare FTS5 query on the same index.

The rows are written straight into the tables, as the projection would write them: a million receipts would take an
hour and measure nothing here. Vectors are random; an embedder's own time is not in these figures.

    uv run python bench/scale.py [--quick] [--million]
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import world
from report import Progress, Table, met, ms, p50, percentile

from store import index
from store.chat import search_chat
from store.projection import ENTRY_COLUMNS
from store.recall import Question, recall
from store.schema import MEMORY_MIGRATIONS
from store.sql import transaction
from store.text import alike, subject, terms
from store.vectors import ENTRIES, HELD_MAX, TURNS, Matrices, Meaning
from store.view import View

TODAY = date(2024, 5, 27)
DAYS = 1500
SESSION_TURNS = 25
DIMENSIONS = 384
MODEL = f"bench {DIMENSIONS}"


def build(conn: sqlite3.Connection, lang: str, count: int) -> None:
    for migration in MEMORY_MIGRATIONS:
        for step in migration.steps:
            conn.execute(step) if isinstance(step, str) else step(conn)
    statements = world.texts(lang, count)
    progress = Progress(f"building {lang} {count:,}", count)
    insert = f"INSERT INTO entries({', '.join(ENTRY_COLUMNS)}) VALUES({', '.join('?' * len(ENTRY_COLUMNS))})"
    conn.execute("BEGIN")
    for number, text in enumerate(statements):
        row = dict.fromkeys(ENTRY_COLUMNS, "") | _entry(number, count, text)
        seq = conn.execute(insert, tuple(row[name] for name in ENTRY_COLUMNS)).lastrowid
        assert seq is not None
        index.add(conn, seq, text)
        day = str(row["day"])
        session = number // SESSION_TURNS + 1
        turn = conn.execute(
            "INSERT INTO turns(session, chat, account, at_ms, day, kind, text, reply, cited)"
            " VALUES(?, 'c', 'a', ?, ?, 'talk', ?, '', '[]')",
            (session, row["at_ms"], day, text),
        ).lastrowid
        assert turn is not None
        index.add_turn(conn, turn, session=session, account="a", day=day, text=text)
        progress.at(number)
    conn.execute("COMMIT")
    progress.done()


def _entry(number: int, count: int, text: str) -> dict[str, object]:
    said = TODAY - timedelta(days=DAYS - DAYS * number // count)
    parts = subject(text) or ("", "")
    return {
        "id": f"{number:026d}", "label": f"D-{said.isoformat()}-{number:02d}", "kind": "fact", "text": text,
        "about": "[]", "tags": "[]", "aliases": "[]", "at_ms": number, "zone": "UTC", "day": said.isoformat(),
        "author": "a", "source": "{}", "origin": "said", "lang": "en", "supersedes": "[]", "dates": "[]",
        "hidden": 0, "pinned": 0, "importance": None, "cleared": 0, "tainted": 0, "held": 0, "current": 1,
        "versions": 1, "more_tags": "[]", "subject": parts[0], "rest": parts[1], "same": alike(text),
    }  # fmt: skip


def give_vectors(conn: sqlite3.Connection) -> None:
    drawn = np.random.default_rng(1)

    def run(inner: sqlite3.Connection) -> None:
        for table, rows in ((ENTRIES, "SELECT seq FROM entries"), (TURNS, "SELECT place FROM turn_places")):
            some = [row for (row,) in inner.execute(f"{rows} ORDER BY 1 DESC LIMIT ?", (HELD_MAX,))]
            for row in some:
                vector = drawn.standard_normal(DIMENSIONS, dtype=np.float32)
                vector /= np.linalg.norm(vector)
                inner.execute(
                    f"INSERT INTO {table}(row, model, han, vector) VALUES(?, ?, 0, ?)", (row, MODEL, vector.tobytes())
                )

    transaction(conn, run)


def bare(conn: sqlite3.Connection, table: str, words: str) -> None:
    """The least any search here can do: the same terms, the twenty best by bm25."""
    match = " OR ".join(f'"{term}"' for term in terms(words))
    conn.execute(
        f"SELECT rowid, bm25({table}) AS score FROM {table} WHERE {table} MATCH ? ORDER BY score LIMIT 20", (match,)
    ).fetchall()


def timed(fn: Callable[[], object]) -> float:
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1000


def meanings() -> Iterator[Meaning]:
    drawn = np.random.default_rng(2)
    while True:
        vector = drawn.standard_normal(DIMENSIONS, dtype=np.float32)
        yield Meaning("e5", MODEL, vector / np.linalg.norm(vector))


def measure(table: Table, conn: sqlite3.Connection, lang: str, count: int, rounds: int) -> None:
    view = View(conn, Matrices())
    asked = world.questions(lang, rounds)
    random.Random(3).shuffle(asked)
    vectors = meanings()
    took: dict[str, list[float]] = {name: [] for name in ("bare", "facts", "near", "bare chat", "chat", "near chat")}
    for words in asked:
        meaning = next(vectors)
        took["bare"].append(timed(lambda words=words: bare(conn, "words", words)))  # type: ignore[misc]
        took["facts"].append(timed(lambda words=words: recall(view, Question(words, TODAY))))  # type: ignore[misc]
        took["bare chat"].append(timed(lambda words=words: bare(conn, "turn_words", words)))  # type: ignore[misc]
        took["chat"].append(timed(lambda words=words: search_chat(view, words, TODAY)))  # type: ignore[misc]
        question = Question(words, TODAY, meaning=meaning)
        took["near"].append(timed(lambda question=question: recall(view, question)))  # type: ignore[misc]
        took["near chat"].append(
            timed(lambda words=words, meaning=meaning: search_chat(view, words, TODAY, meaning=meaning))  # type: ignore[misc]
        )
    for name, beside, most in (
        ("facts", "bare", 5),
        ("near", "bare", 5),
        ("chat", "bare chat", 10),
        ("near chat", "bare chat", 10),
    ):
        ours, theirs = took[name], took[beside]
        goal = p50(ours) <= (most if count <= 10_000 else 30) if count < 1_000_000 else percentile(ours, 0.95) <= 400
        table.row(
            f"{count:,} {lang}", name, f"{ms(p50(theirs))} / {ms(percentile(theirs, 0.95))}",
            f"{ms(p50(ours))} / {ms(percentile(ours, 0.95))}", f"{p50(ours) / p50(theirs):.2f}", met(goal),
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="10,000 only")
    parser.add_argument("--million", action="store_true", help="a million as well: some ten minutes and 4 GB of disk")
    parser.add_argument("--sizes", help="for example 10000,100000")
    given = parser.parse_args()
    sizes = [10_000] if given.quick else [10_000, 100_000, *([1_000_000] if given.million else [])]
    if given.sizes:
        sizes = [int(one) for one in given.sizes.split(",")]
    table = Table(
        "recall by size", "entries", "search", "bare FTS5 p50 / p95", "ours p50 / p95", "× bare", "target met"
    )
    for count in sizes:
        for lang in ("zh", "en"):
            with (
                tempfile.TemporaryDirectory(prefix="niannian-bench-") as folder,
                closing(sqlite3.connect(Path(folder) / "scale.db", isolation_level=None)) as conn,
            ):
                conn.execute("PRAGMA journal_mode = WAL")
                conn.execute("PRAGMA synchronous = OFF")
                conn.execute("PRAGMA cache_size = -64000")
                build(conn, lang, count)
                give_vectors(conn)
                measure(table, conn, lang, count, 100 if count < 1_000_000 else 40)
    table.show()


if __name__ == "__main__":
    main()
