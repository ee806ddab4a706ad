"""How often a word was met: in entries, and in talk that is nobody's source, no command, no question, nothing of ours."""

from __future__ import annotations

from bot import render
from bot.commands import evidence
from bot.intents import Count
from bot.message import Reply
from bot.turn import Turn
from store.model import Entry
from store.own_rows import TALK
from store.text import count_in, plain


def count(turn: Turn, intent: Count) -> Reply:
    found: list[tuple[int, int, str]] = [
        (e.at_ms, count_in(intent.term, e.draft.text), e.label) for e in _entries(turn, intent.term)
    ]
    talk = turn.writer.turns("kind = ?", (TALK,))
    found += [(kept.at_ms, count_in(intent.term, kept.text), "") for kept in talk]
    counted = sorted(one for one in found if one[1])
    turn.notes.kind = "question"
    term = render.quoted(intent.term)
    if not counted:
        turn.notes.empty = True
        return turn.say(turn.words("count-none", term=term))
    turn.cite(*(label for _, _, label in counted[-3:] if label))
    times = sum(n for _, n, _ in counted)
    return turn.say(
        turn.words("count-line", term=term, times=times, entries=len(counted)),
        _when(turn, counted[0][0], counted[-1][0]),
        buttons=(turn.button("button-show-lines", turn.offer(do="lines", term=intent.term)),),
    )


def _when(turn: Turn, first_ms: int, last_ms: int) -> str:
    words = turn.words
    first, last = (
        render.near_day(words, one, turn.today) or render.day(words, one, turn.today)
        for one in (render.local(at_ms, turn.zone).date() for at_ms in (first_ms, last_ms))
    )
    if first == last:
        return words("count-one-day", day=first)
    return (
        render.spaced(words, words("count-first"), first) + words("comma")
        + render.spaced(words, words("count-last"), last) + words("full-stop")
    )  # fmt: skip


def lines_with(turn: Turn, term: str) -> Reply:
    """The entries in which a counted word stands."""
    entries = [e for e in _entries(turn, term) if count_in(term, e.draft.text)]
    if not entries:
        return turn.toast("toast-gone")
    return evidence.several(turn, entries, turn.words("answer-several", n=len(entries)))


def _entries(turn: Turn, term: str) -> list[Entry]:
    return turn.writer.with_words(plain(term))
