"""Is one database file sound? Everything `doctor` finds out about it, on a copy in memory.

The file is read as bytes (`snapshot.py`) and never opened with SQLite, so a damaged one stays what it is.
"""

from __future__ import annotations

import errno
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from sqlite3 import Connection

from store.compare import compare, read_log
from store.errors import OverLimit, StoreBusy
from store.model import ScopeID
from store.opening import exchanged, foreign_wal, lost_wal
from store.schema import DEVICE_MIGRATIONS, MEMORY_MIGRATIONS, Migration
from store.snapshot import Snapshot, take


class Level(StrEnum):
    OK = "ok"
    CHECK = "check"
    """Something a person should look at or mend."""
    BROKEN = "broken"
    """Something does not work, or words may be lost."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` names a sentence in `bot/locales`, `facts` fill it. No fact is anything a person wrote."""

    level: Level
    code: str
    facts: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alias:
    """What `device.db` says of one scope."""

    scope: ScopeID
    made: bool
    reachable: bool
    """Some account or chat leads to it, or it was united into another and waits for its end."""


@dataclass(frozen=True, slots=True)
class Examined:
    findings: list[Finding]
    mendable: bool
    """Whole, and its truth too: it may be opened and its projection made anew."""
    entries: int = 0
    aliases: tuple[Alias, ...] | None = None
    """Of `device.db`; None when they could not be read."""
    device: str = ""
    notes: tuple[Finding, ...] = ()
    """Of `device.db`: what waits for a person; the files are whole."""
    groups: tuple[tuple[str, str], ...] = ()
    """Of `device.db`: the switched-on groups, (chat, title)."""
    last_event_ms: int | None = None
    """Of `device.db`: when a chat platform last brought anything."""


def examine_device(path: Path) -> Examined:
    return _File(path, "device.db").examined(DEVICE_MIGRATIONS, _look_at_device)


def examine_memory(path: Path, scope: str) -> Examined:
    return _File(path, scope).examined(MEMORY_MIGRATIONS, _look_at_memory)


class _File:
    """One database file and what has been found out about it so far."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self.found: list[Finding] = []
        self.mendable = False
        self.foreign_log = foreign_wal(path) or exchanged(path)
        """A log of another time lies beside it: SQLite would replay that into the file."""

    def add(self, level: Level, code: str, /, **facts: str | int) -> None:
        self.found.append(Finding(level, code, facts))

    def count_orphans(self, conn: Connection, queries: Mapping[str, str]) -> None:
        for table, sql in queries.items():
            count: int = conn.execute(sql).fetchone()[0]
            if count:
                self.add(Level.CHECK, "doctor-orphans", scope=self.name, table=table, n=count)

    def so_far(self) -> Examined:
        return Examined(self.found, self.mendable and not self.foreign_log)

    def examined(self, migrations: Sequence[Migration], look: Callable[[_File, Connection], Examined]) -> Examined:
        """`look` gets a connection with the file's copy attached as `found`, once the file itself is whole."""
        snapshot = self._take()
        if snapshot is None:
            return self.so_far()
        conn = sqlite3.connect(":memory:", isolation_level=None)
        try:
            conn.execute("PRAGMA temp_store = MEMORY")
            conn.execute("PRAGMA trusted_schema = OFF")
            conn.execute("ATTACH ':memory:' AS found")
            conn.deserialize(snapshot.image, name="found")
            conn.text_factory = lambda text: text.decode("utf-8", "replace")
            examined = look(self, conn) if self._is_readable(conn, snapshot, migrations) else self.so_far()
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter out of names in a spoilt schema
            self.mendable = False
            self.add(Level.BROKEN, "doctor-corrupt", path=str(self.path), found=_name_of(error))
            examined = self.so_far()
        finally:
            conn.close()
        # Asked last: a program that is just closing takes log and marker away, one after the other.
        if lost_wal(self.path):
            self.add(Level.BROKEN, "error-log-missing", path=str(self.path))
        if self.foreign_log and (foreign_wal(self.path) or exchanged(self.path)):
            self.add(Level.BROKEN, "error-log-foreign", path=str(self.path))
        return examined

    def _take(self) -> Snapshot | None:
        try:
            snapshot = take(self.path, past_log=self.foreign_log)
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, "EIO")
            self.add(Level.BROKEN, "doctor-unreadable", path=str(self.path), found=name)
            return None
        except (StoreBusy, OverLimit) as error:
            self.add(Level.CHECK, "doctor-not-read", path=str(self.path), found=error.code)
            return None
        if not snapshot.image:
            self.add(Level.BROKEN, "doctor-corrupt", path=str(self.path), found="0 B")
            return None
        return snapshot

    def _is_readable(self, conn: Connection, snapshot: Snapshot, migrations: Sequence[Migration]) -> bool:
        wrong = damage(conn)
        if wrong:
            self.add(Level.BROKEN, "doctor-corrupt", path=str(self.path), found=wrong)
            return False
        if not snapshot.wal_mode:
            self.add(Level.CHECK, "doctor-settings", scope=self.name, found="journal_mode")
        version: int = conn.execute("PRAGMA found.user_version").fetchone()[0]
        newest = migrations[-1].number
        if version > newest:
            self.add(Level.BROKEN, "doctor-schema", scope=self.name, found=version, known=newest)
            return False
        if version < newest:
            self.mendable = version > 0
            self.add(Level.CHECK, "doctor-schema-older", scope=self.name, found=version, known=newest)
            return False
        return True


