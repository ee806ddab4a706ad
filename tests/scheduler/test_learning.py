"""Which cards a day asks: what is due, what waits, what comes back, and how a holiday ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scheduler.learning import LearningDay, Standing, learning_day, overdueness, queue
from scheduler.review import FORGOT, HARD, KNEW, Phase, Remembered
from store.cards import card_id
from store.model import Card, CardState

SHANGHAI = "Asia/Shanghai"
NOW = datetime(2024, 5, 27, 13, 0, tzinfo=ZoneInfo(SHANGHAI))
NOW_MS = int(NOW.timestamp() * 1000)
TODAY = learning_day(NOW, SHANGHAI)
DAY = 86_400_000


def card(word: str, state: CardState = CardState.ACTIVE) -> Card:
    return Card(card_id(word), word, 1, state)


def old(word: str, *, due_days: float = 0, last_days: float = -5, stability: float = 5, rating: int = KNEW,
        state: CardState = CardState.ACTIVE, first_days: float = -50, lapses: int = 0) -> Standing:  # fmt: skip
    """Days from now on."""
    due, last, first = (NOW_MS + int(days * DAY) for days in (due_days, last_days, first_days))
    return Standing(card(word, state), Remembered(
        Phase.REVIEW, due, stability, 5.0, reps=3, first_ms=first, last_ms=last, last_rating=rating, lapses=lapses,
    ))  # fmt: skip


def new(word: str, state: CardState = CardState.ACTIVE) -> Standing:
    return Standing(card(word, state), Remembered())


def words(cards: tuple[Card, ...]) -> list[str]:
    return [one.word for one in cards]


# the day


@pytest.mark.parametrize(("hour", "day"), [(0, 26), (3, 26), (4, 27), (13, 27), (23, 27)])
def test_a_learning_day_changes_at_four_in_the_morning(hour: int, day: int) -> None:
    now = datetime(2024, 5, 27, hour, 30 if hour == 3 else 0, tzinfo=ZoneInfo(SHANGHAI))
    found = learning_day(now, SHANGHAI)
    assert found.day == date(2024, 5, day)
    assert found.holds(int(now.timestamp() * 1000))
    assert found.end_ms - found.first_ms == DAY


def test_another_hour_may_be_set() -> None:
    now = datetime(2024, 5, 27, 4, 30, tzinfo=ZoneInfo(SHANGHAI))
    assert learning_day(now, SHANGHAI, "05:00").day == date(2024, 5, 26)
    assert learning_day(now, SHANGHAI, "00:00").day == date(2024, 5, 27)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "UTC"])
def test_days_follow_one_another_without_a_gap_through_a_year_of_clock_changes(zone: str) -> None:
    now = datetime(2026, 1, 1, 0, 0, tzinfo=UTC)
    before = learning_day(now - timedelta(days=1), zone)
    for _ in range(366):
        found = learning_day(now, zone)
        assert (found.first_ms, found.day) == (before.end_ms, before.day + timedelta(days=1))
        assert found.holds(int(now.timestamp() * 1000))
        before, now = found, now + timedelta(days=1)


def test_a_day_that_a_zone_has_left_out_is_no_day_of_learning() -> None:
    """Samoa had no 30 December 2011."""
    found = learning_day(datetime(2011, 12, 30, 13, 0, tzinfo=UTC), "Pacific/Apia")  # 03:00 on the 31st
    assert found.day == date(2011, 12, 29) and found.holds(
        int(datetime(2011, 12, 30, 13, 0, tzinfo=UTC).timestamp() * 1000)
    )
    after = learning_day(datetime(2011, 12, 30, 14, 0, tzinfo=UTC), "Pacific/Apia")
    assert (after.day, after.first_ms) == (date(2011, 12, 31), found.end_ms)


# the queue


def test_a_card_is_due_on_its_whole_day_and_not_on_the_next() -> None:
    until_four = (TODAY.end_ms - NOW_MS) / DAY
    standings = [
        old("early", due_days=-1),
        old("tonight", due_days=until_four - 0.001),
        old("tomorrow", due_days=until_four),
    ]
    assert set(words(queue(standings, TODAY, NOW_MS).due)) == {"early", "tonight"}


def test_most_at_risk_comes_first_and_a_tie_is_broken_by_the_id() -> None:
    standings = [
        old("safe", last_days=-10, stability=100), old("risky", last_days=-10, stability=2),
        old("middle", last_days=-30, stability=20), old("same", last_days=-30, stability=20),
    ]  # fmt: skip
    found = words(queue(standings, TODAY, NOW_MS).due)
    assert found[0] == "risky" and found[3] == "safe"
    assert found[1:3] == sorted(found[1:3], key=card_id)
    assert words(queue(standings[::-1], TODAY, NOW_MS).due) == found
    assert overdueness(standings[2].remembered, NOW_MS) == pytest.approx(1.5)


def test_what_was_forgotten_today_comes_back_at_the_end_and_what_was_known_does_not() -> None:
    standings = [
        old("forgot late", last_days=-0.01, rating=FORGOT, due_days=0), old("due", due_days=-3),
        old("forgot", last_days=-0.1, rating=FORGOT, due_days=0), old("knew", last_days=-0.1, due_days=0),
        old("hard", last_days=-0.1, due_days=0, rating=HARD), old("forgot yesterday", last_days=-1, rating=FORGOT),
    ]  # fmt: skip
    found = queue(standings, TODAY, NOW_MS)
    assert words(found.due) == ["due", "forgot yesterday", "forgot", "forgot late"]
    assert (found.waiting, found.done_today) == (2, 4)


def test_only_cards_in_use_are_asked() -> None:
    states = [CardState.KNOWN, CardState.SUSPENDED, CardState.REMOVED]
    standings = [old(f"o{state}", state=state) for state in states] + [new(f"n{state}", state) for state in states]
    assert queue(standings, TODAY, NOW_MS).cards == ()


def test_a_stubborn_card_is_not_asked_and_does_not_come_back() -> None:
    standings = [
        old("due", lapses=6),
        old("just forgotten", last_days=-0.01, rating=FORGOT, lapses=6),
        old("five", lapses=5),
    ]
    found = queue(standings, TODAY, NOW_MS)
    assert (words(found.due), found.waiting) == (["five"], 1)


def test_new_words_come_in_their_order_up_to_the_days_quota() -> None:
    standings = [new(f"w{number}") for number in range(20)]
    assert words(queue(standings, TODAY, NOW_MS).new) == [f"w{number}" for number in range(10)]
    assert words(queue(standings, TODAY, NOW_MS, new_a_day=2).new) == ["w0", "w1"]
    begun = [old(f"b{number}", first_days=-0.1, last_days=-0.1, due_days=3) for number in range(7)]
    assert words(queue([*begun, *standings], TODAY, NOW_MS).new) == ["w0", "w1", "w2"]
    assert queue(standings, TODAY, NOW_MS, new_a_day=0).new == ()


def test_the_cap_is_of_due_cards_and_new_words_come_on_top() -> None:
    due = [old(f"d{number}") for number in range(30)]
    fresh = [new(f"w{number}") for number in range(20)]
    found = queue([*due, *fresh], TODAY, NOW_MS)
    assert (len(found.due), len(found.new), found.waiting, found.normal_by) == (30, 10, 30, None)
    done = [old(f"x{number}", last_days=-0.1, due_days=9) for number in range(10)]
    found = queue([*due, *done, *fresh], TODAY, NOW_MS)
    assert (len(found.due), len(found.new), found.done_today) == (20, 10, 10)
    assert len(queue(due, TODAY, NOW_MS, cap=5).due) == 5


def test_what_comes_back_does_not_use_up_the_cap() -> None:
    again = [old(f"a{number}", last_days=-0.1, rating=FORGOT) for number in range(3)]
    found = queue([*again, *(old(f"d{number}") for number in range(9))], TODAY, NOW_MS, cap=5)
    assert (len(found.due), words(found.due[2:])) == (5, sorted(words(found.due[2:]), key=card_id))


def test_no_new_word_is_begun_on_a_day_that_began_with_twice_the_cap() -> None:
    """Nor later on that day, when some of them are answered."""
    due = [old(f"d{number}") for number in range(61)]
    assert queue([*due, new("w")], TODAY, NOW_MS).new == ()
    assert words(queue([*due[:60], new("w")], TODAY, NOW_MS).new) == ["w"]
    answered = [old(f"x{number}", last_days=-0.1, due_days=9) for number in range(5)]
    assert queue([*due[:56], *answered, new("w")], TODAY, NOW_MS).new == ()
    begun = [old(f"b{number}", first_days=-0.1, last_days=-0.1, due_days=3) for number in range(5)]
    assert words(queue([*due[:56], *begun, new("w")], TODAY, NOW_MS).new) == ["w"]
    assert queue([new("w")], TODAY, NOW_MS, cap=0).new == ()


# after a holiday


def backlog(count: int) -> list[Standing]:
    return [
        old(f"word{number}", due_days=-8 + number / 10, last_days=-20 - number, stability=6) for number in range(count)
    ]


def test_after_a_holiday_thirty_of_thirty_eight_are_asked_and_wednesday_is_normal() -> None:
    """Monday 27 May: thirty today, eight on Tuesday, and Wednesday begins without a backlog."""
    found = queue(backlog(38), TODAY, NOW_MS)
    assert (found.waiting, len(found.due), found.cap, found.new) == (38, 30, 30, ())
    assert found.normal_by == date(2024, 5, 29)
    assert found.normal_by.strftime("%A") == "Wednesday"
    risk = {one.card.word: overdueness(one.remembered, NOW_MS) for one in backlog(38)}
    shown = [risk[one.word] for one in found.due]
    assert shown == sorted(shown, reverse=True) and min(shown) >= max(
        r for w, r in risk.items() if w not in words(found.due)
    )


def test_a_backlog_that_fits_into_the_day_is_none() -> None:
    assert queue(backlog(30), TODAY, NOW_MS).normal_by is None
    assert queue(backlog(31), TODAY, NOW_MS).normal_by == date(2024, 5, 29)


def test_what_comes_due_on_the_next_days_puts_the_end_off() -> None:
    tomorrow = [old(f"t{number}", due_days=1) for number in range(25)]
    assert queue([*backlog(38), *tomorrow], TODAY, NOW_MS).normal_by == date(2024, 5, 30)
    for_ever = [old(f"e{day} {number}", due_days=day) for day in range(1, 367) for number in range(30)]
    assert queue([*backlog(38), *for_ever], TODAY, NOW_MS).normal_by is None


def test_fewer_today_puts_the_end_off() -> None:
    assert queue(backlog(38), TODAY, NOW_MS, cap=10).normal_by == date(2024, 5, 31)
    assert queue(backlog(38), TODAY, NOW_MS, cap=0).normal_by is None


def test_a_day_of_learning_knows_its_ends() -> None:
    day = LearningDay(date(2024, 5, 27), 10, 20)
    assert [at for at in (9, 10, 19, 20) if day.holds(at)] == [10, 19]
