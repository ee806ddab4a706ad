"""Anki's packages → words with what was answered. The collection is a SQLite file, read in memory and never run.

Two shapes: of old, `col.models` holds the names of the fields as JSON; today there are tables for them. Both keep a
note's fields in one cell, and its answers in `revlog`, whose ids are the moments in ms.
"""

from __future__ import annotations

import html
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from store.errors import OverLimit, Rejected
from store.formats import apkg_zip, word_lists
from store.formats.word_lists import Answer, WordPiece
from store.pieces import Trouble

SUFFIXES = (".apkg", ".colpkg")
NOTES_MAX = 100_000
ANSWERS_MAX = 200_000
FIELD_BYTES_MAX = 16 << 20
FIELD_CHARACTERS_READ = 10_000
"""A word's field is short; markup around it may not be."""
SEPARATOR = "\x1f"
KNOWN_TAG = "niannian::known"
"""How our own packages say that a word needs no learning."""
TAG_CHARACTERS_MAX = 100
TOOK_MS_MAX = 60 * 60 * 1000
SUSPENDED = -1
_NEEDED = {
    "notes": ("id", "mid", "flds", "tags"),
    "cards": ("id", "nid", "ord", "queue"),
    "revlog": ("id", "cid", "ease", "type", "factor", "time"),
}
_FILTERED, _MANUAL = 3, 4
"""Kinds of answers: practice out of turn, and none at all (a due date that was set, a card that was begun anew)."""


def read(path: Path) -> tuple[list[WordPiece], list[Trouble]]:
    """The `line` of a piece is the place of its note. Raises NotFound, Rejected, OverLimit."""
    data = bytearray(apkg_zip.collection(path))
    with _opened(path.name, data) as conn:
        return _words(path.name, conn)


@contextmanager
def _opened(name: str, data: bytearray) -> Iterator[sqlite3.Connection]:
    if data[:16] != b"SQLite format 3\0" or len(data) < 100:
        raise Rejected("error-words-package", path=name)
    data[18:20] = b"\x01\x01"  # no write-ahead log stands beside what is only in memory
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        try:
            conn.deserialize(bytes(data))
            conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, FIELD_BYTES_MAX)
            conn.execute("PRAGMA trusted_schema = OFF")
            conn.execute("PRAGMA query_only = ON")
            conn.text_factory = lambda raw: raw.decode("utf-8", "replace")
            conn.create_collation("unicase", _unicase)
            if conn.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise Rejected("error-words-package", path=name)
            yield conn
        except (sqlite3.Error, MemoryError) as error:
            raise Rejected("error-words-package", path=name) from error


def _unicase(one: str, other: str) -> int:
    a, b = one.casefold(), other.casefold()
    return (a > b) - (a < b)


def _words(path: str, conn: sqlite3.Connection) -> tuple[list[WordPiece], list[Trouble]]:
    for table, columns in _NEEDED.items():
        _check(path, conn, table, columns)
    names = _fields(path, conn)
    (notes,) = conn.execute("SELECT count(*) FROM notes").fetchone()
    if notes > NOTES_MAX:
        raise OverLimit("error-words-many", n=notes, most=NOTES_MAX)
    answered = _answers(conn)
    cards: dict[int, list[_Card]] = defaultdict(list)
    for number, note, ordinal, queue in conn.execute(f"SELECT {_whole('id', 'nid', 'ord', 'queue')} FROM cards"):
        cards[note].append(_Card(ordinal, queue, answered.get(number, ())))
    pieces: list[WordPiece] = []
    troubles: list[Trouble] = []
    rows = conn.execute(
        f"SELECT {_whole('id', 'mid')}, CAST(flds AS TEXT), coalesce(CAST(tags AS TEXT), '') FROM notes ORDER BY id"
    )
    for line, (note, kind, fields, tags) in enumerate(rows, start=1):
        made = _piece(path, line, (fields or "").split(SEPARATOR), names.get(kind, ()), tags.split())
        if isinstance(made, Trouble):
            troubles.append(made)
        else:
            pieces.append(_with_progress(made, sorted(cards[note], key=lambda card: card.ordinal)))
    return pieces, troubles


def _check(path: str, conn: sqlite3.Connection, table: str, columns: Sequence[str]) -> None:
    """A plain table with plain columns: nothing that would be worked out while it is read."""
    row = conn.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    found = {row[1] for row in conn.execute(f"PRAGMA table_info({table})")}
    if row is None or not str(row[0]).upper().startswith("CREATE TABLE") or not found.issuperset(columns):
        raise Rejected("error-words-package", path=path)


def _whole(*names: str) -> str:
    return ", ".join(f"coalesce(CAST({name} AS INTEGER), 0)" for name in names)


# fields


