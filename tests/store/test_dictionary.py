"""The dictionary: what is found in it, how it is made, and what happens to one that is broken or not there."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store import dictionary, dictionary_file, lemmas
from store.dictionary import DATABASE, Definition, Dictionary
from store.errors import DatabaseCorrupt, NewerSchema, OverLimit, Rejected, StoreBusy
from tests.house.files import ROOT
from tests.store import tiny_dictionary


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tiny_dictionary.put(tmp_path)
    return tmp_path


@pytest.fixture
def tiny(home: Path) -> Iterator[Dictionary]:
    found = Dictionary.open(home)
    assert found is not None
    with found:
        yield found


def put(home: Path, *words: Definition) -> int:
    return dictionary_file.put(home, words, source="test", notice="none")


# looking up


def test_a_word_is_found_with_all_that_is_said_of_it(tiny: Dictionary) -> None:
    assert tiny.look("paradigm") == Definition(
        "paradigm",
        "ˈpærədaɪm",
        "n.",
        ("范式；典范",),
        ("a typical example or model of something",),
        ("cet6", "ky", "gre"),
        ("paradigms",),
        5201,
    )


def test_every_word_comes_back_as_it_was_put_in(tiny: Dictionary) -> None:
    assert {one.word: one for one in tiny.all()} == {one.word: one for one in tiny_dictionary.WORDS}


@pytest.mark.parametrize("spelled", ["Paradigm", "  PARADIGM ", "ｐａｒａｄｉｇｍ", "give  up", "Give Up"])
def test_spelling_does_not_matter(tiny: Dictionary, spelled: str) -> None:
    assert tiny.look(spelled) is not None


@pytest.mark.parametrize("word", ["paradigms", "xyzzy", "", "'; DROP TABLE words; --", "\0", "\ud800", "x" * 100_000])
def test_what_is_no_head_word_is_not_found(tiny: Dictionary, word: str) -> None:
    assert tiny.look(word) is None


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("paradigms", ("paradigm",)),
        ("Paradigms", ("paradigm",)),
        ("paradigm", ("paradigm",)),
        ("axes", ("ax", "axis")),
        ("leaves", ("leaf", "leave")),
        ("went", ("go",)),
        ("better", ("good",)),
        ("xyzzy", ()),
        ("", ()),
        ("范式", ()),
    ],
)
def test_a_form_leads_to_the_head_words_that_list_it(tiny: Dictionary, form: str, words: tuple[str, ...]) -> None:
    assert tiny.lemmas(form) == words


def test_a_lemma_by_rule_counts_when_it_is_a_head_word(tiny: Dictionary) -> None:
    assert "vulnerably" not in {form for one in tiny_dictionary.WORDS for form in one.forms}
    assert tiny.lemmas("debater") == ()
    assert lemmas.lemma("worst") == "bad" or tiny.lemmas("worst") == ("bad",)
    assert lemmas.lemma("running") == "run"
    assert tiny.lemmas("running") == ()  # run is not in the tiny one


def test_a_plan_begins_with_what_no_easier_exam_asks_for(tiny: Dictionary) -> None:
    words = tiny.words_of("cet6")
    assert len(words) == 15
    assert words[:3] == ("vulnerable", "subtle", "paradigm")
    assert set(words[-4:]) == {"benefit", "debate", "capable", "abandon"}
    assert tiny.words_of("cet4")[:2] == ("lead", "benefit")
    assert tiny.words_of("zzz") == ()


def test_words_without_a_rank_come_last_in_a_plan(tmp_path: Path) -> None:
    put(
        tmp_path,
        Definition("b", tags=("cet4",)),
        Definition("a", tags=("cet4",)),
        Definition("c", tags=("cet4",), rank=9),
    )
    with Dictionary.read(tmp_path / DATABASE) as made:
        assert made.words_of("cet4") == ("c", "a", "b")


def test_the_file_says_what_it_is_and_on_what_terms(tiny: Dictionary) -> None:
    about = tiny.about()
    assert about.words == len(tiny_dictionary.WORDS) == 30
    assert dict(about.tags)["cet6"] == 15
    assert about.notice == tiny_dictionary.NOTICE
    assert about.size_bytes > 0


def test_it_may_be_asked_from_another_thread(tiny: Dictionary) -> None:
    found: list[Definition | None] = []
    asking = threading.Thread(target=lambda: found.append(tiny.look("paradigm")))
    asking.start()
    asking.join(timeout=10)
    assert found and found[0] is not None


# none, broken, newer


def test_without_a_file_there_is_no_dictionary(tmp_path: Path) -> None:
    assert Dictionary.open(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        Dictionary.read(tmp_path / DATABASE)


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(100)])
def test_what_is_no_dictionary_is_taken_for_none_and_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / DATABASE).write_bytes(content)
    assert Dictionary.open(tmp_path) is None
    with pytest.raises(DatabaseCorrupt):
        Dictionary.read(tmp_path / DATABASE)
    assert (tmp_path / DATABASE).read_bytes() == content


def test_a_newer_file_is_left_alone(home: Path) -> None:
    with closing(sqlite3.connect(home / DATABASE)) as conn:
        conn.execute(f"PRAGMA user_version = {dictionary.FORMAT + 1}")
    before = (home / DATABASE).read_bytes()
    assert Dictionary.open(home) is None
    with pytest.raises(NewerSchema):
        Dictionary.read(home / DATABASE)
    assert (home / DATABASE).read_bytes() == before


def test_a_broken_page_is_told_and_breaks_nothing_else(home: Path) -> None:
    path = home / DATABASE
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(bytes(data))
    found = Dictionary.open(home)
    assert found is not None
    with found, pytest.raises(DatabaseCorrupt):
        found.look("paradigm")


# making one


def test_two_rows_for_one_word_are_joined(tmp_path: Path) -> None:
    assert put(
        tmp_path,
        Definition("Polish", zh=("波兰的",), rank=900, tags=("gre",)),
        Definition("polish", "ˈpɒlɪʃ", "v.", zh=("擦亮",), en=("to make shine",), rank=300, tags=("GRE cet6",)),
    ) == 1  # fmt: skip
    with Dictionary.read(tmp_path / DATABASE) as made:
        assert made.look("polish") == Definition(
            "Polish", "ˈpɒlɪʃ", "v.", ("波兰的", "擦亮"), ("to make shine",), ("gre", "cet6"), (), 300
        )


def test_a_row_without_a_word_or_with_a_page_for_one_is_left_out(tmp_path: Path) -> None:
    long = "x" * (dictionary.WORD_CHARACTERS_MAX + 1)
    assert put(tmp_path, Definition(""), Definition(" \u200b"), Definition(long), Definition("kept")) == 1


def test_long_fields_are_cut_and_line_breaks_become_spaces(tmp_path: Path) -> None:
    put(tmp_path, Definition("a", zh=("二\n三", "", "x" * 5_000, *map(str, range(99))), en=("\0\ud800",)))
    with Dictionary.read(tmp_path / DATABASE) as made:
        found = made.look("a")
    assert found is not None
    assert found.zh[0] == "二 三"
    assert len(found.zh[1]) == dictionary_file.LINE_CHARACTERS_MAX
    assert len(found.zh) == dictionary_file.SENSES_MAX
    assert found.en == ("\ufffd\ufffd",)


class Stopped(Exception):
    pass


def test_a_making_that_stops_leaves_the_old_one_and_no_draft(home: Path) -> None:
    before = (home / DATABASE).read_bytes()

    def stopping() -> Iterator[Definition]:
        yield Definition("new")
        raise Stopped

    with pytest.raises(Stopped):
        dictionary_file.put(home, stopping(), source="", notice="")
    assert (home / DATABASE).read_bytes() == before
    assert [path.name for path in home.iterdir()] == [DATABASE]


def test_too_many_words_are_refused_before_anything_is_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary_file, "WORDS_MAX", 3)
    before = (home / DATABASE).read_bytes()
    with pytest.raises(OverLimit):
        put(home, *(Definition(f"w{n}") for n in range(4)))
    assert (home / DATABASE).read_bytes() == before
    assert put(home, *(Definition(f"w{n}") for n in range(3))) == 3


def test_what_a_killed_run_left_is_taken_away_by_the_next(home: Path) -> None:
    (home / f".{DATABASE}.part").write_bytes(b"half")
    put(home, Definition("new"))
    assert [path.name for path in home.iterdir()] == [DATABASE]
    with Dictionary.read(home / DATABASE) as made:
        assert [one.word for one in made.all()] == ["new"]


def test_who_has_the_old_one_open_reads_on_in_it(home: Path, tiny: Dictionary) -> None:
    put(home, Definition("new"))
    assert tiny.look("paradigm") is not None
    with Dictionary.read(home / DATABASE) as made:
        assert made.look("paradigm") is None


def test_it_is_taken_away_once(home: Path) -> None:
    assert dictionary_file.take_away(home)
    assert not dictionary_file.take_away(home)
    assert Dictionary.open(home) is None


# killed, and two at once

BLOCKING = """
import sys
from pathlib import Path
from store import dictionary_file
from store.dictionary import Definition

