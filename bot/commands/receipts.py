"""Receipts: what is said after a commit, and the pieces of an entry that every reply shows alike.

Only these functions use the reserved words (Saved, Added, Corrected …), and they are reached only with
an entry the transaction has stored.
"""

from __future__ import annotations

from datetime import date

from bot import render
from bot.hints import is_vague
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn, kind_name
from store.dates import find_dates
from store.model import Draft, Entry, EntryKind

_NAMED_KINDS = {EntryKind.QUOTE, EntryKind.RULE, EntryKind.PREFERENCE, EntryKind.NOTE, EntryKind.CHECKPOINT}


def saved(turn: Turn, entry: Entry, *, first: str = "", note: str = "") -> Reply:
    """记下了 / Saved, with the words, the fields and at most one question below."""
    _noted(turn, entry)
    head = turn.words("receipt-saved", what=_head(turn, entry))
    ask = _question(turn, entry)
    undo = undo_save(turn, entry)
    buttons: tuple[Button, ...] = (undo, turn.button("button-edit", f"edit {entry.id}"))
    if ask == "ask-why":
        buttons = (turn.button("button-add-because", f"because {entry.id}"), *buttons)
    return turn.say(
        first, head, quote(turn, entry), *fields(turn, entry), *read_dates(turn, entry), note,
        turn.words(ask) if ask else "", buttons=buttons,
    )  # fmt: skip


def replaced(turn: Turn, entry: Entry, old: Entry, verb: str, *, show_old: bool) -> Reply:
    """更正了 / 补上了: `entry` now stands for `old`. `verb`: `receipt-corrected` or `receipt-filled`."""
    _noted(turn, entry)
    head = turn.words(verb, ref=entry.label, old=old.label)
    earlier = turn.words("earlier-words", text=render.quoted(render.short(old.draft.text, 120))) if show_old else ""
    buttons = (undo_save(turn, entry), turn.button("button-edit", f"edit {entry.id}"))
    return turn.say(head, quote(turn, entry), *fields(turn, entry), *read_dates(turn, entry), earlier, buttons=buttons)


def undo_save(turn: Turn, *entries: Entry) -> Button:
    undo = turn.writer.undoable_write(
        chat=turn.chat,
        account=turn.account,
        shown=entries[0].label,
        verb="save",
        steps=[(entry.id, "hidden", True) for entry in entries],
    )
    return turn.button("button-undo", f"undo {undo}")


def _noted(turn: Turn, entry: Entry) -> None:
    turn.notes.stored = True
    turn.notes.entry = entry.id
    turn.cite(entry.label)


def _head(turn: Turn, entry: Entry) -> str:
    parts: list[str] = [entry.label]
    if entry.draft.kind in (EntryKind.QUOTE, EntryKind.RULE):
        parts.append(kind_name(turn, entry.draft.kind))
    parts.append(turn.memory_name())
    if entry.tainted:
        parts.append(turn.words("state-data-only"))
    return " · ".join(parts)


def _question(turn: Turn, entry: Entry) -> str:
    """The one gentle line under a receipt, or ""."""
    draft = entry.draft
    if entry.tainted:
        return "note-data-only"
    if draft.kind is EntryKind.DECISION and not draft.why:
        return "ask-why"
    if draft.verify and is_vague(draft.verify):
        return "hint-verify"
    return ""


def quote(turn: Turn, entry: Entry) -> tuple[Line, ...]:
    """“the words”, with the name of who said them where names matter."""
    lines, _ = render.stored_lines(turn.words, entry.draft.text, _after(turn, entry))
    return lines


def is_folded(turn: Turn, entry: Entry) -> bool:
    return render.stored_lines(turn.words, entry.draft.text)[1]


def _after(turn: Turn, entry: Entry) -> str:
    name = entry.source.quoted or ("" if turn.private else turn.name(entry.author))
    return turn.words("said-by", name=name) if name else ""


def fields(turn: Turn, entry: Entry) -> tuple[str, ...]:
    """Because · impact · next on one line, verify and the rest on another."""
    return draft_fields(turn, entry.draft, entry.more_tags)


def draft_fields(turn: Turn, draft: Draft, more_tags: tuple[str, ...] = ()) -> tuple[str, ...]:
    words = turn.words
    first = [
        words(f"field-{name}", text=text)
        for name, text in (("because", draft.why), ("impact", draft.impact), ("next", draft.next))
        if text
    ]
    second = [words("field-verify", text=draft.verify)] if draft.verify else []
    if draft.about:
        second.append(words("field-about", text=_listed(turn, [_about(pair) for pair in draft.about])))
    if draft.aliases:
        second.append(words("field-aliases", text=_listed(turn, list(draft.aliases))))
    if draft.confidence:
        second.append(words("field-confidence", text=words(f"confidence-{draft.confidence.value}")))
    second += [f"#{tag}" for tag in (*draft.tags, *more_tags)]
    return tuple(" · ".join(line) for line in (first, second) if line)


def _about(pair: tuple[str, str]) -> str:
    return pair[1] if pair[0] == "about" else f"{pair[0]}={pair[1]}"


def _listed(turn: Turn, items: list[str]) -> str:
    return ("、" if turn.words.lang == "zh" else ", ").join(items)


def read_dates(turn: Turn, entry: Entry) -> tuple[str, ...]:
    """周五 = 5月31日（周五）: the relative dates in the words, with the days they were read as."""
    written = date.fromisoformat(entry.day)
    found = [one for one in find_dates(entry.draft.text, written, prefer_past=False) if one.relative]
    if not found:
        return ()
    shown = [f"{one.words} = {span(turn, one.first, one.last)}" for one in {one.words: one for one in found}.values()]
    return (" · ".join(shown[:3]),)


def span(turn: Turn, first: date, last: date, *, weekday: bool = True) -> str:
    start = render.day(turn.words, first, turn.today, weekday=weekday)
    return start if first == last else f"{start}–{render.day(turn.words, last, turn.today, weekday=weekday)}"


def names_kind(kind: EntryKind) -> bool:
    """Whether a citation says what kind of entry it is: decisions and facts are told from their first line."""
    return kind in _NAMED_KINDS


def pressed(turn: Turn, message_id: str, /, **facts: str | int) -> Reply:
    """The pressed message becomes one plain line."""
    return turn.say(turn.words(message_id, **facts), shape=Shape.EDIT)
