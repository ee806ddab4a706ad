"""Two current entries that say different things of one subject: both are shown, and a person settles it."""

from __future__ import annotations

import re

from bot import render
from bot.commands import devices
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from store.ids import lane_order
from store.model import Entry
from store.text import as_typed

_WORDS = re.compile(r"[\w.:/%-]+|.", re.ASCII | re.DOTALL)
"""Letters and digits by the run, everything else by the character."""


def disagree(turn: Turn, entries: tuple[Entry, ...]) -> Reply:
    """The two newest; when there are more, the next ones come once these are settled."""
    offer = turn.offer(do="settle", ids=[e.id for e in shown(entries)], anyone=not turn.private)
    lines, buttons = question(turn, entries, offer)
    return turn.say(*lines, buttons=buttons)


def question(
    turn: Turn, entries: tuple[Entry, ...], action: str, *, lines_max: int = render.QUOTE_LINES_MAX
) -> tuple[list[Line | str | tuple[Line, ...]], tuple[Button, ...]]:
    """The same to be said in a reply. `action`: what each button begins with, before its number; `lines_max`: of either."""
    two = shown(entries)
    apart = _is_apart(two)
    turn.cite(*(entry.label for entry in two))
    title = turn.words("disagree-devices" if apart else "disagree")
    if len(entries) > 2:
        title = turn.words("disagree-many", n=len(entries))
    lines: list[Line | str | tuple[Line, ...]] = [title, *(_rival(turn, entry, apart, lines_max) for entry in two)]
    labels = (*_choice_labels(turn, two), turn.words("button-keep-both"))
    buttons = tuple(Button(label, f"{action} {number}") for number, label in enumerate(labels))
    return [*lines, turn.words("disagree-ask")], buttons


def shown(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The two that are asked about, in their order."""
    two = entries[:2]
    if _is_apart(two):  # their clocks need not agree: the first device first
        return tuple(sorted(two, key=lambda entry: lane_order(devices.lane_of(entry.label))))
    return two


def _is_apart(entries: tuple[Entry, ...]) -> bool:
    return len({devices.lane_of(entry.label) for entry in entries}) > 1


def _rival(turn: Turn, entry: Entry, apart: bool, lines_max: int) -> tuple[Line, ...]:
    """`apart`: the device says more than the time."""
    lines, _ = render.stored_lines(turn.words, entry.draft.text, lines_max=lines_max)
    when, _ = render.moment(turn.words, turn.when(entry), turn.today)
    where = devices.device_of(turn, entry.label) if apart else when
    tail = turn.words("rival", who=turn.who(entry.author, inside=True), where=where, ref=entry.label)
    return (*lines[:-1], Line(lines[-1].words + tail, stored=True))


def _choice_labels(turn: Turn, entries: tuple[Entry, ...]) -> list[str]:
    """By who said it; by what it says when one person (or one name) said both."""
    most = 5 if turn.words.lang == "zh" else 12
    authors = [render.short(turn.who(entry.author), most) for entry in entries]
    if len(set(authors)) == len(authors):
        return [turn.words("button-theirs", who=who) for who in authors]
    rests = [render.short(text, most) for text in telling([_last_words(turn, entry) for entry in entries], most)]
    if len(set(rests)) == len(rests):
        return [turn.words("button-this-one", text=rest) for rest in rests]
    return [turn.words("button-choice", number=number) for number in range(1, len(entries) + 1)]


def _last_words(turn: Turn, entry: Entry) -> str:
    subject, rest = turn.writer.rest_of(entry.id)
    return as_typed(entry.draft.text, rest) if subject else entry.draft.text


def telling(texts: list[str], most: int) -> list[str]:
    """The texts without the words that all end with, then without those that all begin with, where one is too long.

    15:30 开始 and 14:00 开始 are told apart by 15:30 and 14:00.
    """
    cut = [_WORDS.findall(text) for text in texts]
    for end in (-1, 0):
        if all(len("".join(one).strip()) <= most for one in cut):
            break
        while all(len(one) > 1 for one in cut) and len({one[end] for one in cut}) == 1:
            for one in cut:
                del one[end]
    return ["".join(one).strip() for one in cut]


def settle(turn: Turn, ids: list[str], choice: int) -> Reply:
    """`choice`: which of `ids` holds; past them, both are left side by side."""
    entries = [entry for record in ids if (entry := turn.writer.entry(record)) and not entry.hidden]
    if len(entries) < 2:
        return turn.toast("toast-gone")
    if choice >= len(entries):
        before = turn.writer.set(ids[0], "kept", sorted(ids[1:]), by=turn.account)
        undo = turn.undo_button(entries[0].label, "settle", [(ids[0], "kept", before if before is not None else [])])
        return turn.say(turn.words("kept-both"), buttons=(undo,), shape=Shape.EDIT)
    winner = entries[choice]
    others = [entry for entry in entries if entry.id != winner.id]
    undo = turn.undo_button(winner.label, "settle", [settles(turn, winner, [entry.id for entry in others])])
    turn.cite(winner.label)
    name = "settled-private" if turn.private else "settled-group"
    text = turn.words(name, ref=winner.label, old=turn.listed(e.label for e in others), who=turn.name(turn.account))
    return turn.say(text, buttons=(undo,), shape=Shape.EDIT)


def settles(turn: Turn, winner: Entry, replaced: list[str]) -> tuple[str, str, list[str]]:
    """`winner` stands for these ids from now on; gives the register to set again to undo it."""
    register = turn.writer.register(winner.id, "settles")
    before = [str(one) for one in register.value] if register and isinstance(register.value, list) else []
    turn.writer.set(winner.id, "settles", sorted({*before, *replaced}), by=turn.account)
    return winner.id, "settles", before
