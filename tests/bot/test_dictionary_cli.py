"""`niannian dictionary` as typed: what it says in both languages, what it refuses, and what stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.dictionary_cli import KEPT
from bot.words import LANGUAGES, words
from store import dictionary_file
from store.dictionary import DATABASE, Dictionary
from tests.faults.forks import Ended, Forks
from tests.store import tiny_dictionary


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

    def __call__(self, *typed: str | Path, lines: tuple[str, ...] = ()) -> Ended:
        return self.forks.run([self.lang, "dictionary", *map(str, typed), "--home", str(self.home)], lines)

    def told(self, code: str, **facts: str | int) -> str:
        return words(self.lang)(code, **facts)

    def file(self, name: str, text: str | bytes) -> Path:
        path = self.home.parent / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def tiny(self) -> Path:
        path = self.home.parent / "tiny.db"
        dictionary_file.build(path, tiny_dictionary.WORDS, source="tiny", notice=tiny_dictionary.NOTICE)
        return path

    def words(self) -> list[str]:
        with Dictionary.read(self.home / DATABASE) as found:
            return [one.word for one in found.all()]


@pytest.fixture(params=LANGUAGES)
def console(forks: Forks, request: pytest.FixtureRequest, tmp_path: Path) -> Console:
    return Console(forks, request.param, tmp_path / "home")


def test_none_then_one_then_none_again(console: Console) -> None:
    told = console.told
    none = console()
    assert (none.status, none.out.strip()) == (0, told("dictionary-none"))
    assert not console.home.exists()  # a look makes no home

    added = console("add", console.tiny())
    assert (added.status, added.errors) == (0, "")
    assert added.out.splitlines()[0] == told("dictionary-added")
    assert "30" in added.out and told("exam-cet6") in added.out

    shown = console()
    assert shown.out.splitlines()[0] == added.out.splitlines()[1]
    assert shown.out.rstrip().endswith(tiny_dictionary.NOTICE)

    assert console("remove").out.strip() == told("dictionary-removed")
    again = console("remove")
    assert (again.status, again.out.strip()) == (1, told("dictionary-none"))
    assert list(console.home.iterdir()) == []


def test_a_list_of_ones_own_with_a_bad_line(console: Console) -> None:
    done = console("add", console.file("mine.csv", "word,meaning\nparadigm,范式\n,空\nset,放\n"))
    assert done.status == 2
    what = console.told("trouble-no-word")
    assert console.told("import-trouble", path="mine.csv", line=3, what=what) in done.out
    assert console.words() == ["paradigm", "set"]
    assert console().out.rstrip().endswith(console.told("dictionary-no-notice"))


def test_what_it_replaces_is_named_and_comes_back(console: Console) -> None:
    told = console.told
    console("add", console.tiny())
    other = "word,meaning\n" + "".join(f"w{n:x}q,词\n" for n in range(20))
    done = console("add", console.file("mine.csv", other))
    kept = console.home / KEPT
    assert done.status == 0
    assert told("dictionary-replaced", n=30, source="tiny", path=str(kept)) in done.out
    back = console("add", kept)
    assert told("dictionary-replaced", n=20, source="mine.csv", path=str(kept)) in back.out
    assert len(console.words()) == 30


def test_a_much_smaller_one_is_asked_about_first(console: Console) -> None:
    told, few = console.told, console.file("mine.csv", "word,meaning\nparadigm,范式\n,空\nset,放\n")
    console("add", console.tiny())
    for lines in ((), (told("button-replace-not"),)):
        done = console("add", few, lines=lines)
        assert done.status == 1
        assert told("dictionary-smaller", n=2, old=30) in done.out
        assert told("import-trouble", path="mine.csv", line=3, what=told("trouble-no-word")) in done.out
        assert done.out.rstrip().endswith(told("dictionary-left"))
        assert len(console.words()) == 30
    done = console("add", few, lines=(told("button-replace"),))
    assert (done.status, console.words()) == (2, ["paradigm", "set"])
    console("add", console.home / KEPT)
    done = console("add", few, "--yes")
    assert told("dictionary-smaller", n=2, old=30) not in done.out
    assert (done.status, console.words()) == (2, ["paradigm", "set"])


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.zip", b"PK\x03\x04" + bytes(50), "error-dictionary-packed"),
        ("a.db", b"SQLite format 3\0" + bytes(50), "error-database-corrupt"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\xff\xff\xfe", "error-dictionary-text"),
        ("a.txt", b"123\n456\n", "error-dictionary-empty"),
        ("a.txt", b"", "error-dictionary-empty"),
    ],
)
def test_what_is_refused_leaves_the_old_one(console: Console, name: str, data: bytes, code: str) -> None:
    assert console("add", console.tiny()).status == 0
    before = (console.home / DATABASE).read_bytes()
    path = console.file(name, data)
    done = console("add", path)
    (line,) = done.errors.splitlines()
    shown = str(path) if code == "error-database-corrupt" else name
    assert line == console.told(code, path=shown, line=0)
    assert (done.status, done.out) == (1, "")
    assert (console.home / DATABASE).read_bytes() == before
    assert [one.name for one in console.home.iterdir()] == [DATABASE]


def test_a_broken_dictionary_is_named_and_can_be_replaced(console: Console) -> None:
    assert console("add", console.tiny()).status == 0
    (console.home / DATABASE).write_bytes(b"SQLite format 3\0" + bytes(200))
    done = console()
    assert (done.status, done.out) == (1, "")
    assert DATABASE in done.errors and "Traceback" not in done.errors
    assert console("add", console.home.parent / "tiny.db").status == 0
    assert len(console.words()) == 30


def test_the_dictionary_of_a_home_may_be_added_to_itself(console: Console) -> None:
    assert console("add", console.tiny()).status == 0
    before = (console.home / DATABASE).read_bytes()
    assert console("add", console.home / DATABASE).status == 0
    assert (console.home / DATABASE).read_bytes() == before
