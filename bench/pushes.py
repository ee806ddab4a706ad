"""5,000 people whose morning digest is due at one minute, 1 % of whom have blocked the bot, beside a few who ask.

Three processes: the emulated Bot API with the real limits, the service at its real pace (push_bot.py), and this one. The
service starts shortly before the minute and looks at every memory; the night's work is noted as done, as it would be at
that hour. The others ask all the time, `/status`, remember and find in turn; times are the emulator's.

    uv run python bench/pushes.py [--quick] [--people N]
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import queue
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from datetime import time as clock
from pathlib import Path
from typing import Any

import world
from load_home import Place
from push_home import home_for, make_zone, places
from report import Progress, Table, met, ms, p50, percentile
from telegram_load import ROOT, Control, child, disk

from bot.nights import MARK, TIDY
from store.grants import grant
from store.model import Slot, SlotState
from tests.emulators.telegram.server import TOKEN

JSON = dict[str, Any]
DUE = clock(8)
START_S = 0.1
"""So long a start may take for each of the people, on a machine that does other things."""
BLOCKED = 100
"""One in so many."""
ASKS_PER_S = 2.0
QUIET_S, MARGIN_S = 90.0, 20.0
LAST_S, APART = 200.0, 0.2


@dataclass(slots=True)
class Asked:
    chat: int
    kind: str
    message: int
    answered: float = 0.0


@dataclass(slots=True)
class Service:
    """What the process has told, and how large it was."""

    pid: int
    lines: queue.Queue[JSON] = field(default_factory=queue.Queue)
    ticks: list[JSON] = field(default_factory=list)
    files: int = 0
    wake: Any = None

    def heard(self, wait_s: float) -> JSON | None:
        try:
            line = self.lines.get(timeout=wait_s)
        except queue.Empty:
            return None
        if "tick" in line:
            self.ticks.append(line)
        return line

    def measure(self) -> None:
        self.files = max(self.files, len(os.listdir(f"/proc/{self.pid}/fd")))

    @property
    def peak_mb(self) -> float:
        return int(Path(f"/proc/{self.pid}/status").read_text().split("VmHWM:")[1].split()[0]) / 1024

    def until_quiet(self) -> float:
        """Until a tick says that nothing is due soon; seconds of all ticks until then."""
        while True:
            line = self.heard(600)
            assert line is not None, "the service has gone quiet"
            if "tick" in line and (line["next"] is None or line["next"] > time.time() + 5):
                return sum(tick["tick"] for tick in self.ticks)

    def tick(self) -> JSON:
        self.wake.write("tick\n")
        self.wake.flush()
        line = self.heard(600)
        assert line is not None and "tick" in line, line
        return line


@contextmanager
def service(home: Path, url: str, env: dict[str, str]) -> Iterator[Service]:
    process = subprocess.Popen(
        [sys.executable, "bench/push_bot.py", str(home), url], cwd=ROOT, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    running, told = Service(process.pid, wake=process.stdin), process.stdout

    def listen() -> None:
        for line in told:
            running.lines.put(json.loads(line))

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield running
    finally:
        process.stdin.close()
        try:
            process.wait(300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def night_was(home: Path, everybody: Sequence[Place]) -> None:
    """Of both days on which the minute may be."""
    async with world.running(home, erase=False) as app:
        days = [(datetime.now(UTC) + timedelta(days=number)).date().isoformat() for number in (0, 1)]
        scopes = [grant(place.claim, app.home.device).scope for place in everybody]
        rows = [(Slot(scope, TIDY, day), MARK) for scope in scopes for day in days]
        await app.home.slots.keep(rows, SlotState.SENT)


def meet(control: Control, port: int, everybody: Sequence[Place], blocked: Sequence[Place]) -> None:
    """Everybody has written to the bot, some have blocked it, and it has heard of the one but not of the other."""
    progress = Progress("making people known to the server", len(everybody))
    for place in everybody:
        control.play(
            {"do": "person", "number": place.person, "name": f"Person {place.number}", "lang": "en"},
            {"do": "writes", "person": place.person, "text": "/start"},
        )
        progress.at(place.number)
    progress.done()
    control.play(*({"do": "blocks", "person": place.person} for place in blocked), {"do": "limits", "real": True})
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    last = control.play({"do": "passages"})[0][-1]["update"]
    line.request("GET", f"/bot{TOKEN}/getUpdates?offset={last + 1}&timeout=0")
    line.getresponse().read()
    assert control.play({"do": "state"})[0]["pending"] == 0


class Askers:
    """One question after the other, each of another person, at a steady pace."""

    def __init__(self, control: Control, everybody: Sequence[Place]) -> None:
        self._control = control
        self._everybody = everybody
        self._talk = world.texts("en", 500, seed=7)
        self.asked: list[Asked] = []

    def ask(self) -> None:
        number = len(self.asked)
        place, text = self._everybody[number % len(self._everybody)], self._talk[number % len(self._talk)]
        kind = ("status", "remember", "find")[number % 3]
        words = {"status": "/status", "remember": f"/remember {text} {number}", "find": f"/find {text.split()[1]}"}[
            kind
        ]
        (message,) = self._control.play({"do": "writes", "person": place.person, "text": words})
        self.asked.append(Asked(place.chat, kind, message))


def ask_until(askers: Askers, running: Service, over: float | None, done: Any = lambda: False) -> None:
    """Steadily, until the clock shows `over` or `done` says so, which is asked every few seconds."""
    begin, number = time.time(), 0
    while over is None or time.time() < over:
        askers.ask()
        number += 1
        running.measure()
        if number % int(5 * ASKS_PER_S) == 0 and done():
            return
        while running.heard(0.0) is not None:
            pass
        time.sleep(max(0.0, begin + number / ASKS_PER_S - time.time()))


@dataclass(slots=True)
class Outcome:
    arrived: Counter[int]
    last_s: float
    refused: Counter[str]
    before: list[float]
    during: list[float]


def outcome(control: Control, askers: Askers, asking: set[int], due: float) -> Outcome:
    calls, passages = control.play({"do": "events"}, {"do": "passages"})
    made = {(one["chat"], one["message"]): one["made"] for one in passages}
    answers: dict[int, list[float]] = defaultdict(list)
    arrived: Counter[int] = Counter()
    refused: Counter[str] = Counter()
    last = due
    for call in calls:
        if call["method"] != "sendMessage":
            continue
        chat = int(call["params"]["chat_id"])
        if call["refused"]:
            refused[str(call["refused"])[:60]] += 1
        elif chat in asking:
            answers[chat].append(call["at"])
        else:
            arrived[chat] += 1
            last = max(last, call["at"])
    took: dict[bool, list[float]] = {True: [], False: []}
    for one in askers.asked:  # in private the answers come in the order of the questions
        asked_at, answered = made[one.chat, one.message], answers[one.chat].pop(0)
        took[asked_at >= due].append((answered - asked_at) * 1000)
    assert not any(answers.values()), "answers to nothing"
    return Outcome(arrived, last - due, refused, took[False], took[True])


def slots_of(home: Path) -> Counter[str]:
    with closing(sqlite3.connect(home / "device.db")) as conn:
        rows = conn.execute("SELECT state, reason, count(*) FROM slots WHERE kind = 'digest' GROUP BY state, reason")
        return Counter({f"{state} {reason}".strip(): count for state, reason, count in rows})


async def main(people: int) -> None:
    everybody = places(people)
    pushed, others = everybody[:people], everybody[people:]
    blocked = pushed[:: max(1, BLOCKED)]
    async with world.scratch() as folder:
        home = await home_for(folder, people)
        await night_was(home, pushed)
        before = disk(folder)
        with child("-m", "tests.emulators.telegram", "--port", "0") as (_, line):
            port = int(line)
            control, url = Control(port), f"http://127.0.0.1:{port}"
            meet(control, port, everybody, blocked)
            minute = datetime.now(UTC) + timedelta(seconds=people * START_S + QUIET_S + MARGIN_S)
            env = make_zone(folder, datetime.combine(minute.date(), DUE), minute)
            with service(home, url, env) as running:
                started = running.heard(900)
                assert started is not None and "opened" in started, started
                looked = running.until_quiet()
                quiet = [running.tick() for _ in range(3)]
                table = Table(f"a start with {people:,} people", "figure", "measured")
                table.row("to open the home", f"{started['opened']:.1f} s")
                table.row(f"to look at every memory, in {len(running.ticks) - 3} ticks", f"{looked:.1f} s")
                shown = " · ".join(f"{one['tick'] * 1000:.0f} ({one['cpu'] * 1000:.0f} of work)" for one in quiet)
                table.row("a tick, nothing due, ms", shown)
                table.show()
                due, askers = minute.timestamp(), Askers(control, others)
                assert time.time() < due - 10, "the start took longer than expected"
                print(f"  {due - time.time():.0f} s until the minute", flush=True)
                ask_until(askers, running, due)
                progress = Progress(f"{people} digests", people)

                def done() -> bool:
                    (state,) = control.play({"do": "state"})
                    progress.at(state["events"] - len(askers.asked))
                    sent = slots_of_running(home)
                    return sent >= people

                ask_until(askers, running, due + 900, done)
                progress.done()
                time.sleep(3.0)  # what would come twice comes now
                while running.heard(0.0) is not None:
                    pass
                found = outcome(control, askers, {place.chat for place in others}, due)
                peak, files, ticks = running.peak_mb, running.files, running.ticks
            complaints = control.play({"do": "state"})[0]["complaints"]
        show(people, found, {place.chat for place in blocked}, slots_of(home), peak, files)
        slow = sorted((tick["tick"] for tick in ticks), reverse=True)[:3]
        print(
            f"  {len(ticks)} ticks, the longest {', '.join(f'{one:.1f}' for one in slow)} s; complaints {complaints[:2]}"
        )
        after = disk(folder)
        print(
            f"  4 KiB flushed, p50 / p99: {before[0]:.2f} / {before[1]:.2f} ms before, {after[0]:.2f} / {after[1]:.2f} after"
        )


def slots_of_running(home: Path) -> int:
    """How many are done with, one way or the other."""
    with closing(sqlite3.connect(f"file:{home / 'device.db'}?mode=ro", uri=True)) as conn:
        where = "kind = 'digest' AND state IN ('sent', 'skipped', 'uncertain')"
        return int(conn.execute(f"SELECT count(*) FROM slots WHERE {where}").fetchone()[0])


def show(people: int, found: Outcome, blocked: set[int], slots: Counter[str], peak_mb: float, files: int) -> None:
    counts = Counter(found.arrived.values())
    wrong = sum(count for times, count in counts.items() if times != 1) + len(blocked & set(found.arrived))
    table = Table(
        f"{people:,} digests due at one minute, {len(blocked)} blocked", "figure", "measured", "target", "met"
    )
    reached = sum(counts.values())
    table.row("got exactly one · none · more", f"{counts[1]:,} · {people - reached} · {reached - counts[1]}",
              f"{people - len(blocked):,} · {len(blocked)} · 0", met(not wrong and reached == people - len(blocked)))  # fmt: skip
    table.row("slots", ", ".join(f"{name} {count:,}" for name, count in slots.items()), "", "")
    limit_s = LAST_S * people / 5000
    table.row(
        "from the minute to the last one", f"{found.last_s:.1f} s", f"≤ {limit_s:.0f} s", met(found.last_s <= limit_s)
    )
    for name, took in (("before", found.before), ("during", found.during)):
        table.row(
            f"others' answers {name} ({len(took)}), p50 · p99",
            f"{ms(p50(took))} · {ms(percentile(took, 0.99))}",
            "",
            "",
        )
    ratio = percentile(found.during, 0.99) / percentile(found.before, 0.99)
    table.row("their p99, during to before", f"× {ratio:.2f}", f"≤ {1 + APART}", met(ratio <= 1 + APART))
    table.row("RSS at most · open files at most", f"{peak_mb:.0f} MB · {files}", "", "")
    table.row("calls refused", ", ".join(f"{count} × {why}" for why, count in found.refused.items()) or "none", "", "")
    table.show()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="300 people, for a look")
    parser.add_argument("--people", type=int, default=5000)
    given = parser.parse_args()
    asyncio.run(main(300 if given.quick else given.people))
