"""What comes once a day at a time of its own: the morning digest and the daily words.

The day is the person's. A day on which nothing could be said is over when it is over: after three days asleep there is
one message, today's. What is late is not said in quiet hours. Why a day brought nothing stands in its slot.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.commands import digest, look_back, words
from bot.gateway import Gateway
from bot.habits import DIGEST, WORDS, Daily, Habits, Where, habits
from bot.message import Inbound, Reply
from bot.places import Heard, Places, Ring, Silence, is_elsewhere
from bot.turn import Turn
from scheduler import slots
from scheduler.slots import LATE, TAKEOVER
from store.errors import Damaged, NotAllowed, Unavailable
from store.home import Home
from store.model import NOBODY, ScopeID, Slot, SlotState
from store.ports import Clock
from store.view import View

log = logging.getLogger(__name__)

WORDS_LATER = "words-later"
"""Today's words, put off by the person: once a day."""
NOTHING, QUIET = "nothing", "quiet"
"""Reasons of a slot that was skipped: there was nothing to say; it would have been late, in quiet hours."""
ON_TIME = timedelta(minutes=2)
"""So much behind its time, something is not late yet: who wants words at midnight gets them."""
WORDS_CHECK = "words-check"
"""A week after the words moved, once."""
PEACE = "unanswered"
"""The reason of words that stayed away because the last ones were not answered."""
WINDOWS = {DIGEST: timedelta(hours=6), WORDS: timedelta(hours=24)}
"""How long after its time each may still be said, on its own day."""
CHECK_FOR = timedelta(days=7)
SETTLED_DAYS = 10
"""Of so many days it is known without looking that nothing is to be done; more than `CHECK_FOR`."""
TOLD_DAYS = 31
"""Of so many days that were missed a row is kept."""

Say = Callable[[Turn, Sequence[date]], Reply | str]
"""(turn, the days on which this was said before) → what there is to say, or the reason why there is nothing."""


def say_words(turn: Turn, sent: Sequence[date]) -> Reply | str:
    """Today's words; where nobody answers any more, one line a week."""
    if look_back.is_left_in_peace(turn, sent):
        return PEACE
    reply = words.push(turn)
    return (reply and look_back.gentle(turn, sent)) or reply or NOTHING


