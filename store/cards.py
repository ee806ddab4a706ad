"""Cards and their reviews: what a person learns, and every try at it.

The record of a card says its word and nothing else, so the same word added on two devices that have not met is one
card. All that may change about it are registers. A review is an event with an id that says what it answers: a second
tap, or the same button on two devices, is that event again. Nothing of it is ever changed or deleted; undoing is an
event, too. When a card is due is worked out of its reviews (`scheduler.review`) and stands in no document
(`docs/decisions/0014`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from store.changes import Json, Key, canonical, record_key, register_key
from store.errors import NotFound, OverLimit
from store.fold import BAN, card_value
from store.ids import card_id as card_id
from store.ids import digest, named_ulid, stamp, ulid_time_ms
from store.ids import is_word as is_word
from store.model import CARD_TEXT_CHARACTERS_MAX as CARD_TEXT_CHARACTERS_MAX
from store.model import WORD_CHARACTERS_MAX as WORD_CHARACTERS_MAX
from store.model import AccountID, Card, CardState, EntryID, Review, ReviewKind
from store.projection import CARD_COLUMNS, REVIEW_COLUMNS
from store.view import View
from store.writer import Writer

LISTED: tuple[CardState, ...] = (CardState.ACTIVE, CardState.KNOWN, CardState.SUSPENDED)
TRIES = (ReviewKind.ANSWER, ReviewKind.IMPORT)
"""What was graded."""

_CARD = ", ".join(CARD_COLUMNS)
_REVIEW = ", ".join(REVIEW_COLUMNS)
_COUNTS = (
    "kind <> 'undo' AND NOT EXISTS"
    " (SELECT 1 FROM reviews AS u WHERE u.undoes <> '' AND u.undoes = reviews.id AND u.card = reviews.card)"
)
_REPLAY = "at_ms, device, id"
_FIELDS = {
    "meaning": "meaning",
    "ipa": "ipa",
    "pos": "pos",
    "example": "example",
    "tags": "card_tags",
    "order": "order",
}
"""What a caller names → the register it stands in."""


# ids


def answer_id(card: str, slot: str, attempt: int) -> EntryID:
    """Of the answer to the `attempt`-th question (from 1) about a card on a learning day, wherever it is given."""
    return named_ulid(_midnight_ms(slot), card, slot, str(attempt))


def reset_id(card: str, slot: str, attempt: int) -> EntryID:
    return named_ulid(_midnight_ms(slot), "reset", card, slot, str(attempt))


def undo_id(review: Review) -> EntryID:
    """Taking the same thing back on two devices is one event, in the month of what it takes back."""
    return named_ulid(ulid_time_ms(review.id), "undo", review.id)


def import_id(card: str, number: int) -> EntryID:
    """`number`: of Anki's review log, which is the moment of the answer in ms."""
    return named_ulid(number, "anki", str(number), card)


def _midnight_ms(slot: str) -> int:
    day = date.fromisoformat(slot)
    return max(0, int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000))


# cards, read


def card(view: View, record: str) -> Card | None:
    row = view.conn.execute(f"SELECT {_CARD} FROM cards WHERE id = ? AND added_ms IS NOT NULL", (record,)).fetchone()
    return _card(row) if row else None


def card_of(view: View, word: str) -> Card | None:
    """The card of a word in any spelling that is forgiven; a removed one, too."""
    return card(view, card_id(word))


def cards(
    view: View, *, states: Collection[CardState] = LISTED, after: Card | None = None, limit: int = -1
) -> list[Card]:
    """In the order in which new ones are asked: by place, then as they were added. `after`: the last one seen."""
    where, values = _of(states)
    if after is not None:
        where += " AND (place, added_ms, id) > (?, ?, ?)"
        values += [after.order, after.added_ms, after.id]
    sql = f"SELECT {_CARD} FROM cards WHERE {where} ORDER BY place, added_ms, id LIMIT ?"
    return [_card(row) for row in view.conn.execute(sql, (*values, limit))]


def count(view: View, *, states: Collection[CardState] = LISTED) -> int:
    where, values = _of(states)
    found: int = view.conn.execute(f"SELECT count(*) FROM cards WHERE {where}", values).fetchone()[0]
    return found


def _of(states: Collection[CardState]) -> tuple[str, list[Any]]:
    marks = ", ".join("?" * len(states))
    return f"added_ms IS NOT NULL AND state IN ({marks})", [state.value for state in states]


