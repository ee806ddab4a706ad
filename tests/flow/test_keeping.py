"""Until when something is kept, what is put away then, and the same words said again."""

from __future__ import annotations

import pytest

from bot.message import Quoted
from tests.flow.world import World

FRIDAY_OVER = "2024-06-01T10:00"


@pytest.mark.parametrize(
    "said",
    [
        "remember until Friday: the car is on B2",
        "remember the car is on B2, keep until Friday",
        "记到周五：the car is on B2",
        "记住 the car is on B2（记到周五）",
    ],
)
async def test_a_last_day_stands_on_the_receipt_and_not_among_the_words(world: World, said: str) -> None:
    lin = await world.person()
    reply = await lin.say(said)
    assert "“the car is on B2”\n" in reply
    assert reply.endswith("记到 5月31日（周五）" if "记" in said else "kept until Fri 31 May")
    assert reply.count("\n") == 2
    assert lin.labels in (["Undo", "Edit"], ["撤销", "改"])
    assert "“the car is on B2”\nkept until Fri 31 May" in await lin.say("/why D-2024-05-27-01")


async def test_much_on_one_receipt_is_still_four_lines(world: World) -> None:
    lin = await world.person()
    reply = await lin.say("记到周五：决定把车停在 B2，因为地库满了，下一步周三挪车，重要度：高 #车")
    assert reply.split("\n")[1] == "“把车停在 B2”"
    assert "重要度：高" in reply
    assert "记到 5月31日（周五）" in reply
    assert reply.count("\n") == 3


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("remember the shop is open until Friday", "the shop is open until Friday"),
        ("remember until 3 May 2024: the car is on B2", "until 3 May 2024: the car is on B2"),
        ("remember until Noor is back: the key is hers", "until Noor is back: the key is hers"),
        ("记到5月3日：车停在 B2", "到5月3日：车停在 B2"),
        ("记到2024年2月30日：车停在 B2", "到2024年2月30日：车停在 B2"),
    ],
)
async def test_without_a_day_to_come_the_words_are_kept_whole_and_for_good(world: World, said: str, kept: str) -> None:
    lin = await world.person()
    reply = await lin.say(said)
    assert f"“{kept}”" in reply
    assert "kept until" not in reply
    assert "记到 " not in reply
    world.at("2026-05-27T10:00")
    assert "put away" not in await lin.say("/why D-2024-05-27-01")


async def test_the_day_is_read_where_the_person_is_and_holds_to_its_end(world: World) -> None:
    lin = await world.person()
    world.at("2024-05-31T00:30")
    await lin.say("remember until today: the car is on B2")
    world.at("2024-05-31T23:59")
    assert "put away" not in await lin.say("/why D-2024-05-31-01")
    world.at("2024-06-01T00:01")
    assert "fact · current · put away" in await lin.say("/why D-2024-05-31-01")


async def test_what_is_put_away_is_marked_searched_and_kept_by_a_pin(world: World) -> None:
    lin = await world.person()
    await lin.say("remember until Friday: the car is on B2")
    await lin.say("remember tea")
    assert await lin.say("search archive car") == "Nothing was put away."
    world.at(FRIDAY_OVER)
    found = await lin.say("search archive car")
    assert found.startswith("1 entry found among what was put away:\n“the car is on B2”\nkept until Fri 31 May\n")
    assert "D-2024-05-27-01 · private chat · put away" in found
    assert lin.labels == ["Source", "Correct"]
    assert "put away D-2024-05-27-01 “the car is on B2”" in await lin.say("/memory")
    assert await lin.say("翻旧记忆 茶杯") == "收起来的 1 条里没有“茶杯”。"
    assert (await lin.say("翻旧记忆")).startswith("收起来的有 1 条，新的在前：\n“the car is on B2”")
    await lin.say("pin D-2024-05-27-01")
    assert await lin.say("search the archive for the car") == "Nothing was put away."
    assert "pinned D-2024-05-27-01" in await lin.say("/memory")
    await lin.say("unpin D-2024-05-27-01")
    assert "the car is on B2" in await lin.say("search put away")


async def test_where_nothing_is_found_the_search_of_what_was_put_away_is_offered(world: World) -> None:
    lin = await world.person()
    await lin.say("remember until Friday: the car is on B2")
    await lin.say("remember tea")
    assert "B2" in await lin.say("where is the car?")
    world.at(FRIDAY_OVER)
    nothing = await lin.say("where is the car?")
    assert nothing.startswith("There's no entry yet on “car”.")
    assert "Not in what was put away (1 entry)." in nothing
    assert lin.labels == ["Search put away", "Search chat", "Save this"]
    assert "“the car is on B2”" in await lin.press("Search put away")
    assert "put away" not in await lin.say("where is the bike?") or "Search put away" not in lin.labels
    assert (await lin.say("forget the one about the car")).startswith("Forget this one?")
    assert "“the car is on B2”" in await lin.say("/why car")


