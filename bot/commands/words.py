"""Words to learn, as a person meets them: from what was asked for to the command that answers it."""

from __future__ import annotations

from bot.intents import AddWords, LearningStats, Today, Vocab
from bot.message import Reply
from bot.turn import Turn


def answer(turn: Turn, intent: Today | AddWords | Vocab | LearningStats) -> Reply:
    """Words belong to one person: in a group there is only the way to the private chat."""
    return turn.say(turn.words("words-private"), buttons=(turn.button("button-open-private", "private"),))
