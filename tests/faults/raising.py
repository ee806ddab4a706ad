"""A connection that counts its statements and, at the n-th, does what a bad disk or a power cut would do.

It is handed in through the `factory` seam of `Database.open`; nothing is patched. The plan is shared by all
connections of one home, so "the n-th statement" means the n-th of the whole program.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Failing(StrEnum):
    BEFORE = "before"
    """The statement is not run; it raises."""
    AFTER = "after"
    """It is run, then raises: the outcome is unknown to the caller."""
    TWICE = "twice"
    """As BEFORE, and the ROLLBACK that follows raises too."""
    KILL_BEFORE = "kill-before"
    KILL_AFTER = "kill-after"


IO_WRITE = (sqlite3.SQLITE_IOERR_WRITE, "disk I/O error")
FULL = (sqlite3.SQLITE_FULL, "database or disk is full")
CORRUPT = (sqlite3.SQLITE_CORRUPT, "database disk image is malformed")


@dataclass(slots=True)
class Plan:
    """`at`: the number of the statement that fails, counted from 1 since `counted` was last set to 0; 0 is never."""

    at: int = 0
    failing: Failing = Failing.BEFORE
    error: tuple[int, str] = IO_WRITE
    counted: int = 0
    only: str = ""
    """Only statements that begin with this are counted."""
    seen: list[str] = field(default_factory=list)
    rollback_fails: bool = False

    def begin(
        self, at: int, failing: Failing = Failing.BEFORE, error: tuple[int, str] = IO_WRITE, only: str = ""
    ) -> None:
        self.at, self.failing, self.error, self.only = at, failing, error, only
        self.counted = 0
        self.rollback_fails = False
        self.seen.clear()

    def problem(self) -> sqlite3.OperationalError:
        code, words = self.error
        error = sqlite3.OperationalError(words)
        error.sqlite_errorcode = code
        error.sqlite_errorname = "SQLITE_INJECTED"
        return error

    def before(self, sql: str) -> bool:
        """True when this is the statement; raises or kills when it must not even be run."""
        if self.rollback_fails and sql.startswith("ROLLBACK"):
            self.rollback_fails = False
            raise self.problem()
        if self.only and not sql.startswith(self.only):
            return False
        self.counted += 1
        self.seen.append(sql)
        if self.counted != self.at:
            return False
        match self.failing:
            case Failing.KILL_BEFORE:
                os.kill(os.getpid(), signal.SIGKILL)
            case Failing.BEFORE:
                raise self.problem()
            case Failing.TWICE:
                self.rollback_fails = True
                raise self.problem()
        return True

    def after(self) -> None:
        if self.failing is Failing.KILL_AFTER:
            os.kill(os.getpid(), signal.SIGKILL)
        raise self.problem()


def factory_of(plan: Plan) -> type[sqlite3.Connection]:
    class Counting(sqlite3.Connection):
        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
            mine = plan.before(sql)
            cursor = super().execute(sql, parameters)
            if mine:
                plan.after()
            return cursor

        def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
            mine = plan.before(sql)
            cursor = super().executemany(sql, parameters)
            if mine:
                plan.after()
            return cursor

    return Counting
