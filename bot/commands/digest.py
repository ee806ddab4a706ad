"""The morning digest: the day, the board, what is due, and the one question that waits longest. Fifteen lines at most.

What is not there takes no line. One question at a time has buttons; the others are counted, and come by [Next].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo

from bot import render
from bot.commands import board, cases, chat_kept, conflicts, diary, skills, tidied
from bot.deck import Deck
from bot.habits import habits
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn
from scheduler.review import NotInstalled
from scheduler.slots import instant
from store.model import Task

T = TypeVar("T")

DUE_MAX = 3
Lines = list[Line | str | tuple[Line, ...]]
Matter = tuple[Lines, tuple[Button, ...]]
"""A question as it is shown, with its buttons."""


def digest(turn: Turn) -> Reply | None:
    """None where there is nobody to greet; today that is nowhere."""
    words = turn.words
    lines: Lines = [words("digest-morning", day=render.day(words, turn.today, turn.today))]
    lines.append(words("digest-board", **board.counts(turn.writer.tasks(done=False))))
    lines += _due(turn)
    lines += [_words(turn), chat_kept.line(turn)]
    asked, buttons = _first(turn) or ([], ())
    return turn.say(*lines, *asked, buttons=buttons)


def _due(turn: Turn) -> list[str]:
    """What is to be done today or was to be before, the earliest first."""
    end = instant(turn.today + timedelta(days=1), datetime.min.time(), turn.zone)
    due = [
        (at, task)
        for task in turn.writer.tasks(done=False)
        if task.due and (at := turn.due(task)) is not None and (end is None or at < end)
    ]
    due.sort(key=lambda pair: pair[0])
    late = sum(at.astimezone(ZoneInfo(turn.zone)).date() < turn.today for at, _ in due)
    if not due:
        return []
    shown = [_due_line(turn, task) for _, task in due[:DUE_MAX]]
    more = [turn.words("digest-due-more", n=len(due) - DUE_MAX)] if len(due) > DUE_MAX else []
    head = turn.words("digest-due", n=len(due), late=late) if late else turn.words("digest-due-today", n=len(due))
    return [head, *shown, *more]


def _due_line(turn: Turn, task: Task) -> str:
    turn.cite(task.label)
    return turn.words("digest-due-line", task=turn.task_line(task))


def _words(turn: Turn) -> str:
    """单词：到期 5 · 新词 1，13:00 来: where daily words are on, and come today."""
    found = habits(turn.writer)
    if not turn.private or not found.words.on or found.words.since > turn.today:
        return ""
    try:
        queue = Deck(turn.writer, turn.now, turn.zone, found).queue()
    except NotInstalled:  # whoever asks for words is told how to get them
        return ""
    due, new = len(queue.due), len(queue.new)
    return turn.words("digest-words", due=due, new=new, at=f"{found.words.at:%H:%M}") if due or new else ""


# the questions that wait


@dataclass(frozen=True, slots=True)
class _Kind(Generic[T]):
    """One kind of question: what waits, the first of it as it is asked, and the words that count it beside another."""

    also: str
    waiting: Callable[[Turn], Sequence[T]]
    shown: Callable[[Turn, Sequence[T]], Matter]


def _first(turn: Turn) -> Matter | None:
    """The one that is asked now, with a line that counts those of other kinds."""
    found = [(kind, waiting) for kind in _KINDS if (waiting := kind.waiting(turn))]
    if not found:
        return None
    lines, buttons = found[0][0].shown(turn, found[0][1])
    others = [turn.words(kind.also, n=len(waiting)) for kind, waiting in found[1:]]
    return [*lines, turn.words("digest-also", what=" · ".join(others)) if others else ""], buttons


def press(turn: Turn, what: str, argument: str) -> Reply:
    """A button of the digest, of the diary, or of what came after them."""
    match what:
        case "agree":
            return _and_next(turn, tidied.agree(turn, argument))
        case "leave":
            return _and_next(turn, tidied.leave(turn, argument))
        case "diary":
            return diary.show(turn, argument)
        case "next":
            lines, buttons = _first(turn) or ([turn.words("digest-nothing-waits")], ())
            return turn.say(*lines, buttons=buttons, shape=Shape.EDIT)
        case _:
            return turn.toast("toast-gone")


def settle(turn: Turn, first: str, rest: str) -> Reply:
    """Which of two entries that disagree holds: `<other id> <choice>`."""
    return _and_next(turn, conflicts.settle(turn, first, rest))


def case(turn: Turn, what: str, session: str) -> Reply:
    """A button of a case. What is only looked at is still the question that stands."""
    reply = cases.press(turn, what, session)
    return reply if what == "show" else _and_next(turn, reply)


def skill(turn: Turn, what: str, name: str) -> Reply:
    """A button of the draft of a skill."""
    reply = skills.press(turn, what, name)
    return reply if what == "show" else _and_next(turn, reply)


def _and_next(turn: Turn, reply: Reply) -> Reply:
    """With a way to what else waits."""
    if reply.shape is Shape.TOAST or not any(kind.waiting(turn) for kind in _KINDS):
        return reply
    return replace(reply, buttons=(*reply.buttons, turn.button("button-next-one", "tidy next")))


_KINDS: tuple[_Kind[Any], ...] = (
    _Kind("digest-also-proposals", tidied.waiting, tidied.shown),
    _Kind("digest-also-conflicts", conflicts.waiting, conflicts.shown),
    _Kind("digest-also-cases", cases.waiting, cases.shown),
    _Kind("digest-also-skills", skills.patterns, skills.shown),
)
"""In the order in which they are asked."""
