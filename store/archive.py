"""What an entry weighs and when it goes cold: by rule, from what every device of the scope holds alike. Pure.

Cold is only said of a search: a cold entry is left out of the default one, and nothing else changes for it. It stands
in every list, its RefID leads to it, exact search and the search of the archive find it, and a pin warms it again.
The rule is written twice, for rows (`cold_condition`) and for values (`is_cold`); a test holds the two equal.
"""

from __future__ import annotations

from datetime import date, timedelta

from store.model import Draft, Entry, EntryKind

IMPORTANCE_MAX = 1000
HIGH, MEDIUM, LOW = 800, 500, 200
"""What the words high, medium and low stand for."""
PINNED_MIN = 900
AGAIN = 50
"""For each time the same words were said again."""
AGAIN_MAX = 850
"""Saying it again lifts no entry above this."""

COLD_IMPORTANCE_MAX = 300
COLD_AFTER_DAYS = 365
"""So old goes cold what a person or an import called as unimportant as that."""
_NEVER_BY_AGE = (EntryKind.DECISION, EntryKind.RULE, EntryKind.PREFERENCE)
_BY_KIND = {
    EntryKind.DECISION: 700,
    EntryKind.RULE: 700,
    EntryKind.PREFERENCE: 600,
    EntryKind.FACT: 500,
    EntryKind.QUOTE: 400,
    EntryKind.NOTE: 400,
    EntryKind.CHECKPOINT: 400,
}


def importance_of(entry: Entry, times: int = 1) -> int:
    """0–1000. `times`: how often the same words were said, itself included (`View.repeats`)."""
    return weight_of(entry.draft.kind, entry.importance, times, pinned=entry.pinned)


def weight_of(kind: EntryKind, importance: int | None, times: int, *, pinned: bool) -> int:
    """The same from the columns of a row."""
    if importance is None:
        weight = max(_BY_KIND[kind], min(_BY_KIND[kind] + AGAIN * (times - 1), AGAIN_MAX))
    else:
        weight = min(importance, IMPORTANCE_MAX)
    return max(weight, PINNED_MIN) if pinned else weight


def is_cold(entry: Entry, today: date) -> bool:
    """Whether the default search leaves `entry` out on this day of the person's zone."""
    if entry.pinned:
        return False
    if entry.until and entry.until < today.isoformat():
        return True
    return (
        entry.importance is not None
        and entry.importance <= COLD_IMPORTANCE_MAX
        and entry.draft.kind not in _NEVER_BY_AGE
        and entry.day < _cold_before(today)
    )


def cold_condition(today: date) -> tuple[str, list[str]]:
    """`is_cold` as a condition on the columns of `entries`, never NULL, so that NOT turns it round; and its values."""
    kinds = ", ".join(f"'{kind.value}'" for kind in _NEVER_BY_AGE)
    condition = (  # the first words are those of the index that finds the few (`schema.py`)
        "((until <> '' OR importance IS NOT NULL) AND pinned = 0 AND ((until <> '' AND until < ?)"
        f" OR (importance IS NOT NULL AND importance <= {COLD_IMPORTANCE_MAX} AND kind NOT IN ({kinds}) AND day < ?)))"
    )
    return condition, [today.isoformat(), _cold_before(today)]


def _cold_before(today: date) -> str:
    """Days before this one are more than `COLD_AFTER_DAYS` ago."""
    oldest = date.min + timedelta(days=COLD_AFTER_DAYS)
    return (max(today, oldest) - timedelta(days=COLD_AFTER_DAYS)).isoformat()


def day_of(value: object) -> str:
    """A register `until` as its column holds it: an ISO day in its one spelling; anything else is for good, ""."""
    try:
        return value if isinstance(value, str) and date.fromisoformat(value).isoformat() == value else ""
    except ValueError:
        return ""


def registers_of(draft: Draft) -> dict[str, str | int]:
    """What a draft asks for that may change later, as registers of its entry."""
    asked: dict[str, str | int] = {}
    if draft.until:
        asked["until"] = draft.until
    if draft.importance is not None:
        asked["importance"] = draft.importance
    return asked
