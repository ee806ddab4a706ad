"""When what comes by itself comes: /time, /pause, /resume, /digest, /quiet, and a sentence that moves it.

A new time is a decision like any other: it is kept with its reason, it can be taken back, and seven days later the
answers are counted and the person is asked (`check`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot import render
from bot.commands import receipts, remember
from bot.habits import DIGEST, FOR_EVER, WORDS, Daily, Habits, change, habits
from bot.intents import MoveDaily, Remember, Simple
from bot.message import Reply, Shape
from bot.phrases.daily import OFF, ON, clock_of, resume_day, two_clocks
from bot.turn import Turn
from scheduler.slots import instant, is_over
from store.changes import Json
from store.errors import NotAllowed
from store.model import Draft, EntryKind, Role

SIMPLE = ("time", "pause", "resume", "digest", "quiet")
AT_ONCE = timedelta(hours=3)
"""A new time that is over by no more than this: today's still comes, at once."""
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
    """From now on it comes, to this chat; where it rests, when the rest is over. Gives what taking it back would set."""
    before = habits(turn.writer).daily(kind)
    wanted = at or before.at
    since = before.since if _rests(turn, before) else _first_day(turn, kind, wanted)
    turn.notes.timed = True
    values: dict[str, Json] = {
        f"{kind}_on": True, f"{kind}_at": f"{wanted:%H:%M}", f"{kind}_place": turn.where.packed(),
        f"{kind}_since": since.isoformat(),
    }  # fmt: skip
    return change(turn.writer, turn.account, **values)


def first_line(turn: Turn, kind: str) -> str:
    """第一次：明天 08:00 / First: tomorrow 08:00, with the zone where nobody has said which."""
    daily = habits(turn.writer).daily(kind)
    if daily.since.isoformat() == FOR_EVER:
        return turn.words("slot-rests")
    day = max(daily.since, _first_day(turn, kind, daily.at))
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
        return turn.say(turn.words("digest-is-on", time=f"{daily.at:%H:%M}"), first_line(turn, DIGEST), buttons=buttons)
    switched_on(turn, DIGEST, at)
    zone = () if turn.writer.setting("zone") else (turn.button("button-change-zone", "tz"),)
    rests = _rests(turn, habits(turn.writer).digest)
    go_on = (turn.button("button-resume-now", "daily resume"),) if rests else ()
    off = turn.button("button-digest-off", "daily digest off")
    return turn.say(turn.words("digest-on", time=f"{at:%H:%M}"), first_line(turn, DIGEST), buttons=(*zone, *go_on, off))


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


def answer_time(turn: Turn, question: dict[str, Any], text: str) -> Reply | None:
    """None for words that name no time: they mean what they would mean by themselves."""
    if clock_of(text) is None:
        return None
    return _digest(turn, text) if question["kind"] == DIGEST else _time(turn, text)


def answer_day(turn: Turn, text: str) -> Reply | None:
    """As `answer_time`, for the day on which a rest ends."""
    return pause(turn, text) if resume_day(text, turn.today) is not None else None


def _moved(turn: Turn, kind: str, before: Daily, at: time, said: Remember) -> Reply:
    if at == before.at:
        return turn.say(turn.words("daily-same-time", time=f"{at:%H:%M}"))
    entry = remember.store(turn, said.draft)
    rests = _rests(turn, before)
    since = before.since if rests else max(before.since, _first_day(turn, kind, at))
    values: dict[str, Json] = {f"{kind}_at": f"{at:%H:%M}", f"{kind}_since": since.isoformat()}
    if kind == WORDS:
        checked = turn.today + timedelta(days=CHECK_DAYS)
        values["words_check"] = [checked.isoformat(), f"{before.at:%H:%M}", f"{at:%H:%M}", entry.label]
    steps = change(turn.writer, turn.account, **values)
    turn.notes.timed = True
    undo = turn.undo_button(entry.label, "save", [(entry.id, "hidden", True), *steps])
    when = "tomorrow" if since > turn.today else "now" if _is_past(turn, at) else "today"
    when = "later" if rests else when
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
    if now.check is not None and WORDS in kinds:
        change(turn.writer, turn.account, words_check=None)  # whoever rests is not asked how often they answered
    buttons = (turn.button("button-resume-now", "daily resume"), turn.button("button-change-day", "daily day"))
    facts: dict[str, str | int] = {
        "what": turn.words(f"daily-what-{'-'.join(kinds)}"),
        "n": 1 if kinds == [DIGEST] else 2,
    }
    if until.isoformat() == FOR_EVER:
        return turn.say(turn.words("daily-rest", **facts), buttons=buttons, shape=shape)
    facts |= {"day": render.day(turn.words, until, turn.today), "time": f"{now.daily(kinds[0]).at:%H:%M}"}
    text = turn.words("daily-rest-until" if len(kinds) == 1 else "daily-rest-both", **facts)
    return turn.say(text, buttons=buttons, shape=shape)


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
            change(turn.writer, turn.account, **{f"{kind}_since": _first_day(turn, kind, daily.at).isoformat()})
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
    if first == last:
        return turn.say(turn.words("quiet-none"))
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


def _rests(turn: Turn, daily: Daily) -> bool:
    return daily.on and daily.since > turn.today + timedelta(days=1)


def _first_day(turn: Turn, kind: str, at: time) -> date:
    """Today while it is still to come, or is over by so little that it comes at once; what was said today is over."""
    today = [row for row in turn.said if row.slot.kind == kind and row.slot.day == turn.today.isoformat()]
    said = any(is_over(row.state, row.reason) for row in today)
    return turn.today + timedelta(days=0 if _is_soon(turn, at) and not said else 1)


def still_to_take_back(turn: Turn, label: str, steps: Sequence[tuple[str, str, Json]]) -> list[tuple[str, str, Json]]:
    """Of an [Undo], without what has been settled otherwise since: a rest, or a newer time."""
    now = habits(turn.writer)
    moved_again = (
        now.check is not None and now.check.ref != label and any(field == "words_check" for _, field, _ in steps)
    )
    rests = {f"{kind}_since" for kind in (WORDS, DIGEST) if _rests(turn, now.daily(kind))}
    return [
        step for step in steps if step[0] != "settings" or not (moved_again or step[1] in rests)
    ]  # fmt: skip


def _is_soon(turn: Turn, at: time) -> bool:
    """Whether today's is still to come, or over by so little that it comes at once."""
    moment: datetime | None = instant(turn.today, at, turn.zone)
    return moment is not None and turn.now - moment <= AT_ONCE
