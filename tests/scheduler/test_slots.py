"""When something is due: the instant of a wall time, and what a given moment makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.slots import LATE, Appointment, Known, daily, due, due_of, instant, moment_of, reminder
from store.model import Slot, SlotState

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
WINDOW = timedelta(hours=24)
TIMES = [time(0, 0), time(0, 30), time(1, 30), time(2, 30), time(3, 0), time(13, 0), time(23, 45)]
EDGES = {  # both changes of the clock in a year
    "America/New_York": (date(2026, 3, 8), date(2026, 11, 1)),
    "Europe/Berlin": (date(2026, 3, 29), date(2026, 10, 25)),
    "Europe/London": (date(2026, 3, 29), date(2026, 10, 25)),
    "Australia/Lord_Howe": (date(2026, 4, 5), date(2026, 10, 4)),
    "Australia/Sydney": (date(2026, 4, 5), date(2026, 10, 4)),
    "Africa/Cairo": (date(2026, 4, 24), date(2026, 10, 29)),
    "America/Santiago": (date(2026, 4, 4), date(2026, 9, 6)),
    "Asia/Beirut": (date(2026, 3, 29), date(2026, 10, 24)),
    "America/Havana": (date(2026, 3, 8), date(2026, 11, 1)),
    "Atlantic/Azores": (date(2026, 3, 29), date(2026, 10, 25)),
}


def local(at: datetime, zone: str) -> str:
    return at.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S")


def check_days(zone: str, days: Sequence[date]) -> None:
    """One slot a day that exists, on that day, later than the one before; found by a look at any later second."""
    for at in TIMES:
        before: datetime | None = None
        for day in days:
            found = instant(day, at, zone)
            assert found is not None, (zone, day, at)
            shown = found.astimezone(ZoneInfo(zone))
            assert shown.date() == day, (zone, day, at, shown)
            assert shown.time() == at or not _exists(day, at, zone)
            if _exists(day, at, zone):
                assert found == _first(day, at, zone)
            assert before is None or before < found, (zone, day, at)
            before = found


def _exists(day: date, at: time, zone: str) -> bool:
    wall = datetime.combine(day, at)
    return any(
        wall.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        == wall
        for fold in (0, 1)
    )


def _first(day: date, at: time, zone: str) -> datetime:
    """By looking at every quarter of an hour: none of these zones changes by less."""
    wall, moment = datetime.combine(day, at), datetime.combine(day, time(), UTC) - 2 * DAY
    while moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != wall:
        moment += timedelta(minutes=15)
    return moment


@pytest.mark.parametrize("zone", sorted(EDGES))
def test_around_both_changes_of_the_clock_each_day_has_one_slot(zone: str) -> None:
    for edge in EDGES[zone]:
        check_days(zone, [edge + number * DAY for number in range(-2, 3)])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_zone_seven_times_a_year_of_days() -> None:
    days = [date(2026, 1, 1) + number * DAY for number in range(367)]
    for zone in sorted(available_timezones()):
        for at in TIMES:
            found = [instant(day, at, zone) for day in days]
            assert None not in found, zone
            moments = [one for one in found if one is not None]
            assert [one.astimezone(ZoneInfo(zone)).date() for one in moments] == days, (zone, at)
            assert all(one < other for one, other in pairwise(moments)), (zone, at)


@pytest.mark.parametrize(
    ("zone", "day", "at", "shown"),
    [
        ("Europe/Berlin", date(2026, 3, 29), time(2, 30), "2026-03-29 03:00:00"),  # skipped: the end of the gap
        ("America/New_York", date(2026, 3, 8), time(2, 30), "2026-03-08 03:00:00"),
        ("Africa/Cairo", date(2026, 4, 24), time(0, 0), "2026-04-24 01:00:00"),  # midnight itself is the gap
        ("America/Havana", date(2026, 11, 1), time(0, 30), "2026-11-01 00:30:00"),
        ("America/Nuuk", date(2026, 3, 28), time(23, 30), "2026-03-28 22:59:59"),  # the gap ends on another day
        ("Asia/Shanghai", date(2026, 3, 29), time(13, 0), "2026-03-29 13:00:00"),
    ],
)
def test_a_time_that_no_clock_shows(zone: str, day: date, at: time, shown: str) -> None:
    found = instant(day, at, zone)
    assert found is not None
    assert local(found, zone) == shown


def test_a_time_that_exists_twice_is_the_first() -> None:
    found = instant(date(2026, 10, 25), time(2, 30), "Europe/Berlin")
    assert found == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_a_date_that_a_zone_left_out_has_no_slot() -> None:
    assert instant(date(2011, 12, 30), time(13, 0), "Pacific/Apia") is None
    assert instant(date(2011, 12, 31), time(13, 0), "Pacific/Apia") is not None


def test_an_unknown_zone_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        instant(date(2026, 1, 1), time(1), "Nowhere/Here")


# what is due

NOW = datetime(2026, 5, 4, 7, 0, tzinfo=UTC)


def at(hours: float, task: str = "t") -> Appointment:
    """So many hours from now."""
    return reminder("person", task, NOW + timedelta(hours=hours), "Asia/Shanghai")


def test_what_has_come_rings_and_what_is_to_come_gives_the_next_instant() -> None:
    found = due([at(2, "b"), at(0, "a"), at(1, "c")], {}, NOW)
    assert [one.slot.kind.split("/")[1] for one in found.ring] == ["a"]
    assert found.next_at == NOW + timedelta(hours=1)
    assert due([], {}, NOW).next_at is None


def test_the_window_of_a_reminder_is_a_day_to_the_second() -> None:
    on_the_edge, past = at(-24), at(-24 - 1 / 3600, "p")
    found = due([on_the_edge, past], {}, NOW)
    assert found.ring == (on_the_edge,)
    assert found.past == (past,)


@pytest.mark.parametrize("state", [SlotState.SENDING, SlotState.SENT, SlotState.UNCERTAIN])
def test_what_was_begun_is_never_due_again(state: SlotState) -> None:
    one = at(-1)
    found = due([one], {one.slot: Known(state)}, NOW)
    assert (found.ring, found.past) == ((), ())
    back = due([one], {one.slot: Known(state)}, NOW - timedelta(hours=2))
    assert back.next_at is None, "a clock set back before it asks for it no second time"


def test_what_waits_for_somebody_stays_due() -> None:
    one = at(-1)
    assert due([one], {one.slot: Known(SlotState.DUE)}, NOW).ring == (one,)


def test_what_a_wrong_clock_skipped_as_too_late_rings_in_its_time() -> None:
    one = at(1)
    years_ahead = due([one], {}, NOW + timedelta(days=3000))
    assert years_ahead.past == (one,)
    skipped = {one.slot: Known(SlotState.SKIPPED, LATE)}
    assert due([one], skipped, NOW).next_at == one.at
    assert due([one], skipped, one.at).ring == (one,)
    assert due([one], skipped, NOW + timedelta(days=3000)).past == (), "it is told once"
    other = {one.slot: Known(SlotState.SKIPPED, "takeover")}
    assert due([one], other, one.at) == due([], {}, NOW)


@given(
    hours=st.lists(st.integers(-100, 100), max_size=8), years=st.integers(-30, 30), states=st.lists(st.sampled_from([None, *SlotState]), max_size=8)
)  # fmt: skip
def test_nothing_rings_twice_and_nothing_is_lost_wherever_the_clock_goes(
    hours: list[int], years: int, states: list[SlotState | None]
) -> None:
    wanted = [at(hour, f"task{number}") for number, hour in enumerate(hours)]
    known = {one.slot: Known(state) for one, state in zip(wanted, states, strict=False) if state is not None}
    now = NOW + timedelta(days=365 * years)
    found = due(wanted, known, now)
    assert len(set(found.ring) | set(found.past)) == len(found.ring) + len(found.past) <= len(wanted)
    for one in wanted:
        state = known.get(one.slot)
        if state is None and one.at <= now:
            assert (one in found.ring) != (one in found.past)
        assert one not in found.ring or one.at <= now <= one.at + WINDOW


# every day

EIGHT = time(8, 0)


def day_of(now: datetime, zone: str = "Asia/Shanghai", at: time = EIGHT) -> date | None:
    return daily(at, zone, now, timedelta(hours=12))[0]


def test_after_three_days_asleep_only_the_newest_day_is_due() -> None:
    wake = datetime(2026, 5, 4, 9, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
    assert day_of(wake) == date(2026, 5, 4)
    assert day_of(wake.replace(hour=7, minute=59)) is None, "yesterday's window has passed"
    assert daily(EIGHT, "Asia/Shanghai", wake, WINDOW)[1] == datetime(2026, 5, 5, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize("at", [time(7, 30), time(2, 30), time(0, 30), time(23, 45)])
@pytest.mark.parametrize("zone", sorted(EDGES))
def test_each_day_is_due_once_however_often_it_is_looked(zone: str, at: time) -> None:
    for edge in EDGES[zone]:
        seen: list[date] = []
        moment = datetime.combine(edge - 2 * DAY, time(12), ZoneInfo(zone)).astimezone(UTC)
        end = datetime.combine(edge + 3 * DAY, time(12), ZoneInfo(zone)).astimezone(UTC)
        while moment < end:
            day, coming = daily(at, zone, moment, timedelta(hours=6))
            assert coming is not None and moment < coming <= moment + timedelta(hours=26)
            if day is not None and day not in seen:
                seen.append(day)
            moment += timedelta(minutes=61)
        assert seen == [seen[0] + number * DAY for number in range(len(seen))], "no day twice, none left out"
        assert edge in seen and edge + DAY in seen and len(seen) >= 5, (zone, at, seen)


def test_restarts_every_six_hours_for_a_fortnight_change_nothing() -> None:
    """B42: nothing is counted from the last start."""
    start = datetime(2026, 5, 4, 0, 0, tzinfo=UTC)
    seen = {day_of(start + timedelta(hours=6 * number)) for number in range(14 * 4)} - {None}
    assert len(seen) == 14


def test_a_zone_changed_in_the_middle_of_the_day_gives_no_second_slot_for_a_date() -> None:
    """B43: the date is the key; what is sent on it stays sent."""
    sent: set[date] = set()
    moments = [(datetime(2026, 5, 4, 0, 30, tzinfo=UTC), "Asia/Shanghai"), (datetime(2026, 5, 4, 7, 0, tzinfo=UTC), "Europe/Berlin")]  # fmt: skip
    rung = 0
    for moment, zone in moments:
        day = day_of(moment, zone)
        assert day == date(2026, 5, 4)
        rung += day not in sent
        sent.add(day)
    assert rung == 1


# a reminder's time as it is written down


@pytest.mark.parametrize("text", ["", "2024-05-28", "2024-05-28T9:00", "2024-05-28 09:00", "2024-02-30T09:00", "soon", "2024-05-28T09:00Z"])  # fmt: skip
def test_a_day_or_anything_else_is_no_time_to_ring(text: str) -> None:
    assert moment_of(text, "Asia/Shanghai") is None


def test_a_wall_time_is_read_where_the_person_is() -> None:
    assert moment_of("2024-05-28T09:00", "Asia/Shanghai") == datetime(2024, 5, 28, 1, 0, tzinfo=UTC)
    assert moment_of("2024-05-28T09:00", "Europe/Berlin") == datetime(2024, 5, 28, 7, 0, tzinfo=UTC)
    assert moment_of("2024-05-28T09:00+08:00", "Europe/Berlin") == datetime(2024, 5, 28, 1, 0, tzinfo=UTC)
    assert moment_of("2024-05-28T09:00", "Nowhere/Here") is None


@given(
    st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)).map(lambda one: one.replace(tzinfo=UTC)),
    st.sampled_from([*EDGES, "Asia/Shanghai", "America/Montevideo", "Asia/Kathmandu"]),
)
def test_a_moment_is_written_down_to_the_minute_and_read_back(moment: datetime, zone: str) -> None:
    back = moment_of(due_of(moment, zone), zone)
    assert back is not None
    assert timedelta(0) <= back - moment < timedelta(minutes=1)


def test_the_second_of_two_equal_times_keeps_its_offset() -> None:
    second = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)  # 02:30 in Berlin, the second time
    assert due_of(second, "Europe/Berlin") == "2026-10-25T02:30+01:00"
    assert due_of(second - timedelta(hours=1), "Europe/Berlin") == "2026-10-25T02:30"


def test_a_snooze_is_another_slot_and_a_zone_does_not_change_a_kind_for_the_same_moment() -> None:
    moment = datetime(2024, 5, 28, 1, 0, tzinfo=UTC)
    one = reminder("p", "TASK", moment, "Asia/Shanghai")
    assert one.slot == Slot("p", "reminder/TASK/1716858000000", "2024-05-28")
    assert reminder("p", "TASK", moment + timedelta(hours=1), "Asia/Shanghai").slot != one.slot
