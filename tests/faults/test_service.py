"""What goes wrong between the service and a chat platform: said again, said late, refused, cut off, away.

Everything is kept once, nobody is told twice without being asked, and one chat's trouble is no other's.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.platforms.telegram.client import Client
from bot.ports import BadToken, Listening
from tests.emulators.telegram.people import Person
from tests.emulators.telegram.server import TOKEN, TelegramServer
from tests.fakes import FakeClock
from tests.faults.service_world import Timed
from tests.faults.talk import memory_files
from tests.service.world import START, labels
from tests.waits import until

pytestmark = pytest.mark.net


@asynccontextmanager
async def timed(folder: Path) -> AsyncIterator[Timed]:
    """Lin is the owner, Noor is let in."""
    clock = FakeClock(START)
    with TelegramServer(clock) as server:
        world = Timed(folder / "home", clock, server)
        await world.start()
        try:
            await world.meet_owner()
            await world.let_in(world.noor)
            yield world
        finally:
            await world.stop()


def entries(home: Path) -> list[str]:
    found = []
    for path in memory_files(home):
        with closing(sqlite3.connect(path)) as conn:
            found += [text for (text,) in conn.execute("SELECT text FROM entries WHERE kind <> 'checkpoint'")]
    return sorted(found)


def receipts(world: Timed, person: Person) -> list[str]:
    return [m.text.split("“")[1].rstrip("”") for m in world.server.sent(person) if m.text.startswith("Saved")]


def standing(world: Timed) -> str:
    """As the health page says it."""
    (line,) = world.running._lines()
    assert line.ready == (line.state in ("open", "standby"))
    return line.state


def text_update(person: int, number: int, text: str, **more: Any) -> dict[str, Any]:
    who = {"id": person, "is_bot": False, "first_name": "Lin"}
    chat = {"id": person, "type": "private", "first_name": "Lin"}
    date = int(START.timestamp())
    return {"message": {"message_id": number, "date": date, "chat": chat, "from": who, "text": text}, **more}


# what comes twice


async def test_updates_that_are_delivered_again_do_nothing_again(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        world.lin.writes("remember the car is on B2")
        await world.weather()
        for restart in (False, True):
            if restart:
                await world.stop()
                await world.start()
            calls = len(world.server.events)
            assert world.server.redeliver() == 1
            await world.server.until(lambda: not world.server.world.updates._again)
            world.noor.writes("remember the boat is blue")  # comes after it
            await world.weather()
            said = [event for event in world.server.events[calls:] if event.params.get("chat_id") == 5001]
            assert said == []
            world.lin.writes("remember a last one")  # the newest that is acknowledged is one again
            await world.weather()
        assert receipts(world, world.lin).count("the car is on B2") == 1
    assert entries(tmp_path / "home").count("the car is on B2") == 1


async def test_one_update_twice_in_a_batch_and_one_message_in_two_updates(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        with world.server.world.change():
            for number in (900_000_001, 900_000_001, 900_000_002):
                world.server.raw_update(text_update(5001, 801, "remember the car is on B2", update_id=number))
            world.server.raw_update(text_update(5001, 802, "remember the boat is blue", update_id=900_000_003))
        await world.weather()
        assert receipts(world, world.lin) == ["the car is on B2", "the boat is blue"]
    assert entries(tmp_path / "home") == ["the boat is blue", "the car is on B2"]


async def test_a_press_that_comes_twice_acts_once(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        receipt = await world.says(world.lin, "remember the car is on B2")
        before = len(world.server.events)
        for _ in range(2):
            world.lin.presses(receipt, "Undo")
        await world.weather()
        answered = [event for event in world.server.events[before:] if event.method == "answerCallbackQuery"]
        assert len(answered) == 2
        assert "car" not in (await world.says(world.lin, "/memory")).text


# who listens


async def test_b31_of_two_programs_with_one_token_one_stands_by_and_says_so(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        await world.says(world.lin, "remember the car is on B2")
        world.naps.go_by(100)
        other = Timed(tmp_path / "other", world.clock, world.server)
        await other.start()
        try:
            await both(world, other, lambda: other.told)
            assert other.told[0].startswith("Another program is using the token of @keepbot")
            assert standing(other) == "conflict"
            assert world.told == []
            for number in range(5):
                world.lin.writes(f"remember bird number {number}")
            await world.weather()
            assert receipts(world, world.lin) == ["the car is on B2", *(f"bird number {n}" for n in range(5))]
            await world.running.close()
            world.lin.writes("hello")
            other.naps.go_by(600)
            await other.naps.until(lambda: world.server.sent(world.lin)[-1].text.startswith("We haven't met"))
            assert standing(other) == "open"
        finally:
            await other.stop()
    assert entries(tmp_path / "other") == []
    assert len(entries(tmp_path / "home")) == 6


async def both(one: Timed, other: Timed, what: Any) -> None:
    """Time goes by for two programs, at about the same pace."""
    async with asyncio.TaskGroup() as group:
        for world in (one, other):
            group.create_task(world.naps.until(what, longest_s=5))


async def test_a_token_that_is_revoked_ends_the_program_and_loses_nothing(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        await world.says(world.lin, "remember the car is on B2")
        world.server.revoke()
        world.lin.writes("remember the boat is blue")
        async with asyncio.timeout(20):
            with pytest.raises(BadToken):
                await world.running.ended()
        assert world.told[-1].startswith("The token of @keepbot is not valid any more")
        assert standing(world) == "refused"
        await world.stop()
        world.server.wire.token = TOKEN
        await world.start()
        await world.naps.until(lambda: len(receipts(world, world.lin)) > 1)
        await world.weather()
        assert receipts(world, world.lin) == ["the car is on B2", "the boat is blue"]


async def test_a_token_revoked_before_an_answer_left_keeps_the_answer(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        world.server.fail("sendMessage", "401", times=1)
        world.lin.writes("remember the car is on B2")
        await until(lambda: not world.server.pending)
        await world.weather()
        assert receipts(world, world.lin) == ["the car is on B2"]


# what the server says no to


async def test_too_much_in_one_chat_holds_up_no_other(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        world.server.fail("sendMessage", 429, chat=world.lin, retry_after=25)
        for number in range(3):
            world.lin.writes(f"remember bird number {number}")
        world.noor.writes("remember the boat is blue")
        await world.server.until(lambda: receipts(world, world.noor))
        assert receipts(world, world.lin) == []
        await until(lambda: not world.server.pending and not len(world.running.service.lanes))
        world.naps.go_by(24.9)
        assert await world_answers(world, "remember the lamp is off")
        assert receipts(world, world.lin) == []
        await world.weather()
        assert receipts(world, world.lin) == [f"bird number {number}" for number in range(3)]


async def world_answers(world: Timed, text: str) -> bool:
    """Noor is answered while time stands still."""
    before = len(world.server.sent(world.noor))
    world.noor.writes(text)
    return bool(await world.server.until(lambda: len(world.server.sent(world.noor)) > before))


async def test_a_chat_that_blocked_the_bot_is_paused_until_they_write_again(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        world.server.fail("sendMessage", "blocked", chat=world.noor)
        with world.server.world.change():
            world.noor.writes("remember the boat is blue")
            world.lin.writes("remember the car is on B2")
        await world.weather()
        assert receipts(world, world.lin) == ["the car is on B2"]
        assert receipts(world, world.noor) == []
        assert world.app.home.device.note("paused/telegram:5002") == "blocked"
        assert await world_answers(world, "what is the boat?")
        assert "blue" in world.newest(world.noor).text
        await world.weather()
        assert not world.app.home.device.note("paused/telegram:5002")


async def test_a_refusal_for_ever_is_no_reason_to_stop(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        world.server.fail("sendMessage", 400, chat=world.lin)
        for number in range(3):
            world.lin.writes(f"remember bird number {number}")
        await world.weather()
        assert receipts(world, world.lin) == ["bird number 1", "bird number 2"]


# what is lost on the way


async def test_a_late_answer_is_no_second_message_and_holds_up_no_other_chat(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        world.server.fail("sendMessage", "late", chat=world.lin, seconds=15)
        for number in range(3):
            world.lin.writes(f"remember bird number {number}")
        await world.server.until(lambda: receipts(world, world.lin))
        assert await world_answers(world, "remember the boat is blue")
        assert receipts(world, world.lin) == ["bird number 0"]
        world.server.heal()
        await world.weather()
        assert receipts(world, world.lin) == [f"bird number {number}" for number in range(3)]


@pytest.mark.parametrize("kind", ["lost", "drop", "html"])
async def test_what_may_have_arrived_is_asked_about_whatever_cut_it_off(tmp_path: Path, kind: str) -> None:
    async with timed(tmp_path) as world:
        world.server.fail("sendMessage", kind, chat=world.lin)
        world.lin.writes("remember the car is on B2")
        await world.weather()
        assert receipts(world, world.lin) == (["the car is on B2"] if kind == "lost" else [])
        world.lin.writes("remember the boat is blue")
        await world.weather()
        asked = world.newest(world.lin)
        assert labels(asked) == ["They did", "Send again"]
        world.lin.presses(asked, "Send again")
        await world.weather()
        assert receipts(world, world.lin)[-1] == "the car is on B2"
        again = len(world.server.sent(world.lin))
        world.lin.presses_data(asked, world_data(world, asked.message_id, "Send again"))
        await world.weather()
        assert len(world.server.sent(world.lin)) == again, "sent again once"


def world_data(world: Timed, message: int, label: str) -> str:
    """What the button said to the bot when the message still had it."""
    for event in world.server.events:
        if isinstance(event.result, dict) and event.result.get("message_id") == message:
            rows = event.params.get("reply_markup", {}).get("inline_keyboard", [])
            found = [button["callback_data"] for row in rows for button in row if button["text"] == label]
            if found:
                return str(found[0])
    raise AssertionError(f"no [{label}]")


@pytest.mark.parametrize("kind", ["lost", "drop"])
async def test_a_change_of_a_message_is_done_again_until_it_is_known(tmp_path: Path, kind: str) -> None:
    async with timed(tmp_path) as world:
        said = world.lin.writes("remember the car is on B2")
        await world.weather()
        world.server.fail("editMessageText", kind, times=2)
        world.clock.advance(timedelta(seconds=30))
        world.lin.edits(said, "remember the car is on B3")
        await world.weather()
        (receipt,) = [message for message in world.server.sent(world.lin) if "car" in message.text]
        assert receipt.text.startswith("Corrected")
        await world.says(world.lin, "board")
        assert "Did it arrive" not in world.newest(world.lin).text


async def test_an_hour_without_a_line(tmp_path: Path) -> None:
    async with timed(tmp_path) as world:
        await world.says(world.lin, "remember the car is on B2")
        world.server.offline()
        world.lin.writes("remember the boat is blue")
        world.lin.writes("where is the car?")
        world.noor.writes("remember the lamp is off")
        await world.naps.until(lambda: world.platform.listening is Listening.OFFLINE)
        began = world.naps.monotonic()
        await world.naps.until(lambda: world.naps.monotonic() > began + 3600)
        assert standing(world) == "offline"
        world.clock.advance(timedelta(hours=1))
        world.server.online()
        await world.weather()
        assert standing(world) == "open"
        assert "You said it at 10:00; I just came back online." in world.server.sent(world.lin)[-2].text
        assert world.newest(world.lin).text.startswith("At 10:00 you also asked")
        assert "the lamp is off" in world.newest(world.noor).text
    assert entries(tmp_path / "home") == ["the boat is blue", "the car is on B2", "the lamp is off"]


async def test_an_answer_that_meets_no_line_is_kept_until_there_is_one(tmp_path: Path) -> None:
    """Here the address itself is dead, so it is certain that nothing arrived."""
    async with timed(tmp_path) as world:
        alive, dead = world.platform._sending._client, Client(TOKEN, "http://127.0.0.1:9")
        world.platform._sending._client = dead
        world.lin.writes("remember the car is on B2")
        await until(lambda: not world.server.pending)
        began = world.naps.monotonic()
        await world.naps.until(lambda: world.naps.monotonic() > began + 300)
        assert receipts(world, world.lin) == []
        world.platform._sending._client = alive
        await world.weather()
        await dead.close_connections()
        assert receipts(world, world.lin) == ["the car is on B2"]
        assert "Did it arrive" not in (await world.says(world.lin, "board")).text
