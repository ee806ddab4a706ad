"""The chat is kept as long as a person says: told before it goes, gone without a trace, and nothing else with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.habits import change
from bot.tidying import tidy
from tests.flow.test_digest import memory_of, morning
from tests.flow.world import Person, World

ZONE = "Asia/Shanghai"


async def night(world: World, lin: Person, *, dry_run: bool = False) -> int:
    memory = await memory_of(world, lin)
    return (await tidy(memory, world.clock.now(), ZONE, dry_run=dry_run)).chat


async def turns(world: World, lin: Person) -> list[str]:
    memory = await memory_of(world, lin)
    return [one.text for one in await memory.read(lambda view: view.turns("1"))]


async def old_chat(world: World, lin: Person) -> None:
    world.at("2024-02-01 10:00")
    await lin.say("we met the gardener about the quince hedge")
    await lin.say("remember the quince hedge is cut in March")
    await lin.say("todo: call about the quince hedge")
    world.at("2024-05-27 10:00")
    await lin.say("a nice walk by the river")


def on_disk(home: Path, piece: str) -> bool:
    return any(piece.encode() in path.read_bytes() for path in home.glob("scopes/**/*") if path.is_file())


async def test_it_is_told_first_and_goes_the_night_after(world: World) -> None:
    lin = await world.person()
    await old_chat(world, lin)
    assert await lin.say("/keep chat 90 days") == (
        "Good, the chat on this device is kept for 90 days. Entries and tasks stay.\n"
        "3 older messages go tomorrow at 03:00; press Keep all before then, and none does."
    )
    assert lin.labels == ["Keep all"]
    world.at("2024-05-28 03:00")
    assert await night(world, lin, dry_run=True) == 3
    assert len(await turns(world, lin)) == 5
    assert await night(world, lin) == 3 and await night(world, lin) == 0
    assert await turns(world, lin) == ["/keep chat 90 days", "a nice walk by the river"]
    assert "3 messages of the chat had been kept long enough" in await lin.say("tidy diary")


async def test_entries_and_tasks_stay_and_the_words_are_in_no_file(world: World) -> None:
    lin = await world.person()
    await old_chat(world, lin)
    await lin.say("keep the chat for 3 months")
    assert on_disk(world.home, "met the gardener")
    world.at("2024-05-28 03:00")
    await night(world, lin)
    assert not on_disk(world.home, "gardener")
    memory = await memory_of(world, lin)
    table = "SELECT count(*) FROM turn_words WHERE turn_words MATCH 'gardener'"
    assert await memory.read(lambda view: view.conn.execute(table).fetchone()[0]) == 0
    assert "quince hedge is cut in March" in await lin.say("when is the quince hedge cut?")
    assert "call about the quince hedge" in await lin.say("board")
    await memory.rebuild()
    assert await memory.read(lambda view: view.conn.execute(table).fetchone()[0]) == 0


async def test_without_a_word_nothing_goes(world: World) -> None:
    lin = await world.person()
    await old_chat(world, lin)
    world.at("2034-05-28 03:00")
    assert await night(world, lin) == 0


@pytest.mark.parametrize("how", ["press", "say"])
async def test_it_can_be_stopped_until_then(world: World, how: str) -> None:
    lin = await world.person()
    await old_chat(world, lin)
    await lin.say("/keep chat 90 days")
    stopped = await lin.press("Keep all") if how == "press" else await lin.say("/keep chat all")
    assert stopped == "Good, the whole chat on this device is kept."
    world.at("2024-05-28 03:00")
    assert await night(world, lin) == 0


async def test_where_a_digest_is_on_it_names_what_goes_and_nothing_goes_unnamed(world: World) -> None:
    lin = await world.person()
    world.at("2024-02-27 10:00")
    await lin.say("one thing that was said in February")
    world.at("2024-02-28 10:00")
    await lin.say("another thing that was said in February")
    world.at("2024-05-25 10:00")
    memory = await memory_of(world, lin)
    account = lin.session.inbound().account
    await memory.turn(lambda writer: change(writer, account, digest_on=True))
    assert "Nothing is that old yet." in await lin.say("keep the chat for 90 days")
    world.at("2024-05-28 03:00")
    assert await night(world, lin) == 0
    world.at("2024-05-28 08:00")
    said = (await morning(world, lin)).text
    assert "2 messages from before Thu 29 Feb will go tomorrow at 03:00" in said
    world.at("2024-05-29 03:00")
    assert await night(world, lin) == 2


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("聊天只留 90 天", 90), ("聊天记录只保留三个月", 90), ("聊天只留半年", 182), ("/keep chat 30d", 30), ("keep chats for 2 weeks", 14),
        ("/keep 聊天 一年", 365), ("keep the chat for 1 year", 365),
    ],
)  # fmt: skip
async def test_ways_to_say_it(world: World, said: str, days: int) -> None:
    lin = await world.person()
    await lin.say(said)
    assert f"{days} days" in await lin.say("/keep chat")


@pytest.mark.parametrize(
    "said",
    ["/keep chat 3 days", "/keep chat 0 days", "/keep chat for a while", "/keep chat 99999 days", "聊天只留 2 天"],
)
async def test_what_cannot_be_kept_to_is_said(world: World, said: str) -> None:
    lin = await world.person()
    assert ("is no number of days" if said.startswith("/") else "这个天数不行") in await lin.say(said)
    assert "The whole chat" in await lin.say("/keep chat")


@pytest.mark.parametrize(
    "said", ["keep the chat going", "聊天只留给朋友", "keep chatting with Wei", "we keep chats short"]
)
async def test_what_only_sounds_like_it(world: World, said: str) -> None:
    lin = await world.person()
    await lin.say(said)
    assert "The whole chat" in await lin.say("/keep chat")


async def test_keep_and_anything_else_keeps_that(world: World) -> None:
    lin = await world.person()
    assert (await lin.say("/keep the car is on B2")).startswith("Saved · D-2024-05-27-01")


async def test_in_a_group_an_admin_decides(world: World) -> None:
    await world.person(group="Team")
    noor = await world.person("Noor", group="Team")
    assert "admin" in await noor.say("/keep chat 90 days")
    assert await noor.press_action("chat-kept all") == "That is no longer there"


async def test_the_night_comes_by_itself_with_no_digest_on(world: World) -> None:
    lin = await world.person()
    await old_chat(world, lin)
    await world.app.ringing.tick()
    await lin.say("/keep chat 90 days")
    await world.app.ringing.tick()
    assert len(await turns(world, lin)) == 5
    world.at("2024-05-28 03:00")
    await world.app.ringing.tick()
    assert len(await turns(world, lin)) == 2


async def test_what_breaks_in_one_memory_costs_the_others_nothing(world: World) -> None:
    """An entry that no night can look at: its memory alone goes without, and its digest says so plainly."""
    lin, noor = await world.person(), await world.person("Noor")
    world.at("2024-05-26 10:00")
    heard: dict[str, list[str]] = {"lin": [], "noor": []}
    for name, person in (("lin", lin), ("noor", noor)):
        world.app.ringing.sit_down(person.session.speaker.chat, lambda reply, name=name: heard[name].append(reply.text))  # type: ignore[misc]
        await person.say("/digest 08:00")
        await person.say("remember from now on answer me in short sentences")
    await world.app.ringing.tick()
    memory = await memory_of(world, lin)
    await memory.turn(lambda writer: writer.conn.execute("UPDATE entries SET origin = 'nobody knows'"))
    heard["lin"].clear()
    heard["noor"].clear()
    world.at("2024-05-27 08:00")
    await world.app.ringing.tick()
    assert heard["lin"] == ["Today's digest could not be put together. The board and your memory are there as ever."]
    assert len(heard["noor"]) == 1 and "proposes 1 entry" in heard["noor"][0]


async def test_where_nothing_is_switched_on_a_night_leaves_nothing_behind(world: World) -> None:
    lin = await world.person()
    for day in ("21", "23", "26"):
        world.at(f"2024-05-{day} 09:00")
        await lin.say("remember to push at noon and leave my evenings alone")
    world.at("2024-05-27 09:00")
    await world.app.ringing.tick()
    memory = await memory_of(world, lin)
    assert await memory.read(lambda view: view.notes("tidy/")) == []
