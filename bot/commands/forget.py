"""Forgetting, taking back, pinning.

Forgetting asks once, hides at once, can be undone for ten minutes, and then the words are erased for good.
It takes the whole chain of versions, unless a RefID names one version of several.
"""

from __future__ import annotations

from bot import render
from bot.commands import receipts
from bot.commands.remember import CHOICES_MAX, ask_which, entry_of
from bot.intents import Forget, Pin, Undo
from bot.message import Line, Reply, Shape
from bot.turn import Turn
from store.errors import NotAllowed, NotFound
from store.ids import parse_label
from store.model import Entry, Role
from store.recall import Question, recall
from store.view import UNDO_MS, Undoable


def forget(turn: Turn, intent: Forget) -> Reply:
    found = _meant(turn, intent.what)
    if not found:
        raise NotFound("error-nothing-to-forget" if intent.what else "error-nothing-said-yet")
    if len(found) > 1:
        return ask_which(turn, found[:CHOICES_MAX], {"do": "forget-ask"}, "ask-which-forget")
    return confirm(turn, found[0])


def _meant(turn: Turn, what: str) -> list[Entry]:
    view = turn.writer
    if not what:
        for last in view.turns("chat = ? AND cited <> '[]'", (turn.chat,), limit=1):
            records = [record for label in last.cited for record in view.labelled(label)]
            return [e for record in dict.fromkeys(records) if (e := view.entry(record)) and not e.hidden]
        return []
    if parse_label(what):
        return [entry_of(turn, what)]
    answer = recall(view, Question(words=what, today=turn.today))
    if answer.disagree:
        return list(answer.entries)
    # Only what matches about as well as the best: forgetting the wrong one is worse than asking.
    return list(answer.entries[:CHOICES_MAX])


def confirm(turn: Turn, entry: Entry) -> Reply:
    if not _may(turn, entry):
        raise NotAllowed("error-forget-not-yours", who=turn.name(entry.author))
    chain = turn.writer.chain(entry.id)
    turn.cite(entry.label)
    offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "forget", "id": entry.id})
    at = render.full_moment(turn.words, turn.when(entry), turn.today)
    versions = turn.words("forget-versions", n=len(chain)) if len(chain) > 1 else ""
    return turn.say(
        turn.words("forget-ask"),
        receipts.quote(turn, entry),
        f"{entry.label} · {at}",
        versions,
        buttons=(turn.button("button-forget", f"offer {offer} yes"), turn.button("button-keep", f"offer {offer} no")),
    )


def _may(turn: Turn, entry: Entry) -> bool:
    return turn.private or entry.author == turn.account or turn.role in (Role.ADMIN, Role.OWNER)


def forgotten(turn: Turn, record: str) -> Reply:
    """The person pressed [Forget]: the whole chain is hidden, and gone for good when undoing is over."""
    entry = turn.writer.entry(record)
    if entry is None or entry.hidden:
        return turn.toast("toast-done-already")
    chain = turn.writer.chain(record)
    for one in chain:
        turn.writer.set(one.id, "hidden", True, by=turn.account)
    undo = turn.writer.undoable_write(
        chat=turn.chat, account=turn.account, shown=entry.label, verb="forget",
        steps=[(one.id, "hidden", False) for one in chain],
    )  # fmt: skip
    return turn.say(
        turn.words("receipt-forgotten", ref=entry.label),
        buttons=(turn.button("button-undo", f"undo {undo}"),),
        shape=Shape.EDIT,
    )


def undo(turn: Turn, intent: Undo) -> Reply:
    """/undo: the last write of this person here, or the one a RefID names."""
    view = turn.writer
    found = view.last_undoable(turn.chat, turn.account)
    if intent.what:
        label = parse_label(intent.what)
        found = view.undoable_for(turn.chat, turn.account, label) if label else None
    if found is None:
        raise NotFound("error-nothing-to-undo")
    return take_back(turn, found.id)


def take_back(turn: Turn, undo_id: str) -> Reply:
    """The window and the result are the same for the button, for /undo and after a restart."""
    found = turn.writer.undoable(undo_id)
    if found is None:
        return turn.toast("toast-erased")
    if found.account != turn.account:
        return turn.toast("toast-only", who=turn.name(found.account))
    if found.done:
        return turn.toast("toast-done-already")
    if turn.now_ms - found.at_ms > UNDO_MS:
        return turn.toast("toast-erased" if found.verb == "forget" else "toast-too-late")
    turn.writer.take_back(found.id, found.steps, by=turn.account)
    return _taken_back(turn, found)


def _taken_back(turn: Turn, found: Undoable) -> Reply:
    turn.cite(found.label)
    record = found.steps[0][0]
    entry = turn.writer.entry(record)
    match found.verb:
        case "forget":
            assert entry is not None
            lines: tuple[Line, ...] = receipts.quote(turn, entry)
            return turn.say(turn.words("receipt-put-back", ref=found.label), lines, shape=Shape.EDIT)
        case "save":
            return receipts.pressed(turn, "receipt-undone", ref=found.label)
        case _:
            return receipts.pressed(turn, "receipt-undone-back", ref=found.label)


def pin(turn: Turn, intent: Pin) -> Reply:
    entry = entry_of(turn, intent.ref)
    before = turn.writer.set(entry.id, "pinned", intent.on, by=turn.account)
    turn.cite(entry.label)
    undo_id = turn.writer.undoable_write(
        chat=turn.chat, account=turn.account, shown=entry.label, verb="pin",
        steps=[(entry.id, "pinned", before is True)],
    )  # fmt: skip
    return turn.say(
        turn.words("pinned" if intent.on else "unpinned", ref=entry.label),
        receipts.quote(turn, entry),
        buttons=(turn.button("button-undo", f"undo {undo_id}"),),
    )
