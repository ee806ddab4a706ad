"""The whole home looked over, and its projections made anew on demand.

`examine` writes nothing, takes no lock and may run beside a niannian that is using the home. `rebuild`
takes the lock, opens only what was found whole, and examines again: what it gives is the state afterwards.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from store import device as device_file
from store import memory as memory_file
from store import surroundings
from store.db import Database
from store.device import Device
from store.errors import HomeRefused, NiannianError
from store.examine import Alias, Finding, Level, examine_device, examine_memory
from store.grants import UpkeepClaim, grant
from store.home import Home, HomeLock, check_home
from store.model import ScopeID
from store.opening import lost_wal, open_marker
from store.ports import Clock, Entropy
from store.schema import MEMORY_MIGRATIONS
from store.sql import DEFAULT_FACTORY

_SETTINGS = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1, "trusted_schema": 0}
_COPY = re.compile(r".+-before-\d+\.db")
_REFUSED = {"doctor-network", "error-key-missing"}
"""Where a start is refused, nothing is rebuilt either."""


@dataclass(frozen=True, slots=True)
class Report:
    findings: list[Finding]
    mendable: frozenset[ScopeID] = frozenset()
    """Scopes that may be opened and rebuilt; none when the home itself may not be."""
    entries: int = 0
    intact: bool = True
    """Every database is whole and a rebuild would change nothing."""
    groups: tuple[tuple[str, str], ...] = ()
    """The switched-on groups, (chat, title)."""
    last_event_ms: int | None = None
    """When a chat platform last brought anything."""

    @property
    def sound(self) -> bool:
        return all(finding.level is Level.OK for finding in self.findings)


async def examine(home: Path, *, device_id: bytes | None, mounts: str) -> Report:
    """`device_id`: what the keys say, None when they cannot be read. Raises HomeRefused when there is no home."""
    _check_there(home)
    findings = [_holder(home), await _sqlite(), *_surroundings(home, mounts)]
    device = await asyncio.to_thread(examine_device, home / device_file.DATABASE)
    parts = [device]
    if device.device and device_id is not None and device.device != device_id.hex():
        findings.append(
            Finding(Level.BROKEN, "error-key-missing", {"fingerprint": device.device[:8], "found": device_id.hex()[:8]})
        )
    aliases = device.aliases or ()
    if device.aliases is not None:
        findings += _unmatched(home, aliases)
    made = {alias.scope for alias in aliases if alias.made}
    mendable = set()
    for folder in _folders(home):
        path = folder / memory_file.DATABASE
        if path.exists() and (folder.name in made or path.stat().st_size):
            examined = await asyncio.to_thread(examine_memory, path, folder.name)
            parts.append(examined)
            if examined.mendable and folder.name in made:
                mendable.add(ScopeID(folder.name))
    refused = device_id is None or not device.mendable or any(finding.code in _REFUSED for finding in findings)
    intact = not any(part.findings for part in parts)
    entries = sum(part.entries for part in parts)
    findings += [finding for part in parts for finding in (*part.findings, *part.notes)]
    mendable_now = frozenset() if refused else frozenset(mendable)
    return Report(findings, mendable_now, entries, intact, device.groups, device.last_event_ms)


async def rebuild(home: Path, *, device_id: bytes | None, clock: Clock, entropy: Entropy, mounts: str) -> Report:
    """Makes every projection of every whole scope anew, then examines. Raises HomeInUse, HomeRefused, ReadOnly."""
    _check_there(home)
    lock = await HomeLock.acquire(home)
    try:
        before = await examine(home, device_id=device_id, mounts=mounts)
        failed = []
        if device_id is not None and before.mendable:
            failed = await _rebuild(home, lock, before.mendable, device_id=device_id, clock=clock, entropy=entropy)
    finally:
        lock.release()
    after = await examine(home, device_id=device_id, mounts=mounts)
    return replace(after, findings=[*after.findings, *failed], intact=after.intact and not failed)


async def _rebuild(
    home: Path, lock: HomeLock, scopes: Iterable[ScopeID], *, device_id: bytes, clock: Clock, entropy: Entropy
) -> list[Finding]:
    """What could not be done, as findings; the next scope is tried all the same."""
    failed = []
    _clear_marker(home / device_file.DATABASE)
    device = await Device.open(home, device_id=device_id, entropy=entropy, factory=DEFAULT_FACTORY)
    opened = Home(
        home, lock, device, device_id=device_id, clock=clock, entropy=entropy, factory=DEFAULT_FACTORY, seed={}
    )  # fmt: skip
    try:
        for scope in sorted(scopes):
            _clear_marker(home / "scopes" / scope / memory_file.DATABASE)
            try:
                memory = await opened.memory(grant(UpkeepClaim(scope), device))
                await memory.rebuild()
            except NiannianError as error:
                failed.append(Finding(Level.BROKEN, error.code, dict(error.facts)))
    finally:
        await opened.close()
    return failed


def _clear_marker(path: Path) -> None:
    """The file has been looked at: it is whole as it is, without the write-ahead log that was taken away."""
    if lost_wal(path):
        open_marker(path).unlink(missing_ok=True)


def _check_there(home: Path) -> None:
    if home.exists() and not home.is_dir():
        raise HomeRefused("error-home-no-folder", path=str(home))
    check_home(home)
    if not (home / device_file.DATABASE).exists():
        raise HomeRefused("doctor-no-home", path=str(home))


def _holder(home: Path) -> Finding:
    """Who holds the lock, by its text and by whether that process is alive. The lock itself is not touched."""
    try:
        pid, _, host = (home / "lock").read_text("utf-8", "replace")[:400].strip().partition(" ")
    except OSError:
        pid, host = "", ""
    if not pid.isdecimal() or int(pid) == os.getpid() or (host == socket.gethostname() and not _alive(int(pid))):
        return Finding(Level.OK, "doctor-lock-free")
    return Finding(Level.OK, "doctor-lock-held", {"pid": pid, "host": host})


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


async def _sqlite() -> Finding:
    """Our own tables and settings tried in a folder of their own: does this machine's SQLite take them?"""
    wrong = []
    with TemporaryDirectory() as folder:
        try:
            database = await Database.open(Path(folder) / "try.db", MEMORY_MIGRATIONS, backups=Path(folder))
            try:
                wrong = await database.read(_wrong_settings)
            finally:
                await database.close()
        except (NiannianError, OSError) as error:
            wrong = [error.code if isinstance(error, NiannianError) else "OSError"]
    if wrong:
        facts: dict[str, str | int] = {"scope": f"SQLite {sqlite3.sqlite_version}", "found": ", ".join(wrong)}
        return Finding(Level.BROKEN, "doctor-settings", facts)
    return Finding(Level.OK, "doctor-sqlite", {"version": sqlite3.sqlite_version})


