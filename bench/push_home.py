"""A home of many people, each with a memory of their own and the morning digest on; made once, through the product."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import world
from load_home import Place
from report import Progress

from bot.app import App
from bot.habits import change
from bot.phrases.fields import draft_of
from store.grants import grant
from store.model import Origin, Role, Source
from store.writer import Writer
from sync import identity

AT = "08:00"
ASKERS = 20
"""Others, who have no digest and ask beside it."""
ENTRIES, TASKS = 5, 2
FIRST_PERSON = 100_001
ZONE = "Bench/Here"


def places(people: int) -> list[Place]:
    """Those with a digest first, then the others."""
    return [Place(number, FIRST_PERSON + number, FIRST_PERSON + number) for number in range(people + ASKERS)]


async def home_for(into: Path, people: int) -> Path:
    """A fresh copy of the home that is kept for the next run."""
    made = Path(tempfile.gettempdir()) / f"niannian-bench-homes-{_digest()}" / f"push-{people}"
    if not (made / "ready").exists():
        shutil.rmtree(made, ignore_errors=True)
        async with world.running(made / "home", erase=False) as app:
            progress = Progress(f"building {people} people", people + ASKERS)
            for place in places(people):
                await _fill(app, place, digest=place.number < people)
                progress.at(place.number)
            progress.done()
        (made / "ready").touch()
    home = into / "home"
    subprocess.run(["cp", "-r", "--reflink=auto", str(made / "home"), str(home)], check=True)
    (home / identity.HERE).unlink()
    identity.mark(home, identity.machine_id())  # this copy is the one that runs: it need not become a new device
    return home


def _digest() -> str:
    named = (Path(__file__), Path(__file__).parent.parent / "store" / "schema.py")
    return hashlib.sha256(b"".join(path.read_bytes() for path in named)).hexdigest()[:12]


async def _fill(app: App, place: Place, *, digest: bool) -> None:
    await app.home.let_in(place.account, f"Person {place.number}", Role.MEMBER)
    memory = await app.home.memory(grant(place.claim, app.home.device))
    await memory.turn(_writing(place, app.home.device_id[:8].hex(), digest=digest))


def _writing(place: Place, device: str, *, digest: bool) -> Callable[[Writer], None]:
    start = datetime.now(UTC) - timedelta(days=world.DAYS)

    def run(writer: Writer) -> None:
        for number, text in enumerate(world.texts("en", ENTRIES + TASKS, seed=1000 + place.number)):
            at_ms = int((start + timedelta(minutes=400 * number)).timestamp() * 1000)
            source = Source("telegram", str(place.chat), "")
            if number < TASKS:
                writer.add_task(text, at_ms=at_ms, zone=world.ZONE, author=place.account, source=source)
                continue
            writer.remember(
                draft_of(text),
                at_ms=at_ms,
                zone=world.ZONE,
                author=place.account,
                source=source,
                origin=Origin.IMPORTED,
                lang="en",
            )
        if digest:
            where = [f"telegram:{place.chat}", "", device]
            change(writer, place.account, digest_on=True, digest_at=AT, digest_place=where, digest_since="2020-01-01")

    return run


def make_zone(folder: Path, local: datetime, at: datetime) -> dict[str, str]:
    """A time zone in which the clock shows `local` at the instant `at`, and the environment that knows it.

    The memories stay as they are, whatever the time of day at which the bench is run, and the service's clock is the real one.
    """
    offset_s = int((local - at.astimezone(UTC).replace(tzinfo=None)).total_seconds())
    file = folder / "zones" / ZONE
    file.parent.mkdir(parents=True, exist_ok=True)
    head = b"TZif" + bytes(16) + struct.pack(">6l", 0, 0, 0, 0, 1, 4)
    file.write_bytes(head + struct.pack(">lbb", offset_s, 0, 0) + b"HRE\0")
    return {"PYTHONTZPATH": os.pathsep.join((str(folder / "zones"), "/usr/share/zoneinfo"))}
