"""When a sentence wants to be heard of again, in both languages."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.phrases.times import Again, At, Impossible, In, NoTime, Past, Recurring, names_when, read_when
from scheduler.recurring import rule_of

NOW = datetime(2024, 5, 27, 10, 0)
"""A Monday."""


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2024-{text}")


SAID = [
    ("明天早上 9 点交房租", At(at("05-28T09:00"), "交房租")),
    ("tomorrow at 9 to pay the rent", At(at("05-28T09:00"), "pay the rent")),
    ("下午3点半开会", At(at("05-27T15:30"), "开会")),
    ("晚上八点一刻 吃药", At(at("05-27T20:15"), "吃药")),
    ("20分钟后关火", In(20, "关火")),
    ("两小时后给妈妈打电话", In(120, "给妈妈打电话")),
    ("一个半小时后取快递", In(90, "取快递")),
    ("半小时后出门", In(30, "出门")),
    ("周五17:00交周报", At(at("05-31T17:00"), "交周报")),
    ("at 5 on Friday to send the report", At(at("05-31T17:00"), "send the report")),
    ("on 3 June at 14:30 to see the dentist", At(at("06-03T14:30"), "see the dentist")),
    ("in 20 minutes to check the oven", In(20, "check the oven")),
    ("in an hour and a half to leave", In(90, "leave")),
    ("in half an hour to leave", In(30, "leave")),
    ("tonight at 8 to call mum", At(at("05-27T20:00"), "call mum")),
    ("to call mum tomorrow at 9", At(at("05-28T09:00"), "call mum")),
    ("to call mum", NoTime()),
    ("25:00 睡觉", Impossible("25:00")),
    ("at 25:00 to sleep", Impossible("at 25:00")),
    ("30 Feb at 9 to party", Impossible("30 Feb")),
    ("2月30日9点", Impossible("2月30日")),
    ("今天早上8点", Past(at("05-27T08:00"))),
    ("today at 9", At(at("05-27T21:00"), "")),
    ("at 5 to go", At(at("05-27T17:00"), "go")),
    ("明天5点起床", At(at("05-28T17:00"), "起床")),
    ("5点起床", At(at("05-27T17:00"), "起床")),
    ("at 9", At(at("05-27T21:00"), "")),
    ("at 9am to x", At(at("05-28T09:00"), "x")),
    ("at 9 to send the Friday report", At(at("05-27T21:00"), "send the Friday report")),
    ("tomorrow", NoTime(date(2024, 5, 28))),
    ("明天交房租", NoTime(date(2024, 5, 28))),
    ("today at 23:00 x", At(at("05-27T23:00"), "x")),
    ("今晚12点抢票", At(at("05-28T00:00"), "抢票")),
    ("明晚10点半看球", At(at("05-28T22:30"), "看球")),
    ("中午吃饭", At(at("05-27T12:00"), "吃饭")),
    ("tomorrow at noon eat", At(at("05-28T12:00"), "eat")),
    ("at midnight", At(at("05-28T00:00"), "")),
    ("half past 5 tea", At(at("05-27T17:30"), "tea")),
    ("at quarter to 6 tea", At(at("05-27T17:45"), "tea")),
    ("9 o'clock in the evening movie", At(at("05-27T21:00"), "movie")),
    ("9:30pm movie", At(at("05-27T21:30"), "movie")),
    ("on Friday evening at 8 dinner", At(at("05-31T20:00"), "dinner")),
    ("next week at 9", NoTime()),
    ("三点一刻喝茶", At(at("05-27T15:15"), "喝茶")),
    ("15点下班", At(at("05-27T15:00"), "下班")),
    ("下午15点", At(at("05-27T15:00"), "")),
    ("早上15点", Impossible("早上15点")),
    ("at 13pm", At(at("05-27T13:00"), "")),
    ("过20分钟叫我", In(20, "叫我")),
    ("再过一个小时走", In(60, "走")),
    ("3天后上午10点复查", At(at("05-30T10:00"), "复查")),
    ("to buy 5 eggs at 6", At(at("05-27T18:00"), "buy 5 eggs")),
    ("2024-06-03T09:00 x", At(at("06-03T09:00"), "x")),
    ("五点五十分 下班", At(at("05-27T17:50"), "下班")),
    ("十二点半 午睡", At(at("05-27T12:30"), "午睡")),
    ("凌晨3点 看球", At(at("05-28T03:00"), "看球")),
    ("明天中午12点 吃饭", At(at("05-28T12:00"), "吃饭")),
    ("at 09:00 x", At(at("05-28T09:00"), "x")),
    ("at 5:30 x", At(at("05-27T17:30"), "x")),
    ("周一9点 开会", At(at("06-03T09:00"), "开会")),
    ("下周三下午两点半开会", At(at("06-05T14:30"), "开会")),
    ("两点 开会", At(at("05-27T14:00"), "开会")),
    ("at 11 x", At(at("05-27T11:00"), "x")),
    ("in a minute", In(1, "")),
    ("to check at 10:00", At(at("05-28T10:00"), "check")),
    ("at 10 x", At(at("05-27T22:00"), "x")),
    ("今晚八点", At(at("05-27T20:00"), "")),
    ("20 minutes from now stretch", In(20, "stretch")),
    ("on Monday at 9 x", At(at("06-03T09:00"), "x")),
    ("1小时20分钟后x", In(80, "x")),
    ("when I get home", NoTime()),
    ("周三三点开会", At(at("05-29T15:00"), "开会")),
    ("周一开会9点", At(at("06-03T09:00"), "开会")),
    ("周一晚上9点看电影", At(at("05-27T21:00"), "看电影")),
    ("call Noor on Friday at 5", At(at("05-31T17:00"), "call Noor")),
    ("to call mum tomorrow at 9 about the party", At(at("05-28T09:00"), "call mum about the party")),
    ("6月3日 14:30 看牙", At(at("06-03T14:30"), "看牙")),
    ("明天下午3点去机场接小王", At(at("05-28T15:00"), "去机场接小王")),
    ("今天9点 x", At(at("05-27T21:00"), "x")),
]  # fmt: skip


@pytest.mark.parametrize(("said", "meant"), SAID)
def test_what_is_meant(said: str, meant: object) -> None:
    assert read_when(said, NOW) == meant


@pytest.mark.parametrize(
    "said",
    [
        "一点儿也不急", "有点累", "地点待定", "时间紧", "5时代的", "buy 5 eggs", "at 5% off", "call 12345", "version 2.0",
        "pay 9.50", "call everyone", "每个人都要签字", "at home", "ratio 3:2", "12:5", "within 5", "the morning", "后天再说", "以后再说",
    ],
)  # fmt: skip
def test_no_time_of_day_is_read_where_none_is_named(said: str) -> None:
    assert isinstance(read_when(said, NOW), NoTime)


@pytest.mark.parametrize(
    ("now", "said", "meant"),
    [
        ("05-27T17:00", "at 5 x", "05-28T17:00"),  # this very minute is over
        ("05-27T16:59", "at 5 x", "05-27T17:00"),
        ("05-27T06:00", "at 7 x", "05-27T07:00"),
        ("05-27T23:30", "at 11 x", "05-28T11:00"),
        ("05-27T12:30", "at 12 x", "05-28T12:00"),
        ("05-27T22:06", "today at 11 x", "05-27T23:00"),  # not awake, but the only one left
        ("05-31T18:00", "周五17:00 x", "06-07T17:00"),  # the Friday that is today has had its five o'clock
        ("05-31T10:00", "周五17:00 x", "05-31T17:00"),
        ("05-27T00:10", "凌晨1点 x", "05-27T01:00"),
        ("05-27T00:10", "今晚12点 x", "05-28T00:00"),
    ],
)
def test_which_of_the_possible_ones_depends_on_now(now: str, said: str, meant: str) -> None:
    assert read_when(said, at(now)) == At(at(meant), "x")


DAILY, WORKDAYS = "weekly 0,1,2,3,4,5,6", "weekly 0,1,2,3,4"


@pytest.mark.parametrize(
    ("said", "rule", "first", "rest"),
    [
        ("每天早上9点吃药", DAILY, "05-28T09:00", "吃药"),
        ("天天晚上11点睡觉", DAILY, "05-27T23:00", "睡觉"),
        ("每晚10点关灯", DAILY, "05-27T22:00", "关灯"),
        ("每周一三五18:00健身", "weekly 0,2,4", "05-27T18:00", "健身"),
        ("每周一、周四晚上8点练琴", "weekly 0,3", "05-27T20:00", "练琴"),
        ("每周一到周五9点打卡", WORKDAYS, "05-28T09:00", "打卡"),
        ("工作日9点打卡", WORKDAYS, "05-28T09:00", "打卡"),
        ("每周末10点大扫除", "weekly 5,6", "06-01T10:00", "大扫除"),
        ("每周日下午3点给爸妈打电话", "weekly 6", "06-02T15:00", "给爸妈打电话"),
        ("每月5号9点交房租", "monthly 5", "06-05T09:00", "交房租"),
        ("x 每周一早上9点", "weekly 0", "06-03T09:00", "x"),
        ("every Monday at 9 to stretch", "weekly 0", "06-03T09:00", "stretch"),
        ("at 9 every day drink", DAILY, "05-28T09:00", "drink"),
        ("x at 9 daily", DAILY, "05-28T09:00", "x"),
        ("take pills every morning at 8", DAILY, "05-28T08:00", "take pills"),
        ("every day at noon eat", DAILY, "05-27T12:00", "eat"),
        ("every Monday and Thursday at 8pm to run", "weekly 0,3", "05-27T20:00", "run"),
        ("on Mondays, Wednesdays and Fridays at 7 to swim", "weekly 0,2,4", "05-29T07:00", "swim"),
        ("on weekdays at 9 to stand up", WORKDAYS, "05-28T09:00", "stand up"),
        ("on the 5th of every month at 9 to pay rent", "monthly 5", "06-05T09:00", "pay rent"),
        ("pay rent every month on the 31st at 9", "monthly 31", "05-31T09:00", "pay rent"),
        ("every Monday to Friday at 9 to stand up", WORKDAYS, "05-28T09:00", "stand up"),
        ("every Mon-Fri at 9 to stand up", WORKDAYS, "05-28T09:00", "stand up"),
        ("each Saturday through Monday at 9 x", "weekly 0,5,6", "06-01T09:00", "x"),
        ("每周六到周一9点 x", "weekly 0,5,6", "06-01T09:00", "x"),
        ("every Tue at 9 to x", "weekly 1", "05-28T09:00", "x"),
        ("every Tue, Thu & Sat at 9 to x", "weekly 1,3,5", "05-28T09:00", "x"),
        ("Mondays at 9 to x", "weekly 0", "06-03T09:00", "x"),
        ("on weekends at 10 clean", "weekly 5,6", "06-01T10:00", "clean"),
        ("weekday mornings at 8 x", WORKDAYS, "05-28T08:00", "x"),
        ("每个早上9点吃药", DAILY, "05-28T09:00", "吃药"),
        ("每早上8点吃药", DAILY, "05-28T08:00", "吃药"),
        ("每天8点和妈妈打电话", DAILY, "05-28T08:00", "和妈妈打电话"),
        ("wake up every day at 8 and stretch", DAILY, "05-28T08:00", "wake up and stretch"),
        ("every day at 8, 20 pushups", DAILY, "05-28T08:00", "20 pushups"),
        ("every day at 9 to run for 20 minutes", DAILY, "05-28T09:00", "run for 20 minutes"),
        ("every day at 9 buy everything except milk", DAILY, "05-28T09:00", "buy everything except milk"),
        ("every Friday at 17:00 to send the Monday plan", "weekly 4", "05-31T17:00", "send the Monday plan"),
        ("每天9点看每日新闻", DAILY, "05-28T09:00", "看每日新闻"),
    ],
)
def test_again_and_again(said: str, rule: str, first: str, rest: str) -> None:
    found = rule_of(rule)
    assert found is not None
    assert read_when(said, NOW) == Again(found, at(first), rest)


@pytest.mark.parametrize(
    "said", ["x every morning", "every other day at 9 x", "每小时 x", "每年 9点 x", "每月32号9点 x", "每隔两天9点 x"]
)
def test_again_and_again_by_no_rule_that_is_known(said: str) -> None:
    assert read_when(said, NOW) == Recurring()


@pytest.mark.parametrize(
    "said",
    """every day at 8 and 20 to take pills|daily at 9am and 9pm|take pills at 9 or 10 every day|every day at 8, 12 and 20 to x
