"""Phrases inside sentences, as people ask. The days were read off a calendar, never off the program.

Today is Thursday 5 September 2024: the month is five days old, the week began on Monday the 2nd.
"""

from __future__ import annotations

from datetime import date

import pytest

from store.dates import find_dates

TODAY = date(2024, 9, 5)

# Sentence with the words in brackets | first day | last day; a day without a year is in 2024.
CHINESE = """
[今天]中午聊了什么 | 09-05
[昨天]那个报价是多少 | 09-04
[前天]下午谁来过 | 09-03
[大前天]买的药放哪了 | 09-02
[昨天]晚上的菜谱发我 | 09-04
[上周三]开会说了什么 | 08-28
[上上周]的体重记录 | 08-19 | 08-25
[这周一]交的是哪张表 | 09-02
[上周末]去哪里玩了 | 08-31 | 09-01
[这个月]的开销 | 09-01 | 09-30
[上个月]的水电费是多少 | 08-01 | 08-31
[五月]的旅行订了哪家 | 05-01 | 05-31
[去年夏天]在哪儿避暑 | 2023-06-01 | 2023-08-31
[今早]量的血压 | 09-05
[三天前]说的那本书 | 09-02
[两周前]修的是哪台 | 08-19 | 08-25
[3月15号]定的价格 | 03-15
[2024年5月27日]发生了什么 | 05-27
[2022年国庆]去了哪 | 2022-10-01 | 2022-10-07
[五月初]谁请的客 | 05-01 | 05-10
[六月中旬]的面试 | 06-11 | 06-20
[七月底]交的稿 | 07-21 | 07-31
[从8月1日到8月15日]我记了什么 | 08-01 | 08-15
我[5月1日到3日之间]做了什么 | 05-01 | 05-03
[5月28日-6月2日]的安排 | 05-28 | 06-02
[周一至周三]聊过什么 | 09-02 | 09-04
[7月和8月之间]换过几次药 | 07-01 | 08-31
[上周以来]有什么进展 | 08-26 | 09-05
[自从三月]搬到这里花了多少 | 03-01 | 09-05
[从上周三到现在]改过什么 | 08-28 | 09-05
[昨天之前]我们定了什么 | 0001-01-01 | 09-03
[2023年之前]住在哪 | 0001-01-01 | 2022-12-31
[8月20日之后]谁提过预算 | 08-21 | 09-05
[最近三天]有哪些待办 | 09-02 | 09-05
[这几天]说过什么 | 08-29 | 09-05
[过去两周]的跑步 | 08-22 | 09-05
[近一个月]的支出 | 08-05 | 09-05
[最近半年]看了什么书 | 03-05 | 09-05
[上半年]的目标是什么 | 01-01 | 06-30
[去年下半年]换了几份工作 | 2023-07-01 | 2023-12-31
[第二季度]的营收 | 04-01 | 06-30
[去年第四季度]招了谁 | 2023-10-01 | 2023-12-31
[上个季度]的复盘 | 04-01 | 06-30
[3到5月]去过哪些城市 | 03-01 | 05-31
[2021年到2023年]住在哪 | 2021-01-01 | 2023-12-31
[12月20日到1月5日]在哪过的 | 2023-12-20 | 01-05
[去年5月到今年2月]的房租 | 2023-05-01 | 02-29
[昨天到今天]有什么消息 | 09-04 | 09-05
[两三天前]说的餐馆 | 09-02 | 09-03
[上周一到上周五]的日报 | 08-26 | 08-30
"""

ENGLISH = """
what did I plan [today]? | 09-05
what was the quote [yesterday]? | 09-04
who came [the day before yesterday]? | 09-03
what did she say [yesterday] evening about rent? | 09-04
what did we decide [last Wednesday]? | 09-04
what did I hand in [this Monday]? | 09-02
which book did I mention [three days ago]? | 09-02
what was repaired [two weeks ago]? | 08-19 | 08-25
who called [a couple of days ago]? | 09-03
how much was gas [last month]? | 08-01 | 08-31
where did we stay [last summer]? | 06-01 | 08-31
what did we book in [May]? | 05-01 | 05-31
what have I spent [since March]? | 03-01 | 09-05
what was fixed on [March 15th]? | 03-15
where did we go [last weekend]? | 08-31 | 09-01
what happened on [8 May]? | 05-08
who moved out [last year]? | 2023-01-01 | 2023-12-31
what was my pressure [this morning]? | 09-05
who paid in [early May]? | 05-01 | 05-10
the interview in [mid-June], who was there? | 06-11 | 06-20
what did I submit in [late July]? | 07-21 | 07-31
what did I note [between 1 August and 15 August]? | 08-01 | 08-15
what did we do [from Monday to Wednesday]? | 09-02 | 09-04
what was said [1–3 May]? | 05-01 | 05-03
what was said [between the 1st and the 3rd of May]? | 05-01 | 05-03
the talks on [May 28 - June 2] were about what? | 05-28 | 06-02
what did I write [from March to May]? | 03-01 | 05-31
where did I live [between 2021 and 2023]? | 2021-01-01 | 2023-12-31
what changed [since last week]? | 08-26 | 09-05
what was agreed [before yesterday]? | 0001-01-01 | 09-03
where did I live [before 2023]? | 0001-01-01 | 2022-12-31
who spoke of the budget [after 20 August]? | 08-21 | 09-05
what is open from [the last 7 days]? | 08-29 | 09-05
how far did I run in [the past two weeks]? | 08-22 | 09-05
what did I spend in [the past month]? | 08-05 | 09-05
what did I say in [the last few days]? | 08-29 | 09-05
the revenue of [Q2 2024], please? | 04-01 | 06-30
what was planned in [Q2]? | 04-01 | 06-30
what did we learn [last quarter]? | 04-01 | 06-30
who was hired in [the fourth quarter of 2023]? | 2023-10-01 | 2023-12-31
what was sold in [the second quarter, 2023]? | 2023-04-01 | 2023-06-30
which jobs did I have in [the second half of last year]? | 2023-07-01 | 2023-12-31
where were we [from 20 December to 5 January]? | 2023-12-20 | 01-05
how much was rent [from May 2023 to February 2024]? | 2023-05-01 | 02-29
any news [from yesterday till today]? | 09-04 | 09-05
any news [between 3 May 2024 and 1 May 2024]? | 05-01 | 05-03
what did we book in [May last year]? | 2023-05-01 | 2023-05-31
which restaurant was it [two or three days ago]? | 09-02 | 09-03
what did I say [May 1-3, 2023]? | 2023-05-01 | 2023-05-03
who called [the Friday before last]? | 08-23
what was the plan [the week before last]? | 08-19 | 08-25
what did we eat [Mon-Wed]? | 09-02 | 09-04
"""


