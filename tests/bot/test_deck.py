"""The deck of a day: cards and schedule together, on one device and on several that have not met."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import words_leaving
from bot.deck import CLOCK_AHEAD_MS, DAY_STARTS, ENGINE, Deck
from bot.habits import habits
from scheduler.review import FORGOT, KNEW, Engine, Phase, Remembered
from store import cards
from store.errors import StoreBusy
from store.foreign import Foreign
from store.memory import Memory
from store.model import Card, CardState, Review, ReviewKind
from store.projection import project
from store.view import View
from store.writer import Writer
from tests.store.effort import COSTLY
from tests.store.memories import DEVICE, LIN, Box, empty_database, hear, writing
from tests.store.snapshot import snapshot

NOW = datetime(2024, 5, 27, 5, 0, tzinfo=UTC)  # 13:00 in Shanghai
ZONE = "Asia/Shanghai"
WORD, OTHER = cards.card_id("serendipity"), cards.card_id("paradigm")
LAPTOP, PHONE, SERVER = (bytes([number]) * 16 for number in (1, 2, 3))
TODAY = "2024-05-27"


@pytest.fixture
def writer() -> Iterator[Writer]:
    conn = empty_database()
    with writing(conn, now_ms=int(NOW.timestamp() * 1000)) as made:
        yield made
    conn.close()


def deck(view: View, now: datetime = NOW) -> Deck:
    return Deck(view, now, ZONE, habits(view))


def add(writer: Writer, *words: str) -> list[Card]:
    return [cards.add_card(writer, word, by=LIN, at_ms=writer.now_ms)[0] for word in words]


def answer(writer: Writer, card: str, rating: int, now: datetime = NOW) -> Review | None:
    one = deck(writer, now)
    return one.grade(writer, card, rating, slot=one.slot, attempt=one.attempt(card), by=LIN)


def learned(writer: Writer, card: str = WORD, *, days_ago: int = 30) -> Remembered:
    """Known three times in a row, each time when it was due."""
    now = NOW - timedelta(days=days_ago)
    for _ in range(3):
        answer(writer, card, KNEW, now)
        found = deck(writer, now).remembered(card)
        now = datetime.fromtimestamp(found.due_ms / 1000, UTC) + timedelta(seconds=1)
    return found


def words(found: tuple[Card, ...] | list[Card]) -> list[str]:
    return [one.word for one in found]


# one device


def test_a_new_word_is_asked_answered_and_put_off(writer: Writer) -> None:
    add(writer, "serendipity")
    one = deck(writer)
    assert (words(one.queue().new), one.queue().due, one.slot) == (["serendipity"], (), TODAY)
    assert one.remembered(WORD) == Remembered()
    made = one.grade(writer, WORD, KNEW, slot=one.slot, attempt=1, by=LIN, took_ms=2500)
    assert made is not None and (made.rating, made.took_ms, made.zone, made.device) == (
        KNEW,
        2500,
        ZONE,
        DEVICE[:8].hex(),
    )
    assert one.queue().cards == () and one.queue().done_today == 1
    assert one.remembered(WORD) == deck(writer).remembered(WORD)
    tomorrow = deck(writer, NOW + timedelta(days=1))
    assert words(tomorrow.queue().due) == ["serendipity"]


def test_what_was_forgotten_comes_back_as_another_question(writer: Writer) -> None:
    add(writer, "serendipity", "paradigm")
    answer(writer, WORD, FORGOT)
    one = deck(writer)
    assert words(one.queue().due) == ["serendipity"]
    assert (one.attempt(WORD), one.attempt(OTHER)) == (2, 1)
    answer(writer, WORD, KNEW)
    assert words(deck(writer).queue().due) == []


def test_a_question_has_one_answer_whenever_the_taps_come(writer: Writer) -> None:
    add(writer, "serendipity")
    one = deck(writer)
    assert one.answered(WORD, TODAY, 1) is None
    assert one.grade(writer, WORD, FORGOT, slot=TODAY, attempt=1, by=LIN) is not None
    late = deck(writer, NOW + timedelta(days=1, hours=3))
    assert late.grade(writer, WORD, KNEW, slot=TODAY, attempt=1, by=LIN) is None
    found = late.answered(WORD, TODAY, 1)
    assert found is not None and found.rating == FORGOT
    assert late.remembered(WORD).reps == 1


def test_a_late_tap_on_yesterdays_card_counts_at_the_moment_of_the_tap(writer: Writer) -> None:
    add(writer, "serendipity")
    late = deck(writer, NOW + timedelta(days=1))
    late.grade(writer, WORD, KNEW, slot=TODAY, attempt=1, by=LIN)
    assert late.remembered(WORD).last_ms == int((NOW + timedelta(days=1)).timestamp() * 1000)
    assert late.queue().done_today == 1 and late.attempt(WORD) == 1


def test_taking_an_answer_back_is_as_if_it_had_not_been_given(writer: Writer) -> None:
    add(writer, "serendipity")
    before = learned(writer)
    one = deck(writer)
    made = one.grade(writer, WORD, FORGOT, slot=TODAY, attempt=one.attempt(WORD), by=LIN)
    assert made is not None and one.remembered(WORD).phase is Phase.RELEARNING
    assert one.undo(writer, made.id, by=LIN) == made
    assert one.remembered(WORD) == before == deck(writer).remembered(WORD)
    assert one.undo(writer, made.id, by=LIN) is None and one.undo(writer, "0" * 26, by=LIN) is None
    assert one.attempt(WORD) == 2, "the question is asked again as another one"


def test_labels_on_buttons_are_what_the_answers_will_do(writer: Writer) -> None:
    add(writer, "serendipity")
    learned(writer)
    one = deck(writer)
    for rating in (1, 2, 3, 4):
        said = one.after(WORD, rating)
        event = one.grade(writer, WORD, rating, slot=TODAY, attempt=one.attempt(WORD), by=LIN)
        assert one.remembered(WORD) == said and event is not None
        one.undo(writer, event.id, by=LIN)
    assert 0 < one.chance(WORD) < 1 and one.chance(OTHER) == 0


@pytest.mark.parametrize(("moved", "rating"), [(-timedelta(hours=1), KNEW), (timedelta(days=60), KNEW)])
def test_an_early_and_a_very_late_answer_count_from_their_own_moment(
    writer: Writer, moved: timedelta, rating: int
) -> None:
    """Case B45: due 11:30 and answered 10:30; sixty days overdue and known."""
    add(writer, "serendipity")
    before = learned(writer)
    at = datetime.fromtimestamp(before.due_ms / 1000, UTC) + moved
    assert answer(writer, WORD, rating, at) is not None
    now = deck(writer, at).remembered(WORD)
    assert now.reps == before.reps + 1
    assert now.due_ms > int(at.timestamp() * 1000) + 86_400_000
    assert deck(writer, at + timedelta(hours=1)).queue().due == ()
    assert now.stability > before.stability


def test_the_day_begins_when_the_settings_say(writer: Writer) -> None:
    night = datetime(2024, 5, 27, 2, 30, tzinfo=UTC).astimezone(UTC) - timedelta(hours=8)  # 02:30 in Shanghai
    assert deck(writer, night).slot == "2024-05-26"
    writer.set("settings", DAY_STARTS, "02:00", by=LIN)
    assert deck(writer, night).slot == TODAY
    writer.set("settings", DAY_STARTS, "25:00", by=LIN)
    assert deck(writer, night).slot == "2024-05-26"


def test_a_stubborn_card_waits_for_a_person_and_may_begin_anew(writer: Writer) -> None:
    add(writer, "serendipity")
    now = NOW - timedelta(days=900)
    while not deck(writer, now).remembered(WORD).is_stubborn:
        found = deck(writer, now).remembered(WORD)
        answer(writer, WORD, FORGOT if found.phase is Phase.REVIEW else KNEW, now)
        now += timedelta(days=1)
    one = deck(writer)
    assert words(one.stubborn()) == ["serendipity"] and one.queue().cards == ()
    asked = one.remembered(WORD).reps
    (event,) = one.reset(writer, [WORD], by=LIN)
    assert (event.kind, one.stubborn(), words(one.queue().new)) == (ReviewKind.RESET, [], ["serendipity"])
    assert one.remembered(WORD) == Remembered(reps=asked)
    cards.set_card(writer, WORD, by=LIN, state=CardState.SUSPENDED)
    assert deck(writer).queue().cards == ()


# the engine, and what was worked out


def test_another_engine_makes_other_days_at_once_and_for_every_card(writer: Writer) -> None:
    add(writer, "serendipity")
    before = learned(writer)
    writer.set("settings", ENGINE, Engine(retention=0.7).to_json(), by=LIN)
    after = deck(writer).remembered(WORD)
    assert after.due_ms > before.due_ms and after.reps == before.reps
    writer.set("settings", ENGINE, None, by=LIN)
    assert deck(writer).remembered(WORD) == before and not deck(writer).engine_is_foreign


def test_an_engine_of_another_version_is_named_and_left_alone(writer: Writer) -> None:
    add(writer, "serendipity")
    before = learned(writer)
    writer.set("settings", ENGINE, {"engine": "fsrs-7", "parameters": []}, by=LIN)
    one = deck(writer)
    assert one.engine_is_foreign and one.remembered(WORD) == before


def test_what_was_worked_out_is_kept_and_is_never_older_than_the_reviews(writer: Writer) -> None:
    add(writer, "serendipity", *(f"word{number}" for number in range(80)))
    learned(writer)
    first = deck(writer)
    before = first.standings()
    name = first.engine.name
    assert cards.remembered(writer, name).keys() == {one.id for one in first.cards()}
    assert deck(writer).standings() == before
    writer.conn.execute("DELETE FROM card_memory")
    assert deck(View(writer.conn)).standings() == before, "who only reads works it out, too"
    assert cards.remembered(writer, name) == {}
    deck(writer).cards()
    answer(writer, WORD, FORGOT)
    assert deck(writer).remembered(WORD).phase is Phase.RELEARNING


def test_where_nothing_can_be_stored_the_deck_is_read_all_the_same(writer: Writer) -> None:
    add(writer, "serendipity")
    refusing = Writer(
        writer.conn, now_ms=writer.now_ms, device=writer.device, entropy=writer._entropy, commit=writer._commit,
        refusal=StoreBusy(),
    )  # fmt: skip
    before = writer.conn.total_changes
    assert words(deck(refusing).queue().new) == ["serendipity"]
    assert writer.conn.total_changes == before
    with pytest.raises(StoreBusy):
        answer(refusing, WORD, KNEW)


# clocks


def test_an_answer_of_a_clock_that_is_a_year_ahead_does_not_hide_the_card_for_years(writer: Writer) -> None:
    add(writer, "serendipity")
    before = learned(writer)
    year = NOW + timedelta(days=366)
    answer(writer, WORD, KNEW, year)
    assert deck(writer).remembered(WORD) == before, "its time has not come"
    assert cards.remembered(writer, Engine().name) == {}
    assert deck(writer, year).remembered(WORD).reps == before.reps + 1
    soon = NOW + timedelta(milliseconds=CLOCK_AHEAD_MS)
    answer(writer, OTHER, KNEW, soon)
    assert deck(writer).remembered(OTHER).reps == 1, "a clock that is a few hours ahead is no reason"


def test_what_was_worked_out_by_a_clock_that_is_a_year_ahead_is_not_believed(writer: Writer) -> None:
    add(writer, "serendipity", "paradigm")
    before, year = learned(writer), NOW + timedelta(days=366)
    learned(writer, OTHER)
    answer(writer, WORD, KNEW, year)
    one = deck(writer, year)
    one.reset(writer, [OTHER], by=LIN)
    assert one.remembered(OTHER).phase is Phase.NEW and one.remembered(WORD) != before
    assert deck(writer).remembered(WORD) == before
    assert deck(writer).remembered(OTHER).phase is not Phase.NEW
    assert deck(writer, year).remembered(OTHER).phase is Phase.NEW, "its time has come"


def test_a_clock_that_goes_back_costs_no_answer(writer: Writer) -> None:
    add(writer, "serendipity")
    answer(writer, WORD, FORGOT)
    answer(writer, WORD, KNEW, NOW - timedelta(hours=25))
    assert deck(writer).remembered(WORD).reps == 2


# days


def test_a_card_is_due_on_a_learning_day_which_begins_when_the_person_says(writer: Writer) -> None:
    add(writer, "serendipity", "paradigm")
    answer(writer, OTHER, KNEW)
    night = NOW.replace(hour=18)  # two in the morning of the 28th in Shanghai
    answer(writer, WORD, KNEW, night)
    one = deck(writer, night)
    assert (one.slot, str(one.due_day(WORD)), str(one.due_day(OTHER))) == (TODAY, "2024-05-28", "2024-05-28")
    assert str(deck(writer, NOW + timedelta(days=5)).due_day(WORD)) == "2024-05-28"
    now_ms = int(night.timestamp() * 1000)
    table = words_leaving.written(writer, ".csv", zone=ZONE, lang="en", now_ms=now_ms, define=lambda word: None)
    assert table.data.count(b",2024-05-28,1") == 2, "a table says the same"
    writer.set("settings", DAY_STARTS, "01:00", by=LIN)
    assert deck(writer, night).slot == "2024-05-28"


# several devices


@pytest.fixture
async def devices(tmp_path: Path) -> AsyncIterator[tuple[Memory, Memory]]:
    laptop, phone = Box(tmp_path / "laptop", device=LAPTOP), Box(tmp_path / "phone", seed="phone", device=PHONE)
    async with laptop.opened() as one, phone.opened() as other:
        yield one, other


async def meet(laptop: Memory, phone: Memory) -> None:
    await hear(laptop, phone, PHONE)
    await hear(phone, laptop, LAPTOP)


async def test_all_cards_begun_anew_here_and_an_answer_there_are_both_there(devices: tuple[Memory, Memory]) -> None:
    """Case B46: the phone answers while the laptop, which has not heard of it, begins everything anew."""
    laptop, phone = devices
    await laptop.turn(lambda writer: (add(writer, "serendipity", "paradigm"), learned(writer)))
    await meet(laptop, phone)
    await phone.turn(lambda writer: answer(writer, WORD, FORGOT, NOW + timedelta(hours=1)))
    later = NOW + timedelta(hours=2)
    await laptop.turn(lambda writer: deck(writer, later).reset(writer, [WORD, OTHER], by=LIN))
    await meet(laptop, phone)
    for memory in devices:
        events = await memory.read(lambda view: cards.events(view, WORD))
        assert [one.kind for one in events] == [*[ReviewKind.ANSWER] * 4, ReviewKind.RESET]
        found = await memory.read(lambda view: deck(view, later).remembered(WORD))
        assert found == Remembered(reps=4), "every answer of the log is counted"
    await phone.turn(lambda writer: answer(writer, WORD, KNEW, NOW + timedelta(hours=3)))
    await meet(laptop, phone)
    first, second = [await memory.read(lambda view: deck(view, later).remembered(WORD)) for memory in devices]
    assert first == second and (first.reps, first.phase) == (5, Phase.LEARNING)


async def test_the_same_button_on_two_devices_is_one_answer_the_earlier_one(devices: tuple[Memory, Memory]) -> None:
    laptop, phone = devices
    await laptop.turn(lambda writer: add(writer, "serendipity"))
    await meet(laptop, phone)
    await laptop.turn(lambda writer: answer(writer, WORD, KNEW, NOW + timedelta(minutes=5)))
    await phone.turn(lambda writer: answer(writer, WORD, FORGOT, NOW))
    await meet(laptop, phone)
    for memory in devices:
        (only,) = await memory.read(lambda view: cards.reviews(view, WORD))
        assert (only.rating, only.device) == (FORGOT, PHONE[:8].hex())
        await memory.rebuild()
        assert await memory.read(lambda view: cards.reviews(view, WORD)) == [only]


async def test_an_answer_taken_back_on_both_devices_is_taken_back_once(devices: tuple[Memory, Memory]) -> None:
    laptop, phone = devices
    await laptop.turn(lambda writer: (add(writer, "serendipity"), answer(writer, WORD, FORGOT)))
    await meet(laptop, phone)
    event = cards.answer_id(WORD, TODAY, 1)
    for memory in devices:
        assert await memory.turn(lambda writer: deck(writer).undo(writer, event, by=LIN))
    await phone.turn(lambda writer: answer(writer, WORD, KNEW))
    await meet(laptop, phone)
    for memory in devices:
        assert [one.rating for one in await memory.read(lambda view: cards.reviews(view, WORD))] == [KNEW]
        assert len(await memory.read(lambda view: cards.events(view, WORD))) == 3


def anything(writer: Writer, luck: random.Random) -> None:
    """One thing that a person does with one of three words, at some moment by some clock."""
    now = NOW + timedelta(minutes=luck.randint(-40_000, 40_000))
    one = deck(writer, now)
    word = luck.choice(["serendipity", "paradigm", "naïve"])
    card = cards.card_id(word)
    match luck.randrange(8):
        case 0:
            cards.add_card(writer, word, by=LIN, at_ms=writer.now_ms, meaning=luck.choice(["", "x"]))
        case 1:
            cards.set_card(writer, card, by=LIN, state=luck.choice(list(CardState)))
        case 2 if events := cards.events(writer, card):
            one.undo(writer, luck.choice(events).id, by=LIN)
        case 3:
            one.reset(writer, [card], by=LIN)
        case _:
            slot = luck.choice([one.slot, TODAY])
            one.grade(
                writer, card, luck.randint(1, 4), slot=slot, attempt=luck.choice([1, one.attempt(card, slot)]), by=LIN
            )


async def outcome(memory: Memory) -> object:
    at = NOW + timedelta(days=60)
    return await memory.read(lambda view: (deck(view, at).standings(), cards.all_reviews(view), deck(view, at).queue()))


@pytest.mark.parametrize("seed", range(6))
async def test_devices_that_hear_of_one_another_in_any_order_have_the_same_cards(tmp_path: Path, seed: int) -> None:
    luck = random.Random(seed)
    async with AsyncExitStack() as stack:
        boxes = [Box(tmp_path / f"{n}", seed=f"{n}", device=id_) for n, id_ in enumerate((LAPTOP, PHONE, SERVER))]
        memories = [await stack.enter_async_context(box.opened()) for box in boxes]

        async def pass_on(most: int) -> None:
            for memory in memories:
                coming = [
                    Foreign(item.doc, item.change.data, other.device)
                    for other, theirs in zip(boxes, memories, strict=True)
                    if theirs is not memory
                    for item in await theirs.changes_after(0, -1)
                    if item.origin == "own"
                ]
                coming = luck.sample(coming, min(most, len(coming)))
                while coming:
                    size = luck.randint(1, len(coming))
                    assert not await memory.receive([*coming[:size], *coming[:1]], {})
                    coming = coming[size:]

        for _ in range(5):
            for memory in memories:
                for _ in range(luck.randint(0, 4)):
                    await memory.turn(lambda writer: anything(writer, luck))
            await pass_on(luck.randint(0, 9))
        await pass_on(10**6)
        first, *others = [await outcome(memory) for memory in memories]
        assert all(other == first for other in others)
        for box, memory in zip(boxes, memories, strict=True):
            before = snapshot(box.path)
            await memory.rebuild()
            assert snapshot(box.path) == before and await outcome(memory) == first


@COSTLY
@given(st.randoms(use_true_random=False))
def test_any_split_order_and_repetition_of_reviews_gives_the_same_cards(luck: random.Random) -> None:
    conn = empty_database()
    with writing(conn, now_ms=int(NOW.timestamp() * 1000)) as writer:
        for number in range(20):
            writer.now_ms += 1
            writer.device = f"{luck.randrange(3):016x}"
            anything(writer, luck)
            writer.device = f"{number % 3:016x}"
        keys = [cards.Key(*row) for row in conn.execute("SELECT map, key, value FROM keys").fetchall()]
        whole = deck(writer, NOW).standings(), cards.all_reviews(writer)
    for _ in range(3):
        other = empty_database()
        order = luck.sample(keys, len(keys)) + luck.choices(keys, k=5) if keys else []
        while order:
            size = luck.randint(1, len(order))
            project(other, luck.choice(["cards.1", "reviews/2024-05.1", "reviews/2024-05.2"]), order[:size])
            order = order[size:]
            deck(View(other), NOW).standings()
        assert (deck(View(other), NOW).standings(), cards.all_reviews(View(other))) == whole


def test_a_review_that_names_no_card_of_ours_changes_nothing(writer: Writer) -> None:
    add(writer, "serendipity")
    cards.grade(writer, replace(Review(cards.answer_id(OTHER, TODAY, 1), OTHER, KNEW, 5), slot=TODAY))
    assert words(deck(writer).cards()) == ["serendipity"] and deck(writer).queue().done_today == 0
