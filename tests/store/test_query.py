"""The query language, against its own oracle and against a real FTS5 table."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from datetime import date

import pytest

from store.filters import Asked, Filter, FilterName, Unread, UnreadReason
from store.model import AccountID
from store.query import DEPTH_MAX, TOKENS_IN_TERM_MAX, parse_query
from store.query_tree import And, Node, Not, Or, Query, Term, matches, to_fts
from store.text import TERMS_MAX, TOKENIZE_PLAIN, plain

PAIRS = [
    ("预算", "明年的预算要先批下来", "他预先算过一遍"),
    ("算", "这笔账怎么算", "明天去北京"),
    ("ＡＰＩ", "API 的限流改成 60 次", "苹果派的做法"),
    ("app", "新版App上线了", "apply 之前先看文档"),
    ("臺灣", "下个月去台湾出差", "下个月去海湾出差"),
    ("微信支付", "用微信支付付了 300 元", "微信上说好的，支付宝付"),
    ('"预算 报告"', "预算报告已经发了", "报告里没有提预算"),
    ("预算 AND 财务", "财务说预算超了", "预算还没定"),
    ("预算 NOT 财务", "预算还没定", "财务说预算超了"),
    ("花生 OR 虾", "我对虾过敏", "我对牛奶过敏"),
    ("张伟", "张伟周三回来", "张大伟周三回来"),
    ("欧阳娜娜", "欧阳娜娜的演唱会", "欧阳修的诗"),
    ("iPhone15", "想换iPhone15，预算六千", "想换 iPhone14"),
    ("C++", "C++ 作业周五交", "C 语言作业周五交"),
    ("3月15号", "3月15号交房租", "3月16号交房租"),
    ("１００元", "红包发了100元", "红包发了200元"),
    ("南京市长江大桥", "南京市长江大桥真长", "南京市长江边的大排档"),
    ("deploy*", "今晚deployment到线上", "今晚 display 坏了"),
    ("老王，电话！", "老王的电话是 138", "老李的电话是 139"),
    ("乒乓球拍卖", "乒乓球拍卖完了", "乒乓球比赛"),
    ("里程碑", "第二個里程碑延期", "公里程序"),
    ("研究生", "研究生考试报名", "研究生命的起源"),
]
NO_INDEX_CAN_TELL = "研究生"


class Table:
    """A table of plain characters as the store makes it."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute(f"CREATE VIRTUAL TABLE plain USING fts5(body, tokenize='{TOKENIZE_PLAIN}')")

    def fill(self, texts: list[str]) -> None:
        self.db.executemany("INSERT INTO plain VALUES(?)", [(plain(text),) for text in texts])

    def found(self, query: Query) -> set[int]:
        return {
            row - 1 for (row,) in self.db.execute("SELECT rowid FROM plain WHERE plain MATCH ?", (to_fts(query.root),))
        }


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.db.close()


@pytest.mark.parametrize(("text", "must", "must_not"), PAIRS)
def test_twenty_one_of_the_twenty_two_pairs(table: Table, text: str, must: str, must_not: str) -> None:
    table.fill([must, must_not])
    query = parse_query(text)
    assert table.found(query) == ({0, 1} if text == NO_INDEX_CAN_TELL else {0})
    assert matches(query, must)
    assert matches(query, must_not) == (text == NO_INDEX_CAN_TELL)


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("今天讨论了部署方案，周五上线", "部署方案"),
        ("今天讨论了部署方案，周五上线", "上线"),
        ("早报 7点发", "早报"),
        ("C盘满了", "C盘"),
        ("C盘满了", "盘"),
        ("a pre-edit hook", "pre-edit"),
        ("memory:safe", "memory:safe"),
        ("he would say hi", 'say "hi'),
        ("foo and more", "foo AND"),
        ("x marks", "(x"),
        ("at 3 GB/s", "GB/s"),
        ("I don’t know", "don't"),
        ("流浪地球2 真好看", "流浪地球2"),
        ("Café", "cafe\u0301"),
        ("Café", "cafe"),
    ],
)
def test_signs_in_words_are_no_syntax(table: Table, note: str, text: str) -> None:
    table.fill([note, "别的"])
    query = parse_query(text)
    assert not query.is_exact or '"' in text
    assert matches(query, note) or "’" in note
    assert table.found(query) == {0}