def _wrong_settings(conn: sqlite3.Connection) -> list[str]:
    return [name for name, right in _SETTINGS.items() if conn.execute(f"PRAGMA {name}").fetchone()[0] != right]


def _surroundings(home: Path, mounts: str) -> list[Finding]:
    findings = []
    if network := surroundings.network_kind(home.resolve(), mounts):
        findings.append(Finding(Level.BROKEN, "doctor-network", {"kind": network}))
    if kind := surroundings.synchronised_by(home):
        findings.append(Finding(Level.CHECK, "doctor-sync-folder", {"kind": kind}))
    if copies := surroundings.conflict_copies(home):
        findings.append(Finding(Level.CHECK, "doctor-conflicts", {"n": len(copies), "path": str(copies[0])}))
    for path, mode in _private_paths(home):
        if path.stat().st_mode & 0o077:
            findings.append(Finding(Level.CHECK, "doctor-modes", {"path": str(path), "mode": f"{mode:o}"}))
    left = sorted(path for path in (home / "backups").glob("*.db") if _COPY.fullmatch(path.name))
    return findings + [Finding(Level.CHECK, "doctor-copies", {"path": str(path)}) for path in left]


def _private_paths(home: Path) -> Iterable[tuple[Path, int]]:
    """What nobody else may read, and the mode that says so."""
    yield home, 0o700
    keys = home / "keys"
    if keys.is_dir():
        yield keys, 0o700
        with suppress(PermissionError):
            yield from ((path, 0o700 if path.is_dir() else 0o600) for path in sorted(keys.rglob("*")))


def _folders(home: Path) -> list[Path]:
    scopes = home / "scopes"
    return sorted(path for path in scopes.iterdir() if path.is_dir()) if scopes.is_dir() else []


def _unmatched(home: Path, aliases: Iterable[Alias]) -> list[Finding]:
    """Aliases without a folder and folders without an alias."""
    there = {folder.name for folder in _folders(home)}
    used = {alias.scope for alias in aliases if alias.reachable}
    gone = [
        alias.scope
        for alias in aliases
        if alias.made and not (home / "scopes" / alias.scope / memory_file.DATABASE).exists()
    ]
    return [
        *(Finding(Level.BROKEN, "doctor-folder-missing", {"scope": scope}) for scope in gone),
        *(Finding(Level.CHECK, "doctor-folder-unknown", {"scope": scope}) for scope in sorted(there - used)),
    ]
