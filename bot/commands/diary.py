"""The tidy diary: what a night proposed, what it nearly did, and what it left alone and why. For people only."""

from __future__ import annotations

from datetime import date, timedelta

from bot import render
from bot.message import Line, Reply
from bot.tidying import AGREED, LEFT, Diary, decision, diary, nights
from bot.turn import Turn
from scheduler.promotion import SCORE_MIN
from store.model import Entry

SHOWN_MAX = 5
TEXT_MAX = 60
NIGHTS_BACK_MAX = 400


def show(turn: Turn, day: str = "") -> Reply:
    """`day`: ISO, "" for the newest night. A night's words are those that are still there."""
    night = _night(turn, day)
    noted = diary(turn.writer, night)
    lines = [*_proposed(turn, noted), *_nearly(turn, noted)]
    left = _left(turn, noted)
    chat = turn.words("diary-chat", n=noted.chat, shown=turn.number(noted.chat)) if noted.chat else ""
    nothing = () if lines or left or chat else (turn.words("diary-nothing"),)
    earlier = next((one for one in nights(turn.writer) if one < night), None)
    buttons = (turn.button("button-night-before", f"tidy diary {earlier.isoformat()}"),) if earlier else ()
    title = turn.words("diary-title", day=render.day(turn.words, night, turn.today))
    return turn.say(title, *lines, left, chat, *nothing, buttons=buttons)


def _night(turn: Turn, day: str) -> date:
    noted = nights(turn.writer)
    try:
        asked = date.fromisoformat(day) if day else turn.today
    except ValueError:
        asked = turn.today
    too_far = asked > turn.today or asked < turn.today - timedelta(days=NIGHTS_BACK_MAX)
    if day and not too_far:
        return asked
    return noted[0] if noted and noted[0] <= turn.today else turn.today


def _proposed(turn: Turn, noted: Diary) -> list[Line]:
    lines = []
    for record, verdict, times in noted.proposed:
        entry = _there(turn, record)
        if entry is not None:
            state = {AGREED: "diary-agreed", LEFT: "diary-left", "": "diary-open"}[decision(turn.writer, (entry,))]
            why = turn.words(f"diary-why-{verdict}", n=times)
            lines.append(_line(turn, "diary-proposed", entry, why=f"{why} · {turn.words(state)}"))
    return lines


def _nearly(turn: Turn, noted: Diary) -> list[Line]:
    lines = []
    for record, score, times in noted.nearly[:SHOWN_MAX]:
        entry = _there(turn, record)
        if entry is not None:
            why = turn.words("diary-why-nearly", n=times, score=score, least=round(SCORE_MIN * 100))
            lines.append(_line(turn, "diary-nearly", entry, why=why))
    return lines


def _line(turn: Turn, name: str, entry: Entry, *, why: str) -> Line:
    turn.cite(entry.label)
    text = render.quoted(render.short(entry.draft.text, TEXT_MAX))
    return Line(turn.words(name, ref=entry.label, text=text, why=why), stored=True)


def _there(turn: Turn, record: str) -> Entry | None:
    entry = turn.writer.entry(record)
    return entry if entry is not None and not entry.hidden and not entry.held else None


def _left(turn: Turn, noted: Diary) -> str:
    """没动：只说过一次 4 · 像代码 1"""
    if not noted.left:
        return ""
    parts = [turn.words(f"tidy-why-{reason}", n=count) for reason, count in noted.left.items()]
    return turn.words("diary-not", reasons=" · ".join(parts))
