"""The rows that keep vectors, what lacks one, and the matrix that is searched, whatever comes and goes between."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Connection

import numpy as np
import pytest

from store import vectors
from store.memory import Memory
from store.model import EntryKind
from store.ports import PASSAGE_CHARACTERS_MAX
from store.vectors import ENTRIES, TABLES, TURNS, Reach, Vector, Wanted
from store.view import View
from store.writer import Writer
from tests.fakes import FakeEmbedder
from tests.store.memories import LIN, Box, forget, remember

OTHER_CHAT = "terminal:other"


def say(writer: Writer, text: str, chat: str = str(LIN), kind: str = "talk") -> None:
    writer.keep_turn(chat=chat, account=LIN, at_ms=writer.now_ms, zone="UTC", kind=kind, text=text, reply="")


def entry_texts(conn: Connection) -> dict[int, str]:
    rows = conn.execute("SELECT seq, text, why, kind FROM entries").fetchall()
    return {seq: f"{text}\n{why}"[:400] for seq, text, why, kind in rows if kind != "checkpoint"}


def turn_texts(conn: Connection) -> dict[int, str]:
    rows = conn.execute("SELECT place, text FROM turn_places JOIN turns ON id = turn").fetchall()
    return {place: text[:400] for place, text in rows}


def kept(conn: Connection) -> dict[tuple[str, int], tuple[str, bytes]]:
    return {
        (table, row): (model, vector)
        for table in TABLES
        for row, model, vector in conn.execute(f"SELECT row, model, vector FROM {table}")
    }


class Filler:
    """What `bot.embedding` does, in steps that a test can come between."""

    def __init__(self, memory: Memory, embedder: FakeEmbedder) -> None:
        self.memory = memory
        self.embedder = embedder
        self.reach: dict[str, tuple[str, str, Reach]] = {}
        self.order: list[str] = []

    async def look(self, table: str, limit: int = 3) -> tuple[list[Wanted], Reach, str]:
        epoch = await self.memory.vectors_epoch()
        known = self.reach.get(table)
        reach = known[2] if known and known[:2] == (self.embedder.name, epoch) else None
        wanted, now = await self.memory.missing_vectors(table, self.embedder.name, reach, limit)
        return wanted, now, epoch

    async def store(self, table: str, wanted: Sequence[Wanted], reach: Reach, epoch: str) -> bool:
        """Whether there may be more."""
        if wanted:
            rows = await self.embedder.embed_passages([one.text for one in wanted])
            assert rows is not None
            await self.memory.keep_vectors(self.embedder.name, wanted, rows)
            self.order += [one.text for one in wanted]
        self.reach[table] = (self.embedder.name, epoch, reach)
        return bool(wanted) or reach.low > 0

    async def all(self) -> None:
        for table in TABLES:
            for _ in range(500):
                wanted, reach, epoch = await self.look(table)
                if not await self.store(table, wanted, reach, epoch):
                    break
            else:
                raise AssertionError("it never ends")


async def assert_complete(memory: Memory, embedder: FakeEmbedder) -> None:
    """Exactly the texts that are there have the vector of their words."""

    def look(view: View) -> None:
        there = {(ENTRIES, row): text for row, text in entry_texts(view.conn).items()}
        there |= {(TURNS, row): text for row, text in turn_texts(view.conn).items()}
        right = {at: (embedder.name, embedder._vector(text).astype("<f4").tobytes()) for at, text in there.items()}
        assert kept(view.conn) == right
        assert vectors.progress(view.conn, embedder.name) == (len(right), len(right))
        for table in TABLES:
            cosines = view.matrices.of(table, embedder.name).cosines(view.conn, embedder._vector("x"))
            assert sorted(cosines.rows.tolist()) == sorted(
                row for (at, row), (_, vector) in right.items() if at == table and any(vector)
            )

    await memory.read(look)


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_comes_and_goes_between_two_steps_every_text_gets_its_vector(tmp_path: Path, seed: int) -> None:
    """Entries, messages in two chats by turns, hiding, erasing, a new version of a text, a rebuild, another model,
    a restart: between two steps, and between looking for what is missing and keeping its vectors."""
    dice = random.Random(seed)
    box = Box(tmp_path, seed=str(seed))
    memory = await box.open()
    filler = Filler(memory, FakeEmbedder(dims=16))
    said = 0

    async def something() -> None:
        nonlocal memory, filler, said
        said += 1
        chance = dice.random()
        if chance < 0.30:
            kind = EntryKind.CHECKPOINT if dice.random() < 0.15 else EntryKind.FACT
            await memory.turn(lambda writer: remember(writer, f"note {said} of {dice.randrange(9)}", kind=kind))
        elif chance < 0.60:
            chat = dice.choice([str(LIN), OTHER_CHAT])
            kind = dice.choice(["talk", "talk", "command"])
            await memory.turn(lambda writer: say(writer, f"words {said}", chat, kind))
        elif chance < 0.68:
            ids = await memory.read(lambda view: [row[0] for row in view.conn.execute("SELECT id FROM entries")])
            if ids:
                await memory.turn(lambda writer: forget(writer, dice.choice(ids)))
        elif chance < 0.76:
            # Of the newest one too: the next entry then takes its number.
            newest = "SELECT id FROM entries ORDER BY seq DESC LIMIT 1"
            await memory.turn(
                lambda writer: forget(writer, *(row[0] for row in writer.conn.execute(newest).fetchall()))
            )
            await memory.erase_due(now=True)
        elif chance < 0.82:
            spoken = "SELECT text FROM turns WHERE kind = 'talk' ORDER BY id DESC LIMIT 1"
            await memory.turn(
                lambda writer: [
                    forget(writer, remember(writer, text).id) for (text,) in writer.conn.execute(spoken).fetchall()
                ]
            )
            await memory.erase_due(now=True)
        elif chance < 0.86:
            await memory.rebuild()
        elif chance < 0.92:
            filler.embedder.become(dims=dice.choice([16, 24]))
        else:
            await memory.close()
            memory = await box.open()
            filler = Filler(memory, filler.embedder)

    for _ in range(60):
        await something()
        if dice.random() < 0.6:
            table = dice.choice(TABLES)
            looked = await filler.look(table)
            before = filler
            if dice.random() < 0.5:
                name = filler.embedder.name
                await something()
                if filler is not before or filler.embedder.name != name:
                    continue
            await filler.store(table, *looked)
    await filler.all()
    await assert_complete(memory, filler.embedder)
    await memory.close()


async def filled(memory: Memory, embedder: FakeEmbedder, *texts: str) -> Filler:
    for text in texts:
        await memory.turn(lambda writer, text=text: remember(writer, text))
    filler = Filler(memory, embedder)
    await filler.all()
    return filler


async def test_the_newest_first_and_what_comes_meanwhile_before_the_rest(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        await memory.turn(lambda writer: [remember(writer, f"old {n}") for n in range(6)])
        filler = Filler(memory, FakeEmbedder())
        await filler.store(ENTRIES, *await filler.look(ENTRIES, 2))
        await memory.turn(lambda writer: remember(writer, "fresh"))
        await filler.all()
        assert filler.order == [f"{text}\n" for text in ("old 5", "old 4", "fresh", "old 3", "old 2", "old 1", "old 0")]


async def test_an_older_chat_that_speaks_again_is_not_overlooked(tmp_path: Path) -> None:
    """Its message has a smaller place than what was looked at last."""
    async with Box(tmp_path).opened() as memory:
        await memory.turn(lambda writer: (say(writer, "here"), say(writer, "there", OTHER_CHAT)))
        filler = await filled(memory, FakeEmbedder())
        await memory.turn(lambda writer: say(writer, "here again"))
        await filler.all()
        assert filler.order[-1] == "here again"


async def test_a_text_that_goes_while_it_is_embedded_keeps_no_vector_and_the_next_with_its_number_gets_its_own(
    tmp_path: Path,
) -> None:
    async with Box(tmp_path).opened() as memory:
        await memory.turn(lambda writer: remember(writer, "the first"))
        filler = Filler(memory, FakeEmbedder())
        looked = await filler.look(ENTRIES)
        (seq,) = [one.row for one in looked[0]]
        await memory.turn(lambda writer: [forget(writer, e.id) for e in writer.entries("1 = 1")])
        await memory.erase_due(now=True)
        await memory.turn(lambda writer: remember(writer, "quite another"))
        assert list(await memory.read(lambda view: entry_texts(view.conn))) == [seq]
        await filler.store(ENTRIES, *looked)
        assert await memory.read(lambda view: kept(view.conn)) == {}
        await filler.all()
        await assert_complete(memory, filler.embedder)


async def test_erasing_for_good_takes_vectors_and_uses_and_the_matrix_lets_go(tmp_path: Path) -> None:
    box = Box(tmp_path)
    async with box.opened() as memory:
        embedder = FakeEmbedder(dims=32)
        note = await memory.turn(lambda writer: remember(writer, "the heron code word is vesper"))
        await memory.turn(lambda writer: (remember(writer, "tea is green"), writer.note_use(note.id)))
        await memory.turn(lambda writer: say(writer, "so the heron code word is vesper, well"))
        await filled(memory, embedder)

        def nearest(view: View) -> list[list[float]]:
            wanted = embedder._vector("heron vesper code word")
            return [view.matrices.of(t, embedder.name).cosines(view.conn, wanted).values.tolist() for t in TABLES]

        assert [len(values) for values in await memory.read(nearest)] == [2, 1]
        gone = (await memory.read(lambda view: kept(view.conn)))[TURNS, 1 << 32][1]
        await memory.turn(lambda writer: forget(writer, note.id))
        await memory.erase_due(now=True)
        assert [len(values) for values in await memory.read(nearest)] == [1, 0]
        assert [table for table, _ in await memory.read(lambda view: kept(view.conn))] == [ENTRIES]
        assert await memory.read(lambda view: view.conn.execute("SELECT count(*) FROM uses").fetchone()) == (0,)
    assert not any(gone in path.read_bytes() for path in box.root.rglob("*") if path.is_file())


class Stop(Exception):
    pass


async def test_what_was_rolled_back_leaves_no_ghost_in_the_matrix(tmp_path: Path) -> None:
    """Seen inside a transaction that fails; and the next one that takes something away comes to the same count."""
    async with Box(tmp_path).opened() as memory:
        embedder = FakeEmbedder(dims=32)
        await filled(memory, embedder, "one", "two", "three")

        def rows(view: View) -> list[int]:
            found = view.matrices.of(ENTRIES, embedder.name).cosines(view.conn, embedder._vector("one"))
            return sorted(found.rows.tolist())

        def half(writer: Writer) -> None:
            vectors.remove(writer.conn, ENTRIES, 1)
            wanted = [Wanted(ENTRIES, 1, "one\n")]
            vectors.keep(writer.conn, embedder.name, wanted, embedder._vector("one")[None])
            vectors.remove(writer.conn, ENTRIES, 2)
            assert rows(writer) == [1, 3]
            raise Stop

        with pytest.raises(Stop):
            await memory.turn(half)
        assert await memory.read(rows) == [1, 2, 3]

        def other(writer: Writer) -> None:
            for row in (3, 2):
                vectors.remove(writer.conn, ENTRIES, row)

        with pytest.raises(Stop):
            await memory.turn(half)
        await memory.turn(other)
        assert await memory.read(rows) == [1]


async def test_two_models_never_meet_and_the_newer_replaces_the_older_text_by_text(tmp_path: Path) -> None:
    """B75: 384 dimensions become 768 in the same table."""
    async with Box(tmp_path).opened() as memory:
        embedder = FakeEmbedder(dims=384)
        filler = await filled(memory, embedder, *(f"text number {n}" for n in range(5)))
        first = embedder.name
        embedder.become(dims=768, name="fake 2 768")

        def rows(view: View, model: str, dims: int) -> int:
            found = view.matrices.of(ENTRIES, model).cosines(view.conn, np.ones(dims, np.float32))
            return len(found.rows)

        assert await memory.read(lambda view: rows(view, embedder.name, 768)) == 0
        assert await memory.read(lambda view: view.vectors_progress(embedder.name)) == (0, 5)
        await filler.store(ENTRIES, *await filler.look(ENTRIES, 2))
        assert await memory.read(lambda view: view.vectors_progress(embedder.name)) == (2, 5)
        assert await memory.read(lambda view: rows(view, embedder.name, 768)) == 2
        assert await memory.read(lambda view: rows(view, first, 384)) == 3
        await filler.all()
        await assert_complete(memory, embedder)


async def test_a_vector_of_another_length_under_the_same_name_is_left_out(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        embedder = FakeEmbedder(dims=8)
        await filled(memory, embedder, "one", "two")
        await memory.database.write(
            lambda conn: conn.execute("UPDATE entry_vectors SET vector = x'00112233' WHERE row = 1")
        )

        def rows(view: View) -> list[int]:
            return view.matrices.of(ENTRIES, embedder.name).cosines(view.conn, embedder._vector("two")).rows.tolist()

        assert await memory.read(rows) == [2]


async def test_zeros_stand_for_no_vector_and_are_not_asked_for_again(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        embedder = FakeEmbedder(dims=8)
        filler = await filled(memory, embedder, "...", "two")

        def look(view: View) -> tuple[list[int], list[int]]:
            found = view.matrices.of(ENTRIES, embedder.name).cosines(view.conn, embedder._vector("two"))
            return found.rows.tolist(), list(found.at)

        assert await memory.read(look) == ([2], [2])
        assert (await Filler(memory, filler.embedder).look(ENTRIES))[0] == []


@pytest.mark.parametrize("count", [3, 4, 5])
async def test_only_so_many_of_the_newest_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Filled from the newest back, the newest text has the lowest number."""
    monkeypatch.setattr(vectors, "HELD_MAX", 4)
    async with Box(tmp_path).opened() as memory:
        embedder = FakeEmbedder(dims=8)

        def rows(view: View) -> list[int]:
            found = view.matrices.of(ENTRIES, embedder.name).cosines(view.conn, embedder._vector("x"))
            assert len(found.at) == len(found.rows)
            return sorted(found.rows.tolist())

        filler = await filled(memory, embedder, *(f"text {n}" for n in range(count)))
        assert await memory.read(rows) == list(range(1, count + 1))[-4:]
        for _ in range(4):
            await memory.turn(lambda writer: remember(writer, "more"))
            await filler.all()
            held = await memory.read(rows)
            assert 4 <= len(held) <= 5
            assert held == list(range(held[0], held[0] + len(held)))
        assert held[-1] == count + 4


