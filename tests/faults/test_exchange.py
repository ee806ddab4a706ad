"""kill -9 at every step of an import, of taking it back, and of an export: all of it or nothing, and no half file."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bot.app import OWNER
from store import tree
from store.grants import PrivateClaim, grant
from tests.fakes import FakeClock
from tests.faults.copies import copy_home
from tests.faults.forks import Forks
from tests.faults.talk import running
from tests.faults.test_kill import spread

WORDS = [f"the heron of lake {number}" for number in range(8)]
CAR = "the car is on B2"


@pytest.fixture(scope="module")
def children() -> Iterator[Forks]:
    server = Forks("tests.faults.exchange_child")
    yield server
    server.close()


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ready")
    asyncio.run(said(folder / "home", f"remember {CAR}"))
    notes = folder / "notes" / "memory"
    notes.mkdir(parents=True)
    (notes / "2024-05-01.md").write_text("".join(f"- Fact: {word}\n\n" for word in WORDS))
    (folder / "notes" / "TASKS.md").write_text("| State | Task |\n|---|---|\n| doing | count the herons |\n")
    return folder


async def said(home: Path, *texts: str) -> str:
    async with running(home, FakeClock(), start=sum("".join(texts).encode())) as (_, session):
        return "\n".join([reply.text for text in texts for reply in await session.say(text)])


def place(ready: Path, folder: Path) -> tuple[Path, Path]:
    folder.mkdir(parents=True)
    copy_home(ready / "home", folder / "home")
    return folder / "home", ready / "notes"


def counts(children: Forks, what: str, home: Path, path: Path) -> tuple[int, int]:
    ended = children.run([what, str(home), str(path)])
    assert ended.status == 0, ended
    statements, steps = ended.errors.split()[-2:]
    return int(statements), int(steps)


def shown(home: Path) -> list[str]:
    """Which of the imported words are there."""
    return asyncio.run(_shown(home))


async def _shown(home: Path) -> list[str]:
    async with running(home, FakeClock(), start=1) as (app, _):
        memory = await app.home.memory(grant(PrivateClaim(OWNER), app.home.device))
        entries = await memory.read(lambda view: view.entries("hidden = 0", limit=-1))
        tasks = await memory.read(lambda view: view.tasks(done=False))
    texts = [entry.draft.text for entry in reversed(entries)]
    assert CAR in texts, "what was there before is there after"
    return [text for text in texts if text != CAR] + [task.title for task in tasks]


def sweep_import(children: Forks, ready: Path, folder: Path, what: str, points: Sequence[int]) -> list[bool]:
    done = []
    for at in points:
        home, notes = place(ready, folder / str(at))
        if what == "undo":
            counts(children, "import", home, notes)
        ended = children.run([what, str(home), str(notes), "--at", str(at)])
        assert ended.status == -signal.SIGKILL, (at, ended)
        found = shown(home)
        assert found in ([], [*WORDS, "count the herons"]), f"{what} --at {at}: {found}"
        done.append(bool(found))
        counts(children, what, home, notes)  # the same call again, with its key, ends it
        assert bool(shown(home)) is (what == "import")
    return done


def total(children: Forks, ready: Path, folder: Path, what: str) -> int:
    home, notes = place(ready, folder / "whole")
    if what == "undo":
        counts(children, "import", home, notes)
    statements, _ = counts(children, what, home, notes)
    return statements


@pytest.mark.parametrize("what", ["import", "undo"])
def test_killed_at_some_statements_of_an_import(children: Forks, ready: Path, tmp_path: Path, what: str) -> None:
    points = spread(total(children, ready, tmp_path, what), 3)
    became = sweep_import(children, ready, tmp_path, what, points)
    assert became == sorted(became, reverse=what == "undo")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["import", "undo"])
def test_killed_at_every_few_statements_of_an_import(children: Forks, ready: Path, tmp_path: Path, what: str) -> None:
    points = spread(total(children, ready, tmp_path, what), 30)
    sweep_import(children, ready, tmp_path, what, points)


def sweep_export(children: Forks, ready: Path, folder: Path, points: Sequence[int], *, again: bool) -> None:
    """`again`: onto a tree that is there and whose memory has moved on."""
    for at in points:
        home, _ = place(ready, folder / str(at))
        out = folder / str(at) / "there" / "tree"
        out.parent.mkdir()
        before: dict[str, str] = {}
        if again:
            counts(children, "export", home, out)
            before = files_of(out)
            asyncio.run(said(home, "remember the boat is at pier 4", "todo: paint the boat"))
        ended = children.run(["export", str(home), str(out), "--files", str(at)])
        assert ended.status == -signal.SIGKILL, (at, ended)
        if not again:
            assert not out.exists() or is_whole(files_of(out)), f"--files {at}"
        elif out.exists():
            assert all(text.endswith("-->\n") and tree.WRITTEN in text for text in files_of(out).values()), (
                f"--files {at}"
            )
            assert before.keys() <= files_of(out).keys()
        counts(children, "export", home, out)
        assert is_whole(files_of(out)) and (not again or "pier 4" in files_of(out)["MEMORY.md"])
        assert [path.name for path in out.parent.iterdir()] == ["tree"], "nothing half-made is left"
        assert not [path for path in out.iterdir() if path.name.startswith(".")]


def files_of(out: Path) -> dict[str, str]:
    return {
        path.relative_to(out).as_posix(): path.read_text() for path in out.rglob("*.md") if ".niannian" not in str(path)
    }


def is_whole(files: dict[str, str]) -> bool:
    return {"MEMORY.md", "USER.md", "TASKS.md"} <= files.keys() and CAR in files["MEMORY.md"]


@pytest.mark.parametrize("again", [False, True], ids=["fresh", "again"])
def test_killed_at_some_steps_of_an_export(children: Forks, ready: Path, tmp_path: Path, again: bool) -> None:
    sweep_export(
        children,
        ready,
        tmp_path / "at",
        spread(steps_of_export(children, ready, tmp_path, again=again), 4),
        again=again,
    )


@pytest.mark.slow
@pytest.mark.parametrize("again", [False, True], ids=["fresh", "again"])
def test_killed_at_every_step_of_an_export(children: Forks, ready: Path, tmp_path: Path, again: bool) -> None:
    count = steps_of_export(children, ready, tmp_path, again=again)
    sweep_export(children, ready, tmp_path / "at", range(1, count + 1), again=again)


def steps_of_export(children: Forks, ready: Path, folder: Path, *, again: bool) -> int:
    home, _ = place(ready, folder / "whole")
    out = folder / "whole" / "there" / "tree"
    out.parent.mkdir()
    _, steps = counts(children, "export", home, out)
    if again:
        asyncio.run(said(home, "remember the boat is at pier 4", "todo: paint the boat"))
        _, steps = counts(children, "export", home, out)
    assert steps > 5
    return steps
