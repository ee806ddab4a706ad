"""Making `dictionary.db`: a new file beside the old one, whole and looked over before it takes that one's place.

A stopped or killed run leaves the old dictionary as it was, and a draft that the next run takes away. Nobody's file is
copied: whatever comes is read as definitions and written anew, so a file from elsewhere brings its words and no more.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from store.dictionary import DATABASE, FORMAT, MAGIC, SCHEMA, WORD_CHARACTERS_MAX, Definition, Dictionary, key_of
from store.errors import DatabaseCorrupt, OverLimit, Rejected, StoreBusy
from store.sql import transaction, translated
from store.text import clean

WORDS_MAX = 300_000
"""ECDICT's cut is 37,000; whatever has more is no dictionary for learning, and would be slow on a small machine."""
SENSES_MAX = 40
FORMS_MAX = 60
LINE_CHARACTERS_MAX = 1_000
SOURCE_CHARACTERS_MAX = 200
NOTICE_CHARACTERS_MAX = 16_000
_DRAFT = f".{DATABASE}.part"
_TOLD_EVERY = 1_000

Moved = Callable[[int], None]


def put(
    home: Path, definitions: Iterable[Definition], *, source: str, notice: str, moved: Moved = lambda n: None
) -> int:
    """Makes the home's dictionary of these; how many words it has. See `build` for what is raised."""
    with translated(home):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return build(home / DATABASE, definitions, source=source, notice=notice, moved=moved)


def take_away(home: Path) -> bool:
    """Whether there was one."""
    with translated(home / DATABASE), suppress(FileNotFoundError):
        (home / DATABASE).unlink()
        return True
    return False


def build(
    path: Path, definitions: Iterable[Definition], *, source: str, notice: str, moved: Moved = lambda n: None
) -> int:
    """`path` is replaced at the end, or not at all. What the iterable raises comes through.

    Also raises Rejected for no word at all, OverLimit, StoreBusy while another run makes one there, Damaged.
    """
    draft = path.with_name(_DRAFT)
    with translated(path), _alone(path.parent):
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}-journal").unlink(missing_ok=True)
        try:
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            words = gathered(definitions, moved)
            if not words:
                raise Rejected("error-dictionary-empty")
            _fill(draft, words, source=source, notice=notice)
            _look_over(draft)
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    with Dictionary.read(path) as made:
        return made.about().words


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """The draft has one name; the system lets go of the folder when the process ends."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreBusy("error-dictionary-busy") from error
        yield
    finally:
        os.close(descriptor)


def gathered(definitions: Iterable[Definition], moved: Moved = lambda n: None) -> dict[str, Definition]:
    """By key: of a word that comes twice, both; nothing longer than a screen can show."""
    found: dict[str, Definition] = {}
    for number, one in enumerate(definitions, start=1):
        fitted = _fitted(one)
        key = key_of(fitted.word)
        if key and len(key) <= WORD_CHARACTERS_MAX:
            found[key] = _joined(found[key], fitted) if key in found else fitted
        if len(found) > WORDS_MAX:
            raise OverLimit("error-dictionary-large", most=WORDS_MAX)
        if number % _TOLD_EVERY == 0:
            moved(number)
    return found


def _joined(one: Definition, other: Definition) -> Definition:
    def both(a: tuple[str, ...], b: tuple[str, ...], most: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(a + b))[:most]

    return replace(
        one,
        ipa=one.ipa or other.ipa,
        pos=one.pos or other.pos,
        zh=both(one.zh, other.zh, SENSES_MAX),
        en=both(one.en, other.en, SENSES_MAX),
        tags=both(one.tags, other.tags, SENSES_MAX),
        forms=both(one.forms, other.forms, FORMS_MAX),
        rank=min(filter(None, (one.rank, other.rank)), default=0),
    )


def _fitted(one: Definition) -> Definition:
    def line(text: str, most: int = LINE_CHARACTERS_MAX) -> str:
        return " ".join(clean(text).split())[:most]

    def lines(texts: Iterable[str], most: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(short for text in texts if (short := line(text))))[:most]

    word = line(one.word, WORD_CHARACTERS_MAX + 1)
    return Definition(
        word if len(word) <= WORD_CHARACTERS_MAX else "",
        line(one.ipa, WORD_CHARACTERS_MAX),
        line(one.pos, WORD_CHARACTERS_MAX),
        lines(one.zh, SENSES_MAX),
        lines(one.en, SENSES_MAX),
        tuple(dict.fromkeys(tag for text in one.tags for tag in clean(text).lower().split()))[:SENSES_MAX],
        lines(one.forms, FORMS_MAX),
        max(0, one.rank),
    )


def _fill(draft: Path, words: dict[str, Definition], *, source: str, notice: str) -> None:
    meta = [("source", clean(source)[:SOURCE_CHARACTERS_MAX]), ("notice", clean(notice)[:NOTICE_CHARACTERS_MAX])]

    def write(conn: sqlite3.Connection) -> None:
        for statement in SCHEMA:
            conn.execute(statement)
        conn.executemany("INSERT INTO meta(name, value) VALUES(?, ?)", meta)
        conn.executemany("INSERT INTO words VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", _rows(words))
        conn.executemany("INSERT OR IGNORE INTO forms VALUES(?, ?)", _forms(words))
        conn.executemany(
            "INSERT INTO tagged VALUES(?, ?)", ((tag, key) for key, one in words.items() for tag in one.tags)
        )
        conn.execute(f"PRAGMA application_id = {MAGIC}")
        conn.execute(f"PRAGMA user_version = {FORMAT}")

    with closing(sqlite3.connect(draft, isolation_level=None)) as conn:
        conn.execute("PRAGMA journal_mode = MEMORY").fetchall()
        transaction(conn, write)


def _rows(words: dict[str, Definition]) -> Iterator[tuple[str, str, str, str, str, str, str, str, int]]:
    for key in sorted(words):
        one = words[key]
        zh, en, forms = ("\n".join(lines) for lines in (one.zh, one.en, one.forms))
        yield key, one.word, one.ipa, one.pos, zh, en, " ".join(one.tags), forms, one.rank


def _forms(words: dict[str, Definition]) -> Iterator[tuple[str, str]]:
    for key, one in words.items():
        for form in one.forms:
            if (spelled := key_of(form)) and spelled != key:
                yield spelled, key


def _look_over(draft: Path) -> None:
    with Dictionary.read(draft) as made:
        if made.damage():
            raise DatabaseCorrupt(path=str(draft))
