"""The chat is kept as long as a person says: told before it goes, gone without a trace, and nothing else with it."""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot import night_report
from bot.exchange import Place
from bot.nights import Nights
from bot.tidying import tidy
from store.grants import GroupClaim, grant
from store.model import Slot, SlotState
from tests.flow.pair import Pair
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


async def february(world: World) -> Person:
    """Two old messages, a digest at eight, and the wish to keep the chat for 90 days."""
    lin = await world.person()
    for day in ("27", "28"):
        world.at(f"2024-02-{day} 10:00")
        await lin.say("one thing that was said in February")
    world.at("2024-05-25 10:00")
    await lin.say("/digest 08:00")
    assert "and the digest says so first" in await lin.say("keep the chat for 90 days")
    return lin


async def test_where_a_digest_is_on_it_names_what_goes_and_nothing_goes_unnamed(world: World) -> None:
    lin = await february(world)
    heard: list[str] = []
    world.app.ringing.sit_down(lin.session.speaker.chat, lambda reply: heard.append(reply.text))
    for day, there in (("27 03", 4), ("28 03", 4), ("28 08", 4), ("29 03", 2)):
        world.at(f"2024-05-{day}:00")
        await world.app.ringing.tick()
        assert len(await turns(world, lin)) == there, day
    assert "2 messages from before Thu 29 Feb will go tomorrow at 03:00" in heard[-1]


@pytest.mark.parametrize(
    ("state", "left"),
    [(None, 4), (SlotState.DUE, 4), (SlotState.SENDING, 4), (SlotState.UNCERTAIN, 4), (SlotState.SKIPPED, 4), (SlotState.SENT, 2)],
)  # fmt: skip
async def test_only_a_digest_that_was_sent_has_named_anything(world: World, state: SlotState | None, left: int) -> None:
    lin = await february(world)
    world.at("2024-05-27 03:00")
    await world.app.ringing.tick()
    world.at("2024-05-28 08:00")
    assert "2 messages from before Thu 29 Feb" in (await morning(world, lin)).text
    if state is not None:
        memory = await memory_of(world, lin)
        await world.app.home.slots.keep([(Slot(memory.scope, "digest", "2024-05-28"), "08:00")], state)
    world.at("2024-05-29 03:00")
    assert await night(world, lin, dry_run=True) == 0  # by itself the tidy knows of no digest
    await world.app.ringing.tick()
    assert len(await turns(world, lin)) == left


async def test_a_digest_that_rests_is_not_waited_for(world: World) -> None:
    lin = await february(world)
    await lin.say("/pause")
    assert "the digest" not in await lin.say("/keep chat")
    for day in ("27", "28", "29"):
        world.at(f"2024-05-{day} 03:00")
        await world.app.ringing.tick()
    assert len(await turns(world, lin)) == 4  # the two newer ones, and two that were said since


async def test_nor_is_one_that_another_device_says() -> None:
    with TemporaryDirectory() as folder:
        async with Pair(Path(folder), "en") as pair:
            for name in ("home", "phone"):
                lin = pair.on(name)
                await lin.say("/digest 08:00") if name == "home" else None
                await pair.sync()
                await lin.say("a nice walk by the river")
                assert ("the digest" in await lin.say("/keep chat 7 days")) is (name == "home")
            left = {}
            for _ in range(9):
                pair.later(days=1)
                for name in ("home", "phone"):
                    nights = Nights(pair.device(name).home)
                    memory = pair.device(name).memory
                    await nights.tick(memory.scope, ZONE, pair.clock.now())
                    left[name] = len(await memory.read(lambda view: view.turns("1")))
            assert left == {"home": 3, "phone": 0}


# clocks


async def clocked(world: World) -> Person:
    lin = await world.person()
    await lin.say("a nice walk by the river")
    await lin.say("/keep chat 30 days")
    world.at("2024-05-28 03:00")
    await world.app.ringing.tick()
    return lin


async def ticks(world: World, lin: Person, *days: str) -> int:
    """How many messages are left after a tick at each of these moments."""
    for day in days:
        world.at(day)
        await world.app.ringing.tick()
    return len(await turns(world, lin))


async def test_a_clock_years_ahead_costs_nothing(world: World) -> None:
    lin = await clocked(world)
    assert await ticks(world, lin, "2036-05-28 10:00", "2036-05-28 23:00", "2036-05-29 02:30", "2036-05-29 03:30") == 2
    assert await ticks(world, lin, "2024-05-28 10:05", "2024-05-29 03:00", "2024-05-30 03:00", "2024-05-31 03:00") == 2
    assert await ticks(world, lin, "2024-06-29 03:00", "2024-06-30 03:00") == 0


async def test_nor_does_one_that_is_wrong_at_every_start(world: World) -> None:
    """Ahead for a minute whenever the machine comes up, and set right before the same night is due again."""
    lin = await clocked(world)
    await ticks(world, lin, "2036-05-28 10:00", "2024-05-28 10:05")
    for hour in ("11", "12"):
        world.at(f"2024-05-28 {hour}:00")
        await lin.say("still here")
    assert await ticks(world, lin, "2036-05-29 10:00") == 4
    world.at("2024-05-29 02:00")
    await lin.say("and here")
    assert await ticks(world, lin, "2036-05-30 10:00") == 5


async def test_what_a_person_who_was_away_is_late_with_goes_a_day_later(world: World) -> None:
    lin = await clocked(world)
    assert await ticks(world, lin, "2024-07-15 09:00", "2024-07-16 03:00") == 2
    assert await ticks(world, lin, "2024-07-17 03:00") == 0


