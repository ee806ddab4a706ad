"""Words and topics: how often one was met in any of its forms, where, when last, and which ones are kept in view."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from bot.message import Quoted
from store import lemmas
from tests.flow.world import Person, World


@pytest.fixture
def no_dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the extra `learn` were not installed."""
    lemmas._dictionary.cache_clear()
    monkeypatch.setitem(sys.modules, "simplemma.strategies.dictionaries.dictionary_factory", None)
    yield
    lemmas._dictionary.cache_clear()


@pytest.mark.parametrize("asked", ["ran", "run", "Running", "the word “RUN”"])
async def test_any_form_finds_the_family(world: World, asked: str) -> None:
    lin = await world.person()
    await lin.say("remember I ran along the river, and we run on Sundays")
    await lin.say("remember this line: he runs, he runs, the runner")
    said = await lin.say(f"how often have I met {asked}?")
    assert ": 4 times in 2 entries (" in said
    forms = {form.split(" as ")[1] for form in said[said.index("(") + 1 : said.index(")")].split(", ")}
    assert forms | {asked.strip("“”").lower().removeprefix("the word “")} == {"ran", "run", "runs"} | (
        {"running"} if asked == "Running" else set()
    )


async def test_without_the_dictionary_a_word_counts_as_written(world: World, no_dictionary: None) -> None:
    lin = await world.person()
    await lin.say("remember two paradigms and a paradigm")
    assert (await lin.say("/count paradigm")).startswith("“paradigm”: 1 time in 1 entry.")
    assert (await lin.say("/count paradigms")).startswith("“paradigms”: 1 time in 1 entry.")


async def test_phrases_are_counted_as_phrases(world: World) -> None:
    lin = await world.person()
    await lin.say("remember a Blue  Moon, once in a blue moon")
    await lin.say("remember the moon is blue")
    assert (await lin.say("/count blue moon")).startswith("“blue moon”: 2 times in 1 entry.")


@pytest.mark.parametrize(
    ("kept", "term", "times"),
    [
        ("预算表里的預算，总预算三万", "预算", 3),
        ("雪下了，又下雪", "雪", 2),
        ("用 C++ 写，C 也行", "C++", 1),
        ("用 C++ 写，C 也行", "c", 1),
        ("GPT-4 比 GPT-40 老", "gpt-4", 1),
        ("iPhone15 和 iPhone15 Pro", "iphone15", 2),
        ("心情 😀😀", "😀", 2),
    ],
)
async def test_chinese_counts_anywhere_and_names_with_signs_whole(zh: World, kept: str, term: str, times: int) -> None:
    lin = await zh.person()
    await lin.say(f"记住{kept}")
    assert (await lin.say(f"/count {term}")).startswith(f"“{term}” {times} 次，在 1 条里。")


async def test_reasons_count_and_are_shown_where_the_word_stands_only_there(world: World) -> None:
    lin = await world.person()
    await lin.say("remember: we decided to use SQLite because one file is easy to back up, verify: the drill")
    assert (await lin.say("/count drill")).startswith("“drill”: 1 time in 1 entry.")
    assert "verify: the drill" in await lin.press("Show lines")
    await lin.say("/count SQLite")
    assert "verify" not in await lin.press("Show lines")


async def test_only_talk_counts_of_the_chat_and_what_was_kept_of_it_counts_once(world: World) -> None:
    lin = await world.person()
    await lin.say("a noodle shop opened")
    await lin.say("where is the noodle shop?")
    await lin.say("todo: go to the noodle shop")
    await lin.say("/find noodle")
    said = await lin.say("/count noodle")
    assert said.startswith("“noodle”: 1 time in 1 chat message.")
    assert await lin.press("Show lines") == ("1 place, newest first:\n“a noodle shop opened”\nYou · today 10:00 · chat")
    await lin.say("the noodle soup was good")
    await lin.press("Save it")
    assert (await lin.say("/count noodle")).startswith("“noodle”: 2 times in 1 entry and 1 chat message.")


async def test_what_is_forgotten_counts_nowhere_not_even_where_it_was_said(world: World) -> None:
    lin = await world.person()
    await lin.say("the spare key is under the flowerpot")
    await lin.press("Save it")
    await lin.say("remember a flowerpot is red")
    assert ": 2 times in 2 entries." in await lin.say("/count flowerpot")
    await lin.say("forget D-2024-05-27-01")
    await lin.press("Forget")
    assert ": 1 time in 1 entry." in await lin.say("/count flowerpot")
    await lin.say("undo")
    assert ": 2 times in 2 entries." in await lin.say("/count flowerpot")