@pytest.mark.parametrize(
    ("text", "node", "is_exact"),
    [
        ("", None, False),
        ("*", None, False),
        ("()", None, False),
        ('""', None, False),
        ("，。！", None, False),
        ("a b", And((Term(("a",)), Term(("b",)))), False),
        ("(a)", Term(("a",)), False),
        ("AND", Term(("and",)), False),
        ("(AND)", Term(("and",)), False),
        ("and or not", And((Term(("and",)), Term(("or",)), Term(("not",)))), False),
        ("NOT a", And((Term(("not",)), Term(("a",)))), False),
        ("a AND", And((Term(("a",)), Term(("and",)))), False),
        ("a AND *", And((Term(("a",)), Term(("and",)))), False),
        ("a OR b c", Or((Term(("a",)), And((Term(("b",)), Term(("c",)))))), True),
        ("(a OR b) c", And((Or((Term(("a",)), Term(("b",)))), Term(("c",)))), True),
        ("a AND NOT b", Not(Term(("a",)), Term(("b",))), True),
        ("a NOT b NOT c", Not(Term(("a",)), Or((Term(("b",)), Term(("c",))))), True),
        ("a NOT b c", And((Not(Term(("a",)), Term(("b",))), Term(("c",)))), True),
        ("a NOT (b c)", Not(Term(("a",)), And((Term(("b",)), Term(("c",))))), True),
        ("ＡＮＤ x", And((Term(("and",)), Term(("x",)))), False),
        ("“预算 报告”", Term(("预", "算", "报", "告")), True),
        ("「预算」*", Term(("预", "算"), prefix=True), True),
        ("（a OR b） AND c", And((Or((Term(("a",)), Term(("b",)))), Term(("c",)))), True),
        (")a( OR b", Or((Term(("a",)), Term(("b",)))), True),
        ("a) OR (b", Or((Term(("a",)), Term(("b",)))), True),
        ("C++*", Term(("cplusplus",), prefix=True), True),
    ],
)
def test_how_it_is_read(text: str, node: Node | None, is_exact: bool) -> None:
    read = parse_query(text)
    assert (read.root, read.is_exact) == (node, is_exact)


NOOR, WEI, LIN = AccountID("terminal:noor"), AccountID("terminal:wei"), AccountID("terminal:lin")
ASKED = Asked(date(2024, 5, 27), LIN, {NOOR: "Noor", WEI: "Wei", LIN: "Lin"})
DECISION, TRAVEL = Filter(FilterName.KIND, ("decision",)), Filter(FilterName.TAG, ("travel",))
BUDGET = Term(("预", "算"))


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("kind:decision", DECISION),
        ("类型：决定", DECISION),
        ("Kind: decisions", DECISION),
        ("预算 kind:decision", And((BUDGET, DECISION))),
        ("预算，类型：决定", And((BUDGET, DECISION))),
        ("预算 AND kind:decision", And((BUDGET, DECISION))),
        ("预算 OR kind:decision", Or((BUDGET, DECISION))),
        ("预算 kind:decision NOT 差旅", And((BUDGET, Not(DECISION, Term(("差", "旅")))))),
        ("预算 NOT tag:travel", Not(BUDGET, TRAVEL)),
        ("(kind:decision OR tag:travel) 预算", And((Or((DECISION, TRAVEL)), BUDGET))),
        ("tag:travel tag:预算", And((TRAVEL, Filter(FilterName.TAG, ("预算",))))),
        ("by:Noor by:Wei", Filter(FilterName.BY, (NOOR, WEI))),
        ("by:Noor AND by:Wei", Filter(FilterName.BY, (NOOR, WEI))),
        ("by:Noor OR by:Wei", Or((Filter(FilterName.BY, (NOOR,)), Filter(FilterName.BY, (WEI,))))),
        (
            "by:Noor by:Wei NOT 预算",
            And((Filter(FilterName.BY, (NOOR, WEI)), Not(Filter(FilterName.BY, (NOOR, WEI)), BUDGET))),
        ),
        ('"kind:decision"', Term(("kind", "decision"))),
        ("nature:wild", Term(("nature", "wild"))),
        ("pretag:travel", Term(("pretag", "travel"))),
    ],
)
def test_filters_stand_where_words_stand(text: str, node: Node) -> None:
    read = parse_query(text, ASKED)
    assert read.root == node
    assert read.is_exact == (text[0] not in "np")
    assert read.unread == ()


