"""Backups by night, made by `niannian run` where a passphrase is set, and how long they are kept.

A night's backup is due from three o'clock of the person's day on. One that was missed, because the machine slept or the
folder was not there, is made as soon as it can be. Nothing older goes before the new one is written, opened again and found
whole: a damaged home never takes the place of a good backup.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.stoppable import in_thread
from store import backup
from store.age import LOG_N
from store.errors import Damaged, KeyMissing, Rejected, Unavailable, Untrusted
from store.ports import Clock, Entropy
from sync import keys

log = logging.getLogger(__name__)

PASSPHRASE_CHARACTERS_MIN = 8
HOUR = 3
LOOK_EVERY_S = 600.0
TRY_AGAIN = timedelta(hours=1)
DAYS, WEEKS, MONTHS = 7, 4, 6
"""How many are kept: of the last days, weeks and months that have one, the newest."""
FORMER_DAYS = MONTHS * 31
"""How long those of a former device stay."""
_NAME = re.compile(r"niannian-([0-9a-f]{8})-(\d{4}-\d\d-\d\d)\.age")


def night_of(now: datetime) -> date:
    """The day whose backup is due at a local time."""
    return now.date() if now.hour >= HOUR else now.date() - timedelta(days=1)


def name_of(fingerprint: str, night: date) -> str:
    """`fingerprint`: the device's, so that several homes may keep theirs in one folder."""
    return f"niannian-{fingerprint}-{night.isoformat()}.age"


def kept(nights: Collection[date]) -> set[date]:
    """Which of `nights` are kept: always the newest, and no more than `DAYS + WEEKS + MONTHS`."""
    newest_first = sorted(nights, reverse=True)
    return {
        *newest_first[:DAYS],
        *_newest_of_each(newest_first, lambda night: night.isocalendar()[:2], WEEKS),
        *_newest_of_each(newest_first, lambda night: (night.year, night.month), MONTHS),
    }


def _newest_of_each(newest_first: Iterable[date], span: Callable[[date], tuple[int, int]], most: int) -> list[date]:
    newest: dict[tuple[int, int], date] = {}
    for night in newest_first:
        newest.setdefault(span(night), night)
    return list(newest.values())[:most]


def folder_of(home: Path, given: str | None) -> Path:
    return home / Path(given).expanduser() if given else home / backup.FOLDER / "nightly"


def nights_in(folder: Path, fingerprint: str) -> dict[date, Path]:
    """The backups of this device there, by their night; what was not named here is none."""
    return {night: path for whose, night, path in _named(folder) if whose == fingerprint}


def _named(folder: Path) -> list[tuple[str, date, Path]]:
    """(fingerprint, night, file) of every nightly backup there."""
    found: list[tuple[str, date, Path]] = []
    for path in sorted(folder.glob("*.age")) if folder.is_dir() else ():
        named = _NAME.fullmatch(path.name)
        if named and path.is_file() and not path.is_symlink():
            try:
                found.append((named[1], date.fromisoformat(named[2]), path))
            except ValueError:
                continue  # the 31st of February is no night of ours
    return found


def newest(home: Path, given: str | None) -> Path | None:
    """The newest backup of this home that is known of: in the folder there may be others' too."""
    said = backup.read_note(home).path
    ours = _fingerprints(home)
    files = [path for whose, _, path in _named(folder_of(home, given)) if whose in ours]
    files += [Path(said)] if said and Path(said).is_file() else []
    return max(files, key=lambda path: path.stat().st_mtime, default=None)


def _fingerprints(home: Path) -> set[str]:
    """Of the device that this home is, and of those that it was."""
    found = set()
    for path in home.glob(f"{keys.FILE}*"):
        with suppress(KeyMissing, OSError):
            found.add(keys.load(home, path.relative_to(home)).device_id.hex()[:8])
    return found


