"""Taking a write back: the window and the result are the same for the button, for /undo and after a restart."""

from __future__ import annotations

from collections.abc import Sequence

from bot import render
from bot.commands import daily, devices, forget, receipts, tracking, words_aside, words_cards
from bot.intents import Undo
from bot.message import Reply, Shape
from bot.turn import Turn
from store.errors import NotFound
from store.ids import parse_label
from store.own_rows import UNDO_MS, Undoable


def undo(turn: Turn, intent: Undo) -> Reply:
    """/undo: the last write of this person here, or the one a RefID names."""
    view = turn.writer
    found = view.last_undoable(turn.chat, turn.account)
    if intent.what:
        found = next(iter(undoables(turn, intent.what)), None)
    if found is None:
        raise NotFound("error-nothing-to-undo")
    return take_back(turn, found.id)


def undoables(turn: Turn, ref: str) -> list[Undoable]:
    """This person's writes here on a RefID, or on one record that it leads to; newest first."""
    view = turn.writer
    shown = view.entry(ref) or view.task(ref)
    label = shown.label if shown else parse_label(ref)
    found = view.undoables(turn.chat, turn.account, label) if label else []
    return [one for one in found if not shown or one.steps[0][0] == shown.id]


def take_back(turn: Turn, undo_id: str) -> Reply:
    found = turn.writer.undoable(undo_id)
    if found is None:
        return turn.toast("toast-erased")
    if found.account != turn.account:
        return turn.toast("toast-only", who=turn.name(found.account))
    if found.done:
        return turn.toast("toast-done-already")
    if turn.now_ms - found.at_ms > UNDO_MS:
        alone = devices.count(turn) == 1 and not devices.is_removed(turn.writer, turn.device_id)
        return turn.toast("toast-erased" if found.verb == "forget" and alone else "toast-too-late")
    if found.verb not in ("forget", "save") and _is_gone(turn, found.steps[0][0]):
        return turn.toast("toast-gone")
    if found.verb == "grade":
        return words_aside.undo(turn, found.steps[0][1])
    earlier = [e.label for record, _, _ in found.steps for e in turn.writer.earlier(record)]
    if found.verb == "save":
        for record in (record for record, field, _ in found.steps if field == "hidden"):
            for one in forget.nearest_above(turn, record):
                forget.let_stay(turn, one)
    turn.writer.take_back(found.id, daily.still_to_take_back(turn, found.label, found.steps), by=turn.account)
    turn.notes.timed = turn.notes.timed or any(record == "settings" for record, _, _ in found.steps)
    return _taken_back(turn, found, earlier)


def _is_gone(turn: Turn, record: str) -> bool:
    """Whether what was changed has been forgotten meanwhile; the profile is always there."""
    entry, task = turn.writer.entry(record), turn.writer.task(record)
    return bool((entry and entry.hidden) or (task and task.hidden))


def _taken_back(turn: Turn, found: Undoable, earlier: Sequence[str]) -> Reply:
    record, field, value = found.steps[0]
    if found.label:
        turn.cite(found.label)
    match found.verb:
        case "forget":
            entry, task = turn.writer.entry(record), turn.writer.task(record)
            lines = receipts.quote(turn, entry) if entry else ()
            lines = render.stored_lines(turn.words, task.title)[0] if task else lines
            return turn.say(turn.words("receipt-put-back", ref=found.label), lines, shape=Shape.EDIT)
        case "save":
            revived = [label for label in earlier if _is_current(turn, label)]
            again = turn.words("current-again", refs=turn.listed(revived)) if revived else ""
            return turn.pressed("receipt-undone", again, ref=found.label)
        case "profile":
            if not value:
                return turn.pressed("profile-removed", name=field)
            return turn.pressed("profile-set", name=field, value=render.quoted(str(value)))
        case "track":
            return tracking.taken_back(turn, field, str(value))
        case "known":
            return words_aside.known_undone(turn, record)
        case "fewer":
            return words_aside.fewer_undone(turn)
        case "card":
            return words_cards.taken_back(turn, [step[0] for step in found.steps])
        case "habit":
            turn.notes.timed = True
            return turn.pressed("habit-as-before")
        case _:
            return turn.pressed("receipt-undone-back", ref=found.label)


def _is_current(turn: Turn, label: str) -> bool:
    return any((e := turn.writer.entry(record)) and e.current for record in turn.writer.labelled(label))
