"""Forgetting: asked once, hidden at once, to be undone for ten minutes, then erased for good.

It takes the whole chain of versions. When a RefID names one version of several, the person may let only that one go;
its neighbours are then tied together, so that what was superseded stays superseded.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot import render
from bot.commands import devices, receipts, tasks, wishes
from bot.commands.disagree import settles
from bot.commands.finding import CHOICES_MAX, ask_which, entry_of
from bot.intents import Forget
from bot.message import Button, Reply, Shape
from bot.turn import Turn
from store.changes import Json
from store.errors import NotAllowed, NotFound
from store.ids import parse_label
from store.model import AccountID, Entry, Role, Task
from store.recall import Question, recall, recall_held
from store.text import terms


def forget(turn: Turn, intent: Forget) -> Reply:
    if (task := tasks.task_of(turn, intent.what)) is not None:
        return _confirm_task(turn, task)
    by_ref = parse_label(intent.what) is not None or turn.writer.entry(intent.what) is not None
    found = [entry_of(turn, intent.what)] if by_ref else _meant(turn, intent.what)
    if not found:
        raise NotFound("error-nothing-to-forget" if intent.what else "error-nothing-said-yet")
    if len(found) > 1:
        return ask_which(turn, found, "ask-which-forget", do="forget-ask")
    return confirm(turn, found[0], by_ref=by_ref)


def _meant(turn: Turn, what: str) -> list[Entry]:
    view = turn.writer
    if what:
        # Only what matches about as well as the best: forgetting the wrong one is worse than asking.
        found = list(recall(view, Question(words=what, today=turn.today)).entries[:CHOICES_MAX])
        found = found or [e for e in recall_held(view, what, turn.today) if may_forget(turn, e.author)][:CHOICES_MAX]
        return found or view.cold_with(terms(what), turn.today)[:CHOICES_MAX]
    for last in view.turns("chat = ? AND cited <> '[]'", (turn.chat,), limit=1):
        records = [record for label in last.cited for record in view.labelled(label)]
        return [e for record in dict.fromkeys(records) if (e := view.entry(record)) and not e.hidden]
    return []


def confirm(turn: Turn, entry: Entry, *, by_ref: bool) -> Reply:
    """`by_ref`: the person named this very version."""
    _check_may(turn, entry.author)
    chain = turn.writer.chain(entry.id)
    whole = all(may_forget(turn, one.author) for one in chain)
    turn.cite(entry.label)
    offer = turn.offer(do="forget", id=entry.id)
    buttons: list[Button] = []
    if whole:
        name = "button-forget-all" if by_ref and len(chain) > 1 else "button-forget"
        buttons.append(turn.button(name, f"{offer} all"))
    if len(chain) > 1 and (by_ref or not whole):
        buttons.append(turn.button("button-forget-version", f"{offer} one"))
    versions = "forget-which-versions" if len(buttons) > 1 else "forget-versions" if whole else "forget-one-version"
    at = turn.moment_of(entry)
    return turn.say(
        turn.words("forget-ask"),
        receipts.quote(turn, entry),
        f"{entry.label} · {at}",
        turn.words(versions, n=len(chain)) if len(chain) > 1 else "",
        buttons=(*buttons, turn.button("button-keep", f"{offer} no")),
    )


def _confirm_task(turn: Turn, task: Task) -> Reply:
    _check_may(turn, task.author)
    turn.cite(task.label)
    offer = turn.offer(do="forget", id=task.id)
    return turn.say(
        turn.words("forget-ask"),
        render.stored_lines(turn.words, task.title)[0],
        turn.task_state(task),
        buttons=(turn.button("button-forget", f"{offer} all"), turn.button("button-keep", f"{offer} no")),
    )


def may_forget(turn: Turn, author: AccountID) -> bool:
    """Whether this person may say what becomes of the words of `author`."""
    return may_forget_as(turn.account, turn.role, author, private=turn.private)


def may_forget_as(account: AccountID, role: Role, author: AccountID, *, private: bool) -> bool:
    return private or author == account or role in (Role.ADMIN, Role.OWNER)


def _check_may(turn: Turn, author: AccountID) -> None:
    if not may_forget(turn, author):
        raise NotAllowed("error-forget-not-yours", who=turn.name(author))


def chosen(turn: Turn, record: str, choice: str) -> Reply:
    """A button under the question was pressed: `all`, `one` or `no`."""
    wishes.close(turn.writer, record)
    if choice not in ("all", "one"):
        return turn.pressed("kept-it")
    entry, task = turn.writer.entry(record), turn.writer.task(record)
    if task is not None and not task.hidden:
        turn.writer.set(record, "hidden", True, by=turn.account)
        return forgotten(turn, task.label, [(record, "hidden", False)])
    if entry is None or entry.hidden:
        return turn.toast("toast-done-already")
    if choice == "one":
        return _forget_version(turn, entry)
    chain = turn.writer.chain(record)
    if not all(may_forget(turn, one.author) for one in chain):  # somebody corrected it while the question stood
        return turn.toast("toast-gone")
    ids = [record, *(one.id for one in chain if one.id != record)]
    for one in ids:
        turn.writer.set(one, "hidden", True, by=turn.account)
    return forgotten(turn, entry.label, [(one, "hidden", False) for one in ids])


def _forget_version(turn: Turn, entry: Entry) -> Reply:
    """Hides one version. What replaced it now says that it replaces what came before, too."""
    view = turn.writer
    below = view.below(entry.id)
    nearest = nearest_above(turn, entry.id)
    steps: list[tuple[str, str, Json]] = [(entry.id, "hidden", False)]
    if below:
        steps += [settles(turn, one, sorted(below)) for one in nearest]
    steps += [let_stay(turn, one) for one in nearest]
    view.set(entry.id, "hidden", True, by=turn.account)
    revived = [one.label for record in sorted(below) if (one := view.entry(record)) and one.current]
    return forgotten(turn, entry.label, steps, revived)


def nearest_above(turn: Turn, record: str) -> list[Entry]:
    """The visible versions that replace `record` and no other such version."""
    view = turn.writer
    above = {one.id: one for one in view.chain(record) if record in view.below(one.id)}
    return [one for one in above.values() if not view.below(one.id) & above.keys()]


def let_stay(turn: Turn, entry: Entry) -> tuple[str, str, Json]:
    """Says that `entry` stays though it corrects what goes; gives the register to set again to undo it."""
    before = turn.writer.set(entry.id, "restored", True, by=turn.account)
    return entry.id, "restored", before is True


def forgotten(turn: Turn, label: str, steps: list[tuple[str, str, Json]], revived: Sequence[str] = ()) -> Reply:
    undo = turn.undo_button(label, "forget", steps)
    again = turn.words("current-again", refs=turn.listed(revived)) if revived else ""
    name = "receipt-forgotten"
    if devices.is_removed(turn.writer, turn.device_id):
        name = "receipt-forgotten-here"
    elif devices.are_several(turn):
        name = "receipt-forgotten-devices"
    return turn.say(turn.words(name, ref=label), again, buttons=(undo,), shape=Shape.EDIT)
