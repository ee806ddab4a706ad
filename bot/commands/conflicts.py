"""Two entries that disagree, asked about once, in the digest: which one holds, or both stay.

What disagrees is what an answer would show as such (`store.succession`). A question is asked again only when something
about it has changed; until then it waits in the entries themselves, and any answer that meets them asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands import disagree, receipts
from bot.message import Button, Line, Reply
from bot.turn import Turn
from store.changes import Json
from store.model import NOBODY, Entry
from store.succession import open_rivals
from store.text import gate_terms

ASKED = "asked"
"""The register of the newest of them: the ids of all when they were asked about."""


def shown(
    turn: Turn, found: Sequence[tuple[Entry, ...]]
) -> tuple[list[Line | str | tuple[Line, ...]], tuple[Button, ...]]:
    """The newest pair; from now on it has been asked about."""
    rivals = found[0]
    turn.writer.set(rivals[0].id, ASKED, _ids(rivals), by=NOBODY)
    first, second = disagree.shown(rivals)
    return disagree.question(turn, rivals, f"settle {first.id} {second.id}", lines_max=receipts.LINES_MAX)


def settle(turn: Turn, first: str, rest: str) -> Reply:
    second, _, choice = rest.partition(" ")
    if choice not in ("0", "1", "2"):
        return turn.toast("toast-gone")
    ids = [first, second]
    entries = [turn.writer.entry(one) for one in ids]
    if any(one is None or one.hidden or not one.current for one in entries):
        return turn.toast("toast-gone")
    return disagree.settle(turn, ids, int(choice))


def waiting(turn: Turn) -> list[tuple[Entry, ...]]:
    """What nobody has been asked about as it stands now. 我们用… and it is… name nothing that holds one value."""
    view = turn.writer
    return [
        rivals
        for rivals in open_rivals(view, turn.today)
        if gate_terms(view.rest_of(rivals[0].id)[0] or rivals[0].draft.text) and not _was_asked(turn, rivals)
    ]


def _was_asked(turn: Turn, rivals: tuple[Entry, ...]) -> bool:
    wanted = _ids(rivals)
    registers = (turn.writer.register(one.id, ASKED) for one in rivals)
    return any(register is not None and register.value == wanted for register in registers)


def _ids(rivals: tuple[Entry, ...]) -> Json:
    return sorted(one.id for one in rivals)
