"""Cards and reviews: one word is one card, one answer is one event, and nothing of it is ever lost or doubled."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from store.cards import (
    add_card,
    all_reviews,
    answer_id,
    attempt,
    card,
    card_id,
    card_of,
    cards,
    count,
    events,
    grade,
    import_id,
    is_undone,
    is_word,
    keep_remembered,
    keep_reviews,
    remembered,
    reset_id,
    review,
    reviews,
    set_card,
    undo_review,
)
from store.changes import Key, canonical, record_key, register_key
from store.erase import is_here
from store.errors import NotFound, OverLimit
from store.examine import examine_memory
from store.fold import fold_review
from store.ids import digest, stamp, ulid_time_ms
from store.memory import Memory
from store.model import CARD_TEXT_CHARACTERS_MAX, Card, CardState, EntryID, Review, ReviewKind
from store.projection import project, remove_records
from store.writer import DOCUMENT_KEYS_SOFT_MAX, Writer
from tests.store.memories import DEVICE, LIN, SCOPE, Box, empty_database, hear, remember, writing
from tests.store.snapshot import snapshot, snapshot_of

NOW = 1716775200000
DAY = "2024-05-27"
PHONE = bytes(range(16, 32))
WORD = card_id("paradigm")


@pytest.fixture
def writer() -> Iterator[Writer]:
    conn = empty_database()
    with writing(conn, now_ms=NOW) as made:
        yield made
    conn.close()


def add(writer: Writer, word: str = "paradigm", **fields: object) -> Card:
    return add_card(writer, word, by=LIN, at_ms=writer.now_ms, **fields)[0]  # type: ignore[arg-type]


def answer(rating: int, n: int = 1, *, at_ms: int = NOW, of: str = WORD, slot: str = DAY, device: str = "") -> Review:
    return Review(
        answer_id(of, slot, n), EntryID(of), rating, at_ms, zone="Asia/Shanghai", took_ms=900, slot=slot, by=LIN,
        device=device,
    )  # fmt: skip


def event(record: str, **value: object) -> Key:
    text = canonical(value)  # type: ignore[arg-type]
    return Key("v", f"{record}.{digest(text)}", text)


# words and their ids


def test_the_id_of_a_word_is_the_same_everywhere_and_for_ever() -> None:
    assert card_id("paradigm") == "000000000002DJQ072RC80VSA4"
    assert card_id("paradigm") == card_id("  Paradigm ") == card_id("PARADIGM")
    assert card_id("nai\u0308ve") == card_id("na\u00efve") != card_id("naive")
    assert card_id("o\u2019clock") == card_id("o'clock")
    assert card_id("take  off") == card_id("take off") != card_id("takeoff")
    assert ulid_time_ms(card_id("x")) == 0


@pytest.mark.parametrize(("text", "right"), [
    ("paradigm", True), ("take off", True), ("范式", True), ("o'clock", True), ("", False), ("   ", False), ("—", False),
    ("a\nb", False), ("x" * 101, False), ("x\u200by", False),
])  # fmt: skip
def test_what_a_card_can_be_made_of(text: str, right: bool) -> None:
    assert is_word(text) is right


def test_the_ids_of_events_say_what_they_are_about_and_stand_in_the_month_of_their_day() -> None:
    assert answer_id(WORD, DAY, 1) == answer_id(WORD, DAY, 1)
    different = {answer_id(WORD, DAY, 1), answer_id(WORD, DAY, 2), answer_id(WORD, "2024-05-28", 1),
                 answer_id(card_id("x"), DAY, 1), reset_id(WORD, DAY, 1), import_id(WORD, 1716768000000)}  # fmt: skip
    assert len(different) == 6
    assert ulid_time_ms(answer_id(WORD, DAY, 1)) == 1716768000000
    assert ulid_time_ms(answer_id(WORD, "1969-12-31", 1)) == 0


# adding and changing


def test_a_word_is_added_with_what_is_known_of_it(writer: Writer) -> None:
    made, is_new = add_card(
        writer, "  Paradigm", by=LIN, at_ms=NOW, meaning="范式", ipa="ˈpærədaɪm", pos="n.", example="a shift",
        tags=("cet6", "cet6"), order=3,
    )  # fmt: skip
    assert is_new
    assert made == Card(WORD, "Paradigm", NOW, CardState.ACTIVE, "范式", "ˈpærədaɪm", "n.", "a shift", ("cet6",), 3)
    assert card(writer, WORD) == card_of(writer, "PARADIGM ") == made
    assert {doc for (doc,) in writer.conn.execute("SELECT DISTINCT doc FROM keys")} == {"cards.1"}


def test_a_word_that_is_there_gets_only_what_it_lacks(writer: Writer) -> None:
    add(writer, meaning="范式")
    made, is_new = add_card(writer, "paradigm", by=LIN, at_ms=NOW + 5, meaning="模型", pos="n.")
    assert (is_new, made.meaning, made.pos, made.added_ms) == (False, "范式", "n.", NOW)


@pytest.mark.parametrize("state", [CardState.KNOWN, CardState.SUSPENDED])
def test_adding_a_word_again_does_not_undo_what_a_person_said_of_it(writer: Writer, state: CardState) -> None:
    set_card(writer, add(writer).id, by=LIN, state=state)
    made, is_new = add_card(writer, "paradigm", by=LIN, at_ms=NOW)
    assert (is_new, made.state) == (False, state)


def test_a_removed_word_is_in_no_list_and_comes_back_when_it_is_added(writer: Writer) -> None:
    made = add(writer, meaning="范式")
    assert set_card(writer, made.id, by=LIN, state=CardState.REMOVED) == {"card_state": "active"}
    assert (cards(writer), count(writer)) == ([], 0)
    assert card(writer, WORD) == replace(made, state=CardState.REMOVED), "its reviews are still somebody's work"
    assert add_card(writer, "paradigm", by=LIN, at_ms=NOW + 9) == (made, True)


def test_the_list_is_in_the_order_in_which_new_words_are_asked(writer: Writer) -> None:
    for word, order in (("c", 2), ("a", 0), ("b", 1), ("d", 2)):
        add(writer, word, order=order)
    writer.now_ms += 1
    add(writer, "e")
    set_card(writer, card_id("b"), by=LIN, state=CardState.KNOWN)
    words = [one.word for one in cards(writer)]
    assert words[:3] == ["a", "e", "b"] and set(words[3:]) == {"c", "d"}
    assert [one.word for one in cards(writer, states=(CardState.KNOWN,))] == ["b"]
    seen: list[Card] = []
    while page := cards(writer, after=seen[-1] if seen else None, limit=2):
        seen += page
    assert [one.word for one in seen] == words
    assert count(writer) == 5


def test_a_field_may_be_long_and_not_longer(writer: Writer) -> None:
    add(writer, meaning="x" * CARD_TEXT_CHARACTERS_MAX)
    for field, value in (("meaning", "x" * (CARD_TEXT_CHARACTERS_MAX + 1)), ("tags", ["x" * 1001] * 2)):
        with pytest.raises(OverLimit) as refused:
            set_card(writer, WORD, by=LIN, **{field: value})
        assert refused.value.code == "error-card-too-long"


def test_many_words_fill_document_after_document(writer: Writer) -> None:
    for number in range(250):
        add(writer, f"word{number}", meaning="m")
    sizes = dict(writer.conn.execute("SELECT doc, keys FROM documents").fetchall())
    assert sizes == {"cards.1": DOCUMENT_KEYS_SOFT_MAX, "cards.2": DOCUMENT_KEYS_SOFT_MAX}
    writer.flush()


def test_a_card_is_no_entry_and_no_task(writer: Writer) -> None:
    add(writer)
    assert writer.entry(WORD) is None and writer.task(WORD) is None and writer.count() == 0
    assert writer.entries("1") == [] and not is_here(writer.conn, WORD)


def test_a_card_waits_for_the_moment_it_was_added(writer: Writer) -> None:
    """Its keys may come one by one; nothing is shown before somebody has added it."""
    value = {"at": 0, "day": "1970-01-01", "kind": "card", "origin": "said", "word": "paradigm"}
    project(writer.conn, "cards.1", [record_key(WORD, value)])
    assert card(writer, WORD) is None and cards(writer) == []
    assert add_card(writer, "paradigm", by=LIN, at_ms=NOW)[1]
    assert [one.word for one in cards(writer)] == ["paradigm"]


def test_registers_that_came_before_the_record_are_no_conflict(writer: Writer) -> None:
    early = register_key(WORD, "meaning", "范式", stamp=stamp(NOW, "aa" * 8), by=LIN, at_ms=NOW, over=())
    project(writer.conn, "cards.1", [early])
    assert add(writer, meaning="模型").meaning == "模型"
    register = writer.register(WORD, "meaning")
    assert register is not None and len(register.heads) == 1


def test_nothing_else_takes_the_id_of_a_card(writer: Writer) -> None:
    add(writer)
    for kind in ("fact", "task"):
        other = {"at": 1, "day": DAY, "kind": kind, "origin": "said", "text": "mine now"}
        project(writer.conn, "facts/1970-01.1", [record_key(WORD, other)])
    assert [one.word for one in cards(writer)] == ["paradigm"]
    assert writer.entry(WORD) is None and writer.task(WORD) is None


@pytest.mark.parametrize("word", ["serendipity", "", 5, None])
def test_a_card_under_the_id_of_another_word_is_passed_over(writer: Writer, word: object) -> None:
    value = {"at": 0, "day": "1970-01-01", "kind": "card", "origin": "said", "word": word}
    project(writer.conn, "cards.1", [record_key(WORD, value)])  # type: ignore[arg-type]
    assert writer.conn.execute("SELECT count(*) FROM cards").fetchone() == (0,)
    assert add(writer).word == "paradigm"


def test_what_a_newer_version_says_of_a_card_is_passed_over(writer: Writer) -> None:
    add(writer)
    for field, value in (
        ("card_state", "buried"),
        ("order", 10**30),
        ("order", -1),
        ("meaning", ["x"]),
        ("card_tags", [1]),
    ):
        writer.set(WORD, field, value, by=LIN)  # type: ignore[arg-type]
        assert card(writer, WORD) == Card(WORD, "paradigm", NOW)


def test_a_word_that_was_erased_for_good_is_not_learned_again(writer: Writer) -> None:
    add(writer)
    writer.set("meta", f"ban/{WORD}", "", by=LIN)
    assert cards(writer) == []
    with pytest.raises(NotFound):
        add(writer)


# reviews


def test_an_answer_is_kept_with_the_device_that_heard_it(writer: Writer) -> None:
    add(writer)
    assert grade(writer, answer(3))
    assert reviews(writer, WORD) == [answer(3, device=DEVICE[:8].hex())]
    assert all_reviews(writer) == events(writer, WORD) == reviews(writer, WORD)
    docs = writer.conn.execute("SELECT doc FROM keys WHERE map = 'v'").fetchall()
    assert docs == [("reviews/2024-05.1",)]


def test_a_second_tap_is_the_same_event_whatever_it_says(writer: Writer) -> None:
    assert grade(writer, answer(1))
    assert not grade(writer, answer(3, at_ms=NOW + 900))
    assert [one.rating for one in reviews(writer, WORD)] == [1]


def test_the_next_question_of_the_day_is_the_next_attempt(writer: Writer) -> None:
    assert attempt(writer, WORD, DAY) == 1
    grade(writer, answer(1, 1))
    assert (attempt(writer, WORD, DAY), attempt(writer, WORD, "2024-05-28")) == (2, 1)
    undo_review(writer, answer_id(WORD, DAY, 1), by=LIN, at_ms=NOW, zone="UTC")
    assert attempt(writer, WORD, DAY) == 2, "what was undone has had its number"


def test_undoing_is_an_event_and_leaves_the_answer_in_the_log(writer: Writer) -> None:
    grade(writer, answer(1))
    record = answer_id(WORD, DAY, 1)
    assert not is_undone(writer, record)
    assert undo_review(writer, record, by=LIN, at_ms=NOW + 5, zone="UTC")
    assert is_undone(writer, record) and reviews(writer, WORD) == [] == all_reviews(writer)
    assert [one.kind for one in events(writer, WORD)] == [ReviewKind.ANSWER, ReviewKind.UNDO]
    assert not undo_review(writer, record, by=LIN, at_ms=NOW + 9, zone="UTC")
    assert not undo_review(writer, events(writer, WORD)[1].id, by=LIN, at_ms=NOW + 9, zone="UTC")
    assert not undo_review(writer, answer_id(WORD, DAY, 7), by=LIN, at_ms=NOW + 9, zone="UTC")


def test_an_undoing_that_names_another_cards_answer_undoes_nothing(writer: Writer) -> None:
    grade(writer, answer(3))
    other = card_id("serendipity")
    project(writer.conn, "reviews/2024-05.1", [
        event(import_id(other, 5), at=NOW, card=other, kind="undo", undoes=answer_id(WORD, DAY, 1)),
    ])  # fmt: skip
    assert len(reviews(writer, WORD)) == 1


def test_reviews_come_in_the_order_of_their_moments_then_devices_then_ids(writer: Writer) -> None:
    made = [
        event(answer_id(WORD, DAY, n), at=at, card=WORD, device=device, kind="answer", rating=3, slot=DAY)
        for n, (at, device) in enumerate([(5, "bb"), (5, "aa"), (1, "cc"), (9, "aa"), (5, "bb")], start=1)
    ]
    project(writer.conn, "reviews/2024-05.1", made)
    found = [(one.at_ms, one.device, one.id) for one in reviews(writer, WORD)]
    assert found == sorted(found) and len(found) == 5
    assert [(one.at_ms, one.device, one.id) for one in all_reviews(writer)] == found
    assert [one.at_ms for one in all_reviews(writer, from_ms=6)] == [9]


def test_of_two_answers_to_one_question_the_earlier_counts() -> None:
    """The same button on two devices that had not met: one event, whichever came first here."""
    record = answer_id(WORD, DAY, 1)
    late = event(record, at=9, card=WORD, device="aa", kind="answer", rating=1)
    early = event(record, at=5, card=WORD, device="bb", kind="answer", rating=3)
    same = event(record, at=5, card=WORD, device="bb", kind="answer", rating=4)
    by_digest = min((early, same), key=lambda key: key.key)
    for order in permutations((late, early, same)):
        conn = empty_database()
        for key in order:
            project(conn, "reviews/2024-05.1", [key])
        shown = conn.execute("SELECT at_ms, rating FROM reviews").fetchall()
        assert shown == [(5, 3 if by_digest == early else 4)]


WRONG = [
    {"kind": "bury"}, {"kind": 5}, {"rating": 0}, {"rating": 5}, {"rating": "3"}, {"rating": True}, {"at": -1},
    {"at": 10**30}, {"at": "x"}, {"card": "x"}, {"card": None}, {"slot": "2024-02-30"}, {"slot": 5}, {"took": -1},
    {"took": 1 << 48}, {"device": []}, {"zone": 1}, {"by": {}}, {"undoes": WORD}, {"kind": "undo"},
    {"kind": "undo", "undoes": "x"},
]  # fmt: skip


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_an_event_that_is_not_understood_is_kept_and_passed_over(writer: Writer, change: dict[str, object]) -> None:
    right: dict[str, object] = {"at": 5, "card": WORD, "kind": "answer", "rating": 3, "slot": DAY}
    record = answer_id(WORD, DAY, 1)
    odd, known = event(record, **{**right, **change}), event(record, **right)
    assert fold_review(record, {"h": known.value}) is not None
    assert fold_review(record, {"h": odd.value}) is None
    project(writer.conn, "reviews/2024-05.1", [odd])
    assert events(writer, WORD) == []
    assert not grade(writer, answer(3)), "this device says nothing else under that id"
    project(writer.conn, "reviews/2024-05.1", [known])
    assert [one.at_ms for one in reviews(writer, WORD)] == [5]


def test_many_events_at_once_are_each_kept_once_in_their_months(writer: Writer) -> None:
    log = [replace(answer(3), id=import_id(WORD, NOW + n * 86_400_000), kind=ReviewKind.IMPORT, slot="",
                   at_ms=NOW + n * 86_400_000) for n in range(40)]  # fmt: skip
    assert keep_reviews(writer, [*log, *log]) == 40
    assert keep_reviews(writer, log) == 0
    docs = dict(writer.conn.execute("SELECT doc, keys FROM documents").fetchall())
    assert docs == {"reviews/2024-05.1": 5, "reviews/2024-06.1": 30, "reviews/2024-07.1": 5}
    assert {one.device for one in reviews(writer, WORD)} == {""}, "two devices that take the log in make the same keys"


def test_more_events_of_one_month_than_a_document_holds(writer: Writer) -> None:
    log = [replace(answer(3), id=import_id(WORD, NOW + n), kind=ReviewKind.IMPORT) for n in range(1100)]
    keep_reviews(writer, log)
    docs = dict(writer.conn.execute("SELECT doc, keys FROM documents").fetchall())
    assert docs == {"reviews/2024-05.1": 500, "reviews/2024-05.2": 500, "reviews/2024-05.3": 100}
    writer.flush()


# what was worked out of them


def test_what_was_worked_out_is_kept_until_anything_happens_to_the_card(writer: Writer) -> None:
    other = card_id("serendipity")
    keep_remembered(writer, "one", {WORD: "a", other: "b"})
    assert remembered(writer, "one") == {WORD: "a", other: "b"} and remembered(writer, "two") == {}
    grade(writer, answer(3))
    assert remembered(writer, "one") == {other: "b"}
    keep_remembered(writer, "one", {WORD: "c"})
    undo_review(writer, answer_id(WORD, DAY, 1), by=LIN, at_ms=NOW, zone="UTC")
    assert remembered(writer, "one") == {other: "b"}
    keep_remembered(writer, "two", {WORD: "d"})
    assert (remembered(writer, "one"), remembered(writer, "two")) == ({}, {WORD: "d"})


def test_a_variant_that_names_another_card_drops_what_was_worked_out_for_both(writer: Writer) -> None:
    other, record = card_id("serendipity"), answer_id(WORD, DAY, 1)
    project(writer.conn, "reviews/2024-05.1", [event(record, at=9, card=WORD, kind="answer", rating=3)])
    keep_remembered(writer, "one", {WORD: "a", other: "b"})
    project(writer.conn, "reviews/2024-05.1", [event(record, at=5, card=other, kind="answer", rating=3)])
    assert remembered(writer, "one") == {}


def test_taking_records_out_leaves_nothing_of_them(writer: Writer) -> None:
    before = snapshot_of(writer.conn)
    add(writer, meaning="范式")
    grade(writer, answer(3))
    keep_remembered(writer, "one", {WORD: "a"})
    remove_records(writer.conn, [WORD, answer_id(WORD, DAY, 1)])
    assert snapshot_of(writer.conn) == before
    assert remembered(writer, "one") == {}


# real memories


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Memory, Memory]]:
    home, phone = Box(tmp_path / "home"), Box(tmp_path / "phone", seed="phone", device=PHONE)
    async with home.opened() as one, phone.opened() as other:
        yield one, other


async def meet(one: Memory, other: Memory) -> None:
    await hear(one, other, PHONE)
    await hear(other, one, DEVICE)


async def test_the_same_word_on_two_devices_is_one_card(two: tuple[Memory, Memory]) -> None:
    for memory, meaning in zip(two, ("范式", ""), strict=True):
        await memory.turn(lambda writer, meaning=meaning: add(writer, meaning=meaning))  # type: ignore[misc]
        await memory.turn(lambda writer: grade(writer, answer(3)))
    await meet(*two)
    for memory in two:
        (only,) = await memory.read(cards)
        assert (only.word, only.meaning) == ("paradigm", "范式")
        assert len(await memory.read(all_reviews)) == 1
        keys = await memory.read(lambda view: view.conn.execute("SELECT count(*) FROM keys WHERE map = 'e'").fetchone())
        assert keys == (1,)


async def test_a_word_that_is_added_here_while_it_is_removed_there_asks_nobody(two: tuple[Memory, Memory]) -> None:
    home, phone = two
    await home.turn(add)
    await meet(*two)
    await home.turn(lambda writer: set_card(writer, WORD, by=LIN, state=CardState.REMOVED))
    await phone.turn(lambda writer: set_card(writer, WORD, by=LIN, meaning="范式"))
    await meet(*two)
    for memory in two:
        found = await memory.read(lambda view: card(view, WORD))
        assert found is not None and (found.state, found.meaning) == (CardState.REMOVED, "范式")


async def test_rebuilding_gives_the_same_rows_and_doctor_agrees(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await memory.turn(
            lambda writer: (add(writer, meaning="范式"), add(writer, "serendipity"), remember(writer, "tea"))
        )
        for n, rating in enumerate((1, 3, 4), start=1):
            await memory.turn(lambda writer, n=n, rating=rating: grade(writer, answer(rating, n)))  # type: ignore[misc]
        await memory.turn(lambda writer: undo_review(writer, answer_id(WORD, DAY, 2), by=LIN, at_ms=NOW, zone="UTC"))
        await memory.turn(lambda writer: keep_remembered(writer, "one", {WORD: "a"}))
        before = snapshot(box.path)
        await memory.rebuild()
        assert snapshot(box.path) == before
        assert await memory.read(lambda view: remembered(view, "one")) == {}
        assert [one.rating for one in await memory.read(lambda view: reviews(view, WORD))] == [1, 4]
    found = examine_memory(box.path, SCOPE)
    assert (found.findings, found.mendable) == ([], True)


async def test_doctor_sees_rows_of_cards_and_reviews_that_the_log_does_not_make(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await memory.turn(lambda writer: (add(writer), grade(writer, answer(3))))

        def spoil(writer: Writer) -> None:
            writer.conn.execute("UPDATE cards SET meaning = 'x'")
            writer.conn.execute("UPDATE reviews SET rating = 1")

        await memory.turn(spoil)
    (finding,) = examine_memory(box.path, SCOPE).findings
    assert (finding.code, finding.facts["found"]) == ("doctor-unequal", "cards, reviews")


async def test_reviews_of_a_peer_stop_nobody(two: tuple[Memory, Memory]) -> None:
    """Whatever stands in an event: what is right in it is shown, and what is not is passed over."""
    home, phone = two
    record = answer_id(WORD, DAY, 1)
    odd = [event(record, **{"at": 5, "card": WORD, "kind": "answer", "rating": 3, **change}) for change in WRONG]
    await phone.turn(lambda writer: (add(writer), writer.keep([event(record, grade=[3]), *odd]))[0])
    await hear(home, phone, PHONE)
    assert await home.read(all_reviews) == []
    await home.rebuild()
    assert [one.word for one in await home.read(cards)] == ["paradigm"]


async def test_reading_one_review(two: tuple[Memory, Memory]) -> None:
    home, _ = two
    await home.turn(lambda writer: grade(writer, answer(4)))
    found = await home.read(lambda view: review(view, answer_id(WORD, DAY, 1)))
    assert found == answer(4, device=DEVICE[:8].hex())
    assert await home.read(lambda view: review(view, WORD)) is None
