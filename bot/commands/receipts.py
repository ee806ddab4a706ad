"""Receipts: what is said after a commit, and the pieces of an entry that every reply shows alike.

Only these functions use the reserved words (Saved, Added, Corrected …), and they are reached only with
an entry the transaction has stored.
"""

from __future__ import annotations

from datetime import date

from bot import render
from bot.hints import is_vague
from bot.message import Button, Line, Reply
from bot.turn import Turn, kind_name
from store.archive import HIGH, LOW, MEDIUM
from store.dates import find_dates
from store.model import Draft, Entry, EntryKind, Origin

RECEIPT_LINES_MAX = 4
TAGS_MAX = 10
LINES_MAX = 2
"""Of the stored words where several entries are shown."""
_LEVELS = {HIGH: "confidence-high", MEDIUM: "confidence-medium", LOW: "confidence-low"}
_NAMED_KINDS = {EntryKind.QUOTE, EntryKind.RULE, EntryKind.PREFERENCE, EntryKind.NOTE, EntryKind.CHECKPOINT}


def saved(turn: Turn, entry: Entry, *, first: str = "", note: str = "") -> Reply:
    """记下了 / Saved, with the words, the fields and at most one question below."""
    _noted(turn, entry)
    ask = _question(turn, entry)
    below = [
        *fields(turn, entry),
        *kept_until(turn, entry),
        *read_dates(turn, entry),
        note,
        turn.words(ask) if ask else "",
    ]
    buttons = [undo_save(turn, entry), turn.button("button-edit", f"edit {entry.id}")]
    if ask == "ask-why":
        buttons.insert(0, turn.button("button-add-because", f"because {entry.id}"))
    said = turn.words("receipt-saved", what=head(turn, entry))
    return _receipt(turn, entry, [first, said] if first else [said], below, buttons)


def replaced(turn: Turn, entry: Entry, old: Entry, verb: str, *, show_old: bool) -> Reply:
    """更正了 / 补上了: `entry` now stands for `old`. `verb`: `receipt-corrected` or `receipt-filled`."""
    _noted(turn, entry)
    head = turn.words(verb, ref=entry.label, old=old.label)
    if entry.tainted:
        head += f" · {turn.words('state-data-only')}"
    earlier = turn.words("earlier-words", text=render.quoted(render.short(old.draft.text, 120))) if show_old else ""
    warning = turn.words("note-data-only") if entry.tainted else ""
    below = [*fields(turn, entry), *kept_until(turn, entry), *read_dates(turn, entry), earlier, warning]
    return _receipt(
        turn, entry, [head], below, [undo_save(turn, entry), turn.button("button-edit", f"edit {entry.id}")]
    )


def _receipt(turn: Turn, entry: Entry, above: list[str], below: list[str], buttons: list[Button]) -> Reply:
    """Four lines at most: first the fields run together, and where much is said the words fold to one line."""
    below = [line for line in below if line]
    room = RECEIPT_LINES_MAX - len(above) - 1
    while len(below) > max(room, 1):
        below[:2] = [" · ".join(below[:2])]
    lines_max = max(RECEIPT_LINES_MAX - len(above) - len(below), 1)
    if is_folded(turn, entry, lines_max=lines_max):
        buttons.insert(0, full_button(turn, entry.id))
    return turn.say(*above, quote(turn, entry, lines_max=lines_max), *below, buttons=tuple(buttons[-3:]))


def full_button(turn: Turn, record: str) -> Button:
    return turn.button("button-full", f"full {record}")


def undo_save(turn: Turn, *entries: Entry) -> Button:
    return turn.undo_button(entries[0].label, "save", [(entry.id, "hidden", True) for entry in entries])


def _noted(turn: Turn, entry: Entry) -> None:
    turn.notes.stored = True
    turn.notes.entry = entry.id
    turn.cite(entry.label)


def head(turn: Turn, entry: Entry) -> str:
    """RefID · kind where it says something · which memory."""
    parts: list[str] = [entry.label]
    quoted_here = bool(entry.source.quoted) and entry.origin is Origin.SAID  # whose words they are stands behind them
    if entry.draft.kind in (EntryKind.QUOTE, EntryKind.RULE) and not quoted_here:
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


