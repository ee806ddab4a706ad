"""What somebody hands over as a dictionary: the kinds that are known, and those that are refused."""

from __future__ import annotations

import csv
import hashlib
import io
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store import dictionary_file, dictionary_sources
from store.dictionary import DATABASE, FIELD_BYTES_MAX, FORMAT, Definition, Dictionary
from store.errors import DatabaseCorrupt, NewerSchema, NiannianError, NotFound, Rejected
from store.formats.ecdict_notice import NOTICE
from store.pieces import Trouble
from tests.store import tiny_dictionary
from tools import build_dictionary

COLUMNS = "word,phonetic,definition,translation,pos,collins,oxford,tag,bnc,frq,exchange,detail,audio".split(",")
ROWS = [
    ("paradigm", "'pærәdaim", "n. an example", "n. 范例, 式样", "", 1, 0, "ky gre", 7401, 5201, "s:paradigms", "", ""),
    ("paradigms", "", "n. examples", "n. 范例", "", 0, 0, "", 0, 0, "0:paradigm/1:s", "", ""),
    ("paradigmoid", "", "", "n. 某词", "", 0, 0, "", 0, 0, "", "", ""),
    ("worse", "wә:s", "a. less good", "a. 更坏的\nadv. 更坏地", "", 1, 1, "cet4 cet6", 6841, 0, "0:bad/1:r", "", ""),
]