# cards, written


def add_card(
    writer: Writer,
    word: str,
    *,
    by: AccountID,
    at_ms: int,
    meaning: str = "",
    ipa: str = "",
    pos: str = "",
    example: str = "",
    tags: Sequence[str] = (),
    order: int = 0,
) -> tuple[Card, bool]:
    """The card of `word`, and whether it is new. A removed one is new again; one that is there only gets what it lacks.

    `word`: as `is_word` takes it. Raises OverLimit past 2,000 characters of a field, NotFound for what was erased.
    """
    assert is_word(word)
    word = " ".join(word.split())
    record = card_id(word)
    fields: dict[str, Json] = {
        "meaning": meaning, "ipa": ipa, "pos": pos, "example": example, "tags": list(dict.fromkeys(tags)), "order": order,
    }  # fmt: skip
    wanted = {name: value for name, value in fields.items() if value}
    _check(wanted)
    if writer.register("meta", f"{BAN}{record}") is not None:
        raise NotFound("error-erased", ref=word)
    there = card(writer, record)
    if there is None:
        state: dict[str, Json] = {"added": at_ms, "card_state": CardState.ACTIVE.value}
        _make(writer, record, word, state | {_FIELDS[name]: value for name, value in wanted.items()}, by=by)
    else:
        lacking = {name: value for name, value in wanted.items() if not getattr(there, name)}
        if there.state is CardState.REMOVED:
            lacking["state"] = CardState.ACTIVE
        set_card(writer, record, by=by, **lacking)
    made = card(writer, record)
    assert made is not None
    return made, there is None or there.state is CardState.REMOVED


def _make(writer: Writer, record: EntryID, word: str, fields: Mapping[str, Json], *, by: AccountID) -> None:
    main = record_key(record, card_value(word))
    if writer.registers(record):  # another device's word of it has come before its record
        writer.keep([main])
        for field, wish in fields.items():
            writer.set(record, field, wish, by=by)
        return
    now = stamp(writer.now_ms, writer.device)
    writer.keep(
        [main]
        + [
            register_key(record, field, wish, stamp=now, by=by, at_ms=writer.now_ms, over=())
            for field, wish in fields.items()
        ]
    )


def set_card(writer: Writer, record: str, *, by: AccountID, **fields: Any) -> dict[str, Json]:
    """Sets `state`, `meaning`, `ipa`, `pos`, `example`, `tags` or `order`; gives what the registers held before.

    Raises OverLimit past 2,000 characters.
    """
    _check(fields)
    before: dict[str, Json] = {}
    for name, value in fields.items():
        if name == "state":
            before["card_state"] = writer.set(record, "card_state", CardState(value).value, by=by)
        else:
            wish = list(value) if name == "tags" else value
            before[_FIELDS[name]] = writer.set(record, _FIELDS[name], wish, by=by)
    return before


def _check(fields: Mapping[str, Any]) -> None:
    for value in fields.values():
        length = len(value) if isinstance(value, str) else sum(map(len, value)) if isinstance(value, list) else 0
        if length > CARD_TEXT_CHARACTERS_MAX:
            raise OverLimit("error-card-too-long", length=length, most=CARD_TEXT_CHARACTERS_MAX)


# reviews


def review(view: View, record: str) -> Review | None:
    row = view.conn.execute(f"SELECT {_REVIEW} FROM reviews WHERE id = ?", (record,)).fetchone()
    return _review(row) if row else None


def is_undone(view: View, record: str) -> bool:
    row = view.conn.execute(f"SELECT 1 FROM reviews WHERE id = ? AND {_COUNTS}", (record,)).fetchone()
    return row is None and review(view, record) is not None


def reviews(view: View, card: str) -> list[Review]:
    """What counts of a card, in the order in which it is replayed: nothing that was undone, no undoing."""
    sql = f"SELECT {_REVIEW} FROM reviews WHERE card = ? AND {_COUNTS} ORDER BY {_REPLAY}"
    return [_review(row) for row in view.conn.execute(sql, (card,))]


def all_reviews(view: View, *, from_ms: int = 0) -> list[Review]:
    """The same of every card together. `from_ms`: what came before is left out."""
    sql = f"SELECT {_REVIEW} FROM reviews WHERE at_ms >= ? AND {_COUNTS} ORDER BY {_REPLAY}"
    return [_review(row) for row in view.conn.execute(sql, (from_ms,))]


