"""What looks like a secret is held back on every road into memory, and no byte of the home ever holds it."""

from __future__ import annotations

import pytest

from tests.flow.world import World
from tests.golden.manners import found_in

SECRET = "Tulip-Lamp-42"
LINE = f"the staging DB password is {SECRET}"
ROADS = {
    "remember": ([], f"remember {LINE}"),
    "correct": (["remember the staging DB is big"], f"no, {LINE}"),
    "correct by RefID": (["remember tea"], f"correct D-2024-05-27-01 {LINE}"),
    "task": ([], f"todo: {LINE}"),
    "profile": ([], f"about me: password = {SECRET}"),
    "you forgot": ([], f"you forgot that {LINE}"),
    "edit": (["remember tea", "Edit"], LINE),
    "because": (["remember we decided to use SQLite", "Add because"], LINE),
    "blocked by": (["todo: log in", "blocked T-240527-01"], LINE),
    "resume step": (["todo: log in", "blocked T-240527-01", "waiting for Noor"], LINE),
    "blocked inline": (["todo: log in"], f"/blocked T-240527-01 by Noor, resume: {LINE}"),
    "save this": (["where is the staging DB?", "Save this"], LINE),
    "rule": ([], f"rule: {LINE}"),
    "add one": (["board", "Add one"], LINE),
}


@pytest.mark.parametrize("road", ROADS)
async def test_a_secret_is_held_and_kept_masked_only(world: World, road: str) -> None:
    before, said = ROADS[road]
    lin = await world.person()
    for one in before:
        await lin.say(one)
    held = await lin.say(said)
    assert held.startswith("Not saved: this looks like a password."), road
    assert lin.labels == ["Save masked", "Don't save"]
    assert SECRET not in held
    kept = await lin.press("Save masked")
    assert "••••••" in kept or "first step" in kept
    assert SECRET not in kept
    await world.app.close()
    assert not found_in(world.home, [SECRET])
    await world.start()


async def test_nothing_is_kept_when_the_person_says_so(world: World) -> None:
    lin = await world.person()
    await lin.say(f"remember {LINE}")
    assert await lin.press("Don't save") == "Fine, nothing is kept."
    assert "Nothing is in private memory" in await lin.say("/memory")


async def test_what_is_only_asked_or_not_understood_is_masked_too(world: World) -> None:
    lin = await world.person()
    for said in (f"/find {LINE}", f"is {LINE}?", LINE, f"/nonsense {LINE}", f"/count {SECRET}", f"forget {LINE}"):
        assert SECRET not in await lin.say(said) or said.startswith("/count")
    await world.app.close()
    assert not found_in(world.home, [f"password is {SECRET}"])
    await world.start()
