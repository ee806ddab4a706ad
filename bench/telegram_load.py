"""200 people and groups with a thousand entries each, 100 messages a second: what is lost, and how long it takes.

Three processes: the emulated Bot API, the service (with its own limits raised, see load_bot.py), and this one, which
writes for everybody at a steady pace: 60 % talk among people in groups, 20 % remember, 20 % find. Then the same again
with one group that alone gets 50 a second. Latencies are the emulator's: from a message written to its answer there.

    uv run python bench/telegram_load.py [--quick] [--seconds N]
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import world
from load_home import Place, home_for, mark_of, places
from report import Table, met, ms, p50, percentile

JSON = dict[str, Any]
ROOT = Path(__file__).parent.parent
PER_S, FLOOD_PER_S = 100, 50
TICK_S = 0.05
REMEMBER, FIND = 0.2, 0.2
BACKLOG_S_MAX = 300
TARGETS = {"ack": 50, "remember": 300, "find": 250}
RSS_MB_MAX, BACKLOG_S, RATIO_MAX = 400, 5, 1.5
MARK = re.compile(r"\bzq(\d{3})\b")


@dataclass(slots=True)
class Said:
    place: Place
    kind: str
    token: str
    message: int = 0
    made: float = 0.0
    answers: list[float] = field(default_factory=list)


class Control:
    def __init__(self, port: int) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def play(self, *steps: JSON) -> list[Any]:
        self._line.request("POST", "/control", json.dumps(steps), {"Content-Type": "application/json"})
        response = self._line.getresponse()
        body = json.loads(response.read())
        assert response.status == 200, body
        return list(body)


@contextmanager
def child(*command: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process and its first line; it ends with its input."""
    process = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.stdin.close()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def people_of(control: Control, everybody: Sequence[Place]) -> None:
    """Each person, a second one to talk to in each group, and the groups; the bot hears everything there."""
    control.play({"do": "privacy", "on": False})
    for place in everybody:
        control.play({"do": "person", "number": place.person, "name": f"Person {place.number}", "lang": "en"})
        if place.chat < 0:
            other = place.person + 10_000
            control.play(
                {"do": "person", "number": other, "name": f"Other {place.number}", "lang": "en"},
                {"do": "group", "title": f"Group {place.number}", "admin": place.person, "members": [other],
                 "number": place.chat},
            )  # fmt: skip


class Crowd:
    """What everybody says, drawn from a seed."""

    def __init__(self, everybody: Sequence[Place], seed: int) -> None:
        self._dice = random.Random(seed)
        self._all = list(everybody)
        self._groups = [place for place in everybody if place.chat < 0]
        self._talk = world.texts("en", 500, seed=seed)
        self._number = seed * 1_000_000

    def next(self, place: Place | None = None) -> tuple[Said, JSON]:
        self._number += 1
        drawn, token = self._dice.random(), f"T{self._number}"
        if drawn < REMEMBER:
            place = place or self._dice.choice(self._all)
            text = f"/remember the box {token} of {self._dice.choice(self._talk)} {place.mark}"
            said = Said(place, "remember", token)
        elif drawn < REMEMBER + FIND:
            place = place or self._dice.choice(self._all)
            text = f"/find {' '.join(self._dice.choice(self._talk).split()[:3])}"
            said = Said(place, "find", token)
        else:
            place = place or self._dice.choice(self._groups)
            text, said = self._dice.choice(self._talk), Said(place, "talk", token)
        step: JSON = {"do": "writes", "person": place.person, "text": text}
        return said, step | ({"to": place.chat} if place.chat < 0 else {})


def speak(control: Control, crowd: Crowd, seconds: float, flooded: Place | None) -> tuple[list[Said], float]:
    """Steadily; what is late is made up for. What was said, and by how much the speaker itself was late at worst."""
    said: list[Said] = []
    start, worst, due, flood_due = time.monotonic(), 0.0, 0.0, 0.0
    for tick in range(int(seconds / TICK_S)):
        begin = start + tick * TICK_S
        if (wait := begin - time.monotonic()) > 0:
            time.sleep(wait)
        worst = max(worst, time.monotonic() - begin)
        due += PER_S * TICK_S
        flood_due += FLOOD_PER_S * TICK_S if flooded is not None else 0
        batch = []
        while due >= 1:
            due -= 1
            batch.append(crowd.next())
        while flood_due >= 1:
            flood_due -= 1
            batch.append(crowd.next(flooded))
        numbers = control.play(*(step for _, step in batch))
        for (one, _), number in zip(batch, numbers, strict=True):
            one.message = number
            said.append(one)
    return said, worst


