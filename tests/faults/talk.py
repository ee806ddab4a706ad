"""A conversation to break, and what must hold of a home afterwards.

What the person was told is the measure: a RefID in a receipt is a promise, whatever happened before or after.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

from bot.app import App
from bot.config import load
from bot.message import Reply
from bot.platforms.terminal import TerminalSession
from store.examine import Level, examine_memory
from store.sql import DEFAULT_FACTORY, ConnectionFactory
from tests.fakes import FakeClock, FakeEntropy

REF = re.compile(r"\b(?:D-\d{4}-\d\d-\d\d|T-\d{6})-\w+")
SAVED = re.compile(r"^(?:Saved|Corrected|Added) · (?:[a-z]+ · )?([DT]-[\w-]+)", re.MULTILINE)
CLAIM = re.compile(r"\b(Saved|Corrected|Added)\b|记下了|改好了|加上了")
"""The reserved words of a receipt."""
NOT_SAVED = re.compile(r"Not saved|没存下|Nothing was changed|nothing was changed|什么都没动|database is damaged")

SCRIPT = (
    "remember the {n} door code word is heron",
    "remember tea{n} is green",
    "no, tea{n} is white",
    "todo water the {n} plants",
    "/done water the {n} plants",
    "about me: job{n} = gardener",
    "remember to be erased {n}",
    "forget that",
    "Forget",
    "undo",
    "/forget tea{n}",
    "Forget",
    "what did we decide about tea{n}",
    "/new",
)
"""Each line is a write or a question; `{n}` keeps two runs apart."""


@dataclass(slots=True)
class Told:
    """What was promised: RefID → the words of the message that got it."""

    saved: dict[str, str] = field(default_factory=dict)

    def hear(self, said: str, replies: list[Reply]) -> None:
        for reply in replies:
            for label in SAVED.findall(reply.text):
                if reply.stored:
                    self.saved[label] = said


def entropy_for(start: int) -> FakeEntropy:
    return FakeEntropy(f"start-{start}")


@asynccontextmanager
async def running(
    home: Path, clock: FakeClock, *, start: int, factory: ConnectionFactory = DEFAULT_FACTORY
) -> AsyncIterator[tuple[App, TerminalSession]]:
    app = await App.start(
        home, load(home / "niannian.toml", {}), clock, entropy_for(start), factory=factory, login="Lin"
    )
    try:
        yield app, await app.session()
    finally:
        await app.close()


def memory_files(home: Path) -> list[Path]:
    return sorted(home.glob("scopes/*/memory.db"))


def check_home(home: Path, told: Told) -> None:
    """Every promise is kept, nothing is there twice, a rebuild gives the same rows. The home is closed."""
    for path in memory_files(home):
        wrong = [finding for finding in examine_memory(path, "scope").findings if finding.level is not Level.OK]
        assert wrong == [], f"doctor says of {path}: {wrong}"
    (path,) = memory_files(home)
    with closing(sqlite3.connect(path)) as conn:
        rows = conn.execute("SELECT label, text, hidden, kind, current FROM entries").fetchall()
        rows += [
            (label, title, hidden, "task", 1)
            for label, title, hidden in conn.execute("SELECT label, title, hidden FROM tasks")
        ]
        labels = [row[0] for row in rows]
        assert len(labels) == len(set(labels)), "a label is given once"
        erased = {
            row[0].removeprefix("erased/")
            for row in conn.execute("SELECT field FROM registers WHERE field GLOB 'erased/*'")
        }
        for label, said in told.saved.items():
            if label not in erased:
                words = next((text for one, text, *_ in rows if one == label), None)
                assert words is not None, f"lost {label}, acknowledged for {said!r}"
                assert words in said, f"{label} holds {words!r}, said was {said!r}"
        counters = dict(conn.execute("SELECT series, max(last) FROM ref_counter GROUP BY series").fetchall())
        for label in labels:
            assert counters[label.partition("-")[0]] >= int(label.rpartition("-")[2]), f"{label} may be given again"
        texts = [
            text
            for _, text, hidden, kind, current in rows
            if not hidden and current and kind not in ("checkpoint", "task")
        ]
        assert len(texts) == len(set(texts)), "nothing is there twice"


def check_reply(said: str, reply: Reply) -> None:
    """A failed reply says so; a receipt's word stands only over a RefID."""
    if reply.failed:
        assert NOT_SAVED.search(reply.text), reply.text
        assert not CLAIM.search(NOT_SAVED.sub("", reply.text)), reply.text
    for word in CLAIM.finditer(reply.text):
        if reply.stored:
            assert REF.search(reply.text[word.start() :]), reply.text
