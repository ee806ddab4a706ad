"""A RefID that leads to two records: which one is meant is asked with both texts, never picked.

It happens when memories that counted apart are united. Every command that takes a RefID comes by here first; the
button pressed then says the same command with the record's own id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from bot import render
from bot.commands import devices, restore, undo
from bot.commands.remember import pack, unpack
from bot.intents import Correct, Forget, History, Intent, MoveTask, Parsed, Pin, TaskMove, Undo, Why
from bot.message import Line, Reply
from bot.turn import Turn
from store.ids import parse_label
from store.model import Entry, Task

Naming = Why | History | Pin | Forget | Undo | Correct | MoveTask
"""The intents that may name a record by its RefID."""


def ask(turn: Turn, intent: Intent) -> Reply | None:
    """The question; None when `intent` names no RefID, or one that leads to one record at most."""
    if not isinstance(intent, Naming):
        return None
    ref = _ref(intent)
    found = _undoable(turn, ref) if isinstance(intent, Undo) else _visible(turn, turn.writer.labelled(ref))
    if len(found) < 2:
        return None
    offer = turn.offer(do="which", choices=[one.id for one in found], **_packed(intent))
    turn.cite(found[0].label)
    buttons = tuple(turn.button("button-choice", f"{offer} {n}", number=n + 1) for n in range(len(found)))
    lines = [_line(turn, number, one) for number, one in enumerate(found, 1)]
    title = turn.words("ask-which-of-ref", ref=found[0].label, n=len(found))
    return turn.say(title, *lines, buttons=buttons[:3])


def chosen(body: dict[str, Any], record: str) -> Parsed:
    """What was asked for, about this record."""
    intent: Naming
    match body["name"]:
        case "why":
            intent = Why(record)
        case "history":
            intent = History(record)
        case "pin":
            intent = Pin(record, body["on"])
        case "forget":
            intent = Forget(record)
        case "undo":
            intent = Undo(record)
        case "correct":
            intent = Correct(unpack(body["draft"]), record)
        case _:
            intent = MoveTask(TaskMove(body["to"]), record, body["because"], body["resume"])
    return Parsed(intent, "")


def _ref(intent: Naming) -> str:
    match intent:
        case Why(ref) | History(ref) | Pin(ref) | Correct(_, ref):
            return ref
        case Forget(what) | Undo(what) | MoveTask(_, what):
            return what
        case _:
            assert_never(intent)


def _packed(intent: Naming) -> dict[str, Any]:
    match intent:
        case Pin(_, on):
            return {"name": "pin", "on": on}
        case Correct(draft):
            return {"name": "correct", "draft": pack(draft)}
        case MoveTask(to, _, because, resume):
            return {"name": "move", "to": to.value, "because": because, "resume": resume}
        case _:
            return {"name": type(intent).__name__.lower()}


def _visible(turn: Turn, records: Iterable[str]) -> list[Entry | Task]:
    found = (one for one in _records(turn, records) if not one.hidden)
    return [one for one in found if not (isinstance(one, Entry) and one.held and not restore.may_answer(turn, one))]


def _undoable(turn: Turn, ref: str) -> list[Entry | Task]:
    """What this person has written of it here and can still take back: a forgotten one is hidden, and meant."""
    if parse_label(ref) is None:
        return []
    records = dict.fromkeys(one.steps[0][0] for one in undo.undoables(turn, ref))
    return _records(turn, records)


def _records(turn: Turn, records: Iterable[str]) -> list[Entry | Task]:
    """Oldest first, so that the numbers mean the same whatever was asked for."""
    found = (turn.writer.entry(record) or turn.writer.task(record) for record in records)
    return sorted((one for one in found if one), key=lambda one: (one.at_ms, one.id))


def _line(turn: Turn, number: int, one: Entry | Task) -> Line:
    """1. “the words” — you, today 10:00, home"""
    words = one.draft.text if isinstance(one, Entry) else one.title
    when = render.full_moment(turn.words, render.local(one.at_ms, turn.zone), turn.today)
    text = turn.words(
        "choice-of-ref", number=number, text=render.quoted(render.short(words, 60)),
        who=turn.who(one.author, inside=True), when=when, device=devices.device_of(turn, one.label),
    )  # fmt: skip
    return Line(text, stored=True)
