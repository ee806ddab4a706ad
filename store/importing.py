"""Carrying out the plan of an import, and taking an import back.

All of a plan is carried out in one transaction: a crash leaves all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from store import blocks, cards, index
from store.changes import LABEL_BYTES_MAX, Json, canonical, parse_label_key, parse_register_key
from store.ids import parse_label
from store.import_plan import PLATFORM, RUN, Change, Plan, Removal, differing, key_of
from store.model import TALK, AccountID, CardState, Draft, Entry, EntryID, Origin, RefID, Source, TaskState
from store.occurrences import TRACK, tracked_field
from store.pieces import EntryPiece, Piece, ProfilePiece, RecordPiece, TalkPiece, TaskPiece, TermPiece
from store.tree import every_of
from store.view import View
from store.writer import Writer

PATH_CHARACTERS_MAX = 180
"""The end of a path says more than its beginning."""
FORGOTTEN_BY_FILE_MS = 24 * 60 * 60 * 1000
"""What an import has forgotten can be brought back for a day."""

Progress = Callable[[int, int], None]
"""(done, of how many)"""


@dataclass(frozen=True, slots=True)
class Hand:
    """On whose behalf, when and where an import is made."""

    account: AccountID
    zone: str
    run: str
    """The id of this import: a ULID."""
    lang_of: Callable[[str], str]


@dataclass(slots=True)
class Done:
    run: str
    records: list[str] = field(default_factory=list)
    labels: list[RefID] = field(default_factory=list)


def apply(writer: Writer, made: Plan, hand: Hand, progress: Progress = lambda done, total: None) -> Done:
    """Carries `made` out; the caller's transaction keeps all of it or nothing. Raises what the writer raises."""
    return _Import(writer, made, hand, progress).run()


