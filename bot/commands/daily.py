"""When what comes by itself comes: /time, /pause, /resume, /digest, /quiet, and a sentence that moves it.

A new time is a decision like any other: it is kept with its reason, it can be taken back, and seven days later the
answers are counted and the person is asked (`check`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot import render
from bot.commands import receipts, remember
from bot.habits import DIGEST, WORDS, Daily, Habits, change, habits
from bot.intents import MoveDaily, Remember, Simple
from bot.message import Reply, Shape
from bot.phrases.daily import OFF, ON, clock_of, resume_day, two_clocks
from bot.turn import Turn
from scheduler.slots import instant
from store.changes import Json
from store.errors import NotAllowed
from store.model import Draft, EntryKind, Role

SIMPLE = ("time", "pause", "resume", "digest", "quiet")
AT_ONCE = timedelta(hours=3)
"""A new time that is over by no more than this: today's still comes, at once."""
FOR_EVER = "9999-12-31"
CHECK_DAYS = 7

Steps = list[tuple[str, str, Json]]


def simple(turn: Turn, intent: Simple) -> Reply:
    if not turn.private and turn.role is Role.MEMBER:
        raise NotAllowed("error-admin-only")
    match intent.name:
        case "time":
            return _time(turn, intent.argument)
        case "pause":
            return pause(turn, intent.argument)
        case "resume":
            return resume(turn)
        case "digest":
            return _digest(turn, intent.argument.strip().casefold())
        case _:
            return _quiet(turn, intent.argument.strip().casefold())


# on and off


def switched_on(turn: Turn, kind: str, at: time | None = None) -> Steps:
    """From now on it comes, to this chat. Gives what taking it back would set."""
    wanted = at or habits(turn.writer).daily(kind).at
    since = turn.today + timedelta(days=0 if _is_soon(turn, wanted) else 1)
    turn.notes.timed = True
    values: dict[str, Json] = {
        f"{kind}_on": True, f"{kind}_at": f"{wanted:%H:%M}", f"{kind}_place": turn.where.packed(),
        f"{kind}_since": since.isoformat(),
    }  # fmt: skip
    return change(turn.writer, turn.account, **values)


def first_line(turn: Turn, kind: str) -> str:
    """第一次：明天 08:00 / First: tomorrow 08:00, with the zone where nobody has said which."""
    daily = habits(turn.writer).daily(kind)
    day = max(turn.today, daily.since)
    zone = "" if turn.writer.setting("zone") else turn.words("reminder-zone", zone=turn.zone)
    if day == turn.today and _is_past(turn, daily.at):
        return turn.words("daily-first-now")
    return turn.words("daily-first", when=_moment(turn, day, daily.at) + zone)


def _digest(turn: Turn, argument: str) -> Reply:
    daily = habits(turn.writer).digest
    if argument in OFF:
        turn.notes.timed = True
        change(turn.writer, turn.account, digest_on=False)
        return turn.say(turn.words("digest-off"), buttons=(turn.button("button-digest-on", "daily digest on"),))
    at = clock_of(argument) if argument and argument not in ON else daily.at
    if at is None:
        return turn.say(turn.words("daily-no-such-time", words=render.quoted(render.short(argument, 40))))
    if not argument:
        if not daily.on:
            on = turn.button("button-digest-on", "daily digest on")
            return turn.say(turn.words("digest-is-off", time=f"{daily.at:%H:%M}"), buttons=(on,))
        buttons = (
            turn.button("button-change-time", "daily digest time"),
            turn.button("button-digest-off", "daily digest off"),
        )
        return turn.say(turn.words("digest-is-on", time=f"{daily.at:%H:%M}"), buttons=buttons)
    switched_on(turn, DIGEST, at)
    zone = () if turn.writer.setting("zone") else (turn.button("button-change-zone", "tz"),)
    off = turn.button("button-digest-off", "daily digest off")
    return turn.say(turn.words("digest-on", time=f"{at:%H:%M}"), first_line(turn, DIGEST), buttons=(*zone, off))


# another time


def move(turn: Turn, intent: MoveDaily) -> Reply:
    """The sentence is kept as the decision that it is, and followed."""
    if not turn.private and turn.role is Role.MEMBER:
        raise NotAllowed("error-admin-only")
    before = habits(turn.writer).daily(intent.kind)
    if not before.on:
        return remember.remember(turn, replace(intent.said, lasting=None), note=turn.words(f"{intent.kind}-are-off"))
    draft = replace(intent.said.draft, kind=EntryKind.DECISION)
    return _moved(turn, intent.kind, before, intent.at, Remember(draft))


