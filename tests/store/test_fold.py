"""The fold: the same set of keys gives the same picture, whatever their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.changes import Json, Key, canonical, label_key, record_key, register_key
from store.fold import edges, fold, fold_record, fold_register, superseded
from store.ids import digest, stamp
from tests.store.effort import COSTLY, SWEEP
from tests.store.keysets import DEVICES, IDS, arrivals, keysets

A, B, C, D, E, _ = IDS


def entry(record: str, text: str, *supersedes: str) -> Key:
    value: dict[str, Json] = {"kind": "fact", "text": text}
    return record_key(record, {**value, "supersedes": list(supersedes)} if supersedes else value)


def write(
    value: Json, *over: Key, at: int = 1, device: str = DEVICES[0], field: str = "pinned", record: str = A
) -> Key:
    replaced = {key.key.rpartition(".")[2] for key in over}
    return register_key(record, field, value, stamp=stamp(at, device), by="terminal:lin", at_ms=at, over=replaced)


def name(key: Key) -> str:
    return key.key.rpartition(".")[2]


# any order


@COSTLY
@given(arrivals())
def test_any_order_and_any_repetition_give_one_picture(arrival: tuple[list[Key], list[tuple[str, list[Key]]]]) -> None:
    items, batches = arrival
    assert fold(key for _, batch in batches for key in batch) == fold(items)


@pytest.mark.slow
@SWEEP
@given(arrivals())
def test_any_order_and_any_repetition_give_one_picture_in_a_long_sweep(
    arrival: tuple[list[Key], list[tuple[str, list[Key]]]],
) -> None:
    test_any_order_and_any_repetition_give_one_picture.hypothesis.inner_test(arrival)  # type: ignore[attr-defined]


@COSTLY
@given(keysets(), st.data())
def test_a_gap_changes_only_the_record_it_is_in(items: list[Key], data: st.DataObject) -> None:
    if not items:
        return
    missing = data.draw(st.sampled_from(items))
    whole, gap = fold(items), fold(item for item in items if item != missing)
    others = {one: record for one, record in whole.records.items() if one != missing.record}
    assert {one: record for one, record in gap.records.items() if one != missing.record} == others
    for field, register in whole.registers.items():
        assert field[0] == missing.record or gap.registers[field] == register


def test_nothing_folds_to_nothing() -> None:
    folded = fold([])
    assert not folded.records and not folded.labels and not folded.registers and not folded.superseded


def test_a_label_and_a_register_wait_for_their_record() -> None:
    main = entry(A, "tea")
    folded = fold([label_key("D-2024-05-27-01", main), write(True)])
    assert not folded.records
    assert folded.labels == {"D-2024-05-27-01": (A,)}
    assert folded.registers[A, "pinned"].value is True


# registers


def test_what_nobody_replaced_is_the_value() -> None:
    first = write("old", at=5)
    second = write("new", first, at=3, device=DEVICES[1])
    folded = fold_register([second, first])
    assert (folded.value, folded.heads, folded.others) == ("new", (name(second),), ())


def test_two_heads_are_a_conflict_and_the_later_stamp_is_shown() -> None:
    first = write("a", at=1)
    here, there = write("b", first, at=2), write("c", first, at=3, device=DEVICES[1])
    folded = fold_register([first, here, there])
    assert (folded.value, folded.others) == ("c", ("b",))
    assert folded.heads == tuple(sorted([name(here), name(there)]))
    assert fold_register([first, here, there, write("d", here, there, at=1)]).heads == (name(write("d", here, there)),)


def test_of_two_equal_stamps_the_greater_device_is_shown() -> None:
    assert fold_register([write("a", device=DEVICES[0]), write("b", device=DEVICES[1])]).value == "b"


def test_an_older_value_is_not_revived_by_a_gap() -> None:
    """The middle write never came; what it replaced is still replaced by the one after it only if it said so."""
    first = write("a", at=1)
    middle = write("b", first, at=2)
    last = write("c", first, middle, at=3)
    assert fold_register([first, last]).heads == (name(last),)


def test_the_same_word_from_two_devices_is_one_head() -> None:
    """Two devices may say the very same thing in the same millisecond: `over` must not name it twice."""
    here, there = write("a", device=DEVICES[0]), write("a", device=DEVICES[1])
    assert name(here) == name(there)
    folded = fold_register([here, there])
    assert (folded.value, folded.heads, folded.others) == ("a", (name(here),), ())


def test_a_cycle_that_leaves_no_head_makes_all_of_them_heads() -> None:
    """No digest can be made to do this; a forger's or a bug's keys must still show something."""

    def forged(h: str, over: str, value: str, at: int) -> Key:
        text = canonical({"at": at, "by": "", "over": [over], "v": value})
        return Key("r", f"{A}/pinned/{stamp(at, DEVICES[0])}.{h}", text)

    one, other = forged("a" * 16, "b" * 16, "first", 1), forged("b" * 16, "a" * 16, "second", 2)
    folded = fold_register([one, other])
    assert (folded.value, folded.heads, folded.others) == ("second", ("a" * 16, "b" * 16), ("first",))


@pytest.mark.parametrize("later", [True, False])
def test_hidden_holds_if_any_head_says_so(later: bool) -> None:
    """A merge must never undo a forget."""
    here = write(True, at=2 if later else 9, field="hidden")
    there = write(False, at=5, device=DEVICES[1], field="hidden")
    assert fold_register([here, there]).value is True
    assert fold_register([here, there, write(False, here, there, at=1, field="hidden")]).value is False


# records


def test_of_two_versions_the_lowest_lanes_is_shown() -> None:
    one, other = entry(A, "tea"), entry(A, "coffee")
    labels = [("D-2024-05-27-aa01", digest(one.value)), ("D-2024-05-27-b01", digest(other.value))]
    folded = fold_record(A, {digest(one.value): one.value, digest(other.value): other.value}, labels)
    assert (folded.value["text"], folded.label, folded.versions) == ("coffee", "D-2024-05-27-b01", 2)
    first = fold_record(A, {digest(one.value): one.value, digest(other.value): other.value}, [
        *labels, ("D-2024-05-27-07", digest(one.value)),
    ])  # fmt: skip
    assert (first.value["text"], first.label) == ("tea", "D-2024-05-27-07")


def test_of_two_unlabelled_versions_the_smallest_digest_is_shown() -> None:
    keys = [entry(A, "tea"), entry(A, "coffee")]
    folded = fold(keys).records[A]
    assert folded.digest == min(digest(key.value) for key in keys)
    assert (folded.label, folded.versions) == ("", 2)


def test_a_label_whose_version_is_missing_still_names_the_record() -> None:
    here, missing = entry(A, "tea"), entry(A, "coffee")
    folded = fold([here, label_key("D-2024-05-27-01", missing)]).records[A]
    assert (folded.value["text"], folded.label, folded.versions) == ("tea", "D-2024-05-27-01", 1)


def test_a_label_with_two_targets_keeps_both() -> None:
    keys = [entry(A, "tea"), entry(B, "coffee")]
    folded = fold([*keys, *(label_key("D-2024-05-27-01", key) for key in keys)])
    assert folded.labels == {"D-2024-05-27-01": (A, B)}


def test_an_opaque_label_counts_as_of_the_first_lane() -> None:
    main = entry(A, "tea")
    assert fold([main, label_key("TASK-7 from elsewhere", main)]).records[A].label == "TASK-7 from elsewhere"


def test_a_version_in_unknown_words_gives_way_to_one_in_known_words() -> None:
    """One message read by two versions of the program: the newer one's kind means nothing here."""
    newer = record_key(A, {"kind": "habit", "text": "tea at five"})
    older = entry(A, "tea at five")
    labels = [label_key("D-2024-05-27-01", newer), label_key("D-2024-05-27-b01", older)]
    folded = fold([newer, older, *labels]).records[A]
    assert (folded.value["kind"], folded.label, folded.versions) == ("fact", "D-2024-05-27-b01", 2)
    assert fold([newer, *labels]).records == {}