class _Import:
    def __init__(self, writer: Writer, made: Plan, hand: Hand, progress: Progress) -> None:
        self._writer = writer
        self._plan = made
        self._hand = hand
        self._progress = progress
        self._done = Done(hand.run)
        self._ids: dict[str, EntryID] = {}
        """RefIDs that are kept → the record that gets each; taken out once it has."""
        self._records: dict[str, EntryID] = {}
        self._noons: dict[str, int] = {}
        self._session = f"{RUN}{hand.run}"

    def run(self) -> Done:
        moments = self._moments()
        for piece in self._plan.new:
            if isinstance(piece, EntryPiece) and piece.label and self._is_free(piece.label):
                self._ids.setdefault(piece.label, self._id(moments[id(piece)]))
        self._records = dict(self._ids)
        total = len(self._plan.new) + len(self._plan.changed) + len(self._plan.removed)
        for number, piece in enumerate(self._plan.new):
            self._add(piece, moments.get(id(piece), self._writer.now_ms))
            self._progress(number + 1, total)
        for change in self._plan.changed:
            self._change(change)
        for removal in self._plan.removed:
            self._remove(removal)
        self._progress(total, total)
        if session := self._writer.session(self._session):
            self._writer.conn.execute(
                "UPDATE sessions SET ended_ms = ? WHERE id = ?", (self._writer.now_ms, session.id)
            )
        earlier = self._writer.note(f"{RUN}{self._hand.run}") or {}
        records = [*earlier.get("records", ()), *self._done.records]
        self._writer.set("meta", f"{RUN}{self._hand.run}", {"n": len(records)}, by=self._hand.account)
        forgot = [*earlier.get("forgot", ()), *(one.record for one in self._plan.removed if "/" not in one.record)]
        body: Json = {"records": records, "forgot": forgot, "at": self._writer.now_ms}
        self._writer.keep_note(f"{RUN}{self._hand.run}", canonical(body))
        return self._done

    def _moments(self) -> dict[int, int]:
        """When each piece was said: pieces of one day keep their order, a millisecond apart from noon on."""
        found: dict[int, int] = {}
        later = self._writer.now_ms - len(self._plan.new)
        for number, piece in enumerate(self._plan.new):
            if isinstance(piece, EntryPiece) and piece.at_ms is not None:
                found[id(piece)] = piece.at_ms
            elif isinstance(piece, EntryPiece | TaskPiece) and (day := piece.day or getattr(piece, "done_day", "")):
                found[id(piece)] = self._noons[day] = self._noons.get(day, self._noon(day) - 1) + 1
            else:
                found[id(piece)] = later + number
        return found

    def _id(self, at_ms: int) -> EntryID:
        """Ids begin in 1970."""
        return self._writer.new_id(max(0, at_ms))

    def _noon(self, day: str) -> int:
        return int(datetime.combine(date.fromisoformat(day), time(12), ZoneInfo(self._hand.zone)).timestamp() * 1000)

    def _source(self, piece: Piece) -> Source:
        path = piece.path[-PATH_CHARACTERS_MAX:] + (f"#L{piece.line}" if piece.line else "")
        return Source(PLATFORM, self._hand.run, key_of(piece), path)

    def _add(self, piece: Piece, at_ms: int) -> None:
        writer, by = self._writer, self._hand.account
        match piece:
            case EntryPiece():
                self._remember(piece, at_ms, self._supersedes(piece), self._ids.pop(piece.label, None))
            case TaskPiece():
                task = writer.add_task(
                    piece.title, at_ms=at_ms, zone=self._hand.zone, author=by, source=self._source(piece),
                    record=self._id(at_ms), label=_kept_label(piece.label) if self._is_free(piece.label) else None,
                )  # fmt: skip
                for name, value in differing(task, piece, "").items():
                    writer.set(task.id, name, value, by=by)
                if piece.state is TaskState.DONE:
                    writer.set(task.id, "done_at", self._noon(piece.done_day) if piece.done_day else at_ms, by=by)
                self._done.records.append(task.id)
                self._done.labels.append(task.label)
            case ProfilePiece():
                self._set("profile", piece.name, piece.value)
            case TermPiece():
                self._set("settings", tracked_field(piece.term), piece.term)
            case TalkPiece():
                self._talk(piece)
            case RecordPiece():
                writer.carry(piece.keys)
                if piece.record in ("profile", "settings"):
                    for field_name in {parse_register_key(key.key).field for key in piece.keys}:
                        self._can_undo(piece.record, field_name, "")
                else:
                    for key in piece.keys:
                        if key.map == "l":
                            writer.keep_label(RefID(parse_label_key(key.key)[0]))
                    self._done.records.append(piece.record)

    def _remember(
        self, piece: EntryPiece, at_ms: int, supersedes: Sequence[str], record: EntryID | None = None
    ) -> Entry:
        label = parse_label(piece.label) if record is not None else None
        draft = piece.draft
        if piece.label and parse_label(piece.label) is None:  # an id of another program's: it may be looked for by it
            draft = replace(draft, about=(*draft.about, ("id", piece.label)))
        entry = self._writer.remember(
            draft, at_ms=at_ms, zone=self._hand.zone, author=self._hand.account, source=self._source(piece),
            origin=Origin.IMPORTED, lang=self._hand.lang_of(draft.text), supersedes=supersedes,
            record=record or self._id(at_ms), label=label,
        )  # fmt: skip
        if piece.pinned:
            self._writer.set(entry.id, "pinned", True, by=self._hand.account)
        self._done.records.append(entry.id)
        self._done.labels.append(entry.label)
        return entry

    def _is_free(self, label: str) -> bool:
        return not (self._writer.labelled(label) or self._writer.erased(label))

    def _supersedes(self, piece: EntryPiece) -> list[str]:
        found: list[str] = []
        for label in piece.replaces:
            own = self._records.get(label) or self._records.get(parse_label(label) or "")
            found += [own] if own else [one for one in self._writer.labelled(label) if self._writer.entry(one)][:1]
        return list(dict.fromkeys(found))

    def _talk(self, piece: TalkPiece) -> None:
        hour, _, minute = (piece.time or "12:00").partition(":")
        day = date.fromisoformat(piece.day)
        at = datetime.combine(day, time(int(hour) % 24, int(minute) % 60), ZoneInfo(self._hand.zone))
        people = {name: account for account, name in self._writer.people().items()}
        account = people.get(piece.who) or (AccountID(f"{PLATFORM}:{piece.who}") if piece.who else self._hand.account)
        self._writer.keep_turn(
            chat=self._session, account=account, at_ms=int(at.timestamp() * 1000), zone=self._hand.zone, kind=TALK,
            text=piece.text, reply="",
        )  # fmt: skip

    def _change(self, change: Change) -> None:
        piece = change.piece
        if isinstance(piece, TaskPiece):
            task = self._writer.task(change.record)
            assert task is not None
            wanted = differing(task, piece, every_of(self._writer, task))
            if wanted.get("state") == TaskState.DONE:
                wanted["done_at"] = self._noon(piece.done_day) if piece.done_day else self._writer.now_ms
            for name, value in wanted.items():
                self._set(change.record, name, value, shown=change.label)
            return
        entry = self._writer.entry(change.record)
        assert entry is not None
        if piece.only_words:
            piece = replace(
                piece, draft=replace(entry.draft, text=piece.draft.text), pinned=entry.pinned, only_words=False
            )
        if _fixed(piece.draft) == _fixed(replace(entry.draft, tags=(*entry.draft.tags, *entry.more_tags))):
            for name, value in (
                ("until", piece.draft.until),
                ("importance", piece.draft.importance),
                ("pinned", piece.pinned),
            ):
                self._set(entry.id, name, value, shown=entry.label)
            return
        self._remember(replace(piece, label=""), self._writer.now_ms, [entry.id])

    def _remove(self, removal: Removal) -> None:
        if removal.record.startswith("profile/"):
            self._set("profile", removal.record.removeprefix("profile/"), "")
        elif removal.record.startswith(TRACK):
            self._set("settings", tracked_field(removal.record.removeprefix(TRACK)), "")
        else:
            self._set(removal.record, "hidden", True, shown=removal.label)
            due = (self._writer.now_ms + FORGOTTEN_BY_FILE_MS, removal.record)
            self._writer.conn.execute("UPDATE erasing SET due_ms = ? WHERE record = ?", due)

    def _set(self, record: str, name: str, value: Json, *, shown: str = "") -> None:
        register = self._writer.register(record, name)
        before = register.value if register else None
        if before == value or (register is None and value in ("", None, False)):
            return
        self._writer.set(record, name, value, by=self._hand.account)
        self._can_undo(record, name, _before(name, before), shown=shown)

    def _can_undo(self, record: str, name: str, before: Json, *, shown: str = "") -> None:
        self._writer.undoable_write(
            chat=self._session, account=self._hand.account, shown=RefID(shown), verb="import",
            steps=[(record, name, before)],
        )  # fmt: skip


