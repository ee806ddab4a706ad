"""What rings while somebody sits at a terminal: above the prompt, and what is being typed stays."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from bot.app import App
from bot.config import load
from bot.message import Button, Chat, ChatKind, Inbound, Line, Reply
from bot.platforms import terminal
from bot.platforms.terminal import Speaker, TerminalSession
from store.model import AccountID
from tests.fakes import FakeClock, FakeEntropy
from tests.golden.screen import PtyProcess
from tests.waits import WAIT_S

RUNG = Reply((Line("pay the rent", stored=True), Line("You asked today for 17:00. T-240527-01")), (Button("Done", "offer x done"),))  # fmt: skip


async def test_a_line_that_is_being_typed_is_not_lost() -> None:
    heard: list[Inbound] = []

    async def handle(inbound: Inbound) -> Reply:
        heard.append(inbound)
        return Reply((Line("heard"),))

    account = AccountID("terminal:owner")
    speaker = Speaker(account, "Lin", Chat("terminal", account, ChatKind.PRIVATE))
    session = TerminalSession(speaker, handle, FakeClock())
    out = io.StringIO()
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        talking = asyncio.ensure_future(terminal.talk(session, "> ", out))
        keys.send_text("remember the car ")
        async with asyncio.timeout(WAIT_S):
            await _until(lambda: _typed() == "remember the car ")
            terminal.show_above(session, RUNG, out)
            await _until(lambda: "pay the rent" in out.getvalue())
            assert heard == []
            keys.send_text("is on B2\r")
            await _until(lambda: len(heard) == 1)
            keys.send_text("done\r")  # the label of what has rung
            await _until(lambda: len(heard) == 2)
            keys.send_text("\x04")
            await talking
    assert [(one.text, one.press) for one in heard] == [("remember the car is on B2", None), ("", "offer x done")]
    assert out.getvalue().startswith("  pay the rent\nYou asked today for 17:00. T-240527-01\n1 Done\n\n")


async def test_a_number_that_was_begun_before_something_rang_presses_what_was_meant() -> None:
    pressed: list[str | None] = []

    async def handle(inbound: Inbound) -> Reply:
        pressed.append(inbound.press)
        return Reply((Line("heard"),))

    account = AccountID("terminal:owner")
    session = TerminalSession(Speaker(account, "Lin", Chat("terminal", account, ChatKind.PRIVATE)), handle, FakeClock())
    session.show(Reply((Line("saved"),), (Button("Undo", "undo 1"),)))
    out = io.StringIO()
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        talking = asyncio.ensure_future(terminal.talk(session, "> ", out))
        keys.send_text("1")
        async with asyncio.timeout(WAIT_S):
            await _until(lambda: _typed() == "1")
            for _ in range(2):
                terminal.show_above(session, RUNG, out)
            await _until(lambda: out.getvalue().count("pay the rent") == 2)
            for number in (1, 2):
                keys.send_text("\r" if number == 1 else "1\r")
                await _until(lambda number=number: len(pressed) == number)  # type: ignore[misc]
            keys.send_text("\x04")
            await talking
    assert pressed == ["undo 1", "offer x done"]


def _typed() -> str:
    from prompt_toolkit.application.current import get_app

    return get_app().current_buffer.text


async def _until(what: object) -> None:
    assert callable(what)
    while not what():
        await asyncio.sleep(0.001)


@pytest.mark.net
def test_the_program_itself_rings_at_its_next_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    env = {"NIANNIAN_PERSON_NAME": "Lin", "NIANNIAN_PERSON_ZONE": "Asia/Shanghai", "NIANNIAN_PERSON_LANG": "en"}

    async def ask() -> None:
        clock = FakeClock(datetime.now(UTC) - timedelta(hours=2))
        app = await App.start(home, load(home / "niannian.toml", env), clock, FakeEntropy())
        session = await app.session()
        await app.gateway.greet(session.inbound())
        await session.say("remind me in 20 minutes to look at the oven")
        await app.close()

    asyncio.run(ask())
    process = PtyProcess(["chat", "--home", str(home)], folder=tmp_path, environment=env)
    try:
        (shown,) = process.settle()
        assert "look at the oven\nYou asked " in shown.text
        assert "; this is 1 h 39 min late." in shown.text or "; this is 1 h 40 min late." in shown.text
        assert [label for label, _ in shown.buttons] == ["Done", "In 1 hour", "Tomorrow"]
        (done,) = process.type("1")
        assert done.text.startswith("Done · T-")
    finally:
        process.close()
