"""Which entries may answer a question at all: the guard that stands before every ranking.

Hidden and held entries and checkpoints never answer. A question for a kind, an author or a time is answered by
such entries only, and one for everyday things leaves the cold ones where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date
from sqlite3 import Connection

from store.archive import cold_condition
from store.dates import FoundDate
from store.model import DateSpan, EntryKind
from store.sql import marks
from store.text import flat, fold

_BARRED = "hidden = 1 OR held = 1 OR kind = 'checkpoint'"
"""Entries that never answer. The same words make the index that finds them (`schema.py`)."""


CONTAINED_CHARACTERS_MIN = 4
"""Shorter words stand in too many other sentences: they must be the whole of one to be found in it."""


def condition(
    kind: EntryKind | None, authors: Sequence[str], spans: Sequence[DateSpan], *, today: date
) -> tuple[str, list[str]]:
    """Which entries may answer, as a condition on `entries`, and its values."""
    parts = ["hidden = 0", "held = 0", "kind <> 'checkpoint'"]
    is_cold, values = cold_condition(today)
    parts.append(f"NOT {is_cold}")
    if kind:
        parts.append("kind = ?")
        values.append(kind.value)
    if authors:
        parts.append(f"author IN ({marks(authors)})")
        values += authors
    if spans:
        about = (
            "seq IN (SELECT e.seq FROM entries e, json_each(e.dates) d WHERE e.dates <> '[]'"
            " AND json_extract(d.value, '$[1]') <= ? AND json_extract(d.value, '$[2]') >= ?)"
        )
        parts.append("(" + " OR ".join([f"day BETWEEN ? AND ? OR {about}"] * len(spans)) + ")")
        for one in spans:
            values += [one.first, one.last, one.last, one.first]
    return " AND ".join(parts), values


def allowed(
    conn: Connection,
    kind: EntryKind | None,
    authors: Sequence[str],
    spans: Sequence[DateSpan],
    *,
    today: date,
) -> Callable[[int], bool]:
    """Whether an entry may answer. Without a filter it is quicker to know the few that may not."""
    if not (kind or authors or spans):
        is_cold, values = cold_condition(today)
        barred = {row[0] for row in conn.execute(f"SELECT seq FROM entries WHERE {_BARRED}")}
        barred |= {row[0] for row in conn.execute(f"SELECT seq FROM entries WHERE {is_cold}", values)}
        return lambda seq: seq not in barred
    where, values = condition(kind, authors, spans, today=today)
    chosen = {row[0] for row in conn.execute(f"SELECT seq FROM entries WHERE {where}", values)}
    return chosen.__contains__


def folded(conn: Connection, seqs: Sequence[int]) -> dict[int, str]:
    """What the index holds of these entries, folded."""
    if not seqs:
        return {}
    columns = "seq, text, why, next, verify, tags, aliases, more_tags"
    rows = conn.execute(f"SELECT {columns} FROM entries WHERE seq IN ({marks(seqs)})", seqs).fetchall()
    return folded_together([(row[0], "\n".join(row[1:])) for row in rows])


def folded_together(texts: Sequence[tuple[int, str]]) -> dict[int, str]:
    """Each text folded, in one go, which costs a tenth."""
    whole = "\x1e".join(text.replace("\x1e", "\n") for _, text in texts)
    return dict(zip((row for row, _ in texts), fold(whole).split("\x1e"), strict=True)) if texts else {}


def words_of(conn: Connection, where: str, values: Sequence[str] = ()) -> set[str]:
    """What the entries and tasks that meet `where` say, each part flat."""
    parts = (
        *conn.execute(f"SELECT text, why, impact, next, verify FROM entries WHERE {where}", values),
        *conn.execute(f"SELECT title FROM tasks WHERE {where}", values),
    )
    return {flat(part) for row in parts for part in row} - {""}


def quoting(words: Collection[str]) -> Callable[[str], bool]:
    """Whether a text is one of these words, or holds one that is long enough to tell."""
    telling = [one for one in words if len(one) >= CONTAINED_CHARACTERS_MIN]

    def quotes(text: str) -> bool:
        line = flat(text) if words else ""
        return line in words or any(one in line for one in telling)

    return quotes


def forgotten(conn: Connection) -> set[str]:
    """What nobody wants to read again: a text that quotes it is shown and counted no more, wherever it was said.

    The rule is that of the erasing, so that nothing is seen until then, and nothing else goes for good.
    """
    return words_of(conn, "hidden = 1")


def without(text: str, dates: Sequence[FoundDate]) -> str:
    """`text` with a space where each date stood."""
    for one in reversed(dates):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text
