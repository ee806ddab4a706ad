"""A sentence that is told in one place is in no call to any other and in no log, whatever is asked there.

Every command in both languages is said by people who did not tell it, and by who did in the other place; buttons under
the answers are pressed.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.emulators.telegram.people import Group, Person
from tests.emulators.telegram.server import TOKEN
from tests.emulators.telegram.world import Message
from tests.service.world import Telegram, labels, telegram

pytestmark = pytest.mark.net

MINE, OURS = "KIWI-7", "PAPAYA-9"
"""Lin's, told in private, and Noor's, told in the group."""

ENGLISH = (
    "/start", "/help", "/whoami", "/id", "start", "help", "who am I",
    "/remember", "/remember the kettle is blue", "note that the lamp is off", "keep this: the door is red",
    "/recall canary", "/search canary word", "/find canary", "search canary", "what did we decide about the canary?",
    "did we ever talk about the canary?", "what is the canary word?", "canary word?",
    "/decisions", "decisions", "/memory", "show memory", "what does MEMORY.md say",
    "/why D-2024-05-27-01", "/history D-2024-05-27-01", "/correct D-2024-05-27-01", "where from", "no, it is none",
    "/forget canary", "/forget D-2024-05-27-01", "forget that", "/undo", "undo", "/pin D-2024-05-27-01", "pin",
    "you forgot", "you didn't keep that", "/count canary", "how often canary", "have I met the canary?",
    "/tasks", "board", "/todo", "todo wash up", "/remind", "remind me to wash up tomorrow at 9",
    "/doing T-240527-01", "/ready T-240527-01", "/blocked T-240527-01", "/done T-240527-01", "done wash up",
    "/checkpoints", "where were we", "/new", "/reset", "start over", "/stop", "stop", "/retry", "again",
    "/today", "/vocab", "/add canary", "/stats", "/pause", "/resume", "/time 9", "/tz", "/digest",
    "/profile", "about me", "about me: pet = none", "/rules", "rules", "rule: be kind",
    "/track canary", "/trail", "how did you look",
    "/settings", "/lang", "/privacy", "/status", "status", "/export", "export", "/link", "/pair ABCD2345",
    "D-2024-05-27-01", "T-240527-01", "what did Lin say?", "what did Noor say?", "hello",
)  # fmt: skip
CHINESE = (
    "开始", "帮助", "我是谁", "记住水壶是蓝的", "记一下灯关了", "查一下 canary", "搜索你的记忆关于 canary",
    "我们之前决定了什么？", "有没有聊过 canary？", "暗号是什么？", "canary 是什么？", "决定", "所有记忆",
    "MEMORY.md 现在写了什么", "出处", "旧版", "更正 D-2024-05-27-01", "不对，没有", "忘掉 canary", "忘了刚才说的",
    "撤销", "置顶", "你没记住", "你忘了", "canary 出现过几次", "见过 canary 吗", "任务板", "待办 洗碗", "提醒我明天九点洗碗",
    "开始做 洗碗", "就绪 洗碗", "中断 洗碗", "完成 洗碗", "检查点", "上次做到哪了", "新对话", "重新开始", "停", "再来一次",
    "今日单词", "复习", "学习统计", "暂停", "恢复", "推送时间", "时区", "早报", "关于我", "规则", "规则：好好说话",
    "关注词", "怎么找的", "设置", "语言", "隐私", "状态", "导出", "关联账号", "放行",
)  # fmt: skip
WORDS = {"en": ENGLISH, "zh": (*CHINESE, *(said for said in ENGLISH if said.startswith("/")))}

OFF = ("Turn off", "关掉")
"""Switches the group off."""


async def told(world: Telegram, group: Group) -> None:
    """Both canaries, each in an entry, a task and a conversation; in private in Lin's profile and rules too."""
    for said in (
        f"remember the canary word is {MINE}", f"todo feed {MINE}", f"about me: canary = {MINE}",
        f"rule: say {MINE} to nobody", f"{MINE} is awake", f"记住暗号是 {MINE}",
    ):  # fmt: skip
        await world.says(world.lin, said)
    for said in (
        f"/remember the canary word of the team is {OURS}", f"/todo feed {OURS}", f"@keepbot {OURS} is awake",
        f"/remember 暗号是 {OURS}",
    ):  # fmt: skip
        await world.says(world.noor, said, group)


def place_of(world: Telegram, event: Any) -> int:
    """The chat that sees what a call says; 0 for one that is no chat's."""
    if event.method == "answerCallbackQuery":
        return world.server.press(event.params["callback_query_id"]).message.chat.id
    return int(event.params.get("chat_id", 0))


def leaks(world: Telegram, group: Group) -> list[str]:
    seen = {MINE: {world.lin.id}, OURS: {group.id}}
    return [
        f"{canary} in {place_of(world, event)}: {event.params}"
        for event in world.server.events
        for canary, places in seen.items()
        if canary in str(event.params) and place_of(world, event) not in places
    ]


async def press_all(world: Telegram, person: Person, message: Message) -> None:
    """Each button once, but the one that ends it all; what it asks for next stays open."""
    for label in labels(message):
        if label in OFF:
            continue
        if label in labels(message) and not message.deleted and message.data_of(label).isalnum():
            person.presses(message, label)
            await world.settle()


