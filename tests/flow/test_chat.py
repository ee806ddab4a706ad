"""What was said in the chat and never kept: each line that is shown is one in which it came up."""

from __future__ import annotations

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
