"""Words to learn, as people ask for them; and sentences that only look like it."""

from __future__ import annotations

import pytest

from bot.intents import AddWords, Intent, LearningStats, Today, Vocab, VocabDo
from bot.phrases.grammar import parse

LEARNING = (Today, Vocab, AddWords, LearningStats)


def meant(text: str) -> Intent:
    return parse(text).intent


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("/today", Today()),
        ("今日单词", Today()),
        ("背单词吧", Today()),
        ("today", Today()),
        ("today's words", Today()),
        ("/vocab", Vocab()),
        ("复习", Vocab()),
        ("每日单词", Vocab()),
        ("words", Vocab()),
        ("/stats", LearningStats()),
        ("学习统计", LearningStats()),
        ("stats", LearningStats()),
        ("/vocab on", Vocab(VocabDo.ON)),
        ("打开每日单词", Vocab(VocabDo.ON)),
        ("每日单词：开", Vocab(VocabDo.ON)),
        ("please turn on daily words", Vocab(VocabDo.ON)),
        ("/vocab off", Vocab(VocabDo.OFF)),
        ("关掉每日单词", Vocab(VocabDo.OFF)),
        ("stop daily words.", Vocab(VocabDo.OFF)),
        ("/vocab plan cet6 10/day", Vocab(VocabDo.PLAN, "cet6", n=10)),
        ("/vocab plan CET-6", Vocab(VocabDo.PLAN, "cet6")),
        ("/vocab plan 六级 每天 20 个", Vocab(VocabDo.PLAN, "cet6", n=20)),
        ("/vocab plan off", Vocab(VocabDo.NO_PLAN)),
        ("/vocab plan", Vocab(VocabDo.PLAN)),
        ("/vocab plan klingon", Vocab(VocabDo.PLAN, "klingon")),
        ("每天 10 个 六级", Vocab(VocabDo.PLAN, "cet6", n=10)),
        ("每天10个六级词", Vocab(VocabDo.PLAN, "cet6", n=10)),
        ("每天背十个六级单词。", Vocab(VocabDo.PLAN, "cet6", n=10)),
        ("以后每天 15 个考研词汇", Vocab(VocabDo.PLAN, "ky", n=15)),
        ("六级词每天 15 个", Vocab(VocabDo.PLAN, "cet6", n=15)),
        ("10 cet6 words a day", Vocab(VocabDo.PLAN, "cet6", n=10)),
        ("20 TOEFL words per day", Vocab(VocabDo.PLAN, "toefl", n=20)),
        ("/vocab new 5", Vocab(VocabDo.NEW, n=5)),
        ("每天 5 个新词", Vocab(VocabDo.NEW, n=5)),
        ("5 new words a day", Vocab(VocabDo.NEW, n=5)),
        ("/vocab cap 40", Vocab(VocabDo.CAP, n=40)),
        ("/vocab 最多 40 张", Vocab(VocabDo.CAP, n=40)),
        ("/vocab grades 4", Vocab(VocabDo.GRADES, n=4)),
        ("/vocab type on", Vocab(VocabDo.TYPE)),
        ("/vocab type off", Vocab(VocabDo.NO_TYPE)),
        ("/vocab list", Vocab(VocabDo.LIST)),
        ("我的单词卡", Vocab(VocabDo.LIST)),
        ("my cards", Vocab(VocabDo.LIST)),
        ("/vocab show paradigm", Vocab(VocabDo.CARD, "paradigm")),
        ("/vocab known paradigm", Vocab(VocabDo.KNOWN, "paradigm")),
        ("/vocab 已会 give up", Vocab(VocabDo.KNOWN, "give up")),
        ("/vocab suspend paradigm", Vocab(VocabDo.SUSPEND, "paradigm")),
        ("/vocab back paradigm", Vocab(VocabDo.BACK, "paradigm")),
        ("/vocab remove paradigm", Vocab(VocabDo.REMOVE, "paradigm")),
        ("/vocab remove", Vocab(VocabDo.REMOVE)),
        ("/vocab cap 12345", Vocab(VocabDo.CAP, n=12345)),
        ("/vocab new -3", Vocab(VocabDo.NEW, n=-3)),
        ("/vocab edit paradigm", Vocab(VocabDo.EDIT, "paradigm")),
        ("/vocab edit paradigm = 范式；典范", Vocab(VocabDo.EDIT, "paradigm", text="范式；典范")),
        ("/vocab edit give up 放弃", Vocab(VocabDo.EDIT, "give up", text="放弃")),
        ("/vocab reschedule all", Vocab(VocabDo.RESCHEDULE)),
        ("/vocab reschedule", Vocab(VocabDo.RESCHEDULE)),
        ("/vocab frobnicate 3", Vocab(VocabDo.UNREAD, "frobnicate 3")),
        ("/vocab new many", Vocab(VocabDo.UNREAD, "new many")),
        ("/add", AddWords()),
        ("加词", AddWords()),
        ("add a word", AddWords()),
        ("/add paradigm", AddWords("paradigm")),
        ("/add paradigm, serendipity\ngive up", AddWords("paradigm, serendipity\ngive up")),
        ("/add paradigm = 范式", AddWords("paradigm = 范式")),
        ("/加词 paradigm", AddWords("paradigm")),
        ("加词 paradigm、serendipity", AddWords("paradigm、serendipity")),
        ("加单词 paradigm", AddWords("paradigm")),
        ("帮我加单词：paradigm", AddWords("paradigm")),
        ("add the word paradigm", AddWords("paradigm")),
        ("add the word paradigm to my cards", AddWords("paradigm")),
        ("add paradigm to my daily words", AddWords("paradigm")),
        ("把 paradigm 加进单词卡", AddWords("paradigm")),
        ("“give up” 加到单词卡里", AddWords("give up")),
        ("不认识 paradigm", AddWords("paradigm")),
        ("我不认识 paradigm 这个词", AddWords("paradigm")),
        ("不认识“paradigm”", AddWords("paradigm")),
        ("不认识 Paradigm 这个词", AddWords("Paradigm")),
        ("I don't know the word serendipity", AddWords("serendipity")),
        ("add the word give up", AddWords("give up")),
        ("add the words wither, look forward to", AddWords("wither, look forward to")),
        ("add the word “take the lead”", AddWords("“take the lead”")),
        ("add the word: take the lead", AddWords("take the lead")),
        ("add word: yet", AddWords("yet")),
        ("/add to", AddWords("to")),
        ("/add 我今天去了市场", AddWords("我今天去了市场")),
        ("加词 take into account", AddWords("take into account")),
        ("加词 缘分", AddWords("缘分")),
        ("加词 苹果，香蕉", AddWords("苹果，香蕉")),
        ("加词 画蛇添足 = 多此一举", AddWords("画蛇添足 = 多此一举")),
        ("我不认识“tom”", AddWords("tom")),
        ("I don't know the word give up", AddWords("give up")),
        ("生词：serendipity", AddWords("serendipity")),
        ("new word: serendipity", AddWords("serendipity")),
    ],
)
def test_what_is_asked_of_words_is_understood(said: str, intent: Intent) -> None:
    assert meant(said) == intent


