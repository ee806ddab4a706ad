"""A long exchange about something that went wrong, kept as one case: problem, error, action, outcome.

Every field is a line that the person wrote, found by rule and taken whole; what nobody wrote is left out. It is shown
before it is stored, and offered once: when the conversation ends, or in the digest where it was never ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot import render
from bot.commands import receipts
from bot.commands.remember import store
from bot.message import Button, Line, Reply, Shape
from bot.phrases.trouble import says_it_worked, says_what_was_done, shows_error, tells_trouble
from bot.secret import MASK
from bot.turn import Turn
from store.ids import named_ulid
from store.model import TALK, Draft, EntryKind, Origin
from store.taint import is_instruction

TURNS_MIN = 12
TURNS_LOOKED_AT = 400
LINE_MAX = 500
QUIET_MS = 12 * 60 * 60 * 1000
"""A conversation in which nothing was said for so long has come to an end, whether or not anybody ended it."""
OPEN_MS = 7 * 24 * 60 * 60 * 1000
NOTE = "case/"
FIELDS = ("problem", "error", "action", "outcome")


@dataclass(frozen=True, slots=True)
class Case:
    session: int
    at_ms: int
    """Of the first line that tells of the trouble."""
    fields: dict[str, str]


def case_in(turn: Turn, session: int) -> Case | None:
    """What this person told in a conversation; None where it is short, tells of no trouble, or of nothing done about it."""
    found = turn.writer.turns("session = ?", (session,), limit=TURNS_LOOKED_AT)
    if len(found) < TURNS_MIN or turn.writer.note(f"{NOTE}{session}") is not None:
        return None
    lines = [
        (one.at_ms, line)
        for one in reversed(found)
        if one.account == turn.account and (one.kind == TALK or one.entry)
        for line in _lines(turn, one.text, one.entry)
    ]
    fields = _fields([line for _, line in lines])
    if not fields:
        return None
    return Case(session, next(at_ms for at_ms, line in lines if line in fields.values()), fields)


def _lines(turn: Turn, text: str, entry: str | None) -> Iterator[str]:
    """What was said for keeping is taken as it was kept, without the command words before it."""
    if entry is not None:
        kept = turn.writer.entry(entry)
        if kept is None or kept.hidden or kept.draft.kind is EntryKind.CHECKPOINT:
            return
        text = kept.draft.text
    for line in text.splitlines():
        line = line.strip()
        if line and len(line) <= LINE_MAX and MASK not in line and not is_instruction(line):
            yield line


def _fields(lines: list[str]) -> dict[str, str]:
    """The first trouble, the first error, the last thing that was done before it worked, and that it did."""
    places = range(len(lines))
    problem = next((at for at in places if tells_trouble(lines[at]) and not shows_error(lines[at])), None)
    error = next((at for at in places if shows_error(lines[at])), None)
    starts = [at for at in (problem, error) if at is not None]
    if not starts:
        return {}
    outcome = next((at for at in reversed(places) if at > min(starts) and says_it_worked(lines[at])), None)
    until = len(lines) if outcome is None else outcome
    action = next((at for at in reversed(range(min(starts) + 1, until)) if says_what_was_done(lines[at])), None)
    if action is None and outcome is not None and says_what_was_done(lines[outcome]):
        action, outcome = outcome, None  # one line says both: what was done goes before how it went
    if action is None and outcome is None:
        return {}
    taken = zip(FIELDS, (problem, error, action, outcome), strict=True)
    return {name: lines[at] for name, at in taken if at is not None}


# offered, shown, kept


def offered(turn: Turn, session: int) -> tuple[Button, ...]:
    """[Keep as a case] under the words that a conversation has ended."""
    if case_in(turn, session) is None:
        return ()
    return (turn.button("button-case", f"case show {session}"),)


def shown(turn: Turn, found: Sequence[Case]) -> tuple[list[Line | str | tuple[Line, ...]], tuple[Button, ...]]:
    """For the digest."""
    case = found[0]
    when = render.full_moment(turn.words, render.local(case.at_ms, turn.zone), turn.today)
    return [turn.words("case-waits", when=when), *_as_lines(turn, case)], _buttons(turn, case)


def waiting(turn: Turn) -> Sequence[Case]:
    """The conversation of this chat that was never ended. In a group no digest singles out one person's lines."""
    session = turn.writer.session(turn.chat) if turn.private else None
    last = turn.writer.turns("session = ?", (session.id,), limit=1) if session else []
    if not session or not last or not QUIET_MS <= turn.now_ms - last[0].at_ms <= OPEN_MS:
        return ()
    case = case_in(turn, session.id)
    return (case,) if case else ()


def press(turn: Turn, what: str, number: str) -> Reply:
    session = int(number) if number.isascii() and number.isdecimal() and len(number) < 16 else 0
    case = case_in(turn, session) if _is_of_this_chat(turn, session) else None
    if case is None:
        return turn.toast("toast-gone")
    match what:
        case "show":
            return turn.say(turn.words("case-shown"), *_as_lines(turn, case), buttons=_buttons(turn, case))
        case "keep":
            return _keep(turn, case)
        case "leave":
            turn.writer.keep_note(f"{NOTE}{session}", "{}")
            return turn.pressed("case-left")
        case _:
            return turn.toast("toast-gone")


def _is_of_this_chat(turn: Turn, session: int) -> bool:
    return bool(turn.writer.turns("session = ? AND chat = ?", (session, turn.chat), limit=1))


def _as_lines(turn: Turn, case: Case) -> list[Line]:
    most = render.QUOTE_CHARACTERS_MAX[turn.words.lang]
    return [Line(_line(turn, name, render.short(text, most)), stored=True) for name, text in case.fields.items()]


def _line(turn: Turn, name: str, text: str) -> str:
    """错误：… is not said twice where the person has said it already."""
    label = turn.words(f"case-{name}", text="").strip()
    return text if text.casefold().startswith(label.casefold()) else turn.words(f"case-{name}", text=text)


def _buttons(turn: Turn, case: Case) -> tuple[Button, ...]:
    return (
        turn.button("button-case-keep", f"case keep {case.session}"),
        turn.button("button-case-leave", f"case leave {case.session}"),
    )


def _keep(turn: Turn, case: Case) -> Reply:
    text = "\n".join(_line(turn, name, said) for name, said in case.fields.items())
    entry = store(
        turn,
        Draft(text, EntryKind.NOTE, tags=(turn.words("case-tag"),)),
        origin=Origin.CONFIRMED,
        record=named_ulid(case.at_ms, "case", turn.device_id.hex(), turn.chat, str(case.session)),
    )
    turn.writer.keep_note(f"{NOTE}{case.session}", "{}")
    turn.notes.stored = True
    turn.notes.entry = entry.id
    turn.cite(entry.label)
    return turn.say(
        turn.words("receipt-saved", what=receipts.head(turn, entry)),
        receipts.quote(turn, entry, named=False),
        buttons=(receipts.undo_save(turn, entry), turn.button("button-edit", f"edit {entry.id}")),
        shape=Shape.EDIT,
    )
