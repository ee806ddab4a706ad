"""How the one-shot commands read what they are given."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from bot.cli import as_question, cli, left
from bot.intents import Ask, Board, Empty, Profile, Simple, Track, Why
from bot.message import Button, Reply
from bot.words import words


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


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "2 more: ask in niannian chat to see them."), ("zh", "还有 2 条，在 niannian chat 里问就能看。")],
)
def test_what_a_button_would_show_is_told_in_words(lang: str, said: str) -> None:
    buttons = (Button("Source 2", "why"), Button(words(lang)("button-more", n=2), "offer 1"))
    assert list(left(Reply((), buttons))) == [said]
    assert not list(left(Reply((), buttons[:1])))


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
