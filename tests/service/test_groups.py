"""Groups: switched on by an admin, one memory whatever their id, and only for who is in them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.world import labels, telegram

pytestmark = pytest.mark.net


async def test_a_group_is_off_until_an_admin_who_is_known_presses_start(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        boss = world.server.person(8001, "Boss")
        group = world.server.group("Reading", admin=boss, members=[world.lin, world.noor])
        boss.adds_bot(group)
        await world.settle()
        assert "Boss invited me" in world.newest(group).text
        assert labels(world.newest(group)) == ["Start", "No thanks"]
        before = len(world.server.sent(group))
        world.noor.writes("/remember nothing yet", group)
        await world.settle()
        assert "I start when an admin says so" in world.newest(group).text
        assert len(world.server.sent(group)) == before + 1
        assert await world.presses(world.noor, "Start", group) == "An admin has to press this"
        assert await world.presses(boss, "Start", group) == "Please write to me in private first"
        boss.promotes(world.lin, group)
        await world.presses(world.lin, "Start", group)
        assert world.newest(group).text == "Started (by Lin). /privacy shows what I keep, or stops me."
        assert "nothing yet" not in (await world.says(world.noor, "/memory", group)).text


async def test_an_admin_turns_it_off_and_on_again(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        await world.says(world.noor, "/remember the release branch is main", group)
        await world.says(world.noor, "/privacy", group)
        assert await world.presses(world.noor, "Turn off", group) == "An admin has to press this"
        await world.says(world.lin, "/privacy", group)
        await world.presses(world.lin, "Turn off", group)
        before = len(world.server.sent(group))
        world.noor.writes("/recall release branch", group)
        await world.settle()
        assert len(world.server.sent(group)) == before
        await world.says(world.lin, "/start", group)
        await world.presses(world.lin, "Start", group)
        assert "main" in (await world.says(world.noor, "/recall release branch", group)).text


@pytest.mark.parametrize("order", ["both", "old-first", "new-first", "silent"])
@pytest.mark.parametrize("twice", [False, True])
async def test_b23_b24_a_group_that_becomes_a_supergroup_keeps_its_memory(
    tmp_path: Path, order: str, twice: bool
) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        for number in range(3):
            await world.says(world.noor, f"/remember fact number {number} is a heron", group)
        bigger = world.server.migrate(group, order, twice=twice)
        await world.settle()
        if order == "silent":  # learned from the first message that fails to go out
            world.noor.writes("/status", bigger)
            await world.settle()
        answer = await world.says(world.wei, "/memory", bigger)
        assert "3" in answer.text
        assert "heron" in answer.text
        assert (await world.says(world.noor, "/remember fact number 4 is a heron", bigger)).text.startswith("Saved")
        scopes = [scope for scope in world.app.home.device.scopes() if scope.kind == "group"]
        assert len(scopes) == 1


async def test_b15_who_left_is_not_answered_any_more(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        group = await world.team()
        await world.says(world.noor, "/remember the release branch is main", group)
        assert "main" in (await world.says(world.wei, "in Team, which branch is the release branch?")).text
        world.wei.leaves(group)
        await world.settle()
        answer = await world.says(world.wei, "in Team, which branch is the release branch?")
        assert answer.text == "Team's memory answers current members only. Your own memory works as ever."
        assert await world.presses(world.wei, "Source") == "For current members only"
        world.lin.kicks_bot(group)
        await world.settle()
        assert "main" not in (await world.says(world.noor, "in Team, which branch is the release branch?")).text


async def test_a_group_that_is_not_theirs_is_no_group_to_a_stranger_of_it(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        other = world.server.person(8002, "Ada")
        await world.let_in(other)
        group = await world.team()
        await world.says(world.noor, "/remember the release branch is main", group)
        known = (await world.says(other, "in Team, which branch is the release branch?")).text
        unknown = (await world.says(other, "in Nowhere, which branch is the release branch?")).text
        assert known.replace("Team", "X") == unknown.replace("Nowhere", "X")


async def test_an_entry_is_copied_to_ones_own_memory(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        group = await world.team()
        await world.says(world.noor, "/remember the release branch is main", group)
        await world.says(world.wei, "in Team, which branch is the release branch?")
        await world.presses(world.wei, "Copy to mine")
        copied = world.newest(world.wei)
        assert copied.text.startswith("Saved · D-2024-05-27-01 · private memory")
        assert "“the release branch is main” — Noor" in copied.text
        world.wei.leaves(group)
        assert "main" in (await world.says(world.wei, "which branch is the release branch?")).text


async def test_a_question_from_outside_leaves_no_trace_in_the_group(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with telegram(home) as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        group = await world.team()
        await world.says(world.noor, "/remember the release branch is main", group)
        await world.says(world.wei, "in Team, which branch has the walrus?")
        scope = world.app.home.device.chats()[f"telegram:{group.id}"]
    assert b"walrus" not in b"".join(p.read_bytes() for p in (home / "scopes" / scope).iterdir())


async def test_b10_buttons_are_for_one_person_and_work_once(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        await world.says(world.lin, "/remember the release branch is main", group)
        asked = await world.says(world.lin, "/forget the release branch", group)
        data = next(data for row in asked.buttons for label, data in row if label == "Forget")
        assert len(data.encode()) <= 64
        for person, toast in ((world.noor, "Only Lin can press this"), (world.lin, ""), (world.lin, "Already done")):
            press = person.presses_data(asked, data)
            await world.settle()
            assert (world.server.toast(press) or "") == toast
        assert asked.text.startswith("Forgotten · D-2024-05-27-01")


async def test_a_forged_press_a_press_from_another_chat_and_a_stale_one_do_nothing(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        asked = await world.says(world.lin, "/remember the release branch is main", group)
        token = asked.buttons[0][0][1]
        private = await world.says(world.lin, "hello")
        for message, data in ((asked, "undo 01HZ"), (asked, ""), (private, token), (asked, token[:-1] + "g")):
            press = world.lin.presses_data(message, data or "x")
            await world.settle()
            assert world.server.toast(press) == "That is no longer there"
        assert "main" in (await world.says(world.noor, "/recall release branch", group)).text


async def test_b11_a_service_sender_is_nobody(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        group = await world.team()
        said = await world.says(world.lin, "/remember the spare key is with Ann", group, anonymous=True)
        assert "— Team" in said.text
        assert not any(account in str(world.app.home.device.accounts()) for account in ("1087968824", "136817688"))
        press = world.lin.presses(said, "Undo")
        await world.settle()
        assert world.server.toast(press) in ("This button is for somebody else", "Only Team can press this")


async def test_b7_a_topic_is_a_conversation_over_the_groups_one_memory(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        group = world.server.group("Forum", admin=world.lin, members=[world.noor], supergroup=True, forum=True)
        world.lin.adds_bot(group)
        await world.settle()
        await world.presses(world.lin, "Start", group)
        one, two = group.topic("one", world.lin), group.topic("two", world.lin)
        first = await world.says(world.noor, "/remember the release is on Friday", group, topic=one)
        assert first.thread_id == one.message_id
        answer = await world.says(world.lin, "/recall release", group, topic=two)
        assert answer.thread_id == two.message_id
        assert "Friday" in answer.text
        await world.says(world.noor, "/new", group, topic=one)
        assert "checkpoint" in world.newest(group).text.lower()


async def test_a_quiet_thumb_for_thanks(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        said = await world.says(world.noor, "/remember the release branch is main", group)
        before = len(world.server.sent(group))
        thanks = world.noor.writes("thanks", group, reply_to=said)
        await world.settle()
        assert len(world.server.sent(group)) == before
        assert thanks.reactions


async def test_it_greets_once_however_often_it_is_told_that_it_came(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        group = world.server.group("Reading", admin=world.lin, members=[world.noor])
        world.lin.adds_bot(group)
        await world.settle()
        world.lin.adds_bot(group)
        await world.settle()
        assert len(world.server.sent(group)) == 1
        world.lin.kicks_bot(group)
        await world.settle()
        world.lin.adds_bot(group)
        await world.settle()
        assert len(world.server.sent(group)) == 2


async def test_who_was_removed_comes_back_by_no_press_and_no_comment(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        group = await world.team()
        await world.says(world.noor, "/remember the vault is behind the clock", group)
        answer = await world.says(world.wei, "/recall vault", group)
        world.lin.removes(world.wei, group)
        await world.settle()
        press = world.wei.presses(answer, "Source")
        await world.settle()
        assert world.server.toast(press) == "For current members only"
        assert "current members only" in (await world.says(world.wei, "in Team, where is the vault?")).text


async def test_an_admin_is_one_when_the_platform_says_so(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        group = await world.team()
        await world.says(world.noor, "/remember the vault is behind the clock", group)
        assert "ask an admin" in (await world.says(world.wei, "/lang zh", group)).text
        world.lin.promotes(world.wei, group)
        assert "ask an admin" not in (await world.says(world.wei, "/lang en", group)).text
        world.lin.demotes(world.wei, group)
        assert "ask an admin" in (await world.says(world.wei, "/lang zh", group)).text


async def test_a_group_that_is_off_stays_off(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        await world.says(world.noor, "/remember the vault is behind the clock", group)
        await world.says(world.noor, "in Team, where is the vault?")
        await world.says(world.lin, "/privacy", group)
        await world.presses(world.lin, "Turn off", group)
        world.clock.advance(timedelta(minutes=11))
        assert "clock" not in await world.presses(world.noor, "Source")
        assert not world.app.home.device.is_on(f"telegram:{group.id}")
        assert "clock" not in (await world.says(world.noor, "in Team, where is the vault?")).text


async def test_a_former_admin_who_comes_back_is_a_member(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        group = await world.team()
        world.lin.promotes(world.wei, group)
        await world.says(world.wei, "/remember the vault is behind the clock", group)
        world.lin.removes(world.wei, group)
        await world.settle()
        world.wei.joins(group)
        await world.says(world.wei, "/recall vault", group)
        scope = world.app.home.device.chats()[f"telegram:{group.id}"]
        assert world.app.home.device.members(scope)["telegram:5003"] == "member"  # type: ignore[index]


async def test_a_start_in_the_new_chat_before_anybody_says_that_it_moved(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        await world.says(world.noor, "/remember the vault is behind the clock", group)
        bigger = world.server.migrate(group, "silent")
        await world.settle()
        await world.says(world.lin, "/start", bigger)
        assert "clock" in (await world.says(world.noor, "/recall vault", bigger)).text
        scopes = [scope for scope in world.app.home.device.scopes() if scope.kind == "group"]
        assert len(scopes) == 1


async def test_names_of_elsewhere_are_not_said_in_a_group(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home", owner=False) as world:
        world.lin = world.server.person(5001, "Zed")
        await world.meet_owner()
        await world.let_in(world.noor)
        group = world.server.group("Team", admin=world.lin, members=[world.noor])
        world.lin.adds_bot(group)
        await world.settle()
        await world.presses(world.lin, "Start", group)
        await world.says(world.lin, "/remember the vault is behind the clock", group)
        assert await world.presses(world.noor, "Undo", group) == "Only Zed can press this"
        assert not any("Lin" in message.text for message in world.server.sent(group))


async def test_a_group_moves_once(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        group = await world.team()
        home, old = world.app.home, f"telegram:{group.id}"
        assert await home.move_group(old, "telegram:-1001")
        assert not await home.move_group(old, "telegram:-1002")
        assert not await home.move_group(old, "telegram:-1001")
        assert "telegram:-1002" not in home.device.chats()
