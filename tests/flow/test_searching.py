"""/search with syntax and filters, as people see it: evidence, pages, hints, and what a restart leaves."""

from __future__ import annotations

import pytest

from bot.intents import Ask, Aspect
from bot.message import Shape
from bot.phrases.grammar import parse
from store.filters import Asked
from store.query import parse_query
from tests.fakes import FakeClock
from tests.flow.world import World
from tests.house.test_readme import examples
from tests.store.memories import LIN


async def fill(world: World, count: int) -> None:
    lin = await world.person()
    for number in range(count):
        await lin.say(f"remember parcel {number} has arrived #post")
        world.later(minutes=1)


async def test_one_hit_is_shown_whole(world: World) -> None:
    lin = await world.person()
    await lin.say("remember: we decided to use SQLite because one file is easy #db")
    await lin.say("remember the cat likes tuna")
    assert await lin.say("/search tag:db") == (
        "1 entry found:\n“use SQLite”\nbecause: one file is easy\nD-2024-05-27-01 · private chat · today 10:00"
    )
    assert lin.labels == ["Source", "Correct"]


async def test_filters_join_with_words_in_both_languages(world: World) -> None:
    lin = await world.person()
    world.at("2024-05-22T09:00")
    await lin.say("记住：决定预算先批一半 #财务")
    await lin.say("记住：决定差旅预算另算 #财务")
    world.at("2024-05-27T10:00")
    await lin.say("记住预算表在共享盘")
    assert "D-2024-05-22-01" in (only := await lin.say("/search 预算 kind:decision NOT 差旅 after:2024-05-01"))
    assert only.startswith("1 entry found:")
    assert (await lin.say("查一下 类型：决定 日期：上周三")).startswith("找到 2 条：")
    assert (await lin.say("查一下 预算 之后：上周三 作者：我")).startswith("找到 1 条：\n“预算表在共享盘”")
    assert (await lin.say("搜索 标签：财务 NOT 差旅")).startswith("找到 1 条：")


@pytest.mark.parametrize("said", ["/search", "/find", "/recall", "search", "查一下", "搜索"])
async def test_every_name_of_the_command_reads_filters(world: World, said: str) -> None:
    await fill(world, 2)
    lin = await world.person()
    assert "parcel 1" in await lin.say(f"{said} tag:post NOT 0")


async def test_pages_of_ten_that_outlive_a_restart(world: World) -> None:
    await fill(world, 25)
    lin = await world.person()
    first = await lin.say("/search tag:post")
    assert first.startswith("25 entries found:\n“parcel 24 has arrived")
    assert first.count("“") == 3
    assert lin.labels == ["22 more"]
    more = lin.action("22 more")
    page = await lin.press_action(more)
    assert page.startswith("25 entries found, 4–13:\nD-2024-05-27-22 “parcel 21")
    assert page.count("\n") == 10
    assert lin.labels == ["◀", "1/3", "▶"]
    assert lin.last.shape is Shape.MESSAGE
    onward = lin.action("▶")
    await lin.say("remember parcel 25 has arrived #post")
    await world.restart()
    lin = await world.person()
    second = await lin.press_action(onward)
    assert second.startswith("26 entries found, 14–23:\n")
    assert lin.last.shape is Shape.EDIT
    await lin.press("▶")
    assert lin.last.text.startswith("26 entries found, 24–26:\n")
    assert lin.last.text.endswith("“parcel 0 has arrived”")
    await lin.press("▶")
    assert lin.last.text.startswith("26 entries found, 4–13:\n"), "round and round"
    for wrong in ("99", "-1", "x", "9" * 30):
        assert await lin.press_action(f"{more} {wrong}") == "That is no longer there"


async def test_a_page_means_the_days_it_meant_when_it_was_asked_for(world: World) -> None:
    await fill(world, 8)
    lin = await world.person()
    await lin.say("/search on:today")
    more = lin.action("5 more")
    world.later(days=2)
    assert (await lin.press_action(more)).startswith("8 entries found, 4–8:")


async def test_a_page_shows_nothing_that_was_forgotten_since(world: World) -> None:
    await fill(world, 8)
    lin = await world.person()
    await lin.say("/search tag:post")
    more = lin.action("5 more")
    await lin.say("forget D-2024-05-27-01")
    await lin.press("Forget")
    page = await lin.press_action(more)
    assert page.startswith("7 entries found, 4–7:")
    assert "parcel 0" not in page


