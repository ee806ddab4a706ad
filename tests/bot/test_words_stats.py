"""Sums over answers: a day of rest breaks no row, and only what was due says how well one remembers."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from bot.commands.words_stats import Streak, recalled, streak, year
from store.model import EntryID, Review

TODAY = date(2024, 5, 27)


def days(*back: int) -> set[date]:
    return {TODAY - timedelta(days=one) for one in back}


@pytest.mark.parametrize(
    ("learned", "row"),
    [
        ((), Streak(0, 0)),
        ((0,), Streak(1, 0)),
        ((1, 2, 3), Streak(3, 0)),
        ((0, 1, 2), Streak(3, 0)),
        ((0, 2, 3, 5), Streak(4, 2)),
        ((0, 1, 4, 5), Streak(2, 0)),
        ((2, 3), Streak(0, 0)),
        ((1, 3), Streak(2, 1)),
    ],
)
def test_a_row_bears_single_days_off_and_today_is_not_over(learned: tuple[int, ...], row: Streak) -> None:
    assert streak(days(*learned), TODAY) == row


def answer(card: str, back: int, rating: int) -> tuple[Review, date]:
    day = TODAY - timedelta(days=back)
    return Review(EntryID(f"{card}{back}"), EntryID(card), rating, 0), day


def test_only_the_first_answer_of_a_later_day_tells_what_was_remembered() -> None:
    told = [
        answer("a", 40, 3), answer("a", 31, 1), answer("a", 20, 3), answer("a", 20, 1), answer("b", 9, 1),
        answer("b", 9, 3), answer("b", 8, 1), answer("a", 2, 2),
    ]  # fmt: skip
    tries, on = zip(*told, strict=True)
    assert recalled(tries, on, TODAY - timedelta(days=29)) == (2, 3)
    assert recalled((), (), TODAY) == (0, 0)


def test_a_year_ends_today_and_leaves_out_what_is_older_or_to_come() -> None:
    picture = year([TODAY, TODAY, TODAY - timedelta(days=1), date(2020, 1, 1), date(2031, 1, 1)], TODAY, "zh")
    assert (picture.last, picture.lang) == ("2024-05-27", "zh")
    assert picture.counts[-2:] == (1, 2)
    assert sum(picture.counts) == 3
    assert len(picture.counts) == 7 * 52 + 1, "a Monday"