def events(view: View, card: str) -> list[Review]:
    """All that ever happened to a card, what was undone and the undoing too, in the same order."""
    sql = f"SELECT {_REVIEW} FROM reviews WHERE card = ? ORDER BY {_REPLAY}"
    return [_review(row) for row in view.conn.execute(sql, (card,))]


def attempt(view: View, card: str, slot: str) -> int:
    """Which try at a card the next one on this learning day is, from 1. What was undone has had its number."""
    sql = "SELECT count(*) FROM reviews WHERE card = ? AND slot = ? AND kind IN ('answer', 'reset')"
    done: int = view.conn.execute(sql, (card, slot)).fetchone()[0]
    return done + 1


def grade(writer: Writer, review: Review) -> bool:
    """Keeps one event; False when it is there already, whatever it said."""
    return keep_reviews(writer, [review]) == 1


def keep_reviews(writer: Writer, wanted: Iterable[Review]) -> int:
    """Keeps those events that are not there yet; gives how many."""
    new: dict[str, list[Key]] = {}
    seen: set[str] = set()
    for one in wanted:
        between = (f"{one.id}.", f"{one.id}/")
        there = writer.conn.execute("SELECT 1 FROM keys WHERE map = 'v' AND key > ? AND key < ?", between).fetchone()
        if there is None and one.id not in seen and writer.register("meta", f"{BAN}{one.id}") is None:
            seen.add(one.id)
            is_own = one.kind is not ReviewKind.IMPORT  # the same log taken in on two devices is the same events
            month = f"{datetime.fromtimestamp(ulid_time_ms(one.id) / 1000, UTC):%Y-%m}"
            new.setdefault(month, []).append(_key(replace(one, device=writer.device) if is_own else one))
    for keys in new.values():
        writer.keep(keys)
    return len(seen)


def undo_review(writer: Writer, record: str, *, by: AccountID, at_ms: int, zone: str) -> bool:
    """Takes an event back; False when there is none, or it has been taken back."""
    found = review(writer, record)
    if found is None or found.kind is ReviewKind.UNDO or is_undone(writer, record):
        return False
    undo = Review(
        undo_id(found), found.card, 0, at_ms, zone=zone, slot=found.slot, kind=ReviewKind.UNDO, undoes=found.id, by=by
    )
    return grade(writer, undo)


def _key(review: Review) -> Key:
    value: dict[str, Json] = {
        "at": review.at_ms, "by": review.by, "card": review.card, "device": review.device, "kind": review.kind.value,
        "slot": review.slot, "took": review.took_ms, "zone": review.zone,
    }  # fmt: skip
    if review.kind in TRIES:
        value["rating"] = review.rating
    if review.kind is ReviewKind.UNDO:
        value["undoes"] = review.undoes
    text = canonical(value)
    return Key("v", f"{review.id}.{digest(text)}", text)


# what was worked out of reviews


def remembered(view: View, engine: str, wanted: Collection[str] | None = None) -> dict[str, str]:
    """card → what `keep_remembered` was given for it under the name `engine`, unless anything happened to it since.

    `wanted`: of these cards alone.
    """
    sql, values = "SELECT card, value FROM card_memory WHERE engine = ?", [engine]
    if wanted is not None:
        sql, values = f"{sql} AND card IN ({', '.join('?' * len(wanted))})", [engine, *wanted]
    return dict(view.conn.execute(sql, values).fetchall())


def keep_remembered(writer: Writer, engine: str, values: Mapping[str, str]) -> None:
    """A cache of this copy: it can always be worked out again, and no other device hears of it."""
    writer.keep_remembered(engine, values)


def _card(row: Sequence[Any]) -> Card:
    record, word, added_ms, state, meaning, ipa, pos, example, tags, place = row
    listed = () if tags == "[]" else tuple(json.loads(tags))
    return Card(record, word, added_ms, _STATES[state], meaning, ipa, pos, example, listed, place)


def _review(row: Sequence[Any]) -> Review:
    """Fifty thousand of them are read at once."""
    record, card, kind, rating, at_ms, zone, took_ms, device, slot, undoes, by = row
    return Review(record, card, rating, at_ms, zone, took_ms, device, slot, _KINDS[kind], undoes, by)


_STATES = {state.value: state for state in CardState}
_KINDS = {kind.value: kind for kind in ReviewKind}
