"""Changed on one device after it was forgotten on another: nobody decides for the people who said it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.grants import GroupClaim, grant
from store.memory import Memory
from store.model import AccountID, Draft, Origin, Source
from store.writer import Writer
from tests.flow.pair import Pair
from tests.flow.world import Person, World

ASKED = (
    "This was changed after it was forgotten. Put it back?\n"
    "“the spare key is under the mat”\n"
    "D-2024-05-27-b01 · private chat · today 10:01"
)


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    """Home has forgotten where the key is; the phone, unheard of that, has corrected it."""
    async with Pair(tmp_path, "en") as pair:
        home = pair.on("home")
        await home.say("remember the spare key is under the flowerpot")
        await pair.sync()
        await home.say("forget D-2024-05-27-01")
        await home.press("Forget")
        pair.later(minutes=1)
        await pair.on("phone").say("no, the spare key is under the mat")
        await pair.sync()
        yield pair


@pytest.mark.parametrize("device", ["home", "phone"])
@pytest.mark.parametrize(
    "said",
    [
        "where is the spare key?", "search mat", "/why D-2024-05-27-b01", "/history D-2024-05-27-b01",
        "/pin D-2024-05-27-b01", "correct D-2024-05-27-b01 the spare key is at Noor's",
        "you forgot that the spare key is under the mat", "what did I say about the spare key today?",
    ],
)  # fmt: skip
async def test_whoever_would_have_found_it_is_asked(pair: Pair, device: str, said: str) -> None:
    person = pair.on(device)
    shown = await person.say(said)
    assert shown == ASKED, said
    assert person.labels == ["Put back", "Forget"]


@pytest.mark.parametrize(
    "said", ["/memory", "what did I say today?", "how often have I met the word mat?", "/find mat AND key"]
)
async def test_it_shows_nowhere_unasked(pair: Pair, said: str) -> None:
    for device in ("home", "phone"):
        shown = await pair.on(device).say(said)
        assert "under the" not in shown or shown == ASKED


async def test_its_words_are_not_counted(pair: Pair) -> None:
    assert "“mat” has not come up yet" in await pair.on("home").say("how often have I met the word mat?")


async def test_the_status_names_it_and_leads_to_it(pair: Pair) -> None:
    home = pair.on("home")
    status = await home.say("/status")
    assert status.startswith("private memory: 0 entries") and status.endswith(
        "1 entry was changed after being forgotten. Put back?"
    )
    assert home.labels == ["Look"]
    assert await home.press("Look") == ASKED


async def test_put_back_it_answers_on_every_device(pair: Pair) -> None:
    home = pair.on("home")
    await home.say("where is the spare key?")
    assert await home.press("Put back") == "Put back · D-2024-05-27-b01\n“the spare key is under the mat”"
    assert home.labels == ["Undo"]
    await pair.sync()
    for device in ("home", "phone"):
        person = pair.on(device)
        assert "“the spare key is under the mat”\nD-2024-05-27-b01" in await person.say("where is the spare key?")
        assert "forgotten" not in await person.say("/status")
        assert "no longer in memory" in await person.say("/why D-2024-05-27-01"), "the words of before stay forgotten"


async def test_putting_back_can_be_undone(pair: Pair) -> None:
    home = pair.on("home")
    await home.say("where is the spare key?")
    await home.press("Put back")
    await home.press("Undo")
    assert await home.say("where is the spare key?") == ASKED


async def test_forgotten_it_is_asked_about_no_more(pair: Pair) -> None:
    phone = pair.on("phone")
    await phone.say("where is the spare key?")
    assert (await phone.press("Forget")).startswith("Forgotten · D-2024-05-27-b01.")
    await pair.sync()
    for device in ("home", "phone"):
        assert "no entry yet" in await pair.on(device).say("where is the spare key?")
        assert "forgotten" not in await pair.on(device).say("/status")


async def test_answered_elsewhere_meanwhile_the_button_says_so(pair: Pair) -> None:
    home, phone = pair.on("home"), pair.on("phone")
    await home.say("where is the spare key?")
    await phone.say("where is the spare key?")
    await phone.press("Put back")
    await pair.sync()
    assert await home.press("Forget") == "That is no longer there"


async def test_all_versions_are_put_back_together(pair: Pair) -> None:
    """The phone went on correcting before it heard."""
    phone = pair.on("phone")
    await phone.say("where is the spare key?")
    await phone.press("Forget")
    await pair.on("phone").say("remember the gate code is round")
    await pair.sync()
    await pair.on("home").say("forget D-2024-05-27-b02")
    home = pair.on("home")
    await home.say("forget D-2024-05-27-b02")
    await home.press("Forget")
    pair.later(minutes=1)
    await phone.say("no, the gate code is square")
    pair.later(minutes=1)
    await phone.say("no, the gate code is oval")
    await pair.sync()
    await home.say("what is the gate code?")
    assert "oval" in await home.press("Put back")
    await pair.sync()
    assert "oval" in await phone.say("what is the gate code?")
    assert "square" in await phone.say("/history D-2024-05-27-b04")
    assert "forgotten" not in await phone.say("/status")


async def test_forgetting_it_by_words_takes_it_without_the_question(pair: Pair) -> None:
    home = pair.on("home")
    assert (await home.say("forget the one about the spare key")).startswith("Forget this one?")
    await home.press("Forget")
    assert "no entry yet" in await home.say("where is the spare key?")


@pytest.fixture
async def apart(tmp_path: Path) -> AsyncIterator[Pair]:
    """As `pair`, before they hear of each other: what the phone does now is overtaken by the next sync."""
    async with Pair(tmp_path / "apart", "en") as pair:
        await pair.on("home").say("remember the spare key is under the flowerpot")
        await pair.sync()
        await pair.on("phone").say("no, the spare key is under the mat")
        yield pair


async def forget_at_home(pair: Pair) -> None:
    home = pair.on("home")
    await home.say("forget D-2024-05-27-01")
    await home.press("Forget")
    await pair.sync()


async def test_a_correction_that_was_being_made_waits_for_the_answer(apart: Pair) -> None:
    phone = apart.on("phone")
    await phone.say("where is the spare key?")
    await phone.press("Correct")
    await forget_at_home(apart)
    assert (await phone.say("the spare key is at Noor's")).startswith("This was changed after it was forgotten.")


async def test_a_checkpoint_does_not_show_it(apart: Pair) -> None:
    phone = apart.on("phone")
    await phone.say("start over")
    assert "mat" in await phone.say("where were we?")
    await forget_at_home(apart)
    assert "mat" not in await phone.say("where were we?")


async def test_the_rest_of_a_list_does_not_show_it(apart: Pair) -> None:
    phone = apart.on("phone")
    for what in ("garage", "cellar", "attic"):
        apart.later(minutes=1)
        await phone.say(f"remember the {what} key is blue")
    await phone.say("search key")
    more = phone.action("2 more") if "2 more" in phone.labels else phone.action("1 more")
    assert "mat" in await phone.press_action(more)
    await forget_at_home(apart)
    assert await phone.press_action(more) == "That is no longer there"


async def test_a_history_does_not_show_what_was_made_of_a_forgotten_version_elsewhere(apart: Pair) -> None:
    home = apart.on("home")
    await home.say("no, the spare key is with Noor")
    await home.say("forget D-2024-05-27-01")
    await home.press("This version")
    await apart.sync()
    assert "mat" not in await home.say("/history D-2024-05-27-02")
    assert "with Noor" in await home.say("where is the spare key?")


async def test_an_earlier_version_that_is_held_is_not_counted(apart: Pair) -> None:
    phone = apart.on("phone")
    await phone.say("no, the spare key is with Noor")
    (record,) = await apart.device("phone").memory.read(lambda view: view.labelled("D-2024-05-27-b02"))
    await forget_at_home(apart)
    await apart.set_on("phone", record, "restored", True)
    assert "with Noor" in await phone.say("where is the spare key?")
    assert phone.labels == ["Source", "Correct"]


async def test_a_correction_of_what_was_undone_stays(world: World) -> None:
    """Undoing a save under a correction is no reason to ask: one person did both, here."""
    lin = await world.person()
    await lin.say("remember the spare key is under the flowerpot")
    await lin.say("no, the spare key is under the mat")
    await lin.say("undo D-2024-05-27-01")
    assert "under the mat" in await lin.say("where is the spare key?") and "Put back" not in lin.labels


async def test_in_a_group_only_its_author_and_admins_are_asked(world: World) -> None:
    lin, noor, wei = [await world.person(name, "Team") for name in ("Lin", "Noor", "Wei")]
    await noor.say("remember the spare key is under the flowerpot")
    await noor.say("forget D-2024-05-27-01")
    await noor.press("Forget")
    await _correct_late(world, "D-2024-05-27-01", AccountID("terminal:as/Wei"), "the spare key is under the mat")

    async def asked(person: Person) -> bool:
        shown = [await person.say(said) for said in ("where is the spare key?", "/why D-2024-05-27-02", "/status")]
        found = ["changed after" in one for one in shown]
        assert len(set(found)) == 1, shown
        assert found[0] or "mat" not in "".join(shown)
        return found[0]

    assert [await asked(person) for person in (lin, noor, wei)] == [True, False, True]
    held = await _id(world, "D-2024-05-27-02")
    assert await noor.press_action(f"full {held}") == "That is no longer there"
    assert await wei.press_action(f"full {held}") != "That is no longer there"
    await _count_from(world, 1)
    await noor.say("remember the bell is loud")
    assert (await noor.say("/why D-2024-05-27-02")).startswith("“the bell is loud”"), "the only one she may see"
    assert "leads to 2 entries" in await lin.say("/why D-2024-05-27-02")
    await wei.say("where is the spare key?")
    await wei.press("Put back")
    assert "under the mat" in await noor.say("where is the spare key?")


async def _group(world: World) -> Memory:
    claim = GroupClaim("terminal:group/Team", AccountID("terminal:as/Wei"))
    return await world.app.home.memory(grant(claim, world.app.home.device))


async def _id(world: World, label: str) -> str:
    (record,) = await (await _group(world)).read(lambda view: view.labelled(label))
    return record


async def _count_from(world: World, number: int) -> None:
    """The next RefID is the one after this, though it may be given already."""

    def run(writer: Writer) -> None:
        writer.conn.execute("UPDATE ref_counter SET last = ?", (number,))

    await (await _group(world)).turn(run)


async def _correct_late(world: World, label: str, author: AccountID, text: str) -> None:
    """What a device of this person that had not heard of the forgetting would send."""
    memory = await _group(world)

    def run(writer: Writer) -> None:
        (record,) = writer.labelled(label)
        writer.remember(
            Draft(text=text), at_ms=writer.now_ms, zone="Asia/Shanghai", author=author,
            source=Source("terminal", "group/Team", ""), origin=Origin.SAID, lang="en", supersedes=(record,),
        )  # fmt: skip

    await memory.turn(run)
