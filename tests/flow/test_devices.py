"""What a person sees of several devices: where something was said, what was changed apart, what has not arrived."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

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
