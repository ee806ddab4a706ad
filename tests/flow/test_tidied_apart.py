"""Proposals on two devices: what one decided the other knows, and deciding on both does no harm."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.commands import digest
from bot.embedding import Embedding
from bot.gateway import Gateway
from bot.message import Reply
from bot.tidying import look, tidy
from store.view import View
from tests.flow.pair import Pair
from tests.flow.world import Person

NOON = "remember to push at noon and leave my evenings alone"


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    async with Pair(tmp_path, "en") as made:
        yield made


async def said_on_both(pair: Pair) -> None:
    for day, name in ((21, "home"), (23, "phone"), (26, "home")):
        pair.clock.set(datetime(2024, 5, day, 1, tzinfo=UTC))
        await pair.on(name).say(NOON)
        await pair.sync()
    pair.clock.set(datetime(2024, 5, 27, 0, tzinfo=UTC))


async def morning(pair: Pair, name: str) -> tuple[Person, Reply]:
    lin = pair.on(name)
    device = pair.device(name)
    gateway = Gateway(
        device.home, clock=pair.clock, zone="Asia/Shanghai", lang="en", device_name=name, embedding=Embedding(None)
    )
    reply = await gateway.unasked(lin.session.inbound(), device.memory.scope, digest.digest, about="")
    assert reply is not None
    lin.last = reply
    return lin, reply


def kinds(view: View) -> list[tuple[str, str]]:
    return sorted((one.label, one.draft.kind.value) for one in view.entries("1"))


async def test_both_propose_the_same_and_one_decision_counts_for_both(pair: Pair) -> None:
    await said_on_both(pair)
    (home, first), (_, second) = await morning(pair, "home"), await morning(pair, "phone")
    assert first.buttons[:2] == second.buttons[:2] and "proposes 1 entry" in first.text
    await home.press("Agree")
    await pair.sync()
    _, after = await morning(pair, "phone")
    assert "proposes" not in after.text
    for name in ("home", "phone"):
        assert ("D-2024-05-21-01", "preference") in await pair.device(name).memory.read(kinds)


@pytest.mark.parametrize("other", ["Agree", "Leave it"])
async def test_deciding_on_both_before_they_meet(pair: Pair, other: str) -> None:
    await said_on_both(pair)
    (home, _), (phone, _) = await morning(pair, "home"), await morning(pair, "phone")
    await home.press("Agree")
    await phone.press(other)
    await pair.sync()
    seen = [await pair.device(name).memory.read(kinds) for name in ("home", "phone")]
    assert seen[0] == seen[1] and len(seen[0]) == 3
    for name in ("home", "phone"):
        assert not (await pair.device(name).memory.read(lambda view: look(view, pair.clock.now().date()))).proposed


async def test_two_nights_say_nothing_to_each_other(pair: Pair) -> None:
    """The diary is each device's own: a night sends nothing."""
    await said_on_both(pair)
    before = [await pair.device(name).memory.read(View.newest_change) for name in ("home", "phone")]
    for name in ("home", "phone"):
        await tidy(pair.device(name).memory, pair.clock.now(), "Asia/Shanghai")
    await pair.sync()
    assert before == [await pair.device(name).memory.read(View.newest_change) for name in ("home", "phone")]


async def test_a_disagreement_is_asked_about_on_one_device(pair: Pair) -> None:
    await pair.on("home").say("remember the exam date is 15 June")
    await pair.on("phone").say("remember the exam date is 22 June")
    await pair.sync()
    _, reply = await morning(pair, "home")
    assert "disagree" in reply.text
    await pair.sync()
    _, other = await morning(pair, "phone")
    assert "disagree" not in other.text
