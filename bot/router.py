"""Read this first: from what a sentence asks for to the command that answers it.

A typed command always wins over an open question and closes it; anything else within ten minutes answers it.
What is not understood gets offers and is never stored by guess.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from bot.commands import (
    about,
    answers,
    archived,
    board,
    chat_kept,
    correct,
    counts,
    daily,
    forget,
    held,
    lists,
    looking,
    offers,
    open_question,
    profile,
    refs,
    remember,
    reminders,
    restore,
    talks,
    tasks,
    tracking,
    unasked,
    undo,
    which,
    wished,
    words,
)
from bot.intents import (
    AddTask,
    AddWords,
    Archive,
    Ask,
    Board,
    Checkpoints,
    Correct,
    Count,
    Decisions,
    Empty,
    Forget,
    ForOtherBot,
    History,
    Intent,
    KeepChat,
    LearningStats,
    MoveDaily,
    MoveTask,
    NewSession,
    Parsed,
    Pin,
    Profile,
    Remember,
    Remind,
    Rules,
    SearchCold,
    ShowMemory,
    Simple,
    Today,
    Track,
    Trail,
    Unclear,
    Undo,
    UnknownCommand,
    Vocab,
    WhereWereWe,
    Why,
    YouForgot,
)  # fmt: skip
from bot.message import Reply, Shape
from bot.phrases.daily import kind_in
from bot.phrases.words import courtesy_in
from bot.turn import Turn

STORING = (Remember, Correct, AddTask, Remind, YouForgot, Profile, MoveTask, MoveDaily)
"""Intents whose words are kept: a secret among them is held back."""

_READING = (
    Ask, SearchCold, Count, Why, History, Decisions, ShowMemory, Trail, Board, Archive, Checkpoints, WhereWereWe, Rules,
    UnknownCommand, LearningStats,
)  # fmt: skip
_SETTING = ("lang", "tz", *daily.SIMPLE)
"""The simple commands that change something or ask for it."""


def only_reads(intent: Intent) -> bool:
    """Whether answering leaves memory, settings and the conversation as they are."""
    match intent:
        case Profile(field):
            return not field
        case Track(term):
            return not term
        case KeepChat(days):
            return days is None
        case Empty(command):
            return not command
        case Simple(name):
            return name not in _SETTING
        case _:
            return isinstance(intent, _READING)


def asks_what_was_said(intent: Intent | None, action: str = "") -> bool:
    """Whether answering a message, or a button's action, needs to know what was said unasked."""
    if intent is None:
        return action.partition(" ")[0] in ("daily", "vocab", "card", "why")
    if isinstance(intent, Simple):
        return intent.name in ("status", *daily.SIMPLE)
    return isinstance(intent, Why | MoveDaily | Vocab | Unclear)


def words_asked(intent: Intent) -> str:
    """The words whose meaning memory will be searched for; "" where it will not be."""
    match intent:
        case Ask(question):
            return question
        case YouForgot(text):
            return text
        case _:
            return ""


def route(turn: Turn, parsed: Parsed) -> Reply:
    """The reply to one understood message."""
    question = turn.writer.pending(turn.chat, turn.account, turn.now_ms)
    if question is not None:
        said = parsed.intent.text if isinstance(parsed.intent, Unclear) else ""
        if not said and words.is_right(turn, question):  # the word that was asked for may be a command's name, too
            said = turn.inbound.text
        answered = open_question.answer(turn, question, said) if said else None
        if answered is not None:
            return answered
        turn.writer.close_question(turn.chat, turn.account)
    return _command(turn, parsed.intent)


def hold(turn: Turn, parsed: Parsed) -> Reply | None:
    """For a message in which a secret was masked: the question about it, or nothing when its words are not kept."""
    waiting = turn.writer.pending(turn.chat, turn.account, turn.now_ms) is not None
    kept = isinstance(parsed.intent, STORING) or (waiting and isinstance(parsed.intent, Unclear))
    return held.hold(turn, parsed.intent) if kept else None


def press(turn: Turn, action: str) -> Reply:
    """The reply to a pressed button."""
    pressed = offers.press(turn, action)
    if not isinstance(pressed, Parsed):
        return pressed
    reply = route(turn, pressed)
    return reply if reply.shape is Shape.TOAST else replace(reply, shape=Shape.EDIT)


def greet(turn: Turn) -> Reply:
    """The first words on a new home."""
    return about.greeting(turn)


def wishes(turn: Turn) -> Reply | None:
    """What agents wish to have forgotten, where anything waits."""
    return wished.show(turn)


