"""`python -m tests.sim 10000`: so many stories, on every core, with a bar. A failure prints the seed that plays it again."""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from tests.sim.test_simulation import play

IN_MEMORY = Path("/dev/shm")
STORY_S_MAX = 300
"""A story takes two seconds; one that waits for what never comes has failed."""


def one(seed: int) -> str:
    """ "" when the story came to a good end."""
    place = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="niannian-sim-", dir=place) as folder:
        try:
            asyncio.run(asyncio.wait_for(play(seed, Path(folder)), STORY_S_MAX))
        except Exception:  # told with the seed; the other stories go on
            return f"seed {seed}\n{traceback.format_exc(limit=-6)}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("seeds", type=int)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    failed = 0
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with ProcessPoolExecutor(os.cpu_count()) as pool, Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=asked.seeds)
        for done in as_completed(pool.submit(one, seed) for seed in range(asked.first, asked.first + asked.seeds)):
            if fault := done.result():
                failed += 1
                print(fault, flush=True)
            progress.advance(bar)
    print(f"{asked.seeds - failed} of {asked.seeds} stories came to a good end")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
