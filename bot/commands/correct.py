"""Corrections: a new entry that stands for an old one, with what the person did not touch carried over."""

from __future__ import annotations

from dataclasses import replace

from bot.commands import receipts, restore, tasks
from bot.commands.finding import ask_which, entry_of, newest
from bot.commands.remember import pack, remember, store
from bot.intents import Correct, Remember
from bot.message import Reply
from bot.turn import Turn
from store.errors import BadCommand
from store.model import Draft, Entry, EntryKind
from store.text import subject


def correct(turn: Turn, intent: Correct) -> Reply:
    """A correction without a RefID means what was last shown, else the one entry on the same subject."""
    draft = intent.draft
    if intent.ref:
        if (task := tasks.task_of(turn, intent.ref)) is not None:
            return tasks.retitle(turn, task, draft.text) if draft.text else ask_for_words(turn, task.id, task.label)
        old = entry_of(turn, intent.ref)
        return replace_entry(turn, old, draft) if draft.text else ask_for_words(turn, old.id, old.label)
    found = _meant(turn, draft)
    if len(found) == 1:
        return replace_entry(turn, found[0], draft)
    if not found:
        return remember(turn, Remember(draft), note=turn.words("note-nothing-to-correct"))
    return ask_which(turn, found, "ask-which-correct", do="correct", draft=pack(draft))


def ask_for_words(turn: Turn, record: str, label: str) -> Reply:
    """改成什么？: the next words are what it should say."""
    turn.writer.ask(turn.chat, turn.account, {"ask": "correct", "id": record})
    turn.cite(label)
    return turn.say(turn.words("ask-edit"), buttons=(turn.button("button-leave", "close"),))


def _meant(turn: Turn, draft: Draft) -> list[Entry]:
    view = turn.writer
    last = view.last_turn(turn.chat)
    cited = [record for label in dict.fromkeys(last.cited) for record in view.labelled(label)] if last else []
    shown = [entry for record in cited if (entry := view.entry(record)) and entry.current and not entry.hidden]
    parts = subject(draft.text)
    same = view.same_subject(parts[0]) if parts else []
    if len(shown) == 1 and (not same or shown[0] in same or set(shown[0].draft.text) & set(draft.text)):
        return shown
    return same or shown


def replace_entry(turn: Turn, old: Entry, draft: Draft, *, keep: bool = False, show_old: bool = True) -> Reply:
    """`draft` takes the place of `old`. `keep`: only the words were edited, and all else stays too."""
    if old.draft.kind is EntryKind.CHECKPOINT:
        raise BadCommand("error-checkpoint-fixed")
    old = newest(turn, old)
    if old.held:  # forgotten on another device meanwhile
        return restore.question(turn, old)
    was = old.draft
    kind = draft.kind if draft.kind is not EntryKind.FACT else was.kind
    new = replace(
        draft, kind=kind, tags=draft.tags or was.tags, about=draft.about or was.about,
        aliases=draft.aliases or was.aliases,
    )  # fmt: skip
    if keep:
        new = replace(
            new, why=new.why or was.why, impact=new.impact or was.impact, next=new.next or was.next,
            verify=new.verify or was.verify, until=new.until or was.until,
            importance=was.importance if new.importance is None else new.importance,
        )  # fmt: skip
    entry = store(turn, new, supersedes=(old.id,), quoted=old.source.quoted if keep else "")
    if old.pinned:
        turn.writer.set(entry.id, "pinned", True, by=turn.account)
    return receipts.replaced(turn, entry, old, "receipt-corrected", show_old=show_old)


def fill_in_because(turn: Turn, old: Entry, why: str) -> Reply:
    old = newest(turn, old)
    entry = store(turn, replace(old.draft, why=why), supersedes=(old.id,), quoted=old.source.quoted)
    return receipts.replaced(turn, entry, old, "receipt-filled", show_old=False)
