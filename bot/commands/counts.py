"""How often a word was met: in entries, and in talk that is nobody's source, no command, no question, nothing of ours."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from bot import render
from bot.commands import evidence, receipts, words_cards
from bot.commands.answers import ask
from bot.commands.looking import chat_lines
from bot.intents import Ask, Aspect, Count
from bot.message import Button, Line, Reply
from bot.turn import Turn
from store.dates import find_dates, undated
from store.model import Entry
from store.occurrences import EVER, Occurrences, Place, occurrences
from store.own_rows import Turn as Said
from store.text import counts_in

FORMS_MAX = 6
"""Other forms that a count names; the rest is in the sum alone."""
POINTED_CHARACTERS_MAX = 60
"""“this word” means the message it replies to, if that is no longer than a word or a short phrase may be."""


def count(turn: Turn, intent: Count) -> Reply:
    term = intent.term or _pointed_at(turn)
    turn.notes.kind = "question"
    if not term:
        return turn.say(turn.words("empty-count"))
    found, days, then = occurrences(turn.writer, term), EVER, ""
    if not found.places and (dated := _dated(turn, term)):
        term, days, then = dated
        found = occurrences(turn.writer, term, days)
    if not found.places and intent.question:
        return ask(turn, Ask(intent.question, intent.term, Aspect.EVER))
    shown = render.quoted(term)
    card, add = words_cards.under_a_count(turn, term)
    if not found.places:
        turn.notes.empty = True
        return turn.say(then, turn.words("count-none-then" if then else "count-none", term=shown), card, buttons=add)
    turn.cite(*(one.label for one in _shown(turn, found.places) if isinstance(one, Entry)))
    return turn.say(
        then,
        turn.words("count-line", term=shown, times=found.times, where=where(turn, found), forms=_forms(turn, found)),
        _when(turn, found.places[-1].at_ms, found.places[0].at_ms),
        card,
        buttons=(lines_offer(turn, term, days), *add),
    )


def _dated(turn: Turn, term: str) -> tuple[str, tuple[date, date], str] | None:
    """“budget last week” where those very words stand nowhere: budget, the days, and the line that says them."""
    bare, dates = undated(term, term, turn.today), find_dates(term, turn.today, prefer_past=True)
    if not dates or bare in ("", term):
        return None
    one = dates[0]
    shown = receipts.span(turn, one.first, one.last, weekday=False)
    return bare, (one.first, one.last), turn.words("count-then", words=one.words, when=shown)


def _pointed_at(turn: Turn) -> str:
    quoted = turn.inbound.reply_to
    text = quoted.text.strip() if quoted else ""
    return text if len(text) <= POINTED_CHARACTERS_MAX and "\n" not in text else ""


def where(turn: Turn, found: Occurrences) -> str:
    """在 2 条里 / in 2 entries and 1 chat message"""
    if not found.chats:
        return turn.words("count-in-entries", entries=found.entries)
    if not found.entries:
        return turn.words("count-in-chat", n=found.chats)
    return turn.words("count-in-both", entries=found.entries, n=found.chats)


def _forms(turn: Turn, found: Occurrences) -> str:
    others = list(found.forms.items())[1:]
    if not others:
        return ""
    each = [turn.words("count-form", form=form, times=times) for form, times in others[:FORMS_MAX]]
    return turn.words("count-forms", forms=turn.listed(each + ["…"] * (len(others) > FORMS_MAX)))


def near_or_day(turn: Turn, at_ms: int) -> str:
    """今天 / 5月3日（周五）"""
    one = render.local(at_ms, turn.zone).date()
    return render.near_day(turn.words, one, turn.today) or render.day(turn.words, one, turn.today)


def _when(turn: Turn, first_ms: int, last_ms: int) -> str:
    words = turn.words
    first, last = near_or_day(turn, first_ms), near_or_day(turn, last_ms)
    if first == last:
        return words("count-one-day", day=first)
    return (
        render.spaced(words, words("count-first"), first) + words("comma")
        + render.spaced(words, words("count-last"), last) + words("full-stop")
    )  # fmt: skip


def lines_offer(turn: Turn, term: str, days: tuple[date, date] = EVER) -> Button:
    """[Show lines]"""
    offer = turn.offer(do="lines", term=term, days=[day.isoformat() for day in days])
    return turn.button("button-show-lines", offer)


def lines_with(turn: Turn, body: dict[str, Any]) -> Reply:
    """The words in which a counted term stands, newest first from `start` on; chat is marked as such."""
    first, last = map(date.fromisoformat, body["days"]) if "days" in body else EVER
    start = body.get("start", 0)
    found = occurrences(turn.writer, body["term"], (first, last))
    shown = _shown(turn, found.places[start:])
    if not shown:
        return turn.toast("toast-gone")
    lines: list[Line | str | tuple[Line, ...]] = [turn.words("count-lines", n=len(found.places))]
    for one in shown:
        if isinstance(one, Entry):
            turn.cite(one.label)
            lines += [receipts.quote(turn, one, lines_max=receipts.LINES_MAX), *_fields(turn, one, found)]
            lines.append(evidence.citation(turn, one, dated=True))
        else:
            lines.append(chat_lines(turn, (one,)))
    return turn.say(*lines, buttons=_more(turn, body, start + len(shown), len(found.places)))


def _fields(turn: Turn, entry: Entry, found: Occurrences) -> tuple[str, ...]:
    """Because and the rest, where the term stands nowhere else."""
    return () if any(map(any, counts_in(tuple(found.forms), (entry.draft.text,)))) else receipts.fields(turn, entry)


def _more(turn: Turn, body: dict[str, Any], start: int, total: int) -> tuple[Button, ...]:
    if start >= total:
        return ()
    return (turn.button("button-more", turn.offer(**{**body, "start": start}), n=total - start),)


def _shown(turn: Turn, places: Sequence[Place]) -> list[Entry | Said]:
    """The first page of `places`."""
    view = turn.writer
    found: list[Entry | Said] = []
    for place in places[: evidence.LIST_MAX]:
        if place.chat:
            found += view.turns("id = ?", (place.number,))
        else:
            found += view.entries("seq = ?", (place.number,))
    return found
