"""How messages of a chat are ranked, in small worked examples, and what the gate makes of words and meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from store.chat import rank_chat, search_chat
from store.cues import ASKS, ENDS_ASKING, NAME, TIME, cues_of, wanted_by
from store.gate import Judge, Weighed
from store.model import TALK, AccountID
from store.ranking import Nearness, Ranked
from store.text import is_bare, needed_in
from store.trail import Outcome
from store.vectors import TURNS, Meaning, Wanted, keep
from store.writer import Writer
from tests.store.memories import LIN, Box, forget, remember

TODAY = date(2024, 5, 27)
NOOR = AccountID("terminal:as/Noor")
MODEL = "e5 test 4"


def say(
    writer: Writer, text: str, *, who: AccountID = LIN, chat: str = "terminal:lin", at_ms: int | None = None
) -> None:
    at_ms = writer.now_ms if at_ms is None else at_ms
    writer.keep_turn(chat=chat, account=who, at_ms=at_ms, zone="UTC", kind=TALK, text=text, reply="ok")


FILLING = [f"the kettle number {n} was mended" for n in range(60)]
"""So many that bm25 ranks and not the bare share of words."""


async def ranked(tmp_path: Path, texts: Sequence[tuple[AccountID, str]], question: str) -> list[str]:
    async with Box(tmp_path).opened() as memory:

        def talk(writer: Writer) -> None:
            writer.set("meta", f"account/{NOOR}", {"name": "Noor", "role": "member"}, by=LIN)
            writer.set("meta", f"account/{LIN}", {"name": "Lin", "role": "owner"}, by=LIN)
            for place, text in enumerate(FILLING):
                say(writer, text, chat=f"terminal:{place // 20}")
            for who, text in texts:
                say(writer, text, who=who, chat="terminal:talk")

        await memory.turn(talk)
        found = await memory.read(lambda view: rank_chat(view, question, TODAY, meaning=None, limit=5))
        return [turn.text for turn in found]


async def test_a_question_hands_its_score_to_the_answer_behind_it(tmp_path: Path) -> None:
    talk = [(LIN, "where did you hide the present for grandma?"), (NOOR, "on top of the wardrobe"), (LIN, "good")]
    assert "on top of the wardrobe" in (await ranked(tmp_path, talk, "where is the present for grandma"))[:2]


async def test_the_speaker_who_is_named_goes_first(tmp_path: Path) -> None:
    talk = [(LIN, "I play the cello on Mondays"), (NOOR, "I play the cello on Mondays")]
    async with Box(tmp_path).opened() as memory:

        def fill(writer: Writer) -> None:
            writer.set("meta", f"account/{NOOR}", {"name": "Noor", "role": "member"}, by=LIN)
            for text in FILLING:
                say(writer, text)
            for place, (who, text) in enumerate(talk):
                say(writer, text, who=who, chat=f"terminal:{place}")

        await memory.turn(fill)
        first = await memory.read(lambda view: rank_chat(view, "what does Noor play", TODAY, meaning=None, limit=1))
        assert first[0].account == NOOR


@pytest.mark.parametrize(
    ("question", "first"),
    [("when is the choir concert", "the choir concert is on 14 June"), ("who leads the choir concert", "it is Abara who leads the choir, so Abara it is")],
)  # fmt: skip
async def test_a_wanted_time_and_a_wanted_name_count(tmp_path: Path, question: str, first: str) -> None:
    talk = [
        (LIN, "the choir concert is loud and long"),
        (LIN, "the choir concert is on 14 June"),
        (LIN, "it is Abara who leads the choir, so Abara it is"),
    ]
    assert (await ranked(tmp_path, talk, question))[0] == first


async def test_what_was_forgotten_never_comes_up_and_places_stay_neighbours(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:

        def talk(writer: Writer) -> str:
            entry = remember(writer, "the zebra sleeps in the shed")
            for text in ("where is the zebra?", "the zebra sleeps in the shed", "really?", "yes, behind the rakes"):
                say(writer, text)
            return entry.id

        record = await memory.turn(talk)
        await memory.turn(lambda writer: forget(writer, record))
        found = await memory.read(lambda view: search_chat(view, "where does the zebra sleep", TODAY).turns)
        assert all("shed" not in turn.text for turn in found)
        await memory.erase_due(now=True)
        places = await memory.read(lambda view: view.conn.execute("SELECT place FROM turn_places").fetchall())
        assert len(places) == 3
        await memory.rebuild()
        again = await memory.read(lambda view: view.conn.execute("SELECT place FROM turn_places").fetchall())
        assert [place for (place,) in again] == list(range(again[0][0], again[0][0] + 3))


async def test_one_memory_never_sees_the_vectors_or_words_of_another(tmp_path: Path) -> None:
    """B3: an exact match in Lin's scope, many weak ones in Noor's, asked as Noor with words and with meaning."""
    near = np.array([1, 0, 0, 0], np.float32)
    async with Box(tmp_path / "lin", seed="lin").opened() as lin, Box(tmp_path / "noor", seed="noor").opened() as noor:
        for memory, texts in (
            (lin, ["the vault opens with the heron"]),
            (noor, [f"heron number {n}" for n in range(50)]),
        ):

            def fill(writer: Writer, texts: Sequence[str] = texts) -> None:
                for text in texts:
                    say(writer, text)
                rows = writer.conn.execute("SELECT place, t.text FROM turn_places p JOIN turns t ON t.id = p.turn")
                wanted = [Wanted(TURNS, place, text) for place, text in rows.fetchall()]
                vectors = np.tile(
                    near if texts[0].startswith("the vault") else np.eye(4, dtype=np.float32)[1], (len(wanted), 1)
                )
                keep(writer.conn, MODEL, wanted, vectors)

            await memory.turn(fill)
        question = "the vault opens with the heron"
        for meaning in (None, Meaning("e5", MODEL, near)):
            found = await noor.read(lambda view, m=meaning: search_chat(view, question, TODAY, meaning=m).turns)  # type: ignore[misc]
            assert found and all(turn.text.startswith("heron number") for turn in found)


# the signs


@pytest.mark.parametrize(
    ("text", "cues"),
    [("where is it?", ASKS | ENDS_ASKING), ("is it? no.", ASKS), ("see you on friday", TIME), ("上周三到的", TIME),
     ("met with Samuel there", NAME), ("Samuel", 0), ("nothing", 0), ("他说“好吗？”", ASKS | ENDS_ASKING)],
)  # fmt: skip
def test_signs_of_a_message(text: str, cues: int) -> None:
    assert cues_of(text) == cues


@pytest.mark.parametrize(
    ("question", "cue"),
    [("when did we meet", TIME), ("how long ago", TIME), ("什么时候搬家", TIME), ("who came", NAME), ("放在哪里", NAME), ("does it work", 0)],
)  # fmt: skip
def test_what_a_question_wants(question: str, cue: int) -> None:
    assert wanted_by(question) == cue


@pytest.mark.parametrize(
    ("question", "held", "lacking"),
    [
        ("when does release 2.1 ship", "release 2.1 ships", "release 2.0 ships"),
        ("is the limit 100", "limit 100", "limit 1000"),
        ("what did Lin say about Skyforge", "skyforge is late", "the forge is late"),
        ("灯塔什么时候上线", "灯塔周五上线", "青禾周五上线"),
        ("后端用什么？", "后端用 Python", "前端用 React"),
        ("老王的电话是多少", "小王的电话是 1111", "老李的电话是 1111"),
        ("他的电话是多少？", "他的电话是 1111", "老李的电话是 1111"),
        ("给小宝买什么", "宝宝要尿布", "给小美买蛋糕"),
        ("狗的疫苗本在哪？", "狗的疫苗本在抽屉里", "猫的疫苗本在抽屉里"),
        ("年会改到什么时候了？", "年会改到周五", "周会改到周五"),
        ("谁负责 billing", "billing 由小王负责", "登录由小王负责"),
    ],
)
def test_what_must_stand_in_a_claimed_text(question: str, held: str, lacking: str) -> None:
    needed = needed_in(question, ("Lin",))
    assert needed
    assert all(one.search(held) for one in needed)
    assert not all(one.search(lacking) for one in needed)


def test_plain_questions_need_nothing() -> None:
    assert needed_in("where is the spare key") == ()


@pytest.mark.parametrize(
    ("question", "bare"),
    [("spare key", True), ("备份", True), ("where is the spare key", False), ("备份放在哪", False)],
)
def test_bare_words(question: str, bare: bool) -> None:
    assert is_bare(question) == bare


# the gate


def judged(
    near: dict[int, Nearness], nearest: dict[bool, float], *, needed: Sequence[str] = (), bare: bool = False
) -> Judge:
    """Row 1 covers everything, row 2 a third, row 3 nothing; five texts in the home."""
    weighed = Weighed({"a": 6.0, "b": 6.0, "c": 6.0}, {"a": {1, 2}, "b": {1}, "c": {1}}, 18.0, 5)
    found = Ranked([1, 2, 3], [1, 2, 3], {1: 1.0, 2: 0.3, 3: 0.0}, near, nearest)
    texts = {1: "one", 2: "two", 3: "three"}
    meaning = Meaning("e5", MODEL, np.zeros(4, np.float32)) if near else None
    return Judge(weighed, [1, 2, 3], found, meaning, [re.compile(one) for one in needed], texts, is_bare=bare)


def test_words_alone_decide_without_vectors() -> None:
    judge = judged({}, {})
    assert [judge.enough(row) for row in (1, 2, 3)] == [True, False, False]
    assert [judge.is_close(row) for row in (1, 2, 3)] == [True, True, False]


def test_words_and_meaning_must_point_at_the_same_text() -> None:
    agree = judged({1: Nearness(0.9, False), 2: Nearness(0.78, False)}, {False: 0.9})
    apart = judged({1: Nearness(0.70, False), 3: Nearness(0.86, False)}, {False: 0.86})
    assert agree.enough(1)
    assert not any(apart.enough(row) for row in (1, 2, 3))
    assert apart.said(1) < agree.said(1)


def test_a_bare_word_needs_no_meaning() -> None:
    far = {1: Nearness(0.70, False)}
    assert not judged(far, {False: 0.7}).enough(1)
    assert judged(far, {False: 0.7}, bare=True).enough(1)


def test_what_lacks_what_it_must_hold_is_never_claimed() -> None:
    assert judged({}, {}, needed=["one"]).enough(1)
    assert not judged({}, {}, needed=["two"]).enough(1)
    assert not judged({1: Nearness(0.95, False)}, {False: 0.95}, needed=["two"], bare=True).enough(1)


def test_an_embedder_that_was_not_measured_leaves_the_claim_to_words() -> None:
    weighed = Weighed({"a": 6.0}, {"a": {1}}, 6.0, 1)
    found = Ranked([1], [1], {1: 1.0}, {1: Nearness(0.1, False)}, {False: 0.1})
    judge = Judge(weighed, [1], found, Meaning("url", "url x 4", np.zeros(4, np.float32)), (), {1: "a"}, is_bare=False)
    assert judge.enough(1) and judge.near(1) is None


async def test_nothing_at_all_is_nothing(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        for words in ("", "zebra", "什么时候"):
            heard = await memory.read(lambda view, one=words: search_chat(view, one, TODAY))  # type: ignore[misc]
            assert (heard.outcome, heard.turns) == (Outcome.NOTHING, ())