@pytest.mark.parametrize(
    ("said", "kept", "asked", "word"),
    [
        ("my  secret   colour is magenta", "my secret colour is magenta", "magenta", "magenta"),
        (
            "my boss is a notorious liar",
            "we decided to leave in May because my boss is a notorious liar",
            "my boss",
            "notorious",
        ),
    ],
)
async def test_what_was_forgotten_does_not_come_back_from_the_chat(
    world: World, said: str, kept: str, asked: str, word: str
) -> None:
    """Neither said with other spaces, nor as the reason; the same holds before the erasing and after it."""
    lin = await world.person()
    await lin.say(said)
    await lin.say(f"remember {kept}")
    await lin.say("forget D-2024-05-27-01")
    await lin.press("Forget")
    for _ in ("hidden", "erased"):
        assert word not in (await lin.say(f"did we ever talk about {asked}?")).replace(f"“{asked}”", "")
        assert "has not come up yet" in await lin.say(f"/count {word}")
        world.later(minutes=11)
        await world.app.run_due()


async def test_a_forgotten_word_of_few_letters_takes_no_other_message_with_it(zh: World) -> None:
    lin = await zh.person()
    await lin.say("我们一起去吃烤鸭")
    await lin.say("记住 一")
    await lin.say("忘掉 D-2024-05-27-01")
    await lin.press("忘掉")
    for _ in ("hidden", "erased"):
        assert "“烤鸭” 1 次，在 1 句聊天里" in await lin.say("烤鸭出现过几次")
        zh.later(minutes=11)
        await zh.app.run_due()


@pytest.mark.parametrize("asked", ['有没有说过"盒子"', "我们有没有聊过“盒子”"])
async def test_a_question_with_the_word_in_quotes_is_one_and_does_not_count_itself(zh: World, asked: str) -> None:
    lin = await zh.person()
    for _ in range(2):
        assert "还没有“盒子”的记录" in await lin.say(asked)
    assert "还没出现过" in await lin.say("/count 盒子")


async def test_a_bare_word_looks_for_itself_and_does_not_count(world: World) -> None:
    lin = await world.person()
    await lin.say("SQLite")
    assert "has not come up yet" in await lin.say("/count SQLite")
    await lin.say("we could take SQLite")
    assert ": 1 time in 1 chat message." in await lin.say("/count SQLite")


async def test_a_count_of_nothing_asks_which_word(world: World) -> None:
    lin = await world.person()
    await lin.say("remember tea is green")
    assert (await lin.say("how often did we mention")).startswith("Which word?")


async def test_earlier_versions_count_and_checkpoints_do_not(world: World) -> None:
    lin = await world.person()
    await lin.say("remember the budget is 20k")
    await lin.say("correct D-2024-05-27-01 the budget is 30k")
    await lin.say("/new budget talk")
    assert ": 2 times in 2 entries." in await lin.say("/count budget")
    shown = await lin.press("Show lines")
    assert "D-2024-05-27-01 · private chat · earlier" in shown
    assert "AUTO" not in shown


async def test_lines_come_newest_first_by_pages_with_the_chat_among_them(world: World) -> None:
    lin = await world.person()
    for number in range(1, 23):
        await lin.say(f"remember tea number {number}" if number != 21 else "I like tea so much")
        world.later(minutes=1)
    said = await lin.say("how often did we mention tea, and when last?")
    assert said == "“tea”: 22 times in 21 entries and 1 chat message.\nAll of it today."
    first = (await lin.press("Show lines")).split("\n")
    assert first[:5] == [
        "22 places, newest first:", "“tea number 22”", "D-2024-05-27-21 · private chat · today 10:21",
        "“I like tea so much”", "You · today 10:20 · chat",
    ]  # fmt: skip
    assert len(first) == 21
    assert lin.labels == ["12 more"]
    assert "“tea number 12”" in await lin.press("12 more")
    assert (await lin.press("2 more")).endswith("“tea number 1”\nD-2024-05-27-01 · private chat · today 10:00")
    assert lin.labels == []


@pytest.mark.parametrize(
    "asked",
    [
        "预算我们提过几次",
        "预算提到过几次，最近一次是什么时候",
        "上次提到预算是什么时候？",
        "how often did we mention 预算, and when last",
    ],
)
async def test_how_often_and_when_last_is_one_answer(zh: World, asked: str) -> None:
    lin = await zh.person()
    zh.at("2024-05-03T21:00")
    await lin.say("记住预算三万")
    zh.at("2024-05-27T10:00")
    await lin.say("记住预算花了一半")
    assert await lin.say(asked) == "“预算” 2 次，在 2 条里。\n第一次 5月3日（周五），最近今天。"


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        (
            "how often did we mention tea last week?",
            ["last week = Mon 20 May–Sun 26 May:", "“tea”: 1 time in 1 entry."],
        ),
        ("how often did tea come up in April?", ["April = Mon 1 Apr–Tue 30 Apr:", "“tea”: 1 time in 1 chat message."]),
        ("/count tea", ["“tea”: 3 times in 2 entries and 1 chat message.", "First Wed 3 Apr, last today."]),
    ],
)
async def test_a_count_of_some_days_says_which(world: World, asked: str, lines: list[str]) -> None:
    lin = await world.person()
    await three_times_tea(world, lin)
    assert (await lin.say(asked)).split("\n")[:2] == lines


