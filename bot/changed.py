"""A message that was changed after it was kept: its entry is corrected, and its receipt with it.

A changed message never runs a command; it may only mend what the first form of it left in memory.
"""

from __future__ import annotations

from dataclasses import replace

from bot.commands.correct import replace_entry
from bot.intents import Remember
from bot.message import Reply, Shape
from bot.phrases.grammar import parse
from bot.router import hold
from bot.turn import Turn


def change(turn: Turn) -> Reply | None:
    """None where there is nothing to mend: no entry came of it, it was forgotten, or says the same still."""
    inbound = turn.inbound
    parsed = parse(inbound.text, is_reply=inbound.reply_to is not None)
    if not isinstance(parsed.intent, Remember) or not parsed.intent.draft.text:
        return None
    found = turn.writer.said_in(inbound.edits)
    current = next((entry for entry in found if entry.current), None)
    if current is None or current.hidden or current.held or current.author != turn.account:
        return None
    was, new = current.draft, parsed.intent.draft
    if (was.text, was.why, was.impact, was.next, was.verify) == (new.text, new.why, new.impact, new.next, new.verify):
        return None
    if inbound.masked:
        return hold(turn, parsed)
    return replace(replace_entry(turn, current, new, show_old=False), shape=Shape.EDIT)
