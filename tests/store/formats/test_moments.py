"""Days and moments: one spelling, and only years in which somebody lives."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.formats import moments
from store.formats.moments import FarAway, any_day, is_day, iso_day, moment, near_day


@given(st.dates() | st.dates(date(1899, 12, 1), date(1900, 1, 31)) | st.dates(date(2199, 12, 1), date(2200, 1, 31)))
def test_a_day_is_taken_just_when_its_year_is_ours(day: date) -> None:
    words = day.isoformat()
    near = 1900 <= day.year < 2200
    assert any_day(words) == any_day(f"{words}T10:00") == words
    assert (is_day(words), iso_day(words)) == (near, words if near else "")
    if near:
        assert near_day(words) == words
    else:
        with pytest.raises(FarAway, match=words):
            near_day(words)


@given(st.datetimes(timezones=st.timezones()))
def test_a_moment_is_that_of_its_zone_or_far_away(at: datetime) -> None:
    """9999-12-31 with hours to go west, and the first day of all with hours to go east, are no moments in UTC at all."""
    words = at.isoformat()
    try:
        found = moment(words)
    except FarAway:
        assert not 1900 < at.year < 2199
        return
    assert found is not None and 1900 <= at.year < 2200
    at_ms, day = found
    if at_ms is None:
        assert day == at.date().isoformat() and at.year < 1971
    else:
        assert at_ms == int(at.astimezone(UTC).timestamp() * 1000) < moments.END_MS and not day


@given(st.text(max_size=30))
def test_any_words_are_a_moment_or_none(words: str) -> None:
    for read in (moment, near_day):
        try:
            read(words)
        except FarAway:
            pass
    assert iso_day(words) in ("", words[:10])


def test_what_is_no_moment_is_none() -> None:
    assert [moment(words) for words in ("", "soon", "2024-13-01", "27.05.2024")] == [None] * 4
    assert moment("2024-05-27") == (None, "2024-05-27")
