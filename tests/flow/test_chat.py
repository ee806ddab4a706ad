"""What was said in the chat and never kept: each line that is shown is one in which it came up."""

from __future__ import annotations

import pytest

from tests.flow.world import World


async def test_only_the_lines_in_which_it_came_up_are_shown(zh: World) -> None:
    lin = await zh.person()
    for line in ("周末去爬山了，好累", "这个月预算超了", "红烧肉要放冰糖"):
        await lin.say(line)
    answer = await lin.say("我们有没有聊过爬山？")
    assert "聊天里提到过" in answer
    assert "爬山了" in answer
    assert "预算" not in answer
    assert "红烧肉" not in answer


async def test_a_label_of_ours_that_is_typed_is_no_talk(zh: World) -> None:
    lin = await zh.person()
    await lin.say("翻聊天记录")
    assert "聊天里提到过" not in await lin.say("我们有没有聊过记录？")


@pytest.mark.parametrize(
    "asked",
    ["what preferences did I tell you?", "what do I like?", "我喜欢什么？", "我说过香菜吗", "did I ever mention 香菜?"],
)
async def test_in_a_group_i_am_the_one_who_asks(world: World, asked: str) -> None:
    noor, wei = await world.person("Noor", "Team"), await world.person("Wei", "Team")
    await noor.say("记住：偏好：我不吃香菜")
    await noor.say("香菜和葱我都不吃，香菜最难吃")
    assert "不吃" not in await wei.say(asked)
    assert "香菜" in await noor.say(asked)
    await wei.say("记住：偏好：我喜欢香菜和葱")
    answer = await wei.say(asked)
    assert "我喜欢香菜和葱" in answer
    assert "不吃" not in answer
