"""Reminders on Telegram: by the speaker only, to the chat where they were asked for, at most once and in one message."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot import running
from bot.app import OWNER
from bot.ports import Listening
from bot.speaker import Speaker
from store.grants import PrivateClaim, grant
from tests import waits
from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TelegramServer
from tests.fakes import FakeClock
from tests.house.files import ROOT
from tests.service.world import START, Telegram, labels, telegram

pytestmark = pytest.mark.net
BOT = "telegram:100000001"


def clock(at: str) -> datetime:
    return datetime.fromisoformat(f"2024-{at}+08:00")


async def ring(world: Telegram) -> None:
    await world.app.ringing.tick()
    await world.settle()


async def rung(world: Telegram, at: str, place: Person | Group | None = None) -> list[str]:
    """What a look of the alarm at that time sends there."""
    before = len(world.server.sent(place or world.lin))
    world.clock.set(clock(at))
    await ring(world)
    return [message.text for message in world.server.sent(place or world.lin)[before:]]


async def states(world: Telegram) -> list[tuple[str, str]]:
    rows = await world.app.home.device.database.read(
        lambda conn: conn.execute("SELECT state, reason FROM slots ORDER BY at_ms, kind").fetchall()
    )
    return [(str(state), str(reason)) for state, reason in rows]


async def name_speaker(world: Telegram, device: str) -> None:
    memory = await world.app.home.memory(grant(PrivateClaim(OWNER), world.app.home.device))
    await memory.describe({f"speaker/{BOT}": device})


async def until(world: Telegram, state: Listening) -> None:
    async with asyncio.timeout(10):
        while world.platform.listening is not state:
            await asyncio.sleep(0.001)


async def test_it_leaves_once_and_its_buttons_are_its_owners(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        assert "reminder: today 17:00" in (await world.says(world.lin, "remind me at 5 to eat")).text
        assert await rung(world, "05-27T16:59") == []
        assert await rung(world, "05-27T17:00") == ["eat\nYou asked today for 17:00. T-240527-01"]
        assert labels(world.newest(world.lin)) == ["Done", "In 1 hour", "Tomorrow"]
        assert await rung(world, "05-27T17:01") == []
        assert await states(world) == [("sent", "")]
        await world.presses(world.lin, "In 1 hour")
        assert world.newest(world.lin).text == "I will remind you today 18:01. T-240527-01"
        assert await rung(world, "05-27T18:01") == ["eat\nYou asked today for 18:01. T-240527-01"]
        await world.presses(world.lin, "Done")
        assert world.newest(world.lin).text.startswith("Done · T-240527-01")


async def test_a_group_is_reminded_in_the_group(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        team = await world.team()
        await world.says(world.noor, "@keepbot remind us on Friday at 5 to lock the door", team)
        assert await rung(world, "05-31T17:00", team) == ["lock the door\nNoor asked Mon 27 May for 17:00. T-240527-01"]
        toast = await world.presses(world.wei, "Done", team)
        assert "Noor" in toast
        await world.presses(world.noor, "Tomorrow", team)
        assert "tomorrow 17:00" in world.newest(team).text


async def test_a_group_that_is_off_or_moved(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        team = await world.team()
        await world.says(world.lin, "@keepbot remind us at 17:00 to lock the door", team)
        await world.says(world.lin, "@keepbot remind us at 18:00 to go home", team)
        world.server.migrate(team)
        await world.settle()
        assert await rung(world, "05-27T17:00", team) == ["lock the door\nLin asked today for 17:00. T-240527-01"]
        await world.says(world.lin, "/privacy@keepbot", team)
        await world.presses(world.lin, "Turn off", team)
        assert await rung(world, "05-27T18:00", team) == []


async def test_asleep_for_three_days_there_is_one_message(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for said in ("at 11:00 to do the first", "tomorrow at 11:00 to do the second", "on 30 May at 09:00 to do the third"):  # fmt: skip
            await world.says(world.lin, f"remind me {said}")
        (one,) = await rung(world, "05-30T10:00")
        assert one.startswith("3 reminders:\ndo the third · 09:00 · 1 h late")
        assert await rung(world, "05-30T10:01") == []
        assert sorted(await states(world)) == [("sent", ""), ("skipped", "late"), ("skipped", "late")]


async def test_a_restart_in_the_due_second_rings_once(tmp_path: Path) -> None:
    clock_of_all = FakeClock(START)
    async with telegram(tmp_path / "home", clock_of_all) as world:
        await world.says(world.lin, "remind me at 17:00 to eat")
        assert len(await rung(world, "05-27T17:00")) == 1
        for _ in range(2):
            await world.stop()
            await world.start()
            await until(world, Listening.OPEN)
            assert await rung(world, "05-27T17:00") == []


async def test_with_the_line_down_it_waits_and_says_how_late_it_is(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "remind me at 17:00 to eat")
        await world.says(world.lin, "remind me at 17:30 to drink")
        world.platform.listening = Listening.OFFLINE
        assert await rung(world, "05-27T17:40") == []
        world.platform.listening = Listening.OPEN
        assert await rung(world, "05-27T17:45") == [
            "2 reminders:\neat · 17:00 · 45 min late · T-240527-01\ndrink · 17:30 · 15 min late · T-240527-02"
        ]


async def test_who_cannot_be_reached_is_not_tried_and_hears_it_late(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "remind me at 17:00 to eat")
        await world.app.home.device.keep_note("paused/telegram:5001", "blocked")
        assert await rung(world, "05-27T17:00") == []
        await world.app.home.device.keep_note("paused/telegram:5001", "")
        assert await rung(world, "05-27T18:00") == ["eat\nYou asked today for 17:00; this is 1 h late. T-240527-01"]


async def test_only_the_speaker_rings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LOOK_EVERY_S", 0.01)
    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "remind me at 17:00 to eat")
        await world.says(world.lin, "remind me at 18:00 to drink")
        await world.says(world.lin, "remind me tomorrow at 9 to rise")
        await name_speaker(world, "ff" * 16)
        await until(world, Listening.STANDBY)
        assert await rung(world, "05-27T17:00") == []
        world.clock.set(clock("05-27T17:55"))
        await Speaker(world.app.home, OWNER).take_over()
        await until(world, Listening.OPEN)
        assert await rung(world, "05-27T17:55") == [], "the other one may have said it"
        assert await rung(world, "05-27T18:01") == [], "so shortly after, it may not have heard of the change"
        assert await states(world) == [("skipped", "takeover"), ("skipped", "takeover")]
        await world.says(world.lin, "remind me in 2 minutes to look")
        assert await rung(world, "05-27T18:03") == ["look\nYou asked today for 18:03. T-240527-04"]
        assert await rung(world, "05-28T09:00") == ["rise\nYou asked yesterday for 09:00. T-240527-03"]


async def test_asked_in_two_places_each_rings_where_it_was_asked(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        team = await world.team()
        await world.says(world.lin, "remind me at 17:00 to eat")
        await world.says(world.lin, "@keepbot remind us at 17:00 to lock the door", team)
        in_group = len(world.server.sent(team))
        assert await rung(world, "05-27T17:00") == ["eat\nYou asked today for 17:00. T-240527-01"]
        assert [one.text for one in world.server.sent(team)[in_group:]] == [
            "lock the door\nLin asked today for 17:00. T-240527-01"
        ]


async def test_the_row_and_the_delivery_are_one_transaction(tmp_path: Path) -> None:
    """Where nothing can be written nothing leaves, and it is tried again."""
    from tests.golden.child import disk_fault

    async with telegram(tmp_path / "home") as world:
        await world.says(world.lin, "remind me at 17:00 to eat")
        await disk_fault("disk-full", [world.app.home.device.database])
        assert await rung(world, "05-27T17:00") == []
        await disk_fault("disk-ok", [world.app.home.device.database])
        assert await rung(world, "05-27T17:01") == ["eat\nYou asked today for 17:00. T-240527-01"]
        assert await states(world) == [("sent", "")]


@pytest.mark.slow
async def test_the_program_itself_rings_by_its_alarm(tmp_path: Path) -> None:
    """`niannian run` with its own clock: what came due while it was down is told soon after its start, and once."""
    home, clock_then = tmp_path / "home", FakeClock(datetime.now(UTC) - timedelta(hours=2))
    with TelegramServer(clock_then) as server:
        world = Telegram(home, clock_then, server)
        await world.start()
        await world.meet_owner()
        await world.says(world.lin, "remind me in 20 minutes to look at the oven")
        await world.stop()
        before = len(server.sent(world.lin))
        kept_env = {name: value for name, value in os.environ.items() if not name.startswith("NIANNIAN_")}
        env = kept_env | {
            "NIANNIAN_TELEGRAM_TOKEN": server.token, "NIANNIAN_TELEGRAM_BASE_URL": server.base_url,
            "NIANNIAN_HEALTH_PORT": "0", "NIANNIAN_PERSON_LANG": "en",
        }  # fmt: skip
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "run", "--home", str(home),
            cwd=ROOT, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            await waits.until(lambda: len(server.sent(world.lin)) > before or program.returncode is not None)
        finally:
            if program.returncode is None:
                program.terminate()
            _, errors = await program.communicate()
        assert program.returncode == 0, errors
        (told,) = server.sent(world.lin)[before:]
        assert told.text.startswith("look at the oven\nYou asked ")
        assert "oven" not in errors.decode()


async def test_the_alarm_is_woken_by_what_sets_a_time_only(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        woken: list[datetime] = []
        world.app.gateway.timed = lambda: woken.append(world.clock.now())
        await world.says(world.lin, "remember the car is on B2")
        assert woken == []
        await world.says(world.lin, "remind me at 17:00 to eat")
        assert len(woken) == 1
        world.clock.advance(timedelta(minutes=1))
