"""What an exact line may say of learning: cards, what happened to them, and how a person learns. Pure.

Whose file it is, is not known: ids that are made of what they stand for must be the right ones, and of the settings
only those count that neither speak to anybody nor say where.
"""

from __future__ import annotations

import re
from typing import Any

from store.changes import Json, canonical
from store.fold import card_value, fold_review, is_number
from store.formats.values import Judge, is_flag, is_line, is_moment, is_record, list_of, zones
from store.ids import DEVICE_CHARACTERS, card_id, is_word, named_ulid, ulid_time_ms
from store.model import CARD_TEXT_CHARACTERS_MAX, CardState, EntryID, ReviewKind

_EVENT = {"at", "by", "card", "device", "kind", "rating", "slot", "took", "undoes", "zone"}
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_ENGINE = {"again", "engine", "parameters", "retention", "steps"}
_AMOUNT_MAX = 500


def is_card(record: str, value: dict[str, Any]) -> bool:
    word = value.get("word")
    return isinstance(word, str) and is_word(word) and card_id(word) == record and value == card_value(word)


def is_review(record: str, value: Json) -> bool:
    """One event about a card, under the id that it must have where that can be told."""
    if not isinstance(value, dict) or not value.keys() <= _EVENT or not is_record(value.get("card")):
        return False
    event = fold_review(record, {"": canonical(value)})
    if event is None or not is_moment(event.at_ms) or not is_line(event.by):
        return False
    if event.kind is ReviewKind.UNDO and not (
        is_record(event.undoes) and record == named_ulid(ulid_time_ms(EntryID(event.undoes)), "undo", event.undoes)
    ):
        return False
    number = ulid_time_ms(EntryID(record))
    if event.kind is ReviewKind.IMPORT and record != named_ulid(number, "anki", str(number), event.card):
        return False
    return (event.zone == "" or event.zone in zones()) and re.fullmatch(
        rf"(?:[0-9a-f]{{{DEVICE_CHARACTERS}}})?", event.device
    ) is not None


def _is_field_of_card(value: Json) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= CARD_TEXT_CHARACTERS_MAX)


def _is_engine(value: Json) -> bool:
    """Whether it is one of ours is for `scheduler.review` to say: what it does not know it passes over."""
    return value is None or (
        isinstance(value, dict) and value.keys() == _ENGINE and len(canonical(value)) <= _AMOUNT_MAX * 4
    )


def _is_amount(value: Json) -> bool:
    return value is None or (type(value) is int and 0 <= value <= _AMOUNT_MAX)


FIELDS: dict[str, Judge] = {
    "added": is_moment,
    "card_state": lambda value: value in tuple(CardState),
    **dict.fromkeys(("meaning", "ipa", "pos", "example"), _is_field_of_card),
    "card_tags": lambda value: list_of(is_line)(value) and _is_field_of_card("".join(map(str, value))),  # type: ignore[arg-type]
    "order": is_number,
}
"""Registers of a card."""
SETTINGS: dict[str, Judge] = {
    "day_starts": lambda value: value is None or (isinstance(value, str) and _CLOCK.fullmatch(value) is not None),
    "fsrs": _is_engine,
    **dict.fromkeys(("words_new", "words_cap", "words_grades"), _is_amount),
    "words_typed": is_flag,
    "words_plan": lambda value: value is None or (is_line(value) and len(value) <= 40),
}
