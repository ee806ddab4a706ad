"""What people ask three homes in their own words: the evidence is among the first five."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from store.recall import Question, recall
from store.trail import Outcome
from store.view import View
from tests.store.memories import Box
from tests.store.question_homes import (
    HOMES,
    NEEDS_MEANING,
    NO_ANSWER,
    HomeQuestion,
    questions,
    remember_home,
    statements,
)

TODAY = date(2024, 5, 27)
SHOWN = 5
FOUND_LEAST = 0.95
FALSE_MOST = 0.07


@dataclass(frozen=True, slots=True)
class Asked:
    question: HomeQuestion
    outcome: Outcome
    shown: tuple[str, ...]
    """The names of the entries, best first."""

    @property
    def found(self) -> bool:
        return not self.question.gold.isdisjoint(self.shown[:SHOWN])

    @property
    def answered(self) -> bool:
        return self.outcome is Outcome.ANSWER

    def __str__(self) -> str:
        return f"{self.question.home} {self.question.type}: {self.question.words} → {self.outcome.value} {self.shown[:SHOWN]}"


async def _ask_all(folder: Path, home: str) -> list[Asked]:
    async with Box(folder / home).opened() as memory:
        entries = await memory.turn(lambda writer: remember_home(writer, statements(home)))
        names = {entry.id: name for name, entry in entries.items()}

        def ask(view: View) -> list[Asked]:
            out = []
            for one in questions(home):
                answer = recall(view, Question(one.words, TODAY))
                out.append(Asked(one, answer.outcome, tuple(names[entry.id] for entry in answer.entries)))
            return out

        return await memory.read(ask)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    """Every home is written and asked once for all the tests here."""
    folder = tmp_path_factory.mktemp("homes")
    return [one for home in HOMES for one in asyncio.run(_ask_all(folder, home))]


def table(some: Iterable[Asked]) -> str:
    """Found and answered by home, language and type, for whoever reads a failure."""
    by: dict[str, list[Asked]] = {}
    for one in some:
        for group in ("all", one.question.home, one.question.lang, one.question.type):
            by.setdefault(group, []).append(one)
    return "\n".join(
        f"{group:>12}: {len(those):3} asked, found {share(those, lambda one: one.found):.3f},"
        f" answered {share(those, lambda one: one.answered):.3f}"
        for group, those in by.items()
    )


def share(some: list[Asked], holds: Callable[[Asked], bool]) -> float:
    return sum(map(holds, some)) / len(some)


def listed(some: Iterable[Asked]) -> str:
    return "\n".join(f"  {one}" for one in some)


@pytest.mark.parametrize("home", HOMES)
def test_the_tables_fit_together(home: str) -> None:
    said = {one.name: one for one in statements(home)}
    assert len(said) == len(statements(home)), "a name twice"
    replaced = {one.supersedes for one in said.values()} - {""}
    asked = questions(home)
    assert len({one.words for one in asked}) == len(asked), "a question twice"
    assert {name for one in asked for name in one.gold} == said.keys() - replaced, "each current entry is asked for"
    assert all(bool(one.gold) is (one.type != NO_ANSWER) for one in asked)


def test_there_are_enough_questions_of_every_sort() -> None:
    every = [one for home in HOMES for one in questions(home)]
    answerable = [one for one in every if one.answerable]
    assert len(answerable) >= 320
    assert {lang for lang in ("zh", "en") if sum(one.lang == lang for one in answerable) < 150} == set()
    assert sum(one.lang == "mixed" for one in answerable) >= 30
    assert sum(one.type == NEEDS_MEANING for one in every) >= 40
    assert sum(one.type == NO_ANSWER for one in every) >= 100


@pytest.mark.parametrize("lang", ["zh", "en", "mixed"])
def test_the_evidence_is_among_the_first_five(asked: list[Asked], lang: str) -> None:
    some = [one for one in asked if one.question.answerable and one.question.lang == lang]
    missed = [one for one in some if not one.found]
    assert share(some, lambda one: one.found) >= FOUND_LEAST, f"\n{table(some)}\n{listed(missed)}"


def test_what_nothing_says_is_seldom_answered(asked: list[Asked]) -> None:
    some = [one for one in asked if one.question.type == NO_ANSWER]
    false = [one for one in some if one.answered]
    assert share(some, lambda one: one.answered) <= FALSE_MOST, f"\n{table(some)}\n{listed(false)}"
