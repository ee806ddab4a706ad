"""A memory written out as files and read in again, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from store import blocks, import_plan, importing, tree
from store.import_plan import Plan, Taken
from store.importing import Done, Hand, TakenBack
from store.memory import Memory
from store.model import Draft, EntryKind
from store.pieces import EntryPiece, Reading
from store.writer import Writer
from tests.store.memories import LIN, SCOPE

TODAY = date(2024, 5, 27)
ZONE = "Asia/Shanghai"


def lines_as_facts(path: str, line: int, words: str, day: str) -> list[EntryPiece]:
    """Bullets become facts, anything else a note: what the readers of other programs' files do, in short."""
    found = []
    for one in words.split("\n"):
        kind = EntryKind.FACT if one.startswith("- ") else EntryKind.NOTE
        if one.strip():
            found.append(EntryPiece(path, line, Draft(one.removeprefix("- "), kind), day=day))
    return found


async def written_out(memory: Memory, *, lang: str = "en", scope: str = SCOPE) -> dict[str, str]:
    return await memory.read(lambda view: tree.render(view, scope=scope, zone=ZONE, lang=lang, today=TODAY))


def read_in(files: dict[str, str]) -> Reading:
    return tree.read(list(files.items()), loose=lines_as_facts)


async def planned(
    memory: Memory, files: dict[str, str] | Reading, *, taken: Taken = Taken.RENAME, scope: str = SCOPE
) -> Plan:
    reading = read_in(files) if isinstance(files, dict) else files
    return await memory.read(lambda view: import_plan.plan(view, reading, scope=scope, taken=taken))


async def imported(
    memory: Memory, files: dict[str, str] | Reading, *, taken: Taken = Taken.RENAME, scope: str = SCOPE
) -> tuple[Plan, Done]:
    reading = read_in(files) if isinstance(files, dict) else files

    def run(writer: Writer) -> tuple[Plan, Done]:
        made = import_plan.plan(writer, reading, scope=scope, taken=taken)
        hand = Hand(LIN, ZONE, writer.new_id(writer.now_ms), lambda text: "zh" if blocks.has_blocks(text) else "en")
        return made, importing.apply(writer, made, hand)

    return await memory.turn(run)


async def taken_back(memory: Memory) -> TakenBack | None:
    def run(writer: Writer) -> TakenBack | None:
        last = importing.last_run(writer)
        return importing.undo(writer, last, LIN) if last else None

    return await memory.turn(run)


async def texts(memory: Memory, *, also_earlier: bool = False) -> list[str]:
    """The words of what holds, oldest first."""
    where = "hidden = 0 AND kind <> 'checkpoint'" + ("" if also_earlier else " AND current = 1")
    entries: Sequence[object] = await memory.read(lambda view: view.entries(where, limit=-1))
    return [entry.draft.text for entry in reversed(entries)]  # type: ignore[attr-defined]
