"""Reminders at terminals: asking for one, what cannot be, changing it, and that it rings once and in time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from bot.commands import reminders
from bot.message import Reply
from store.grants import PrivateClaim, grant
from store.model import AccountID, SlotState
from tests.flow.world import Person, World

OWNER = AccountID("terminal:owner")


class Seat:
    """Somebody at a terminal: what rings is seen there."""

    def __init__(self, world: World, person: Person) -> None:
        self._world = world
        self._seen: list[Reply] = []
        self.person = person
        world.app.ringing.sit_down(person.session.speaker.chat, self._show)

    def _show(self, reply: Reply) -> None:
        self.person.session.show(reply)
        self.person.last = reply
        self._seen.append(reply)

    async def rung(self) -> list[str]:
        """What a look of the alarm brings."""
        self._seen.clear()
        await self._world.app.ringing.tick()
        return [reply.text for reply in self._seen]


async def seat(world: World, name: str = "Lin", group: str | None = None) -> Seat:
    return Seat(world, await world.person(name, group))


async def states(world: World) -> list[tuple[str, str]]:
    rows = await world.app.home.device.database.read(
        lambda conn: conn.execute("SELECT state, reason FROM slots ORDER BY at_ms, kind").fetchall()
    )
    return [(str(state), str(reason)) for state, reason in rows]


# asking


@pytest.mark.parametrize(
    ("said", "title", "when"),
    [
        ("remind me tomorrow at 9 to pay the rent", "pay the rent", "tomorrow 09:00 (Tue 28 May)"),
        ("remind me at 5 to call Noor", "call Noor", "today 17:00"),
        ("remind me to send the report at 5 on Friday", "send the report", "Fri 31 May 17:00"),
        ("remind me on 3 June at 14:30 to see the dentist", "see the dentist", "Mon 3 Jun 14:30"),
        ("remind me in 20 minutes to look at the oven", "look at the oven", "today 10:20"),
        ("tonight at 8 remind me to call mum", "call mum", "today 20:00"),
        ("/remind 17:00 stretch", "stretch", "today 17:00"),
        ("remind me at 9 to send the Friday report", "send the Friday report", "today 21:00"),
    ],
)  # fmt: skip
async def test_a_reminder_is_a_task_with_a_time(world: World, said: str, title: str, when: str) -> None:
    lin = await world.person()
    assert await lin.say(said) == (f"Added · T-240527-01 · ready · private memory\n“{title}”\nreminder: {when}")
    assert lin.labels == ["Undo", "Change time"]
    assert f"ready T-240527-01 {title} · " in await lin.say("/tasks")


@pytest.mark.parametrize(
    ("said", "title", "when"),
    [
        ("明天早上9点提醒我交房租", "交房租", "明天 09:00（5月28日 周二）"),
        ("提醒我下午3点半开会", "开会", "今天 15:30"),
        ("提醒我晚上八点一刻吃药", "吃药", "今天 20:15"),
        ("20分钟后提醒我关火", "关火", "今天 10:20"),
        ("两小时后提醒我给妈妈打电话", "给妈妈打电话", "今天 12:00"),
        ("提醒我周五17:00交周报", "交周报", "5月31日（周五）17:00"),
    ],
)
async def test_in_chinese(new_world: Callable[..., World], said: str, title: str, when: str) -> None:
    async with new_world(lang="zh") as world:
        lin = await world.person()
        assert await lin.say(said) == f"加上了 · T-240527-01 · 就绪 · 私聊记忆\n“{title}”\n提醒：{when}"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("remind me at 25:00 to sleep", "Not saved: there is no such time as “at 25:00”. Say it again, such as tomorrow at 9."),
        ("remind me on 30 Feb at 9 to dance", "Not saved: there is no such time as “30 Feb”. Say it again, such as tomorrow at 9."),
        ("remind me today at 09:00 to wake up", "Not saved: today 09:00 is over. Name a time to come."),
        ("remind me at 9", "What is it about? Write it after “remind me”."),
    ],
)  # fmt: skip
async def test_what_cannot_be_is_said_and_nothing_is_stored(world: World, said: str, answer: str) -> None:
    lin = await world.person()
    assert await lin.say(said) == answer
    assert await lin.say("/tasks") == "The board is clear."


async def test_without_a_time_the_words_are_kept_and_the_question_stands_below(world: World) -> None:
    lin = await world.person()
    assert await lin.say("remind me to call mum") == (
        "Added · T-240527-01 · ready · private memory\n“call mum”\n"
        "When should I remind you? Such as: tomorrow at 9, in 20 minutes."
    )
    assert lin.labels == ["Undo", "No reminder"]
    assert (await lin.say("soon, I think")).startswith("I read no time in that.")
    assert (await lin.say("at 25:00")).startswith("Not saved: there is no such time")
    assert await lin.say("tomorrow at 9") == ("T-240527-01 · ready\n“call mum”\nreminder: tomorrow 09:00 (Tue 28 May)")
    assert lin.labels == ["Undo", "Change time"]


async def test_a_day_alone_waits_for_its_hour(world: World) -> None:
    lin = await world.person()
    assert "When should I remind you?" in await lin.say("remind me on Friday to call mum")
    assert "“on Friday to call mum”" in lin.last.text, "with no time, all of it is theirs"
    assert "reminder: Fri 31 May 09:00" in await lin.say("at 9")


async def test_a_question_that_is_not_answered_leads_nowhere(world: World) -> None:
    lin = await world.person()
    await lin.say("remind me to call mum")
    assert (await lin.say("soon")).startswith("I read no time")
    assert (await lin.say("later")).startswith("I read no time")
    assert lin.labels == []
    assert "I read no time" not in await lin.say("quite soon")


async def test_an_ordinary_sentence_is_no_answer(world: World) -> None:
    lin = await world.person()
    await lin.say("remind me at 17:00 to eat")
    await lin.press("Change time")
    assert "09:00" not in await lin.say("call me at 9 if late")
    assert "Save" in " ".join(lin.labels), "it means what it would mean by itself"
    assert "17:00" in await lin.say("/tasks")
    assert "reminder" not in await lin.say("tomorrow at 9"), "the question is closed"


async def test_a_reminder_that_holds_a_secret_is_held_back(world: World) -> None:
    lin = await world.person()
    said = await lin.say("remind me tomorrow at 9 to rotate the password: hunter2hunter2")
    assert said.startswith("Not saved: "), said
    assert await lin.say("/tasks") == "The board is clear."


# ringing


async def test_it_rings_once_when_its_time_has_come(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me in 20 minutes to look at the oven")
    assert await lin.rung() == []
    world.later(minutes=20)
    assert await lin.rung() == ["look at the oven\nYou asked today for 10:20. T-240527-01"]
    assert lin.person.labels == ["Done", "In 1 hour", "Tomorrow"]
    assert await lin.rung() == []
    world.later(days=1)
    assert await lin.rung() == []
    world.later(days=-2)
    assert await lin.rung() == [], "a clock set back rings nothing again"
    assert await states(world) == [("sent", "")]


async def test_the_next_instant_is_known(world: World) -> None:
    lin = await seat(world)
    assert await world.app.ringing.tick() is None
    await lin.person.say("remind me tomorrow at 9 to pay")
    await lin.person.say("remind me at 5 to go")
    assert await world.app.ringing.tick() == datetime.fromisoformat("2024-05-27T17:00+08:00")
    world.at("2024-05-27T17:00")
    assert len(await lin.rung()) == 1
    assert await world.app.ringing.tick() == datetime.fromisoformat("2024-05-28T09:00+08:00")


async def test_with_nobody_at_the_terminal_it_waits_for_the_next_start(world: World) -> None:
    lin = await world.person()
    await lin.say("remind me tomorrow at 9 to pay the rent")
    await world.app.ringing.tick()
    world.at("2024-05-28T09:00")
    await world.app.ringing.tick()
    assert await states(world) == [("due", "")]
    await world.restart()
    world.at("2024-05-28T10:10")
    again = await seat(world)
    late = "pay the rent\nYou asked yesterday for 09:00; this is 1 h 10 min late. T-240527-01"
    assert await again.rung() == [late]
    await world.restart()
    assert await (await seat(world)).rung() == []


async def test_several_that_were_missed_are_one_message(world: World) -> None:
    lin = await seat(world)
    for hour, what in ((11, "first"), (12, "second"), (13, "third")):
        await lin.person.say(f"remind me at {hour}:00 to do the {what}")
    world.at("2024-05-27T13:00")
    assert await lin.rung() == [
        "3 reminders:\ndo the first · 11:00 · 2 h late · T-240527-01\n"
        "do the second · 12:00 · 1 h late · T-240527-02\ndo the third · 13:00 · T-240527-03"
    ]
    assert lin.person.labels == ["Board", "In 1 hour", "Tomorrow"]
    assert await lin.person.press("In 1 hour") == (
        "I will remind you today 14:00. T-240527-01, T-240527-02, T-240527-03"
    )
    world.at("2024-05-27T14:00")
    (again,) = await lin.rung()
    assert again.startswith("3 reminders:")


async def test_after_three_days_asleep_there_is_one_message(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me at 11:00 to do the first")
    await lin.person.say("remind me tomorrow at 11:00 to do the second")
    await lin.person.say("remind me on 30 May at 9:00 to do the third")
    world.at("2024-05-30T10:00")
    assert await lin.rung() == [
        "3 reminders:\ndo the third · 09:00 · 1 h late · T-240527-03\n"
        "do the first · Mon 27 May 11:00 · T-240527-01\ndo the second · Tue 28 May 11:00 · T-240527-02".replace(
            "1 reminders", "1 reminder"
        )
    ]
    assert await lin.rung() == []
    assert sorted(await states(world)) == [("sent", ""), ("skipped", "late"), ("skipped", "late")]


async def test_a_clock_that_was_years_ahead_costs_no_reminder(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me tomorrow at 9 to pay the rent")
    world.at("2034-05-27T10:00")
    assert await lin.rung() == [], "too long ago to be worth a word"
    world.at("2024-05-28T09:00")
    assert len(await lin.rung()) == 1


async def test_what_is_done_forgotten_or_undone_never_rings(world: World) -> None:
    lin = await seat(world)
    for what in ("eat", "drink", "sleep", "wake"):
        await lin.person.say(f"remind me at 17:00 to {what}")
    assert await lin.person.press("Undo") == "Undone · T-240527-04. The number won't be used again."
    await lin.person.say("done T-240527-01")
    await lin.person.say("forget T-240527-02")
    await lin.person.press("Forget")
    world.at("2024-05-27T17:00")
    assert await lin.rung() == ["sleep\nYou asked today for 17:00. T-240527-03"]


async def test_changing_the_time_moves_it_and_undo_moves_it_back(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me at 17:00 to eat")
    assert await lin.person.press("Change time") == "When instead?"
    assert "reminder: today 18:00" in await lin.person.say("at 18:00")
    world.at("2024-05-27T17:00")
    assert await lin.rung() == []
    world.at("2024-05-27T18:00")
    assert len(await lin.rung()) == 1
    assert await lin.person.press("Tomorrow") == "I will remind you tomorrow 18:00 (Tue 28 May). T-240527-01"
    assert await lin.person.press("Undo") == "Undone · T-240527-01, back as it was."
    world.at("2024-05-28T18:00")
    assert await lin.rung() == [], "back as it was: rung already"


async def test_a_snooze_is_a_new_slot_and_its_buttons_work_once(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me at 17:00 to eat")
    world.at("2024-05-27T17:00")
    await lin.rung()
    action = lin.person.action("In 1 hour")
    assert await lin.person.press("In 1 hour") == "I will remind you today 18:00. T-240527-01"
    assert await lin.person.press_action(action) == "Already done"
    world.at("2024-05-27T18:00")
    assert await lin.rung() == ["eat\nYou asked today for 18:00. T-240527-01"]
    assert (await lin.person.press("Done")).startswith("Done · T-240527-01")
    assert await states(world) == [("sent", ""), ("sent", "")]


async def test_a_group_is_reminded_in_the_group_and_says_who_asked(world: World) -> None:
    lin, team, noor = await seat(world), await seat(world, "Lin", "Team"), await seat(world, "Noor", "Team")
    await noor.person.say("remind us on Friday at 5 to lock the door")
    world.at("2024-05-31T17:00")
    await world.app.ringing.tick()
    (shown,) = team._seen
    assert shown.text == "lock the door\nNoor asked Mon 27 May for 17:00. T-240527-01"
    assert lin._seen == []
    assert noor._seen[0].text == shown.text
    assert (await team.person.press("Done")).startswith("Only Noor")


async def test_another_person_never_sees_it(world: World) -> None:
    lin, noor = await seat(world), await seat(world, "Noor")
    await lin.person.say("remind me at 17:00 to eat")
    world.at("2024-05-27T17:00")
    assert await noor.rung() == []
    assert len(lin._seen) == 1


async def test_one_memory_that_breaks_stops_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """B69: the others get theirs, and whose words break gets the plain form."""
    people = [await seat(world, name) for name in ("Lin", "Noor", "Wei")]
    for one in people:
        await one.person.say(f"remind me at 17:00 to {'break it' if one is people[1] else 'eat'}")
    whole = reminders.ring

    def breaking(turn: Any, *some: Any) -> Any:
        if some[0][0].task.title == "break it":
            raise ValueError("break it")
        return whole(turn, *some)

    monkeypatch.setattr(reminders, "ring", breaking)
    world.at("2024-05-27T17:00")
    caplog.clear()
    await world.app.ringing.tick()
    said = [one._seen[0].text for one in people]
    assert said[0] == said[2] == "eat\nYou asked today for 17:00. T-240527-01"
    assert said[1] == "It is time: T-240527-01. The board has the words."
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [record.getMessage() for record in errors] == ["a reminder could not be put into words"]
    assert "break it" not in caplog.text
    assert await people[0].rung() == []


async def test_killed_while_it_is_shown_it_is_not_shown_again(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me at 17:00 to eat")
    world.at("2024-05-27T17:00")

    def gone(reply: Reply) -> None:
        raise KeyboardInterrupt

    lin._show = gone  # type: ignore[method-assign]
    world.app.ringing.places._seats.clear()
    world.app.ringing.sit_down(lin.person.session.speaker.chat, gone)
    with pytest.raises(KeyboardInterrupt):
        await world.app.ringing.tick()
    await world.restart()
    assert await (await seat(world)).rung() == []
    assert await states(world) == [(SlotState.UNCERTAIN.value, "")]


# whose clock


@pytest.mark.parametrize(
    ("zone", "offset", "now", "said", "when"),
    [
        ("America/Montevideo", "-03:00", "2024-05-26T22:06", "remind me today at 23:00 to go", "today 23:00"),
        ("Asia/Shanghai", "+08:00", "2024-05-28T00:27", "明天早上8点提醒我起床", "明天 08:00（5月29日 周三）"),
    ],
)
async def test_today_is_the_persons(
    new_world: Callable[..., World], zone: str, offset: str, now: str, said: str, when: str
) -> None:
    """B44"""
    async with new_world(zone=zone) as world:
        world.at(now, offset)
        assert when in await (await world.person()).say(said)


async def without_zone(world: World) -> None:
    memory = await world.app.home.memory(grant(PrivateClaim(OWNER), world.app.home.device))
    await memory.turn(lambda writer: writer.set("settings", "zone", "", by=OWNER))


async def test_an_unknown_zone_is_asked_once_before_the_first_clock_time(world: World) -> None:
    """B44: never guessed silently, and what was said is kept meanwhile."""
    await without_zone(world)
    lin = await seat(world)
    assert await lin.person.say("remind me at 17:00 to eat") == (
        "Added · T-240527-01 · ready · private memory\n“eat”\nYour clock runs on Asia/Shanghai, right?"
    )
    assert lin.person.labels == ["Right", "Change", "Undo"]
    assert await lin.person.press("Right") == (
        "Good, days follow Asia/Shanghai from now on.\nT-240527-01 · ready\n“eat”\nreminder: today 17:00"
    )
    assert "right?" not in await lin.person.say("remind me at 18:00 to drink")


async def test_where_nobody_could_answer_the_zone_is_named_and_not_asked(world: World) -> None:
    """In a pipe the system's zone holds."""
    await without_zone(world)
    world.app.gateway.asks_zone = False
    lin = await seat(world)
    assert "reminder: today 17:00 by the clock of Asia/Shanghai" in await lin.person.say("remind me at 17:00 to eat")


