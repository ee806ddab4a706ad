"""Any text is a question: an answer comes, never an error, from the entries and from the chat (B58)."""

from __future__ import annotations

import os
import random
from datetime import date
from pathlib import Path

import pytest

from store.model import TALK
from store.recall import Question, recall
from store.trail import Outcome
from store.view import View
from store.writer import Writer
from tests.store.memories import CHAT, LIN, Box, remember

TODAY = date(2024, 5, 27)
PIECES = (
    '"', "'", "(", ")", "*", "-", ":", "AND", "OR", "NOT", "NEAR/2", "^", "{", "}", "\\", "\0", "\ud800", "\u200b", "\u202e",
    "预算", "盘", "C++", "C#", "ＡＰＩ", "café", "cafe\u0301", "👩‍👩‍👧", "2.1", "1,000", "上周三", "last Friday", "2024-05-27", "before", "之前",
    "between", "和", "Lin", "的", "?", "？", " ", "\n", "kind:decision", "tag:", "by:Lin", "before:blah", "release", "Skyforge", "x" * 400,
    "é" * 50, "०१२", "ﷺ", "\U00020000", "ß", "İ", "１２", "%", "_", "é", "--", ";", "/*",
)  # fmt: skip


def texts(count: int, seed: int) -> list[str]:
    drawn = random.Random(seed)
    return ["".join(drawn.choices(PIECES, k=drawn.randint(0, 12))) for _ in range(count)]


async def ask_all(tmp_path: Path, count: int, seed: int) -> None:
    async with Box(tmp_path).opened() as memory:

        def fill(writer: Writer) -> None:
            for text in (
                "release 2.1 ships on Friday",
                "预算上限 3 万",
                "C++ 作业周五交",
                "Skyforge is Noor's",
                *texts(60, 1),
            ):
                clean = text.replace("\0", "").encode(errors="replace").decode()
                if clean.strip():
                    remember(writer, clean)
                    writer.keep_turn(
                        chat=CHAT, account=LIN, at_ms=writer.now_ms, zone="UTC", kind=TALK, text=clean, reply=""
                    )

        def ask(view: View) -> None:
            for text in texts(count, seed):
                answer = recall(view, Question(text, TODAY, chat=True))
                assert answer.outcome in Outcome and (answer.outcome is Outcome.NOTHING) == (
                    not (answer.entries or answer.tasks or answer.facts)
                )
                assert len(answer.turns) <= 10

        await memory.turn(fill)
        await memory.read(ask)


async def test_some_texts_are_questions(tmp_path: Path) -> None:
    await ask_all(tmp_path, 300, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 13 if os.environ.get("NIANNIAN_SWEEPS") == "all" else 7))
async def test_five_thousand_texts_are_questions(tmp_path: Path, seed: int) -> None:
    """Fifty thousand in all, of which `.ci/run` asks twenty thousand."""
    await ask_all(tmp_path, 5_000, seed)


@pytest.mark.parametrize(
    "piece", ["x", "预", "预算 ", "last Friday ", '"', "(", "2.1 ", "上周三", "\u0301", "Skyforge "]
)
async def test_a_question_of_64_kib_is_answered(tmp_path: Path, piece: str) -> None:
    question = (piece * (64 * 1024 // len(piece.encode()) + 1))[: 64 * 1024]
    async with Box(tmp_path).opened() as memory:
        await memory.turn(lambda writer: remember(writer, "release 2.1 ships on Friday 预算"))
        await memory.read(lambda view: recall(view, Question(question, TODAY, chat=True)))
