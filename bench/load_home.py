"""A home for the load: people and groups that a chat platform brought, each with a full memory of its own.

Every entry ends with the mark of its scope, so that an answer from another scope gives itself away.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import world
from report import Progress

from bot.app import App
from bot.phrases.fields import draft_of
from store.grants import Claim, GroupClaim, PrivateClaim, grant
from store.memory import Memory
from store.model import AccountID, Origin, Role, Source
from store.writer import Writer
from sync import identity

FIRST_PERSON, FIRST_GROUP = 20_001, -40_001
GROUPS_PER_FIVE = 1


@dataclass(frozen=True, slots=True)
class Place:
    """One chat and its scope. `person`: who talks there; `chat`: negative for a group."""

    number: int
    person: int
    chat: int

    @property
    def mark(self) -> str:
        return mark_of(self.number)

    @property
    def account(self) -> AccountID:
        return AccountID(f"telegram:{self.person}")

    @property
    def claim(self) -> Claim:
        return GroupClaim(f"telegram:{self.chat}", self.account) if self.chat < 0 else PrivateClaim(self.account)


def mark_of(number: int) -> str:
    return f"zq{number:03d}"


def places(scopes: int) -> list[Place]:
    """Of each five chats one is a group."""
    return [
        Place(
            number,
            FIRST_PERSON + number,
            FIRST_GROUP - number if number % 5 < GROUPS_PER_FIVE else FIRST_PERSON + number,
        )
        for number in range(scopes)
    ]


async def home_for(into: Path, scopes: int, entries: int) -> Path:
    """A fresh copy of a home that is made once for this schema: filling it takes minutes."""
    made = Path(tempfile.gettempdir()) / f"niannian-bench-homes-{_schema_digest()}" / f"load-{scopes}-{entries}"
    if not (made / "ready").exists():
        shutil.rmtree(made, ignore_errors=True)
        async with world.running(made / "home") as app:
            progress = Progress(f"building {scopes} × {entries}", scopes)
            for place in places(scopes):
                await _fill(app, place, entries)
                progress.at(place.number)
            progress.done()
        (made / "ready").touch()
    home = into / "home"
    shutil.copytree(made / "home", home)
    (home / identity.HERE).unlink()
    identity.mark(home, identity.machine_id())  # this copy is the one that runs: it need not become a new device
    return home


def _schema_digest() -> str:
    named = (Path(__file__), Path(__file__).parent.parent / "store" / "schema.py")
    return hashlib.sha256(b"".join(path.read_bytes() for path in named)).hexdigest()[:12]


async def _fill(app: App, place: Place, entries: int) -> None:
    name = f"Person {place.number}"
    await app.home.let_in(place.account, name, Role.MEMBER)
    if place.chat < 0:
        await app.home.join_group(f"telegram:{place.chat}", f"Group {place.number}", place.account, name, Role.ADMIN)
    memory = await app.home.memory(grant(place.claim, app.home.device))
    lang = "zh" if place.number % 2 else "en"
    statements = [f"{text} {place.mark}" for text in world.texts(lang, entries, seed=1000 + place.number)]
    for offset in range(0, entries, world.ENTRIES_PER_TURN):
        await memory.turn(_writing(memory, place, statements[offset : offset + world.ENTRIES_PER_TURN], lang, offset))


def _writing(memory: Memory, place: Place, statements: list[str], lang: str, offset: int) -> Callable[[Writer], None]:
    start = datetime.now(UTC) - timedelta(days=world.DAYS)

    def run(writer: Writer) -> None:
        for number, text in enumerate(statements, offset):
            writer.remember(
                draft_of(text),
                at_ms=int((start + timedelta(minutes=400 * number)).timestamp() * 1000),
                zone=world.ZONE,
                author=place.account,
                source=Source("telegram", str(place.chat), ""),
                origin=Origin.IMPORTED,
                lang=lang,
            )

    return run