@pytest.mark.parametrize(
    "words", [{"kind": "habit"}, {"kind": 5}, {}, {"kind": "fact", "origin": "x"}, {"kind": "rule", "confidence": "x"}]
)
def test_what_is_in_unknown_words_replaces_nothing_and_holds_nothing(words: dict[str, Json]) -> None:
    odd = record_key(B, {**words, "text": "", "supersedes": [A]})
    folded = fold([entry(A, "one"), odd, entry(C, "three", B), write(True, field="hidden", record=B)])
    assert (folded.records.keys(), folded.superseded, folded.held) == ({A, C}, set(), set())


# chains


def test_a_correction_supersedes_through_hidden_middles() -> None:
    keys = [entry(A, "one"), entry(B, "two", A), entry(C, "three", B), write(True, field="restored", record=C)]
    assert fold(keys).superseded == {A, B}
    assert fold([*keys, write(True, field="hidden", record=B)]).superseded == {A, B}
    assert fold([*keys, write(True, field="hidden", record=C)]).superseded == {A}
    assert fold([*keys, *(write(True, field="hidden", record=one) for one in (B, C))]).superseded == frozenset()


def test_a_settling_supersedes_like_a_correction_and_can_be_taken_back() -> None:
    settled = write([A, 5, None], field="settles", record=B)
    assert fold([entry(A, "one"), entry(B, "two"), settled]).superseded == {A}
    undone = write([], settled, field="settles", record=B)
    assert fold([entry(A, "one"), entry(B, "two"), settled, undone]).superseded == frozenset()


