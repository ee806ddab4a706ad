"""What the nightly tidy proposes, one at a time: a person agrees, leaves it, or reads the diary.

A tap names the entry and nothing else, so a late one, or one on another device, does the same thing. What was agreed to
becomes a preference (USER.md), a rule (common-info) or is pinned; the entry stays, with the ids of every time it was
said. A no is remembered for as long as the words are.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot import render
from bot.commands import forget, receipts
from bot.message import Button, Line, Reply
from bot.phrases.settled import belongs_to, is_for_good
from bot.tidying import AGREED, DECIDED, LEFT, Proposal, decision, look
from bot.turn import Turn
from scheduler.promotion import Verdict
from store.changes import Json
from store.model import Entry, EntryKind, Role

SOURCES = "sources"
"""The register of a promoted entry: the ids of every time that it was said."""
SOURCES_MAX = 20
TEXT_MAX = 120
_NAMES = {
    EntryKind.PREFERENCE: "tidy-agreed-preference",
    EntryKind.RULE: "tidy-agreed-rule",
    None: "tidy-agreed-pinned",
}


def waiting(turn: Turn) -> Sequence[Proposal]:
    """The oldest first."""
    return look(turn.writer, turn.today, most=None).proposed


def shown(turn: Turn, proposed: Sequence[Proposal]) -> tuple[list[Line | str | tuple[Line, ...]], tuple[Button, ...]]:
    """The oldest proposal with its buttons."""
    one = proposed[0]
    turn.cite(one.first.label)
    head = turn.words("tidy-proposes", n=len(proposed))
    lines: list[Line | str | tuple[Line, ...]] = [
        head,
        receipts.quote(turn, one.first, lines_max=receipts.LINES_MAX),
        _why(turn, one),
    ]
    buttons = (
        turn.button("button-agree", f"tidy agree {one.first.id}"),
        turn.button("button-not-long", f"tidy leave {one.first.id}"),
        turn.button("button-diary", "tidy diary"),
    )
    return lines, buttons


def _why(turn: Turn, one: Proposal) -> str:
    """说过 3 次，第一次 D-2024-05-21-01，最近 5月26日（周日）"""
    last = render.day(turn.words, turn.when(one.last).date(), turn.today)
    if len(one.entries) == 1:
        name = "tidy-said-once" if is_for_good(one.first.draft.text) else "tidy-said-important"
        return turn.words(name, ref=one.first.label, day=last)
    name = "tidy-said-for-good" if one.verdict is Verdict.FOR_GOOD else "tidy-said"
    return turn.words(name, n=len(one.entries), ref=one.first.label, day=last)


def agree(turn: Turn, record: str) -> Reply:
    entry, entries = _meant(turn, record, settles=True)
    if isinstance(entry, Reply):
        return entry
    to = belongs_to(entry.draft.text, entry.draft.kind)
    change: tuple[str, str, Json] = (record, "kind", to.value) if to else (record, "pinned", True)
    wanted = [change, (record, SOURCES, [one.id for one in entries[:SOURCES_MAX]]), *_decided(entries, AGREED)]
    undo = turn.undo_button(entry.label, "tidy", _set(turn, wanted))
    turn.cite(entry.label)
    text = render.quoted(render.short(entry.draft.text, TEXT_MAX))
    return turn.pressed(_NAMES[to], buttons=(undo,), text=text, ref=entry.label)


def leave(turn: Turn, record: str) -> Reply:
    entry, entries = _meant(turn, record)
    if isinstance(entry, Reply):
        return entry
    undo = turn.undo_button(entry.label, "tidy", _set(turn, _decided(entries, LEFT)))
    turn.cite(entry.label)
    return turn.pressed("tidy-left", buttons=(undo,), ref=entry.label)


def _decided(entries: Sequence[Entry], what: str) -> list[tuple[str, str, Json]]:
    """On every one of them: forgetting one does not ask about the others again."""
    return [(one.id, DECIDED, what) for one in entries[:SOURCES_MAX]]


def _set(turn: Turn, wanted: Sequence[tuple[str, str, Json]]) -> list[tuple[str, str, Json]]:
    """Gives what taking it back would set."""
    before = []
    for record, field, value in wanted:
        was = turn.writer.set(record, field, value, by=turn.account)
        before.append((record, field, was if was is not None else _NEVER_SET[field]))
    return before


_NEVER_SET: dict[str, Json] = {"kind": "", "pinned": False, SOURCES: [], DECIDED: ""}


def _meant(turn: Turn, record: str, *, settles: bool = False) -> tuple[Entry | Reply, tuple[Entry, ...]]:
    """The entry that a button names with all that say the same, or the notice why nothing can be done."""
    entry = turn.writer.entry(record)
    if entry is None or entry.hidden:
        return turn.toast("toast-gone"), ()
    if settles and _is_for_admins(turn, entry):
        return turn.toast("toast-admin-only"), ()
    if not forget.may_forget(turn, entry.author):
        return turn.toast("toast-only", who=turn.name(entry.author)), ()
    if decision(turn.writer, (entry,)):
        return turn.toast("toast-done-already"), ()
    for one in look(turn.writer, turn.today, most=None).proposed:
        if any(said.id == record for said in one.entries):
            if settles and any(_is_for_admins(turn, said) for said in one.entries):
                return turn.toast("toast-admin-only"), ()
            return one.first, one.entries
    return turn.toast("toast-gone"), ()


def _is_for_admins(turn: Turn, entry: Entry) -> bool:
    """In a group nobody makes their own words a rule of all, or an order that stands."""
    if turn.private or turn.role is not Role.MEMBER:
        return False
    text = entry.draft.text
    return belongs_to(text, entry.draft.kind) is EntryKind.RULE or is_for_good(text)


def sources(turn: Turn, entry: Entry) -> str:
    """长期，依据 D-…、D-… / long term, from D-…, D-…: for /why; "" for what nobody has promoted."""
    register = turn.writer.register(entry.id, SOURCES)
    ids = register.value if register and isinstance(register.value, list) else []
    found = [one for record in ids if (one := turn.writer.entry(str(record))) and not one.hidden]
    return turn.words("tidy-sources", refs=turn.listed(one.label for one in found)) if found else ""