async def test_two_entries_do_not_disagree_over_one_that_is_put_away(world: World) -> None:
    lin = await world.person()
    await lin.say("remember until Friday: the car is on B2")
    await lin.say("remember the car is on C5")
    assert "B2" in await lin.say("where is the car?")
    world.at(FRIDAY_OVER)
    answer = await lin.say("where is the car?")
    assert "C5" in answer
    assert "B2" not in answer


async def test_what_a_put_away_correction_replaced_does_not_answer_in_its_place(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the car is on B2")
    await lin.say("correct D-2024-05-27-01 the car is on B3, keep until Friday")
    world.at(FRIDAY_OVER)
    assert (await lin.say("where is the car?")).startswith("There's no entry yet on “car”.")
    assert "“the car is on B3”" in await lin.press("Search put away")


async def test_the_archive_of_tasks_is_another_thing(world: World) -> None:
    lin = await world.person()
    assert await lin.say("archive") == "The archive is empty still."
    assert await lin.say("看归档") == "归档还是空的。"


async def test_what_was_called_unimportant_is_put_away_after_a_year(world: World) -> None:
    lin = await world.person()
    assert (await lin.say("remember the blue pen is empty, importance: low")).endswith("importance: low")
    await lin.say("remember important: the blue folder holds the lease")
    await lin.say("remember we agreed on blue, importance: low")
    world.at("2025-05-27T10:00")
    assert await lin.say("search archive blue") == "Nothing was put away."
    world.at("2025-05-28T10:00")
    assert "“the blue pen is empty”" in await lin.say("search archive blue")
    assert len(lin.last.lines) < 6, "the decision and the important one are where they were"


async def test_undo_and_forget_work_on_what_ends_as_on_all_else(world: World) -> None:
    lin = await world.person()
    await lin.say("remember until Friday: the car is on B2")
    assert (await lin.press("Undo")).startswith("Undone · D-2024-05-27-01.")
    await lin.say("remember until Friday: the bike is on B1")
    world.at(FRIDAY_OVER)
    await lin.say("forget D-2024-05-27-02")
    await lin.press("Forget")
    assert await lin.say("search archive bike") == "Nothing was put away."


async def test_in_a_correction_the_new_words_decide_and_an_edit_keeps_the_day(world: World) -> None:
    lin = await world.person()
    await lin.say("remember until Friday: we decided to park on B2")
    await lin.press("Add because")
    assert "kept until Fri 31 May" in await lin.say("the roof is closed")
    await lin.press("Edit")
    assert "kept until Fri 31 May" in await lin.say("park on B3")
    assert "kept until Sat 1 Jun" in await lin.say("correct D-2024-05-27-03 park on B4 (keep until Saturday)")
    assert "kept until" not in await lin.say("correct D-2024-05-27-04 park on B5")
    world.at(FRIDAY_OVER)
    assert "put away" not in await lin.say("/why D-2024-05-27-05")


async def test_a_reply_can_be_kept_until_a_day(world: World) -> None:
    phone = await world.phone("7", "Noor")
    quoted = Quoted("m1", "Wei", "the code of the door is on the fridge")
    reply = await phone.send(phone.message("k1", "remember until Friday", reply_to=quoted))
    assert "“the code of the door is on the fridge” — Wei\nkept until Fri 31 May" in reply.text


async def test_the_same_words_said_again_are_one_with_a_count(world: World) -> None:
    lin = await world.person()
    world.at("2024-05-21T09:00")
    await lin.say("记住中午推送就好，晚上别打扰")
    world.at("2024-05-23T09:00")
    await lin.say("记住中午推送就好，晚上别打扰。")
    world.at("2024-05-26T09:00")
    await lin.say("记住 中午推送就好,晚上别打扰")
    world.at("2024-05-27T10:00")
    assert "说过 3 次，第一次 5月21日（周二）" in await lin.say("我说过中午推送什么？")
    assert "said 3 times, first Tue 21 May" in await lin.say("/why D-2024-05-26-01")
    await lin.say("/forget D-2024-05-23-01")
    await lin.press("Forget")
    assert "said 2 times" in await lin.say("/why D-2024-05-26-01")


async def test_b70_answers_and_courtesies_fill_nothing(world: World) -> None:
    """Our own words are no source: not of entries, not of counts, not of what the chat is searched for."""
    lin = await world.person()
    await lin.say("remember the zebra crossing is closed")
    await lin.say("remember the zebra crossing is closed.")
    world.later(days=1)
    for number in range(50):
        assert "zebra crossing is closed" in await lin.say("what about the zebra crossing?")
        await lin.say(("ok", "thanks", "好的")[number % 3])
    assert "said 2 times, first" in await lin.say("what about the zebra crossing?")
    assert (await lin.say("/memory")).startswith("In private memory: 2 current entries")
    assert (await lin.say("/count zebra")).startswith("“zebra”: 2 times in 2 entries.")
    await lin.say("what about giraffes?")
    assert "zebra" not in await lin.press("Search chat")
    assert await lin.say("search archive zebra") == "Nothing was put away."
