"""Gives a set of texts to the product's own store and asks its own recall, for question sets made by others.

`make_adapter()` is what a measuring script calls; the embedder comes from NIANNIAN_EMBEDDER_KIND (none, e5, use).
Texts that are part of a talk or of an article become messages of a chat, one session each. Statements that stand for
themselves (a date and no speaker) become entries. There is one configuration; nothing here knows a set by name.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Protocol

import numpy as np

from store.chat import rank_chat, search_chat
from store.clock import SystemEntropy
from store.embedders.models import E5, USE
from store.grants import Membership, PrivateClaim, grant
from store.memory import Memory
from store.model import TALK, AccountID, Draft, EntryKind, Origin, Role, ScopeID, ScopeKind, Source
from store.ports import PASSAGE_CHARACTERS_MAX
from store.recall import Question, rank, recall
from store.vectors import TABLES, Meaning, Vector
from store.writer import Writer

SCOPE = ScopeID("0" * 32)
OWNER = AccountID("bench:owner")
DEFAULT_DAY = "2024-01-01"


class Doc(Protocol):
    id: str
    text: str
    speaker: str
    when: str
    session: str
    seq: int
    extra: str


class Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class Registry:
    def private_scope(self, account: AccountID) -> Membership | None:
        return Membership(SCOPE, ScopeKind.PRIVATE, Role.OWNER)

    def group_scope(self, chat: str, account: AccountID) -> Membership | None:
        return None

    def own_scope(self, scope: ScopeID) -> Membership | None:
        return None


class Adapter:
    """One home, filled anew by `index`."""

    name = "niannian"

    def __init__(self, *, chat: bool | None = None) -> None:
        """`chat`: messages, or entries; None tells by the texts."""
        self._chat = chat
        self._folder = Path(tempfile.mkdtemp(prefix="niannian-bench-", dir=_quick_folder()))
        self._memory: Memory | None = None
        self._embedder = cached_embedder()
        self._ids: dict[object, str] = {}
        self._is_chat = False

    async def index(self, docs: Sequence[Doc], people: Sequence[str] = ()) -> None:
        """`people`: who is in the talk beside those who speak in `docs`."""
        await self._forget()
        memory = await Memory.open(
            grant(PrivateClaim(OWNER), Registry()),
            self._folder / "scope",
            backups=self._folder,
            device_id=bytes(16),
            clock=Clock(),
            entropy=SystemEntropy(),
        )
        self._memory = memory
        await memory.found(lane="", kind=ScopeKind.PRIVATE, settings={})
        self._ids = {}
        self._is_chat = any(doc.speaker or not doc.when for doc in docs) if self._chat is None else self._chat
        await memory.turn(lambda w: self._talk(w, docs, people) if self._is_chat else self._remember(w, docs))
        if self._embedder is not None:
            await embed_all(memory, self._embedder)

    def _talk(self, writer: Writer, docs: Sequence[Doc], people: Sequence[str]) -> None:
        for speaker in {*people, *(doc.speaker for doc in docs if doc.speaker)}:
            writer.set("meta", f"account/bench:{speaker}", {"name": speaker, "role": "member"}, by=OWNER)
        for doc in docs:
            text = f"{doc.text} [{doc.extra}]" if doc.extra else doc.text
            writer.keep_turn(
                chat=doc.session,
                account=AccountID(f"bench:{doc.speaker}"),
                at_ms=_ms(doc.when),
                zone="UTC",
                kind=TALK,
                text=text,
                reply="",
            )
            (number,) = writer.conn.execute("SELECT max(id) FROM turns").fetchone()
            self._ids[number] = doc.id

    def _remember(self, writer: Writer, docs: Sequence[Doc]) -> None:
        for doc in docs:
            entry = writer.remember(
                Draft(doc.text, EntryKind.FACT),
                at_ms=_ms(doc.when),
                zone="UTC",
                author=OWNER,
                source=Source("bench", "", ""),
                origin=Origin.IMPORTED,
                lang="en",
            )
            self._ids[entry.id] = doc.id

    async def search(self, query: str, k: int, now: str | None) -> list[str]:
        assert self._memory is not None
        today = date.fromisoformat(now[:10]) if now else datetime.now(UTC).date()
        meaning = self._embedder.meaning(query) if self._embedder else None
        if self._is_chat:
            turns = await self._memory.read(lambda view: rank_chat(view, query, today, meaning=meaning, limit=k))
            return [self._ids[turn.id] for turn in turns]
        question = Question(query, today, meaning=meaning)
        entries = await self._memory.read(lambda view: rank(view, question, k))
        return [self._ids[entry.id] for entry in entries]

    async def answer(self, query: str, k: int, now: str | None) -> tuple[str, list[str], int]:
        """(outcome, the ids shown, best first, how many of them are claimed)."""
        assert self._memory is not None
        today = date.fromisoformat(now[:10]) if now else datetime.now(UTC).date()
        meaning = self._embedder.meaning(query) if self._embedder else None
        if self._is_chat:
            heard = await self._memory.read(lambda view: search_chat(view, query, today, meaning=meaning, limit=k))
            return heard.outcome.value, [self._ids[turn.id] for turn in heard.turns], 3
        found = await self._memory.read(lambda view: recall(view, Question(query, today, meaning=meaning)))
        shown = [self._ids[entry.id] for entry in found.entries]
        return found.outcome.value, shown, len(shown)

    async def end(self) -> None:
        await self._forget()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _forget(self) -> None:
        if self._memory is not None:
            await self._memory.close()
            self._memory = None
        shutil.rmtree(self._folder / "scope", ignore_errors=True)
        (self._folder / "scope").mkdir(parents=True)

    def close(self) -> None:
        asyncio.run(self.end())


def _quick_folder() -> str | None:
    """Memory, where there is some as a folder: these homes are thrown away, and no flush is measured."""
    return next((folder for folder in ("/dev/shm",) if os.access(folder, os.W_OK)), None)


def make_adapter() -> Adapter:
    return Adapter()


# ---------------------------------------------------------------- the embedder, in this process and remembered


class Cached:
    """A model of the product, with every vector kept in the temporary folder: measuring goes over the same texts again."""

    def __init__(self, kind: str) -> None:
        os.environ["OMP_WAIT_POLICY"] = "passive"  # before the library loads
        self.kind = kind
        self._model = E5() if kind == "e5" else USE()
        self.model = self._model.name
        path = Path(tempfile.gettempdir()) / f"niannian-bench-vectors-{self.model.replace(' ', '-')}.db"
        self._conn = sqlite3.connect(path)
        self._conn.execute("CREATE TABLE IF NOT EXISTS vectors(text TEXT PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def passages(self, texts: Sequence[str]) -> Vector:
        return self._through("p:", texts, self._model.passages)

    def query(self, text: str) -> Vector:
        (row,) = self._through("q:", [text], lambda texts: self._model.query(texts[0]))
        return row

    def _through(self, prefix: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Vector]) -> Vector:
        cut = [text[:PASSAGE_CHARACTERS_MAX].replace("\0", " ") for text in texts]
        known: dict[str, Vector] = {}
        for text in cut:
            row = self._conn.execute("SELECT vector FROM vectors WHERE text = ?", (prefix + text,)).fetchone()
            if row is not None:
                known[text] = np.frombuffer(row[0], np.float32)
        new = [text for text in dict.fromkeys(cut) if text not in known]
        for some in (new[start : start + 32] for start in range(0, len(new), 32)):
            rows = embed(some)
            rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
            for text, vector in zip(some, rows.astype(np.float32), strict=True):
                known[text] = vector
                self._conn.execute("INSERT OR REPLACE INTO vectors VALUES(?, ?)", (prefix + text, vector.tobytes()))
            self._conn.commit()
        return np.stack([known[text] for text in cut])

    def meaning(self, text: str) -> Meaning:
        return Meaning(self.kind, self.model, self.query(text))


def cached_embedder() -> Cached | None:
    kind = os.environ.get("NIANNIAN_EMBEDDER_KIND", "none")
    return None if kind == "none" else Cached(kind)


async def embed_all(memory: Memory, embedder: Cached) -> None:
    """Everything that has no vector gets one."""
    for table in TABLES:
        reach = None
        while True:
            wanted, reach = await memory.missing_vectors(table, embedder.model, reach, 256)
            if wanted:
                vectors = embedder.passages([one.text for one in wanted])
                await memory.keep_vectors(embedder.model, wanted, vectors)
            elif reach.low == 0:
                break


def _ms(when: str) -> int:
    moment = datetime.fromisoformat(when or DEFAULT_DAY)
    return int(moment.replace(tzinfo=UTC).timestamp() * 1000)
