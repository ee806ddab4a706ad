"""One person's memory in a folder of its own, for tests: clock and randomness stand in, the files are real."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from store.changes import Key
from store.document import Change, Document
from store.foreign import Foreign
from store.grants import Membership, PrivateClaim, ScopeGrant, grant
from store.memory import Memory
from store.model import AccountID, Draft, Entry, EntryID, EntryKind, Origin, Role, ScopeID, ScopeKind, Source
from store.own_rows import UNDO_MS
from store.schema import MEMORY_MIGRATIONS
from store.sql import DEFAULT_FACTORY, ConnectionFactory
from store.writer import Writer
from tests.fakes import FakeClock, FakeEntropy

LIN = AccountID("terminal:lin")
DEVICE = bytes(range(16))
SCOPE = ScopeID("5c" * 16)
CHAT = "terminal:lin"
HERE = Source("terminal", CHAT, "")
PAST_UNDO = timedelta(milliseconds=UNDO_MS + 1)


class OnlyLin:
    """A registry that knows one person."""

    def private_scope(self, account: AccountID) -> Membership | None:
        return Membership(SCOPE, ScopeKind.PRIVATE, Role.OWNER) if account == LIN else None

    def group_scope(self, chat: str, account: AccountID) -> Membership | None:
        return None

    def own_scope(self, scope: ScopeID) -> Membership | None:
        return None


def lins_grant() -> ScopeGrant:
    return grant(PrivateClaim(LIN), OnlyLin())


class Box:
    """A folder that outlives the memory opened in it."""

    def __init__(self, folder: Path, *, seed: str = "", device: bytes = DEVICE) -> None:
        self.folder = folder / "scopes" / SCOPE
        self.folder.mkdir(parents=True, exist_ok=True)
        self.root = folder
        self.device = device
        self.clock = FakeClock()
        self.entropy = FakeEntropy(seed)

    @property
    def path(self) -> Path:
        return self.folder / "memory.db"

    async def open(self, *, factory: ConnectionFactory = DEFAULT_FACTORY, kind: type[Memory] = Memory) -> Memory:
        memory = await kind.open(
            lins_grant(),
            self.folder,
            backups=self.root / "backups",
            device_id=self.device,
            clock=self.clock,
            entropy=self.entropy,
            factory=factory,
        )
        try:
            await memory.found(lane="", kind=ScopeKind.PRIVATE, settings={})
        except BaseException:
            await memory.close()
            raise
        return memory

    @asynccontextmanager
    async def opened(self, *, factory: ConnectionFactory = DEFAULT_FACTORY) -> AsyncIterator[Memory]:
        memory = await self.open(factory=factory)
        try:
            yield memory
        finally:
            await memory.close()


def remember(
    writer: Writer,
    text: str,
    *,
    kind: EntryKind = EntryKind.FACT,
    source: Source = HERE,
    supersedes: Sequence[str] = (),
    record: EntryID | None = None,
    **fields: Any,
) -> Entry:
    return writer.remember(
        Draft(text, kind, **fields),
        at_ms=writer.now_ms,
        zone="UTC",
        author=LIN,
        source=source,
        origin=Origin.SAID,
        lang="en",
        supersedes=supersedes,
        record=record,
    )


async def hear(memory: Memory, other: Memory, device: bytes) -> None:
    """Everything that `other`, which is `device`, has said itself."""
    said = [item for item in await other.changes_after(0, -1) if item.origin == "own"]
    refused = await memory.receive([Foreign(item.doc, item.change.data, device) for item in said], {})
    assert not refused


def forget(writer: Writer, *records: str) -> None:
    for record in records:
        writer.set(record, "hidden", True, by=LIN)


def empty_database() -> sqlite3.Connection:
    """The tables of a scope in memory, for what needs no files."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    for migration in MEMORY_MIGRATIONS:
        for step in migration.steps:
            if isinstance(step, str):
                conn.execute(step)
            else:
                step(conn)
    return conn


@contextmanager
def writing(conn: sqlite3.Connection, *, now_ms: int, seed: str = "") -> Iterator[Writer]:
    """A writer on bare tables whose documents live as long as the block."""
    documents: dict[str, Document] = {}

    def commit(_: sqlite3.Connection, doc: str, items: Sequence[Key]) -> Change:
        document = documents.get(doc) or Document(f"{doc}~1", DEVICE)
        documents[doc] = document
        return document.commit(items)

    yield Writer(conn, now_ms=now_ms, device=DEVICE[:8].hex(), entropy=FakeEntropy(seed), commit=commit)


def look_inside(path: Path, fn: Callable[[sqlite3.Connection], Any]) -> Any:
    """What a second connection sees in the file."""
    with closing(sqlite3.connect(path)) as conn:
        return fn(conn)
