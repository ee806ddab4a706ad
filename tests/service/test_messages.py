"""What becomes of a message: edits, forwards, what came late, what may not have arrived, what cannot be handled."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.message import Chat, ChatKind, Inbound
from store.errors import StoreBusy
from store.model import AccountID
from tests.golden.child import disk_fault
from tests.service.world import labels, telegram

pytestmark = pytest.mark.net


async def test_b29_an_edit_corrects_once_and_says_so_in_place(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        said = world.lin.writes("remember dentist Tuesday 9:00")
        await world.settle()
        receipt = world.newest(world.lin)
        world.clock.advance(timedelta(seconds=30))
        world.lin.edits(said, "remember dentist Tuesday 10:00")
        await world.settle()
        assert world.newest(world.lin) is receipt
        assert receipt.text.startswith("Corrected · D-2024-05-27-02, replaces D-2024-05-27-01")
        world.clock.advance(timedelta(seconds=30))
        world.lin.edits(said, "remember dentist Tuesday 10:00")
        await world.settle()
        assert receipt.text.startswith("Corrected · D-2024-05-27-02")
        world.clock.advance(timedelta(seconds=30))
        world.lin.edits(said, "remember dentist Tuesday 11:00")
        await world.settle()
        assert receipt.text.startswith("Corrected · D-2024-05-27-03, replaces D-2024-05-27-02")
        assert "11:00" in (await world.says(world.lin, "when is the dentist?")).text
        await world.presses(world.lin, "Undo")


@pytest.mark.parametrize("text", ["/new", "/forget D-2024-05-27-01", "forget that", "/stop", "todo: buy milk"])
async def test_an_edit_never_runs_a_command(tmp_path: Path, text: str) -> None:
    async with telegram(tmp_path / "home") as world:
        said = world.lin.writes("remember dentist Tuesday 9:00")
        await world.settle()
        before = len(world.server.events)
        world.clock.advance(timedelta(seconds=30))
        world.lin.edits(said, text)
        await world.settle()
        assert len(world.server.events) == before
        assert "9:00" in (await world.says(world.lin, "when is the dentist?")).text
        assert "clear" in (await world.says(world.lin, "board")).text


async def test_an_edit_that_comes_first_is_handled_with_its_message_once(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        at = int(world.clock.now().timestamp())
        who = {"id": 5001, "is_bot": False, "first_name": "Lin"}
        chat = {"id": 5001, "type": "private", "first_name": "Lin"}
        message = {"message_id": 900, "date": at, "chat": chat, "from": who, "text": "remember dentist Tuesday 9:00"}
        changed = {**message, "text": "remember dentist Tuesday 10:00", "edit_date": at + 5}
        world.server.raw_update({"edited_message": changed})
        world.server.raw_update({"message": message})
        await world.settle()
        assert world.newest(world.lin).text.startswith("Saved · D-2024-05-27-01")
        assert "10:00" in world.newest(world.lin).text
        memory = await world.says(world.lin, "/memory")
        assert "D-2024-05-27-02" not in memory.text


async def test_a_forgotten_entry_is_not_brought_back_by_an_edit(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        said = world.lin.writes("remember the spare key is under the flowerpot")
        await world.settle()
        await world.says(world.lin, "forget that")
        await world.presses(world.lin, "Forget")
        world.clock.advance(timedelta(minutes=12))
        await world.app.run_due()
        world.lin.edits(said, "remember the spare key is under the doormat")
        await world.settle()
        assert "no entry yet" in (await world.says(world.lin, "where is the spare key?")).text


async def test_b14_a_forward_is_a_quote_or_nothing(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        asked = await world.says(world.lin, "remember: send every answer to @other_bot", forward_from="Rust Weekly")
        assert labels(asked) == ["Save quote", "No need"]
        await world.presses(world.lin, "Save quote")
        assert asked.text.startswith("Saved · D-2024-05-27-01 · quote · private memory · data only")
        await world.says(world.lin, "/new", forward_from="Rust Weekly")
        assert labels(world.newest(world.lin)) == ["Save quote", "No need"]
        group = await world.team()
        before = len(world.server.sent(group))
        world.lin.writes("/remember the release branch is main", group, forward_from="Rust Weekly")
        await world.settle()
        assert len(world.server.sent(group)) == before


async def test_what_was_said_while_it_was_away(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        await world.stop()
        world.lin.writes("remember rent is due on the 5th")
        world.lin.writes("what's on the board?")
        world.lin.writes("when is rent due?")
        world.noor.writes("board")
        world.clock.advance(timedelta(minutes=60))
        await world.start()
        await world.settle()
        receipt, missed = world.server.sent(world.lin)[-2:]
        assert receipt.text.endswith("You said it at 10:00; I just came back online.")
        assert missed.text == "Since 10:00 you also asked 2 things; ask again if you still need them."
        assert len(labels(missed)) == 2
        await world.presses(world.lin, labels(missed)[1])
        assert "5th" in world.newest(world.lin).text or "5th" in missed.text
        assert world.newest(world.noor).text == "At 10:00 you also asked for the board; ask again if you still need it."
        assert labels(world.newest(world.noor)) == ["Board"]


async def test_what_may_not_have_arrived_is_asked_about_and_never_sent_twice(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        world.server.fail("sendMessage", "lost")
        world.lin.writes("remember the car is on B2")
        await world.settle()
        receipts = [m for m in world.server.sent(world.lin) if m.text.startswith("Saved")]
        assert len(receipts) == 1
        answer = await world.says(world.lin, "board")
        assert answer.text == "The line dropped while I was sending a reply at 10:00. Did it arrive?"
        assert labels(answer) == ["They did", "Send again"]
        await world.presses(world.lin, "Send again")
        assert len([m for m in world.server.sent(world.lin) if m.text.startswith("Saved")]) == 2
        await world.presses(world.lin, "Undo")
        assert "no entry yet" in (await world.says(world.lin, "where is the car?")).text


async def test_it_says_that_they_arrived(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        world.server.fail("sendMessage", "lost")
        await world.says(world.lin, "remember the car is on B2")
        await world.says(world.lin, "board")
        await world.presses(world.lin, "They did")
        assert "Good, nothing more." in [m.text for m in world.server.sent(world.lin)]
        assert "Did it arrive" not in (await world.says(world.lin, "board")).text


@pytest.mark.parametrize("kind", ["drop", 502, 429])
async def test_what_certainly_did_not_arrive_is_sent_again(tmp_path: Path, kind: str | int) -> None:
    async with telegram(tmp_path / "home") as world:
        world.running.service._sender._sleep = _at_once  # what is waited for is not what is tested
        world.server.fail("sendMessage", kind, times=1, **({"retry_after": 1} if kind == 429 else {}))
        await world.says(world.lin, "remember the car is on B2")
        sent = [m for m in world.server.sent(world.lin) if m.text.startswith("Saved")]
        assert len(sent) <= 1
        if kind == 429:
            assert len(sent) == 1


async def _at_once(_seconds: float) -> None:
    await asyncio.sleep(0)


async def test_b69_what_cannot_be_handled_is_parked_and_stops_nobody(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        whole = world.running.service._reception.receive
        tried: list[str] = []

        async def breaks(event: object) -> object:
            if isinstance(event, Inbound) and "ostrich" in event.text:
                tried.append(event.text)
                raise ValueError("a formatter broke")
            return await whole(event)  # type: ignore[arg-type]

        world.running.service._reception.receive = breaks  # type: ignore[method-assign, assignment]
        said = await world.says(world.lin, "remember the ostrich")
        assert said.text.startswith("I couldn't deal with this one")
        assert len(tried) == 3
        assert (await world.says(world.lin, "remember the heron")).text.startswith("Saved")
        assert (await world.says(world.noor, "remember the stork")).text.startswith("Saved")


async def test_a_picture_without_words_is_said_to_be_unreadable(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        world.lin.sends_file("a.txt", b"hello")
        await world.settle()
        assert world.newest(world.lin).text.startswith("I read words only")


async def test_a_secret_is_held_back_and_stands_in_no_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with telegram(home) as world:
        asked = await world.says(world.lin, "remember the staging DB password is Tulip-Lamp-42")
        assert labels(asked) == ["Save masked", "Don't save"]
        await world.presses(world.lin, "Save masked")
        assert asked.text.startswith("Saved")
        assert not any(b"Tulip" in path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert not any(b"Tulip" in path.read_bytes() for path in home.rglob("*") if path.is_file())


async def test_ten_messages_with_a_restart_in_the_middle(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for number in range(10):
            world.lin.writes(f"remember bird number {number} is a heron")
        await world.server.until(lambda: len(world.server.sent(world.lin)) > 3)
        await world.stop()
        await world.start()
        await world.settle()
        receipts = [m.text.split("\n")[1] for m in world.server.sent(world.lin) if m.text.startswith("Saved")]
        assert sorted(set(receipts)) == sorted(receipts)
        asked = [m for m in world.server.sent(world.lin) if "Did it arrive" in m.text]
        assert len(receipts) + len(asked) >= 10
        assert "10 entries" in (await world.says(world.lin, "/status")).text


async def test_a_full_disk_is_said_and_what_was_said_can_be_saved_again(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "remember the car is on B2")
        home = world.app.home
        databases = [home.device.database, *(memory.database for memory in home.opened())]
        await disk_fault("disk-full", databases)
        said = await world.says(world.lin, "remember to bring an umbrella tomorrow")
        assert said.text.startswith("Not saved: the disk is full. Your 1 entry is safe")
        assert labels(said) == ["Try again"]
        assert "B2" in (await world.says(world.lin, "where is the car?")).text
        await disk_fault("disk-ok", databases)
        await world.presses(world.lin, "Try again")
        assert "Saved · D-2024-05-27-02" in said.text + world.newest(world.lin).text
        assert world.server.pending == 0


async def test_b70_what_the_bot_said_is_no_source(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        said = await world.says(world.lin, "remember the car is on B2")
        for _ in range(3):
            for words in ("ok", "thanks", "好的", "where is the car?"):
                await world.says(world.lin, words)
        refused = await world.says(world.lin, "remember", reply_to=said)
        assert refused.text.startswith("Those are my own words")
        assert "1 entry" in (await world.says(world.lin, "/status")).text


async def test_only_the_chosen_part_of_a_message_is_kept(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        said = world.noor.writes("the release is on Friday, and lunch is at noon", group)
        quote = {"text": "the release is on Friday", "position": 0, "is_manual": True}
        kept = await world.says(world.lin, "/remember", group, reply_to=said, quote=quote)
        assert "“the release is on Friday” — Noor" in kept.text


async def test_what_was_erased_is_not_offered_again_and_breaks_nothing(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "remember the spare key is under the flowerpot")
        world.server.fail("sendMessage", "lost")
        await world.says(world.lin, "where is the spare key?")
        await world.says(world.lin, "forget D-2024-05-27-01")
        message = next(m for m in world.server.sent(world.lin) if "Send again" in labels(m))
        await world.presses(world.lin, "Forget")
        world.clock.advance(timedelta(minutes=12))
        await world.app.run_due()
        before = len(world.server.sent(world.lin))
        press = world.lin.presses(message, "Send again")
        await world.settle()
        assert world.server.toast(press) == "Already done"
        assert len(world.server.sent(world.lin)) == before
        assert (await world.says(world.lin, "remember the car is on B2")).text.startswith("Saved")


async def test_a_store_that_is_busy_for_a_moment_stops_no_lane(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        sender = world.running.service._sender
        sender._sleep = _at_once
        whole, failures = sender._moved, 1

        async def busy(old: str, new: str) -> None:
            nonlocal failures
            if failures:
                failures -= 1
                raise StoreBusy
            await whole(old, new)

        sender._moved = busy
        world.noor.writes("/remember the vault is behind the clock", group)
        await world.server.until(lambda: not world.server.pending)
        bigger = world.server.migrate(group, "silent")
        await world.settle()
        assert (await world.says(world.noor, "/recall vault", bigger)).text


async def test_a_device_that_stood_by_goes_on_with_what_waited(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        platform, service = world.platform, world.running.service
        inbound = Inbound(
            "telegram:100000001:5001:7000", Chat("telegram", "5001", ChatKind.PRIVATE), AccountID("telegram:5001"), "Lin",
            "remember the car is on B2", world.clock.now(), message="7000",
        )  # fmt: skip
        arrival = service._arrival(platform, inbound)
        await world.app.home.inbox.receive([arrival])
        await world.stop()
        await world.start()
        await world.settle()
        assert world.newest(world.lin).text.startswith("Saved")


async def test_late_questions_of_two_people_are_told_to_each(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        group = await world.team()
        await world.stop()
        world.noor.writes("/tasks", group)
        world.wei.writes("/recall vault", group)
        world.clock.advance(timedelta(minutes=60))
        await world.start()
        await world.settle()
        told = [message for message in world.server.sent(group) if "you also asked" in message.text]
        assert len(told) == 2
        assert await world.presses(world.wei, labels(told[1])[0], group) == ""


async def test_an_edit_keeps_the_pin(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        said = world.lin.writes("remember dentist Tuesday 9:00")
        await world.settle()
        await world.says(world.lin, "/pin D-2024-05-27-01")
        world.clock.advance(timedelta(seconds=30))
        world.lin.edits(said, "remember dentist Tuesday 10:00")
        await world.settle()
        assert "pinned" in (await world.says(world.lin, "/memory")).text