class Keeping:
    """Looks now and then whether a backup is due. `settings`: what goes into it of the settings file; `noted`: is told
    of each night, with the reason why there is none."""

    def __init__(
        self,
        home: Path,
        folder: Path,
        passphrase: str,
        *,
        fingerprint: str,
        zone: str,
        settings: Callable[[], bytes | None],
        clock: Clock,
        entropy: Entropy,
        noted: Callable[[date, str], Awaitable[None]] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        log_n: int = LOG_N,
    ) -> None:
        self.folder = folder
        self._home = home
        self._passphrase = passphrase
        self._fingerprint = fingerprint
        self._zone = ZoneInfo(zone)
        self._settings = settings
        self._clock = clock
        self._entropy = entropy
        self._noted = noted
        self._sleep = sleep
        self._log_n = log_n
        self._failed_at: datetime | None = None

    async def go_on(self) -> None:
        """Until it is cancelled; a backup that is being made then is given up."""
        while True:
            await self.once()
            await self._sleep(LOOK_EVERY_S)

    async def once(self) -> Path | None:
        """The backup that was due and was made."""
        now = self._clock.now()
        night = night_of(now.astimezone(self._zone))
        there = await asyncio.to_thread(nights_in, self.folder, self._fingerprint)
        tried_lately = self._failed_at is not None and timedelta(0) <= now - self._failed_at < TRY_AGAIN
        if night in there or tried_lately:
            return None
        try:
            path = await in_thread(lambda stopped: self._make(night, now, stopped))
        except (Rejected, Unavailable, Damaged, Untrusted) as error:
            self._failed_at = now
            log.warning("could not make the nightly backup", extra={"reason": error.code})
            await asyncio.to_thread(self._note_failure, now, error.code)
            await self._tell(night, error.code)
            return None
        self._failed_at = None
        await self._tell(night, "")
        await asyncio.to_thread(self._rotate, night)
        return path

    async def _tell(self, night: date, reason: str) -> None:
        """The file is what counts; that nobody could be told is no reason to make another."""
        if self._noted is not None:
            try:
                await self._noted(night, reason)
            except (Unavailable, Damaged) as error:
                log.warning("could not note a nightly backup", extra={"reason": error.code})

    def _make(self, night: date, now: datetime, stopped: Callable[[], bool]) -> Path:
        try:
            if self.folder.is_relative_to(self._home):
                (self._home / backup.FOLDER).mkdir(mode=0o700, exist_ok=True)
            if self.folder.parent.is_dir():  # a folder is never made where a disk is not plugged in
                self.folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise Rejected("error-backup-place", path=str(self.folder)) from error
        path = self.folder / name_of(self._fingerprint, night)
        backup.make(
            self._home, path, self._passphrase,
            settings=self._settings(), now=now, entropy=self._entropy, stopped=stopped, log_n=self._log_n, open_here=True,
            clear=self._clear_drafts,
        )  # fmt: skip
        return path

    def _clear_drafts(self) -> None:
        """What a backup that was killed had written so far. Nobody makes one of this home now."""
        for draft in self.folder.glob(f".niannian-{self._fingerprint}-*.age.part"):
            with suppress(OSError):
                draft.unlink()

    def _rotate(self, made: date) -> None:
        """Nights behind the one just made are of a clock that was wrong: they count for nothing, and are left alone."""
        nights = {night: path for night, path in nights_in(self.folder, self._fingerprint).items() if night <= made}
        old = [nights[night] for night in nights.keys() - kept(nights)]
        if self.folder.is_relative_to(self._home):  # what the devices have made there that this home was
            others = [(night, path) for whose, night, path in _named(self.folder) if whose != self._fingerprint]
            old += [path for night, path in others if (made - night).days > FORMER_DAYS]
        for path in old:
            try:
                path.unlink()
            except OSError as error:
                log.warning("could not remove an old backup", extra={"reason": error.strerror})

    def _note_failure(self, now: datetime, code: str) -> None:
        note = replace(backup.read_note(self._home), failed_at=now.strftime("%Y-%m-%dT%H:%M:%SZ"), failed=code)
        try:
            backup.keep_note(self._home, note)
        except OSError as error:
            log.warning("could not note that a backup failed", extra={"reason": error.strerror})
