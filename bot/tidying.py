"""The nightly tidy of one memory: what it would propose to keep for good, and why the rest stays where it is.

    entries of the last days → provenance and form (`provenance`) → groups and verdicts (`scheduler.promotion`) → report

What it finds is read from the entries each time and is the same on every device that holds them; nothing is carried
out without a tap. A night looks at the days that are over, so running it twice, or late, changes nothing. What is kept
of a night is its diary: ids, numbers and reasons for people to read, which no later night and no search looks at.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta

from bot import render, retention
from bot.phrases.settled import is_for_good, negations
from bot.provenance import why_left_out
from bot.retention import Digests
from scheduler import slots
from scheduler.promotion import PROPOSED, Judged, Saying, Verdict, judge
from store.archive import HIGH
from store.memory import Memory
from store.model import Entry
from store.text import flat
from store.view import View
from store.writer import Writer

AT = time(3)
"""When a night is due, by the person's clock."""
WINDOW = timedelta(hours=48)
"""So much later one that was slept through is still made up for."""
LOOK_BACK = timedelta(days=14)
PROPOSED_MAX = 8
NEARLY_MAX = 8
NIGHTS_KEPT = 30
NOTE = "tidy/"
DECIDED = "tidy"
"""The register of an entry that says what a person decided about it."""
AGREED, LEFT = "agreed", "left"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing said often; `entries` oldest first, the first of them stands for all."""

    entries: tuple[Entry, ...]
    verdict: Verdict
    score: float

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def last(self) -> Entry:
        return self.entries[-1]


@dataclass(frozen=True, slots=True)
class TidyReport:
    night: date
    proposed: tuple[Proposal, ...] = ()
    nearly: tuple[Proposal, ...] = ()
    waiting: int = 0
    """Proposals behind those that a night may make."""
    left: Counter[str] = field(default_factory=Counter)
    """By reason (`provenance.REASONS`, `agreed`, `left`, `once`), how many."""
    chat: int = 0
    """Messages that were older than the chat is kept here, and are gone."""


def last_night(now: datetime, zone: str) -> date:
    """The newest one whose hour has come: between midnight and three that is yesterday's."""
    night, _ = slots.daily(AT, zone, now, WINDOW)
    return night or render.local(int(now.timestamp() * 1000), zone).date()


def coming_night(now: datetime, zone: str) -> datetime:
    """The moment at which the next one is due."""
    return slots.daily(AT, zone, now, WINDOW)[1] or now + timedelta(days=1)


async def tidy(memory: Memory, now: datetime, zone: str, *, digests: Digests = (), dry_run: bool = False) -> TidyReport:
    """Looks at one memory and notes the night down; `dry_run` only looks. Raises what the memory raises."""
    night, at_ms = last_night(now, zone), int(now.timestamp() * 1000)
    if dry_run:
        return await memory.read(
            lambda view: _with_chat(look(view, night), retention.going(view, night, at_ms, digests))
        )

    def run(writer: Writer) -> TidyReport:
        report = _with_chat(look(writer, night), retention.forget(writer, night, zone, at_ms, digests))
        keep_diary(writer, report)
        return report

    report = await memory.turn(run)
    if report.chat:
        await memory.compact()
    return report


def _with_chat(report: TidyReport, chat: int) -> TidyReport:
    return replace(report, chat=chat)


def look(view: View, night: date, *, most: int | None = PROPOSED_MAX) -> TidyReport:
    """What the night that ends on this day finds. `most`: so many proposals, the oldest; None for all."""
    left: Counter[str] = Counter()
    entries: dict[str, Entry] = {}
    often = view.said_often()
    for entry in _recent(view, night):
        reason = why_left_out(entry)
        if reason:
            left[reason] += 1
        elif entry.id not in entries:
            entries[entry.id] = entry
            if entry.same in often:
                entries |= {one.id: one for one in _repeats(view, entry, night)}
    proposed: list[Proposal] = []
    nearly: list[Proposal] = []
    for one in judge((_saying(entry) for entry in entries.values()), night):
        some = tuple(entries[said.id] for said in one.group.sayings)
        decided = decision(view, some) if one.verdict is not Verdict.LEFT else ""
        if decided:
            left[decided] += len(some)
        elif one.verdict in PROPOSED:
            proposed.append(_proposal(one, some))
        elif one.verdict is Verdict.NEARLY:
            nearly.append(_proposal(one, some))
        else:
            left["once"] += len(some)
    nearly.sort(key=lambda one: -one.score)
    shown = tuple(proposed[:most])
    return TidyReport(night, shown, tuple(nearly[:NEARLY_MAX]), len(proposed) - len(shown), left)


