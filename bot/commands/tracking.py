"""Words that a person keeps in view: each with how often it was met, where, and when last.

They are registers of `settings` (`track/<the folded word>`: as it was typed, "" when it is no longer tracked), so
every device shows the same list and what one adds another keeps.
"""

from __future__ import annotations

from typing import NamedTuple

from bot import render
from bot.commands import counts, evidence
from bot.intents import Track
from bot.message import Button, Reply, Shape
from bot.turn import Turn
from store.errors import BadCommand
from store.model import TRACKED_BYTES_MAX, TRACKED_MAX, RefID
from store.occurrences import TRACK, occurrences, tracked_field

HAN_BYTES = 3
"""Of one Chinese character in UTF-8."""


class Tracked(NamedTuple):
    at_ms: int
    field: str
    term: str


def track(turn: Turn, intent: Track) -> Reply:
    if not intent.term:
        return listed(turn)
    field = tracked_field(intent.term)
    there = next((one for one in _tracked(turn) if one.field == field), None)
    if not intent.on:
        return _end(turn, there) if there else turn.say(turn.words("track-unknown", term=render.quoted(intent.term)))
    shown = render.quoted(there.term if there else intent.term)
    if there is None:
        _set(turn, field, intent.term)
    name = "track-already" if there else "track-set"
    stop = turn.button("button-stop-tracking", turn.offer(do="untrack", field=field))
    row, met = _row(turn, intent.term)
    return turn.say(
        turn.words(name, term=shown), row, buttons=(stop, counts.lines_offer(turn, intent.term)) if met else (stop,)
    )


def listed(turn: Turn, start: int = 0) -> Reply:
    """Ten tracked words from `start` on, the one that was added last first."""
    every = _tracked(turn)
    shown = every[start : start + evidence.LIST_MAX]
    if not shown:
        turn.notes.empty = True
        return turn.say(turn.words("track-empty"))
    left = len(every) - start - len(shown)
    more = (turn.button("button-more", f"tracked {start + len(shown)}", n=left),) if left > 0 else ()
    return turn.say(turn.words("track-title", n=len(every)), *(_row(turn, one.term)[0] for one in shown), buttons=more)


def stop(turn: Turn, field: str) -> Reply:
    """[Stop tracking]"""
    there = next((one for one in _tracked(turn) if one.field == field), None)
    return _end(turn, there, shape=Shape.EDIT) if there else turn.toast("toast-done-already")


def taken_back(turn: Turn, field: str, term: str) -> Reply:
    """What is said when undo has set the register `field` back to `term`."""
    if term:
        return turn.pressed("track-set", term=render.quoted(term))
    return turn.pressed("track-removed", term=render.quoted(field.removeprefix(TRACK)))


def _end(turn: Turn, there: Tracked, *, shape: Shape = Shape.MESSAGE) -> Reply:
    turn.writer.set("settings", there.field, "", by=turn.account)
    undo: Button = turn.undo_button("", "track", [("settings", there.field, there.term)])
    return turn.say(turn.words("track-removed", term=render.quoted(there.term)), buttons=(undo,), shape=shape)


def _set(turn: Turn, field: str, term: str) -> None:
    if len(field.removeprefix(TRACK).encode()) > TRACKED_BYTES_MAX or not field.isprintable():
        raise BadCommand("error-track", letters=TRACKED_BYTES_MAX, most=TRACKED_BYTES_MAX // HAN_BYTES)
    if len(_tracked(turn)) >= TRACKED_MAX:
        raise BadCommand("error-track-full", n=TRACKED_MAX)
    turn.writer.set("settings", field, term, by=turn.account)
    turn.writer.undoable_write(
        chat=turn.chat, account=turn.account, shown=RefID(""), verb="track", steps=[("settings", field, "")]
    )


def _tracked(turn: Turn) -> list[Tracked]:
    """The one that was added last first."""
    found = (
        Tracked(one.at_ms, field, str(one.value))
        for field, one in turn.writer.registers("settings").items()
        if field.startswith(TRACK) and one.value
    )
    return sorted(found, reverse=True)


def _row(turn: Turn, term: str) -> tuple[str, bool]:
    """“budget” · 4 times in 3 entries, last Fri 3 May; and whether it was met at all."""
    found = occurrences(turn.writer, term)
    shown = render.quoted(term)
    if not found.places:
        return turn.words("track-row-none", term=shown), False
    last = counts.near_or_day(turn, found.places[0].at_ms)
    return turn.words(
        "track-row", term=shown, times=found.times, where=counts.where(turn, found), last=last
    ), True  # fmt: skip
