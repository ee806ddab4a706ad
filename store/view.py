"""Reading one scope's memory, inside one transaction: rows in, values out.

Everything here is synchronous and runs on the database's thread. There is no scope argument anywhere:
the connection holds exactly one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from store.archive import cold_condition
from store.changes import Json
from store.fold import Register, closure
from store.ids import parse_label
from store.index import quoted
from store.model import (
    AccountID,
    Confidence,
    DateSpan,
    Draft,
    Entry,
    EntryKind,
    Origin,
    RefID,
    Source,
    Task,
    TaskState,
)
from store.own_rows import LISTED_MAX, OwnRows
from store.projection import ENTRY_COLUMNS, TASK_COLUMNS, registers_of

_ENTRY = ", ".join(ENTRY_COLUMNS)
_TASK = ", ".join(TASK_COLUMNS)
DEVICE, LANE = "device/", "lane/"
"""Fields of `meta` before 16 hex digits of a device's id: what it is called, and its lane."""


class View(OwnRows):
    # entries

    def entry(self, record: str) -> Entry | None:
        found = self.entries("id = ?", (record,))
        return found[0] if found else None

    def entries(self, where: str, values: Sequence[Any] = (), *, limit: int = LISTED_MAX) -> list[Entry]:
        """Entries for a condition on the columns of `entries`, newest first, hidden ones included."""
        sql = f"SELECT {_ENTRY} FROM entries WHERE {where} ORDER BY at_ms DESC, length(label) DESC, label DESC LIMIT ?"
        return [_entry(row) for row in self.conn.execute(sql, (*values, limit))]

    def labelled(self, text: str) -> list[str]:
        """Ids a RefID leads to, as typed (case and zeros forgiven); more than one is a question.

        One that another program has given is looked for as it stands.
        """
        label = parse_label(text) or text
        return [row[0] for row in self.conn.execute("SELECT DISTINCT record FROM labels WHERE label = ?", (label,))]

    def said_in(self, message: str) -> list[Entry]:
        """The entries that came of this message, in any of its forms, newest first. `message`: its key."""
        where = "json_extract(source, '$.message') = ? OR substr(json_extract(source, '$.message'), 1, ?) = ?"
        return self.entries(where, (message, len(message) + 1, f"{message}:"))

    def erased(self, text: str) -> bool:
        """Whether a RefID once led to an entry that has been erased for good."""
        label = parse_label(text)
        return label is not None and self.register("meta", f"erased/{label}") is not None

    def banned(self, record: str, source: Source) -> RefID | None:
        """The label of what was erased for good under this id, or was said in this message; None when nothing was."""
        for name in (f"ban/{record}", ban_of_message(source.platform, source.chat, source.message)):
            register = self.register("meta", name)
            if register is not None:
                return RefID(str(register.value))
        return None

    def predecessors(self, record: str) -> list[str]:
        return [row[0] for row in self.conn.execute("SELECT predecessor FROM edges WHERE successor = ?", (record,))]

    def successors(self, record: str) -> list[str]:
        return [row[0] for row in self.conn.execute("SELECT successor FROM edges WHERE predecessor = ?", (record,))]

    def chain(self, record: str) -> list[Entry]:
        """Every version of one statement, `record` included, oldest first; hidden ones left out."""
        both: dict[str, set[str]] = {}
        waiting = [record]
        while waiting:
            one = waiting.pop()
            if one not in both:
                both[one] = {*self.predecessors(one), *self.successors(one)}
                waiting.extend(both[one])
        found = [self.entry(one) for one in {record} | closure(both, record)]
        return sorted((e for e in found if e and not e.hidden), key=age)

    def earlier(self, record: str) -> list[Entry]:
        """The visible entries that `record` replaces, directly or through others, newest first."""
        found = [self.entry(one) for one in self.below(record)]
        return sorted((e for e in found if e and not e.hidden and not e.held), key=age, reverse=True)

    def below(self, record: str) -> set[str]:
        """The ids that `record` replaces, directly or through others, hidden ones included."""
        steps: dict[str, set[str]] = {}
        waiting = [record]
        while waiting:
            one = waiting.pop()
            if one not in steps:
                steps[one] = set(self.predecessors(one))
                waiting.extend(steps[one])
        return closure(steps, record) - {record}

    def people(self) -> dict[AccountID, str]:
        """What the accounts of this scope are called, as its `meta` says."""
        return {
            AccountID(account): str(value.get("name", ""))
            for account, value in self._meta("account/").items()
            if isinstance(value, dict)
        }

    def device_names(self) -> dict[str, str]:
        """What the devices of this scope are called: lane → name, "" for one that has given none."""
        names = self._meta(DEVICE)
        return {str(lane): str(names.get(device, "")) for device, lane in self._meta(LANE).items()}

    def devices(self) -> dict[str, str]:
        """The same by the first 16 hex digits of their ids."""
        return {device: str(name) for device, name in self._meta(DEVICE).items()}

    def _meta(self, prefix: str) -> dict[str, Json]:
        """The registers of `meta` that begin with `prefix`, without it."""
        rows = self.conn.execute(
            "SELECT substr(field, ?), value FROM registers WHERE record = 'meta' AND field > ? AND field < ?",
            (len(prefix) + 1, prefix, prefix[:-1] + "0"),
        )
        return {name: json.loads(value) for name, value in rows}

    def same_subject(self, subject: str) -> list[Entry]:
        """Current entries whose words before the first 是/为/is … are `subject` (folded)."""
        if not subject:
            return []
        return self.entries(
            "subject <> '' AND subject = ? AND current = 1 AND hidden = 0 AND kind <> 'checkpoint'", (subject,)
        )

    def repeats(self, entry: Entry) -> list[Entry]:
        """The current visible entries that say the same words, newest first; `entry` is one of them if it is current."""
        return self.entries(
            "same = ? AND current = 1 AND hidden = 0 AND held = 0 AND kind <> 'checkpoint'", (entry.same,)
        )

    def said_often(self) -> set[str]:
        """What was said more than once, as `Entry.same` names it."""
        shown = "current = 1 AND hidden = 0 AND held = 0 AND kind <> 'checkpoint'"
        sql = f"SELECT same FROM entries WHERE {shown} GROUP BY same HAVING count(*) > 1"
        return {row[0] for row in self.conn.execute(sql)}

    def cold(self, today: date) -> list[Entry]:
        """Current visible entries that the default search leaves out on this day, newest first."""
        return self.entries(*_cold(today))

    def count_cold(self, today: date) -> int:
        where, values = _cold(today)
        count: int = self.conn.execute(f"SELECT count(*) FROM entries WHERE {where}", values).fetchone()[0]
        return count

    def cold_with(self, wanted: Sequence[str], today: date) -> list[Entry]:
        """Those of them that hold one of these terms, best first."""
        if not wanted:
            return []
        where, values = _cold(today)
        match = " OR ".join(map(quoted, wanted))
        rows = self.conn.execute(
            f"SELECT id FROM words JOIN entries ON seq = words.rowid WHERE words MATCH ? AND {where}"
            " ORDER BY bm25(words), seq DESC LIMIT ?",
            (match, *values, LISTED_MAX),
        ).fetchall()
        return [entry for (record,) in rows if (entry := self.entry(record))]

    def rest_of(self, record: str) -> tuple[str, str]:
        row = self.conn.execute("SELECT subject, rest FROM entries WHERE id = ?", (record,)).fetchone()
        return (row[0], row[1]) if row else ("", "")

    def count(self) -> int:
        """Visible entries, earlier versions included; checkpoints and what is held are not."""
        # SQLite takes both counts from small indexes; the plain condition would read every row.
        return self.count_where("1") - self.count_where("hidden = 1 OR held = 1 OR kind = 'checkpoint'")

    def count_where(self, where: str, values: Sequence[Any] = ()) -> int:
        """How many entries meet a condition on the columns of `entries`."""
        count: int = self.conn.execute(f"SELECT count(*) FROM entries WHERE {where}", values).fetchone()[0]
        return count

    def count_tasks(self) -> int:
        """Visible tasks, finished ones included."""
        count: int = self.conn.execute("SELECT count(*) FROM tasks WHERE hidden = 0").fetchone()[0]
        return count

    def count_talk(self) -> int:
        """Messages of the chat that may be found again."""
        count: int = self.conn.execute("SELECT count(*) FROM turn_places").fetchone()[0]
        return count

    def held(self) -> list[Entry]:
        """What was changed after it was forgotten and waits for a person, newest first."""
        return self.entries("held = 1 AND kind <> 'checkpoint'")

    def with_words(self, folded: str, *, limit: int = LISTED_MAX) -> list[Entry]:
        """Visible entries in which these folded words stand in a row, newest first."""
        if not folded:
            return []
        return self.entries(
            "hidden = 0 AND held = 0 AND seq IN (SELECT rowid FROM plain WHERE plain MATCH ?)",
            (quoted(folded),),
            limit=limit,
        )

    # tasks

    def task(self, record: str) -> Task | None:
        row = self.conn.execute(f"SELECT {_TASK} FROM tasks WHERE id = ?", (record,)).fetchone()
        return _task(row) if row else None

    def tasks(self, *, done: bool, limit: int = LISTED_MAX) -> list[Task]:
        """Visible tasks: the board in the order they were added, or the finished ones, newest first."""
        compare, order = ("=", "done_at_ms DESC, label DESC") if done else ("<>", "at_ms, label")
        sql = f"SELECT {_TASK} FROM tasks WHERE hidden = 0 AND state {compare} 'done' ORDER BY {order} LIMIT ?"
        return [_task(row) for row in self.conn.execute(sql, (limit,))]

    def timed_tasks(self, field: str) -> list[Task]:
        """Visible unfinished tasks that have a time, and a register `field`."""
        sql = (
            f"SELECT {_TASK} FROM tasks WHERE due <> '' AND hidden = 0 AND state <> 'done' AND EXISTS"
            " (SELECT 1 FROM registers WHERE record = tasks.id AND field = ?) ORDER BY at_ms, label LIMIT ?"
        )
        return [_task(row) for row in self.conn.execute(sql, (field, LISTED_MAX))]

    def newest_change(self) -> int:
        """A number that is another one whenever anything was set here since."""
        return int(self.conn.execute("SELECT coalesce(max(pos), 0) FROM changes").fetchone()[0])

    def hidden_tasks(self) -> list[Task]:
        """Forgotten ones that are still in the files, in the order they were added."""
        sql = f"SELECT {_TASK} FROM tasks WHERE hidden = 1 ORDER BY at_ms, label LIMIT ?"
        return [_task(row) for row in self.conn.execute(sql, (LISTED_MAX,))]

    # registers

    def register(self, record: str, field: str) -> Register | None:
        return registers_of(self.conn, record, field).get(field)

    def registers(self, record: str) -> dict[str, Register]:
        """All of `profile`, `settings`, `meta` or one id."""
        return registers_of(self.conn, record)

    def setting(self, name: str, default: str = "") -> str:
        register = self.register("settings", name)
        return register.value if register and isinstance(register.value, str) else default


