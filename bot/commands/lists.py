"""What memory holds, as lists: decisions, everything, rules; ten rows a page."""

from __future__ import annotations

from bot import render
from bot.commands import evidence
from bot.commands.answers import ask
from bot.intents import Ask, Aspect, Decisions
from bot.message import Reply
from bot.phrases.questions import TOPIC_CHARACTERS_MAX
from bot.turn import Turn

_CURRENT = "hidden = 0 AND current = 1"
LISTS = {
    "memory": f"{_CURRENT} AND kind <> 'checkpoint'",
    "decisions": f"{_CURRENT} AND kind = 'decision'",
    "rules": f"{_CURRENT} AND kind = 'rule'",
}


def decisions(turn: Turn, intent: Decisions) -> Reply:
    if not intent.query:
        return listed(turn, "decisions")
    return ask(turn, Ask(intent.query, render.short(intent.query, TOPIC_CHARACTERS_MAX), Aspect.DECIDED))


def memory(turn: Turn) -> Reply:
    return listed(turn, "memory")


def rules(turn: Turn) -> Reply:
    return listed(turn, "rules")


def listed(turn: Turn, what: str, start: int = 0) -> Reply:
    """`what`: memory, decisions or rules. Pinned entries come first, then the newest."""
    where = LISTS[what]
    found = turn.writer.entries(f"{where} AND pinned = 1") + turn.writer.entries(f"{where} AND pinned = 0")
    total = turn.writer.count_where(where)
    shown = found[start : start + evidence.LIST_MAX]
    if not shown:
        turn.notes.empty = True
        return turn.say(turn.words(f"{what}-empty", memory=turn.memory_name()))
    title = turn.words(f"{what}-title", memory=turn.memory_name(), n=total, shown=turn.number(total))
    left = len(found) - start - len(shown)
    more = (turn.button("button-more", f"list {what} {start + len(shown)}", n=left),) if left > 0 else ()
    return turn.say(title, evidence.rows(turn, shown), buttons=more)
