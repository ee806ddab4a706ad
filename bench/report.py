"""What every bench shows: progress while it works, a small table at the end, and on which machine it ran."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Sequence


class Progress:
    """One line on standard error; quiet when that is no terminal, but for the beginning."""

    def __init__(self, task: str, total: int) -> None:
        self._task, self._total, self._shown = task, total, -1
        self._live = sys.stderr.isatty()
        if not self._live:
            print(f"… {task}", file=sys.stderr, flush=True)

    def at(self, done: int) -> None:
        share = min(100, 100 * done // max(self._total, 1))
        if self._live and share != self._shown:
            self._shown = share
            print(f"\r… {self._task} {share:3d} %", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        if self._live:
            print("\r" + " " * (len(self._task) + 12) + "\r", end="", file=sys.stderr, flush=True)


class Table:
    """Rows under headings, aligned; with the machine below."""

    def __init__(self, title: str, *headings: str) -> None:
        self._title, self._rows = title, [headings]

    def row(self, *cells: str) -> None:
        self._rows.append(cells)

    def show(self) -> None:
        widths = [max(len(row[i]) for row in self._rows) for i in range(len(self._rows[0]))]
        print(f"\n{self._title}")
        for row in self._rows:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        print(f"  ({machine()})\n", flush=True)


def machine() -> str:
    load = "/".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}, load {load}"
    )


def worked(fn: Callable[[], object]) -> float:
    """Milliseconds of processor time: for pure work, which neighbours on the machine must not colour."""
    start = time.thread_time()
    fn()
    return (time.thread_time() - start) * 1000


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def p50(values: Sequence[float]) -> float:
    return statistics.median(values)


def ms(value: float) -> str:
    return f"{value:.2f} ms" if value < 100 else f"{value:.0f} ms"


def met(holds: bool) -> str:
    return "yes" if holds else "NO"


def quick(what: str) -> bool:
    """Reads the command line: `--quick` is the only option."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for a look")
    return bool(parser.parse_args().quick)
