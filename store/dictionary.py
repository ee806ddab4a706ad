"""The dictionary: one read-only SQLite file beside the memories, looked up by word. Everything works without it.

It is no memory: anybody can add the same file again, so nothing here is truth, synced, or part of a backup. The file is
small enough to be opened for one question and closed again; then an exchanged one is noticed, and none is held.

A newcomer's trap: an inflected form is found under its head word's name only by `lemmas`; `look` wants the head word.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from store import lemmas
from store.errors import Damaged, DatabaseCorrupt, NewerSchema
from store.sql import translated
from store.text import flat

DATABASE = "dictionary.db"
MAGIC = 0x6E6E6469
"""`application_id` of the file's head."""
FORMAT = 1
"""`user_version`; a newer one is left alone."""
SCHEMA = (
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE words(key TEXT PRIMARY KEY, word TEXT NOT NULL, ipa TEXT NOT NULL, pos TEXT NOT NULL,"
    " zh TEXT NOT NULL, en TEXT NOT NULL, tags TEXT NOT NULL, forms TEXT NOT NULL, rank INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE forms(form TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(form, key)) WITHOUT ROWID",
    "CREATE TABLE tagged(tag TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(tag, key)) WITHOUT ROWID",
)
SETTINGS = ("PRAGMA trusted_schema = OFF", "PRAGMA query_only = ON", "PRAGMA cell_size_check = ON")
WORD_CHARACTERS_MAX = 100
FIELD_BYTES_MAX = 256 * 1024
_HEAD_BYTES = 100

_BEFORE = {
    "cet6": ("cet4",), "ky": ("cet4",), "ielts": ("cet4",), "toefl": ("cet4",), "gre": ("cet4", "cet6"),
}  # fmt: skip
"""Exams whose words somebody who prepares for another has mostly met."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What the dictionary says of one head word."""

    word: str
    ipa: str = ""
    """Without slashes; two readings stand with a comma between."""
    pos: str = ""
    """Like `n.`; where there are several, they also stand before each sense."""
    zh: tuple[str, ...] = ()
    en: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Exams that ask for it, like `cet6`, and whatever a person's own list says."""
    forms: tuple[str, ...] = ()
    """Its inflections, as they are written."""
    rank: int = 0
    """1 for the word that is used most; 0 where nobody counted."""


@dataclass(frozen=True, slots=True)
class About:
    """The file as a whole."""

    words: int
    tags: tuple[tuple[str, int], ...]
    source: str
    notice: str
    """Where the words come from and on what terms, in the words that have to be handed on."""
    size_bytes: int


class Dictionary:
    """An open file. Reads only; may be asked from any thread, one at a time."""

    def __init__(self, path: Path, conn: sqlite3.Connection) -> None:
        self._path = path
        self._conn = conn

    @classmethod
    def open(cls, home: Path) -> Dictionary | None:
        """None where there is none that can be read; `read` says why."""
        try:
            return cls.read(home / DATABASE)
        except (FileNotFoundError, Damaged):
            return None

    @classmethod
    def read(cls, path: Path) -> Dictionary:
        """Raises FileNotFoundError, DatabaseCorrupt, NewerSchema and what `translated` makes of a failure."""
        if not path.exists():
            raise FileNotFoundError(path)
        with translated(path):
            conn = connect(path)
            try:
                found = conn.execute("PRAGMA application_id").fetchone()[0]
                version = conn.execute("PRAGMA user_version").fetchone()[0]
                if found != MAGIC:
                    raise DatabaseCorrupt(path=str(path))
                if version != FORMAT:
                    raise NewerSchema(found=version, known=FORMAT, path=str(path))
            except BaseException:
                conn.close()
                raise
        return cls(path, conn)

    def close(self) -> None:
        self._conn.close()

    def __enter__(self) -> Dictionary:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def look(self, word: str) -> Definition | None:
        """The head word that is spelled like this, capital or small."""
        return self._by_key(key_of(word))

    def lemmas(self, form: str) -> tuple[str, ...]:
        """The head words that this may be a form of: itself first, then those that list it, then a guess by rule.

        `axes` is one of ax and of axis; nothing that is no head word is named.
        """
        key = key_of(form)
        with translated(self._path):
            listed = self._conn.execute("SELECT key FROM forms WHERE form = ? ORDER BY key", (key,)).fetchall()
        keys = dict.fromkeys([key, *(row[0] for row in listed), lemmas.lemma(key) or key])
        return tuple(found.word for one in keys if (found := self._by_key(one)) is not None)

    def words_of(self, tag: str) -> tuple[str, ...]:
        """All words of an exam in the order to learn them: first what no easier exam asks for, then by frequency."""
        easier = _BEFORE.get(tag, ())
        with translated(self._path):
            rows = self._conn.execute(
                "SELECT w.word, w.tags, w.rank FROM tagged t JOIN words w USING(key) WHERE t.tag = ?", (tag,)
            ).fetchall()
        rows.sort(key=lambda row: (any(one in row[1].split() for one in easier), row[2] or 1 << 30, row[0]))
        return tuple(row[0] for row in rows)

    def about(self) -> About:
        with translated(self._path):
            facts = dict(self._conn.execute("SELECT name, value FROM meta").fetchall())
            words: int = self._conn.execute("SELECT count(*) FROM words").fetchone()[0]
            tags = self._conn.execute("SELECT tag, count(*) FROM tagged GROUP BY tag ORDER BY tag").fetchall()
            size = self._path.stat().st_size
        return About(words, tuple((tag, n) for tag, n in tags), facts.get("source", ""), facts.get("notice", ""), size)

    def all(self) -> Iterator[Definition]:
        """Every head word, in the order of the alphabet."""
        with translated(self._path):
            for row in self._conn.execute(f"SELECT {_COLUMNS} FROM words ORDER BY key"):
                yield definition_of(row)

    def damage(self) -> bool:
        """Whether a page of it makes no sense."""
        with translated(self._path):
            found: str = self._conn.execute("PRAGMA quick_check(1)").fetchone()[0]
        return found != "ok"

    def _by_key(self, key: str) -> Definition | None:
        with translated(self._path):
            row = self._conn.execute(f"SELECT {_COLUMNS} FROM words WHERE key = ?", (key,)).fetchone()
        return definition_of(row) if row else None


_COLUMNS = "word, ipa, pos, zh, en, tags, forms, rank"


def definition_of(row: tuple[str, str, str, str, str, str, str, int]) -> Definition:
    """From the columns of `words` behind its key."""
    word, ipa, pos, zh, en, tags, forms, rank = row
    return Definition(word, ipa, pos, _lines(zh), _lines(en), tuple(tags.split()), _lines(forms), rank)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def key_of(word: str) -> str:
    """One spelling for all that people write of a word; longer than any word of ours where theirs is."""
    return flat(word).replace("\u2019", "'")[: WORD_CHARACTERS_MAX + 1]


def connect(path: Path) -> sqlite3.Connection:
    """For reading a file that nobody writes into, and that need not be ours: nothing in it is run or believed.

    Raises DatabaseCorrupt for one that is cut off, which SQLite would only notice at a page that is missing.
    """
    if _is_cut_off(path):
        raise DatabaseCorrupt(path=str(path))
    conn = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None, check_same_thread=False
    )
    conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, FIELD_BYTES_MAX)
    for setting in SETTINGS:
        conn.execute(setting)
    return conn


def _is_cut_off(path: Path) -> bool:
    """See https://sqlite.org/fileformat2.html#in_header_database_size"""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        size = os.fstat(file.fileno()).st_size
    if len(head) < _HEAD_BYTES:
        return True
    page = int.from_bytes(head[16:18], "big")
    page = 65_536 if page == 1 else page
    is_said = head[24:28] == head[92:96]
    return size % max(page, 1) != 0 or (is_said and int.from_bytes(head[28:32], "big") * page > size)