async def test_the_lines_of_some_days_are_of_those_days(world: World) -> None:
    lin = await world.person()
    await three_times_tea(world, lin)
    await lin.say("how often did we mention tea last week?")
    assert (await lin.press("Show lines")).startswith("1 place, newest first:\n“tea is hot”")
    assert "did not come up then" in await lin.say("how often have I met tea in 2023?")
    await lin.say("remember tea last week was cold")
    assert (await lin.say("/count tea last week")).startswith("“tea last week”: 1 time"), "the very words come first"


async def three_times_tea(world: World, lin: Person) -> None:
    for moment, said in (
        ("2024-04-03T21:00", "I like tea"),
        ("2024-05-21T21:00", "remember tea is hot"),
        ("2024-05-27T10:00", "remember tea is green"),
    ):
        world.at(moment)
        await lin.say(said)


async def test_a_topic_whose_words_stand_nowhere_is_looked_up(world: World) -> None:
    lin = await world.person()
    await lin.say("remember we move to a flat in Berlin in May")
    assert "flat in Berlin" in await lin.say("when did we last talk about the Berlin flat?")
    assert "has not come up yet" in await lin.say("how often have I met the word zebra?")


async def test_this_word_is_the_one_replied_to(world: World) -> None:
    wei = await world.phone("7", "Wei")
    await wei.say("m1", "remember tea is green tea")
    asked = wei.message("m2", "how often has this word come up?", reply_to=Quoted("m1", "Wei", "tea"))
    assert (await wei.send(asked)).text.startswith("“tea”: 2 times in 1 entry.")
    assert (await wei.say("m3", "how often has this word come up?")).text.startswith("Which word?")


async def test_another_memory_is_not_counted(world: World) -> None:
    lin, team = await world.person(), await world.person("Lin", "Team")
    await lin.say("remember the walrus")
    assert "has not come up yet" in await team.say("/count walrus")


# words kept in view


async def test_a_tracked_word_shows_its_count_and_can_be_dropped(world: World) -> None:
    lin = await world.person()
    assert (await lin.say("/track")).startswith("No word is tracked yet.")
    assert await lin.say("/track walrus") == "Good, “walrus” is tracked.\n“walrus” · not met yet"
    assert lin.labels == ["Stop tracking"]
    await lin.say("remember two walruses and a walrus")
    world.later(minutes=1)
    await lin.say("track the word Budget")
    assert await lin.say("tracked words") == (
        "Tracking 2 words:\n“Budget” · not met yet\n“walrus” · 2 times in 1 entry, last today"
    )
    assert (await lin.say("/track WALRUS")).startswith("“walrus” is tracked already.\n“WALRUS” · 2 times")
    assert "two walruses" in await lin.press("Show lines")
    await lin.say("/track walrus")
    stop = lin.action("Stop tracking")
    assert await lin.press_action(stop) == "Good, “walrus” is no longer tracked."
    assert await lin.press_action(stop) == "Already done"
    await lin.say("/track")
    assert "walrus" not in lin.last.text
    assert await lin.say("/track off walrus") == "“walrus” is not tracked."
    assert await lin.say("stop tracking budget") == "Good, “Budget” is no longer tracked."
    assert await lin.press("Undo") == "Good, “Budget” is tracked."
    await world.restart()
    assert "“Budget”" in await (await world.person()).say("/track")


async def test_undo_takes_the_tracking_back(world: World) -> None:
    lin = await world.person()
    await lin.say("/track tea")
    assert await lin.say("undo") == "Good, “tea” is no longer tracked."
    assert (await lin.say("/track")).startswith("No word is tracked yet.")


async def test_what_cannot_be_tracked_is_said(world: World) -> None:
    lin = await world.person()
    assert await lin.say(f"/track {'x' * 60}") == f"Good, “{'x' * 60}” is tracked.\n“{'x' * 60}” · not met yet"
    for long in ("x" * 61, "算" * 21):
        assert "at most 60 letters, or 20 Chinese characters" in await lin.say(f"/track {long}"), long
    for number in range(49):
        world.later(seconds=1)
        assert "is tracked" in await lin.say(f"/track word{number}")
    assert "at most 50 words" in await lin.say("/track one more")
    assert "tracked already" in await lin.say("/track word7")
    assert (await lin.say("/track")).startswith("Tracking 50 words:\n“word48”")
    assert lin.labels == ["40 more"]
    assert "“word38”" in await lin.press("40 more")
    assert lin.labels == ["30 more"]
