"""Writing one scope's memory, inside one transaction.

A `Writer` turns what a command wants into keys, projects them at once (so the same transaction can read
them back) and, when the command is through, commits one Automerge change per touched document into the
log. The registers it writes name the heads they replace, so nothing a person has not seen is overwritten.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from sqlite3 import Connection
from typing import Any

from store.archive import registers_of
from store.changes import Json, Key, batches, label_key, record_key, register_key
from store.dates import find_dates, local_day
from store.document import Change
from store.errors import NiannianError, NotFound, OverLimit
from store.fold import CARD_KIND, TASK_KIND
from store.ids import Series, day_of_label, label_parts, stamp, ulid_time_ms
from store.ids import label as label_of
from store.model import (
    ENTRY_CHARACTERS_MAX,
    AccountID,
    Draft,
    Entry,
    EntryID,
    EntryKind,
    Origin,
    RefID,
    Source,
    Task,
    TaskState,
)
from store.own_rows import UNDO_MS
from store.own_writer import OwnWriter
from store.ports import Entropy
from store.projection import project
from store.vectors import Matrices

DOCUMENT_KEYS_SOFT_MAX = 500
_FAMILIES: dict[Any, str] = {TASK_KIND: "tasks", CARD_KIND: "cards"}
"""Where records of a kind go; all others are `facts`."""

Committer = Callable[[Connection, str, Sequence[Key]], Change]
"""(connection, document without generation, keys) → the change that sets them."""


class Writer(OwnWriter):
    """`refusal`: why nothing can be stored now. Effects then raise it, notes about the turn are skipped."""

    def __init__(
        self,
        conn: Connection,
        *,
        now_ms: int,
        device: str,
        entropy: Entropy,
        commit: Committer,
        refusal: NiannianError | None = None,
        matrices: Matrices | None = None,
    ) -> None:
        super().__init__(conn, now_ms=now_ms, entropy=entropy, refusal=refusal, matrices=matrices)
        self.device = device
        """16 hex digits."""
        self._commit = commit
        self._waiting: dict[str, list[Key]] = defaultdict(list)

    # effects: they raise `refusal`

    def remember(
        self,
        draft: Draft,
        *,
        at_ms: int,
        zone: str,
        author: AccountID,
        source: Source,
        origin: Origin,
        lang: str,
        supersedes: Sequence[str] = (),
        record: EntryID | None = None,
        label: RefID | None = None,
    ) -> Entry:
        """Stores `draft` and gives the entry. A `record` that is there already is given back unchanged.

        `label`: the RefID that it has elsewhere and keeps; without it the next one of its day.
        Raises OverLimit past 8,000 characters, NotFound for what was erased for good: it is not learned again.
        """
        self._effect()
        length = sum(map(len, _texts(draft)))
        if length > ENTRY_CHARACTERS_MAX:
            raise OverLimit("error-entry-too-long", length=length, most=ENTRY_CHARACTERS_MAX)
        record = record or self.new_id(at_ms)
        there = self.entry(record)
        if there is not None:
            return there
        self._refuse_erased(record, source)
        day = local_day(at_ms, zone)
        series = Series.CHECKPOINT if draft.kind is EntryKind.CHECKPOINT else Series.ENTRY
        value: dict[str, Json] = {
            "at": at_ms,
            "author": author,
            "day": day.isoformat(),
            "kind": draft.kind.value,
            "lang": lang,
            "origin": origin.value,
            "source": {
                name: getattr(source, name)
                for name in ("platform", "chat", "message", "path", "quoted")
                if getattr(source, name)
            },
            "text": draft.text,
            "zone": zone,
        }
        extra: dict[str, Json] = {
            "why": draft.why,
            "impact": draft.impact,
            "next": draft.next,
            "verify": draft.verify,
            "about": [list(pair) for pair in draft.about],
            "confidence": draft.confidence.value if draft.confidence else "",
            "tags": list(draft.tags),
            "aliases": list(draft.aliases),
            "supersedes": list(supersedes),
            "dates": [
                [d.words, d.first.isoformat(), d.last.isoformat()]
                for d in find_dates(draft.text, day, prefer_past=False)
            ],
        }
        value |= {name: item for name, item in extra.items() if item}
        main = record_key(record, value)
        shown = self.keep_label(label) if label else self._next_label(series, day)
        self._put(self._family("facts", record), [main, label_key(shown, main)])
        for name, wish in registers_of(draft).items():
            self.set(record, name, wish, by=author)
        stored = self.entry(record)
        assert stored is not None
        return stored

    def add_task(
        self,
        title: str,
        *,
        at_ms: int,
        zone: str,
        author: AccountID,
        source: Source,
        record: EntryID | None = None,
        label: RefID | None = None,
    ) -> Task:
        """As `remember`. Raises OverLimit past 8,000 characters, NotFound for what was erased for good."""
        self._effect()
        if len(title) > ENTRY_CHARACTERS_MAX:
            raise OverLimit("error-entry-too-long", length=len(title), most=ENTRY_CHARACTERS_MAX)
        record = record or self.new_id(at_ms)
        there = self.task(record)
        if there is not None:
            return there
        self._refuse_erased(record, source)
        day = local_day(at_ms, zone)
        main = record_key(
            record,
            {
                "at": at_ms,
                "author": author,
                "day": day.isoformat(),
                "kind": TASK_KIND,
                "source": {
                    name: getattr(source, name) for name in ("platform", "chat", "message") if getattr(source, name)
                },
                "zone": zone,
            },
        )
        shown = self.keep_label(label) if label else self._next_label(Series.TASK, day)
        self._put(self._family("tasks", record), [main, label_key(shown, main)])
        self.set(record, "title", title, by=author)
        self.set(record, "state", TaskState.READY.value, by=author)
        stored = self.task(record)
        assert stored is not None
        return stored

    def set(self, record: str, field: str, value: Json, *, by: AccountID) -> Json:
        """Sets one register and gives what it held before (None when it was never set)."""
        self._effect()
        before = self.register(record, field)
        if before is not None and before.value == value and len(before.heads) == 1:
            return before.value
        key = register_key(
            record,
            field,
            value,
            stamp=stamp(self.now_ms, self.device),
            by=by,
            at_ms=self.now_ms,
            over=before.heads if before else (),
        )
        self._put(self._register_document(record), [key])
        if field == "hidden":
            self._schedule_erasing(record, hidden=value is True)
        return before.value if before else None

    def take_back(self, undo: str, steps: Iterable[tuple[str, str, Json]], *, by: AccountID) -> None:
        """Marks `undo` as done and sets its registers."""
        self._effect()
        self.conn.execute("UPDATE undo SET done = 1 WHERE id = ?", (undo,))
        for record, field, value in steps:
            self.set(record, field, value, by=by)

    def undoable_write(
        self, *, chat: str, account: AccountID, shown: RefID, verb: str, steps: Sequence[tuple[str, str, Json]]
    ) -> str:
        """Keeps what taking back this write would set; gives the id its button carries."""
        self._effect()
        undo = self.new_id(self.now_ms)
        self.conn.execute(
            "INSERT INTO undo(id, chat, account, label, verb, steps, at_ms, done) VALUES(?, ?, ?, ?, ?, ?, ?, 0)",
            (undo, chat, account, shown, verb, json.dumps(steps, ensure_ascii=False), self.now_ms),
        )
        return undo

    def _refuse_erased(self, record: EntryID, source: Source) -> None:
        label = self.banned(record, source)
        if label is not None:
            raise NotFound("error-erased", ref=label)

    @property
    def changed(self) -> bool:
        """Whether this transaction has set anything that other devices would hear of."""
        return bool(self._waiting)

    # the road to the log

    def keep(self, items: Sequence[Key]) -> None:
        """Sets keys of new records, of this device's own making. They stand together: all in the documents of the first."""
        self._effect()
        waiting = list(items)
        while waiting:
            doc = self._document_of(waiting[0])
            row = self.conn.execute("SELECT keys FROM documents WHERE doc = ?", (doc,)).fetchone()
            room = DOCUMENT_KEYS_SOFT_MAX - (row[0] if row else 0)
            self._put(doc, waiting[:room])
            del waiting[:room]

    def carry(self, items: Iterable[Key]) -> None:
        """Sets keys of another's again under this device's name: what an older generation said and this one lacks."""
        self._effect()
        for item in items:
            self._put(self._document_of(item), [item])

    def carry_apart(self, items: Iterable[Key]) -> None:
        """The same for keys that stand in this generation already, in documents that hold none of them.

        A document takes a key once. So these go behind the last one of their month, those of `meta`, `profile`
        and `settings` to this month's: where a key stands means nothing (docs/spec/memsync.md).
        """
        self._effect()
        behind: dict[str, int] = {}
        this_month = f"facts/{datetime.fromtimestamp(self.now_ms / 1000, UTC):%Y-%m}."
        sizes: dict[str, int] = defaultdict(int)
        for item in items:
            family, dot, _ = self._document_of(item).rpartition(".")
            prefix = family + dot if dot else this_month
            number = behind.setdefault(prefix, self._last_number(prefix) + 1)
            if sizes[prefix] >= DOCUMENT_KEYS_SOFT_MAX:
                behind[prefix], sizes[prefix] = number + 1, 0
            sizes[prefix] += 1
            self._put(f"{prefix}{behind[prefix]}", [item])

    def _last_number(self, prefix: str) -> int:
        """The greatest n of the documents `<prefix><n>` that anything is logged of."""
        rows = self.conn.execute("SELECT DISTINCT doc FROM changes WHERE doc >= ? AND doc < ?", (prefix, prefix + ":"))
        return max((int(doc[len(prefix) :]) for (doc,) in rows), default=0)

    def _document_of(self, item: Key) -> str:
        if item.record in ("meta", "settings"):
            return "meta"
        if item.record == "profile":
            return "profile"
        if item.map == "v":
            return self._family("reviews", EntryID(item.record))
        value = json.loads(item.value) if item.map == "e" else {}
        family = _FAMILIES.get(value.get("kind")) or self._family_of(item.record)
        return self._family(family, EntryID(item.record))

    def _family_of(self, record: str) -> str:
        if self.task(record) is not None:
            return "tasks"
        is_card = self.conn.execute("SELECT 1 FROM cards WHERE id = ?", (record,)).fetchone() is not None
        return "cards" if is_card else "facts"

    def flush(self) -> None:
        """One change per touched document into the log; the last thing in the transaction."""
        for doc, items in self._waiting.items():
            for batch in batches(items):
                change = self._commit(self.conn, doc, batch)
                self.conn.execute(
                    "INSERT INTO changes(doc, hash, bytes, origin) VALUES(?, ?, ?, 'own')",
                    (doc, change.hash, change.data),
                )
        self._waiting.clear()

    def _put(self, doc: str, items: list[Key]) -> None:
        self._waiting[doc].extend(items)
        project(self.conn, doc, items)

    def _family(self, family: str, record: EntryID) -> str:
        """The document a record's keys go to now: `<family>/<UTC month of the id>.<n>`, n the lowest with room.

        The ids of cards know no month: `cards.<n>`.
        """
        prefix = "cards." if family == "cards" else f"{family}/{_month(record)}."
        sizes = dict(
            self.conn.execute(
                "SELECT doc, keys FROM documents WHERE doc >= ? AND doc < ?", (prefix, prefix[:-1] + "/")
            ).fetchall()
        )
        number = 1
        while sizes.get(f"{prefix}{number}", 0) >= DOCUMENT_KEYS_SOFT_MAX:
            number += 1
        return f"{prefix}{number}"

    def _register_document(self, record: str) -> str:
        match record:
            case "meta" | "settings":
                return "meta"
            case "profile":
                return "profile"
        return self._family(self._family_of(record), EntryID(record))

    def _next_label(self, series: str, day: Any) -> RefID:
        lane = self.local("lane")
        number = self.conn.execute(
            "INSERT INTO ref_counter VALUES(?, ?, ?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last",
            (series, day.isoformat(), lane),
        ).fetchone()[0]
        return label_of(series, day, lane, number)

    def keep_label(self, wish: RefID) -> RefID:
        """A label that was counted elsewhere; one of this lane is never given to anything else."""
        parts = label_parts(wish)
        if parts is not None and parts.lane == self.local("lane") and (day := day_of_label(parts)):
            self.conn.execute(
                "INSERT INTO ref_counter VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)",
                (parts.series, day.isoformat(), parts.lane, parts.number),
            )
        return wish

    def note_hidden(self, records: Iterable[str]) -> None:
        """What others have hidden, or brought back, is erased for good, or kept, as if it had been done here."""
        for record in records:
            register = self.register(record, "hidden")
            hidden = register is not None and register.value is True
            waits = self.conn.execute("SELECT 1 FROM erasing WHERE record = ?", (record,)).fetchone() is not None
            if hidden != waits:
                self._schedule_erasing(record, hidden=hidden)

    def _schedule_erasing(self, record: str, *, hidden: bool) -> None:
        if hidden:
            self.conn.execute("INSERT OR REPLACE INTO erasing VALUES(?, ?)", (record, self.now_ms + UNDO_MS))
        else:
            self.conn.execute("DELETE FROM erasing WHERE record = ?", (record,))


def _month(record: EntryID) -> str:
    return f"{datetime.fromtimestamp(ulid_time_ms(record) / 1000, UTC):%Y-%m}"


def _texts(draft: Draft) -> Iterable[str]:
    """Every word of a draft: tags and the like count too, or a message of nothing else would burst a value."""
    yield from (draft.text, draft.why, draft.impact, draft.next, draft.verify, *draft.tags, *draft.aliases)
    for pair in draft.about:
        yield from pair
