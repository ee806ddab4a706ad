"""Recall in a real memory: three outcomes at every size, dates, rivals, and what must never come back."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.chat import search_chat
from store.memory import Memory
from store.model import Entry, EntryKind
from store.recall import Answer, Question, recall
from store.trail import Outcome
from store.writer import Writer
from tests.store.memories import CHAT, LIN, Box, forget, remember

TODAY = date(2024, 5, 27)  # a Monday, as FakeClock stands
FILLERS_EN = ("boat", "cellar", "violin", "lemon", "harbour", "ladder", "pillow", "museum", "falcon", "turbine")
FILLERS_ZH = ("渔船", "酒窖", "提琴", "柠檬", "海港", "梯子", "枕头", "展馆", "猎鹰", "涡轮")
SIZES = (1, 2, 5, 20, 100)


def filler(number: int) -> str:
    """Statements that share nothing with the one asked about but their shape."""
    word = number // len(FILLERS_EN)
    if number % 2:
        return f"{FILLERS_ZH[number % 10]}第{number}号归{FILLERS_ZH[word % 10]}组管理"
    return f"{FILLERS_EN[number % 10]} number {number} belongs with {FILLERS_EN[word % 10]} crew"


async def fill(memory: Memory, texts: Sequence[str]) -> list[Entry]:
    return await memory.turn(lambda writer: [remember(writer, text) for text in texts])


async def ask(memory: Memory, words: str, **more: object) -> Answer:
    question = Question(words, TODAY, **more)  # type: ignore[arg-type]
    return await memory.read(lambda view: recall(view, question))


def texts(answer: Answer) -> list[str]:
    return [entry.draft.text for entry in answer.entries]


# outcomes


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("the spare key hangs behind the green shed door", "where does the spare key hang?"),
        ("备用钥匙挂在绿色棚屋的门后", "备用钥匙挂在哪？"),
    ],
)
async def test_what_was_said_is_an_answer_in_a_home_of_any_size(
    tmp_path: Path, size: int, said: str, asked: str
) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, [*(filler(number) for number in range(size - 1)), said])
        answer = await ask(memory, asked)
        assert answer.outcome is Outcome.ANSWER
        assert texts(answer)[0] == said
        assert answer.total == size


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("asked", ["who repairs the xylophone?", "风筝谁来修？"])
async def test_what_shares_no_word_is_nothing_found_in_a_home_of_any_size(
    tmp_path: Path, size: int, asked: str
) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, [filler(number) for number in range(size)])
        answer = await ask(memory, asked)
        assert (answer.outcome, answer.entries) == (Outcome.NOTHING, ())


@pytest.mark.parametrize("size", [20, 100])
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("grandmother's recipe box stands on the pantry shelf", "which insurance covers the pantry renovation budget?"),
        ("外婆的菜谱盒放在储藏室架子上", "储藏室装修预算的保险公司电话号码"),
    ],
)
async def test_a_word_in_common_is_shown_as_the_closest_but_not_claimed(
    tmp_path: Path, size: int, said: str, asked: str
) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, [*(filler(number) for number in range(size - 1)), said])
        answer = await ask(memory, asked)
        assert answer.outcome is Outcome.CLOSEST
        assert said in texts(answer)


async def test_an_empty_home_finds_nothing(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        for words in ("where is the key?", "钥匙在哪？", "", "what?"):
            answer = await ask(memory, words)
            assert (answer.outcome, answer.total) == (Outcome.NOTHING, 0)


async def test_the_trail_says_where_it_looked(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await fill(memory, ["the ferry leaves from pier seven"])
        fresh = await ask(memory, "which pier does the ferry leave from?")
        assert [(step.layer, step.found, step.enough) for step in fresh.trail] == [("L1", 1, True)]
        box.clock.advance(timedelta(days=9))
        later = Question("which pier does the ferry leave from?", TODAY + timedelta(days=9))
        old = await memory.read(lambda view: recall(view, later))
        assert [(step.layer, step.found) for step in old.trail] == [("L1", 0), ("L2", 1)]


async def test_a_question_without_words_lists_every_one_of_a_kind_the_newest_first(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await memory.turn(
            lambda writer: [remember(writer, f"decision {number}", kind=EntryKind.DECISION) for number in range(5)]
        )
        await fill(memory, ["a fact among them"])
        answer = await ask(memory, "what did we decide?", kind=EntryKind.DECISION, listing=True)
        assert texts(answer) == [f"decision {number}" for number in (4, 3, 2, 1, 0)]


async def test_what_was_asked_for_often_does_not_go_before_what_is_newer(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        (old,) = await fill(memory, ["Tom works at Shell"])
        await memory.turn(lambda writer: [writer.note_use(old.id) for _ in range(5)])
        await fill(memory, ["Tom works at BP now"])
        assert texts(await ask(memory, "where does Tom work?"))[0] == "Tom works at BP now"


async def test_words_side_by_side_go_before_the_same_words_apart(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        _, car = await fill(memory, ["spare key is under the blue pot", "spare car key is in the drawer"])
        await memory.turn(lambda writer: [writer.note_use(car.id) for _ in range(5)])
        assert texts(await ask(memory, "where is the spare key?"))[0] == "spare key is under the blue pot"
        assert texts(await ask(memory, "where is the spare car key?"))[0] == "spare car key is in the drawer"


# dates


async def test_a_date_finds_what_was_said_on_it_and_what_is_about_it(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        await fill(memory, ["the choir sings on Friday", "the boiler was checked"])
        ahead = await ask(memory, "what is on Friday?", listing=True)
        assert texts(ahead) == ["the choir sings on Friday"]
        assert ahead.span is None, "it was not said on Friday"
        said = await ask(memory, "what did I say today?", listing=True)
        assert len(said.entries) == 2
        assert said.span is not None
        assert said.span.first == "2024-05-27"


async def test_several_dates_mean_any_of_them(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        for day in (1, 1, 1):
            await fill(memory, [f"lunch {box.clock.now():%d} was soup"])
            box.clock.advance(timedelta(days=day))
        wanted = Question("2024-05-27 and 2024-05-29", date(2024, 5, 30), listing=True)
        answer = await memory.read(lambda view: recall(view, wanted))
        assert sorted(texts(answer)) == ["lunch 27 was soup", "lunch 29 was soup"]
        assert answer.span is None


async def test_a_misremembered_date_gives_the_closest_and_never_a_claim(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["the ferry leaves from pier seven"])
        answer = await ask(memory, "what did I say on 2023-01-05 about the ferry pier?")
        assert answer.outcome is Outcome.CLOSEST
        assert texts(answer) == ["the ferry leaves from pier seven"]
        assert answer.span is not None
        assert answer.span.first == "2023-01-05"


# versions and rivals


async def test_a_replaced_entry_is_answered_with_what_replaced_it(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        (old,) = await fill(memory, ["quarterly rehearsal happens at the old brewery"])
        await memory.turn(lambda writer: remember(writer, "rehearsal moved elsewhere entirely", supersedes=(old.id,)))
        answer = await ask(memory, "quarterly rehearsal old brewery")
        assert texts(answer) == ["rehearsal moved elsewhere entirely"]


@pytest.mark.parametrize(
    ("said", "corrected", "asked", "more"),
    [
        ("小美的生日是6月12日", "小美的生日是6月13日", "6月12日是谁的生日", {}),
        ("release 2.1 ships on Monday", "release 2.2 ships on Monday", "when does release 2.1 ship", {}),
        ("我们用 SQLite 存", "我们用 Postgres 存", "SQLite", {"literal": True}),
    ],
)
async def test_a_correction_without_what_was_asked_for_is_no_answer(
    tmp_path: Path, said: str, corrected: str, asked: str, more: dict[str, object]
) -> None:
    async with Box(tmp_path).opened() as memory:
        (old,) = await fill(memory, [said])
        assert (await ask(memory, asked, **more)).outcome is Outcome.ANSWER
        await memory.turn(lambda writer: remember(writer, corrected, supersedes=(old.id,)))
        answer = await ask(memory, asked, **more)
        assert (answer.outcome, texts(answer)) == (Outcome.CLOSEST, [corrected])


async def test_a_short_correction_still_answers(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        (old,) = await fill(memory, ["后端用 Python 3.11"])
        await memory.turn(lambda writer: remember(writer, "改用 Go 了", supersedes=(old.id,)))
        answer = await ask(memory, "后端用什么？")
        assert (answer.outcome, texts(answer)) == (Outcome.ANSWER, ["改用 Go 了"])


async def test_only_an_equal_subject_disagrees(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["the staging password hint is walnut", "the staging banner hint is almond"])
        assert not (await ask(memory, "staging password hint")).disagree
        await fill(memory, ["the staging password hint is hazelnut"])
        answer = await ask(memory, "staging password hint")
        assert answer.disagree
        assert texts(answer) == ["the staging password hint is hazelnut", "the staging password hint is walnut"]


async def test_the_same_statement_twice_is_no_disagreement(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["部署用 Postgres", "部署用 postgres。"])
        assert not (await ask(memory, "部署用什么？")).disagree


async def test_kept_side_by_side_disagrees_no_more(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        first, second = await fill(memory, ["部署用 Postgres", "部署用 SQLite"])
        assert (await ask(memory, "部署用什么？")).disagree
        await memory.turn(lambda writer: writer.set(first.id, "kept", [second.id], by=LIN))
        answer = await ask(memory, "部署用什么？")
        assert not answer.disagree
        assert len(answer.entries) == 2


# what must never come back


async def test_a_hidden_entry_is_in_no_answer(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        gone, _ = await fill(memory, ["the violin teacher is Okonkwo", "the violin is in the hall"])
        await memory.turn(lambda writer: forget(writer, gone.id))
        for words in ("violin teacher Okonkwo", '"Okonkwo"'):
            answer = await ask(memory, words)
            assert gone.id not in {entry.id for entry in answer.entries}


async def test_a_checkpoint_is_in_no_answer(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await memory.turn(lambda writer: remember(writer, "zeppelin zeppelin", kind=EntryKind.CHECKPOINT))
        for more in ({}, {"listing": True}, {"literal": True}):
            assert (await ask(memory, '"zeppelin"', **more)).outcome is Outcome.NOTHING


async def test_raw_search_gives_talk_only_and_nothing_forgotten(tmp_path: Path) -> None:
    def said(writer: Writer, kind: str, text: str) -> None:
        writer.keep_turn(
            chat=CHAT, account=LIN, at_ms=writer.now_ms, zone="UTC", kind=kind, text=text, reply="walrus reply"
        )

    async with Box(tmp_path).opened() as memory:
        for kind in ("talk", "question", "command", "nothing"):
            await memory.turn(lambda writer, one=kind: said(writer, one, f"the walrus {one}"))  # type: ignore[misc]
        found = await memory.read(lambda view: search_chat(view, "walrus", TODAY).turns)
        assert [turn.text for turn in found] == ["the walrus talk"]
        (entry,) = await fill(memory, ["the walrus talk"])
        await memory.turn(lambda writer: forget(writer, entry.id))
        assert await memory.read(lambda view: search_chat(view, "walrus", TODAY).turns) == ()
        assert await memory.read(lambda view: search_chat(view, "", TODAY).turns) == ()


async def test_an_exact_match_in_another_scope_never_appears(tmp_path: Path) -> None:
    """Case B3: a better match next door is no match."""
    async with Box(tmp_path / "mine").opened() as mine, Box(tmp_path / "theirs").opened() as theirs:
        await fill(theirs, ["the safe stands behind the painting"])
        await fill(mine, ["a painting course begins in June"])
        answer = await ask(mine, "the safe stands behind the painting")
        assert texts(answer) in ([], ["a painting course begins in June"])


WORDS = ["violin", "harbour", "walnut", "提琴", "海港", "核桃", "是", "is", "的"]
STATEMENT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(homes=st.lists(st.lists(STATEMENT, max_size=4), min_size=2, max_size=3), asked=STATEMENT)
async def test_every_answer_comes_from_the_scope_asked(homes: list[list[str]], asked: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for place, said in enumerate(homes):
            async with Box(Path(folder) / str(place), seed=str(place)).opened() as memory:
                own = {entry.id for entry in await fill(memory, [f"{text} {place}" for text in said])}
                for literal in (False, True):
                    answer = await ask(memory, asked, literal=literal)
                    assert {entry.id for entry in answer.entries} <= own
                    assert answer.outcome is Outcome.NOTHING or answer.entries


# search as people type it


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我们把发布时间改到了周五下午", "发布时间改到周五"),  # B56
        ("今天讨论了部署方案，周五上线", "部署方案"),
        ("今天讨论了部署方案，周五上线", "上线"),
        ("早报 7点发", "早报"),  # B57
        ("C盘满了", "C盘"),
        ("C盘满了", "盘"),
        ("缓存过期问题已经修复", "缓存"),
        ("修复了缓存过期的问题", "问题"),
        ("餐厅定在外滩", "外滩"),
    ],
)
async def test_chinese_is_found_by_phrases_and_by_two_characters(tmp_path: Path, said: str, asked: str) -> None:
    async with Box(tmp_path).opened() as memory:
        await fill(memory, [*(filler(number) for number in range(30)), said])
        assert texts(await ask(memory, asked, literal=True))[0] == said
        assert texts(await ask(memory, asked))[0] == said


@pytest.mark.parametrize(
    "asked",
    ['"', "'", "AND", "OR OR", "NOT", "(", "((((", "a AND (b", "*", "key*", "NEAR(a b", "a:b", "^key", "C++", "what's up?",
     "pre-edit", "memory:safe", 'say "hi', "foo AND", "(x", "GB/s", "don't", "", "x " * 2500, "-key", '"key', "钥匙 AND", "key OR OR 钥匙", "\x00key", "🔑", "%_", "'; DROP TABLE entries; --"],
)  # fmt: skip
async def test_no_search_is_an_error(tmp_path: Path, asked: str) -> None:
    """Case B58."""
    async with Box(tmp_path).opened() as memory:
        await fill(memory, ["the key is under the mat", "钥匙在门垫下面"])
        for literal in (False, True):
            assert (await ask(memory, asked, literal=literal)).total == 2
