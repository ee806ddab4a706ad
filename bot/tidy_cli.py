"""`niannian tidy`: what the night would propose, and why. Beside a running niannian it is asked of that one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from bot import render
from bot.door import DoorScope
from bot.exchange_cli import Command
from bot.words import Words
from scheduler.promotion import SCORE_MIN


def tidy(home: Path, scope: DoorScope, *, dry: bool) -> None:
    command = Command(home, scope)

    async def work() -> int:
        report = await command.ask("tidy", {"dry": dry})
        command.talk.say(*_lines(command.told, report, dry=dry))
        return 0

    command.run(work)


def _lines(told: Words, report: dict[str, Any], *, dry: bool) -> Iterator[str]:
    night = date.fromisoformat(report["night"])
    yield told("diary-title", day=render.day(told, night, night))
    for one in report["proposed"]:
        why = told(f"diary-why-{one['verdict']}", n=one["times"])
        yield told("diary-proposed", ref=one["ref"], text=one["text"], why=why)
    if report["waiting"]:
        yield told("tidy-cli-waiting", n=report["waiting"])
    for one in report["nearly"]:
        why = told("diary-why-nearly", n=one["times"], score=one["score"], least=round(SCORE_MIN * 100))
        yield told("diary-nearly", ref=one["ref"], text=one["text"], why=why)
    if report["left"]:
        reasons = " · ".join(told(f"tidy-why-{reason}", n=count) for reason, count in report["left"].items())
        yield told("diary-not", reasons=reasons)
    elif not (report["proposed"] or report["nearly"] or report["chat"]):
        yield told("diary-nothing")
    if report["chat"]:
        name = "tidy-cli-chat" if dry else "diary-chat"
        yield told(name, n=report["chat"], shown=render.number(told, report["chat"]))
    yield told("tidy-cli-dry" if dry else "tidy-cli-noted")