async def test_dropped_and_made_anew_the_vectors_are_equal(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        embedder = FakeEmbedder()
        for n in range(3):
            await memory.turn(lambda writer, n=n: (say(writer, f"here {n}"), say(writer, f"there {n}", OTHER_CHAT)))
        filler = await filled(memory, embedder, "one", "two", "three")

        def by_text(view: View) -> dict[tuple[str, str], tuple[str, bytes]]:
            texts = {ENTRIES: entry_texts(view.conn), TURNS: turn_texts(view.conn)}
            return {(table, texts[table][row]): value for (table, row), value in kept(view.conn).items()}

        before = await memory.read(by_text)
        assert len(before) == 9
        await memory.rebuild()
        assert await memory.read(by_text) == {}
        await filler.all()
        assert await memory.read(by_text) == before
        await assert_complete(memory, embedder)


async def test_hidden_ones_keep_theirs_until_they_are_erased(tmp_path: Path) -> None:
    """Undo brings them back."""
    async with Box(tmp_path).opened() as memory:
        filler = await filled(memory, FakeEmbedder(), "one", "two")
        await memory.turn(lambda writer: forget(writer, writer.entries("seq = 1")[0].id))
        await filler.all()
        await assert_complete(memory, filler.embedder)


def test_only_the_beginning_of_a_long_text_is_embedded() -> None:
    assert PASSAGE_CHARACTERS_MAX == 400


async def test_at_the_bound_and_past_it(tmp_path: Path) -> None:
    async with Box(tmp_path).opened() as memory:
        for length in (398, 399, 400, 5000):
            await memory.turn(lambda writer, n=length: remember(writer, "a" * n))
        filler = Filler(memory, FakeEmbedder())
        await filler.all()
        assert [len(text) for text in filler.order] == [400, 400, 400, 399]
        await assert_complete(memory, filler.embedder)


def test_a_vector_is_kept_little_endian(tmp_path: Path) -> None:
    one: Vector = np.array([1.0, 0.0], dtype=">f4")
    assert one.astype("<f4").tobytes() == b"\x00\x00\x80\x3f\x00\x00\x00\x00"
