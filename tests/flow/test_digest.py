"""The morning digest, and what the nightly tidy asks in it."""

from __future__ import annotations

import pytest

from bot.commands import digest
from bot.exchange import Place, bring_in, take_out
from bot.habits import change
from bot.message import Reply
from store import cards, tree
from store.grants import GroupClaim, PrivateClaim, grant
from store.memory import Memory
from store.model import EntryKind
from store.writer import Writer
from tests.flow.world import Person, World

NOON_ZH, NOON = "记住中午推送就好，晚上别打扰", "remember to push at noon and leave my evenings alone"


async def memory_of(world: World, lin: Person) -> Memory:
    granted = grant(PrivateClaim(lin.session.inbound().account), world.app.home.device)
    return await world.app.home.memory(granted)


async def morning(world: World, lin: Person) -> Reply:
    """What the digest says to Lin now; its buttons can be pressed next."""
    memory = await memory_of(world, lin)
    reply = await world.app.gateway.unasked(lin.session.inbound(), memory.scope, digest.digest, about="")
    assert reply is not None
    lin.last = reply
    assert reply.text.count("\n") < 15 and len(reply.buttons) <= 3
    assert all(len(button.action.encode()) <= 64 for button in reply.buttons)
    return reply


async def said_three_times(world: World, lin: Person, text: str) -> None:
    for day in ("21", "23", "26"):
        world.at(f"2024-05-{day} 09:00")
        await lin.say(text)
    world.at("2024-05-27 08:00")


async def user_md(world: World, lin: Person) -> str:
    memory = await memory_of(world, lin)
    today = world.clock.now().date()
    files = await memory.read(
        lambda view: tree.render(view, scope=memory.scope, zone="Asia/Shanghai", lang="en", today=today)
    )
    return files["USER.md"]


async def test_three_times_is_proposed_and_a_tap_makes_it_a_preference(zh: World) -> None:
    lin = await zh.person()
    await said_three_times(zh, lin, NOON_ZH)
    reply = await morning(zh, lin)
    assert reply.text == (
        "早，5月27日（周一）。\n任务板：在做 0 · 就绪 0 · 中断 0\n夜间整理有 1 条想转为长期，等你点头：\n"
        "“中午推送就好，晚上别打扰”\n说过 3 次，第一次 D-2024-05-21-01，最近 5月26日（周日）"
    )
    assert lin.labels == ["同意", "不转", "看日记"]
    assert "中午推送" not in await user_md(zh, lin)
    said = await lin.press("同意")
    assert said == "好，“中午推送就好，晚上别打扰”放进长期偏好了，依据 D-2024-05-21-01。"
    assert lin.labels == ["撤销"]
    assert "- 中午推送就好，晚上别打扰 (D-2024-05-21-01)" in await user_md(zh, lin)
    why = await lin.say("/why D-2024-05-21-01")
    assert "依据 D-2024-05-21-01、D-2024-05-23-01、D-2024-05-26-01" in why and "偏好" in why


async def test_what_was_agreed_to_is_taken_back_and_waits_again(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, NOON)
    await morning(world, lin)
    await lin.press("Agree")
    assert await lin.press("Undo") == "Undone · D-2024-05-21-01, back as it was."
    assert "push at noon" not in await user_md(world, lin)
    assert "proposes 1 entry" in (await morning(world, lin)).text


async def test_a_no_is_remembered_and_so_is_a_yes(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, NOON)
    first = await morning(world, lin)
    assert await lin.press("Leave it") == "Fine, D-2024-05-21-01 stays where it is and I won't ask again."
    assert "proposes" not in (await morning(world, lin)).text
    world.at("2024-05-28 09:00")
    await lin.say(NOON)
    await lin.say("/forget D-2024-05-21-01")
    await lin.press("Forget")
    world.at("2024-05-30 08:00")
    assert "proposes" not in (await morning(world, lin)).text
    agree = next(button.action for button in first.buttons if button.label == "Agree")
    assert await lin.press_action(agree) == "That is no longer there"


