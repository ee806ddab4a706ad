"""Forgetting one version or all, by whom, and what stands afterwards; taking back, also after a restart."""

from __future__ import annotations

import pytest

from bot.message import Shape
from tests.flow.world import Person, World
from tests.golden.manners import found_in

VERSIONS = {number: f"the lockbox is on floor {number}" for number in (1, 2, 3)}


async def three_versions(world: World) -> Person:
    lin = await world.person()
    await lin.say(f"remember {VERSIONS[1]}")
    await lin.say(f"no, {VERSIONS[2]}")
    await lin.say(f"no, {VERSIONS[3]}")
    return lin


async def versions(lin: Person, number: int) -> list[int]:
    shown = await lin.say(f"/history D-2024-05-27-0{number}")
    return [n for n in (3, 2, 1) if VERSIONS[n] in shown]


async def current(lin: Person) -> list[str]:
    return [line for line in (await lin.say("/memory")).split("\n") if line.startswith("D-")]


@pytest.mark.parametrize(
    ("gone", "left", "holds"), [(1, [3, 2], 3), (2, [3, 1], 3), (3, [2, 1], 2)], ids=["oldest", "middle", "newest"]
)
async def test_one_version_goes_and_the_others_keep_their_places(
    world: World, gone: int, left: list[int], holds: int
) -> None:
    """Before the erasing and after it: an earlier version never becomes current because one between was forgotten."""
    lin = await three_versions(world)
    asked = await lin.say(f"forget D-2024-05-27-0{gone}")
    assert lin.labels == ["Forget all", "This version", "Keep"]
    assert "It has 3 versions." in asked
    reply = await lin.press("This version")
    assert ("Current again: D-2024-05-27-02" in reply) is (gone == 3)
    for _ in ("hidden", "erased"):
        assert await versions(lin, holds) == left
        assert await current(lin) == [f"D-2024-05-27-0{holds} “{VERSIONS[holds]}”"]
        world.later(minutes=11)
        await world.app.run_due()
    assert not found_in(world.home, [VERSIONS[gone]])
    assert await lin.say(f"/why D-2024-05-27-0{gone}") == (
        f"D-2024-05-27-0{gone} has been erased; only its number is left."
    )


@pytest.mark.parametrize("gone", [1, 2, 3])
@pytest.mark.parametrize("restart", [False, True])
async def test_undoing_it_brings_the_chain_back_as_it_was(world: World, gone: int, restart: bool) -> None:
    lin = await three_versions(world)
    await lin.say(f"forget D-2024-05-27-0{gone}")
    await lin.press("This version")
    undo = lin.action("Undo")
    if restart:
        await world.restart()
        lin = await world.person()
    world.later(minutes=9)
    put_back = await lin.press_action(undo) if gone == 2 else await lin.say("undo")
    assert put_back == f"Put back · D-2024-05-27-0{gone}\n“{VERSIONS[gone]}”"
    assert await versions(lin, 1) == [3, 2, 1]
    assert await current(lin) == [f"D-2024-05-27-03 “{VERSIONS[3]}”"]
    assert await lin.press_action(undo) == "Already done"


async def test_all_versions_go_together(world: World) -> None:
    lin = await three_versions(world)
    await lin.say("forget D-2024-05-27-02")
    await lin.press("Forget all")
    assert await current(lin) == []
    put_back = await lin.say("undo")
    assert put_back == f"Put back · D-2024-05-27-02\n“{VERSIONS[2]}”", "the version that was named is the one shown"
    assert await versions(lin, 1) == [3, 2, 1]


async def test_words_mean_the_whole_chain_and_say_so(world: World) -> None:
    lin = await three_versions(world)
    asked = await lin.say("forget the lockbox")
    assert lin.labels == ["Forget", "Keep"]
    assert "Its 3 versions go with it." in asked
    assert await lin.press("Keep") == "Fine, it stays."
    assert await current(lin)


async def test_two_versions_forgotten_one_after_the_other(world: World) -> None:
    """The first is still hidden, not erased, when the second goes; neither comes back as current."""
    lin = await three_versions(world)
    for number in (2, 1):
        await lin.say(f"forget D-2024-05-27-0{number}")
        await lin.press("This version")
        world.later(minutes=6)
        await world.app.run_due()
    assert await current(lin) == [f"D-2024-05-27-03 “{VERSIONS[3]}”"]
    await lin.say("undo")
    assert await current(lin) == [f"D-2024-05-27-03 “{VERSIONS[3]}”"]
    world.later(minutes=30)
    await world.app.run_due()
    assert await current(lin) == [f"D-2024-05-27-03 “{VERSIONS[3]}”"]
    assert await versions(lin, 3) == [3, 1]


