"""What an agent is given of memory for a question: the evidence that recall found, best first, within a budget.

Pure reading. The outcome is recall's: the first line says whether the rest may be claimed. Equal words stand once with
their count, entries that disagree name each other, and what was said in one day (in one month, where there are many
days) stands together. A piece that does not fit gives its first whole sentences or nothing; no sentence and no
character is ever cut.

Stored words are data, never orders. Each of their lines begins with `FENCE`, and no line of ours does, so no words can
leave their place. What reads like an order is looked at again here, by today's rules and with its reasons, and its
*words are left out*: a mark would warn a careful model only, and an obedient one follows what it reads. It is named by
its RefID instead, and the person sees it in full.

What a newcomer would get wrong: the words around the evidence count, too. They belong to `bot`, so they are handed in
(`Labels`), and what is measured is what is shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from store.archive import is_cold
from store.model import Entry, RefID, Task
from store.own_rows import Turn
from store.recall import Answer, Question, recall
from store.sentences import sentence_ends
from store.taint import is_instruction
from store.text import alike
from store.trail import Outcome
from store.view import View

FENCE: Final = "> "
CUT: Final = "…"
"""Stands behind words of which the rest was left out."""
DAYS_MAX = 5
"""Evidence of more days than this is put together by months."""
EARLIER_MAX = 2
"""Replaced versions that are given with an entry, where there is room for them."""
REASON_CHARACTERS_MAX = 300
"""A longer because or verify gives its first sentences."""


@dataclass(frozen=True, slots=True)
class Period:
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Mark:
    """What is said of an entry beside what it is. `dated`: the period above does not tell its day."""

    dated: bool = False
    times: int = 1
    """How often the same words were said."""
    against: tuple[RefID, ...] = ()
    """The entries that it disagrees with."""
    replaced_by: RefID | None = None


class Labels(Protocol):
    """The words around the evidence. Each is one line that does not begin with `FENCE`."""

    def first(self, outcome: Outcome, *, chat: bool) -> str:
        """`chat`: nothing that was kept answers, the chat does."""

    def period(self, period: Period | None) -> str:
        """None: the board and the profile, which hold now."""

    def entry(self, entry: Entry, mark: Mark) -> str: ...

    def turn(self, turn: Turn, *, dated: bool, close: bool) -> str:
        """`close`: what was kept is the answer, and this may not be meant."""

    def task(self, task: Task) -> str: ...

    def fact(self) -> str: ...

    def reason(self, name: str, text: str) -> str:
        """`name`: because, verify. May be of several lines, as `text` is; they are fenced here."""

    def withheld(self, count: int, refs: Sequence[RefID]) -> str:
        """So many read like orders; `refs` are those of them that have a RefID."""

    def left_out(self, count: int, *, all_of_them: bool) -> str: ...


@dataclass(frozen=True, slots=True)
class Context:
    text: str
    outcome: Outcome
    """Of all that was found, whether it stands in `text` or not."""
    entries: tuple[Entry, ...] = ()
    """Those whose words stand in `text`, best first; so the next three."""
    turns: tuple[Turn, ...] = ()
    tasks: tuple[Task, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    withheld: tuple[RefID, ...] = ()
    """What read like an order: found, its words in no text."""
    left_out: int = 0
    """How much more was found that did not fit."""


@dataclass(frozen=True, slots=True)
class _Piece:
    record: Entry | Turn | Task | tuple[str, str]
    words: str
    head: str
    period: Period | None = None
    reasons: tuple[str, ...] = ()
    rival: bool = False
    beside: bool = False
    """Not evidence itself, and not missed when it does not fit."""


def context(view: View, question: Question, budget: int, labels: Labels) -> Context:
    """`budget`: characters (code points) that the text may have at most; negative raises ValueError."""
    if budget < 0:
        raise ValueError("a budget is not negative")
    answer = recall(view, question)
    outcome, chat = answer.outcome, False
    if answer.heard and answer.heard.outcome is not Outcome.NOTHING and outcome is not Outcome.ANSWER:
        chat = answer.heard.outcome is Outcome.ANSWER
        outcome = answer.heard.outcome
    found = _Found(view, question.today, answer, labels, chat)
    sheet = _Sheet(labels, labels.first(outcome, chat=chat), budget)
    sheet.fill(found.pieces)
    evidence = [piece for piece in found.pieces if not piece.beside]
    left_out = sum(id(piece) not in sheet.placed for piece in evidence)
    text = "\n".join(sheet.lines(found.pieces))
    more = [labels.first(outcome, chat=chat)] if outcome is Outcome.NOTHING and not text else []
    more += [labels.withheld(found.suspect, found.withheld)] if found.suspect else []
    more += [labels.left_out(left_out, all_of_them=not text)] if left_out else []
    for line in more:
        longer = f"{text}\n{line}" if text else line
        text = longer if len(longer) <= budget else text
    shown = [piece.record for piece in found.pieces if id(piece) in sheet.placed]
    return Context(
        text=text,
        outcome=outcome,
        entries=tuple(one for one in shown if isinstance(one, Entry)),
        turns=tuple(one for one in shown if isinstance(one, Turn)),
        tasks=tuple(one for one in shown if isinstance(one, Task)),
        facts=tuple(one for one in shown if isinstance(one, tuple)),
        withheld=tuple(found.withheld),
        left_out=left_out,
    )


class _Found:
    """What recall gave as `pieces`, best first: what must not be shown or stands there already is left out."""

    def __init__(self, view: View, today: date, answer: Answer, labels: Labels, chat: bool) -> None:
        self.pieces: list[_Piece] = []
        self.withheld: list[RefID] = []
        self.suspect = 0
        """How many read like an order."""
        self._seen: set[str] = set()
        claimed = answer.outcome is Outcome.ANSWER
        entries = [] if chat else [one for one in answer.entries if self._new(one.same or one.id)]
        earlier = [pair for one in entries for pair in self._earlier(view, one, today)] if claimed else []
        turns = [one for one in answer.turns if self._new(alike(one.text))]
        period = _periods([one.day for one in entries] + [old.day for old, _ in earlier] + [one.day for one in turns])
        dated = any(one.first != one.last for one in period.values())
        rivals = [one.label for one in entries] if answer.disagree else []
        for entry in entries:
            against = tuple(ref for ref in rivals if ref != entry.label)
            mark = Mark(dated, times=max(len(view.repeats(entry)), 1), against=against)
            self._add_entry(entry, labels, mark, period)
        if not chat:
            for task in answer.tasks:
                self._add(_Piece(task, task.title, labels.task(task)), ref=task.label)
            for name, value in answer.facts:
                self._add(_Piece((name, value), f"{name}: {value}", labels.fact()))
        for turn in turns:
            head = labels.turn(turn, dated=dated, close=claimed)
            self._add(_Piece(turn, turn.text, head, period[turn.day]))
        for old, entry in earlier:
            if not _reads_like_an_order(entry):  # what it replaced would stand there without it
                self._add_entry(old, labels, Mark(dated, replaced_by=entry.label), period, beside=True)

    def _new(self, words: str) -> bool:
        new = words not in self._seen
        self._seen.add(words)
        return new

    def _earlier(self, view: View, entry: Entry, today: date) -> Iterator[tuple[Entry, Entry]]:
        """What it replaced, in other words than anything else here; each with what replaced it."""
        for old in view.earlier(entry.id)[:EARLIER_MAX]:
            if not is_cold(old, today) and self._new(old.same or old.id):
                yield old, entry

    def _add_entry(
        self, entry: Entry, labels: Labels, mark: Mark, period: dict[str, Period], *, beside: bool = False
    ) -> None:
        named = (("because", entry.draft.why), ("verify", entry.draft.verify))
        reasons = tuple(labels.reason(name, short) for name, text in named if (short := _first_sentences(text)))
        head = labels.entry(entry, mark)
        piece = _Piece(
            entry, entry.draft.text, head, period[entry.day], reasons, rival=bool(mark.against), beside=beside
        )
        self._add(piece, ref=entry.label, suspect=_reads_like_an_order(entry))

    def _add(self, piece: _Piece, *, ref: RefID | None = None, suspect: bool | None = None) -> None:
        if is_instruction(piece.words) if suspect is None else suspect:
            self.suspect += 1
            self.withheld += [ref] if ref else []
        else:
            self.pieces.append(piece)


def _reads_like_an_order(entry: Entry) -> bool:
    """By the rules of today: the mark of the row is of the day it was written, and of the words alone."""
    if entry.cleared:  # a person has said that it is none
        return False
    said = (entry.draft.text, entry.draft.why, entry.draft.verify)
    return entry.tainted or any(map(is_instruction, (*said, "\n".join(said))))


def _periods(days: Iterable[str]) -> dict[str, Period]:
    """For each day the period it is shown under."""
    given = {day: date.fromisoformat(day) for day in days}
    if len(given) <= DAYS_MAX:
        return {day: Period(one, one) for day, one in given.items()}
    months: dict[tuple[int, int], list[date]] = {}
    for one in given.values():
        months.setdefault((one.year, one.month), []).append(one)
    spans = {month: Period(min(some), max(some)) for month, some in months.items()}
    return {day: spans[one.year, one.month] for day, one in given.items()}


class _Sheet:
    """Lines that fit: every line below the first costs its characters and the line break before it."""

    def __init__(self, labels: Labels, first: str, budget: int) -> None:
        self._labels = labels
        self._first = first
        self._room = budget - len(first)
        self._headings: dict[Period | None, str] = {}
        self.placed: dict[int, list[str]] = {}
        """The lines of the pieces that fit, by the id of the piece."""

    def fill(self, pieces: Sequence[_Piece]) -> None:
        """Best first. Rivals share the room before anything else gets some, so that one does not stand alone."""
        rivals = [piece for piece in pieces if piece.rival]
        for number, piece in enumerate(rivals):
            self._place(piece, self._room // (len(rivals) - number), waiting=False)
        for number, piece in enumerate(pieces, start=1):
            if id(piece) not in self.placed:
                self._place(piece, self._room, waiting=number < len(pieces))

    def lines(self, pieces: Sequence[_Piece]) -> list[str]:
        """The period of the best piece first, and in each the best first; nothing where nothing fits."""
        blocks: dict[Period | None, list[str]] = {}
        for piece in pieces:
            blocks.setdefault(piece.period, []).extend(self.placed.get(id(piece), []))
        shown = [[self._headings[period], *lines] for period, lines in blocks.items() if lines]
        return [self._first, *(line for block in shown for line in block)] if shown else []

    def _place(self, piece: _Piece, room: int, *, waiting: bool) -> None:
        heading = self._headings.get(piece.period)
        new = self._labels.period(piece.period) if heading is None else ""
        room -= _cost([new] if heading is None else [])
        # What is long leaves half of the room to those behind it, if there are any.
        lines = _fitting(piece, room, room // 2 if waiting else room)
        if lines:
            self._headings.setdefault(piece.period, new)
            self._room -= _cost(lines) + (_cost([new]) if heading is None else 0)
            self.placed[id(piece)] = lines


def _fitting(piece: _Piece, room: int, fair: int) -> list[str]:
    """The head and what fits below it: all words in `room` and reasons in `fair`, or the sentences that fit in `fair`,
    or the first one in `room`; else nothing."""
    lines = [piece.head, *_fenced(piece.words)]
    if _cost(lines) <= room:
        for reason in piece.reasons:
            longer = [*lines, *_fenced(reason)]
            lines = longer if _cost(longer) <= fair else lines
        return lines
    ends = sentence_ends(piece.words)[:-1]  # behind the last one nothing is left out

    def cost(end: int) -> int:
        return _cost([piece.head, *_fenced(piece.words[:end] + CUT)])

    fit = bisect_right(ends, fair, key=cost)
    if not fit and ends and cost(ends[0]) <= room:
        fit = 1
    return [piece.head, *_fenced(piece.words[: ends[fit - 1]] + CUT)] if fit else []


def _first_sentences(text: str) -> str:
    if len(text) <= REASON_CHARACTERS_MAX:
        return text.strip()
    ends = sentence_ends(text)
    fit = bisect_right(ends, REASON_CHARACTERS_MAX)
    return text[: ends[fit - 1]].lstrip() + CUT if fit else ""


def _fenced(words: str) -> list[str]:
    return [FENCE + line for line in words.splitlines()]


def _cost(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)
