"""A toy with the interface of the application, so that the runner is tried without it. It remembers lines in a file."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.message import Button, Line, Reply, Shape
from tests.fakes import FakeClock, FakeEntropy


def load(path: Path, env: dict[str, str]) -> dict[str, str]:
    assert path.name == "niannian.toml"
    return env


class App:
    def __init__(self, home: Path, clock: FakeClock) -> None:
        self.clock = clock
        self.home = home
        self.closed = False
        scope = home / "scopes" / "a"
        scope.mkdir(parents=True, exist_ok=True)
        self.database = sqlite3.connect(scope / "memory.db", isolation_level=None)
        self.database.execute("CREATE TABLE IF NOT EXISTS entries(label TEXT, words TEXT)")

    @classmethod
    async def start(cls, home: Path, config: dict[str, str], clock: FakeClock, entropy: FakeEntropy) -> App:
        assert config["NIANNIAN_PERSON_NAME"] == "Lin" and len(entropy.bytes(8)) == 8
        return cls(home, clock)

    async def session(self, as_name: str | None, group: str | None) -> Session:
        return Session(self, as_name or "Lin", group)

    async def run_due(self) -> list[Reply]:
        return [_reply("rent", "")] if self.clock.now().hour == 1 else []

    async def close(self) -> None:
        self.database.close()


@dataclass
class Session:
    app: App
    name: str
    group: str | None
    buttons: tuple[Button, ...] = ()

    async def say(self, text: str) -> list[Reply]:
        if text == "secrets in logs":
            logging.getLogger(__name__).info("Heard something", extra={"words": text})
        if text.startswith("remember "):
            label = f"D-{self.app.clock.now():%Y-%m-%d}-{self._count() + 1:02}"
            words = text.removeprefix("remember ")
            self.app.database.execute("INSERT INTO entries VALUES (?, ?)", (label, words))
            return [self._shown(_reply(f"Saved · {label}", words, ("Undo", f"undo {label}")))]
        if text == "lie":
            return [_reply("Saved · D-2024-05-27-09", "nothing")]
        if text == "raise":
            raise RuntimeError("as asked")
        if text == "list":
            rows = [row[0] for row in self.app.database.execute("SELECT words FROM entries")]
            return [_reply(f"{self.name} sees {', '.join(rows)}", "")]
        return []

    async def press(self, which: int | str) -> list[Reply]:
        assert isinstance(which, int)
        return await self.press_action(self.buttons[which - 1].action)

    async def press_action(self, action: str) -> list[Reply]:
        if self.name != "Lin":
            return [_reply("Only Lin can press this", "", shape=Shape.TOAST)]
        return [_reply(f"Undone · {action.removeprefix('undo ')}", "", shape=Shape.EDIT)]

    def _shown(self, reply: Reply) -> Reply:
        self.buttons = reply.buttons or self.buttons
        return reply

    def _count(self) -> int:
        count: int = self.app.database.execute("SELECT count(*) FROM entries").fetchone()[0]
        return count


def _reply(words: str, stored: str, *buttons: tuple[str, str], shape: Shape = Shape.MESSAGE) -> Reply:
    lines: list[Any] = [Line(words)] + ([Line(f"“{stored}”", stored=True)] if stored else [])
    return Reply(tuple(lines), tuple(Button(*button) for button in buttons), shape)