@pytest.mark.parametrize("lang", ["zh", pytest.param("en", marks=pytest.mark.slow)])
async def test_no_command_carries_a_sentence_to_where_it_was_not_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, lang: str
) -> None:
    caplog.set_level(logging.DEBUG)
    async with telegram(tmp_path / "home", lang=lang) as world:
        await world.let_in(world.noor)
        group = await world.team()
        await told(world, group)
        before = len(world.server.events)
        for number, said in enumerate(WORDS[lang]):
            for person, place in ((world.lin, group), (world.noor, group), (world.noor, None), (world.lin, None)):
                person.writes(said if place is None or said.startswith("/") else f"@keepbot {said}", place)
            if number % 5 == 0:
                await world.settle()
        await world.settle()
        assert leaks(world, group) == []
        said_there = {place: canaries_said(world, place, before) for place in (world.lin.id, world.noor.id, group.id)}
        assert said_there == {world.lin.id: {MINE}, world.noor.id: set(), group.id: {OURS}}
    nothing_logged(caplog)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["team", "Noor's chat", "Lin's chat"])
@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_no_button_carries_a_sentence_to_where_it_was_not_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, lang: str, where: str
) -> None:
    caplog.set_level(logging.DEBUG)
    async with telegram(tmp_path / "home", lang=lang) as world:
        await world.let_in(world.noor)
        group = await world.team()
        await told(world, group)
        place = group if where == "team" else None
        people = [world.noor] if where == "Noor's chat" else [world.lin]
        if where == "team":
            people.append(world.noor)
        for said in WORDS[lang]:
            for person in people:
                before = len(world.server.sent(place or person))
                person.writes(said if place is None or said.startswith("/") else f"@keepbot {said}", place)
                await world.settle()
                for message in world.server.sent(place or person)[before:]:
                    await press_all(world, person, message)
            assert leaks(world, group) == [], said
            world.clock.advance(timedelta(seconds=20))
        assert world.app.home.device.is_on(f"telegram:{group.id}"), "or nothing was asked there"
    nothing_logged(caplog)


def canaries_said(world: Telegram, place: int, after: int) -> set[str]:
    """Which of the two were said in `place` by calls from number `after` on."""
    here = [str(event.params) for event in world.server.events[after:] if place_of(world, event) == place]
    return {canary for canary in (MINE, OURS) if any(canary in one for one in here)}


def nothing_logged(caplog: pytest.LogCaptureFixture) -> None:
    log = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    for secret in (MINE, OURS, TOKEN, TOKEN.partition(":")[2]):
        assert secret not in log


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_b1_a_group_is_told_the_same_whether_there_is_a_private_note_or_not(tmp_path: Path, lang: str) -> None:
    """Also to whose note it is: the group reads along."""
    asks = {
        "en": ("what is the {} word?", "what is Lin's {} word?", "/recall {}", "did we ever talk about the {}?"),
        "zh": ("{}的暗号是什么？", "Lin 的{}是什么？", "/recall {}", "有没有聊过{}？"),
    }
    known, never = {"en": ("canary", "walrus"), "zh": ("鹦鹉", "海象")}[lang]
    async with telegram(tmp_path / "home", lang=lang) as world:
        await world.let_in(world.noor)
        group = await world.team()
        await world.says(
            world.lin, f"remember the canary word is {MINE}" if lang == "en" else f"记住鹦鹉的暗号是 {MINE}"
        )
        assert MINE in (await world.says(world.lin, asks[lang][0].format(known))).text
        for ask in asks[lang]:
            answers = []
            for person in (world.lin, world.noor):
                for word in (known, never):
                    said = ask.format(word)
                    message = await world.says(person, said if said.startswith("/") else f"@keepbot {said}", group)
                    looks = [label.replace(word, "…") for label in labels(message)]
                    answers.append((message.text.replace(word, "…"), looks))
            assert all(answer == answers[0] for answer in answers), answers
            assert answers[0][0]


async def test_a_group_note_is_told_outside_only_to_a_member_who_asks_for_the_group(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        for person in (world.noor, world.wei):
            await world.let_in(person)
        ada = world.server.person(8002, "Ada")
        await world.let_in(ada)
        group = await world.team()
        await told(world, group)
        assert OURS in (await world.says(world.wei, "in Team, what is the canary word of the team?")).text
        for person in (world.wei, ada):
            assert OURS not in (await world.says(person, "what is the canary word of the team?")).text
        assert OURS not in (await world.says(ada, "in Team, what is the canary word of the team?")).text
        outside = {place_of(world, event) for event in world.server.events if OURS in str(event.params)}
        assert outside == {group.id, world.wei.id}


async def test_b30_a_bot_that_answers_every_message_gets_no_answer(tmp_path: Path) -> None:
    async with telegram(tmp_path / "home") as world:
        await world.let_in(world.noor)
        group = await world.team()
        chatty = world.server.person(600, "Chatty", username="chatty_bot", bot=True)
        await world.says(world.noor, "/remember the plan is B", group)
        before = len(world.server.events)
        for number in range(20):
            mine = world.newest(group)
            chatty.writes("@keepbot what did we decide?", group, reply_to=mine if number % 2 else None)
            chatty.writes("/recall plan", group)
            chatty.presses(mine, labels(mine)[0])
            await world.settle()
        said = [event for event in world.server.events[before:] if event.method != "answerCallbackQuery"]
        assert said == []
        assert "plan" in (await world.says(world.noor, "/recall plan", group)).text
