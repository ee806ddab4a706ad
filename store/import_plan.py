"""What an import would do to a memory: decided piece by piece, and nothing written.

So a preview says exactly what will happen. The same thing read twice is known again by its content (`key_of`), which is
kept as the message an entry came from: a ban on that message keeps out what was forgotten after an import, too. An
import that was taken back bans nothing, since its run is part of what is banned.

Files that this memory wrote itself (`Reading.wrote`) are compared block by block with what was written: what
differs is a correction, what is gone is forgotten, what is new is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from store import blocks, board
from store.blocks import squeezed
from store.changes import LABEL_BYTES_MAX, Json, canonical, check_change, parse_register_key
from store.errors import Malformed
from store.formats.exact import is_profile
from store.ids import digest
from store.model import (
    ENTRY_CHARACTERS_MAX,
    PROFILE_FIELDS_MAX,
    PROFILE_VALUE_CHARACTERS_MAX,
    TALK,
    TRACKED_BYTES_MAX,
    TRACKED_MAX,
    Draft,
    Entry,
    EntryKind,
    RefID,
    Task,
)
from store.occurrences import TRACK, tracked_field
from store.pieces import (
    EntryPiece,
    Piece,
    ProfilePiece,
    Reading,
    RecordPiece,
    TalkPiece,
    TaskPiece,
    TermPiece,
    Trouble,
)
from store.projection import is_banned
from store.text import alike
from store.tree import LISTS, every_of, talk_name
from store.view import View, ban_of_message

PLATFORM = "import"
RUN = "import/"
"""Registers of `meta`: the imports that were made, and whether they were taken back."""
EARLIEST_MS, LATEST_MS = -2_208_988_800_000, 7_258_118_399_999
"""1900 to 2199, UTC."""
_TASK_FIELDS = ("title", "note", "next", "blocked_by", "resume_step", "due")


class Taken(StrEnum):
    """What becomes of a piece whose RefID, field or word is in use for something else."""

    SKIP = "skip"
    RENAME = "rename"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Change:
    """Something stored that was changed in a file."""

    record: str
    label: RefID
    before: str
    after: str
    piece: EntryPiece | TaskPiece


@dataclass(frozen=True, slots=True)
class Removal:
    """Something stored that was taken out of the file `path`."""

    record: str
    """The id of an entry or a task; `profile/<name>` or `track/<word>` for a register."""
    label: str
    words: str
    path: str


@dataclass(slots=True)
class Plan:
    """What an import would do. Nothing in it is stored yet."""

    format: str
    new: list[Piece] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    removed: list[Removal] = field(default_factory=list)
    same: int = 0
    """Pieces that are stored already."""
    forgotten: int = 0
    """Pieces that were forgotten for good, and stay so."""
    taken: list[Piece] = field(default_factory=list)
    """Left out, because their RefID, field or word is in use for something else."""
    renamed: int = 0
    """Of the new ones, those that get another RefID than they had."""
    troubles: list[Trouble] = field(default_factory=list)
    ahead: set[str] = field(default_factory=set)
    """Files of ours that are not to be written over: another device wrote what this copy has not heard of yet, or part
    of them could not be read."""

    def writes(self) -> bool:
        return bool(self.new or self.changed or self.removed)


def key_of(piece: Piece) -> str:
    """32 hexadecimal digits that are equal for pieces that say the same of the same day."""
    match piece:
        case EntryPiece():
            value: Json = ["e", piece.label, piece.day, blocks.digest_of(replace(piece, only_words=False))]
        case TaskPiece():
            value = ["t", piece.label, piece.title]
        case ProfilePiece():
            value = ["p", piece.name, piece.value]
        case TermPiece():
            value = ["k", piece.term]
        case TalkPiece():
            value = ["c", piece.day, piece.time, piece.who, piece.text]
        case RecordPiece():
            value = ["r", piece.record]
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:32]


# what would be done


def plan(view: View, reading: Reading, *, scope: str, taken: Taken = Taken.RENAME) -> Plan:
    """`scope`: this memory's id. Reads only."""
    return _Planner(view, reading, scope, taken).made()


