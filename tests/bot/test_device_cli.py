"""The commands about devices between real homes over a real folder: what they do, what they say, what they refuse."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot import adopting, devices, erasing, inviting, joining, recovering, showing, syncing
from bot.app import OWNER
from bot.inviting import Share
from bot.own_device import RECOVERY_SECRET, OwnDevice
from store.errors import NotAllowed, NotFound, Rejected
from sync import identity, state
from sync.errors import Malformed
from sync.meeting import MEETINGS, PairingFailed
from sync.pairing import format_code
from sync.recovery import format_recovery
from sync.transports.folder import Folder
from tests.bot.household import CODE, KEY, Household, Talk, household
from tests.waits import until

pytestmark = pytest.mark.slow
"""Goldens 33 to 35 are the quick look at the same commands."""

Pair = tuple[Household, OwnDevice, OwnDevice]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Household]:
    async with household(tmp_path) as made:
        yield made


@pytest.fixture
async def pair(world: Household) -> Pair:
    """home holds one entry and has let phone in."""
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the car is on B2")
    await world.pair(home, phone)
    return world, home, phone


async def key_of(own: OwnDevice) -> str:
    """The recovery key, as a person would write it down."""
    talk = Talk()
    await showing.show_recovery(own, talk)
    found = KEY.search(talk.said)
    assert found is not None
    return found[0]


async def test_what_home_held_is_on_the_phone(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the car is on B2")
    asked, joined = await world.pair(home, phone)
    assert "New device phone wants to join, check number" in asked.said
    assert "It will share: private memory (1 entry)." in asked.said
    assert asked.said.endswith("phone has joined; 1 entry delivered.\n")
    assert "On home, allow it only if you see the same six digits." in joined.said
    assert joined.said.endswith("Joined home; 1 entry is here now.\n")
    assert "the car is on B2" in await world.say(phone, "where is the car?")
    assert not [path for path in (world.shared / "niannian" / MEETINGS).rglob("*") if path.is_file()]


async def test_groups_and_people_come_along(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the deploy is on Friday", group="Team")
    await world.say(home, "remember my badge is 17", as_name="Noor")
    asked, _ = await world.pair(home, phone)
    assert "private memory (0 entries), Team's memory (1 entry), Noor's private memory (1 entry)." in asked.said
    assert "Friday" in await world.say(phone, "when is the deploy?", group="Team")
    assert "17" in await world.say(phone, "what is my badge?", as_name="Noor")
    assert "17" not in await world.say(phone, "what is my badge?")


async def test_what_is_left_out_is_not_shared(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the deploy is on Friday", group="Team")
    await world.say(home, "remember the cake is on Monday", group="Party")
    asked, _ = await world.pair(home, phone, share=Share(without=("team",)))
    assert "Party's memory" in asked.said and "Team" not in asked.said
    assert len(await phone.shared()) == 2


async def test_only_some_are_shared(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    for group in ("Team", "Party"):
        await world.say(home, "remember tea is green", group=group)
    asked, _ = await world.pair(home, phone, share=Share(only=("Team",)))
    assert "private memory (0 entries), Team's memory (1 entry)." in asked.said
    with pytest.raises(NotFound, match="error-no-such-memory"):
        await inviting.pair(home, Talk(), Share(only=("Nobody",)), pause=world.pause, monotonic=world.monotonic)


async def test_two_devices_of_one_name_are_told_apart(pair: Pair) -> None:
    world, home, _ = pair
    other = await world.device("other")
    other.name = "phone"
    asked, _ = await world.pair(home, other)
    assert "New device phone-2 wants to join" in asked.said
    talk = Talk()
    await devices.show_devices(home, talk)
    assert [line.split(" ")[0] for line in talk.said.splitlines()] == ["home", "phone", "phone-2"]


async def test_a_used_home_brings_what_it_held(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the car is on B2")
    await world.say(phone, "remember the dentist is on Tuesday")
    await world.say(phone, "remember the deploy is on Friday", group="Team")
    await world.say(home, "remember the lunch is at noon", group="Team")
    await world.pair(home, phone)
    await home.sync()
    await phone.sync()
    await home.sync()
    for own in (home, phone):
        assert "B2" in await world.say(own, "where is the car?")
        assert "Tuesday" in await world.say(own, "when is the dentist?")
        assert "noon" in await world.say(own, "when is the lunch?", group="Team")
        assert "Friday" in await world.say(own, "when is the deploy?", group="Team")


async def test_pairing_again_shares_what_is_new_since(pair: Pair) -> None:
    world, home, phone = pair
    await world.say(home, "remember the deploy is on Friday", group="Team")
    asked, _ = await world.pair(home, phone)
    assert "New device phone wants to join" in asked.said and "Team's memory (1 entry)" in asked.said
    assert "Friday" in await world.say(phone, "when is the deploy?", group="Team")
    assert len([it for it in await devices.known_devices(home) if it.belongs]) == 2


async def test_pairing_again_with_nothing_new_stays_until_the_welcome_was_read(pair: Pair) -> None:
    """A device that belongs has everything already: that alone does not say that it has read on."""
    world, home, phone = pair
    for own in (phone, home):
        await own.sync()
    asked, joined = Talk("1"), Talk()

    async def late(seconds: float) -> None:
        """The other side goes first, as long as it likes to."""
        for _ in range(300 if "Check number" in joined.said else 1):
            await asyncio.sleep(0.001)

    inviter = asyncio.create_task(inviting.pair(home, asked, Share(), pause=late, monotonic=world.monotonic))
    code = await until(lambda: CODE.search(asked.said))
    assert await joining.join(phone, joined, code[0], pause=late, monotonic=world.monotonic) == 0
    assert await inviter == 0
    assert "Joined home" in joined.said and "has joined" in asked.said


async def test_who_comes_to_a_group_later_is_known_on_both(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the deploy is on Friday", group="Team")
    await world.pair(home, phone)
    await world.say(home, "board", as_name="Noor", group="Team")
    await home.sync()
    await phone.sync()
    (team,) = [one for one in await phone.held() if one.title == "Team"]
    assert set(phone.home.device.members(team.memory.scope)) == {OWNER, "terminal:as/Noor"}


async def test_a_join_that_was_cut_off_is_put_right_by_the_next_one(
    world: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the phone held is noted before its account leads elsewhere, so a crash in between hides nothing for good."""
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(phone, "remember the dentist is on Tuesday")

    async def power_cut(*_: object) -> bool:
        raise OSError

    with monkeypatch.context() as cut:
        cut.setattr(joining, "finish_uniting", power_cut)
        with pytest.raises(OSError):  # noqa: PT011 (whichever)
            await world.pair(home, phone)
    assert "Tuesday" not in await world.say(phone, "when is the dentist?")
    await syncing.sync_once(phone, Talk())
    assert "Tuesday" in await world.say(phone, "when is the dentist?")


