"""A message with a key takes effect once, and its repeat gets the same reply; also after a restart."""

from __future__ import annotations

import sqlite3

import pytest

from bot.message import Quoted, Shape
from tests.flow.world import World

SAID = [
    ("remember the car is on B2", "Saved · D-2024-05-27-02"),
    ("no, the tea is white", "Corrected · D-2024-05-27-02"),
    ("todo: buy milk", "Added · T-240527-02"),
    ("done T-240527-01", "Done · T-240527-01"),
    ("undo", "Undone · T-240527-01"),
    ("/new", "AUTO-20240527-01"),
    ("about me: job = doctor", "Good, job"),
    ("/pin D-2024-05-27-01", "Pinned · D-2024-05-27-01"),
    ("you forgot that I don't eat coriander", "Saved · D-2024-05-27-02"),
]


@pytest.mark.parametrize("restart", [False, True], ids=["at once", "after a restart"])
@pytest.mark.parametrize(("said", "expected"), SAID, ids=[said for said, _ in SAID])
async def test_a_repeat_changes_nothing_and_is_answered_alike(
    world: World, said: str, expected: str, restart: bool
) -> None:
    lin = await world.phone("5001", "Lin")
    await lin.say("m1", "remember the tea is green")
    await lin.say("m2", "todo: renew the domain")
    message = lin.message("m3", said)
    first = await lin.send(message)
    assert expected in first.text
    before = await held(world)
    if restart:
        await world.restart()
    world.later(minutes=3)
    again = await lin.send(message)
    assert (again.lines, again.buttons, again.shape) == (first.lines, first.buttons, first.shape)
    assert await held(world) == before


@pytest.mark.parametrize("restart", [False, True], ids=["at once", "after a restart"])
async def test_a_pressed_button_takes_effect_once(world: World, restart: bool) -> None:
    lin = await world.phone("5001", "Lin")
    added = await lin.say("m1", "todo: renew the domain")
    start = next(button.action for button in added.buttons if button.label == "Start")
    press = lin.message("p1", press=start)
    first = await lin.send(press)
    assert first.text.startswith("T-240527-01 · doing")
    done = await lin.press("p2", first, "Done")
    assert done.text.startswith("Done · T-240527-01")
    if restart:
        await world.restart()
    assert await lin.send(press) == first, "the late repeat of [Start] must not begin the task again"
    assert "Archive 2024-05 · 1 task" in (await lin.say("m3", "archive")).text


async def test_a_refusal_is_repeated_even_when_it_would_work_by_now(world: World) -> None:
    lin = await world.phone("5001", "Lin")
    undo = lin.message("m1", "undo")
    assert (await lin.send(undo)).text == "There is nothing to undo."
    await lin.say("m2", "remember the tea is green")
    assert (await lin.send(undo)).text == "There is nothing to undo."
    assert "1 current entry" in (await lin.say("m3", "/memory")).text


async def test_an_undone_entry_does_not_come_back_with_its_message(world: World) -> None:
    lin = await world.phone("5001", "Lin")
    message = lin.message("m1", "remember the tea is green")
    saved = await lin.send(message)
    await lin.press("p1", saved, "Undo")
    assert await lin.send(message) == saved
    assert "Nothing is in private memory" in (await lin.say("m2", "/memory")).text


async def test_one_message_split_in_parts_stays_split_once(world: World) -> None:
    lin = await world.phone("5001", "Lin")
    offered = await lin.say("m1", "remember " + "x" * 8001)
    split = lin.message("p1", press=offered.buttons[0].action)
    first = await lin.send(split)
    assert await lin.send(split) == first
    assert first.text.startswith("Saved · D-2024-05-27-01, D-2024-05-27-02")
    assert "2 current entries" in (await lin.say("m2", "/memory")).text


async def test_keys_of_two_people_do_not_meet(world: World) -> None:
    """A key is looked up in the scope it came to; two private chats may number their messages alike."""
    lin, noor = await world.phone("5001", "Lin"), await world.phone("5002", "Noor")
    assert "“tea”" in (await lin.say("1", "remember tea")).text
    assert "“coffee”" in (await noor.say("1", "remember coffee")).text


async def test_typed_words_are_answered_by_a_message_and_never_edit(world: World) -> None:
    lin = await world.phone("5001", "Lin")
    await lin.say("m1", "remember tea")
    assert (await lin.say("m2", "undo")).shape is Shape.MESSAGE
    world.later(minutes=11)
    await lin.say("m3", "remember coffee")
    world.later(minutes=11)
    late = await lin.say("m4", "undo")
    assert late.text == "Past 10 minutes, too late to undo"
    assert late.shape is Shape.MESSAGE


async def test_a_replied_to_message_is_kept_with_its_author_and_a_secret_in_it_is_held(world: World) -> None:
    lin = await world.phone("5001", "Lin", "Team")
    quoted = Quoted("77", "Noor", "staging moves on Friday")
    saved = await lin.send(lin.message("m1", "remember", reply_to=quoted))
    assert "“staging moves on Friday” — Noor" in saved.text
    secret = Quoted("78", "Noor", "the staging DB password is Tulip-Lamp-42")
    held_back = await lin.send(lin.message("m2", "remember", reply_to=secret))
    assert held_back.text.startswith("Not saved: this looks like a password.")
    assert "“the staging DB password is ••••••”" in held_back.text
    kept = await lin.press("p1", held_back, "Save masked")
    assert "“the staging DB password is ••••••” — Noor" in kept.text
    assert kept.shape is Shape.EDIT


async def held(world: World) -> list[tuple[int, ...]]:
    """How much each scope holds, by kind of truth."""
    counts = []
    for scope in world.app.home.device.scopes():
        path = world.home / "scopes" / scope.scope / "memory.db"
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as conn:
            counts.append(
                tuple(
                    conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                    for table in ("changes", "keys", "entries", "tasks", "registers", "undo", "sessions", "turns")
                )
            )
        conn.close()
    return counts
