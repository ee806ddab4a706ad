"""What agents wish to have forgotten, as a person sees it: a line in /status, a list, and the usual question."""

from __future__ import annotations

from bot import render
from bot.commands import forget
from bot.commands.wishes import waiting_in
from bot.intents import Forget
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from store.model import Entry, Task

SHOWN_MAX = 3


def waiting(turn: Turn) -> tuple[str, tuple[Button, ...]]:
    """For /status: how many wait, with a button to them; "" when none does."""
    found = _of(turn)
    if not found:
        return "", ()
    text = turn.words("status-wishes", n=len(found), shown=turn.number(len(found)))
    return text, (turn.button("button-look", "wishes"),)


def show(turn: Turn, *, shape: Shape = Shape.MESSAGE) -> Reply | None:
    """The first of them, each with its button; pressing one asks as `forget` does. None where none waits."""
    found = _of(turn)
    shown = found[:SHOWN_MAX]
    if not shown:
        return None
    offer = turn.offer(do="wish", choices=[one.id for one in shown])
    turn.cite(*(one.label for one in shown))
    lines = [
        Line(turn.words("choice", number=number, ref=one.label, text=render.quoted(render.short(_text(one), 60))))
        for number, one in enumerate(shown, 1)
    ]
    buttons = tuple(
        turn.button("button-choice", f"{offer} {number}", number=number + 1) for number in range(len(shown))
    )
    return turn.say(turn.words("wishes", n=len(found), ref=shown[0].label), *lines, buttons=buttons, shape=shape)


def chosen(turn: Turn, record: str) -> Reply:
    return forget.forget(turn, Forget(record))


def _of(turn: Turn) -> list[Entry | Task]:
    """What is still there of it, and this person may forget."""
    found: list[Entry | Task] = []
    for record in waiting_in(turn.writer):
        one = turn.writer.entry(record) or turn.writer.task(record)
        if one is not None and not one.hidden and forget.may_forget(turn, one.author):
            found.append(one)
    return found


def _text(one: Entry | Task) -> str:
    return one.draft.text if isinstance(one, Entry) else one.title