async def test_what_was_superseded_is_marked_and_stands_behind(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the weekly starts at 15:00")
    await lin.say("no, the weekly starts at 15:30")
    said = await lin.say('/search "the weekly"')
    assert said.index("15:30") < said.index("15:00")
    assert said.count("earlier") == 1


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("budget AND", "“AND” belongs between two words, such as budget AND finance; it was read as a word."),
        ("(budget", "“(” has no twin and was passed over. A pair works: (budget OR finance) NOT travel"),
        ('"budget', '“"budget” opens a quote that never ends, so it was read as words. Like this: “budget report”'),
        ("budget tag:", "“tag:” needs a value right behind it, such as tag:travel; it was read as a word."),
        ("budget kind:banana", "“kind:banana” is no kind of entry and was read as words."),
        ("budget before:blah", "“before:blah” names no day and was read as words. Like this: before:2024-05-01"),
        ("budget by:Zed", "“by:Zed”: nobody here has that name, so it was read as words. Like this: by:me"),
    ],
)
async def test_what_is_no_syntax_is_searched_as_words_with_one_hint(world: World, said: str, hint: str) -> None:
    """Case B58."""
    lin = await world.person()
    await lin.say("remember the budget is half approved")
    lines = (await lin.say(f"/search {said}")).split("\n")
    assert "“the budget is half approved”" in lines
    assert lines[-1].startswith(hint)
    assert "\n".join(lines).count("read as") + "\n".join(lines).count("passed over") == 1


async def test_the_hint_comes_in_the_language_of_the_search(world: World) -> None:
    lin = await world.person()
    await lin.say("记住预算批了一半")
    said = await lin.say("查一下 预算 类型：香蕉")
    assert "“预算批了一半”" in said
    assert said.endswith("“类型:香蕉”不是一种记忆，当普通词查了。能用的：决定、事实、偏好、摘录、规则，比如 类型:决定")


async def test_a_hint_stands_below_an_exact_answer_and_below_nothing(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the budget is half approved #money")
    assert "passed over" in (await lin.say("/search tag:money (")).split("\n")[-1]
    nothing = await lin.say("/search xylophone kind:banana")
    assert "no entry yet" in nothing
    assert "is no kind of entry" in nothing.split("\n")[-1]


async def test_what_matches_nothing_because_of_a_slip_is_ranked_instead(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the budget is half approved")
    said = await lin.say('/search "budget is" kind:banana')
    assert "“the budget is half approved”" in said
    assert "is no kind of entry" in said.split("\n")[-1]


async def test_nothing_found_names_the_query_and_offers_to_keep(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the budget is half approved")
    assert (await lin.say("/search budget kind:decision")).startswith("There's no entry yet on “budget kind:decision”.")
    assert "all entries" in await lin.say("/trail")


async def test_a_search_without_syntax_is_ranked_as_ever(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the grandmother's recipe box stands in the pantry")
    assert "recipe box" in await lin.say("/search where does the recipe box stand")
    assert "recipe box" in await lin.say("/search recipe -box")


async def test_by_is_a_name_in_a_group_and_never_looks_elsewhere(world: World) -> None:
    noor, wei = await world.person("Noor", "Team"), await world.person("Wei", "Team")
    lin = await world.person()
    await lin.say("remember branch plans are secret")
    await noor.say("remember the branch is main")
    await wei.say("remember the branch is frozen on Friday")
    assert (await wei.say("/search branch by:Noor")).startswith("1 entry found:\n“the branch is main” — Noor")
    assert (await wei.say("/search by:Noor by:me")).startswith("2 entries found:")
    assert "frozen" in await wei.say("/search by:我")
    assert "nobody here has that name" in await wei.say("/search branch by:Lin")


async def test_a_page_turns_for_the_person_who_asked(world: World) -> None:
    noor, wei = await world.person("Noor", "Team"), await world.person("Wei", "Team")
    for number in range(5):
        await noor.say(f"remember parcel {number} has arrived #post")
    await noor.say("/search tag:post by:me")
    assert await wei.press_action(noor.action("2 more")) == "Only Noor can press this"
    assert (await noor.press("2 more")).startswith("2 more:")


@pytest.mark.parametrize("sentence", examples())
def test_every_search_on_the_usage_page_is_read_whole(sentence: str) -> None:
    intent = parse(sentence).intent
    if isinstance(intent, Ask) and intent.aspect is Aspect.SEARCH:
        query = parse_query(intent.question, Asked(FakeClock().now().date(), LIN, {}))
        assert query.is_exact, sentence
        assert query.unread == (), sentence


async def test_what_was_listed_and_not_ranked_says_so(zh: World) -> None:
    lin = await zh.person()
    await lin.say("记住：预算是三万")
    for asked in ("查一下 预算*", "今天我记了什么"):
        await lin.say(asked)
        assert "看了 1 条，列出 1 条，没有排名" in await lin.say("怎么找的")
