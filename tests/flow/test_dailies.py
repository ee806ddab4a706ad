"""What comes once a day: at its time on the person's day, once, and never a day late."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from bot import dailies
from bot.habits import change
from bot.message import Line, Reply
from bot.ringing import Ringing
from bot.turn import Turn
from store.grants import PrivateClaim, grant
from store.model import AccountID
from tests.flow.world import Person, World

OWNER = AccountID("terminal:owner")


def digest(turn: Turn, sent: Sequence[date]) -> Reply | str:
    return Reply((Line(f"digest of {turn.today}"),))


def words(turn: Turn, sent: Sequence[date]) -> Reply | str:
    return Reply((Line(f"words of {turn.today}"),))


class Ear:
    """Somebody at a terminal of a program that is started anew with each Ear."""

    def __init__(self, world: World, person: Person, says: dict[str, dailies.Say] | None = None) -> None:
        self._heard: list[Reply] = []
        app = world.app
        self.ringing = Ringing(
            app.home,
            app.gateway,
            clock=world.clock,
            zone="Asia/Shanghai",
            says=says or {"digest": digest, "words": words},
        )
        self.person = person

    def sit(self) -> Ear:
        self.ringing.sit_down(self.person.session.speaker.chat, self._heard.append)
        return self

    async def hears(self) -> list[str]:
        self._heard.clear()
        await self.ringing.tick()
        return [reply.text for reply in self._heard]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path / "home") as made:
        yield made


async def ear(world: World, says: dict[str, dailies.Say] | None = None) -> Ear:
    return Ear(world, await world.person(), says).sit()


async def set_up(world: World, **settings: object) -> None:
    memory = await world.app.home.memory(grant(PrivateClaim(OWNER), world.app.home.device))
    place = ["terminal:terminal:owner", "", world.app.home.device_id[:8].hex()]
    wanted = {"words_on": True, "words_place": place, "zone": "Asia/Shanghai", **settings}
    await memory.turn(lambda writer: change(writer, OWNER, **wanted))  # type: ignore[arg-type]


async def rows(world: World, kind: str = "words") -> list[tuple[str, str, str]]:
    kept = await world.app.home.slots.of_person(world.app.home.device.account(OWNER).scope, kind)  # type: ignore[union-attr]
    return [(row.slot.day[5:], row.state.value, row.reason) for row in kept]


# at its time, once


async def test_it_comes_at_its_time_and_not_twice(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T12:59")
    assert await lin.hears() == []
    assert await lin.ringing.tick() == datetime.fromisoformat("2024-05-27T13:00+08:00")
    world.at("2024-05-27T13:00")
    assert await lin.hears() == ["words of 2024-05-27"]
    assert await lin.hears() == []
    assert await (await ear(world)).hears() == []  # started anew
    assert await lin.ringing.tick() == datetime.fromisoformat("2024-05-28T13:00+08:00")
    world.at("2024-05-28T13:00")
    assert await lin.hears() == ["words of 2024-05-28"]
    assert await rows(world) == [("05-27", "sent", ""), ("05-28", "sent", "")]


async def test_nothing_comes_that_was_not_switched_on(world: World) -> None:
    lin = await ear(world)
    for hour in range(24):
        world.at(f"2024-05-28T{hour:02}:30")
        assert await lin.hears() == []
    assert await rows(world) == await rows(world, "digest") == []


async def test_after_three_days_asleep_there_is_one_message_and_the_missed_days_are_counted(world: World) -> None:
    """B41."""
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T13:00")
    await lin.hears()
    world.at("2024-05-31T17:00")
    assert await lin.hears() == ["words of 2024-05-31"]
    assert await rows(world) == [
        ("05-27", "sent", ""),
        *((f"05-{day}", "skipped", "late") for day in (28, 29, 30)),
        ("05-31", "sent", ""),
    ]


async def test_a_program_restarted_every_six_hours_says_it_every_day(world: World) -> None:
    """B42."""
    await set_up(world)
    said = []
    for step in range(4 * 14):
        world.clock.set(datetime.fromisoformat("2024-05-27T01:00+08:00") + timedelta(hours=6 * step))
        said += await (await ear(world)).hears()
    assert said == [f"words of {date(2024, 5, 27) + timedelta(days=number)}" for number in range(14)]


async def test_at_a_terminal_where_nobody_sits_it_waits_until_somebody_does_on_that_day(world: World) -> None:
    await set_up(world)
    alone = Ear(world, await world.person())
    world.at("2024-05-27T13:00")
    assert await alone.hears() == []
    assert await rows(world) == [("05-27", "due", "")]
    world.at("2024-05-27T19:30")
    assert await (await ear(world)).hears() == ["words of 2024-05-27"]
    world.at("2024-05-28T13:00")
    await alone.hears()
    world.at("2024-05-29T07:00")
    assert await (await ear(world)).hears() == []
    assert (await rows(world))[-1] == ("05-28", "skipped", "late")


async def test_what_is_late_stays_away_in_quiet_hours_and_what_is_wanted_then_comes(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T22:45")
    assert await lin.hears() == []
    assert await rows(world) == [("05-27", "skipped", "quiet")]
    await set_up(world, words_at="23:30")
    world.at("2024-05-28T23:30")
    assert await lin.hears() == ["words of 2024-05-28"]


EDGES = {
    "Europe/Berlin": ("2026-03-29", "2026-10-25"), "Europe/London": ("2026-03-29", "2026-10-25"),
    "America/New_York": ("2026-03-08", "2026-11-01"), "America/Havana": ("2026-03-08", "2026-11-01"),
    "America/Santiago": ("2026-09-06", "2026-04-05"), "Africa/Cairo": ("2026-04-24", "2026-10-30"),
    "Asia/Beirut": ("2026-03-29", "2026-10-25"), "Atlantic/Azores": ("2026-03-29", "2026-10-25"),
    "Australia/Lord_Howe": ("2026-10-04", "2026-04-05"), "Pacific/Auckland": ("2026-09-27", "2026-04-05"),
}  # fmt: skip
"""The days on which the clocks go forward and back."""


@pytest.mark.parametrize("at", ["00:00", "02:30", "07:30"])
@pytest.mark.parametrize("zone", EDGES)
async def test_each_day_once_around_both_changes_of_the_clock(world: World, zone: str, at: str) -> None:
    """B43."""
    await set_up(world, zone=zone, words_at=at, quiet=["00:00", "00:00"])
    for edge in map(date.fromisoformat, EDGES[zone]):
        lin = await ear(world)
        moment = datetime.fromisoformat(f"{edge}T00:00+00:00") - timedelta(days=2)
        said = []
        for _ in range(4 * 48):
            moment += timedelta(minutes=30)
            world.clock.set(moment)
            said += await lin.hears()
        assert len(said) == len(set(said))
        assert {f"words of {edge + timedelta(days=number)}" for number in (-1, 0, 1)} <= set(said)


@pytest.mark.parametrize(
    ("moved_at", "said"),
    [("12:59", [("13:00", "words")]), ("13:01", [("13:01", "words")]), ("15:00", [("15:00", "words")]), ("17:30", [])],
)
async def test_moved_from_the_evening_to_13_00(world: World, moved_at: str, said: list[tuple[str, str]]) -> None:
    """One a day whenever it is moved: today's at once where its time is over by three hours at most, else tomorrow's."""
    await set_up(world, words_at="20:00")
    lin = await ear(world)
    world.at(f"2024-05-27T{moved_at}")
    reply = await lin.person.say("move my daily words to 13:00 because evenings are for family")
    assert "because: evenings are for family" in reply
    when = (
        "today's comes right away"
        if said and said[0][0] != "13:00"
        else "today already comes at 13:00"
        if said
        else "from tomorrow on"
    )
    assert when in reply
    heard = []
    for hour, minute in ((hour, minute) for hour in range(12, 24) for minute in (0, 1, 59)):
        now = f"{hour:02}:{minute:02}"
        if now >= moved_at or now == "17:59":
            world.at(f"2024-05-27T{now if now >= moved_at else moved_at}")
            heard += [(now, text.split(" ")[0]) for text in await lin.hears()]
    assert [one for one, _ in heard] == [
        ("13:00" if moved_at == "12:59" else "15:00" if moved_at == "15:00" else "13:01")
    ] * len(said)
    world.at("2024-05-28T13:00")
    assert await lin.hears() == ["words of 2024-05-28"]


async def test_one_that_was_said_today_is_not_said_again_at_its_new_time(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T13:00")
    assert await lin.hears() == ["words of 2024-05-27"]
    await lin.person.say("/time 20:00")
    world.at("2024-05-27T20:00")
    assert await lin.hears() == []
    world.at("2024-05-28T13:00")
    assert await lin.hears() == []
    world.at("2024-05-28T20:00")
    assert await lin.hears() == ["words of 2024-05-28"]


async def test_after_a_flight_there_is_one_a_day(world: World) -> None:
    """B43: no day with none or two, unless the calendar itself leaves one out."""
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T13:00")
    assert await lin.hears() == ["words of 2024-05-27"]
    await lin.person.say("/tz Berlin")
    world.at("2024-05-27T13:00", "+02:00")
    assert await lin.hears() == []
    world.at("2024-05-28T13:00", "+02:00")
    assert await lin.hears() == ["words of 2024-05-28"]
    world.at("2024-05-29T09:00", "+02:00")
    await lin.person.say("/tz Shanghai")  # where it is 15:00
    assert await lin.hears() == ["words of 2024-05-29"]


async def test_a_clock_that_goes_back_says_nothing_twice(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T13:00")
    await lin.hears()
    world.at("2024-05-27T12:00")
    assert await lin.hears() == []
    world.at("2024-05-27T13:00")
    assert await lin.hears() == []


async def test_a_clock_years_ahead_costs_one_message_and_nothing_once_it_is_right_again(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T13:00")
    await lin.hears()
    world.at("2031-01-01T13:00")
    assert await lin.hears() == ["words of 2031-01-01"]
    assert len(await rows(world)) < 40
    world.at("2024-05-28T13:00")
    assert await lin.hears() == ["words of 2024-05-28"]


async def test_a_memory_that_cannot_be_put_into_words_costs_the_others_nothing(world: World) -> None:
    """B69."""

    def broken(turn: Turn, sent: Sequence[date]) -> Reply | str:
        if turn.name(turn.account) == "Noor":
            raise ZeroDivisionError
        return words(turn, sent)

    people = {name: await world.person(name) for name in ("Lin", "Noor", "Wei")}
    heard: dict[str, list[str]] = {name: [] for name in people}
    ringing = Ringing(
        world.app.home, world.app.gateway, clock=world.clock, zone="UTC", says={"words": broken, "digest": digest}
    )
    for name, person in people.items():
        memory = await world.app.home.memory(grant(PrivateClaim(person.session.speaker.account), world.app.home.device))
        place = [f"terminal:{person.session.speaker.chat.id}", "", world.app.home.device_id[:8].hex()]
        await memory.turn(
            lambda writer, place=place: change(writer, OWNER, words_on=True, words_place=place, zone="Asia/Shanghai")  # type: ignore[misc]
        )
        ringing.sit_down(person.session.speaker.chat, lambda reply, name=name: heard[name].append(reply.text))  # type: ignore[misc]
    world.at("2024-05-27T13:00")
    await ringing.tick()
    assert heard["Lin"] == heard["Wei"] == ["words of 2024-05-27"]
    assert heard["Noor"] == ["Today's words could not be put together. Say “today” to try again."]


async def test_the_reason_why_there_was_nothing_is_kept(world: World) -> None:
    await set_up(world)
    lin = await ear(world, {"words": lambda turn, sent: "nothing", "digest": digest})
    world.at("2024-05-27T13:00")
    assert await lin.hears() == []
    assert await rows(world) == [("05-27", "skipped", "nothing")]


# what is said about it


async def test_the_digest_is_switched_on_moved_paused_and_switched_off(world: World) -> None:
    lin = await ear(world)
    say = lin.person.say
    assert await say("/digest") == "The morning digest is off; switched on, it comes daily at 08:00."
    world.at("2024-05-27T14:00")
    reply = await say("/digest on")
    assert reply == "The morning digest is on, daily at 08:00.\nFirst: tomorrow 08:00."
    world.at("2024-05-28T08:00")
    assert await lin.hears() == ["digest of 2024-05-28"]
    assert "morning digest: 08:00" in await say("/settings")
    assert await say("/pause 2 days") == "The morning digest rests until Thu 30 May and comes back that day at 08:00."
    world.at("2024-05-29T08:00")
    assert await lin.hears() == []
    world.at("2024-05-30T08:00")
    assert await lin.hears() == ["digest of 2024-05-30"]
    await say("/digest off")
    world.at("2024-05-31T08:00")
    assert await lin.hears() == []


@pytest.mark.parametrize(
    ("said", "until"),
    [("/pause 10d", "Thu 6 Jun"), ("pause for 2 weeks", "Mon 10 Jun"), ("/pause until Friday", "Fri 31 May"),
     ("/pause 6 June", "Thu 6 Jun"), ("/pause 1 month", "Wed 26 Jun")],
)  # fmt: skip
async def test_pausing(world: World, said: str, until: str) -> None:
    await set_up(world)
    lin = await ear(world)
    assert await lin.person.say(said) == f"Daily words rest until {until} and come back that day at 13:00."
    assert [button.label for button in lin.person.last.buttons] == ["Resume now", "Change day"]  # type: ignore[union-attr]
    assert "daily words: 13:00, resting until" in await lin.person.say("/settings")
    world.at("2024-05-28T13:00")
    assert await lin.hears() == []
    await lin.person.say("/resume")
    assert await lin.hears() == ["words of 2024-05-28"]


@pytest.mark.parametrize("said", ["/pause yesterday", "/pause 0 days", "/pause 400 days", "/pause bananas"])
async def test_a_day_that_cannot_be_is_asked_for_again(world: World, said: str) -> None:
    await set_up(world)
    lin = await ear(world)
    assert "as a day" in await lin.person.say(said)
    await lin.person.say("buy bread at the bakery tomorrow")
    assert "resting" not in await lin.person.say("/settings"), "an ordinary sentence is no answer"
    assert "as a day" in await lin.person.say(said)
    assert "rest until Fri 31 May" in await lin.person.say("until Friday")


@pytest.mark.parametrize("said", ["/time 25:00", "/time soon", "/time 13:61"])
async def test_a_time_that_cannot_be_is_asked_for_again(world: World, said: str) -> None:
    await set_up(world)
    lin = await ear(world)
    assert "as a time" in await lin.person.say(said)
    assert "move from 13:00 to 20:15" in await lin.person.say("20:15")


async def test_a_new_time_is_a_decision_that_can_be_taken_back(world: World) -> None:
    await set_up(world, words_at="20:00")
    lin = await ear(world)
    reply = await lin.person.say("/time 13:00")
    assert "“daily words move from 20:00 to 13:00”" in reply
    assert "Saved · D-2024-05-27-01" in reply
    assert "Undone" in await lin.person.press("Undo")
    world.at("2024-05-27T13:00")
    assert await lin.hears() == []
    world.at("2024-05-27T20:00")
    assert await lin.hears() == ["words of 2024-05-27"]


async def test_a_sentence_that_moves_what_is_off_is_kept_and_says_so(world: World) -> None:
    lin = await ear(world)
    reply = await lin.person.say("move my daily words to 13:00 because evenings are for family")
    assert reply.startswith("Saved · D-2024-05-27-01")
    assert "Daily words are off now." in reply


@pytest.mark.parametrize("said", ["/quiet 23:00-07:00", "/quiet 23:00 to 07:00", "/quiet from 11pm to 7am"])
async def test_quiet_hours(world: World, said: str) -> None:
    await set_up(world)
    lin = await ear(world)
    assert (await lin.person.say("/quiet")).startswith("Quiet hours: 22:30 to 08:00.")
    assert "23:00 to 07:00" in await lin.person.say(said)
    world.at("2024-05-27T22:45")
    assert await lin.hears() == ["words of 2024-05-27"]
    assert "no quiet hours" in await lin.person.say("/quiet off")


async def test_in_a_group_only_an_admin_changes_what_comes(world: World) -> None:
    noor = await world.person("Noor", "Team")
    assert "admin" in await noor.say("/digest on")


# why


async def test_why_there_were_no_words_on_a_day_is_told(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    assert "This device has sent none yet." in await lin.person.say("/why words")
    world.at("2024-05-27T13:00")
    await lin.hears()
    world.at("2024-05-29T22:50")
    await lin.hears()
    assert await lin.person.say("why no words today?") == (
        "Daily words, the last days:\n"
        "Wed 29 May 13:00 · skipped (it would have been late, in quiet hours)\n"
        "Tue 28 May 13:00 · skipped (the program was not running)\n"
        "Mon 27 May 13:00 · sent\n"
        "It comes daily at 13:00."
    )
    assert "Daily words: Wed 29 May 13:00 skipped" in await lin.person.say("/status")
    assert "1 was missed lately" in await lin.person.say("/status")


async def test_a_night_that_was_tidied_says_so(world: World) -> None:
    lin = await ear(world)
    await lin.person.say("/digest on")
    world.at("2024-05-28T03:00")
    await lin.hears()
    assert "Tue 28 May 03:00 · done" in await lin.person.say("/why tidy")
    assert "It is made at 3 at night" in await lin.person.say("/why backup")


async def test_why_a_reminder_did_not_ring_is_told_with_its_task(world: World) -> None:
    lin = await ear(world)
    await lin.person.say("remind me at 17:00 to eat")
    world.at("2024-07-20T17:01")
    await lin.hears()
    assert "reminder Mon 27 May 17:00: skipped (the program was not running)" in await lin.person.say(
        "/why T-240527-01"
    )


# what was asked for since, or said already


async def test_undo_of_a_new_time_leaves_a_rest_that_was_asked_for_since(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    await lin.person.say("/time 14:00")
    undo = next(one.action for one in lin.person.last.buttons if one.label == "Undo")  # type: ignore[union-attr]
    await lin.person.say("/pause 10d")
    await lin.person.press_action(undo)
    assert "daily words: 13:00, resting until Thu 6 Jun" in await lin.person.say("/settings")
    world.at("2024-05-27T13:00")
    assert await lin.hears() == []


async def test_undo_of_the_first_of_two_new_times_leaves_the_second(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    await lin.person.say("/time 14:00")
    undo = next(one.action for one in lin.person.last.buttons if one.label == "Undo")  # type: ignore[union-attr]
    await lin.person.say("/time 18:00")
    await lin.person.press_action(undo)
    assert "daily words: 18:00" in await lin.person.say("/settings")


async def test_a_rest_lasts_whatever_time_is_named_meanwhile(world: World) -> None:
    await set_up(world, digest_on=True, digest_place=["terminal:terminal:owner", "", "00"])
    lin = await ear(world)
    both = await lin.person.say("/pause 10d")
    assert both == "Daily words and the morning digest rest until Thu 6 Jun and come back that day, each at its time."
    assert "after the rest it comes at 15:00" in await lin.person.say("/time 15:00")
    reply = await lin.person.say("/digest 09:00")
    assert reply == "The morning digest is on, daily at 09:00.\nFirst: Thu 6 Jun 09:00."
    assert [one.label for one in lin.person.last.buttons] == ["Resume now", "Turn off"]  # type: ignore[union-attr]
    assert "Thu 6 Jun" in await lin.person.say("/digest")
    world.at("2024-05-28T15:00")
    assert await lin.hears() == []


async def test_what_was_put_off_or_is_to_be_looked_back_on_rests_too(world: World) -> None:
    await set_up(world, words_later="2024-05-27T15:00", words_check=["2024-05-28", "20:00", "13:00", "D-2024-05-21-01"])
    lin = await ear(world, {"words": words, "words-later": words, "words-check": words, "digest": digest})
    await lin.person.say("/pause 10d")
    for day in (27, 28, 29):
        world.at(f"2024-05-{day}T15:00")
        assert await lin.hears() == []


@pytest.mark.parametrize("said", ["/resume", "/time 13:30", "/digest 09:00", "move my digest to 9:30"])
async def test_no_receipt_promises_today_what_has_come_today(world: World, said: str) -> None:
    await set_up(
        world, digest_on=True, digest_place=["terminal:terminal:owner", "", world.app.home.device_id[:8].hex()]
    )
    lin = await ear(world)
    world.at("2024-05-27T08:00")
    await lin.hears()
    world.at("2024-05-27T13:00")
    await lin.hears()
    reply = await lin.person.say(said)
    assert "today" not in reply.lower() and "right away" not in reply, reply


async def test_a_rest_without_an_end_says_so(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    await lin.person.say("/pause")
    assert "9999" not in await lin.person.say("/settings")
    assert "It rests until you say “resume”." in await lin.person.say("/why words")


# quiet hours


@pytest.mark.parametrize(("at", "looked", "comes"), [("07:30", "07:40", True), ("23:00", "23:30", True), ("13:00", "22:45", False)])  # fmt: skip
async def test_who_wants_something_in_quiet_hours_gets_it_late_too(
    world: World, at: str, looked: str, comes: bool
) -> None:
    await set_up(world, words_at=at)
    lin = await ear(world)
    world.at(f"2024-05-27T{looked}")
    assert bool(await lin.hears()) is comes


async def test_what_is_late_in_quiet_hours_that_end_today_comes_then(world: World) -> None:
    await set_up(world, words_at="12:00", quiet=["12:30", "14:30"])
    lin = await ear(world)
    world.at("2024-05-27T12:45")
    assert await lin.hears() == []
    world.at("2024-05-27T14:30")
    assert await lin.hears() == ["words of 2024-05-27"]


# a clock that was ahead


async def test_days_of_a_clock_that_was_ahead_are_not_told(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    world.at("2031-01-01T13:00")
    await lin.hears()
    world.at("2024-05-28T13:00")
    await lin.hears()
    told = await lin.person.say("/why words")
    assert "2031" not in told and "Tue 28 May 13:00 · sent" in told
    assert "2031" not in await lin.person.say("/status")


async def test_a_clock_years_ahead_forgets_nothing_that_was_sent(world: World) -> None:
    await set_up(world)
    lin = await ear(world)
    world.at("2024-05-27T13:00")
    assert len(await lin.hears()) == 1
    world.at("2026-05-27T12:00")
    await world.app.home.slots.tidy()
    world.at("2024-05-27T13:30")
    assert await (await ear(world)).hears() == []


@pytest.mark.parametrize(
    ("said", "answered"),
    [("暂停10天", "停到 6月6日"), ("暂停两周", "停到 6月10日"), ("暂停到周五", "停到 5月31日"), ("早报8:30", "每天 08:30"),
     ("推送时间14点", "“每日单词从 13:00 改到 14:00”"), ("停掉早报", "早报关了"), ("取消暂停", "恢复了"), ("早报 关于气候", None), ("quiet please", None),
     ("set words to 10", None)],
)  # fmt: skip
async def test_what_is_said_about_it_and_what_is_not(world: World, said: str, answered: str | None) -> None:
    await set_up(world)
    lin = await ear(world)
    reply = await lin.person.say(said)
    if answered is not None:
        assert answered in reply
    else:
        assert not any(one in reply for one in ("几点", "Quiet hours", "Saved", "as a time"))


@pytest.mark.parametrize(
    "said", ["I met Tom at 5pm yesterday about the car", "call me at 9 if late", "我们6月3日去北京出差"]
)
async def test_a_sentence_is_no_answer_to_when(world: World, said: str) -> None:
    await set_up(world)
    lin = await ear(world)
    for asked in ("/time", "/pause yesterday"):
        await lin.person.say(asked)
        await lin.person.say(said)
    assert "daily words: 13:00" in await lin.person.say("/settings")
    assert "resting" not in await lin.person.say("/settings")
