"""A command that asks back: in a pipe, for scripts, and what no answer means."""

from __future__ import annotations

import io

import pytest

from bot.platforms import dialogue, terminal
from bot.platforms.dialogue import Dialogue
from bot.qr import drawn

BUTTONS = ("Allow", "Refuse")


def pipe(typed: str, *, yes: bool = False) -> tuple[Dialogue, io.BytesIO]:
    out = io.BytesIO()
    source = io.BytesIO(typed.encode())
    return Dialogue(prompt="› ", yes=yes, source=source, out=out, person=False), out


@pytest.mark.parametrize(
    ("typed", "place"),
    [("1\n", 0), ("allow\n", 0), (" Refuse \n", 1), ("2\n", 1), ("", 1), ("what\nAllow\n", 0), ("what\n" * 9, 1)],
)
async def test_a_button_is_pressed_by_label_or_place_and_silence_is_the_safe_one(typed: str, place: int) -> None:
    talk, out = pipe(typed)
    talk.say("first")
    assert await talk.choose(("Let it in?",), BUTTONS) == place
    assert out.getvalue().decode() == "first\n\nLet it in?\n[Allow] [Refuse]\n"


async def test_yes_presses_the_first_button_and_reads_nothing() -> None:
    talk, _ = pipe("2\n", yes=True)
    assert await talk.choose(("Let it in?",), BUTTONS) == 0
    assert await talk.ask("key") == "2"


async def test_a_line_is_asked_for() -> None:
    talk, out = pipe("ABCD\n")
    assert await talk.ask("Type it in:") == "ABCD"
    assert await talk.ask("Again:") is None
    assert out.getvalue().decode() == "Type it in:\n\nAgain:\n"


async def test_a_person_sees_numbers_and_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["nothing of it", "2", None])

    async def line(prompt: str) -> str | None:
        assert prompt == "› "
        return next(answers)

    monkeypatch.setattr(terminal, "line", line)
    out = io.BytesIO()
    talk = Dialogue(prompt="› ", source=io.BytesIO(), out=out, person=True)
    talk.picture("██")
    assert await talk.choose(("Let it in?",), BUTTONS) == 1
    assert await talk.ask("key") is None
    assert out.getvalue().decode() == "██\n\nLet it in?\n1 Allow  2 Refuse\n\n1 Allow  2 Refuse\n\nkey\n\n"
    assert dialogue.TRIES_MAX > 2


async def test_a_pipe_gets_no_picture() -> None:
    talk, out = pipe("")
    talk.picture("██")
    assert out.getvalue() == b""


def test_a_drawn_code_fits_a_small_terminal_and_brings_its_own_colours() -> None:
    lines = drawn("NN1:K7D3FR-ZQZ7M9-A2E7E9:" + "A" * 52).split("\n")
    assert len(lines) <= 20
    for line in lines:
        assert line.startswith("\x1b[30;107m") and line.endswith("\x1b[0m")
        assert len(line) <= 60 and set(line[9:-4]) <= set(" ▀▄█")