def _fields(path: str, conn: sqlite3.Connection) -> dict[int, tuple[str, ...]]:
    """Kind of note → what each of its fields is."""
    try:
        _check(path, conn, "fields", ("ntid", "ord", "name"))
    except Rejected:
        return _old_fields(path, conn)
    names: dict[int, list[str]] = defaultdict(list)
    for kind, name in conn.execute("SELECT ntid, CAST(name AS TEXT) FROM fields ORDER BY ntid, ord"):
        names[kind].append(name or "")
    return {kind: _columns(found) for kind, found in names.items()}


def _old_fields(path: str, conn: sqlite3.Connection) -> dict[int, tuple[str, ...]]:
    _check(path, conn, "col", ("models",))
    row = conn.execute("SELECT CAST(models AS TEXT) FROM col").fetchone()
    try:
        models = json.loads(row[0]) if row else {}
        return {
            int(kind): _columns([str(one["name"]) for one in sorted(model["flds"], key=lambda one: int(one["ord"]))])
            for kind, model in models.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Rejected("error-words-package", path=path) from error


def _columns(names: Sequence[str]) -> tuple[str, ...]:
    """By name; where none is called a word, the first is the word and the second what it means."""
    columns = [word_lists.column_of(name) for name in names]
    columns = ["" if name in columns[:at] else name for at, name in enumerate(columns)]
    if "word" not in columns:
        columns[:1] = ["word"]
        if "meaning" not in columns and len(columns) > 1:
            columns[1] = "meaning"
    return tuple(columns)


def _piece(
    path: str, line: int, fields: Sequence[str], columns: Sequence[str], tags: Sequence[str]
) -> WordPiece | Trouble:
    cells = {name: plain(field) for name, field in zip(columns or ("word", "meaning"), fields, strict=False) if name}
    cells["word"] = " ".join(cells.get("word", "").split())
    known = KNOWN_TAG in tags
    kept = tuple(dict.fromkeys(tag for tag in tags if tag != KNOWN_TAG and len(tag) <= TAG_CHARACTERS_MAX))[
        : word_lists.TAGS_MAX
    ]
    made = word_lists.piece_of(path, line, cells | {"tags": "", "state": "known" if known else "", "added": ""})
    return replace(made, tags=kept) if isinstance(made, WordPiece) else made


_BREAK = re.compile(r"<(?:br|/div|/p|/li|/tr|hr)\b[^>]{0,200}>", re.IGNORECASE)
_UNSEEN = re.compile(r"<(style|script)\b[^>]{0,200}>.{0,5000}?</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[a-zA-Z/!][^>]{0,500}>")
_SOUND = re.compile(r"\[(?:sound|anki:[a-z]+):?[^\]]{0,300}\]")
_GAP = re.compile(r"\{\{c\d+::([^{}]*?)(?:::[^{}:]{0,200})?\}\}")


def plain(field: str) -> str:
    """What a person sees of a field: no markup, no sounds."""
    text = field[:FIELD_CHARACTERS_READ]
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", _UNSEEN.sub("", text)))
    text = _GAP.sub(r"\1", _SOUND.sub("", html.unescape(text))).replace("\xa0", " ")
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


# answers


@dataclass(frozen=True, slots=True)
class _Card:
    ordinal: int
    queue: int
    answers: tuple[Answer, ...]


def _answers(conn: sqlite3.Connection) -> dict[int, tuple[Answer, ...]]:
    """Card → its answers since it was last begun anew."""
    (count,) = conn.execute("SELECT count(*) FROM revlog").fetchone()
    if count > ANSWERS_MAX:
        raise OverLimit("error-words-answers", n=count, most=ANSWERS_MAX)
    found: dict[int, list[Answer]] = defaultdict(list)
    columns = _whole("id", "cid", "ease", "type", "factor", "time")
    for number, card, ease, kind, factor, took in conn.execute(f"SELECT {columns} FROM revlog ORDER BY id"):
        if kind == _MANUAL and ease == 0 and factor == 0:
            found[card].clear()
        elif 1 <= ease <= 4 and kind <= _FILTERED and not (kind == _FILTERED and factor == 0) and number > 0:
            found[card].append(Answer(number, ease, min(max(took, 0), TOOK_MS_MAX)))
    return {card: tuple(answers) for card, answers in found.items()}


def _with_progress(piece: WordPiece, cards: Sequence[_Card]) -> WordPiece:
    """A note may be asked in several ways; the first that was ever answered says how well the word is known."""
    if not cards:
        return piece
    chosen = next((card for card in cards if card.answers), cards[0])
    is_off = all(card.queue == SUSPENDED for card in cards)
    return replace(piece, answers=chosen.answers, state=piece.state or ("suspended" if is_off else ""))
