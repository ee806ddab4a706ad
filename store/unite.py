"""Uniting two memories of one person: what one holds goes to the other under the same record keys.

`join` on a home that was in use, and nothing else, does this. Which devices and people there are, and how a memory
is set, stays behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

from store import index
from store.changes import Key, parse_register_key
from store.fold import BAN
from store.model import TALK
from store.projection import is_banned

BANNED = f"SELECT substr(field, {len(BAN) + 1}) FROM registers WHERE record = 'meta' AND field GLOB '{BAN}*'"
_KEPT_OF_META = (BAN, "ban-source/", "erased/")
"""What keeps the erased away, wherever it goes."""


@dataclass(frozen=True, slots=True)
class Talks:
    sessions: Sequence[tuple[Any, ...]]
    turns: Sequence[tuple[Any, ...]]


def keys_of(conn: Connection) -> list[Key]:
    """Everything to be taken over, records before what is said of them."""
    rows = conn.execute("SELECT map, key, value FROM keys ORDER BY map, key")
    return [key for key in (Key(*row) for row in rows) if _goes_along(key)]


def _goes_along(key: Key) -> bool:
    if key.record == "meta":
        return parse_register_key(key.key).field.startswith(_KEPT_OF_META)
    return key.record != "settings"


def bans_of(conn: Connection) -> list[Key]:
    """What keeps away what was erased here."""
    rows = conn.execute("SELECT map, key, value FROM keys WHERE map = 'r' AND key GLOB 'meta/*' ORDER BY key")
    return [key for key in (Key(*row) for row in rows) if _goes_along(key)]


def missing(conn: Connection, keys: Sequence[Key]) -> Iterator[Key]:
    """Those of `keys` that are not here and not banned here."""
    for key in keys:
        known = conn.execute("SELECT 1 FROM keys WHERE map = ? AND key = ?", (key.map, key.key)).fetchone()
        if known is None and not is_banned(conn, key.record):
            yield key


def talks_of(conn: Connection) -> Talks:
    return Talks(
        conn.execute("SELECT id, chat, started_ms, ended_ms, checkpoint FROM sessions ORDER BY id").fetchall(),
        conn.execute(
            "SELECT session, chat, account, at_ms, day, kind, text, reply, cited, entry, topic FROM turns ORDER BY id"
        ).fetchall(),
    )


def keep_talks(conn: Connection, talks: Talks) -> None:
    """They are over: what is said next begins a session of its own."""
    numbers: dict[int, int] = {}
    for number, chat, started_ms, ended_ms, checkpoint in talks.sessions:
        row = (chat, started_ms, ended_ms or started_ms, checkpoint)
        made = conn.execute("INSERT INTO sessions(chat, started_ms, ended_ms, checkpoint) VALUES(?, ?, ?, ?)", row)
        assert made.lastrowid is not None
        numbers[number] = made.lastrowid
    for session, *rest in talks.turns:
        _, account, _, day, kind, text, *_ = rest
        turn = conn.execute(
            "INSERT INTO turns(session, chat, account, at_ms, day, kind, text, reply, cited, entry, topic)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (numbers[session], *rest),
        ).lastrowid
        if kind == TALK and turn is not None:
            index.add_turn(conn, turn, session=numbers[session], account=account, day=day, text=text)
