"""What was changed on one device after it was forgotten on another: nobody decides for the people who said it.

Until somebody answers it is no answer to any question; it shows only where it is asked about. In a group only its
author or an admin is asked, since the words may repeat what was forgotten.
"""

from __future__ import annotations

from bot.commands import evidence, finding, receipts
from bot.commands.forget import forgotten, may_forget
from bot.intents import Correct, History, Intent, Pin, Why
from bot.message import Button, Reply, Shape
from bot.turn import Turn
from store.changes import Json
from store.errors import NotFound
from store.ids import parse_label
from store.model import Entry
from store.recall import recall_held


def ask(turn: Turn, intent: Intent) -> Reply | None:
    """The question, for a command that names a held entry; None for everything else. Raises NotFound."""
    if not isinstance(intent, Why | History | Pin | Correct):
        return None
    records = [intent.ref] if parse_label(intent.ref) is None else turn.writer.labelled(intent.ref)
    found = [e for record in records if (e := turn.writer.entry(record)) and not e.hidden]
    if len(found) != 1 or not found[0].held:
        return None
    if not may_answer(turn, found[0]):
        raise NotFound("error-hidden", ref=found[0].label)
    return question(turn, found[0])


def asked_for(turn: Turn, words: str) -> Entry | None:
    """The held entry that these words would have found, if this person may answer for it."""
    return next((one for one in recall_held(turn.writer, words, turn.today) if may_answer(turn, one)), None)


def question(turn: Turn, entry: Entry) -> Reply:
    """这条在忘掉之后又改过，要放回来吗？ / This was changed after it was forgotten. Put it back?"""
    newest = _held(turn, entry)[-1]
    turn.cite(newest.label)
    offer = turn.offer(do="restore", id=newest.id)
    return turn.say(
        turn.words("held-ask"),
        receipts.quote(turn, newest),
        evidence.citation(turn, newest, dated=True),
        buttons=(turn.button("button-put-back", f"{offer} yes"), turn.button("button-forget", f"{offer} no")),
    )


def waiting(turn: Turn) -> tuple[str, tuple[Button, ...]]:
    """For /status: how many wait for this person, with a button to the first; "" when none does."""
    found = [one for one in turn.writer.held() if may_answer(turn, one)]
    if not found:
        return "", ()
    look = turn.button("button-look", f"why {finding.ref_of(turn, found[0])}")
    return turn.words("status-held", n=len(found), shown=turn.number(len(found))), (look,)


def chosen(turn: Turn, record: str, choice: str) -> Reply:
    entry = turn.writer.entry(record)
    held = _held(turn, entry) if entry and not entry.hidden else []
    if entry is None or not held or not may_answer(turn, entry):
        return turn.toast("toast-gone")
    field, value, before = ("restored", True, False) if choice == "yes" else ("hidden", True, False)
    steps: list[tuple[str, str, Json]] = [(one.id, field, before) for one in reversed(held)]
    for one in held:
        turn.writer.set(one.id, field, value, by=turn.account)
    if choice != "yes":
        return forgotten(turn, entry.label, steps)
    undo = turn.undo_button(entry.label, "restore", steps)
    turn.cite(entry.label)
    lines = receipts.quote(turn, entry)
    return turn.say(turn.words("receipt-put-back", ref=entry.label), lines, buttons=(undo,), shape=Shape.EDIT)


def _held(turn: Turn, entry: Entry) -> list[Entry]:
    """The held versions of one statement, oldest first: they are put back, or forgotten, together."""
    return [one for one in turn.writer.chain(entry.id) if one.held]


def may_answer(turn: Turn, entry: Entry) -> bool:
    """Whether this person may say what becomes of all its held versions."""
    return all(may_forget(turn, one.author) for one in _held(turn, entry))