async def test_a_second_tap_does_nothing_more(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, NOON)
    await morning(world, lin)
    agree, leave = lin.action("Agree"), lin.action("Leave it")
    await lin.press_action(agree)
    assert await lin.press_action(agree) == "Already done"
    assert await lin.press_action(leave) == "Already done"
    for nonsense in ("tidy agree nothing", "tidy", "tidy agree", "tidy what 1", "settle a b 0", "settle", "settle a"):
        assert await lin.press_action(nonsense) == "That is no longer there"


async def test_a_rule_of_work_goes_to_the_rules_and_anything_else_is_pinned(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, "remember every release must pass the smoke test before deploying")
    await said_three_times(world, lin, "remember the spare key hangs behind the blue door")
    assert "proposes 2 entries" in (await morning(world, lin)).text
    assert "is one of the rules now" in await lin.press("Agree")
    assert lin.labels == ["Undo", "Next"]
    assert "proposes 1 entry" in await lin.press("Next")
    assert "is pinned now" in await lin.press("Agree")
    memory = await memory_of(world, lin)
    rules = await memory.read(lambda view: view.entries("kind = 'rule'"))
    pinned = await memory.read(lambda view: view.entries("pinned = 1"))
    assert [one.label for one in rules] == ["D-2024-05-21-01"] and rules[0].draft.kind is EntryKind.RULE
    assert [one.draft.text for one in pinned] == ["the spare key hangs behind the blue door"]


async def test_what_is_agreed_to_survives_a_rebuild(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, NOON)
    await morning(world, lin)
    await lin.press("Agree")
    before = await user_md(world, lin)
    await (await memory_of(world, lin)).rebuild()
    assert await user_md(world, lin) == before and "push at noon" in before


async def test_board_and_what_is_due(world: World) -> None:
    lin = await world.person()
    world.at("2024-05-24 10:00")
    for text in ("remind me tomorrow at 9 to pay the rent", "remind me on Monday at 18:00 to water the fig",
                 "remind me on Tuesday at 9 to call Wei", "todo: write the report"):  # fmt: skip
        await lin.say(text)
    world.at("2024-05-27 08:00")
    said = (await morning(world, lin)).text.split("\n")
    assert said[:3] == [
        "Good morning, Mon 27 May.",
        "Board: doing 0 · ready 4 · blocked 0",
        "2 due today, 1 of them from before:",
    ]
    assert "pay the rent" in said[3] and "water the fig" in said[4] and len(said) == 5


async def test_many_due_tasks_are_counted(world: World) -> None:
    lin = await world.person()
    for number in range(5):
        await lin.say(f"remind me today at 1{number}:30 to make call {number}")
    said = (await morning(world, lin)).text
    assert "5 due today:" in said and "call 2" in said and "call 3" not in said
    assert "2 more; the board has them all." in said


