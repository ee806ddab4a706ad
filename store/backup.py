"""A backup: one file, sealed under a passphrase, with a consistent copy of every database of a home.

It is made beside a running niannian, from this process or another. The copies stand in `backups/making` while they are packed, and nowhere afterwards; a backup that was cut off leaves
them to the next backup or start, which removes them. `device.db` is copied first, so that every memory it knows is there.

What is under `keys/` never goes in, nor does a token: whoever finds the file and the passphrase can read, not speak for us.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from store import device, memory, packing
from store.age import LOG_N, Opener, Sealer
from store.copies import Stoppable, copy_database, file_part, installation_of, part_of, pieces, write
from store.errors import BackupRefused, DatabaseCorrupt, HomeRefused, Rejected, StoreBusy
from store.home import MAKING
from store.packing import Manifest, Part
from store.ports import Entropy
from store.sql import translated

FOLDER = MAKING.parent.name
NOTE = "last.json"


@dataclass(frozen=True, slots=True)
class Made:
    path: Path
    manifest: Manifest
    size: int
    """Bytes of the sealed file."""


@dataclass(frozen=True, slots=True)
class Note:
    """How it stands with the backups of a home. Moments are ISO, "" for never."""

    made_at: str = ""
    path: str = ""
    failed_at: str = ""
    failed: str = ""
    """The code of what went wrong the last time; "" when it went well."""


def make(
    home: Path,
    target: Path,
    passphrase: str,
    *,
    settings: bytes | None,
    now: datetime,
    entropy: Entropy,
    overwrite: bool = False,
    stopped: Callable[[], bool] = lambda: False,
    log_n: int = LOG_N,
    open_here: bool = False,
    clear: Callable[[], None] = lambda: None,
) -> Made:
    """Takes as long as the home is big: for a thread of its own.

    `settings`: what is to be kept of `niannian.toml`. `stopped`: asked now and then; once it says so, `make` gives up with
    Unavailable. `log_n`: as `Sealer` takes it. `open_here`: this process has the home open.
    `clear`: called once it is sure that nobody else makes a backup of this home. Raises Rejected where `target` cannot be it, Damaged for a home that is not whole, StoreBusy while another backup is
    being made, and Unavailable. Whatever it raises, `target` is as it was.
    """
    check_target(target, overwrite=overwrite)
    check_source(home)
    with translated(home / FOLDER), _alone(home) as making:
        clear()
        manifest = _copy(home, making, settings, now, stopped, open_here=open_here)
        draft = target.with_name(f".{target.name}.part")
        try:
            with translated(target):
                draft.unlink(missing_ok=True)
                with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    sealer = Sealer(file, passphrase, entropy, log_n=log_n)
                    packing.write(sealer, manifest, lambda part: pieces(making / part.name, stopped))
                    sealer.close()
                    file.flush()
                    os.fsync(file.fileno())
                if verify(draft, passphrase, stopped) != manifest:
                    raise BackupRefused("error-backup-damaged", path=str(draft))
                check_target(target, overwrite=overwrite)
                draft.replace(target)
                with suppress(OSError):  # some file systems have no way to do it; the file itself is on the disk
                    sync_folder(target.parent)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        made = Made(target, manifest, target.stat().st_size)
        with suppress(OSError):  # the backup is there, whether or not it could be noted
            keep_note(home, replace(read_note(home), made_at=manifest.made_at, path=str(target.absolute()), failed=""))
    return made


def verify(path: Path, passphrase: str, stopped: Callable[[], bool] = lambda: False) -> Manifest:
    """Opens a backup, reads all of it and holds it against its manifest. Raises BackupRefused, Unavailable."""
    with opened(path, passphrase) as source:
        manifest = packing.read_manifest(source)
        packing.read_parts(Stoppable(source, stopped), manifest, lambda part: None)
    return manifest


@contextmanager
def opened(path: Path, passphrase: str) -> Iterator[Opener]:
    try:
        file = path.open("rb")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise Rejected("error-backup-no-file", path=str(path)) from error
    except OSError as error:
        raise Rejected("error-backup-unreadable", path=str(path)) from error
    with file:
        try:
            yield Opener(file, passphrase)
        except BackupRefused as error:
            error.facts.setdefault("path", str(path))
            raise


def clear_leftovers(home: Path) -> None:
    """Copies that a backup left when it was cut off; not those of one that is being made."""
    if (home / MAKING).exists():
        with suppress(StoreBusy, OSError), _alone(home):
            pass


def read_note(home: Path) -> Note:
    try:
        said = json.loads((home / FOLDER / NOTE).read_text("utf-8"))
        return Note(**{name: str(value) for name, value in said.items()})
    except (OSError, ValueError, TypeError, AttributeError):
        return Note()


def keep_note(home: Path, note: Note) -> None:
    """Raises OSError."""
    folder = home / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    draft = folder / f"{NOTE}.new"
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(note), file, ensure_ascii=False)
    draft.replace(folder / NOTE)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# the copies


@contextmanager
def _alone(home: Path) -> Iterator[Path]:
    """An empty folder for the copies, which is gone afterwards. Raises StoreBusy while another process makes a backup."""
    folder = home / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    lock = os.open(home / f"{MAKING}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreBusy("error-backup-running") from error
        making = home / MAKING
        remove(making)
        for draft in (home / FOLDER).glob(".*.age.part"):  # of a backup that was killed
            draft.unlink(missing_ok=True)
        making.mkdir(mode=0o700)
        try:
            yield making
        finally:
            remove(making)
    finally:
        os.close(lock)


def remove(folder: Path) -> None:
    """Raises OSError where something of it stays."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _copy(
    home: Path, making: Path, settings: bytes | None, now: datetime, stopped: Callable[[], bool], *, open_here: bool
) -> Manifest:
    copy_database(home / device.DATABASE, making / device.DATABASE, stopped, open_here=open_here)
    whose, instance, groups, made = installation_of(making / device.DATABASE)
    parts = [_part(home, making, device.DATABASE, stopped)]
    if settings is not None:
        write(making / packing.SETTINGS, settings)
        parts.append(file_part(making, packing.SETTINGS))
    (making / "scopes").mkdir(mode=0o700)
    there = {path.name for path in (home / "scopes").glob("*")} if (home / "scopes").is_dir() else set()
    for scope in sorted(made | there):
        name = f"scopes/{scope}/{memory.DATABASE}"
        if scope not in made and (not Part(name, 0, "").scope or not _holds(home / name)):
            continue  # nothing leads there, and nothing stands there that was a memory
        if not _holds(home / name):
            raise DatabaseCorrupt("error-scope-missing", path=str((home / name).parent), scope=scope)
        (making / "scopes" / scope).mkdir(mode=0o700)
        copy_database(home / name, making / name, stopped, open_here=open_here)
        part = _part(home, making, name, stopped)
        if part.schema or scope in made:
            parts.append(part)
    moment = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Manifest(made_at=moment, device=whose, instance=instance, groups=groups, parts=tuple(parts))


def _part(home: Path, making: Path, name: str, stopped: Callable[[], bool]) -> Part:
    try:
        return part_of(making, name, stopped)
    except DatabaseCorrupt as error:  # it is the home's file that a person must hear of
        raise DatabaseCorrupt(path=str(home / name)) from error


def _holds(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def check_source(home: Path) -> None:
    """Raises HomeRefused where there is no home."""
    if not (home / device.DATABASE).exists():
        raise HomeRefused("doctor-no-home", path=str(home))


def check_outside(home: Path, target: Path) -> None:
    """In the home there is one place for a backup. Raises Rejected for any other there."""
    place, inside = target.parent.resolve() / target.name, home.resolve()
    if place.is_relative_to(inside) and not place.is_relative_to(inside / FOLDER):
        raise Rejected("error-backup-inside", path=str(target))


def check_target(target: Path, *, overwrite: bool) -> None:
    if target.is_dir() or not target.parent.is_dir():
        raise Rejected("error-backup-place", path=str(target))
    if target.exists() and not overwrite:
        raise Rejected("error-backup-exists", path=str(target))