def cases(table: str) -> list[tuple[str, str, str, str]]:
    out = []
    for line in table.strip().splitlines():
        sentence, first, *last = (part.strip() for part in line.split("|"))
        words = sentence[sentence.index("[") + 1 : sentence.index("]")]
        days = [day if len(day) == 10 else f"2024-{day}" for day in (first, *(last or [first]))]
        out.append((sentence.replace("[", "").replace("]", ""), words, *days))
    return out


@pytest.mark.parametrize(("text", "words", "first", "last"), cases(CHINESE) + cases(ENGLISH))
def test_a_question_names_these_days(text: str, words: str, first: str, last: str) -> None:
    found = find_dates(text, TODAY, prefer_past=True)
    assert [(one.words, one.first.isoformat(), one.last.isoformat()) for one in found] == [(words, first, last)]
    assert text[found[0].start : found[0].end] == words


WRITTEN = """
我[周五到周日]出差 | 09-06 | 09-08
[9月10日到12日]体检 | 09-10 | 09-12
[下周一至周三]封路 | 09-09 | 09-11
[10月1-7日]放假 | 10-01 | 10-07
away [from Friday to Sunday] | 09-06 | 09-08
the road is closed [10-12 September] | 09-10 | 09-12
leave [from 20 December to 5 January] | 12-20 | 2025-01-05
the fair runs [Oct 1–7, 2025] | 2025-10-01 | 2025-10-07
closed [between Monday and Wednesday] | 09-09 | 09-11
away [from 3 March to 5 June 2026] | 2026-03-03 | 2026-06-05
回访放在[第四季度] | 10-01 | 12-31
weigh in over [the next two weeks] | 09-05 | 09-19
"""


@pytest.mark.parametrize(("text", "words", "first", "last"), cases(WRITTEN))
def test_what_is_written_looks_ahead_for_both_ends(text: str, words: str, first: str, last: str) -> None:
    found = find_dates(text, TODAY, prefer_past=False)
    assert [(one.words, one.first.isoformat(), one.last.isoformat()) for one in found] == [(words, first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "三天两头", "最近三天两头下雨", "已经过去三天了", "将近三天", "最近", "最近三次", "最近一直忙", "可能要三天", "第二季", "前三天",
        "每周一到周五", "每周一和周三", "半天", "半季度", "三个季度", "上半身", "上半场", "下半夜", "从头到尾", "到底", "之前", "以后再说",
        "周五前一天", "国庆前几天", "May I ask", "may I march from here to there", "between you and me", "from A to B", "since you ask",
        "before lunch", "after dinner", "every Monday to Friday", "each Monday and Friday", "Mondays to Fridays", "the last 7 words",
        "last quarter of the game", "a quarter to five", "the second half", "the first quarter", "Q2", "Q2: why?", "Keychron Q1", "H1",
        "the last days of summer", "the past", "in the past", "these days", "half a month", "1-3", "3-5", "between 1 and 3",
        "the day before Monday", "the week after Christmas", "two days before 5 May", "between 2000 and 2010 people", "1900-2000 euros",
        "three to five", "in 5 days or so", "the last two weeks of school",
    ],
)  # fmt: skip
def test_what_can_be_something_else_stays_unread(text: str) -> None:
    assert find_dates(text, TODAY, prefer_past=True) == []


@pytest.mark.parametrize(
    "text",
    [
        "moved from Friday to Monday",
        "we pushed it from Monday to Wednesday",
        "Friday and Monday",
        "周五和周一",
        "周五改到周一",
    ],
)
def test_two_days_that_are_no_range_stay_two(text: str) -> None:
    assert len(find_dates(text, TODAY, prefer_past=False)) == 2