|每天8点和20点吃药|每天8和20点吃药|每天8、12、20点吃药|每天早上和晚上8点吃药|每天早晚8点吃药|every morning and evening at 8 to x
|at 8 every day and at 20 x|every Monday and every Thursday at 9 x|on weekdays and Saturdays at 9 x|tomorrow and every Friday at 9 x
|every other Monday at 9 x|every first Monday at 9 x|every second Friday at 9 x|the first Monday of every month at 9 x|每月第一个周一9点 x
|每两周周一9点 x|隔周周一9点 x|每半年9点 x|twice a day at 9 x|一天两次9点吃药|fortnightly at 9 x|every month on the 5th and 20th at 9 x
|每月5号和20号9点 x|every day at 9 until Friday x|every day until Friday at 9 x|every day at 9 take pills until Friday|every day at 9 for a week x
|每天9点到周五为止吃药|每天9点吃药，直到月底|every day at 9 starting Monday x|从明天起每天9点吃药|every weekday except Friday at 9 x
|every weekday at 9 but not on holidays x|除了周五工作日9点打卡|工作日9点打卡，周五除外""".replace("\n", "").split("|"),
)
def test_a_rule_of_which_only_a_part_could_be_read_is_not_read(said: str) -> None:
    """Neither by half nor as a single time."""
    assert read_when(said, NOW) == Recurring()


def test_a_time_of_a_rule_that_no_clock_has() -> None:
    assert read_when("每天25:00吃药", NOW) == Impossible("25:00")


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("tomorrow at 9 to send the weekly report", "send the weekly report"),
        ("tomorrow at 9 to plan our weekends", "plan our weekends"),
        ("明天9点准备每周例会的稿子", "准备每周例会的稿子"),
        ("明天9点统计工作日天数", "统计工作日天数"),
        ("tomorrow at 9 to ask about every day they were away", "ask about every day they were away"),
    ],
)
def test_what_comes_again_by_itself_is_no_wish_to_be_told_again(said: str, rest: str) -> None:
    assert read_when(said, NOW) == At(at("05-28T09:00"), rest)


def test_a_day_named_before_holds_where_the_answer_names_none() -> None:
    friday = date(2024, 5, 31)
    assert read_when("at 9", NOW, friday) == At(at("05-31T09:00"), "")
    assert read_when("9点", NOW, friday) == At(at("05-31T09:00"), "")
    assert read_when("tomorrow at 9", NOW, friday) == At(at("05-28T09:00"), "")
    assert read_when("9:00", NOW, date(2024, 5, 26)) == Past(at("05-26T21:00"))


ANSWERS = (
    "9:30|9|whenever|at 9|tomorrow at 9|tomorrow at 9 please|make it 9:30|let's say Friday 17:00|in 20 minutes|every weekday at 10|at 25:00|30 Feb at 9"
    "|soon, I think|later|Friday|改到明天9点|明天9点吧|晚上八点|20分钟后|那就周五下午3点半吧|每天8点和20点|每周一到周五9点|晚点再说|today at 21:00|to 10pm|9点左右"
)
NO_ANSWERS = (
    "call me at 9 if late|the train leaves at 9|I bought bread|9 eggs and milk|明天9点要开会，记得带电脑|车9点开|I will be late|面包买好了|tomorrow Noor comes"
    "|she said at 9"
)


@pytest.mark.parametrize("said", ANSWERS.split("|"))
def test_a_time_and_small_words_answer_when(said: str) -> None:
    assert names_when(said, NOW)


@pytest.mark.parametrize("said", NO_ANSWERS.split("|"))
def test_an_ordinary_sentence_does_not_answer_when(said: str) -> None:
    assert not names_when(said, NOW)


def test_a_longer_story_is_read_to_its_bound_only() -> None:
    assert read_when("x" * 400 + " at 9", NOW) == NoTime()
    found = read_when("at 9 " + "x" * 100_000, NOW)
    assert isinstance(found, At) and found.rest == "x" * 100_000


PIECES = ["明天", "周五", "9点", "半", "早上", "晚上", "20分钟后", "两个半小时后", "每天", "25:00", "17:00", "tomorrow", "at 9", "at noon",
          "tonight", "in an hour", "half past", "to", "5", "pm", "o'clock", "on Friday", "30 Feb", "交房租", "pay", " ", "，", "：", "\n", "零", "一"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join))
def test_whatever_is_said_the_answer_is_one_that_holds(said: str) -> None:
    found = read_when(said, NOW)
    match found:
        case At(wall, rest):
            assert NOW < wall < NOW + timedelta(days=366 * 80)
            assert set(rest) <= set(said) | {" "}
        case In(minutes, _):
            assert minutes >= 1
        case Past(wall):
            assert wall <= NOW
        case Impossible(words):
            assert words.lower() in said.lower() + " "
        case Again(_, wall, rest):
            assert NOW < wall < NOW + timedelta(days=62)
            assert set(rest) <= set(said) | {" "}
        case NoTime() | Recurring():
            pass
