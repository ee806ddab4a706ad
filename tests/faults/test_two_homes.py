"""Two real programs on two homes with a real folder between them, killed at random moments: nothing is lost or doubled."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

START_S_MAX = 30
ROUNDS = 50
CODE = re.compile(r"device join ([0-9A-Z-]+)")
SAVED = re.compile(r"Saved · (\S+) · private memory\n\s*“(the item \S+)”")
PAIRING_S_MAX = 60


class Installation:
    """One home and the program on it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.home = folder / name
        self.name = name
        self.said = folder / f"{name}.out"
        self.number = 0
        self.env = {**os.environ, "NIANNIAN_DEVICE_NAME": name, "NIANNIAN_PERSON_LANG": "en"}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "bot", *words, "--home", str(self.home)]

    def run(self, *words: str) -> str:
        done = subprocess.run(self.command(*words), env=self.env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def chat(self) -> subprocess.Popen[bytes]:
        with self.said.open("ab") as out:
            return subprocess.Popen(
                self.command("chat"), env=self.env, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL
            )

    def say(self, process: subprocess.Popen[bytes]) -> None:
        self.number += 1
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(f"remember the item {self.name}-{self.number}\n".encode())
            process.stdin.flush()

    def acknowledged(self) -> dict[str, str]:
        """What it said was stored: text → RefID."""
        return {text: label for label, text in SAVED.findall(self.said.read_text("utf-8"))}

    def entries(self) -> list[tuple[str, str]]:
        (scope,) = [path.name for path in (self.home.parent / "between" / "niannian").iterdir() if path.name.strip("0")]
        database = self.home / "scopes" / scope / "memory.db"
        connection = sqlite3.connect(database)
        try:
            rows: list[tuple[str, str]] = connection.execute("SELECT text, label FROM entries ORDER BY text").fetchall()
            return rows
        finally:
            connection.close()


def pair(inviter: Installation, newcomer: Installation, folder: Path) -> None:
    for one in (inviter, newcomer):
        one.run("folder", str(folder))
    said = inviter.home.parent / "pairing.out"
    with said.open("wb") as out:
        waiting = subprocess.Popen(inviter.command("device", "pair", "--yes"), env=inviter.env, stdout=out)
    try:
        found = None
        for _ in range(PAIRING_S_MAX * 10):
            found = CODE.search(said.read_text("utf-8"))
            if found:
                break
            time.sleep(0.1)
        assert found, "no code"
        newcomer.run("device", "join", found[1], "--yes")
        assert waiting.wait(PAIRING_S_MAX) == 0, said.read_text("utf-8")
    finally:
        waiting.kill()
        waiting.wait()


@pytest.mark.slow
def test_killed_at_random_two_homes_lose_and_double_nothing(tmp_path: Path) -> None:
    chance = Random(20240527)
    here, there = Installation(tmp_path, "here"), Installation(tmp_path, "there")
    pair(here, there, tmp_path / "between")
    for number in range(ROUNDS):
        running = [(one, one.chat()) for one in (here, there)]
        end = time.monotonic() + chance.uniform(1.0, 4.0)
        # Two of three rounds last until both have answered, however slow the machine starts them.
        silent = {one.name: one.said.stat().st_size for one, _ in running} if number % 3 else {}
        bound = end + START_S_MAX
        while time.monotonic() < (bound if silent else end):
            silent = {one.name: size for one, _ in running if (size := silent.get(one.name)) == one.said.stat().st_size}
            for one, process in running:
                one.say(process)
            time.sleep(0.05)
        chance.shuffle(running)
        for turn, (_, process) in enumerate(running):
            gently = turn and number % 2
            process.send_signal(signal.SIGTERM if gently else signal.SIGKILL)
            process.wait(30)
            if process.stdin is not None:
                process.stdin.close()
    for _ in range(3):
        for one in (here, there):
            one.run("sync", "--once")
    acknowledged = here.acknowledged() | there.acknowledged()
    assert len(acknowledged) > ROUNDS
    assert here.entries() == there.entries()
    found = Counter(text for text, _ in here.entries())
    assert not [text for text, count in found.items() if count > 1]
    labels = dict(here.entries())
    assert {text: labels.get(text) for text in acknowledged} == acknowledged
    assert len(set(labels.values())) == len(labels)
