"""A question that names a time, in both languages: its words filter, and are neither searched for nor shown as a subject."""

from __future__ import annotations

import pytest

from tests.flow.world import World


async def _three_days(world: World) -> None:
    """Monday 20, Wednesday 22 and Friday 24 May 2024; then it is Monday the 27th."""
    lin = await world.person()
    for day, one in ((20, "paint the hall green"), (22, "paint the porch white"), (24, "paint the shed red")):
        world.at(f"2024-05-{day}T10:00")
        assert "Saved" in await lin.say(f"remember: we decided to {one}")
    world.at("2024-05-27T10:00")


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what did we decide between 20 and 22 May?", ["hall", "porch"]),
        ("what did we decide from last Wednesday to last Friday?", ["porch", "shed"]),
        ("what did we decide since last Thursday?", ["shed"]),
        ("what did we decide before 22 May?", ["hall"]),
        ("what did we decide after 22 May?", ["shed"]),
        ("what did we decide in the last 4 days?", ["shed"]),
        ("what did we decide about paint between 21 and 23 May?", ["porch"]),
        ("5月20日到22日之间我们决定了什么？", ["hall", "porch"]),
        ("从上周三到上周五我们决定了什么？", ["porch", "shed"]),
        ("上周四以来我们决定了什么？", ["shed"]),
        ("5月22日之前我们决定了什么？", ["hall"]),
        ("5 月 22 日我们决定了什么？", ["porch"]),
        ("5月22日之后我们决定了什么？", ["shed"]),
        ("最近四天我们决定了什么？", ["shed"]),
        ("5月21日到23日关于paint我们决定了什么？", ["porch"]),
    ],
)
async def test_only_what_was_said_in_that_time_answers(world: World, question: str, found: list[str]) -> None:
    await _three_days(world)
    lin = await world.person()
    answer = await lin.say(question)
    assert [room for room in ("hall", "porch", "shed") if room in answer] == found, answer


async def test_an_open_end_is_told_as_one(world: World) -> None:
    await _three_days(world)
    lin = await world.person()
    assert "before 22 May = until Tue 21 May. You decided:" in await lin.say("what did we decide before 22 May?")
    await lin.say("/lang zh")
    assert "5月22日之前 = 到 5月21日为止" in await lin.say("5月22日之前我们决定了什么？")


async def test_when_nothing_was_said_then_the_time_is_no_subject(world: World) -> None:
    await _three_days(world)
    lin = await world.person()
    answer = await lin.say("what did we decide between 1 and 3 May?")
    assert "between 1 and 3 May" in answer
    assert "hall" not in answer


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("今天我记了什么", "找到 10 条："),
        ("what did I tell you today?", "10 entries found:"),
        ("what did I tell you in the last 7 days?", "10 entries found:"),
    ],
)
async def test_a_listing_says_how_many_there_are_and_offers_the_rest(world: World, question: str, title: str) -> None:
    lin = await world.person()
    for number in range(10):
        await lin.say(f"remember jar {number} is full")
    answer = await lin.say(question)
    assert title in answer
    assert [number for number in range(10) if f"jar {number} " in answer] == [7, 8, 9]
    for left in ([4, 5, 6], [1, 2, 3], [0]):
        more = await lin.press(next(label for label in lin.labels if "more" in label or "再看" in label))
        assert [number for number in range(10) if f"jar {number} " in more] == left


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("2024年2月30日我们决定了什么", "没有“2024年2月30日”这一天。"),
        ("what did we decide on 2024-02-30?", "There is no “2024-02-30”."),
        ("what did we decide about paint on 31 June?", "There is no “31 June”."),
    ],
)
async def test_a_day_that_does_not_exist_is_said_and_nothing_else_stands_in_for_it(
    world: World, question: str, said: str
) -> None:
    await _three_days(world)
    lin = await world.person()
    assert await lin.say(question) == said


async def test_such_a_day_may_still_be_what_an_entry_is_about(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the form accepts 2024-02-30 as a birthday")
    assert "as a birthday" in await lin.say("what accepts 2024-02-30 as a birthday?")
