"""The README's transcripts are what the program really says, and every example sentence is understood."""

from __future__ import annotations

import asyncio
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer

from bot import devices, inviting, joining, showing, syncing
from bot.app import App
from bot.cli import as_question, as_statement, cli
from bot.config import load
from bot.intents import Empty, Unclear, UnknownCommand
from bot.own_device import OwnDevice
from bot.phrases.grammar import parse
from bot.platforms.terminal import block, screen
from tests.bot.household import CODE, EVERYTHING, KEY, Household, Talk, household
from tests.fakes import FakeClock, FakeEntropy
from tests.waits import until

ROOT = Path(__file__).parents[2]


def transcripts() -> list[str]:
    """The README's console blocks: one talk, and two devices."""
    return re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)


def transcript() -> list[tuple[str, str]]:
    """(what is typed, what comes back) of the first."""
    talk, _ = transcripts()
    parts = re.split(r"^› (.*)\n", talk, flags=re.MULTILINE)[1:]
    return [(said, answer.strip("\n")) for said, answer in zip(parts[::2], parts[1::2], strict=True)]


async def test_the_transcript_of_the_readme_is_true(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2024, 5, 27, 2, 0, tzinfo=UTC))
    env = {"NIANNIAN_PERSON_NAME": "Lin", "NIANNIAN_PERSON_ZONE": "Asia/Shanghai"}
    app = await App.start(tmp_path / "home", load(tmp_path / "none.toml", env), clock, FakeEntropy())
    try:
        session = await app.session()
        for said, answer in transcript():
            (reply,) = await session.say(said)
            assert screen(reply) == answer, said
    finally:
        await app.close()


# two devices

SHOWN = re.compile(r"^(home|phone)(\$ niannian (.*)|:)\n", re.MULTILINE)
"""At whose screen: a command and what it says, or what comes there a moment later."""
FOLDER = "~/Sync/niannian"
UNUSABLE = typer.BadParameter.__mro__[1]
"""What the shell's parser raises for a command line it cannot use; it has no public name."""


class Screen(Talk):
    """A person at a terminal, who types these lines. What is typed stands in what was said; nothing is drawn."""

    def __init__(self, *typed: str) -> None:
        super().__init__()
        self.is_person = True
        self._typed = list(typed)

    def picture(self, text: str) -> None:
        assert "█" in text or "▀" in text, "the QR"

    async def _line(self) -> str | None:
        said = self._typed.pop(0)
        self._write(f"› {said}\n\n")
        return said


def command_of(line: str) -> list[str]:
    """The words of a command, when the program knows it with every option and argument."""
    words = rest = shlex.split(line)
    command: Any = typer.main.get_command(cli)
    while hasattr(command, "get_command"):
        context = command.make_context(command.name, list(rest))
        command, rest = command.get_command(context, rest[0]), rest[1:]
    assert command is not None, line
    command.make_context(command.name, list(rest))
    return words


@pytest.mark.parametrize("line", ["device unpair", "device join", "sync --twice", "folder a b"])
def test_a_command_that_the_program_does_not_know_is_noticed(line: str) -> None:
    with pytest.raises((AssertionError, UNUSABLE)):
        command_of(line)


async def run(world: Household, own: OwnDevice, talk: Screen, words: list[str]) -> None:
    """What the command of these words does, between two homes of one process under a fake clock."""
    match words:
        case "folder", _:
            await syncing.set_folder(own, talk, world.shared)
        case "device", "pair":
            await inviting.pair(own, talk, EVERYTHING, pause=world.pause, monotonic=world.monotonic)
            await showing.show_recovery(own, talk)
        case "device", "join", code:
            await joining.join(own, talk, code, pause=world.pause, monotonic=world.monotonic)
        case "device", "list":
            await devices.show_devices(own, talk)
        case "sync", "--once":
            await syncing.sync_once(own, talk)
        case ("remember" | "ask") as how, text:
            (app,) = [app for app in world._apps if app.home is own.home]
            session = await app.reading(as_statement if how == "remember" else as_question).session()
            (reply,) = await session.say(text)
            talk.say(block(reply, buttons=False))
        case _:
            raise AssertionError(words)


async def test_the_transcript_of_two_devices_is_true(tmp_path: Path) -> None:
    _, shown = transcripts()
    parts = SHOWN.split(shown)[1:]
    steps = list(zip(parts[0::4], parts[2::4], parts[3::4], strict=True))
    expected = {name: [text for who, _, text in steps if who == name] for name in ("home", "phone")}
    typed = re.findall(r"^› (.*)$", shown, re.MULTILINE)
    said = {"home": "", "phone": ""}
    async with household(tmp_path) as world:
        own = {name: await world.device(name, folder=False) for name in ("home", "phone")}
        going_on: list[tuple[str, Screen, asyncio.Task[None]]] = []
        for who, line, _ in steps:
            if line is None:
                continue
            words = command_of(line)
            talk = Screen(*(typed if words == ["device", "pair"] else ()))
            task = asyncio.create_task(run(world, own[who], talk, words))
            if words == ["device", "pair"]:
                await until(lambda talk=talk, task=task: CODE.search(talk.said) or task.done())
                going_on.append((who, talk, task))
                continue
            await task
            said[who] += talk.said
            if words[:2] == ["device", "join"]:
                for other, before, waiting in going_on:
                    await waiting
                    said[other] += before.said
                going_on.clear()
    for name, text in said.items():
        assert lines(text.replace(str(tmp_path / "shared"), FOLDER)) == lines("\n".join(expected[name]))
    assert KEY.search(shown)


def lines(text: str) -> list[str]:
    """A terminal leaves one empty between two blocks; the README need not."""
    return [line for line in text.splitlines() if line]


def examples() -> list[str]:
    """Every sentence in the Chinese and English columns of docs/usage.md."""
    text = (ROOT / "docs" / "usage.md").read_text("utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| ") and line.count("|") == 4]
    cells = [cell for row in rows for cell in row]
    return [sentence for cell in cells for sentence in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("sentence", examples())
def test_every_example_of_the_usage_page_is_understood(sentence: str) -> None:
    assert not isinstance(parse(sentence).intent, Unclear | UnknownCommand | Empty), sentence