def test_two_that_replace_each_other_both_stay() -> None:
    keys = [entry(A, "one"), entry(B, "two"), entry(C, "three", A)]
    settled = [write([B], field="settles", record=A), write([A], field="settles", record=B)]
    assert fold([*keys[:2], *settled]).superseded == frozenset()
    assert fold([*keys, *settled]).superseded == {A, B}


def test_an_unknown_successor_and_oneself_replace_nothing() -> None:
    assert superseded([(E, A)], frozenset(), frozenset([A])) == frozenset()
    assert fold([entry(A, "one", A)]).superseded == frozenset()
    assert edges(fold([entry(A, "one", A)]).records[A], "nonsense") == frozenset()


def test_an_unknown_middle_does_not_join_what_it_would_have_joined() -> None:
    assert fold([entry(A, "one"), entry(C, "three", B)]).superseded == frozenset()


def hide(record: str, *over: Key, value: bool = True) -> Key:
    return write(value, *over, field="hidden", record=record, at=1 + len(over))


def restore(record: str, value: Json = True) -> Key:
    return write(value, field="restored", record=record)


CHAIN = [entry(A, "one"), entry(B, "two", A), entry(C, "three", B)]


def test_a_correction_of_what_was_forgotten_is_held_and_replaces_nothing_meanwhile() -> None:
    """One device forgets "two" while another writes "three" over it: "one" stands until a person has said."""
    folded = fold([*CHAIN, hide(B)])
    assert folded.held == {C}
    assert not folded.superseded


def test_all_that_stands_on_a_held_correction_is_held() -> None:
    assert fold([*CHAIN, hide(A)]).held == {B, C}


def test_a_correction_of_what_was_erased_for_good_is_held() -> None:
    ban = write("", field=f"ban/{A}", record="meta")
    for keys in ([*CHAIN, ban], [*CHAIN[1:], ban]):
        assert fold(keys).held == {B, C}


def test_restoring_answers_for_all_that_stands_on_it() -> None:
    assert fold([*CHAIN, hide(A), restore(B)]).held == frozenset()
    assert fold([*CHAIN, hide(A), restore(C)]).held == {B}
    assert fold([*CHAIN, hide(A), restore(B, value="yes")]).held == {B, C}


def test_a_restored_correction_that_is_forgotten_later_holds_what_came_after_it() -> None:
    assert fold([*CHAIN, hide(A), restore(B), hide(B)]).held == {C}


def test_two_ways_down_are_two_questions() -> None:
    """Restoring one of two corrections says nothing of what came by the other."""
    keys = [entry(A, "one"), entry(B, "two", A), entry(C, "three", A), entry(D, "four", B, C), hide(A)]
    assert fold([*keys, restore(B)]).held == {C, D}
    assert fold([*keys, restore(B), restore(C)]).held == frozenset()


def test_what_is_hidden_itself_is_not_held() -> None:
    assert fold([*CHAIN, *(hide(one) for one in (A, B, C))]).held == frozenset()
    assert fold([*CHAIN, hide(C)]).held == frozenset()


def test_taking_a_forget_back_ends_the_question() -> None:
    first = hide(A)
    assert fold([*CHAIN, first, hide(A, first, value=False)]).held == frozenset()


def test_settling_over_what_is_hidden_holds_nothing() -> None:
    """Who settles sees both; and what ties a chain together after a forget is a settling."""
    settled = write([A], field="settles", record=B)
    assert fold([entry(A, "one"), entry(B, "two"), settled, hide(A)]).held == frozenset()


def test_entries_that_replace_each_other_are_held_by_a_forget_of_one_of_them() -> None:
    keys = [entry(A, "one", B), entry(B, "two", A), entry(C, "three", C), hide(A)]
    assert fold(keys).held == {B}
    assert fold(keys[:3]).held == frozenset()


def test_a_forgotten_task_and_an_unknown_record_hold_nothing() -> None:
    task = record_key(A, {"kind": "task", "supersedes": [E]})
    assert fold([task, hide(A), entry(B, "two", A), entry(C, "three", D)]).held == frozenset()


def test_tasks_replace_nothing() -> None:
    task = record_key(B, {"kind": "task", "supersedes": [A]})
    assert fold([entry(A, "one"), task]).superseded == frozenset()
    assert fold([task, entry(C, "three", B)]).superseded == frozenset()


def test_review_events_are_not_records() -> None:
    assert fold([Key("v", f"{D}.{digest('{}')}", "{}")]) == fold([])
