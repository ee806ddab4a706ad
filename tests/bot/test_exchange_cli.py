"""`niannian import` and `export` as typed: what they say, ask and leave undone, and how they end."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.app import App
from bot.config import load
from bot.words import LANGUAGES, words
from tests.fakes import FakeClock, FakeEntropy
from tests.faults.forks import ENVIRONMENT, ROOT, WAIT_S, Ended, Forks
from tests.golden.screen import PtyProcess

WORKSPACE = "- tea is green\n- the port is 8080\n"
FILES_MAX = 20


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    server = Forks("tests.bot.console")
    yield server
    server.close()


@dataclass(frozen=True, slots=True)
class Console:
    """One home, and whoever types beside it."""

    forks: Forks
    lang: str
    home: Path

    @property
    def here(self) -> Path:
        return self.home.parent

    def __call__(self, *typed: str | Path, lines: Sequence[str] = (), home: str = "home") -> Ended:
        return self.forks.run([self.lang, *map(str, typed), "--home", str(self.here / home)], lines)

    def told(self, code: str, **facts: str | int) -> str:
        return words(self.lang)(code, **facts)

    def notes(self) -> Path:
        path = self.here / "notes"
        path.mkdir()
        (path / "MEMORY.md").write_text(WORKSPACE, encoding="utf-8")
        return path

    def read_in(self) -> None:
        assert self("import", self.notes()).status == 0

    def edited_tree(self) -> Path:
        """A tree that was exported, with one line of it changed by hand since."""
        self.read_in()
        tree = self.here / "tree"
        assert self("export", tree).status == 0
        for file in tree.rglob("*.md"):
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace("tea is green", "tea is white"), encoding="utf-8")
        return tree

    def holds(self, home: str = "home") -> list[str]:
        """The words that hold now."""
        found: list[str] = []
        for path in (self.here / home).glob("scopes/*/memory.db"):
            with closing(sqlite3.connect(path)) as conn:
                found += [row[0] for row in conn.execute("SELECT text FROM entries WHERE current = 1")]
        return sorted(found)


@pytest.fixture(params=LANGUAGES)
def console(forks: Forks, request: pytest.FixtureRequest, tmp_path: Path) -> Console:
    return Console(forks, request.param, tmp_path / "home")


@pytest.fixture(params=["en", pytest.param("zh", marks=pytest.mark.slow)])
def english_first(forks: Forks, request: pytest.FixtureRequest, tmp_path: Path) -> Console:
    return Console(forks, request.param, tmp_path / "home")


def one_line(done: Ended) -> str:
    """What a refusal says: one line for the person, nothing for a program behind a pipe."""
    assert done.out == "" and "Traceback" not in done.errors
    (line,) = done.errors.splitlines()
    return line


# in


def test_a_preview_writes_nothing_an_import_everything_once_and_undo_takes_it_back(console: Console) -> None:
    told, path = console.told, console.notes()
    seen = console("import", path, "--dry-run")
    preview = told("import-preview", path="notes", what=told("import-count-new", n=2))
    assert (seen.status, seen.errors) == (0, "")
    assert seen.out.splitlines() == [preview, told("import-nothing-written")]
    assert console.holds() == []
    done = console("import", path)
    first, hint = done.out.splitlines()
    assert (done.status, done.errors, hint) == (0, "", told("import-undo-hint"))
    assert first.startswith(told("import-done-new", n=2) + " · D-")
    assert console.holds() == ["tea is green", "the port is 8080"]
    again = console("import", path)
    nothing = told("import-nothing-new", path="notes", what=told("import-count-same", n=2))
    assert (again.status, again.out) == (0, nothing + "\n")
    assert len(console.holds()) == 2
    back = console("import", "--undo")
    assert (back.status, back.out, console.holds()) == (0, told("import-undone", n=2) + "\n", [])
    there_is_none = console("import", "--undo")
    assert (there_is_none.status, there_is_none.out) == (1, told("import-nothing-to-undo") + "\n")


def test_what_would_change_something_is_asked_about(console: Console) -> None:
    """In a pipe the next line answers; no answer is no."""
    told = console.told
    tree = console.edited_tree()
    for lines in ([told("button-import-not")], ["2"], [], ["what?"]):
        done = console("import", tree, lines=lines)
        assert (done.status, done.errors) == (0, "")
        assert told("import-count-changed", n=1) in done.out and "tea is white" in done.out
        assert told("button-import") in done.out
        assert done.out.splitlines()[-1] == told("import-nothing-done")
        assert console.holds() == ["tea is green", "the port is 8080"]
    done = console("import", tree, lines=["what?", told("button-import")])
    assert (done.status, done.errors, done.out.splitlines()[-1]) == (0, "", told("import-undo-hint"))
    assert console.holds() == ["tea is white", "the port is 8080"]


def test_yes_answers_and_undo_brings_back_what_was_corrected(english_first: Console) -> None:
    console = english_first
    done = console("import", console.edited_tree(), "--yes")
    assert (done.status, done.out.splitlines()[-1]) == (0, console.told("import-undo-hint"))
    assert console.holds() == ["tea is white", "the port is 8080"]
    assert console("import", "--undo").status == 0
    assert console.holds() == ["tea is green", "the port is 8080"]


def test_what_cannot_be_read_is_named_and_the_rest_is_taken(english_first: Console) -> None:
    console = english_first
    path = console.here / "rows.csv"
    path.write_text("text,day\na,0001-01-01\nb,2024-05-27\n", encoding="utf-8")
    wrong = console.told(
        "import-trouble", path="rows.csv", line=2, what=console.told("trouble-day", value="0001-01-01")
    )
    for arguments, status in ((["--dry-run"], 0), ([], 2), ([], 2)):
        done = console("import", path, *arguments)
        assert (done.status, done.errors) == (status, "")
        assert wrong in done.out.splitlines()
    assert console.holds() == ["b"]


# out


def test_every_format_goes_out_and_what_is_there_is_left_alone(english_first: Console) -> None:
    console = english_first
    told, out = console.told, console.here
    console.read_in()
    for kind, name in (("jsonl", "all.jsonl"), ("csv", "all.csv"), ("hermes", "agent"), ("tree", "tree")):
        done = console("export", out / name, *(("--format", "hermes") if kind == "hermes" else ()))
        assert (done.status, done.errors) == (0, "")
        code, path = f"export-done-{kind}", str(out / name)
        assert done.out[:-1] in [told(code, n=2, path=path, files=files) for files in range(FILES_MAX)]
    assert (out / "all.jsonl").read_text(encoding="utf-8").count('"value":{"at":') == 2
    assert (out / "all.csv").read_bytes().startswith(b"\xef\xbb\xbfRefID,")
    assert "tea is green" in (out / "agent" / "memories" / "MEMORY.md").read_text(encoding="utf-8")
    assert "tea is green" in (out / "tree" / "MEMORY.md").read_text(encoding="utf-8")
    there = console("export", out / "all.csv")
    assert (there.status, one_line(there)) == (1, told("error-export-there", path="all.csv"))
    assert console("export", out / "tree").status == 0


@pytest.mark.parametrize(
    "name", ["all.jsonl", *(pytest.param(name, marks=pytest.mark.slow) for name in ("all.csv", "tree"))]
)
def test_what_went_out_comes_into_another_home_once(english_first: Console, name: str) -> None:
    console = english_first
    console.read_in()
    assert console("export", console.here / name).status == 0
    done = console("import", console.here / name, home="other")
    assert (done.status, done.errors) == (0, "")
    assert done.out.startswith(console.told("import-done-new", n=2))
    assert console.holds("other") == console.holds()
    same = 3 if name == "all.jsonl" else 2  # with the language, which is set there already
    nothing = console.told("import-nothing-new", path=name, what=console.told("import-count-same", n=same))
    assert console("import", console.here / name, home="other").out == nothing + "\n"


# refusals


def test_a_refusal_is_one_line_and_nothing_is_written(english_first: Console) -> None:
    console, told = english_first, english_first.told
    here = console.here
    os.mkfifo(here / "pipe")
    (here / "broken.zip").write_bytes(b"PK\x03\x04 and no more")
    (here / "notes.txt").write_text("some words\n", encoding="utf-8")
    (here / "foreign").mkdir()
    (here / "foreign" / "MEMORY.md").write_text("not ours\n", encoding="utf-8")
    before = sorted(here.rglob("*"))
    nobody = told("error-no-such-group", name="nobody"), told("error-no-such-person", name="Nobody")
    for command, path, more, expected in (
        ("import", "nowhere", (), told("error-import-missing", path="nowhere")),
        ("import", "pipe", (), told("error-import-special", path="pipe")),
        ("import", "broken.zip", (), told("error-import-zip")),
        ("import", "notes.txt", ("--group", "nobody"), nobody[0]),
        ("import", "--undo", ("--as", "Nobody"), nobody[1]),
        ("export", "out", ("--group", "nobody"), nobody[0]),
        ("export", "out.csv", ("--as", "Nobody"), nobody[1]),
        ("export", "notes.txt", (), told("error-export-file", path="notes.txt")),
        ("export", "notes.txt/below.csv", (), told("error-export-nowhere", path=str(here / "notes.txt"))),
        ("export", "foreign", (), told("error-export-edited", n=1, path="foreign")),
    ):
        done = console(command, path if path.startswith("-") else here / path, *more)
        assert (done.status, one_line(done)) == (1, expected)
    assert [path for path in sorted(here.rglob("*")) if console.home not in (path, *path.parents)] == before
    assert len(list(console.home.glob("scopes/*"))) <= 1


def test_a_slip_of_the_pen_is_78_and_opens_no_home(english_first: Console) -> None:
    console = english_first
    formats = console.told("export-formats", formats="tree, jsonl, csv, hermes")
    for typed, expected in (
        (("import",), console.told("import-what")),
        (("import", console.here / "notes", "--undo"), console.told("import-what")),
        (("export", console.here / "out", "--format", "pdf"), formats),
        (("export", console.here / "out.csv", "--watch"), formats),
        (("export", console.home / "inside"), console.told("export-in-home")),
    ):
        done = console(*typed)
        assert (done.status, one_line(done)) == (78, expected)
    assert not console.home.exists()


def test_settings_that_cannot_be_used_are_78(english_first: Console) -> None:
    english_first.home.mkdir()
    (english_first.home / "niannian.toml").write_text("[person\n", encoding="utf-8")
    for typed in (("import", "notes"), ("export", "out")):
        done = english_first(*typed)
        assert done.status == 78
        assert "Traceback" not in done.errors and done.out == ""


@pytest.mark.slow
async def test_a_home_that_something_else_holds_is_75(console: Console) -> None:
    """`doctor` and the like hold it for a while and serve nobody; they are waited for some seconds."""
    path, home = console.notes(), console.home
    app = await App.start(home, load(home / "niannian.toml", {}), FakeClock(), FakeEntropy(), login="Lin")
    try:
        done = await asyncio.to_thread(console, "import", path)
        assert (done.status, done.out) == (75, "")
        assert len(done.errors.splitlines()) == 2 and "--home" in done.errors
    finally:
        await app.close()
    assert console.holds() == []
    assert console("import", path).status == 0


# beside others


def test_beside_a_running_chat_both_work_through_it(english_first: Console) -> None:
    console = english_first
    console.read_in()
    extra = console.here / "extra.csv"
    extra.write_text("text,day\nthe cellar key hangs behind the shed,2024-05-27\n", encoding="utf-8")
    with tempfile.TemporaryFile() as errors:
        heard, typing = os.pipe()
        shown, showing = os.pipe()
        arguments = [console.lang, "chat", "--home", str(console.home)]
        chat = console.forks.start(arguments, heard, showing, errors.fileno())
        for one in (heard, showing):
            os.close(one)
        try:
            os.write(typing, b"what is the port?\n")
            assert b"8080" in os.read(shown, 65536)
            done = console("import", extra)
            assert (done.status, done.errors) == (0, "")
            assert done.out.startswith(console.told("import-done-new", n=1) + " · D-2024-05-27-01")
            os.write(typing, b"where does the cellar key hang?\n")
            assert b"behind the shed" in os.read(shown, 65536)
            assert console("export", console.here / "all.csv").status == 0
            assert "behind the shed" in (console.here / "all.csv").read_text(encoding="utf-8")
            refused = console("import", console.here / "nowhere")
            assert (refused.status, one_line(refused)) == (1, console.told("error-import-missing", path="nowhere"))
            assert console("import", "--undo").out == console.told("import-undone", n=1) + "\n"
        finally:
            os.close(typing)
            assert console.forks.wait(chat) == 0
            os.close(shown)
    assert console.holds() == ["tea is green", "the port is 8080"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "is_done"),
    [("1", True), ("2", False), ("\x04", False), ("\x03", False)],
    ids=["1", "2", "end", "Ctrl-C"],
)
def test_at_a_terminal_the_question_waits_for_an_answer(console: Console, answer: str, is_done: bool) -> None:
    terminal = PtyProcess(
        ["import", str(console.edited_tree()), "--home", str(console.home)],
        folder=console.here,
        environment={"NIANNIAN_PERSON_LANG": console.lang},
    )
    try:
        asked = terminal.settle()[-1]
        assert [label for label, _ in asked.buttons] == [
            console.told("button-import"),
            console.told("button-import-not"),
        ]
        terminal.type(answer)
        assert terminal.status(wait_s=WAIT_S) == 0
    finally:
        terminal.close()
    assert ("tea is white" in console.holds()) == is_done


@pytest.mark.slow
def test_the_program_itself_says_the_same(console: Console) -> None:
    """Not a fork of an interpreter that has everything loaded."""
    console.read_in()
    done = subprocess.run(
        [sys.executable, "-m", "bot", "import", "--undo", "--home", str(console.home)],
        cwd=ROOT, env={**ENVIRONMENT, "NIANNIAN_PERSON_LANG": console.lang},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_S, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, console.told("import-undone", n=2) + "\n", "")
