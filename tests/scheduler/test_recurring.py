"""Rules that come again, around any moment and any change of the clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.recurring import Rule, around, first_wall, rule_of

ZONES = [
    "Asia/Shanghai",
    "Europe/Berlin",
    "America/New_York",
    "Africa/Cairo",
    "Australia/Lord_Howe",
    "America/Santiago",
]
RULES = st.one_of(
    st.builds(Rule, st.frozensets(st.integers(0, 6), min_size=1)), st.builds(Rule, month_day=st.integers(1, 31))
)
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))


@given(RULES)
def test_a_rule_is_read_back_as_it_was_spelled(rule: Rule) -> None:
    assert rule_of(rule.spelled()) == rule


@pytest.mark.parametrize(
    "text", ["", "weekly", "weekly 7", "weekly 1,", "monthly 0", "monthly 32", "daily", "weekly 1 ", "monthly 05"]
)
def test_what_is_no_rule(text: str) -> None:
    assert rule_of(text) is None


@given(
    RULES,
    st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    st.sampled_from(ZONES),
    MOMENTS,
    st.integers(-400, 40),
)
def test_both_neighbours_are_on_days_of_the_rule_and_nothing_lies_between(
    rule: Rule, at: time, zone: str, now: datetime, begun: int
) -> None:
    today = now.astimezone(ZoneInfo(zone)).date()
    first = first_wall(rule, at, datetime.combine(today + timedelta(days=begun), time()))
    newest, coming = around(rule, first, zone, now)
    assert coming is not None or first.date() > today + timedelta(days=62)
    for one in filter(None, (newest, coming)):
        day = one.astimezone(ZoneInfo(zone)).date()
        assert rule.holds(day) and day >= first.date()
    if newest is not None:
        assert newest <= now < (coming or now + timedelta(1))
        again, _ = around(rule, first, zone, newest)
        assert again == newest
        _, then = around(rule, first, zone, newest)
        assert then == coming


def test_a_month_without_that_day_has_it_on_its_last() -> None:
    rule = Rule(month_day=31)
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(365)]
    assert [f"{day:%m-%d}" for day in days if rule.holds(day)] == [
        "01-31", "02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31", "11-30", "12-31",
    ]  # fmt: skip


@pytest.mark.parametrize("day", ["2026-10-25", "2027-03-28"])
def test_half_past_seven_stays_half_past_seven_when_the_clocks_change(day: str) -> None:
    """B43."""
    rule, zone, first = Rule(frozenset(range(7))), "Europe/Berlin", datetime(2026, 1, 1, 7, 30)
    noon = datetime.fromisoformat(f"{day}T12:00+00:00")
    for number in (-1, 0, 1):
        newest, coming = around(rule, first, zone, noon + timedelta(days=number))
        assert newest is not None and coming is not None
        assert {f"{one.astimezone(ZoneInfo(zone)):%H:%M}" for one in (newest, coming)} == {"07:30"}
