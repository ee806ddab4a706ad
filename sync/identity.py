"""Whether this home is the one its keys were made for, and its becoming a new device when it is not.

Two homes with one identity would give one number to two envelopes, and one label to two entries. So `keys/here` says
where the keys belong: the file's own inode, the home's path, the machine's id. A copy has another inode and another
path or machine; `mv` keeps the inode, and putting a home back in its place keeps path and machine (that one is found
out by reading our own stream back). Measured: `cp -a` changes the inode, `mv` on one file system keeps it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from store.ports import Entropy
from sync import keys
from sync.keys import DeviceKeys

HERE = Path("keys") / "here"
NEXT = Path("keys") / "device.key.next"
WAS = Path("keys") / "device.key.was"
ELSEWHERE = Path("keys") / "elsewhere"
"""There once our own stream was found to hold what we never wrote."""
MACHINE_ID_FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


def machine_id() -> str:
    """The system's own name for this machine; "" where there is none."""
    for file in MACHINE_ID_FILES:
        try:
            return file.read_text("ascii").strip()
        except (OSError, ValueError):
            continue
    return ""


def must_renew(home: Path, machine: str) -> bool:
    """Whether this home is a copy, was found to be used elsewhere, or was cut off while becoming a new device."""
    if not (home / keys.FILE).exists():
        return (home / NEXT).exists()
    return (home / NEXT).exists() or (home / ELSEWHERE).exists() or _is_copy(home, machine)


def _is_copy(home: Path, machine: str) -> bool:
    try:
        with (home / HERE).open(encoding="utf-8") as file:
            said = json.load(file)
            inode = os.fstat(file.fileno()).st_ino
        was = said["inode"], said["path"], said["machine"]
    except (OSError, ValueError, KeyError, TypeError):
        return False  # never marked, or torn while it was written: `mark` writes it anew
    return inode != was[0] and (str(home.resolve()), machine) != was[1:]


def mark(home: Path, machine: str) -> None:
    """Notes that the keys belong here; writes only when that is not what stands there."""
    path = home / HERE
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        here = {"inode": os.fstat(descriptor).st_ino, "path": str(home.resolve()), "machine": machine}
        text = json.dumps(here, ensure_ascii=False).encode()
        if os.pread(descriptor, len(text) + 1, 0) != text:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, text, 0)
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flag_elsewhere(home: Path) -> None:
    """From its next start on this home is a new device."""
    (home / ELSEWHERE).touch(mode=0o600)


def next_keys(home: Path, entropy: Entropy) -> tuple[DeviceKeys, DeviceKeys]:
    """(the keys so far, the keys to come): made once, however often this is cut off."""
    coming = keys.load(home, NEXT) if (home / NEXT).exists() else keys.make(home, entropy, file=NEXT)
    return keys.load(home, keys.FILE if (home / keys.FILE).exists() else WAS), coming


def settle(home: Path, machine: str) -> None:
    """The last step, once every database knows the new device. The old keys stay, for `device adopt`."""
    if (home / keys.FILE).exists():
        (home / keys.FILE).replace(home / WAS)
    (home / NEXT).replace(home / keys.FILE)
    (home / HERE).unlink(missing_ok=True)
    mark(home, machine)
    (home / ELSEWHERE).unlink(missing_ok=True)


def lent_lane(device: bytes) -> str:
    """For a device that no roster has given a lane yet: `x` and the first three characters of its id."""
    return f"x{device.hex()[:3]}"