@dataclass(slots=True)
class Outcome:
    said: list[Said]
    acks: list[float]
    lost: int
    doubled: int
    strangers: int
    backlog_s: float
    rss_mb: float
    late_s: float

    def took(self, kind: str, *, without: Place | None = None) -> list[float]:
        return [
            (one.answers[0] - one.made) * 1000
            for one in self.said
            if one.kind == kind and one.answers and one.place is not without
        ]


def run(control: Control, bot: int, crowd: Crowd, seconds: float, flooded: Place | None) -> Outcome:
    (state,) = control.play({"do": "state"})
    events = state["events"]
    said, late_s = speak(control, crowd, seconds, flooded)
    wanted = sum(one.kind != "talk" for one in said)
    end = time.monotonic()
    while time.monotonic() - end < BACKLOG_S_MAX:
        (state,) = control.play({"do": "state"})
        if not state["pending"] and state["events"] - events >= wanted:
            break
        time.sleep(0.1)
    time.sleep(1.0)  # what would come twice comes now
    calls, passages = control.play({"do": "events", "since": events}, {"do": "passages"})
    assert not state["complaints"], state["complaints"][:3]
    return _outcome(said, calls, passages, late_s, _rss_mb(bot))


def _outcome(said: list[Said], calls: list[JSON], passages: list[JSON], late_s: float, rss_mb: float) -> Outcome:
    by_message = {(one.place.chat, one.message): one for one in said}
    acks = []
    for passage in passages:
        one = by_message.get((passage["chat"], passage["message"]))
        if one is not None:
            one.made = passage["made"]
            assert passage["acknowledged"], "not acknowledged"
            acks.append((passage["acknowledged"] - passage["fetched"]) * 1000)
    waiting: dict[int, list[Said]] = defaultdict(list)
    for one in said:
        if one.kind != "talk":
            waiting[one.place.chat].append(one)
    strangers = doubled = 0
    marks = {one.place.chat: one.place.mark for one in said}
    for call in calls:
        params = call["params"]
        if call["method"] != "sendMessage" or call["refused"]:
            continue
        chat, text = int(params["chat_id"]), str(params["text"])
        strangers += any(mark_of(int(found)) != marks.get(chat) for found in MARK.findall(text))
        if chat < 0:
            one = by_message.get((chat, int(params.get("reply_parameters", {}).get("message_id", 0))))
        else:  # in private the answers come in the order of the questions
            one = next((each for each in waiting[chat] if not each.answers), None)
        if one is None or one.answers or (one.kind == "remember") != (one.token in text):
            doubled += 1
            continue
        one.answers.append(call["at"])
    lost = sum(not one.answers for each in waiting.values() for one in each)
    answered = [one.answers[0] for each in waiting.values() for one in each if one.answers]
    backlog_s = max(answered, default=0.0) - max(one.made for one in said)
    return Outcome(said, acks, lost, doubled, strangers, max(0.0, backlog_s), rss_mb, late_s)