def ecdict_sqlite(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute(f"CREATE TABLE stardict(id INTEGER PRIMARY KEY, {', '.join(COLUMNS)})")
        conn.executemany(f"INSERT INTO stardict({','.join(COLUMNS)}) VALUES({','.join('?' * 13)})", ROWS)
    return path


def ecdict_csv(path: Path, encoding: str = "utf-8") -> Path:
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    table.writerows([str(cell).replace("\n", "\\n") for cell in row] for row in ROWS)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def ours(path: Path) -> Path:
    dictionary_file.build(path, tiny_dictionary.WORDS, source="tiny", notice="mine")
    return path


def word_list(path: Path) -> Path:
    path.write_text("word,meaning,ipa,tags\nparadigm,范式,/x/,cet6\nset,to put,,\n", encoding="utf-8")
    return path


def taken(path: Path) -> dict[str, Definition]:
    with dictionary_sources.opened(path) as source:
        return dictionary_file.gathered(source.definitions)


@pytest.mark.parametrize("make", [ecdict_sqlite, ecdict_csv])
@pytest.mark.parametrize("large", [0, 1 << 30])
def test_ecdict_is_cut_the_same_out_of_either_of_its_forms(
    tmp_path: Path, make: Callable[[Path], Path], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dictionary_sources, "LARGE_BYTES", large)
    path = make(tmp_path / "given")
    found = taken(path)
    assert list(found) == ["paradigm", "worse"]
    assert found["paradigm"] == Definition(
        "paradigm", "ˈpærədaɪm", "n.", ("范例；式样",), ("an example",), ("ky", "gre"), ("paradigms",), 5201
    )
    assert found["worse"].zh == ("adj. 更坏的", "adv. 更坏地")
    with dictionary_sources.opened(path) as source:
        assert source.notice == NOTICE


def test_neither_trade_name_of_ecdict_is_kept(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with dictionary_sources.opened(ecdict_sqlite(tmp_path / "given")) as source:
        dictionary_file.build(made, source.definitions, source=source.name, notice=source.notice)
    with closing(sqlite3.connect(made)) as conn:
        columns = {row[1] for row in conn.execute("PRAGMA table_info(words)")}
    assert columns == {"key", "word", "ipa", "pos", "zh", "en", "tags", "forms", "rank"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("large", [0, 1 << 30])
def test_a_table_may_be_in_any_encoding(
    tmp_path: Path, encoding: str, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dictionary_sources, "LARGE_BYTES", large)
    assert taken(ecdict_csv(tmp_path / "given", encoding))["worse"].zh == ("adj. 更坏的", "adv. 更坏地")


def test_our_own_file_comes_back_the_same(tmp_path: Path) -> None:
    path = ours(tmp_path / "given")
    assert set(taken(path).values()) == set(tiny_dictionary.WORDS)
    with dictionary_sources.opened(path) as source:
        assert (source.name, source.notice) == ("tiny", "mine")


def test_a_word_list_is_a_dictionary_too(tmp_path: Path) -> None:
    assert list(taken(word_list(tmp_path / "list.csv")).values()) == [
        Definition("paradigm", "x", "", ("范式",), tags=("cet6",)),
        Definition("set", en=("to put",)),
    ]


def test_a_line_that_cannot_be_read_is_named_and_the_rest_taken(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text('word,meaning\na,b\n,c\n"d,e\nf,g\n', encoding="utf-8")
    with dictionary_sources.opened(path) as source:
        assert list(dictionary_file.gathered(source.definitions)) == ["a", "f"]
        assert source.troubles == [Trouble("list.csv", 3, "trouble-no-word"), Trouble("list.csv", 4, "trouble-quote")]


# refused


def refused(path: Path) -> NiannianError:
    with pytest.raises(NiannianError) as raised:
        taken(path)
    assert not isinstance(raised.value, AssertionError)
    return raised.value


def test_what_is_not_there_or_no_file(tmp_path: Path) -> None:
    assert isinstance(refused(tmp_path / "none"), NotFound)
    assert isinstance(refused(tmp_path / "none" / "none"), NotFound)
    assert refused(tmp_path).code == "error-import-special"


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a"])
def test_a_packed_file_is_to_be_unpacked_first(tmp_path: Path, head: bytes) -> None:
    (tmp_path / "packed").write_bytes(head + bytes(100))
    assert refused(tmp_path / "packed").code == "error-dictionary-packed"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\xff\xff\xfe", b"word,meaning\na,b\0c\n", bytes(range(256))])
def test_bytes_that_are_no_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd").write_bytes(data)
    assert refused(tmp_path / "odd").code == "error-dictionary-text"


def test_more_than_any_dictionary_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary_sources, "TEXT_BYTES_MAX", 10)
    assert refused(word_list(tmp_path / "list.csv")).code == "error-dictionary-bytes"
    monkeypatch.setattr(dictionary_sources, "BYTES_MAX", 10)
    assert refused(ours(tmp_path / "given")).code == "error-dictionary-bytes"


def test_more_lines_than_any_list_has(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes(b"1\n" * (dictionary_sources.LINES_MAX + 1))
    assert refused(tmp_path / "list.txt").code == "error-dictionary-large"


@pytest.mark.parametrize("make", [ours, ecdict_sqlite])
@pytest.mark.parametrize("kept", [0.3, 0.7, 0.99])
def test_a_database_that_is_cut_off(tmp_path: Path, make: Callable[[Path], Path], kept: float) -> None:
    path = make(tmp_path / "given")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    assert isinstance(refused(path), DatabaseCorrupt)


def test_a_large_table_whose_quote_has_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary_sources, "LARGE_BYTES", 0)
    path = ecdict_csv(tmp_path / "given")
    path.write_text(path.read_text("utf-8") + '"open,\n' + "x,y\n" * 100_000, encoding="utf-8")
    assert refused(path).code == "error-dictionary-text"


def test_a_newer_file_of_ours(tmp_path: Path) -> None:
    path = ours(tmp_path / "given")
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version = {FORMAT + 1}")
    assert isinstance(refused(path), NewerSchema)


def test_another_programs_database(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other")) as conn:
        conn.execute("CREATE TABLE words(word, meaning)")
    assert refused(tmp_path / "other").code == "error-dictionary-unknown"


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS word, i AS translation FROM n"


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW stardict AS {ENDLESS}",
        "CREATE VIRTUAL TABLE stardict USING fts5(word, translation)",
    ],
)
def test_only_a_plain_table_is_read(tmp_path: Path, statement: str) -> None:
    with closing(sqlite3.connect(tmp_path / "other")) as conn:
        conn.execute(statement)
    assert refused(tmp_path / "other").code == "error-dictionary-unknown"


def test_a_cell_that_grows_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    with closing(sqlite3.connect(path)) as conn, conn:
        columns = "word, tag, translation TEXT AS (hex(zeroblob(100000000)))"
        conn.execute(f"CREATE TABLE stardict({columns})")
        conn.execute("INSERT INTO stardict(word, tag) VALUES('a', 'cet4')")
    assert isinstance(refused(path), Rejected | DatabaseCorrupt)


def test_cells_of_the_wrong_kind_and_of_any_length(tmp_path: Path) -> None:
    path = ours(tmp_path / "given")
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("UPDATE words SET zh = x'ff00fe', en = 7, rank = 'many' WHERE word = 'paradigm'")
        conn.execute("UPDATE words SET en = ? WHERE word = 'set'", ("x" * (FIELD_BYTES_MAX // 2),))
    found = taken(path)["paradigm"]
    assert (found.en, found.rank) == (("7",), 0)


# the tool


def test_the_tool_makes_the_file_and_its_notice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "dictionary.db"
    given = ecdict_csv(tmp_path / "ecdict.csv")
    assert build_dictionary.main([str(out), "--from", str(given)]) == 0
    assert "2 words" in capsys.readouterr().out
    assert "Copyright (c) 2017 Linwei" in (tmp_path / "dictionary.db.NOTICE").read_text("utf-8")
    with Dictionary.read(out) as made:
        assert made.look("paradigm") is not None
        assert "Princeton" in made.about().notice


def test_the_tool_says_what_is_wrong_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build_dictionary.main([str(tmp_path / DATABASE), "--from", str(tmp_path / "none.csv")]) == 1
    assert "There is no none.csv" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_tool_takes_no_package_but_the_one_that_was_tried(tmp_path: Path) -> None:
    database = ecdict_sqlite(tmp_path / "ecdict")
    package = tmp_path / "p.tgz"
    with tarfile.open(package, "w:gz") as archive:
        archive.add(database, build_dictionary.DATABASE)
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    size = database.stat().st_size
    found = build_dictionary.unpack(package, tmp_path, sha256=digest, size_bytes=size)
    assert found.read_bytes() == database.read_bytes()
    for wrong in ({"sha256": "0" * 64, "size_bytes": size}, {"sha256": digest, "size_bytes": size + 1}):
        with pytest.raises(build_dictionary.Stop):
            build_dictionary.unpack(package, tmp_path, **wrong)  # type: ignore[arg-type]
