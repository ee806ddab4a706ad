"""What was said often enough: groups, scores and verdicts, the same whatever the order."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.phrases.settled import negations
from scheduler.promotion import PROPOSED, Saying, Verdict, _Shape, groups, judge, score_of
from store.text import alike, flat

NIGHT = date(2024, 5, 27)


def said(text: str, days_ago: int, *, number: int = 0, for_good: bool = False, importance: int | None = None) -> Saying:
    day = NIGHT - timedelta(days=days_ago)
    at_ms = int(datetime(day.year, day.month, day.day, 9, number, tzinfo=UTC).timestamp() * 1000)
    name = f"{alike(text)}-{days_ago}-{number}"
    return Saying(name, text, flat(text), alike(text), day, at_ms, for_good, importance, negations(flat(text)))


def verdict(*sayings: Saying) -> Verdict:
    (judged,) = judge(sayings, NIGHT)
    return judged.verdict


KEY = "the spare key hangs behind the blue door"


@pytest.mark.parametrize(
    ("days_ago", "wanted"),
    [
        ((6, 4, 1), Verdict.REPEATED),
        ((2, 1, 1), Verdict.REPEATED),
        ((1, 1, 1), Verdict.NEARLY),
        ((3, 1), Verdict.NEARLY),
        ((3,), Verdict.LEFT),
        ((200, 100, 1), Verdict.REPEATED),
    ],
    ids=str,
)
def test_three_times_on_two_days(days_ago: tuple[int, ...], wanted: Verdict) -> None:
    assert verdict(*(said(KEY, ago, number=number) for number, ago in enumerate(days_ago))) is wanted


def test_twice_is_enough_where_much_speaks_for_it() -> None:
    assert verdict(said(KEY, 8), said(KEY, 1)) is Verdict.SCORED
    assert verdict(said(KEY, 5), said(KEY, 1)) is Verdict.NEARLY
    assert verdict(said(KEY, 5, importance=790), said(KEY, 1)) is Verdict.SCORED
    assert verdict(said(KEY, 1, importance=1000, number=1), said(KEY, 1)) is Verdict.NEARLY


def test_once_is_enough_for_what_says_that_it_lasts() -> None:
    assert verdict(said(KEY, 1, for_good=True)) is Verdict.FOR_GOOD


def test_a_score_can_be_anything_between() -> None:
    """No signal that is missing stands for a middle: a score that is the same for all decides nothing."""
    scores = [
        score_of(one.group, NIGHT)
        for some in (
            [said(KEY, 1)],
            [said(KEY, 13)],
            [said(KEY, 8), said(KEY, 1)],
            [said(KEY, n) for n in range(1, 9)],
            [said(KEY, 8, importance=1000), said(KEY, 4), said(KEY, 1)],
        )
        for one in judge(some, NIGHT)
    ]
    assert len(set(scores)) == len(scores) and min(scores) < 0.4 and max(scores) > 0.8


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("the spare key hangs behind the blue door", "The spare key hangs behind the blue door!", True),
        ("the spare key hangs behind the blue door", "the spare key hangs behind that blue door", True),
        ("中午推送就好，晚上别打扰", "中午推送就好，晚上别打扰。", True),
        ("the spare key hangs behind the blue door", "the car key hangs in the kitchen by the window", False),
        ("the big meeting room on our floor is 302", "the big meeting room on our floor is 303", False),
        ("deploy to production after the review on the main branch", "do not deploy to production after the review on the main branch", False),
        ("晚上的推送要打扰我，没关系的，请照常发", "晚上的推送不要打扰我，没关系的，请照常发", False),
    ],
)  # fmt: skip
def test_near_duplicates_are_one_but_other_numbers_and_a_not_are_not(one: str, other: str, together: bool) -> None:
    assert len(groups([said(one, 3), said(other, 1)])) == (1 if together else 2)


def test_the_oldest_stands_for_all() -> None:
    (group,) = groups([said(KEY, 1), said(KEY, 5), said(KEY, 3)])
    assert [one.day for one in group.sayings] == [NIGHT - timedelta(days=n) for n in (5, 3, 1)]


texts = st.sampled_from(
    [
        KEY,
        KEY + " too",
        "中午推送就好，晚上别打扰",
        "中午推送就好，晚上别打扰吧",
        "room 302 is ours",
        "room 303 is ours",
    ]
)
sayings = st.lists(
    st.builds(said, texts, st.integers(1, 20), number=st.integers(0, 59), for_good=st.booleans()),
    max_size=12,
    unique_by=lambda one: one.id,
)


@given(sayings, st.randoms(use_true_random=False))
def test_the_order_they_come_in_changes_nothing(some: list[Saying], random: object) -> None:
    shuffled = list(some)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert judge(some, NIGHT) == judge(shuffled, NIGHT)


@given(sayings)
def test_every_saying_is_in_one_group_and_scores_are_shares(some: list[Saying]) -> None:
    judged = judge(some, NIGHT)
    assert sorted(one.id for each in judged for one in each.group.sayings) == sorted(one.id for one in some)
    assert all(0 <= each.score <= 1 for each in judged)
    lonely = [each for each in judged if each.group.times == 1 and not each.group.first.for_good]
    assert not [each for each in lonely if each.verdict in PROPOSED]


words = st.lists(st.sampled_from("spare key hangs behind the blue door again today".split()), min_size=1, max_size=9)
lines = st.lists(
    st.builds(lambda some, ago: said(" ".join(some), ago), words, st.integers(1, 20)),
    max_size=12,
    unique_by=lambda one: one.id,
)


@given(lines)
def test_looking_only_at_what_shares_rare_pieces_misses_nothing(some: list[Saying]) -> None:
    firsts: list[Saying] = []
    known: dict[str, int] = {}
    for one in sorted(some, key=lambda one: (one.at_ms, one.id)):
        if not any(
            one.same == other.same or _Shape.of(one, known).is_like(_Shape.of(other, known)) for other in firsts
        ):
            firsts.append(one)
    assert [group.first for group in groups(some)] == firsts
