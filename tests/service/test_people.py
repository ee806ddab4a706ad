"""Who may talk, and to which memory: strangers, the owner's account, second accounts."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.event import Delivery
from bot.message import Line, Reply
from bot.saying import Saying
from tests.service.world import labels, telegram

pytestmark = pytest.mark.net


async def test_the_owners_account_is_known_by_the_code_that_the_machine_shows(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home", owner=False) as world:
        await world.running.introduce()
        assert any("/start" in line and "https://t.me/keepbot?start=" in line for line in world.told)
        stranger = await world.says(world.lin, "remember the car is on B2")
        assert stranger.text.startswith("We haven't met.")
        await world.meet_owner()
        assert world.newest(world.lin).text.startswith("I know you, Lin.")
        terminal = await world.app.session()
        await terminal.say("remember the canary word is KIWI-7")
        assert "KIWI-7" in (await world.says(world.lin, "what is the canary word?")).text
        assert "no entry yet" in (await world.says(world.lin, "where is the car?")).text


async def test_the_owners_code_works_once_and_for_an_hour(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home", owner=False) as world:
        code = await world.running.acquaintance.owner_code("telegram")
        world.clock.advance(timedelta(minutes=61))
        assert "We haven't met" in (await world.says(world.noor, f"/start {code}")).text
        code = await world.running.acquaintance.owner_code("telegram")
        assert "I know you" in (await world.says(world.lin, f"/start {code}")).text
        assert "We haven't met" in (await world.says(world.noor, f"/start {code}")).text


async def test_a_stranger_is_let_in_by_the_owner_alone(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        mallory = world.server.person(6666, "Mallory")
        await world.let_in(world.noor)
        said = await world.says(mallory, "when is Lin's birthday?")
        assert said.text.startswith("We haven't met.")
        code = said.text.split("give ")[1].split(" ")[0]
        again = await world.says(mallory, f"/pair {code}")
        assert code in again.text
        assert (await world.says(world.noor, f"/pair {code}")).text == "Only the owner lets people in."
        assert (await world.says(world.lin, "/pair")).text.startswith("Whom?")
        for words in (code, f"放行 {code.lower()}", f"let in {code}"):
            asked = await world.says(world.lin, words)
            assert labels(asked)[:1] in (["Let in"], ["放行"])
        assert asked.text.startswith("Let Mallory in?")
        assert labels(asked) == ["Let in", "Not now"]
        await world.presses(world.lin, "Not now")
        assert world.newest(world.lin).text == "Mallory was not let in."
        assert "We haven't met" in (await world.says(mallory, "hi")).text


async def test_nothing_of_a_stranger_is_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with telegram(home) as world:
        mallory = world.server.person(6666, "Mallory")
        await world.says(mallory, "remember my zebra plan")
        await world.says(world.lin, "what is the zebra plan?")
    held = [path for path in home.rglob("*") if path.is_file() and b"my zebra plan" in path.read_bytes()]
    assert held == []


async def test_b9_a_user_name_or_a_name_is_no_identity(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        fake = world.server.person(777, "5001|5002", username="user5001")
        assert "We haven't met" in (await world.says(fake, "hello")).text


async def test_b5_two_people_of_one_name_have_two_memories(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        twins = [world.server.person(number, "Lin Q") for number in (7001, 7002)]
        for twin in twins:
            await world.let_in(twin)
        await world.says(twins[0], "remember the code of the shed is a hedgehog")
        assert "no entry yet" in (await world.says(twins[1], "what is the code of the shed?")).text


async def test_b2_nobody_sees_what_another_keeps(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        await world.says(world.lin, "remember I am allergic to peanuts")
        for asked in ("/memory", "what am I allergic to?", "/decisions", "search peanuts", "/trail"):
            assert "peanut" not in (await world.says(world.noor, asked)).text.replace("“peanuts”", "")


async def test_a_second_account_is_linked_when_the_first_agrees(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        await world.says(world.noor, "remember the gate code is a robin")
        other = world.server.person(5902, "Noor at work")
        code = (await world.says(world.noor, "/link")).text.split("/link ")[1].split(".")[0]
        asked = await world.says(other, f"/link {code}")
        assert asked.text.startswith("Is the account Noor yours too?")
        before = world.newest(world.noor)
        await world.presses(other, "It's me")
        assert world.newest(world.noor) is not before
        assert world.newest(world.noor).text.startswith("Is the account Noor at work yours too?")
        assert "We haven't met" in (await world.says(other, "what is the gate code?")).text
        await world.presses(world.noor, "It's me")
        assert world.newest(other).text == "Linked: both accounts are one private memory."
        assert "robin" in (await world.says(other, "what is the gate code?")).text
        assert (await world.says(other, "what is the gate code?")).text.startswith("You said this")


async def test_two_memories_become_one_when_both_accounts_had_one(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        other = world.server.person(5902, "Noor at work")
        for person, words in ((world.noor, "the gate code is a robin"), (other, "the badge is in the drawer")):
            await world.let_in(person)
            await world.says(person, f"remember {words}")
        code = (await world.says(world.noor, "/link")).text.split("/link ")[1].split(".")[0]
        await world.says(other, f"/link {code}")
        await world.presses(other, "It's me")
        assert "become one, for good" in world.newest(world.noor).text
        await world.presses(world.noor, "It's me")
        for person in (world.noor, other):
            assert "robin" in (await world.says(person, "what is the gate code?")).text
            assert "drawer" in (await world.says(person, "where is the badge?")).text


async def test_a_link_that_is_not_wanted_changes_nothing(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        await world.says(world.noor, "remember the gate code is a robin")
        mallory = world.server.person(6666, "Mallory")
        code = (await world.says(world.noor, "/link")).text.split("/link ")[1].split(".")[0]
        await world.says(mallory, f"/link {code}")
        await world.presses(mallory, "It's me")
        await world.presses(world.noor, "Not me")
        assert "We haven't met" in (await world.says(mallory, "what is the gate code?")).text


async def test_b8_a_blocked_bot_is_paused_and_comes_back(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        world.noor.blocks()
        await world.settle()
        assert world.app.home.device.note("paused/telegram:5002") == "blocked"
        world.noor.unblocks()
        await world.says(world.noor, "remember the gate code is a robin")
        assert world.app.home.device.note("paused/telegram:5002") == ""
        assert world.newest(world.noor).text.startswith("Saved")


async def test_a_tap_on_a_link_gives_nobody_a_memory(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        await world.says(world.lin, "remember the gate code is a robin")
        code = (await world.says(world.noor, "/link")).text.split("/link ")[1].split(".")[0]
        tapped = await world.says(world.lin, f"/start {code}")
        assert labels(tapped) == []
        asked = await world.says(world.lin, f"/link {code}")
        assert "Noor" in asked.text
        assert "for good" in asked.text
        assert "no entry yet" in (await world.says(world.noor, "what is the gate code?")).text
        await world.presses(world.lin, "Not me")
        assert world.app.home.device.account("telegram:5002").role == "member"  # type: ignore[arg-type, union-attr]


async def test_what_is_said_while_two_memories_become_one_is_kept(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        other = world.server.person(5902, "Noor at work")
        for person in (world.noor, other):
            await world.let_in(person)
        code = (await world.says(world.noor, "/link")).text.split("/link ")[1].split(".")[0]
        await world.says(other, f"/link {code}")
        await world.presses(other, "It's me")
        message = next(m for m in reversed(world.server.sent(world.noor)) if "It's me" in labels(m))
        for number in range(10):
            other.writes(f"remember bird {number} is a heron")
        world.noor.presses(message, "It's me")
        for number in range(10, 20):
            other.writes(f"remember bird {number} is a heron")
        await world.settle()
        await world.stop()
        await world.start()  # what was on its way into the old memory is carried now
        assert "20 entries" in (await world.says(world.noor, "/status")).text


async def test_the_owners_code_is_nobodys_once_a_group_has_read_it(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        group = await world.team()
        code = await world.running.acquaintance.owner_code("telegram")
        world.lin.writes(f"/start {code}", group)
        await world.settle()
        assert "We haven't met" in (await world.says(world.noor, f"/start {code}")).text


async def test_two_who_send_the_owners_code_at_once(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home", owner=False) as world:
        code = await world.running.acquaintance.owner_code("telegram")
        for person in (world.lin, world.noor):
            person.writes(f"/start {code}")
        await world.settle()
        owners = [one for one in world.app.home.device.accounts() if one.account.startswith("telegram:")]
        assert len(owners) == 1


async def test_b32_one_who_blocked_the_bot_stops_nobody_elses_message(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        people = [world.server.person(9000 + number, f"Reader {number}") for number in range(10)]
        for person in people:
            await world.let_in(person)
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        world.running.service._sender._sleep = sleep
        people[4].blocks()
        world.server.fail("sendMessage", "chat-not-found", chat=people[7].id)
        world.server.fail("sendMessage", 429, chat=people[8].id, retry_after=3)
        before = [len(world.server.sent(person)) for person in people]
        words = Reply((Line("paradigm: three are due"),))
        await world.running.service.say(
            [Saying(f"telegram:{person.id}", Delivery(words)) for person in people], bot="100000001"
        )
        await world.settle()
        got = [len(world.server.sent(person)) - was for person, was in zip(people, before, strict=True)]
        assert got == [1, 1, 1, 1, 0, 1, 1, 0, 1, 1]
        assert 3.0 in slept
        paused = world.app.home.device.notes("paused/")
        assert paused.keys() == {f"paused/telegram:{people[place].id}" for place in (4, 7)}
        await world.says(people[7], "remember the heron")
        assert world.app.home.device.notes("paused/").keys() == {f"paused/telegram:{people[4].id}"}


async def test_two_memories_become_one_though_the_program_dies_in_between(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        other = world.server.person(5902, "Noor at work")
        for person in (world.noor, other):
            await world.let_in(person)
        await world.says(other, "remember the badge is in the drawer")
        device = world.app.home.device
        into, old = device.account("telegram:5002"), device.account("telegram:5902")  # type: ignore[arg-type]
        assert into is not None
        assert old is not None
        retirement = world.app.home._retirement(old.scope, into.scope)
        await device.unite_accounts(old.scope, into.scope, retirement)  # and then the power fails
        await world.stop()
        await world.start()
        assert "drawer" in (await world.says(world.noor, "where is the badge?")).text
        assert "drawer" in (await world.says(other, "where is the badge?")).text
