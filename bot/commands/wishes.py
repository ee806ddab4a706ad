"""What agents wish to have forgotten, as notes of this device alone: ids, never words.

No agent forgets anything itself. A wish is gone when what it names is forgotten, or a person keeps it.
"""

from __future__ import annotations

from store.view import View
from store.writer import Writer

NOTE = "wish/"
WISHES_MAX = 100
"""More waiting at once is no wish but a flood."""


def wish(writer: Writer, record: str) -> bool:
    """Keeps the wish that `record` be forgotten; whether there was room for it."""
    waiting = waiting_in(writer)
    if record not in waiting and len(waiting) >= WISHES_MAX:
        over = [one for one in waiting if not _is_there(writer, one)]
        for one in over:
            close(writer, one)
        if not over:
            return False
    writer.keep_note(f"{NOTE}{record}", "{}")
    return True


def close(writer: Writer, record: str) -> None:
    """A person has decided."""
    writer.drop_note(f"{NOTE}{record}")


def _is_there(view: View, record: str) -> bool:
    one = view.entry(record) or view.task(record)
    return one is not None and not one.hidden


def waiting_in(view: View) -> list[str]:
    return [name.removeprefix(NOTE) for name in view.notes(NOTE)]
