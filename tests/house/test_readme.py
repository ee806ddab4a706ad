"""The README's transcript is what the program really says, and every example sentence is understood."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.app import App
from bot.config import load
from bot.intents import Empty, Unclear, UnknownCommand
from bot.phrases.grammar import parse
from bot.platforms.terminal import screen
from tests.fakes import FakeClock, FakeEntropy

ROOT = Path(__file__).parents[2]


def transcript() -> list[tuple[str, str]]:
    """(what is typed, what comes back) of the README's console block."""
    (block,) = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    parts = re.split(r"^› (.*)\n", block, flags=re.MULTILINE)[1:]
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


def examples() -> list[str]:
    """Every sentence in the Chinese and English columns of docs/usage.md."""
    text = (ROOT / "docs" / "usage.md").read_text("utf-8")
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| ") and line.count("|") == 4]
    cells = [cell for row in rows for cell in row]
    return [sentence for cell in cells for sentence in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("sentence", examples())
def test_every_example_of_the_usage_page_is_understood(sentence: str) -> None:
    assert not isinstance(parse(sentence).intent, Unclear | UnknownCommand | Empty), sentence
