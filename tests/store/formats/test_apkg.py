"""Anki's packages: what is read of each kind, and what is refused before anything is believed."""

from __future__ import annotations

import builtins
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from store.errors import NotFound, OverLimit, Rejected
from store.formats import apkg, apkg_zip
from store.formats.apkg import plain, read
from store.formats.word_lists import Answer, WordPiece
from store.model import WORD_CHARACTERS_MAX
from store.pieces import Trouble
from tests.store.formats.packages import DAY_MS, DUMMY, FIRST_MS, Note, collection, package, packed

KINDS = ("new", "legacy", "oldest")
TWO = [
    Note(("paradigm", "范式<br>典范"), " cet6  mine ", ((FIRST_MS, 3, 0, 0), (FIRST_MS + DAY_MS, 1, 1, 2500))),
    Note(("set", "放")),
]

MANY = [*TWO, *(Note((f"word{n}", "词" * 50)) for n in range(400))]


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_of_any_age_gives_the_same_words(tmp_path: Path, kind: str) -> None:
    path = package(tmp_path / "deck.apkg", TWO, kind=kind)
    answers = (Answer(FIRST_MS, 3, 1500), Answer(FIRST_MS + DAY_MS, 1, 1500))
    assert read(path) == (
        [
            WordPiece("deck.apkg", 1, "paradigm", "范式\n典范", tags=("cet6", "mine"), answers=answers),
            WordPiece("deck.apkg", 2, "set", "放"),
        ],
        [],
    )


@pytest.mark.parametrize("kind", KINDS)
def test_fields_are_known_by_their_names_and_else_by_their_place(tmp_path: Path, kind: str) -> None:
    fields = ("放", "n.", "set", "/set/", "Set it.", "x")
    names = ("释义", "Part of Speech", "单词", "音标", "Example", "Nonsense")
    (piece,) = read(package(tmp_path / "a", [Note(fields)], names, kind=kind))[0]
    assert (piece.word, piece.meaning, piece.ipa, piece.pos, piece.example) == ("set", "放", "set", "n.", "Set it.")
    (piece,) = read(package(tmp_path / "b", [Note(("set", "放", "x"))], ("A", "B", "C"), kind=kind))[0]
    assert (piece.word, piece.meaning, piece.example) == ("set", "放", "")


def test_a_kind_of_note_that_is_not_listed_goes_by_place(tmp_path: Path) -> None:
    (piece,) = read(package(tmp_path / "a", [Note(("set", "放"), model=7)]))[0]
    assert (piece.word, piece.meaning) == ("set", "放")


