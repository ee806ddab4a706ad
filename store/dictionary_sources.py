"""What somebody hands over as a dictionary → definitions: our own file, ECDICT as a table or a database, or a word list.

Nothing in a database that came from elsewhere is run: only a plain table is read, cell by cell, within limits.
"""

from __future__ import annotations

import codecs
import csv
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from store.dictionary import FORMAT, MAGIC, Definition, connect, definition_of
from store.dictionary_file import WORDS_MAX
from store.errors import DatabaseCorrupt, NewerSchema, NotFound, OverLimit, Rejected
from store.formats import csv_rows, ecdict, encoding, word_lists
from store.formats.ecdict_notice import NOTICE, SOURCE
from store.pieces import File, Trouble
from store.sql import translated
from store.text import has_han

BYTES_MAX = 1 << 30
"""Of a database: ECDICT's whole one has 190 MB to 850 MB."""
TEXT_BYTES_MAX = 160 << 20
"""Of a table: ECDICT's has 66 MB."""
LARGE_BYTES = 8 << 20
"""A table that is smaller is read whole: then it may be in any encoding, and have a broken line."""
ROWS_MAX = 5_000_000
LINES_MAX = 1_000_000
TROUBLES_MAX = 1_000
_SQLITE = b"SQLite format 3\0"
_PACKED = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
_OURS, _ECDICT = "words", "stardict"
_NAMED = {"word", "translation", "exchange"}
"""Columns by which ECDICT's table is known."""


@dataclass(slots=True)
class Source:
    """`definitions` can be gone through once; `troubles` are known when it is through."""

    name: str
    definitions: Iterable[Definition]
    notice: str = ""
    troubles: list[Trouble] = field(default_factory=list)


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """Raises NotFound, Rejected, and DatabaseCorrupt or NewerSchema of a database: while it is read, too."""
    with translated(path):
        size = _size(path)
        with path.open("rb") as file:
            head = file.read(len(_SQLITE))
        if head.startswith(_PACKED):
            raise Rejected("error-dictionary-packed", path=path.name)
        is_database = head == _SQLITE
        if size > (BYTES_MAX if is_database else TEXT_BYTES_MAX):
            raise Rejected("error-dictionary-bytes", most=(BYTES_MAX if is_database else TEXT_BYTES_MAX) >> 20)
        if is_database:
            with closing(connect(path)) as conn:
                conn.text_factory = lambda data: data.decode("utf-8", "replace")
                yield _database(path, conn)
        elif _is_large_ecdict(path, size):
            with path.open(encoding="utf-8-sig", newline="") as text:
                yield _stream(path, text)
        else:
            yield _text(path)


def _size(path: Path) -> int:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("error-import-missing", path=path.name) from error
    if not stat.S_ISREG(found.st_mode):
        raise Rejected("error-import-special", path=path.name)
    return found.st_size


# databases


def _database(path: Path, conn: sqlite3.Connection) -> Source:
    tables = dict(conn.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall())
    plain = {name for name, sql in tables.items() if isinstance(sql, str) and sql.upper().startswith("CREATE TABLE")}
    if conn.execute("PRAGMA application_id").fetchone()[0] == MAGIC:
        version = conn.execute("PRAGMA user_version").fetchone()[0]
        if version != FORMAT:
            raise NewerSchema(found=version, known=FORMAT, path=path.name)
        if not {_OURS, "meta"} <= plain:
            raise DatabaseCorrupt(path=path.name)
        facts = dict(conn.execute("SELECT CAST(name AS TEXT), CAST(value AS TEXT) FROM meta LIMIT 100").fetchall())
        return Source(facts.get("source") or path.name, _ours(conn), facts.get("notice") or "")
    columns = {row[1] for row in conn.execute(f"PRAGMA table_info({_ECDICT})")} if _ECDICT in plain else set()
    if not {"word", "translation"} <= columns:
        raise Rejected("error-dictionary-unknown", path=path.name)
    return Source(SOURCE, ecdict.definitions(_ecdict(conn, columns)), NOTICE)


