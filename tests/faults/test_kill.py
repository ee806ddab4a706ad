"""kill -9 at every write boundary: nothing acknowledged is lost, nothing is there twice, an erasing is finished.

A failing point prints one line that does it again: `python -m tests.faults.child …` with the same lines on
standard input, or the seed of `killed_at_a_moment`.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.copies import copy_home
from tests.faults.forks import Forks
from tests.faults.raising import Failing
from tests.faults.stride import points
from tests.faults.talk import SAVED, Told, check_home, memory_files

LINES = (
    "remember the new door code word is heron",
    "remember tea is green",
    "no, tea is white",
    "todo water the plants",
    "/done water the plants",
    "about me: job = gardener",
    "remember this is about to go: zebrafinch",
    "/forget zebrafinch",
    "Forget",
    "/new",
    "remember a last thing",
)
SECRET = b"zebrafinch"
PAST_UNDO_MINUTES = 11
RECEIPT = re.compile(r"^(?:Saved|Corrected|Added) · ([DT]-[\w-]+).*\n“(.*)”", re.MULTILINE)


def promised(blocks: str) -> Told:
    """Every RefID in a receipt that came out before the end, with the line that got it."""
    return Told({label: next(line for line in LINES if words in line) for label, words in RECEIPT.findall(blocks)})


def holding(home: Path, words: bytes) -> list[str]:
    return [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file() and words in path.read_bytes()]


@pytest.fixture(scope="module")
def ready(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("ready") / "home"
    ended = forks.run([str(home)], ["remember the first of all"])
    assert ended.status == 0, ended
    return home


def total_of(forks: Forks, ready: Path, folder: Path, lines: Sequence[str], *options: str) -> int:
    """How many points there are."""
    home = folder / "count"
    copy_home(ready, home)
    ended = forks.run([str(home), *options], lines)
    assert ended.status == 0, ended
    return int(ended.errors.split()[-1])


def one_kill(forks: Forks, ready: Path | None, home: Path, at: int, how: Failing, only: str = "") -> None:
    if ready is not None:
        copy_home(ready, home)
    ended = forks.run([str(home), "--at", str(at), "--how", how, "--only", only], LINES)
    assert ended.status == -signal.SIGKILL, ended
    told = promised(ended.out)
    again = forks.run([str(home)], ["remember after the kill"])
    assert again.status == 0 and "Saved" in again.out, again
    for label in SAVED.findall(again.out):
        assert label not in told.saved, f"{label} was given again"
        told.saved[label] = "remember after the kill"
    check_home(home, told)


def sweep(forks: Forks, ready: Path | None, folder: Path, points: Sequence[int], how: Failing, only: str = "") -> int:
    for at in points:
        home = folder / f"{how}-{at}"
        try:
            one_kill(forks, ready, home, at, how, only)
        except BaseException as broken:
            broken.add_note(
                f"again: printf '%s\\n' {LINES!r} | python -m tests.faults.child HOME --at {at} --how {how} --only '{only}'"
            )
            raise
        shutil.rmtree(home)
    return len(points)


def spread(total: int, wanted: int) -> list[int]:
    return sorted({1 + index * (total - 1) // max(1, wanted - 1) for index in range(wanted)})


@pytest.mark.parametrize("how", [Failing.KILL_AFTER])
def test_killed_at_some_commits(forks: Forks, ready: Path, tmp_path: Path, how: Failing) -> None:
    total = total_of(forks, ready, tmp_path, LINES, "--only", "COMMIT")
    assert sweep(forks, ready, tmp_path, spread(total, 3), how, "COMMIT") == 3


@pytest.mark.slow
@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
def test_killed_at_every_commit(forks: Forks, ready: Path, tmp_path: Path, how: Failing) -> None:
    total = total_of(forks, ready, tmp_path, LINES, "--only", "COMMIT")
    assert sweep(forks, ready, tmp_path, range(1, total + 1), how, "COMMIT") == total


@pytest.mark.slow
def test_killed_at_statements_all_over_the_conversation(forks: Forks, ready: Path, tmp_path: Path) -> None:
    total = total_of(forks, ready, tmp_path, LINES)
    assert sweep(forks, ready, tmp_path, spread(total, 100), Failing.KILL_BEFORE) == 100


@pytest.mark.slow
def test_killed_at_every_statement_of_the_first_start(forks: Forks, tmp_path: Path) -> None:
    """A home that is only half made is finished by the next start."""
    home = tmp_path / "count"
    ended = forks.run([str(home)])
    assert ended.status == 0, ended
    total = int(ended.errors.split()[-1])
    for how in (Failing.KILL_BEFORE, Failing.KILL_AFTER):
        assert sweep(forks, None, tmp_path, points(total, how, 2), how) >= total // 2


def test_killed_in_the_first_start(forks: Forks, tmp_path: Path) -> None:
    sweep(forks, None, tmp_path, [40, 100], Failing.KILL_AFTER)


# erasing


@pytest.fixture(scope="module")
def forgotten(forks: Forks, ready: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which one entry is hidden and waits for its erasing."""
    home = tmp_path_factory.mktemp("forgotten") / "home"
    copy_home(ready, home)
    ended = forks.run([str(home)], LINES[:9])
    assert ended.status == 0 and "Forgotten" in ended.out, ended
    assert holding(home, SECRET) != []
    return home