def _time(turn: Turn, argument: str) -> Reply:
    """/time 13:00 for the words, or for the digest where there are none."""
    now = habits(turn.writer)
    kind = WORDS if now.words.on or not now.digest.on else DIGEST
    before = now.daily(kind)
    at = clock_of(argument) if argument.strip() else None
    if at is None:
        turn.writer.ask(turn.chat, turn.account, {"ask": "daily-time", "kind": kind})
        leave = turn.button("button-leave", "close")
        if argument.strip():
            return turn.say(
                turn.words("daily-no-such-time", words=render.quoted(render.short(argument, 40))), buttons=(leave,)
            )
        return turn.say(*_lines(turn, now), turn.words("daily-ask-time"), buttons=(leave,))
    if not before.on:
        change(turn.writer, turn.account, **{f"{kind}_at": f"{at:%H:%M}"})
        return turn.say(turn.words(f"{kind}-time-kept", time=f"{at:%H:%M}"))
    text = turn.words(f"{kind}-moved", was=f"{before.at:%H:%M}", time=f"{at:%H:%M}")
    return _moved(turn, kind, before, at, Remember(Draft(text, kind=EntryKind.DECISION)))


def answer_time(turn: Turn, question: dict[str, Any], text: str) -> Reply:
    if clock_of(text) is None and "again" not in question:
        turn.writer.ask(turn.chat, turn.account, question | {"again": True})
    if question["kind"] == DIGEST:
        return _digest(turn, text)
    return (
        _time(turn, text)
        if clock_of(text) is not None
        else turn.say(turn.words("daily-no-such-time", words=render.quoted(render.short(text, 40))))
    )


def _moved(turn: Turn, kind: str, before: Daily, at: time, said: Remember) -> Reply:
    if at == before.at:
        return turn.say(turn.words("daily-same-time", time=f"{at:%H:%M}"))
    entry = remember.store(turn, said.draft)
    today_too = _is_soon(turn, at) and before.since <= turn.today
    since = max(before.since, turn.today + timedelta(days=0 if today_too else 1))
    values: dict[str, Json] = {f"{kind}_at": f"{at:%H:%M}", f"{kind}_since": since.isoformat()}
    if kind == WORDS:
        checked = turn.today + timedelta(days=CHECK_DAYS)
        values["words_check"] = [checked.isoformat(), f"{before.at:%H:%M}", f"{at:%H:%M}", entry.label]
    steps = change(turn.writer, turn.account, **values)
    turn.notes.timed = True
    undo = turn.undo_button(entry.label, "save", [(entry.id, "hidden", True), *steps])
    when = "now" if today_too and _is_past(turn, at) else "today" if today_too else "tomorrow"
    note = turn.words(f"daily-was-{when}", was=f"{before.at:%H:%M}", time=f"{at:%H:%M}")
    reply = receipts.saved(turn, entry, note=note)
    buttons = (
        [undo, *reply.buttons[1:]]
        if reply.buttons[0].action.startswith("undo")
        else [*reply.buttons[:1], undo, *reply.buttons[2:]]
    )
    return replace(reply, buttons=tuple(buttons))


# a rest


def pause(turn: Turn, argument: str, *, shape: Shape = Shape.MESSAGE) -> Reply:
    now = habits(turn.writer)
    kinds = [kind for kind in (WORDS, DIGEST) if now.daily(kind).on]
    if not kinds:
        return turn.say(turn.words("daily-nothing-on"))
    until = resume_day(argument, turn.today) if argument.strip() else date.fromisoformat(FOR_EVER)
    if until is None:
        turn.writer.ask(turn.chat, turn.account, {"ask": "pause"})
        return turn.say(
            turn.words("daily-no-such-day", words=render.quoted(render.short(argument, 40))),
            buttons=(turn.button("button-leave", "close"),),
        )
    turn.notes.timed = True
    for kind in kinds:
        change(turn.writer, turn.account, **{f"{kind}_since": until.isoformat()})
    buttons = (turn.button("button-resume-now", "daily resume"), turn.button("button-change-day", "daily day"))
    what = turn.words(f"daily-what-{'-'.join(kinds)}")
    if until.isoformat() == FOR_EVER:
        return turn.say(turn.words("daily-rest", what=what), buttons=buttons, shape=shape)
    at = now.daily(kinds[0]).at
    day = render.day(turn.words, until, turn.today)
    return turn.say(
        turn.words("daily-rest-until", what=what, day=day, time=f"{at:%H:%M}"), buttons=buttons, shape=shape
    )


