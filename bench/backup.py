"""A home with 100,000 entries backed up and restored, through the program as a person runs it: time and memory.

Beside it: the same bytes copied, hashed twice and sealed once, which no backup of this kind can beat.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import world
from report import Table, quick

from store.age import Sealer
from store.clock import SystemEntropy

ROOT = Path(__file__).parent.parent
PASSPHRASE = "four quiet herons"
PIECE = 1 << 18


def run(*words: str) -> tuple[float, float, str]:
    """Seconds, the largest MB so far of any child, and what it said."""
    env = {**os.environ, "NIANNIAN_BACKUP_PASSPHRASE": PASSPHRASE, "NIANNIAN_PERSON_LANG": "en"}
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "bot", *words], cwd=ROOT, env=env, capture_output=True, text=True)
    took = time.perf_counter() - start
    assert done.returncode == 0, done.stderr
    return took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, done.stdout


def least(home: Path, scratch: Path) -> float:
    start = time.perf_counter()
    with (scratch / "least").open("wb") as out:
        sealer = Sealer(out, PASSPHRASE, SystemEntropy())
        for path in home.rglob("*.db"):
            with path.open("rb") as file:
                while piece := file.read(PIECE):
                    hashlib.sha256(piece).digest()
                    hashlib.sha256(piece).digest()
                    sealer.write(piece)
        sealer.close()
        out.flush()
        os.fsync(out.fileno())
    return time.perf_counter() - start


async def main(entries: int) -> None:
    async with world.scratch() as folder:
        home = await world.copy_of_home(folder, "both", entries)
        size = sum(path.stat().st_size for path in home.rglob("*.db"))
        bare = await asyncio.to_thread(least, home, folder)
        rows = []
        file = str(folder / "a.age")
        for what, words in (
            ("backup, opened again", ("backup", file, "--home", str(home))),
            ("restore on an empty machine", ("restore", file, "--home", str(folder / "there"))),
            ("restore over a home of that size", ("restore", file, "--home", str(home))),
            ("first question afterwards", ("ask", "where is the spare key", "--home", str(home))),
        ):
            print(f"… {what}", file=sys.stderr, flush=True)
            rows.append((what, *(await asyncio.to_thread(run, *words))[:2]))
    table = Table(f"a home with {entries:,} entries, {size / 1e6:,.0f} MB", "what", "seconds", "largest process so far")
    table.row("copied, hashed twice, sealed", f"{bare:.1f}", "")
    for what, seconds, megabytes in rows:
        table.row(what, f"{seconds:.1f}", f"{megabytes:.0f} MB")
    table.show()


if __name__ == "__main__":
    asyncio.run(main(10_000 if quick(__doc__ or "") else 100_000))