@pytest.mark.parametrize(
    ("text", "node", "piece", "reason"),
    [
        ("预算 AND", And((BUDGET, Term(("and",)))), "AND", "operator"),
        ("NOT 预算", And((Term(("not",)), BUDGET)), "NOT", "operator"),
        ("(预算", BUDGET, "(", "bracket"),
        ("预算）", BUDGET, ")", "bracket"),
        ('say "hi', And((Term(("say",)), Term(("hi",)))), '"hi', "quote"),
        ("kind:banana", Term(("kind", "banana")), "kind:banana", "kind"),
        ("kind:checkpoint", Term(("kind", "checkpoint")), "kind:checkpoint", "kind"),
        ("before:blah", Term(("before", "blah")), "before:blah", "date"),
        ("之前：哪天", Term(("之", "前", "哪", "天")), "之前:哪天", "date"),
        ("by:Zed", Term(("by", "zed")), "by:Zed", "person"),
        ('by:"Zed Z"', Term(("by", "zed", "z")), "by:Zed Z", "person"),
        ("tag:", Term(("tag",)), "tag:", "value"),
        ("tag: AND 预算", And((Term(("tag",)), BUDGET)), "tag:", "value"),
    ],
)
def test_what_is_no_syntax_is_read_as_words_and_named(text: str, node: Node, piece: str, reason: str) -> None:
    read = parse_query(text, ASKED)
    assert read.root == node
    assert read.unread == (Unread(piece, UnreadReason(reason)),)
    assert read.is_exact == (text == "tag: AND 预算")


@pytest.mark.parametrize(
    "text", ["rm -rf", "-5 度", "pre-edit", "预算 -差旅", "C++", "don't", "memory:safe", "and or", "()"]
)
def test_nothing_is_wrong_with_signs_in_words(text: str) -> None:
    read = parse_query(text, ASKED)
    assert read.unread == ()
    assert not read.is_exact


@pytest.mark.parametrize(
    "text",
    [
        "a b", "a OR b", "a NOT b", "a NOT (b c)", "a NOT (b OR c)", "(a OR b) NOT c", "(a NOT b) NOT c", "a NOT (b NOT c)",
        "(a NOT b) OR c", "a OR b c", "(a OR b) c", "a NOT b c", "a NOT b OR c NOT d", "a (b OR c NOT d)", "(a OR b) NOT (c OR d)",
        "a NOT b NOT (c d)", "a OR (b NOT (c OR d))", "((a b) OR c) NOT d",
    ],
)  # fmt: skip
def test_sqlite_and_the_oracle_agree_on_every_mixture(table: Table, text: str) -> None:
    notes = [" ".join(letter for i, letter in enumerate("abcd") if mix >> i & 1) for mix in range(16)]
    table.fill(notes)
    query = parse_query(text)
    assert table.found(query) == {i for i, note in enumerate(notes) if matches(query, note)}
    assert query.is_exact == (text != "a b")


def _terms(node: Node | None) -> list[Term]:
    match node:
        case None:
            return []
        case Term():
            return [node]
        case Filter():
            return []
        case And(parts) | Or(parts):
            return [term for part in parts for term in _terms(part)]
        case Not(kept, dropped):
            return _terms(kept) + _terms(dropped)


