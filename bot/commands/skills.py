"""What a person asks for again and again in the same form, proposed as the draft of a skill.

A draft is a note with the tag *skill*: for people to read, and to copy where an agent looks for skills. It is nothing
that runs; niannian itself never acts on it. What was declined is not proposed again for 90 days.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from bot import render
from bot.commands import receipts
from bot.commands.remember import store
from bot.intents import AddTask, Ask, Count, Decisions, Intent, Remember, Remind
from bot.message import Button, Line, Reply, Shape
from bot.phrases.grammar import parse
from bot.phrases.settled import names_secret
from bot.phrases.templates import SLOTS, has_slots, same, slug_of, template_of, with_slots
from bot.secret import MASK
from bot.turn import Turn
from store.ids import named_ulid
from store.model import Draft, EntryKind, Origin
from store.own_rows import Turn as Said
from store.taint import is_instruction

TIMES_MIN, DAYS_MIN = 3, 3
LOOK_BACK = timedelta(days=60)
DECLINED_MS = 90 * 24 * 60 * 60 * 1000
TURNS_MAX = 2000
EXAMPLES_MAX = 3
DAYS_SHOWN = 3
NOTE = "skill/"
_STEPS: dict[type[Intent], str] = {
    AddTask: "skill-step-task",
    Remind: "skill-step-remind",
    Ask: "skill-step-ask",
    Count: "skill-step-count",
    Decisions: "skill-step-decisions",
    Remember: "skill-step-remember",
}
"""What is asked for → the step of the draft. Nothing else makes a habit that is worth a skill."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One form of asking; `said` oldest first."""

    name: str
    """16 hex digits: the same for the same form on every device."""
    template: str
    intent: type[Intent]
    said: tuple[Said, ...]

    @property
    def days(self) -> list[str]:
        return sorted({one.day for one in self.said})


def patterns(turn: Turn) -> list[Pattern]:
    """What waits to be proposed, the most often said first; in a group nothing, for nobody's habits are told there."""
    if not turn.private:
        return []
    return [one for one in _found(turn) if not _is_decided(turn, one.name)]


def _found(turn: Turn) -> list[Pattern]:
    groups: dict[str, list[tuple[str, Said]]] = {}
    names = [name for name in turn.names.values() if name]
    for said in _requests(turn):
        template = template_of(said.text, date.fromisoformat(said.day), names)
        if template:
            groups.setdefault(same(template), []).append((template, said))
    found = []
    for form, some in groups.items():
        if len(some) < TIMES_MIN or len({said.day for _, said in some}) < DAYS_MIN:
            continue
        template, newest = some[-1]
        intent = type(parse(newest.text).intent)
        kept = tuple(said for _, said in some if not _must_not_be_kept(said.text))
        if len(kept) == len(some) and intent in _STEPS and (has_slots(template) or intent is not Remember):
            found.append(Pattern(_name(intent, form), template, intent, kept))
    return sorted(found, key=lambda one: (-len(one.said), one.said[0].at_ms, one.name))


def _requests(turn: Turn) -> Iterator[Said]:
    """What this person asked for here, on days that are over, oldest first; nothing of what was forgotten since."""
    first, today = (turn.today - LOOK_BACK).isoformat(), turn.today.isoformat()
    where = "chat = ? AND account = ? AND kind IN ('command', 'question', 'nothing') AND text <> '' AND day >= ? AND day < ?"
    found = turn.writer.turns(where, (turn.chat, turn.account, first, today), limit=TURNS_MAX)
    return (one for one in reversed(found) if not _is_forgotten(turn, one))


def _is_forgotten(turn: Turn, said: Said) -> bool:
    """Its words live on in the chat until they are erased, and must not be kept anew out of there."""
    if said.entry is None:
        return False
    kept = turn.writer.entry(said.entry) or turn.writer.task(said.entry)
    return kept is None or kept.hidden


def _must_not_be_kept(text: str) -> bool:
    return MASK in text or is_instruction(text) or names_secret(text)


def _name(intent: type[Intent], form: str) -> str:
    return hashlib.sha256(f"{intent.__name__}\0{form}".encode()).hexdigest()[:16]


def _is_decided(turn: Turn, name: str) -> bool:
    note = turn.writer.note(f"{NOTE}{name}")
    return note is not None and (note["kept"] or turn.now_ms - note["at"] < DECLINED_MS)


# proposed


def shown(turn: Turn, found: Sequence[Pattern]) -> tuple[list[Line | str | tuple[Line, ...]], tuple[Button, ...]]:
    one = found[0]
    days = turn.listed(render.day(turn.words, date.fromisoformat(day), turn.today) for day in one.days[-DAYS_SHOWN:])
    lines: list[Line | str | tuple[Line, ...]] = [
        turn.words("skill-proposes"),
        Line(render.quoted(_readable(turn, one)), stored=True),
        turn.words("skill-said", n=len(one.said), days=len(one.days), list=days),
    ]
    buttons = (
        turn.button("button-skill-keep", f"skill keep {one.name}"),
        turn.button("button-skill-show", f"skill show {one.name}"),
        turn.button("button-skill-leave", f"skill leave {one.name}"),
    )
    return lines, buttons


def _readable(turn: Turn, one: Pattern) -> str:
    return with_slots(one.template, {slot: turn.words(f"skill-slot-{slot}") for slot in SLOTS})


def press(turn: Turn, what: str, name: str) -> Reply:
    one = next((one for one in patterns(turn) if one.name == name), None)
    if one is None:
        return turn.toast("toast-gone")
    match what:
        case "keep":
            return _keep(turn, one)
        case "show":
            return turn.say(tuple(Line(line, stored=True) for line in draft_of(turn, one).split("\n")))
        case "leave":
            _decide(turn, one, kept=False)
            return turn.pressed("skill-left")
        case _:
            return turn.toast("toast-gone")


def draft_of(turn: Turn, one: Pattern) -> str:
    """The text of a SKILL.md: what it is for, when it applies, what is done, and how it was said."""
    form = _readable(turn, one)
    words = turn.words
    examples = [f"- {render.quoted(said.text.strip())}" for said in one.said[-EXAMPLES_MAX:]]
    head = ("---", f"name: {slug_of(one.template, f'habit-{one.name[:8]}')}", f"description: {words('skill-when', form=form)}",
            "status: draft", "---")  # fmt: skip
    body = (f"1. {words(_STEPS[one.intent])}", words("skill-examples"), *examples)
    return "\n".join((*head, *body))


def _decide(turn: Turn, one: Pattern, *, kept: bool) -> None:
    turn.writer.keep_note(f"{NOTE}{one.name}", json.dumps({"kept": kept, "at": turn.now_ms}))


def _keep(turn: Turn, one: Pattern) -> Reply:
    entry = store(
        turn,
        Draft(draft_of(turn, one), EntryKind.NOTE, tags=("skill",)),
        origin=Origin.CONFIRMED,
        record=named_ulid(one.said[0].at_ms, "skill", turn.device_id.hex(), one.name),
    )
    _decide(turn, one, kept=True)
    turn.notes.stored = True
    turn.notes.entry = entry.id
    turn.cite(entry.label)
    return turn.say(
        turn.words("receipt-saved", what=receipts.head(turn, entry)),
        receipts.quote(turn, entry, named=False, lines_max=receipts.LINES_MAX),
        turn.words("skill-kept"),
        buttons=(receipts.undo_save(turn, entry), receipts.full_button(turn, entry.id)),
        shape=Shape.EDIT,
    )