SAYS: Mapping[str, Say] = {
    DIGEST: lambda turn, sent: digest.digest(turn) or NOTHING,
    WORDS: say_words,
    WORDS_LATER: lambda turn, sent: words.push(turn) or NOTHING,
    WORDS_CHECK: lambda turn, sent: look_back.check(turn) or NOTHING,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Of one memory. `elsewhere`: the kinds that another device says."""

    habits: Habits
    elsewhere: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ticked:
    """`coming`: the instants to come; `silences`: why what is due could not be said; `settled`: nothing is due of which
    anything is still to be done."""

    coming: tuple[datetime, ...] = ()
    silences: frozenset[Silence] = frozenset()
    settled: bool = True


def wanted(view: View, here: bytes) -> Wanted:
    found = habits(view)
    places = {kind: found.daily(kind).where for kind in (WORDS, DIGEST)}
    away = {kind for kind, where in places.items() if where is not None and is_elsewhere(view, where, here)}
    return Wanted(found, frozenset(away))


@dataclass(frozen=True, slots=True)
class _Today:
    """One kind on one local day. `last`: the day until which it may still be said."""

    scope: ScopeID
    kind: str
    where: Where
    at: datetime
    day: date
    mark: str
    last: date

    @property
    def slot(self) -> Slot:
        return Slot(self.scope, self.kind, self.day.isoformat())


class Dailies:
    """`says`: what there is to say of each kind; None for nothing."""

    def __init__(self, home: Home, gateway: Gateway, places: Places, *, clock: Clock, says: Mapping[str, Say]) -> None:
        self._home = home
        self._gateway = gateway
        self._places = places
        self._clock = clock
        self._says = says
        self._settled: dict[tuple[ScopeID, str], set[str]] = defaultdict(set)
        """Days of a kind on which nothing is to be done any more: the newest few of each."""

    async def tick(self, scope: ScopeID, wanted: Wanted, zone: str, now: datetime) -> Ticked:
        coming: list[datetime] = []
        silences: set[Silence] = set()
        settled = True
        for kind in (DIGEST, WORDS):
            daily = wanted.habits.daily(kind)
            if not daily.on or daily.where is None or kind in wanted.elsewhere:
                continue
            day, next_at = slots.daily(daily.at, zone, now, WINDOWS[kind])
            coming += [next_at] if next_at is not None else []
            due = []
            if kind == WORDS and daily.since <= _day(now, zone):
                for one in _besides(scope, daily.where, wanted.habits, zone, now):
                    if one.at > now:
                        coming.append(one.at)
                    else:
                        due.append(one)
            due += await self._due(scope, kind, daily, day, zone, now)
            for one in due:
                silence = await self._say(one, zone, now, wanted.habits)
                silences |= {silence} if silence is not None else set()
                settled = settled and not self._is_open(one, zone, now)
        return Ticked(tuple(coming), frozenset(silences), settled)

    async def _due(
        self, scope: ScopeID, kind: str, daily: Daily, day: date | None, zone: str, now: datetime
    ) -> list[_Today]:
        assert daily.where is not None
        mark = f"{daily.at:%H:%M}"
        today = _day(now, zone)
        await self._note_missed(scope, kind, mark, today, daily.since)
        at = slots.instant(today, daily.at, zone)
        if day != today or at is None or today < daily.since:
            return []
        return [_Today(scope, kind, daily.where, at, day, mark, day)]

    def _is_open(self, one: _Today, zone: str, now: datetime) -> bool:
        return not self._is_settled(one.slot) and one.day <= _day(now, zone) <= one.last

    async def _say(self, one: _Today, zone: str, now: datetime, habits: Habits) -> Silence | None:
        """Why it could not be said."""
        if not self._is_open(one, zone, now):
            return None
        if self._places.is_crowded(one.where.chat.partition(":")[0]):  # before anything is looked up
            return Silence.CROWDED
        kept = await self._home.slots.of_person(one.scope, one.kind)
        if any(slots.is_over(row.state, row.reason) for row in kept if row.slot == one.slot):
            self._settle(one.slot)
            return None
        if _disturbs(one, habits, zone, now):
            if one.last == one.day and not habits.quiet_ends_today(now.astimezone(ZoneInfo(zone)).time()):
                await self._skip(one, QUIET)
            return Silence.QUIET
        heard = await self._places.hearing(one.scope, one.where, NOBODY)
        if not isinstance(heard, Heard):
            if heard is Silence.NOBODY:
                await self._home.slots.keep([(one.slot, one.mark)], SlotState.DUE)
            return heard
        if _day(heard.since, zone) == one.day:  # the device that spoke before may have said it
            await self._skip(one, TAKEOVER)
            return None
        sent = [date.fromisoformat(row.slot.day) for row in kept if row.state in slots.BEGUN]
        said = await self._compose(one, heard.place, sent)
        if isinstance(said, str):
            await self._skip(one, said)
        else:
            if await self._places.say(Ring(heard.place, said, ((one.slot, one.mark),))):
                self._settle(one.slot)  # it is what its delivery is from now on
        return None

    async def _compose(self, one: _Today, place: Inbound, sent: Sequence[date]) -> Reply | str:
        reason = NOTHING

        def say(turn: Turn) -> Reply | None:
            nonlocal reason
            found = self._says[one.kind](turn, sent)
            reason = found if isinstance(found, str) else reason
            return None if isinstance(found, str) else found

        def plainly(turn: Turn) -> Reply:
            return turn.say(turn.words(f"{DIGEST if one.kind == DIGEST else WORDS}-plain"))

        try:
            reply = await self._gateway.unasked(place, one.scope, say, about="")
        except (Unavailable, Damaged, NotAllowed):
            raise
        except Exception as error:  # one bad entry must not take the day away
            log.error(
                "something could not be put into words",
                extra={"scope": one.scope, "kind": one.kind, "reason": type(error).__name__},
            )
            reply = await self._gateway.unasked(place, one.scope, plainly, about="")
        return reply if reply is not None else reason

    async def _skip(self, one: _Today, reason: str) -> None:
        await self._home.slots.keep([(one.slot, one.mark)], SlotState.SKIPPED, reason)
        self._settle(one.slot)

    def _is_settled(self, slot: Slot) -> bool:
        return slot.day in self._settled.get((ScopeID(slot.person), slot.kind), ())

    def _settle(self, slot: Slot) -> None:
        days = self._settled[ScopeID(slot.person), slot.kind]
        days.add(slot.day)
        if len(days) > SETTLED_DAYS:
            days.discard(min(days))

    async def _note_missed(self, scope: ScopeID, kind: str, mark: str, today: date, since: date) -> None:
        """Rows for the days behind the last one that this device knows of, on which nothing was said."""
        yesterday = today - timedelta(days=1)
        over = Slot(scope, kind, yesterday.isoformat())
        if self._is_settled(over):
            return
        rows = await self._home.slots.of_person(scope, kind)
        before = [row for row in rows if row.slot.day < today.isoformat()]
        open_days = [row.slot for row in before if row.state is SlotState.DUE]
        if before:
            first = max(
                date.fromisoformat(before[-1].slot.day) + timedelta(days=1), since, today - timedelta(TOLD_DAYS)
            )
            days = ((first + timedelta(number)) for number in range((today - first).days))
            open_days += [Slot(scope, kind, day.isoformat()) for day in days]
        if open_days:
            await self._home.slots.keep([(slot, mark) for slot in open_days], SlotState.SKIPPED, LATE)
        self._settle(over)


def _disturbs(one: _Today, habits: Habits, zone: str, now: datetime) -> bool:
    """Late, in quiet hours. Whoever wants something at an hour that is quiet gets it then."""
    local, wanted = now.astimezone(ZoneInfo(zone)).time(), one.at.astimezone(ZoneInfo(zone)).time()
    return now - one.at > ON_TIME and habits.is_quiet(local) and not habits.is_quiet(wanted)


def _besides(scope: ScopeID, where: Where, habits: Habits, zone: str, now: datetime) -> Iterator[_Today]:
    """What comes of the words beside themselves: put off to later today, and the look back at a new time."""
    later = slots.moment_of(habits.later, zone)
    if later is not None:
        yield _Today(scope, WORDS_LATER, where, later, _day(later, zone), habits.later, _day(later, zone))
    if habits.check is not None:
        at = slots.instant(habits.check.day, habits.words.at, zone)
        if at is not None:
            day = habits.check.day
            yield _Today(scope, WORDS_CHECK, where, at, day, habits.check.ref, day + CHECK_FOR)


def _day(at: datetime, zone: str) -> date:
    return at.astimezone(ZoneInfo(zone)).date()