def _command(turn: Turn, intent: Intent) -> Reply:
    if isinstance(intent, Remember | Correct):
        intent = remember.with_last_day(turn, intent)
    return which.ask(turn, intent) or restore.ask(turn, intent) or _carry_out(turn, intent)


def _carry_out(turn: Turn, intent: Intent) -> Reply:
    match intent:
        case Remember():
            return remember.remember(turn, intent)
        case Correct():
            return correct.correct(turn, intent)
        case Ask():
            return answers.ask(turn, intent)
        case SearchCold():
            return archived.search(turn, intent)
        case YouForgot():
            return answers.you_forgot(turn, intent)
        case Forget():
            return forget.forget(turn, intent)
        case Undo():
            return undo.undo(turn, intent)
        case Pin():
            return refs.pin(turn, intent)
        case Count():
            return counts.count(turn, intent)
        case Track():
            return tracking.track(turn, intent)
        case Why(ref) if kind := kind_in(ref):
            return unasked.explain(turn, kind)
        case Why():
            return refs.why(turn, intent)
        case History():
            return refs.history(turn, intent)
        case Decisions():
            return lists.decisions(turn, intent)
        case ShowMemory():
            return lists.memory(turn)
        case Trail():
            return looking.trail(turn)
        case Board():
            return board.board(turn)
        case Archive():
            return board.archive(turn, intent)
        case AddTask():
            return tasks.add(turn, intent)
        case MoveTask():
            return tasks.move(turn, intent)
        case Remind():
            return _remind(turn, intent)
        case NewSession():
            return talks.new_session(turn, intent)
        case Checkpoints():
            return talks.checkpoints(turn)
        case WhereWereWe():
            return talks.where_were_we(turn)
        case Profile():
            return profile.profile(turn, intent)
        case KeepChat():
            return chat_kept.keep(turn, intent)
        case Rules():
            return lists.rules(turn)
        case Today() | AddWords() | Vocab() | LearningStats():
            return words.answer(turn, intent)
        case MoveDaily():
            return daily.move(turn, intent)
        case Simple(name) if name in daily.SIMPLE:
            return daily.simple(turn, intent)
        case Simple():
            return about.simple(turn, intent)
        case UnknownCommand():
            return _unknown(turn, intent)
        case Empty():
            return _empty(turn, intent)
        case Unclear():
            return _unclear(turn, intent)
        case ForOtherBot():
            raise AssertionError("the gateway answers nothing that is meant for another bot")
        case _:
            assert_never(intent)


def _unclear(turn: Turn, intent: Unclear) -> Reply:
    if (late := words.late_answer(turn, intent.text)) is not None:
        return late
    courtesy = courtesy_in(intent.text)
    if not courtesy:
        return answers.not_understood(turn, intent.text)
    shape = Shape.MESSAGE if turn.private or courtesy == "hello" else Shape.REACTION
    return turn.say(turn.words(f"courtesy-{courtesy}"), shape=shape)


def _unknown(turn: Turn, intent: UnknownCommand) -> Reply:
    help_button = turn.button("button-help", "help")
    if not intent.nearest:
        return turn.say(turn.words("no-such-command", typed=f"/{intent.typed}"), buttons=(help_button,))
    text = turn.words("did-you-mean", typed=f"/{intent.typed}", nearest=f"/{intent.nearest}")
    if intent.nearest == "remember" and intent.rest.strip():
        first = turn.button("button-save", turn.offer(do="save", text=intent.rest.strip()))
    else:
        said = f"/{intent.nearest} {intent.rest}".strip()
        first = turn.button("button-that-one", f"{turn.offer(do='said', text=said)} yes")
    return turn.say(text, buttons=(first, help_button))


def _remind(turn: Turn, intent: Remind) -> Reply:
    reply = reminders.remind(turn, intent)
    return _empty(turn, reply) if isinstance(reply, Empty) else reply


def _empty(turn: Turn, intent: Empty) -> Reply:
    if intent.command == "todo":
        return board.ask_for_task(turn)
    name = f"empty-{_ASKED_ALIKE.get(intent.command, intent.command)}" if intent.command else "empty"
    return turn.say(turn.words(name))


_ASKED_ALIKE = {
    **dict.fromkeys(("why", "history", "pin", "unpin"), "ref"),
    **dict.fromkeys(("done", "doing", "ready", "blocked"), "task"),
    "you_forgot": "remember",
}
"""Command words that stand alone → what is asked for."""