@pytest.mark.parametrize(
    "said",
    [
        "我不认识 Tom",
        "不认识他",
        "不认识路",
        "不认识 Noor 的老板",
        "我不认识这个人",
        "每天 10 个俯卧撑",
        "每天 10 个六级考试的人",
        "六级每天都有人考",
        "10 words a day",
        "20 push-ups a day",
        "复习完了",
        "复习到第三章",
        "today I met Noor",
        "today is fine",
        "words fail me",
        "stats are up",
        "每日单词很有意思",
        "daily words are great",
        "生词很多",
        "new words keep coming",
        "加词条到百科",
        "add words to the report that explain why we failed",
        "add the words you want me to say to the end of the talk",
        "单词卡放在抽屉里",
        "把车加进去",
        "add card payment to checkout",
        "add a card for visa",
        "add word wrap to the editor",
        "add word wrap mode",
        "add word count to report",
        "add the word to the doc",
        "add the words: we agreed",
        "add words to the glossary",
        "add a slide to the deck",
        "add slides to the deck",
        "add milk to the cards",
        "I don't know the word yet",
        "I don't know the word for it",
        "I don't know the word you used",
        "不认识 the",
        "我不认识 tom",
        "我不认识 api",
        "生词：今天学了很多",
        "加词 我今天去了市场",
        "加词 这个功能很好用",
        "加词 功能坏了，快来看",
        "vocab is hard",
        "不认识 the man in the photo",
        "I know the word",
        "每天 10 个",
        "我的单词卡丢了",
    ],
)
def test_ordinary_sentences_are_left_alone(said: str) -> None:
    assert not isinstance(meant(said), LEARNING)


@pytest.mark.parametrize(
    "said", ["每日单词改到 13:00，因为晚上太打扰", "move my daily words to 13:00 because evenings are for family"]
)
def test_moving_the_push_is_another_sentence(said: str) -> None:
    assert not isinstance(meant(said), LEARNING)


def test_a_long_list_of_words_is_not_cut() -> None:
    """How much is taken is decided where it can be said."""
    intent = meant("/add " + "word, " * 2_000 + "end")
    assert isinstance(intent, AddWords) and intent.words.endswith("word, end")