@pytest.mark.parametrize(
    ("field", "seen"),
    [
        ("<b>set</b>", "set"),
        ("a<br>b<BR/>c<div>d</div>e", "a\nb\ncd\ne"),
        ("&lt;b&gt; &amp; &nbsp; c", "<b> & c"),
        ("[sound:set.mp3]set [anki:play:q:0]", "set"),
        ("{{c1::set::hint}} up {{c2::now}}", "set up now"),
        ("<style>.x { color: red }</style>set<script>alert(1)</script>", "set"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<img src='x.jpg'>", ""),
        ("<" * 5_000, "<" * 5_000),
        ("<a" * 3_000, "<a" * 3_000),
        ("<style>" * 1_000, ""),
        ("{{c1::" * 1_500, "{{c1::" * 1_500),
        ("{{c1::a::b" * 900, "{{c1::a::b" * 900),
    ],
)
def test_a_field_is_what_a_person_sees_of_it(field: str, seen: str) -> None:
    assert plain(field) == seen


def test_the_log_is_what_was_answered_since_the_card_was_last_begun(tmp_path: Path) -> None:
    log = (
        (FIRST_MS, 3, 0, 0),
        (FIRST_MS + 1, 0, 4, 0),  # begun anew
        (FIRST_MS + 2, 2, 0, 0),
        (FIRST_MS + 3, 0, 4, 2500),  # a due date was set
        (FIRST_MS + 4, 3, 3, 0),  # practice out of turn
        (FIRST_MS + 5, 4, 3, 2500),  # out of turn, and it counts
        (FIRST_MS + 6, 0, 3, 0),
        (FIRST_MS + 7, 5, 1, 0),
        (-5, 3, 1, 0),
    )
    (piece,) = read(package(tmp_path / "a", [Note(("set", "放"), log=log)]))[0]
    assert [(one.number - FIRST_MS, one.rating) for one in piece.answers] == [(2, 2), (5, 4)]


def test_of_several_ways_to_ask_the_first_that_was_answered_counts(tmp_path: Path) -> None:
    note = Note(("set", "放"), cards=2, log=((FIRST_MS, 3, 0, 0),))  # the log is the second card's
    (piece,) = read(package(tmp_path / "a", [note]))[0]
    assert len(piece.answers) == 1


def test_a_word_that_is_suspended_or_known_there_is_here(tmp_path: Path) -> None:
    notes = [Note(("a", ""), queue=-1), Note(("b", ""), tags=f"x {apkg.KNOWN_TAG}", queue=-1), Note(("c", ""), queue=2)]
    pieces, _ = read(package(tmp_path / "a", notes))
    assert [(one.word, one.state, one.tags) for one in pieces] == [
        ("a", "suspended", ()), ("b", "known", ("x",)), ("c", "", ()),
    ]  # fmt: skip


def test_a_note_without_a_word_is_named_by_its_place(tmp_path: Path) -> None:
    notes = [Note(("<img src=x>", "图")), Note(("a" * (WORD_CHARACTERS_MAX + 1), "长")), Note(("set", "放")), Note(())]
    pieces, troubles = read(package(tmp_path / "deck.apkg", notes))
    assert [one.line for one in pieces] == [3]
    assert troubles == [
        Trouble("deck.apkg", 1, "trouble-no-word"),
        Trouble("deck.apkg", 2, "trouble-long-word", {"most": WORD_CHARACTERS_MAX}),
        Trouble("deck.apkg", 4, "trouble-no-word"),
    ]


# refused


def refused(path: Path) -> str:
    with pytest.raises(Rejected) as raised:
        read(path)
    return raised.value.code


def write(path: Path, files: dict[str, bytes]) -> Path:
    path.write_bytes(packed(files))
    return path


def test_what_is_not_there_or_no_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read(tmp_path / "none.apkg")
    assert refused(tmp_path) == "error-import-special"


@pytest.mark.parametrize("data", [b"", b"PK", b"nonsense" * 100, b"PK\x05\x06" + bytes(18), b"PK\x03\x04" + bytes(60)])
def test_what_is_no_zip(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.apkg").write_bytes(data)
    assert refused(tmp_path / "a.apkg") in ("error-words-package", "error-words-no-collection")


def test_a_zip_without_cards(tmp_path: Path) -> None:
    assert refused(write(tmp_path / "a.apkg", {"../collection.anki2": DUMMY, "x/collection.anki21": DUMMY})) == (
        "error-words-no-collection"
    )


def test_the_newest_kind_counts_even_when_it_is_broken(tmp_path: Path) -> None:
    """Else the one note that says “please update” would be a word to learn."""
    for broken in (b"", b"no zstd", zstandard.compress(b"no database")):
        files = {"collection.anki2": DUMMY, "collection.anki21b": broken}
        assert refused(write(tmp_path / "a.apkg", files)) == "error-words-package"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
def test_a_package_that_is_cut_off(tmp_path: Path, kind: str, kept: float) -> None:
    path = package(tmp_path / "a.apkg", MANY, kind=kind)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    assert refused(path) == "error-words-package"


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_a_collection_that_is_cut_off_inside_a_sound_zip(tmp_path: Path, kept: float) -> None:
    data = collection(MANY, is_new=True)
    cut = zstandard.compress(data[: int(len(data) * kept)])
    assert refused(write(tmp_path / "a.apkg", {"collection.anki21b": cut})) == "error-words-package"


def test_a_collection_with_a_page_that_makes_no_sense(tmp_path: Path) -> None:
    """Also where none of what we read stands on it: nobody knows what else is wrong."""
    data = bytearray(collection(TWO, is_new=True))
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.deserialize(bytes(data))
        (page,) = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'idx_fields_name_ntid'").fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    data[(page - 1) * size : page * size] = bytes(size)
    path = write(tmp_path / "a.apkg", {"collection.anki21b": zstandard.compress(bytes(data))})
    assert refused(path) == "error-words-package"


def test_a_zip_with_a_password(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", TWO, kind="oldest")
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02", 0, data.rfind(b"collection.anki2"))
    data[at + 8] |= 1
    path.write_bytes(bytes(data))
    assert refused(path) == "error-import-locked"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_collections_of_one_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.apkg", "w") as archive:
        for _ in range(2):
            archive.writestr("collection.anki21", DUMMY)
    assert refused(tmp_path / "a.apkg") == "error-import-twice"


def test_a_link_for_a_collection(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.apkg", "w") as archive:
        link = zipfile.ZipInfo("collection.anki21")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert refused(tmp_path / "a.apkg") == "error-import-special"


@pytest.mark.parametrize("pack", [zstandard.compress, bytes])
def test_a_bomb_is_given_up_at_the_limit(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apkg_zip, "COLLECTION_BYTES_MAX", 1 << 20)
    name = "collection.anki21b" if pack is zstandard.compress else "collection.anki21"
    path = write(tmp_path / "a.apkg", {name: pack(bytes(64 << 20))})
    assert path.stat().st_size < 1 << 20
    assert refused(path) == "error-import-large"


def test_an_odd_way_of_packing(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.apkg", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("collection.anki21", DUMMY)
    assert refused(tmp_path / "a.apkg") == "error-words-package"


def altered(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.deserialize(collection(TWO, is_new=False))
        for statement in statements:
            conn.execute(statement)
        return write(path, {"collection.anki21": conn.serialize()})


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE notes",),
        ("DROP TABLE revlog",),
        ("DROP TABLE col",),
        ("UPDATE col SET models = 'nonsense'",),
        ("UPDATE col SET models = '[1]'",),
        ('UPDATE col SET models = \'{"1": {"flds": 3}}\'',),
        ("DROP TABLE notes", "CREATE VIEW notes AS SELECT 1 AS id, 1 AS mid, 'a' AS flds, '' AS tags"),
        ("DROP TABLE notes", "CREATE VIRTUAL TABLE notes USING fts5(id, mid, flds, tags)"),
        ("ALTER TABLE notes RENAME COLUMN flds TO x", "ALTER TABLE notes ADD flds AS (hex(zeroblob(100000000)))"),
    ],
)
def test_a_collection_of_another_shape(tmp_path: Path, statements: tuple[str, ...]) -> None:
    assert refused(altered(tmp_path / "a.apkg", *statements)) == "error-words-package"


def test_cells_of_any_kind_stop_nothing(tmp_path: Path) -> None:
    path = altered(
        tmp_path / "a.apkg",
        "UPDATE notes SET flds = x'73ff' WHERE id = 1",
        "UPDATE notes SET flds = NULL WHERE id = 2",
        "UPDATE notes SET tags = 5",
        "UPDATE cards SET ord = 'x', queue = NULL",
        "UPDATE revlog SET ease = 'y' WHERE rowid = (SELECT min(rowid) FROM revlog)",
    )
    pieces, troubles = read(path)
    assert [(one.word, one.tags, len(one.answers)) for one in pieces] == [("s\ufffd", ("5",), 1)]
    assert [one.line for one in troubles] == [2]


def test_more_than_can_be_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = package(tmp_path / "a.apkg", TWO)
    for name in ("NOTES_MAX", "ANSWERS_MAX"):
        with monkeypatch.context() as patch:
            patch.setattr(apkg, name, 1)
            with pytest.raises(OverLimit):
                read(path)


def test_without_the_extra_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "zstandard":
            raise ImportError(name)
        return real(name, *rest, **more)

    path, old = package(tmp_path / "a.apkg", TWO), package(tmp_path / "b.apkg", TWO, kind="legacy")
    monkeypatch.delitem(sys.modules, "zstandard")
    monkeypatch.setattr(builtins, "__import__", without)
    assert refused(path) == "error-no-extra"
    assert len(read(old)[0]) == 2
