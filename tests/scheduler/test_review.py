"""What reviews make of a card: the known answers of FSRS 6.3, Anki's own, and that order and repetition mean nothing."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.review import (
    EASY,
    FORGOT,
    HARD,
    KNEW,
    LABEL,
    PARAMETERS,
    Engine,
    NotInstalled,
    Phase,
    Remembered,
    _scheduler,
    after,
    is_stubborn,
    packed,
    recall_chance,
    replay,
    unpacked,
)
from store.changes import canonical
from store.model import EntryID, Review, ReviewKind

NOW = 1716775200000
MINUTE, DAY = 60_000, 86_400_000
CARD = EntryID("0" * 26)
PLAIN = Engine()


def answer(rating: int, at_ms: int, *, device: str = "", name: str = "") -> Review:
    return Review(EntryID(name or f"{at_ms:026d}"), CARD, rating, at_ms, device=device)


def gaps(ratings: Sequence[int], days: Sequence[int]) -> list[Review]:
    """Each so many days after the one before; ten minutes where that is none."""
    made, at = [], NOW
    for number, (rating, gap) in enumerate(zip(ratings, days, strict=True)):
        at += gap * DAY if gap or not number else 10 * MINUTE
        made.append(answer(rating, at))
    return made


# the known answers


def test_thirteen_answers_give_the_intervals_that_everybody_has() -> None:
    """Each on the day it is due. They hold for these parameters alone: 6.0 and 6.1 of the library give others."""
    now, intervals = Remembered(), []
    at = NOW
    for rating in [KNEW] * 6 + [FORGOT] * 2 + [KNEW] * 5:
        now = after(now, rating, at, PLAIN)
        intervals.append((now.due_ms - at) // DAY)
        at = now.due_ms
    assert intervals == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]


def test_one_forgotten_and_five_known_give_the_memory_that_everybody_has() -> None:
    now = replay(gaps([FORGOT, *[KNEW] * 5], [0, 0, 1, 3, 8, 21]), PLAIN)
    assert (round(now.stability, 4), round(now.difficulty, 4)) == (53.6269, 6.3575)
    assert (now.phase, now.reps, now.lapses) == (Phase.REVIEW, 6, 0)


@pytest.mark.parametrize(("rating", "stability"), [(FORGOT, 0.212), (HARD, 1.2931), (KNEW, 2.3065), (EASY, 8.2956)])
def test_the_first_answer_is_in_the_parameters(rating: int, stability: float) -> None:
    assert after(Remembered(), rating, NOW, PLAIN).stability == stability


def test_the_parameters_are_those_of_the_library_as_it_is_pinned() -> None:
    """Written out, they outlive an upgrade; this says that an upgrade has changed them."""
    assert tuple(pytest.importorskip("fsrs.scheduler").DEFAULT_PARAMETERS) == PARAMETERS


def test_a_card_is_due_on_the_day_at_which_nine_of_ten_would_be_known() -> None:
    now = replay(gaps([KNEW, KNEW, KNEW], [0, 1, 3]), PLAIN)
    assert recall_chance(now, now.due_ms, PLAIN) == pytest.approx(0.9, abs=0.01)
    assert recall_chance(now, now.last_ms, PLAIN) == 1
    assert recall_chance(Remembered(), NOW, PLAIN) == 0


# Anki


@pytest.fixture
def anki(tmp_path: Path) -> Any:
    pytest.importorskip("anki", reason="the package `anki` is an oracle in development only (AGPL)")
    from anki.collection import Collection

    collection = Collection(str(tmp_path / "oracle.anki2"))
    collection.set_config("fsrs", True)
    yield collection
    collection.close()


def theirs(collection: Any, reviews: Sequence[Review]) -> tuple[float, float]:
    note = collection.new_note(collection.models.by_name("Basic"))
    note["Front"] = "x"
    collection.add_note(note, 1)
    card = note.cards()[0]
    for number, one in enumerate(reviews):
        collection.db.execute(
            "INSERT INTO revlog(id, cid, usn, ease, ivl, lastIvl, factor, time, type) VALUES(?, ?, -1, ?, 1, 1, 2500, 1000, ?)",
            one.at_ms + card.id % 1000, card.id, one.rating, 0 if number == 0 else 1,
        )  # fmt: skip
    card.type = card.queue = 2
    card.ivl, card.reps = 10, len(reviews)
    collection.update_card(card)
    state = collection.compute_memory_state(card.id)
    return state.stability, state.difficulty


def test_anki_works_out_the_same_memory(anki: Any) -> None:
    luck = random.Random(6)
    for _ in range(40):
        count = luck.randint(1, 9)
        days = [0, *(luck.choice([0, 1, 1, 2, 5, 20, 90]) for _ in range(count - 1))]
        reviews = gaps([luck.choice([1, 2, 3, 3, 4]) for _ in days], days)
        ours = replay(reviews, PLAIN)
        assert theirs(anki, reviews) == pytest.approx((ours.stability, ours.difficulty), rel=1e-4), reviews


# order, repetition, taking apart


HISTORIES = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.sampled_from([0, MINUTE, DAY, 3 * DAY, 70 * DAY, -25 * 60 * MINUTE]),
        st.sampled_from("abc"),
    ),
    max_size=12,
)


def history(parts: Sequence[tuple[int, int, str]]) -> list[Review]:
    """Clocks may go back, and two devices may answer in one millisecond."""
    made, at = [], NOW
    for number, (rating, gap, device) in enumerate(parts):
        at += gap
        made.append(answer(rating, at, device=device, name=f"{number:026d}"))
    return made


@given(HISTORIES, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_card(parts: list[tuple[int, int, str]], luck: random.Random) -> None:
    reviews = history(parts)
    shuffled = luck.sample(reviews, len(reviews))
    assert replay(shuffled, PLAIN) == replay(reviews, PLAIN)


@given(HISTORIES)
def test_one_answer_more_is_the_replay_with_it(parts: list[tuple[int, int, str]]) -> None:
    """The labels on four buttons and the memory after a tap are one thing. What was kept as text goes on as well."""
    now = Remembered()
    for number, one in enumerate(sorted(history(parts), key=lambda r: (r.at_ms, r.device, r.id)), start=1):
        now = after(unpacked(packed(now)), one.rating, one.at_ms, PLAIN)
        assert now == replay(sorted(history(parts), key=lambda r: (r.at_ms, r.device, r.id))[:number], PLAIN)


def test_what_is_kept_as_text_is_read_back() -> None:
    for now in (Remembered(), Remembered(reps=3), replay(gaps([1, 3, 3, 1], [0, 1, 5, 9]), PLAIN)):
        assert unpacked(packed(now)) == now


def test_a_clock_that_went_back_counts_as_the_same_day() -> None:
    now = replay([answer(KNEW, NOW), answer(KNEW, NOW - 25 * 60 * MINUTE, device="b")], PLAIN)
    assert now.last_ms == NOW and now.reps == 2


@pytest.mark.parametrize("at_ms", [0, (1 << 48) - 1])
def test_no_moment_is_too_far_away(at_ms: int) -> None:
    now = replay([answer(EASY, at_ms, name="a" * 26), answer(EASY, NOW, name="b" * 26)], PLAIN)
    assert now.reps == 2 and now.due_ms > 0
    assert 0 <= recall_chance(now, (1 << 48) - 1, PLAIN) <= 1


# from the beginning


def test_from_the_beginning_is_a_new_card_that_knows_how_often_it_was_asked() -> None:
    before = gaps([KNEW, KNEW, FORGOT], [0, 5, 9])
    reset = replace(answer(0, NOW + 20 * DAY), kind=ReviewKind.RESET)
    assert replay([*before, reset], PLAIN) == Remembered(reps=3)
    again = replay([*before, reset, answer(KNEW, NOW + 21 * DAY)], PLAIN)
    fresh = replay([answer(KNEW, NOW + 21 * DAY)], PLAIN)
    assert again == replace(fresh, reps=4)


def test_an_answer_of_another_program_counts_as_one_of_ours() -> None:
    reviews = gaps([KNEW, EASY], [0, 4])
    assert replay([replace(one, kind=ReviewKind.IMPORT) for one in reviews], PLAIN) == replay(reviews, PLAIN)


# stubborn cards


def test_six_lapses_make_a_card_stubborn() -> None:
    ratings = [KNEW, KNEW, *[FORGOT, *[KNEW] * 4] * 6]
    reviews = gaps(ratings, [0, *[30] * (len(ratings) - 1)])
    lapses = [number for number, rating in enumerate(ratings, start=1) if rating == FORGOT]
    assert not is_stubborn(reviews[: lapses[5] - 1])
    assert is_stubborn(reviews[: lapses[5]])
    assert replay(reviews, PLAIN).lapses == 6
    assert not is_stubborn([*reviews, replace(answer(0, NOW + 9999 * DAY), kind=ReviewKind.RESET)])


def test_four_lapses_within_ten_answers_make_a_card_stubborn_and_a_fifth_further_back_does_not() -> None:
    dense = [KNEW, KNEW, *[FORGOT, KNEW, KNEW] * 4]
    assert is_stubborn(gaps(dense[:12], [0, *[30] * 11]))
    assert not is_stubborn(gaps(dense[:11], [0, *[30] * 10]))
    sparse = [KNEW, KNEW, *[FORGOT, KNEW, KNEW, KNEW] * 4]
    assert not is_stubborn(gaps(sparse, [0, *[30] * (len(sparse) - 1)]))


def test_forgetting_a_word_that_is_still_being_learned_is_no_lapse() -> None:
    assert replay(gaps([FORGOT] * 8, [0] * 8), PLAIN).lapses == 0


# the engine


def test_an_engine_goes_through_the_settings_and_comes_back() -> None:
    own = Engine(retention=0.85, steps_s=(60,), steps_again_s=(), parameters=(0.3, *PARAMETERS[1:]))
    for engine in (PLAIN, own):
        text = canonical(engine.to_json())
        assert Engine.from_json(json.loads(text)) == engine
    assert own.name != PLAIN.name == Engine().name
    now = replay(gaps([KNEW] * 3, [0, 1, 3]), replace(PLAIN, retention=0.8))
    assert now.due_ms > replay(gaps([KNEW] * 3, [0, 1, 3]), PLAIN).due_ms


@pytest.mark.parametrize("change", [
    {"engine": "fsrs-7"}, {"engine": 5}, {"parameters": []}, {"parameters": ["x"] * 21}, {"parameters": [0.2] * 21},
    {"parameters": ["nan"] * 21}, {"parameters": ["1e9"] * 21}, {"retention": "1.5"}, {"retention": "nan"},
    {"retention": 0.9}, {"retention": None}, {"steps": "x"}, {"steps": [0]}, {"steps": [10**9]}, {"steps": [60] * 11},
    {"steps": [True]}, {"again": None},
], ids=str)  # fmt: skip
def test_settings_of_another_version_are_no_engine_of_ours(change: dict[str, Any]) -> None:
    assert Engine.from_json({**PLAIN.to_json(), **change}) is None
    assert Engine.from_json(None) is None and Engine.from_json([LABEL]) is None


def test_without_the_extra_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _scheduler.cache_clear()
    monkeypatch.setitem(sys.modules, "fsrs", None)
    with pytest.raises(NotInstalled) as missing:
        replay([], PLAIN)
    assert (missing.value.code, missing.value.facts) == ("error-no-extra", {"name": "FSRS", "extra": "learn"})
    _scheduler.cache_clear()
