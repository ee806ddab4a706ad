"""Read this first: from what a sentence asks for to the command that answers it.

A typed command always wins over an open question and closes it; anything else within ten minutes answers it.
What is not understood gets offers and is never stored by guess.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from bot.commands import about, ask, forget, offers, remember, talks, tasks
from bot.intents import (
    AddTask,
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
    MoveTask,
    NewSession,
    Parsed,
    Pin,
    Profile,
    Remember,
    Remind,
    Rules,
    ShowMemory,
    Simple,
    Trail,
    Unclear,
    Undo,
    UnknownCommand,
    WhereWereWe,
    Why,
    YouForgot,
)  # fmt: skip
from bot.message import Reply, Shape
from bot.turn import Turn
from store.writer import TALK

STORING = (Remember, Correct, AddTask, YouForgot, Profile, MoveTask)
"""Intents whose words are kept: a secret among them is held back."""


def route(turn: Turn, parsed: Parsed) -> Reply:
    """The reply to one understood message."""
    question = turn.writer.pending(turn.chat, turn.account, turn.now_ms)
    if question is not None:
        if isinstance(parsed.intent, Unclear):
            return offers.answer(turn, question, parsed.intent.text)
        turn.writer.close_question(turn.chat, turn.account)
    return _command(turn, parsed.intent)


def press(turn: Turn, action: str) -> Reply:
    """The reply to a pressed button."""
    pressed = offers.press(turn, action)
    return replace(route(turn, pressed), shape=Shape.EDIT) if isinstance(pressed, Parsed) else pressed


def greet(turn: Turn) -> Reply:
    """The first words on a new home."""
    return offers.greeting(turn)


def _command(turn: Turn, intent: Intent) -> Reply:
    match intent:
        case Remember():
            return remember.remember(turn, intent)
        case Correct():
            return remember.correct(turn, intent)
        case Ask():
            return ask.ask(turn, intent)
        case YouForgot():
            return ask.you_forgot(turn, intent)
        case Forget():
            return forget.forget(turn, intent)
        case Undo():
            return forget.undo(turn, intent)
        case Pin():
            return forget.pin(turn, intent)
        case Count():
            return ask.count(turn, intent)
        case Why():
            return ask.why(turn, intent)
        case History():
            return ask.history(turn, intent)
        case Decisions():
            return ask.decisions(turn, intent)
        case ShowMemory():
            return ask.memory(turn)
        case Trail():
            return ask.trail(turn)
        case Board():
            return tasks.board(turn)
        case Archive():
            return tasks.archive(turn, intent)
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
            return about.profile(turn, intent)
        case Rules():
            return about.rules(turn)
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
    turn.notes.kind = TALK
    offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "unclear", "text": intent.text})
    buttons = (
        turn.button("button-save", f"offer {offer} save"),
        turn.button("button-look-up", f"offer {offer} look"),
        turn.button("button-never-mind", f"offer {offer} drop"),
    )
    return turn.say(turn.words("no-model"), buttons=buttons)


def _unknown(turn: Turn, intent: UnknownCommand) -> Reply:
    help_button = turn.button("button-help", "help")
    if not intent.nearest:
        return turn.say(turn.words("no-such-command", typed=f"/{intent.typed}"), buttons=(help_button,))
    text = turn.words("did-you-mean", typed=f"/{intent.typed}", nearest=f"/{intent.nearest}")
    if intent.nearest == "remember" and intent.rest.strip():
        offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "save", "text": intent.rest.strip()})
        first = turn.button("button-save", f"offer {offer}")
    else:
        said = f"/{intent.nearest} {intent.rest}".strip()
        offer = turn.writer.make_offer(turn.chat, turn.account, {"do": "said", "text": said})
        first = turn.button("button-that-one", f"offer {offer} yes")
    return turn.say(text, buttons=(first, help_button))


def _remind(turn: Turn, intent: Remind) -> Reply:
    """Until the clock is there, the words are kept as a task and the reply says so."""
    reply = tasks.add(turn, AddTask(intent.text))
    return turn.say(*reply.lines, turn.words("no-reminders-yet"), buttons=reply.buttons)


def _empty(turn: Turn, intent: Empty) -> Reply:
    if intent.command == "todo":
        return tasks.ask_for_task(turn)
    name = f"empty-{intent.command}"
    return turn.say(turn.words(name if turn.words.has(name) else "empty"))