# refusals of pairing


async def test_no_folder_is_said_plainly(world: Household) -> None:
    home = await world.device("home", folder=False)
    with pytest.raises(Rejected, match="error-no-folder"):
        await inviting.pair(home, Talk(), Share(), pause=world.pause, monotonic=world.monotonic)
    with pytest.raises(Rejected, match="error-no-folder"):
        await syncing.sync_once(home, Talk())


async def test_a_folder_that_is_gone_is_said_plainly(pair: Pair) -> None:
    world, home, _ = pair
    shutil.rmtree(world.shared)
    for act in (syncing.sync_once, syncing.show_folder):
        with pytest.raises(Rejected, match="error-folder-gone"):
            await act(home, Talk())
    assert "Saved" in await world.say(home, "remember that local work goes on")


async def test_a_refusal_lets_nobody_in(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    with pytest.raises(PairingFailed, match="pairing-ended"):
        await world.pair(home, phone, answers=("2",))
    assert await home.shared() == [] == await phone.shared()
    asked, _ = await world.pair(home, phone)
    assert "has joined" in asked.said


async def test_no_answer_is_no(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    with pytest.raises(PairingFailed, match="pairing-ended"):
        await world.pair(home, phone, answers=())


@pytest.mark.parametrize("code", ["", "hello", "000000-000000-000000", "NN1:x"])
async def test_what_is_no_code_is_said_at_once(world: Household, code: str) -> None:
    phone = await world.device("phone")
    with pytest.raises(Malformed, match="error-join-code"):
        await joining.join(phone, Talk(), code, pause=world.pause, monotonic=world.monotonic)


async def test_a_code_that_nobody_waits_behind_runs_out(world: Household) -> None:
    phone = await world.device("phone")

    async def pause(_: float) -> None:
        world.ticks += 600

    code, talk = format_code(bytes(10)), Talk()
    with pytest.raises(PairingFailed, match="pairing-time"):
        await joining.join(phone, talk, code, pause=pause, monotonic=world.monotonic)
    assert talk.said.count("No answer from the other device yet") == 1 and str(world.shared) in talk.said


@pytest.mark.parametrize("welcome", [b"", b"\x80", b"junk"], ids=["nothing", "no scopes", "junk"])
async def test_a_welcome_that_is_none_leads_nowhere(
    world: Household, welcome: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An inviter that was let in by the digits may still be an old or broken one."""
    home, phone = await world.device("home"), await world.device("phone")

    real = inviting.let_in

    async def no_welcome(*given: Any) -> bytes:
        await real(*given)
        return welcome

    monkeypatch.setattr(inviting, "let_in", no_welcome)
    monkeypatch.setattr(inviting, "DELIVER_S", 0.0)
    before = phone.home.device.account(OWNER)
    with pytest.raises(PairingFailed, match="pairing-welcome"):
        await world.pair(home, phone)
    assert phone.home.device.account(OWNER) == before and await phone.shared() == []


async def test_only_the_admin_lets_in_and_takes_out(pair: Pair) -> None:
    world, _, phone = pair
    with pytest.raises(NotAllowed, match="name=home"):
        await inviting.pair(phone, Talk(), Share(), pause=world.pause, monotonic=world.monotonic)
    with pytest.raises(NotAllowed, match="name=home"):
        await devices.remove(phone, Talk("1"), "home")


async def test_an_admin_of_others_joins_nobody(pair: Pair) -> None:
    world, home, _ = pair
    third = await world.device("third")
    with pytest.raises(Rejected, match="error-join-admin"):
        await world.pair(third, home)


async def test_a_pairing_that_was_left_open_is_tidied_up(world: Household) -> None:
    home = await world.device("home")
    talk = Talk()
    task = asyncio.create_task(inviting.pair(home, talk, Share(), pause=world.pause, monotonic=world.monotonic))
    await until(lambda: CODE.search(talk.said))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert home.home.device.note(inviting.MEETING) == ""


# the recovery key


async def test_the_recovery_key_is_shown_until_it_is_typed_back(pair: Pair) -> None:
    _, home, _ = pair
    key = await key_of(home)
    assert home.store.load(RECOVERY_SECRET) is not None
    wrong = Talk("0000", key.lower().replace("-", " "))
    assert await showing.show_recovery(home, wrong)
    assert "That is not the same." in wrong.said and "It matches." in wrong.said
    assert home.store.load(RECOVERY_SECRET) is None
    silent = Talk()
    await showing.show_recovery(home, silent)
    assert silent.said == ""


async def test_a_script_is_shown_the_key_once_and_types_nothing(pair: Pair) -> None:
    _, home, _ = pair
    talk = Talk(yes=True)
    await showing.show_recovery(home, talk)
    assert KEY.search(talk.said) and home.store.load(RECOVERY_SECRET) is None


async def test_a_reminder_in_a_pipe_does_not_hold_the_key(pair: Pair) -> None:
    _, home, _ = pair
    talk = Talk()
    await showing.remind_recovery(home, talk)
    assert talk.said and not KEY.search(talk.said)


# list, remove, retire


async def test_the_list_says_who_is_behind(pair: Pair) -> None:
    world, home, phone = pair
    await world.say(home, "remember tea is green")
    talk = Talk()
    await devices.show_devices(home, talk)
    assert talk.said.splitlines() == [
        "home (this one) · admin",
        "phone · RefIDs with b · heard today 10:00 · 1 change behind",
    ]
    await home.sync()
    await phone.sync()
    await home.sync()
    again = Talk()
    await devices.show_devices(home, again)
    assert again.said.splitlines()[1].endswith("has everything")


async def test_a_lone_device_is_told_how_to_add_one(world: Household) -> None:
    talk = Talk()
    assert await devices.show_devices(await world.device("home"), talk) == 0
    assert "home (this one)" in talk.said and "niannian device pair" in talk.said


async def test_a_removed_device_reads_nothing_new(pair: Pair) -> None:
    world, home, phone = pair
    await world.say(home, "remember the deploy is on Friday", group="Team")
    kept = Talk("2")
    await devices.remove(home, kept, "phone")
    assert "Fine, phone stays." in kept.said
    talk = Talk("1")
    assert await devices.remove(home, talk, "PHONE") == 0
    assert talk.said.endswith("phone is removed and the keys are changed. 1 device left: home.\n")
    await world.say(home, "remember the new entrance is gate 5")
    await home.sync()
    await phone.sync()
    assert "gate 5" not in await world.say(phone, "which gate is the new entrance?")
    told = Talk()
    await syncing.sync_once(phone, told)
    assert told.said.splitlines()[0] == "private memory: this device was removed, nothing new arrives."
    for path in world.shared.rglob("*"):
        assert not path.is_file() or b"gate 5" not in path.read_bytes()
    listed = Talk()
    await devices.show_devices(home, listed)
    assert listed.said.splitlines()[1] == "phone · RefIDs with b · removed"
    with pytest.raises(Rejected, match="error-device-removed"):
        await devices.remove(home, Talk("1"), "phone")
    with pytest.raises(PairingFailed, match=r"pairing-(removed|ended)"):
        await world.pair(home, phone)


async def test_a_removed_device_cannot_tell_who_is_behind(pair: Pair) -> None:
    world, home, phone = pair
    await devices.remove(home, Talk("1"), "phone")
    await phone.sync()
    await world.say(phone, "remember what only the phone knows")
    listed = Talk()
    await devices.show_devices(phone, listed)
    assert listed.said.splitlines()[1].startswith("home · admin · heard ") and "behind" not in listed.said


async def test_what_cannot_be_removed(pair: Pair) -> None:
    _, home, _ = pair
    with pytest.raises(NotFound, match="error-no-such-device"):
        await devices.remove(home, Talk("1"), "tablet")
    with pytest.raises(Rejected, match="error-remove-here"):
        await devices.remove(home, Talk("1"), "home")


async def test_a_device_that_retires_hands_over_and_stops(pair: Pair) -> None:
    world, home, phone = pair
    await world.say(phone, "remember the key is under the mat")

    async def pause(seconds: float) -> None:
        await syncing.sync_once(home, Talk())
        await world.pause(seconds)

    talk = Talk("1")
    assert await devices.retire(phone, talk, pause=pause, monotonic=world.monotonic) == 0
    assert "phone is retired" in talk.said and phone.home.device.note("folder") == ""
    await syncing.sync_once(home, Talk())
    assert "mat" in await world.say(home, "where is the key?")
    assert not [it for it in await devices.known_devices(home) if it.name == "phone" and it.belongs]
    listed = Talk()
    await devices.show_devices(home, listed)
    assert listed.said.splitlines()[1] == "phone · RefIDs with b · retired"


async def test_retiring_waits_for_the_admin(pair: Pair) -> None:
    world, home, phone = pair
    talk = Talk("1")
    assert await devices.retire(phone, talk, pause=world.pause, monotonic=world.monotonic) == 1
    assert "not reached the admin device yet" in talk.said and phone.home.device.note("folder")
    with pytest.raises(NotAllowed, match="error-retire-admin"):
        await devices.retire(home, Talk("1"), pause=world.pause, monotonic=world.monotonic)
    lone = await world.device("lone")
    with pytest.raises(Rejected, match="error-retire-alone"):
        await devices.retire(lone, Talk("1"), pause=world.pause, monotonic=world.monotonic)


# recover


async def test_a_member_becomes_the_admin(pair: Pair) -> None:
    world, home, phone = pair
    key = await key_of(home)
    await world.say(home, "remember the deploy is on Friday")
    await home.sync()
    talk = Talk(key.lower(), "1")
    assert await recovering.recover(phone, talk) == 0
    assert "these are put out: home." in talk.said
    known = {it.name: it for it in await devices.known_devices(phone)}
    assert known["phone"].admin and not known["home"].belongs
    assert "Friday" in await world.say(phone, "when is the deploy?")
    await home.sync()
    assert not (await devices.known_devices(home))[0].belongs
    new = await key_of(phone)
    assert new != key
    with pytest.raises(NotAllowed, match="error-recovery-other"):
        await recovering.recover(phone, Talk(key, "1"))
    third = await world.device("third")
    await world.pair(phone, third)
    assert "Friday" in await world.say(third, "when is the deploy?")


async def test_everything_comes_back_from_the_folder_alone(world: Household) -> None:
    home, phone = await world.device("home"), await world.device("phone")
    await world.say(home, "remember the car is on B2")
    await world.say(home, "remember the deploy is on Friday", group="Team")
    await world.say(home, "remember my badge is 17", as_name="Noor")
    await world.pair(home, phone)
    await world.say(phone, "remember the dentist is on Tuesday")
    await phone.sync()
    await devices.remove(home, Talk("1"), "phone")  # a new epoch, wrapped to the recovery key like the first
    await world.say(home, "remember the gate code is by the lamp")
    await home.sync()
    key = await key_of(home)
    await world.stop(home)
    await world.stop(phone)
    fresh = await world.device("fresh")
    talk = Talk(key, "1")
    assert await recovering.recover(fresh, talk) == 0
    assert "It is back: 5 entries are here" in talk.said
    assert "B2" in await world.say(fresh, "where is the car?")
    assert "Tuesday" in await world.say(fresh, "when is the dentist?")
    assert "Friday" in await world.say(fresh, "when is the deploy?", group="Team")
    assert "17" in await world.say(fresh, "what is my badge?", as_name="Noor")
    assert [it.name for it in await devices.known_devices(fresh) if it.belongs] == ["fresh"]
    again = await world.device("again")
    await world.pair(fresh, again)
    assert "B2" in await world.say(again, "where is the car?")


async def test_a_recovery_that_was_refused_or_mistyped_changes_nothing(pair: Pair) -> None:
    _, home, phone = pair
    key = await key_of(home)
    await recovering.recover(phone, Talk(key, "2"))
    for typed in ("", "0000", key[:-1] + ("0" if key[-1] != "0" else "1")):
        with pytest.raises(Malformed, match="error-recovery-key"):
            await recovering.recover(phone, Talk(typed))
    assert (await devices.known_devices(home))[0].admin


async def test_the_key_of_another_opens_nothing(pair: Pair, world: Household) -> None:
    _, _, phone = pair
    fresh = await world.device("fresh")
    for own in (phone, fresh):
        with pytest.raises(NotAllowed, match="error-recovery-other"):
            await recovering.recover(own, Talk(format_recovery(bytes(16)), "1"))


async def test_a_copy_that_recovers_reads_first_what_the_others_wrote_since(pair: Pair) -> None:
    """Whoever it puts out is cut at what it holds: that must be all there is."""
    world, home, phone = pair
    key = await key_of(home)
    await world.stop(phone)
    shutil.copytree(world.root / "phone", world.root / "copy")
    phone = await world.device("phone")
    await devices.remove(home, Talk("1"), "phone")
    await world.say(home, "remember the deploy is on Friday")
    await home.sync()
    await world.stop(home)
    copy = await world.device("copy")
    assert await recovering.recover(copy, Talk(key, "1")) == 0
    assert "on Friday" in await world.say(copy, "when is the deploy?")


# adopt


async def test_a_copy_takes_the_place_of_a_lost_admin(pair: Pair) -> None:
    world, home, phone = pair
    await home.sync()
    await world.stop(home)
    shutil.copytree(world.root / "home", world.root / "copy")
    copy = await world.device("copy")
    assert copy.keys.device_id != home.keys.device_id
    await world.say(copy, "remember that the copy works on by itself")
    talk = Talk("1")
    assert await adopting.adopt(copy, talk) == 0
    assert "the admin home now" in talk.said
    await phone.sync()
    await copy.sync()
    assert "by itself" in await world.say(phone, "what works on by itself?")
    belonging = [it for it in await devices.known_devices(phone) if it.belongs]
    assert [(it.name, it.admin) for it in belonging] == [("phone", False), ("home", True)]
    with pytest.raises(Rejected, match="error-adopt-none"):
        await adopting.adopt(copy, Talk("1"))
    original = await world.device("home")
    await original.sync()
    assert not (await devices.known_devices(original))[0].belongs


async def test_what_cannot_be_adopted(pair: Pair) -> None:
    world, home, phone = pair
    with pytest.raises(Rejected, match="error-adopt-none"):
        await adopting.adopt(home, Talk("1"))
    await world.stop(phone)
    shutil.copytree(world.root / "phone", world.root / "copy")
    copy = await world.device("copy")
    with pytest.raises(NotAllowed, match="error-adopt-member"):
        await adopting.adopt(copy, Talk("1"))
    await world.pair(home, copy)
    assert len([it for it in await devices.known_devices(copy) if it.belongs]) == 3


async def test_a_copied_home_that_shared_nothing_takes_its_old_letters_back(world: Household) -> None:
    home = await world.device("home", folder=False)
    await world.say(home, "remember the car is on B2")
    await world.stop(home)
    shutil.copytree(world.root / "home", world.root / "copy")
    copy = await world.device("copy", folder=False)
    assert "D-2024-05-27-x" in await world.say(copy, "remember the bike is in the cellar")
    talk = Talk("1")
    assert await adopting.adopt(copy, talk) == 0
    assert "D-2024-05-27-02" in await world.say(copy, "remember the boat is at sea")


async def test_a_copy_that_joins_says_that_its_former_self_is_on_the_list(pair: Pair) -> None:
    """A data folder that was put back leaves a device behind that never comes again, and all would wait for it."""
    world, home, phone = pair
    await world.stop(phone)
    shutil.copytree(world.root / "phone", world.root / "copy")
    copy = await world.device("copy")
    _, joined = await world.pair(home, copy)
    assert "phone is still on the list" in joined.said and "niannian device remove phone, on home" in joined.said
    await devices.remove(home, Talk("1"), "phone")
    _, again = await world.pair(home, copy)
    assert "still on the list" not in again.said


async def test_a_removed_device_comes_back_as_a_new_one(pair: Pair) -> None:
    world, home, phone = pair
    code = format_code(bytes(10))
    assert not await joining.was_removed(phone, code)
    await devices.remove(home, Talk("1"), "phone")
    with pytest.raises(Malformed, match="error-join-code"):
        await joining.was_removed(phone, "AAAA")
    assert await joining.was_removed(phone, code)
    await world.say(phone, "remember what only the phone knows")
    identity.flag_elsewhere(phone.home.path)
    await world.stop(phone)
    again = await world.device("phone")
    assert not await joining.was_removed(again, code)
    await world.pair(home, again)
    await home.sync()
    assert "only the phone" in await world.say(home, "what does only the phone know?")


# folder and sync


async def test_the_folder_is_shown_set_and_forgotten(world: Household, tmp_path: Path) -> None:
    home = await world.device("home", folder=False)
    talk = Talk()
    await syncing.show_folder(home, talk)
    await syncing.set_folder(home, talk, tmp_path / "a" / "b")
    await syncing.show_folder(home, talk)
    await syncing.forget_folder(home, talk)
    assert "no sync folder yet" in talk.said and f"sync folder: {tmp_path / 'a' / 'b'}" in talk.said
    assert (tmp_path / "a" / "b").is_dir() and home.home.device.note("folder") == ""


async def test_the_data_folder_is_no_sync_folder(world: Household, tmp_path: Path) -> None:
    home = await world.device("home")
    for folder in (home.home.path, home.home.path / "x", tmp_path):
        with pytest.raises(Rejected, match="error-folder-home"):
            await syncing.set_folder(home, Talk(), folder)
    (tmp_path / "link").symlink_to(home.home.path)
    with pytest.raises(Rejected, match="error-folder-home"):
        await syncing.set_folder(home, Talk(), tmp_path / "link" / "x")
    (tmp_path / "file").write_text("")
    with pytest.raises(Rejected, match="error-folder"):
        await syncing.set_folder(home, Talk(), tmp_path / "file" / "x")


async def test_a_pass_says_what_came_and_went(pair: Pair) -> None:
    world, home, phone = pair
    await syncing.sync_once(home, Talk())
    await world.say(home, "remember tea is green")
    sent, received, alone = Talk(), Talk(), Talk()
    assert await syncing.sync_once(home, sent) == 0
    assert sent.said == "Synced: 1 change sent.\n"
    assert await syncing.sync_once(phone, received) == 0
    assert "Synced: 1 change received" in received.said
    assert await syncing.sync_once(await world.device("lone"), alone) == 1
    assert "No other device is paired yet" in alone.said


async def test_dropped_and_waiting_are_named(pair: Pair) -> None:
    _, home, phone = pair
    (stream,) = [path for path in home.folder().rglob(phone.keys.device_id.hex()) if path.is_dir()]
    await Folder(home.folder()).publish(stream.parent.name, phone.keys.device_id.hex(), [b"junk"])
    talk = Talk()
    assert await syncing.sync_once(home, talk) == 0
    assert "1 envelope was not right and not taken: envelope-" in talk.said


async def test_a_device_whose_words_have_split_is_named_with_what_to_do(pair: Pair) -> None:
    _, home, phone = pair
    (one,) = [held for held in await home.held() if held.mine]
    await one.memory.receive([], {state.FORKED: state.encode_forked([phone.keys.device_id])})
    talk = Talk()
    await syncing.sync_once(home, talk)
    assert "phone sent two different messages under one number" in talk.said
    assert "niannian device remove phone" in talk.said


async def test_passes_go_on_and_say_each_fault_once(pair: Pair) -> None:
    world, home, _ = pair
    talk, passes = Talk(), 0

    async def pause(_: float) -> None:
        nonlocal passes
        passes += 1
        if passes == 2:
            shutil.rmtree(world.shared)
        if passes > 5:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await syncing.sync_on(home, talk, pause=pause)
    assert talk.said.count("The sync folder is not there") == 1


# erasing


async def test_what_waits_to_be_erased_is_named_and_confirmed(pair: Pair) -> None:
    world, home, phone = pair
    await world.say(home, "remember the old door code is by the lamp")
    await home.sync()
    await phone.sync()
    (one,) = [held for held in await home.held() if held.mine]
    (door,) = await one.memory.read(lambda view: view.entries("text LIKE '%lamp%'"))
    await one.memory.turn(lambda writer: writer.set(door.id, "hidden", True, by=OWNER))
    waiting = Talk()
    await erasing.show_erasing(home, waiting, now=False)
    assert "private memory: 1 entry waits to be erased for good: D-2024-05-27-02" in waiting.said
    assert "lamp" not in waiting.said
    await home.sync()
    await phone.sync()
    with pytest.raises(NotAllowed, match="error-erase-admin"):
        await erasing.show_erasing(phone, Talk(), now=True)
    done = Talk()
    assert await erasing.show_erasing(home, done, now=True) == 0
    assert "Erased for good here: 1 entry." in done.said
    assert "If it is gone" not in done.said
    world.clock.advance(timedelta(days=61))
    asleep = Talk()
    await erasing.show_erasing(home, asleep, now=False)
    assert "If it is gone: niannian device remove phone" in asleep.said
    assert "nothing waits to be erased" in done.said and "not confirmed yet: phone (nothing heard since" in done.said
    await phone.sync()
    await home.sync()
    again = Talk()
    await erasing.show_erasing(home, again, now=False)
    assert "the last erasing is confirmed by: home, phone" in again.said
    assert "not confirmed" not in again.said


async def test_a_forgotten_task_waits_to_be_erased_like_an_entry(pair: Pair) -> None:
    world, home, phone = pair
    await world.say(home, "todo: paint the shed")
    (one,) = [held for held in await home.held() if held.mine]
    (shed,) = await one.memory.read(lambda view: view.tasks(done=False))
    await one.memory.turn(lambda writer: writer.set(shed.id, "hidden", True, by=OWNER))
    waiting = Talk()
    await erasing.show_erasing(home, waiting, now=False)
    assert "waits to be erased for good: T-240527-01" in waiting.said
    await home.sync()
    await phone.sync()
    with pytest.raises(NotAllowed, match="error-erase-admin"):
        await erasing.show_erasing(phone, Talk(), now=True)


async def test_a_great_erasing_waits_for_a_word(pair: Pair) -> None:
    world, home, phone = pair
    for number in range(9):
        await world.say(home, f"remember thing {number} is on shelf {number}")
    await home.sync()
    await phone.sync()
    (one,) = [held for held in await home.held() if held.mine]
    shown = await one.memory.read(lambda view: view.entries("hidden = 0"))
    await one.memory.turn(lambda writer: [writer.set(entry.id, "hidden", True, by=OWNER) for entry in shown[:8]])
    await home.erase_now()
    await home.sync()
    (there,) = [held for held in await phone.held() if held.mine]
    await phone.sync()
    standing = await phone.standing(there.memory)
    assert standing is not None and standing.brake is not None
    told = Talk()
    await syncing.sync_once(phone, told)
    assert "Your word decides: niannian erase" in told.said
    kept = Talk("2")
    assert await erasing.show_erasing(phone, kept, now=False) == 1
    assert "wants 8 of the 10 entries shown here erased for good" in kept.said
    allowed = Talk("1")
    assert await erasing.show_erasing(phone, allowed, now=False) == 0
    assert len(await there.memory.read(lambda view: view.entries("1"))) == 2
