"""A home with something in it, and ways to spoil it behind the program's back."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from store.doctor import Report, examine, rebuild
from store.examine import Finding
from store.grants import GroupClaim, PrivateClaim, grant
from store.home import Home
from store.model import AccountID, Origin, Role, ScopeID, Source
from store.writer import Writer
from sync import keys
from tests.fakes import FakeClock, FakeEntropy
from tests.store.memories import remember

OWNER = AccountID("terminal:owner")
GROUP = "terminal:group/Team"
WORDS = ("the zanzibar code is 4711", "把鹦鹉寄养在老周家", "launch on Friday")
"""What people said; none of it may stand in a finding."""
NO_MOUNTS = "/dev/sda1 / ext4 rw 0 0\n"


class Place:
    """One home in a folder; closed unless a test opens it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.entropy = FakeEntropy(str(path))
        self.scope = ScopeID("")
        self.group = ScopeID("")

    @classmethod
    async def filled(cls, path: Path) -> Place:
        place = cls(path)
        path.mkdir(mode=0o700)
        keys.make(path, place.entropy)
        home = await place.open()
        await home.let_in(OWNER, "Lin", Role.OWNER)
        await home.join_group(GROUP, "Team", OWNER, "Lin", Role.ADMIN)
        private = await home.memory(grant(PrivateClaim(OWNER), home.device))
        group = await home.memory(grant(GroupClaim(GROUP, OWNER), home.device))
        await private.turn(_talk)
        await group.turn(lambda writer: remember(writer, WORDS[2]))
        place.scope, place.group = private.scope, group.scope
        await home.close()
        return place

    async def open(self) -> Home:
        return await Home.open(
            self.path,
            load_device_id=lambda path: keys.load(path).device_id,
            clock=self.clock,
            entropy=self.entropy,
            mounts=lambda: NO_MOUNTS,
        )

    @property
    def device_db(self) -> Path:
        return self.path / "device.db"

    @property
    def memory_db(self) -> Path:
        return self.path / "scopes" / self.scope / "memory.db"

    def spoil(self, path: Path, *statements: str) -> None:
        """Raw SQL with every guard off; the file ends up closed, without a log."""
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            for statement in ("PRAGMA foreign_keys = OFF", "PRAGMA ignore_check_constraints = ON", *statements):
                conn.execute(statement)

    def loosen(self, path: Path, table: str) -> None:
        """Takes NOT NULL out of a table's definition."""
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            conn.execute("PRAGMA writable_schema = ON")
            conn.execute(
                "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table' AND name = ?",
                (table,),
            )

    async def examine(self, *, mounts: str = NO_MOUNTS) -> Report:
        """Examines, and holds that no byte, no name and no time of writing has changed by it."""
        before = tree(self.path)
        report = await examine(self.path, device_id=keys.load(self.path).device_id, mounts=mounts)
        assert tree(self.path) == before
        assert not any(words in str(report.findings) for words in (*WORDS, "zanzibar", "鹦鹉", "Friday", "Lin", "Team"))
        return report

    async def rebuild(self, *, mounts: str = NO_MOUNTS) -> Report:
        device_id = keys.load(self.path).device_id
        return await rebuild(self.path, device_id=device_id, clock=self.clock, entropy=self.entropy, mounts=mounts)


def _talk(writer: Writer) -> None:
    first = remember(writer, WORDS[0], tags=("code",))
    remember(writer, WORDS[1])
    source = Source("terminal", str(OWNER), "")
    writer.add_task("water the plants", at_ms=writer.now_ms, zone="UTC", author=OWNER, source=source)
    assert first.origin is Origin.SAID
    writer.keep_turn(
        chat=OWNER, account=OWNER, at_ms=writer.now_ms, zone="UTC", kind="talk", text="a walk by the canal", reply="ok"
    )


def tree(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Every path with the hash of its bytes, its mode and its time of writing."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        status = path.stat()
        found[str(path)] = kind, status.st_mode, status.st_mtime_ns
    return found


def told(report: Report) -> dict[str, Finding]:
    """What is not well, by code (one of each is enough for these tests)."""
    return {finding.code: finding for finding in report.findings if finding.level != "ok"}
