"""The fold: from a set of keys to what is visible, whatever their order, repetition or gaps. Pure.

`fold` is the whole rule in one function; the projection applies the same pieces to the records a
write touched, and tests hold the two equal.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TypeGuard

from store.changes import Json, Key, parse_label_key, parse_record_key, parse_register_key
from store.ids import ULID_PATTERN, card_id, folded_word, label_parts, lane_order
from store.model import AccountID, Confidence, EntryID, EntryKind, Origin, Review, ReviewKind

BAN = "ban/"
"""A register `meta/ban/<id>` says that this record was erased for good."""
TASK_KIND = "task"
CARD_KIND = "card"
_KINDS = frozenset({*EntryKind, TASK_KIND, CARD_KIND})
_NO_STATEMENTS = (TASK_KIND, CARD_KIND)
_ORIGINS = frozenset(Origin)
_CONFIDENCES = frozenset({*Confidence, ""})
_REVIEWS = frozenset(ReviewKind)
RATING_MAX = 4
NUMBER_END = 1 << 48


@dataclass(frozen=True, slots=True)
class Register:
    """One mutable field: the value shown and the heads nobody replaced."""

    value: Json
    by: str
    at_ms: int
    heads: tuple[str, ...]
    """Digests of the heads, sorted; more than one is a conflict people can see."""
    others: tuple[Json, ...] = ()
    """The values of the heads that are not shown, newest first."""


@dataclass(frozen=True, slots=True)
class Record:
    """One id: the variant shown, its label, and how many variants there are."""

    id: str
    value: dict[str, Json]
    digest: str
    label: str
    versions: int


@dataclass(frozen=True, slots=True)
class Folded:
    records: Mapping[str, Record]
    labels: Mapping[str, tuple[str, ...]]
    """label → ids it leads to; more than one asks."""
    registers: Mapping[tuple[str, str], Register]
    superseded: frozenset[str] = field(default=frozenset())
    held: frozenset[str] = field(default=frozenset())
    reviews: Mapping[str, Review] = field(default_factory=dict)


def fold_register(items: Iterable[Key]) -> Register:
    """All keys of one (record, field). Heads: those nobody replaces; a cycle leaving none: all."""
    parsed = {parse_register_key(item.key): json.loads(item.value) for item in items}
    replaced = {h for value in parsed.values() for h in value["over"]}
    heads = {name: value for name, value in parsed.items() if name.digest not in replaced} or parsed
    # Two devices may have said the very same thing: one digest is one head, under its greatest name.
    newest = {name.digest: name for name in sorted(heads, key=lambda n: (n.stamp_ms, n.device))}
    ordered = sorted(newest.values(), key=lambda n: (n.stamp_ms, n.device, n.digest), reverse=True)
    shown = heads[ordered[0]]
    value: Json = shown["v"]
    if ordered[0].field == "hidden":
        value = any(head["v"] is True for head in heads.values())
    return Register(
        value=value,
        by=shown["by"],
        at_ms=shown["at"],
        heads=tuple(sorted(newest)),
        others=tuple(heads[name]["v"] for name in ordered[1:]),
    )


def fold_record(record: str, variants: Mapping[str, str], labels: Iterable[tuple[str, str]]) -> Record | None:
    """`variants`: digest → JSON; `labels`: (label, digest it was made for).

    Shown is the variant of the lowest lane's label, else the smallest digest; only those count whose words are known.
    None when there is none: a newer version's record is kept, and shown when this one has learned its words. The id of
    a card is made of its word: where a card has a right to it, nothing else has.
    """
    read = {h: value for h, text in variants.items() if _is_known(value := json.loads(text))}
    read = {h: value for h, value in read.items() if value.get("kind") != CARD_KIND or _is_card(record, value)}
    if not read:
        return None
    read = {h: value for h, value in read.items() if value.get("kind") == CARD_KIND} or read
    ranked = sorted((h not in read, lane_order(_lane(label)), label, h) for label, h in labels)
    missing, _, shown_label, shown = ranked[0] if ranked else (True, (0, ""), "", "")
    if missing:
        shown = min(read)
    return Record(record, read[shown], shown, shown_label, len(variants))


def _is_known(value: Mapping[str, Json]) -> bool:
    words = (
        (value.get("kind"), _KINDS),
        (value.get("origin", Origin.SAID), _ORIGINS),
        (value.get("confidence", ""), _CONFIDENCES),
    )
    return all(isinstance(word, str) and word in known for word, known in words)


def card_value(word: str) -> dict[str, Json]:
    """The record of a card: it depends on the word alone, so that two devices make the same key."""
    return {"at": 0, "day": "1970-01-01", "kind": CARD_KIND, "origin": Origin.SAID.value, "word": word}


def _is_card(record: str, value: Mapping[str, Json]) -> bool:
    word = value.get("word")
    return isinstance(word, str) and bool(folded_word(word)) and card_id(word) == record


def fold_review(record: str, variants: Mapping[str, str]) -> Review | None:
    """`variants`: digest → JSON. One event has one meaning: what was made first, by its own clock, then by its digest.

    None when nothing of it is known here, as an event of a newer version.
    """
    read = [(review.at_ms, h, review) for h, text in variants.items() if (review := _review(record, json.loads(text)))]
    return min(read, key=lambda one: one[:2])[2] if read else None


def _review(record: str, value: Mapping[str, Json]) -> Review | None:
    names = ("kind", "card", "slot", "undoes", "zone", "device", "by")
    texts = [one for name in names if isinstance(one := value.get(name, ""), str)]
    numbers = [one for name in ("at", "rating", "took") if is_number(one := value.get(name, 0))]
    if len(texts) < len(names) or len(numbers) < 3:
        return None  # an event may hold anything (docs/spec/memsync.md), and none may stop a device
    kind, card, slot, undoes, zone, device, by = texts
    at_ms, rating, took_ms = numbers
    is_graded = kind in (ReviewKind.ANSWER, ReviewKind.IMPORT)
    if (
        kind not in _REVIEWS
        or not ULID_PATTERN.fullmatch(card)
        or not (slot == "" or _is_day(slot))
        or (is_graded and not 1 <= rating <= RATING_MAX)
        or (kind == ReviewKind.UNDO) is not bool(ULID_PATTERN.fullmatch(undoes))
    ):
        return None
    return Review(
        id=EntryID(record), card=EntryID(card), rating=rating if is_graded else 0, at_ms=at_ms, zone=zone,
        took_ms=took_ms, device=device, slot=slot, kind=ReviewKind(kind), undoes=undoes, by=AccountID(by),
    )  # fmt: skip


def is_number(value: Json) -> TypeGuard[int]:
    """Whether a column can hold it, as `store.shape` counts numbers."""
    return type(value) is int and 0 <= value < NUMBER_END


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _lane(label: str) -> str:
    parts = label_parts(label)
    return parts.lane if parts else ""


def edges(record: Record, settles: Json) -> frozenset[tuple[str, str]]:
    """(successor, predecessor) pairs that this record states, by its own words or by a later settling."""
    stated = {*own_words(record.id, record.value.get("supersedes")), *_ids(settles)}
    return frozenset((record.id, other) for other in stated if other != record.id)


def own_words(record: str, supersedes: Json) -> frozenset[str]:
    """What `record` replaces by its own words, and not by a later settling."""
    return frozenset(_ids(supersedes)) - {record}


def _ids(value: Json) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def is_held(
    record: str,
    *,
    below: Callable[[str], Iterable[str]],
    gone: Callable[[str], bool],
    restored: Callable[[str], bool],
) -> bool:
    """Whether `record` waits for a person: by its own words it continues something that was taken away.

    One device forgot a statement while another corrected it. Showing the correction would bring back what was
    forgotten, dropping it would lose what was written: so it is held. Held is what reaches a hidden or banned record
    by going down from `record` along own words (`below`), directly or through others. The way down ends at a record
    with the register `restored`, and `record` may be that one: a person has answered for everything under it. What is
    `gone` itself is not held.
    """
    if gone(record):
        return False
    waiting = [record]
    seen: set[str] = set()
    while waiting:
        one = waiting.pop()
        if one in seen or restored(one):
            continue
        seen.add(one)
        for other in below(one):
            if gone(other):
                return True
            waiting.append(other)
    return False


def superseded(pairs: Iterable[tuple[str, str]], unseen: frozenset[str], known: frozenset[str]) -> frozenset[str]:
    """Ids that a known id replaces, directly or through others (`unseen` ones included), and that is not `unseen`.

    Unseen is what is hidden or held: while a person has not answered, what stood before goes on standing.

    Two ids that replace each other (settled both ways on two devices) replace nothing: both stay visible.
    """
    below: dict[str, set[str]] = defaultdict(set)
    above: dict[str, set[str]] = defaultdict(set)
    for successor, predecessor in pairs:
        below[successor].add(predecessor)
        above[predecessor].add(successor)
    return frozenset(
        one
        for one in above
        if any(up in known and up not in unseen for up in closure(above, one) - closure(below, one) - {one})
    )


def closure(steps: Mapping[str, set[str]], start: str) -> set[str]:
    """Everything reachable from `start` in one step or more."""
    waiting = list(steps.get(start, ()))
    reached: set[str] = set()
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting.extend(steps.get(one, ()))
    return reached


def fold(items: Iterable[Key]) -> Folded:
    """Everything visible in a set of keys."""
    variants: dict[str, dict[str, str]] = defaultdict(dict)
    record_labels: dict[str, list[tuple[str, str]]] = defaultdict(list)
    labels: dict[str, set[str]] = defaultdict(set)
    fields: dict[tuple[str, str], list[Key]] = defaultdict(list)
    events: dict[str, dict[str, str]] = defaultdict(dict)
    for item in set(items):
        match item.map:
            case "e":
                record, h = parse_record_key(item.key)
                variants[record][h] = item.value
            case "l":
                label, record, h = parse_label_key(item.key)
                record_labels[record].append((label, h))
                labels[label].add(record)
            case "r":
                name = parse_register_key(item.key)
                fields[name.record, name.field].append(item)
            case "v":
                event, h = parse_record_key(item.key)
                events[event][h] = item.value
    registers = {name: fold_register(keys) for name, keys in fields.items()}
    banned = {field.removeprefix(BAN) for record, field in registers if record == "meta" and field.startswith(BAN)}
    variants = {record: found for record, found in variants.items() if record not in banned}
    registers = {name: register for name, register in registers.items() if name[0] not in banned}
    labels = {label: ids - banned for label, ids in labels.items() if ids - banned}
    folded = (fold_record(record, found, record_labels[record]) for record, found in variants.items())
    records = {record.id: record for record in folded if record is not None}
    statements = {one: record for one, record in records.items() if record.value.get("kind") not in _NO_STATEMENTS}
    pairs = [pair for one, record in statements.items() for pair in edges(record, _value(registers, one, "settles"))]
    hidden = frozenset(one for one in statements if _value(registers, one, "hidden") is True)
    below = {one: own_words(one, record.value.get("supersedes")) for one, record in statements.items()}
    held = frozenset(
        one
        for one in statements
        if is_held(
            one,
            below=lambda other: below.get(other, ()),
            gone=(hidden | banned).__contains__,
            restored=lambda other: _value(registers, other, "restored") is True,
        )
    )
    return Folded(
        records=records,
        labels={label: tuple(sorted(ids)) for label, ids in labels.items()},
        registers=registers,
        superseded=superseded(pairs, hidden | held, frozenset(statements)) & frozenset(statements),
        held=held,
        reviews={
            one: review
            for one, found in events.items()
            if one not in banned and (review := fold_review(one, found)) is not None
        },
    )


def _value(registers: Mapping[tuple[str, str], Register], record: str, name: str) -> Json:
    register = registers.get((record, name))
    return register.value if register else None
