"""The process ends when it is told to: with its input still open, in a pipe, on a terminal, and when a start fails."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from tests.faults.forks import ENVIRONMENT, ROOT, Forks
from tests.faults.talk import Told, check_home, memory_files

END_S = 10
PROMPT = "›".encode()
SIGNALS = [signal.SIGTERM, signal.SIGINT]


def until(descriptor: int, wanted: bytes, wait_s: float = 60) -> bytes:
    """Reads until `wanted` has come."""
    got = b""
    end = time.monotonic() + wait_s
    while wanted not in got:
        assert time.monotonic() < end, got
        if select.select([descriptor], [], [], 0.1)[0]:
            more = os.read(descriptor, 4096)
            assert more, got
            got += more
    return got


@contextmanager
def program(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        [sys.executable, "-m", "bot", "--home", str(home)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=ENVIRONMENT,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("name", SIGNALS)
def test_the_real_program_in_a_pipe_ends_while_its_input_is_open(tmp_path: Path, name: signal.Signals) -> None:
    with program(tmp_path / "home") as child:
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        child.stdin.write(b"remember tea is green\n")
        child.stdin.flush()
        assert b"Saved" in until(child.stdout.fileno(), b"[Undo]")
        child.send_signal(name)
        status = child.wait(END_S)
        errors = child.stderr.read()
        assert (status in (0, 1), errors) == (True, b"")
    check_home(tmp_path / "home", Told())
    assert not list(memory_files(tmp_path / "home")[0].parent.glob("*-wal")), "it was closed, not cut off"


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_in_the_middle_of_a_stream_of_writes_loses_nothing(
    forks: Forks, tmp_path: Path, name: signal.Signals
) -> None:
    home = tmp_path / "home"
    their_in, our_in = os.pipe()
    our_out, their_out = os.pipe()
    errors = os.open(tmp_path / "errors", os.O_WRONLY | os.O_CREAT)
    process = forks.start(["--bot", "--home", str(home)], their_in, their_out, errors)
    for descriptor in (their_in, their_out, errors):
        os.close(descriptor)
    os.write(our_in, b"".join(b"remember stream thing %d\n" % number for number in range(500)))
    got = until(our_out, b"stream thing 5")
    os.kill(process, name)
    status = forks.wait(process)
    while more := os.read(our_out, 65536):
        got += more
    os.close(our_in)
    os.close(our_out)
    assert status in (0, 1)
    assert (tmp_path / "errors").read_bytes() == b""
    told = Told()
    shown = got.decode().split("\n")
    for line, words in pairwise(shown):
        if line.startswith("Saved"):
            told.saved[line.split(" · ")[1]] = words
    assert len(told.saved) >= 5
    check_home(home, told)


def test_a_reader_that_went_away_ends_it_without_a_traceback(forks: Forks, tmp_path: Path) -> None:
    their_in, our_in = os.pipe()
    our_out, their_out = os.pipe()
    errors = os.open(tmp_path / "errors", os.O_WRONLY | os.O_CREAT)
    process = forks.start(["--bot", "--home", str(tmp_path / "home")], their_in, their_out, errors)
    for descriptor in (their_in, their_out, errors, our_out):
        os.close(descriptor)
    os.write(our_in, b"remember tea is green\n")
    assert forks.wait(process) == 1
    os.close(our_in)
    assert (tmp_path / "errors").read_bytes() == b""
    check_home(tmp_path / "home", Told())


def test_a_signal_while_nobody_reads_the_answers_still_ends_it(forks: Forks, tmp_path: Path) -> None:
    """The pipe for the answers is full: the program waits in the middle of writing one."""
    their_in, our_in = os.pipe()
    our_out, their_out = os.pipe()
    fcntl.fcntl(their_out, fcntl.F_SETPIPE_SZ, 4096)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    process = forks.start(["--bot", "--home", str(tmp_path / "home")], their_in, their_out, nowhere)
    for descriptor in (their_in, their_out, nowhere):
        os.close(descriptor)
    os.write(our_in, b"help\n" * 40)
    until_full(our_out)
    os.kill(process, signal.SIGTERM)
    started = time.monotonic()
    assert forks.wait(process) in (0, 1)
    assert time.monotonic() - started < END_S
    os.close(our_in)
    os.close(our_out)


def until_full(descriptor: int) -> None:
    held = -1
    end = time.monotonic() + 30
    while time.monotonic() < end:
        size = bytearray(4)
        fcntl.ioctl(descriptor, termios.FIONREAD, size)
        now = int.from_bytes(size, sys.byteorder)
        if now == held and now > 2000:
            return
        held = now
        select.select([], [], [], 0.2)
    raise AssertionError(held)


@pytest.mark.parametrize(
    "how", ["ctrl-c", *(pytest.param(how, marks=pytest.mark.slow) for how in ("ctrl-d", "SIGTERM"))]
)
def test_on_a_terminal_it_ends(forks: Forks, tmp_path: Path, how: str) -> None:
    home = tmp_path / "home"
    ours, theirs = pty.openpty()
    process = forks.start(["--bot", "--home", str(home)], theirs, theirs, theirs)
    os.close(theirs)
    until(ours, PROMPT)
    os.write(ours, b"remember tea is green\r")
    until(ours, b"Saved")
    until(ours, PROMPT)
    if how == "SIGTERM":
        os.kill(process, signal.SIGTERM)
    else:
        os.write(ours, b"\x03" if how == "ctrl-c" else b"\x04")
    started = time.monotonic()
    status = forks.wait(process)
    assert time.monotonic() - started < END_S
    assert status in (0, 1)
    os.close(ours)
    check_home(home, Told())


def test_a_start_that_fails_after_its_database_was_opened_ends(forks: Forks, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert forks.run([str(home)], ["remember tea is green"]).status == 0
    (path,) = memory_files(home)
    path.write_bytes(b"no database" * 1000)
    before = path.read_bytes()
    started = time.monotonic()
    ended = forks.run(["--bot", "--home", str(home)], ["what did we decide"])
    assert time.monotonic() - started < END_S
    assert ended.status == 1
    assert ended.errors.startswith("The database is damaged") and ended.errors.count("\n") == 1
    assert path.read_bytes() == before
