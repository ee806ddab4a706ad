"""How long something is to be kept: which words say so, and which only tell."""

from __future__ import annotations

from datetime import date

import pytest

from bot.intents import Correct, Remember
from bot.phrases.grammar import parse
from bot.phrases.lasting import last_day
from store.model import EntryKind

MONDAY = date(2024, 5, 27)

INSTRUCTS = """
remember until Friday: the car is on B2
remember: until Friday: the car is on B2
/remember until Friday : the car is on B2
keep this until Friday: the car is on B2
remember the car is on B2, keep until Friday
remember the car is on B2 (keep it until Friday).
remember the car is on B2. Remember only until Friday
remember the car is on B2 [remember until Friday] #car
记到周五：the car is on B2
记到周五，the car is on B2
请帮我记到周五为止：the car is on B2
只记到周五：the car is on B2
記到週五：the car is on B2
记住到周五：the car is on B2
记一下，到周五：the car is on B2
记住 the car is on B2（记到周五）
记住 the car is on B2，只记到周五。
记住 the car is on B2。记到周五就行 #车
correct D-2024-05-27-01 the car is on B2, keep until Friday
不对，the car is on B2（记到周五）
""".strip().split("\n")

TELLS = """
remember the shop is open until Friday
remember the shop is open, until Friday
remember until Friday the shop is open
remember until Friday, the shop is open
remember: we wait until Friday: then we decide
remember to keep until Friday
remember the cake we keep until Friday
记住那件事你记到周五
remember (keep until Friday)
记住商店开门到周五
记住到周五商店都开门
记住蛋糕留到周五
记住他从周一记到周五
记住（记到周五）
""".strip().split("\n")


@pytest.mark.parametrize("said", INSTRUCTS)
def test_words_that_only_say_how_long_are_no_part_of_what_is_kept(said: str) -> None:
    intent = parse(said).intent
    assert isinstance(intent, Remember | Correct)
    assert intent.lasting is not None
    assert intent.lasting.draft.text == "the car is on B2"
    assert last_day(intent.lasting.words, MONDAY) == "2024-05-31"
    assert "B2" in intent.draft.text
    assert intent.draft.text != "the car is on B2" or intent.draft.tags, "whole, for when no day is read"


@pytest.mark.parametrize("said", ["remember open (until Friday)", "记住 open（到周五）", "记住 open（直到周五为止）"])
def test_bare_brackets_may_tell_as_well_so_their_words_stay(said: str) -> None:
    intent = parse(said).intent
    assert isinstance(intent, Remember)
    assert intent.lasting is not None
    assert intent.lasting.draft == intent.draft
    assert last_day(intent.lasting.words, MONDAY) == "2024-05-31"


@pytest.mark.parametrize("said", TELLS)
def test_what_may_be_a_statement_is_one(said: str) -> None:
    intent = parse(said).intent
    assert isinstance(intent, Remember)
    assert intent.lasting is None


@pytest.mark.parametrize(
    "said", ["记到本子上：买牛奶", "记到哪了", "记到周五", "记到：周五", "keep this until it rains"]
)
def test_talk_of_noting_down_is_no_command(said: str) -> None:
    assert not isinstance(parse(said).intent, Remember)


@pytest.mark.parametrize("said", ["记到周五", "remember until Friday", "记住，到周五"])
def test_a_reply_keeps_what_it_answers(said: str) -> None:
    intent = parse(said, is_reply=True).intent
    assert isinstance(intent, Remember)
    assert intent.lasting is not None
    assert (intent.lasting.draft.text, intent.lasting.draft.kind) == ("", EntryKind.QUOTE)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("Friday", "2024-05-31"),
        ("today", "2024-05-27"),
        ("tomorrow evening", "2024-05-28"),
        ("next week", "2024-06-09"),
        ("下周", "2024-06-09"),
        ("周五晚上", "2024-05-31"),
        ("5月31日（周五）", "2024-05-31"),
        ("2024-05-27", "2024-05-27"),
        ("2024-05-26", ""),
        ("yesterday", ""),
        ("10", ""),
        ("Friday or Saturday", ""),
        ("perhaps Friday", ""),
        ("the Friday after Noor comes back", ""),
        ("", ""),
    ],
)
def test_the_last_day_is_read_whole_or_not_at_all(words: str, day: str) -> None:
    assert last_day(words, MONDAY) == day