def ask_day(turn: Turn) -> Reply:
    """[Change day]"""
    turn.writer.ask(turn.chat, turn.account, {"ask": "pause"})
    return turn.say(turn.words("daily-ask-day"), buttons=(turn.button("button-leave", "close"),))


def resume(turn: Turn, *, shape: Shape = Shape.MESSAGE) -> Reply:
    now = habits(turn.writer)
    kinds = [kind for kind in (WORDS, DIGEST) if now.daily(kind).on]
    if not kinds:
        return turn.say(turn.words("daily-nothing-on"))
    turn.notes.timed = True
    for kind in kinds:
        daily = now.daily(kind)
        if daily.since > turn.today:
            first = turn.today + timedelta(days=0 if _is_soon(turn, daily.at) else 1)
            change(turn.writer, turn.account, **{f"{kind}_since": first.isoformat()})
    return turn.say(
        turn.words("daily-resumed", what=turn.words(f"daily-what-{'-'.join(kinds)}")),
        first_line(turn, kinds[0]),
        shape=shape,
    )


# quiet hours


def _quiet(turn: Turn, argument: str) -> Reply:
    first, last = (f"{one:%H:%M}" for one in habits(turn.writer).quiet)
    if not argument:
        return turn.say(turn.words("quiet-hours" if first != last else "quiet-none", first=first, last=last))
    if argument in OFF:
        change(turn.writer, turn.account, quiet=["00:00", "00:00"])
        return turn.say(turn.words("quiet-none"))
    ends = two_clocks(argument)
    if ends is None:
        return turn.say(turn.words("daily-no-such-time", words=render.quoted(render.short(argument, 40))))
    first, last = (f"{one:%H:%M}" for one in ends)
    change(turn.writer, turn.account, quiet=[first, last])
    return turn.say(turn.words("quiet-set", first=first, last=last))


# buttons


def press(turn: Turn, what: str, choice: str) -> Reply:
    """`daily <what> [choice]`"""
    match what, choice:
        case "resume", "":
            return resume(turn, shape=Shape.EDIT)
        case "pause", "":
            return pause(turn, "", shape=Shape.EDIT)
        case "day", "":
            return ask_day(turn)
        case "digest", "on" | "off":
            return replace(_digest(turn, choice), shape=Shape.EDIT)
        case "digest", "time":
            turn.writer.ask(turn.chat, turn.account, {"ask": "daily-time", "kind": DIGEST})
            return turn.say(turn.words("daily-ask-time"), buttons=(turn.button("button-leave", "close"),))
        case _:
            return turn.toast("toast-gone")


# words


def lines(turn: Turn) -> tuple[str, ...]:
    """What comes by itself, for /settings."""
    return _lines(turn, habits(turn.writer))


def _lines(turn: Turn, now: Habits) -> tuple[str, ...]:
    said = []
    for kind in (WORDS, DIGEST):
        daily = now.daily(kind)
        if not daily.on:
            continue
        if daily.since.isoformat() == FOR_EVER:
            said.append(turn.words(f"daily-line-{kind}-rests", time=f"{daily.at:%H:%M}"))
        elif daily.since > turn.today + timedelta(days=1):
            day = render.day(turn.words, daily.since, turn.today)
            said.append(turn.words(f"daily-line-{kind}-until", time=f"{daily.at:%H:%M}", day=day))
        else:
            said.append(turn.words(f"daily-line-{kind}", time=f"{daily.at:%H:%M}"))
    return tuple(said)


def _moment(turn: Turn, day: date, at: time) -> str:
    moment = instant(day, at, turn.zone)
    return (
        render.full_moment(turn.words, moment.astimezone(ZoneInfo(turn.zone)), turn.today) if moment else f"{at:%H:%M}"
    )


def _is_past(turn: Turn, at: time) -> bool:
    moment = instant(turn.today, at, turn.zone)
    return moment is not None and moment <= turn.now


def _is_soon(turn: Turn, at: time) -> bool:
    """Whether today's is still to come, or over by so little that it comes at once."""
    moment: datetime | None = instant(turn.today, at, turn.zone)
    return moment is not None and turn.now - moment <= AT_ONCE