def test_terms_and_their_tokens_are_bounded() -> None:
    at, past = (parse_query(" ".join(f"w{i}" for i in range(n))) for n in (TERMS_MAX, TERMS_MAX + 1))
    assert len(_terms(at.root)) == len(_terms(past.root)) == TERMS_MAX
    assert len(_terms(parse_query("AND " * 500 + "a " * 500).root)) <= TERMS_MAX
    nothing_spare = parse_query("a NOT (AND) " + "w " * (TERMS_MAX - 1))
    assert len(_terms(nothing_spare.root)) == TERMS_MAX
    for size in (TOKENS_IN_TERM_MAX, TOKENS_IN_TERM_MAX + 1):
        (term,) = _terms(parse_query("好" * size).root)
        assert len(term.tokens) == TOKENS_IN_TERM_MAX


def test_brackets_deeper_than_the_bound_are_only_words(table: Table) -> None:
    """A stack of 100 is all that FTS5's parser has; every shape at the bound must fit."""
    table.fill(["a"])
    for opening in ("a NOT (", "a OR b AND c NOT (", "a OR (b ", "(a NOT (b NOT c)) OR (d NOT ", "("):
        for depth in (DEPTH_MAX, DEPTH_MAX + 1, 4000):
            table.found(parse_query(opening * depth + "a" + ")" * depth))
            table.found(parse_query(opening * depth))
    query = parse_query("a OR b AND c NOT (" * DEPTH_MAX + "a" + ")" * DEPTH_MAX)
    assert table.found(query) == {0}
    assert parse_query("(" * 4000).root is None


@pytest.mark.parametrize(
    "text",
    [
        "pre-edit", "memory:safe", 'say "hi', "foo AND", "(x", "GB/s", "don't", "*", "", "x" * 5000, "好" * 5000, "a b " * 1250,
        '"a" OR ' * 800, "(" * 4000, ")" * 4000, "NEAR(a b, 5)", "col : x", "{a b} : c", "^a", "-a", "a + b", "'; DROP TABLE plain; --",
        "\0", "\ud800", "\u202eabc", "\u200b", "👍👍", '"' * 4001, "* " * 4000, "NOT " * 4000, "a NOT " * 4000,
    ],
)  # fmt: skip
def test_no_text_is_an_error(table: Table, text: str) -> None:
    table.fill(["foo bar"])
    table.found(parse_query(text))


_PIECES = [
    "AND", "OR", "NOT", "NEAR", '"', "(", ")", "*", " ", " ", " ", "  ", "预算", "财务", "花", "foo", "bar", "Foo", "food", "C++",
    "é", "-", ":", "^", "+", "{", "}", "'", ",", "，", "（", "“", "”", "\0", "\ud800", "👍", "１", "臺", "\n", "\\", "/", "=", "٣",
]  # fmt: skip
_NOTES = ["预算和财务", "财务", "预算 foo", "foo bar and food", "花 bar or not", "C++ 1 台", "e near foo 预 算", ""]


def random_text(source: random.Random) -> str:
    if source.random() < 0.1:
        return "".join(chr(source.randrange(0x110000)) for _ in range(source.randrange(12)))
    return "".join(source.choice(_PIECES) for _ in range(source.randrange(24)))


def _fuzz(table: Table, count: int, seed: int) -> None:
    table.fill(_NOTES)
    source = random.Random(seed)
    for _ in range(count):
        text = random_text(source)
        query = parse_query(text)
        found = table.found(query)
        assert found == {i for i, note in enumerate(_NOTES) if matches(query, note)}, repr(text)


def test_random_queries_never_fail_and_find_what_the_oracle_says(table: Table) -> None:
    _fuzz(table, 2_000, seed=1)


@pytest.mark.slow
def test_many_random_queries_never_fail(table: Table) -> None:
    _fuzz(table, 50_000, seed=2)
