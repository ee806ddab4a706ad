"""Which entries the nightly tidy may look at: by where they come from first, and by their words after that.

Left out by rule, not by weight: nothing scores its way past these. What a bot said, what was forwarded, imported or
written by an agent, what reads like an order and what looks like a secret is never made more settled than it is.
"""

from __future__ import annotations

from bot.intents import Ask, Count, Decisions, Empty, Unclear, YouForgot
from bot.phrases.grammar import parse
from bot.phrases.settled import is_order, names_secret, why_no_statement
from bot.phrases.words import courtesy_in
from bot.secret import MASK
from bot.secret_scan import find_secrets
from store.model import Entry, EntryKind, Origin
from store.taint import is_instruction

SETTLED = (EntryKind.PREFERENCE, EntryKind.RULE)
"""Kinds that are long-term as they are."""
KINDS = (EntryKind.FACT, EntryKind.DECISION, *SETTLED)
ORIGINS = (Origin.SAID, Origin.CONFIRMED)

REASONS = (
    "origin", "quoted", "kind", "settled", "ending", "order", "secret", "code", "report", "ours", "fragment", "pronoun",
    "short", "long", "question", "command", "courtesy",
)  # fmt: skip


def why_left_out(entry: Entry) -> str:
    """One of `REASONS`; "" for what may be proposed."""
    text = entry.draft.text
    if entry.origin not in ORIGINS:
        return "origin"
    if entry.source.quoted:
        return "quoted"
    if entry.draft.kind not in KINDS:
        return "kind"
    if entry.draft.kind in SETTLED or entry.pinned:
        return "settled"
    if entry.until:
        return "ending"
    if (entry.tainted and not entry.cleared) or is_instruction(text) or is_order(text):
        return "order"
    if MASK in text or find_secrets(text) or names_secret(text):
        return "secret"
    return _why_no_statement(text)


def _why_no_statement(text: str) -> str:
    if courtesy_in(text):
        return "courtesy"
    reason = why_no_statement(text)
    if reason:
        return reason
    match parse(text).intent:
        case Unclear():
            return ""
        case Ask() | Count() | Decisions() | YouForgot():
            return "question"
        case Empty():
            return "short"
        case _:
            return "command"
