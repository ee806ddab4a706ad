"""`niannian doctor`: the store's findings as lines for a person or as JSON for a program."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from bot.words import Words
from store import backup, doctor
from store.clock import SystemClock, SystemEntropy
from store.errors import HomeInUse, HomeRefused, KeyMissing
from store.examine import Finding, Level
from store.ports import Clock
from store.surroundings import system_mounts
from sync import keys

Live = Callable[[doctor.Report], Awaitable[list[Finding]]]

BACKUP_DAYS = 7
"""A last backup that is so old is pointed out."""
_FAILED = {
    "error-disk-full": "doctor-backup-failed-full",
    "error-database-corrupt": "doctor-backup-failed-damaged",
    "error-backup-place": "doctor-backup-failed-place",
}
STATUS_SOUND = 0
STATUS_TO_MEND = 1


async def run(
    home: Path,
    told: Words,
    *,
    rebuild: bool,
    as_json: bool,
    live: Live | None = None,
    out: BinaryIO | None = None,
    mounts: str | None = None,
    clock: Clock | None = None,
) -> int:
    """Writes what was found to `out` (standard output) and gives the exit status. `live` asks the chat platforms too.

    Raises HomeInUse (only `rebuild` needs the home for itself) and HomeRefused when there is no home.
    """
    out = out or sys.stdout.buffer
    mounts = system_mounts() if mounts is None else mounts
    try:
        findings = await _findings(home, mounts, live, clock or SystemClock(), rebuild=rebuild)
    except (HomeInUse, HomeRefused) as error:
        if as_json:
            _write(out, _as_json([Finding(Level.BROKEN, error.code, dict(error.facts))], told))
        raise
    _write(out, _as_json(findings, told) if as_json else "".join(f"{_line(one, told)}\n" for one in findings))
    sound = all(finding.level is Level.OK for finding in findings)
    return STATUS_SOUND if sound else STATUS_TO_MEND


async def _findings(home: Path, mounts: str, live: Live | None, clock: Clock, *, rebuild: bool) -> list[Finding]:
    missing: list[Finding] = []
    device_id: bytes | None = None
    try:
        device_id = keys.load(home).device_id
    except KeyMissing as error:
        missing = [Finding(Level.BROKEN, error.code, dict(error.facts))]
    except OSError:
        missing = [Finding(Level.BROKEN, "error-key-file-damaged", {"path": str(home / keys.FILE)})]
    if rebuild:
        report = await doctor.rebuild(home, device_id=device_id, clock=clock, entropy=SystemEntropy(), mounts=mounts)
    else:
        report = await doctor.examine(home, device_id=device_id, mounts=mounts)
    whole = []
    if report.intact:
        code = "doctor-rebuilt" if rebuild else "doctor-intact"
        whole = [Finding(Level.OK, code, {"n": report.entries})]
    asked = await live(report) if live is not None else []
    if device_id is not None:
        whole.insert(0, Finding(Level.OK, "doctor-fingerprint", {"fingerprint": device_id.hex()[:8]}))
    return [*report.findings, *missing, *asked, *_backups(home, clock.now()), *whole]


def _backups(home: Path, now: datetime) -> list[Finding]:
    """How old the last backup is; without one, how long this device has been here."""
    note, found = backup.read_note(home), []
    if note.failed:
        facts: dict[str, str | int] = {"day": note.failed_at.partition("T")[0]}
        if note.failed not in _FAILED:
            facts["reason"] = note.failed
        found.append(Finding(Level.CHECK, _FAILED.get(note.failed, "doctor-backup-failed"), facts))
    try:
        since = datetime.fromisoformat(note.made_at) if note.made_at else _first_day(home)
        days = max(0, (now - since).days)
    except (ValueError, TypeError, OSError):  # a note that is no moment of ours
        return found
    if days >= BACKUP_DAYS:
        how_old = "doctor-backup-old" if note.made_at else "doctor-backup-never"
        found.append(Finding(Level.CHECK, how_old, {"days": days}))
    elif note.made_at:
        found.append(Finding(Level.OK, "doctor-backup" if days else "doctor-backup-today", {"days": days}))
    return found


def _first_day(home: Path) -> datetime:
    return datetime.fromtimestamp((home / keys.FILE).stat().st_mtime, UTC)


def _line(finding: Finding, told: Words) -> str:
    return told("doctor-line", level=told(f"doctor-{finding.level.value}"), text=_text(finding, told))


def _text(finding: Finding, told: Words) -> str:
    """One line, whatever a path holds."""
    return " ".join(told(finding.code, **finding.facts).split())


def _as_json(findings: list[Finding], told: Words) -> str:
    body = {
        "ok": all(finding.level is Level.OK for finding in findings),
        "findings": [
            {"level": f.level.value, "code": f.code, "facts": f.facts, "text": _text(f, told)} for f in findings
        ],
    }
    return json.dumps(body, ensure_ascii=False) + "\n"


def _write(out: BinaryIO, text: str) -> None:
    out.write(text.encode("utf-8", "replace"))
    out.flush()
