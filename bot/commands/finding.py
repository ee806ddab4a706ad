"""Which entry is meant: by the RefID a person typed, by what it became, or by asking among at most three."""

from __future__ import annotations

from typing import Any

from bot import render
from bot.message import Reply
from bot.turn import Turn
from store.errors import NotFound
from store.ids import parse_label
from store.model import Entry, Task
from store.recall import Question, recall
from store.text import terms
from store.trail import Outcome

CHOICES_MAX = 3


def entry_of(turn: Turn, ref: str) -> Entry:
    """The entry that a typed RefID or our own id leads to, or the one that plainly answers to these words.

    A RefID with several targets has been asked about before (`which.py`). Raises NotFound, with what became of it.
    """
    entry = turn.writer.entry(ref)
    if entry is not None and not entry.hidden:
        return entry
    label = entry.label if entry else parse_label(ref)
    if label is None:
        return _by_words(turn, ref)
    found = [entry] if entry else [e for record in turn.writer.labelled(ref) if (e := turn.writer.entry(record))]
    visible = [e for e in found if not e.hidden]
    if visible:
        return visible[0]
    if turn.writer.erased(ref):
        raise NotFound("error-erased", ref=label)
    raise NotFound("error-hidden" if found else "error-no-such-ref", ref=label)


def ref_of(turn: Turn, record: Entry | Task) -> str:
    """What a button carries to lead back to `record`: its RefID, or its id where the RefID leads to others too."""
    return record.label if len(turn.writer.labelled(record.label)) == 1 else record.id


def _by_words(turn: Turn, words: str) -> Entry:
    answer = recall(turn.writer, Question(words=words, today=turn.today))
    if answer.outcome is Outcome.ANSWER and len(answer.entries) == 1:
        return answer.entries[0]
    if not answer.entries and len(cold := turn.writer.cold_with(terms(words), turn.today)) == 1:
        return cold[0]
    raise NotFound("error-which-ref", words=render.quoted(render.short(words, 40)))


def newest(turn: Turn, entry: Entry) -> Entry:
    """What stands for `entry` now, so that a late correction does not fork the chain."""
    if entry.current:
        return entry
    later = [one for one in turn.writer.chain(entry.id) if one.current]
    return later[-1] if len(later) == 1 else entry


def ask_which(turn: Turn, entries: list[Entry], question: str, **body: Any) -> Reply:
    """Shows at most three entries and a button for each; pressing one does `body` with it."""
    shown = entries[:CHOICES_MAX]
    offer = turn.offer(**body, choices=[entry.id for entry in shown])
    lines = [
        turn.words("choice", number=number, ref=entry.label, text=render.quoted(render.short(entry.draft.text, 60)))
        for number, entry in enumerate(shown, 1)
    ]
    turn.cite(*(entry.label for entry in shown))
    buttons = tuple(
        turn.button("button-choice", f"{offer} {number}", number=number + 1) for number in range(len(shown))
    )
    return turn.say(turn.words(question), *lines, buttons=buttons)
