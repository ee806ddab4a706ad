"""How fast we may write; time is what the test says it is."""

from __future__ import annotations

import pytest

from bot.platforms.telegram.limits import CHATS_MAX, Limits


def went(limits: Limits, chat: str, now: float) -> int:
    """How many go there at once."""
    count = 0
    while limits.wait(chat, now) == 0:
        count += 1
        assert count < 1000
    return count


def test_a_private_chat_bears_twenty_at_once_and_one_a_second_after() -> None:
    limits = Limits(all_burst=500)
    assert went(limits, "5001", 100.0) == 20
    assert limits.wait("5001", 100.0) == pytest.approx(1.0)
    assert limits.wait("5001", 100.4) == pytest.approx(0.6)
    assert limits.wait("5001", 101.0) == 0
    assert went(limits, "5001", 104.0) == 3
    assert went(limits, "5001", 9999.0) == 20, "the bucket is not fuller for a long rest"


def test_a_group_bears_twenty_a_minute() -> None:
    limits = Limits(all_burst=500)
    assert went(limits, "-4001", 0.0) == 20
    assert limits.wait("-4001", 0.0) == pytest.approx(3.0)
    assert went(limits, "-4001", 60.0) == 20


def test_all_chats_together_bear_thirty_a_second() -> None:
    limits = Limits()
    assert sum(went(limits, str(chat), 7.0) for chat in range(1, 4)) == 30
    assert limits.wait("9", 7.0) == pytest.approx(1 / 30)
    assert limits.wait("9", 7.0 + limits.wait("9", 7.0)) == 0


def test_one_that_waits_takes_nothing_from_the_others() -> None:
    limits = Limits(chat_burst=1, all_burst=2, all_per_s=0.001)
    assert limits.wait("1", 0.0) == 0
    assert limits.wait("1", 0.0) > 0
    assert limits.wait("1", 0.0) > 0
    assert limits.wait("2", 0.0) == 0


def test_a_chat_rests_and_the_others_go_on() -> None:
    limits = Limits()
    limits.rest("-4001", 50.0)
    limits.rest("-4001", 30.0)
    assert limits.wait("-4001", 20.0) == pytest.approx(30.0)
    assert limits.wait("5001", 20.0) == 0
    assert limits.wait("-4001", 50.0) == 0


def test_a_clock_that_stands_or_goes_back_gives_nothing_away() -> None:
    limits = Limits(chat_burst=2)
    assert went(limits, "1", 100.0) == 2
    assert limits.wait("1", 90.0) == pytest.approx(1.0)


def test_chats_that_rested_are_forgotten_past_a_thousand() -> None:
    limits = Limits(all_burst=10_000, chat_burst=1)
    for chat in range(CHATS_MAX):
        assert limits.wait(str(chat), 0.0) == 0
    limits.rest("3", 1000.0)
    assert limits.wait("new", 0.5) == 0
    assert limits.chats == CHATS_MAX + 1, "none is full again yet"
    assert limits.wait("newer", 500.0) == 0
    assert limits.chats == 2
    assert limits.wait("3", 500.0) == pytest.approx(500.0), "one that rests is not forgotten"


def test_what_nobody_waits_for_goes_at_a_pace_that_leaves_room_for_answers() -> None:
    limits = Limits()
    turns = [limits.turn(100.0) for _ in range(27)]
    assert turns[0] == 0.0 and turns[26] == pytest.approx(1.0)
    assert limits.wait("5001", 100.0) == 0, "an answer does not stand behind them"
    assert limits.turn(101.0) == pytest.approx(1 / 26), "each has a moment of its own"
    assert limits.turn(500.0) == 0.0


def test_of_what_nobody_waits_for_only_so_many_go_in_any_second_however_late_they_are() -> None:
    limits = Limits()
    assert [limits.wait(str(chat), 100.0, unasked=True) for chat in range(26)] == [0.0] * 26
    assert limits.wait("26", 100.5, unasked=True) == pytest.approx(0.5)
    assert limits.wait("27", 100.5) == 0, "an answer goes"
    assert limits.wait("26", 101.0, unasked=True) == 0