def decision(view: View, entries: Sequence[Entry]) -> str:
    """What a person decided about these words, whenever they were said: `agreed`, `left`, or "" for nothing."""
    for entry in entries:
        register = view.register(entry.id, DECIDED)
        if register is not None and register.value in (AGREED, LEFT):
            return str(register.value)
    return ""


def _recent(view: View, night: date) -> list[Entry]:
    where = "day >= ? AND day < ? AND current = 1 AND hidden = 0 AND held = 0 AND kind <> 'checkpoint'"
    return view.entries(where, ((night - LOOK_BACK).isoformat(), night.isoformat()))


def _repeats(view: View, entry: Entry, night: date) -> list[Entry]:
    """Every time these words were said, as long ago as it may be.

    One of them that a person has decided about decides for the others, whatever has become of it.
    """
    found = view.repeats(entry)
    return [one for one in found if (one.day < night.isoformat() and not why_left_out(one)) or decision(view, (one,))]


def _saying(entry: Entry) -> Saying:
    text = entry.draft.text
    for_good = is_for_good(text) or (entry.importance is not None and entry.importance >= HIGH)
    day = date.fromisoformat(entry.day)
    words = flat(text)
    return Saying(entry.id, text, words, entry.same, day, entry.at_ms, for_good, entry.importance, negations(words))


def _proposal(one: Judged, entries: tuple[Entry, ...]) -> Proposal:
    return Proposal(entries, one.verdict, one.score)


# the diary


@dataclass(frozen=True, slots=True)
class Diary:
    """One night as it was noted: ids with their verdicts, and counts."""

    night: date
    proposed: tuple[tuple[str, str, int], ...]
    """(id, verdict, times)"""
    nearly: tuple[tuple[str, int, int], ...]
    """(id, score in hundredths, times)"""
    left: dict[str, int]
    chat: int = 0


def diary_of(report: TidyReport) -> Diary:
    return Diary(
        report.night,
        tuple((one.first.id, one.verdict.value, len(one.entries)) for one in report.proposed),
        tuple((one.first.id, round(one.score * 100), len(one.entries)) for one in report.nearly),
        dict(sorted(report.left.items())),
        report.chat,
    )


def keep_diary(writer: Writer, report: TidyReport) -> None:
    """The same night noted again is the same note; the oldest ones go."""
    diary = diary_of(report)
    name = f"{NOTE}{diary.night.isoformat()}"
    chat = diary.chat + int((writer.note(name) or {}).get("chat", 0))
    body = {"proposed": diary.proposed, "nearly": diary.nearly, "left": diary.left, "chat": chat}
    writer.keep_note(name, json.dumps(body))
    for name in writer.notes(NOTE)[:-NIGHTS_KEPT]:
        writer.drop_note(name)


def nights(view: View) -> list[date]:
    """The nights that were noted, newest first."""
    return [date.fromisoformat(name.removeprefix(NOTE)) for name in reversed(view.notes(NOTE))]


def diary(view: View, night: date) -> Diary:
    """As it was noted; a night that nobody noted is looked at now."""
    body = view.note(f"{NOTE}{night.isoformat()}")
    if body is None:
        return diary_of(look(view, night))
    return Diary(
        night,
        tuple((str(one[0]), str(one[1]), int(one[2])) for one in body["proposed"]),
        tuple((str(one[0]), int(one[1]), int(one[2])) for one in body["nearly"]),
        {str(name): int(count) for name, count in body["left"].items()},
        int(body["chat"]),
    )
