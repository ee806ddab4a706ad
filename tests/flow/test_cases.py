"""A long exchange about trouble becomes one case, in the person's own words, and only when they say so."""

from __future__ import annotations

import pytest

from store.model import EntryKind, Origin
from tests.flow.test_digest import memory_of, morning
from tests.flow.world import Person, World

EN = (
    "the nightly build fails since this morning",
    "TypeError: 'NoneType' object is not subscriptable",
    "it is the same on my laptop",
    "let me look at the lock file",
    "the parser got a new version on Friday",
    "I restarted the runner, still not working",
    "no idea why that helps nobody",
    "the release notes mention a changed default",
    "I pinned the parser to 2.3.1",
    "waiting for the run",
    "halfway through",
    "the build is green, it works again",
)
ZH = (
    "今天早上起构建一直失败", "错误：无法连接数据库 10.0.0.5", "我的笔记本上也一样", "先看看锁文件", "周五解析器出了新版本", "我重启了跑构建的机器，还是不行",
    "不知道为什么", "发行说明里提到默认值变了", "我把解析器版本改成 2.3.1", "等它跑完", "跑了一半", "构建通过了，好了",
)  # fmt: skip


async def talk(lin: Person, lines: tuple[str, ...]) -> None:
    for line in lines:
        await lin.say(line)


async def test_it_is_shown_before_it_is_stored(world: World) -> None:
    lin = await world.person()
    await talk(lin, EN)
    said = await lin.say("/new")
    assert said.startswith("New conversation.") and lin.labels == ["Keep as a case"]
    shown = await lin.press("Keep as a case")
    assert shown == (
        "It would be kept like this, in your own words:\nproblem: the nightly build fails since this morning\n"
        "error: TypeError: 'NoneType' object is not subscriptable\naction: I pinned the parser to 2.3.1\n"
        "outcome: the build is green, it works again"
    )
    memory = await memory_of(world, lin)
    assert await memory.read(lambda view: view.count()) == 0
    assert (await lin.press("Keep it")).startswith("Saved · D-2024-05-27-01")
    (entry,) = await memory.read(lambda view: view.entries("kind = 'note'"))
    assert entry.draft.kind is EntryKind.NOTE and entry.origin is Origin.CONFIRMED and entry.draft.tags == ("case",)
    assert entry.draft.text == shown.partition("\n")[2]
    assert "pinned the parser" in await lin.say("/recall parser version nightly build")


async def test_in_chinese(zh: World) -> None:
    lin = await zh.person()
    await talk(lin, ZH)
    await lin.say("重新开始")
    assert await lin.press("存成案例") == (
        "这样存，都是你的原话：\n问题：今天早上起构建一直失败\n错误：无法连接数据库 10.0.0.5\n"
        "做法：我把解析器版本改成 2.3.1\n结果：构建通过了，好了"
    )
    assert await lin.press("不存") == "好，不存。"
    memory = await memory_of(zh, lin)
    assert await memory.read(lambda view: view.count()) == 0


@pytest.mark.parametrize(
    "lines",
    [
        EN[:10],
        tuple(f"a nice walk number {number} by the river" for number in range(14)),
        (*(line for line in EN if "pinned" not in line and "works" not in line), "one more", "and another"),
    ],
    ids=["short", "no trouble", "nothing done"],
)
async def test_not_every_conversation_is_a_case(world: World, lines: tuple[str, ...]) -> None:
    lin = await world.person()
    await talk(lin, lines)
    await lin.say("/new")
    assert lin.labels == []


async def test_what_nobody_wrote_is_left_out(world: World) -> None:
    lin = await world.person()
    await talk(lin, (*(line for line in EN if "Error" not in line and "works again" not in line), "tea", "more tea"))
    await lin.say("/new")
    shown = await lin.press("Keep as a case")
    assert "error:" not in shown and "outcome:" not in shown and "action: I pinned the parser" in shown


async def test_twice_is_once_and_a_no_stays(world: World) -> None:
    lin = await world.person()
    await talk(lin, EN)
    await lin.say("/new")
    show = lin.action("Keep as a case")
    await lin.press("Keep as a case")
    keep, leave = lin.action("Keep it"), lin.action("Don't keep")
    await lin.press_action(keep)
    for action in (keep, leave, show, "case", "case keep x", "case keep 99", "case what 1"):
        assert await lin.press_action(action) == "That is no longer there"
    memory = await memory_of(world, lin)
    assert await memory.read(lambda view: view.count()) == 1


async def test_a_conversation_that_was_never_ended_is_offered_in_the_digest(world: World) -> None:
    lin = await world.person()
    await talk(lin, EN)
    assert "case" not in (await morning(world, lin)).text
    world.at("2024-05-28 08:00")
    reply = await morning(world, lin)
    assert "Keep it as a case?" in reply.text and lin.labels == ["Keep it", "Don't keep"]
    await lin.press("Don't keep")
    assert "case" not in (await morning(world, lin)).text


async def test_the_day_is_that_of_the_trouble_and_the_next_question_comes_after(world: World) -> None:
    lin = await world.person()
    await lin.say("what a fine morning by the river")
    world.at("2024-05-29 10:00")
    await talk(lin, EN)
    await lin.say("remember the exam date is 15 June")
    await lin.say("remember the exam date is 22 June")
    world.at("2024-05-30 08:00")
    await morning(world, lin)  # which asks about the exam
    assert "The conversation from yesterday 10:00 seems" in (await morning(world, lin)).text
    await lin.say("remember the exam date is 29 June")
    await lin.press_action("case show 1")
    assert lin.labels == ["Keep it", "Don't keep"]
    await lin.press("Don't keep")
    assert lin.labels == ["Next"] and "entries disagree" in await lin.press("Next")


async def test_others_words_and_secrets_are_not_in_it(world: World) -> None:
    noor, wei = await world.person("Noor", "Team"), await world.person("Wei", "Team")
    for line in EN[:6]:
        await noor.say(line)
    for line in EN[6:]:
        await wei.say(line)
    await noor.say("I set the token to ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    await noor.say("/new")
    assert noor.labels == []
