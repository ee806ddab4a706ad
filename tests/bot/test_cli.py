"""How the one-shot commands read what they are given."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from bot.cli import as_question, cli
from bot.intents import Ask, Board, Empty, Profile, Simple, Track, Why


@pytest.mark.parametrize(
    "said",
    ["remember tea is green", "no, tea is black", "forget tea", "undo", "/new", "start over", "pin D-2024-05-27-01",
     "todo: buy tea", "todo", "done: buy tea", "remind me to buy tea", "about me: job = tea", "/tz Berlin", "/lang zh",
     "/track tea", "stop tracking tea",
     "you forgot that tea is green", "忘掉茶", "撤销", "重新开始", "tea"],
)  # fmt: skip
def test_ask_looks_up_whatever_would_change_something(said: str) -> None:
    assert isinstance(as_question(said, False).intent, Ask)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("board", Board),
        ("D-2024-05-27-01", Why),
        ("about me", Profile),
        ("status", Simple),
        ("", Empty),
        ("/track", Track),
    ],
)
def test_ask_still_takes_what_only_reads(said: str, kind: type) -> None:
    assert isinstance(as_question(said, False).intent, kind)


def commands() -> list[str]:
    root = typer.main.get_command(cli)
    names = []
    for name, command in getattr(root, "commands", {}).items():
        below = getattr(command, "commands", None)
        names += [f"{name} {one}" for one in below] if below else [name]
    return names


@pytest.mark.parametrize("command", commands())
def test_every_command_stands_in_the_documents(command: str) -> None:
    root = Path(__file__).parents[2]
    text = "\n".join(path.read_text("utf-8") for path in (root / "README.md", *sorted((root / "docs").glob("*.md"))))
    group, _, name = command.partition(" ")
    assert f"niannian {command}" in text or (name and f"niannian {group}" in text and f"`{name}" in text), command