def block(*_, **__):
    print("here", flush=True)
    sys.stdin.read()

step = sys.argv[2]
setattr(dictionary_file.os if step == "replace" else dictionary_file, step, block)
dictionary_file.put(Path(sys.argv[1]), [Definition("half")], source="", notice="")
"""


@pytest.mark.parametrize("step", ["gathered", "_fill", "_look_over", "replace"])
def test_a_run_that_is_killed_between_two_steps_changes_nothing(home: Path, step: str) -> None:
    before = (home / DATABASE).read_bytes()
    child = subprocess.Popen(
        [sys.executable, "-c", BLOCKING, str(home), step], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"here\n"
        with pytest.raises(StoreBusy):
            put(home, Definition("second"))
        assert (home / DATABASE).read_bytes() == before
    finally:
        child.kill()
        child.communicate(timeout=30)
    assert (home / DATABASE).read_bytes() == before
    assert Dictionary.open(home) is not None
    put(home, Definition("new"))
    assert [path.name for path in home.iterdir()] == [DATABASE]


def test_no_word_at_all_is_no_dictionary(home: Path) -> None:
    before = (home / DATABASE).read_bytes()
    with pytest.raises(Rejected):
        put(home, Definition(" "))
    assert (home / DATABASE).read_bytes() == before