def _look_at_device(file: _File, conn: Connection) -> Examined:
    file.count_orphans(conn, _DEVICE_ORPHANS)
    device = conn.execute("SELECT value FROM found.installation WHERE key = 'device'").fetchone()
    rows = conn.execute(
        "SELECT scope, made, EXISTS(SELECT 1 FROM found.accounts AS a WHERE a.scope = s.scope)"
        " OR EXISTS(SELECT 1 FROM found.chats AS c WHERE c.scope = s.scope)"
        " OR EXISTS(SELECT 1 FROM found.installation AS i WHERE i.key = 'retired/' || s.scope)"
        " FROM found.scopes AS s WHERE length(scope) = 32 ORDER BY scope"
    )
    aliases = tuple(Alias(ScopeID(scope), bool(made), bool(used)) for scope, made, used in rows)
    file.mendable = True
    groups = conn.execute(
        "SELECT chat, title FROM found.chats JOIN found.scopes USING (scope) WHERE state = 'on' ORDER BY chat"
    ).fetchall()
    (last,) = conn.execute("SELECT max(at_ms) FROM found.inbox").fetchone()
    return replace(
        file.so_far(), aliases=aliases, device=device[0] if device else "", notes=_waiting(conn),
        groups=tuple(groups), last_event_ms=last,
    )  # fmt: skip


def _waiting(conn: Connection) -> tuple[Finding, ...]:
    """What could not be handled, may not have arrived, or has nowhere to go."""
    parked = conn.execute("SELECT reason, count(*) FROM found.inbox WHERE state = 'parked' GROUP BY reason").fetchall()
    (uncertain,) = conn.execute("SELECT count(*) FROM found.outbox WHERE state = 'uncertain'").fetchone()
    (paused,) = conn.execute("SELECT count(*) FROM found.installation WHERE key GLOB 'paused/*'").fetchone()
    kinds = ", ".join(sorted(reason for reason, _ in parked))
    notes = [("doctor-parked", sum(n for _, n in parked)), ("doctor-uncertain", uncertain), ("doctor-paused", paused)]
    waiting = [
        Finding(Level.CHECK, code, {"n": n, "kinds": kinds} if code == "doctor-parked" else {"n": n})
        for code, n in notes
        if n
    ]
    return (*waiting, *_unasked(conn))