def _before(name: str, value: Json) -> Json:
    if value is None:
        return {"hidden": False, "pinned": False, "importance": None, "done_at": None}.get(name, "")
    return value


def _kept_label(label: str) -> RefID | None:
    """The label of a task, which another program may have spelled as it liked."""
    fits = 0 < len(label.encode()) <= LABEL_BYTES_MAX and "/" not in label and label.isprintable()
    return RefID(label) if fits else None


def _fixed(draft: Draft) -> Json:
    """What of a draft can only be corrected by a new entry."""
    return blocks.digest_of(EntryPiece("", 0, replace(draft, until="", importance=None)))


# taking it back


def last_run(view: View) -> str | None:
    """The newest import that was made on this device and not taken back."""
    prefix = f"note/{RUN}"
    rows = view.conn.execute(
        "SELECT key FROM copy WHERE key > ? AND key < ? ORDER BY key DESC", (prefix, prefix[:-1] + "0")
    )
    return next((row[0].removeprefix(prefix) for row in rows), None)


@dataclass(frozen=True, slots=True)
class TakenBack:
    hidden: int
    restored: int
    kept: int
    """What somebody has worked on since."""
    gone: int
    """What it had forgotten and was erased for good in the meantime."""


def undo(writer: Writer, run: str, by: AccountID) -> TakenBack:
    """Takes the import `run` back: what came with it is hidden, what it changed is as it was."""
    note = writer.note(f"{RUN}{run}") or {}
    own = set(note.get("records", ()))
    at_ms = note.get("at", 0)
    hidden = restored = kept = 0
    gone = sum(not (writer.entry(one) or writer.task(one)) for one in note.get("forgot", ()))
    for record in own:
        successors = [one for one in writer.successors(record) if (e := writer.entry(one)) and not e.hidden]
        event = cards.review(writer, record)
        tried = any(one.at_ms > at_ms for one in cards.reviews(writer, event.card if event else record))
        if set(successors) - own or tried or any(one.at_ms > at_ms for one in writer.registers(record).values()):
            kept += 1
        elif cards.card(writer, record):
            cards.set_card(writer, record, by=by, state=CardState.REMOVED)
            hidden += 1
        elif event:
            hidden += cards.undo_review(writer, record, by=by, at_ms=writer.now_ms, zone="")
        elif writer.entry(record) or writer.task(record):
            writer.set(record, "hidden", True, by=by)
            hidden += 1
    rows = writer.conn.execute("SELECT id FROM undo WHERE chat = ? AND done = 0 ORDER BY number DESC", (f"{RUN}{run}",))
    for (name,) in rows.fetchall():
        one = writer.undoable(name)
        assert one is not None
        steps = [step for step in one.steps if _stands(writer, step[0], step[1], at_ms)]
        kept += len(one.steps) - len(steps)
        writer.take_back(name, steps, by=by)
        restored += len(steps)
    for turn in writer.turns("chat = ?", (f"{RUN}{run}",), limit=-1):
        index.remove_turn(writer.conn, turn.id, day=turn.day, text=turn.text)
        writer.conn.execute("DELETE FROM turns WHERE id = ?", (turn.id,))
    writer.set("meta", f"{RUN}{run}", {"n": len(own), "undone": True}, by=by)
    writer.conn.execute("DELETE FROM copy WHERE key = ?", (f"note/{RUN}{run}",))
    return TakenBack(hidden, restored, kept, gone)


def _stands(writer: Writer, record: str, name: str, at_ms: int) -> bool:
    """Whether nobody has set this register since."""
    register = writer.register(record, name)
    return register is not None and register.at_ms <= at_ms
