"""What was asked while the bot was away: one line, with a button to ask again, instead of late answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot import render
from bot.intents import Board
from bot.message import Button, Inbound, Reply
from bot.phrases.grammar import parse
from bot.turn import Turn
from bot.words import language_of, words

BUTTON_CHARACTERS_MAX = {"zh": 8, "en": 16}
QUESTION_CHARACTERS_MAX = 60
BUTTONS_MAX = 3


def missed(turn: Turn, questions: Sequence[Inbound]) -> Reply:
    turn = replace(turn, words=words(language_of(questions[0].text, turn.words.lang)))
    time = turn.moment(int(questions[0].at.timestamp() * 1000))
    if len(questions) > 1:
        shown = questions[-BUTTONS_MAX:]
        text = turn.words("late-several", time=time, n=len(questions))
        return turn.say(text, buttons=tuple(_again(turn, one, _label(turn, one)) for one in shown))
    (question,) = questions
    if isinstance(parse(question.text).intent, Board):
        return turn.say(turn.words("late-board", time=time), buttons=(turn.button("button-the-board", "board"),))
    asked = render.quoted(render.short(" ".join(question.text.split()), QUESTION_CHARACTERS_MAX))
    button = _again(turn, question, turn.words("button-ask-again"))
    return turn.say(turn.words("late-question", time=time, question=asked), buttons=(button,))


def _again(turn: Turn, question: Inbound, label: str) -> Button:
    return Button(label, f"{turn.offer(do='said', text=question.text)} yes")


def _label(turn: Turn, question: Inbound) -> str:
    return render.short(" ".join(question.text.split()), BUTTON_CHARACTERS_MAX[language_of(question.text, "en")])
