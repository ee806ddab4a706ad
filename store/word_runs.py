"""What each import of words has brought, part by part, so that it can be taken back; known to this copy alone.

    words-import/<run>/<part>   what a part has brought: it goes when that part is taken back
    words-back/<run>/<part>     what was taken back so: the same file may bring it again, unlike what a person took out

Whatever somebody has learned or changed since stays.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from store import cards
from store.changes import Json
from store.ids import digest
from store.model import AccountID, CardState, ReviewKind
from store.view import View
from store.writer import Writer

RUN = "words-import/"
BACK = "words-back/"

TakenBack = dict[str, int]
"""Cards and answers that an import brought and taking it back removed → when, in ms."""


@dataclass(slots=True)
class Brought:
    """By one part of an import, or by all of them."""

    cards: list[str] = field(default_factory=list)
    fields: list[tuple[str, str]] = field(default_factory=list)
    """(card, register) where it had none."""
    answers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Undone:
    removed: int = 0
    answers: int = 0
    restored: int = 0
    kept: int = 0
    """Words that somebody has worked on since."""


def run_of(view: View, key: str) -> str:
    """The import that is made under `key`; one that was cut off goes on as the same."""
    name, runs = digest(key), _runs(view)
    number = int(max(runs, default="0").partition("-")[0]) + 1
    return next((run for run in runs if run.endswith(name)), f"{number:08d}-{name}")


def last_run(view: View) -> str | None:
    """The newest import that was made on this device and not taken back."""
    return max(_runs(view), default=None)


def keep(writer: Writer, run: str, brought: Brought) -> None:
    if brought.cards or brought.fields or brought.answers:
        part = len(_notes(writer, f"{RUN}{run}/")) + 1
        body = {
            "at": writer.now_ms, "cards": brought.cards, "fields": brought.fields, "answers": brought.answers,
        }  # fmt: skip
        writer.keep_note(f"{RUN}{run}/{part:06d}", json.dumps(body))


def brought(view: View, run: str) -> Brought:
    whole = Brought()
    for name in _notes(view, f"{RUN}{run}/"):
        note = view.note(name) or {}
        whole.cards += note["cards"]
        whole.fields += [(card, register) for card, register in note["fields"]]
        whole.answers += note["answers"]
    return whole


def taken_back(view: View) -> TakenBack:
    found: TakenBack = {}
    for name in _notes(view, BACK):
        note = view.note(name) or {}
        found |= dict.fromkeys((*note["cards"], *note["answers"]), note["at"])
    return found


def undo_part(writer: Writer, run: str, *, by: AccountID, undone: Undone) -> bool:
    """Takes the newest part of `run` back and adds to `undone`; False when there is none."""
    names = _notes(writer, f"{RUN}{run}/")
    if not names:
        return False
    note = writer.note(names[-1]) or {}
    at_ms: int = note["at"]
    answers = [one for one in note["answers"] if _answer_back(writer, one, at_ms, by=by)]
    restored = [_field_back(writer, card, register, at_ms, by=by) for card, register in note["fields"]]
    removed = [card for card in note["cards"] if _card_back(writer, card, at_ms, by=by)]
    undone.answers += len(answers)
    undone.removed += len(removed)
    undone.restored += sum(restored)
    undone.kept += len(note["cards"]) - len(removed) + len(restored) - sum(restored)
    writer.drop_note(names[-1])
    if removed or answers:
        body = {"at": writer.now_ms, "cards": removed, "answers": answers}
        writer.keep_note(names[-1].replace(RUN, BACK, 1), json.dumps(body))
    return True


def _card_back(writer: Writer, record: str, at_ms: int, *, by: AccountID) -> bool:
    if _is_learned(writer, record, at_ms) or not _stand(writer, record, at_ms):
        return False
    cards.set_card(writer, record, by=by, state=CardState.REMOVED)
    return True


def _answer_back(writer: Writer, record: str, at_ms: int, *, by: AccountID) -> bool:
    event = cards.review(writer, record)
    if event is None or _is_learned(writer, event.card, at_ms):
        return False
    return cards.undo_review(writer, record, by=by, at_ms=writer.now_ms, zone="")


def _field_back(writer: Writer, record: str, register: str, at_ms: int, *, by: AccountID) -> bool:
    if not _stand(writer, record, at_ms, (register,)):
        return False
    nothing: Json = [] if register == "card_tags" else ""
    writer.set(record, register, nothing, by=by)
    return True


def _is_learned(view: View, card: str, at_ms: int) -> bool:
    """Whether it was answered here since."""
    return any(one.kind is not ReviewKind.IMPORT and one.at_ms > at_ms for one in cards.reviews(view, card))


def _stand(view: View, record: str, at_ms: int, wanted: Collection[str] = ()) -> bool:
    """Whether nobody has set these registers since, or any."""
    registers = view.registers(record).items()
    return all(one.at_ms <= at_ms for name, one in registers if not wanted or name in wanted)


def _runs(view: View) -> Collection[str]:
    return {name.split("/")[1] for name in _notes(view, RUN)}


def _notes(view: View, prefix: str) -> Sequence[str]:
    rows = view.conn.execute(
        "SELECT key FROM copy WHERE key > ? AND key < ? ORDER BY key", (f"note/{prefix}", f"note/{prefix[:-1]}0")
    )
    return [row[0].removeprefix("note/") for row in rows]
