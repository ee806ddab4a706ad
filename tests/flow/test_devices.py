"""What a person sees of several devices: where something was said, what was changed apart, what has not arrived."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.ids import message_ulid
from sync import state
from tests.flow.pair import Pair


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    async with Pair(tmp_path, "en") as pair:
        yield pair


@pytest.fixture
async def zh(tmp_path: Path) -> AsyncIterator[Pair]:
    async with Pair(tmp_path / "zh", "zh") as pair:
        yield pair


async def corrected_apart(pair: Pair, said: str, home: str, phone: str) -> None:
    """One entry, corrected on both devices before either hears of the other."""
    await pair.on("home").say(said)
    await pair.sync()
    await pair.on("home").say(home)
    await pair.on("phone").say(phone)
    await pair.sync()


async def test_two_corrections_on_two_devices_name_the_devices(pair: Pair) -> None:
    await corrected_apart(
        pair, "remember the weekly starts at 15:00", "no, the weekly starts at 15:30", "no, the weekly starts at 14:00"
    )
    home, phone = pair.on("home"), pair.on("phone")
    shown = await home.say("when does the weekly start?")
    assert shown == (
        "Two entries disagree; they were changed on two devices:\n"
        "“the weekly starts at 15:30” — you, home D-2024-05-27-02\n"
        "“the weekly starts at 14:00” — you, phone D-2024-05-27-b01\n"
        "Which one holds? The other stays as earlier."
    )
    assert home.labels == ["15:30", "14:00", "Keep both"]
    assert await phone.say("when does the weekly start?") == shown, "the same on either device"
    assert phone.labels == home.labels


async def test_in_chinese_the_buttons_say_what_differs(zh: Pair) -> None:
    await corrected_apart(zh, "记住周会在 15:00 开始", "不对，周会在 15:30 开始", "不对，周会在 14:00 开始")
    home = zh.on("home")
    assert await home.say("周会几点开始？") == (
        "两条对不上，是在两台设备上分别改的：\n"
        "“周会在 15:30 开始”——你，home D-2024-05-27-02\n"
        "“周会在 14:00 开始”——你，phone D-2024-05-27-b01\n"
        "以哪条为准？另一条留作旧版。"
    )
    assert home.labels == ["15:30 这条", "14:00 这条", "先都留着"]


async def test_settling_on_one_device_settles_it_on_both(pair: Pair) -> None:
    await corrected_apart(
        pair, "remember the weekly starts at 15:00", "no, the weekly starts at 15:30", "no, the weekly starts at 14:00"
    )
    phone = pair.on("phone")
    await phone.say("when does the weekly start?")
    assert await phone.press("14:00") == "Corrected · D-2024-05-27-b01 is current, replaces D-2024-05-27-02."
    await pair.sync()
    assert "14:00" in await pair.on("home").say("when does the weekly start?")
    assert "earlier" in await pair.on("home").say("/why D-2024-05-27-02")


async def test_kept_side_by_side_they_are_asked_about_no_more(pair: Pair) -> None:
    await corrected_apart(
        pair, "remember the weekly starts at 15:00", "no, the weekly starts at 15:30", "no, the weekly starts at 14:00"
    )
    home = pair.on("home")
    await home.say("when does the weekly start?")
    await home.press("Keep both")
    await pair.sync()
    assert "disagree" not in await pair.on("phone").say("when does the weekly start?")


async def test_two_entries_of_one_device_disagree_as_ever(pair: Pair) -> None:
    home = pair.on("home")
    await home.say("remember the branch is main")
    pair.later(minutes=11)
    await home.say("remember the branch is stable")
    shown = await home.say("which is the branch?")
    assert shown.startswith("Two entries disagree, both current:\n“the branch is stable” — you, today 10:11")


@pytest.mark.parametrize("device", ["home", "phone"])
async def test_the_source_names_the_device_it_was_said_on(pair: Pair, device: str) -> None:
    await pair.on("phone").say("remember the car is on B2")
    await pair.sync()
    assert " · phone · said" in await pair.on(device).say("/why D-2024-05-27-b01")


async def test_a_device_without_a_name_is_another_device(pair: Pair) -> None:
    await pair.set_on("home", "meta", f"device/{pair.device('phone').keys.device_id[:8].hex()}", "")
    await pair.on("phone").say("remember the car is on B2")
    await pair.sync()
    assert " · another device · said" in await pair.on("home").say("/why D-2024-05-27-b01")
    assert " · phone · said" in await pair.on("phone").say("/why D-2024-05-27-b01"), "its own name it knows anyway"


async def title_changed_apart(pair: Pair) -> None:
    """A task T-240527-01, renamed on the phone first and then, unheard of that, at home."""
    await pair.on("home").say("todo: expenses")
    await pair.sync()
    await pair.on("phone").say("correct T-240527-01 expenses for May")
    pair.later(minutes=1)
    await pair.on("home").say("correct T-240527-01 expenses by Friday")
    await pair.sync()


async def test_a_task_changed_on_two_devices_says_so(pair: Pair) -> None:
    await title_changed_apart(pair)
    for name in ("home", "phone"):
        person = pair.on(name)
        assert await person.say("board") == (
            "Board · doing 0 · ready 1 · blocked 0\n"
            "ready T-240527-01 expenses by Friday\n"
            "  changed on two devices: /why T-240527-01"
        )
        shown = await person.say("/why T-240527-01")
        assert "phone set title to “expenses for May”; it is not used." in shown
        assert person.labels == ["Keep this one", "Use the other"]
        assert "today 10:00 · phone · title: “expenses for May” · not used" in await person.say("/history T-240527-01")


@pytest.mark.parametrize(
    ("label", "title"), [("Keep this one", "expenses by Friday"), ("Use the other", "expenses for May")]
)
async def test_a_person_says_which_title_holds(pair: Pair, label: str, title: str) -> None:
    await title_changed_apart(pair)
    phone = pair.on("phone")
    await phone.say("/why T-240527-01")
    assert await phone.press(label) == f"T-240527-01 · ready\n“{title}”"
    await pair.sync()
    for name in ("home", "phone"):
        board = await pair.on(name).say("board")
        assert f"T-240527-01 {title}" in board and "two devices" not in board


async def test_a_value_that_is_not_used_stays_in_a_long_history(pair: Pair) -> None:
    await title_changed_apart(pair)
    home = pair.on("home")
    for _ in range(5):
        pair.later(minutes=1)
        await home.say("start T-240527-01")
        pair.later(minutes=1)
        await home.say("/ready T-240527-01")
    history = (await home.say("/history T-240527-01")).split("\n")
    assert len(history) == 2 + 8
    assert history[-1] == "today 10:00 · phone · title: “expenses for May” · not used"


async def test_one_state_set_twice_is_no_conflict_and_another_is(pair: Pair) -> None:
    await pair.on("home").say("todo: expenses")
    await pair.on("home").say("todo: taxes")
    await pair.sync()
    for name, other in (("home", "done T-240527-02"), ("phone", "start T-240527-02")):
        await pair.on(name).say("start T-240527-01")
        await pair.on(name).say(other)
        pair.later(minutes=1)
    await pair.sync()
    home = pair.on("home")
    assert "not used" not in await home.say("/why T-240527-01") and home.labels == ["Done", "Blocked"]
    assert "home set state to done; it is not used." in await home.say("/why T-240527-02")
    await home.say("start T-240527-02")
    assert "not used" not in await home.say("/why T-240527-02"), "saying it again settles it"


async def test_the_history_of_an_untouched_task_is_the_task(pair: Pair) -> None:
    home = pair.on("home")
    await home.say("todo: expenses")
    assert await home.say("/history T-240527-01") == await home.say("/why T-240527-01")


async def test_a_profile_field_set_on_two_devices_shows_both(pair: Pair) -> None:
    await pair.on("phone").say("about me: job = nurse")
    pair.later(minutes=1)
    await pair.on("home").say("about me: job = doctor")
    await pair.sync()
    home = pair.on("home")
    assert "job: “doctor” (on another device: “nurse”)" in await home.say("about me")
    await home.say("about me: job = doctor")
    assert "another device" not in await home.say("about me")


async def kept_in_two_versions(pair: Pair) -> None:
    """One message, read differently on two devices."""
    record = message_ulid(1716775200000, "telegram", "bot", "1", "m1", "0")
    await pair.remember_as("home", record, "the door code changed on Friday")
    await pair.remember_as("phone", record, "the door code changed on Monday")
    await pair.sync()


@pytest.mark.parametrize("device", ["home", "phone"])
async def test_an_entry_with_two_versions_shows_the_other_one(pair: Pair, device: str) -> None:
    await kept_in_two_versions(pair)
    person = pair.on(device)
    assert "two versions" in await person.say("when did the door code change?")
    why = await person.say("/why D-2024-05-27-01")
    assert why.startswith("“the door code changed on Friday”") and "two versions" in why
    assert why.endswith("other version: “the door code changed on Monday” · D-2024-05-27-b01 · phone")
    assert await person.say("/history D-2024-05-27-01") == (
        "D-2024-05-27-01 was kept in two versions:\n"
        "“the door code changed on Friday”\n"
        "other version: “the door code changed on Monday” · D-2024-05-27-b01 · phone"
    )


async def test_a_correction_of_two_versions_ends_them_and_their_history_keeps_both(pair: Pair) -> None:
    await kept_in_two_versions(pair)
    phone = pair.on("phone")
    await phone.say("correct D-2024-05-27-01 the door code changed on Sunday")
    assert "two versions" not in await phone.say("when did the door code change?")
    history = await phone.say("/history D-2024-05-27-01")
    assert history.startswith("2 versions, newest first:")
    assert history.endswith("other version: “the door code changed on Monday” · D-2024-05-27-b01 · phone")


async def two_under_one_number(pair: Pair) -> None:
    await pair.count_like_home("phone")
    await pair.on("home").say("remember the car is on B2")
    pair.later(minutes=1)
    await pair.on("phone").say("remember the bike is in the cellar")
    await pair.sync()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("/why D-2024-05-27-01", "“the bike is in the cellar”\nD-2024-05-27-01 · fact · current"),
        ("D-2024-05-27-01", "“the bike is in the cellar”\nD-2024-05-27-01 · fact · current"),
        ("/history D-2024-05-27-01", "D-2024-05-27-01 has only this version:\n“the bike is in the cellar”"),
        ("/pin D-2024-05-27-01", "Pinned · D-2024-05-27-01\n“the bike is in the cellar”"),
        ("forget D-2024-05-27-01", "Forget this one?\n“the bike is in the cellar”"),
        ("correct D-2024-05-27-01 the bike is outside", "replaces D-2024-05-27-01\n“the bike is outside”"),
        ("correct D-2024-05-27-01", "What should it say?"),
    ],
)
async def test_a_number_with_two_targets_asks_which(pair: Pair, said: str, told: str) -> None:
    await two_under_one_number(pair)
    home = pair.on("home")
    assert await home.say(said) == (
        "D-2024-05-27-01 leads to 2 entries. Which one?\n"
        "1. “the car is on B2” — you, today 10:00, home\n"
        "2. “the bike is in the cellar” — you, today 10:01, home"
    )
    assert home.labels == ["No. 1", "No. 2"]
    assert told in await home.press("No. 2")
    assert "the car is on B2" in await home.say("where is the car?"), "the other one is as it was"


async def test_a_button_under_an_answer_means_the_entry_it_stands_under(pair: Pair) -> None:
    await two_under_one_number(pair)
    home = pair.on("home")
    await home.say("where is the bike?")
    assert (await home.press("Source")).startswith("“the bike is in the cellar”\nD-2024-05-27-01 · fact · current")


async def test_forgetting_one_of_two_targets_leaves_a_number_with_one(pair: Pair) -> None:
    await two_under_one_number(pair)
    home = pair.on("home")
    await home.say("forget D-2024-05-27-01")
    await home.press("No. 2")
    await home.press("Forget")
    assert (await home.say("/why D-2024-05-27-01")).startswith("“the car is on B2”")
    assert "leads to 2 entries" in await home.say("/undo D-2024-05-27-01"), "one was saved here, one forgotten"
    assert await home.press("No. 2") == "Put back · D-2024-05-27-01\n“the bike is in the cellar”"


async def test_two_writes_under_one_number_are_undone_one_by_one(pair: Pair) -> None:
    await two_under_one_number(pair)
    home = pair.on("home")
    for which in ("No. 1", "No. 2"):
        await home.say("/pin D-2024-05-27-01")
        await home.press(which)
    assert "leads to 2 entries" in await home.say("/undo D-2024-05-27-01")
    await home.press("No. 1")
    await home.say("/why D-2024-05-27-01")
    assert "pinned" not in await home.press("No. 1")
    await home.say("/why D-2024-05-27-01")
    assert "pinned" in await home.press("No. 2")


async def test_two_tasks_under_one_number_are_asked_about(pair: Pair) -> None:
    await pair.count_like_home("phone")
    await pair.on("home").say("todo: expenses")
    await pair.on("phone").say("todo: taxes")
    await pair.sync()
    home = pair.on("home")
    asked = await home.say("done T-240527-01")
    assert "leads to 2 entries" in asked and "expenses" in asked and "taxes" in asked
    await home.press("No. 1")
    first = "expenses" if "1. “expenses”" in asked else "taxes"
    assert first not in await home.say("board") and "T-240527-01" in await home.say("board")


async def test_a_correction_of_the_last_shown_asks_when_its_number_leads_to_two(pair: Pair) -> None:
    await two_under_one_number(pair)
    home = pair.on("home")
    await home.say("where is the bike?")
    assert "Which one is it that changes?" in await home.say("no, it is outside")


async def test_an_old_button_that_carries_a_number_asks_too(pair: Pair) -> None:
    await two_under_one_number(pair)
    home = pair.on("home")
    for verb in ("why", "history"):
        assert "leads to 2 entries" in await home.press_action(f"{verb} D-2024-05-27-01")


async def test_a_number_with_one_target_never_asks(pair: Pair) -> None:
    await pair.on("home").say("remember the car is on B2")
    assert (await pair.on("home").say("/why D-2024-05-27-01")).startswith("“the car is on B2”")


async def test_the_status_counts_what_has_not_arrived(pair: Pair) -> None:
    home = pair.on("home")
    assert "2 devices, every change delivered" in await home.say("/status")
    await home.say("remember the car is on B2")
    assert "2 devices, 1 change not yet on another device" in await home.say("/status")
    await home.say("remember the bike is in the cellar")
    assert "2 devices, 2 changes not yet on another device" in await home.say("/status")
    await pair.sync()
    assert "2 devices, every change delivered" in await home.say("/status")


async def test_the_status_in_chinese(zh: Pair) -> None:
    await zh.on("home").say("记住车停在 B2")
    assert "2 台设备 · 1 处改动还没到另一台设备" in await zh.on("home").say("/status")
    await zh.sync()
    assert "2 台设备 · 改动都送到了" in await zh.on("home").say("/status")


async def test_sent_is_not_delivered(pair: Pair) -> None:
    await pair.on("home").say("remember the car is on B2")
    await pair.sync_only("home")
    assert "1 change not yet on another device" in await pair.on("home").say("/status")


async def test_a_removed_device_says_so_where_it_finds_nothing(pair: Pair) -> None:
    await pair.on("home").say("remember the car is on B2")
    await pair.sync()
    await pair.remove("phone")
    await pair.on("home").say("remember the new entrance is gate 5")
    await pair.sync()
    phone = pair.on("phone")
    assert await phone.say("which gate is the new entrance?") == (
        "This device was removed: it shows what it had, and nothing new arrives."
        " It has no entry on “new entrance”. Looked in: all 1 entry."
    )
    assert phone.labels == []
    removed = "This device was removed: it shows what it had, and nothing new arrives.\n"
    for said in (
        "how often have I met the word paradigm?",
        "board",
        "decisions",
        "about me",
        "/checkpoints",
        "/why D-2024-05-27-02",
    ):
        assert (await phone.say(said)).startswith(removed), said
    assert "This device was removed" in await phone.say("/status")
    assert not (await phone.say("where is the car?")).startswith(removed), "what it had it shows"
    assert "removed" not in await pair.on("home").say("how often have I met the word paradigm?")


async def test_a_removed_device_says_so_in_chinese(zh: Pair) -> None:
    await zh.remove("phone")
    await zh.on("home").say("记住新门禁是 5 号门")
    await zh.sync()
    assert await zh.on("phone").say("新门禁是几号门？") == (
        "这台设备已被移除，只能看移除前的内容，不再更新。里面没有“新门禁”的记录。查过：全部 0 条。"
    )


async def test_what_a_removed_device_keeps_stays_on_it(pair: Pair) -> None:
    await pair.remove("phone")
    await pair.sync()
    phone = pair.on("phone")
    note = "It stays on this device only."
    assert await phone.say("remember the car is on B2") == (
        f"Saved · D-2024-05-27-b01 · private memory\n“the car is on B2”\n{note}"
    )
    assert (await phone.say("todo: expenses")).endswith(note)
    assert (await phone.press("Start")).endswith(note)
    full = await phone.say(
        "remember: we decided to use SQLite because one file is easy to back up, next: write the drill,"
        " verify: drill under 5 minutes"
    )
    assert full.endswith(f" · {note}") and full.count("\n") == 3, "a receipt has four lines"
    assert note not in await phone.say("where is the car?")
    assert "removed" not in await phone.say("where is the car?") and "Search chat" not in phone.labels
    assert await phone.say("forget D-2024-05-27-b01") and "undo for 10 minutes.\n" in await phone.press("Forget")
    pair.later(minutes=11)
    assert await phone.press("Undo") == "Past 10 minutes, too late to undo"
    await pair.sync()
    assert "no entry yet" in await pair.on("home").say("where is the car?")


async def test_forgetting_says_when_it_is_erased_on_several_devices(pair: Pair) -> None:
    home = pair.on("home")
    await home.say("remember the spare key is under the flowerpot")
    await home.say("forget that")
    assert await home.press("Forget") == (
        "Forgotten · D-2024-05-27-01. You can undo for 10 minutes; the night after 24 hours it is erased on every device."
    )
    pair.later(minutes=11)
    assert await home.press("Undo") == "Past 10 minutes, too late to undo"
    assert "the night after 24 hours" in await home.say("/privacy")


async def test_a_device_that_is_alone_again_speaks_of_one(pair: Pair) -> None:
    await pair.remove("phone")
    home = pair.on("home")
    assert "devices" not in await home.say("/status") + await home.say("/privacy")
    await home.say("remember the spare key is under the flowerpot")
    await home.say("forget that")
    assert "then it is erased on every device" in await home.press("Forget")


async def test_pinned_here_and_unpinned_there(pair: Pair) -> None:
    home, phone = pair.on("home"), pair.on("phone")
    await home.say("remember the car is on B2")
    await pair.sync()
    await home.say("/pin D-2024-05-27-01")
    await home.say("/unpin D-2024-05-27-01")
    pair.later(minutes=1)
    await phone.say("/pin D-2024-05-27-01")
    await pair.sync()
    note = "It was pinned on one device and unpinned on another."
    assert note in await home.say("/why D-2024-05-27-01")
    assert (await home.say("/pin D-2024-05-27-01")).startswith("Pinned"), "saying it again settles it"
    assert note not in await home.say("/why D-2024-05-27-01")


async def test_an_erasing_that_waits_for_a_person_shows_in_the_status(pair: Pair) -> None:
    await pair.device("home").memory.receive([], {state.BRAKE: state.encode_brake(60, 1200)})
    assert "would erase 60 of 1,200 here" in await pair.on("home").say("/status")


async def test_a_device_that_retired_is_spoken_of_like_a_removed_one(pair: Pair) -> None:
    phone = pair.on("phone")
    await pair.set_on("phone", "meta", f"retired/{pair.device('phone').keys.device_id[:8].hex()}", True)
    assert (await phone.say("where is the car?")).startswith("This device was removed")
    assert (await phone.say("remember the car is on B2")).endswith("It stays on this device only.")
    assert "This device was removed" in await phone.say("/status")
    await pair.sync()
    assert "removed" not in await pair.on("home").say("where is the bike?")


async def test_a_removed_device_offers_neither_to_keep_nor_to_search_below_the_closest(pair: Pair) -> None:
    await pair.on("home").say("remember the weekly review moved to the blue room on the second floor")
    await pair.sync()
    said = "which insurance covers broken kitchen windows on the second weekend?"
    phone = pair.on("phone")
    assert (await phone.say(said)).startswith(
        "Nothing fits exactly; the closest I have"
    ) and "Save this" in phone.labels
    await pair.remove("phone")
    await pair.sync()
    assert (await phone.say(said)).startswith("Nothing fits exactly; the closest I have") and phone.labels == []
