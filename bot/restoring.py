"""`niannian restore FILE`: what a backup holds becomes this home, under the keys of a new device.

Everything happens apart (`store/unpacking.py`) until the last step: unpacked, looked over, made a new device's, and what
was erased here since is erased there. What the home held is kept, as a backup under the same passphrase.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bot.stoppable import in_thread
from store import backup, unpacking
from store.age import LOG_N
from store.clock import SystemEntropy
from store.device import DATABASE, Device
from store.errors import Damaged, Rejected
from store.grants import UpkeepClaim, grant
from store.home import HomeLock
from store.memory import Memory
from store.model import ScopeID
from store.packing import Manifest
from store.ports import Clock, Entropy
from store.renewal import renew
from store.surroundings import refuse_network, system_mounts
from sync import identity, keys, state

SHARED = keys.FILE.parent / "scopes"
"""There once a home has shared a memory with another device: it has other ways to go on (`device adopt`)."""
FOLDER = "folder"
_NOT_CARRIED = (keys.FILE.name, identity.HERE.name, identity.ELSEWHERE.name, identity.NEXT.name, "*.new")


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    kept: Path | None
    """Where what the home held is kept; None when it held nothing."""
    shared: bool
    """Some memory is shared with other devices."""
    erased: bool
    """Something in the backup was erased here since it was made, and stays away."""
    speaks: bool
    """A device spoke for a bot; this one does not, until a person says so."""


async def restore(
    home: Path,
    file: Path,
    passphrase: str,
    *,
    settings: bytes | None,
    force: bool,
    clock: Clock,
    alone: bool = False,
    entropy: Entropy | None = None,
    log_n: int = LOG_N,
) -> Restored:
    """`settings`: what is kept of the home's `niannian.toml` beside its old content. `alone`: no other device is left
    and no recovery key either, so what was shared is this device's own from now on.

    Raises Rejected, BackupRefused, HomeInUse, Damaged, Unavailable; the home is as it was then.
    """
    entropy = entropy or SystemEntropy()
    if alone and (home / SHARED).exists():
        raise Rejected("error-restore-alone")
    unpacking.look(file, passphrase)  # before anything is made: a mistyped passphrase leaves no folder behind
    refuse_network(home, system_mounts())
    lock = await HomeLock.acquire(home)
    try:
        unpacking.settle(home)
        try:
            manifest = await in_thread(lambda stopped: unpacking.unpack(file, passphrase, home, stopped))
            return await _take(
                home,
                manifest,
                file,
                passphrase,
                settings,
                force=force,
                alone=alone,
                clock=clock,
                entropy=entropy,
                log_n=log_n,
            )
        except BaseException:
            if not unpacking.is_ready(home):
                unpacking.settle(home)
            raise
    finally:
        lock.release()


async def _take(
    home: Path,
    manifest: Manifest,
    file: Path,
    passphrase: str,
    settings: bytes | None,
    *,
    force: bool,
    alone: bool,
    clock: Clock,
    entropy: Entropy,
    log_n: int,
) -> Restored:
    there = await asyncio.to_thread(unpacking.count_entries, home)
    if manifest.entries < there and not force:
        raise Rejected("error-restore-smaller", backup=manifest.entries, home=there)
    new = unpacking.new_home(home)
    device_id = keys.make(new, entropy).device_id
    await asyncio.to_thread(_carry_keys, home, new)
    shared = False

    def renewed(rows: state.Rows) -> state.NewRows:
        nonlocal shared
        shared = shared or bool(rows)
        if alone:
            return dict.fromkeys(rows)
        return state.renewed(rows, bytes.fromhex(manifest.device))

    await renew(
        new,
        was=bytes.fromhex(manifest.device),
        device_id=device_id,
        lane=identity.lent_lane(device_id),
        rows=renewed,
        clock=clock,
        entropy=entropy,
    )
    if alone:
        await _forget_folder(new, device_id, entropy)
    erased = await _take_bans(home, device_id, clock, entropy)
    if (home / unpacking.SETTINGS).exists():  # it holds what no backup holds: this home's tokens
        (new / unpacking.SETTINGS).unlink(missing_ok=True)
    speaks = unpacking.holds_register(new, "speaker/")
    kept, raw = await in_thread(lambda stopped: _keep(home, passphrase, settings, clock, entropy, log_n, stopped))
    unpacking.put_in_place(home, keep=raw)
    _note(home, manifest, file)
    return Restored(manifest, kept, shared, erased, speaks)


def _note(home: Path, manifest: Manifest, file: Path) -> None:
    """What was restored is backed up as far as that."""
    note = backup.read_note(home)
    if note.made_at < manifest.made_at:
        with suppress(OSError):
            backup.keep_note(home, replace(note, made_at=manifest.made_at, path=str(file.absolute())))


def _carry_keys(home: Path, new: Path) -> None:
    """The keys so far are kept for `device adopt`, and the secrets that open what other devices sent."""
    there = home / keys.FILE.parent
    if not there.is_dir():
        return
    shutil.copytree(there, new / keys.FILE.parent, ignore=shutil.ignore_patterns(*_NOT_CARRIED), dirs_exist_ok=True)
    if (home / keys.FILE).exists():
        if (new / identity.WAS).exists():
            older = keys.load(home, identity.WAS).device_id
            (new / identity.WAS).rename((new / identity.WAS).with_name(f"{identity.WAS.name}.{older.hex()[:8]}"))
        shutil.copy2(home / keys.FILE, new / identity.WAS)


async def _forget_folder(new: Path, device_id: bytes, entropy: Entropy) -> None:
    """In the sync folder so far stands what the others said: it would contradict what is founded anew."""
    device = await Device.open(new, device_id=device_id, entropy=entropy)
    try:
        await device.keep_note(FOLDER, "")
    finally:
        await device.close()


async def _take_bans(home: Path, device_id: bytes, clock: Clock, entropy: Entropy) -> bool:
    """Whether there was anything to keep away."""
    new = unpacking.new_home(home)
    folders = (home / "scopes").glob("*")
    bans = {
        ScopeID(one.name): await asyncio.to_thread(unpacking.bans_there, home, ScopeID(one.name)) for one in folders
    }
    if not any(bans.values()):
        return False
    erased = False
    device = await Device.open(new, device_id=device_id, entropy=entropy)
    try:
        for scope in device.scopes():
            if not scope.made:
                continue
            memory = await Memory.open(
                grant(UpkeepClaim(scope.scope), device),
                new / "scopes" / scope.scope,
                backups=new / "backups",
                device_id=device_id,
                clock=clock,
                entropy=entropy,
            )
            try:
                before = await memory.read(lambda view: view.count())
                elsewhere = [ban for one, found in bans.items() if one != scope.scope for ban in found]
                await memory.take_bans(bans.get(scope.scope, ()), elsewhere)
                erased = erased or await memory.read(lambda view: view.count()) < before
            finally:
                await memory.close()
    finally:
        await device.close()
    return erased


def _keep(
    home: Path,
    passphrase: str,
    settings: bytes | None,
    clock: Clock,
    entropy: Entropy,
    log_n: int,
    stopped: Callable[[], bool],
) -> tuple[Path | None, str]:
    """Where what the home holds is kept, and what of it is to be moved there as it is: what no backup can be made of."""
    if not (home / DATABASE).exists() and not (home / "scopes").exists():
        return None, ""
    now = clock.now()
    name = f"{backup.FOLDER}/before-restore-{now.strftime('%Y%m%dT%H%M%SZ')}-{entropy.bytes(2).hex()}"
    target = home / f"{name}.age"
    target.parent.mkdir(mode=0o700, exist_ok=True)
    note = backup.read_note(home)
    try:
        backup.make(home, target, passphrase, settings=settings, now=now, entropy=entropy, log_n=log_n, stopped=stopped)
    except Damaged:
        return home / name, name
    backup.keep_note(home, note)  # what was replaced is not what a person calls the last backup
    return target, ""
