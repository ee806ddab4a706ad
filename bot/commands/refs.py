"""What a RefID leads to: everything known of it, its versions, its words whole; and pinning it."""

from __future__ import annotations

from dataclasses import replace

from bot import render
from bot.commands import apart, devices, evidence, receipts, restore, talks, tasks, tidied
from bot.commands.finding import entry_of
from bot.intents import History, Pin, Why
from bot.message import Line, Reply
from bot.turn import Turn, kind_name
from store.archive import is_cold
from store.errors import BadCommand
from store.model import Entry, EntryKind

PATH_CHARACTERS_MAX = 80


def why(turn: Turn, intent: Why) -> Reply:
    """Words, reasons, state, where it was said, on which device, how we know."""
    if (task := tasks.task_of(turn, intent.ref)) is not None:
        return tasks.show(turn, task)
    entry = entry_of(turn, intent.ref)
    if entry.draft.kind is EntryKind.CHECKPOINT:
        return talks.show(turn, entry)
    turn.cite(entry.label)
    words = turn.words
    place = [
        turn.who(entry.author),
        turn.moment_of(entry),
        turn.place(),
        devices.device_of(turn, entry.label),
        words(f"origin-{entry.origin.value}"),
        *([render.short(entry.source.path, PATH_CHARACTERS_MAX)] if entry.source.path else []),
    ]
    replaces = [e.label for e in turn.writer.earlier(entry.id)]
    by = [e.label for e in turn.writer.chain(entry.id) if e.current and not entry.current]
    return turn.say(
        receipts.quote(turn, entry, named=False),
        *receipts.fields(turn, entry),
        " · ".join([*receipts.kept_until(turn, entry), *evidence.said_times(turn, entry)]),
        " · ".join([entry.label, *_states(turn, entry)]),
        tidied.sources(turn, entry),
        " · ".join(place),
        words("replaces", refs=turn.listed(replaces)) if replaces else "",
        words("replaced-by", refs=turn.listed(by)) if by else "",
        words("pin-apart") if apart.is_apart(turn, entry.id, "pinned") else "",
        tuple(apart.versions(turn, [entry])),
        buttons=(receipts.full_button(turn, entry.id),) if receipts.is_folded(turn, entry) else (),
    )


def _states(turn: Turn, entry: Entry) -> list[str]:
    marks = {
        "state-current": entry.current,
        "state-earlier": not entry.current,
        "state-pinned": entry.pinned,
        "state-away": is_cold(entry, turn.today),
        "state-data-only": entry.tainted and not entry.cleared,
        "state-two-versions": entry.versions > 1,
    }
    return [kind_name(turn, entry.draft.kind), *(turn.words(name) for name, holds in marks.items() if holds)]


def history(turn: Turn, intent: History) -> Reply:
    if (task := tasks.task_of(turn, intent.ref)) is not None:
        return tasks.history(turn, task)
    entry = entry_of(turn, intent.ref)
    chain = [one for one in turn.writer.chain(entry.id)[::-1] if not one.held]
    beside = apart.versions(turn, chain[: evidence.EVIDENCE_MAX])
    if len(chain) == 1:
        turn.cite(entry.label)
        title = turn.words("history-beside" if beside else "history-single", ref=entry.label)
        return turn.say(title, receipts.quote(turn, entry), tuple(beside))
    reply = evidence.several(turn, chain, turn.words("history-title", n=len(chain)))
    return replace(reply, lines=(*reply.lines, *beside))


def full(turn: Turn, record: str) -> Reply:
    """The words whole."""
    entry, task = turn.writer.entry(record), turn.writer.task(record)
    if entry is not None and not entry.hidden and (not entry.held or restore.may_answer(turn, entry)):
        text, below = entry.draft.text, evidence.citation(turn, entry, dated=True)
        turn.cite(entry.label)
    elif task is not None and not task.hidden:
        text, below = task.title, turn.task_state(task)
        turn.cite(task.label)
    else:
        return turn.toast("toast-gone")
    return turn.say(tuple(Line(line, stored=True) for line in render.quoted(text).split("\n")), below)


def pin(turn: Turn, intent: Pin) -> Reply:
    if tasks.task_of(turn, intent.ref) is not None:
        raise BadCommand("error-pin-task", ref=intent.ref)
    entry = entry_of(turn, intent.ref)
    if entry.draft.kind is EntryKind.CHECKPOINT:
        raise BadCommand("error-checkpoint-fixed")
    turn.cite(entry.label)
    name = "pinned" if intent.on else "unpinned"
    if entry.pinned is intent.on and not apart.is_apart(turn, entry.id, "pinned"):
        return turn.say(turn.words(f"{name}-already", ref=entry.label), receipts.quote(turn, entry))
    turn.writer.set(entry.id, "pinned", intent.on, by=turn.account)
    undo = turn.undo_button(entry.label, "pin", [(entry.id, "pinned", not intent.on)])
    return turn.say(turn.words(name, ref=entry.label), receipts.quote(turn, entry), buttons=(undo,))