def _cold(today: date) -> tuple[str, list[str]]:
    condition, values = cold_condition(today)
    return f"{condition} AND current = 1 AND hidden = 0 AND held = 0 AND kind <> 'checkpoint'", values


def ban_of_message(platform: str, chat: str, message: str) -> str:
    """The field of `meta` that bans a message: 128 bits of its hash, since all of them would not fit a key."""
    return f"ban-source/{hashlib.sha256(chr(0).join((platform, chat, message)).encode()).hexdigest()[:32]}"


def age(entry: Entry) -> tuple[int, int, str]:
    """Sorts from old to new; within one millisecond by label, since ids are random there."""
    return entry.at_ms, len(entry.label), entry.label


def _entry(row: Sequence[Any]) -> Entry:
    r = dict(zip(ENTRY_COLUMNS, row, strict=True))
    source = json.loads(r["source"])
    return Entry(
        id=r["id"],
        label=r["label"],
        draft=Draft(
            text=r["text"],
            kind=EntryKind(r["kind"]),
            why=r["why"],
            impact=r["impact"],
            next=r["next"],
            verify=r["verify"],
            about=tuple((k, v) for k, v in _list(r["about"])),
            confidence=Confidence(r["confidence"]) if r["confidence"] else None,
            tags=tuple(_list(r["tags"])),
            aliases=tuple(_list(r["aliases"])),
            until=r["until"],
            importance=r["importance"],
        ),
        at_ms=r["at_ms"],
        zone=r["zone"],
        day=r["day"],
        author=r["author"],
        source=Source(**{name: source.get(name, "") for name in ("platform", "chat", "message", "path", "quoted")}),
        origin=Origin(r["origin"]),
        lang=r["lang"],
        supersedes=tuple(_list(r["supersedes"])),
        dates=tuple(DateSpan(*one) for one in _list(r["dates"])),
        hidden=bool(r["hidden"]),
        pinned=bool(r["pinned"]),
        cleared=bool(r["cleared"]),
        tainted=bool(r["tainted"]),
        held=bool(r["held"]),
        current=bool(r["current"]),
        versions=r["versions"],
        more_tags=tuple(_list(r["more_tags"])),
        same=r["same"],
    )


def _list(text: str) -> list[Any]:
    """Nearly every list of an entry is empty, and an answer reads many entries."""
    found: list[Any] = [] if text == "[]" else json.loads(text)
    return found


def _task(row: Sequence[Any]) -> Task:
    r = dict(zip(TASK_COLUMNS, row, strict=True))
    return Task(**{**r, "state": TaskState(r["state"]), "hidden": bool(r["hidden"])})