def one_erasing(forks: Forks, forgotten: Path, home: Path, at: int, how: Failing, only: str = "") -> None:
    copy_home(forgotten, home)
    later = [str(home), "--ahead", str(PAST_UNDO_MINUTES)]
    ended = forks.run([*later, "--at", str(at), "--how", how, "--only", only])
    assert ended.status == -signal.SIGKILL, ended
    ended = forks.run(later, ["/why D-2024-05-27-04"])
    assert ended.status == 0, ended
    assert holding(home, SECRET) == [], f"killed {how} {at} {only}"
    assert "tea is white" in ended.out, ended
    check_home(home, Told())
    shutil.rmtree(home)


@pytest.mark.parametrize("how", [Failing.KILL_AFTER])
def test_an_erasing_killed_at_its_turning_points_is_finished(
    forks: Forks, forgotten: Path, tmp_path: Path, how: Failing
) -> None:
    for only in ("COMMIT", "VACUUM", "PRAGMA wal_checkpoint"):
        one_erasing(forks, forgotten, tmp_path / only.split()[0], 1, how, only)


@pytest.mark.slow
@pytest.mark.parametrize("how", [Failing.KILL_BEFORE, Failing.KILL_AFTER])
def test_an_erasing_killed_at_every_statement_is_finished(
    forks: Forks, forgotten: Path, tmp_path: Path, how: Failing
) -> None:
    total = total_of(forks, forgotten, tmp_path, [], "--ahead", str(PAST_UNDO_MINUTES))
    for at in points(total, how, 3):
        one_erasing(forks, forgotten, tmp_path / f"{at}", at, how)


# the real program, killed from outside


def killed_at_a_moment(forks: Forks, home: Path, seed: int) -> Told:
    """The program in a pipe, killed some microseconds after some acknowledged block. Gives what was promised."""
    dice = random.Random(seed)
    blocks, delay_s = dice.randrange(0, 7), dice.random() ** 3 * 0.02
    their_in, our_in = os.pipe()
    our_out, their_out = os.pipe()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    process = forks.start(["--bot", "--home", str(home)], their_in, their_out, nowhere)
    for descriptor in (their_in, their_out, nowhere):
        os.close(descriptor)
    said_by_words: dict[str, str] = {}
    out = ""
    with closing(os.fdopen(our_in, "wb", buffering=0)) as source, closing(os.fdopen(our_out, "rb")) as shown:
        for number in range(blocks):
            for said in (f"remember thing {seed} number {number}", f"todo job {seed} number {number}"):
                source.write(said.encode() + b"\n")
                said_by_words[said.partition(" ")[2]] = said
                while not out.endswith("]\n") or said.partition(" ")[2] not in out:
                    line = shown.readline().decode()
                    assert line, "the program ended by itself"
                    out += line
        for words in ("the one in flight", "one more in flight"):
            source.write(f"remember {words}\n".encode())
            said_by_words[words] = f"remember {words}"
        _spin(delay_s)
        forks.kill(process)
        assert forks.wait(process) == -signal.SIGKILL
        out += shown.read().decode()
    told = Told()
    for label, words in RECEIPT.findall(out):
        told.saved[label] = said_by_words[words]
    assert len(told.saved) >= blocks * 2
    return told


def _spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def one_moment(forks: Forks, ready: Path, home: Path, seed: int) -> None:
    copy_home(ready, home)
    told = killed_at_a_moment(forks, home, seed)
    ended = forks.run([str(home)], [f"/why {label}" for label in told.saved])
    assert ended.status == 0, ended
    for label in told.saved:
        assert label in ended.out
    check_home(home, told)
    assert len(memory_files(home)) == 1
    shutil.rmtree(home)


def moments(forks: Forks, ready: Path, folder: Path, seeds: Sequence[int]) -> None:
    for seed in seeds:
        try:
            one_moment(forks, ready, folder / str(seed), seed)
        except BaseException as broken:
            broken.add_note(f"again: one_moment(forks, ready, home, {seed})")
            raise


def test_the_program_killed_at_some_moments(forks: Forks, ready: Path, tmp_path: Path) -> None:
    moments(forks, ready, tmp_path, range(2))


@pytest.mark.slow
def test_the_program_killed_at_a_hundred_moments(forks: Forks, ready: Path, tmp_path: Path) -> None:
    moments(forks, ready, tmp_path, range(100, 200))
