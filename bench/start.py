"""From starting the process to the prompt on a real terminal (a pty), beside what Python itself needs.

Bytecode is kept, as after any first start, in a folder of this run; the first start of all is shown apart.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import suppress
from pathlib import Path

import world
from report import Progress, Table, met, ms, p50, percentile, quick

TARGET_MS = 1000
GIVE_UP_S = 60
ROOT = Path(__file__).parent.parent
PROMPT = "›".encode()


def environment(bytecode: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NIANNIAN"))}
    return {
        **kept, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": bytecode, "LANG": "en_GB.UTF-8", "TERM": "xterm",
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }  # fmt: skip


def to_end(command: list[str], env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def to_prompt(home: Path, env: dict[str, str]) -> float:
    """Until the prompt is on the screen; then Ctrl-D."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "bot", "chat", "--home", str(home)], env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    try:
        while PROMPT not in seen:
            ready, _, _ = select.select([ours], [], [], GIVE_UP_S)
            assert ready, f"no prompt: {seen[-400:]!r}"
            seen += os.read(ours, 65536)
        took = (time.perf_counter() - start) * 1000
        os.write(ours, b"\x04")
        while child.poll() is None:
            ready, _, _ = select.select([ours], [], [], 0.05)
            if ready:
                with suppress(OSError):
                    os.read(ours, 65536)
        assert child.returncode == 0, child.returncode
    finally:
        os.close(ours)
        child.kill()
        child.wait()
    return took


def to_pipe_answer(home: Path, env: dict[str, str]) -> float:
    """One question through a pipe, answered, and out again."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "bot", "chat", "--home", str(home)],
        env=env, check=True, input=b"where is the spare key?\n", stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return (time.perf_counter() - start) * 1000


async def main(rounds: int) -> None:
    async with world.scratch() as folder:
        big = await world.copy_of_home(folder, "both", 10_000)
        bytecode = tempfile.mkdtemp(prefix="bytecode-", dir=folder)
        env = environment(bytecode)
        first = to_prompt(folder / "first", env)
        to_pipe_answer(big, env)
        names = (
            "python -c pass",
            "import bot.cli",
            "new home → prompt",
            "10,000 entries → prompt",
            "10,000 entries, one question by pipe",
        )
        took: dict[str, list[float]] = {name: [] for name in names}
        progress = Progress("starting", rounds)
        for number in range(rounds):
            progress.at(number)
            fresh = folder / f"new-{number}"
            took[names[0]].append(to_end([sys.executable, "-c", "pass"], env))
            took[names[1]].append(to_end([sys.executable, "-c", "import bot.cli"], env))
            took[names[2]].append(to_prompt(fresh, env))
            took[names[3]].append(to_prompt(big, env))
            took[names[4]].append(to_pipe_answer(big, env))
            shutil.rmtree(fresh)
        progress.done()
    table = Table("start", "what", "p50", "p95", "target met")
    for place, name in enumerate(names):
        met_it = met(p50(took[name]) <= TARGET_MS) if place in (2, 3) else "–"
        table.row(name, ms(p50(took[name])), ms(percentile(took[name], 0.95)), met_it)
    table.row("the very first start, no bytecode yet", ms(first), "–", "–")
    table.show()
    print("  target: ≤ 1 s to the prompt")


if __name__ == "__main__":
    asyncio.run(main(10 if quick(__doc__) else 20))
