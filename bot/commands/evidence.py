"""How entries are shown as evidence: one with its reasons, several as a short list, longer lists by pages.

RefID, place and time stand below the words, what was superseded is marked as earlier, and nothing is said that the
entry does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot import render
from bot.commands import finding, receipts
from bot.message import Button, Line, Reply, Shape
from bot.turn import Turn, kind_name
from store.archive import is_cold
from store.model import Entry

EVIDENCE_MAX = 3
LIST_MAX = 10


def one(
    turn: Turn,
    entry: Entry,
    first: str,
    *,
    rest: Sequence[Entry] = (),
    timed: bool | None = None,
    named: bool = False,
    dated: bool = False,
) -> Reply:
    """`first`: the line above the words. `timed`: whether the time is in it; `named`, `dated`: what it does not say."""
    turn.cite(entry.label)
    buttons: list[Button] = []
    if receipts.is_folded(turn, entry):
        buttons.append(receipts.full_button(turn, entry.id))
    if earlier := turn.writer.earlier(entry.id):
        buttons.append(turn.button("button-earlier", f"history {finding.ref_of(turn, entry)}", n=len(earlier)))
    buttons += more_button(turn, rest)
    buttons += [
        turn.button("button-source", f"why {finding.ref_of(turn, entry)}"),
        turn.button("button-correct", f"correct {entry.id}"),
    ]
    return turn.say(
        first,
        receipts.quote(turn, entry, named=named),
        *receipts.read_dates(turn, entry),
        " · ".join([*receipts.kept_until(turn, entry), *said_times(turn, entry)]),
        *receipts.reasons(turn, entry),
        citation(turn, entry, timed=_is_near(turn, entry) if timed is None else timed, dated=dated),
        buttons=tuple(buttons[:3]),
    )


def said_times(turn: Turn, entry: Entry) -> tuple[str, ...]:
    """说过 3 次，第一次 5月21日（周二） / said 3 times, first Tue 21 May"""
    repeats = turn.writer.repeats(entry)
    if len(repeats) < 2:
        return ()
    first = turn.when(repeats[-1]).date()
    day = render.near_day(turn.words, first, turn.today) or render.day(turn.words, first, turn.today)
    return (turn.words("said-times", n=len(repeats), day=day),)


def several(
    turn: Turn, entries: Sequence[Entry], title: str, *, buttons: tuple[Button, ...] = (), shape: Shape = Shape.MESSAGE
) -> Reply:
    """The words of three, each with RefID, place and day, and a button for the rest before `buttons`."""
    lines: list[Line | str | tuple[Line, ...]] = [title]
    for entry in entries[:EVIDENCE_MAX]:
        lines += [receipts.quote(turn, entry, lines_max=receipts.LINES_MAX), citation(turn, entry, dated=True)]
        turn.cite(entry.label)
    return turn.say(*lines, buttons=(*more_button(turn, entries[EVIDENCE_MAX:]), *buttons)[:3], shape=shape)


def more_button(turn: Turn, rest: Sequence[Entry]) -> tuple[Button, ...]:
    """[N more], when there is more."""
    if not rest:
        return ()
    return (turn.button("button-more", turn.offer(do="more", ids=[e.id for e in rest]), n=len(rest)),)


def more(turn: Turn, ids: list[str]) -> Reply:
    entries = [e for record in ids if (e := turn.writer.entry(record)) and not (e.hidden or e.held)]
    if not entries:
        return turn.toast("toast-gone")
    return several(turn, entries, turn.words("answer-more", n=len(entries)))


def rows(turn: Turn, entries: Sequence[Entry]) -> tuple[Line, ...]:
    """One line an entry: RefID and the beginning of its words."""
    lines = []
    for entry in entries:
        marks = [turn.words("state-pinned")] if entry.pinned else []
        marks += [turn.words("state-earlier")] if not entry.current else []
        marks += [turn.words("state-away")] if is_cold(entry, turn.today) else []
        after = "" if turn.private else turn.words("said-by", name=turn.name(entry.author))
        text = render.quoted(render.short(entry.draft.text, 60)) + after
        lines.append(Line(" ".join([*marks, entry.label, text]), stored=True))
        turn.cite(entry.label)
    return tuple(lines)


def citation(turn: Turn, entry: Entry, *, timed: bool = True, dated: bool = False) -> str:
    """RefID · kind where it says something new · place · time unless it was said above."""
    parts: list[str] = [entry.label]
    if receipts.names_kind(entry.draft.kind):
        parts.append(kind_name(turn, entry.draft.kind))
    parts.append(turn.place())
    if entry.tainted and not entry.cleared:
        parts.append(turn.words("state-data-only"))
    if entry.versions > 1:
        parts.append(turn.words("state-two-versions"))
    if not (entry.current or entry.held):
        parts.append(turn.words("state-earlier"))
    if is_cold(entry, turn.today):
        parts.append(turn.words("state-away"))
    if dated:
        parts.append(turn.moment_of(entry))
    elif not timed and turn.moment_of(entry).endswith(f"{turn.when(entry):%H:%M}"):
        parts.append(f"{turn.when(entry):%H:%M}")
    return " · ".join(parts)


def _is_near(turn: Turn, entry: Entry) -> bool:
    return render.near_day(turn.words, turn.when(entry).date(), turn.today) is not None
