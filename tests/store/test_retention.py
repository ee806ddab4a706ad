"""What was said before a day goes, with everything made of it; what is younger, and what was kept, stays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from store import vectors
from store.erase import COMPACT_MARK
from store.memory import Memory
from store.model import TALK, RefID
from store.retention import forget_talk, talk_before
from store.vectors import TURNS
from store.view import View
from store.writer import Writer
from tests.store.memories import CHAT, LIN, Box, remember

OLD, YOUNG = datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 20, 12, tzinfo=UTC)
DAY = "2024-05-10"
DAY_MS = int(datetime(2024, 5, 10, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
async def box(tmp_path: Path) -> AsyncIterator[tuple[Box, Memory]]:
    box = Box(tmp_path)
    async with box.opened() as memory:
        for when, words in ((OLD, "quince"), (YOUNG, "walnut")):
            box.clock.set(when)
            await memory.turn(lambda writer, words=words: fill(writer, words))  # type: ignore[misc]
        yield box, memory


def fill(writer: Writer, words: str) -> None:
    for kind, text in ((TALK, f"we talked of the {words} tree"), ("command", f"remember the {words} jam")):
        writer.keep_turn(
            chat=CHAT, account=LIN, at_ms=writer.now_ms, zone="UTC", kind=kind, text=text, reply=f"{words}!"
        )
    remember(writer, f"the {words} jam is in the cellar")
    writer.keep_handled(f"message of {words}", f"reply of {words}")
    writer.make_offer(CHAT, LIN, {"do": "save", "text": words})
    writer.ask(f"{CHAT}/{words}", LIN, {"ask": "tell", "text": words})
    writer.undoable_write(chat=CHAT, account=LIN, shown=RefID(""), verb="profile", steps=[("profile", "fruit", words)])


def places(view: View, word: str) -> int:
    found = view.conn.execute("SELECT count(*) FROM turn_words WHERE turn_words MATCH ?", (word,))
    return int(found.fetchone()[0])


async def test_it_is_counted_before_it_goes(box: tuple[Box, Memory]) -> None:
    _, memory = box
    assert await memory.read(lambda view: talk_before(view, DAY)) == 2
    assert await memory.turn(lambda writer: forget_talk(writer, DAY, DAY_MS)) == 2
    assert await memory.read(lambda view: talk_before(view, DAY)) == 0
    assert await memory.turn(lambda writer: forget_talk(writer, DAY, DAY_MS)) == 0


async def test_only_the_old_words_leave_every_table(box: tuple[Box, Memory]) -> None:
    _, memory = box
    wanted, _ = await memory.missing_vectors(TURNS, "e/1/4", None, 10)
    await memory.keep_vectors("e/1/4", wanted, np.full((len(wanted), 4), 0.5, dtype=np.float32))
    await memory.turn(lambda writer: forget_talk(writer, DAY, DAY_MS))

    def look(view: View) -> None:
        assert [one.text for one in view.turns("1")] == ["remember the walnut jam", "we talked of the walnut tree"]
        assert (places(view, "quince"), places(view, "walnut")) == (0, 1)
        assert view.conn.execute(f"SELECT count(*) FROM {vectors.TURNS}").fetchone() == (1,)
        assert view.handled("message of quince") == "" and view.handled("message of walnut") == "reply of walnut"
        for table, column in (("offers", "body"), ("pending", "question"), ("undo", "steps")):
            rows = "".join(row[0] for row in view.conn.execute(f"SELECT {column} FROM {table}"))
            assert "quince" not in rows and "walnut" in rows, table
        assert sorted(one.draft.text.split()[1] for one in view.entries("1")) == ["quince", "walnut"]

    await memory.read(look)


async def test_the_bytes_leave_the_disk_and_a_crash_before_that_is_made_up_for(box: tuple[Box, Memory]) -> None:
    where, memory = box
    await memory.turn(lambda writer: forget_talk(writer, DAY, DAY_MS))
    assert await memory.read(lambda view: view.local(COMPACT_MARK)) == "1"
    await memory.finish_erasing()
    files = b"".join(path.read_bytes() for path in where.folder.iterdir())
    assert b"quince tree" not in files and b"walnut tree" in files and b"quince jam is in the cellar" in files