async def test_two_entries_that_disagree_are_asked_about_once(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the exam date is 15 June")
    await lin.say("remember the exam date is 22 June")
    said = (await morning(world, lin)).text
    assert ("Two entries disagree" in said and lin.labels == ["15 June", "22 June", "Keep both"]) or lin.labels[
        2
    ] == "Keep both"
    assert "disagree" not in (await morning(world, lin)).text
    await lin.say("remember the exam date is 29 June")
    again = (await morning(world, lin)).text
    assert "3 entries disagree" in again


@pytest.mark.parametrize(("choice", "current"), [(0, 1), (1, 1), (2, 2)])
async def test_a_tap_settles_it(world: World, choice: int, current: int) -> None:
    lin = await world.person()
    await lin.say("remember the exam date is 15 June")
    await lin.say("remember the exam date is 22 June")
    await morning(world, lin)
    action = lin.last.buttons[choice].action
    await lin.press_action(action)
    memory = await memory_of(world, lin)
    assert len(await memory.read(lambda view: view.entries("current = 1"))) == current
    assert "disagree" not in (await morning(world, lin)).text
    if choice < 2:
        assert await lin.press_action(action) == "That is no longer there"


async def test_what_names_nothing_disagrees_with_nobody_in_the_morning(world: World) -> None:
    lin = await world.person()
    await lin.say("remember it is on the shelf")
    await lin.say("remember it is in the garage")
    assert "disagree" not in (await morning(world, lin)).text


async def test_proposals_go_before_disagreements_which_are_counted(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, NOON)
    await lin.say("remember the exam date is 15 June")
    await lin.say("remember the exam date is 22 June")
    assert "Also waiting for you: 1 disagreement" in (await morning(world, lin)).text
    await lin.press("Leave it")
    assert "Two entries disagree" in await lin.press("Next")
    await lin.press("Keep both")
    assert lin.labels == ["Undo"]


async def test_the_diary_says_why(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, NOON)
    world.at("2024-05-25 09:00")
    await lin.say("remember the spare key hangs behind the blue door")
    world.at("2024-05-26 09:00")
    await lin.say("remember the spare key hangs behind the blue door")
    await lin.say("remember git push --force origin main")
    world.at("2024-05-27 08:00")
    await morning(world, lin)
    said = await lin.press("Tidy diary")
    assert said.startswith("Tidy diary · Mon 27 May\nproposed: D-2024-05-21-01")
    assert "said 3 times · waits for you" in said and "nearly: D-2024-05-25-01" in said and "like code 1" in said


@pytest.mark.parametrize(
    "asked", ["tidy diary", "整理日记", "/diary", "/diary 2024-05-27", "/diary nonsense", "/diary 1066-10-14"]
)
async def test_the_diary_can_be_asked_for(world: World, asked: str) -> None:
    lin = await world.person()
    said = await lin.say(asked)
    assert said.startswith(("Tidy diary · Mon 27 May", "整理日记 · 5月27日（周一）"))


async def test_in_a_group_who_said_it_decides_or_an_admin(world: World) -> None:
    lin, noor = await world.person(group="Team"), await world.person("Noor", group="Team")
    wei = await world.person("Wei", group="Team")
    await said_three_times(world, noor, "remember every release must pass the smoke test before deploying")
    inbound = noor.session.inbound()
    scope = grant(GroupClaim(f"terminal:{inbound.chat.id}", inbound.account), world.app.home.device).scope
    reply = await world.app.gateway.unasked(inbound, scope, digest.digest, about="")
    assert reply is not None and "proposes 1 entry" in reply.text and "— Noor" in reply.text
    agree = next(button.action for button in reply.buttons if button.label == "Agree")
    for member in (wei, noor):
        assert await member.press_action(agree) == "An admin has to press this"
    assert "is one of the rules now" in await lin.press_action(agree)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("remember the spare key hangs behind the blue door", "is pinned now"),
        ("remember from now on the small room is mine on Fridays", "An admin has to press this"),
    ],
)
async def test_in_a_group_one_may_agree_to_what_orders_nobody(world: World, text: str, said: str) -> None:
    await world.person(group="Team")
    noor, wei = await world.person("Noor", group="Team"), await world.person("Wei", group="Team")
    await said_three_times(world, noor, text)
    inbound = noor.session.inbound()
    scope = grant(GroupClaim(f"terminal:{inbound.chat.id}", inbound.account), world.app.home.device).scope
    reply = await world.app.gateway.unasked(inbound, scope, digest.digest, about="")
    assert reply is not None
    agree = next(button.action for button in reply.buttons if button.label == "Agree")
    if "pinned" in said:
        assert await wei.press_action(agree) == "Only Noor can press this"
    assert said in await noor.press_action(agree)


async def test_words_that_are_due_are_counted_where_words_are_on(world: World) -> None:
    lin = await world.person()
    memory = await memory_of(world, lin)
    account = lin.session.inbound().account

    def add(writer: Writer) -> None:
        for word in ("serendipity", "paradigm"):
            cards.add_card(writer, word, by=account, at_ms=writer.now_ms)

    await memory.turn(add)
    assert "Words" not in (await morning(world, lin)).text
    await memory.turn(lambda writer: change(writer, account, words_on=True, words_at="13:00"))
    assert "\nWords: 0 due · 2 new, at 13:00" in (await morning(world, lin)).text
    await memory.turn(lambda writer: change(writer, account, words_since="2024-06-06"))
    assert "Words" not in (await morning(world, lin)).text


