"""A forwarded message: somebody else's words. They are never acted on, and kept only as a quote, as data."""

from __future__ import annotations

from typing import Any

from bot.commands import receipts
from bot.commands.remember import store
from bot.message import Reply, Shape
from bot.turn import Turn
from store.model import Draft, EntryKind, Origin


def offer_quote(turn: Turn) -> Reply:
    inbound = turn.inbound
    if not inbound.text.strip():
        return turn.say(turn.words("only-words"))
    offer = turn.offer(do="quote", text=inbound.text, author=inbound.forwarded)
    return turn.say(
        turn.words("forwarded-ask"),
        buttons=(turn.button("button-save-quote", f"{offer} yes"), turn.button("button-no-need", f"{offer} no")),
    )


def chosen(turn: Turn, body: dict[str, Any], choice: str) -> Reply:
    if choice != "yes":
        return turn.pressed("not-kept")
    draft = Draft(body["text"], EntryKind.QUOTE)
    entry = store(turn, draft, origin=Origin.FORWARDED, quoted=body["author"])
    turn.notes.stored = True
    turn.notes.entry = entry.id
    turn.cite(entry.label)
    turn.writer.note_source(body["text"], entry.id)
    return turn.say(
        turn.words("receipt-saved", what=receipts.head(turn, entry)),
        receipts.quote(turn, entry, lines_max=receipts.LINES_MAX),
        buttons=(receipts.undo_save(turn, entry),),
        shape=Shape.EDIT,
    )
