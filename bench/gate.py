"""How often recall claims an answer it does not have, and how often it has one and claims it.

Three kinds of question per home: *own* (something in the home answers it), *swap* (another home's question with the
names of this one) and *gone* (an own question after every conversation that answers it was taken out). Homes of a few
texts are random draws from whole ones. Nothing of the sets is kept here: `--loaders` names a script with `load_locomo`
and `load_memorybank` (each gives corpora with docs and questions), `--data` its data.

    uv run python bench/gate.py --loaders FILE --data DIR [--as chat|entries] [--questions 300] [--sizes 1,5,all]
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recall_adapter import Adapter
from report import Progress, Table

SEED = 20240527
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Case:
    kind: str
    docs: Sequence[Any]
    people: Sequence[str]
    text: str
    gold: frozenset[str]
    now: str | None
    key: object
    """Cases of one key share their home."""


def cases(corpora: Sequence[Any], size: int | None, most: int) -> Iterator[Case]:
    """At most `most` of each kind; homes of `size` texts, or whole ones."""
    drawing = random.Random(SEED)
    asked = [(corpus, question) for corpus in corpora for question in corpus.questions]
    drawing.shuffle(asked)
    for number, (corpus, question) in enumerate(asked[:most]):
        sessions = {doc.session for doc in corpus.docs if doc.id in question.gold}
        left = [doc for doc in corpus.docs if doc.session not in sessions]
        people = _speakers(corpus)
        others = [one for one in corpora if one is not corpus]
        other = drawing.choice(others)
        foreign = _swapped(drawing.choice(other.questions).text, _speakers(other), people)
        if size is None:
            yield Case("own", corpus.docs, people, question.text, question.gold, question.now, (corpus.name, "whole"))
            yield Case("swap", corpus.docs, people, foreign, frozenset(), question.now, (corpus.name, "whole"))
            yield Case(
                "gone", left, people, question.text, frozenset(), question.now, (corpus.name, tuple(sorted(sessions)))
            )
            continue
        evidence = [doc for doc in corpus.docs if doc.id in question.gold]
        one = drawing.choice(evidence)
        rest = [doc for doc in corpus.docs if doc.id not in question.gold]
        own = [*_draw(drawing, rest, size - 1), one]
        drawing.shuffle(own)
        yield Case("own", own, people, question.text, frozenset({one.id}), question.now, ("own", number))
        draw = _draw(drawing, corpus.docs, size)
        yield Case("swap", draw, people, foreign, frozenset(), question.now, ("swap", number))
        yield Case(
            "gone", _draw(drawing, left, size), people, question.text, frozenset(), question.now, ("gone", number)
        )


def _draw(drawing: random.Random, docs: Sequence[Any], count: int) -> list[Any]:
    return drawing.sample(list(docs), min(count, len(docs)))


def _speakers(corpus: Any) -> list[str]:
    return list(dict.fromkeys(doc.speaker for doc in corpus.docs if doc.speaker and doc.speaker != "assistant"))


def _swapped(text: str, there: Sequence[str], here: Sequence[str]) -> str:
    for old, new in zip(there, here, strict=False):
        text = re.sub(re.escape(old), new, text)
    return text


async def measure(corpora: Sequence[Any], size: int | None, most: int, *, chat: bool) -> dict[str, dict[str, float]]:
    by_home: dict[object, list[Case]] = defaultdict(list)
    for case in cases(corpora, size, most):
        by_home[case.key].append(case)
    adapter = Adapter(chat=chat)
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    progress = Progress(f"homes of {size or 'all'}", len(by_home))
    for done, some in enumerate(by_home.values()):
        progress.at(done)
        docs = some[0].docs
        if not chat:
            docs = [replace(doc, speaker="", when=doc.when or "2024-01-01") for doc in docs]
        await adapter.index(docs, some[0].people)
        for case in some:
            outcome, shown, claimed = await adapter.answer(case.text, SHOWN, case.now)
            row = sums[case.kind]
            row["n"] += 1
            row["answer"] += outcome == "answer"
            row["nothing"] += outcome == "nothing"
            row["right"] += outcome == "answer" and bool(case.gold & set(shown[: min(3, claimed)]))
            row["shown"] += outcome != "nothing" and bool(case.gold & set(shown))
    progress.done()
    await adapter.end()
    return {kind: {name: value / row["n"] for name, value in row.items() if name != "n"} for kind, row in sums.items()}


async def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--loaders", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--as", dest="form", choices=("chat", "entries"), default="chat")
    parser.add_argument("--set", default="locomo", choices=("locomo", "memorybank"))
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--sizes", default="1,2,5,20,100,all")
    asked = parser.parse_args()
    spec = importlib.util.spec_from_file_location("loaders", asked.loaders)
    assert spec and spec.loader
    loaders = importlib.util.module_from_spec(spec)
    sys.modules["loaders"] = loaders
    spec.loader.exec_module(loaders)
    corpora = list(getattr(loaders, f"load_{asked.set}")(asked.data))
    table = Table(
        f"the gate on {asked.set}, as {asked.form}",
        "home", "false on swap", "on gone", "both", "answered", "with the right evidence", "right among ten",
    )  # fmt: skip
    for size in asked.sizes.split(","):
        found = await measure(corpora, None if size == "all" else int(size), asked.questions, chat=asked.form == "chat")
        swap, gone, own = found["swap"], found["gone"], found["own"]
        table.row(
            size,
            f"{swap['answer']:.3f}",
            f"{gone['answer']:.3f}",
            f"{(swap['answer'] + gone['answer']) / 2:.3f}",
            f"{own['answer']:.3f}",
            f"{own['right']:.3f}",
            f"{own['shown']:.3f}",
        )
    table.show()


if __name__ == "__main__":
    asyncio.run(main())
