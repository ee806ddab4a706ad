"""For any today and any day the words come back as what the calendar says: leap days, ends of years, all weekdays."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from store.dates import find_dates

DAYS = st.dates(date(1990, 1, 1), date(2090, 12, 31))
MONTHS = calendar.month_name
WEEKDAYS = calendar.day_name
HAN_WEEKDAYS = "一二三四五六日"


def only(text: str, today: date, *, past: bool = True) -> tuple[date, date]:
    (found,) = find_dates(text, today, prefer_past=past)
    assert found.words == text.strip("?？。 "), "all of its words are the date's"
    return found.first, found.last


def month(year: int, number: int) -> tuple[date, date]:
    return date(year, number, 1), date(year, number, calendar.monthrange(year, number)[1])


@given(DAYS, st.integers(1, 999), st.booleans())
@example(date(2024, 3, 1), 1, True)
@example(date(2024, 1, 1), 366, True)
def test_so_many_days_ago(today: date, count: int, past: bool) -> None:
    day = today - timedelta(days=count)
    for text in (f"{count}天前", f"{count} days ago", f"{count} 天前".replace(" ", "")):
        assert only(text, today, past=past) == (day, day)
    day = today + timedelta(days=count)
    for text in (f"{count}天后", f"{count} days from now"):
        assert only(text, today, past=past) == (day, day)


@given(DAYS, st.booleans())
def test_the_days_beside_today(today: date, past: bool) -> None:
    for offset, words in (
        (0, "今天"),
        (-1, "昨天"),
        (-2, "前天"),
        (-3, "大前天"),
        (1, "明天"),
        (2, "后天"),
        (3, "大后天"),
    ):
        assert only(words, today, past=past) == (today + timedelta(days=offset),) * 2
    for offset, words in ((0, "today"), (-1, "yesterday"), (-2, "the day before yesterday"), (1, "tomorrow")):
        assert only(words, today, past=past) == (today + timedelta(days=offset),) * 2


@given(DAYS, DAYS, st.booleans())
@example(date(2024, 5, 15), date(2024, 2, 29), True)
@example(date(2025, 1, 1), date(2024, 12, 31), True)
def test_a_whole_date_is_that_day_whenever_it_is_read(today: date, day: date, past: bool) -> None:
    name = MONTHS[day.month]
    for text in (
        day.isoformat(), f"{day:%Y/%m/%d}", f"{day.year}年{day.month}月{day.day}日", f"{day.year}年{day.month}月{day.day}号",
        f"{day.day} {name} {day.year}", f"{name} {day.day}, {day.year}", f"{day.day} {name[:3]} {day.year}",
    ):  # fmt: skip
        assert only(text, today, past=past) == (day, day), text
    assert only(f"{day.year}年{day.month}月", today, past=past) == month(day.year, day.month)
    assert only(f"{name} {day.year}", today, past=past) == month(day.year, day.month)
    assert only(f"{day.year}年", today, past=past) == (date(day.year, 1, 1), date(day.year, 12, 31))


@given(DAYS, st.integers(0, 365))
@example(date(2024, 2, 29), 0)
@example(date(2024, 2, 28), 365)
@example(date(2025, 1, 1), 1)
def test_a_date_without_its_year_is_the_last_one_in_a_question(today: date, back: int) -> None:
    day = today - timedelta(days=back)
    if (day.month, day.day) == (today.month, today.day):
        day = today  # A year ago to the day: it is said of today.
    name = MONTHS[day.month]
    for text in (f"{day.month}月{day.day}日", f"{day.month}月{day.day}号", f"{day.day} {name}", f"{name} {day.day}"):
        assert only(text, today) == (day, day), text


@given(DAYS, st.integers(-170, 170))
def test_a_date_without_its_year_is_the_nearest_one_when_written(today: date, offset: int) -> None:
    day = today + timedelta(days=offset)
    if (day.month, day.day) != (2, 29):
        for text in (f"{day.month}月{day.day}日", f"{day.day} {MONTHS[day.month]}"):
            assert only(text, today, past=False) == (day, day), text


@given(DAYS, st.integers(0, 6))
def test_a_weekday_is_the_last_one_in_a_question_and_the_next_when_written(today: date, weekday: int) -> None:
    past = next(day for n in range(7) if (day := today - timedelta(days=n)).weekday() == weekday)
    ahead = next(day for n in range(7) if (day := today + timedelta(days=n)).weekday() == weekday)
    for text in (f"周{HAN_WEEKDAYS[weekday]}", f"星期{HAN_WEEKDAYS[weekday]}", WEEKDAYS[weekday]):
        assert only(text, today) == (past, past)
        assert only(text, today, past=False) == (ahead, ahead)
    strictly = next(day for n in range(1, 8) if (day := today - timedelta(days=n)).weekday() == weekday)
    assert only(f"last {WEEKDAYS[weekday]}", today) == (strictly, strictly)


@given(DAYS, st.integers(0, 6), st.booleans())
def test_weeks_begin_on_monday(today: date, weekday: int, past: bool) -> None:
    year, week, _ = today.isocalendar()
    monday = date.fromisocalendar(year, week, 1)
    for step, words in ((-2, "上上"), (-1, "上"), (0, "这"), (1, "下")):
        first = monday + timedelta(weeks=step)
        day = first + timedelta(days=weekday)
        assert only(f"{words}周{HAN_WEEKDAYS[weekday]}", today, past=past) == (day, day)
        assert only(f"{words}周", today, past=past) == (first, first + timedelta(days=6))
        assert only(f"{words}周末", today, past=past) == (first + timedelta(days=5), first + timedelta(days=6))
    assert only("last week", today, past=past) == (monday - timedelta(days=7), monday - timedelta(days=1))


@given(DAYS, st.booleans())
@example(date(2024, 3, 31), True)
@example(date(2024, 1, 31), True)
@example(date(2024, 12, 31), False)
def test_months_quarters_and_years_beside_this_one(today: date, past: bool) -> None:
    before = (today.replace(day=1) - timedelta(days=1)).replace(day=1)
    for words in ("上个月", "last month"):
        assert only(words, today, past=past) == month(before.year, before.month)
    for words in ("这个月", "this month"):
        assert only(words, today, past=past) == month(today.year, today.month)
    for words in ("去年", "last year"):
        assert only(words, today, past=past) == (date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
    begun = date(today.year, today.month - (today.month - 1) % 3, 1)
    last = begun - timedelta(days=1)
    for words in ("上个季度", "last quarter"):
        assert only(words, today, past=past) == (date(last.year, last.month - 2, 1), last)


@given(DAYS, st.integers(1, 400))
def test_lately_reaches_from_so_many_days_ago_to_today(today: date, count: int) -> None:
    for text in (f"最近{count}天", f"过去{count}天", f"the last {count} days", f"past {count} days"):
        assert only(text, today) == (today - timedelta(days=count), today)


@given(DAYS, st.integers(1, 24))
@example(date(2024, 3, 31), 1)
@example(date(2024, 2, 29), 12)
def test_lately_in_months_goes_by_the_calendar(today: date, count: int) -> None:
    year, before = divmod(today.year * 12 + today.month - 1 - count, 12)
    day = date(year, before + 1, min(today.day, calendar.monthrange(year, before + 1)[1]))
    for text in (f"最近{count}个月", f"the last {count} months"):
        assert only(text, today) == (day, today)


LINKS = ["{}到{}", "从{}到{}", "{}至{}之间", "{} - {}", "{} – {}", "between {} and {}", "from {} to {}", "{}和{}之间"]


@pytest.mark.parametrize("link", LINKS)
@settings(max_examples=20)
@given(today=DAYS, one=DAYS, other=DAYS, past=st.booleans())
def test_two_whole_dates_are_one_range(link: str, today: date, one: date, other: date, past: bool) -> None:
    first, last = sorted((one, other))
    for shown in (
        "{0:%Y-%m-%d}",
        "{0.year}年{0.month}月{0.day}日",
        "{0.day} {1} {0.year}",
    ):
        text = link.format(*(shown.format(day, MONTHS[day.month]) for day in (first, last)))
        assert only(text, today, past=past) == (first, last), text


@given(DAYS, st.integers(0, 330), st.integers(1, 30))
@example(date(2025, 1, 10), 25, 20)
def test_two_days_without_their_year_are_the_last_such_range_begun(today: date, back: int, length: int) -> None:
    first = today - timedelta(days=back)
    last = first + timedelta(days=length)
    if (2, 29) in ((first.month, first.day), (last.month, last.day)):
        return
    shown = [f"{day.day} {MONTHS[day.month]}" for day in (first, last)]
    assert only("from {} to {}".format(*shown), today) == (first, last)
    shown = [f"{day.month}月{day.day}日" for day in (first, last)]
    assert only("{}到{}".format(*shown), today) == (first, last)
    if first.month == last.month and first.day < last.day:
        assert only(f"{first.month}月{first.day}日到{last.day}日", today) == (first, last)
        assert only(f"{first.day}-{last.day} {MONTHS[first.month]}", today) == (first, last)
        assert only(f"{MONTHS[first.month]} {first.day}–{last.day}", today) == (first, last)


@given(DAYS, st.integers(0, 6), st.integers(0, 6))
def test_two_weekdays_are_the_last_such_range_begun_before_today(today: date, one: int, other: int) -> None:
    begins = range(1, 8) if one != other else range(7)
    first = next(day for n in begins if (day := today - timedelta(days=n)).weekday() == one)
    last = first + timedelta(days=(other - one) % 7)
    assert only(f"周{HAN_WEEKDAYS[one]}到周{HAN_WEEKDAYS[other]}", today) == (first, last)
    assert only(f"from {WEEKDAYS[one]} to {WEEKDAYS[other]}", today) == (first, last)
    if one < other:
        assert only(f"周{HAN_WEEKDAYS[one]}到{HAN_WEEKDAYS[other]}", today) == (first, last)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("between May 10 and May 1", "2026-05-01", "2026-05-10"),
        ("5月10日到5月1日", "2026-05-01", "2026-05-10"),
        ("上周五到上周一", "2026-11-23", "2026-11-27"),
        ("from 10 May 2026 to 1 May 2026", "2026-05-01", "2026-05-10"),
        ("从2026年5月10日到2026年5月1日", "2026-05-01", "2026-05-10"),
        ("from 20 December to 5 January", "2025-12-20", "2026-01-05"),
        ("from 20 November to 5 January", "2026-11-20", "2027-01-05"),
    ],
)
def test_of_a_range_the_later_end_may_be_said_first(text: str, first: str, last: str) -> None:
    found = only(text, date(2026, 11, 30))
    assert [day.isoformat() for day in found] == [first, last]


@given(DAYS, st.integers(2, 3000))
def test_open_ends_of_a_whole_date(today: date, back: int) -> None:
    day = today - timedelta(days=back)
    for text in (f"since {day}", f"{day}以来", f"自从{day}", f"从{day}到现在", f"from {day} until now"):
        assert only(text, today) == (day, today)
    for text in (f"before {day}", f"{day}之前", f"{day}以前"):
        assert only(text, today) == (date.min, day - timedelta(days=1))
    for text in (f"after {day}", f"{day}之后"):
        assert only(text, today) == (day + timedelta(days=1), today)


@given(st.dates(), st.dates())
def test_any_day_of_the_calendar_is_written_and_read_without_an_error(today: date, day: date) -> None:
    """The first and the last days there are have no day before or after them."""
    for text in (
        f"{day.year}年{day.month}月{day.day}日",
        "三天前",
        "最近900周",
        "last quarter",
        "before yesterday",
        "上半年以来",
    ):
        for past in (True, False):
            assert all(one.first <= one.last for one in find_dates(text, today, prefer_past=past))
