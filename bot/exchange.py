"""Files in and out of one memory, in the process that holds the home: errands of `niannian import` and `export`.

Whoever asks names a place on this machine; what was found and done comes back as numbers, names and the words that
changed. Secrets in what is read are masked before anything is compared or stored.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from bot import render
from bot.secret_scan import find_secrets, mask
from bot.words import language_of
from store import exports, folder, import_plan, importing, tree
from store.dictionary import Dictionary
from store.errors import Rejected
from store.formats import detect, files
from store.ids import digest, message_ulid
from store.import_plan import Plan, Taken
from store.importing import Done, Hand
from store.memory import Memory
from store.model import AccountID, TaskState
from store.pieces import EntryPiece, Piece, ProfilePiece, Reading, RecordPiece, TalkPiece, TaskPiece, TermPiece, Trouble
from store.view import View
from store.writer import Writer

FORMATS = ("tree", "jsonl", "csv", "hermes")
SHOWN_MAX = 20
"""Changed, removed and unreadable parts that are told one by one."""
WORDS_MAX = 60
REFS_MAX = 5

progress: ContextVar[Callable[[int, int], None] | None] = ContextVar("progress", default=None)
"""Told how far an import is, where it is made in the process that shows it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Whose memory, on whose behalf, and how their days run."""

    memory: Memory
    account: AccountID
    zone: str
    lang: str
    now_ms: int
    dictionary: Callable[[], Dictionary | None] = lambda: None
    """Opens the dictionary of this home; whoever asks closes it."""


Arguments = Mapping[str, Any]


# in


async def bring_in(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """`path`, `taken`, `dry`, `ask` → what was found and done. Raises what `files.collect` and the store raise.

    With `ask`, what would change or forget anything is only told of: then `asks` is true, and nothing is written. With
    `agreed`, only that is done: where the files say something else by now, it is told and asked about again.
    """
    path, taken, dry = Path(arguments["path"]), Taken(arguments["taken"]), bool(arguments["dry"])
    found = await asyncio.to_thread(files.collect, path)
    read = await asyncio.to_thread(detect.read, found.files)
    reading, masked = await asyncio.to_thread(without_secrets, read)
    reading = replace(reading, troubles=[*found.troubles, *reading.troubles])
    scope = place.memory.scope
    if dry:
        made = await place.memory.read(lambda view: import_plan.plan(view, reading, scope=scope, taken=taken))
        return _report(made, reading, masked)
    moved = progress.get()

    def run(writer: Writer) -> dict[str, Any]:
        if (before := writer.handled(key)) is not None:
            again: dict[str, Any] = json.loads(before)
            return again
        made = import_plan.plan(writer, reading, scope=scope, taken=taken)
        report = _report(made, reading, masked)
        asked = report["shown"] != arguments.get("agreed") if "agreed" in arguments else arguments["ask"]
        if asked and (made.changed or made.removed):
            return report | {"asks": True}
        if made.writes():
            report["refs"] = _refs(importing.apply(writer, made, _hand(place, writer), moved or _silent))
        writer.keep_handled(key, json.dumps({**report, "changed": [], "removed": []}))
        return report

    return await place.memory.turn(run)


async def take_back(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """The newest import is undone; `found`: whether there is one."""

    def run(writer: Writer) -> dict[str, Any]:
        if (before := writer.handled(key)) is not None:
            again: dict[str, Any] = json.loads(before)
            return again
        last = importing.last_run(writer)
        report: dict[str, Any] = {"found": last is not None}
        if last is not None:
            back = importing.undo(writer, last, place.account)
            report |= {"hidden": back.hidden, "restored": back.restored, "kept": back.kept, "gone": back.gone}
        writer.keep_handled(key, json.dumps(report))
        return report

    return await place.memory.turn(run)


def _refs(done: Done) -> list[str]:
    """What came of it by name, where it is little."""
    return list(done.labels) if len(done.labels) <= REFS_MAX else []


def _hand(place: Place, writer: Writer) -> Hand:
    lang = place.lang
    return Hand(place.account, place.zone, writer.new_id(writer.now_ms), lambda text: language_of(text, lang))


def _silent(done: int, total: int) -> None:
    """Nobody looks."""


def without_secrets(reading: Reading) -> tuple[Reading, int]:
    """The same with passwords, tokens and the like masked, and how many pieces held one."""
    pieces: list[Piece] = []
    troubles: list[Trouble] = []
    masked = 0
    for piece in reading.pieces:
        if isinstance(piece, RecordPiece):  # its words are part of its name: it cannot be another's
            if any(key.map in "er" and find_secrets(_words(key.value)) for key in piece.keys):
                troubles.append(Trouble(piece.path, piece.line, "trouble-secret"))
            else:
                pieces.append(piece)
            continue
        clean = _masked(piece)
        masked += clean != piece
        pieces.append(clean)
    return replace(reading, pieces=pieces, troubles=[*reading.troubles, *troubles]), masked


def _words(value: str) -> str:
    found: list[str] = []
    waiting: list[Any] = [json.loads(value)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list | dict):
            waiting += one.values() if isinstance(one, dict) else one
    return "\n".join(found)


def _masked(piece: EntryPiece | TaskPiece | ProfilePiece | TermPiece | TalkPiece) -> Piece:
    match piece:
        case EntryPiece():
            draft = piece.draft
            clean = replace(
                draft, about=tuple((mask(name), _named(name, value)) for name, value in draft.about),
                text=mask(draft.text), why=mask(draft.why), impact=mask(draft.impact), next=mask(draft.next),
                verify=mask(draft.verify), tags=tuple(map(mask, draft.tags)), aliases=tuple(map(mask, draft.aliases)),
            )  # fmt: skip
            label = mask(piece.label)
            return piece if (clean, label) == (draft, piece.label) else replace(piece, draft=clean, label=label)
        case TaskPiece():
            return replace(
                piece, title=mask(piece.title), note=_mask(piece.note), next=_mask(piece.next),
                blocked_by=_mask(piece.blocked_by), resume_step=_mask(piece.resume_step), due=_mask(piece.due),
                label=mask(piece.label),
            )  # fmt: skip
        case ProfilePiece():
            return replace(piece, value=_named(piece.name, piece.value))
        case TermPiece():
            return replace(piece, term=mask(piece.term))
        case TalkPiece():
            return replace(piece, text=mask(piece.text), who=mask(piece.who))


def _named(name: str, value: str) -> str:
    """`value` masked as what its name says it is: `password` beside it makes it one."""
    said = f"{name}: {value}"
    clean = mask(said)
    return value if clean == said else clean.removeprefix(f"{name}: ")


def _mask(text: str | None) -> str | None:
    return mask(text) if text else text


def _report(made: Plan, reading: Reading, masked: int) -> dict[str, Any]:
    """Numbers, and the first few of what is told one by one."""
    read = {piece.path for piece in reading.pieces}
    wrong = {one.path for one in made.troubles}
    return {
        "format": made.format,
        "shown": _digest_of(made),
        "asks": False,
        "new": len(made.new),
        "timed": sum(isinstance(one, TaskPiece) and bool(one.due) and one.state is not TaskState.DONE for one in made.new),
        "same": made.same,
        "forgotten": made.forgotten,
        "taken": len(made.taken),
        "renamed": made.renamed,
        "masked": masked,
        "changed_count": len(made.changed),
        "removed_count": len(made.removed),
        "changed": [
            {"ref": one.label, "before": _short(one.before), "after": _short(one.after)} for one in made.changed[:SHOWN_MAX]
        ],
        "removed": [
            {"ref": one.label, "words": _short(one.words), "path": one.path} for one in made.removed[:SHOWN_MAX]
        ],
        "files_wrong": len(wrong - read),
        "parts_wrong": sum(one.path in read for one in made.troubles),
        "trouble_count": len(made.troubles),
        "troubles": [
            {"path": one.path, "line": one.line, "code": one.code, "facts": one.facts} for one in made.troubles[:SHOWN_MAX]
        ],
    }  # fmt: skip


def _digest_of(made: Plan) -> str:
    """Of everything that a plan would change or forget."""
    changed = [[one.record, one.after] for one in made.changed]
    return digest(json.dumps([changed, [one.record for one in made.removed]], ensure_ascii=False))


def _short(text: str) -> str:
    return render.short(text, WORDS_MAX)


# out


async def take_out(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """`path`, `format` → how many entries and files were written. Raises Rejected for a place that cannot be used."""
    path, kind = Path(arguments["path"]), str(arguments["format"])
    entries = await place.memory.read(lambda view: view.count() + view.count_tasks())
    if kind == "tree":
        before = await asyncio.to_thread(_found_in, path, place.memory.scope)
        reading = await _read(before)
        made = await place.memory.read(lambda view: import_plan.plan(view, reading, scope=place.memory.scope))
        if made.writes() or made.troubles:
            edits = len(made.new) + len(made.changed) + len(made.removed) + len(made.troubles)
            raise Rejected("error-export-edited", n=edits, path=path.name)
        placed = await _render_into(place, path, before, made)
        return {"entries": entries, "written": placed.written, "left": placed.left, "more": 0}
    if kind == "hermes":
        hermes = await place.memory.read(exports.hermes_files)
        texts = {"MEMORY.md": hermes.memory.encode(), "USER.md": hermes.user.encode()}
        await asyncio.to_thread(write_new, path / "memories", texts)
        return {"entries": entries, "written": 2, "left": [], "more": len(hermes.left_out)}
    data = await place.memory.read(
        (lambda view: b"".join(f"{line}\n".encode() for line in exports.exact(view)))
        if kind == "jsonl"
        else (lambda view: exports.table(view, zone=place.zone))
    )
    await asyncio.to_thread(write_new, path.parent, {path.name: data})
    return {"entries": entries, "written": 1, "left": [], "more": 0}


def write_new(folder_: Path, texts: Mapping[str, bytes]) -> None:
    """Files that are not there yet. Raises Rejected where one is, or where they cannot be."""
    try:
        folder_.mkdir(parents=True, exist_ok=True)
        for name in texts:
            if os.path.lexists(folder_ / name):
                raise Rejected("error-export-there", path=name)
        for name, data in texts.items():
            half = folder_ / f".{name}{folder.STAGE}"
            with half.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(half, folder_ / name)
    except OSError as error:
        raise Rejected("error-export-nowhere", path=str(folder_)) from error


def _found_in(path: Path, scope: str) -> folder.Found:
    found = folder.found_in(path) if path.is_dir() else folder.Found({})
    folder.check(found, scope)
    return found


async def _read(found: folder.Found) -> Reading:
    read = await asyncio.to_thread(detect.read, folder.as_files(found))
    reading, _ = await asyncio.to_thread(without_secrets, read)
    return reading


async def _render_into(place: Place, path: Path, before: folder.Found, made: Plan) -> folder.Placed:
    texts = await place.memory.read(lambda view: _tree(view, place))
    return await asyncio.to_thread(_place, path, texts, before, place.memory.scope, frozenset(made.ahead))


def _place(
    path: Path, texts: Mapping[str, str], before: folder.Found, scope: str, ahead: frozenset[str]
) -> folder.Placed:
    try:
        return folder.place(path, texts, before, scope=scope, ahead=ahead)
    except OSError as error:
        raise Rejected("error-export-nowhere", path=str(path)) from error


def _tree(view: View, place: Place) -> dict[str, str]:
    return tree.render(
        view, scope=place.memory.scope, zone=place.zone, lang=place.lang, today=render.local(place.now_ms, place.zone).date()
    )  # fmt: skip


# both


async def keep_current(place: Place, arguments: Arguments, key: str) -> dict[str, Any]:
    """One look of `export --watch`: `path`, `state`, `touched` → what was taken in and written, and the new state.

    `state`: what the last look gave; with nothing touched and nothing new in memory, nothing is read.
    """
    path = Path(arguments["path"])
    state = await place.memory.read(tree.state)
    if state == arguments["state"] and not arguments["touched"]:
        return {"state": state, "idle": True}
    before = await asyncio.to_thread(_found_in, path, place.memory.scope)
    ours = folder.Found({name: data for name, data in before.files.items() if tree.scope_of(data)}, before.troubles)
    reading = await _read(ours)
    named = {name for _, name in reading.written if "/" not in name and " " not in name}
    day = render.local(place.now_ms, place.zone).date()
    run = message_ulid(int(datetime.combine(day, time(0), UTC).timestamp() * 1000), "watch", str(path))

    def take_in(writer: Writer) -> tuple[Plan, dict[str, Any]]:
        made = import_plan.plan(writer, reading, scope=place.memory.scope)
        report: dict[str, Any] = {"idle": False, "held_back": 0}
        if len(made.removed) > max(1, len(named) // 2):
            report["held_back"] = len(made.removed)
            gone = {one.label for one in made.removed}
            made.ahead |= {where for where, name in reading.written if name in gone}
            made.removed = []
        report |= _report(made, reading, 0)
        if made.writes():
            report["refs"] = _refs(importing.apply(writer, made, replace(_hand(place, writer), run=run)))
        return made, report

    made, report = await place.memory.turn(take_in)
    placed = await _render_into(place, path, before, made)
    return report | {
        "state": await place.memory.read(tree.state),
        "written": placed.written,
        "left": placed.left,
    }
