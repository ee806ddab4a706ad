"""How long this device keeps the chat, where somebody has said so: a note of this copy, and what it means for a night.

Nothing goes before it was told: the command says what goes first and when, and where a digest of this device names
what goes the next night, nothing goes that no digest that was sent has named. Nor does anything go by a clock that has
just jumped: it is looked at again after a day. Off until it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from scheduler.slots import instant
from store.retention import forget_talk, talk_before
from store.view import View
from store.writer import Writer

NOTE = "keep-chat"
DAYS_MIN, DAYS_MAX = 7, 3650
"""Platforms bring a message again for some days, so those are kept."""
NAMED_MAX = 10
"""Of so many digests it is known that they named what goes."""
_DAY_MS = 24 * 60 * 60 * 1000
JUMP_MS, APART_MS = 3 * _DAY_MS, 32 * _DAY_MS
"""So long after the last look a night is not believed at once; so long after that one another says nothing about it."""
AGAIN_MS = 23 * 60 * 60 * 1000
"""So long after a look that was not believed another is: a day, and there is one of 23 hours."""

Digests = Collection[date] | None
"""The days on which a digest was sent; None where no digest of this device is to name what goes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """`told`: what was said before this day may go; a person was told. `first`: the first night that takes anything.
    `named`: the days whose digest names what goes the night after, should it be sent. `seen_ms`: when this was looked
    at last, with `turn` as the newest one then; `doubt_ms`: since when the clock is not believed, 0 when it is."""

    days: int
    told: date
    first: date
    named: tuple[date, ...] = ()
    seen_ms: int = 0
    turn: int = 0
    doubt_ms: int = 0


def kept(view: View) -> Kept | None:
    note = view.note(NOTE)
    if note is None:
        return None
    return Kept(
        int(note["days"]),
        date.fromisoformat(note["told"]),
        date.fromisoformat(note["first"]),
        tuple(date.fromisoformat(day) for day in note.get("named", ())),
        int(note.get("seen", 0)),
        int(note.get("turn", 0)),
        int(note.get("doubt", 0)),
    )


def keep(writer: Writer, days: int, today: date) -> int:
    """From now on. Gives how many messages go in the coming night, of which the person is told now.

    Since a person hears the number, the clock that it was counted by is believed.
    """
    first = today + timedelta(days=1)
    told = first - timedelta(days=days)
    _note(writer, Kept(days, told, first, seen_ms=writer.now_ms, turn=writer.newest_turn()))
    return talk_before(writer, told.isoformat())


def keep_all(writer: Writer) -> None:
    writer.drop_note(NOTE)


def name(writer: Writer, today: date, at_ms: int) -> tuple[int, date]:
    """How many messages go in the coming night, at `at_ms`, and before which day they were said: for today's digest.

    They are told of once that is sent, which the night knows.
    """
    found = kept(writer)
    if found is None or _looked(writer, found, at_ms).doubt_ms:
        return 0, today
    before = _before(found, today + timedelta(days=1))
    number = talk_before(writer, before.isoformat())
    if number and today not in found.named:
        _note(writer, replace(found, named=(*found.named, today)[-NAMED_MAX:]))
    return number, before


def named(view: View) -> tuple[date, ...]:
    found = kept(view)
    return found.named if found else ()


def going(view: View, night: date, at_ms: int, digests: Digests) -> int:
    """How many messages that night, at `at_ms`, takes out."""
    before = _due(view, night, at_ms, digests)
    return talk_before(view, before.isoformat()) if before else 0


def forget(writer: Writer, night: date, zone: str, at_ms: int, digests: Digests) -> int:
    """Takes them out and gives how many; notes that this night was looked at, and when."""
    found = kept(writer)
    if found is None:
        return 0
    before = _due(writer, night, at_ms, digests)
    _note(writer, replace(_looked(writer, found, at_ms), told=_told(found, night, digests or ())))
    if before is None:
        return 0
    at = instant(before, time.min, zone) or datetime.combine(before, time.min)
    return forget_talk(writer, before.isoformat(), int(at.timestamp() * 1000))


def _due(view: View, night: date, at_ms: int, digests: Digests) -> date | None:
    """What was said before this day goes in this night; None for nothing."""
    found = kept(view)
    if found is None or night < found.first or _looked(view, found, at_ms).doubt_ms:
        return None
    before = _before(found, night)
    if digests is not None:
        before = min(before, _told(found, night, digests))
    return before if talk_before(view, before.isoformat()) else None


def _before(found: Kept, night: date) -> date:
    return night - timedelta(days=found.days)


def _told(found: Kept, night: date, digests: Collection[date]) -> date:
    sent = (day for day in found.named if day in digests and day < night)
    return max([found.told, *(_before(found, day + timedelta(days=1)) for day in sent)])


def _looked(view: View, found: Kept, at_ms: int) -> Kept:
    """As it is after a look at `at_ms`. A clock that is years ahead for an hour must not cost the whole chat.

    One that jumped, or went back, is believed when a look at least a day later agrees. Whoever was away for a month
    waits for that day, too.
    """
    doubt_ms = found.doubt_ms
    if at_ms < found.seen_ms or _was_set_back(view, found):
        doubt_ms = at_ms
    elif doubt_ms and at_ms - found.seen_ms <= APART_MS:
        doubt_ms = 0 if at_ms - doubt_ms >= AGAIN_MS else doubt_ms
    elif at_ms - found.seen_ms > JUMP_MS:
        doubt_ms = at_ms
    return replace(found, seen_ms=at_ms, turn=view.newest_turn(), doubt_ms=doubt_ms)


def _was_set_back(view: View, found: Kept) -> bool:
    """Whether something was said since the last look that is a day older than it."""
    return bool(view.turns("id > ? AND at_ms < ?", (found.turn, found.seen_ms - _DAY_MS), limit=1))


def _note(writer: Writer, kept: Kept) -> None:
    body = {
        "days": kept.days,
        "told": kept.told.isoformat(),
        "first": kept.first.isoformat(),
        "named": [day.isoformat() for day in kept.named],
        "seen": kept.seen_ms,
        "turn": kept.turn,
        "doubt": kept.doubt_ms,
    }
    writer.keep_note(NOTE, json.dumps(body))
