"""Files in and out: importing and exporting, beside the bare writing of as many entries.

python bench/exchange.py [--entries 10000]
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from datetime import date
from pathlib import Path

from store import import_plan, importing, tree
from store.importing import Hand
from store.model import Draft, EntryKind, Origin, Source
from store.writer import Writer
from tests.store.memories import LIN, Box
from tests.store.trees import lines_as_facts

ZONE = "Asia/Shanghai"
WORDS = "the team decided to move the weekly review to Thursday because 周三太满，房租每月五号交 backup restore drill budget".split()


def files_of(entries: int) -> dict[str, str]:
    """A workspace of `entries` blocks over a year of day files."""
    days: dict[str, list[str]] = {}
    for n in range(entries):
        day = date.fromordinal(date(2023, 6, 1).toordinal() + n % 360).isoformat()
        said = " ".join(WORDS[(n * 7 + k) % len(WORDS)] for k in range(9))
        days.setdefault(day, []).append(f"- Decision: {said} {n}\n- Why: reason {n}\n- Tags: t{n % 50}\n")
    return {f"memory/{day}.md": "\n".join(blocks) for day, blocks in days.items()}


async def run(entries: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = files_of(entries)
        async with Box(Path(folder) / "bare").opened() as memory:

            def bare(writer: Writer) -> None:
                for n in range(entries):
                    said = " ".join(WORDS[(n * 7 + k) % len(WORDS)] for k in range(9))
                    writer.remember(
                        Draft(f"{said} {n}", EntryKind.DECISION, why=f"reason {n}", tags=(f"t{n % 50}",)),
                        at_ms=writer.now_ms - n * 3_000_000, zone=ZONE, author=LIN, source=Source("terminal", "c", ""),
                        origin=Origin.SAID, lang="en",
                    )  # fmt: skip

            start = time.perf_counter()
            await memory.turn(bare)
            print(f"bare: {entries:,} entries remembered in one transaction  {time.perf_counter() - start:6.2f} s")
        async with Box(Path(folder) / "own").opened() as memory:
            start = time.perf_counter()
            reading = tree.read(list(files.items()), loose=lines_as_facts)
            read = time.perf_counter()

            made = await memory.read(lambda view: import_plan.plan(view, reading, scope=memory.scope))
            seen = time.perf_counter()

            def take(writer: Writer) -> importing.Done:
                plan = import_plan.plan(writer, reading, scope=memory.scope)
                return importing.apply(writer, plan, Hand(LIN, ZONE, writer.new_id(writer.now_ms), lambda text: "en"))

            await memory.turn(take)
            done = time.perf_counter()
            print(
                f"import: read {read - start:.2f} s, preview {seen - read:.2f} s ({len(made.new):,} new), import {done - seen:.2f} s"
            )
            again = time.perf_counter()
            second = await memory.read(lambda view: import_plan.plan(view, reading, scope=memory.scope))
            print(f"the same again: {second.same:,} known, {len(second.new)} new  {time.perf_counter() - again:6.2f} s")
            start = time.perf_counter()
            out = await memory.read(
                lambda view: tree.render(view, scope=memory.scope, zone=ZONE, lang="en", today=date(2024, 5, 27))
            )
            shown = time.perf_counter()
            size = sum(map(len, out.values()))
            print(f"export: {len(out)} files, {size / 1e6:.1f} M characters  {shown - start:6.2f} s")
            start = time.perf_counter()
            back = tree.read(list(out.items()), loose=lines_as_facts)
            same = await memory.read(lambda view: import_plan.plan(view, back, scope=memory.scope))
            print(f"looking for hand edits in it: {same.same:,} as written  {time.perf_counter() - start:6.2f} s")
            start = time.perf_counter()
            await memory.turn(lambda writer: importing.undo(writer, importing.last_run(writer) or "", LIN))
            print(f"taking the import back  {time.perf_counter() - start:6.2f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    asyncio.run(run(parser.parse_args().entries))