def quote(turn: Turn, entry: Entry, *, named: bool = True, lines_max: int = render.QUOTE_LINES_MAX) -> tuple[Line, ...]:
    """“the words”, with the name of who said them where names matter. `named`: False when the line above says it."""
    name = entry.source.quoted or ("" if turn.private or not named else turn.name(entry.author))
    after = turn.words("said-by", name=name) if name else ""
    return render.stored_lines(turn.words, entry.draft.text, after, lines_max=lines_max)[0]


def is_folded(turn: Turn, entry: Entry, *, lines_max: int = render.QUOTE_LINES_MAX) -> bool:
    return render.fold_quote(turn.words, entry.draft.text, lines_max=lines_max) != entry.draft.text


def fields(turn: Turn, entry: Entry) -> tuple[str, ...]:
    """Because · impact · next on one line, verify and the rest on another."""
    return draft_fields(turn, entry.draft, entry.more_tags)


def draft_fields(turn: Turn, draft: Draft, more_tags: tuple[str, ...] = ()) -> tuple[str, ...]:
    words = turn.words
    first = [
        words(f"field-{name}", text=_folded(turn, text))
        for name, text in (("because", draft.why), ("impact", draft.impact), ("next", draft.next))
        if text
    ]
    second = [words("field-verify", text=_folded(turn, draft.verify))] if draft.verify else []
    if draft.about:
        second.append(words("field-about", text=_folded(turn, turn.listed(_about(pair) for pair in draft.about))))
    if draft.aliases:
        second.append(words("field-aliases", text=_folded(turn, turn.listed(draft.aliases))))
    if draft.confidence:
        second.append(words("field-confidence", text=words(f"confidence-{draft.confidence.value}")))
    if draft.importance is not None:
        level = _LEVELS.get(draft.importance, "")
        second.append(words("field-importance", text=words(level) if level else turn.number(draft.importance)))
    tags = [f"#{tag}" for tag in (*draft.tags, *more_tags)]
    second += tags[:TAGS_MAX] + (["…"] if len(tags) > TAGS_MAX else [])
    return tuple(" · ".join(line) for line in (first, second) if line)


def _about(pair: tuple[str, str]) -> str:
    return pair[1] if pair[0] == "about" else f"{pair[0]}={pair[1]}"


def _folded(turn: Turn, text: str) -> str:
    """A field on its one line."""
    return render.short(text, render.QUOTE_CHARACTERS_MAX[turn.words.lang])


def reasons(turn: Turn, entry: Entry) -> tuple[str, ...]:
    """Because and verify, each on a line of its own, as an answer gives them."""
    pairs = (("because", entry.draft.why), ("verify", entry.draft.verify))
    return tuple(turn.words(f"field-{name}", text=_folded(turn, text)) for name, text in pairs if text)


def kept_until(turn: Turn, entry: Entry) -> tuple[str, ...]:
    """记到 5月31日（周五） / kept until Fri 31 May"""
    if not entry.until:
        return ()
    return (turn.words("kept-until", day=render.day(turn.words, date.fromisoformat(entry.until), turn.today)),)


def read_dates(turn: Turn, entry: Entry) -> tuple[str, ...]:
    """周五 = 5月31日（周五）: the relative dates in the words, with the days they were read as."""
    written = date.fromisoformat(entry.day)
    found = [one for one in find_dates(entry.draft.text, written, prefer_past=False) if one.relative]
    found = [one for one in found if one.last.isoformat() != entry.until]  # said by `kept_until`
    if not found:
        return ()
    shown = [f"{one.words} = {span(turn, one.first, one.last)}" for one in {one.words: one for one in found}.values()]
    return (" · ".join(shown[:3]),)


def span(turn: Turn, first: date, last: date, *, weekday: bool = True) -> str:
    if first == date.min:
        return turn.words("days-until", day=render.day(turn.words, last, turn.today, weekday=weekday))
    start = render.day(turn.words, first, turn.today, weekday=weekday)
    return start if first == last else f"{start}–{render.day(turn.words, last, turn.today, weekday=weekday)}"


def names_kind(kind: EntryKind) -> bool:
    """Whether a citation says what kind of entry it is: decisions and facts are told from their first line."""
    return kind in _NAMED_KINDS
