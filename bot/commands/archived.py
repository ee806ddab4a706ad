"""What has gone cold and is left out of ordinary answers (`store.archive`): searched when asked for, and marked.

Nothing is claimed here: every cold entry that shares a word with the question is shown, the best first.
"""

from __future__ import annotations

from bot import render
from bot.commands import evidence
from bot.intents import SearchCold
from bot.message import Button, Reply
from bot.turn import Turn
from store.text import terms


def search(turn: Turn, intent: SearchCold) -> Reply:
    """Without words: everything cold, newest first."""
    turn.notes.kind = "question"
    turn.notes.topic = render.short(intent.words, 60)
    wanted = terms(intent.words)
    found = turn.writer.cold_with(wanted, turn.today) if wanted else turn.writer.cold(turn.today)
    if not found:
        turn.notes.empty = True
        return _nothing(turn, intent.words)
    title = turn.words("away-found" if wanted else "away-title", n=len(found))
    if len(found) == 1:
        return evidence.one(turn, found[0], title, named=True, dated=True)
    return evidence.several(turn, found, title)


def button(turn: Turn, words: str) -> tuple[Button, ...]:
    """[Search put away], where that would find something."""
    if not turn.writer.cold_with(terms(words), turn.today):
        return ()
    return (turn.button("button-search-away", turn.offer(do="archive", topic=words)),)


def left_out(turn: Turn) -> str:
    """Says that there is something an ordinary question does not look at; "" when there is not."""
    n = turn.writer.count_cold(turn.today)
    return turn.words("away-left-out", n=n, shown=turn.number(n)) if n else ""


def _nothing(turn: Turn, words: str) -> Reply:
    n = turn.writer.count_cold(turn.today)
    if not n:
        return turn.say(turn.words("away-empty"))
    topic = render.quoted(render.short(words, 40))
    return turn.say(turn.words("away-nothing", topic=topic, n=n, shown=turn.number(n)))