def _unasked(conn: Connection) -> Iterator[Finding]:
    """What became of that which is said unasked, in the thirty days up to the newest."""
    states = dict(
        conn.execute(
            "SELECT CASE WHEN state = 'skipped' AND reason IN ('late', 'undelivered') THEN 'missed' ELSE state END, count(*)"
            " FROM found.slots WHERE day > date((SELECT max(day) FROM found.slots), '-30 days') GROUP BY 1"
        )
    )
    if states:
        facts = {name: states.get(name, 0) for name in ("sent", "missed", "uncertain")}
        yield Finding(Level.OK, "doctor-unasked", facts)


def _look_at_memory(file: _File, conn: Connection) -> Examined:
    file.count_orphans(conn, _MEMORY_ORPHANS)
    documents, broken = read_log(conn)
    if broken:
        file.add(Level.BROKEN, "doctor-log", scope=file.name, n=len(broken), document=broken[0])
        return file.so_far()
    compared = compare(conn, documents)
    if compared.unlogged:
        file.add(Level.BROKEN, "doctor-unlogged", scope=file.name, n=compared.unlogged)
    if compared.unequal:
        file.add(Level.CHECK, "doctor-unequal", scope=file.name, found=", ".join(compared.unequal))
    file.mendable = not compared.unlogged
    return replace(file.so_far(), entries=compared.entries)


_ROW_FAULT = re.compile(r"(NULL|NUMERIC|TEXT) value in |non-\w+ value in |CHECK constraint failed in ")
"""A row that breaks a rule of its table: the file is whole, and the row is counted among the orphans or unequal."""
_INDEX_FAULT = re.compile(r"(malformed inverted index|unable to validate the inverted index) for FTS5 table ")
"""A full-text table is made anew from the rows; the comparison names it."""


def damage(conn: Connection) -> str:
    """The first thing that is wrong with the file itself, "" when it is whole."""
    for (line,) in conn.execute("PRAGMA found.integrity_check"):
        if line != "ok" and not _ROW_FAULT.match(line) and not _INDEX_FAULT.match(line):
            return " ".join(str(line).split())[:120]
    return ""


def _name_of(error: Exception) -> str:
    if str(error).startswith(("no such table", "no such column")):
        return str(error)[:120]
    return getattr(error, "sqlite_errorname", None) or "SQLITE_ERROR"


_LEADS_NOWHERE = "scope IS NULL OR scope = '' OR NOT EXISTS(SELECT 1 FROM found.scopes AS s WHERE s.scope = t.scope)"
_DEVICE_ORPHANS = {
    "scopes": "SELECT count(*) FROM found.scopes WHERE scope IS NULL OR length(scope) <> 32",
    **{f"{t}": f"SELECT count(*) FROM found.{t} AS t WHERE {_LEADS_NOWHERE}" for t in ("accounts", "chats", "members")},
}


def _unknown(column: str) -> str:
    """A condition: no record has this id, and none was banned under it."""
    return (
        f"NOT EXISTS(SELECT 1 FROM found.entries AS e WHERE e.id = t.{column})"
        f" AND NOT EXISTS(SELECT 1 FROM found.tasks AS k WHERE k.id = t.{column})"
        f" AND NOT EXISTS(SELECT 1 FROM found.cards AS c WHERE c.id = t.{column})"
        f" AND NOT EXISTS(SELECT 1 FROM found.registers AS r WHERE r.record = 'meta' AND r.field = 'ban/' || t.{column})"
    )


_MEMORY_ORPHANS = {
    "turns": "SELECT count(*) FROM found.turns AS t"
    " WHERE NOT EXISTS(SELECT 1 FROM found.sessions AS s WHERE s.id = t.session)",
    "labels": f"SELECT count(*) FROM found.labels AS t WHERE {_unknown('record')}",
    "registers": "SELECT count(*) FROM found.registers AS t"
    f" WHERE record NOT IN ('meta', 'settings', 'profile') AND {_unknown('record')}",
    "edges": f"SELECT count(*) FROM found.edges AS t WHERE ({_unknown('successor')}) OR ({_unknown('predecessor')})",
}