class _Planner:
    def __init__(self, view: View, reading: Reading, scope: str, taken: Taken) -> None:
        self._view = view
        self._reading = reading
        self._ours = {path for path, wrote in reading.wrote.items() if wrote == scope}
        if self._ours:  # a file that a person put beside them is one of theirs
            self._ours |= {piece.path for piece in reading.pieces if piece.path not in reading.wrote}
        self._unread = {one.path for one in reading.troubles}
        self._taken = taken
        self._plan = Plan(reading.format, troubles=list(reading.troubles))
        self._known = _imported(view)
        self._forgotten = _Forgotten(view)
        self._labels: dict[str, str] = {}
        """RefIDs that earlier pieces of this import keep, and the folded words under them."""
        self._places: dict[str, set[str]] = {}
        """RefID or name → the files in which it was met."""
        self._counted: set[str] = set()
        """RefIDs that were told as stored already: a line and a block of one entry are one."""
        self._edits: dict[str, Change] = {}
        self._profile = {name: str(one.value) for name, one in view.registers("profile").items() if one.value}
        self._tracked = {
            name for name, one in view.registers("settings").items() if name.startswith(TRACK) and one.value
        }
        self._titles: set[str] | None = None
        self._said = {
            (day, text) for day, text in view.conn.execute("SELECT day, text FROM turns WHERE kind = ?", (TALK,))
        }

    def made(self) -> Plan:
        for piece in self._reading.pieces:
            if name := _name_of(piece):
                self._places.setdefault(name, set()).add(piece.path)
        gone = self._gone()
        self._leaving = {one.record for one in gone}
        for piece in self._reading.pieces:
            self._take(piece)
        self._plan.changed = list(self._edits.values())
        edited = {change.record for change in self._plan.changed}
        self._plan.removed = [one for one in gone if one.record not in edited]
        # What could not be read in this pass says nothing of what is gone either, and is not written over.
        self._unread |= {one.path for one in self._plan.troubles}
        self._plan.removed = [one for one in self._plan.removed if one.path not in self._unread]
        self._plan.ahead |= self._unread
        return self._plan

    def _take(self, piece: Piece) -> None:
        match piece:
            case EntryPiece():
                self._entry(piece)
            case TaskPiece():
                self._task(piece)
            case ProfilePiece():
                self._field(piece)
            case TermPiece():
                self._term(piece)
            case TalkPiece():
                # One of ours that memory has no more was forgotten there; the file only has not heard of it.
                ours = self._written(piece, talk_name(piece), digest(piece.text)) is not None
                self._once(ours or (piece.day, piece.text) in self._said, piece)
                self._said.add((piece.day, piece.text))
            case RecordPiece():
                self._record(piece)

    def _once(self, there: bool, piece: Piece) -> None:
        if there:
            self._plan.same += 1
        else:
            self._plan.new.append(piece)

    def _written(self, piece: Piece, name: str, digest_now: str) -> bool | None:
        """Whether this memory wrote `name` into this file just so; None when it did not write it there."""
        value = self._reading.written.get((piece.path, name)) if piece.path in self._ours else None
        return None if value is None else digest_now in value.split("+")

    def _same(self, label: str) -> None:
        self._plan.same += label not in self._counted
        self._counted |= {label} if label else set()

    def _is_unheard_of(self, label: str) -> bool:
        return not (self._view.labelled(label) or self._view.erased(label))

    def _trouble(self, piece: Piece, code: str, **facts: str | int) -> None:
        self._plan.troubles.append(Trouble(piece.path, piece.line, code, dict(facts)))

    # entries

    def _entry(self, piece: EntryPiece) -> None:
        if not _is_in_time(piece.day, piece.at_ms):
            self._trouble(piece, "trouble-day", value=piece.day or str(piece.at_ms))
            return
        if len(piece.label.encode()) > LABEL_BYTES_MAX:
            piece = replace(piece, label="")
        if _length(piece.draft) > ENTRY_CHARACTERS_MAX:
            self._trouble(piece, "trouble-too-long", length=_length(piece.draft), most=ENTRY_CHARACTERS_MAX)
            return
        label = piece.label
        written = self._written(piece, label, blocks.digest_of(piece)) if label else None
        there = [e for one in self._view.labelled(label) if (e := self._view.entry(one))] if label else []
        if written and not there and self._is_unheard_of(label):
            self._plan.ahead.add(piece.path)
        if written or any(_says(entry, piece) for entry in there if not entry.hidden):
            self._same(label)
        elif piece.path in self._ours and there:
            self._edited(piece, there)
        else:
            self._new_entry(piece, there)

    def _edited(self, piece: EntryPiece, there: Sequence[Entry]) -> None:
        shown = [entry for entry in there if not entry.hidden]
        if not shown:
            self._plan.forgotten += 1
        elif len(shown) > 1:
            self._trouble(piece, "trouble-two-targets", ref=piece.label)
        elif any(_says(later, piece) for later in self._later(shown[0].id)):
            self._same(piece.label)  # an edit that was taken in, in a file that was not written again since
        else:
            self._edit(shown[0], piece)

    def _later(self, record: str) -> Iterator[Entry]:
        """The visible entries that replace `record`, directly or through others."""
        waiting, seen = [record], {record}
        while waiting:
            for one in self._view.successors(waiting.pop()):
                if one not in seen and (entry := self._view.entry(one)) is not None:
                    seen.add(one)
                    waiting.append(one)
                    if not entry.hidden:
                        yield entry

    def _edit(self, entry: Entry, piece: EntryPiece) -> None:
        """One edit may stand in two files: the line of a list gives way to a block that says the same words."""
        before = self._edits.get(entry.id)
        name: str = entry.id
        if before is not None and isinstance(before.piece, EntryPiece):
            if alike(before.after) == alike(piece.draft.text):
                if piece.only_words:
                    return
            else:
                name = f"{entry.id}/{piece.path}"  # two different ones: both are kept, and shown to disagree
        self._edits[name] = Change(entry.id, entry.label, entry.draft.text, piece.draft.text, piece)

    def _new_entry(self, piece: EntryPiece, there: Sequence[Entry]) -> None:
        key = key_of(piece)
        is_repeated = piece.only_words and piece.label and self._labels.get(piece.label) == alike(piece.draft.text)
        if is_repeated:
            return  # the line of a block that is new
        if key in self._known or (not there and self._is_stored(piece)):
            self._same(piece.label)
            return
        said = {entry.same for entry in there if entry.hidden}
        if self._forgotten.holds(key) or alike(piece.draft.text) in said or self._view.erased(piece.label):
            self._plan.forgotten += 1
            return
        is_free = not piece.label or not (there or piece.label in self._labels)
        if not is_free and self._taken is Taken.SKIP:
            self._plan.taken.append(piece)
            return
        shown = [entry for entry in there if not entry.hidden]
        if not is_free and self._taken is Taken.REPLACE and len(shown) == 1:
            self._edit(shown[0], piece)
            return
        self._plan.renamed += not is_free
        self._labels.setdefault(piece.label, alike(piece.draft.text))
        self._known.add(key)
        self._plan.new.append(piece)

    def _is_stored(self, piece: EntryPiece) -> bool:
        """Whether the same words were said that day (any day, where the file names none) already."""
        same = self._view.entries("same = ? AND hidden = 0 AND held = 0", (alike(piece.draft.text),), limit=20)
        return any(
            (not piece.day or entry.day == piece.day) and entry.id not in self._leaving and _adds_nothing(entry, piece)
            for entry in same
        )

    # tasks

    def _task(self, piece: TaskPiece) -> None:
        if not _is_in_time(piece.day or piece.done_day, None):
            self._trouble(piece, "trouble-day", value=piece.day or piece.done_day)
            return
        if len(piece.title) + sum(len(getattr(piece, name) or "") for name in _TASK_FIELDS[1:]) > ENTRY_CHARACTERS_MAX:
            self._trouble(piece, "trouble-too-long", length=len(piece.title), most=ENTRY_CHARACTERS_MAX)
            return
        if self._written(piece, piece.label, board.digest_of(piece)):
            self._plan.same += 1
            if self._is_unheard_of(piece.label):
                self._plan.ahead.add(piece.path)
            return
        there = [t for one in self._view.labelled(piece.label) if (t := self._view.task(one))] if piece.label else []
        shown = [task for task in there if not task.hidden]
        if len(shown) == 1 and (piece.path in self._ours or self._taken is Taken.REPLACE):
            piece = self._touched(piece)
            if wanted := differing(shown[0], piece, every_of(self._view, shown[0])):
                after = " · ".join(str(value) for name, value in wanted.items() if name != "done_at")
                self._edits[shown[0].id] = Change(shown[0].id, shown[0].label, shown[0].title, after, piece)
            else:
                self._plan.same += 1
            return
        key = key_of(piece)
        if key in self._known or any(task.title == piece.title for task in shown) or self._is_on_board(piece):
            self._plan.same += 1
        elif self._forgotten.holds(key) or any(t.title == piece.title for t in there) or self._view.erased(piece.label):
            self._plan.forgotten += 1
        elif there and self._taken is Taken.SKIP:
            self._plan.taken.append(piece)
        else:
            self._plan.renamed += bool(piece.label) and bool(there or piece.label in self._labels)
            self._labels.setdefault(piece.label, "")
            self._known.add(key)
            self._plan.new.append(piece)

    def _is_on_board(self, piece: TaskPiece) -> bool:
        if piece.label:
            return False
        if self._titles is None:
            rows = self._view.conn.execute("SELECT id, title FROM tasks WHERE hidden = 0")
            self._titles = {title for record, title in rows if record not in self._leaving}
        return piece.title in self._titles

    def _touched(self, piece: TaskPiece) -> TaskPiece:
        """The row with only the cells that a hand has changed: the others may be older than memory."""
        cells = self._reading.written.get((piece.path, f"{piece.label} cells"), "").split("+")
        now = board.cells_of(piece).split("+")
        if piece.path not in self._ours or len(cells) < len(board.CELLS):
            return piece
        same = {name for name, before, after in zip(board.CELLS, cells, now, strict=False) if before == after}
        return replace(
            piece,
            title="" if "title" in same else piece.title,
            state=None if "state" in same else piece.state,
            note=None if "note" in same else piece.note,
            next=None if "next" in same else piece.next,
            blocked_by=None if "blocked_by" in same else piece.blocked_by,
            resume_step=None if "resume_step" in same else piece.resume_step,
            due=None if "due" in same else piece.due,
            every=None if cells[len(board.CELLS) :] == now[len(board.CELLS) :] else piece.every,
        )

    # the rest

    def _field(self, piece: ProfilePiece) -> None:
        value = self._profile.get(piece.name)
        if not is_profile(piece.name, piece.value):
            self._trouble(piece, "trouble-profile", n=PROFILE_VALUE_CHARACTERS_MAX)
        elif value == piece.value or self._written(piece, f"profile/{piece.name}", digest(squeezed(piece.value))):
            self._plan.same += 1
        elif value is not None and piece.path not in self._ours and self._taken is not Taken.REPLACE:
            self._plan.taken.append(piece)
        elif value is None and len(self._profile) >= PROFILE_FIELDS_MAX:
            self._trouble(piece, "trouble-profile-full", n=PROFILE_FIELDS_MAX)
        else:
            self._profile[piece.name] = piece.value
            self._plan.new.append(piece)

    def _term(self, piece: TermPiece) -> None:
        name = tracked_field(piece.term)
        if name in self._tracked or self._written(piece, f"{TRACK}{piece.term}", digest(piece.term)):
            self._plan.same += 1
        elif len(name.encode()) > TRACKED_BYTES_MAX + len(TRACK) or not name.isprintable():
            self._trouble(piece, "trouble-term", n=TRACKED_BYTES_MAX)
        elif len(self._tracked) >= TRACKED_MAX:
            self._trouble(piece, "trouble-terms-full", n=TRACKED_MAX)
        else:
            self._tracked.add(name)
            self._plan.new.append(piece)

    def _record(self, piece: RecordPiece) -> None:
        try:
            check_change(piece.keys)
            wrong = [key for key in piece.keys if key.record != piece.record]
        except Malformed as error:
            self._trouble(piece, "trouble-record", reason=error.code)
            return
        if wrong or piece.record == "meta":
            self._trouble(piece, "trouble-record", reason="malformed-key")
        elif piece.record in ("profile", "settings"):
            fields = self._view.registers(piece.record)
            keys = tuple(key for key in piece.keys if parse_register_key(key.key).field not in fields)
            self._once(not keys, replace(piece, keys=keys))
        elif is_banned(self._view.conn, piece.record):
            self._plan.forgotten += 1
        else:
            there = self._view.conn.execute(
                "SELECT 1 FROM keys WHERE map IN ('e', 'v') AND key > ? AND key < ?", (f"{piece.record}.", f"{piece.record}/")
            ).fetchone()  # fmt: skip
            self._once(there is not None or piece.record in self._labels, piece)
            self._labels[piece.record] = ""

    # what was taken out

    def _gone(self) -> list[Removal]:
        """What was written into a file that is here, and stands in none of them any more."""
        found: dict[str, Removal] = {}
        for path, name in self._reading.written:
            if path not in self._ours or path in self._reading.copies or path in self._unread:
                continue
            places = self._places.get(name, set())
            moved = any((place, name) not in self._reading.written for place in places)
            if path not in places and not moved:
                for one in self._removals(path, name):
                    found.setdefault(one.record, one)
        return list(found.values())

    def _removals(self, path: str, name: str) -> Iterator[Removal]:
        if name.startswith("talk/") or " " in name:
            return  # talk is forgotten by what it was about; cells belong to a row
        if name.startswith("profile/"):
            if value := self._profile.get(name.removeprefix("profile/")):
                yield Removal(name, "", f"{name.removeprefix('profile/')}: {value}", path)
            return
        if name.startswith(TRACK):
            if tracked_field(name.removeprefix(TRACK)) in self._tracked:
                yield Removal(name, "", name.removeprefix(TRACK), path)
            return
        for record in self._view.labelled(name):
            entry, task = self._view.entry(record), self._view.task(record)
            if entry is not None and not entry.hidden:
                # A list shows what holds now: who takes the line out does not mean the version before it.
                chain = self._view.chain(record) if _is_list(path) else [entry]
                yield from (Removal(one.id, one.label, one.draft.text, path) for one in chain)
            elif task is not None and not task.hidden:
                yield Removal(record, task.label, task.title, path)


