"""The same form of asking, again and again, becomes the draft of a skill: proposed, never active."""

from __future__ import annotations

import pytest

from bot.commands import digest
from bot.exchange import Place, bring_in, take_out
from store.grants import GroupClaim, grant
from store.model import EntryKind
from tests.flow.test_digest import memory_of, morning
from tests.flow.world import Person, World

ZH = (
    ("05-06", "待办：5月10日前交第 18 周周报"),
    ("05-13", "待办：5月17日前交第 19 周周报"),
    ("05-20", "待办：5月24日前交第 20 周周报"),
)
EN = (("05-06", "todo: send Noor the numbers of week 18 by Friday"), ("05-13", "todo: send Wei the numbers of week 19 by Thursday"),
      ("05-20", "Todo: send Noor the numbers of week 20 by Friday"))  # fmt: skip


async def ask(world: World, lin: Person, said: tuple[tuple[str, str], ...]) -> None:
    for day, text in said:
        world.at(f"2024-{day} 09:00")
        await lin.say(text)
    world.at("2024-05-27 08:00")


async def test_three_times_on_three_days_is_proposed(zh: World) -> None:
    lin = await zh.person()
    await ask(zh, lin, ZH)
    said = (await morning(zh, lin)).text
    assert "这样的话你常说，要存一份技能草稿吗？\n“待办：〔日期〕前交第 〔数字〕 周周报”" in said
    assert "说过 3 次，在 3 天里" in said and lin.labels == ["存草稿", "看草稿", "不用"]
    keep = lin.action("存草稿")
    draft = await lin.press("看草稿")
    assert "status: draft" in draft and "把它加到任务板上" in draft and "第 18 周周报" in draft
    assert (await lin.press_action(keep)).startswith("记下了 · D-2024-05-27-01")
    memory = await memory_of(zh, lin)
    (entry,) = await memory.read(lambda view: view.entries("kind = 'note'"))
    assert entry.draft.kind is EntryKind.NOTE and entry.draft.tags == ("skill",) and entry.draft.text == draft
    assert "技能草稿" not in (await morning(zh, lin)).text


async def test_names_days_and_numbers_are_slots(world: World) -> None:
    await world.person("Noor")
    lin = await world.person()
    await ask(world, lin, EN)
    assert "“Todo: send [name] the numbers of week [number] by [date]”" in (await morning(world, lin)).text


async def test_a_no_is_remembered_for_ninety_days(world: World) -> None:
    lin = await world.person()
    await ask(world, lin, EN)
    await morning(world, lin)
    keep = lin.action("Keep the draft")
    assert await lin.press("No need") == "Fine, I won't ask for 90 days."
    assert "skill" not in (await morning(world, lin)).text
    for action in (keep, "skill", "skill keep", "skill keep 00", "skill what 00"):
        assert await lin.press_action(action) == "That is no longer there"
    later = (("07-15", EN[0][1]), ("07-22", EN[1][1]), ("08-20", EN[2][1]))
    for day, text in later:
        world.at(f"2024-{day} 09:00")
        await lin.say(text)
    world.at("2024-08-24 08:00")
    assert "skill draft" not in (await morning(world, lin)).text
    world.at("2024-08-26 08:00")
    assert "Keep a skill draft of it?" in (await morning(world, lin)).text


FLOORS = tuple((f"05-{day}", f"remember the clinic visit number {day} is on floor {day}") for day in (21, 22, 23))


async def test_what_was_forgotten_is_the_example_of_no_skill(world: World) -> None:
    lin = await world.person()
    await ask(world, lin, FLOORS)
    await morning(world, lin)
    keep, show = lin.action("Keep the draft"), lin.action("Show it")
    await lin.say("forget D-2024-05-22-01")
    await lin.press("Forget")
    assert "skill" not in (await morning(world, lin)).text
    for action in (show, keep):
        assert await lin.press_action(action) == "That is no longer there"
    memory = await memory_of(world, lin)
    assert await memory.read(lambda view: view.entries("kind = 'note'")) == []


async def test_nor_is_a_task_that_was_taken_off_the_board(world: World) -> None:
    lin = await world.person()
    await ask(world, lin, EN)
    await lin.say("forget T-240513-01")
    await lin.press("Forget")
    assert "skill" not in (await morning(world, lin)).text


@pytest.mark.parametrize(
    "said",
    [
        EN[:2],
        (("05-20", EN[0][1]), ("05-20", EN[1][1]), ("05-21", EN[2][1])),
        tuple((f"05-{day}", "board") for day in range(10, 20)),
        tuple((f"05-{day}", "/new") for day in range(10, 20)),
        tuple((f"05-{day}", "thanks") for day in range(10, 20)),
        tuple((f"05-{day}", "we had a fine walk by the river") for day in range(10, 20)),
        tuple((f"05-{day}", "remember I like the window seat best of all") for day in range(10, 20)),
        tuple((f"05-{day}", f"todo: task {day}") for day in range(10, 20)),
    ],
    ids=["twice", "two days", "board", "new", "thanks", "talk", "the same words", "too short"],
)
async def test_what_is_no_habit_of_asking(world: World, said: tuple[tuple[str, str], ...]) -> None:
    lin = await world.person()
    await ask(world, lin, said)
    assert "skill" not in (await morning(world, lin)).text


async def test_a_draft_goes_out_and_comes_back_as_it_is(world: World) -> None:
    lin = await world.person()
    await ask(world, lin, EN)
    await morning(world, lin)
    await lin.press("Keep the draft")
    memory = await memory_of(world, lin)
    account = lin.session.inbound().account
    now_ms = int(world.clock.now().timestamp() * 1000)
    place = Place(memory, account, "Asia/Shanghai", "en", now_ms)
    out = world.home.parent / "out"
    await take_out(place, {"path": str(out), "format": "tree"}, "cli/test/1")
    assert not list(out.rglob("SKILL.md"))
    seen = await bring_in(place, {"path": str(out), "taken": "skip", "dry": True}, "cli/test/2")
    counts = ("new", "changed_count", "removed_count", "files_wrong", "parts_wrong", "trouble_count")
    assert [seen[name] for name in counts] == [0] * len(counts) and seen["same"] > 0


async def test_in_a_group_nobodys_habits_are_told(world: World) -> None:
    noor = await world.person("Noor", group="Team")
    await ask(world, noor, EN)
    inbound = noor.session.inbound()
    scope = grant(GroupClaim(f"terminal:{inbound.chat.id}", inbound.account), world.app.home.device).scope
    reply = await world.app.gateway.unasked(inbound, scope, digest.digest, about="")
    assert reply is not None and "skill" not in reply.text and reply.buttons == ()


async def test_after_a_no_the_next_one_comes(world: World) -> None:
    lin = await world.person()
    await ask(world, lin, EN)
    await ask(world, lin, FLOORS)
    await morning(world, lin)
    assert await lin.press("No need") == "Fine, I won't ask for 90 days."
    assert lin.labels == ["Next"] and "You often ask in this form" in await lin.press("Next")


async def test_no_secret_is_an_example(world: World) -> None:
    lin = await world.person()
    said = tuple(
        (f"05-{day}", f"remember the wifi password on floor {day} stays hunter2secret") for day in (21, 22, 23)
    )
    await ask(world, lin, said)
    assert "skill" not in (await morning(world, lin)).text