async def test_another_zone_is_named(world: World) -> None:
    await without_zone(world)
    lin = await seat(world)
    await lin.person.say("remind me at 17:00 to eat")
    assert (await lin.person.press("Change")).startswith("Days follow Asia/Shanghai now.")
    assert "no zone called “Atlantis”" in await lin.person.say("Atlantis")
    assert "reminder: today 17:00" in await lin.person.say("Berlin")
    assert await world.app.ringing.tick() == datetime.fromisoformat("2024-05-27T17:00+02:00")


async def test_a_time_that_is_over_where_the_person_is_is_asked_again(world: World) -> None:
    await without_zone(world)
    lin = await seat(world)
    await lin.person.say("remind me today at 11:00 to eat")
    await lin.person.press("Change")
    assert await lin.person.say("Auckland") == (
        "Good, days follow Pacific/Auckland from now on.\nThere, today 11:00 is over.\n"
        "When should I remind you? Such as: tomorrow at 9, in 20 minutes."
    )
    assert "reminder: today 18:00" in await lin.person.say("at 18:00")


async def test_a_span_needs_no_zone_and_no_zone_moves_it(world: World) -> None:
    await without_zone(world)
    lin = await seat(world)
    assert "reminder: today 10:20" in await lin.person.say("remind me in 20 minutes to eat")
    await lin.person.say("/tz Berlin")
    assert await world.app.ringing.tick() == datetime.fromisoformat("2024-05-27T10:20+08:00")


async def test_a_wall_time_goes_with_the_person_and_rings_once(world: World) -> None:
    lin = await seat(world)
    await lin.person.say("remind me at 17:00 to eat")
    await lin.person.say("/tz Berlin")
    assert await world.app.ringing.tick() == datetime.fromisoformat("2024-05-27T17:00+02:00")
    await lin.person.say("/tz Shanghai")
    world.at("2024-05-27T17:00")
    assert len(await lin.rung()) == 1
    await lin.person.say("/tz Berlin")
    world.at("2024-05-27T17:00", "+02:00")
    assert await lin.rung() == [], "it is five again, and was told already"
