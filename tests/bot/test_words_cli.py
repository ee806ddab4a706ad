"""`niannian words import` and `export` as typed: what they say in both languages, and how they end."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.command import EXIT_CONFIG
from bot.words import LANGUAGES, words
from tests.faults.forks import Ended, Forks
from tests.store import tiny_dictionary
from tests.store.formats.packages import FIRST_MS, Note, package

LIST = "word,meaning\nparadigm,\nzzq,\nmine,我的\n,空\n"


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    server = Forks("tests.bot.console")
    yield server
    server.close()


@dataclass(frozen=True, slots=True)
class Console:
    forks: Forks
    lang: str
    home: Path

    def __call__(self, *typed: str | Path) -> Ended:
        return self.forks.run([self.lang, "words", *map(str, typed), "--home", str(self.home)], ())

    def told(self, code: str, **facts: str | int) -> str:
        return words(self.lang)(code, **facts)

    def file(self, name: str, text: str) -> Path:
        path = self.home.parent / name
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture(params=LANGUAGES)
def console(forks: Forks, request: pytest.FixtureRequest, tmp_path: Path) -> Console:
    return Console(forks, request.param, tmp_path / "home")


def test_a_preview_then_an_import_then_nothing_new(console: Console) -> None:
    told, path = console.told, console.file("list.csv", LIST)
    wrong = told("import-trouble", path="list.csv", line=5, what=told("trouble-no-word"))
    new, bad = told("words-count-new", n=3), told("words-count-wrong", n=1)
    bare = told("words-bare-no-dictionary", n=2)

    seen = console("import", path, "--dry-run")
    preview = told("import-preview", path="list.csv", what=f"{new} · {bad}")
    assert (seen.status, seen.errors) == (0, "")
    assert seen.out.splitlines() == [preview, wrong, bare, told("import-nothing-written")]

    done = console("import", path)
    assert done.status == 2
    assert done.out.splitlines() == [
        told("words-imported", what=f"{told('words-done-new', n=3)} · {bad}"), wrong, bare, told("words-undo-hint"),
    ]  # fmt: skip

    again = console("import", path)
    assert again.out.splitlines()[0] == told("words-imported", what=f"{told('words-count-known', n=3)} · {bad}")


def test_the_last_import_is_taken_back(console: Console) -> None:
    told, path = console.told, console.file("list.csv", LIST)
    console("import", path)
    done = console("import", "--undo")
    assert (done.status, done.out.strip()) == (0, told("words-undone", what=told("words-undone-removed", n=3)))
    again = console("import", "--undo")
    assert (again.status, again.out.strip()) == (1, told("words-nothing-to-undo"))
    assert told("words-done-new", n=3) in console("import", path).out
    for typed in ((), (path, "--undo")):
        what = console("import", *typed)
        assert (what.status, what.errors.strip()) == (EXIT_CONFIG, told("words-import-what"))


def test_with_a_dictionary_only_what_it_lacks_is_told(console: Console) -> None:
    console.home.mkdir()
    tiny_dictionary.put(console.home)
    done = console("import", console.file("list.csv", LIST), "--dry-run")
    assert console.told("words-count-unknown", n=2) in done.out
    assert console.told("words-bare", n=1) in done.out


def test_a_package_in_and_out_again(console: Console) -> None:
    told = console.told
    path = console.home.parent / "deck.apkg"
    package(path, [Note(("paradigm", "范式"), log=((FIRST_MS, 3, 0, 0),)), Note(("<img>", "图"))])
    done = console("import", path)
    assert done.status == 2
    assert told("words-done-answers", n=1) in done.out
    assert told("words-trouble-note", path="deck.apkg", line=2, what=told("trouble-no-word")) in done.out
    out = console.home.parent / "out.apkg"
    exported = console("export", out)
    assert exported.out.strip() == told("words-exported-answers", path=str(out), n=1, answers=1)
    assert exported.status == 0
    assert console("import", out).out.strip() == told("words-imported", what=told("words-count-known", n=1))
    table = console.home.parent / "out.csv"
    assert console("export", table).out.strip() == told("words-exported", path=str(table), n=1)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [("a.apkg", "nonsense", "error-words-package"), ("none.csv", None, "error-import-missing"),
     ("a.csv", "a\0b", "error-words-text")],
)  # fmt: skip
def test_what_is_refused_is_one_sentence(console: Console, name: str, text: str | None, code: str) -> None:
    path = console.file(name, text) if text is not None else console.home.parent / name
    done = console("import", path)
    assert (done.status, done.out) == (1, "")
    assert done.errors.strip() == console.told(code, path=name, line=1)


def test_an_ending_that_is_none_of_ours_and_a_file_that_is_there(console: Console) -> None:
    formats = ".apkg, .csv, .md, .txt"
    out = console.home.parent / "out.pdf"
    done = console("export", out)
    assert (done.status, done.errors.strip()) == (1, console.told("error-words-format", formats=formats))
    there = console.file("there.txt", "mine")
    done = console("export", there)
    assert done.errors.strip() == console.told("error-export-there", path="there.txt")
    assert there.read_text("utf-8") == "mine"


def test_beside_a_running_chat_both_work_through_it(forks: Forks, tmp_path: Path) -> None:
    console = Console(forks, "en", tmp_path / "home")
    path = console.file("list.csv", LIST)
    with tempfile.TemporaryFile() as errors:
        heard, typing = os.pipe()
        shown, showing = os.pipe()
        chat = forks.start(["en", "chat", "--home", str(console.home)], heard, showing, errors.fileno())
        for one in (heard, showing):
            os.close(one)
        try:
            os.write(typing, b"remember tea is green\n")
            assert b"tea is green" in os.read(shown, 65536)
            assert console("import", path).status == 2
            os.write(typing, b"/vocab show mine\n")
            assert "我的" in os.read(shown, 65536).decode()
            out = tmp_path / "out.txt"
            assert console("export", out).status == 0
            assert out.read_text("utf-8").split() == ["paradigm", "zzq", "mine"]
        finally:
            os.close(typing)
            assert forks.wait(chat) == 0
            os.close(shown)
