"""kill -9 at some steps of an import of words and of taking it back: whole parts are there, and the same call ends it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app import OWNER
from store import cards
from store.grants import PrivateClaim, grant
from store.word_import import WORDS_AT_ONCE
from tests.fakes import FakeClock
from tests.faults.forks import Forks
from tests.faults.talk import running
from tests.faults.test_exchange import counts
from tests.faults.test_kill import spread

WORDS = [f"word{n:x}q" for n in range(2 * WORDS_AT_ONCE + 10)]


@pytest.fixture(scope="module")
def children() -> Iterator[Forks]:
    server = Forks("tests.faults.exchange_child")
    yield server
    server.close()


async def _there(home: Path) -> list[str]:
    async with running(home, FakeClock(), start=1) as (app, _):
        memory = await app.home.memory(grant(PrivateClaim(OWNER), app.home.device))
        return [card.word for card in await memory.read(cards.cards)]


def there(home: Path) -> list[str]:
    return asyncio.run(_there(home))


@pytest.mark.parametrize("what", ["words-import", "words-undo"])
def test_killed_at_some_statements(children: Forks, tmp_path: Path, what: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text("\n".join(WORDS))

    def ready(name: str) -> Path:
        home = tmp_path / name / "home"
        home.parent.mkdir()
        there(home)
        if what == "words-undo":
            counts(children, "words-import", home, path)
        return home

    total, _ = counts(children, what, ready("whole"), path)
    sizes = []
    for at in spread(total, 5):
        home = ready(str(at))
        ended = children.run([what, str(home), str(path), "--at", str(at)])
        assert ended.status == -signal.SIGKILL, (at, ended)
        sizes.append(len(there(home)))
        counts(children, what, home, path)  # the same call again, with its key, ends it
        assert there(home) == (WORDS if what == "words-import" else [])
    assert set(sizes) <= {0, WORDS_AT_ONCE, 2 * WORDS_AT_ONCE, len(WORDS)}
    assert len(set(sizes)) > 2 and sizes == sorted(sizes, reverse=what == "words-undo")