async def test_what_was_promoted_goes_out_and_comes_back_as_it_is(world: World) -> None:
    lin = await world.person()
    await said_three_times(world, lin, NOON)
    await morning(world, lin)
    await lin.press("Agree")
    now_ms = int(world.clock.now().timestamp() * 1000)
    place = Place(await memory_of(world, lin), lin.session.inbound().account, "Asia/Shanghai", "en", now_ms)
    out = world.home.parent / "out"
    await take_out(place, {"path": str(out), "format": "tree"}, "cli/test/1")
    assert "push at noon" in (out / "USER.md").read_text(encoding="utf-8")
    seen = await bring_in(place, {"path": str(out), "taken": "skip", "dry": True}, "cli/test/2")
    counts = ("new", "changed_count", "removed_count", "trouble_count")
    assert [seen[name] for name in counts] == [0] * len(counts)


async def test_fifty_answers_and_thanks_leave_memory_as_it_was(world: World) -> None:
    """What niannian says out of memory, and what people say to that, is never a source."""
    lin = await world.person()
    world.at("2024-05-24 09:00")
    await lin.say("remember the spare key hangs behind the blue door")
    for number in range(50):
        world.at(f"2024-05-2{5 + number % 2} 09:{number:02}")
        await lin.say("where does the spare key hang?")
        await lin.say(("ok", "thanks", "好的")[number % 3])
    world.at("2024-05-27 08:00")
    memory = await memory_of(world, lin)
    assert await memory.read(lambda view: view.count()) == 1
    assert "proposes" not in (await morning(world, lin)).text
    assert "said once 1" in await lin.say("tidy diary")


@pytest.mark.parametrize("proposed", [True, False])
async def test_a_full_morning_fits_into_fifteen_lines(world: World, proposed: bool) -> None:
    lin = await world.person()
    if proposed:
        await said_three_times(
            world, lin, "remember the gate code:\n1 turns the light on, 2 opens the gate,\n3 is for guests"
        )
    world.at("2024-01-10 09:00")
    await lin.say("a talk of long ago")
    world.at("2024-05-27 08:00")
    long = "\n".join(f"line {number} of what was said about it" for number in range(9))
    await lin.say(f"remember the exam date is 15 June\n{long}")
    await lin.say(f"remember the exam date is 22 June\n{long}")
    for number in range(5):
        await lin.say(f"remind me today at 1{number}:30 to make call {number}")
    await lin.say("/keep chat 90 days")
    memory = await memory_of(world, lin)
    account = lin.session.inbound().account
    await memory.turn(lambda writer: cards.add_card(writer, "paradigm", by=account, at_ms=writer.now_ms))
    await memory.turn(lambda writer: change(writer, account, words_on=True, words_at="13:00"))
    said = (await morning(world, lin)).text
    assert "5 due today" in said and "Words: " in said and "will go tomorrow" in said
    assert ("proposes 1 entry" in said) is proposed and ("1 disagreement" in said or "Two entries disagree" in said)


async def test_once_is_enough_for_what_lasts_or_matters(world: World) -> None:
    lin = await world.person()
    world.at("2024-05-26 09:00")
    await lin.say("remember from now on answer me in short sentences")
    world.later(minutes=1)
    await lin.say("remember important: the lease is in the blue folder")
    world.at("2024-05-27 08:00")
    assert "said as something that lasts, D-2024-05-26-01, Sun 26 May" in (await morning(world, lin)).text
    await lin.press("Leave it")
    assert "you called it important, D-2024-05-26-02, Sun 26 May" in await lin.press("Next")
    assert "is pinned now, from D-2024-05-26-02" in await lin.press("Agree")