async def test_in_a_group_people_forget_what_they_wrote_and_admins_all(world: World) -> None:
    noor, wei, lin = [await world.person(name, "Team") for name in ("Noor", "Wei", "Lin")]
    await noor.say("remember the branch is main")
    await wei.say("correct D-2024-05-27-01 the branch is stable")
    assert (await noor.say("forget D-2024-05-27-02")).startswith("Wei had this one kept")
    asked = await wei.say("forget the branch")
    assert wei.labels == ["This version", "Keep"]
    assert "those by others stay" in asked
    assert "Current again: D-2024-05-27-01" in await wei.press("This version")
    assert "“the branch is main”" in await noor.say("/memory")
    await wei.say("undo")
    await lin.say("forget D-2024-05-27-01")
    assert lin.labels == ["Forget all", "This version", "Keep"]
    await lin.press("Forget all")
    assert "Nothing is in Team's memory" in await wei.say("/memory")


async def test_somebody_corrects_while_the_question_stands(world: World) -> None:
    noor, wei = await world.person("Noor", "Team"), await world.person("Wei", "Team")
    await noor.say("remember the branch is main")
    await noor.say("forget D-2024-05-27-01")
    forget = noor.action("Forget")
    await wei.say("correct D-2024-05-27-01 the branch is stable")
    assert await noor.press_action(forget) == "That is no longer there"
    assert "stable" in await wei.say("/memory")


async def test_a_task_is_forgotten_and_erased_like_an_entry(world: World) -> None:
    lin = await world.person()
    await lin.say("todo: buy zebrafish")
    await lin.say("forget T-240527-01")
    await lin.press("Forget")
    assert await lin.say("board") == "The board is clear."
    assert await lin.say("undo") == "Put back · T-240527-01\n“buy zebrafish”"
    await lin.say("forget T-240527-01")
    await lin.press("Forget")
    world.later(minutes=11)
    await world.app.run_due()
    assert not found_in(world.home, ["zebrafish"])
    assert "only its number is left" in await lin.say("T-240527-01")


async def test_stale_buttons_say_so(world: World) -> None:
    lin = await world.person()
    await lin.say("remember tea")
    undo, edit = lin.action("Undo"), lin.action("Edit")
    await lin.say("forget that")
    forget, keep = lin.action("Forget"), lin.action("Keep")
    await lin.press_action(forget)
    assert await lin.press_action(forget) == "Already done"
    assert await lin.press_action(keep) == "Already done"
    assert await lin.press_action(edit) == "That is no longer there"
    world.later(minutes=11)
    await world.app.run_due()
    assert await lin.press_action(undo) == "Past 10 minutes, it is erased"
    world.later(hours=25)
    for action in (undo, edit, forget, "full x", "more", "move x done", "close", "nonsense", "offer x 1", "because x"):
        late = ("That is no longer there", "Past 10 minutes, it is erased", "Already done")
        assert await lin.press_action(action) in late, action
        assert lin.last.shape is Shape.TOAST


UNDONE = [
    (["/pin D-2024-05-27-01"], "Undone · D-2024-05-27-01, back as it was."),
    (["todo: a", "start T-240527-01"], "Undone · T-240527-01, back as it was."),
    (["todo: a", "/blocked T-240527-01 by Bob, resume: ask"], "Undone · T-240527-01, back as it was."),
    (["todo: a", "correct T-240527-01 b"], "Undone · T-240527-01, back as it was."),
    (["about me: job = doctor"], "Good, “job” is gone from it."),
    (["about me: job = doctor", "about me: job ="], "Good, job: “doctor”"),
    (["no, the tea is white"], "Undone · D-2024-05-27-02. The number won't be used again.\nCurrent again: D-2024-05-27-01."),
    (["remember the tea is white", "which is the tea?", "3"], "Undone · D-2024-05-27-02, back as it was."),
    (["remember the tea is white", "which is the tea?", "1"], "Undone · D-2024-05-27-02, back as it was."),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), UNDONE, ids=[" · ".join(said) for said, _ in UNDONE])
async def test_every_write_can_be_undone_in_words_after_a_restart(world: World, said: list[str], expected: str) -> None:
    lin = await world.person()
    await lin.say("remember the tea is green")
    world.later(seconds=1)
    for one in said:
        await lin.say(one)
    await world.restart()
    lin = await world.person()
    assert await lin.say("undo") == expected
    if "which is the tea?" in said:
        assert "Two entries disagree" in await lin.say("which is the tea?")


async def test_undo_of_a_change_to_what_is_gone(world: World) -> None:
    noor, wei = await world.person("Noor", "Team"), await world.person("Wei", "Team")
    await noor.say("todo: run the tests")
    take_back = noor.action("Undo")
    await wei.say("done T-240527-01")
    await noor.press_action(take_back)
    assert await wei.say("undo") == "That is no longer there"


async def test_undo_past_its_time_and_with_nothing_to_undo(world: World) -> None:
    lin = await world.person()
    assert await lin.say("undo") == "There is nothing to undo."
    await lin.say("remember tea")
    assert await lin.say("/undo D-2024-05-27-09") == "There is nothing to undo."
    assert await lin.say("/undo everything") == "There is nothing to undo."
    world.later(minutes=11)
    assert await lin.say("undo") == "Past 10 minutes, too late to undo"