def _ours(conn: sqlite3.Connection) -> Iterator[Definition]:
    texts = ", ".join(f"coalesce(CAST({name} AS TEXT), '')" for name in "word ipa pos zh en tags forms".split())
    for row in conn.execute(f"SELECT {texts}, coalesce(CAST(rank AS INTEGER), 0) FROM words LIMIT {ROWS_MAX}"):
        yield definition_of(row)


def _ecdict(conn: sqlite3.Connection, columns: set[str]) -> Iterator[ecdict.Row]:
    names = [name for name in ecdict.COLUMNS if name in columns]
    marks = [f"{name} <> ''" for name in ("tag", "exchange") if name in names]
    marks += [f"{name} > 0" for name in ("bnc", "frq") if name in names]
    chosen = f" WHERE {' OR '.join(marks)}" if marks else ""  # most rows are neither asked for nor counted
    for row in conn.execute(f"SELECT {', '.join(names)} FROM {_ECDICT}{chosen} LIMIT {ROWS_MAX}"):
        yield ecdict.row_of(dict(zip(names, row, strict=True)))


# texts


def _is_large_ecdict(path: Path, size: int) -> bool:
    """ECDICT's own table: too large to be held whole on a small machine, and in UTF-8 with sound quotes."""
    if size < LARGE_BYTES:
        return False
    with path.open("rb") as file:
        names = file.readline(4_096).decode("utf-8-sig", "replace").strip().lower().split(",")
        if not set(names) >= _NAMED:
            return False
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while piece := file.read(1 << 20):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _stream(path: Path, text: TextIO) -> Source:
    def rows() -> Iterator[ecdict.Row]:
        reader = csv.reader(line.replace("\0", "") for line in text)
        try:
            names = [name.strip().lower() for name in next(reader)]
            for cells in reader:
                yield ecdict.row_of(dict(zip(names, cells, strict=False)))
        except csv.Error as error:  # a quote without an end swallows the rest
            raise Rejected("error-dictionary-text", path=path.name, line=reader.line_num) from error

    return Source(SOURCE, ecdict.definitions(rows()), NOTICE)


def _text(path: Path) -> Source:
    text, trouble = encoding.text_of(File(path.name, path.read_bytes()))
    if trouble is not None:
        raise Rejected("error-dictionary-text", path=path.name, line=trouble.line)
    head = next(iter(csv_rows.rows(text[:20_000], ",")), None)
    names = [cell.strip().lower() for cell in head.cells] if head is not None and head.cells else []
    source = Source(path.name, ())
    if set(names) >= _NAMED:
        source.name, source.notice = SOURCE, NOTICE
        source.definitions = ecdict.definitions(_table(path, text, names, source.troubles))
    else:
        source.definitions = _list(path, text, source.troubles)
    return source


def _table(path: Path, text: str, names: list[str], troubles: list[Trouble]) -> Iterator[ecdict.Row]:
    rows = iter(csv_rows.rows(text, ","))
    next(rows)
    for row in rows:
        if row.cells is None:
            _tell(troubles, Trouble(path.name, row.line, "trouble-quote"))
        else:
            yield ecdict.row_of(dict(zip(names, row.cells, strict=False)))


def _list(path: Path, text: str, troubles: list[Trouble]) -> Iterator[Definition]:
    if text.count("\n") > LINES_MAX:  # each may be told of as one that cannot be read
        raise OverLimit("error-dictionary-large", most=WORDS_MAX)
    pieces, wrong = word_lists.read(path.name, text)
    for one in wrong:
        _tell(troubles, one)
    for piece in pieces:
        senses = tuple(line for line in piece.meaning.split("\n") if line.strip())
        is_zh = has_han(piece.meaning)
        yield Definition(
            piece.word, piece.ipa, piece.pos, senses if is_zh else (), () if is_zh else senses, piece.tags
        )  # fmt: skip


def _tell(troubles: list[Trouble], one: Trouble) -> None:
    if len(troubles) < TROUBLES_MAX:
        troubles.append(one)
