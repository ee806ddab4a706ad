"""How long this device keeps the chat, where somebody has said so: a note of this copy, and what it means for a night.

Nothing goes before it was told: the command says what goes first and when, and where a morning digest is on, each one
names what goes the next night. Off until it is asked for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from bot.habits import habits
from scheduler.slots import instant
from store.retention import forget_talk, talk_before
from store.view import View
from store.writer import Writer

NOTE = "keep-chat"
DAYS_MIN, DAYS_MAX = 7, 3650
"""Platforms bring a message again for some days, so those are kept."""


@dataclass(frozen=True, slots=True)
class Kept:
    """`told`: what was said before this day may go; a person was told. `first`: the first night that takes anything."""

    days: int
    told: date
    first: date


def kept(view: View) -> Kept | None:
    note = view.note(NOTE)
    if note is None:
        return None
    return Kept(int(note["days"]), date.fromisoformat(note["told"]), date.fromisoformat(note["first"]))


def keep(writer: Writer, days: int, today: date) -> int:
    """From now on. Gives how many messages go in the coming night, of which the person is told now."""
    first = today + timedelta(days=1)
    told = first - timedelta(days=days)
    _note(writer, Kept(days, told, first))
    return talk_before(writer, told.isoformat())


def keep_all(writer: Writer) -> None:
    writer.drop_note(NOTE)


def tell(writer: Writer, today: date) -> tuple[int, date]:
    """How many messages go in the coming night, and before which day they were said; noted as told."""
    found = kept(writer)
    if found is None:
        return 0, today
    told = today + timedelta(days=1) - timedelta(days=found.days)
    if told > found.told:
        _note(writer, replace(found, told=told))
    return talk_before(writer, told.isoformat()), told


def due(view: View, night: date) -> date | None:
    """What was said before this day goes in this night; None for nothing."""
    found = kept(view)
    if found is None or night < found.first:
        return None
    before = night - timedelta(days=found.days)
    if habits(view).digest.on:
        before = min(before, found.told)
    return before if talk_before(view, before.isoformat()) else None


def going(view: View, night: date) -> int:
    before = due(view, night)
    return talk_before(view, before.isoformat()) if before else 0


def forget(writer: Writer, night: date, zone: str) -> int:
    before = due(writer, night)
    if before is None:
        return 0
    at = instant(before, time.min, zone) or datetime.combine(before, time.min)
    return forget_talk(writer, before.isoformat(), int(at.timestamp() * 1000))


def _note(writer: Writer, kept: Kept) -> None:
    body = {"days": kept.days, "told": kept.told.isoformat(), "first": kept.first.isoformat()}
    writer.keep_note(NOTE, json.dumps(body))
