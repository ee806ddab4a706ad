"""Folding, tokens, terms of ranking and gate, subjects, counts."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text import (
    SINGLE_CHARACTER_WEIGHT,
    STOP,
    TERMS_MAX,
    TOKENIZE_EXPANDED,
    TOKENIZE_PLAIN,
    counts_in,
    expand,
    fold,
    gate_terms,
    nfc,
    plain,
    subject,
    terms,
    tokens,
)


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("ＡＰＩ", "api"),
        ("臺灣的週會", "台湾的周会"),
        ("第二個里程碑", "第二个里程碑"),
        ("㊮", "资"),
        ("喝著茶", "喝着茶"),
        ("妳說甚麼", "你说什么"),
        ("１００元", "100元"),
        ("Ångström", "ångström"),
        ("部\u200b署", "部署"),
        ("a\0b\ud800", "a\ufffdb\ufffd"),
    ],
)
def test_one_word_has_one_form(typed: str, folded: str) -> None:
    assert fold(typed) == folded


@pytest.mark.parametrize("word", ["著名", "名著", "显著", "著作权", "编著"])
def test_zhu_stays_itself_in_words_about_writing_and_fame(word: str) -> None:
    assert fold(word) == word


def test_composed_and_decomposed_are_one() -> None:
    for composed, decomposed in (
        ("café", "cafe\u0301"),
        ("Ångström", "A\u030angstro\u0308m"),
        ("naïve", "nai\u0308ve"),
    ):
        assert nfc(composed) == nfc(decomposed)
        assert fold(composed) == fold(decomposed)
        assert plain(composed) == plain(decomposed)


def test_nfc_keeps_capitals_and_width() -> None:
    assert nfc("ＡbC\0") == "ＡbC\ufffd"


def test_a_chinese_run_gives_its_characters_and_then_its_pairs() -> None:
    assert tokens("c盘满了 iphone15") == ["c", "盘", "满", "了", "盘满", "满了", "iphone15"]


def test_irregular_forms_meet_in_the_ranked_table_and_stay_apart_in_the_plain_one() -> None:
    assert expand("She went and bought photos") == "she go and buy photos"
    assert plain("She went and bought") == "she went and bought"
    assert expand("mum's children") == expand("Mother s child")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("C++ 作业", "cplusplus 作 业"),
        ("C++17", "cplusplus 17"),
        ("用C＃写", "用 csharp 写"),
        (".NET 8", "dotnet 8"),
        ("example.net asp.net", "example net asp net"),
        ("C 语言", "c 语 言"),
    ],
)
def test_names_made_of_signs_are_words(text: str, body: str) -> None:
    assert plain(text) == body


def test_terms_drop_stop_words_unless_nothing_is_left() -> None:
    assert terms("when is Noor's birthday?") == ("noor", "birthday")
    assert terms("what is it") == ("what", "is", "it")
    assert terms("") == ()
    assert not set(terms("我们的预算是多少")) & STOP


def test_terms_are_each_once_and_bounded_and_pairs_outlive_single_characters() -> None:
    many = terms("".join(chr(0x4E00 + i) for i in range(TERMS_MAX + 1)))
    assert len(many) == TERMS_MAX
    assert all(len(term) == 2 for term in many)
    assert terms("lamp lamp LAMP") == ("lamp",)
    assert len(terms(" ".join(f"w{i}" for i in range(TERMS_MAX)))) == TERMS_MAX


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("我们之前决定了什么？", set()),
        ("what did we decide?", set()),
        ("你还记得吗", set()),
        ("what did we decide about SQLite?", {"sqlite"}),
        ("我们有没有聊过迁移？", {"迁移"}),
        ("关于预算定了什么？", {"预算"}),
        ("暗号是什么？", {"暗号"}),
        ("周会几点开始？", {"周会", "开始"}),
        ("Noor 生日哪天？", {"noor", "生日"}),
        ("年会场地定在哪？", {"年会", "会场", "场地"}),
        ("我对什么过敏？", {"过敏"}),
        ("酒吧的目的是什么", {"酒吧", "目的"}),
        ("昨天记了什么？", {"昨天"}),
        ("what did Tom note?", {"tom"}),
        ("婷婷记过什么，记下来了吗", {"婷婷"}),
        ("笔记在哪", {"笔记"}),
        ("日记过几次", {"日记", "记过"}),
        ("记者是谁", {"记者"}),
        ("会计是谁", {"会计"}),
        ("固定资产在哪", {"固定", "定资", "资产"}),
        ("想了解茶几", {"想", "了解", "解茶", "茶几"}),
    ],
)
def test_the_gate_looks_at_content_only(question: str, content: set[str]) -> None:
    whole = {term for term, weight in gate_terms(question) if weight == 1.0}
    assert whole == content - {"想"} or whole == {"想了"} | content - {"想"}


def test_a_single_chinese_character_weighs_less_in_the_gate() -> None:
    assert gate_terms("虾 x") == (("虾", SINGLE_CHARACTER_WEIGHT), ("x", 1.0))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Noor 的生日是 6月3日", ("noor 的生日", "6月3日")),
        ("发布分支是 main。", ("发布分支", "main")),
        ("the  release branch\nIS main.", ("the release branch", "main")),
        ("每日单词改到 13:00", ("每日单词", "13:00")),
        ("周会在 15:30 开始", ("周会", "15:30 开始")),
        ("the weekly starts  at 15:00", ("the weekly", "15:00")),
        ("port ＝ 8080", ("port", "8080")),
        ("tests are slow", ("tests", "slow")),
        ("this island", None),
        ("在家", None),
        ("是", None),
        ("", None),
    ],
)
def test_a_subject_ends_at_the_first_word_of_being(text: str, parts: tuple[str, str] | None) -> None:
    assert subject(text) == parts


@pytest.mark.parametrize(
    ("term", "text", "count"),
    [
        ("paradigm", "Paradigm, paradigms and PARADIGM", 2),
        ("盘", "C盘满了，D盘没有", 2),
        ("C盘", "C盘满了", 1),
        ("哈哈", "哈哈哈", 1),
        ("c", "C++", 0),
        ("C++", "c++ and C++17, not c", 2),
        ("machine  learning", "Machine learning", 1),
        ("15号", "3月15号 115号", 1),
        ("臺灣", "去台湾", 1),
        ("", "anything", 0),
        ("  ", "a b", 0),
    ],
)
def test_counting_keeps_to_whole_words_and_finds_chinese_anywhere(term: str, text: str, count: int) -> None:
    assert counts_in((term,), (text,)) == [[count]]


def test_counting_a_long_word_in_a_long_word_is_quick() -> None:
    assert counts_in(("a" * 20_000,), ("a" * 40_000,)) == [[0]]


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("今天讨论了部署方案，周五上线", "部署方案"),
        ("今天讨论了部署方案，周五上线", "上线"),
        ("今天讨论了部署方案，周五上线", "我们决定什么时候上线？"),
        ("早报 7点发", "早报"),
        ("C盘满了", "C盘"),
        ("C盘满了", "盘"),
        ("we deployed on a Friday", "deploying"),
        ("Café Ångström", "cafe angstrom"),
    ],
)
def test_a_question_finds_its_note_through_sqlite(note: str, question: str) -> None:
    db = sqlite3.connect(":memory:")
    try:
        db.execute(f"CREATE VIRTUAL TABLE words USING fts5(body, tokenize='{TOKENIZE_EXPANDED}')")
        db.executemany("INSERT INTO words VALUES(?)", [(expand(note),), (expand("别的事 something else"),)])
        match = " OR ".join(f'"{term}"' for term in terms(question))
        assert db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank", (match,)).fetchall() == [(1,)]
    finally:
        db.close()


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_any_text_can_be_stored_and_asked(text: str) -> None:
    db = sqlite3.connect(":memory:")
    try:
        db.execute(f"CREATE VIRTUAL TABLE plain USING fts5(body, tokenize='{TOKENIZE_PLAIN}')")
        db.execute("INSERT INTO plain VALUES(?)", (plain(text),))
        for term in (*terms(text), *(term for term, _ in gate_terms(text))):
            assert '"' not in term
            db.execute("SELECT rowid FROM plain WHERE plain MATCH ?", (f'"{term}"',)).fetchall()
        for value in (fold(text), nfc(text), expand(text), *(subject(text) or ())):
            assert "\0" not in value
            value.encode()
        assert counts_in((text,), (text,)) in ([[0]], [[1]])
    finally:
        db.close()


@given(st.text("著名喝着C+#.net 我的臺ａ１\u200b", max_size=12))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
