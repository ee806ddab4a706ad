"""A backup comes back: unpacked and looked over apart, then put in the place of what is there by renames alone.

    <home>/restoring/new     what is to come       <home>/restoring/ready   the plan; from here on the new home counts
    <home>/restoring/old     what was there

Cut off before `ready` is there, the home is as it was, and the next start removes what was unpacked. Cut off behind it,
the next start does the rest of the plan: each step is one rename, and doing one again changes nothing.
The folder is inside the home, because a home may be a disk of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from store import device, packing, unite
from store.age import Sink
from store.backup import opened, remove, sync_folder
from store.changes import Key
from store.copies import Stoppable, installation_of, part_of
from store.errors import BackupRefused, DatabaseCorrupt, DiskFull, NewerSchema, NiannianError, StoreFault
from store.home import RESTORED, RESTORING
from store.model import ScopeID
from store.opening import log_trouble, readable
from store.packing import Manifest, Part
from store.schema import DEVICE_MIGRATIONS, MEMORY_MIGRATIONS
from store.sql import translated
from store.view import View

SETTINGS = packing.SETTINGS
KEYS = "keys"
_OF_THE_OLD_PLACE = ("here", "elsewhere", "device.key.next")
"""What `keys` says about the device that this home was (`sync/identity.py`)."""
_SPARE_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Plan:
    put: list[str]
    """Names in the home that what was unpacked takes; `keys` is none of them, for it may be a disk of its own."""
    take: list[str]
    """Names of what was there that nothing takes: side files of databases."""
    keep: str
    """Where, in the home, what was there stays; "" for nowhere."""


def new_home(home: Path) -> Path:
    return home / RESTORING / "new"


def look(path: Path, passphrase: str) -> Manifest:
    """What a backup says that it holds, without reading it all. Raises Rejected, BackupRefused, NewerSchema."""
    with opened(path, passphrase) as source:
        manifest = packing.read_manifest(source)
    _check_schemas(manifest)
    return manifest


def unpack(path: Path, passphrase: str, home: Path, stopped: Callable[[], bool] = lambda: False) -> Manifest:
    """All of a backup into `new_home(home)`, every file held against the manifest, every database looked over.

    The caller holds the home's lock. Raises Rejected, BackupRefused, NewerSchema, DatabaseCorrupt, Unavailable.
    """
    folder = new_home(home)
    with translated(home), opened(path, passphrase) as source:
        manifest = packing.read_manifest(source)
        _check_schemas(manifest)
        remove(home / RESTORING)
        if manifest.size + _SPARE_BYTES > shutil.disk_usage(home).free:
            raise DiskFull("error-restore-room", n=manifest.size // 1024**2 + 1)
        for one in (folder.parent, folder):
            one.mkdir(mode=0o700)
        with ExitStack() as files:

            def sink(part: Part) -> Sink:
                files.close()  # of two files that are open at once, one was not closed
                target = folder / part.name
                for parent in reversed(target.relative_to(folder).parents):
                    (folder / parent).mkdir(mode=0o700, exist_ok=True)
                file = os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
                files.callback(file.close)
                return file

            packing.read_parts(Stoppable(source, stopped), manifest, sink)
    for part in manifest.parts:
        if part.name != packing.SETTINGS and _looked_over(folder, part, path, stopped) != part:
            raise BackupRefused("error-backup-damaged", path=str(path))
    if installation_of(folder / device.DATABASE)[0] != manifest.device:
        raise BackupRefused("error-backup-damaged", path=str(path))
    return manifest


def _looked_over(folder: Path, part: Part, path: Path, stopped: Callable[[], bool]) -> Part:
    try:
        return part_of(folder, part.name, stopped)
    except DatabaseCorrupt as error:
        raise BackupRefused("error-backup-damaged", path=str(path)) from error


def _check_schemas(manifest: Manifest) -> None:
    for part in manifest.parts:
        newest = (MEMORY_MIGRATIONS if part.scope else DEVICE_MIGRATIONS)[-1].number
        if part.schema > newest:
            raise NewerSchema(found=part.schema, known=newest, path=part.name)


# what is there


def count_entries(home: Path) -> int:
    """Entries that the home holds now, as a person counts them; of what cannot be read, none. Nobody may be writing."""
    return sum(_count(path) for path in sorted((home / "scopes").glob("*/memory.db")))


def _count(path: Path) -> int:
    try:
        with closing(readable(path, past_log=log_trouble(path) is not None)) as conn:
            return View(conn).count()
    except (NiannianError, sqlite3.Error):
        return 0


def holds_register(home: Path, prefix: str) -> bool:
    """Whether `meta` of any memory has a field that begins so. Nobody may be writing."""
    for path in (home / "scopes").glob("*/memory.db"):
        with closing(readable(path)) as conn:
            found = conn.execute("SELECT 1 FROM registers WHERE record = 'meta' AND field GLOB ?", (f"{prefix}*",))
            if found.fetchone() is not None:
                return True
    return False


def bans_there(home: Path, scope: ScopeID) -> Sequence[Key]:
    """What keeps away what was erased for good in a memory of this home; nothing where that cannot be read."""
    path = home / "scopes" / scope / "memory.db"
    try:
        with closing(readable(path, past_log=log_trouble(path) is not None)) as conn:
            return unite.bans_of(conn)
    except (NiannianError, sqlite3.Error):
        return ()


# the change of places


def put_in_place(home: Path, *, keep: str) -> None:
    """`new_home` becomes the home. The caller holds its lock. Raises Unavailable; then the next start goes on."""
    folder = home / RESTORING
    with translated(home):
        remove(new_home(home) / "backups")  # of an upgrade that it was given there
        (new_home(home) / "lock").unlink(missing_ok=True)
        put = sorted(path.name for path in new_home(home).iterdir() if path.name != KEYS)
        database = home / device.DATABASE
        sides = [database.with_name(database.name + end) for end in ("-wal", "-shm", "-open", "-journal")]
        take = [path.name for path in (database, *sides, home / "scopes") if path.exists() and path.name not in put]
        for part in sorted(new_home(home).rglob("*")):
            _flush(part)
        _flush(new_home(home))
        draft = folder / "ready.new"
        draft.write_text(json.dumps(asdict(Plan(put, take, keep))), "utf-8")
        _flush(draft)
        _flush(folder)
        draft.rename(home / RESTORED)
        _flush(folder)
    settle(home)


def is_ready(home: Path) -> bool:
    """Whether what was unpacked will be the home, whatever happens."""
    return (home / RESTORED).exists()


def settle(home: Path) -> None:
    """Finishes what was cut off, or takes it back. The caller holds the home's lock. Raises Unavailable."""
    folder = home / RESTORING
    if not folder.exists():
        return
    with translated(home):
        plan = _plan(home)
        if plan is not None:
            (folder / "old").mkdir(mode=0o700, exist_ok=True)
            for name in plan.take:
                _move(home / name, folder / "old" / name)
            for name in plan.put:
                if (folder / "new" / name).exists():
                    _move(home / name, folder / "old" / name)
                    _move(folder / "new" / name, home / name)
                if (folder / "new" / name).exists():
                    raise StoreFault(path=str(home / name))  # nothing of it may be removed below
            _lay_over(folder / "new" / KEYS, home / KEYS)
            sync_folder(home)
            if plan.keep and (folder / "old").exists():
                (home / plan.keep).parent.mkdir(mode=0o700, exist_ok=True)
                _move(folder / "old", home / plan.keep)
            remove(folder / "old")
            remove(folder / "new")
            sync_folder(folder)
            (home / RESTORED).unlink()
        remove(folder)


def _lay_over(new: Path, there: Path) -> None:
    """The files of `new` in `there`, beside those it has: as often as it takes, for `new` stays until all of them are."""
    if not new.exists():
        return
    there.mkdir(mode=0o700, exist_ok=True)
    for name in _OF_THE_OLD_PLACE:
        (there / name).unlink(missing_ok=True)
    paths = sorted(path.relative_to(new) for path in new.rglob("*"))
    for path in sorted(paths, key=lambda one: one.name == "device.key"):  # the old key has its new name before
        if (new / path).is_dir():
            (there / path).mkdir(mode=0o700, exist_ok=True)
            continue
        draft = there / f"{path}.laid"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write((new / path).read_bytes())
            file.flush()
            os.fsync(file.fileno())
        draft.rename(there / path)
    for folder in (there, *(there / path for path in paths if (new / path).is_dir())):
        sync_folder(folder)


def _plan(home: Path) -> Plan | None:
    try:
        return Plan(**json.loads((home / RESTORED).read_text("utf-8")))
    except FileNotFoundError:
        return None


def _move(source: Path, target: Path) -> None:
    with suppress(FileNotFoundError):  # it was moved before this was cut off
        if not target.exists():
            source.rename(target)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
