"""Automerge's only door: one flat document, in memory, made of genesis and changes.

The binding is unfinished: a panic is a `BaseException`, bad changes vanish without an error, a second
open transaction kills the process. So a document is used by one thread, its transactions never nest
and hold no await, every commit is checked by `changes.py` first, and after applying, the heads are
compared with those computed from the log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from automerge.core import ROOT, Message, ObjType, ScalarType, SyncState
from automerge.core import Document as Automerge

from store.changes import MAPS, Key, check_change
from store.chunk import uleb
from store.errors import DocumentCorrupt, Malformed

_GENESIS_ACTOR = bytes(16)


@dataclass(frozen=True, slots=True)
class Change:
    hash: bytes
    """SHA-256 over the uncompressed chunk, 32 bytes."""
    data: bytes
    """The change chunk, uncompressed: deflating costs five times the rest of a commit."""


def genesis(name: str) -> Change:
    """The constant first change of the document `name` (`<doc>~<generation>`): the same bytes everywhere."""
    document = Automerge(actor_id=_GENESIS_ACTOR)
    with document.transaction() as transaction:
        transaction.put(ROOT, "doc", ScalarType.Str, name)
        for map_name in MAPS:
            transaction.put_object(ROOT, map_name, ObjType.Map)
    (change,) = document.get_changes([])
    return Change(bytes(change.hash), bytes(change.raw_bytes))


class Document:
    """One document of one scope. Not safe for two threads at once."""

    def __init__(self, name: str, actor: bytes, changes: Sequence[Change] = ()) -> None:
        """Raises DocumentCorrupt when the log does not make a document with the expected heads."""
        assert len(actor) == 16
        self.name = name
        first = genesis(name)
        self._inner = Automerge(actor_id=actor)
        try:
            _apply(self._inner, [first.data, *(change.data for change in changes)])
            self._maps = {map_name: _map_id(self._inner, map_name) for map_name in MAPS}
        except BaseException as error:  # a Rust panic is no Exception
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            raise DocumentCorrupt(document=name) from error
        self._check_heads([first, *changes])

    def commit(self, items: Sequence[Key]) -> Change:
        """Sets `items` and gives the change that did it.

        Raises Malformed for what no device would accept and for a key that is there already. After any
        other failure the document must be thrown away with its actor.
        """
        check_change(items)
        before = self._inner.get_heads()
        for item in items:
            if self._inner.get(self._maps[item.map], item.key) is not None:
                raise Malformed("malformed-repeated-key")
        with self._inner.transaction() as transaction:
            for item in items:
                transaction.put(self._maps[item.map], item.key, ScalarType.Str, item.value)
        (change,) = self._inner.get_changes(before)
        return Change(bytes(change.hash), bytes(change.raw_bytes))

    def keys(self) -> Iterator[Key]:
        """Every key of the four maps."""
        for name, map_id in self._maps.items():
            values = self._inner.values(map_id)
            for key, (value, _) in zip(self._inner.keys(map_id), values, strict=True):
                assert isinstance(value, tuple) and isinstance(value[1], str), "only strings are ever set"
                yield Key(name, key, value[1])

    def _check_heads(self, changes: Sequence[Change]) -> None:
        """The engine drops a change it dislikes without a word: its heads must be those of the log."""
        seen = {bytes(change.hash): [bytes(d) for d in change.deps] for change in self._inner.get_changes([])}
        parents = {parent for deps in seen.values() for parent in deps}
        heads = {bytes(head) for head in self._inner.get_heads()}
        wanted = {change.hash for change in changes}
        if not wanted <= set(seen) or heads != set(seen) - parents:
            raise DocumentCorrupt(document=self.name)


def _map_id(document: Automerge, name: str) -> bytes:
    found = document.get(ROOT, name)
    if found is None or found[0] != ObjType.Map:
        raise DocumentCorrupt(document=name)
    return found[1]


def _apply(document: Automerge, chunks: Sequence[bytes]) -> None:
    """Applies change chunks through a sync message that carries only changes.

    Layout (automerge sync v1): 0x42, then three empty lists (heads, need, have), then the count of
    changes and each one with its length, counts as unsigned LEB128. It is the only way in this binding
    to apply changes without trusting a whole file; `docs/spec` and a vector pin it.
    """
    body = b"".join(uleb(len(chunk)) + chunk for chunk in chunks)
    message = b"\x42" + bytes(3) + uleb(len(chunks)) + body
    document.receive_sync_message(SyncState(), Message.decode(message))


def change_hash(data: bytes) -> bytes:
    """The hash an uncompressed change chunk carries: SHA-256 from its type byte on."""
    return hashlib.sha256(data[8:]).digest()