async def test_a_machine_that_is_up_on_sundays_only_keeps_to_it(world: World) -> None:
    lin = await clocked(world)
    assert await ticks(world, lin, *(f"2024-06-{day:02} 10:00" for day in (2, 9, 16, 23))) == 2
    assert await ticks(world, lin, "2024-06-30 10:00", "2024-07-07 10:00") == 0


async def test_a_digest_does_not_promise_what_the_night_will_not_do(world: World) -> None:
    lin = await february(world)
    assert await ticks(world, lin, "2024-05-27 03:00", "2024-07-15 07:00") == 4
    world.at("2024-07-15 08:00")
    assert "will go" not in (await morning(world, lin)).text
    await ticks(world, lin, "2024-07-16 07:30")
    world.at("2024-07-16 08:00")
    assert "2 messages" in (await morning(world, lin)).text


async def test_what_an_older_version_noted_waits_for_a_second_night(world: World) -> None:
    lin = await world.person()
    await old_chat(world, lin)
    body = '{"days": 90, "told": "2024-02-28", "first": "2024-05-28"}'
    await (await memory_of(world, lin)).turn(lambda writer: writer.keep_note("keep-chat", body))
    assert await ticks(world, lin, "2024-05-28 03:00") == 4
    assert await ticks(world, lin, "2024-05-29 03:00") == 1


async def test_whoever_asks_is_told_and_it_goes_then_and_not_before(world: World) -> None:
    lin = await clocked(world)
    world.at("2024-07-15 00:30")
    assert "2 older messages go tomorrow at 03:00" in await lin.say("/keep chat")
    assert await ticks(world, lin, "2024-07-15 03:00") == 3
    assert await ticks(world, lin, "2024-07-16 03:00") == 1


async def test_in_a_group_what_a_member_hears_is_told_to_nobody(world: World) -> None:
    lin, noor = await world.person(group="Team"), await world.person("Noor", group="Team")
    await lin.say("/keep chat 30 days")
    inbound = lin.session.inbound()
    granted = grant(GroupClaim(f"terminal:{inbound.chat.id}", inbound.account), world.app.home.device)
    memory = await world.app.home.memory(granted)
    before = await memory.read(lambda view: view.note("keep-chat"))
    world.at("2024-07-15 10:00")
    await noor.say("/keep chat")
    assert await memory.read(lambda view: view.note("keep-chat")) == before
    await lin.say("/keep chat")
    assert await memory.read(lambda view: view.note("keep-chat")) != before


async def test_before_three_the_coming_night_is_this_one(world: World) -> None:
    """And the last one is yesterday's: what is told to go at three can be stopped until then."""
    lin = await world.person()
    await old_chat(world, lin)
    await lin.say("/keep chat 90 days")
    memory, account = await memory_of(world, lin), lin.session.inbound().account
    for moment, dry, night in (("28 00:30", True, "28"), ("28 00:30", False, "27"), ("28 03:30", True, "29"), ("28 03:30", False, "28")):  # fmt: skip
        world.at(f"2024-05-{moment}")
        now_ms = int(world.clock.now().timestamp() * 1000)
        report = await night_report.tell(Place(memory, account, ZONE, "en", now_ms), {"dry": dry}, "cli/test/1")
        assert report["night"] == f"2024-05-{night}"
        assert report["chat"] == (0 if night == "27" else 3)


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


async def broken_and_two_more(world: World, *said: str) -> tuple[dict[str, list[str]], Person]:
    """Three people who say this; an entry of the second cannot be looked at by any night. What they hear, and her."""
    people = {name: await world.person(name) for name in ("Lin", "Noor", "Wei")}
    world.at("2024-05-26 10:00")
    heard: dict[str, list[str]] = {name: [] for name in people}
    for name, person in people.items():
        world.app.ringing.sit_down(person.session.speaker.chat, lambda reply, name=name: heard[name].append(reply.text))  # type: ignore[misc]
        for line in (*said, "remember from now on answer me in short sentences"):
            await person.say(line)
    await world.app.ringing.tick()
    memory = await memory_of(world, people["Noor"])
    await memory.turn(lambda writer: writer.conn.execute("UPDATE entries SET origin = 'nobody knows'"))
    for some in heard.values():
        some.clear()
    return heard, people["Noor"]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.msg for record in caplog.records if record.levelno >= logging.ERROR]


async def test_what_breaks_in_one_memory_costs_the_others_nothing(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """B69: two have their morning, the third a plain one, and it is reported once."""
    heard, _ = await broken_and_two_more(world, "/digest 08:00")
    caplog.clear()
    for hour in ("03", "08"):
        world.at(f"2024-05-27 {hour}:00")
        await world.app.ringing.tick()
    plain = "Today's digest could not be put together. The board and your memory are there as ever."
    assert heard.pop("Noor") == [plain]
    assert [len(some) for some in heard.values()] == [1, 1]
    assert all("proposes 1 entry" in some[0] for some in heard.values())
    assert errors(caplog) == ["something could not be put into words"]


async def test_where_no_digest_reports_it_the_night_does(world: World, caplog: pytest.LogCaptureFixture) -> None:
    await broken_and_two_more(world, "/keep chat 90 days")
    caplog.clear()
    world.at("2024-05-27 03:00")
    await world.app.ringing.tick()
    assert errors(caplog) == ["tidying broke"]


async def test_where_nothing_is_switched_on_a_night_leaves_nothing_behind(world: World) -> None:
    lin = await world.person()
    for day in ("21", "23", "26"):
        world.at(f"2024-05-{day} 09:00")
        await lin.say("remember to push at noon and leave my evenings alone")
    world.at("2024-05-27 09:00")
    await world.app.ringing.tick()
    memory = await memory_of(world, lin)
    assert await memory.read(lambda view: view.notes("tidy/")) == []