def _is_list(path: str) -> bool:
    return any(path == name or path.endswith(f"/{name}") for name in LISTS)


def _name_of(piece: Piece) -> str:
    """What the comment of a file calls it."""
    match piece:
        case EntryPiece() | TaskPiece():
            return piece.label
        case ProfilePiece():
            return f"profile/{piece.name}"
        case TermPiece():
            return f"{TRACK}{piece.term}"
        case _:
            return ""


def _is_in_time(day: str, at_ms: int | None) -> bool:
    return (not day or "1900" <= day[:4] <= "2199") and (at_ms is None or EARLIEST_MS <= at_ms <= LATEST_MS)


def _imported(view: View) -> set[str]:
    """The keys of what was imported and is still here."""
    rows = view.conn.execute(
        "SELECT key, json_extract(value, '$.source.message') FROM keys"
        " WHERE map = 'e' AND json_extract(value, '$.source.platform') = ?",
        (PLATFORM,),
    )
    hidden = {
        row[0]
        for row in view.conn.execute(
            "SELECT id FROM entries WHERE hidden = 1 UNION SELECT id FROM tasks WHERE hidden = 1"
        )
    }
    return {message for key, message in rows if message and key.partition(".")[0] not in hidden}


class _Forgotten:
    """What was imported once and then forgotten, hidden or erased for good; not what came with an undone import."""

    def __init__(self, view: View) -> None:
        meta = view.registers("meta")
        self._bans = {name for name in meta if name.startswith("ban-source/")}
        self._runs = [
            name.removeprefix(RUN)
            for name, one in meta.items()
            if name.startswith(RUN) and isinstance(one.value, dict) and not one.value.get("undone")
        ]
        rows = view.conn.execute(
            "SELECT json_extract(source, '$.chat'), json_extract(source, '$.message') FROM entries WHERE hidden = 1"
        )
        self._hidden = {(chat, message) for chat, message in rows}

    def holds(self, key: str) -> bool:
        if not (self._bans or self._hidden):
            return False
        return any((run, key) in self._hidden or ban_of_message(PLATFORM, run, key) in self._bans for run in self._runs)


