"""Cards and what is set about them: adding, plans, lists, later, fewer, sums; one device and two."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.message import Quoted
from store import cards
from store.model import CardState
from tests.flow.learning import first, learned, memory_of, push, reviews
from tests.flow.pair import Pair
from tests.flow.world import Person, World
from tests.store import tiny_dictionary


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as made:
        tiny_dictionary.put(made.home)
        yield made


@pytest.fixture
async def lin(world: World) -> Person:
    return await world.person()


async def words_of(world: World) -> list[str]:
    memory = await memory_of(world)
    return [card.word for card in await memory.read(cards.cards)]


# adding


async def test_several_words_at_once_and_those_that_are_there(world: World, lin: Person) -> None:
    assert first(await lin.say("/add paradigm")) == "paradigm is a card now."
    said = await lin.say("/add paradigm, wither\nserendipity = luck, zyzzyva")
    assert said.split("\n") == [
        "3 words are cards now: wither, serendipity, zyzzyva",
        "1 already there: paradigm",
        "without a meaning yet: zyzzyva",
    ]
    assert lin.labels == ["Turn on words", "Undo"]
    assert await lin.press("Undo") == "Good, no cards any more: wither, serendipity, zyzzyva"
    assert await words_of(world) == ["paradigm"]
    assert first(await lin.say("/add wither")) == "wither is a card now."
    assert await lin.say("/add paradigm") == (
        "paradigm is a card already.\nparadigm /ˈpærədaɪm/ n.\na typical example or model of something"
    )


@pytest.mark.parametrize(
    ("typed", "cards_made"),
    [
        ("/add paradigms", ["paradigm"]),
        ("/add Paradigm", ["paradigm"]),
        ("/add “paradigm”.", ["paradigm"]),
        ("/add give up", ["give up"]),
        ("/add wither paradigm", ["wither", "paradigm"]),
        ("/add axes", ["axes"]),
        ("/add blue moon", ["blue moon"]),
        ("/add wither wither", ["wither"]),
        ("不认识 paradigms", ["paradigm"]),
        ("加词 paradigm、wither", ["paradigm", "wither"]),
    ],
)
async def test_a_form_becomes_its_head_word(world: World, lin: Person, typed: str, cards_made: list[str]) -> None:
    await lin.say(typed)
    assert sorted(await words_of(world)) == sorted(cards_made)


@pytest.mark.parametrize("typed", ["/add ...", "/add ，", "/add " + "x" * 120, "/add ⟪⟫"])
async def test_what_is_no_word_becomes_no_card(world: World, lin: Person, typed: str) -> None:
    assert "word" in await lin.say(typed)
    assert await words_of(world) == []


async def test_fifty_words_are_taken_and_one_more_is_a_file(world: World, lin: Person) -> None:
    fifty = ", ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(50))
    assert "Not saved: at most 50 words at once, and these are 51." in await lin.say(f"/add {fifty}, more")
    assert await words_of(world) == []
    await lin.say(f"/add {fifty}")
    assert len(await words_of(world)) == 50


async def test_without_a_word_the_next_message_is_it(world: World, lin: Person) -> None:
    assert await lin.say("/add") == "Which word? Several are fine, separated by commas or lines."
    assert first(await lin.say("paradigm")) == "paradigm is a card now."


async def test_a_message_that_is_answered_gives_its_rarest_words(world: World) -> None:
    phone = await world.phone("5002", "Noor")
    line = Quoted("7", "Noor", "The meticulous debate about a ubiquitous paradigm in Boston was good and subtle")
    asked = await phone.send(phone.message("m1", "/add", reply_to=line))
    assert asked.text == "Which word?"
    assert [button.label for button in asked.buttons] == ["meticulous", "ubiquitous", "paradigm"]
    assert first((await phone.press("m2", asked, "ubiquitous")).text) == "ubiquitous is a card now."
    assert first((await phone.press("m3", asked, "paradigm")).text) == "paradigm is a card now."
    again = await phone.send(phone.message("m4", "/add", reply_to=line))
    assert [button.label for button in again.buttons] == ["meticulous", "subtle", "debate"]
    word = Quoted("8", "Noor", "withering")
    assert first((await phone.send(phone.message("m5", "/add", reply_to=word))).text) == "wither is a card now."


async def test_an_address_in_a_message_holds_no_words(tmp_path: Path) -> None:
    async with World(tmp_path / "bare") as world:
        phone = await world.phone("5002", "Noor")
        line = Quoted("7", "Noor", "subtle: https://github.com/foobar/paradigm and www.lakeside.example, serene")
        asked = await phone.send(phone.message("m1", "/add", reply_to=line))
        assert [button.label for button in asked.buttons] == ["serene", "subtle"]


async def test_a_counted_word_becomes_a_card_and_then_says_how_it_stands(world: World, lin: Person) -> None:
    await lin.say("remember the paradigm shift Kuhn described")
    await lin.say("how often have I met the word paradigms?")
    assert lin.labels == ["Show lines", "Add card"]
    assert first(await lin.press("Add card")) == "paradigm is a card now."
    assert (await lin.say("/count paradigm")).endswith("card: new")
    await learned(world, lin, "paradigm", at="2024-05-27T13:00")
    assert (await lin.say("/count paradigms")).endswith("card: next tomorrow")
    world.at("2024-05-29T13:00")
    assert (await lin.say("/count paradigm")).endswith("card: due")
    await lin.say("/vocab known paradigm")
    assert (await lin.say("/count paradigm")).endswith("card: known")
    await lin.say("/vocab remove paradigm")
    await lin.press("Remove")
    await lin.say("/count paradigm")
    assert lin.labels == ["Show lines", "Add card"]
    await lin.say("/count zyzzyva")
    assert lin.labels == ["Add card"]


# one card


async def test_a_card_is_shown_set_aside_brought_back_and_removed(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    assert (await lin.say("/vocab show paradigms")).startswith("paradigm /ˈpærədaɪm/ n.\na typical example")
    assert lin.labels == ["Change meaning", "Known"]
    assert "set aside" in await lin.say("/vocab suspend paradigm")
    assert "No words are waiting" in await lin.say("/today")
    assert await lin.say("/vocab back paradigm") == "paradigm: asked again from now on."
    assert "1 new" in await lin.say("/today")
    await lin.say("/vocab remove paradigm")
    assert await lin.press("Remove") == "paradigm: no card any more."
    assert await lin.press("Undo") == "Good, paradigm: as before."
    await lin.say("/vocab remove paradigm")
    await lin.press("Remove")
    assert await lin.say("undo") == "Good, paradigm: as before."
    await lin.say("/vocab remove paradigm")
    await lin.press("Remove")
    assert await lin.say("/vocab show paradigm") == "There is no card of “paradigm”."
    assert first(await lin.press("Add card")) == "paradigm is a card now."


async def test_a_meaning_of_ones_own_wins_over_the_dictionary(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    assert await lin.say("/vocab edit paradigm = what everybody copies") == (
        "paradigm /ˈpærədaɪm/ n.\nwhat everybody copies"
    )
    assert await lin.press("Undo") == "Good, paradigm: as before."
    assert "a typical example" in await lin.say("/vocab show paradigm")
    await lin.press("Change meaning")
    assert await lin.say("a pattern\nthat others follow") == "paradigm /ˈpærədaɪm/ n.\na pattern\nthat others follow"


async def test_a_word_one_knows_already_is_no_plans_business(world: World, lin: Person) -> None:
    assert await lin.say("/vocab known vulnerable") == "vulnerable: known, and asked no more."
    await lin.say("/vocab plan cet6 2/day")
    assert "subtle" in await lin.say("/today")
    assert "vulnerable · known" in await lin.say("/vocab list")


async def test_a_list_has_ten_cards_a_page(world: World, lin: Person) -> None:
    await lin.say("/add " + ", ".join(one.word for one in tiny_dictionary.WORDS[:23]))
    said = await lin.say("/vocab list")
    assert said.startswith("23 cards:\n") and len(said.split("\n")) == 11
    seen = said.split("\n")[1:]
    for label in ("13 more", "3 more"):
        assert lin.labels == [label]
        seen += (await lin.press(label)).split("\n")[1:]
    assert len(set(seen)) == 23 and lin.labels == []


# what is set


async def test_how_words_stand_and_what_can_be_set(world: World, lin: Person) -> None:
    assert await lin.say("/vocab") == (
        "Daily words are off; switched on, they come at 13:00.\n10 new words and at most 30 due cards a day.\n"
        "No cards yet. Say “add word paradigm”, or “10 cet6 words a day”."
    )
    assert await lin.say("/vocab new 3") == "Good, 3 new words a day."
    assert await lin.press("Undo") == "Good, set as before."
    await lin.say("/vocab cap 12")
    await lin.say("/add paradigm, wither")
    assert (await lin.say("/vocab")).split("\n")[1:] == [
        "10 new words and at most 12 due cards a day.", "2 cards: 2 new",
    ]  # fmt: skip
    for wrong, least, most in (("/vocab new 101", 0, 100), ("/vocab cap 0", 1, 500), ("/vocab cap 501", 1, 500)):
        assert await lin.say(wrong) == f"Not saved: that number has to be {least} to {most}."
    assert "I don't read “frobnicate 3” behind /vocab." in await lin.say("/vocab frobnicate 3")
    assert await lin.say("/vocab frobnicate") == "There is no card of “frobnicate”."


async def test_words_are_off_until_they_are_switched_on_and_off_again_by_undo(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    assert (await lin.say("/vocab on")).startswith("Daily words are on, daily at 13:00.\n")
    assert (await lin.say("/vocab")).startswith("Daily words come at 13:00.")
    assert await lin.press("Turn off words") == ("Daily words are off; your cards stay. “today” shows them any time.")
    assert await lin.press("Undo") == "Good, set as before."
    assert (await lin.say("/vocab")).startswith("Daily words come at 13:00.")


async def test_a_plan_brings_new_words_in_its_order_as_many_as_a_day_takes(world: World, lin: Person) -> None:
    assert (await lin.say("10 cet6 words a day")).startswith("Good: 10 new words a day, CET-6.")
    await lin.say("/vocab plan cet6 3/day")
    assert "3 new" in first(await lin.say("/today"))
    assert await words_of(world) == ["vulnerable", "subtle", "paradigm"]
    await lin.say("/add zyzzyva = a beetle")
    assert "zyzzyva" in await lin.say("/today"), "one's own words come first"
    assert len(await words_of(world)) == 4
    await lin.say("/vocab remove subtle")
    await lin.press("Remove")
    await lin.say("/vocab new 5")
    await lin.say("/today")
    found = await words_of(world)
    assert len(found) == 5 and "subtle" not in found, "what somebody removed does not come back by itself"
    assert await lin.say("/vocab plan off") == "Good, no plan adds new words any more; your cards stay."
    assert "There is no plan “klingon”." in await lin.say("/vocab plan klingon")
    assert "You can choose: CET-4, CET-6" in await lin.say("/vocab plan")


# later, fewer


async def test_later_comes_back_once_and_not_at_night(world: World, lin: Person) -> None:
    await lin.say("/add paradigm")
    await lin.say("/vocab on")
    memory = await memory_of(world)
    await lin.say("/today")
    assert await lin.press("Later") == "Good, back at 13:00.", "the day's words are still to come by themselves"
    assert await memory.read(lambda view: view.setting("words_later")) == ""
    world.at("2024-05-28T13:00")
    await push(world, lin)
    assert await lin.press("Later") == "Good, back at 15:00."
    assert await memory.read(lambda view: view.setting("words_later")) == "2024-05-28T15:00"
    world.at("2024-05-28T15:00")
    await push(world, lin)
    assert (await lin.press("Later")).startswith("Good, that's it for today.")
    assert await memory.read(lambda view: view.setting("words_later")) == "2024-05-28T15:00"
    assert first(await lin.press("Today's words")) == "paradigm /ˈpærədaɪm/ n."
    world.at("2024-05-29T21:00")
    await push(world, lin)
    assert (await lin.press("Later")).startswith("Good, that's it for today."), "it would be quiet by then"


async def test_a_backlog_says_when_it_is_normal_again_and_can_be_made_smaller(world: World, lin: Person) -> None:
    some = [one.word for one in tiny_dictionary.WORDS[:24]]
    await lin.say("/vocab new 40")
    await learned(world, lin, *some, at="2024-05-20T13:00")
    await lin.say("/vocab cap 15")
    world.at("2024-05-27T13:00")
    reply = await push(world, lin)
    assert reply is not None
    assert reply.text == "Mon 27 May · 24 waiting, 15 today, back to normal by Wednesday"
    assert lin.labels == ["Start", "Fewer today"]
    assert (await lin.press("Fewer today")).startswith("Good, 7 today.\n")
    for _ in range(7):
        await lin.press("Show answer")
        world.later(seconds=5)
        await lin.press("Knew it")
    assert "That's today's words" in lin.last.text
    world.later(days=1)
    await push(world, lin)
    assert "17 waiting, 15 today" in lin.last.text, "it was for one day only"
    assert (await lin.press("Start")).startswith(tuple(some))


async def test_typing_undo_takes_the_last_answer_back(world: World, lin: Person) -> None:
    await lin.say("/add paradigm, wither")
    await lin.say("/today")
    await lin.press("Show answer")
    await lin.press("Knew it")
    assert first(await lin.say("undo")) == "paradigm /ˈpærədaɪm/ n."
    assert await reviews(world) == []
    assert lin.labels == ["Forgot", "Knew it", "Known"]
    await lin.press("Forgot")
    await lin.press("Undo")
    assert "is a card" not in await lin.say("undo")
    assert await words_of(world) == [], "the write before it was the adding"


# sums


async def test_sums_of_learning(world: World, lin: Person) -> None:
    assert (await lin.say("/stats")).startswith("No word has been answered yet.\nNo cards yet.")
    assert lin.last.picture is None
    await learned(world, lin, "paradigm", "wither", at="2024-05-25T13:00")
    await learned(world, lin, "subtle", at="2024-05-27T13:00")  # what is due is asked before it
    said = await lin.say("/stats")
    assert said.split("\n") == [
        "3 answers in 7 days, 3 in 30.",
        "Learned on 2 days of the last 30, 2 in a row, 1 rest day between.",
        "3 cards: 1 due · 1 new · 1 later",
        "due over 7 days: 1, 0, 0, 0, 0, 0, 0",
    ]
    picture = lin.last.picture
    assert picture is not None
    assert (picture.last, picture.counts[-3:], sum(picture.counts)) == ("2024-05-27", (2, 0, 1), 3)
    await lin.say("/add " + ", ".join(one.word for one in tiny_dictionary.WORDS[5:15]))
    for at in ("2024-05-28T13:00", "2024-05-29T13:00"):
        world.at(at)
        await lin.say("/today")
        while "Show answer" in lin.labels:
            await lin.press("Show answer")
            world.later(seconds=5)
            await lin.press("Knew it")
    assert "100% of due cards known (12 of 12 in 30 days)." in await lin.say("/stats")


# two devices


async def test_a_word_added_on_two_devices_is_one_card_and_a_plan_goes_alike(tmp_path: Path) -> None:
    async with Pair(tmp_path, "en") as pair:
        for name in ("home", "phone"):
            tiny_dictionary.put(pair.device(name).home.path)
            await pair.on(name).say("/add zyzzyva = a beetle")
            await pair.on(name).say("/vocab plan cet6 3/day")
            await pair.on(name).say("/today")
        await pair.sync()
        lists = [await pair.on(name).say("/vocab list") for name in ("home", "phone")]
        assert lists[0] == lists[1]
        assert lists[0].startswith("3 cards:\nzyzzyva · new\nvulnerable · new\nsubtle · new")


async def test_the_same_question_answered_on_two_devices_is_one_answer(tmp_path: Path) -> None:
    async with Pair(tmp_path, "en") as pair:
        await pair.on("home").say("/add paradigm = a model")
        await pair.sync()
        for name, label in (("home", "Knew it"), ("phone", "Forgot")):
            person = pair.on(name)
            await person.say("/today")
            await person.press("Show answer")
            await person.press(label)
            pair.later(minutes=1)
        await pair.sync()
        for name in ("home", "phone"):
            found = await pair.device(name).memory.read(cards.all_reviews)
            assert [one.rating for one in found] == [3], "the earlier one counts"
        assert await pair.on("home").say("/vocab list") == await pair.on("phone").say("/vocab list")


async def test_b46_rescheduling_on_one_device_loses_no_answer_of_another(tmp_path: Path) -> None:
    async with Pair(tmp_path, "en") as pair:
        home = pair.on("home")
        await home.say("/add serendipity = luck")
        await home.say("/today")
        await home.press("Show answer")
        await home.press("Knew it")
        await pair.sync()
        pair.later(days=3)
        phone = pair.on("phone")
        await phone.say("/today")
        await phone.press("Show answer")
        await phone.press("Forgot")
        assert await home.say("/vocab reschedule all") == "1 card worked out again from 1 answer; nothing is lost."
        await pair.sync()
        for name in ("home", "phone"):
            memory = pair.device(name).memory
            assert [one.rating for one in await memory.read(cards.all_reviews)] == [3, 1]
            assert await memory.read(lambda view: view.register("settings", "fsrs")) is not None
            assert "2 answers" in await pair.on(name).say("/stats")
        assert await pair.on("home").say("/vocab list") == await pair.on("phone").say("/vocab list")


async def test_a_removed_card_keeps_its_answers_and_is_new_again_when_added(world: World, lin: Person) -> None:
    await learned(world, lin, "paradigm", at="2024-05-20T13:00")
    await lin.say("/vocab remove paradigm")
    await lin.press("Remove")
    world.at("2024-05-27T13:00")
    assert "No cards yet" in await lin.say("/today")
    await lin.say("/add paradigm")
    memory = await memory_of(world)
    card = await memory.read(lambda view: cards.card_of(view, "paradigm"))
    assert card is not None and card.state is CardState.ACTIVE
    assert "1 due" in await lin.say("/today")
