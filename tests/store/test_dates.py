"""Dates in both languages: the thirty phrases of the study, thirty-odd fresh ones, and what is no date."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.dates import SPANS_MAX, find_dates, local_day, no_such_day, undated
from store.model import ENTRY_CHARACTERS_MAX, DateSpan

WEDNESDAY = date(2024, 5, 15)
MONDAY = date(2024, 5, 27)


def days(first: str, last: str = "") -> tuple[str, str]:
    """05-08 is in 2024."""
    return tuple(day if len(day) == 10 else f"2024-{day}" for day in (first, last or first))  # type: ignore[return-value]


def read(text: str, today: date = MONDAY, *, past: bool = False) -> list[tuple[str, str, str]]:
    return [(d.words, d.first.isoformat(), d.last.isoformat()) for d in find_dates(text, today, prefer_past=past)]


STUDY = {
    "上周三": days("05-08"),
    "前天": days("05-13"),
    "昨天晚上": days("05-14"),
    "大前天": days("05-12"),
    "上个月": days("04-01", "04-30"),
    "去年夏天": days("2023-06-01", "2023-08-31"),
    "五月": days("05-01", "05-31"),
    "3月15号": days("03-15"),
    "上上周": days("04-29", "05-05"),
    "三天前": days("05-12"),
    "这周一": days("05-13"),
    "上周末": days("05-11", "05-12"),
    "2023年国庆": days("2023-10-01", "2023-10-07"),
    "去年": days("2023-01-01", "2023-12-31"),
    "今早": days("05-15"),
    "last Wednesday": days("05-08"),
    "the day before yesterday": days("05-13"),
    "yesterday evening": days("05-14"),
    "three days ago": days("05-12"),
    "last month": days("04-01", "04-30"),
    "last summer": days("2023-06-01", "2023-08-31"),
    "in May": days("05-01", "05-31"),
    "on March 15th": days("03-15"),
    "two weeks ago": days("04-29", "05-05"),
    "this Monday": days("05-13"),
    "last weekend": days("05-11", "05-12"),
    "on 8 May": days("05-08"),
    "a couple of days ago": days("05-13"),
    "last year": days("2023-01-01", "2023-12-31"),
    "this morning": days("05-15"),
}


@pytest.mark.parametrize("phrase", STUDY)
@pytest.mark.parametrize("sentence", ["{}", "我们{}关于预算定了什么？", "what did we say {} about it?", "记住（{}）"])
def test_the_thirty_phrases_of_the_study(phrase: str, sentence: str) -> None:
    padded = f" {phrase} " if phrase.isascii() and not sentence.isascii() else phrase
    found = read(sentence.format(padded), WEDNESDAY, past=True)
    assert [(first, last) for _, first, last in found] == [STUDY[phrase]]


FRESH_PAST = [
    ("前年夏天我们去哪了", "前年夏天", *days("2022-06-01", "2022-08-31")),
    ("上上个月的账单", "上上个月", *days("03-01", "03-31")),
    ("周五说了什么", "周五", *days("05-24")),
    ("今天周一说了什么？", "今天周一", *days("05-27")),
    ("周一聊的", "周一", *days("05-27")),
    ("星期天聊的", "星期天", *days("05-26")),
    ("禮拜三定的", "禮拜三", *days("05-22")),
    ("兩週前", "兩週前", *days("05-13", "05-19")),
    ("半年前定的价", "半年前", *days("2023-11-01", "2023-11-30")),
    ("三个月前", "三个月前", *days("02-01", "02-29")),
    ("十二年前", "十二年前", *days("2012-01-01", "2012-12-31")),
    ("去年5月20日", "去年5月20日", *days("2023-05-20")),
    ("二〇二三年十一月", "二〇二三年十一月", *days("2023-11-01", "2023-11-30")),
    ("23年5月的", "23年5月", *days("2023-05-01", "2023-05-31")),
    ("去年冬天", "去年冬天", *days("2023-12-01", "2024-02-29")),
    ("圣诞节那天", "圣诞节", *days("2023-12-25")),
    ("五月中旬", "五月中旬", *days("05-11", "05-20")),
    ("上个月底", "上个月底", *days("04-21", "04-30")),
    ("上个月15号", "上个月15号", *days("04-15")),
    ("几天前", "几天前", *days("05-20", "05-25")),
    ("周末去哪了", "周末", *days("05-25", "05-26")),
    ("上周以来", "上周以来", *days("05-20", "05-27")),
    ("10月1日怎么过的", "10月1日", *days("2023-10-01")),
    ("what did I say on Friday?", "Friday", *days("05-24")),
    ("since last week", "since last week", *days("05-20", "05-27")),
    ("last night's talk", "last night", *days("05-26")),
    ("the week before last", "the week before last", *days("05-13", "05-19")),
    ("a week ago", "a week ago", *days("05-20", "05-26")),
    ("half a year ago", "half a year ago", *days("2023-11-01", "2023-11-30")),
    ("in the summer of 2022", "summer of 2022", *days("2022-06-01", "2022-08-31")),
    ("last Christmas I gave", "last Christmas", *days("2023-12-25")),
    ("what happened in 2021?", "2021", *days("2021-01-01", "2021-12-31")),
    ("during march", "march", *days("03-01", "03-31")),
    ("last December", "last December", *days("2023-12-01", "2023-12-31")),
    ("a few days ago", "a few days ago", *days("05-20", "05-25")),
]
FRESH_WRITTEN = [
    ("测试环境周五搬到新机房", "周五", *days("05-31")),
    ("staging moves to the new rack on Friday", "Friday", *days("05-31")),
    ("牙医周二 9:00", "周二", *days("05-28")),
    ("dentist Tuesday 9:00", "Tuesday", *days("05-28")),
    ("周一例会", "周一", *days("05-27")),
    ("下周三体检", "下周三", *days("06-05")),
    ("下下周五交稿", "下下周五", *days("06-14")),
    ("这周末爬山", "这周末", *days("06-01", "06-02")),
    ("下个月5号还款", "下个月5号", *days("06-05")),
    ("1792年5月17日成立", "1792年5月17日", *days("1792-05-17")),
    ("明年三月初搬家", "明年三月初", *days("2025-03-01", "2025-03-10")),
    ("Noor 的生日是 6月3日", "6月3日", *days("06-03")),
    ("５月３日体检正常", "５月３日", *days("05-03")),
    ("大后天飞上海", "大后天", *days("05-30")),
    ("三周后复查", "三周后", *days("06-17", "06-23")),
    ("截止 2024/6/1", "2024/6/1", *days("06-01")),
    ("due 2024-06-01T10:00", "2024-06-01", *days("06-01")),
    ("报告 2024-05 的", "2024-05", *days("05-01", "05-31")),
    ("5/22 定的", "5/22", *days("05-22")),
    ("due by 6/1", "6/1", *days("06-01")),
    ("next Wednesday at noon", "next Wednesday", *days("06-05")),
    ("flight 15 March 2023", "15 March 2023", *days("2023-03-15")),
    ("born March 15, 1990.", "March 15, 1990", *days("1990-03-15")),
    ("the 3rd of June works", "3rd of June", *days("06-03")),
    ("Tuesday next week", "Tuesday next week", *days("06-04")),
    ("three days from now", "three days from now", *days("05-30")),
    ("last Sun 12 May.", "Sun 12 May", *days("05-12")),
    ("on Sun, 12 May we", "Sun, 12 May", *days("05-12")),
    ("Mar. 3rd", "Mar. 3rd", *days("03-03")),
    ("May 2023 was wet", "May 2023", *days("2023-05-01", "2023-05-31")),
    ("Christmas 2021", "Christmas 2021", *days("2021-12-25")),
    ("next summer", "next summer", *days("2025-06-01", "2025-08-31")),
    ("next Christmas we", "next Christmas", *days("2025-12-25")),
    ("圣诞礼物买好", "圣诞", *days("12-25")),
    ("New Year’s Eve party", "New Year’s Eve", *days("2024-12-31")),
    ("5月22日（周三）14:10", "5月22日（周三）", *days("05-22")),
    ("5月28日 周二", "5月28日 周二", *days("05-28")),
    ("周三 5月22日", "周三 5月22日", *days("05-22")),
    ("Wed 22 May 14:10", "Wed 22 May", *days("05-22")),
    ("Sat 1 June", "Sat 1 June", *days("06-01")),
    ("明天（周二）早上 9 点提醒我", "明天（周二）", *days("05-28")),
    ("2月29日", "2月29日", *days("02-29")),
    ("早上周三的会", "周三", *days("05-29")),
    ("周三天气", "周三", *days("05-29")),
    ("上周三次会", "上周", *days("05-20", "05-26")),
    ("上周一直下雨", "上周", *days("05-20", "05-26")),
    ("国庆放假", "国庆", *days("10-01", "10-07")),
    ("十一放假", "十一", *days("10-01", "10-07")),
]


@pytest.mark.parametrize(("text", "words", "first", "last"), FRESH_PAST)
def test_questions_look_back(text: str, words: str, first: str, last: str) -> None:
    assert read(text, past=True)[0] == (words, first, last)


@pytest.mark.parametrize(("text", "words", "first", "last"), FRESH_WRITTEN)
def test_what_is_written_looks_ahead(text: str, words: str, first: str, last: str) -> None:
    assert read(text) == [(words, first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "周杰伦", "三月天气？", "五月天的演唱会", "5月前", "2023年前", "2023年5月前", "一天", "用了三天", "一个月",
        "一周三次", "每周五", "每个周五", "每年6月3日", "第三天后", "学了3天前端", "1.2.3", "v1.5月", "13:00", "24/7", "16:9",
        "1/2 杯", "7 天打开率", "周会", "下周期", "以上周期", "这周围", "然后天气好了", "以前天天", "睡前晚上", "五一路",
        "房租每月 5 号交", "新门禁是 5 号门", "二三月", "13月", "31 June", "2月30日", "圣诞快乐", "今日头条",
        "D-2024-05-27-01", "T-240527-01", "AUTO-20240527-01", "memory/2024-05-03.md", "2024-05-03.md", "10.2024-05-03",
        "may I march on", "it may 5 times", "the sun sat there", "we wed in secret", "every Friday", "Fridays", "Good Friday",
        "today.py", "in 2048 bits", "version 2024.5.22", "May the force", "3 may differ", "a long day", "next time", "",
        "watch the open rate for 7 days", "evenings are for family", "month", "this", "last morning", "next night",
        "sun 2 apples", "100% 5/6", "2024-13-01", "tomorrowland", "1.5 days ago",
        "last may was it", "2023 words", "登上月球", "发下月饼", "1960年代", "2年6月", "农历七月", "the last week of school", "2023-02-30",
    ],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    assert read(text) == []
    assert read(text, past=True) == []


def test_an_end_that_may_be_to_come_is_no_filter_in_a_question_but_a_deadline_when_written() -> None:
    for text in (
        "周五前交报销",
        "before Friday",
        "12月15日之前",
        "before and after Monday",
        "before Christmas",
        "下周之前",
        "before tomorrow",
        "after today",
    ):
        assert read(text, past=True) == []
        assert len(read(text)) == 1


def test_an_open_end_in_a_question_reaches_as_far_as_time_does() -> None:
    for text, first, last in (
        ("5月15日之前", "0001-01-01", "2024-05-14"),
        ("before 22 August, 2023", "0001-01-01", "2023-08-21"),
        ("去年5月3日以前", "0001-01-01", "2023-05-02"),
        ("昨天下午之前", "0001-01-01", "2024-05-26"),
        ("until last week", "0001-01-01", "2024-05-26"),
        ("截至上周", "0001-01-01", "2024-05-26"),
        ("after last week", "2024-05-27", "2024-05-27"),
        ("去年之后", "2024-01-01", "2024-05-27"),
        ("从上周五起", "2024-05-24", "2024-05-27"),
        ("自4月以来", "2024-04-01", "2024-05-27"),
        ("from March onwards", "2024-03-01", "2024-05-27"),
        ("last week until now", "2024-05-20", "2024-05-27"),
    ):
        assert read(text, past=True) == [(text, first, last)]
        assert len(read(text)) == 1
        assert read(text)[0][1] != "0001-01-01", "what is written keeps the day it names"


@pytest.mark.parametrize(
    ("part", "text", "left"),
    [
        ("between", "what did we decide between Monday and Wednesday?", ""),
        ("budget between 1 and 3", "what about the budget between 1 and 3 May?", "budget"),
        ("open from the last 7 days", "what is open from the last 7 days?", "open"),
        ("从上周一到", "从上周一到上周三我们决定了什么？", ""),
        ("到3日之间的预算", "5月1日到3日之间的预算怎么定的？", "预算"),
        ("目的", "上周我们说的目的是什么？", "目的"),
        ("three days ago", "what did we decide three days ago?", ""),
        ("boiler", "what did we decide about the boiler in Q2 2024?", "boiler"),
        ("boiler", "what did we decide?", "boiler"),
        ("", "what did we decide today?", ""),
    ],
)
def test_a_subject_is_shown_without_the_dates_at_its_ends(part: str, text: str, left: str) -> None:
    assert undated(part, text, MONDAY) == left


def test_a_weekday_that_is_not_that_day_stays_apart() -> None:
    assert [words for words, _, _ in read("5月22日（周四）")] == ["5月22日", "周四"]


def test_several_dates_come_in_order_with_their_places() -> None:
    text = "昨天 said Friday, 下周"
    found = find_dates(text, MONDAY, prefer_past=False)
    assert [text[d.start : d.end] for d in found] == [d.words for d in found] == ["昨天", "Friday", "下周"]
    assert found[0].to_span() == DateSpan("昨天", "2024-05-26", "2024-05-26")


def test_only_what_depends_on_today_is_relative() -> None:
    text = "周五 昨天 去年 去年5月 国庆 last week 5月3日 2024-05-22 3 June 五月 in 2021"
    assert [d.relative for d in find_dates(text, MONDAY, prefer_past=True)] == [True] * 6 + [False] * 5


def test_last_weekday_is_the_one_before_today_and_shang_is_last_week() -> None:
    friday = date(2024, 5, 31)
    assert read("last Wednesday", friday)[0][1:] == days("05-29")
    assert read("上周三", friday)[0][1:] == days("05-22")
    assert read("last Friday", friday)[0][1:] == days("05-24")


def test_the_longest_text_and_one_past_it() -> None:
    assert read("x" * (ENTRY_CHARACTERS_MAX - 2) + "今天")
    assert not read("x" * (ENTRY_CHARACTERS_MAX - 1) + "今天")
    assert len(read("今天 " * SPANS_MAX)) == len(read("今天 " * (SPANS_MAX + 1))) == SPANS_MAX


def test_digits_of_another_script_among_ours_are_digits() -> None:
    assert read("1\u0663天前") == [("1\u0663天前", *days("05-14"))]
    assert read("1\u0663 days ago") == [("1\u0663 days ago", *days("05-14"))]
    assert read("5月1\u0663日") == [("5月1\u0663日", *days("05-13"))]


def test_the_local_day_is_the_persons_day() -> None:
    """B44: at 22:06 in Montevideo it is already tomorrow in UTC, at 00:27 in Shanghai still yesterday."""
    evening = int(datetime(2024, 5, 28, 1, 6, tzinfo=UTC).timestamp() * 1000)
    day = local_day(evening, "America/Montevideo")
    assert day == date(2024, 5, 27)
    assert read("remind me today at 23:00", day) == [("today", *days("05-27"))]
    night = int(datetime(2024, 5, 27, 16, 27, tzinfo=UTC).timestamp() * 1000)
    day = local_day(night, "Asia/Shanghai")
    assert day == date(2024, 5, 28)
    assert read("明天早上8点提醒我", day) == [("明天", *days("05-29"))]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "/etc/localtime", "America"])
def test_an_unknown_zone_is_a_key_error(zone: str) -> None:
    with pytest.raises(KeyError):
        local_day(0, zone)


_PIECES = (
    "今明昨前后大上下这本周月年天日号末个的一二十三五01239/-: .,()（）abmMay Fri last next week ago since two\n国庆双聖"
)


@given(
    st.one_of(st.text(), st.text(_PIECES)),
    st.dates(),
    st.booleans(),
)
def test_any_text_on_any_day(text: str, today: date, prefer_past: bool) -> None:
    at = 0
    for d in find_dates(text, today, prefer_past=prefer_past):
        assert at <= d.start < d.end <= len(text)
        assert d.words == text[d.start : d.end]
        assert d.first <= d.last
        at = d.end


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("5 月 3 日", "05-03", "05-03"),
        ("去年 5 月", "2023-05-01", "2023-05-31"),
        ("2023 年 5 月 3 日", "2023-05-03", "2023-05-03"),
        ("5 月 1 日到 3 日", "05-01", "05-03"),
        ("5 月 1 日到 5 月 3 日", "05-01", "05-03"),
        ("3 到 5 月", "03-01", "05-31"),
        ("3 天前", "05-24", "05-24"),
        ("最近 7 天", "05-20", "05-27"),
    ],
)
def test_digits_may_stand_apart_from_the_characters_around_them(text: str, first: str, last: str) -> None:
    assert read(text, past=True) == [(text, *days(first, last))]


@pytest.mark.parametrize("text", ["第 5 月", "过了 3 个月", "等 3 年 5 月", "每 5 月"])
def test_with_a_space_it_is_no_date_either(text: str) -> None:
    assert read(text, past=True) == []


def test_a_number_behind_a_month_is_a_day_only_with_its_word() -> None:
    assert read("5月 3 个苹果", past=True) == [("5月", *days("05-01", "05-31"))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2023年2月29日呢", "2023年2月29日"),
        ("13月2日", "13月2日"),
        ("on 2024-02-30?", "2024-02-30"),
        ("Feb 30th, 2024 and on", "Feb 30th, 2024"),
        ("the 32 May 2024", "32 May 2024"),
        ("on 29 February, 2月29日", ""),
        ("32 march on, June 99, v2024-02-30-x", ""),
    ],
)
def test_a_day_that_no_calendar_has_is_named(text: str, words: str) -> None:
    assert no_such_day(text) == words