def _rss_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def kept(home: Path, said: Sequence[Said]) -> tuple[int, int, int]:
    """Of what was to be remembered: not in its scope, there twice, in another scope. The home is closed."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(home / "device.db")) as conn:
        rows = conn.execute("SELECT chat, scope FROM chats UNION SELECT account, scope FROM accounts").fetchall()
    scopes = {scope: int(name.partition(":")[2]) for name, scope in rows if name.startswith("telegram:")}
    found: Counter[tuple[int, str]] = Counter()
    for path in home.glob("scopes/*/memory.db"):
        with closing(sqlite3.connect(path)) as conn:
            for (text,) in conn.execute("SELECT text FROM entries WHERE text LIKE 'the box T%'"):
                found[scopes.get(path.parent.name, 0), text.split()[2]] += 1
    wanted = {(one.place.chat, one.token) for one in said if one.kind == "remember"}
    return (
        sum(found[key] == 0 for key in wanted),
        sum(count > 1 for count in found.values()),
        sum(key not in wanted for key in found),
    )


def disk(folder: Path) -> tuple[float, float]:
    """Milliseconds for 4 KiB to be on it, p50 and p99."""
    took = []
    with (folder / "flushed").open("wb", buffering=0) as file:
        for _ in range(200):
            start = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            took.append((time.perf_counter() - start) * 1000)
    return p50(took), percentile(took, 0.99)


def show(title: str, outcome: Outcome, flooded: Place | None) -> None:
    table = Table(title, "figure", "p50", "p99", "target", "met")
    rows = (
        ("inbox acknowledged", "ack", outcome.acks),
        *((k, k, outcome.took(k, without=flooded)) for k in ("remember", "find")),
    )
    for name, key, took in rows:
        worst = percentile(took, 0.99)
        table.row(
            f"{name} ({len(took):,})", ms(p50(took)), ms(worst), f"≤ {TARGETS[key]} ms", met(worst <= TARGETS[key])
        )
    table.row(
        "backlog empty after", "", f"{outcome.backlog_s:.1f} s", f"≤ {BACKLOG_S} s", met(outcome.backlog_s <= BACKLOG_S)
    )
    table.row(
        "RSS of the service", "", f"{outcome.rss_mb:.0f} MB", f"≤ {RSS_MB_MAX} MB", met(outcome.rss_mb <= RSS_MB_MAX)
    )
    for name, count in (
        ("lost", outcome.lost),
        ("doubled or mixed up", outcome.doubled),
        ("from another scope", outcome.strangers),
    ):
        table.row(f"answers {name}", "", str(count), "0", met(count == 0))
    table.show()
    print(f"  {len(outcome.said):,} messages; the speaker itself was late by {outcome.late_s * 1000:.0f} ms at worst")


async def main(scopes: int, entries: int, seconds: float) -> None:
    everybody = places(scopes)
    async with world.scratch() as folder:
        home = await home_for(folder, scopes, entries)
        before = disk(folder)
        with child("-m", "tests.emulators.telegram", "--port", "0") as (_, port):
            control = Control(int(port))
            people_of(control, everybody)
            with child("bench/load_bot.py", str(home), f"http://127.0.0.1:{port}") as (bot, line):
                assert line == "listening", line
                while control.play({"do": "state"})[0]["pending"]:
                    time.sleep(0.2)
                time.sleep(1.0)
                flooded = next(place for place in everybody if place.chat < 0)
                first = run(
                    control, bot.pid, Crowd(everybody, 9), min(5.0, seconds), None
                )  # whatever is built at first use
                plain = run(control, bot.pid, Crowd(everybody, 1), seconds, None)
                show(f"{scopes} scopes × {entries:,} entries, {PER_S}/s for {seconds:.0f} s", plain, None)
                beside = run(control, bot.pid, Crowd(everybody, 2), seconds, flooded)
                show(f"the same beside one group at {FLOOD_PER_S}/s (all others)", beside, flooded)
        ratios = [
            percentile(beside.took(kind, without=flooded), 0.99) / percentile(plain.took(kind), 0.99)
            for kind in ("remember", "find")
        ]
        shown = " · ".join(f"{ratio:.2f}" for ratio in ratios)
        print(
            f"  others' p99 beside it: × {shown} (remember · find), target ≤ {RATIO_MAX}: {met(max(ratios) <= RATIO_MAX)}"
        )
        missing, twice, astray = kept(home, [*first.said, *plain.said, *beside.said])
        print(f"  entries in the home: {missing} missing, {twice} twice, {astray} astray")
        after = disk(folder)
        print(
            f"  4 KiB flushed to this disk, p50 / p99: {before[0]:.2f} / {before[1]:.2f} ms before, {after[0]:.2f} / {after[1]:.2f} ms after"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="20 scopes × 100 entries for 10 s, for a look")
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    asyncio.run(main(20, 100, 10.0) if given.quick else main(200, 1000, given.seconds))
