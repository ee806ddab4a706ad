"""Reminders: a task with a time, and the place where it is told again.

The time is the register `due` (a wall time where the person is, `scheduler.slots`), the place the register `ring`.
What rings, and that it rings once, is decided in `bot/ringing.py`; here is what is asked for and what is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot import render
from bot.commands import about, receipts, tasks
from bot.commands.remember import record_of
from bot.habits import Where, where_in
from bot.intents import Empty, Remind, TaskMove
from bot.message import Button, Line, Reply, Shape
from bot.phrases.times import Again, At, Impossible, In, NoTime, Past, Recurring, names_when, read_when
from bot.turn import EVERY, Turn
from bot.zones import zone_named
from scheduler.recurring import Rule, around, rule_of
from scheduler.slots import due_of, moment_of
from store.model import AccountID, Role, Task, TaskState
from store.view import View

RING = "ring"
"""A register of a task: [chat, topic, the device that was asked]."""
LATE_FROM = timedelta(minutes=2)
"""So much the alarm may be late by itself; nobody is told about it."""
ROWS_MAX = 10
"""Of several that ring at once; the rest is on the board."""
SNOOZE = timedelta(hours=1)


# what is asked for


def remind(turn: Turn, intent: Remind) -> Reply | Empty:
    """A task with a time. Without a time the words are kept, and the question stands below; what cannot be is not kept."""
    when = _read(turn, intent.text, turn.at_ms)
    if isinstance(when, NoTime):
        task = _add(turn, intent.text)
        _ask_when(turn, task, when.day)
        none = turn.button("button-no-reminder", "close")
        return _receipt(turn, task, turn.words("ask-when"), (_undo(turn, task), none))
    if isinstance(when, _Refused):
        return turn.say(turn.words(when.code, time=when.time))
    moment, rest = when
    quoted = turn.inbound.reply_to
    title = rest or (quoted.text if quoted is not None and not quoted.ours else "")
    if not title.strip():
        return Empty("remind")
    task = _add(turn, title)
    if _must_ask_zone(turn, moment):
        return _ask_zone(turn, task, intent.text)
    _set(turn, task, moment)
    zone = "" if _zone_known(turn) or moment.exact else turn.words("reminder-zone", zone=turn.zone)
    return _receipt(turn, task, _when_line(turn, moment, zone), (_undo(turn, task), _change(turn, task)))


def ask_for_time(turn: Turn, task: Task) -> Reply:
    """[Change time]"""
    _ask_when(turn, task, None)
    turn.cite(task.label)
    return turn.say(turn.words("ask-when-else"), buttons=(turn.button("button-leave", "close"),))


def answer_when(turn: Turn, question: dict[str, Any], task: Task, text: str) -> Reply | None:
    """The next words name the time, and what only puts it off is asked about once more.

    None for words that say anything else: they mean what they would mean by themselves.
    """
    if not names_when(text, render.local(turn.at_ms, turn.zone).replace(tzinfo=None)):
        return None
    day = date.fromisoformat(question["day"]) if question["day"] else None
    when = _read(turn, text, turn.at_ms, day, task)
    if isinstance(when, _Refused):
        turn.writer.ask(turn.chat, turn.account, question)
        none = turn.button("button-no-reminder", "close")
        return turn.say(turn.words(when.code, time=when.time), buttons=(none,))
    if isinstance(when, NoTime):
        again = "again" not in question or when.day is not None
        if again:
            _ask_when(turn, task, when.day or day, again=True)
        buttons = (turn.button("button-no-reminder", "close"),) if again else ()
        return turn.say(turn.words("no-time-read"), buttons=buttons)
    moment, _ = when
    if _must_ask_zone(turn, moment):
        return _ask_zone(turn, task, text, day)
    return _moved(turn, task, moment)


def _moved(turn: Turn, task: Task, moment: _Moment, first: str = "") -> Reply:
    was = _rule_now(turn, task)
    no_longer = turn.words("reminder-once-now", rule=render.rule(turn.words, was)) if was and not moment.rule else ""
    undo = turn.undo_button(task.label, "task", _set(turn, task, moment))
    turn.cite(task.label)
    lines = (turn.task_state(task), _title(turn, task), _when_line(turn, moment), no_longer)
    return turn.say(*([first] if first else []), *lines, buttons=(undo, _change(turn, task)))


@dataclass(frozen=True, slots=True)
class _Moment:
    at: datetime
    exact: bool
    """Counted from now: it is the same in every zone."""
    rule: Rule | None = None
    """When it comes again; `at` is then the first time."""


@dataclass(frozen=True, slots=True)
class _Refused:
    """A time that cannot be: no clock has it, it is over, or it comes again and again. Not raised: it holds their words."""

    code: str
    time: str = ""


def _read(
    turn: Turn, text: str, at_ms: int, day: date | None = None, moved: Task | None = None
) -> tuple[_Moment, str] | NoTime | _Refused:
    """`moved`: the one that gets another time; one that comes again keeps its days where the words name none."""
    said_at = render.local(at_ms, turn.zone)
    rule, was = _rule_now(turn, moved), moment_of(moved.due, turn.zone) if moved else None
    held = (rule, was.astimezone(ZoneInfo(turn.zone)).time()) if rule and was else None
    found = read_when(text, said_at.replace(tzinfo=None, microsecond=0), day, held)
    match found:
        case NoTime():
            return found
        case Recurring():
            return _Refused("not-saved-recurring")
        case Again(rule, wall, rest):
            first = moment_of(f"{wall:%Y-%m-%dT%H:%M}", turn.zone)
            if first is None:
                return _Refused("not-saved-no-such-time", render.quoted(f"{wall:%Y-%m-%d %H:%M}"))
            moment = _Moment(first, exact=False, rule=rule)
        case Impossible(words):
            return _Refused("not-saved-no-such-time", render.quoted(words))
        case Past(wall):
            return _Refused("not-saved-time-past", _moment_words(turn, wall))
        case In(minutes, rest):
            moment = _Moment(said_at.astimezone(UTC) + timedelta(minutes=minutes), exact=True)
        case At(wall, rest):
            at = moment_of(f"{wall:%Y-%m-%dT%H:%M}", turn.zone)
            if at is None:
                return _Refused("not-saved-no-such-time", render.quoted(f"{wall:%Y-%m-%d %H:%M}"))
            moment = _Moment(at, exact=False)
    if moment.at <= turn.now:  # the message was on its way for longer
        return _Refused("not-saved-time-past", _moment_words(turn, moment.at.astimezone(ZoneInfo(turn.zone))))
    return moment, rest


def _rule_now(turn: Turn, task: Task | None) -> Rule | None:
    every = turn.writer.register(task.id, EVERY) if task else None
    return rule_of(every.value) if every is not None and isinstance(every.value, str) else None


def _moment_words(turn: Turn, at: datetime) -> str:
    return render.full_moment(turn.words, at, turn.today)


def _add(turn: Turn, title: str) -> Task:
    task = turn.writer.add_task(
        title, at_ms=turn.at_ms, zone=turn.zone, author=turn.account, source=turn.source, record=record_of(turn)
    )
    turn.notes.stored = True
    turn.notes.entry = task.id
    turn.cite(task.label)
    return task


def _set(turn: Turn, task: Task, moment: _Moment) -> list[tuple[str, str, Any]]:
    """Gives what taking it back would set."""
    due = due_of(moment.at, turn.zone)
    exact = moment_of(due, turn.zone)
    if moment.exact and exact and not _zone_known(turn):  # whichever zone turns out to be right, it is this moment
        due = exact.astimezone(ZoneInfo(turn.zone)).isoformat(timespec="minutes")
    every = moment.rule.spelled() if moment.rule else ""
    steps: list[tuple[str, str, Any]] = []
    if every or turn.writer.register(task.id, EVERY) is not None:
        steps.append((task.id, EVERY, turn.writer.set(task.id, EVERY, every, by=turn.account) or ""))
    before = turn.writer.set(task.id, "due", due, by=turn.account)
    turn.writer.set(task.id, RING, turn.where.packed(), by=turn.account)
    turn.notes.timed = True
    return [(task.id, "due", before or ""), *steps]


def _receipt(turn: Turn, task: Task, below: str, buttons: tuple[Button, ...]) -> Reply:
    head = turn.words("receipt-added", what=turn.task_state(task), memory=turn.memory_name())
    return turn.say(head, _title(turn, task), below, buttons=buttons)


def _title(turn: Turn, task: Task) -> tuple[Line, ...]:
    return render.stored_lines(turn.words, task.title, lines_max=receipts.LINES_MAX)[0]


def _when_line(turn: Turn, moment: _Moment, note: str = "") -> str:
    """提醒：明天 09:00（5月28日 周二） / reminder: tomorrow 09:00 (Tue 28 May), as the clock will show it."""
    line = turn.words("reminder-at", when=when(turn, moment.at)) + note
    if moment.rule is None:
        return line
    time = render.local_time(moment.at, turn.zone)
    return (
        turn.words("reminder-every", rule=render.rule(turn.words, moment.rule), time=time, first=when(turn, moment.at))
        + note
    )


def when(turn: Turn, at: datetime) -> str:
    """As people see it: rounded as it will ring."""
    exact = moment_of(due_of(at, turn.zone), turn.zone) or at
    local = exact.astimezone(ZoneInfo(turn.zone))
    shown = _moment_words(turn, local)
    if (local.date() - turn.today).days != 1:
        return shown
    return turn.words("reminder-near", moment=shown, day=render.day_inside(turn.words, local.date(), turn.today))


def _undo(turn: Turn, task: Task) -> Button:
    return turn.undo_button(task.label, "save", [(task.id, "hidden", True)])


def _change(turn: Turn, task: Task) -> Button:
    return turn.button("button-change-time", f"when {task.id}")


def _ask_when(turn: Turn, task: Task, day: date | None, *, again: bool = False) -> None:
    question: dict[str, Any] = {"ask": "when", "id": task.id, "day": day.isoformat() if day else ""}
    turn.writer.ask(turn.chat, turn.account, question | ({"again": True} if again else {}))


# which clock


def _zone_known(turn: Turn) -> bool:
    return bool(turn.writer.setting("zone"))


def _must_ask_zone(turn: Turn, moment: _Moment) -> bool:
    """Of a group only its admins may say where its clock stands; for others the receipt names the zone."""
    may_say = turn.asks_zone and (turn.private or turn.role is not Role.MEMBER)
    return may_say and not (_zone_known(turn) or moment.exact)


def _ask_zone(turn: Turn, task: Task, words: str, day: date | None = None) -> Reply:
    body: dict[str, Any] = {"id": task.id, "words": words, "day": day.isoformat() if day else "", "at": turn.at_ms}
    turn.writer.ask(turn.chat, turn.account, {"ask": "remind-zone", **body})
    offer = turn.offer(do="remind-zone", **body)
    buttons = (
        turn.button("button-right", f"{offer} right"),
        turn.button("button-change", f"{offer} change"),
        _undo(turn, task),
    )
    return _receipt(turn, task, turn.words("greeting-zone", zone=turn.zone), buttons)


def zone_chosen(turn: Turn, body: dict[str, Any], choice: str, task: Task) -> Reply:
    """[Right] or [Change] below a reminder that waits for its zone."""
    if choice == "right":
        about.zone_right(turn)
        turn.writer.close_question(turn.chat, turn.account)
        return _with_zone(turn, task, body)
    turn.writer.ask(turn.chat, turn.account, {"ask": "remind-zone", **{n: body[n] for n in ("id", "words", "day", "at")}})  # fmt: skip
    return turn.say(turn.words("ask-zone", zone=turn.zone), buttons=(turn.button("button-leave", "close"),))


def answer_zone(turn: Turn, question: dict[str, Any], task: Task, text: str) -> Reply:
    found = zone_named(text)
    if found is None:
        if "again" not in question:
            turn.writer.ask(turn.chat, turn.account, question | {"again": True})
        shown = render.quoted(render.short(text, 40))
        return turn.say(turn.words("zone-unknown", zone=shown))
    about.zone(turn, found)
    return _with_zone(turn, task, question)


def _with_zone(turn: Turn, task: Task, body: dict[str, Any]) -> Reply:
    """The words are read once more, by the clock that is known now."""
    zoned = turn.in_zone(turn.writer.setting("zone"))
    day = date.fromisoformat(body["day"]) if body["day"] else None
    first = turn.words("zone-set-short", zone=zoned.zone)
    found = _read(zoned, body["words"], body["at"], day, task)
    if isinstance(found, _Refused):  # it is over there: the zone holds all the same
        _ask_when(zoned, task, day)
        return zoned.say(first, turn.words("time-past-there", time=found.time), turn.words("ask-when"))
    assert not isinstance(found, NoTime), "it was read before"
    return _moved(zoned, task, found[0], first)


# what rings


@dataclass(frozen=True, slots=True)
class Waiting:
    """A task with a time and a place. `at`: in UTC; `by`, `asked_ms`: who set the time, and when; `rule`: of one that
    comes again, whose first time is `at` until it is `expanded`; `mark`: what was wanted, as it is written down."""

    task: Task
    at: datetime
    by: AccountID
    asked_ms: int
    where: Where
    rule: Rule | None
    mark: str

    def expanded(self, zone: str, now: datetime) -> list[Waiting]:
        """Of what comes again the newest time that is over and the next one; else itself."""
        first = self.at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        if self.rule is None:
            return [self]
        both = around(self.rule, first, zone, now)
        return [replace(self, at=at, mark=due_of(at, zone)) for at in both if at is not None]


def waiting(view: View, zone: str) -> list[Waiting]:
    """What is still to be done and has a time: its place may be anywhere, its time may have come long ago."""
    found = []
    for task in view.timed_tasks(RING):
        registers = view.registers(task.id)
        where, at = where_in(registers[RING].value), moment_of(task.due, zone)
        if at is not None and where is not None:
            due = registers["due"]
            every = registers.get(EVERY)
            rule = rule_of(every.value) if every is not None and isinstance(every.value, str) else None
            found.append(Waiting(task, at, AccountID(due.by), due.at_ms, where, rule, task.due))
    return found


def still(turn: Turn, one: Waiting) -> bool:
    """Whether it is as it was when it was looked at."""
    now = turn.writer.task(one.task.id)
    return now is not None and not now.hidden and now.state is not TaskState.DONE and now.due == one.task.due


def ring(turn: Turn, rung: Sequence[Waiting], past: Sequence[Waiting]) -> Reply | None:
    """What has come due for one place, in one message. `past`: what is too late to be rung, and only told."""
    rung, past = ([one for one in some if still(turn, one)] for some in (rung, past))
    turn.cite(*(one.task.label for one in (*rung, *past)))
    if len(rung) == 1 and not past:
        (one,) = rung
        shown = render.fold_quote(turn.words, one.task.title)
        title = tuple(Line(line, stored=True) for line in shown.split("\n"))
        return turn.say(title, _asked_line(turn, one), buttons=_buttons(turn, rung, alone=True))
    if not rung and not past:
        return None
    rows = [_row(turn, one, late=True) for one in rung] + [_row(turn, one, late=False) for one in past]
    more = len(rows) - ROWS_MAX
    head = turn.words("ring-several", n=len(rows)) if rung else turn.words("ring-past", n=len(past))
    below = turn.words("ring-more", n=more) if more > 0 else ""
    return turn.say(head, *rows[:ROWS_MAX], below, buttons=_buttons(turn, rung, alone=False))


def ring_plain(turn: Turn, rung: Sequence[Waiting], past: Sequence[Waiting]) -> Reply:
    """When the words themselves could not be put together."""
    refs = turn.listed(one.task.label for one in (*rung, *past))
    return turn.say(turn.words("ring-plain", refs=refs), buttons=(turn.button("button-board", "board"),))


def _asked_line(turn: Turn, one: Waiting) -> str:
    asked = render.local(one.asked_ms, turn.zone).date()
    day = render.near_day(turn.words, asked, turn.today) or render.day(turn.words, asked, turn.today)
    facts = {"who": turn.who(one.by), "day": day, "time": _time(turn, one.at), "ref": one.task.label}
    late = turn.now - one.at
    if one.rule is not None:
        told = turn.words("ring-late", late=render.span(turn.words, late)) if late >= LATE_FROM else ""
        time = render.local_time(one.at, turn.zone)
        rule = render.rule(turn.words, one.rule)
        return " · ".join(filter(None, (turn.words("ring-every", rule=rule, time=time), told, one.task.label)))
    if late < LATE_FROM:
        return turn.words("ring-asked", **facts)
    return turn.words("ring-asked-late", late=render.span(turn.words, late), **facts)


def _row(turn: Turn, one: Waiting, *, late: bool) -> Line:
    parts = [render.short(one.task.title, 60), _time(turn, one.at)]
    if late and turn.now - one.at >= LATE_FROM:
        parts.append(turn.words("ring-late", late=render.span(turn.words, turn.now - one.at)))
    return Line(" · ".join([*parts, one.task.label]), stored=True)


def _time(turn: Turn, at: datetime) -> str:
    return turn.moment(int(at.timestamp() * 1000))


def _buttons(turn: Turn, rung: Sequence[Waiting], *, alone: bool) -> tuple[Button, ...]:
    """They are for who asked, and work once. What ends one thing is offered where one thing is told."""
    board = turn.button("button-board", "board")
    if not rung or any(one.by != turn.account for one in rung):
        return (board,)
    once = [one.task.id for one in rung if one.rule is None]
    if not once:
        stop = turn.button("button-stop-repeating", f"move {rung[0].task.id} {TaskMove.DONE.value}")
        return (stop, board) if alone else (board,)
    offer = turn.offer(do="rung", ids=once)
    first = turn.button("button-done", f"{offer} done") if alone else board
    return (
        first,
        turn.button("button-in-an-hour", f"{offer} hour"),
        turn.button("button-tomorrow", f"{offer} tomorrow"),
    )


def rung(turn: Turn, body: dict[str, Any], choice: str) -> Reply:
    """[Done] [In 1 hour] [Tomorrow] under what has rung."""
    found = (turn.writer.task(record) for record in body["ids"])
    open_ones = [task for task in found if task and not task.hidden and task.state is not TaskState.DONE]
    if choice != "done":  # what comes again by now has its next time
        open_ones = [task for task in open_ones if _rule_now(turn, task) is None]
    if not open_ones:
        return turn.toast("toast-done-already")
    if choice == "done":
        return tasks.move_task(turn, open_ones[0], TaskMove.DONE, shape=Shape.EDIT)
    steps: list[tuple[str, str, Any]] = []
    at = turn.now + SNOOZE
    for task in open_ones:
        at = turn.now + SNOOZE if choice == "hour" else _tomorrow(turn, task)
        steps += _set(turn, task, _Moment(at, exact=choice == "hour"))
    labels = [task.label for task in open_ones]
    turn.cite(*labels)
    undo = turn.undo_button(labels[0], "task", steps)
    same = choice == "hour" or len(open_ones) == 1
    shown = when(turn, at) if same else turn.words("day-tomorrow")
    return turn.say(turn.words("ring-again", when=shown, refs=turn.listed(labels)), buttons=(undo,), shape=Shape.EDIT)


def _tomorrow(turn: Turn, task: Task) -> datetime:
    """At the same time of day."""
    was = moment_of(task.due, turn.zone) or turn.now
    time = was.astimezone(ZoneInfo(turn.zone)).strftime("%H:%M")
    day = turn.today + timedelta(days=1)
    return moment_of(f"{day.isoformat()}T{time}", turn.zone) or turn.now + timedelta(days=1)