def _says(entry: Entry, piece: EntryPiece) -> bool:
    if piece.only_words:
        return squeezed(piece.draft.text) == squeezed(entry.draft.text)
    return blocks.digest_of(piece) == blocks.digest_as_read(blocks.block(entry))


def _adds_nothing(entry: Entry, piece: EntryPiece) -> bool:
    """Whether `entry` has every field that the piece has."""
    draft, stored = piece.draft, entry.draft
    return (
        draft.kind in (EntryKind.FACT, EntryKind.NOTE, stored.kind)
        and all(
            getattr(draft, name) in ("", getattr(stored, name)) for name in ("why", "impact", "next", "verify", "until")
        )
        and {*draft.tags} <= {*stored.tags, *entry.more_tags}
        and {*draft.aliases} <= {*stored.aliases}
        and {*draft.about} <= {*stored.about}
        and draft.confidence in (None, stored.confidence)
        and draft.importance in (None, stored.importance)
        and (entry.pinned or not piece.pinned)
    )


def _length(draft: Draft) -> int:
    texts = (draft.text, draft.why, draft.impact, draft.next, draft.verify, *draft.tags, *draft.aliases)
    return sum(map(len, texts)) + sum(len(key) + len(value) for key, value in draft.about)


def differing(task: Task, piece: TaskPiece, every: str) -> dict[str, Json]:
    """The registers of `task` that the piece wants otherwise; `every`: its rule."""
    wanted: dict[str, Json] = {
        name: value
        for name in _TASK_FIELDS
        if (value := getattr(piece, name)) is not None
        and not (name == "title" and not value)
        and squeezed(value) != squeezed(getattr(task, name))
    }
    if piece.every is not None and piece.every != every:
        wanted[board.EVERY] = piece.every
    if piece.state is not None and piece.state is not task.state:
        wanted["state"] = piece.state.value
    return wanted
