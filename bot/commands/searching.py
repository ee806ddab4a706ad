"""/search with syntax or filters: how many there are, three as evidence, the rest by pages; a hint for what was no syntax.

What a page shows is looked up anew from the query that its offer keeps, so pages outlive a restart and nothing
forgotten in the meantime comes back.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from bot import render
from bot.commands import evidence, looking, restore
from bot.commands.paging import turning
from bot.intents import Ask
from bot.message import Line, Reply, Shape
from bot.turn import Turn
from store.filters import Unread
from store.model import AccountID
from store.recall import Answer, Question
from store.search import ROWS_MAX, Found, read, search
from store.trail import Outcome, Step

PIECE_CHARACTERS_MAX = 40
PAGES_MAX = 1_000_000
"""No memory has as many."""


def reply(turn: Turn, intent: Ask) -> Reply | None:
    """None when ranked recall would answer better: no syntax was used, or what was meant by it is unclear."""
    query = read(turn.writer, intent.question, turn.today, asker=turn.account)
    if not query.is_exact:
        return None
    found = search(turn.writer, intent.question, turn.today, asker=turn.account, limit=evidence.EVIDENCE_MAX)
    if found.unread and not found.total:
        return None
    turn.notes.kind = "question"
    turn.notes.topic = intent.topic or render.short(intent.question, 60)
    looking.keep_trail(turn, Question(intent.question, turn.today), _answer(turn, found))
    if not found.total:
        return _nothing(turn, intent, found)
    return hinted(turn, _shown(turn, intent, found), found.unread)


def hinted(turn: Turn, reply: Reply, unread: tuple[Unread, ...]) -> Reply:
    """The reply with one line on the first piece that looks like syntax and is none."""
    if not unread:
        return reply
    piece = render.quoted(render.short(unread[0].piece, PIECE_CHARACTERS_MAX))
    hint = turn.words(f"search-hint-{unread[0].reason.value}", piece=piece)
    return replace(reply, lines=(*reply.lines, Line(hint)))


def hint(turn: Turn, intent: Ask, reply: Reply) -> Reply:
    """The same for a reply of ranked recall to this search."""
    return hinted(turn, reply, read(turn.writer, intent.question, turn.today, asker=turn.account).unread)


def _answer(turn: Turn, found: Found) -> Answer:
    """What the trail keeps of an exact search: all entries were looked at, what was found is all there is, unranked."""
    outcome = Outcome.ANSWER if found.total else Outcome.NOTHING
    total = turn.writer.count()
    step = Step("L2", total, found.total, bool(found.total), 0.0)
    return Answer(outcome, found.entries, total=total, trail=(step,))


def _nothing(turn: Turn, intent: Ask, found: Found) -> Reply:
    if (held := restore.asked_for(turn, intent.question)) is not None:
        return restore.question(turn, held)
    turn.notes.kind = "nothing"
    return looking.nothing_found(turn, _answer(turn, found), intent.topic, everywhere=True)


def _shown(turn: Turn, intent: Ask, found: Found) -> Reply:
    title = turn.words("answer-several", n=found.total)
    if found.total == 1:
        return evidence.one(turn, found.entries[0], title, named=True, dated=True)
    left = found.total - len(found.entries)
    more = turn.button("button-more", _offer(turn, intent.question), n=left) if left else None
    return evidence.several(turn, found.entries, title, buttons=(more,) if more else ())


def _offer(turn: Turn, text: str) -> str:
    return turn.offer(do="search", text=text, today=turn.today.isoformat(), asker=turn.account)


def page(turn: Turn, offer: str, body: dict[str, str], choice: str) -> Reply:
    """What follows the first three: as evidence when it is no more than that, else ten rows a page."""
    today, asker = date.fromisoformat(body["today"]), AccountID(body["asker"])
    at = int(choice or 0)
    if not 0 <= at < PAGES_MAX:
        raise IndexError(at)
    first = evidence.EVIDENCE_MAX + at * ROWS_MAX
    found = search(turn.writer, body["text"], today, asker=asker, start=first)
    if not found.entries:
        return turn.toast("toast-gone")
    left = found.total - evidence.EVIDENCE_MAX
    if left <= evidence.EVIDENCE_MAX:
        return evidence.several(turn, found.entries, turn.words("answer-more", n=left))
    last = first + len(found.entries)
    title = turn.words("search-page", n=found.total, first=first + 1, last=last)
    buttons = turning(at, -(-left // ROWS_MAX), f"offer {offer}")
    shape = Shape.EDIT if choice else Shape.MESSAGE
    return turn.say(title, evidence.rows(turn, found.entries), buttons=buttons, shape=shape)
